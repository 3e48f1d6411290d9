"""One attempt at a case: what the agent returned or raised, and the verdict on it."""

from __future__ import annotations

import asyncio
import contextlib
from types import TracebackType
from typing import Any, Self

from minagent_lab.fixtures.redact import Redactor
from minagent_lab.observe.case_result import CaseResult
from minagent_lab.observe.cases import EvalCase
from minagent_lab.observe.matchers import TEXT_ONLY
from minagent_lab.observe.meter import TOKENS, Meter
from minagent_lab.record import RunResult
from minagent_lab.results import exception_text
from minagent_lab.values import a_kind


class Attempt:
    """A context in which one case is asked. What the agent raises inside becomes an error of this case.

    What is to end the whole evaluation goes through: Ctrl-C, SystemExit, and that the evaluation itself is cancelled.

    Parameters
    ----------
    case
        Which case.
    meter
        What it uses.

    Attributes
    ----------
    answer
        What the agent returned.

    Examples
    --------
    >>> from minagent_lab.observe.matchers import equals
    >>> with Attempt(EvalCase("sum", "2 + 3?", equals("5")), Meter()) as attempt:
    ...     attempt.answer = "6"
    >>> attempt.result(Redactor())
    <CaseResult sum: failed, the answer is '6', not '5'>
    """

    def __init__(self, case: EvalCase, meter: Meter) -> None:
        self.case, self.meter = case, meter
        self.answer: Any = None
        self._error: BaseException | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, _: object, error: BaseException | None, trace: TracebackType | None) -> bool:
        self._error = error
        return isinstance(error, Exception) or (isinstance(error, asyncio.CancelledError) and not _being_cancelled())

    def result(self, redactor: Redactor) -> CaseResult:
        """Return the verdict, with texts that hold no secrets."""
        run = self._run()
        verdict, reason = self._verdict(run)
        if run is not None:
            usage, known = self._usage(run)
        else:
            usage, known = self.meter.usage, self.meter.asked > 0 and self.meter.usage_known
        return self._case_result(
            redactor, verdict, reason, run=run, usage=usage, usage_known=known, cost=self.meter.cost if known else None
        )

    def not_run(self, reason: str, redactor: Redactor) -> CaseResult:
        """Return that the case was not run, and why."""
        return self._case_result(redactor, "not_run", reason)

    def _verdict(self, run: RunResult | None) -> tuple[str, str]:
        if self._error is not None:
            return "error", exception_text(self._error)
        if run is None:
            return "error", f"TypeError: the agent returned {a_kind(self.answer)}; return a RunResult, or text"
        if self.meter.refused is not None:  # this says nothing about the agent
            return "error", exception_text(self.meter.refused)
        try:
            problem = self.case.expect.problem(run)
        except Exception as error:
            return "error", f"in the check: {exception_text(error)}"
        if not isinstance(problem, str):
            return "error", f"in the check: {self.case.expect!r} returned {a_kind(problem)}; a problem is text"
        return ("failed", problem) if problem else ("passed", "")

    def _run(self) -> RunResult | None:
        """Return what there is of a run: the agent's result, or the partial one that an error carries."""
        if self._error is not None:
            carried = getattr(self._error, "result", None)
            return carried if isinstance(carried, RunResult) else None
        if isinstance(self.answer, str):
            return RunResult(self.answer, (), [], {}, TEXT_ONLY)
        return self.answer if isinstance(self.answer, RunResult) else None

    def _usage(self, run: RunResult) -> tuple[dict[str, int], bool]:
        """Return the tokens, and whether these are all. The meter knows better, where calls were told to it."""
        if self.meter.asked:
            return self.meter.usage, self.meter.usage_known
        told = {name: run.usage[name] for name in TOKENS if name in run.usage}
        return told, len(told) == len(TOKENS) and self._error is None

    def _case_result(self, redactor: Redactor, verdict: str, reason: str, **more: Any) -> CaseResult:
        case, run = self.case, more.get("run")
        final, status = (run.final, run.status) if run is not None else ("", "")
        clean = redactor.text
        return CaseResult(
            case.id, verdict, clean(reason), case.category, clean(case.prompt), clean(repr(case.expect)), clean(final),
            status, digest=case.digest, **more,
        )  # fmt: skip


def _being_cancelled() -> bool:
    """Whether it is the evaluation that is cancelled, and not something inside an agent that was."""
    with contextlib.suppress(RuntimeError):  # no loop runs here
        task = asyncio.current_task()
        return task is not None and task.cancelling() > 0
    return False

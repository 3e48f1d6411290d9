"""An evaluation while it goes on: who is asked next, what has come back, and what there is to report by now."""

from __future__ import annotations

import asyncio
import contextlib
import inspect
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from minagent_lab.fixtures.redact import Redactor
from minagent_lab.observe.attempt import Attempt
from minagent_lab.observe.budget import Budget
from minagent_lab.observe.case_result import CaseResult
from minagent_lab.observe.cases import EvalCase, checked_cases
from minagent_lab.observe.meter import Meter
from minagent_lab.observe.pricing import PriceTable
from minagent_lab.observe.progress import Watching, watching
from minagent_lab.observe.report import EvalReport
from minagent_lab.observe.results_file import ResultsFile, names_without_secrets

STOPPED = "the evaluation was stopped"


class Evaluation:
    """One evaluation, from its cases to its report."""

    def __init__(
        self,
        cases: Iterable[EvalCase],
        agent: Any,
        concurrency: int,
        budget: Budget | None,
        prices: PriceTable | None,
        save: Any,
        secrets: Iterable[str],
        progress: Any,
        *,
        resume: bool,
    ) -> None:
        _check_options(concurrency, budget, prices)
        self.cases, self._redactor = checked_cases(cases), Redactor(secrets)
        names_without_secrets(self.cases, self._redactor)
        self._agent, self._concurrency, self._budget, self._prices = agent, concurrency, budget, prices
        self._progress = progress
        self._watching: Watching | None = None
        self._file = ResultsFile(save, self.cases, self._redactor, resume=resume)
        self._results: dict[str, CaseResult] = dict(self._file.kept)
        self._stopped = ""  # why no more cases are begun
        self._tasks: list[asyncio.Task[None]] = []
        self._end: BaseException | None = None

    @contextlib.contextmanager
    def going_on(self) -> Iterator[None]:
        """Show the progress meanwhile; give what ends it early the report so far."""
        self._watching = watching(self._progress, len(self.cases), len(self._results))
        try:
            yield
        except BaseException as error:
            self._stopped = self._stopped or STOPPED
            with contextlib.suppress(Exception):  # an exception that cannot carry it must still come through
                error.report = self.report()  # type: ignore[attr-defined]
                error.add_note(f"{error.report!r} is in error.report; in a notebook: sys.last_value.report")  # type: ignore[attr-defined]
            raise
        finally:
            self._watching.close()

    # ---- asking

    def one_by_one(self, wait_for: Callable[[Any], Any]) -> None:
        """Ask one case after the other, in this thread; wait for what has to be waited for."""
        for case in self._waiting_cases():
            attempt = self._attempt(case)
            with attempt:
                answer = self._agent(case, attempt.meter)
                attempt.answer = wait_for(answer) if inspect.isawaitable(answer) else answer
            self._keep(attempt)

    async def together(self) -> None:
        """Ask several cases at the same time, and begin the next when one is done."""
        cases = self._waiting_cases()
        async with asyncio.TaskGroup() as group:
            self._tasks = [
                group.create_task(self._ask_next(cases)) for _ in range(min(self._concurrency, len(self.cases)))
            ]
        if self._end is not None:
            raise self._end

    async def _ask_next(self, cases: Iterator[EvalCase]) -> None:
        try:
            for case in cases:
                attempt = self._attempt(case)
                with attempt:
                    answer = await self._asked(case, attempt.meter)
                    attempt.answer = await answer if inspect.isawaitable(answer) else answer
                self._keep(attempt)
        except (KeyboardInterrupt, SystemExit) as end:  # out of a task, it would leave the whole loop in pieces
            self._end, self._stopped = end, STOPPED
            for task in self._tasks:
                if task is not asyncio.current_task():
                    task.cancel()

    async def _asked(self, case: EvalCase, meter: Meter) -> Any:
        if self._concurrency == 1 or inspect.iscoroutinefunction(self._agent):
            return self._agent(case, meter)
        return await asyncio.to_thread(self._agent, case, meter)  # it may make everybody wait

    def _waiting_cases(self) -> Iterator[EvalCase]:
        """Yield the cases that have no result yet, until there is a reason to stop."""
        for case in self.cases:
            if case.id in self._results:
                continue
            self._stopped = self._stopped or self._used_up()
            if self._stopped:
                return
            yield case

    def _used_up(self) -> str:
        left = self._budget.remaining if self._budget is not None else {}
        gone = [name for name, amount in left.items() if not amount]
        return f"the budget is used up: {', '.join(gone)}" if gone else ""

    def _attempt(self, case: EvalCase) -> Attempt:
        return Attempt(case, Meter(self._budget, self._prices))

    def _keep(self, attempt: Attempt) -> None:
        """Judge a run; write the verdict down, and tell whoever watches."""
        result = attempt.result(self._redactor)
        if attempt.meter.refused:
            self._stopped = self._stopped or f"the budget is used up: {attempt.meter.refused.limit_name}"
        self._results[result.id] = result
        self._file.add(result)
        if self._watching is not None:
            self._watching.tell(len(self._results), result)

    # ---- reporting

    def report(self) -> EvalReport:
        """Return what there is by now."""
        rows = [self._results.get(case.id) or self._not_run(case) for case in self.cases]
        problems = [self._file.problem, self._watching.problem if self._watching else ""]
        return EvalReport(rows, self._prices.currency if self._prices else "", [each for each in problems if each])

    def _not_run(self, case: EvalCase) -> CaseResult:
        return Attempt(case, Meter()).not_run(self._stopped, self._redactor)


def _check_options(concurrency: Any, budget: Any, prices: Any) -> None:
    if isinstance(concurrency, bool) or not isinstance(concurrency, int) or concurrency < 1:
        raise ValueError(f"concurrency is {concurrency!r:.80}; it is a whole number from 1 up")
    if budget is not None and not isinstance(budget, Budget):
        raise TypeError(f"budget is {budget!r:.80}; pass a Budget")
    if prices is not None and not isinstance(prices, PriceTable):
        raise TypeError(f"prices is {prices!r:.80}; pass a PriceTable")

"""evaluate: ask an agent every case of a set, judge each run, and count with a denominator.

Nothing that went wrong with one case ends the others, and nothing that was found gets lost: each result is written
down as it comes, and when Ctrl-C ends the evaluation, the exception carries the report so far.
Source: appendix B.7 (an evaluation set, two layers of tests); the provider lesson (usage, prices, reports by category).
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from minagent_lab.observe.agents import agent_of
from minagent_lab.observe.budget import Budget
from minagent_lab.observe.cases import EvalCase
from minagent_lab.observe.evaluating import Evaluation
from minagent_lab.observe.pricing import PriceTable
from minagent_lab.observe.report import EvalReport
from minagent_lab.own_loop import OwnLoop, own_loop


def evaluate(
    cases: Iterable[EvalCase],
    agent: Callable[..., Any] | None = None,
    *,
    model: Callable[[EvalCase], Any] | None = None,
    registry: Any = None,
    concurrency: int = 1,
    budget: Budget | None = None,
    prices: PriceTable | None = None,
    save: str | Path | None = None,
    resume: bool = False,
    secrets: Iterable[str] = (),
    progress: Any = None,
) -> EvalReport:
    """Ask an agent every case, and report what became of each.

    It can be called in a script and in a notebook alike. A plain agent is called right here, one case after the
    other; an async one in a loop of its own, which ends with the evaluation.

    Parameters
    ----------
    cases
        The `EvalCase` objects; the report has their order.
    agent
        A function of the case, async or not, that returns a `RunResult`, or text where nothing is known but the
        answer. When it has a parameter ``meter``, it gets a `Meter` to pass on: ``arun(..., budget=meter)``.
    model, registry
        Instead of an agent: a function of the case that makes a model or a provider, a fresh one for each case, and
        its tools (a `ToolRegistry`, or a function of the case).
    concurrency
        How many cases are asked at the same time. A plain agent is then called in threads.
    budget
        What all cases together may use. When it is used up, the rest is not run, and is counted as that.
    prices
        What a response costs.
    save
        A ``.jsonl`` file that gets each result as it comes, as a line without secrets.
    resume
        Whether to go on with that file: cases that passed or failed are not asked again, unless they were changed.
    secrets
        Keys in use; see ``fixtures.redact``.
    progress
        ``None``: a bar where somebody looks at a notebook, which is gone at the end. ``True``: besides, a line per
        case on stderr elsewhere. ``False``: nothing. Or a function of ``(done, n, result)``.

    Raises
    ------
    TypeError, ValueError, FileExistsError
        What was passed is no evaluation; nobody has been asked.
    KeyboardInterrupt
        Like whatever else ends an evaluation, it has what there is as ``error.report``.

    Examples
    --------
    >>> from minagent_lab import FakeModel
    >>> from minagent_lab.observe.matchers import equals
    >>> cases = [EvalCase("sum-1", "2 + 3?", equals("5")), EvalCase("sum-2", "2 + 4?", equals("6"))]
    >>> evaluate(cases, model=lambda case: FakeModel(["5"]))
    <EvalReport: 1 of 2 passed, 1 failed>
    """
    asked = agent_of(agent, model, registry, counted=budget is not None or prices is not None)
    work = Evaluation(cases, asked, concurrency, budget, prices, save, secrets, progress, resume=resume)
    with work.going_on(), contextlib.closing(_Waiting()) as waiting:
        if concurrency == 1:
            work.one_by_one(waiting.wait_for)
        else:
            waiting.wait_for(work.together())
    return work.report()


async def aevaluate(
    cases: Iterable[EvalCase],
    agent: Callable[..., Any] | None = None,
    *,
    model: Callable[[EvalCase], Any] | None = None,
    registry: Any = None,
    concurrency: int = 1,
    budget: Budget | None = None,
    prices: PriceTable | None = None,
    save: str | Path | None = None,
    resume: bool = False,
    secrets: Iterable[str] = (),
    progress: Any = None,
) -> EvalReport:
    """Do what `evaluate` does, in the loop that runs: ``await aevaluate(...)``.

    Examples
    --------
    >>> from minagent_lab import FakeModelProvider
    >>> from minagent_lab.observe.matchers import contains
    >>> cases = [EvalCase("sum", "2 + 3?", contains("5"))]
    >>> import asyncio
    >>> asyncio.run(aevaluate(cases, model=lambda case: FakeModelProvider(["It is 5."])))
    <EvalReport: 1 of 1 passed>
    """
    asked = agent_of(agent, model, registry, counted=budget is not None or prices is not None)
    work = Evaluation(cases, asked, concurrency, budget, prices, save, secrets, progress, resume=resume)
    with work.going_on():
        await work.together()
    return work.report()


class _Waiting:
    """Waits for what is awaitable in a loop of its own, one for the whole evaluation, and begun when it is needed."""

    def __init__(self) -> None:
        self._loop: OwnLoop | None = None

    def wait_for(self, awaitable: Any) -> Any:
        self._loop = self._loop or own_loop()

        async def awaited() -> Any:
            return await awaitable

        return self._loop.wait_for(awaited)

    def close(self) -> None:
        if self._loop is not None:
            self._loop.close()

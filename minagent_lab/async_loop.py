"""arun: the loop, awaited. Many runs share one thread, a signal stops one of them, and tools may be async.

It drives the same generator as `run` does; only the answers are fetched in another way. A signal and a budget stop a
run between two of its steps or in the middle of a wait, and what it had reached by then is its result.
Source: the provider lesson (signal, budget, trace); the agent loop of the first document.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterator
from typing import Any, Protocol

from minagent_lab.abort import AbortSignal, abortable
from minagent_lab.checks import check_awaitable, check_reply, check_start, refuse_async_methods, refuse_plain_model
from minagent_lab.context import Run, current_run
from minagent_lab.errors import AbortError, BudgetExceeded
from minagent_lab.history import History
from minagent_lab.loop import AskModel, Loop, advance, agent_loop
from minagent_lab.messages import ModelResponse, ToolCall
from minagent_lab.model import ModelProvider, ModelRequest
from minagent_lab.record import Record, RunResult
from minagent_lab.results import ToolResult
from minagent_lab.tools import ToolRegistry


class Tracing(Protocol):
    """What a run tells its trace. After `run_started`, `run_ended` comes once, whatever happens."""

    def run_started(self, history: History, tools: list[dict[str, Any]], max_steps: int) -> None: ...  # noqa: D102
    def model_asked(self, request: ModelRequest) -> None: ...  # noqa: D102
    def model_answered(self, response: ModelResponse) -> None: ...  # noqa: D102
    def model_failed(self, error: BaseException) -> None: ...  # noqa: D102
    def tool_asked(self, call: ToolCall) -> None: ...  # noqa: D102
    def tool_answered(self, call: ToolCall, result: ToolResult) -> None: ...  # noqa: D102
    def run_ended(self, result: RunResult, error: BaseException | None) -> None: ...  # noqa: D102


class Limiting(Protocol):
    """What a run asks its budget. Where the next thing is not allowed, it raises `BudgetExceeded`."""

    def before_model(self) -> None: ...  # noqa: D102
    def after_model(self, response: ModelResponse) -> None: ...  # noqa: D102
    def before_tools(self, count: int) -> None: ...  # noqa: D102


async def arun(
    provider: ModelProvider,
    registry: ToolRegistry,
    prompt: str,
    *,
    system: str | None = None,
    max_steps: int = 10,
    signal: AbortSignal | None = None,
    budget: Limiting | None = None,
    trace: Tracing | None = None,
    parallel_tools: bool = False,
) -> RunResult:
    """Run an agent until the model answers without a tool call, or something stops it.

    Parameters
    ----------
    provider
        Anything with ``async complete(request, signal)``.
    registry, prompt, system, max_steps
        As for `run`. A tool may be async. One that is not holds up everything else while it works.
    signal
        Stops this run: the model or the tool that is at work, and what would come next. The result says
        ``"cancelled"``.
    budget
        A `Budget`. It is asked before each call of the model and before the tools of a turn. The result says
        ``"over_budget"``; what was paid for by then is in it.
    trace
        A `Trace`. It gets exactly one event of the end, also when the task is cancelled or something raises.
    parallel_tools
        Whether the calls of one turn work at the same time. Their results stand in the order of the calls anyway.

    Raises
    ------
    MaxStepsExceeded, ScriptExhausted, ProviderError
        As for `run`; whatever else the provider raises comes through as it is, too.
    asyncio.CancelledError
        The task was cancelled. Like every exception that ends a run, it carries the partial result: ``error.result``.

    Examples
    --------
    >>> from minagent_lab import FakeModelProvider
    >>> asyncio.run(arun(FakeModelProvider(["Hello."]), ToolRegistry(), "Hi")).final
    'Hello.'
    """
    check_start(provider, registry, prompt, system, max_steps)
    refuse_plain_model(provider)
    refuse_async_methods("budget", budget, Limiting)
    refuse_async_methods("trace", trace, Tracing)
    record, tools = Record(prompt, system), registry.schemas()
    first = ModelRequest(record.now, tools)
    driver = _Driver(provider, registry, record, first, signal, budget, trace, parallel=parallel_tools)
    with _going_on(trace):
        if trace is not None:
            trace.run_started(record.now, tools, max_steps)
        try:
            result = await driver.drive(agent_loop(record, tools, max_steps))
        except (AbortError, BudgetExceeded) as stop:
            status = "cancelled" if isinstance(stop, AbortError) else "over_budget"
            result = record.result(status, stopped_by=stop)
        except BaseException as error:
            result = record.attach_to(error)
            if trace is not None:
                trace.run_ended(result, error)
            raise
        if trace is not None:
            trace.run_ended(result, None)
    return result


@contextlib.contextmanager
def _going_on(trace: Tracing | None) -> Iterator[Run]:
    run = Run(trace)
    token = current_run.set(run)
    try:
        yield run
    finally:
        run.over = True
        with contextlib.suppress(ValueError):  # a coroutine that is thrown away ends in a context that is not its own
            current_run.reset(token)


class _Driver:
    """Fetches the answers that one run waits for."""

    def __init__(
        self,
        provider: ModelProvider,
        registry: ToolRegistry,
        record: Record,
        request: ModelRequest,
        signal: AbortSignal | None,
        budget: Limiting | None,
        trace: Tracing | None,
        *,
        parallel: bool,
    ) -> None:
        self._provider, self._registry, self._record = provider, registry, record
        self._signal, self._budget, self._trace, self._parallel = signal, budget, trace, parallel
        self._request = request
        self._tasks: dict[str, asyncio.Task[ToolResult]] = {}
        self._turn_begins = False

    async def drive(self, loop: Loop) -> RunResult:
        """Send the loop what it asks for, until it has a result."""
        try:
            note = advance(loop)
            while not isinstance(note, RunResult):
                note = advance(loop, await (self._ask(note) if isinstance(note, AskModel) else self._use(note.call)))
        except GeneratorExit:  # thrown away: nobody is left to wait
            self._cancel()
            raise
        except BaseException:
            await self._put_away()
            raise
        return note

    # ---- the model

    async def _ask(self, note: AskModel) -> ModelResponse:
        self._stop_if_told()
        if self._budget is not None:
            self._budget.before_model()
        self._request = request = self._request.later(note.messages)
        if self._trace is not None:
            self._trace.model_asked(request)
        try:
            waiting = self._provider.complete(request, self._signal)
            check_awaitable(self._provider, waiting)
            reply = await waiting
            check_reply(self._provider, reply, ModelResponse)
        except BaseException as error:
            if self._trace is not None:
                self._trace.model_failed(error)
            raise
        if self._trace is not None:
            self._trace.model_answered(reply)
        if self._budget is not None:
            self._budget.after_model(reply)
        self._turn_begins = True
        return reply

    # ---- the tools

    async def _use(self, call: ToolCall) -> ToolResult:
        if self._turn_begins:
            self._begin_turn()
        self._stop_if_told()
        if call.id not in self._tasks:
            return await self._work(call)
        result = await self._tasks[call.id]
        del self._tasks[call.id]
        return result

    def _begin_turn(self) -> None:
        """Ask whether the tools of this turn may work at all; let them begin together where that is wanted."""
        self._turn_begins = False
        self._stop_if_told()
        calls = self._record.waiting()
        if self._budget is not None:
            self._budget.before_tools(len(calls))
        if self._parallel and len(calls) > 1:
            self._tasks = {call.id: asyncio.ensure_future(self._work(call)) for call in calls}

    async def _work(self, call: ToolCall) -> ToolResult:
        self._record.running.add(call.id)
        if self._trace is not None:
            self._trace.tool_asked(call)
        result = await abortable(_used(self._registry, call), self._signal)
        if self._trace is not None:
            self._trace.tool_answered(call, result)
        return result

    # ---- stopping

    def _stop_if_told(self) -> None:
        if self._signal is not None:
            self._signal.throw_if_aborted()

    def _cancel(self) -> None:
        for task in self._tasks.values():
            task.cancel()

    async def _put_away(self) -> None:
        """Let no tool work on when the run is over, and keep what had finished by then."""
        if not self._tasks:
            return
        self._cancel()
        await asyncio.gather(*self._tasks.values(), return_exceptions=True)
        for call in self._record.waiting():
            task = self._tasks[call.id]
            if task.cancelled() or task.exception():
                self._record.give_up(call)
            else:
                self._record.answer(call, task.result())


async def _used(registry: ToolRegistry, call: ToolCall) -> ToolResult:
    if hasattr(registry, "ause"):
        return await registry.ause(call.name, call.arguments)
    return registry.use(call.name, call.arguments)  # a registry of somebody's own, without async tools

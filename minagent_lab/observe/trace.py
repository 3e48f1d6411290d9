"""Trace: what a run did, event by event, as lines of JSON.

An event is written when it happens, as one whole line, so that a process that is killed leaves a file that can be read.
Of the history, each event holds only what is new, so the file grows with the run and not with its square. Secrets are
taken out on the way, and what is kept in memory is what the file has. A trace never ends a run: what keeps it from
writing is put down in `problems`.
Source: the provider lesson (final states, usage and attempts belong in the trace).
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterable
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, Any

from minagent_lab.context import retry_layers
from minagent_lab.history import History
from minagent_lab.messages import ModelResponse, ToolCall
from minagent_lab.model import ModelRequest
from minagent_lab.observe import semconv as names
from minagent_lab.observe.lines import Lines
from minagent_lab.observe.reading import THIS_FORMAT
from minagent_lab.record import RunResult
from minagent_lab.results import ToolResult, exception_text
from minagent_lab.values import copy_json

if TYPE_CHECKING:
    from minagent_lab.observe.spans import Span

Watcher = Callable[[dict[str, Any]], None]


class _Run:
    """One run that is being written down."""

    def __init__(self, trace: Trace, id: str, parent: _Run | None) -> None:
        self.trace, self.id, self.parent = trace, id, parent
        self.over = False
        self.calls = 0
        self.written = History()
        self.tools: list[dict[str, Any]] = []


_going_on: ContextVar[_Run | None] = ContextVar("the run that is written down", default=None)


class Trace:
    """What runs did, as events in order. Pass it to ``arun(..., trace=...)``; several runs may share one.

    Parameters
    ----------
    path
        Where to write, a ``.jsonl`` file. Runs are added at its end, by one `Trace` at a time. Without a path the
        events are kept in memory only.
    clock
        Tells the time in seconds. A `TickingClock` makes it the same every time.
    secrets
        Keys in use; see ``fixtures.redact``. They are taken out of the events, as is what has the shape of a key.
    model
        Which model is asked for, if that is known; it is written as ``gen_ai.request.model``.

    Attributes
    ----------
    problems : list of str
        What kept the trace from writing, or a watcher from watching.

    Examples
    --------
    >>> import asyncio
    >>> from minagent_lab import FakeModelProvider, ToolRegistry, arun
    >>> from minagent_lab.observe.clock import TickingClock
    >>> trace = Trace(clock=TickingClock())
    >>> _ = asyncio.run(arun(FakeModelProvider(["Hello."]), ToolRegistry(), "Hi", trace=trace))
    >>> trace
    <Trace: 1 run, 4 events>
    >>> [(event["time"], event["event"]) for event in trace.events]
    [(0.0, 'run_started'), (1.0, 'model_asked'), (2.0, 'model_answered'), (3.0, 'run_ended')]
    >>> trace.events[-1]["minagent.status"]
    'completed'
    """

    def __init__(
        self,
        path: str | Path | None = None,
        *,
        clock: Callable[[], float] = time.time,
        secrets: Iterable[str] = (),
        model: str = "",
    ) -> None:
        if not callable(clock):
            raise TypeError(f"clock is {clock!r:.80}; pass a function that tells seconds, such as TickingClock()")
        self._lines = Lines(path, secrets)
        self._clock, self._model = clock, model
        self._runs = self._lines.runs  # those that stood in the file are counted too
        self._open: list[_Run] = []
        self._watchers: list[Watcher] = []
        self._lock = threading.RLock()
        self.problems: list[str] = []

    # ---- what a run tells

    def run_started(self, history: History, tools: list[dict[str, Any]], max_steps: int) -> None:
        """Begin a run."""
        with self._lock:
            self._runs += 1
            run = _Run(self, f"run-{self._runs}", _going_on.get())
            self._open.append(run)
        _going_on.set(run)
        run.written, run.tools = history.snapshot(), copy_json(tools)
        self._write(run, "run_started", {
            names.OPERATION: names.INVOKE_AGENT, names.FORMAT: THIS_FORMAT, "schema_url": names.SCHEMA_URL,
            names.MAX_STEPS: max_steps,
            names.INPUT_MESSAGES: [names.message_data(message) for message in history],
            names.TOOL_DEFINITIONS: names.tool_definitions(tools),
        })  # fmt: skip

    def model_asked(self, request: ModelRequest) -> None:
        """Write down a request: of its messages, those that no request before it had; its tools where they changed."""
        if run := self._run():
            run.calls += 1
            history, tools = History(request.messages), list(request.tools)
            kept = history.shared_with(run.written)
            data = {names.KEPT: kept, names.INPUT_MESSAGES: [names.message_data(new) for new in history[kept:]]}
            if tools != run.tools:
                data[names.TOOL_DEFINITIONS] = names.tool_definitions(tools)
            run.written, run.tools = history, tools
            self._chat(run, "model_asked", data)

    def model_answered(self, response: ModelResponse) -> None:
        """Write down a response."""
        if run := self._run():
            self._chat(run, "model_answered", names.response_data(response))

    def model_failed(self, error: BaseException) -> None:
        """Write down that there is no response, and why."""
        if run := self._run():
            self._chat(run, "model_failed", names.error_data(error))

    def attempt_started(self, number: int, attempts: int) -> None:
        """Write down that a request is sent once more: attempt `number` of at most `attempts`."""
        if run := self._run():
            self._chat(run, "attempt_started", _which_attempt(number, attempts))

    def attempt_failed(self, number: int, attempts: int, error: BaseException, wait: float | None) -> None:
        """Write down that an attempt failed, and how long to wait before the next; ``None`` where there is none."""
        if run := self._run():
            next_one = {} if wait is None else {names.WAIT: wait}
            self._chat(run, "attempt_failed",
                       {**_which_attempt(number, attempts), **next_one, **names.error_data(error)})  # fmt: skip

    def tool_asked(self, call: ToolCall) -> None:
        """Write down that a tool begins to work."""
        if run := self._run():
            self._tool(run, "tool_asked", call, {names.CALL_ARGUMENTS: call.arguments})

    def tool_answered(self, call: ToolCall, result: ToolResult) -> None:
        """Write down what came of a call; which kind of error, if it was one."""
        if run := self._run():
            kind = {} if result.error is None else {names.ERROR_TYPE: result.error}
            self._tool(run, "tool_answered", call, {names.CALL_RESULT: result.content, **kind})

    def run_ended(self, result: RunResult, error: BaseException | None) -> None:
        """End the run. Whatever is told of it later is not written down any more."""
        history = History(result.messages)
        if run := self._run_of(history):
            kept = history.shared_with(run.written)
            self._write(run, "run_ended", {
                names.OPERATION: names.INVOKE_AGENT, names.STATUS: result.status,
                names.KEPT: kept, names.REST: [names.message_data(new) for new in history[kept:]],
                **names.usage_data(result.usage), **names.error_data(error or result.stopped_by),
            }, last=True)  # fmt: skip
            if _going_on.get() is run:
                _going_on.set(run.parent)

    # ---- what it has

    @property
    def events(self) -> list[dict[str, Any]]:
        """The events, as the file has them. Each look is a copy."""
        return [json.loads(line) for line in list(self._lines.written)]

    def spans(self) -> list[Span]:
        """Return what took time, from when to when: runs, calls of the model, attempts, tools; in order of start."""
        from minagent_lab.observe.spans import spans_of  # here, since that one reads what this one writes

        return spans_of(self)

    def watch(self, happened: Watcher) -> Callable[[], None]:
        """Have `happened` called with each event once it is written; return the function that ends this."""
        self._watchers.append(happened)
        return lambda: self._watchers.remove(happened) if happened in self._watchers else None

    def __repr__(self) -> str:
        runs, events = self._runs - self._lines.runs, len(self._lines.written)
        counts = f"{runs} run{'s' * (runs != 1)}, {events} event{'s' * (events != 1)}"
        many = len(self.problems)
        problems = f", {many} problem{'s' * (many != 1)}" if many else ""
        return f"<Trace{f' {self._lines.path.name}' if self._lines.path else ''}: {counts}{problems}>"

    # ---- writing

    def _run(self) -> _Run | None:
        """Return the run that is meant: the one that goes on where this is called from."""
        run = _going_on.get()
        while run is not None and run.trace is not self:
            run = run.parent
        if run is None and len(self._open) == 1:  # told from another thread, or by hand
            run = self._open[0]
        return None if run is None or run.over else run

    def _run_of(self, history: History) -> _Run | None:
        """Return the run with this history; a coroutine that is thrown away ends wherever somebody finds it."""
        grown = [run for run in self._open if history.grew_from(run.written)]
        return grown[0] if len(grown) == 1 else self._run()

    def _chat(self, run: _Run, event: str, data: dict[str, Any]) -> None:
        asked = {names.REQUEST_MODEL: self._model} if self._model else {}
        self._write(run, event, {names.OPERATION: names.CHAT, names.CALL: run.calls, **asked, **data})

    def _tool(self, run: _Run, event: str, call: ToolCall, data: dict[str, Any]) -> None:
        which = {names.CALL: run.calls, names.TOOL_NAME: call.name, names.TOOL_TYPE: "function", names.CALL_ID: call.id}
        self._write(run, event, {names.OPERATION: names.EXECUTE_TOOL, **which, **data})

    def _write(self, run: _Run, event: str, data: dict[str, Any], *, last: bool = False) -> None:
        with self._lock:
            if run.over:
                return
            if last:
                run.over = True
                self._open.remove(run)
            head = {"event": event, "run": run.id, "time": round(float(self._clock()), 6)}
            line = self._lines.add(head, data)
            if self._lines.broken and self._lines.broken not in self.problems:
                self.problems.append(self._lines.broken)
        for happened in list(self._watchers):
            self._tell(happened, line)

    def _tell(self, happened: Watcher, line: str) -> None:
        try:
            happened(json.loads(line))
        except Exception as error:
            self.problems.append(f"a watcher stopped watching: {exception_text(error)}")
            if happened in self._watchers:
                self._watchers.remove(happened)


def _which_attempt(number: int, attempts: int) -> dict[str, int]:
    """Return which attempt it is, and of which layer where one that retries stands round another."""
    layer = retry_layers.get() + 1
    return {names.ATTEMPT: number, names.ATTEMPTS: attempts, **({names.LAYER: layer} if layer > 1 else {})}

"""Opening a run that is over: from its trace back to a stepper, without asking anybody.

The same loop is driven again. A model that plays the recorded answers, and raises what was recorded as raised, stands
in for the real one, and a registry that gives back the recorded results stands in for the tools. So what is shown
follows from the loop, as it did then, and not from a second account of what a loop does.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from minagent_lab.errors import ForkError, TraceError
from minagent_lab.messages import Message, ModelResponse
from minagent_lab.observe.reading import read_trace
from minagent_lab.observe.trace import Trace
from minagent_lab.record import RunResult
from minagent_lab.results import ToolResult
from minagent_lab.stepping.recorded import Event, Recorded
from minagent_lab.stepping.stepper import Stepper
from minagent_lab.stepping.told import events_of_fixture, events_of_result
from minagent_lab.values import a_kind


def open_run(source: Trace | RunResult | str | Path | Sequence[Event], run: str | None = None) -> Stepper:
    """Return a recorded run as a stepper, in which every call can be shown.

    Parameters
    ----------
    source
        A `Trace`, a `RunResult`, the path of a trace (``.jsonl``) or of a recording (``.json``), or what `read_trace`
        gives. A result tells less than a trace: neither the tools on offer nor the usage of each call; and neither a
        result nor a recording tells how many calls were allowed.
    run
        Which run, such as ``"run-2"``; the last one where it is left out.

    Returns
    -------
    Stepper
        At its start, with all turns recorded: ``.goto(3)`` shows call 3. Where a trace ends before its run, the last
        turn ends in a `TraceError`.

    Raises
    ------
    TraceError
        The trace does not hold that run, or not in a way that it can be played.

    Examples
    --------
    >>> import asyncio
    >>> from minagent_lab import FakeModelProvider, ToolRegistry, arun
    >>> trace = Trace()
    >>> _ = asyncio.run(arun(FakeModelProvider(["Hello."]), ToolRegistry(), "Hi", trace=trace))
    >>> walk = open_run(trace)
    >>> walk.turns
    (<Turn 1: 1 messages → finish, completed>,)
    >>> walk.goto(1), walk.forward()
    (True, False)
    """
    events, name = _events_of(source)
    recorded = Recorded(_of_one_run(events, run, name), name)
    stepper = Stepper(
        _RecordedModel(recorded),
        _RecordedTools(recorded),  # type: ignore[arg-type]  # what a stepper needs of a registry, and no more
        recorded.prompt,
        system=recorded.system,
        max_steps=recorded.max_steps,
    )
    recorded.stepper, stepper.unknown = stepper, recorded.unknown
    stepper.run_to_end()
    recorded.played = True
    stepper.goto(0)
    return stepper


def _events_of(source: Any) -> tuple[list[Event], str]:
    """Return the events, and what to call them in an error."""
    if isinstance(source, Trace):
        return list(source.events), "the trace"
    if isinstance(source, RunResult):
        return list(events_of_result(source)), "the result"
    if isinstance(source, (str, Path)):
        path = Path(source)
        return (list(events_of_fixture(path)) if path.suffix == ".json" else list(read_trace(path))), path.name
    if isinstance(source, (list, tuple)) and all(isinstance(event, Mapping) for event in source):
        return list(source), "the trace"
    raise TypeError(
        f"source is {a_kind(source)}; pass a Trace, a RunResult, the path of a .jsonl or .json file, or events"
    )


def _of_one_run(events: Iterable[Event], run: str | None, name: str) -> list[Event]:
    by_run: dict[Any, list[Event]] = {}
    for event in events:
        by_run.setdefault(event.get("run"), []).append(event)
    if run is None and by_run:
        run = list(by_run)[-1]
    if run not in by_run:
        raise TraceError(name, f"there is no run {run!r}; there is {', '.join(map(str, by_run)) or 'none'}")
    return by_run[run]


class _RecordedModel:
    """A model that plays what was recorded."""

    def __init__(self, recorded: Recorded) -> None:
        self._recorded = recorded
        self.name = recorded.model_name or "recorded"

    def complete(self, messages: Sequence[Message], tools: list[dict[str, Any]]) -> ModelResponse:  # noqa: ARG002
        """Play the next answer. A branch of the run asks for more, and there is nobody to answer it."""
        if self._recorded.played:
            nobody = "nothing is recorded of this branch, and a run that was opened has no model to ask"
            raise ForkError(f"{nobody}; step(model, registry, ...) the model itself, and fork that run")
        return self._recorded.next_answer()

    def __repr__(self) -> str:
        return f"<RecordedModel {self.name}: {len(self._recorded.answers)} recorded>"


class _RecordedTools:
    """A registry that gives back what was recorded."""

    def __init__(self, recorded: Recorded) -> None:
        self._recorded = recorded

    def schemas(self) -> list[dict[str, Any]]:
        """Return the tools that were on offer."""
        return self._recorded.tools

    def use(self, name: str, arguments: dict[str, Any]) -> ToolResult:  # noqa: ARG002
        """Give back the next result; no tool is run."""
        return self._recorded.next_result()

    def __repr__(self) -> str:
        return f"<RecordedTools: {', '.join(str(tool.get('name', '?')) for tool in self._recorded.tools)}>"

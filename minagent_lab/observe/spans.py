"""Spans: from events, which are moments, to what took time. Durations are nowhere written down; they follow."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from minagent_lab.observe import semconv as names

STOPPED = "stopped"  # how ended what was at work when its run ended
CANCELLED = ("cancelled", "AbortError", "CancelledError", "KeyboardInterrupt")  # ends that somebody wanted


class Span:
    """Something that took time.

    Attributes
    ----------
    kind : str
        ``"run"``, ``"model"`` (a call of the model), ``"attempt"`` (one of its requests), ``"tool"``.
    name : str
        Who: the run, the model, the tool; for an attempt, which of how many.
    run : str
        Which run it is part of.
    call : int
        Which call of the model it belongs to, from 1; 0 for the run itself.
    start, end : float
        In seconds, by the clock of the trace. `end` is ``None`` while it goes on, or where the trace ends before.
    layer : int
        Of an attempt: how many layers that retry stand round it, its own included; 0 for anything else.
    outcome : str
        How it ended, in one word: the status of a run, the stop reason of a call, the type of an error; ``""`` while it
        goes on, and for a tool that answered.
    error : bool
        Whether it ended in an error.
    cancelled : bool
        Whether it ended because somebody wanted it to: a signal was given, or a task was cancelled. That is no error.
    usage : dict
        The tokens that are known: of a call, or of the whole run.
    """

    __slots__ = (
        *("call", "cancelled", "end", "error", "id", "kind", "layer", "name", "outcome", "run", "start", "usage"),
    )

    def __init__(self, kind: str, name: str, event: Mapping[str, Any]) -> None:
        self.kind, self.name = kind, name
        self.run: str = event["run"]
        self.call: int = event.get(names.CALL, 0)
        self.id: str = event.get(names.CALL_ID, "")
        self.start: float = event["time"]
        self.end: float | None = None
        self.layer: int = event.get(names.LAYER, 1) if kind == "attempt" else 0
        self.outcome, self.error, self.cancelled = "", False, False
        self.usage: dict[str, Any] = {}

    @property
    def duration(self) -> float | None:
        """How long it took, in seconds; never below zero, also where the clock was set back meanwhile."""
        return None if self.end is None else round(max(self.end - self.start, 0.0), 6)

    @property
    def model(self) -> str:
        """Which model answered; ``""`` when unknown."""
        return self.name if self.kind == "model" else ""

    @property
    def answered(self) -> bool:
        """Whether it came to its end by itself, and not by an error."""
        return self.end is not None and not self.error and not self.cancelled

    def __repr__(self) -> str:
        took = "going on" if self.end is None else f"{self.start:g} to {self.end:g} s"
        return (
            f"<Span {' '.join(filter(None, [self.kind, self.name]))}: {', '.join(filter(None, [took, self.outcome]))}>"
        )


class SpanReader:
    """Makes spans of events as they come.

    Attributes
    ----------
    spans : list of Span
        In order of start.
    """

    def __init__(self) -> None:
        self.spans: list[Span] = []
        self._open: dict[tuple[Any, ...], Span] = {}

    def add(self, event: Mapping[str, Any]) -> None:
        """Take one more event into account. One of an unknown kind changes nothing."""
        if event["event"] in names.EVENTS:
            getattr(self, f"_{event['event']}")(event, event["run"])

    def _begin(self, key: tuple[Any, ...], span: Span) -> None:
        self.spans.append(span)
        self._open[key] = span

    def _end(self, key: tuple[Any, ...], event: Mapping[str, Any], outcome: str, *, error: bool = False) -> Span | None:
        span = self._open.pop(key, None)
        if span is not None:
            span.end, span.outcome = event["time"], outcome
            span.cancelled = outcome in CANCELLED or (outcome == STOPPED and event.get(names.STATUS) == "cancelled")
            span.error = error and not span.cancelled
        return span

    def _run_started(self, event: Mapping[str, Any], run: str) -> None:
        self._begin((run,), Span("run", run, event))

    def _model_asked(self, event: Mapping[str, Any], run: str) -> None:
        self._begin((run, "model"), Span("model", event.get(names.REQUEST_MODEL, ""), event))

    def _model_answered(self, event: Mapping[str, Any], run: str) -> None:
        outcome = ", ".join(map(str, event.get(names.FINISH_REASONS, ())))
        self._end_attempts(run, event, outcome)
        if span := self._end((run, "model"), event, outcome):
            span.name, span.usage = event.get(names.RESPONSE_MODEL, span.name), names.usage_of(event)

    def _model_failed(self, event: Mapping[str, Any], run: str) -> None:
        self._end_attempts(run, event, event.get(names.ERROR_TYPE, ""), error=True)
        self._end((run, "model"), event, event.get(names.ERROR_TYPE, ""), error=True)

    def _attempt_started(self, event: Mapping[str, Any], run: str) -> None:
        span = Span("attempt", _which(event), event)
        self._begin((run, "attempt", span.layer), span)

    def _attempt_failed(self, event: Mapping[str, Any], run: str) -> None:
        first = Span("attempt", _which(event), event)
        key = (run, "attempt", first.layer)
        outer = self._around(run, first.layer)
        if key not in self._open and outer is not None:  # the first one began when what is round it began
            first.start = outer.start
            self.spans.insert(self.spans.index(outer) + 1, first)
            self._open[key] = first
        self._end(key, event, event.get(names.ERROR_TYPE, ""), error=True)

    def _around(self, run: str, layer: int) -> Span | None:
        """Return what is open round an attempt of a layer: one of an outer layer, else the call of the model."""
        outer = [key for key in self._open if key[:2] == (run, "attempt") and key[2] < layer]
        return self._open[max(outer)] if outer else self._open.get((run, "model"))

    def _end_attempts(self, run: str, event: Mapping[str, Any], outcome: str, *, error: bool = False) -> None:
        for key in [key for key in self._open if key[:2] == (run, "attempt")]:
            self._end(key, event, outcome, error=error)

    def _tool_asked(self, event: Mapping[str, Any], run: str) -> None:
        key = (run, "tool", event.get(names.CALL), event.get(names.CALL_ID))
        self._begin(key, Span("tool", event.get(names.TOOL_NAME, ""), event))

    def _tool_answered(self, event: Mapping[str, Any], run: str) -> None:
        key = (run, "tool", event.get(names.CALL), event.get(names.CALL_ID))
        failed = event.get(names.ERROR_TYPE)
        self._end(key, event, failed or "", error=failed is not None)

    def _run_ended(self, event: Mapping[str, Any], run: str) -> None:
        status = event.get(names.STATUS, "")
        for key in [key for key in self._open if key[0] == run and len(key) > 1]:
            self._end(key, event, STOPPED, error=True)
        if span := self._end((run,), event, status, error=status not in ("completed", "truncated")):
            span.usage = names.usage_of(event)


def spans_of(trace: Any) -> list[Span]:
    """Return the spans of a trace, or of the events of one.

    Examples
    --------
    >>> spans_of([{"event": "run_started", "run": "run-1", "time": 2.0}])
    [<Span run run-1: going on>]
    """
    events: Iterable[Mapping[str, Any]] = getattr(trace, "events", trace)
    reader = SpanReader()
    for event in events:
        reader.add(event)
    return reader.spans


def _which(event: Mapping[str, Any]) -> str:
    return f"{event.get(names.ATTEMPT, '?')} of {event.get(names.ATTEMPTS, '?')}"

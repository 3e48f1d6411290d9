"""Reading a trace back: whole lines only, and what is wrong with one is said with its number."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from minagent_lab.errors import TraceError
from minagent_lab.observe.semconv import FORMAT, KINDS
from minagent_lab.values import parse_json

THIS_FORMAT = 1
BOM = b"\xef\xbb\xbf"


def read_trace(path: str | Path) -> list[dict[str, Any]]:
    """Return the events of a trace file, in order.

    A last line without its end is what a process leaves that was killed while it wrote. It is left out; all others are
    read.

    Raises
    ------
    TraceError
        A line is no event. The text names file and line.

    Examples
    --------
    >>> import tempfile
    >>> from minagent_lab.observe.trace import Trace
    >>> from minagent_lab.history import History
    >>> from minagent_lab.messages import Message
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     trace = Trace(f"{folder}/run.jsonl", clock=lambda: 0.0)
    ...     trace.run_started(History([Message("user", "Hi")]), [], max_steps=10)
    ...     [event["event"] for event in read_trace(f"{folder}/run.jsonl")]
    ['run_started']
    """
    path = Path(path)
    return list(events_in(path.read_bytes(), path.name))


def events_in(data: bytes, name: str) -> Iterator[dict[str, Any]]:
    """Yield the events in the bytes of a file."""
    *whole, half = data.removeprefix(BOM).split(b"\n")  # not splitlines: U+2028 is a character like any other
    for number, line in enumerate(whole, 1):
        if line.strip():
            yield _event(line, f"{name}, line {number}")
    try:
        event = _event(half, name)  # an editor may have taken the last line's end away
    except TraceError:
        return
    yield event


def _event(line: bytes, place: str) -> dict[str, Any]:
    try:
        event = parse_json(line.decode("utf-8"))
    except UnicodeDecodeError:
        raise TraceError(place, "this is not UTF-8; a trace is written by Trace(path)") from None
    except (ValueError, TypeError, RecursionError) as problem:
        raise TraceError(place, f"this is no event: {problem}") from None
    if not isinstance(event, dict):
        raise TraceError(place, "this is no event; each line is one JSON object")
    known = {key: kind for key, kind in KINDS.items() if key in event}
    for key, kind in {"event": str, "run": str, "time": (int, float), **known}.items():
        if not isinstance(event.get(key), kind) or isinstance(event[key], bool):
            raise TraceError(place, f'this is no event: its "{key}" is {event.get(key)!r:.80}')
    if event.get(FORMAT, THIS_FORMAT) != THIS_FORMAT:
        raise TraceError(
            place, f"this is a trace of format {event[FORMAT]!r:.80}, and here only {THIS_FORMAT} is known"
        )
    return event

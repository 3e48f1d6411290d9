"""The way of an answer: waits between its events, the sizes of its pieces, and what goes wrong with its bytes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from minagent_lab.mockgpt.outputs import Options

Way = Iterator["bytes | float"]  # pieces of a body, and seconds to wait
_KEEP_ALIVE = {
    "comment": b": OPENROUTER PROCESSING\n\n",
    "id": b": ping\n\n",
    "retry": b"retry: 3000\n\n",
    "empty": b"data:\n\n",
    "ping": b"event: ping\ndata: {}\n\n",
}


class Broken(Exception):
    """The connection breaks here."""


def named_event(name: str, data: str) -> bytes:
    """Return an event with its name."""
    return f"event: {name}\ndata: {data}\n\n".encode()


def with_faults(events: Iterable[bytes], faults: dict[str, object], failure: bytes) -> Iterator[bytes]:
    """Yield events with what goes wrong with them.

    Parameters
    ----------
    events
        Each with its empty line at the end.
    faults
        Those of ``faults.FAULTS`` that are of this kind; others are none of its business.
    failure
        The event in which the service says that it failed.
    """
    end = faults.get("fail_after")
    for number, event in enumerate(_without_last(events) if faults.get("no_done") else events, 1):
        if end is not None and number > end:  # type: ignore[operator]
            break
        if number > 1 and (kind := faults.get("keep_alive")):
            yield _lines(_KEEP_ALIVE[str(kind)], faults.get("lines"))
        spoiled = half(event.rstrip(b"\n")) + b"\n\n" if faults.get("malformed") == number else event
        if faults.get("keep_alive") == "id":
            spoiled = b"id: %d\n" % number + spoiled
        yield _lines(spoiled, faults.get("lines"))
    if end is not None:
        yield _lines(failure, faults.get("lines"))


def _without_last(events: Iterable[bytes]) -> Iterator[bytes]:
    held = None
    for event in events:
        if held is not None:
            yield held
        held = event


def half(text: bytes) -> bytes:
    """Return the first half of some UTF-8, cut between two characters."""
    end = len(text) // 2
    while end and text[end] & 0xC0 == 0x80:
        end -= 1
    return text[:end]


def _lines(event: bytes, kind: object) -> bytes:
    if kind == "crlf":
        return event.replace(b"\n", b"\r\n")
    if kind == "cr":
        return event.replace(b"\n", b"\r")
    if kind == "no_blank":
        return event.replace(b"data: ", b"data:", 1).replace(b"event: ", b"event:", 1)
    return event.replace(b"data: {", b"data: {\ndata: ", 1) if kind == "two" else event


def on_its_way(events: Iterable[bytes], options: Options, cut_after: int | None) -> Way:
    """Yield a body in pieces of bytes, with waits between events, up to where the connection breaks.

    Raises
    ------
    Broken
        After `cut_after` bytes.
    """
    way = _timed(events, (options.interval_ms or 0) / 1000)
    if options.wire_chunk_size:
        way = _in_sizes(way, options.wire_chunk_size)
    return way if cut_after is None else _until_broken(way, cut_after)


def _timed(events: Iterable[bytes], wait: float) -> Way:
    if not wait:
        yield from events
        return
    for number, event in enumerate(events):
        if number:
            yield wait
        yield event


def _in_sizes(way: Way, size: int) -> Way:
    held = b""
    for part in way:
        if isinstance(part, float):
            if held:
                yield held  # what is there is sent before a wait
            held = b""
            yield part
            continue
        held += part
        whole = len(held) - len(held) % size
        yield from (held[start : start + size] for start in range(0, whole, size))
        held = held[whole:]
    if held:
        yield held


def _until_broken(way: Way, room: int) -> Way:
    for part in way:
        if isinstance(part, float):
            yield part
            continue
        if part[:room]:
            yield part[:room]
        room -= len(part)
        if room <= 0:
            raise Broken
    raise Broken  # also when there was less

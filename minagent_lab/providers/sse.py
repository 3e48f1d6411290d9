r"""Server-sent events: the bytes of a stream, cut anywhere, as the events that they spell.

The rules are those of the HTML standard: UTF-8 always; a line ends with LF, CR or CRLF and with nothing else, so that
U+2028 in an answer ends no line; an empty line ends an event; comments and events without data say nothing. The reader
does no I/O: it is fed pieces and gives back events, so one reader serves every client, and a test can cut where it
likes.
"""

from __future__ import annotations

import re
from typing import NamedTuple

_END = re.compile(rb"\r\n|\r|\n")
_MARK = b"\xef\xbb\xbf"  # a byte order mark, which may stand before the first line


class Event(NamedTuple):
    """One event: its name, ``""`` where it has none, and its data."""

    name: str
    data: str


class EventReader:
    r"""Reads events from pieces of bytes.

    Examples
    --------
    >>> reader = EventReader()
    >>> reader.feed(": ping\n\ndata: 你好\n".encode()), reader.feed(b"\n")
    ([], [Event(name='', data='你好')])
    """

    def __init__(self) -> None:
        self._line = bytearray()  # as far as it has come
        self._after_return = False  # an LF now would belong to the CR before
        self._first = True
        self._name = ""
        self._data: list[str] = []

    @property
    def waiting(self) -> bool:
        """Whether something has come that is no whole event yet."""
        return bool(self._line or self._data or self._name)

    def feed(self, piece: bytes) -> list[Event]:
        """Take the next bytes; return the events that are whole now. What ends without an empty line is none."""
        if not piece:
            return []
        rest = piece[1:] if self._after_return and piece.startswith(b"\n") else piece
        self._after_return = piece.endswith(b"\r")
        self._line += rest
        if not _END.search(rest):
            return []
        *lines, line = _END.split(bytes(self._line))
        self._line = bytearray(line)
        return [event for line in lines if (event := self._take(line)) is not None]

    def _take(self, line: bytes) -> Event | None:
        if self._first:
            line, self._first = line.removeprefix(_MARK), False
        if not line:
            event = Event(self._name, "\n".join(self._data))
            self._name, self._data = "", []
            return event if event.data else None
        field, _, value = line.decode("utf-8", "replace").partition(":")
        if field == "data":
            self._data.append(value.removeprefix(" "))
        elif field == "event":
            self._name = value.removeprefix(" ")
        return None

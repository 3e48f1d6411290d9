"""What is printed while a step is made: it goes where it always goes, and is kept beside the step as well.

A press of a button has no cell under which a tool's ``print`` could appear, so a view shows what was kept.
"""

from __future__ import annotations

import contextlib
import sys
import threading
from collections.abc import Iterator
from typing import Any

MOST = 10_000  # characters that are kept of each tool's output


class Printed:
    r"""Hears what one thread prints.

    Attributes
    ----------
    heard : list of tuple of (str, str)
        Who printed (the id of a tool call; ``""`` for the model) and what, in order.

    Examples
    --------
    >>> printed = Printed()
    >>> with printed.by("c1"):
    ...     print("looking")
    looking
    >>> printed.heard
    [('c1', 'looking\n')]
    """

    def __init__(self) -> None:
        self.heard: list[tuple[str, str]] = []

    @contextlib.contextmanager
    def by(self, who: str) -> Iterator[None]:
        """Keep what is printed inside, under this name."""
        both = _Both(sys.stdout)
        try:
            with contextlib.redirect_stdout(both):
                yield
        finally:
            if text := both.kept():
                self.heard.append((who, text))


class _Both:
    """A stream that hands on all that is written, and keeps what its own thread writes."""

    def __init__(self, stream: Any) -> None:
        self._stream, self._thread = stream, threading.get_ident()
        self._parts: list[str] = []
        self._left = MOST

    def write(self, text: str) -> int:
        if threading.get_ident() == self._thread:
            self._parts.append(text[: max(self._left, 0)])
            self._left -= len(text)
        return int(self._stream.write(text) or 0) if self._stream is not None else len(text)

    def kept(self) -> str:
        left_out = f"… ({-self._left:,} characters more)" if self._left < 0 else ""
        return "".join(self._parts) + left_out

    def __getattr__(self, name: str) -> Any:  # flush, encoding, isatty, ...
        return getattr(self._stream, name)

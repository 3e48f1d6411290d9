"""Asserts with a reason that teaches: what was asked for, what came."""

from __future__ import annotations

import inspect
from typing import Any

from minagent_lab.values import a_kind

LONGEST = 120  # characters of a value in a reason


def expect(got: Any, wanted: Any, what: str) -> None:
    """Assert that `got` equals `wanted`; the reason names both.

    Examples
    --------
    >>> expect([1], [1, 3], "for turns [1]")
    Traceback (most recent call last):
    ...
    AssertionError: for turns [1] expected [1, 3], got [1]
    """
    if not _same(got, wanted):
        raise AssertionError(f"{what} expected {shown(wanted)}, got {shown(got)}")


def _same(got: Any, wanted: Any) -> bool:
    try:
        return bool(got == wanted)
    except Exception:  # an object that cannot be compared is not the same
        return False


def shown(value: Any) -> str:
    """Return a value on one line, cut where it is long, whatever its repr does; what waits to be run in words.

    Examples
    --------
    >>> shown(number for number in (1, 2))
    'a generator, which has made nothing yet; make it a list'
    """
    if inspect.isgenerator(value):
        return "a generator, which has made nothing yet; make it a list"
    if inspect.iscoroutine(value):
        return "a coroutine, which has not run yet; write await"
    try:
        text = " ".join(repr(value).split())
    except Exception as error:
        return f"{a_kind(value)} whose repr raises {type(error).__name__}"
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"

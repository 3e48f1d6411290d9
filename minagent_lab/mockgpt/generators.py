"""Values that are different each time and the same in each run: seeded and clocked by the `MockGPT` that uses them.

Put one anywhere into a JSON value: ``{"id": generators.uuid(), "eggs": generators.integer(1, 12)}``.
"""

from __future__ import annotations

import datetime as dt
import math
import random
import uuid as uuids
from collections.abc import Callable, Sequence
from typing import Any

from minagent_lab.values import copy_json

_WORDS = "tea cup kettle water leaf cake oven flour plate spoon sugar milk lemon bread apple honey table shelf".split()  # noqa: SIM905


class Seeded:
    """A value to be made: a function of a random source and of the time in milliseconds."""

    def __init__(self, name: str, make: Callable[[random.Random, float], Any]) -> None:
        self._name, self._make = name, make

    def make(self, source: random.Random, now_ms: float) -> Any:
        """Make it."""
        return self._make(source, now_ms)

    def __repr__(self) -> str:
        return self._name


def kept(written: Any, room: int = 100) -> Any:
    """Return what an author wrote as an answer, with lists and dicts of our own: later changes to theirs are no part.

    What is no JSON in it stays as it is, also what is nested too deep; the answer says so when it is worked out.

    Examples
    --------
    >>> value = {"a": [1]}
    >>> copy = kept(value)
    >>> value["a"].append(2)
    >>> copy
    {'a': [1]}
    """
    if room and isinstance(written, dict):
        return {name: kept(inner, room - 1) for name, inner in written.items()}
    return [kept(inner, room - 1) for inner in written] if room and isinstance(written, (list, tuple)) else written


def integer(low: int, high: int) -> Seeded:
    """Return a whole number from `low` to `high`, both included.

    Examples
    --------
    >>> integer(1, 6)
    integer(1, 6)
    """
    for name, bound in (("low", low), ("high", high)):
        if isinstance(bound, bool) or not isinstance(bound, int):
            raise TypeError(f"integer: {name} is {bound!r:.80}; it is a whole number")
    _in_order("integer", low, high)
    return Seeded(f"integer({low}, {high})", lambda source, _: source.randint(low, high))


def number(low: float, high: float, digits: int = 2) -> Seeded:
    """Return a number from `low` to `high` with so many digits behind the point."""
    for name, bound in (("low", low), ("high", high)):
        if isinstance(bound, bool) or not isinstance(bound, (int, float)) or not math.isfinite(bound):
            raise TypeError(f"number: {name} is {bound!r:.80}; it is a number")
    _in_order("number", low, high)
    if isinstance(digits, bool) or not isinstance(digits, int) or not 0 <= digits <= 15:
        raise ValueError(f"number: digits is {digits!r:.80}; it is a whole number from 0 to 15")
    made = lambda source, _: min(max(round(source.uniform(low, high), digits), low), high)  # noqa: E731
    return Seeded(f"number({low}, {high}, digits={digits})", made)


def choice(options: Sequence[Any]) -> Seeded:
    """Return one of several JSON values."""
    if isinstance(options, str) or not isinstance(options, Sequence) or not options:
        raise TypeError(f"choice: options is {options!r:.80}; write a list with something in it")
    held = copy_json(list(options), "choice: options")
    return Seeded(f"choice({held!r:.60})", lambda source, _: copy_json(source.choice(held)))


def uuid() -> Seeded:
    """Return the text of a UUID, version 4."""
    return Seeded("uuid()", lambda source, _: str(uuids.UUID(int=source.getrandbits(128), version=4)))


def date(days: int = 0, *, time: bool = False) -> Seeded:
    """Return the date of the clock as ISO text, some days later or (negative) earlier; with the time, in UTC.

    Parameters
    ----------
    days
        How far from the date of the clock.
    time
        Whether the time of day belongs to it.
    """
    if isinstance(days, bool) or not isinstance(days, int):
        raise TypeError(f"date: days is {days!r:.80}; it is a whole number")

    def made(_: random.Random, now_ms: float) -> str:
        moment = dt.datetime.fromtimestamp(now_ms / 1000, dt.UTC) + dt.timedelta(days=days)
        return moment.isoformat(timespec="milliseconds") if time else moment.date().isoformat()

    return Seeded(f"date({days})", made)


def text(words: int = 8) -> Seeded:
    """Return a line of so many short words."""
    if isinstance(words, bool) or not isinstance(words, int) or not 1 <= words <= 10_000:
        raise ValueError(f"text: words is {words!r:.80}; it is a whole number from 1 to 10,000")
    return Seeded(f"text({words})", lambda source, _: " ".join(source.choice(_WORDS) for _ in range(words)))


def _in_order(name: str, low: float, high: float) -> None:
    if low > high:
        raise ValueError(f"{name}: low is {low} and high is {high}; the lower one comes first")

"""A clock that is the same every time: for lessons, and for tests that must not wait."""

from __future__ import annotations

import math


class TickingClock:
    """A clock that goes on by one step each time it is looked at, and by whatever is slept on it.

    It stands in for ``time.time``, ``time.monotonic`` and ``asyncio.sleep``, so that nothing waits and no number
    changes from one day to the next.

    Parameters
    ----------
    step
        How far it goes on at each look, in seconds; 0 for a clock that only sleeping moves.
    start
        What the first look shows.

    Attributes
    ----------
    slept : list of float
        How long somebody slept each time, in seconds.

    Examples
    --------
    >>> clock = TickingClock(step=0.5)
    >>> clock(), clock(), clock()
    (0.0, 0.5, 1.0)
    >>> import asyncio
    >>> asyncio.run(clock.sleep(60))
    >>> clock()
    61.5
    """

    def __init__(self, step: float = 1.0, start: float = 0.0) -> None:
        for name, number in (("step", step), ("start", start)):
            if isinstance(number, bool) or not isinstance(number, (int, float)) or not math.isfinite(number):
                raise TypeError(f"{name} is {number!r:.80}; it is a number of seconds")
        if step < 0:
            raise ValueError(f"step is {step}; a clock goes forward: use a number from 0 up")
        self.slept: list[float] = []
        self._step, self._start, self._looks = step, start, 0

    def __call__(self) -> float:
        """Return the time in seconds, and go on by one step."""
        now = self._now()
        self._looks += 1
        return now

    async def sleep(self, seconds: float) -> None:
        """Go on by so many seconds at once."""
        self.slept.append(seconds)

    def _now(self) -> float:  # from the start each time: a sum of many tenths would be off by a little
        return round(self._start + self._looks * self._step + sum(self.slept), 9)

    def __repr__(self) -> str:
        return f"<TickingClock: {self._now():g} s>"

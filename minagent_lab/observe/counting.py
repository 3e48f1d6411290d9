"""Counts with their denominator, and how far they can be trusted.

"Passes 70 %" says little: 7 of 10 could be luck, 700 of 1,000 hardly. So a rate always comes with its n, and with an
interval: the rates that would not be surprised by this count. Source: E. B. Wilson, Probable inference, the law of
succession, and statistical inference, Journal of the American Statistical Association 22 (1927), 209-212.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple

VERDICTS = ("passed", "failed", "error", "not_run")
_Z = 1.959963984540054  # 95 % of a normal distribution lie within so many standard deviations


class Tally(NamedTuple):
    """How many cases there are, and what became of them. All of them are in the denominator.

    Examples
    --------
    >>> tally = tally_of(["passed"] * 7 + ["failed"] * 2 + ["error"])
    >>> tally.words
    '7 of 10 passed (70 %; 95 % interval 40 to 89 %)'
    """

    passed: int
    failed: int
    errors: int
    not_run: int

    @property
    def n(self) -> int:
        """How many cases there are, the ones that were not run included."""
        return sum(self)

    @property
    def rate(self) -> float | None:
        """The part of all cases that passed, from 0 to 1; ``None`` where there is no case."""
        return self.passed / self.n if self.n else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """The 95 % interval of the rate; ``None`` where cases were not run, since nobody knows what they would say."""
        return None if self.not_run or not self.n else wilson(self.passed, self.n)

    @property
    def words(self) -> str:
        """The rate in words, with its denominator."""
        counts = f"{self.passed:,} of {self.n:,} passed"
        return f"{counts} ({'; '.join(self.rate_words())})" if self.n else counts

    def rate_words(self) -> list[str]:
        """Return the rate, and the interval or why there is none, in words."""
        rate = percent(self.passed, self.n)
        if self.interval is None:
            return [rate, f"no interval: {self.not_run:,} not run"]
        low, high = (percent(bound, 1).removesuffix(" %") for bound in self.interval)
        return [rate, f"95 % interval {low} to {high} %"]


def tally_of(verdicts: Iterable[str]) -> Tally:
    """Count verdicts: ``"passed"``, ``"failed"``, ``"error"``, ``"not_run"``."""
    held = list(verdicts)
    return Tally(*(held.count(verdict) for verdict in VERDICTS))


def wilson(passed: int, n: int) -> tuple[float, float]:
    """Return the 95 % interval of a rate after Wilson; from 0 to 1 when nothing was tried.

    Examples
    --------
    >>> [[round(bound, 2) for bound in wilson(passed, n)] for passed, n in ((7, 10), (700, 1000), (10, 10))]
    [[0.4, 0.89], [0.67, 0.73], [0.72, 1.0]]
    """
    if not 0 <= passed <= n:
        raise ValueError(f"passed is {passed} of {n}; it is a whole number from 0 to n")
    if n == 0:
        return 0.0, 1.0
    rate, z2 = passed / n, _Z * _Z
    centre = (rate + z2 / (2 * n)) / (1 + z2 / n)
    half = _Z * math.sqrt(rate * (1 - rate) / n + z2 / (4 * n * n)) / (1 + z2 / n)
    low = 0.0 if passed == 0 else centre - half  # exact at the ends, whatever rounding does
    high = 1.0 if passed == n else centre + half
    return low, high


def percent(part: float, whole: int) -> str:
    """Return a part in whole per cent; 0 % is none of it, and 100 % is all of it.

    Examples
    --------
    >>> percent(2, 3), percent(999, 1000), percent(1, 1000), percent(0, 5)
    ('67 %', '>99 %', '<1 %', '0 %')
    """
    rounded = round(100 * part / whole)
    if rounded == 100 and part < whole:
        return ">99 %"
    return "<1 %" if rounded == 0 and part else f"{rounded} %"

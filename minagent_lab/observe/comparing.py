"""Two reports of the same cases, compared case by case.

Two rates hide what happened: 8 of 10 before and after may be the same eight cases, or four others. So the cases are
paired, and the ones that flipped are named.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from minagent_lab.observe.case_result import CaseResult
from minagent_lab.observe.report import EvalReport
from minagent_lab.values import a_kind, value


@value
class Comparison:
    """What changed from one report to another.

    Parameters
    ----------
    fixed, broken
        The ids of the cases that pass only after, and only before.
    passed_both, failed_both
        The ids of those that did not flip.
    left_out
        The ids of those that cannot be paired: only one report has them, they were not run or had an error in one, or
        the case is another.

    Examples
    --------
    >>> before = EvalReport([CaseResult("a", "failed"), CaseResult("b", "passed"), CaseResult("c", "passed")])
    >>> after = EvalReport([CaseResult("a", "passed"), CaseResult("b", "passed"), CaseResult("c", "error")])
    >>> compare(before, after)
    <Comparison of 2 cases: 1 fixed, 0 broken, 1 passed both times, 0 failed both times; 1 left out>
    """

    fixed: Sequence[str]
    broken: Sequence[str]
    passed_both: Sequence[str]
    failed_both: Sequence[str]
    left_out: Sequence[str]

    @property
    def n(self) -> int:
        """How many cases were paired."""
        return sum(map(len, (self.fixed, self.broken, self.passed_both, self.failed_both)))

    @property
    def chance(self) -> float:
        """How often a fair coin, thrown once per flip, would be at least as one-sided: the exact sign test.

        Source: Q. McNemar, Note on the sampling error of the difference between correlated proportions or percentages,
        Psychometrika 12 (1947), 153-157.
        """
        flips, fewer = len(self.fixed) + len(self.broken), min(len(self.fixed), len(self.broken))
        tail = sum(math.comb(flips, k) for k in range(fewer + 1))
        return min(1.0, float(2 * tail / 2**flips))

    def table(self) -> str:
        """Return it as text, with the names of what flipped."""
        rows = [repr(self)[1:-1]]
        rows += [f"{word}: {', '.join(ids)}" for word, ids in (("fixed", self.fixed), ("broken", self.broken)) if ids]
        if flips := len(self.fixed) + len(self.broken):
            rows.append(
                f"A fair coin would split {flips} flips at least as unevenly in {self.chance:.0%} of all tries."
            )
        return "\n".join(rows)

    def __str__(self) -> str:
        return self.table()

    def __repr__(self) -> str:
        counts = f"{len(self.fixed)} fixed, {len(self.broken)} broken"
        same = f"{len(self.passed_both)} passed both times, {len(self.failed_both)} failed both times"
        left_out = f"; {len(self.left_out)} left out" if self.left_out else ""
        return f"<Comparison of {self.n} case{'s' * (self.n != 1)}: {counts}, {same}{left_out}>"


def compare(before: EvalReport, after: EvalReport) -> Comparison:
    """Pair the cases of two reports, and say which flipped. Only verdicts of passed and failed are paired."""
    for name, report in (("before", before), ("after", after)):
        if not isinstance(report, EvalReport):
            raise TypeError(f"{name} is {a_kind(report)}; pass an EvalReport, or read_report(path)")
    old, new = ({result.id: result for result in report} for report in (before, after))
    kinds: dict[str, list[str]] = {"fixed": [], "broken": [], "passed": [], "failed": [], "left out": []}
    for id in [*old, *(id for id in new if id not in old)]:
        kinds[_kind(old.get(id), new.get(id))].append(id)
    return Comparison(*(tuple(ids) for ids in kinds.values()))


def _kind(old: CaseResult | None, new: CaseResult | None) -> str:
    if old is None or new is None or old.digest != new.digest:
        return "left out"
    if not {old.verdict, new.verdict} <= {"passed", "failed"}:
        return "left out"
    if old.verdict == new.verdict:
        return old.verdict
    return "fixed" if new.verdict == "passed" else "broken"

"""What an evaluation found: a verdict per case, and counts that never stand without their denominator."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

from minagent_lab.files import write_whole
from minagent_lab.fixtures.redact import Redactor
from minagent_lab.observe.case_result import CaseResult, result_of
from minagent_lab.observe.counting import Tally, tally_of
from minagent_lab.observe.meter import TOKENS
from minagent_lab.observe.pricing import total
from minagent_lab.values import parse_json, storable, value

THIS_FORMAT = 1


@value
class EvalReport:
    """The results of an evaluation, in the order of the cases.

    Parameters
    ----------
    results
        One `CaseResult` per case.
    currency
        What costs are in; ``""`` where nothing was priced.
    problems
        What kept it from saving or from showing its progress.

    Examples
    --------
    >>> report = EvalReport([CaseResult("sum-1", "passed"), CaseResult("sum-2", "failed", "the answer is '6'")])
    >>> report
    <EvalReport: 1 of 2 passed, 1 failed>
    >>> report.passed, report.n, report["sum-2"].reason
    (1, 2, "the answer is '6'")
    """

    results: Sequence[CaseResult]
    currency: str = ""
    problems: Sequence[str] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "results", tuple(self.results))
        object.__setattr__(self, "problems", tuple(self.problems))

    # ---- the counts

    @property
    def tally(self) -> Tally:
        """All counts, with the rate and its interval."""
        return tally_of(result.verdict for result in self.results)

    @property
    def by_category(self) -> dict[str, Tally]:
        """The counts of each category, in the order in which they first appear."""
        held: dict[str, list[str]] = {}
        for result in self.results:
            held.setdefault(result.category, []).append(result.verdict)
        return {category: tally_of(verdicts) for category, verdicts in held.items()}

    @property
    def n(self) -> int:
        """How many cases there are, the ones that were not run included."""
        return self.tally.n

    @property
    def passed(self) -> int:
        """How many cases passed."""
        return self.tally.passed

    @property
    def failed(self) -> int:
        """Of how many cases the matcher said no."""
        return self.tally.failed

    @property
    def errors(self) -> int:
        """In how many cases something was raised."""
        return self.tally.errors

    @property
    def not_run(self) -> int:
        """How many cases were not run."""
        return self.tally.not_run

    def __getitem__(self, id: str) -> CaseResult:
        for result in self.results:
            if result.id == id:
                return result
        raise KeyError(f"there is no case {id!r:.80}; the ids are {', '.join(each.id for each in self.results):.200}")

    def __iter__(self) -> Iterator[CaseResult]:
        return iter(self.results)

    def __len__(self) -> int:
        return len(self.results)

    # ---- what was used

    @property
    def ran(self) -> list[CaseResult]:
        """The results of the cases that were run."""
        return [result for result in self.results if result.verdict != "not_run"]

    @property
    def usage(self) -> dict[str, int]:
        """The tokens of all cases, as far as they were told; see `unknown_usage`."""
        told = [result.usage for result in self.ran]
        return {
            name: sum(usage.get(name, 0) for usage in told) for name in TOKENS if any(name in each for each in told)
        }

    @property
    def unknown_usage(self) -> int:
        """Of how many cases that were run the usage is not, or not wholly, known."""
        return sum(not result.usage_known for result in self.ran)

    @property
    def known_cost(self) -> Decimal:
        """What those cases cost together whose cost is known; see `unknown_cost`."""
        return total(result.cost for result in self.ran if result.cost is not None)

    @property
    def unknown_cost(self) -> int:
        """Of how many cases that were run the cost is not known."""
        return sum(result.cost is None for result in self.ran)

    @property
    def cost(self) -> Decimal | None:
        """What all cases cost together; ``None`` when one of them is not known."""
        return None if self.unknown_cost else self.known_cost

    # ---- its forms

    def table(self) -> str:
        """Return the counts by category, and what did not pass, as text."""
        from minagent_lab.views.report_view import report_text  # here, since views know reports, not reports views

        return report_text(self)

    def html(self) -> str:
        """Return the same as HTML."""
        from minagent_lab.views.report_view import report_html

        return report_html(self)

    def as_json(self) -> dict[str, Any]:
        """Return it as JSON data. A cost is text, so that it stays exact; what is not known is ``None``."""
        return {
            "format": THIS_FORMAT,
            **_counts(self.tally),
            "categories": {category: _counts(tally) for category, tally in self.by_category.items()},
            "usage": self.usage,
            "unknown_usage": self.unknown_usage,
            "cost": None if self.cost is None or not self.currency else f"{self.cost:f}",
            "known_cost": f"{self.known_cost:f}",
            "unknown_cost": self.unknown_cost,
            "currency": self.currency,
            "problems": list(self.problems),
            "results": [result.as_json() for result in self.results],
        }

    def save(self, path: str | Path, *, secrets: Iterable[str] = ()) -> None:
        """Write it as JSON, all of it or nothing; see `read_report`."""
        redactor = Redactor(secrets)
        text = json.dumps(redactor.data(self.as_json()), ensure_ascii=False, allow_nan=False, indent=1)
        if redactor.leak(text):
            raise ValueError(f"{Path(path).name} was not written: a secret would stand in it, perhaps as a number")
        write_whole(Path(path), storable(text) + "\n")

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        """Return the report for a notebook."""
        return {"text/plain": self.table(), "text/html": self.html()}

    def __str__(self) -> str:
        return self.table()

    def __repr__(self) -> str:
        errors = "error" if self.errors == 1 else "errors"
        counts = ((self.failed, "failed"), (self.errors, errors), (self.not_run, "not run"))
        others = "".join(f", {number} {word}" for number, word in counts if number)
        return f"<EvalReport: {self.passed} of {self.n} passed{others}>"


def read_report(path: str | Path) -> EvalReport:
    """Return the report in a file that `EvalReport.save` wrote. The counts are counted anew.

    Raises
    ------
    ValueError
        It is no report.
    """
    path = Path(path)
    try:
        data = parse_json(path.read_bytes().decode("utf-8-sig"))
        if (
            not isinstance(data, Mapping)
            or data.get("format") != THIS_FORMAT
            or not isinstance(data.get("results"), list)
            or not isinstance(data.get("problems", []), list)
        ):
            raise ValueError(f'this is no report of format {THIS_FORMAT}, as report.save("{path.name}") writes it')
        results = [result_of(row) for row in data["results"]]
    except (ValueError, TypeError, RecursionError) as problem:
        raise ValueError(f"{path.name}: {problem}") from None
    return EvalReport(results, str(data.get("currency", "")), [str(each) for each in data.get("problems", ())])


def _counts(tally: Tally) -> dict[str, Any]:
    rounded = None if tally.interval is None else [round(bound, 4) for bound in tally.interval]
    rate = None if tally.rate is None else round(tally.rate, 4)
    return {"n": tally.n, **tally._asdict(), "rate": rate, "interval": rounded}

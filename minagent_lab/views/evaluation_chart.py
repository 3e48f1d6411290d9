"""A report as a picture: what became of the cases of each category."""

from __future__ import annotations

from typing import TYPE_CHECKING

from minagent_lab.observe.counting import Tally, percent
from minagent_lab.observe.report import EvalReport
from minagent_lab.values import a_kind
from minagent_lab.views.bar_chart import Bar, BarChart, Group, Segment
from minagent_lab.views.chart_look import NEW, Look
from minagent_lab.views.html import visible
from minagent_lab.views.report_view import ALL, NO_CATEGORY
from minagent_lab.views.words import count, short

if TYPE_CHECKING:
    from matplotlib.figure import Figure

KINDS = (  # what became of a case, in the order of a tally
    Look("passed", NEW, ink="white"),
    Look("failed", "#f3c7a6", "///"),
    Look("errors", "#ffffff", "xxx"),
    Look("not run", "#e4e4e4", "..."),
)
INTERVAL = "95 % interval of the rate"
TITLE = "What became of the cases"


def plot_evaluation(report: EvalReport) -> Figure | BarChart:
    """Draw, per category, how many cases passed, failed, had an error or were not run, with the rate's 95 % interval.

    Parameters
    ----------
    report
        What `evaluate` returned. Print it beside the picture: a test cannot compare pictures.

    Returns
    -------
    matplotlib.figure.Figure or BarChart
        A figure of its own, or a `BarChart` where there is no matplotlib, as with `plot_history_growth`.

    Examples
    --------
    >>> from minagent_lab.observe.case_result import CaseResult
    >>> report = EvalReport([CaseResult("a", "passed", category="sums"), CaseResult("b", "failed", category="sums")])
    >>> print(plot_evaluation(report).description)
    Bars of what became of 2 cases. sums: 1 of 2 passed (50 %; 95 % interval 9 to 91 %), 1 failed.
    """
    if not isinstance(report, EvalReport):
        raise TypeError(f"report is {a_kind(report)}; pass what evaluate() returned")
    rows = [(category or NO_CATEGORY, tally) for category, tally in report.by_category.items()]
    rows += [(ALL, report.tally)] * (len(rows) > 1)
    description = describe_evaluation(report.n, rows)
    try:
        from minagent_lab.views.figures.evaluation import evaluation_figure
    except ImportError:
        return _chart(rows, description)
    return evaluation_figure(rows, description)


def describe_evaluation(n: int, rows: list[tuple[str, Tally]]) -> str:
    """Return in words what the bars show."""
    told = [f"{name}: {tally.words}{_others(tally)}" for name, tally in rows]
    cases = "1 case" if n == 1 else f"{n:,} cases"
    return visible(f"Bars of what became of {cases}. {'; '.join(told)}.") if told else "No bars: there is no case."


def _others(tally: Tally) -> str:
    counts = (f"{tally.failed:,} failed", count(tally.errors, "error"), f"{tally.not_run:,} not run")
    return "".join(f", {words}" for words in counts if not words.startswith("0 "))


def name_of(category: str, tally: Tally) -> str:
    """Return a category with its denominator."""
    return f"{short(category, 24)}, n = {tally.n:,}"


def said_of(tally: Tally) -> str:
    """Return the words at the end of a bar."""
    return f"{tally.passed:,} of {tally.n:,}, {percent(tally.passed, tally.n)}"


def segments(tally: Tally) -> list[Segment]:
    """Return a tally as one bar of 100 per cent, so that intervals can be compared; the counts stand in it."""
    made, start = [], 0.0
    for look, number in zip(KINDS, tally, strict=True):
        width = 100 * number / tally.n
        made.append(Segment(start, width, look, f"{number:,}"))
        start += width
    return made


def _chart(rows: list[tuple[str, Tally]], description: str) -> BarChart:
    bars = [_bar(category, tally) for category, tally in rows]
    legend = [look for place, look in enumerate(KINDS) if any(tally[place] for _, tally in rows)]
    interval = INTERVAL if any(bar.interval for bar in bars) else ""
    return BarChart(description, [Group(TITLE, bars, scale="of the cases", unit=" %")], legend, interval)


def _bar(category: str, tally: Tally) -> Bar:
    interval = tally.interval and (100 * tally.interval[0], 100 * tally.interval[1])
    return Bar(name_of(category, tally), segments(tally), said_of(tally), interval=interval)

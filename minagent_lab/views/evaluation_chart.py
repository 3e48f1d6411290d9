"""A report as a picture: what became of the cases of each category, drawn without the state of pyplot."""

from __future__ import annotations

from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from minagent_lab.observe.counting import Tally, percent
from minagent_lab.observe.report import EvalReport
from minagent_lab.values import a_kind
from minagent_lab.views.charts import GROUND, INK, NEW, TITLE, WORDS, add_legend, new_figure
from minagent_lab.views.html import visible
from minagent_lab.views.report_view import ALL, NO_CATEGORY
from minagent_lab.views.timeline import FONTS, drawable
from minagent_lab.views.words import count, short

KINDS: dict[str, dict[str, Any]] = {  # what became of a case: colour and hatch, so that either tells
    "passed": {"facecolor": NEW},
    "failed": {"facecolor": "#f3c7a6", "hatch": "///"},
    "errors": {"facecolor": "#ffffff", "hatch": "xxx"},
    "not run": {"facecolor": "#e4e4e4", "hatch": "..."},
}
INTERVAL = "95 % interval of the rate"
ON = {"passed": "white"}  # ink on a bar, where it is not the usual one


def plot_evaluation(report: EvalReport) -> Figure:
    """Draw, per category, how many cases passed, failed, had an error or were not run, with the rate's 95 % interval.

    Parameters
    ----------
    report
        What `evaluate` returned. Print it beside the picture: a test cannot compare pictures.

    Returns
    -------
    matplotlib.figure.Figure
        A figure of its own, as with `plot_history_growth`.

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
    figure = new_figure(1.8 + 0.44 * max(len(rows), 1))
    axes = figure.subplots()
    _bars(axes, [tally for _, tally in rows])
    for place, (_, tally) in enumerate(rows):
        _interval(axes, place, tally)
    _frame(axes, rows)
    if rows:
        handles, labels = axes.get_legend_handles_labels()
        by_name = dict(zip(labels, handles, strict=True))
        names = [name for name in (*KINDS, INTERVAL) if name in by_name]
        add_legend(figure, [by_name[name] for name in names], names, columns=3)
    figure.description = describe_evaluation(report.n, rows)
    return figure


def describe_evaluation(n: int, rows: list[tuple[str, Tally]]) -> str:
    """Return in words what the bars show."""
    told = [f"{name}: {tally.words}{_others(tally)}" for name, tally in rows]
    cases = "1 case" if n == 1 else f"{n:,} cases"
    return visible(f"Bars of what became of {cases}. {'; '.join(told)}.") if told else "No bars: there is no case."


def _others(tally: Tally) -> str:
    counts = (f"{tally.failed:,} failed", count(tally.errors, "error"), f"{tally.not_run:,} not run")
    return "".join(f", {words}" for words in counts if not words.startswith("0 "))


def _bars(axes: Axes, tallies: list[Tally]) -> None:
    """Draw each category as one bar of 100 per cent, so that the intervals can be compared; the counts stand in it."""
    left = [0.0] * len(tallies)
    for kind, (name, style) in enumerate(KINDS.items()):
        widths = [100 * tally[kind] / tally.n for tally in tallies]
        if not any(widths):
            continue
        places = range(len(tallies))
        axes.barh(places, widths, 0.62, left, label=name, edgecolor=INK, linewidth=0.8, **style)
        for place, tally in enumerate(tallies):
            if widths[place] >= 4:
                _number(axes, tally[kind], left[place] + widths[place] / 2, place, ON.get(name, INK), name)
        left = [start + width for start, width in zip(left, widths, strict=True)]


def _number(axes: Axes, number: int, x: float, y: float, ink: str, name: str) -> None:
    box = None if name == "passed" else {"facecolor": "white", "edgecolor": "none", "pad": 1.2}  # not on a hatch
    axes.text(x, y + 0.16, f"{number:,}", ha="center", va="center", fontsize=WORDS, color=ink, bbox=box)


def _interval(axes: Axes, place: int, tally: Tally) -> None:
    """Draw the interval of the rate as a line with ends, in the upper half of the bar; it is seen on light and dark."""
    if tally.interval is None:
        return
    low, high = (100 * bound for bound in tally.interval)
    for color, width in (("white", 4.5), (INK, 1.8)):
        axes.plot(
            [low, high], [place - 0.17] * 2, color=color, linewidth=width, marker="|", markersize=9,
            markeredgewidth=width, label=INTERVAL if color == INK else None,
        )  # fmt: skip


def _frame(axes: Axes, rows: list[tuple[str, Tally]]) -> None:
    names = [drawable(f"{short(name, 24)}, n = {tally.n:,}") for name, tally in rows]
    axes.set_yticks(range(len(names)), names, family=FONTS)
    axes.set_ylim(max(len(names), 1) - 0.45, -0.55)
    axes.set_xlim(0, 140)  # room for the words after the bars
    axes.set_xticks(range(0, 101, 20), [f"{mark} %" for mark in range(0, 101, 20)])
    for place, (_, tally) in enumerate(rows):
        said = f"{tally.passed:,} of {tally.n:,}, {percent(tally.passed, tally.n)}"
        axes.annotate(said, (100, place), (6, 0), textcoords="offset points", va="center", fontsize=WORDS, color=INK)
    axes.set_title("What became of the cases", loc="left", fontsize=TITLE, color=INK)
    axes.set_facecolor(GROUND)
    axes.tick_params(colors=INK, labelsize=WORDS)
    axes.tick_params(axis="y", length=0)
    axes.spines[["top", "right", "left"]].set_visible(False)

"""What became of the cases of each category, as a figure."""

from __future__ import annotations

from matplotlib.axes import Axes

from minagent_lab.observe.counting import Tally
from minagent_lab.views.bar_chart import Segment
from minagent_lab.views.chart_look import INK
from minagent_lab.views.evaluation_chart import INTERVAL, KINDS, TITLE, name_of, said_of, segments
from minagent_lab.views.figures.figure import WORDS, DescribedFigure, add_legend, fill, frame, new_figure
from minagent_lab.views.figures.fonts import FONTS, drawable


def evaluation_figure(rows: list[tuple[str, Tally]], description: str) -> DescribedFigure:
    """Draw each category as one bar of 100 per cent, with the counts in it and the interval of its rate."""
    figure = new_figure(1.8 + 0.44 * max(len(rows), 1))
    axes = figure.subplots()
    _bars(axes, [segments(tally) for _, tally in rows])
    for place, (_, tally) in enumerate(rows):
        _interval(axes, place, tally)
    _frame(axes, rows)
    if rows:
        handles, labels = axes.get_legend_handles_labels()
        by_name = dict(zip(labels, handles, strict=True))
        names = [name for name in (*(look.name for look in KINDS), INTERVAL) if name in by_name]
        add_legend(figure, [by_name[name] for name in names], names, columns=3)
    figure.description = description
    return figure


def _bars(axes: Axes, bars: list[list[Segment]]) -> None:
    for kind, look in enumerate(KINDS):
        parts = [bar[kind] for bar in bars]
        widths = [part.width for part in parts]
        if not any(widths):
            continue
        starts = [part.start for part in parts]
        axes.barh(range(len(parts)), widths, 0.62, starts, label=look.name, **fill(look))
        for place, part in enumerate(parts):
            if part.width >= 4:
                _number(axes, part, place)


def _number(axes: Axes, part: Segment, place: int) -> None:
    box = {"facecolor": "white", "edgecolor": "none", "pad": 1.2} if part.look.hatch else None  # not on a hatch
    axes.text(part.start + part.width / 2, place + 0.16, part.number, ha="center", va="center", fontsize=WORDS,
              color=part.look.ink, bbox=box)  # fmt: skip


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
    axes.set_yticks(range(len(rows)), [drawable(name_of(*row)) for row in rows], family=FONTS)
    axes.set_ylim(max(len(rows), 1) - 0.45, -0.55)
    axes.set_xlim(0, 140)  # room for the words after the bars
    axes.set_xticks(range(0, 101, 20), [f"{mark} %" for mark in range(0, 101, 20)])
    for place, (_, tally) in enumerate(rows):
        axes.annotate(said_of(tally), (100, place), (6, 0), textcoords="offset points", va="center", fontsize=WORDS,
                      color=INK)  # fmt: skip
    frame(axes, TITLE, hidden=("top", "right", "left"))
    axes.tick_params(axis="y", length=0)

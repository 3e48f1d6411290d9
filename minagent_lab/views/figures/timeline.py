"""What took time in a trace, as a figure."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.patches import Patch

from minagent_lab.views.chart_look import INK
from minagent_lab.views.figures.figure import WORDS, DescribedFigure, add_legend, fill, frame, new_figure
from minagent_lab.views.figures.fonts import FONTS, drawable
from minagent_lab.views.timeline import NARROWEST, SCALE, kinds_of, look_of, said_of, title_of
from minagent_lab.views.trace_words import Row, label
from minagent_lab.views.words import short


def timeline_figure(rows: list[Row], left_out: int, whole: float, description: str) -> DescribedFigure:
    """Draw a bar per row, where it was at work in the `whole`, which is in seconds."""
    figure = new_figure(1.5 + 0.29 * max(len(rows), 1))
    axes = figure.subplots()
    for place, row in enumerate(rows):
        _bar(axes, place, row, whole)
    _frame(axes, rows, left_out, whole)
    if rows:
        kinds = kinds_of(rows)
        swatches = [Patch(facecolor=kind.colour, edgecolor=kind.edge, hatch=kind.hatch) for kind in kinds]
        add_legend(figure, swatches, [kind.name for kind in kinds])
    figure.description = description
    return figure


def _bar(axes: Axes, place: int, row: Row, whole: float) -> None:
    look = look_of(row)
    width = max(row.width, NARROWEST) * whole
    height = 0.25 if look.thin else 0.66
    axes.barh(place, width, left=row.left * whole, height=height, label=look.name, **fill(look))
    axes.annotate(
        drawable(said_of(row)), (row.left * whole + width, place), (4, 0), textcoords="offset points", va="center",
        fontsize=WORDS, color=look.edge, family=FONTS,
    )  # fmt: skip


def _frame(axes: Axes, rows: list[Row], left_out: int, whole: float) -> None:
    names = [drawable(f"{'    ' * row.depth}{short(label(row), 28)}") for row in rows]
    axes.set_yticks(range(len(rows)), names, family=FONTS, horizontalalignment="left")
    frame(axes, title_of(left_out), hidden=("top", "right", "left"))
    axes.tick_params(axis="y", length=0, pad=_widest(axes))
    axes.set_ylim(max(len(rows), 1) - 0.4, -0.6)
    axes.set_xlim(0, whole * 1.2)  # room for the words after the last bar
    axes.set_xlabel(SCALE, color=INK, fontsize=WORDS)
    if left_out:
        axes.axhline(len(rows) / 2 - 0.5, color=INK, linestyle=":", linewidth=1)


def _widest(axes: Axes) -> float:
    """Return how wide the widest name is, in points: names that begin at one line have to end before the bars."""
    figure = axes.get_figure()
    assert figure is not None
    boxes = [name.get_window_extent() for name in axes.get_yticklabels()]
    return max((box.width for box in boxes), default=0.0) * 72 / figure.dpi + 6

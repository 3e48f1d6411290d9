"""How much was sent in each call, as a figure: messages above, characters below."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from minagent_lab.growth import Growth
from minagent_lab.views.chart_look import INK
from minagent_lab.views.charts import AGAIN, FRESH
from minagent_lab.views.figures.figure import WORDS, DescribedFigure, add_legend, fill, frame, new_figure

NUMBERED = 12  # calls up to which each bar carries its number


def growth_figure(rows: list[Growth], description: str) -> DescribedFigure:
    """Draw, for both counts, a bar per call: what is new stands on what was sent again."""
    figure = new_figure(4.8)
    above, below = figure.subplots(2, 1)
    _bars(above, "Messages sent", [(row.messages, row.new) for row in rows])
    _bars(below, "Characters sent", [(row.characters, row.new_characters) for row in rows])
    below.set_xlabel("call", color=INK, fontsize=WORDS)
    if rows:
        add_legend(figure, *above.get_legend_handles_labels())
    figure.description = description
    return figure


def _bars(axes: Axes, title: str, counts: list[tuple[int, int]]) -> None:
    calls = range(1, len(counts) + 1)
    again = [total - new for total, new in counts]
    axes.bar(calls, again, width=0.6, label=AGAIN.name, **fill(AGAIN))
    axes.bar(calls, [new for _, new in counts], width=0.6, bottom=again, label=FRESH.name, **fill(FRESH))
    if len(counts) <= NUMBERED:
        for call, (total, _) in zip(calls, counts, strict=True):
            axes.annotate(f"{total:,}", (call, total), (0, 3), textcoords="offset points", ha="center", color=INK,
                          fontsize=WORDS)  # fmt: skip
        axes.set_xticks(calls)
    frame(axes, title)
    axes.margins(y=0.2)
    axes.yaxis.set_major_locator(MaxNLocator("auto", integer=True))

"""A few numbers, compared, as a figure."""

from __future__ import annotations

from collections.abc import Mapping

from matplotlib.ticker import MaxNLocator

from minagent_lab.views.bars import NUMBER
from minagent_lab.views.chart_look import INK
from minagent_lab.views.figures.figure import WORDS, DescribedFigure, fill, frame, new_figure


def bars_figure(numbers: Mapping[str, int], title: str, description: str) -> DescribedFigure:
    """Draw a bar per number, from top to bottom."""
    figure = new_figure(0.9 + 0.5 * len(numbers))
    axes = figure.subplots()
    places = range(len(numbers))
    axes.barh(places, list(numbers.values()), height=0.6, **fill(NUMBER))
    for place, number in zip(places, numbers.values(), strict=True):
        axes.annotate(
            f"{number:,}", (number, place), (5, 0), textcoords="offset points", va="center", color=INK, fontsize=WORDS
        )
    axes.set_yticks(places, list(numbers), fontsize=WORDS)
    axes.invert_yaxis()
    frame(axes, title)
    axes.margins(x=0.1)
    axes.xaxis.set_major_locator(MaxNLocator("auto", integer=True))
    figure.description = description
    return figure

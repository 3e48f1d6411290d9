"""A few numbers, compared: a bar for each, drawn with matplotlib and without the state of pyplot."""

from __future__ import annotations

from collections.abc import Mapping

from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from minagent_lab.views.charts import GROUND, INK, NEW, TITLE, WORDS, new_figure


def plot_bars(numbers: Mapping[str, int], title: str) -> Figure:
    """Draw a bar per number, with its name on the left and the number at its end.

    Parameters
    ----------
    numbers
        Names and whole numbers, from top to bottom.
    title
        What is counted, such as ``"Requests for one question"``.

    Returns
    -------
    matplotlib.figure.Figure
        A figure of its own, not known to pyplot: there is nothing to close. As the last line of a cell it is shown.

    Examples
    --------
    >>> print(plot_bars({"one layer": 3, "two layers": 9}, "Requests for one question").description)
    Bars. Requests for one question: one layer 3, two layers 9.
    """
    figure = new_figure(0.9 + 0.5 * len(numbers))
    axes = figure.subplots()
    places = range(len(numbers))
    axes.barh(places, list(numbers.values()), height=0.6, color=NEW, edgecolor=INK, linewidth=0.8)
    for place, number in zip(places, numbers.values(), strict=True):
        axes.annotate(
            f"{number:,}", (number, place), (5, 0), textcoords="offset points", va="center", color=INK, fontsize=WORDS
        )
    axes.set_yticks(places, list(numbers), fontsize=WORDS)
    axes.invert_yaxis()
    axes.set_title(title, loc="left", fontsize=TITLE, color=INK)
    axes.set_facecolor(GROUND)
    axes.margins(x=0.1)
    axes.tick_params(colors=INK, labelsize=WORDS)
    axes.spines[["top", "right"]].set_visible(False)
    axes.xaxis.set_major_locator(MaxNLocator("auto", integer=True))
    held = ", ".join(f"{name} {number:,}" for name, number in numbers.items())
    figure.description = f"Bars. {title}: {held}." if numbers else f"No bars: nothing was counted ({title})."
    return figure

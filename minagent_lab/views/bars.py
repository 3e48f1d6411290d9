"""A few numbers, compared: a bar for each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from minagent_lab.views.bar_chart import Bar, BarChart, Group, Segment
from minagent_lab.views.chart_look import NEW, Look

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NUMBER = Look("", NEW)


def plot_bars(numbers: Mapping[str, int], title: str) -> Figure | BarChart:
    """Draw a bar per number, with its name on the left and the number at its end.

    Parameters
    ----------
    numbers
        Names and whole numbers, from top to bottom.
    title
        What is counted, such as ``"Requests for one question"``.

    Returns
    -------
    matplotlib.figure.Figure or BarChart
        A figure of its own, or a `BarChart` where there is no matplotlib, as with `plot_history_growth`.

    Examples
    --------
    >>> print(plot_bars({"one layer": 3, "two layers": 9}, "Requests for one question").description)
    Bars. Requests for one question: one layer 3, two layers 9.
    """
    description = describe_bars(numbers, title)
    try:
        from minagent_lab.views.figures.bars import bars_figure
    except ImportError:
        return BarChart(description, [Group(title, [_bar(name, number) for name, number in numbers.items()])])
    return bars_figure(numbers, title, description)


def describe_bars(numbers: Mapping[str, int], title: str) -> str:
    """Return in words what the bars show."""
    held = ", ".join(f"{name} {number:,}" for name, number in numbers.items())
    return f"Bars. {title}: {held}." if numbers else f"No bars: nothing was counted ({title})."


def _bar(name: str, number: int) -> Bar:
    return Bar(name, [Segment(0, max(number, 0), NUMBER)], f"{number:,}")

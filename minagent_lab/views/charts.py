"""How the history grows, as a chart: how much each call sent, and how much of that was new."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from minagent_lab.growth import Growth, Sent, history_growth
from minagent_lab.views.bar_chart import Bar, BarChart, Group, Segment
from minagent_lab.views.chart_look import NEW, Look
from minagent_lab.views.words import count

if TYPE_CHECKING:
    from matplotlib.figure import Figure

AGAIN, FRESH = Look("sent again", "#d9d9d9", "///", edge="#6b6b6b"), Look("new", NEW)
LISTED = 24  # numbers up to which each is told in words, and calls up to which each is a row


def plot_history_growth(calls: Iterable[Sent]) -> Figure | BarChart:
    """Draw, per call, how many messages and how many characters were sent, and how much of that was new.

    Parameters
    ----------
    calls
        ``FakeModel.calls``, or anything whose items have ``messages`` and ``tools``.

    Returns
    -------
    matplotlib.figure.Figure or BarChart
        A figure of its own, not known to pyplot: there is nothing to close. As the last line of a cell it is shown.
        Where matplotlib cannot be imported, as in a browser, it is a `BarChart` of the same numbers.

    Examples
    --------
    >>> from minagent_lab import FakeModel, ToolRegistry, run
    >>> model = FakeModel(["Hello."])
    >>> _ = run(model, ToolRegistry(), "Hi")
    >>> print(plot_history_growth(model.calls).description)
    Bars for 1 call. Messages sent: 1, of which 1 new. Characters sent: 56, of which 56 new.
    """
    rows = history_growth(calls)
    description = describe_growth(rows)
    try:
        from minagent_lab.views.figures.growth import growth_figure
    except ImportError:
        return _chart(rows, description)
    return growth_figure(rows, description)


def describe_growth(rows: list[Growth]) -> str:
    """Return in words what the bars show."""
    if not rows:
        return "No bars: no call was made."
    calls = "1 call" if len(rows) == 1 else f"calls 1 to {len(rows)}"
    return (
        f"Bars for {calls}. "
        f"Messages sent: {_list(row.messages for row in rows)}, of which {_list(row.new for row in rows)} new. "
        f"Characters sent: {_list(row.characters for row in rows)}, "
        f"of which {_list(row.new_characters for row in rows)} new."
    )


def _list(numbers: Iterable[int]) -> str:
    words = [f"{number:,}" for number in numbers]
    return ", ".join(words) if len(words) <= LISTED else ", ".join([*words[:3], "…", *words[-3:]])


def _chart(rows: list[Growth], description: str) -> BarChart:
    left_out = max(len(rows) - LISTED, 0)
    shown = [*rows[: LISTED // 2], *rows[LISTED // 2 + left_out :]] if left_out else rows
    left = f"; {count(left_out, 'call')} left out at the dotted line" if left_out else ""
    messages = [_bar(row.call, row.messages, row.new) for row in shown]
    characters = [_bar(row.call, row.characters, row.new_characters) for row in shown]
    groups = [
        Group(f"Messages sent{left}", messages, cut=bool(left_out)),
        Group(f"Characters sent{left}", characters, cut=bool(left_out)),
    ]
    return BarChart(description, groups, [AGAIN, FRESH])


def _bar(call: int, total: int, new: int) -> Bar:
    parts = [Segment(0, total - new, AGAIN), Segment(total - new, new, FRESH)]
    return Bar(f"call {call:,}", parts, f"{total:,}, {new:,} new")

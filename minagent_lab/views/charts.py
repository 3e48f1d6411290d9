"""Figures of a whole run, drawn with matplotlib and without the state of pyplot."""

from __future__ import annotations

import base64
import io
from collections.abc import Iterable
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from minagent_lab.growth import Growth, Sent, history_growth

INK, NEW, AGAIN = "#212121", "#145ea8", "#d9d9d9"
NUMBERED = 24  # calls up to which each bar carries its number


class DescribedFigure(Figure):
    """A figure with a text that says what it shows: the alternative text of the picture, and its plain form.

    It displays itself in a notebook once, whatever matplotlib's backend is.
    """

    description = ""

    def _repr_mimebundle_(self, **_: Any) -> tuple[dict[str, str], dict[str, Any]]:
        """Return the picture with its alternative text, and the text for where there are no pictures."""
        buffer = io.BytesIO()
        self.savefig(buffer, format="png", dpi=110, metadata={"Software": None})
        picture = base64.b64encode(buffer.getvalue()).decode("ascii")
        return {"image/png": picture, "text/plain": self.description}, {"image/png": {"alt": self.description}}


def plot_history_growth(calls: Iterable[Sent]) -> Figure:
    """Draw, per call, how many messages and how many characters were sent, and how much of that was new.

    Parameters
    ----------
    calls
        ``FakeModel.calls``, or anything whose items have ``messages`` and ``tools``.

    Returns
    -------
    matplotlib.figure.Figure
        A figure of its own, not known to pyplot: there is nothing to close. As the last line of a cell it is shown.

    Examples
    --------
    >>> from minagent_lab import FakeModel, ToolRegistry, run
    >>> model = FakeModel(["Hello."])
    >>> _ = run(model, ToolRegistry(), "Hi")
    >>> print(plot_history_growth(model.calls).description)
    Bars for 1 call. Messages sent: 1, of which 1 new. Characters sent: 56, of which 56 new.
    """
    rows = history_growth(calls)
    figure = DescribedFigure(figsize=(9, 3.4), layout="constrained", facecolor="white")
    left, right = figure.subplots(1, 2)
    _bars(left, "Messages sent", [(row.messages, row.new) for row in rows])
    _bars(right, "Characters sent", [(row.characters, row.new_characters) for row in rows])
    if rows:
        handles, labels = left.get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=2, frameon=False, labelcolor=INK)
    figure.description = describe_growth(rows)
    return figure


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
    return ", ".join(words) if len(words) <= NUMBERED else ", ".join([*words[:3], "…", *words[-3:]])


def _bars(axes: Axes, title: str, counts: list[tuple[int, int]]) -> None:
    calls = range(1, len(counts) + 1)
    again = [total - new for total, new in counts]
    hatched = {"facecolor": AGAIN, "edgecolor": "#6b6b6b", "hatch": "///", "linewidth": 0.8}
    axes.bar(calls, again, width=0.6, label="sent again", **hatched)  # type: ignore[arg-type]
    axes.bar(
        calls, [new for _, new in counts], width=0.6, bottom=again, color=NEW, edgecolor=INK, label="new", linewidth=0.8
    )
    if len(counts) <= NUMBERED:
        for call, (total, _) in zip(calls, counts, strict=True):
            axes.annotate(f"{total:,}", (call, total), (0, 3), textcoords="offset points", ha="center", color=INK)
        axes.set_xticks(calls)
    axes.set_title(title, loc="left", fontsize=12, color=INK)
    axes.set_xlabel("call", color=INK)
    axes.margins(y=0.15)
    axes.tick_params(colors=INK)
    axes.spines[["top", "right"]].set_visible(False)
    axes.yaxis.set_major_locator(MaxNLocator("auto", integer=True))

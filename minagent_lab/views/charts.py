"""Figures of a whole run, drawn with matplotlib and without the state of pyplot."""

from __future__ import annotations

import base64
import io
from collections.abc import Iterable, Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from minagent_lab.growth import Growth, Sent, history_growth

INK, NEW, AGAIN = "#212121", "#145ea8", "#d9d9d9"
GROUND, EDGE = "#faf9f6", "#8a8f98"  # the card that each figure stands on, as the pictures of the chapters do
WIDTH, DPI = 6.1, 110  # so that a figure is shown as large as it is where 700 pixels are, and its words can be read
TITLE, WORDS = 12, 10.5  # sizes of type, in points
NUMBERED = 12  # calls up to which each bar carries its number
LISTED = 24  # numbers up to which each is told in words
_PAD, _ROUND = 0.2, 12  # inches round the figure; pixels of the card's corners


class DescribedFigure(Figure):
    """A figure with a text that says what it shows: the alternative text of the picture, and its plain form.

    It displays itself in a notebook once, whatever matplotlib's backend is: on a light card with a border and round
    corners, which reads on a white page and on a dark one.
    """

    description = ""

    def _repr_mimebundle_(self, **_: Any) -> tuple[dict[str, str], dict[str, Any]]:
        """Return the picture with its alternative text, and the text for where there are no pictures."""
        buffer = io.BytesIO()
        self.savefig(
            buffer, format="png", dpi=DPI, bbox_inches="tight", pad_inches=_PAD, facecolor=GROUND,
            metadata={"Software": None},
        )  # fmt: skip
        picture = base64.b64encode(_card(buffer)).decode("ascii")
        return {"image/png": picture, "text/plain": self.description}, {"image/png": {"alt": self.description}}


def new_figure(height: float) -> DescribedFigure:
    """Return an empty figure, so many inches high, in the one look that all have."""
    return DescribedFigure(figsize=(WIDTH, height), layout="constrained", facecolor=GROUND)


def _card(picture: io.BytesIO) -> bytes:
    """Return a picture as a card: with a border, and nothing outside of its round corners."""
    from PIL import Image, ImageDraw  # here, for a figure that is shown; matplotlib brings it along

    image = Image.open(picture).convert("RGBA")
    wide, high = (4 * side for side in image.size)  # drawn larger, and made small: that smooths the corners
    shape, border = Image.new("L", (wide, high), 0), Image.new("L", (wide, high), 0)
    corners = {"xy": (0, 0, wide - 1, high - 1), "radius": 4 * _ROUND}
    ImageDraw.Draw(shape).rounded_rectangle(**corners, fill=255)  # type: ignore[arg-type]
    ImageDraw.Draw(border).rounded_rectangle(**corners, outline=255, width=4)  # type: ignore[arg-type]
    image.paste(Image.new("RGBA", image.size, EDGE), mask=border.resize(image.size, Image.Resampling.BOX))
    image.putalpha(shape.resize(image.size, Image.Resampling.BOX))
    made = io.BytesIO()
    image.save(made, format="png", optimize=True)
    return made.getvalue()


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
    figure = new_figure(4.8)
    above, below = figure.subplots(2, 1)
    _bars(above, "Messages sent", [(row.messages, row.new) for row in rows])
    _bars(below, "Characters sent", [(row.characters, row.new_characters) for row in rows])
    below.set_xlabel("call", color=INK, fontsize=WORDS)
    if rows:
        add_legend(figure, *above.get_legend_handles_labels())
    figure.description = describe_growth(rows)
    return figure


def add_legend(figure: Figure, handles: Sequence[Any], names: Sequence[str], columns: int = 4) -> None:
    """Add a legend below a figure."""
    figure.legend(
        handles, names, loc="outside lower center", ncols=columns, frameon=False, labelcolor=INK, fontsize=WORDS
    )


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
            axes.annotate(f"{total:,}", (call, total), (0, 3), textcoords="offset points", ha="center", color=INK,
                          fontsize=WORDS)  # fmt: skip
        axes.set_xticks(calls)
    axes.set_title(title, loc="left", fontsize=TITLE, color=INK)
    axes.set_facecolor(GROUND)
    axes.margins(y=0.2)
    axes.tick_params(colors=INK, labelsize=WORDS)
    axes.spines[["top", "right"]].set_visible(False)
    axes.yaxis.set_major_locator(MaxNLocator("auto", integer=True))

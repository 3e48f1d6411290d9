"""A figure as all charts are: on a card, with a text that says what it shows, and without the state of pyplot."""

from __future__ import annotations

import base64
import io
from collections.abc import Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from PIL import Image, ImageDraw  # matplotlib brings it along

from minagent_lab.views.chart_look import EDGE, GROUND, INK, Look

WIDTH, DPI = 6.1, 110  # so that a figure is shown as large as it is where 700 pixels are, and its words can be read
TITLE, WORDS = 12, 10.5  # sizes of type, in points
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


def fill(look: Look) -> dict[str, Any]:
    """Return a look as matplotlib takes it."""
    return {
        "facecolor": look.colour,
        "edgecolor": look.edge,
        "hatch": look.hatch,
        "linewidth": look.line,
        "linestyle": "--" if look.dashed else "-",
    }


def frame(axes: Axes, title: str, *, hidden: Sequence[str] = ("top", "right")) -> None:
    """Give axes their title and the look that all have."""
    axes.set_title(title, loc="left", fontsize=TITLE, color=INK)
    axes.set_facecolor(GROUND)
    axes.tick_params(colors=INK, labelsize=WORDS)
    axes.spines[list(hidden)].set_visible(False)


def add_legend(figure: Figure, handles: Sequence[Any], names: Sequence[str], columns: int = 4) -> None:
    """Add a legend below a figure."""
    figure.legend(
        handles, names, loc="outside lower center", ncols=columns, frameon=False, labelcolor=INK, fontsize=WORDS
    )

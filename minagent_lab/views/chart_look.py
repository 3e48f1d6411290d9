"""The look that all charts have, whatever draws them: the colours, and the kinds of bars."""

from __future__ import annotations

from typing import NamedTuple

INK, NEW = "#212121", "#145ea8"
GROUND, EDGE = "#faf9f6", "#8a8f98"  # the card that each chart stands on, as the pictures of the chapters do


class Look(NamedTuple):
    """How a kind of bar looks: its colour, and a hatch, so that the colour never tells it alone.

    Parameters
    ----------
    name
        What the legend calls it.
    colour, hatch
        What fills it; the hatch is ``""``, ``"///"``, ``"xxx"`` or ``"..."``, as matplotlib writes it.
    edge, line, dashed
        The colour and the width of its outline, and whether that is dashed.
    ink
        The colour of a number in it.
    thin
        Whether it is a thin bar.
    """

    name: str
    colour: str
    hatch: str = ""
    edge: str = INK
    line: float = 0.8
    dashed: bool = False
    ink: str = INK
    thin: bool = False

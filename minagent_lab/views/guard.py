"""A widget that shows nothing and keeps the notebook's shortcuts away from the box it stands in."""

from __future__ import annotations

from pathlib import Path

import anywidget
import traitlets


class Guard(anywidget.AnyWidget):
    """Put it into a box with the class ``lab-guarded``.

    Parameters
    ----------
    ways
        Whether it tells, as messages ``{"way": "next"}``, which way a key points: next, back, first or last.
    label
        What a screen reader calls the box.
    """

    _esm = (Path(__file__).parent / "guard.js").read_text(encoding="utf-8")
    ways = traitlets.Bool(default_value=False).tag(sync=True)
    label = traitlets.Unicode().tag(sync=True)

    def __repr__(self) -> str:
        return "<Guard>"

"""A widget that shows nothing and keeps the notebook's shortcuts away from the box it stands in."""

from __future__ import annotations

from pathlib import Path

import anywidget


class Guard(anywidget.AnyWidget):
    """Put it into a box with the class ``lab-guarded``."""

    _esm = (Path(__file__).parent / "guard.js").read_text(encoding="utf-8")

    def __repr__(self) -> str:
        return "<Guard>"

"""A text area in which problems stand at their lines: the stock widget, and the page's part of it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import anywidget
import ipywidgets as widgets
import traitlets

from minagent_lab.stepping.playbook import Problem
from minagent_lab.views.html import escape

HERE = Path(__file__).parent
SHOWN = 6  # problems listed under one text; who has more repairs these first


class Editor(widgets.VBox):  # type: ignore[misc]
    """A text area with the list of its problems.

    Parameters
    ----------
    part
        Which text it is.
    label
        What stands above it.
    rows
        How many lines it shows.

    Attributes
    ----------
    marks : dict
        For the page: how many ``lines`` there are, and which of them are ``bad``.
    """

    def __init__(self, part: str, label: str, rows: int) -> None:
        self.part = part
        self.marks: dict[str, Any] = {}
        self.area = widgets.Textarea(description=label, rows=rows, continuous_update=True)
        self.area.add_class("pg-area")
        self._errors = widgets.HTML()
        self._errors.add_class("pg-errors")
        super().__init__([self.area, self._errors])
        for name in ("pg-edit", f"pg-edit-{part}"):
            self.add_class(name)

    @property
    def value(self) -> str:
        """The text."""
        return str(self.area.value)

    def show(self, problems: Sequence[Problem]) -> None:
        """List problems; pressing one puts the cursor where it is."""
        items = "".join(
            f"<li><button type='button' data-part='{self.part}' data-at='{one.at}'><b>Line {one.line}:</b> "
            f"{escape(one.words)}</button></li>"
            for one in problems[:SHOWN]
        )
        more = len(problems) - SHOWN
        rest = f"<p class='pg-more'>and {more} more</p>" if more > 0 else ""
        self._errors.value = f"<ol>{items}</ol>{rest}" if items else ""
        self.marks = {"lines": self.value.count("\n") + 1, "bad": sorted({one.line for one in problems})}

    def __repr__(self) -> str:
        return f"<Editor {self.part}>"


class Editing(anywidget.AnyWidget):
    """The page's part: line numbers, the cursor, Ctrl+Enter, the clipboard."""

    _esm = (HERE / "playground.js").read_text(encoding="utf-8")
    _css = (HERE / "playground.css").read_text(encoding="utf-8")
    frame = traitlets.Dict().tag(sync=True)
    scale = traitlets.Float(1.0).tag(sync=True)

    def __repr__(self) -> str:
        return "<Editing>"

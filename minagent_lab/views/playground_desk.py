"""The parts of a playground: a bar, three texts with their problems, the place of the run, and the code of it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import ipywidgets as widgets

from minagent_lab.stepping.playbook import Texts
from minagent_lab.views.editing import Editing, Editor
from minagent_lab.views.playground_words import LABELS

ROWS = {"prompt": 4, "script": 10, "tools": 14}


class Desk:
    """All widgets of one playground, without what they do.

    Parameters
    ----------
    starts
        What the menu offers to begin with.
    scale
        The size of everything.
    """

    def __init__(self, starts: Iterable[str], scale: float) -> None:
        self.menu = widgets.Dropdown(options=starts, description="Start from")
        self.run_button, self.copy_button = _button("Run"), _button("Copy all as code")
        self.run_button.add_class("pg-run")
        self.status = _html("pg-status")
        bar = _box(widgets.HBox, "pg-bar", [self.menu, self.run_button, self.copy_button, self.status])
        self.editors = {part: Editor(part, LABELS[part], ROWS[part]) for part in Texts._fields}
        texts = _box(widgets.VBox, "pg-texts", list(self.editors.values()))
        self.mark = _html("pg-before")
        self.stage = _box(widgets.VBox, "pg-stage", [self.mark])
        self.code = widgets.Textarea(description="Code of the run", rows=14, layout=widgets.Layout(display="none"))
        for name in ("pg-area", "pg-code"):
            self.code.add_class(name)
        self.editing = Editing(frame={}, scale=scale)
        self.parts = [bar, _box(widgets.Box, "pg-desk", [texts, self.stage]), self.code, self.editing]


def _button(label: str) -> Any:
    return widgets.Button(description=label, tooltip="")


def _box(kind: type, name: str, children: list[Any]) -> Any:
    box = kind(children)
    box.add_class(name)
    return box


def _html(name: str) -> Any:
    made = widgets.HTML()
    made.add_class(name)
    return made

"""What opens below the stepper: its code to copy, and files to write. A pane is made when it is first opened."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import ipywidgets as widgets

from minagent_lab.views.html import escape

Press = Callable[[], None]


class Pane(widgets.VBox):  # type: ignore[misc]
    """A part that can be opened and closed.

    Parameters
    ----------
    title
        Its heading.
    parts
        The widgets below the heading.
    """

    def __init__(self, title: str, parts: list[Any]) -> None:
        self._heading = widgets.HTML()
        super().__init__([self._heading, *parts])
        self.add_class("lab-pane")
        self.title(title)

    def title(self, words: str) -> None:
        """Change the heading."""
        self._heading.value = f'<h3 class="lab-h"><b>{escape(words)}</b></h3>'

    def show(self, visible: bool) -> None:
        """Open or close it."""
        self.layout.display = "" if visible else "none"


def button(label: str, kind: str, press: Press | None) -> Any:
    """Return a button with a class of its own; without `press` it is the panel's module that does something."""
    made = widgets.Button(description=label, tooltip="")
    made.add_class(f"lab-{kind}")
    if press is not None:
        made.on_click(lambda _: press())
    return made


def area(label: str, rows: int) -> Any:
    """Return a field for text of several lines, with its label; it tells its value when one leaves it."""
    field = widgets.Textarea(description=label, rows=rows, continuous_update=False)
    field.add_class("lab-area")
    return field


class CodePane(Pane):
    """The run as the code of a cell, and a button that copies it."""

    def __init__(self) -> None:
        self.code = area("Code", 10)
        self.copy_button = button("Copy", "copy", None)  # only the browser can reach the clipboard
        row = widgets.HBox([self.copy_button, widgets.HTML("Paste it into a cell.")])
        row.add_class("lab-foot")
        super().__init__("Copy as code", [self.code, row])


class ExportPane(Pane):
    """Buttons that write a file beside the notebook, and the name of the file that was written.

    Parameters
    ----------
    write
        Writes a file with a suffix such as ``".json"`` and returns it.
    attempt
        Runs a handler, and shows what goes wrong.
    """

    def __init__(self, write: Callable[[str], Path], attempt: Callable[[Press], None]) -> None:
        self._write = write
        kinds = {".html": "HTML page", ".md": "Markdown", ".json": "JSON"}
        self.buttons = {
            suffix: button(label, "write", lambda suffix=suffix: attempt(lambda: self._save(suffix)))  # type: ignore[misc]
            for suffix, label in kinds.items()
        }
        self.said = widgets.HTML()
        row = widgets.HBox(list(self.buttons.values()))
        row.add_class("lab-foot")
        super().__init__("Export this run to a file beside the notebook", [row, self.said])

    def _save(self, suffix: str) -> None:
        self.said.value = f"<p>Written: <code>{escape(self._write(suffix).name)}</code></p>"

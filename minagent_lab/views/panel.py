"""The panel's widget: blocks that stay, and one small frame per step."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import anywidget
import traitlets

HERE = Path(__file__).parent
MODULE = (
    "dom",
    "draw",
    "time",
    "pairs",
    "question",
    "names",
    "keys",
    "panel",
)  # one module, in parts that are read alone
STYLES = ("theme", "question", "branches")


def module() -> str:
    """Return the panel's JavaScript: its parts in order, as one module."""
    return "\n".join((HERE / "js" / f"{name}.js").read_text(encoding="utf-8") for name in MODULE)


def styles() -> str:
    """Return all style sheets."""
    return "\n".join((HERE / "css" / f"{name}.css").read_text(encoding="utf-8") for name in STYLES)


class Panel(anywidget.AnyWidget):
    """Shows blocks of HTML that it keeps, as the frame says.

    `items` maps a list's name to its blocks. New blocks are appended in place and sent by message, so a step sends only
    what is new, while a page that is opened later gets all of them with the widget's state. `question` and `comparison`
    are HTML that is there in some states only.
    """

    _esm = module()
    _css = styles()
    facts = traitlets.Dict().tag(sync=True)
    items = traitlets.Dict().tag(sync=True)
    frame = traitlets.Dict().tag(sync=True)
    question = traitlets.Unicode().tag(sync=True)
    comparison = traitlets.Unicode().tag(sync=True)

    def add(self, blocks: list[tuple[str, Any]]) -> None:
        """Append blocks, each to the list that it is paired with."""
        sent = []
        for name, block in blocks:
            sent.append([name, len(self.items[name]), block])
            self.items[name].append(block)
        if sent:
            self.send({"op": "add", "blocks": sent})

    def _send(self, msg: Any, buffers: Any = None) -> None:
        """Send, and have the browser's answers handled where cells run: ipykernel 7 would take another thread."""
        super()._send(msg, buffers)
        if hasattr(self.comm, "_reply_subshell_id"):
            self.comm._reply_subshell_id = None

    def __repr__(self) -> str:
        return "<Panel>"

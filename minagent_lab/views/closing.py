"""Boxes that take along what they are made of when they are closed.

A widget stays registered in the kernel until it is closed, and ipywidgets closes the box alone: its children, layouts
and styles would stay, more of them each time a cell is run again.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import ipywidgets as widgets


class ClosingBox(widgets.VBox):  # type: ignore[misc]
    """A column of widgets that closes all of them with itself.

    Examples
    --------
    >>> text = widgets.HTML("Hi")
    >>> ClosingBox([text]).close()
    >>> text.comm is None
    True
    """

    def close(self) -> None:
        """Close the box with everything that it is made of."""
        close_all(self)
        super().close()


def close_all(widget: Any) -> None:
    """Close all that a box holds, at every depth, with layouts and styles; and its own layout and style."""
    if widget.comm is None:  # closed already, or never opened
        return
    for part in reversed(list(_tree(widget))):
        for own in (part.layout, getattr(part, "style", None)):
            if isinstance(own, widgets.Widget):
                own.close()
        if part is not widget:
            part.close()


def _tree(widget: Any) -> Iterator[Any]:
    yield widget
    for child in getattr(widget, "children", ()):
        yield from _tree(child)

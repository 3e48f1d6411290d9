"""First, Back, Next and Last, and a slider: for whatever has places that one can go to."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ipywidgets as widgets

from minagent_lab.views.closing import close_all

MOVES = {"first": "« First", "back": "‹ Back", "next": "Next ›", "last": "Last »"}


class Transport(widgets.HBox):  # type: ignore[misc]
    """Four buttons and a slider.

    Parameters
    ----------
    places
        The last place; the first is 0.
    go
        Called with the place to go to.
    noun
        What a place is, such as ``"piece"``.
    """

    def __init__(self, places: int, go: Callable[[int], None], noun: str) -> None:
        self._places, self._go, self._at, self._showing = places, go, 0, False
        self.buttons = {name: self._button(name, label) for name, label in MOVES.items()}
        self.slider = widgets.IntSlider(
            min=0,
            max=max(places, 1),
            readout=False,
            tooltip=f"The {noun} shown",
            layout=widgets.Layout(flex="1 1 auto"),
        )
        self.slider.observe(lambda change: None if self._showing else self._go(change["new"]), "value")
        super().__init__([*self.buttons.values(), self.slider])

    def move(self, name: str) -> None:
        """Go where a button, or a key, points."""
        places = {"first": 0, "back": self._at - 1, "next": self._at + 1, "last": self._places}
        if name in places:
            self._go(places[name])

    def show(self, at: int) -> None:
        """Show where one is."""
        self._at, self._showing = at, True
        self.slider.value = at
        self._showing = False

    def close(self) -> None:
        """Close the buttons and the slider too."""
        close_all(self)
        super().close()

    def _button(self, name: str, label: str) -> Any:
        style = {"font_weight": "bold"} if name == "next" else {}
        button = widgets.Button(description=label, tooltip="", style=style, layout=widgets.Layout(width="auto"))
        button.on_click(lambda _: self.move(name))
        return button

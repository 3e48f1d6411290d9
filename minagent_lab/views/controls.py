"""The stepper's stock controls: the transport, the menu of stops, the slider, the branches, and what opens below."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ipywidgets as widgets

from minagent_lab.stepping.stops import STOPS
from minagent_lab.views.branch_bar import BranchBar
from minagent_lab.views.fork_pane import ForkPane
from minagent_lab.views.frames import calls_shown
from minagent_lab.views.panes import CodePane, ExportPane, Pane, button

SPEEDS = {"1 call per second": 1000, "2 calls per second": 500, "1 call in 2 seconds": 2000}  # milliseconds between
UNTIL = {**{f"next {stop}": stop for stop in STOPS}, "the end": "end"}
MOVES = {"first": "« First", "back": "‹ Back", "next": "Next ›", "last": "Last »"}
PANES = {"fork": "Fork here", "code": "Copy as code", "export": "Export"}
Attempt = Callable[[Callable[[], Any]], None]


class Controls:
    """All stock controls of one view.

    Parameters
    ----------
    view
        The `StepperView` whose methods the buttons call.
    attempt
        Runs a handler, and shows in the view what goes wrong.
    """

    def __init__(self, view: Any, attempt: Attempt) -> None:
        self._view, self._attempt = view, attempt
        self.buttons = {name: self._button(label, name, getattr(view, name)) for name, label in MOVES.items()}
        self.play = self._button("Play", "play", view.play)
        self.speed = widgets.Dropdown(options=list(SPEEDS), tooltip="Speed of Play")
        self.speed.add_class("lab-speed")
        self.until = widgets.Dropdown(options=list(UNTIL), tooltip="Where to stop")
        self.until.add_class("lab-until")
        self.run = self._button("Run until", "run", lambda: view.run_until(UNTIL[self.until.value]))
        self.panes = {
            name: self._button(label, name, lambda name=name: view.open_pane(name))  # type: ignore[misc]
            for name, label in PANES.items()
        }
        reveal = [self._button("Reveal", "reveal", view.reveal)] if view._present else []
        parts = [*self.buttons.values(), *reveal, self.play, self.speed, self.run, self.until, *self.panes.values()]
        self.transport = widgets.HBox(parts)
        self.transport.add_class("lab-transport")
        self.branch_bar = BranchBar(self._show_branch, self._compare)
        self.slider = widgets.IntSlider(min=0, max=calls_shown(view.stepper), readout=False, tooltip="Call shown")
        self.slider.add_class("lab-slider")

    def follow(self, view: Any) -> None:
        """Show what the view has now."""
        self.play.description = "Pause" if view._playing else "Play"
        self.slider.value = view.stepper.index
        self.branch_bar.follow(view.branches, view.branch, comparing=view._compared is not None)

    def pane(self, name: str) -> Pane:
        """Make the pane of one of the buttons on the right."""
        if name == "fork":
            return ForkPane(self._view.fork, lambda: self._view.open_pane("fork"), self._attempt)
        return CodePane() if name == "code" else ExportPane(self._view.save_beside, self._attempt)

    def _button(self, label: str, name: str, press: Callable[[], Any]) -> Any:
        return button(label, name, lambda: self._attempt(press))

    def _show_branch(self, name: str) -> None:
        self._attempt(lambda: self._view.show_branch(name))

    def _compare(self, other: str) -> None:
        self._attempt(lambda: self._view.compare(other) if other else self._view.end_comparing())

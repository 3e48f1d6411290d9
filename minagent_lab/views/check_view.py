"""A check's report on the screen, with the next hint and the solution one press away."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import ipywidgets as widgets

from minagent_lab.views.closing import ClosingBox
from minagent_lab.views.guard import Guard


class Shown(Protocol):
    """Something that can be shown as HTML: a report, a note."""

    def html(self) -> str:
        """Return it as HTML that needs no style sheet."""


class CheckView(ClosingBox):
    """A report, and the help that is there for its exercise.

    Parameters
    ----------
    report
        What to show first.
    hints
        How many hints there are. Each press of the button shows one more; the ones before stay.
    hint, solution
        Give the hint of a number, from 0, and the solution. Before the exercise is solved, the solution can be had
        when all hints have been read.
    solved
        Whether there is nothing left to hint at.
    """

    def __init__(
        self, report: Shown, hints: int, hint: Callable[[int], Shown], solution: Callable[[], Shown], *, solved: bool
    ) -> None:
        self._hints, self._hint, self._solution = hints, hint, solution
        self._given = hints if solved else 0
        self._help: list[str] = []
        self._shown = widgets.HTML(report.html())
        self._said = widgets.HTML()
        self.hint_button = self._button(self.next_hint)
        self.solution_button = self._button(self.show_solution)
        self.solution_button.description = "Compare with a solution" if solved else "Show a solution"
        buttons = widgets.HBox([self.hint_button, self.solution_button])
        super().__init__([self._shown, buttons, self._said, Guard()])
        self.add_class("lab-guarded")
        self._offer()

    def next_hint(self) -> None:
        """Show one hint more."""
        if self._given < self._hints:
            self._say(self._hint(self._given))
            self._given += 1
            self._offer()

    def show_solution(self) -> None:
        """Show the solution."""
        self._say(self._solution())
        self.solution_button.layout.display = "none"

    def _button(self, press: Callable[[], None]) -> Any:
        button = widgets.Button(tooltip="", layout=widgets.Layout(width="auto"))
        button.on_click(lambda _: press())
        return button

    def _offer(self) -> None:
        left = self._given < self._hints
        self.hint_button.description = f"Hint {self._given + 1} of {self._hints}" if left else "No more hints"
        self.hint_button.layout.display = "" if left else "none"
        self.solution_button.layout.display = "none" if left else ""

    def _say(self, help: Shown) -> None:
        self._help.append(help.html())
        self._said.value = f"<div role='log'>{''.join(self._help)}</div>"

    def __repr__(self) -> str:
        return "<CheckView>"

"""The bar of branches: which one is shown, and two of them compared."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import ipywidgets as widgets

from minagent_lab.views.branches import Branch
from minagent_lab.views.panes import button


class BranchBar(widgets.HBox):  # type: ignore[misc]
    """A button per branch, and Compare with a menu of the others. Not shown while there is one branch only.

    Parameters
    ----------
    show
        Called with a branch's name.
    compare
        Called with the name of the branch to compare with, or ``""`` to end comparing.
    """

    def __init__(self, show: Callable[[str], None], compare: Callable[[str], None]) -> None:
        self._show = show
        self.buttons: dict[str, Any] = {}
        self.other = widgets.Dropdown(tooltip="Branch to compare with")
        self.other.add_class("lab-other")
        self.compare_button = button("Compare with", "compare", lambda: compare(self._wanted()))
        self._comparing = False
        self._label = widgets.HTML("<b>Branches</b>")
        super().__init__([self._label, self.compare_button, self.other], layout=widgets.Layout(display="none"))
        self.add_class("lab-branches")

    def _wanted(self) -> str:
        return "" if self._comparing else str(self.other.value or "")

    def follow(self, branches: Sequence[Branch], current: Branch, comparing: bool) -> None:
        """Show the branches that there are."""
        if len(branches) < 2:
            return
        for branch in branches:
            if branch.name not in self.buttons:
                name = branch.name
                made = button(f"Branch {name}", f"branch-{name}", lambda name=name: self._show(name))  # type: ignore[misc]
                self.buttons[name] = made
        self.children = (self._label, *self.buttons.values(), self.compare_button, self.other)
        self.layout.display = ""
        names = [branch.name for branch in branches if branch is not current]
        options = [(f"branch {name}", name) for name in names]
        if tuple(options) != tuple(self.other.options):
            self.other.options = options
            self.other.value = current.parent.name if current.parent else names[-1]
        self._comparing = comparing
        self.compare_button.description = "End comparing" if comparing else "Compare with"

"""The branches of a stepper's view: making one, showing one, comparing two."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minagent_lab.errors import ForkError
from minagent_lab.stepping.comparing import Comparison, compare
from minagent_lab.stepping.forking import fork
from minagent_lab.stepping.predictions import Predictions
from minagent_lab.views.branches import Branch, letters, what_was_edited
from minagent_lab.views.frames import facts_of, items_of
from minagent_lab.views.moving import Moving
from minagent_lab.views.panel import Panel


class Branching(Moving):
    """What a view does with the branches of its run."""

    panel: Panel
    _branches: list[Branch]
    _compared: tuple[Branch, Branch] | None
    _notice: str
    _pane: str
    _scale: float
    _stop_watching: Callable[[], None]

    @property
    def branches(self) -> tuple[Branch, ...]:
        """All branches of the run, the first one first."""
        return tuple(self._branches)

    @property
    def branch(self) -> Branch:
        """The branch that is shown."""
        return next(branch for branch in self._branches if branch.stepper is self.stepper)

    def fork(self, call: int | None = None, **changes: Any) -> Branch:
        """Make another branch of the run, and show it. The one that was shown stays as it is.

        Parameters
        ----------
        call, changes
            As for `stepping.forking.fork`: ``item``, ``script``, ``results``, ``prompt`` or ``system``.

        Raises
        ------
        ForkError
            It cannot be forked so; no branch is made.
        """
        parent = self.branch
        at = (self.stepper.index or 1) if call is None else call
        made = fork(self.stepper, at, **changes)
        name = letters(len(self._branches))
        branch = Branch(name, made, what_was_edited(parent.stepper, at, changes), at, parent)
        if parent.predictions:
            branch.predictions = Predictions(made)
        self._branches.append(branch)
        self._pane = ""
        self._notice = f"Branch {name}: {branch.edited}. Branch {parent.name} stays as it was."
        self.show_branch(name)
        return branch

    def show_branch(self, name: str) -> None:
        """Show a branch by its name, such as ``"A"``."""
        branch = self._named(name)
        self._playing, self._compared = False, None
        if branch.stepper is not self.stepper:
            self._stop_watching()
            self.stepper = branch.stepper
            self._stop_watching = self.stepper.watch(self.refresh)
            with self.panel.hold_sync():
                self.panel.facts = facts_of(self.stepper, self._scale)
                self.panel.items = items_of(self.stepper)
                self.refresh()
        else:
            self.refresh()

    def compare(self, other: str | None = None) -> Comparison:
        """Show the branch that is shown beside another one, and return the comparison.

        Parameters
        ----------
        other
            The name of the other branch; where it is left out, the one that it was forked from, or the last one.
        """
        if len(self._branches) < 2:
            raise ForkError("there is one branch only; fork the run first, then compare")
        here = self.branch
        beside = here.parent or self._branches[-1] if other is None else self._named(other)
        self._compared = (here, beside) if self._branches.index(here) < self._branches.index(beside) else (beside, here)
        self.refresh()
        first, second = self._compared
        return compare(first.stepper, second.stepper)

    def end_comparing(self) -> None:
        """Show the one branch again."""
        self._compared = None
        self.refresh()

    def _named(self, name: str) -> Branch:
        for branch in self._branches:
            if branch.name == name:
                return branch
        names = ", ".join(branch.name for branch in self._branches)
        raise ForkError(f"there is no branch {name!r:.40}; there is {names}")

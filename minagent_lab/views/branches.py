"""Branches of a run: what each is called, and where it comes from."""

from __future__ import annotations

from typing import Any

from minagent_lab.stepping.forking import item_number
from minagent_lab.stepping.predictions import Predictions
from minagent_lab.stepping.stepper import Stepper

SCRIPTED = "as scripted"


class Branch:
    """One branch of a run.

    Parameters
    ----------
    name
        ``"A"``, ``"B"``, ``"C"`` and so on.
    stepper
        The run itself.
    edited
        What was changed, such as ``"item 2 edited"``; empty for the first branch.
    at
        The call that was forked; 0 for the first branch.
    parent
        The branch that it comes from; ``None`` for the first.
    """

    predictions: Predictions | None = None

    def __init__(
        self, name: str, stepper: Stepper, edited: str = "", at: int = 0, parent: Branch | None = None
    ) -> None:
        self.name, self.stepper, self.edited, self.at, self.parent = name, stepper, edited, at, parent

    @property
    def title(self) -> str:
        """The name, and where the branch comes from."""
        return f"Branch {self.name}, {f'forked at call {self.at}' if self.parent else SCRIPTED}"

    def __repr__(self) -> str:
        return f"<{self.title}{f': {self.edited}' if self.edited else ''}>"


def letters(number: int) -> str:
    """Return the name of a branch, from its number.

    Examples
    --------
    >>> [letters(number) for number in (0, 1, 25, 26)]
    ['A', 'B', 'Z', 'AA']
    """
    more, last = divmod(number, 26)
    return (letters(more - 1) if more else "") + chr(ord("A") + last)


def what_was_edited(stepper: Stepper, call: int, changes: dict[str, Any]) -> str:
    """Return in a few words what a fork changes."""
    if results := changes.get("results"):
        return f"result of {', '.join(map(str, results))} edited"
    words = {"item": f"item {item_number(stepper, call)}", "script": "script", "system": "system prompt"}
    return f"{' and '.join(words.get(name, name) for name in changes if name != 'results')} edited"

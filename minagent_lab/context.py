"""Which run is going on: known to what is called inside it, however deep, without being passed along."""

from __future__ import annotations

from contextvars import ContextVar
from typing import Any


class Run:
    """One run of `arun`, from its start to its end.

    Parameters
    ----------
    trace
        Where it is written down, if it is.

    Attributes
    ----------
    over : bool
        Whether it has ended.
    """

    def __init__(self, trace: Any = None) -> None:
        self.trace = trace
        self.over = False

    def __repr__(self) -> str:
        return f"<Run: {'over' if self.over else 'going on'}>"


current_run: ContextVar[Run | None] = ContextVar("the run that is going on", default=None)

"""Which run is going on: known to what is called inside it, however deep, without being passed along."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
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
retry_layers: ContextVar[int] = ContextVar("how many layers that retry stand round what is called", default=0)


@contextlib.contextmanager
def inside_a_retry_layer() -> Iterator[None]:
    """Let what is called in the block know that one layer more stands round it."""
    token = retry_layers.set(retry_layers.get() + 1)
    try:
        yield
    finally:
        with contextlib.suppress(ValueError):  # a coroutine that is thrown away ends in a context that is not its own
            retry_layers.reset(token)

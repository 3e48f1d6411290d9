"""One piece of code for two worlds: a coroutine that never waits can be finished without a loop."""

from __future__ import annotations

from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class WouldWait(RuntimeError):
    """A coroutine waits for something, where nobody can wait."""


def at_once(work: Coroutine[Any, Any, T]) -> T:
    """Finish a coroutine that waits for nothing, and return what it returns.

    Raises
    ------
    WouldWait
        It waits for something after all.

    Examples
    --------
    >>> async def sum_of(a, b):
    ...     return a + b
    >>> at_once(sum_of(2, 3))
    5
    """
    try:
        work.send(None)
    except StopIteration as end:
        return end.value  # type: ignore[no-any-return]
    work.close()
    raise WouldWait(f"{getattr(work, '__qualname__', 'it')} waits for something, and here nobody can")

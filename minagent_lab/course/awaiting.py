"""Async code of a learner, driven to its end by hand: a notebook's loop is running already and cannot be waited for.

A coroutine hands what it waits for to whoever drives it, and here that is us. ``asyncio.sleep(0)`` hands out ``None``,
"let others go first", and there are no others. Whatever else it hands out would take a loop and some time, and a check
has neither. So there is no thread and no second loop: the limit of steps, the captured output and Ctrl-C work as for
any other code, and so does a browser, in which there are no threads.
"""

from __future__ import annotations

import contextlib
import inspect
from typing import Any


def finished(thing: Any) -> Any:
    """Return what an awaitable comes to; what is no awaitable comes back as it is.

    Raises
    ------
    AssertionError
        It waits for something that has to come from elsewhere: time, a task, a network.

    Examples
    --------
    >>> async def twice(n): return 2 * n
    >>> finished(twice(4)), finished(8)
    (8, 8)
    """
    if not inspect.isawaitable(thing):
        return thing
    steps = thing.__await__()
    try:
        while next(steps) is None:
            pass
    except StopIteration as end:
        return end.value
    except RuntimeError as problem:
        if str(problem) != "no running event loop":  # what asyncio says to the same where no notebook is running
            raise
    with contextlib.suppress(RuntimeError):  # it goes on although it was closed
        steps.close()
    raise AssertionError("it waits for something else: time, a task, a network; here, nothing takes time")

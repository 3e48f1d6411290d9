"""Async code of a learner, run to its end, also where a loop is running already, as in a notebook.

It gets a loop of its own, in which no real time passes: where there is nothing to do but to wait for a timer, that
timer is due. And where nothing is left that could ever happen, the coroutine waits for ever, and that is said instead
of waited for. There is no other thread: the limit of steps, the captured output and Ctrl-C work as for any other code,
and so does a browser, in which there are no threads.
"""

from __future__ import annotations

import asyncio
import contextlib
import inspect
from collections.abc import Iterator
from typing import Any

from minagent_lab.course.running import TooLong

ROUNDS = 10_000  # of the loop that a learner's code may take in one test; an honest one takes some dozens


class WaitsForEver(TooLong):
    """A coroutine waits, and nothing is left to run that could end its wait."""

    def __init__(self) -> None:
        super().__init__("it waits for something that never comes: nothing is left to run that could end its wait")


def finished(thing: Any) -> Any:
    """Return what an awaitable comes to; what is no awaitable comes back as it is.

    Raises
    ------
    WaitsForEver
        It did not end, and never will.

    Examples
    --------
    >>> async def answer(): return await asyncio.sleep(3600, 42)
    >>> finished(answer()), finished(8)
    (42, 8)
    """
    if not inspect.isawaitable(thing):
        return thing

    async def whole() -> Any:
        return await thing

    loop = _Timeless()
    with _outside_of_the_running_loop():
        try:
            return loop.run_until_complete(whole())
        finally:
            _clear(loop)


class _Timeless(asyncio.BaseEventLoop):
    """A loop whose clock jumps to the next timer. It waits for no file, no connection and no thread."""

    def __init__(self) -> None:
        super().__init__()
        self._selector = self  # the loop asks this one what has happened outside: nothing ever does
        self._now, self.rounds = 0.0, 0

    def time(self) -> float:
        return self._now

    def select(self, timeout: float | None) -> list[Any]:
        """Wait, as far as the loop can tell. ``None`` means that it has nothing to wait for."""
        self.rounds += 1
        if self.rounds > ROUNDS:
            raise TooLong(f"it did not come to an end: stopped after {ROUNDS:,} rounds of the event loop")
        if timeout is None:
            raise WaitsForEver
        self._now += timeout
        return []

    def _process_events(self, events: list[Any]) -> None: ...

    def _write_to_self(self) -> None: ...


def _clear(loop: _Timeless) -> None:
    """End what is left, so that each ``finally`` of it runs; then close the loop."""
    loop.set_exception_handler(lambda *_: None)
    loop.rounds = 0
    if left := asyncio.all_tasks(loop):
        for task in left:
            task.cancel()
        with contextlib.suppress(TooLong):  # something that swallows its cancellation is let go
            loop.run_until_complete(asyncio.wait(left))
    loop.close()


@contextlib.contextmanager
def _outside_of_the_running_loop() -> Iterator[None]:
    """Step out of the loop that is running in this thread, if one is, and back in afterwards."""
    loop = asyncio._get_running_loop()
    task = asyncio.current_task(loop) if loop else None
    if loop and task:
        asyncio.tasks._leave_task(loop, task)
    asyncio._set_running_loop(None)
    try:
        yield
    finally:
        asyncio._set_running_loop(loop)
        if loop and task:
            asyncio.tasks._enter_task(loop, task)

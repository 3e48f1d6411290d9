"""A loop of one's own: runs coroutines while somebody who is not async waits for them.

It runs in a thread of its own, so that it works where a loop is running already, as in a notebook, and nobody's running
loop is touched. A page in a browser has no threads; there its own loop is asked, or nothing is waited for.
"""

from __future__ import annotations

import asyncio
import sys
import threading
import weakref
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any, Protocol, TypeVar

from minagent_lab.awaiting import WouldWait, at_once

T = TypeVar("T")

A_LOOK = 0.2  # seconds after which somebody who waits looks up: a Ctrl-C that comes just before the wait ends no wait


class OwnLoop(Protocol):
    """A loop that runs until it is closed."""

    def wait_for(self, begin: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """Run the coroutine that `begin` makes, wait for it here, and return what it returns."""

    def close(self) -> None:
        """End the loop."""


def own_loop() -> OwnLoop:
    """Return a loop of one's own."""
    return LoopOfThePage() if sys.platform == "emscripten" else LoopInAThread()


class LoopInAThread:
    """A loop that runs in a thread until it is closed, or until nobody has it any more."""

    def __init__(self) -> None:
        begun: threading.Event = threading.Event()
        held: dict[str, Any] = {}
        self._thread = threading.Thread(target=_serve, args=(held, begun), name="minagent_lab loop", daemon=True)
        self._thread.start()
        begun.wait()
        self._loop: asyncio.AbstractEventLoop = held["loop"]
        self.close: Callable[[], Any] = weakref.finalize(self, _end, self._loop, held["end"], self._thread)

    def wait_for(self, begin: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """Run a coroutine over there, and wait for it here. Ctrl-C here cancels it there."""
        future = asyncio.run_coroutine_threadsafe(_outcome(begin), self._loop)
        try:
            while not future.done():
                with suppress(TimeoutError):  # ours; that of the coroutine is its outcome
                    future.result(A_LOOK)
            return _given(*future.result())
        finally:
            future.cancel()


class LoopOfThePage:
    """The loop of a page in a browser: a cell can wait for it. The press of a button cannot."""

    def wait_for(self, begin: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """Run a coroutine, and wait for it if the browser lets us.

        Raises
        ------
        WouldWait
            It waits for something, and nobody can wait here.
        """
        from pyodide.ffi import can_run_sync, run_sync  # only there

        if can_run_sync():
            outcome: tuple[T | None, BaseException | None] = run_sync(_outcome(begin))
            return _given(*outcome)
        try:
            return at_once(begin())
        except WouldWait as problem:
            raise WouldWait(
                f"{problem}: in a browser a button cannot wait. Step in a cell, as with step(..., at=2), or await "
                "arun(...)"
            ) from None

    def close(self) -> None:
        """Do nothing: the page's loop goes on."""


async def _outcome(begin: Callable[[], Coroutine[Any, Any, T]]) -> tuple[T | None, BaseException | None]:
    """Return what came of a coroutine, errors too.

    One that passed through a loop would do harm on its way: SystemExit ends a loop and its thread, and a page reports
    whatever passes through it, even if we catch it then.
    """
    try:
        return await begin(), None
    except BaseException as error:
        return None, error


def _given(answer: T | None, error: BaseException | None) -> T:
    """Return an answer, or raise what came instead."""
    if error is not None:
        raise error
    return answer  # type: ignore[return-value]  # None, where that is the answer


def _serve(held: dict[str, Any], begun: threading.Event) -> None:
    async def wait_for_the_end() -> None:
        held["loop"], held["end"] = asyncio.get_running_loop(), asyncio.Event()
        begun.set()
        await held["end"].wait()

    asyncio.run(wait_for_the_end())


def _end(loop: asyncio.AbstractEventLoop, end: asyncio.Event, thread: threading.Thread) -> None:
    loop.call_soon_threadsafe(end.set)
    if thread is not threading.current_thread():
        thread.join()

"""Cooperative cancellation: a controller gives the signal, and whoever was handed the signal stops.

A signal belongs to one call. It is passed along with it and never kept in a provider, so stopping one call stops no
other. It is given once and stays given. Source: the provider lesson; the names are those of the web platform.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, TypeVar

from minagent_lab.errors import AbortError

if TYPE_CHECKING:
    import asyncio

T = TypeVar("T")


class AbortSignal:
    """Tells whether to stop. It comes from an `AbortController`.

    Examples
    --------
    >>> controller = AbortController()
    >>> controller.signal.aborted
    False
    >>> controller.abort("the user pressed Stop")
    >>> controller.signal
    <AbortSignal: aborted, the user pressed Stop>
    """

    def __init__(self) -> None:
        self._reason: str | None = None
        self._listeners: list[Callable[[], None]] = []
        self._lock = threading.Lock()

    @property
    def aborted(self) -> bool:
        """Whether the signal was given."""
        return self._reason is not None

    @property
    def reason(self) -> str:
        """Why, in the words of who gave it; empty when nothing was said."""
        return self._reason or ""

    def throw_if_aborted(self) -> None:
        """Raise `AbortError` when the signal was given."""
        if self.aborted:
            raise AbortError(self.reason)

    def on_abort(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Have `listener` called when the signal is given, now if it was; return the function that ends this."""
        with self._lock:
            if not self.aborted:
                self._listeners.append(listener)
                return lambda: self._forget(listener)
        listener()
        return lambda: None

    def _forget(self, listener: Callable[[], None]) -> None:
        with self._lock, contextlib.suppress(ValueError):
            self._listeners.remove(listener)

    def _give(self, reason: str) -> None:
        with self._lock:
            if self.aborted:
                return
            self._reason = reason
            listeners, self._listeners = self._listeners, []
        for listener in listeners:
            listener()

    def __repr__(self) -> str:
        if not self.aborted:
            return "<AbortSignal: not aborted>"
        return f"<AbortSignal: aborted{f', {self.reason}' if self.reason else ''}>"


class AbortController:
    """Gives one signal, once. Any thread may call `abort`.

    Attributes
    ----------
    signal : AbortSignal
        What to hand to the call that may have to stop.
    """

    def __init__(self) -> None:
        self.signal = AbortSignal()

    def abort(self, reason: str = "") -> None:
        """Give the signal. A second time changes nothing."""
        self.signal._give(str(reason))

    def __repr__(self) -> str:
        return f"<AbortController: {'aborted' if self.signal.aborted else 'not aborted'}>"


async def abortable(awaitable: Awaitable[T], signal: AbortSignal | None) -> T:
    """Wait for something, but no longer than until the signal is given.

    What is waited for is then cancelled, and has come to its end before this raises. What had finished by then counts
    as finished.

    Raises
    ------
    AbortError
        The signal was given first.
    """
    if signal is None:
        return await awaitable
    import asyncio  # here, because it costs as much as all the rest of the package, and only those who wait need it

    task = asyncio.ensure_future(awaitable)
    loop = asyncio.get_running_loop()
    if signal.aborted:  # do not even begin
        task.cancel()
    stop_listening = signal.on_abort(lambda: _cancel_soon(loop, task))
    try:
        return await task
    except asyncio.CancelledError:
        caller = asyncio.current_task()
        if signal.aborted and not (caller and caller.cancelling()):
            raise AbortError(signal.reason) from None
        raise
    finally:
        stop_listening()


def _cancel_soon(loop: asyncio.AbstractEventLoop, task: asyncio.Future[T]) -> None:
    with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits any more
        loop.call_soon_threadsafe(task.cancel)

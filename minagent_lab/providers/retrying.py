"""Retrying: the one place where a request is sent again.

Each layer that retries multiplies what the others do: three attempts round three attempts are nine requests. So the
adapters send each request once, and whoever wants more puts a `Retrying` round them. What cannot succeed later is not
tried again, a service that says how long to wait is believed, and a wait that would be too long is not begun.
Source: the provider lesson (who owns retries; attempts belong in the trace).
"""

from __future__ import annotations

import asyncio
import math
import random
import time
from collections.abc import Awaitable, Callable
from typing import Any

from minagent_lab.abort import AbortSignal, abortable
from minagent_lab.context import current_run, inside_a_retry_layer
from minagent_lab.errors import ProviderError
from minagent_lab.messages import ModelResponse
from minagent_lab.model import ModelProvider, ModelRequest


class Retrying:
    """A provider that asks another one again where that may help.

    Only a `ProviderError` that is ``retryable`` is tried again. An abort is not, and ends a wait at once.

    Parameters
    ----------
    provider
        Whom to ask.
    attempts
        How many requests there are at most, the first one included.
    first_wait, factor
        How long to wait after the first failure, in seconds, and how many times longer after each further one.
    max_wait
        The longest wait, in seconds. Where the service asks for a longer one, the error is raised at once; it says
        how long in ``retry_after``.
    deadline
        How many seconds after the first request the last one may begin. A wait that would go beyond is not begun.
    jitter
        Gives a number from 0 to 1 for each wait that the service did not name. The wait is shortened by up to a half
        of itself, so that many clients that failed together do not all come back together. Pass
        ``random.Random(1).random`` for the same waits every time.
    sleep, clock
        What waits and what tells the time, both in seconds. A `TickingClock` is both, and takes no time.
    trace
        Where attempts are written down; by default in the trace of the run that is going on.

    Examples
    --------
    >>> from minagent_lab import FakeModelProvider, Message
    >>> from minagent_lab.errors import ServerError
    >>> from minagent_lab.observe.clock import TickingClock
    >>> clock = TickingClock(step=0)
    >>> flaky = FakeModelProvider([ServerError("down"), ServerError("down"), "Hello."])
    >>> provider = Retrying(flaky, attempts=3, jitter=lambda: 0, sleep=clock.sleep, clock=clock)
    >>> asyncio.run(provider.complete(ModelRequest([Message("user", "Hi")]))).message.content
    'Hello.'
    >>> len(flaky.calls), clock.slept
    (3, [0.5, 1.0])
    """

    def __init__(
        self,
        provider: ModelProvider,
        attempts: int = 3,
        *,
        first_wait: float = 0.5,
        factor: float = 2.0,
        max_wait: float = 60.0,
        deadline: float | None = None,
        jitter: Callable[[], float] = random.random,
        sleep: Callable[[float], Awaitable[Any]] = asyncio.sleep,
        clock: Callable[[], float] = time.monotonic,
        trace: Any = None,
    ) -> None:
        if isinstance(provider, type) or not callable(getattr(provider, "complete", None)):
            raise TypeError(f"provider is {provider!r:.80}; pass an object with async complete(request, signal)")
        if isinstance(attempts, bool) or not isinstance(attempts, int) or attempts < 1:
            raise ValueError(
                f"attempts is {attempts!r:.80}; it is a whole number from 1 up, the first request included"
            )
        for name, number, least in (("first_wait", first_wait, 0), ("factor", factor, 1), ("max_wait", max_wait, 0)):
            _check(name, number, least)
        if deadline is not None:
            _check("deadline", deadline, 0)
        self.provider, self.attempts = provider, attempts
        self._first_wait, self._factor, self._max_wait, self._deadline = first_wait, factor, max_wait, deadline
        self._jitter, self._sleep, self._clock, self._trace = jitter, sleep, clock, trace

    async def complete(self, request: ModelRequest, signal: AbortSignal | None = None) -> ModelResponse:
        """Ask until there is a response, or no attempt is left that may help.

        Raises
        ------
        ProviderError
            The last one. A note at it says how many attempts there were, and why there is no further one.
        AbortError
            The signal was given, before an attempt, in one, or while waiting.
        """
        trace, start = self._where_to_write(), self._clock()
        for number in range(1, self.attempts + 1):
            if signal is not None:
                signal.throw_if_aborted()
            if trace is not None and number > 1:
                trace.attempt_started(number, self.attempts)
            try:
                with inside_a_retry_layer():
                    return await self.provider.complete(request, signal)
            except ProviderError as error:
                wait, why_not = self._next_wait(error, number, start)
                if trace is not None:
                    trace.attempt_failed(number, self.attempts, error, wait)
                if wait is None:
                    error.add_note(f"attempt {number} of {self.attempts}; {why_not}")
                    raise
            await abortable(self._sleep(wait), signal)
        raise AssertionError  # the last attempt returns or raises

    def _next_wait(self, error: ProviderError, number: int, start: float) -> tuple[float | None, str]:
        """Return how long to wait before the next attempt; ``None``, and why, where there is to be none."""
        if not error.retryable:
            return None, f"not sent again: {type(error).__name__} would come again"
        if number == self.attempts:
            return None, "no attempt is left"
        wait = _told(error)
        if wait is None:
            wait = self._backoff(number)
        elif wait > self._max_wait:
            return None, f"not sent again: the service asks to wait {wait:g} s, and max_wait is {self._max_wait:g} s"
        if self._deadline is not None and self._clock() - start + wait > self._deadline:
            return None, f"not sent again: a wait of {wait:g} s would go beyond the deadline of {self._deadline:g} s"
        return wait, ""

    def _backoff(self, number: int) -> float:
        try:
            wait = min(self._first_wait * self._factor ** (number - 1), self._max_wait)
        except OverflowError:
            wait = self._max_wait
        return wait * (1 - min(max(self._jitter(), 0.0), 1.0) / 2)

    def _where_to_write(self) -> Any:
        run = current_run.get()
        trace = self._trace if self._trace is not None or run is None else run.trace
        return trace if hasattr(trace, "attempt_failed") else None  # a trace of somebody's own may not know attempts

    def __repr__(self) -> str:
        return f"<Retrying: {self.attempts} attempt{'s' * (self.attempts != 1)} at {self.provider!r}>"


def _told(error: ProviderError) -> float | None:
    """Return how long the service asks to wait, if it says so in a way that can be followed."""
    told = error.retry_after
    return told if isinstance(told, (int, float)) and math.isfinite(told) and told >= 0 else None


def _check(name: str, number: Any, least: float) -> None:
    if isinstance(number, bool) or not isinstance(number, (int, float)):
        raise TypeError(f"{name} is {number!r:.80}; it is a number from {least} up")
    if not math.isfinite(number) or number < least:
        raise ValueError(f"{name} is {number}; it is a number from {least} up")

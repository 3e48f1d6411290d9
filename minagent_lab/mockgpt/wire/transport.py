"""A transport for clients in this process, sync and async at once; the classes of httpx2 and of httpx are its two ends.

Each request gets a response and a body of its own, so one transport serves any number of clients, calls and retries.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Iterator
from typing import TYPE_CHECKING, Any

from minagent_lab.awaiting import at_once
from minagent_lab.checks import refuse_async
from minagent_lab.mockgpt.wire.application import Application, NoConnection, Reply, Sleep
from minagent_lab.mockgpt.wire.asked import Asked
from minagent_lab.mockgpt.wire.travel import Broken, Way

if TYPE_CHECKING:
    from minagent_lab.mockgpt.mock import MockGPT


class Body:
    """The body of one response, in pieces."""

    def __init__(self, way: Way, waits: Waits) -> None:
        self._way, self._waits = way, waits

    def __iter__(self) -> Iterator[bytes]:
        try:
            for part in self._way:
                if isinstance(part, float):
                    self._waits.sleep(part)
                else:
                    yield part
        except Broken:
            raise self._waits.broken() from None

    async def __aiter__(self) -> AsyncIterator[bytes]:
        try:
            for part in self._way:
                if isinstance(part, float):
                    await self._waits.asleep(part)
                else:
                    yield part
        except Broken:
            raise self._waits.broken() from None


class Waits:
    """How one request waits: as long as it is told, but no longer than its client would."""

    def __init__(self, mock: MockGPT, httpx: Any, request: Any) -> None:
        self._mock, self._httpx, self._request = mock, httpx, request

    def sleep(self, seconds: float) -> None:
        """Wait, in a sync client."""
        limit, sleep = self._limit(), self._mock.sleep or time.sleep
        waited = sleep(seconds if limit is None else min(seconds, limit))
        if hasattr(waited, "__await__"):
            refuse_async("sleep", waited, "give a sync client a sleep that is no coroutine")
        self._in_time(seconds, limit)

    async def asleep(self, seconds: float) -> None:
        """Wait, in an async client."""
        limit, sleep = self._limit(), self._mock.sleep or asyncio.sleep
        waited = sleep(seconds if limit is None else min(seconds, limit))
        if hasattr(waited, "__await__"):
            await waited
        self._in_time(seconds, limit)

    async def sleep_at_once(self, seconds: float) -> None:
        """Wait in a sync client, where something to await is wanted."""
        self.sleep(seconds)

    def _limit(self) -> float | None:
        limit: float | None = self._request.extensions.get("timeout", {}).get("read")
        return limit

    def _in_time(self, seconds: float, limit: float | None) -> None:
        if limit is not None and seconds > limit:
            raise self._httpx.ReadTimeout("The read operation timed out", request=self._request)

    def broken(self) -> Exception:
        """Return what a client raises when the connection breaks in the middle of a body."""
        told = "peer closed connection without sending complete message body (incomplete chunked read)"
        return self._httpx.RemoteProtocolError(told, request=self._request)  # type: ignore[no-any-return]


class Transport:
    """What the transports for httpx2 and httpx have in common."""

    def __init__(self, mock: MockGPT, httpx: Any, body: type[Body]) -> None:
        self._mock, self._httpx, self._body = mock, httpx, body
        self._application = Application(mock)

    def handle_request(self, request: Any) -> Any:
        """Answer a request of a sync client."""
        waits = Waits(self._mock, self._httpx, request)
        asked = _asked(request, request.read())
        return self._sent(self._application.answer(asked, waits.sleep_at_once, waiting=False), waits, request)

    def _sent(self, answering: Any, waits: Waits, request: Any) -> Any:
        try:
            return self._response(at_once(answering), waits)
        except NoConnection:
            raise self._httpx.ConnectError("Connection refused", request=request) from None

    async def handle_async_request(self, request: Any) -> Any:
        """Answer a request of an async client."""
        waits = Waits(self._mock, self._httpx, request)
        asked = _asked(request, await request.aread())
        sleep: Sleep = waits.asleep
        try:
            return self._response(await self._application.answer(asked, sleep, waiting=True), waits)
        except NoConnection:
            raise self._httpx.ConnectError("Connection refused", request=request) from None

    def _response(self, reply: Reply, waits: Waits) -> Any:
        if isinstance(reply.body, bytes):
            return self._httpx.Response(reply.status, headers=reply.headers, content=reply.body)
        length = [] if reply.length is None else [("content-length", str(reply.length))]
        stream = self._body(reply.body, waits)
        return self._httpx.Response(reply.status, headers=reply.headers + length, stream=stream)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self._mock!r}>"


def _asked(request: Any, body: bytes) -> Asked:
    headers = {str(name, "latin-1").lower(): str(held, "latin-1") for name, held in request.headers.raw}
    return Asked(request.method, request.url.path, headers, body)

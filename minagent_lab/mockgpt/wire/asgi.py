"""The same service as an ASGI application, for a server on a socket.

A client that goes away while it waits for its answer has used up nothing, as with a transport in its own process.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, MutableMapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from minagent_lab.mockgpt.wire.application import Application, NoConnection, Reply
from minagent_lab.mockgpt.wire.asked import Asked
from minagent_lab.mockgpt.wire.travel import Broken

if TYPE_CHECKING:
    from minagent_lab.mockgpt.mock import MockGPT

Event = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Event]]
Send = Callable[[Event], Awaitable[None]]


class AsgiApplication:
    """A `MockGPT` as an ASGI application.

    Where the connection has to break, it returns before its response is whole; a server closes the connection then.
    """

    def __init__(self, mock: MockGPT) -> None:
        self._mock = mock
        self._application = Application(mock)

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            raise ValueError(f"a connection of the type {scope['type']!r} is none that MockGPT knows; it speaks HTTP")
        headers = {name.decode("latin-1").lower(): held.decode("latin-1") for name, held in scope["headers"]}
        body = await self._body(receive)
        if body is None:
            return
        asked = Asked(scope["method"], scope["path"], headers, body)
        await _unless_gone(self._respond(asked, send), receive)

    async def _respond(self, asked: Asked, send: Send) -> None:
        try:
            reply = await self._application.answer(asked, self._sleep, waiting=True)
        except NoConnection:
            reply = Reply(200, [], iter(()), 1)  # a byte that never comes
        pairs = reply.headers if reply.length is None else [*reply.headers, ("content-length", str(reply.length))]
        told = [(name.encode("latin-1"), held.encode("latin-1")) for name, held in pairs]
        await send({"type": "http.response.start", "status": reply.status, "headers": told})
        if isinstance(reply.body, bytes):
            await send({"type": "http.response.body", "body": reply.body})
            return
        sent = 0
        with suppress(Broken):
            for part in reply.body:
                if isinstance(part, float):
                    await self._sleep(part)
                else:
                    await send({"type": "http.response.body", "body": part, "more_body": True})
                    sent += len(part)
            if reply.length in (None, sent):
                await send({"type": "http.response.body", "body": b""})

    async def _body(self, receive: Receive) -> bytes | None:
        """Return the body, and of one that is too long no more than shows it; ``None`` when the client has gone."""
        body = bytearray()
        while True:
            event = await receive()
            if event["type"] == "http.disconnect":
                return None
            if len(body) <= self._application.longest:
                body += event.get("body", b"")
            if not event.get("more_body"):
                return bytes(body)

    async def _sleep(self, seconds: float) -> None:
        waited = (self._mock.sleep or asyncio.sleep)(seconds)
        if hasattr(waited, "__await__"):
            await waited


async def _unless_gone(responding: Coroutine[Any, Any, None], receive: Receive) -> None:
    """Respond, and stop working on it when the client goes away."""
    response, gone = asyncio.ensure_future(responding), asyncio.ensure_future(receive())
    try:
        await asyncio.wait((response, gone), return_when=asyncio.FIRST_COMPLETED)
        if response.done():
            await response
    finally:
        for task in (response, gone):
            task.cancel()
        await asyncio.gather(response, gone, return_exceptions=True)

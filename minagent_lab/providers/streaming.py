"""Reading a streamed answer from the network: bytes to events, events to an assembler, until it has the whole."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing, suppress
from typing import Any, Protocol

from minagent_lab.errors import ProviderError
from minagent_lab.providers.failures import told_error
from minagent_lab.providers.reply import read_body
from minagent_lab.providers.sse import Event, EventReader

GRACE = 0.1  # seconds for a server to end its stream after the last word


class Assembler(Protocol):
    """What puts a streamed answer together."""

    done: bool

    def feed(self, chunk: dict[str, Any], /) -> None:
        """Take the next piece."""

    def body(self) -> dict[str, Any]:
        """Return the whole."""


async def streamed(http: Any, assembler: Assembler) -> dict[str, Any]:
    """Return the body that the pieces of a response come to, as the assembler puts it together.

    Parameters
    ----------
    http
        The response of the HTTP client, unread.
    assembler
        New, and of the kind that the service needs.
    """
    async with aclosing(http.aiter_bytes()) as pieces:
        try:
            await _assembled(pieces, assembler)
        finally:
            await _ended(pieces)
    return assembler.body()


async def _assembled(pieces: AsyncIterator[bytes], assembler: Assembler) -> None:
    """Feed the assembler until the stream says that it is done, or is over."""
    reader = EventReader()
    async for piece in pieces:
        for event in reader.feed(piece):
            if event.data.strip() == "[DONE]":
                return
            assembler.feed(_chunk(event))
            if assembler.done:
                return


async def _ended(pieces: AsyncIterator[bytes]) -> None:
    """Read to the end of a body of which nothing more is wanted: one left half way would be tidied up by nobody."""
    with suppress(Exception):
        async with asyncio.timeout(GRACE):
            async for _ in pieces:
                await asyncio.sleep(0)  # for the time limit, also where pieces come without a wait


def _chunk(event: Event) -> dict[str, Any]:
    try:
        return read_body(event.data)
    except ProviderError:
        if event.name == "error":  # a gateway that gives up says so in words
            raise told_error(event.data) from None
        raise

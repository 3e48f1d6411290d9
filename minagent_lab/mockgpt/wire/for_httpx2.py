"""The transport for httpx2, on which the official SDKs stand since August 2026."""

from __future__ import annotations

from typing import TYPE_CHECKING

import httpx2

from minagent_lab.mockgpt.wire.transport import Body, Transport

if TYPE_CHECKING:
    from minagent_lab.mockgpt.mock import MockGPT


class Httpx2Body(Body, httpx2.SyncByteStream, httpx2.AsyncByteStream):
    """A body for httpx2."""


class Httpx2Transport(Transport, httpx2.BaseTransport, httpx2.AsyncBaseTransport):
    """A transport for ``httpx2.Client`` and ``httpx2.AsyncClient``."""

    def __init__(self, mock: MockGPT) -> None:
        super().__init__(mock, httpx2, Httpx2Body)

"""The transport for httpx, for clients that still stand on it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import httpx

from minagent_lab.mockgpt.wire.transport import Body, Transport

if TYPE_CHECKING:
    from minagent_lab.mockgpt.mock import MockGPT


class HttpxBody(Body, httpx.SyncByteStream, httpx.AsyncByteStream):
    """A body for httpx."""


class HttpxTransport(Transport, httpx.BaseTransport, httpx.AsyncBaseTransport):
    """A transport for ``httpx.Client`` and ``httpx.AsyncClient``."""

    def __init__(self, mock: MockGPT) -> None:
        super().__init__(mock, httpx, HttpxBody)

"""The doors of a mock over the wire: for clients in this process, and for those in others."""

from __future__ import annotations

import importlib
import sys
from functools import cached_property
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from minagent_lab.mockgpt.wire.for_httpx import HttpxTransport
    from minagent_lab.mockgpt.wire.for_httpx2 import Httpx2Transport
    from minagent_lab.mockgpt.wire.server import MockServer


class WireDoors:
    """What gives a client the same answers as the mock gives by hand. Each loads what it needs when it is asked for."""

    @cached_property
    def transport(self) -> Httpx2Transport:
        """A transport for the clients of this process that stand on httpx2, sync and async, as the official SDKs do.

        ``openai.OpenAI(http_client=openai.DefaultHttpxClient(transport=mock.transport), ...)``
        """
        made: Httpx2Transport = _loaded("for_httpx2", "pip install httpx2").Httpx2Transport(self)
        return made

    @cached_property
    def httpx_transport(self) -> HttpxTransport:
        """The same for clients that still stand on httpx."""
        made: HttpxTransport = _loaded("for_httpx", "pip install httpx").HttpxTransport(self)
        return made

    def serve(self, port: int = 0) -> MockServer:
        """Return a server on the loopback interface, for clients in other processes and languages.

        It runs from the beginning of a ``with`` block to its end: ``with mock.serve() as server: ... server.url``.

        Parameters
        ----------
        port
            Where to listen; 0 takes one that is free.
        """
        if sys.platform == "emscripten":
            raise RuntimeError("a page in a browser cannot listen; give mock.transport to a client in this page")
        made: MockServer = _loaded("server", "pip install 'minagent-lab[serve]'").MockServer(self, port)
        return made


def _loaded(name: str, hint: str) -> Any:
    """Return a module of the wire; loaded only now, since it needs a package that the other doors do not need."""
    try:
        return importlib.import_module(f"minagent_lab.mockgpt.wire.{name}")
    except ImportError as problem:
        raise ImportError(f"a package is missing ({problem}); {hint}") from None

"""The same service on a socket, for clients in other processes and languages. It is reached from this machine only."""

from __future__ import annotations

import os
import socket
import threading
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

import uvicorn

from minagent_lab.mockgpt.wire.asgi import AsgiApplication

if TYPE_CHECKING:
    from minagent_lab.mockgpt.mock import MockGPT

HOST = "127.0.0.1"
PATIENCE = 1  # seconds for answers that are on their way when the server stops


class MockServer:
    """A server on the loopback interface, from the beginning of a ``with`` block to its end.

    Uvicorn carries it: a small server that is well kept, needs nothing but click and h11, and runs in a thread.

    Parameters
    ----------
    mock
        What answers.
    port
        Where to listen; 0 takes one that is free.

    Attributes
    ----------
    port : int
        Where it listens; 0 as long as it does not and none was given.
    """

    def __init__(self, mock: MockGPT, port: int = 0) -> None:
        if isinstance(port, bool) or not isinstance(port, int) or not 0 <= port <= 65_535:
            raise ValueError(f"port is {port!r:.80}; it is a whole number from 0 to 65,535; 0 takes one that is free")
        self._mock, self._wanted, self.port = mock, port, port
        self._server: _Server | None = None
        self._thread: threading.Thread | None = None

    @property
    def url(self) -> str:
        """The address, as Anthropic's SDK takes it for ``base_url``."""
        return f"http://{HOST}:{self.port}"

    @property
    def base_url(self) -> str:
        """The address with ``/v1``, as OpenAI's SDK takes it."""
        return f"{self.url}/v1"

    def start(self) -> Self:
        """Start it, and return when it listens; a second time is refused.

        Raises
        ------
        OSError
            The port is taken.
        """
        if self._thread is not None:
            raise RuntimeError(f"{self!r} runs already; make another one with mock.serve()")
        listener = _listener(self._wanted)
        self.port = listener.getsockname()[1]
        self._server = server = _Server(AsgiApplication(self._mock))
        name = f"MockGPT on {self.port}"
        self._thread = threading.Thread(target=server.run_on, args=(listener,), name=name, daemon=True)
        self._thread.start()
        server.listens.wait()
        return self

    def stop(self) -> None:
        """Stop it, and return when nothing of it is left; a second time changes nothing."""
        server, thread, self._server, self._thread = self._server, self._thread, None, None
        if server is not None and thread is not None:
            server.should_exit = True
            thread.join()
        self.port = self._wanted

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def __repr__(self) -> str:
        return f"<MockServer {f'on {self.url}' if self._thread else 'that does not run'}>"


def _listener(port: int) -> socket.socket:
    made = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)  # only then asyncio waits for no ACK
    try:
        if os.name == "posix":  # elsewhere this would let two servers have one port
            made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind((HOST, port))
        made.listen(128)
    except BaseException:
        made.close()
        raise
    return made


class _Server(uvicorn.Server):
    """Says when it listens."""

    def __init__(self, application: Any) -> None:
        super().__init__(
            uvicorn.Config(
                application,
                http="h11",  # the same everywhere, whatever else is installed
                loop="asyncio",
                ws="none",
                lifespan="off",
                log_config=None,
                log_level="critical",  # a connection that breaks on purpose is no error here
                access_log=False,
                server_header=False,
                date_header=False,  # the same calls give the same bytes
                timeout_graceful_shutdown=PATIENCE,
            )
        )
        self.listens = threading.Event()

    def run_on(self, listener: socket.socket) -> None:
        try:
            self.run(sockets=[listener])
        finally:
            listener.close()
            self.listens.set()  # also when it could not start

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets=sockets)
        self.listens.set()

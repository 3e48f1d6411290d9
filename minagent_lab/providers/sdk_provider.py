"""What the adapters of all SDKs have in common: one call, from the request to the response or to one of our errors."""

from __future__ import annotations

import asyncio
import math
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Any, ClassVar, Self

from minagent_lab.abort import AbortSignal, abortable
from minagent_lab.errors import AbortError, ConfigurationError, ProviderError
from minagent_lab.messages import ModelResponse
from minagent_lab.model import ModelRequest
from minagent_lab.providers.connection import Sdk, handed_in, made
from minagent_lab.providers.failures import cleaned, error_of
from minagent_lab.providers.reply import read_body
from minagent_lab.providers.streaming import Assembler, streamed
from minagent_lab.real_calls import check_allowed
from minagent_lab.values import a_kind, copy_json


class SdkProvider(ABC):
    """A model behind an official SDK. Each call is one request; nothing is tried twice (that is another layer's).

    Attributes
    ----------
    name : str
        The model that is asked for.
    """

    sdk: ClassVar[Sdk]
    own_options: ClassVar[frozenset[str]]  # what a request has anyway, and no option may change

    def __init__(
        self,
        model: str,
        *,
        api_key: str | None,
        base_url: str | None,
        client: Any,
        transport: Any,
        stream: bool,
        timeout: float | None,
        options: Mapping[str, Any] | None,
        clock: Callable[[], float] | None,
    ) -> None:
        if not isinstance(model, str) or not model.strip():
            raise ConfigurationError(f"model is {model!r:.80}; name the model to ask, as the service calls it")
        self.name = model
        self._stream, self._timeout = bool(stream), _checked_timeout(timeout)
        self._options = _checked_options(options, self.own_options)
        self._clock = clock or time.time
        self._closed = False
        if client is not None:
            self._connection = handed_in(self.sdk, client, api_key=api_key, base_url=base_url, transport=transport)
        else:
            self._connection = made(self.sdk, api_key, base_url, transport, self._timeout)

    async def complete(self, request: ModelRequest, signal: AbortSignal | None = None) -> ModelResponse:
        """Answer one request.

        Raises
        ------
        AbortError
            The signal was given before there was an answer; the connection is closed by then.
        RealCallBarred
            A test was about to ask a real model.
        ProviderError
            There is no answer, for one of the reasons in ``errors``; the text is without secrets.
        """
        _check_call(request, signal)
        if signal is not None:
            signal.throw_if_aborted()
        if not self._connection.in_process:
            check_allowed(self.name)
        if self._closed or self._connection.client.is_closed():
            raise ConfigurationError(f"{self!r} is closed; make a new one")
        try:
            return await abortable(self._in_time(request), signal)
        except AbortError:
            raise
        except Exception as problem:
            error = error_of(problem, self._clock())
            if error is None:
                raise
        raise cleaned(error, self._connection.redactor.text)  # outside, so that nothing uncleaned hangs on it

    async def _in_time(self, request: ModelRequest) -> ModelResponse:
        async with asyncio.timeout(self._timeout):
            async with self._send(request) as response:
                http = response.http_response
                try:
                    return await self._read(request, http)
                except ProviderError as problem:
                    told = http.headers.get("x-request-id") or http.headers.get("request-id")
                    problem.request_id = problem.request_id or told
                    raise

    async def _read(self, request: ModelRequest, http: Any) -> ModelResponse:
        if self._stream and not _comes_whole(http):
            body = await streamed(http, self._assembler())
        else:
            body = read_body(await http.aread())
        return self._decoded(body, len(request.messages))

    @abstractmethod
    def _send(self, request: ModelRequest) -> Any:
        """Return the SDK's context manager of the response, unread."""

    @abstractmethod
    def _assembler(self) -> Assembler:
        """Return what puts a stream together."""

    @abstractmethod
    def _decoded(self, body: dict[str, Any], turn: int) -> ModelResponse:
        """Return the response in a body."""

    async def aclose(self) -> None:
        """Close the client, if it was made here; one that was handed in is its owner's to close."""
        self._closed = True
        if self._connection.owned:
            await self._connection.client.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r})"


def _comes_whole(http: Any) -> bool:
    """Whether it is no stream: a server that cannot stream answers as if nobody had asked; a proxy shows a page."""
    kind = str(http.headers.get("content-type", "")).partition(";")[0].strip().lower()
    return kind.endswith(("json", "html"))


def _check_call(request: Any, signal: Any) -> None:
    if not isinstance(request, ModelRequest):
        raise TypeError(f"request is {a_kind(request)}; write ModelRequest(messages, tools)")
    if signal is not None and not isinstance(signal, AbortSignal):
        raise TypeError(f"signal is {a_kind(signal)}; pass controller.signal, of an AbortController")


def _checked_timeout(timeout: Any) -> float | None:
    if timeout is None:
        return None
    if isinstance(timeout, bool) or not isinstance(timeout, (int, float)) or not 0 < timeout < math.inf:
        raise ConfigurationError(f"timeout is {timeout!r:.80}; give seconds above 0, or None to wait for ever")
    return float(timeout)


def _checked_options(options: Any, own: frozenset[str]) -> dict[str, Any]:
    if options is None:
        return {}
    if not isinstance(options, Mapping):
        raise ConfigurationError(f'options is {a_kind(options)}; write a dict of request fields: {{"temperature": 0}}')
    try:
        copy: dict[str, Any] = copy_json(dict(options), "options")
    except TypeError as problem:
        raise ConfigurationError(str(problem)) from None
    if taken := sorted(own & copy.keys()):
        raise ConfigurationError(f"options holds {taken[0]!r}, which this provider sets itself; leave it out there")
    return copy

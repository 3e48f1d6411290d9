"""The service behind the wire: one request in, one reply out, without I/O. Every transport and server asks this one.

What no real service knows is told in its form. A request that no rule fits gets 404 with the code MOCK_RULE_NOT_FOUND
and the reason in the message: the SDKs raise that at once as what it is, and do not try again. Whatever else the author
of the rules has to repair (a filter or a generator that failed, a sequence that is over, an `Expect` that found another
request) gets 422, which the services hardly use. Such a request has used up nothing.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterator
from itertools import count
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple

from minagent_lab.errors import (
    AuthenticationError,
    InvalidRequestError,
    MalformedResponseError,
    MockError,
    NetworkError,
    ProviderError,
    ProviderTimeoutError,
    RateLimitError,
    UnexpectedRequest,
)
from minagent_lab.history import History
from minagent_lab.mockgpt.outputs import Failure, Output
from minagent_lab.mockgpt.request import MockRequest
from minagent_lab.mockgpt.wire import chat, messages_api, responses_api
from minagent_lab.mockgpt.wire.answer import Answer, number_of
from minagent_lab.mockgpt.wire.asked import Asked, read_json, service_of
from minagent_lab.mockgpt.wire.models import models_body
from minagent_lab.mockgpt.wire.travel import Way, half, on_its_way, with_faults
from minagent_lab.mockgpt.wire.words import ANTHROPIC, Refused, error_body

if TYPE_CHECKING:
    from minagent_lab.mockgpt.given import Given
    from minagent_lab.mockgpt.mock import MockGPT

Sleep = Callable[[float], Awaitable[Any]]
_FORMS = (("/chat/completions", chat), ("/responses", responses_api), ("/v1/messages", messages_api))
_MODELS = re.compile(r".*?/models(?:/(?P<id>.+))?")
_STATUS: dict[type[ProviderError], int] = {
    AuthenticationError: 401,
    InvalidRequestError: 400,
    RateLimitError: 429,
    ProviderTimeoutError: 408,
}


class NoConnection(Exception):
    """There is no reply: the answer is that the connection breaks."""


class Reply(NamedTuple):
    """A reply: status, headers, and the body; as bytes, or in pieces with waits between them.

    Parameters
    ----------
    status, headers
        The head.
    body
        Bytes, or pieces of bytes and seconds to wait, which may end in `Broken`.
    length
        How long the body is meant to be; ``None`` for a stream.
    """

    status: int
    headers: list[tuple[str, str]]
    body: bytes | Way
    length: int | None


class Application:
    """Answers requests as a `MockGPT` would over the wire."""

    def __init__(self, mock: MockGPT) -> None:
        self._mock = mock
        self._requests = count()

    @property
    def longest(self) -> int:
        """The longest body of a request, in bytes."""
        return self._mock.max_body_bytes

    async def answer(self, asked: Asked, sleep: Sleep, *, waiting: bool) -> Reply:
        """Return the reply to a request.

        Parameters
        ----------
        asked
            The request.
        sleep
            How to wait, in seconds. Who is cancelled there has used up nothing.
        waiting
            Whether functions in the rules may be async.

        Raises
        ------
        NoConnection
            Instead of a reply, the connection breaks.
        """
        service = service_of(asked)
        id = f"req_{number_of(self._mock.seed, next(self._requests))}"
        try:
            return await self._answered(asked, service, id, sleep, waiting=waiting)
        except Refused as refused:
            return _failed(refused.failure(service), service, id)
        except (MockError, UnexpectedRequest) as problem:
            code = problem.code if isinstance(problem, MockError) else "MOCK_UNEXPECTED_REQUEST"
            status = 404 if code == "MOCK_RULE_NOT_FOUND" else 422
            kind = "" if service == ANTHROPIC else "mock_error"
            headers = {"x-should-retry": "false"}
            return _failed(Failure(status, str(problem), kind, code, headers=headers), service, id)

    async def _answered(self, asked: Asked, service: str, id: str, sleep: Sleep, *, waiting: bool) -> Reply:
        form = self._form(asked)
        if isinstance(form, bytes):
            return Reply(200, _head(service, id), form, len(form))
        body = read_json(asked, self.longest, service)
        request = _request(form, body, asked)
        given = await self._mock.prepare(request, "wire", waiting=waiting)
        faults = {} if isinstance(given.answer, ProviderError) else given.answer.faults
        if delay := faults.get("delay_ms"):
            await sleep(delay / 1000)
        while (counted := self._mock.commit(given, "wire")) is None:  # another request has come in between
            given = await self._mock.prepare(request, "wire", waiting=waiting)
        return self._encoded(counted, form, body, id)

    def _form(self, asked: Asked) -> ModuleType | bytes:
        """Return the form of an answer, or the list of models; refuse any other path."""
        for path, form in _FORMS:
            if asked.path.endswith(path):
                asked.only("POST")
                asked.check_key()
                return form
        if models := _MODELS.fullmatch(asked.path):
            asked.only("GET")
            asked.check_key()
            return models_body(self._mock, models["id"], service_of(asked))
        if service_of(asked) == ANTHROPIC:
            raise Refused("Not Found", status=404)
        raise Refused(f"Invalid URL ({asked.method} {asked.path})", status=404)

    def _encoded(self, given: Given, form: ModuleType, body: dict[str, Any], id: str) -> Reply:
        output = given.answer
        if isinstance(output, ProviderError):
            return _of_error(output, form.SERVICE, id)
        if isinstance(output, Failure):
            return _failed(output, form.SERVICE, id)
        options = output.options.over(self._mock.options)
        answer = Answer(
            number_of(self._mock.seed, given.number),
            int(given.created_ms // 1000),
            output.model or given.request.model,
            output,
            self._mock.usage(given),
            options.chunk_size,
            body,
        )
        cut = output.faults.get("cut_after")
        if not given.request.stream:
            whole = form.whole(answer)
            whole = half(whole) if output.faults.get("malformed") else whole
            way = whole if cut is None and not options.wire_chunk_size else on_its_way([whole], options, cut)
            return Reply(200, _head(form.SERVICE, id), way, len(whole))
        events: Iterator[bytes] = form.events(answer)
        if output.faults:
            events = with_faults(events, output.faults, form.failure())
        return Reply(200, _head(form.SERVICE, id, stream=True), on_its_way(events, options, cut), None)


def _request(form: ModuleType, body: dict[str, Any], asked: Asked) -> MockRequest:
    messages, tools, model, stream = form.read(body)
    headers = asked.shown_headers()
    return MockRequest.read(History(messages), tools, model=model, stream=stream, headers=headers, body=body)


def _head(service: str, id: str, *, stream: bool = False) -> list[tuple[str, str]]:
    kind = "text/event-stream; charset=utf-8" if stream else "application/json"
    if service == ANTHROPIC:
        return [("content-type", kind), ("request-id", id)]
    return [("content-type", kind), ("openai-version", "2020-10-01"), ("x-request-id", id)]


def _failed(failure: Failure, service: str, id: str) -> Reply:
    body = error_body(failure, service, id)
    length = len(body)
    wait = [("retry-after", failure.wait)] if failure.wait else []
    more = [(name, told) for name, told in failure.headers.items() if name not in ("content-length", "content-type")]
    own = {name for name, _ in more}
    headers = [pair for pair in _head(service, id) if pair[0] not in own] + wait + more
    if failure.faults.get("malformed"):
        body = half(body)
        length = len(body)
    cut = failure.faults.get("cut_after")
    return Reply(failure.status, headers, body if cut is None else on_its_way([body], _WHOLE, cut), length)


_WHOLE = Output.options


def _of_error(problem: ProviderError, service: str, id: str) -> Reply:
    """Return the reply of which an adapter makes this error."""
    if isinstance(problem, NetworkError):
        raise NoConnection
    if isinstance(problem, MalformedResponseError):
        return Reply(200, _head(service, id), b"{", 1)
    known = next((status for kind, status in _STATUS.items() if isinstance(problem, kind)), 500)
    message = str(problem.args[0]) if problem.args else ""
    named = {"x-request-id": problem.request_id, "request-id": problem.request_id} if problem.request_id else {}
    code, status = problem.code, problem.status_code or known
    return _failed(Failure(status, message, "", code, None, problem.retry_after, named), service, id)

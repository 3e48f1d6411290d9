"""A service for the tests of the providers: what it answers, and what it was asked."""

import asyncio
import http.server
import json
import threading
from contextlib import contextmanager

import httpx2
from hypothesis import strategies as st
from lab import json_values

from minagent_lab import AnthropicProvider, Message, ModelRequest, OpenAICompatibleProvider

HI = ModelRequest([Message("user", "Hi")])


def completion(content="Hello.", finish_reason="stop", usage=None, **message):
    """Return a body of Chat Completions."""
    choice = {
        "index": 0,
        "message": {"role": "assistant", "content": content, **message},
        "finish_reason": finish_reason,
    }
    return {"id": "x", "model": "gpt-real", "choices": [choice], "usage": usage}


def wish(name="add", arguments='{"a": 2, "b": 3}', id="c1", **more):
    """Return a tool call of Chat Completions."""
    return {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}, **more}


def delta(finish_reason=None, **delta):
    """Return a chunk of a stream."""
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": finish_reason}]}


def piece(index=..., id=None, name=None, arguments=None, **more):
    """Return a chunk with one piece of a tool call; fields that are not given are not there."""
    function = {key: told for key, told in (("name", name), ("arguments", arguments)) if told is not None}
    told = {} if index is ... else {"index": index}
    return {**told, **({} if id is None else {"id": id}), "function": {**function, **more}}


def events(*chunks, end="data: [DONE]\n\n"):
    """Return chunks as the bytes of a stream."""
    return ("".join(f"data: {json.dumps(chunk, ensure_ascii=False)}\n\n" for chunk in chunks) + end).encode()


def named_events(*told):
    """Return events of the Messages API as the bytes of a stream."""
    return "".join(
        f"event: {event['type']}\ndata: {json.dumps(event, ensure_ascii=False)}\n\n" for event in told
    ).encode()


@st.composite
def spoiled(draw, whole):
    """Return JSON data with one place inside replaced by anything, or left out."""
    whole = inside = json.loads(json.dumps(whole))
    while isinstance(inside, (dict, list)) and inside and (inside is whole or draw(st.booleans())):
        holder, key = inside, draw(st.sampled_from(sorted(inside) if isinstance(inside, dict) else range(len(inside))))
        inside = holder[key]
    if draw(st.booleans()):
        del holder[key]
    else:
        holder[key] = draw(json_values | st.sampled_from([float("nan"), float("inf"), "\ud83d", "", 10**400]))
    return whole


class Pieces(httpx2.AsyncByteStream):
    """A body that comes in pieces; an exception among them is raised when its turn comes."""

    def __init__(self, *pieces):
        self.pieces, self.closed = pieces, False

    async def __aiter__(self):
        for part in self.pieces:
            if isinstance(part, Exception):
                raise part
            if callable(part):
                await part()
            else:
                yield part

    async def aclose(self):
        self.closed = True


class Service:
    """A transport that answers with the items it was made with, the last one for ever, and keeps the requests."""

    def __init__(self, *answers):
        self.answers, self.requests = list(answers), []
        self.transport = httpx2.MockTransport(self)

    async def __call__(self, request):
        await request.aread()
        self.requests.append(request)
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if callable(answer):
            answer = await answer(request)
        if isinstance(answer, Exception):
            raise answer
        if isinstance(answer, (bytes, Pieces)):
            headers = {"content-type": "text/event-stream"}
            kind = {"stream": answer} if isinstance(answer, Pieces) else {"content": answer}
            return httpx2.Response(200, headers=headers, **kind)
        if isinstance(answer, httpx2.Response):
            return answer
        return httpx2.Response(200, json=answer, headers={"x-request-id": "req_1", "request-id": "req_1"})

    @property
    def bodies(self):
        return [json.loads(request.content) for request in self.requests]


def openai_of(*answers, **options):
    service = Service(*answers)
    return OpenAICompatibleProvider("gpt-x", transport=service.transport, **options), service


def anthropic_of(*answers, **options):
    service = Service(*answers)
    return AnthropicProvider("claude-x", transport=service.transport, **options), service


def ask(provider, request=HI, signal=None):
    """Return the response, in an event loop of its own in which nothing is left over."""

    async def main():
        try:
            return await provider.complete(request, signal)
        finally:
            assert asyncio.all_tasks() == {asyncio.current_task()}

    return asyncio.run(main())


@contextmanager
def loopback(body, kind="application/json"):
    """Serve the same body for every request, on a real socket that stays open; yield its address and the requests."""
    seen = []

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self):
            seen.append((self.client_address, self.rfile.read(int(self.headers["content-length"]))))
            self.send_response(200)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *told):
            pass

    class Server(http.server.ThreadingHTTPServer):
        request_queue_size = 50  # as many as a test asks at once

        def handle_error(self, *told):
            pass  # whoever asked has gone away

    server = Server(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", seen
    finally:
        server.shutdown()
        thread.join()
        server.server_close()

import asyncio
import json
import re
import socket
import subprocess
import sys
import threading

import httpx2
import pytest
from wired import CHAT, HI, KEY, MESSAGES, answering, chat, post

from minagent_lab import AnthropicProvider, Message, ModelRequest, OpenAICompatibleProvider
from minagent_lab.errors import NetworkError
from minagent_lab.mockgpt import responses

ANOTHER = """
import json, sys, urllib.request
body = json.dumps({"model": "m", "messages": [{"role": "user", "content": "Hi"}], "stream": True}).encode()
headers = {"authorization": "Bearer x", "content-type": "application/json"}
request = urllib.request.Request(sys.argv[1] + "/chat/completions", body, headers)
with urllib.request.urlopen(request, timeout=30) as response:
    sys.stdout.buffer.write(response.read())
"""


@pytest.fixture(autouse=True)
def nothing_is_left_running():
    before = set(threading.enumerate())
    yield
    assert set(threading.enumerate()) == before


def raw(server, request):
    """Send bytes as they are, and return all that comes back until the server closes."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=30) as connection:
        connection.sendall(request)
        parts = []
        while part := connection.recv(65_536):
            parts.append(part)
        return b"".join(parts)


def test_a_client_in_another_process_gets_the_bytes_that_one_in_this_process_gets():
    with answering("服务在线。🙂").serve() as server:
        command = [sys.executable, "-c", ANOTHER, server.base_url]
        done = subprocess.run(command, capture_output=True, check=True, timeout=60)

    assert done.stdout == post(answering("服务在线。🙂"), CHAT, {"model": "m", "messages": HI, "stream": True}).content


def test_head_and_body_are_those_of_the_service_and_nothing_of_the_server():
    body = json.dumps(chat()).encode()
    head = f"POST {CHAT} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer x\r\nConnection: close\r\n"
    with answering("x").serve() as server:
        first = raw(server, f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)

    names = re.findall(rb"(?m)^([\w-]+): ", first.partition(b"\r\n\r\n")[0])
    assert first.startswith(b"HTTP/1.1 200")
    assert names == [b"content-type", b"openai-version", b"x-request-id", b"content-length", b"Connection"]
    assert json.loads(first.partition(b"\r\n\r\n")[2])["choices"][0]["message"]["content"] == "x"


def test_our_adapters_read_both_services_there():
    async def main(server):
        request = ModelRequest([Message("user", "Hi")])
        for kind, url in ((OpenAICompatibleProvider, server.base_url), (AnthropicProvider, server.url)):
            for stream in (False, True):
                async with kind("m", base_url=url, stream=stream) as provider:
                    yield (await provider.complete(request)).message.content

    async def read():
        with answering("服务在线。", stream={"wire_chunk_size": 3}).serve() as server:
            return [text async for text in main(server)]

    assert asyncio.run(read()) == ["服务在线。"] * 4


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("written", [responses.text("x" * 100, cut_after=80), NetworkError("gone")], ids=repr)
def test_a_connection_that_has_to_break_breaks(stream, written):
    with answering(written).serve() as server, pytest.raises(httpx2.RemoteProtocolError):
        httpx2.post(f"{server.url}{CHAT}", json=chat(stream=stream), headers=KEY)


def test_a_client_that_goes_away_while_it_waits_has_used_up_nothing():
    begun, gone = threading.Event(), threading.Event()

    async def sleep(_):
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            gone.set()

    mock = answering(responses.text("slow", delay_ms=1), sleep=sleep)
    body = json.dumps(chat()).encode()
    head = f"POST {CHAT} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer x\r\nContent-Length: {len(body)}\r\n\r\n"
    with mock.serve() as server:
        with socket.create_connection(("127.0.0.1", server.port), timeout=30) as connection:
            connection.sendall(head.encode() + body)
            assert begun.wait(30)
        assert gone.wait(30)

    assert mock.counts["total"] == 0


def test_a_stream_of_which_nobody_reads_more_ends():
    begun, gone = threading.Event(), threading.Event()

    async def sleep(_):
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            gone.set()

    mock = answering(responses.text("slow", interval_ms=1), sleep=sleep)
    with mock.serve() as server:
        with httpx2.stream("POST", f"{server.url}{CHAT}", json=chat(stream=True), headers=KEY):
            assert begun.wait(30)
        assert gone.wait(30)
    assert mock.counts["total"] == 1


def test_it_stops_also_while_an_answer_is_on_its_way():
    begun = threading.Event()

    async def sleep(_):
        begun.set()
        await asyncio.Event().wait()

    mock = answering(responses.text("slow", interval_ms=1), sleep=sleep)
    server = mock.serve().start()
    with httpx2.stream("POST", f"{server.url}{CHAT}", json=chat(stream=True), headers=KEY) as response:
        assert begun.wait(30)
        server.stop()
        with pytest.raises(httpx2.TransportError):
            response.read()


def test_what_is_too_long_is_not_kept():
    with answering("x", max_body_bytes=1_000).serve() as server:
        for content in (b"x" * 5_000_000, (b"x" * 100_000 for _ in range(50))):
            reply = httpx2.post(f"{server.url}{CHAT}", content=content, headers=KEY)
            assert reply.status_code == 413
        assert httpx2.post(f"{server.url}{CHAT}", json=chat(), headers=KEY).status_code == 200


def test_many_clients_at_once_are_served():
    async def main(server):
        async with httpx2.AsyncClient(trust_env=False) as client:
            asking = (client.post(f"{server.url}{CHAT}", json=chat(), headers=KEY) for _ in range(50))
            return [reply.json()["id"] for reply in await asyncio.gather(*asking)]

    mock = answering("x")
    with mock.serve() as server:
        ids = asyncio.run(main(server))
    assert len(set(ids)) == mock.counts["total"] == 50


def test_what_is_no_http_is_refused():
    with answering("x").serve() as server:
        assert raw(server, b"\x00\x01\r\n\r\n").startswith(b"HTTP/1.1 400")
        assert httpx2.get(f"{server.url}{MESSAGES}").status_code == 405


def test_it_can_be_started_and_stopped_by_hand_and_again():
    server = answering("x").serve()
    assert repr(server) == "<MockServer that does not run>"
    for _ in range(2):
        server.start()
        assert repr(server) == f"<MockServer on http://127.0.0.1:{server.port}>"
        with pytest.raises(RuntimeError, match="runs already"):
            server.start()
        server.stop()
        server.stop()


def test_it_is_reached_from_this_machine_only():
    with answering("x").serve() as server:
        assert server.base_url == f"http://127.0.0.1:{server.port}/v1"


def test_a_port_can_be_chosen_and_one_that_is_taken_is_an_error():
    with answering("x").serve() as server, pytest.raises(OSError, match="in use"):
        answering("y").serve(port := server.port).start()
    with answering("y").serve(port) as again:
        assert again.port == port


@pytest.mark.parametrize("port", [-1, 65_536, "80", True, None])
def test_a_port_that_is_none_is_refused(port):
    with pytest.raises(ValueError, match="whole number from 0 to 65,535"):
        answering("x").serve(port)


def test_without_uvicorn_the_way_to_it_is_told(monkeypatch):
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    monkeypatch.delitem(sys.modules, "minagent_lab.mockgpt.wire.server", raising=False)
    with pytest.raises(ImportError, match=r"pip install 'minagent-lab\[serve\]'"):
        answering("x").serve()


def test_without_httpx2_the_way_to_it_is_told(monkeypatch):
    for name, look in (("httpx2", "transport"), ("httpx", "httpx_transport")):
        monkeypatch.setitem(sys.modules, name, None)
        monkeypatch.delitem(sys.modules, f"minagent_lab.mockgpt.wire.for_{name}", raising=False)
        with pytest.raises(ImportError, match=f"pip install {name}"):
            getattr(answering("x"), look)

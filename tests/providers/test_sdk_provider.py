"""What holds for both providers: set-up, errors, cancellation, event loops, secrets, real calls."""

import asyncio
import gc
import json
import sys

import anthropic
import httpx2
import openai
import pytest
from lab import adder, registry, tool
from service import (
    HI,
    Pieces,
    Service,
    anthropic_of,
    ask,
    completion,
    delta,
    events,
    loopback,
    named_events,
    openai_of,
    wish,
)

from minagent_lab import (
    AbortController,
    AbortError,
    AnthropicProvider,
    AuthenticationError,
    ConfigurationError,
    MalformedResponseError,
    Message,
    ModelProvider,
    ModelRequest,
    NetworkError,
    OpenAICompatibleProvider,
    ProviderTimeoutError,
    RateLimitError,
    RealCallBarred,
    ServerError,
    ToolCall,
    arun,
    run,
    to_model,
)
from minagent_lab.providers import streaming
from minagent_lab.real_calls import real_calls

KEY = "sk-FAKE0000000000000000"
MESSAGE = {"model": "m", "content": [{"type": "text", "text": "Hello."}], "stop_reason": "end_turn"}
CHAT_STREAM = events(delta(content="Hel"), delta(content="lo."), delta("stop"))
MESSAGE_STREAM = named_events(
    {"type": "message_start", "message": {"model": "m"}},
    {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Hello."}},
    {"type": "message_delta", "delta": {"stop_reason": "end_turn"}},
    {"type": "message_stop"},
)


class Kind:
    """One of the two providers, with what its service would answer."""

    def __init__(self, provider, of, client, body, stream, key, url):
        self.provider, self.of, self.client, self.body, self.stream = provider, of, client, body, stream
        self.key, self.url = key, url


KINDS = {
    "openai": Kind(
        *(OpenAICompatibleProvider, openai_of, openai.AsyncOpenAI, completion(), CHAT_STREAM),
        *("OPENAI_API_KEY", "OPENAI_BASE_URL"),
    ),
    "anthropic": Kind(
        *(AnthropicProvider, anthropic_of, anthropic.AsyncAnthropic, MESSAGE, MESSAGE_STREAM),
        *("ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL"),
    ),
}


@pytest.fixture(params=KINDS)
def kind(request, monkeypatch):
    chosen = KINDS[request.param]
    for name in (chosen.key, chosen.url):
        monkeypatch.delenv(name, raising=False)
    return chosen


@pytest.fixture(params=[False, True], ids=["whole", "streamed"])
def stream(request):
    return request.param


def answer_of(kind, stream):
    return kind.stream if stream else kind.body


# ---- set-up


def test_it_is_a_provider_whose_repr_shows_the_model_and_no_key(kind):
    provider = kind.provider("gpt-x", api_key=KEY)
    assert isinstance(provider, ModelProvider)
    assert repr(provider) == f"{kind.provider.__name__}('gpt-x')"
    assert provider.name == "gpt-x"


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"model": ""}, "model is ''"),
        ({"model": None}, "model is None"),
        ({"model": " "}, "name the model"),
        ({"api_key": ""}, "api_key is empty"),
        ({"api_key": 5}, "api_key is an int"),
        ({"api_key": "sk-FAKE\n"}, "api_key holds a blank"),
        ({"api_key": "你的密钥"}, "copy it again"),
        ({"base_url": "localhost"}, "base_url is 'localhost'"),
        ({"timeout": 0}, "timeout is 0"),
        ({"timeout": True}, "timeout is True"),
        ({"timeout": float("nan")}, "timeout is nan"),
        ({"timeout": "60"}, "timeout is '60'"),
        ({"options": [1]}, "options is a list"),
        ({"options": {"x": {1}}}, "options\\['x'\\] is a set"),
        ({"options": {"model": "y"}}, "options holds 'model'"),
        ({"options": {"tools": []}}, "options holds 'tools'"),
        ({"options": {"stream": True}}, "options holds 'stream'"),
        ({"transport": "x"}, "transport is a str"),
        ({"transport": httpx2.HTTPTransport()}, "transport is a HTTPTransport"),
        ({"client": object()}, "client is an object"),
        ({"client": httpx2.AsyncClient()}, "client is an AsyncClient"),
    ],
)
def test_a_wrong_set_up_is_refused_when_it_is_made_and_names_the_culprit(kind, wrong, words):
    key = {} if "client" in wrong else {"api_key": KEY}
    with pytest.raises(ConfigurationError, match=words) as refused:
        kind.provider(**({"model": "m"} | key | wrong))
    assert "FAKE" not in str(refused.value)


def test_without_a_key_it_is_told_how_to_give_one_but_this_machine_wants_none(kind, monkeypatch):
    with pytest.raises(ConfigurationError, match=f"pass api_key=..., or set {kind.key}"):
        kind.provider("m")
    kind.provider("m", base_url="http://localhost:8000")
    kind.provider("m", transport=Service(kind.body).transport)
    monkeypatch.setenv(kind.url, "http://127.0.0.1:8000")
    kind.provider("m")


def test_key_and_base_url_are_read_from_the_environment(kind, monkeypatch):
    monkeypatch.setenv(kind.key, KEY)
    monkeypatch.setenv(kind.url, "https://a.example/x")
    client = kind.provider("m")._connection.client
    assert (client.api_key, client.base_url.host) == (KEY, "a.example")
    monkeypatch.setenv(kind.key, "sk FAKE")
    with pytest.raises(ConfigurationError, match=f"the environment variable {kind.key} holds a blank"):
        kind.provider("m")


def test_an_answer_that_stays_in_the_process_is_asked_for_without_the_key_of_the_environment(kind, monkeypatch):
    monkeypatch.setenv(kind.key, KEY)
    provider, service = kind.of(kind.body)
    ask(provider)
    assert KEY not in str(service.requests[0].headers.raw)


@pytest.mark.parametrize("name", ["api_key", "base_url", "transport"])
def test_a_client_comes_with_its_own_settings(kind, name):
    with pytest.raises(ConfigurationError, match=f"client and {name} are both given"):
        kind.provider("m", client=kind.client(api_key=KEY), **{name: "x"})


def test_a_client_that_blocks_is_refused(kind):
    sync = openai.OpenAI if kind.client is openai.AsyncOpenAI else anthropic.Anthropic
    with sync(api_key=KEY) as client, pytest.raises(ConfigurationError, match="which is not async"):
        kind.provider("m", client=client)
    with pytest.raises(ConfigurationError, match="client is the class"):
        kind.provider("m", client=kind.client)


def test_without_the_sdk_it_says_what_to_install(kind, monkeypatch):
    package = kind.client.__module__.partition(".")[0]
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ConfigurationError, match=f"pip install 'minagent-lab\\[{package}\\]'"):
        kind.provider("m", api_key=KEY)


# ---- a call


def test_the_answer_is_the_same_whole_and_streamed(kind, stream):
    provider, service = kind.of(answer_of(kind, stream), stream=stream)
    response = ask(provider)
    assert (response.message, response.stop_reason) == (Message("assistant", "Hello."), "end_turn")
    assert service.bodies[0].get("stream", False) is stream


def test_options_go_along_and_are_a_copy(kind, stream):
    options = {"temperature": 0, "metadata": {"城市": ["北京"]}}
    provider, service = kind.of(answer_of(kind, stream), stream=stream, options=options)
    options["metadata"]["城市"].append("x")
    ask(provider)
    assert service.bodies[0]["temperature"] == 0
    assert service.bodies[0]["metadata"] == {"城市": ["北京"]}
    assert "北京".encode() in service.requests[0].content


def test_a_server_that_cannot_stream_is_understood(kind):
    provider, _ = kind.of(kind.body, stream=True)
    assert ask(provider).message.content == "Hello."


def test_what_is_asked_and_how_to_stop_has_to_be_of_the_right_kind(kind):
    provider, _ = kind.of(kind.body)
    with pytest.raises(TypeError, match="write ModelRequest"):
        ask(provider, [Message("user", "Hi")])
    with pytest.raises(TypeError, match=r"pass controller\.signal"):
        ask(provider, HI, AbortController())


def test_nothing_is_tried_twice_whoever_made_the_client(kind, stream):
    service = Service(httpx2.Response(500, json={"error": {"message": "No"}}))
    http = httpx2.AsyncClient(transport=service.transport)
    client = kind.client(api_key=KEY, http_client=http, max_retries=5)
    provider = kind.provider("m", client=client, stream=stream)
    with pytest.raises(ServerError):
        ask(provider)
    assert len(service.requests) == 1
    assert client.max_retries == 5


def test_a_client_that_was_handed_in_is_not_closed_and_one_of_our_own_is(kind):
    service = Service(kind.body)
    client = kind.client(api_key=KEY, http_client=httpx2.AsyncClient(transport=service.transport))

    async def main(provider):
        async with provider:
            await provider.complete(HI)
        with pytest.raises(ConfigurationError, match="is closed; make a new one"):
            await provider.complete(HI)
        await provider.aclose()

    asyncio.run(main(kind.provider("m", client=client)))
    assert not client.is_closed()
    asyncio.run(client.close())
    with pytest.raises(ConfigurationError, match="is closed"):
        ask(kind.provider("m", client=client))
    asyncio.run(main(kind.of(kind.body)[0]))


# ---- errors


def test_an_error_has_the_status_the_number_the_code_and_the_wait_and_no_trail_to_the_request(kind, stream):
    headers = {"x-request-id": "req_1", "request-id": "req_1", "retry-after": "Thu, 01 Jan 1970 00:01:00 GMT"}
    body = {"error": {"message": "Slow down", "type": "rate_limit_error"}}
    provider, _ = kind.of(httpx2.Response(429, json=body, headers=headers), stream=stream, clock=lambda: 57.0)
    with pytest.raises(RateLimitError, match="Slow down") as failed:
        ask(provider)
    facts = {"status_code": 429, "request_id": "req_1", "code": "rate_limit_error", "retry_after": 3.0}
    assert failed.value.facts() == facts
    assert (failed.value.__cause__, failed.value.__context__) == (None, None)


def test_no_error_tells_the_key(kind, stream):
    key = "hush/hush+123"
    said = {"error": {"message": f"Incorrect key {key}, also hush%2Fhush%2B123 and {KEY}", "code": key}}
    provider, _ = kind.of(httpx2.Response(401, json=said, headers={"x-request-id": key}), api_key=key, stream=stream)
    with pytest.raises(AuthenticationError, match="look at api_key") as failed:
        ask(provider)
    assert "hush" not in repr(failed.value) + str(failed.value)
    assert "FAKE" not in repr(failed.value)


@pytest.mark.parametrize("key", ["x", "password", "redacted"])
def test_any_word_is_a_key_for_a_server_that_wants_none(kind, key):
    provider, service = kind.of(kind.body, api_key=key)
    ask(provider)
    assert key in str(service.requests[0].headers.raw)


@pytest.mark.parametrize(
    ("problem", "error"),
    [
        (httpx2.ConnectError("refused"), NetworkError),
        (httpx2.ReadTimeout("slow"), ProviderTimeoutError),
        (httpx2.ConnectTimeout("slow"), ProviderTimeoutError),
        (httpx2.RemoteProtocolError("gone"), NetworkError),
    ],
)
def test_a_connection_that_fails_is_told_by_how_it_fails(kind, stream, problem, error):
    provider, _ = kind.of(problem, stream=stream)
    with pytest.raises(error) as failed:
        ask(provider)
    assert failed.value.retryable


@pytest.mark.parametrize(
    ("problem", "error"),
    [(httpx2.ReadError("reset"), NetworkError), (httpx2.ReadTimeout("slow"), ProviderTimeoutError)],
)
def test_a_connection_that_breaks_in_the_middle_gives_no_short_answer(kind, stream, problem, error):
    body = Pieces(answer_of(kind, True)[:100] if stream else json.dumps(kind.body).encode()[:20], problem)
    provider, _ = kind.of(body, stream=stream)
    with pytest.raises(error):
        ask(provider)
    assert body.closed


def test_a_stream_that_ends_at_any_byte_before_its_end_is_incomplete(kind):
    whole, reason = kind.stream, b'"finish_reason": "stop"'  # after which only the word [DONE] is missing
    enough = whole.index(b"\n\n", whole.index(reason)) + 2 if reason in whole else len(whole)
    for place in range(enough):
        with pytest.raises(NetworkError, match="incomplete") as failed:
            ask(kind.of(Pieces(whole[:place]), stream=True)[0])
        assert failed.value.retryable
    for place in range(enough, len(whole) + 1):
        assert ask(kind.of(Pieces(whole[:place]), stream=True)[0]).message.content == "Hello."


def test_a_stream_that_goes_on_after_its_last_word_is_not_waited_for(kind, monkeypatch):
    monkeypatch.setattr(streaming, "GRACE", 0)
    for after in (asyncio.Event().wait, b": ping\n\n"):
        body = Pieces(kind.stream, after, httpx2.ReadError("reset"))
        assert ask(kind.of(body, stream=True)[0]).message.content == "Hello."
        assert body.closed


@pytest.mark.parametrize("size", [1, 2, 3, 5, 7, 50])
def test_a_stream_in_pieces_of_any_size_is_the_same_answer(kind, size):
    whole = (
        kind.stream.replace(b"Hello.", "你好🙂".encode())
        .replace(b"Hel", "你".encode())
        .replace(b"lo.", "好🙂".encode())
    )
    pieces = [whole[start : start + size] for start in range(0, len(whole), size)]
    assert ask(kind.of(Pieces(*pieces), stream=True)[0]).message.content == "你好🙂"


def test_keep_alives_and_events_without_data_are_no_part_of_the_answer(kind):
    noise = b": OPENROUTER PROCESSING\n\nid: 1\n\nretry: 3000\n\ndata:\n\nevent: ping\ndata: {}\n\n"
    whole = kind.stream.replace(b"\n\n", b"\n\n" + noise).replace(b"\n", b"\r\n").replace(b"data: ", b"data:")
    assert ask(kind.of(noise + whole, stream=True)[0]).message.content == "Hello."


def test_separators_that_python_knows_and_streams_do_not_stay_in_the_text(kind):
    said = "a\u2028b\u2029c\u0085d✅"
    whole = kind.stream.replace(b"Hello.", said.encode()).replace(b"Hel", said.encode()).replace(b"lo.", b"")
    assert ask(kind.of(whole, stream=True)[0]).message.content == said


@pytest.mark.parametrize("broken", [b"data: {\n\n", b"data: [1]\n\n", b"data: null\n\n", b"data: nonsense\n\n"])
def test_an_event_that_is_no_json_object_is_malformed_and_no_error_of_the_sdk(kind, broken):
    provider, _ = kind.of(broken + kind.stream, stream=True)
    with pytest.raises(MalformedResponseError, match="what came back is"):
        ask(provider)


def test_a_gateway_that_gives_up_in_words_is_a_failure_of_the_service(kind):
    provider, _ = kind.of(b"event: error\ndata: upstream gone\n\n", stream=True)
    with pytest.raises(ServerError, match="upstream gone"):
        ask(provider)


@pytest.mark.parametrize("body", [b"", b"<html>Sign in</html>", b"[]", b'{"a": 1, "a": 2}', b"\xff", b"null"])
def test_a_body_that_is_no_response_is_malformed_and_keeps_the_number_of_the_request(kind, stream, body):
    headers = {"content-type": "application/json", "x-request-id": "req_7"}
    provider, _ = kind.of(httpx2.Response(200, content=body, headers=headers), stream=stream)
    with pytest.raises(MalformedResponseError) as failed:
        ask(provider)
    assert failed.value.request_id == "req_7"


def test_a_page_for_people_is_malformed_also_where_a_stream_was_asked_for(kind, stream):
    page = httpx2.Response(200, html="<html>Sign in</html>")
    with pytest.raises(MalformedResponseError, match="look at base_url"):
        ask(kind.of(page, stream=stream)[0])


def test_a_body_that_cannot_be_unpacked_is_malformed(kind, stream):
    async def packed(_):
        kind_of = "text/event-stream" if stream else "application/json"
        return httpx2.Response(
            200, stream=Pieces(b"no gzip"), headers={"content-encoding": "gzip", "content-type": kind_of}
        )

    with pytest.raises(MalformedResponseError, match="DecodingError"):
        ask(kind.of(packed, stream=stream)[0])


def test_a_call_that_takes_too_long_in_all_has_timed_out(kind, stream):
    async def never(_):
        await asyncio.Event().wait()

    with pytest.raises(ProviderTimeoutError, match="raise timeout"):
        ask(kind.of(never, stream=stream, timeout=1e-9)[0])


# ---- cancellation


def abort_at(kind, stream, place):
    """Abort a call while its request is under way, or at one of the pieces of its answer; return what was closed."""
    controller = AbortController()
    pieces = [bytes([byte]) for byte in answer_of(kind, True)] if stream else [json.dumps(kind.body).encode()]

    async def abort():
        controller.abort("enough")
        await asyncio.Event().wait()

    body = Pieces(*pieces[:place], abort, *pieces[place:])

    async def answer(_):
        if place is None:
            await abort()
        return body if stream else httpx2.Response(200, stream=body, headers={"content-type": "application/json"})

    provider, service = kind.of(answer, stream=stream)
    with pytest.raises(AbortError, match="enough"):
        ask(provider, signal=controller.signal)
    assert len(service.requests) == 1
    return body.closed


def test_a_signal_given_before_the_call_sends_nothing(kind, stream):
    controller = AbortController()
    controller.abort("no")
    provider, service = kind.of(answer_of(kind, stream), stream=stream)
    with pytest.raises(AbortError, match="no"):
        ask(provider, signal=controller.signal)
    assert service.requests == []
    assert ask(provider).message.content == "Hello."


@pytest.mark.parametrize("place", [0, 1])
def test_a_signal_given_while_the_answer_comes_closes_the_connection_and_leaves_nothing_behind(kind, stream, place):
    assert abort_at(kind, stream, place)


def test_a_signal_given_before_the_answer_comes_ends_the_call(kind, stream):
    abort_at(kind, stream, None)


def test_a_signal_given_after_the_answer_changes_nothing(kind, stream):
    controller = AbortController()
    provider, _ = kind.of(answer_of(kind, stream), stream=stream)
    response = ask(provider, signal=controller.signal)
    controller.abort()
    assert response.message.content == "Hello."


def test_stopping_one_call_stops_no_other(kind):
    controller, ready = AbortController(), asyncio.Event()

    async def first(_):
        ready.set()
        await asyncio.Event().wait()

    provider, _ = kind.of(first, kind.body)

    async def main():
        stopped = asyncio.ensure_future(provider.complete(HI, controller.signal))
        await ready.wait()
        response = await provider.complete(HI)
        controller.abort()
        with pytest.raises(AbortError):
            await stopped
        return response

    assert asyncio.run(main()).message.content == "Hello."


@pytest.mark.parametrize("signal", [None, AbortController().signal])
def test_a_native_cancel_is_raised_again_at_whichever_step_it_comes(kind, stream, signal):
    async def main(steps):
        whole = answer_of(kind, True) if stream else json.dumps(kind.body).encode()
        body = Pieces(whole[:30], whole[30:])
        answer = body if stream else httpx2.Response(200, stream=body, headers={"content-type": "application/json"})
        provider, _ = kind.of(answer, stream=stream)
        task = asyncio.ensure_future(provider.complete(HI, signal))
        for _ in range(steps):
            await asyncio.sleep(0)
        if task.done():
            return (await task).message.content
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert asyncio.all_tasks() == {asyncio.current_task()}
        return None

    answers = [asyncio.run(main(steps)) for steps in range(40)]
    assert answers[0] is None
    assert set(answers) <= {None, "Hello."}
    gc.collect()


def test_a_deadline_of_the_caller_is_the_callers(kind):
    async def never(_):
        await asyncio.Event().wait()

    async def main():
        async with asyncio.timeout(0):
            await kind.of(never)[0].complete(HI, AbortController().signal)

    with pytest.raises(TimeoutError) as failed:
        asyncio.run(main())
    assert not isinstance(failed.value, ProviderTimeoutError)


# ---- event loops, on a real socket


def test_one_provider_serves_one_loop_after_the_other_and_keeps_no_connection(kind, stream):
    body = answer_of(kind, True) if stream else json.dumps(kind.body).encode()
    with loopback(body, "text/event-stream" if stream else "application/json") as (url, seen):
        provider = kind.provider("m", base_url=url, stream=stream)
        answers = [ask(provider).message.content for _ in range(3)]
        asyncio.run(provider.aclose())
        gc.collect()
    assert answers == ["Hello."] * 3
    assert len({address for address, _ in seen}) == 3


def test_a_provider_that_nobody_closes_leaves_nothing_open(kind):
    with loopback(json.dumps(kind.body).encode()) as (url, _):
        assert ask(kind.provider("m", base_url=url)).message.content == "Hello."
        gc.collect()


def test_many_calls_may_be_under_way_at_once(kind, stream):
    body = answer_of(kind, True) if stream else json.dumps(kind.body).encode()

    async def main(url):
        async with kind.provider("m", base_url=url, stream=stream) as provider:
            return await asyncio.gather(*(provider.complete(HI) for _ in range(8)))

    with loopback(body, "text/event-stream" if stream else "application/json") as (url, _):
        assert {answer.message.content for answer in asyncio.run(main(url))} == {"Hello."}


def test_a_server_that_goes_away_in_the_middle_and_one_that_is_not_there_are_network_errors(kind, stream):
    kind_of = "text/event-stream" if stream else "application/json"
    whole = answer_of(kind, True) if stream else json.dumps(kind.body).encode()

    async def serve(reader, writer):
        await reader.readuntil(b"\r\n\r\n")
        head = f"HTTP/1.1 200 OK\r\ncontent-type: {kind_of}\r\ncontent-length: {len(whole)}\r\n\r\n"
        writer.write(head.encode() + whole[:25])
        await writer.drain()
        writer.close()
        await writer.wait_closed()

    async def main():
        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        provider = kind.provider("m", base_url=url, stream=stream)
        with pytest.raises(NetworkError, match="incomplete"):
            await provider.complete(HI)
        server.close()
        await server.wait_closed()
        with pytest.raises(NetworkError, match="there was no connection"):
            await provider.complete(HI)

    asyncio.run(main())
    gc.collect()


def test_an_abort_closes_a_real_connection(kind, stream):
    controller = AbortController()

    async def main():
        gone = asyncio.Event()

        async def serve(reader, writer):
            await reader.readuntil(b"\r\n\r\n")
            writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n: begun\n\n")
            await writer.drain()
            controller.abort("enough")
            while await reader.read(1000):
                pass
            writer.close()
            gone.set()

        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        provider = kind.provider("m", base_url=url, stream=stream)
        with pytest.raises(AbortError, match="enough"):
            await provider.complete(HI, controller.signal)
        await gone.wait()
        server.close()
        await server.wait_closed()

    asyncio.run(main())
    gc.collect()


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # its owner left it open in a dead loop
def test_a_client_that_was_handed_in_and_kept_a_connection_of_another_loop_is_named_as_the_culprit(kind):
    with loopback(json.dumps(kind.body).encode()) as (url, _):
        provider = kind.provider("m", client=kind.client(api_key=KEY, base_url=url))
        assert ask(provider).message.content == "Hello."
        with pytest.raises(ConfigurationError, match="an event loop that is gone; make it inside asyncio"):
            ask(provider)
        del provider
        gc.collect()


# ---- real calls


def test_where_real_calls_are_barred_nothing_leaves_this_machine(kind):
    network = httpx2.AsyncHTTPTransport()
    client = kind.client(api_key=KEY)
    with real_calls(allowed=False):
        for provider in (
            kind.provider("m", api_key=KEY),
            kind.provider("m", api_key=KEY, base_url="http://a.invalid"),
            kind.provider("m", api_key=KEY, transport=network),
            kind.provider("m", client=client),
        ):
            with pytest.raises(RealCallBarred, match="real model 'm'"):
                ask(provider)


def test_where_real_calls_are_barred_what_stays_on_this_machine_goes_on(kind):
    service = Service(kind.body)
    client = kind.client(api_key=KEY, http_client=httpx2.AsyncClient(transport=service.transport))
    with loopback(json.dumps(kind.body).encode()) as (url, _), real_calls(allowed=False):
        for provider in (kind.of(kind.body)[0], kind.provider("m", base_url=url), kind.provider("m", client=client)):
            assert ask(provider).message.content == "Hello."


def test_a_proxy_is_not_asked_for_this_machine(kind, monkeypatch):
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://proxy.invalid:1")
    with loopback(json.dumps(kind.body).encode()) as (url, _):
        assert ask(kind.provider("m", base_url=url)).message.content == "Hello."


def test_a_run_of_several_turns_sends_the_whole_history_each_time(kind):
    provider, service = kind.of(kind.body)
    ask(provider, ModelRequest([Message("user", "你好"), Message("assistant", "a"), Message("user", "b")]))
    assert [row["role"] for row in service.bodies[0]["messages"]] == ["user", "assistant", "user"]
    assert "你好".encode() in service.requests[0].content


def test_all_that_is_sent_has_real_characters(kind):
    provider, service = kind.of(kind.body)
    asked = Message("assistant", "查", [ToolCall("c1", "t", {"城市": ["北京"]})])
    history = [Message("system", "友好"), Message("user", "你好"), asked, Message("tool", "晴🙂", tool_call_id="c1")]
    schema = {"type": "object", "properties": {"城市": {"description": "哪里"}}}
    ask(provider, ModelRequest(history, [{"name": "t", "description": "天气", "parameters": schema}]))

    sent = service.requests[0].content.decode("utf-8")
    assert "\\u" not in sent
    for said in ("友好", "你好", "查", "城市", "北京", "晴🙂", "哪里", "天气"):
        assert said in sent


@pytest.mark.parametrize("blank", ["", "  ", None, ...])
def test_blank_arguments_run_what_needs_none_and_tell_the_model_what_else_is_missing(blank):
    function = {"name": "add"} if blank is ... else {"name": "add", "arguments": blank}
    wishes = [wish("now", "", "c1"), {"id": "c2", "type": "function", "function": function}]
    provider, service = openai_of(completion(None, "tool_calls", tool_calls=wishes), completion("ok"))
    tools = adder()
    tools.add(tool(lambda: "12:00", name="now"))
    result = asyncio.run(arun(provider, tools, "Hi"))

    told = [message.content for message in result.messages if message.role == "tool"]
    assert told == ["12:00", '{"error": "TypeError: missing required: a, b"}']
    sent = service.bodies[1]["messages"][1]
    assert (sent["content"], [call["function"]["arguments"] for call in sent["tool_calls"]]) == ("", ["{}", "{}"])


def test_where_a_loop_is_running_a_run_works_or_says_what_to_await(kind):
    async def cell():
        with pytest.raises(
            TypeError, match=r"is async, .* use await arun\(\), or make a plain model of it with to_model"
        ):
            run(kind.of(kind.body)[0], registry(), "Hi")
        with to_model(kind.of(kind.body)[0]) as model:
            return run(model, registry(), "Hi").final

    assert asyncio.run(cell()) == "Hello."

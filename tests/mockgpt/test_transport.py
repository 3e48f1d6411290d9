import asyncio
import gc
import threading
import time

import httpx
import httpx2
import openai
import pytest
from wired import (
    CHAT,
    CLAUDE,
    HI,
    KEY,
    MESSAGES,
    RESPONSES,
    Waiter,
    answering,
    async_openai_of,
    chat,
    claude,
    openai_of,
    post,
)

from minagent_lab import Message, MockGPT, OpenAICompatibleProvider, Rule, Tool, ToolRegistry, arun
from minagent_lab.mockgpt import generators, responses
from minagent_lab.real_calls import real_calls

URL = f"https://mock.test{CHAT}"


def test_it_is_a_transport_and_the_same_one_at_each_look():
    mock = answering("x")
    assert mock.transport is mock.transport
    assert isinstance(mock.transport, httpx2.BaseTransport)
    assert isinstance(mock.transport, httpx2.AsyncBaseTransport)
    assert not callable(mock.transport)
    assert repr(mock.transport) == "<Httpx2Transport of <MockGPT: 0 rules and a fallback, 0 requests>>"


def test_clients_on_the_older_httpx_have_a_transport_too():
    async def main(mock):
        async with httpx.AsyncClient(transport=mock.httpx_transport) as client:
            return (await client.post(URL, json=chat(), headers=KEY)).json()

    mock = answering("x", responses.text("y", wire_chunk_size=3), responses.text("z", cut_after=3))
    with httpx.Client(transport=mock.httpx_transport) as client:
        assert client.post(URL, json=chat(), headers=KEY).json()["choices"][0]["message"]["content"] == "x"
        assert asyncio.run(main(mock))["choices"][0]["message"]["content"] == "y"
        with pytest.raises(httpx.RemoteProtocolError):
            client.post(URL, json=chat(), headers=KEY)


def test_one_mock_serves_many_streams_of_sync_and_async_clients_at_once():
    async def main(mock):
        async with async_openai_of(mock) as client:

            async def read():
                stream = await client.chat.completions.create(model="gpt-x", messages=HI, stream=True)
                return "".join([event.choices[0].delta.content or "" async for event in stream])

            return await asyncio.gather(*(read() for _ in range(20)))

    mock = answering("服务在线。", stream={"chunk_size": 1})
    with openai_of(mock) as client:
        streams = [client.chat.completions.create(model="gpt-x", messages=HI, stream=True) for _ in range(3)]
        read = ["".join(event.choices[0].delta.content or "" for event in stream) for stream in streams]

    assert read + asyncio.run(main(mock)) == ["服务在线。"] * 23
    assert mock.counts["total"] == 23


def test_a_client_that_stops_reading_leaves_nothing_behind_and_may_ask_again(recwarn):
    async def main(mock):
        async with async_openai_of(mock) as client:
            async for _ in await client.chat.completions.create(model="gpt-x", messages=HI, stream=True):
                break
            answer = await client.chat.completions.create(model="gpt-x", messages=HI)
            return answer.choices[0].message.content

    mock = answering("服务在线。", stream={"chunk_size": 1})
    with openai_of(mock) as client:
        for _ in client.chat.completions.create(model="gpt-x", messages=HI, stream=True):
            break
        assert client.chat.completions.create(model="gpt-x", messages=HI).choices[0].message.content == "服务在线。"
    assert asyncio.run(main(mock)) == "服务在线。"
    gc.collect()
    assert [str(warning.message) for warning in recwarn] == []
    assert mock.counts["total"] == 4


def test_threads_share_one_mock():
    mock = MockGPT([], fallback=responses.tool_calls(("add", {"a": generators.integer(1, 10**9)})), seed=5)
    ids = []

    def ask():
        with openai_of(mock) as client:
            for _ in range(25):
                answer = client.chat.completions.create(model="gpt-x", messages=HI)
                ids.append((answer.id, answer.choices[0].message.tool_calls[0].id))

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(set(ids)) == len(ids) == mock.counts["total"] == 100


def test_a_sequence_is_played_once_by_many_who_ask_at_once():
    mock = MockGPT(
        [], fallback=responses.sequence(*(responses.text(str(n), delay_ms=5) for n in range(10))), sleep=asyncio.sleep
    )

    async def main():
        async with httpx2.AsyncClient(transport=mock.transport) as client:
            replies = await asyncio.gather(*(client.post(URL, json=chat(), headers=KEY) for _ in range(10)))
        return sorted(reply.json()["choices"][0]["message"]["content"] for reply in replies)

    assert asyncio.run(main()) == [str(n) for n in range(10)]


def test_values_of_requests_that_wait_at_once_are_not_the_same():
    mock = MockGPT([], fallback=responses.json(generators.uuid(), delay_ms=5), sleep=asyncio.sleep)

    async def main():
        async with httpx2.AsyncClient(transport=mock.transport) as client:
            replies = await asyncio.gather(*(client.post(URL, json=chat(), headers=KEY) for _ in range(5)))
        return {reply.json()["choices"][0]["message"]["content"] for reply in replies}

    assert len(asyncio.run(main())) == 5


# ---- waiting


def test_no_time_passes_where_nobody_asked_for_a_wait(monkeypatch):
    def refuse(*_):
        raise AssertionError

    monkeypatch.setattr(time, "sleep", refuse)
    monkeypatch.setattr(asyncio, "sleep", refuse)
    assert post(answering("x" * 100), CHAT, chat(stream=True)).status_code == 200


def test_a_request_that_is_cancelled_while_it_waits_has_used_up_nothing():
    class Waiting:
        def __init__(self):
            self.begun = asyncio.Event()

        async def __call__(self, seconds):
            self.begun.set()
            await asyncio.Event().wait()

    async def main():
        waiting = Waiting()
        mock = answering(responses.text("slow", delay_ms=1000), "last", sleep=waiting)
        async with async_openai_of(mock) as client:
            asking = asyncio.create_task(client.chat.completions.create(model="gpt-x", messages=HI))
            await waiting.begun.wait()
            asking.cancel()
            with pytest.raises(asyncio.CancelledError):
                await asking
            assert mock.counts["total"] == 0
            mock.sleep = Waiter()
            again = await client.chat.completions.create(model="gpt-x", messages=HI)
            return again.choices[0].message.content, mock.counts["total"]

    assert asyncio.run(main()) == ("slow", 1)


@pytest.mark.parametrize("asynchronous", [False, True])
def test_a_client_that_is_less_patient_than_the_delay_times_out_as_it_would_there(asynchronous):
    sleep = Waiter()
    mock = answering(responses.text("slow", delay_ms=60_000), sleep=sleep)
    if asynchronous:

        async def main():
            async with async_openai_of(mock, timeout=5) as client:
                await client.chat.completions.create(model="gpt-x", messages=HI)

        with pytest.raises(openai.APITimeoutError):
            asyncio.run(main())
    else:
        with openai_of(mock, timeout=5) as client, pytest.raises(openai.APITimeoutError):
            client.chat.completions.create(model="gpt-x", messages=HI)

    assert sleep.slept == [5]
    assert mock.counts["total"] == 0


def test_a_stream_that_stalls_times_out_too():
    mock = answering(responses.text("slow", interval_ms=60_000, chunk_size=1), sleep=Waiter())
    with openai_of(mock, timeout=5) as client, pytest.raises(openai.APITimeoutError):
        list(client.chat.completions.create(model="gpt-x", messages=HI, stream=True))


def test_a_sync_client_refuses_a_sleep_that_nobody_awaits():
    async def sleep(_):
        pass

    with pytest.raises(TypeError, match="sleep is async"):
        post(answering(responses.text("x", delay_ms=5), sleep=sleep), CHAT, chat())


def test_functions_in_rules_may_be_async_for_async_clients_only():
    async def generator(request):
        await asyncio.sleep(0)
        return f"You said {request.prompt}."

    async def main(mock):
        async with async_openai_of(mock) as client:
            return (await client.chat.completions.create(model="gpt-x", messages=HI)).choices[0].message.content

    assert asyncio.run(main(MockGPT([], fallback=generator))) == "You said Hi."
    refused = post(MockGPT([], fallback=generator), CHAT, chat())
    assert (refused.status_code, refused.json()["error"]["code"]) == (422, "MOCK_GENERATOR_FAILED")


def test_a_slow_function_is_asked_once_for_each_request_however_many_there_are():
    asked = []

    async def generator(request):
        asked.append(request.prompt)
        await asyncio.sleep(0)
        return "x"

    async def main(mock):
        async with httpx2.AsyncClient(transport=mock.transport) as client:
            await asyncio.gather(*(client.post(URL, json=chat(), headers=KEY) for _ in range(50)))

    asyncio.run(main(MockGPT([], fallback=generator)))
    assert len(asked) == 50


@pytest.mark.parametrize(
    ("path", "body"),
    [
        (CHAT, chat(model="half \ud83d")),
        (RESPONSES, {"model": "half \ud83d", "input": "Hi", "metadata": {"a": "half \ud83d"}}),
        (MESSAGES, claude(model="half \ud83d")),
        (CHAT, chat(messages=[{"role": "half \ud83d", "content": "Hi"}])),
        (f"/half\ud83d{CHAT}x".encode("utf-8", "replace").decode(), chat()),
    ],
)
def test_half_a_character_in_a_request_breaks_nothing(path, body):
    for stream in (False, True):
        reply = post(answering("x"), path, {**body, "stream": stream}, CLAUDE)
        assert reply.status_code in (200, 400, 404)
        assert reply.text


# ---- beside the rest of the package


def test_it_counts_as_no_real_model():
    async def main():
        async with OpenAICompatibleProvider("gpt-x", transport=answering("Hello.").transport) as provider:
            registry = ToolRegistry()
            registry.add(Tool("add", "", {"type": "object"}, lambda: 1))
            return await arun(provider, registry, "Hi")

    with real_calls(allowed=False):
        assert asyncio.run(main()).final == "Hello."


def test_a_whole_run_over_the_wire_is_the_run_without_it():
    def mock():
        rule = Rule(when=lambda request: not request.results, generator=responses.tool_calls(("add", {"a": 2, "b": 3})))
        return MockGPT([rule], fallback=lambda request: f"It is {request.results[0]}.")

    async def main(provider):
        registry = ToolRegistry()
        registry.add(Tool("add", "", {"type": "object", "properties": {}}, lambda a, b: a + b))
        result = await arun(provider, registry, "2 + 3?")
        return result.final, result.usage, list(result.messages)

    async def over_the_wire():
        async with OpenAICompatibleProvider("gpt-x", transport=mock().transport, stream=True) as provider:
            return await main(provider)

    assert asyncio.run(over_the_wire()) == asyncio.run(main(mock().provider))
    assert asyncio.run(over_the_wire())[0] == "It is 5."


def test_the_one_message_is_enough_for_it():
    assert answering("x").complete([Message("user", "Hi")], []).message.content == "x"

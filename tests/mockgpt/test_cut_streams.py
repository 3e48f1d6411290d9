"""A stream may be cut at any byte on its way: whoever reads it, in whichever form of the wire, reads the same."""

import asyncio
import itertools
import json

import anthropic
import httpx2
import openai
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from wired import CHAT, CLAUDE, HI, MESSAGES, RESPONSES, answering, chat, claude, post

from minagent_lab import AnthropicProvider, Message, ModelRequest, OpenAICompatibleProvider
from minagent_lab.mockgpt import responses
from minagent_lab.providers.sse import EventReader

SAID = "你好🙂\u2028é\u0085 \\ud83d \r\n"
ARGUMENTS = {"城市": "北京🇩🇪", "q": 'a"b\\'}
ANSWER = responses.tool_calls(("weather", ARGUMENTS), content=SAID, usage={"input_tokens": 5, "output_tokens": 7})
MOCK = answering(ANSWER)
WIRES = {
    "chat": post(MOCK, CHAT, chat(stream=True, stream_options={"include_usage": True})).content,
    "messages": post(MOCK, MESSAGES, claude(stream=True), CLAUDE).content,
    "responses": post(MOCK, RESPONSES, {"model": "gpt-x", "input": "Hi", "stream": True}).content,
}


def pieces_at(whole, cuts):
    return [whole[start:end] for start, end in itertools.pairwise([0, *sorted(cuts), len(whole)])]


class Body(httpx2.SyncByteStream, httpx2.AsyncByteStream):
    def __init__(self, pieces):
        self.pieces = pieces

    def __iter__(self):
        return iter(self.pieces)

    async def __aiter__(self):
        for piece in self.pieces:
            yield piece


def transport_of(pieces):
    head = {"content-type": "text/event-stream"}  # it names no charset, as the services name none
    return httpx2.MockTransport(lambda _: httpx2.Response(200, headers=head, stream=Body(pieces)))


def text_and_calls(kind, message):
    """Return what a client of a service has put together: the text, and each call with its arguments."""
    if kind == "chat":
        calls = message.choices[0].message.tool_calls
        return message.choices[0].message.content, [json.loads(call.function.arguments) for call in calls]
    if kind == "messages":
        text = "".join(block.text for block in message.content if block.type == "text")
        return text, [block.input for block in message.content if block.type == "tool_use"]
    calls = [item for item in message.output if item.type == "function_call"]
    return message.output_text, [json.loads(call.arguments) for call in calls]


def stream_of(kind, client):
    if kind == "chat":
        return client.chat.completions.stream(model="m", messages=HI)
    if kind == "messages":
        return client.messages.stream(model="m", max_tokens=99, messages=HI)
    return client.responses.stream(model="m", input="Hi")


LAST = {"chat": "get_final_completion", "messages": "get_final_message", "responses": "get_final_response"}


def by_the_official_client(kind, pieces):
    sdk, name = (anthropic, "Anthropic") if kind == "messages" else (openai, "OpenAI")
    http = httpx2.Client(transport=transport_of(pieces))
    client = getattr(sdk, name)(api_key="sk-fake", max_retries=0, http_client=http)
    with client, stream_of(kind, client) as stream:
        return text_and_calls(kind, getattr(stream, LAST[kind])())


def by_the_official_async_client(kind, pieces):
    sdk, name = (anthropic, "AsyncAnthropic") if kind == "messages" else (openai, "AsyncOpenAI")

    async def main():
        http = httpx2.AsyncClient(transport=transport_of(pieces))
        client = getattr(sdk, name)(api_key="sk-fake", max_retries=0, http_client=http)
        async with client, stream_of(kind, client) as stream:
            return text_and_calls(kind, await getattr(stream, LAST[kind])())

    return asyncio.run(main())


def by_our_adapter(kind, pieces):
    made = {"chat": OpenAICompatibleProvider, "messages": AnthropicProvider}[kind]

    async def main():
        async with made("m", transport=transport_of(pieces), stream=True) as provider:
            return await provider.complete(ModelRequest([Message("user", "Hi")]))

    response = asyncio.run(main())
    assert response.usage == {"input_tokens": 5, "output_tokens": 7}
    return response.message.content, [call.arguments for call in response.message.tool_calls]


READERS = [by_the_official_client, by_the_official_async_client, by_our_adapter]
DOORS = [(kind, read) for kind in WIRES for read in READERS if (kind, read) != ("responses", by_our_adapter)]


def events(pieces):
    reader = EventReader()
    return [event for piece in pieces for event in reader.feed(piece)]


@pytest.mark.parametrize("kind", WIRES)
def test_a_cut_at_any_byte_gives_the_same_events(kind):
    whole = WIRES[kind]
    expected = events([whole])
    assert len(expected) > 5
    assert events(bytes([byte]) for byte in whole) == expected
    for place in range(len(whole) + 1):
        assert events([whole[:place], whole[place:]]) == expected, place


@pytest.mark.parametrize(("kind", "read"), DOORS)
def test_a_stream_that_comes_byte_by_byte_is_the_same_answer(kind, read):
    whole = WIRES[kind]
    assert read(kind, pieces_at(whole, range(1, len(whole)))) == (SAID, [ARGUMENTS])


@pytest.mark.parametrize(("kind", "read"), DOORS)
@settings(max_examples=40)
@given(data=st.data())
def test_a_stream_that_is_cut_anywhere_is_the_same_answer(kind, read, data):
    whole = WIRES[kind]
    if data.draw(st.booleans()):
        whole = whole.replace(b"\n", b"\r\n")
    cuts = data.draw(st.lists(st.integers(0, len(whole)), max_size=8))
    assert read(kind, pieces_at(whole, cuts)) == (SAID, [ARGUMENTS])

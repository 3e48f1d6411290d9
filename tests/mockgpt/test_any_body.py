import asyncio
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lab import half_texts, json_values
from wired import CHAT, CLAUDE, MESSAGES, RESPONSES, answering, post

from minagent_lab import AnthropicProvider, MockGPT, OpenAICompatibleProvider, Rule, Tool, ToolRegistry, arun
from minagent_lab.mockgpt import responses

KEYS = [
    "model",
    "messages",
    "input",
    "tools",
    "stream",
    "stream_options",
    "max_tokens",
    "role",
    "content",
    "type",
    "text",
    "tool_calls",
    "id",
    "function",
    "name",
    "arguments",
    "tool_call_id",
    "call_id",
    "output",
    "tool_use_id",
    "system",
    "instructions",
    "parameters",
    "input_schema",
    "n",
    "refusal",
]
WORDS = [
    "user",
    "assistant",
    "system",
    "tool",
    "developer",
    "text",
    "tool_use",
    "tool_result",
    "function",
    "function_call",
    "function_call_output",
    "message",
    "input_text",
    "c1",
    "{}",
    "m",
]
leaves = st.none() | st.booleans() | st.integers() | st.sampled_from(WORDS) | half_texts
bodies = st.recursive(
    leaves,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=5),
    max_leaves=25,
)
begun = {"model": "m", "max_tokens": 5}


@pytest.mark.parametrize("path", [CHAT, RESPONSES, MESSAGES])
@settings(max_examples=100)
@given(
    row=st.dictionaries(st.sampled_from(KEYS), bodies, max_size=6),
    more=st.dictionaries(st.sampled_from(KEYS), bodies, max_size=3),
)
def test_any_body_is_answered_or_refused(path, row, more):
    mock = answering("x")
    for body in (
        {**begun, "messages": [row], "input": [row], **more},
        {**begun, "messages": row, "input": row, **more},
    ):
        reply = post(mock, path, json.dumps(body).encode(), CLAUDE)
        assert reply.status_code in (200, 400), reply.text
        if reply.status_code == 400:
            assert reply.json()["error"]["message"]


@given(json_values)
def test_any_json_is_answered_or_refused(body):
    assert post(answering("x"), CHAT, json.dumps(body).encode()).status_code == 400


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("kind", [OpenAICompatibleProvider, AnthropicProvider])
def test_a_conversation_of_several_turns_is_no_broken_history(kind, stream):
    two = responses.tool_calls(("add", {"a": 1}), ("add", {"a": "x"}), content="Both.")
    mock = MockGPT(
        [Rule(when=lambda r: r.turn == 0, generator=two), Rule(when=lambda r: r.turn == 1, generator=two)],
        fallback="Done.",
    )

    async def main():
        registry = ToolRegistry()
        registry.add(Tool("add", "", {"type": "object", "properties": {"a": {"type": "number"}}}, lambda a: a + 1))
        async with kind("m", transport=mock.transport, stream=stream) as provider:
            return await arun(provider, registry, "Hi", system="Be kind.")

    result = asyncio.run(main())
    assert result.final == "Done."
    assert mock.counts == {"total": 3, "rules": [1, 1], "fallback": 1, "unmatched": 0}

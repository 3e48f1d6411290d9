from contextlib import suppress
from decimal import Decimal

import pytest
from hypothesis import given
from service import spoiled

from minagent_lab import (
    MalformedResponseError,
    Message,
    ModelRequest,
    ModelResponse,
    ProviderError,
    ServerError,
    ToolCall,
)
from minagent_lab.observe.pricing import PriceTable
from minagent_lab.providers.messages_api import messages_request, messages_response


def text(said="Hello."):
    return {"type": "text", "text": said}


def use(id="c1", name="add", **input):
    return {"type": "tool_use", "id": id, "name": name, "input": input}


def response(*blocks, stop_reason="end_turn", **more):
    return messages_response({"content": list(blocks), "stop_reason": stop_reason, **more}, 1)


def test_a_run_goes_out_as_blocks_with_the_system_prompt_beside_it():
    calls = [ToolCall("c1", "add", {"a": 1}), ToolCall("c2", "查", {})]
    history = [
        Message("system", "Be brief."),
        Message("user", "Hi"),
        Message("assistant", "Let me see.", calls),
        Message("tool", "1", tool_call_id="c1"),
        Message("tool", "", tool_call_id="c2"),
        Message("user", "And?"),
        Message("assistant", "", calls[:1]),
        Message("tool", "晴", tool_call_id="c1"),
    ]
    one = {"type": "tool_use", "id": "c1", "name": "add", "input": {"a": 1}}
    two = {"type": "tool_use", "id": "c2", "name": "查", "input": {}}
    assert messages_request(ModelRequest(history)) == {
        "system": "Be brief.",
        "messages": [
            {"role": "user", "content": "Hi"},
            {"role": "assistant", "content": [text("Let me see."), one, two]},
            {
                "role": "user",
                "content": [
                    {"type": "tool_result", "tool_use_id": "c1", "content": "1"},
                    {"type": "tool_result", "tool_use_id": "c2", "content": ""},
                ],
            },
            {"role": "user", "content": "And?"},
            {"role": "assistant", "content": [one]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": "晴"}]},
        ],
    }


def test_several_system_messages_are_one_prompt_and_none_is_no_field():
    history = [Message("system", "Be brief."), Message("user", "Hi"), Message("system", "Be kind.")]
    assert messages_request(ModelRequest(history))["system"] == "Be brief.\n\nBe kind."
    assert "system" not in messages_request(ModelRequest([Message("user", "Hi")]))
    assert "system" not in messages_request(ModelRequest([Message("system", "")]))


@pytest.mark.parametrize("blank", ["", " \n"])
def test_blank_text_of_the_model_is_no_block(blank):
    rows = messages_request(
        ModelRequest([Message("assistant", blank), Message("assistant", blank, [ToolCall("c1", "now", {})])])
    )["messages"]
    assert rows == [{"role": "assistant", "content": [use(name="now")]}]


def test_tools_go_out_with_an_input_schema():
    tools = [{"name": "t", "description": "查", "parameters": {"type": "object"}}]
    assert messages_request(ModelRequest([], tools))["tools"] == [
        {"name": "t", "description": "查", "input_schema": {"type": "object"}}
    ]
    assert "tools" not in messages_request(ModelRequest([]))


def test_half_a_character_that_a_model_wrote_can_be_sent():
    asked = Message("assistant", "", [ToolCall("c1", "t", {"a\ud83d": ["\ud83d"]})])
    messages_request(ModelRequest([asked]))["messages"][0]["content"][0]["input"].popitem()[0].encode()


@pytest.mark.parametrize(
    ("word", "reason"),
    [
        ("end_turn", "end_turn"),
        ("max_tokens", "max_tokens"),
        ("model_context_window_exceeded", "max_tokens"),
        ("refusal", "content_filter"),
        ("stop_sequence", "stop_sequence"),
        ("pause_turn", "pause_turn"),
    ],
)
def test_stop_reasons_are_told_in_our_words_or_in_the_services_own(word, reason):
    assert response(text(), stop_reason=word) == ModelResponse(Message("assistant", "Hello."), reason)


def test_text_and_calls_are_found_among_blocks_of_any_kind():
    told = response(
        {"type": "thinking", "thinking": "hm", "signature": "x"},
        text("Let "),
        text("me."),
        use(a=1),
        stop_reason="tool_use",
    )
    assert told.message == Message("assistant", "Let me.", [ToolCall("c1", "add", {"a": 1})])


def test_input_that_is_missing_means_no_arguments():
    for blank in ({}, {"input": None}, {"input": ""}):
        told = response({"type": "tool_use", "id": "c1", "name": "now", **blank}, stop_reason="tool_use")
        assert told.message.tool_calls == (ToolCall("c1", "now", {}),)


def test_what_was_read_from_the_cache_was_read_too():
    counts = {"input_tokens": 1, "cache_creation_input_tokens": 2, "cache_read_input_tokens": None, "output_tokens": 4}
    assert response(text(), usage=counts, model="m").usage == {
        "input_tokens": 3, "output_tokens": 4, "cache_creation_input_tokens": 2,
    }  # fmt: skip


def test_what_was_read_from_the_cache_is_kept_so_that_it_costs_what_it_costs():
    counts = {"input_tokens": 100, "cache_read_input_tokens": 900, "output_tokens": 0}
    usage = response(text(), usage=counts, model="m").usage
    assert usage == {"input_tokens": 1000, "output_tokens": 0, "cache_read_input_tokens": 900}
    prices = PriceTable({"m": {"input": "10", "output": "1", "cached_input": "1"}})
    assert prices.cost("m", usage) == Decimal("0.0019")


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ({}, "content is None"),
        ({"content": "x", "stop_reason": "end_turn"}, "content is a str"),
        ({"content": ["x"], "stop_reason": "end_turn"}, "a block of content is a str"),
        ({"content": [{"type": "text"}], "stop_reason": "end_turn"}, "text is None"),
        ({"content": [], "stop_reason": "end_turn"}, "neither text nor a tool call"),
        ({"content": [text()], "stop_reason": None}, "stop_reason is None"),
        ({"content": [text()], "stop_reason": "tool_use"}, "there is no tool call"),
        ({"content": [use(), use()], "stop_reason": "tool_use"}, "have the id 'c1'"),
        ({"content": [use(name="")], "stop_reason": "tool_use"}, "has the name ''"),
        ({"content": [use(a=float("nan"))], "stop_reason": "tool_use"}, "'add' with arguments"),
        ({"content": [{**use(), "input": [1]}], "stop_reason": "tool_use"}, "a list, not a JSON object"),
    ],
)
def test_a_body_that_is_no_response_is_refused_with_the_reason(body, why):
    with pytest.raises(MalformedResponseError, match=why):
        messages_response(body, 1)


def test_an_error_with_the_status_200_is_an_error():
    with pytest.raises(ServerError, match="Overloaded"):
        messages_response({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}, 1)


FULL = {
    "model": "m",
    "content": [text(), use(a=1), use("c2", b={"c": []})],
    "stop_reason": "tool_use",
    "usage": {"input_tokens": 1, "output_tokens": 2, "cache_read_input_tokens": 3},
}


@given(spoiled(FULL))
def test_whatever_is_wrong_with_a_body_it_is_a_response_or_an_error_of_the_tree(body):
    with suppress(ProviderError):
        assert isinstance(messages_response(body, 1), ModelResponse)

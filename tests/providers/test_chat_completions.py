from contextlib import suppress

import pytest
from hypothesis import given
from service import completion, spoiled, wish

from minagent_lab import (
    InvalidRequestError,
    MalformedResponseError,
    Message,
    ModelRequest,
    ModelResponse,
    ProviderError,
    ServerError,
    ToolCall,
)
from minagent_lab.providers.chat_completions import chat_request, chat_response


def response(**told):
    return chat_response(completion(**told), 1)


def test_each_role_goes_out_in_the_services_words():
    calls = [ToolCall("c1", "weather", {"城市": "北京", "x": 1.5})]
    history = [
        Message("system", "Be brief."),
        Message("user", "Hi"),
        Message("assistant", "Let me see.", calls),
        Message("tool", "晴", tool_call_id="c1"),
        Message("assistant", "Sunny."),
    ]
    function = {"name": "weather", "arguments": '{"城市":"北京","x":1.5}'}
    assert chat_request(ModelRequest(history)) == {
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "Hi"},
            {
                "role": "assistant",
                "content": "Let me see.",
                "tool_calls": [{"id": "c1", "type": "function", "function": function}],
            },
            {"role": "tool", "content": "晴", "tool_call_id": "c1"},
            {"role": "assistant", "content": "Sunny."},
        ]
    }


def test_a_message_of_calls_alone_has_its_content_and_arguments_all_the_same():
    rows = chat_request(ModelRequest([Message("assistant", "", [ToolCall("c1", "now", {})])]))["messages"]
    assert rows[0]["content"] == ""
    assert rows[0]["tool_calls"][0]["function"]["arguments"] == "{}"


def test_tools_go_out_with_their_schema_and_no_tools_go_out_as_no_field():
    schema = {"type": "object", "properties": {"城市": {"type": "string"}}}
    tools = [{"name": "t", "description": "查", "parameters": schema}]
    assert chat_request(ModelRequest([], tools))["tools"] == [{"type": "function", "function": tools[0]}]
    assert "tools" not in chat_request(ModelRequest([]))


def test_a_schema_of_an_object_has_the_properties_that_the_service_wants():
    tools = [{"name": "now", "description": "", "parameters": {"type": "object"}}]
    sent = chat_request(ModelRequest([], tools))["tools"][0]["function"]["parameters"]
    assert sent == {"type": "object", "properties": {}}


@pytest.mark.parametrize(
    ("word", "reason"),
    [("stop", "end_turn"), ("length", "max_tokens"), ("content_filter", "content_filter"), ("eos", "eos")],
)
def test_finish_reasons_are_told_in_our_words_or_in_the_services_own(word, reason):
    assert response(finish_reason=word) == ModelResponse(Message("assistant", "Hello."), reason, {}, "gpt-real")


@pytest.mark.parametrize("content", [None, "", "Let me see."])
@pytest.mark.parametrize("word", ["tool_calls", "stop"])
def test_calls_come_with_or_without_text_and_text_is_never_the_word_none(content, word):
    told = response(content=content, finish_reason=word, tool_calls=[wish()])
    assert told.message == Message("assistant", content or "", [ToolCall("c1", "add", {"a": 2, "b": 3})])
    assert told.stop_reason == "tool_use"


def test_the_order_of_calls_is_kept():
    calls = [wish(id="c2"), wish(id="c1", name="sub", arguments={"a": 1})]
    told = response(content=None, finish_reason="tool_calls", tool_calls=calls)
    assert [(call.id, call.name) for call in told.message.tool_calls] == [("c2", "add"), ("c1", "sub")]


def test_a_blank_where_arguments_should_be_means_none():
    for blank in ({"arguments": ""}, {"arguments": "  "}, {"arguments": None}, {}):
        call = {"id": "c1", "type": "function", "function": {"name": "now", **blank}}
        assert response(content=None, tool_calls=[call]).message.tool_calls[0].arguments == {}


def test_a_call_in_an_answer_that_was_cut_is_kept_for_the_loop_to_answer():
    told = response(content=None, finish_reason="length", tool_calls=[wish(arguments='{"a": 2, "b')])
    assert (told.stop_reason, told.message.tool_calls) == ("max_tokens", (ToolCall("c1", "add", {}),))


def test_a_refusal_is_the_text_of_an_answer_that_was_withheld():
    told = response(content=None, refusal="I cannot.")
    assert (told.message.content, told.stop_reason) == ("I cannot.", "content_filter")


@pytest.mark.parametrize(
    ("details", "kept"),
    [
        ({"cached_tokens": 8, "audio_tokens": 1}, {"cache_read_input_tokens": 8}),
        ({"cached_tokens": 0}, {}),
        ({"cached_tokens": None}, {}),
        ({}, {}),
        (None, {}),
        ([], {}),
    ],
)
def test_the_part_of_the_prompt_that_was_cached_is_kept(details, kept):
    told = response(usage={"prompt_tokens": 10, "completion_tokens": 2, "prompt_tokens_details": details})
    assert told.usage == {"input_tokens": 10, "output_tokens": 2, **kept}


def test_usage_and_the_model_that_answered_are_told():
    told = response(usage={"prompt_tokens": 10, "completion_tokens": 2, "completion_tokens_details": None})
    assert (told.usage, told.model) == ({"input_tokens": 10, "output_tokens": 2}, "gpt-real")


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ({}, "choices is None"),
        ({"choices": []}, "choices is empty"),
        ({"choices": {}}, "choices is a dict"),
        ({"choices": [None]}, r"choices\[0\] is None"),
        ({"choices": [{}]}, "message is None"),
        (completion(finish_reason=None), "finish_reason is None"),
        (completion(finish_reason=""), "finish_reason is ''"),
        (completion(finish_reason=5), "finish_reason is 5"),
        (completion(content=None), "neither text nor a tool call"),
        (completion(content=""), "neither text nor a tool call"),
        (completion(content=None, tool_calls=[]), "neither text nor a tool call"),
        (completion(content=["x"]), "content is a list"),
        (completion(finish_reason="tool_calls"), "there is no tool call"),
        (completion(content=None, finish_reason="function_call"), "there is no tool call"),
        (completion(tool_calls={"a": 1}), "tool_calls is a dict"),
        (completion(tool_calls=["x"]), "a tool call is a str"),
        (completion(tool_calls=[{"id": "c", "type": "custom", "custom": {}}]), "of the type 'custom'"),
        (completion(tool_calls=[wish(), wish()]), "two calls of one message have the id 'c1'"),
        (completion(tool_calls=[wish(arguments="{'a': 1}")]), "'add' with arguments"),
        (completion(tool_calls=[wish(arguments='{"a":1,"a":2}')]), "stands twice"),
        (completion(tool_calls=[wish(arguments='{"a":1e999}')]), "JSON cannot say"),
        (completion(usage={"prompt_tokens": "5"}), "counts tokens"),
        (
            completion(
                usage={"prompt_tokens": 5, "completion_tokens": 1, "prompt_tokens_details": {"cached_tokens": "x"}}
            ),
            "counts tokens",
        ),
    ],
)
def test_a_body_that_is_no_response_is_refused_with_the_reason(body, why):
    with pytest.raises(MalformedResponseError, match=why):
        chat_response(body, 1)


def test_an_error_with_the_status_200_is_an_error():
    with pytest.raises(InvalidRequestError, match="No endpoints"):
        chat_response({"error": {"code": 404, "message": "No endpoints found"}}, 1)
    with pytest.raises(ServerError, match="model is loading"):
        chat_response({"error": "model is loading"}, 1)


FULL = completion(
    "x", "tool_calls", {"prompt_tokens": 1, "completion_tokens": 2}, refusal=None, tool_calls=[wish(), wish(id="c2")]
)


@given(spoiled(FULL))
def test_whatever_is_wrong_with_a_body_it_is_a_response_or_an_error_of_the_tree(body):
    with suppress(ProviderError):
        assert isinstance(chat_response(body, 1), ModelResponse)

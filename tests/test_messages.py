import copy
import dataclasses
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lab import call, json_objects

from minagent_lab import Message, ModelResponse, ToolCall

words = st.text(min_size=1)
calls = st.builds(ToolCall, words, words, json_objects)
messages = st.one_of(
    st.builds(Message, st.sampled_from(["system", "user"]), st.text()),
    st.builds(Message, st.just("assistant"), st.text(), st.lists(calls, max_size=3, unique_by=lambda made: made.id)),
    st.builds(Message, st.just("tool"), st.text(), tool_call_id=words),
)
usages = st.dictionaries(st.sampled_from(["input_tokens", "output_tokens", "cached_tokens"]), st.integers(min_value=0))
assistants = messages.filter(lambda message: message.role == "assistant")
responses = st.builds(ModelResponse, assistants, words, usages, st.text())


@given(calls | messages | responses)
def test_what_a_value_shows_of_itself_can_be_pasted_back(made):
    assert eval(repr(made)) == made


@given(responses)
def test_what_a_caller_does_to_the_data_of_a_response_changes_nothing(response):
    before = repr(response)
    response.usage["input_tokens"] = 999
    for made in response.message.tool_calls:
        made.arguments["more"] = 1

    assert repr(response) == before


@given(responses)
def test_copying_and_pickling_keep_a_value(response):
    assert copy.deepcopy(response) == response
    assert pickle.loads(pickle.dumps(response)) == response


def test_arguments_are_copied_when_a_call_is_made():
    arguments = {"items": [1]}
    made = ToolCall("c1", "sum", arguments)
    arguments["items"].append(2)

    assert made.arguments == {"items": [1]}


def test_calls_are_copied_when_a_message_is_made():
    wish = call(a=1, b=2)
    message = Message("assistant", tool_calls=[wish])
    wish.arguments["a"] = 99

    assert message.tool_calls == (call(a=1, b=2),)


def test_message_and_usage_are_copied_when_a_response_is_made():
    message, usage = Message("assistant", tool_calls=[call(a=1, b=2)]), {"input_tokens": 1, "detail": {"cached": 0}}
    response = ModelResponse(message, "tool_use", usage)
    message.tool_calls[0].arguments["a"] = 99
    usage["detail"]["cached"] = 99

    assert response.message.tool_calls[0].arguments["a"] == 1
    assert response.usage["detail"] == {"cached": 0}


@pytest.mark.parametrize("made", [call(), Message("user", "Hi"), ModelResponse(Message("assistant"))])
def test_no_field_can_be_set(made):
    for field in dataclasses.fields(made):
        with pytest.raises(AttributeError, match=rf"dataclasses.replace\(\w+, {field.name}=...\)"):
            setattr(made, field.name, "x")


def test_replace_makes_a_changed_copy_and_checks_it():
    assert dataclasses.replace(call(), name="sub") == call(name="sub")
    with pytest.raises(ValueError, match="role is 'robot'"):
        dataclasses.replace(Message("user"), role="robot")


@pytest.mark.parametrize(
    ("parts", "kind", "said"),
    [
        ((1, "add", {}), TypeError, "ToolCall.id is 1; it must be text"),
        (("", "add", {}), ValueError, "ToolCall.id is empty"),
        (("c1", None, {}), TypeError, "ToolCall.name is None"),
        (("c1", "", {}), ValueError, "ToolCall.name is empty"),
        (("c1", "add", None), TypeError, "ToolCall c1: arguments is None; write a dict, {} for none"),
        (("c1", "add", '{"a": 1}'), TypeError, "ToolCall c1: arguments is '{\"a\": 1}'; write a dict"),
        (("c1", "add", [1]), TypeError, "ToolCall c1: arguments is [1]; write a dict"),
        (("c1", "add", {"a": float("nan")}), TypeError, "arguments['a'] is nan, which JSON cannot say"),
        (("c1", "add", {"a": {1: 2}}), TypeError, "arguments['a'] has the key 1, an int"),
        (("c1", "add", {"a": [10**5000]}), ValueError, "ToolCall c1: arguments holds a number too long to be written"),
        (("c\ud800", "add", {}), ValueError, "ToolCall.id holds '\\ud800' at 1, half of a character"),
    ],
)
def test_a_wrong_call_is_refused_where_it_is_written(parts, kind, said):
    with pytest.raises(kind) as refusal:
        ToolCall(*parts)
    assert said in str(refusal.value)


@pytest.mark.parametrize(
    ("fields", "kind", "said"),
    [
        ({"role": "robot"}, ValueError, "role is 'robot'; use one of system, user, assistant, tool"),
        ({"role": None}, ValueError, "role is None"),
        ({"role": "user", "content": None}, TypeError, "Message.content is None; it must be text"),
        ({"role": "user", "content": b"x"}, TypeError, "Message.content is b'x'"),
        ({"role": "user", "content": "5 \ud83d"}, ValueError, "Message.content holds '\\ud83d' at 2"),
        ({"role": "tool", "tool_call_id": ""}, ValueError, "Message.tool_call_id is empty"),
        ({"role": "tool", "tool_call_id": 7}, TypeError, "Message.tool_call_id is 7"),
        ({"role": "assistant", "tool_calls": call()}, TypeError, "a single ToolCall; write a list, even for one call"),
        ({"role": "assistant", "tool_calls": None}, TypeError, "tool_calls is None; write a list of ToolCall"),
        ({"role": "assistant", "tool_calls": "c1"}, TypeError, "tool_calls is 'c1'; write a list"),
        ({"role": "assistant", "tool_calls": [{"id": "c1"}]}, TypeError, "tool_calls holds {'id': 'c1'}"),
        (
            {"role": "assistant", "tool_calls": [call(), call()]},
            ValueError,
            "two calls of one message have the id 'c1'",
        ),
    ],
)
def test_a_wrong_message_is_refused_where_it_is_written(fields, kind, said):
    with pytest.raises(kind) as refusal:
        Message(**fields)
    assert said in str(refusal.value)


ANSWER = Message("assistant", "Hello.")


@pytest.mark.parametrize(
    ("fields", "kind", "said"),
    [
        ({"message": "Hello."}, TypeError, "ModelResponse.message is 'Hello.'; write Message(\"assistant\", ...)"),
        ({"message": Message("user", "Hi")}, ValueError, "ModelResponse.message is Message('user', 'Hi')"),
        ({"message": ANSWER, "stop_reason": None}, TypeError, "ModelResponse.stop_reason is None"),
        ({"message": ANSWER, "stop_reason": ""}, ValueError, "ModelResponse.stop_reason is empty"),
        ({"message": ANSWER, "model": 1}, TypeError, "ModelResponse.model is 1"),
        ({"message": ANSWER, "usage": None}, TypeError, "usage is None; write"),
        ({"message": ANSWER, "usage": {"input_tokens": -1}}, ValueError, "usage['input_tokens'] is -1"),
        ({"message": ANSWER, "usage": {"output_tokens": True}}, ValueError, "usage['output_tokens'] is True"),
        ({"message": ANSWER, "usage": {"output_tokens": 1.5}}, ValueError, "usage['output_tokens'] is 1.5"),
        ({"message": ANSWER, "usage": {"output_tokens": float("nan")}}, ValueError, "usage['output_tokens'] is nan"),
        ({"message": ANSWER, "usage": {"cost": float("nan")}}, TypeError, "usage['cost'] is nan"),
    ],
)
def test_a_wrong_response_is_refused_where_it_is_written(fields, kind, said):
    with pytest.raises(kind) as refusal:
        ModelResponse(**fields)
    assert said in str(refusal.value)


@pytest.mark.parametrize(
    ("message", "stop_reason", "action"),
    [
        (Message("assistant", tool_calls=[call()]), "tool_use", "tool_call"),
        (Message("assistant", tool_calls=[call()]), "max_tokens", "tool_call"),
        (ANSWER, "end_turn", "finish"),
        (ANSWER, "max_tokens", "message"),
        (ANSWER, "content_filter", "message"),
        (ANSWER, "pause_turn", "message"),
    ],
)
def test_the_action_follows_from_calls_and_stop_reason(message, stop_reason, action):
    assert ModelResponse(message, stop_reason).action == action


def test_no_usage_is_an_empty_mapping_of_each_response():
    first, second = ModelResponse(ANSWER), ModelResponse(ANSWER)
    first.usage["input_tokens"] = 5

    assert second.usage == {}


def test_two_calls_with_equal_arguments_are_two_calls():
    message = Message("assistant", tool_calls=[call("c1"), call("c2")])

    assert [made.id for made in message.tool_calls] == ["c1", "c2"]


def test_messages_without_calls_can_be_members_of_a_set():
    assert len({Message("user", "Hi"), Message("user", "Hi"), Message("user", "Ho")}) == 2

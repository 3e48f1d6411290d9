from hypothesis import given
from hypothesis import strategies as st
from lab import json_objects

from minagent_lab.messages import ROLES, Message, ModelResponse, ToolCall
from minagent_lab.observe.semconv import message_data, message_of, response_data, response_of, usage_data, usage_of

ids = st.text(min_size=1, max_size=5)
calls = st.lists(st.builds(ToolCall, ids, ids, json_objects), max_size=3, unique_by=lambda call: call.id)
messages = st.builds(Message, st.sampled_from(ROLES), st.text(), calls, st.none() | ids)
counts = st.integers(0, 10**9)
usages = st.fixed_dictionaries({}, optional={"input_tokens": counts, "output_tokens": counts, "thoughts": counts})
responses = st.builds(ModelResponse, st.builds(Message, st.just("assistant"), st.text(), calls), ids, usages, st.text())


@given(messages)
def test_every_message_comes_back(message):
    assert message_of(message_data(message)) == message


@given(responses)
def test_every_response_comes_back(response):
    assert response_of(response_data(response)) == response


@given(usages)
def test_every_usage_comes_back(usage):
    assert usage_of(usage_data(usage)) == usage


def test_a_message_has_the_parts_that_the_conventions_describe():
    message = Message("assistant", "One moment.", [ToolCall("c1", "add", {"a": 2})])
    assert message_data(message) == {
        "role": "assistant",
        "parts": [
            {"type": "text", "content": "One moment."},
            {"type": "tool_call", "id": "c1", "name": "add", "arguments": {"a": 2}},
        ],
    }

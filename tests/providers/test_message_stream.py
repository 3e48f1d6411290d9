import itertools
import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st
from service import spoiled

from minagent_lab import (
    MalformedResponseError,
    Message,
    ModelResponse,
    NetworkError,
    ProviderError,
    RateLimitError,
    ToolCall,
)
from minagent_lab.providers.message_stream import MessageAssembler
from minagent_lab.providers.messages_api import messages_response

START = {
    "type": "message_start",
    "message": {"model": "m", "content": [], "usage": {"input_tokens": 10, "output_tokens": 1}},
}
STOP = {"type": "message_stop"}


def begin(index, type="text", **more):
    return {"type": "content_block_start", "index": index, "content_block": {"type": type, **more}}


def grow(index, type="text_delta", **more):
    return {"type": "content_block_delta", "index": index, "delta": {"type": type, **more}}


def end(index):
    return {"type": "content_block_stop", "index": index}


def last(stop_reason="end_turn", **usage):
    return {"type": "message_delta", "delta": {"stop_reason": stop_reason}, "usage": usage}


def assembled(*events):
    answer = MessageAssembler()
    for event in events:
        answer.feed(event)
    return messages_response(answer.body(), 1)


def test_text_and_calls_grow_block_by_block():
    response = assembled(
        START,
        begin(0, text="Let"),
        {"type": "ping"},
        grow(0, text=" me"),
        grow(0, text="."),
        end(0),
        begin(1, "tool_use", id="c1", name="add", input={}),
        grow(1, "input_json_delta", partial_json=""),
        grow(1, "input_json_delta", partial_json='{"a": '),
        grow(1, "input_json_delta", partial_json="1}"),
        end(1),
        begin(2, "tool_use", id="c2", name="now", input={}),
        end(2),
        last("tool_use", output_tokens=7),
        STOP,
    )
    calls = [ToolCall("c1", "add", {"a": 1}), ToolCall("c2", "now", {})]
    assert response.message == Message("assistant", "Let me.", calls)
    assert (response.stop_reason, response.model) == ("tool_use", "m")
    assert response.usage == {"input_tokens": 10, "output_tokens": 7}


def test_thinking_is_left_out_and_events_of_other_kinds_say_nothing():
    thinking = begin(0, "thinking", thinking=""), grow(0, "thinking_delta", thinking="hm"), grow(0, "signature_delta")
    response = assembled(START, *thinking, begin(1), grow(1, text="Hi"), {"type": "new_kind"}, {}, last(), STOP)
    assert response.message == Message("assistant", "Hi")


def test_input_that_comes_at_once_is_kept():
    response = assembled(START, begin(0, "tool_use", id="c1", name="add", input={"a": 1}), last("tool_use"), STOP)
    assert response.message.tool_calls == (ToolCall("c1", "add", {"a": 1}),)


def test_a_call_that_was_cut_is_kept_for_the_loop_to_answer():
    block = begin(0, "tool_use", id="c1", name="add", input={}), grow(0, "input_json_delta", partial_json='{"a": ')
    response = assembled(START, *block, last("max_tokens"), STOP)
    assert (response.message.tool_calls, response.cut) == ((ToolCall("c1", "add", {}),), True)


def test_input_with_a_key_twice_is_refused():
    block = begin(0, "tool_use", id="c1", name="add"), grow(0, "input_json_delta", partial_json='{"a":1,"a":2}')
    with pytest.raises(MalformedResponseError, match="stands twice"):
        assembled(START, *block, last("tool_use"), STOP)


def test_usage_that_nobody_tells_is_unknown():
    assert assembled(begin(0), grow(0, text="Hi"), last(), STOP).usage == {}


@pytest.mark.parametrize("count", range(5))
def test_a_stream_that_just_stops_is_incomplete_and_never_a_short_answer(count):
    events = [START, begin(0), grow(0, text="Hi"), last(), STOP]
    with pytest.raises(NetworkError, match="incomplete"):
        assembled(*events[:count])


def test_an_end_without_a_reason_is_refused():
    with pytest.raises(MalformedResponseError, match="stop_reason is None"):
        assembled(START, begin(0), grow(0, text="Hi"), STOP)


def test_an_error_in_the_middle_of_a_stream_is_that_error():
    with pytest.raises(RateLimitError, match="Slow down"):
        assembled(START, {"type": "error", "error": {"type": "rate_limit_error", "message": "Slow down"}})


@pytest.mark.parametrize(
    "event",
    [
        begin(0),
        grow(1, text="x"),
        {**grow(0), "index": None},
        {**grow(0), "index": True},
        {**grow(0), "delta": None},
        grow(0, text=5),
        grow(0),
        {"type": "content_block_start", "index": 1, "content_block": None},
        {"type": "message_start"},
        {"type": "message_delta", "delta": 5},
        {"type": "message_delta", "usage": 5},
    ],
)
def test_events_that_do_not_fit_are_refused(event):
    with pytest.raises(MalformedResponseError):
        assembled(START, begin(0), event, last(), STOP)


def test_the_answer_can_be_looked_at_while_it_grows():
    answer = MessageAssembler()
    for event in (START, begin(0), grow(0, text="Let "), grow(0, text="me")):
        answer.feed(event)
    assert (answer.text, answer.stop_reason, answer.done) == ("Let me", None, False)


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1), st.lists(st.integers(0, 40), max_size=5))
def test_however_arguments_are_cut_they_come_together(said, places):
    written = json.dumps({"q": said}, ensure_ascii=False)
    places = sorted(place for place in places if place < len(written))
    parts = [written[a:b] for a, b in itertools.pairwise([0, *places, len(written)])]
    pieces = [grow(0, "input_json_delta", partial_json=part) for part in parts]
    response = assembled(START, begin(0, "tool_use", id="c1", name="t"), *pieces, last("tool_use"), STOP)
    assert response.message.tool_calls[0].arguments == {"q": said}


USE = begin(1, "tool_use", id="c", name="t", input={}), grow(1, "input_json_delta", partial_json="{}")


@given(spoiled([START, begin(0), grow(0, text="x"), end(0), *USE, last("tool_use", output_tokens=1), STOP]))
def test_whatever_is_wrong_with_an_event_it_is_a_response_or_an_error_of_the_tree(events):
    with suppress(ProviderError):
        assert isinstance(assembled(*[event for event in events if isinstance(event, dict)]), ModelResponse)

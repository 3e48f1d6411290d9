import pytest

from minagent_lab import MalformedResponseError, Message, ModelResponse, ToolCall
from minagent_lab.providers.reply import Written, need, read_body, read_reply, read_usage


def reply(text="", calls=(), stop_reason="end_turn", usage=None, model="m", turn=3):
    return read_reply(text, list(calls), stop_reason, usage or {}, model, turn)


def usage(told):
    return read_usage(told, "prompt_tokens", "completion_tokens", ("cached",))


def test_text_beside_calls_is_kept():
    calls = [Written("c1", "add", '{"a": 1}')]
    assert reply("Let me see.", calls, "tool_use").message == Message(
        "assistant", "Let me see.", [ToolCall("c1", "add", {"a": 1})]
    )


def test_calls_of_an_answer_that_says_it_ended_are_calls_all_the_same():
    response = reply(calls=[Written("c1", "now", "")])
    assert (response.stop_reason, response.action) == ("tool_use", "tool_call")


def test_an_answer_that_was_cut_keeps_its_calls_and_says_so():
    response = reply(calls=[Written("c1", "add", '{"a": ')], stop_reason="max_tokens")
    assert response.cut
    assert response.message.tool_calls == (ToolCall("c1", "add", {}),)


@pytest.mark.parametrize("reason", ["max_tokens", "content_filter", "pause_turn", "stop_sequence"])
def test_an_empty_answer_is_one_where_the_stop_reason_explains_it(reason):
    assert reply(stop_reason=reason) == ModelResponse(Message("assistant"), reason, {}, "m")


@pytest.mark.parametrize("reason", ["end_turn", "tool_use", "function_call"])
def test_an_empty_answer_that_nobody_explains_is_none(reason):
    with pytest.raises(MalformedResponseError, match="there is n"):
        reply(stop_reason=reason)


def test_a_call_that_was_announced_and_did_not_come_is_not_passed_over():
    with pytest.raises(MalformedResponseError, match="stop reason is tool_use, and there is no tool call"):
        reply("I will call add.", stop_reason="tool_use")


def test_a_call_without_an_id_gets_one_that_no_other_answer_of_the_run_gives():
    first = reply(calls=[Written(None, "now", ""), Written("", "now", "")], turn=1)
    later = reply(calls=[Written(None, "now", "")], turn=5)
    assert [call.id for call in (*first.message.tool_calls, *later.message.tool_calls)] == [
        "call_1_1",
        "call_1_2",
        "call_5_1",
    ]


@pytest.mark.parametrize(
    ("calls", "why"),
    [
        ([Written("c1", "a", ""), Written("c1", "b", "")], "two calls of one message have the id 'c1'"),
        ([Written("c1", None, "")], "has the name None"),
        ([Written("c1", "", "")], "has the name ''"),
        ([Written("c1", 5, "")], "has the name 5"),
        ([Written(5, "a", "")], "ToolCall.id is 5"),
        ([Written("c1", "\ud83d", "")], "half of a character"),
        ([Written("c1", "a", "[]")], "a list, not a JSON object"),
    ],
)
def test_calls_that_cannot_be_paired_or_named_are_refused(calls, why):
    with pytest.raises(MalformedResponseError) as refused:
        reply(calls=calls, stop_reason="tool_use")
    assert why in str(refused.value)


def test_halves_of_characters_in_the_text_are_put_right():
    assert reply("\ud83d\ude42 \ud83d").message.content == "🙂 \ufffd"


@pytest.mark.parametrize("model", [None, 5, [], "\ud83d"])
def test_a_model_that_is_not_named_as_text_is_unknown(model):
    assert reply("x", model=model).model in ("", "\ufffd")


@pytest.mark.parametrize(
    "told",
    [
        None,
        {},
        {"prompt_tokens": 5},
        {"completion_tokens": 5},
        {"prompt_tokens": None, "completion_tokens": 2},
        {"total_tokens": 7},
    ],
)
def test_usage_that_is_not_told_in_full_is_unknown_and_not_zero(told):
    assert usage(told) == {}


def test_usage_counts_what_was_read_and_written_and_nothing_twice():
    assert usage({"prompt_tokens": 5, "completion_tokens": 2, "prompt_tokens_details": None, "total_tokens": 7}) == {
        "input_tokens": 5,
        "output_tokens": 2,
    }
    assert usage({"prompt_tokens": 5, "completion_tokens": 2.0, "cached": 3})["input_tokens"] == 8
    assert usage({"prompt_tokens": 0, "completion_tokens": 0, "cached": None}) == {
        "input_tokens": 0,
        "output_tokens": 0,
    }


@pytest.mark.parametrize("count", ["5", -1, True, 2.5, float("nan"), float("inf"), [], {}])
@pytest.mark.parametrize("name", ["prompt_tokens", "completion_tokens"])
def test_usage_that_cannot_be_is_refused_also_where_the_other_half_is_missing(name, count):
    with pytest.raises(MalformedResponseError, match=f"usage\\['{name}'\\]"):
        usage({name: count})


@pytest.mark.parametrize("told", ["5", 5, [], True])
def test_usage_that_is_no_object_is_refused(told):
    with pytest.raises(MalformedResponseError, match="usage is"):
        usage(told)


@pytest.mark.parametrize(
    "body", ["", "{", "[1]", "null", '"text"', b"\xff\xfe", "[" * 100_000, '{"a": ' + "9" * 5000 + "}"]
)
def test_a_body_that_is_no_json_object_is_refused(body):
    with pytest.raises(MalformedResponseError, match="what came back is"):
        read_body(body)


def test_a_body_that_names_a_field_twice_is_refused():
    with pytest.raises(MalformedResponseError, match="key 'path' stands twice"):
        read_body('{"input": {"path": "a", "\\u0070ath": "b"}}')


def test_a_page_for_people_is_named_as_one():
    with pytest.raises(MalformedResponseError, match="a page for people: look at base_url"):
        read_body(b"<!doctype html><title>Sign in</title>")


def test_data_of_another_kind_is_refused_by_name():
    with pytest.raises(MalformedResponseError, match="choices is a dict; it has to be a list"):
        need({}, list, "choices")

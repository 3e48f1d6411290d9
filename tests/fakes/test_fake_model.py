import copy

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lab import adder, call

from minagent_lab import (
    Expect,
    FakeModel,
    History,
    Message,
    Model,
    ModelResponse,
    ScriptExhausted,
    ScriptNotExhausted,
)

USER, HELLO = Message("user", "Hi"), Message("assistant", "Hello.")


def test_it_is_a_model_with_a_name():
    assert isinstance(FakeModel([]), Model)
    assert FakeModel([]).name == "fake-1"
    assert FakeModel([], name="other").name == "other"


@given(st.lists(st.text(), max_size=6), st.integers(min_value=0, max_value=9))
def test_it_plays_its_items_in_order_and_counts_what_is_left(texts, times):
    model, said = FakeModel(texts), []
    for number in range(times):
        assert (model.position, model.remaining) == (min(number, len(texts)), max(len(texts) - number, 0))
        if model.remaining:
            said.append(model.complete([USER], []).message.content)
        else:
            with pytest.raises(ScriptExhausted) as end:
                model.complete([USER], [])
            assert (end.value.call_number, end.value.script_length) == (number + 1, len(texts))

    assert said == texts[:times]
    assert len(model.calls) == times
    assert model.script == texts


def test_an_exhausted_script_stays_exhausted_and_says_so_each_time():
    model = FakeModel(["Hello."])
    model.complete([USER], [])
    for number in (2, 3, 4):
        with pytest.raises(RuntimeError) as end:
            model.complete([USER, HELLO], [])
        assert str(end.value) == (
            "FakeModel 脚本已耗尽：Agent 没有收敛 (script exhausted, the agent did not converge: "
            f"call {number} was made, but the script has 1 item; last message: assistant 'Hello.'. "
            "If the call is right, add an item for it)"
        )
        assert len(model.calls) == number


# ---- what was asked stays what it was


def test_a_call_is_recorded_as_it_was_when_it_was_made():
    model, messages, tools = FakeModel(["a", "b"]), [USER], adder().schemas()
    model.complete(messages, tools)
    messages.append(HELLO)
    tools[0]["name"] = "changed"
    model.complete(messages, tools)

    assert [(len(seen), offered[0]["name"]) for seen, offered in model.calls] == [(1, "add"), (2, "changed")]


def test_the_arguments_of_a_recorded_call_stay_what_they_were():
    model, wish = FakeModel(["a"]), Message("assistant", tool_calls=[call(a=1, b=2)])
    model.complete([USER, wish], [])
    wish.tool_calls[0].arguments["a"] = 99

    assert model.calls[0].messages[1].tool_calls[0].arguments == {"a": 1, "b": 2}


def test_changing_what_calls_hand_out_changes_no_record():
    model = FakeModel(["a"])
    model.complete(History([USER, Message("assistant", tool_calls=[call(a=1, b=2)])]), adder().schemas())
    seen, tools = model.calls[0]
    seen[1].tool_calls[0].arguments["a"] = 99
    seen.append(HELLO)
    tools[0]["parameters"].clear()
    model.calls[0].messages.append(HELLO)
    model.calls.clear()

    assert len(model.calls) == 1
    assert len(model.calls[0].messages) == 2
    assert model.calls[0].messages[1].tool_calls[0].arguments["a"] == 1
    assert model.calls[0].tools == adder().schemas()


def test_a_history_that_grows_on_leaves_the_recorded_one_alone():
    model, history = FakeModel(["a"]), History([USER])
    model.complete(history, [])
    history.append(HELLO)

    assert model.calls[0].messages == [USER]


def test_recording_a_long_history_shares_it(monkeypatch):
    appended = []
    model, history = FakeModel(["a", "b"]), History([USER] * 1_000)
    monkeypatch.setattr(History, "append", lambda _, message: appended.append(message))
    model.complete(history, [])

    assert appended == []
    assert len(model.calls[0].messages) == 1_000


# ---- what is scripted stays what it is


def test_changing_the_script_after_it_was_handed_in_changes_no_answer():
    arguments, usage = {"a": [1]}, {"input_tokens": 1}
    wish, response = [call(**arguments)], ModelResponse(HELLO, usage=usage)
    script = [wish, response]
    model = FakeModel(script)
    wish[0].arguments["a"].append(2)
    wish.clear()
    response.usage["input_tokens"] = 99
    script.clear()

    assert model.complete([USER], []).message.tool_calls == (call(a=[1]),)
    assert model.complete([USER], []).usage == {"input_tokens": 1}


def test_changing_an_answer_changes_neither_script_nor_later_answers():
    response = ModelResponse(Message("assistant", tool_calls=[call(a=1, b=2)]), "tool_use", {"input_tokens": 1})
    model = FakeModel([response, response])
    first = model.complete([USER], [])
    first.message.tool_calls[0].arguments["a"] = 99
    first.usage["input_tokens"] = 99
    model.script[1].usage["input_tokens"] = 99

    assert model.complete([USER], []) == response
    assert model.script == [response, response]


def test_two_models_of_one_script_do_not_share_a_cursor():
    script = ["a", "b"]
    one, other = FakeModel(script), FakeModel(script)
    one.complete([USER], [])

    assert other.complete([USER], []).message.content == "a"


def test_a_deep_copy_goes_its_own_way():
    model = FakeModel(["a", "b"])
    model.complete([USER], [])
    twin = copy.deepcopy(model)
    twin.complete([USER, HELLO], [])

    assert (model.remaining, len(model.calls)) == (1, 1)
    assert (twin.remaining, len(twin.calls)) == (0, 2)


# ---- what it is asked with


@pytest.mark.parametrize("wrong", [None, "Hi", USER, [{"role": "user", "content": "Hi"}], [USER, None]])
def test_what_are_no_messages_is_refused_and_nothing_is_consumed(wrong):
    model = FakeModel(["a"])
    with pytest.raises(TypeError, match="message"):
        model.complete(wrong, [])

    assert model.remaining == 1


@pytest.mark.parametrize("wrong", [None, "add", {"name": "add"}, ["add"], adder()])
def test_what_are_no_tools_is_refused_and_nothing_is_consumed(wrong):
    model = FakeModel(["a"])
    with pytest.raises(TypeError, match=r"tools is .*registry.schemas\(\)"):
        model.complete([USER], wrong)

    assert model.remaining == 1


def test_a_foreign_object_in_a_tool_is_refused_with_its_place():
    with pytest.raises(TypeError, match=r"tools\[0\]\['func'\] is a "):
        FakeModel(["a"]).complete([USER], [{"name": "add", "func": print}])


# ---- what is left


def test_a_script_that_was_used_up_passes():
    model = FakeModel(["a"])
    model.complete([USER], [])
    model.assert_exhausted()


def test_items_left_over_fail_with_the_next_of_them():
    model = FakeModel(["a", [call(a=1, b=2)], Expect("c", request=print)])
    model.complete([USER], [])
    with pytest.raises(ScriptNotExhausted, match=r"2 of 3 script items are left; the next one is .*ToolCall") as left:
        model.assert_exhausted()

    assert isinstance(left.value, AssertionError)


def test_it_shows_how_far_it_is():
    assert repr(FakeModel(["a", "b"], name="x")) == "<FakeModel x: 0 of 2 items used>"

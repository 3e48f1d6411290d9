from unittest import mock

import pytest
from lab import adder, call

from minagent_lab import FakeModel, Message, run
from minagent_lab.testing import tool_calls


def shopping():
    model = FakeModel(
        [
            [call("c1", "search", q="tea")],
            [call("c2", a=1, b=2), call("c3", a=2.0, b=0.1 + 0.2)],
            [call("c2", "pay")],
            "ok",
        ]
    )
    return model, run(model, adder(), "x")


MODEL, RESULT = shopping()
SHOWN = (
    'the calls were: 1. search {"q": "tea"} → {"error": "未知工具 search (unknown tool; the tools are: add)"}; '
    '2. add {"a": 1, "b": 2} → 3; 3. add {"a": 2.0, "b": 0.30000000000000004} → 2.3'
)


@pytest.mark.parametrize("source", [MODEL, RESULT, RESULT.messages, list(RESULT.messages), iter(RESULT.messages)])
def test_calls_are_found_in_models_results_and_messages(source):
    assert len(tool_calls(source)) == 4


def test_a_model_knows_only_the_calls_whose_results_it_saw():
    model = FakeModel([[call("c1")]])
    with pytest.raises(RuntimeError):
        run(model, adder(), "x", max_steps=1)

    assert str(tool_calls(model)) == "no tool was called"
    assert str(tool_calls(FakeModel([]))) == "no tool was called"


def test_calls_that_were_made_are_found_by_name_and_by_some_arguments():
    calls = tool_calls(RESULT)

    calls.tool("add").times(2)
    calls.tool("add", a=1).once()
    calls.tool("add", b=pytest.approx(0.3)).once()
    calls.tool("search", q=mock.ANY).once()
    calls.never("delete")
    calls.never("add", a=3)


def test_what_holds_can_also_stand_behind_an_assert():
    calls = tool_calls(RESULT)

    assert calls.tool("add", a=1).once()
    assert calls.tool("add").times(2).before("pay")
    assert calls.never("delete")
    assert tool_calls([]).never("delete")


def test_the_results_are_those_of_the_calls_found():
    calls = tool_calls(RESULT)

    assert calls.tool("add").results == ["3", "2.3"]
    assert calls.tool("add", a=1).results == ["3"]


def test_an_id_used_again_has_the_result_that_came_after_it():
    calls = tool_calls(
        [
            Message("assistant", tool_calls=[call("c1", "t", n=1)]),
            Message("tool", "first", tool_call_id="c1"),
            Message("assistant", tool_calls=[call("c1", "t", n=2)]),
            Message("tool", "second", tool_call_id="c1"),
            Message("assistant", tool_calls=[call("c2", "t", n=3)]),
        ]
    )

    assert calls.tool("t").results == ["first", "second", None]


def test_order_is_that_of_the_first_call_of_each():
    calls = tool_calls(RESULT)

    calls.tool("search").before("add")
    calls.tool("add").before("pay")
    calls.tool("add", a=1).before("add", a=2)


def add():
    return tool_calls(RESULT).tool("add")


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (lambda calls: calls.tool("delete"), "delete was never called; "),
        (lambda calls: calls.tool("add", a=7), "add(a=7) was never called; "),
        (lambda calls: calls.tool("add", c=1), "add(c=1) was never called; "),
        (lambda calls: calls.tool("add", a=mock.ANY, b={1}), "add(a=<ANY>, b={1}) was never called; "),
        (lambda calls: calls.never("search", q="tea"), "search(q='tea') was called; "),
        (lambda calls: calls.tool("add").once(), "add was called 2 times, not 1; "),
        (lambda calls: calls.tool("add").times(0), "add was called 2 times, not 0; "),
        (lambda calls: calls.tool("pay").before("add"), "pay did not come before add; "),
        (lambda calls: calls.tool("add").before("delete"), "delete was never called; "),
        (lambda calls: calls.tool("add").before("add"), "add did not come before add; "),
    ],
)
def test_a_failed_question_shows_what_was_called(ask, said):
    with pytest.raises(AssertionError) as failure:
        ask(tool_calls(MODEL))
    assert str(failure.value).startswith(said + SHOWN)


def test_an_argument_may_be_called_name():
    calls = tool_calls([Message("assistant", tool_calls=[call("c1", "greet")])])
    calls.never("greet", name="Ada")


def test_they_show_themselves():
    assert repr(tool_calls([])) == "<ToolCalls: no tool was called>"
    assert repr(tool_calls(RESULT).tool("add", a=1)) == "<ToolUse add(a=1): 1 call>"

import pytest
from lab import call, well_formed

from minagent_lab import History, Message, ModelResponse, RunResult, Step, ToolResult
from minagent_lab.record import Record

WISH = ModelResponse(Message("assistant", tool_calls=[call("c1"), call("c2")]), "tool_use", {"input_tokens": 3})
FIVE = ToolResult("5")


def test_it_starts_with_system_and_prompt():
    assert Record("Hi").now == [Message("user", "Hi")]
    assert Record("Hi", "").now == [Message("system", ""), Message("user", "Hi")]


def test_what_is_done_to_a_kept_reply_changes_nothing():
    record = Record("Hi")
    calls = record.keep(WISH)
    WISH.message.tool_calls[0].arguments["a"] = 99
    calls[0].arguments["b"] = 99

    assert calls[0].arguments["a"] == 2
    assert record.now[-1] == WISH.message


def test_usage_is_summed_over_what_was_told():
    record = Record("Hi")
    for usage in ({"input_tokens": 3}, {}, {"input_tokens": 4, "output_tokens": 1, "cached": True, "detail": {"x": 1}}):
        record.keep(ModelResponse(Message("assistant"), usage=usage))

    assert record.usage == {"input_tokens": 7, "output_tokens": 1}


def test_no_usage_told_is_no_usage_and_not_zero():
    record = Record("Hi")
    record.keep(ModelResponse(Message("assistant")))

    assert record.result("completed").usage == {}


def test_the_result_answers_each_call_that_still_waits_and_says_which_one_ran():
    record = Record("Hi")
    for wish in record.keep(WISH)[:1]:
        record.answer(wish, FIVE)
    record.running.add("c2")
    result = record.result("cancelled")

    assert well_formed(result.messages)
    assert [(step.call.id, step.result.error) for step in result.steps] == [("c1", None), ("c2", "tool_failed")]
    assert "stopped while it ran" in result.steps[1].detail


def test_a_call_that_had_not_begun_is_told_apart_from_the_one_that_had():
    record = Record("Hi")
    record.keep(WISH)
    record.running.add("c1")
    result = record.result("cancelled")

    assert [step.result.error for step in result.steps] == ["tool_failed", "not_run"]
    assert "not run: the run ended before this call" in result.messages[-1].content


def test_the_same_id_in_a_later_answer_is_a_new_call():
    record = Record("Hi")
    for _ in range(2):
        for wish in record.keep(WISH):
            record.answer(wish, FIVE)
    record.keep(WISH)

    assert well_formed(record.result("cancelled").messages)


def test_a_result_does_not_grow_with_the_run():
    record = Record("Hi")
    result = record.result("failed")
    record.keep(WISH)

    assert result.messages == [Message("user", "Hi")]
    assert (result.steps, result.usage) == ((), {})


@pytest.mark.parametrize(
    ("error", "status"),
    [(ValueError(), "failed"), (KeyboardInterrupt(), "cancelled"), (SystemExit(), "cancelled")],
)
def test_an_error_carries_the_result_and_how_it_came_to_that(error, status):
    record = Record("Hi")
    result = record.attach_to(error)

    assert error.result is result
    assert result.status == status


def test_an_error_that_cannot_carry_it_is_no_trouble():
    class Closed(Exception):
        @property
        def result(self):
            return "its own"

    assert Record("Hi").attach_to(Closed()).status == "failed"


@pytest.mark.parametrize("wrong", [None, "Hello.", Message("assistant", "Hello."), FIVE])
def test_what_is_no_response_is_refused(wrong):
    with pytest.raises(TypeError, match=r"AskModel was answered with .*send a ModelResponse"):
        Record("Hi").keep(wrong)


@pytest.mark.parametrize("wrong", [None, "5", ("5", None), WISH])
def test_what_is_no_tool_result_is_refused(wrong):
    with pytest.raises(TypeError, match=r"RunTool was answered with .*send a ToolResult\(content\)"):
        Record("Hi").answer(call(), wrong)


def test_a_step_tells_tool_arguments_and_result():
    step = Step("tool_call", call=call(name="天气", 城市="北京"), result=ToolResult("晴"))

    assert step.detail == '天气 {"城市": "北京"} → 晴'
    assert repr(step) == "Step('tool_call', '天气 {\"城市\": \"北京\"} → 晴')"


def test_a_step_without_call_tells_what_it_was_given():
    assert Step("final", "Hello.").detail == "Hello."
    assert Step("final").detail == ""
    assert Step("final", "Hello.").call is None


def test_each_look_at_the_call_of_a_step_is_a_copy():
    step = Step("tool_call", call=call(a=1, b=2), result=FIVE)
    step.call.arguments["a"] = 99

    assert step.call == call(a=1, b=2)
    assert step.detail == 'add {"a": 1, "b": 2} → 5'


def test_steps_that_say_the_same_are_equal():
    assert Step("tool_call", call=call(), result=FIVE) == Step("tool_call", call=call(), result=FIVE)
    assert Step("tool_call", call=call(), result=FIVE) != Step("tool_call", call=call(), result=ToolResult("6"))
    assert Step("final", "x") != "x"


def test_a_result_may_be_made_from_a_list_of_messages():
    messages = [Message("user", "Hi")]
    result = RunResult("", (), messages, {}, "failed")
    messages.append(Message("user", "more"))

    assert result.messages == [Message("user", "Hi")]


def test_a_result_is_frozen_and_short():
    result = RunResult("Hello.", (Step("final", "Hello."),), History([Message("user", "Hi")]), {}, "completed")

    assert repr(result) == "<RunResult completed: 'Hello.', 1 steps, 1 messages>"
    with pytest.raises(AttributeError, match=r"dataclasses.replace\(run_result, final=...\)"):
        result.final = "Bye."

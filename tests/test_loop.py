import pathlib
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lab import ANYTHING, adder, call, registry, tool, well_formed

import minagent_lab
from minagent_lab import (
    AskModel,
    FakeModel,
    Message,
    ModelRequest,
    ModelResponse,
    RunResult,
    RunTool,
    ScriptExhausted,
    Tool,
    ToolCall,
    ToolRegistry,
    ToolResult,
    agent_loop,
    run,
)
from minagent_lab.errors import MaxStepsExceeded
from minagent_lab.loop import advance
from minagent_lab.record import Record
from minagent_lab.values import dump_json

PACKAGE = pathlib.Path(minagent_lab.__file__).parent


class Own:
    """A model of somebody else: it answers with what a function gives."""

    def __init__(self, answer):
        self.answer = answer

    def complete(self, messages, tools):
        return self.answer(messages, tools)


def wishes(count):
    return [[call(f"c{number}")] for number in range(count)]


def test_it_asks_until_the_model_answers_without_a_call():
    result = run(FakeModel([[call()], "5"]), adder(), "2 + 3?", system="Be brief.")

    assert [step.kind for step in result.steps] == ["tool_call", "final"]
    assert result.messages == [
        Message("system", "Be brief."),
        Message("user", "2 + 3?"),
        Message("assistant", tool_calls=[call()]),
        Message("tool", "5", tool_call_id="c1"),
        Message("assistant", "5"),
    ]
    assert (result.final, result.status) == ("5", "completed")


def test_several_calls_of_one_answer_run_in_order_and_each_is_answered():
    wish = [call("c1", a=1, b=1), call("c2", a=1, b=1), call("c3", "search"), call("c4", a="x", b=1)]
    result = run(FakeModel([wish, "ok"]), adder(), "x")

    assert [message.tool_call_id for message in result.messages if message.role == "tool"] == ["c1", "c2", "c3", "c4"]
    assert [step.result.error for step in result.steps[:4]] == [None, None, "unknown_tool", "invalid_arguments"]
    assert well_formed(result.messages)


def test_equal_calls_are_run_each():
    ran = []
    dice = registry(tool(lambda **held: ran.append(held)))
    run(FakeModel([[call("c1", "t", n=1), call("c2", "t", n=1)], "ok"]), dice, "x")

    assert ran == [{"n": 1}, {"n": 1}]


def test_the_same_script_gives_an_equal_result():
    assert run(FakeModel([[call()], "5"]), adder(), "x") == run(FakeModel([[call()], "5"]), adder(), "x")


def test_usage_is_the_sum_over_all_calls():
    wish = ModelResponse(
        Message("assistant", tool_calls=[call()]), "tool_use", {"input_tokens": 10, "output_tokens": 2}
    )
    answer = ModelResponse(Message("assistant", "5"), usage={"input_tokens": 12, "output_tokens": 3})

    assert run(FakeModel([wish, answer]), adder(), "x").usage == {"input_tokens": 22, "output_tokens": 5}
    assert run(FakeModel(["5"]), adder(), "x").usage == {}


@pytest.mark.parametrize(
    ("stop_reason", "status"),
    [("end_turn", "completed"), ("max_tokens", "truncated"), ("content_filter", "truncated"), ("pause", "completed")],
)
def test_how_the_last_answer_stopped_is_how_the_run_ended(stop_reason, status):
    result = run(FakeModel([ModelResponse(Message("assistant", "It is"), stop_reason)]), adder(), "x")

    assert (result.final, result.status) == ("It is", status)


@pytest.mark.parametrize(
    ("stop_reason", "told"),
    [("max_tokens", "output limit (max_tokens)"), ("content_filter", "filter (content_filter)")],
)
def test_an_answer_that_was_cut_runs_no_tool_and_the_run_goes_on(stop_reason, told):
    ran = []
    cut = ModelResponse(Message("assistant", tool_calls=[call("c1", "t"), call("c2", "t")]), stop_reason)
    model = FakeModel([cut, "Shorter."])
    result = run(model, registry(tool(lambda **held: ran.append(held))), "x")

    assert ran == []
    assert [step.result.error for step in result.steps[:2]] == ["not_run", "not_run"]
    assert told in model.calls[1].messages[-1].content
    assert well_formed(result.messages)
    assert result.final == "Shorter."


# ---- the limit


@given(st.integers(min_value=1, max_value=8), st.integers(min_value=0, max_value=10))
def test_the_model_is_asked_at_most_max_steps_times(max_steps, calls_before_the_answer):
    model = FakeModel([*wishes(calls_before_the_answer), "ok"])
    if calls_before_the_answer < max_steps:
        assert run(model, adder(), "x", max_steps=max_steps).final == "ok"
        assert len(model.calls) == calls_before_the_answer + 1
    else:
        with pytest.raises(MaxStepsExceeded, match=f"^超过 {max_steps} 步") as limit:
            run(model, adder(), "x", max_steps=max_steps)
        assert len(model.calls) == max_steps
        assert limit.value.max_steps == max_steps
        assert limit.value.result.status == "max_steps"
        assert len(limit.value.result.steps) == max_steps
        assert well_formed(limit.value.result.messages)


@pytest.mark.parametrize("max_steps", [0, -1, True, 2.5, "3", None])
def test_a_limit_that_is_no_count_is_refused_before_the_first_call(max_steps):
    model = FakeModel(["ok"])
    with pytest.raises(ValueError, match=r"max_steps is .* a whole number from 1 up"):
        run(model, adder(), "x", max_steps=max_steps)

    assert model.calls == []


def test_steps_count_tool_calls_and_the_answer_and_not_calls_of_the_model():
    result = run(FakeModel([[call("c1"), call("c2")], "ok"]), adder(), "x", max_steps=2)

    assert len(result.steps) == 3


# ---- what ends a run


def test_a_script_that_runs_out_ends_the_run_with_what_there_is():
    with pytest.raises(ScriptExhausted) as end:
        run(FakeModel([[call()]]), adder(), "x")

    assert end.value.result.status == "exhausted"
    assert end.value.result.messages[-1] == Message("tool", "5", tool_call_id="c1")


@pytest.mark.parametrize("problem", [ValueError("down"), StopIteration(5), StopAsyncIteration(), MemoryError()])
def test_what_a_model_raises_comes_through_as_it_is_with_what_there_is(problem):
    replies = iter([ModelResponse(Message("assistant", tool_calls=[call()]), "tool_use")])

    def answer(messages, tools):
        for reply in replies:
            return reply
        raise problem

    with pytest.raises(type(problem)) as raised:
        run(Own(answer), adder(), "x")

    assert raised.value is problem
    assert problem.result.status == "failed"
    assert len(problem.result.messages) == 3


@pytest.mark.parametrize("problem", [KeyboardInterrupt, SystemExit, GeneratorExit])
def test_a_stop_in_the_middle_of_several_calls_leaves_a_well_formed_history(problem):
    def fail():
        raise problem

    tools = registry(tool(lambda: "fine", name="fine"), tool(fail))
    wish = [ToolCall("c1", "fine", {}), ToolCall("c2", "t", {}), ToolCall("c3", "fine", {})]
    with pytest.raises(problem) as raised:
        run(FakeModel([wish, "never"]), tools, "x")
    result = raised.value.result

    assert result.status == "cancelled"
    assert well_formed(result.messages)
    assert [step.result.error for step in result.steps] == [None, "tool_failed", "not_run"]


def test_wherever_ctrl_c_comes_the_history_is_well_formed():
    """Ctrl-C is simulated at each line of the package in turn, as a signal may come between any two of them."""

    def interrupted_at(moment):
        model, seen = FakeModel([[call("c1"), call("c2")], [call("c3")], "ok"]), 0

        def trace(frame, event, arg):
            nonlocal seen
            if not frame.f_code.co_filename.startswith(str(PACKAGE)):
                return None
            if event == "line":
                seen += 1
                if seen == moment:
                    raise KeyboardInterrupt
            return trace

        before = sys.gettrace()
        sys.settrace(trace)
        try:
            run(model, tools, "x", system="s")
        except KeyboardInterrupt as stop:
            return model, getattr(stop, "result", None)
        finally:
            sys.settrace(before)
        return None

    tools, moment = adder(), 1
    while found := interrupted_at(moment):
        model, result = found
        assert result is not None or len(model.calls) in (0, 3)  # before the first call, or after the answer
        assert result is None or well_formed(result.messages)
        moment += 1
    assert moment > 300


def test_a_limit_hit_inside_a_model_is_no_limit_of_the_run_around_it():
    def answer(messages, tools):
        run(FakeModel(wishes(5)), adder(), "inner", max_steps=2)

    with pytest.raises(MaxStepsExceeded) as raised:
        run(Own(answer), adder(), "outer")

    assert raised.value.result.messages == [Message("user", "outer")]
    assert raised.value.result.status == "failed"


def test_a_run_inside_a_tool_that_does_not_converge_is_an_error_the_model_reads():
    inner = registry(tool(lambda: run(FakeModel([]), adder(), "inner").final))
    result = run(FakeModel([[ToolCall("c1", "t", {})], "ok"]), inner, "outer")

    assert "ScriptExhausted: FakeModel 脚本已耗尽" in result.steps[0].detail
    assert result.final == "ok"


def odd_tools():
    def fail():
        raise StopIteration("odd")

    async def later():
        return "never"

    makers = {"fail": fail, "later": later, "raw": lambda: b"x", "half": lambda: "\ud800", "none": lambda: None}
    return registry(*(tool(func, name=name) for name, func in makers.items()))


def asking(calls, stop_reason):
    wishes = [ToolCall(f"c{place}", name, held) for place, (name, held) in enumerate(calls)]
    return ModelResponse(Message("assistant", tool_calls=wishes), stop_reason)


odd_calls = st.lists(
    st.tuples(st.sampled_from(["fail", "later", "raw", "half", "none", "nowhere"]), st.sampled_from([{}, {"x": [1]}])),
    min_size=1,
    max_size=4,
)
odd_items = st.tuples(odd_calls, st.sampled_from(["tool_use", "max_tokens", "content_filter", "end_turn"])) | st.text()


@given(st.lists(odd_items, max_size=6), st.integers(min_value=1, max_value=5))
def test_whatever_models_and_tools_do_the_history_is_well_formed_and_can_be_sent(items, max_steps):
    model = FakeModel([item if isinstance(item, str) else asking(*item) for item in items])
    try:
        result = run(model, odd_tools(), "x", max_steps=max_steps)
    except (ScriptExhausted, MaxStepsExceeded) as end:
        result = end.result

    assert result.status in {"completed", "truncated", "exhausted", "max_steps"}
    assert well_formed(result.messages)
    assert len(model.calls) <= max_steps
    assert [step.result.content for step in result.steps if step.result] == [
        message.content for message in result.messages if message.role == "tool"
    ]
    dump_json(ModelRequest(result.messages).as_json()).encode("utf-8")


# ---- what a run cannot start with, and models of other people


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"model": None}, "model is None; pass an object with complete"),
        ({"model": FakeModel}, "pass an object with complete(messages, tools), such as FakeModel([...])"),
        ({"model": ["Hello."]}, "model is ['Hello.']"),
        ({"registry": None}, "registry is None; pass a ToolRegistry()"),
        ({"registry": [tool(print)]}, "registry is [Tool('t')]; pass a ToolRegistry()"),
        ({"prompt": None}, "prompt is None; it must be text"),
        ({"prompt": [Message("user", "Hi")]}, "prompt is [Message('user', 'Hi')]; it must be text"),
        ({"system": 5}, "system is 5; it must be text"),
    ],
)
def test_what_no_run_can_start_with_is_refused_and_named(fields, said):
    parts = {"model": FakeModel(["Hello."]), "registry": adder(), "prompt": "Hi"} | fields
    with pytest.raises(TypeError) as refusal:
        run(**parts)
    assert said in str(refusal.value)


@pytest.mark.parametrize("reply", [None, "Hello.", Message("assistant", "Hello."), {"content": "Hello."}])
def test_a_model_that_answers_with_something_else_is_named(reply):
    with pytest.raises(TypeError, match=r"^Own.complete\(\) returned .*; return a ModelResponse$"):
        run(Own(lambda messages, tools: reply), adder(), "x")


def test_an_async_model_is_a_clear_error_and_no_warning():
    async def answer(messages, tools):
        return ModelResponse(Message("assistant", "Hello."))

    with pytest.raises(
        TypeError,
        match=r"^Own.complete\(\) is async, .* use await arun\(\), or make a plain model of it with to_model\(\)",
    ):
        run(Own(answer), adder(), "x")


def test_a_model_cannot_change_what_is_sent_later_nor_what_was():
    seen = []

    def answer(messages, tools):
        seen.append((list(messages), [offered["name"] for offered in tools]))
        messages.append(Message("user", "forged"))
        tools[0]["name"] = "forged"
        tools.append({})
        return next(replies)

    replies = iter(
        [ModelResponse(Message("assistant", tool_calls=[call()]), "tool_use"), ModelResponse(Message("assistant", "5"))]
    )
    result = run(Own(answer), adder(), "x")

    assert [names for _, names in seen] == [["add"], ["add"]]
    assert [len(messages) for messages, _ in seen] == [1, 3]
    assert "forged" not in repr(result.messages)


def test_a_response_changed_after_it_was_given_changes_nothing():
    reply = ModelResponse(Message("assistant", tool_calls=[call("c1", "spoil"), call("c2", a=1, b=1)]), "tool_use")
    replies = iter([reply, ModelResponse(Message("assistant", "ok"))])

    def spoil(**_):
        for wish in reply.message.tool_calls:
            wish.arguments.clear()
        reply.usage["input_tokens"] = 99

    tools = adder()
    tools.add(Tool("spoil", "", ANYTHING, spoil))
    result = run(Own(lambda messages, tools: next(replies)), tools, "x")

    assert result.steps[1].detail == 'add {"a": 1, "b": 1} → 2'
    assert result.messages[1].tool_calls[1].arguments == {"a": 1, "b": 1}
    assert result.usage == {}


def test_tools_added_during_a_run_are_not_offered_in_it():
    tools = ToolRegistry()
    tools.add(Tool("t", "", ANYTHING, lambda: tools.add(tool(print, name="late"))))
    model = FakeModel([[ToolCall("c1", "t", {})], "ok"])
    run(model, tools, "x")

    assert [offered["name"] for offered in model.calls[1].tools] == ["t"]


def test_what_is_done_to_a_result_changes_neither_it_nor_another():
    model = FakeModel([[call()], "5"])
    first = run(model, adder(), "x")
    first.messages.append(Message("user", "more"))
    first.steps[0].call.arguments.clear()
    first.usage["input_tokens"] = 99

    assert len(first.messages) == 4
    assert first.usage == {}
    assert len(model.calls[1].messages) == 3
    assert first.steps[0].detail == 'add {"a": 2, "b": 3} → 5'


# ---- the loop by hand


def started(prompt="Hi", tools=(), max_steps=10):
    loop = agent_loop(Record(prompt), list(tools), max_steps)
    return loop, advance(loop)


def test_the_loop_hands_out_notes_and_returns_the_result():
    loop, note = started()
    assert note == AskModel([Message("user", "Hi")], [])

    note = advance(loop, ModelResponse(Message("assistant", tool_calls=[call()]), "tool_use"))
    assert note == RunTool(call())

    note = advance(loop, ToolResult("5"))
    assert note.messages[-1] == Message("tool", "5", tool_call_id="c1")

    result = advance(loop, ModelResponse(Message("assistant", "5")))
    assert isinstance(result, RunResult)
    assert result.final == "5"


def test_a_note_is_a_snapshot():
    loop, first = started()
    advance(loop, ModelResponse(Message("assistant", tool_calls=[call()]), "tool_use"))
    advance(loop, ToolResult("5"))

    assert first.messages == [Message("user", "Hi")]


def test_a_wrong_answer_to_a_note_is_refused():
    loop, _ = started()
    with pytest.raises(TypeError, match="send a ModelResponse"):
        advance(loop, "Hello.")


def test_the_loop_asks_nothing_of_the_world_by_itself():
    source = (PACKAGE / "loop.py").read_text(encoding="utf-8")
    body = source[source.index("def agent_loop") : source.index("# ---- driving it")]

    assert not any(word in body for word in ("model.", "registry.", "await", "print", "open("))

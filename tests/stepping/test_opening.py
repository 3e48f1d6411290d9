import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lab import ANYTHING, adder, call, registry, tool, well_formed

from minagent_lab import (
    FakeModel,
    FakeModelProvider,
    Message,
    ModelResponse,
    Stepper,
    ToolCall,
    arun,
)
from minagent_lab.abort import AbortController
from minagent_lab.errors import RateLimitError, ServerError, TraceError
from minagent_lab.observe.budget import Budget
from minagent_lab.observe.clock import TickingClock
from minagent_lab.observe.reading import read_trace
from minagent_lab.observe.trace import Trace
from minagent_lab.providers.retrying import Retrying
from minagent_lab.stepping.opening import open_run


def traced(script, *, tools=None, path=None, provider=None, **options):
    trace = Trace(path, clock=TickingClock())

    async def main():
        try:
            return await arun(provider or FakeModelProvider(script), tools or adder(), "2 + 3?", trace=trace, **options)
        except Exception as error:
            return error.result

    trace.result = asyncio.run(main())
    return trace


def cut(*calls, reason="max_tokens"):
    return ModelResponse(Message("assistant", "It", calls), reason, {"input_tokens": 5, "output_tokens": 1}, "small-1")


def shown(turn):
    """All of a turn but the number of the script item, which is in no trace; an exception as its type and text."""
    error = turn.error and (
        type(turn.error).__name__,
        str(turn.error).replace("FakeModelProvider 响应", "FakeModel 脚本"),
    )
    return (turn.call, turn.request, turn.response, turn.results, turn.status, error)


RUNS = {
    "an answer": ["Hello."],
    "one tool": [[call()], "5"],
    "several tools": [[call("c1"), call("c2", a=1, b=1)], [call("c3")], "5"],
    "an unknown tool": [[call(name="search")], "?"],
    "arguments that do not fit": [[call(a="two", b=3)], "?"],
    "a tool that fails": [[call(name="fail")], "?"],
    "a cut answer": [cut()],
    "a cut call": [cut(call("c1"), call("c2")), "5"],
    "a filtered call": [cut(call(), reason="content_filter"), "5"],
    "usage and model": [ModelResponse(Message("assistant", "5"), usage={"input_tokens": 9}, model="small-1")],
    "the same id in two turns": [[call("c1")], [call("c1", a=9, b=9)], "5"],
    "Chinese": [[call("c1", a=2, b=3)], "结果是\u2028 5。✅"],
}


def shop():
    def fail(**_):
        raise ValueError("除零")

    made = adder()
    made.add(tool(fail, name="fail"))
    return made


@pytest.mark.parametrize("name", RUNS)
@pytest.mark.parametrize("system", [None, "Be kind."])
def test_each_turn_is_what_a_stepper_of_the_same_script_shows(name, system, tmp_path):
    live = Stepper(FakeModel(RUNS[name]), shop(), "2 + 3?", system=system, max_steps=5)
    live.run_to_end()
    path = tmp_path / "run.jsonl"
    trace = traced(RUNS[name], tools=shop(), path=path, system=system, max_steps=5)
    for source in (trace, path, str(path), read_trace(path)):
        opened = open_run(source)
        assert [shown(turn) for turn in opened.turns] == [shown(turn) for turn in live.turns]
        assert opened.growth == live.growth
        assert opened.result == live.result == trace.result
        assert (opened.prompt, opened.system, opened.max_steps) == (live.prompt, live.system, live.max_steps)


NAMES = st.sampled_from(["add", "fail", "search"])
ARGUMENTS = st.fixed_dictionaries({"a": st.integers()}, optional={"b": st.integers() | st.just("two")})
CALLS = st.lists(st.builds(ToolCall, st.sampled_from("pqr"), NAMES, ARGUMENTS), max_size=3, unique_by=lambda c: c.id)
REASONS = st.sampled_from(["end_turn", "tool_use", "max_tokens", "content_filter", "its own"])
USAGES = st.fixed_dictionaries({}, optional={"input_tokens": st.integers(0, 99), "output_tokens": st.integers(0, 99)})
ITEMS = st.builds(
    ModelResponse,
    st.builds(Message, st.just("assistant"), st.text(), CALLS),
    REASONS,
    USAGES,
    st.sampled_from(["", "m"]),
)


@given(st.lists(ITEMS, max_size=5), st.integers(1, 4), st.booleans())
def test_whatever_the_script_is_each_turn_comes_back(script, max_steps, parallel_tools):
    live = Stepper(FakeModel(script), shop(), "2 + 3?", max_steps=max_steps)
    live.run_to_end()
    opened = open_run(traced(script, tools=shop(), max_steps=max_steps, parallel_tools=parallel_tools))
    assert [shown(turn)[:5] for turn in opened.turns] == [shown(turn)[:5] for turn in live.turns]
    assert isinstance(opened.error, type(live.error))
    assert opened.result == live.result


@given(st.lists(ITEMS, max_size=5), st.integers(0, 4), st.integers(0, 4), st.integers(0, 200), st.booleans())
def test_whatever_a_budget_stops_comes_back_as_it_was(script, steps, tool_calls, tokens, parallel_tools):
    budget = Budget(steps=steps, tool_calls=tool_calls, tokens=tokens)
    trace = traced(script, tools=shop(), budget=budget, parallel_tools=parallel_tools)
    same_as_the_result(trace, open_run(trace))


@pytest.mark.parametrize(("script", "max_steps"), [([[call()]], 5), ([], 5), ([[call("c1")], [call("c2")]], 2)])
def test_a_run_that_ended_in_an_error_ends_in_the_same(script, max_steps):
    live = Stepper(FakeModel(script), shop(), "2 + 3?", max_steps=max_steps)
    live.run_to_end()
    opened = open_run(traced(script, tools=shop(), max_steps=max_steps))
    assert [shown(turn)[:5] for turn in opened.turns] == [shown(turn)[:5] for turn in live.turns]
    assert isinstance(opened.error, type(live.error))
    for fact in ("call_number", "script_length", "max_steps"):
        assert getattr(opened.error, fact, None) == getattr(live.error, fact, None)


def test_an_error_of_the_provider_has_what_the_service_told():
    error = RateLimitError("slow down", status_code=429, request_id="req_1", code="rate", retry_after=2.0)
    opened = open_run(traced([[call()], error]))
    again = opened.error
    assert type(again) is RateLimitError
    assert (str(again), again.facts()) == (str(error), error.facts())
    assert (opened.status, len(opened.turns)) == ("failed", 2)
    assert again.result == opened.result


def test_an_error_of_another_kind_has_its_name_and_its_text():
    class Provider:
        async def complete(self, request, signal=None):
            raise KeyError("coffee")

    opened = open_run(traced([], provider=Provider()))
    assert (type(opened.error).__name__, str(opened.error)) == ("KeyError", "'coffee'")
    assert opened.status == "failed"


def test_attempts_do_not_count_as_calls():
    clock = TickingClock(step=0)
    provider = Retrying(FakeModelProvider([ServerError("down"), "5"]), sleep=clock.sleep, clock=clock)
    opened = open_run(traced([], provider=provider))
    assert [turn.status for turn in opened.turns] == ["completed"]


# ---- stopped from outside


def same_as_the_result(trace, opened):
    assert opened.result.messages == trace.result.messages
    assert opened.result.steps == trace.result.steps
    assert opened.result.status == trace.result.status
    assert opened.result.usage == trace.result.usage
    assert well_formed(opened.result.messages)


def test_over_budget_before_a_call_of_the_model():
    trace = traced([[call()], "5"], budget=Budget(steps=1))
    opened = open_run(trace)
    same_as_the_result(trace, opened)
    assert [turn.status for turn in opened.turns] == ["running", "over_budget"]
    assert opened.turns[-1].response is None
    assert (opened.error.limit_name, opened.error.limit, opened.error.used) == ("steps", 1, 1)
    assert type(opened.result.stopped_by).__name__ == "BudgetExceeded"


@pytest.mark.parametrize("parallel_tools", [False, True])
def test_over_budget_before_the_tools(parallel_tools):
    script = [[call("c1"), call("c2")], "5"]
    trace = traced(script, budget=Budget(tool_calls=1), parallel_tools=parallel_tools)
    opened = open_run(trace)
    same_as_the_result(trace, opened)
    assert [result.error for _, result in opened.turns[0].results] == ["not_run", "not_run"]


def test_cancelled_before_the_first_call():
    controller = AbortController()
    controller.abort("enough")
    trace = traced(["5"], signal=controller.signal)
    opened = open_run(trace)
    same_as_the_result(trace, opened)
    assert opened.status == "cancelled"
    assert "enough" in str(opened.error)


@pytest.mark.parametrize("parallel_tools", [False, True])
def test_cancelled_in_a_tool(parallel_tools):
    controller = AbortController()

    async def stop():
        controller.abort("enough")
        await asyncio.Event().wait()

    tools = registry(tool(stop, ANYTHING, "stop"), tool(lambda: "quick", ANYTHING, "quick"))
    script = [[ToolCall("c1", "quick", {}), ToolCall("c2", "stop", {}), ToolCall("c3", "quick", {})]]
    trace = traced(script, tools=tools, signal=controller.signal, parallel_tools=parallel_tools)
    opened = open_run(trace)
    same_as_the_result(trace, opened)
    assert opened.turns[0].results[1][1].error == "tool_failed"


def cancelled(*, in_tool):
    trace = Trace(clock=TickingClock())
    reached = asyncio.Event()

    async def wait(*_):
        reached.set()
        await asyncio.Event().wait()

    async def main():
        provider = FakeModelProvider([[ToolCall("c1", "t", {})]], before=None if in_tool else wait)
        task = asyncio.ensure_future(arun(provider, registry(tool(wait)), "x", trace=trace))
        await reached.wait()
        task.cancel()
        try:
            await task
        except asyncio.CancelledError as error:
            trace.result = error.result

    asyncio.run(main())
    return trace


@pytest.mark.parametrize("in_tool", [False, True])
def test_a_task_that_was_cancelled_is_shown_as_cancelled_and_opening_it_cancels_nobody(in_tool):
    trace = cancelled(in_tool=in_tool)
    opened = open_run(trace)
    same_as_the_result(trace, opened)
    assert opened.status == "cancelled"
    assert type(opened.error).__name__ == "CancelledError"
    assert isinstance(opened.error, Exception)


# ---- a trace that ends too early


@pytest.mark.parametrize(("events", "turns"), [(1, 1), (2, 1), (3, 1), (4, 1), (5, 2), (6, 2), (7, 2)])
def test_a_trace_that_ends_before_its_run_says_so(events, turns):
    whole = traced([[call()], "5"])
    opened = open_run(whole.events[:events])
    assert len(opened.turns) == turns
    if events == 7:  # the answer is there; only the mark of the end is missing
        assert opened.status == "completed"
        return
    assert opened.status == "failed"
    assert isinstance(opened.error, TraceError)
    assert "the trace ends here, before its run" in str(opened.error)
    assert well_formed(opened.result.messages)


def test_an_answer_that_is_missing_in_the_middle_is_named():
    whole = traced([[call()], "5"]).events
    opened = open_run([event for event in whole if event["event"] != "tool_answered"])
    assert "an answer is missing here" in str(opened.error)


# ---- which run


def test_the_last_run_is_opened_unless_another_is_named(tmp_path):
    path = tmp_path / "runs.jsonl"
    for answer in ("first", "second"):
        traced([answer], path=path)
    assert open_run(path).result.final == "second"
    assert open_run(path, run="run-1").result.final == "first"
    with pytest.raises(TraceError, match=r"runs\.jsonl: there is no run 'run-3'; there is run-1, run-2"):
        open_run(path, run="run-3")


def test_an_empty_trace_has_no_run():
    with pytest.raises(TraceError, match="there is no run None; there is none"):
        open_run(Trace())


@pytest.mark.parametrize("wrong", [None, 5, [1], {"event": "x"}])
def test_what_is_no_trace_is_refused(wrong):
    with pytest.raises(TypeError, match=r"source is .*; pass a Trace, a RunResult, the path"):
        open_run(wrong)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"gen_ai.output.messages": []}, "event 3 of its run, 'model_answered', cannot be played: ValueError"),
        ({"gen_ai.output.messages": [{"role": "user", "parts": []}]}, "cannot be played: KeyError: 'finish_reason'"),
        ({"minagent.withheld": "a secret would stand here"}, "ValueError: a secret would stand here"),
    ],
)
def test_an_event_that_cannot_be_played_is_named(change, words):
    events = traced([[call()], "5"]).events
    events[2].update(change)
    with pytest.raises(TraceError) as caught:
        open_run(events)
    assert words in str(caught.value)


def test_a_run_without_a_beginning_cannot_be_opened():
    with pytest.raises(TraceError, match="the run has no beginning"):
        open_run(traced(["5"]).events[1:])


# ---- moving


def test_it_stands_at_its_start_and_asks_nobody():
    opened = open_run(traced([[call()], "5"]))
    assert (opened.index, len(opened.turns), opened.ended) == (0, 2, True)
    assert opened.forward()
    assert opened.goto(2)
    assert not opened.forward()
    assert opened.waiting is None


def test_opening_it_runs_no_tool():
    ran = []
    trace = traced([[call(name="t")], "5"], tools=registry(tool(lambda **_: ran.append(1))))
    open_run(trace)
    assert ran == [1]


def test_it_names_the_model_that_answered():
    opened = open_run(traced([ModelResponse(Message("assistant", "5"), model="small-1")]))
    assert opened.model.name == "small-1"
    assert repr(opened.model) == "<RecordedModel small-1: 1 recorded>"
    assert repr(opened.registry) == "<RecordedTools: add>"

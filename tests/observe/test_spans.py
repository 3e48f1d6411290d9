import asyncio
import contextlib

import pytest
from lab import adder, call

from minagent_lab import AbortController, FakeModelProvider, Message, ModelResponse, Tool, arun
from minagent_lab.errors import ServerError
from minagent_lab.history import History
from minagent_lab.model import ModelRequest
from minagent_lab.observe.clock import TickingClock
from minagent_lab.observe.pricing import PriceTable
from minagent_lab.observe.spans import spans_of
from minagent_lab.observe.trace import Trace
from minagent_lab.providers.retrying import Retrying


def traced(script, **options):
    trace = Trace(clock=TickingClock())
    asyncio.run(arun(FakeModelProvider(script), adder(), "x", trace=trace, **options))
    return trace


def shown(trace):
    return [(span.kind, span.name, span.start, span.end, span.outcome) for span in spans_of(trace)]


def test_a_run_its_calls_and_its_tools_are_spans():
    answer = ModelResponse(Message("assistant", "5"), usage={"input_tokens": 1, "output_tokens": 2}, model="small-1")
    trace = traced([[call()], answer])
    assert shown(trace) == [
        ("run", "run-1", 0, 7, "completed"),
        ("model", "", 1, 2, "tool_use"),
        ("tool", "add", 3, 4, ""),
        ("model", "small-1", 5, 6, "end_turn"),
    ]
    assert spans_of(trace)[3].usage == {"input_tokens": 1, "output_tokens": 2}
    assert [span.call for span in spans_of(trace)] == [0, 1, 1, 2]


def test_a_tool_that_failed_is_an_error_and_the_run_is_none():
    run, _, tool, _ = traced([[call(name="search")], "?"]).spans()
    assert (tool.outcome, tool.error) == ("unknown_tool", True)
    assert not run.error


def test_tools_that_work_at_the_same_time_overlap():
    trace = traced([[call("c1"), call("c2")], "5"], parallel_tools=True)
    one, other = [span for span in trace.spans() if span.kind == "tool"]
    assert {one.id, other.id} == {"c1", "c2"}


def test_attempts_are_spans_inside_the_call():
    trace = Trace(clock=TickingClock())
    trace.run_started(History([Message("user", "Hi")]), [], 10)  # 0
    trace.model_asked(ModelRequest([Message("user", "Hi")]))  # 1
    trace.attempt_failed(1, 3, ServerError("down"), 0.5)  # 2
    trace.attempt_started(2, 3)  # 3
    trace.attempt_failed(2, 3, ServerError("down"), 1.0)  # 4
    trace.attempt_started(3, 3)  # 5
    trace.model_answered(ModelResponse(Message("assistant", "Hi")))  # 6
    assert shown(trace)[1:] == [
        ("model", "", 1, 6, "end_turn"),
        ("attempt", "1 of 3", 1, 2, "ServerError"),
        ("attempt", "2 of 3", 3, 4, "ServerError"),
        ("attempt", "3 of 3", 5, 6, "end_turn"),
    ]


def retried(script, layers):
    """Return the attempts of one call that layers of three attempts each stand round, the outermost first."""
    clock, trace = TickingClock(step=0), Trace(clock=TickingClock())
    provider = FakeModelProvider(script)
    for _ in range(layers):
        provider = Retrying(provider, sleep=clock.sleep, clock=clock, jitter=lambda: 0)
    with contextlib.suppress(ServerError):
        asyncio.run(arun(provider, adder(), "x", trace=trace))
    return [span for span in trace.spans() if span.kind == "attempt"]


def test_one_layer_round_another_gives_attempts_inside_of_attempts():
    down = [ServerError("down")] * 4
    assert [(span.layer, span.name, span.outcome) for span in retried([*down, "5"], 2)] == [
        (1, "1 of 3", "ServerError"),
        (2, "1 of 3", "ServerError"),
        (2, "2 of 3", "ServerError"),
        (2, "3 of 3", "ServerError"),
        (1, "2 of 3", "end_turn"),
        (2, "1 of 3", "ServerError"),
        (2, "2 of 3", "end_turn"),
    ]


def test_layers_multiply_and_each_attempt_lies_inside_of_the_one_round_it():
    spans = retried([ServerError("down")] * 27, 3)
    assert [sum(span.layer == layer for span in spans) for layer in (1, 2, 3)] == [3, 9, 27]
    assert [span.start for span in spans] == sorted(span.start for span in spans)
    for layer in (2, 3):
        for span in (span for span in spans if span.layer == layer):
            outer = [one for one in spans if one.layer == layer - 1 and one.start <= span.start <= span.end <= one.end]
            assert len(outer) == 1


def test_a_layer_alone_is_written_without_its_number():
    trace = Trace(clock=TickingClock())
    provider = Retrying(FakeModelProvider([ServerError("down"), "5"]), first_wait=0)
    asyncio.run(arun(provider, adder(), "x", trace=trace))
    assert not any("minagent.attempt.layer" in event for event in trace.events)


def aborted(script, at, **options):
    """Return the spans of a run that was stopped when an event came."""
    trace, ann = Trace(clock=TickingClock()), AbortController()
    trace.watch(lambda event: ann.abort() if event["event"] == at else None)
    tools = adder()
    tools.add(Tool("wait", "Waits", {"type": "object"}, lambda **_: asyncio.sleep(9)))
    provider = FakeModelProvider(script, **options)
    asyncio.run(arun(provider, tools, "x", trace=trace, signal=ann.signal))
    return trace.spans()


def test_what_somebody_stopped_is_cancelled_and_no_error():
    run, model, tool = aborted([[call(name="wait")], "never"], "tool_asked")
    assert [(span.outcome, span.cancelled, span.error, span.answered) for span in (run, model, tool)] == [
        ("cancelled", True, False, False),
        ("tool_use", False, False, True),
        ("stopped", True, False, False),
    ]
    run, model = aborted([[call()], "never"], "model_asked")
    assert (model.outcome, model.cancelled, model.error, model.answered) == ("AbortError", True, False, False)


def test_a_task_that_was_cancelled_is_told_likewise():
    trace = Trace(clock=TickingClock())

    async def main():
        tools = adder()
        tools.add(Tool("wait", "Waits", {"type": "object"}, lambda **_: asyncio.sleep(9)))
        await asyncio.wait_for(arun(FakeModelProvider([[call(name="wait")]]), tools, "x", trace=trace), 0.01)

    with pytest.raises(asyncio.TimeoutError):
        asyncio.run(main())
    assert [span.cancelled for span in trace.spans()] == [True, False, True]


def test_a_call_that_is_not_retried_has_no_attempts():
    assert [span.kind for span in traced(["5"]).spans()] == ["run", "model"]


def test_what_goes_on_has_no_end_and_no_duration():
    events = traced([[call()], "5"]).events[:4]
    run, model, tool = spans_of(events)
    assert (run.end, run.duration, tool.end) == (None, None, None)
    assert model.duration == 1
    assert repr(tool) == "<Span tool add: going on>"
    assert repr(model) == "<Span model: 1 to 2 s, tool_use>"


def test_what_was_at_work_when_the_run_ended_was_stopped():
    events = traced([[call()], "5"]).events
    spans = spans_of([*events[:4], events[-1]])
    assert (spans[2].outcome, spans[2].error, spans[2].end) == ("stopped", True, 7)


def test_a_clock_that_was_set_back_makes_no_duration_below_zero():
    times = iter([5.0, 4.0, 3.0, 2.0])
    trace = Trace(clock=lambda: next(times))
    asyncio.run(arun(FakeModelProvider(["5"]), adder(), "x", trace=trace))
    assert [span.duration for span in trace.spans()] == [0, 0]


def test_events_of_an_unknown_kind_change_nothing():
    odd = [{"event": name, "run": "run-1", "time": 0} for name in ("open", "begin", "end", "_begin", "spans", "x")]
    assert spans_of(odd) == []


def test_ends_without_a_beginning_change_nothing():
    assert spans_of(traced([[call()], "5"]).events[2:3]) == []


def test_a_trace_can_be_priced():
    usage = {"input_tokens": 1_000_000, "output_tokens": 1_000_000}
    trace = traced([ModelResponse(Message("assistant", "5"), usage=usage, model="small-1")])
    assert PriceTable({"small-1": {"input": "1", "output": "2"}}).of(trace) == 3
    assert PriceTable({"small-1": {"input": "1", "output": "2"}}).of(trace.events) == 3
    assert PriceTable({}).of(trace) is None
    assert PriceTable({"fake-1": {"input": 1, "output": 2}}).of(traced(["5"])) is None
    assert PriceTable({}).of([]) == 0

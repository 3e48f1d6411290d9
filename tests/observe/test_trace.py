import asyncio
import json
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lab import ANYTHING, adder, call, half_texts, json_objects, registry, tool

from minagent_lab import (
    FakeModelProvider,
    Message,
    ModelRequest,
    ModelResponse,
    ToolCall,
    ToolRegistry,
    ToolResult,
    arun,
)
from minagent_lab.abort import AbortController
from minagent_lab.errors import RateLimitError, ServerError, TraceError
from minagent_lab.history import History
from minagent_lab.observe.budget import Budget
from minagent_lab.observe.clock import TickingClock
from minagent_lab.observe.reading import read_trace
from minagent_lab.observe.trace import Trace
from minagent_lab.providers.retrying import Retrying

KEY = "sk-FAKE0000000000000000"


def traced(script, *, path=None, tools=None, **options):
    """Run an agent over a script and return its trace; what ends the run stays inside."""
    trace = Trace(path, clock=TickingClock(), **options.pop("trace", {}))
    tell = {"prompt": "2 + 3?", "trace": trace, **options}

    async def main():
        try:
            await arun(FakeModelProvider(script), tools or adder(), **tell)
        except Exception as error:
            trace.raised = error

    asyncio.run(main())
    return trace


def kinds(trace):
    return [event["event"] for event in trace.events]


def of_kind(trace, kind):
    return [event for event in trace.events if event["event"] == kind]


def by_hand(trace, *, prompt="Hi"):
    trace.run_started(History([Message("user", prompt)]), [], 10)


# ---- what is written


def test_a_run_is_written_event_by_event_in_order_of_time():
    trace = traced([[call()], "5"])
    assert kinds(trace) == [
        *("run_started", "model_asked", "model_answered", "tool_asked", "tool_answered"),
        *("model_asked", "model_answered", "run_ended"),
    ]
    assert [event["time"] for event in trace.events] == list(range(8))


def test_each_event_says_which_operation_it_is_about():
    operations = {event["event"]: event["gen_ai.operation.name"] for event in traced([[call()], "5"]).events}
    assert operations == {
        **dict.fromkeys(["run_started", "run_ended"], "invoke_agent"),
        **dict.fromkeys(["model_asked", "model_answered"], "chat"),
        **dict.fromkeys(["tool_asked", "tool_answered"], "execute_tool"),
    }


def test_a_run_starts_with_its_history_its_tools_and_its_limit():
    (start,) = of_kind(traced(["5"], system="Be kind.", max_steps=7), "run_started")
    assert start["minagent.max_steps"] == 7
    assert start["schema_url"] == "https://opentelemetry.io/schemas/1.41.0"
    assert [message["role"] for message in start["gen_ai.input.messages"]] == ["system", "user"]
    assert start["gen_ai.tool.definitions"][0]["type"] == "function"
    assert start["gen_ai.tool.definitions"][0]["name"] == "add"


def test_an_answer_has_its_message_its_model_its_stop_reason_and_its_usage():
    usage = {"input_tokens": 10, "output_tokens": 2, "cache_read_input_tokens": 4, "thoughts": 1}
    (answer,) = of_kind(
        traced([ModelResponse(Message("assistant", "5"), usage=usage, model="small-1")]), "model_answered"
    )
    assert answer["gen_ai.output.messages"] == [
        {"role": "assistant", "parts": [{"type": "text", "content": "5"}], "finish_reason": "end_turn"}
    ]
    assert answer["gen_ai.response.finish_reasons"] == ["end_turn"]
    assert answer["gen_ai.response.model"] == "small-1"
    assert answer["gen_ai.usage.input_tokens"] == 10
    assert answer["gen_ai.usage.output_tokens"] == 2
    assert answer["gen_ai.usage.cache_read.input_tokens"] == 4
    assert answer["minagent.usage.thoughts"] == 1


@pytest.mark.parametrize("usage", [{}, {"input_tokens": 5}])
def test_what_is_not_known_of_a_usage_is_left_out_and_not_zero(usage):
    trace = traced([ModelResponse(Message("assistant", "5"), usage=usage)])
    for event in of_kind(trace, "model_answered") + of_kind(trace, "run_ended"):
        named = {name: held for name, held in event.items() if "usage" in name}
        assert named == ({"gen_ai.usage.input_tokens": 5} if usage else {})


def test_a_tool_call_has_its_name_its_id_its_arguments_and_its_result():
    trace = traced([[call("c7", a=2, b=3)], "5"])
    (asked,), (answered,) = of_kind(trace, "tool_asked"), of_kind(trace, "tool_answered")
    assert asked["gen_ai.tool.name"] == answered["gen_ai.tool.name"] == "add"
    assert asked["gen_ai.tool.call.id"] == answered["gen_ai.tool.call.id"] == "c7"
    assert asked["gen_ai.tool.call.arguments"] == {"a": 2, "b": 3}
    assert answered["gen_ai.tool.call.result"] == "5"
    assert "error.type" not in answered


def test_an_error_that_the_model_can_read_has_its_kind():
    calls = [call("c1", "search"), call("c2", a="two", b=3)]
    kinds_of_error = [event["error.type"] for event in of_kind(traced([calls, "?"]), "tool_answered")]
    assert kinds_of_error == ["unknown_tool", "invalid_arguments"]


def test_a_model_that_fails_has_its_error_with_what_the_service_told():
    error = RateLimitError("slow down", status_code=429, request_id="req_1", retry_after=2.0)
    trace = traced([error])
    (failed,), (end,) = of_kind(trace, "model_failed"), of_kind(trace, "run_ended")
    for event in (failed, end):
        assert event["error.type"] == "RateLimitError"
        assert event["exception.message"] == "slow down"
        assert event["minagent.error.status_code"] == 429
        assert event["minagent.error.retry_after"] == 2.0


def test_the_model_that_is_asked_for_is_written_where_it_is_known():
    asked = of_kind(traced(["5"], trace={"model": "small"}), "model_asked")
    assert asked[0]["gen_ai.request.model"] == "small"
    assert "gen_ai.request.model" not in of_kind(traced(["5"]), "model_asked")[0]


# ---- linear size


def test_a_request_holds_only_what_no_request_before_it_had():
    trace = traced([[call("c1")], [call("c2")], "5"])
    requests = of_kind(trace, "model_asked")
    assert [request["minagent.history.kept"] for request in requests] == [1, 1, 3]
    assert [len(request["gen_ai.input.messages"]) for request in requests] == [0, 2, 2]


def test_tools_are_written_when_they_changed():
    trace = Trace(clock=TickingClock())
    by_hand(trace)
    for tools in ([], [{"name": "a"}], [{"name": "a"}], [{"name": "b"}], []):
        trace.model_asked(ModelRequest([Message("user", "Hi")], tools))
    written = [event.get("gen_ai.tool.definitions") for event in of_kind(trace, "model_asked")]
    a, b = ([{"type": "function", "name": name}] for name in "ab")
    assert written == [None, a, None, b, []]


def test_a_history_that_was_rewritten_is_written_from_where_it_differs():
    trace = Trace(clock=TickingClock())
    by_hand(trace)
    trace.model_asked(ModelRequest([Message("user", "Hello")]))
    trace.model_asked(ModelRequest([]))
    assert [event["minagent.history.kept"] for event in of_kind(trace, "model_asked")] == [0, 0]


def test_the_file_grows_with_the_run_and_not_with_its_square():
    def size(turns):
        script = [*[[call(f"c{n}")] for n in range(turns)], "5"]
        return sum(len(json.dumps(event)) for event in traced(script, max_steps=turns + 1).events)

    assert size(80) < 2.2 * size(40)


# ---- the end


@pytest.mark.parametrize(
    ("script", "options", "status", "error"),
    [
        (["5"], {}, "completed", None),
        ([ModelResponse(Message("assistant", "It"), "max_tokens")], {}, "truncated", None),
        ([[call()]], {}, "exhausted", "ResponsesExhausted"),
        ([[call()]], {"max_steps": 1}, "max_steps", "MaxStepsExceeded"),
        ([ServerError("down")], {}, "failed", "ServerError"),
        ([[call()], "5"], {"budget": Budget(steps=1)}, "over_budget", "BudgetExceeded"),
    ],
)
def test_each_run_ends_in_exactly_one_event_with_its_status(script, options, status, error):
    trace = traced(script, **options)
    (end,) = of_kind(trace, "run_ended")
    assert end["minagent.status"] == status
    assert end.get("error.type") == error
    assert trace.events[-1] == end


def test_an_aborted_run_is_cancelled():
    controller = AbortController()
    controller.abort("Stop was pressed")
    (end,) = of_kind(traced(["5"], signal=controller.signal), "run_ended")
    assert (end["minagent.status"], end["error.type"]) == ("cancelled", "AbortError")
    assert "Stop was pressed" in end["exception.message"]


@pytest.mark.parametrize("where", ["model", "tool"])
def test_a_cancelled_task_leaves_no_run_that_seems_to_go_on(where):
    trace = Trace(clock=TickingClock())
    reached = asyncio.Event()

    async def wait(*_):
        reached.set()
        await asyncio.Event().wait()

    async def main():
        before = wait if where == "model" else None
        tools = registry(tool(wait, ANYTHING, "add"))
        provider = FakeModelProvider([[ToolCall("c1", "add", {})]], before=before)
        task = asyncio.ensure_future(arun(provider, tools, "x", trace=trace))
        await reached.wait()
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    asyncio.run(main())
    (end,) = of_kind(trace, "run_ended")
    assert (end["minagent.status"], end["error.type"]) == ("cancelled", "CancelledError")
    assert all(span.end is not None for span in trace.spans())


class Backoff:
    """A run that waits before its second attempt, for ever."""

    def __init__(self):
        self.trace = Trace(clock=TickingClock())
        self.waiting = asyncio.Event()

    async def wait(self, _):
        self.waiting.set()
        await asyncio.Event().wait()

    def run(self, **options):
        provider = Retrying(FakeModelProvider([ServerError("down"), "5"]), sleep=self.wait)
        return arun(provider, ToolRegistry(), "x", trace=self.trace, **options)

    def ended(self):
        (end,) = of_kind(self.trace, "run_ended")
        assert all(span.end is not None for span in self.trace.spans())
        assert kinds(self.trace)[-1] == "run_ended"
        return end["minagent.status"], end["error.type"]


def test_an_abort_in_a_backoff_ends_the_run_as_cancelled():
    lab, controller = Backoff(), AbortController()

    async def main():
        task = asyncio.ensure_future(lab.run(signal=controller.signal))
        await lab.waiting.wait()
        controller.abort("enough")
        assert (await task).status == "cancelled"
        assert asyncio.all_tasks() == {asyncio.current_task()}

    asyncio.run(main())
    assert lab.ended() == ("cancelled", "AbortError")


def test_a_timeout_in_a_backoff_is_a_timeout_for_the_caller_and_ends_the_run():
    lab = Backoff()

    async def main():
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0):
                await lab.run()
        assert asyncio.all_tasks() == {asyncio.current_task()}

    asyncio.run(main())
    assert lab.ended() == ("cancelled", "CancelledError")


def test_a_sibling_that_fails_in_a_group_of_tasks_ends_the_run():
    lab = Backoff()

    async def fail():
        await lab.waiting.wait()
        raise ValueError("mine")

    async def main():
        with pytest.raises(ExceptionGroup):
            async with asyncio.TaskGroup() as group:
                group.create_task(lab.run())
                group.create_task(fail())
        assert asyncio.all_tasks() == {asyncio.current_task()}

    asyncio.run(main())
    assert lab.ended() == ("cancelled", "CancelledError")


def test_what_is_told_of_a_run_after_its_end_is_not_written():
    trace = traced(["5"])
    before = trace.events
    trace.tool_answered(call(), ToolResult("late"))
    trace.model_failed(RuntimeError("late"))
    trace.model_asked(ModelRequest([]))
    trace.attempt_failed(1, 2, RuntimeError(), 0.5)
    assert trace.events == before


def test_a_second_end_is_no_end():
    trace = traced(["5"])
    result = asyncio.run(arun(FakeModelProvider(["5"]), ToolRegistry(), "x"))
    trace.run_ended(result, None)
    assert len(of_kind(trace, "run_ended")) == 1


def test_an_exception_whose_text_cannot_be_had_ends_no_run():
    class Broken(Exception):
        def __str__(self):
            raise RuntimeError("no text")

    trace = Trace(clock=TickingClock())
    by_hand(trace)
    trace.model_failed(Broken())
    assert trace.events[-1]["error.type"] == "Broken"
    assert "exception.message" not in trace.events[-1]


def test_a_very_long_text_of_an_exception_is_cut():
    trace = Trace(clock=TickingClock())
    by_hand(trace)
    trace.model_failed(RuntimeError("x" * 10_000))
    assert len(trace.events[-1]["exception.message"]) < 2_100


# ---- several runs


def test_runs_are_numbered():
    trace = Trace(clock=TickingClock())
    for _ in range(2):
        asyncio.run(arun(FakeModelProvider(["5"]), ToolRegistry(), "x", trace=trace))
    assert [event["run"] for event in trace.events] == ["run-1"] * 4 + ["run-2"] * 4


def test_runs_at_the_same_time_are_kept_apart():
    trace = Trace(clock=TickingClock())
    turn = asyncio.Event()

    async def first(_):
        turn.set()
        await asyncio.sleep(0)

    async def second(_):
        await turn.wait()

    async def main():
        providers = [FakeModelProvider([[call()], f"{n}"], before=before) for n, before in ((1, first), (2, second))]
        await asyncio.gather(*[arun(provider, adder(), "x", trace=trace) for provider in providers])

    asyncio.run(main())
    for number in (1, 2):
        own = [event for event in trace.events if event["run"] == f"run-{number}"]
        assert len(own) == 8
        assert own[-2]["gen_ai.output.messages"][0]["parts"][0]["content"] == str(number)
    assert len({event["run"] for event in trace.events[:4]}) == 2


def test_a_run_inside_a_tool_is_a_run_of_its_own():
    trace = Trace(clock=TickingClock())

    async def ask():
        return (await arun(FakeModelProvider(["inner"]), ToolRegistry(), "in", trace=trace)).final

    async def main():
        script = [[ToolCall("c1", "ask", {})], "outer"]
        await arun(FakeModelProvider(script), registry(tool(ask, ANYTHING, "ask")), "out", trace=trace)

    asyncio.run(main())
    assert [event["run"] for event in trace.events] == ["run-1"] * 4 + ["run-2"] * 4 + ["run-1"] * 4
    assert [event["event"] for event in trace.events if event["run"] == "run-1"][-1] == "run_ended"


def test_a_coroutine_that_is_thrown_away_ends_its_own_run():
    trace = Trace(clock=TickingClock())

    async def for_ever(_):
        await asyncio.Event().wait()

    async def main():
        left = arun(FakeModelProvider(["x"], before=for_ever), ToolRegistry(), "left", trace=trace)
        left.send(None)
        goes_on = asyncio.ensure_future(
            arun(FakeModelProvider(["x"], before=for_ever), ToolRegistry(), "goes on", trace=trace)
        )
        await asyncio.sleep(0)
        await asyncio.get_running_loop().run_in_executor(None, left.close)
        ended = [event["run"] for event in of_kind(trace, "run_ended")]
        goes_on.cancel()
        await asyncio.gather(goes_on, return_exceptions=True)
        return ended

    assert asyncio.run(main()) == ["run-1"]


# ---- the file


def test_the_file_holds_the_events_one_a_line_and_memory_holds_the_same(tmp_path):
    trace = traced([[call()], "结果是 5。✅"], path=tmp_path / "deep" / "run.jsonl")
    lines = (tmp_path / "deep" / "run.jsonl").read_bytes().decode("utf-8").split("\n")
    assert lines.pop() == ""
    assert [json.loads(line) for line in lines] == trace.events == read_trace(tmp_path / "deep" / "run.jsonl")
    assert "结果是 5。✅" in lines[-1]
    assert "\r" not in "".join(lines)


def test_each_event_is_in_the_file_when_it_has_happened(tmp_path):
    path, seen = tmp_path / "run.jsonl", []
    trace = Trace(path, clock=TickingClock())
    trace.watch(lambda event: seen.append(read_trace(path)[-1] == event))
    asyncio.run(arun(FakeModelProvider(["5"]), ToolRegistry(), "x", trace=trace))
    assert seen == [True] * 4


def test_a_process_that_is_killed_leaves_whole_lines(tmp_path):
    code = """
import asyncio, os, signal, sys
from minagent_lab import FakeModelProvider, Tool, ToolCall, ToolRegistry, arun
from minagent_lab.observe.trace import Trace
from minagent_lab.providers.retrying import Retrying
registry = ToolRegistry()
registry.add(Tool("die", "", {"type": "object"}, lambda: os.kill(os.getpid(), signal.SIGKILL)))
asyncio.run(arun(FakeModelProvider([[ToolCall("c1", "die", {})]]), registry, "x", trace=Trace(sys.argv[1])))
"""
    path = tmp_path / "run.jsonl"
    done = subprocess.run([sys.executable, "-c", code, str(path)], cwd=Path(__file__).parents[2], check=False)
    assert done.returncode != 0
    assert [event["event"] for event in read_trace(path)][-1] == "tool_asked"


@given(st.integers(0, 400))
def test_a_half_line_at_the_end_costs_no_other_line(tmp_path_factory, cut):
    path = tmp_path_factory.mktemp("t") / "run.jsonl"
    trace = traced(["结果\u2028是\u2029 5。\u0085✅"], path=path)
    data = path.read_bytes()
    path.write_bytes(data[: len(data) - cut])
    whole = data[: len(data) - cut].count(b"\n")
    read = read_trace(path)
    assert read == trace.events[: len(read)]
    assert whole <= len(read) <= whole + 1


def test_hidden_line_separators_do_not_split_an_event(tmp_path):
    text = "a\u2028b\u2029c\u0085d\x1ee\r\nf✅"
    traced([text], path=tmp_path / "run.jsonl")
    answer = read_trace(tmp_path / "run.jsonl")[2]
    assert answer["gen_ai.output.messages"][0]["parts"][0]["content"] == text


def test_runs_are_added_at_the_end_of_a_file_and_numbered_on(tmp_path):
    path = tmp_path / "run.jsonl"
    traced(["5"], path=path)
    second = traced(["6"], path=path)
    assert [event["run"] for event in read_trace(path)] == ["run-1"] * 4 + ["run-2"] * 4
    assert [event["run"] for event in second.events] == ["run-2"] * 4
    assert repr(second) == "<Trace run.jsonl: 1 run, 4 events>"


@pytest.mark.parametrize(("cut", "events"), [(1, 8), (2, 7), (30, 7)])
def test_a_file_that_ends_in_half_a_line_can_be_written_on(tmp_path, cut, events):
    path = tmp_path / "run.jsonl"
    traced(["5"], path=path)
    path.write_bytes(path.read_bytes()[:-cut])
    traced(["6"], path=path)
    assert len(read_trace(path)) == events


@pytest.mark.parametrize("content", ["hello", "# notes\n", "[]\n", '{"a": 1}\n', '{"event": 5}\n'])
def test_a_file_that_is_no_trace_is_not_touched(tmp_path, content):
    path = tmp_path / "notes.txt"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(TraceError, match=r"notes\.txt"):
        Trace(path)
    assert path.read_text(encoding="utf-8") == content


def test_a_path_that_cannot_be_written_is_found_before_the_run(tmp_path):
    with pytest.raises(OSError):
        Trace(tmp_path)


def test_a_file_that_can_no_longer_be_written_ends_no_run(tmp_path):
    path = tmp_path / "run.jsonl"
    trace = Trace(path, clock=TickingClock())
    path.unlink()
    path.mkdir()
    result = asyncio.run(arun(FakeModelProvider(["5"]), ToolRegistry(), "x", trace=trace))
    assert result.final == "5"
    assert len(trace.events) == 4
    assert len(trace.problems) == 1
    assert trace.problems[0].startswith("run.jsonl is not written any more: ")
    assert repr(trace) == "<Trace run.jsonl: 1 run, 4 events, 1 problem>"


# ---- reading


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (b"{", "no event"),
        (b"[1]", "each line is one JSON object"),
        (b'{"event": "x", "run": "run-1"}', 'its "time" is None'),
        (b'{"event": 1, "run": "run-1", "time": 0}', 'its "event" is 1'),
        (b'{"event": "x", "run": "run-1", "time": true}', 'its "time" is True'),
        (b'{"event": "x", "run": "run-1", "time": NaN}', "NaN is not JSON"),
        (b'{"event": "x", "event": "y", "run": "run-1", "time": 0}', "stands twice"),
        (b'{"event": "x", "run": "run-1", "time": 0, "minagent.trace.format": 2}', "format 2"),
        (b"\xff\xfe", "not UTF-8"),
        (b'{"a":' * 5000, "no event"),
    ],
)
def test_a_line_that_is_no_event_is_named_with_its_file_and_number(tmp_path, line, words):
    path = tmp_path / "run.jsonl"
    path.write_bytes(b'{"event": "x", "run": "run-1", "time": 0}\n\n' + line + b"\n")
    with pytest.raises(TraceError, match=r"run\.jsonl, line 3: ") as caught:
        read_trace(path)
    assert words in str(caught.value)
    assert caught.value.place == "run.jsonl, line 3"


def test_a_file_from_another_editor_is_read_too(tmp_path):
    path = tmp_path / "run.jsonl"
    path.write_bytes(b'\xef\xbb\xbf{"event": "x", "run": "run-1", "time": 0}\r\n')
    assert read_trace(path) == [{"event": "x", "run": "run-1", "time": 0}]


def test_an_empty_file_has_no_events(tmp_path):
    path = tmp_path / "run.jsonl"
    path.touch()
    assert read_trace(path) == []


# ---- secrets


def test_secrets_are_in_neither_file_nor_memory(tmp_path):
    path = tmp_path / "run.jsonl"
    tools = registry(tool(lambda **_: f"the key is {KEY}"))
    script = [[ToolCall("c1", "t", {"password": "hunter2hunter2", "n": KEY})], "correct horse battery"]
    trace = traced(script, path=path, tools=tools, prompt=f"my key is {KEY}", trace={"secrets": ["correct horse"]})
    for text in (path.read_text(encoding="utf-8"), json.dumps(trace.events)):
        assert KEY not in text
        assert "hunter2" not in text
        assert "correct horse" not in text
    assert trace.events == read_trace(path)


def test_a_secret_that_is_a_number_is_taken_out_too():
    trace = traced([[ToolCall("c1", "t", {"pin": 1234567890})], "x"], trace={"secrets": ["1234567890"]})
    assert "1234567890" not in json.dumps(trace.events)
    assert of_kind(trace, "tool_asked")[0]["gen_ai.tool.call.arguments"] == {"pin": "<redacted:number>"}


def test_counts_of_tokens_survive():
    usage = {"input_tokens": 12345678, "output_tokens": 2}
    (answer,) = of_kind(traced([ModelResponse(Message("assistant", "5"), usage=usage)]), "model_answered")
    assert answer["gen_ai.usage.input_tokens"] == 12345678


def test_an_error_that_quotes_a_key_is_redacted():
    trace = traced([ServerError(f"bad key {KEY}")])
    assert KEY not in json.dumps(trace.events)


def test_what_cannot_be_written_ends_no_run():
    big = {"input_tokens": 1, "output_tokens": 1, "odd": 10**5000}
    trace = traced([ModelResponse(Message("assistant", "5"), usage=big)])
    assert "minagent.withheld" in of_kind(trace, "model_answered")[0]
    assert kinds(trace)[-1] == "run_ended"


@given(json_objects)
def test_arguments_of_every_shape_come_back(arguments):
    trace = Trace(clock=TickingClock())
    by_hand(trace)
    trace.tool_asked(ToolCall("c1", "t", arguments))
    (asked,) = of_kind(trace, "tool_asked")
    redacted = "<redacted:" in json.dumps(asked)
    assert redacted or asked["gen_ai.tool.call.arguments"] == arguments


@given(half_texts)
def test_half_characters_in_arguments_are_in_file_and_memory_alike(tmp_path_factory, text):
    path = tmp_path_factory.mktemp("t") / "run.jsonl"
    trace = Trace(path, clock=TickingClock())
    by_hand(trace)
    trace.tool_asked(ToolCall("c1", "t", {"text": text}))
    whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")  # two halves are a character
    assert trace.events[1]["gen_ai.tool.call.arguments"] == {"text": whole}
    assert read_trace(path) == trace.events


# ---- watching


def test_a_watcher_sees_each_event_until_it_leaves():
    trace, seen = Trace(clock=TickingClock()), []
    leave = trace.watch(seen.append)
    by_hand(trace)
    leave()
    leave()
    trace.model_asked(ModelRequest([]))
    assert [event["event"] for event in seen] == ["run_started"]


def test_a_watcher_that_fails_ends_no_run_and_is_not_called_again():
    def fail(_):
        raise ValueError("broken")

    trace = Trace(clock=TickingClock())
    trace.watch(fail)
    asyncio.run(arun(FakeModelProvider(["5"]), ToolRegistry(), "x", trace=trace))
    assert trace.problems == ["a watcher stopped watching: ValueError: broken"]


def test_nobody_can_change_what_was_written():
    trace = traced(["5"])
    trace.events[0]["run"] = "another"
    trace.watch(lambda event: event.update(run="another"))
    assert {event["run"] for event in trace.events} == {"run-1"}


def test_a_clock_that_is_none_is_refused():
    with pytest.raises(TypeError, match="clock is 5; pass a function"):
        Trace(clock=5)


def test_it_shows_how_much_it_holds():
    assert repr(Trace()) == "<Trace: 0 runs, 0 events>"
    assert repr(traced(["5"])) == "<Trace: 1 run, 4 events>"


def test_a_trace_that_is_called_by_hand_without_a_run_writes_nothing():
    trace = Trace()
    trace.model_asked(ModelRequest([]))
    trace.tool_asked(call())
    assert trace.events == []

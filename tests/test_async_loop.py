"""arun: the same loop as `run`, awaited; stopped by a signal, a budget or a cancelled task."""

import asyncio
import contextlib
import gc
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lab import adder, call, registry, tool, well_formed

from minagent_lab import (
    AbortController,
    AbortError,
    BudgetExceeded,
    FakeModel,
    FakeModelProvider,
    MaxStepsExceeded,
    Message,
    ModelResponse,
    RateLimitError,
    ResponsesExhausted,
    ToolCall,
    ToolRegistry,
    arun,
    run,
)

CUT = ModelResponse(Message("assistant", tool_calls=[call("c1"), call("c2")]), "max_tokens")
WISH = [call("c1"), call("c2", a=3, b=4)]


class Heard:
    """A trace that only keeps what it was told."""

    def __init__(self):
        self.events = []

    def __getattr__(self, name):
        return lambda *what: self.events.append((name, *what))

    def names(self):
        return [event[0] for event in self.events]

    def ends(self):
        return [(event[1].status, type(event[2]).__name__) for event in self.events if event[0] == "run_ended"]


class Limits:
    """A budget that refuses at the moment it is told to."""

    def __init__(self, models=99, tools=99):
        self.models, self.tools, self.seen = models, tools, []

    def before_model(self):
        if self.models == 0:
            raise BudgetExceeded("steps", 1, 1, "call 2 of the model")
        self.models -= 1

    def after_model(self, response):
        self.seen.append(response.usage)

    def before_tools(self, count):
        if count > self.tools:
            raise BudgetExceeded("tool_calls", self.tools, 0, f"{count} tools")


def go(provider, tools=None, prompt="x", **options):
    provider = FakeModelProvider(provider) if isinstance(provider, list) else provider
    return asyncio.run(arun(provider, tools or adder(), prompt, **options))


# ---- the same loop


items = st.lists(
    st.text()
    | st.lists(st.builds(ToolCall, st.sampled_from("abc"), st.sampled_from(["add", "x"]), st.just({"a": 1, "b": 2})),
               min_size=1, max_size=3, unique_by=lambda one: one.id)
    | st.just(CUT), max_size=6)  # fmt: skip


@given(items, st.integers(1, 6), st.none() | st.text(), st.booleans())
def test_it_agrees_with_run_in_everything(script, max_steps, system, parallel):
    def outcome(driving):
        try:
            return driving(), None
        except Exception as error:
            return error.result, error

    plain, plain_error = outcome(lambda: run(FakeModel(script), adder(), "x", system=system, max_steps=max_steps))
    awaited, error = outcome(lambda: go(list(script), system=system, max_steps=max_steps, parallel_tools=parallel))
    assert awaited == plain
    assert isinstance(error, type(plain_error))


def test_a_response_that_never_converges_ends_at_the_limit_or_with_the_script():
    with pytest.raises(MaxStepsExceeded, match="超过 2 步"):
        go([[call()], [call()], [call()]], max_steps=2)
    with pytest.raises(ResponsesExhausted) as caught:
        go([[call()]])
    assert caught.value.result.status == "exhausted"
    assert well_formed(caught.value.result.messages)


@pytest.mark.parametrize("bad", [{"max_steps": 0}, {"prompt": None}, {"system": 5}])
def test_what_no_run_can_start_with_is_refused_before_the_first_call(bad):
    provider = FakeModelProvider(["x"])
    with pytest.raises((TypeError, ValueError)):
        go(provider, **bad)
    assert provider.remaining == 1


def test_a_plain_model_is_refused_with_the_way_out():
    model = FakeModel(["Hello."])
    with pytest.raises(TypeError, match=r"FakeModel is a plain model, .* pass to_provider\(model\)"):
        go(model)
    assert model.remaining == 1


def test_a_provider_that_returns_something_else_is_named():
    class Odd:
        async def complete(self, request, signal=None):
            return "Hello."

    with pytest.raises(TypeError, match=r"Odd.complete\(\) returned a str; return a ModelResponse"):
        go(Odd())


def test_a_provider_that_is_not_async_is_told_to_be():
    class Plain:
        def complete(self, request, signal=None):
            return ModelResponse(Message("assistant", "Hello."))

    with pytest.raises(TypeError, match=r"Plain.complete\(\) is not async; write async def"):
        go(Plain())


def test_an_error_of_the_provider_comes_through_with_what_there_is():
    with pytest.raises(RateLimitError, match="slow down") as caught:
        go([[call()], RateLimitError("slow down")])
    assert caught.value.result.status == "failed"
    assert [step.kind for step in caught.value.result.steps] == ["tool_call"]


# ---- async tools


def test_an_async_tool_is_awaited_and_a_plain_one_is_called():
    async def slow(a, b):
        await asyncio.sleep(0)
        return a * b

    tools = registry(tool(slow, name="mul"), tool(lambda a, b: a + b, name="add"))
    result = go([[call("c1", "mul"), call("c2", "add")], "done"], tools)

    assert [step.result.content for step in result.steps[:2]] == ["6", "5"]


def test_what_an_async_tool_raises_is_data():
    async def broken():
        await asyncio.sleep(0)
        raise ValueError("除零")

    result = go([[ToolCall("c1", "t", {})], "sorry"], registry(tool(broken)))

    assert result.steps[0].result == ('{"error": "ValueError: 除零"}', "tool_failed")


def test_tools_work_one_after_the_other_unless_it_is_asked_for():
    for parallel, expected in ((False, ["in a", "out a", "in b", "out b"]), (True, ["in a", "in b", "out b", "out a"])):
        seen, gate = [], asyncio.Event()

        async def work(name, seen=seen, gate=gate, parallel=parallel):
            seen.append(f"in {name}")
            if parallel and name == "a":
                await gate.wait()
            gate.set()
            seen.append(f"out {name}")
            return name

        calls = [ToolCall("c1", "t", {"name": "a"}), ToolCall("c2", "t", {"name": "b"})]
        result = go([calls, "done"], registry(tool(work)), parallel_tools=parallel)
        assert seen == expected
        assert [step.result.content for step in result.steps[:2]] == ["a", "b"]
        assert well_formed(result.messages)


def test_one_parallel_tool_that_fails_does_not_stop_the_others():
    async def work(name):
        await asyncio.sleep(0)
        if name == "a":
            raise ValueError("no")
        return name

    calls = [ToolCall("c1", "t", {"name": "a"}), ToolCall("c2", "t", {"name": "b"})]
    result = go([calls, "done"], registry(tool(work)), parallel_tools=True)

    assert [step.result.error for step in result.steps[:2]] == ["tool_failed", None]


# ---- the signal


def test_a_signal_that_was_given_before_the_run_makes_no_call():
    controller, provider = AbortController(), FakeModelProvider(["x"])
    controller.abort("Stop")
    result = go(provider, signal=controller.signal)

    assert (result.status, result.final, provider.remaining) == ("cancelled", "", 1)
    assert isinstance(result.stopped_by, AbortError)
    assert "Stop" in str(result.stopped_by)
    assert [message.role for message in result.messages] == ["user"]


def test_an_abort_while_the_model_thinks_ends_the_run_and_keeps_what_it_had():
    controller = AbortController()
    asked = []

    async def think(request):
        asked.append(request)
        if len(asked) == 2:
            controller.abort()
            await asyncio.Event().wait()

    provider = FakeModelProvider([[call()], "never"], before=think)
    result = go(provider, signal=controller.signal)

    assert result.status == "cancelled"
    assert (provider.remaining, [step.kind for step in result.steps]) == (1, ["tool_call"])
    assert well_formed(result.messages)


def test_an_answer_that_was_paid_for_is_kept_and_its_tools_do_not_begin():
    controller, ran = AbortController(), []

    class Late:
        async def complete(self, request, signal=None):
            controller.abort()
            return ModelResponse(Message("assistant", "Let me see.", WISH), "tool_use", {"input_tokens": 7})

    result = go(Late(), registry(tool(lambda **held: ran.append(held), name="add")), signal=controller.signal)

    assert ran == []
    assert (result.status, result.usage) == ("cancelled", {"input_tokens": 7})
    assert [step.result.error for step in result.steps] == ["not_run", "not_run"]
    assert well_formed(result.messages)


def test_a_final_answer_that_came_although_the_signal_was_given_counts():
    controller = AbortController()

    async def think(request):
        asyncio.get_running_loop().call_soon(controller.abort)

    assert go(FakeModelProvider(["done"], before=think), signal=controller.signal).final == "done"


@pytest.mark.parametrize("parallel", [False, True])
def test_an_abort_while_a_tool_works_stops_it_and_leaves_a_well_formed_history(parallel):
    controller, ended = AbortController(), []

    async def work(name):
        if name == "quick":
            return name
        try:
            asyncio.get_running_loop().call_soon(controller.abort)
            await asyncio.Event().wait()
        finally:
            ended.append(name)

    calls = [ToolCall(f"c{n}", "t", {"name": name}) for n, name in enumerate(["quick", "slow", "quick", "slow"], 1)]
    result = go([calls, "never"], registry(tool(work)), signal=controller.signal, parallel_tools=parallel)

    assert result.status == "cancelled"
    assert well_formed(result.messages)
    told = [step.result.error for step in result.steps]
    assert told == (
        [None, "tool_failed", None, "tool_failed"] if parallel else [None, "tool_failed", "not_run", "not_run"]
    )
    assert "stopped while it ran" in result.steps[1].detail
    assert ended == (["slow", "slow"] if parallel else ["slow"])


def test_one_signal_stops_one_run():
    async def main():
        controller = AbortController()
        gate = asyncio.Event()
        one = asyncio.ensure_future(
            arun(FakeModelProvider(["a"], before=lambda _: gate.wait()), ToolRegistry(), "1", signal=controller.signal)
        )
        other = asyncio.ensure_future(
            arun(FakeModelProvider(["b"], before=lambda _: gate.wait()), ToolRegistry(), "2",
                 signal=AbortController().signal)
        )  # fmt: skip
        await asyncio.sleep(0)
        controller.abort()
        stopped = await one
        gate.set()
        return stopped.status, (await other).final

    assert asyncio.run(main()) == ("cancelled", "b")


# ---- the task is cancelled


@pytest.mark.parametrize("parallel", [False, True])
@pytest.mark.parametrize("where", ["model", "tool"])
def test_a_cancelled_task_is_cancelled_and_leaves_nothing_behind(where, parallel):
    async def main():
        begun, ended = asyncio.Event(), []

        async def wait(*_, **__):
            begun.set()
            try:
                await asyncio.Event().wait()
            finally:
                ended.append(True)

        provider = FakeModelProvider([WISH, "never"], before=wait if where == "model" else None)
        trace = Heard()
        running = arun(provider, registry(tool(wait, name="add")), "x", trace=trace, parallel_tools=parallel)
        task = asyncio.ensure_future(running)
        await begun.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert task.cancelled()
        assert asyncio.all_tasks() == {asyncio.current_task()}
        assert trace.ends() == [("cancelled", "CancelledError")]
        assert ended
        return trace.events[-1][1]

    result = asyncio.run(main())
    assert well_formed(result.messages)
    assert len(result.messages) == (1 if where == "model" else 4)


def test_a_timeout_round_it_is_a_timeout():
    async def main():
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0):
                await arun(FakeModelProvider(["x"], before=lambda _: asyncio.Event().wait()), ToolRegistry(), "x")

    asyncio.run(main())


def test_a_sibling_that_fails_in_a_group_ends_the_run():
    async def main():
        trace = Heard()

        async def fail():
            await asyncio.sleep(0)
            raise ValueError("sibling")

        waiting = FakeModelProvider(["x"], before=lambda _: asyncio.Event().wait())
        with pytest.raises(ExceptionGroup):
            async with asyncio.TaskGroup() as group:
                group.create_task(arun(waiting, ToolRegistry(), "x", trace=trace))
                group.create_task(fail())
        return trace.ends()

    assert asyncio.run(main()) == [("cancelled", "CancelledError")]


@pytest.mark.parametrize("stop", [KeyboardInterrupt, SystemExit])
def test_a_tool_that_ends_the_program_ends_it(stop):
    trace = Heard()

    def leave():
        raise stop

    with pytest.raises(stop):
        go([[ToolCall("c1", "t", {})], "never"], registry(tool(leave)), trace=trace)
    assert trace.ends() == [("cancelled", stop.__name__)]


def test_a_run_that_is_thrown_away_leaves_no_task_and_no_warning():
    async def main():
        running = arun(FakeModelProvider(["x"], before=lambda _: asyncio.sleep(0)), ToolRegistry(), "x")
        running.send(None)
        running.close()

    asyncio.run(main())
    gc.collect()


# ---- the budget


def test_a_budget_stops_before_the_next_call_and_keeps_what_was_paid_for():
    provider = FakeModelProvider([[call()], "never"])
    result = go(provider, budget=Limits(models=1))

    assert (result.status, provider.remaining) == ("over_budget", 1)
    assert isinstance(result.stopped_by, BudgetExceeded)
    assert [step.result.content for step in result.steps] == ["5"]
    assert well_formed(result.messages)


@pytest.mark.parametrize(
    ("method", "write"),
    [
        ("before_model", r"def before_model\(self\)"),
        ("after_model", r"def after_model\(self, response\)"),
        ("before_tools", r"def before_tools\(self, count\)"),
    ],
)
def test_an_async_budget_is_refused_before_it_could_be_passed_over(method, write):
    async def refuse(*_):
        raise BudgetExceeded("tokens", 1, 0)

    budget, provider = Limits(models=9), FakeModelProvider(["never"])
    setattr(budget, method, refuse)
    with pytest.raises(TypeError, match=f"budget: {method} is async, and nobody would await it; write {write}"):
        go(provider, budget=budget)
    assert provider.remaining == 1


def test_an_async_trace_is_refused_likewise():
    class Waits(Heard):
        async def run_ended(self, result, error): ...

    trace = Waits()
    with pytest.raises(TypeError, match=r"trace: run_ended is async, .*; write def run_ended\(self, result, error\)"):
        go(["Hello."], trace=trace)
    assert trace.events == []


@pytest.mark.parametrize("parallel", [False, True])
def test_a_batch_of_tools_over_the_budget_does_not_begin_at_all(parallel):
    ran = []
    tools = registry(tool(lambda **held: ran.append(held), name="add"))
    result = go([WISH, "never"], tools, budget=Limits(tools=1), parallel_tools=parallel)

    assert ran == []
    assert result.status == "over_budget"
    assert [step.result.error for step in result.steps] == ["not_run", "not_run"]
    assert well_formed(result.messages)


def test_a_cut_answer_costs_no_tool():
    assert go([CUT, "Shorter."], budget=Limits(tools=0)).final == "Shorter."


# ---- the trace


def test_a_trace_is_told_everything_in_order():
    trace = Heard()
    go([[call()], "5"], trace=trace)

    assert trace.names() == [
        "run_started",
        "model_asked",
        "model_answered",
        "tool_asked",
        "tool_answered",
        "model_asked",
        "model_answered",
        "run_ended",
    ]
    assert trace.ends() == [("completed", "NoneType")]


@pytest.mark.parametrize(
    ("script", "options", "end"),
    [
        (["x"], {}, ("completed", "NoneType")),
        ([[call()]], {}, ("exhausted", "ResponsesExhausted")),
        ([[call()], "x"], {"max_steps": 1}, ("max_steps", "MaxStepsExceeded")),
        ([RateLimitError("no")], {}, ("failed", "RateLimitError")),
        ([AbortError("by the service")], {}, ("cancelled", "NoneType")),
        ([[call()], "x"], {"budget": Limits(models=1)}, ("over_budget", "NoneType")),
    ],
)
def test_a_trace_ends_once_however_the_run_ends(script, options, end):
    trace = Heard()
    with contextlib.suppress(Exception):
        go(script, trace=trace, **options)
    assert trace.ends() == [end]
    assert trace.names()[-1] == "run_ended"


# ---- many at once


def test_a_thousand_runs_at_once_each_get_their_own_responses_once():
    turns = 10

    def script(run):
        return [[ToolCall("c1", "add", {"a": run, "b": turn})] for turn in range(turns - 1)] + [f"run {run}"]

    async def main():
        providers = [FakeModelProvider(script(run), before=lambda _: asyncio.sleep(0)) for run in range(1000)]
        tools = adder()
        results = await asyncio.gather(*(arun(provider, tools, "x") for provider in providers))
        assert asyncio.all_tasks() == {asyncio.current_task()}
        return providers, results

    before = threading.active_count()
    providers, results = asyncio.run(main())
    assert threading.active_count() == before
    assert [result.final for result in results] == [f"run {run}" for run in range(1000)]
    for run_, result in enumerate(results):
        assert [step.result.content for step in result.steps[:-1]] == [str(run_ + turn) for turn in range(turns - 1)]
    assert all(provider.remaining == 0 and len(provider.calls) == turns for provider in providers)

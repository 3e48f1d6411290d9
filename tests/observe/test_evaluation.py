import asyncio
import os
import threading
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lab import adder, call

from minagent_lab import (
    FakeModel,
    FakeModelProvider,
    Message,
    ModelResponse,
    RateLimitError,
    ToolRegistry,
    arun,
    run,
)
from minagent_lab.mockgpt import MockGPT
from minagent_lab.observe.budget import Budget
from minagent_lab.observe.cases import EvalCase
from minagent_lab.observe.evaluation import aevaluate, evaluate
from minagent_lab.observe.matchers import called, contains, equals, not_called, smoke
from minagent_lab.observe.matching import Matcher
from minagent_lab.observe.meter import Meter
from minagent_lab.observe.pricing import PriceTable

PRICES = PriceTable({"small-1": {"input": "1", "output": "10"}}, currency="CNY")


def cases(*ids, expect=None, **more):
    return [EvalCase(id, f"ask {id}", expect or equals("5"), **more) for id in ids]


def answer(text="5", sent=10, got=2, model="small-1"):
    usage = {} if sent is None else {"input_tokens": sent, "output_tokens": got}
    return ModelResponse(Message("assistant", text), usage=usage, model=model)


def verdicts(report):
    return {result.id: result.verdict for result in report}


def fresh(*script):
    return lambda case: FakeModelProvider(list(script))


# ---- who is asked


def test_each_case_passes_or_fails_by_its_matcher():
    report = evaluate(cases("a", "b"), lambda case: "5" if case.id == "a" else "6")
    assert verdicts(report) == {"a": "passed", "b": "failed"}
    assert report["b"].reason == "the answer is '6', not '5'"


def test_an_agent_may_return_a_result_and_then_its_calls_can_be_asked_about():
    agent = lambda case: run(FakeModel([[call()], "5"]), adder(), case.prompt)
    report = evaluate(cases("a", expect=called("add", a=2)), agent)
    assert (report.passed, report["a"].status, len(report["a"].run.steps)) == (1, "completed", 2)


def test_of_an_agent_that_returns_text_no_call_is_known_so_that_not_called_does_not_pass_by_itself():
    report = evaluate(cases("a", expect=not_called("add")), lambda case: "5")
    assert "text only" in report["a"].reason


def test_an_agent_may_be_async_or_return_what_is_awaitable():
    async def agent(case):
        await asyncio.sleep(0)
        return "5"

    def plain(case):
        return agent(case)

    for each in (agent, plain):
        assert evaluate(cases("a", "b"), each).passed == 2
        assert asyncio.run(aevaluate(cases("a", "b"), each, concurrency=2)).passed == 2


def test_a_plain_agent_is_called_in_the_thread_of_the_caller():
    seen = set()
    evaluate(cases("a", "b"), lambda case: seen.add(threading.current_thread()) or "5")
    assert seen == {threading.current_thread()}


def test_an_async_agent_has_one_loop_for_the_whole_evaluation():
    loops = set()

    async def agent(case):
        loops.add(asyncio.get_running_loop())
        return "5"

    evaluate(cases("a", "b", "c"), agent)
    assert len(loops) == 1
    assert loops.pop().is_closed()


@pytest.mark.parametrize("concurrency", [1, 2])
def test_it_can_be_called_where_a_loop_runs_as_in_a_notebook(concurrency):
    async def cell():
        return evaluate(cases("a", "b"), model=fresh("5"), concurrency=concurrency)

    assert asyncio.run(cell()).passed == 2


def test_each_case_gets_a_fresh_model_and_never_goes_on_with_the_script_of_another():
    made = []

    def model(case):
        made.append(FakeModel([[call()], "5"]))
        return made[-1]

    report = evaluate(cases("a", "b", "c", expect=called("add")), model=model, registry=adder())
    assert report.passed == 3
    assert [one.remaining for one in made] == [0, 0, 0]


def test_models_providers_and_mocks_are_all_asked():
    for model in (
        lambda case: FakeModel(["5"]),
        fresh("5"),
        lambda case: MockGPT([], fallback="5"),
        lambda case: MockGPT([], fallback="5").provider,
    ):
        assert evaluate(cases("a"), model=model).passed == 1


def test_a_registry_may_be_made_for_each_case():
    seen = []
    evaluate(cases("a", "b"), model=fresh("5"), registry=lambda case: seen.append(case.id) or ToolRegistry())
    assert seen == ["a", "b"]


def test_a_case_brings_its_system_prompt_and_its_limit_of_steps():
    model = FakeModel([[call()], "5"])
    report = evaluate(cases("a", system="Be kind.", max_steps=1), model=lambda case: model, registry=adder())
    assert [message.content for message in model.calls[0].messages] == ["Be kind.", "ask a"]
    assert report["a"].reason.startswith("MaxStepsExceeded: 超过 1 步")


def test_a_model_that_is_returned_twice_is_an_error_of_the_second_case():
    model = FakeModel(["5", "5"])
    report = evaluate(cases("a", "b"), model=lambda case: model)
    assert verdicts(report) == {"a": "passed", "b": "error"}
    assert "returned the same FakeModel for two cases; make a fresh one" in report["b"].reason


# ---- what goes wrong with one case


def test_what_an_agent_raises_is_an_error_of_its_case_with_class_and_text_and_the_others_go_on():
    def agent(case):
        if case.id == "b":
            raise RateLimitError("slow down", status_code=429)
        return "5"

    report = evaluate(cases("a", "b", "c"), agent)
    assert verdicts(report) == {"a": "passed", "b": "error", "c": "passed"}
    assert report["b"].reason == "RateLimitError: slow down (status 429)"


def test_an_error_keeps_the_partial_run_that_it_carries():
    report = evaluate(cases("a"), model=lambda case: FakeModel([[call()]]), registry=adder())
    assert (report["a"].verdict, report["a"].status, len(report["a"].run.steps)) == ("error", "exhausted", 1)


@pytest.mark.parametrize("wrong", [None, 5, ["5"]])
def test_an_agent_that_returns_something_else_is_an_error_and_not_a_failure(wrong):
    report = evaluate(cases("a"), lambda case: wrong)
    assert report["a"].verdict == "error"
    assert "return a RunResult, or text" in report["a"].reason


def test_a_check_that_raises_is_an_error_and_says_that_it_was_the_check():
    report = evaluate(cases("a", expect=lambda result: {}["x"]), lambda case: "5")
    assert (report["a"].verdict, report["a"].reason) == ("error", "in the check: KeyError: 'x'")


def test_something_cancelled_inside_an_agent_is_an_error_of_its_case():
    async def agent(case):
        task = asyncio.ensure_future(asyncio.sleep(60))
        task.cancel()
        await task

    for report in (
        evaluate(cases("a", "b"), agent),
        asyncio.run(aevaluate(cases("a", "b"), agent, concurrency=2)),
    ):
        assert report.errors == 2
        assert report["a"].reason == "CancelledError"


# ---- many at a time


@given(st.permutations(range(5)), st.integers(1, 6))
def test_the_report_has_the_order_of_the_cases_whichever_is_done_first(order, concurrency):
    async def evaluated():
        done = [asyncio.Event() for _ in order]
        came = []

        async def agent(case):
            place = int(case.id)
            turn = order.index(place)
            if turn and concurrency > len(order):
                await done[order[turn - 1]].wait()
            done[place].set()
            came.append(place)
            return case.id

        report = await aevaluate(
            [EvalCase(str(n), "x", equals(str(n))) for n in range(5)], agent, concurrency=concurrency
        )
        assert concurrency <= len(order) or came == list(order)
        return report

    report = asyncio.run(evaluated())
    assert [result.id for result in report] == ["0", "1", "2", "3", "4"]
    assert report.passed == 5


@pytest.mark.parametrize("concurrency", [1, 2, 3])
def test_no_more_cases_are_asked_at_once_than_was_said(concurrency):
    now, most = [0], [0]

    async def agent(case):
        now[0] += 1
        most[0] = max(most[0], now[0])
        for _ in range(5):
            await asyncio.sleep(0)
        now[0] -= 1
        return "5"

    assert asyncio.run(aevaluate(cases(*"abcdefg"), agent, concurrency=concurrency)).passed == 7
    assert most == [concurrency]


def test_plain_agents_work_at_the_same_time_in_threads():
    meet = threading.Barrier(3, timeout=20)
    assert evaluate(cases("a", "b", "c"), lambda case: meet.wait() is None or "5", concurrency=3).passed == 3


# ---- usage, cost, budget


def test_usage_is_summed_as_far_as_it_is_told_and_the_rest_is_unknown_and_not_zero():
    script = {"a": answer(sent=10, got=2), "b": answer(sent=None), "c": answer(sent=5, got=1)}
    report = evaluate(cases("a", "b", "c"), model=lambda case: FakeModelProvider([script[case.id]]))
    assert report.usage == {"input_tokens": 15, "output_tokens": 3}
    assert report.unknown_usage == 1
    assert (report["a"].usage_known, report["b"].usage_known, report["b"].usage) == (True, False, {})


def test_a_run_of_which_one_call_told_nothing_is_not_wholly_known():
    script = [ModelResponse(Message("assistant", tool_calls=[call()]), "tool_use"), answer()]
    report = evaluate(cases("a"), model=fresh(*script), registry=adder(), prices=PRICES)
    assert (report.usage, report.unknown_usage) == ({"input_tokens": 10, "output_tokens": 2}, 1)
    assert (report.cost, report.unknown_cost) == (None, 1)


def test_a_cost_is_exact_and_unknown_where_one_model_has_no_price():
    report = evaluate(cases("a", "b"), model=fresh(answer(sent=3, got=1)), prices=PRICES)
    assert (report.cost, report.currency) == (Decimal("0.000026"), "CNY")
    mixed = evaluate(
        cases("a", "b"),
        model=lambda case: FakeModelProvider([answer(model="small-1" if case.id == "a" else "other")]),
        prices=PRICES,
    )
    assert (mixed.cost, mixed.known_cost, mixed.unknown_cost) == (None, Decimal("0.00003"), 1)


def test_the_usage_of_a_result_counts_where_no_meter_was_passed():
    report = evaluate(cases("a"), lambda case: run(FakeModel([answer(sent=4, got=1)]), ToolRegistry(), case.prompt))
    assert (report.usage, report.unknown_usage) == ({"input_tokens": 4, "output_tokens": 1}, 0)
    assert evaluate(cases("a"), lambda case: "5").unknown_usage == 1


def test_what_an_error_has_used_by_then_counts_and_the_call_that_failed_is_unknown():
    tool_use = ModelResponse(
        Message("assistant", tool_calls=[call()]), "tool_use", {"input_tokens": 7, "output_tokens": 1}
    )
    report = evaluate(cases("a"), model=fresh(tool_use, RateLimitError("slow down")), registry=adder())
    assert (report.errors, report.usage, report.unknown_usage) == (1, {"input_tokens": 7, "output_tokens": 1}, 1)


def test_an_agent_that_takes_a_meter_is_counted_call_by_call():
    async def agent(case, meter):
        assert isinstance(meter, Meter)
        return await arun(FakeModelProvider([answer()]), ToolRegistry(), case.prompt, budget=meter)

    report = evaluate(cases("a", "b"), agent, prices=PRICES, budget=Budget(tokens=12))
    assert verdicts(report) == {"a": "passed", "b": "not_run"}
    assert report.cost == Decimal("0.00003")


@pytest.mark.parametrize("more", [{"budget": Budget(tokens=5)}, {"prices": PRICES}])
def test_a_budget_or_prices_that_could_count_nothing_are_refused(more):
    with pytest.raises(TypeError, match=r"this agent does not tell them; write agent\(case, meter\)"):
        evaluate(cases("a"), lambda case: "5", **more)


@given(st.integers(0, 40), st.integers(1, 3))
def test_a_budget_that_is_used_up_begins_no_case_and_counts_the_rest_as_not_run(tokens, concurrency):
    budget = Budget(tokens=tokens)
    report = asyncio.run(
        aevaluate(cases(*"abcde"), model=fresh(answer(sent=8, got=2)), budget=budget, concurrency=concurrency)
    )
    ran = min(-(-tokens // 10), 5)
    assert (report.passed, report.not_run, report.n) == (ran, 5 - ran, 5)
    assert all(result.reason == "the budget is used up: tokens" for result in report.results[ran:])
    assert budget.used["tokens"] == 10 * ran


def test_a_case_that_the_budget_stops_in_its_middle_is_an_error_and_no_failure_of_the_agent():
    tool_use = ModelResponse(
        Message("assistant", tool_calls=[call()]), "tool_use", {"input_tokens": 9, "output_tokens": 3}
    )
    report = evaluate(cases("a", "b"), model=fresh(tool_use, answer()), registry=adder(), budget=Budget(tokens=12))
    assert verdicts(report) == {"a": "error", "b": "not_run"}
    assert report["a"].reason.startswith("BudgetExceeded: 预算已用尽")
    assert report.usage == {"input_tokens": 9, "output_tokens": 3}


# ---- what ends it early


@pytest.mark.parametrize("end", [KeyboardInterrupt, SystemExit])
@pytest.mark.parametrize("how", ["plain", "async", "async, two at a time", "threads", "awaited"])
def test_what_ends_it_early_carries_the_report_so_far_and_leaves_no_thread(end, how):
    async def stopping(case):
        if case.id == "c":
            raise end
        return "5"

    agent = stopping if "a" in how[0] else lambda case: at_once(stopping(case))
    before = threading.active_count()
    with pytest.raises(end) as stop:
        if how == "awaited":
            asyncio.run(aevaluate(cases(*"abcd"), agent))
        else:
            evaluate(cases(*"abcd"), agent, concurrency=2 if how in ("threads", "async, two at a time") else 1)
    report = stop.value.report
    assert (report["a"].verdict, report["c"].verdict, report.n) == ("passed", "not_run", 4)
    assert report["c"].reason == "the evaluation was stopped"
    assert "error.report" in stop.value.__notes__[0]
    assert threading.active_count() == before


def at_once(work):
    try:
        work.send(None)
    except StopIteration as end:
        return end.value


def test_an_evaluation_that_is_cancelled_is_cancelled_and_keeps_what_there_is():
    async def scenario():
        begun = asyncio.Event()

        async def agent(case):
            if case.id == "b":
                begun.set()
                await asyncio.sleep(3600)
            return "5"

        task = asyncio.ensure_future(aevaluate(cases("a", "b", "c"), agent))
        await begun.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError) as stop:
            await task
        return stop.value.report

    assert verdicts(asyncio.run(scenario())) == {"a": "passed", "b": "not_run", "c": "not_run"}


# ---- what cannot be evaluated


@pytest.mark.parametrize(
    ("arguments", "more", "words"),
    [
        ((), {}, "pass an agent, a function of the case, or model="),
        ((lambda case: "5",), {"model": fresh("5")}, "pass an agent"),
        (("agent",), {}, "agent is a str; pass a function of the case"),
        ((FakeModel(["5"]),), {}, r"agent is a FakeModel; pass model=lambda case"),
        ((), {"model": FakeModel(["5"])}, "model is a FakeModel, and a model has one cursor; pass a function"),
        ((), {"model": FakeModel}, "model is the class FakeModel"),
        ((lambda case: "5",), {"registry": ToolRegistry()}, "registry goes with model="),
        ((), {"model": fresh("5"), "registry": []}, "registry is a list"),
        ((lambda case: "5",), {"concurrency": 0}, "concurrency is 0; it is a whole number from 1 up"),
        ((lambda case: "5",), {"concurrency": True}, "concurrency is True"),
        ((lambda case: "5",), {"resume": True}, "resume=True needs the file"),
        ((lambda case: "5",), {"progress": "bar"}, "progress is a str; write True, False, or a function"),
        ((lambda case: "5",), {"secrets": "correct horse"}, "secrets is a str"),
        ((lambda case, meter: "5",), {"budget": 12}, "budget is 12; pass a Budget"),
        ((lambda case, meter: "5",), {"prices": {}}, "prices is {}; pass a PriceTable"),
    ],
)
def test_what_is_no_evaluation_is_refused_before_anybody_is_asked(arguments, more, words):
    with pytest.raises((TypeError, ValueError), match=words):
        evaluate(cases("a"), *arguments, **more)


def test_a_model_maker_that_makes_no_model_is_an_error_of_each_case():
    report = evaluate(cases("a"), model=lambda case: None)
    assert report["a"].reason == "TypeError: model=... returned None; return a model or a provider"


# ---- progress


def test_a_function_is_told_of_each_result():
    told = []
    evaluate(cases("a", "b"), lambda case: "5", progress=lambda done, n, result: told.append((done, n, result.id)))
    assert told == [(1, 2, "a"), (2, 2, "b")]


def test_a_function_that_raises_is_not_told_any_more_and_ends_nothing():
    def told(done, n, result):
        raise ValueError("no")

    report = evaluate(cases("a", "b"), lambda case: "5", progress=told)
    assert report.passed == 2
    assert report.problems == ("progress was not told any more: ValueError: no",)


def test_outside_of_a_notebook_nothing_is_written_unless_asked(capsys):
    evaluate(cases("a"), lambda case: "5")
    evaluate(cases("a"), lambda case: "5", progress=False)
    assert capsys.readouterr() == ("", "")
    evaluate(cases("a", "b"), lambda case: case.id, progress=True)
    assert capsys.readouterr() == ("", "1/2 a: failed\n2/2 b: failed\n")


def test_the_two_layers_of_tests_differ_in_their_matchers_only():
    script = {"a": answer("It is 5."), "b": answer("Five.")}
    model = lambda case: FakeModelProvider([script[case.id]])
    exact = evaluate(cases("a", "b", expect=contains("5")), model=model)
    loose = evaluate(cases("a", "b", expect=smoke()), model=model)
    assert (exact.passed, loose.passed) == (1, 2)


def test_no_thread_is_left_behind():
    before = threading.active_count()
    evaluate(cases("a", "b"), model=fresh("5"), concurrency=2)
    assert threading.active_count() == before


@pytest.mark.skipif(os.name != "posix", reason="another signal there")
def test_ctrl_c_while_an_async_agent_waits_ends_it_and_carries_the_report():
    async def agent(case):
        if case.id == "b":
            os.kill(os.getpid(), 2)
            await asyncio.sleep(3600)
        return "5"

    with pytest.raises(KeyboardInterrupt) as stop:
        evaluate(cases("a", "b"), agent)
    assert verdicts(stop.value.report) == {"a": "passed", "b": "not_run"}


def test_a_matcher_of_ones_own_that_returns_no_text_is_an_error_of_its_case():
    broken = Matcher("broken()", lambda result: None)
    report = evaluate(cases("a", expect=broken), lambda case: "5")
    assert report["a"].reason == "in the check: broken() returned None; a problem is text"


def test_a_reason_may_quote_half_a_character():
    def check(result):
        raise AssertionError(result.final)

    report = evaluate(cases("a", expect=check), lambda case: "5\udcb0")
    assert (report["a"].verdict, report["a"].reason) == ("failed", "5\udcb0")
    assert "\\udcb0" in report.table()

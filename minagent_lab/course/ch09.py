"""Chapter 09, usage, budgets, traces: predictions, exercises and quiz."""

from __future__ import annotations

import contextlib
import json
import tempfile
import traceback
from collections.abc import Callable, Iterable
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any

from minagent_lab import (
    Budget,
    FakeModelProvider,
    Message,
    ModelResponse,
    RunResult,
    ServerError,
    TickingClock,
    Tool,
    ToolCall,
    ToolRegistry,
    Trace,
)
from minagent_lab.async_loop import arun
from minagent_lab.course import shop
from minagent_lab.course.awaiting import finished
from minagent_lab.course.exercise import Exercise, Mutant, WrongTest, made, says
from minagent_lab.course.expecting import expect, shown
from minagent_lab.course.judging import Broken, judge
from minagent_lab.course.kinds import Kind, is_async_function, is_plain_function
from minagent_lab.course.quiz import Choice, Question, Quiz
from minagent_lab.course.shop import CAKE, ONE_ITEM, PRICES, TEA
from minagent_lab.results import exception_text

TITLE = "Usage, budgets, traces"


def tokens(sent: int, got: int) -> dict[str, int]:
    """Return a usage."""
    return {"input_tokens": sent, "output_tokens": got}


def reply(content: str | list[ToolCall], usage: dict[str, int] | None = None, model: str = "small-1") -> ModelResponse:
    """Return a response with its usage: text ends the turn, calls ask for tools."""
    if isinstance(content, str):
        return ModelResponse(Message("assistant", content), "end_turn", usage or {}, model)
    return ModelResponse(Message("assistant", "", content), "tool_use", usage or {}, model)


SCRIPT = [reply([TEA], tokens(10, 2)), reply("Tea costs 12.", tokens(12, 3))]


def shop_with_orders() -> tuple[ToolRegistry, list[str]]:
    """Return a shop in which one can order too, and the list of what was ordered."""
    ordered: list[str] = []

    def order(item: str) -> str:
        if len(ordered) >= shop.PATIENCE:
            raise shop.ShopClosed
        ordered.append(item)
        return f"ordered {item}"

    registry = ToolRegistry()
    registry.add(Tool("price", "Price of one item (单价)", ONE_ITEM, lambda item: PRICES[item]))
    registry.add(Tool("order", "Order one item, and pay (下单)", ONE_ITEM, order))
    return registry, ordered


def world() -> dict[str, Any]:
    """Return the names that the chapter's first cells define."""
    registry, ordered = shop_with_orders()
    here = {"registry": registry, "ordered": ordered, "tokens": tokens, "reply": reply, "SCRIPT": list(SCRIPT)}
    modules = {"contextlib": contextlib, "json": json, "tempfile": tempfile, "Path": Path, "Decimal": Decimal}
    return {**shop.world(), **here, **modules}


def ran(budget: Any, script: Iterable[Any], *, trace: Trace | None = None) -> tuple[RunResult, FakeModelProvider]:
    """Return what a run with this budget came to, and the provider that was asked."""
    provider = FakeModelProvider(script)
    registry, _ = shop_with_orders()
    return finished(arun(provider, registry, "What does tea cost?", budget=budget, trace=trace)), provider


# ---- 9.1 ------------------------------------------------------------------------------------------------------------

THREE = [reply([TEA], tokens(8, 2)), reply([CAKE], tokens(20, 5)), reply("12 and 8.", tokens(30, 5))]
LIMITS = (0, 9, 10, 34, 35, 36, 70)
Stops = tuple[dict[int, int], set[int]]


def asked_at(limit: int) -> int:
    """Return how often the model is really asked under a limit."""
    return len(ran(Budget(tokens=limit), THREE)[1].calls)


def _right_at(stops: Stops, *limits: int, think: str) -> None:
    for limit in limits:
        said = stops[0].get(limit)
        assert said is not None, f"there is no number for the limit {limit}"
        assert said == asked_at(limit), f"at the limit {limit} it is not {shown(said)}. {think}"


def test_a_limit_that_is_reached_exactly_lets_no_further_call_begin(stops: Stops) -> None:
    _right_at(stops, 10, 35, think="How much is used after each turn? Is anything left then?")


def test_a_call_may_begin_while_one_token_is_left(stops: Stops) -> None:
    _right_at(stops, 9, think="Before call 1 nothing is used, and 9 are allowed")
    _right_at(stops, 34, 36, think="Before a call nobody knows what it will use; one token is left, so it may begin")


def test_the_output_of_a_turn_counts_too(stops: Stops) -> None:
    said = stops[0].get(9, 2)
    assert said in (0, 1), f"at the limit 9 it is not {shown(said)}. Turn 1 uses 8 in and 2 out. What is left of 9?"


def test_a_limit_of_0_asks_nobody(stops: Stops) -> None:
    _right_at(stops, 0, think="0 are used, and 0 are allowed; what is left?")


def test_what_suffices_for_all_turns_stops_none(stops: Stops) -> None:
    _right_at(stops, 70, think="After turn 2, 35 are used; 35 are left")


@says("`crossed` holds the limits that were really crossed")
def test_crossed_holds_the_limits_that_were_really_crossed(stops: Stops) -> None:
    real = {limit for limit in LIMITS if (budget := Budget(tokens=limit)) and ran(budget, THREE) and budget.exceeded}
    said = list(stops[1])
    for limit in said:
        among = any(limit == one for one in LIMITS)
        assert among, f"{shown(limit)} is in it, and is none of the limits {', '.join(map(str, LIMITS))}"
        assert limit in real, f"{limit} is in it; compare what was used in the end with {limit}: was it more?"
    for limit in sorted(real.difference(said)):
        raise AssertionError(f"{limit} is missing; the last call that began went over it")


def _is_stops(thing: Any) -> bool:
    return (
        isinstance(thing, tuple)
        and len(thing) == 2
        and isinstance(thing[0], dict)
        and isinstance(thing[1], (set, frozenset, list, tuple))
    )


def _instead_of_stops(thing: Any, _: str) -> str:
    if isinstance(thing, tuple) and len(thing) == 2 and isinstance(thing[1], dict):
        return "`crossed` is a dict; `{}` is an empty dict, and an empty set is `set()`"
    return ""


WHERE_IT_STOPS = Exercise(
    id="9.1",
    title="Where does it stop?",
    thing="(asked, crossed)",
    wants="(asked, crossed): a dict of numbers by limit, and a set of limits",
    fits=Kind(_is_stops, _instead_of_stops),
    starter="""
asked = {0: 0, 9: 0, 10: 1, 34: 1, 35: 2, 36: 2, 70: 3}
crossed = set()
""",
    hints=[
        "Write down what is used after each turn: 10, then 35, then 70. A call may begin while what is used is less "
        "than the limit.",
        "The first try refuses a call that would not fit. But before a call, nobody knows how much it will use. Go "
        "through 9: used 0, is that less than 9? Then call 1 is made.",
        "A limit is crossed when more is used in the end than it allows. Reached exactly is not crossed.",
    ],
    solution="""
asked = {0: 0, 9: 1, 10: 1, 34: 2, 35: 2, 36: 3, 70: 3}
crossed = {9, 34, 36}
""",
    tests=[
        test_a_limit_that_is_reached_exactly_lets_no_further_call_begin,
        test_a_call_may_begin_while_one_token_is_left,
        test_the_output_of_a_turn_counts_too,
        test_a_limit_of_0_asks_nobody,
        test_what_suffices_for_all_turns_stops_none,
        test_crossed_holds_the_limits_that_were_really_crossed,
    ],
    mutants=[
        Mutant(
            "refuses the call that would not fit",
            "36: 3",
            "36: 2",
            "test_a_call_may_begin_while_one_token_is_left",
            "How much a call uses is known when it is answered, not before.",
        ),
        Mutant(
            "goes on at a limit that is reached",
            "10: 1",
            "10: 2",
            "test_a_limit_that_is_reached_exactly_lets_no_further_call_begin",
            "10 used, 10 allowed: nothing is left to begin with.",
        ),
        Mutant(
            "counts the input only",
            "9: 1",
            "9: 2",
            "test_the_output_of_a_turn_counts_too",
            "What the model writes is counted, and paid, as well.",
        ),
        Mutant(
            "has the first call for nothing",
            "{0: 0",
            "{0: 1",
            "test_a_limit_of_0_asks_nobody",
            "A guard that looks first when something was used has no say about the first call.",
        ),
        Mutant(
            "takes the limit for one of calls to come",
            "70: 3",
            "70: 2",
            "test_what_suffices_for_all_turns_stops_none",
            "Call 3 begins with 35 left, and uses them up exactly.",
        ),
        Mutant(
            "takes reached for crossed",
            "{9, 34, 36}",
            "{9, 10, 34, 35, 36, 70}",
            "test_crossed_holds_the_limits_that_were_really_crossed",
            "To use all that is allowed is allowed.",
        ),
        Mutant(
            "believes that a budget cannot be crossed",
            "{9, 34, 36}",
            "set()",
            "test_crossed_holds_the_limits_that_were_really_crossed",
            "The last call that began may go over; only the next one is refused.",
        ),
    ],
    world=world,
)


# ---- 9.2 ------------------------------------------------------------------------------------------------------------


def _raised_in(error: BaseException, function: str) -> bool:
    """Whether a function with this name, of a learner, was the last at work."""
    return traceback.extract_tb(error.__traceback__)[-1].name == function


def _guarded(make: Any, limit: int, script: Iterable[Any] = SCRIPT) -> tuple[Any, RunResult, int]:
    """Return a learner's guard after a run, what the run came to, and how often the model was asked."""
    guard = make(limit)
    try:
        result, provider = ran(guard, script)
    except Exception as error:
        if not _raised_in(error, "before_model"):
            raise
        raise AssertionError(
            f"before_model raised {exception_text(error)}; raise BudgetExceeded: `arun` knows no other"
        ) from None
    return guard, result, len(provider.calls)


def test_it_stops_where_the_limit_is_reached_exactly(make: Any) -> None:
    _, result, calls = _guarded(make, 12)
    expect((result.status, calls), ("over_budget", 1), "for 12 used of 12, status and calls:")


def test_a_call_may_begin_while_something_is_left(make: Any) -> None:
    expect(_guarded(make, 13)[2], 2, "for 12 used of 13, calls:")


def test_the_answer_that_crosses_the_limit_is_kept(make: Any) -> None:
    _, result, _ = _guarded(make, 13)
    expect((result.status, result.final), ("completed", "Tea costs 12."), "for 27 used of 13, status and answer:")


def test_it_adds_up_over_the_turns(make: Any) -> None:
    guard, _, _ = _guarded(make, 100)
    expect(guard.used, 27, "after 10 and 2, then 12 and 3, `used`:")


def test_tokens_from_a_cache_are_not_counted_twice(make: Any) -> None:
    usage = {**tokens(10, 2), "cache_read_input_tokens": 8}
    guard, _, _ = _guarded(make, 100, [reply("Hello.", usage)])
    expect(guard.used, 12, "for 10 in, 8 of which from a cache, and 2 out, `used`:")


@says("unknown usage is counted in `unknown`")
def test_unknown_usage_is_counted_as_unknown(make: Any) -> None:
    guard, result, _ = _guarded(make, 100, [reply([TEA]), reply("Tea costs 12.", tokens(12, 3))])
    expect(result.final, "Tea costs 12.", "the answer of a run whose first call told no usage:")
    expect((guard.used, guard.unknown), (15, 1), "`used` and `unknown`:")


def test_of_half_a_usage_the_known_half_counts(make: Any) -> None:
    guard, _, _ = _guarded(make, 100, [reply("Hello.", {"input_tokens": 5})])
    expect((guard.used, guard.unknown), (5, 1), "for 5 in and an unknown output, `used` and `unknown`:")


def test_a_limit_of_0_has_no_call_made(make: Any) -> None:
    expect(_guarded(make, 0)[2], 0, "for a limit of 0, calls:")


@says("once used up, it stays used up")
def test_once_used_up_it_stays_used_up(make: Any) -> None:
    guard, _, _ = _guarded(make, 12)
    for again in (2, 3):
        result, provider = ran(guard, SCRIPT)
        expect(
            (result.status, len(provider.calls)),
            ("over_budget", 0),
            f"run {again} with the same guard, status and calls:",
        )


def test_the_error_tells_limit_and_used(make: Any) -> None:
    _, result, _ = _guarded(make, 12)
    stop: Any = result.stopped_by
    assert stop is not None, "no BudgetExceeded stopped the run at its limit"
    expect((stop.limit_name, stop.limit, stop.used), ("tokens", 12, 12), "name, limit and used:")


TOKEN_GUARD = Exercise(
    id="9.2",
    title="A budget guard",
    thing="TokenGuard",
    wants="a class TokenGuard, made with TokenGuard(limit)",
    fits=lambda thing: isinstance(thing, type),
    starter="""
class TokenGuard:
    def __init__(self, limit):
        self.limit, self.used, self.unknown = limit, 0, 0

    def before_model(self):
        pass

    def after_model(self, response):
        self.used += sum(response.usage.values())
        if self.used > self.limit:
            raise BudgetExceeded("tokens", self.limit, self.used, "the next call")

    def before_tools(self, count):
        pass
""",
    hints=[
        "The first try raises when an answer has just arrived: the answer is paid for, and lost. Which method is "
        "called before the money is spent?",
        "Before a call: is as much used as is allowed? After it: only count. Count `input_tokens` and `output_tokens` "
        "by name; other entries are parts of these two.",
        '`told = [response.usage.get(name) for name in ("input_tokens", "output_tokens")]`. Add up what is not '
        "None. If a None is among them, `unknown` grows by one.",
    ],
    solution="""
class TokenGuard:
    def __init__(self, limit):
        self.limit, self.used, self.unknown = limit, 0, 0

    def before_model(self):
        if self.used >= self.limit:
            raise BudgetExceeded("tokens", self.limit, self.used, "the next call")

    def after_model(self, response):
        told = [response.usage.get(name) for name in ("input_tokens", "output_tokens")]
        self.used += sum(count for count in told if count is not None)
        self.unknown += None in told

    def before_tools(self, count):
        pass
""",
    tests=[
        test_it_stops_where_the_limit_is_reached_exactly,
        test_a_call_may_begin_while_something_is_left,
        test_the_answer_that_crosses_the_limit_is_kept,
        test_it_adds_up_over_the_turns,
        test_tokens_from_a_cache_are_not_counted_twice,
        test_unknown_usage_is_counted_as_unknown,
        test_of_half_a_usage_the_known_half_counts,
        test_a_limit_of_0_has_no_call_made,
        test_once_used_up_it_stays_used_up,
        test_the_error_tells_limit_and_used,
    ],
    mutants=[
        Mutant(
            "looks after the call too",
            "        self.unknown += None in told\n",
            "        self.unknown += None in told\n        if self.used > self.limit:\n"
            '            raise BudgetExceeded("tokens", self.limit, self.used, "this answer")\n',
            "test_the_answer_that_crosses_the_limit_is_kept",
            "The answer is there and paid for; who raises now throws it away and saves nothing.",
        ),
        Mutant(
            "lets one more call begin",
            "self.used >= self.limit",
            "self.used > self.limit",
            "test_it_stops_where_the_limit_is_reached_exactly",
            "12 of 12 are used, nothing is left; with > the next call begins all the same.",
        ),
        Mutant(
            "wants a reserve",
            "self.used >= self.limit",
            "self.used >= self.limit - 1",
            "test_a_call_may_begin_while_something_is_left",
            "A limit of 13 is then one of 12, and nobody was told.",
        ),
        Mutant(
            "takes unknown for zero",
            "self.unknown += None in told",
            "self.unknown += False",
            "test_unknown_usage_is_counted_as_unknown",
            "A model that tells nothing is then free, and the budget never stops it.",
        ),
        Mutant(
            "believes that usage is always told",
            "response.usage.get(name)",
            "response.usage[name]",
            "test_unknown_usage_is_counted_as_unknown",
            "A KeyError after the answer was paid for ends the run and loses the answer.",
        ),
        Mutant(
            "drops a half usage",
            "if count is not None)",
            "if None not in told)",
            "test_of_half_a_usage_the_known_half_counts",
            "Five tokens were certainly used; not to count them is to count them as zero.",
        ),
        Mutant(
            "adds up whatever stands in the usage",
            "sum(count for count in told if count is not None)",
            "sum(response.usage.values())",
            "test_tokens_from_a_cache_are_not_counted_twice",
            "Tokens from a cache are a part of the input tokens, not more of them.",
        ),
        Mutant(
            "keeps the newest usage only",
            "self.used += ",
            "self.used = ",
            "test_it_adds_up_over_the_turns",
            "Each call is paid for; that call 2 sends call 1 again makes it dearer, not included.",
        ),
        Mutant(
            "says it and goes on",
            "raise BudgetExceeded(",
            "print(",
            "test_it_stops_where_the_limit_is_reached_exactly",
            "A warning in the output stops no run.",
        ),
        Mutant(
            "lets the first call pass",
            "if self.used >= self.limit:",
            "if self.used and self.used >= self.limit:",
            "test_a_limit_of_0_has_no_call_made",
            "0 used of 0 is used up as well.",
        ),
        Mutant(
            "begins anew after it has refused",
            '            raise BudgetExceeded("tokens", self.limit, self.used, "the next call")\n',
            "            used, self.used = self.used, 0\n"
            '            raise BudgetExceeded("tokens", self.limit, used, "the next call")\n',
            "test_once_used_up_it_stays_used_up",
            "Who tries again then gets the whole budget once more.",
        ),
        Mutant(
            "mixes up limit and used",
            '"tokens", self.limit, self.used',
            '"tokens", self.used, self.limit + 1',
            "test_the_error_tells_limit_and_used",
            "Who reads the error decides by these numbers whether to raise the limit.",
        ),
    ],
    world=world,
)


# ---- 9.3 ------------------------------------------------------------------------------------------------------------

COFFEE = ToolCall("c3", "price", {"item": "coffee"})
ORDER = ToolCall("c4", "order", {"item": "no errors"})
UNKNOWN_TOOL = ToolCall("c5", "weather", {})


def events_of(script: Iterable[Any], *, budget: Budget | None = None) -> list[dict[str, Any]]:
    """Return the events of a run, however it ended."""
    trace = Trace(clock=TickingClock())
    with contextlib.suppress(Exception):
        ran(budget, script, trace=trace)
    return trace.events


def told(summary: Callable[[Any], Any], events: list[dict[str, Any]], name: str) -> Any:
    """Return an entry of a learner's summary."""
    made = summary(json.loads(json.dumps(events)))
    assert isinstance(made, dict), f"it returned {shown(made)}; return a dict"
    assert name in made, f"there is no {name!r} in it"
    return made[name]


@says("`status` says how the run ended")
def test_status_says_how_the_run_ended(summary: Any) -> None:
    cases: dict[str, tuple[list[Any], Any]]
    cases = {"completed": (SCRIPT, None), "over_budget": (SCRIPT, Budget(tokens=12)), "failed": ([ServerError()], None)}
    for status, (script, budget) in cases.items():
        expect(told(summary, events_of(script, budget=budget), "status"), status, "the status:")


@says('without an end the run is "unfinished"')
def test_without_an_end_the_run_is_unfinished(summary: Any) -> None:
    for until in (1, 2, -1):
        expect(told(summary, events_of(SCRIPT)[:until], "status"), "unfinished", "of a process that was killed:")


@says("`tokens` counts each token once")
def test_tokens_are_counted_once(summary: Any) -> None:
    expect(told(summary, events_of(SCRIPT), "tokens"), {"small-1": 27}, "10 and 2, then 12 and 3:")


def test_tokens_are_told_apart_by_model(summary: Any) -> None:
    large = [
        reply([TEA], tokens(10, 2), "large-1"),
        reply([CAKE], tokens(20, 1)),
        reply("Yes.", tokens(30, 4), "large-1"),
    ]
    expect(
        told(summary, events_of(large), "tokens"),
        {"large-1": 46, "small-1": 21},
        "two calls by one model, one by another:",
    )


def test_what_is_unknown_is_not_there(summary: Any) -> None:
    script = [reply([TEA], None, "silent-1"), reply("12.", tokens(12, 3))]
    expect(told(summary, events_of(script), "tokens"), {"small-1": 15}, "silent-1 told no usage:")


def test_a_zero_that_was_told_is_no_unknown(summary: Any) -> None:
    events = events_of([reply("12.", tokens(0, 0), "free-1")])
    expect(told(summary, events, "tokens"), {"free-1": 0}, "free-1 told 0 in and 0 out:")


@says("`failed` names the tools whose answer is an error")
def test_failed_names_the_tools_whose_answer_is_an_error(summary: Any) -> None:
    script = [reply([UNKNOWN_TOOL, TEA, COFFEE]), reply([COFFEE]), "Sorry."]
    expect(told(summary, events_of(script), "failed"), ["weather", "price", "price"], "in order:")


def test_a_result_that_speaks_of_errors_is_no_failure(summary: Any) -> None:
    events = events_of([reply([ORDER]), "Done."])
    expect(told(summary, events, "failed"), [], 'the tool answered "ordered no errors":')


@says("`dearest` is the number of the call with the most tokens")
def test_dearest_is_the_number_of_the_call(summary: Any) -> None:
    script = [reply([TEA], tokens(10, 2)), reply([CAKE], tokens(20, 30)), reply("12 and 8.", tokens(40, 3))]
    expect(told(summary, events_of(script), "dearest"), 2, "12, 50 and 43 tokens:")
    expect(told(summary, events_of(script[:1]), "dearest"), 1, "one call that was answered:")


def test_where_nothing_is_known_no_call_is_the_dearest(summary: Any) -> None:
    expect(told(summary, events_of([reply([TEA]), "12."]), "dearest"), None, "no call told its usage:")


SUMMARY = Exercise(
    id="9.3",
    title="Read a trace",
    thing="summary",
    wants="a function summary(events)",
    fits=is_plain_function,
    starter="""
def summary(events):
    tokens, failed, most, dearest = {}, [], 0, None
    for event in events:
        used = sum(event.get(f"gen_ai.usage.{kind}_tokens", 0) for kind in ("input", "output"))
        model = event.get("gen_ai.response.model", "")
        tokens[model] = tokens.get(model, 0) + used
    return {"status": events[-1]["event"], "tokens": tokens, "failed": failed, "dearest": dearest}
""",
    hints=[
        "Which events carry usage? Two kinds do: one per call, and one with the sum. Take each token once.",
        'Go by kind: `"model_answered"` for tokens and dearest, `"tool_answered"` for failed, `"run_ended"` for the '
        'status. Begin with the status "unfinished".',
        'A failed tool has `"error.type"` in its event. A model told its usage when one of the two usage keys is in '
        'the event: a told 0 stays in, what is unknown is left out. The call\'s number is `event["minagent.call"]`.',
    ],
    solution="""
def summary(events):
    tokens, failed, most, dearest, status = {}, [], 0, None, "unfinished"
    for event in events:
        if event["event"] == "model_answered":
            keys = [f"gen_ai.usage.{kind}_tokens" for kind in ("input", "output")]
            told = [event[key] for key in keys if key in event]
            model = event.get("gen_ai.response.model", "")
            if told:
                tokens[model] = tokens.get(model, 0) + sum(told)
            if sum(told) > most:
                most, dearest = sum(told), event["minagent.call"]
        elif event["event"] == "tool_answered" and "error.type" in event:
            failed.append(event["gen_ai.tool.name"])
        elif event["event"] == "run_ended":
            status = event["minagent.status"]
    return {"status": status, "tokens": tokens, "failed": failed, "dearest": dearest}
""",
    tests=[
        test_status_says_how_the_run_ended,
        test_without_an_end_the_run_is_unfinished,
        test_tokens_are_counted_once,
        test_tokens_are_told_apart_by_model,
        test_what_is_unknown_is_not_there,
        test_a_zero_that_was_told_is_no_unknown,
        test_failed_names_the_tools_whose_answer_is_an_error,
        test_a_result_that_speaks_of_errors_is_no_failure,
        test_dearest_is_the_number_of_the_call,
        test_where_nothing_is_known_no_call_is_the_dearest,
    ],
    mutants=[
        Mutant(
            "adds the sum of the run as well",
            'if event["event"] == "model_answered":',
            'if "gen_ai.usage.input_tokens" in event:',
            "test_tokens_are_counted_once",
            "The last event repeats in one sum what the calls have told one by one.",
        ),
        Mutant(
            "writes zero for unknown",
            "if told:",
            "if True:",
            "test_what_is_unknown_is_not_there",
            "A zero in a report is read as: this model costs nothing.",
        ),
        Mutant(
            "takes zero for unknown",
            "if told:",
            "if sum(told):",
            "test_a_zero_that_was_told_is_no_unknown",
            "Who says 0 has said something; a report without it reads as if nobody knew.",
        ),
        Mutant(
            "counts the input only",
            '("input", "output")',
            '("input",)',
            "test_tokens_are_counted_once",
            "What the model writes counts too, and is often the dearer part.",
        ),
        Mutant(
            "keeps the last call of each model",
            "tokens[model] = tokens.get(model, 0) + sum(told)",
            "tokens[model] = sum(told)",
            "test_tokens_are_told_apart_by_model",
            "A model that answers twice is paid twice.",
        ),
        Mutant(
            "looks for a word in the result",
            '"error.type" in event',
            '"error" in event["gen_ai.tool.call.result"]',
            "test_a_result_that_speaks_of_errors_is_no_failure",
            "A result is free text; whether it is an error stands in a field of its own.",
        ),
        Mutant(
            "takes the id for the tool",
            'failed.append(event["gen_ai.tool.name"])',
            'failed.append(event["gen_ai.tool.call.id"])',
            "test_failed_names_the_tools_whose_answer_is_an_error",
            "An id pairs a call with its result; it does not say which tool it was.",
        ),
        Mutant(
            "takes the newest call for the dearest",
            "if sum(told) > most:",
            "if sum(told) > 0:",
            "test_dearest_is_the_number_of_the_call",
            "The history grows with each call, and yet a long answer earlier on may cost more.",
        ),
        Mutant(
            "counts the calls from 0",
            'sum(told), event["minagent.call"]',
            'sum(told), event["minagent.call"] - 1',
            "test_dearest_is_the_number_of_the_call",
            "In a trace and in the stepper, the first call is call 1.",
        ),
        Mutant(
            "takes a trace without an end for a good one",
            '"unfinished"',
            '"completed"',
            "test_without_an_end_the_run_is_unfinished",
            "The process may have been killed in the middle; nothing says that it came to an end.",
        ),
        Mutant(
            "knows two ways to end",
            'status = event["minagent.status"]',
            'status = "failed" if "error.type" in event else "completed"',
            "test_status_says_how_the_run_ended",
            "A run over its budget is no failure: it did as it was told.",
        ),
    ],
    world=world,
)


# ---- 9.4 ------------------------------------------------------------------------------------------------------------

GUARD_SOURCE = """
class Guard:
    def __init__(self, limit):
        self.limit, self.used = limit, 0

    def before_model(self):
        pass

    def after_model(self, response):
        pass

    def before_tools(self, count):
        if self.used + count > self.limit:
            raise BudgetExceeded("tool_calls", self.limit, self.used, f"{count} tool calls")
        self.used += count
"""
IF_TOO_MANY = """        if self.used + count > self.limit:
            raise BudgetExceeded("tool_calls", self.limit, self.used, f"{count} tool calls")
        self.used += count
"""

BROKEN = [
    Broken(
        "reports only at the next call of the model",
        "        pass\n\n    def after_model(self, response):\n        pass\n\n    def before_tools(self, count):\n"
        + IF_TOO_MANY,
        "        if self.used > self.limit:\n"
        '            raise BudgetExceeded("tool_calls", self.limit, self.used, "the next call")\n'
        "\n    def after_model(self, response):\n        pass\n\n    def before_tools(self, count):\n"
        "        self.used += count\n",
        "By then everything is ordered: that is an alarm.",
    ),
    Broken(
        "looks at what was used, and not at what is wanted",
        "if self.used + count > self.limit:",
        "if self.used > self.limit:",
        "The first batch always passes, however large it is.",
    ),
    Broken(
        "says so and lets them run",
        "raise BudgetExceeded(",
        "self.warning = (",
        "A warning stops nothing.",
    ),
    Broken(
        "forgets what earlier turns have used",
        "self.used += count",
        "self.used = 0",
        "Each turn gets the whole budget anew.",
    ),
    Broken(
        "counts turns instead of tool calls",
        "if self.used + count > self.limit:",
        "count = 1\n        if self.used + count > self.limit:",
        "Three calls in one turn are three orders.",
    ),
    Broken(
        "refuses what would just fit",
        "if self.used + count > self.limit:",
        "if self.used + count >= self.limit:",
        "Two of two are allowed; a limit may be reached exactly.",
    ),
]

made_guard = partial(made, thing="Guard", world=world)

CHECK_GUARD = Exercise(
    id="9.4",
    title="The test that finds an alarm",
    thing="check_guard",
    wants="an async function check_guard(Guard), your test",
    fits=is_async_function,
    starter="""
async def check_guard(Guard):
    ordered.clear()
    batch = [ToolCall(f"c{n}", "order", {"item": "tea"}) for n in (1, 2, 3)]
    result = await arun(FakeModelProvider([batch, "Done."]), registry, "Three teas!", budget=Guard(2))
    assert result.status == "over_budget"
""",
    hints=[
        "An alarm has the right status too, only later. What did the run do in the world? Look into `ordered`.",
        "One run is not enough. What should a batch of two do with a limit of two? And two turns, of one order and of "
        "two?",
        "Three runs, each with a new `Guard(2)` and after `ordered.clear()`: [3 orders] leaves 0, [2 orders] leaves 2, "
        "[1 order], [2 orders] leaves 1. Assert the number in `ordered` each time.",
    ],
    solution="""
async def check_guard(Guard):
    def orders(*ids):
        return [ToolCall(id, "order", {"item": "tea"}) for id in ids]

    async def ordered_by(*turns):
        ordered.clear()
        await arun(FakeModelProvider([*turns, "Done."]), registry, "Teas!", budget=Guard(2))
        return len(ordered)

    assert await ordered_by(orders("c1", "c2", "c3")) == 0, "three at once"
    assert await ordered_by(orders("c1", "c2")) == 2, "two of two"
    assert await ordered_by(orders("c1"), orders("c2", "c3")) == 1, "one, then two"
""",
    tests=judge(
        {
            "the package's Budget": lambda: lambda limit: Budget(tool_calls=limit),
            "a correct guard by hand": lambda: made_guard(GUARD_SOURCE),
        },
        BROKEN,
        GUARD_SOURCE,
        made_guard,
        "guard",
    ),
    wrong_tests=[
        WrongTest(
            "looks at the status",
            """
async def check_guard(Guard):
    batch = [ToolCall(f"c{n}", "order", {"item": "tea"}) for n in (1, 2, 3)]
    result = await arun(FakeModelProvider([batch, "Done."]), registry, "Three teas!", budget=Guard(2))
    assert result.status == "over_budget"
""",
            "rejects a guard that reports only at the next call of the model",
            "The alarm says the same, after three orders.",
        ),
        WrongTest(
            "tries one batch",
            """
async def check_guard(Guard):
    ordered.clear()
    batch = [ToolCall(f"c{n}", "order", {"item": "tea"}) for n in (1, 2, 3)]
    await arun(FakeModelProvider([batch, "Done."]), registry, "Three teas!", budget=Guard(2))
    assert ordered == []
""",
            "rejects a guard that forgets what earlier turns have used",
            "A guard without a memory is right in its first turn.",
        ),
        WrongTest(
            "never tries what is allowed",
            """
async def check_guard(Guard):
    for turns, left in [((3,), 0), ((1, 2), 1)]:
        ordered.clear()
        script = [[ToolCall(f"t{n}c{k}", "order", {"item": "tea"}) for k in range(many)] for n, many in enumerate(turns)]
        await arun(FakeModelProvider([*script, "Done."]), registry, "Teas!", budget=Guard(2))
        assert len(ordered) == left
""",
            "rejects a guard that refuses what would just fit",
            "A guard that is too strict does no damage, and no work either.",
        ),
        WrongTest(
            "forgets to empty the list",
            """
async def check_guard(Guard):
    for many, wanted in [(2, 2), (3, 0)]:
        batch = [ToolCall(f"c{n}", "order", {"item": "tea"}) for n in range(many)]
        await arun(FakeModelProvider([batch, "Done."]), registry, "Teas!", budget=Guard(2))
        assert len(ordered) == wanted
""",
            "accepts the package's Budget",
            "What an earlier run has ordered still stands in the list, and an honest guard is accused.",
        ),
    ],
    world=world,
)

EXERCISES = (WHERE_IT_STOPS, TOKEN_GUARD, SUMMARY, CHECK_GUARD)

PREDICTIONS: tuple[Question, ...] = (
    Question(
        "Turn 1 uses 10 and 2, turn 2 would use 12 and 3. The limit is 13 tokens. What happens?",
        [
            Choice(
                "Call 2 is not made: it would not fit.",
                False,
                "Before a call, nobody knows how much it will use. One token is left, so it may begin.",
            ),
            Choice(
                "Call 2 is made; its answer is thrown away, because it crosses the limit.",
                False,
                "The tokens are used either way. To throw the answer away saves nothing.",
            ),
            Choice(
                "Call 2 is made, its answer is kept; a third call would be refused.",
                True,
                "What is paid for is kept. The guard has its say before the next call.",
            ),
        ],
    ),
    Question(
        "This model asks for tea 8 times and tells no usage: {}. The guard's limit is 12 tokens. "
        "Does `assert guard.used <= 12` hold after the run?",
        [
            Choice(
                "No: 8 calls use more than 12.",
                False,
                "They surely do. But the guard adds up what it is told, and it is told nothing.",
            ),
            Choice(
                "Yes, and the run was never stopped.",
                True,
                "0 of 12 after nine calls. The test is green, and it has tested nothing.",
            ),
            Choice(
                "Yes: the guard stopped the run in time.",
                False,
                "It never stopped anything. All nine calls were made.",
            ),
        ],
    ),
    Question(
        "The same three orders in one turn, now with Budget(tool_calls=2). What is ordered?",
        [
            Choice(
                "Nothing.",
                True,
                "The tools of a turn belong together, so they are refused together, before the first one runs.",
            ),
            Choice(
                "The first two.",
                False,
                "Which two of three are the right ones? Only the model knows; half a turn may be worse than none.",
            ),
            Choice(
                "All three, and then the run ends.",
                False,
                "So it was with the alarm. A budget looks before the tools begin.",
            ),
        ],
    ),
)

QUIZ = Quiz(
    "09",
    [
        Question(
            "A script without any usage, a limit of 100 tokens, a test that the run was not stopped. It is green. Why?",
            [
                Choice(
                    "The run uses fewer than 100 tokens, as short runs do.",
                    False,
                    "Nobody knows what it uses; it was never told.",
                ),
                Choice(
                    "A fake model costs nothing.",
                    False,
                    "It costs nothing and still has to tell what a real one would.",
                ),
                Choice(
                    "Nothing was counted, so nothing could be stopped.",
                    True,
                    "A false green. Script the usage, or let the budget be strict.",
                ),
            ],
        ),
        Question(
            "25 tokens are allowed, 24 are used. The next call will use about 1,000. What does a budget do?",
            [
                Choice(
                    "It lets the call begin, and refuses the one after it.",
                    True,
                    "It does not know the 1,000, and it keeps the answer. A limit bounds when calls begin; leave room for one call.",
                ),
                Choice(
                    "It refuses the call: 1,000 are more than what is left.",
                    False,
                    "That takes a guess at what a call will use, and a guess is no count.",
                ),
                Choice("It stops the call in the middle.", False, "Usage comes with the response, when all is over."),
            ],
        ),
        Question(
            "In a trace, a run has run_started and model_asked, and then nothing. What do you know?",
            [
                Choice(
                    "The model failed, and with it the run.",
                    False,
                    "Then there would be model_failed, and run_ended with the status failed.",
                ),
                Choice("The run was cancelled.", False, "A run that is cancelled ends with one event that says so."),
                Choice(
                    "The run is still going on.", False, "Perhaps. Or its process was killed; the trace cannot tell."
                ),
                Choice(
                    "Only that nobody wrote its end.",
                    True,
                    "It goes on, or its process was killed. Every other end writes exactly one run_ended.",
                ),
            ],
        ),
        Question(
            "You open a trace in the stepper and press Next five times. What does that cost?",
            [
                Choice("Five calls of the model.", False, "No model is asked; the answers stand in the trace."),
                Choice(
                    "Nothing: neither the model nor a tool is called.",
                    True,
                    "What the tools answered stands in the trace as well.",
                ),
                Choice(
                    "Nothing for the model, but the tools run once more.",
                    False,
                    "So it is with a fixture (chapter 06). A trace holds the results too.",
                ),
            ],
        ),
        Question(
            "Two of three calls have a price; the third was answered by a model that is not in the table. "
            "What did the run cost?",
            [
                Choice(
                    "The two prices together.", False, "That is the least it can have cost, and reads like the whole."
                ),
                Choice(
                    "It is not known: None.",
                    True,
                    "One unknown part makes the sum unknown. The two can still be told one by one.",
                ),
                Choice(
                    "The two, and the third at the price of the dearest.",
                    False,
                    "A guess may be useful; it has to be called one.",
                ),
            ],
        ),
    ],
)

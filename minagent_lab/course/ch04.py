"""Chapter 04, when it goes wrong: predictions, exercises and quiz."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import partial
from typing import Any

from minagent_lab import (
    FakeModel,
    MaxStepsExceeded,
    Message,
    ModelResponse,
    RunResult,
    ScriptExhausted,
    Tool,
    ToolRegistry,
    run,
)
from minagent_lab.course import shop
from minagent_lab.course.exercise import Exercise, Mutant, WrongTest, is_function, made, says
from minagent_lab.course.expecting import expect
from minagent_lab.course.judging import Broken, judge
from minagent_lab.course.quiz import Choice, Question, Quiz
from minagent_lab.course.shop import CAKE, ONE_ITEM, PRICES, TEA
from minagent_lab.messages import ToolCall
from minagent_lab.values import a_kind

TITLE = "When it goes wrong"


def world() -> dict[str, Any]:
    """Return the names that the chapter's first cells define."""
    return {**shop.world(), "tea": TEA}


def _ended(script: Any, max_steps: int = 3) -> RunResult | MaxStepsExceeded | ScriptExhausted:
    """Return the result of a run, or the guard rail that ended it."""
    try:
        return run(FakeModel(script), shop.shop(), "What does tea cost?", max_steps=max_steps)
    except (MaxStepsExceeded, ScriptExhausted) as error:
        return error


def _result(script: Any) -> RunResult:
    """Return the result of a run, or the one that its guard rail carries."""
    end = _ended(script)
    result = end if isinstance(end, RunResult) else end.result
    assert result is not None
    return result


# ---- 4.1 ------------------------------------------------------------------------------------------------------------


STATUSES = ("completed", "truncated", "max_steps", "exhausted")


def _end_of(scripts: Any, key: str) -> RunResult:
    assert key in scripts, f"there is no script for it; {key!r} is one of the four statuses"
    result = _result(scripts[key])
    expect(result.status, key, "the run's status:")
    return result


def test_completed_comes_from_a_whole_answer(scripts: Any) -> None:
    assert _end_of(scripts, "completed").final, "its answer is empty; write a text"


def test_truncated_comes_from_a_cut_answer(scripts: Any) -> None:
    _end_of(scripts, "truncated")


@says("max_steps comes from a limit that the script outlives")
def test_max_steps_comes_from_a_limit_that_the_script_outlives(scripts: Any) -> None:
    _end_of(scripts, "max_steps")


def test_exhausted_comes_from_a_script_that_ends_before_the_limit(scripts: Any) -> None:
    _end_of(scripts, "exhausted")


def test_each_of_them_runs_a_tool_first(scripts: Any) -> None:
    for key, script in scripts.items():
        assert key in STATUSES, f"{key!r} is none of the four statuses: {', '.join(STATUSES)}"
        worked = [s for s in _result(script).steps if s.kind == "tool_call" and s.result and not s.result.error]
        assert worked, f"the run of {key!r} ends before a tool has given a result"


ENDINGS = Exercise(
    id="4.1",
    title="Four endings",
    thing="scripts",
    wants="a dict of four scripts, by status",
    fits=lambda thing: isinstance(thing, dict),
    starter="""
scripts = {
    "completed": [[tea], "Tea costs 12."],
    "truncated": [[tea], "Tea costs"],
    "max_steps": [[tea], [tea]],
    "exhausted": [[tea], [tea], [tea]],
}
""",
    hints=[
        "A text in a script is always a whole answer, however it reads. Which kind of item carries a stop reason?",
        "With max_steps=3 the model is asked 3 times at most. Which scripts can be used up before a fourth question?",
        'A cut answer is ModelResponse(Message("assistant", "Tea costs"), "max_tokens"). Then look at the last two '
        "scripts of the first try: is each of them too long, or too short?",
    ],
    solution="""
scripts = {
    "completed": [[tea], "Tea costs 12."],
    "truncated": [[tea], ModelResponse(Message("assistant", "Tea costs"), "max_tokens")],
    "max_steps": [[tea], [tea], [tea]],
    "exhausted": [[tea]],
}
""",
    tests=[
        test_completed_comes_from_a_whole_answer,
        test_truncated_comes_from_a_cut_answer,
        test_max_steps_comes_from_a_limit_that_the_script_outlives,
        test_exhausted_comes_from_a_script_that_ends_before_the_limit,
        test_each_of_them_runs_a_tool_first,
    ],
    mutants=[
        Mutant(
            "takes half a text for a cut one",
            'ModelResponse(Message("assistant", "Tea costs"), "max_tokens")',
            '"Tea costs"',
            "test_truncated_comes_from_a_cut_answer",
            "What makes an answer cut is its stop reason, not its words.",
        ),
        Mutant(
            "cuts a tool call instead of an answer",
            'Message("assistant", "Tea costs")',
            'Message("assistant", "", [tea])',
            "test_truncated_comes_from_a_cut_answer",
            "A cut call gets an error as its result and the run goes on; only a cut answer ends it as truncated.",
        ),
        Mutant(
            "gives no reason for the cut",
            ', "max_tokens")',
            ")",
            "test_truncated_comes_from_a_cut_answer",
            "Without another word the stop reason is end_turn, so the answer counts as whole.",
        ),
        Mutant(
            "writes one call too few for the limit",
            '"max_steps": [[tea], [tea], [tea]]',
            '"max_steps": [[tea], [tea]]',
            "test_max_steps_comes_from_a_limit_that_the_script_outlives",
            "Two items are used up at the third question, which the limit still allows.",
        ),
        Mutant(
            "answers with the last call allowed",
            '"max_steps": [[tea], [tea], [tea]]',
            '"max_steps": [[tea], [tea], "Tea costs 12."]',
            "test_max_steps_comes_from_a_limit_that_the_script_outlives",
            "The last call allowed may be the answer, and then all is well.",
        ),
        Mutant(
            "lets the limit come first",
            '"exhausted": [[tea]]',
            '"exhausted": [[tea], [tea], [tea]]',
            "test_exhausted_comes_from_a_script_that_ends_before_the_limit",
            "A script notices that it is used up when it is asked once more, and the limit forbids that.",
        ),
        Mutant(
            "has no items at all",
            '"exhausted": [[tea]]',
            '"exhausted": []',
            "test_each_of_them_runs_a_tool_first",
            "It is exhausted, but no agent was at work: nothing happened that one could look at.",
        ),
        Mutant(
            "completes with an empty text",
            '"Tea costs 12."',
            '""',
            "test_completed_comes_from_a_whole_answer",
            "The status says that the model had finished; whether it said anything, only the text tells.",
        ),
    ],
    world=world,
)


# ---- 4.2 ------------------------------------------------------------------------------------------------------------

SEARCH = ToolCall("c4", "search", {"q": "tea"})
MISFIT = ToolCall("c5", "price", {"itm": "tea"})
COFFEE = ToolCall("c6", "price", {"item": "coffee"})
HALF = ModelResponse(Message("assistant", "Tea costs 1"), "max_tokens")
CUT_CALL = ModelResponse(Message("assistant", "", [TEA]), "max_tokens")


def test_a_whole_answer_is_healthy(diagnose: Any) -> None:
    for script in (["Hello."], [[TEA], "Tea costs 12."], [[TEA, CAKE], "12 and 8."]):
        expect(diagnose(_ended(script)), "healthy", f"for the script {_shown(script)}")


def test_a_tool_that_failed_is_no_drift(diagnose: Any) -> None:
    expect(diagnose(_ended([[COFFEE], "We have no coffee."])), "healthy", "when the shop has no coffee,")


@says("a cut answer is truncated, even an empty one")
def test_a_cut_answer_is_truncated_even_an_empty_one(diagnose: Any) -> None:
    empty = ModelResponse(Message("assistant", ""), "max_tokens")
    for cut in (HALF, empty):
        expect(diagnose(_ended([[TEA], cut])), "truncated", f"for the answer {cut.message.content!r}, cut,")


def test_a_cut_call_is_truncated_although_the_run_completes(diagnose: Any) -> None:
    expect(diagnose(_ended([CUT_CALL, [TEA], "12"], 4)), "truncated", "for a run with a cut call")
    expect(diagnose(_ended([[TEA], CUT_CALL, "12"], 4)), "truncated", "for a whole call and then a cut one")


@says("a cut comes first, whatever else happened")
def test_a_cut_comes_first_whatever_else_happened(diagnose: Any) -> None:
    expect(diagnose(_ended([[SEARCH], HALF])), "truncated", "for a drift and then a cut answer")
    expect(diagnose(_ended([[SEARCH], CUT_CALL, "12"], 4)), "truncated", "for a drift and then a cut call")


def test_an_error_is_asked_for_the_result_that_it_carries(diagnose: Any) -> None:
    expect(diagnose(_ended([[TEA]] * 9)), "over the limit", "for MaxStepsExceeded")
    expect(diagnose(_ended([[TEA]])), "script used up", "for ScriptExhausted")


def test_a_partial_result_says_the_same_as_its_error(diagnose: Any) -> None:
    for script, name in (([[TEA]] * 9, "over the limit"), ([[TEA]], "script used up")):
        expect(diagnose(_result(script)), name, "for the result alone")


def test_drift_is_seen_although_the_run_completes(diagnose: Any) -> None:
    expect(diagnose(_ended([[SEARCH], "I do not know."])), "format drift", "for an unknown tool")
    expect(diagnose(_ended([[MISFIT], "I do not know."])), "format drift", "for arguments that do not fit")
    expect(diagnose(_ended([[SEARCH], [TEA], "12"])), "format drift", "for a drift that is made good,")
    expect(diagnose(_ended([[COFFEE], [SEARCH], "12"])), "format drift", "for a tool that failed and then a drift")


def test_drift_without_end_is_drift(diagnose: Any) -> None:
    expect(diagnose(_ended([[SEARCH]] * 9)), "format drift", "for the same drift until max_steps,")
    expect(diagnose(_ended([[MISFIT]])), "format drift", "for a drift at which the script ends,")


def _shown(script: Any) -> str:
    return f"with {len(script)} item{'s' * (len(script) != 1)}"


DIAGNOSIS = Exercise(
    id="4.2",
    title="The diagnosis",
    thing="diagnose",
    wants="a function diagnose(end)",
    fits=is_function,
    starter="""
def diagnose(end):
    if end.status == "truncated":
        return "truncated"
    if end.status == "max_steps":
        return "over the limit"
    return "healthy"
""",
    hints=[
        'An error has no status, but the result that it carries has one. `getattr(end, "result", end)` is `end.result` '
        "where there is such a thing, else `end` itself.",
        'Collect the errors of the tool calls: `{s.result.error for s in result.steps if s.kind == "tool_call"}`. Which '
        "of them mean a cut, which mean drift, and which means neither?",
        "The order decides: first what is truncated, then drift, then the two guard rails by status, and health last.",
    ],
    solution="""
def diagnose(end):
    result = getattr(end, "result", end)
    errors = {s.result.error for s in result.steps if s.kind == "tool_call"}
    if result.status == "truncated" or "not_run" in errors:
        return "truncated"
    if "unknown_tool" in errors or "invalid_arguments" in errors:
        return "format drift"
    if result.status == "max_steps":
        return "over the limit"
    if result.status == "exhausted":
        return "script used up"
    return "healthy"
""",
    tests=[
        test_a_whole_answer_is_healthy,
        test_a_tool_that_failed_is_no_drift,
        test_a_cut_answer_is_truncated_even_an_empty_one,
        test_a_cut_call_is_truncated_although_the_run_completes,
        test_a_cut_comes_first_whatever_else_happened,
        test_an_error_is_asked_for_the_result_that_it_carries,
        test_a_partial_result_says_the_same_as_its_error,
        test_drift_is_seen_although_the_run_completes,
        test_drift_without_end_is_drift,
    ],
    mutants=[
        Mutant(
            "expects a result, never an error",
            'getattr(end, "result", end)',
            "end",
            "test_an_error_is_asked_for_the_result_that_it_carries",
            "A guard rail is an exception; status and steps belong to the result that it carries.",
        ),
        Mutant(
            "expects an error, never a result",
            'getattr(end, "result", end)',
            "end.result",
            "test_a_whole_answer_is_healthy",
            "Only errors have a result inside; a run that returned is the result.",
        ),
        Mutant(
            "takes an empty answer for the only cut one",
            'result.status == "truncated"',
            'result.final == ""',
            "test_a_cut_answer_is_truncated_even_an_empty_one",
            "Half an answer is cut too and may read like a whole one; the status knows, the text does not.",
        ),
        Mutant(
            "overlooks cut calls",
            ' or "not_run" in errors',
            "",
            "test_a_cut_call_is_truncated_although_the_run_completes",
            "After a cut call the run goes on, so its status tells nothing of the cut; the steps do.",
        ),
        Mutant(
            "looks only at the first error",
            """    errors = {s.result.error for s in result.steps if s.kind == "tool_call"}\n""",
            """    errors = [s.result.error for s in result.steps if s.kind == "tool_call" and s.result.error][:1]\n""",
            "test_drift_is_seen_although_the_run_completes",
            "One run can go wrong in several ways; the first error may be the harmless one.",
        ),
        Mutant(
            "asks for drift before the cut",
            """    if result.status == "truncated" or "not_run" in errors:
        return "truncated"
    if "unknown_tool" in errors or "invalid_arguments" in errors:
        return "format drift"
""",
            """    if "unknown_tool" in errors or "invalid_arguments" in errors:
        return "format drift"
    if result.status == "truncated" or "not_run" in errors:
        return "truncated"
""",
            "test_a_cut_comes_first_whatever_else_happened",
            "The drift may have been made good, and the answer at the end is still half of one.",
        ),
        Mutant(
            "looks only for unknown tools",
            '"unknown_tool" in errors or "invalid_arguments" in errors',
            '"unknown_tool" in errors',
            "test_drift_is_seen_although_the_run_completes",
            "A right name with wrong arguments misses the form as well.",
        ),
        Mutant(
            "calls every error a drift",
            'if "unknown_tool" in errors or "invalid_arguments" in errors:',
            "if errors - {None}:",
            "test_a_tool_that_failed_is_no_drift",
            "A tool that was found, given what it wants, and failed is no fault of the form.",
        ),
        Mutant(
            "sees drift only in runs that complete",
            'if "unknown_tool" in errors or "invalid_arguments" in errors:',
            'if result.status == "completed" and errors & {"unknown_tool", "invalid_arguments"}:',
            "test_drift_without_end_is_drift",
            "The guard rail is how it ended; the drift is why, and it is what can be repaired.",
        ),
        Mutant(
            "looks only at the last step",
            "for s in result.steps if",
            "for s in result.steps[-2:] if",
            "test_drift_is_seen_although_the_run_completes",
            "A drift that is made good lies further back, and it has cost a call.",
        ),
        Mutant(
            "knows one guard rail only",
            'result.status == "exhausted"',
            'result.status == "script"',
            "test_an_error_is_asked_for_the_result_that_it_carries",
            "Two guard rails have two statuses: max_steps and exhausted.",
        ),
    ],
    world=world,
)


# ---- 4.3 ------------------------------------------------------------------------------------------------------------

GUARD_SOURCE = """
def guarded(model, registry, prompt, *, system=None, max_steps=10):
    messages = [] if system is None else [Message("system", system)]
    messages.append(Message("user", prompt))
    steps = []
    for _ in range(max_steps):
        reply = model.complete(messages, registry.schemas())
        messages.append(reply.message)
        if not reply.message.tool_calls:
            steps.append(Step("final", reply.message.content))
            return RunResult(reply.message.content, steps, messages, {}, "completed")
        for call in reply.message.tool_calls:
            result = registry.use(call.name, call.arguments)
            messages.append(Message("tool", result.content, tool_call_id=call.id))
            steps.append(Step("tool_call", "a tool was used", call, result))
    raise MaxStepsExceeded(max_steps, RunResult("", steps, messages, {}, "max_steps"))
"""

RAISE = 'raise MaxStepsExceeded(max_steps, RunResult("", steps, messages, {}, "max_steps"))'

BROKEN = [
    Broken(
        "returns an empty answer at the limit",
        RAISE,
        'return RunResult("", steps, messages, {}, "completed")',
        "It swallows the guard rail, and whoever called it believes that all is well.",
    ),
    Broken(
        "returns the last tool result as the answer",
        RAISE,
        'return RunResult(messages[-1].content, steps, messages, {}, "completed")',
        "It makes an answer that no model gave, which is harder to notice than an empty one.",
    ),
    Broken(
        "has no limit of its own",
        "in range(max_steps)",
        "in iter(int, 1)",
        "A fake's script ends it with a RuntimeError too, so a test must ask which one.",
    ),
    Broken(
        "asks once more than allowed",
        "in range(max_steps)",
        "in range(max_steps + 1)",
        "It does raise, one question late; only counting the calls shows it.",
    ),
    Broken(
        "asks once less than allowed",
        "in range(max_steps)",
        "in range(max_steps - 1)",
        "An answer that comes with the last call allowed is lost.",
    ),
    Broken(
        "refuses an answer that comes with the last call allowed",
        "        if not reply.message.tool_calls:\n",
        "        if not reply.message.tool_calls and len(steps) < max_steps - 1:\n",
        "Endless scripts never show it; only a script that answers just in time does.",
    ),
    Broken(
        "loses the partial result",
        'RunResult("", steps, messages, {}, "max_steps")',
        'RunResult("", [], [], {}, "max_steps")',
        "The right error comes, but nobody can look up what repeated.",
    ),
    Broken(
        "takes a used-up script for an answer",
        "        reply = model.complete(messages, registry.schemas())\n",
        "        try:\n"
        "            reply = model.complete(messages, registry.schemas())\n"
        "        except RuntimeError:\n"
        '            return RunResult("", steps, messages, {}, "completed")\n',
        "The other guard rail is swallowed, so a test with a script that is too short passes.",
    ),
]

made_guard = partial(made, thing="guarded", world=world)

GUARD_TEST = Exercise(
    id="4.3",
    title="Write the test",
    thing="check_guard",
    wants="a function check_guard(run), your test",
    fits=is_function,
    starter="""
def check_guard(run):
    model = FakeModel([[tea]])
    with expect_error(RuntimeError):
        run(model, registry, "What does tea cost?", max_steps=3)
""",
    hints=[
        "Both guard rails are a RuntimeError, and a script with one item meets the other one. Take `[[tea]] * 9`, and "
        "expect `MaxStepsExceeded` by its name.",
        "How often was the model asked? `len(model.calls)`. And what does the error carry? For that, write "
        "`except MaxStepsExceeded as error:` and look at `error.result.steps`.",
        "Three runs: one that never answers, one that answers with call 3 of 3, one whose script is used up. In each of "
        "them `else: raise AssertionError(...)`, or `expect_error`, notices that nothing was raised.",
    ],
    solution="""
def check_guard(run):
    model = FakeModel([[tea]] * 9)
    try:
        run(model, registry, "What does tea cost?", max_steps=3)
    except MaxStepsExceeded as error:
        assert len(error.result.steps) == 3, "the partial result is lost"
    except RuntimeError:
        raise AssertionError("another guard rail than max_steps")
    else:
        raise AssertionError("the guard rail was swallowed")
    assert len(model.calls) == 3
    just_in_time = FakeModel([[tea], [tea], "Tea costs 12."])
    try:
        assert run(just_in_time, registry, "What does tea cost?", max_steps=3).final == "Tea costs 12."
    except RuntimeError:
        raise AssertionError("an answer with the last call allowed is an answer")
    with expect_error(ScriptExhausted):
        run(FakeModel([[tea]]), registry, "What does tea cost?", max_steps=3)
""",
    tests=judge(
        {"the package's loop": lambda: run, "another correct loop": lambda: made_guard(GUARD_SOURCE)},
        BROKEN,
        GUARD_SOURCE,
        made_guard,
        "loop",
    ),
    wrong_tests=[
        WrongTest(
            "meets the other guard rail",
            """
def check_guard(run):
    with expect_error(RuntimeError):
        run(FakeModel([[tea]]), registry, "Tea?", max_steps=3)
""",
            "rejects a loop that returns an empty answer at the limit",
            "A script with one item is used up before the limit is reached, so the limit is never tried.",
        ),
        WrongTest(
            "takes any RuntimeError",
            """
def check_guard(run):
    with expect_error(RuntimeError):
        run(FakeModel([[tea]] * 9), registry, "Tea?", max_steps=3)
""",
            "rejects a loop that has no limit of its own",
            "Without a limit the fake's script ends the run, and that is a RuntimeError as well.",
        ),
        WrongTest(
            "does not count the calls",
            """
def check_guard(run):
    with expect_error(MaxStepsExceeded):
        run(FakeModel([[tea]] * 9), registry, "Tea?", max_steps=3)
""",
            "rejects a loop that asks once more than allowed",
            "That it raises says nothing about when; the model's calls do.",
        ),
        WrongTest(
            "tries endless scripts only",
            """
def check_guard(run):
    model = FakeModel([[tea]] * 9)
    try:
        run(model, registry, "Tea?", max_steps=3)
    except MaxStepsExceeded as error:
        assert error.result.status == "max_steps" and len(error.result.steps) == 3
    else:
        raise AssertionError("swallowed")
    assert len(model.calls) == 3
""",
            "rejects a loop that refuses an answer that comes with the last call allowed",
            "A limit has two sides: what is over it, and what just fits.",
        ),
        WrongTest(
            "catches the error and looks no further",
            """
def check_guard(run):
    try:
        run(FakeModel([[tea]] * 9), registry, "Tea?", max_steps=3)
    except MaxStepsExceeded:
        pass
""",
            "rejects a loop that returns an empty answer at the limit",
            "A test that allows an error does not demand one; the case that nothing is raised needs an else.",
        ),
        WrongTest(
            "pins the wording of a step",
            """
def check_guard(run):
    model = FakeModel([[tea]] * 9)
    try:
        run(model, registry, "Tea?", max_steps=3)
    except MaxStepsExceeded as error:
        assert error.result.steps[0].detail.startswith("price")
    else:
        raise AssertionError("swallowed")
""",
            "accepts another correct loop",
            "How a step reads is for people and may change; count the steps, or look at their calls.",
        ),
    ],
    world=world,
)


# ---- 4.4 ------------------------------------------------------------------------------------------------------------


def _counted_shop() -> tuple[ToolRegistry, list[str]]:
    """Return a shop with one tool, and the list of what was looked up in it."""
    looked_up: list[str] = []

    def price(item: str) -> int:
        looked_up.append(item)
        if len(looked_up) > shop.PATIENCE:
            raise shop.ShopClosed
        return PRICES[item]

    registry = ToolRegistry()
    registry.add(Tool("price", "Price of one item (单价)", ONE_ITEM, price))
    return registry, looked_up


def _cut(*calls: ToolCall, reason: str = "max_tokens") -> ModelResponse:
    return ModelResponse(Message("assistant", "", calls), reason)


def _messages(agent: Any, model: FakeModel, registry: ToolRegistry, prompt: str) -> Sequence[Message]:
    """Return what the learner's agent returned, if that is messages."""
    returned: Sequence[Message] = agent(model, registry, prompt)
    held = isinstance(returned, Sequence) and {type(message) for message in returned} == {Message}
    assert held, f"the agent returned {a_kind(returned)}; return the list of messages"
    return returned


def _and(items: list[str]) -> str:
    return f"{' and '.join(items)} {'was' if len(items) == 1 else 'were'}"


def test_a_whole_call_is_still_run(agent: Any) -> None:
    registry, looked_up = _counted_shop()
    messages = _messages(agent, FakeModel([[TEA, CAKE], "12 and 8."]), registry, "Both?")
    expect(looked_up, ["tea", "cake"], "looked up:")
    expect([m.content for m in messages if m.role == "tool"], ["12", "8"], "results:")


def test_no_call_of_a_cut_answer_is_run(agent: Any) -> None:
    for calls, count in (([TEA], "one call"), ([TEA, CAKE], "two calls")):
        registry, looked_up = _counted_shop()
        agent(FakeModel([_cut(*calls), "Never mind."]), registry, "Both?")
        assert not looked_up, f"{count} in a cut answer: nothing should be looked up, but {_and(looked_up)}"


@says("a filter's cut is a cut too")
def test_a_filters_cut_is_a_cut_too(agent: Any) -> None:
    registry, looked_up = _counted_shop()
    agent(FakeModel([_cut(TEA, reason="content_filter"), "Never mind."]), registry, "Tea?")
    assert not looked_up, f"cut by content_filter: nothing should be looked up, but {_and(looked_up)}"


def test_each_cut_call_gets_one_error_with_its_id(agent: Any) -> None:
    messages = _messages(agent, FakeModel([_cut(TEA, CAKE), "Never mind."]), _counted_shop()[0], "Both?")
    results = [m for m in messages if m.role == "tool"]
    expect([m.tool_call_id for m in results], ["c1", "c2"], "ids of the tool messages:")
    for message in results:
        assert _is_error(message.content), f"{message.content!r:.80} is not the JSON text of an object with 'error'"


def _is_error(text: str) -> bool:
    try:
        held = json.loads(text)
    except ValueError:
        return False
    return isinstance(held, dict) and bool(held.get("error"))


def test_then_the_model_is_asked_again_and_sees_its_call_and_the_error(agent: Any) -> None:
    registry, looked_up = _counted_shop()
    model = FakeModel([_cut(TEA), [CAKE], "8."])
    messages = _messages(agent, model, registry, "Cake?")
    expect(len(model.calls), 3, "for a cut call, a whole call and an answer, calls:")
    expect([m.role for m in model.calls[1].messages], ["user", "assistant", "tool"], "call 2 sends")
    expect(looked_up, ["cake"], "after a cut call for tea and a whole one for cake, looked up:")
    expect(messages[-1].content, "8.", "the last message:")


def test_a_cut_answer_without_calls_still_ends_the_run(agent: Any) -> None:
    model = FakeModel([ModelResponse(Message("assistant", "Tea costs 1"), "max_tokens"), "12."])
    expect(_messages(agent, model, _counted_shop()[0], "Tea?")[-1].content, "Tea costs 1", "the last message:")
    expect(len(model.calls), 1, "calls:")


@says("a provider's own stop reason is no cut")
def test_a_providers_own_stop_reason_is_no_cut(agent: Any) -> None:
    registry, looked_up = _counted_shop()
    reply = ModelResponse(Message("assistant", "", [TEA]), "tool_calls")
    agent(FakeModel([reply, "12."]), registry, "Tea?")
    expect(looked_up, ["tea"], "with the stop reason tool_calls, looked up:")


REPAIR = Exercise(
    id="4.4",
    title="Repair the loop",
    thing="agent",
    wants="a function agent(model, registry, prompt)",
    fits=is_function,
    starter="""
def agent(model, registry, prompt):
    messages = [Message("user", prompt)]
    while True:
        reply = model.complete(messages, registry.schemas())
        messages.append(reply.message)
        if not reply.message.tool_calls:
            return messages
        for call in reply.message.tool_calls:
            result = registry.call(call.name, call.arguments)
            messages.append(Message("tool", result, tool_call_id=call.id))
""",
    hints=[
        "The message of a cut answer looks like any other. What of the `reply` tells that it was cut?",
        "Only one line may differ for a cut answer: the one that makes `result`. The tool message is appended in both "
        "cases.",
        "Inside the inner loop: `if reply.cut:`, then `result` is the text "
        '`\'{"error": "not run: the answer was cut"}\'`, `else` it comes from `registry.call`.',
    ],
    solution="""
def agent(model, registry, prompt):
    messages = [Message("user", prompt)]
    while True:
        reply = model.complete(messages, registry.schemas())
        messages.append(reply.message)
        if not reply.message.tool_calls:
            return messages
        for call in reply.message.tool_calls:
            if reply.cut:
                result = '{"error": "not run: the answer was cut"}'
            else:
                result = registry.call(call.name, call.arguments)
            messages.append(Message("tool", result, tool_call_id=call.id))
""",
    tests=[
        test_a_whole_call_is_still_run,
        test_no_call_of_a_cut_answer_is_run,
        test_a_filters_cut_is_a_cut_too,
        test_each_cut_call_gets_one_error_with_its_id,
        test_then_the_model_is_asked_again_and_sees_its_call_and_the_error,
        test_a_cut_answer_without_calls_still_ends_the_run,
        test_a_providers_own_stop_reason_is_no_cut,
    ],
    mutants=[
        Mutant(
            "skips cut calls without an answer",
            """                result = '{"error": "not run: the answer was cut"}'\n""",
            "                continue\n",
            "test_each_cut_call_gets_one_error_with_its_id",
            "A call without a result makes a history that services refuse, and the model does not learn what happened.",
        ),
        Mutant(
            "answers the first cut call only",
            """                result = '{"error": "not run: the answer was cut"}'\n""",
            """                messages.append(Message("tool", '{"error": "cut"}', tool_call_id=call.id))\n"""
            "                break\n",
            "test_each_cut_call_gets_one_error_with_its_id",
            "Each id is asked once and answered once, also where nothing was run.",
        ),
        Mutant(
            "ends the run at a cut call",
            """                result = '{"error": "not run: the answer was cut"}'\n""",
            "                return messages\n",
            "test_then_the_model_is_asked_again_and_sees_its_call_and_the_error",
            "The model can write the call anew if it is told; ending throws the task away.",
        ),
        Mutant(
            "runs all calls but the last of a cut answer",
            "if reply.cut:",
            "if reply.cut and call == reply.message.tool_calls[-1]:",
            "test_no_call_of_a_cut_answer_is_run",
            "The first calls may be whole, but the plan that they belong to is not.",
        ),
        Mutant(
            "runs the tool, then reports an error",
            """                result = '{"error": "not run: the answer was cut"}'\n""",
            "                registry.call(call.name, call.arguments)\n"
            """                result = '{"error": "not run: the answer was cut"}'\n""",
            "test_no_call_of_a_cut_answer_is_run",
            "The model reads that nothing was run, and the tool has been run all the same.",
        ),
        Mutant(
            "answers with an empty text",
            """'{"error": "not run: the answer was cut"}'""",
            '""',
            "test_each_cut_call_gets_one_error_with_its_id",
            "An empty result reads like a tool that found nothing; the model must be told that it did not run.",
        ),
        Mutant(
            "takes every word but tool_use for a cut",
            "reply.cut",
            'reply.stop_reason != "tool_use"',
            "test_a_providers_own_stop_reason_is_no_cut",
            "Services have words of their own for the same thing; only max_tokens and content_filter mean a cut.",
        ),
        Mutant(
            "knows one of the two words",
            "reply.cut",
            'reply.stop_reason == "max_tokens"',
            "test_a_filters_cut_is_a_cut_too",
            "A filter may stop an answer in the middle of a call as well.",
        ),
        Mutant(
            "goes on after a cut answer without calls",
            "if not reply.message.tool_calls:",
            "if not reply.message.tool_calls and not reply.cut:",
            "test_a_cut_answer_without_calls_still_ends_the_run",
            "Nothing new is in the history, so asking again only buys the same cut once more.",
        ),
        Mutant(
            "drops the message of a cut answer",
            "        messages.append(reply.message)\n",
            "        if not reply.cut:\n            messages.append(reply.message)\n",
            "test_then_the_model_is_asked_again_and_sees_its_call_and_the_error",
            "The error then answers a call that does not stand in the history.",
        ),
    ],
    world=world,
)

EXERCISES = (ENDINGS, DIAGNOSIS, GUARD_TEST, REPAIR)

PREDICTIONS: tuple[Question, ...] = (
    Question(
        "A tool was used, and then the answer was cut in the middle of a price: 'Tea costs 1'. "
        "Which of the four signs gives it away?",
        [
            Choice(
                "The text: one sees that it is half.",
                False,
                "'Tea costs 1' looks whole, and is wrong.",
            ),
            Choice(
                "The kinds of the steps: the last one is not final.",
                False,
                "It is final: for the loop, a cut answer is an answer too.",
            ),
            Choice(
                "The status, and none of the others.",
                True,
                "It says truncated. The other three signs are those of a healthy run.",
            ),
        ],
    ),
    Question(
        "The reply was cut, and what is left of it is a tool call for tea. What do our ten lines look up, "
        "and what the package's run?",
        [
            Choice(
                "Our ten lines tea, the package nothing.",
                True,
                "Our lines run whatever stands there. The package runs no call of an answer that was cut.",
            ),
            Choice(
                "Both tea: a call is a call.",
                False,
                "So it is for our ten lines. The package reads the stop reason first: this may be half a call.",
            ),
            Choice(
                "Both nothing: half a call cannot be run.",
                False,
                "Its brackets were closed, so it can. Only the stop reason tells that it was cut.",
            ),
        ],
    ),
    Question(
        "The first run asks for tea again and again, the second for three things in turn. "
        "Both are stopped by a limit of 3. Which of them does a limit of 10 cure?",
        [
            Choice(
                "Both: more room never hurts.",
                False,
                "The first repeats itself. A limit of 10 makes it dearer, not better.",
            ),
            Choice(
                "The second only.",
                True,
                "Each of its calls was new. It needed room, and answers with call 4.",
            ),
            Choice(
                "Neither: over the limit is over the limit.",
                False,
                "That holds for this run. The next one, with more room, may come to its answer.",
            ),
        ],
    ),
)

QUIZ = Quiz(
    "04",
    [
        Question(
            "The answer was cut in the middle, by max_tokens. How does your program learn of it?",
            [
                Choice(
                    "run raises an error that carries half of the text.",
                    False,
                    "It returns; a cut answer is an answer for the loop.",
                ),
                Choice(
                    "The text ends with three dots, or in the middle of a word.",
                    False,
                    "It may end anywhere, also where it looks whole; and nobody adds dots.",
                ),
                Choice(
                    "The status of the result is truncated.",
                    True,
                    "None of the other three signs tells, so read it first.",
                ),
                Choice(
                    "The last step has the kind truncated.",
                    False,
                    "Its kind is final, as for a whole answer; the status tells the two apart.",
                ),
            ],
        ),
        Question(
            "A reply with two tool calls has the stop reason max_tokens. What does run do?",
            [
                Choice(
                    "It runs both, since each of them has a name and arguments.",
                    False,
                    "A cut call may ask for something else than the model meant.",
                ),
                Choice(
                    "It runs the first, which is surely whole, and drops the second.",
                    False,
                    "It may be, but the plan that it belongs to is not; none of them is run.",
                ),
                Choice(
                    "It answers both with an error, and asks again.",
                    True,
                    "Each id has its result, and the model can write the calls anew.",
                ),
                Choice(
                    "It drops the reply and asks again.",
                    False,
                    "Then the model would not learn that it was cut; the reply stays, and so do the errors.",
                ),
            ],
        ),
        Question(
            "A script of 5 tool calls and no answer is run with max_steps=5. What ends the run?",
            [
                Choice(
                    "The script, which is used up after five items.",
                    False,
                    "It would notice that at a sixth question, which nobody asks.",
                ),
                Choice("The limit: MaxStepsExceeded.", True, "Five questions are asked; a sixth is not allowed."),
                Choice("Both at the same time.", False, "One error ends a run: the limit stands before the question."),
                Choice("Nothing; it completes.", False, "Only a reply without tool calls completes a run."),
            ],
        ),
        Question(
            "Each reply asks for three tools; the limit is max_steps=4. How many steps has error.result?",
            [
                Choice("4", False, "That is how often the model was asked."),
                Choice(
                    "5", False, "Nobody answered, so there is no step for an answer; and the replies hold 3 calls each."
                ),
                Choice("12", True, "4 replies with 3 tool calls each; no answer."),
                Choice("13", False, "That counts an answer, which never came."),
            ],
        ),
        Question(
            'add wants numbers and gets "5". Why does the registry not simply make it a 5?',
            [
                Choice(
                    "Python cannot tell which texts are numbers and which are not.",
                    False,
                    'int("5") can; the question is whether one should.',
                ),
                Choice(
                    "Nobody would see a wrong guess.",
                    True,
                    'bool("false") is True; an error costs one call, and everybody sees it.',
                ),
                Choice(
                    "It would be slow.",
                    False,
                    "It would be faster than another call of the model.",
                ),
                Choice(
                    "So that the run ends at once.",
                    False,
                    "It goes on: the model reads the error, and can send a number.",
                ),
            ],
        ),
    ],
)

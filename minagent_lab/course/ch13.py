"""Chapter 13, evaluation: predictions, exercises and quiz."""

from __future__ import annotations

import itertools
import numbers
import random
import re
from collections.abc import Callable
from functools import partial
from typing import Any

from minagent_lab import EvalCase, EvalReport, MockGPT, Rule, Tool, ToolRegistry, aevaluate, evaluate
from minagent_lab.course import shop
from minagent_lab.course.by_hand import by_hand
from minagent_lab.course.exercise import Exercise, Mutant, Test, WrongTest, is_function, made, mutated, says, sentence
from minagent_lab.course.expecting import expect, shown
from minagent_lab.course.judging import Broken, judge
from minagent_lab.course.kinds import is_returning_function
from minagent_lab.course.quiz import Choice, Question, Quiz
from minagent_lab.mockgpt import generators, responses
from minagent_lab.observe import matchers
from minagent_lab.observe.case_result import CaseResult
from minagent_lab.observe.comparing import Comparison, compare
from minagent_lab.observe.counting import VERDICTS, Tally, tally_of

TITLE = "Evaluation"

PRICES = {"tea": 12, "cake": 8, "bread": 3, "milk": 5, "juice": 7, "soup": 9, "honey": 4, "jam": 6}


def _shop() -> ToolRegistry:
    registry = ToolRegistry()
    registry.add(Tool("price", "Price of one item (单价)", shop.ONE_ITEM, lambda item: PRICES[item]))
    return registry


def world() -> dict[str, Any]:
    """Return the names that the chapter's cells define, as far as exercises use them."""
    names = {"MockGPT": MockGPT, "Rule": Rule, "generators": generators, "responses": responses, "re": re}
    known = {name: getattr(matchers, name) for name in matchers.__all__ if name != "Matcher"}
    return {**shop.world(), **names, **known, "registry": _shop(), "PRICES": dict(PRICES)}


# ---- 13.1 -----------------------------------------------------------------------------------------------------------

AGENT = r"""
def wanted(prompt):
    named = re.search(r"\b(?:does|do|of) (.+?)(?: cost)?\?", prompt)
    items = re.split(r",? and |, ", named[1]) if named else []
    return [re.sub(r"^(?:an?|the|one) ", "", item) for item in items]

def wish(request):
    calls = [("price", {"item": item}) for item in wanted(request.prompt)]
    return responses.tool_calls(*calls)

def told(request):
    results = request.results[: len(wanted(request.prompt))]
    if any("error" in each for each in results):
        return "We do not sell that."
    return f"That is {sum(map(int, results))} coins."

RULES = [
    Rule(when=lambda request: request.results, generator=told),
    Rule(when=lambda request: wanted(request.prompt), generator=wish),
]

def agent(case):
    mock = MockGPT(RULES, fallback="Pardon? Please ask: What does tea cost?")
    return run(mock, shelf, case.prompt, system=case.system, max_steps=case.max_steps)
"""

SAID = 'f"That is {sum(map(int, results))} coins."'
NOT_SOLD = '"We do not sell that."'


def _shelf() -> ToolRegistry:
    """Return a shop in which one can order, too."""
    registry = _shop()
    registry.add(Tool("order", "Order one item, and pay (下单)", shop.ONE_ITEM, lambda item: f"ordered {item}"))
    return registry


def made_agent(code: str) -> Callable[[EvalCase], Any]:
    """Return the agent that some code defines."""
    agent: Callable[[EvalCase], Any] = made(code, thing="agent", world=lambda: {**world(), "shelf": _shelf()})
    return agent


def _other(said: str, not_sold: str) -> str:
    return AGENT.replace(SAID, said).replace(NOT_SOLD, not_sold)


ONE_BY_ONE = AGENT.replace(
    '    calls = [("price", {"item": item}) for item in wanted(request.prompt)]\n    return responses.tool_calls(*calls)',
    '    place = sum(message.role == "tool" for message in request.messages)\n'
    '    return responses.tool_calls(("price", {"item": wanted(request.prompt)[place]}))',
).replace(
    "    results = request.results[: len(wanted(request.prompt))]\n",
    '    results = [message.content for message in request.messages if message.role == "tool"]\n'
    "    if len(results) < len(wanted(request.prompt)):\n        return wish(request)\n",
)

RIGHT_AGENTS = {
    "an agent that says “That is … coins.”": AGENT,
    "an agent of few words": _other('f"{sum(map(int, results))}."', '"No."'),
    "an agent that shows its sum": _other(
        "f\"{' + '.join(results)} = {sum(map(int, results))}, please.\"", '"Sorry, that is not in our shop."'
    ),
    "an agent that looks up one price after the other": ONE_BY_ONE,
}

BROKEN_AGENTS = [
    Broken(
        "knows the prices by heart",
        '    calls = [("price", {"item": item}) for item in wanted(request.prompt)]\n',
        "    if all(item in PRICES for item in wanted(request.prompt)):\n"
        '        return f"That is {sum(PRICES[item] for item in wanted(request.prompt))} coins."\n'
        '    calls = [("price", {"item": item}) for item in wanted(request.prompt)]\n',
        "It is right until the first price changes.",
    ),
    Broken("puts a digit too many", "That is {", "That is 1{", "112 contains 12."),
    Broken(
        "tells the price of the first item only",
        "sum(map(int, results))",
        "int(results[0])",
        "One item is right, and a basket is not.",
    ),
    Broken(
        "names each price and no sum",
        "{sum(map(int, results))}",
        "{' and '.join(results)}",
        "All numbers are true, and the one that was asked for is missing.",
    ),
    Broken(
        "always looks up tea",
        '{"item": item}) for',
        '{"item": "tea"}) for',
        "A set of one case cannot tell it from a right agent.",
    ),
    Broken(
        "makes up a price for what is not sold",
        NOT_SOLD,
        '"That is 10 coins."',
        "Nobody asks for gold, until somebody does.",
    ),
    Broken(
        "says what is not sold without looking",
        "def wish(request):\n",
        "def wish(request):\n    if any(item not in PRICES for item in wanted(request.prompt)):\n"
        f"        return {NOT_SOLD}\n",
        "Tomorrow it will be sold.",
    ),
    Broken(
        "orders what was only asked about",
        "tool_calls(*calls)",
        'tool_calls(*calls, ("order", {"item": wanted(request.prompt)[0]}))',
        "The answer is right, and the customer pays.",
    ),
]


def is_cases(thing: Any) -> bool:
    """Whether something is a list with cases in it."""
    return isinstance(thing, (list, tuple)) and bool(thing) and all(isinstance(each, EvalCase) for each in thing)


def _accepted(name: str, code: str) -> Test:
    @says(f"accepts {name}")
    def test(cases: Any) -> None:
        for result in evaluate(cases, made_agent(code), progress=False):
            if result.verdict != "passed":
                raise AssertionError(f"it is right, and the case {result.id!r} says {result.verdict}: {result.reason}")

    return test


def _rejected(fault: Broken) -> Test:
    code = mutated(AGENT, Mutant(fault.name, fault.old, fault.new, "", fault.why))

    @says(f"rejects an agent that {fault.name}")
    def test(cases: Any) -> None:
        report = evaluate(cases, made_agent(code), progress=False)
        for result in report:
            if result.verdict == "error":
                raise AssertionError(f"the case {result.id!r} ends in an error: {result.reason}")
        if not report.failed:
            raise AssertionError(f"{report.passed} of {report.n} cases pass, and one at least should fail")

    return test


CASES = Exercise(
    id="13.1",
    title="Cases that tell right from wrong",
    thing="cases",
    wants="a list of cases: [EvalCase(...), ...]",
    fits=is_cases,
    starter="""
cases = [
    EvalCase("tea", "What does tea cost?", contains("12")),
    EvalCase("cake", "What does cake cost?", equals("That is 8 coins.")),
]
""",
    hints=[
        "Which lines are ✗? An accepted agent may use any words, so `equals` is too strict. `contains` lets 112 through; "
        r'`matches(r"\b12\b")` does not.',
        "What an agent does is not in its answer. `called` and `not_called` look at its tool calls; `all_of` joins. "
        "And ask for a basket too: its total has to be a number that is none of the prices.",
        'For gold: look it up, and name no number. `all_of(called("price", item="gold"), none_of(matches(r"\\d")))`. '
        'Add `not_called("order")` to each case.',
    ],
    solution=r"""
def case(id, words, number, *items):
    looked_up = [called("price", item=item) for item in items]
    said = none_of(matches(r"\d")) if number is None else matches(rf"\b{number}\b")
    return EvalCase(id, f"What {words} cost?", all_of(said, *looked_up, not_called("order")))

cases = [
    case("tea", "does tea", 12, "tea"),
    case("cake", "does cake", 8, "cake"),
    case("basket", "do tea and cake", 20, "tea", "cake"),
    case("gold", "does gold", None, "gold"),
]
""",
    tests=[
        *(_accepted(name, code) for name, code in RIGHT_AGENTS.items()),
        *(_rejected(fault) for fault in BROKEN_AGENTS),
    ],
    wrong_tests=[
        WrongTest(
            "compares the whole answer",
            'cases = [EvalCase("tea", "What does tea cost?", equals("That is 12 coins."))]',
            "accepts an agent of few words",
            "Wording is not what was asked for; another model, another day, and it is another one.",
        ),
        WrongTest(
            "looks for the digits anywhere",
            'cases = [EvalCase("tea", "What does tea cost?", all_of(contains("12"), called("price", item="tea")))]',
            "rejects an agent that puts a digit too many",
            "112 contains 12; a number ends where its digits end.",
        ),
        WrongTest(
            "looks at the answers only",
            r"""
cases = [
    EvalCase("tea", "What does tea cost?", matches(r"\b12\b")),
    EvalCase("both", "What do tea and cake cost?", matches(r"\b20\b")),
]
""",
            "rejects an agent that knows the prices by heart",
            "Where an answer comes from stands in the tool calls.",
        ),
        WrongTest(
            "asks for single items only",
            r"""
cases = [
    EvalCase("tea", "What does tea cost?", all_of(matches(r"\b12\b"), called("price", item="tea"))),
    EvalCase("cake", "What does cake cost?", all_of(matches(r"\b8\b"), called("price", item="cake"))),
]
""",
            "rejects an agent that tells the price of the first item only",
            "What no case asks for, no rate shows.",
        ),
        WrongTest(
            "trusts that nobody orders",
            r"""
cases = [
    EvalCase("tea", "What does tea cost?", all_of(matches(r"\b12\b"), called("price", item="tea"))),
    EvalCase("both", "What do tea and cake cost?", all_of(matches(r"\b20\b"), called("price", item="cake"))),
]
""",
            "rejects an agent that orders what was only asked about",
            "`called` asks for what must be there; what must not be there has to be said too.",
        ),
        WrongTest(
            "wants a certain no",
            'cases = [EvalCase("gold", "What does gold cost?", contains("do not sell"))]',
            "accepts an agent that shows its sum",
            "There are many ways to say no; what they have in common is that no number is named.",
        ),
    ],
    world=world,
)


# ---- 13.2 -----------------------------------------------------------------------------------------------------------


def _counted(tally: Any, outcomes: list[str], wanted: tuple[Any, ...]) -> None:
    got = tally(list(outcomes))
    what = f"for {_short(outcomes)}"
    if not isinstance(got, (tuple, list)) or len(got) != 6:
        raise AssertionError(f"{what} expected six values, got {shown(got)}")
    is_float = isinstance(got[5], (int, float)) or not isinstance(got[5], numbers.Number)
    if not is_float:
        raise AssertionError(f"{what}, the rate is {shown(got[5])}; write a float, as `passed / n` gives it")
    for name, one, other in zip(("n", "passed", "failed", "errors", "not run", "rate"), got, wanted, strict=True):
        expect(one, other, f"{what}, {name}:")


def _short(outcomes: list[str]) -> str:
    parts = [f"{outcomes.count(word)} {word}" for word in VERDICTS if word in outcomes]
    return ", ".join(parts) or "no outcomes"


def _list(passed: int = 0, failed: int = 0, errors: int = 0, not_run: int = 0) -> list[str]:
    return [*["not_run"] * not_run, *["passed"] * passed, *["error"] * errors, *["failed"] * failed]


@says("passed and failed are counted, and the rate is exact")
def test_rate(tally: Any) -> None:
    _counted(tally, _list(3, 1), (4, 3, 1, 0, 0, 0.75))
    _counted(tally, _list(1, 2), (3, 1, 2, 0, 0, 1 / 3))


def test_errors_are_in_the_denominator_and_are_no_failures(tally: Any) -> None:
    _counted(tally, _list(3, 0, 1), (4, 3, 0, 1, 0, 0.75))
    _counted(tally, _list(2, 1, 1), (4, 2, 1, 1, 0, 0.5))


def test_what_was_not_run_is_in_the_denominator_too(tally: Any) -> None:
    _counted(tally, _list(4, 1, 1, 2), (8, 4, 1, 1, 2, 0.5))


def test_where_nothing_passed_the_rate_is_zero(tally: Any) -> None:
    _counted(tally, _list(0, 0, 2), (2, 0, 0, 2, 0, 0.0))
    _counted(tally, _list(0, 0, 0, 3), (3, 0, 0, 0, 3, 0.0))


@says("of nothing, the rate is None")
def test_nothing(tally: Any) -> None:
    _counted(tally, [], (0, 0, 0, 0, 0, None))


@says("a word that is none of the four is a ValueError")
def test_unknown(tally: Any) -> None:
    for word in ("skipped", "Passed", ""):
        try:
            got = tally(["passed", word])
        except ValueError:
            continue
        except Exception as error:
            raise AssertionError(f"for {word!r} expected a ValueError, got {type(error).__name__}") from None
        raise AssertionError(f"for {word!r} expected a ValueError, got {shown(got)}")


@says("outcomes may come one by one, as from a generator")
def test_generator(tally: Any) -> None:
    got = tally(word for word in _list(2, 1, 1))
    got = tuple(got) if isinstance(got, list) else got
    expect(got, (4, 2, 1, 1, 0, 0.5), "for a generator of 2 passed, 1 failed, 1 error")


@says("fifty sets are counted as the package counts them")
def test_package(tally: Any) -> None:
    chance = random.Random(13)  # noqa: S311  (no secret comes from it)
    for _ in range(50):
        outcomes = [chance.choice(VERDICTS) for _ in range(chance.randrange(12))]
        told = tally_of(outcomes)
        _counted(tally, outcomes, (told.n, *told, told.rate))


TALLY = Exercise(
    id="13.2",
    title="The rate, with its denominator",
    thing="tally",
    wants="a function tally(outcomes)",
    fits=is_returning_function,
    starter="""
def tally(outcomes):
    passed = outcomes.count("passed")
    failed = outcomes.count("failed")
    n = passed + failed
    return n, passed, failed, outcomes.count("error"), outcomes.count("not_run"), passed / n
""",
    hints=[
        "What is `n`? Each outcome that was handed in, whatever became of it.",
        "Make a list first: `outcomes = list(outcomes)`. Then `len`, `count` and a `for` over the four words are enough.",
        "Of nothing there is no rate: `passed / n if n else None`. And a word that nobody knows would be in `n` and in "
        "no count: refuse it with `raise ValueError(...)`.",
    ],
    solution="""
def tally(outcomes):
    outcomes = list(outcomes)
    words = ("passed", "failed", "error", "not_run")
    for outcome in outcomes:
        if outcome not in words:
            raise ValueError(f"{outcome!r} is no outcome; use one of {words}")
    n = len(outcomes)
    counts = [outcomes.count(word) for word in words]
    return n, *counts, counts[0] / n if n else None
""",
    tests=[
        test_rate,
        test_errors_are_in_the_denominator_and_are_no_failures,
        test_what_was_not_run_is_in_the_denominator_too,
        test_where_nothing_passed_the_rate_is_zero,
        test_nothing,
        test_unknown,
        test_generator,
        test_package,
        by_hand(tally_of, Tally, EvalReport, evaluate, aevaluate),
    ],
    mutants=[
        Mutant(
            "lets the package count",
            "def tally(outcomes):\n",
            "from minagent_lab.observe.counting import tally_of\n\ndef tally(outcomes):\n"
            "    told = tally_of(outcomes)\n    return told.n, *told, told.rate\n\ndef unused(outcomes):\n",
            "test_by_hand",
            "What belongs in the denominator is a decision; here you make it.",
        ),
        Mutant(
            "gives an exact fraction",
            "counts[0] / n if",
            "__import__('fractions').Fraction(counts[0], n) if",
            "test_rate",
            "It is exact, and no reader of a report and no JSON expects it; a rate is a float.",
        ),
        Mutant(
            "leaves errors out of n",
            "    n = len(outcomes)\n",
            '    n = len([each for each in outcomes if each != "error"])\n',
            "test_errors_are_in_the_denominator_and_are_no_failures",
            "An agent that crashes in every hard case would look perfect.",
        ),
        Mutant(
            "leaves out what was not run",
            "    n = len(outcomes)\n",
            '    n = len([each for each in outcomes if each != "not_run"])\n',
            "test_what_was_not_run_is_in_the_denominator_too",
            "A budget that ends early would make the rate better, if the easy cases stand first.",
        ),
        Mutant(
            "counts errors as failures",
            "    n = len(outcomes)\n",
            '    n = len(outcomes)\n    outcomes = ["failed" if each == "error" else each for each in outcomes]\n',
            "test_errors_are_in_the_denominator_and_are_no_failures",
            "The rate is the same, and nobody sees that it is the service that is ill, and not the agent.",
        ),
        Mutant(
            "calls the rate of nothing 0",
            "if n else None",
            "if n else 0.0",
            "test_nothing",
            "Zero is a rate; where nobody was asked there is none.",
        ),
        Mutant(
            "divides by nothing",
            " if n else None",
            "",
            "test_nothing",
            "An empty file of cases ends the whole report.",
        ),
        Mutant(
            "takes a rate of 0 for none",
            "if n else None",
            "if counts[0] else None",
            "test_where_nothing_passed_the_rate_is_zero",
            "Nothing passed is a result, and a clear one.",
        ),
        Mutant(
            "rounds the rate",
            "counts[0] / n if",
            "round(counts[0] / n, 2) if",
            "test_rate",
            "Who rounds before comparing makes differences of his own; round where it is shown.",
        ),
        Mutant(
            "gives per cent",
            "counts[0] / n if",
            "100 * counts[0] / n if",
            "test_rate",
            "75 or 0.75: one of them has to be agreed on, and this is from 0 to 1.",
        ),
        Mutant(
            "counts an unknown word silently",
            "        if outcome not in words:\n",
            "        if False:\n",
            "test_unknown",
            "A misspelt outcome is in n and in no count; nobody will look for it.",
        ),
        Mutant(
            "looks at a generator twice",
            "    outcomes = list(outcomes)\n    words",
            "    words",
            "test_generator",
            "The loop has used it up, and there is nothing left to count.",
        ),
    ],
    world=world,
)


# ---- 13.3 -----------------------------------------------------------------------------------------------------------

Verdicts = dict[str, str]
KINDS = ("fixed", "broken", "left out")


def _report(verdicts: Verdicts) -> EvalReport:
    return EvalReport([CaseResult(id, verdict) for id, verdict in verdicts.items()])


def _three(flips: Any, before: Verdicts, after: Verdicts, what: str) -> list[tuple[str, list[str], list[str]]]:
    """Return for each kind its name, the ids that the learner has of it, and those that the package has."""
    told = compare(_report(before), _report(after))
    got = flips(dict(before), dict(after))
    if not isinstance(got, (tuple, list)) or len(got) != 3 or not all(isinstance(ids, (tuple, list)) for ids in got):
        raise AssertionError(f"{what} expected three lists, got {shown(got)}")
    wanted = (told.fixed, told.broken, told.left_out)
    return [(name, list(ids), list(right)) for name, ids, right in zip(KINDS, got, wanted, strict=True)]


def _compared(flips: Any, before: Verdicts, after: Verdicts) -> None:
    what = f"for {before} and {after}"
    for name, ids, wanted in _three(flips, before, after, what):
        expect(ids, wanted, f"{what}, {name}:")


PASSED, FAILED = {"a": "passed", "b": "failed"}, {"a": "failed", "b": "passed"}


@says("what failed and passes now is fixed, the other way round it is broken")
def test_flipped(flips: Any) -> None:
    _compared(flips, PASSED, FAILED)


def test_what_did_not_flip_is_in_no_list(flips: Any) -> None:
    _compared(flips, PASSED, PASSED)
    _compared(flips, {"a": "passed", "b": "failed", "c": "failed"}, {"a": "passed", "b": "failed", "c": "passed"})


def test_cases_are_paired_by_their_id_in_whatever_order_they_come(flips: Any) -> None:
    _compared(flips, {"a": "passed", "b": "failed"}, {"b": "failed", "a": "passed"})


def test_an_error_is_neither_broken_nor_fixed(flips: Any) -> None:
    _compared(flips, {"a": "passed", "b": "failed"}, {"a": "error", "b": "error"})
    _compared(flips, {"a": "error", "b": "error"}, {"a": "passed", "b": "failed"})
    _compared(flips, {"a": "error"}, {"a": "error"})


def test_what_was_not_run_is_left_out(flips: Any) -> None:
    _compared(flips, {"a": "not_run", "b": "passed"}, {"a": "passed", "b": "not_run"})


def test_a_case_that_only_one_of_them_has_is_left_out(flips: Any) -> None:
    _compared(flips, {"a": "passed", "b": "passed"}, {"a": "passed", "c": "failed"})
    _compared(flips, {}, {"a": "passed"})
    _compared(flips, {"a": "failed"}, {})


@says("all pairs of verdicts, in every order, as the package pairs them")
def test_all_pairs(flips: Any) -> None:
    chance = random.Random(13)  # noqa: S311  (no secret comes from it)
    pairs = list(itertools.product((*VERDICTS, None), repeat=2))
    for _ in range(20):
        chance.shuffle(pairs)
        before = {f"q{n}": old for n, (old, _) in enumerate(pairs) if old}
        after = {f"q{n}": new for n, (_, new) in enumerate(pairs) if new}
        ids = chance.sample(sorted(after), len(after))
        _many(flips, before, {id: after[id] for id in ids})


def _many(flips: Any, before: Verdicts, after: Verdicts) -> None:
    """Compare on many cases, and tell of one only."""
    what = f"among {len({*before, *after})} cases"
    for name, ids, wanted in _three(flips, before, after, what):
        for id in wanted + ids:
            if (id in ids) != (id in wanted):
                said = "belongs" if id in wanted else "does not belong"
                was, now = (verdicts.get(id, "not there") for verdicts in (before, after))
                raise AssertionError(f"{what}, one that was {was} before and is {now} after {said} to {name}")
        expect(ids, wanted, f"{what}, the order of {name}:")


FLIPS = Exercise(
    id="13.3",
    title="Which cases flipped?",
    thing="flips",
    wants="a function flips(before, after)",
    fits=is_returning_function,
    starter="""
def flips(before, after):
    fixed, broken = [], []
    for (id, old), new in zip(before.items(), after.values()):
        if old != new:
            (fixed if new == "passed" else broken).append(id)
    return fixed, broken, []
""",
    hints=[
        "`zip` pairs by place. A case has a name: look it up in both dicts with `.get(id)`.",
        'A flip is from `"failed"` to `"passed"` or back. Everything else that is no plain pair of those two is left out.',
        "All ids in order: `[*before, *(id for id in after if id not in before)]`. For each, `pair = before.get(id), "
        'after.get(id)`; if one of the two is not in `("passed", "failed")`, it is left out.',
    ],
    solution="""
def flips(before, after):
    fixed, broken, left_out = [], [], []
    for id in [*before, *(id for id in after if id not in before)]:
        old, new = before.get(id), after.get(id)
        if old not in ("passed", "failed") or new not in ("passed", "failed"):
            left_out.append(id)
        elif old != new:
            (fixed if new == "passed" else broken).append(id)
    return fixed, broken, left_out
""",
    tests=[
        test_flipped,
        test_what_did_not_flip_is_in_no_list,
        test_cases_are_paired_by_their_id_in_whatever_order_they_come,
        test_an_error_is_neither_broken_nor_fixed,
        test_what_was_not_run_is_left_out,
        test_a_case_that_only_one_of_them_has_is_left_out,
        test_all_pairs,
        by_hand(compare, Comparison, EvalReport),
    ],
    mutants=[
        Mutant(
            "lets the package compare",
            "def flips(before, after):\n",
            """from minagent_lab.observe.case_result import CaseResult
from minagent_lab.observe.comparing import compare

def flips(before, after):
    told = compare(*(EvalReport([CaseResult(*pair) for pair in each.items()]) for each in (before, after)))
    return told.fixed, told.broken, told.left_out

def unused(before, after):
""",
            "test_by_hand",
            "What makes a pair, and what does not, is the question; whoever answers it reads such a table with care.",
        ),
        Mutant(
            "takes the new ones for the old ones",
            'new == "passed" else',
            'old == "passed" else',
            "test_flipped",
            "Before and after are easily swapped; then every loss is called a win.",
        ),
        Mutant(
            "counts an error as a failure",
            "old, new = before.get(id), after.get(id)",
            'old, new = (each.get(id, "").replace("error", "failed") for each in (before, after))',
            "test_an_error_is_neither_broken_nor_fixed",
            "A service that was down for an hour would look like a worse agent.",
        ),
        Mutant(
            "takes what is missing for failed",
            "old, new = before.get(id), after.get(id)",
            'old, new = before.get(id, "failed"), after.get(id, "failed")',
            "test_a_case_that_only_one_of_them_has_is_left_out",
            "A new case that passes was not fixed by anybody.",
        ),
        Mutant(
            "takes what was not run for failed",
            "old, new = before.get(id), after.get(id)",
            'old, new = (each.get(id, "").replace("not_run", "failed") for each in (before, after))',
            "test_what_was_not_run_is_left_out",
            "A budget that ended early broke nothing.",
        ),
        Mutant(
            "forgets what is new",
            "[*before, *(id for id in after if id not in before)]",
            "before",
            "test_a_case_that_only_one_of_them_has_is_left_out",
            "Whoever compares should be told what could not be compared.",
        ),
        Mutant(
            "pairs by place",
            "old, new = before.get(id), after.get(id)",
            "place = [*before].index(id) if id in before else -1\n"
            "        old, new = before.get(id), ([*after.values()] + [None] * 99)[place]",
            "test_cases_are_paired_by_their_id_in_whatever_order_they_come",
            "A case that was inserted at the top would flip all the others.",
        ),
        Mutant(
            "keeps errors of both times as a pair",
            "        if old not in",
            '        if old == new == "error":\n            continue\n        if old not in',
            "test_an_error_is_neither_broken_nor_fixed",
            "Nothing is known of that case, either time; silence would hide it.",
        ),
    ],
    world=world,
)


# ---- 13.4 -----------------------------------------------------------------------------------------------------------

MODEL = 'model = MockGPT([Rule(generator=responses.text("Tea costs 12."))])'
LOOKS = """
model = MockGPT([
    Rule(when=lambda request: request.results, generator=lambda request: f"It is {request.results[0]}."),
    Rule(generator=responses.tool_calls(("price", {"item": "tea"}))),
])
"""

made_model = partial(made, thing="model", world=world)
ANSWER = 'responses.text("Tea costs 12.")'

BROKEN_MODELS = [
    Broken("answers with nothing", '"Tea costs 12."', '""', "The line is there, and nobody speaks."),
    Broken("answers with white space", '"Tea costs 12."', r'" \n"', "To a person this is nothing."),
    Broken("does not tell its usage", '12.")', '12.", usage={})', "Its cost would be unknown, and so its budget."),
    Broken("is cut off", '"Tea costs 12."', '"Tea co", stop_reason="max_tokens"', "Half an answer is there, too."),
]
RAISING_MODELS = [  # what comes out of the run fails the test; no assert is needed for it
    Broken("cannot be reached", ANSWER, 'ServerError("down")', "A test that catches it hides just what it is for."),
    Broken(
        "asks for tools without end",
        ANSWER,
        'responses.tool_calls(("price", {"item": "tea"}))',
        "The loop's limit raises; that is an exception like any other.",
    ),
]


def _by_any_means(test: Test) -> Test:
    """Leave out the note that an assert would have been better."""

    @says(sentence(test))
    def quiet(smoke_test: Any) -> None:
        test(smoke_test)

    return quiet


SMOKE = Exercise(
    id="13.4",
    title="Write the smoke test",
    thing="smoke_test",
    wants="a function smoke_test(model), which asserts",
    fits=is_function,
    starter="""
def smoke_test(model):
    result = run(model, registry, "What does tea cost?")
    assert result.final == "Tea costs 12."
""",
    hints=[
        "Nothing about the wording: a model that speaks Chinese works as well. What do you know of every good run?",
        "Three facts stand in the result: `final`, `status` and `usage`. An answer of white space is none: `strip()`.",
        'A whole run has the status `"completed"`. What a run raises comes out by itself; so write no `try`.',
    ],
    solution="""
def smoke_test(model):
    result = run(model, registry, "What does tea cost?")
    assert result.final.strip(), "there is no answer"
    assert result.status == "completed", result.status
    assert result.usage, "the usage is not told"
""",
    tests=[
        *judge(
            {
                "a model that answers in a sentence": lambda: made_model(MODEL),
                "a model that answers in Chinese": lambda: made_model(MODEL.replace("Tea costs 12.", "茶十二块钱。")),
                "a model that looks the price up first": lambda: made_model(LOOKS),
                "a model that is wrong about the price": lambda: made_model(MODEL.replace("12", "99")),
            },
            BROKEN_MODELS,
            MODEL,
            made_model,
            "model",
        ),
        *map(_by_any_means, judge({}, RAISING_MODELS, MODEL, made_model, "model")),
        by_hand(matchers.smoke),
    ],
    wrong_tests=[
        WrongTest(
            "lets the package's smoke do it",
            """
def smoke_test(model):
    assert smoke().problem(run(model, registry, "What does tea cost?")) == ""
""",
            "it is made by hand",
            "It is the right test for a file; here it is about the three facts that are in it.",
        ),
        WrongTest(
            "looks for the number",
            """
def smoke_test(model):
    result = run(model, registry, "What does tea cost?")
    assert "12" in result.final and result.status == "completed" and result.usage
""",
            "accepts a model that is wrong about the price",
            "Whether it is right is for the evaluation, which asks many cases; one wrong answer is no broken wire.",
        ),
        WrongTest(
            "asks whether there is text at all",
            """
def smoke_test(model):
    result = run(model, registry, "What does tea cost?")
    assert result.final is not None and result.status == "completed" and result.usage
""",
            "rejects a model that answers with nothing",
            "The empty text is a text.",
        ),
        WrongTest(
            "takes white space for an answer",
            """
def smoke_test(model):
    result = run(model, registry, "What does tea cost?")
    assert result.final and result.status == "completed" and result.usage
""",
            "rejects a model that answers with white space",
            "A space is true in Python.",
        ),
        WrongTest(
            "forgets the end",
            """
def smoke_test(model):
    result = run(model, registry, "What does tea cost?")
    assert result.final.strip() and result.usage
""",
            "rejects a model that is cut off",
            "An answer that was cut off is an answer, and not a whole one.",
        ),
        WrongTest(
            "forgets the usage",
            """
def smoke_test(model):
    result = run(model, registry, "What does tea cost?")
    assert result.final.strip() and result.status == "completed"
""",
            "rejects a model that does not tell its usage",
            "Budgets and prices live on it; without it they pass without counting.",
        ),
        WrongTest(
            "counts the steps",
            """
def smoke_test(model):
    result = run(model, registry, "What does tea cost?")
    assert result.final.strip() and result.status == "completed" and result.usage
    assert len(result.steps) == 1
""",
            "accepts a model that looks the price up first",
            "How a real model gets there is another thing it decides anew each day.",
        ),
        WrongTest(
            "catches what is raised",
            """
def smoke_test(model):
    try:
        result = run(model, registry, "What does tea cost?")
    except Exception:
        return
    assert result.final.strip() and result.status == "completed" and result.usage
""",
            "rejects a model that cannot be reached",
            "That nothing is raised is one of the three things that a smoke test is for.",
        ),
    ],
    world=world,
)

EXERCISES = (CASES, TALLY, FLIPS, SMOKE)


# ---- predictions and quiz -------------------------------------------------------------------------------------------

PREDICTIONS: tuple[Question, ...] = (
    Question(
        "Tea costs 12, and the agent says: “Tea costs 112.” Which matcher lets this wrong answer pass?",
        [
            Choice(
                '`equals("12")`',
                False,
                "It wants the whole answer to be 12. It refuses the right sentence as well.",
            ),
            Choice('`contains("12")`', True, "The two digits stand in 112, and nobody asked what is around them."),
            Choice(
                r'`matches(r"\b12\b")`, since the pattern is searched for anywhere in the answer',
                False,
                "It is searched for anywhere, and the edges `\\b` have to be there: before the 12 of 112 there is none.",
            ),
        ],
    ),
    Question(
        "Of eight cases four pass, one fails, milk is an error, and two are not run. What is the rate?",
        [
            Choice("4 of 8", True, "All that were to be asked. The other rates answer a question that is easier."),
            Choice(
                "4 of 6: nobody knows about the two that were not run, so they cannot count",
                False,
                "Nobody knows, and therefore there is no interval. To leave them out is to guess that they are like the others.",
            ),
            Choice("4 of 5", False, "Then a service that is down, or an agent that crashes, makes the rate better."),
        ],
    ),
    Question(
        "17 of 20 pass before the repair and 17 of 20 after it. How many cases may have changed their verdict, at most?",
        [
            Choice("None: the rate is the same.", False, "A rate counts passed cases; it does not say which they are."),
            Choice(
                "Three: only three failed before, and no more than three can have been repaired.",
                False,
                "So many can be fixed. For the rate to stay, as many others must have broken.",
            ),
            Choice(
                "Six: three that failed, and three that passed.",
                True,
                "Three won and three lost: the sum is the same, and the agent is another one. So look case by case.",
            ),
        ],
    ),
)

QUIZ = Quiz(
    "13",
    [
        Question(
            "Which line belongs in a smoke test of a real model?",
            [
                Choice('`assert result.final == "Tea costs 12."`', False, "The wording is another one tomorrow."),
                Choice("`assert len(result.steps) == 2`", False, "How it gets there is decided anew each time."),
                Choice("`assert result.usage`", True, "Each service that works tells it, whatever it says."),
                Choice(
                    '`assert result.usage["input_tokens"] == 21`, since the prompt is the same every time',
                    False,
                    "The count is the service's, and changes with the model's version.",
                ),
            ],
        ),
        Question(
            "10 of 10 cases passed. What may you say?",
            [
                Choice("It is always right.", False, "Ten cases cannot tell always from nine times in ten."),
                Choice(
                    "It is right in at least 72 % of such cases, or this was a lucky day.",
                    True,
                    "That is the 95 % interval: 72 to 100 %. And only for cases of the same kind.",
                ),
                Choice("Nothing at all: ten are too few.", False, "They rule out a lot, such as a coin."),
                Choice("The agent got better.", False, "Better than what? Compare two reports."),
            ],
        ),
        Question(
            "A report says “12 of 20 passed; 8 errors”. What do you do first?",
            [
                Choice("Write 12 of 12 in the summary.", False, "That is the second way to cheat."),
                Choice("Repair the agent's prompt.", False, "Perhaps it was never asked: an error is no wrong answer."),
                Choice("Make the matchers less strict.", False, "No matcher said no here."),
                Choice(
                    "Read the reasons of the errors.",
                    True,
                    "Something was raised, by the agent, the service or the check. With `resume=True` they are asked again.",
                ),
            ],
        ),
        Question(
            'What does `all_of(called("price", item="tea"), matches(r"\\b12\\b"))` let through?',
            [
                Choice("“Milk costs 12.”, after looking up tea", True, "It looks for a 12, and not for whose it is."),
                Choice("“Tea costs 112.”, after looking up tea", False, "Before this 12 there is no edge."),
                Choice("“Tea costs 12.”, known by heart", False, "Then `price` was not called."),
                Choice(
                    "“Tea costs twelve coins, and I have looked it up for you.”", False, "There are no digits in it."
                ),
            ],
        ),
        Question(
            "Cost: at least 0.02 EUR. Cost unknown for 3 of 40 cases. What did it cost?",
            [
                Choice("0.02 EUR", False, "That is the sum of the 37 that are known."),
                Choice("0.02 EUR and as much more as three average cases cost", False, "A guess, and not a report."),
                Choice("0.02 EUR or more; nobody knows how much more.", True, "What is unknown is not zero."),
                Choice("Nothing can be said.", False, "At least 0.02 EUR is something."),
            ],
        ),
    ],
)

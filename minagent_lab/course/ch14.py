"""Chapter 14, a real model: predictions, exercises and quiz."""

from __future__ import annotations

import base64
import copy
from contextlib import suppress
from functools import partial
from typing import Any

from minagent_lab import MockGPT, Rule, choose_provider
from minagent_lab.course import shop
from minagent_lab.course.awaiting import finished
from minagent_lab.course.by_hand import by_hand
from minagent_lab.course.exercise import Exercise, Mutant, Test, WrongTest, made, says, sentence
from minagent_lab.course.expecting import expect, shown
from minagent_lab.course.judging import Broken, judge
from minagent_lab.course.kinds import is_async_function, is_returning_function
from minagent_lab.course.quiz import Choice, Question, Quiz
from minagent_lab.fixtures.redact import Redactor
from minagent_lab.mockgpt import responses
from minagent_lab.observe.matchers import smoke

TITLE = "A real model"


def world() -> dict[str, Any]:
    """Return the names that the chapter's cells define, as far as exercises use them."""
    names = {"MockGPT": MockGPT, "Rule": Rule, "responses": responses, "choose_provider": choose_provider}
    return {**shop.world(), **names, "smoke": smoke, "QUESTION": "What does tea cost?"}


# ---- 14.1 -----------------------------------------------------------------------------------------------------------

ANY, FAKES = "any model", "fakes only"
BY_THE_MODEL = {
    'result.final == "Tea costs 12."': "a real model words it anew each time",
    '"12" in result.final': "“twelve” is an answer too; how often it is right, an evaluation counts",
    "len(result.steps) == 2": "one model looks the price up twice, another one not at all",
}
BY_THE_SERVICE = {
    'result.usage["output_tokens"] == 5': "the count is the service's, and changes with its version",
    'result.messages[1].tool_calls[0].id == "c1"': "the service makes up the ids",
    "seconds < 2": "the service's load decides how long it takes; that is for a timeout, not for an assert",
}
OWED = {
    "result.final.strip()": "an answer is the least that a model owes",
    'result.status == "completed"': "a run that was cut or stopped did not get through",
    "result.usage": "each service that works tells what it counted, whatever the numbers are",
}
OURS = {
    "result.messages[0].content == QUESTION": "that is our own line; no model can change it",
    "each call id has one tool message": "our loop pairs them, whatever was asked for",
    "no more than 20 requests were sent": "the limit stands in our code, in front of the model",
}


def _held(holds: Any, claims: dict[str, str], right: str) -> None:
    for claim, why in claims.items():
        assert claim in holds, f"`{claim}` is missing; keep all twelve lines"
        assert holds[claim] in (ANY, FAKES), f"`{claim}` is {shown(holds[claim])}; write {ANY!r} or {FAKES!r}"
        assert holds[claim] == right, f"`{claim}`: {why}"


def test_what_the_model_decides(holds: Any) -> None:
    _held(holds, BY_THE_MODEL, FAKES)


def test_what_the_service_decides(holds: Any) -> None:
    _held(holds, BY_THE_SERVICE, FAKES)


def test_what_each_model_that_works_owes_us(holds: Any) -> None:
    _held(holds, OWED, ANY)


def test_what_our_own_code_promises(holds: Any) -> None:
    _held(holds, OURS, ANY)


def _turned(name: str, claim: str, right: str, caught_by: Test, why: str) -> Mutant:
    quote = "'" if '"' in claim else '"'
    old, new = (f'{quote}{claim}{quote}: "{word}"' for word in (right, FAKES if right == ANY else ANY))
    return Mutant(name, old, new, caught_by.__name__, why)


HOLDS = Exercise(
    id="14.1",
    title="What may be asserted?",
    thing="holds",
    wants='the dict holds, from each line to "any model" or "fakes only"',
    fits=lambda thing: isinstance(thing, dict),
    starter="""
holds = {
    'result.final == "Tea costs 12."': "fakes only",
    '"12" in result.final': "any model",
    "result.final.strip()": "any model",
    'result.status == "completed"': "any model",
    "result.usage": "fakes only",
    'result.usage["output_tokens"] == 5': "fakes only",
    "len(result.steps) == 2": "any model",
    'result.messages[1].tool_calls[0].id == "c1"': "fakes only",
    "result.messages[0].content == QUESTION": "fakes only",
    "each call id has one tool message": "fakes only",
    "no more than 20 requests were sent": "any model",
    "seconds < 2": "any model",
}
""",
    hints=[
        "Ask of each line: who decides it? The model, the service behind it, or our own code?",
        "What the model or the service decides may be another thing tomorrow. Three facts alone are owed by each model "
        "that works: chapter 13 calls them the smoke test.",
        "Our own code keeps its promises with each model: the first message, the limit, the pairs of call and result.",
    ],
    solution="""
holds = {
    'result.final == "Tea costs 12."': "fakes only",
    '"12" in result.final': "fakes only",
    "result.final.strip()": "any model",
    'result.status == "completed"': "any model",
    "result.usage": "any model",
    'result.usage["output_tokens"] == 5': "fakes only",
    "len(result.steps) == 2": "fakes only",
    'result.messages[1].tool_calls[0].id == "c1"': "fakes only",
    "result.messages[0].content == QUESTION": "any model",
    "each call id has one tool message": "any model",
    "no more than 20 requests were sent": "any model",
    "seconds < 2": "fakes only",
}
""",
    tests=[
        test_what_the_model_decides,
        test_what_the_service_decides,
        test_what_each_model_that_works_owes_us,
        test_what_our_own_code_promises,
    ],
    mutants=[
        _turned(
            "looks for the number",
            '"12" in result.final',
            FAKES,
            test_what_the_model_decides,
            "A part of the wording is wording as well.",
        ),
        _turned(
            "compares the wording",
            'result.final == "Tea costs 12."',
            FAKES,
            test_what_the_model_decides,
            "It passes today and fails tomorrow, and nothing broke in between.",
        ),
        _turned(
            "counts the steps",
            "len(result.steps) == 2",
            FAKES,
            test_what_the_model_decides,
            "Each way to the answer that ends is a good one.",
        ),
        _turned(
            "counts tokens exactly",
            'result.usage["output_tokens"] == 5',
            FAKES,
            test_what_the_service_decides,
            "Two services cut the same words into other tokens.",
        ),
        _turned(
            "takes an id for a name",
            'result.messages[1].tool_calls[0].id == "c1"',
            FAKES,
            test_what_the_service_decides,
            "An id only pairs a call with its result; `c1` was the script's.",
        ),
        _turned(
            "measures the service",
            "seconds < 2",
            FAKES,
            test_what_the_service_decides,
            "A test that fails on a busy evening is switched off the next morning.",
        ),
        _turned(
            "does not ask for the usage",
            "result.usage",
            ANY,
            test_what_each_model_that_works_owes_us,
            "Without it no budget can count, so it has to be there, whatever it says.",
        ),
        _turned(
            "accepts silence",
            "result.final.strip()",
            ANY,
            test_what_each_model_that_works_owes_us,
            "That an answer is there is no question of its wording.",
        ),
        _turned(
            "trusts our loop with fakes alone",
            "each call id has one tool message",
            ANY,
            test_what_our_own_code_promises,
            "The loop is the same; a real model is where its promise counts.",
        ),
    ],
    world=world,
)


# ---- 14.2 -----------------------------------------------------------------------------------------------------------

USAGE = '{"input_tokens": 40, "output_tokens": 5}'
ANSWER = f'ModelResponse(Message("assistant", "Tea costs 12."), "end_turn", {USAGE})'
LOOK = (
    f'ModelResponse(Message("assistant", "", [ToolCall(f"c{{n}}", "price", {{"item": "tea"}})]), "tool_use", {USAGE})'
)
PROVIDER = f"provider = FakeModelProvider([{ANSWER}])"
AFTER = "provider = FakeModelProvider([*({look} for n in range({times})), {answer}])"
BUSY = """
async def at_once(seconds): ...
provider = Retrying(FakeModelProvider([ServerError("busy"), {answer}]), sleep=at_once)
"""

made_provider = partial(made, thing="provider", world=world)

BROKEN_PROVIDERS = [
    Broken("answers with nothing", '"Tea costs 12."', '""', "The line is there, and nobody speaks."),
    Broken("answers with white space", '"Tea costs 12."', r'"\n "', "To a person this is nothing."),
    Broken("does not tell its usage", USAGE, "{}", "Then no budget can count."),
    Broken("is cut at the limit of tokens", '"end_turn"', '"max_tokens"', "Half an answer is there, too."),
    Broken("was stopped by a filter", '"end_turn"', '"content_filter"', "The text is what the filter left of it."),
    Broken(
        "needs six requests for one question",
        f"[{ANSWER}]",
        f"[*({LOOK} for n in range(5)), {ANSWER}]",
        "Each of them is paid for, and the next model may need ninety.",
    ),
]
RAISING_PROVIDERS = [  # what comes out of the run fails the test; no assert is needed for it
    Broken(
        "cannot be reached", ANSWER, 'NetworkError("no connection")', "A test that catches it hides what it is for."
    ),
    Broken(
        "refuses the key", ANSWER, 'AuthenticationError("wrong key")', "The first thing to find out, before all else."
    ),
]


@says("lets no more than five requests out")
def test_the_limit_comes_before_the_request(smoke_test: Any) -> None:
    provider = made_provider(AFTER.format(look=LOOK, times=8, answer=ANSWER))
    with suppress(Exception):  # whether it says no is for the other tests
        finished(smoke_test(provider))
    arrived = len(provider.calls)
    assert arrived <= 5, f"{arrived} requests arrived; you looked after the money was spent"


def _by_any_means(test: Test) -> Test:
    """Leave out the note that an assert would have been better."""

    @says(sentence(test))
    def quiet(smoke_test: Any) -> None:
        test(smoke_test)

    return quiet


def _smoke(
    asserts: str, ask: str = "    result = await arun(provider, registry, QUESTION, budget=Budget(steps=5))\n"
) -> str:
    return f"\nasync def smoke_test(provider):\n{ask}{asserts}"


ALL_THREE = """    assert result.final.strip(), "there is no answer"
    assert result.status == "completed", result.status
    assert result.usage, "the usage is not told"
"""

SMOKE = Exercise(
    id="14.2",
    title="A smoke test with a limit",
    thing="smoke_test",
    wants="an async function smoke_test(provider), which asserts",
    fits=is_async_function,
    starter="""
async def smoke_test(provider):
    try:
        result = await arun(provider, registry, QUESTION)
    except Exception:
        return
    assert "12" in result.final
""",
    hints=[
        "Nothing about the wording: a provider that speaks Chinese works as well. And what is raised comes out by itself, "
        "so write no `try`.",
        "Three facts stand in the result: `final`, `status` and `usage`. An answer of white space is none: `strip()`.",
        "The limit is `budget=Budget(steps=5)`, in the call of `arun`. A run that it stopped is not `completed`.",
    ],
    solution=_smoke(ALL_THREE),
    tests=[
        *judge(
            {
                "a provider that answers in a sentence": lambda: made_provider(PROVIDER),
                "a provider that answers in Chinese": lambda: made_provider(
                    PROVIDER.replace("Tea costs 12.", "茶十二块钱。")
                ),
                "a provider that is wrong about the price": lambda: made_provider(PROVIDER.replace("12.", "99.")),
                "a provider that looks the price up three times": lambda: made_provider(
                    AFTER.format(look=LOOK, times=3, answer=ANSWER)
                ),
                "a provider that needs exactly five requests": lambda: made_provider(
                    AFTER.format(look=LOOK, times=4, answer=ANSWER)
                ),
                "a provider with a word of its own for the end": lambda: made_provider(
                    PROVIDER.replace('"end_turn"', '"eos"')
                ),
                "a provider that was busy once, and retried": lambda: made_provider(BUSY.format(answer=ANSWER)),
            },
            BROKEN_PROVIDERS,
            PROVIDER,
            made_provider,
            "provider",
        ),
        test_the_limit_comes_before_the_request,
        *map(_by_any_means, judge({}, RAISING_PROVIDERS, PROVIDER, made_provider, "provider")),
        by_hand(smoke),
    ],
    wrong_tests=[
        WrongTest(
            "lets the package's smoke do it",
            _smoke('    assert smoke().problem(result) == ""\n'),
            "it is made by hand",
            "It is the right test for a file; here it is about the three facts that are in it.",
        ),
        WrongTest(
            "looks for the number",
            _smoke(f'{ALL_THREE}    assert "12" in result.final\n'),
            "accepts a provider that is wrong about the price",
            "Whether it is right is for the evaluation; a wrong answer is no broken wire.",
        ),
        WrongTest(
            "counts the steps",
            _smoke(f"{ALL_THREE}    assert len(result.steps) <= 2\n"),
            "accepts a provider that looks the price up three times",
            "How it gets there, a real model decides anew each day; the budget is the limit.",
        ),
        WrongTest(
            "wants one word for the end",
            """
async def smoke_test(provider):
    reply = await provider.complete(ModelRequest([Message("user", QUESTION)]))
    assert reply.stop_reason == "end_turn" and reply.message.content.strip() and reply.usage
""",
            "accepts a provider with a word of its own for the end",
            "Services have their own words; what matters is that the answer is whole.",
        ),
        WrongTest(
            "takes white space for an answer",
            _smoke(ALL_THREE.replace(".strip()", "")),
            "rejects a provider that answers with white space",
            "A line break is true in Python.",
        ),
        WrongTest(
            "forgets the end",
            _smoke(ALL_THREE.replace('"completed"', "result.status")),
            "rejects a provider that is cut at the limit of tokens",
            "An answer that was cut off is an answer, and not a whole one.",
        ),
        WrongTest(
            "forgets the usage",
            _smoke(ALL_THREE.replace("result.usage", "True")),
            "rejects a provider that does not tell its usage",
            "Budgets live on it; without it they pass without counting.",
        ),
        WrongTest(
            "has no limit",
            _smoke(ALL_THREE, "    result = await arun(provider, registry, QUESTION)\n"),
            "rejects a provider that needs six requests for one question",
            "A test that may cost anything will be switched off, or will be expensive.",
        ),
        WrongTest(
            "allows a few more",
            _smoke(ALL_THREE).replace("steps=5", "steps=8"),
            "rejects a provider that needs six requests for one question",
            "A limit is a number; the sixth request is one too many.",
        ),
        WrongTest(
            "allows one less",
            _smoke(ALL_THREE).replace("steps=5", "steps=4"),
            "accepts a provider that needs exactly five requests",
            "At most five means that the fifth is allowed.",
        ),
        WrongTest(
            "counts afterwards",
            _smoke(
                f"{ALL_THREE}    assert len(result.steps) <= 5\n",
                "    result = await arun(provider, registry, QUESTION)\n",
            ),
            "lets no more than five requests out",
            "An assert after the run knows what was spent, and stops nothing.",
        ),
        WrongTest(
            "catches what is raised",
            _smoke(
                ALL_THREE,
                "    try:\n        result = await arun(provider, registry, QUESTION, budget=Budget(steps=5))\n"
                "    except Exception:\n        return\n",
            ),
            "rejects a provider that cannot be reached",
            "That nothing is raised is what a smoke test is for.",
        ),
    ],
    world=world,
)


# ---- 14.3 -----------------------------------------------------------------------------------------------------------

SECRET = "correct+Horse/battery-9"  # noqa: S105  (made up)
IN_BASE64 = base64.b64encode(SECRET.encode()).decode()


def _found(places: Any, data: Any, wanted: list[tuple[Any, ...]], what: str) -> None:
    before = copy.deepcopy(data)
    got = places(data, SECRET)
    assert isinstance(got, list), f"{what}, expected a list of places, got {shown(got)}"
    text = repr(got)
    leaked = [told for told in (SECRET, IN_BASE64, "alice") if told in text]
    assert not leaked, "what you return holds what must not be shown; name the place, never the value"
    expect([tuple(each) if isinstance(each, (list, tuple)) else each for each in got], wanted, f"{what}:")
    expect(data, before, "your function changed its argument; the data afterwards:")


def test_a_secret_in_a_field_is_found(places: Any) -> None:
    _found(places, {"name": "tea", "note": f"my key is {SECRET}."}, [("note",)], "in a field")


def test_it_looks_into_lists_and_dicts_as_deep_as_they_go(places: Any) -> None:
    data = {"turns": [{"content": "fine"}, {"calls": [{"arguments": {"note": SECRET}}]}]}
    _found(places, data, [("turns", 1, "calls", 0, "arguments", "note")], "deep inside")


def test_a_secret_in_base64_is_a_secret(places: Any) -> None:
    _found(places, {"auth": f"Basic {IN_BASE64}"}, [("auth",)], "written in base64")


@says("a home folder names its user, on Linux and on macOS")
def test_homes(places: Any) -> None:
    _found(places, ["see /home/alice/prices.txt", "see /Users/alice/prices.txt"], [(0,), (1,)], "for two paths")


def test_what_was_redacted_is_no_finding(places: Any) -> None:
    data = {
        "a": "my key is <redacted:secret-1>",
        "b": "see /home/<redacted:user>/prices.txt",
        "c": "/home/",
        "max_tokens": 5,
    }
    _found(places, data, [], "where everything was taken out")


def test_a_name_of_a_field_can_hold_it_too(places: Any) -> None:
    data = {"headers": {"ok": 1, f"x-{SECRET}": "yes"}}
    _found(places, data, [("headers",)], "in the name of a field, the place is the dict that holds it")


def test_every_place_is_named_and_in_order(places: Any) -> None:
    data = {"b": SECRET, "a": ["x", f"{SECRET} {SECRET}", {"c": "/home/alice"}], "n": None, "k": True, "z": 1.5}
    _found(places, data, [("b",), ("a", 1), ("a", 2, "c")], "with three places")


PLACES = Exercise(
    id="14.3",
    title="What must not be in the file",
    thing="places",
    wants="a function places(data, secret)",
    fits=is_returning_function,
    starter="""
def places(data, secret):
    return [key for key, value in data.items() if secret in str(value)]
""",
    hints=[
        "JSON data is a dict, a list, text, or something small. Only text can hold a secret itself; dicts and lists hold "
        "more data: call `places` on what is inside, and put the key or the index in front of what comes back.",
        "For text: three questions joined by `or`: the secret in it, its base64 "
        "(`base64.b64encode(secret.encode()).decode()`), a home with a name: "
        '`re.search(r"/(?:home|Users)/[^/<\\s]", text)`. If one is true, return `[()]`, else `[]`.',
        "For a dict: go over `data.items()`. If the key itself leaks, add `()` once for the dict; then, for each place of "
        "`places(value, secret)`, add `(key, *place)`. A list is the same with `enumerate(data)` and no look at the key.",
    ],
    solution="""
import base64
import re

def places(data, secret):
    if isinstance(data, str):
        in_base64 = base64.b64encode(secret.encode()).decode()
        leaks = secret in data or in_base64 in data or re.search(r"/(?:home|Users)/[^/<\\s]", data)
        return [()] if leaks else []
    if not isinstance(data, (dict, list)):
        return []
    found = []
    if isinstance(data, dict) and any(places(key, secret) for key in data):
        found.append(())
    pairs = data.items() if isinstance(data, dict) else enumerate(data)
    for key, value in pairs:
        found += [(key, *place) for place in places(value, secret)]
    return found
""",
    tests=[
        test_a_secret_in_a_field_is_found,
        test_it_looks_into_lists_and_dicts_as_deep_as_they_go,
        test_a_secret_in_base64_is_a_secret,
        test_homes,
        test_what_was_redacted_is_no_finding,
        test_a_name_of_a_field_can_hold_it_too,
        test_every_place_is_named_and_in_order,
        by_hand(Redactor),
    ],
    mutants=[
        Mutant(
            "lets the package look",
            "def places(data, secret):\n",
            "from minagent_lab.fixtures.redact import Redactor\n\ndef places(data, secret):\n"
            "    return list(Redactor([secret]).places(data))\n\ndef unused(data, secret):\n",
            "test_by_hand",
            "A scan that you have written yourself is one whose gaps you know.",
        ),
        Mutant(
            "sorts the places",
            "    return found\n",
            "    return sorted(found, key=str)\n",
            "test_every_place_is_named_and_in_order",
            "In the order of the file they are found again by eye.",
        ),
        Mutant(
            "does not look into lists",
            "isinstance(data, (dict, list))",
            "isinstance(data, dict)",
            "test_it_looks_into_lists_and_dicts_as_deep_as_they_go",
            "The turns of a recording are a list; nearly everything stands in it.",
        ),
        Mutant(
            "knows the plain spelling only",
            "secret in data or in_base64 in data",
            "secret in data",
            "test_a_secret_in_base64_is_a_secret",
            "Whoever reads base64 decodes it in a second.",
        ),
        Mutant(
            "knows one system's homes",
            "(?:home|Users)",
            "home",
            "test_homes",
            "The colleague with the Mac commits as well.",
        ),
        Mutant(
            "cries over placeholders",
            "[^/<\\s]",
            "[^/\\s]",
            "test_what_was_redacted_is_no_finding",
            "A scan that always finds something is soon not read any more.",
        ),
        Mutant(
            "does not look at names of fields",
            "    if isinstance(data, dict) and any(places(key, secret) for key in data):\n        found.append(())\n",
            "",
            "test_a_name_of_a_field_can_hold_it_too",
            "A dict from keys to their owners holds keys.",
        ),
        Mutant(
            "shows the name that it found",
            "        found.append(())\n",
            "        found += [(key,) for key in data if places(key, secret)]\n",
            "test_a_name_of_a_field_can_hold_it_too",
            "A report of a leak that quotes it is a second leak.",
        ),
        Mutant(
            "stops at the first",
            "    return found\n",
            "    return found[:1]\n",
            "test_every_place_is_named_and_in_order",
            "Who repairs one place and finds the next one has leaked once in between.",
        ),
    ],
    world=world,
)


# ---- 14.4 -----------------------------------------------------------------------------------------------------------

FAR, NEAR = "https://api.example.com/v1", "http://localhost:11434/v1"
DISGUISED = "http://localhost:x@evil.example.com/v1"
HELD = {"SHOP_KEY": SECRET, "OPENAI_API_KEY": "sk-FAKE0000000000000000"}


def _settings(base_url: str | None = FAR, **others: Any) -> dict[str, Any]:
    return {"base_url": base_url, "yes": True, "key_from": "SHOP_KEY", "requests": 5, **others}


def _decided(who_answers: Any, settings: dict[str, Any], wanted: tuple[str, str | None], why: str) -> None:
    try:
        got = who_answers(dict(settings), dict(HELD))
    except (PermissionError, ValueError) as problem:
        raise AssertionError(f"{why}; you refused: {shown(str(problem))}") from None
    if got not in (wanted, list(wanted)):
        expected, came = (_without_key(shown(each)) for each in (wanted, got))
        raise AssertionError(f"{why}; expected {expected}, got {came}")


def _refused(who_answers: Any, settings: dict[str, Any], kind: type[Exception], why: str) -> str:
    refusal: Exception | None = None
    got = None
    try:
        got = who_answers(dict(settings), dict(HELD))
    except (PermissionError, ValueError) as problem:
        refusal = problem
    if refusal is None:
        raise AssertionError(f"{why}; expected {kind.__name__}, and it returned {_without_key(shown(got))}")
    assert SECRET not in str(refusal), "your refusal holds the key; a traceback is saved with the notebook"
    assert isinstance(refusal, kind), f"{why}; raise {kind.__name__}, not {type(refusal).__name__}"
    return str(refusal)


def _without_key(text: str) -> str:
    return text.replace(SECRET, "<the key>").replace(HELD["OPENAI_API_KEY"], "<another key>")


def test_without_an_address_the_mock_answers_and_gets_no_key(who_answers: Any) -> None:
    for yes in (False, True):
        _decided(who_answers, _settings(None, yes=yes), ("mock", None), f"no address, yes is {yes}")


def test_with_address_and_yes_the_service_is_asked(who_answers: Any) -> None:
    _decided(who_answers, _settings(), ("service", SECRET), "address, yes, a key and a limit are there")
    _decided(who_answers, _settings(requests=1), ("service", SECRET), "one request is a limit, too")


def test_without_a_yes_it_refuses_and_no_mock_steps_in(who_answers: Any) -> None:
    _refused(who_answers, _settings(yes=False), PermissionError, "an address, and nobody said yes")
    _refused(who_answers, _settings(NEAR, yes=False), PermissionError, "a local server needs a yes as well")


@says("only `True` is a yes")
def test_only_true_is_a_yes(who_answers: Any) -> None:
    for yes in ("no", "yes", 1, [False]):
        _refused(who_answers, _settings(yes=yes), PermissionError, f"yes is {yes!r}, which is not True")


def test_the_refusal_says_where_and_how_much(who_answers: Any) -> None:
    said = _refused(who_answers, _settings(yes=False), PermissionError, "an address, and nobody said yes")
    for told, what in ((FAR, "the address"), ("5", "the number of requests")):
        assert told in said, f"whoever is to agree has to know {what}; your refusal says {shown(said)}"


def test_no_limit_is_no_agreement(who_answers: Any) -> None:
    for requests in (None, 0, -1):
        why = f"requests is {requests}, and a service would be asked without end or not at all"
        _refused(who_answers, _settings(requests=requests), ValueError, why)


def test_only_the_key_that_was_named_is_taken(who_answers: Any) -> None:
    _decided(who_answers, _settings(NEAR, key_from=None), ("service", None), "no key was named, so none is sent")
    _refused(who_answers, _settings(key_from="NOT_SET"), ValueError, "the variable NOT_SET is not in the environment")


@says("a key goes by `https://`, or stays on this machine")
def test_keys_travel_encrypted(who_answers: Any) -> None:
    for url in (NEAR, "http://127.0.0.1:8080/v1"):
        _decided(who_answers, _settings(url), ("service", SECRET), f"{url} is this machine")
    for url in ("http://api.example.com/v1", "http://localhost.example.com/v1", "http://example.com/localhost"):
        _refused(who_answers, _settings(url), PermissionError, f"a key to {url} travels unencrypted")
    _refused(who_answers, _settings(DISGUISED), PermissionError, f"{DISGUISED} goes to the machine after the @")
    _decided(who_answers, _settings("http://api.example.com/v1", key_from=None), ("service", None), "there is no key")


GUARD = Exercise(
    id="14.4",
    title="The guard in front of the money",
    thing="who_answers",
    wants="a function who_answers(settings, environ)",
    fits=is_returning_function,
    starter="""
def who_answers(settings, environ):
    if not settings["base_url"] or not settings["yes"]:
        return "mock", None
    return "service", environ.get(settings["key_from"] or "OPENAI_API_KEY")
""",
    hints=[
        "The first try is friendly: without a yes the mock steps in, and its answers look real. Take the rules one by "
        "one, each an `if` that returns or raises.",
        'Truth is too wide: `settings["yes"] is not True`. The refusal quotes `base_url` and `requests`, and no key.',
        "For the last rule take the address apart: `urlsplit(url).hostname` is `localhost` or `127.0.0.1`, or it is "
        "another machine; `urlsplit(url).scheme` is `http` or `https`.",
    ],
    solution="""
from urllib.parse import urlsplit

def who_answers(settings, environ):
    url, name, requests = settings["base_url"], settings["key_from"], settings["requests"]
    if url is None:
        return "mock", None
    if not requests or requests < 1:
        raise ValueError("requests has to be 1 or more")
    if settings["yes"] is not True:
        raise PermissionError(f"nothing was sent; with yes=True {url} would get up to {requests} requests")
    if name is None:
        return "service", None
    if name not in environ:
        raise ValueError(f"there is no variable {name}")
    parts = urlsplit(url)
    if parts.scheme != "https" and parts.hostname not in ("localhost", "127.0.0.1"):
        raise PermissionError("the key would travel unencrypted")
    return "service", environ[name]
""",
    tests=[
        test_without_an_address_the_mock_answers_and_gets_no_key,
        test_with_address_and_yes_the_service_is_asked,
        test_without_a_yes_it_refuses_and_no_mock_steps_in,
        test_only_true_is_a_yes,
        test_the_refusal_says_where_and_how_much,
        test_no_limit_is_no_agreement,
        test_only_the_key_that_was_named_is_taken,
        test_keys_travel_encrypted,
    ],
    mutants=[
        Mutant(
            "lets the mock step in",
            '        raise PermissionError(f"nothing was sent; with yes=True {url} would get up to {requests} requests")\n',
            '        return "mock", None\n',
            "test_without_a_yes_it_refuses_and_no_mock_steps_in",
            "Somebody would write a report about a real model that was never asked.",
        ),
        Mutant(
            "takes anything for a yes",
            'settings["yes"] is not True',
            'not settings["yes"]',
            "test_only_true_is_a_yes",
            'The text "no" is true.',
        ),
        Mutant(
            "says only no",
            'f"nothing was sent; with yes=True {url} would get up to {requests} requests"',
            '"no"',
            "test_the_refusal_says_where_and_how_much",
            "Who does not know to what they agree cannot agree.",
        ),
        Mutant(
            "knows no limit",
            '    if not requests or requests < 1:\n        raise ValueError("requests has to be 1 or more")\n',
            "",
            "test_no_limit_is_no_agreement",
            "A loop that does not converge spends until somebody looks.",
        ),
        Mutant(
            "takes the key that is there",
            '        return "service", None\n    if name not in environ',
            '        return "service", environ.get("OPENAI_API_KEY")\n    if name not in environ',
            "test_only_the_key_that_was_named_is_taken",
            "So a key meant for one service travels to another one.",
        ),
        Mutant(
            "sends nothing in place of a missing key",
            '        raise ValueError(f"there is no variable {name}")\n',
            '        return "service", None\n',
            "test_only_the_key_that_was_named_is_taken",
            "The service would say 401, after it has read the prompt.",
        ),
        Mutant(
            "tells the key in its refusal",
            '"the key would travel unencrypted"',
            'f"{environ[name]} would travel unencrypted"',
            "test_keys_travel_encrypted",
            "The traceback stands under the cell, and is saved and committed with it.",
        ),
        Mutant(
            "looks for the word localhost",
            'parts.hostname not in ("localhost", "127.0.0.1")',
            '"localhost" not in url',
            "test_keys_travel_encrypted",
            "Anybody may call their machine localhost.example.com.",
        ),
        Mutant(
            "looks at how the address begins",
            'parts.hostname not in ("localhost", "127.0.0.1")',
            'not url.startswith(("http://localhost:", "http://localhost/", "http://127.0.0.1:", "http://127.0.0.1/"))',
            "test_keys_travel_encrypted",
            "What stands before an @ is a user and a password; the machine comes after it.",
        ),
        Mutant(
            "cuts the host out by hand",
            "parts.hostname not in",
            'parts.netloc.split(":")[0] not in',
            "test_keys_travel_encrypted",
            "The first colon may belong to a user and a password; `hostname` knows.",
        ),
        Mutant(
            "knows this machine by one name",
            'not in ("localhost", "127.0.0.1")',
            'not in ("localhost",)',
            "test_keys_travel_encrypted",
            "127.0.0.1 is this machine too, and the usual name of it.",
        ),
        Mutant(
            "trusts local servers without a yes",
            'settings["yes"] is not True',
            'settings["yes"] is not True and "localhost" not in url',
            "test_without_a_yes_it_refuses_and_no_mock_steps_in",
            "Behind a local port there may be a gateway that pays, and a local model costs time and heat.",
        ),
    ],
    world=world,
)

EXERCISES = (HOLDS, SMOKE, PLACES, GUARD)


# ---- predictions and quiz -------------------------------------------------------------------------------------------

PREDICTIONS: tuple[Question, ...] = (
    Question(
        "BASE_URL is the address of a service, and SAY_YES is still False. You run the cell. What happens?",
        [
            Choice(
                "The mock answers in its place, as nobody said yes.",
                False,
                "Then you would read answers of a mock and take them for the service's. A silent substitute is a lie.",
            ),
            Choice(
                "One small request goes out, to see whether the address works at all.",
                False,
                "A small request is a request. Before the yes there is none.",
            ),
            Choice("An error, and nothing is sent.", True, "It says what would have gone where, with which limits."),
        ],
    ),
    Question(
        "You press Next until the run has ended, in two calls, then Back twice, then Next twice. How many requests does the service get?",
        [
            Choice("2", True, "One per call that is made. Going back, and forward again, only shows what is recorded."),
            Choice("4, one each time that Next is pressed", False, "The second time, the call was made already."),
            Choice("6, one per press", False, "Back asks nobody, and what was answered is not asked for again."),
        ],
    ),
    Question(
        "A key was pasted into the system prompt. The run is recorded, and the file is redacted. Who has read the key?",
        [
            Choice("Nobody: the recorder takes it out.", False, "Out of the file. It stands behind the request."),
            Choice("The service", True, "It got the request as it was. Redaction protects the file, and not the wire."),
            Choice(
                "Whoever reads the file, as the recorder knows only the keys that it was told",
                False,
                "It also knows what keys look like, and takes out what has the shape of one.",
            ),
        ],
    ),
)

QUIZ = Quiz(
    "14",
    [
        Question(
            "A smoke test of a real model passed yesterday and fails today: the usage is empty. What does that say?",
            [
                Choice(
                    "The model words its answers in another way today, as real models do.",
                    False,
                    "The smoke test does not look at words.",
                ),
                Choice("Our loop is broken.", False, "The tests with fakes say so, and they ask nobody."),
                Choice("Something at the service changed.", True, "Our code did not; look at what came back."),
                Choice(
                    "Nothing; smoke tests are like that.", False, "It asserts so little that a failure means a lot."
                ),
            ],
        ),
        Question(
            "requests=10, attempts=2, and the service is down. An agent is run eight times. How many requests arrive?",
            [
                Choice("8", False, "One failed attempt is followed by another one."),
                Choice("10", True, "Each attempt counts. Five runs use the limit up; the other three send nothing."),
                Choice(
                    "80, since each of the eight runs may send ten", False, "The limit is the provider's, for all runs."
                ),
                Choice("16", False, "Two attempts for each run would be so many; the limit ends it before."),
            ],
        ),
        Question(
            "Where may the key stand?",
            [
                Choice("In the cell, if it is deleted afterwards", False, "The history and the checkpoints keep it."),
                Choice("In the recording, as base64", False, "Anybody decodes that."),
                Choice("In the address, before the @", False, "Addresses are logged everywhere."),
                Choice(
                    "In an environment variable, whose name stands in the cell",
                    True,
                    "The notebook holds the name, and never the value.",
                ),
            ],
        ),
        Question(
            "A strict replay of last month's recording is green. What do you know?",
            [
                Choice(
                    "Our code sends what it sent then, and copes with what came.",
                    True,
                    "And that is all: nobody asked the model.",
                ),
                Choice("The service works.", False, "It was not asked."),
                Choice(
                    "The model still gives the same answers to the same questions as a month ago.",
                    False,
                    "The file does, and it always will.",
                ),
                Choice("The key is still valid.", False, "A replay needs none, so it cannot tell."),
            ],
        ),
        Question(
            "You change the tool's description. The strict replay fails and names `tools`. What next?",
            [
                Choice("Replay without strict.", False, "It would be green about a request that nobody ever sent."),
                Choice(
                    "If the change was meant, record again.",
                    True,
                    "By a run that is allowed to ask, with a yes; then read what is new in the file.",
                ),
                Choice(
                    "Edit the digests in the file by hand, so that they fit the new request.",
                    False,
                    "Then the file says that a model answered what it never saw.",
                ),
                Choice("Change the description back.", False, "Only if the change was a mistake."),
            ],
        ),
    ],
)

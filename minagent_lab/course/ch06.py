"""Chapter 06, fixtures, record and replay: predictions, exercises and quiz."""

from __future__ import annotations

import base64
import json
import re
import tempfile
from collections.abc import Callable
from functools import partial, wraps
from pathlib import Path
from typing import Any
from urllib.parse import quote

from minagent_lab import FakeModel, FixtureError, Message, Recorder, Tool, ToolRegistry, load_fixture, run
from minagent_lab.course import shop
from minagent_lab.course.exercise import Exercise, Mutant, Test, WrongTest, is_function, made, says, sentence
from minagent_lab.course.expecting import expect
from minagent_lab.course.judging import Broken, judge
from minagent_lab.course.quiz import Choice, Question, Quiz
from minagent_lab.course.shop import CAKE, PRICES, TEA, TWO_NUMBERS

TITLE = "Fixtures, record and replay"


def world() -> dict[str, Any]:
    """Return the names that the chapter's first cells define."""
    return {**shop.world(), "base64": base64, "json": json, "quote": quote}


# ---- 6.1 ------------------------------------------------------------------------------------------------------------


def loaded(text: str) -> FakeModel:
    """Return the model that a fixture of that text makes."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "fixture.json")
        file.write_text(text, encoding="utf-8")
        try:
            return load_fixture(file)
        except FixtureError as problem:
            said = "it is not JSON yet" if "this is not JSON" in str(problem) else str(problem)
            raise AssertionError(said) from None


def ready(text: str) -> FakeModel:
    """Return the model, for a test that has nothing to say about a file that does not load."""
    try:
        return loaded(text)
    except AssertionError:
        raise AssertionError("it does not load yet") from None


def played(text: str) -> tuple[FakeModel, Any]:
    """Return the model, and the result of the first question."""
    model = ready(text)
    return model, run(model, shop.shop(), "What do two teas cost?")


LAST_COMMA = re.compile(r",\s*[\]}]")


@says("it is JSON")
def test_it_is_json(fixture: str) -> None:
    try:
        json.loads(fixture)
    except ValueError as problem:
        comma = LAST_COMMA.search(fixture)
        last = f"{fixture[: comma.start()].rstrip()[-1:]}, {comma[0][-1]}" if comma else ""
        said = f"JSON allows no comma behind the last item, as in `{last}`" if comma else str(problem)
        raise AssertionError(said) from None


@says("load_fixture reads it")
def test_load_fixture_reads_it(fixture: str) -> None:
    loaded(fixture)


def test_it_has_four_turns(fixture: str) -> None:
    ready(fixture)
    expect(len(json.loads(fixture)["turns"]), 4, "the number of turns:")


def test_tea_is_looked_up_and_then_added(fixture: str) -> None:
    _, result = played(fixture)
    calls = [(step.call.name, step.call.arguments) for step in result.steps if step.call is not None]
    expect(calls, [("price", {"item": "tea"}), ("add", {"a": 12, "b": 12})], "the tool calls are")


def test_each_tool_call_has_an_id_of_its_own(fixture: str) -> None:
    model, _ = played(fixture)
    ids = [call.id for message in model.calls[-1].messages for call in message.tool_calls]
    assert len(set(ids)) == len(ids) == 2, f"the ids are {ids}; a result finds its tool call by the id"


def test_the_answer_is_cut_at_the_limit(fixture: str) -> None:
    _, result = played(fixture)
    reasons = [turn.get("stop_reason") for turn in json.loads(fixture)["turns"] if turn["kind"] == "response"]
    other = [reason for reason in reasons if reason not in (None, "end_turn", "max_tokens")]
    assert not other, f"the stop reason is {other[0]!r}; which one says cut at the limit?"
    expect(result.status, "truncated", "the status of the run:")
    expect(result.final, "Two teas cost", "its text:")


def test_the_next_question_gets_a_whole_answer(fixture: str) -> None:
    model, _ = played(fixture)
    result = run(model, shop.shop(), "Go on.")
    expect(result.status, "completed", "the status of the second run:")
    expect(result.final, "They cost 24.", "its text:")
    model.assert_exhausted()


REPAIR = Exercise(
    id="6.1",
    title="Repair a fixture",
    thing="fixture",
    wants="the fixture as text, in triple quotes",
    fits=lambda thing: isinstance(thing, str),
    starter="""
fixture = '''
{
  "name": "cut",
  "turns": [
    {"kind": "tool", "call": {"id": "c1", "name": "price", "arguments": {"item": "tea"}}},
    {"kind": "tool_call", "call": {"id": "c1", "name": "add", "args": {"a": 12, "b": 12}}},
    {"kind": "text", "content": "Two teas cost", "stop_reason": "max_tokens"},
    {"kind": "text", "content": "They cost 24."},
  ]
}
'''
""",
    hints=[
        "Repair one thing, run the cell, read the next error. First: what does JSON say to the last comma in a list?",
        "The three kinds are text, tool_call and response; a call has an id, a name and arguments. When it loads, two "
        "faults are left that no loader can see.",
        "Two tool calls with the id c1 cannot be told apart. And which kind of turn carries a stop reason? Look at the "
        "third turn of two_teas.json.",
    ],
    solution="""
fixture = '''
{
  "name": "cut",
  "turns": [
    {"kind": "tool_call", "call": {"id": "c1", "name": "price", "arguments": {"item": "tea"}}},
    {"kind": "tool_call", "call": {"id": "c2", "name": "add", "arguments": {"a": 12, "b": 12}}},
    {"kind": "response", "content": "Two teas cost", "stop_reason": "max_tokens"},
    {"kind": "text", "content": "They cost 24."}
  ]
}
'''
""",
    tests=[
        test_it_is_json,
        test_load_fixture_reads_it,
        test_it_has_four_turns,
        test_tea_is_looked_up_and_then_added,
        test_each_tool_call_has_an_id_of_its_own,
        test_the_answer_is_cut_at_the_limit,
        test_the_next_question_gets_a_whole_answer,
    ],
    mutants=[
        Mutant(
            "leaves the last comma",
            '"They cost 24."}',
            '"They cost 24."},',
            "test_it_is_json",
            "Python allows a comma behind the last item of a list, and JSON does not.",
        ),
        Mutant(
            "keeps the word of another format",
            '"arguments": {"a"',
            '"args": {"a"',
            "test_load_fixture_reads_it",
            "A field that a format does not know is no field, however clear its name.",
        ),
        Mutant(
            "writes the arguments as text",
            '{"item": "tea"}',
            '"tea"',
            "test_load_fixture_reads_it",
            "Arguments are an object, as a function has parameters with names.",
        ),
        Mutant(
            "leaves both ids equal",
            '"c2"',
            '"c1"',
            "test_each_tool_call_has_an_id_of_its_own",
            "The file loads and runs, and the two results can no longer be told apart.",
        ),
        Mutant(
            "leaves a text with a stop reason",
            '"kind": "response"',
            '"kind": "text"',
            "test_the_answer_is_cut_at_the_limit",
            "Version 1 looks at no field that it does not know, so the cut was lost without a word.",
        ),
        Mutant(
            "drops what seems left over",
            ',\n    {"kind": "text", "content": "They cost 24."}',
            "",
            "test_it_has_four_turns",
            "A fixture may serve several questions, one after the other.",
        ),
    ],
    world=world,
)


# ---- 6.2 ------------------------------------------------------------------------------------------------------------

SECRET = "correct+horse/battery"  # noqa: S105  (nobody's)


def redacted(redact: Callable[[str, str], Any], data: Any) -> str:
    """Return what a learner's function makes of data, as text."""
    text = redact(json.dumps(data), SECRET)
    assert text is not None, "it returned None; is there a `return` missing?"
    assert isinstance(text, str), f"it returned a {type(text).__name__}; return the text"
    return text


def parsed(text: str) -> Any:
    """Return the data of redacted text."""
    try:
        return json.loads(text)
    except ValueError:
        raise AssertionError(f"this is no JSON any more: {text:.100}") from None


def field_of(text: str, name: str) -> Any:
    """Return a field of redacted text."""
    held = parsed(text)
    assert isinstance(held, dict), "the fields are gone; it was an object, and all of them must stay"
    assert name in held, f"the field {name!r} is gone; all else must stay"
    return held[name]


def _gone(redact: Callable[[str, str], Any], spelling: str) -> None:
    text = redacted(redact, {"kind": "text", "content": f"My key is {spelling}, keep it."})
    assert spelling not in text, f"{spelling} is still there"
    assert SECRET[:7] not in text, f"a piece of it, {SECRET[:7]!r}, is still there"
    content = str(field_of(text, "content"))
    kept = content.startswith("My key is ") and content.endswith(", keep it.")
    assert kept, f"of the text is left: {content!r}"


def test_the_secret_is_gone(redact: Callable[[str, str], Any]) -> None:
    _gone(redact, SECRET)


@says("the secret is gone when it is percent-encoded")
def test_the_secret_is_gone_when_percent_encoded(redact: Callable[[str, str], Any]) -> None:
    _gone(redact, quote(SECRET, safe=""))


def test_the_secret_is_gone_in_base64(redact: Callable[[str, str], Any]) -> None:
    _gone(redact, base64.b64encode(SECRET.encode()).decode())


def test_the_user_is_gone_and_the_rest_of_the_path_stays(redact: Callable[[str, str], Any]) -> None:
    for top in ("/home", "/Users"):
        content = str(field_of(redacted(redact, {"content": f"Read {top}/alice/prices.txt twice."}), "content"))
        assert "alice" not in content, f"alice is still there, behind {top}/"
        kept = content.startswith(f"Read {top}/") and content.endswith("/prices.txt twice.")
        assert kept, f"behind {top}/ more than the name was lost"


def test_fields_of_that_name_lose_their_value_only(redact: Callable[[str, str], Any]) -> None:
    data = {"api_key": "hunter-1", "arguments": {"password": "hunter-2", "item": "tea"}, "token": "hunter-3"}
    text = redacted(redact, data)
    assert "hunter" not in text, f"a value is still there: {text}"
    for name in data:
        field_of(text, name)
    expect(parsed(text)["arguments"].get("item"), "tea", "the item:")


def test_what_only_looks_like_a_secret_stays(redact: Callable[[str, str], Any]) -> None:
    data = {
        "calls": [{"id": "key_1", "name": "price", "arguments": {"monkey": "banana", "max_tokens": 50}}],
        "content": "The key to good tea is a token of patience.",
        "usage": {"input_tokens": 20, "output_tokens": 9},
        "stop_reason": "max_tokens",
    }
    text = redacted(redact, data)
    for name, value in data.items():
        expect(field_of(text, name), value, f"the field {name!r}:")


@says("it is still JSON")
def test_it_is_still_json(redact: Callable[[str, str], Any]) -> None:
    parsed(redacted(redact, {"content": "/home/alice", "password": "hunter-2", "usage": {"input_tokens": 1}}))


def test_doing_it_again_changes_nothing(redact: Callable[[str, str], Any]) -> None:
    once = redacted(redact, {"content": f"/home/alice {SECRET}", "token": "hunter-3"})
    expect(redact(once, SECRET), once, "the second time")


REDACT = Exercise(
    id="6.2",
    title="Rules for redaction",
    thing="redact",
    wants="a function redact(text, secret)",
    fits=is_function,
    starter="""
import re

def redact(text, secret):
    text = text.replace(secret, "<redacted:secret>")
    return re.sub(r'"([^"]*(?:key|password|token)[^"]*)": [^,}]+', r'"\\1": "<redacted:named>"', text)
""",
    hints=[
        "First the traps: which fields does the rule hit that are none of the three? Write the three names in full, "
        "and take the quotes around name and value into the pattern.",
        'The secret has three spellings; `quote(secret, safe="")` and `base64.b64encode(secret.encode()).decode()` '
        "are two of them. Replace each.",
        "The user's name is what stands behind /home/ up to the next slash, quote or space: `/(home|Users)/[^/\"\\s]+`. "
        "In the replacement `\\1` is what the first brackets found.",
    ],
    solution="""
import re

def redact(text, secret):
    in_base64 = base64.b64encode(secret.encode()).decode()
    for spelling in (secret, quote(secret, safe=""), in_base64):
        text = text.replace(spelling, "<redacted:secret>")
    text = re.sub(r'/(home|Users)/[^/"\\s]+', r"/\\1/<redacted:user>", text)
    return re.sub(r'"(api_key|password|token)": "[^"]*"', r'"\\1": "<redacted:named>"', text)
""",
    tests=[
        test_the_secret_is_gone,
        test_the_secret_is_gone_when_percent_encoded,
        test_the_secret_is_gone_in_base64,
        test_the_user_is_gone_and_the_rest_of_the_path_stays,
        test_fields_of_that_name_lose_their_value_only,
        test_what_only_looks_like_a_secret_stays,
        test_it_is_still_json,
        test_doing_it_again_changes_nothing,
    ],
    mutants=[
        Mutant(
            "takes the secret for a pattern",
            "text = text.replace(spelling, ",
            "text = re.sub(spelling, ",
            "test_the_secret_is_gone",
            "In a pattern + means “once or more”, so the plain secret is not found; re.escape would help.",
        ),
        Mutant(
            "shows a piece, to tell keys apart",
            '"<redacted:secret>"',
            'f"<redacted:{secret[:7]}>"',
            "test_the_secret_is_gone",
            "A piece of a key is one guess less; number the keys instead.",
        ),
        Mutant(
            "leaves the slash as it is",
            'quote(secret, safe="")',
            "quote(secret)",
            "test_the_secret_is_gone_when_percent_encoded",
            "By itself, quote takes / for a part of an address and does not encode it.",
        ),
        Mutant(
            "forgets base64",
            ", in_base64)",
            ")",
            "test_the_secret_is_gone_in_base64",
            "It looks unreadable and is not: anybody can decode it.",
        ),
        Mutant(
            "knows one system",
            "(home|Users)",
            "(home)",
            "test_the_user_is_gone_and_the_rest_of_the_path_stays",
            "On a Mac the folder is called /Users.",
        ),
        Mutant(
            "takes all that follows",
            '[^/"\\s]+',
            ".+",
            "test_the_user_is_gone_and_the_rest_of_the_path_stays",
            "A pattern that is not told where to stop runs to the end of the line.",
        ),
        Mutant(
            "looks for a piece of the name",
            "(api_key|password|token)",
            "(\\w*(?:key|password|token)\\w*)",
            "test_what_only_looks_like_a_secret_stays",
            "There is a key in every monkey.",
        ),
        Mutant(
            "puts a bare word where text stood",
            '"\\1": "<redacted:named>"',
            '"\\1": <redacted:named>',
            "test_it_is_still_json",
            "The placeholder is a JSON text too, and needs its quotes.",
        ),
    ],
    world=world,
)


# ---- 6.3 ------------------------------------------------------------------------------------------------------------

AGENT = """
PRICE_IS = "Price of one item (单价)"
TEA_COSTS = 12
SYSTEM = "Look prices up, never guess."
QUESTION = "What does tea cost?"

def agent(model):
    registry = shop_with(PRICE_IS, TEA_COSTS)
    return run(model, registry, QUESTION, system=SYSTEM)
"""
BY_HAND = AGENT.replace(
    "    return run(model, registry, QUESTION, system=SYSTEM)\n",
    """
    messages = [Message("system", SYSTEM), Message("user", QUESTION)]
    while True:
        reply = model.complete(messages, registry.schemas())
        messages.append(reply.message)
        if not reply.message.tool_calls:
            return messages
        for call in reply.message.tool_calls:
            result = registry.call(call.name, call.arguments)
            messages.append(Message("tool", result, tool_call_id=call.id))
""",
)
ONE_CALL = [[TEA], "Tea costs 12."]
TWO_CALLS = [[TEA], [CAKE], "12 and 8."]
Case = tuple[Callable[[Any], Any], list[Any]]  # an agent, and what the model said when it was recorded


def shop_with(price_is: str, tea_costs: float, *, turned: bool = False) -> ToolRegistry:
    """Return a shop; `turned` writes the keys of a schema in another order, which changes nothing."""
    one_item = dict(reversed(list(shop.ONE_ITEM.items()))) if turned else shop.ONE_ITEM
    prices = {**PRICES, "tea": tea_costs}
    registry = ToolRegistry()
    registry.add(Tool("price", price_is, one_item, lambda item: prices[item]))
    registry.add(Tool("add", "Sum of two numbers (相加)", TWO_NUMBERS, lambda a, b: a + b))
    return registry


made_agent = partial(made, thing="agent", world=lambda: {"Message": Message, "run": run, "shop_with": shop_with})


def recorded(script: list[Any], folder: str) -> Path:
    """Return a recording of the agent as it was."""
    recorder = Recorder(FakeModel(script), name="tea")
    made_agent(AGENT)(recorder)
    return recorder.save(folder)


def with_recording(test: Test) -> Test:
    """Return a test of a learner's ``check_recording(file, agent)``, made of one whose thing is a case."""

    @says(sentence(test))
    def tested(check_recording: Callable[[Path, Any], Any]) -> str | None:
        @wraps(check_recording)
        def on_case(case: Case) -> Any:
            agent, script = case
            with tempfile.TemporaryDirectory() as folder:
                return check_recording(recorded(script, folder), agent)

        return test(on_case)

    return tested


CHECK_RECORDING = Exercise(
    id="6.3",
    title="The test that catches a stale recording",
    thing="check_recording",
    wants="a function check_recording(file, agent)",
    fits=is_function,
    starter="""
def check_recording(file, agent):
    model = load_fixture(file)
    agent(model)
    assert len(model.calls) == 2
""",
    hints=[
        "A plain replay plays the next turn whatever it is asked. Which option of load_fixture compares?",
        "A recording may have two turns or ten. What asks whether all of it was used, whatever its length?",
        "Three lines: load it with `strict=True`, let the agent ask, and `model.assert_exhausted()`. Nothing else is "
        "needed: a request that differs raises by itself.",
    ],
    solution="""
def check_recording(file, agent):
    model = load_fixture(file, strict=True)
    agent(model)
    model.assert_exhausted()
""",
    tests=[
        with_recording(test)
        for test in judge(
            {
                "the agent as it was recorded": lambda: (made_agent(AGENT), ONE_CALL),
                "a recording with one turn more": lambda: (made_agent(AGENT), TWO_CALLS),
                "a loop by hand that sends the same": lambda: (made_agent(BY_HAND), ONE_CALL),
                "schemas whose keys stand in another order": lambda: (
                    made_agent(AGENT.replace("TEA_COSTS)", "TEA_COSTS, turned=True)")),
                    ONE_CALL,
                ),
            },
            [
                Broken(
                    "was given another question",
                    '"What does tea cost?"',
                    '"What does green tea cost?"',
                    "Nobody asked the model this; what it said belongs to another question.",
                ),
                Broken(
                    "lost its system prompt",
                    ", system=SYSTEM)",
                    ")",
                    "The question is the same and the request is not.",
                ),
                Broken(
                    "describes a tool in other words",
                    "Price of one item (单价)",
                    "Price, or a guess",
                    "A model chooses tools by their description, so this can change what it says.",
                ),
                Broken(
                    "works with another price",
                    "TEA_COSTS = 12",
                    "TEA_COSTS = 15",
                    "The first call is the same; in the second the model would read 15.",
                ),
                Broken(
                    "gives up after the first reply",
                    "run(model, registry, QUESTION, system=SYSTEM)",
                    'model.complete([Message("system", SYSTEM), Message("user", QUESTION)], registry.schemas())',
                    "What it sends is right, and it stops too soon; only the rest of the script shows it.",
                ),
                Broken(
                    "asks nobody",
                    "return run(",
                    "return QUESTION\n    run(",
                    "No request, so no request that differs.",
                ),
            ],
            AGENT,
            lambda source: (made_agent(source), ONE_CALL),
            "agent",
        )
    ],
    wrong_tests=[
        WrongTest(
            "replays without comparing",
            """
def check_recording(file, agent):
    model = load_fixture(file)
    agent(model)
    model.assert_exhausted()
""",
            "rejects an agent that was given another question",
            "Every turn is played, and none belongs to what was asked.",
        ),
        WrongTest(
            "does not ask whether all was used",
            """
def check_recording(file, agent):
    agent(load_fixture(file, strict=True))
""",
            "rejects an agent that asks nobody",
            "Strict compares the requests that are made; that they are made is another question.",
        ),
        WrongTest(
            "counts to two",
            """
def check_recording(file, agent):
    model = load_fixture(file, strict=True)
    agent(model)
    assert len(model.calls) == 2
""",
            "accepts a recording with one turn more",
            "The number stands in the file; assert_exhausted reads it there.",
        ),
        WrongTest(
            "looks at the question alone",
            """
def check_recording(file, agent):
    model = load_fixture(file)
    agent(model)
    assert "What does tea cost?" in [message.content for message in model.calls[0].messages]
    model.assert_exhausted()
""",
            "rejects an agent that describes a tool in other words",
            "What a model says depends on all of the request: system prompt, results and tools too.",
        ),
    ],
    world=world,
)

EXERCISES = (REPAIR, REDACT, CHECK_RECORDING)

PREDICTIONS: tuple[Question, ...] = (
    Question(
        "The model pays with a card whose number is secret, and it stands in the arguments as a number. "
        "What does save do?",
        [
            Choice(
                "It raises, and writes nothing.",
                True,
                "save reads the finished text once more, and no file is better than one that leaks.",
            ),
            Choice(
                "It writes the file, with a warning.",
                False,
                "A warning is read after the commit, and then the secret is in the history.",
            ),
            Choice(
                "It writes the file without that turn.",
                False,
                "A file without a turn plays another run.",
            ),
        ],
    ),
    Question(
        "A run was recorded with 'What does tea cost?'. Now the prompt says 'What does CAKE cost?'. "
        "What does a replay by load_fixture do?",
        [
            Choice(
                "It fails: the question is another one.",
                False,
                "So it should, and nothing looks at the question.",
            ),
            Choice(
                "It passes, as if nothing had happened.",
                True,
                "It plays the next turn, whatever it is asked, and that speaks of tea.",
            ),
            Choice(
                "It answers for cake.",
                False,
                "Nobody ever asked a model about cake, so no such answer is in the file.",
            ),
        ],
    ),
    Question(
        "The real model changed overnight: it does not name the price any more. "
        "What does the strict replay of the old recording do?",
        [
            Choice(
                "It fails: the model is another one.",
                False,
                "Strict compares requests, and ours are the same. (With model=... it compares the model's name too.)",
            ),
            Choice(
                "It fails at call 2, where the answer differs.",
                False,
                "The answer comes from the file. It is the old one, and nobody asked for a new one.",
            ),
            Choice(
                "It passes: nobody asked the model.",
                True,
                "It shows that our code still sends the same and copes with what was said then. Not more.",
            ),
        ],
    ),
)

QUIZ = Quiz(
    "06",
    [
        Question(
            "All strict replays are green. What is proved?",
            [
                Choice(
                    "Our code still sends what was recorded.",
                    True,
                    "And it copes with what the model said then. Not more: nobody asked the model today.",
                ),
                Choice(
                    "The model still answers as well as on the day of the recording.",
                    False,
                    "It was not asked; it may be another one by now.",
                ),
                Choice(
                    "The answers are right, or the recording would not have been kept.",
                    False,
                    "A recording keeps wrong answers as well as right ones.",
                ),
            ],
        ),
        Question(
            "You edited the system prompt, and a strict replay fails. What do you do?",
            [
                Choice(
                    "Take strict=True away, for the prompt was changed on purpose.",
                    False,
                    "Then the stale recording is played, and the test is green.",
                ),
                Choice(
                    "Edit the recorded prompt in the file, so that both are the same again.",
                    False,
                    "Its digest no longer fits; and what stands below it was said to another prompt.",
                ),
                Choice("Raise max_steps.", False, "The request differs; how often it is sent does not matter."),
                Choice(
                    "Read the difference, and if it was meant, record again.",
                    True,
                    "Only the model can say what it says to the new prompt. Then look at what is new in the file.",
                ),
            ],
        ),
        Question(
            "Which of these may stay in a fixture?",
            [
                Choice("The key, if it is in base64.", False, "Base64 is another spelling, and anybody can decode it."),
                Choice("The ids of tool calls, and the usage.", True, "Without them a replay is another run."),
                Choice("The authorization header: nothing plays it.", False, "Everybody who has the file can read it."),
            ],
        ),
        Question(
            "You want to test what your agent does when the third reply is cut. What fits best?",
            [
                Choice(
                    "A recording: only a real model is really cut.",
                    False,
                    "You would have to wait until just that one is cut.",
                ),
                Choice("A fake: a script with that reply.", True, "Edges are what you can write and hardly record."),
                Choice("A strict replay of any run.", False, "It plays what was said, and that was not cut."),
            ],
        ),
    ],
)

"""Chapter 01, meet FakeModel: predictions, exercises and quiz."""

from __future__ import annotations

import contextlib
import re
from functools import partial
from typing import Any

from minagent_lab import (
    Expect,
    FakeModel,
    Message,
    ModelRequest,
    ModelResponse,
    RunResult,
    ScriptExhausted,
    UnexpectedRequest,
    run,
)
from minagent_lab.course.exercise import Exercise, Mutant, WrongTest, is_function, made, says
from minagent_lab.course.expecting import expect, shown
from minagent_lab.course.judging import Broken, judge
from minagent_lab.course.quiz import Choice, Question, Quiz
from minagent_lab.course.shop import TEA, shop, world

TITLE = "Meet FakeModel"
QUESTION = "What do two teas cost?"


def _ask(model: Any, question: str) -> Any:
    return model.complete([Message("user", question)], []).message.content


def _world() -> dict[str, Any]:
    return {**world(), "ask": _ask, "tea": TEA}


# ---- 1.1 ------------------------------------------------------------------------------------------------------------


def _played(script: Any) -> tuple[FakeModel, RunResult]:
    try:
        model = FakeModel(script)
    except (TypeError, ValueError):
        raise AssertionError("FakeModel has to take the script first") from None
    try:
        return model, run(model, shop(), QUESTION)
    except ScriptExhausted:
        raise AssertionError("the script ends before the answer; after a tool the model is asked once more") from None


def _used(script: Any) -> list[tuple[str, dict[str, Any]]]:
    return [(step.call.name, step.call.arguments) for step in _played(script)[1].steps if step.call]


def test_FakeModel_takes_the_script(script: Any) -> None:  # noqa: N802  (its name)
    FakeModel(script)


def test_first_the_model_asks_for_the_price_of_tea(script: Any) -> None:
    expect(_used(script)[:1], [("price", {"item": "tea"})], "first tool call:")


def test_then_it_adds_12_and_12(script: Any) -> None:
    expect(_used(script)[1:], [("add", {"a": 12, "b": 12})], "after the price:")


def test_it_waits_for_the_price_before_it_adds(script: Any) -> None:
    calls = len(_played(script)[0].calls)
    assert calls != 2, "two calls for a price, a sum and an answer: the model cannot know 12 before it has come back"
    expect(calls, 3, "number of calls:")


def test_each_tool_call_has_an_id_of_its_own(script: Any) -> None:
    ids = [step.call.id for step in _played(script)[1].steps if step.call]
    assert len(set(ids)) == len(ids), f"the ids are {ids}; a result could not be told from another"


def test_the_answer_says_24(script: Any) -> None:
    final = _played(script)[1].final
    assert re.search(r"(?<!\d)24(?!\d)", final), f"the answer is {final!r}"


def test_nothing_is_left_over(script: Any) -> None:
    _played(script)[0].assert_exhausted()


WRITE_A_SCRIPT = Exercise(
    id="1.1",
    title="Write a script",
    thing="script",
    wants="a list, your script",
    fits=lambda thing: isinstance(thing, list),
    starter="""
script = [ToolCall("c1", "price", {"item": "tea"}), "Two teas cost 24."]
""",
    hints=[
        "The slip is that of section 4. And how many turns does the model need, if it may not guess the price?",
        "Three items: a list, a list, a text. The second call needs an id of its own.",
        'The second item is `[ToolCall("c2", "add", {…})]`, and `add` takes the numbers `a` and `b`.',
    ],
    solution="""
script = [
    [ToolCall("c1", "price", {"item": "tea"})],
    [ToolCall("c2", "add", {"a": 12, "b": 12})],
    "Two teas cost 24.",
]
""",
    tests=[
        test_FakeModel_takes_the_script,
        test_first_the_model_asks_for_the_price_of_tea,
        test_then_it_adds_12_and_12,
        test_it_waits_for_the_price_before_it_adds,
        test_each_tool_call_has_an_id_of_its_own,
        test_the_answer_says_24,
        test_nothing_is_left_over,
    ],
    mutants=[
        Mutant(
            "leaves out the inner brackets",
            '[ToolCall("c1", "price", {"item": "tea"})]',
            'ToolCall("c1", "price", {"item": "tea"})',
            "test_FakeModel_takes_the_script",
            "One reply may hold several calls, so they stand in a list, even a single one.",
        ),
        Mutant(
            "asks for both tools in one reply",
            '{"item": "tea"})],\n    [ToolCall("c2"',
            '{"item": "tea"}), ToolCall("c2"',
            "test_it_waits_for_the_price_before_it_adds",
            "The calls of one reply are written before any result is there, so this 12 would be a guess.",
        ),
        Mutant(
            "adds the names instead of the prices",
            '{"a": 12, "b": 12}',
            '{"a": "tea", "b": "tea"}',
            "test_then_it_adds_12_and_12",
            "A tool knows nothing of the other tool's result; the model has to carry 12 over.",
        ),
        Mutant(
            "skips the adding",
            '    [ToolCall("c2", "add", {"a": 12, "b": 12})],\n',
            "",
            "test_then_it_adds_12_and_12",
            "The answer comes out the same, because it was in the script; only the calls show what was done.",
        ),
        Mutant(
            "uses one id twice",
            '"c2"',
            '"c1"',
            "test_each_tool_call_has_an_id_of_its_own",
            "The id pairs a call with its result; used twice, it pairs nothing.",
        ),
        Mutant(
            "has no answer",
            '    "Two teas cost 24.",\n',
            "",
            "test_the_answer_says_24",
            "After the last tool the loop asks once more, and then the script is used up.",
        ),
        Mutant(
            "answers twice",
            '"Two teas cost 24.",',
            '"Two teas cost 24.", "Anything else?",',
            "test_nothing_is_left_over",
            "The first text ends the run; what stands after it is never played.",
        ),
    ],
    world=_world,
)


# ---- 1.2 ------------------------------------------------------------------------------------------------------------


def _reply(fake: Any, question: str) -> str:
    reply = fake.complete([Message("user", question)], [])
    assert isinstance(reply, ModelResponse), f"complete returned {shown(reply)}; return a ModelResponse"
    return reply.message.content


def test_lines_are_played_in_order(fake_class: Any) -> None:
    fake = fake_class(["Tea costs 12.", "Cake costs 8."])
    expect([_reply(fake, "Tea?"), _reply(fake, "Cake?")], ["Tea costs 12.", "Cake costs 8."], "answers:")


def test_your_list_stays_as_it_was(fake_class: Any) -> None:
    lines = ["Tea costs 12."]
    _reply(fake_class(lines), "Tea?")
    expect(lines, ["Tea costs 12."], "the list outside, afterwards:")


def test_each_call_is_kept_in_calls(fake_class: Any) -> None:
    fake = fake_class(["Tea costs 12."])
    _reply(fake, "Tea?")
    assert len(fake.calls) == 1, f"one call was made, and calls holds {len(fake.calls)}"
    messages = _sent(fake.calls[0])
    assert messages == [Message("user", "Tea?")], f"calls[0] holds {shown(messages)}, not the messages sent"


def test_what_is_added_afterwards_does_not_change_it(fake_class: Any) -> None:
    fake, messages = fake_class(["Tea costs 12."]), [Message("user", "Tea?")]
    fake.complete(messages, [])
    assert fake.calls, "calls is empty after a call"
    messages.append(Message("user", "Cake?"))
    assert len(_sent(fake.calls[0])) == 1, "calls shows a message that came after the call; keep a copy"


@says("a used-up script raises RuntimeError")
def test_a_used_up_script_raises_RuntimeError(fake_class: Any) -> None:  # noqa: N802  (its name)
    fake = fake_class([])
    try:
        end = fake.complete([Message("user", "Coffee?")], [])
    except RuntimeError:
        return
    except Exception as problem:
        kind = type(problem).__name__
        raise AssertionError(
            f"it raised {kind}, which says nothing of a script; raise a RuntimeError of your own"
        ) from None
    assert not isinstance(end, BaseException), f"it returned {shown(end)}; an error has to be raised"
    raise AssertionError(f"nothing was left, and it returned {shown(end)}")


def test_the_call_that_found_nothing_left_is_kept_too(fake_class: Any) -> None:
    fake = fake_class([])
    with contextlib.suppress(Exception):
        fake.complete([Message("user", "Coffee?")], [])
    assert len(fake.calls) == 1, "the call that failed is the one you will look for; keep it before you answer"


def test_two_fakes_do_not_share_their_calls(fake_class: Any) -> None:
    one, other = fake_class(["Tea costs 12."]), fake_class([])
    _reply(one, "Tea?")
    assert not other.calls, "a call to one fake turned up in another one's calls"


def _sent(call: Any) -> list[Message]:
    """Return the messages of a kept call, whether it was kept as a pair or as the messages alone."""
    try:
        first = call[0]
        return [*call] if isinstance(first, Message) else [*first]
    except (TypeError, IndexError, KeyError):
        raise AssertionError(f"calls[0] is {shown(call)}; keep the messages that were sent, and the tools") from None


REPAIR_THE_FAKE = Exercise(
    id="1.2",
    title="Repair the tiny fake",
    thing="MyFake",
    wants="a class MyFake(script) with complete(messages, tools)",
    fits=lambda thing: isinstance(thing, type) and hasattr(thing, "complete"),
    starter="""
class MyFake:
    def __init__(self, script):
        self.script, self.calls = script, []

    def complete(self, messages, tools):
        if self.script:
            return ModelResponse(Message("assistant", self.script.pop(0)))
""",
    hints=[
        "Three faults, three small changes. Which list should the fake keep, yours or one of its own?",
        "`list(script)` is a copy. So is `list(messages)`: append it, with the tools, to `self.calls`.",
        "Record first. Then, if nothing is left, `raise RuntimeError(…)` with words. Then answer.",
    ],
    solution="""
class MyFake:
    def __init__(self, script):
        self.script, self.calls = list(script), []

    def complete(self, messages, tools):
        self.calls.append((list(messages), tools))
        if not self.script:
            raise RuntimeError("the script is used up")
        return ModelResponse(Message("assistant", self.script.pop(0)))
""",
    tests=[
        test_lines_are_played_in_order,
        test_your_list_stays_as_it_was,
        test_each_call_is_kept_in_calls,
        test_what_is_added_afterwards_does_not_change_it,
        test_a_used_up_script_raises_RuntimeError,
        test_the_call_that_found_nothing_left_is_kept_too,
        test_two_fakes_do_not_share_their_calls,
    ],
    mutants=[
        Mutant(
            "keeps your list",
            "list(script), []",
            "script, []",
            "test_your_list_stays_as_it_was",
            "A second name for a list is not a second list; pop takes from both.",
        ),
        Mutant(
            "keeps the messages without copying",
            "(list(messages), tools)",
            "(messages, tools)",
            "test_what_is_added_afterwards_does_not_change_it",
            "The agent goes on adding to its list, and the record would change with it.",
        ),
        Mutant(
            "pops from the end",
            "pop(0)",
            "pop()",
            "test_lines_are_played_in_order",
            "pop() without a number takes the last item, so the script would run backwards.",
        ),
        Mutant(
            "records after answering",
            '        self.calls.append((list(messages), tools))\n        if not self.script:\n            raise RuntimeError("the script is used up")\n',
            '        if not self.script:\n            raise RuntimeError("the script is used up")\n        self.calls.append((list(messages), tools))\n',
            "test_the_call_that_found_nothing_left_is_kept_too",
            "The call too many is exactly the one a test has to look at.",
        ),
        Mutant(
            "lets pop complain",
            '        if not self.script:\n            raise RuntimeError("the script is used up")\n',
            "",
            "test_a_used_up_script_raises_RuntimeError",
            "IndexError: pop from empty list names neither a script nor a model.",
        ),
        Mutant(
            "returns the error instead of raising it",
            "raise RuntimeError",
            "return RuntimeError",
            "test_a_used_up_script_raises_RuntimeError",
            "A returned error is an ordinary value; the caller goes on with it.",
        ),
        Mutant(
            "counts the calls instead of keeping them",
            "self.calls.append((list(messages), tools))",
            "self.calls.append([len(messages)])",
            "test_each_call_is_kept_in_calls",
            "How many there were does not say what was sent.",
        ),
        Mutant(
            "has one list of calls for all fakes",
            "    def __init__(self, script):\n        self.script, self.calls = list(script), []",
            "    calls = []\n\n    def __init__(self, script):\n        self.script = list(script)",
            "test_two_fakes_do_not_share_their_calls",
            "A list in the class body exists once, however many fakes there are.",
        ),
    ],
    world=_world,
)


# ---- 1.3 ------------------------------------------------------------------------------------------------------------


def _lets_through(check: Any, *messages: Message) -> bool:
    model = FakeModel([Expect("Tea costs 12.", request=check)])
    try:
        model.complete(list(messages), [])
    except UnexpectedRequest:
        return False
    assert check(ModelRequest(messages, [])) is not None, (
        "your check returned None, which lets it through; is a return missing?"
    )
    return True


ASKED = Message("user", "What does tea cost?")
WISH = Message("assistant", tool_calls=[TEA])
TOLD = Message("tool", "12", tool_call_id="c1")


def test_a_good_run_gets_its_answer(check: Any) -> None:
    model = FakeModel([[TEA], Expect("Tea costs 12.", request=check)])
    try:
        expect(run(model, shop(), "What does tea cost?").final, "Tea costs 12.", "final answer:")
    except UnexpectedRequest:
        raise AssertionError("the last message was the price, and your check said no") from None


def test_a_user_who_says_12_is_not_the_price(check: Any) -> None:
    assert not _lets_through(check, Message("user", "12")), "your check let it through; who says it matters"


def test_an_error_is_not_the_price(check: Any) -> None:
    failed = Message("tool", '{"error": "no price for 12 teas"}', tool_call_id="c1")
    assert not _lets_through(check, ASKED, WISH, failed), f"your check let {failed.content} through"


def test_another_price_is_not_12(check: Any) -> None:
    for content in ("120", "8"):
        sent = Message("tool", content, tool_call_id="c1")
        assert not _lets_through(check, ASKED, WISH, sent), f"your check took {content!r} for '12'"


def test_only_the_last_message_counts(check: Any) -> None:
    later = (Message("assistant", "Tea costs 12."), Message("user", "And cake?"))
    assert not _lets_through(check, ASKED, WISH, TOLD, *later), (
        "the price came earlier; the last message is 'And cake?'"
    )


def test_it_answers_instead_of_failing(check: Any) -> None:
    for messages in ([ASKED], [ASKED, WISH]):
        try:
            _lets_through(check, *messages)
        except Exception as problem:
            last = messages[-1].role
            raise AssertionError(f"with a last message of role {last} it raised {type(problem).__name__}") from None


LISTEN = Exercise(
    id="1.3",
    title="A fake that listens",
    thing="saw_the_price",
    wants="a function saw_the_price(request)",
    fits=is_function,
    starter="""
def saw_the_price(request):
    return "12" in request.messages[-1].content
""",
    hints=[
        "The first try looks at the content alone. Who else could say 12? And which other texts hold a 12?",
        "A message has a `role` and a `content`. Both have to fit, and `==` is stricter than `in`.",
        "`last = request.messages[-1]`, then return whether `last.role` and `last.content` are what they should be.",
    ],
    solution="""
def saw_the_price(request):
    last = request.messages[-1]
    return last.role == "tool" and last.content == "12"
""",
    tests=[
        test_a_good_run_gets_its_answer,
        test_a_user_who_says_12_is_not_the_price,
        test_an_error_is_not_the_price,
        test_another_price_is_not_12,
        test_only_the_last_message_counts,
        test_it_answers_instead_of_failing,
    ],
    mutants=[
        Mutant(
            "looks only at the role",
            'last.role == "tool" and last.content == "12"',
            'last.role == "tool"',
            "test_an_error_is_not_the_price",
            "A failing tool sends a tool message too.",
        ),
        Mutant(
            "looks only at the content",
            'last.role == "tool" and last.content == "12"',
            'last.content == "12"',
            "test_a_user_who_says_12_is_not_the_price",
            "Anybody can say 12; the role says who did.",
        ),
        Mutant(
            "is content with a part",
            'last.content == "12"',
            '"12" in last.content',
            "test_another_price_is_not_12",
            "120 holds a 12 as well.",
        ),
        Mutant(
            "compares with a number",
            '"12"',
            "12",
            "test_a_good_run_gets_its_answer",
            'Content is text, and "12" == 12 is false in Python.',
        ),
        Mutant(
            "takes the first message",
            "[-1]",
            "[0]",
            "test_a_good_run_gets_its_answer",
            "The first message is the question; the newest one stands last.",
        ),
        Mutant(
            "looks for the price anywhere",
            'last.role == "tool" and last.content == "12"',
            'any(m.role == "tool" and m.content == "12" for m in request.messages)',
            "test_only_the_last_message_counts",
            "The whole history is sent each time, so an old price is in every later call.",
        ),
        Mutant(
            "says or instead of and",
            " and ",
            " or ",
            "test_a_user_who_says_12_is_not_the_price",
            "With or, either half is enough.",
        ),
        Mutant(
            "returns nothing",
            'return last.role == "tool" and last.content == "12"',
            'last.role == "tool" and last.content == "12"',
            "test_a_user_who_says_12_is_not_the_price",
            "Expect takes None for 'nothing to object', because a check may also use assert.",
        ),
        Mutant(
            "expects a call in each message",
            'last.role == "tool" and',
            'last.tool_calls[0].name != "" or',
            "test_it_answers_instead_of_failing",
            "Most messages hold no calls, and an empty tuple has no item 0.",
        ),
    ],
    world=_world,
)


# ---- 1.4 ------------------------------------------------------------------------------------------------------------

FAKE_SOURCE = REPAIR_THE_FAKE.solution
USED_UP = '            raise RuntimeError("the script is used up")\n'

BROKEN = [
    Broken("plays the last line first", "pop(0)", "pop()", "With a script of one line it looks right."),
    Broken("empties your list", "list(script), []", "script, []", "Its answers are right; your list is empty."),
    Broken(
        "says nothing when it is used up",
        USED_UP,
        "            return None\n",
        "The error comes later, elsewhere, and names no script.",
    ),
    Broken(
        "repeats itself when it is used up",
        USED_UP,
        '            return ModelResponse(Message("assistant", "Tea costs 12."))\n',
        "An agent that asks endlessly would never be found out.",
    ),
    Broken("keeps no record", "        self.calls.append((list(messages), tools))\n", "", "calls stays empty."),
    Broken("records only the last message", "list(messages)", "list(messages)[-1:]", "One message looks complete."),
    Broken("records a list that goes on changing", "(list(messages)", "(messages", "It shows the end, not the call."),
    Broken("forgets which tools were offered", ", tools))", ", []))", "The messages are right, the tools are gone."),
]

made_fake = partial(made, thing="MyFake", world=world)

WRITE_THE_TEST = Exercise(
    id="1.4",
    title="Write the test",
    thing="check_fake",
    wants="a function check_fake(Fake), your test",
    fits=is_function,
    starter="""
def check_fake(Fake):
    fake = Fake(["Tea costs 12."])
    assert ask(fake, "Tea?") == "Tea costs 12."
""",
    hints=[
        "One line cannot show an order. Give the fake two lines, keep your list under a name, and look at it afterwards.",
        "Used up: one question more, inside `with expect_error(RuntimeError):`. It fails by itself if nothing is raised.",
        "For the record call `fake.complete(messages, tools)` yourself, with two messages and `registry.schemas()`. Then "
        "add to `messages`, and compare `fake.calls[0]` with what was sent.",
    ],
    solution="""
def check_fake(Fake):
    lines = ["Tea costs 12.", "Cake costs 8."]
    fake, tools = Fake(lines), registry.schemas()
    messages = [Message("system", "Be kind."), Message("user", "Tea?")]
    assert fake.complete(messages, tools).message.content == "Tea costs 12."
    messages.append(Message("user", "Cake?"))
    assert len(fake.calls) == 1
    seen, offered = fake.calls[0]
    assert list(seen) == messages[:2]
    assert offered == tools
    assert ask(fake, "Cake?") == "Cake costs 8."
    assert len(lines) == 2
    with expect_error(RuntimeError):
        fake.complete(messages, tools)
""",
    tests=judge(
        {"FakeModel": lambda: FakeModel, "a good MyFake": lambda: made_fake(FAKE_SOURCE)},
        BROKEN,
        FAKE_SOURCE,
        made_fake,
        "fake",
    ),
    wrong_tests=[
        WrongTest(
            "plays one line",
            """
def check_fake(Fake):
    assert ask(Fake(["Tea costs 12."]), "Tea?") == "Tea costs 12."
""",
            "rejects a fake that plays the last line first",
            "The first and the last of one line are the same.",
        ),
        WrongTest(
            "counts the record",
            """
def check_fake(Fake):
    fake = Fake(["Tea costs 12."])
    ask(fake, "Tea?")
    assert len(fake.calls) == 1
""",
            "rejects a fake that records only the last message",
            "A record of the right length can hold the wrong things.",
        ),
        WrongTest(
            "looks at the record at once",
            """
def check_fake(Fake):
    fake, messages = Fake(["Tea costs 12."]), [Message("system", "Be kind."), Message("user", "Tea?")]
    fake.complete(messages, [])
    assert list(fake.calls[0][0]) == messages
""",
            "rejects a fake that records a list that goes on changing",
            "A list compared with itself is always equal; change yours before you compare.",
        ),
        WrongTest(
            "offers no tools",
            """
def check_fake(Fake):
    fake, messages = Fake(["Tea costs 12."]), [Message("user", "Tea?")]
    fake.complete(messages, [])
    assert fake.calls[0][1] == []
""",
            "rejects a fake that forgets which tools were offered",
            "With nothing offered, forgetting it makes no difference.",
        ),
        WrongTest(
            "pins the package's own words",
            """
def check_fake(Fake):
    fake = Fake(["Tea costs 12."])
    assert repr(fake).startswith("<FakeModel")
""",
            "accepts a good MyFake",
            "How a fake prints itself is its own affair; test what an agent and a test rely on.",
        ),
        WrongTest(
            "is content with any way to end",
            """
def check_fake(Fake):
    fake = Fake([])
    try:
        fake.complete([Message("user", "Tea?")], [])
    except Exception:
        pass
""",
            "rejects a fake that says nothing when it is used up",
            "Nothing fails when nothing is raised; expect_error does.",
        ),
    ],
    world=_world,
)

EXERCISES = (WRITE_A_SCRIPT, REPAIR_THE_FAKE, LISTEN, WRITE_THE_TEST)

PREDICTIONS: tuple[Question, ...] = (
    Question(
        "Your list has two lines. A FakeModel made of it is asked twice. "
        "How many lines are left in your list, how many items are not asked for yet, how many calls are kept?",
        [
            Choice(
                "0, 0, 2: it takes the lines out of your list.",
                False,
                "So did TinyFake. FakeModel moves on in a copy of its own, and your list is untouched.",
            ),
            Choice(
                "2, 0, 2: it walks through a list of its own.",
                True,
                "Your list stays as it is, each item was played once, and both calls are kept.",
            ),
            Choice(
                "2, 2, 2: the list is the script, so nothing is used up.",
                False,
                "The script is a copy of your list, and each of its items is played once.",
            ),
        ],
    ),
    Question(
        "The script says 'Tea costs 12.', and the tool says 15. What is the final answer?",
        [
            Choice(
                "'Tea costs 12.': so it stands in the script.",
                True,
                "Call 2 sent question, request and result, 15. The fake says what it would have said anyway.",
            ),
            Choice(
                "'Tea costs 15.': the model has read the result.",
                False,
                "A fake is sent the result and reads nothing. A real model would probably say 15.",
            ),
            Choice(
                "An error: script and result do not fit.",
                False,
                "Nobody compares the two, so nobody can complain.",
            ),
        ],
    ),
    Question(
        "This script has one item, a tool call, and no answer after it. What comes after the tool has run?",
        [
            Choice(
                "The run ends with 12: there is a result.",
                False,
                "A tool's result is not an answer. Only an answer of the model completes a run.",
            ),
            Choice(
                "The model plays its last item again.",
                False,
                "Playing on would hide an agent that asks endlessly.",
            ),
            Choice(
                "The run stops with an error.",
                True,
                "The loop asked a second time, and nothing was left to play.",
            ),
        ],
    ),
)

QUIZ = Quiz(
    "01",
    [
        Question(
            "What makes an object a model for run?",
            [
                Choice(
                    "It has complete(messages, tools) and returns a ModelResponse.",
                    True,
                    "A fake and a real service can therefore stand in for each other.",
                ),
                Choice("It inherits from Model.", False, "Yes of section 1 inherited from nothing."),
                Choice("It understands the messages.", False, "Nothing in a run can tell whether it does."),
            ],
        ),
        Question(
            "A test fails with FakeModel 脚本已耗尽 (script exhausted). What do you do first?",
            [
                Choice(
                    "Add one more text to the script.",
                    False,
                    "Perhaps later: if the extra call is a fault of the agent, this hides it.",
                ),
                Choice("Let the fake repeat its last item.", False, "Then a loop without end would pass."),
                Choice(
                    "Look at the last message of the extra call, and ask whether that call was right.",
                    True,
                    "The error text names the call and its last message.",
                ),
            ],
        ),
        Question(
            "model.calls[0].messages is looked at after the run. What does it show?",
            [
                Choice("The history at the end of the run.", False, "That would be the hand-made seen of section 7."),
                Choice("What call 1 was sent, unchanged.", True, "A copy, made before the model answered."),
                Choice(
                    "What call 1 was sent, and its reply.",
                    False,
                    "The reply comes back from the call; it is first sent in call 2.",
                ),
            ],
        ),
        Question(
            "A run of two calls reports the usage 40 in, 2 out. One of the replies had the usage {}. "
            "What did the run really use?",
            [
                Choice("At least that.", True, "The sum covers only those calls that told their usage."),
                Choice("Exactly that: the other call used nothing.", False, "{} is unknown, not zero."),
                Choice("Twice that.", False, "Nothing says that two calls cost the same."),
            ],
        ),
    ],
)

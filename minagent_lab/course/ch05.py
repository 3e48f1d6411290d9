"""Chapter 05, asserting on calls: predictions, exercises and quiz."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from minagent_lab import FakeModel, Message, Tool, ToolRegistry, run
from minagent_lab.course import shop
from minagent_lab.course.exercise import Exercise, Mutant, Test, WrongTest, is_function, made, mutated, says
from minagent_lab.course.judging import Broken, judge
from minagent_lab.course.pytest_runs import PytestReport, run_pytest
from minagent_lab.course.quiz import Choice, Question, Quiz
from minagent_lab.course.shop import CAKE, PATIENCE, PRICES, TEA, ShopClosed
from minagent_lab.testing import ToolCalls, tool_calls

TITLE = "Asserting on calls"
SYSTEM = "You are a shop clerk. Look prices up, never guess."

LOOP = """
def agent(model, registry, prompt, system=None):
    messages = [] if system is None else [Message("system", system)]
    messages.append(Message("user", prompt))
    while True:
        reply = model.complete(messages, registry.schemas())
        messages.append(reply.message)
        if not reply.message.tool_calls:
            return messages
        for call in reply.message.tool_calls:
            result = registry.call(call.name, call.arguments)
            messages.append(Message("tool", result, tool_call_id=call.id))
"""
OWN_NOTE = LOOP.replace(
    '[] if system is None else [Message("system", system)]',
    '[Message("system", f"{system or str()} Answer politely.".strip())]',
)


def counted_shop() -> tuple[ToolRegistry, list[str]]:
    """Return a fresh shop, and the list in which it notes every item that is really looked up."""
    registry, ran = shop.shop(), list[str]()

    def price(item: str) -> int:
        ran.append(item)
        if len(ran) > PATIENCE:
            raise ShopClosed
        return PRICES[item]

    registry.add(Tool("price", "Price of one item (单价)", shop.ONE_ITEM, price), replace=True)
    return registry, ran


def world() -> dict[str, Any]:
    """Return the names that the chapter's cells define, as far as exercises use them."""
    registry, ran = counted_shop()
    return {**shop.world(), "registry": registry, "ran": ran, "tool_calls": tool_calls}


made_agent = partial(made, thing="agent", world=lambda: {"Message": Message})


MAKES_UP = Broken(
    "makes the result up",
    "registry.call(call.name, call.arguments)",
    '"0"',
    "Roles, ids and counts are right, but no tool ever ran; only the content shows it.",
)
ONLY_FIRST = Broken(
    "answers only the first call of a turn",
    "in reply.message.tool_calls:",
    "in reply.message.tool_calls[:1]:",
    "With one call per turn it looks right; with two, c2 is never answered.",
)
LAST_ID = Broken(
    "puts every result under the last id",
    "tool_call_id=call.id",
    "tool_call_id=reply.message.tool_calls[-1].id",
    "With one call per turn it looks right; with two, the price of tea is filed under cake.",
)
USERS_WORDS = Broken(
    "sends results as the user's words",
    'Message("tool", result, tool_call_id=call.id)',
    'Message("user", result)',
    "The content arrives, in the wrong role and without an id.",
)
ONLY_NEWEST = Broken(
    "sends only the newest message",
    "model.complete(messages, ",
    "model.complete(messages[-1:], ",
    "The model gets a price and no longer knows what was asked.",
)
FORGETS_REQUEST = Broken(
    "forgets the model's own message",
    "        messages.append(reply.message)\n",
    "",
    "The second call shows results that nobody asked for.",
)
TOOLS_ONCE = Broken(
    "offers the tools only once",
    "registry.schemas()",
    'registry.schemas() if messages[-1].role == "user" else []',
    "All messages are right; only the tools of the second call show it.",
)
LOSES_SYSTEM = Broken(
    "drops the system prompt after the first call",
    "model.complete(messages, ",
    'model.complete([m for m in messages if m.role != "system" or messages[-1].role == "user"], ',
    "The first call is perfect, so a test that looks only there is content.",
)
STOPS_EARLY = Broken(
    "never brings the result back",
    "while True:",
    "for _ in range(1):",
    "It asks once and runs the tools, and the model never hears of it.",
)
CUTS = Broken(
    "cuts long results",
    'Message("tool", result,',
    'Message("tool", result[:1],',
    "It saves room, and 12 becomes 1.",
)
TWICE = Broken(
    "runs every tool twice",
    "result = registry",
    "registry.call(call.name, call.arguments); result = registry",
    "Nothing of it is in `model.calls`; only the tool itself can tell, here by `ran`.",
)


# ---- 5.1 ------------------------------------------------------------------------------------------------------------


def calls_of(agent: Callable[..., Any]) -> Any:
    """Return what the model saw: tea and cake in one turn, then the answer, with a system prompt."""
    model = FakeModel([[TEA, CAKE], "12 and 8."])
    agent(model, counted_shop()[0], "What do tea and cake cost?", system=SYSTEM)
    return model.calls


ASSERT_ON_CALLS = Exercise(
    id="5.1",
    title="Four questions to the black box",
    thing="check_calls",
    wants="a function check_calls(calls)",
    fits=is_function,
    starter="""
def check_calls(calls):
    assert len(calls) == 2
""",
    hints=[
        "How often is asked already. How much: `[len(call.messages) for call in calls]`. What should it be? Call 1 has "
        "the system prompt and the question; two tool calls in one turn add three messages.",
        'Who speaks: `[m.role for m in calls[1].messages]`. Which tools: `[t["name"] for t in call.tools]`, in each '
        "call.",
        "The roles of call 2 are system, user, assistant, tool, tool. If you assert them, their number is asserted too.",
    ],
    solution="""
def check_calls(calls):
    assert len(calls) == 2
    assert [m.role for m in calls[0].messages] == ["system", "user"]
    assert [m.role for m in calls[1].messages] == ["system", "user", "assistant", "tool", "tool"]
    assert all({tool["name"] for tool in call.tools} == {"price", "add"} for call in calls)
""",
    tests=judge(
        {
            "the calls of the package's loop": lambda: calls_of(run),
            "the calls of the ten lines": lambda: calls_of(made_agent(LOOP)),
        },
        [STOPS_EARLY, ONLY_NEWEST, FORGETS_REQUEST, USERS_WORDS, LOSES_SYSTEM, TOOLS_ONCE],
        LOOP,
        lambda source: calls_of(made_agent(source)),
        "run of an agent",
    ),
    wrong_tests=[
        WrongTest(
            "counts the calls only",
            """
def check_calls(calls):
    assert len(calls) == 2
""",
            "rejects a run of an agent that sends only the newest message",
            "How often the model was asked says nothing about what it was told.",
        ),
        WrongTest(
            "looks at the first call only",
            """
def check_calls(calls):
    assert [m.role for m in calls[0].messages] == ["system", "user"]
    assert len(calls[0].tools) == 2
""",
            "rejects a run of an agent that drops the system prompt after the first call",
            "Before the first result, most broken agents have had no chance to go wrong.",
        ),
        WrongTest(
            "counts the messages, not who speaks",
            """
def check_calls(calls):
    assert [len(call.messages) for call in calls] == [2, 5]
    assert all(len(call.tools) == 2 for call in calls)
""",
            "rejects a run of an agent that sends results as the user's words",
            "Five messages can be the wrong five; the roles are asserted as easily as their number.",
        ),
        WrongTest(
            "asks for the tools of the first call only",
            """
def check_calls(calls):
    assert [m.role for m in calls[1].messages] == ["system", "user", "assistant", "tool", "tool"]
    assert len(calls[0].tools) == 2
""",
            "rejects a run of an agent that offers the tools only once",
            "Tools go along with every call, as the history does.",
        ),
        WrongTest(
            "takes two results for one message",
            """
def check_calls(calls):
    assert [len(call.messages) for call in calls] == [2, 4]
""",
            "accepts the calls of the ten lines",
            "A turn with k tool calls adds 1 + k messages: each call has its own result.",
        ),
    ],
    world=world,
)


# ---- 5.2 ------------------------------------------------------------------------------------------------------------

RESULT_ARRIVES = Exercise(
    id="5.2",
    title="The result reaches the model",
    thing="check_agent",
    wants="a function check_agent(agent), your test",
    fits=is_function,
    starter="""
def check_agent(agent):
    model = FakeModel([[ToolCall("c1", "price", {"item": "tea"})], "Tea costs 12."])
    agent(model, registry, "What does tea cost?")
    assert model.calls[1].messages[-1].content == "12"
""",
    hints=[
        "What hides in a turn with one call? Let the first item of your script hold two: tea under c1, cake under c2.",
        "Collect what the second call says of tools: `[(m.tool_call_id, m.content) for m in model.calls[1].messages if "
        'm.role == "tool"]`. Which list should that be?',
        "One right agent adds a system message of its own. So do not count messages and do not say at which place the "
        "results stand; pick them by their role.",
    ],
    solution="""
def check_agent(agent):
    tea, cake = ToolCall("c1", "price", {"item": "tea"}), ToolCall("c2", "price", {"item": "cake"})
    model = FakeModel([[tea, cake], "12 and 8."])
    agent(model, registry, "What do tea and cake cost?")
    assert len(model.calls) == 2, "the model should be asked again, with the results"
    results = [(m.tool_call_id, m.content) for m in model.calls[1].messages if m.role == "tool"]
    assert results == [("c1", "12"), ("c2", "8")]
""",
    tests=judge(
        {
            "the package's loop": lambda: run,
            "the ten lines": lambda: made_agent(LOOP),
            "an agent that adds a system message of its own": lambda: made_agent(OWN_NOTE),
        },
        [STOPS_EARLY, MAKES_UP, CUTS, ONLY_FIRST, LAST_ID, USERS_WORDS],
        LOOP,
        made_agent,
        "loop",
    ),
    wrong_tests=[
        WrongTest(
            "looks at the answer",
            """
def check_agent(agent):
    model = FakeModel([[ToolCall("c1", "price", {"item": "tea"})], "Tea costs 12."])
    agent(model, registry, "What does tea cost?")
    assert model.remaining == 0
""",
            "rejects a loop that makes the result up",
            "That the script was used up says that the agent went on, not what it brought back.",
        ),
        WrongTest(
            "tries one call per turn",
            """
def check_agent(agent):
    model = FakeModel([[ToolCall("c1", "price", {"item": "tea"})], "Tea costs 12."])
    agent(model, registry, "What does tea cost?")
    last = model.calls[1].messages[-1]
    assert (last.role, last.tool_call_id, last.content) == ("tool", "c1", "12")
""",
            "rejects a loop that puts every result under the last id",
            "With one call, the first id and the last id are the same.",
        ),
        WrongTest(
            "looks at the contents only",
            """
def check_agent(agent):
    tea, cake = ToolCall("c1", "price", {"item": "tea"}), ToolCall("c2", "price", {"item": "cake"})
    model = FakeModel([[tea, cake], "12 and 8."])
    agent(model, registry, "What do tea and cake cost?")
    assert [m.content for m in model.calls[1].messages[-2:]] == ["12", "8"]
""",
            "rejects a loop that sends results as the user's words",
            "The model tells results apart by role and id; 12 said by the user is no result.",
        ),
        WrongTest(
            "pins the whole history",
            """
def check_agent(agent):
    tea, cake = ToolCall("c1", "price", {"item": "tea"}), ToolCall("c2", "price", {"item": "cake"})
    model = FakeModel([[tea, cake], "12 and 8."])
    agent(model, registry, "What do tea and cake cost?")
    assert [m.role for m in model.calls[1].messages] == ["user", "assistant", "tool", "tool"]
""",
            "accepts an agent that adds a system message of its own",
            "The results arrive; what else is in the history is no business of this test.",
        ),
    ],
    world=world,
)


# ---- 5.3 ------------------------------------------------------------------------------------------------------------

CLERK = """
script = [
    [ToolCall("c1", "price", {"item": "tea"}), ToolCall("c2", "price", {"item": "cake"})],
    [ToolCall("c3", "add", {"a": 12, "b": 8})],
    "Together they cost 20.",
]
"""
ONE_BY_ONE = """
script = [
    [ToolCall("x1", "price", {"item": "cake"})],
    [ToolCall("x2", "price", {"item": "tea"})],
    [ToolCall("x3", "add", {"a": 8, "b": 12})],
    "Tea and cake: 20.",
]
"""
LOOKS_AGAIN = """
script = [
    [ToolCall("c1", "price", {"item": "tea"}), ToolCall("c2", "price", {"item": "cake"})],
    [ToolCall("c3", "price", {"item": "tea"})],
    [ToolCall("c4", "add", {"a": 12, "b": 8})],
    "That makes 20.",
]
"""


def clerk_calls(source: str) -> ToolCalls:
    """Return the tool calls of a run in which the model behaves as some source says. This shop can also refund."""
    script, registry = made(source, thing="(script, registry)", world=world)
    registry.add(Tool("refund", "Give the money back (退款)", shop.ONE_ITEM, lambda item: f"refunded {item}"))
    return tool_calls(run(FakeModel(script), registry, "What do tea and cake cost together?"))


IN_WORDS = Exercise(
    id="5.3",
    title="Ask in words",
    thing="check_clerk",
    wants="a function check_clerk(calls)",
    fits=is_function,
    starter="""
def check_clerk(calls):
    calls.tool("price", item="tea").once()
    calls.tool("price").before("add")
""",
    hints=[
        "The first try fails on a clerk who looks the price of tea up twice. Is that forbidden? Nobody said so; `once` "
        "is for `add`.",
        'There are two prices. `calls.tool("price", item="cake").before("add")` speaks of one of them; say it of each.',
        'And the tool that gives money back: `calls.never("refund")`.',
    ],
    solution="""
def check_clerk(calls):
    calls.tool("price", item="tea").before("add")
    calls.tool("price", item="cake").before("add")
    calls.tool("add").once()
    calls.never("refund")
""",
    tests=judge(
        {
            "a clerk who asks for both prices at once": lambda: clerk_calls(CLERK),
            "a clerk who asks one by one, cake first": lambda: clerk_calls(ONE_BY_ONE),
            "a clerk who looks tea up twice": lambda: clerk_calls(LOOKS_AGAIN),
        },
        [
            Broken(
                "guesses the price of cake",
                ', ToolCall("c2", "price", {"item": "cake"})',
                "",
                "The sum is right, by luck; nobody looked.",
            ),
            Broken(
                "guesses the price of tea",
                'ToolCall("c1", "price", {"item": "tea"}), ',
                "",
                "The sum is right, by luck; nobody looked.",
            ),
            Broken(
                "adds before looking cake up",
                ', ToolCall("c2", "price", {"item": "cake"})],\n    [ToolCall("c3", "add", {"a": 12, "b": 8})]',
                '],\n    [ToolCall("c3", "add", {"a": 12, "b": 8}), ToolCall("c2", "price", {"item": "cake"})]',
                "All calls are there, in an order that makes no sense.",
            ),
            Broken(
                "adds twice",
                '[ToolCall("c3", "add", {"a": 12, "b": 8})]',
                '[ToolCall("c3", "add", {"a": 12, "b": 8}), ToolCall("c4", "add", {"a": 12, "b": 8})]',
                "One sum was asked for.",
            ),
            Broken(
                "never adds",
                '    [ToolCall("c3", "add", {"a": 12, "b": 8})],\n',
                "",
                "It did the sum in its head, where nobody can check it.",
            ),
            Broken(
                "gives a refund",
                '{"a": 12, "b": 8})]',
                '{"a": 12, "b": 8}), ToolCall("c9", "refund", {"item": "tea"})]',
                "The answer is right and the money is gone.",
            ),
        ],
        CLERK,
        clerk_calls,
        "clerk",
    ),
    wrong_tests=[
        WrongTest(
            "speaks of any price",
            """
def check_clerk(calls):
    calls.tool("price").before("add")
    calls.tool("add").once()
    calls.never("refund")
""",
            "rejects a clerk that adds before looking cake up",
            "The first price came before the sum; the second did not, and needs a sentence of its own.",
        ),
        WrongTest(
            "pins the order of the two prices",
            """
def check_clerk(calls):
    calls.tool("price", item="tea").before("price", item="cake")
    calls.tool("price", item="cake").before("add")
    calls.tool("add").once()
    calls.never("refund")
""",
            "accepts a clerk who asks one by one, cake first",
            "Neither price needs the other; only the sum needs both.",
        ),
        WrongTest(
            "counts all calls",
            """
def check_clerk(calls):
    assert len(calls) == 3
    calls.tool("price", item="tea").before("add")
    calls.tool("price", item="cake").before("add")
""",
            "accepts a clerk who looks tea up twice",
            "A second look is no fault; a test that says so fails for the wrong reason.",
        ),
        WrongTest(
            "pins the order of the numbers",
            """
def check_clerk(calls):
    calls.tool("price", item="tea").before("add")
    calls.tool("price", item="cake").before("add")
    calls.tool("add", a=12, b=8).once()
    calls.never("refund")
""",
            "accepts a clerk who asks one by one, cake first",
            "8 + 12 is 12 + 8; ask for what matters.",
        ),
        WrongTest(
            "says only what should happen",
            """
def check_clerk(calls):
    calls.tool("price", item="tea").before("add")
    calls.tool("price", item="cake").before("add")
    calls.tool("add").once()
""",
            "rejects a clerk that gives a refund",
            "What must not happen needs a test as well: never.",
        ),
    ],
    world=world,
)


# ---- 5.4 ------------------------------------------------------------------------------------------------------------


def report_of(tests: str, agent: Callable[..., Any]) -> PytestReport:
    """Run a learner's test file on an agent, in a fresh shop."""
    registry, ran = counted_shop()
    return run_pytest(tests, agent=agent, registry=registry, ran=ran)


def passes_on(name: str, make: Callable[[], Callable[..., Any]]) -> Test:
    """Return a test of the test file: all of it passes on an agent that is right."""

    @says(f"passes on {name}")
    def test(tests: str) -> None:
        found = report_of(tests, make())
        bad = [result for result in found.results if result.outcome in ("FAILED", "ERROR")]
        assert not bad, "pytest says: " + " ".join(str(bad[0]).split())

    return test


FAULTS = (STOPS_EARLY, MAKES_UP, LAST_ID, ONLY_NEWEST, FORGETS_REQUEST, TOOLS_ONCE, TWICE)


def broken_agent(fault: Broken) -> Callable[..., Any]:
    """Return the ten lines with a fault."""
    agent: Callable[..., Any] = made_agent(mutated(LOOP, Mutant(fault.name, fault.old, fault.new, "", fault.why)))
    return agent


def fails_on(fault: Broken) -> Test:
    """Return a test of the test file: at least one test fails on a broken agent."""

    @says(f"fails on an agent that {fault.name}")
    def test(tests: str) -> str:
        found = report_of(tests, broken_agent(fault))
        errors = [result.reason for result in found.results if result.outcome == "ERROR"]
        assert not errors, f"pytest could not run the tests: {errors[0]}"
        assert found.names("FAILED"), "every test passes"
        return f"caught by {', '.join(found.names('FAILED'))}"

    return test


@says("it holds three tests or more, and each of three catches an agent")
def test_it_holds_three_tests_that_catch_something(tests: str) -> None:
    found = report_of(tests, run).results
    count = sum(result.outcome != "ERROR" for result in found)
    assert count >= 3, f"pytest runs {count}; with one behaviour per test, the name of a failing test says what broke"
    catching = {name for fault in FAULTS for name in report_of(tests, broken_agent(fault)).names("FAILED")}
    caught = f"only {', '.join(sorted(catching))} catches" if len(catching) == 1 else f"{len(catching)} tests catch"
    assert len(catching) >= 3, f"{caught} one of the seven agents; a test that no fault can fail tests nothing"


RIGHT: Sequence[tuple[str, Callable[[], Callable[..., Any]]]] = (
    ("the package's loop", lambda: run),
    ("the ten lines", lambda: made_agent(LOOP)),
    ("an agent that adds a system message of its own", lambda: made_agent(OWN_NOTE)),
)
FILE = Exercise(
    id="5.4",
    title="A test file that catches them",
    thing="MY_TESTS",
    wants="the test file as text, in triple quotes",
    fits=lambda thing: isinstance(thing, str),
    starter="""
MY_TESTS = '''
from minagent_lab import FakeModel, ToolCall

TEA = ToolCall("c1", "price", {"item": "tea"})
CAKE = ToolCall("c2", "price", {"item": "cake"})

def test_it_answers(agent, registry):
    model = FakeModel([[TEA], "Tea costs 12."])
    agent(model, registry, "What does tea cost?")
    model.assert_exhausted()
'''
""",
    hints=[
        "One behaviour per test. Three sentences to begin with: “each result arrives under its id”; “the question is "
        "still there in call 2”; “tools are offered in every call”. Make each a function name.",
        "Results: the check of 5.2, as a pytest test. The question: the role `user` and its content are among "
        "`model.calls[1].messages`. Tools: two names in each of `model.calls`.",
        "The agent that runs every tool twice leaves no trace in `model.calls`. The shop notes it: ask for `ran` by a "
        'parameter, let the agent look tea up once, and then `assert ran == ["tea"]`.',
    ],
    solution="""
MY_TESTS = '''
from minagent_lab import FakeModel, ToolCall

TEA = ToolCall("c1", "price", {"item": "tea"})
CAKE = ToolCall("c2", "price", {"item": "cake"})

def calls_of(agent, registry):
    model = FakeModel([[TEA, CAKE], "12 and 8."])
    agent(model, registry, "Tea and cake?", system="Be kind.")
    model.assert_exhausted()
    return model.calls

def test_each_result_arrives_under_its_id(agent, registry):
    second = calls_of(agent, registry)[1]
    results = [(m.tool_call_id, m.content) for m in second.messages if m.role == "tool"]
    assert results == [("c1", "12"), ("c2", "8")]

def test_the_second_call_still_has_all_that_was_said(agent, registry):
    second = calls_of(agent, registry)[1]
    assert [m.role for m in second.messages][-5:] == ["system", "user", "assistant", "tool", "tool"]

def test_tools_are_offered_in_every_call(agent, registry):
    for call in calls_of(agent, registry):
        assert {tool["name"] for tool in call.tools} == {"price", "add"}

def test_each_tool_runs_once(agent, registry, ran):
    calls_of(agent, registry)
    assert ran == ["tea", "cake"]
'''
""",
    tests=[
        test_it_holds_three_tests_that_catch_something,
        *(passes_on(name, make) for name, make in RIGHT),
        *(fails_on(fault) for fault in FAULTS),
    ],
    wrong_tests=[
        WrongTest(
            "one test for everything",
            """
MY_TESTS = '''
from minagent_lab import FakeModel, ToolCall

def test_agent(agent, registry):
    model = FakeModel([[ToolCall("c1", "price", {"item": "tea"})], "Tea costs 12."])
    agent(model, registry, "Tea?")
    assert [m.role for m in model.calls[1].messages][-3:] == ["user", "assistant", "tool"]
    assert model.calls[1].messages[-1].content == "12"
    assert len(model.calls[1].tools) == 2
'''
""",
            "it holds three tests or more, and each of three catches an agent",
            "The first assert that fails hides the others, and the name says nothing.",
        ),
        WrongTest(
            "three tests, two of which nothing can fail",
            """
MY_TESTS = '''
from minagent_lab import FakeModel, ToolCall

def test_script(agent, registry):
    model = FakeModel([[ToolCall("c1", "price", {"item": "tea"})], "Tea costs 12."])
    agent(model, registry, "Tea?")
    model.assert_exhausted()

def test_agent(agent):
    assert callable(agent)

def test_registry(registry):
    assert len(registry.schemas()) == 2
'''
""",
            "it holds three tests or more, and each of three catches an agent",
            "A test is worth what it can catch; these two pass whatever the agent does.",
        ),
        WrongTest(
            "functions that pytest does not find",
            """
MY_TESTS = '''
from minagent_lab import FakeModel

def check_answer(agent, registry):
    assert agent(FakeModel(["Hello."]), registry, "Hi") is not None
'''
""",
            "passes on the package's loop",
            "Pytest collects functions whose names begin with test_; the others are never called.",
        ),
        WrongTest(
            "the value that one agent returns",
            """
MY_TESTS = '''
from minagent_lab import FakeModel

def test_answer(agent, registry):
    assert agent(FakeModel(["Hello."]), registry, "Hi")[-1].content == "Hello."
'''
""",
            "passes on the package's loop",
            "Agents return different things; what the model saw is the same for all of them.",
        ),
        WrongTest(
            "trusts the black box alone",
            """
MY_TESTS = '''
from minagent_lab import FakeModel, ToolCall

def test_results(agent, registry):
    tea, cake = ToolCall("c1", "price", {"item": "tea"}), ToolCall("c2", "price", {"item": "cake"})
    model = FakeModel([[tea, cake], "12 and 8."])
    agent(model, registry, "Tea and cake?")
    assert [(m.tool_call_id, m.content) for m in model.calls[1].messages if m.role == "tool"] == [("c1", "12"), ("c2", "8")]
'''
""",
            "fails on an agent that runs every tool twice",
            "What happens in the world and not to the model needs a witness in the world.",
        ),
        WrongTest(
            "pins the first message",
            """
MY_TESTS = '''
from minagent_lab import FakeModel

def test_question_comes_first(agent, registry):
    model = FakeModel(["Hello."])
    agent(model, registry, "Hi")
    assert model.calls[0].messages[0].content == "Hi"
'''
""",
            "passes on an agent that adds a system message of its own",
            "That the question is there matters; that nothing stands before it does not.",
        ),
    ],
    world=world,
)

EXERCISES = (ASSERT_ON_CALLS, RESULT_ARRIVES, IN_WORDS, FILE)

PREDICTIONS: tuple[Question, ...] = (
    Question(
        "good, forgetful and inventive play the same script. What do they answer to 'What does tea cost?'",
        [
            Choice(
                "Only good says 12.",
                False,
                "An agent can hardly fail to hand on what it is given.",
            ),
            Choice(
                "All three say 12.",
                True,
                "The sentence was in your script before any agent began.",
            ),
            Choice(
                "inventive says 0, the others 12.",
                False,
                "The model does not read the 0. It reads nothing; it plays its script.",
            ),
        ],
    ),
    Question(
        "Six broken agents run beside the good one. For how many of them does no row of call 2 differ?",
        [
            Choice(
                "For two.",
                True,
                "One fault lies in the tools that go along, which are no rows. The other shows nowhere in model.calls.",
            ),
            Choice(
                "For one.",
                False,
                "There is one whose fault the model never sees, and one more that offers too few tools.",
            ),
            Choice(
                "For none: each of them is broken.",
                False,
                "Broken they are, and yet two of them are perfect in all their rows.",
            ),
        ],
    ),
    Question(
        "calls.tool('price', item='cake').before('add') does not hold, and assert len(calls) == 2 does not either. "
        "What do the two errors say?",
        [
            Choice(
                "Both only that an assert failed.",
                False,
                "What is asked in words shows all calls, in order.",
            ),
            Choice(
                "Both what was wanted and what came.",
                False,
                "A plain assert has no text. Python throws the values away.",
            ),
            Choice(
                "The first tells what came, the second does not.",
                True,
                "Words show the calls as they came. A plain assert says that it failed, and no more.",
            ),
        ],
    ),
)

QUIZ = Quiz(
    "05",
    [
        Question(
            "A test scripts the answer 'Tea costs 12.' and asserts that the agent's answer is just that. It passes. "
            "What is proved?",
            [
                Choice(
                    "The price was looked up, or the model could not have named it.",
                    False,
                    "An agent that makes every result up passes as well.",
                ),
                Choice(
                    "The agent works: it found its way from the question to the price.",
                    False,
                    "All broken agents of section 1 gave this answer.",
                ),
                Choice(
                    "The agent reached the end of the script.",
                    True,
                    "And handed the answer on, not more. It was in the script before the agent began.",
                ),
            ],
        ),
        Question(
            "After a run the list of messages has grown. What does model.calls[0].messages hold?",
            [
                Choice(
                    "All messages, for it is the same list that the loop appends to.",
                    False,
                    "It is a snapshot: appending later is not seen.",
                ),
                Choice("What the first call sent, as it was then.", True, "So asserts can wait until the run is over."),
                Choice(
                    "Only what was new in that call.", False, "Every call sends the whole history, and is kept whole."
                ),
            ],
        ),
        Question(
            "An agent runs every tool twice and sends the second result. Which assert catches it?",
            [
                Choice("len(model.calls) == 2", False, "The model is asked as often as before."),
                Choice(
                    "tool_calls(model).tool('price').once()",
                    False,
                    "That counts what the model asked for; it asked once, and the agent ran it twice.",
                ),
                Choice(
                    "ran == ['tea'], noted by the tool",
                    True,
                    "What happens in the world needs a witness in the world.",
                ),
                Choice(
                    "[m.role for m in model.calls[1].messages] == [...]",
                    False,
                    "The roles are as they should be.",
                ),
            ],
        ),
        Question(
            "Somebody rewords the description of a tool, and six tests fail. What was wrong?",
            [
                Choice(
                    "The new wording: a description is part of what the agent does.",
                    False,
                    "The agent works as before; nobody can tell the difference by the runs.",
                ),
                Choice(
                    "The tests: they compared what did not matter.",
                    True,
                    "Whole schemas, say, for a behaviour of which only the names matter. That is a false alarm.",
                ),
                Choice(
                    "Nothing: good tests should notice every change.",
                    False,
                    "Then they are switched off before long.",
                ),
            ],
        ),
    ],
)

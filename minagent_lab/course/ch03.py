"""Chapter 03, the agent loop: predictions, exercises and quiz."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from minagent_lab import FakeModel, Message, ModelResponse, ScriptExhausted, run
from minagent_lab.course.exercise import Exercise, Mutant, WrongTest, is_function, made, says
from minagent_lab.course.expecting import expect, shown
from minagent_lab.course.judging import Broken, judge
from minagent_lab.course.quiz import Choice, Question, Quiz
from minagent_lab.course.shop import CAKE, TEA, TOTAL, shop, world
from minagent_lab.messages import ToolCall

TITLE = "The agent loop"


# ---- 3.1 ------------------------------------------------------------------------------------------------------------


def _messages(agent: Any, *given: Any) -> list[Message]:
    """Run the learner's agent, and say what is wrong where it did not even return messages."""
    try:
        messages = agent(*given)
    except ScriptExhausted:
        raise AssertionError(
            "your agent asked again after a reply without tool calls; that reply ends the loop"
        ) from None
    sent = [*messages] if isinstance(messages, Sequence) else []
    if not sent or any(not isinstance(message, Message) for message in sent):
        raise AssertionError(f"the agent returned {shown(messages)}; return the list of messages")
    return sent


def test_a_plain_answer_ends_the_run(agent: Any) -> None:
    model = FakeModel(["Hello."])
    messages = _messages(agent, model, shop(), "Hi")
    assert model.calls, "the model was never asked"
    expect(_roles(messages), ["user", "assistant"], "for the roles")
    expect(messages, [Message("user", "Hi"), Message("assistant", "Hello.")], "the messages:")
    expect(len(model.calls), 1, "for the number of calls")


def test_tools_are_offered_in_every_call(agent: Any) -> None:
    model = FakeModel([[TEA], "12"])
    _messages(agent, model, shop(), "Tea?")
    expect([[tool["name"] for tool in call.tools] for call in model.calls], [["price", "add"]] * 2, "per call")


@says("each result is a tool message with its call's id")
def test_each_result_is_a_tool_message_with_its_calls_id(agent: Any) -> None:
    messages = _messages(agent, FakeModel([[TEA], "12"]), shop(), "Tea?")
    expect(list(messages)[2:3], [Message("tool", "12", tool_call_id="c1")], "third message:")


def test_every_call_of_a_turn_is_answered(agent: Any) -> None:
    messages = _messages(agent, FakeModel([[TEA, CAKE], "12 and 8"]), shop(), "Both?")
    results = [(m.tool_call_id, m.content) for m in messages if m.role == "tool"]
    expect(results, [("c1", "12"), ("c2", "8")], "ids and results:")


def test_it_goes_on_as_long_as_the_model_asks(agent: Any) -> None:
    model = FakeModel([[TEA], [CAKE], [TOTAL], "20"])
    messages = _messages(agent, model, shop(), "Both?")
    expect(len(model.calls), 4, "for three turns with tools and an answer, calls:")
    expect(messages[-1].content, "20", "last message:")


def test_each_call_sends_the_whole_history(agent: Any) -> None:
    model = FakeModel([[TEA], [CAKE], "12 and 8"])
    messages = _messages(agent, model, shop(), "Both?")
    expect(_roles(messages), ["user", "assistant", "tool", "assistant", "tool", "assistant"], "for the roles")
    expect([_roles(call.messages) for call in model.calls], [_roles(messages)[:n] for n in (1, 3, 5)], "sent per call:")


def test_words_beside_a_call_do_not_end_the_run(agent: Any) -> None:
    reply = ModelResponse(Message("assistant", "Let me look.", (TEA,)), "tool_use")
    expect(_messages(agent, FakeModel([reply, "12"]), shop(), "Tea?")[-1].content, "12", "last message:")


@says("an empty, cut answer ends the run")
def test_an_empty_cut_answer_ends_the_run(agent: Any) -> None:
    model = FakeModel([ModelResponse(Message("assistant", ""), "max_tokens")])
    expect(_messages(agent, model, shop(), "Tea?")[-1], Message("assistant", ""), "last message:")
    expect(len(model.calls), 1, "for the number of calls")


@says("the system prompt comes first, and only if given")
def test_the_system_prompt_comes_first_and_only_if_given(agent: Any) -> None:
    for system, roles in [("Be kind.", ["system", "user"]), (None, ["user"])]:
        model = FakeModel(["Hello."])
        _messages(agent, model, shop(), "Hi", system)
        assert model.calls, "the model was never asked"
        expect(_roles(model.calls[0].messages), roles, f"with system={system!r}, the first call")


def _roles(messages: Any) -> list[str]:
    return [message.role for message in messages]


LOOP = Exercise(
    id="3.1",
    title="The loop, with a system prompt",
    thing="agent",
    wants="a function agent(model, registry, prompt, system=None)",
    fits=is_function,
    starter="""
def agent(model, registry, prompt, system=None):
    messages = [Message("user", prompt)]
    # ask, keep the reply, stop or run the tools, ask again
    return messages
""",
    hints=[
        "Say it in words first: ask; keep the reply; are there calls? If not, return. If there are, run each one, keep "
        'each result, ask again. Which Python word is "again"?',
        "The only end is `if not reply.message.tool_calls: return messages`. A tool message is "
        '`Message("tool", text, tool_call_id=…)`: whose id is it?',
        "Start with `messages = []`. Add the system message only if `system is not None`, then the user message. From "
        "there on it is `my_run`.",
    ],
    solution="""
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
""",
    tests=[
        test_a_plain_answer_ends_the_run,
        test_tools_are_offered_in_every_call,
        test_each_result_is_a_tool_message_with_its_calls_id,
        test_every_call_of_a_turn_is_answered,
        test_it_goes_on_as_long_as_the_model_asks,
        test_each_call_sends_the_whole_history,
        test_words_beside_a_call_do_not_end_the_run,
        test_an_empty_cut_answer_ends_the_run,
        test_the_system_prompt_comes_first_and_only_if_given,
    ],
    mutants=[
        Mutant(
            "drops the model's message",
            "        messages.append(reply.message)\n",
            "",
            "test_each_call_sends_the_whole_history",
            "The result stands there without the request it answers; real services refuse such a history.",
        ),
        Mutant(
            "runs only the first call of a turn",
            "for call in reply.message.tool_calls:",
            "for call in reply.message.tool_calls[:1]:",
            "test_every_call_of_a_turn_is_answered",
            "A model may ask for several tools in one reply, and every id needs its answer.",
        ),
        Mutant(
            "uses the tool's name as the id",
            "tool_call_id=call.id",
            "tool_call_id=call.name",
            "test_each_result_is_a_tool_message_with_its_calls_id",
            "One tool can be called twice in a turn; only the id says which result is whose.",
        ),
        Mutant(
            "sends the result as the user's words",
            'Message("tool", result, tool_call_id=call.id)',
            'Message("user", result)',
            "test_each_result_is_a_tool_message_with_its_calls_id",
            "The user did not say 12; a result has the role tool and the id of its call.",
        ),
        Mutant(
            "stops as soon as there is text",
            "if not reply.message.tool_calls:",
            "if reply.message.content:",
            "test_words_beside_a_call_do_not_end_the_run",
            "Models often say 'let me look' beside a call; the calls decide, not the text.",
        ),
        Mutant(
            "stops only on end_turn",
            "if not reply.message.tool_calls:",
            'if reply.stop_reason == "end_turn":',
            "test_an_empty_cut_answer_ends_the_run",
            "A cut answer has another stop reason and no calls; this loop then asks again although nothing is new.",
        ),
        Mutant(
            "sends only the newest message",
            "model.complete(messages, ",
            "model.complete(messages[-1:], ",
            "test_each_call_sends_the_whole_history",
            "The model remembers nothing between calls; what is not sent does not exist for it.",
        ),
        Mutant(
            "does not offer the tools",
            "registry.schemas()",
            "[]",
            "test_tools_are_offered_in_every_call",
            "A real model can only ask for tools it has been told about; a script hides this mistake.",
        ),
        Mutant(
            "asks exactly twice",
            "while True:",
            "for _ in range(2):",
            "test_it_goes_on_as_long_as_the_model_asks",
            "Ask, run, ask is one round; the model decides how many rounds there are.",
        ),
        Mutant(
            "asks before the loop, never again",
            "    while True:\n        reply = model.complete(messages, registry.schemas())\n",
            "    reply = model.complete(messages, registry.schemas())\n    while True:\n",
            "test_it_goes_on_as_long_as_the_model_asks",
            "The model never sees the result, and the same call is run endlessly; asking belongs inside the loop.",
        ),
        Mutant(
            "adds an empty system message",
            '[] if system is None else [Message("system", system)]',
            '[Message("system", system or "")]',
            "test_the_system_prompt_comes_first_and_only_if_given",
            "None means no system prompt, not a message without text.",
        ),
    ],
    world=world,
)


# ---- 3.2 ------------------------------------------------------------------------------------------------------------


@says("no tools: one call")
def test_no_tools_one_call(counts: Any) -> None:
    expect(counts([]), [1], "for turns []")


def test_one_tool_adds_two_messages(counts: Any) -> None:
    expect(counts([1]), [1, 3], "for turns [1]")


def test_calls_of_one_turn_share_one_assistant_message(counts: Any) -> None:
    expect(counts([2]), [1, 4], "for turns [2]")
    expect(counts([3]), [1, 5], "for turns [3]")


def test_the_system_prompt_counts_in_every_call(counts: Any) -> None:
    expect(counts([1], system=True), [2, 4], "for turns [1] and a system prompt")
    expect(counts([2, 1], system=True), [2, 5, 7], "for turns [2, 1] and a system prompt")


@says("counts are totals, not only what is new")
def test_counts_are_totals_not_only_what_is_new(counts: Any) -> None:
    expect(counts([1, 1, 1]), [1, 3, 5, 7], "for turns [1, 1, 1]")


def test_it_agrees_with_real_runs(counts: Any) -> None:
    for turns in [[], [1], [4], [2, 1], [1, 3, 2], [1] * 9]:
        for system in [None, "Be kind."]:
            calls = [
                [ToolCall(f"t{n}c{k}", "price", {"item": "tea"}) for k in range(many)] for n, many in enumerate(turns)
            ]
            model = FakeModel([*calls, "done"])
            run(model, shop(), "go", system=system)
            real = [len(call.messages) for call in model.calls]
            expect(counts(turns, system=system is not None), real, f"a run with turns {turns}, system {system!r}:")


GROWTH = Exercise(
    id="3.2",
    title="Predict the growth",
    thing="messages_per_call",
    wants="a function messages_per_call(turns, system=False)",
    fits=is_function,
    starter="""
def messages_per_call(turns, system=False):
    counts = [1]
    # one more count for each turn with tools
    return counts
""",
    hints=[
        "What does the very first call send, without and with a system prompt?",
        "Take the table of section 4. What did the turn with two calls add? And the turn with one? Which message do both "
        "have?",
        "Each count is the one before it, `counts[-1]`, plus one assistant message, plus one tool message per call.",
    ],
    solution="""
def messages_per_call(turns, system=False):
    counts = [2 if system else 1]
    for calls in turns:
        counts.append(counts[-1] + 1 + calls)
    return counts
""",
    tests=[
        test_no_tools_one_call,
        test_one_tool_adds_two_messages,
        test_calls_of_one_turn_share_one_assistant_message,
        test_the_system_prompt_counts_in_every_call,
        test_counts_are_totals_not_only_what_is_new,
        test_it_agrees_with_real_runs,
    ],
    mutants=[
        Mutant(
            "forgets the assistant message",
            "counts[-1] + 1 + calls",
            "counts[-1] + calls",
            "test_one_tool_adds_two_messages",
            "The model's request is a message too; a turn adds it and the results.",
        ),
        Mutant(
            "every turn adds two",
            "counts[-1] + 1 + calls",
            "counts[-1] + 2",
            "test_calls_of_one_turn_share_one_assistant_message",
            "Two is right for one call only; each further call adds one more result.",
        ),
        Mutant(
            "one assistant message per call",
            "counts[-1] + 1 + calls",
            "counts[-1] + 2 * calls",
            "test_calls_of_one_turn_share_one_assistant_message",
            "All calls of a turn stand in one assistant message; only the results are separate.",
        ),
        Mutant(
            "counts only what is new",
            "counts[-1] + 1 + calls",
            "1 + calls",
            "test_counts_are_totals_not_only_what_is_new",
            "Every call sends the whole history again, not just the new part.",
        ),
        Mutant(
            "sends the system prompt only once",
            "return counts",
            "return counts[:1] + [count - system for count in counts[1:]]",
            "test_the_system_prompt_counts_in_every_call",
            "The model keeps nothing between calls, so the system prompt goes along each time.",
        ),
        Mutant(
            "leaves out the call that brings the answer",
            "return counts",
            "return counts[:-1]",
            "test_no_tools_one_call",
            "The final answer is also the reply to a call; n turns with tools make n + 1 calls.",
        ),
        Mutant(
            "counts the final answer as sent",
            "return counts",
            "return counts[:-1] + [counts[-1] + 1]",
            "test_no_tools_one_call",
            "The final answer comes back from the last call; no call sends it.",
        ),
    ],
    world=world,
)


# ---- 3.3 ------------------------------------------------------------------------------------------------------------

LOOP_SOURCE = """
def loop(model, registry, prompt, *, system=None, max_steps=10):
    messages = [] if system is None else [Message("system", system)]
    messages.append(Message("user", prompt))
    steps = []
    for turn in range(max_steps):
        reply = model.complete(messages, registry.schemas())
        messages.append(reply.message)
        if not reply.message.tool_calls:
            steps.append(Step("final", f"said {reply.message.content}"))
            return RunResult(reply.message.content, steps, messages, {}, "completed")
        for call in reply.message.tool_calls:
            result = registry.call(call.name, call.arguments)
            messages.append(Message("tool", result, tool_call_id=call.id))
            told = f"{result} came from {call.name} with {call.arguments}"
            steps.append(Step("tool_call", told, call, ToolResult(result)))
    raise RuntimeError(f"over {max_steps} steps")
"""

BROKEN = [
    Broken(
        "forgets the model's message",
        "        messages.append(reply.message)\n",
        "",
        "Its second call shows results that nobody asked for.",
    ),
    Broken(
        "runs only the first call of a turn",
        "for call in reply.message.tool_calls:",
        "for call in reply.message.tool_calls[:1]:",
        "With one call per turn it looks right; c2 is never answered.",
    ),
    Broken(
        "puts every result under the last id",
        "tool_call_id=call.id",
        "tool_call_id=reply.message.tool_calls[-1].id",
        "With one call per turn it looks right; with two, the price of tea is filed under cake.",
    ),
    Broken(
        "makes the result up",
        "registry.call(call.name, call.arguments)",
        '"0"',
        "It has the right roles and ids, but no tool ever ran; only the content shows it.",
    ),
    Broken(
        "sends results as the user's words",
        'Message("tool", result, tool_call_id=call.id)',
        'Message("user", result)',
        "It sends the right number of messages, in the wrong role and without an id.",
    ),
    Broken(
        "sends only the newest message",
        "model.complete(messages, ",
        "model.complete(messages[-1:], ",
        "The model gets a price and no longer knows what was asked.",
    ),
    Broken(
        "drops the system prompt after the first call",
        "model.complete(messages, ",
        'model.complete([m for m in messages if turn == 0 or m.role != "system"], ',
        "The first call is perfect, so a test that looks only there is content.",
    ),
    Broken(
        "offers the tools only once",
        "registry.schemas()",
        "registry.schemas() if turn == 0 else []",
        "The messages are all right; only the tools of the second call show it.",
    ),
]

made_loop = partial(made, thing="loop", world=world)

WRITE_THE_TEST = Exercise(
    id="3.3",
    title="Write the test",
    thing="check_loop",
    wants="a function check_loop(run), your test",
    fits=is_function,
    starter="""
def check_loop(run):
    model = FakeModel([[ToolCall("c1", "price", {"item": "tea"})], "Tea costs 12."])
    result = run(model, registry, "What does tea cost?")
    assert result.final == "Tea costs 12."
""",
    hints=[
        "The final answer comes from your own script, so every loop gets it. What did the model see? Look into "
        "`model.calls[1]`.",
        "One tool call hides two of the broken loops. Give one turn two calls, and pass a `system` prompt.",
        "Assert three things about the second call: the roles in order; for each tool message its id and its content; "
        "the tools.",
    ],
    solution="""
def check_loop(run):
    tea, cake = ToolCall("c1", "price", {"item": "tea"}), ToolCall("c2", "price", {"item": "cake"})
    model = FakeModel([[tea, cake], "12 and 8."])
    run(model, registry, "Tea and cake?", system="Look prices up.")
    first, second = model.calls
    assert [m.role for m in second.messages] == ["system", "user", "assistant", "tool", "tool"]
    assert [(m.tool_call_id, m.content) for m in second.messages[3:]] == [("c1", "12"), ("c2", "8")]
    assert len(first.tools) == len(second.tools) == 2
""",
    tests=judge(
        {"the package's loop": lambda: run, "another correct loop": lambda: made_loop(LOOP_SOURCE)},
        BROKEN,
        LOOP_SOURCE,
        made_loop,
        "loop",
    ),
    wrong_tests=[
        WrongTest(
            "looks only at the final answer",
            """
def check_loop(run):
    model = FakeModel([[ToolCall("c1", "price", {"item": "tea"})], "Tea costs 12."])
    assert run(model, registry, "Tea?").final == "Tea costs 12."
""",
            "rejects a loop that forgets the model's message",
            "The answer was in your script before the loop began; it proves only that the loop stopped.",
        ),
        WrongTest(
            "counts the calls",
            """
def check_loop(run):
    model = FakeModel([[ToolCall("c1", "price", {"item": "tea"})], "Tea costs 12."])
    run(model, registry, "Tea?")
    assert len(model.calls) == 2
""",
            "rejects a loop that sends only the newest message",
            "Every broken loop here asks twice; how often says nothing about what was sent.",
        ),
        WrongTest(
            "looks only at the first call",
            """
def check_loop(run):
    model = FakeModel([[ToolCall("c1", "price", {"item": "tea"})], "Tea costs 12."])
    run(model, registry, "Tea?", system="Look prices up.")
    assert [m.role for m in model.calls[0].messages] == ["system", "user"]
""",
            "rejects a loop that drops the system prompt after the first call",
            "Before the first tool result, most broken loops have had no chance to go wrong.",
        ),
        WrongTest(
            "counts the messages",
            """
def check_loop(run):
    calls = [ToolCall("c1", "price", {"item": "tea"}), ToolCall("c2", "price", {"item": "cake"})]
    model = FakeModel([calls, "12 and 8."])
    run(model, registry, "Both?", system="Look prices up.")
    assert [len(call.messages) for call in model.calls] == [2, 5]
""",
            "rejects a loop that makes the result up",
            "Five messages can still be five wrong ones; look at ids and contents.",
        ),
        WrongTest(
            "tries one call per turn",
            """
def check_loop(run):
    model = FakeModel([[ToolCall("c1", "price", {"item": "tea"})], "Tea costs 12."])
    run(model, registry, "Tea?", system="Look prices up.")
    assert [(m.role, m.tool_call_id) for m in model.calls[1].messages][2:] == [("assistant", None), ("tool", "c1")]
    assert model.calls[1].messages[-1].content == "12"
""",
            "rejects a loop that puts every result under the last id",
            "With one call, the first id and the last id are the same; two calls tell them apart.",
        ),
        WrongTest(
            "pins the wording of a step",
            """
def check_loop(run):
    model = FakeModel([[ToolCall("c1", "price", {"item": "tea"})], "Tea costs 12."])
    assert run(model, registry, "Tea?").steps[0].detail.startswith("price")
""",
            "accepts another correct loop",
            "How a step reads is for people and may change; test what the model saw.",
        ),
    ],
    world=world,
)

EXERCISES = (LOOP, GROWTH, WRITE_THE_TEST)

PREDICTIONS: tuple[Question, ...] = (
    Question(
        "We ask the model once, and its reply is a tool call for price. What is in ran afterwards?",
        [
            Choice(
                "['tea']: the model called the tool.",
                False,
                "A tool call is a request on paper. A real model has no hands either.",
            ),
            Choice(
                "[]: nothing was looked up.",
                True,
                "A reply only asks. Somebody else has to do it, and nobody has yet.",
            ),
            Choice("An error: the tool got no result.", False, "Nothing complains. The request just waits."),
        ],
    ),
    Question(
        "The system prompt has 50 characters, and the run made three calls. "
        "How many characters of system prompt were sent in all?",
        [
            Choice(
                "150: it goes along in each of the three calls.",
                True,
                "The model keeps nothing between calls. What it is to know is sent each time.",
            ),
            Choice(
                "100: once at the start, once for the answer.",
                False,
                "The call between them needs it too: in each call the model begins from nothing.",
            ),
            Choice(
                "50: the model was told once.",
                False,
                "What was told once is gone at the next call; the model has no memory of it.",
            ),
        ],
    ),
    Question(
        "price raises a KeyError, and the registry turns it into a text. In which role does it reach the model?",
        [
            Choice(
                "system: something is wrong with the shop.",
                False,
                "No rule tells the model what to do now. It decides for itself what to say.",
            ),
            Choice("user: somebody has to say that it went wrong.", False, "The user has said nothing."),
            Choice(
                "tool: it is what came of that tool call.",
                True,
                "The text stands where a price would have stood, under the same id.",
            ),
        ],
    ),
)

QUIZ = Quiz(
    "03",
    [
        Question(
            "A reply arrives with the stop reason tool_use. What has happened to the tool?",
            [
                Choice(
                    "The model has run it.",
                    False,
                    "It cannot: the call is a request, and in section 1 `ran` was still empty.",
                ),
                Choice(
                    "Nothing yet; the loop will run it.",
                    True,
                    "The line with registry.call comes after the reply.",
                ),
                Choice(
                    "The registry ran it when the schemas were sent.",
                    False,
                    "schemas() only describes the tools, as a menu describes dishes.",
                ),
                Choice(
                    "It failed, so the model stopped.",
                    False,
                    "The model stopped in order to wait for the result; that is the normal case.",
                ),
            ],
        ),
        Question(
            "No system prompt. Call 1 sends 1 message, and its reply asks for three tools. How many does call 2 send?",
            [
                Choice(
                    "2",
                    False,
                    "That would be the question and one more; the request and each result are all kept.",
                ),
                Choice("3", False, "That counts one call and one result; here there are three results."),
                Choice("5", True, "1 before, plus 1 assistant message, plus 3 results."),
                Choice("7", False, "That counts three assistant messages; the three calls stand in one."),
            ],
        ),
        Question(
            "No system prompt, one tool per turn; call 10 brings the answer. How many messages were sent in all ten calls?",
            [
                Choice("19", False, "That is what call 10 alone sends: 1 + 9 × 2."),
                Choice(
                    "20",
                    False,
                    "That is how many messages exist at the end; most of them were sent more than once.",
                ),
                Choice("55", False, "That is 1 + 2 + … + 10, as if each turn added one message; it adds two."),
                Choice(
                    "100",
                    True,
                    "1 + 3 + 5 + … + 19 = 100. Ten calls, ten squared. Exercise 3.2 can check it: "
                    "sum(messages_per_call([1] * 9)).",
                ),
            ],
        ),
        Question(
            "Why is agent_loop a generator?",
            [
                Choice(
                    "So that whoever drives it decides when and how each answer is fetched.",
                    True,
                    "At once, or after your click; or awaited, some day.",
                ),
                Choice(
                    "So that it runs faster.",
                    False,
                    "It does not; nearly all the time goes into waiting for the model anyway.",
                ),
                Choice(
                    "Because models send their text in pieces.",
                    False,
                    "That is streaming; here a note is handed out per question, not per word.",
                ),
                Choice(
                    "So that the history need not be kept in memory.",
                    False,
                    "It is kept, and grows; section 4 measured it.",
                ),
            ],
        ),
    ],
)

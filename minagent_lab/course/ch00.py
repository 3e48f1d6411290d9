"""Chapter 00, start here: predictions, exercises and quiz.

What the exercises ask for is read off a run, by the learner and here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from minagent_lab import FakeModel, RunResult, history_growth, run
from minagent_lab.course.exercise import Exercise, Mutant
from minagent_lab.course.expecting import expect, shown
from minagent_lab.course.quiz import Choice, Question, Quiz
from minagent_lab.course.shop import CAKE, TEA, TOTAL, shop
from minagent_lab.messages import ToolCall

TITLE = "Start here"


def _played(script: Sequence[Any]) -> tuple[FakeModel, RunResult]:
    model = FakeModel(script)
    return model, run(model, shop(), "What do they cost?")


def _several(count: int, kind: type | tuple[type, ...]) -> Callable[[Any], bool]:
    def fits(thing: Any) -> bool:
        return isinstance(thing, tuple) and len(thing) == count and all(isinstance(part, kind) for part in thing)

    return fits


# ---- 0.1 ------------------------------------------------------------------------------------------------------------

TOGETHER = [[TEA, CAKE], [TOTAL], "Together they cost 20."]


def _at_call_2() -> tuple[str, str, str]:
    """Return the tool that the model asks for in its second reply, under which id, and what came back."""
    _, result = _played(TOGETHER)
    asked = next(message for message in result.messages[2:] if message.tool_calls).tool_calls[0]
    text = next(message.content for message in result.messages if message.tool_call_id == asked.id)
    return asked.name, asked.id, text


def test_the_tool_is_the_one_asked_for_at_call_2(read: Any) -> None:
    asked, got = _at_call_2()[0], read[0]
    assert got is not ..., "asked_tool is still three dots; write the tool's name in quotes"
    assert got != "price", "asked_tool is 'price', which call 1 asked for; press Next until the view says Call 2"
    near = str(got).strip().lower().startswith(asked)
    assert got == asked or not near, f"asked_tool is {got!r}; only the name, just as it stands there: {asked!r}"
    assert got == asked, f"asked_tool is {shown(got)}; read What it replied at call 2"


def test_the_id_is_that_of_the_same_request(read: Any) -> None:
    wanted, got = _at_call_2()[1], read[1]
    assert got not in (TEA.id, CAKE.id), f"call_id is {got}, from call 1; take the one under What it replied at call 2"
    assert got == wanted, f"call_id is {shown(got)}; it stands in brackets in front of the tool's name; leave them out"


def test_the_text_is_what_the_tool_gave_back(read: Any) -> None:
    wanted, got = _at_call_2()[2], read[2]
    assert got != TOGETHER[-1], "that sentence is the model's, at call 3; what did the tool give back before it?"
    assert not isinstance(got, (int, float)), f"result_text is the number {got}; a model reads text, so write quotes"
    assert got == wanted, f"result_text is {shown(got)}; read the sentence 'Then the loop ran …' at call 2"


READ_A_CALL = Exercise(
    id="0.1",
    title="Read one call",
    thing="(asked_tool, call_id, result_text)",
    wants="three texts in quotes: asked_tool, call_id and result_text",
    fits=_several(3, object),
    starter="""
asked_tool = "price"
call_id = "c1"
result_text = "12"
""",
    hints=[
        "The first try was read at call 1. Press Next once more, until the top line says Call 2.",
        "Look under What it replied. The short text in brackets is the id, and the tool's name follows.",
        "The result stands in the sentence that begins 'Then the loop ran …'. Even a number is text here, in quotes.",
    ],
    solution="""
asked_tool = "add"
call_id = "c3"
result_text = "20"
""",
    tests=[
        test_the_tool_is_the_one_asked_for_at_call_2,
        test_the_id_is_that_of_the_same_request,
        test_the_text_is_what_the_tool_gave_back,
    ],
    mutants=[
        Mutant(
            "reads call 1",
            '"add"',
            '"price"',
            "test_the_tool_is_the_one_asked_for_at_call_2",
            "Each call has a reply of its own, so look first which call the view shows.",
        ),
        Mutant(
            "takes the id of the last row that the model sees",
            '"c3"',
            '"c2"',
            "test_the_id_is_that_of_the_same_request",
            "What the model sees at call 2 are the results of call 1; its own request stands under What it replied.",
        ),
        Mutant(
            "copies the brackets too",
            '"c3"',
            '"[c3]"',
            "test_the_id_is_that_of_the_same_request",
            "The view puts brackets round an id; the id itself is c3.",
        ),
        Mutant(
            "writes the result as a number",
            '"20"',
            "20",
            "test_the_text_is_what_the_tool_gave_back",
            "A tool may return a number, but what the model reads is text.",
        ),
        Mutant(
            "takes the final answer for the result",
            '"20"',
            '"Together they cost 20."',
            "test_the_text_is_what_the_tool_gave_back",
            "The tool gave back 20; the sentence round it is the model's, one call later.",
        ),
    ],
)


# ---- 0.2 ------------------------------------------------------------------------------------------------------------


def _growth() -> tuple[list[int], list[int]]:
    rows = history_growth(_played(TOGETHER)[0].calls)
    return [row.messages for row in rows], [row.new for row in rows]


def test_three_calls_make_three_numbers(lists: Any) -> None:
    for name, numbers in zip(("sent", "new"), lists, strict=True):
        quoted = [number for number in numbers if isinstance(number, str)]
        assert not quoted, f"{name} holds {quoted[0]!r}; write numbers, without quotes"
        assert len(numbers) == 3, f"{name} holds {len(numbers)} numbers; the run makes three calls"


def test_call_1_sends_the_question_alone(lists: Any) -> None:
    expect([*lists[0][:1], *lists[1][:1]], [1, 1], "sent and new at call 1:")


def test_call_2_adds_one_request_and_two_results(lists: Any) -> None:
    got = _at(lists[0], 2)
    assert got != 5, "5 counts the request twice; both tool calls stand in one message"
    assert got == _growth()[0][1], f"call 2 sends the question, one request, two results; you have {shown(got)}"


def test_call_3_sends_all_of_that_and_two_more(lists: Any) -> None:
    got = _at(lists[0], 3)
    assert got != 7, "7 counts the final answer; it comes back from call 3, and no call sends it"
    assert got == _growth()[0][2], f"call 3 sends what call 2 sent, one request, one result; you have {shown(got)}"


def test_new_counts_the_rows_marked_NEW(lists: Any) -> None:  # noqa: N802  (the view's own word)
    sent, new = _growth()
    got = [*lists[1]]
    assert got != sent, "these are all rows that were sent; NEW marks only those that no call sent before"
    for call, wanted in enumerate(new, 1):
        assert _at(got, call) == wanted, f"at call {call} you have {shown(_at(got, call))}; count the rows marked NEW"


def _at(numbers: Any, call: int) -> Any:
    assert len(numbers) >= call, f"there is no number for call {call}"
    return numbers[call - 1]


COUNT_ROWS = Exercise(
    id="0.2",
    title="Count the rows",
    thing="(sent, new)",
    wants="two lists of numbers, sent and new",
    fits=_several(2, (list, tuple)),
    starter="""
sent = [1, 2, 3]
new = [1, 1, 1]
""",
    hints=[
        "The heading What the model sees has both numbers beside it. At call 1 they are 1 and 1.",
        "How many rows did the first reply cause? It holds two tool calls: one request, and a result for each.",
        "Each number in sent is the one before it plus the new rows of that call.",
    ],
    solution="""
sent = [1, 4, 6]
new = [1, 3, 2]
""",
    tests=[
        test_three_calls_make_three_numbers,
        test_call_1_sends_the_question_alone,
        test_call_2_adds_one_request_and_two_results,
        test_call_3_sends_all_of_that_and_two_more,
        test_new_counts_the_rows_marked_NEW,
    ],
    mutants=[
        Mutant(
            "counts a message per tool call",
            "[1, 4, 6]",
            "[1, 5, 7]",
            "test_call_2_adds_one_request_and_two_results",
            "The two tool calls of one reply are one assistant message; only the results are separate.",
        ),
        Mutant(
            "forgets the model's request",
            "[1, 4, 6]",
            "[1, 3, 4]",
            "test_call_2_adds_one_request_and_two_results",
            "The request is a row too, and it is sent back to the model together with the results.",
        ),
        Mutant(
            "counts the final answer as sent",
            "[1, 4, 6]",
            "[1, 4, 7]",
            "test_call_3_sends_all_of_that_and_two_more",
            "The answer comes back from the last call; nobody has to send it any more.",
        ),
        Mutant(
            "gives a fourth number for the answer",
            "[1, 4, 6]",
            "[1, 4, 6, 7]",
            "test_three_calls_make_three_numbers",
            "The answer is not a call; it is what call 3 brought back.",
        ),
        Mutant(
            "takes everything for new",
            "[1, 3, 2]",
            "[1, 4, 6]",
            "test_new_counts_the_rows_marked_NEW",
            "Most rows were sent before; that they are sent again does not make them new.",
        ),
        Mutant(
            "takes only results for new",
            "[1, 3, 2]",
            "[1, 2, 1]",
            "test_new_counts_the_rows_marked_NEW",
            "The request is sent for the first time as well, so it is marked too.",
        ),
    ],
)


# ---- 0.3 ------------------------------------------------------------------------------------------------------------

SHOPPING = [
    [TEA],
    [ToolCall("c2", "price", {"item": "coffee"})],
    [ToolCall("c3", "price", {"item": "cake"})],
    [ToolCall("c4", "add", {"a": 12, "b": 8})],
    "Tea and cake cost 20. We have no coffee.",
]


def _trouble() -> tuple[int, int]:
    """Return at which call the model asks for what is not there, and how many calls the run makes."""
    model, result = _played(SHOPPING)
    failed = next(place for place, step in enumerate(result.steps, 1) if step.result and step.result.error)
    return failed, len(model.calls)


def test_at_that_call_the_model_asks_for_what_is_not_there(found: Any) -> None:
    call, wanted = _number("trouble", found[0]), _trouble()[0]
    assert call != wanted + 1, f"at call {call} the model reads the error; at which call did it ask?"
    assert call == wanted, f"at call {call} no tool failed; look under What it replied for the word error"


def _number(name: str, value: Any) -> Any:
    assert isinstance(value, int), f"{name} is {shown(value)}; write a whole number, without quotes"
    return value


def test_an_error_does_not_end_the_run(found: Any) -> None:
    assert _number("calls_after", found[1]) > 0, (
        f"calls_after is {found[1]}; press → after the error: the model reads it and goes on"
    )


def test_all_calls_after_it_are_counted(found: Any) -> None:
    failed, calls = _trouble()
    got, wanted = _number("calls_after", found[1]), calls - failed
    assert got != wanted + 1, f"{got} counts the call with the error too; how many come after it?"
    assert got == wanted, f"calls_after is {got}; go to the end and see how many calls there are in all"


FIND_TROUBLE = Exercise(
    id="0.3",
    title="Find the trouble, by keyboard",
    thing="(trouble, calls_after)",
    wants="two whole numbers, trouble and calls_after",
    fits=_several(2, object),
    starter="""
trouble = 5
calls_after = 0
""",
    hints=[
        "Click into the view, so that it has the focus. Press Home, then → one call at a time.",
        "Read the last line under What it replied at each call: where did the loop run a tool that gave an error?",
        "End takes you to the last call made. Its number, minus that of the call with the trouble, is calls_after.",
    ],
    solution="""
trouble = 2
calls_after = 3
""",
    tests=[
        test_at_that_call_the_model_asks_for_what_is_not_there,
        test_an_error_does_not_end_the_run,
        test_all_calls_after_it_are_counted,
    ],
    mutants=[
        Mutant(
            "takes the call that reads the error",
            "trouble = 2",
            "trouble = 3",
            "test_at_that_call_the_model_asks_for_what_is_not_there",
            "The error arises after the reply of call 2; call 3 is the first that sends it.",
        ),
        Mutant(
            "lets the error end the run",
            "calls_after = 3",
            "calls_after = 0",
            "test_an_error_does_not_end_the_run",
            "An error is a row like any other: the model reads it and decides what to do.",
        ),
        Mutant(
            "counts the call with the error",
            "calls_after = 3",
            "calls_after = 4",
            "test_all_calls_after_it_are_counted",
            "After call 2 come calls 3, 4 and 5.",
        ),
        Mutant(
            "forgets the call that brings the answer",
            "calls_after = 3",
            "calls_after = 2",
            "test_all_calls_after_it_are_counted",
            "The last call asks for no tool, but it is a call: without it there is no answer.",
        ),
    ],
)

EXERCISES = (READ_A_CALL, COUNT_ROWS, FIND_TROUBLE)

PREDICTIONS: tuple[Question, ...] = (
    Question(
        "A FakeModel has a script of one line, 'Tea costs 12.' What does it reply to 'Blah blah?'",
        [
            Choice(
                "That it did not understand: the words make no sense.",
                False,
                "It understands nothing at all, so nothing can puzzle it.",
            ),
            Choice(
                "'Tea costs 12.': nothing else is in its script.",
                True,
                "A FakeModel plays its script, whatever it is asked.",
            ),
            Choice(
                "An error: the question does not fit.",
                False,
                "This script does not say which question it is for, so no question can fail to fit.",
            ),
        ],
    ),
    Question(
        "How many calls does the whole run make?",
        [
            Choice(
                "3: two to ask for tools, one to answer.",
                True,
                "Each reply asks for one tool, and its result goes along in the next call. The third reply is the answer.",
            ),
            Choice(
                "1: one question, one answer.",
                False,
                "A reply that asks for a tool is not an answer. The agent runs the tool and calls again, with the result.",
            ),
            Choice(
                "2: one per tool.",
                False,
                "After the last tool the agent must call once more, or nobody would say what 24 means.",
            ),
        ],
    ),
    Question(
        "The model asks for two prices in one reply. How many rows are NEW at the next call?",
        [
            Choice("1: the request.", False, "The request holds two tool calls, and each of them gets a result."),
            Choice(
                "2: one result per tool call.",
                False,
                "The model's own request is a message too, kept in the list like any other.",
            ),
            Choice(
                "3: the request and two results.",
                True,
                "No call sent any of the three before. The question is sent again, but it is not new.",
            ),
        ],
    ),
)

QUIZ = Quiz(
    "00",
    [
        Question(
            "You change a value in the first cell and run only that cell. What about the cells below it?",
            [
                Choice(
                    "They keep what they showed until you run them again.",
                    True,
                    "Run them again, or all of them from the top.",
                ),
                Choice("They change too.", False, "That would be a spreadsheet; see section 1."),
                Choice("They become errors.", False, "Nothing below has run, so nothing below could fail."),
            ],
        ),
        Question(
            "What is one call?",
            [
                Choice(
                    "One use of a tool.",
                    False,
                    "That is a tool call, the model's request. Two of them can stand in one reply, as in exercise 0.1.",
                ),
                Choice(
                    "One run, from the prompt to the final answer.", False, "The run of section 4 made three calls."
                ),
                Choice(
                    "One question to the model with all messages, and its reply.",
                    True,
                    "One complete(...); in the view, one new column of the bars.",
                ),
            ],
        ),
        Question(
            "At call 3 the view marks two rows NEW. What about the rows without the mark?",
            [
                Choice(
                    "The model has kept them since the last call, so they are not sent.",
                    False,
                    "The model keeps nothing. That is why the bars grow.",
                ),
                Choice(
                    "They were sent before and are sent again.",
                    True,
                    "They are the part of each bar called sent again.",
                ),
                Choice(
                    "They are there for us; the model does not see them.",
                    False,
                    "What the model sees is shown under just this heading.",
                ),
            ],
        ),
        Question(
            "A cell failed with red text, and the cells below still show numbers. May you trust them?",
            [
                Choice("No: they may hold old values.", True, "Repair the red cell and run everything below it."),
                Choice(
                    "Yes: they ran without an error.",
                    False,
                    "They ran earlier, perhaps with another value; see section 6.",
                ),
                Choice(
                    "Yes, once the red text is gone.",
                    False,
                    "Repairing one cell does not run the others; run them again.",
                ),
            ],
        ),
    ],
)

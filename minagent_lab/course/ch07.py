"""Chapter 07, the provider contract: predictions, exercises and quiz."""

from __future__ import annotations

import asyncio
import copy
from collections.abc import Callable
from functools import partial
from typing import Any

from minagent_lab import (
    AbortController,
    AbortError,
    AbortSignal,
    FakeModelProvider,
    MalformedResponseError,
    Message,
    ModelRequest,
    ModelResponse,
    arun,
)
from minagent_lab.course import shop
from minagent_lab.course.awaiting import finished
from minagent_lab.course.exercise import Exercise, Mutant, Test, WrongTest, made, says
from minagent_lab.course.expecting import expect, shown
from minagent_lab.course.judging import Broken, judge
from minagent_lab.course.kinds import class_with_async, is_async_function, is_plain_function
from minagent_lab.course.quiz import Choice, Question, Quiz
from minagent_lab.course.shop import TEA
from minagent_lab.messages import ToolCall
from minagent_lab.results import exception_text

TITLE = "The provider contract"

ASK = ModelRequest([Message("user", "What does tea cost?")], shop.shop().schemas())


def given_signal() -> AbortSignal:
    """Return a signal that was given."""
    controller = AbortController()
    controller.abort("the user pressed Stop")
    return controller.signal


def world() -> dict[str, Any]:
    """Return the names that the chapter's first cells define."""
    return {**shop.world(), "asyncio": asyncio, "ASK": ASK}


# ---- 7.1 ------------------------------------------------------------------------------------------------------------


def script() -> list[Any]:
    """Return two responses as an SDK might hand them out: plain dicts, which anybody can change."""
    return [
        {"action": "tool_call", "usage": {"input_tokens": 10, "output_tokens": 2}},
        {"action": "finish", "usage": {"input_tokens": 12, "output_tokens": 3}},
    ]


def _asked(provider: Any, signal: AbortSignal | None = None) -> Any:
    """Call the provider once."""
    return finished(provider.complete(ASK, signal))


def _response(provider: Any) -> dict[str, Any]:
    """Call the provider, which has a response left."""
    reply = _asked(provider)
    assert isinstance(reply, dict), f"the call gave {shown(reply)}; a response was next"
    return reply


def _action(provider: Any) -> Any:
    reply = _asked(provider)
    return reply.get("action") if isinstance(reply, dict) else reply


def _tokens(provider: Any) -> Any:
    return _response(provider)["usage"]["input_tokens"]


def _abort(provider: Any) -> None:
    """Call with a signal that was given, and say what is wrong unless AbortError comes."""
    try:
        _asked(provider, given_signal())
    except AbortError:
        return
    except AssertionError:
        raise
    except asyncio.CancelledError:
        raise AssertionError("CancelledError says that a task was cancelled; a signal ends in AbortError") from None
    except Exception as error:
        raise AssertionError(
            f"the signal was given, and this came instead of AbortError: {exception_text(error)}"
        ) from None
    raise AssertionError("the signal was given, and the call went on all the same; it has to raise AbortError")


@says("fault 1, order: each provider made from a list gives all of it, in order")
def test_order(fake: Any) -> None:
    responses = script()
    for which in ("the first provider:", "a second one, made from the same list:"):
        provider = fake(responses)
        expect([_action(provider), _action(provider)], ["tool_call", "finish"], which)


@says("fault 2, ownership: usage comes along; writing into one response changes no other")
def test_ownership(fake: Any) -> None:
    response = script()[0]
    provider = fake([response, response])
    reply = _response(provider)
    expect(reply.get("usage"), {"input_tokens": 10, "output_tokens": 2}, "the usage of the first response:")
    reply["usage"]["input_tokens"] = 999
    expect(_tokens(provider), 10, "999 was written into the first response; the next one then has input tokens:")
    expect(response["usage"]["input_tokens"], 10, "999 was written into the first response; the script then has:")


@says("fault 3, the end: when used up, it raises a RuntimeError that says so, each time")
def test_the_end(fake: Any) -> None:
    provider = fake(script())
    _asked(provider), _asked(provider)
    for which in ("third", "fourth", "fifth"):
        _ends(provider, which)


def _ends(provider: Any, which: str) -> None:
    try:
        reply = _asked(provider)
    except (AbortError, AssertionError):
        raise
    except RuntimeError as error:
        if isinstance(error.__cause__, StopIteration) and "raised StopIteration" in str(error):
            raise AssertionError(f"it ended in Python's own {shown(str(error))}; raise one that says why") from None
        if str(error):
            return
        raise AssertionError("the error says nothing; say that the responses are used up") from None
    except Exception as error:
        raise AssertionError(
            f"the list has two responses, and the {which} call ended in {exception_text(error)}; "
            "raise a RuntimeError that says what is wrong"
        ) from None
    raise AssertionError(f"the list has two responses, and the {which} call gave {shown(reply)}")


@says("fault 4, the signal: an aborted call raises AbortError and consumes nothing")
def test_cancellation(fake: Any) -> None:
    provider = fake(script())
    _abort(provider)
    expect(_action(provider), "tool_call", "the call after the aborted one:")


@says("fault 2 hides: changing the list afterwards changes nothing")
def test_the_way_in(fake: Any) -> None:
    responses = script()
    provider = fake(responses)
    responses[0]["usage"]["input_tokens"] = 999
    responses.pop()
    expect(_tokens(provider), 10, "999 was written into the script afterwards; input tokens:")
    expect(_action(provider), "finish", "the last item was taken away afterwards; the second call gives")


@says("fault 4 hides: a signal stops its own call, and no other")
def test_a_signal_stops_its_own_call(fake: Any) -> None:
    provider = fake(script())
    _abort(provider)
    reply = _asked(provider, AbortController().signal)
    expect(
        isinstance(reply, dict) and reply.get("action"), "tool_call", "a new signal that nobody gave; the call gives"
    )


@says("fault 1 hides: two providers made from one list each keep their own place")
def test_own_places(fake: Any) -> None:
    responses = script()
    one, other = fake(responses), fake(responses)
    expect([_action(one), _action(other), _action(one)], ["tool_call", "tool_call", "finish"], "one, other, one:")


@says("an agent runs on it")
def test_an_agent_runs_on_it(fake: Any) -> None:
    wish = ModelResponse(Message("assistant", "", [TEA]), "tool_use")
    provider = fake([wish, ModelResponse(Message("assistant", "Tea costs 12."))])
    result = finished(arun(provider, shop.shop(), "What does tea cost?"))
    expect(result.final, "Tea costs 12.", "the answer:")


LOOK = """        if signal is not None:
            signal.throw_if_aborted()
"""
END = """        if self.index == len(self.responses):
            raise RuntimeError(f"all {len(self.responses)} responses are used up")
"""
TAKE = """        response = self.responses[self.index]
        self.index += 1
"""

PROVIDER = Exercise(
    id="7.1",
    title="A provider that keeps the contract",
    thing="FakeProvider",
    wants="the class FakeProvider itself, not an object of it",
    fits=class_with_async("complete"),
    starter="""
import copy

class FakeProvider:
    def __init__(self, responses):
        self.responses = responses

    async def complete(self, request, signal=None):
        return self.responses.pop(0) if self.responses else None
""",
    hints=[
        "Take the lines one after the other. For the first: take nothing away from the list. Remember instead which "
        "response is next, as `self.index = 0`.",
        "For the second, `copy.deepcopy(...)` in two places: of the list when the provider is made, and of the response "
        "before it is returned.",
        "For the third and the fourth, `complete` has an order: look at the signal (`signal.throw_if_aborted()`, when "
        "there is one); is anything left? If not, raise; and only then take, and count.",
    ],
    solution=f"""
import copy

class FakeProvider:
    def __init__(self, responses):
        self.responses = copy.deepcopy(list(responses))
        self.index = 0

    async def complete(self, request, signal=None):
{LOOK}{END}{TAKE}        return copy.deepcopy(response)
""",
    tests=[
        test_order,
        test_ownership,
        test_the_end,
        test_cancellation,
        test_own_places,
        test_the_way_in,
        test_a_signal_stops_its_own_call,
        test_an_agent_runs_on_it,
    ],
    mutants=[
        Mutant(
            "takes from the caller's list",
            f"copy.deepcopy(list(responses))\n        self.index = 0\n\n    async def complete(self, request, signal=None):\n{LOOK}{END}{TAKE}",
            "responses\n        self.index = 0\n\n    async def complete(self, request, signal=None):\n"
            f"{LOOK}{END}        response = self.responses.pop(0)\n",
            "test_order",
            "The list belongs to whoever wrote it, and the next test makes its provider from the same one.",
        ),
        Mutant(
            "keeps one place for all providers",
            f"        self.index = 0\n\n    async def complete(self, request, signal=None):\n{LOOK}{END}{TAKE}",
            "        type(self).index = 0\n\n    async def complete(self, request, signal=None):\n"
            f"{LOOK}{END}{TAKE.replace('self.index += 1', 'type(self).index += 1')}",
            "test_own_places",
            "What belongs to the class belongs to all its objects; a cursor belongs to one run.",
        ),
        Mutant(
            "starts with the second response",
            "self.index = 0",
            "self.index = 1",
            "test_order",
            "The index says which response is next, and the first one has the index 0.",
        ),
        Mutant(
            "forgets to count",
            "        self.index += 1\n",
            "",
            "test_order",
            "Every call then gets the first response, and the agent asks for the same tool for ever.",
        ),
        Mutant(
            "hands out its own objects",
            "return copy.deepcopy(response)",
            "return response",
            "test_ownership",
            "Who writes into the response then writes into the script.",
        ),
        Mutant(
            "copies only the outside",
            "return copy.deepcopy(response)",
            "return copy.copy(response)",
            "test_ownership",
            "The outer dict is new, and the usage inside is still the one of the script.",
        ),
        Mutant(
            "copies only on the way out",
            "copy.deepcopy(list(responses))",
            "list(responses)",
            "test_the_way_in",
            "The list is its own and the objects in it are not, so a test that goes on using them changes the future.",
        ),
        Mutant(
            "counts before it looks at the signal",
            f"{LOOK}{END}{TAKE}",
            f"{END}{TAKE}{LOOK}",
            "test_cancellation",
            "The error is the right one, and the response is gone all the same.",
        ),
        Mutant(
            "does not look at the signal",
            LOOK,
            "",
            "test_cancellation",
            "Code that has to stop is tested against a world in which nothing ever stops.",
        ),
        Mutant(
            "calls an abort a failure",
            "            signal.throw_if_aborted()\n",
            '            if signal.aborted:\n                raise RuntimeError("the call failed")\n',
            "test_cancellation",
            "A failure is tried again by whoever handles failures; the user had said stop.",
        ),
        Mutant(
            "cancels the task instead",
            "            signal.throw_if_aborted()\n",
            "            if signal.aborted:\n                import asyncio\n\n                raise asyncio.CancelledError\n",
            "test_cancellation",
            "CancelledError is what Python raises in a task that is cancelled; chapter 08 tells the two apart.",
        ),
        Mutant(
            "keeps the signal",
            LOOK,
            """        self.signal = getattr(self, "signal", None) or signal
        if self.signal is not None:
            self.signal.throw_if_aborted()
""",
            "test_a_signal_stops_its_own_call",
            "One user's Stop would end the calls of all the others.",
        ),
        Mutant(
            "repeats the last response",
            '            raise RuntimeError(f"all {len(self.responses)} responses are used up")\n',
            "            return copy.deepcopy(self.responses[-1])\n",
            "test_the_end",
            "An agent that asks once too often stays green, or never stops.",
        ),
        Mutant(
            "returns None when used up",
            '            raise RuntimeError(f"all {len(self.responses)} responses are used up")\n',
            "            return None\n",
            "test_the_end",
            "The error then comes somewhere else, from whoever looks into the None.",
        ),
        Mutant(
            "begins again after the error",
            '            raise RuntimeError(f"all {len(self.responses)} responses are used up")\n',
            '            self.index = 0\n            raise RuntimeError("all responses are used up")\n',
            "test_the_end",
            "A loop that catches the error and asks again would be served from the start.",
        ),
        Mutant(
            "lets the list complain",
            END,
            "",
            "test_the_end",
            "'list index out of range' names a line of the fake, not the agent that asked too often.",
        ),
    ],
    world=world,
)


# ---- 7.2 ------------------------------------------------------------------------------------------------------------

PLACES = ("contract", "configuration", "diagnostics")

FIELDS: dict[str, tuple[str, str, dict[str, str]]] = {  # where it belongs, why, and why not elsewhere
    "messages": (
        "contract",
        "the loop writes them, other ones in each call",
        {
            "configuration": "what is set once cannot be another thing in each call",
            "diagnostics": "without the messages there is no question",
        },
    ),
    "tools on offer": (
        "contract",
        "the loop decides in each call what the model may ask for",
        {
            "configuration": "then a run could not offer fewer tools than the one before it",
            "diagnostics": "a model can only ask for tools that it was told of",
        },
    ),
    "signal to stop": (
        "contract",
        "each call has its own, so one Stop ends one call",
        {
            "configuration": "kept in the provider, one user's Stop ends everybody's calls",
            "diagnostics": "nobody reads it afterwards; the provider has to obey it now",
        },
    ),
    "tool calls": (
        "contract",
        "what to do next is what the loop asks for",
        {
            "configuration": "the model decides on them, in each response",
            "diagnostics": "the loop acts on them",
        },
    ),
    "usage": (
        "contract",
        "a budget adds it up after each call; unknown is {}, never zero",
        {
            "configuration": "it is another number in each response",
            "diagnostics": "a budget decides by it, so it is no mere note",
        },
    ),
    "model that answered": (
        "contract",
        "prices and reports depend on who really answered",
        {
            "configuration": "there stands whom you ask; who answers may be another version",
            "diagnostics": "a run is priced by it",
        },
    ),
    "temperature": (
        "configuration",
        "a vendor's setting; some have none, or another range",
        {
            "contract": "the next vendor may have none, and the loop never looks at it",
            "diagnostics": "it changes what is answered; it has to be set before",
        },
    ),
    "key": (
        "configuration",
        "it is checked when the provider is made, and never seen again",
        {
            "contract": "then every loop, recording and trace would hold the key",
            "diagnostics": "a key in a log is a key that everybody has",
        },
    ),
    "address of the service": (
        "configuration",
        "a fake has none; whoever makes the provider knows it",
        {
            "contract": "a fake has no address, and a loop that has one knows who answers",
            "diagnostics": "without it, nothing can be sent",
        },
    ),
    "request number": (
        "diagnostics",
        "a vendor's support asks for it; nothing is decided by it",
        {
            "contract": "a fake has none, and no loop decides anything by it",
            "configuration": "the service gives it out, after each request",
        },
    ),
    "vendor's own word for the end": (
        "diagnostics",
        "the adapter translates it; the word itself helps when the translation is in doubt",
        {
            "contract": "then the loop has a list of words per vendor; the adapter gives it one set of words",
            "configuration": "the service says it, in each response",
        },
    ),
    "headers of the response": (
        "diagnostics",
        "useful when something is slow or refused; other ones at each vendor",
        {
            "contract": "a loop that reads headers can only talk HTTP",
            "configuration": "they come back with the response",
        },
    ),
}


def _field_test(field: str, number: int) -> Test:
    right, why, why_not = FIELDS[field]

    def test(place: dict[str, str]) -> str:
        if field not in place:
            raise AssertionError("it has no place yet")
        chosen = place[field]
        if chosen not in PLACES:
            raise AssertionError(f"{shown(chosen)} is none of {', '.join(PLACES)}")
        if chosen != right:
            raise AssertionError(f"{chosen}? Think again: {why_not[chosen]}")
        return why

    test.__name__ = f"test_field_{number}"
    return says(field)(test)


THIN_OR_THICK = Exercise(
    id="7.2",
    title="Thin or thick",
    thing="place",
    wants='a dict place = {"messages": "contract", ...}',
    fits=lambda thing: isinstance(thing, dict),
    starter="""
place = {
    "messages": "contract",
    "tools on offer": "contract",
    "signal to stop": "configuration",
    "tool calls": "contract",
    "usage": "diagnostics",
    "model that answered": "contract",
    "temperature": "contract",
    "key": "contract",
    "address of the service": "contract",
    "request number": "contract",
    "vendor's own word for the end": "contract",
    "headers of the response": "contract",
}
""",
    hints=[
        "Ask three things of each: does the loop decide something by it? Is it another one in each call? Does a fake "
        "have it too? Three times yes is the contract.",
        "What is known before the first call, and stays, is configuration. What comes back and decides nothing is "
        "diagnostics.",
        "Two wrong ones are in the other direction: something that each call needs anew is not configuration, and "
        "something that a budget counts is not diagnostics.",
    ],
    solution="""
place = {
    "messages": "contract",
    "tools on offer": "contract",
    "signal to stop": "contract",
    "tool calls": "contract",
    "usage": "contract",
    "model that answered": "contract",
    "temperature": "configuration",
    "key": "configuration",
    "address of the service": "configuration",
    "request number": "diagnostics",
    "vendor's own word for the end": "diagnostics",
    "headers of the response": "diagnostics",
}
""",
    tests=[_field_test(field, number) for number, field in enumerate(FIELDS, 1)],
    mutants=[
        Mutant(
            "keeps the signal in the provider",
            '"signal to stop": "contract"',
            '"signal to stop": "configuration"',
            "test_field_3",
            "It looks like a setting, and belongs to one call.",
        ),
        Mutant(
            "takes the usage for a note",
            '"usage": "contract"',
            '"usage": "diagnostics"',
            "test_field_5",
            "What a budget decides by has to be there in each response.",
        ),
        Mutant(
            "takes whom you ask for who answers",
            '"model that answered": "contract"',
            '"model that answered": "configuration"',
            "test_field_6",
            "A name that is asked for may be answered by a newer version.",
        ),
        Mutant(
            "gives the loop a vendor's setting",
            '"temperature": "configuration"',
            '"temperature": "contract"',
            "test_field_7",
            "Every field that one vendor has alone becomes an `if` in the loop.",
        ),
        Mutant(
            "hands the key along",
            '"key": "configuration"',
            '"key": "contract"',
            "test_field_8",
            "What is in a request is recorded with it.",
        ),
        Mutant(
            "lets the loop read the vendor's word",
            '"vendor\'s own word for the end": "diagnostics"',
            '"vendor\'s own word for the end": "contract"',
            "test_field_11",
            "Translating the word is what the adapter is for.",
        ),
        Mutant(
            "leaves one out",
            '    "request number": "diagnostics",\n',
            "",
            "test_field_10",
            "What has no place ends up somewhere.",
        ),
    ],
    world=world,
)


# ---- 7.3 ------------------------------------------------------------------------------------------------------------


def acme(**changed: Any) -> dict[str, Any]:
    """Return a response in Acme's format."""
    data = {
        "number": "req_7",
        "engine": "acme-2",
        "ended": "done",
        "text": "Tea costs 12.",
        "spent": {"read": 9, "wrote": 4},
        "wishes": [],
    }
    return {**data, **changed}


def wishing(**changed: Any) -> dict[str, Any]:
    """Return a response in Acme's format that asks for the price of tea."""
    return acme(
        ended="wants_tools", text=None, wishes=[{"ref": "w1", "do": "price", "with": {"item": "tea"}, **changed}]
    )


Adapter = Callable[[Any], Any]


def _adapted(adapt: Adapter, data: Any) -> ModelResponse:
    try:
        response = adapt(copy.deepcopy(data))
    except MalformedResponseError as error:
        raise AssertionError(f"this is a response, and it was refused: {error}") from None
    assert isinstance(response, ModelResponse), f"it returned {shown(response)}; return a ModelResponse"
    return response


def _refused(adapt: Adapter, data: Any, what: str) -> MalformedResponseError:
    try:
        response = adapt(copy.deepcopy(data))
    except MalformedResponseError as error:
        return error
    except Exception as error:
        raise AssertionError(
            f"{what}: {exception_text(error)} came through; make a MalformedResponseError of it"
        ) from None
    raise AssertionError(f"{what}: it has to be refused, and became {shown(response)}")


def test_a_plain_answer(from_acme: Adapter) -> None:
    response = _adapted(from_acme, acme())
    usage = {"input_tokens": 9, "output_tokens": 4}
    expect(response, ModelResponse(Message("assistant", "Tea costs 12."), "end_turn", usage, "acme-2"), "the response:")


def test_wishes_become_tool_calls(from_acme: Adapter) -> None:
    message = _adapted(from_acme, wishing()).message
    expect(list(message.tool_calls), [ToolCall("w1", "price", {"item": "tea"})], "the tool calls:")


@says("no text is an empty text, not the word None")
def test_no_text(from_acme: Adapter) -> None:
    expect(_adapted(from_acme, wishing()).message.content, "", "text None, content:")


def test_the_words_for_the_end_are_translated(from_acme: Adapter) -> None:
    ends = [_adapted(from_acme, data).stop_reason for data in (acme(), wishing(), acme(ended="too_long"))]
    expect(ends, ["end_turn", "tool_use", "max_tokens"], "done, wants_tools, too_long:")


def test_an_unknown_word_for_the_end_stays_as_it_is(from_acme: Adapter) -> None:
    expect(_adapted(from_acme, acme(ended="filtered")).stop_reason, "filtered", "stop reason:")


@says("unknown usage is {}, and zero is zero")
def test_usage(from_acme: Adapter) -> None:
    without = {name: value for name, value in acme().items() if name != "spent"}
    expect(_adapted(from_acme, without).usage, {}, "without spent, usage:")
    expect(_adapted(from_acme, acme(spent=None)).usage, {}, "with spent None, usage:")
    zero = _adapted(from_acme, acme(spent={"read": 0, "wrote": 0})).usage
    expect(zero, {"input_tokens": 0, "output_tokens": 0}, "with zeros, usage:")


def test_what_is_no_response_is_refused(from_acme: Adapter) -> None:
    _refused(from_acme, "<html>Sign in</html>", "a web page")
    _refused(from_acme, None, "None")
    _refused(from_acme, {"error": "busy"}, "a dict without text")
    _refused(from_acme, acme(wishes="price"), "wishes that are no list")


def test_a_tool_call_that_is_none_is_refused_before_a_tool_sees_it(from_acme: Adapter) -> None:
    _refused(from_acme, wishing(**{"with": '{"item": '}), "arguments that are half a text")
    _refused(from_acme, wishing(do=None), "a tool call without a name")
    _refused(from_acme, acme(wishes=[{"ref": "w1"}]), "a tool call that is only an id")


def test_neither_text_nor_tool_call_is_refused_unless_it_was_cut(from_acme: Adapter) -> None:
    _refused(from_acme, acme(text=None), "ended done, with neither text nor tool call")
    cut = _adapted(from_acme, acme(text=None, ended="too_long"))
    expect((cut.message.content, cut.stop_reason), ("", "max_tokens"), "cut before the first word:")


ADAPTER = Exercise(
    id="7.3",
    title="An adapter",
    thing="from_acme",
    wants="a function from_acme(data)",
    fits=is_plain_function,
    starter="""
from minagent_lab import MalformedResponseError

EXAMPLE = {
    "number": "req_7", "engine": "acme-2", "ended": "done", "text": "Tea costs 12.", "spent": {"read": 9, "wrote": 4},
    "wishes": [],  # or [{"ref": "w1", "do": "price", "with": {"item": "tea"}}], and then "text" may be None
}
WORDS = {"done": "end_turn", "wants_tools": "tool_use", "too_long": "max_tokens"}

def from_acme(data):
    message = Message("assistant", str(data["text"]))
    spent = data.get("spent", {"read": 0, "wrote": 0})
    usage = {"input_tokens": spent["read"], "output_tokens": spent["wrote"]}
    return ModelResponse(message, WORDS[data["ended"]], usage, data["engine"])
""",
    hints=[
        'Begin with what is there: a wish is a `ToolCall(wish["ref"], wish["do"], wish["with"])`; `None or ""` is `""`; '
        "`WORDS.get(word, word)` leaves an unknown word as it is; without `spent`, usage is `{}`.",
        "`ToolCall`, `Message` and `ModelResponse` refuse nonsense themselves, by TypeError or ValueError, and a field "
        "that is missing is a KeyError. So put everything into one `try`, and raise MalformedResponseError instead.",
        "Two cases raise nothing by themselves. A text has no fields: is `data` a dict at all? And `response.action == "
        '"finish"` without any content is an answer that says nothing.',
    ],
    solution="""
from minagent_lab import MalformedResponseError

WORDS = {"done": "end_turn", "wants_tools": "tool_use", "too_long": "max_tokens"}

def from_acme(data):
    if not isinstance(data, dict):
        raise MalformedResponseError("what came is no object")
    number = data.get("number")
    try:
        calls = [ToolCall(wish["ref"], wish["do"], wish["with"]) for wish in data["wishes"]]
        message = Message("assistant", data["text"] or "", calls)
        spent = data.get("spent")
        usage = {"input_tokens": spent["read"], "output_tokens": spent["wrote"]} if spent else {}
        response = ModelResponse(message, WORDS.get(data["ended"], data["ended"]), usage, data["engine"])
    except (KeyError, TypeError, ValueError) as problem:
        raise MalformedResponseError(f"what came is no response: {problem}", request_id=number) from None
    if response.action == "finish" and not message.content:
        raise MalformedResponseError("there is neither text nor a tool call", request_id=number)
    return response
""",
    tests=[
        test_a_plain_answer,
        test_wishes_become_tool_calls,
        test_no_text,
        test_the_words_for_the_end_are_translated,
        test_an_unknown_word_for_the_end_stays_as_it_is,
        test_usage,
        test_what_is_no_response_is_refused,
        test_a_tool_call_that_is_none_is_refused_before_a_tool_sees_it,
        test_neither_text_nor_tool_call_is_refused_unless_it_was_cut,
    ],
    mutants=[
        Mutant(
            "says the word None",
            'data["text"] or ""',
            'str(data["text"])',
            "test_no_text",
            "A turn with nothing but tool calls is the most common one of all, and its text is null.",
        ),
        Mutant(
            "drops the tool calls",
            'Message("assistant", data["text"] or "", calls)',
            'Message("assistant", data["text"] or "")',
            "test_wishes_become_tool_calls",
            "The loop then takes the turn for the final answer.",
        ),
        Mutant(
            "numbers the calls itself",
            'wish["ref"]',
            '"c1"',
            "test_wishes_become_tool_calls",
            "The service pairs call and result by its own id.",
        ),
        Mutant(
            "hands the vendor's word on",
            'WORDS.get(data["ended"], data["ended"])',
            'data["ended"]',
            "test_the_words_for_the_end_are_translated",
            "Then every reader needs the vendor's list of words, and cut answers look whole.",
        ),
        Mutant(
            "takes an unknown end for a good one",
            'WORDS.get(data["ended"], data["ended"])',
            'WORDS.get(data["ended"], "end_turn")',
            "test_an_unknown_word_for_the_end_stays_as_it_is",
            "A filtered answer would count as finished.",
        ),
        Mutant(
            "knows only its own words",
            'WORDS.get(data["ended"], data["ended"])',
            'WORDS[data["ended"]]',
            "test_an_unknown_word_for_the_end_stays_as_it_is",
            "The vendor adds a word one day, and every such answer is refused.",
        ),
        Mutant(
            "counts the unknown as zero",
            "if spent else {}",
            'if spent else {"input_tokens": 0, "output_tokens": 0}',
            "test_usage",
            "A budget then believes that the call was free.",
        ),
        Mutant(
            "lets the KeyError out",
            "(KeyError, TypeError, ValueError)",
            "(TypeError, ValueError)",
            "test_what_is_no_response_is_refused",
            "Whoever handles errors knows the contract's classes, not the adapter's fields.",
        ),
        Mutant(
            "believes that it is always an object",
            '    if not isinstance(data, dict):\n        raise MalformedResponseError("what came is no object")\n',
            "",
            "test_what_is_no_response_is_refused",
            "A proxy in between answers with a web page.",
        ),
        Mutant(
            "repairs half a text",
            'wish["with"])',
            'wish["with"] if isinstance(wish["with"], dict) else {})',
            "test_a_tool_call_that_is_none_is_refused_before_a_tool_sees_it",
            "A tool would be run with arguments that nobody wrote.",
        ),
        Mutant(
            "accepts an answer that says nothing",
            "and not message.content",
            "and False",
            "test_neither_text_nor_tool_call_is_refused_unless_it_was_cut",
            "The run would end as completed, with nothing to show.",
        ),
        Mutant(
            "refuses every empty text",
            'response.action == "finish" and not message.content',
            "not message.content and not message.tool_calls",
            "test_neither_text_nor_tool_call_is_refused_unless_it_was_cut",
            "An answer cut before its first word is a response; its stop reason explains it.",
        ),
    ],
    world=world,
)


# ---- 7.4 ------------------------------------------------------------------------------------------------------------

BY_HAND = """
class Provider:
    signal = None

    def __init__(self, texts):
        self.texts = list(texts)
        self.index = 0

    async def complete(self, request, signal=None):
        if signal is not None:
            signal.throw_if_aborted()
        if self.index >= len(self.texts):
            raise RuntimeError("nothing is left")
        self.index += 1
        return ModelResponse(Message("assistant", self.texts[self.index - 1]))
"""
LOOKS = "        if signal is not None:\n            signal.throw_if_aborted()\n"
ENDS = '        if self.index >= len(self.texts):\n            raise RuntimeError("nothing is left")\n'

BROKEN = [
    Broken(
        "repeats its last response",
        '            raise RuntimeError("nothing is left")\n',
        "            self.index = len(self.texts) - 1\n",
        "As long as nobody asks once too often, it is perfect.",
    ),
    Broken(
        "gives None when used up",
        '            raise RuntimeError("nothing is left")\n',
        "            return None\n",
        "As long as nobody asks once too often, it is perfect.",
    ),
    Broken(
        "begins again after its error",
        '            raise RuntimeError("nothing is left")\n',
        '            self.index = 0\n            raise RuntimeError("nothing is left")\n',
        "The first error is right; only asking again shows it.",
    ),
    Broken(
        "gives the second response first",
        "self.texts = list(texts)",
        "self.texts = [*texts[1:2], *texts[:1], *texts[2:]]",
        "It gives both, and an agent would act in the wrong order.",
    ),
    Broken(
        "does not look at the signal",
        LOOKS,
        "",
        "Without a signal that was given, it is perfect.",
    ),
    Broken(
        "consumes on an abort",
        f"{LOOKS}{ENDS}        self.index += 1\n",
        f"{ENDS}        self.index += 1\n{LOOKS}",
        "The error is right; only the call after it shows what was lost.",
    ),
    Broken(
        "calls an abort a failure",
        "            signal.throw_if_aborted()\n",
        '            if signal.aborted:\n                raise RuntimeError("the call failed")\n',
        "Something is raised; only its class says that the user wanted it.",
    ),
    Broken(
        "keeps the signal",
        LOOKS,
        "        self.signal = self.signal or signal\n"
        "        if self.signal is not None:\n            self.signal.throw_if_aborted()\n",
        "Only a call after the aborted one shows it.",
    ),
]


def writing_world() -> dict[str, Any]:
    """Return the names of 7.4, with those of the chapter."""
    import pytest  # here, because only those who write tests need it

    return {**world(), "pytest": pytest, "STOP": given_signal()}


made_provider = partial(made, thing="Provider", world=world)

WRITE_THE_TEST = Exercise(
    id="7.4",
    title="Write the test",
    thing="check_provider",
    wants="an async function check_provider(make), your test",
    fits=is_async_function,
    starter="""
import pytest

stop = AbortController()
stop.abort()
STOP = stop.signal

async def check_provider(make):
    provider = make(["one", "two"])
    reply = await provider.complete(ASK)
    assert reply.message.content == "one"
""",
    hints=[
        "A broken provider cannot hide in two places: a call with the signal `STOP` and the call after it; the third "
        "call and the fourth.",
        "`with pytest.raises(AbortError): await provider.complete(ASK, STOP)` fails when nothing is raised, or something "
        "else. For the end, `RuntimeError` fits every right provider; its words do not.",
        "In this order: an aborted call; `one`; `two`; twice a RuntimeError.",
    ],
    solution="""
import pytest

stop = AbortController()
stop.abort()
STOP = stop.signal

async def check_provider(make):
    provider = make(["one", "two"])
    with pytest.raises(AbortError):
        await provider.complete(ASK, STOP)
    for text in ("one", "two"):
        assert (await provider.complete(ASK)).message.content == text
    for _ in range(2):
        with pytest.raises(RuntimeError):
            await provider.complete(ASK)
""",
    tests=judge(
        {"FakeModelProvider": lambda: FakeModelProvider, "another right one": lambda: made_provider(BY_HAND)},
        BROKEN,
        BY_HAND,
        made_provider,
        "provider",
    ),
    wrong_tests=[
        WrongTest(
            "asks as often as there are items",
            """
async def check_provider(make):
    provider = make(["one", "two"])
    assert [(await provider.complete(ASK)).message.content for _ in range(2)] == ["one", "two"]
""",
            "rejects a provider that repeats its last response",
            "What comes after the end is seen only by who asks once more.",
        ),
        WrongTest(
            "looks at the end once",
            """
async def check_provider(make):
    provider = make(["one"])
    await provider.complete(ASK)
    with pytest.raises(RuntimeError):
        await provider.complete(ASK)
""",
            "rejects a provider that begins again after its error",
            "An error that is right once may still move something.",
        ),
        WrongTest(
            "looks only at the error of an abort",
            """
async def check_provider(make):
    with pytest.raises(AbortError):
        await make(["one", "two"]).complete(ASK, STOP)
""",
            "rejects a provider that consumes on an abort",
            "The error is the half that is right; the next call shows the other half.",
        ),
        WrongTest(
            "takes any error for an abort",
            """
async def check_provider(make):
    provider = make(["one", "two"])
    with pytest.raises(Exception):
        await provider.complete(ASK, STOP)
    assert (await provider.complete(ASK)).message.content == "one"
""",
            "rejects a provider that calls an abort a failure",
            "A loop tells an abort from a failure by the class, so the test must too.",
        ),
        WrongTest(
            "pins the words of the error",
            """
async def check_provider(make):
    provider = make([])
    with pytest.raises(RuntimeError, match="已耗尽"):
        await provider.complete(ASK)
""",
            "accepts another right one",
            "The words belong to one provider; the contract speaks of the class.",
        ),
        WrongTest(
            "asks for the remaining items",
            """
async def check_provider(make):
    provider = make(["one", "two"])
    with pytest.raises(AbortError):
        await provider.complete(ASK, STOP)
    assert provider.remaining == 2
""",
            "accepts another right one",
            "`remaining` is an extra of our fake; what every provider has is complete().",
        ),
    ],
    world=writing_world,
)

EXERCISES = (PROVIDER, THIN_OR_THICK, ADAPTER, WRITE_THE_TEST)

PREDICTIONS: tuple[Question, ...] = (
    Question(
        "A fake has one response. We write provider.complete(ASK), without await. How many responses remain?",
        [
            Choice(
                "One: nothing has run yet.", True, "Calling an async function makes a coroutine. It runs when awaited."
            ),
            Choice(
                "Zero: the call was made.",
                False,
                "With def, yes. With async def, the line only prepares the call.",
            ),
            Choice(
                "It is an error: await is missing.",
                False,
                "Python says nothing at this line; it warns later, if nobody ever awaits it.",
            ),
        ],
    ),
    Question(
        "A second test makes `Quick(replies)` from the same list. What does its first call give?",
        [
            Choice(
                "The first response: a new provider begins at the beginning.",
                False,
                "It does begin at the beginning: of a list in which nothing is left.",
            ),
            Choice("An error: nothing is left.", False, "An error would be the better end; Quick has none."),
            Choice(
                "None: nothing is left, and nobody says so.",
                True,
                "Both hold the very same list, and pop emptied it.",
            ),
        ],
    ),
    Question(
        "Hasty has a tool call and then an answer. The first call is aborted. What does the next call give?",
        [
            Choice("The tool call: the aborted call got nothing.", False, "It got nothing, but it took something."),
            Choice(
                "The answer: the tool call is gone.",
                True,
                "It was taken from the list before the signal was looked at.",
            ),
            Choice(
                "AbortError again: the signal was given.",
                False,
                "A signal belongs to the call that it was passed to; this one has none.",
            ),
        ],
    ),
)

QUIZ = Quiz(
    "07",
    [
        Question(
            "Why must the loop not read a vendor's response itself?",
            [
                Choice(
                    "Because a dict is slower than a class.",
                    False,
                    "It makes no difference beside the seconds that a model takes.",
                ),
                Choice(
                    "Because its fields, words and errors are that vendor's own.",
                    True,
                    "Each of them would stand in the loop, and each would change with the vendor.",
                ),
                Choice(
                    "Because responses may hold secrets, which must not reach a loop.",
                    False,
                    "They may, and whoever records them takes care; the loop would still depend on the fields.",
                ),
                Choice(
                    "Because vendors forbid it.",
                    False,
                    "They offer it. It is your loop that pays for it, on the day you change.",
                ),
            ],
        ),
        Question(
            "All tests of the loop use responses with usage 0. What do they not show?",
            [
                Choice(
                    "Whether a budget ever stops a run.",
                    True,
                    "Nothing adds up to a limit, so a budget that is broken is green too.",
                ),
                Choice("Whether tools run.", False, "They run whatever the usage is."),
                Choice(
                    "Whether the history grows rightly.",
                    False,
                    "Messages do not depend on usage.",
                ),
                Choice(
                    "Nothing: a fake costs nothing, so 0 is true.",
                    False,
                    "It stands in for something that costs; an unknown usage would be {}.",
                ),
            ],
        ),
        Question(
            "Why does an aborted call consume no response?",
            [
                Choice(
                    "Because AbortError is no RuntimeError.",
                    False,
                    "The class tells who raised it; it moves no cursor.",
                ),
                Choice(
                    "So that the same list can be used for another provider.",
                    False,
                    "That is what the copy is for.",
                ),
                Choice(
                    "So that it is tried again by itself.",
                    False,
                    "An abort is never tried again by itself; whoever said stop meant it.",
                ),
                Choice(
                    "Because no call was made.",
                    True,
                    "An item is what a call that was made will see, so the next response is still the next.",
                ),
            ],
        ),
        Question(
            "A fake copies its responses when it is made. Why copy again when one is returned?",
            [
                Choice(
                    "Because the caller may write into what it got.",
                    True,
                    "It would write into the script. The first copy protects the fake from whoever wrote the script, the second from whoever reads it.",
                ),
                Choice(
                    "It need not: since the first copy, the script is private.",
                    False,
                    "The object that is returned is the one in the script, until it is copied.",
                ),
                Choice(
                    "Because a response can be asked for twice.",
                    False,
                    "Each is given once. But one object may stand in the script twice.",
                ),
                Choice("Because deepcopy is cheap.", False, "That it costs little is no reason to do it."),
            ],
        ),
        Question(
            "A test needs the exact call at which a budget ends, and an abort just before it. What do you take?",
            [
                Choice(
                    "A recording: it is real.",
                    False,
                    "A real model seldom reaches the very edge that you need, and never on demand.",
                ),
                Choice(
                    "A mock made in one line.",
                    False,
                    "It has usage and signal only if you think of them, which is how such faults stay hidden.",
                ),
                Choice(
                    "A fake: you write the usage, and it keeps the rest of the contract.",
                    True,
                    "Edges are what a fake is best at.",
                ),
                Choice(
                    "The real service, with a small budget.",
                    False,
                    "It costs, and tomorrow the same prompt takes another number of tokens.",
                ),
            ],
        ),
    ],
)

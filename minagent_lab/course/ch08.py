"""Chapter 08, cancellation: predictions, exercises and quiz."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from functools import partial
from typing import Any

from minagent_lab import (
    AbortController,
    AbortError,
    AbortSignal,
    AuthenticationError,
    FakeModelProvider,
    Message,
    ModelRequest,
    ProviderError,
    RateLimitError,
    Tool,
    ToolCall,
    ToolRegistry,
    arun,
)
from minagent_lab.abort import abortable
from minagent_lab.course.awaiting import finished
from minagent_lab.course.exercise import Exercise, Mutant, Test, WrongTest, made, says
from minagent_lab.course.expecting import expect, shown
from minagent_lab.course.judging import Broken, judge
from minagent_lab.course.kinds import class_with_async, is_async_function
from minagent_lab.course.quiz import Choice, Question, Quiz
from minagent_lab.course.shop import CAKE, ONE_ITEM, TEA, shop
from minagent_lab.course.shop import world as shop_world
from minagent_lab.observe.budget import Budget
from minagent_lab.results import exception_text

TITLE = "Cancellation"

REQUEST = ModelRequest([Message("user", "What does tea cost?")])
ROUNDS = 20  # of the event loop, after which what can go on without outside help has gone on


def world() -> dict[str, Any]:
    """Return the names that the cells above the exercises define."""
    names = {"asyncio": asyncio, "abortable": abortable, "request": REQUEST, "begin": begin, "SCRIPT": list(ITEMS)}
    return {**shop_world(), **names}


async def begin(coroutine: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
    """Start something, and let it go as far as it can."""
    task = asyncio.create_task(coroutine)
    for _ in range(9):
        await asyncio.sleep(0)
    return task


def awaited(test: Callable[[Any], Coroutine[Any, Any, None]]) -> Test:
    """Make a test of an async one."""

    @functools.wraps(test)
    def driven(thing: Any) -> None:
        finished(test(thing))

    return driven


async def _settle() -> None:
    for _ in range(ROUNDS):
        await asyncio.sleep(0)


async def _outcome(waiting: Awaitable[Any]) -> Any:
    """Return what something comes to: a value or an exception."""
    try:
        return await waiting
    except (Exception, asyncio.CancelledError) as error:
        return error


# ---- 8.1 ------------------------------------------------------------------------------------------------------------

ITEMS = ("Tea costs 12.", "Cake costs 8.")


class _Thinking:
    """What a provider waits for: a model that thinks until it is let go on, and notes when it is asked and ends."""

    def __init__(self, *, ready: bool = False) -> None:
        self.gate, self.asked, self.at_work = asyncio.Event(), 0, 0
        if ready:
            self.gate.set()

    def __call__(self, _: ModelRequest) -> Coroutine[Any, Any, Any]:
        self.asked += 1
        return self._think()

    async def _think(self) -> None:
        self.at_work += 1
        try:
            await self.gate.wait()
        finally:
            self.at_work -= 1


def _aborted(reason: str = "") -> AbortSignal:
    controller = AbortController()
    controller.abort(reason)
    return controller.signal


async def _stopped_meanwhile(provider: Any) -> Any:
    """Ask, give the signal while the model thinks, and return what came of it."""
    controller = AbortController()
    waiting = asyncio.ensure_future(provider.complete(REQUEST, controller.signal))
    await _settle()
    assert not waiting.done(), "it did not wait for self.before(request): the answer takes its time"
    controller.abort("Ann pressed Stop")
    await _settle()
    assert waiting.done(), "the signal was given, and the call still waits for a model that never answers"
    return await _outcome(waiting)


async def _cancelled_meanwhile(provider: Any) -> Any:
    """Ask, cancel the task while the model thinks, and return what came of it."""
    task = asyncio.ensure_future(provider.complete(REQUEST, AbortController().signal))
    await _settle()
    assert not task.done(), "it had ended before `task.cancel()`; did it wait for self.before(request)?"
    task.cancel()
    await _settle()
    return await _outcome(task)


def _is_abort(outcome: Any, when: str) -> None:
    if isinstance(outcome, AbortError):
        return
    got = exception_text(outcome) if isinstance(outcome, BaseException) else shown(outcome)
    raise AssertionError(f"{when} expected an AbortError, got {got}")


@awaited
async def test_without_a_signal_it_plays_its_items_in_order(careful: Any) -> None:
    provider = careful(ITEMS, _Thinking(ready=True))
    expect([await provider.complete(REQUEST), await provider.complete(REQUEST)], list(ITEMS), "two answers:")


@says("before: a signal that was given already ends the call with AbortError")
@awaited
async def test_before_it_raises_abort_error(careful: Any) -> None:
    provider = careful(ITEMS, _Thinking(ready=True))
    _is_abort(await _outcome(provider.complete(REQUEST, _aborted())), "for a signal that was given already")


@says("before: nothing is used up, and the model is not even asked")
@awaited
async def test_before_nothing_is_used_up(careful: Any) -> None:
    thinking = _Thinking(ready=True)
    provider = careful(ITEMS, thinking)
    await _outcome(provider.complete(REQUEST, _aborted()))
    expect(thinking.asked, 0, "how often self.before was called:")
    expect(await provider.complete(REQUEST), ITEMS[0], "the next call without a signal:")


@says("during: the wait ends at once, with AbortError")
@awaited
async def test_during_the_wait_ends_at_once(careful: Any) -> None:
    _is_abort(await _stopped_meanwhile(careful(ITEMS, _Thinking())), "for a signal in the middle of the wait")


@says("during: nothing is used up")
@awaited
async def test_during_nothing_is_used_up(careful: Any) -> None:
    thinking = _Thinking()
    provider = careful(ITEMS, thinking)
    await _stopped_meanwhile(provider)
    thinking.gate.set()
    expect(await provider.complete(REQUEST), ITEMS[0], "the next call without a signal:")


@says("during: the model stops thinking too")
@awaited
async def test_during_the_model_stops_too(careful: Any) -> None:
    thinking = _Thinking()
    await _stopped_meanwhile(careful(ITEMS, thinking))
    expect(thinking.asked, 1, "how often self.before was called:")
    assert not thinking.at_work, "the call has ended, and the model still thinks, for nobody; end what you waited for"


@says("during: of two calls at once, the one that is stopped uses up nothing")
@awaited
async def test_of_two_calls_at_once(careful: Any) -> None:
    thinking, ann = _Thinking(), AbortController()
    provider = careful(ITEMS, thinking)
    hers = asyncio.ensure_future(provider.complete(REQUEST, ann.signal))
    his = asyncio.ensure_future(provider.complete(REQUEST))
    await _settle()
    ann.abort("Ann pressed Stop")
    await _settle()
    assert hers.done(), "the signal was given, and the call still waits for a model that never answers"
    thinking.gate.set()
    expect(await _outcome(his), ITEMS[0], "Ann's call and Bob's both wait, and hers is stopped; his answer:")
    expect(await _outcome(provider.complete(REQUEST)), ITEMS[1], "the call after these two:")


@says("after: an answer that is there is returned, and used up once")
@awaited
async def test_after_the_answer_is_kept(careful: Any) -> None:
    controller = AbortController()

    async def until_stopped(_: ModelRequest) -> None:
        controller.abort("in the very moment of the answer")

    provider = careful(ITEMS, until_stopped)
    first = await _outcome(provider.complete(REQUEST, controller.signal))
    second = await _outcome(provider.complete(REQUEST))
    got = [ITEMS[0] if isinstance(first, AbortError) and second == ITEMS[0] else first, second]
    if got[0] == got[1] == ITEMS[0]:  # stopped in the last moment, and nothing is lost: right too
        return
    expect(got, list(ITEMS), "the signal comes with the first answer; this call and the next:")


@says("a signal stops its own call and no other")
@awaited
async def test_a_signal_stops_its_own_call_only(careful: Any) -> None:
    thinking = _Thinking()
    provider = careful(ITEMS, thinking)
    await _stopped_meanwhile(provider)
    thinking.gate.set()
    for signal in (AbortController().signal, None):
        outcome = await _outcome(provider.complete(REQUEST, signal))
        assert not isinstance(outcome, AbortError), "Ann's signal also stopped a later call, which was Bob's"


@says("task.cancel() goes on as CancelledError")
@awaited
async def test_a_cancelled_task_stays_cancelled(careful: Any) -> None:
    provider = careful(ITEMS, _Thinking())
    outcome = await _cancelled_meanwhile(provider)
    cancelled = isinstance(outcome, asyncio.CancelledError)
    assert cancelled, f"task.cancel() came to {shown(outcome)}; let CancelledError through"


@says("task.cancel() uses up nothing")
@awaited
async def test_a_cancelled_task_uses_up_nothing(careful: Any) -> None:
    thinking = _Thinking()
    provider = careful(ITEMS, thinking)
    await _cancelled_meanwhile(provider)
    thinking.gate.set()
    expect(await _outcome(provider.complete(REQUEST)), ITEMS[0], "the call after the cancelled one:")


CAREFUL = Exercise(
    id="8.1",
    title="Repair a fake that does not stop well",
    thing="Careful",
    wants="a class Careful with an async method complete(self, request, signal=None)",
    fits=class_with_async("complete"),
    starter="""
class Careful:
    def __init__(self, script, before):
        self.script, self.before = list(script), before

    async def complete(self, request, signal=None):
        reply = self.script.pop(0)
        if signal is not None:
            signal.throw_if_aborted()
        await self.before(request)
        return reply
""",
    hints=[
        "There are two faults. When may an item be taken? And how often is the signal looked at?",
        "Take the item last, when nothing can stop the call any more. Before the wait one look is enough; the wait "
        "itself has to end when the signal comes.",
        "First `signal.throw_if_aborted()`, then `await abortable(self.before(request), signal)`, then "
        "`return self.script.pop(0)`.",
    ],
    solution="""
class Careful:
    def __init__(self, script, before):
        self.script, self.before = list(script), before

    async def complete(self, request, signal=None):
        if signal is not None:
            signal.throw_if_aborted()
        await abortable(self.before(request), signal)
        return self.script.pop(0)
""",
    tests=[
        test_without_a_signal_it_plays_its_items_in_order,
        test_before_it_raises_abort_error,
        test_before_nothing_is_used_up,
        test_during_the_wait_ends_at_once,
        test_during_nothing_is_used_up,
        test_during_the_model_stops_too,
        test_of_two_calls_at_once,
        test_after_the_answer_is_kept,
        test_a_signal_stops_its_own_call_only,
        test_a_cancelled_task_stays_cancelled,
        test_a_cancelled_task_uses_up_nothing,
    ],
    mutants=[
        Mutant(
            "takes the item before it looks",
            """        if signal is not None:
            signal.throw_if_aborted()
        await abortable(self.before(request), signal)
        return self.script.pop(0)
""",
            """        reply = self.script.pop(0)
        if signal is not None:
            signal.throw_if_aborted()
        await abortable(self.before(request), signal)
        return reply
""",
            "test_before_nothing_is_used_up",
            "A call that was never made has had no answer; taking it first loses it.",
        ),
        Mutant(
            "takes the item before it waits",
            """        await abortable(self.before(request), signal)
        return self.script.pop(0)
""",
            """        reply = self.script.pop(0)
        await abortable(self.before(request), signal)
        return reply
""",
            "test_during_nothing_is_used_up",
            "Until the wait is over there is no answer; a signal in the middle must find the item where it was.",
        ),
        Mutant(
            "puts it back after an abort",
            """        if signal is not None:
            signal.throw_if_aborted()
        await abortable(self.before(request), signal)
        return self.script.pop(0)
""",
            """        reply = self.script.pop(0)
        try:
            if signal is not None:
                signal.throw_if_aborted()
            await abortable(self.before(request), signal)
        except AbortError:
            self.script.insert(0, reply)
            raise
        return reply
""",
            "test_a_cancelled_task_uses_up_nothing",
            "An abort is one of several ways not to get an answer; who takes last has nothing to put back.",
        ),
        Mutant(
            "puts it back whatever happened",
            """        await abortable(self.before(request), signal)
        return self.script.pop(0)
""",
            """        reply = self.script.pop(0)
        try:
            await abortable(self.before(request), signal)
        except BaseException:
            self.script.insert(0, reply)
            raise
        return reply
""",
            "test_of_two_calls_at_once",
            "While it is out, another call takes the one behind it, and the order is lost.",
        ),
        Mutant(
            "looks again and again",
            "        await abortable(self.before(request), signal)\n",
            """        thinking = asyncio.ensure_future(self.before(request))
        while not thinking.done():
            if signal is not None:
                signal.throw_if_aborted()
            await asyncio.sleep(0)
""",
            "test_during_the_model_stops_too",
            "Who goes away from a task leaves it at work; it has to be cancelled.",
        ),
        Mutant(
            "waits on",
            "await abortable(self.before(request), signal)",
            "await self.before(request)",
            "test_during_the_wait_ends_at_once",
            "One look before the wait knows nothing of what comes later, and most of the time is waiting.",
        ),
        Mutant(
            "looks only while it waits",
            """        if signal is not None:
            signal.throw_if_aborted()
""",
            "",
            "test_before_nothing_is_used_up",
            "The model was asked although everybody knew that nobody wants the answer.",
        ),
        Mutant(
            "looks again, after the answer was taken",
            "        return self.script.pop(0)\n",
            """        reply = self.script.pop(0)
        if signal is not None:
            signal.throw_if_aborted()
        return reply
""",
            "test_after_the_answer_is_kept",
            "The item is used up, and nobody gets it: paid for and thrown away.",
        ),
        Mutant(
            "keeps the signal",
            "        if signal is not None:\n",
            """        signal = self.signal = getattr(self, "signal", None) or signal
        if signal is not None:
""",
            "test_a_signal_stops_its_own_call_only",
            "A provider serves many; what one of them said must not stop the others.",
        ),
        Mutant(
            "calls it a failure",
            "signal.throw_if_aborted()",
            """if signal.aborted:
                raise RuntimeError("the model call failed")""",
            "test_before_it_raises_abort_error",
            "Whoever retries failures will now retry what the user has stopped.",
        ),
        Mutant(
            "takes a cancelled task for an abort",
            "        await abortable(self.before(request), signal)\n",
            """        try:
            await abortable(self.before(request), signal)
        except asyncio.CancelledError:
            raise AbortError() from None
""",
            "test_a_cancelled_task_stays_cancelled",
            "Who cancels a task waits for CancelledError; asyncio.timeout does not work without it.",
        ),
    ],
    world=world,
)


# ---- 8.2 ------------------------------------------------------------------------------------------------------------

BREW = ToolCall("c2", "brew", {"item": "tea"})
LAST = ToolCall("c3", "price", {"item": "cake"})


class _Kitchen:
    """The shop with a tool that takes its time: it brews until the gate opens."""

    def __init__(self) -> None:
        self.gate, self.begun, self.ended = asyncio.Event(), asyncio.Event(), False
        self.ran: list[str] = []
        self.registry = ToolRegistry()
        self.registry.add(Tool("price", "Price of one item (单价)", ONE_ITEM, self._price))
        self.registry.add(Tool("brew", "Brew one cup (泡茶)", ONE_ITEM, self._brew))

    def _price(self, item: str) -> int:
        self.ran.append(f"price {item}")
        return {"tea": 12, "cake": 8}[item]

    async def _brew(self, item: str) -> str:
        self.ran.append(f"brew {item}")
        self.begun.set()
        try:
            await self.gate.wait()
        finally:
            self.ended = True
        return f"a cup of {item}"


async def _stopped_while_brewing(use_tools: Any, kitchen: _Kitchen) -> list[Message]:
    """Run three calls, give the signal while the second is at work, and return the messages."""
    controller = AbortController()
    running = asyncio.ensure_future(use_tools([TEA, BREW, LAST], kitchen.registry, controller.signal))
    await _settle()
    assert kitchen.begun.is_set(), "brew was never begun"
    controller.abort("Ann pressed Stop")
    await _settle()
    assert running.done(), "the signal was given while brew was at work, and use_tools still waits for it"
    return _messages(await _outcome(running))


def _messages(outcome: Any) -> list[Message]:
    raised = isinstance(outcome, BaseException)
    assert not raised, f"it raised {exception_text(outcome)}; the messages are lost, and ids stay without an answer"
    if not isinstance(outcome, Sequence) or not all(isinstance(message, Message) for message in outcome):
        raise AssertionError(f"it returned {shown(outcome)}; return the list of messages")
    return list(outcome)


def _pairs(messages: list[Message]) -> list[tuple[str | None, str]]:
    return [(message.tool_call_id, message.content) for message in messages]


@awaited
async def test_without_a_signal_every_call_has_its_result(use_tools: Any) -> None:
    kitchen = _Kitchen()
    kitchen.gate.set()
    outcome = await _outcome(use_tools([TEA, BREW, LAST], kitchen.registry, AbortController().signal))
    expect(_pairs(_messages(outcome)), [("c1", "12"), ("c2", "a cup of tea"), ("c3", "8")], "ids and contents:")


@awaited
async def test_stopped_in_the_middle_each_id_is_answered_once_and_in_order(use_tools: Any) -> None:
    messages = await _stopped_while_brewing(use_tools, _Kitchen())
    expect([(m.role, m.tool_call_id) for m in messages], [("tool", "c1"), ("tool", "c2"), ("tool", "c3")], "messages:")


@awaited
async def test_what_had_finished_is_kept(use_tools: Any) -> None:
    messages = await _stopped_while_brewing(use_tools, _Kitchen())
    expect(_pairs(messages)[:1], [("c1", "12")], "c1 had finished before the signal; its message:")


@awaited
async def test_what_was_stopped_is_told_from_what_never_began(use_tools: Any) -> None:
    contents = dict(_pairs(await _stopped_while_brewing(use_tools, _Kitchen())))
    for id, word, what in (("c2", "stopped", "was at work when the signal came"), ("c3", "not run", "never began")):
        told = contents.get(id, "")
        assert word in told, f"{id} {what}; its content should say {word!r}, and is {shown(told)}"


@awaited
async def test_nothing_begins_after_the_signal(use_tools: Any) -> None:
    kitchen = _Kitchen()
    await _stopped_while_brewing(use_tools, kitchen)
    expect(kitchen.ran, ["price tea", "brew tea"], "the tools that were begun:")
    assert kitchen.ended, "brew was left at work; wait for it by `abortable`, which ends it"


@awaited
async def test_a_signal_that_was_given_before_runs_nothing(use_tools: Any) -> None:
    kitchen = _Kitchen()
    messages = _messages(await _outcome(use_tools([TEA, CAKE], kitchen.registry, _aborted())))
    expect(kitchen.ran, [], "the tools that were begun:")
    expect([m.tool_call_id for m in messages], ["c1", "c2"], "ids:")
    for message in messages:
        assert "not run" in message.content, f"nothing began, so each content says 'not run'; got {message.content}"


@says("task.cancel() is not swallowed")
@awaited
async def test_a_cancelled_task_is_not_swallowed(use_tools: Any) -> None:
    kitchen = _Kitchen()
    task = asyncio.ensure_future(use_tools([TEA, BREW, LAST], kitchen.registry, AbortController().signal))
    await _settle()
    assert kitchen.begun.is_set(), "brew was never begun"
    assert not task.done(), "it had ended before `task.cancel()`; did it wait for brew?"
    task.cancel()
    outcome = await _outcome(task)
    assert isinstance(outcome, asyncio.CancelledError), (
        f"task.cancel() came to {shown(outcome)}; only the signal makes messages, CancelledError goes through"
    )


USE_TOOLS = Exercise(
    id="8.2",
    title="Tools that stop, a history that stays whole",
    thing="use_tools",
    wants="an async function use_tools(calls, registry, signal)",
    fits=is_async_function,
    starter="""
STOPPED = '{"error": "stopped while it ran"}'
NOT_RUN = '{"error": "not run"}'

async def use_tools(calls, registry, signal):
    messages = []
    for call in calls:
        signal.throw_if_aborted()
        result = await abortable(registry.ause(call.name, call.arguments), signal)
        messages.append(Message("tool", result.content, tool_call_id=call.id))
    return messages
""",
    hints=[
        "Where does the exception of the starter go, and what becomes of `messages`? Each call needs a message, whatever "
        "happens.",
        "Two questions per call. Was the signal given before it began? Then it is not run. Did the signal come while it "
        "ran? Then `abortable` raises AbortError.",
        "`if signal.aborted: content = NOT_RUN`, else a `try` round the line with `abortable`, with "
        "`except AbortError: content = STOPPED`. The line with `append` stands after both.",
    ],
    solution="""
STOPPED = '{"error": "stopped while it ran"}'
NOT_RUN = '{"error": "not run"}'

async def use_tools(calls, registry, signal):
    messages = []
    for call in calls:
        if signal.aborted:
            content = NOT_RUN
        else:
            try:
                content = (await abortable(registry.ause(call.name, call.arguments), signal)).content
            except AbortError:
                content = STOPPED
        messages.append(Message("tool", content, tool_call_id=call.id))
    return messages
""",
    tests=[
        test_without_a_signal_every_call_has_its_result,
        test_stopped_in_the_middle_each_id_is_answered_once_and_in_order,
        test_what_had_finished_is_kept,
        test_what_was_stopped_is_told_from_what_never_began,
        test_nothing_begins_after_the_signal,
        test_a_signal_that_was_given_before_runs_nothing,
        test_a_cancelled_task_is_not_swallowed,
    ],
    mutants=[
        Mutant(
            "leaves the loop at the signal",
            "            content = NOT_RUN\n",
            "            break\n",
            "test_stopped_in_the_middle_each_id_is_answered_once_and_in_order",
            "The id c3 stays without an answer, and a real service refuses the next request.",
        ),
        Mutant(
            "says 'not run' of everything",
            "content = STOPPED",
            "content = NOT_RUN",
            "test_what_was_stopped_is_told_from_what_never_began",
            "The tea may be half brewed; the model would order it a second time.",
        ),
        Mutant(
            "says 'stopped' of everything",
            "content = NOT_RUN",
            "content = STOPPED",
            "test_what_was_stopped_is_told_from_what_never_began",
            "What never began may be asked for again without a worry, and the model should know.",
        ),
        Mutant(
            "looks only between two tools",
            "(await abortable(registry.ause(call.name, call.arguments), signal)).content",
            "(await registry.ause(call.name, call.arguments)).content",
            "test_nothing_begins_after_the_signal",
            "A tool may work for minutes; the signal has to reach into it.",
        ),
        Mutant(
            "catches everything",
            "except AbortError:",
            "except BaseException:",
            "test_a_cancelled_task_is_not_swallowed",
            "CancelledError is not yours to keep: somebody outside waits for it.",
        ),
        Mutant(
            "throws away what had finished",
            """            except AbortError:
                content = STOPPED
""",
            """            except AbortError:
                return [Message("tool", STOPPED, tool_call_id=c.id) for c in calls]
""",
            "test_what_had_finished_is_kept",
            "The price was looked up and is right; a signal does not undo the past.",
        ),
    ],
    world=world,
)


# ---- 8.3 ------------------------------------------------------------------------------------------------------------

STATUSES = ("completed", "cancelled", "over_budget", "failed")
WHO = ("nobody", "the retry layer", "who set the limit")

SITUATIONS = {
    "A": ("cancelled", "nobody", "Ann said stop; asking again would do what she has forbidden"),
    "B": ("failed", "the retry layer", "too many requests passes by itself, so waiting helps"),
    "C": ("completed", "nobody", "the final answer was there; there is nothing left to ask"),
    "D": ("cancelled", "nobody", "what the tool had done by then is not known; she might pay twice"),
    "E": ("cancelled", "who set the limit", "whoever chose the seconds knows whether more of them make sense"),
    "F": ("over_budget", "who set the limit", "the budget is somebody's decision, and so is a larger one"),
    "G": ("failed", "nobody", "the same key is refused each time"),
}


def _two_dicts(given: Any) -> bool:
    return isinstance(given, tuple) and len(given) == 2 and all(isinstance(part, dict) for part in given)


def _right(given: Any, letters: str, part: int) -> None:
    answers = given[part]
    for letter in letters:
        wanted, why = SITUATIONS[letter][part], SITUATIONS[letter][2]
        if answers.get(letter) == wanted:
            continue
        assert letter in answers, f"{letter} is missing"
        raise AssertionError(f"{letter} is not {shown(answers[letter])}: {why if part else _WHY_STATUS[wanted]}")


_WHY_STATUS = {
    "cancelled": "somebody outside ended the run; nothing in it went wrong",
    "completed": "the final answer was there before the signal came",
    "over_budget": "no call failed; the next one was not allowed any more",
    "failed": "the provider has no response, for a reason of its own",
}


def test_each_situation_has_one_of_the_words(given: Any) -> None:
    for answers, words, name in zip(given, (STATUSES, WHO), ("ends", "again"), strict=True):
        expect(sorted(answers), sorted(SITUATIONS), f"the letters in {name}:")
        for letter, word in answers.items():
            assert word in words, f"{name}[{letter!r}] is {shown(word)}; the words are {', '.join(words)}"


def test_a_stop_is_no_failure(given: Any) -> None:
    _right(given, "ADE", 0)


def test_an_answer_that_was_there_counts(given: Any) -> None:
    _right(given, "C", 0)


def test_a_failure_and_a_limit_are_two_things(given: Any) -> None:
    _right(given, "BFG", 0)


def test_nobody_tries_again_what_was_stopped_or_cannot_succeed(given: Any) -> None:
    _right(given, "ACDG", 1)


def test_the_retry_layer_has_what_passes_by_itself(given: Any) -> None:
    _right(given, "B", 1)


def test_a_limit_belongs_to_who_set_it(given: Any) -> None:
    _right(given, "EF", 1)


def test_the_words_are_those_of_real_runs(given: Any) -> None:
    real = finished(_really())
    for letter in SITUATIONS:
        expect(given[0].get(letter), real[letter], f"a real run of {letter}:")


async def _really() -> dict[str, str]:
    """Return how a run of each situation ends, in the package's own word."""
    gate = asyncio.Event()
    statuses = {}

    async def pay() -> None:
        await gate.wait()

    till = ToolRegistry()
    till.add(Tool("pay", "Pay the bill", {"type": "object"}, pay))
    for letter, script, tools in (
        ("A", ["Tea costs 12."], shop()),
        ("D", [[ToolCall("c1", "pay", {})], "Paid."], till),
    ):
        controller = AbortController()
        before = (lambda _: gate.wait()) if letter == "A" else None
        provider = FakeModelProvider(script, before=before)
        running = asyncio.ensure_future(arun(provider, tools, "Hi", signal=controller.signal))
        await _settle()
        controller.abort()
        statuses[letter] = (await running).status
    for letter, error in (("B", RateLimitError("slow down")), ("G", AuthenticationError("wrong key"))):
        statuses[letter] = await _partial(arun(FakeModelProvider([error]), shop(), "Hi"))
    statuses["C"] = (await arun(FakeModelProvider(["Tea costs 12."]), shop(), "Hi")).status
    waiting = FakeModelProvider(["x"], before=lambda _: gate.wait())
    task = asyncio.ensure_future(arun(waiting, shop(), "Hi"))
    await _settle()
    task.cancel()  # which is what a timeout does
    statuses["E"] = await _partial(task)
    statuses["F"] = (await arun(FakeModelProvider([[TEA], "x"]), shop(), "Hi", budget=Budget(steps=1))).status
    return statuses


async def _partial(running: Awaitable[Any]) -> str:
    try:
        await running
    except (ProviderError, asyncio.CancelledError) as error:
        return str(error.result.status)  # type: ignore[union-attr]
    raise AssertionError


CLASSIFY = Exercise(
    id="8.3",
    title="How does it end, and who may try again?",
    thing="(ends, again)",
    wants="the two dicts (ends, again), each with the letters A to G",
    fits=_two_dicts,
    starter="""
ends = {"A": "failed", "B": "failed", "C": "cancelled", "D": "failed", "E": "failed", "F": "failed", "G": "failed"}
again = dict.fromkeys("ABCDEFG", "the retry layer")
""",
    hints=[
        "First `ends`. Ask of each: did something go wrong, did somebody say stop, or was a limit reached? C was there in "
        "time.",
        "A, D and E were ended from outside; E by a clock. For `again`: only one of the seven passes by itself when one "
        "waits.",
        "A limit (E, F) belongs to who set it. A wrong key stays wrong, and a tool that pays may have paid already.",
    ],
    solution="""
ends = {
    "A": "cancelled", "B": "failed", "C": "completed", "D": "cancelled",
    "E": "cancelled", "F": "over_budget", "G": "failed",
}
again = {
    "A": "nobody", "B": "the retry layer", "C": "nobody", "D": "nobody",
    "E": "who set the limit", "F": "who set the limit", "G": "nobody",
}
""",
    tests=[
        test_each_situation_has_one_of_the_words,
        test_a_stop_is_no_failure,
        test_an_answer_that_was_there_counts,
        test_a_failure_and_a_limit_are_two_things,
        test_nobody_tries_again_what_was_stopped_or_cannot_succeed,
        test_the_retry_layer_has_what_passes_by_itself,
        test_a_limit_belongs_to_who_set_it,
        test_the_words_are_those_of_real_runs,
    ],
    mutants=[
        Mutant(
            "counts a stop as a failure",
            '"A": "cancelled"',
            '"A": "failed"',
            "test_a_stop_is_no_failure",
            "A report of failures would blame the service for what the user wanted.",
        ),
        Mutant(
            "throws the last answer away",
            '"C": "completed"',
            '"C": "cancelled"',
            "test_an_answer_that_was_there_counts",
            "The answer was paid for and is whole; the signal came too late to matter.",
        ),
        Mutant(
            "takes a timeout for a failure of the service",
            '"E": "cancelled"',
            '"E": "failed"',
            "test_a_stop_is_no_failure",
            "The run did nothing wrong; a clock outside it cancelled the task.",
        ),
        Mutant(
            "lets a tool that pays run again",
            '"D": "nobody"',
            '"D": "the retry layer"',
            "test_nobody_tries_again_what_was_stopped_or_cannot_succeed",
            "Stopped is not undone: the money may be gone already.",
        ),
        Mutant(
            "retries a wrong key",
            '"G": "nobody"',
            '"G": "the retry layer"',
            "test_nobody_tries_again_what_was_stopped_or_cannot_succeed",
            "The same key will be refused again, as often as you like.",
        ),
        Mutant(
            "lets the retry layer spend over the budget",
            '"F": "who set the limit"',
            '"F": "the retry layer"',
            "test_a_limit_belongs_to_who_set_it",
            "A limit that a layer below may lift is no limit.",
        ),
        Mutant(
            "gives up on a rate limit",
            '"B": "the retry layer"',
            '"B": "nobody"',
            "test_the_retry_layer_has_what_passes_by_itself",
            "This one goes away when one waits, and the service often says how long.",
        ),
        Mutant(
            "calls a budget a failure",
            '"F": "over_budget"',
            '"F": "failed"',
            "test_a_failure_and_a_limit_are_two_things",
            "Nothing failed; the next call was refused before it was made.",
        ),
    ],
    world=world,
)


# ---- 8.4 ------------------------------------------------------------------------------------------------------------

PROVIDER_SOURCE = """
class Provider:
    def __init__(self, script, before=None):
        self.script, self.before = list(script), before

    async def complete(self, request, signal=None):
        if signal is not None:
            signal.throw_if_aborted()
        if self.before is not None:
            await abortable(self.before(request), signal)
        return ModelResponse(Message("assistant", self.script.pop(0)))
"""

BROKEN = [
    Broken(
        "calls the abort a RuntimeError",
        "            signal.throw_if_aborted()\n",
        '            if signal.aborted:\n                raise RuntimeError("the model call failed")\n',
        "It raises, and a test that expects any exception is content.",
    ),
    Broken(
        "answers with an empty text instead of raising",
        "            signal.throw_if_aborted()\n",
        '            if signal.aborted:\n                return ModelResponse(Message("assistant", ""))\n',
        "An empty answer looks like a final one.",
    ),
    Broken(
        "uses up an item when it is stopped before",
        "            signal.throw_if_aborted()\n",
        "            if signal.aborted:\n                self.script.pop(0)\n            signal.throw_if_aborted()\n",
        "The error is right; only the next call shows that an item is gone.",
    ),
    Broken(
        "uses up an item when it is stopped during the wait",
        """            await abortable(self.before(request), signal)
        return ModelResponse(Message("assistant", self.script.pop(0)))
""",
        """            reply, _ = self.script.pop(0), await abortable(self.before(request), signal)
            return ModelResponse(Message("assistant", reply))
        return ModelResponse(Message("assistant", self.script.pop(0)))
""",
        "Stopped before, it is perfect; it needs a model that thinks.",
    ),
    Broken(
        "waits on in spite of the signal",
        "await abortable(self.before(request), signal)",
        "await self.before(request)",
        "It looks once, at the beginning; a signal that comes later is never seen.",
    ),
    Broken(
        "keeps the signal for later calls",
        "        if signal is not None:\n",
        """        signal = self.signal = getattr(self, "signal", None) or signal
        if signal is not None:
""",
        "One call shows nothing; the next one, of somebody else, is stopped too.",
    ),
]

made_provider = partial(made, thing="Provider", world=world)

WRITE_THE_TEST = Exercise(
    id="8.4",
    title="Write the test of a provider that can be stopped",
    thing="check_provider",
    wants="an async function check_provider(Provider), your test",
    fits=is_async_function,
    starter="""
async def check_provider(Provider):
    provider, controller = Provider(["first", "second"]), AbortController()
    controller.abort()
    try:
        await provider.complete(request, controller.signal)
    except Exception:
        return
    assert False, "the signal was given, and it answered all the same"
""",
    hints=[
        "That something is raised says little. What is raised? And what does the next call get, with no signal or with "
        "a new one?",
        "Three of the broken ones need a model that thinks: `Provider([...], before=lambda request: gate.wait())` with "
        "`gate = asyncio.Event()`. `waiting = await begin(provider.complete(...))` starts the call, and gives the signal "
        "its time.",
        "After `controller.abort()`, `with pytest.raises(AbortError): await asyncio.wait_for(waiting, timeout=1)` does not "
        "wait for ever. Then `gate.set()`; ask again with the same signal, and then with another one: look for `first`.",
    ],
    solution="""
import pytest

async def check_provider(Provider):
    gate, ann, bob = asyncio.Event(), AbortController(), AbortController()
    provider = Provider(["first", "second"], before=lambda request: gate.wait())
    waiting = await begin(provider.complete(request, ann.signal))
    ann.abort()
    with pytest.raises(AbortError):
        await asyncio.wait_for(waiting, timeout=1)
    gate.set()
    with pytest.raises(AbortError):
        await provider.complete(request, ann.signal)
    assert (await provider.complete(request, bob.signal)).message.content == "first"
""",
    tests=judge(
        {
            "the package's provider": lambda: FakeModelProvider,
            "another correct provider": lambda: made_provider(PROVIDER_SOURCE),
        },
        BROKEN,
        PROVIDER_SOURCE,
        made_provider,
        "provider",
    ),
    wrong_tests=[
        WrongTest(
            "is content with any exception",
            """
async def check_provider(Provider):
    provider, controller = Provider(["first", "second"]), AbortController()
    controller.abort()
    try:
        await provider.complete(request, controller.signal)
    except Exception:
        pass
    assert (await provider.complete(request)).message.content == "first"
""",
            "rejects a provider that calls the abort a RuntimeError",
            "The kind is the message: it tells a stop from a failure that may be tried again.",
        ),
        WrongTest(
            "looks only at the error",
            """
async def check_provider(Provider):
    provider, controller = Provider(["first", "second"]), AbortController()
    controller.abort()
    try:
        await provider.complete(request, controller.signal)
    except AbortError:
        return
    assert False
""",
            "rejects a provider that uses up an item when it is stopped before",
            "What was lost shows only in the call after it.",
        ),
        WrongTest(
            "stops only before the call",
            """
async def check_provider(Provider):
    provider, controller = Provider(["first", "second"]), AbortController()
    controller.abort()
    try:
        await provider.complete(request, controller.signal)
        assert False
    except AbortError:
        pass
    assert (await provider.complete(request)).message.content == "first"
""",
            "rejects a provider that uses up an item when it is stopped during the wait",
            "Most of the time is waiting, so most signals come during it.",
        ),
        WrongTest(
            "knows only one caller",
            """
async def check_provider(Provider):
    gate, controller = asyncio.Event(), AbortController()
    provider = Provider(["first", "second"], before=lambda request: gate.wait())
    waiting = asyncio.create_task(provider.complete(request, controller.signal))
    await asyncio.sleep(0)
    controller.abort()
    for _ in range(5):
        await asyncio.sleep(0)
    assert waiting.done() and isinstance(waiting.exception(), AbortError)
""",
            "rejects a provider that keeps the signal for later calls",
            "With one caller there is nobody whom a kept signal could hurt.",
        ),
        WrongTest(
            "opens the gate too early",
            """
async def check_provider(Provider):
    gate, controller = asyncio.Event(), AbortController()
    provider = Provider(["first", "second"], before=lambda request: gate.wait())
    waiting = asyncio.create_task(provider.complete(request, controller.signal))
    await asyncio.sleep(0)
    gate.set()
    controller.abort()
    try:
        await waiting
    except AbortError:
        pass
""",
            "rejects a provider that waits on in spite of the signal",
            "When the answer comes anyway, nobody sees who would have waited for ever.",
        ),
    ],
    world=world,
)

EXERCISES = (CAREFUL, USE_TOOLS, CLASSIFY, WRITE_THE_TEST)

PREDICTIONS: tuple[Question, ...] = (
    Question(
        "A run is handed a signal that was given already. What does `await arun(...)` do?",
        [
            Choice(
                "It makes one call, and stops before the second.",
                False,
                "It looks before each call, the first one too. So no call was made.",
            ),
            Choice(
                "It returns a result with the status cancelled, and makes no call.",
                True,
                "Stopping a run is one of the ways it may end, so there is a result; and nothing was used up.",
            ),
            Choice(
                "It raises AbortError.",
                False,
                "A single call raises it. The run catches it, and keeps it as `result.stopped_by`.",
            ),
        ],
    ),
    Question(
        "The model thinks behind a gate that nobody opens. Now the signal is given. What does `await waiting` do?",
        [
            Choice(
                "It waits until the gate opens; then it sees the signal.",
                False,
                "The gate never opens, so the cell would hang. Whoever waits has to listen while waiting.",
            ),
            Choice(
                "It ends at once, with an answer: the first item.",
                False,
                "There is no answer to give: the model has not finished thinking.",
            ),
            Choice(
                "It ends at once, with AbortError; both items are left.",
                True,
                "The signal ends the wait, and an item is taken only after the wait.",
            ),
        ],
    ),
    Question(
        "The model's answer is there: a call of price, for 30 tokens in and 9 out. In this moment Ann presses Stop. "
        "What does the result of the run hold?",
        [
            Choice(
                "The answer and its usage, and price was not run.",
                True,
                "What was paid for is kept. What comes next, the tool, does not begin any more.",
            ),
            Choice(
                "Nothing: the run was stopped, so the answer is thrown away.",
                False,
                "Its 39 tokens are on the bill. A result without them would count too little.",
            ),
            Choice(
                "The answer and a price: what the model asks for is still done.",
                False,
                "The tool would begin after the signal, and nobody wants its result any more.",
            ),
        ],
    ),
)

QUIZ = Quiz(
    "08",
    [
        Question(
            "A provider takes its item, then looks at the signal, and raises AbortError. What does the caller notice?",
            [
                Choice(
                    "Nothing: AbortError is just what the contract asks for.",
                    False,
                    "The error is right. What is wrong shows in the call after it.",
                ),
                Choice(
                    "The next call gets the second item; the first is lost.",
                    True,
                    "That is how to find it: stop one call, make another, and look at what comes.",
                ),
                Choice(
                    "The next call raises AbortError too.",
                    False,
                    "That would be a provider which keeps the signal, another fault.",
                ),
                Choice(
                    "The run ends as failed.",
                    False,
                    "AbortError makes it cancelled, whatever the provider did before.",
                ),
            ],
        ),
        Question(
            "A run was stopped while the second of three tools was at work. Which tool messages does its history hold?",
            [
                Choice(
                    "One: the result of the first tool. The others have none.",
                    False,
                    "Then two ids would stand there without an answer, and a real service refuses such a history.",
                ),
                Choice(
                    "None: the whole turn is taken back.",
                    False,
                    "The first tool has worked, and what it did is done; leaving it out would be a lie.",
                ),
                Choice(
                    "Three, of which the last two say the same.",
                    False,
                    "They must not say the same: one may have done half its work, the other nothing.",
                ),
                Choice(
                    "Three: a result, 'stopped while it ran', 'not run'.",
                    True,
                    "Each id is answered once, and the model can tell the three apart.",
                ),
            ],
        ),
        Question(
            "Your loop round the provider says `except Exception:` and tries again, three times. Ann gives the signal.",
            [
                Choice(
                    "It asks again: AbortError is an Exception.",
                    True,
                    "So it is caught. It must be let through first, or better: catch ProviderError only, and of those what is retryable.",
                ),
                Choice(
                    "It stops: AbortError is a BaseException.",
                    False,
                    "That is true of CancelledError. AbortError is an ordinary exception of this package.",
                ),
                Choice(
                    "It stops: a signal cancels the task as well.",
                    False,
                    "A signal only tells. Whoever does not look goes on.",
                ),
                Choice(
                    "It asks again once, and then the provider is closed.",
                    False,
                    "Nothing closes a provider here; each of the three tries raises.",
                ),
            ],
        ),
        Question(
            "A function catches asyncio.CancelledError and returns None. What becomes of `asyncio.timeout` round it?",
            [
                Choice(
                    "It raises TimeoutError all the same.",
                    False,
                    "It makes TimeoutError out of the CancelledError that reaches it, and none does.",
                ),
                Choice(
                    "It cancels again until the function gives up.",
                    False,
                    "It cancels once. Who swallows that has swallowed the limit.",
                ),
                Choice(
                    "It raises nothing: the limit has passed, and nobody is told.",
                    True,
                    "So tidy up, in `finally` or before a bare `raise`, and let CancelledError go on.",
                ),
                Choice(
                    "It raises CancelledError instead of TimeoutError.",
                    False,
                    "The CancelledError is gone; somebody caught it.",
                ),
            ],
        ),
        Question(
            "Two users share one provider. Where does the signal of each belong?",
            [
                Choice(
                    "In the provider, set before each call.",
                    False,
                    "The second call overwrites the first one's signal while that one is still waiting.",
                ),
                Choice(
                    "In the call: complete(request, signal).",
                    True,
                    "Then each call hears its own signal and no other.",
                ),
                Choice(
                    "In a global that every run looks at.",
                    False,
                    "One Ctrl-C would stop everybody.",
                ),
                Choice(
                    "In the request, so that the model sees it.",
                    False,
                    "A request is data that is sent and recorded; a signal is no part of the question.",
                ),
            ],
        ),
    ],
)

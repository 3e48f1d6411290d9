"""What is of another kind than an exercise wants is told what to write."""

import functools
from dataclasses import replace

import pytest

from minagent_lab.course.exercise import Exercise
from minagent_lab.course.kinds import class_with_async, is_async_function, is_plain_function, is_returning_function
from minagent_lab.course.report import report_on


async def waits(provider, request, attempts=3): ...


def plain(events, *, key=print, sign="-", none=None): ...


@functools.wraps(waits)
def wrapped(*whatever):
    return waits(*whatever)


class AsyncCall:
    async def __call__(self, events): ...


class Careful:
    async def complete(self, request, signal=None): ...


class Hasty:
    def complete(self, request, signal=None): ...


class Other: ...


@pytest.mark.parametrize("thing", [waits, wrapped, AsyncCall(), functools.partial(waits, 1)])
def test_what_is_awaited_is_async(thing):
    assert is_async_function(thing)
    assert not is_plain_function(thing)


@pytest.mark.parametrize("thing", [plain, lambda: 1, print, functools.partial(plain, 1)])
def test_what_answers_at_once_is_plain(thing):
    assert is_plain_function(thing)
    assert not is_async_function(thing)


def test_what_yields_asynchronously_is_not_plain_and_is_told_the_line():
    async def events(pieces):
        yield pieces

    assert not is_plain_function(events)
    assert "write `def events(pieces)`" in is_plain_function.refusal(events, "events")


@pytest.mark.parametrize("thing", [None, ..., 3, int, Careful])
@pytest.mark.parametrize("kind", [is_async_function, is_plain_function])
def test_what_is_no_function_is_left_to_the_words_of_the_exercise(kind, thing):
    assert not kind(thing)
    assert kind.refusal(thing, "f") == ""


def test_a_forgotten_async_is_told_with_the_line_to_write():
    told = "it is a plain `def`; it waits, so write `async def check_it(events, *, key=..., sign='-', none=None)`"
    assert is_async_function.refusal(plain, "check_it") == told


def test_an_async_too_many_is_told_with_the_line_to_write():
    told = "it is `async def`; nothing waits here, so write `def classify(provider, request, attempts=3)`"
    assert is_plain_function.refusal(waits, "classify") == told


def test_of_a_class_the_method_counts():
    kind = class_with_async("complete")
    assert [kind(thing) for thing in (Careful, Hasty, Other, Careful(), None)] == [True, False, False, False, False]
    told = "its `complete` is a plain `def`; in the contract it is `async def complete(self, request, signal=None)`"
    assert kind.refusal(Hasty, "Careful") == told
    assert kind.refusal(Other, "Careful") == "Careful has no method `complete`; write `async def complete` in it"
    assert kind.refusal(Careful(), "Careful") == ""


def exercise(fits):
    return Exercise(
        id="9.1",
        title="Check",
        thing="check_it",
        wants="an async function check_it(events)",
        fits=fits,
        starter="",
        hints=[],
        solution="",
        tests=[lambda thing: None],
    )


def test_the_report_says_what_to_write():
    (line,) = report_on(exercise(is_async_function), lambda events: None).lines
    assert line == (
        "check got a function",
        False,
        "it is a plain `def`; it waits, so write `async def check_it(events)`",
    )
    (line,) = report_on(exercise(is_async_function), 4).lines
    assert line.reason == "it wants an async function check_it(events)"


def test_a_signature_that_raises_is_left_out():
    class Nasty:
        __signature__ = 4

        def __call__(self): ...

    assert is_async_function.refusal(Nasty(), "f") == "it is a plain `def`; it waits, so write `async def f(...)`"
    (line,) = report_on(replace(exercise(is_async_function), wants="w"), Nasty()).lines
    assert not line.passed


def yields(outcomes):
    yield outcomes


def test_what_yields_is_plain_and_is_told_to_return():
    assert is_plain_function(yields)
    assert is_returning_function(plain)
    assert not is_returning_function(yields)
    assert not is_returning_function(waits)
    told = is_returning_function.refusal(yields, "tally")
    assert told == "it has a `yield`, so a call of it only makes a generator; write `return` in `def tally(outcomes)`"
    assert "nothing waits here" in is_returning_function.refusal(waits, "tally")


def test_what_is_awaited_does_not_yield():
    async def test(provider):
        yield provider

    assert not is_async_function(test)
    assert "has a `yield`, so nobody can await it" in is_async_function.refusal(test, "test")

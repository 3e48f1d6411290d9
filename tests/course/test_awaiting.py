import asyncio
import sys

import pytest

from minagent_lab.course.awaiting import finished
from minagent_lab.course.running import attempted


def await_it(thing):
    return finished(thing())


async def one():
    return 1


def test_a_coroutine_is_run_to_its_end():
    assert finished(one()) == 1


def test_what_needs_no_waiting_comes_back_as_it_is():
    assert finished("text") == "text"


def test_it_works_where_a_loop_is_running():
    async def cell():
        return finished(one())

    assert asyncio.run(cell()) == 1


def test_letting_others_go_first_takes_no_loop():
    async def polite():
        await asyncio.sleep(0)
        return await one()

    assert finished(polite()) == 1


@pytest.mark.parametrize("in_a_loop", [True, False])
def test_waiting_for_time_is_a_reason_that_says_so(in_a_loop):
    async def sleepy():
        await asyncio.sleep(60)

    async def cell():
        return attempted(await_it, sleepy)

    outcome = asyncio.run(cell()) if in_a_loop else attempted(await_it, sleepy)
    assert outcome.problem == "it waits for something else: time, a task, a network; here, nothing takes time"


def test_who_goes_on_although_closed_is_left_behind():
    async def stubborn():
        while True:
            try:
                await asyncio.sleep(60)
            except GeneratorExit:
                await asyncio.sleep(60)

    async def cell():
        return attempted(await_it, stubborn)

    assert asyncio.run(cell()).failed_by == "AssertionError"


async def raises_runtime_error():
    raise RuntimeError("used up")


async def raises_key_error():
    raise KeyError("tea")


@pytest.mark.parametrize(("thing", "problem"), [
    (raises_runtime_error, "RuntimeError: used up"),
    (raises_key_error, "KeyError: 'tea'"),
])  # fmt: skip
def test_what_it_raises_comes_through(thing, problem):
    assert attempted(await_it, thing).problem == problem


async def endless():
    while True:
        pass


async def endlessly_polite():
    while True:  # noqa: ASYNC110  (without end, on purpose)
        await asyncio.sleep(0)


async def endless_inside():
    await endless()


@pytest.mark.parametrize("loop", [endless, endlessly_polite, endless_inside])
def test_the_limit_of_steps_holds_for_async_code(loop):
    assert attempted(await_it, loop, steps=10_000).failed_by == "TooLong"
    assert sys.gettrace() is None

"""A learner's coroutine, run to its end, wherever we stand."""

import asyncio
import gc
import sys
import warnings

import pytest

from minagent_lab import AbortController, AbortError
from minagent_lab.abort import abortable
from minagent_lab.course.awaiting import WaitsForEver, finished
from minagent_lab.course.running import TooLong, attempted


def await_it(thing):
    return finished(thing())


async def one():
    return 1


async def for_ever():
    await asyncio.Event().wait()


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
def test_who_waits_for_ever_is_told_so(in_a_loop):
    async def cell():
        return attempted(await_it, for_ever)

    outcome = asyncio.run(cell()) if in_a_loop else attempted(await_it, for_ever)
    assert outcome.problem == "it waits for something that never comes: nothing is left to run that could end its wait"
    assert outcome.failed_by == "TooLong"


def test_who_goes_on_although_closed_is_left_behind():
    async def stubborn():
        while True:
            try:
                await asyncio.sleep(60)
            except GeneratorExit:
                await asyncio.sleep(60)

    async def cell():
        return attempted(await_it, stubborn)

    assert asyncio.run(cell()).failed_by == "TooLong"


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


# ---- with tasks, timers and signals


async def add(a, b):
    await asyncio.sleep(0)
    return a + b


def test_it_works_where_a_loop_is_running_and_leaves_that_one_as_it_was():
    async def cell():
        loop, task = asyncio.get_running_loop(), asyncio.current_task()
        other = asyncio.ensure_future(add(3, 4))
        assert finished(add(1, 2)) == 3
        with pytest.raises(ValueError, match="no"):
            finished(fail())
        assert (asyncio.get_running_loop(), asyncio.current_task()) == (loop, task)
        return await other

    async def fail():
        raise ValueError("no")

    assert asyncio.run(cell()) == 7


def test_it_works_inside_itself():
    async def outer():
        return finished(add(1, 2)) + await add(3, 4)

    assert finished(outer()) == 10


def test_no_real_time_passes_and_timers_keep_their_order():
    seen = []

    async def after(seconds):
        await asyncio.sleep(seconds)
        seen.append((seconds, asyncio.get_running_loop().time()))

    async def all_three():
        await asyncio.gather(after(7200), after(1), after(3600))

    finished(all_three())
    assert seen == [(1, 1), (3600, 3600), (7200, 7200)]


def test_a_timeout_is_due_at_once():
    async def late():
        async with asyncio.timeout(60):
            await for_ever()

    with pytest.raises(TimeoutError):
        finished(late())


def test_what_is_left_is_ended_without_a_word(capsys):
    ended = []

    async def child():
        try:
            await for_ever()
        finally:
            ended.append("child")

    async def deaf():
        while True:
            try:
                await for_ever()
            except asyncio.CancelledError:
                ended.append("deaf")

    async def main():
        tasks = asyncio.ensure_future(child()), asyncio.ensure_future(deaf())
        await asyncio.sleep(0)
        return len(tasks)

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert finished(main()) == 2
        gc.collect()
    assert "child" in ended
    assert "deaf" in ended
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("step", [lambda: asyncio.sleep(0), lambda: asyncio.sleep(1)])
def test_a_coroutine_that_never_ends_is_stopped(step):
    async def turning():
        while True:
            await step()

    with pytest.raises(TooLong, match="10,000 rounds"):
        finished(turning())


def test_ctrl_c_comes_through():
    async def stop():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        attempted(await_it, stop)


def test_signals_and_cancelled_tasks_behave_as_in_any_loop():
    async def main():
        controller = AbortController()
        task = asyncio.ensure_future(abortable(for_ever(), controller.signal))
        await asyncio.sleep(0)
        controller.abort()
        with pytest.raises(AbortError):
            await task
        other = asyncio.ensure_future(for_ever())
        await asyncio.sleep(0)
        other.cancel()
        with pytest.raises(asyncio.CancelledError):
            await other

    finished(main())


def test_a_wait_that_never_ends_is_no_assertion():
    assert issubclass(WaitsForEver, TooLong)
    assert not issubclass(WaitsForEver, Exception)

"""Cooperative cancellation."""

import asyncio
import threading

import pytest

from minagent_lab.abort import AbortController, AbortSignal, abortable
from minagent_lab.errors import AbortError


def test_a_signal_is_given_once_and_stays_given():
    controller = AbortController()
    signal = controller.signal
    assert not signal.aborted
    controller.abort("first")
    controller.abort("second")
    assert signal.aborted
    assert signal.reason == "first"
    with pytest.raises(AbortError, match=r"模型请求已取消 .*first"):
        signal.throw_if_aborted()


def test_the_error_has_the_name_that_the_web_gives_it():
    assert AbortError().name == "AbortError"
    assert not issubclass(AbortError, asyncio.CancelledError)


def test_a_listener_is_called_once_even_when_it_comes_late_and_not_when_it_left():
    controller, heard = AbortController(), []
    controller.signal.on_abort(lambda: heard.append("early"))
    leave = controller.signal.on_abort(lambda: heard.append("left"))
    leave()
    leave()
    controller.abort()
    controller.abort()
    controller.signal.on_abort(lambda: heard.append("late"))
    assert heard == ["early", "late"]


def test_what_has_finished_counts_as_finished():
    async def main():
        controller = AbortController()
        result = await abortable(asyncio.sleep(0, "done"), controller.signal)
        controller.abort()
        return result

    assert asyncio.run(main()) == "done"


def test_what_is_waited_for_ends_when_the_signal_is_given():
    ended = []

    async def for_ever():
        try:
            await asyncio.Event().wait()
        finally:
            ended.append(True)

    async def main():
        controller = AbortController()
        asyncio.get_running_loop().call_soon(lambda: controller.abort("enough"))
        with pytest.raises(AbortError, match="enough"):
            await abortable(for_ever(), controller.signal)
        assert asyncio.all_tasks() == {asyncio.current_task()}

    asyncio.run(main())
    assert ended == [True]


def test_what_was_stopped_before_it_began_does_not_begin():
    begun = []

    async def work():
        begun.append(True)

    async def main():
        controller = AbortController()
        controller.abort()
        with pytest.raises(AbortError):
            await abortable(work(), controller.signal)

    asyncio.run(main())
    assert begun == []


def test_another_thread_may_give_the_signal():
    async def main():
        controller = AbortController()
        begun = asyncio.Event()

        async def for_ever():
            begun.set()
            await asyncio.Event().wait()

        task = asyncio.ensure_future(abortable(for_ever(), controller.signal))
        await begun.wait()
        thread = threading.Thread(target=controller.abort)
        thread.start()
        with pytest.raises(AbortError):
            await task
        thread.join()

    asyncio.run(main())


@pytest.mark.parametrize("also_aborted", [False, True])
def test_a_cancelled_task_is_cancelled_and_not_aborted(also_aborted):
    async def main():
        controller = AbortController()
        task = asyncio.ensure_future(abortable(asyncio.Event().wait(), controller.signal))
        await asyncio.sleep(0)
        task.cancel()
        if also_aborted:
            controller.abort()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert task.cancelled()

    asyncio.run(main())


def test_a_timeout_round_it_is_a_timeout():
    async def main():
        controller = AbortController()
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0):
                await abortable(asyncio.Event().wait(), controller.signal)

    asyncio.run(main())


def test_what_fails_fails_as_itself():
    async def broken():
        raise ValueError("broken")

    async def main():
        with pytest.raises(ValueError, match="broken"):
            await abortable(broken(), AbortController().signal)

    asyncio.run(main())


def test_reprs_are_short_and_without_an_address():
    controller = AbortController()
    assert repr(controller) == "<AbortController: not aborted>"
    controller.abort("Stop")
    assert repr(controller.signal) == "<AbortSignal: aborted, Stop>"
    assert "0x" not in repr(AbortSignal())

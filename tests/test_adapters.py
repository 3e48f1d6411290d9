"""From a provider to a plain model and back."""

import _thread
import asyncio
import gc
import threading

import pytest
from lab import adder, call

from minagent_lab import (
    AbortController,
    AbortError,
    FakeModel,
    FakeModelProvider,
    Message,
    ModelRequest,
    ModelResponse,
    ProviderTimeoutError,
    RateLimitError,
    Stepper,
    ToolRegistry,
    arun,
    run,
    to_model,
    to_provider,
)


def loops():
    return [thread for thread in threading.enumerate() if thread.name == "minagent_lab loop"]


@pytest.fixture
def model():
    with to_model(FakeModelProvider([[call()], "5"])) as made:
        yield made


def test_a_provider_can_be_asked_like_a_plain_model(model):
    assert run(model, adder(), "2 + 3?").final == "5"


def test_it_works_while_a_loop_is_running(model):
    async def main():
        return run(model, adder(), "2 + 3?").final

    assert asyncio.run(main()) == "5"


def test_all_calls_share_one_loop():
    seen = set()

    class Seeing:
        async def complete(self, request, signal=None):
            seen.add(asyncio.get_running_loop())
            return ModelResponse(Message("assistant", "x"))

    with to_model(Seeing()) as model:
        for _ in range(3):
            model.complete([], [])
        assert len(loops()) == 1
    assert len(seen) == 1
    assert loops() == []


def test_no_thread_is_begun_before_it_is_needed_and_closing_twice_is_fine():
    model = to_model(FakeModelProvider([]))
    assert loops() == []
    model.close()
    model.complete.__self__.close()


def test_an_adapter_that_is_forgotten_takes_its_thread_along():
    model = to_model(FakeModelProvider(["x"]))
    model.complete([], [])
    assert len(loops()) == 1
    del model
    gc.collect()
    assert loops() == []


def test_it_can_be_used_again_after_it_was_closed(model):
    model.complete([Message("user", "x")], [])
    model.close()
    assert model.complete([Message("user", "x")], []).message.content == "5"


def test_what_the_provider_raises_comes_through():
    with to_model(FakeModelProvider([RateLimitError("slow down")])) as model, pytest.raises(RateLimitError):
        model.complete([], [])


def test_what_ends_a_program_comes_through_and_the_loop_stays():
    class Exits:
        asked = 0

        async def complete(self, request, signal=None):
            self.asked += 1
            if self.asked == 1:
                raise SystemExit(3)
            return ModelResponse(Message("assistant", "5"))

    with to_model(Exits()) as model:
        with pytest.raises(SystemExit, match="3"):
            model.complete([], [])
        assert model.complete([], []).message.content == "5"


def test_a_timeout_of_the_provider_comes_through():
    class Late:
        async def complete(self, request, signal=None):
            raise TimeoutError("too late")

    with to_model(Late()) as model, pytest.raises(TimeoutError, match="too late"):
        model.complete([], [])


def test_a_stepper_shows_the_script_of_the_provider(model):
    walk = Stepper(model, adder(), "2 + 3?")
    walk.run_to_end()

    assert [turn.item for turn in walk.turns] == [1, 2]
    assert model.name == "fake-1"
    assert len(model.script) == 2


def test_ctrl_c_while_waiting_cancels_the_call_over_there(monkeypatch):
    began, ended = threading.Event(), threading.Event()

    class Slow:
        async def complete(self, request, signal=None):
            began.set()
            try:
                await asyncio.Event().wait()
            finally:
                ended.set()

    import concurrent.futures

    def interrupted(self, timeout=None):
        began.wait()
        raise KeyboardInterrupt

    with to_model(Slow()) as model:
        monkeypatch.setattr(concurrent.futures.Future, "result", interrupted)  # no test can press Ctrl-C in time
        with pytest.raises(KeyboardInterrupt):
            model.complete([], [])
        monkeypatch.undo()
        assert ended.wait(10)


def test_ctrl_c_that_wakes_nobody_ends_the_wait_all_the_same():
    ended = threading.Event()

    class Slow:
        async def complete(self, request, signal=None):
            try:
                await asyncio.sleep(0.1)
                _thread.interrupt_main()  # it is noted, and who waits sleeps on, as when it comes just before the wait
                await asyncio.Event().wait()
            finally:
                ended.set()

    with to_model(Slow()) as model:
        with pytest.raises(KeyboardInterrupt):
            model.complete([], [])
        assert ended.wait(10)


def test_a_timeout_over_there_is_a_timeout_here():
    with to_model(FakeModelProvider([ProviderTimeoutError("late")])) as model, pytest.raises(ProviderTimeoutError):
        model.complete([], [])


def test_a_plain_model_can_be_awaited():
    assert asyncio.run(arun(to_provider(FakeModel(["Hello."])), ToolRegistry(), "Hi")).final == "Hello."


@pytest.mark.parametrize("in_thread", [False, True])
def test_an_aborted_signal_asks_nobody(in_thread):
    model, controller = FakeModel(["Hello."]), AbortController()
    controller.abort()
    with pytest.raises(AbortError):
        asyncio.run(to_provider(model, in_thread=in_thread).complete(ModelRequest([]), controller.signal))
    assert (model.remaining, model.calls) == (1, [])


def test_a_model_that_makes_one_wait_can_be_asked_in_another_thread():
    class Blocking:
        def complete(self, messages, tools):
            assert gate.wait(10)
            return ModelResponse(Message("assistant", threading.current_thread().name))

    gate = threading.Event()

    async def main():
        waiting = asyncio.ensure_future(to_provider(Blocking(), in_thread=True).complete(ModelRequest([])))
        await asyncio.sleep(0)
        gate.set()  # reached, since the loop goes on
        return (await waiting).message.content

    assert asyncio.run(main()) != threading.main_thread().name


def test_there_and_back_again():
    with to_model(to_provider(FakeModel(["Hello."]))) as model:
        assert model.complete([], []).message.content == "Hello."


@pytest.mark.parametrize("adapt", [to_model, to_provider])
@pytest.mark.parametrize("thing", [None, "x", FakeModel, FakeModelProvider])
def test_what_cannot_be_asked_is_refused(adapt, thing):
    with pytest.raises(TypeError, match="pass an object with"):
        adapt(thing)


def test_what_an_adapter_lacks_it_lacks():
    with pytest.raises(AttributeError):
        to_provider(FakeModel([])).flavour
    assert repr(to_provider(FakeModel([]))) == "<AwaitedModel of <FakeModel fake-1: 0 of 0 items used>>"

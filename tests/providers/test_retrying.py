import asyncio
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lab import adder

from minagent_lab import FakeModelProvider, Message, ModelRequest, arun, errors
from minagent_lab.abort import AbortController
from minagent_lab.errors import (
    AbortError,
    AuthenticationError,
    ConfigurationError,
    InvalidRequestError,
    MalformedResponseError,
    NetworkError,
    ProviderTimeoutError,
    RateLimitError,
    ServerError,
)
from minagent_lab.observe.clock import TickingClock
from minagent_lab.observe.trace import Trace
from minagent_lab.providers.retrying import Retrying

REQUEST = ModelRequest([Message("user", "Hi")])
HOPELESS = [
    AuthenticationError("401", status_code=401),
    ConfigurationError("wrong"),
    InvalidRequestError("400", status_code=400),
    InvalidRequestError("404", status_code=404),
    MalformedResponseError("no JSON"),
    RateLimitError("pay first", status_code=429, code="insufficient_quota"),
]
PASSING = [
    RateLimitError("slow down", status_code=429),
    ServerError("500", status_code=500),
    NetworkError("no connection"),
    ProviderTimeoutError("408", status_code=408),
]


class Lab:
    """A provider round a script, with a clock that nobody waits for."""

    def __init__(self, script, **options):
        self.clock = TickingClock(step=0)
        self.inner = FakeModelProvider(script)
        told = {"jitter": lambda: 0, "sleep": self.clock.sleep, "clock": self.clock, **options}
        self.provider = Retrying(self.inner, **told)

    def ask(self, signal=None):
        return asyncio.run(self.provider.complete(REQUEST, signal))

    @property
    def requests(self):
        return len(self.inner.calls)


def test_the_first_answer_is_the_answer():
    lab = Lab(["Hello."])
    assert lab.ask().message.content == "Hello."
    assert (lab.requests, lab.clock.slept) == (1, [])


@pytest.mark.parametrize("error", PASSING, ids=repr)
def test_what_may_pass_is_tried_again(error):
    lab = Lab([error, "Hello."])
    assert lab.ask().message.content == "Hello."
    assert lab.requests == 2


@pytest.mark.parametrize("error", HOPELESS, ids=repr)
def test_what_will_not_pass_is_tried_once(error):
    lab = Lab([error, "Hello."], attempts=5)
    with pytest.raises(type(error)) as caught:
        lab.ask()
    assert (lab.requests, lab.clock.slept) == (1, [])
    assert caught.value.__notes__ == [f"attempt 1 of 5; not sent again: {type(error).__name__} would come again"]


@given(st.integers(1, 6))
def test_n_attempts_are_n_requests(attempts):
    lab = Lab([ServerError("down")] * 10, attempts=attempts)
    with pytest.raises(ServerError) as caught:
        lab.ask()
    assert lab.requests == attempts
    assert len(lab.clock.slept) == attempts - 1
    assert caught.value.__notes__ == [f"attempt {attempts} of {attempts}; no attempt is left"]


def test_layers_that_retry_multiply():
    inner = FakeModelProvider([ServerError("down")] * 20)
    clock = TickingClock(step=0)
    with pytest.raises(ServerError):
        asyncio.run(Retrying(Retrying(inner, sleep=clock.sleep), sleep=clock.sleep, clock=clock).complete(REQUEST))
    assert len(inner.calls) == 9


def test_waits_grow_and_have_a_longest():
    lab = Lab([ServerError("down")] * 9, attempts=7, first_wait=1, factor=3, max_wait=20)
    with pytest.raises(ServerError):
        lab.ask()
    assert lab.clock.slept == [1, 3, 9, 20, 20, 20]


def test_a_factor_beyond_all_numbers_still_has_a_longest_wait():
    lab = Lab([ServerError("down")] * 4, attempts=4, first_wait=1, factor=1e300, max_wait=5)
    with pytest.raises(ServerError):
        lab.ask()
    assert lab.clock.slept == [1, 5, 5]


@given(st.floats(0, 1), st.integers(1, 8))
def test_jitter_shortens_a_wait_by_at_most_a_half(jitter, attempts):
    lab = Lab([ServerError("down")] * 9, attempts=attempts, jitter=lambda: jitter)
    with pytest.raises(ServerError):
        lab.ask()
    for number, wait in enumerate(lab.clock.slept):
        assert 0.5 * 2**number / 2 <= wait <= 0.5 * 2**number


def test_a_seeded_jitter_gives_the_same_waits_every_time():
    waits = []
    for _ in range(2):
        lab = Lab([ServerError("down")] * 4, attempts=4, jitter=random.Random(1).random)
        with pytest.raises(ServerError):
            lab.ask()
        waits.append(lab.clock.slept)
    assert waits[0] == waits[1]
    assert len(set(waits[0])) == 3


# ---- what the service asks for


@pytest.mark.parametrize("told", [0, 2, 2.5, 60.0])
def test_a_service_that_says_how_long_to_wait_is_believed(told):
    lab = Lab([RateLimitError("slow down", retry_after=told), "Hello."], jitter=lambda: 1)
    lab.ask()
    assert lab.clock.slept == [told]


@pytest.mark.parametrize("told", [-1, float("nan"), float("inf"), "soon", None])
def test_a_wait_that_cannot_be_followed_is_ignored(told):
    lab = Lab([RateLimitError("slow down", retry_after=told), "Hello."])
    lab.ask()
    assert lab.clock.slept == [0.5]


def test_a_wait_that_is_too_long_is_not_begun():
    lab = Lab([RateLimitError("slow down", retry_after=3600), "Hello."])
    with pytest.raises(RateLimitError) as caught:
        lab.ask()
    assert caught.value.retry_after == 3600
    assert (lab.requests, lab.clock.slept) == (1, [])
    assert "asks to wait 3600 s, and max_wait is 60 s" in caught.value.__notes__[0]


def test_no_wait_goes_beyond_the_deadline():
    lab = Lab([ServerError("down")] * 9, attempts=9, deadline=3.5)
    with pytest.raises(ServerError) as caught:
        lab.ask()
    assert lab.clock.slept == [0.5, 1, 2]
    assert "a wait of 4 s would go beyond the deadline of 3.5 s" in caught.value.__notes__[0]


def test_what_the_service_asks_for_does_not_go_beyond_the_deadline_either():
    lab = Lab([RateLimitError("slow down", retry_after=10), "Hello."], deadline=9)
    with pytest.raises(RateLimitError) as caught:
        lab.ask()
    assert caught.value.retry_after == 10
    assert lab.clock.slept == []


def test_the_time_that_requests_take_counts_towards_the_deadline():
    lab = Lab([ServerError("down")] * 3)
    slow = TickingClock(step=5)
    lab.provider = Retrying(lab.inner, jitter=lambda: 0, sleep=lab.clock.sleep, clock=slow, deadline=5.4)
    with pytest.raises(ServerError):
        lab.ask()
    assert lab.requests == 1


# ---- stopping


def test_an_abort_is_never_tried_again():
    lab = Lab([AbortError("enough"), "Hello."])
    with pytest.raises(AbortError, match="enough"):
        lab.ask()
    assert (lab.requests, lab.clock.slept) == (1, [])


def test_a_signal_that_was_given_before_means_no_request():
    controller = AbortController()
    controller.abort("enough")
    lab = Lab(["Hello."])
    with pytest.raises(AbortError, match="enough"):
        lab.ask(controller.signal)
    assert (lab.requests, lab.inner.remaining) == (0, 1)


def test_an_abort_ends_a_wait_at_once():
    controller = AbortController()
    ended = []

    async def sleep(_):
        asyncio.get_running_loop().call_soon(lambda: controller.abort("enough"))
        try:
            await asyncio.Event().wait()
        finally:
            ended.append(True)

    lab = Lab([ServerError("down"), "Hello."], sleep=sleep)

    async def main():
        with pytest.raises(AbortError, match="enough"):
            await lab.provider.complete(REQUEST, controller.signal)
        assert asyncio.all_tasks() == {asyncio.current_task()}

    asyncio.run(main())
    assert (lab.requests, lab.inner.remaining, ended) == (1, 1, [True])


@pytest.mark.parametrize("with_signal", [False, True])
def test_a_task_that_is_cancelled_while_it_waits_is_cancelled(with_signal):
    async def for_ever(_):
        await asyncio.Event().wait()

    lab = Lab([ServerError("down"), "Hello."], sleep=for_ever)

    async def main():
        task = asyncio.ensure_future(lab.provider.complete(REQUEST, AbortController().signal if with_signal else None))
        for _ in range(3):
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
    assert lab.requests == 1


def test_the_signal_reaches_the_provider():
    seen = []

    class Provider:
        async def complete(self, request, signal=None):
            seen.append((request, signal))

    signal = AbortController().signal
    asyncio.run(Retrying(Provider()).complete(REQUEST, signal))
    assert seen == [(REQUEST, signal)]


def test_what_is_no_error_of_a_provider_passes_through():
    class Broken:
        async def complete(self, request, signal=None):
            raise ConnectionResetError("mine")

    with pytest.raises(ConnectionResetError) as caught:
        asyncio.run(Retrying(Broken()).complete(REQUEST))
    assert not hasattr(caught.value, "__notes__")


# ---- the trace


def test_attempts_are_in_the_trace_of_the_run():
    lab, trace = Lab([ServerError("down", status_code=503), ServerError("down"), "Hello."]), Trace(clock=TickingClock())
    asyncio.run(arun(lab.provider, adder(), "x", trace=trace))
    told = [
        (
            event["event"],
            event.get("minagent.attempt.number"),
            event.get("error.type"),
            event.get("minagent.attempt.wait"),
        )
        for event in trace.events
    ]
    assert told == [
        ("run_started", None, None, None),
        ("model_asked", None, None, None),
        ("attempt_failed", 1, "ServerError", 0.5),
        ("attempt_started", 2, None, None),
        ("attempt_failed", 2, "ServerError", 1.0),
        ("attempt_started", 3, None, None),
        ("model_answered", None, None, None),
        ("run_ended", None, None, None),
    ]
    assert trace.events[2]["minagent.attempt.limit"] == 3
    assert [span.name for span in trace.spans() if span.kind == "attempt"] == ["1 of 3", "2 of 3", "3 of 3"]


def test_the_last_attempt_waits_for_nothing():
    lab, trace = Lab([ServerError("down")] * 2, attempts=2), Trace(clock=TickingClock())

    async def main():
        with pytest.raises(ServerError):
            await arun(lab.provider, adder(), "x", trace=trace)

    asyncio.run(main())
    failed = [event for event in trace.events if event["event"] == "attempt_failed"]
    assert [event.get("minagent.attempt.wait") for event in failed] == [0.5, None]


def test_a_trace_of_its_own_comes_first():
    own, of_run = Trace(clock=TickingClock()), Trace(clock=TickingClock())
    own.run_started(REQUEST.messages, [], 10)
    lab = Lab([ServerError("down"), "Hello."], trace=own)
    asyncio.run(arun(lab.provider, adder(), "x", trace=of_run))
    assert [event["event"] for event in own.events] == ["run_started", "attempt_failed", "attempt_started"]
    assert "attempt_failed" not in {event["event"] for event in of_run.events}


def test_a_trace_that_knows_no_attempts_is_left_alone():
    lab = Lab([ServerError("down"), "Hello."], trace=object())
    assert lab.ask().message.content == "Hello."


# ---- how it is made


@pytest.mark.parametrize(
    ("options", "kind", "words"),
    [
        ({"attempts": 0}, ValueError, "attempts is 0; it is a whole number from 1 up"),
        ({"attempts": True}, ValueError, "attempts is True"),
        ({"attempts": 2.5}, ValueError, "attempts is 2.5"),
        ({"max_wait": -1}, ValueError, "max_wait is -1; it is a number from 0 up"),
        ({"max_wait": float("nan")}, ValueError, "max_wait is nan"),
        ({"first_wait": float("inf")}, ValueError, "first_wait is inf"),
        ({"factor": 0.5}, ValueError, "factor is 0.5; it is a number from 1 up"),
        ({"deadline": -1}, ValueError, "deadline is -1"),
        ({"deadline": "5"}, TypeError, "deadline is '5'"),
        ({"first_wait": None}, TypeError, "first_wait is None"),
    ],
)
def test_what_it_cannot_work_with_is_refused_when_it_is_made(options, kind, words):
    with pytest.raises(kind, match=words):
        Retrying(FakeModelProvider([]), **options)


@pytest.mark.parametrize("wrong", [None, FakeModelProvider, object()])
def test_a_provider_that_is_none_is_refused(wrong):
    with pytest.raises(TypeError, match=r"provider is .*; pass an object with async complete"):
        Retrying(wrong)


def test_it_shows_whom_it_asks():
    assert repr(Retrying(FakeModelProvider(["x"]), 1)).startswith("<Retrying: 1 attempt at <FakeModelProvider")


def test_every_kind_of_provider_error_is_tried_here():
    kinds = {kind for kind in errors.ProviderError.__subclasses__() if kind.__module__ == errors.__name__}
    assert {type(error) for error in HOPELESS + PASSING} == kinds

"""Chapter 10, errors and retries: predictions, exercises and quiz."""

from __future__ import annotations

import contextlib
import functools
import inspect
from functools import partial
from typing import Any

from minagent_lab import (
    AbortError,
    AuthenticationError,
    FakeModelProvider,
    InvalidRequestError,
    MalformedResponseError,
    Message,
    ModelRequest,
    ModelResponse,
    NetworkError,
    ProviderError,
    ProviderTimeoutError,
    RateLimitError,
    ResponsesExhausted,
    ServerError,
)
from minagent_lab.course import shop
from minagent_lab.course.awaiting import finished
from minagent_lab.course.exercise import Exercise, Mutant, Test, WrongTest, is_function, made, says
from minagent_lab.course.expecting import expect, shown
from minagent_lab.course.judging import Broken, judge
from minagent_lab.course.kinds import is_async_function, is_plain_function
from minagent_lab.course.quiz import Choice, Question, Quiz
from minagent_lab.observe.clock import TickingClock
from minagent_lab.providers.retrying import Retrying

TITLE = "Errors and retries"
REQUEST = ModelRequest([Message("user", "What does tea cost?")])
DOWN = ServerError("the kitchen is on fire", status_code=503)
OPEN_END = 20  # failures of a service that does not come back


def world() -> dict[str, Any]:
    """Return the names that the chapter's cells define, as far as exercises use them."""
    return {**shop.world(), "REQUEST": REQUEST}


# ---- 10.1 -----------------------------------------------------------------------------------------------------------


def _kinds(classify: Any, kind: type[ProviderError], *statuses: int | None, code: str = "x") -> None:
    for status in statuses:
        error = _classified(classify, status, code, "the kettle says no")
        assert type(error) is kind, f"for status {status} expected {kind.__name__}, got {type(error).__name__}"


def _classified(classify: Any, status: int | None, code: str, message: str) -> ProviderError:
    wants = "return an error made of a class of the tree, with the message and the facts"
    try:
        error = classify(status, code, message)
    except ProviderError as raised:
        raise AssertionError(f"you raised {raised!r}; return it instead") from None
    assert not isinstance(error, type), f"you returned the class {error.__name__}; {wants}"
    assert isinstance(error, ProviderError), f"you returned {shown(error)}; {wants}"
    return error


@says("401 and 403 are about the key")
def test_keys(classify: Any) -> None:
    _kinds(classify, AuthenticationError, 401, 403)


@says("every other 4xx, 418 too, is about the request")
def test_requests(classify: Any) -> None:
    _kinds(classify, InvalidRequestError, 400, 404, 413, 418, 422)


@says("429 is a limit, 408 is a timeout")
def test_limits(classify: Any) -> None:
    _kinds(classify, RateLimitError, 429)
    _kinds(classify, ProviderTimeoutError, 408)


@says("409 is a conflict: the service's, and it may pass")
def test_conflict(classify: Any) -> None:
    _kinds(classify, ServerError, 409)


@says("500 and everything above it is the service's fault")
def test_service(classify: Any) -> None:
    _kinds(classify, ServerError, 500, 503, 529, 599)


@says("no status at all means there was no connection")
def test_connection(classify: Any) -> None:
    _kinds(classify, NetworkError, None)


@says("200 with a body that nobody can read is malformed")
def test_malformed(classify: Any) -> None:
    _kinds(classify, MalformedResponseError, 200)


def test_the_text_decides_nothing(classify: Any) -> None:
    for message in ("503 rate limit timeout", "invalid key", ""):
        for status, kind in ((400, InvalidRequestError), (503, ServerError), (429, RateLimitError)):
            got = type(_classified(classify, status, "x", message)).__name__
            assert got == kind.__name__, (
                f"for status {status} and the text {message!r} expected {kind.__name__}, got {got}"
            )


def test_the_facts_are_kept(classify: Any) -> None:
    for status, code in ((429, "slow_down"), (529, "overloaded"), (404, "no_such_model")):
        error = _classified(classify, status, code, "the kettle says no")
        expect((error.status_code, error.code), (status, code), f"status_code and code for {status}:")
        expect(error.args, ("the kettle says no",), "the message:")


def test_waiting_helps_against_a_limit_but_not_against_a_quota(classify: Any) -> None:
    for code, later in (("slow_down", True), ("insufficient_quota", False)):
        expect(_classified(classify, 429, code, "no").retryable, later, f"retryable for 429 with the code {code!r}")


CLASSIFY = Exercise(
    id="10.1",
    title="From a vendor's words to a class",
    thing="classify",
    wants="a function classify(status, code, message)",
    fits=is_plain_function,
    starter="""
def classify(status, code, message):
    if "rate limit" in message:
        return RateLimitError(message)
    return ServerError(message)
""",
    hints=[
        "Which of the three arguments may decide? Only the status. Go through the table of section 2, row by row.",
        "The special ones first: `None`, 401, 403, 408, 409, 429. Then ranges: `status >= 500`, and what is left from 400 up.",
        "Find the class first, `kind = …`, and make the error once, at the end: "
        "`return kind(message, status_code=status, code=code)`. The code is what tells a quota from a limit.",
    ],
    solution="""
def classify(status, code, message):
    exact = {
        None: NetworkError,
        401: AuthenticationError,
        403: AuthenticationError,
        408: ProviderTimeoutError,
        409: ServerError,
        429: RateLimitError,
    }
    if status in exact:
        kind = exact[status]
    elif status >= 500:
        kind = ServerError
    elif status >= 400:
        kind = InvalidRequestError
    else:
        kind = MalformedResponseError
    return kind(message, status_code=status, code=code)
""",
    tests=[
        test_keys,
        test_requests,
        test_limits,
        test_conflict,
        test_service,
        test_connection,
        test_malformed,
        test_the_text_decides_nothing,
        test_the_facts_are_kept,
        test_waiting_helps_against_a_limit_but_not_against_a_quota,
    ],
    mutants=[
        Mutant(
            "forgets 403",
            "        403: AuthenticationError,\n",
            "",
            "test_keys",
            "A key that may not do this is a matter of the key too; no other wording of the request helps.",
        ),
        Mutant(
            "only 500 is a failure of the service",
            "status >= 500",
            "status in (500, 502, 503)",
            "test_service",
            "Services invent numbers, such as 529 for overloaded; the range says whose fault it is.",
        ),
        Mutant(
            "only 400 is a bad request",
            "status >= 400",
            "status == 400",
            "test_requests",
            "404 and 422 say the same: this very request will be refused again.",
        ),
        Mutant(
            "an unknown 4xx may pass later",
            "        kind = InvalidRequestError",
            "        kind = InvalidRequestError if status in (400, 404, 413, 422) else ServerError",
            "test_requests",
            "A 4xx that you do not know is still an answer to this request, and trying again gets the same one.",
        ),
        Mutant(
            "takes a timeout for a bad request",
            "        408: ProviderTimeoutError,\n",
            "",
            "test_limits",
            "408 stands among the 4xx, but nothing is wrong with the request; it came too late.",
        ),
        Mutant(
            "forgets 409",
            "        409: ServerError,\n",
            "",
            "test_conflict",
            "Another request held what this one needed; it lets go, so the same request may succeed later.",
        ),
        Mutant(
            "takes an unreadable body for a failure of the service",
            "        kind = MalformedResponseError",
            "        kind = ServerError",
            "test_malformed",
            "The service said 200: it means what it sent, so the adapter has to learn to read it.",
        ),
        Mutant(
            "calls a missing answer a failure of the service",
            "None: NetworkError",
            "None: ServerError",
            "test_connection",
            "Without a connection nobody knows whether the service is well; look at your own network first.",
        ),
        Mutant(
            "reads the text first",
            "    if status in exact:",
            '    if "rate limit" in message:\n        kind = RateLimitError\n    elif status in exact:',
            "test_the_text_decides_nothing",
            "Texts are for people: they change, they are translated, and they mention other errors.",
        ),
        Mutant(
            "loses the code",
            ", code=code)",
            ")",
            "test_waiting_helps_against_a_limit_but_not_against_a_quota",
            "Limit and quota share the status 429; without the code both look as if they passed by themselves.",
        ),
        Mutant(
            "loses the status",
            "message, status_code=status, ",
            "message, ",
            "test_the_facts_are_kept",
            "Support will ask for it, and so will whoever reads the trace.",
        ),
    ],
    world=world,
)


# ---- 10.2 -----------------------------------------------------------------------------------------------------------


PLAIN = (
    "`retrying` is a plain `def`: your `try` is left before the provider is asked; write `async def`, and "
    "`return await`"
)


def _says_that_it_is_plain(test: Test) -> Test:
    """Make the first reason of a plain function that it is one. A plain one that is right is right."""

    @functools.wraps(test)
    def asked(retrying: Any) -> str | None:
        try:
            return test(retrying)
        except AssertionError:
            if is_async_function(retrying):
                raise
            raise AssertionError(PLAIN) from None

    return asked


class _Played:
    """What came of a learner's retrying on a script: an answer or an error, requests, waits."""

    def __init__(self, retrying: Any, script: list[Any], attempts: int = 3, provider: Any = None) -> None:
        self.inner = FakeModelProvider(script)
        self.slept: list[float] = []
        self.answer: Any = None
        self.error: BaseException | None = None
        coroutine = retrying(provider or self.inner, REQUEST, attempts, self._sleep)
        if not inspect.isawaitable(coroutine):
            raise AssertionError(PLAIN)
        try:
            self.answer = finished(coroutine)
        except ResponsesExhausted:
            raise AssertionError(f"it was still asking after {len(script)} requests; what ends it?") from None
        except (ProviderError, AbortError, LookupError) as error:
            self.error = error

    async def _sleep(self, seconds: float) -> None:
        self.slept.append(seconds)

    _sleep.__qualname__ = "sleep"  # what a learner calls it, where a report tells that it was never awaited

    def waited(self, *wanted: float, what: str = "waits:") -> None:
        """Assert that these were the waits."""
        if wanted and not self.slept and self.requests > 1:
            raise AssertionError(
                f"{self.requests} requests, and no wait was noted; wait by the `sleep` that you were given, and await it"
            )
        expect(self.slept, list(wanted), what)

    @property
    def requests(self) -> int:
        return len(self.inner.calls)

    def answered(self, text: str) -> None:
        """Assert that the answer with this text came back."""
        if self.error is not None:
            raise AssertionError(f"expected the answer {text!r}, but it raised {self.error!r}")
        returned = f"it returned {shown(self.answer)}; return what the provider returned"
        assert isinstance(self.answer, ModelResponse), returned
        expect(self.answer.message.content, text, "for the answer")

    def failed(self, kind: type[BaseException], text: str = "") -> None:
        """Assert that this error came through."""
        if self.error is None:
            raise AssertionError(f"expected {kind.__name__} to come through, but it returned {shown(self.answer)}")
        expect(type(self.error).__name__, kind.__name__, "for the error that comes through")
        if text:
            expect(self.error.args, (text,), "for its message")


def test_an_answer_is_handed_on(retrying: Any) -> None:
    played = _Played(retrying, ["12."])
    played.answered("12.")
    expect((played.requests, played.slept), (1, []), "requests and waits:")


def test_it_fails_twice_and_then_answers(retrying: Any) -> None:
    played = _Played(retrying, [DOWN, DOWN, "12."])
    played.answered("12.")
    expect(played.requests, 3, "requests:")
    sent = [list(call.messages) for call in played.inner.calls]
    expect(sent, [list(REQUEST.messages)] * 3, "what was sent:")


def test_attempts_are_requests(retrying: Any) -> None:
    for attempts in (1, 2, 4):
        played = _Played(retrying, [DOWN] * OPEN_END, attempts)
        expect(played.requests, attempts, f"with attempts={attempts}, requests:")


def test_the_last_error_comes_through(retrying: Any) -> None:
    script = [ServerError("first"), ProviderTimeoutError("second"), NetworkError("third"), "too late"]
    _Played(retrying, script).failed(NetworkError, "third")


def test_what_cannot_pass_is_sent_once(retrying: Any) -> None:
    for error in (
        InvalidRequestError("no such model", status_code=404),
        AuthenticationError("wrong key", status_code=401),
        RateLimitError("pay first", status_code=429, code="insufficient_quota"),
    ):
        played = _Played(retrying, [error, "12."])
        expect(played.requests, 1, f"after {error!r}, requests:")
        played.failed(type(error))


def test_an_abort_is_no_failure(retrying: Any) -> None:
    played = _Played(retrying, [AbortError("the user pressed Stop"), "12."])
    expect(played.requests, 1, "after an abort, requests:")
    played.failed(AbortError)


def test_a_bug_comes_through_as_it_is(retrying: Any) -> None:
    asked = []

    class Buggy:
        async def complete(self, *request: Any) -> Any:
            asked.append(request)
            raise KeyError("choices")

    played = _Played(retrying, [], provider=Buggy())
    played.failed(KeyError)
    expect(len(asked), 1, "after a KeyError in the provider's code, requests:")


def test_waits_double(retrying: Any) -> None:
    _Played(retrying, [DOWN, DOWN, DOWN, "12."], 4).waited(0.5, 1, 2)


def test_there_is_no_wait_after_the_last_attempt(retrying: Any) -> None:
    slept = _Played(retrying, [DOWN] * OPEN_END).slept
    assert len(slept) <= 2, f"three attempts fail; expected 2 waits, got {len(slept)}"
    expect(_Played(retrying, [DOWN] * OPEN_END, 1).slept, [], "one attempt fails; waits:")


def test_the_service_is_believed(retrying: Any) -> None:
    asked = RateLimitError("slow down", status_code=429, retry_after=7)
    _Played(retrying, [DOWN, asked, "12."]).waited(0.5, 7, what="the second failure asks for 7 seconds; waits:")
    now = RateLimitError("come back at once", status_code=429, retry_after=0)
    slept = _Played(retrying, [now, "12."]).slept
    assert not any(slept), f"the service asks for 0 seconds; expected no wait, got {slept}"


RETRYING = Exercise(
    id="10.2",
    title="One owner of retries",
    thing="retrying",
    wants="an async function retrying(provider, request, attempts, sleep)",
    fits=is_function,
    starter="""
async def retrying(provider, request, attempts, sleep):
    for number in range(attempts):
        try:
            return await provider.complete(request)
        except Exception:
            await sleep(0.5)
""",
    hints=[
        "Three things are too generous in the first try: it catches everything, it waits after the last attempt, and when "
        "all attempts have failed it returns nothing at all.",
        "Catch `ProviderError as error`. There are two reasons to `raise` at once: it is not `error.retryable`, or "
        "this was the last attempt.",
        "With `number` from 1: the wait is `error.retry_after`, unless that is `None`; then it is "
        "`0.5 * 2 ** (number - 1)`. Compare with `None`: zero is an answer too.",
    ],
    solution="""
async def retrying(provider, request, attempts, sleep):
    for number in range(1, attempts + 1):
        try:
            return await provider.complete(request)
        except ProviderError as error:
            if not error.retryable or number == attempts:
                raise
            wait = error.retry_after
            if wait is None:
                wait = 0.5 * 2 ** (number - 1)
        await sleep(wait)
""",
    tests=[
        _says_that_it_is_plain(test)
        for test in (
            test_an_answer_is_handed_on,
            test_it_fails_twice_and_then_answers,
            test_attempts_are_requests,
            test_the_last_error_comes_through,
            test_what_cannot_pass_is_sent_once,
            test_an_abort_is_no_failure,
            test_a_bug_comes_through_as_it_is,
            test_waits_double,
            test_there_is_no_wait_after_the_last_attempt,
            test_the_service_is_believed,
        )
    ],
    mutants=[
        Mutant(
            "retries everything",
            "not error.retryable or number == attempts",
            "number == attempts",
            "test_what_cannot_pass_is_sent_once",
            "A wrong key stays wrong; three requests later the user waits, and the log has three lines for one cause.",
        ),
        Mutant(
            "one request too few",
            "range(1, attempts + 1)",
            "range(1, attempts)",
            "test_attempts_are_requests",
            "range stops before its end, so attempts=1 sends nothing at all.",
        ),
        Mutant(
            "one request too many",
            "number == attempts",
            "number > attempts",
            "test_the_last_error_comes_through",
            "The last failure is not raised, so the loop runs out and the function returns None as if all were well.",
        ),
        Mutant(
            "counts retries, not attempts",
            "    for number in range(1, attempts + 1):",
            "    attempts += 1\n    for number in range(1, attempts + 1):",
            "test_attempts_are_requests",
            "Three attempts are one request and two retries; who mixes the two words sends one more.",
        ),
        Mutant(
            "sleeps after the last attempt",
            "                raise\n",
            "                await sleep(0.5)\n                raise\n",
            "test_there_is_no_wait_after_the_last_attempt",
            "A wait is there for the next request, and there is none.",
        ),
        Mutant(
            "swallows the error",
            "                raise\n",
            "                return None\n",
            "test_the_last_error_comes_through",
            "Whoever called gets nothing and does not know why; None is no answer.",
        ),
        Mutant(
            "turns the failure into words of the model",
            "                raise\n",
            '                return ModelResponse(Message("assistant", f"Error: {error}"))\n',
            "test_the_last_error_comes_through",
            "Then the run is completed, and the user reads an error as if the model had said it.",
        ),
        Mutant(
            "raises a new error that has lost its class",
            "                raise\n",
            '                raise ProviderError(f"gave up: {error}")\n',
            "test_the_last_error_comes_through",
            "Whoever calls has to decide by class, and the general class says nothing about what to do.",
        ),
        Mutant(
            "retries an abort",
            "        except ProviderError as error:\n",
            "        except AbortError:\n            continue\n        except ProviderError as error:\n",
            "test_an_abort_is_no_failure",
            "The user said stop; sending the request again does the opposite.",
        ),
        Mutant(
            "retries its own bugs",
            "        except ProviderError as error:\n",
            "        except LookupError:\n            continue\n        except ProviderError as error:\n",
            "test_a_bug_comes_through_as_it_is",
            "A KeyError in the adapter is a bug; it comes again, and the retries only hide where.",
        ),
        Mutant(
            "ignores what the service asks for",
            "wait = error.retry_after\n            if wait is None:\n                ",
            "",
            "test_the_service_is_believed",
            "The service said when it will have room; coming sooner only earns the next 429.",
        ),
        Mutant(
            "takes zero for nothing",
            "if wait is None:",
            "if not wait:",
            "test_the_service_is_believed",
            "retry_after=0 says 'now'; only None says nothing.",
        ),
        Mutant(
            "always waits the same",
            "0.5 * 2 ** (number - 1)",
            "0.5",
            "test_waits_double",
            "A service that is overloaded gets as many requests as before; it needs room to recover.",
        ),
        Mutant(
            "begins with the double",
            "(number - 1)",
            "number",
            "test_waits_double",
            "The first wait is the first one: two to the power of zero is one.",
        ),
    ],
    world=world,
)


# ---- 10.3 -----------------------------------------------------------------------------------------------------------


def _counts(got: Any, wanted: int, what: str) -> None:
    """Assert that a number of requests is this one, and that it is a whole number."""
    whole = not isinstance(got, (float, bool))
    assert whole, f"{what} it gave {shown(got)}; a number of requests is an int"
    expect(got, wanted, what)


def test_one_layer_sends_its_attempts(seen: Any) -> None:
    _counts(seen([3], OPEN_END), 3, "for layers [3]")
    _counts(seen([5], OPEN_END), 5, "for layers [5]")


def test_two_layers_multiply(seen: Any) -> None:
    _counts(seen([3, 3], OPEN_END), 9, "for layers [3, 3]")
    _counts(seen([2, 5], OPEN_END), 10, "for layers [2, 5]")


def test_three_layers_multiply_again(seen: Any) -> None:
    _counts(seen([2, 3, 2], OPEN_END), 12, "for layers [2, 3, 2]")


def test_a_layer_with_one_attempt_adds_nothing(seen: Any) -> None:
    _counts(seen([1, 3, 1], OPEN_END), 3, "for layers [1, 3, 1]")
    _counts(seen([], OPEN_END), 1, "for no layer at all")


def test_a_service_that_comes_back_ends_it(seen: Any) -> None:
    _counts(seen([3, 3], 0), 1, "for layers [3, 3] and a service that never fails")
    _counts(seen([3, 3], 4), 5, "for layers [3, 3] and a service that fails 4 times, then answers")
    _counts(seen([2], 2), 2, "for layers [2] and a service that fails 2 times, then answers")


@says("what is not retryable is sent once")
def test_hopeless(seen: Any) -> None:
    _counts(seen([3, 3], OPEN_END, retryable=False), 1, "for layers [3, 3] and an error that is not retryable")


@says("it agrees with real layers of Retrying")
def test_real(seen: Any) -> None:
    for layers in ([], [1], [4], [2, 3], [3, 2], [2, 2, 2]):
        for failures in (0, 1, 2, 5, OPEN_END):
            for error in (DOWN, InvalidRequestError("no such model", status_code=404)):
                real = _sent(layers, failures, error)
                got = seen(layers, failures, retryable=error.retryable)
                _counts(got, real, f"layers {layers}, {failures} failures, retryable {error.retryable}:")


def _sent(layers: list[int], failures: int, error: ProviderError) -> int:
    inner = FakeModelProvider([error] * failures + ["12."])
    clock = TickingClock(step=0)
    provider: Any = inner
    for attempts in layers:
        provider = Retrying(provider, attempts, sleep=clock.sleep, clock=clock)
    with contextlib.suppress(ProviderError):
        finished(provider.complete(REQUEST))
    return len(inner.calls)


LAYERS = Exercise(
    id="10.3",
    title="Count the requests",
    thing="requests_seen",
    wants="a function requests_seen(layers, failures, retryable=True)",
    fits=is_plain_function,
    starter="""
def requests_seen(layers, failures, retryable=True):
    return sum(layers)
""",
    hints=[
        "What does one attempt of the outer layer cost, if the inner layer makes three of each?",
        "Start with one request. Each layer multiplies it: `most = most * attempts`. An empty list leaves one.",
        "The service may come back before that: after n failures, request n + 1 is answered. So take the smaller of the "
        "two, `min(most, failures + 1)`. And a failure that is not retryable ends it after one.",
    ],
    solution="""
def requests_seen(layers, failures, retryable=True):
    if not retryable:
        return 1
    most = 1
    for attempts in layers:
        most = most * attempts
    return min(most, failures + 1)
""",
    tests=[
        test_one_layer_sends_its_attempts,
        test_two_layers_multiply,
        test_three_layers_multiply_again,
        test_a_layer_with_one_attempt_adds_nothing,
        test_a_service_that_comes_back_ends_it,
        test_hopeless,
        test_real,
    ],
    mutants=[
        Mutant(
            "adds the layers",
            "most * attempts",
            "most + attempts",
            "test_two_layers_multiply",
            "The inner layer starts afresh at each attempt of the outer one; nobody tells it that it has tried before.",
        ),
        Mutant(
            "only the outermost layer counts",
            "for attempts in layers:",
            "for attempts in layers[-1:]:",
            "test_two_layers_multiply",
            "An inner layer has its attempts behind it before the outer one hears of the failure.",
        ),
        Mutant(
            "multiplies two layers, no more",
            "for attempts in layers:",
            "for attempts in layers[:2]:",
            "test_three_layers_multiply_again",
            "A third layer multiplies the product of the two; that is how 9 becomes 27.",
        ),
        Mutant(
            "counts retries, not attempts",
            "most * attempts",
            "most * (attempts - 1)",
            "test_one_layer_sends_its_attempts",
            "Three attempts are three requests; the first one counts as well.",
        ),
        Mutant(
            "counts the failures only",
            "failures + 1",
            "failures",
            "test_a_service_that_comes_back_ends_it",
            "The request that is answered was sent, too.",
        ),
        Mutant(
            "forgets that the service may come back",
            "min(most, failures + 1)",
            "most",
            "test_a_service_that_comes_back_ends_it",
            "The product is the worst case; an answer ends every layer at once.",
        ),
        Mutant(
            "retries what is hopeless",
            "    if not retryable:\n        return 1\n",
            "",
            "test_hopeless",
            "An error that is not retryable goes straight through every layer.",
        ),
        Mutant(
            "a failure that is not retryable sends nothing",
            "        return 1\n",
            "        return 0\n",
            "test_hopeless",
            "Somebody has to ask before the service can refuse.",
        ),
    ],
    world=world,
)


# ---- 10.4 -----------------------------------------------------------------------------------------------------------

WRAPPER = """
def wrap(provider, sleep):
    class Wrapper:
        async def complete(self, request, signal=None):
            attempts = 3
            for number in range(1, attempts + 1):
                try:
                    return await provider.complete(request, signal)
                except ProviderError as error:
                    if not error.retryable or number == attempts:
                        raise
                    wait = error.retry_after if error.retry_after is not None else 2.0 ** number
                await sleep(wait)
    return Wrapper()
"""


def _packaged(provider: Any, sleep: Any) -> Retrying:
    return Retrying(provider, 3, sleep=sleep, jitter=lambda: 0)


class Client:
    """A vendor's client that retries by itself and tells nobody."""

    def __init__(self, provider: Any) -> None:
        self.provider = provider

    async def complete(self, request: Any, signal: Any = None) -> Any:
        """Ask twice."""
        try:
            return await self.provider.complete(request, signal)
        except ProviderError as error:
            if not error.retryable:
                raise
        return await self.provider.complete(request, signal)


def _wrapper_world() -> dict[str, Any]:
    errors = {"ProviderError": ProviderError, "AbortError": AbortError}
    return {**errors, "Client": Client, "ModelResponse": ModelResponse, "Message": Message}


made_wrapper = partial(made, thing="wrap", world=_wrapper_world)

BROKEN = [
    Broken(
        "never tries again",
        "not error.retryable or number == attempts",
        "True",
        "It passes the error on at once; a service that was down for a second ends the run.",
    ),
    Broken(
        "retries what can never pass",
        "not error.retryable or number == attempts",
        "number == attempts",
        "A request that is refused is refused three times.",
    ),
    Broken(
        "retries a used-up quota",
        "not error.retryable",
        "not (error.retryable or error.status_code == 429)",
        "It knows that 429 passes, and does not look at the code.",
    ),
    Broken(
        "retries an abort",
        "                except ProviderError as error:\n",
        "                except AbortError:\n                    continue\n                except ProviderError as error:\n",
        "The user said stop, and it sends the request again.",
    ),
    Broken(
        "stands round a client that retries as well",
        "await provider.complete(request, signal)",
        "await Client(provider).complete(request, signal)",
        "Each attempt is two requests: three become six.",
    ),
    Broken(
        "makes four attempts",
        "attempts = 3",
        "attempts = 4",
        "One more than it says.",
    ),
    Broken(
        "turns the last failure into an answer",
        "                        raise\n",
        '                        return ModelResponse(Message("assistant", "Please try later."))\n',
        "The run ends as completed, and nobody upstairs learns that there was no answer.",
    ),
    Broken(
        "ignores what the service asks for",
        "error.retry_after if error.retry_after is not None else 2.0 ** number",
        "2.0 ** number",
        "It comes back sooner than it was told.",
    ),
    Broken(
        "waits before it gives up",
        "                        raise\n",
        "                        await sleep(2.0)\n                        raise\n",
        "The wait is for a request that will never be sent.",
    ),
]

WRITE_THE_TEST = Exercise(
    id="10.4",
    title="Write the test",
    thing="check_wrapper",
    wants="an async function check_wrapper(wrap), which asserts",
    fits=is_async_function,
    starter="""
async def check_wrapper(wrap):
    inner, slept = FakeModelProvider([ServerError("down"), "Tea costs 12."]), []

    async def sleep(seconds):
        slept.append(seconds)

    reply = await wrap(inner, sleep).complete(REQUEST)
    assert reply.message.content == "Tea costs 12."
""",
    hints=[
        "A wrapper shows itself in three things: what comes out, `len(inner.calls)`, and `slept`. The first try looks at "
        "one of them, and plays one script. Which failures has it never seen?",
        "Five scripts are enough: a service that never comes back; a refused request; a used-up quota; an abort; a limit "
        "with `retry_after=7`. Say for each what comes out, how many requests there are, and which waits.",
        "Make a helper `async def play(script)` that returns all three; it turns an error into "
        "`type(error).__name__`. Without `retry_after`, how long the waits are is the wrapper's own affair: count them.",
    ],
    solution="""
async def check_wrapper(wrap):
    async def play(*script):
        inner, slept = FakeModelProvider(script), []

        async def sleep(seconds):
            slept.append(seconds)

        try:
            reply = await wrap(inner, sleep).complete(REQUEST)
            came = reply.message.content
        except (ProviderError, AbortError) as error:
            came = type(error).__name__
        return came, len(inner.calls), slept

    came, requests, slept = await play(*[ServerError("down")] * 20)
    assert (came, requests, len(slept)) == ("ServerError", 3, 2)
    for error in (InvalidRequestError("no"), RateLimitError("no", status_code=429, code="insufficient_quota"), AbortError()):
        assert await play(error, "12.") == (type(error).__name__, 1, [])
    assert await play(RateLimitError("wait", retry_after=7), "12.") == ("12.", 2, [7])
""",
    tests=judge(
        {
            "the package's Retrying": lambda: _packaged,
            "a right wrapper with other waits": lambda: made_wrapper(WRAPPER),
        },
        BROKEN,
        WRAPPER,
        made_wrapper,
        "wrapper",
    ),
    wrong_tests=[
        WrongTest(
            "looks only at the answer",
            """
async def check_wrapper(wrap):
    async def sleep(seconds):
        pass
    inner = FakeModelProvider([ServerError("down"), ServerError("down"), "12."])
    assert (await wrap(inner, sleep).complete(REQUEST)).message.content == "12."
""",
            "rejects a wrapper that stands round a client that retries as well",
            "The answer is the same whoever sent how many requests; count them at the service.",
        ),
        WrongTest(
            "counts the requests of one good day",
            """
async def check_wrapper(wrap):
    async def sleep(seconds):
        pass
    inner = FakeModelProvider([ServerError("down"), "12."])
    await wrap(inner, sleep).complete(REQUEST)
    assert len(inner.calls) == 2
""",
            "rejects a wrapper that makes four attempts",
            "A service that comes back hides how far the wrapper would have gone.",
        ),
        WrongTest(
            "tries one hopeless error",
            """
async def check_wrapper(wrap):
    async def sleep(seconds):
        pass
    inner = FakeModelProvider([InvalidRequestError("no", status_code=400), "12."])
    try:
        await wrap(inner, sleep).complete(REQUEST)
    except InvalidRequestError:
        pass
    assert len(inner.calls) == 1
""",
            "rejects a wrapper that retries a used-up quota",
            "A quota wears the same class and the same status as a limit; only its code is different.",
        ),
        WrongTest(
            "pins the waits",
            """
async def check_wrapper(wrap):
    slept = []
    async def sleep(seconds):
        slept.append(seconds)
    inner = FakeModelProvider([ServerError("down"), ServerError("down"), "12."])
    await wrap(inner, sleep).complete(REQUEST)
    assert slept == [2.0, 4.0]
""",
            "accepts the package's Retrying",
            "How long a wait is, where the service does not say, may change; that there is one may not.",
        ),
    ],
    world=world,
)

EXERCISES = (CLASSIFY, RETRYING, LAYERS, WRITE_THE_TEST)


# ---- predictions and quiz -------------------------------------------------------------------------------------------

PREDICTIONS: tuple[Question, ...] = (
    Question(
        "The same words, 503 Service Unavailable, appear in three places: as the model's reply, in a tool's exception, "
        "in an error of the provider. Which runs end with an exception?",
        [
            Choice(
                "All three: 503 is 503.", False, "The words do not matter. In the first run they are simply the answer."
            ),
            Choice(
                "Two: those of the tool and of the provider.",
                False,
                "The registry turns what a tool raises into text, and the model reads it. That run goes on.",
            ),
            Choice(
                "One: that of the provider.",
                True,
                "Only there is no reply. Nothing can be handed to the model, because the model is what is missing.",
            ),
        ],
    ),
    Question(
        "A limit of the service: retry_after=3600. Retrying has max_wait=60. What does it do?",
        [
            Choice(
                "It raises the error at once.",
                True,
                "A user who waits for an hour is worse off than one who is told. The error says how long.",
            ),
            Choice(
                "It waits for 60 seconds, and asks again.",
                False,
                "The service has said that this is too soon. It would be a request for nothing, after a minute for nothing.",
            ),
            Choice(
                "It waits for its own half second, and asks again.",
                False,
                "Its own waits are for a service that does not say. This one did.",
            ),
        ],
    ),
    Question(
        "Retrying round Retrying, three attempts each, and a service that stays down. "
        "How many requests does it see for one question?",
        [
            Choice("3: both layers count the same attempts.", False, "Neither layer knows of the other."),
            Choice(
                "9: each attempt of the outer layer is three of the inner one.",
                True,
                "The inner layer begins anew each time. It does not know that it has tried before.",
            ),
            Choice(
                "6: three of the inner layer, then three of the outer.",
                False,
                "The outer layer has only one way to ask: through the inner one.",
            ),
        ],
    ),
)

QUIZ = Quiz(
    "10",
    [
        Question(
            "A tool raises ConnectionError. Who is the first to read it?",
            [
                Choice("The retrying layer.", False, "It stands round the provider. It never sees a tool."),
                Choice(
                    "The model.", True, "The registry makes text of it, and the text goes along in the next request."
                ),
                Choice("Whoever called arun.", False, "Nothing is raised there; the run goes on."),
                Choice("Nobody: it is lost.", False, "It stands in the history, in a message with the role tool."),
            ],
        ),
        Question(
            "An error says: 429, code insufficient_quota, “Rate limit reached, try again in 20 s”. What now?",
            [
                Choice(
                    "Wait for 20 seconds, as it says, and send the request again.",
                    False,
                    "The text is for people, and here it is wrong. By its code, waiting does not help.",
                ),
                Choice(
                    "Send it again with backoff, since 429 passes by itself.",
                    False,
                    "A limit passes. A quota that is used up is a bill.",
                ),
                Choice(
                    "Ask for fewer tokens.", False, "Nothing is wrong with the request; there is no money left for it."
                ),
                Choice(
                    "Give up, and tell whoever pays.", True, "The code decides, and no number of requests changes it."
                ),
            ],
        ),
        Question(
            "Your client retries twice, so it makes three attempts; your adapter makes two, your app makes two. "
            "The service is down. How many requests?",
            [
                Choice("12", True, "3 × 2 × 2."),
                Choice("8", False, "That is 2 × 2 × 2: two retries are three attempts."),
                Choice("7", False, "That is 3 + 2 + 2. Layers multiply."),
                Choice("3", False, "That is the innermost layer alone, once. The others send it off again."),
            ],
        ),
        Question(
            "How does a test know that a wrapper waits for 0.5, 1 and 2 seconds?",
            [
                Choice(
                    "It measures how long the call takes, to half a second.",
                    False,
                    "Then each run takes 3.5 seconds, and fails when the machine is busy.",
                ),
                Choice("It sets the waits to zero.", False, "Then it no longer tests the waits."),
                Choice(
                    "It hands in a sleep that only notes the seconds.", True, "The waits are a list. Nobody waited."
                ),
                Choice(
                    "It reads the wrapper's source.", False, "That says what is written there, and not what happens."
                ),
            ],
        ),
        Question(
            "The tool pay raises TimeoutError. Why does nobody call it again by itself?",
            [
                Choice(
                    "A timeout is never retryable.",
                    False,
                    "That of a provider is: asking a model twice changes nothing in the world.",
                ),
                Choice(
                    "It may have paid before the time was over.",
                    True,
                    "No answer does not mean that nothing was done. Only a key lets it tell the second call from a new one.",
                ),
                Choice(
                    "The model would not notice.",
                    False,
                    "It would not, and that makes it worse, but it is not the reason.",
                ),
                Choice(
                    "The registry allows one call per tool in each turn.",
                    False,
                    "It allows as many as the model asks for.",
                ),
            ],
        ),
    ],
)

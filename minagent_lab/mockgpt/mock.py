"""MockGPT: a model that answers by rules. It looks at what it is asked, and needs no script.

Source: the MockGPT document: options, ranges, defaults, records.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

from minagent_lab.abort import AbortSignal, abortable
from minagent_lab.awaiting import at_once
from minagent_lab.errors import MockError, ProviderError, UnexpectedRequest
from minagent_lab.messages import Message, ModelResponse
from minagent_lab.mockgpt.answers import Draft
from minagent_lab.mockgpt.explained import Explanation, no_rule
from minagent_lab.mockgpt.generators import kept
from minagent_lab.mockgpt.given import Given, MockRecord, delivered
from minagent_lab.mockgpt.ledger import Ledger
from minagent_lab.mockgpt.outputs import Output, counted_usage, read_options
from minagent_lab.mockgpt.request import MockRequest, read_request
from minagent_lab.mockgpt.rules import Rule, read_rule
from minagent_lab.mockgpt.wire_doors import WireDoors
from minagent_lab.model import ModelRequest
from minagent_lab.results import exception_text
from minagent_lab.values import a_kind

_FIRST_MS, _LAST_MS = -62_135_596_800_000, 253_402_300_799_999  # what a date can be made of
NOTHING = object()  # a fallback that is not there; None is JSON


class MockGPT(WireDoors):
    """A model that answers by rules, the first that fits; by hand, as a model, as a provider, and over the wire.

    Parameters
    ----------
    rules
        `Rule` objects, or dicts of their fields. Their order matters.
    fallback
        What to answer when no rule fits. Without it that is an error, ``MOCK_RULE_NOT_FOUND``.
    select_prompt
        A function of the request that returns the text which ``Rule.prompt`` looks at; left out, the last user message.
    stream
        Defaults for how answers travel: ``chunk_size``, ``interval_ms``, ``wire_chunk_size``. What an answer says
        itself counts more.
    seed
        From 0 to 0xffffffff. The same seed and the same calls give the same answers.
    clock
        A function that returns the time in milliseconds, a finite number.
    record_limit
        How many records to keep, from 0 to 10,000; the oldest go first.
    max_body_bytes
        The longest body of a request over the wire, in bytes.
    max_output_chars
        The longest answer: code points of its text, and of its tool calls as JSON.
    sleep
        What waits over the wire where an answer asks for it, with ``delay_ms`` or ``interval_ms``: a function of
        seconds, for async clients a coroutine or not. Left out, time really passes.

    Examples
    --------
    >>> mock = MockGPT([Rule(prompt="status", generator={"online": True})], fallback="Pardon?")
    >>> mock.generate("What is the status?"), mock.generate("Hi")
    ({'online': True}, 'Pardon?')
    >>> mock.counts
    {'total': 2, 'rules': [1], 'fallback': 1, 'unmatched': 0}
    """

    def __init__(
        self,
        rules: Iterable[Any],
        *,
        fallback: Any = NOTHING,
        select_prompt: Callable[[MockRequest], str] | None = None,
        stream: Any = None,
        seed: int = 1,
        clock: Callable[[], float] | None = None,
        record_limit: int = 100,
        max_body_bytes: int = 1_048_576,
        max_output_chars: int = 1_000_000,
        sleep: Callable[[float], Any] | None = None,
    ) -> None:
        if isinstance(rules, (str, dict, Rule)) or not isinstance(rules, Iterable):
            raise TypeError(f"rules is {rules!r:.80}; write a list of rules: [Rule(prompt=..., generator=...)]")
        self.rules = tuple(read_rule(rule, number) for number, rule in enumerate(rules, 1))
        for name, function in (("select_prompt", select_prompt), ("clock", clock), ("sleep", sleep)):
            if function is not None and not callable(function):
                raise TypeError(f"{name} is {function!r:.80}; write a function")
        self.options, self.sleep = read_options(stream), sleep
        self.seed = _within("seed", seed, 0, 0xFFFFFFFF)
        self.max_body_bytes = _within("max_body_bytes", max_body_bytes, 1, 2**40)
        self.max_output_chars = _within("max_output_chars", max_output_chars, 1, 2**40)
        self._fallback, self._select_prompt, self._clock = kept(fallback), select_prompt, clock
        self._ledger = Ledger(len(self.rules), _within("record_limit", record_limit, 0, 10_000))

    # ---- the doors

    def generate(self, request: Any) -> Any:
        """Return the text, the JSON value or the list of tool calls that answers a request.

        Parameters
        ----------
        request
            A `ModelRequest`, a dict with ``messages``, or the user's text.

        Raises
        ------
        MockError
            No rule fits and there is no fallback (``MOCK_RULE_NOT_FOUND``), or the answer cannot be worked out.
        ProviderError
            The answer is an error, as a real service would give it.
        """
        return at_once(self._generated(request, waiting=False))

    async def agenerate(self, request: Any) -> Any:
        """Return what `generate` returns; functions in the rules may be async."""
        return await self._generated(request, waiting=True)

    def complete(self, messages: Sequence[Message], tools: list[dict[str, Any]]) -> ModelResponse:
        """Answer as a plain model does, so that `run` and the stepper can ask it."""
        return at_once(self._completed(MockRequest(messages, tools), waiting=False))

    async def acomplete(self, request: ModelRequest, signal: AbortSignal | None = None) -> ModelResponse:
        """Answer as a provider does; `provider` has it under the name that `arun` asks."""
        return await abortable(self._completed(MockRequest(request.messages, request.tools), waiting=True), signal)

    @property
    def provider(self) -> MockProvider:
        """The same mock as a `ModelProvider`."""
        return MockProvider(self)

    async def _generated(self, request: Any, *, waiting: bool) -> Any:
        given = await self.give(read_request(request), "generate", waiting=waiting)
        return delivered(given).native

    async def _completed(self, request: MockRequest, *, waiting: bool) -> ModelResponse:
        given = await self.give(request, "complete", waiting=waiting)
        return self.response(given)

    # ---- answering

    async def give(self, request: MockRequest, door: str, *, waiting: bool) -> Given:
        """Work an answer out and give it: from then on it counts."""
        while True:
            given = await self.prepare(request, door, waiting=waiting)
            if (counted := self.commit(given, door)) is not None:
                return counted

    async def prepare(self, request: MockRequest, door: str, *, waiting: bool) -> Given:
        """Work an answer out. Nothing is used up by that; a request that has no answer counts as unmatched.

        Raises
        ------
        MockError, UnexpectedRequest
            There is no answer.
        """
        number, now_ms = self._ledger.given, self.now_ms()
        try:
            if self._select_prompt is not None:
                request = replace(request, selected=_selected(self._select_prompt, request))
            place, written = self._chosen(request)
            draft = Draft(request, self.seed, number, now_ms, self._ledger.places, waiting=waiting)
            answer = await draft.answer(written)
            if isinstance(answer, Output) and (size := answer.size()) > self.max_output_chars:
                raise MockError(
                    "MOCK_OUTPUT_TOO_LARGE",
                    f"the answer has {size} characters; max_output_chars is {self.max_output_chars}",
                )
        except (MockError, UnexpectedRequest) as problem:
            self._ledger.missed(request, problem, door)
            raise
        return Given(request, place, answer, tuple(draft.moved), draft.by_chance, number, now_ms)

    def commit(self, given: Given, door: str) -> Given | None:
        """Count an answer as given, and return it under its number; ``None`` when it has to be prepared anew.

        That is so when an answer given in between has taken its place in a sequence, or its luck.
        """
        return self._ledger.commit(given, door)

    def response(self, given: Given) -> ModelResponse:
        """Return an answer as a `ModelResponse`; raise what is an error."""
        output = delivered(given)
        return output.response(self.usage(given), given.request.model)

    def usage(self, given: Given) -> dict[str, Any]:
        """Return the usage of an answer: what its author said, or else a count that is the same at every door."""
        output = given.answer
        if not isinstance(output, Output):
            return {}
        if output.usage is not None:
            return output.usage
        return counted_usage(given.request.size, output.size())

    def _chosen(self, request: MockRequest) -> tuple[int | str, Any]:
        for number, rule in enumerate(self.rules, 1):
            if rule.matches(request):
                return number, rule.generator
        if self._fallback is not NOTHING:
            return "fallback", self._fallback
        raise MockError("MOCK_RULE_NOT_FOUND", no_rule(self.rules, request))

    def _outcome(self, given: Given) -> ModelResponse | Exception:
        try:
            return self.response(given)
        except ProviderError as problem:
            return problem

    def now_ms(self) -> float:
        """Return the time of the clock, in milliseconds."""
        now = time.time() * 1000 if self._clock is None else self._clock()
        if isinstance(now, bool) or not isinstance(now, (int, float)) or not _FIRST_MS <= now <= _LAST_MS:
            raise ValueError(f"clock returned {now!r:.80}; it returns milliseconds since 1970, of the years 1 to 9999")
        return now

    # ---- looking back

    @property
    def counts(self) -> dict[str, Any]:
        """How many requests there were: in all, by rule, by fallback, and without an answer."""
        return self._ledger.counts()

    @property
    def records(self) -> list[MockRecord]:
        """The last requests and what became of them, the oldest first."""
        return [one if isinstance(one, MockRecord) else self._record(*one) for one in self._ledger.records()]

    def _record(self, given: Given, door: str) -> MockRecord:
        return MockRecord(given.request, given.rule, self._outcome(given), door)

    def explain(self, request: Any) -> Explanation:
        """Return which rule would answer a request, and what each filter of each rule says. Nothing is used up."""
        asked = read_request(request)
        if self._select_prompt is not None:
            asked = replace(asked, selected=_selected(self._select_prompt, asked))
        return Explanation(asked, self.rules, fallback=self._fallback is not NOTHING)

    def __repr__(self) -> str:
        fallback = "" if self._fallback is NOTHING else " and a fallback"
        return (
            f"<MockGPT: {len(self.rules)} rule{'s' * (len(self.rules) != 1)}{fallback}, {self._ledger.total} requests>"
        )


class MockProvider:
    """A `MockGPT` as a `ModelProvider`."""

    def __init__(self, mock: MockGPT) -> None:
        self._mock = mock

    async def complete(self, request: ModelRequest, signal: AbortSignal | None = None) -> ModelResponse:
        """Answer one request."""
        return await self._mock.acomplete(request, signal)

    def __repr__(self) -> str:
        return f"<MockProvider of {self._mock!r}>"


def _selected(select: Callable[[MockRequest], str], request: MockRequest) -> str:
    try:
        text = select(request)
    except Exception as problem:
        raise MockError("MOCK_FILTER_FAILED", f"select_prompt raised {exception_text(problem)}") from problem
    if not isinstance(text, str):
        getattr(text, "close", lambda: None)()
        raise MockError("MOCK_FILTER_FAILED", f"select_prompt returned {a_kind(text)}; it returns text, at once")
    return text


def _within(name: str, number: Any, low: int, high: int) -> int:
    if isinstance(number, bool) or not isinstance(number, int) or not low <= number <= high:
        raise ValueError(f"{name} is {number!r:.80}; it is a whole number from {low} to {high}")
    return number

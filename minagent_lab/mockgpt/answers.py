"""From what a rule's author wrote to the answer itself: seeded values are made, functions asked, sequences moved on.

Nothing here changes anything. What an answer would move on is noted in the `Draft`, and done when it is given: so an
answer that is cancelled on its way has used up nothing.
"""

from __future__ import annotations

import random
from functools import cached_property
from typing import Any

from minagent_lab.checks import refuse_async
from minagent_lab.errors import MalformedResponseError, MockError, ProviderError
from minagent_lab.messages import ToolCall
from minagent_lab.mockgpt.generators import Seeded
from minagent_lab.mockgpt.outputs import Failure, Output
from minagent_lab.mockgpt.request import MockRequest
from minagent_lab.mockgpt.responses import THE_END, Sequence, Written
from minagent_lab.model import ModelRequest
from minagent_lab.providers.arguments import read_arguments
from minagent_lab.results import exception_text
from minagent_lab.values import a_kind, copy_json, dump_json

DEEPEST = 20  # answers of answers
_CUT = ("max_tokens", "content_filter")  # see ModelResponse.cut


class Draft:
    """An answer that is being worked out.

    Parameters
    ----------
    request
        What is answered.
    seed, number
        Where chance comes from: the seed of the mock, and how many answers it has given.
    now_ms
        The time, in milliseconds.
    places
        How far each sequence is, for each of its keys.
    waiting
        Whether functions may be async.
    """

    def __init__(
        self,
        request: MockRequest,
        seed: int,
        number: int,
        now_ms: float,
        places: dict[tuple[Sequence, Any], int],
        *,
        waiting: bool,
    ) -> None:
        self.request, self._seed, self._number, self._now_ms = request, seed, number, now_ms
        self._places, self._waiting = places, waiting
        self.moved: list[tuple[Sequence, Any, int]] = []
        self.by_chance = False  # whether it would be another answer under another number

    @cached_property
    def _source(self) -> random.Random:  # made when it is needed: it costs more than all the rest
        self.by_chance = True
        return random.Random(f"{self._seed}:{self._number}")  # noqa: S311  (no secret comes from it)

    async def answer(self, written: Any, depth: int = 0) -> Output | Failure | ProviderError:
        """Return the answer that something written stands for."""
        if depth > DEEPEST:
            raise MockError("MOCK_GENERATOR_FAILED", "the answer is a function of a function and so on, without end")
        if isinstance(written, (Output, Failure, ProviderError)):
            return written
        if isinstance(written, Written):
            return self._worked_out(written)
        if isinstance(written, Sequence):
            return await self.answer(self._next_of(written), depth + 1)
        if isinstance(written, Seeded):
            return self._plain(self._value(written))
        if callable(written):
            return await self.answer(await self._asked(written), depth + 1)
        return self._plain(self._value(written))

    def _next_of(self, sequence: Sequence) -> Any:
        try:
            place = (sequence, sequence.key(self.request))
            index = self._places.get(place, 0)
        except Exception as problem:
            raise MockError("MOCK_FILTER_FAILED", f"key of {sequence!r}: {exception_text(problem)}") from problem
        item = sequence.item(index)
        if item is THE_END:
            raise MockError(
                "MOCK_SEQUENCE_EXHAUSTED",
                f"{sequence!r} was asked once more than it has items, by one conversation; if that is right, add an "
                "item or then=...",
            )
        if index < len(sequence.items):
            self.moved.append((*place, index))
        return item

    async def _asked(self, function: Any) -> Any:
        try:
            made = function(self.request)
            if hasattr(made, "__await__"):
                made = await made if self._waiting else refuse_async("a generator", made, "ask agenerate()")
        except ProviderError as problem:
            return problem  # a function may raise what it would like to be answered
        except MockError:
            raise
        except Exception as problem:
            raise MockError("MOCK_GENERATOR_FAILED", f"the generator raised {exception_text(problem)}") from problem
        return made

    def _worked_out(self, written: Written) -> Output:
        if written.check is not None:
            written.check.check(ModelRequest(self.request.messages, list(self.request.tools)), 1)
        kept: dict[str, Any] = {
            name: getattr(written, name) for name in ("stop_reason", "usage", "model", "options", "faults")
        }
        if written.kind == "tool_calls":
            calls, texts, unreadable = self._calls(written.held, cut=written.stop_reason in _CUT)
            return Output(written.content, calls, calls, written=texts, unreadable=unreadable, **kept)
        held = self._value(written.held)
        content = held if written.kind == "text" and isinstance(held, str) else dump_json(held)
        return Output(content, (), content if written.kind == "text" else held, **kept)

    def _plain(self, held: Any) -> Output:
        return Output(held, (), held) if isinstance(held, str) else Output(dump_json(held), (), held)

    def _calls(self, held: list[Any], *, cut: bool) -> tuple[list[ToolCall], dict[str, str], ProviderError | None]:
        """Return the calls; by id the arguments that were written as text; and what is wrong with one of these."""
        calls, texts, unreadable = [], {}, None
        for call in held:
            if not isinstance(call, ToolCall):
                name, arguments = call
                id = f"call_{self._source.getrandbits(96):024x}"
                if isinstance(arguments, str):
                    texts[id] = arguments
                    try:
                        arguments = read_arguments(name, arguments, cut=cut)
                    except MalformedResponseError as problem:
                        arguments, unreadable = {}, unreadable or problem
                call = ToolCall(id, name, self._value(arguments))  # noqa: PLW2901
            calls.append(call)
        return calls, texts, unreadable

    def _value(self, held: Any) -> Any:
        """Return a JSON value with the seeded parts in it made."""
        try:
            return copy_json(self._made(held), "the answer")
        except (TypeError, RecursionError) as problem:
            hint = "answer with text, a JSON value, or something of responses or generators"
            raise MockError("MOCK_GENERATOR_FAILED", f"{a_kind(held)} is no answer ({problem}); {hint}") from None

    def _made(self, held: Any, room: int = 100) -> Any:
        if isinstance(held, Seeded):
            return held.make(self._source, self._now_ms)
        if room and isinstance(held, dict):
            return {name: self._made(inner, room - 1) for name, inner in held.items()}
        return [self._made(inner, room - 1) for inner in held] if room and isinstance(held, (list, tuple)) else held

"""An answer that can be given, and the record of one that was."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from typing import Any, NamedTuple

from minagent_lab.errors import ProviderError
from minagent_lab.messages import ModelResponse
from minagent_lab.mockgpt.outputs import Failure, Output
from minagent_lab.mockgpt.request import MockRequest
from minagent_lab.values import value


@value
class MockRecord:
    """One request, and what became of it.

    Parameters
    ----------
    request
        What was asked.
    rule
        The number of the rule that answered, from 1; ``"fallback"``; or ``None`` where none did.
    outcome
        The response, or the error.
    door
        Where it came in: ``"generate"``, ``"complete"`` or ``"wire"``.
    """

    request: MockRequest
    rule: int | str | None
    outcome: ModelResponse | Exception
    door: str

    def __repr__(self) -> str:
        who = f"rule {self.rule}" if isinstance(self.rule, int) else self.rule or "no rule"
        return f"<MockRecord {self.request.prompt!r:.40} → {who}>"


class Given(NamedTuple):
    """An answer that can be given: worked out, and nothing used up for it yet.

    Parameters
    ----------
    request
        What it answers.
    rule
        Which rule answers, from 1, or ``"fallback"``.
    answer
        An `Output`, a `Failure`, or a `ProviderError`.
    moved
        The sequences that go on by one when it is given: each with its key and its place.
    by_chance
        Whether it would be another answer under another number.
    number
        How many answers were given before it.
    created_ms
        The time, in milliseconds.
    """

    request: MockRequest
    rule: int | str
    answer: Output | Failure | ProviderError
    moved: Sequence[Any]
    by_chance: bool
    number: int
    created_ms: float


def delivered(given: Given) -> Output:
    """Return what was answered, or raise the error that it is, as an adapter of the real service would."""
    answer = given.answer
    if isinstance(answer, ProviderError):
        raise copy(answer)
    if isinstance(answer, Failure):
        raise answer.as_error(given.created_ms / 1000)
    if answer.unreadable is not None:
        raise copy(answer.unreadable)
    return answer

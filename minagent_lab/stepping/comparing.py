"""Two runs side by side: what they have in common, where they part, and what came of each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from minagent_lab.messages import Message
from minagent_lab.stepping.stepper import Stepper
from minagent_lab.values import value


@value
class Fact:
    """One thing that is compared: its name, and what it is in each of the two runs."""

    name: str
    first: Any
    second: Any

    @property
    def differs(self) -> bool:
        """Whether the two are not the same."""
        return bool(self.first != self.second)


@value
class Comparison:
    """Two runs, compared.

    Parameters
    ----------
    shared
        The messages that both begin with.
    first, second
        What comes after them in each.
    parts_at
        The first call of the model that is not the same in both, from 1; ``None`` where all are.
    facts
        Calls, messages, characters, usage, status and final answer.
    """

    shared: Sequence[Message]
    first: Sequence[Message]
    second: Sequence[Message]
    parts_at: int | None
    facts: Sequence[Fact]

    def __repr__(self) -> str:
        where = "they are the same" if self.parts_at is None else f"they part at call {self.parts_at}"
        return f"<Comparison: {len(self.shared)} messages in common, {where}>"


def compare(first: Stepper, second: Stepper) -> Comparison:
    """Compare two runs, as far as each has come.

    Examples
    --------
    >>> from minagent_lab import FakeModel, ToolRegistry
    >>> runs = [Stepper(FakeModel([text]), ToolRegistry(), "Hi") for text in ("Hello.", "Good evening.")]
    >>> for run in runs:
    ...     run.run_to_end()
    >>> compare(*runs)
    <Comparison: 1 messages in common, they part at call 1>
    """
    for name, it in (("first", first), ("second", second)):
        if not isinstance(it, Stepper):
            raise TypeError(f"{name} is {it!r:.80}; pass a Stepper")
    one, other = messages_of(first), messages_of(second)
    pairs = zip(one, other, strict=False)
    same = next((place for place, (mine, its) in enumerate(pairs) if mine != its), min(len(one), len(other)))
    return Comparison(one[:same], one[same:], other[same:], _parting(first, second), _facts(first, second))


def messages_of(stepper: Stepper) -> list[Message]:
    """Return the whole history of a run, as far as it has come, whatever call is shown."""
    if stepper.result is not None:
        return list(stepper.result.messages)
    waiting = stepper.waiting
    return list(waiting.messages) if waiting else []


def _parting(first: Stepper, second: Stepper) -> int | None:
    turns = zip(first.turns, second.turns, strict=False)
    for number, (one, other) in enumerate(turns, 1):
        if (one.request, one.response, one.results) != (other.request, other.response, other.results):
            return number
    lengths = len(first.turns), len(second.turns)
    return None if lengths[0] == lengths[1] else min(lengths) + 1


def _facts(first: Stepper, second: Stepper) -> tuple[Fact, ...]:
    return tuple(Fact(name, mine, its) for (name, mine), (_, its) in zip(_of(first), _of(second), strict=True))


def _of(stepper: Stepper) -> list[tuple[str, Any]]:
    growth, result = stepper.growth, stepper.result
    return [
        ("calls", len(stepper.turns)),
        ("messages, last call", growth[-1].messages if growth else 0),
        ("characters, all calls", sum(row.characters for row in growth)),
        ("usage", dict(result.usage) if result else {}),
        ("status", stepper.status),
        ("final answer", result.final if result else ""),
    ]

"""An answer on its way out: what the forms of all services are made from."""

from __future__ import annotations

from typing import Any, NamedTuple

from minagent_lab.messages import ToolCall
from minagent_lab.mockgpt.outputs import Output
from minagent_lab.values import dump_json


class Answer(NamedTuple):
    """An answer, with all that a service puts round it.

    Parameters
    ----------
    number
        What its ids are made from.
    created
        Seconds since the epoch.
    model
        Who answers.
    output
        What is said, and what goes wrong with it.
    usage
        ``input_tokens`` and ``output_tokens``; empty when unknown.
    chunk_size
        Code points in a piece.
    body
        The request.
    """

    number: str
    created: int
    model: str
    output: Output
    usage: dict[str, Any]
    chunk_size: int | None
    body: dict[str, Any]

    def fault(self, name: str) -> Any:
        """Return a fault, or ``None``."""
        return self.output.faults.get(name)

    def ids(self) -> list[str | None]:
        """Return the ids of the calls, with what goes wrong with them."""
        ids: list[str | None] = [call.id for call in self.output.calls]
        if self.fault("same_ids"):
            return ids[:1] * len(ids)
        return [None] * len(ids) if self.fault("no_ids") else ids

    def arguments(self, call: ToolCall) -> str:
        """Return the arguments of a call as text, as the model wrote them."""
        blank = {"empty": "", "blanks": "  "}.get(self.fault("blank_arguments"))
        if blank is not None:
            return blank
        written = self.output.written.get(call.id)
        return dump_json(call.arguments, compact=True) if written is None else written


def number_of(seed: int, count: int) -> str:
    """Return 24 hexadecimal digits: the same in each run, and different for each answer of a mock.

    Examples
    --------
    >>> number_of(1, 10)
    '00000001000000000000000a'
    """
    return f"{seed:08x}{count:016x}"


def counts(usage: dict[str, Any], read: str, written: str, odd: str | None) -> dict[str, Any] | None:
    """Return usage under a service's names, with what goes wrong with it; ``None`` when unknown."""
    if odd in ("null", "absent") or not usage:
        return None
    told = {}
    if usage.get("input_tokens") is not None:
        told[read] = usage["input_tokens"]
    if usage.get("output_tokens") is not None and odd != "half":
        told[written] = usage["output_tokens"]
    if odd in ("text", "negative"):
        told[read] = str(told.get(read)) if odd == "text" else -1
    return told

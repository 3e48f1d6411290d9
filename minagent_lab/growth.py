"""How much is sent: the whole history goes out again in every call.

Source: appendix B.4 (the history grows as expected), made visible.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, Protocol

from minagent_lab.history import History
from minagent_lab.messages import Message
from minagent_lab.model import message_json
from minagent_lab.values import dump_json


class Growth(NamedTuple):
    """What one call sent.

    Parameters
    ----------
    call
        Which call, counted from 1.
    messages, new
        How many messages were sent, and how many of them for the first time.
    characters, new_characters
        The size of the request (messages and tools) as compact JSON text, in characters; and the part of it that the
        new messages make up. Where a call sends other tools than the one before, the tools count as new too.
    """

    call: int
    messages: int
    new: int
    characters: int
    new_characters: int


class Sent(Protocol):
    """What has messages and tools: a `Call`, a `ModelRequest`."""

    @property
    def messages(self) -> Sequence[Message]:
        """The whole history."""
        ...

    @property
    def tools(self) -> Sequence[dict[str, Any]]:
        """The tools on offer."""
        ...


class GrowthMeter:
    """Measures call after call. Each message is measured once, so call 1,000 costs no more than call 1."""

    def __init__(self) -> None:
        self.rows: list[Growth] = []
        self._last = History()
        self._sizes: list[int] = []  # of each message of the last call, in characters
        self._total = 0
        self._tools: Sequence[dict[str, Any]] | None = None
        self._tools_size = 0

    def add(self, sent: Sent) -> Growth:
        """Measure one more call."""
        history, tools = History(sent.messages), sent.tools
        old = history.shared_with(self._last)
        self._total -= sum(self._sizes[old:])
        new_sizes = [len(dump_json(message_json(message), compact=True)) for message in history[old:]]
        self._sizes[old:] = new_sizes
        self._total += sum(new_sizes)
        if other_tools := tools != self._tools:
            self._tools, self._tools_size = tools, len(dump_json(list(tools), compact=True))
        commas = max(len(history) - 1, 0)
        around = len('{"messages":[],"tools":}')
        characters = around + self._total + commas + self._tools_size
        new = sum(new_sizes) + min(len(new_sizes), commas) + (around + self._tools_size if other_tools else 0)
        row = Growth(len(self.rows) + 1, len(history), len(new_sizes), characters, new)
        self._last = history
        self.rows.append(row)
        return row


def history_growth(calls: Iterable[Sent]) -> list[Growth]:
    """Return, for each recorded call, what it sent and how much of it was new.

    Parameters
    ----------
    calls
        ``FakeModel.calls``, or anything whose items have ``messages`` and ``tools``.

    Examples
    --------
    >>> from minagent_lab import FakeModel, ToolRegistry, run
    >>> model = FakeModel(["Hello."])
    >>> _ = run(model, ToolRegistry(), "Hi", system="Be kind.")
    >>> history_growth(model.calls)
    [Growth(call=1, messages=2, new=2, characters=95, new_characters=95)]
    """
    meter = GrowthMeter()
    return [meter.add(call) for call in calls]

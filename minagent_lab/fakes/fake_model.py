"""FakeModel: a model that plays a script. It takes the one uncertain part of an agent away.

Source: appendix B.1, B.2, B.4; the provider lesson, homework 1 and 2.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from minagent_lab.errors import ScriptExhausted, ScriptNotExhausted
from minagent_lab.fakes.script import Script, last_words
from minagent_lab.history import History
from minagent_lab.messages import Message, ModelResponse
from minagent_lab.model import Call, ModelRequest, copied_tools


class FakeModel:
    """A model that answers from a script, item by item, and keeps what it was asked.

    Parameters
    ----------
    script
        Its items: text (an answer), a list of `ToolCall` (a wish for tools), a `ModelResponse` (just that), or an
        `Expect` round one of these. Anything else is a ``TypeError``, now.
    name
        Who answers.

    Examples
    --------
    >>> from minagent_lab import ToolCall
    >>> model = FakeModel([[ToolCall("c1", "add", {"a": 2, "b": 3})], "5"])
    >>> model.complete([Message("user", "2 + 3?")], []).stop_reason
    'tool_use'
    >>> model.remaining, model.calls[0].messages == [Message("user", "2 + 3?")]
    (1, True)
    """

    def __init__(self, script: Iterable[Any] | Script, name: str = "fake-1") -> None:
        self.name = name
        self._script = script if isinstance(script, Script) else Script(script)
        self._calls: list[tuple[History, list[dict[str, Any]]]] = []
        self._next = 0

    def complete(self, messages: Sequence[Message], tools: list[dict[str, Any]]) -> ModelResponse:
        """Keep the call, then play the next item.

        Raises
        ------
        ScriptExhausted
            There are no more items: the agent did not converge. Every further call raises again.
        UnexpectedRequest
            The item is an `Expect`, and this is not its request. The item stays next.
        """
        history = messages.snapshot() if isinstance(messages, History) else History(messages)
        last = self._calls[-1][1] if self._calls else []
        self._calls.append((history, last if last == tools else copied_tools(tools)))
        if self._next == len(self._script):
            raise ScriptExhausted(len(self._calls), len(self._script), last_words(history))
        if check := self._script.checks[self._next]:
            check.check(ModelRequest(history, tools), self._next + 1)
        self._next += 1
        return self._script.play(self._next - 1)

    @property
    def calls(self) -> list[Call]:
        """What the model saw, one `Call(messages, tools)` per call of ``complete``."""
        return [Call(*call) for call in self._calls]

    @property
    def script(self) -> list[Any]:
        """The items, used or not, as one would write them."""
        return self._script.items()

    @property
    def position(self) -> int:
        """How many items were used; the next one has this index."""
        return self._next

    @property
    def remaining(self) -> int:
        """How many items nobody has asked for yet. It is for tests; a loop must not steer by it."""
        return len(self._script) - self._next

    def assert_exhausted(self) -> None:
        """Raise `ScriptNotExhausted` when items are left over: the agent asked less often than expected."""
        if self.remaining:
            asked, left = f"{self.name} was asked {_times(len(self._calls))}", self._script.items()[self._next]
            many = f"{self.remaining} of {len(self._script)} script items {'is' if self.remaining == 1 else 'are'} left"
            raise ScriptNotExhausted(f"{asked}, and {many}; the next one is {left!r:.120}")

    def __repr__(self) -> str:
        return f"<FakeModel {self.name}: {self._next} of {len(self._script)} items used>"


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"

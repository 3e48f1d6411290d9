"""Questions that a test asks of an agent in words: was the tool called, with what, before which other, how often.

>>> from minagent_lab import FakeModel, Tool, ToolCall, ToolRegistry, run
>>> registry = ToolRegistry()
>>> registry.add(Tool("add", "Sum", {"type": "object"}, lambda a, b: a + b))
>>> model = FakeModel([[ToolCall("c1", "add", {"a": 2, "b": 3})], "5"])
>>> _ = run(model, registry, "2 + 3?")
>>> calls = tool_calls(model)
>>> calls.tool("add", a=2).once()
<ToolUse add(a=2): 1 call>
>>> assert calls.never("delete")
>>> calls.tool("search")
Traceback (most recent call last):
...
AssertionError: search was never called; the calls were: 1. add {"a": 2, "b": 3} → 5

Source: appendix B.4, asked by meaning instead of by index. A question whose answer is no raises; one whose answer
is yes returns something true, so that an ``assert`` before it does no harm.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from minagent_lab.fakes.fake_model import FakeModel
from minagent_lab.messages import Message, ToolCall
from minagent_lab.record import RunResult
from minagent_lab.values import dump_json

__all__ = ["ToolCalls", "ToolUse", "tool_calls"]


def tool_calls(source: FakeModel | RunResult | Iterable[Message]) -> ToolCalls:
    """Return the tool calls of a run, in order, to be asked about.

    Parameters
    ----------
    source
        A `RunResult`, for all calls of the run; a `FakeModel`, for those whose results the model got to see; or
        messages.
    """
    if isinstance(source, FakeModel):
        messages: Iterable[Message] = source.calls[-1].messages if source.calls else ()
    elif isinstance(source, RunResult):
        messages = source.messages
    else:
        messages = source
    return ToolCalls(list(messages))


class ToolCalls:
    """The tool calls of a run, with their results, in order."""

    def __init__(self, messages: Sequence[Message]) -> None:
        self._made: list[ToolCall] = []
        self._results: list[str | None] = []
        for place, message in enumerate(messages):
            for call in message.tool_calls:
                answers = (m.content for m in messages[place:] if m.tool_call_id == call.id)
                self._made.append(call)
                self._results.append(next(answers, None))

    def __len__(self) -> int:
        return len(self._made)

    def tool(self, name: str, /, **arguments: Any) -> ToolUse:
        """Assert that `name` was called, with at least these arguments; return those calls, to ask more of them."""
        places = self.places(name, arguments)
        _claim(places != [], f"{_written(name, arguments)} was never called; {self}")
        return ToolUse(self, _written(name, arguments), places)

    def never(self, name: str, /, **arguments: Any) -> bool:
        """Assert that `name` was not called, or not with these arguments; return ``True``."""
        _claim(not self.places(name, arguments), f"{_written(name, arguments)} was called; {self}")
        return True

    def places(self, name: str, arguments: dict[str, Any]) -> list[int]:
        """Return where the calls of `name` with these arguments stand, counted from 0."""
        wanted = arguments.items()
        return [
            place
            for place, call in enumerate(self._made)
            if call.name == name and all(k in call.arguments and call.arguments[k] == v for k, v in wanted)
        ]

    def __str__(self) -> str:
        if not self._made:
            return "no tool was called"
        rows = [
            f"{n}. {call.name} {dump_json(call.arguments)} → {result}"
            for n, (call, result) in enumerate(zip(self._made, self._results, strict=True), 1)
        ]
        return f"the calls were: {'; '.join(rows)}"

    def __repr__(self) -> str:
        return f"<ToolCalls: {self}>"


def _claim(holds: bool, otherwise: str) -> None:
    if not holds:
        raise AssertionError(otherwise)  # python -O would drop an assert


def _written(name: str, arguments: dict[str, Any]) -> str:
    """Return a call as a test writes it; an argument may be a matcher, such as ``pytest.approx(0.3)``."""
    held = ", ".join(f"{key}={wanted!r}" for key, wanted in arguments.items())
    return f"{name}({held})" if arguments else name


class ToolUse:
    """The calls that `ToolCalls.tool` found. Each question about them returns them again, or raises."""

    def __init__(self, calls: ToolCalls, asked: str, places: list[int]) -> None:
        self._calls, self._asked, self._places = calls, asked, places

    def once(self) -> ToolUse:
        """Assert that there was exactly one such call."""
        return self.times(1)

    def times(self, count: int) -> ToolUse:
        """Assert how many such calls there were."""
        found = len(self._places)
        _claim(found == count, f"{self._asked} was called {found} times, not {count}; {self._calls}")
        return self

    def before(self, name: str, /, **arguments: Any) -> ToolUse:
        """Assert that the first such call came before the first call of another tool, and that there was one."""
        others = self._calls.tool(name, **arguments)
        is_first = self._places[0] < others._places[0]
        _claim(is_first, f"{self._asked} did not come before {others._asked}; {self._calls}")
        return self

    @property
    def results(self) -> list[str | None]:
        """What the model read of these calls; ``None`` where no result was sent."""
        return [self._calls._results[place] for place in self._places]

    def __repr__(self) -> str:
        count = len(self._places)
        return f"<ToolUse {self._asked}: {count} call{'s' * (count != 1)}>"

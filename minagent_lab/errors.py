"""The exceptions, as one tree.

    MinAgentError
    ├── ScriptExhausted    (RuntimeError)    a fake was asked more often than its script has items
    ├── MaxStepsExceeded   (RuntimeError)    the model was asked `max_steps` times and still wanted a tool
    ├── UnexpectedRequest  (AssertionError)  an `Expect` in the script did not find the request it expected
    ├── ScriptNotExhausted (AssertionError)  `assert_exhausted()` found script items that nobody asked for
    ├── RealCallBarred     (RuntimeError)    a test was about to ask a real model
    └── FixtureError       (ValueError)      a fixture file is not what its format says

Each is also a child of the built-in that fits, so `except RuntimeError` works as well. What a *model* or a *tool* did
wrong is no exception here: it is data that the model reads (see ``tools``). An exception that ends a run carries the
partial result of that run as ``error.result``.

Source: the texts in Chinese are those of the course's first document, appendix B.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

    from minagent_lab.loop import RunResult


class MinAgentError(Exception):
    """The root of this package's exceptions."""

    result: RunResult | None = None  # what the run had reached when this error ended it

    def __reduce__(self) -> tuple[Any, ...]:  # so that it can be copied, and come out of a worker process
        return _remade, (type(self), self.args), vars(self)


def _remade(kind: type[MinAgentError], args: tuple[Any, ...]) -> MinAgentError:
    return kind.__new__(kind, *args)


class ScriptExhausted(MinAgentError, RuntimeError):
    """A fake model was asked more often than its script has items: the agent did not converge.

    Attributes
    ----------
    call_number : int
        Which call found the script used up, counted from 1.
    script_length : int
        How many items the script has.
    """

    def __init__(self, call_number: int, script_length: int, last_message: str) -> None:
        self.call_number, self.script_length = call_number, script_length
        items = "1 item" if script_length == 1 else f"{script_length} items"
        super().__init__(
            "FakeModel 脚本已耗尽：Agent 没有收敛 (script exhausted, the agent did not converge: "
            f"call {call_number} was made, but the script has {items}; last message: {last_message}. "
            "If the call is right, add an item for it)"
        )


class MaxStepsExceeded(MinAgentError, RuntimeError):
    """The model was asked `max_steps` times and still wanted a tool.

    Attributes
    ----------
    max_steps : int
        The limit, counted in calls of ``complete()``.
    result : RunResult
        The run so far; its status is ``"max_steps"`` and its history is well-formed.
    """

    def __init__(self, max_steps: int, result: RunResult) -> None:
        self.max_steps, self.result = max_steps, result
        super().__init__(
            f"超过 {max_steps} 步 (over max_steps={max_steps}: the model was asked {max_steps} times and never "
            "answered without a tool call; look at error.result.steps for what repeats, then raise max_steps)"
        )


class UnexpectedRequest(MinAgentError, AssertionError):
    """The request was not the one that the script's `Expect` describes; no script item was consumed."""


class ScriptNotExhausted(MinAgentError, AssertionError):
    """Script items were left over when a test expected all of them to be used."""


class RealCallBarred(MinAgentError, RuntimeError):
    """A test was about to ask a real model, and did not say that it may."""


class FixtureError(MinAgentError, ValueError):
    """A fixture file is not what its format says.

    Attributes
    ----------
    path : pathlib.Path
        The file.
    place : str
        Turn and field, such as ``"turn 2, field 'call.id'"``; empty where the whole file is meant.
    """

    def __init__(self, path: Path, place: str, problem: str) -> None:
        self.path, self.place = path, place
        super().__init__(f"{path.name}, {place}: {problem}" if place else f"{path.name}: {problem}")

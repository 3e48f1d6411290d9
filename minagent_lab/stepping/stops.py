"""Where to stop: step a run until something happens that one wants to see.

A stop is a word or a function. The words are those of the view's menu.
"""

from __future__ import annotations

from collections.abc import Callable

from minagent_lab.stepping.stepper import Stepper, Turn

Stop = Callable[[Turn], bool]

STOPS: dict[str, Stop] = {
    "tool call": lambda turn: bool(turn.response and turn.response.message.tool_calls),
    "error": lambda turn: turn.error is not None or any(result.error for _, result in turn.results),
    "cut answer": lambda turn: bool(turn.response and turn.response.cut),
    "answer": lambda turn: bool(turn.response and not turn.response.message.tool_calls),
}


def run_until(stepper: Stepper, stop: str | Stop) -> Turn | None:
    """Step forward until a call that is to be seen, or the end of the run.

    Parameters
    ----------
    stepper
        The run. It goes on from the call that is shown; recorded calls are not asked again.
    stop
        ``"tool call"``, ``"error"``, ``"cut answer"``, ``"answer"``, a stop reason such as ``"max_tokens"``, or a
        function of the `Turn` that says whether to stop at it.

    Returns
    -------
    Turn or None
        The call that was found, and is now shown; ``None`` when the run ended without one.

    Examples
    --------
    >>> from minagent_lab import FakeModel, ToolCall, ToolRegistry
    >>> walk = Stepper(FakeModel([[ToolCall("c1", "add", {})], "5"]), ToolRegistry(), "2 + 3?")
    >>> run_until(walk, "error"), walk.index
    (<Turn 1: 1 messages → tool_call, running>, 1)
    >>> run_until(walk, "error"), walk.status
    (None, 'completed')
    """
    found = _found_by(stop)
    while stepper.forward():
        if found(stepper.turn):  # type: ignore[arg-type]  # after a step there is one
            return stepper.turn
    return None


def _found_by(stop: str | Stop) -> Stop:
    if callable(stop):
        return stop
    if not isinstance(stop, str) or not stop:
        raise TypeError(
            f"stop is {stop!r:.80}; it is one of {', '.join(STOPS)}, a stop reason, or a function of a turn"
        )
    return STOPS.get(stop, lambda turn: bool(turn.response and turn.response.stop_reason == stop))

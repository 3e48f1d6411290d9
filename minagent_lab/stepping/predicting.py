"""What comes next? A question about the next call, with a reason for every choice.

The answer is known before the call is made: it is recorded, or it stands in the script. So nobody is asked for it, and
a wrong guess costs nothing.
"""

from __future__ import annotations

from typing import Any

from minagent_lab.errors import MinAgentError
from minagent_lab.fakes.script import Expect, Script
from minagent_lab.messages import ModelResponse
from minagent_lab.stepping.fields import script_of
from minagent_lab.stepping.stepper import Stepper
from minagent_lab.values import dump_json, value


@value
class Guess:
    """One choice: what may come, whether it does, and why, or why not."""

    text: str
    right: bool
    why: str


def can_be_predicted(stepper: Stepper) -> bool:
    """Whether it is known what the model will say: it plays a script, or the run is over."""
    return stepper.ended or script_of(stepper.model) is not None


def guesses(stepper: Stepper) -> list[Guess]:
    """Return four choices about the next call, of which one is right; none when the run is over.

    Examples
    --------
    >>> from minagent_lab import FakeModel, ToolRegistry
    >>> for guess in guesses(Stepper(FakeModel(["Hello."]), ToolRegistry(), "Hi")):
    ...     print(guess.right, guess.text)
    False The loop answers by itself.
    True It answers with text; the loop returns it.
    False It asks for a tool.
    False Nothing comes back: the run ends with an error.
    """
    if stepper.ended and stepper.at_frontier:
        return []
    outcome = _outcome(stepper)
    made = [_text(outcome), _call(stepper, outcome), _error(stepper, outcome), _loop(stepper)]
    turned = (stepper.index + 3) % len(made)  # so that the right one has no place of its own
    return made[turned:] + made[:turned]


def _outcome(stepper: Stepper) -> ModelResponse | Exception | None:
    """Return what the model will say, or raise; ``None`` when its script is used up."""
    if stepper.index < len(stepper.turns):
        turn = stepper.turns[stepper.index]
        return turn.response if turn.response is not None else None
    script, place = stepper.model.script, stepper.model.position  # type: ignore[attr-defined]
    if place >= len(script):
        return None
    item = script[place]
    try:
        return Script([item.item if isinstance(item, Expect) else item], errors=True).play(0)
    except MinAgentError as error:
        return error


def _text(outcome: Any) -> Guess:
    text = "It answers with text; the loop returns it."
    if not isinstance(outcome, ModelResponse):
        return Guess(text, False, "It has nothing left to say.")
    if outcome.message.tool_calls:
        return Guess(
            text, False, "Not yet: it asks for something first, and only a reply without a request ends the run."
        )
    if outcome.cut:
        return Guess(text, True, f"It is text, although it was cut ({outcome.stop_reason}); nobody asks for a tool.")
    return Guess(text, True, "Nobody asks for a tool, so the loop has nothing more to do.")


def _call(stepper: Stepper, outcome: Any) -> Guess:
    calls = outcome.message.tool_calls if isinstance(outcome, ModelResponse) else ()
    if not calls:
        names = [str(tool.get("name")) for tool in (stepper.waiting or stepper.turns[0].request).tools]
        wish = f"It asks for {names[0]}." if names else "It asks for a tool."
        return Guess(wish, False, "No: all that it wanted to know is in the history, or it has nothing left to say.")
    asked = ", ".join(f"{call.name} {dump_json(call.arguments)}" for call in calls)
    wish = f"It asks for {calls[0].name}." if len(calls) == 1 else f"It asks for {len(calls)} tools in one reply."
    if outcome.cut:
        return Guess(
            wish, True, f"It asks for {asked}; but the reply is cut ({outcome.stop_reason}), so no tool is run."
        )
    what = "it" if len(calls) == 1 else "each"
    return Guess(wish, True, f"It asks for {asked}. The loop hands {what} to the tools, and adds what comes back.")


def _error(stepper: Stepper, outcome: Any) -> Guess:
    failed = stepper.turn is not None and any(result.error for _, result in stepper.turn.results)
    text = "The loop stops: a tool failed." if failed else "Nothing comes back: the run ends with an error."
    if isinstance(outcome, ModelResponse):
        why = (
            "A tool's error is data: the model reads it, and the run goes on." if failed else "It has something to say."
        )
        return Guess(text, False, why)
    if outcome is None:
        why = "The script is used up: the agent asks more often than its author expected."
    else:
        why = f"The provider raises {type(outcome).__name__}, and what a model raises ends the run."
    return Guess("Nothing comes back: the run ends with an error.", True, why)


def _loop(stepper: Stepper) -> Guess:
    results = stepper.turn.results if stepper.turn else ()
    text = f"The loop calls {results[-1][0].name} again by itself." if results else "The loop answers by itself."
    return Guess(text, False, "The loop never decides anything: it asks the model, and runs what the model asks for.")

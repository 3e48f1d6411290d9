"""A recorded run without its secrets: what the exported forms tell."""

from __future__ import annotations

from typing import NamedTuple

from minagent_lab.fixtures.redact import Redactor
from minagent_lab.growth import Growth
from minagent_lab.messages import Message, ModelResponse, ToolCall
from minagent_lab.model import ModelRequest
from minagent_lab.results import ToolResult
from minagent_lab.stepping.stepper import Stepper, Turn
from minagent_lab.views.html import Part
from minagent_lab.views.words import End, Sentence, end, name_of


class Told(NamedTuple):
    """What is told of a run: all text of it is redacted, its sizes are those of what was really sent."""

    model: str
    prompt: str
    system: str | None
    max_steps: int
    status: str
    turns: list[Turn]
    growth: list[Growth]
    end: End | None


def story_of(stepper: Stepper, redactor: Redactor) -> Told:
    """Return a run as far as it is recorded."""
    last = stepper.turns[-1] if stepper.turns else None
    ended = end(stepper, last) if last is not None and last.status != "running" else None
    known: dict[int, Message] = {}  # a message stands in many requests; it is redacted once

    def message_of(message: Message) -> Message:
        if id(message) not in known:
            known[id(message)] = _message(message, redactor)
        return known[id(message)]

    kept = [list(turn.request.messages) for turn in stepper.turns]  # so that no id is used twice
    turns = [
        Turn(
            turn.call,
            ModelRequest([message_of(message) for message in messages], redactor.data(turn.request.tools)),
            _response(turn.response, redactor),
            tuple(
                (_call(call, redactor), ToolResult(redactor.text(result.content), result.error))
                for call, result in turn.results
            ),
            turn.status,
            None,
            turn.item,
            tuple((redactor.text(who), redactor.text(text)) for who, text in turn.printed),
        )
        for turn, messages in zip(stepper.turns, kept, strict=True)
    ]
    return Told(
        redactor.text(name_of(stepper.model)),
        redactor.text(stepper.prompt),
        None if stepper.system is None else redactor.text(stepper.system),
        stepper.max_steps,
        stepper.status,
        turns,
        stepper.growth,
        _end(ended, redactor) if ended else None,
    )


def _message(message: Message, redactor: Redactor) -> Message:
    calls = [_call(call, redactor) for call in message.tool_calls]
    id = None if message.tool_call_id is None else redactor.text(message.tool_call_id)
    return Message(message.role, redactor.text(message.content), calls, id)


def _call(call: ToolCall, redactor: Redactor) -> ToolCall:
    return ToolCall(redactor.text(call.id), redactor.text(call.name), redactor.data(call.arguments))


def _response(response: ModelResponse | None, redactor: Redactor) -> ModelResponse | None:
    if response is None:
        return None
    message = _message(response.message, redactor)
    return ModelResponse(message, redactor.text(response.stop_reason), response.usage, redactor.text(response.model))


def _end(ended: End, redactor: Redactor) -> End:
    return End(
        ended.kind,
        redactor.text(ended.title),
        redactor.text(ended.text),
        [(label, _sentence(sentence, redactor)) for label, sentence in ended.facts],
        ended.cancelled,
    )


def _sentence(sentence: Sentence, redactor: Redactor) -> Sentence:
    return [
        Part(redactor.text(part.text), part.style) if isinstance(part, Part) else redactor.text(part)
        for part in sentence
    ]

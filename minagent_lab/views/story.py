"""A recorded run without its secrets: what the exported forms tell."""

from __future__ import annotations

import builtins
from typing import NamedTuple

from minagent_lab.fixtures.redact import Redactor
from minagent_lab.growth import Growth
from minagent_lab.messages import Message, ModelResponse, ToolCall
from minagent_lab.model import ModelRequest
from minagent_lab.results import ToolResult
from minagent_lab.stepping.stepper import Stepper, Turn
from minagent_lab.views.html import Part
from minagent_lab.views.words import End, Sentence, end, limit_of, name_of


class Told(NamedTuple):
    """What is told of a run: all text of it is redacted, its sizes are those of what was really sent."""

    model: str
    prompt: str
    system: str | None
    max_steps: int | None
    knows_tools: bool
    status: str
    turns: list[Turn]
    growth: list[Growth]
    end: End | None


def story_of(stepper: Stepper, redactor: Redactor) -> Told:
    """Return a run as far as it is recorded."""
    last = stepper.turns[-1] if stepper.turns else None
    ended = end(stepper, last) if last is not None and last.status != "running" else None
    clean = _Clean(redactor)
    kept = [list(turn.request.messages) for turn in stepper.turns]  # so that no id is used twice
    turns = [
        Turn(
            turn.call,
            ModelRequest([clean.message(message) for message in messages], redactor.data(turn.request.tools)),
            clean.response(turn.response),
            tuple(
                (clean.call(call), ToolResult(redactor.text(result.content), result.error))
                for call, result in turn.results
            ),
            turn.status,
            None,
            turn.item,
            tuple((clean.id(who), redactor.text(text)) for who, text in turn.printed),
        )
        for turn, messages in zip(stepper.turns, kept, strict=True)
    ]
    return Told(
        redactor.text(name_of(stepper.model)),
        redactor.text(stepper.prompt),
        None if stepper.system is None else redactor.text(stepper.system),
        limit_of(stepper),
        "tools" not in stepper.unknown,
        stepper.status,
        turns,
        stepper.growth,
        _end(ended, redactor) if ended else None,
    )


class _Clean:
    """Makes redacted copies. A message stands in many requests and is copied once; different ids stay different."""

    def __init__(self, redactor: Redactor) -> None:
        self._redactor = redactor
        self._ids: dict[str, str] = {}
        self._messages: dict[int, Message] = {}

    def id(self, id: str) -> str:
        if id not in self._ids:
            short, taken = self._redactor.text(id), set(self._ids.values())
            ways = (short if number == 1 else f"{short}-{number}" for number in range(1, len(taken) + 2))
            self._ids[id] = next(way for way in ways if way not in taken)
        return self._ids[id]

    def message(self, message: Message) -> Message:
        if builtins.id(message) not in self._messages:
            self._messages[builtins.id(message)] = self._copy(message)
        return self._messages[builtins.id(message)]

    def _copy(self, message: Message) -> Message:
        calls = [self.call(call) for call in message.tool_calls]
        id = None if message.tool_call_id is None else self.id(message.tool_call_id)
        return Message(message.role, self._redactor.text(message.content), calls, id)

    def call(self, call: ToolCall) -> ToolCall:
        return ToolCall(self.id(call.id), self._redactor.text(call.name), self._redactor.data(call.arguments))

    def response(self, response: ModelResponse | None) -> ModelResponse | None:
        if response is None:
            return None
        text = self._redactor.text
        return ModelResponse(
            self._copy(response.message), text(response.stop_reason), response.usage, text(response.model)
        )


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

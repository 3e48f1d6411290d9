"""The names under which a run is written down: those of OpenTelemetry's conventions for generative AI, if it has any.

Followed is version 1.41.0, in which all ``gen_ai.*`` names are still under development. What it has no name for stands
under ``minagent.*``. Two of its rules are kept on purpose: what is not known is left out, never written as zero; and a
message is a role with parts, so that other tools can show it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from minagent_lab.errors import MinAgentError, ProviderError
from minagent_lab.messages import Message, ModelResponse, ToolCall
from minagent_lab.results import LONGEST_MESSAGE

SCHEMA_URL = "https://opentelemetry.io/schemas/1.41.0"

EVENTS = frozenset(
    [
        *("run_started", "model_asked", "model_answered", "model_failed", "attempt_started", "attempt_failed"),
        *("tool_asked", "tool_answered", "run_ended"),
    ]
)
OPERATION = "gen_ai.operation.name"
INVOKE_AGENT, CHAT, EXECUTE_TOOL = "invoke_agent", "chat", "execute_tool"
REQUEST_MODEL, RESPONSE_MODEL = "gen_ai.request.model", "gen_ai.response.model"
FINISH_REASONS = "gen_ai.response.finish_reasons"
INPUT_MESSAGES, OUTPUT_MESSAGES = "gen_ai.input.messages", "gen_ai.output.messages"
TOOL_DEFINITIONS = "gen_ai.tool.definitions"
TOOL_NAME, TOOL_TYPE = "gen_ai.tool.name", "gen_ai.tool.type"
CALL_ID, CALL_ARGUMENTS, CALL_RESULT = "gen_ai.tool.call.id", "gen_ai.tool.call.arguments", "gen_ai.tool.call.result"
ERROR_TYPE, ERROR_MESSAGE = "error.type", "exception.message"

FORMAT, MAX_STEPS, CALL = "minagent.trace.format", "minagent.max_steps", "minagent.call"
KEPT, REST = "minagent.history.kept", "minagent.history.rest"  # how much is as before; what came after
STATUS, WITHHELD = "minagent.status", "minagent.withheld"
ATTEMPT, ATTEMPTS, WAIT = "minagent.attempt.number", "minagent.attempt.limit", "minagent.attempt.wait"
LAYER = "minagent.attempt.layer"  # of layers that retry, one round the other: from 1, the outermost, which is left out
_ERROR, _USAGE = "minagent.error.", "minagent.usage."
_USAGE_NAMES = {
    "input_tokens": "gen_ai.usage.input_tokens",
    "output_tokens": "gen_ai.usage.output_tokens",
    "cache_read_input_tokens": "gen_ai.usage.cache_read.input_tokens",
    "cache_creation_input_tokens": "gen_ai.usage.cache_creation.input_tokens",
}
KINDS: dict[str, Any] = {  # what is told apart, counted or joined by these has to be of its kind
    **dict.fromkeys((CALL, ATTEMPT, ATTEMPTS, LAYER), int),
    **dict.fromkeys((CALL_ID, TOOL_NAME, STATUS, ERROR_TYPE, REQUEST_MODEL, RESPONSE_MODEL), str),
    FINISH_REASONS: list,
}


# ---- messages and tools


def message_data(message: Message) -> dict[str, Any]:
    """Return a message as a role with parts.

    Examples
    --------
    >>> message_data(Message("tool", "5", tool_call_id="c1"))
    {'role': 'tool', 'parts': [{'type': 'tool_call_response', 'id': 'c1', 'response': '5'}]}
    """
    parts: list[dict[str, Any]] = []
    if message.role == "tool" or message.tool_call_id is not None:
        parts.append({"type": "tool_call_response", "id": message.tool_call_id, "response": message.content})
    elif message.content:
        parts.append({"type": "text", "content": message.content})
    calls = [{"type": "tool_call", "id": c.id, "name": c.name, "arguments": c.arguments} for c in message.tool_calls]
    return {"role": message.role, "parts": [*parts, *calls]}


def message_of(data: Mapping[str, Any]) -> Message:
    """Return the message that `message_data` made this of.

    Examples
    --------
    >>> message_of(message_data(Message("assistant", "Hi")))
    Message('assistant', 'Hi')
    """
    content, id, calls = "", None, []
    for part in data["parts"]:
        if part["type"] == "text":
            content = part["content"]
        elif part["type"] == "tool_call_response":
            content, id = part["response"], part["id"]
        elif part["type"] == "tool_call":
            calls.append(ToolCall(part["id"], part["name"], part["arguments"]))
    return Message(data["role"], content, tuple(calls), id)


def tool_definitions(tools: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the tools on offer as definitions of functions."""
    return [{"type": "function", **tool} for tool in tools]


def tools_of(definitions: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the tools that `tool_definitions` made these of."""
    return [{name: held for name, held in tool.items() if name != "type"} for tool in definitions]


# ---- responses and usage


def response_data(response: ModelResponse) -> dict[str, Any]:
    """Return what a response is written as."""
    message = {**message_data(response.message), "finish_reason": response.stop_reason}
    known = {RESPONSE_MODEL: response.model} if response.model else {}
    return {OUTPUT_MESSAGES: [message], FINISH_REASONS: [response.stop_reason], **known, **usage_data(response.usage)}


def response_of(event: Mapping[str, Any]) -> ModelResponse:
    """Return the response that `response_data` made this of."""
    (message,) = event[OUTPUT_MESSAGES]
    return ModelResponse(
        message_of(message), message["finish_reason"], usage_of(event), str(event.get(RESPONSE_MODEL, ""))
    )


def usage_data(usage: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is known of a usage, by its names there.

    Examples
    --------
    >>> usage_data({"input_tokens": 10, "thoughts": 2})
    {'gen_ai.usage.input_tokens': 10, 'minagent.usage.thoughts': 2}
    """
    return {_USAGE_NAMES.get(name, _USAGE + name): held for name, held in usage.items()}


def usage_of(event: Mapping[str, Any]) -> dict[str, Any]:
    """Return the usage that `usage_data` made this of; empty where nothing is known.

    A count of tokens that is none, since its digits were a secret and were taken out, is not known.
    """
    ours = {long: short for short, long in _USAGE_NAMES.items()}
    names = {name: ours.get(name, name.removeprefix(_USAGE)) for name in event}
    usage = {short: event[name] for name, short in names.items() if short != name}
    counted = ("input_tokens", "output_tokens")
    return {short: held for short, held in usage.items() if short not in counted or _is_count(held)}


def _is_count(held: Any) -> bool:
    return isinstance(held, int) and not isinstance(held, bool) and held >= 0


# ---- errors


def error_data(error: BaseException | None) -> dict[str, Any]:
    """Return what is known of an exception: its type, its text, and the facts that the package's own carry.

    Examples
    --------
    >>> from minagent_lab.errors import RateLimitError
    >>> error_data(RateLimitError("slow down", status_code=429))
    {'error.type': 'RateLimitError', 'exception.message': 'slow down', 'minagent.error.status_code': 429}
    """
    if error is None:
        return {}
    data: dict[str, Any] = {ERROR_TYPE: type(error).__name__}
    if text := _text_of(error):
        data[ERROR_MESSAGE] = text
    if isinstance(error, MinAgentError):
        facts = {name: str(held) if isinstance(held, Decimal) else held for name, held in vars(error).items()}
        data.update({_ERROR + name: held for name, held in facts.items() if _is_fact(held)})
    return data


def error_facts(event: Mapping[str, Any]) -> dict[str, Any]:
    """Return the facts that `error_data` has written."""
    return {name.removeprefix(_ERROR): held for name, held in event.items() if name.startswith(_ERROR)}


def _text_of(error: BaseException) -> str:
    try:
        # what a service told stands in the text of a ProviderError too; here it is written once
        text = str(error.args[0]) if isinstance(error, ProviderError) and error.args else str(error)
    except Exception:  # a broken __str__ must not end a run
        return ""
    return text if len(text) <= LONGEST_MESSAGE else f"{text[:LONGEST_MESSAGE]}… (cut, {len(text)} characters)"


def _is_fact(held: Any) -> bool:
    if isinstance(held, float):
        return math.isfinite(held)
    return isinstance(held, (str, int))

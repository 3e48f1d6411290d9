"""Chat Completions, the form of OpenAI and of most local servers: a request in its words, and its answer in ours."""

from __future__ import annotations

from typing import Any

from minagent_lab.errors import MalformedResponseError
from minagent_lab.messages import Message, ModelResponse
from minagent_lab.model import ModelRequest
from minagent_lab.providers.failures import told_error
from minagent_lab.providers.reply import Written, need, read_reply, read_usage
from minagent_lab.providers.sendable import sendable
from minagent_lab.values import dump_json

STOP_REASONS = {"stop": "end_turn", "tool_calls": "tool_use", "length": "max_tokens"}  # any other word is kept

_CACHED = ("prompt_tokens_details", "cached_tokens")  # the part of the prompt that the service had kept


def chat_request(request: ModelRequest) -> dict[str, Any]:
    """Return messages and tools in the words of Chat Completions.

    A message always has its ``content``, as text: ``""`` beside calls, where some servers refuse ``null`` and others a
    missing key. Arguments are the JSON text that the model would have written, in real characters.

    Examples
    --------
    >>> from minagent_lab import ToolCall
    >>> asked = Message("assistant", "", [ToolCall("c1", "weather", {"城市": "北京"})])
    >>> chat_request(ModelRequest([asked]))["messages"][0]["tool_calls"]
    [{'id': 'c1', 'type': 'function', 'function': {'name': 'weather', 'arguments': '{"城市":"北京"}'}}]
    """
    body: dict[str, Any] = {"messages": [_message(message) for message in request.messages]}
    if tools := request.tools:  # an empty list is refused
        body["tools"] = [{"type": "function", "function": _tool(sendable(tool))} for tool in tools]
    return body


def _message(message: Message) -> dict[str, Any]:
    row: dict[str, Any] = {"role": message.role, "content": message.content}
    if message.tool_call_id is not None:
        row["tool_call_id"] = message.tool_call_id
    if message.tool_calls:
        row["tool_calls"] = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": dump_json(call.arguments, compact=True)},
            }
            for call in message.tool_calls
        ]
    return row


def _tool(tool: dict[str, Any]) -> dict[str, Any]:
    parameters = tool.get("parameters")
    if isinstance(parameters, dict) and parameters.get("type") == "object":
        tool["parameters"] = {"properties": {}, **parameters}  # the service refuses an object without them
    return tool


def chat_response(body: dict[str, Any], turn: int) -> ModelResponse:
    """Return the response in a body of Chat Completions.

    Parameters
    ----------
    body
        The JSON object, or what a `ChatAssembler` made of a stream.
    turn
        How many messages the request had.

    Raises
    ------
    ProviderError
        The body tells an error, or it is malformed.

    Examples
    --------
    >>> message = {"role": "assistant", "content": "Hello."}
    >>> chat_response({"choices": [{"message": message, "finish_reason": "stop"}]}, turn=1)
    ModelResponse(Message('assistant', 'Hello.'))
    """
    if body.get("error"):
        raise told_error(body["error"])
    choices = need(body.get("choices"), list, "choices")
    if not choices:
        raise MalformedResponseError("choices is empty; there has to be one answer")
    choice = need(choices[0], dict, "choices[0]")
    message = need(choice.get("message"), dict, "message")
    refusal = _text(message, "refusal")
    calls = [_call(call) for call in need(message.get("tool_calls") or [], list, "tool_calls")]
    usage = read_usage(body.get("usage"), "prompt_tokens", "completion_tokens", cached=_CACHED)
    reason = "content_filter" if refusal else _stop_reason(choice)
    return read_reply(_text(message, "content") or refusal, calls, reason, usage, body.get("model"), turn)


def _stop_reason(choice: dict[str, Any]) -> str:
    reason = choice.get("finish_reason")
    if not isinstance(reason, str) or not reason:
        raise MalformedResponseError(f"finish_reason is {reason!r:.80}; without one nobody knows whether this is all")
    return STOP_REASONS.get(reason, reason)


def _text(message: dict[str, Any], name: str) -> str:
    text = message.get(name)
    return "" if text is None else need(text, str, name)


def _call(call: Any) -> Written:
    need(call, dict, "a tool call")
    function = call.get("function")
    if not isinstance(function, dict):
        raise MalformedResponseError(
            f"a tool call is of the type {call.get('type')!r:.80}; only functions were on offer"
        )
    return Written(call.get("id"), function.get("name"), function.get("arguments"))

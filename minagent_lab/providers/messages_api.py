"""Messages, the form of Anthropic: a request in its words, and its answer in ours.

It differs in four ways from Chat Completions: the system prompt stands beside the messages; a message is a list of
blocks; what tools returned comes in a user message; arguments are an object, not text.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from typing import Any

from minagent_lab.errors import MalformedResponseError
from minagent_lab.messages import Message, ModelResponse
from minagent_lab.model import ModelRequest
from minagent_lab.providers.failures import told_error
from minagent_lab.providers.reply import CACHED, Written, need, read_reply, read_usage
from minagent_lab.providers.sendable import sendable

STOP_REASONS = {  # any other word is kept
    "refusal": "content_filter",
    "model_context_window_exceeded": "max_tokens",  # cut as well, by a limit of another name
}
_APART = ("cache_creation_input_tokens", CACHED)  # were read too, and are counted apart


def messages_request(request: ModelRequest) -> dict[str, Any]:
    """Return messages and tools in the words of the Messages API.

    All system messages become one system prompt, wherever they stood. An assistant message with neither text nor calls
    is left out, since the service refuses an empty block.

    Examples
    --------
    >>> results = [Message("tool", "5", tool_call_id="c1"), Message("tool", "7", tool_call_id="c2")]
    >>> messages_request(ModelRequest([Message("system", "Be brief."), *results]))["messages"]
    [{'role': 'user', 'content': [{'type': 'tool_result', 'tool_use_id': 'c1', 'content': '5'}, \
{'type': 'tool_result', 'tool_use_id': 'c2', 'content': '7'}]}]
    """
    system = [message.content for message in request.messages if message.role == "system"]
    others = [message for message in request.messages if message.role != "system"]
    body: dict[str, Any] = {"messages": list(_rows(others))}
    if any(system):
        body["system"] = "\n\n".join(system)
    if tools := request.tools:
        body["tools"] = [_tool(sendable(tool)) for tool in tools]
    return body


def _rows(messages: list[Message]) -> Iterable[dict[str, Any]]:
    for is_tool, group in groupby(messages, key=lambda message: message.role == "tool"):
        if is_tool:
            yield {"role": "user", "content": [_result(message) for message in group]}
            continue
        for message in group:
            if message.tool_calls:
                yield {"role": message.role, "content": [*_texts(message), *_uses(message)]}
            elif message.content.strip() or message.role != "assistant":
                yield {"role": message.role, "content": message.content}


def _result(message: Message) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": message.tool_call_id, "content": message.content}


def _texts(message: Message) -> list[dict[str, Any]]:
    return [{"type": "text", "text": message.content}] if message.content.strip() else []


def _uses(message: Message) -> list[dict[str, Any]]:
    calls = message.tool_calls
    return [{"type": "tool_use", "id": c.id, "name": c.name, "input": sendable(c.arguments)} for c in calls]


def _tool(tool: dict[str, Any]) -> dict[str, Any]:
    return {"input_schema" if key == "parameters" else key: held for key, held in tool.items()}


def messages_response(body: dict[str, Any], turn: int) -> ModelResponse:
    """Return the response in a body of the Messages API.

    Parameters
    ----------
    body
        The JSON object, or what a `MessageAssembler` made of a stream.
    turn
        How many messages the request had.

    Raises
    ------
    ProviderError
        The body tells an error, or it is malformed.

    Examples
    --------
    >>> messages_response({"content": [{"type": "text", "text": "Hello."}], "stop_reason": "end_turn"}, turn=1)
    ModelResponse(Message('assistant', 'Hello.'))
    """
    if body.get("error"):
        raise told_error(body["error"])
    blocks = [need(block, dict, "a block of content") for block in need(body.get("content"), list, "content")]
    text = "".join(need(block.get("text"), str, "text") for block in blocks if block.get("type") == "text")
    uses = [block for block in blocks if block.get("type") == "tool_use"]
    calls = [Written(block.get("id"), block.get("name"), block.get("input")) for block in uses]
    reason = body.get("stop_reason")
    if not isinstance(reason, str) or not reason:
        raise MalformedResponseError(f"stop_reason is {reason!r:.80}; without one nobody knows whether this is all")
    usage = read_usage(body.get("usage"), "input_tokens", "output_tokens", _APART)
    return read_reply(text, calls, STOP_REASONS.get(reason, reason), usage, body.get("model"), turn)

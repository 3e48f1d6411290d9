"""Chat Completions: a request in its words as ours, and our answer in its words."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from minagent_lab.messages import Message
from minagent_lab.mockgpt.outputs import Failure
from minagent_lab.mockgpt.wire.answer import Answer, counts
from minagent_lab.mockgpt.wire.call_pieces import call_pieces, whole_call
from minagent_lab.mockgpt.wire.pieces import text_pieces
from minagent_lab.mockgpt.wire.reading import Read, made, need, need_some, one_choice, past_call, text_of
from minagent_lab.mockgpt.wire.words import OPENAI, Refused, openai_error
from minagent_lab.values import dump_json, storable

SERVICE = OPENAI
FINISH_REASONS = {"end_turn": "stop", "tool_use": "tool_calls", "max_tokens": "length"}  # any other word is kept
_ROLES = {"system": "system", "developer": "system", "user": "user", "assistant": "assistant", "tool": "tool"}
_TEXTS = ("text", "refusal")
_write = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


# ---- the request


def read(body: dict[str, Any]) -> Read:
    """Return a request, or refuse it as the service does."""
    model = body.get("model")
    if not isinstance(model, str) or not model or storable(model) != model:
        raise Refused("you must provide a model parameter")
    rows = need_some(body.get("messages"), "messages")
    messages = [_message(row, place) for place, row in enumerate(rows)]
    _check_history(messages)
    stream = need(body.get("stream") or False, bool, "stream")
    if body.get("stream_options") is not None and not stream:
        raise Refused(
            "The 'stream_options' parameter is only allowed when 'stream' is enabled.", param="stream_options"
        )
    one_choice(body)
    return Read(messages, _tools(body.get("tools")), model, stream)


def _message(row: Any, place: int) -> Message:
    where = f"messages[{place}]"
    role = need(need(row, dict, where).get("role"), str, f"{where}.role")
    if role not in _ROLES:
        raise Refused(
            f"Invalid value: '{role}'. Supported values are: 'system', 'assistant', 'user', 'tool', and 'developer'.",
            param=f"{where}.role",
            code="invalid_value",
        )
    content, calls = row.get("content"), row.get("tool_calls")
    if content is None and not (role == "assistant" and (calls or row.get("refusal") is not None)):
        raise Refused("Invalid value for 'content': expected a string, got null.", param=f"messages.[{place}].content")
    text = text_of("" if content is None else content, f"{where}.content", _TEXTS)
    if role == "tool":
        id = need(row.get("tool_call_id"), str, f"{where}.tool_call_id")
        return made(where, Message, "tool", text, (), id)
    wishes = [] if calls is None else [_call(call, f"{where}.tool_calls[{n}]") for n, call in _numbered(calls, where)]
    return made(where, Message, _ROLES[role], text, wishes)


def _numbered(calls: Any, where: str) -> Iterator[tuple[int, Any]]:
    return enumerate(need_some(calls, f"{where}.tool_calls"))


def _call(call: Any, where: str) -> Any:
    id = need(need(call, dict, where).get("id"), str, f"{where}.id")
    function = need(call.get("function"), dict, f"{where}.function")
    name = need(function.get("name"), str, f"{where}.function.name")
    return made(where, past_call, id, name, need(function.get("arguments"), str, f"{where}.function.arguments"))


def _check_history(messages: list[Message]) -> None:
    """Refuse a history in which calls and results do not belong together."""
    asked: list[str] = []
    waiting: list[str] = []
    for place, message in enumerate(messages):
        if message.role != "tool":
            _nothing_waiting(waiting, place)
            asked = [call.id for call in message.tool_calls]
            waiting = list(asked)
        elif not asked:
            raise Refused(
                "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with "
                "'tool_calls'.",
                param=f"messages.[{place}].role",
            )
        elif message.tool_call_id not in asked:
            raise Refused(
                f"Invalid parameter: 'tool_call_id' of '{message.tool_call_id}' not found in 'tool_calls' of previous "
                "message.",
                param=f"messages.[{place}].tool_call_id",
            )
        elif message.tool_call_id in waiting:
            waiting.remove(message.tool_call_id)
    _nothing_waiting(waiting, len(messages))


def _nothing_waiting(waiting: list[str], place: int) -> None:
    if waiting:
        raise Refused(
            "An assistant message with 'tool_calls' must be followed by tool messages responding to each "
            f"'tool_call_id'. The following tool_call_ids did not have response messages: {', '.join(waiting)}",
            param=f"messages.[{place}].role",
        )


def _tools(tools: Any) -> list[dict[str, Any]]:
    if tools is None:
        return []
    read = []
    for place, tool in enumerate(need_some(tools, "tools")):
        where = f"tools[{place}]"
        if need(tool, dict, where).get("type") == "function":
            function = need(tool.get("function"), dict, f"{where}.function")
            need(function.get("name"), str, f"{where}.function.name")
            read.append(function)
    return read


# ---- the answer


def whole(answer: Answer) -> bytes:
    """Return the body of an answer that comes whole."""
    usage = "" if answer.fault("odd_usage") == "absent" else f',"usage":{_usage(answer)}'
    reason = _write(_finish_reason(answer))
    return (
        f'{{{_head(answer, "chat.completion")},"choices":[{{"index":0,"message":{{"role":"assistant",'
        f'{_content(answer)}"refusal":null,"annotations":[]{_calls(answer)}}},"logprobs":null,"finish_reason":{reason}}}]{usage},'
        '"service_tier":"default","system_fingerprint":"fp_mockgpt"}'
    ).encode()


def _content(answer: Answer) -> str:
    content, calls = answer.output.content, answer.output.calls
    if content or not calls or answer.fault("odd_content") == "empty":
        return f'"content":{_write(content)},'
    return "" if answer.fault("odd_content") == "absent" else '"content":null,'


def _calls(answer: Answer) -> str:
    calls = [whole_call(answer, call, id) for call, id in zip(answer.output.calls, answer.ids(), strict=True)]
    return f',"tool_calls":{dump_json(calls, compact=True)}' if calls else ""


def events(answer: Answer) -> Iterator[bytes]:
    """Yield the events of an answer that is streamed."""
    chunk = _Chunks(answer)
    empty = answer.fault("empty_choices")
    if empty in ("first", "both"):
        yield chunk.without_choices("null")
    calls, absent = answer.output.calls, answer.fault("odd_content") == "absent"
    first: dict[str, Any] = {"role": "assistant", "content": "", "refusal": None}
    if calls and not answer.output.content:
        first["content"] = "" if answer.fault("odd_content") == "empty" else None
        if absent:
            del first["content"]
    yield chunk.of(first)
    yield from chunk.texts(answer.output.content)
    for entries in call_pieces(answer):
        yield chunk.of({"tool_calls": entries})
    if not answer.fault("no_finish"):
        yield chunk.of({}, _finish_reason(answer))
    if chunk.counted and answer.fault("odd_usage") != "absent":
        yield chunk.without_choices(_usage(answer))
    if empty in ("last", "both"):
        yield chunk.without_choices("null")
    yield b"data: [DONE]\n\n"


def failure() -> bytes:
    """Return the event in which a stream says that the service failed."""
    return f"data: {dump_json({'error': openai_error(Failure(500))}, compact=True)}\n\n".encode()


class _Chunks:
    """Writes chunks. What all of them have in common is written once: a stream is made of thousands."""

    def __init__(self, answer: Answer) -> None:
        options = answer.body.get("stream_options")
        self.counted = isinstance(options, dict) and options.get("include_usage") is True
        self._size = answer.chunk_size
        named = '"service_tier":"default","system_fingerprint":"fp_mockgpt"'
        self._head = f'data: {{{_head(answer, "chat.completion.chunk")},{named},"choices":['.encode()
        self._tail = b'],"usage":null}\n\n' if self.counted else b"]}\n\n"

    def of(self, delta: dict[str, Any], finish_reason: str | None = None) -> bytes:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish_reason}
        return self._head + dump_json(choice, compact=True).encode() + self._tail

    def texts(self, text: str) -> Iterator[bytes]:
        before = self._head + b'{"index":0,"delta":{"content":'
        after = b'},"logprobs":null,"finish_reason":null}' + self._tail
        for piece in text_pieces(text, self._size):
            yield before + _write(piece).encode() + after

    def without_choices(self, usage: str) -> bytes:
        return self._head + f'],"usage":{usage}}}\n\n'.encode()


def _head(answer: Answer, kind: str) -> str:
    model = _write(answer.model)
    return f'"id":"chatcmpl-{answer.number}","object":"{kind}","created":{answer.created},"model":{model}'


def _finish_reason(answer: Answer) -> str | None:
    return None if answer.fault("no_finish") else FINISH_REASONS.get(answer.output.reason, answer.output.reason)


def _usage(answer: Answer) -> str:
    """Return the usage as JSON."""
    odd = answer.fault("odd_usage")
    told = counts(answer.usage, "prompt_tokens", "completion_tokens", odd)
    if told is None:
        return "null"
    if len(told) == 2 and odd is None:
        told["total_tokens"] = told["prompt_tokens"] + told["completion_tokens"]
    counted = _write(told)[1:-1]
    read, written = ("null", "null") if odd == "details" else ('{"cached_tokens":0}', '{"reasoning_tokens":0}')
    comma = "," if counted else ""
    return f'{{{counted}{comma}"prompt_tokens_details":{read},"completion_tokens_details":{written}}}'

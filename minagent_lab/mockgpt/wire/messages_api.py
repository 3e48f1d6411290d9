"""Messages, the form of Anthropic: a request in its words as ours, and our answer in its words."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from minagent_lab.messages import Message, ToolCall
from minagent_lab.mockgpt.outputs import Failure
from minagent_lab.mockgpt.wire.answer import Answer, counts
from minagent_lab.mockgpt.wire.pieces import text_pieces
from minagent_lab.mockgpt.wire.reading import Read, past_call
from minagent_lab.mockgpt.wire.travel import named_event
from minagent_lab.mockgpt.wire.words import ANTHROPIC, Refused, anthropic_error
from minagent_lab.values import dump_json, storable

SERVICE = ANTHROPIC
STOP_REASONS = {"content_filter": "refusal"}  # any other word is kept
_write = json.JSONEncoder(ensure_ascii=False).encode


# ---- the request


def read(body: dict[str, Any]) -> Read:
    """Return a request, or refuse it as the service does."""
    for name, kind in (("model", str), ("messages", list), ("max_tokens", int)):
        _need(body.get(name), kind, name)
    rows = body["messages"]
    if not rows:
        raise Refused("messages: at least one message is required")
    system = _texts(body.get("system") or "", "system")
    messages = [Message("system", system)] if system else []
    asked: list[str] = []
    for place, row in enumerate(rows):
        read, asked = _row(row, f"messages.{place}", asked)
        messages += read
    if asked:
        raise _unanswered(f"messages.{len(rows) - 1}", asked)
    return Read(
        messages, _tools(body.get("tools")), storable(body["model"]), _need(body.get("stream") or False, bool, "stream")
    )


def _need(held: Any, kind: type, where: str) -> Any:
    if isinstance(held, kind) and (kind is bool or not isinstance(held, bool)):
        return held
    word = {str: "string", list: "list", int: "integer", dict: "dictionary", bool: "boolean"}[kind]
    raise Refused(f"{where}: Field required" if held is None else f"{where}: Input should be a valid {word}")


def _row(row: Any, where: str, asked: list[str]) -> tuple[list[Message], list[str]]:
    """Return the messages in a row, and the ids of the calls that the next row has to answer."""
    role = _need(_need(row, dict, where).get("role"), str, f"{where}.role")
    if role == "system":
        raise Refused(
            'messages: Unexpected role "system". The Messages API accepts a top-level `system` parameter, not "system" '
            "as an input message role."
        )
    if role not in ("user", "assistant"):
        raise Refused(f"{where}.role: Input should be 'user' or 'assistant'")
    content = row.get("content")
    blocks = (
        [{"type": "text", "text": content}] if isinstance(content, str) else _need(content, list, f"{where}.content")
    )
    results = [_result(block, f"{where}.content.{n}", asked) for n, block in _of_type(blocks, "tool_result", where)]
    answered = [message.tool_call_id for message in results]
    if missing := [id for id in asked if id not in answered]:
        raise _unanswered(f"messages.{int(where.partition('.')[2]) - 1}", missing)
    uses = [_use(block, f"{where}.content.{n}") for n, block in _of_type(blocks, "tool_use", where)]
    text = _texts(blocks, f"{where}.content")
    if role == "user":
        return results + ([Message("user", text)] if text or not results else []), []
    return [_made(where, Message, "assistant", text, uses)], [use.id for use in uses]


def _of_type(blocks: list[Any], kind: str, where: str) -> Iterator[tuple[int, dict[str, Any]]]:
    for number, block in enumerate(blocks):
        if _need(block, dict, f"{where}.content.{number}").get("type") == kind:
            yield number, block


def _unanswered(where: str, ids: list[str]) -> Refused:
    return Refused(
        f"{where}: `tool_use` ids were found without `tool_result` blocks immediately after: {', '.join(ids)}. Each "
        "`tool_use` block must have a corresponding `tool_result` block in the next message."
    )


def _result(block: dict[str, Any], where: str, asked: list[str]) -> Message:
    id = _need(block.get("tool_use_id"), str, f"{where}.tool_result.tool_use_id")
    if id not in asked:
        raise Refused(
            f"{where}: unexpected `tool_use_id` found in `tool_result` blocks: {id}. Each `tool_result` block must "
            "have a corresponding `tool_use` block in the previous message."
        )
    result: Message = _made(where, Message, "tool", _texts(block.get("content") or "", where), (), id)
    return result


def _use(block: dict[str, Any], where: str) -> ToolCall:
    id, name = (_need(block.get(field), str, f"{where}.tool_use.{field}") for field in ("id", "name"))
    call: ToolCall = _made(where, past_call, id, name, _need(block.get("input"), dict, f"{where}.tool_use.input"))
    return call


def _made(where: str, make: Any, *held: Any) -> Any:
    try:
        return make(*held)
    except (TypeError, ValueError) as problem:
        raise Refused(f"{where}: {problem}") from None


def _texts(content: Any, where: str) -> str:
    """Return the text in a content: itself, or its blocks that are text; an empty block is refused as there."""
    if isinstance(content, str):
        return content
    blocks = _of_type(_need(content, list, where), "text", where)
    texts = [_need(block.get("text"), str, f"{where}.text") for _, block in blocks]
    if not all(texts) and not (len(texts) == 1 and len(content) == 1):
        raise Refused("messages: text content blocks must be non-empty")
    return "\n".join(texts)


def _tools(tools: Any) -> list[dict[str, Any]]:
    read = []
    for place, tool in enumerate(_need(tools or [], list, "tools")):
        if _need(tool, dict, f"tools.{place}").get("type", "custom") == "custom":
            _need(tool.get("name"), str, f"tools.{place}.custom.name")
            read.append({"parameters" if key == "input_schema" else key: held for key, held in tool.items()})
    return read


# ---- the answer


def whole(answer: Answer) -> bytes:
    """Return the body of an answer that comes whole."""
    blocks = [dump_json({"type": "text", "text": answer.output.content}, compact=True)] if answer.output.content else []
    blocks += [_use_block(answer, call, id) for call, id in zip(answer.output.calls, answer.ids(), strict=True)]
    head = dump_json({**_head(answer), "stop_reason": _stop_reason(answer), "stop_sequence": None}, compact=True)
    usage = ""
    if answer.fault("odd_usage") != "absent":
        usage = f',"usage":{dump_json(_usage(answer), compact=True)}'
    return f'{head[:-1]},"content":[{",".join(blocks)}]{usage}}}'.encode()


def _use_block(answer: Answer, call: ToolCall, id: str | None) -> str:
    begin = dump_json({"type": "tool_use", **({} if id is None else {"id": id}), "name": call.name}, compact=True)
    blank = answer.fault("blank_arguments")
    if blank == "absent":
        return begin
    return f'{begin[:-1]},"input":{"null" if blank == "null" else _as_json(answer.arguments(call))}}}'


def _as_json(written: str) -> str:
    """Return what a model wrote as it stands where JSON has to stand: itself if it is JSON, or else as a text."""
    try:
        json.loads(written)
    except ValueError:
        return dump_json(written)
    return written


def events(answer: Answer) -> Iterator[bytes]:
    """Yield the events of an answer that is streamed."""
    usage = _usage(answer)
    told = {} if answer.fault("odd_usage") == "absent" else {"usage": usage and _begun(usage)}
    message = {**_head(answer), "content": [], "stop_reason": None, "stop_sequence": None, **told}
    yield _event("message_start", message=message)
    number = 0
    if answer.output.content:
        yield from _text_events(answer)
        number = 1
    for call, id in zip(answer.output.calls, answer.ids(), strict=True):
        yield from _use_events(answer, number, call, id)
        number += 1
    delta = {"stop_reason": _stop_reason(answer), "stop_sequence": None}
    end = {} if answer.fault("odd_usage") == "absent" else {"usage": usage and _ended(usage)}
    yield _event("message_delta", delta=delta, **end)
    yield _event("message_stop")


def _text_events(answer: Answer) -> Iterator[bytes]:
    yield _event("content_block_start", index=0, content_block={"type": "text", "text": ""})
    yield _event("ping")
    before = b'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,'
    before += b'"delta":{"type":"text_delta","text":'
    for piece in text_pieces(answer.output.content, answer.chunk_size):
        yield before + _write(piece).encode() + b"}}\n\n"
    yield _event("content_block_stop", index=0)


def _use_events(answer: Answer, number: int, call: ToolCall, id: str | None) -> Iterator[bytes]:
    blank = answer.fault("blank_arguments")
    begin: dict[str, Any] = {} if blank == "absent" else {"input": None if blank == "null" else {}}
    named = {"type": "tool_use", **({} if id is None else {"id": id}), "name": call.name}
    yield _event("content_block_start", index=number, content_block={**named, **begin})
    if blank not in ("null", "absent"):
        for piece in ("", *text_pieces(answer.arguments(call), answer.chunk_size)):
            delta = {"type": "input_json_delta", "partial_json": piece}
            yield _event("content_block_delta", index=number, delta=delta)
    yield _event("content_block_stop", index=number)


def failure() -> bytes:
    """Return the event in which a stream says that the service failed."""
    return _event("error", error=anthropic_error(Failure(529)))


def _event(kind: str, **told: Any) -> bytes:
    return named_event(kind, dump_json({"type": kind, **told}, compact=True))


def _head(answer: Answer) -> dict[str, Any]:
    return {"id": f"msg_{answer.number}", "type": "message", "role": "assistant", "model": answer.model}


def _stop_reason(answer: Answer) -> str | None:
    return None if answer.fault("no_finish") else STOP_REASONS.get(answer.output.reason, answer.output.reason)


def _usage(answer: Answer) -> dict[str, Any] | None:
    told = counts(answer.usage, "input_tokens", "output_tokens", answer.fault("odd_usage"))
    if told is not None and answer.fault("odd_usage") == "details":
        told |= {"cache_creation_input_tokens": None, "cache_read_input_tokens": None}
    return told


def _begun(usage: dict[str, Any]) -> dict[str, Any]:
    """Return what is counted when the answer begins."""
    return {name: min(held, 1) if name == "output_tokens" else held for name, held in usage.items()}


def _ended(usage: dict[str, Any]) -> dict[str, Any]:
    return {name: held for name, held in usage.items() if name == "output_tokens"}

"""The Responses API: a request in its words as ours, and our answer in its words.

What a request left out and got from the service, such as the answers before it, is not kept here: a request says all.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import count
from typing import Any

from minagent_lab.messages import Message, ToolCall
from minagent_lab.mockgpt.outputs import Failure
from minagent_lab.mockgpt.wire.answer import Answer, counts
from minagent_lab.mockgpt.wire.pieces import text_pieces
from minagent_lab.mockgpt.wire.reading import Read, made, need, past_call, text_of
from minagent_lab.mockgpt.wire.travel import named_event
from minagent_lab.mockgpt.wire.words import OPENAI, Refused, openai_error
from minagent_lab.values import dump_json, storable

SERVICE = OPENAI
_INCOMPLETE = {"max_tokens": "max_output_tokens", "content_filter": "content_filter"}
_ROLES = {"system": "system", "developer": "system", "user": "user", "assistant": "assistant"}
_TEXTS = ("input_text", "output_text", "text", "refusal")
_ECHOED: dict[str, Any] = {  # what a response repeats of its request, and what it says where the request was silent
    "instructions": None,
    "max_output_tokens": None,
    "metadata": {},
    "parallel_tool_calls": True,
    "previous_response_id": None,
    "reasoning": {"effort": None, "summary": None},
    "store": True,
    "temperature": 1.0,
    "text": {"format": {"type": "text"}},
    "tool_choice": "auto",
    "tools": [],
    "top_p": 1.0,
    "truncation": "disabled",
    "user": None,
}
_write = json.JSONEncoder(ensure_ascii=False).encode


# ---- the request


def read(body: dict[str, Any]) -> Read:
    """Return a request, or refuse it as the service does."""
    model = storable(need(body.get("model"), str, "model"))
    if (before := body.get("previous_response_id")) is not None:
        raise Refused(
            f"Previous response with id '{before}' not found.",
            param="previous_response_id",
            code="previous_response_not_found",
        )
    asked = body.get("input")
    items = asked if isinstance(asked, list) else [{"role": "user", "content": need(asked, str, "input")}]
    messages = _messages(items)
    if body.get("instructions"):
        messages.insert(0, made("instructions", Message, "system", need(body["instructions"], str, "instructions")))
    return Read(messages, _tools(body.get("tools")), model, need(body.get("stream") or False, bool, "stream"))


def _messages(items: list[Any]) -> list[Message]:
    """Return the items of an input as messages: what an answer said and called in a row is one message."""
    messages: list[Message] = []
    asked: list[str] = []
    for place, item in enumerate(items):
        where = f"input[{place}]"
        kind = need(item, dict, where).get("type", "message")
        if kind == "function_call":
            call = _call(item, where)
            asked.append(call.id)
            _said(messages, where, "", [call])
        elif kind == "function_call_output":
            messages.append(_result(item, where, asked))
        elif kind == "message":
            role = need(item.get("role"), str, f"{where}.role")
            if role not in _ROLES:
                raise Refused(
                    f"Invalid value: '{role}'. Supported values are: 'assistant', 'system', 'developer', and 'user'.",
                    param=f"{where}.role",
                    code="invalid_value",
                )
            text = text_of(item.get("content"), f"{where}.content", _TEXTS)
            if role == "assistant":
                _said(messages, where, text, [])
            else:
                messages.append(made(where, Message, _ROLES[role], text))
    answered = {message.tool_call_id for message in messages}
    if missing := next((id for id in asked if id not in answered), None):
        raise Refused(f"No tool output found for function call {missing}.", param="input")
    return messages


def _said(messages: list[Message], where: str, text: str, calls: list[ToolCall]) -> None:
    if messages and messages[-1].role == "assistant":
        last = messages.pop()
        text = "\n".join(said for said in (last.content, text) if said)
        calls = [*last.tool_calls, *calls]
    messages.append(made(where, Message, "assistant", text, calls))


def _call(item: dict[str, Any], where: str) -> ToolCall:
    id, name, arguments = (need(item.get(f), str, f"{where}.{f}") for f in ("call_id", "name", "arguments"))
    return made(where, past_call, id, name, arguments)


def _result(item: dict[str, Any], where: str, asked: list[str]) -> Message:
    id = need(item.get("call_id"), str, f"{where}.call_id")
    if id not in asked:
        raise Refused(f"No tool call found for function call output with call_id {id}.", param="input")
    return made(where, Message, "tool", text_of(item.get("output"), f"{where}.output", _TEXTS), (), id)


def _tools(tools: Any) -> list[dict[str, Any]]:
    read = []
    for place, tool in enumerate(need([] if tools is None else tools, list, "tools")):
        where = f"tools[{place}]"
        if need(tool, dict, where).get("type") == "function":
            need(tool.get("name"), str, f"{where}.name")
            read.append({key: held for key, held in tool.items() if key != "type"})
    return read


# ---- the answer


def whole(answer: Answer) -> bytes:
    """Return the body of an answer that comes whole."""
    return dump_json(_response(answer, [*_items(answer)], done=True), compact=True).encode()


def events(answer: Answer) -> Iterator[bytes]:
    """Yield the events of an answer that is streamed."""
    number = count()

    def event(kind: str, **told: Any) -> bytes:
        return named_event(kind, dump_json({"type": kind, "sequence_number": next(number), **told}, compact=True))

    yield event("response.created", response=_response(answer, [], done=False))
    yield event("response.in_progress", response=_response(answer, [], done=False))
    items = list(_items(answer))
    for place, item in enumerate(items):
        pieces = _text_events if item["type"] == "message" else _call_events
        yield from pieces(answer, event, number, place, item)
    response = _response(answer, items, done=True)
    yield event(f"response.{response['status']}", response=response)


def _text_events(answer: Answer, event: Any, number: Any, place: int, item: dict[str, Any]) -> Iterator[bytes]:
    where = {"item_id": item["id"], "output_index": place, "content_index": 0}
    part = item["content"][0]
    yield event("response.output_item.added", output_index=place, item={**item, "status": "in_progress", "content": []})
    yield event("response.content_part.added", **where, part={**part, "text": ""})
    kind = "response.output_text.delta"
    tail = dump_json({**where, "logprobs": []}, compact=True)[1:]
    for piece in text_pieces(part["text"], answer.chunk_size):
        head = f'{{"type":"{kind}","sequence_number":{next(number)},"delta":'
        yield named_event(kind, f"{head}{_write(piece)},{tail}")
    yield event("response.output_text.done", **where, text=part["text"], logprobs=[])
    yield event("response.content_part.done", **where, part=part)
    yield event("response.output_item.done", output_index=place, item=item)


def _call_events(answer: Answer, event: Any, _: Any, place: int, item: dict[str, Any]) -> Iterator[bytes]:
    where = {"item_id": item["id"], "output_index": place}
    arguments = item.get("arguments")
    begun = {**item, "status": "in_progress", **({"arguments": ""} if isinstance(arguments, str) else {})}
    yield event("response.output_item.added", output_index=place, item=begun)
    if isinstance(arguments, str):
        for piece in text_pieces(arguments, answer.chunk_size):
            yield event("response.function_call_arguments.delta", **where, delta=piece)
        yield event("response.function_call_arguments.done", **where, arguments=arguments)
    yield event("response.output_item.done", output_index=place, item=item)


def failure() -> bytes:
    """Return the event in which a stream says that the service failed."""
    told = openai_error(Failure(500))
    return named_event("error", dump_json({**told, "type": "error", "code": "server_error", "sequence_number": 0}))


def _items(answer: Answer) -> Iterator[dict[str, Any]]:
    output, blank = answer.output, answer.fault("blank_arguments")
    status = "incomplete" if output.reason in _INCOMPLETE else "completed"
    if output.content or not output.calls:
        part = {"type": "output_text", "annotations": [], "logprobs": [], "text": output.content}
        yield {
            "id": f"msg_{answer.number}",
            "type": "message",
            "status": status,
            "role": "assistant",
            "content": [part],
        }
    for place, (call, id) in enumerate(zip(output.calls, answer.ids(), strict=True)):
        item = {"id": f"fc_{answer.number}{place}", "type": "function_call", "status": status, "name": call.name}
        if id is not None:
            item["call_id"] = id
        if blank != "absent":
            item["arguments"] = None if blank == "null" else answer.arguments(call)  # type: ignore[assignment]
        yield item


def _response(answer: Answer, items: list[dict[str, Any]], *, done: bool) -> dict[str, Any]:
    reason = _INCOMPLETE.get(answer.output.reason) if done else None
    response = {
        "id": f"resp_{answer.number}",
        "object": "response",
        "created_at": answer.created,
        "status": "in_progress" if not done else "incomplete" if reason else "completed",
        "background": False,
        "error": None,
        "incomplete_details": None if reason is None else {"reason": reason},
        "model": answer.model,
        "output": items,
        **{name: told if answer.body.get(name) is None else answer.body[name] for name, told in _ECHOED.items()},
    }
    if not done or answer.fault("odd_usage") != "absent":
        response["usage"] = _usage(answer) if done else None
    return response


def _usage(answer: Answer) -> dict[str, Any] | None:
    told = counts(answer.usage, "input_tokens", "output_tokens", answer.fault("odd_usage"))
    if told is None:
        return None
    details = answer.fault("odd_usage") != "details"
    if all(isinstance(held, int) for held in told.values()):
        told["total_tokens"] = sum(told.values())
    told["input_tokens_details"] = {"cached_tokens": 0} if details else None
    told["output_tokens_details"] = {"reasoning_tokens": 0} if details else None
    return told

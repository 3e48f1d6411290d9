"""The script of a playbook, in the words of a fixture, and shorter: the kind of an item may be left out.

What is wrong with it is told with its place, all of it at once.
"""

from __future__ import annotations

import difflib
from typing import Any

from minagent_lab.messages import Message, ModelResponse, ToolCall
from minagent_lab.stepping.placed_json import Node, line_of
from minagent_lab.stepping.reading import Reading, kind

KINDS = {"text": ("content",), "tool_call": ("call", "calls"), "response": ()}
RESPONSE = ("content", "call", "calls", "stop_reason", "usage", "model")


def read_script(reading: Reading, node: Node) -> list[Any]:
    """Read the script: a list of items."""
    if not isinstance(node.data, list):
        turns = "; of a fixture, only what stands after turns" if "turns" in node.fields else ""
        reading.tell(node.start, f"the script is {kind(node.data)}; write a list of items: [...]{turns}")
        return []
    calls: dict[str, tuple[ToolCall, int]] = {}
    return [_item(reading, item, calls) for item in node.items]


def _item(reading: Reading, node: Node, seen: dict[str, tuple[ToolCall, int]]) -> Any:
    if isinstance(node.data, str):
        return node.data
    if isinstance(node.data, list):
        return _calls(reading, node, seen)
    if not isinstance(node.data, dict):
        shapes = 'text in quotes, or {"call": {"id": "c1", "name": …, "arguments": {…}}}'
        reading.tell(node.start, f"an item of a script is {kind(node.data)}; write {shapes}")
        return None
    turn = _kind_of(reading, node)
    if turn is None:
        return None
    known = KINDS[turn] or RESPONSE
    shown = Node(node.data, node.start, node.end, [], dict(node.fields), node.keys)
    shown.fields.pop("kind", None)
    fields = reading.fields(shown, known, ("content",) if turn == "text" else ()) or {}
    if not fields:
        if turn == "tool_call" or (turn == "response" and not shown.fields):
            reading.tell(node.start, 'this item says nothing; write "content": text, or "call": {…}')
        return None
    return _response(reading, node, fields, turn, seen)


def _kind_of(reading: Reading, node: Node) -> str | None:
    """Return the kind of an item. A fixture names it; here it may be left out, and the fields tell."""
    if "kind" not in node.fields:
        return "response"
    named = node.fields["kind"]
    if isinstance(named.data, str) and named.data in KINDS:
        return named.data
    near = difflib.get_close_matches(str(named.data), KINDS, n=1)
    hint = f'did you mean "{near[0]}"?' if near else f"use {', '.join(KINDS)}, or leave it out"
    error = "; an error of a provider is played by FakeModelProvider" if named.data == "error" else ""
    shown = f'"{named.data:.40}"' if isinstance(named.data, str) else kind(named.data)
    reading.tell(named.start, f"unknown kind of item, {shown}; {hint}{error}")
    return None


def _response(reading: Reading, node: Node, fields: dict[str, Node], turn: str, seen: dict[str, Any]) -> Any:
    calls: list[ToolCall] = []
    if "call" in fields:
        if "calls" in fields:
            reading.tell(node.keys["call"], '"call" and "calls" stand in one item; write all of them in "calls"')
        calls = _each_call(reading, [fields["call"]], seen)
    elif "calls" in fields:
        calls = _calls(reading, fields["calls"], seen)
    content = reading.typed(fields, "content", str, "text in quotes", "")
    usage = reading.typed(fields, "usage", dict, '{"input_tokens": 12, "output_tokens": 3}', {})
    model = reading.typed(fields, "model", str, "text in quotes", "")
    fixture = turn == "response" and "kind" in node.fields  # there, a response says end_turn unless it says something
    reason = reading.typed(fields, "stop_reason", str, 'text such as "end_turn"')
    reason = reason or ("tool_use" if calls and not fixture else "end_turn")
    if "stop_reason" in fields and fields["stop_reason"].data == "":
        reading.tell(fields["stop_reason"].start, '"stop_reason" is empty; write "end_turn", "max_tokens" …')
    if calls and not content and reason == "tool_use" and not usage and not model:
        return calls
    message = Message("assistant", content, calls)
    if not calls and reason == "end_turn" and not usage and not model:
        return content
    return reading.made(fields.get("usage", node), ModelResponse, message, reason, usage, model)


def _calls(reading: Reading, node: Node, seen: dict[str, Any]) -> list[ToolCall]:
    if not isinstance(node.data, list) or not node.items:
        empty = "an empty list" if node.data == [] else kind(node.data)
        reading.tell(node.start, f'calls are {empty}; write a list of one or more: [{{"id": "c1", "name": …}}]')
        return []
    return _each_call(reading, node.items, seen)


def _each_call(reading: Reading, nodes: list[Node], seen: dict[str, Any]) -> list[ToolCall]:
    """Read the calls of one message. An id stands for one call; the very same call may come again in a later one."""
    calls: list[ToolCall] = []
    for node in nodes:
        inner = node.fields["call"] if isinstance(node.data, dict) and list(node.fields) == ["call"] else node
        call = _call(reading, inner)
        if call is None:
            continue
        place = inner.fields["id"].start
        known, first = seen.setdefault(call.id, (call, place))
        if call.id in {one.id for one in calls} or known != call:
            line, _ = line_of(reading.text, first)
            reading.tell(
                place, f'the id "{call.id:.40}" belongs to another call, in line {line}; give this one its own'
            )
        else:
            calls.append(call)
    return calls


def _call(reading: Reading, node: Node) -> ToolCall | None:
    fields = reading.fields(node, ("id", "name", "arguments"), ("id", "name", "arguments"))
    if fields is None or len(fields) < 3:
        return None
    id = reading.typed(fields, "id", str, 'text such as "c1"')
    name = reading.typed(fields, "name", str, "the name of a tool, in quotes")
    arguments = reading.typed(fields, "arguments", dict, "an object, {} for none")
    for field, text in (("id", id), ("name", name)):
        if text == "":
            reading.tell(fields[field].start, f'"{field}" is empty; give it some text')
    if not id or not name or arguments is None:
        return None
    made: ToolCall | None = reading.made(fields["arguments"], ToolCall, id, name, arguments)
    return made

"""Tool calls of Chat Completions: whole, and in the pieces of a stream, also in the odd ways that some servers have."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest
from typing import Any

from minagent_lab.messages import ToolCall
from minagent_lab.mockgpt.wire.answer import Answer
from minagent_lab.mockgpt.wire.pieces import text_pieces

Entry = dict[str, Any]


def whole_call(answer: Answer, call: ToolCall, id: str | None) -> Entry:
    """Return a call as it stands in an answer that comes whole."""
    entry: Entry = {} if id is None else {"id": id}
    return {**entry, "type": "function", "function": {"name": call.name, **_arguments(answer, call)}}


def _arguments(answer: Answer, call: ToolCall) -> Entry:
    blank = answer.fault("blank_arguments")
    if blank == "absent":
        return {}
    return {"arguments": None if blank == "null" else answer.arguments(call)}


def call_pieces(answer: Answer) -> Iterator[list[Entry]]:
    """Yield what the chunks of a stream hold of its calls: mostly one piece of one call.

    A call begins with its index, id and name, and goes on with pieces of its arguments under its index.
    """
    style = answer.fault("delta_style")
    calls = [
        [_styled(entry, place, id, style, first=not number) for number, entry in enumerate(_entries(answer, call, id))]
        for place, (call, id) in enumerate(zip(answer.output.calls, answer.ids(), strict=True))
    ]
    if style == "interleaved":
        for row in zip_longest(*calls):
            yield from ([entry] for entry in row if entry is not None)
        return
    for entries in calls:
        if style == "two_entries":
            yield entries[:2]
        yield from ([entry] for entry in (entries[2:] if style == "two_entries" else entries))


def _entries(answer: Answer, call: ToolCall, id: str | None) -> Iterator[Entry]:
    """Yield the pieces of a call, without the index."""
    style, blank = answer.fault("delta_style"), answer.fault("blank_arguments")
    half = len(call.name) // 2 if style == "split_name" else len(call.name)
    begin: Entry = {} if id is None else {"id": id}
    function: Entry = {"name": call.name[: half or 1], "arguments": None if style == "null_arguments" else ""}
    if blank in ("null", "absent"):
        function = {"name": call.name, **({"arguments": None} if blank == "null" else {})}
    yield {**begin, "type": "function", "function": function}
    if style == "split_name" and call.name[half or 1 :]:
        yield {"function": {"name": call.name[half or 1 :]}}
    if blank in ("null", "absent"):
        return
    for piece in text_pieces(answer.arguments(call), answer.chunk_size):
        if style == "null_arguments":
            yield {"function": {"arguments": None}}
        yield {"function": {"arguments": piece}}


def _styled(entry: Entry, place: int, id: str | None, style: str | None, *, first: bool) -> Entry:
    if style == "repeated_id" and id is not None:
        entry = {"id": id, **entry}
    if style == "no_index" or (style == "index_once" and not first):
        return entry
    return {"index": place + (style == "one_based"), **entry}

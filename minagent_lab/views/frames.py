"""What the panel is given: the facts of a run, its blocks, and a frame for the call that is shown."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from minagent_lab.growth import Growth, history_growth
from minagent_lab.model import ModelRequest
from minagent_lab.stepping.fields import script_of
from minagent_lab.stepping.stepper import Stepper
from minagent_lab.views import blocks
from minagent_lab.views.html import bold, escape, quoted, rich
from minagent_lab.views.source import loop_lines, loop_source
from minagent_lab.views.words import (
    Sentence,
    at_most,
    count,
    items_used,
    limit_of,
    lines_note,
    name_of,
    position,
    script_length,
    sees,
    short,
)

Items = dict[str, list[Any]]


def facts_of(stepper: Stepper, scale: float) -> dict[str, Any]:
    """Return what does not change while a run is stepped."""
    length = script_length(stepper.model)
    return {
        "max": calls_shown(stepper),
        "limit": at_most(limit_of(stepper)),
        "model": f"model {quoted(name_of(stepper.model))}",
        "script": count(length, "item") if length else "",
        "scale": scale,
        "about": short(stepper.prompt),
    }


def items_of(stepper: Stepper) -> Items:
    """Return all blocks of a run, as far as it is recorded."""
    script = script_of(stepper.model) or []
    first = request_shown(stepper, 0)
    rows = [blocks.message_row(number, message) for number, message in enumerate(first.messages, 1)]
    items: Items = {
        "rows": [blocks.tools_row(None if "tools" in stepper.unknown else first.tools), *rows],
        "answers": [blocks.WAITING],
        "columns": [],
        "script": [blocks.script_row(number, item) for number, item in enumerate(script, 1)],
        "source": [blocks.source_line(line) for line in loop_source()],
    }
    for name, block in new_blocks(stepper, items):
        items[name].append(block)
    return items


def new_blocks(stepper: Stepper, items: Items) -> Iterator[tuple[str, Any]]:
    """Yield the blocks that are not among the items yet, each with the name of its list."""
    known = len(items["columns"])
    shown = len(items["rows"]) - 1
    for turn, row in zip(stepper.turns[known:], stepper.growth[known:], strict=True):
        for number, message in enumerate(turn.request.messages[shown:], shown + 1):
            yield "rows", blocks.message_row(number, message)
        shown = max(shown, row.messages)
        yield "answers", blocks.answer_block(stepper, turn)
        yield "columns", blocks.column(turn, row)


def request_shown(stepper: Stepper, call: int) -> ModelRequest:
    """Return what the model sees at a call; at 0, what it will see first."""
    if stepper.turns:
        return stepper.turns[max(call - 1, 0)].request
    assert stepper.waiting is not None
    return stepper.waiting


def calls_shown(stepper: Stepper) -> int:
    """Return how many calls the time line has room for: those allowed, or where nobody knows it, those recorded."""
    return limit_of(stepper) or max(len(stepper.turns), 1)


def _tools(stepper: Stepper, request: ModelRequest) -> str:
    return "" if "tools" in stepper.unknown else f"; {count(len(request.tools), 'tool')}"


def growth_shown(stepper: Stepper) -> Growth:
    """Return what the call that is shown sends; before the first call, what it will send."""
    return (
        stepper.growth[max(stepper.index - 1, 0)] if stepper.turns else history_growth([request_shown(stepper, 0)])[0]
    )


def frame_of(stepper: Stepper, said: Sentence) -> dict[str, Any]:
    """Return what the panel needs to know of the call that is shown; about 1 kB, however long the run is.

    `said` is what the live region says.
    """
    turn = stepper.turn
    request, sent = request_shown(stepper, stepper.index), growth_shown(stepper)
    here, limit = position(stepper)
    lines = loop_lines(stepper)
    end = stepper.ended and stepper.at_frontier
    return {
        "call": stepper.index,
        "position": rich([bold(here), limit]),
        "now": f'<span class="lab-heard">{escape(here)}. </span>{rich(said)}',
        "sees": sees(turn),
        "counts": f"{count(sent.messages, 'message')}, {sent.new} new{_tools(stepper, request)}",
        "sent": f"{count(sent.characters, 'char')} {'sent' if turn else 'to send'}",
        "rows": sent.messages + 1,
        "fresh": sent.messages - sent.new + 1,
        "item": f"script item {turn.item}" if turn and turn.item else "",
        "answering": turn.item - 1 if turn and turn.item else -1,
        "used": items_used(stepper),
        "line": lines.stands_at,
        "ran": list(lines.ran),
        "note": rich(lines_note(stepper, lines.stands_at)),
        "tops": blocks.scale(stepper.growth),
        "over": stepper.status == "max_steps" and stepper.at_frontier,
        "frontier": stepper.at_frontier,
        "off": {"first": not turn, "back": not turn, "next": end, "last": stepper.at_frontier, "play": end},
    }

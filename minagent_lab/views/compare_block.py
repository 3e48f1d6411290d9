"""Two branches side by side: what they have in common is folded, and what differs says so."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from minagent_lab.messages import Message
from minagent_lab.stepping.comparing import Comparison, Fact, compare
from minagent_lab.views.blocks import message_row
from minagent_lab.views.branches import Branch
from minagent_lab.views.html import escape, span
from minagent_lab.views.words import count, short, tokens

ROWS = 40  # messages of each side that are shown
DIFFERS = '<span class="lab-diff">DIFFERS </span>'


def comparison_block(first: Branch, second: Branch) -> str:
    """Return both branches as far as each has come, and a table of facts."""
    found = compare(first.stepper, second.stepper)
    return (
        f'<h3 class="lab-cmp"><b>Compare</b> branch {escape(first.name)} and branch {escape(second.name)}'
        f'<span class="where">{escape(where_they_part(found, second))}</span></h3>'
        f"{_shared(found.shared)}"
        f'<div class="lab-two">{_side(first, found, found.first)}{_side(second, found, found.second)}</div>'
        f"{_table(first, second, found.facts)}"
    )


def where_they_part(found: Comparison, second: Branch) -> str:
    """Return the call from which on two branches are not the same, and why."""
    if found.parts_at is None:
        return "They are the same, as far as both have come."
    why = f": {second.edited}" if second.edited and second.at == found.parts_at else ""
    return f"They part at call {found.parts_at}{why}."


def _shared(messages: Sequence[Message]) -> str:
    if not messages:
        return '<p class="lab-same">No message is the same in both.</p>'
    which = "Message 1 is" if len(messages) == 1 else f"Messages 1–{len(messages)} are"
    return (
        f'<details class="lab-fold lab-same"><summary><span>{which} the same in both branches.</span>'
        '<span class="sh"><span class="a">show</span><span class="z">fold</span></span></summary>'
        f'<ol class="lab-rows" role="list">{_rows(messages, 1)}</ol></details>'
    )


def _side(branch: Branch, found: Comparison, messages: Sequence[Message]) -> str:
    stepper = branch.stepper
    facts = [count(len(stepper.turns), "call"), branch.edited, "" if stepper.ended else "not over yet"]
    told = escape("; ".join(filter(None, facts)))
    rows = _rows(messages, len(found.shared) + 1, "diff") if messages else ""
    nothing = "" if messages else '<p class="lab-none">No message of its own so far.</p>'
    return (
        f'<div><h4 class="lab-h"><b>{escape(branch.title)}</b><span>{told}</span></h4>'
        f'<ol class="lab-rows" role="list">{rows}</ol>{nothing}</div>'
    )


def _rows(messages: Sequence[Message], number: int, kind: str = "") -> str:
    rows = [
        message_row(at, message, kind, DIFFERS if kind and at == number else "")
        for at, message in enumerate(messages[:ROWS], number)
    ]
    if (more := len(messages) - ROWS) > 0:
        rows.append(f'<li class="lab-none">… {count(more, "more message")} …</li>')
    return "".join(rows)


def _table(first: Branch, second: Branch, facts: Sequence[Fact]) -> str:
    head = f'<tr><td></td><th scope="col">Branch {first.name}</th><th scope="col">Branch {second.name}</th></tr>'
    rows = "".join(_fact(fact) for fact in facts)
    return f'<table class="lab-tbl"><thead>{head}</thead><tbody>{rows}</tbody></table>'


def _fact(fact: Fact) -> str:
    mark = DIFFERS if fact.differs else '<span class="lab-s lab-m">same</span>'
    kind = "d" if fact.differs else ""
    cells = f"<td>{_shown(fact.first)}</td><td>{_shown(fact.second)} {mark}</td>"
    return f'<tr class="{kind}"><th scope="row">{escape(fact.name)}</th>{cells}</tr>'


def _shown(held: Any) -> str:
    if isinstance(held, dict):
        return escape(tokens(held))
    if isinstance(held, int):
        return f"{held:,}"
    return span(short(str(held), 300)) if held else '<span class="lab-m">none</span>'

"""A run as one page of HTML: it opens from a disk, asks no network, and is readable without its script."""

from __future__ import annotations

from pathlib import Path

from minagent_lab.growth import Growth
from minagent_lab.messages import Message, ToolCall
from minagent_lab.stepping.stepper import Turn
from minagent_lab.values import dump_json
from minagent_lab.views.blocks import answer_with_end, message_row, tools_row
from minagent_lab.views.html import escape, lang, quoted
from minagent_lab.views.panel import styles
from minagent_lab.views.story import Told
from minagent_lab.views.words import at_most, count, short

CALLS = 200  # calls that are kept: the first ones and the last ones
ROWS = 100  # new messages of one call, likewise
LONGEST = 20_000  # characters of one text
HERE = Path(__file__).parent
POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'"
MOVES = {"first": "« First", "back": "‹ Back", "next": "Next ›", "last": "Last »", "all": "Show all"}


def page_of(story: Told) -> str:
    """Return the page."""
    title = f"A run, call by call: {short(story.prompt)}"
    sections = "".join(_sections(story)) or "<p>No call is recorded.</p>"
    moves = "".join(f'<button type="button" data-move="{move}">{label}</button>' for move, label in MOVES.items())
    facts = f"{count(len(story.turns), 'call')}{at_most(story.max_steps)}, model {quoted(story.model)}"
    style = f"{styles()}\n{(HERE / 'css' / 'page.css').read_text(encoding='utf-8')}"
    script = (HERE / "js" / "page.js").read_text(encoding="utf-8")
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>\n{style}</style>\n</head>\n<body>\n"
        f'<main class="lab-root jupyter-widgets lab-page">\n<header><h1{lang(title)}>{escape(title)}</h1>'
        f'<p>{facts}</p><nav aria-label="Calls" hidden>{moves}<span role="status"></span></nav></header>\n'
        f"{sections}</main>\n<script>\n{script}</script>\n</body>\n</html>\n"
    )


def _sections(story: Told) -> list[str]:
    left_out = len(story.turns) - CALLS
    sections = []
    for place, (turn, row) in enumerate(zip(story.turns, story.growth, strict=True)):
        if left_out > 0 and CALLS // 2 <= place < CALLS // 2 + left_out:
            if place == CALLS // 2:
                sections.append(f'<p class="lab-none">… {count(left_out, "call")} left out here …</p>\n')
            continue
        ended = story.end if place == len(story.turns) - 1 else None
        answer = answer_with_end(_kept(turn), ended._replace(text=_cut(ended.text)) if ended else None)
        head = (
            f'<h2 class="lab-h"><b>Call {turn.call}{at_most(story.max_steps)}</b>'
            f"<span>{count(row.messages, 'message')}, {row.new} new; {count(row.characters, 'char')} sent</span></h2>"
        )
        rows = _rows(story, turn, row)
        sections.append(
            f'<section aria-label="Call {turn.call}">{head}<ol class="lab-rows" role="list">{rows}</ol>'
            f'<h3 class="lab-h"><b>What it replied</b></h3>{answer}</section>\n'
        )
    return sections


def _rows(story: Told, turn: Turn, row: Growth) -> str:
    messages, old = list(turn.request.messages), row.messages - row.new
    rows = [tools_row(turn.request.tools if story.knows_tools else None)] if turn.call == 1 else []
    if old:
        which = "Message 1 is" if old == 1 else f"Messages 1 to {old} are"
        rows.append(f'<li class="lab-none">{which} those of call {turn.call - 1}, sent again.</li>')
    left_out = row.new - ROWS
    for place, message in enumerate(messages[old:]):
        if left_out > 0 and ROWS // 2 <= place < ROWS // 2 + left_out:
            if place == ROWS // 2:
                rows.append(f'<li class="lab-none">… {count(left_out, "message")} left out here …</li>')
            continue
        rows.append(message_row(old + place + 1, _cut_message(message), "new"))
    return "".join(rows)


def _kept(turn: Turn) -> Turn:
    if turn.response is None:
        return turn
    response = turn.response
    cut = type(response)(_cut_message(response.message), response.stop_reason, response.usage, response.model)
    printed = tuple((who, _cut(text)) for who, text in turn.printed)
    return Turn(turn.call, turn.request, cut, turn.results, turn.status, turn.error, turn.item, printed)


def _cut_message(message: Message) -> Message:
    calls = [_cut_call(call) for call in message.tool_calls]
    return Message(message.role, _cut(message.content), calls, message.tool_call_id)


def _cut_call(call: ToolCall) -> ToolCall:
    arguments = dump_json(call.arguments)
    return call if len(arguments) <= LONGEST else ToolCall(call.id, call.name, {"cut here": _cut(arguments)})


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}… (cut here, {count(len(text), 'character')})"

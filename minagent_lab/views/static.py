"""The same run where no kernel runs: for GitHub, nbviewer, a PDF, and for a test that compares outputs.

The HTML needs no class, no style sheet, no script and no colour: tables, bold type and folds only, since all the rest
is taken out of a notebook that is not trusted. The plain text says the same for the call that is shown.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator

from minagent_lab.messages import Message
from minagent_lab.model import ModelRequest
from minagent_lab.stepping.stepper import Stepper, Turn
from minagent_lab.views import html as live
from minagent_lab.views.html import plain, visible
from minagent_lab.views.words import (
    Sentence,
    asked,
    at_most,
    call_words,
    count,
    end,
    limit_of,
    position,
    sees,
    then,
    tokens,
)

FOLD = 240  # characters of a text that are shown unfolded
LONGEST = 2_000  # characters of a text that are kept at all
CALLS = 12  # calls that are kept: the first ones and the last ones
ROWS = 24  # messages of one call that are kept, likewise


# ---- plain text -----------------------------------------------------------------------------------------------------


def static_text(stepper: Stepper) -> str:
    """Return the call that is shown as plain text, one line per row."""
    return visible("\n".join(_lines(stepper, ROWS)))


def _lines(stepper: Stepper, most: int) -> Iterator[str]:
    here, limit = position(stepper)
    turn = stepper.turn
    start = "The start." if stepper.turns else "Nothing has been asked yet."
    yield f"{here}{limit}. {asked(turn) if turn else start}"
    request = turn.request if turn else _first_request(stepper)
    fresh = stepper.growth[stepper.index - 1].new if turn else len(request.messages)
    yield f"{sees(turn, asked=bool(stepper.turns))}: {count(len(request.messages), 'message')}, {fresh} new"
    left_out = len(request.messages) - most
    for number, message in enumerate(request.messages, 1):
        if left_out > 0 and most // 2 < number <= most // 2 + left_out:
            if number == most // 2 + 1:
                yield f"  … {count(left_out, 'message')} left out here …"
            continue
        new = "  NEW" if number > len(request.messages) - fresh else ""
        yield f"  {number}  {message.role}  {_cut(_said(message))}{new}"
    if turn is None:
        return
    if turn.response is not None:
        reply = turn.response
        why = f"stop reason {reply.stop_reason}, usage {tokens(reply.usage)}"
        yield f"What it replied: {_cut(_said(reply.message))}; {why}"
        if turn.results:
            yield plain(then(turn))
    if turn.status != "running":
        ended = end(stepper, turn)
        yield f"{ended.title}. {_cut(ended.text)}".rstrip()


def status_lines(stepper: Stepper, rows: int = 4) -> str:
    """Return the same in short: where the run stands, the last few messages, what came of them."""
    lines = list(_lines(stepper, sys.maxsize))
    messages = [place for place, line in enumerate(lines) if line.startswith("  ")]
    left_out = messages[:-rows]
    if left_out:
        lines[left_out[0] : left_out[-1] + 1] = [f"  … {count(len(left_out), 'message')} before these …"]
    return visible("\n".join(lines))


def _first_request(stepper: Stepper) -> ModelRequest:
    """Return what the first call sees, whether or not it was made."""
    return stepper.turns[0].request if stepper.turns else stepper.waiting or ModelRequest([])


def _said(message: Message) -> str:
    calls = "; ".join(f"[{call.id}] {call_words(call)}" for call in message.tool_calls)
    result = f"[{message.tool_call_id}] result: " if message.tool_call_id else ""
    text = message.content or ("" if calls else '""')
    return f"{result}{text}{' ' if text and calls else ''}{calls}"


def _cut(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= FOLD else f"{line[:FOLD]}… ({count(len(text), 'char')})"


# ---- HTML -----------------------------------------------------------------------------------------------------------


def _no_math(html: str) -> str:
    """Keep a page's MathJax from reading two prices as a formula: a sign that stands alone opens nothing."""
    return re.sub(r"[$\\]", r"<span>\g<0></span>", html)


def escape(text: str) -> str:
    """Return text as HTML that no page takes for a formula."""
    return _no_math(live.escape(text))


def span(text: str) -> str:
    """Return a span of the text, likewise."""
    return _no_math(live.span(text))


def rich(parts: Sentence) -> str:
    """Return a sentence, likewise."""
    return _no_math(live.rich(parts))


def static_html(stepper: Stepper) -> str:
    """Return the recorded calls up to the one that is shown as HTML that survives a sanitiser."""
    turns = stepper.turns[: stepper.index]
    parts = [_heading_before(stepper)] if not turns else []
    left_out = len(turns) - CALLS
    for turn in turns:
        if left_out > 0 and CALLS // 2 < turn.call <= CALLS // 2 + left_out:
            if turn.call == CALLS // 2 + 1:
                parts.append(f"<p>… {count(left_out, 'call')} left out here …</p>")
            continue
        parts.append(_call(stepper, turn))
    if turns and turns[-1].status != "running":
        ended = end(stepper, turns[-1])
        parts.append(f"<p><b>{escape(ended.title)}.</b> {span(_kept(ended.text))}</p>")
    elif turns:
        parts.append("<p>Run this cell to step on.</p>")
    return "".join(parts)


def _heading_before(stepper: Stepper) -> str:
    request = _first_request(stepper)
    rows = "".join(_table_row("NEW", message.role, message) for message in request.messages)
    counts = count(len(request.messages), "message")
    return (
        f"<p><b>Before call 1{at_most(limit_of(stepper))}</b>: {counts} will be sent</p><table>{rows}</table>"
        "<p>Run this cell, then press Next.</p>"
    )


def _call(stepper: Stepper, turn: Turn) -> str:
    row = stepper.growth[turn.call - 1]
    head = (
        f"<p><b>Call {turn.call}{at_most(limit_of(stepper))}</b>: {count(row.messages, 'message')}, {row.new} new, "
        f"{count(row.characters, 'character')}</p>"
    )
    old = row.messages - row.new
    # all but the last two of the messages that were sent before are told by the call before
    known = old - 2 if old > 3 else 0
    rows = [_plain_row(f"messages 1 to {known}: as in call {turn.call - 1}")] if known else []
    told = [(number, message) for number, message in enumerate(turn.request.messages[known:], known + 1)]
    left_out = len(told) - ROWS
    for place, (number, message) in enumerate(told):
        if left_out > 0 and ROWS // 2 <= place < ROWS // 2 + left_out:
            if place == ROWS // 2:
                rows.append(_plain_row(f"… {count(left_out, 'message')} left out here …"))
            continue
        rows.append(_table_row("NEW" if number > old else "", message.role, message))
    if turn.response is not None:
        note = f" (stop reason {escape(turn.response.stop_reason)}, usage {escape(tokens(turn.response.usage))})"
        rows.append(_table_row("", "reply", turn.response.message, note))
    after = f"<p>{rich(then(turn))}</p>" if turn.results else ""
    return f"{head}<table>{''.join(rows)}</table>{after}"


def _kept(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}… (cut here, {count(len(text), 'character')})"


def _plain_row(words: str) -> str:
    return f'<tr><td></td><td></td><td><div align="left">{escape(words)}</div></td></tr>'


def _table_row(mark: str, role: str, message: Message, note: str = "") -> str:
    text = _said(message)
    body = span(text)
    if len(text) > FOLD:
        body = f"<details><summary>{span(_cut(text))}</summary>{span(_kept(text))}</details>"
    cells = (
        f'<td>{mark}</td><td><div align="left"><b>{role}</b></div></td><td><div align="left">{body}{note}</div></td>'
    )
    return f"<tr>{cells}</tr>"

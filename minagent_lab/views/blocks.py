"""The live view's pieces, one function per thing shown. Each returns a small block of HTML, all text escaped."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from minagent_lab.growth import Growth
from minagent_lab.messages import Message, ToolCall
from minagent_lab.model import message_json
from minagent_lab.stepping.stepper import Stepper, Turn
from minagent_lab.values import dump_json
from minagent_lab.views.html import escape, lang, quoted, rich, span
from minagent_lab.views.words import (
    MOST_CALLS,
    End,
    count,
    end,
    event,
    item_words,
    short,
    then,
    then_more,
    tokens,
)

FOLD = 240  # characters: longer text is folded
NEW = '<span class="lab-new">NEW </span>'
MARKS = {"ok": "✓", "cut": "!", "stop": "✕"}


# ---- the history ----------------------------------------------------------------------------------------------------


def tools_row(tools: Sequence[dict[str, Any]] | None) -> str:
    """Return the row above the messages: the tools are sent with each call; ``None`` where nobody knows which."""
    if tools is None:
        return _row("tools", "", "tools", span("not told by this run", "lab-m"), None)
    size = len(dump_json(list(tools), compact=True))
    if not tools:
        body = span("no tools on offer", "lab-m")
    else:
        names = ", ".join(tool["name"] for tool in tools)
        label = f"{count(len(tools), 'schema')}: {quoted(names)}"
        body = _fold(f'<span class="pv">{label}</span>', "show JSON", _json(tools))
    return _row("tools", "", "tools", body, size)


def message_row(number: int, message: Message, kind: str = "", mark: str = NEW) -> str:
    """Return one message of the history as a row: number, role, body, size; `mark` is a word before the size."""
    data = message_json(message)
    size = len(message.content) + (len(dump_json(data["tool_calls"], compact=True)) if message.tool_calls else 0)
    return _row(f"{message.role} {kind}".strip(), str(number), message.role, _body(message), size, mark)


def _row(kind: str, number: str, role: str, body: str, size: int | None, mark: str = NEW) -> str:
    words = "" if size is None else f'{size:,} <span class="cw">char{"" if size == 1 else "s"}</span>'
    return (
        f'<li class="lab-msg {kind}"><span class="n">{number}</span><span class="role">{role}</span>'
        f'<div class="b">{body}</div><span class="x">{mark}{words}</span></li>'
    )


def _body(message: Message) -> str:
    if message.tool_call_id is not None:
        return _result(message)
    calls = call_lines(message.tool_calls)
    if message.content or not calls:
        return text_block(message.content) + calls
    return calls


def _result(message: Message) -> str:
    chip = f'<span class="lab-id">{escape(message.tool_call_id or "")} </span><span class="lab-of">result </span>'
    if message.content.startswith('{"error": '):
        chip += '<span class="lab-err">error as data </span>'
    if len(message.content) > FOLD:
        return _folded(message.content, chip)
    held = quoted(message.content) if message.content else empty_text()
    return f'<span class="lab-call">{chip}{held}</span>'


def call_line(call: ToolCall) -> str:
    """Return a tool call: its id as a chip, its name, its arguments as JSON."""
    arguments = dump_json(call.arguments)
    chip = f'<span class="lab-id">{escape(call.id)} </span>'
    if len(arguments) > FOLD:
        size = f'<span class="lab-of">{count(len(arguments), "char")} </span>'
        return _folded(arguments, f'{chip}<code class="fn">{escape(short(call.name))}</code> {size}')
    name = f'<span class="fn">{escape(call.name)}</span>'
    return f'<span class="lab-call">{chip}<code>{name} {span(arguments)}</code></span>'


def call_lines(calls: Sequence[ToolCall]) -> str:
    """Return tool calls, a line each; of many in one reply, the first ones, and the others folded with their number."""
    lines = [call_line(call) for call in calls]
    more = "".join(lines[MOST_CALLS:])
    return "".join(lines[:MOST_CALLS]) + (_fold_more(len(lines) - MOST_CALLS, more) if more else "")


def _fold_more(number: int, inside: str) -> str:
    return _fold(f'<span class="pv">and {count(number, "more call")}</span>', "folded: show", inside)


def text_block(text: str) -> str:
    """Return text, folded where it is long; an empty one says so."""
    if not text:
        return empty_text()
    return _folded(text) if len(text) > FOLD else f'<span class="lab-text"{lang(text)}>{escape(text)}</span>'


def empty_text() -> str:
    """Return what stands for an empty text, so that it is not mistaken for nothing."""
    return '<span class="lab-m">"" (empty text, 0 chars)</span>'


def _folded(text: str, before: str = "") -> str:
    preview = f'{before}<span class="pv"{lang(text)}>{escape(" ".join(text[:FOLD].split()))}</span>'
    return _fold(
        preview,
        "folded: show",
        f'<div class="lab-full" tabindex="0" role="region" aria-label="whole text"{lang(text)}>{escape(text)}</div>',
    )


def _fold(preview: str, shown: str, inside: str) -> str:
    return (
        f'<details class="lab-fold"><summary>{preview}<span class="sh"><span class="a">{shown}</span>'
        f'<span class="z">fold</span></span></summary>{inside}</details>'
    )


def _json(data: Any) -> str:
    opening = '<div class="lab-full lab-mono" tabindex="0" role="region" aria-label="JSON of the tools">'
    return f"{opening}{escape(pretty_json(data))}</div>"


def pretty_json(data: Any, indent: str = "") -> str:
    """Return JSON text with a line per item, and short items on one line."""
    line = dump_json(data)
    if len(indent) + len(line) <= 60 or not isinstance(data, (dict, list)) or not data:
        return line
    inner = indent + "  "
    if isinstance(data, dict):
        items = [f"{inner}{dump_json(key)}: {pretty_json(item, inner)}" for key, item in data.items()]
        return "{\n" + ",\n".join(items) + f"\n{indent}}}"
    return "[\n" + ",\n".join(inner + pretty_json(item, inner) for item in data) + f"\n{indent}]"


# ---- the answer -----------------------------------------------------------------------------------------------------

WAITING = '<div class="lab-answer wait">Not asked yet. Press Next.</div>'


def answer_block(stepper: Stepper, turn: Turn) -> str:
    """Return what the model answered in a call, and what the loop did with it; or the end of the run."""
    return answer_with_end(turn, end(stepper, turn) if turn.status != "running" else None)


def answer_with_end(turn: Turn, ended: End | None) -> str:
    """Return the same, where the end of the run is in words already; ``None`` while it goes on."""
    closing = end_block(ended) if ended else ""
    if turn.response is None or not turn.response.message.tool_calls:
        return closing + printed_block(turn)
    message = turn.response.message
    said = text_block(message.content) if message.content else ""
    said += call_lines(message.tool_calls)
    facts = [("stop reason", quoted(turn.response.stop_reason)), ("usage", escape(tokens(turn.response.usage)))]
    more = "".join(f"<div>{rich(sentence)}</div>" for sentence in then_more(turn))
    folded = _fold_more(len(turn.results) - MOST_CALLS, more) if more else ""
    return (
        f'<div class="lab-answer"><div class="lab-said">{said}</div>{_facts(facts)}'
        f'<div class="lab-then">{rich(then(turn))}{folded}</div>{printed_block(turn)}</div>{closing}'
    )


def printed_block(turn: Turn) -> str:
    """Return what tools, or the model, printed meanwhile: it is no part of what the model sees."""
    names = {call.id: call.name for call, _ in turn.results}
    rows = ""
    for who, text in turn.printed:
        whose = f'<span class="lab-id">{escape(who)} </span>{quoted(names.get(who, who))}' if who else "the model"
        rows += f'<div class="lab-printed">{whose} printed: {_printed(text.rstrip(chr(10)))}</div>'
    return rows


def _printed(text: str) -> str:
    return _folded(text) if len(text) > FOLD else quoted(text)


def end_block(ended: End) -> str:
    """Return the end of the run in words: no traceback."""
    title = f"<h4>{'■' if ended.cancelled else MARKS[ended.kind]} {escape(ended.title)}</h4>"
    if ended.kind == "stop":
        text = f'<div class="q">{text_block(ended.text)}</div>'
        facts = "".join(f"<dt>{label}</dt><dd>{rich(sentence)}</dd>" for label, sentence in ended.facts)
        calm = ' style="--e:var(--muted)"' if ended.cancelled else ""  # no failure, so not in the colour of one
        return f'<div class="lab-end stop"{calm}>{title}{text}<dl class="lab-s">{facts}</dl></div>'
    text = f'<div class="big">{text_block(ended.text)}</div>'
    held = _facts([(label, rich(sentence)) for label, sentence in ended.facts])
    return f'<div class="lab-end {ended.kind}">{title}{text}{held}</div>'


def _facts(facts: list[tuple[str, str]]) -> str:
    rows = "".join(f"<div><dt>{label}</dt><dd>{words}</dd></div>" for label, words in facts)
    return f'<dl class="lab-facts">{rows}</dl>'


# ---- the time line --------------------------------------------------------------------------------------------------


def column(turn: Turn, row: Growth) -> dict[str, Any]:
    """Return one call on the time line: its event, and its two bars. Numbers only; the panel draws them."""
    word, is_error = event(turn)
    return {
        "event": word,
        "error": is_error,
        "bars": [[row.messages, row.new], [row.characters, row.new_characters]],
    }


def scale(rows: Sequence[Growth]) -> list[int]:
    """Return the tops of the two bar charts: they change only at 4, 6, 8, 10, 12, 16, 20, 30 and so on."""
    most = [max((row.messages for row in rows), default=0), max((row.characters for row in rows), default=0)]
    return [_top(number) for number in most]


def _top(number: int) -> int:
    power = 1
    while True:
        for step in (4, 6, 8, 10, 12, 16, 20, 30):
            if number <= step * power:
                return step * power
        power *= 10


# ---- script and source ----------------------------------------------------------------------------------------------


def script_row(number: int, item: Any) -> str:
    """Return one item of the script; the panel adds whether it is used, next or to come."""
    words = item_words(item)
    held = span(words) if isinstance(item, str) else quoted(words)
    text = f'<span class="t" title="{escape(short(words, 300))}">{held}</span>'
    return f'<li><span class="n">{number}</span><span class="w"></span>{text}</li>'


def source_line(line: str) -> str:
    """Return one line of the loop's source; the panel adds whether it ran."""
    return f'<li><span class="lab-heard"></span>{escape(line)}</li>'

"""A run as a file: JSON to compute with, Markdown to read and to mail, a page of HTML that opens from a disk.

What looks like a key or a password is taken out on the way to the file, as in a fixture; the file is written whole or
not at all.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from minagent_lab.files import write_whole
from minagent_lab.fixtures.redact import Redactor
from minagent_lab.growth import Growth
from minagent_lab.messages import ModelResponse
from minagent_lab.model import message_json
from minagent_lab.stepping.stepper import Stepper, Turn
from minagent_lab.values import a_kind, storable
from minagent_lab.views.html import plain, visible
from minagent_lab.views.page import page_of
from minagent_lab.views.story import Told, story_of
from minagent_lab.views.words import at_most, count, then, tokens

VERSION = 1
LONGEST = 20_000  # characters of one text in Markdown and HTML; JSON holds all


def export(stepper: Stepper, path: str | Path, *, secrets: Iterable[str] = ()) -> Path:
    """Write all recorded calls of a run to a file, and return the file. One that is there already is replaced.

    Parameters
    ----------
    stepper
        The run; it asks nobody for this.
    path
        Its suffix says what is written: ``.json``, ``.md`` or ``.html``.
    secrets
        Keys in use, as for a `Redactor`. Shapes of keys are found without it.

    Raises
    ------
    ValueError
        The suffix is another one, or something that looks like a secret would still be in the file.

    Examples
    --------
    >>> import tempfile
    >>> from minagent_lab import FakeModel, ToolRegistry
    >>> walk = Stepper(FakeModel(["Hello."]), ToolRegistry(), "Hi")
    >>> walk.run_to_end()
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     print(export(walk, Path(folder, "run.md")).read_text(encoding="utf-8").splitlines()[0])
    # A run, call by call
    """
    if not isinstance(stepper, Stepper):
        raise TypeError(f"stepper is {a_kind(stepper)}; pass a Stepper, such as view.stepper")
    path = Path(path)
    write = FORMS.get(path.suffix.lower())
    if write is None:
        raise ValueError(f"the file is {path.name!r:.80}; its name has to end in {', '.join(FORMS)}")
    redactor = Redactor(secrets)
    text = write(story_of(stepper, redactor))
    if redactor.leak(text):
        raise ValueError(f"{path.name} would still hold what looks like a secret; nothing is written")
    write_whole(path, text)
    return path


def free_name(folder: Path, stem: str, suffix: str) -> Path:
    """Return a path that nothing has yet, with a number: what was written before stays.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     Path(folder, "run-1.md").touch()
    ...     free_name(Path(folder), "run", ".md").name
    'run-2.md'
    """
    number = 1
    while (path := folder / f"{stem}-{number}{suffix}").exists():
        number += 1
    return path


# ---- JSON -----------------------------------------------------------------------------------------------------------


def json_of(story: Told) -> str:
    """Return a run as JSON text. Each call holds only the messages that it sent for the first time."""
    calls = [_call_data(turn, row) for turn, row in zip(story.turns, story.growth, strict=True)]
    data = {
        "format": "minagent-lab run",
        "version": VERSION,
        "model": story.model,
        "prompt": story.prompt,
        "system": story.system,
        "max_steps": story.max_steps,
        "status": story.status,
        "tools": (list(story.turns[0].request.tools) if story.turns else []) if story.knows_tools else None,
        "calls": calls,
        "end": {"title": story.end.title, "text": story.end.text} if story.end else None,
    }
    return storable(json.dumps(data, ensure_ascii=False, allow_nan=False, indent=2)) + "\n"


def _call_data(turn: Turn, row: Growth) -> dict[str, Any]:
    messages = list(turn.request.messages)
    return {
        "call": turn.call,
        "messages": row.messages,
        "characters": row.characters,
        "new_messages": [message_json(message) for message in messages[row.messages - row.new :]],
        "answer": _answer(turn.response),
        "results": [{"id": call.id, "content": result.content, "error": result.error} for call, result in turn.results],
        "printed": [{"by": who, "text": text} for who, text in turn.printed],
        "status": turn.status,
    }


def _answer(response: ModelResponse | None) -> dict[str, Any] | None:
    if response is None:
        return None
    facts = {"stop_reason": response.stop_reason, "usage": response.usage, "model": response.model}
    return {**message_json(response.message), **facts}


# ---- Markdown -------------------------------------------------------------------------------------------------------


def markdown_of(story: Told) -> str:
    """Return a run as Markdown: what models and tools said stands in fences, so that it shows as it is."""
    parts = ["# A run, call by call", f"{count(len(story.turns), 'call')}, model {story.model}, {story.status}"]
    for turn, row in zip(story.turns, story.growth, strict=True):
        parts.append(f"## Call {turn.call}{at_most(story.max_steps)}")
        counts = f"{count(row.messages, 'message')}, {row.new} new, {count(row.characters, 'character')}"
        parts.append(counts)
        old = row.messages - row.new
        if old:
            parts.append(f"Messages 1 to {old}: as before.")
        for number, message in enumerate(list(turn.request.messages)[old:], old + 1):
            parts += _said(f"{number} {message.role}, new", message)
        if turn.response is not None:
            why = f"stop reason {turn.response.stop_reason}, usage {tokens(turn.response.usage)}"
            parts += _said(f"reply ({why})", turn.response.message)
        if turn.results:
            parts += [_fence(plain(then(turn)))]
        parts += [part for who, text in turn.printed for part in (f"**{who or 'the model'} printed**", _fence(text))]
    if story.end:
        parts += [f"## {story.end.title}", _fence(story.end.text)]
    return storable("\n\n".join(parts)) + "\n"


def _said(head: str, message: Any) -> list[str]:
    calls = [f"[{call.id}] {call.name} {json.dumps(call.arguments, ensure_ascii=False)}" for call in message.tool_calls]
    result = f"[{message.tool_call_id}] result: " if message.tool_call_id else ""
    text = message.content or ("" if calls else '""')
    return [f"**{head}**", _fence("\n".join(filter(None, [f"{result}{text}", *calls])))]


def _fence(text: str) -> str:
    """Return text in a fence that is longer than any inside it."""
    text = visible(shortened(text))
    ticks = "```"
    while ticks in text:
        ticks += "`"
    return f"{ticks}text\n{text}\n{ticks}"


def shortened(text: str) -> str:
    """Return a text, cut where it is very long; it then says so."""
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}… (cut here, {count(len(text), 'character')})"


FORMS: dict[str, Callable[[Told], str]] = {".json": json_of, ".md": markdown_of, ".html": page_of}

"""HTML from text. All text of models, tools and files passes through `escape`, here and nowhere else."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable
from typing import NamedTuple

_TICKED = re.compile(r"`([^`\n]+)`")
_HAN = re.compile("[\u3400-\u9fff\uf900-\ufaff\U00020000-\U000323af]")
_UNSPEAKABLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\U000e0000-\U000e007f]"
)
_MIX = "color-mix(in srgb,var(--jp-{}) {}%,currentColor)"  # towards the ink: darker in a light theme, lighter in a dark
_YES, _NO = ("✓", _MIX.format("success-color1,#388e3c", 72)), ("✗", _MIX.format("error-color1,#d32f2f", 76))
_HEARD = "position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap"


class Part(NamedTuple):
    """A piece of a sentence: plain text, or text that is ``"bold"`` or ``"code"``."""

    text: str
    style: str = ""


def bold(text: str) -> Part:
    """Return a part that stands out."""
    return Part(text, "bold")


def code(text: str) -> Part:
    """Return a part that is quoted from a script, a model or a tool."""
    return Part(text, "code")


def escape(text: str) -> str:
    r"""Return `text` as HTML that shows just this text.

    What would not be seen, or would turn the text round (control characters, direction marks, half of a surrogate
    pair), is shown by its code.

    Examples
    --------
    >>> escape('<img src=x onerror="alert(1)">')
    '&lt;img src=x onerror=&quot;alert(1)&quot;&gt;'
    >>> escape("a\x00b")
    'a\\x00b'
    """
    return html.escape(visible(text))


def visible(text: str) -> str:
    """Return `text` with what would not be seen, or could not be sent, written as its code."""
    return _UNSPEAKABLE.sub(lambda match: _as_code(match[0]), text)


def _as_code(character: str) -> str:
    number = ord(character)
    if number > 0xFFFF:
        return f"\\U{number:08x}"
    return f"\\x{number:02x}" if number < 256 else f"\\u{number:04x}"


def lang(text: str) -> str:
    """Return the attribute that lets a browser choose Chinese glyphs; empty for text without Han characters."""
    return ' lang="zh-Hans"' if _HAN.search(text) else ""


def span(text: str, kind: str = "") -> str:
    """Return a ``<span>`` of the text; `kind` is its class."""
    attributes = (f' class="{kind}"' if kind else "") + lang(text)
    return f"<span{attributes}>{escape(text)}</span>" if attributes else escape(text)


def quoted(text: str) -> str:
    """Return text in the type of code."""
    return f"<code{lang(text)}>{escape(text)}</code>"


def ticked(text: str) -> str:
    """Return text as HTML in which what stands in backticks on one line is code, and nothing else means anything.

    It is escaped first, so that no text can bring a tag along.

    Examples
    --------
    >>> ticked("write `await <x>`")
    'write <code>await &lt;x&gt;</code>'
    """
    return _TICKED.sub(lambda match: f"<code{lang(match[1])}>{match[1]}</code>", escape(text))


def unticked(text: str) -> str:
    """Return text without the backticks that `ticked` turns into code: for what can hold no HTML, such as a label.

    Examples
    --------
    >>> unticked("write `await`, not a lone `")
    'write await, not a lone `'
    """
    return _TICKED.sub(r"\1", text)


def rich(parts: Iterable[Part | str]) -> str:
    """Return a sentence as HTML."""
    return "".join(_part(part if isinstance(part, Part) else Part(part)) for part in parts)


def _part(part: Part) -> str:
    if part.style == "bold":
        return f"<b>{escape(part.text)}</b>"
    return quoted(part.text) if part.style == "code" else escape(part.text)


def plain(parts: Iterable[Part | str]) -> str:
    """Return a sentence as text."""
    return "".join(part.text if isinstance(part, Part) else part for part in parts)


def mark(yes: bool, words: tuple[str, str]) -> str:
    """Return ✓ or ✗ in the theme's colour, and the word for it (for yes, for no), which is heard and not seen."""
    sign, colour = _YES if yes else _NO
    word = words[0] if yes else words[1]
    return f"<b style='color:{colour}'>{sign}</b><span style='{_HEARD}'> {word}: </span>"

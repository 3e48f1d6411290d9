"""The small parts of JSON text: blanks, texts, words and numbers, each mistake told with its place.

`placed_json` reads lists and objects with it.
"""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple, NoReturn

MOST = 40  # mistakes that are told of one text; who has more repairs the first ones first
_BLANK = re.compile(r"[ \t\r\n]*")
_COMMENT = re.compile(r"//[^\n]*|#[^\n]*|/\*.*?\*/", re.DOTALL)
_TEXT = re.compile(r'"(?:[^"\\\n]|\\[^\n])*"')
_ODD_TEXT = re.compile("'[^'\n]*'|[“”„‟＂][^“”„‟＂\"\n]*[“”„‟＂\"]")
WORD = re.compile(r"""[^\s,:;=\[\]{}"'“”„‟＂，：；｛｝［］【】]+""")
_NUMBER = re.compile(r"-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?", re.ASCII)
_WORDS = {"true": True, "false": False, "null": None}
_PYTHON = {"True": True, "False": False, "None": None, "undefined": None}
_WIDE = dict(zip("，：；｛｝［］【】", ",:;{}[][]", strict=True))
_ODD_BLANKS = "\u00a0\u3000\u200b\ufeff\u2028\u2029\u0085\x0b\x0c"


class Found(NamedTuple):
    """A mistake.

    Parameters
    ----------
    at
        Where, counted in characters from 0.
    words
        What is wrong and what to do, for people.
    """

    at: int
    words: str


class Stop(Exception):
    """The rest of the text cannot be understood."""


class Tokens:
    """Reads a text once, from left to right. `at` is the next character, `found` what was found wrong."""

    def __init__(self, text: str) -> None:
        self.text, self.at = text, 1 if text.startswith("\ufeff") else 0
        self.found: list[Found] = []

    # ---- what was found

    def tell(self, at: int, words: str) -> None:
        """Keep a mistake, and go on."""
        self.found.append(Found(at, words))
        if len(self.found) >= MOST:
            raise Stop

    def stop(self, at: int, words: str) -> NoReturn:
        """Keep a mistake, and give up."""
        self.tell(at, words)
        raise Stop

    def here(self) -> str:
        """Return the next word or mark, to be shown."""
        word = WORD.match(self.text, self.at)
        return short(word[0]) if word else self.text[self.at : self.at + 1]

    # ---- the small parts

    def blank(self) -> None:
        """Pass over blanks, and tell of what some take for blanks."""
        while True:
            self.at = _BLANK.match(self.text, self.at).end()  # type: ignore[union-attr]
            if comment := _COMMENT.match(self.text, self.at):
                self.tell(self.at, "JSON has no comments; take it out")
                self.at = comment.end()
            elif self.text[self.at : self.at + 1] in _ODD_BLANKS and self.at < len(self.text):
                self.tell(self.at, f"U+{ord(self.text[self.at]):04X} looks like a blank and is none; type a plain one")
                self.at += 1
            else:
                return

    def sees(self) -> str:
        """Return the next character; for a wide mark of punctuation the plain one that is meant."""
        mark = self.text[self.at : self.at + 1]
        return _WIDE.get(mark, mark)

    def take(self) -> None:
        """Pass over a mark of punctuation."""
        mark = self.text[self.at]
        if mark in _WIDE:
            self.tell(self.at, f"{mark} is a wide mark of punctuation; type the plain {_WIDE[mark]}")
        self.at += 1

    def read_text(self) -> str:
        """Read text in quotes, of whatever kind they are."""
        start = self.at
        if plain := _TEXT.match(self.text, start):
            self.at = plain.end()
            return self._unescaped(start, plain[0])
        odd = _ODD_TEXT.match(self.text, start)
        if odd is None:
            self.stop(start, 'this text is not closed in its line; end it with ", and write \\n for a new line')
        self.at = odd.end()
        inside = odd[0][1:-1]
        self.tell(start, f'text stands in plain double quotes: "{short(inside)}"')
        return inside

    def _unescaped(self, start: int, quoted: str) -> str:
        try:
            data = str(json.loads(quoted))
            data.encode()
        except json.JSONDecodeError as problem:
            at = start + problem.pos
            if "control" in problem.msg:
                self.tell(at, f"a character that is not seen stands in this text; write {json.dumps(self.text[at])}")
            else:
                escape = self.text[at : at + 2] if self.text[at] == "\\" else self.text[at - 1 : at + 1]
                self.tell(at, f"{escape} is no escape; write \\\\ where a backslash is meant")
            return quoted[1:-1]
        except UnicodeEncodeError:
            self.tell(start, "this text holds half of a character (\\ud800 to \\udfff); write the whole one")
            return ""
        return data

    def read_word(self) -> Any:
        """Read a number, or ``true``, ``false`` and ``null``."""
        start, word = self.at, self.here()
        found = WORD.match(self.text, start)
        if found is None:
            missing = f"here stands {word}, where a value is to stand" if word else "the text ends before a value"
            self.stop(start, missing)
        word = found[0]
        self.at += len(word)
        if word in _WORDS:
            return _WORDS[word]
        if word in _PYTHON:
            self.tell(start, f"JSON writes {json.dumps(_PYTHON[word])} for {word}")
            return _PYTHON[word]
        return self._number(start, word)

    def _number(self, start: int, word: str) -> Any:
        try:
            number = float(word) if re.search("[.eE]", word) else int(word)
        except ValueError:
            number = None
        if number is None or number != number or abs(number) == float("inf"):
            if word[0] in "-+." or word[0].isdigit() or word in ("NaN", "Infinity"):
                self.tell(start, f"{short(word)} is no number of JSON's; write a plainer one, or text in quotes")
                return 0
            self.stop(start, f'{short(word)} stands without quotes; text is written "{short(word)}"')
        if not _NUMBER.fullmatch(word):
            self.tell(start, f"{short(word)} is no number of JSON's; write {short(str(number))}")
        return number


def begins_text(mark: str) -> bool:
    """Return whether this is a quote."""
    return mark != "" and mark in "\"'“”„‟＂"


def short(text: str) -> str:
    """Return text to be shown in a sentence."""
    return text if len(text) <= 30 else f"{text[:30]}…"

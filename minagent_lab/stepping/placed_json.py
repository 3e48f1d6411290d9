"""JSON that knows where everything stands, for texts that people type: every mistake is told with its place.

Small mistakes (a comma that is missing or too many, single quotes, ``True``, a wide comma) are told, and reading goes
on as if they were repaired, so that all of them are told at once. Where nobody can know what was meant, it stops.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from minagent_lab.stepping.json_tokens import WORD, Found, Stop, Tokens, begins_text, short

_DEEPEST = 90  # levels of nesting; the data is put into messages, which are nested some levels themselves


@dataclass(frozen=True, slots=True)
class Node:
    """A value in a text.

    Parameters
    ----------
    data
        The value itself, plain JSON data.
    start, end
        From which character to which it stands.
    items
        The values in a list.
    fields
        The values in an object, by their keys.
    keys
        Where each key of an object stands.
    """

    data: Any
    start: int
    end: int
    items: list[Node] = field(default_factory=list)
    fields: dict[str, Node] = field(default_factory=dict)
    keys: dict[str, int] = field(default_factory=dict)


def read_places(text: str) -> tuple[Node | None, list[Found]]:
    """Return what a JSON text says, and its mistakes; ``None`` where they leave open what it says.

    Examples
    --------
    >>> node, found = read_places('{"a": [1 2,]}')
    >>> node.data, [(mistake.at, mistake.words) for mistake in found]
    ({'a': [1, 2]}, [(8, 'a comma is missing after 1'), (10, 'no comma stands after the last one; take it out')])
    >>> read_places('["a"')
    (None, [Found(at=0, words='this [ is never closed; write ] where it ends')])
    """
    reader = _Reader(text)
    try:
        node = reader.whole()
    except Stop:
        node = None
    return node, reader.found


def line_of(text: str, at: int) -> tuple[int, int]:
    r"""Return the line and the column of a place, both counted from 1.

    Examples
    --------
    >>> line_of("[\n  1\n]", 4)
    (2, 3)
    """
    return text.count("\n", 0, at) + 1, at - (text.rfind("\n", 0, at) + 1) + 1


class _Reader(Tokens):
    """Reads a whole text."""

    def whole(self) -> Node:
        self.blank()
        if self.at == len(self.text):
            self.stop(0, "there is nothing here yet")
        node = self._value(0)
        self.blank()
        if self.at < len(self.text):
            self.stop(self.at, f"the text is over before this {self.here()}; take the rest out, or put it inside")
        return node

    def _value(self, depth: int) -> Node:
        start, mark = self.at, self.sees()
        if depth > _DEEPEST:
            self.stop(start, f"this is nested more than {_DEEPEST} deep; make it flatter")
        if mark == "{":
            return self._object(depth)
        if mark == "[":
            return self._list(depth)
        data = self.read_text() if begins_text(mark) else self.read_word()
        return Node(data, start, self.at)

    # ---- lists and objects

    def _list(self, depth: int) -> Node:
        start = self.at
        self.take()
        items: list[Node] = []
        while self._goes_on("]", start, items[-1].start if items else None):
            items.append(self._value(depth + 1))
        return Node([item.data for item in items], start, self.at, items=items)

    def _object(self, depth: int) -> Node:
        start = self.at
        self.take()
        fields: dict[str, Node] = {}
        keys: dict[str, int] = {}
        last = None
        while self._goes_on("}", start, last):
            place, key = self.at, self._key()
            if key in keys:
                line, _ = line_of(self.text, keys[key])
                self.tell(place, f'the key "{short(key)}" stands twice in one object, first in line {line}; keep one')
            last = self._colon(key)
            keys.setdefault(key, place)
            fields[key] = self._value(depth + 1)
        return Node({key: held.data for key, held in fields.items()}, start, self.at, fields=fields, keys=keys)

    def _goes_on(self, close: str, start: int, last: int | None) -> bool:
        """Pass over what stands between two values; return whether another one comes. `last` is where one began."""
        end, comma, commas = self.at, 0, 0
        self.blank()
        while self.sees() in (",", ";"):
            if commas or last is None:
                self.tell(self.at, "this comma is one too many; take it out")
            comma, commas = self.at, commas + 1
            if self.sees() == ";":
                self.tell(self.at, "values are parted by commas; write , for this ;")
                self.at += 1
            else:
                self.take()
            self.blank()
        mark = self.sees()
        if mark == close:
            if commas == 1 and last is not None:
                self.tell(comma, "no comma stands after the last one; take it out")
            self.take()
            return False
        self._check_goes_on(mark, close, start)
        if not commas and last is not None:
            self._tell_missing(last, end)
        return True

    def _check_goes_on(self, mark: str, close: str, start: int) -> None:
        opened = self.text[start]
        if not mark:
            self.stop(start, f"this {opened} is never closed; write {close} where it ends")
        if mark in "]}":
            line, _ = line_of(self.text, start)
            self.stop(self.at, f"here stands {mark}, but the {opened} of line {line} is closed by {close}")
        if mark in ":=":
            self.stop(self.at, f'here stands {mark}; a colon follows a key in an object: {{"key": value}}')

    def _tell_missing(self, last: int, end: int) -> None:
        before = self.text[last:end]
        if self.at == end and before[-1:] == '"' and self.sees() not in tuple('"[{'):
            self.stop(end - 1, 'the text is over at this quote; a quote that belongs to a text is written \\"')
        shown = before if len(before) <= 30 and "\n" not in before else before[-1]
        self.tell(end, f"a comma is missing after {shown}")

    def _key(self) -> str:
        if begins_text(self.sees()):
            return self.read_text()
        word = WORD.match(self.text, self.at)
        if word is None:
            self.stop(self.at, f'here stands {self.here()}, where a key is to stand, in quotes: "key": value')
        key = word[0]
        self.tell(self.at, f'a key stands in double quotes: "{short(key)}"')
        self.at += len(key)
        return key

    def _colon(self, key: str) -> int:
        """Pass over the colon after a key; return where the value begins."""
        end = self.at
        self.blank()
        if self.sees() in (":", "="):
            if self.sees() == "=":
                self.tell(self.at, "a colon follows a key; write : for this =")
                self.at += 1
            else:
                self.take()
            end = self.at
            self.blank()
            if self.sees() in ("", ",", "}", "]", ":"):
                self.stop(end - 1, f'the value of "{short(key)}" is missing after the colon')
        elif self.sees() in ("", ",", "}", "]"):
            self.stop(end - 1, f'the key "{short(key)}" has no value; write "{short(key)}": and the value')
        else:
            self.tell(end, f'a colon is missing after "{short(key)}"')
        return self.at

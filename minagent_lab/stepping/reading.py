"""Reading data that somebody typed: fields and types, and what is wrong with them in words, with its place."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Any

from minagent_lab.stepping.json_tokens import Found
from minagent_lab.stepping.placed_json import Node
from minagent_lab.values import dump_json


class Reading:
    """One text being read: what is wrong with it is told here."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.found: list[Found] = []

    def tell(self, at: int, words: str) -> None:
        """Keep a mistake."""
        self.found.append(Found(at, words))

    def fields(self, node: Node, known: Iterable[str], needed: Iterable[str] = ()) -> dict[str, Node] | None:
        """Return the fields of an object, those that are known; ``None`` when it is no object."""
        if not isinstance(node.data, dict):
            some = ", ".join(f'"{name}": …' for name in needed or list(known)[:1])
            self.tell(node.start, f"here stands {kind(node.data)}; write an object: {{{some}}}")
            return None
        known = list(known)
        for name in node.fields:
            if name not in known:
                near = difflib.get_close_matches(name, known, n=1)
                hint = f'did you mean "{near[0]}"?' if near else f"there are {', '.join(known)}"
                self.tell(node.keys[name], f'nobody knows the field "{name:.40}" here; {hint}')
        for name in needed:
            if name not in node.fields:
                self.tell(node.start, f'the field "{name}" is missing here; add "{name}": …')
        return {name: held for name, held in node.fields.items() if name in known}

    def typed(self, fields: dict[str, Node], name: str, wanted: type, words: str, default: Any = None) -> Any:
        """Return the value of a field, if it is there and of the type that is wanted."""
        if name not in fields:
            return default
        node = fields[name]
        if type(node.data) is wanted:
            return node.data
        self.tell(node.start, f'"{name}" is {kind(node.data)}; write {words}')
        return default

    def made(self, node: Node, make: Any, *parts: Any) -> Any:
        """Return what is made of the parts; where it refuses, its words are told."""
        try:
            return make(*parts)
        except Exception as problem:  # a schema is judged by a library, which may give up in its own ways
            self.tell(node.start, str(problem) or type(problem).__name__)
            return None


def kind(data: Any) -> str:
    """Return what kind of JSON it is.

    Examples
    --------
    >>> kind("a"), kind(1), kind(True), kind(None), kind([]), kind({})
    ('text', 'a number', 'true', 'null', 'a list', 'an object')
    """
    if data is None or isinstance(data, bool):
        return dump_json(data)
    words: dict[type, str] = {str: "text", list: "a list", dict: "an object"}
    return words.get(type(data), "a number")

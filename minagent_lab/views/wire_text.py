r"""Bytes of the wire as text for people: what cannot stand alone as a character is shown as a number.

A piece may begin and end inside a character. Its bytes there are shown in hex, each by itself, so that one sees where
the cut went: ``你`` cut after its second byte is ``e4`` ``bd`` in one piece and ``a0`` in the next.
"""

from __future__ import annotations

import re
from typing import NamedTuple

_ENDS = re.compile("\r\n|\r|\n")
_WORDS = {"\r\n": "\\r\\n", "\r": "\\r", "\n": "\\n"}


class Bit(NamedTuple):
    """A bit of a piece: ``"text"``, a byte in ``"hex"``, or a line's ``"end"``."""

    kind: str
    text: str


def bits_of(piece: bytes) -> list[Bit]:
    r"""Return a piece of bytes as what can be shown of it.

    Examples
    --------
    >>> bits_of("你好".encode()[1:] + b"\n")
    [Bit(kind='hex', text='bd'), Bit(kind='hex', text='a0'), Bit(kind='text', text='好'), Bit(kind='end', text='\\n')]
    """
    bits: list[Bit] = []
    rest = piece
    while rest:
        try:
            text, stop, wrong = rest.decode("utf-8"), len(rest), b""
        except UnicodeDecodeError as problem:
            text, stop = rest[: problem.start].decode("utf-8"), problem.end
            wrong = rest[problem.start : problem.end]
        bits += _of_text(text) + [Bit("hex", f"{byte:02x}") for byte in wrong]
        rest = rest[stop:]
    return bits


def _of_text(text: str) -> list[Bit]:
    bits, start = [], 0
    for end in _ENDS.finditer(text):
        bits += [Bit("text", text[start : end.start()])] if end.start() > start else []
        bits.append(Bit("end", _WORDS[end[0]]))
        start = end.end()
    return bits + ([Bit("text", text[start:])] if start < len(text) else [])


def cut_inside(piece: bytes) -> bool:
    """Whether a piece ends inside a character.

    Examples
    --------
    >>> cut_inside("你".encode()), cut_inside("你".encode()[:2])
    (False, True)
    """
    return bool(bits := bits_of(piece)) and bits[-1].kind == "hex"

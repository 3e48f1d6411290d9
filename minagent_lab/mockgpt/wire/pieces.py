"""A text in pieces, as a stream has it: of so many code points, and not through the middle of what one sees as one."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

DEFAULT_CHUNK = 8  # code points, about two tokens
LONGEST = 32  # code points that one sign may add to a piece; what is longer is no sign, but somebody's joke
_JOINER = "\u200d"


def text_pieces(text: str, size: int | None) -> Iterator[str]:
    """Yield a text in pieces of `size` code points; a piece is longer where it would end inside an emoji or an accent.

    Examples
    --------
    >>> list(text_pieces("服务在线。", 2)), list(text_pieces("a👩‍👧b", 1))
    (['服务', '在线', '。'], ['a', '👩\u200d👧', 'b'])
    """
    size = DEFAULT_CHUNK if size is None else size
    if text.isascii():
        yield from (text[start : start + size] for start in range(0, len(text), size))
        return
    start = 0
    while start < len(text):
        end = start + size
        while end < len(text) and end - start < size + LONGEST and _belongs(text, end):
            end += 1
        yield text[start:end]
        start = end


def _belongs(text: str, place: int) -> bool:
    """Whether the code point at a place is one sign with the one before."""
    here, before = text[place], text[place - 1]
    if here < "\u0300":
        return False
    if here == _JOINER or before == _JOINER or "\U0001f3fb" <= here <= "\U0001f3ff" or "\ufe00" <= here <= "\ufe0f":
        return True
    if _is_flag(here) and _is_flag(before):  # two make a flag, and the next two another one
        run = place
        while run and _is_flag(text[run - 1]):
            run -= 1
        return (place - run) % 2 == 1
    return "\U000e0020" <= here <= "\U000e007f" or unicodedata.category(here)[0] == "M"


def _is_flag(sign: str) -> bool:
    return "\U0001f1e6" <= sign <= "\U0001f1ff"

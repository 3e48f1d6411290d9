"""Where two pieces of JSON data differ, in words: the first place, what stands there, and what was expected."""

from __future__ import annotations

from typing import Any

from minagent_lab.values import dump_json

LONGEST = 120  # characters of a value that are shown


def difference(got: Any, wanted: Any, *, more: bool = False, at: str = "") -> str:
    """Return the first difference in words, ``""`` when there is none.

    Numbers are equal when they are as large: 2 and 2.0. Beyond that a kind is a kind: ``true`` is not 1, and ``"1"``
    is not 1.

    Parameters
    ----------
    got, wanted
        JSON data.
    more
        Whether objects may have more keys than are expected. Lists never have more items.
    at
        Where in the whole this is.

    Examples
    --------
    >>> difference({"a": [1, 2.0]}, {"a": [1, 2]})
    ''
    >>> difference({"a": [1, 3], "b": 0}, {"a": [1, 2]}, more=True)
    "at ['a'][1] there is 3, not 2"
    """
    if isinstance(got, dict) and isinstance(wanted, dict):
        return _of_objects(got, wanted, more=more, at=at)
    if isinstance(got, list) and isinstance(wanted, list):
        return _of_lists(got, wanted, more=more, at=at)
    if _same_kind(got, wanted) and got == wanted:
        return ""
    return f"{_place(at)} there is {shown(got)}, not {shown(wanted)}"


def shown(data: Any) -> str:
    """Return JSON data as short text."""
    text = dump_json(data)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}… ({len(text):,} characters)"


def _of_objects(got: dict[str, Any], wanted: dict[str, Any], *, more: bool, at: str) -> str:
    for key, item in wanted.items():
        if key not in got:
            return f"{_place(at)} the key {key!r} is missing; there are {', '.join(map(repr, got)) or 'none'}"
        if found := difference(got[key], item, more=more, at=f"{at}[{key!r}]"):
            return found
    extra = [key for key in got if key not in wanted]
    return f"{_place(at)} there is the key {extra[0]!r} too" if extra and not more else ""


def _of_lists(got: list[Any], wanted: list[Any], *, more: bool, at: str) -> str:
    for index, (one, other) in enumerate(zip(got, wanted, strict=False)):
        if found := difference(one, other, more=more, at=f"{at}[{index}]"):
            return found
    if len(got) != len(wanted):
        return f"{_place(at)} there are {len(got)} items, not {len(wanted)}"
    return ""


def _place(at: str) -> str:
    return f"at {at}" if at else "at the top"


def _same_kind(got: Any, wanted: Any) -> bool:
    numbers = (int, float)
    if isinstance(got, bool) or isinstance(wanted, bool):
        return type(got) is type(wanted)
    return isinstance(got, numbers) is isinstance(wanted, numbers)

"""JSON-like data and frozen values: the two rules that keep anybody from changing another's past.

Data is copied when it comes in, and it holds only what JSON can say, so that copying cannot fail half way. Values
(messages, calls, responses) are frozen dataclasses whose refusal tells how to make a changed copy; the data inside is
copied again at each look. So a value can be handed to anybody.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import MISSING, FrozenInstanceError, dataclass, field, fields
from typing import Any, TypeVar, dataclass_transform

T = TypeVar("T")

_SHARED = frozenset({str, int, bool, type(None)})  # cannot be changed, so a copy is the thing itself
_DEEPEST = 100  # levels of nesting; json, repr and == all give up at some hundreds
_encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode
_encode_compact = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode


# ---- JSON-like data -------------------------------------------------------------------------------------------------


def copy_json(value: Any, name: str = "value") -> Any:
    """Return a deep copy of JSON-like data, or say where it is not JSON-like.

    Parameters
    ----------
    value
        ``None``, ``bool``, ``int``, finite ``float``, ``str``, and lists and string-keyed dicts of these, nested up to
        100 deep. A tuple becomes a list; subclasses (an ``IntEnum``, a ``defaultdict``) become the plain type.
    name
        What to call the value in an error, such as ``"usage"``.

    Raises
    ------
    TypeError
        Something inside is not JSON-like. The text names the place, such as ``arguments['lock']``.

    Examples
    --------
    >>> copy_json({"a": (1, 2)})
    {'a': [1, 2]}
    >>> copy_json({"a": [1, {2}]}, "arguments")
    Traceback (most recent call last):
    ...
    TypeError: arguments['a'][1] is a set; use only what JSON knows: text, numbers, true, false, null, lists, objects
    """
    try:
        return _copied(value, _DEEPEST)
    except TypeError:
        raise TypeError(_complaint(value, name, _DEEPEST)) from None


def _copied(value: Any, room: int) -> Any:
    kind = type(value)
    if kind in _SHARED:
        return value
    if isinstance(value, dict) and room:
        copy = dict(value)
        for key, item in value.items():
            if type(key) is not str:
                raise TypeError
            if type(item) not in _SHARED:
                copy[key] = _copied(item, room - 1)
        return copy
    if isinstance(value, (list, tuple)) and room:
        return [item if type(item) in _SHARED else _copied(item, room - 1) for item in value]
    if isinstance(value, float) and math.isfinite(value):
        return float(value)
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, int):
        return int(value)
    raise TypeError


def _complaint(value: Any, name: str, room: int) -> str:
    """Say in words what keeps `value` from being JSON-like, at the first place where it is not."""
    if not room and isinstance(value, (dict, list, tuple)):
        return f"{name[:60]}… contains itself or is nested more than {_DEEPEST} deep; break the cycle, or flatten it"
    if isinstance(value, dict):
        for key, item in value.items():
            if type(key) is not str:
                return f"{name} has the key {key!r}, {a_kind(key)}; JSON keys are text: write {str(key)!r}"
            if complaint := _complaint(item, f"{name}[{key!r}]", room - 1):
                return complaint
    elif isinstance(value, (list, tuple)):
        for place, item in enumerate(value):
            if complaint := _complaint(item, f"{name}[{place}]", room - 1):
                return complaint
    elif isinstance(value, float) and not math.isfinite(value):
        return f"{name} is {value}, which JSON cannot say; use null or text"
    elif not isinstance(value, (str, int, float, type(None))):
        return f"{name} is {a_kind(value)}; use only what JSON knows: text, numbers, true, false, null, lists, objects"
    return ""


def a_kind(value: Any) -> str:
    """Return what kind of thing it is, with its article; asks the thing itself nothing.

    Examples
    --------
    >>> a_kind(5), a_kind("five"), a_kind(None), a_kind(int)
    ('an int', 'a str', 'None', 'the class int')
    """
    kind = type(value)
    if issubclass(kind, type):
        return f"the class {value.__name__}"
    if value is None:
        return "None"
    return f"{'an' if kind.__name__[:1].lower() in 'aeiou' else 'a'} {kind.__name__}"


def dump_json(value: Any, *, compact: bool = False) -> str:
    """Return JSON text as a model reads it: real characters, never ``NaN``; `compact` is how sizes are counted.

    What is no whole character, a lone surrogate, is escaped: the text can always be stored and sent as UTF-8.

    Examples
    --------
    >>> dump_json({"城市": "北京"}), dump_json({"a": [1, 2]}, compact=True)
    ('{"城市": "北京"}', '{"a":[1,2]}')
    """
    return storable(_encode_compact(value) if compact else _encode(value))


def storable(text: str) -> str:
    r"""Return `text` with each lone surrogate, which UTF-8 cannot say, written out in ASCII.

    Examples
    --------
    >>> print(storable("温度 5\udcb0"))
    温度 5\udcb0
    """
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode("utf-8")


def parse_json(text: str) -> Any:
    """Return the data in a JSON text, and refuse what different readers would read differently.

    Raises
    ------
    ValueError
        It is not JSON, holds ``NaN`` or ``Infinity``, or names one key of an object twice.

    Examples
    --------
    >>> parse_json('{"a": 1, "a": 2}')
    Traceback (most recent call last):
    ...
    ValueError: the key "a" stands twice in one object; keep one of them
    """
    data = json.loads(text, object_pairs_hook=_object_once, parse_constant=_no_constant)
    copy_json(data)  # 1e999 is read as infinite without being asked for
    return data


def _object_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    data: dict[str, Any] = {}
    for key, item in pairs:
        if key in data:
            raise ValueError(f'the key "{key}" stands twice in one object; keep one of them')
        data[key] = item
    return data


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON; use null or text")


# ---- frozen values --------------------------------------------------------------------------------------------------


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def value(cls: type[T]) -> type[T]:
    """Make `cls` a frozen dataclass with a short repr that can be pasted back, and a refusal that helps.

    Examples
    --------
    >>> @value
    ... class Point:
    ...     x: int
    ...     y: int = 0
    >>> Point(1)
    Point(1)
    >>> Point(1).x = 2
    Traceback (most recent call last):
    ...
    dataclasses.FrozenInstanceError: Point is frozen; make a changed copy with dataclasses.replace(point, x=...)
    """
    made = dataclass(frozen=True, repr=False)(cls)
    for name, method in (("__setattr__", _refuse), ("__delattr__", _refuse)):
        setattr(made, name, method)
    if "__repr__" not in vars(cls):
        setattr(made, "__repr__", _short_repr)  # noqa: B010  (a plain assignment upsets the type checker)
    return made


def copied_at_each_look(*names: str) -> Callable[[type[T]], type[T]]:
    """Make the data in these fields of a value the reader's own: each look at it is a copy.

    So a value can be shared by everybody, like text and numbers can, and nobody needs to copy it. JSON data is copied
    whole; of a history it is enough to take a snapshot.

    Examples
    --------
    >>> @copied_at_each_look("arguments")
    ... @value
    ... class Call:
    ...     arguments: dict
    >>> call = Call({"a": 1})
    >>> mine = call.arguments
    >>> mine["a"] = 2
    >>> call.arguments
    {'a': 1}
    """

    def made(cls: type[T]) -> type[T]:
        for name in names:
            setattr(cls, name, _Copied(name))
        return cls

    return made


class _Copied:
    """A field that is kept in the value's own dict, and copied when it is read."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, it: Any, _: type | None = None) -> Any:
        if it is None:
            return self
        held = it.__dict__[self._name]
        return held.snapshot() if hasattr(held, "snapshot") else _copied(held, _DEEPEST)

    def __set__(self, it: Any, held: Any) -> None:  # reached by the value's own __init__ alone
        it.__dict__[self._name] = held


def _refuse(self: Any, name: str, *_: Any) -> None:
    kind = type(self).__name__
    it = "".join("_" + c.lower() if c.isupper() else c for c in kind).lstrip("_")
    raise FrozenInstanceError(f"{kind} is frozen; make a changed copy with dataclasses.replace({it}, {name}=...)")


def _short_repr(self: Any) -> str:
    """Write a value as one would type it: first fields by position, later ones by name, defaults not at all."""
    parts, by_position = [], True
    for described in fields(self):
        held = getattr(self, described.name)
        default = described.default_factory() if described.default_factory is not MISSING else described.default
        if default is not MISSING and held == default:
            by_position = False
        else:
            parts.append(repr(held) if by_position else f"{described.name}={held!r}")
    return f"{type(self).__name__}({', '.join(parts)})"

"""What came of a tool call: from what a function gave back, or raised, to the text that a model will read.

Text stays text. Everything else becomes JSON text, by a few documented conversions. What has no JSON form gives an
error text, never an address in memory, and never a crash after the tool has done its work.
"""

from __future__ import annotations

import dataclasses
import datetime
import decimal
import enum
import pathlib
import uuid
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from minagent_lab.values import copy_json, dump_json, storable

LONGEST_MESSAGE = 2_000  # characters of an exception's own text; a model needs no more to go on


class ToolResult(NamedTuple):
    """What came of one tool call.

    Parameters
    ----------
    content
        What the model will read: text as it is, everything else as JSON text.
    error
        ``None``, or which kind: ``"unknown_tool"``, ``"invalid_arguments"``, ``"tool_failed"`` or ``"not_run"``.
    """

    content: str
    error: str | None = None


class NotJson(Exception):
    """A tool's result has no JSON form."""


def result_text(tool_name: str, result: Any) -> str:
    """Return what the model will read of a tool's result.

    A ``datetime``, ``date`` or ``time`` becomes ISO text, a dataclass an object, a set a sorted list, an enum its
    value, a path text with ``/``, a ``Decimal`` or ``UUID`` text; what has ``tolist()`` (numpy) or ``model_dump()``
    (pydantic) is asked for it. ``None`` is ``null``. Keys are converted as values are, and written as text.

    Raises
    ------
    NotJson
        For bytes, generators, ``NaN``, cycles, keys that would collide, and unknown objects.

    Examples
    --------
    >>> result_text("t", "5 °C"), result_text("t", {"城市": "北京"}), result_text("t", None)
    ('5 °C', '{"城市": "北京"}', 'null')
    """
    if isinstance(result, str):
        return storable(str.__str__(result))
    try:
        if type(result) is int:  # the most common result, and the same in both languages
            return str(result)
        return dump_json(copy_json(result, "result"))
    except (TypeError, ValueError):
        pass  # not plain JSON data: convert it piece by piece
    try:
        return dump_json(copy_json(_plain(result), "result"))
    except NotJson as reason:
        raise NotJson(f"工具 {tool_name} 返回了不可序列化的 {reason}") from None
    except (TypeError, ValueError, RecursionError) as reason:
        why = "it contains itself or is nested too deep" if isinstance(reason, RecursionError) else str(reason)
        raise NotJson(f"工具 {tool_name} 返回了不可序列化的 {type(result).__name__} (not JSON: {why:.300})") from None


def exception_text(error: BaseException) -> str:
    """Return ``"TypeName: message"``, or ``"TypeName"`` where there is no message; never blank, never endless.

    Examples
    --------
    >>> exception_text(KeyError("coffee")), exception_text(ValueError())
    ("KeyError: 'coffee'", 'ValueError')
    """
    name = type(error).__name__
    try:
        message = str(error).strip()
    except Exception:  # a broken __str__ must not end a run
        return name
    if len(message) > LONGEST_MESSAGE:
        message = f"{message[:LONGEST_MESSAGE]}… (cut, {len(message)} characters)"
    return f"{name}: {message}" if message else name


def error_text(message: str) -> str:
    """Return the text that carries an error to the model.

    Examples
    --------
    >>> error_text("ValueError: 除零")
    '{"error": "ValueError: 除零"}'
    """
    return dump_json({"error": message})


def _plain(value: Any) -> Any:
    """Replace, at every depth, what is not JSON by its JSON form."""
    if isinstance(value, enum.Enum):
        return _plain(value.value)
    if value is None or isinstance(value, (str, bool, int, float)):
        return value
    if isinstance(value, Mapping):
        return _plain_object(value)
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, (set, frozenset)):
        items = [_plain(item) for item in value]
        try:
            return sorted(items)
        except TypeError:  # of several kinds; any order will do that is the same every time
            return sorted(items, key=repr)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: _plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    for kind, convert in _CONVERSIONS.items():
        if isinstance(value, kind):
            return convert(value)
    for method in ("tolist", "model_dump"):  # numpy arrays and numbers; pydantic models
        if callable(getattr(type(value), method, None)) and not isinstance(value, memoryview):  # those are bytes
            return _plain(getattr(value, method)())
    raise NotJson(f"{type(value).__name__} (not JSON: return text, numbers, lists or dicts)")


_CONVERSIONS: dict[type, Callable[[Any], Any]] = {
    datetime.date: lambda moment: moment.isoformat(),  # a datetime is a date too
    datetime.time: datetime.time.isoformat,
    decimal.Decimal: str,
    pathlib.PurePath: pathlib.PurePath.as_posix,
    uuid.UUID: str,
}


def _plain_object(mapping: Mapping[Any, Any]) -> dict[str, Any]:
    plain: dict[str, Any] = {}
    for key, item in mapping.items():
        name = _plain(key)
        if isinstance(name, (dict, list)):
            raise NotJson(f"dict (not JSON: a key is a {type(key).__name__}; keys are text)")
        name = str.__str__(name) if isinstance(name, str) else dump_json(copy_json(name, "a key"))
        if name in plain:
            raise NotJson(f"dict (not JSON: two keys become {name!r:.80})")
        plain[name] = _plain(item)
    return plain

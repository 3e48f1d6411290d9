"""A script item as text that can be edited, and back."""

from __future__ import annotations

import json
from typing import Any

from minagent_lab.errors import ForkError
from minagent_lab.fakes.script import Expect
from minagent_lab.messages import Message, ModelResponse, ToolCall
from minagent_lab.values import a_kind, dump_json, parse_json

FIELDS = ("content", "tool_calls", "stop_reason", "usage", "model")  # of a whole response
CALL_FIELDS = ("id", "name", "arguments")


def is_text(item: Any) -> bool:
    """Whether an item is written as plain text; all others are written as JSON."""
    return isinstance(_inside(item), str) or item is None


def text_of_item(item: Any) -> str:
    r"""Return an item as text to edit; empty for ``None``, and for an item that is an error.

    Examples
    --------
    >>> text_of_item("Hello.")
    'Hello.'
    >>> print(text_of_item([ToolCall("c1", "add", {"a": 2})]))
    [
      {"id": "c1", "name": "add", "arguments": {"a": 2}}
    ]
    """
    item = _inside(item)
    if isinstance(item, str):
        return item
    if isinstance(item, list):
        return _lines(item)
    if not isinstance(item, ModelResponse):
        return ""
    calls = f'"tool_calls": {_lines(item.message.tool_calls)}' if item.message.tool_calls else ""
    others = {"content": item.message.content, "stop_reason": item.stop_reason, "usage": item.usage}
    if item.model:
        others["model"] = item.model
    parts = [f"{dump_json(name)}: {dump_json(held)}" for name, held in others.items()]
    parts.insert(1, calls)
    inside = ",\n".join(part for part in parts if part)
    return "{\n  " + inside.replace("\n", "\n  ") + "\n}"


def _lines(calls: Any) -> str:
    rows = [dump_json({"id": call.id, "name": call.name, "arguments": call.arguments}) for call in calls]
    return "[\n  " + ",\n  ".join(rows) + "\n]"


def item_of_text(text: str, *, as_json: bool, like: Any = None) -> Any:
    """Return the item that a text says.

    Parameters
    ----------
    text
        Plain text; or JSON: a list of tool calls, or an object with the fields of a response.
    as_json
        Which of the two.
    like
        The item before it was edited. Its check of the request stays.

    Raises
    ------
    ForkError
        It is not JSON, or not that of an item. The text names the place.

    Examples
    --------
    >>> item_of_text('[{"id": "c1", "name": "add", "arguments": {"a": 2}}]', as_json=True)
    [ToolCall('c1', 'add', {'a': 2})]
    >>> item_of_text('[{"id": "c1" "name": "add"}]', as_json=True)
    Traceback (most recent call last):
    ...
    minagent_lab.errors.ForkError: this is not JSON, line 1, column 14: Expecting ',' delimiter
    """
    item = _item(_parsed(text)) if as_json else text
    return Expect(item, like.request) if isinstance(like, Expect) else item


def _inside(item: Any) -> Any:
    return item.item if isinstance(item, Expect) else item


def _parsed(text: str) -> Any:
    try:
        return parse_json(text)
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise ForkError(f"this is not JSON, {place}: {error.msg}") from None
    except (ValueError, TypeError, RecursionError) as error:
        raise ForkError(f"this is not JSON as a model could send it: {error}") from None


def _item(data: Any) -> Any:
    if isinstance(data, str):
        return data
    try:
        if isinstance(data, list):
            if not data:
                raise ForkError("the list is empty; write one tool call or more, or plain text")
            calls = [_call(row, number) for number, row in enumerate(data, 1)]
            Message("assistant", tool_calls=calls)  # refuses an id that stands twice
            return calls
        if isinstance(data, dict):
            return _response(data)
    except (TypeError, ValueError) as error:
        raise error if isinstance(error, ForkError) else ForkError(str(error)) from None
    raise ForkError(f"an item is a list of tool calls, a response as an object, or text; this is {a_kind(data)}")


def _response(data: dict[str, Any]) -> ModelResponse:
    if odd := next((name for name in data if name not in FIELDS), None):
        raise ForkError(f"a response has no field {odd!r:.40}; it has {', '.join(FIELDS)}")
    rows = data.get("tool_calls", [])
    if not isinstance(rows, list):
        raise ForkError(f"tool_calls is {a_kind(rows)}; write a list")
    calls = [_call(row, number) for number, row in enumerate(rows, 1)]
    message = Message("assistant", data.get("content") or "", calls)
    reason = data.get("stop_reason") or ("tool_use" if calls else "end_turn")
    return ModelResponse(message, reason, data.get("usage") or {}, data.get("model") or "")


def _call(row: Any, number: int) -> ToolCall:
    if not isinstance(row, dict) or set(row) != set(CALL_FIELDS):
        has = ", ".join(map(str, row)) or "nothing" if isinstance(row, dict) else a_kind(row)
        raise ForkError(f"tool call {number} needs id, name and arguments, and no more; it has {has:.80}")
    return ToolCall(row["id"], row["name"], row["arguments"])

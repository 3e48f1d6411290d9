"""What a rule can answer with, beyond plain text and JSON: options of its way, tool calls, errors, and sequences."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import field
from typing import Any

from minagent_lab.checks import check_text, check_usage
from minagent_lab.errors import AbortError, ProviderError
from minagent_lab.fakes.script import Expect, Script
from minagent_lab.messages import ToolCall
from minagent_lab.mockgpt.faults import FAULTS, read_faults
from minagent_lab.mockgpt.generators import kept
from minagent_lab.mockgpt.outputs import Failure, Options
from minagent_lab.mockgpt.request import MockRequest
from minagent_lab.values import copy_json, value

Key = Callable[[MockRequest], Any]


@value
class Written:
    """An answer as its author wrote it; what is seeded in it is worked out when it is given."""

    kind: str
    held: Any
    content: Any = ""
    stop_reason: str = ""
    usage: dict[str, Any] | None = None
    model: str = ""
    options: Options = Options()
    faults: dict[str, Any] = field(default_factory=dict)
    check: Expect | None = None

    def __repr__(self) -> str:
        return f"responses.{self.kind}({self.held!r:.80})"


def text(content: Any, **options: Any) -> Written:
    """Return a text, with options.

    Parameters
    ----------
    content
        Text, or a seeded text of ``generators``.
    **options
        ``chunk_size``, ``interval_ms``, ``wire_chunk_size`` (see `Options`), ``stop_reason``, ``usage``, ``model``, and
        what goes wrong on the way: each fault of ``faults.FAULTS``, such as ``cut_after=100``, by itself or in a dict
        ``faults={"cut_after": 100}``.

    Examples
    --------
    >>> text("服务在线。", chunk_size=2)
    responses.text('服务在线。')
    """
    if isinstance(content, str):
        check_text("responses.text: content", content)
    return Written("text", content, **_options(options))


def json(held: Any, **options: Any) -> Written:
    """Return a JSON value; over the wire it travels as its text. Options as for `text`."""
    return Written("json", kept(held), **_options(options))


def tool_calls(*calls: Any, content: str = "", **options: Any) -> Written:
    """Return a wish for tools.

    Parameters
    ----------
    *calls
        Each a `ToolCall`, or a pair of name and arguments, which then gets a seeded id. Arguments may be text: what a
        model writes that is no JSON object, or one that names a key twice.
    content
        Text beside the calls.
    **options
        As for `text`.

    Examples
    --------
    >>> tool_calls(("add", {"a": 2, "b": 3}))
    responses.tool_calls([('add', {'a': 2, 'b': 3})])
    """
    if len(calls) == 1 and isinstance(calls[0], list):
        calls = tuple(calls[0])
    if not calls:
        raise TypeError("responses.tool_calls() needs a call: ToolCall(id, name, arguments), or (name, arguments)")
    for call in calls:
        if not isinstance(call, ToolCall) and not (isinstance(call, tuple) and len(call) == 2):
            raise TypeError(f"{call!r:.80} is no call; write ToolCall(id, name, arguments), or (name, arguments)")
        if isinstance(call, tuple):
            for name, told in (("name", call[0]), ("arguments", call[1])):
                if name == "name" or isinstance(told, str):
                    check_text(f"responses.tool_calls: {name}", told, empty=name != "name")
    check_text("responses.tool_calls: content", content)
    return Written(
        "tool_calls",
        [call if isinstance(call, ToolCall) else (call[0], kept(call[1])) for call in calls],
        content=content,
        **_options(options),
    )


def error(
    status: int,
    message: str = "",
    *,
    type: str = "",
    code: str | None = None,
    param: str | None = None,
    retry_after: float | str | None = None,
    headers: Mapping[str, str] | None = None,
    **faults: Any,
) -> Failure:
    """Return an error of the service. Without a message it has the words, type and code that the real one uses.

    Parameters
    ----------
    status
        The HTTP status, from 400 to 599.
    message, type, code, param
        The fields of the error's body. ``code="insufficient_quota"`` is the error 429 that no waiting helps.
    retry_after
        Seconds from 0 up; or the text of the header ``Retry-After``, such as a date.
    headers
        More headers.
    **faults
        ``delay_ms``, ``cut_after`` and ``malformed``, or ``faults={...}`` of these.

    Examples
    --------
    >>> error(429, retry_after=2)
    Failure(429, retry_after=2)
    """
    if isinstance(status, bool) or not isinstance(status, int) or not 400 <= status <= 599:
        raise ValueError(f"responses.error: status is {status!r:.80}; it is a whole number from 400 to 599")
    for name, told in (("message", message), ("type", type), ("code", code or ""), ("param", param or "")):
        check_text(f"responses.error: {name}", told)
    named = _headers(headers or {})
    if retry_after is not None:
        _check_wait(retry_after)
    held = _options(faults)["faults"]
    if odd := next((name for name in held if name not in ("delay_ms", "cut_after", "malformed")), None):
        raise TypeError(f"an error has no fault {odd!r}; it has delay_ms, cut_after, malformed")
    return Failure(status, message, type, code, param, retry_after, named, held)


def _check_wait(wait: Any) -> None:
    if isinstance(wait, str):
        _headers({"retry-after": wait})
    elif isinstance(wait, bool) or not isinstance(wait, (int, float)) or not math.isfinite(wait) or wait < 0:
        raise ValueError(f"responses.error: retry_after is {wait!r:.80}; it is seconds from 0 up, or text")


def _headers(headers: Mapping[str, str]) -> dict[str, str]:
    for name, held in headers.items():
        if not all(isinstance(text, str) and text.isascii() and text.isprintable() for text in (name, held)):
            raise ValueError(f"responses.error: the header {name!r:.60} is {held!r:.60}; both are printable ASCII")
    return {name.lower(): held for name, held in headers.items()}


class Sequence:
    """One answer after the other, each conversation on its own; see `sequence`."""

    def __init__(self, items: Iterable[Any], then: Any, key: Key | None) -> None:
        if isinstance(items, (str, Mapping)):
            raise TypeError(f"a sequence is made of its items: sequence(first, second), got {items!r:.80}")
        if key is not None and not callable(key):
            raise TypeError(f"key is {key!r:.80}; write a function of the request, such as lambda r: r.model")
        self.items, self.then, self._key = [kept(item) for item in items], kept(then), key

    def key(self, request: MockRequest) -> Any:
        """Return which conversation a request belongs to."""
        return request.conversation if self._key is None else self._key(request)

    def item(self, index: int) -> Any:
        """Return what comes at an index, or `THE_END`."""
        return self.items[index] if index < len(self.items) else self.then

    def __repr__(self) -> str:
        return f"responses.sequence of {len(self.items)}"


THE_END = object()  # nothing comes after the last item


def sequence(*items: Any, then: Any = THE_END, key: Key | None = None) -> Sequence:
    """Return one answer after the other: ``sequence(error(500), error(500), "Hello.")`` fails twice.

    Parameters
    ----------
    *items
        Whatever a rule can answer with.
    then
        What to answer after the last item. Left out, that is an error: somebody asks more often than expected.
    key
        Tells, from the request, whose turn it is; each key has a place in the sequence of its own. Left out, a
        conversation is told by its model and its messages up to the first one of the user.

    Examples
    --------
    >>> sequence(error(500), "Hello.")
    responses.sequence of 2
    """
    return Sequence(items, then, key)


def script(items: Iterable[Any], *, key: Key | None = None) -> Sequence:
    """Return what plays the script of a `FakeModel`, item by item.

    Examples
    --------
    >>> script([[ToolCall("c1", "add", {"a": 2, "b": 3})], "5"])
    responses.sequence of 2
    """
    played = Script(items, errors=True)
    return Sequence([_played(played, index) for index in range(len(played))], THE_END, key)


def _played(played: Script, index: int) -> Any:
    try:
        response = played.play(index)
    except ProviderError as problem:
        return problem
    except AbortError as problem:
        raise TypeError("an AbortError is no answer: it comes from the caller; use delay_ms, and abort") from problem
    return Written(
        "tool_calls" if response.message.tool_calls else "text",
        list(response.message.tool_calls) or response.message.content,
        content=response.message.content,
        stop_reason=response.stop_reason,
        usage=response.usage,
        model=response.model,
        check=played.checks[index],
    )


def _options(options: dict[str, Any]) -> dict[str, Any]:
    travel = {name: options.pop(name) for name in ("chunk_size", "interval_ms", "wire_chunk_size") if name in options}
    kept: dict[str, Any] = {name: options.pop(name) for name in ("stop_reason", "usage", "model") if name in options}
    faults = options.pop("faults", {})
    if not isinstance(faults, Mapping):
        raise TypeError(f'faults is {faults!r:.80}; write a dict: {{"cut_after": 100}}')
    faults = read_faults({**faults, **{name: options.pop(name) for name in FAULTS if name in options}})
    if options:
        known = ["chunk_size", "interval_ms", "wire_chunk_size", "stop_reason", "usage", "model", "faults", *FAULTS]
        raise TypeError(f"there is no option {next(iter(options))!r}; there are {', '.join(known)}")
    for name in ("stop_reason", "model"):
        check_text(name, kept.get(name, ""))
    if kept.get("usage") is not None:
        check_usage(kept["usage"])
        kept["usage"] = copy_json(kept["usage"], "usage")
    return {**kept, "options": Options(**travel), "faults": faults}

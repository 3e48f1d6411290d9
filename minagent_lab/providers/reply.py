"""From what a service sent to a `ModelResponse`: the rules that hold for every service.

A response is refused here when it is none, before it reaches a tool: calls without a name, two calls of one id, an end
that nobody explains. What can be put right without a guess is put right: a call without an id gets one of ours, since
an id is only there to pair the call with its result, and the next request tells the service both.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

from minagent_lab.errors import MalformedResponseError
from minagent_lab.messages import Message, ModelResponse, ToolCall
from minagent_lab.providers.arguments import read_arguments, whole
from minagent_lab.values import a_kind

_CUT = ("max_tokens", "content_filter")  # see ModelResponse.cut


class Written(NamedTuple):
    """A call as the service wrote it, unread."""

    id: Any
    name: Any
    arguments: Any


def read_reply(
    text: str, calls: Sequence[Written], stop_reason: str, usage: dict[str, int], model: Any, turn: int
) -> ModelResponse:
    """Return the response, or refuse what is none.

    Parameters
    ----------
    text, calls, stop_reason, usage, model
        What was sent; the stop reason in our words, or in the service's own.
    turn
        How many messages the request had. It tells the ids that we give in this answer from those of earlier ones.

    Raises
    ------
    MalformedResponseError
        It is not a response.

    Examples
    --------
    >>> read_reply("", [Written(None, "now", "")], "end_turn", {}, "", turn=2)
    ModelResponse(Message('assistant', tool_calls=(ToolCall('call_2_1', 'now', {}),)), 'tool_use')
    """
    if stop_reason == "end_turn" and calls:
        stop_reason = "tool_use"  # some services say "stop" and mean the calls
    if stop_reason in ("tool_use", "function_call") and not calls:
        raise MalformedResponseError(f"the stop reason is {stop_reason}, and there is no tool call")
    if stop_reason == "end_turn" and not text:
        raise MalformedResponseError("there is neither text nor a tool call, and the stop reason does not say why")
    try:
        wishes = [_call(call, f"call_{turn}_{n}", stop_reason in _CUT) for n, call in enumerate(calls, 1)]
        message = Message("assistant", whole(text), wishes)
        return ModelResponse(message, whole(stop_reason), usage, whole(model) if isinstance(model, str) else "")
    except (TypeError, ValueError) as problem:
        if isinstance(problem, MalformedResponseError):
            raise
        raise MalformedResponseError(f"the answer cannot be used: {problem}") from None


def _call(written: Written, own_id: str, cut: bool) -> ToolCall:
    name = written.name
    if not isinstance(name, str) or not name:
        raise MalformedResponseError(f"a tool call has the name {name!r:.80}; it has to name a tool")
    id = own_id if written.id in (None, "") else written.id
    return ToolCall(id, name, read_arguments(name, written.arguments, cut=cut))


def read_body(text: str | bytes) -> dict[str, Any]:
    """Return the JSON object in a response, or in one event of it.

    Examples
    --------
    >>> read_body("<p>Sign in</p>")
    Traceback (most recent call last):
    ...
    minagent_lab.errors.MalformedResponseError: what came back is not JSON; it begins with '<p>Sign in</p>' (a page \
for people: look at base_url)
    """
    try:
        data = json.loads(text, object_pairs_hook=_once)
    except (ValueError, RecursionError) as problem:
        if isinstance(problem, MalformedResponseError):
            raise
        start = (text if isinstance(text, str) else text[:400].decode("utf-8", "replace")).strip()
        hint = " (a page for people: look at base_url)" if start.startswith("<") else ""
        raise MalformedResponseError(f"what came back is not JSON; it begins with {start[:60]!r}{hint}") from None
    return need(data, dict, "what came back")  # type: ignore[no-any-return]


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    data = dict(pairs)
    if len(data) != len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise MalformedResponseError(f"the key {twice!r:.80} stands twice in one object; which one is meant?")
    return data


def need(data: Any, kind: type, what: str) -> Any:
    """Return `data` when it is of the `kind` that it has to be.

    Examples
    --------
    >>> need(None, list, "choices")
    Traceback (most recent call last):
    ...
    minagent_lab.errors.MalformedResponseError: choices is None; it has to be a list
    """
    if isinstance(data, kind):
        return data
    raise MalformedResponseError(f"{what} is {a_kind(data)}; it has to be a {kind.__name__}")


CACHED = "cache_read_input_tokens"  # our name, too, for the part of the input tokens that the service had kept


def read_usage(
    usage: Any, read: str, written: str, beside: tuple[str, ...] = (), cached: tuple[str, str] = ("", "")
) -> dict[str, int]:
    """Return the tokens counted; an empty dict where one of the counts is not told, since half a sum is no sum.

    Parameters
    ----------
    usage
        What the service sent, if it sent anything.
    read, written
        Its names for the tokens that the model read and wrote.
    beside
        Its names for tokens read that it counts beside the first; where it tells none, there were none. They are added
        to the first, and kept under their names where there were some.
    cached
        Its names, one inside the other, for that part of the first which it had kept; it is kept as
        ``cache_read_input_tokens``, since such tokens cost less.

    Examples
    --------
    >>> read_usage({"prompt_tokens": 10, "completion_tokens": 2}, "prompt_tokens", "completion_tokens")
    {'input_tokens': 10, 'output_tokens': 2}
    >>> read_usage({"prompt_tokens": 10}, "prompt_tokens", "completion_tokens")
    {}
    """
    if usage is None:
        return {}
    need(usage, dict, "usage")
    counts = {name: _count(usage, name) for name in (read, written, *beside)}
    first, second = counts[read], counts[written]
    if first is None or second is None:
        return {}
    apart = {name: count for name in beside if (count := counts[name])}
    if isinstance(details := usage.get(cached[0]), dict) and (count := _count(details, cached[1])):
        apart[CACHED] = count
    return {"input_tokens": first + sum(counts[name] or 0 for name in beside), "output_tokens": second, **apart}


def _count(usage: dict[str, Any], name: str) -> int | None:
    count = usage.get(name)
    if isinstance(count, float) and count.is_integer():  # some services write 5.0
        count = int(count)
    if count is not None and (isinstance(count, bool) or not isinstance(count, int) or count < 0):
        raise MalformedResponseError(f"usage[{name!r}] is {count!r:.80}; it counts tokens: a whole number from 0 up")
    return count

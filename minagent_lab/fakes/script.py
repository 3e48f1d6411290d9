"""A script: what a fake model will say, item by item. Checked when it is written down, not when it is played.

Source: appendix B.2 (the three kinds of item); the provider lesson, homework 1 (checks of the request).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from copy import copy
from typing import Any

from minagent_lab.errors import AbortError, ProviderError, UnexpectedRequest
from minagent_lab.messages import Message, ModelResponse, ToolCall
from minagent_lab.model import ModelRequest
from minagent_lab.values import a_kind, value


@value
class Expect:
    """A script item together with a check of the request that it answers.

    Parameters
    ----------
    item
        Text, a list of `ToolCall`, or a `ModelResponse`.
    request
        A function of the `ModelRequest` that asserts, or returns false when it is not the right one; or anything to
        compare the request with by ``==``.

    Examples
    --------
    >>> from minagent_lab import FakeModel
    >>> model = FakeModel([Expect("Hello.", request=lambda request: len(request.messages) == 2)])
    >>> model.complete([Message("user", "Hi")], [])
    Traceback (most recent call last):
    ...
    minagent_lab.errors.UnexpectedRequest: script item 1 expects another request than the one with 1 message and 0 \
tools, last message user 'Hi'; nothing was consumed
    """

    item: Any
    request: Any

    def __repr__(self) -> str:
        named = getattr(self.request, "__name__", type(self.request).__name__)  # a function's repr holds an address
        return f"Expect({self.item!r}, request={named if callable(self.request) else repr(self.request)})"

    def check(self, request: ModelRequest, place: int) -> None:
        """Raise `UnexpectedRequest` when `request` is not the expected one."""
        reason = ""
        try:
            verdict = self.request(request) if callable(self.request) else request == self.request
        except AssertionError as problem:
            verdict, reason = False, str(problem)
        if verdict is not None and not verdict:
            seen = describe(request)
            because = f": {reason}" if reason else ""
            raise UnexpectedRequest(
                f"script item {place} expects another request than the one with {seen}; nothing was consumed{because}"
            )


class Script:
    """The items of a fake, each kept as the response that it will become, and the check that goes with it.

    Parameters
    ----------
    items
        Text, lists of `ToolCall`, `ModelResponse`, each perhaps in an `Expect`.
    errors
        Whether a `ProviderError` or an `AbortError` may be an item too. It is raised when its turn comes.
    """

    def __init__(self, items: Iterable[Any], *, errors: bool = False) -> None:
        if isinstance(items, (str, dict, ToolCall, ModelResponse, Expect)) or not isinstance(items, Iterable):
            raise TypeError(f"不认识的脚本 {items!r:.80} (unknown script; a script is a list of items)")
        self.checks: list[Expect | None] = []
        self._outcomes: list[ModelResponse | Exception] = []
        for place, item in enumerate(items, 1):
            check = item if isinstance(item, Expect) else None
            self.checks.append(check)
            self._outcomes.append(_outcome(check.item if check else item, place, errors=errors))

    def __len__(self) -> int:
        return len(self._outcomes)

    def play(self, index: int) -> ModelResponse:
        """Return the response of an item, from 0, or raise the error that it is."""
        outcome = self._outcomes[index]
        if isinstance(outcome, Exception):
            raise copy(outcome)  # the one in the script stays without a traceback
        return outcome

    def items(self) -> list[Any]:
        """Return the items as one would write them: text, a list of calls, a whole response, or an error."""
        plain = [_written(outcome) for outcome in self._outcomes]
        return [Expect(item, check.request) if check else item for item, check in zip(plain, self.checks, strict=True)]


def _outcome(item: Any, place: int, *, errors: bool) -> ModelResponse | Exception:
    if not isinstance(item, (ProviderError, AbortError)):
        return _response(item, place, errors=errors)
    if errors:
        return copy(item)
    raise TypeError(
        f"不认识的脚本项 {item!r:.120} (unknown script item {place}, an error; FakeModelProvider plays errors too)"
    )


def _response(item: Any, place: int, *, errors: bool = False) -> ModelResponse:
    if isinstance(item, str):
        return ModelResponse(Message("assistant", item))
    if isinstance(item, ModelResponse):
        return item
    if isinstance(item, list) and item and all(isinstance(call, ToolCall) for call in item):
        try:
            return ModelResponse(Message("assistant", tool_calls=item), "tool_use")
        except ValueError as problem:
            raise ValueError(f"script item {place}: {problem}") from None
    hint = f"write text, a list of ToolCall, {'a ModelResponse or a ProviderError' if errors else 'or a ModelResponse'}"
    if isinstance(item, ToolCall):
        hint = f"calls stand in a list, even a single one: [{item!r}]"
    elif isinstance(item, list):
        hint = "a list holds one ToolCall or more, and nothing else"
    raise TypeError(f"不认识的脚本项 {item!r:.120} (unknown script item {place}, {a_kind(item)}; {hint})")


def _written(response: ModelResponse | Exception) -> Any:
    if isinstance(response, Exception):
        return copy(response)
    calls = list(response.message.tool_calls)
    for item in (calls, response.message.content):
        if item != [] and response == _response(item, 0):
            return item
    return response


def describe(request: ModelRequest) -> str:
    """Say in a few words which request this is.

    Examples
    --------
    >>> describe(ModelRequest([Message("user", "Hi")]))
    "1 message and 0 tools, last message user 'Hi'"
    """
    messages, tools = len(request.messages), len(request.tools)
    counts = f"{messages} message{'s' * (messages != 1)} and {tools} tool{'s' * (tools != 1)}"
    return f"{counts}, last message {last_words(request.messages)}"


def last_words(messages: Sequence[Message]) -> str:
    """Say in a few words what the last message is.

    Examples
    --------
    >>> last_words([Message("tool", "5", tool_call_id="c1")])
    "tool [c1] '5'"
    """
    if not messages:
        return "none"
    last = messages[-1]
    held = ", ".join(f"{call.name} [{call.id}]" for call in last.tool_calls) or repr(last.content)
    whose = f" [{last.tool_call_id}]" if last.tool_call_id else ""
    return f"{last.role}{whose} {held if len(held) <= 80 else held[:80] + '…'}"

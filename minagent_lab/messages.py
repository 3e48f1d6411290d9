"""The vocabulary: tool calls, messages, responses.

All three are values: they copy and check what they are given, so that a wrong word is found where it was written and
not three calls later; and nobody can change them, so that anybody may hold them.
Source: appendix B.1–B.2; ``usage`` and ``action`` from the provider lesson.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from typing import Any

from minagent_lab.checks import check_calls, check_text, check_usage, checked_arguments
from minagent_lab.values import copied_at_each_look, copy_json, value

ROLES = ("system", "user", "assistant", "tool")


@copied_at_each_look("arguments")
@value
class ToolCall:
    """What a model writes when it would like a tool used: a request on paper, not an action.

    Parameters
    ----------
    id
        Pairs the call with its result: the tool message that answers it carries the same id.
    name
        Which tool. The model may name one that does not exist.
    arguments
        A JSON object. Each look at it is a copy.

    Examples
    --------
    >>> ToolCall("c1", "add", {"a": 2, "b": 3})
    ToolCall('c1', 'add', {'a': 2, 'b': 3})
    """

    id: str
    name: str
    arguments: dict[str, Any]

    def __post_init__(self) -> None:
        check_text("ToolCall.id", self.id, empty=False)
        check_text("ToolCall.name", self.name, empty=False)
        object.__setattr__(self, "arguments", checked_arguments(self.id, vars(self)["arguments"]))


@value
class Message:
    """One row of the history, as the model reads it.

    Parameters
    ----------
    role
        ``"system"``, ``"user"``, ``"assistant"`` or ``"tool"``.
    content
        The text; ``""`` when an assistant message holds nothing but calls.
    tool_calls
        The calls of an assistant message, each id once. Kept as a tuple.
    tool_call_id
        In a tool message: the id of the call that it answers.

    Examples
    --------
    >>> Message("tool", "5", tool_call_id="c1")
    Message('tool', '5', tool_call_id='c1')
    """

    role: str
    content: str = ""
    tool_calls: Sequence[ToolCall] = ()
    tool_call_id: str | None = None

    def __post_init__(self) -> None:
        if self.role not in ROLES:
            raise ValueError(f"role is {self.role!r:.80}; use one of {', '.join(ROLES)}")
        check_text("Message.content", self.content)
        if self.tool_call_id is not None:
            check_text("Message.tool_call_id", self.tool_call_id, empty=False)
        if self.tool_calls != ():
            check_calls(self.tool_calls, ToolCall)
            object.__setattr__(self, "tool_calls", tuple(self.tool_calls))


@copied_at_each_look("usage")
@value
class ModelResponse:
    """What one call of a model brings back.

    Parameters
    ----------
    message
        The assistant message.
    stop_reason
        Why it stopped: ``"end_turn"``, ``"tool_use"``, ``"max_tokens"``, ``"content_filter"``, or a provider's own.
    usage
        ``{"input_tokens": int, "output_tokens": int}``, in tokens. An empty mapping means *unknown*, never zero.
        Each look at it is a copy.
    model
        Which model really answered; ``""`` when unknown.

    Examples
    --------
    >>> ModelResponse(Message("assistant", "It is"), "max_tokens").action
    'message'
    """

    message: Message
    stop_reason: str = "end_turn"
    usage: dict[str, Any] = field(default_factory=dict)
    model: str = ""

    def __post_init__(self) -> None:
        if not isinstance(self.message, Message) or self.message.role != "assistant":
            kind = ValueError if isinstance(self.message, Message) else TypeError
            raise kind(f'ModelResponse.message is {self.message!r:.80}; write Message("assistant", ...)')
        check_text("ModelResponse.stop_reason", self.stop_reason, empty=False)
        check_text("ModelResponse.model", self.model)
        check_usage(vars(self)["usage"])
        object.__setattr__(self, "usage", copy_json(vars(self)["usage"], "usage"))

    @property
    def cut(self) -> bool:
        """Whether it was stopped before it was whole, so that a call in it may be half a call."""
        return self.stop_reason in ("max_tokens", "content_filter")

    @property
    def action(self) -> str:
        """What there is to do now: ``"tool_call"``, ``"finish"``, or ``"message"`` when it ended in another way."""
        if self.message.tool_calls:
            return "tool_call"
        return "finish" if self.stop_reason == "end_turn" else "message"

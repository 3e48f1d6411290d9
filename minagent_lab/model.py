"""What a model is to an agent: something that is asked with the whole history, and answers once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import field
from typing import Any, Protocol, Self, runtime_checkable

from minagent_lab.abort import AbortSignal
from minagent_lab.history import History
from minagent_lab.messages import Message, ModelResponse
from minagent_lab.values import copied_at_each_look, copy_json, value


@copied_at_each_look("messages", "tools")
@value
class ModelRequest:
    """What one call of a model sees.

    Parameters
    ----------
    messages
        The whole history; the model keeps nothing between two calls.
    tools
        The tools on offer, each a dict with ``name``, ``description`` and ``parameters`` (a JSON Schema). Each look
        at them is a copy.

    Examples
    --------
    >>> ModelRequest([Message("user", "Hi")])
    ModelRequest(History([Message('user', 'Hi')]))
    """

    messages: Sequence[Message]
    tools: Sequence[dict[str, Any]] = field(default_factory=list)

    def __post_init__(self) -> None:
        object.__setattr__(self, "messages", History(vars(self)["messages"]))
        object.__setattr__(self, "tools", copied_tools(vars(self)["tools"]))

    def later(self, messages: History) -> ModelRequest:
        """Return the request that a longer history makes, with the same tools; they are shared, not copied again."""
        made = object.__new__(ModelRequest)
        vars(made).update(messages=messages.snapshot(), tools=vars(self)["tools"])
        return made

    def as_json(self) -> dict[str, Any]:
        """Return the request as JSON data: ``{"messages": [...], "tools": [...]}``."""
        return {"messages": [message_json(message) for message in self.messages], "tools": self.tools}


def copied_tools(tools: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return a copy of the tools on offer, or refuse what is no list of them."""
    if not isinstance(tools, (list, tuple)) or not all(isinstance(tool, dict) for tool in tools):
        raise TypeError(f"tools is {tools!r:.80}; write a list of dicts: registry.schemas(), or [] for none")
    return copy_json(tools, "tools")  # type: ignore[no-any-return]


def message_json(message: Message) -> dict[str, Any]:
    """Return a message as JSON data: role and content always, calls and id where there are any.

    Examples
    --------
    >>> message_json(Message("tool", "5", tool_call_id="c1"))
    {'role': 'tool', 'content': '5', 'tool_call_id': 'c1'}
    """
    data: dict[str, Any] = {"role": message.role, "content": message.content}
    if message.tool_calls:
        data["tool_calls"] = [{"id": c.id, "name": c.name, "arguments": c.arguments} for c in message.tool_calls]
    if message.tool_call_id is not None:
        data["tool_call_id"] = message.tool_call_id
    return data


class Call(tuple[History, list[dict[str, Any]]]):
    """What the model saw in one call, as a named pair: `messages` and `tools`. Each look at them is a copy."""

    __slots__ = ()

    def __new__(cls, messages: History, tools: list[dict[str, Any]]) -> Self:
        """Pair them."""
        return super().__new__(cls, (messages, tools))

    @property
    def messages(self) -> History:
        """The whole history, as it was."""
        return tuple.__getitem__(self, 0).snapshot()  # type: ignore[no-any-return, attr-defined]

    @property
    def tools(self) -> list[dict[str, Any]]:
        """The tools on offer."""
        return copy_json(tuple.__getitem__(self, 1))  # type: ignore[no-any-return]

    def __iter__(self) -> Iterator[Any]:
        return iter((self.messages, self.tools))

    def __getitem__(self, index: Any) -> Any:
        return (self.messages, self.tools)[index]

    def __getnewargs__(self) -> tuple[Any, ...]:  # what copy and pickle make it from
        return tuple(self)

    def __repr__(self) -> str:
        names = ", ".join(str(tool.get("name", "?")) for tool in self.tools)
        return f"<Call: {len(self.messages)} messages, tools: {names or 'none'}>"


@runtime_checkable
class Model(Protocol):
    """The one method that an agent needs. A fake and a real provider both have it, so each can stand in for the other.

    Source: appendix B.1.
    """

    def complete(self, messages: Sequence[Message], tools: list[dict[str, Any]]) -> ModelResponse:
        """Answer once, to the messages and tools of one `ModelRequest`."""
        ...


@runtime_checkable
class ModelProvider(Protocol):
    """What a model is in production: asked without blocking, and told when to stop.

    It takes what every service needs and gives what every agent needs: no more, so that any service fits behind it,
    and no less, so that nobody has to look past it. Source: the provider lesson.
    """

    async def complete(self, request: ModelRequest, signal: AbortSignal | None = None) -> ModelResponse:
        """Answer one request.

        Raises
        ------
        AbortError
            The signal was given before there was an answer. Nothing else has changed.
        ProviderError
            There is no answer, for one of the reasons in ``errors``.
        """
        ...

"""What a rule looks at: one request, whichever door it came through."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any

from minagent_lab.history import History
from minagent_lab.messages import Message, ToolCall
from minagent_lab.model import ModelRequest, copied_tools
from minagent_lab.values import copied_at_each_look, copy_json, dump_json, value


@copied_at_each_look("messages", "tools", "body")
@value
class MockRequest:
    """One request to a `MockGPT`.

    Parameters
    ----------
    messages
        The whole history.
    tools
        The tools on offer, each a dict with ``name``, ``description`` and ``parameters``.
    model
        Which model is asked for; ``""`` when none was named.
    stream
        Whether the answer is wanted in pieces.
    headers
        Of a request that came over the wire; names in lower case.
    body
        Its JSON as it came; ``{}`` at the other doors.
    selected
        The prompt, where something else than the last user message counts as it; see `MockGPT.select_prompt`.

    Examples
    --------
    >>> asked = MockRequest([Message("system", "Be kind."), Message("user", "Hi")], model="demo")
    >>> asked.prompt, asked.turn
    ('Hi', 0)
    """

    messages: Sequence[Message]
    tools: Sequence[dict[str, Any]] = ()
    model: str = ""
    stream: bool = False
    headers: Mapping[str, str] = field(default_factory=dict)
    body: dict[str, Any] = field(default_factory=dict)
    selected: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "messages", History(vars(self)["messages"]))
        object.__setattr__(self, "tools", copied_tools(list(vars(self)["tools"])))

    @classmethod
    def read(cls, messages: History, tools: list[dict[str, Any]], **others: Any) -> MockRequest:
        """Return the request of a JSON text that was just read and checked: nobody else has what it is made of."""
        made = object.__new__(cls)
        vars(made).update(messages=messages, tools=tools, selected=None, **others)
        return made

    @property
    def prompt(self) -> str:
        """The text of the last user message, or what was selected; ``""`` when there is none."""
        if self.selected is not None:
            return self.selected
        messages = vars(self)["messages"]
        for place in range(len(messages) - 1, -1, -1):  # it is asked for by every rule
            if messages[place].role == "user":
                return messages[place].content  # type: ignore[no-any-return]
        return ""

    @property
    def system(self) -> str:
        """The text of the first system message; ``""`` when there is none."""
        return next((message.content for message in self.messages if message.role == "system"), "")

    @property
    def turn(self) -> int:
        """How many answers of the model the history holds: 0 in the first call of a conversation."""
        return sum(message.role == "assistant" for message in self.messages)

    @property
    def results(self) -> list[str]:
        """What the tools answered since the model spoke last, in order."""
        found: list[str] = []
        for message in reversed(self.messages):
            if message.role != "tool":
                break
            found.insert(0, message.content)
        return found

    @property
    def tool_names(self) -> list[str]:
        """The names of the tools on offer."""
        return [str(tool.get("name", "")) for tool in self.tools]

    @property
    def size(self) -> int:
        """How much it is, the same at every door: code points of messages and tools, without blanks and line breaks."""
        size = sum([visible(message.content) for message in vars(self)["messages"]])
        return size + sum([visible(dump_json(tool)) for tool in self.plain_tools])

    @property
    def plain_tools(self) -> list[dict[str, Any]]:
        """The tools on offer, each the same at every door: an object without properties is written in two ways."""
        return [_plain_tool(tool) for tool in self.tools] if vars(self)["tools"] else []

    @property
    def conversation(self) -> tuple[str, ...]:
        """What tells one conversation from another: the model, and the messages up to the first one of the user."""
        begin: list[str] = [self.model]
        for message in self.messages:
            begin.append(f"{message.role}: {message.content}")
            if message.role == "user":
                break
        return tuple(begin)

    def __repr__(self) -> str:
        return f"<MockRequest {self.prompt!r:.60}: {len(self.messages)} messages, {len(self.tools)} tools>"


def visible(text: str) -> int:
    """Return how many code points a text has without blanks and line breaks, on which the services' forms differ."""
    return len(text) - text.count(" ") - text.count("\n")


def _plain_tool(tool: dict[str, Any]) -> dict[str, Any]:
    plain = {name: tool.get(name) for name in ("name", "description", "parameters")}
    if isinstance(plain["parameters"], dict) and not plain["parameters"].get("properties", True):
        del plain["parameters"]["properties"]
    return plain


def read_request(request: Any) -> MockRequest:
    """Return a request from what somebody passes by hand.

    Parameters
    ----------
    request
        A `MockRequest`, a `ModelRequest`, a text (one message of the user), or a dict such as
        ``{"model": "demo", "messages": [{"role": "user", "content": "Hi"}]}``.

    Raises
    ------
    TypeError, ValueError
        It is none of these; the text names the field.
    """
    if isinstance(request, MockRequest):
        return request
    if isinstance(request, ModelRequest):
        return MockRequest(request.messages, request.tools)
    if isinstance(request, str):
        return MockRequest([Message("user", request)])
    if not isinstance(request, Mapping):
        raise TypeError(f"request is {request!r:.80}; pass a ModelRequest, a dict with messages, or the user's text")
    known = {"model", "messages", "tools", "stream"}
    if odd := next((name for name in request if name not in known), None):
        raise TypeError(f"request has no field {odd!r:.40}; there are {', '.join(sorted(known))}")
    messages = request.get("messages")
    if not isinstance(messages, Sequence) or isinstance(messages, str):
        raise TypeError(f"request['messages'] is {messages!r:.80}; write a list of messages")
    made = [read_message(message, place) for place, message in enumerate(messages)]
    return MockRequest(made, list(request.get("tools", ())), request.get("model", ""), bool(request.get("stream")))


def read_message(message: Any, place: int) -> Message:
    """Return a message from a `Message` or a dict of its fields."""
    if isinstance(message, Message):
        return message
    where = f"messages[{place}]"
    if not isinstance(message, Mapping):
        raise TypeError(f"{where} is {message!r:.80}; write Message(role, content) or a dict")
    data = copy_json(dict(message), where)
    calls = [ToolCall(**call) for call in data.pop("tool_calls", ())]
    try:
        return Message(tool_calls=calls, **data)
    except TypeError as problem:
        raise TypeError(f"{where}: {problem}") from None

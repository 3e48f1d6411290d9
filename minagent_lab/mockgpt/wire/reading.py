"""What the readers of all services have in common: looking into a body, and refusing what does not stand there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

from minagent_lab.messages import Message, ToolCall
from minagent_lab.mockgpt.wire.words import Refused
from minagent_lab.providers.arguments import read_arguments

T = TypeVar("T")


class Read(NamedTuple):
    """A request as it was read: its messages and tools in our words, the model, and whether a stream is wanted."""

    messages: list[Message]
    tools: list[dict[str, Any]]
    model: str
    stream: bool


_KINDS = {dict: "an object", list: "an array", str: "a string", bool: "a boolean"}


def kind_of(held: Any) -> str:
    """Return what JSON calls it."""
    if held is None:
        return "null"
    if isinstance(held, (int, float)) and not isinstance(held, bool):
        return "an integer" if isinstance(held, int) else "a decimal"
    return _KINDS[type(held)]


def need(held: Any, kind: type, where: str) -> Any:
    """Return what stands somewhere, or refuse it in the words of OpenAI."""
    if isinstance(held, kind):
        return held
    if held is None:
        raise Refused(f"Missing required parameter: '{where}'.", param=where, code="missing_required_parameter")
    raise Refused(
        f"Invalid type for '{where}': expected {_KINDS[kind]}, but got {kind_of(held)} instead.",
        param=where,
        code="invalid_type",
    )


def need_some(held: Any, where: str) -> Any:
    """Return a list with something in it, or refuse it in the words of OpenAI."""
    if not need(held, list, where):
        raise Refused(
            f"Invalid '{where}': empty array. Expected an array with minimum length 1, but got an empty array instead.",
            param=where,
            code="empty_array",
        )
    return held


def made(where: str, make: Callable[..., T], *held: Any) -> T:
    """Return what is made of a part of a body, or refuse the part: what we cannot hold is no part of a request."""
    try:
        return make(*held)
    except (TypeError, ValueError) as problem:
        raise Refused(f"Invalid '{where}': {problem}", param=where, code="invalid_value") from None


def past_call(id: str, name: str, arguments: Any) -> ToolCall:
    """Return a call of the history. Its arguments may be what no one can read: then it is kept without any."""
    return ToolCall(id, name, read_arguments(name, arguments, cut=True))


def one_choice(body: dict[str, Any]) -> None:
    """Refuse a wish for several answers, since one of them would have to be made up."""
    if body.get("n") not in (None, 1):
        raise Refused("MockGPT gives one choice for a request; leave out 'n'.", param="n", code="MOCK_UNSUPPORTED")


def text_of(content: Any, where: str, kinds: tuple[str, ...]) -> str:
    """Return the text in a content: itself, or its parts that are text; other parts say nothing here."""
    if isinstance(content, str):
        return content
    texts = []
    for place, part in enumerate(need(content, list, where)):
        if need(part, dict, f"{where}[{place}]").get("type") in kinds:
            kind = "refusal" if part["type"] == "refusal" else "text"
            texts.append(need(part.get(kind), str, f"{where}[{place}].{kind}"))
    return "\n".join(texts)

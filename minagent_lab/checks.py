"""Refusals: what an author may get wrong, caught where it is written, with the culprit and the next thing to do."""

from __future__ import annotations

import inspect
import re
from typing import Any

from minagent_lab.values import a_kind, copy_json, dump_json

NO_RESPONSE = "; return a ModelResponse"  # how the refusal of a reply ends: views know it by this, in a trace too


def check_text(name: str, text: Any, *, empty: bool = True) -> None:
    """Refuse what is not text, empty text where there has to be some, and text that nobody can store or send."""
    if not isinstance(text, str):
        raise TypeError(f"{name} is {text!r:.80}; it must be text")
    if not (text or empty):
        raise ValueError(f"{name} is empty; give it some text")
    try:
        _ = text.isascii() or text.encode()
    except UnicodeEncodeError as problem:
        half = f"{text[problem.start]!r} at {problem.start}"
        raise ValueError(f"{name} holds {half}, half of a character; write the whole one, or leave it out") from None


def checked_arguments(id: str, arguments: Any) -> Any:
    """Return a copy of a call's arguments; refuse what is no JSON object."""
    if not isinstance(arguments, dict):
        raise TypeError(f"ToolCall {id}: arguments is {arguments!r:.80}; write a dict, {{}} for none")
    copy = copy_json(arguments, "arguments")
    try:
        dump_json(copy)
    except ValueError:  # Python writes no number of more than 4,300 digits
        raise ValueError(f"ToolCall {id}: arguments holds a number too long to be written; use text") from None
    return copy


def check_calls(calls: Any, kind: type) -> None:
    """Refuse what is not a list of tool calls (`kind`) with an id each."""
    if isinstance(calls, kind):
        raise TypeError(f"tool_calls is a single ToolCall; write a list, even for one call: [{calls!r:.120}]")
    if not isinstance(calls, (list, tuple)):
        raise TypeError(f"tool_calls is {calls!r:.80}; write a list of ToolCall(id, name, arguments)")
    ids: set[str] = set()
    for call in calls:
        if not isinstance(call, kind):
            raise TypeError(f"tool_calls holds {call!r:.80}; write ToolCall(id, name, arguments)")
        if call.id in ids:  # type: ignore[attr-defined]
            raise ValueError(f"two calls of one message have the id {call.id!r}; give each its own")  # type: ignore[attr-defined]
        ids.add(call.id)  # type: ignore[attr-defined]


def check_usage(usage: Any) -> None:
    """Refuse what does not count tokens."""
    if not isinstance(usage, dict):
        raise TypeError(
            f'usage is {usage!r:.80}; write {{"input_tokens": 12, "output_tokens": 3}}, or {{}} for unknown'
        )
    for name in ("input_tokens", "output_tokens"):
        count = usage.get(name, 0)
        if isinstance(count, bool) or not isinstance(count, int) or count < 0:
            raise ValueError(f"usage[{name!r}] is {count!r}; it counts tokens: a whole number from 0 up")


def check_tool(name: Any, description: Any, func: Any) -> None:
    """Refuse a name that the services would refuse, and a function that is none."""
    if not isinstance(name, str) or not re.fullmatch(r"[A-Za-z0-9_-]{1,64}", name):
        kind = ValueError if isinstance(name, str) else TypeError
        raise kind(f"a tool's name is 1 to 64 of A-Z a-z 0-9 _ -, and this one is {name!r:.80}; give it such a name")
    check_text(f"tool {name}: description", description)
    if not callable(func):
        raise TypeError(f"tool {name}: func is {func!r:.80}; pass the function itself, without calling it")


def check_start(model: Any, registry: Any, prompt: Any, system: Any, max_steps: Any) -> None:
    """Refuse what no run can start with, before the model is asked."""
    if isinstance(model, type) or not callable(getattr(model, "complete", None)):
        hint = "pass an object with complete(messages, tools), such as FakeModel([...])"
        raise TypeError(f"model is {model!r:.80}; {hint}")
    if not callable(getattr(registry, "schemas", None)):
        raise TypeError(f"registry is {registry!r:.80}; pass a ToolRegistry(), with or without tools in it")
    check_text("prompt", prompt)
    if system is not None:
        check_text("system", system)
    check_max_steps(max_steps)


def check_max_steps(max_steps: Any) -> None:
    """Refuse what is no number of calls that a run may make."""
    if isinstance(max_steps, bool) or not isinstance(max_steps, int) or max_steps < 1:
        raise ValueError(
            f"max_steps is {max_steps!r}; it is a whole number from 1 up: how often the model may be asked"
        )


def check_reply(model: Any, reply: Any, kind: type) -> None:
    """Refuse what is no response (`kind`) of a model."""
    if isinstance(reply, kind):
        return
    asked = f"{type(model).__name__}.complete()"
    if hasattr(reply, "__await__"):
        refuse_async(asked, reply, "make a plain model of it with to_model()")
    raise TypeError(f"{asked} returned {a_kind(reply)}{NO_RESPONSE}")  # its repr may hold an address


def check_awaitable(provider: Any, reply: Any) -> None:
    """Refuse what a provider returned at once instead of something to await."""
    if not hasattr(reply, "__await__"):
        raise TypeError(f"{type(provider).__name__}.complete() is not async; write async def complete(request, signal)")


def refuse_plain_model(provider: Any) -> None:
    """Refuse a model that takes messages and tools where a provider is needed, which takes a request and a signal."""
    complete = provider.complete
    if inspect.iscoroutinefunction(complete):
        return
    try:
        takes = inspect.signature(complete).parameters
    except (ValueError, TypeError):  # what has no signature is asked, and then shows what it is
        return
    if "messages" in takes:
        name = type(provider).__name__
        raise TypeError(f"{name} is a plain model, and arun() asks providers; pass to_provider(model)")


def refuse_async_methods(name: str, asked: Any, protocol: type) -> None:
    """Refuse async methods where `arun` only calls: nobody awaits what they return, so they would do nothing."""
    for method in (method for method in vars(protocol) if not method.startswith("_")):
        if inspect.iscoroutinefunction(getattr(asked, method, None)):
            takes = ", ".join(inspect.signature(vars(protocol)[method]).parameters)
            raise TypeError(f"{name}: {method} is async, and nobody would await it; write def {method}({takes})")


def refuse_async(name: str, awaitable: Any, instead: str = "write def instead of async def") -> Any:
    """Refuse what nobody will await, and close it; a coroutine would complain later."""
    getattr(awaitable, "close", lambda: None)()
    raise TypeError(f"{name} is async, and run() does not wait; use await arun(), or {instead}")

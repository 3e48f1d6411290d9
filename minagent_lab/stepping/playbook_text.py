"""A playbook written down: as the texts that one types, and as the code of a cell."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from minagent_lab.fakes.script import Expect, Script
from minagent_lab.messages import ModelResponse, ToolCall
from minagent_lab.stepping.code import code_of
from minagent_lab.stepping.playbook import Playbook, Texts
from minagent_lab.stepping.stepper import Stepper
from minagent_lab.values import dump_json

_WIDTH = 56  # characters of a line in the text areas, which are narrow


def texts_of(playbook: Playbook) -> Texts:
    """Return the texts that say what a playbook says.

    Examples
    --------
    >>> print(texts_of(Playbook("Hi", script=([ToolCall("c1", "now", {})], "Noon."))).script)
    [
      {"call": {"id": "c1", "name": "now", "arguments": {}}},
      "Noon."
    ]
    """
    about: dict[str, Any] = {"prompt": playbook.prompt}
    if playbook.system is not None:
        about["system"] = playbook.system
    if playbook.max_steps != 10:
        about["max_steps"] = playbook.max_steps
    tools = {
        tool.name: {"description": tool.description, "parameters": tool.parameters, "results": tool.results}
        for tool in playbook.tools
    }
    return Texts(layout(about), script_text(playbook.script), layout(tools))


def script_text(script: Iterable[Any]) -> str:
    """Return the text of a script.

    Raises
    ------
    TypeError
        It is no script, or holds what JSON cannot say: an `Expect`.
    """
    return layout([_item(item, place) for place, item in enumerate(Script(script).items(), 1)])


def _item(item: Any, place: int) -> Any:
    if isinstance(item, Expect):
        raise TypeError(f"script item {place} is an Expect, and its check is code; write the item alone")
    if isinstance(item, list):
        return {"call": _call(item[0])} if len(item) == 1 else {"calls": [_call(call) for call in item]}
    return _response(item) if isinstance(item, ModelResponse) else item


def _response(response: ModelResponse) -> dict[str, Any]:
    calls = [_call(call) for call in response.message.tool_calls]
    said = {
        "content": response.message.content,
        "calls": calls,
        "stop_reason": response.stop_reason,
        "usage": response.usage,
        "model": response.model,
    }
    return {name: held for name, held in said.items() if held}


def _call(call: ToolCall) -> dict[str, Any]:
    return {"id": call.id, "name": call.name, "arguments": call.arguments}


def layout(data: Any, room: int = _WIDTH, indent: str = "") -> str:
    """Return JSON text: what is short in one line, what is long with a line for each part.

    Examples
    --------
    >>> print(layout({"a": [1, 2], "b": "two"}, room=18))
    {
      "a": [1, 2],
      "b": "two"
    }
    """
    line = dump_json(data)
    if len(line) <= room or not data or not isinstance(data, (list, dict)):
        return line
    opened, closed = "[]" if isinstance(data, list) else "{}"
    alone = len(data) == 1  # what holds one thing only needs no lines of its own
    inner = indent if alone else indent + "  "
    named = [("", item) for item in data] if isinstance(data, list) else _keyed(data)
    lost = 1 if alone else 2
    parts = [key + layout(item, room - lost - len(key), inner) for key, item in named]
    if alone:
        return f"{opened}{parts[0]}{closed}"
    return f"{opened}\n{inner}" + f",\n{inner}".join(parts) + f"\n{indent}{closed}"


def _keyed(data: dict[str, Any]) -> list[tuple[str, Any]]:
    return [(f"{dump_json(key)}: ", item) for key, item in data.items()]


def code_of_playbook(playbook: Playbook, stepper: Stepper) -> str:
    """Return the code of a cell that shows this run at this call, tools included.

    Examples
    --------
    >>> hello = Playbook("Hi", script=("Hello.",))
    >>> print(code_of_playbook(hello, hello.stepper()))
    from minagent_lab import FakeModel, Tool, ToolRegistry, step
    <BLANKLINE>
    registry = ToolRegistry()
    <BLANKLINE>
    script = [
        'Hello.',
    ]
    step(FakeModel(script), registry, 'Hi')
    """
    imports, rest = code_of(stepper).split("\n\n", 1)
    names = sorted({*imports.removeprefix("from minagent_lab import ").split(", "), "Tool", "ToolRegistry"})
    rest = "\n".join(line for line in rest.split("\n") if not line.startswith("# registry:"))
    results = ["from minagent_lab.fakes.scripted import ScriptedResults"] if playbook.tools else []
    head = [f"from minagent_lab import {', '.join(names)}", *results, "", "registry = ToolRegistry()"]
    tools = [
        f"registry.add(Tool(\n    {tool.name!r},\n    {tool.description!r},\n    {tool.parameters!r},\n"
        f"    ScriptedResults({tool.results!r}),\n))"
        for tool in playbook.tools
    ]
    return "\n".join([*head, *tools, "", rest])

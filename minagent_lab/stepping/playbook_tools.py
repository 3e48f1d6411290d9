"""The tools of a playbook: described as any tool is, with results in place of code."""

from __future__ import annotations

from typing import Any

from minagent_lab.fakes.scripted import ScriptedResults, error_of, key_of
from minagent_lab.stepping.placed_json import Node
from minagent_lab.stepping.reading import Reading, kind
from minagent_lab.tools import Tool
from minagent_lab.values import value


@value
class PlaybookTool:
    """A tool without code: it checks its arguments like any tool, and then gives what is written down.

    Parameters
    ----------
    name, description, parameters
        As for `Tool`.
    results
        As for `ScriptedResults`.
    """

    name: str
    description: str
    parameters: dict[str, Any]
    results: Any

    def made(self) -> Tool:
        """Return the tool, at its first result."""
        return Tool(self.name, self.description, self.parameters, ScriptedResults(self.results))


def read_tools(reading: Reading, node: Node) -> list[PlaybookTool]:
    """Read the tools: an object of objects."""
    if not isinstance(node.data, dict):
        shape = '{"add": {"description": …, "parameters": {…}, "results": […]}}'
        reading.tell(node.start, f"the tools are {kind(node.data)}; write an object: {shape}")
        return []
    tools = [_tool(reading, name, node.keys[name], held) for name, held in node.fields.items()]
    return [tool for tool in tools if tool is not None]


def _tool(reading: Reading, name: str, place: int, node: Node) -> PlaybookTool | None:
    fields = reading.fields(node, ("description", "parameters", "results"), ("results",))
    if fields is None:
        return None
    description = reading.typed(fields, "description", str, "text in quotes", "")
    parameters = reading.typed(fields, "parameters", dict, 'a JSON Schema: {"type": "object", …}', {"type": "object"})
    named = Node(name, place, place)
    if reading.made(named, Tool, name, "", {"type": "object"}, dict) is not None and "parameters" in fields:
        reading.made(fields["parameters"], Tool, name, description, parameters, dict)
    if "results" in fields:
        _check_results(reading, fields["results"])
    return PlaybookTool(name, description, parameters, fields["results"].data if "results" in fields else [])


def _check_results(reading: Reading, node: Node) -> None:
    if not node.data or not isinstance(node.data, (list, dict)):
        shown = f"an empty {'list' if isinstance(node.data, list) else 'object'}" if node.data in ([], {}) else None
        shapes = 'a list, one after the other: ["5"]; or an object by arguments: {"2, 3": "5"}'
        reading.tell(node.start, f'"results" is {shown or kind(node.data)}; write {shapes}')
        return
    for held in (node, *(node.items or node.fields.values())):
        if set(held.fields) == {"error"} and error_of(held.data) is None:
            reading.tell(held.fields["error"].start, '"error" holds no text; write "error": "ValueError: no such city"')
    if error_of(node.data) is not None or isinstance(node.data, list):
        return
    seen: set[str] = set()
    for key, place in node.keys.items():
        try:
            plain = key_of(key)
        except ValueError as problem:
            reading.tell(place, f"this key is not understood: {problem}")
            continue
        if plain in seen:
            reading.tell(place, "there is a result for these arguments already; keep one of them")
        seen.add(plain)

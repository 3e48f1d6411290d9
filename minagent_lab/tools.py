"""Tools and their registry: what an agent can do, described so that a model can ask for it.

What a model or a tool gets wrong is an answer, not an exception: the model reads ``{"error": ...}`` and can try
something else. What the author of a tool gets wrong is an exception, raised where the tool is made.
Source: appendix B.1, B.3.4.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Generator
from dataclasses import field
from types import coroutine
from typing import Any

from minagent_lab.awaiting import at_once
from minagent_lab.checks import check_tool, refuse_async
from minagent_lab.results import NotJson, ToolResult, error_text, exception_text, result_text
from minagent_lab.schema import Schema
from minagent_lab.signature import Signature
from minagent_lab.values import copied_at_each_look, copy_json, value


@copied_at_each_look("parameters")
@value
class Tool:
    """A function, and what a model needs to know to ask for it.

    Parameters
    ----------
    name
        1 to 64 of ``A-Z a-z 0-9 _ -``, which is what the services allow.
    description
        What it does, for the model to read.
    parameters
        A JSON Schema of type ``"object"``; checked now.
    func
        Is called with the arguments by keyword.

    Examples
    --------
    >>> number = {"type": "number"}
    >>> schema = {"type": "object", "properties": {"a": number, "b": number}, "required": ["a", "b"]}
    >>> registry = ToolRegistry()
    >>> registry.add(Tool("add", "Sum of two numbers", schema, lambda a, b: a + b))
    >>> registry.call("add", {"a": 2, "b": 3}), registry.call("add", {"a": True})
    ('5', '{"error": "TypeError: missing required: b; a must be a number, got true"}')
    """

    name: str
    description: str
    parameters: dict[str, Any]
    func: Callable[..., Any]
    _schema: Schema = field(init=False, compare=False)
    _signature: Signature = field(init=False, compare=False)

    def __post_init__(self) -> None:
        check_tool(self.name, self.description, self.func)
        parameters = copy_json(vars(self)["parameters"], f"tool {self.name}: parameters")
        object.__setattr__(self, "parameters", parameters)
        object.__setattr__(self, "_schema", Schema(parameters, f"tool {self.name}: parameters"))
        object.__setattr__(self, "_signature", Signature(self.func, f"tool {self.name}: func"))

    def problems(self, arguments: dict[str, Any]) -> list[str]:
        """Return all that is wrong with `arguments`; an empty list when the function can be called with them."""
        problems = self._schema.problems(arguments)
        if isinstance(arguments, dict) and not self._signature.takes(arguments):
            problems += self._signature.problems(arguments, self.parameters.get("required", ()))
        return list(dict.fromkeys(problems)) if problems else []

    def use(self, arguments: dict[str, Any]) -> ToolResult:
        """Check `arguments`, call the function with a copy of them, and say what came of it."""
        return at_once(self._using(arguments, waiting=False))

    async def ause(self, arguments: dict[str, Any]) -> ToolResult:
        """As `use`, and an async function is awaited."""
        return await self._using(arguments, waiting=True)

    @coroutine  # one that Ctrl-C may come before without a complaint that nobody awaited it
    def _using(self, arguments: dict[str, Any], *, waiting: bool) -> Generator[Any, Any, ToolResult]:
        try:
            arguments = copy_json(arguments, "arguments")
            problems = self.problems(arguments)
        except TypeError as problem:
            problems = [str(problem)]
        if problems:
            return ToolResult(error_text(f"TypeError: {'; '.join(problems)}"), "invalid_arguments")
        try:
            result = self.func(**arguments)
            if hasattr(result, "__await__"):
                result = (yield from result.__await__()) if waiting else refuse_async(self.name, result)
            return ToolResult(result_text(self.name, result))
        except NotJson as problem:
            return ToolResult(error_text(str(problem)), "tool_failed")
        except Exception as problem:  # not Ctrl-C, not SystemExit: the stop button must stop
            return ToolResult(error_text(exception_text(problem)), "tool_failed")

    def __repr__(self) -> str:
        return f"Tool({self.name!r})"


class ToolRegistry:
    """The tools of one agent, by name."""

    def __init__(self) -> None:
        self._tools: dict[str, Tool] = {}

    def add(self, tool: Tool, replace: bool = False) -> None:
        """Offer one more tool. A second one of the same name is a ``ValueError``, unless `replace` is true."""
        if not isinstance(tool, Tool):
            raise TypeError(f"{tool!r:.80} is not a Tool; write Tool(name, description, parameters, func)")
        if tool.name in self._tools and not replace:
            hint = "choose another name, or pass replace=True; in a notebook, make the registry in the same cell"
            raise ValueError(f"there is already a tool named {tool.name!r}; {hint}")
        self._tools[tool.name] = tool

    def schemas(self) -> list[dict[str, Any]]:
        """Return what a model is told of each tool: dicts with ``name``, ``description`` and ``parameters``."""
        tools = self._tools.values()
        return [{"name": t.name, "description": t.description, "parameters": t.parameters} for t in tools]

    def call(self, name: str, arguments: dict[str, Any]) -> str:
        """Return what the model will read of this call. What the model or the tool got wrong is part of it."""
        return self.use(name, arguments).content

    def use(self, name: str, arguments: dict[str, Any]) -> ToolResult:
        """As `call`, and tell which kind of error it was, if it was one."""
        tool = self._tools.get(str(name))  # what comes from a model may be anything
        return tool.use(arguments) if tool else self._unknown(str(name))

    async def ause(self, name: str, arguments: dict[str, Any]) -> ToolResult:
        """As `use`, and a tool that is async is awaited."""
        tool = self._tools.get(str(name))
        return await tool.ause(arguments) if tool else self._unknown(str(name))

    def _unknown(self, name: str) -> ToolResult:
        near = difflib.get_close_matches(name, self._tools, n=1)
        hint = f"did you mean {near[0]}?" if near else f"the tools are: {', '.join(self._tools) or 'none'}"
        return ToolResult(error_text(f"未知工具 {name:.80} (unknown tool; {hint})"), "unknown_tool")

    def __repr__(self) -> str:
        return f"ToolRegistry({', '.join(self._tools)})"

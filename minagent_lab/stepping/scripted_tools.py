"""Tools that read their results off a list: how far each has come, and the same tools at another place of their lists.

A branch has tools of its own, so that what it reads is not missing in the run that it was forked from. Only what is
written down can be had twice: a function that remembers something remembers it for all who call it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from copy import copy
from typing import Any

from minagent_lab.fakes.scripted import ScriptedResults
from minagent_lab.messages import ToolCall
from minagent_lab.tools import Tool, ToolRegistry


def results_used(registry: Any) -> dict[str, int]:
    """Return how many results each tool has given, by its name; tools with code are left out.

    Examples
    --------
    >>> registry = ToolRegistry()
    >>> registry.add(Tool("look", "What is in it", {"type": "object"}, ScriptedResults(["a key", "nothing"])))
    >>> registry.call("look", {}), results_used(registry)
    ('a key', {'look': 1})
    """
    return {name: results.used for name, (_, results) in _scripted(registry).items()}


def after_calls(registry: Any, used: Mapping[str, int], calls: Iterable[ToolCall]) -> Any:
    """Return a registry whose tools stand where so many results were given, and then the calls were answered.

    Parameters
    ----------
    registry
        It stays as it is. Without such tools, it is what is returned.
    used
        From `results_used`.
    calls
        Those that do not fit the tool are no use of it.
    """
    tools = _scripted(registry)
    if not tools:
        return registry
    given = Counter(used)
    for call in calls:
        if call.name in tools and not tools[call.name][0].problems(call.arguments):
            given[call.name] += 1
    made = copy(registry)
    made._tools = dict(registry._tools)
    for name, (tool, results) in tools.items():
        made.add(Tool(name, tool.description, tool.parameters, results.after(given[name])), replace=True)
    return made


def _scripted(registry: Any) -> dict[str, tuple[Tool, ScriptedResults]]:
    tools = registry._tools if isinstance(registry, ToolRegistry) else {}
    return {name: (tool, tool.func) for name, tool in tools.items() if isinstance(tool.func, ScriptedResults)}

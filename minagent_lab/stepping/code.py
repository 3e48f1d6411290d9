"""A run as the code of a cell that makes it again."""

from __future__ import annotations

import textwrap
from typing import Any

from minagent_lab.stepping.fields import script_of
from minagent_lab.stepping.stepper import Stepper

_WIDTH = 88


def code_of(stepper: Stepper) -> str:
    """Return the code of a cell that shows this run at this call.

    Tools are functions, so they cannot be written down: the code expects a ``registry``. A model without a script is
    expected as ``model``.

    Examples
    --------
    >>> from minagent_lab import FakeModel, ToolRegistry
    >>> print(code_of(Stepper(FakeModel(["Hello."]), ToolRegistry(), "Hi", max_steps=5)))
    from minagent_lab import FakeModel, step
    <BLANKLINE>
    script = [
        'Hello.',
    ]
    step(FakeModel(script), registry, 'Hi', max_steps=5)
    """
    script = script_of(stepper.model)
    options = {
        "system": stepper.system,
        "max_steps": None if stepper.max_steps == 10 or "max_steps" in stepper.unknown else stepper.max_steps,
        "at": stepper.index or None,
    }
    given = "".join(f", {name}={held!r}" for name, held in options.items() if held is not None)
    last = f"step({'model' if script is None else 'FakeModel(script)'}, registry, {stepper.prompt!r}{given})"
    head = [] if script is None else ["script = [", *[f"    {_shown(item)}," for item in script], "]"]
    notes = [f"# registry: {_tools(stepper)}"] if _tools(stepper) else []
    return "\n".join([_imports(script), "", *notes, *head, last])


def _imports(script: Any) -> str:
    text = "" if script is None else " ".join(map(repr, script))
    names = [name for name in ("Expect", "FakeModel", "Message", "ModelResponse", "ToolCall") if f"{name}(" in text]
    names += ["FakeModel"] if script is not None and "FakeModel" not in names else []
    return f"from minagent_lab import {', '.join([*sorted(names), 'step'])}"


def _shown(item: Any) -> str:
    text = repr(item)
    if len(text) <= _WIDTH or not isinstance(item, list):
        return text
    return "[\n" + textwrap.indent("\n".join(f"{call!r}," for call in item), " " * 8) + "\n    ]"


def _tools(stepper: Stepper) -> str:
    tools = stepper.turns[0].request.tools if stepper.turns else stepper.waiting.tools if stepper.waiting else []
    return ", ".join(str(tool.get("name", "?")) for tool in tools)

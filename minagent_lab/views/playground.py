"""The playground: what a cell hands to it, as the texts that its reader changes."""

from __future__ import annotations

from typing import Any

from minagent_lab.stepping.playbook import Texts
from minagent_lab.stepping.playbook_text import layout, script_text
from minagent_lab.values import a_kind, copy_json
from minagent_lab.views.playground_view import PlaygroundView


def playground(
    script: Any = None,
    tools: Any = None,
    prompt: str | None = None,
    *,
    system: str | None = None,
    max_steps: int = 10,
    scale: float = 1.0,
) -> PlaygroundView:
    """Show a playground: script, tools' results and prompt as text that can be changed, and the run of it.

    Parameters
    ----------
    script
        What to begin with: a list as for `FakeModel`, or the text itself. See `Texts` for what texts may say.
    tools
        A dict ``{name: {"description": ..., "parameters": ..., "results": [...]}}``, or the text itself.
    prompt, system, max_steps
        As for `run`.
    scale
        The size of everything; 1.6 for a projector.

    Returns
    -------
    PlaygroundView
        With nothing given, it begins with an example.

    Examples
    --------
    >>> playground(["Hello."], prompt="Hi")
    <PlaygroundView: Before call 1 of at most 10>
    >>> playground('["Hello."', prompt="Hi")
    <PlaygroundView: 1 problem. Script, line 1: this [ is never closed; write ] where it ends>
    """
    if script is None and tools is None and prompt is None and system is None and max_steps == 10:
        return PlaygroundView(scale=scale)
    about: dict[str, Any] = {"prompt": "Hello." if prompt is None else prompt}
    about.update({} if system is None else {"system": system})
    about.update({} if max_steps == 10 else {"max_steps": max_steps})
    return PlaygroundView(Texts(layout(copy_json(about)), _script(script), _tools(tools)), scale=scale)


def _script(script: Any) -> str:
    if script is None:
        return '["Hello."]'
    return script if isinstance(script, str) else script_text(script)


def _tools(tools: Any) -> str:
    if tools is None or isinstance(tools, str):
        return tools or "{}"
    if not isinstance(tools, dict):
        shape = '{"add": {"description": ..., "parameters": {...}, "results": ["5"]}}'
        raise TypeError(f"tools is {a_kind(tools)}; tools of a playground have results in place of code: {shape}")
    return layout(copy_json(tools, "tools"))

"""Playbook: a whole run written as JSON text that people type: the prompt, the script, the tools with their results.

Three texts, or one with all of it. What is wrong in them is told with its line, all of it at once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from minagent_lab.errors import PlaybookError
from minagent_lab.fakes.fake_model import FakeModel
from minagent_lab.stepping.json_tokens import short
from minagent_lab.stepping.placed_json import Node, line_of, read_places
from minagent_lab.stepping.playbook_script import read_script
from minagent_lab.stepping.playbook_tools import PlaybookTool, read_tools
from minagent_lab.stepping.reading import Reading, kind
from minagent_lab.stepping.stepper import Stepper
from minagent_lab.tools import ToolRegistry
from minagent_lab.values import value

MOST_STEPS = 1_000  # the slider of a view has a place for each


class Texts(NamedTuple):
    """What is typed, part by part.

    Parameters
    ----------
    prompt
        Text in quotes, or ``{"prompt": text, "system": text, "max_steps": 10}``.
    script
        A list of what the model says: text in quotes; ``{"call": {"id": .., "name": .., "arguments": {..}}}``, or
        ``"calls"`` with a list of them; with ``content``, ``stop_reason``, ``usage`` or ``model`` a whole response.
    tools
        ``{name: {"description": text, "parameters": schema, "results": results}}``; see `ScriptedResults`.
    """

    prompt: str = '""'
    script: str = "[]"
    tools: str = "{}"


class Problem(NamedTuple):
    """What is wrong at one place of a text.

    Parameters
    ----------
    part
        Which text: ``"prompt"``, ``"script"`` or ``"tools"``; ``""`` where there is only one.
    line, column
        Where, both counted from 1.
    at
        The same, counted in characters from 0.
    words
        What is wrong, and what to do.
    """

    part: str
    line: int
    column: int
    at: int
    words: str

    def __str__(self) -> str:
        return f"{self.part}, line {self.line}: {self.words}".removeprefix(", ")


@value
class Playbook:
    """All that a run of a playground needs.

    Parameters
    ----------
    prompt, system, max_steps
        As for `run`.
    script
        As for `FakeModel`.
    tools
        Tools without code.

    Examples
    --------
    >>> playbook = read_playbook(Texts('"2 + 3?"', '[{"call": {"id": "c1", "name": "add", "arguments": {}}}, "5"]'))
    >>> playbook.script
    ([ToolCall('c1', 'add', {})], '5')
    >>> walk = playbook.stepper()
    >>> walk.run_to_end()
    >>> walk.result.final
    '5'
    """

    prompt: str
    system: str | None = None
    max_steps: int = 10
    script: tuple[Any, ...] = ()
    tools: tuple[PlaybookTool, ...] = ()

    def stepper(self) -> Stepper:
        """Return the run at its start; each time a new one, with tools at their first result."""
        registry = ToolRegistry()
        for tool in self.tools:
            registry.add(tool.made())
        model = FakeModel(self.script, name="playground")
        return Stepper(model, registry, self.prompt, system=self.system, max_steps=self.max_steps)


def read_playbook(texts: Texts | str) -> Playbook:
    r"""Read the three texts of a playground, or one text with the keys ``prompt``, ``script`` and ``tools``.

    Raises
    ------
    PlaybookError
        Something is wrong; its ``problems`` say each what and where.

    Examples
    --------
    >>> read_playbook('{"prompt": "Hi", "script": ["Hello."]}')
    Playbook('Hi', script=('Hello.',))
    >>> read_playbook(Texts('"Hi"', '["Hello."\n "Bye."]'))
    Traceback (most recent call last):
    ...
    minagent_lab.errors.PlaybookError: script, line 1: a comma is missing after "Hello."
    """
    problems: list[Problem] = []
    if isinstance(texts, str):
        parts = _part("", texts, _read_all, problems)
    else:
        readers: tuple[Callable[[Reading, Node], Any], ...] = (_read_prompt, read_script, read_tools)
        parts = tuple(_part(*each, problems) for each in zip(Texts._fields, texts, readers, strict=True))
    if problems:
        raise PlaybookError(problems)
    (prompt, system, max_steps), script, tools = parts
    return Playbook(prompt, system, max_steps, tuple(script), tuple(tools))


def _part(name: str, text: str, read: Callable[[Reading, Node], Any], problems: list[Problem]) -> Any:
    node, found = read_places(text)
    reading = Reading(text)
    data = None if node is None else read(reading, node)
    problems += [Problem(name, *line_of(text, at), at, words) for at, words in sorted({*found, *reading.found})]
    return data


def _read_all(reading: Reading, node: Node) -> Any:
    fields = reading.fields(node, ("prompt", "system", "max_steps", "script", "tools"), ("prompt", "script"))
    if fields is None:
        return None
    script = read_script(reading, fields["script"]) if "script" in fields else []
    tools = read_tools(reading, fields["tools"]) if "tools" in fields else []
    return _read_prompt(reading, node, others=("script", "tools")), script, tools


def _read_prompt(reading: Reading, node: Node, others: tuple[str, ...] = ()) -> tuple[str, str | None, int]:
    """Read the prompt: text, or an object that has it. `others` are fields of the object that are read elsewhere."""
    if isinstance(node.data, str):
        return node.data, None, 10
    if not isinstance(node.data, dict):
        shape = '{"prompt": "2 + 3?", "system": "Be brief."}'
        reading.tell(node.start, f"the prompt is {kind(node.data)}; write text in quotes, or {shape}")
        return "", None, 10
    silent = Reading("") if others else reading  # who reads the others has told of the names
    fields = silent.fields(node, ("prompt", "system", "max_steps", *others), ("prompt",)) or {}
    prompt = reading.typed(fields, "prompt", str, "text in quotes", "")
    system = reading.typed(fields, "system", str, "text in quotes, or leave it out")
    steps = reading.typed(fields, "max_steps", int, "a whole number", 10)
    if not 1 <= steps <= MOST_STEPS:
        reading.tell(
            fields["max_steps"].start, f'"max_steps" is {short(str(steps))}; write a number from 1 to {MOST_STEPS}'
        )
    return prompt, system, steps

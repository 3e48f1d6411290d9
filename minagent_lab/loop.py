"""The agent loop: ask the model, run the tools it asks for, ask again.

The loop is one generator without I/O. It hands out a note of what it needs, `AskModel` or `RunTool`, and waits to be
sent the answer. Whoever drives it decides when and how the answer is fetched: `run` at once, the stepper after a click.
There is no other loop in this package, so no two drivers can disagree. Source: appendix B.3, B.6.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, NamedTuple

from minagent_lab.checks import check_reply, check_start
from minagent_lab.history import History
from minagent_lab.messages import ModelResponse, ToolCall
from minagent_lab.model import Model
from minagent_lab.record import CUT_CALL, Record, RunResult, Step
from minagent_lab.results import ToolResult
from minagent_lab.tools import ToolRegistry

__all__ = ["AskModel", "RunResult", "RunTool", "Step", "advance", "agent_loop", "run"]


class AskModel(NamedTuple):
    """A note of the loop: please ask the model, with this history and these tools, and send back its response."""

    messages: History
    tools: list[dict[str, Any]]


class RunTool(NamedTuple):
    """A note of the loop: please run this call, and send back its result."""

    call: ToolCall


Loop = Generator[AskModel | RunTool, Any, RunResult]


def agent_loop(record: Record, tools: list[dict[str, Any]], max_steps: int) -> Loop:
    """Run an agent without touching the world: hand out notes, wait for the answers, return the result."""
    for _ in range(max_steps):
        reply = yield AskModel(record.now, tools)
        calls = record.keep(reply)
        if not calls:
            return record.finish(reply)
        for call in calls:
            if reply.cut:
                result = CUT_CALL[reply.stop_reason]
            else:
                result = yield RunTool(call)
            record.answer(call, result)
    raise record.over(max_steps)


# ---- driving it -----------------------------------------------------------------------------------------------------


def run(
    model: Model, registry: ToolRegistry, prompt: str, *, system: str | None = None, max_steps: int = 10
) -> RunResult:
    """Run an agent until the model answers without a tool call.

    Parameters
    ----------
    model
        Anything with ``complete(messages, tools)``.
    registry
        The tools on offer. What is told of them is fixed when the run starts.
    prompt, system
        The user's message, and the system prompt if there is to be one.
    max_steps
        How often the model may be asked. (``result.steps`` counts tool calls and the answer instead.)

    Raises
    ------
    MaxStepsExceeded, ScriptExhausted
        The two guard rails. Whatever else the model raises comes through as it is. Each carries the partial result as
        ``error.result``.

    Examples
    --------
    >>> from minagent_lab import FakeModel
    >>> run(FakeModel(["Hello."]), ToolRegistry(), "Hi").final
    'Hello.'
    """
    check_start(model, registry, prompt, system, max_steps)
    record = Record(prompt, system)
    loop = agent_loop(record, registry.schemas(), max_steps)
    try:
        note = advance(loop)
        while not isinstance(note, RunResult):
            note = advance(loop, answer(note, model, registry, record))
    except BaseException as error:
        record.attach_to(error)
        raise
    return note


def advance(loop: Loop, reply: ModelResponse | ToolResult | None = None) -> AskModel | RunTool | RunResult:
    """Send the loop an answer (``None`` starts it); return its next note, or its result when it is done."""
    try:
        return loop.send(reply)
    except StopIteration as end:
        return end.value  # type: ignore[no-any-return]


def answer(
    note: AskModel | RunTool, model: Model, registry: ToolRegistry, record: Record
) -> ModelResponse | ToolResult:
    """Do what a note asks for, now."""
    if isinstance(note, RunTool):
        record.running.add(note.call.id)
        return registry.use(note.call.name, note.call.arguments)
    reply = model.complete(note.messages.snapshot(), record.offer(note.tools))
    check_reply(model, reply, ModelResponse)
    return reply

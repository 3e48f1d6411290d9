"""What a run writes down while it goes on, and what it came to."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from typing import Any

from minagent_lab.errors import MaxStepsExceeded, MinAgentError, ScriptExhausted
from minagent_lab.history import History
from minagent_lab.messages import Message, ModelResponse, ToolCall
from minagent_lab.results import ToolResult, error_text
from minagent_lab.values import copied_at_each_look, copy_json, dump_json, value

STOPPED_CALL = ToolResult(error_text("stopped while it ran; what it had done by then is not known"), "tool_failed")
CUT_CALL = {  # a call in an answer that was cut may be half a call
    "max_tokens": ToolResult(error_text("not run: the answer was cut at the output limit (max_tokens)"), "not_run"),
    "content_filter": ToolResult(error_text("not run: the answer was cut by a filter (content_filter)"), "not_run"),
}
NEXT_CALLS = ToolResult(error_text("not run: the run ended before this call"), "not_run")


class Step:
    """One thing that happened: a tool call and its result (``"tool_call"``), or the answer (``"final"``).

    Parameters
    ----------
    kind
        ``"tool_call"`` or ``"final"``.
    detail
        For people. When it is left out, it is put together from the call and its result.
    call, result
        The same as data; ``result.error`` tells the kinds of error apart.

    Examples
    --------
    >>> Step("tool_call", call=ToolCall("c1", "add", {"a": 2, "b": 3}), result=ToolResult("5")).detail
    'add {"a": 2, "b": 3} → 5'
    """

    __slots__ = ("_detail", "call", "kind", "result")

    def __init__(
        self, kind: str, detail: str | None = None, call: ToolCall | None = None, result: ToolResult | None = None
    ) -> None:
        self.kind, self._detail, self.call, self.result = kind, detail, call, result

    @property
    def detail(self) -> str:
        """What happened, for people: tool name, arguments and result, or the answer."""
        if self._detail is None and self.call and self.result:
            self._detail = f"{self.call.name} {dump_json(self.call.arguments)} → {self.result.content}"
        return self._detail or ""

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Step):
            return NotImplemented
        return (self.kind, self.detail, self.call) == (other.kind, other.detail, other.call)

    __hash__ = None  # type: ignore[assignment]  # a call has none either

    def __repr__(self) -> str:
        return f"Step({self.kind!r}, {self.detail!r})"


@copied_at_each_look("messages", "usage")
@value
class RunResult:
    """What a run came to.

    Parameters
    ----------
    final
        The text of the answer; ``""`` when there is none.
    steps
        One `Step` per tool call, and one for the answer.
    messages
        The whole history, the answer included; a `History`. Each look is a snapshot, so appending to it leaves the
        result alone.
    usage
        Tokens, summed over all calls that told theirs; empty when none did.
    status
        ``"completed"``, ``"truncated"`` (the answer was cut), ``"cancelled"`` or ``"over_budget"``; in the partial
        result that an error carries: ``"max_steps"``, ``"exhausted"`` or ``"failed"``.
    stopped_by
        What stopped a run that is cancelled or over budget: an `AbortError` or a `BudgetExceeded`.
    """

    final: str
    steps: Sequence[Step]
    messages: Sequence[Message]
    usage: dict[str, int]
    status: str
    stopped_by: MinAgentError | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "messages", History(vars(self)["messages"]))

    def __repr__(self) -> str:
        counts = f"{len(self.steps)} steps, {len(self.messages)} messages"
        return f"<RunResult {self.status}: {self.final!r}, {counts}>"


class Record:
    """The pen of the loop: history, steps and usage, as they come.

    Parameters
    ----------
    prompt, system
        What the history starts with.
    """

    def __init__(self, prompt: str, system: str | None = None) -> None:
        self.history = History([] if system is None else [Message("system", system)])
        self.history.append(Message("user", prompt))
        self.steps: list[Step] = []
        self.usage: dict[str, int] = {}
        self.running: set[str] = set()  # ids of the calls whose tools are at work
        self._offered: list[dict[str, Any]] = []
        self._result: RunResult | None = None

    @property
    def now(self) -> History:
        """The history as it is now."""
        return self.history.snapshot()

    def offer(self, tools: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Return the tools as a list that a model may keep: made anew when somebody has written into the last one."""
        if self._offered != tools:
            self._offered = copy_json(tools)
        return self._offered

    def keep(self, reply: ModelResponse) -> Sequence[ToolCall]:
        """Write down the model's message and usage, and return its calls, which now wait for their results."""
        if not isinstance(reply, ModelResponse):
            raise TypeError(f"AskModel was answered with {reply!r:.80}; send a ModelResponse")
        self.history.append(reply.message)
        for name, count in reply.usage.items():
            if type(count) is int:  # what a provider adds may be anything
                self.usage[name] = self.usage.get(name, 0) + count
        return reply.message.tool_calls

    def answer(self, call: ToolCall, result: ToolResult) -> None:
        """Write down the result of a call."""
        if not isinstance(result, ToolResult):
            raise TypeError(f"RunTool was answered with {result!r:.80}; send a ToolResult(content)")
        self.running.discard(call.id)
        self.history.append(Message("tool", result.content, tool_call_id=call.id))
        self.steps.append(Step("tool_call", None, call, result))

    def finish(self, reply: ModelResponse) -> RunResult:
        """Write down the answer and close the run."""
        self.steps.append(Step("final", reply.message.content))
        return self.result("truncated" if reply.cut else "completed", reply.message.content)

    def over(self, max_steps: int) -> MaxStepsExceeded:
        """Return the error that ends a run after `max_steps` calls of the model."""
        return MaxStepsExceeded(max_steps, self.result("max_steps"))

    def result(self, status: str, final: str = "", stopped_by: MinAgentError | None = None) -> RunResult:
        """Return what there is. Calls that still wait are answered first, so that each id has its tool message."""
        for call in self.waiting():
            self.give_up(call)
        self._result = RunResult(final, tuple(self.steps), self.now, dict(self.usage), status, stopped_by)
        return self._result

    def give_up(self, call: ToolCall) -> None:
        """Write down, as the result of a call, that there will be none."""
        self.answer(call, STOPPED_CALL if call.id in self.running else NEXT_CALLS)

    def waiting(self) -> list[ToolCall]:
        """Return the calls without a result. The history tells, wherever in the writing Ctrl-C came."""
        answered = set()
        for message in reversed(self.history):
            if message.role != "tool":
                return [call for call in message.tool_calls if call.id not in answered]
            answered.add(message.tool_call_id)
        return []

    def attach_to(self, error: BaseException) -> RunResult:
        """Let the error that ends the run carry what there is, and return that."""
        if self._result is not None:  # `MaxStepsExceeded` was born with it
            return self._result
        status = "failed" if isinstance(error, Exception) else "cancelled"  # Ctrl-C is no failure
        result = self.result("exhausted" if isinstance(error, ScriptExhausted) else status)
        with contextlib.suppress(Exception):  # an exception that cannot carry it must still come through
            error.result = result  # type: ignore[attr-defined]
        return result

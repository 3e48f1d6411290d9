"""What a trace tells of one run, as the answers that the loop waits for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NoReturn

from minagent_lab import errors
from minagent_lab.checks import check_max_steps, check_text
from minagent_lab.errors import MinAgentError, ProviderError, TraceError
from minagent_lab.messages import ModelResponse
from minagent_lab.observe import semconv as names
from minagent_lab.results import ToolResult

Event = Mapping[str, Any]
UNKNOWN = "unknown"  # in the first event: which of max_steps and tools only stand there so that the loop can be driven


class RecordedError(Exception):
    """Stands in for an exception of another kind that a trace has recorded; it has that one's name and text."""


class Recorded:
    """What a trace tells of one run, as the answers that its loop waits for.

    Parameters
    ----------
    events
        Those of the run, in order.
    name
        What to call the trace in an error.

    Attributes
    ----------
    stepper : Stepper
        Who plays it; set once it is made.
    played : bool
        Whether all of it was played.
    """

    def __init__(self, events: list[Event], name: str) -> None:
        self.name = name
        self.stepper: Any = None
        self.played = False
        self.call = 0  # of the model, the one that is played
        self.model_name = ""
        self.answers: list[ModelResponse | Exception] = []
        self.begun: set[tuple[int, str]] = set()  # calls of the model and ids of tool calls
        self.results: dict[tuple[int, str], ToolResult] = {}
        self.end: Event | None = None
        for number, event in enumerate(events, 1):
            try:
                self._take(event)
            except (KeyError, TypeError, ValueError, IndexError, AttributeError) as problem:
                words = f"event {number} of its run, {event.get('event')!r:.40}, cannot be played"
                raise TraceError(name, f"{words}: {type(problem).__name__}: {problem}") from None
        if not hasattr(self, "prompt"):
            raise TraceError(name, "the run has no beginning; a run_started event has to come first")

    def _take(self, event: Event) -> None:
        if names.WITHHELD in event:
            raise ValueError(event[names.WITHHELD])
        kind, place = event["event"], (event.get(names.CALL, 0), event.get(names.CALL_ID, ""))
        if kind == "run_started":
            self._begin(event)
        elif kind == "model_answered":
            self.answers.append(names.response_of(event))
            self.model_name = event.get(names.RESPONSE_MODEL, self.model_name)
        elif kind == "model_failed":
            self.answers.append(error_of(event))
        elif kind == "tool_asked":
            self.begun.add(place)
        elif kind == "tool_answered":
            self.results[place] = ToolResult(event[names.CALL_RESULT], event.get(names.ERROR_TYPE))
        elif kind == "run_ended":
            self.end = event

    def _begin(self, event: Event) -> None:
        *before, asked = [names.message_of(message) for message in event[names.INPUT_MESSAGES]]
        if [message.role for message in [*before, asked]] not in (["user"], ["system", "user"]):
            raise ValueError("a run begins with a user's message, and perhaps a system prompt before it")
        self.prompt: str = asked.content
        self.system: str | None = before[0].content if before else None
        self.max_steps: int = event[names.MAX_STEPS]
        check_max_steps(self.max_steps)
        self.unknown = frozenset(event.get(UNKNOWN, ()))
        self.tools = names.tools_of(event[names.TOOL_DEFINITIONS])
        for tool in self.tools:
            check_text("the name of a tool", tool["name"])

    def next_answer(self) -> ModelResponse:
        """Return what the model answered, or raise what it raised."""
        self.call += 1
        if self.call > len(self.answers):
            self._stop()
        answer = self.answers[self.call - 1]
        if isinstance(answer, Exception):
            self._stop(answer)
        return answer

    def next_result(self) -> ToolResult:
        """Return what came of the tool call that waits."""
        call = self._record.waiting()[0]
        if (self.call, call.id) not in self.results:
            self._stop()
        return self.results[self.call, call.id]

    @property
    def _record(self) -> Any:
        return self.stepper._record

    def _stop(self, error: Exception | None = None) -> NoReturn:
        """End the run as it ended then: with the results that were there, its status and its error."""
        record, status = self._record, self.end.get(names.STATUS, "failed") if self.end else "failed"
        for call in record.waiting():
            place = (self.call, call.id)
            record.running.discard(call.id)
            if place in self.results:
                record.answer(call, self.results[place])
                continue
            if place in self.begun:
                record.running.add(call.id)
            record.give_up(call)
        error = error or self._error_of_the_end()
        stopped = error if status in ("cancelled", "over_budget") and isinstance(error, MinAgentError) else None
        error.result = record.result(status, stopped_by=stopped)  # type: ignore[attr-defined]
        raise error

    def _error_of_the_end(self) -> Exception:
        if self.end is None:
            return TraceError(self.name, "the trace ends here, before its run: it went on, or its process was killed")
        if names.ERROR_TYPE not in self.end:
            return TraceError(self.name, "an answer is missing here, although the run went on")
        return error_of(self.end)


def error_of(event: Event) -> Exception:
    """Return an exception such as the one that was recorded; never one that would end the program."""
    name, text = str(event.get(names.ERROR_TYPE, "Exception")), str(event.get(names.ERROR_MESSAGE, ""))
    kind = getattr(errors, name, None)
    if not (isinstance(kind, type) and issubclass(kind, MinAgentError)):
        stand_in: type[Exception] = type(name, (RecordedError,), {})
        return stand_in(text) if text else stand_in()
    made: Exception = kind.__new__(kind, text)
    made.args = (text,)
    if isinstance(made, ProviderError):
        vars(made).update(dict.fromkeys(("status_code", "request_id", "code", "retry_after")))
    vars(made).update(names.error_facts(event))
    return made

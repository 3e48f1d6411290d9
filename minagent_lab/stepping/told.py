"""What a result and a recording tell of a run, in the words of a trace: so that they open as a trace does.

Both tell less than a trace. A `RunResult` knows neither the tools on offer nor the usage of each call; a recording does
not know what came after its last turn, nor how many calls were allowed. What is not known is left out, and named where
the run begins.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from minagent_lab.errors import FixtureError, MinAgentError, ProviderError
from minagent_lab.fakes.script import Script
from minagent_lab.fixtures.format import read_fixture, script_of
from minagent_lab.fixtures.strict import each_request
from minagent_lab.messages import Message, ModelResponse
from minagent_lab.observe import semconv as names
from minagent_lab.record import CUT_CALL, NEXT_CALLS, STOPPED_CALL, RunResult
from minagent_lab.stepping.recorded import UNKNOWN

_CUT = {result.content: reason for reason, result in CUT_CALL.items()}


def events_of_result(result: RunResult) -> list[dict[str, Any]]:
    """Return the events of a run that came to this result."""
    messages = list(result.messages)
    first = next((at for at, message in enumerate(messages) if message.role == "assistant"), len(messages))
    errors = {
        (step.call.id, step.result.content): step.result.error for step in result.steps if step.call and step.result
    }
    kinds = lambda call, content: errors.get((call, content))  # noqa: E731
    answers = sum(message.role == "assistant" for message in messages)
    events = [_begin(messages[:first], [], answers + 1, ["max_steps", "tools"])]
    events += _turns(messages[first:], result.status, kinds)
    if result.status in ("completed", "truncated"):
        return events
    if result.status == "max_steps":
        events[0].update({names.MAX_STEPS: answers, UNKNOWN: ["tools"]})
    return [*events, {"event": "run_ended", names.STATUS: result.status, **_why(result)}]


def _why(result: RunResult) -> dict[str, Any]:
    if isinstance(result.stopped_by, MinAgentError):
        return names.error_data(result.stopped_by)
    return {names.ERROR_TYPE: "RunEnded", names.ERROR_MESSAGE: f"the result says {result.status}, and nothing more"}


def _begin(
    messages: Sequence[Message], tools: list[dict[str, Any]], max_steps: int, unknown: list[str]
) -> dict[str, Any]:
    return {
        "event": "run_started",
        names.INPUT_MESSAGES: [names.message_data(message) for message in messages],
        names.TOOL_DEFINITIONS: names.tool_definitions(tools),
        names.MAX_STEPS: max_steps,
        UNKNOWN: unknown,
    }


def _turns(messages: Sequence[Message], status: str, error_kind: Any) -> list[dict[str, Any]]:
    """Return the events of each answer and of the results that follow it."""
    events: list[dict[str, Any]] = []
    call = 0
    for place, message in enumerate(messages):
        if message.role == "assistant":
            call += 1
            response = ModelResponse(message, _reason(messages, place, status))
            events.append({"event": "model_answered", names.CALL: call, **names.response_data(response)})
        elif message.role == "tool" and message.content not in (*_CUT, NEXT_CALLS.content):
            where = {names.CALL: call, names.CALL_ID: message.tool_call_id}
            events.append({"event": "tool_asked", **where})
            if message.content != STOPPED_CALL.content:
                kind = error_kind(message.tool_call_id, message.content)
                events.append({"event": "tool_answered", **where, names.CALL_RESULT: message.content,
                               **({names.ERROR_TYPE: kind} if kind else {})})  # fmt: skip
    return events


def _reason(messages: Sequence[Message], place: int, status: str) -> str:
    """Return why an answer stopped, as far as the history tells."""
    message, after = messages[place], messages[place + 1 :]
    if message.tool_calls:
        return _CUT.get(after[0].content, "tool_use") if after else "tool_use"
    return "max_tokens" if status == "truncated" and not after else "end_turn"


def events_of_fixture(path: Path) -> list[dict[str, Any]]:
    """Return the events of the run that a fixture has recorded.

    Raises
    ------
    FixtureError
        It is no fixture, or keeps no requests: then it is a script, and ``step(load_fixture(path), ...)`` plays it.
    """
    data = read_fixture(path)
    by_hand = data.get("version", 1) == 1  # whose turns may hold anything else under that name
    if by_hand or not data["turns"] or any("request" not in turn for turn in data["turns"]):
        raise FixtureError(
            path, "", "it keeps no requests, so nobody knows what was asked; step(load_fixture(path), ...) plays it"
        )
    requests = each_request(path, data["turns"])
    script = Script(script_of(path, data), errors=True)
    first = requests[0]
    events = [_begin([_message(row) for row in first["messages"]], first["tools"], len(requests) + 1, ["max_steps"])]
    for number, request in enumerate(requests, 1):
        if number > 1:
            events += _results(number - 1, request["messages"])
        events.append(_outcome(script, number))
    return events


def _outcome(script: Script, number: int) -> dict[str, Any]:
    try:
        response = script.play(number - 1)
    except ProviderError as error:
        return {"event": "model_failed", names.CALL: number, **names.error_data(error)}
    return {"event": "model_answered", names.CALL: number, **names.response_data(response)}


def _results(call: int, messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the results of a call, which stand at the end of the next request."""
    rows: list[dict[str, Any]] = []
    for message in reversed(messages):
        if message["role"] != "tool":
            break
        rows.insert(0, message)
    events: list[dict[str, Any]] = []
    for row in rows:
        if row["content"] in _CUT or "tool_call_id" not in row:  # one without an id answers no call
            continue
        where = {names.CALL: call, names.CALL_ID: row["tool_call_id"]}
        kind = _error_kind(row["content"])
        events.append({"event": "tool_asked", **where})
        events.append({"event": "tool_answered", **where, names.CALL_RESULT: row["content"],
                       **({names.ERROR_TYPE: kind} if kind else {})})  # fmt: skip
    return events


def _error_kind(content: str) -> str | None:
    """Return which kind of error a result is, as far as its text tells."""
    if not content.startswith('{"error": '):
        return None
    try:
        text = json.loads(content)["error"]
    except (ValueError, KeyError, TypeError):
        return None
    return "unknown_tool" if str(text).startswith("未知工具") else "tool_failed"


def _message(row: dict[str, Any]) -> Message:
    return Message(row["role"], row["content"])

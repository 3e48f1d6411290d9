"""What the stepper says, in words. No HTML here: the live view, the static form and the plain text say the same."""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple

from minagent_lab.checks import NO_RESPONSE
from minagent_lab.errors import MaxStepsExceeded, ScriptExhausted, TraceError, UnexpectedRequest
from minagent_lab.fakes.script import Expect
from minagent_lab.messages import ModelResponse, ToolCall
from minagent_lab.record import STOPPED_CALL
from minagent_lab.results import exception_text
from minagent_lab.stepping.fields import field_of, script_of
from minagent_lab.stepping.stepper import Stepper, Turn
from minagent_lab.values import dump_json
from minagent_lab.views.html import Part, bold, code

Sentence = list[Part | str]
MOST_CALLS = 12  # parallel calls that are told one by one; of more, only the number


def count(number: int, noun: str) -> str:
    """Return ``"1 message"``, ``"2 messages"``, ``"1,518 characters"``."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def short(text: str, longest: int = 60) -> str:
    """Return the text on one line, its end cut off where it is long."""
    line = " ".join(text.split())
    return line if len(line) <= longest else f"{line[: longest - 1]}…"


def position(stepper: Stepper) -> tuple[str, str]:
    """Return where we are: ``("Call 3", " of at most 10")``."""
    return (f"Call {stepper.index}" if stepper.index else "Before call 1"), at_most(limit_of(stepper))


def limit_of(stepper: Stepper) -> int | None:
    """Return how many calls were allowed; ``None`` for a run that was opened and does not tell."""
    return None if "max_steps" in stepper.unknown else stepper.max_steps


def at_most(limit: int | None) -> str:
    """Return ``" of at most 10"``; nothing where the limit is not known."""
    return "" if limit is None else f" of at most {limit}"


# ---- one call -------------------------------------------------------------------------------------------------------


def tokens(usage: dict[str, Any]) -> str:
    """Return a usage in words; an empty one is unknown, never zero."""
    if not usage:
        return "unknown"
    known = {key: f"{usage[key]:,}" for key in ("input_tokens", "output_tokens") if key in usage}
    return f"{known.get('input_tokens', 'unknown')} tokens in, {known.get('output_tokens', 'unknown')} out"


def call_words(call: ToolCall) -> str:
    """Return a call as one would say it: name and arguments."""
    return f"{call.name} {dump_json(call.arguments)}"


def event(turn: Turn) -> tuple[str, bool]:
    """Return the word for the time line, and whether it is an error."""
    if turn.status == "cancelled":
        return "cancelled", False
    if turn.error is not None:
        return (_tools(turn), False) if isinstance(turn.error, MaxStepsExceeded) else ("stop", True)
    if turn.response is None or not turn.response.message.tool_calls:
        return ("cut", False) if turn.status == "truncated" else ("answer", False)
    return ("error", True) if any(result.error for _, result in turn.results) else (_tools(turn), False)


def _tools(turn: Turn) -> str:
    return count(len(turn.results), "tool")


def sees(turn: Turn | None, *, asked: bool = False) -> str:
    """Return the heading of a request; of the first one, where no call is shown (`asked`: whether it was made).

    A budget that refuses a call refuses it before the model sees anything.
    """
    if turn is None:
        return f"What the model {'sees' if asked else 'will see'} at call 1"
    return f"What the model {'would have seen' if _was_refused(turn) else 'sees'} at call {turn.call}"


def _was_refused(turn: Turn) -> bool:
    return turn.response is None and turn.status == "over_budget"


def _is_no_response(turn: Turn) -> bool:
    """Whether the model gave something back that is no response; in a trace its text alone tells."""
    return turn.response is None and turn.error is not None and str(turn.error).endswith(NO_RESPONSE)


def asked(turn: Turn) -> str:
    """Return what the model did in this call, as one sentence."""
    if turn.response is None:
        if _was_refused(turn):
            return "The model was not asked."
        return "What came back is no response." if _is_no_response(turn) else "Nothing came back from the model."
    calls = turn.response.message.tool_calls
    if not calls:
        return "The model answered with text."
    wish = "a tool" if len(calls) == 1 else f"{len(calls)} tools"
    if turn.response.cut:
        return f"The model asked for {wish}, but its reply was cut; no tool was run."
    if turn.results and all(result.error == "not_run" for _, result in turn.results):
        return f"The model asked for {wish}; no tool was run."
    if turn.status == "cancelled":
        return f"The model asked for {wish}; then the run was cancelled."
    failed = sum(result.error is not None for _, result in turn.results)
    if not failed:
        return f"The model asked for {wish}."
    which = "it failed" if len(calls) == 1 else f"{failed} of them failed"
    return f"The model asked for {wish}; {which}, and it can read why."


def then(turn: Turn) -> Sentence:
    """Return what the loop did with the answer: the model itself never runs a tool."""
    if not turn.results:
        return [bold("Then the loop"), " returned this text: nobody asked for a tool."]
    if all(result.error == "not_run" for _, result in turn.results):
        return [bold("Then the loop"), " ran nothing; it answered each call with an error that says why."]
    sentence: Sentence = [bold("Then the loop"), " "]
    for place, (call, result) in enumerate(turn.results[:MOST_CALLS]):
        sentence += ["; " if place else "", *_outcome(call, result.content, result.error)]
    if more := len(turn.results) - MOST_CALLS:
        sentence += [f"; {count(more, 'more call')} likewise"] if more > 0 else []
    many = len(turn.results) > 1
    return [
        *sentence,
        "; it appended the calls and their results." if many else "; it appended the call and its result.",
    ]


def then_more(turn: Turn) -> list[Sentence]:
    """Return what the loop did with each of the calls that `then` only counts."""
    if all(result.error == "not_run" for _, result in turn.results):
        return []
    return [_outcome(call, result.content, result.error) for call, result in turn.results[MOST_CALLS:]]


def _outcome(call: ToolCall, content: str, error: str | None) -> Sentence:
    if content == STOPPED_CALL.content:
        return ["stopped ", code(call.name), f" ({call.id}) while it ran; what it had done by then is not known"]
    got = code(short(content))
    if error == "unknown_tool":
        return ["found no tool ", code(call.name), ", so the result is ", got]
    if error == "invalid_arguments":
        return ["did not run ", code(call.name), ", whose arguments do not fit: ", got]
    if error == "not_run":
        return ["did not run ", code(call.name), f" ({call.id}): {_why_not_run(content)}"]
    if error == "tool_failed":
        return ["ran ", code(call.name), ", which failed, so the result is ", got]
    return ["ran ", code(call.name), " and got ", got]


def _why_not_run(content: str) -> str:
    """Return why a call was not run, whole: the text of its error, without what is said already."""
    try:
        return str(json.loads(content)["error"]).removeprefix("not run: ")
    except (ValueError, KeyError, TypeError):
        return content


# ---- where the run stands -------------------------------------------------------------------------------------------


def now(stepper: Stepper) -> Sentence:
    """Return what has happened and what Next will do."""
    turn = stepper.turn
    if turn is not None and turn.status != "running":
        return _ended(turn)
    sentence: Sentence = [
        asked(turn) if turn else "Nothing has been asked yet." if stepper.at_frontier else "The start."
    ]
    if not stepper.at_frontier:
        return [*sentence, " ", bold("Next"), f" shows call {stepper.index + 1}, recorded."]
    verb = " asks it again" if turn else " makes call 1"
    return [*sentence, " ", bold("Next"), f"{verb}{_script_hint(stepper)}."]


def before_the_answer(stepper: Stepper) -> Sentence:
    """Return the same in predict mode, while Next waits for an answer."""
    so_far = asked(stepper.turn) if stepper.turn else "Nothing has been shown yet."
    return [so_far, " ", bold("What comes next?"), " Answer the question; then Next opens."]


def _script_hint(stepper: Stepper) -> str:
    if not stepper.index or (length := script_length(stepper.model)) is None:
        return ""
    place = place_of(stepper.model)
    return f": script item {place + 1}" if place < length else ": no script item is left"


def _ended(turn: Turn) -> Sentence:
    if turn.status == "completed":
        return [bold("Finished."), " The model answered with text; the loop returned it."]
    if turn.status == "truncated":
        return [bold("Finished."), " The run ended with a cut answer."]
    if isinstance(turn.error, ScriptExhausted):
        return [bold("Stopped."), " Nothing was left in the script to answer with."]
    if isinstance(turn.error, MaxStepsExceeded):
        return [bold("Stopped."), " The guard rail ended the run."]
    if turn.status == "cancelled":
        return (
            [bold("Stopped."), " The run was interrupted."]
            if _by_ctrl_c(turn)
            else [bold("Cancelled."), " ", _who(turn)]
        )
    if turn.status == "over_budget":
        return [bold("Stopped."), " The budget did not allow what came next."]
    if isinstance(turn.error, TraceError):
        return [bold("Stopped."), " The trace tells no more."]
    if turn.response is not None:
        return [bold("Stopped."), " The registry raised an error while a tool ran, and that ends a run."]
    if _is_no_response(turn):
        return [bold("Stopped."), " What came back is no response, and that ends a run."]
    return [bold("Stopped."), " The model raised an error, and that ends a run."]


def _by_ctrl_c(turn: Turn) -> bool:
    return turn.error is None or isinstance(turn.error, KeyboardInterrupt)


def _who(turn: Turn) -> str:
    """Return who cancelled a run, or why, as far as it was told."""
    told = re.search(r"\(the request was aborted: (.+)\)$", str(turn.error), re.DOTALL)
    return f"{short(told[1])}." if told else "Somebody wanted it to stop; that is no failure."


# ---- the end --------------------------------------------------------------------------------------------------------


class End(NamedTuple):
    """The end of a run.

    Parameters
    ----------
    kind
        ``"ok"``, ``"cut"`` or ``"stop"``.
    title
        What happened, as a headline.
    text
        The final answer, or the exception's own text.
    facts
        Pairs of a label, which is a word of ours, and a sentence.
    cancelled
        Whether it ended because somebody wanted it to: that is no failure, and has a mark of its own.
    """

    kind: str
    title: str
    text: str
    facts: list[tuple[str, Sentence]]
    cancelled: bool = False


def end(stepper: Stepper, turn: Turn) -> End:
    """Return how the run ended, in words: what happened, why, and what to do next."""
    at = f"call {turn.call}{at_most(limit_of(stepper))}"
    if turn.error is None and turn.response is not None:
        return _answered(stepper, turn.response, at)
    last = _last_message(turn)
    if isinstance(turn.error, ScriptExhausted):
        items = count(turn.error.script_length, "item")
        why = f"Call {turn.error.call_number} was made, but the script has {items}."
        step = "Was this call right? Then add an item for it. Was it wrong? Then repair the agent."
        return End("stop", f"Stopped at {at}: the script is used up", _first_words(turn.error),
                   [("why", [why]), ("last message", last), ("next", [step])])  # fmt: skip
    if isinstance(turn.error, MaxStepsExceeded):
        held = count(len(turn.request.messages) + 1 + len(turn.results), "message")
        advice = "Does the same call repeat? Repair the agent. Is each call new? Raise "
        return End("stop", f"Stopped after {at}: over max_steps", _first_words(turn.error),
                   [("why", [code(f"max_steps={stepper.max_steps}"), "; the model asked for a tool in every call."]),
                    ("history", [f"{held}, well-formed: each call has its result."]),
                    ("next", [advice, code("max_steps"), "."])])  # fmt: skip
    if turn.status == "cancelled" and not _by_ctrl_c(turn):
        told = _who(turn).rstrip(".") if "aborted:" in str(turn.error) else ""
        title = f"Cancelled in {at}{f': {told}' if told else ''}"
        return End("stop", title, exception_text(turn.error or RuntimeError()),
                   [*_cancelled_calls(turn),
                    ("next", ["Go on from this history: it is well-formed, each call has its result."])],
                   cancelled=True)  # fmt: skip
    if turn.status == "cancelled":
        return End("stop", f"Stopped in {at}: interrupted", exception_text(turn.error or KeyboardInterrupt()),
                   [("next", ["Run the cell again to start anew."])])  # fmt: skip
    if turn.status == "over_budget":
        spared = "No tool of this turn was run." if turn.response else "The model was not asked again."
        return End("stop", f"Stopped at {at}: the budget is used up", exception_text(turn.error or RuntimeError()),
                   [("why", [spared, " What was paid for before is kept."])])  # fmt: skip
    if isinstance(turn.error, TraceError):
        return End("stop", f"Stopped at {at}: the trace tells no more", exception_text(turn.error), [])
    if isinstance(turn.error, UnexpectedRequest):
        advice = "Compare the request above with the Expect in the script."
        return End("stop", f"Stopped at {at}: not the request that the script expects", str(turn.error),
                   [("last message", last), ("next", [advice])])  # fmt: skip
    kind = type(turn.error).__name__
    if _is_no_response(turn):
        return End("stop", f"Stopped at {at}: what came back is no response", str(turn.error),
                   [("why", ["The loop needs a ", code("ModelResponse"), "; it looks at each reply first."]),
                    ("next", ["Repair what answers, or end its script by an error that says so."])])  # fmt: skip
    if turn.response is not None:
        why = "What a tool raises is data for the model; what the registry itself raises ends the run."
        return End("stop", f"Stopped in {at}: the registry raised {kind}", exception_text(turn.error or RuntimeError()),
                   [("why", [why]),
                    ("next", ["The exception is kept in ", code("view.last_error"), "."])])  # fmt: skip
    return End("stop", f"Stopped at {at}: the model raised {kind}", exception_text(turn.error or RuntimeError()),
               [("why", ["What a model raises ends the run; what a tool raises is data for the model."]),
                ("next", ["The exception is kept in ", code("view.last_error"), "."])])  # fmt: skip


def _cancelled_calls(turn: Turn) -> list[tuple[str, Sentence]]:
    """Return a line for each call that has no result of its own."""
    lines: list[tuple[str, Sentence]] = []
    for call, result in turn.results:
        if result.content == STOPPED_CALL.content:
            words = " was stopped while it ran; what it had done by then is not known."
            lines.append(("call", [code(call.id), ": ", code(call.name), words]))
        elif result.error == "not_run":
            lines.append(("call", [code(call.id), ": ", code(call.name), " was not run."]))
    return lines


def _answered(stepper: Stepper, response: ModelResponse, at: str) -> End:
    facts: list[tuple[str, Sentence]] = [("stop reason", [code(response.stop_reason)])]
    facts.append(("usage", [tokens(response.usage)]))
    if response.cut:
        facts.append(("then", ["No tool was run. The run ends with this text as it is."]))
        return End("cut", f"Cut at {at}: {response.stop_reason}", response.message.content, facts)
    if stepper.result is not None and stepper.result.usage != response.usage:
        facts.append(("whole run", [tokens(stepper.result.usage)]))
    length = script_length(stepper.model)
    if length is not None:
        facts.append(("script", [f"{place_of(stepper.model)} of {count(length, 'item')} used"]))
    return End("ok", f"Finished at {at}: final answer", response.message.content, facts)


def _first_words(error: BaseException) -> str:
    """Return the exception's own text, Chinese and English, up to where it goes into details."""
    head, colon, _ = str(error).partition(": ")
    return f"{head})" if colon else head


def _last_message(turn: Turn) -> Sentence:
    last = turn.request.messages[-1]
    whose: Sentence = ["tool, result of ", code(last.tool_call_id)] if last.tool_call_id else [last.role]
    return [*whose, ": ", code(short(last.content))]


# ---- the script -----------------------------------------------------------------------------------------------------


def name_of(model: Any) -> str:
    """Return what a model is called."""
    name = field_of(model, "name")
    return name if isinstance(name, str) and name else type(model).__name__


def script_length(model: Any) -> int | None:
    """Return how many items a script has, without making them where the model knows it; ``None`` without a script."""
    place, left = field_of(model, "position"), field_of(model, "remaining")
    if isinstance(place, int) and isinstance(left, int):
        return place + left
    script = script_of(model)
    return None if script is None else len(script)


def place_of(model: Any) -> int:
    """Return how many items of its script a model has used; 0 for a model without one."""
    place = field_of(model, "position")
    return place if isinstance(place, int) else 0


def items_used(stepper: Stepper, call: int | None = None) -> int:
    """Return how many script items were used when a call was over; the one that is shown when left out."""
    for turn in reversed(stepper.turns[: stepper.index if call is None else call]):
        if turn.item is not None:
            return turn.item
    first = next((turn.item for turn in stepper.turns if turn.item is not None), None)
    return first - 1 if first is not None else place_of(stepper.model)


def item_words(item: Any) -> str:
    """Return a script item on one line."""
    if isinstance(item, Expect):
        return f"{item_words(item.item)}, with a check of the request"
    if isinstance(item, ModelResponse):
        calls = list(item.message.tool_calls)
        usual = "tool_use" if calls else "end_turn"
        why = "" if item.stop_reason == usual else f" (stop reason {item.stop_reason})"
        return f"{item_words(calls or item.message.content)}{why}"
    if isinstance(item, list):
        words = ", ".join(map(call_words, item))
        return words if len(item) == 1 else f"{len(item)} calls: {words}"
    return f"“{item}”"


# ---- the loop's source ----------------------------------------------------------------------------------------------


def lines_note(stepper: Stepper, line: int) -> Sentence:
    """Return what the marked line of the loop is doing."""
    turn, here = stepper.turn, f"▸ Line {line}: "
    if turn is None:
        return [bold(f"{here}waiting"), " to make call 1."]
    if turn.status == "running":
        ran = f" Lines with a bar ran in call {turn.call}; grey lines did not."
        return [bold(f"{here}waiting"), f" to make call {turn.call + 1}.{ran}"]
    if turn.error is None:
        return [bold(f"{here}returned."), " No tool was asked for, so the loop is over."]
    if isinstance(turn.error, MaxStepsExceeded):
        return [bold(f"{here}raised."), f" Call {turn.call} was the last one allowed."]
    if turn.response is not None:
        return [bold(f"{here}stopped here."), " The call did not come to its end."]
    if _was_refused(turn):
        return [bold(f"{here}stopped here."), " The budget did not allow the call."]
    if turn.status == "cancelled":
        return [bold(f"{here}stopped here."), " The call did not come to its end."]
    if _is_no_response(turn):
        return [bold(f"{here}stopped here."), " What came back is no response."]
    return [bold(f"{here}stopped here."), " The model raised instead of answering."]

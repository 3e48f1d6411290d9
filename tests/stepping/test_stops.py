"""Stepping until something happens."""

import pytest
from lab import adder, call

from minagent_lab import FakeModel, Message, ModelResponse, Stepper, ToolCall
from minagent_lab.stepping.stops import STOPS, run_until

SCRIPT = [
    [call("c1", a=1, b=2)],
    [ToolCall("c2", "add", {"a": "x"})],
    ModelResponse(Message("assistant", tool_calls=[call("c3")]), "max_tokens"),
    "4",
]


def walk(script=SCRIPT):
    return Stepper(FakeModel(script), adder(), "x")


@pytest.mark.parametrize(
    ("stop", "at"),
    [("tool call", 1), ("error", 2), ("cut answer", 3), ("answer", 4), ("max_tokens", 3), ("end_turn", 4)],
)
def test_it_stops_at_the_first_call_that_is_meant(stop, at):
    stepper = walk()
    assert run_until(stepper, stop).call == at
    assert stepper.index == at
    assert len(stepper.model.calls) == at


def test_it_goes_on_from_where_it_stands_and_ends_with_the_run():
    stepper = walk()
    assert [turn.call for turn in iter(lambda: run_until(stepper, "error"), None)] == [2, 3]
    assert stepper.ended
    assert run_until(stepper, "error") is None


def test_recorded_calls_are_not_asked_again():
    stepper = walk()
    stepper.run_to_end()
    stepper.goto(0)
    assert run_until(stepper, "error").call == 2
    assert len(stepper.model.calls) == 4


def test_the_end_by_an_error_is_an_error():
    stepper = walk(SCRIPT[:1])
    assert run_until(stepper, "error").status == "exhausted"


def test_a_function_may_say_where():
    assert run_until(walk(), lambda turn: len(turn.request.messages) == 5).call == 3


@pytest.mark.parametrize("stop", [None, "", 3])
def test_what_says_nothing_is_refused(stop):
    with pytest.raises(TypeError, match="a stop reason, or a function"):
        run_until(walk(), stop)
    assert list(STOPS) == ["tool call", "error", "cut answer", "answer"]

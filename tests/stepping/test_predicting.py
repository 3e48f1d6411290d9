"""Questions about the next call."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lab import adder, call

from minagent_lab import FakeModel, FakeModelProvider, Message, ModelResponse, ServerError, Stepper, ToolCall, to_model
from minagent_lab.mockgpt import MockGPT
from minagent_lab.stepping.predicting import can_be_predicted, guesses

CUT = ModelResponse(Message("assistant", tool_calls=[call("c9")]), "max_tokens")
BAD = [ToolCall("c2", "add", {"a": "x"})]
items = st.sampled_from(["5", "", [call("c1")], [call("c1"), call("c2")], CUT, BAD])


def walk(script):
    return Stepper(FakeModel(script), adder(), "2 + 3?")


def right(stepper):
    (one,) = [guess for guess in guesses(stepper) if guess.right]
    return one


@given(st.lists(items, max_size=5), st.integers(1, 6))
def test_there_is_one_right_choice_of_four_and_it_tells_what_comes(script, max_steps):
    stepper = Stepper(FakeModel(script), adder(), "x", max_steps=max_steps)
    while not (stepper.ended and stepper.at_frontier):
        choices, guess = guesses(stepper), right(stepper)
        assert len({choice.text for choice in choices}) == 4
        assert all(choice.why.endswith(".") for choice in choices)
        stepper.forward()
        response = stepper.turn.response
        if response is None:
            assert guess.text == "Nothing comes back: the run ends with an error."
        elif response.message.tool_calls:
            assert guess.text.startswith("It asks for")
        else:
            assert guess.text.startswith("It answers with text")
    assert guesses(stepper) == []


@pytest.mark.parametrize("item", [[call("c1")], BAD, [ToolCall("c1", "unheard_of", {})], [call("c1"), *BAD]])
def test_the_reason_holds_also_for_a_call_that_is_not_run(item):
    why = right(walk([item, "5"])).why
    assert "run" not in why  # whether the tool runs is known only when its arguments were looked at
    assert why.endswith("and adds what comes back.")


def test_asking_the_question_asks_nobody():
    stepper = walk([[call("c1")], "5"])
    guesses(stepper)
    assert stepper.model.calls == []


def test_a_recorded_call_is_asked_for_what_was_recorded():
    stepper = walk([[call("c1")], "5"])
    stepper.run_to_end()
    before = []
    for index in (0, 1):
        stepper.goto(index)
        before.append(right(stepper).text)
    assert before == ["It asks for add.", "It answers with text; the loop returns it."]


def test_the_wrong_choices_are_mistakes_that_people_make():
    stepper = walk([BAD, "sorry"])
    stepper.forward()
    told = {guess.text: guess.why for guess in guesses(stepper) if not guess.right}
    assert told["The loop stops: a tool failed."] == "A tool's error is data: the model reads it, and the run goes on."
    assert "never decides anything" in told["The loop calls add again by itself."]


def test_a_cut_reply_and_an_error_are_told():
    assert "no tool is run" in right(walk([CUT])).why
    with to_model(FakeModelProvider([ServerError("no")])) as model:
        assert "raises ServerError" in right(Stepper(model, adder(), "x")).why
    assert "used up" in right(walk([])).why


def test_the_right_one_moves_about():
    stepper, places = walk([[call("c1")]] * 4), []
    for _ in range(4):
        places.append([guess.right for guess in guesses(stepper)].index(True))
        stepper.forward()
    assert len(set(places)) == 4


@pytest.mark.parametrize(("model", "known"), [(FakeModel([]), True), (MockGPT([], fallback="x"), False)])
def test_only_a_script_tells_what_comes(model, known):
    assert can_be_predicted(Stepper(model, adder(), "x")) is known

import pytest
from lab import registry

from minagent_lab import FakeModel, RunResult, Stepper, ToolCall, open_run, run
from minagent_lab.errors import ConfigurationError
from minagent_lab.stepping.predictions import Predictions

SCRIPT = [[ToolCall("c1", "add", {})], "5"]


def walk(script=SCRIPT):
    return Stepper(FakeModel(script), registry(), "2 + 3?")


def answer(question):
    question.guess(next(place for place, choice in enumerate(question.choices) if choice.right))


def wrong(question):
    return [place for place, choice in enumerate(question.choices) if not choice.right]


def test_a_question_is_answered_by_the_right_guess():
    question = Predictions(walk()).question
    answer(question)
    assert question.answered
    assert question.right


def test_a_question_is_answered_after_two_wrong_tries_and_then_stays():
    question = Predictions(walk()).question
    first, second, third = wrong(question)
    question.guess(first)
    question.guess(first)  # the same again is no second try
    assert not question.answered
    question.guess(second)
    question.guess(third)
    assert question.answered
    assert not question.right
    assert question.tried == [first, second]


@pytest.mark.parametrize("place", [-1, 4, "0", None, True, 1.0])
def test_a_guess_is_one_of_the_choices(place):
    with pytest.raises(ValueError, match="the choices are 0 to 3"):
        Predictions(walk()).question.guess(place)


def test_each_answer_opens_one_call():
    stepper = walk()
    predictions = Predictions(stepper)
    for call in (1, 2):
        assert (predictions.waiting, predictions.may_go_to) == (True, call - 1)
        answer(predictions.question)
        assert (predictions.waiting, predictions.may_go_to) == (False, call)
        stepper.forward()
        predictions.look()
    assert predictions.question is None


def test_a_question_that_was_answered_is_kept_for_who_goes_back():
    stepper = walk()
    predictions = Predictions(stepper)
    asked = predictions.question
    answer(asked)
    stepper.forward()
    predictions.look()
    stepper.back()
    assert predictions.question is asked
    assert not predictions.waiting


def test_what_was_shown_before_is_not_asked_about():
    stepper = walk()
    stepper.run_to_end()
    predictions = Predictions(stepper)
    stepper.goto(0)
    assert predictions.question is None
    assert predictions.may_go_to == 2


def test_a_run_that_is_over_can_be_predicted_without_a_script():
    result = run(FakeModel(SCRIPT), registry(), "2 + 3?")
    assert isinstance(result, RunResult)
    predictions = Predictions(open_run(result))
    assert [choice.right for choice in predictions.question.choices].count(True) == 1
    assert predictions.may_go_to == 0


def test_a_model_without_a_script_says_why_it_cannot_be_predicted():
    class Echo:
        def complete(self, messages, tools):
            raise NotImplementedError

    with pytest.raises(ConfigurationError, match="an Echo has no script: use a FakeModel, or open a run"):
        Predictions(Stepper(Echo(), registry(), "x"))

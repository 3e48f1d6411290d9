import pytest

from minagent_lab.course.quiz import Choice, Question
from minagent_lab.views.question_view import PredictView

QUESTION = Question("How many <calls>?", [Choice("1", False, "Too few."), Choice("2", True, "One, and <one>.")])


@pytest.fixture
def view():
    made = PredictView(QUESTION)
    yield made
    made.close()


def test_nothing_is_told_before_something_is_predicted(view):
    view.compare()
    assert view.predicted is None
    assert view.asked.answer.value == ""
    assert view.button.layout.display == "none"


def test_a_choice_does_not_tell_yet_and_can_be_changed(view):
    for place in (0, 1):
        view.asked.radio.value = place
        assert view.predicted == place
        assert "Too few." not in view.asked.answer.value
        assert "✓" not in view.asked.answer.value
    assert view.button.layout.display == ""


def test_comparing_gives_the_reason_of_every_choice_and_keeps_the_prediction(view):
    view.asked.radio.value = 0
    view.button.click()
    said = view.asked.answer.value
    assert "You predicted <b>a</b>" in said
    assert "✗ Too few." in said
    assert "✓ One, and &lt;one&gt;." in said
    view.asked.radio.value = 1
    assert view.predicted == 0
    assert view.asked.answer.value == said


def test_without_a_kernel_the_answer_is_folded(view):
    bundle = view._repr_mimebundle_()
    assert bundle["text/plain"].splitlines() == ["Predict: How many <calls>?", "   a. 1", "   b. 2"]
    before, after = bundle["text/html"].split("<details>")
    assert "Too few." not in before
    assert "Too few." in after


def test_code_in_backticks_is_code_but_a_label_can_only_leave_them_out():
    choices = [Choice("`await` it", False, "`await` waits."), Choice("nothing", True, "Yes.")]
    made = PredictView(Question("What does `x < 1` give?", choices))
    try:
        assert made.asked.radio.options[0] == ("a. await it", 0)
        assert "What does <code>x &lt; 1</code> give?" in made.asked.children[0].value
        made.asked.radio.value = 0
        made.button.click()
        assert "<code>await</code> waits." in made.asked.answer.value
        bundle = made._repr_mimebundle_()
        assert "<b>a.</b> <code>await</code> it" in bundle["text/html"]
        assert "   a. `await` it" in bundle["text/plain"]
    finally:
        made.close()

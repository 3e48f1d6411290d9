import pytest

from minagent_lab.course.quiz import Choice, Question, Quiz
from minagent_lab.views.quiz_view import QuizView

QUIZ = Quiz("99", [
    Question("What is <b>?", [Choice("A tag", True, "It is <b>."), Choice("Nothing", False, "It is something.")]),
    Question("And 1 + 1?", [Choice("1", False, "One more."), Choice("2", True, "Right.")]),
])  # fmt: skip


@pytest.fixture
def view():
    scores = []
    made = QuizView(QUIZ, scores.append)
    made.scores = scores
    yield made
    made.close()


def test_nothing_is_chosen_at_first(view):
    assert [asked.radio.value for asked in view.asked] == [None, None]
    assert view.headline == "Quiz 99: 2 questions, 0 answered"


def test_each_choice_shows_its_reason(view):
    view.asked[0].radio.value = 1
    assert "✗ No." in view.asked[0].answer.value
    assert "It is something." in view.asked[0].answer.value
    view.asked[0].radio.value = 0
    assert "✓ Yes." in view.asked[0].answer.value
    assert "It is &lt;b&gt;." in view.asked[0].answer.value


def test_the_first_choice_counts(view):
    view.asked[0].radio.value = 1
    view.asked[0].radio.value = 0
    view.asked[1].radio.value = 1
    assert view.headline == "Quiz 99: 2 questions, 2 answered, 1 right at the first choice"
    assert view.scores[-1] == 1


def test_without_a_kernel_the_answers_are_folded(view):
    bundle = view._repr_mimebundle_()
    assert bundle["text/plain"].splitlines()[0] == "Quiz 99: 2 questions, 0 answered"
    assert "   a. A tag" in bundle["text/plain"]
    assert "It is &lt;b&gt;." in bundle["text/html"].split("<details>")[1]
    assert "class=" not in bundle["text/html"]


def test_a_question_has_exactly_one_right_choice():
    for rights in ([], [True, True]):
        with pytest.raises(ValueError, match="exactly one right choice"):
            Question("?", [Choice("x", right, "y") for right in rights])

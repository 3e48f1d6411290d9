import pytest

from minagent_lab.course import check, hint, quiz, solution
from minagent_lab.course.desk import _hints_given, _tried, exercises
from minagent_lab.course.progress import VARIABLE, solved


@pytest.fixture(autouse=True)
def _a_fresh_learner(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv(VARIABLE, raising=False)
    _hints_given.clear()
    _tried.clear()


def solve(exercise):
    return check(exercise.id, exercise.made_by(exercise.solution))


def test_a_solved_exercise_is_remembered_and_an_unsolved_one_is_not():
    first = exercises()[0]
    check(first.id, first.made_by(first.starter))
    assert solved()["exercises"] == []
    assert solve(first).solved
    assert solved()["exercises"] == [first.id]


@pytest.mark.parametrize("name", ["3.99", "", None, 3.1, [], "<b>"])
def test_an_unknown_exercise_gets_a_note_that_says_which_there_are(name):
    for note in (check(name, None), hint(name), solution(name)):
        assert "There is no exercise" in repr(note)
        assert "<b>" not in note._repr_mimebundle_()["text/html"].replace("<p>", "")


def test_hints_come_one_at_a_time_and_the_last_one_stays():
    hints = exercises()[-1].hints
    given = [repr(hint(exercises()[-1].id)) for _ in range(len(hints) + 1)]
    for number, text in enumerate(hints):
        assert text in given[number]
    assert given[-1] == given[-2]
    assert given[-1].endswith("That was the last one.")


def test_the_solution_comes_after_a_try_only():
    first = exercises()[0]
    assert "Try" in repr(solution(first.id))
    assert first.solution.strip() not in repr(solution(first.id))
    check(first.id, None)
    assert first.solution.strip() in repr(solution(first.id))


def test_a_check_raises_nothing_whatever_it_is_given():
    for thing in (None, int, 5, "x", [], {}, lambda: 1 / 0, object(), BaseException, check):
        for exercise in exercises():
            assert not check(exercise.id, thing).solved


def test_a_quiz_that_does_not_exist_gets_a_note():
    assert "There is no quiz" in repr(quiz("99"))
    assert "There is no quiz" in repr(quiz(3))


def test_a_quiz_remembers_its_score():
    view = quiz("03")
    for number, question in enumerate(view.quiz.questions):
        view.choose(number, next(place for place, choice in enumerate(question.choices) if choice.right))
    assert solved()["quizzes"] == {"03": len(view.quiz.questions)}
    view.close()

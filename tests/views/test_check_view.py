import pytest

from minagent_lab.course import check
from minagent_lab.course.desk import _with_help, exercises

EXERCISE = exercises()[0]
ANSWER = EXERCISE.solution.strip().splitlines()[0]


def view_of(code):
    report = check(EXERCISE.id, EXERCISE.made_by(code))
    return _with_help(EXERCISE, report)


@pytest.fixture
def view():
    made = view_of(EXERCISE.starter)
    yield made
    made.close()


def test_hints_come_one_at_a_time_and_stay(view):
    for number, hint in enumerate(EXERCISE.hints, 1):
        assert view.hint_button.description == f"Hint {number} of {len(EXERCISE.hints)}"
        assert f"Hint {number} of" not in view._said.value
        view.hint_button.click()
        assert view._said.value.count("Hint ") == number
        assert f"Hint {number} of {len(EXERCISE.hints)}" in view._said.value
        assert hint[:20] in view._said.value or "&" in view._said.value
    assert view.hint_button.layout.display == "none"


def test_a_solution_is_offered_when_the_hints_have_been_read(view):
    assert view.solution_button.layout.display == "none"
    for _ in EXERCISE.hints:
        view.hint_button.click()
    assert view.solution_button.layout.display == ""
    view.solution_button.click()
    assert f"One solution of {EXERCISE.id}" in view._said.value
    assert view.solution_button.layout.display == "none"


def test_what_is_solved_can_be_compared_with_a_solution():
    view = view_of(EXERCISE.solution)
    assert view.hint_button.layout.display == "none"
    assert view.solution_button.description == "Compare with a solution"
    assert view.solution_button.layout.display == ""
    view.close()


def test_a_report_brings_its_text_along_for_where_no_kernel_runs():
    report = check(EXERCISE.id, None)
    bundle = report._repr_mimebundle_()
    data = bundle if isinstance(bundle, dict) else bundle[0]
    assert data["text/plain"] == report.text()
    assert data["text/html"] == report.html()
    assert "application/vnd.jupyter.widget-view+json" in data


def test_two_reports_that_say_the_same_are_equal():
    assert check(EXERCISE.id, None) == check(EXERCISE.id, None)

import re

import pytest

from minagent_lab.course.exercise import Exercise
from minagent_lab.course.report import Line, Report, report_on


def it_doubles(double):
    assert double(2) == 4, "expected 4"


def it_says_something(double):
    return "a note"


DOUBLE = Exercise(
    id="9.1",
    title="Double",
    thing="double",
    wants="a function double(number)",
    fits=lambda thing: callable(thing) and not isinstance(thing, type),
    starter="def double(number): return number",
    hints=["times", "two"],
    solution="def double(number): return number * 2",
    tests=[it_doubles, it_says_something],
)


def test_a_solved_exercise_says_so():
    report = report_on(DOUBLE, lambda number: number * 2)
    assert report.solved
    assert report.text().splitlines() == [
        "9.1 Double: 2 of 2 passed, solved.",
        "✓ it doubles",
        "✓ it says something: a note",
    ]


def test_an_unsolved_one_gives_the_reason():
    report = report_on(DOUBLE, lambda number: number)
    assert not report.solved
    assert "✗ it doubles: expected 4" in report.text()


@pytest.mark.parametrize(
    ("thing", "kind"),
    [(None, "None"), (..., "three dots"), (int, "the class int"), (4, "an int"), ("<b>", "a str"), ([1], "a list")],
)
def test_the_wrong_kind_of_thing_gets_one_clear_line(thing, kind):
    report = report_on(DOUBLE, thing)
    assert report.lines == [Line(f"check got {kind}", False, "it wants a function double(number)")]


class Nasty:
    def __getattribute__(self, name):
        raise OSError(name)

    def __eq__(self, other):
        raise OSError

    __hash__ = None

    def __repr__(self):
        raise OSError


def test_a_thing_that_raises_at_every_touch_gets_a_report():
    assert not report_on(DOUBLE, Nasty()).solved
    assert not report_on(DOUBLE, lambda number: Nasty()).solved


def test_what_was_printed_is_told_once_and_cut():
    report = report_on(DOUBLE, lambda number: print("hello" * 1000) or number * 2)
    assert report.solved
    assert report.remark.startswith("While “it doubles” was tested, your code printed: hello")
    assert len(report.remark) < 700


def test_the_html_escapes_what_came_from_the_learner():
    html = Report("<i>", [Line("<b>", False, "<script>")], "<img>")._repr_mimebundle_()["text/html"]
    assert not any(tag in html for tag in ("<i>", "<script>", "<img>"))


def test_the_html_has_a_mark_per_line_and_a_word_that_is_heard():
    html = report_on(DOUBLE, lambda number: number).html()
    assert html.count("<li") == html.count("✓") + html.count("✗") == 2
    assert "list-style:none" in html
    assert re.search(r">✗</b><span style='[^']*clip-path[^']*'> not yet: </span><span>it doubles: expected 4", html)
    assert re.search(r">✓</b><span style='[^']*clip-path[^']*'> passed: </span><span>it says something: a note<", html)


def test_a_report_without_lines_is_not_solved():
    assert not Report("empty").solved

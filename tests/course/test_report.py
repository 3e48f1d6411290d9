import re
from dataclasses import replace

import pytest

from minagent_lab.course.exercise import Advice, Exercise
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


def printing(text):
    return report_on(DOUBLE, lambda number: print(text) or number * 2)


def test_what_was_printed_is_told_once_and_cut():
    report = printing("hello" * 1000)
    assert report.solved
    (said,) = [line for line in report.text().splitlines() if "printed" in line]
    assert said.startswith("While “it doubles” was tested, your code printed: hello")
    assert len(said) < 700


def test_much_that_was_printed_is_folded_after_ten_lines():
    report = printing("\n".join(f"line {n}" for n in range(1, 15)))
    assert report.text().endswith(
        "printed: line 1\n" + "\n".join(f"line {n}" for n in range(2, 11)) + " … (4 more lines)"
    )
    assert "<pre>line 1\nline 2" in report.html()
    assert (
        "<details><summary>4 more lines</summary><pre>line 11\nline 12\nline 13\nline 14</pre></details>"
        in report.html()
    )


def test_little_that_was_printed_is_not_folded():
    report = printing("<b>")
    assert report.text().endswith("your code printed: <b>")
    assert "<pre>&lt;b&gt;</pre>" in report.html()
    assert "details" not in report.html()


def test_a_coroutine_that_nobody_awaits_is_one_line():
    async def abortable(): ...

    def double(number):
        abortable()
        return number * 2

    line = double.__code__.co_firstlineno + 1
    report = report_on(DOUBLE, double)
    assert report.text().splitlines()[3:] == [
        f"In “it doubles” a coroutine was made and never awaited: `abortable`, line {line}; write `await`."
    ]
    assert "<code>abortable</code>" in report.html()


SAID = "complete gave a dict at once; in the contract it is async def"


def same(*reasons):
    return Report("7.1 x", [Line(f"test {n}", not reason, reason) for n, reason in enumerate(reasons, 1)])


def test_a_reason_that_is_the_same_everywhere_stands_once_above_the_list():
    report = same(SAID, SAID, "", SAID)
    assert report.text().splitlines()[1:] == [
        f"One reason for all 3 ✗: {SAID}", "✗ test 1", "✗ test 2", "✓ test 3", "✗ test 4",
    ]  # fmt: skip
    assert report.html().count(SAID) == 1


@pytest.mark.parametrize("reasons", [(SAID, "another", SAID), ("let through",) * 3, ("",) * 3])
def test_any_other_reason_stays_where_it_is(reasons):
    rows = same(*reasons).text().splitlines()[1:]
    assert [row.partition(": ")[2] for row in rows] == list(reasons)


def test_advice_is_left_out_once_all_is_solved():
    def it_advises(double):
        return Advice("an assert would say why")

    advised = replace(DOUBLE, tests=[it_doubles, it_says_something, it_advises])
    assert "✓ it advises: an assert" in report_on(advised, lambda number: number).text()
    assert report_on(advised, lambda number: number * 2).text().endswith("✓ it says something: a note\n✓ it advises")


def test_code_in_backticks_is_code_in_the_html_alone():
    report = Report("x", [Line("`a` is", False, "write `await <b>`")], "and `c`")
    for code in ("a", "await &lt;b&gt;", "c"):
        assert f"<code>{code}</code>" in report.html()
    assert "✗ `a` is: write `await <b>`" in report.text()


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


KEY = "KeyError: 'content'"


LONG = "what came back is one and the same long reason"


@pytest.mark.parametrize("first", [f"for three deltas it raised {KEY}", KEY, LONG])
def test_a_cause_that_comes_again_is_not_said_again(first):
    again = first.replace("three deltas", "one call")
    lines = [Line("a", False, first), Line("b", True), Line("c", False, again), Line("d", False, "short")]
    lines += [Line("e", False, again), Line("f", False, again)]
    assert Report("x", lines).text().splitlines()[1:] == [
        f"✗ a: {first}",
        "✓ b",
        "✗ c: the same as in the ✗ above",
        "✗ d: short",
        f"✗ e: {again}",
        "✗ f: the same as in the ✗ above",
    ]


def test_a_short_reason_and_another_error_are_said_each_time():
    lines = [Line("a", False, "let through"), Line("b", False, "let through"), Line("c", False, KEY)]
    lines += [Line("d", False, "IndexError: 0"), Line("e", False, "for one it raised IndexError: 1")]
    assert "the same" not in Report("x", lines).text()

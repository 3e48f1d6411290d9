import pytest

from minagent_lab import FakeModel, Stepper
from minagent_lab.views.static import static_html, static_text, status_lines

from .runs import RUNS, add, finished, shop, stepper
from .test_html import Reader

ALLOWED = {"p", "b", "table", "tr", "td", "span", "details", "summary", "code", "div"}


def test_the_text_tells_the_call_that_is_shown_row_by_row():
    walk = stepper("one tool")
    walk.forward()
    assert static_text(walk).splitlines() == [
        "Call 1 of at most 10. The model asked for a tool.",
        "What the model sees at call 1: 1 message, 1 new",
        "  1  user  2 + 3?  NEW",
        'What it replied: [c1] add {"a": 2, "b": 3}; stop reason tool_use, usage unknown',
        "Then the loop ran add and got 5; it appended the call and its result.",
    ]


def test_before_the_first_call_the_text_tells_what_will_be_sent():
    assert static_text(stepper("one tool", system="Be kind.")).splitlines() == [
        "Before call 1 of at most 10. Nothing has been asked yet.",
        "What the model will see at call 1: 2 messages, 2 new",
        "  1  system  Be kind.  NEW",
        "  2  user  2 + 3?  NEW",
    ]


@pytest.mark.parametrize("name", RUNS)
def test_the_end_is_told_in_the_last_line(name):
    walk = finished(name)
    last = static_text(walk).splitlines()[-1]
    assert last.startswith(("Finished", "Cut", "Stopped"))


@pytest.mark.parametrize("name", RUNS)
def test_the_html_needs_no_style_no_script_and_no_class(name):
    html = static_html(finished(name))
    assert set(Reader(html).tags) <= ALLOWED
    for word in ("class=", "style=", "<script", "<svg", "var(", " id="):
        assert word not in html


@pytest.mark.parametrize("name", RUNS)
def test_the_html_ends_with_the_end(name):
    assert any(word in static_html(finished(name)) for word in ("Finished at", "Cut at", "Stopped a"))


def test_a_run_that_goes_on_says_how_to_go_on():
    walk = stepper("one tool")
    assert "press Next" in static_html(walk)
    walk.forward()
    assert "Run this cell to step on." in static_html(walk)


def test_a_long_run_is_capped_and_says_so():
    script = [[add(f"c{n}")] for n in range(200)]
    walk = Stepper(FakeModel([*script, "x" * 50_000]), shop(), "y" * 50_000, max_steps=300)
    walk.run_to_end()
    html = static_html(walk)
    assert len(html) < 60_000
    assert "189 calls left out here" in html


def test_a_call_with_very_many_results_is_capped_by_rows():
    script = [[add(f"c{n}") for n in range(300)], "done"]
    walk = Stepper(FakeModel(script), shop(), "go")
    walk.run_to_end()
    html = static_html(walk)
    assert "278 messages left out here" in html
    assert len(html) < 30_000
    text = static_text(walk)
    assert len(text) < 20_000
    assert "  … 278 messages left out here …" in text.splitlines()
    assert "  1  user  go" in text.splitlines()
    assert "  302  tool  [c299] result: 5  NEW" in text.splitlines()
    assert "288 more calls likewise" in html


def test_in_short_it_is_where_the_run_stands_and_the_last_few_messages():
    walk = Stepper(FakeModel([*[[add(f"c{n}")] for n in range(200)], "x"]), shop(), "go", max_steps=300)
    walk.run_to_end()
    lines = status_lines(walk).splitlines()
    assert lines[0].startswith("Call 201 of at most 300.")
    assert "  … 397 messages before these …" in lines
    assert len(lines) < 12


def test_the_static_forms_come_without_asking_the_model():
    walk = stepper("one tool")
    walk.forward()
    static_html(walk), static_text(walk)
    assert len(walk.model.calls) == 1

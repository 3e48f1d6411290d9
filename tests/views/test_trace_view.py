import re

import pytest

from minagent_lab import ToolCall
from minagent_lab.observe.trace import Trace
from minagent_lab.views.trace_view import TraceView

from .traces import answer, busy, go, layered, long, new_trace, stopped


@pytest.fixture
def shown():
    views = []

    def show(trace):
        views.append(TraceView(trace))
        return views[-1]

    yield show
    for view in views:
        view.close()


def rows(view):
    return view.table.value.count("<tr class=")


def test_rows_come_as_events_are_written(shown):
    trace = new_trace()
    view = shown(trace)
    assert (rows(view), view.table.value) == (0, "")
    assert "Nothing has happened yet." in view.words.value
    counts = []
    trace.watch(lambda _: counts.append(rows(view)))
    go(trace, ["5"])
    assert counts == [1, 2, 2, 2]
    assert "run-1 completed after 3 s: 1 call of the model" in view.words.value


def test_a_trace_that_is_over_is_shown_whole(shown):
    live = new_trace()
    growing = shown(live)
    go(live, [answer("5", 1, 2)])
    assert shown(live).table.value == growing.table.value


def test_each_row_has_its_words_and_a_bar(shown):
    value = shown(busy()).table.value
    assert "<b>call 1</b> small-1" in value
    assert "<b>attempt</b> 1 of 3" in value
    assert "✗ ServerError" in value
    assert "10 tokens in, 2 out" in value
    assert value.count("<i style='left:") == 7
    assert all(0 <= float(left) <= 100 for left in re.findall(r"left:([\d.]+)%", value))


def test_what_goes_on_is_said_and_drawn(shown):
    trace = new_trace()
    view = shown(trace)
    seen = []
    trace.watch(lambda _: seen.append(view.table.value))
    go(trace, ["5"])
    assert "going on" in seen[1]
    assert "model on" in seen[1]
    assert "going on" not in seen[-1]


@pytest.mark.parametrize("form", ["live", "text/html"])
def test_everything_that_comes_from_outside_is_escaped(shown, form):
    trace = new_trace()
    nasty = "<img src=x onerror=alert(1)>\x00'\""
    go(trace, [answer("", 1, 1, ToolCall("c1", nasty, {})), "5"])
    view = shown(trace)
    value = view.table.value if form == "live" else view._repr_mimebundle_()["text/html"]
    assert "<img" not in value
    assert "\x00" not in value
    assert "&lt;img src=x" in value


def test_a_long_trace_is_cut_in_the_middle(shown):
    view = shown(long(60))
    assert rows(view) == 40
    assert "… 82 rows left out here …" in view.table.value
    assert "… 82 rows left out here …" in view._repr_mimebundle_()["text/plain"]
    assert "… 82 rows left out here …" in view._repr_mimebundle_()["text/html"]
    assert len(view.table.value) < 20_000


def test_without_a_kernel_there_are_a_table_and_words_without_a_style(shown):
    bundle = shown(busy())._repr_mimebundle_()
    assert bundle["text/plain"].splitlines()[:3] == [
        "at   what                took  tokens               ended",
        "0 s  run-1               11 s  30 tokens in, 5 out  completed",
        "1 s  · call 1 small-1    3 s   10 tokens in, 2 out  tool_use",
    ]
    assert bundle["text/plain"].splitlines()[-1].startswith("run-1 completed after 11 s")
    assert "<table>" in bundle["text/html"]
    assert "style" not in bundle["text/html"]
    assert "application/vnd.jupyter.widget-view+json" in bundle


def test_an_empty_trace_has_words_in_each_form(shown):
    bundle = shown(Trace())._repr_mimebundle_()
    assert (bundle["text/plain"], bundle["text/html"]) == (
        "Nothing has happened yet.",
        "<p>Nothing has happened yet.</p>",
    )


def test_a_closed_view_watches_no_more():
    trace = new_trace()
    view = TraceView(trace)
    view.close()
    go(trace, ["5"])
    assert view.table.value == ""
    assert trace.problems == []


def test_the_words_are_said_again_only_when_there_is_something_new(shown):
    trace = new_trace()
    view = shown(trace)
    said = []
    view.words.observe(lambda change: said.append(change["new"]), "value")
    go(trace, ["5"])
    assert len(said) == len(set(said)) == 3


def test_many_runs_are_summed_up_in_few_words(shown):
    trace = new_trace()
    for _ in range(12):
        go(trace, ["5"])
    words = shown(trace).words.value
    assert words.count("<p>") == 11
    assert "… 2 runs left out here …" in words
    assert "run-5 completed" in words
    assert "run-8 completed" in words


def test_what_is_no_trace_is_refused():
    with pytest.raises(TypeError, match=r"trace is \[\]; pass a Trace, or use plot_timeline"):
        TraceView([])


def test_it_shows_its_words(shown):
    assert repr(shown(Trace())) == "<TraceView: Nothing has happened yet.>"


def test_what_was_cancelled_has_a_mark_of_its_own_and_is_not_marked_as_bad(shown):
    view = shown(stopped())
    assert view.table.value.count("<td class='end'>■ cancelled</td>") == 4
    assert "class='model off'" in view.table.value
    assert "bad" not in view.table.value
    assert "■ cancelled" in view._repr_mimebundle_()["text/plain"]


def test_each_row_stands_in_by_its_depth(shown):
    indents = re.findall(r"padding-left:(\d+)px", shown(layered()).table.value)
    assert indents == ["14", "28", "42", "42", "28"]

import matplotlib
import pytest
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

from minagent_lab import Message, ToolCall
from minagent_lab.messages import ModelResponse
from minagent_lab.observe.reading import read_trace
from minagent_lab.observe.trace import Trace
from minagent_lab.views.figures.fonts import drawable
from minagent_lab.views.timeline import BAD, BARS, OFF, plot_timeline

from .traces import answer, busy, go, long, new_trace, stopped


def bars(figure):
    (axes,) = figure.axes
    return [(patch.get_x(), round(patch.get_width(), 6)) for patch in axes.patches]


def test_each_span_is_a_bar_where_it_was_at_work():
    figure = plot_timeline(busy())
    assert bars(figure) == [(0, 11), (1, 3), (1, 1), (3, 1), (5, 1), (7, 1), (9, 1)]


def test_each_bar_has_its_name_and_how_long_it_took():
    (axes,) = plot_timeline(busy()).axes
    assert [name.get_text().strip() for name in axes.get_yticklabels()] == [
        *("run-1", "call 1 small-1", "attempt 1 of 3", "attempt 2 of 3"),
        *("tool add", "tool search", "call 2 small-1"),
    ]
    assert [text.get_text() for text in axes.texts] == [
        *("11 s", "3 s", "1 s, ✗ ServerError", "1 s", "1 s", "1 s, ✗ unknown_tool", "1 s"),
    ]


def test_kinds_are_told_apart_without_colour():
    (axes,) = plot_timeline(busy()).axes
    looks = {bar.get_label(): (bar[0].get_hatch(), bar[0].get_height()) for bar in axes.containers}
    assert len(set(looks.values())) == len(looks) == 4


def test_a_file_can_be_drawn(tmp_path):
    trace = Trace(tmp_path / "x.jsonl", clock=lambda: 1.0)
    go(trace, ["5"])
    assert plot_timeline(read_trace(tmp_path / "x.jsonl")).description == plot_timeline(trace).description


def test_the_picture_has_a_text_that_says_what_it_shows():
    data, metadata = plot_timeline(busy())._repr_mimebundle_()
    assert data["text/plain"].startswith("Timeline of 7 bars. run-1: from 0 s, 11 s; call 1 small-1: from 1 s, 3 s;")
    assert "attempt 1 of 3: from 1 s, 1 s, ServerError;" in data["text/plain"]
    assert data["text/plain"].endswith("1 attempt failed; 30 tokens in, 5 out.")
    assert metadata["image/png"]["alt"] == data["text/plain"]


def test_it_is_a_figure_that_pyplot_does_not_know():
    pyplot = pytest.importorskip("matplotlib.pyplot")
    before = dict(matplotlib.rcParams)
    assert isinstance(plot_timeline(busy()), Figure)
    assert pyplot.get_fignums() == []
    assert dict(matplotlib.rcParams) == before


def test_the_picture_is_the_same_each_time():
    made = [plot_timeline(busy())._repr_mimebundle_()[0]["image/png"] for _ in range(2)]
    assert made[0] == made[1]


def test_an_empty_trace_is_drawn_too():
    figure = plot_timeline(Trace())
    assert figure.description == "Timeline of 0 bars. Nothing has happened yet."
    assert len(figure._repr_mimebundle_()[0]["image/png"]) > 1000


def test_of_a_long_trace_the_middle_is_left_out():
    figure = plot_timeline(long(60))
    assert len(bars(figure)) == 40
    assert "82 left out" in figure.description
    assert len(figure._repr_mimebundle_()[0]["image/png"]) > 1000


def test_no_time_at_all_can_be_seen():
    trace = Trace(clock=lambda: 5.0)
    go(trace, ["5"])
    assert all(width > 0 for _, width in bars(plot_timeline(trace)))


@pytest.mark.parametrize("name", ["$x$ 查询", "😀", "a\u202eb", "\u0e01", "a\\b$", "ﷺ", "̈"])
def test_names_of_every_script_are_drawn_without_a_complaint(name):
    trace = new_trace()
    go(
        trace,
        [ModelResponse(Message("assistant", "", [ToolCall("c1", name, {})]), "tool_use", model=name), answer("5")],
    )
    data, _ = plot_timeline(trace)._repr_mimebundle_()
    assert len(data["image/png"]) > 1000


def test_what_no_font_draws_is_written_as_its_code():
    assert drawable("a😀b") == "a\\U0001f600b"
    assert drawable("a $b$") == r"a \$b\$"


def test_an_attempt_that_answered_is_filled_and_one_that_failed_is_empty():
    (axes,) = plot_timeline(busy()).axes
    attempts = [bar[0] for bar in axes.containers if bar.get_label() == BARS["attempt"].name]
    assert [to_hex(bar.get_facecolor()) for bar in attempts] == ["#ffffff", BARS["attempt"].colour]


def test_the_legend_is_neutral_whatever_became_of_the_bars():
    trace = new_trace()
    go(trace, [ModelResponse(Message("assistant", "", [ToolCall("c1", "search", {})]), "tool_use")], max_steps=1)
    figure = plot_timeline(trace)
    edges = {to_hex(swatch.get_edgecolor()) for swatch in figure.legends[0].get_patches()}
    assert len(edges) == 1
    assert BAD not in edges


def test_what_was_cancelled_is_grey_and_says_so():
    figure = plot_timeline(stopped())
    (axes,) = figure.axes
    assert {text.get_color() for text in axes.texts if "■ cancelled" in text.get_text()} == {OFF}
    assert [text.get_text() for text in axes.texts if "■" not in text.get_text()] == ["1 s"]
    assert "✗" not in figure.description
    assert "call 1: from 1 s, 1 s, cancelled" in figure.description

import base64
import io

import matplotlib
import pytest
from matplotlib.figure import Figure
from matplotlib.text import Text
from PIL import Image

from minagent_lab import FakeModel, run
from minagent_lab.observe.case_result import CaseResult
from minagent_lab.observe.report import EvalReport
from minagent_lab.views.bars import plot_bars
from minagent_lab.views.charts import plot_history_growth
from minagent_lab.views.evaluation_chart import plot_evaluation
from minagent_lab.views.timeline import plot_timeline

from .runs import add, shop
from .traces import busy


def calls(turns):
    model = FakeModel([*[[add(f"c{n}")] for n in range(turns)], "done"])
    run(model, shop(), "go", max_steps=turns + 1)
    return model.calls


def heights(axes):
    again, new = axes.containers
    return [(old.get_height() + fresh.get_height(), fresh.get_height()) for old, fresh in zip(again, new, strict=True)]


def test_the_bars_are_the_numbers_of_the_growth():
    figure = plot_history_growth(calls(2))
    messages, characters = figure.axes
    assert heights(messages) == [(1, 1), (3, 2), (5, 2)]
    assert [total for total, _ in heights(characters)] == sorted(total for total, _ in heights(characters))


def test_each_bar_carries_its_number():
    messages, _ = plot_history_growth(calls(2)).axes
    assert [text.get_text() for text in messages.texts] == ["1", "3", "5"]


def test_it_is_a_figure_that_pyplot_does_not_know():
    pyplot = pytest.importorskip("matplotlib.pyplot")
    before = dict(matplotlib.rcParams)
    for _ in range(25):
        assert isinstance(plot_history_growth(calls(1)), Figure)
    assert pyplot.get_fignums() == []
    assert dict(matplotlib.rcParams) == before


def test_the_picture_has_a_text_that_says_what_it_shows():
    data, metadata = plot_history_growth(calls(1))._repr_mimebundle_()
    assert data["text/plain"].startswith("Bars for calls 1 to 2. Messages sent: 1, 3, of which 1, 2 new.")
    assert metadata["image/png"]["alt"] == data["text/plain"]


def test_the_picture_is_the_same_each_time():
    made = [plot_history_growth(calls(1))._repr_mimebundle_()[0]["image/png"] for _ in range(2)]
    assert made[0] == made[1]


@pytest.mark.parametrize("turns", [0, 60])
def test_few_and_many_calls_are_drawn(turns):
    data, _ = plot_history_growth(calls(turns))._repr_mimebundle_()
    assert len(data["image/png"]) > 1000


def test_no_call_is_no_bar():
    assert plot_history_growth([]).description == "No bars: no call was made."


# ---- the look that all figures have

FIGURES = {
    "growth": lambda: plot_history_growth(calls(3)),
    "timeline": lambda: plot_timeline(busy()),
    "bars": lambda: plot_bars({"one layer": 3, "two layers": 9}, "Requests"),
    "evaluation": lambda: plot_evaluation(EvalReport([CaseResult("a", "passed"), CaseResult("b", "failed")])),
}


def luminance(color):
    parts = [part / 255 for part in color]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("figure", FIGURES.values(), ids=FIGURES)
def test_a_figure_is_a_card_that_reads_on_white_and_on_black(figure):
    data, _ = figure()._repr_mimebundle_()
    image = Image.open(io.BytesIO(base64.b64decode(data["image/png"]))).convert("RGBA")
    wide, high = image.size
    assert all(
        image.getpixel(corner)[3] == 0 for corner in ((0, 0), (wide - 1, 0), (0, high - 1), (wide - 1, high - 1))
    )
    *edge, seen = image.getpixel((wide // 2, 0))
    assert seen == 255
    assert contrast(edge, (255, 255, 255)) > 3 < contrast(edge, (17, 17, 17))
    *ground, seen = image.getpixel((wide // 2, 8))
    assert (seen, contrast(ground, (0x21, 0x21, 0x21)) > 14) == (255, True)
    frame = image.crop((3, 20, 12, high - 20)).convert("RGB").getcolors()
    assert frame == [(9 * (high - 40), tuple(ground))]  # nothing comes near the edge


@pytest.mark.parametrize("figure", FIGURES.values(), ids=FIGURES)
def test_its_words_can_be_read_where_700_pixels_are(figure):
    made = figure()
    data, _ = made._repr_mimebundle_()
    wide, _ = Image.open(io.BytesIO(base64.b64decode(data["image/png"]))).size
    shown = 110 * min(700 / wide, 1) / 72  # pixels per point
    assert min(text.get_fontsize() for text in made.findobj(Text) if text.get_text()) * shown >= 12

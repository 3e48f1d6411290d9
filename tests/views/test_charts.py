import matplotlib
import pytest
from matplotlib.figure import Figure

from minagent_lab import FakeModel, run
from minagent_lab.views.charts import plot_history_growth

from .runs import add, shop


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

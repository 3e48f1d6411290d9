import matplotlib.pyplot as plt

from minagent_lab.views.bars import plot_bars

LAYERS = {"one layer": 3, "two layers": 9, "three layers": 27}


def test_each_bar_has_its_length_its_name_and_its_number():
    (axes,) = plot_bars(LAYERS, "Requests").axes
    assert [bar.get_width() for bar in axes.patches] == [3, 9, 27]
    assert [label.get_text() for label in axes.get_yticklabels()] == list(LAYERS)
    assert [text.get_text() for text in axes.texts] == ["3", "9", "27"]


def test_the_first_bar_stands_on_top():
    (axes,) = plot_bars(LAYERS, "Requests").axes
    bottom, top = axes.get_ylim()
    assert bottom > top


def test_it_says_in_words_what_it_shows():
    bundle, extra = plot_bars(LAYERS, "Requests")._repr_mimebundle_()
    assert bundle["text/plain"] == "Bars. Requests: one layer 3, two layers 9, three layers 27."
    assert extra["image/png"]["alt"] == bundle["text/plain"]


def test_no_numbers_are_no_bars():
    bundle, _ = plot_bars({}, "Requests")._repr_mimebundle_()
    assert bundle["text/plain"] == "No bars: nothing was counted (Requests)."


def test_it_leaves_no_figure_open():
    plot_bars(LAYERS, "Requests")
    assert plt.get_fignums() == []

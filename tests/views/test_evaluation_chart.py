import pytest
from matplotlib.figure import Figure

from minagent_lab.observe.case_result import CaseResult
from minagent_lab.observe.counting import VERDICTS
from minagent_lab.observe.report import EvalReport
from minagent_lab.views.evaluation_chart import plot_evaluation


def report(*counts, category="sums"):
    rows = [
        CaseResult(f"{category}-{verdict}-{n}", verdict, category=category)
        for verdict, number in zip(VERDICTS, counts, strict=True)
        for n in range(number)
    ]
    return EvalReport(rows)


def both(one, other):
    return EvalReport([*one, *other])


def widths(figure):
    (axes,) = figure.axes
    return {bars.get_label(): [round(bar.get_width(), 6) for bar in bars] for bars in axes.containers}


def test_the_bars_are_the_parts_of_each_category_and_of_all():
    figure = plot_evaluation(both(report(3, 1, 0, 0), report(1, 0, 1, 2, category="search")))
    assert widths(figure) == {
        "passed": [75, 25, 50],
        "failed": [25, 0, 12.5],
        "errors": [0, 25, 12.5],
        "not run": [0, 50, 25],
    }
    assert isinstance(figure, Figure)


def test_the_numbers_stand_in_the_bars_and_at_their_end():
    (axes,) = plot_evaluation(report(7, 2, 1, 0)).axes
    assert [text.get_text() for text in axes.texts] == ["7", "2", "1", "7 of 10, 70 %"]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["sums, n = 10"]


def test_the_kinds_differ_by_hatch_and_not_by_colour_alone():
    (axes,) = plot_evaluation(report(1, 1, 1, 1)).axes
    assert len({bars[0].get_hatch() for bars in axes.containers}) == 4


def test_the_interval_is_drawn_where_there_is_one():
    low, high = report(7, 3, 0, 0).tally.interval
    (axes,) = plot_evaluation(report(7, 3, 0, 0)).axes
    assert all(list(line.get_xdata()) == [100 * low, 100 * high] for line in axes.lines)
    assert len(axes.lines) == 2
    (axes,) = plot_evaluation(report(7, 2, 0, 1)).axes
    assert len(axes.lines) == 0


def test_the_legend_explains_the_interval_wherever_the_first_one_is():
    figure = plot_evaluation(both(report(1, 0, 0, 1), report(1, 1, 0, 0, category="search")))
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.texts] == ["passed", "failed", "not run", "95 % interval of the rate"]


def test_the_picture_has_a_text_that_says_what_it_shows_and_is_the_same_each_time():
    data, metadata = plot_evaluation(report(7, 2, 1, 0))._repr_mimebundle_()
    assert data["text/plain"] == (
        "Bars of what became of 10 cases. sums: 7 of 10 passed (70 %; 95 % interval 40 to 89 %), 2 failed, 1 error."
    )
    assert metadata["image/png"]["alt"] == data["text/plain"]
    assert data == plot_evaluation(report(7, 2, 1, 0))._repr_mimebundle_()[0]


@pytest.mark.parametrize("category", ["计算", "🙂 $x_1$", "a" * 200, "", "<b>\u202e"])
def test_any_name_can_be_drawn_without_a_warning(category):
    data, _ = plot_evaluation(report(1, 1, 0, 0, category=category))._repr_mimebundle_()
    assert len(data["image/png"]) > 1000


def test_many_categories_are_drawn():
    rows = [row for n in range(30) for row in report(1, 1, 0, 0, category=f"kind {n}")]
    assert len(plot_evaluation(EvalReport(rows))._repr_mimebundle_()[0]["image/png"]) > 1000


def test_what_is_no_report_is_refused():
    with pytest.raises(TypeError, match=r"report is a list; pass what evaluate\(\) returned"):
        plot_evaluation([])


def test_a_report_of_nothing_is_no_bar():
    assert plot_evaluation(EvalReport([])).description == "No bars: there is no case."


def test_categories_that_are_called_like_the_rows_of_ours_are_not_mixed_up_with_them():
    rows = [CaseResult(f"{place}", "passed", category=name) for place, name in enumerate(["all", "", "(none)"])]
    (axes,) = plot_evaluation(EvalReport(rows)).axes
    assert [label.get_text() for label in axes.get_yticklabels()] == [
        "all, n = 1",
        "(none), n = 1",
        "(none), n = 1",
        "all, n = 3",
    ]

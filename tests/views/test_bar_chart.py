import html
import itertools
import re
import xml.etree.ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minagent_lab.views.bar_chart import Bar, BarChart, Group, Segment
from minagent_lab.views.bar_svg import PAD, WIDTH, fitted, marks, width
from minagent_lab.views.chart_look import GROUND, INK, NEW, Look
from minagent_lab.views.timeline import BAD, OFF

from .test_charts import contrast

ONE, TWO = Look("one", NEW, ink="white"), Look("two", "#f3c7a6", "///")
HOSTILE = "</text></svg><script>alert(1)</script>\u202eab\u200b\"'&"


def chart(*bars, description="Bars.", title="Title", **more):
    return BarChart(description, [Group(title, bars, **more)], [ONE, TWO], "interval" if bars[0].interval else "")


def stacked(name, *widths):
    parts = [Segment(sum(widths[:place]), wide, (ONE, TWO)[place % 2]) for place, wide in enumerate(widths)]
    return Bar(name, parts, " and ".join(map(str, widths)))


def elements(made, tag):
    """Return the elements of the drawing itself, without those of its legend."""
    return list(ET.fromstring(made.svg()).findall(f"./{tag}"))


def boxes(made):
    colours = {ONE.colour, TWO.colour}
    found = [box for box in elements(made, "rect") if box.get("fill") in colours]
    return [(float(box.get("x")), float(box.get("width"))) for box in found]


def texts(made):
    return [text.text for text in elements(made, "text")]


anything = st.text(st.characters(exclude_characters="\ufffe\uffff"), max_size=200)  # but what XML, not HTML, refuses
numbers = st.one_of(st.integers(0, 10**9), st.floats(0, 1e6).map(lambda number: round(number, 3)))


@given(st.lists(st.lists(numbers, min_size=1, max_size=4), min_size=1, max_size=8))
def test_all_is_as_wide_as_its_number_and_within_the_card(rows):
    made = chart(*(stacked(f"row {place}", *widths) for place, widths in enumerate(rows)))
    segments = [segment for bar in made.groups[0].bars for segment in bar.segments if segment.width]
    drawn = boxes(made)
    assert len(drawn) == len(segments)
    end = max(sum(widths) for widths in rows)
    if not end:
        return
    left = min(x for x, _ in drawn)
    room = max(x + wide for x, wide in drawn) - left
    assert PAD < left < left + room < WIDTH - PAD
    shift = min(segment.start for segment in segments) / end * room  # 0, unless no bar has anything at its start
    for (x, wide), segment in zip(drawn, segments, strict=True):
        assert wide == pytest.approx(segment.width / end * room, abs=0.03)
        assert x - left + shift == pytest.approx(segment.start / end * room, abs=0.03)


@given(anything, anything)
def test_the_words_at_the_end_leave_the_bar_room_and_stay_on_the_card(name, words):
    made = chart(Bar(name, [Segment(0, 5, ONE)], words))
    ((x, wide),) = boxes(made)
    assert wide > 100
    assert x + wide + width(texts(made)[-1] or "") < WIDTH - PAD + 1


@given(anything)
def test_no_text_of_anybody_becomes_markup(text):
    made = chart(Bar(text, [Segment(0, 5, ONE, text)], text), description=text, title=text)
    root = ET.fromstring(made.svg())
    assert {element.tag for element in root.iter()} <= {"svg", "rect", "path", "text", "g"}
    assert not {name for element in root.iter() for name in element.keys()} & {"id", "href", "onload"}  # noqa: SIM118


def test_what_would_turn_the_text_round_is_shown_by_its_code():
    made = chart(Bar(HOSTILE, [Segment(0, 5, ONE)], "\u202e5"), description=HOSTILE, title=HOSTILE)
    assert not re.search("[\u202e\u200b]", made.svg())
    assert "<script" not in made.svg()
    assert texts(made)[0] == html.unescape(HOSTILE).replace("\u202e", "\\u202e").replace("\u200b", "\\u200b")
    assert texts(made)[-1] == "\\u202e5"


def test_each_row_has_its_name_its_words_and_the_numbers_that_have_room():
    bar = Bar("tea", [Segment(0, 95, ONE, "95"), Segment(95, 5, TWO, "5,000,000")], "95 of 100", depth=1)
    assert texts(chart(bar)) == ["Title", "tea", "95", "95 of 100"]


def test_what_lies_deeper_is_set_in():
    made = chart(*(Bar("x", [Segment(0, 1, ONE)], "", depth=depth) for depth in (0, 1, 2, 10**30)))
    places = [float(text.get("x")) for text in elements(made, "text") if text.text == "x"]
    assert places == [PAD, PAD + 14, PAD + 28, PAD + 14 * 6]


def test_kinds_are_told_apart_without_colour():
    def strokes(look):
        made = chart(Bar("", [Segment(0, 9, look)], ""))
        paths = [path.get("d") for path in elements(made, "path") if path.get("fill") == "none"]
        (box,) = [box for box in elements(made, "rect") if box.get("fill") == ONE.colour]
        return *paths, box.get("stroke"), box.get("stroke-width"), box.get("stroke-dasharray"), box.get("height")

    looks = [
        *(ONE._replace(hatch=hatch) for hatch in ("", "///", "xxx", "...")),
        *(ONE._replace(edge=BAD, line=1.6), ONE._replace(dashed=True), ONE._replace(thin=True)),
    ]
    assert len({strokes(look) for look in looks}) == len(looks)


@given(st.integers(1, 600), st.integers(1, 40), st.sampled_from(["///", "xxx", "..."]))
def test_a_hatch_stays_in_its_box(wide, high, hatch):
    from minagent_lab.views.hatches import box

    path = box(Look("", "white", hatch), 0, 0, wide, high).partition('d="')[2].partition('"')[0]
    points = re.findall(r"[ML](-?[\d.]+) (-?[\d.]+)", path)
    assert all(-0.05 <= float(x) <= wide + 0.05 and -0.05 <= float(y) <= high + 0.05 for x, y in points)


def test_an_interval_is_a_line_with_ends_on_the_scale_of_the_bars():
    made = chart(Bar("", [Segment(0, 50, ONE), Segment(50, 50, TWO)], "", interval=(25, 75)))
    left, half = boxes(made)[0]
    lines = [path.get("d") for path in elements(made, "path") if path.get("stroke") == INK and "v10" in path.get("d")]
    (line,) = lines
    low, high = map(float, re.match(r"M([\d.]+) [\d.]+H([\d.]+)", line).groups())
    assert (low, high) == (pytest.approx(left + half / 2, abs=0.02), pytest.approx(left + half * 1.5, abs=0.02))


def test_where_bars_are_left_out_there_is_a_dotted_line():
    bars = [stacked(f"{n}", 1) for n in range(4)]
    assert "stroke-dasharray" not in chart(*bars).svg()
    assert "stroke-dasharray" in chart(*bars, cut=True).svg()


def test_a_scale_has_round_numbers_and_says_what_they_count():
    made = chart(stacked("a", 11), scale="seconds", unit=" s")
    assert texts(made)[1:5] == ["0 s", "5 s", "10 s", "seconds"]


@given(st.floats(1e-9, 1e12))
def test_the_marks_of_a_scale_lie_on_it(end):
    found = marks(end)
    assert found[0] == 0
    assert len(found) <= 6
    assert all(mark <= end * (1 + 1e-6) + 1e-6 for mark in found)


def test_numbers_below_a_scale_do_not_touch():
    made = chart(Bar("W" * 80, [Segment(0, 1e9, ONE)], "W" * 80), scale="x")
    found = [text for text in elements(made, "text") if text.get("text-anchor") == "middle"]
    ends = [(float(t.get("x")) - width(t.text) / 2, float(t.get("x")) + width(t.text) / 2) for t in found]
    assert all(end < start for (_, end), (start, _) in itertools.pairwise(ends))


def test_nothing_to_draw_is_said():
    made = BarChart("No bars: there is no case.", [Group("Cases", [])])
    assert texts(made) == ["No bars: there is no case."]


def test_nothing_but_zeros_is_drawn():
    assert texts(chart(stacked("a", 0), stacked("b", 0))) == ["Title", "a", "0", "b", "0"]


def test_two_charts_can_stand_on_one_page():
    assert " id=" not in chart(stacked("a", 1, 2)).svg()


def test_a_long_name_is_cut_and_a_chinese_one_is_told_to_the_browser():
    made = chart(stacked("价格" * 60, 1), stacked("a" * 90, 1))
    names = [text for text in elements(made, "text") if text.text.endswith("…")]
    assert [name.get("lang") for name in names] == ["zh-Hans", None]
    assert fitted("short", 100) == "short"


def test_all_words_can_be_read_on_the_card():
    def rgb(colour):
        return [int(colour[at : at + 2], 16) for at in (1, 3, 5)]

    assert all(contrast(rgb(ink), rgb(GROUND)) >= 4.5 for ink in (INK, BAD, OFF))
    assert contrast(rgb("#ffffff"), rgb(NEW)) >= 4.5  # the numbers in a bar


def test_it_displays_as_a_picture_with_its_text():
    data = chart(stacked("a", 1), description='Bars: "a" 1.')._repr_mimebundle_()
    assert data["text/plain"] == 'Bars: "a" 1.'
    root = ET.fromstring(data["text/html"])
    assert (root.get("role"), root.get("aria-label")) == ("img", 'Bars: "a" 1.')


def test_it_is_frozen_and_its_repr_is_short():
    made = chart(stacked("a", 1), stacked("b", 1))
    assert repr(made) == "<BarChart of 2 bars>"
    with pytest.raises(AttributeError, match="frozen"):
        made.description = ""


def test_what_only_a_figure_has_is_refused_with_the_reason():
    with pytest.raises(AttributeError, match="a BarChart has no 'savefig': matplotlib, whose figures"):
        chart(stacked("a", 1)).savefig("x.png")

"""The charts where matplotlib cannot be imported, as in a browser: a fresh Python in which the import fails."""

import json
import os
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BLOCKED = """
import sys

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == {missing!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Missing())
"""
CHARTS = """
import minagent_lab
from minagent_lab import (
    EvalReport, FakeModel, Message, ModelResponse, ToolCall, Trace, plot_evaluation, plot_history_growth, plot_timeline
)
from minagent_lab.observe.case_result import CaseResult
from minagent_lab.views.bars import plot_bars
from tests.views.runs import add, shop
from tests.views.traces import answer, busy, go, layered, long, new_trace, stopped

HOSTILE = "</text></svg><script>alert(1)</script>\\u202eab\\u200b"

def calls(turns):
    model = FakeModel([*[[add(f"c{n}")] for n in range(turns)], "done"])
    minagent_lab.run(model, shop(), "go", max_steps=turns + 1)
    return model.calls

def named(name):
    trace = new_trace()
    call = ModelResponse(Message("assistant", "", [ToolCall("c1", name, {})]), "tool_use", model=name)
    go(trace, [call, answer("5")])
    return trace

def report(*verdicts, category="sums"):
    return EvalReport([CaseResult(str(n), verdict, category=category) for n, verdict in enumerate(verdicts)])

def both(one, other):
    return EvalReport([*one, *other])

MADE = {
    "growth": lambda: plot_history_growth(calls(2)),
    "growth of a long run": lambda: plot_history_growth(calls(60)),
    "growth of nothing": lambda: plot_history_growth([]),
    "bars": lambda: plot_bars({"one layer": 3, "三层": 27}, "Requests"),
    "bars of nothing": lambda: plot_bars({}, "Requests"),
    "hostile bars": lambda: plot_bars({HOSTILE: 3}, HOSTILE),
    "timeline": lambda: plot_timeline(busy()),
    "timeline of layers": lambda: plot_timeline(layered()),
    "timeline of what was stopped": lambda: plot_timeline(stopped()),
    "timeline of what goes on": lambda: plot_timeline(busy().events[:6]),
    "timeline of a long run": lambda: plot_timeline(long(60)),
    "timeline of nothing": lambda: plot_timeline(Trace()),
    "hostile timeline": lambda: plot_timeline(named(HOSTILE)),
    "evaluation": lambda: plot_evaluation(
        both(report("passed", "passed", "failed"), report("passed", "error", category="查询"))
    ),
    "evaluation with some not run": lambda: plot_evaluation(report("passed", "failed", "not_run")),
    "evaluation of nothing": lambda: plot_evaluation(report()),
    "hostile evaluation": lambda: plot_evaluation(report("passed", category=HOSTILE)),
}
"""
SHOWN = """
import json
from IPython.core.formatters import DisplayFormatter
bundles = {name: DisplayFormatter().format(make())[0] for name, make in MADE.items()}
print(json.dumps([bundles, sorted({type(make()).__name__ for make in MADE.values()})]))
"""
LAZY = """
import minagent_lab
print([name for name in sys.modules if name.startswith("minagent_lab.views")])
"""
ALL = """
import importlib, pkgutil
import minagent_lab
for found in pkgutil.walk_packages(minagent_lab.__path__, "minagent_lab."):
    if not found.name.endswith("__main__") and not found.name.startswith("minagent_lab.views.figures."):
        importlib.import_module(found.name)
"""


def python(code, missing="matplotlib"):
    """Run code in a fresh Python where a package cannot be imported; return what it printed."""
    done = subprocess.run(
        [sys.executable, "-"],  # not -c: an argument can be no Chinese where nothing is UTF-8
        input=BLOCKED.format(missing=missing) + code,
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def without():
    bundles, types = json.loads(python(CHARTS + SHOWN))
    assert types == ["BarChart"]
    return bundles


@pytest.fixture(scope="module")
def figures():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(ROOT)
        held = {}
        exec(CHARTS, held)
    return {name: make() for name, make in held["MADE"].items()}


def words(bundle):
    return [text.text for text in ET.fromstring(bundle["text/html"]).iter("text")]


def test_each_chart_is_a_picture_and_says_the_same_as_the_figure(without, figures):
    assert set(without) == set(figures)
    for name, bundle in without.items():
        assert list(bundle) == ["text/html", "text/plain"]
        assert bundle["text/plain"] == figures[name].description, name
        assert bundle["text/html"].startswith('<svg role="img" aria-label="'), name


def test_the_charts_are_the_same_each_time(without):
    assert json.loads(python(CHARTS + SHOWN))[0] == without


def test_what_a_model_or_a_learner_wrote_stays_text(without):
    for name in ("hostile bars", "hostile timeline", "hostile evaluation"):
        made = without[name]["text/html"]
        assert "<script" not in made
        assert not {"\u202e", "\u200b"} & set(made)
        assert "&lt;/text&gt;&lt;/svg&gt;" in made


def test_the_numbers_of_the_growth_stand_at_its_bars(without, figures):
    messages = ["Messages sent", "call 1", "1, 1 new", "call 2", "3, 2 new", "call 3", "5, 2 new"]
    assert words(without["growth"])[:7] == messages
    assert words(without["growth"])[-2:] == ["sent again", "new"]
    _, characters = figures["growth"].axes
    totals = [text.get_text() for text in characters.texts]
    assert [said.partition(", ")[0] for said in words(without["growth"])[9:14:2]] == totals


def test_of_a_long_run_the_first_and_the_last_calls_are_shown(without):
    said = words(without["growth of a long run"])
    assert said[0] == "Messages sent; 37 calls left out at the dotted line"
    assert [word for word in said if word.startswith("call ")][:24] == [
        f"call {n}" for n in (*range(1, 13), *range(50, 62))
    ]


def test_the_bars_have_their_names_and_numbers(without):
    assert words(without["bars"]) == ["Requests", "one layer", "3", "三层", "27"]


@pytest.mark.parametrize("name", ["timeline", "timeline of what was stopped", "timeline of what goes on"])
def test_the_timeline_says_what_the_figure_says(without, figures, name):
    (axes,) = figures[name].axes
    names = [label.get_text().strip() for label in axes.get_yticklabels()]
    pairs = [word for pair in zip(names, (text.get_text() for text in axes.texts), strict=True) for word in pair]
    said = [word for word in words(without[name]) if word in pairs]
    assert said == pairs
    (legend,) = figures[name].legends
    assert words(without[name])[-len(legend.texts) :] == [text.get_text() for text in legend.texts]


def test_of_a_long_timeline_the_middle_is_left_out(without):
    assert words(without["timeline of a long run"])[0] == "What took time; 82 rows left out at the dotted line"


@pytest.mark.parametrize("name", ["evaluation", "evaluation with some not run"])
def test_the_evaluation_says_what_the_figure_says(without, figures, name):
    (axes,) = figures[name].axes
    expected = {text.get_text() for text in (*axes.texts, *axes.get_yticklabels(), *axes.get_xticklabels())}
    (legend,) = figures[name].legends
    said = words(without[name])
    assert expected <= set(said)
    assert said[-len(legend.texts) :] == [text.get_text() for text in legend.texts]


def test_nothing_is_a_card_with_a_sentence(without):
    assert words(without["evaluation of nothing"]) == ["No bars: there is no case."]


@pytest.mark.parametrize("missing", ["numpy", "PIL"])
def test_a_matplotlib_that_lacks_what_it_needs_is_no_matplotlib(missing):
    code = "from minagent_lab.views.bars import plot_bars; print(plot_bars({'a': 1}, 'A'))"
    assert python(code, missing) == "<BarChart of 1 bar>\n"


def test_the_package_loads_no_chart_until_one_is_drawn():
    assert python(LAZY) == "[]\n"


def test_all_of_the_package_but_the_figures_can_be_imported():
    assert python(ALL) == ""

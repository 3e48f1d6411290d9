import contextlib
import types
from functools import partial

import ipywidgets
import nbformat
import pytest

from minagent_lab.observe import progress
from minagent_lab.observe.case_result import CaseResult
from minagent_lab.observe.cases import EvalCase
from minagent_lab.observe.evaluation import evaluate
from minagent_lab.observe.matchers import equals
from minagent_lab.views import progress_bar
from minagent_lab.views.progress_bar import ProgressBar
from tools.notebooks import execute


@pytest.fixture
def shown(monkeypatch):
    """Return what was displayed, and what it was updated to."""
    held = []

    def display(thing, *, display_id):
        held.append([thing])
        handle = types.SimpleNamespace()
        handle.update = lambda data, **_: held[-1].append(data)
        return handle

    monkeypatch.setattr(progress_bar, "display", display)
    return held


def test_it_shows_how_far_it_is_and_what_came_of_the_cases(shown):
    bar = ProgressBar(3, done=1)
    assert "1 of 3 cases" in bar.said.value
    bar.tell(2, 3, CaseResult("b", "failed"))
    bar.tell(3, 3, CaseResult("c", "failed"))
    assert (bar.bar.value, bar.bar.max) == (3, 3)
    assert "3 of 3 cases, 2 failed" in bar.said.value
    assert "role='status'" in bar.said.value
    bar.close()


def test_closing_it_leaves_no_widget_and_an_output_with_nothing_in_it(shown):
    before = len(ipywidgets.widgets.widget._instances)
    ProgressBar(3).close()
    assert len(ipywidgets.widgets.widget._instances) == before
    assert shown[0][1:] == [{}]


def looking(monkeypatch):
    kernel = types.SimpleNamespace(_allow_stdin=True)
    shell = types.SimpleNamespace(get_ipython=partial(types.SimpleNamespace, kernel=kernel))
    monkeypatch.setitem(progress.sys.modules, "IPython", shell)


@pytest.mark.parametrize(("asked", "bars"), [(None, 1), (True, 1), (False, 0), (print, 0)])
def test_in_a_notebook_that_somebody_looks_at_there_is_a_bar_unless_told_otherwise(monkeypatch, shown, asked, bars):
    looking(monkeypatch)
    evaluate([EvalCase("a", "x", equals("5"))], lambda case: "5", progress=asked)
    assert len(shown) == bars


def test_it_is_gone_too_when_the_evaluation_is_stopped(monkeypatch, shown):
    def agent(case):
        raise KeyboardInterrupt

    looking(monkeypatch)
    with contextlib.suppress(KeyboardInterrupt):
        evaluate([EvalCase("a", "x", equals("5"))], agent)
    assert shown[0][1:] == [{}]


def test_a_notebook_that_is_executed_by_a_program_keeps_nothing_of_it(tmp_path):
    code = """
from minagent_lab.observe.cases import EvalCase
from minagent_lab.observe.evaluation import evaluate
from minagent_lab.observe.matchers import equals
evaluate([EvalCase("a", "x", equals("5"))], lambda case: "5", progress={progress})
"""
    cells = [nbformat.v4.new_code_cell(code.format(progress=progress)) for progress in (None, True)]
    notebook = nbformat.v4.new_notebook(cells=cells)
    execute(notebook, tmp_path)
    quiet, asked = (cell.outputs for cell in notebook.cells)
    assert [output.output_type for output in quiet] == ["execute_result"]
    assert [output.get("name") for output in asked] == ["stderr", None]

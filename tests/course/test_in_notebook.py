"""Starters and solutions where a learner runs them: among the names that the cells above them have defined."""

import ast
import asyncio
import inspect
import os
import re
from pathlib import Path

import nbformat
import pytest

from minagent_lab.course import desk
from minagent_lab.course.report import report_on

NOTEBOOKS = Path(__file__).parents[2] / "notebooks"
CHAPTERS = [path for path in sorted(NOTEBOOKS.glob("*.ipynb")) if path.name[:2] in desk.chapters()]


@pytest.fixture
def run_cell():
    """Run a cell as a notebook does: it may await, and all cells share one event loop."""
    with asyncio.Runner() as runner:

        def run(source, names):
            code = compile(source, "cell", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
            if code.co_flags & inspect.CO_COROUTINE:
                runner.run(eval(code, names))
            else:
                exec(code, names)

        yield run


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_every_solution_passes_where_the_notebook_stands_and_no_starter_does(path, monkeypatch, capsys, run_cell):
    monkeypatch.chdir(NOTEBOOKS)
    names, done = {}, []
    for cell in nbformat.read(path, 4).cells:
        if cell.cell_type != "code":
            continue
        found = re.search(r'^check\("([\d.]+)"', cell.source, re.MULTILINE)
        if not found:
            run_cell(cell.source, names)
            continue
        exercise = desk.find(found[1])
        for code in (exercise.starter, exercise.solution):
            own = dict(names)
            exec(code, own)
            report = report_on(exercise, eval(exercise.thing, own))
            assert report.solved == (code == exercise.solution), report.text()
        exec(cell.source, names)  # as the learner does, who runs the cell as it is and goes on
        done.append(exercise.id)
    assert done == [exercise.id for exercise in desk.chapter(path.name[:2]).EXERCISES]
    assert os.environ["MINAGENT_LAB_PROGRESS"] == "off"
    capsys.readouterr()

"""The series runs in a browser from static files: every chapter, to its end, and no other host is asked."""

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

NOTEBOOKS = Path(__file__).resolve().parents[2] / "notebooks"
CHAPTERS = sorted(path.name for path in NOTEBOOKS.glob("*.ipynb"))
NOT_HERE = {"jupyterlab", "matplotlib", "kernel python3"}  # what the check in chapter 00 finds stood in for


def text_of(cell):
    """Return all that a cell shows as text."""
    shown = []
    for output in cell["outputs"]:
        if output["output_type"] == "error":
            shown.append(f"{output['ename']}: {output['evalue']}")
        elif output["output_type"] == "stream":
            shown.append("".join(output["text"]) if output["name"] == "stdout" else f"on stderr: {output['text']}")
        else:
            shown.append("".join(output["data"].get("text/plain", "")))
    return "\n".join(line.rstrip("\n") for line in shown)


def same(here, there):
    """Tell whether two texts are the same; the page's files hold JSON without its lines, so those may differ."""
    try:
        return here == there or json.loads(here) == json.loads(there)
    except ValueError:
        return False


def expected(cell):
    """Return what a cell shows here: what is committed, but for what the check of the environment finds."""
    return re.sub(rf"\[OK\] ({'|'.join(NOT_HERE)})$", r"[--] \1", text_of(cell), flags=re.MULTILINE)


def told_here(cell):
    """Return what a cell shows, without the reason why something is not here."""
    return re.sub(rf"(\[--\] (?:{'|'.join(NOT_HERE)})): .*", r"\1", text_of(cell))


@pytest.mark.parametrize("name", CHAPTERS)
def test_a_chapter_runs_to_its_end_and_shows_what_is_committed(chapter, name):
    opened = chapter(name)
    committed = json.loads((NOTEBOOKS / name).read_text(encoding="utf-8"))["cells"]
    cells = opened.run_all()["cells"]
    assert [cell["source"] for cell in cells] == ["".join(cell["source"]) for cell in committed]
    code = [(here, there) for here, there in zip(cells, committed, strict=True) if here["cell_type"] == "code"]
    different = {
        number: (told_here(here), expected(there))
        for number, (here, there) in enumerate(code, 1)
        if here["execution_count"] is None or not same(told_here(here), expected(there))
    }
    assert different == {}
    assert opened.strangers == []
    assert opened.problems == []


def test_the_site_takes_python_from_its_own_folder(site):
    config = json.loads((site / "jupyter-lite.json").read_text(encoding="utf-8"))["jupyter-config-data"]
    (kernel,) = config["litePluginSettings"].values()
    assert kernel["pyodideUrl"].startswith("./")
    assert kernel["disablePyPIFallback"] is True
    lock = json.loads((site / "static" / "pyodide" / "pyodide-lock.json").read_text(encoding="utf-8"))
    files = {package["file_name"] for package in lock["packages"].values()}
    assert files == {wheel.name for wheel in (site / "static" / "pyodide").glob("*.whl")}


def stepper(chapter):
    """Return the first stepper of chapter 00, scrolled into view: JupyterLab renders no output elsewhere."""
    cell = chapter.page.locator(".jp-CodeCell").nth(7)
    cell.scroll_into_view_if_needed()
    view = cell.locator(".lab-root").first
    view.scroll_into_view_if_needed()
    return view


def test_the_stepper_steps(chapter):
    opened = chapter("00_start_here.ipynb")
    opened.run_all()
    view = stepper(opened)
    expect(view).to_contain_text("Call 3 of at most 10")
    view.get_by_role("button", name="Back").click()
    expect(view).to_contain_text("Call 2 of at most 10")
    view.get_by_role("button", name="Next").press("Enter")
    expect(view).to_contain_text("Call 3 of at most 10")
    view.get_by_role("slider").press("Home")
    expect(view).to_contain_text("Before call 1 of at most 10")
    assert opened.problems == []


def test_what_a_learner_changed_and_solved_survives_a_reload(chapter):
    opened = chapter("01_meet_fakemodel.ipynb")
    solve = """
from minagent_lab.course import check, desk, progress
exercise = next(e for e in desk.exercises() if e.id == '1.1')
_ = check('1.1', exercise.made_by(exercise.solution))
print(progress())
"""
    assert "01  exercises 1 of 4" in opened.execute(solve)
    opened.page.evaluate(
        """async () => {
          const panel = jupyterapp.shell.currentWidget;
          panel.content.model.cells.get(0).sharedModel.setSource('# A note of my own');
          await panel.context.save();
        }"""
    )
    opened.open()
    assert opened.page.evaluate("jupyterapp.shell.currentWidget.content.model.cells.get(0).sharedModel.source") == (
        "# A note of my own"
    )
    assert "01  exercises 1 of 4" in opened.execute("from minagent_lab.course import progress; print(progress())")


def test_what_a_browser_cannot_do_is_said_in_words(chapter):
    opened = chapter("12_on_the_wire.ipynb")
    serve = "from minagent_lab import MockGPT\nMockGPT([], fallback='Hi').serve()"
    assert "a page in a browser cannot listen" in opened.execute(serve)
    waits = """
import asyncio
from minagent_lab import FakeModelProvider, ToolRegistry, run, to_model
async def slowly(request): await asyncio.sleep(0.01)
said = []
def press():
    try: run(to_model(FakeModelProvider(['Hi'], before=slowly)), ToolRegistry(), 'Hello')
    except Exception as error: said.append(str(error))
"""
    assert opened.execute(waits) == ""
    in_a_cell = "print(run(to_model(FakeModelProvider(['Hi'], before=slowly)), ToolRegistry(), 'Hello').final)"
    assert opened.execute(in_a_cell) == "Hi\n"
    pressed = """
import ipywidgets
button = ipywidgets.Button()
button.on_click(lambda _: press())
display(button)
print(button.comm.comm_id)
"""
    press_it = """async id => {
      const kernel = jupyterapp.shell.currentWidget.sessionContext.session.kernel;
      const comm = {comm_id: id, data: {method: 'custom', content: {event: 'click'}}};
      const header = {msg_type: 'comm_msg', msg_id: 'press', session: kernel.clientId, date: '', username: ''};
      const rest = {parent_header: {}, metadata: {}, channel: 'shell', buffers: []};
      kernel.sendShellMessage({...rest, header: {...header, version: '5.3'}, content: comm});
    }"""
    opened.page.evaluate(press_it, opened.execute(pressed).strip())
    assert "in a browser a button cannot wait" in opened.execute("print(said)")

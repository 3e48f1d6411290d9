"""What the view says while a model thinks, and when there is no kernel any more."""

import pytest
from playwright.sync_api import expect

from .shop import SHOP, press, says, shows

GONE = "The kernel that made this view is gone. Run the cell again."
SLOW = """
import time
class Slow(FakeModel):
    def complete(self, messages, tools):
        while not gate.exists():
            time.sleep(0.01)
        return super().complete(messages, tools)
step(Slow(SCRIPT), registry, "slow?")
"""
LOSE = {
    "restarted": "kernel.restart()",
    "shut down": "session.shutdown()",
    "died": "kernel.requestExecute({ code: 'import os; os._exit(1)' })",
}


def test_a_slow_model_is_seen_to_be_asked_and_asked_once(open_notebook, tmp_path):
    gate = tmp_path / "gate"  # the kernel is busy meanwhile, so a file tells it to go on
    notebook = open_notebook([SHOP, f"import pathlib\ngate = pathlib.Path({str(gate)!r})\n{SLOW}"])
    view = notebook.view(1)
    press(view, "next")
    says(view, "Asking the model")
    expect(view).to_have_attribute("aria-busy", "true")
    press(view, "next")  # nobody can know yet what would come after
    gate.touch()
    shows(view, 1)
    expect(view).not_to_have_attribute("aria-busy", "true")
    notebook.wait_idle()
    shows(view, 1)
    assert notebook.problems == []


@pytest.mark.parametrize("how", LOSE)
def test_a_view_without_its_kernel_says_so_and_logs_no_error(open_notebook, how):
    notebook = open_notebook([SHOP, "open_stepper(at=1)"])
    view, keys, cells = notebook.view(1), notebook.page.keyboard, notebook.cells()
    view.locator(".lab-speed select").select_option("1 call in 2 seconds")
    press(view, "play")
    expect(view.locator(".lab-play")).to_have_text("Pause")
    session = "const session = jupyterapp.shell.currentWidget.sessionContext, kernel = session.session.kernel;"
    notebook.page.evaluate(f"() => {{ {session} {LOSE[how]}; }}")
    if how == "died":  # JupyterLab says so in a dialog of its own
        notebook.page.get_by_role("button", name="Ok").click()
    says(view, GONE)
    expect(view.locator(".lab-play")).to_have_text("Play")
    view.focus()
    for key in ("ArrowRight", "d", "d", "PageDown"):
        keys.press(key)
    press_by_force = view.locator(".lab-next")
    press_by_force.evaluate("button => button.click()")
    says(view, GONE)
    assert notebook.cells() == cells
    assert [problem for problem in notebook.problems if "Cannot send" in problem or "Uncaught" in problem] == []


def test_the_notebooks_shortcuts_stay_away_even_where_the_panel_cannot_load(open_notebook):
    broken = "from minagent_lab.views.panel import Panel\nPanel._esm = 'export default {'"
    notebook = open_notebook([SHOP, broken, "open_stepper()"])
    cells = notebook.cells()
    notebook.cell(2).get_by_role("button", name="Next").focus()
    for key in ("d", "d", "a", "m", "x"):
        notebook.page.keyboard.press(key)
    assert notebook.cells() == cells

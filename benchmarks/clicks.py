"""A click in the stepper, beside a bare button that sets a small piece of HTML, in a real JupyterLab. Prints ratios.

    uv run --group test python benchmarks/clicks.py [--turns 100] [--characters 300]

It counts from the click to the change of the page and to the next painted frame, on calls that are recorded already;
the bytes on the kernel's websocket per step, early and late in the run; and the time from running a cell to the painted
view, of a run that is over beside one that has not begun.
"""

import argparse
import statistics
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from browser import conftest as lab
from playwright.sync_api import sync_playwright

SETUP = """
import ipywidgets
from minagent_lab import FakeModel, Stepper, StepperView, Tool, ToolCall, ToolRegistry
TURNS, SIZE = {turns}, {characters}
registry = ToolRegistry()
registry.add(Tool("say", "Say it", {{"type": "object"}}, lambda **_: "x" * SIZE))
def long_run():
    script = [[ToolCall(f"c{{n}}", "say", {{"text": "y" * (SIZE - 32)}})] for n in range(TURNS)]
    return Stepper(FakeModel([*script, "done"]), registry, "z" * SIZE, max_steps=TURNS + 1)
over, ready = long_run(), long_run()
over.run_to_end()
"""
BARE = """
count, shown, button = 0, ipywidgets.HTML("<p>0</p>"), ipywidgets.Button(description="Next")
def press(_):
    global count
    count += 1
    shown.value = f"<p>{count}</p>"
button.on_click(press)
ipywidgets.VBox([button, shown]).add_class("bare")
"""
CLICK = """([button, watched]) => new Promise(done => {
  const start = performance.now();
  const observer = new MutationObserver(() => {
    observer.disconnect();
    const changed = performance.now() - start;
    requestAnimationFrame(() => setTimeout(() => done([changed, performance.now() - start])));
  });
  observer.observe(watched, { childList: true, characterData: true, subtree: true, attributes: true });
  button.click();
})"""
SHOW = """async ([number, rows]) => {
  const panel = jupyterapp.shell.currentWidget.content, start = performance.now();
  panel.activeCellIndex = number;
  panel.deselectAll();
  const ran = jupyterapp.commands.execute('notebook:run-cell'), cell = panel.widgets[number].node;
  const old = new Set(cell.querySelectorAll('.lab-root'));
  const shown = () => [...cell.querySelectorAll('.lab-root')].some(
    view => !old.has(view) && view.querySelectorAll('.lab-msg:not([hidden])').length >= rows);
  while (!shown()) await new Promise(requestAnimationFrame);
  await new Promise(done => requestAnimationFrame(() => setTimeout(done)));
  const took = performance.now() - start;
  await ran;
  return took;
}"""
COUNT_BYTES = """
window.sentBytes = 0;
const Plain = window.WebSocket, size = data => data.byteLength ?? data.size ?? data.length;
window.WebSocket = class extends Plain {
  constructor(...args) { super(...args); this.addEventListener('message', e => window.sentBytes += size(e.data)); }
  send(data) { window.sentBytes += size(data); super.send(data); }
};
"""
WARM_UP, CLICKS, DISPLAYS = 3, 30, 7


@contextmanager
def opened(cells: list[str]):
    with tempfile.TemporaryDirectory() as root, sync_playwright() as driver:
        factory = type("Factory", (), {"mktemp": lambda _, name: _made(Path(root, name))})()
        server = lab.lab.__wrapped__(factory)
        browser = driver.chromium.launch(executable_path=lab.find_browser(), args=lab.QUIET)
        notebooks = lab.open_notebook.__wrapped__(next(server), browser)
        try:
            yield next(notebooks)(cells, block=COUNT_BYTES)
        finally:
            next(notebooks, None)
            browser.close()
            next(server, None)


def _made(path: Path) -> Path:
    path.mkdir()
    return path


def clicks(notebook, button, watched) -> list[tuple[float, float]]:
    page = notebook.page
    handles = [button.element_handle(), watched.element_handle()]
    times = []
    for _ in range(WARM_UP + CLICKS):
        times.append(tuple(page.evaluate(CLICK, handles)))
        page.wait_for_timeout(60)
    return times[WARM_UP:]


def bytes_per_step(notebook, view) -> float:
    page, steps = notebook.page, 10
    page.wait_for_timeout(500)
    before = page.evaluate("sentBytes")
    for _ in range(steps):
        view.locator(".lab-next").click()
        page.wait_for_timeout(150)
    return (page.evaluate("sentBytes") - before) / steps


def first_displays(notebook, rows: dict[int, int]) -> dict[int, list[float]]:
    """Return how long each of these cells takes until its view shows so many rows, by turns."""
    times: dict[int, list[float]] = {number: [] for number in rows}
    for turn in range(DISPLAYS + 1):
        for number, needed in rows.items():
            took = notebook.page.evaluate(SHOW, [number, needed])
            times[number] += [took] if turn else []
            notebook.wait_idle()
            notebook.page.wait_for_timeout(300)
    return times


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--turns", type=int, default=100)
    parser.add_argument("--characters", type=int, default=300)
    given = parser.parse_args()
    turns, middle = given.turns, given.turns * 3 // 5
    setup = SETUP.format(turns=turns, characters=given.characters)
    views = ["view = StepperView(over); view", "other = StepperView(long_run()); other"]
    with opened([setup, BARE, *views, "StepperView(over)", "StepperView(ready)"]) as notebook:
        print(f"{turns} turns, {2 * turns + 1} messages of {given.characters} characters")
        bare, view = notebook.cell(1), notebook.view(2)
        notebook.ask_kernel(f"view.goto({middle})")
        view.locator(".lab-pos").filter(has_text=f"Call {middle}").wait_for()
        rounds = [
            (
                clicks(notebook, bare.locator("button"), bare.locator(".bare")),
                clicks(notebook, view.locator(".lab-next"), view.locator(".lab-pos")),
                notebook.ask_kernel(f"view.goto({middle})"),
            )
            for _ in range(3)
        ]
        print(f"click to change and to paint, ms, medians of {CLICKS} clicks")
        for plain, stepped, _ in rounds:
            a, b = [[statistics.median(times) for times in zip(*taken, strict=True)] for taken in (plain, stepped)]
            ratios = f"x {b[0] / a[0]:.2f} x {b[1] / a[1]:.2f}"
            print(f"  bare button {a[0]:5.1f} {a[1]:5.1f}   stepper {b[0]:5.1f} {b[1]:5.1f}   {ratios}")
        other = notebook.view(3)
        notebook.ask_kernel("other._move_to(4)")
        few = bytes_per_step(notebook, other)
        notebook.ask_kernel(f"other._move_to({turns - 12})")
        many = bytes_per_step(notebook, other)
        print(f"bytes per new step, both ways: {few:.0f} from call 5, {many:.0f} from {turns - 11}, x {many / few:.2f}")
        notebook.ask_kernel(f"view.close(), other.close(), over.goto({turns + 1})")
        shown = first_displays(notebook, {4: 2 * turns + 1, 5: 1})  # last: each display is one more view of its run
        long, empty = (statistics.median(times) for times in shown.values())
        of_what = f"run that has not begun {empty:.0f}, run that is over {long:.0f}, x {long / empty:.2f}"
        print(f"first display, ms, medians of {DISPLAYS}: {of_what}")


if __name__ == "__main__":
    main()

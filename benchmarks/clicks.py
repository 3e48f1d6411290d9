"""A click in the stepper, beside a bare button that sets a small piece of HTML, in a real JupyterLab. Prints ratios.

It counts from the click to the change of the page and to the next painted frame, on calls that are recorded already,
with 200 messages of 300 characters; and the bytes on the kernel's websocket per step, at 10 and at 200 messages.
"""

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
from minagent_lab import FakeModel, Tool, ToolCall, ToolRegistry, step
registry = ToolRegistry()
registry.add(Tool("say", "Say it", {"type": "object"}, lambda **_: "x" * 300))
def long_view(turns):
    script = [[ToolCall(f"c{n}", "say", {"text": "y" * 268})] for n in range(turns)]
    return step(FakeModel([*script, "done"]), registry, "z" * 300, max_steps=turns + 1)
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
COUNT_BYTES = """
window.sentBytes = 0;
const Plain = window.WebSocket, size = data => data.byteLength ?? data.size ?? data.length;
window.WebSocket = class extends Plain {
  constructor(...args) { super(...args); this.addEventListener('message', e => window.sentBytes += size(e.data)); }
  send(data) { window.sentBytes += size(data); super.send(data); }
};
"""
WARM_UP, CLICKS = 3, 30


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


def main() -> None:
    with opened([SETUP, BARE, "view = long_view(100); view", "other = long_view(100); other"]) as notebook:
        bare, view = notebook.cell(1), notebook.view(2)
        notebook.ask_kernel("view._move_to(100), view.goto(60)")
        view.locator(".lab-pos").filter(has_text="Call 60").wait_for()
        rounds = [
            (
                clicks(notebook, bare.locator("button"), bare.locator(".bare")),
                clicks(notebook, view.locator(".lab-next"), view.locator(".lab-pos")),
                notebook.ask_kernel("view.goto(60)"),
            )
            for _ in range(3)
        ]
        print(f"click to change and to paint, ms, medians of {CLICKS} clicks; 200 messages of 300 characters")
        for plain, stepped, _ in rounds:
            a, b = [[statistics.median(times) for times in zip(*taken, strict=True)] for taken in (plain, stepped)]
            ratios = f"x {b[0] / a[0]:.2f} x {b[1] / a[1]:.2f}"
            print(f"  bare button {a[0]:5.1f} {a[1]:5.1f}   stepper {b[0]:5.1f} {b[1]:5.1f}   {ratios}")
        other = notebook.view(3)
        notebook.ask_kernel("other._move_to(4)")
        few = bytes_per_step(notebook, other)
        notebook.ask_kernel("other._move_to(88)")
        many = bytes_per_step(notebook, other)
        print(f"bytes per new step, both ways: {few:.0f} at 10 messages, {many:.0f} at 180 to 200, x {many / few:.2f}")


if __name__ == "__main__":
    main()

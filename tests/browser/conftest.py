"""A real JupyterLab, driven in a real browser that is already on the machine."""

import contextlib
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import nbformat
import pytest

playwright = pytest.importorskip("playwright.sync_api", reason="the browser tests need playwright (group: test)")

QUIET = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "msedge")
THEMES = {"light": "JupyterLab Light", "dark": "JupyterLab Dark", "contrast": "JupyterLab Dark High Contrast"}
KERNEL_IDLE = """() => {
  const widget = window.jupyterapp?.shell.currentWidget, kernel = widget?.sessionContext?.session?.kernel;
  return !!(widget?.sessionContext?.isReady && kernel?.connectionStatus === 'connected' && kernel.status === 'idle');
}"""
ERRORS = """() => [...jupyterapp.shell.currentWidget.content.model.cells].flatMap(cell => cell.type !== 'code' ? []
  : cell.outputs.toJSON().filter(o => o.output_type === 'error').map(o => o.ename + ': ' + o.evalue))"""


def find_browser() -> str | None:
    """Return a Chromium that is installed; the variable MINAGENT_LAB_BROWSER names another one."""
    return os.environ.get("MINAGENT_LAB_BROWSER") or next(filter(None, map(shutil.which, NAMES)), None)


@pytest.fixture(scope="module")  # while it is open, a loop runs here, and no test of another module could run its own
def browser() -> Iterator[object]:
    path = find_browser()
    if path is None and not os.environ.get("CI"):
        pytest.skip("no Chromium, Chrome or Edge found; install one, or name it in MINAGENT_LAB_BROWSER")
    assert path, "CI must have a Chromium"
    with playwright.sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=path, args=QUIET)
        yield started
        started.close()


@pytest.fixture(scope="session")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """Start JupyterLab with settings of its own; give its address and its notebook folder."""
    root = tmp_path_factory.mktemp("lab")
    folder = root / "notebooks"
    settings = root / "settings" / "@jupyterlab" / "apputils-extension"
    for new in (folder, settings):
        new.mkdir(parents=True)
    quiet = '{"fetchNews": "false", "checkForUpdates": false}'
    (settings / "notification.jupyterlab-settings").write_text(quiet, encoding="utf-8")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    own = {
        "JUPYTER_CONFIG_DIR": root / "config",
        "JUPYTER_DATA_DIR": root / "data",
        "JUPYTER_RUNTIME_DIR": root / "runtime",
        "IPYTHONDIR": root / "ipython",
        "JUPYTERLAB_SETTINGS_DIR": root / "settings",
        "JUPYTERLAB_WORKSPACES_DIR": root / "workspaces",
    }
    options = [
        "--no-browser",
        "--allow-root",
        "--ServerApp.ip=127.0.0.1",
        f"--ServerApp.port={port}",
        "--ServerApp.port_retries=0",
        "--IdentityProvider.token=",
        f"--ServerApp.root_dir={folder}",
        "--LabApp.expose_app_in_browser=True",
        "--LabApp.extension_manager=readonly",
    ]
    log = root / "lab.log"
    with log.open("wb") as output:
        server = subprocess.Popen(
            [sys.executable, "-m", "jupyterlab", *options],
            env={**os.environ, **{name: str(path) for name, path in own.items()}},
            stdout=output,
            stderr=subprocess.STDOUT,
        )
        try:
            _wait_until_up(f"http://127.0.0.1:{port}", server, log)
            yield f"http://127.0.0.1:{port}", folder
        finally:
            server.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                server.wait(20)
            server.kill()
            server.wait()


def _wait_until_up(url: str, server: subprocess.Popen, log: Path) -> None:
    deadline = time.monotonic() + 60
    while True:
        try:
            with urllib.request.urlopen(f"{url}/api", timeout=1):
                return
        except OSError:
            if server.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(log.read_text(encoding="utf-8", errors="replace")) from None
            time.sleep(0.1)


class Notebook:
    """A notebook that is open in the browser."""

    def __init__(self, page: object, name: str) -> None:
        self.page, self.name = page, name
        self.problems: list[str] = []
        page.on("console", lambda message: self._heard(message.type, message.text))
        page.on("pageerror", lambda error: self.problems.append(str(error)))
        page.on("dialog", lambda dialog: (self.problems.append(f"dialog: {dialog.message}"), dialog.dismiss()))

    def _heard(self, kind: str, text: str) -> None:
        if kind == "error":
            self.problems.append(text)

    def command(self, name: str, **arguments: object) -> None:
        self.page.evaluate("([n, a]) => jupyterapp.commands.execute(n, a).then(() => null)", [name, arguments])

    def wait_idle(self) -> None:
        self.page.wait_for_function(KERNEL_IDLE, timeout=60_000)

    def run_all(self) -> None:
        self.command("notebook:run-all-cells")
        self.wait_idle()
        assert self.page.evaluate(ERRORS) == []

    def theme(self, name: str) -> None:
        self.command("apputils:change-theme", theme=THEMES[name])
        self.page.wait_for_selector(f'body[data-jp-theme-name="{THEMES[name]}"]', state="attached")

    def cell(self, number: int) -> object:
        """Return a code cell with its output, counted from 0."""
        return self.page.locator(".jp-NotebookPanel:not(.lm-mod-hidden) .jp-CodeCell").nth(number)

    def view(self, number: int) -> object:
        """Return the stepper in a cell's output, scrolled into view: JupyterLab renders no text elsewhere."""
        view = self.cell(number).locator(".lab-root").first
        view.scroll_into_view_if_needed()
        return view

    def cells(self) -> int:
        return self.page.evaluate("() => jupyterapp.shell.currentWidget.content.model.cells.length")

    def ask_kernel(self, expression: str) -> str:
        """Return the value of an expression in the notebook's kernel, as text."""
        return self.page.evaluate(
            """async (expression) => {
              const kernel = jupyterapp.shell.currentWidget.sessionContext.session.kernel;
              const done = kernel.requestExecute({ code: '', user_expressions: { it: expression }, silent: true });
              const reply = await done.done;
              return reply.content.user_expressions.it.data['text/plain'];
            }""",
            expression,
        )


@pytest.fixture(scope="module")
def open_notebook(lab: tuple[str, Path], browser: object) -> Iterator[Callable[..., Notebook]]:
    """Give a function that writes cells to a notebook, or takes one from a file, and opens it in JupyterLab."""
    url, folder = lab
    contexts = []

    def allowed(route: object) -> None:
        here = route.request.url.startswith((url, "data:", "blob:"))
        route.continue_() if here else route.abort()

    def opened(
        cells: list[str] | Path,
        *,
        run: bool = True,
        width: int = 1400,
        height: int = 1000,
        block: str = "",
        zoom: float = 1,
    ) -> Notebook:
        name = f"n{time.time_ns()}.ipynb"  # a path of its own gets a kernel of its own
        if isinstance(cells, Path):
            shutil.copy(cells, folder / name)
        else:
            kernel = {"name": "python3", "display_name": "Python 3 (ipykernel)", "language": "python"}
            made = nbformat.v4.new_notebook(metadata={"kernelspec": kernel})
            made.cells = [nbformat.v4.new_code_cell(source) for source in cells]
            nbformat.write(made, folder / name)
        viewport = {"width": int(width / zoom), "height": int(height / zoom)}
        context = browser.new_context(viewport=viewport, device_scale_factor=zoom)
        contexts.append(context)
        context.route("**/*", allowed)
        if block:
            context.add_init_script(block)
        page = context.new_page()
        page.set_default_timeout(15_000)
        notebook = Notebook(page, name)
        page.goto(f"{url}/lab/workspaces/w{time.time_ns()}/tree/{name}?reset")
        page.wait_for_selector(".jp-NotebookPanel .jp-Cell", timeout=60_000)
        notebook.wait_idle()
        notebook.command("application:toggle-left-area") if page.locator(".jp-FileBrowser").is_visible() else None
        if run:
            notebook.run_all()
        return notebook

    yield opened
    for context in contexts:
        context.close()


@pytest.fixture(scope="session")
def pictures() -> Path:
    """Return the folder for screenshots, made for people to look at."""
    folder = Path(__file__).parents[2] / "screenshots"
    folder.mkdir(exist_ok=True)
    return folder

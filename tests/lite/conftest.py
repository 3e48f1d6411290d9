"""The series as a static site, in a real browser that can reach no other host."""

import contextlib
import functools
import gzip
import http.server
import io
import os
import shutil
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from browser.conftest import QUIET, browser, find_browser  # noqa: F401

ROOT = Path(__file__).resolve().parents[2]
ALONE = [*QUIET, "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1"]
MINUTES = 4 * 60_000  # a chapter takes seconds; a machine that is busy may take longer
READY = """() => {
  const widget = window.jupyterapp?.shell.currentWidget;
  return !!(widget?.content?.model?.cells?.length && widget.sessionContext?.session?.kernel);
}"""
RUN_ALL = """() => {
  window.ranAll = null;
  jupyterapp.commands.execute('notebook:run-all-cells').then(() => { window.ranAll = true; },
    error => { window.ranAll = String(error); });
}"""
EXECUTE = """async code => {
  const told = [], kernel = jupyterapp.shell.currentWidget.sessionContext.session.kernel;
  const asked = kernel.requestExecute({code});
  asked.onIOPub = ({header, content}) => {
    if (header.msg_type === 'stream') told.push(content.text);
    if (header.msg_type === 'error') told.push(content.ename + ': ' + content.evalue);
  };
  await asked.done;
  return told.join('');
}"""


class StaticHost(http.server.SimpleHTTPRequestHandler):
    """A host for files as they are common: it compresses what is text, and knows what is asked again."""

    extensions_map = {  # noqa: RUF012
        **http.server.SimpleHTTPRequestHandler.extensions_map,
        ".mjs": "text/javascript",
        ".wasm": "application/wasm",
        ".whl": "application/zip",
    }
    SMALLER = (".css", ".html", ".ipynb", ".js", ".json", ".mjs", ".svg", ".wasm")
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        """Print nothing."""

    def do_GET(self):
        path = Path(self.translate_path(self.path))
        changed = int(path.stat().st_mtime) if path.is_file() else 0
        known = self.headers.get("If-Modified-Since") == self.date_time_string(changed)
        if not changed or known or path.suffix not in self.SMALLER:
            super().do_GET()
            return
        body = compressed(path, changed)
        self.send_response(200)
        self.send_header("Content-Type", self.guess_type(str(path)))
        self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Last-Modified", self.date_time_string(changed))
        self.end_headers()
        self.copyfile(io.BytesIO(body), self.wfile)

    def copyfile(self, source, outputfile):
        body = source.read()
        self.server.sent += len(body)
        outputfile.write(body)


@functools.cache
def compressed(path, changed):
    return gzip.compress(path.read_bytes(), 6, mtime=0)


@contextlib.contextmanager
def serving(site: Path) -> Iterator[http.server.ThreadingHTTPServer]:
    """Serve a folder on this machine; give the host, with its address and the bytes of the bodies that it sent."""
    host = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(StaticHost, directory=str(site)))
    host.address, host.sent = f"http://127.0.0.1:{host.server_port}/", 0
    threading.Thread(target=host.serve_forever, daemon=True).start()
    try:
        yield host
    finally:
        host.shutdown()
        host.server_close()


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Build the site with the command that HOSTING.md gives."""
    uv = os.environ.get("UV") or shutil.which("uv")
    if not (uv and shutil.which("npm")) and not os.environ.get("CI"):
        pytest.skip("the site is built with uv and npm, and one of them is not installed")
    folder = tmp_path_factory.mktemp("site") / "_site"
    command = [uv, "run", "--isolated", "--group", "site", "python", "tools/build_site.py", "--to", folder]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


@pytest.fixture(scope="module")
def address(site):
    with serving(site) as host:
        yield host.address


class Chapter:
    """A notebook of the site, open in a browser that knows nothing of the site yet."""

    def __init__(self, context, address, name):
        self.address, self.name, self.page = address, name, context.new_page()
        self.strangers, self.problems = [], []
        context.on("request", lambda request: self._asked(request.url))
        self.page.on("pageerror", lambda error: self.problems.append(str(error)))
        self.open()

    def _asked(self, url):
        if not url.startswith((self.address, "data:", "blob:")):
            self.strangers.append(url)

    def open(self):
        self.page.goto(f"{self.address}lab/index.html?path={self.name}")
        self.page.wait_for_function(READY, timeout=MINUTES)

    def run_all(self):
        """Run all cells, as the menu does; return the notebook as it is then."""
        self.page.evaluate(RUN_ALL)
        self.page.wait_for_function("window.ranAll !== null", timeout=MINUTES)
        assert self.page.evaluate("window.ranAll") is True
        return self.page.evaluate("jupyterapp.shell.currentWidget.content.model.toJSON()")

    def execute(self, code):
        """Run code in the notebook's kernel; return what it printed, or the error it ended with."""
        return self.page.evaluate(EXECUTE, code)


@pytest.fixture
def chapter(address, alone):
    """Return a function that opens a chapter."""
    contexts = []

    def opened(name):
        contexts.append(alone.new_context(viewport={"width": 1400, "height": 1000}))
        return Chapter(contexts[-1], address, name)

    yield opened
    for context in contexts:
        context.close()


@pytest.fixture(scope="module")
def alone(browser):  # noqa: F811
    """Start a browser that finds no host but this machine."""
    started = browser.browser_type.launch(executable_path=find_browser(), args=ALONE)
    yield started
    started.close()

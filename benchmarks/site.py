"""The series as a static site beside an empty JupyterLite of the same versions. Prints seconds, bytes and their ratio.

A page is opened, and as soon as it has a kernel its first cell is run: time counts until that shows something, bytes as
they came over the wire from a host that compresses. Cold is a browser that has never been here, warm the second visit.
"""

import argparse
import statistics
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tools")]

import build_site  # noqa: E402
import nbformat  # noqa: E402
from lite import conftest as lite  # noqa: E402
from playwright.sync_api import sync_playwright  # noqa: E402

RUN = """() => {
  for (const cell of jupyterapp.shell.currentWidget.content.model.cells) cell.outputs?.clear();
  jupyterapp.commands.execute('notebook:run-all-cells');
}"""
SHOWN = """() => [...(jupyterapp.shell.currentWidget?.content?.model?.cells ?? [])].some(
  cell => cell.type === 'code' && cell.executionCount && cell.outputs.length)"""
HELLO = nbformat.v4.new_notebook(
    metadata={"kernelspec": {"name": "python3", "display_name": "Python 3"}, "language_info": {"name": "python"}},
    cells=[nbformat.v4.new_code_cell("print('Hello')")],
)


def sites(folder: Path) -> dict[str, tuple[Path, str]]:
    """Build both sites; return where they are, and which notebook each opens."""
    made = {}
    for name, empty in (("empty", True), ("series", False)):
        work = folder / name
        work.mkdir()
        content = work / "content"
        if empty:
            content.mkdir()
            nbformat.write(HELLO, content / "hello.ipynb")
        else:
            build_site.notebooks(work)
        build_site.build(work / "site", content, work, empty=empty)
        made[name] = (work / "site", "hello.ipynb" if empty else "00_start_here.ipynb")
    return made


def visit(page, host, name: str) -> tuple[float, int]:
    """Open a notebook and run it; return the seconds to its first output and the bytes that came."""
    before, start = host.sent, time.perf_counter()
    page.goto(f"{host.address}lab/index.html?path={name}")
    page.wait_for_function(lite.READY, timeout=lite.MINUTES)
    page.evaluate(RUN)
    page.wait_for_function(SHOWN, timeout=lite.MINUTES)
    return time.perf_counter() - start, host.sent - before


def visits(driver, host, name: str) -> list[tuple[float, int]]:
    """Return what a first and a second visit took, in a browser of their own."""
    with tempfile.TemporaryDirectory() as profile:
        browser = driver.chromium.launch_persistent_context(
            profile, executable_path=lite.find_browser(), args=lite.ALONE, viewport={"width": 1400, "height": 1000}
        )
        try:
            return [visit(browser.new_page(), host, name) for _ in range(2)]
        finally:
            browser.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver, ExitStack() as stack:
        hosts = {
            name: (stack.enter_context(lite.serving(site)), first)
            for name, (site, first) in sites(Path(folder)).items()
        }
        taken = [{name: visits(driver, *hosts[name]) for name in hosts} for _ in range(rounds)]
    for number, when in enumerate(("cold", "warm")):
        for name in taken[0]:
            seconds = statistics.median(one[name][number][0] for one in taken)
            ratio = statistics.median(one[name][number][0] / one["empty"][number][0] for one in taken)
            size = statistics.median(one[name][number][1] for one in taken)
            print(f"{when}  {name:7} {seconds:5.1f} s  x {ratio:.2f}  {size / 1e6:6.2f} MB")


if __name__ == "__main__":
    main()

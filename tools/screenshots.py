"""Photograph each chapter's central view in the light and in the dark theme, for people to look at.

    uv run --group test python tools/screenshots.py [--width 1400] [--to screenshots] [NOTEBOOK ...]

Each notebook is opened in a real JupyterLab and run from top to bottom. Its central view is the tallest stepper,
or where there is none the tallest view with a slider, or any. Pictures of the states that no chapter opens with
(predict, compare, for an audience) are made as well.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from browser import conftest as lab  # type: ignore[import-not-found]  # noqa: E402
from browser.shop import SHOP  # type: ignore[import-not-found]  # noqa: E402
from playwright.sync_api import sync_playwright  # noqa: E402

KINDS = (".lab-root", ".lab-guarded:has([role=slider])", ".lab-guarded")
STATES = {
    "predict": "view = open_stepper(at=1, predict=True); view.guess(0); view",
    "compare": "view = open_stepper(at='end'); view.fork(2, item='1'); view.run_until('end'); _ = view.compare(); view",
    "fork": "view = open_stepper(at=2); view.open_pane('fork'); view",
    "audience": "open_stepper(at=2, present=True)",
    "end": "open_stepper(at='end')",
    "limit": "open_stepper(at='end', max_steps=2)",
}
THEMES = ("light", "dark")


@contextmanager
def jupyterlab() -> Iterator[Any]:
    """Give a function that opens a notebook in a JupyterLab of its own."""
    with tempfile.TemporaryDirectory() as root, sync_playwright() as driver:
        factory = type("Factory", (), {"mktemp": lambda _, name: _made(Path(root, name))})()
        server = lab.lab.__wrapped__(factory)
        address, folder = next(server)
        (folder / "fixtures").symlink_to(ROOT / "notebooks" / "fixtures")
        (folder / "images").symlink_to(ROOT / "notebooks" / "images")
        browser = driver.chromium.launch(executable_path=lab.find_browser(), args=lab.QUIET)
        opened = lab.open_notebook.__wrapped__((address, folder), browser)
        try:
            yield next(opened)
        finally:
            next(opened, None)
            browser.close()
            next(server, None)


def _made(path: Path) -> Path:
    path.mkdir()
    return path


def photograph(notebook: Any, name: str, folder: Path) -> None:
    """Save pictures of the notebook's central view, one per theme."""
    cells = notebook.page.locator(".jp-NotebookPanel:not(.lm-mod-hidden) .jp-Cell")
    for number in range(cells.count()):  # JupyterLab renders what comes into sight
        cells.nth(number).scroll_into_view_if_needed()
    heights = {
        (kind, number): cells.nth(number).locator(kind).first.evaluate("node => node.offsetHeight")
        for kind in KINDS
        for number in range(cells.count())
        if cells.nth(number).locator(kind).count()
    }
    if not heights:
        print(f"{name}: no view")
        return
    kind = next(kind for kind in KINDS if any(kind == found for found, _ in heights))
    number = max((height, number) for (found, number), height in heights.items() if found == kind)[1]
    for theme in THEMES:
        notebook.theme(theme)
        cells.nth(number).scroll_into_view_if_needed()
        notebook.page.wait_for_timeout(600)
        cells.nth(number).locator(kind).first.screenshot(path=folder / f"{name}-{theme}.png")
    print(f"{name}: {heights[kind, number]} px high")


def main() -> None:
    """Make the pictures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("notebooks", nargs="*", type=Path)
    parser.add_argument("--width", type=int, default=1400)
    parser.add_argument("--to", type=Path, default=ROOT / "screenshots")
    wanted = parser.parse_args()
    wanted.to.mkdir(exist_ok=True)
    with jupyterlab() as open_notebook:
        if not wanted.notebooks:
            for name, cell in STATES.items():
                photograph(open_notebook([SHOP, cell], width=wanted.width, height=1300), name, wanted.to)
        for path in wanted.notebooks or sorted((ROOT / "notebooks").glob("*.ipynb")):
            photograph(open_notebook(path, width=wanted.width, height=1300), path.stem, wanted.to)


if __name__ == "__main__":
    main()

"""Photograph each chapter's central view in the light and in the dark theme, for people to look at.

    uv run --group test python tools/screenshots.py [--width 1400] [--zoom 1] [--to screenshots] [NOTEBOOK or STATE ...]

Each notebook is opened in a real JupyterLab and run from top to bottom. Its central view is the tallest stepper,
or where there is none the tallest view with a slider, or any. Pictures of the states that no chapter opens with
(predict, compare, for an audience, long Chinese text and JSON, the playground) are made as well.
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

KINDS = (".lab-playground", ".lab-root", ".lab-guarded:has([role=slider])", ".lab-guarded")
STATES = {
    "predict": "view = open_stepper(at=1, predict=True); view.guess(0); view",
    "compare": "view = open_stepper(at='end'); view.fork(2, item='1'); view.run_until('end'); _ = view.compare(); view",
    "fork": "view = open_stepper(at=2); view.open_pane('fork'); view",
    "audience": "open_stepper(at=2, present=True)",
    "end": "open_stepper(at='end')",
    "limit": "open_stepper(at='end', max_steps=2)",
    "predict-told": "view = open_stepper(at=1, predict=True); view.guess(0); view.guess(1); view",
    "audience-fork": "view = open_stepper(at=2, present=True); view.open_pane('fork'); view",
    "branches": "view = open_stepper(at='end'); view.fork(2, item='1'); view.fork(1, prompt='Other?'); view",
    "code": "view = open_stepper(at=2); view.open_pane('code'); view",
    "export": "view = open_stepper(at=2); view.open_pane('export'); view",
    "long": "long_stepper(at=1)",
    "long-end": "long_stepper(at='end')",
    "long-compare": """view = long_stepper(at='end'); view.fork(2, results={'c3': '没有结果。' * 30})
view.run_until('end'); _ = view.compare(); view""",
    "many": """many = [*([ToolCall(f"c{n}", "add", {"a": n, "b": 2})] for n in range(30)), "完"]
open_stepper(many, max_steps=40, at="end")""",
    "playground": "from minagent_lab import playground\nplayground()",
    "playground-wrong": """from minagent_lab import playground
playground('["Hello.", {"tool_cals": [1}]', {'add': {'results': []}}, '你好')""",
}
LONG = """
schema = {"type": "object", "properties": {"q": {"type": "string"}, "filters": {"type": "array"}}, "required": ["q"]}
found = {"hits": [{"title": "上海中心气象台今日天气预报" * 3, "score": 0.93, "tags": ["weather", "上海"]}] * 4}
library = ToolRegistry()
library.add(Tool("search", "在知识库里查找 (look it up)", schema, lambda q, filters=(): found))
where = {"field": "city", "op": "in", "values": ["北京", "上海", "广州", "深圳"]}
since = {"field": "date", "op": ">=", "value": "2026-01-01T00:00:00+08:00"}
asked = {"q": "北京和上海现在差几度？哪里更暖和？" * 4, "filters": [where, since]}
LONG = [[ToolCall("call_Zk3vQ9x7LmN2pR8tY5wE1a", "search", asked), ToolCall("c2", "search", {"q": "x" * 150})],
        [ToolCall("c3", "search", {"q": "短"})], "上海更暖和，比北京高 9 °C。" * 12 + " a" + "very" * 40 + "longword"]

def long_stepper(**options):
    prompt = "北京和上海现在差几度？哪里更暖和？请先查，再回答，并且说明理由。" * 3
    return step(FakeModel(LONG), library, prompt, system="You are a weather clerk. 先查，再答。", **options)
"""
THEMES = ("light", "dark")
AROUND = 220  # px of JupyterLab above and below a view


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
        view = cells.nth(number).locator(kind).first
        size = notebook.page.viewport_size  # what does not fit into the window is not painted
        needed = view.evaluate("node => node.offsetHeight") + AROUND
        notebook.page.set_viewport_size({"width": size["width"], "height": max(size["height"], needed)})
        notebook.page.wait_for_timeout(600)
        view.scroll_into_view_if_needed()
        view.screenshot(path=folder / f"{name}-{theme}.png")
    notebook.page.context.close()  # many pages at once are more than a small machine can paint
    print(f"{name}: {heights[kind, number]} px high")


def main() -> None:
    """Make the pictures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("wanted", nargs="*", metavar="NOTEBOOK or STATE", help=f"a path, or one of {', '.join(STATES)}")
    parser.add_argument("--width", type=int, default=1400)
    parser.add_argument("--zoom", type=float, default=1)
    parser.add_argument("--to", type=Path, default=ROOT / "screenshots")
    given = parser.parse_args()
    given.to.mkdir(exist_ok=True)
    wanted = given.wanted or [*STATES, *map(str, sorted((ROOT / "notebooks").glob("*.ipynb")))]
    with jupyterlab() as open_notebook:
        for one in wanted:
            cells = [SHOP + LONG, STATES[one]] if one in STATES else Path(one)
            notebook = open_notebook(cells, width=given.width, height=1000, zoom=given.zoom)
            photograph(notebook, Path(one).stem, given.to)


if __name__ == "__main__":
    main()

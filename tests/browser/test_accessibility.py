"""axe-core, the order of the Tab key, and many presses, in the real JupyterLab."""

import random

import pytest
from playwright.sync_api import expect

from .shop import SHOP, press, shows

axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="the browser tests need axe (group: test)")

PLAIN, PREDICT, FORKED, AUDIENCE, PANES = range(1, 6)
CELLS = [
    SHOP,
    "open_stepper(at=3)",
    "view = open_stepper(at=1, predict=True); view.guess(0); view",
    """forked = open_stepper(at='end')
forked.fork(2, item="Nothing to count.")
_ = forked.compare()
forked""",
    "open_stepper(at=2, present=True)",
    "panes = open_stepper(at=2); panes.open_pane('fork'); panes",
]
NAMES = {PLAIN: "plain", PREDICT: "predict", FORKED: "compared", AUDIENCE: "audience", PANES: "fork"}
PAGE_RULES = ["region", "landmark-one-main", "page-has-heading-one", "heading-order", "bypass"]  # JupyterLab's part
MARK = """node => {
  document.querySelectorAll("[data-axe]").forEach(other => delete other.dataset.axe);
  node.dataset.axe = 1;
}"""


def violations(notebook, number):
    view = notebook.view(number)
    expect(view.locator("[role=slider], .lab-comparison")).not_to_have_count(0)
    view.evaluate(
        "node => { document.querySelectorAll('[data-axe]').forEach(n => delete n.dataset.axe); node.dataset.axe = 1 }"
    )
    options = {"rules": {rule: {"enabled": False} for rule in PAGE_RULES}, "resultTypes": ["violations"]}
    found = axe.Axe().run(notebook.page, context="[data-axe]", options=options).response["violations"]
    return [
        f"{one['id']}: {node['html'][:120]} {node['failureSummary'][:200]}" for one in found for node in one["nodes"]
    ]


@pytest.mark.parametrize(("width", "zoom"), [(1400, 1), (1400, 2), (700, 1), (700, 2)])
def test_axe_finds_nothing_in_any_state_theme_width_or_zoom(open_notebook, width, zoom):
    notebook = open_notebook(CELLS, width=width, height=1100, zoom=zoom)
    found = []
    for theme in ("light", "dark", "contrast"):
        notebook.theme(theme)
        found += [f"{NAMES[number]}, {theme}: {one}" for number in NAMES for one in violations(notebook, number)]
    assert found == []


def test_tab_goes_through_the_view_in_the_order_in_which_it_is_read(open_notebook):
    notebook = open_notebook([SHOP, "open_stepper(at=3)"])
    view, stops = notebook.view(1), []
    view.focus()
    for _ in range(30):
        notebook.page.keyboard.press("Tab")
        name = notebook.page.evaluate(
            """() => { const node = document.activeElement, view = document.querySelector('.lab-root');
            return view.contains(node) && node !== view
              ? (node.getAttribute('aria-label') || node.textContent).trim().slice(0, 40) : ''; }"""
        )
        if not name:
            break
        stops.append(name)
    assert stops == [
        "« First",
        "‹ Back",
        "Next ›",
        "Last »",
        "Play",
        "Speed of Play",
        "Run until",
        "Where to stop",
        "Fork here",
        "Copy as code",
        "Export",
        "Call shown",
        "What the model sees at call 3",
        "2 schemas: add, subshow JSONfold",
        "c2: its call is in message 4; Enter goes",
        "source of the loop",
    ]


def test_random_presses_leave_view_and_stepper_agreed_and_no_widget_behind(open_notebook):
    notebook = open_notebook([SHOP, "view = open_stepper(); view"])
    view, chance = notebook.view(1), random.Random(7)
    count = "len(__import__('ipywidgets').widgets.widget._instances)"
    for name in ("next", "fork", "code", "export", "export", "first"):
        press(view, name)
        notebook.wait_idle()
    before = notebook.ask_kernel(count)
    keys = ["ArrowRight", "ArrowLeft", "PageDown", "PageUp", "Home", "End"]
    for _ in range(80):
        if chance.random() < 0.5:
            view.focus()
            notebook.page.keyboard.press(chance.choice(keys))
        else:
            name = chance.choice(["first", "back", "next", "last", "run", "fork", "code", "export"])
            view.locator(f".lab-{name}").evaluate("button => button.click()")
    notebook.wait_idle()
    shows(view, int(notebook.ask_kernel("view.stepper.index")))
    expect(view.locator(".lab-msg:visible")).to_have_count(int(notebook.ask_kernel("view.panel.frame['rows']")))
    assert notebook.ask_kernel("len(models[0].calls) == len(view.stepper.turns)") == "True"
    assert notebook.ask_kernel(count) == before
    assert notebook.problems == []

"""The playground in the real JupyterLab."""

import pytest
from playwright.sync_api import expect

from minagent_lab.stepping.playbook_examples import EXAMPLES
from tests.browser.conftest import THEMES

CELLS = ["from minagent_lab import playground\nplayground()", "1 + 1"]
SCRIPT = '[\n  {"call": {"id": "c1", "name": "add", "arguments": {"a": 2, "b": 3}}},\n  "five"\n]'
LOW_CONTRAST = """(root) => {
  const rgb = (text) => {
    const parts = text.match(/[\\d.]+/g).map(Number);
    const scale = text.startsWith("color(") ? 255 : 1;
    return [...parts.slice(0, 3).map((part) => part * scale), parts[3] ?? 1];
  };
  const over = ([r, g, b, a], under) => [r, g, b].map((part, at) => part * a + under[at] * (1 - a));
  const ground = (node) => {
    const layers = [];
    for (let at = node; at; at = at.parentElement) layers.unshift(rgb(getComputedStyle(at).backgroundColor));
    return layers.reduce((under, layer) => over(layer, under), [255, 255, 255]);
  };
  const light = (colour) => {
    const linear = (part) => (part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
    const [r, g, b] = colour.map((part) => linear(part / 255));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const low = [];
  for (const node of root.querySelectorAll("*")) {
    const own = [...node.childNodes].some((child) => child.nodeType === 3 && child.textContent.trim());
    if (!(own || node.matches("textarea, select")) || node.closest(".lab-root") || !node.offsetParent) continue;
    const back = ground(node), ink = over(rgb(getComputedStyle(node).color), back);
    const [a, b] = [light(ink), light(back)].sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05);
    if (ratio < 4.5) low.push(`${node.className || node.tagName}: ${ratio.toFixed(2)}`);
  }
  return low;
}"""


@pytest.fixture
def notebook(open_notebook):
    return open_notebook(CELLS, height=1200)


def shown(notebook):
    root = notebook.cell(0).locator(".lab-playground")
    root.scroll_into_view_if_needed()
    expect(area(root, "tools").locator("xpath=..").locator(".pg-gutter div").first).to_be_visible()
    return root


def area(root, part):
    return root.locator(f".pg-edit-{part} textarea")


def test_a_mistake_stands_at_its_line_and_is_repaired_and_the_run_stepped(notebook):
    root, page = shown(notebook), notebook.page
    script = area(root, "script")
    script.fill(SCRIPT.replace("}},", "}}"))
    problem = root.locator(".pg-edit-script .pg-errors button")
    expect(problem).to_have_text("Line 2: a comma is missing after }")
    expect(script).to_have_attribute("aria-invalid", "true")
    described = script.get_attribute("aria-describedby")
    expect(root.locator(f"#{described}")).to_contain_text("Line 2")
    expect(root.locator(".pg-edit-script .pg-bad")).to_have_text("✕ 2")
    expect(root.locator("p.pg-heard")).to_contain_text("1 problem. Script, line 2")
    expect(root.locator(".pg-before")).to_contain_text("The run below is of the text before.")

    problem.press("Enter")
    expect(script).to_be_focused()
    page.keyboard.type(",")
    expect(problem).to_have_count(0)
    assert script.get_attribute("aria-invalid") is None
    assert script.input_value() == SCRIPT
    page.keyboard.press("Control+Enter")
    expect(root.locator(".pg-before")).to_be_empty()
    expect(script).to_be_focused()
    for _ in range(2):
        root.get_by_role("button", name="Next").click()
    expect(root.locator(".lab-root")).to_contain_text("five")
    assert notebook.problems == []


def test_ctrl_enter_runs_the_playground_and_not_the_cell(notebook):
    root = shown(notebook)
    before = notebook.cell(0).locator(".jp-InputPrompt").inner_text()
    area(root, "prompt").fill('"Typed a moment ago"')
    area(root, "prompt").press("Control+Enter")
    expect(root.locator(".lab-root")).to_contain_text("Typed a moment ago")
    assert notebook.cell(0).locator(".jp-InputPrompt").inner_text() == before
    root.get_by_role("button", name="Next").press("Control+Enter")
    assert notebook.cell(0).locator(".jp-InputPrompt").inner_text() == before
    assert area(root, "prompt").input_value() == '"Typed a moment ago"'


def test_keys_of_the_notebook_are_letters_in_a_text(notebook):
    root, page, cells = shown(notebook), notebook.page, notebook.cells()
    script = area(root, "script")
    script.fill("")
    script.focus()
    page.keyboard.type("ddabmxz00")
    expect(script).to_have_value("ddabmxz00")
    page.keyboard.press("Control+a")
    page.keyboard.type("x")
    expect(script).to_have_value("x")
    page.keyboard.press("Control+z")
    expect(script).not_to_have_value("x")
    root.get_by_role("button", name="Run", exact=True).focus()
    page.keyboard.type("dd")
    assert notebook.cells() == cells
    assert notebook.page.locator(".jp-CodeCell .lab-playground").count() == 1


def test_tab_goes_from_text_to_text_and_on_to_the_run(notebook):
    root, page = shown(notebook), notebook.page
    root.locator(".pg-bar select").focus()
    order = []
    for _ in range(6):
        page.keyboard.press("Tab")
        order.append(
            page.evaluate(
                "() => document.activeElement.getAttribute('aria-describedby')?.split('-')[2]"
                " ?? document.activeElement.textContent.trim()"
            )
        )
    assert order[:5] == ["Run", "Copy all as code", "prompt", "script", "tools"]
    assert page.evaluate("() => !!document.activeElement.closest('.lab-root')")
    page.keyboard.press("Shift+Tab")
    expect(area(root, "tools")).to_be_focused()


def test_each_control_has_a_name(notebook):
    root = shown(notebook)
    for name in ("Prompt", "Script: what the model says", "Tools, with their results"):
        expect(root.get_by_role("textbox", name=name)).to_be_visible()
    expect(root.get_by_role("combobox", name="Start from")).to_be_visible()


def test_an_example_is_chosen_and_what_was_typed_comes_back(notebook):
    root = shown(notebook)
    menu, script = root.get_by_role("combobox", name="Start from"), area(root, "script")
    script.fill('["mine"')
    expect(menu).to_have_value("Your text 1")
    menu.select_option("An endless loop")
    expect(root.locator(".lab-root")).to_contain_text("of at most 4")
    expect(root.locator(".pg-edit-script .pg-gutter div")).to_have_count(11)
    menu.select_option("Your text 1")
    expect(script).to_have_value('["mine"')
    expect(root.locator(".pg-before")).to_contain_text("The run below is of the text before.")


def test_the_code_is_shown_and_copied(notebook):
    root = shown(notebook)
    root.get_by_role("button", name="Next").click()
    expect(root.locator(".lab-root")).to_contain_text("Call 1 of at most 10")
    root.get_by_role("button", name="Copy all as code").click()
    code = root.locator(".pg-code textarea")
    expect(code).to_be_visible()
    expect(root.locator(".pg-status")).to_contain_text("The code of this run is copied.")
    assert "ScriptedResults(['5'])" in code.input_value()


def test_running_the_cell_again_begins_with_the_given_texts(notebook):
    root = shown(notebook)
    area(root, "script").fill('["mine"]')
    expect(root.locator(".pg-before")).to_contain_text("of the text before")
    notebook.run_all()
    expect(area(shown(notebook), "script")).to_have_value(EXAMPLES["One tool"].script)
    expect(notebook.cell(0).locator(".lab-playground")).to_have_count(1)


@pytest.mark.parametrize("theme", list(THEMES))
@pytest.mark.parametrize("width", [1500, 700])
def test_it_can_be_read_in_each_theme_and_where_there_is_little_room(open_notebook, pictures, theme, width):
    notebook = open_notebook(CELLS, width=width, height=1200)
    notebook.theme(theme)
    root = shown(notebook)
    area(root, "script").fill('[\n  {"contnt": 5,}\n  "five"\n]')
    expect(root.locator(".pg-edit-script .pg-errors button")).to_have_count(3)
    assert root.evaluate(LOW_CONTRAST) == []
    box = root.bounding_box()
    for part in ("prompt", "script", "tools"):
        inner = area(root, part).bounding_box()
        assert inner["width"] > 250
        assert inner["x"] + inner["width"] <= box["x"] + box["width"] + 1
    assert root.evaluate("(node) => node.scrollWidth <= node.clientWidth + 1")
    root.screenshot(path=pictures / f"playground-{theme}-{width}.png")
    assert notebook.problems == []

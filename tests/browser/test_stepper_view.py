import re

import pytest
from playwright.sync_api import Locator, expect

SHOP = """
from minagent_lab import FakeModel, Message, ModelResponse, Stepper, StepperView, Tool, ToolCall, ToolRegistry, step

number = {"type": "number"}
schema = {"type": "object", "properties": {"a": number, "b": number}, "required": ["a", "b"]}
registry = ToolRegistry()
registry.add(Tool("add", "Sum (相加)", schema, lambda a, b: a + b))
SCRIPT = [[ToolCall("c1", "add", {"a": 2, "b": 3})], [ToolCall("c2", "add", {"a": 5, "b": 4})], "答案是 9。"]
models = []

def open_stepper(script=SCRIPT, prompt="2+3+4?", **options):
    models.append(FakeModel(script))
    return step(models[-1], registry, prompt, **options)
"""
MOUSE, KEYS, SLIDER, AGAIN, GUARD, PLAY, ATTACK, PAIR, END = range(1, 10)
CELLS = [
    SHOP,
    "open_stepper()",
    "open_stepper()",
    "open_stepper(at=2)",
    "open_stepper()",
    "open_stepper()",
    "open_stepper()",
    """open_stepper([[ToolCall("<b>", "<i>", {"x": "<img src=x onerror=alert(1)>"})], "<script>alert(2)</script>"],
             "<img src=x onerror=alert(3)>", system="</li><h1>system", at="end")""",
    """from IPython.display import display
shared = Stepper(FakeModel(SCRIPT), registry, "two views")
display(StepperView(shared), StepperView(shared))""",
    "open_stepper(at='end')",
]


@pytest.fixture(scope="module")
def notebook(open_notebook):
    return open_notebook(CELLS)


def shows(view: Locator, call: int) -> None:
    expect(view.locator(".lab-pos")).to_have_text(re.compile(f"^Call {call} of" if call else "^Before call 1 "))


def press(view: Locator, name: str) -> None:
    view.locator(f".lab-{name}").click()


def test_next_makes_one_call_per_click_and_back_makes_none(notebook):
    view = notebook.view(MOUSE)
    shows(view, 0)
    for call in (1, 2):
        press(view, "next")
        shows(view, call)
    press(view, "back")
    shows(view, 1)
    press(view, "last")
    shows(view, 2)
    press(view, "first")
    shows(view, 0)
    assert notebook.ask_kernel("len(models[0].calls)") == "2"


def test_new_messages_are_marked_in_words(notebook):
    view = notebook.view(END)
    rows = view.locator(".lab-msg:visible")
    expect(rows).to_have_count(6)
    for row in range(6):
        mark = rows.nth(row).locator(".lab-new")
        expect(mark).to_have_text("NEW")
        expect(mark).to_be_visible(visible=row > 3)


@pytest.mark.parametrize("focus", ["root", "next"])
def test_each_key_moves_as_it_says(notebook, focus):
    view = notebook.view(KEYS)
    target = view if focus == "root" else view.locator(".lab-next")
    target.focus()
    notebook.page.keyboard.press("Home")
    shows(view, 0)
    for key, call in [("ArrowRight", 1), ("PageDown", 2), ("ArrowLeft", 1), ("PageUp", 0), ("End", 2), ("Home", 0)]:
        notebook.page.keyboard.press(key)
        shows(view, call)


def test_enter_on_the_focused_button_steps_and_the_focus_stays(notebook):
    view = notebook.view(AGAIN)
    view.locator(".lab-next").focus()
    for call in (1, 2, 3):
        notebook.page.keyboard.press("Enter")
        shows(view, call)
    notebook.page.keyboard.press("Enter")
    expect(view.locator(".lab-now")).to_contain_text("This is the last call")
    expect(view.locator(".lab-next")).to_be_focused()
    expect(view.locator(".lab-next")).to_have_attribute("aria-disabled", "true")


def test_single_key_shortcuts_of_the_notebook_do_not_fire_in_the_view(notebook):
    view, cells = notebook.view(GUARD), notebook.cells()
    source = notebook.cell(GUARD).locator(".jp-InputArea").inner_text()
    for focus in (view, view.locator(".lab-next"), view.locator(".lab-hist")):
        focus.focus()
        for key in ["d", "d", "a", "b", "m", "x", "0", "0", "ArrowDown", "ArrowUp", "Shift+Enter"]:
            notebook.page.keyboard.press(key)
    assert notebook.cells() == cells
    assert notebook.cell(GUARD).locator(".jp-InputArea").inner_text() == source
    expect(view).to_be_visible()
    shows(view, 0)


def test_the_slider_shows_recorded_calls_and_snaps_back_from_others(notebook):
    view = notebook.view(SLIDER)
    knob = view.locator("[role=slider]")
    expect(knob).to_have_attribute("aria-label", "Call shown")
    knob.focus()
    notebook.page.keyboard.press("ArrowLeft")
    shows(view, 1)
    expect(knob).to_have_attribute("aria-valuetext", "call 1 of at most 10")
    notebook.page.keyboard.press("End")  # the slider's own key: its far end, which is not recorded
    shows(view, 2)
    expect(knob).to_have_attribute("aria-valuenow", "2.0")
    assert notebook.ask_kernel("len(models[2].calls)") == "2"


def test_a_cell_that_is_run_again_steps_once_per_click(notebook):
    for _ in range(2):
        notebook.cell(MOUSE).locator(".jp-InputArea").click()
        notebook.command("notebook:run-cell")
        notebook.wait_idle()
    view = notebook.view(MOUSE)
    shows(view, 0)
    press(view, "next")
    shows(view, 1)
    assert notebook.ask_kernel("len(models[-1].calls)") == "1"


def test_play_runs_to_the_end_and_stops(notebook):
    view = notebook.view(PLAY)
    view.locator(".lab-speed select").select_option("2 calls per second")
    press(view, "play")
    expect(view.locator(".lab-play")).to_have_text("Pause")
    expect(view.locator(".lab-now")).to_contain_text("Finished", timeout=10_000)
    expect(view.locator(".lab-play")).to_have_text("Play")
    shows(view, 3)


def test_text_of_models_and_tools_shows_as_text(notebook):
    view = notebook.view(ATTACK)
    expect(view.locator(".lab-msg.user")).to_contain_text("<img src=x onerror=alert(3)>")
    expect(view.locator(".lab-end .big")).to_have_text("<script>alert(2)</script>")
    assert view.locator("img, script, h1, i:not(.new):not(.old)").count() == 0
    assert not [problem for problem in notebook.problems if problem.startswith("dialog")]


def test_two_views_of_one_stepper_agree(notebook):
    views = notebook.cell(PAIR).locator(".lab-root")
    expect(views).to_have_count(2)
    press(views.nth(0), "next")
    press(views.nth(1), "next")
    for which in (0, 1):
        shows(views.nth(which), 2)


def test_the_live_region_is_one_node_that_says_each_step(notebook):
    view = notebook.view(END)
    region = view.locator("[role=status]")
    expect(region).to_have_count(1)
    before = region.element_handle()
    press(view, "back")
    expect(region).to_contain_text("Next shows call 3, recorded")
    assert region.evaluate("(now, before) => now === before", before)
    press(view, "next")
    expect(region).to_contain_text("Finished.")


def test_nothing_complains_on_the_console(notebook):
    assert notebook.problems == []


@pytest.mark.parametrize("theme", ["light", "dark", "contrast"])
def test_text_can_be_read_in_each_theme(notebook, theme, pictures):
    notebook.theme(theme)
    view = notebook.view(END)
    faint = view.evaluate(FAINT_TEXT)
    view.scroll_into_view_if_needed()
    view.screenshot(path=pictures / f"stepper-{theme}.png")
    assert faint == []


FAINT_TEXT = """root => {
  const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  const rgb = color => {
    canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = color; canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const over = (top, below) => top.slice(0, 3).map((c, i) => c * top[3] / 255 + below[i] * (1 - top[3] / 255));
  const light = c => c.map(v => v / 255).map(v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const background = node => {
    const layers = [];
    for (let n = node; n; n = n.parentElement) layers.push(rgb(getComputedStyle(n).backgroundColor));
    return layers.reverse().reduce((below, layer) => over(layer, below), [255, 255, 255]);
  };
  const faint = [];
  for (const node of root.querySelectorAll('*')) {
    const own = [...node.childNodes].some(child => child.nodeType === 3 && child.textContent.trim());
    if (!own || !node.checkVisibility()) continue;
    const below = background(node), ink = over(rgb(getComputedStyle(node).color), below);
    const [a, b] = [light(ink), light(below)].sort((x, y) => y - x), ratio = (a + 0.05) / (b + 0.05);
    if (ratio < 4.5) faint.push(`${ratio.toFixed(2)} ${node.className} ${node.textContent.slice(0, 30)}`);
  }
  return faint;
}"""


def test_a_notebook_that_was_saved_shows_the_call_when_it_is_opened_without_running(open_notebook, lab):
    first = open_notebook([SHOP, "open_stepper(at=1)"])
    expect(first.view(1).locator(".lab-next")).to_be_visible()
    first.command("docmanager:save")
    saved = (lab[1] / first.name).read_text(encoding="utf-8")
    again = lab[1] / f"copy-of-{first.name}"
    again.write_text(saved.replace("application/vnd.jupyter.widget-view+json", "text/x-dropped"), encoding="utf-8")
    opened = open_notebook(again, run=False)
    output = opened.cell(1).locator(".jp-OutputArea-output").last
    expect(output).to_contain_text("Call 1 of at most 10")
    expect(output).to_contain_text("[c1] add")
    assert output.locator("button, [role=slider]").count() == 0


def test_stepping_works_where_the_panel_cannot_load(open_notebook):
    notebook = open_notebook([SHOP + "\nfrom minagent_lab.views.panel import Panel\nPanel._esm = 'export default {'",
                              "open_stepper()"])  # fmt: skip
    output = notebook.cell(1).locator(".jp-OutputArea-output").last
    expect(output).to_contain_text("Nothing has been asked yet")
    output.get_by_role("button", name="Next").click()
    expect(output).to_contain_text("What it replied: [c1] add")


STATES = [
    "open_stepper(at=2)",
    "view = open_stepper(at=1, predict=True); view.guess(0); view",
    "open_stepper(at=2, present=True)",
    "view = open_stepper(at='end'); view.fork(2, item='1'); view.run_until('end'); _ = view.compare(); view",
    "view = open_stepper(at=1); view.open_pane('fork'); view",
]


@pytest.mark.parametrize("width", [1400, 700])
@pytest.mark.parametrize("zoom", [1, 2])
def test_nothing_sticks_out_of_the_view(open_notebook, width, zoom, pictures):
    notebook = open_notebook([SHOP, *STATES], width=width, height=1100, zoom=zoom)
    view = notebook.view(1)
    shows(view, 2)
    view.screenshot(path=pictures / f"stepper-{width}-zoom{zoom}.png")
    for number, state in enumerate(STATES, 1):
        view = notebook.view(number)
        expect(view.locator(".lab-pos")).to_contain_text("Call ")
        sticking = view.evaluate("""root => [...root.querySelectorAll('*')].filter(node => {
          const box = node.getBoundingClientRect(), frame = root.getBoundingClientRect();
          const scrolls = node.closest('.lab-src, .lab-hist, .lab-script .t');
          if (scrolls || !node.checkVisibility()) return false;
          return box.width && (box.right > frame.right + 1 || box.left < frame.left - 1);
        }).map(node => node.outerHTML.slice(0, 80))""")
        assert sticking == [], state


def test_the_view_keeps_its_height_from_start_to_end(open_notebook):
    notebook = open_notebook([SHOP, "open_stepper()"], height=1100)
    view = notebook.view(1)
    heights = []
    for call in range(4):
        shows(view, call)
        heights.append(view.bounding_box()["height"])
        if call < 3:
            press(view, "next")
    assert max(heights) - min(heights) <= 1


@pytest.mark.parametrize("width", [1400, 700])
def test_the_reply_stands_right_under_what_was_sent(open_notebook, width):
    notebook = open_notebook([SHOP, "open_stepper(at=1)", "open_stepper(SCRIPT[:1] * 30, max_steps=40, at=30)"],
                             width=width, height=1100)  # fmt: skip
    for number in (1, 2):
        view = notebook.view(number)
        row = view.locator(".lab-msg:visible").last.bounding_box()
        reply = view.locator(".lab-replied").bounding_box()
        assert 0 <= reply["y"] - row["y"] - row["height"] < 8
        assert view.locator(".lab-hist").bounding_box()["height"] < 500


def test_the_axis_has_a_limit_where_the_run_tells_one(open_notebook):
    opened = "from minagent_lab import open_run, run\nStepperView(open_run(run(FakeModel(SCRIPT), registry, '2+3+4?')))"
    notebook = open_notebook([SHOP, opened, "open_stepper()"])
    for number, shown in ((1, False), (2, True)):
        view = notebook.view(number)
        expect(view.locator(".lab-wall")).to_be_visible(visible=shown)
        label = view.locator(".lab-slider").evaluate("node => getComputedStyle(node, '::after').content")
        assert label == ('"limit"' if shown else "none")

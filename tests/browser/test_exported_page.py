"""An exported page, opened from the disk without any network."""

import re

import pytest
from playwright.sync_api import expect

from minagent_lab import FakeModel, Stepper, Tool, ToolCall, ToolRegistry
from minagent_lab.views.exporting import export

axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="the browser tests need axe (group: test)")


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    registry = ToolRegistry()
    registry.add(Tool("look", "看", {"type": "object"}, lambda **_: "很长的结果。" * 100))
    script = [[ToolCall("c1", "look", {"city": "北京"})], [ToolCall("c2", "look", {"long": "x" * 300})], "<b>好。</b>"]
    walk = Stepper(FakeModel(script), registry, "北京现在几度？")
    walk.run_to_end()
    return export(walk, tmp_path_factory.mktemp("page") / "run.html")


@pytest.fixture
def opened(browser, path):
    pages = []

    def open_page(**options):
        context = browser.new_context(offline=True, **options)
        pages.append(context)
        page = context.new_page()
        page.problems, page.asked = [], []
        page.on("console", lambda message: page.problems.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: page.problems.append(str(error)))
        page.on("request", lambda request: page.asked.append(request.url))
        page.goto(path.as_uri())
        return page

    yield open_page
    for context in pages:
        context.close()


def test_it_asks_nobody_for_anything(opened, path):
    page = opened()
    assert page.asked == [path.as_uri()]
    assert page.problems == []


def test_without_its_script_all_calls_can_be_read(opened):
    page = opened(java_script_enabled=False)
    expect(page.locator("section:visible")).to_have_count(3)
    expect(page.locator("nav")).to_be_hidden()
    expect(page.locator("body")).to_contain_text("Finished at call 3")


def test_keys_and_buttons_step_through_the_calls(opened):
    page = opened()
    expect(page.locator("section:visible")).to_have_count(3)
    page.keyboard.press("ArrowRight")
    shown = page.locator("section:visible")
    expect(shown).to_have_count(1)
    expect(page.locator("[role=status]")).to_have_text("Call 1")
    page.keyboard.press("End")
    expect(shown).to_contain_text("Call 3 of at most 10")
    page.get_by_role("button", name="Back").click()
    expect(shown).to_contain_text("Call 2 of at most 10")
    page.get_by_role("button", name="Show all").click()
    expect(page.locator("section:visible")).to_have_count(3)


@pytest.mark.parametrize("width", [1400, 700, 360])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_and_nothing_sticks_out(opened, scheme, width, pictures):
    page = opened(color_scheme=scheme, viewport={"width": width, "height": 900})
    found = axe.Axe().run(page).response["violations"]
    assert [f"{one['id']}: {node['html'][:150]}" for one in found for node in one["nodes"]] == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.screenshot(path=pictures / f"page-{scheme}-{width}.png", full_page=True)
    background = page.evaluate("getComputedStyle(document.querySelector('main')).backgroundColor")
    assert (sum(map(int, re.findall(r"\d+", background))) > 600) == (scheme == "light")

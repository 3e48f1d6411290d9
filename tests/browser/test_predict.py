"""Predict mode and the view for an audience in the real JupyterLab."""

import pytest
from playwright.sync_api import expect

from .shop import SHOP, press, says, shows

MOUSE, KEYS, PLAY, AUDIENCE = range(1, 5)


@pytest.fixture(scope="module")
def notebook(open_notebook):
    cells = ["open_stepper(predict=True)"] * 3 + ["open_stepper(at=1, present=True)"]
    return open_notebook([SHOP, *cells])


def choose(view, text):
    view.locator(".lab-choice", has_text=text).locator("input").check()
    press(view, "check")


def states(view):
    return view.locator(".lab-script .w").all_inner_texts()


def test_next_opens_after_the_answer_and_each_choice_then_has_its_reason(notebook):
    view = notebook.view(MOUSE)
    expect(view.locator(".lab-next")).to_have_attribute("aria-disabled", "true")
    view.locator(".lab-next").focus()
    notebook.page.keyboard.press("Enter")
    says(view, "First answer the question")
    shows(view, 0)
    choose(view, "It answers with text")
    expect(view.locator(".lab-why")).to_have_count(1)
    expect(view.locator(".lab-ask")).to_contain_text("try 2 of 2")
    choose(view, "It asks for add")
    expect(view.locator(".lab-why")).to_have_count(4)
    expect(view.locator(".lab-ask")).to_contain_text("Yes, your 2nd try.")
    press(view, "next")
    shows(view, 1)
    expect(view.locator(".lab-ask")).to_contain_text("Call 2 comes next")


def test_items_to_come_are_hidden_until_the_answer_and_then_only_the_next_one_is_shown(notebook):
    view = notebook.view(PLAY)
    assert states(view) == ["hidden"] * 4
    assert "add" not in view.locator(".lab-script").inner_text()
    choose(view, "It asks for add")
    expect(view.locator(".lab-script .w").first).to_have_text("next")
    assert states(view) == ["next", "hidden", "hidden", "hidden"]
    assert "sub" not in view.locator(".lab-script").inner_text()
    assert view.locator(".lab-script [title*=sub]").count() == 0


def test_play_stops_at_a_question(notebook):
    view = notebook.view(PLAY)
    press(view, "play")
    shows(view, 1)
    says(view, "Paused: a question waits.")
    expect(view.locator(".lab-play")).to_have_text("Play")


def test_a_question_is_answered_by_keyboard_alone(notebook):
    view, keys = notebook.view(KEYS), notebook.page.keyboard
    view.locator(".lab-ask input").first.focus()
    keys.press("Space")
    keys.press("Enter")
    expect(view.locator(".lab-ask")).to_contain_text("try 2 of 2")
    expect(view.locator(".lab-ask input:focus")).to_have_count(1)
    keys.press("ArrowDown")
    keys.press("Tab")
    expect(view.locator(".lab-check")).to_be_focused()
    keys.press("Enter")
    expect(view.locator(".lab-go")).to_be_focused()
    keys.press("Enter")
    shows(view, 1)
    expect(view.locator(".lab-ask input:focus")).to_have_count(1)
    assert notebook.ask_kernel("len(models[1].calls)") == "1"


def test_two_questions_in_one_page_do_not_share_their_radio_buttons(notebook):
    first, second = notebook.view(MOUSE), notebook.view(PLAY)
    first.locator(".lab-ask input").nth(0).check()
    second.locator(".lab-ask input").nth(1).check()
    expect(first.locator(".lab-ask input").nth(0)).to_be_checked()


def test_an_audience_sees_the_script_when_it_is_revealed(notebook):
    view, keys = notebook.view(AUDIENCE), notebook.page.keyboard
    assert states(view) == ["this call", "hidden", "hidden", "hidden"]
    press(view, "reveal")
    expect(view.locator(".lab-script .next")).to_contain_text("sub")
    view.focus()
    for key in ("b", ".", "r"):  # a clicker's keys for a black screen, and R
        before = states(view)
        keys.press(key)
        expect(view.locator(".lab-script .hid")).to_have_count(5 - before.count("hidden"))


def test_a_clickers_keys_step_and_nothing_reloads_the_page(notebook):
    view, keys, cells = notebook.view(AUDIENCE), notebook.page.keyboard, notebook.cells()
    view.focus()
    keys.press("F5")
    keys.press("Shift+F5")
    keys.press("PageDown")
    shows(view, 2)
    keys.press("PageUp")
    shows(view, 1)
    assert notebook.cells() == cells


def test_nothing_complains_on_the_console(notebook):
    assert notebook.problems == []

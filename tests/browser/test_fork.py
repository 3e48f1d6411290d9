"""Fork, compare, run until, code and files in the real JupyterLab."""

import pytest
from playwright.sync_api import expect

from .shop import SHOP, press, says, shows

EDIT, UNTIL, COPY, EXPORT, PAIRS, PRINTED = range(1, 7)


@pytest.fixture(scope="module")
def notebook(open_notebook):
    cells = ["open_stepper(at=2)", "open_stepper()", "open_stepper(at=1)", "open_stepper(at='end')"]
    many = "[[ToolCall(f'c{n}', 'sub', {'a': n, 'b': 1}) for n in range(30)], 'done']"
    cells += ["open_stepper(at='end')", f"open_stepper({many})"]
    return open_notebook([SHOP, *cells])


def field(view):
    return view.locator(".lab-forking textarea:visible").first


def test_a_fork_says_at_the_field_what_is_wrong(notebook):
    view = notebook.view(EDIT)
    press(view, "fork")
    expect(view.locator(".lab-forking select").first).to_be_focused()
    press(view, "make")
    expect(view.locator(".lab-problem")).to_contain_text("nothing is changed yet")
    field(view).fill('[{"id": "c2" "name": "sub"}]')
    press(view, "make")
    expect(view.locator(".lab-problem")).to_contain_text("line 1, column 14")
    assert view.locator(".lab-branches").is_hidden()


def test_a_fork_makes_a_branch_and_the_first_one_stays(notebook):
    view = notebook.view(EDIT)
    field(view).fill('[{"id": "c2", "name": "sub", "arguments": {"a": 5, "b": 4}}]')
    press(view, "make")
    expect(view.locator(".lab-branch-B")).to_have_attribute("aria-pressed", "true")
    expect(view.locator(".lab-forking")).to_be_hidden()
    shows(view, 1)
    press(view, "next")
    shows(view, 2)
    expect(view.locator(".lab-answers")).to_contain_text("ran sub and got 1")
    press(view, "branch-A")
    shows(view, 2)
    expect(view.locator(".lab-answers")).to_contain_text("whose arguments do not fit")


def test_two_branches_are_compared(notebook):
    view = notebook.view(EDIT)
    press(view, "compare")
    compared = view.locator(".lab-comparison")
    expect(compared).to_contain_text("They part at call 2: item 2 edited.")
    expect(compared).to_contain_text("Messages 1–3 are the same in both branches.")
    expect(view.locator(".lab-hist")).to_be_hidden()
    expect(compared.locator(".lab-two .lab-diff")).to_have_count(2)
    press(view, "next")
    expect(compared.locator("tr", has_text="messages, last call")).to_contain_text("DIFFERS")
    press(view, "compare")
    expect(view.locator(".lab-hist")).to_be_visible()


def test_run_until_stops_at_what_was_chosen(notebook):
    view = notebook.view(UNTIL)
    view.locator(".lab-until select").select_option("next error")
    press(view, "run")
    shows(view, 2)
    says(view, "Stopped here: error.")
    view.locator(".lab-until select").select_option("next cut answer")
    press(view, "run")
    shows(view, 4)
    says(view, "The run ended before the next cut answer.")


def test_the_code_is_copied(notebook):
    notebook.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    view = notebook.view(COPY)
    press(view, "code")
    press(view, "copy")
    says(view, "Copied.")
    assert "FakeModel(script), registry, '2+3-4?', at=1)" in notebook.page.evaluate("navigator.clipboard.readText()")


def test_where_the_clipboard_is_not_to_be_had_the_code_is_selected(notebook):
    view = notebook.view(COPY)
    notebook.page.evaluate("() => navigator.clipboard.writeText = () => Promise.reject()")
    press(view, "copy")
    says(view, "The code is selected")
    assert view.locator(".lab-panes textarea").evaluate("node => node.selectionEnd - node.selectionStart") > 100


def test_a_file_is_written_beside_the_notebook_and_never_twice_to_one_name(notebook, lab):
    view = notebook.view(EXPORT)
    press(view, "export")
    before = {path.name for path in lab[1].iterdir()}
    for name in ("HTML page", "HTML page", "Markdown", "JSON"):
        view.get_by_role("button", name=name).click()
        notebook.wait_idle()
    expect(view.locator(".lab-pane:visible")).to_contain_text("Written: run-1.json")
    made = {path.name for path in lab[1].iterdir()} - before
    assert made == {"run-1.html", "run-2.html", "run-1.md", "run-1.json"}


def test_a_pane_gives_the_focus_back_when_it_is_closed(notebook):
    view, keys = notebook.view(EXPORT), notebook.page.keyboard
    view.locator(".lab-export").focus()
    keys.press("Enter")
    expect(view.locator(".lab-export")).to_have_attribute("aria-expanded", "false")
    expect(view.locator(".lab-export")).to_be_focused()
    keys.press("Enter")
    expect(view.get_by_role("button", name="HTML page")).to_be_focused()


def test_a_call_and_its_result_are_marked_together(notebook):
    view = notebook.view(PAIRS)
    row = view.locator(".lab-msg", has_text="result 5")
    row.locator(".lab-id").hover()
    expect(view.locator(".lab-id.lab-pair")).to_have_text(["c1 ", "c1 "])
    assert row.locator(".n").evaluate("node => getComputedStyle(node, '::before').content") == '"pair"'
    assert row.locator(".lab-id").evaluate("node => getComputedStyle(node).outlineStyle") == "solid"


def test_an_id_leads_by_keyboard_from_the_call_to_its_result(notebook):
    view, keys = notebook.view(PAIRS), notebook.page.keyboard
    view.locator(".lab-hist").focus()
    ids = view.locator(".lab-rows .lab-id[tabindex='0']")
    expect(ids).to_have_count(1)
    ids.focus()
    expect(ids).to_have_attribute("aria-label", "c3: its call is in message 6; Enter goes there")
    keys.press("Enter")
    focused = view.locator(".lab-id:focus")
    expect(focused).to_have_attribute("aria-label", "c3: its result is message 7; Enter goes there")
    keys.press("ArrowUp")
    expect(view.locator(".lab-id:focus")).to_contain_text("c2")
    shows(view, 4)


def test_many_parallel_calls_are_folded_with_their_number_and_what_they_print_is_shown(notebook):
    view = notebook.view(PRINTED)
    press(view, "next")
    shows(view, 1)
    answer = view.locator(".lab-answers")
    expect(answer.locator(".lab-then > details")).to_contain_text("and 18 more calls")
    expect(answer.locator(".lab-said > .lab-call:visible")).to_have_count(12)
    expect(answer.locator(".lab-printed").first).to_contain_text("sub printed: counting down")


def test_nothing_complains_on_the_console(notebook):
    assert notebook.problems == []

"""A check's report, a prediction and a quiz in the real JupyterLab."""

import pytest
from playwright.sync_api import expect

CELLS = [
    """from minagent_lab.course import check, predict, quiz
check("3.2", lambda turns, system=False: [1])""",
    'predict("03", 1)',
    'quiz("03")',
]
CHECK, PREDICT, QUIZ = range(3)


@pytest.fixture(scope="module")
def notebook(open_notebook):
    return open_notebook(CELLS)


def output(notebook, number):
    shown = notebook.cell(number).locator(".jp-OutputArea-output").first
    shown.scroll_into_view_if_needed()
    return shown


def test_a_report_gives_hints_one_at_a_time_and_then_a_solution(notebook):
    shown = output(notebook, CHECK)
    expect(shown).to_contain_text("3.2 Predict the growth")
    for number in (1, 2, 3):
        shown.get_by_role("button", name=f"Hint {number} of 3").click()
        expect(shown.locator("[role=log]")).to_contain_text(f"Hint {number} of 3 for 3.2")
    shown.get_by_role("button", name="Show a solution").click()
    expect(shown.locator("[role=log] pre")).to_contain_text("def messages_per_call")


def test_a_prediction_tells_what_was_right_only_after_compare(notebook):
    shown = output(notebook, PREDICT)
    expect(shown).not_to_contain_text("✓")
    shown.get_by_role("radio").nth(2).check()
    expect(shown.locator("[role=status]")).to_contain_text("You predict c. Run the next cell and look. Then compare.")
    expect(shown).not_to_contain_text("✓")
    shown.get_by_role("button", name="Compare").click()
    expect(shown.locator("[role=status] li")).to_have_count(3)
    expect(shown.locator("[role=status]")).to_contain_text("✓")
    expect(shown.get_by_role("radio").nth(0)).to_be_disabled()


def test_a_quiz_gives_a_reason_for_each_choice(notebook):
    shown = output(notebook, QUIZ)
    shown.get_by_role("radio").first.check()
    expect(shown.locator("[role=status]").first).to_contain_text(".")
    expect(shown).to_contain_text("1 answered")


def test_the_notebooks_shortcuts_stay_away_from_it(notebook):
    before = notebook.cells()
    shown = output(notebook, QUIZ)
    shown.get_by_role("radio").first.focus()
    for _ in range(2):
        notebook.page.keyboard.press("d")
    notebook.page.wait_for_function("() => true")
    assert notebook.cells() == before
    assert notebook.problems == []

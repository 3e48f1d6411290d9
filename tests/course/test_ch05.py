"""Chapter 05: the loop that its notebook edits is the one that its exercises edit."""

from pathlib import Path

import nbformat

from minagent_lab.course import ch05

NOTEBOOK = Path(__file__).parents[2] / "notebooks" / "05_asserting_on_calls.ipynb"


def test_the_loop_of_the_notebook_is_that_of_the_exercises():
    cells = [cell.source for cell in nbformat.read(NOTEBOOK, 4).cells]
    assert [ch05.LOOP in cell for cell in cells].count(True) == 1


def test_the_agent_with_a_message_of_its_own_is_another_one():
    assert ch05.OWN_NOTE != ch05.LOOP

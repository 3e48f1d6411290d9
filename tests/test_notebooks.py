"""The chapters keep their rules. What they compute is compared by nbval, not here."""

from collections import Counter
from pathlib import Path

import pytest
from notebook_rules import RULES, Chapter

NOTEBOOKS = sorted((Path(__file__).parent.parent / "notebooks").glob("*.ipynb"))


def test_there_are_notebooks():
    assert NOTEBOOKS, "notebooks/ holds no chapter"


def test_no_two_chapters_have_one_number():
    counts = Counter(path.name[:2] for path in NOTEBOOKS)
    assert [number for number, times in counts.items() if times > 1] == []


@pytest.mark.parametrize("rule", RULES, ids=[rule.__name__ for rule in RULES])
@pytest.mark.parametrize("path", NOTEBOOKS, ids=[path.stem for path in NOTEBOOKS])
def test_the_chapter(path, rule):
    broken = list(rule(Chapter(path, path.read_bytes())))
    assert not broken, "\n".join([f"{path.name} breaks a rule: {rule.__doc__}", *broken])

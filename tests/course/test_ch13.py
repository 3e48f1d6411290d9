"""A rate of another type than a float is told to be one."""

from decimal import Decimal
from fractions import Fraction

import pytest

from minagent_lab.course.ch13 import TALLY
from minagent_lab.course.report import report_on

RIGHT = TALLY.made_by(TALLY.solution)


def line_of(rate):
    def tally(outcomes):
        *counts, right = RIGHT(outcomes)
        return *counts, right if right is None else rate(counts)

    return report_on(TALLY, tally).lines[0]


@pytest.mark.parametrize("rate", [lambda c: Fraction(c[1], c[0]), lambda c: Decimal(c[1]) / c[0]])
def test_a_fraction_is_told_to_be_a_float(rate):
    line = line_of(rate)
    assert not line.passed
    assert line.reason.startswith("for 3 passed, 1 failed, the rate is ")
    assert line.reason.endswith("; write a float, as `passed / n` gives it")


def test_a_float_is_none_of_this():
    assert line_of(lambda c: c[1] / c[0]).passed

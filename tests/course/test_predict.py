"""Asking for a prediction by its number."""

import pytest

from minagent_lab.course import predict


@pytest.mark.parametrize("name", [("03", 0), ("03", 99), ("99", 1), (3, 1), ("03", "1"), ("03", True), (None, None)])
def test_a_prediction_that_does_not_exist_gets_a_note(name):
    assert "There is no prediction" in repr(predict(*name))

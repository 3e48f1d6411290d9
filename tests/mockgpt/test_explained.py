import re

import pytest

from minagent_lab import Message
from minagent_lab.mockgpt import MockError, MockGPT, Rule, responses


def lines(mock, request):
    return mock.explain(request).text().splitlines()


def test_the_first_rule_that_fits_answers_and_a_later_one_is_said_to_be_shadowed():
    mock = MockGPT([Rule(prompt="price", generator="Which?"), Rule(prompt="tea", generator="12")])

    assert lines(mock, "price of tea") == [
        "Rule 1 answers.",
        "   prompt 'price of tea'",
        "rule 1 answers",
        "   ✓ prompt: 'price of tea' contains 'price'",
        "rule 2 would fit, but rule 1 comes first",
        "   ✓ prompt: 'price of tea' contains 'tea'",
    ]
    assert mock.explain("tea").winner == 2


def test_the_request_is_described_as_far_as_it_says_something():
    tool = {"name": "price", "description": "", "parameters": {"type": "object"}}
    said = [Message("user", "tea"), Message("assistant", "12"), Message("user", "cake")]
    mock = MockGPT([], fallback="?")

    assert lines(mock, {"model": "demo", "messages": said, "tools": [tool]}) == [
        "No rule fits, so the fallback answers.",
        "   prompt 'cake', model 'demo', tools price, turn 1",
    ]


def test_nobody_answers_without_a_rule_that_fits_and_a_fallback():
    explained = MockGPT([Rule(prompt=re.compile("^tea"), generator="12")]).explain("cake")

    assert explained.winner is None
    assert explained.headline.endswith("MOCK_RULE_NOT_FOUND.")


@pytest.mark.parametrize("when", [lambda r: r.results[0], lambda r: 1 / 0])
def test_a_filter_that_raises_behind_the_rule_that_answers_is_shown_and_stops_nothing(when):
    mock = MockGPT([Rule(prompt="tea", generator="12"), Rule(when=when, generator="?")])

    explained = mock.explain("tea")
    assert explained.winner == 1
    assert explained.verdicts[1][0].raised
    assert mock.generate("tea") == "12"


def test_a_filter_that_raises_before_any_rule_fits_is_where_it_ends():
    mock = MockGPT([Rule(when=lambda r: r.results[0], generator="?"), Rule(generator="12")])

    explained = mock.explain("tea")
    assert explained.winner is None
    assert explained.headline == "Nobody answers: rule 1 cannot be asked. MOCK_FILTER_FAILED."
    assert "when: raised IndexError" in explained.text()
    with pytest.raises(MockError, match="MOCK_FILTER_FAILED"):
        mock.generate("tea")


def test_a_filter_that_is_never_asked_does_not_hide_that_no_rule_fits():
    mock = MockGPT([Rule(prompt="tea", when=lambda r: r.results[0], generator="12")])

    with pytest.raises(MockError, match="MOCK_RULE_NOT_FOUND"):
        mock.generate("cake")


def test_the_html_is_escaped_and_says_what_each_rule_answers():
    mock = MockGPT([Rule(prompt="<b>", generator="<i>"), Rule(generator=len), Rule(generator=lambda r: "x")])

    html = mock.explain("<b>")._repr_mimebundle_()["text/html"]
    assert "<i>" not in html
    assert "&lt;i&gt;" in html
    assert "len(request)" in html
    assert "a function" in html


def test_explaining_uses_nothing_up():
    mock = MockGPT([Rule(generator=responses.sequence("first", "second"))])

    mock.explain("tea")
    assert mock.generate("tea") == "first"
    assert mock.counts["total"] == 1


def test_a_pattern_is_shown_as_one_writes_it():
    rule = Rule(prompt=re.compile(r"\btea\b"), generator="12")

    assert repr(rule) == r"<Rule prompt=re.compile(r'\btea\b')>"
    assert MockGPT([rule]).explain("tea").verdicts[0][0].why == r"r'\btea\b' is found in 'tea'"

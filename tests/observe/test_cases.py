import dataclasses

import pytest

from minagent_lab.observe.cases import EvalCase, checked_cases
from minagent_lab.observe.matchers import equals


def case(id="a", **more):
    return EvalCase(**{"id": id, "prompt": "2 + 3?", "expect": equals("5"), **more})


@pytest.mark.parametrize(
    ("wrong", "kind", "words"),
    [
        ({"id": ""}, ValueError, "EvalCase.id is empty"),
        ({"id": 5}, TypeError, "EvalCase.id is 5"),
        ({"prompt": None}, TypeError, "case a: prompt is None"),
        ({"prompt": "\ud800"}, ValueError, "half of a character"),
        ({"category": None}, TypeError, "case a: category is None"),
        ({"system": 5}, TypeError, "case a: system is 5"),
        ({"max_steps": 0}, ValueError, "case a: max_steps is 0"),
        ({"max_steps": True}, ValueError, "case a: max_steps is True"),
        ({"expect": "5"}, TypeError, r"case a: expect is text; say what is meant: equals\('5'\) or contains\('5'\)"),
        ({"expect": None}, TypeError, "case a: expect is None; write a matcher"),
    ],
)
def test_a_case_that_is_none_is_refused_where_it_is_written(wrong, kind, words):
    with pytest.raises(kind, match=words):
        case(**wrong)


@pytest.mark.parametrize(
    ("cases", "kind", "words"),
    [
        ("cases", TypeError, r"cases is a str; write a list of cases, even for one: \[EvalCase"),
        (case(), TypeError, "cases is an EvalCase; write a list"),
        ({"a": case()}, TypeError, "cases is a dict; write a list"),
        (5, TypeError, "cases is an int"),
        ([], ValueError, "a rate of nothing says nothing"),
        ([case(), ("b", "x")], TypeError, r"cases\[1\] is a tuple; write EvalCase"),
        ([case(), case("b"), case()], ValueError, r"cases\[0\] and cases\[2\] have the id 'a'; give each its own"),
    ],
)
def test_what_is_no_set_of_cases_is_refused(cases, kind, words):
    with pytest.raises(kind, match=words):
        checked_cases(cases)


def test_a_generator_of_cases_is_a_set_of_them():
    assert [each.id for each in checked_cases(case(id) for id in "abc")] == ["a", "b", "c"]


def test_a_case_is_frozen_and_shows_itself_as_it_is_written():
    assert repr(case(category="sums")) == "EvalCase('a', '2 + 3?', equals('5'), 'sums')"
    with pytest.raises(dataclasses.FrozenInstanceError, match=r"dataclasses\.replace"):
        case().prompt = "x"
    assert len({case(), case(), case("b")}) == 2


def test_the_digest_is_the_same_for_the_same_case_and_another_for_each_thing_that_differs():
    others = [
        case("b"),
        case(prompt="3 + 2?"),
        case(expect=equals("6")),
        case(expect=lambda result: result.final == "5"),
        case(expect=lambda result: result.final == "6"),
        case(category="sums"),
        case(system="Be kind."),
        case(max_steps=3),
    ]
    assert case().digest == case().digest
    assert len({each.digest for each in [case(), *others]}) == 1 + len(others)

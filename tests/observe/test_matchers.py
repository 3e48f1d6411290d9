import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lab import adder, call, json_values

from minagent_lab import FakeModel, run
from minagent_lab.observe import matchers
from minagent_lab.observe.differing import difference
from minagent_lab.observe.matchers import (
    all_of,
    any_of,
    called,
    contains,
    equals,
    json_equals,
    json_has,
    matches,
    none_of,
    not_called,
    smoke,
    status,
)
from minagent_lab.observe.matching import Matcher, matcher_of
from minagent_lab.record import RunResult
from minagent_lab.testing import tool_calls
from minagent_lab.values import dump_json


def said(text, status="completed", usage=None):
    return RunResult(text, (), [], usage or {}, status)


def added():
    return run(FakeModel([[call()], "It is 5."]), adder(), "2 + 3?")


def holds(matcher, text):
    return matcher.problem(said(text)) == ""


@given(st.text(), st.text())
def test_equals_is_equality_and_contains_is_a_part(answer, text):
    assert holds(equals(answer), answer)
    assert holds(contains("x" + text), answer + "x" + text + answer)


def test_nothing_is_ignored_unless_it_is_said():
    assert not holds(equals("Paris"), "paris")
    assert not holds(equals("5"), "5\n")
    assert not holds(equals("5"), "５")
    assert not holds(contains("paris"), "It is Paris.")
    assert holds(equals("Paris", ignore_case=True, strip=True), " pARIS\n")
    assert holds(contains("paris", ignore_case=True), "It is Paris.")


def test_composed_and_decomposed_characters_are_the_same_text_everywhere():
    composed, decomposed = "caf\u00e9", "cafe\u0301"
    for matcher in (equals(composed), contains(composed), matches(composed + "$")):
        assert holds(matcher, decomposed)
    assert holds(equals(decomposed), composed)
    assert holds(matches(decomposed), composed)
    assert holds(matches(re.compile(decomposed.upper(), re.IGNORECASE)), composed)


@pytest.mark.parametrize(
    ("answer", "hint"),
    [("5 ", "white space at the ends"), ("５", "the width or the form of characters"), ("6", "")],
)
def test_a_reason_says_where_the_difference_is_one_that_is_easily_overlooked(answer, hint):
    reason = equals("5").problem(said(answer))
    assert reason == f"the answer is {answer!r}, not '5'" + (f"; they differ only in {hint}" if hint else "")


def test_a_reason_quotes_a_long_answer_in_part():
    assert len(equals("5").problem(said("x" * 10_000))) < 300
    assert "(10,000 characters)" in equals("5").problem(said("x" * 10_000))


def test_matches_searches_and_takes_a_compiled_pattern():
    assert holds(matches(r"\d+"), "It is 5.")
    assert not holds(matches(r"\A\d+\Z"), "It is 5.")
    assert holds(matches(re.compile("PARIS", re.IGNORECASE)), "paris")
    assert matches(r"\d").problem(said("five")) == r"nothing in the answer 'five' matches '\\d'"


@given(json_values)
def test_json_equals_looks_at_the_content_and_not_at_the_spelling(data):
    assert holds(json_equals(data), dump_json(data))
    assert holds(json_has(data), f"  {dump_json(data, compact=True)}\n")


@pytest.mark.parametrize(
    ("answer", "wanted", "reason"),
    [
        ('{"a": 1}', {"a": True}, "at ['a'] there is 1, not true"),
        ('{"a": "1"}', {"a": 1}, """at ['a'] there is "1", not 1"""),
        ('{"a": 1, "b": 2}', {"a": 1}, "at the top there is the key 'b' too"),
        ('{"b": 2}', {"a": 1}, "at the top the key 'a' is missing; there are 'b'"),
        ("[1, 2]", [1], "at the top there are 2 items, not 1"),
        ("[1, 2]", {"a": 1}, 'at the top there is [1, 2], not {"a": 1}'),
        ("null", False, "at the top there is null, not false"),
    ],
)
def test_json_equals_names_the_first_place_that_differs(answer, wanted, reason):
    assert json_equals(wanted).problem(said(answer)) == reason


def test_json_has_lets_objects_have_more_at_every_depth_but_not_lists():
    assert holds(json_has({"a": {"b": 1}}), '{"a": {"b": 1.0, "c": 2}, "d": 3}')
    assert not holds(json_has([1]), "[1, 2]")


def test_an_answer_that_is_no_json_is_told_so_and_a_fence_is_named():
    assert "is no JSON" in json_equals(5).problem(said("five"))
    assert "ask the model for JSON alone" in json_equals(5).problem(said("```json\n5\n```"))
    assert "is no JSON: NaN is not JSON" in json_equals(5).problem(said("NaN"))
    assert "stands twice" in json_has({"a": 1}).problem(said('{"a": 1, "a": 1}'))
    assert "is no JSON" in json_equals(5).problem(said("[" * 100_000))


@given(json_values, json_values)
def test_two_values_differ_in_both_directions_or_in_none(one, other):
    assert (difference(one, other) == "") == (difference(other, one) == "")
    assert difference(one, one) == ""


def test_tool_calls_are_asked_by_name_and_arguments():
    result = added()
    assert called("add", a=2).problem(result) == ""
    assert not_called("delete").problem(result) == ""
    assert called("add", a=9).problem(result).startswith("add(a=9) was never called; the calls were: 1. add")
    assert not_called("add").problem(result).startswith("add was called; the calls were")


def test_of_an_agent_that_returned_text_nobody_knows_the_tool_calls():
    result = said("5", status="text only")
    for matcher in (called("add"), not_called("add")):
        assert "text only" in matcher.problem(result)
    assert "the run is text only" in status("completed").problem(result)


def test_status_says_how_the_run_ended():
    assert holds(status("completed"), "x")
    assert status("completed").problem(said("", status="truncated")) == "the run is truncated, not completed"


def test_several_matchers_are_put_together():
    assert all_of(contains("b"), contains("a"), contains("c")).problem(said("a")) == (
        "'b' is not in the answer 'a'; 'c' is not in the answer 'a'"
    )
    assert holds(any_of(equals("a"), equals("b")), "b")
    assert any_of(equals("a"), equals("b")).problem(said("c")).startswith("none of these holds: the answer is 'c', ")
    assert none_of(contains("b"), contains("a")).problem(said("a")) == "contains('a') holds"
    assert holds(all_of(none_of(contains("b")), lambda result: True), "a")


def test_smoke_asks_for_what_every_working_model_gives_and_not_for_its_wording():
    usage = {"input_tokens": 5, "output_tokens": 1}
    assert smoke().problem(said("Anything.", usage=usage)) == ""
    assert smoke().problem(said(" \n", usage=usage)) == "there is no answer; the run is completed"
    assert smoke().problem(said("Half", status="truncated", usage=usage)) == "the run is truncated, not completed"
    assert smoke().problem(said("Anything.")) == "the usage is not told"


@pytest.mark.parametrize(
    "text",
    [
        "equals('5')",
        "equals('5', ignore_case=True, strip=True)",
        "contains('城市', ignore_case=True)",
        r"matches('\\d+')",
        "json_equals({'a': [1, True, None]})",
        "json_has([])",
        "called('add', a=False)",
        "not_called('delete')",
        "status('completed')",
        "smoke()",
        "all_of(equals('5'), any_of(called('add')), none_of(smoke()))",
    ],
)
def test_a_matcher_is_shown_as_it_is_written_and_equal_to_one_that_is_written_in_the_same_way(text):
    names = {name: getattr(matchers, name) for name in matchers.__all__}
    assert repr(eval(text, names)) == text
    assert eval(text, names) == eval(text, names)


@pytest.mark.parametrize(
    ("make", "kind", "words"),
    [
        (lambda: equals(5), TypeError, "equals: text is 5; it must be text"),
        (lambda: contains(""), ValueError, "contains: text is empty"),
        (lambda: matches("("), ValueError, r"the pattern '\(' is none"),
        (lambda: matches(""), ValueError, "is empty"),
        (lambda: matches(re.compile(b"x")), TypeError, "must be text"),
        (lambda: json_equals({1, 2}), TypeError, "json_equals: data is a set"),
        (lambda: called(""), ValueError, "called: name is empty"),
        (lambda: status("complete"), ValueError, "status is 'complete'; use one of completed"),
        (all_of, ValueError, r"all_of\(\) has no matcher"),
        (lambda: any_of("5"), TypeError, r"equals\('5'\) or contains\('5'\)"),
        (lambda: matcher_of(None), TypeError, "expect is None; write a matcher"),
        (lambda: matcher_of(["5"]), TypeError, "expect is a list"),
        (lambda: matcher_of(bool), TypeError, "the class bool"),
    ],
)
def test_a_matcher_that_could_not_work_is_refused_where_it_is_written(make, kind, words):
    with pytest.raises(kind, match=words):
        make()


def test_an_async_check_is_refused():
    async def check(result):
        return True

    with pytest.raises(TypeError, match="async function; write def"):
        matcher_of(check)


def test_a_function_is_a_matcher_that_says_no_by_false_or_by_an_assertion():
    def short(result):
        if not result.final:
            raise AssertionError("there is no answer")
        return len(result.final) < 5

    matcher = matcher_of(short)
    assert repr(matcher) == "short"
    assert [matcher.problem(said(text)) for text in ("5", "", "long answer")] == [
        "",
        "there is no answer",
        "short returned False",
    ]


def test_the_questions_of_testing_are_checks():
    asks = matcher_of(lambda result: tool_calls(result).tool("add", a=2).once())
    assert asks.problem(added()) == ""
    assert "add(a=2) was never called" in asks.problem(said("5"))


def test_an_assertion_without_words_is_named_after_its_check():
    def check(result):
        raise AssertionError

    assert matcher_of(check).problem(said("5")) == "check: AssertionError"


@pytest.mark.parametrize("verdict", [None, 1, "yes", [], ...])
def test_a_check_that_returns_neither_true_nor_false_is_an_error_and_no_verdict(verdict):
    with pytest.raises(TypeError, match=r"<lambda> returned .*; return True"):
        matcher_of(lambda result: verdict).problem(said("5"))


def made(limit):
    def check(result):
        return result.final in {"a", "b", limit}

    return check


def test_a_function_has_another_identity_when_its_code_or_what_it_closes_over_is_another():
    assert matcher_of(made("c")).identity == matcher_of(made("c")).identity
    assert matcher_of(made("c")).identity != matcher_of(made("d")).identity
    assert matcher_of(lambda r: r.final == "5").identity != matcher_of(lambda r: r.final == "6").identity
    assert matcher_of(lambda r: r.final == "5").identity == matcher_of(lambda r: r.final == "5").identity
    assert all_of(lambda r: r.final == "5").identity != all_of(lambda r: r.final == "6").identity


def test_a_matcher_of_ones_own_is_a_name_and_a_function():
    short = Matcher("short()", lambda result: "" if len(result.final) < 3 else "it is long")
    assert (repr(short), short.problem(said("long"))) == ("short()", "it is long")
    assert all_of(short) == all_of(short)


def test_every_matcher_is_described():
    assert all(getattr(matchers, name).__doc__ for name in matchers.__all__)

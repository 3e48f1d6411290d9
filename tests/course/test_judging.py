"""A learner's test is judged by what it accepts and rejects, and is told where it failed."""

import functools

import pytest

from minagent_lab import expect_error
from minagent_lab.course.exercise import made, sentence
from minagent_lab.course.judging import Broken, judge
from minagent_lab.course.running import Outcome, attempted

SOURCE = "def double(number): return 2 * number"
ADDS = Broken("adds two", "2 * number", "2 + number", "2 + 2 is 2 * 2.")


def make(source):
    return made(source, thing="double")


def judged(learners_test, noun="function"):
    """Return what is said of a test: on the right function, and on the broken one."""
    tests = judge({"the right one": lambda: make(SOURCE)}, [ADDS], SOURCE, make, noun)
    return [attempted(test, learners_test) for test in tests]


def by_assert(double):
    assert double(3) == 6


def by_fail(double):
    if double(3) != 6:
        pytest.fail("not doubled")


def by_raises(double):
    with pytest.raises(TypeError):
        double(None)
    if double(3) != 6:
        with pytest.raises(KeyError):
            double(3)


@pytest.mark.parametrize("learners_test", [by_assert, by_fail, by_raises])
def test_an_assert_and_what_pytest_raises_reject_alike(learners_test):
    assert judged(learners_test) == [Outcome(None), Outcome(None)]


def test_what_lets_the_broken_one_through_is_told_so():
    assert judged(lambda double: None)[1].problem == "your test let it through"


def test_another_exception_rejects_with_a_note():
    def learners_test(double):
        {6: "ok"}[double(3)]

    assert judged(learners_test)[1].note == "rejected, but by KeyError; an assert would say why"


def test_an_exception_that_came_through_a_raises_needs_no_advice():
    def inner(double):
        {6: "ok"}[double(3)]

    def learners_test(double):
        if double(3) != 6:
            with pytest.raises(ValueError, match="six"):
                inner(double)

    assert judged(learners_test) == [Outcome(None), Outcome(None)]


def too_strict(double):
    result = double(3)
    assert result == 7


def too_strict_with_reason(double):
    assert double(3) == 7, "should be seven"


def too_strict_by_pytest(double):
    pytest.fail("seven was wanted")


def too_strict_deep_inside(double):
    too_strict(double)


def line_of(function, offset):
    return function.__code__.co_firstlineno + offset


@pytest.mark.parametrize(
    ("learners_test", "at", "code", "said"),
    [
        (too_strict, line_of(too_strict, 2), "assert result == 7", ""),
        (too_strict_with_reason, line_of(too_strict_with_reason, 1), 'assert double(3) == 7, "should be seven"',
         ": should be seven"),
        (too_strict_by_pytest, line_of(too_strict_by_pytest, 1), 'pytest.fail("seven was wanted")',
         ": seven was wanted"),
        (too_strict_deep_inside, line_of(too_strict, 2), "assert result == 7", ""),
    ],
)  # fmt: skip
def test_a_test_that_rejects_what_is_right_is_shown_its_line(learners_test, at, code, said):
    problem = judged(learners_test)[0].problem
    began = f"your test rejects this function, but it is right; the test failed at line {at}: `{code}`"
    assert problem.startswith(began + said)


def test_an_exception_on_what_is_right_is_shown_with_its_line():
    def learners_test(double):
        duoble(3)  # noqa: F821

    problem = judged(learners_test)[0].problem
    at = line_of(learners_test, 1)
    assert problem.startswith(f"your test raised NameError: name 'duoble' is not defined, at line {at}: `duoble(3)")


def test_a_line_whose_text_is_not_known_is_told_by_its_number():
    held = made("def check(double):\n    assert double(3) == 7", thing="check")
    assert judged(held)[0].problem.endswith("it is right; the test failed at line 2")


def test_of_a_wrapped_test_the_learners_own_line_is_shown():
    held = made("def check(double):\n    assert double(3) == 7", thing="check")

    @functools.wraps(held)
    def wrapper(double):
        return held(double)

    assert judged(wrapper)[0].problem.endswith("it is right; the test failed at line 2")


def test_a_test_that_is_no_function_has_no_line():
    class Check:
        def __call__(self, double):
            raise AssertionError("no")

    assert judged(Check())[0].problem == "your test rejects this function, but it is right: no"


def test_a_test_that_returns_false_is_told_how_a_test_says_no():
    accepted, rejected = judged(lambda double: double(3) == 6)
    assert accepted.problem is None
    assert rejected.problem == "your test returned False; a test says no by `assert`"


def test_the_sentences_have_the_article_of_the_noun():
    tests = judge({"the right one": lambda: make(SOURCE)}, [ADDS], SOURCE, make, "agent")
    assert [sentence(test) for test in tests] == ["accepts the right one", "rejects an agent that adds two"]


async def awaiting(double):
    assert double(3) == 6


def test_an_async_test_is_awaited():
    assert judged(awaiting) == [Outcome(None), Outcome(None)]


def test_an_async_test_that_lets_the_broken_one_through_is_told_so():
    async def learners_test(double):
        double(3)

    assert judged(learners_test)[1].problem == "your test let it through"


def by_yield(double):
    assert double(3) == 6
    yield


async def by_async_yield(double):
    assert double(3) == 6
    yield


@pytest.mark.parametrize("learners_test", [by_yield, by_async_yield])
def test_a_test_that_yields_is_told_that_no_line_of_it_ran(learners_test):
    for outcome in judged(learners_test):
        assert outcome.problem.startswith("your test has a `yield`, so a call of it only makes a generator")


def test_what_expect_error_shows_is_no_print_of_the_learners():
    def quietly(double):
        with expect_error(TypeError) as expected:
            double(None)
        assert isinstance(expected.error, TypeError)

    right, _ = judged(quietly)
    assert right == Outcome(None)

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minagent_lab.observe.counting import Tally, percent, tally_of, wilson

counts = st.integers(0, 5_000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


@given(counts)
def test_an_interval_lies_from_0_to_1_and_holds_the_rate(count):
    passed, n = count
    low, high = wilson(passed, n)
    assert 0 <= low <= high <= 1
    assert n == 0 or low <= passed / n <= high


@given(counts)
def test_an_interval_is_the_mirror_of_that_of_the_failures(count):
    passed, n = count
    low, high = wilson(passed, n)
    other = wilson(n - passed, n)
    assert (1 - other[1], 1 - other[0]) == pytest.approx((low, high), abs=1e-9)


@given(counts)
def test_more_cases_with_the_same_rate_make_it_narrower(count):
    passed, n = count
    width = [high - low for low, high in (wilson(passed, n), wilson(4 * passed, 4 * n))]
    assert n == 0 or width[1] < width[0]


@given(st.integers(1, 500))
def test_one_more_that_passes_moves_both_ends_up(n):
    bounds = [wilson(passed, n) for passed in range(n + 1)]
    assert all(a[0] < b[0] and a[1] < b[1] for a, b in itertools.pairwise(bounds))


def test_the_interval_is_that_of_the_books():
    assert wilson(7, 10) == pytest.approx((0.3968, 0.8922), abs=1e-4)
    assert wilson(0, 10) == pytest.approx((0.0, 0.2775), abs=1e-4)
    assert wilson(0, 0) == (0.0, 1.0)


@pytest.mark.parametrize(("passed", "n"), [(-1, 5), (6, 5), (0, -1)])
def test_a_count_that_cannot_be_is_refused(passed, n):
    with pytest.raises(ValueError, match="it is a whole number from 0 to n"):
        wilson(passed, n)


@given(counts.filter(lambda count: count[1] > 0))
def test_none_is_0_per_cent_and_all_is_100_and_nothing_else_is(count):
    part, whole = count
    assert (percent(part, whole) == "0 %") == (part == 0)
    assert (percent(part, whole) == "100 %") == (part == whole)


def test_all_cases_are_in_the_denominator():
    tally = tally_of(["passed", "failed", "error", "not_run", "passed"])
    assert tally == Tally(2, 1, 1, 1)
    assert (tally.n, tally.rate) == (5, 0.4)


def test_a_rate_is_said_with_its_n_and_its_interval():
    assert Tally(7, 3, 0, 0).words == "7 of 10 passed (70 %; 95 % interval 40 to 89 %)"
    assert Tally(7, 2, 0, 1).words == "7 of 10 passed (70 %; no interval: 1 not run)"
    assert Tally(3000, 0, 0, 0).words == "3,000 of 3,000 passed (100 %; 95 % interval >99 to 100 %)"
    assert Tally(0, 0, 0, 0).words == "0 of 0 passed"
    assert (Tally(0, 0, 0, 0).rate, Tally(0, 0, 0, 0).interval) == (None, None)

import random
import uuid

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minagent_lab import MockGPT
from minagent_lab.mockgpt import generators

NOW = 1_796_000_000_123  # 2026-11-30 00:53:20.123 UTC


def made(generator, seed=1, now=NOW):
    return generator.make(random.Random(seed), now)


@given(st.integers(), st.integers(0, 1000), st.integers(0, 99))
def test_an_integer_is_between_its_bounds_and_may_be_either(low, span, seed):
    assert low <= made(generators.integer(low, low + span), seed) <= low + span
    assert {made(generators.integer(0, 1), n) for n in range(20)} == {0, 1}


@given(st.floats(-1e6, 1e6), st.floats(0, 1e6), st.integers(0, 15), st.integers(0, 99))
def test_a_number_is_between_its_bounds(low, span, digits, seed):
    assert low <= made(generators.number(low, low + span, digits), seed) <= low + span


def test_a_number_has_so_many_digits():
    assert {len(str(made(generators.number(1, 2, 3), n)).partition(".")[2]) <= 3 for n in range(20)} == {True}


def test_a_choice_is_one_of_them_and_a_copy_of_it():
    options = [{"a": []}, {"a": [1]}]
    generator = generators.choice(options)
    first = made(generator)
    assert first in options
    first["a"].append("changed")
    options[0]["a"].append("changed")
    assert all(made(generator, n) in ({"a": []}, {"a": [1]}) for n in range(10))


def test_a_uuid_is_one():
    text = made(generators.uuid())
    assert (str(uuid.UUID(text)), uuid.UUID(text).version) == (text, 4)


def test_a_date_is_that_of_the_clock_in_utc():
    assert made(generators.date()) == "2026-11-30"
    assert made(generators.date(-30)) == "2026-10-31"
    assert made(generators.date(1, time=True)) == "2026-12-01T00:53:20.123+00:00"


def test_a_text_has_so_many_words():
    assert [len(made(generators.text(n)).split()) for n in (1, 8, 100)] == [1, 8, 100]


@pytest.mark.parametrize(
    ("make", "error"),
    [
        (lambda: generators.integer(2, 1), ValueError),
        (lambda: generators.integer(1.0, 2), TypeError),
        (lambda: generators.integer(True, 2), TypeError),
        (lambda: generators.number(2, 1), ValueError),
        (lambda: generators.number(0, float("inf")), TypeError),
        (lambda: generators.number("0", 1), TypeError),
        (lambda: generators.number(0, 1, 16), ValueError),
        (lambda: generators.number(0, 1, True), ValueError),
        (lambda: generators.choice([]), TypeError),
        (lambda: generators.choice("abc"), TypeError),
        (lambda: generators.choice([{1, 2}]), TypeError),
        (lambda: generators.date(1.5), TypeError),
        (lambda: generators.text(0), ValueError),
        (lambda: generators.text(10_001), ValueError),
    ],
)
def test_what_makes_no_sense_is_refused_where_it_is_written(make, error):
    with pytest.raises(error):
        make()


def test_values_may_stand_anywhere_in_a_json_value():
    value = {
        "ids": [generators.uuid(), generators.uuid()],
        "n": {"a": generators.integer(3, 3)},
        "at": generators.date(),
    }
    mock = MockGPT([], fallback=value, clock=lambda: NOW)
    answer = mock.generate("Hi")
    assert len(set(answer["ids"])) == 2
    assert (answer["n"], answer["at"]) == ({"a": 3}, "2026-11-30")


def test_the_same_seed_and_calls_give_the_same_values_and_each_call_another():
    def values(seed):
        mock = MockGPT([], fallback=generators.uuid(), seed=seed)
        return [mock.generate("Hi") for _ in range(5)]

    assert values(3) == values(3)
    assert len(set(values(3) + values(4))) == 10


def test_what_is_seeded_shows_what_it_is():
    assert repr([generators.integer(1, 6), generators.choice(["a"]), generators.date(2)]) == (
        "[integer(1, 6), choice(['a']), date(2)]"
    )

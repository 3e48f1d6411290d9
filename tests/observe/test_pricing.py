import decimal
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minagent_lab.observe.pricing import PriceTable, total

SMALL = {"small-1": {"input": "0.50", "output": "2"}}
CACHED = {"small-1": {"input": "0.50", "output": "2", "cached_input": "0.05"}}


def usage(sent, got, **more):
    return {"input_tokens": sent, "output_tokens": got, **more}


def test_a_cost_is_tokens_times_the_price_per_million():
    assert PriceTable(SMALL).cost("small-1", usage(1_000_000, 500_000)) == Decimal("1.5")


@given(st.integers(0, 10**9), st.integers(0, 10**9), *[st.decimals(0, 1000, places=4)] * 2)
def test_a_cost_is_exact(sent, got, one, other):
    cost = PriceTable({"m": {"input": one, "output": other}}).cost("m", usage(sent, got))
    assert Fraction(cost) == (sent * Fraction(one) + got * Fraction(other)) / 10**6


def test_a_cost_does_not_depend_on_the_precision_that_the_caller_works_with():
    with decimal.localcontext(prec=2):
        cost = PriceTable(SMALL).cost("small-1", usage(1_234_567, 7_654_321))
        both = total([cost, Decimal(1)])
    assert cost == Decimal("15.9259255")
    assert both == Decimal("16.9259255")


def test_a_float_is_taken_as_it_is_written():
    assert PriceTable({"m": {"input": 0.1, "output": 0}}).cost("m", usage(3_000_000, 0)) == Decimal("0.3")


def test_cached_tokens_are_part_of_the_input_and_cost_their_own_price():
    seen = usage(1_000_000, 0, cache_read_input_tokens=400_000)
    assert PriceTable(CACHED).cost("small-1", seen) == Decimal("0.32")
    assert PriceTable(SMALL).cost("small-1", seen) == Decimal("0.5")


def test_more_cached_tokens_than_input_tokens_cost_no_less_than_nothing():
    assert PriceTable(CACHED).cost("small-1", usage(10, 0, cache_read_input_tokens=1_000_000)) == Decimal("0.0000005")


@pytest.mark.parametrize(
    "unknown",
    [{}, {"input_tokens": 5}, {"output_tokens": 5}, usage(None, 5), usage("5", 5), usage(True, 5), usage(-1, 5)],
)
def test_a_usage_that_is_not_known_has_no_known_cost(unknown):
    assert PriceTable(SMALL).cost("small-1", unknown) is None


def test_a_model_that_is_not_in_the_table_has_no_known_cost():
    assert PriceTable(SMALL).cost("", usage(5, 5)) is None
    assert "small-1" in PriceTable(SMALL)
    assert "large-1" not in PriceTable(SMALL)


def test_a_usage_of_nothing_costs_nothing_and_that_is_known():
    assert PriceTable(SMALL).cost("small-1", usage(0, 0)) == 0


@pytest.mark.parametrize(
    ("prices", "kind", "words"),
    [
        ([], TypeError, "prices is a list"),
        ({"m": 5}, TypeError, "the prices of 'm' are an int"),
        ({5: {"input": 1, "output": 1}}, TypeError, "the prices of 5"),
        ({"m": {"input": 1}}, ValueError, "lack output"),
        ({"m": {}}, ValueError, "lack input and output"),
        ({"m": {"input": 1, "output": 1, "imput": 2}}, ValueError, "have 'imput'; use input, output, cached_input"),
        ({"m": {"input": "a lot", "output": 1}}, ValueError, r"prices\['m'\]\['input'\] is 'a lot'"),
        ({"m": {"input": "NaN", "output": 1}}, ValueError, "is NaN; write an amount from 0 up"),
        ({"m": {"input": float("inf"), "output": 1}}, ValueError, "is inf"),
        ({"m": {"input": -1, "output": 1}}, ValueError, "is -1"),
        ({"m": {"input": True, "output": 1}}, TypeError, "a bool"),
        ({"m": {"input": None, "output": 1}}, TypeError, "None"),
    ],
)
def test_prices_that_are_none_are_refused_where_they_are_written(prices, kind, words):
    with pytest.raises(kind, match=words):
        PriceTable(prices)


@pytest.mark.parametrize("wrong", ["", None, 5])
def test_the_currency_is_a_word(wrong):
    with pytest.raises(TypeError, match=r"currency is .*; write a word"):
        PriceTable(SMALL, currency=wrong)


def test_later_changes_of_the_callers_table_change_nothing():
    mine = {"small-1": {"input": "0.50", "output": "2"}}
    prices = PriceTable(mine)
    mine["small-1"]["input"] = "99"
    assert prices.cost("small-1", usage(1_000_000, 0)) == Decimal("0.5")


def test_it_shows_its_models():
    assert repr(PriceTable(SMALL, currency="CNY")) == "<PriceTable in CNY: small-1>"

from decimal import Decimal

import pytest

from minagent_lab import BudgetExceeded, Message, ModelResponse
from minagent_lab.observe.budget import Budget
from minagent_lab.observe.meter import Meter
from minagent_lab.observe.pricing import PriceTable

PRICES = PriceTable({"small-1": {"input": "1", "output": "1"}})


def response(model="small-1", **usage):
    return ModelResponse(Message("assistant", "x"), usage=usage, model=model)


def told(meter, *responses):
    for each in responses:
        meter.before_model()
        meter.after_model(each)
    return meter


def test_it_counts_what_each_call_told():
    meter = told(Meter(prices=PRICES), *[response(input_tokens=3, output_tokens=1)] * 2)
    assert (meter.asked, meter.answered, meter.usage_known) == (2, 2, True)
    assert (meter.usage, meter.cost) == ({"input_tokens": 6, "output_tokens": 2}, Decimal("0.000008"))
    assert repr(meter) == "<Meter: 2 calls of the model, 8 tokens>"


@pytest.mark.parametrize("usage", [{}, {"input_tokens": 5}])
def test_a_usage_that_is_not_whole_is_kept_and_not_known(usage):
    meter = told(Meter(prices=PRICES), response(**usage))
    assert (meter.usage, meter.usage_known, meter.cost) == (usage, False, None)


def test_a_call_without_an_answer_may_have_been_paid_for():
    meter = told(Meter(prices=PRICES), response(input_tokens=3, output_tokens=1))
    meter.before_model()
    assert (meter.usage_known, meter.cost) == (False, None)


def test_without_prices_no_cost_is_known_and_without_a_call_it_is_nothing():
    assert told(Meter(), response(input_tokens=3, output_tokens=1)).cost is None
    assert Meter(prices=PRICES).cost == 0


def test_the_budget_behind_it_is_asked_and_what_it_refused_is_kept():
    budget = Budget(tokens=4, tool_calls=1)
    meter = told(Meter(budget), response(input_tokens=3, output_tokens=1))
    with pytest.raises(BudgetExceeded):
        meter.before_model()
    assert (meter.asked, meter.refused.limit_name, budget.used["tokens"]) == (1, "tokens", 4)
    meter.before_tools(1)
    with pytest.raises(BudgetExceeded):
        meter.before_tools(1)
    assert meter.refused.limit_name == "tool_calls"

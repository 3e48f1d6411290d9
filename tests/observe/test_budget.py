import threading
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minagent_lab.errors import BudgetExceeded
from minagent_lab.messages import Message, ModelResponse
from minagent_lab.observe.budget import Budget
from minagent_lab.observe.pricing import PriceTable

PRICES = PriceTable({"small-1": {"input": "1", "output": "1"}})


def response(sent=None, got=None, model="small-1"):
    told = {"input_tokens": sent, "output_tokens": got}
    usage = {name: count for name, count in told.items() if count is not None}
    return ModelResponse(Message("assistant", "x"), usage=usage, model=model)


def asked(budget, *responses):
    """Ask for each response as a run does; return how many were allowed."""
    for number, each in enumerate(responses):
        try:
            budget.before_model()
        except BudgetExceeded:
            return number
        budget.after_model(each)
    return len(responses)


def test_without_a_limit_it_only_counts():
    budget = Budget()
    assert asked(budget, *[response(10, 2)] * 5) == 5
    budget.before_tools(3)
    assert budget.used == {"steps": 5, "tool_calls": 3, "tokens": 60, "cost": 0}
    assert budget.remaining == {}
    assert budget.exceeded == ()


@given(st.integers(0, 5), st.integers(0, 8))
def test_as_many_steps_as_the_limit_are_allowed_and_not_one_more(limit, wished):
    budget = Budget(steps=limit)
    assert asked(budget, *[response(1, 1)] * wished) == min(limit, wished)
    assert budget.exceeded == ()


def test_a_call_that_fails_has_been_made_and_counts_as_a_step():
    budget = Budget(steps=1)
    budget.before_model()
    with pytest.raises(BudgetExceeded, match="steps is limited to 1, 1 used, 0 remaining; not done: call 2 of the mo"):
        budget.before_model()


def test_a_call_that_is_refused_does_not_count():
    budget = Budget(steps=0)
    for _ in range(3):
        with pytest.raises(BudgetExceeded):
            budget.before_model()
    assert budget.used["steps"] == 0


@given(st.lists(st.integers(0, 20), max_size=8), st.integers(0, 60))
def test_the_next_call_is_refused_once_the_tokens_are_used(sizes, limit):
    budget = Budget(tokens=limit)
    made = asked(budget, *[response(size, 0) for size in sizes])
    assert all(sum(sizes[:number]) < limit for number in range(made))
    assert made == len(sizes) or sum(sizes[:made]) >= limit
    assert budget.used["tokens"] == sum(sizes[:made])


def test_the_answer_that_crosses_a_limit_is_kept_and_flagged_and_only_the_next_call_is_refused():
    budget = Budget(tokens=20)
    assert asked(budget, response(10, 2), response(12, 3), response(1, 1)) == 2
    assert budget.used["tokens"] == 27
    assert budget.exceeded == ("tokens",)
    assert budget.remaining == {"tokens": 0}


def test_a_limit_that_is_reached_exactly_is_not_exceeded_but_used_up():
    budget = Budget(tokens=12)
    assert asked(budget, response(10, 2), response(0, 0)) == 1
    assert budget.exceeded == ()


def test_tools_that_would_be_too_many_do_not_start_at_all():
    budget = Budget(tool_calls=2)
    with pytest.raises(BudgetExceeded, match="limited to 2, 0 used, 2 remaining; not done: 3 tool calls"):
        budget.before_tools(3)
    assert budget.used["tool_calls"] == 0
    budget.before_tools(2)
    with pytest.raises(BudgetExceeded, match="not done: 1 tool call"):
        budget.before_tools(1)


@given(st.lists(st.integers(1, 4), max_size=8), st.integers(0, 12))
def test_never_more_tools_run_than_are_allowed(batches, limit):
    budget, ran = Budget(tool_calls=limit), 0
    for batch in batches:
        try:
            budget.before_tools(batch)
        except BudgetExceeded:
            assert ran + batch > limit
        else:
            ran += batch
    assert ran == budget.used["tool_calls"] <= limit


def test_a_limit_of_tool_calls_does_not_keep_the_model_from_being_asked():
    assert asked(Budget(tool_calls=0), response(1, 1)) == 1


def test_money_is_counted_exactly():
    budget = Budget(cost=Decimal("0.000012"), prices=PRICES)
    assert asked(budget, response(10, 1), response(1, 0), response(1, 0)) == 2
    assert budget.used["cost"] == Decimal("0.000012")
    assert budget.remaining == {"cost": 0}


def test_a_limit_of_cost_needs_prices():
    with pytest.raises(ValueError, match=r"pass prices=PriceTable"):
        Budget(cost=1)
    with pytest.raises(TypeError, match="prices is a dict; pass a PriceTable"):
        Budget(cost=1, prices={})


@pytest.mark.parametrize("name", ["steps", "tool_calls", "tokens"])
@pytest.mark.parametrize(
    ("wrong", "kind"),
    [
        *[(-1, ValueError), (float("nan"), ValueError), (float("inf"), ValueError)],
        *[(True, TypeError), ("5", TypeError), (1.5, TypeError), ([], TypeError)],
    ],
)
def test_a_limit_that_is_no_count_is_refused_when_it_is_written(name, wrong, kind):
    with pytest.raises(kind, match=f"{name} is .*; write a whole number from 0 up, or None for no limit"):
        Budget(**{name: wrong})


@pytest.mark.parametrize(
    ("wrong", "kind"),
    [
        *[(-1, ValueError), (float("nan"), ValueError), (Decimal("NaN"), ValueError), (float("inf"), ValueError)],
        *[(True, TypeError), ("5", TypeError)],
    ],
)
def test_a_cost_that_is_no_amount_is_refused(wrong, kind):
    with pytest.raises(kind, match=r"cost is .*; write an amount"):
        Budget(cost=wrong, prices=PRICES)


@pytest.mark.parametrize("limits", [{"steps": 0}, {"tokens": 0}, {"cost": 0, "prices": PRICES}])
def test_a_limit_of_zero_refuses_the_first_call(limits):
    assert asked(Budget(**limits), response(1, 1)) == 0


@pytest.mark.parametrize("unknown", [response(), response(5), response(None, 5)])
def test_a_usage_that_is_not_told_is_flagged_and_not_taken_for_zero(unknown):
    budget = Budget(tokens=100)
    assert asked(budget, unknown, response(1, 1)) == 2
    assert budget.unknown_usage == 1
    assert "usage unknown for 1 call" in repr(budget)


def test_what_is_told_of_half_a_usage_counts():
    budget = Budget(tokens=5)
    assert asked(budget, response(5), response(1, 1)) == 1


def test_strict_refuses_the_call_after_a_usage_that_is_not_told():
    budget = Budget(tokens=100, strict=True)
    budget.before_model()
    budget.after_model(response())
    with pytest.raises(BudgetExceeded, match=r"since the usage of 1 call is unknown\. Find out why it is") as refused:
        budget.before_model()
    assert "Raise the limit" not in str(refused.value)


def test_strict_does_not_ask_for_a_usage_that_is_not_limited():
    assert asked(Budget(steps=5, strict=True), response(), response()) == 2


def test_a_model_without_a_price_is_flagged_and_strict_refuses_the_next_call():
    budget = Budget(cost=1, prices=PRICES)
    assert asked(budget, response(5, 5, model="another"), response(5, 5)) == 2
    assert (budget.unknown_usage, budget.unknown_cost) == (0, 1)
    strict = Budget(cost=1, prices=PRICES, strict=True)
    assert asked(strict, response(5, 5, model="another"), response(5, 5)) == 1


def test_several_runs_can_share_one_purse():
    budget = Budget(steps=3)
    assert asked(budget, response(1, 1), response(1, 1)) == 2
    assert asked(budget, response(1, 1), response(1, 1)) == 1


def test_threads_that_share_a_purse_do_not_get_more_than_is_in_it():
    budget, allowed = Budget(steps=50), []

    def work():
        allowed.append(asked(budget, *[response(1, 1)] * 20))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(allowed) == 50
    assert budget.used["tokens"] == 100


def test_the_error_carries_limit_used_and_remaining():
    budget = Budget(tokens=20)
    asked(budget, response(10, 12))
    with pytest.raises(BudgetExceeded) as caught:
        budget.before_model()
    error = caught.value
    assert (error.limit_name, error.limit, error.used, error.remaining) == ("tokens", 20, 22, 0)


def test_what_it_hands_out_is_the_callers_own():
    budget = Budget(steps=5)
    budget.used["steps"] = 99
    budget.remaining["steps"] = 99
    assert budget.used["steps"] == 0
    assert budget.remaining == {"steps": 5}


def test_it_says_how_it_stands():
    budget = Budget(steps=2, cost=1, prices=PRICES)
    assert repr(budget) == "<Budget: 0 of 2 steps, 0 tool calls, 0 tokens, cost 0 of 1 USD>"
    asked(budget, response(10, 2, "small-1"))
    budget.before_tools(1)
    assert repr(budget) == "<Budget: 1 of 2 steps, 1 tool call, 12 tokens, cost 0.000012 of 1 USD>"

"""What a call costs: tokens times prices, in exact decimals. What is not known stays unknown; it is never zero.

No prices of real services are built in: they change, and a price that was right once is worse than none.
Source: the provider lesson (usage belongs to the contract, so that evaluation can count what a run costs).
"""

from __future__ import annotations

import decimal
from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any, TypeGuard

from minagent_lab.values import a_kind

KINDS = ("input", "output", "cached_input")
CACHED = "cache_read_input_tokens"  # the part of the input tokens that the service had kept, and asks less for
_PER = 6  # prices are per million tokens: 10 ** 6
# Exact whatever the caller's own context is: a result that would need rounding raises instead.
_exact = decimal.Context(prec=1000, traps=[decimal.Inexact, decimal.InvalidOperation])


class PriceTable:
    """Prices per million tokens, by model.

    Parameters
    ----------
    prices
        For each model ``{"input": ..., "output": ...}``, and ``"cached_input"`` where tokens that the service had kept
        cost less. A price is a number or its text; text is never off by a little, as 0.1 is.
    currency
        What the prices are in; a word for people.

    Examples
    --------
    >>> prices = PriceTable({"small-1": {"input": "0.50", "output": "2"}})
    >>> prices.cost("small-1", {"input_tokens": 1200, "output_tokens": 300})
    Decimal('0.00120000')
    >>> prices.cost("small-1", {}) is None, prices.cost("another", {"input_tokens": 1, "output_tokens": 1}) is None
    (True, True)
    """

    def __init__(self, prices: Mapping[str, Mapping[str, Any]], currency: str = "USD") -> None:
        if not isinstance(prices, Mapping):
            raise TypeError(f'prices is {a_kind(prices)}; write {{"a model": {{"input": "0.50", "output": "2"}}}}')
        if not isinstance(currency, str) or not currency:
            raise TypeError(f"currency is {currency!r:.80}; write a word, such as 'USD'")
        self.currency = currency
        self._prices = {model: _checked(model, row) for model, row in prices.items()}

    def cost(self, model: str, usage: Mapping[str, Any]) -> Decimal | None:
        """Return what one response costs, exactly; ``None`` when that is not known.

        Parameters
        ----------
        model
            Who answered: ``ModelResponse.model``.
        usage
            ``{"input_tokens": ..., "output_tokens": ...}``. Where it also has ``"cache_read_input_tokens"``, these are
            part of the input tokens and cost the price of cached input, if the table has one.
        """
        row = self._prices.get(model)
        sent, got, cached = (usage.get(name) for name in ("input_tokens", "output_tokens", CACHED))
        if row is None or not _counts(sent) or not _counts(got):
            return None
        kept = min(cached, sent) if _counts(cached) and "cached_input" in row else 0
        parts = [(row["input"], sent - kept), (row["output"], got), (row.get("cached_input", Decimal(0)), kept)]
        whole = total(_exact.multiply(price, Decimal(number)) for price, number in parts)
        return _exact.scaleb(whole, -_PER)

    def of(self, trace: Any) -> Decimal | None:
        """Return what all answered calls of a trace cost together; ``None`` when one of them is not known.

        Parameters
        ----------
        trace
            A `Trace`, or the events of one.
        """
        from minagent_lab.observe.spans import spans_of  # here alone: who only multiplies needs no trace

        calls = [span for span in spans_of(trace) if span.kind == "model" and span.answered]
        costs = [self.cost(span.model, span.usage) for span in calls]
        known = [cost for cost in costs if cost is not None]
        return total(known) if len(known) == len(costs) else None

    def __contains__(self, model: object) -> bool:
        return model in self._prices

    def __repr__(self) -> str:
        return f"<PriceTable in {self.currency}: {', '.join(self._prices) or 'no models'}>"


def total(costs: Iterable[Decimal]) -> Decimal:
    """Return the sum, exactly."""
    whole = Decimal(0)
    for cost in costs:
        whole = _exact.add(whole, cost)
    return whole


def exact(name: str, number: Any) -> Decimal:
    """Return an amount as a decimal: a float as it is written, so that 0.1 is a tenth. Refuse what is no amount."""
    if isinstance(number, bool) or not isinstance(number, (int, float, Decimal)):
        raise TypeError(f"{name} is {a_kind(number)}; write an amount, such as 2 or 0.5")
    amount = Decimal(str(number)) if isinstance(number, float) else Decimal(number)
    if not amount.is_finite() or amount < 0:
        raise ValueError(f"{name} is {number}; write an amount from 0 up")
    return amount


def _checked(model: Any, row: Any) -> dict[str, Decimal]:
    if not isinstance(model, str) or not isinstance(row, Mapping):
        raise TypeError(f'the prices of {model!r:.80} are {a_kind(row)}; write {{"input": "0.50", "output": "2"}}')
    if missing := [kind for kind in KINDS[:2] if kind not in row]:
        raise ValueError(f"the prices of {model!r} lack {' and '.join(missing)}; a price of 0 has to be written down")
    if unknown := [kind for kind in row if kind not in KINDS]:
        raise ValueError(f"the prices of {model!r} have {unknown[0]!r:.80}; use {', '.join(KINDS)}")
    return {kind: _price(f"prices[{model!r}][{kind!r}]", price) for kind, price in row.items()}


def _price(name: str, price: Any) -> Decimal:
    if isinstance(price, str):
        try:
            price = Decimal(price)
        except decimal.InvalidOperation:
            raise ValueError(f"{name} is {price!r:.80}; write a number, such as '0.50'") from None
    return exact(name, price)


def _counts(number: Any) -> TypeGuard[int]:
    return isinstance(number, int) and not isinstance(number, bool) and number >= 0

"""A meter: what one case used, counted where the calls are made, so that what is not known is not taken for nothing."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from functools import partial

from minagent_lab.errors import BudgetExceeded
from minagent_lab.messages import ModelResponse
from minagent_lab.observe.budget import Budget
from minagent_lab.observe.pricing import PriceTable, total

TOKENS = ("input_tokens", "output_tokens")


class Meter:
    """Counts the calls, the usage and the cost of one case. Pass it on as ``arun(..., budget=meter)``.

    Parameters
    ----------
    budget
        What limits the whole evaluation; it is asked before each call.
    prices
        What a response costs.

    Attributes
    ----------
    asked, answered : int
        How often the model was asked, and how often it answered. A call that failed may have been paid for.
    usage : dict
        The tokens that were told, summed.
    refused : BudgetExceeded or None
        What the budget refused, if it did.

    Examples
    --------
    >>> import asyncio
    >>> from minagent_lab import FakeModelProvider, ToolRegistry, arun
    >>> meter = Meter()
    >>> _ = asyncio.run(arun(FakeModelProvider(["Hello."]), ToolRegistry(), "Hi", budget=meter))
    >>> meter
    <Meter: 1 call of the model, usage unknown>
    """

    def __init__(self, budget: Budget | None = None, prices: PriceTable | None = None) -> None:
        self._budget, self._prices = budget, prices
        self.asked = self.answered = 0
        self.usage: dict[str, int] = {}
        self.refused: BudgetExceeded | None = None
        self._told = 0
        self._costs: list[Decimal | None] = []

    def before_model(self) -> None:
        """Count one more call of the model, unless the budget refuses it."""
        if self._budget is not None:
            self._remembering(self._budget.before_model)
        self.asked += 1

    def after_model(self, response: ModelResponse) -> None:
        """Count what a response used."""
        usage = response.usage
        self.answered += 1
        self._told += all(name in usage for name in TOKENS)
        for name in TOKENS:
            if name in usage:
                self.usage[name] = self.usage.get(name, 0) + usage[name]
        self._costs.append(self._prices.cost(response.model, usage) if self._prices else None)
        if self._budget is not None:
            self._budget.after_model(response)

    def before_tools(self, count: int) -> None:
        """Ask the budget whether the tools of a turn may run."""
        if self._budget is not None:
            self._remembering(partial(self._budget.before_tools, count))

    def _remembering(self, ask: Callable[[], None]) -> None:
        try:
            ask()
        except BudgetExceeded as refusal:
            self.refused = refusal
            raise

    @property
    def usage_known(self) -> bool:
        """Whether each call that was made told its usage; with no call, that is known to be nothing."""
        return self._told == self.asked

    @property
    def cost(self) -> Decimal | None:
        """What all calls cost together; ``None`` when one of them is not known."""
        known = [cost for cost in self._costs if cost is not None]
        return total(known) if self._prices is not None and len(known) == self.asked else None

    def __repr__(self) -> str:
        calls = "1 call" if self.asked == 1 else f"{self.asked} calls"
        used = f"{sum(self.usage.values()):,} tokens" if self.usage_known else "usage unknown"
        return f"<Meter: {calls} of the model, {used}>"

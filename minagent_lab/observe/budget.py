"""Budget: limits that are looked at before the next call, not after the damage.

A limit may be reached exactly. The next call of the model is refused when as much was used as is allowed; the tools of
a turn are refused together when they would be more than are left. An answer that crosses a limit was paid for, so it
is kept, and only what comes next is refused.
Source: the provider lesson (LoopGuard; usage belongs to the contract).
"""

from __future__ import annotations

import math
import threading
from decimal import Decimal
from typing import Any

from minagent_lab.errors import BudgetExceeded
from minagent_lab.messages import ModelResponse
from minagent_lab.observe.pricing import PriceTable, exact, total
from minagent_lab.values import a_kind

LIMITS = ("steps", "tool_calls", "tokens", "cost")
_ADVICE_ON_UNKNOWN = "Find out why it is unknown, or do not be strict"
_OF_MODEL = ("steps", "tokens", "cost")  # what keeps the model from being asked


class Budget:
    """What may be used, by one run or by several together. It only counts where it has no limit.

    Parameters
    ----------
    steps
        How often the model may be asked.
    tool_calls
        How many tool calls may be run.
    tokens
        How many tokens may be used, input and output together.
    cost, prices
        How much may be spent, and the `PriceTable` that tells what a response costs, in its currency.
    strict
        What to do where a response does not tell its usage, or has no price. By default it is counted in
        `unknown_usage` or `unknown_cost`, and what is known goes on counting; with ``strict=True`` the next call is
        refused where tokens or cost are limited.

    Attributes
    ----------
    unknown_usage, unknown_cost : int
        How many responses did not tell their usage, or had no price. They are not counted as zero: nobody knows.

    Examples
    --------
    >>> from minagent_lab import Message
    >>> budget = Budget(tokens=12)
    >>> budget.before_model()
    >>> usage = {"input_tokens": 10, "output_tokens": 2}
    >>> budget.after_model(ModelResponse(Message("assistant", "Hi"), usage=usage))
    >>> budget
    <Budget: 1 step, 0 tool calls, 12 of 12 tokens>
    >>> try:
    ...     budget.before_model()
    ... except BudgetExceeded as error:
    ...     print(error.limit_name, error.used, error.remaining)
    tokens 12 0
    """

    def __init__(
        self,
        *,
        steps: int | None = None,
        tool_calls: int | None = None,
        tokens: int | None = None,
        cost: Decimal | float | None = None,
        prices: PriceTable | None = None,
        strict: bool = False,
    ) -> None:
        if prices is not None and not isinstance(prices, PriceTable):
            raise TypeError(f"prices is {a_kind(prices)}; pass a PriceTable")
        if cost is not None and prices is None:
            raise ValueError(
                "cost is limited, and nothing tells what a response costs; pass prices=PriceTable(...) too"
            )
        self._limits: dict[str, int | Decimal] = {}
        for name, limit in (("steps", steps), ("tool_calls", tool_calls), ("tokens", tokens)):
            if limit is not None:
                self._limits[name] = _count(name, limit)
        if cost is not None:
            self._limits["cost"] = exact("cost", cost)
        self._prices, self._strict = prices, strict
        self._used: dict[str, int | Decimal] = {"steps": 0, "tool_calls": 0, "tokens": 0, "cost": Decimal(0)}
        self.unknown_usage = self.unknown_cost = 0
        self._lock = threading.Lock()

    # ---- what a run asks

    def before_model(self) -> None:
        """Count one more call of the model, or refuse it.

        Raises
        ------
        BudgetExceeded
            As many steps, tokens or as much cost was used as is allowed.
        """
        with self._lock:
            wanted = f"call {self._used['steps'] + 1} of the model"
            for name in _OF_MODEL:
                if name in self._limits and self._used[name] >= self._limits[name]:
                    raise self._refusal(name, wanted)
            if self._strict:
                self._refuse_unknown(wanted)
            self._used["steps"] += 1

    def after_model(self, response: ModelResponse) -> None:
        """Count what a response used. It refuses nothing: the response is there, and paid for."""
        usage = response.usage
        known = [usage[name] for name in ("input_tokens", "output_tokens") if name in usage]
        cost = self._prices.cost(response.model, usage) if self._prices else None
        with self._lock:
            self._used["tokens"] += sum(known)
            self.unknown_usage += len(known) < 2
            if cost is not None:
                self._used["cost"] = total([Decimal(self._used["cost"]), cost])
            elif self._prices:
                self.unknown_cost += 1

    def before_tools(self, count: int) -> None:
        """Count the tool calls of one turn, or refuse all of them.

        Raises
        ------
        BudgetExceeded
            They are more than are left. None of them is counted then, and none should run.
        """
        with self._lock:
            if "tool_calls" in self._limits and self._used["tool_calls"] + count > self._limits["tool_calls"]:
                raise self._refusal("tool_calls", "1 tool call" if count == 1 else f"{count} tool calls")
            self._used["tool_calls"] += count

    def _refusal(self, name: str, wanted: str, *advice: str) -> BudgetExceeded:
        return BudgetExceeded(name, self._limits[name], self._used[name], wanted, *advice)

    def _refuse_unknown(self, wanted: str) -> None:
        for name, unknown, what in (
            ("tokens", self.unknown_usage, "usage"),
            ("cost", self.unknown_cost, "cost"),
        ):
            if unknown and name in self._limits:
                why = f"since the {what} of {_calls(unknown)} is unknown"
                raise self._refusal(name, f"{wanted}, {why}", _ADVICE_ON_UNKNOWN)

    # ---- how it stands

    @property
    def used(self) -> dict[str, int | Decimal]:
        """What was used: ``steps``, ``tool_calls``, ``tokens`` and ``cost``, as far as it is known."""
        return dict(self._used)

    @property
    def remaining(self) -> dict[str, int | Decimal]:
        """What is left of each limit, never below zero; what has no limit is not in it."""
        return {name: max(limit - self._used[name], 0) for name, limit in self._limits.items()}

    @property
    def exceeded(self) -> tuple[str, ...]:
        """The limits that were crossed; one that is reached exactly was not."""
        return tuple(name for name, limit in self._limits.items() if self._used[name] > limit)

    def __repr__(self) -> str:
        shown = [name for name in LIMITS if name != "cost" or self._prices]
        parts = [self._part(name) for name in shown]
        if self.unknown_usage:
            parts.append(f"usage unknown for {_calls(self.unknown_usage)}")
        if self.unknown_cost:
            parts.append(f"cost unknown for {_calls(self.unknown_cost)}")
        return f"<Budget: {', '.join(parts)}>"

    def _part(self, name: str) -> str:
        used, limit = self._used[name], self._limits.get(name)
        shown = f"{used:f}" if isinstance(used, Decimal) else f"{used}"
        of = "" if limit is None else f" of {limit:f}" if isinstance(limit, Decimal) else f" of {limit}"
        if name == "cost":
            return f"cost {shown}{of} {self._prices.currency}"  # type: ignore[union-attr]
        noun = name.replace("_", " ")
        return f"{shown}{of} {noun[:-1] if shown == '1' and not of else noun}"


def _count(name: str, limit: Any) -> int:
    if isinstance(limit, float) and not math.isfinite(limit):
        raise ValueError(f"{name} is {limit}; write a whole number from 0 up, or None for no limit")
    if isinstance(limit, bool) or not isinstance(limit, int):
        raise TypeError(f"{name} is {limit!r:.80}; write a whole number from 0 up, or None for no limit")
    if limit < 0:
        raise ValueError(f"{name} is {limit}; write a whole number from 0 up, or None for no limit")
    return limit


def _calls(number: int) -> str:
    return "1 call" if number == 1 else f"{number} calls"

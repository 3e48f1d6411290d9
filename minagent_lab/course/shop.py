"""The small world of the exercises: one shop, two tools. The same one as in the chapters."""

from __future__ import annotations

from typing import Any

import minagent_lab
from minagent_lab import Tool, ToolCall, ToolRegistry

PRICES = {"tea": 12, "cake": 8}
TEXT, NUMBER = {"type": "string"}, {"type": "number"}
ONE_ITEM = {"type": "object", "properties": {"item": TEXT}, "required": ["item"]}
TWO_NUMBERS = {"type": "object", "properties": {"a": NUMBER, "b": NUMBER}, "required": ["a", "b"]}
PATIENCE = 50  # tool calls, after which an exercise's shop closes


class ShopClosed(BaseException):
    """An agent used tools without end. The registry lets it through, as it does Ctrl-C, so no loop swallows it."""

    def __init__(self) -> None:
        super().__init__(f"{PATIENCE} tool calls and no end; the model has to be asked again inside the loop")


def shop() -> ToolRegistry:
    """Return a fresh shop, whose tools give up after 50 calls."""
    calls = 0

    def patient() -> None:
        nonlocal calls
        calls += 1
        if calls > PATIENCE:
            raise ShopClosed

    def price(item: str) -> int:
        patient()
        return PRICES[item]

    def add(a: float, b: float) -> float:
        patient()
        return a + b

    registry = ToolRegistry()
    registry.add(Tool("price", "Price of one item (单价)", ONE_ITEM, price))
    registry.add(Tool("add", "Sum of two numbers (相加)", TWO_NUMBERS, add))
    return registry


def world() -> dict[str, Any]:
    """Return the names that a chapter's first cells define: the package's, and the shop."""
    names = {name: getattr(minagent_lab, name) for name in minagent_lab.__all__ if name not in ("step", "StepperView")}
    return {**names, "registry": shop(), "PRICES": dict(PRICES), "one_item": ONE_ITEM, "numbers": TWO_NUMBERS}


TEA = ToolCall("c1", "price", {"item": "tea"})
CAKE = ToolCall("c2", "price", {"item": "cake"})
TOTAL = ToolCall("c3", "add", {"a": 12, "b": 8})

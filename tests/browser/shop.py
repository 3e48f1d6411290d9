"""The run that the browser tests of the stepper look at, as cells of a notebook."""

import re

from playwright.sync_api import Locator, expect

SHOP = """
from minagent_lab import FakeModel, Message, ModelResponse, Stepper, StepperView, Tool, ToolCall, ToolRegistry, step

def sub(a, b):
    print("counting down")
    return a - b

number = {"type": "number"}
schema = {"type": "object", "properties": {"a": number, "b": number}, "required": ["a", "b"]}
registry = ToolRegistry()
registry.add(Tool("add", "Sum (相加)", schema, lambda a, b: a + b))
registry.add(Tool("sub", "Difference", schema, sub))
SCRIPT = [[ToolCall("c1", "add", {"a": 2, "b": 3})], [ToolCall("c2", "sub", {"a": 5, "b": "four"})],
          [ToolCall("c3", "sub", {"a": 5, "b": 4})], "答案是 1。"]
models = []

def open_stepper(script=SCRIPT, prompt="2+3-4?", **options):
    models.append(FakeModel(script))
    return step(models[-1], registry, prompt, **options)
"""


def shows(view: Locator, call: int) -> None:
    expect(view.locator(".lab-pos")).to_have_text(re.compile(f"^Call {call} of" if call else "^Before call 1 "))


def press(view: Locator, name: str) -> None:
    view.locator(f".lab-{name}").click()


def says(view: Locator, words: str) -> None:
    expect(view.locator(".lab-now")).to_contain_text(words)

"""Small runs that the tests of the views look at."""

from minagent_lab import FakeModel, Message, ModelResponse, Stepper, Tool, ToolCall, ToolRegistry

NUMBER = {"type": "number"}
ADD = {"type": "object", "properties": {"a": NUMBER, "b": NUMBER}, "required": ["a", "b"]}


def shop() -> ToolRegistry:
    registry = ToolRegistry()
    registry.add(Tool("add", "Sum (相加)", ADD, lambda a, b: a + b))
    registry.add(Tool("div", "Quotient", ADD, lambda a, b: a / b))
    return registry


def add(call_id: str, a: object = 2, b: object = 3) -> ToolCall:
    return ToolCall(call_id, "add", {"a": a, "b": b})


def cut(*calls: ToolCall, text: str = "") -> ModelResponse:
    return ModelResponse(Message("assistant", text, calls), "max_tokens")


class Broken:
    """A model that raises."""

    def complete(self, messages: object, tools: object) -> ModelResponse:
        raise ConnectionError("no route to <host>")


RUNS = {
    "an answer": {"script": ["Hello."]},
    "one tool": {"script": [[add("c1")], "5"]},
    "two tools": {"script": [[add("c1"), add("c2")], "5"]},
    "two turns": {"script": [[add("c1")], [add("c2")], "5"]},
    "arguments that do not fit": {"script": [[add("c1", "two")], "?"]},
    "an unknown tool": {"script": [[ToolCall("c1", "search", {})], "?"]},
    "a tool that fails": {"script": [[ToolCall("c1", "div", {"a": 1, "b": 0})], "?"]},
    "a cut answer": {"script": [cut()]},
    "a cut call": {"script": [cut(add("c1")), "5"]},
    "a script used up": {"script": [[add("c1")]]},
    "an empty script": {"script": []},
    "over max_steps": {"script": [[add("c1")], [add("c2")], [add("c3")]], "max_steps": 2},
    "over max_steps at a cut call": {"script": [cut(add("c1"))], "max_steps": 1},
    "a model that raises": {"model": Broken()},
    "a filtered answer": {"script": [ModelResponse(Message("assistant", "It"), "content_filter")]},
}


def stepper(name: str, **options: object) -> Stepper:
    facts = RUNS[name]
    model = facts.get("model") or FakeModel(facts["script"])
    return Stepper(model, shop(), "2 + 3?", max_steps=facts.get("max_steps", 10), **options)


def finished(name: str, **options: object) -> Stepper:
    made = stepper(name, **options)
    made.run_to_end()
    return made

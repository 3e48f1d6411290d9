"""What many tests start from: a tool, a registry, a call, and JSON data of every shape."""

from hypothesis import strategies as st

from minagent_lab import Tool, ToolCall, ToolRegistry

NUMBERS = {
    "type": "object",
    "properties": {"a": {"type": "number"}, "b": {"type": "number"}},
    "required": ["a", "b"],
}
ANYTHING = {"type": "object"}

scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
json_values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4), max_leaves=12
)
half_texts = st.text(st.characters(codec=None, categories=["Cs"]) | st.sampled_from("a结✅"))  # with lone surrogates
json_objects = st.dictionaries(st.text(), json_values, max_size=4)


def tool(func, parameters=ANYTHING, name="t"):
    return Tool(name, "For a test", parameters, func)


def registry(*tools):
    made = ToolRegistry()
    for one in tools:
        made.add(one)
    return made


def adder():
    return registry(Tool("add", "Sum of two numbers", NUMBERS, lambda a, b: a + b))


def call(id="c1", name="add", **arguments):
    return ToolCall(id, name, arguments or {"a": 2, "b": 3})


def text_of(func, parameters=ANYTHING, **arguments):
    """Return what the model would read of one call of a tool made from `func`."""
    return registry(tool(func, parameters)).call("t", arguments)


def well_formed(messages):
    """Whether each call has exactly one tool message, right after the message that asked for it, in order."""
    expected = []
    for message in messages:
        if message.role == "tool":
            if not expected or message.tool_call_id != expected.pop(0):
                return False
        elif expected:
            return False
        else:
            expected = [wish.id for wish in message.tool_calls]
    return not expected

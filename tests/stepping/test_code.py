"""The code of a cell that shows a run again."""

from hypothesis import given
from hypothesis import strategies as st
from lab import adder, call

import minagent_lab
from minagent_lab import FakeModel, Message, ModelResponse, Stepper, ToolCall
from minagent_lab.mockgpt import MockGPT
from minagent_lab.stepping.code import code_of

LONG = [call(f"c{n}", a=n, b=100_000_000_000) for n in range(5)]
items = (
    st.text() | st.just(LONG) | st.just(ModelResponse(Message("assistant", "cut"), "max_tokens", {"input_tokens": 3}))
)


def made(code, registry):
    """Run the code as a cell; return the model and what `step` was given."""
    given = {}

    def step(model, registry, prompt, **options):
        given.update(model=model, prompt=prompt, options=options)

    names = {"registry": registry}
    source = code.replace(", step\n", "\n").replace("import step\n", "import run\n")
    exec(source, {**vars(minagent_lab), **names, "step": step})
    return given


@given(st.lists(items, max_size=4), st.text(min_size=1), st.none() | st.text(), st.integers(1, 12))
def test_the_code_makes_the_same_run(script, prompt, system, max_steps):
    stepper = Stepper(FakeModel(script), adder(), prompt, system=system, max_steps=max_steps)
    if script:
        stepper.forward()
    given = made(code_of(stepper), adder())

    assert given["model"].script == stepper.model.script
    assert given["prompt"] == prompt
    assert given["options"].get("system") == system
    assert given["options"].get("max_steps", 10) == max_steps
    assert given["options"].get("at", 0) == stepper.index


def test_it_names_what_it_needs():
    stepper = Stepper(FakeModel([[ToolCall("c1", "add", {"a": 1, "b": 2})], "3"]), adder(), "1 + 2?")
    code = code_of(stepper)
    assert code.splitlines()[0] == "from minagent_lab import FakeModel, ToolCall, step"
    assert "# registry: add" in code
    assert max(map(len, code_of(Stepper(FakeModel([LONG]), adder(), "x")).splitlines())) < 100


def test_a_model_without_a_script_is_expected_by_name():
    code = code_of(Stepper(MockGPT([], fallback="x"), adder(), "Hi"))
    assert code.splitlines()[-1] == "step(model, registry, 'Hi')"
    assert "script" not in code

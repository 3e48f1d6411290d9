import copy
import pickle

import pytest
from lab import adder, call

from minagent_lab import (
    FakeModel,
    FixtureError,
    MaxStepsExceeded,
    MinAgentError,
    ScriptExhausted,
    errors,
    load_fixture,
    run,
)


@pytest.mark.parametrize(
    ("kind", "builtin"),
    [
        (errors.ScriptExhausted, RuntimeError),
        (errors.MaxStepsExceeded, RuntimeError),
        (errors.UnexpectedRequest, AssertionError),
        (errors.ScriptNotExhausted, AssertionError),
        (errors.FixtureError, ValueError),
    ],
)
def test_each_exception_is_a_child_of_the_root_and_of_the_builtin_that_fits(kind, builtin):
    assert issubclass(kind, MinAgentError)
    assert issubclass(kind, builtin)


def test_the_tree_in_the_docstring_is_the_tree():
    children = {
        kind.__name__ for kind in vars(errors).values() if isinstance(kind, type) and kind.__base__ is MinAgentError
    }

    assert all(f"── {name}" in errors.__doc__ for name in children)
    assert errors.__doc__.count("── ") == len(children)


def raised(kind, doing):
    with pytest.raises(kind) as caught:
        doing()
    return caught.value


def over_the_limit():
    run(FakeModel([[call()], "never"]), adder(), "x", max_steps=1)


def exhausted():
    run(FakeModel([]), adder(), "x")


def no_fixture(folder):
    return lambda: load_fixture(folder)


@pytest.mark.parametrize("remake", [copy.copy, copy.deepcopy, lambda error: pickle.loads(pickle.dumps(error))])
def test_an_error_can_be_copied_and_pickled_with_all_it_carries(remake, tmp_path):
    made = [
        raised(MaxStepsExceeded, over_the_limit),
        raised(ScriptExhausted, exhausted),
        raised(FixtureError, no_fixture(tmp_path)),
    ]
    for error in made:
        again = remake(error)
        assert type(again) is type(error)
        assert str(again) == str(error)
        assert vars(again) == vars(error)


def test_an_error_outside_a_run_carries_no_result(tmp_path):
    assert raised(FixtureError, no_fixture(tmp_path)).result is None


def test_the_limit_says_what_happened_in_chinese_first_and_what_to_do():
    said = str(raised(MaxStepsExceeded, over_the_limit))

    assert said.startswith("超过 1 步 (over max_steps=1: the model was asked 1 times and never answered without a tool")
    assert "look at error.result.steps for what repeats, then raise max_steps" in said

import builtins
import copy
import pickle
import re

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


def drawn():
    """Read the tree in the docstring: each class with its parent and the builtin beside it."""
    path = []
    for line in errors.__doc__.splitlines():
        if found := re.match(r"^    ([│ ├└─]*)([A-Z]\w+)(?: +\((\w+)\)  )?", line):
            depth, name, builtin = len(found[1]) // 4, found[2], found[3]
            path[depth:] = [name]
            yield name, path[depth - 1] if depth else "Exception", builtin


def test_the_tree_in_the_docstring_is_the_tree():
    kinds = {
        kind.__name__: kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, Exception)
    }
    tree = list(drawn())

    assert sorted(name for name, _, _ in tree) == sorted(kinds)
    for name, parent, builtin in tree:
        assert kinds[name].__bases__[0].__name__ == parent
        assert builtin is None or issubclass(kinds[name], getattr(builtins, builtin))


PROVIDER_ERRORS = [
    kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, errors.ProviderError)
]


@pytest.mark.parametrize("kind", PROVIDER_ERRORS)
def test_a_provider_error_tells_what_the_service_told_and_survives_copying(kind):
    error = kind("no answer", status_code=503, request_id="req_1", code="busy", retry_after=2.0)

    for same in (error, copy.copy(error), pickle.loads(pickle.dumps(error))):
        assert type(same) is kind
        assert str(same) == "no answer (status 503, request req_1, code busy, retry after seconds 2.0)"
        assert repr(same) == (
            f"{kind.__name__}('no answer', status_code=503, request_id='req_1', code='busy', retry_after=2.0)"
        )
    assert str(kind("no answer")) == "no answer"


def test_only_what_may_pass_by_itself_is_retryable():
    retryable = {kind.__name__ for kind in PROVIDER_ERRORS if kind().retryable}

    assert retryable == {"RateLimitError", "ServerError", "NetworkError", "ProviderTimeoutError"}
    assert not errors.RateLimitError(code="insufficient_quota").retryable
    assert not issubclass(errors.AbortError, errors.ProviderError)


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
    assert said.startswith("超过 ")
    assert "Does the same call repeat? Repair the agent. Is each call new? Raise max_steps" in said
    assert "look at error.result.steps" in said

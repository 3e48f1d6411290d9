import sys

import pytest

from minagent_lab.course.exercise import made
from minagent_lab.course.running import Outcome, attempted


def call(thing):
    thing()


def one_line_loop():
    while True:
        pass


def loop_that_swallows():
    while True:
        try:
            int("x")
        except Exception:
            continue


def recursion():
    return recursion()


@pytest.mark.parametrize("loop", [one_line_loop, loop_that_swallows, lambda: [None for _ in iter(int, 1)]])
def test_a_loop_without_end_is_stopped_with_a_line_that_says_so(loop):
    outcome = attempted(call, loop, steps=10_000)
    assert outcome.problem == "it did not come to an end: stopped after 10,000 steps of Python"
    assert sys.gettrace() is None


def test_endless_recursion_is_a_reason_like_any_other():
    assert attempted(call, recursion).failed_by == "RecursionError"


def test_what_passes_has_no_problem():
    assert attempted(call, lambda: None) == Outcome(None)


@pytest.mark.parametrize(("error", "problem"), [
    (AssertionError("expected 3"), "expected 3"),
    (AssertionError(), "AssertionError"),
    (KeyError("tea"), "KeyError: 'tea'"),
    (SystemExit(1), "SystemExit: 1"),
    (GeneratorExit(), "GeneratorExit"),
])  # fmt: skip
def test_whatever_is_raised_becomes_a_reason(error, problem):
    def thing():
        raise error

    assert attempted(call, thing).problem == problem


def test_ctrl_c_comes_through():
    def thing():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        attempted(call, thing)


def test_a_megabyte_of_output_is_kept_away_and_counted(capsys):
    outcome = attempted(call, lambda: print("x" * 1_000_000))
    assert capsys.readouterr().out == ""
    assert outcome.printed.startswith("xxx")
    assert outcome.printed.endswith("… (999,501 more characters)")
    assert len(outcome.printed) < 600


def test_what_is_written_to_stderr_is_kept_too():
    assert attempted(call, lambda: print("careful", file=sys.stderr)).printed == "careful\n"


def test_a_debugger_keeps_its_place():
    seen = []

    def debugger(*_):
        seen.append(1)

    before = sys.gettrace()
    sys.settrace(debugger)
    try:
        attempted(call, lambda: None)
        assert sys.gettrace() is debugger
    finally:
        sys.settrace(before)
    assert seen


def test_the_work_of_the_package_is_not_counted_not_even_its_imports():
    from minagent_lab.course.shop import shop

    assert attempted(call, lambda: [shop() for _ in range(5)], steps=20_000).problem is None


def test_the_code_of_an_exercise_is_counted():
    endless = made("def loop():\n    while True: pass", thing="loop")
    assert attempted(call, endless, steps=10_000).failed_by == "TooLong"

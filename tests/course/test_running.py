import asyncio
import gc
import sys
import warnings

import pytest

from minagent_lab.course.awaiting import finished
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


# ---- a coroutine that nobody awaits

HASTY = """
import asyncio

async def wait(): ...

def direct():
    wait()

async def inside():
    asyncio.sleep(1)

def in_a_cycle():
    held = [wait()]
    held.append(held)

def twice():
    for _ in range(3):
        wait()
"""


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("direct", ("`wait`, line 7",)),
        ("inside", ("`sleep`, line 10",)),
        ("in_a_cycle", ("`wait`, line 13",)),
        ("twice", ("`wait`, line 18",)),
    ],
)
def test_a_coroutine_that_nobody_awaits_is_told_with_its_line(name, told):
    outcome = attempted(lambda thing: finished(thing()), made(HASTY, thing=name))
    assert (outcome.forgotten, outcome.printed, outcome.problem) == (told, "", None)


def test_one_that_the_test_itself_made_has_no_line():
    ours = eval("lambda thing: asyncio.sleep(0) and None", {"asyncio": asyncio})  # in a file that is not counted
    assert attempted(ours, None).forgotten == ("`sleep`",)


def test_it_is_told_of_the_test_that_made_it_and_of_no_other():
    in_a_cycle = made(HASTY, thing="in_a_cycle")
    gc.disable()
    try:
        told = [attempted(call, thing).forgotten for thing in (in_a_cycle, lambda: None)]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            in_a_cycle()
            told.append(attempted(call, gc.collect).forgotten)
            gc.collect()
    finally:
        gc.enable()
    assert told == [("`wait`, line 13",), (), ()]


def test_another_warning_is_kept_as_what_was_printed_without_a_path():
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        outcome = attempted(call, lambda: warnings.warn("old", DeprecationWarning, stacklevel=1))
    assert outcome.printed == "DeprecationWarning: old\n"


def test_nothing_is_left_changed():
    before = sys.get_coroutine_origin_tracking_depth(), gc.get_freeze_count(), list(warnings.filters)
    attempted(call, one_line_loop, steps=1_000)
    assert (sys.get_coroutine_origin_tracking_depth(), gc.get_freeze_count(), list(warnings.filters)) == before

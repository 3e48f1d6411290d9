"""Exercises in which the learner writes the test: it has to accept what is right and to reject what is broken.

A test may be async, since what it tests may be: it is driven by `finished`.
"""

from __future__ import annotations

import inspect
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from minagent_lab.course.awaiting import finished
from minagent_lab.course.exercise import Mutant, Test, mutated, says
from minagent_lab.course.running import TooLong
from minagent_lab.results import exception_text
from minagent_lab.values import value


@value
class Broken:
    """A broken version of what the learner's test is given, as one edit of the right one."""

    name: str
    old: str
    new: str
    why: str


def judge(
    right: Mapping[str, Callable[[], Any]], broken: Sequence[Broken], source: str, make: Callable[[str], Any], noun: str
) -> list[Test]:
    """Return the tests of a learner's test.

    Parameters
    ----------
    right
        What it must accept: a name, and a function that makes it.
    broken, source
        What it must reject: edits of `source`.
    make
        Makes the thing from its source.
    noun
        What the thing is called, such as ``"loop"``.
    """
    tests = [_accepts(name, thing, noun) for name, thing in right.items()]
    for fault in broken:
        edited = mutated(source, Mutant(fault.name, fault.old, fault.new, "", fault.why))
        tests.append(_rejects(fault, lambda edited=edited: make(edited), noun))  # type: ignore[misc]
    return tests


def _accepts(name: str, thing: Callable[[], Any], noun: str) -> Test:
    @says(f"accepts {name}")
    def test(learners_test: Callable[[Any], Any]) -> None:
        try:
            finished(learners_test(thing()))
        except _refusals() as problem:
            at = _where(learners_test, problem, "; the test failed at")
            said = f": {problem}" if str(problem) else ""
            raise AssertionError(f"your test rejects this {noun}, but it is right{at}{said}") from None
        except Exception as problem:
            at = _where(learners_test, problem, ", at")
            raise AssertionError(f"your test raised {exception_text(problem)}{at}") from None

    return test


def _rejects(fault: Broken, thing: Callable[[], Any], noun: str) -> Test:
    article = "an" if noun[0] in "aeiou" else "a"

    @says(f"rejects {article} {noun} that {fault.name}")
    def test(learners_test: Callable[[Any], Any]) -> str | None:
        try:
            returned = finished(learners_test(thing()))
        except _refusals():
            return None
        except TooLong:
            return "rejected, but only because it never came to an end"
        except Exception as problem:
            return f"rejected, but by {type(problem).__name__}; an assert would say why"
        if returned is False:
            raise AssertionError("your test returned False; a test says no by `assert`")
        raise AssertionError("your test let it through")

    return test


def _refusals() -> tuple[type[BaseException], ...]:
    """Return how a test says no: by an assert, or by what ``pytest.raises`` and ``pytest.fail`` raise."""
    pytest = sys.modules.get("pytest")  # a learner's test that uses it has imported it
    return (AssertionError, pytest.fail.Exception) if pytest else (AssertionError,)


def _where(learners_test: Callable[[Any], Any], problem: BaseException, words: str) -> str:
    """Return after some words the line of the learner's cell that was at work; nothing where none is known."""
    cell = getattr(getattr(inspect.unwrap(learners_test), "__code__", None), "co_filename", None)
    lines = [line for line in traceback.extract_tb(problem.__traceback__) if line.filename == cell]
    if not lines:
        return ""
    code = f": `{lines[-1].line}`" if lines[-1].line else ""
    return f"{words} line {lines[-1].lineno}{code}"

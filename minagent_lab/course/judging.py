"""Exercises in which the learner writes the test: it has to accept what is right and to reject what is broken.

A test may be async, since what it tests may be: it is driven by `finished`.
"""

from __future__ import annotations

import ast
import inspect
import linecache
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from minagent_lab.course.awaiting import finished
from minagent_lab.course.exercise import Advice, Mutant, Test, mutated, says
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
            returned = finished(learners_test(thing()))
        except _refusals() as problem:
            at = _where(learners_test, problem, "; the test failed at")
            said = f": {problem}" if str(problem) else ""
            raise AssertionError(f"your test rejects this {noun}, but it is right{at}{said}") from None
        except Exception as problem:
            at = _where(learners_test, problem, ", at")
            raise AssertionError(f"your test raised {exception_text(problem)}{at}") from None
        _has_run(returned)

    return test


def _has_run(returned: Any) -> None:
    if inspect.isgenerator(returned) or inspect.isasyncgen(returned):
        raise AssertionError("your test has a `yield`, so a call of it only makes a generator, and no line of it runs")


def _rejects(fault: Broken, thing: Callable[[], Any], noun: str) -> Test:
    article = "an" if noun[0] in "aeiou" else "a"

    @says(f"rejects {article} {noun} that {fault.name}")
    def test(learners_test: Callable[[Any], Any]) -> str | None:
        try:
            returned = finished(learners_test(thing()))
        except _refusals():
            return None
        except TooLong:
            return Advice("rejected, but only because it never came to an end")
        except Exception as problem:
            if _in_raises(learners_test, problem):
                return None
            return Advice(f"rejected, but by {type(problem).__name__}; an assert would say why")
        _has_run(returned)
        if returned is False:
            raise AssertionError("your test returned False; a test says no by `assert`")
        raise AssertionError("your test let it through")

    return test


def _refusals() -> tuple[type[BaseException], ...]:
    """Return how a test says no: by an assert, or by what ``pytest.raises`` and ``pytest.fail`` raise."""
    pytest = sys.modules.get("pytest")  # a learner's test that uses it has imported it
    return (AssertionError, pytest.fail.Exception) if pytest else (AssertionError,)


def _lines(learners_test: Callable[[Any], Any], problem: BaseException) -> list[traceback.FrameSummary]:
    """Return the lines of the learner's cell that were at work, the innermost last."""
    cell = getattr(getattr(inspect.unwrap(learners_test), "__code__", None), "co_filename", None)
    return [line for line in traceback.extract_tb(problem.__traceback__) if line.filename == cell]


def _where(learners_test: Callable[[Any], Any], problem: BaseException, words: str) -> str:
    """Return after some words the line of the learner's cell that was at work; nothing where none is known."""
    lines = _lines(learners_test, problem)
    if not lines:
        return ""
    code = f": `{lines[-1].line}`" if lines[-1].line else ""
    return f"{words} line {lines[-1].lineno}{code}"


def _in_raises(learners_test: Callable[[Any], Any], problem: BaseException) -> bool:
    """Whether it came through a ``with pytest.raises(...)``, which says by that what it wanted instead."""
    lines = _lines(learners_test, problem)
    if not lines:
        return False
    try:
        tree = ast.parse("".join(linecache.getlines(lines[0].filename)))
    except (SyntaxError, ValueError):  # a cell with a magic in it
        return False
    blocks = [block for block in ast.walk(tree) if isinstance(block, (ast.With, ast.AsyncWith)) and _expects(block)]
    at = [line.lineno or 0 for line in lines]
    return any(block.lineno <= line <= (block.end_lineno or 0) for block in blocks for line in at)


def _expects(block: ast.With | ast.AsyncWith) -> bool:
    calls = [item.context_expr for item in block.items if isinstance(item.context_expr, ast.Call)]
    names = [ast.unparse(call.func).rpartition(".")[2] for call in calls]
    return any(name in ("raises", "expect_error") for name in names)

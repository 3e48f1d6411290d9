"""Exercises in which the learner writes the test: it has to accept what is right and to reject what is broken."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from minagent_lab.course.exercise import Mutant, Test, mutated
from minagent_lab.course.running import TooLong
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
    tests = [_accepts(name, thing) for name, thing in right.items()]
    for fault in broken:
        edited = mutated(source, Mutant(fault.name, fault.old, fault.new, "", fault.why))
        tests.append(_rejects(fault, lambda edited=edited: make(edited), noun))  # type: ignore[misc]
    return tests


def _accepts(name: str, thing: Callable[[], Any]) -> Test:
    def test(learners_test: Callable[[Any], Any]) -> None:
        try:
            learners_test(thing())
        except AssertionError as problem:
            said = f": {problem}" if str(problem) else ""
            raise AssertionError(f"your test fails on it, and it is right{said}") from None

    test.sentence = f"accepts {name}"  # type: ignore[attr-defined]
    return test


def _rejects(fault: Broken, thing: Callable[[], Any], noun: str) -> Test:
    def test(learners_test: Callable[[Any], Any]) -> str | None:
        try:
            learners_test(thing())
        except AssertionError:
            return None
        except TooLong:
            return "rejected, but only because it never came to an end"
        except Exception as problem:
            return f"rejected, but by {type(problem).__name__}; an assert would say why"
        raise AssertionError("your test let it through")

    test.sentence = f"rejects a {noun} that {fault.name}"  # type: ignore[attr-defined]
    return test

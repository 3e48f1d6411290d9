"""Exercises as data: a task, a first try, hints, a solution, tests, and the mistakes that learners really make.

The data is checked by a test of this project: each starter fails, each solution passes, and each mutant, a solution
with one mistake in it, fails the very test that is there for it.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Sequence
from typing import Any

from minagent_lab.values import value

Test = Callable[[Any], str | None]


class Advice(str):
    """A note beside a ✓ that helps on the way: once the exercise is solved it is left out."""

    __slots__ = ()


@value
class Mutant:
    """A wrong version of a solution, as one edit of it.

    Parameters
    ----------
    name
        What is wrong with it, such as ``"forgets the assistant message"``.
    old, new
        The edit: `old` stands in the solution exactly once, and is replaced by `new`.
    caught_by
        The name of the test that must fail for it. Others may fail too.
    why
        The idea behind the mistake, in one sentence.
    """

    name: str
    old: str
    new: str
    caught_by: str
    why: str


@value
class WrongTest:
    """A test that a learner writes and that lets something through; `caught_by` is the line that must stay ✗."""

    name: str
    code: str
    caught_by: str
    why: str


@value
class Exercise:
    """One exercise.

    Parameters
    ----------
    id
        Chapter and number, such as ``"3.2"``.
    title
        What it is called in its report.
    thing
        What the starter defines and `check` is given: a name, or several as ``"(sent, new)"``.
    wants
        What that is, in words, such as ``"a function messages_per_call(turns, system=False)"``.
    fits
        Whether something is of that kind at all. What is not gets `wants` as its report; with one of `kinds`, such as
        ``is_async_function``, it is told what to write instead.
    starter
        The code in the learner's cell: a plausible first try.
    hints
        From a nudge to nearly the answer.
    solution
        The code that passes.
    tests
        Functions of the thing, named ``test_`` and a sentence. They raise ``AssertionError`` with a reason;
        a text that one returns is a note beside its ✓.
    mutants, wrong_tests
        What the tests must catch; wrong tests where the learner's work is itself a test.
    world
        Makes the names that the cells above the exercise have defined, for the starter and the solution to use.
    """

    id: str
    title: str
    thing: str
    wants: str
    fits: Callable[[Any], bool]
    starter: str
    hints: Sequence[str]
    solution: str
    tests: Sequence[Test]
    mutants: Sequence[Mutant] = ()
    wrong_tests: Sequence[WrongTest] = ()
    world: Callable[[], dict[str, Any]] = dict

    def made_by(self, code: str) -> Any:
        """Return the thing that some code defines, in a fresh world."""
        return made(code, thing=self.thing, world=self.world)

    def __repr__(self) -> str:
        return f"<Exercise {self.id}: {self.title}>"


def made(code: str, *, thing: str, world: Callable[[], dict[str, Any]] = dict) -> Any:
    """Return what some code of ours defines, in a fresh world.

    Parameters
    ----------
    code
        The code to run.
    thing
        What it defines: a name, or several as ``"(sent, new)"``.
    world
        Makes the names that the code may use.

    Examples
    --------
    >>> twice = made("def twice(n): return TWO * n", thing="twice", world=lambda: {"TWO": 2})
    >>> twice(4)
    8
    """
    names = world()
    exec(compile(textwrap.dedent(code), "<exercise>", "exec"), names)  # noqa: S102  (our own data)
    return eval(thing, names)  # noqa: S307


def is_function(thing: Any) -> bool:
    """Whether something can be called, and is no class: what most exercises ask for."""
    return callable(thing) and not isinstance(thing, type)


def mutated(solution: str, mutant: Mutant) -> str:
    """Return the solution with the mutant's mistake in it.

    Raises
    ------
    ValueError
        The edit does not fit the solution: its `old` does not stand there exactly once.
    """
    if (times := solution.count(mutant.old)) != 1:
        raise ValueError(f"mutant {mutant.name!r}: {mutant.old!r} stands {times} times in the solution; once is needed")
    return solution.replace(mutant.old, mutant.new)


def says(words: str) -> Callable[[Test], Test]:
    """Give a test a sentence that its name cannot hold: one with signs, capitals, or names of code."""

    def named(test: Test) -> Test:
        test.sentence = words  # type: ignore[attr-defined]
        return test

    return named


def sentence(test: Test) -> str:
    """Return what a test asks for, as a sentence: the one that `says` gave it, or its name.

    Examples
    --------
    >>> def test_a_plain_answer_ends_the_run(agent): ...
    >>> sentence(test_a_plain_answer_ends_the_run)
    'a plain answer ends the run'
    >>> sentence(says("it is JSON")(lambda text: None))
    'it is JSON'
    """
    return getattr(test, "sentence", None) or test.__name__.removeprefix("test_").replace("_", " ")

"""Exercises whose point is to write what the package has: what uses the package's own answer is told so, politely."""

from __future__ import annotations

import dis
import functools
import inspect
from collections.abc import Iterator
from types import CodeType, FunctionType
from typing import Any

from minagent_lab.course.exercise import Test, says

GLOBAL = ("LOAD_GLOBAL", "LOAD_NAME")
NAMED = ("LOAD_ATTR", "LOAD_METHOD", "IMPORT_FROM")


def by_hand(*answers: Any) -> Test:
    """Return a test of a function: it uses none of the functions and classes that do the exercise's work already.

    What it calls is followed as far as the learner wrote it. It is a reminder, and no lock.

    Parameters
    ----------
    answers
        Functions and classes of the package.

    Examples
    --------
    >>> from minagent_lab.course.report import attempted
    >>> def total(numbers): return sum(numbers)
    >>> attempted(by_hand(sum), total).problem
    '`sum` is the answer that the package has; here you write it yourself, and then you may compare'
    >>> attempted(by_hand(max), total).problem
    """

    @says("it is made by hand")
    def test_by_hand(thing: Any) -> None:
        for name in _used(thing, answers, set()):
            raise AssertionError(
                f"`{name}` is the answer that the package has; here you write it yourself, and then you may compare"
            )

    return test_by_hand


def _used(thing: Any, answers: tuple[Any, ...], seen: set[int]) -> Iterator[str]:
    """Yield the names of the answers that a thing uses."""
    if isinstance(thing, functools.partial):
        thing = thing.func
    if any(thing is answer or type(thing) is answer for answer in answers):
        yield _name(thing if hasattr(thing, "__name__") else type(thing))
        return
    for function in _functions(thing):
        if id(function) not in seen:
            seen.add(id(function))
            yield from _used_by(function, answers, seen)


def _functions(thing: Any) -> list[FunctionType]:
    """Return the functions that make a thing up: itself, or the methods of its class."""
    function = getattr(inspect.unwrap(thing) if callable(thing) else thing, "__func__", thing)
    function = inspect.unwrap(function) if callable(function) else function
    if isinstance(function, FunctionType):
        return [function]
    kind = thing if isinstance(thing, type) else type(thing)
    return [held for held in vars(kind).values() if isinstance(held, FunctionType)]


def _used_by(function: FunctionType, answers: tuple[Any, ...], seen: set[int]) -> Iterator[str]:
    names = {_name(answer) for answer in answers}
    for cell in function.__closure__ or ():
        yield from _used(cell.cell_contents, answers, seen) if _is_mine(cell.cell_contents, function, answers) else ()
    for code in _codes(function.__code__):
        for step in dis.get_instructions(code):
            if step.opname in GLOBAL and step.argval in function.__globals__:
                held = function.__globals__[step.argval]
                yield from _used(held, answers, seen) if _is_mine(held, function, answers) else ()
            elif step.opname in (*GLOBAL, *NAMED) and step.argval in names:
                yield step.argval


def _is_mine(held: Any, function: FunctionType, answers: tuple[Any, ...]) -> bool:
    """Whether something is worth to be looked at: an answer itself, or what stands beside the learner's function."""
    if any(held is answer or type(held) is answer for answer in answers):
        return True
    if isinstance(held, FunctionType):
        return held.__globals__ is function.__globals__
    return isinstance(held, type) and held.__module__ == function.__globals__.get("__name__")


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for held in code.co_consts:
        if isinstance(held, CodeType):
            yield from _codes(held)


def _name(thing: Any) -> str:
    return str(getattr(thing, "__name__", type(thing).__name__))

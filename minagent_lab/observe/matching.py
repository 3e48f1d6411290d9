"""A matcher: what is expected of a run, written down before the run, and a sentence for when it is otherwise.

A matcher is a value. It can be shown, compared and put together with others, and it never guesses: what is to be
ignored, such as upper and lower case, has to be said. Only one thing is the same for all of them: text is compared in
Unicode's composed form (NFC), so that an é is an é however it was typed. Source: appendix B.7.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from dataclasses import field
from types import CodeType
from typing import Any

from minagent_lab.record import RunResult
from minagent_lab.results import exception_text
from minagent_lab.testing import ToolUse
from minagent_lab.values import a_kind, value


@value
class Matcher:
    """What is expected of a run.

    Parameters
    ----------
    words
        How it is written: its repr.
    problem
        A function of the `RunResult` that returns in words what is not as expected, ``""`` when all is.
    content
        What tells it from a matcher that is written in the same way and is another; left out, nothing does.

    Examples
    --------
    >>> short = Matcher("short()", lambda result: "" if len(result.final) < 10 else "the answer is long")
    >>> short
    short()
    """

    words: str
    problem: Callable[[RunResult], str] = field(compare=False)
    content: str = ""

    @property
    def identity(self) -> str:
        """What a digest of it is taken over."""
        return self.words + self.content

    def __repr__(self) -> str:
        return self.words


def matcher_of(expect: Any) -> Matcher:
    """Return what is expected as a matcher.

    Parameters
    ----------
    expect
        A matcher, or a function of the `RunResult` that returns ``True`` or ``False``, or raises ``AssertionError``.
        What the questions of `minagent_lab.testing` return is true as well. ``None`` is not: a check that forgot its
        ``return`` would pass every time.

    Examples
    --------
    >>> def is_short(result):
    ...     return len(result.final) < 10
    >>> matcher_of(is_short)
    is_short
    """
    if isinstance(expect, Matcher):
        return expect
    if isinstance(expect, str):
        raise TypeError(f"expect is text; say what is meant: equals({expect!r:.60}) or contains({expect!r:.60})")
    if isinstance(expect, (list, tuple, set)):
        raise TypeError(f"expect is {a_kind(expect)}; say what is meant: all_of(...), any_of(...) or json_equals(...)")
    if isinstance(expect, type) or not callable(expect):
        raise TypeError(
            f"expect is {a_kind(expect)}; write a matcher, such as equals('5'), or a function of the result"
        )
    if inspect.iscoroutinefunction(expect):
        raise TypeError("expect is an async function; write def instead of async def")
    name = getattr(expect, "__name__", type(expect).__name__)
    return Matcher(name, lambda result: _ask(name, expect, result), f" {_content(expect)}")


def _ask(name: str, check: Callable[[RunResult], Any], result: RunResult) -> str:
    try:
        verdict = check(result)
    except AssertionError as problem:
        return str(problem) or f"{name}: {exception_text(problem)}"
    if isinstance(verdict, (bool, ToolUse)):
        return "" if verdict else f"{name} returned False"
    getattr(verdict, "close", lambda: None)()  # a coroutine would complain later
    hint = "return True at its end, or it could never fail by mistake" if verdict is None else "return True or False"
    raise TypeError(f"{name} returned {a_kind(verdict)}; {hint}")


# ---- the content of a function: the same in the next session, another when its code is another


def _content(function: Any) -> str:
    code = getattr(function, "__code__", None)
    if code is None:  # its repr may hold an address; then it counts as changed each time
        return repr(function)
    held = [_cell(cell) for cell in function.__closure__ or ()]
    return repr((list(_parts(code)), function.__defaults__, held))


def _parts(code: CodeType) -> Iterator[Any]:
    yield code.co_code
    yield code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield list(_parts(constant))
        else:  # the order of a set is another in each process
            yield sorted(map(repr, constant)) if isinstance(constant, frozenset) else constant


def _cell(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # a name that has no value yet
        return None

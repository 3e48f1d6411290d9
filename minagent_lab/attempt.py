"""A helper for exercises: it runs the checks of one, says what is missing, and lets the notebook go on."""

from __future__ import annotations

import traceback
from collections.abc import Iterator
from contextlib import contextmanager

from minagent_lab.results import exception_text


@contextmanager
def attempt(exercise: str) -> Iterator[None]:
    """Run the asserts of an exercise, and print whether they all hold.

    The first one that does not hold is shown with its reason. An exercise that is not solved yet is no reason for a
    notebook to stop, so nothing is raised; only Ctrl-C and ``SystemExit`` come through.

    Parameters
    ----------
    exercise
        Its number, such as ``"1.2"``.

    Examples
    --------
    >>> def double(number):
    ...     return number
    >>> with attempt("0.0"):
    ...     assert double(4) == 8, f"twice 4 is 8, and your function says {double(4)}"
    0.0 not yet: twice 4 is 8, and your function says 4
    """
    try:
        yield
    except Exception as problem:
        print(f"{exercise} not yet: {_reason(problem)}")  # noqa: T201  (saying it is what this is for)
    else:
        print(f"{exercise} solved.")  # noqa: T201


def _reason(problem: Exception) -> str:
    """Say why: the message of an assert alone; anything else with its type and the learner's line."""
    message = str(problem).strip()
    if isinstance(problem, AssertionError) and message:
        return message
    line = _line(problem)
    if isinstance(problem, AssertionError):
        return f"this does not hold: {line}" if line else "an assert does not hold"
    return f"{exception_text(problem)} (in the line: {line})" if line else exception_text(problem)


def _line(problem: Exception) -> str:
    """Return the last line that ran where the exercise stands, in the notebook; not one inside a library."""
    frames = list(traceback.walk_tb(problem.__traceback__))[1:]  # the first one is the `yield` above
    here = [place for place, (frame, _) in enumerate(frames) if frame.f_globals is frames[0][0].f_globals]
    summary = traceback.extract_tb(problem.__traceback__)[1:]
    return (summary[here[-1]].line or "") if here else ""

"""What a check says: a line per test, ✓ or ✗, with the reason."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from dataclasses import field
from typing import Any, NamedTuple

from minagent_lab.course.exercise import Exercise, sentence
from minagent_lab.course.running import attempted
from minagent_lab.values import a_kind, value
from minagent_lab.views.html import escape, mark

MARKED = "passed", "not yet"  # what ✓ and ✗ are called aloud


class Line(NamedTuple):
    """One test: what it asks for, whether it passed, and what there is to say about it."""

    sentence: str
    passed: bool
    reason: str = ""


@value
class Report:
    """What a check found. It shows itself as text and as HTML; no colour carries the meaning.

    Parameters
    ----------
    title
        Number and title of the exercise.
    lines
        One per test.
    remark
        What else there is to say: that the thing is of the wrong kind, or what the code printed.
    live
        Makes the widget that a notebook shows, if there is one.
    """

    title: str
    lines: Sequence[Line] = ()
    remark: str = ""
    live: Callable[[], Any] | None = field(default=None, compare=False)

    @property
    def solved(self) -> bool:
        """Whether all tests passed, and there was one."""
        return bool(self.lines) and all(line.passed for line in self.lines)

    @property
    def headline(self) -> str:
        """How far it is."""
        if not self.lines:
            return self.title
        passed = sum(line.passed for line in self.lines)
        end = "solved." if self.solved else "not there yet"
        return f"{self.title}: {passed} of {len(self.lines)} passed, {end}"

    def text(self) -> str:
        """Return the report as plain text."""
        rows = [f"{'✓' if line.passed else '✗'} {_row(line)}" for line in self.lines]
        return "\n".join([self.headline, *rows, *([self.remark] if self.remark else [])])

    def html(self) -> str:
        """Return the report as HTML that needs no style sheet."""
        rows = "".join(
            f"<li style='display:flex;gap:.5em'>{mark(line.passed, MARKED)}<span>{escape(_row(line))}</span></li>"
            for line in self.lines
        )
        remark = f"<p>{escape(self.remark)}</p>" if self.remark else ""
        return f"<p><b>{escape(self.headline)}</b></p><ul style='list-style:none;padding-left:0'>{rows}</ul>{remark}"

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, Any]:
        """Return the report for a notebook: live where widgets are, and what stands for it elsewhere."""
        bundle: dict[str, Any] = {}
        with contextlib.suppress(ImportError):  # a console has no widgets, and needs none
            bundle = self.live()._repr_mimebundle_(**kwargs) if self.live else {}
        return {**bundle, "text/plain": self.text(), "text/html": self.html()}

    def __repr__(self) -> str:
        return self.text()


def _row(line: Line) -> str:
    return f"{line.sentence}: {line.reason}" if line.reason else line.sentence


def report_on(exercise: Exercise, thing: Any) -> Report:
    """Run the tests of an exercise on a thing, whatever it is, and say what came of it."""
    title = f"{exercise.id} {exercise.title}"
    if not _fits(exercise, thing):
        got = "three dots" if thing is ... else a_kind(thing)
        return Report(
            title, [Line(f"check got {got}", False, _instead(exercise, thing) or f"it wants {exercise.wants}")]
        )
    lines, remark = [], ""
    for test in exercise.tests:
        outcome = attempted(test, thing)
        lines.append(Line(sentence(test), outcome.problem is None, outcome.problem or outcome.note))
        if outcome.printed and not remark:
            remark = f"While “{lines[-1].sentence}” was tested, your code printed: {outcome.printed}"
    return Report(title, lines, remark)


def _fits(exercise: Exercise, thing: Any) -> bool:
    try:
        return bool(exercise.fits(thing))
    except Exception:  # whatever it is, it is not that
        return False


def _instead(exercise: Exercise, thing: Any) -> str:
    """Return what to write instead, where the exercise's `fits` knows it."""
    try:
        return str(exercise.fits.refusal(thing, exercise.thing))  # type: ignore[attr-defined]
    except Exception:
        return ""

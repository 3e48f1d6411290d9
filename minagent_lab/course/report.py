"""What a check says: a line per test, ✓ or ✗, with the reason."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Sequence
from dataclasses import field
from typing import Any, NamedTuple

from minagent_lab.course.exercise import Advice, Exercise, sentence
from minagent_lab.course.running import attempted
from minagent_lab.values import a_kind, value
from minagent_lab.views.html import escape, mark, ticked

MARKED = "passed", "not yet"  # what ✓ and ✗ are called aloud
SAME_AGAIN = "the same as in the ✗ above"
SHOWN = 10  # lines of what was printed that are not folded
SAME, SHORT = 3, 40  # where so many ✗ or more have one reason, longer than this, it is said once, above the lines
RAISED = re.compile(r"(?:^|\bit raised )((?:\w+\.)*\w*(?:Error|Exception)\b.*)", re.DOTALL)


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
        What else there is to say, such as that a coroutine was never awaited.
    printed
        What the code printed, after the words that say when.
    live
        Makes the widget that a notebook shows, if there is one.
    """

    title: str
    lines: Sequence[Line] = ()
    remark: str = ""
    printed: tuple[str, str] = ("", "")
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
        rows = [f"{'✓' if line.passed else '✗'} {row}" for line, row in zip(self.lines, self._rows(), strict=True)]
        when, printed = self.printed
        shown, left = _cut(printed)
        said = [f"{when} {shown.rstrip()}{f' … ({_more(left)})' if left else ''}"] if when else []
        parts = [self.headline, self._common(), *rows, self.remark, *said]
        return "\n".join(part for part in parts if part)

    def html(self) -> str:
        """Return the report as HTML that needs no style sheet."""
        rows = "".join(
            f"<li style='display:flex;gap:.5em'>{mark(line.passed, MARKED)}<span>{ticked(row)}</span></li>"
            for line, row in zip(self.lines, self._rows(), strict=True)
        )
        paragraphs = [f"<p>{ticked(words)}</p>" if words else "" for words in (self._common(), self.remark)]
        above, below = paragraphs
        return (
            f"<p><b>{escape(self.headline)}</b></p>{above}<ul style='list-style:none;padding-left:0'>{rows}</ul>"
            f"{below}{self._printed_html()}"
        )

    def _printed_html(self) -> str:
        when, printed = self.printed
        if not when:
            return ""
        shown, left = _cut(printed)
        rest = printed[len(shown) :].strip("\n")
        folded = f"<details><summary>{_more(left)}</summary><pre>{escape(rest)}</pre></details>" if left else ""
        return f"<p>{escape(when)}</p><pre>{escape(shown.rstrip())}</pre>{folded}"

    def _same(self) -> str:
        """Return the reason that every ✗ has, where it is worth to be said once; else ``""``."""
        reasons = [line.reason for line in self.lines if not line.passed]
        return reasons[0] if len(reasons) >= SAME and len(set(reasons)) == 1 and len(reasons[0]) > SHORT else ""

    def _common(self) -> str:
        reason = self._same()
        return f"One reason for all {sum(not line.passed for line in self.lines)} ✗: {reason}" if reason else ""

    def _rows(self) -> list[str]:
        if self._same():
            return [_row(line if line.passed else line._replace(reason="")) for line in self.lines]
        rows, last = [], ""
        for line in self.lines:
            cause = "" if line.passed else _cause(line.reason)
            rows.append(_row(line._replace(reason=SAME_AGAIN) if cause and cause == last else line))
            last = last if line.passed else cause
        return rows

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, Any]:
        """Return the report for a notebook: live where widgets are, and what stands for it elsewhere."""
        bundle: dict[str, Any] = {}
        with contextlib.suppress(ImportError):  # a console has no widgets, and needs none
            bundle = self.live()._repr_mimebundle_(**kwargs) if self.live else {}
        return {**bundle, "text/plain": self.text(), "text/html": self.html()}

    def __repr__(self) -> str:
        return self.text()


def _cause(reason: str) -> str:
    """Return what a reason has in common with others: what was raised, or all of it where it is long."""
    raised = RAISED.search(reason)
    return raised[1] if raised else reason if len(reason) > SHORT else ""


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
    lines, remark, printed = [], "", ("", "")
    for test in exercise.tests:
        outcome = attempted(test, thing)
        lines.append(Line(sentence(test), outcome.problem is None, outcome.problem or outcome.note))
        if outcome.printed and not printed[0]:
            printed = f"While “{lines[-1].sentence}” was tested, your code printed:", outcome.printed
        if outcome.forgotten and not remark:
            made = "; ".join(outcome.forgotten)
            remark = f"In “{lines[-1].sentence}” a coroutine was made and never awaited: {made}; write `await`."
    if all(line.passed for line in lines):
        lines = [line._replace(reason="") if isinstance(line.reason, Advice) else line for line in lines]
    return Report(title, lines, remark, printed)


def _cut(printed: str) -> tuple[str, int]:
    """Return the first lines, and how many there are after them."""
    lines = printed.rstrip("\n").splitlines(keepends=True)
    return "".join(lines[:SHOWN]), max(len(lines) - SHOWN, 0)


def _more(lines: int) -> str:
    return f"{lines} more line{'s' * (lines != 1)}"


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

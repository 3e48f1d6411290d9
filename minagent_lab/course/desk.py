"""What a learner calls in a cell. Nothing here raises for what a learner got wrong: the notebook goes on."""

from __future__ import annotations

import difflib
import importlib
import pkgutil
from dataclasses import replace
from typing import Any

from minagent_lab import course
from minagent_lab.course.exercise import Exercise
from minagent_lab.course.progress import remember_exercise, remember_quiz, solved
from minagent_lab.course.quiz import Quiz
from minagent_lab.course.report import Report, report_on
from minagent_lab.values import value
from minagent_lab.views.html import escape, ticked

_hints_given: dict[str, int] = {}
_tried: set[str] = set()


@value
class Note:
    """Something to read: a line, and perhaps code."""

    words: str
    code: str = ""

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        """Return the note for a notebook."""
        return {"text/plain": repr(self), "text/html": self.html()}

    def html(self) -> str:
        """Return the note as HTML that needs no style sheet."""
        return f"<p>{ticked(self.words)}</p>" + (f"<pre>{escape(self.code)}</pre>" if self.code else "")

    def __repr__(self) -> str:
        return f"{self.words}\n{self.code}".rstrip()


# ---- finding them


def chapters() -> list[str]:
    """Return the chapters that have exercises: ``["00", "01", ...]``."""
    names = (module.name for module in pkgutil.iter_modules(course.__path__))
    return sorted(name[2:] for name in names if name[:2] == "ch" and name[2:].isdigit())


def chapter(number: str) -> Any:
    """Return a chapter's module, with its `EXERCISES` and its `QUIZ`."""
    return importlib.import_module(f"minagent_lab.course.ch{number}")


def exercises() -> list[Exercise]:
    """Return all exercises, in order."""
    return [exercise for number in chapters() for exercise in chapter(number).EXERCISES]


def find(name: Any) -> Exercise | Note:
    """Return an exercise by its number, or a note that says which there are."""
    known = {exercise.id: exercise for exercise in exercises()}
    if isinstance(name, str) and name in known:
        return known[name]
    near = difflib.get_close_matches(str(name), known, n=3, cutoff=0.3) or list(known)[:3]
    return Note(f"There is no exercise {name!r:.40}. Did you mean {', '.join(near)}? Write its number as text.")


# ---- what a learner calls


def check(name: str, thing: Any) -> Report | Note:
    """Check an exercise.

    Parameters
    ----------
    name
        Its number, such as ``"3.2"``.
    thing
        What you made. Whatever it is, this says what is missing, and raises nothing.

    Examples
    --------
    >>> check("3.1", None).solved
    False
    """
    exercise = find(name)
    if isinstance(exercise, Note):
        return exercise
    _tried.add(exercise.id)
    report = report_on(exercise, thing)
    if report.solved:
        remember_exercise(exercise.id)
    return replace(report, live=lambda: _with_help(exercise, report))


def _with_help(exercise: Exercise, report: Report) -> Any:
    """Return the report as a widget with buttons for hints and the solution."""
    from minagent_lab.views.check_view import CheckView  # here, because it needs ipywidgets

    hints, solved = len(exercise.hints), report.solved
    return CheckView(report, hints, lambda at: _hint(exercise, at), lambda: solution(exercise.id), solved=solved)


def hint(name: str) -> Note:
    """Give the next hint of an exercise; after the last one, all of them again."""
    exercise = find(name)
    if isinstance(exercise, Note):
        return exercise
    count = len(exercise.hints)
    at = min(_hints_given.get(exercise.id, 0), count - 1)
    _hints_given[exercise.id] = at + 1
    after = f"hint({exercise.id!r}) gives the next one." if at + 1 < count else "That was the last one."
    return Note(f"{_hint(exercise, at).words} {after}")


def _hint(exercise: Exercise, at: int) -> Note:
    return Note(f"Hint {at + 1} of {len(exercise.hints)} for {exercise.id}: {exercise.hints[at]}")


def solution(name: str) -> Note:
    """Show a solution of an exercise, after a try."""
    exercise = find(name)
    if isinstance(exercise, Note):
        return exercise
    if exercise.id not in _tried:
        return Note(f"Try {exercise.id} first: run its cell with check({exercise.id!r}, {exercise.thing}).")
    return Note(f"One solution of {exercise.id}, {exercise.title}:", exercise.solution.strip())


def predict(number: str, which: int) -> Any:
    """Ask for a prediction of a chapter, such as ``predict("03", 1)``; what was right is shown after you chose."""
    asked = chapter(number).PREDICTIONS if isinstance(number, str) and number in chapters() else ()
    if isinstance(which, bool) or not isinstance(which, int) or not 1 <= which <= len(asked):
        return Note(f"There is no prediction {which!r:.40} in {number!r:.40}; this chapter has {len(asked)}.")
    from minagent_lab.views.question_view import PredictView  # here, because it needs ipywidgets

    return PredictView(asked[which - 1])


def quiz(number: str) -> Any:
    """Show the quiz of a chapter, such as ``quiz("03")``; every choice comes with a reason."""
    if not isinstance(number, str) or number not in chapters():
        return Note(f"There is no quiz {number!r:.40}; there are {', '.join(chapters())}. Write the number as text.")
    from minagent_lab.views.quiz_view import QuizView  # here, because it needs ipywidgets

    held: Quiz = chapter(number).QUIZ
    return QuizView(held, score=lambda right: remember_quiz(number, right))


def progress() -> Note:
    """Show what is solved: a line per chapter."""
    done = solved()
    lines = []
    for number in chapters():
        held = chapter(number)
        right = sum(exercise.id in done["exercises"] for exercise in held.EXERCISES)
        answered = done["quizzes"].get(number, 0)
        lines.append(
            f"{number}  exercises {right} of {len(held.EXERCISES)}   "
            f"quiz {answered} of {len(held.QUIZ.questions)}   {held.TITLE}"
        )
    return Note("Solved so far, kept in a file beside this notebook:", "\n".join(lines))

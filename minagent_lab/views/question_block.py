"""The question of predict mode, as a block of the panel, which sends the guess."""

from __future__ import annotations

from minagent_lab.stepping.predictions import TRIES, Question
from minagent_lab.views.html import escape

ORDINAL = ("1st", "2nd", "3rd")


def question_block(question: Question) -> str:
    """Return a question with its choices; once it is answered, with a reason for each of them."""
    answered = question.answered
    tries = "answered" if answered else f"try {len(question.tried) + 1} of {TRIES}"
    choices = "".join((_told if answered else _open)(question, place) for place in range(len(question.choices)))
    return (
        f'<h3 class="lab-h"><b>Predict</b><span>{tries}</span></h3>'
        f'<div class="lab-q" data-call="{question.call}">'
        f'<fieldset><legend class="ask">Call {question.call} comes next. What will happen?</legend>{choices}</fieldset>'
        f'<div class="foot">{_foot(question)}</div></div>'
    )


def _foot(question: Question) -> str:
    check = f'<button type="button" class="lab-check"{_off(question.answered)}>Check</button>'
    go = f'<button type="button" class="lab-go"{_off(not question.answered)}>Next ›</button>'
    return f'{check}{go}<span class="lab-s">{verdict(question)}</span>'


def _off(off: bool) -> str:
    return ' aria-disabled="true"' if off else ""


def verdict(question: Question) -> str:
    """Return in words how the guessing stands."""
    if not question.answered:
        return "Next opens after your answer." if not question.tried else "No. One more try."
    if not question.right:
        return "Neither try was right; the reasons stand at the choices."
    return "Right at once." if len(question.tried) == 1 else "Right on the second try."


def _open(question: Question, place: int) -> str:
    """Return a choice that can be made; one that was tried says why it is not right."""
    choice = question.choices[place]
    tried = place in question.tried
    why = _why('<b class="no">✕ No.</b>', choice.why) if tried else ""
    box = f'<input type="radio" value="{place}"{" disabled" if tried else ""}>'
    return f'<label class="lab-choice">{box}<span>{escape(choice.text)}{why}</span></label>'


def _told(question: Question, place: int) -> str:
    choice = question.choices[place]
    attempt = f", your {ORDINAL[question.tried.index(place)]} try" if place in question.tried else ""
    if choice.right:
        mark, verdict = ("✓", "yes"), f'<b class="yes">Yes{attempt}.</b>'
    elif attempt:
        mark, verdict = ("✕", "no"), f'<b class="no">No{attempt}.</b>'
    else:
        mark, verdict = ("", ""), "<b>No.</b>"
    sign = f'<span class="mark {mark[1]}" aria-hidden="true">{mark[0]}</span>'
    return f'<div class="lab-choice">{sign}<span>{escape(choice.text)}{_why(verdict, choice.why)}</span></div>'


def _why(verdict: str, why: str) -> str:
    return f'<span class="lab-why">{verdict} {escape(why)}</span>'

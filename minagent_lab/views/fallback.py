"""What stands in for the panel until it has loaded, or where it cannot: the last few messages, as text."""

from __future__ import annotations

from minagent_lab.stepping.predictions import Question
from minagent_lab.stepping.stepper import Stepper
from minagent_lab.views.html import escape
from minagent_lab.views.question_block import verdict
from minagent_lab.views.static import status_lines

# The panel keeps the notebook's shortcuts away from the buttons (d d would delete the cell). Where it does not load,
# this does: a style sheet's load event is the one thing that runs in a stock HTML widget.
GUARD = (
    "<style onload=\"const root = this.closest('.lab-root'); if (root) root.onkeydown = e => {"
    "if (!e.ctrlKey && !e.metaKey && !e.altKey && e.key !== 'Escape' && e.key !== 'Tab') e.stopPropagation();"
    "if (e.key === 'Enter' && e.shiftKey) e.preventDefault()}\">.lab-fallback{}</style>"
)


def fallback_html(stepper: Stepper, notice: str, question: Question | None) -> str:
    """Return where the run stands in a few lines, and the question that waits."""
    asked = f"<p>{escape(_question_text(question))}</p>" if question and not question.answered else ""
    return f"{GUARD}<pre>{escape(status_lines(stepper))}</pre><p>{escape(notice)}</p>{asked}"


def _question_text(question: Question) -> str:
    choices = " ".join(f"{place}: {choice.text}" for place, choice in enumerate(question.choices))
    return (
        f"Call {question.call} comes next. What will happen? {choices} Answer with view.guess(0). {verdict(question)}"
    )

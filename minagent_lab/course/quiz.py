"""Questions with a reason for every choice, right or wrong."""

from __future__ import annotations

from collections.abc import Sequence

from minagent_lab.values import value
from minagent_lab.views.html import escape

LETTERS = "abcdefgh"


@value
class Choice:
    """One choice: its text, whether it is right, and why, or why not."""

    text: str
    right: bool
    why: str


@value
class Question:
    """A question with its choices, of which exactly one is right."""

    text: str
    choices: Sequence[Choice]

    def __post_init__(self) -> None:
        if sum(choice.right for choice in self.choices) != 1:
            raise ValueError(f"the question {self.text!r:.60} needs exactly one right choice")

    def lettered(self) -> list[tuple[str, Choice]]:
        """Return each choice with its letter."""
        return list(zip(LETTERS, self.choices, strict=False))


@value
class Quiz:
    """The questions of a chapter."""

    id: str
    questions: Sequence[Question]

    def text(self) -> str:
        """Return the questions as plain text, without the answers."""
        count = len(self.questions)
        lines = [f"Quiz {self.id}: {count} question{'s' * (count != 1)}, 0 answered"]
        for number, question in enumerate(self.questions, 1):
            lines.append(f"{number}. {question.text}")
            lines += [f"   {letter}. {choice.text}" for letter, choice in question.lettered()]
        return "\n".join(lines)

    def html(self) -> str:
        """Return the questions as HTML for where no kernel runs: the answers are folded."""
        return "".join(
            f"<p><b>{number}. {escape(question.text)}</b></p>{_choices(question)}"
            for number, question in enumerate(self.questions, 1)
        )


def _choices(question: Question) -> str:
    lettered = question.lettered()
    asked = "".join(f"<li><b>{letter}.</b> {escape(choice.text)}</li>" for letter, choice in lettered)
    answered = "".join(
        f"<li><b>{letter}.</b> {'✓' if choice.right else '✗'} {escape(choice.why)}</li>" for letter, choice in lettered
    )
    return f"<ul>{asked}</ul><details><summary>Answers</summary><ul>{answered}</ul></details>"

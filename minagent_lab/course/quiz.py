"""Questions with a reason for every choice, right or wrong."""

from __future__ import annotations

from collections.abc import Sequence

from minagent_lab.values import value
from minagent_lab.views.html import escape, ticked

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

    def verdict(self, place: int) -> str:
        """Return whether the choice at `place`, from 0, is right, and why, or why not."""
        choice = self.choices[place]
        return f"{'✓ Yes.' if choice.right else '✗ No.'} {choice.why}"

    def text_of(self, heading: str) -> str:
        """Return the question as plain text after a heading such as ``"2."``, without the answer."""
        choices = [f"   {letter}. {choice.text}" for letter, choice in self.lettered()]
        return "\n".join([f"{heading} {self.text}", *choices])

    def html_of(self, heading: str) -> str:
        """Return the question as HTML for where no kernel runs: the answer is folded."""
        choices = "".join(f"<li><b>{letter}.</b> {ticked(choice.text)}</li>" for letter, choice in self.lettered())
        return (
            f"<p><b>{escape(heading)} {ticked(self.text)}</b></p><ul>{choices}</ul>"
            f"<details><summary>Answer</summary>{self.reasons_html()}</details>"
        )

    def reasons_html(self) -> str:
        """Return the reason of every choice as an HTML list."""
        rows = (
            f"<li><b>{letter}.</b> {'✓' if choice.right else '✗'} {ticked(choice.why)}</li>"
            for letter, choice in self.lettered()
        )
        return f"<ul>{''.join(rows)}</ul>"


@value
class Quiz:
    """The questions of a chapter."""

    id: str
    questions: Sequence[Question]

    def text(self) -> str:
        """Return the questions as plain text, without the answers."""
        count = len(self.questions)
        lines = [f"Quiz {self.id}: {count} question{'s' * (count != 1)}, 0 answered"]
        lines += [question.text_of(f"{number}.") for number, question in enumerate(self.questions, 1)]
        return "\n".join(lines)

    def html(self) -> str:
        """Return the questions as HTML for where no kernel runs: the answers are folded."""
        return "".join(question.html_of(f"{number}.") for number, question in enumerate(self.questions, 1))

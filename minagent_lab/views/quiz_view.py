"""A quiz on the screen: stock radio buttons, and a reason under each question once it is answered."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import ipywidgets as widgets

from minagent_lab.views.guard import Guard
from minagent_lab.views.html import escape

if TYPE_CHECKING:
    from minagent_lab.course.quiz import Question, Quiz


class QuizView(widgets.VBox):  # type: ignore[misc]
    """The questions of a quiz, each with its choices. Choosing shows the reason, for a wrong choice too.

    Parameters
    ----------
    quiz
        What to ask.
    score
        Called with the number of questions that were right at the first choice, each time it grows.
    """

    def __init__(self, quiz: Quiz, score: Callable[[int], None] = lambda _: None) -> None:
        self.quiz, self._score = quiz, score
        self._first: dict[int, bool] = {}
        self._head = widgets.HTML()
        self.radios: list[Any] = []
        self.reasons: list[Any] = []
        parts: list[Any] = [self._head]
        for number, question in enumerate(quiz.questions):
            parts.append(self._asked(number, question))
        super().__init__([*parts, Guard()])
        self.add_class("lab-guarded")
        self._show_score()

    def _asked(self, number: int, question: Question) -> Any:
        text = widgets.HTML(f"<p><b>{number + 1}. {escape(question.text)}</b></p>")
        labels = [f"{letter}. {choice.text}" for letter, choice in question.lettered()]
        options = [(label, place) for place, label in enumerate(labels)]
        radio = widgets.RadioButtons(options=options, value=None, layout=widgets.Layout(width="auto"))
        reason = widgets.HTML()
        radio.observe(lambda change: self.choose(number, change["new"]), "value")
        self.radios.append(radio)
        self.reasons.append(reason)
        return widgets.VBox([text, radio, reason])

    def choose(self, number: int, place: int | None) -> None:
        """Answer question `number` (from 0) with its choice `place`, and show why that is right or wrong."""
        if place is None:
            return
        choice = self.quiz.questions[number].choices[place]
        self._first.setdefault(number, choice.right)
        verdict = "✓ Yes." if choice.right else "✗ No."
        self.reasons[number].value = f"<p role='status'><b>{verdict}</b> {escape(choice.why)}</p>"
        self._show_score()
        self._score(sum(self._first.values()))

    def _show_score(self) -> None:
        self._head.value = f"<p>{escape(self.headline)}</p>"

    @property
    def headline(self) -> str:
        """How many are answered, and how many of them were right at the first choice."""
        count, answered = len(self.quiz.questions), len(self._first)
        right = f", {sum(self._first.values())} right at the first choice" if answered else ""
        return f"Quiz {self.quiz.id}: {count} question{'s' * (count != 1)}, {answered} answered{right}"

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, Any]:
        """Return the live quiz, and what stands for it where no kernel runs."""
        bundle = super()._repr_mimebundle_(**kwargs)
        return {**bundle, "text/plain": self.quiz.text(), "text/html": self.quiz.html()}

    def __repr__(self) -> str:
        return f"<QuizView {self.headline}>"

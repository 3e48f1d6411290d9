"""A quiz on the screen: a question after the other, and a reason under each once it is answered."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import ipywidgets as widgets

from minagent_lab.views.closing import ClosingBox
from minagent_lab.views.guard import Guard
from minagent_lab.views.html import escape, ticked
from minagent_lab.views.question_view import QuestionView

if TYPE_CHECKING:
    from minagent_lab.course.quiz import Quiz


class QuizView(ClosingBox):
    """The questions of a quiz, each with its choices. Choosing shows the reason, for a wrong choice too.

    Parameters
    ----------
    quiz
        What to ask.
    score
        Called with the number of questions that were right at the first choice, each time one is answered.
    """

    def __init__(self, quiz: Quiz, score: Callable[[int], None] = lambda _: None) -> None:
        self.quiz, self._score = quiz, score
        self._first: dict[int, bool] = {}
        self._head = widgets.HTML()
        self.asked = [
            QuestionView(question, f"{number + 1}.", partial(self.choose, number))
            for number, question in enumerate(quiz.questions)
        ]
        super().__init__([self._head, *self.asked, Guard()])
        self.add_class("lab-guarded")
        self._show_score()

    def choose(self, number: int, place: int) -> None:
        """Answer question `number` (from 0) with its choice `place`, and show why that is right or wrong."""
        asked = self.asked[number]
        self._first.setdefault(number, asked.question.choices[place].right)
        asked.say(ticked(asked.question.verdict(place)))
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

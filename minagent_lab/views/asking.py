"""Predicting, and showing to an audience: what a stepper's view asks, and what it hides until somebody says so."""

from __future__ import annotations

from minagent_lab.stepping.predictions import Predictions, Question
from minagent_lab.views.branching import Branching
from minagent_lab.views.question_block import verdict


class Asking(Branching):
    """What a view does with its question, and with the script that an audience does not see yet."""

    _revealed: int

    @property
    def _predictions(self) -> Predictions | None:
        return self.branch.predictions

    @property
    def question(self) -> Question | None:
        """In predict mode: the question about the call after the one that is shown."""
        return self._predictions.question if self._predictions else None

    def guess(self, place: int) -> None:
        """Guess what comes next: choice `place` of the question, from 0."""
        question = self.question
        if question is None:
            self._note("There is no question here.")
            return
        question.guess(place)
        self._note(verdict(question))

    def reveal(self) -> None:
        """Show the next item of the script to the audience, or hide it again. Only for ``present=True``."""
        self._revealed = -1 if self._revealed == self.stepper.index else self.stepper.index
        self.refresh()

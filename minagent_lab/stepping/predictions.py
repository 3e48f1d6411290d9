"""Predicting a run call by call: the next one can be shown once its question is answered."""

from __future__ import annotations

from minagent_lab.errors import ConfigurationError
from minagent_lab.stepping.predicting import Guess, can_be_predicted, guesses
from minagent_lab.stepping.stepper import Stepper
from minagent_lab.values import a_kind

TRIES = 2


class Question:
    """What comes next, and what was guessed so far.

    Parameters
    ----------
    call
        The call that is asked about, counted from 1.
    choices
        As `guesses` gives them.
    """

    def __init__(self, call: int, choices: list[Guess]) -> None:
        self.call, self.choices = call, choices
        self.tried: list[int] = []

    @property
    def right(self) -> bool:
        """Whether the last try was the right one."""
        return bool(self.tried) and self.choices[self.tried[-1]].right

    @property
    def answered(self) -> bool:
        """Whether the reasons may be shown: it was guessed, or there are no more tries."""
        return self.right or len(self.tried) >= TRIES

    def guess(self, place: int) -> bool:
        """Guess choice `place`, from 0; return whether it is right. Once answered, a question stays as it is."""
        if isinstance(place, bool) or not isinstance(place, int) or not 0 <= place < len(self.choices):
            raise ValueError(f"place is {place!r:.40}; the choices are 0 to {len(self.choices) - 1}")
        if not self.answered and place not in self.tried:
            self.tried.append(place)
        return self.right

    def __repr__(self) -> str:
        state = "answered" if self.answered else f"try {len(self.tried) + 1} of {TRIES}"
        return f"<Question about call {self.call}: {state}>"


class Predictions:
    """The questions of a run, and how far it may be shown.

    Parameters
    ----------
    stepper
        What was shown of it already is not asked about.

    Raises
    ------
    ConfigurationError
        Nobody knows what the model will say.

    Examples
    --------
    >>> from minagent_lab import FakeModel, ToolRegistry
    >>> predictions = Predictions(Stepper(FakeModel(["Hello."]), ToolRegistry(), "Hi"))
    >>> predictions.question
    <Question about call 1: try 1 of 2>
    >>> predictions.question.guess(0), predictions.question.guess(1), predictions.may_go_to
    (False, True, 1)
    """

    def __init__(self, stepper: Stepper) -> None:
        if not can_be_predicted(stepper):
            raise ConfigurationError(
                f"predict=True needs to know the next answer before it is asked for, and {a_kind(stepper.model)} has "
                "no script: use a FakeModel, or open a run that is over with open_run"
            )
        self._stepper = stepper
        self.seen = stepper.index
        self._questions: dict[int, Question] = {}

    def look(self) -> None:
        """Take notice of the call that is shown now, by whomever."""
        self.seen = max(self.seen, self._stepper.index)

    @property
    def question(self) -> Question | None:
        """The question that goes with the call that is shown; ``None`` where the next one was seen unasked."""
        call = self._stepper.index + 1
        if call > self.seen and call not in self._questions and (choices := guesses(self._stepper)):
            self._questions[call] = Question(call, choices)
        return self._questions.get(call)

    @property
    def waiting(self) -> bool:
        """Whether the question has to be answered before the next call is shown."""
        question = self.question
        return question is not None and not question.answered and question.call > self.seen

    @property
    def may_go_to(self) -> int:
        """The last call that may be shown now."""
        question = self._questions.get(self.seen + 1)
        return self.seen + (question is not None and question.answered)

"""A question on the screen: its choices as stock radio buttons, and what is said once one is chosen."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import ipywidgets as widgets

from minagent_lab.views.closing import ClosingBox
from minagent_lab.views.guard import Guard
from minagent_lab.views.html import escape, ticked, unticked

if TYPE_CHECKING:
    from minagent_lab.course.quiz import Question

HEADING = "Predict:"  # of a prediction


class QuestionView(ClosingBox):
    """A question with its choices.

    Parameters
    ----------
    question
        What to ask.
    heading
        What stands before its text, such as ``"2."``.
    chosen
        Called with the place of a choice, from 0, each time one is made.
    """

    def __init__(self, question: Question, heading: str, chosen: Callable[[int], None]) -> None:
        self.question = question
        text = widgets.HTML(f"<p><b>{escape(heading)} {ticked(question.text)}</b></p>")
        options = [
            (f"{letter}. {unticked(choice.text)}", place) for place, (letter, choice) in enumerate(question.lettered())
        ]
        self.radio = widgets.RadioButtons(options=options, value=None, layout=widgets.Layout(width="auto"))
        self.answer = widgets.HTML()
        self.radio.observe(lambda change: None if change["new"] is None else chosen(change["new"]), "value")
        super().__init__([text, self.radio, self.answer])

    def say(self, html: str) -> None:
        """Show something under the choices, and have it read aloud."""
        self.answer.value = f"<div role='status'>{html}</div>"


class PredictView(ClosingBox):
    """A prediction: choose, see what really happens, and only then compare.

    Parameters
    ----------
    question
        What to predict; the reasons of its choices stay hidden until `compare`.

    Attributes
    ----------
    predicted : int or None
        The place of the choice, from 0. After comparing it does not change any more.
    """

    def __init__(self, question: Question) -> None:
        self.question = question
        self.predicted: int | None = None
        self.compared = False
        self.asked = QuestionView(question, HEADING, self.choose)
        self.button = widgets.Button(description="Compare", tooltip="", layout=widgets.Layout(display="none"))
        self.button.on_click(lambda _: self.compare())
        super().__init__([self.asked, self.button, Guard()])
        self.add_class("lab-guarded")

    def choose(self, place: int) -> None:
        """Predict choice `place`, from 0."""
        if self.compared:
            return
        self.predicted = place
        self.button.layout.display = ""
        letter = self.question.lettered()[place][0]
        self.asked.say(f"You predict <b>{letter}</b>. Run the next cell and look. Then compare.")

    def compare(self) -> None:
        """Show what was right, with the reason of every choice. Without a prediction this does nothing."""
        if self.predicted is None:
            return
        self.compared = True
        self.button.layout.display = "none"
        self.asked.radio.disabled = True
        letter = self.question.lettered()[self.predicted][0]
        self.asked.say(f"You predicted <b>{letter}</b>.{self.question.reasons_html()}")

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, Any]:
        """Return the live question, and what stands for it where no kernel runs."""
        bundle = super()._repr_mimebundle_(**kwargs)
        return {**bundle, "text/plain": self.question.text_of(HEADING), "text/html": self.question.html_of(HEADING)}

    def __repr__(self) -> str:
        return f"<PredictView {self.question.text!r}>"

import importlib
import pkgutil
import re
from pathlib import Path

import ipywidgets
import pytest

from minagent_lab import ExplainView, FakeModel, MockGPT, ToolRegistry, TraceView, step
from minagent_lab import views as package
from minagent_lab.course.quiz import Choice, Question, Quiz
from minagent_lab.observe.trace import Trace
from minagent_lab.stepping.stream import cut
from minagent_lab.views.check_view import CheckView
from minagent_lab.views.playground import playground
from minagent_lab.views.question_view import PredictView, QuestionView
from minagent_lab.views.quiz_view import QuizView
from minagent_lab.views.stream_view import step_stream

QUESTION = Question("1 + 1?", [Choice("1", False, "One more."), Choice("2", True, "Right.")])


class Said:
    def html(self):
        return "<p>said</p>"


MAKERS = {
    "CheckView": lambda: CheckView(Said(), 2, lambda _: Said(), Said, solved=False),
    "ExplainView": lambda: ExplainView(MockGPT([]), "Hi"),
    "PlaygroundView": playground,
    "PredictView": lambda: PredictView(QUESTION),
    "QuestionView": lambda: QuestionView(QUESTION, "1.", print),
    "QuizView": lambda: QuizView(Quiz("99", [QUESTION] * 2)),
    "StepperView": lambda: step(FakeModel(["Hello."]), ToolRegistry(), "Hi", at=1),
    "StreamView": lambda: step_stream(cut(b"data: {}\n\n", 4)),
    "TraceView": lambda: TraceView(Trace()),
}
LATE = {
    "CheckView": lambda view: view.next_hint(),
    "ExplainView": lambda view: view.refresh(),
    "PredictView": lambda view: (view.choose(0), view.compare()),
    "QuestionView": lambda view: view.say("late"),
    "QuizView": lambda view: view.choose(0, 1),
    "StepperView": lambda view: view.refresh(),
    "StreamView": lambda view: view.refresh(),
    "TraceView": lambda view: view.refresh(),
}


def open_widgets():
    return len(ipywidgets.widgets.widget._instances)


def test_every_view_of_the_package_is_tried_here():
    for found in pkgutil.iter_modules(package.__path__, package.__name__ + "."):
        importlib.import_module(found.name)
    ours = {kind.__name__ for kind in kinds(ipywidgets.Box) if kind.__module__.startswith(package.__name__)}

    assert {name for name in ours if name.endswith("View")} == set(MAKERS)


def kinds(kind):
    for child in kind.__subclasses__():
        yield child
        yield from kinds(child)


def test_no_view_catches_what_is_printed():
    """What an Output widget catches depends on the cell that runs just then, and on whether there is a kernel."""
    for path in sorted(Path(package.__file__).parent.glob("*.py")):
        assert not re.search(r"\bOutput\(|\.capture\(|\bclear_output\b", path.read_text(encoding="utf-8")), path.name


@pytest.mark.parametrize("name", MAKERS)
def test_closing_a_view_leaves_no_widget_behind_also_the_second_time(name):
    before = open_widgets()
    for _ in range(3):
        view = MAKERS[name]()
        view.close()
        view.close()

    assert open_widgets() == before


@pytest.mark.parametrize("name", LATE)
def test_what_comes_after_a_view_was_closed_does_no_harm(name):
    before = open_widgets()
    view = MAKERS[name]()
    view.close()
    LATE[name](view)

    assert open_widgets() == before


def test_a_step_of_play_that_comes_after_the_end_of_the_view_asks_nobody():
    view = step(FakeModel(["Hello."]), ToolRegistry(), "Hi")
    view.play()
    view.close()
    view._on_message(None, {"op": "tick", "at": 0}, [])
    assert view.stepper.turns == ()

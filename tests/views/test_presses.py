"""Whatever is pressed, in whatever order: the view shows what the stepper has."""

import random

import ipywidgets
import pytest

from minagent_lab import FakeModel, Stepper, StepperView

from .runs import add, cut, shop
from .test_stepper_view import _no_widget_is_left_behind  # noqa: F401

SCRIPT = [[add("c1")], [add("c2", "two"), add("c3")], cut(add("c4")), [add("c5")], "done"]
BUTTONS = ["first", "back", "next", "last"]
OPS = [*BUTTONS, "tick", "ready", "reveal", "nonsense"]


def agrees(view):
    stepper, frame = view.stepper, view.panel.frame
    assert frame["call"] == stepper.index == view.slider.value
    assert frame["frontier"] == (stepper.index == len(stepper.turns))
    assert len(view.panel.items["columns"]) == len(stepper.turns)
    sent = stepper.turn.request.messages if stepper.turn else None
    if sent is not None:
        assert frame["rows"] == len(sent) + 1
    assert len(view.panel.items["rows"]) >= frame["rows"]
    assert frame["playing"] == (view.play_button.description == "Pause")
    assert not (frame["playing"] and frame["off"]["play"])


def press(view, chance):
    what = chance.choice(["button"] * 6 + ["message"] * 3 + ["slider", "play", "until", "guess", "pane", "branch"])
    if what == "button":
        view.buttons[chance.choice(BUTTONS)].click()
    elif what == "message":
        message = {"op": chance.choice(OPS), "at": view.stepper.index, "repeat": chance.random() < 0.3}
        view._on_message(None, message, [])
    elif what == "slider":
        view.slider.value = chance.randrange(10)
    elif what == "play":
        view.play_button.click()
    elif what == "until":
        view.controls.until.value = chance.choice(view.controls.until.options)
        view.controls.run.click()
    elif what == "guess":
        view._on_message(None, {"op": "guess", "call": view.stepper.index + 1, "place": chance.randrange(4)}, [])
    elif what == "pane":
        view.controls.panes[chance.choice(["fork", "code", "export"])].click()
    elif len(view.branches) < 4 and view.stepper.index and chance.random() < 0.3:
        view.fork(item=f"answer {len(view.branches)}")
    else:
        view.show_branch(chance.choice(view.branches).name)


@pytest.mark.parametrize("predict", [False, True])
@pytest.mark.parametrize("seed", range(2))
def test_after_each_of_1000_presses_view_and_stepper_agree_and_no_widget_is_left(seed, predict):
    chance = random.Random(seed)
    view = StepperView(Stepper(FakeModel(SCRIPT), shop(), "go", max_steps=9), predict=predict, at=1)
    other = StepperView(view.stepper)
    for name in ("fork", "code", "export", "export"):
        view.open_pane(name)
    own = lambda: 3 * (len(view.controls.branch_bar.buttons) + len(view.panes["fork"].results))  # with layout and style
    before = len(ipywidgets.widgets.widget._instances) - own()
    for _ in range(1000):
        press(view, chance)
        agrees(view)
        if view.branch.name == "A":
            assert other.panel.frame["call"] == view.stepper.index
    assert view.last_error is None or view.last_error is view.stepper.error or len(view.branches) > 1
    assert len(view.branches) > 1
    assert len(ipywidgets.widgets.widget._instances) - own() == before
    view.close()
    other.close()

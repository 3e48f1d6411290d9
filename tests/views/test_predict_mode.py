import pytest

from minagent_lab import StepperView, open_run
from minagent_lab.errors import ConfigurationError

from .runs import Broken, finished, shop, stepper
from .test_html import Reader


def predicted(name="two turns", **options):
    return StepperView(stepper(name), predict=True, **options)


def right(view):
    return next(place for place, choice in enumerate(view.question.choices) if choice.right)


def wrong(view):
    return [place for place, choice in enumerate(view.question.choices) if not choice.right]


def test_next_asks_the_model_only_once_the_question_is_answered():
    view = predicted()
    view.next_button.click()
    assert view.stepper.turns == ()
    assert "First answer the question" in view.panel.frame["now"]
    view.guess(right(view))
    view.next_button.click()
    assert len(view.stepper.turns) == 1
    view.close()


def test_the_frame_says_that_next_is_closed_and_which_items_are_hidden():
    view = predicted()
    assert (view.panel.frame["off"]["next"], view.panel.frame["hidden"]) == (True, 0)
    view.guess(right(view))
    assert (view.panel.frame["off"]["next"], view.panel.frame["hidden"]) == (False, 1)
    view.next()
    assert (view.panel.frame["off"]["next"], view.panel.frame["hidden"]) == (True, 1)
    view.close()


def test_an_open_question_tells_no_reason_but_that_of_what_was_tried():
    view = predicted()
    assert "lab-why" not in view.panel.question
    view.guess(wrong(view)[0])
    assert view.panel.question.count("lab-why") == 1
    assert "try 2 of 2" in view.panel.question
    view.guess(wrong(view)[1])
    assert view.panel.question.count("lab-why") == 4
    assert "Neither try was right" in view.panel.question
    view.close()


def test_back_and_forth_over_what_was_answered_asks_nothing_anew():
    view = predicted()
    view.guess(right(view))
    view.next()
    view.back()
    assert "answered" in view.panel.question
    view.next()
    assert view.stepper.index == 1
    view.close()


@pytest.mark.parametrize("move", [lambda view: view.last(), lambda view: view.goto(3), lambda view: view.play()])
def test_no_move_goes_past_a_question(move):
    view = StepperView(open_run(finished("two turns").result), predict=True)
    move(view)
    assert view.stepper.index == 0
    assert view.panel.frame["known"] == 0
    view.close()


def test_run_until_says_that_a_prediction_goes_call_by_call():
    view = predicted()
    view.run_until("error")
    assert "call by call" in view.panel.frame["now"]
    assert view.stepper.turns == ()
    view.close()


def test_play_pauses_at_the_next_question():
    view = predicted()
    view.guess(right(view))
    view.play()
    view._on_message(None, {"op": "tick", "at": 0}, [])
    assert view.stepper.index == 1
    assert view.play_button.description == "Play"
    assert "a question waits" in view.panel.frame["now"]
    view.close()


def test_a_guess_from_a_browser_counts_for_its_own_call_only():
    view = predicted()
    view._on_message(None, {"op": "guess", "call": 2, "place": 0}, [])
    assert view.question.tried == []
    view._on_message(None, {"op": "guess", "call": 1, "place": 9}, [])
    assert isinstance(view.last_error, ValueError)
    view._on_message(None, {"op": "guess", "call": 1, "place": right(view)}, [])
    assert view.question.answered
    view.close()


def test_the_run_ends_without_a_question():
    view = predicted("an answer")
    view.guess(right(view))
    view.next()
    assert view.question is None
    assert view.panel.question == ""
    view.guess(0)
    assert "no question here" in view.panel.frame["now"]
    view.close()


def test_a_model_without_a_script_is_refused_with_the_reason():
    with pytest.raises(ConfigurationError, match="has no script"):
        predicted("a model that raises")


def test_what_a_guess_says_is_shown_as_text():
    view = StepperView(stepper("one tool"), predict=True)
    view.question.choices[0] = type(view.question.choices[0])("<b>", False, "<script>")
    view.guess(0)
    assert set(Reader(view.panel.question).tags).isdisjoint({"script"})
    view.close()


def test_a_broken_name_or_script_does_not_keep_a_view_from_being_made():
    class Odd(Broken):
        name = property(lambda _: 1 / 0)
        script = property(lambda _: 1 / 0)
        position = property(lambda _: 1 / 0)

    from minagent_lab import step

    view = step(Odd(), shop(), "x", at=1)
    assert view.panel.facts["model"] == "model <code>Odd</code>"
    assert view.code.endswith("step(model, registry, 'x', at=1)")
    view.close()


def test_for_an_audience_the_script_is_hidden_until_it_is_revealed():
    view = StepperView(stepper("two turns"), present=True, at=1)
    assert (view.panel.frame["hidden"], view.panel.facts["scale"]) == (1, 1.6)
    view._on_message(None, {"op": "reveal"}, [])
    assert view.panel.frame["hidden"] == 2
    view.next()
    assert view.panel.frame["hidden"] == 2
    view.reveal()
    view.reveal()
    assert view.panel.frame["hidden"] == 2
    view.close()


def test_nothing_is_hidden_or_revealed_elsewhere():
    view = StepperView(stepper("two turns"))
    view._on_message(None, {"op": "reveal"}, [])
    assert "hidden" not in view.panel.frame
    view.close()


def test_without_the_panel_the_question_is_asked_in_text():
    view = predicted()
    assert "0: " in view.fallback.value
    assert "view.guess(0)" in view.fallback.value
    view.close()

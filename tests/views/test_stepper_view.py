import json
import os
import subprocess
import sys

import ipywidgets
import pytest

from minagent_lab import FakeModel, Stepper, StepperView, Tool, ToolCall, ToolRegistry, step
from minagent_lab.views.panel import Panel

from .runs import RUNS, add, shop, stepper


@pytest.fixture(autouse=True)
def _no_widget_is_left_behind():
    before = len(ipywidgets.widgets.widget._instances)
    yield
    for widget in list(ipywidgets.widgets.widget._instances.values())[before:]:
        widget.close()


ONE_TOOL = ((add("c1"),), "5")


def open_view(script=ONE_TOOL, **options):
    model = FakeModel([list(item) if isinstance(item, tuple) else item for item in script])
    return step(model, shop(), "2 + 3?", **options), model


def test_showing_a_view_asks_nobody():
    view, model = open_view()
    view._repr_mimebundle_()
    assert model.calls == []


@pytest.mark.parametrize(("at", "calls"), [(0, 0), (1, 1), (2, 2), (9, 2), ("end", 2)])
def test_at_makes_as_many_calls_as_it_says(at, calls):
    view, model = open_view(at=at)
    assert len(model.calls) == calls == view.stepper.index


def test_the_buttons_do_what_they_say():
    view, model = open_view()
    view.next_button.click()
    view.next_button.click()
    assert view.stepper.index == 2
    view.back_button.click()
    assert view.stepper.index == 1
    view.first_button.click()
    assert view.stepper.index == 0
    view.last_button.click()
    assert view.stepper.index == 2
    assert len(model.calls) == 2


def test_at_the_ends_a_press_says_so_and_moves_nothing():
    view, _ = open_view(script=["Hello."])
    view.back_button.click()
    assert view.panel.frame["now"].endswith("This is the start.")
    view.next_button.click()
    view.next_button.click()
    assert view.panel.frame["now"].endswith("This is the last call; the run is over.")
    assert view.stepper.index == 1


def test_the_slider_shows_recorded_calls_and_goes_back_from_others():
    view, model = open_view(at=1)
    view.slider.value = 0
    assert view.stepper.index == 0
    view.slider.value = 7
    assert (view.stepper.index, view.slider.value, len(model.calls)) == (1, 1, 1)


def test_the_script_that_is_used_up_is_shown_and_kept():
    view, _ = open_view(script=[])
    view.next_button.click()
    assert "Nothing was left in the script" in view.status_text
    assert "脚本已耗尽" in str(view.last_error)
    assert "脚本已耗尽" in "".join(view.panel.items["answers"])


def test_what_goes_wrong_in_a_handler_is_shown_in_the_view():
    view, _ = open_view()

    def broken():
        raise OSError("disk <full>")

    view._try(broken)
    assert isinstance(view.last_error, OSError)
    assert "OSError: disk &lt;full&gt;" in view.panel.frame["now"]
    view.next_button.click()
    assert view.stepper.index == 1


def test_the_plain_method_raises_where_the_handler_shows():
    view, _ = open_view()
    with pytest.raises(TypeError, match="whole number"):
        view.goto("one")


@pytest.mark.parametrize("name", RUNS)
def test_every_state_of_every_run_can_be_shown(name):
    view = StepperView(stepper(name))
    while view.stepper.forward():
        assert json.loads(json.dumps(view.panel.frame)) == view.panel.frame
    assert len(view.panel.items["columns"]) == len(view.stepper.turns)
    assert len(view.panel.items["answers"]) == len(view.stepper.turns) + 1


def test_the_rows_are_those_of_the_longest_request_and_the_frame_says_how_many_to_show():
    view, _ = open_view(at="end")
    assert len(view.panel.items["rows"]) == 1 + 3
    assert (view.panel.frame["rows"], view.panel.frame["fresh"]) == (4, 2)
    view.first()
    assert (view.panel.frame["rows"], view.panel.frame["fresh"]) == (2, 1)


def test_a_frame_stays_small_however_long_the_run_is():
    view, _ = open_view(script=[*[(add(f"c{n}"),) for n in range(200)], "x" * 5000], max_steps=300, at="end")
    assert len(json.dumps(view.panel.frame)) < 1500


def test_a_step_sends_only_what_is_new(monkeypatch):
    sent = []
    monkeypatch.setattr(Panel, "send", lambda self, content, buffers=None: sent.append(content))
    view, _ = open_view(script=[*[(add(f"c{n}"),) for n in range(50)], "x"], max_steps=60)
    sizes = []
    for _ in range(51):
        sent.clear()
        view.next()
        sizes.append(len(json.dumps(sent)))
    assert max(sizes[1:]) <= 1.5 * min(sizes[1:])
    sent.clear()
    view.back()
    view.next()
    assert sent == []


def test_two_views_of_one_stepper_agree():
    shared = stepper("two turns")
    first, second = StepperView(shared), StepperView(shared)
    first.next_button.click()
    second.next_button.click()
    assert first.panel.frame["call"] == second.panel.frame["call"] == 2
    assert first.panel.items["rows"] == second.panel.items["rows"]


def test_two_steppers_do_not_interfere():
    first, _ = open_view()
    second, _ = open_view()
    first.next_button.click()
    assert second.panel.frame["call"] == 0


def test_a_stepper_that_is_moved_from_a_cell_moves_its_view():
    view, _ = open_view()
    view.stepper.forward()
    assert view.panel.frame["call"] == view.slider.value == 1


def test_play_goes_on_until_the_end_one_tick_per_call():
    view, model = open_view()
    view.play_button.click()
    assert view.play_button.description == "Pause"
    for at in (0, 0, 1, 1, 2):  # each tick comes from two browsers
        view._on_message(None, {"op": "tick", "at": at}, [])
    assert len(model.calls) == 2
    assert view.play_button.description == "Play"


def test_play_stops_at_an_error():
    view, _ = open_view(script=[(add("c1", "two"),), "?"])
    view.play_button.click()
    view._on_message(None, {"op": "tick", "at": 0}, [])
    assert view.play_button.description == "Play"


def test_play_can_be_stopped():
    view, model = open_view()
    view.play_button.click()
    view.play_button.click()
    view._on_message(None, {"op": "tick", "at": 0}, [])
    assert model.calls == []


@pytest.mark.parametrize(
    "message", [{}, {"op": "close"}, {"op": "stepper"}, {"op": "tick"}, {"op": ["next"]}, {"op": None}]
)
def test_a_message_that_is_not_known_does_nothing(message):
    view, model = open_view()
    view._on_message(None, message, [])
    assert model.calls == []
    assert view.last_error is None


def test_the_fallback_shows_the_step_until_the_panel_is_there():
    view, _ = open_view()
    view.next_button.click()
    assert "Call 1 of at most 10" in view.fallback.value
    view._on_message(None, {"op": "ready"}, [])
    view.back_button.click()
    assert view.fallback.value == ""


def test_the_bundle_carries_the_live_view_and_what_stands_for_it():
    view, _ = open_view(at=1)
    bundle = view._repr_mimebundle_()
    assert bundle["text/plain"].startswith("Call 1 of at most 10.")
    assert "<table>" in bundle["text/html"]
    assert bundle["application/vnd.jupyter.widget-view+json"]["model_id"] == view.model_id


def test_the_repr_is_short_and_has_no_address():
    view, _ = open_view()
    assert repr(view) == "<StepperView: Before call 1 of at most 10>"
    assert repr(view.panel) == "<Panel>"


def test_closing_views_leaves_no_widget_behind():
    before = len(ipywidgets.widgets.widget._instances)
    for _ in range(5):
        view, _ = open_view(at="end")
        view.close()
    assert len(ipywidgets.widgets.widget._instances) == before


def test_a_closed_view_no_longer_follows_its_stepper():
    view, _ = open_view()
    view.close()
    view.stepper.forward()
    assert view.panel.frame["call"] == 0


def test_a_model_without_a_script_shows_none():
    class Echo:
        def complete(self, messages, tools):
            return FakeModel([messages[-1].content]).complete(messages, tools)

    view = step(Echo(), ToolRegistry(), "hi", at=1)
    assert view.panel.items["script"] == []
    assert view.panel.facts["model"] == "model <code>Echo</code>"


def test_names_that_a_model_gives_itself_are_escaped():
    view = step(FakeModel(["x"], name="<b>"), ToolRegistry(), "hi")
    assert "<b>" not in view.panel.facts["model"]


@pytest.mark.parametrize("at", [-1, "start", 1.5, True, None])
def test_a_wrong_at_is_refused_before_a_call(at):
    model = FakeModel(["x"])
    with pytest.raises(ValueError, match="at is"):
        step(model, ToolRegistry(), "hi", at=at)
    assert model.calls == []


@pytest.mark.parametrize("scale", [0, 9, "big", True])
def test_a_wrong_scale_is_refused(scale):
    with pytest.raises(ValueError, match="scale is"):
        open_view(scale=scale)


def test_a_view_wants_a_stepper():
    with pytest.raises(TypeError, match="pass a Stepper"):
        StepperView(FakeModel(["x"]))


def test_an_interrupt_in_a_tool_goes_through_and_is_shown():
    def stop():
        raise KeyboardInterrupt

    registry = ToolRegistry()
    registry.add(Tool("stop", "", {"type": "object"}, stop))
    view = step(FakeModel([[ToolCall("c1", "stop", {})], "x"]), registry, "hi")
    with pytest.raises(KeyboardInterrupt):
        view.next()
    assert view.stepper.status == "cancelled"
    assert "interrupted" in view.status_text


def test_each_view_takes_a_stepper_as_it_is():
    walk = Stepper(FakeModel(["x"]), ToolRegistry(), "hi")
    walk.forward()
    assert StepperView(walk).panel.frame["call"] == 1


def test_two_presses_at_once_make_one_call_after_the_other():
    import threading

    started = threading.Event()

    class Slow(FakeModel):
        def complete(self, messages, tools):
            started.set()
            threading.Event().wait(0.05)
            return super().complete(messages, tools)

    view = step(Slow([[add(f"c{n}")] for n in range(3)]), shop(), "hi")
    presses = [threading.Thread(target=view.next_button.click) for _ in range(3)]
    for press in presses:
        press.start()
    for press in presses:
        press.join()
    assert started.is_set()
    assert [len(turn.request.messages) for turn in view.stepper.turns] == [1, 3, 5]


def test_a_tool_cannot_step_the_run_that_it_is_part_of():
    registry = ToolRegistry()
    registry.add(Tool("again", "", {"type": "object"}, lambda: view.stepper.forward()))  # noqa: PLW0108  (made below)
    view = step(FakeModel([[ToolCall("c1", "again", {})], "x"]), registry, "hi")
    view.next()
    assert "being stepped already" in view.stepper.turns[0].results[0][1].content
    assert [len(turn.request.messages) for turn in view.stepper.turns] == [1]


def test_a_tool_that_exits_ends_the_run_and_not_the_kernel():
    def bye():
        raise SystemExit

    registry = ToolRegistry()
    registry.add(Tool("bye", "", {"type": "object"}, bye))
    view = step(FakeModel([[ToolCall("c1", "bye", {})], "x"]), registry, "hi")
    view.next_button.click()
    assert isinstance(view.last_error, SystemExit)
    assert view.stepper.status == "cancelled"


def test_a_view_that_is_shown_anew_does_not_go_on_playing():
    view, model = open_view()
    view._on_message(None, {"op": "ready"}, [])
    view.play_button.click()
    view._on_message(None, {"op": "ready"}, [])
    view._on_message(None, {"op": "tick", "at": 0}, [])
    assert model.calls == []


def test_a_key_that_is_held_down_asks_nobody():
    view, model = open_view(at=1)
    view.back()
    for _ in range(5):
        view._on_message(None, {"op": "next", "repeat": True}, [])
    assert len(model.calls) == view.stepper.index == 1


@pytest.mark.parametrize("position", [None, "goalkeeper", 1.5])
def test_a_model_with_fields_of_its_own_is_shown_as_one_without_a_script(position):
    class Own:
        script = property(lambda _: ["mine"])

        def complete(self, messages, tools):
            return FakeModel(["hello"]).complete(messages, tools)

    Own.position = position
    view = step(Own(), ToolRegistry(), "hi", at=1)
    assert view.panel.items["script"] == []
    assert "items used" not in "".join(view.panel.items["answers"])


def test_half_a_character_in_an_exception_can_be_sent():
    class Odd:
        def complete(self, messages, tools):
            raise ValueError("half \ud800 pair \x1b]0;title")

    bundle = step(Odd(), ToolRegistry(), "hi", at=1)._repr_mimebundle_()
    for form in ("text/plain", "text/html"):
        bundle[form].encode("utf-8")
        assert "\x1b" not in bundle[form]


def test_prices_do_not_become_formulas_where_no_kernel_runs():
    html = step(FakeModel(["$3 and $2"]), ToolRegistry(), "Is $3 more than $2?", at=1)._repr_mimebundle_()["text/html"]
    assert "$" not in html.replace("<span>$</span>", "")


def test_in_a_shell_and_without_one_a_step_that_fails_is_shown_in_the_view_alone(tmp_path):
    """Without a shell ipywidgets only logs what a handler raises; with one it prints a traceback."""
    code = """
from minagent_lab import FakeModel, ToolRegistry, step
view = step(FakeModel([]), ToolRegistry(), "Hi")
view.next_button.click()
assert "Nothing was left in the script" in view.status_text, view.status_text
assert type(view.last_error).__name__ == "ScriptExhausted"
view.close()
print("as it should")
"""
    shell = "from IPython.core.interactiveshell import InteractiveShell as S; S.instance(cache_size=0).run_cell({0!r})"
    env = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    env["IPYTHONDIR"] = str(tmp_path)
    for way in (code, shell.format(code)):
        done = subprocess.run([sys.executable, "-c", way], capture_output=True, encoding="utf-8", check=True, env=env)
        assert done.stdout == "as it should\n"

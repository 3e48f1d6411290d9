"""The playground: texts beside the run of them."""

import ipywidgets
import pytest

from minagent_lab.messages import ToolCall
from minagent_lab.stepping.playbook import Texts
from minagent_lab.stepping.playbook_examples import EXAMPLES
from minagent_lab.views.playground import playground
from minagent_lab.views.playground_view import PlaygroundView

HELLO = Texts('"Hi"', '["Hello."]', "{}")


@pytest.fixture
def view():
    made = PlaygroundView(HELLO)
    yield made
    made.close()


def type_in(view, part, text):
    view.editors[part].area.value = text


def run_of(view):
    return view.stepper_view.stepper


# ---- the run


def test_it_begins_with_a_run_that_nobody_has_asked_anything(view):
    assert (run_of(view).prompt, run_of(view).index, view.problems) == ("Hi", 0, ())
    assert view.status_text == "The run is of this text."
    assert run_of(view).model.calls == []


def test_what_is_typed_is_read_at_once_and_run_when_one_says_so(view):
    before = run_of(view)
    type_in(view, "script", '["Bye."]')
    assert run_of(view) is before
    assert view.status_text == "The text has changed. Press Run, or Ctrl+Enter."
    assert "The run below is of the text before." in view.desk.mark.value
    assert "pg-stale" in view.desk.stage._dom_classes
    view.run_button.click()
    assert run_of(view).model.script == ["Bye."]
    assert view.desk.mark.value == ""
    assert "pg-stale" not in view.desk.stage._dom_classes


def test_a_new_run_stands_at_the_call_that_was_shown():
    view = PlaygroundView(EXAMPLES["An endless loop"])
    run_of(view).forward()
    run_of(view).forward()
    type_in(view, "tools", EXAMPLES["An endless loop"].tools.replace("nothing found", "notes.txt"))
    view.run()
    assert run_of(view).index == 2
    assert run_of(view).turn.results[0][1].content == "notes.txt"
    view.close()


def test_a_text_with_problems_keeps_the_old_run_and_says_why(view):
    before = run_of(view)
    type_in(view, "script", '[\n  "Hello."\n  "Bye."\n]')
    view.run_button.click()
    assert run_of(view) is before
    assert view.status_text == '1 problem. Script, line 2: a comma is missing after "Hello."'
    assert "Not run. 1 problem." in view.desk.status.value
    assert "The run below is of the text before." in view.desk.mark.value
    assert (view.problems[0].line, view.problems[0].column) == (2, 11)
    type_in(view, "script", '[\n  "Hello.",\n  "Bye."\n]')
    view.run()
    assert run_of(view).model.script == ["Hello.", "Bye."]


def test_each_problem_is_a_button_at_its_place_and_stands_under_its_text(view):
    type_in(view, "script", '["<b>" 5]')
    type_in(view, "prompt", "<i>")
    listed = view.editors["script"]._errors.value
    assert "data-part='script' data-at='6'><b>Line 1:</b> a comma is missing after &quot;&lt;b&gt;&quot;" in listed
    assert "<i>" not in view.editors["prompt"]._errors.value
    assert "<i>" not in view.desk.status.value
    assert view.desk.editing.frame["script"] == {"lines": 1, "bad": [1]}
    assert view.editors["tools"]._errors.value == ""


def test_a_long_list_of_problems_is_cut():
    view = playground("[1, 2, 3, 4, 5, 6, 7, 8]")
    assert view.editors["script"]._errors.value.count("<li>") == 6
    assert "and 2 more" in view.editors["script"]._errors.value
    view.close()


def test_a_text_that_cannot_be_run_at_first_has_no_run_until_it_is_repaired():
    view = playground('["Hello."', prompt="Hi")
    assert view.stepper_view is None
    assert "There is no run yet." in view.desk.mark.value
    view.copy_button.click()
    assert "There is no run yet" in view.desk.status.value
    type_in(view, "script", '["Hello."]')
    view.run()
    assert run_of(view).prompt == "Hi"
    view.close()


# ---- the key, and the page


def test_ctrl_enter_runs_what_is_typed_even_where_the_text_comes_later_than_the_key(view):
    view._on_message({"op": "run", "texts": {"prompt": '"Ho"', "script": '["Bye."]', "tools": "{}"}})
    assert (run_of(view).prompt, run_of(view).model.script) == ("Ho", ["Bye."])
    assert view.texts == Texts('"Ho"', '["Bye."]', "{}")
    view._on_message({"op": "run"})
    assert run_of(view).prompt == "Ho"
    view._on_message({"op": "sing"})


def test_what_goes_wrong_in_a_handler_is_shown_in_the_view(view, monkeypatch):
    def broken(*_):
        raise OSError("no <room>")

    monkeypatch.setattr(view, "_show_run", broken)
    view.run_button.click()
    assert isinstance(view.last_error, OSError)
    assert "OSError: no &lt;room&gt;" in view.desk.status.value


# ---- starting points


def test_an_example_is_chosen_from_the_menu_and_stands_at_its_start(view):
    run_of(view).forward()
    view.menu.value = "Parallel calls"
    assert view.texts == EXAMPLES["Parallel calls"]
    assert run_of(view).index == 0
    assert not view.stale


def test_nothing_typed_is_lost_whatever_is_chosen(view):
    type_in(view, "script", '["mine"')
    assert view.menu.value == "Your text 1"
    view.menu.value = "One tool"
    type_in(view, "script", '["mine too"]')
    view.menu.value = "Your text 1"
    assert view.texts.script == '["mine"'
    assert view.stale
    view.menu.value = "Your text 2"
    assert view.texts.script == '["mine too"]'
    view.menu.value = "As given"
    assert view.texts == HELLO


def test_the_menu_has_four_examples_and_what_was_given(view):
    assert view.menu.options == ("As given", "One tool", "Parallel calls", "An endless loop", "A cut answer")
    plain = playground()
    assert plain.menu.value == "One tool"
    plain.close()


# ---- what one can begin with


def test_it_begins_with_python_or_with_text():
    tools = {"add": {"description": "Sum", "parameters": {"type": "object"}, "results": ["5"]}}
    view = playground([[ToolCall("c1", "add", {})], "5"], tools, "2 + 3?", system="S", max_steps=3)
    run = run_of(view)
    run.run_to_end()
    assert (run.result.final, run.prompt, run.system, run.max_steps) == ("5", "2 + 3?", "S", 3)
    view.close()
    view = playground('["a"]', "{}")
    assert (view.texts.script, view.texts.tools, run_of(view).prompt) == ('["a"]', "{}", "Hello.")
    view.close()


def test_the_prompt_is_text_and_not_json():
    view = playground(["a"], prompt='"quoted"\nand {more}')
    assert run_of(view).prompt == '"quoted"\nand {more}'
    view.close()


@pytest.mark.parametrize("wrong", [{"script": [5]}, {"tools": [5]}, {"script": "[]", "tools": 5}])
def test_what_it_cannot_begin_with_is_refused(wrong):
    with pytest.raises(TypeError):
        playground(**wrong)


@pytest.mark.parametrize("texts", ["[]", ("a", "b", "c"), Texts("a", 5, "c")])
def test_what_are_no_texts_is_refused(texts):
    with pytest.raises(TypeError, match="pass Texts"):
        PlaygroundView(texts)


def test_lines_end_as_they_do_in_a_text_area():
    view = PlaygroundView(Texts('\ufeff"Hi"', '[\r\n"a"\r\n]', "{}"))
    assert (view.texts.prompt, view.texts.script) == ('"Hi"', '[\n"a"\n]')
    view.close()


# ---- code, and where no kernel runs


def test_the_code_of_the_run_is_shown_and_sent_to_the_page(view):
    sent = []
    view.desk.editing.send = lambda message, *_: sent.append(message)
    run_of(view).forward()
    view.copy_button.click()
    assert view.code.value.endswith("step(FakeModel(script), registry, 'Hi', at=1)")
    assert view.code.layout.display == ""
    assert sent == [{"op": "copy", "code": view.code.value}]
    view._on_message({"op": "copied", "done": True})
    assert "The code of this run is copied." in view.desk.status.value
    view._on_message({"op": "copied", "done": False})
    assert "Copy the code at the bottom." in view.desk.status.value


def test_without_a_kernel_it_is_the_run_and_the_texts(view):
    type_in(view, "script", '["<b>$x$"]')
    view.run()
    type_in(view, "prompt", "")
    bundle = view._repr_mimebundle_()
    assert bundle["text/plain"].splitlines()[:3] == [
        "prompt, line 1: there is nothing here yet",
        "The run below is of the text before.",
        "Before call 1 of at most 10. Nothing has been asked yet.",
    ]
    html = bundle["text/html"]
    assert "<summary>Script: what the model says</summary><pre>[&quot;&lt;b&gt;<span>$</span>x" in html
    assert "<li>prompt, line 1: there is nothing here yet</li>" in html
    assert "style" not in html
    assert "application/vnd.jupyter.widget-view+json" in bundle


def test_the_repr_says_where_it_stands(view):
    assert repr(view) == "<PlaygroundView: Before call 1 of at most 10>"
    assert [repr(view.desk.editing), repr(view.editors["script"])] == ["<Editing>", "<Editor script>"]


def test_closing_leaves_no_widget_behind():
    before = len(ipywidgets.widgets.widget._instances)
    for texts in (None, HELLO, Texts("", "", "")):
        view = PlaygroundView(texts)
        view.run()
        view.choose("A cut answer")
        view.copy_code()
        type_in(view, "script", "[")
        view.close()
        view.close()
    assert len(ipywidgets.widgets.widget._instances) == before


def test_running_again_and_again_leaves_no_widget_behind(view):
    view.run()
    before = len(ipywidgets.widgets.widget._instances)
    for _ in range(5):
        view.run()
    assert len(ipywidgets.widgets.widget._instances) == before

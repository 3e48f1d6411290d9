import ipywidgets
import pytest

from minagent_lab import FakeModel, StepperView, step
from minagent_lab.errors import ForkError
from minagent_lab.views.compare_block import comparison_block
from minagent_lab.views.html import escape

from .runs import RUNS, add, finished, shop, stepper


@pytest.fixture
def view():
    made = StepperView(finished("two turns"))
    yield made
    made.close()


def test_a_fork_is_shown_and_the_first_branch_stays(view):
    first, turns = view.stepper, view.stepper.turns
    branch = view.fork(2, item="5, I think.")
    assert view.stepper is branch.stepper is not first
    assert [repr(one) for one in view.branches] == [
        "<Branch A, as scripted>",
        "<Branch B, forked at call 2: item 2 edited>",
    ]
    assert first.turns == turns
    view.next()
    assert "5, I think." in view.panel.items["answers"][-1]
    assert view.panel.frame["branch"] == "B"


def test_one_goes_back_and_forth_between_branches(view):
    rows = view.panel.items["rows"]
    view.fork(1, prompt="2 + 4?")
    assert "2 + 4?" in view.panel.items["rows"][1]
    view.controls.branch_bar.buttons["A"].click()
    assert view.branch.name == "A"
    assert view.panel.items["rows"] == rows


def test_a_branch_that_is_not_shown_does_not_move_the_view(view):
    first = view.stepper
    view.fork(2, item="5")
    first.goto(0)
    assert view.panel.frame["call"] == 1


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"item": "5"}, "item 2 edited"),
        ({"results": {"c2": "7"}}, "result of c2 edited"),
        ({"prompt": "x"}, "prompt edited"),
        ({"prompt": "x", "system": None}, "prompt and system prompt edited"),
        ({"prompt": "x", "system": "y"}, "prompt and system prompt edited"),
    ],
)
def test_a_branch_says_what_was_edited(view, changes, words):
    assert view.fork(2, **changes).edited == words


def test_a_fork_that_cannot_be_made_leaves_all_as_it_was(view):
    with pytest.raises(ForkError, match="nothing is changed"):
        view.fork(2)
    assert len(view.branches) == 1


def test_compare_shows_where_two_branches_part(view):
    view.fork(2, item="5")
    view.next()
    found = view.compare()
    assert (len(found.shared), found.parts_at) == (3, 2)
    html = view.panel.comparison
    assert "They part at call 2: item 2 edited." in html
    assert "Messages 1–3 are the same in both branches." in html
    assert html.count("DIFFERS") == 2 + sum(fact.differs for fact in found.facts)
    view.end_comparing()
    assert view.panel.comparison == ""


def test_a_comparison_follows_the_branch_that_is_stepped(view):
    view.fork(2, item="5")
    view.compare()
    before = view.panel.comparison
    view.next()
    assert view.panel.comparison != before


def test_branches_are_compared_by_name_and_in_their_order(view):
    view.fork(2, item="5")
    view.show_branch("A")
    view.fork(1, item="4")
    view.compare("B")
    assert "branch B and branch C" in view.panel.comparison
    with pytest.raises(ForkError, match="there is no branch 'D'; there is A, B, C"):
        view.compare("D")


def test_there_is_nothing_to_compare_before_a_fork(view):
    with pytest.raises(ForkError, match="fork the run first"):
        view.compare()


def test_what_models_and_tools_say_is_escaped_in_a_comparison():
    attack = "<img src=x onerror=alert(1)>"
    view = step(FakeModel([attack]), shop(), attack, at="end")
    view.fork(1, item=f"{attack}!")
    view.next()
    view.compare()
    assert "<img" not in view.panel.comparison
    assert escape(attack) in view.panel.comparison
    view.close()


@pytest.mark.parametrize("name", sorted(RUNS))
def test_every_run_can_be_compared_with_its_fork(name):
    view = StepperView(finished(name))
    view.fork(1, prompt="another one")
    view.run_until("end")
    assert "They part at call 1" in comparison_block(*view.branches)
    view.close()


def test_a_long_comparison_is_capped():
    script = [[add(f"c{n}")] for n in range(200)]
    view = StepperView(step(FakeModel([*script, "x"]), shop(), "a", max_steps=300, at="end").stepper)
    view.fork(1, prompt="b")
    view.run_until("end")
    view.compare()
    assert len(view.panel.comparison) < 60_000
    assert "more messages" in view.panel.comparison
    view.close()


# ---- the editor


def opened(view, call):
    view.goto(call)
    view.open_pane("fork")
    return view.panes["fork"]


def test_the_editor_shows_the_item_of_the_call(view):
    pane = opened(view, 2)
    assert (pane.form.value, pane.item.description) == ("JSON", "Item 2")
    assert '"id": "c2"' in pane.item.value
    pane = (view.open_pane("fork"), opened(view, 3))[1]
    assert (pane.form.value, pane.item.value) == ("plain text", "5")


def test_the_editor_makes_a_branch_of_what_was_edited(view):
    pane = opened(view, 2)
    pane.item.value = pane.item.value.replace("3", "30")
    pane.make_button.click()
    assert view.branch.name == "B"
    assert view.panel.frame.get("pane") is None
    view.next()
    assert view.stepper.turn.results[0][1].content == "32"


def test_the_editor_says_in_words_where_the_json_is_wrong(view):
    pane = opened(view, 2)
    pane.item.value = '[\n{"id" "c2"}]'
    pane.make_button.click()
    assert "this is not JSON, line 2, column 7" in pane.problem.value
    assert "alert" in pane.problem.value
    assert view.last_error is None
    pane.form.value, pane.kind.value = "plain text", "prompt"
    assert pane.problem.value == ""


def test_the_editor_makes_no_branch_of_nothing(view):
    pane = opened(view, 2)
    for kind in ("item", "results", "prompt"):
        pane.kind.value = kind
        pane.make_button.click()
        assert "nothing is changed yet" in pane.problem.value
    assert len(view.branches) == 1


def test_a_tools_result_can_be_edited(view):
    pane = opened(view, 1)
    pane.kind.value = "results"
    pane.results[0].value = "77"
    pane.make_button.click()
    view.next()
    assert "77" in "".join(view.panel.items["rows"])


def test_before_the_first_call_its_item_and_the_prompt_can_be_edited():
    view = StepperView(stepper("one tool"))
    view.open_pane("fork")
    assert [kind for _, kind in view.panes["fork"].kind.options] == ["item", "prompt"]
    view.panes["fork"].form.value = "plain text"
    view.panes["fork"].item.value = "4"
    view.panes["fork"].make_button.click()
    view.next()
    assert view.stepper.result.final == "4"
    view.close()


def test_a_model_without_a_script_can_be_forked_at_results_and_prompt():
    class Echo:
        def complete(self, messages, tools):
            return FakeModel([[add("c1")] if len(messages) == 1 else "5"]).complete(messages, tools)

    view = step(Echo(), shop(), "x", at=1)
    view.open_pane("fork")
    assert [kind for _, kind in view.panes["fork"].kind.options] == ["results", "prompt"]
    view.close()


def test_a_script_that_is_used_up_can_be_given_the_missing_item():
    view = StepperView(finished("a script used up"))
    view.open_pane("fork")
    pane = view.panes["fork"]
    assert (pane.item.value, pane.form.value, pane.item.description) == ("", "plain text", "Item 2")
    pane.item.value = "5"
    pane.make_button.click()
    view.next()
    assert view.stepper.result.final == "5"
    view.close()


def test_in_predict_mode_the_editor_does_not_show_what_comes():
    view = StepperView(stepper("one tool"), predict=True)
    view.open_pane("fork")
    assert view.panes == {}
    assert "once it is shown" in view.panel.frame["now"]
    view.close()


def test_the_panes_open_one_at_a_time(view):
    view.open_pane("code")
    view.open_pane("export")
    assert [name for name, pane in view.panes.items() if pane.layout.display != "none"] == ["export"]
    view.open_pane("export")
    assert all(pane.layout.display == "none" for pane in view.panes.values())


def test_the_code_follows_what_is_shown(view):
    view.open_pane("code")
    view.goto(1)
    assert view.panes["code"].code.value.endswith("at=1)")
    view.fork(2, item="5")
    view.open_pane("code")
    view.compare()
    assert view.panes["code"].code.value.count("from minagent_lab import") == 2


def test_run_until_stops_and_says_so():
    view = StepperView(stepper("arguments that do not fit"))
    view.run_until("error")
    assert (view.stepper.index, view.panel.frame["now"].endswith("Stopped here: error.")) == (1, True)
    view.run_until("error")
    assert "The run ended before the next error." in view.panel.frame["now"]
    view.controls.run.click()
    assert "This is the last call" in view.panel.frame["now"]
    view.close()


def test_a_view_with_branches_and_panes_leaves_no_widget_behind():
    before = len(ipywidgets.widgets.widget._instances)
    view = StepperView(finished("two tools"))
    for name in ("fork", "code", "export"):
        view.open_pane(name)
    view.fork(1, item="5")
    view.open_pane("fork")
    view.compare()
    view.close()
    assert len(ipywidgets.widgets.widget._instances) == before


def test_a_view_opens_at_the_call_it_is_told_to():
    shared = finished("two turns")
    view = StepperView(shared, at=1)
    assert view.panel.frame["call"] == shared.index == 1
    view.close()


def test_back_ends_play():
    view = StepperView(stepper("two turns"), at=1)
    view.play()
    view.back_button.click()
    assert view.play_button.description == "Play"
    view._on_message(None, {"op": "tick", "at": 0}, [])
    assert view.stepper.index == 0
    view.close()

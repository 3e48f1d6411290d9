import asyncio

import pytest

from minagent_lab import AbortController, FakeModel, FakeModelProvider, Recorder, Tool, ToolCall, arun, run
from minagent_lab.observe.budget import Budget
from minagent_lab.observe.clock import TickingClock
from minagent_lab.observe.trace import Trace
from minagent_lab.stepping.code import code_of
from minagent_lab.stepping.forking import fork
from minagent_lab.stepping.opening import open_run
from minagent_lab.views.blocks import end_block
from minagent_lab.views.exporting import export
from minagent_lab.views.html import plain
from minagent_lab.views.source import loop_lines
from minagent_lab.views.static import static_html, static_text
from minagent_lab.views.stepper_view import StepperView
from minagent_lab.views.words import asked, end, event, lines_note, now, sees, then

from .runs import add, shop


def traced(script, path=None, **options):
    trace = Trace(path, clock=TickingClock())
    asyncio.run(arun(FakeModelProvider(script), shop(), "2 + 3?", trace=trace, **options))
    return trace


def at_end(trace):
    opened = open_run(trace)
    opened.goto(len(opened.turns))
    return opened


def test_a_trace_file_is_shown_in_the_stepper(tmp_path):
    traced([[add("c1")], "The sum is 5."], tmp_path / "x.jsonl")
    view = StepperView(open_run(tmp_path / "x.jsonl"), at="end")
    assert repr(view) == "<StepperView: Call 2 of at most 10>"
    assert "Finished at call 2 of at most 10: final answer. The sum is 5." in static_text(view.stepper)
    view.next()
    assert view.stepper.index == 2
    view.close()


@pytest.mark.parametrize("at", [0, 1, 2])
def test_any_call_of_it_can_be_shown(at):
    view = StepperView(open_run(traced([[add("c1")], "5"])), at=at)
    assert view.stepper.index == at
    view.close()


def test_a_run_that_was_over_budget_before_the_model_says_so():
    opened = at_end(traced([[add("c1")], "5"], budget=Budget(steps=1)))
    assert plain(now(opened)) == "Stopped. The budget did not allow what came next."
    told = end(opened, opened.turn)
    assert told.title == "Stopped at call 2 of at most 10: the budget is used up"
    assert plain(told.facts[0][1]) == "The model was not asked again. What was paid for before is kept."
    assert "steps is limited to 1" in told.text


def test_a_call_that_a_budget_refused_is_not_said_to_be_seen():
    opened = at_end(traced([[add("c1")], "5"], budget=Budget(steps=1)))
    assert sees(opened.turn) == "What the model would have seen at call 2"
    assert "What the model would have seen at call 2: 3 messages" in static_text(opened)
    assert asked(opened.turn) == "The model was not asked."
    assert plain(lines_note(opened, 3)).endswith("The budget did not allow the call.")


def cancelled_in_the_middle(reason="Ann pressed Stop"):
    """Return an opened run in which c2 was at work, and c3 waited, when somebody stopped it."""
    trace, ann, tools = Trace(clock=TickingClock()), AbortController(), shop()
    tools.add(Tool("brew", "Brews", {"type": "object"}, lambda: asyncio.sleep(9)))

    async def main():
        script = [[add("c1")], [ToolCall("c2", "brew", {}), add("c3")], "never"]
        running = asyncio.ensure_future(arun(FakeModelProvider(script), tools, "Tea?", signal=ann.signal, trace=trace))
        for _ in range(20):
            await asyncio.sleep(0)
        ann.abort(reason)
        await running

    asyncio.run(main())
    return at_end(trace)


def test_the_view_says_likewise_what_it_would_have_seen():
    view = StepperView(open_run(traced([[add("c1")], "5"], budget=Budget(steps=1))), at="end")
    assert view.panel.frame["sees"] == "What the model would have seen at call 2"
    view.close()


def test_a_cancelled_run_is_no_failure_and_tells_of_each_call():
    opened = cancelled_in_the_middle()
    told = end(opened, opened.turn)
    assert told.title == "Cancelled in call 2 of at most 10: Ann pressed Stop"
    assert [(label, plain(words)) for label, words in told.facts] == [
        ("call", "c2: brew was stopped while it ran; what it had done by then is not known."),
        ("call", "c3: add was not run."),
        ("next", "Go on from this history: it is well-formed, each call has its result."),
    ]
    assert plain(now(opened)) == "Cancelled. Ann pressed Stop."
    assert event(opened.turn) == ("cancelled", False)
    assert asked(opened.turn) == "The model asked for 2 tools; then the run was cancelled."
    assert plain(then(opened.turn)) == (
        "Then the loop stopped brew (c2) while it ran; what it had done by then is not known; did not run add (c3): "
        "the run ended before this call; it appended the calls and their results."
    )


def test_its_mark_in_the_view_is_grey_and_no_cross():
    opened = cancelled_in_the_middle()
    html = end_block(end(opened, opened.turn))
    assert "<h4>■ Cancelled in call 2" in html
    assert "--e:var(--muted)" in html
    assert "✕" not in html


def test_a_run_that_was_cancelled_without_a_reason_says_so():
    opened = cancelled_in_the_middle("")
    assert end(opened, opened.turn).title == "Cancelled in call 2 of at most 10"
    assert plain(now(opened)) == "Cancelled. Somebody wanted it to stop; that is no failure."


def test_a_run_that_was_over_budget_before_its_tools_stands_at_the_first_tool():
    opened = at_end(traced([[add("c1"), add("c2")], "5"], budget=Budget(tool_calls=1)))
    assert plain(end(opened, opened.turn).facts[0][1]).startswith("No tool of this turn was run.")
    assert "The model asked for 2 tools; no tool was run." in static_text(opened)
    lines = loop_lines(opened)
    assert lines.stands_at == max(lines.ran)


def test_a_trace_that_ends_too_early_says_so():
    opened = open_run(traced([[add("c1")], "5"]).events[:5])
    opened.goto(2)
    assert plain(now(opened)) == "Stopped. The trace tells no more."
    assert end(opened, opened.turn).title == "Stopped at call 2 of at most 10: the trace tells no more"


# ---- what a result and a recording do not tell is not shown


SCRIPT = [[add("c1")], "The sum is 5."]


def everything_shown(opened, folder):
    """Return all that is shown of a run at its end: live, where no kernel runs, and in files."""
    forms = (".md", ".html", ".json")
    view = StepperView(opened, at="end")
    live = "".join(map(str, (view.panel.frame, view.panel.items["rows"], repr(view))))
    room, limit = view.panel.facts["max"], view.panel.facts["limit"]
    assert view.slider.max == room
    view.close()
    files = [export(opened, folder / f"run{form}").read_text(encoding="utf-8") for form in forms]
    return room, limit, "".join([live, static_text(opened), static_html(opened), *files])


def test_a_result_tells_no_limit_and_no_tools(tmp_path):
    room, limit, shown = everything_shown(open_run(run(FakeModel(SCRIPT), shop(), "2 + 3?", max_steps=7)), tmp_path)
    assert (room, limit) == (2, "")
    assert "at most" not in shown
    assert "no tools on offer" not in shown
    assert "0 tools" not in shown
    assert "not told by this run" in shown
    assert '"max_steps": null' in shown
    assert '"tools": null' in shown


def test_a_result_that_ran_into_its_limit_tells_it(tmp_path):
    with pytest.raises(Exception, match="max_steps=1") as caught:
        run(FakeModel(SCRIPT), shop(), "2 + 3?", max_steps=1)
    room, limit, shown = everything_shown(open_run(caught.value.result), tmp_path)
    assert (room, limit) == (1, " of at most 1")
    assert "Stopped after call 1 of at most 1: over max_steps" in shown


def test_a_recording_tells_its_tools_and_no_limit(tmp_path):
    recorder = Recorder(FakeModel(SCRIPT))
    run(recorder, shop(), "2 + 3?", max_steps=7)
    room, limit, shown = everything_shown(open_run(recorder.save(tmp_path / "x.json")), tmp_path)
    assert (room, limit) == (2, "")
    assert "at most" not in shown
    assert "not told by this run" not in shown
    assert "2 schemas: " in shown


def test_a_trace_tells_both(tmp_path):
    room, limit, shown = everything_shown(open_run(traced(SCRIPT)), tmp_path)
    assert (room, limit) == (10, " of at most 10")
    assert "not told by this run" not in shown


def test_a_branch_of_a_run_that_was_opened_says_that_nobody_can_go_on():
    branch = fork(open_run(run(FakeModel(SCRIPT), shop(), "2 + 3?")), 1, results={"c1": "6"})
    branch.run_to_end()
    assert branch.turns[0].results[0][1].content == "6"
    assert "a run that was opened has no model to ask; step(model, registry, ...)" in str(branch.error)


def test_a_branch_of_a_result_knows_no_more_than_the_result():
    opened = open_run(run(FakeModel(SCRIPT), shop(), "2 + 3?", max_steps=7))
    branch = fork(opened, 1, results={"c1": "6"})
    assert branch.unknown == opened.unknown == {"max_steps", "tools"}
    assert "max_steps" not in code_of(branch)

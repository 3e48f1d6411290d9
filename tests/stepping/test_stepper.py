import inspect

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lab import adder, call, registry, tool, well_formed

from minagent_lab import (
    FakeModel,
    Message,
    ModelRequest,
    ModelResponse,
    ScriptExhausted,
    Stepper,
    ToolCall,
    Turn,
    history_growth,
    run,
)
from minagent_lab.errors import MaxStepsExceeded

WISH = ModelResponse(Message("assistant", tool_calls=[call("c1", a=1, b=1), call("c2", "search")]), "tool_use")
CUT = ModelResponse(Message("assistant", tool_calls=[call("c1", a=1, b=1)]), "max_tokens")
scripts = st.lists(st.sampled_from([[call("c1", a=1, b=1)], WISH, CUT, "text"]), max_size=6)
presses = st.lists(
    st.sampled_from(["forward", "forward", "back", "run_to_end"]) | st.tuples(st.just("goto"), st.integers(-3, 9)),
    max_size=15,
)


def press(walk, pressed):
    return walk.goto(pressed[1]) if isinstance(pressed, tuple) else getattr(walk, pressed)()


@given(scripts, presses, st.integers(min_value=1, max_value=5))
def test_whatever_is_pressed_it_asks_only_where_nothing_is_recorded(script, pressed, max_steps):
    walk = Stepper(FakeModel(script), adder(), "x", max_steps=max_steps)
    for one in pressed:
        index, recorded = walk.index, len(walk.turns)
        may_ask = not walk.ended and (one == "run_to_end" or (one == "forward" and index == recorded))
        moved = press(walk, one)

        assert 0 <= walk.index <= len(walk.turns) == len(walk.model.calls) == len(walk.growth)
        assert (len(walk.turns) > recorded) == may_ask
        if one == "forward":
            assert len(walk.turns) <= recorded + 1
            assert moved == (may_ask or index < recorded)
            assert walk.index == index + moved
        elif one == "back":
            assert (walk.index, moved) == (max(index - 1, 0), index > 0)
        elif one == "run_to_end":
            assert walk.ended
            assert walk.at_frontier
        else:
            assert (walk.index, moved) == (min(max(one[1], 0), recorded), walk.index != index)
        assert (walk.turn is None) == (walk.index == 0)
        assert walk.turn is None or walk.turn.call == walk.index
        assert (walk.waiting is None) == walk.ended


@given(scripts, presses, st.integers(min_value=1, max_value=5))
def test_however_it_is_stepped_it_comes_to_what_a_run_comes_to(script, pressed, max_steps):
    walk, model = Stepper(FakeModel(script), adder(), "x", system="s", max_steps=max_steps), FakeModel(script)
    for one in pressed:
        press(walk, one)
    walk.run_to_end()
    try:
        expected, error = run(model, adder(), "x", system="s", max_steps=max_steps), None
    except (ScriptExhausted, MaxStepsExceeded) as raised:
        expected, error = raised.result, raised

    assert walk.result == expected
    assert walk.status == expected.status
    assert (type(walk.error), str(walk.error)) == (type(error), str(error))
    assert walk.model.calls == model.calls
    assert walk.growth == history_growth(model.calls)


def finished():
    walk = Stepper(FakeModel([WISH, "ok"]), adder(), "x", system="s")
    walk.run_to_end()
    return walk


def test_it_begins_before_the_first_call_and_shows_what_will_be_sent():
    walk = Stepper(FakeModel(["ok"]), adder(), "Hi", system="s")

    assert (walk.index, walk.turns, walk.turn, walk.status, walk.ended) == (0, (), None, "ready", False)
    assert walk.waiting == ModelRequest([Message("system", "s"), Message("user", "Hi")], adder().schemas())
    assert walk.model.calls == []


def test_a_turn_is_one_call_of_the_model_and_what_the_loop_did_with_the_answer():
    first, second = finished().turns

    assert (first.call, first.item, first.status, first.error) == (1, 1, "running", None)
    assert first.request == ModelRequest([Message("system", "s"), Message("user", "x")], adder().schemas())
    assert first.response == WISH
    assert [wish.id for wish, _ in first.results] == ["c1", "c2"]
    assert [result.error for _, result in first.results] == [None, "unknown_tool"]
    assert (second.call, second.results, second.status) == (2, (), "completed")


def test_going_back_runs_no_tool_again():
    ran = []
    walk = Stepper(FakeModel([[ToolCall("c1", "t", {})], "ok"]), registry(tool(lambda: ran.append(1))), "x")
    walk.forward()
    walk.back()
    walk.forward()
    walk.goto(0)
    walk.run_to_end()

    assert ran == [1]


def test_what_is_done_to_a_shown_turn_changes_nothing_recorded():
    walk, fresh = finished(), finished()
    walk.goto(1)
    for turn in (walk.turn, walk.turns[0]):
        turn.request.messages.append(Message("user", "forged"))
        turn.request.tools.clear()
        turn.response.usage["input_tokens"] = 99
        turn.response.message.tool_calls[0].arguments.clear()
        turn.results[0][0].arguments.clear()
    walk.growth.clear()
    walk.result.messages.append(Message("user", "forged"))

    assert walk.turns == fresh.turns
    assert walk.growth == fresh.growth
    assert walk.result == fresh.result


def test_what_is_done_to_the_waiting_request_is_not_sent():
    walk = Stepper(FakeModel(["ok"]), adder(), "x")
    walk.waiting.messages.append(Message("user", "forged"))
    walk.waiting.tools.clear()
    walk.forward()

    assert walk.model.calls[0] == ([Message("user", "x")], adder().schemas())


class Own:
    def __init__(self, *answers):
        self.answers = list(answers)

    def complete(self, messages, tools):
        answer = self.answers.pop(0)
        if isinstance(answer, BaseException):
            raise answer
        return answer


def test_a_response_that_its_model_changes_later_stays_recorded_as_it_was():
    reply = WISH
    walk = Stepper(Own(reply), adder(), "x")
    walk.forward()
    reply.message.tool_calls[0].arguments.clear()

    assert walk.turns[0].response == WISH
    assert walk.turns[0].results[0][0] == WISH.message.tool_calls[0]


def test_an_error_of_the_model_ends_the_run_and_is_shown_and_not_raised():
    problem = ValueError("down")
    walk = Stepper(Own(WISH, problem), adder(), "x")
    walk.run_to_end()

    assert (walk.index, walk.status, walk.error) == (2, "failed", problem)
    assert (walk.turn.response, walk.turn.error, walk.turn.item) == (None, problem, None)
    assert walk.result is problem.result
    assert walk.forward() is False


def test_an_error_with_a_result_of_its_own_does_not_pass_for_the_result_of_the_run():
    class Closed(Exception):
        @property
        def result(self):
            return "its own"

    walk = Stepper(Own(Closed()), adder(), "x")
    walk.forward()

    assert walk.result.status == "failed"


def test_ctrl_c_while_the_model_thinks_loses_nothing_and_the_step_can_be_tried_again():
    walk = Stepper(Own(KeyboardInterrupt(), ModelResponse(Message("assistant", "ok"))), adder(), "x")
    with pytest.raises(KeyboardInterrupt):
        walk.forward()
    assert (walk.index, walk.turns, walk.status, walk.ended) == (0, (), "ready", False)

    walk.forward()
    assert walk.result.final == "ok"


def test_ctrl_c_while_running_to_the_end_shows_how_far_it_came():
    walk = Stepper(Own(WISH, KeyboardInterrupt()), adder(), "x")
    with pytest.raises(KeyboardInterrupt):
        walk.run_to_end()

    assert (walk.index, walk.status) == (1, "running")


def test_ctrl_c_in_a_tool_ends_the_run_with_a_well_formed_history():
    def stop(a, b):
        raise KeyboardInterrupt

    walk = Stepper(Own(WISH), registry(tool(stop, name="add")), "x")
    with pytest.raises(KeyboardInterrupt) as raised:
        walk.forward()

    assert (walk.index, walk.status, walk.ended) == (1, "cancelled", True)
    assert walk.result is raised.value.result
    assert well_formed(walk.result.messages)
    assert [result.error for _, result in walk.turn.results] == ["tool_failed", "not_run"]


def test_the_limit_belongs_to_the_turn_that_hit_it():
    walk = Stepper(FakeModel([WISH, WISH, "never"]), adder(), "x", max_steps=2)
    walk.run_to_end()

    assert [turn.status for turn in walk.turns] == ["running", "max_steps"]
    assert isinstance(walk.turn.error, MaxStepsExceeded)
    assert len(walk.turn.results) == 2


@pytest.mark.parametrize("call", [None, 1.0, "1", True])
def test_it_goes_to_whole_numbers_only(call):
    walk = finished()
    with pytest.raises(TypeError, match="a whole number: 0 for the start, 1 for the first call"):
        walk.goto(call)
    assert walk.index == 2


@pytest.mark.parametrize("fields", [{"model": None}, {"registry": None}, {"prompt": None}, {"system": 5}])
def test_it_refuses_what_a_run_refuses(fields):
    parts = {"model": FakeModel(["ok"]), "registry": adder(), "prompt": "x"} | fields
    with pytest.raises(TypeError, match=f"^{next(iter(fields))} is "):
        Stepper(**parts)


def test_a_limit_that_is_no_count_is_refused():
    with pytest.raises(ValueError, match="max_steps is 0"):
        Stepper(FakeModel(["ok"]), adder(), "x", max_steps=0)


def test_who_watches_is_told_of_each_move_and_of_nothing_else():
    told, walk = [], finished()
    stop = walk.watch(lambda: told.append(walk.index))
    walk.forward()
    walk.back()
    walk.goto(1)
    walk.goto(0)
    stop()
    stop()
    walk.forward()

    assert told == [1, 0]


def test_who_stops_watching_while_being_told_leaves_the_others_alone():
    told, walk = [], finished()
    stop = walk.watch(lambda: (told.append("once"), stop()))
    walk.watch(lambda: told.append("always"))
    walk.back()
    walk.back()

    assert told == ["once", "always", "always"]


def test_the_limit_is_that_of_a_run_unless_it_is_told():
    assert (
        Stepper(FakeModel([]), adder(), "x").max_steps == inspect.signature(run).parameters["max_steps"].default == 10
    )


def test_stepper_and_turn_show_themselves_in_one_short_line():
    walk = finished()

    assert repr(walk) == "<Stepper completed: call 2 of 2>"
    assert repr(walk.turns[0]) == "<Turn 1: 2 messages → tool_call, running>"
    assert repr(Turn(1, ModelRequest([]), None, status="failed")) == "<Turn 1: 0 messages → no response, failed>"

"""Branches of a run, and two runs side by side."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lab import call, registry, tool, well_formed

from minagent_lab import FakeModel, FakeModelProvider, Message, Stepper, ToolCall, to_model
from minagent_lab.errors import ForkError
from minagent_lab.mockgpt import MockGPT, Rule
from minagent_lab.stepping.comparing import compare
from minagent_lab.stepping.forking import fork

SCRIPT = [[call("c1", a=2, b=3)], [call("c2", a=5, b=4), call("c3", a=1, b=1)], "9"]


def walked(script=SCRIPT, model=None, max_steps=10):
    ran = []

    def add(a, b):
        ran.append((a, b))
        return a + b

    walk = Stepper(model or FakeModel(script), registry(tool(add, name="add")), "2+3+4?", max_steps=max_steps)
    walk.ran = ran
    walk.run_to_end()
    return walk


def finished(stepper):
    stepper.run_to_end()
    return stepper


def same(one, other):
    return [(t.request, t.response, t.results, t.status) for t in one.turns] == [
        (t.request, t.response, t.results, t.status) for t in other.turns
    ]


def test_another_item_changes_that_call_and_what_follows():
    first = walked()
    branch = fork(first, 2, item="5, I think.")
    assert (branch.index, len(branch.turns), branch.status) == (1, 1, "running")
    finished(branch)

    assert branch.result.final == "5, I think."
    assert branch.turns[0].request == first.turns[0].request
    assert first.result.final == "9"
    assert first.model.remaining == 0


def test_no_tool_runs_twice_and_the_shared_calls_ask_nobody():
    first = walked()
    before, calls = list(first.ran), len(first.model.calls)
    finished(fork(first, 3, item="nine"))

    assert first.ran == before
    assert len(first.model.calls) == calls


def test_another_result_changes_what_the_model_reads_next():
    branch = finished(fork(walked(), 2, results={"c3": "seven"}))

    read = [message.content for message in branch.turns[2].request.messages if message.role == "tool"]
    assert read == ["5", "9", "seven"]
    assert well_formed(branch.result.messages)


def test_another_prompt_changes_the_very_first_call():
    branch = finished(fork(walked(), prompt="Other?", system="Be kind."))

    assert branch.turns[0].request.messages == [Message("system", "Be kind."), Message("user", "Other?")]
    assert branch.result.final == "9"


def test_a_whole_new_script_goes_on_from_the_call():
    branch = finished(fork(walked(), 2, script=[SCRIPT[0], [call("x", a=0, b=0)], "zero"]))
    assert branch.result.final == "zero"
    assert [turn.item for turn in branch.turns] == [1, 2, 3]


def test_a_run_that_is_not_over_can_be_forked_at_the_next_call():
    first = walked(SCRIPT[:1])
    started = Stepper(FakeModel(SCRIPT), first.registry, "2+3+4?")
    started.forward()
    branch = fork(started, 2, item="done")
    assert finished(branch).result.final == "done"
    assert len(started.turns) == 1


def test_a_branch_can_be_forked_again():
    second = finished(fork(walked(), 2, item=[call("d1", a=1, b=2)]))
    third = finished(fork(second, 3, item="3"))

    assert third.result.final == "3"
    assert third.turns[1].response == second.turns[1].response


@given(st.integers(1, 3))
def test_a_branch_in_which_nothing_is_new_is_the_same_run(at):
    first = walked()
    again = finished(fork(first, at, item=SCRIPT[at - 1]))

    assert same(first, again)
    assert compare(first, again).parts_at is None
    assert [turn.item for turn in again.turns] == [turn.item for turn in first.turns]


def test_the_run_that_ended_at_a_limit_can_be_forked():
    first = walked(max_steps=2)
    assert first.status == "max_steps"
    assert finished(fork(first, 2, item="5")).result.final == "5"


def test_an_exhausted_run_can_be_given_the_item_that_was_missing():
    first = walked(SCRIPT[:1])
    assert first.status == "exhausted"
    assert finished(fork(first, 2, script=[*SCRIPT[:1], "five"])).result.final == "five"


def test_a_script_that_was_begun_before_the_run_counts_from_there():
    model = FakeModel(["before", *SCRIPT])
    model.complete([], [])
    first = walked(model=model)
    assert finished(fork(first, 3, item="nine")).result.final == "nine"


def test_models_without_a_script_are_asked_after_the_shared_calls():
    mock = MockGPT([Rule(when=lambda r: r.turn == 0, generator="first")], fallback="then")
    branch = finished(fork(walked(model=mock), prompt="Again?"))
    assert branch.result.final == "first"
    with pytest.raises(ForkError, match="has no script"):
        fork(walked(model=mock), 1, item="x")


def test_the_provider_behind_a_plain_model_is_forked_by_its_script():
    with to_model(FakeModelProvider(SCRIPT)) as model:
        assert finished(fork(walked(model=model), 3, item="nine")).result.final == "nine"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"call": 2}, "nothing is changed"),
        ({"call": 9, "item": "x"}, "the run can be forked at call 1 to 4"),
        ({"call": 0, "item": "x"}, "call is 0"),
        ({"call": True, "item": "x"}, "call is True"),
        ({"call": 1, "results": {"zz": "1"}}, "no tool call with the id 'zz'; it has c1"),
        ({"call": 3, "results": {"c1": "1"}}, "it has none"),
        ({"call": 1, "results": {"c1": 5}}, "write a dict of ids and texts"),
        ({"call": 1, "results": {"c1": "5"}, "item": "x"}, "make two forks"),
    ],
)
def test_what_cannot_be_forked_is_refused_with_the_reason(options, said):
    with pytest.raises(ForkError, match=said):
        fork(walked(), options.pop("call"), **options)


def test_a_wrong_item_is_refused_as_the_fake_itself_refuses_it():
    with pytest.raises(TypeError, match="不认识的脚本项"):
        fork(walked(), 1, item=ToolCall("c", "add", {}))


# ---- side by side


def test_two_branches_part_where_they_differ():
    first = walked()
    compared = compare(first, finished(fork(first, 2, item="5")))

    assert compared.parts_at == 2
    assert [message.role for message in compared.shared] == ["user", "assistant", "tool"]
    assert [message.content for message in compared.second] == ["5"]
    assert len(compared.first) == 4
    told = {fact.name: (fact.first, fact.second, fact.differs) for fact in compared.facts}
    assert told["calls"] == (3, 2, True)
    assert told["status"] == ("completed", "completed", False)
    assert told["final answer"] == ("9", "5", True)


def test_a_run_that_goes_on_further_parts_where_the_other_ends():
    first = walked()
    started = Stepper(FakeModel(SCRIPT), first.registry, "2+3+4?")
    started.forward()
    assert compare(first, started).parts_at == 2
    assert compare(first, first).parts_at is None


def test_what_is_no_run_cannot_be_compared():
    with pytest.raises(TypeError, match="second is"):
        compare(walked(), FakeModel([]))

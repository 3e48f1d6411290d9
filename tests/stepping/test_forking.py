"""Branches of a run, and two runs side by side."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lab import NUMBERS, call, registry, tool, well_formed

from minagent_lab import FakeModel, FakeModelProvider, Message, ModelResponse, Stepper, ToolCall, ToolRegistry, to_model
from minagent_lab.errors import ForkError
from minagent_lab.fakes.scripted import ScriptedResults
from minagent_lab.mockgpt import MockGPT, Rule
from minagent_lab.stepping.comparing import compare
from minagent_lab.stepping.forking import fork, item_at

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


@pytest.mark.parametrize(("script", "position"), [(["a", "b"], "three"), ("ab", 0), (7, 0), (["a", "b"], None)])
def test_a_model_whose_script_is_none_is_forked_as_one_without(script, position):
    class Odd:
        def complete(self, messages, tools):
            return ModelResponse(Message("assistant", messages[-1].content.upper()))

    model = Odd()
    model.script, model.position = script, position
    first = walked(model=model)
    assert item_at(first, 1) is None
    assert finished(fork(first, prompt="other")).result.final == "OTHER"
    with pytest.raises(ForkError, match="has no script"):
        fork(first, 1, item="x")


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


# ---- tools whose results are written down


def walked_with_a_list(calls=4, used=0, results=("r1", "r2", "r3", "r4", "r5", "r6")):
    look = tool(ScriptedResults(list(results)), NUMBERS, name="look")
    for _ in range(used):
        look.use({"a": 0, "b": 0})
    script = [*([call(f"c{n}", "look", a=n, b=n)] for n in range(1, calls + 1)), "done"]
    return finished(Stepper(FakeModel(script), registry(look), "Look!"))


def read(stepper):
    return [message.content for message in stepper.turns[-1].request.messages if message.role == "tool"]


@given(at=st.integers(1, 5), used=st.integers(0, 2))
def test_a_list_of_results_plays_on_in_a_branch_from_where_it_stood(at, used):
    first = walked_with_a_list(used=used)
    again = finished(fork(first, at, item=first.model.script[at - 1]))

    assert same(first, again)
    assert read(again) == ["r1", "r2", "r3", "r4", "r5", "r6"][used : used + 4]


def test_branches_do_not_take_results_from_each_other():
    look = tool(ScriptedResults(["r1", "r2", "r3"]), name="look")
    script = [*([call(f"c{n}", "look")] for n in (1, 2, 3)), "done"]
    started = Stepper(FakeModel(script), registry(look), "Look!")
    started.forward()
    second = fork(started, 2, item=[call("d2", "look")])
    third = fork(started, 2, item=[call("e2", "look")])
    for _ in range(3):
        for branch in (second, started, third):
            branch.forward()

    assert read(started) == read(second) == read(third) == ["r1", "r2", "r3"]


def test_a_fork_of_a_fork_plays_on_from_where_its_own_list_stood():
    first = walked_with_a_list()
    second = finished(fork(first, 3, item=[call("d", "look"), call("e", "look")]))
    third = finished(fork(second, 4, item=[call("f", "look")]))
    fourth = finished(fork(third, 1, item=[call("g", "look")]))

    assert read(second) == ["r1", "r2", "r3", "r4", "r5"]
    assert read(third) == ["r1", "r2", "r3", "r4", "r5"]
    assert read(fourth) == ["r1", "r2", "r3", "r4", "r5"]
    assert read(first) == ["r1", "r2", "r3", "r4"]


def test_another_prompt_begins_the_list_where_the_run_began_it():
    assert read(finished(fork(walked_with_a_list(used=1), prompt="Again!"))) == ["r2", "r3", "r4", "r5"]


def test_an_edited_result_was_given_all_the_same_and_refused_arguments_used_none():
    first = walked_with_a_list()
    edited = finished(fork(first, 2, results={"c2": "other"}))
    refused = finished(fork(first, 1, item=[call("c1", "look", a="one", b=1)]))

    assert read(edited) == ["r1", "other", "r3", "r4"]
    assert read(refused)[1:] == ["r1", "r2", "r3"]
    assert read(finished(fork(refused, 2, results={"c2": "other"})))[1:] == ["other", "r2", "r3"]
    assert read(finished(fork(refused, 1, results={"c1": "other"}))) == ["other", "r1", "r2", "r3"]


def test_a_registry_of_ones_own_kind_keeps_it_in_a_branch():
    class Counting(ToolRegistry):
        uses = 0

        def use(self, name, arguments):
            Counting.uses += 1
            return super().use(name, arguments)

    tools = Counting()
    tools.add(tool(ScriptedResults(["r1", "r2"]), name="look"))
    first = finished(Stepper(FakeModel([[call("c1", "look")], [call("c2", "look")], "done"]), tools, "Look!"))
    branch = finished(fork(first, 2, item=[call("d2", "look")]))

    assert read(branch) == ["r1", "r2"]
    assert Counting.uses == 3


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

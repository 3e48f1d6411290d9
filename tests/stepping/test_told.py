"""Opening a result and a recording as a run that can be stepped."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lab import adder, call

from minagent_lab import (
    FakeModel,
    FakeModelProvider,
    FixtureError,
    Message,
    ModelResponse,
    RateLimitError,
    Recorder,
    Stepper,
    ToolCall,
    arun,
    run,
)
from minagent_lab.abort import AbortController
from minagent_lab.stepping.opening import open_run

CUT = ModelResponse(Message("assistant", "It", [call("c8")]), "max_tokens")
items = st.sampled_from(["5", "", [call("c1")], [call("c1"), call("c2", a=1, b=1)], CUT, [ToolCall("c3", "nix", {})],
                         [ToolCall("c4", "add", {"a": "x"})]])  # fmt: skip


def result_of(script, max_steps=10, system=None):
    try:
        return run(FakeModel(script), adder(), "2 + 3?", max_steps=max_steps, system=system)
    except Exception as error:
        return error.result


@given(st.lists(items, max_size=5), st.integers(1, 6), st.none() | st.just("Be kind."))
def test_a_result_opens_as_the_run_that_it_was(script, max_steps, system):
    result = result_of(script, max_steps, system)
    walk = open_run(result)

    assert walk.result.messages == result.messages
    assert walk.status == result.status
    assert [(s.kind, s.call, s.result) for s in walk.result.steps] == [(s.kind, s.call, s.result) for s in result.steps]
    assert (walk.prompt, walk.system, walk.index) == ("2 + 3?", system, 0)
    told = sum(message.role == "assistant" for message in result.messages)
    assert len(walk.turns) == told + (result.status == "exhausted")


def test_a_result_that_was_cancelled_says_so():
    import asyncio

    controller = AbortController()
    controller.abort("Stop")
    result = asyncio.run(arun(FakeModelProvider(["x"]), adder(), "Hi", signal=controller.signal))
    walk = open_run(result)
    assert (walk.status, "Stop" in str(walk.error)) == ("cancelled", True)


def test_a_recording_opens_with_its_tools_and_usage(tmp_path):
    script = [
        ModelResponse(Message("assistant", "", [call("c1")]), "tool_use", {"input_tokens": 7}, "small-1"),
        [ToolCall("c2", "nix", {})],
        "5",
    ]
    recorder = Recorder(FakeModel(script))
    run(recorder, adder(), "2 + 3?", system="Be kind.")
    live = Stepper(FakeModel(script), adder(), "2 + 3?", system="Be kind.")
    live.run_to_end()
    walk = open_run(recorder.save(tmp_path))

    for mine, its in zip(walk.turns, live.turns, strict=True):
        assert (mine.request, mine.response, mine.results) == (its.request, its.response, its.results)
    assert walk.status == "completed"


def test_a_recording_that_ends_in_an_error_or_in_the_middle_says_so(tmp_path):
    recorder = Recorder(FakeModel([[call("c1")], "5"]))
    recorder.complete([Message("user", "x")], adder().schemas())
    walk = open_run(recorder.save(tmp_path / "half.json"))
    assert (len(walk.turns), walk.status) == (1, "failed")
    assert "the trace ends here" in str(walk.error)

    import asyncio

    failing = Recorder(FakeModelProvider([RateLimitError("slow down", status_code=429)]))
    with pytest.raises(RateLimitError):
        asyncio.run(arun(failing, adder(), "x"))
    walk = open_run(failing.save(tmp_path / "failed.json"))
    assert isinstance(walk.error, RateLimitError)
    assert walk.error.status_code == 429


def test_a_fixture_by_hand_is_a_script_and_says_how_to_play_it(tmp_path):
    file = tmp_path / "x.json"
    file.write_text(json.dumps({"turns": [{"kind": "text", "content": "Hi"}]}), encoding="utf-8")
    with pytest.raises(FixtureError, match=r"step\(load_fixture\(path\), \.\.\.\) plays it"):
        open_run(file)

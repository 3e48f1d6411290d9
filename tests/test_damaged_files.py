"""Whatever happens to a file that the package reads, it is read or refused: one clear error that names the file."""

import asyncio
import json
import tempfile
from contextlib import suppress
from pathlib import Path

import pytest
from damage import damaged
from hypothesis import given
from hypothesis import strategies as st
from lab import adder, call

from minagent_lab import (
    EvalCase,
    FakeModel,
    FakeModelProvider,
    FixtureError,
    Message,
    MinAgentError,
    ModelResponse,
    RateLimitError,
    Recorder,
    StepperView,
    ToolCall,
    Trace,
    TraceError,
    TraceView,
    arun,
    evaluate,
    load_fixture,
    open_run,
    read_trace,
    run,
)
from minagent_lab.fakes.script import Script
from minagent_lab.observe.matchers import contains
from minagent_lab.observe.report import read_report
from minagent_lab.observe.results_file import read_results
from minagent_lab.observe.spans import spans_of

SCRIPT = [
    [call("c1", a=1, b=2), ToolCall("c2", "nope", {})],
    ModelResponse(Message("assistant", "结果 3 ✅"), usage={"input_tokens": 3, "output_tokens": 4}),
]
BY_HAND = {
    "name": "示例",
    "turns": [
        {"kind": "text", "content": "好"},
        {"kind": "tool_call", "call": {"id": "c1", "name": "add", "arguments": {"a": 1}}},
        {"kind": "response", "content": "x", "stop_reason": "max_tokens", "usage": {"input_tokens": 1}},
    ],
}


def made():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        slow = RateLimitError("slow down", status_code=429, retry_after=2.5)
        recorder = Recorder(FakeModel(Script([*SCRIPT, slow], errors=True)), name="示例")
        run(recorder, adder(), "1 + 2?", system="Be brief.")
        with suppress(RateLimitError):
            recorder.complete([Message("user", "Again")], [])
        recorder.save(folder / "a.json")
        asyncio.run(arun(FakeModelProvider(SCRIPT), adder(), "1 + 2?", trace=Trace(folder / "a.jsonl", clock=float)))
        cases = [EvalCase("一", "问", contains("✅")), EvalCase("b", "问", contains("x"), category="c")]
        evaluate(cases, lambda prompt: "✅", save=folder / "results.jsonl").save(folder / "report.json")
        by_hand = json.dumps(BY_HAND, ensure_ascii=False, indent=1).encode()
        return {"by_hand.json": by_hand, **{file.name: file.read_bytes() for file in folder.iterdir()}}


FILES = made()


def play(model):
    for _ in range(4):
        with suppress(MinAgentError):
            model.complete([Message("user", "Hi")], [])


def show(walk):
    walk.goto(len(walk.turns))
    view = StepperView(walk)
    view._repr_mimebundle_()
    view.close()


READERS = {
    "a script by hand": ("by_hand.json", lambda path: play(load_fixture(path)), FixtureError),
    "a recording": ("a.json", lambda path: play(load_fixture(path)), FixtureError),
    "a recording that is strict": ("a.json", lambda path: play(load_fixture(path, strict=True)), FixtureError),
    "a recording that is opened": ("a.json", open_run, (FixtureError, TraceError)),
    "a trace": ("a.jsonl", lambda path: spans_of(read_trace(path)), TraceError),
    "a trace that is opened": ("a.jsonl", lambda path: show(open_run(path)), TraceError),
    "a trace that is written on": ("a.jsonl", Trace, TraceError),
    "results": ("results.jsonl", read_results, ValueError),
    "a report": ("report.json", lambda path: read_report(path).table(), ValueError),
}


@pytest.mark.parametrize("what", READERS)
@given(data=st.data())
def test_a_file_that_came_to_harm_is_read_or_is_one_clear_error_that_names_it(what, data):
    name, read, error = READERS[what]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, name)
        path.write_bytes(data.draw(damaged(FILES[name])))
        try:
            read(path)
        except error as problem:
            said = str(problem)
            assert name in said
            assert len(said) < 700
            assert " at 0x" not in said


@pytest.mark.parametrize("what", READERS)
def test_an_unharmed_file_is_read(what, tmp_path):
    name, read, _ = READERS[what]
    path = tmp_path / name
    for whole in (FILES[name], b"\xef\xbb\xbf" + FILES[name], FILES[name].replace(b"\n", b"\r\n")):
        path.write_bytes(whole)
        read(path)


def changed(name, old, new):
    assert old in FILES[name]
    return FILES[name].replace(old, new, 1)


@pytest.mark.parametrize(
    ("what", "old", "new", "said"),
    [
        ("a recording", b'"role": "system"', b'"role": "boss"', "turn 1, field 'request.messages[0].role'"),
        ("a recording", b'"content": "Be brief."', b'"content": 5', "turn 1, field 'request.messages[0].content'"),
        ("a recording", b'"role": "system",', b"", "turn 1, field 'request.messages[0].role': it is missing"),
        ("a recording that is opened", b'"tools": [', b'"tools": [5, ', "turn 1, field 'request.tools[0]'"),
        ("a trace", b'"minagent.call": 1', b'"minagent.call": [1]', 'this is no event: its "minagent.call" '),
        ("a trace", b'"tool_use"]', b'"tool_use"], "error.type": 5', 'line 3: this is no event: its "error.type" is 5'),
        ("a trace that is opened", b'"minagent.max_steps": 10', b'"minagent.max_steps": 1e9', "max_steps is 10000000"),
        ("a trace that is opened", b'definitions": [', b'definitions": ["x", ', "cannot be played: AttributeError"),
        ("a trace that is opened", b'"name": "add", "desc', b'"name": 5, "desc', "the name of a tool is 5"),
        ("a report", b'"problems": []', b'"problems": true', "this is no report of format 1"),
    ],
)
def test_what_is_wrong_is_told_with_its_place(what, old, new, said, tmp_path):
    name, read, error = READERS[what]
    path = tmp_path / name
    path.write_bytes(changed(name, old, new))
    with pytest.raises(error) as problem:
        read(path)
    assert name in str(problem.value)
    assert said in str(problem.value)


def test_a_whole_number_may_be_written_with_a_point(tmp_path):
    path = tmp_path / "a.json"
    whole = FILES["a.json"].replace(b'"kept_messages": 2', b'"kept_messages": 2.0')
    path.write_bytes(whole.replace(b'"status_code": 429', b'"status_code": 429.0'))

    replay = load_fixture(path, strict=True)
    assert run(replay, adder(), "1 + 2?", system="Be brief.").final == "结果 3 ✅"
    with pytest.raises(RateLimitError, match="status 429,"):
        replay.complete([Message("user", "Again")], [])


def test_a_first_request_without_tools_is_named(tmp_path):
    path = tmp_path / "a.json"
    data = json.loads(FILES["a.json"])
    del data["turns"][0]["request"]["tools"]
    path.write_text(json.dumps(data), encoding="utf-8")
    for read in (open_run, lambda path: load_fixture(path, strict=True)):
        with pytest.raises(FixtureError, match="turn 1, field 'request': the first request has no tools"):
            read(path)


def test_a_script_by_hand_is_no_recording_whatever_its_turns_hold_beside(tmp_path):
    path = tmp_path / "a.json"
    path.write_text(json.dumps({"turns": [{"kind": "text", "content": "x", "request": 5}]}), encoding="utf-8")
    assert load_fixture(path).remaining == 1
    with pytest.raises(FixtureError, match="it keeps no requests"):
        open_run(path)


def test_a_layer_of_attempts_that_nobody_could_have_is_no_trouble():
    head = {"run": "run-1", "time": 0.0}
    attempt = {"event": "attempt_failed", **head, "minagent.attempt.layer": 10**30}
    spans = spans_of([{"event": "run_started", **head}, {"event": "model_asked", **head}, attempt])
    assert [span.kind for span in spans] == ["run", "model", "attempt"]


def test_a_usage_whose_digits_were_a_secret_is_unknown_when_a_trace_is_read(tmp_path):
    path = tmp_path / "a.jsonl"
    usage = {"input_tokens": 12345678, "output_tokens": 1}
    provider = FakeModelProvider([ModelResponse(Message("assistant", "Hi"), usage=usage)])
    trace = Trace(path, secrets=["12345678"])
    asyncio.run(arun(provider, adder(), "Hi", trace=trace))

    assert [span.usage for span in spans_of(read_trace(path))] == [{"output_tokens": 1}] * 2
    view = TraceView(trace)
    assert "unknown tokens in, 1 out" in view._repr_mimebundle_()["text/plain"]
    view.close()
    walk = open_run(path)
    walk.goto(1)
    assert walk.turn.response.usage == {"output_tokens": 1}

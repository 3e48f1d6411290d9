"""Stepping a streamed answer piece by piece."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minagent_lab import MalformedResponseError, Message, ModelResponse, NetworkError, ToolCall
from minagent_lab.stepping.stream import StreamStepper, cut

TEXT = "服务🙂在线"


def sse(*chunks, done=True):
    rows = [
        f"data: {chunk if isinstance(chunk, str) else json.dumps(chunk, ensure_ascii=False)}\n\n" for chunk in chunks
    ]
    return "".join([*rows, *(["data: [DONE]\n\n"] if done else [])]).encode()


def delta(finish=None, **held):
    return {"choices": [{"index": 0, "delta": held, "finish_reason": finish}]}


def call(index=0, **function):
    id = function.pop("id", None)
    return delta(tool_calls=[{"index": index, **({"id": id} if id else {}), "function": function}])


ANSWER = sse(*(delta(content=piece) for piece in ("服务🙂", "在线")), delta("stop"),
             {"choices": [], "usage": {"prompt_tokens": 10, "completion_tokens": 2}})  # fmt: skip
CALL = sse(call(id="c1", name="add", arguments=""), call(arguments='{"a": 2,'), call(arguments=' "b": 3}'),
           delta("tool_calls"))  # fmt: skip


def walked(body, size, protocol="chat"):
    walk = StreamStepper(cut(body, size), protocol)
    walk.run_to_end()
    return walk


@given(st.integers(1, len(ANSWER)))
def test_wherever_it_is_cut_it_comes_to_the_same(size):
    walk = walked(ANSWER, size)

    assert walk.response == ModelResponse(Message("assistant", TEXT), usage={"input_tokens": 10, "output_tokens": 2})
    assert b"".join(step.piece for step in walk.steps) == ANSWER
    assert [words for step in walk.steps for words in step.added] == [
        "text '服务🙂'",
        "text '在线'",
        "it stops: stop",
        'usage {"prompt_tokens": 10, "completion_tokens": 2}',
        "the end of the stream",
    ]
    assert walk.steps[-1].waiting == b""


@given(st.integers(1, 60))
def test_what_waits_and_what_was_read_make_up_what_has_come(size):
    walk = walked(ANSWER, size)
    come = b""
    for step in walk.steps:
        come += step.piece
        assert come.endswith(step.waiting)
        whole = come[: len(come) - len(step.waiting)]
        assert whole.count(b"\n\n") * 2 == whole.count(b"\n")
        assert step.message.text in TEXT


def test_a_call_grows_and_its_arguments_are_no_json_before_they_are_whole():
    walk = StreamStepper([part + b"\n\n" for part in CALL.split(b"\n\n")[:-1]])
    seen = []
    while walk.forward():
        seen.append((walk.step.added[0], walk.step.message.calls))
    assert seen[0] == ("a new call: add [c1]", (("c1", "add", ""),))
    assert seen[1] == ("arguments of add + '{\"a\": 2,'", (("c1", "add", '{"a": 2,'),))
    assert walk.response.message.tool_calls == (ToolCall("c1", "add", {"a": 2, "b": 3}),)


def test_moving_back_and_forth_reads_nothing_twice():
    walk, moves = StreamStepper(cut(ANSWER, 40)), []
    leave = walk.watch(lambda: moves.append(walk.index))
    assert (walk.step, walk.back(), walk.forward(), walk.forward(), walk.back()) == (None, False, True, True, True)
    assert walk.goto(999)
    assert walk.ended
    assert not walk.forward()
    leave()
    walk.goto(0)
    assert moves == [1, 2, 1, len(walk.steps)]


def test_a_stream_that_just_stops_is_incomplete():
    walk = walked(sse(delta(content="服"), done=False), 30)

    assert walk.response is None
    assert isinstance(walk.error, NetworkError)
    assert walk.steps[-1].message.text == "服"


def test_what_is_refused_ends_the_reading_where_it_stands():
    walk = walked(sse(delta(content="a"), "{not json", delta(content="b"), delta("stop")), 1000)

    assert isinstance(walk.error, MalformedResponseError)
    assert walk.response is None
    words = walk.steps[0].added
    assert words[0] == "text 'a'"
    assert words[1].startswith("refused: ")
    assert words[2:] == ("not read: the reader has given up",) * 3


def test_what_comes_after_the_end_is_not_read():
    walk = walked(sse(delta("stop", content="a")) + sse(delta(content="b")), 1000)

    assert walk.response.message.content == "a"
    assert walk.steps[0].added[-2:] == ("not read: the stream had ended",) * 2


def test_comments_and_keep_alives_wait_for_nothing():
    walk = StreamStepper([b": ping\n\n", b"data:\n\n", b"retry: 3000\n\n", *cut(ANSWER, 50)])
    assert [(step.events, step.waiting) for step in walk.steps[:3]] == [((), b"")] * 3


def test_the_messages_api_is_read_too():
    events = [
        {"type": "message_start", "message": {"model": "m", "usage": {"input_tokens": 3}}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "好"}},
        {"type": "content_block_start", "index": 1,
         "content_block": {"type": "tool_use", "id": "t1", "name": "add", "input": {}}},
        {"type": "content_block_delta", "index": 1, "delta": {"type": "input_json_delta", "partial_json": '{"a": 1}'}},
        {"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 5}},
        {"type": "message_stop"},
    ]  # fmt: skip
    walk = walked("".join(f"event: {e['type']}\ndata: {json.dumps(e)}\n\n" for e in events).encode(), 11, "messages")

    assert walk.response.message == Message("assistant", "好", [ToolCall("t1", "add", {"a": 1})])
    assert [words for step in walk.steps for words in step.added] == [
        'usage {"input_tokens": 3}',
        "nothing of the message",
        "text '好'",
        "a new call: add [t1]",
        "arguments of add + '{\"a\": 1}'",
        'it stops: tool_use; usage {"input_tokens": 3, "output_tokens": 5}',
        "nothing of the message",
    ]


@pytest.mark.parametrize(
    ("pieces", "options", "kind", "said"),
    [
        (b"data", {}, TypeError, "cut it first"),
        (["text"], {}, TypeError, "piece 1 is 'text'; it has to be bytes"),
        ([b""], {"protocol": "smtp"}, ValueError, "one of chat, messages"),
    ],
)
def test_what_is_no_stream_is_refused(pieces, options, kind, said):
    with pytest.raises(kind, match=said):
        StreamStepper(pieces, **options)


@pytest.mark.parametrize("size", [0, -1, 1.5, True, None])
def test_a_size_that_cuts_nothing_is_refused(size):
    with pytest.raises(ValueError, match="whole number of bytes"):
        cut(b"abc", size)


def test_an_empty_stream_ends_at_its_start():
    walk = StreamStepper([])
    assert walk.ended
    assert isinstance(walk.error, NetworkError)
    assert repr(walk) == "<StreamStepper: piece 0 of 0>"


def test_a_usage_that_json_cannot_say_is_shown_and_then_refused():
    body = ANSWER.replace(b'"completion_tokens": 2', b'"completion_tokens": NaN')
    walk = walked(body, 50)

    assert "usage \"{'prompt_tokens': 10, 'completion_tokens': nan}\"" in [w for step in walk.steps for w in step.added]
    assert isinstance(walk.error, MalformedResponseError)
    assert walk.response is None

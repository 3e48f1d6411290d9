import itertools
import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st
from service import delta, piece, spoiled

from minagent_lab import MalformedResponseError, ModelResponse, NetworkError, ProviderError, ServerError
from minagent_lab.providers.chat_completions import chat_response
from minagent_lab.providers.chat_stream import ChatAssembler


def assembled(*chunks):
    answer = ChatAssembler()
    for chunk in chunks:
        answer.feed(chunk)
    return chat_response(answer.body(), 1)


def calls(*pieces):
    """Return name and arguments of the calls that come of these pieces, each in a chunk of its own."""
    chunks = [delta(tool_calls=[told] if isinstance(told, dict) else told) for told in pieces]
    response = assembled(*chunks, delta("tool_calls"))
    return [(call.id, call.name, call.arguments) for call in response.message.tool_calls]


A, B = ("A", "add", {"a": 1}), ("B", "sub", {"b": 2})


def test_chunks_without_choices_have_no_text_and_may_have_the_usage():
    response = assembled(
        {"choices": [], "usage": None},
        delta(content="答案"),
        delta("stop"),
        {"choices": [], "usage": {"prompt_tokens": 10, "completion_tokens": 2, "total_tokens": 12}},
    )
    assert (response.message.content, response.stop_reason) == ("答案", "end_turn")
    assert response.usage == {"input_tokens": 10, "output_tokens": 2}


def test_the_last_usage_told_is_the_one():
    response = assembled(
        {**delta(content="x"), "usage": {"prompt_tokens": 1, "completion_tokens": 1}},
        {**delta("stop"), "usage": {"prompt_tokens": 1, "completion_tokens": 2}, "model": "m"},
        {"choices": None, "usage": None},
    )
    assert (response.usage["output_tokens"], response.model) == (2, "m")


def test_usage_that_nobody_tells_is_unknown():
    assert assembled(delta("stop", content="x")).usage == {}


@pytest.mark.parametrize(
    "nothing", [{}, {"choices": None}, {"choices": [{"index": 0}]}, delta(content=None), delta("")]
)
def test_chunks_that_say_nothing_say_nothing(nothing):
    assert assembled(nothing, delta(content="a"), nothing, delta("stop"), nothing).message.content == "a"


def test_choices_that_were_not_asked_for_are_left_out():
    other = {"choices": [{"index": 1, "delta": {"content": "other"}, "finish_reason": "length"}]}
    assert assembled(other, delta(content="a"), delta("stop"), other).message.content == "a"


def test_pieces_without_an_index_go_to_the_call_before():
    assert calls(piece(id="A", name="add", arguments='{"a"'), piece(arguments=":1}")) == [A]
    assert calls(piece(None, "A", "add", '{"a"'), piece(None, arguments=":1}")) == [A]


def test_a_new_id_is_a_new_call_also_without_an_index():
    assert calls(piece(id="A", name="add", arguments='{"a":1}'), piece(id="B", name="sub", arguments='{"b":2}')) == [
        A,
        B,
    ]


def test_an_index_that_starts_at_one_makes_no_phantom_call():
    assert calls(piece(1, "A", "add", '{"a"'), piece(1, arguments=":1}")) == [A]


def test_an_index_that_goes_missing_or_comes_late_is_no_loss_where_there_is_one_call():
    assert calls(piece(0, "A", "add", '{"a"'), piece(None, arguments=":1}")) == [A]
    assert calls(piece(None, "A", "add", '{"a"'), piece(0, arguments=":1}")) == [A]
    late = calls(piece(None, "A", "add", '{"a":1}'), piece(None, "B", "sub"), piece(1, "B", arguments='{"b":2}'))
    assert late == [A, B]


def test_an_index_that_goes_missing_where_there_are_two_calls_is_refused():
    with pytest.raises(MalformedResponseError, match="does not tell which"):
        calls(piece(0, "A", "add", '{"a"'), piece(1, "B", "sub", '{"b"'), piece(None, arguments=":1}"))
    with pytest.raises(MalformedResponseError, match="does not tell which"):
        calls(piece(0, "A", "add", '{"a"'), piece(1, "B", "sub", '{"b"'), piece(2, arguments=":1}"))


def test_two_entries_of_one_index_in_one_chunk_are_one_call():
    assert calls([piece(0, "A", "add"), piece(0, arguments='{"a":1}')]) == [A]


def test_pieces_of_two_calls_may_take_turns():
    pieces = (
        piece(0, "A", "add", '{"a"'),
        piece(1, "B", "sub", '{"b"'),
        piece(0, arguments=":1}"),
        piece(1, arguments=":2}"),
    )
    assert calls(*pieces) == [A, B]
    assert calls(list(pieces)) == [A, B]


def test_an_id_and_a_name_may_be_told_again_with_every_piece():
    assert calls(piece(0, "A", "add", '{"a"'), piece(0, "A", "add", ":1}")) == [A]
    assert calls(piece(0, "A", "add", '{"a"'), piece(0, "A", arguments=":1}")) == [A]
    assert calls(piece(id="A", name="add", arguments='{"a"'), piece(id="A", name="add", arguments=":1}")) == [A]
    assert calls(piece(0, "A", "add"), piece(0, name="add", arguments='{"a":1}')) == [A]


def test_pieces_that_are_null_or_empty_add_nothing():
    null = {"index": 0, "id": None, "type": None, "function": {"name": None, "arguments": None}}
    empty = {"index": 0, "id": "", "function": {"name": "", "arguments": ""}}
    assert calls(null | {"id": "A"}, piece(0, "A", "add"), null, empty, piece(0, arguments='{"a":1}'), null) == [A]
    assert calls({"index": 0, "id": "A", "function": {"name": "add", "arguments": '{"a":1}'}}, {"index": 0}) == [A]


def test_a_name_may_come_in_two_pieces():
    assert calls(piece(0, "A", "a", ""), piece(0, name="dd", arguments=""), piece(0, arguments='{"a":1}')) == [A]
    assert calls(piece(id="A", name="a"), piece(id="A", name="dd", arguments='{"a":1}')) == [A]


def test_an_id_may_come_after_the_name():
    assert calls(piece(0, name="add"), piece(0, "A"), piece(0, arguments='{"a":1}')) == [A]


def test_parallel_calls_that_all_have_the_index_0_are_told_apart_by_their_ids():
    assert calls(piece(0, "A", "add", '{"a":1}'), piece(0, "B", "sub", '{"b"'), piece(0, arguments=":2}")) == [A, B]


def test_calls_without_ids_are_told_apart_by_their_names():
    expected = [("call_1_1", "add", {"a": 1}), ("call_1_2", "sub", {"b": 2})]
    for index in (..., None, 0):
        assert (
            calls(piece(index, name="add", arguments='{"a":1}'), piece(index, name="sub", arguments='{"b":2}'))
            == expected
        )
    twice = piece(name="add", arguments='{"a":1}')
    assert [name for _, name, _ in calls(twice, twice)] == ["add", "add"]


def test_names_are_never_glued_by_luck():
    with pytest.raises(MalformedResponseError, match="does not tell which"):
        calls(piece(name="get_weather", arguments=""), piece(name="get_time", arguments=""))


def test_calls_come_in_the_order_in_which_they_began():
    assert [id for id, *_ in calls(piece(5, "A", "add", "{}"), piece(2, "B", "sub", "{}"))] == ["A", "B"]


@pytest.mark.parametrize("index", ["0", 1.0, True, [], {}])
def test_an_index_that_is_no_whole_number_is_refused(index):
    with pytest.raises(MalformedResponseError, match="index"):
        calls(piece(index, "A", "add", "{}"))


@pytest.mark.parametrize(
    "pieces",
    [
        [piece(0, "A", arguments="{}")],
        [piece(0, arguments="{}")],
        [piece(0, "A", "add", "{}"), piece(1, "A", "add", "{}")],
        [piece(0, "A", "add", "{}"), piece(0, "B", arguments="{}")],
        [piece(0, "A", "add", '{"a":1}'), piece(0, "A", "add", '{"a":2}')],
        [{"index": 0, "function": []}],
        [piece(0, 5, "add", "{}")],
        [piece(0, "A", 5, "{}")],
        [{"index": 0, "id": "A", "function": {"name": "add", "arguments": {}}}],
    ],
)
def test_what_makes_no_call_is_refused(pieces):
    with pytest.raises(MalformedResponseError):
        calls(*pieces)


@pytest.mark.parametrize(
    "chunk",
    [
        {"choices": {"a": 1}},
        {"choices": [5]},
        delta(content=5),
        delta(tool_calls={"a": 1}),
        delta(tool_calls=[5]),
        delta(5),
    ],
)
def test_chunks_of_another_shape_are_refused(chunk):
    with pytest.raises(MalformedResponseError):
        assembled(chunk, delta("stop", content="x"))


def test_a_stream_that_just_stops_is_incomplete_and_never_a_short_answer():
    with pytest.raises(NetworkError, match="incomplete"):
        assembled(delta(content="The answer is"))


def test_an_error_in_the_middle_of_a_stream_is_that_error():
    with pytest.raises(ServerError, match="Provider disconnected") as failed:
        assembled(delta(content="x"), {"error": {"code": 502, "message": "Provider disconnected"}, **delta("error")})
    assert failed.value.status_code == 502


def test_a_refusal_is_the_text_of_an_answer_that_was_withheld():
    response = assembled(delta(refusal="I can"), delta(refusal="not."), delta("stop"))
    assert (response.message.content, response.stop_reason) == ("I cannot.", "content_filter")


def test_two_halves_of_a_character_in_two_chunks_are_one_character():
    chunks = [json.loads(f'{{"choices":[{{"delta":{{"content":"{half}"}}}}]}}') for half in (r"\ud83d", r"\ude42")]
    assert assembled(*chunks, delta("stop")).message.content == "🙂"


def test_the_answer_can_be_looked_at_while_it_grows():
    answer = ChatAssembler()
    answer.feed(delta(content="Let me"))
    answer.feed(delta(tool_calls=[piece(0, "A", "add", '{"a"')]))
    assert (answer.text, answer.finish_reason) == ("Let me", None)
    assert repr(answer.calls) == """[GrowingCall(index=0, id='A', name='add', arguments=['{"a"'])]"""


@given(st.data())
def test_however_text_and_calls_are_cut_and_mixed_they_come_together(data):
    count = data.draw(st.integers(0, 3))
    wishes = [
        (f"c{n}", f"tool{n}", {"q": data.draw(st.text(st.characters(exclude_categories=["Cs"])))}) for n in range(count)
    ]
    text = data.draw(st.text(st.characters(exclude_categories=["Cs"]), min_size=1))
    queues = [[delta(content=part) for part in cut(data, text)]]
    for n, (id, name, arguments) in enumerate(wishes):
        parts = cut(data, json.dumps(arguments, ensure_ascii=data.draw(st.booleans())))
        first, *rest = parts
        queues.append(
            [delta(tool_calls=[told]) for told in (piece(n, id, name, first), *(piece(n, arguments=p) for p in rest))]
        )
    chunks = list(mixed(data, queues))
    response = assembled(*chunks, delta("tool_calls" if count else "stop"))
    assert response.message.content == text
    assert sorted((c.id, c.name, c.arguments) for c in response.message.tool_calls) == wishes


def cut(data, text):
    places = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=4)))
    return [text[start:end] for start, end in itertools.pairwise([0, *places, len(text)])]


def mixed(data, queues):
    while any(queues):
        queue = data.draw(st.sampled_from([queue for queue in queues if queue]))
        yield queue.pop(0)


@given(
    spoiled(
        [delta(content="x"), delta(tool_calls=[piece(0, "A", "add", "{}"), piece(1, "B", "sub", "")]), delta("stop")]
    )
)
def test_whatever_is_wrong_with_a_chunk_it_is_a_response_or_an_error_of_the_tree(chunks):
    with suppress(ProviderError):
        assert isinstance(assembled(*[chunk for chunk in chunks if isinstance(chunk, dict)]), ModelResponse)

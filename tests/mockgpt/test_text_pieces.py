import pytest
from hypothesis import given
from hypothesis import strategies as st
from wired import CHAT, Waiter, answering, asked_by, chat, post

from minagent_lab.mockgpt import responses
from minagent_lab.mockgpt.wire.pieces import DEFAULT_CHUNK, LONGEST, text_pieces

SIGNS = [
    "a",
    "é",
    "e\u0301",
    "结",
    "🙂",
    "👍🏽",
    "👩‍👩‍👧‍👦",
    "🇨🇳",
    "🇩🇪",
    "1️⃣",
    "❤️",
    "🏴\U000e0067\U000e0062\U000e007f",
    "नी",
]


@given(st.text(), st.integers(1, 20))
def test_the_pieces_are_the_text(text, size):
    pieces = list(text_pieces(text, size))
    assert "".join(pieces) == text
    assert all(size <= len(piece) < size + LONGEST + 1 for piece in pieces[:-1])


@given(st.lists(st.sampled_from(SIGNS), max_size=12), st.integers(1, 5))
def test_no_piece_ends_inside_what_one_sees_as_one(signs, size):
    ends, place = {0}, 0
    for sign in signs:
        ends.add(place := place + len(sign))
    place = 0
    for piece in text_pieces("".join(signs), size):
        place += len(piece)
        assert place in ends


def test_what_is_joined_without_end_is_cut_all_the_same():
    assert max(map(len, text_pieces("a" + "\u0301" * 500, 1))) == 1 + LONGEST


def test_two_letters_make_a_flag_and_no_more():
    assert list(text_pieces("🇨🇳🇩🇪🇫🇷a", 1)) == ["🇨🇳", "🇩🇪", "🇫🇷", "a"]


def test_without_a_size_there_are_some_pieces():
    assert [len(piece) for piece in text_pieces("x" * 20, None)] == [DEFAULT_CHUNK, DEFAULT_CHUNK, 4]


TEXT = "你好🙂é x"
LENGTH = len(post(answering(TEXT), CHAT, chat(stream=True)).content)


@pytest.mark.parametrize("kind", ["openai", "anthropic"])
def test_bytes_may_be_cut_anywhere(kind):
    for size in range(1, LENGTH + 1):
        mock = answering(responses.text(TEXT, wire_chunk_size=size))
        assert asked_by(kind, mock, stream=True).message.content == TEXT, size


def test_pieces_of_the_body_have_the_size_that_was_asked_for():
    import httpx2

    for stream in (False, True):
        whole = post(answering(TEXT), CHAT, chat(stream=stream)).content
        mock = answering(responses.text(TEXT, wire_chunk_size=7))
        with httpx2.Client(transport=mock.transport) as client:
            options = {"json": chat(stream=stream), "headers": {"authorization": "Bearer x"}}
            with client.stream("POST", "https://mock.test/v1/chat/completions", **options) as response:
                pieces = list(response.iter_raw())
        assert b"".join(pieces) == whole
        assert {len(piece) for piece in pieces[:-1]} == {7}


def test_what_an_answer_says_itself_counts_more_than_the_defaults():
    sleep = Waiter()
    mock = answering(
        responses.text("abcd", chunk_size=4), "abcd", stream={"chunk_size": 2, "interval_ms": 10}, sleep=sleep
    )
    first = post(mock, CHAT, chat(stream=True)).text
    waited = len(sleep.slept)
    second = post(mock, CHAT, chat(stream=True)).text

    assert first.count('"content":"abcd"') == 1
    assert second.count('"content":"ab"') == 1
    assert waited == 3  # the default for what it left open

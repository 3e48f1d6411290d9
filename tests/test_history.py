import copy
import pickle
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lab import call

from minagent_lab import History, Message

USER, HELLO = Message("user", "Hi"), Message("assistant", "Hello.")

moves = st.lists(
    st.tuples(st.sampled_from(["append", "snapshot", "wrap", "fresh"]), st.integers(min_value=0, max_value=30)),
    max_size=40,
)


@given(moves)
def test_histories_that_share_their_past_stay_apart_like_plain_lists(moves):
    pairs = [(History(), [])]
    for number, (move, chosen) in enumerate(moves):
        history, plain = pairs[chosen % len(pairs)]
        if move == "append":
            message = Message("user", str(number))
            history.append(message)
            plain.append(message)
        else:
            twin = {
                "snapshot": history.snapshot,
                "wrap": lambda h=history: History(h),
                "fresh": lambda p=plain: History(p),
            }
            pairs.append((twin[move](), list(plain)))
        for grown, model in pairs:
            assert grown == model
            assert list(grown) == model
            assert len(grown) == len(model)


@given(moves, st.integers(min_value=0, max_value=30))
def test_what_two_histories_share_is_their_longest_common_beginning(moves, chosen):
    pool = [History()]
    for number, (move, place) in enumerate(moves):
        history = pool[place % len(pool)]
        if move == "append":
            history.append(Message("user", str(number % 3)))
        else:
            pool.append(history.snapshot() if move == "snapshot" else History(list(history)))
    one, other = pool[chosen % len(pool)], pool[-1]
    same = 0
    while same < min(len(one), len(other)) and one[same] == other[same]:
        same += 1

    assert one.shared_with(other) == same


@given(st.lists(st.text(), max_size=6), st.slices(8), st.integers(min_value=-8, max_value=8))
def test_it_is_read_like_a_list(texts, cut, place):
    plain = [Message("user", text) for text in texts]
    history = History(plain)

    assert history[cut] == plain[cut]
    assert isinstance(history[cut], list)
    assert list(reversed(history)) == plain[::-1]
    if -len(plain) <= place < len(plain):
        assert history[place] == plain[place]
    else:
        with pytest.raises(IndexError):
            history[place]


def test_a_message_changed_after_it_was_appended_changes_nothing():
    message = Message("assistant", tool_calls=[call(a=1, b=2)])
    history = History()
    history.append(message)
    message.tool_calls[0].arguments["a"] = 99

    assert history[0].tool_calls[0].arguments["a"] == 1


def test_a_message_changed_after_it_was_read_changes_nothing():
    history = History([Message("assistant", tool_calls=[call(a=1, b=2)])])
    history[0].tool_calls[0].arguments["a"] = 99
    next(iter(history)).tool_calls[0].arguments["a"] = 99
    history[:][0].tool_calls[0].arguments["a"] = 99

    assert history[0].tool_calls[0].arguments["a"] == 1


def test_it_equals_a_list_or_tuple_of_the_same_messages_from_both_sides():
    history = History([USER, HELLO])

    assert history == [USER, HELLO]
    assert [USER, HELLO] == history  # noqa: SIM300  (the other side is what is meant)
    assert history == (USER, HELLO)
    assert history != [USER]
    assert history != [HELLO, USER]
    assert history != "Hi"


def test_it_leaves_the_comparison_to_what_it_does_not_know():
    assert History([USER]) == mock.ANY


def test_growing_it_copies_none_of_what_is_there():
    history = History([USER])
    rows = history._rows
    before = history.snapshot()
    history.append(HELLO)

    assert history._rows is rows is before._rows


def test_adding_to_it_gives_a_list_and_leaves_it_alone():
    history = History([USER])

    for added, expected in ((history + [HELLO], [USER, HELLO]), ([HELLO] + history, [HELLO, USER])):  # noqa: RUF005
        assert added == expected
        assert isinstance(added, list)
    assert history == [USER]


def test_it_has_no_hash():
    with pytest.raises(TypeError, match="unhashable"):
        hash(History())


def test_a_slot_cannot_be_replaced():
    with pytest.raises(TypeError):
        History([USER])[0] = HELLO


@pytest.mark.parametrize("wrong", [None, 5, "Hi", USER])
def test_what_is_no_list_of_messages_is_refused(wrong):
    with pytest.raises(TypeError, match="write a list of messages"):
        History(wrong)


@pytest.mark.parametrize("wrong", [{"role": "user", "content": "Hi"}, "Hi", None])
def test_what_is_no_message_is_refused_with_its_place(wrong):
    with pytest.raises(TypeError, match=r"message 2 is (a dict|a str|None), "):
        History([USER, wrong])


def test_a_refused_message_leaves_the_history_as_it_was():
    history = History([USER])
    with pytest.raises(TypeError):
        history.append("Hello.")

    assert history == [USER]


def test_copies_and_pickles_are_equal_and_grow_apart():
    history = History([USER])
    for twin in (copy.copy(history), copy.deepcopy(history), pickle.loads(pickle.dumps(history))):
        twin.append(HELLO)
        assert twin == [USER, HELLO]
    assert history == [USER]


def test_it_shows_its_messages():
    assert repr(History([USER])) == "History([Message('user', 'Hi')])"


def test_a_history_knows_what_it_grew_from():
    history = History([Message("user", "Hi")])
    before = history.snapshot()
    history.append(Message("assistant", "Hello."))
    assert history.grew_from(before)
    assert not before.grew_from(history)
    assert not History([Message("user", "Hi")]).grew_from(before)

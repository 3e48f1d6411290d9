import pytest
from hypothesis import given
from hypothesis import strategies as st

from minagent_lab.providers.sse import Event, EventReader

STREAM = (
    "\ufeff: OPENROUTER PROCESSING\n\n"
    'id: 1\ndata: {"a": "你好🙂"}\n\n'
    ": ping\n\nretry: 3000\n\ndata:\n\nevent: ping\ndata: {}\n\n"
    'event: two\r\ndata: {"b":\r\ndata:1}\r\n\r\n'
    "data:no space\r\rdata: a\u2028b\u2029c\u0085d\x0b\x0c✅\n\n"
    "data: cut off"
).encode()
EVENTS = [
    Event("", '{"a": "你好🙂"}'),
    Event("ping", "{}"),
    Event("two", '{"b":\n1}'),
    Event("", "no space"),
    Event("", "a\u2028b\u2029c\u0085d\x0b\x0c✅"),
]


def read(pieces):
    reader = EventReader()
    return [event for piece in pieces for event in reader.feed(piece)]


@pytest.mark.parametrize("size", range(1, len(STREAM) + 1))
def test_pieces_of_every_size_spell_the_same_events(size):
    assert read(STREAM[start : start + size] for start in range(0, len(STREAM), size)) == EVENTS


@pytest.mark.parametrize("place", range(len(STREAM) + 1))
def test_a_cut_at_any_byte_changes_nothing(place):
    assert read([STREAM[:place], b"", STREAM[place:]]) == EVENTS


@given(st.lists(st.text(st.characters(exclude_characters="\r\n", exclude_categories=["Cs"]), min_size=1)), st.data())
def test_any_text_comes_out_as_it_went_in(texts, data):
    ends = st.sampled_from(["\n\n", "\r\r", "\r\n\r\n", "\n\r\n"])
    raw = "".join(f"data: {text}{data.draw(ends)}" for text in texts).encode()
    cuts = sorted(data.draw(st.lists(st.integers(0, len(raw)), max_size=5)))
    pieces = [raw[start:end] for start, end in zip([0, *cuts], [*cuts, len(raw)], strict=True)]
    assert [event.data for event in read(pieces)] == texts


def test_a_byte_that_is_no_text_is_marked_and_the_rest_is_kept():
    assert read([b"data: a\xffb\n\n"]) == [Event("", "a\ufffdb")]


def test_an_event_is_given_as_soon_as_its_empty_line_has_come_also_when_that_ends_with_a_return():
    assert read([b"data: a\r\r"]) == [Event("", "a")]

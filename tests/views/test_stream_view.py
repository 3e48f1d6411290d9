"""The view of a streamed answer."""

import json

import pytest

from minagent_lab.stepping.stream import StreamStepper, cut
from minagent_lab.views.stream_view import StreamView, step_stream
from minagent_lab.views.wire_text import bits_of, cut_inside


def body(*contents, finish="stop"):
    chunks = [{"choices": [{"index": 0, "delta": {"content": text}}]} for text in contents]
    chunks.append({"choices": [{"index": 0, "delta": {}, "finish_reason": finish}]})
    return "".join(f"data: {json.dumps(chunk, ensure_ascii=False)}\n\n" for chunk in chunks).encode()


@pytest.fixture
def view():
    made = step_stream(cut(body("你好", "<b>"), 7))
    yield made
    made.close()


def test_it_starts_before_the_first_piece_and_asks_for_nothing(view):
    assert view.status_text == f"Before the first piece. {len(view.stepper.steps)} pieces will come."
    assert view.transport.slider.value == 0


def test_buttons_slider_and_keys_all_move_it(view):
    view.transport.buttons["next"].click()
    assert view.stepper.index == 1
    view.transport.slider.value = 5
    assert view.stepper.index == 5
    view.transport.move("back")
    assert (view.stepper.index, view.transport.slider.value) == (4, 4)
    view.transport.move("last")
    assert view.stepper.ended
    view.transport.move("first")
    view.transport.move("sideways")
    assert view.stepper.index == 0


def test_two_views_of_one_stepper_agree(view):
    other = StreamView(view.stepper)
    view.transport.move("next")
    assert other.status.value == view.status.value
    other.close()
    view.transport.move("next")
    assert other.status.value != view.status.value


def test_a_character_that_is_cut_is_shown_byte_by_byte(view):
    whole = body("你好")
    at = whole.index("你".encode()) + 2
    shown = step_stream([whole[:at], whole[at:]], at=1)
    assert "It ends inside a character." in shown.status_text
    assert "<span class='hex'>e4</span><span class='hex'>bd</span>" in shown.panes.value
    shown.close()


def test_text_of_the_wire_is_shown_as_text(view):
    view.stepper.run_to_end()
    assert "&lt;b&gt;" in view.panes.value
    assert '<b>"' not in view.panes.value
    assert "你好&lt;b&gt;" in view.panes.value


def test_the_end_says_what_it_came_to(view):
    view.stepper.run_to_end()
    assert "✓ The response:" in view.panes.value
    cut_short = step_stream(cut(body("你好")[:40], 10), at="end")
    assert "The stream comes to nothing: the stream ended without a finish_reason" in cut_short.status_text
    assert "✕ No response" in cut_short.panes.value
    cut_short.close()


def test_a_long_stream_shows_its_newest_part_and_counts_the_rest():
    long = step_stream(cut(body(*["word "] * 500), 11), at="end")
    assert len(long.panes.value) < 60_000
    assert "pieces before …" in long.panes.value
    long.close()


def test_without_a_kernel_it_is_text_and_a_table_of_nothing_but_html(view):
    view.stepper.goto(8)
    bundle = view._repr_mimebundle_()
    assert bundle["text/plain"].splitlines()[0] == view.status_text
    assert "<h4>Bytes" in bundle["text/html"]
    assert "style" not in bundle["text/html"]


@pytest.mark.parametrize(("stepper", "at", "kind"), [(None, 0, TypeError), (StreamStepper([]), -1, ValueError),
                                                     (StreamStepper([]), "x", ValueError)])  # fmt: skip
def test_what_cannot_be_shown_is_refused(stepper, at, kind):
    with pytest.raises(kind):
        StreamView(stepper, at=at)


def test_bytes_become_what_can_be_shown_of_them():
    assert [bit.text for bit in bits_of(b"a\r\nb\xff")] == ["a", "\\r\\n", "b", "ff"]
    assert bits_of(b"") == []
    assert not cut_inside(b"")


def test_a_whole_stream_of_an_answer_that_was_cut_says_both():
    shown = step_stream([body("你好", finish="length")], at="end")
    assert "The stream is whole; the answer was cut at the model's limit." in shown.status_text
    assert "The answer is whole." not in shown.status_text
    shown.close()


@pytest.mark.parametrize(
    ("data", "bold"),
    [
        ('{"a":1,"delta":{"content":"<你>"},"b":2}', '{"a":1,<b>"delta":{"content":"&lt;你&gt;"}</b>,"b":2}'),
        ('{"delta":{"content":"}"}}', '{<b>"delta":{"content":"}"}</b>}'),
        ('{"delta":{"cont', '{"delta":{"cont'),
        ('{"delta":{"content":"x"', '{"delta":{"content":"x"'),
        ('{"choices":[]}', '{"choices":[]}'),
        ("[DONE]", "[DONE]"),
    ],
)
def test_the_delta_of_an_event_is_bold(data, bold):
    shown = step_stream([f"data: {data}\n\n".encode()], at="end")
    assert f">{bold}</code><br>" in shown.panes.value.replace("&quot;", '"').replace("&#x27;", "'")
    shown.close()

import pytest

from minagent_lab import FakeModel, Growth, Message, Stepper, Tool, ToolCall, ToolRegistry
from minagent_lab.views import blocks
from minagent_lab.views.static import static_html

from .runs import RUNS, add, finished, shop
from .test_html import Reader


def test_a_row_tells_number_role_text_and_size():
    read = Reader(blocks.message_row(2, Message("user", "你好")))
    assert read.text == "2user你好NEW 2 chars"


def test_a_result_stands_under_the_id_of_its_call():
    row = blocks.message_row(3, Message("tool", "5", tool_call_id="c1"))
    assert Reader(row).text == "3toolc1 result 5NEW 1 char"


def test_an_error_result_is_called_error_as_data():
    row = blocks.message_row(3, Message("tool", '{"error": "ValueError: 除零"}', tool_call_id="c1"))
    assert "error as data" in row


def test_empty_text_says_so():
    assert "(empty text, 0 chars)" in blocks.message_row(3, Message("assistant", ""))
    assert "(empty text, 0 chars)" in blocks.message_row(3, Message("tool", "", tool_call_id="c1"))


def test_a_message_with_text_and_calls_shows_both():
    text = Reader(blocks.message_row(3, Message("assistant", "Let me see.", [ToolCall("c1", "add", {"a": 1})]))).text
    assert "Let me see." in text
    assert 'c1 add {"a": 1}' in text


@pytest.mark.parametrize("role", ["user", "tool", "assistant"])
def test_long_text_is_folded_and_kept_whole(role):
    text = "一" * 241
    row = blocks.message_row(1, Message(role, text, tool_call_id="c1" if role == "tool" else None))
    assert "<details" in row
    assert text in row
    assert "241 " in row


EVIL = '<img src=x onerror="alert(1)">'


@pytest.mark.parametrize(
    "block",
    [
        blocks.message_row(1, Message("user", EVIL)),
        blocks.message_row(1, Message("user", EVIL * 20)),
        blocks.message_row(1, Message("tool", EVIL, tool_call_id=EVIL)),
        blocks.message_row(1, Message("assistant", EVIL, [ToolCall(EVIL, EVIL, {EVIL: EVIL})])),
        blocks.script_row(1, EVIL),
        blocks.script_row(1, [ToolCall(EVIL, EVIL, {EVIL: EVIL})]),
        blocks.source_line(EVIL),
        blocks.tools_row([{"name": EVIL, "description": EVIL, "parameters": {EVIL: EVIL}}]),
    ],
)
def test_no_block_lets_a_tag_through(block):
    assert "img" not in Reader(block).tags
    assert "img src" in Reader(block).text


@pytest.mark.parametrize("name", RUNS)
def test_each_turn_has_an_answer_and_a_column(name):
    walk = finished(name)
    for turn, row in zip(walk.turns, walk.growth, strict=True):
        assert Reader(blocks.answer_block(walk, turn)).text
        assert blocks.column(turn, row)["bars"] == [[row.messages, row.new], [row.characters, row.new_characters]]


@pytest.mark.parametrize(("most", "top"), [(0, 4), (4, 4), (5, 6), (13, 16), (31, 40), (2550, 3000), (10**9, 10**9)])
def test_the_scale_grows_in_calm_steps(most, top):
    assert blocks.scale([Growth(1, most, 0, most, 0)]) == [top, top]


def test_json_is_laid_out_for_reading_and_stays_the_same_data():
    data = {
        "name": "weather",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}},
        "x": [1, []],
    }
    laid_out = blocks.pretty_json(data)
    import json

    assert json.loads(laid_out) == data
    assert max(map(len, laid_out.splitlines())) <= 64


def test_many_calls_in_one_reply_are_folded_with_their_number():
    walk = Stepper(FakeModel([[add(f"c{n}") for n in range(30)], "done"]), shop(), "go")
    walk.forward()
    html = blocks.answer_block(walk, walk.turn)
    assert html.count("and 18 more calls") == 2
    assert "18 more calls likewise" in html
    assert blocks.message_row(2, walk.turn.response.message).count("and 18 more calls") == 1


def test_what_a_tool_printed_stands_with_its_call(capsys):
    registry = ToolRegistry()
    registry.add(Tool("look", "", {"type": "object"}, lambda: print("<found>\n") or 5))
    walk = Stepper(FakeModel([[ToolCall("c1", "look", {})], "done"]), registry, "go")
    walk.forward()
    html = blocks.answer_block(walk, walk.turn)
    assert "<code>look</code> printed: <code>&lt;found&gt;</code>" in html
    assert "&lt;found&gt;" not in static_html(walk)

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minagent_lab import Expect, FakeModel, Message, ModelResponse, ToolCall
from minagent_lab.errors import ForkError
from minagent_lab.stepping.items import is_text, item_of_text, text_of_item

CALL = ToolCall("c1", "add", {"a": 2, "城市": "北京"})
ITEMS = [
    "Hello.",
    "[not JSON",
    "",
    [CALL],
    [CALL, ToolCall("c2", "add", {})],
    ModelResponse(Message("assistant", "It is"), "max_tokens", {"input_tokens": 5, "output_tokens": 2}),
    ModelResponse(Message("assistant", "so:\n1", [CALL]), "tool_use", {}, "m-1"),
]


@pytest.mark.parametrize("item", ITEMS, ids=range(len(ITEMS)))
def test_an_item_that_is_not_edited_comes_back_as_it_was(item):
    assert item_of_text(text_of_item(item), as_json=not is_text(item)) == item


@given(st.dictionaries(st.text(), st.none() | st.booleans() | st.integers() | st.text() | st.lists(st.text())))
def test_so_do_all_arguments(arguments):
    item = [ToolCall("c1", "add", arguments)]
    assert item_of_text(text_of_item(item), as_json=True) == item


def test_an_items_check_of_the_request_stays():
    item = Expect("Hello.", request=len)
    again = item_of_text("Good evening.", as_json=False, like=item)
    assert (again.item, again.request) == ("Good evening.", len)


def test_a_missing_item_is_an_empty_text():
    assert (text_of_item(None), is_text(None)) == ("", True)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('[{"id": "c1" "name": 1}]', "line 1, column 14: Expecting ',' delimiter"),
        ('[\n{"id": }]', "line 2, column 8"),
        ("", "line 1, column 1"),
        ('{"content": "a", "content": "b"}', "stands twice"),
        ('{"usage": NaN}', "NaN"),
        ("[]", "the list is empty"),
        ("5", "this is an int"),
        ("[5]", "tool call 1 needs id, name and arguments, and no more; it has an int"),
        ('[{"id": "c1", "name": "add"}]', "it has id, name"),
        ('[{"id": "", "name": "add", "arguments": {}}]', "ToolCall.id"),
        ('[{"id": "c1", "name": "add", "arguments": []}]', "arguments"),
        ('{"text": "a"}', "no field 'text'; it has content, tool_calls"),
        ('{"tool_calls": {}}', "write a list"),
        ('{"content": 5}', "content"),
        ('{"usage": {"input_tokens": "five"}}', "usage"),
        ('[{"id": "c1", "name": "a", "arguments": {}}, {"id": "c1", "name": "a", "arguments": {}}]', "c1"),
    ],
)
def test_what_is_wrong_is_said_in_words_with_its_place(text, words):
    with pytest.raises(ForkError) as raised:
        FakeModel([item_of_text(text, as_json=True)])
    assert words in str(raised.value)

from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lab import call

from minagent_lab import Expect, FakeModel, Message, ModelRequest, ModelResponse, UnexpectedRequest
from minagent_lab.fakes.script import Script, describe, last_words

USER = Message("user", "Hi")
CUT = ModelResponse(Message("assistant", "It is"), "max_tokens")

wishes = st.lists(
    st.builds(call, st.text(min_size=1), st.text(min_size=1), n=st.integers()),
    min_size=1,
    unique_by=lambda made: made.id,
)
items = st.text() | wishes | st.just(CUT)


@given(st.lists(items))
def test_a_script_reads_back_as_it_was_written(written):
    assert Script(written).items() == written


def test_text_becomes_an_answer():
    assert Script(["Hello."]).play(0) == ModelResponse(Message("assistant", "Hello."), "end_turn")
    assert Script([""]).play(0) == ModelResponse(Message("assistant", ""), "end_turn")


def test_a_list_of_calls_becomes_a_wish_for_tools():
    assert Script([[call()]]).play(0) == ModelResponse(Message("assistant", tool_calls=[call()]), "tool_use")


def test_a_response_stays_what_it_is():
    assert Script([CUT]).play(0) == CUT


@pytest.mark.parametrize("items", [["a", "b"], ("a", "b"), iter(["a", "b"]), {"a": 1, "b": 2}.keys()])
def test_any_row_of_items_is_a_script(items):
    assert Script(items).items() == ["a", "b"]


@pytest.mark.parametrize(
    ("item", "hint"),
    [
        (None, "None; write text, a list of ToolCall, or a ModelResponse"),
        ({"kind": "text"}, "a dict; write text"),
        (5, "an? int; write text"),
        (b"Hello.", "a bytes; write text"),
        (Message("assistant", "Hello."), "a Message; write text"),
        (("Hello.",), "a tuple; write text"),
        (call(), r"calls stand in a list, even a single one: \[ToolCall\('c1', 'add', "),
        ([], "a list holds one ToolCall or more, and nothing else"),
        ([call(), "Hello."], "a list holds one ToolCall or more, and nothing else"),
        ([[call()]], "a list holds one ToolCall or more, and nothing else"),
        (Expect(None, request=print), "None; write text"),
        (Expect(Expect("Hello.", request=print), request=print), "an? Expect; write text"),
    ],
)
def test_an_unknown_item_is_refused_where_it_is_written_with_its_place(item, hint):
    with pytest.raises(TypeError, match=f"^不认识的脚本项 .*script item 2, .*{hint}"):
        FakeModel(["Hello.", item])


@pytest.mark.parametrize("script", [None, "Hello.", call(), CUT, {"kind": "text"}, 5, Expect("Hello.", request=print)])
def test_what_is_no_list_of_items_is_refused(script):
    with pytest.raises(TypeError, match=r"^不认识的脚本 .*a script is a list of items"):
        FakeModel(script)


def test_two_calls_of_one_item_with_one_id_are_refused_with_the_place():
    with pytest.raises(ValueError, match=r"^script item 2: two calls of one message have the id 'c1'"):
        FakeModel(["Hello.", [call("c1"), call("c1")]])


def test_one_id_in_two_items_is_allowed():
    assert len(Script([[call("c1")], [call("c1")]])) == 2


# ---- checks of the request


def ask(model, *messages, tools=()):
    return model.complete([USER, *messages], list(tools))


def fails():
    raise AssertionError("no system prompt")


@pytest.mark.parametrize(
    "right",
    [
        lambda request: True,
        lambda request: None,
        lambda request: request.messages == [USER],
        ModelRequest([USER]),
        mock.ANY,
    ],
)
def test_the_right_request_gets_the_item(right):
    assert ask(FakeModel([Expect("Hello.", request=right)])).message.content == "Hello."


@pytest.mark.parametrize(
    "wrong", [lambda request: False, lambda request: 0, lambda request: fails(), ModelRequest([]), None]
)
def test_another_request_is_an_error_and_nothing_is_consumed(wrong):
    model = FakeModel([Expect("Hello.", request=wrong)])
    for asked in (1, 2):
        with pytest.raises(UnexpectedRequest, match=r"^script item 1 expects another request .*nothing was consumed"):
            ask(model)
        assert (model.remaining, len(model.calls)) == (1, asked)


def test_an_error_about_the_request_describes_it_and_gives_the_reason():
    model = FakeModel(["Hello.", Expect("Bye.", request=lambda request: fails())])
    ask(model)
    with pytest.raises(AssertionError) as error:
        ask(model, Message("assistant", tool_calls=[call()]), tools=[{"name": "add"}])

    assert str(error.value) == (
        "script item 2 expects another request than the one with 2 messages and 1 tool, last message assistant "
        "add [c1]; nothing was consumed: no system prompt"
    )


def test_what_else_a_check_raises_comes_through_and_nothing_is_consumed():
    model = FakeModel([Expect("Hello.", request=lambda request: {}["x"])])
    with pytest.raises(KeyError):
        ask(model)

    assert model.remaining == 1


def test_a_check_sees_messages_and_tools_and_cannot_change_them():
    def check(request):
        assert request.tools == [{"name": "add"}]
        request.messages.append(USER)
        request.tools.clear()

    model = FakeModel([Expect([call()], request=check)])
    ask(model, tools=[{"name": "add"}])

    assert model.calls[0] == ([USER], [{"name": "add"}])


def test_an_expectation_shows_no_address():
    def greeting(request):
        return True

    assert repr(Expect("Hello.", request=greeting)) == "Expect('Hello.', request=greeting)"
    assert repr(Expect([call(a=1, b=2)], request=ModelRequest([]))) == (
        "Expect([ToolCall('c1', 'add', {'a': 1, 'b': 2})], request=ModelRequest(History([])))"
    )
    assert repr(FakeModel([Expect("Hello.", request=greeting)]).script) == "[Expect('Hello.', request=greeting)]"


# ---- in a few words


@pytest.mark.parametrize(
    ("message", "words"),
    [
        (USER, "user 'Hi'"),
        (Message("tool", "5", tool_call_id="c1"), "tool [c1] '5'"),
        (Message("assistant", "Let me see.", [call("c1"), call("c2", "sub")]), "assistant add [c1], sub [c2]"),
        (Message("user", "x" * 500), f"user '{'x' * 79}…"),
    ],
)
def test_the_last_message_is_told_in_a_few_words(message, words):
    assert last_words([USER, message]) == words


def test_an_empty_history_has_no_last_words():
    assert describe(ModelRequest([])) == "0 messages and 0 tools, last message none"

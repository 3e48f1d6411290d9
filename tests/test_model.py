import copy
import pickle

import pytest
from hypothesis import given
from lab import adder, call, json_values

from minagent_lab import Call, FakeModel, History, Message, Model, ModelRequest
from minagent_lab.model import message_json
from minagent_lab.values import dump_json, parse_json

USER = Message("user", "Hi")


def test_a_request_keeps_copies_of_messages_and_tools():
    messages, tools = [USER], adder().schemas()
    request = ModelRequest(messages, tools)
    messages.append(USER)
    tools[0]["parameters"]["properties"].clear()

    assert request == ModelRequest([USER], adder().schemas())


def test_a_request_without_tools_equals_one_with_none():
    assert ModelRequest([USER]) == ModelRequest([USER], [])
    assert repr(ModelRequest([USER], ())) == "ModelRequest(History([Message('user', 'Hi')]))"


@pytest.mark.parametrize("wrong", [None, {}, "add", ["add"], adder()])
def test_tools_that_are_no_list_of_dicts_are_refused_with_what_to_write(wrong):
    with pytest.raises(TypeError, match=r"write a list of dicts: registry.schemas\(\)"):
        ModelRequest([USER], wrong)


def test_tools_that_json_cannot_say_are_refused_with_their_place():
    with pytest.raises(TypeError, match=r"tools\[0\]\['func'\] is a builtin_function_or_method"):
        ModelRequest([USER], [{"name": "add", "func": print}])


@given(json_values)
def test_a_request_as_json_can_be_written_and_read(arguments):
    wish = Message("assistant", tool_calls=[call(held=arguments)])
    result = Message("tool", "5", tool_call_id="c1")
    data = ModelRequest([USER, wish, result], adder().schemas()).as_json()

    assert parse_json(dump_json(data)) == data
    assert data["messages"][0] == {"role": "user", "content": "Hi"}
    assert data["messages"][1]["tool_calls"] == [{"id": "c1", "name": "add", "arguments": {"held": arguments}}]
    assert data["messages"][2] == {"role": "tool", "content": "5", "tool_call_id": "c1"}
    assert data["tools"] == adder().schemas()


def test_json_data_of_a_request_is_not_the_request():
    request = ModelRequest([USER], adder().schemas())
    request.as_json()["tools"][0]["parameters"].clear()

    assert request.tools == adder().schemas()


def test_json_data_of_a_message_is_not_the_message():
    message = Message("assistant", tool_calls=[call(a=1, b=2)])
    message_json(message)["tool_calls"][0]["arguments"]["a"] = 99

    assert message.tool_calls[0].arguments["a"] == 1


def recorded():
    return Call(History([USER]), adder().schemas())


def test_a_call_is_a_pair_with_names():
    messages, tools = recorded()

    assert len(recorded()) == 2
    assert messages == recorded()[0] == recorded().messages == [USER]
    assert tools == recorded()[1] == recorded()[-1] == recorded().tools == adder().schemas()
    assert recorded() == (History([USER]), adder().schemas())


def test_each_look_at_a_call_is_a_copy():
    seen = recorded()
    for messages, tools in (seen, (seen[0], seen[1]), (seen.messages, seen.tools)):
        messages.append(USER)
        tools.clear()
    seen.tools[0]["name"] = "changed"

    assert seen == recorded()


def test_a_call_can_be_copied_and_pickled():
    assert copy.copy(recorded()) == copy.deepcopy(recorded()) == pickle.loads(pickle.dumps(recorded())) == recorded()


def test_a_call_shows_how_many_messages_and_which_tools():
    assert repr(recorded()) == "<Call: 1 messages, tools: add>"
    assert repr(Call(History(), [])) == "<Call: 0 messages, tools: none>"


def test_whatever_has_complete_is_a_model():
    class Own:
        def complete(self, messages, tools):
            raise NotImplementedError

    assert isinstance(Own(), Model)
    assert isinstance(FakeModel([]), Model)
    assert not isinstance(object(), Model)

"""What every scripted provider keeps to, as functions of a maker: ``make([response, ...])`` returns a provider."""

import asyncio

import pytest

from minagent_lab import AbortController, AbortError, Message, ModelRequest, ModelResponse, ToolCall

ASK = ModelRequest([Message("user", "Hi")])
TEN, TWELVE = {"input_tokens": 10, "output_tokens": 2}, {"input_tokens": 12, "output_tokens": 3}


def script():
    wish = Message("assistant", tool_calls=[ToolCall("c1", "add", {"a": 2, "b": 3})])
    return [
        ModelResponse(wish, "tool_use", TEN, "small-1"),
        ModelResponse(Message("assistant", "5"), "end_turn", TWELVE, "small-1"),
    ]


def ask(provider, signal=None):
    return asyncio.run(provider.complete(ASK, signal))


def aborted():
    controller = AbortController()
    controller.abort()
    return controller.signal


def responses_come_in_order(make):
    provider = make(script())
    assert [ask(provider).action, ask(provider).action] == ["tool_call", "finish"]


def usage_and_model_are_those_of_the_script(make):
    response = ask(make(script()))
    assert (response.usage, response.model) == (TEN, "small-1")


def changing_what_was_returned_changes_nothing(make):
    response = script()[0]
    provider = make([response, response])
    first = ask(provider)
    first.usage["input_tokens"] = 999
    first.message.tool_calls[0].arguments["a"] = 999
    assert ask(provider) == script()[0]


def changing_the_list_afterwards_changes_nothing(make):
    responses = script()
    provider = make(responses)
    responses.clear()
    assert ask(provider) == script()[0]


def the_callers_list_stays_whole(make):
    responses = script()
    ask(make(responses))
    assert len(responses) == 2


def an_abort_is_an_abort_error(make):
    with pytest.raises(AbortError) as caught:
        ask(make(script()), aborted())
    assert caught.value.name == "AbortError"


def an_abort_consumes_nothing(make):
    provider = make(script())
    with pytest.raises(AbortError):
        ask(provider, aborted())
    assert ask(provider).usage["input_tokens"] == 10


def an_abort_stops_one_call_only(make):
    provider = make(script())
    with pytest.raises(AbortError):
        ask(provider, aborted())
    assert ask(provider, AbortController().signal).action == "tool_call"


def a_used_up_script_fails_each_time(make):
    provider = make(script())
    ask(provider), ask(provider)
    for _ in range(2):
        with pytest.raises(RuntimeError, match="已耗尽"):
            ask(provider)


def instances_are_independent(make):
    responses = script()
    one, other = make(responses), make(responses)
    ask(one)
    assert ask(other).action == "tool_call"


CONTRACT = [
    responses_come_in_order,
    usage_and_model_are_those_of_the_script,
    changing_what_was_returned_changes_nothing,
    changing_the_list_afterwards_changes_nothing,
    the_callers_list_stays_whole,
    an_abort_is_an_abort_error,
    an_abort_consumes_nothing,
    an_abort_stops_one_call_only,
    a_used_up_script_fails_each_time,
    instances_are_independent,
]

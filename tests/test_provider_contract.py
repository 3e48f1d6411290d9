"""The contract of the provider lesson: held by every scripted provider, and broken on purpose to see that it bites."""

from copy import deepcopy

import pytest
from provider_contract import CONTRACT

from minagent_lab import AbortError, FakeModel, FakeModelProvider, ModelResponse, to_provider


class Plain:
    """A provider that keeps to the contract, in a form that can be broken one line at a time."""

    def __init__(self, responses):
        self.responses = self.taken(responses)
        self.index = 0

    def taken(self, responses):
        return deepcopy(list(responses))

    def given(self, response):
        return deepcopy(response)

    def stopped(self, signal):
        if signal is not None and signal.aborted:
            raise AbortError

    def next(self):
        if self.index == len(self.responses):
            return self.used_up()
        self.index += 1
        return self.responses[self.index - 1]

    def used_up(self):
        raise RuntimeError("响应已耗尽")

    async def complete(self, request, signal=None):
        self.stopped(signal)
        return self.given(self.next())


class Loose:
    """A response without this package's care: its usage and arguments are the very objects of the script."""

    def __init__(self, response):
        self.message, self.usage, self.model = LooseMessage(response.message), response.usage, response.model
        self.action = response.action

    def __eq__(self, other):
        return isinstance(other, (Loose, ModelResponse)) and (self.usage, self.message.tool_calls[0].arguments) == (
            other.usage,
            other.message.tool_calls[0].arguments,
        )

    __hash__ = None


class LooseMessage:
    def __init__(self, message):
        self.tool_calls = [LooseCall(one.arguments) for one in message.tool_calls]


class LooseCall:
    def __init__(self, arguments):
        self.arguments = arguments


class CountsBeforeItLooksAtTheSignal(Plain):
    async def complete(self, request, signal=None):
        response = self.next()
        self.stopped(signal)
        return self.given(response)


class ReturnsItsOwnObjects(Plain):
    def taken(self, responses):
        made = {id(response): Loose(response) for response in responses}
        return [made[id(response)] for response in responses]

    def given(self, response):
        return response


class CopiesOnTheSurface(ReturnsItsOwnObjects):
    def given(self, response):
        made = Loose.__new__(Loose)
        vars(made).update(vars(response))
        return made


class RepeatsTheLastResponse(Plain):
    def used_up(self):
        return self.responses[-1]


class ReturnsNothingWhenUsedUp(Plain):
    def used_up(self):
        return None


class BeginsAgain(Plain):
    def used_up(self):
        self.index = 0
        return self.next()


class TakesFromTheCallersList(Plain):
    def taken(self, responses):
        return responses

    def next(self):
        return self.responses.pop(0) if self.responses else self.used_up()


class KeepsTheCallersList(Plain):
    def taken(self, responses):
        return responses


class IgnoresTheSignal(Plain):
    def stopped(self, signal):
        pass


class CallsAnAbortAFailure(Plain):
    def stopped(self, signal):
        if signal is not None and signal.aborted:
            raise RuntimeError("the model call failed")


class KeepsTheSignal(Plain):
    told = False

    def stopped(self, signal):
        self.told = self.told or (signal is not None and signal.aborted)
        if self.told:
            raise AbortError


class ForgetsTheUsage(Plain):
    def given(self, response):
        return ModelResponse(response.message, response.stop_reason, {"input_tokens": 0, "output_tokens": 0})


class SharesItsCursor(Plain):
    cursor = [0]  # noqa: RUF012  the fault

    def next(self):
        self.cursor[0] += 1
        return self.responses[self.cursor[0] - 1] if self.cursor[0] <= len(self.responses) else self.used_up()


def broken(provider, statement):
    return pytest.param(provider, statement, id=provider.__name__)


@pytest.mark.parametrize("statement", CONTRACT, ids=lambda statement: statement.__name__)
@pytest.mark.parametrize(
    "make",
    [FakeModelProvider, lambda responses: to_provider(FakeModel(responses)), Plain],
    ids=["FakeModelProvider", "to_provider", "by hand"],
)
def test_a_good_provider_keeps(make, statement):
    statement(make)


@pytest.mark.parametrize(
    ("provider", "statement"),
    [
        broken(CountsBeforeItLooksAtTheSignal, "an_abort_consumes_nothing"),
        broken(ReturnsItsOwnObjects, "changing_what_was_returned_changes_nothing"),
        broken(CopiesOnTheSurface, "changing_what_was_returned_changes_nothing"),
        broken(RepeatsTheLastResponse, "a_used_up_script_fails_each_time"),
        broken(ReturnsNothingWhenUsedUp, "a_used_up_script_fails_each_time"),
        broken(BeginsAgain, "a_used_up_script_fails_each_time"),
        broken(TakesFromTheCallersList, "the_callers_list_stays_whole"),
        broken(KeepsTheCallersList, "changing_the_list_afterwards_changes_nothing"),
        broken(IgnoresTheSignal, "an_abort_is_an_abort_error"),
        broken(CallsAnAbortAFailure, "an_abort_is_an_abort_error"),
        broken(KeepsTheSignal, "an_abort_stops_one_call_only"),
        broken(SharesItsCursor, "instances_are_independent"),
        broken(ForgetsTheUsage, "usage_and_model_are_those_of_the_script"),
    ],
)
def test_a_provider_broken_on_purpose_is_caught(provider, statement):
    by_name = {one.__name__: one for one in CONTRACT}
    with pytest.raises((AssertionError, AttributeError, IndexError, RuntimeError, AbortError, pytest.fail.Exception)):
        by_name[statement](provider)

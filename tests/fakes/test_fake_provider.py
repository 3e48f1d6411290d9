"""Each statement of the provider lesson about the fake, as a behaviour."""

import asyncio

import pytest
from lab import call

from minagent_lab import (
    AbortController,
    AbortError,
    Expect,
    FakeModelProvider,
    Message,
    ModelProvider,
    ModelRequest,
    ModelResponse,
    RateLimitError,
    ResponsesExhausted,
    ScriptExhausted,
    ScriptNotExhausted,
    ToolRegistry,
    UnexpectedRequest,
    arun,
)

ASK = ModelRequest([Message("user", "Hi")])
USED = {"input_tokens": 10, "output_tokens": 2}
MORE = {"input_tokens": 12, "output_tokens": 3}
SCRIPT = [
    ModelResponse(Message("assistant", tool_calls=[call()]), "tool_use", USED, "small-1"),
    ModelResponse(Message("assistant", "5"), "end_turn", MORE, "small-1"),
]


def ask(provider, request=ASK, signal=None):
    return asyncio.run(provider.complete(request, signal))


def aborted():
    controller = AbortController()
    controller.abort("Stop")
    return controller.signal


def test_it_is_a_provider():
    assert isinstance(FakeModelProvider([]), ModelProvider)


def test_responses_come_in_the_order_of_the_script():
    provider = FakeModelProvider([*SCRIPT, "a", [call("c2")]])

    assert [ask(provider).action for _ in range(4)] == ["tool_call", "finish", "finish", "tool_call"]
    assert provider.remaining == 0


def test_usage_and_model_come_from_the_script():
    response = ask(FakeModelProvider(SCRIPT))

    assert response.usage == USED
    assert response.model == "small-1"


def test_usage_that_was_not_scripted_is_unknown_and_not_zero():
    assert ask(FakeModelProvider(["Hello."])).usage == {}


def test_the_script_is_copied_when_the_provider_is_made():
    script, usage = list(SCRIPT), dict(USED)
    script[1] = ModelResponse(Message("assistant", "5"), usage=usage)
    provider = FakeModelProvider(script)
    usage["input_tokens"] = 999
    script.clear()
    ask(provider)

    assert ask(provider).usage == USED


def test_what_is_returned_is_the_callers_own():
    provider = FakeModelProvider([SCRIPT[0], SCRIPT[0]])
    first = ask(provider)
    first.usage["input_tokens"] = 999
    first.message.tool_calls[0].arguments["a"] = 999

    assert ask(provider) == SCRIPT[0]
    assert first == SCRIPT[0]
    assert provider.script[0].usage == USED


def test_what_was_asked_is_kept_as_it_was():
    tools = [{"name": "add", "description": "", "parameters": {}}]
    messages = [Message("user", "Hi")]
    provider = FakeModelProvider(["Hello."])
    ask(provider, ModelRequest(messages, tools))
    messages.append(Message("user", "more"))
    tools[0]["name"] = "changed"

    assert provider.calls[0].messages == [Message("user", "Hi")]
    assert provider.calls[0].tools[0]["name"] == "add"


def test_an_aborted_signal_consumes_nothing():
    provider = FakeModelProvider(SCRIPT)
    with pytest.raises(AbortError, match="模型请求已取消"):
        ask(provider, signal=aborted())

    assert provider.remaining == 2
    assert provider.calls == []
    assert ask(provider).usage["input_tokens"] == 10


def test_a_signal_belongs_to_one_call():
    provider = FakeModelProvider(["a", "b"])
    controller = AbortController()

    async def main():
        one = asyncio.ensure_future(provider.complete(ASK, controller.signal))
        controller.abort()
        other = await provider.complete(ASK, AbortController().signal)
        with pytest.raises(AbortError):
            await one
        return other.message.content

    assert asyncio.run(main()) == "a"


def test_an_abort_while_the_model_thinks_consumes_nothing():
    async def main():
        thinking, controller = asyncio.Event(), AbortController()

        async def think(request):
            assert request == ASK
            thinking.set()
            await asyncio.Event().wait()

        provider = FakeModelProvider(["Hello."], before=think)
        task = asyncio.ensure_future(provider.complete(ASK, controller.signal))
        await thinking.wait()
        controller.abort()
        with pytest.raises(AbortError):
            await task
        return provider

    provider = asyncio.run(main())
    assert (provider.remaining, provider.calls) == (1, [])


def test_a_task_that_is_cancelled_while_the_model_thinks_consumes_nothing():
    async def main():
        provider = FakeModelProvider(["Hello."], before=lambda _: asyncio.Event().wait())
        task = asyncio.ensure_future(provider.complete(ASK))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return provider.remaining

    assert asyncio.run(main()) == 1


def test_a_used_up_script_says_so_however_often_it_is_asked():
    provider = FakeModelProvider(["only"])
    ask(provider)
    for number in (2, 3):
        with pytest.raises(ResponsesExhausted, match=rf"^FakeModelProvider 响应已耗尽 \(.*call {number} was made"):
            ask(provider)
    assert issubclass(ResponsesExhausted, ScriptExhausted)
    assert provider.remaining == 0


def test_an_error_of_the_tree_is_raised_and_consumed():
    scripted = RateLimitError("slow down", status_code=429, retry_after=2.0)
    provider = FakeModelProvider([scripted, "Hello.", AbortError("by the service")])
    with pytest.raises(RateLimitError, match="slow down") as caught:
        ask(provider)

    assert caught.value is not scripted
    assert caught.value.retry_after == 2.0
    assert scripted.__traceback__ is None
    assert ask(provider).message.content == "Hello."
    with pytest.raises(AbortError, match="by the service"):
        ask(provider)
    provider.assert_exhausted()


def test_an_error_class_or_another_error_is_no_item():
    for item in (RateLimitError, ValueError("x")):
        with pytest.raises(TypeError, match="不认识的脚本项"):
            FakeModelProvider([item])


@pytest.mark.parametrize("item", [None, {}, 5, call(), []])
def test_what_is_no_item_is_refused_when_the_provider_is_made(item):
    with pytest.raises(TypeError, match="不认识的脚本项"):
        FakeModelProvider([item])


def test_a_failed_expectation_consumes_nothing_and_a_right_request_then_gets_the_item():
    provider = FakeModelProvider([Expect("Hello.", request=lambda request: len(request.messages) == 2)])
    with pytest.raises(UnexpectedRequest):
        ask(provider)
    assert provider.remaining == 1
    assert ask(provider, ModelRequest([Message("system", "x"), Message("user", "Hi")])).message.content == "Hello."


def test_what_is_left_over_is_told():
    with pytest.raises(ScriptNotExhausted, match="2 of 2 script items are left"):
        FakeModelProvider(SCRIPT).assert_exhausted()


@pytest.mark.parametrize("request_", [None, [Message("user", "Hi")], "Hi", {"messages": []}])
def test_what_is_no_request_is_refused(request_):
    with pytest.raises(TypeError, match=r"pass one ModelRequest\(messages, tools\)"):
        ask(FakeModelProvider(["x"]), request_)


# ---- one cursor a run


def test_instances_do_not_share_a_cursor():
    one, other = FakeModelProvider(SCRIPT), FakeModelProvider(SCRIPT)
    ask(one)

    assert (one.remaining, other.remaining) == (1, 2)


def test_each_run_has_a_cursor_of_its_own():
    provider = FakeModelProvider(["a", "b"])
    north, south = provider.for_run("north"), provider.for_run("south")

    assert [ask(north).message.content, ask(south).message.content, ask(north).message.content] == ["a", "a", "b"]
    assert provider.for_run("north") is north
    with pytest.raises(ScriptNotExhausted):
        provider.assert_exhausted()


def test_runs_may_have_scripts_of_their_own():
    provider = FakeModelProvider({"north": ["n"], "south": ["s"]})

    assert ask(provider.for_run("south")).message.content == "s"
    assert repr(provider) == "<FakeModelProvider fake-1: 2 runs>"
    with pytest.raises(ValueError, match=r"no script for the run 'east'; there are scripts for 'north', 'south'"):
        provider.for_run("east")
    with pytest.raises(RuntimeError, match=r"provider.for_run\(run_id\)"):
        ask(provider)


def test_two_runs_that_share_one_by_accident_are_told():
    async def main():
        gate = asyncio.Event()
        provider = FakeModelProvider(["a", "b"], before=lambda _: gate.wait())
        first = asyncio.ensure_future(arun(provider, ToolRegistry(), "1"))
        await asyncio.sleep(0)
        with pytest.raises(RuntimeError, match="for another run that is not over"):
            await arun(provider, ToolRegistry(), "2")
        gate.set()
        assert (await first).final == "a"
        return (await arun(provider, ToolRegistry(), "3")).final  # one after the other is no accident

    assert asyncio.run(main()) == "b"


def test_its_repr_is_short_and_without_an_address():
    provider = FakeModelProvider(SCRIPT)
    ask(provider)

    assert repr(provider) == "<FakeModelProvider fake-1: 1 of 2 items used>"

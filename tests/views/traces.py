"""Traces that the tests of the views look at."""

import asyncio

from minagent_lab import AbortController, FakeModelProvider, Message, ModelResponse, Tool, ToolCall, arun
from minagent_lab.errors import ServerError
from minagent_lab.observe.clock import TickingClock
from minagent_lab.observe.trace import Trace
from minagent_lab.providers.retrying import Retrying

from .runs import add, shop


def new_trace():
    return Trace(clock=TickingClock())


def answer(text, sent=None, got=None, *calls):
    usage = {} if sent is None else {"input_tokens": sent, "output_tokens": got}
    return ModelResponse(Message("assistant", text, calls), "tool_use" if calls else "end_turn", usage, "small-1")


def go(trace, script, **options):
    """Run an agent, with retries, and write it into the trace."""
    clock = TickingClock(step=0)
    provider = Retrying(FakeModelProvider(script), sleep=clock.sleep, clock=clock, jitter=lambda: 0)

    async def main():
        try:
            await arun(provider, shop(), "2 + 3?", trace=trace, **options)
        except Exception as error:
            return error

    return asyncio.run(main())


def busy():
    """Return a trace with a failed attempt, a tool that worked and one that does not exist."""
    trace = new_trace()
    go(trace, [ServerError("down"), answer("", 10, 2, add("c1"), ToolCall("c2", "search", {})), answer("5", 20, 3)])
    return trace


def stopped():
    """Return a trace of two runs that somebody stopped: while the model was asked, and while a tool was at work."""
    trace, tools = new_trace(), shop()
    tools.add(Tool("brew", "Brews", {"type": "object"}, lambda: asyncio.sleep(9)))
    for at in ("model_asked", "tool_asked"):
        ann = AbortController()
        forget = trace.watch(lambda event, at=at, ann=ann: ann.abort() if event["event"] == at else None)
        provider = FakeModelProvider([[ToolCall("c1", "brew", {})], "never"])
        asyncio.run(arun(provider, tools, "Tea?", trace=trace, signal=ann.signal))
        forget()
    return trace


def layered():
    """Return a trace in which one layer that retries stands round another, and two requests fail."""
    trace, clock = new_trace(), TickingClock(step=0)
    provider = FakeModelProvider([*[ServerError("down")] * 2, "5"])
    for attempts in (2, 3):
        provider = Retrying(provider, attempts, sleep=clock.sleep, clock=clock, jitter=lambda: 0)
    asyncio.run(arun(provider, shop(), "2 + 3?", trace=trace))
    return trace


def long(turns):
    trace = new_trace()
    go(trace, [*[[add(f"c{n}")] for n in range(turns)], "5"], max_steps=turns + 1)
    return trace

"""A thousand runs of ten turns at once: `arun` beside a hand-written asyncio loop, and what is left over."""

import asyncio
import copy
import gc
import json
import statistics
import time
import tracemalloc
from collections.abc import Awaitable, Callable

import fastjsonschema

from minagent_lab import FakeModelProvider, Tool, ToolCall, ToolRegistry, arun

NUMBER = {"type": "number"}
SCHEMA = {"type": "object", "properties": {"a": NUMBER, "b": NUMBER}, "required": ["a", "b"]}
RUNS, TURNS, ROUNDS = 1_000, 10, 7


async def add(a: float, b: float) -> float:
    """Return the sum, after giving way once, as every contestant's tool does."""
    await asyncio.sleep(0)
    return a + b


# ---- the contestants: each prepares its runs, and returns a function that makes them all at once


def ours(runs: int) -> Callable[[], Awaitable[None]]:
    registry = ToolRegistry()
    registry.add(Tool("add", "Sum", SCHEMA, add))
    providers = [
        FakeModelProvider(
            [*[[ToolCall("c1", "add", {"a": run, "b": turn})] for turn in range(TURNS - 1)], f"run {run}"],
            before=lambda _: asyncio.sleep(0),
        )
        for run in range(runs)
    ]

    async def go() -> None:
        results = await asyncio.gather(*(arun(provider, registry, "go") for provider in providers))
        assert [result.final for result in results] == [f"run {run}" for run in range(runs)]
        assert all(provider.remaining == 0 and len(provider.calls) == TURNS for provider in providers)

    return go


def by_hand(freeze: Callable[[object], object]) -> Callable[[int], Callable[[], Awaitable[None]]]:
    valid = fastjsonschema.compile(SCHEMA, use_default=False)

    def reply_of(run: int, turn: int) -> dict:
        if turn == TURNS - 1:
            return {"role": "assistant", "content": f"run {run}"}
        call = {"id": "c1", "name": "add", "arguments": {"a": run, "b": turn}}
        return {"role": "assistant", "content": "", "tool_calls": [call]}

    async def one(script: list[dict]) -> str:
        messages, frozen, requests = [{"role": "user", "content": "go"}], [], []
        for reply in script:
            while len(frozen) < len(messages):
                frozen.append(freeze(messages[len(frozen)]))
            requests.append(len(frozen))
            await asyncio.sleep(0)
            messages.append(reply)
            for call in reply.get("tool_calls", ()):
                valid(call["arguments"])
                result = json.dumps(await add(**call["arguments"]))
                messages.append({"role": "tool", "content": result, "tool_call_id": call["id"]})
        return reply["content"]

    def prepare(runs: int) -> Callable[[], Awaitable[None]]:
        scripts = [[reply_of(run, turn) for turn in range(TURNS)] for run in range(runs)]

        async def go() -> None:
            finals = await asyncio.gather(*(one(script) for script in scripts))
            assert finals == [f"run {run}" for run in range(runs)]

        return go

    return prepare


# ---- measuring


def seconds(prepare: Callable[[int], Callable[[], Awaitable[None]]]) -> float:
    async def timed() -> float:
        start = time.perf_counter()
        await go()
        taken = time.perf_counter() - start
        assert asyncio.all_tasks() == {asyncio.current_task()}, "a task is left over"
        return taken

    go = prepare(RUNS)
    gc.collect()
    return asyncio.run(timed())


def speed() -> None:
    contestants = {
        "arun": ours,
        "by hand, deepcopy": by_hand(copy.deepcopy),
        "by hand, JSON text": by_hand(json.dumps),
    }
    times: dict[str, list[float]] = {name: [] for name in contestants}
    for _ in range(ROUNDS):
        for name, prepare in contestants.items():  # in turn, so that a drift of the machine hits all alike
            times[name].append(seconds(prepare))
    print(
        f"{RUNS} runs of {TURNS} turns at once, {ROUNDS} rounds; runs per second (best), and `arun` against it (median)"
    )
    for name, taken in times.items():
        ratio = statistics.median(mine / its for mine, its in zip(times["arun"], taken, strict=True))
        print(f"  {name:20} {RUNS / min(taken):10,.0f}   x {ratio:5.2f} of this")


def memory() -> None:
    """Show what stays when everything is over: nothing may grow from one thousand to the next."""
    asyncio.run(ours(RUNS)())  # caches and modules are there from now on
    gc.collect()
    tracemalloc.start()
    print("\nmemory left over after each thousand, in kB")
    for _ in range(4):
        asyncio.run(ours(RUNS)())
        gc.collect()
        print(f"  {tracemalloc.get_traced_memory()[0] / 1000:10.1f}")
    tracemalloc.stop()


if __name__ == "__main__":
    speed()
    memory()

"""A model step of `run`, beside a hand-written loop and beside peers that are installed. Prints ratios."""

import copy
import gc
import importlib.util
import json
import logging
import os
import statistics
import sys
import time
import tracemalloc
from collections.abc import Callable

import fastjsonschema

from minagent_lab import FakeModel, Tool, ToolCall, ToolRegistry, run

NUMBER = {"type": "number"}
SCHEMA = {"type": "object", "properties": {"a": NUMBER, "b": NUMBER}, "required": ["a", "b"]}
ROUNDS = 15


def add(a: float, b: float) -> float:
    """Return the sum, as every contestant's tool does."""
    return a + b


# ---- the contestants: each prepares a run of n turns, and returns a function that runs it


def ours(turns: int) -> Callable[[], object]:
    registry = ToolRegistry()
    registry.add(Tool("add", "Sum", SCHEMA, add))
    model = FakeModel([*[[ToolCall(f"c{n}", "add", {"a": n, "b": 1})] for n in range(turns)], "done"])

    def go() -> None:
        assert run(model, registry, "go", max_steps=turns + 1).final == "done"
        assert len(model.calls) == turns + 1

    return go


def by_hand(freeze: Callable[[object], object]) -> Callable[[int], Callable[[], object]]:
    valid = fastjsonschema.compile(SCHEMA, use_default=False)

    def prepare(turns: int) -> Callable[[], object]:
        script = [
            {
                "role": "assistant",
                "content": "",
                "tool_calls": [{"id": f"c{n}", "name": "add", "arguments": {"a": n, "b": 1}}],
            }
            for n in range(turns)
        ]
        script.append({"role": "assistant", "content": "done"})

        def go() -> None:
            messages, frozen, requests = [{"role": "user", "content": "go"}], [], []
            for reply in script:
                while len(frozen) < len(messages):
                    frozen.append(freeze(messages[len(frozen)]))
                requests.append(len(frozen))
                messages.append(reply)
                for call in reply.get("tool_calls", ()):
                    valid(call["arguments"])
                    result = json.dumps(add(**call["arguments"]))
                    messages.append({"role": "tool", "content": result, "tool_call_id": call["id"]})
            assert len(requests) == turns + 1

        return go

    return prepare


def pydantic_ai(turns: int) -> Callable[[], object]:
    from pydantic_ai import Agent
    from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
    from pydantic_ai.models.function import FunctionModel
    from pydantic_ai.usage import RequestUsage, UsageLimits

    script = [ToolCallPart("add", {"a": n, "b": 1}, tool_call_id=f"c{n}") for n in range(turns)]
    parts = iter([*script, TextPart("done")])
    answer = lambda *_: ModelResponse([next(parts)], usage=RequestUsage(input_tokens=1, output_tokens=1))  # noqa: E731
    agent = Agent(FunctionModel(answer))
    agent.tool_plain(add)
    return lambda: agent.run_sync("go", usage_limits=UsageLimits(request_limit=None))


def openai_agents(turns: int) -> Callable[[], object]:
    os.environ["OPENAI_AGENTS_DISABLE_TRACING"] = "1"
    from agents import Agent, Runner, function_tool
    from agents.testing import ScriptedModel
    from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText

    steps = [
        [ResponseFunctionToolCall(type="function_call", call_id=f"c{n}", name="add", arguments=f'{{"a": {n}, "b": 1}}')]
        for n in range(turns)
    ]
    text = ResponseOutputText(type="output_text", text="done", annotations=[])
    last = ResponseOutputMessage(id="m", type="message", role="assistant", status="completed", content=[text])
    agent = Agent(name="a", model=ScriptedModel([*steps, [last]]), tools=[function_tool(add)])
    return lambda: Runner.run_sync(agent, "go", max_turns=turns + 2)


def langchain(turns: int) -> Callable[[], object]:
    from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
    from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
    from langchain_core.tools import tool

    added = tool(add)
    asked = [AIMessage("", tool_calls=[{"id": f"c{n}", "name": "add", "args": {"a": n, "b": 1}}]) for n in range(turns)]
    model = GenericFakeChatModel(messages=iter([*asked, AIMessage("done")]))

    def go() -> None:
        messages = [HumanMessage("go")]
        while (reply := model.invoke(messages)).tool_calls:
            results = [
                ToolMessage(str(added.invoke(call["args"])), tool_call_id=call["id"]) for call in reply.tool_calls
            ]
            messages += [reply, *results]

    return go


PEERS = {"pydantic_ai": pydantic_ai, "agents": openai_agents, "langchain_core": langchain}


# ---- measuring


def seconds(prepare: Callable[[int], Callable[[], object]], turns: int) -> float:
    go = prepare(turns)
    gc.collect()
    start = time.perf_counter()
    go()
    return time.perf_counter() - start


def compare(turns: int, contestants: dict[str, Callable[[int], Callable[[], object]]], rounds: int) -> None:
    times: dict[str, list[float]] = {name: [] for name in contestants}
    for _ in range(rounds):
        for name, prepare in contestants.items():  # in turn, so that a drift of the machine hits all alike
            times[name].append(seconds(prepare, turns))
    print(
        f"\n{turns} turns, {rounds} rounds; microseconds per model step (smallest), and `run` against it (median ratio)"
    )
    for name, taken in times.items():
        ratio = statistics.median(mine / its for mine, its in zip(times["run"], taken, strict=True))
        print(f"  {name:28} {min(taken) / (turns + 1) * 1e6:10.1f}   x {ratio:6.3f}")


def growth() -> None:
    print("\ngrowth of `run`, requests recorded: per model step, and against 100 turns")
    first_time = first_memory = 0.0
    for turns in (100, 1_000, 10_000):
        taken = min(seconds(ours, turns) for _ in range(5)) / (turns + 1)
        go = ours(turns)
        tracemalloc.start()
        go()
        memory = tracemalloc.get_traced_memory()[1] / (turns + 1)
        tracemalloc.stop()
        first_time, first_memory = first_time or taken, first_memory or memory
        print(
            f"  {turns:6} turns  {taken * 1e6:6.1f} us  x {taken / first_time:4.2f}"
            f"   {memory:6.0f} bytes  x {memory / first_memory:4.2f}"
        )


def main() -> None:
    logging.disable()
    hands = {"by hand, deepcopy": by_hand(copy.deepcopy), "by hand, JSON text": by_hand(json.dumps)}
    compare(1_000, {"run": ours, **hands}, ROUNDS)
    growth()
    installed = {name: peer for name, peer in PEERS.items() if importlib.util.find_spec(name)}
    if installed:
        sys.setrecursionlimit(10_000)
        compare(100, {"run": ours, **installed}, 5)
    for name in PEERS.keys() - installed.keys():
        print(f"\n{name} is not installed; see benchmarks/README.md")


if __name__ == "__main__":
    main()

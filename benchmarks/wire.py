"""Requests per second of the real `openai` client through `MockGPT.transport`, beside a hand-written mock.

The hand-written one is an `httpx2.MockTransport` whose handler reads the body as JSON and answers with what it has
ready: nothing that serves real clients can do less. Each is measured in short turns, one after the other, and the
ratios of neighbours are compared: the speed of a machine drifts, and the ratio does not.
"""

import argparse
import json
import statistics
import time
from collections.abc import Callable
from typing import Any

import httpx2
import openai

from minagent_lab import MockGPT

PROMPT, PIECE, CHUNKS = "bench", "tok ", 50
TEXT = PIECE * CHUNKS
MESSAGES = [{"role": "user", "content": PROMPT}]


def completion() -> dict[str, Any]:
    choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": TEXT}}
    usage = {"prompt_tokens": 1, "completion_tokens": 50, "total_tokens": 51}
    head = {"id": "chatcmpl-1", "object": "chat.completion", "created": 0, "model": "bench"}
    return {**head, "choices": [choice], "usage": usage}


def chunk(delta: dict[str, Any], finish: str | None = None) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    head = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 0, "model": "bench"}
    return b"data: " + json.dumps({**head, "choices": [choice]}).encode() + b"\n\n"


def by_hand(request: httpx2.Request) -> httpx2.Response:
    if not json.loads(request.content).get("stream"):
        return httpx2.Response(200, json=completion())
    chunks = [chunk({"role": "assistant"}), *(chunk({"content": PIECE}) for _ in range(CHUNKS)), chunk({}, "stop")]
    body = b"".join(chunks) + b"data: [DONE]\n\n"
    return httpx2.Response(200, content=body, headers={"content-type": "text/event-stream"})


def client(transport: Any) -> openai.OpenAI:
    http = httpx2.Client(transport=transport)
    return openai.OpenAI(api_key="sk-none", base_url="http://127.0.0.1:9/v1", max_retries=0, http_client=http)


def plain(service: openai.OpenAI) -> str | None:
    return service.chat.completions.create(model="bench", messages=MESSAGES).choices[0].message.content


def streamed(service: openai.OpenAI) -> str:
    events = service.chat.completions.create(model="bench", messages=MESSAGES, stream=True)
    pieces = [event.choices[0].delta.content or "" for event in events]
    assert len([piece for piece in pieces if piece]) == CHUNKS
    return "".join(pieces)


def per_second(ask: Callable[[openai.OpenAI], str | None], service: openai.OpenAI, seconds: float) -> float:
    count, start = 0, time.perf_counter()
    while (passed := time.perf_counter() - start) < seconds:
        assert ask(service) == TEXT
        count += 1
    return count / passed


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--seconds", type=float, default=0.4)
    options = parser.parse_args()
    mock = MockGPT([{"prompt": PROMPT, "generator": TEXT}], stream={"chunk_size": len(PIECE)})
    with client(httpx2.MockTransport(by_hand)) as hand, client(mock.transport) as ours:
        for name, ask in (("plain answers", plain), ("streams of 50 chunks", streamed)):
            for service in (hand, ours):
                per_second(ask, service, options.seconds)  # warm up
            pairs = [[per_second(ask, each, options.seconds) for each in (hand, ours)] for _ in range(options.rounds)]
            ratio = statistics.median(mine / its for its, mine in pairs)
            its, mine = (statistics.median(rates) for rates in zip(*pairs, strict=True))
            print(f"{name:22} by hand {its:8,.0f}/s   MockGPT {mine:8,.0f}/s   ratio {ratio:.2f}")


if __name__ == "__main__":
    main()

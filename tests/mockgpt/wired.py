"""Real clients of a `MockGPT`, and small things that many tests of the wire need."""

import asyncio
import json

import anthropic
import httpx2
import openai

from minagent_lab import AnthropicProvider, Message, MockGPT, ModelRequest, OpenAICompatibleProvider

HI = [{"role": "user", "content": "Hi"}]
KEY = {"authorization": "Bearer sk-fake"}
CLAUDE = {"x-api-key": "sk-fake", "anthropic-version": "2023-06-01"}
CHAT, RESPONSES, MESSAGES = "/v1/chat/completions", "/v1/responses", "/v1/messages"


def answering(*written, **options):
    """Return a mock that gives these answers one after the other, the last one for ever."""
    from minagent_lab.mockgpt import responses

    return MockGPT([], fallback=responses.sequence(*written[:-1], then=written[-1]), clock=lambda: 1e12, **options)


def openai_of(mock, **options):
    http = openai.DefaultHttpxClient(transport=mock.transport)
    return openai.OpenAI(
        **{"api_key": "sk-fake", "base_url": "https://mock.test/v1", "max_retries": 0} | options, http_client=http
    )


def async_openai_of(mock, **options):
    http = openai.DefaultAsyncHttpxClient(transport=mock.transport)
    return openai.AsyncOpenAI(
        **{"api_key": "sk-fake", "base_url": "https://mock.test/v1", "max_retries": 0} | options, http_client=http
    )


def anthropic_of(mock, **options):
    http = anthropic.DefaultHttpxClient(transport=mock.transport)
    return anthropic.Anthropic(**{"api_key": "sk-fake", "max_retries": 0} | options, http_client=http)


def async_anthropic_of(mock, **options):
    http = anthropic.DefaultAsyncHttpxClient(transport=mock.transport)
    return anthropic.AsyncAnthropic(**{"api_key": "sk-fake", "max_retries": 0} | options, http_client=http)


def post(mock, path, body, headers=KEY, method="POST"):
    """Return the response to a request that no SDK made."""
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    with httpx2.Client(transport=mock.transport, base_url="https://mock.test") as client:
        return client.request(method, path, content=content, headers=headers)


def chat(**more):
    return {"model": "gpt-x", "messages": HI, **more}


def claude(**more):
    return {"model": "claude-x", "max_tokens": 100, "messages": HI, **more}


def told(response):
    """Return status and error of a response."""
    return response.status_code, response.json()["error"]


def data_of(response):
    """Return what the events of a stream hold."""
    lines = [line for line in response.text.split("\n") if line.startswith("data: ") and line != "data: [DONE]"]
    return [json.loads(line.removeprefix("data: ")) for line in lines]


def asked_by(kind, mock, request=None, **options):
    """Return what our own adapter makes of the answer."""
    provider = {"openai": OpenAICompatibleProvider, "anthropic": AnthropicProvider}[kind]

    async def main():
        async with provider("m", transport=mock.transport, **options) as one:
            return await one.complete(request or ModelRequest([Message("user", "Hi")]))

    return asyncio.run(main())


class Waiter:
    """A sleep that takes no time, and keeps how long it was meant to be."""

    def __init__(self):
        self.slept = []

    def __call__(self, seconds):
        self.slept.append(seconds)

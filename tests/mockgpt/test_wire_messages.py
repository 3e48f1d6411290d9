import asyncio

import anthropic
import pytest
from wired import (
    CLAUDE,
    HI,
    MESSAGES,
    answering,
    anthropic_of,
    async_anthropic_of,
    claude,
    data_of,
    post,
    told,
)

from minagent_lab import MockGPT, Rule
from minagent_lab.mockgpt import responses

WISH = responses.tool_calls(("add", {"a": 2, "b": 3}), ("now", {}), content="Let me see. 好")


def use(id):
    return {"type": "tool_use", "id": id, "name": "add", "input": {"a": 1}}


def result(id, content="5"):
    return {"type": "tool_result", "tool_use_id": id, "content": content}


def row(role, *blocks):
    return {"role": role, "content": list(blocks)}


def shown(message):
    """Return what a message holds: text, calls, stop reason and usage."""
    text = "".join(block.text for block in message.content if block.type == "text")
    calls = [(block.name, block.input) for block in message.content if block.type == "tool_use"]
    return text, calls, message.stop_reason, (message.usage.input_tokens, message.usage.output_tokens)


EXPECTED = ("Let me see. 好", [("add", {"a": 2, "b": 3}), ("now", {})], "tool_use")


def test_the_official_client_reads_the_same_whole_and_streamed():
    with anthropic_of(answering(WISH)) as client:
        whole = shown(client.messages.create(**claude()))
        with client.messages.stream(**claude()) as stream:
            streamed = shown(stream.get_final_message())

    assert whole == streamed
    assert whole[:3] == EXPECTED


def test_the_async_client_reads_both():
    async def main():
        async with async_anthropic_of(answering(WISH)) as client:
            whole = await client.messages.create(**claude())
            async with client.messages.stream(**claude()) as stream:
                return shown(whole), shown(await stream.get_final_message())

    whole, streamed = asyncio.run(main())
    assert whole == streamed
    assert whole[:3] == EXPECTED


def test_events_come_in_the_order_of_the_service():
    body = post(answering("服务在线", stream={"chunk_size": 2}), MESSAGES, claude(stream=True), CLAUDE)

    kinds = [event["type"] for event in data_of(body)]
    assert kinds == [
        "message_start",
        "content_block_start",
        "ping",
        "content_block_delta",
        "content_block_delta",
        "content_block_stop",
        "message_delta",
        "message_stop",
    ]
    assert [line.removeprefix("event: ") for line in body.text.split("\n") if line.startswith("event: ")] == kinds


def test_a_stop_by_the_filter_is_told_in_the_word_of_the_service():
    body = post(answering(responses.text("x", stop_reason="content_filter")), MESSAGES, claude(), CLAUDE).json()
    assert body["stop_reason"] == "refusal"


def test_a_rule_sees_blocks_as_messages():
    seen = []
    mock = MockGPT([Rule(when=seen.append, generator="x")], fallback="y")
    history = [
        row("user", {"type": "text", "text": "Hi"}, {"type": "image", "source": {}}),
        row("assistant", {"type": "text", "text": "Well."}, use("t1"), use("t2")),
        row("user", result("t1"), result("t2", [{"type": "text", "text": "6"}]), {"type": "text", "text": "Go on."}),
    ]
    tools = [
        {"name": "add", "description": "Sum", "input_schema": {"type": "object"}},
        {"type": "bash_20250124", "name": "bash"},
    ]
    system = [{"type": "text", "text": "Be kind."}]
    assert post(mock, MESSAGES, claude(messages=history, tools=tools, system=system), CLAUDE).status_code == 200

    (request,) = seen
    assert [message.role for message in request.messages] == ["system", "user", "assistant", "tool", "tool", "user"]
    assert (request.system, request.prompt) == ("Be kind.", "Go on.")
    assert [message.content for message in request.messages if message.role == "tool"] == ["5", "6"]
    assert [call.arguments for call in request.messages[2].tool_calls] == [{"a": 1}, {"a": 1}]
    assert request.tools == [{"name": "add", "description": "Sum", "parameters": {"type": "object"}}]


UNANSWERED = (
    "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: t2. Each `tool_use` block "
    "must have a corresponding `tool_result` block in the next message."
)
UNEXPECTED = (
    "messages.0.content.0: unexpected `tool_use_id` found in `tool_result` blocks: t1. Each `tool_result` block must "
    "have a corresponding `tool_use` block in the previous message."
)
NO_ROLE = (
    'messages: Unexpected role "system". The Messages API accepts a top-level `system` parameter, not "system" as an '
    "input message role."
)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"messages": [*HI, row("assistant", use("t1"), use("t2")), row("user", result("t1"))]}, UNANSWERED),
        ({"messages": [*HI, row("assistant", use("t2"))]}, UNANSWERED),
        (
            {"messages": [row("user", result("t1"))]},
            UNEXPECTED,
        ),
        ({"messages": []}, "messages: at least one message is required"),
        ({"messages": None}, "messages: Field required"),
        ({"max_tokens": None}, "max_tokens: Field required"),
        ({"max_tokens": "5"}, "max_tokens: Input should be a valid integer"),
        ({"max_tokens": True}, "max_tokens: Input should be a valid integer"),
        (
            {"messages": [{"role": "system", "content": "x"}]},
            NO_ROLE,
        ),
        ({"messages": [{"role": "robot", "content": "x"}]}, "messages.0.role: Input should be 'user' or 'assistant'"),
        (
            {"messages": [row("user", {"type": "text", "text": ""}, {"type": "text", "text": "x"})]},
            "messages: text content blocks must be non-empty",
        ),
    ],
)
def test_a_request_that_makes_no_sense_is_refused_in_the_words_of_the_service_and_uses_up_nothing(change, message):
    mock = answering("x")
    status, error = told(post(mock, MESSAGES, claude(**change), CLAUDE))
    assert (status, error) == (400, {"type": "invalid_request_error", "message": message})
    assert mock.counts["total"] == 0


@pytest.mark.parametrize(
    ("status", "kind", "word"),
    [
        (400, anthropic.BadRequestError, "invalid_request_error"),
        (401, anthropic.AuthenticationError, "authentication_error"),
        (403, anthropic.PermissionDeniedError, "permission_error"),
        (404, anthropic.NotFoundError, "not_found_error"),
        (429, anthropic.RateLimitError, "rate_limit_error"),
        (500, anthropic.InternalServerError, "api_error"),
        (529, anthropic.InternalServerError, "overloaded_error"),
    ],
)
def test_an_error_raises_what_it_raises_there(status, kind, word):
    with anthropic_of(answering(responses.error(status))) as client, pytest.raises(kind) as failed:
        client.messages.create(**claude())

    assert failed.value.body["error"]["type"] == word
    assert failed.value.body["request_id"] == failed.value.request_id


def test_a_request_that_no_rule_fits_is_404_with_the_reason():
    missing = pytest.raises(anthropic.NotFoundError, match="'Hi' does not contain 'status'")
    with anthropic_of(MockGPT([Rule(prompt="status", generator="x")]), max_retries=5) as client, missing as refused:
        client.messages.create(**claude())
    assert refused.value.body["error"]["type"] == "MOCK_RULE_NOT_FOUND"


@pytest.mark.parametrize(
    ("headers", "body", "method", "status", "word"),
    [
        ({"anthropic-version": "2023-06-01"}, claude(), "POST", 401, "authentication_error"),
        ({"x-api-key": "k"}, claude(), "POST", 400, "invalid_request_error"),
        (CLAUDE, b"{", "POST", 400, "invalid_request_error"),
        (CLAUDE, b"x" * 2_000_000, "POST", 413, "request_too_large"),
        (CLAUDE, b"", "GET", 405, "invalid_request_error"),
    ],
)
def test_what_is_refused_at_once_has_the_form_of_the_service(headers, body, method, status, word):
    code, error = told(post(answering("x"), MESSAGES, body, headers, method))
    assert (code, error["type"]) == (status, word)


def test_an_unknown_path_gets_404():
    assert told(post(answering("x"), "/v1/complete", claude(), CLAUDE)) == (
        404,
        {"type": "not_found_error", "message": "Not Found"},
    )


def test_models_are_listed():
    with anthropic_of(MockGPT([Rule(model="claude-x", generator="a")], clock=lambda: 1e12)) as client:
        assert [model.id for model in client.models.list()] == ["claude-x", "mockgpt"]
        assert client.models.retrieve("claude-x").created_at.year == 2001
        with pytest.raises(anthropic.NotFoundError):
            client.models.retrieve("claude-y")

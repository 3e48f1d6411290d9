import asyncio
import json

import httpx2
import openai
import pytest
from wired import CHAT, HI, answering, async_openai_of, chat, data_of, openai_of, post, told

from minagent_lab import MockGPT, Rule
from minagent_lab.mockgpt import responses

WISH = responses.tool_calls(("add", {"a": 2, "b": 3}), ("天气", {"城市": "北京"}))
TOOL = {"type": "function", "function": {"name": "add", "description": "Sum", "parameters": {"type": "object"}}}


def assistant(*ids, **more):
    wishes = [{"id": id, "type": "function", "function": {"name": "add", "arguments": "{}"}} for id in ids]
    return {"role": "assistant", "content": None, **({"tool_calls": wishes} if ids else {}), **more}


def result(id):
    return {"role": "tool", "tool_call_id": id, "content": "5"}


# ---- answers


def test_the_official_client_reads_a_whole_answer():
    with openai_of(answering("服务在线。")) as client:
        answer = client.chat.completions.create(model="gpt-x", messages=HI)

    assert answer.choices[0].message.content == "服务在线。"
    assert (answer.choices[0].finish_reason, answer.model, answer.created) == ("stop", "gpt-x", 1_000_000_000)
    assert (answer.usage.prompt_tokens, answer.usage.completion_tokens, answer.usage.total_tokens) == (1, 2, 3)


def test_the_official_client_reads_a_stream_in_pieces_of_the_size_that_was_asked_for():
    with openai_of(answering("服务在线。", stream={"chunk_size": 2})) as client:
        events = list(client.chat.completions.create(model="gpt-x", messages=HI, stream=True))

    pieces = [event.choices[0].delta.content for event in events]
    assert pieces == ["", "服务", "在线", "。", None]
    assert [event.choices[0].finish_reason for event in events] == [None, None, None, None, "stop"]
    assert len({event.id for event in events}) == 1


def test_the_official_client_reads_tool_calls_whole_and_streamed():
    with openai_of(answering(WISH)) as client:
        message = client.chat.completions.create(model="gpt-x", messages=HI).choices[0].message
        with client.chat.completions.stream(model="gpt-x", messages=HI) as stream:
            streamed = stream.get_final_completion().choices[0]

    assert message.content is None
    assert [json.loads(call.function.arguments) for call in message.tool_calls] == [{"a": 2, "b": 3}, {"城市": "北京"}]
    assert "北京" in message.tool_calls[1].function.arguments
    assert streamed.finish_reason == "tool_calls"
    assert [(call.function.name, json.loads(call.function.arguments)) for call in streamed.message.tool_calls] == [
        ("add", {"a": 2, "b": 3}),
        ("天气", {"城市": "北京"}),
    ]


def test_usage_comes_at_the_end_of_a_stream_where_it_was_asked_for_and_in_a_chunk_without_choices():
    mock = answering("答案")
    without = data_of(post(mock, CHAT, chat(stream=True)))
    off = data_of(post(mock, CHAT, chat(stream=True, stream_options={"include_usage": False})))
    on = data_of(post(mock, CHAT, chat(stream=True, stream_options={"include_usage": True})))

    assert not any("usage" in chunk for chunk in without + off)
    assert [chunk["usage"] for chunk in on[:-1]] == [None] * (len(on) - 1)
    assert on[-1]["choices"] == []
    assert on[-1]["usage"]["total_tokens"] == 2


def test_a_stream_ends_with_its_last_word():
    assert post(answering("x"), CHAT, chat(stream=True)).text.endswith("\n\ndata: [DONE]\n\n")


@pytest.mark.parametrize(
    ("reason", "word"),
    [("end_turn", "stop"), ("tool_use", "tool_calls"), ("max_tokens", "length"), ("content_filter", "content_filter")],
)
def test_stop_reasons_are_told_in_the_words_of_the_service(reason, word):
    answer = post(answering(responses.text("x", stop_reason=reason)), CHAT, chat()).json()
    assert answer["choices"][0]["finish_reason"] == word


def test_a_json_value_travels_as_its_text_in_real_characters():
    answer = post(answering({"城市": ["北京"]}), CHAT, chat()).json()
    assert answer["choices"][0]["message"]["content"] == '{"城市": ["北京"]}'


def test_content_is_null_beside_calls_and_text_beside_calls_stays():
    bare = post(answering(WISH), CHAT, chat()).json()["choices"][0]["message"]
    both = post(answering(responses.tool_calls(("add", {}), content="Let me see.")), CHAT, chat()).json()

    assert bare["content"] is None
    assert both["choices"][0]["message"]["content"] == "Let me see."


def test_line_separators_travel_as_they_are():
    text = "a\u2028b\u2029c\u0085d✅"
    raw = post(answering(text), CHAT, chat(stream=True))

    assert "\u2028".encode() in raw.content
    with openai_of(answering(text)) as client:
        events = list(client.chat.completions.create(model="gpt-x", messages=HI, stream=True))
    assert "".join(event.choices[0].delta.content or "" for event in events) == text


def test_the_async_client_gets_the_same_bytes_as_the_sync_one():
    async def main(mock):
        async with async_openai_of(mock) as client:
            whole = await client.chat.completions.with_raw_response.create(model="gpt-x", messages=HI)
            create = client.chat.completions.with_streaming_response.create
            async with create(model="gpt-x", messages=HI, stream=True) as stream:
                return whole.content, await stream.read()

    with openai_of(answering(WISH)) as client:
        whole = client.chat.completions.with_raw_response.create(model="gpt-x", messages=HI).content
        with client.chat.completions.with_streaming_response.create(model="gpt-x", messages=HI, stream=True) as stream:
            assert asyncio.run(main(answering(WISH))) == (whole, stream.read())


def test_the_same_calls_have_the_same_bytes_and_headers_each_time():
    def transcript():
        mock = answering(WISH, responses.error(500), "x", seed=3)
        replies = [post(mock, CHAT, chat(stream=stream)) for stream in (False, True, True, False)]
        return [(reply.status_code, reply.headers.raw, reply.content) for reply in replies]

    assert transcript() == transcript()
    assert len({reply[2] for reply in transcript()}) == 4


def test_another_seed_has_other_ids():
    first, second = (post(answering("x", seed=seed), CHAT, chat()).json()["id"] for seed in (1, 2))
    assert first != second
    assert first.startswith("chatcmpl-")


# ---- what a rule sees


def test_a_rule_sees_the_whole_request_and_no_secret():
    seen = []
    mock = MockGPT([Rule(when=seen.append, generator="x")], fallback="y")
    history = [
        {"role": "developer", "content": "Be kind."},
        {"role": "user", "content": [{"type": "text", "text": "Hi"}, {"type": "image_url", "image_url": {"url": "x"}}]},
        assistant("c1"),
        result("c1"),
    ]
    post(
        mock,
        CHAT,
        chat(messages=history, tools=[TOOL], temperature=0.5),
        {"Authorization": "Bearer sk-secret", "X-A": "1"},
    )

    (request,) = seen
    assert [message.role for message in request.messages] == ["system", "user", "assistant", "tool"]
    assert (request.prompt, request.model, request.stream, request.results) == ("Hi", "gpt-x", False, ["5"])
    assert request.tools == [{"name": "add", "description": "Sum", "parameters": {"type": "object"}}]
    assert request.body["temperature"] == 0.5
    assert request.headers["x-a"] == "1"
    assert "sk-secret" not in repr(vars(request))
    assert "sk-secret" not in repr([vars(record) for record in mock.records])


def test_what_came_over_the_wire_is_in_the_records():
    mock = answering("Hello.")
    post(mock, CHAT, chat())

    (record,) = mock.records
    assert (record.door, record.rule, record.outcome.message.content) == ("wire", "fallback", "Hello.")
    assert record.outcome.model == "gpt-x"


def test_deployments_of_azure_and_other_prefixes_are_found():
    mock = answering("x")
    for path in (
        "/openai/deployments/gpt-x/chat/completions?api-version=2024-10-21",
        "/chat/completions",
        "/api" + CHAT,
    ):
        assert post(mock, path, chat(), {"api-key": "k"}).status_code == 200


# ---- models


def test_models_are_those_that_rules_name_and_one_for_all_others():
    mock = MockGPT(
        [Rule(model="gpt-x", generator="a"), Rule(model="gpt-x", prompt="p", generator="b")], clock=lambda: 1e12
    )
    with openai_of(mock) as client:
        assert [model.id for model in client.models.list()] == ["gpt-x", "mockgpt"]
        assert client.models.retrieve("gpt-x").created == 1_000_000_000
        with pytest.raises(openai.NotFoundError) as refused:
            client.models.retrieve("gpt-y")
    assert refused.value.code == "model_not_found"


# ---- refusals


UNANSWERED = (
    "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. "
    "The following tool_call_ids did not have response messages: "
)
ROLES = "Supported values are: 'system', 'assistant', 'user', 'tool', and 'developer'."
BROKEN = [
    (
        [*HI, assistant("c1", "c2"), result("c1"), *HI],
        UNANSWERED + "c2",
        "messages.[3].role",
    ),
    (
        [*HI, assistant("c1")],
        UNANSWERED + "c1",
        "messages.[2].role",
    ),
    (
        [*HI, result("c1")],
        "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
        "messages.[1].role",
    ),
    (
        [*HI, assistant("c1"), result("c1"), result("c9")],
        "Invalid parameter: 'tool_call_id' of 'c9' not found in 'tool_calls' of previous message.",
        "messages.[3].tool_call_id",
    ),
    (
        [],
        "Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead.",
        "messages",
    ),
    ("Hi", "Invalid type for 'messages': expected an array, but got a string instead.", "messages"),
    (None, "Missing required parameter: 'messages'.", "messages"),
    (
        [{"role": "user", "content": None}],
        "Invalid value for 'content': expected a string, got null.",
        "messages.[0].content",
    ),
    ([assistant()], "Invalid value for 'content': expected a string, got null.", "messages.[0].content"),
    ([{"content": "x"}], "Missing required parameter: 'messages[0].role'.", "messages[0].role"),
    ([7], "Invalid type for 'messages[0]': expected an object, but got an integer instead.", "messages[0]"),
    (
        [{"role": "robot", "content": "x"}],
        f"Invalid value: 'robot'. {ROLES}",
        "messages[0].role",
    ),
    (
        [assistant(tool_calls=[{"type": "function", "function": {"name": "x", "arguments": "{}"}}])],
        "Missing required parameter: 'messages[0].tool_calls[0].id'.",
        "messages[0].tool_calls[0].id",
    ),
]


@pytest.mark.parametrize(("history", "message", "param"), BROKEN)
def test_a_broken_history_is_refused_in_the_words_of_the_service_and_uses_up_nothing(history, message, param):
    mock = answering("first", "second")

    status, error = told(post(mock, CHAT, chat(messages=history)))

    assert (status, error["message"], error["param"]) == (400, message, param)
    assert error["type"] == "invalid_request_error"
    assert mock.counts["total"] == 0
    assert post(mock, CHAT, chat()).json()["choices"][0]["message"]["content"] == "first"


def test_the_official_client_raises_what_it_raises_there():
    with openai_of(answering("x")) as client, pytest.raises(openai.BadRequestError, match="did not have response"):
        client.chat.completions.create(model="gpt-x", messages=[*HI, assistant("c1")])


@pytest.mark.parametrize(
    ("change", "param"),
    [
        ({"model": ""}, None),
        ({"model": None}, None),
        ({"stream": "yes"}, "stream"),
        ({"stream_options": {"include_usage": True}}, "stream_options"),
        ({"tools": []}, "tools"),
        ({"tools": [{"type": "function"}]}, "tools[0].function"),
        ({"tools": [{"type": "function", "function": {}}]}, "tools[0].function.name"),
        ({"n": 2}, "n"),
        ({"messages": [{"role": "user", "content": "half \ud83d"}]}, "messages[0]"),
        ({"messages": [{"role": "user", "content": [{"type": "text"}]}]}, "messages[0].content[0].text"),
    ],
)
def test_fields_that_make_no_sense_are_refused(change, param):
    status, error = told(post(answering("x"), CHAT, chat(**change)))
    assert (status, error["param"]) == (400, param)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b'"x"',
        b"\xff",
        b'{"temperature": NaN}',
        b'{"temperature": 1e999}',
        b"[" * 5_000,
        b"[" * 100_000,
    ],
)
def test_a_body_that_is_no_json_object_is_refused(body):
    status, error = told(post(answering("x"), CHAT, body))
    assert status == 400
    assert error["message"].startswith("We could not parse the JSON body of your request.")


def test_a_body_that_is_nested_too_deep_is_refused():
    deep = {"role": "user", "content": "x", "extra": json.loads("[" * 300 + "]" * 300)}
    assert post(answering("x"), CHAT, chat(messages=[deep])).status_code == 400


def test_arguments_of_the_history_may_be_what_nobody_can_read():
    wish = {"id": "c1", "type": "function", "function": {"name": "add", "arguments": '{"a":'}}
    history = [*HI, assistant(tool_calls=[wish]), result("c1")]
    assert post(answering("x"), CHAT, chat(messages=history)).status_code == 200


def test_a_body_that_is_too_long_gets_413():
    mock = answering("x", max_body_bytes=200)
    fits = json.dumps(chat()).encode()

    assert post(mock, CHAT, fits.ljust(200)).status_code == 200
    status, error = told(post(mock, CHAT, fits.ljust(201)))
    assert (status, error["message"]) == (413, "Maximum content size limit (200) exceeded (201 bytes read)")


@pytest.mark.parametrize("headers", [{}, {"authorization": "Bearer "}, {"authorization": ""}])
def test_a_missing_key_gets_401(headers):
    status, error = told(post(answering("x"), CHAT, chat(), headers))
    assert status == 401
    assert error["message"].startswith("You didn't provide an API key.")


@pytest.mark.parametrize("path", ["/v1/chat", "/v1/embeddings", "/", "/v1/threads/t1/messages"])
def test_an_unknown_path_gets_404(path):
    status, error = told(post(answering("x"), path, chat()))
    assert (status, error["message"]) == (404, f"Invalid URL (POST {path})")


def test_another_method_gets_405():
    status, error = told(post(answering("x"), CHAT, b"", method="GET"))
    assert status == 405
    assert error["message"].startswith("Not allowed to GET on /v1/chat/completions.")


# ---- errors


def test_a_request_that_no_rule_fits_is_404_with_the_reason_and_is_not_tried_again():
    mock = MockGPT([Rule(prompt="status", generator="x")])
    with openai_of(mock, max_retries=5) as client, pytest.raises(openai.NotFoundError) as refused:
        client.chat.completions.create(model="gpt-x", messages=HI)

    assert refused.value.code == "MOCK_RULE_NOT_FOUND"
    assert "'Hi' does not contain 'status'" in str(refused.value)
    assert refused.value.response.headers["x-should-retry"] == "false"
    assert mock.counts == {"total": 1, "rules": [0], "fallback": 0, "unmatched": 1}


def test_what_the_author_of_rules_has_to_repair_is_422_and_is_not_tried_again():
    mock = MockGPT([], fallback=responses.sequence("only"))
    with openai_of(mock, max_retries=5) as client:
        client.chat.completions.create(model="gpt-x", messages=HI)
        with pytest.raises(openai.UnprocessableEntityError) as refused:
            client.chat.completions.create(model="gpt-x", messages=HI)

    assert refused.value.code == "MOCK_SEQUENCE_EXHAUSTED"
    assert mock.counts["total"] == 2


ERRORS = [
    (400, openai.BadRequestError),
    (401, openai.AuthenticationError),
    (403, openai.PermissionDeniedError),
    (404, openai.NotFoundError),
    (409, openai.ConflictError),
    (422, openai.UnprocessableEntityError),
    (429, openai.RateLimitError),
    (500, openai.InternalServerError),
    (503, openai.InternalServerError),
]


@pytest.mark.parametrize(("status", "kind"), ERRORS)
@pytest.mark.parametrize("stream", [False, True])
def test_an_error_raises_what_it_raises_there(status, kind, stream):
    mock = answering(responses.error(status, headers={"X-Ratelimit-Remaining-Requests": "0"}))
    with openai_of(mock) as client, pytest.raises(kind) as failed:
        client.chat.completions.create(model="gpt-x", messages=HI, stream=stream)

    assert failed.value.status_code == status
    assert failed.value.body["message"]
    assert failed.value.request_id.startswith("req_")
    assert failed.value.response.headers["x-ratelimit-remaining-requests"] == "0"


def test_a_quota_that_is_used_up_is_told_as_there():
    status, error = told(post(answering(responses.error(429, code="insufficient_quota")), CHAT, chat()))
    assert (status, error["type"], error["code"]) == (429, "insufficient_quota", "insufficient_quota")
    assert error["message"].startswith("You exceeded your current quota")


@pytest.mark.parametrize(
    ("wait", "header"),
    [
        (2, "2"),
        (0, "0"),
        (2.5, "2.5"),
        ("soon", "soon"),
        ("Mon, 30 Nov 2026 15:46:00 GMT", "Mon, 30 Nov 2026 15:46:00 GMT"),
    ],
)
def test_how_long_to_wait_is_a_header(wait, header):
    assert post(answering(responses.error(429, retry_after=wait)), CHAT, chat()).headers["retry-after"] == header


def test_a_client_that_retries_fails_twice_and_then_has_its_answer():
    mock = answering(responses.error(500), responses.error(429, retry_after=0.01), "Hello.")
    with openai_of(mock, max_retries=2) as client:
        client._sleep_for_retry = lambda **_: None
        answer = client.chat.completions.create(model="gpt-x", messages=HI)

    assert answer.choices[0].message.content == "Hello."
    assert mock.counts["total"] == 3


def test_a_provider_error_without_a_status_gets_the_one_of_its_kind():
    from minagent_lab.errors import AuthenticationError, ProviderTimeoutError, ServerError

    mock = answering(AuthenticationError("no"), ProviderTimeoutError("late"), ServerError("down", request_id="r-7"))
    replies = [post(mock, CHAT, chat()) for _ in range(3)]

    assert [reply.status_code for reply in replies] == [401, 408, 500]
    assert replies[2].headers["x-request-id"] == "r-7"


def test_a_network_error_is_one_for_the_client():
    from minagent_lab.errors import NetworkError

    with pytest.raises(httpx2.ConnectError):
        post(answering(NetworkError("gone")), CHAT, chat())

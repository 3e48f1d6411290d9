import asyncio
import json

import pytest
from wired import RESPONSES, answering, async_openai_of, openai_of, post, told

from minagent_lab import MockGPT, Rule
from minagent_lab.mockgpt import responses

WISH = responses.tool_calls(("add", {"a": 2, "b": 3}), ("天气", {"城市": "北京"}), content="Let me see.")
CALL = {"type": "function_call", "call_id": "c1", "name": "add", "arguments": '{"a": 1}'}
RESULT = {"type": "function_call_output", "call_id": "c1", "output": "5"}


def asked(**more):
    return {"model": "gpt-x", "input": "Hi", **more}


def shown(response):
    """Return what a response holds: text, calls, status and usage."""
    calls = [item for item in response.output if item.type == "function_call"]
    return (
        response.output_text,
        [(call.name, json.loads(call.arguments)) for call in calls],
        response.status,
        (response.usage.input_tokens, response.usage.output_tokens),
    )


EXPECTED = ("Let me see.", [("add", {"a": 2, "b": 3}), ("天气", {"城市": "北京"})], "completed")


def test_the_official_client_reads_a_whole_answer():
    with openai_of(answering(WISH)) as client:
        assert shown(client.responses.create(model="gpt-x", input="Hi"))[:3] == EXPECTED


def test_the_official_client_puts_a_stream_together_to_the_same():
    with openai_of(answering(WISH)) as client, client.responses.stream(model="gpt-x", input="Hi") as stream:
        assert shown(stream.get_final_response())[:3] == EXPECTED


def test_the_async_client_reads_both():
    async def main():
        async with async_openai_of(answering(WISH)) as client:
            whole = await client.responses.create(model="gpt-x", input="Hi")
            async with client.responses.stream(model="gpt-x", input="Hi") as stream:
                return shown(whole), shown(await stream.get_final_response())

    whole, streamed = asyncio.run(main())
    assert whole == streamed
    assert whole[:3] == EXPECTED


def test_events_come_in_the_order_of_the_service_and_are_numbered():
    with openai_of(answering(responses.tool_calls(("add", {}), content="Hm."), stream={"chunk_size": 2})) as client:
        events = list(client.responses.create(model="gpt-x", input="Hi", stream=True))

    assert [event.type.removeprefix("response.") for event in events] == [
        "created",
        "in_progress",
        "output_item.added",
        "content_part.added",
        "output_text.delta",
        "output_text.delta",
        "output_text.done",
        "content_part.done",
        "output_item.done",
        "output_item.added",
        "function_call_arguments.delta",
        "function_call_arguments.done",
        "output_item.done",
        "completed",
    ]
    assert [event.sequence_number for event in events] == list(range(len(events)))


@pytest.mark.parametrize(("reason", "why"), [("max_tokens", "max_output_tokens"), ("content_filter", "content_filter")])
def test_an_answer_that_was_cut_is_incomplete(reason, why):
    with openai_of(answering(responses.text("half", stop_reason=reason))) as client:
        answer = client.responses.create(model="gpt-x", input="Hi")
        events = list(client.responses.create(model="gpt-x", input="Hi", stream=True))

    assert (answer.status, answer.incomplete_details.reason) == ("incomplete", why)
    assert (events[-1].type, events[-1].response.incomplete_details.reason) == ("response.incomplete", why)


def test_a_rule_sees_items_as_messages():
    seen = []
    mock = MockGPT([Rule(when=seen.append, generator="x")], fallback="y")
    items = [
        {"role": "user", "content": [{"type": "input_text", "text": "Hi"}]},
        {"type": "reasoning", "id": "r1", "summary": []},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Well."}]},
        CALL,
        {**CALL, "call_id": "c2"},
        RESULT,
        {**RESULT, "call_id": "c2", "output": [{"type": "input_text", "text": "6"}]},
    ]
    tools = [{"type": "function", "name": "add", "description": "Sum", "parameters": {}}, {"type": "web_search"}]
    assert post(mock, RESPONSES, asked(input=items, instructions="Be kind.", tools=tools)).status_code == 200

    (request,) = seen
    assert [message.role for message in request.messages] == ["system", "user", "assistant", "tool", "tool"]
    assert [call.id for call in request.messages[2].tool_calls] == ["c1", "c2"]
    assert (request.messages[2].content, request.results) == ("Well.", ["5", "6"])
    assert request.tools == [{"name": "add", "description": "Sum", "parameters": {}}]


def test_what_an_answer_gave_can_be_sent_back():
    mock = answering(WISH, "Done.")
    with openai_of(mock) as client:
        first = client.responses.create(model="gpt-x", input="Hi")
        results = [
            {"type": "function_call_output", "call_id": item.call_id, "output": "5"}
            for item in first.output
            if item.type == "function_call"
        ]
        history = [{"role": "user", "content": "Hi"}, *first.output, *results]
        assert client.responses.create(model="gpt-x", input=history).output_text == "Done."


@pytest.mark.parametrize(
    ("change", "message", "param"),
    [
        ({"input": [RESULT]}, "No tool call found for function call output with call_id c1.", "input"),
        ({"input": [CALL]}, "No tool output found for function call c1.", "input"),
        ({"input": None}, "Missing required parameter: 'input'.", "input"),
        ({"input": 5}, "Invalid type for 'input': expected a string, but got an integer instead.", "input"),
        ({"model": None}, "Missing required parameter: 'model'.", "model"),
        ({"previous_response_id": "resp_1"}, "Previous response with id 'resp_1' not found.", "previous_response_id"),
        (
            {"input": [{"role": "robot", "content": "x"}]},
            "Invalid value: 'robot'. Supported values are: 'assistant', 'system', 'developer', and 'user'.",
            "input[0].role",
        ),
    ],
)
def test_a_request_that_makes_no_sense_is_refused_and_uses_up_nothing(change, message, param):
    mock = answering("x")
    status, error = told(post(mock, RESPONSES, asked(**change)))
    assert (status, error["message"], error["param"]) == (400, message, param)
    assert mock.counts["total"] == 0

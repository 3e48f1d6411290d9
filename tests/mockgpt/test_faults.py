import itertools
import json

import openai
import pytest
from wired import (
    CHAT,
    CLAUDE,
    HI,
    MESSAGES,
    RESPONSES,
    Waiter,
    answering,
    asked_by,
    chat,
    claude,
    data_of,
    openai_of,
    post,
    told,
)

from minagent_lab.errors import MalformedResponseError, NetworkError, ProviderError, ServerError
from minagent_lab.mockgpt import responses
from minagent_lab.mockgpt.faults import FAULTS, read_faults

TEXT = "服务在线。U+2028: \u2028!"
WISHES = [("add", {"a": 2, "b": 3}), ("now", {}), ("add", {"a": 1, "b": 1})]
KINDS = [(kind, stream) for kind, stream in itertools.product(("openai", "anthropic"), (False, True))]


def calls_of(response):
    return [(call.name, call.arguments) for call in response.message.tool_calls]


def events_of(written):
    return data_of(post(answering(written), CHAT, chat(stream=True)))


def entries_of(written):
    """Return the pieces of calls in a stream, chunk by chunk."""
    deltas = [chunk["choices"][0]["delta"] for chunk in events_of(written) if chunk["choices"]]
    return [delta["tool_calls"] for delta in deltas if "tool_calls" in delta]


# ---- the switchboard


@pytest.mark.parametrize("name", FAULTS)
def test_each_fault_says_what_it_does_and_refuses_what_is_none_of_its_kinds(name):
    assert FAULTS[name].what
    for wrong in ("x", -1, 0.5 if name != "delay_ms" else float("nan"), [], {}):
        with pytest.raises(ValueError, match=f"{name} is .*; it is "):
            responses.text("x", **{name: wrong})


@pytest.mark.parametrize("name", FAULTS)
def test_each_kind_of_each_fault_can_be_switched_on_and_off(name):
    values = FAULTS[name].values
    for value in values if isinstance(values, tuple) else [True] if values == "True" else [1]:
        assert responses.text("x", **{name: value}).faults == {name: value}
        assert responses.text("x", faults={name: value}).faults == {name: value}
    assert responses.text("x", **{name: None}).faults == responses.text("x", **{name: False}).faults == {}


def test_an_unknown_fault_is_refused_and_the_known_ones_are_told():
    with pytest.raises(TypeError, match="there is no fault 'cut'; there are delay_ms, cut_after"):
        responses.text("x", faults={"cut": 1})
    with pytest.raises(TypeError, match="there is no option 'cut'"):
        responses.text("x", cut=1)
    with pytest.raises(TypeError, match="faults is 5; write a dict"):
        responses.text("x", faults=5)


def test_an_error_has_only_the_faults_that_make_sense_for_it():
    assert responses.error(500, delay_ms=5, cut_after=1, malformed=1).faults == {
        "delay_ms": 5,
        "cut_after": 1,
        "malformed": 1,
    }
    with pytest.raises(TypeError, match="an error has no fault 'no_done'"):
        responses.error(500, no_done=True)


def test_a_fault_that_is_off_is_left_out():
    assert read_faults({"no_done": False, "cut_after": 0}) == {"cut_after": 0}


@pytest.mark.parametrize("name", sorted(FAULTS.keys() - {"delay_ms"}))
def test_at_the_other_doors_an_answer_has_no_fault(name):
    values = FAULTS[name].values
    fault = {name: values[0] if isinstance(values, tuple) else True if values == "True" else 1}
    assert answering(responses.text("x", **fault)).generate("Hi") == "x"


# ---- what an adapter has to bear


@pytest.mark.parametrize(
    "fault",
    [
        *({"keep_alive": kind} for kind in FAULTS["keep_alive"].values),
        *({"lines": kind} for kind in FAULTS["lines"].values),
        *({"empty_choices": kind} for kind in FAULTS["empty_choices"].values),
        *({"odd_content": kind} for kind in FAULTS["odd_content"].values),
        {"no_done": True},
    ],
    ids=repr,
)
@pytest.mark.parametrize("wire_chunk_size", [None, 1, 7])
def test_an_answer_with_this_fault_is_read_all_the_same(fault, wire_chunk_size):
    for written in (
        responses.text(TEXT, wire_chunk_size=wire_chunk_size, **fault),
        responses.tool_calls(*WISHES, wire_chunk_size=wire_chunk_size, **fault),
    ):
        for kind, stream in KINDS:
            if kind == "anthropic" and stream and "no_done" in fault:
                continue  # there the last word tells that the answer is whole
            got = asked_by(kind, answering(written), stream=stream)
            assert (got.message.content or calls_of(got)) in (TEXT, WISHES), (kind, stream)


@pytest.mark.parametrize("style", FAULTS["delta_style"].values)
@pytest.mark.parametrize("chunk_size", [1, 3, 100])
def test_pieces_of_calls_are_put_together_in_every_style_that_is_clear(style, chunk_size):
    wishes = WISHES[:1] if style in ("index_once", "split_name") else WISHES
    written = responses.tool_calls(*wishes, delta_style=style, chunk_size=chunk_size)
    assert calls_of(asked_by("openai", answering(written), stream=True)) == wishes


def test_each_style_is_what_its_name_says():
    def indices(style, **more):
        written = responses.tool_calls(("add", {"a": 1}), ("now", {}), delta_style=style, chunk_size=100, **more)
        return [[entry.get("index") for entry in entries] for entries in entries_of(written)]

    assert indices(None) == [[0], [0], [1], [1]]
    assert indices("no_index") == [[None]] * 4
    assert indices("one_based") == [[1], [1], [2], [2]]
    assert indices("index_once") == [[0], [None], [1], [None]]
    assert indices("two_entries") == [[0, 0], [1, 1]]
    assert indices("interleaved") == [[0], [1], [0], [1]]

    repeated = entries_of(responses.tool_calls(("add", {"a": 1}), delta_style="repeated_id", chunk_size=3))
    assert len(repeated) > 2
    assert len({entry["id"] for entries in repeated for entry in entries}) == 1
    nulls = entries_of(responses.tool_calls(("add", {"a": 1}), delta_style="null_arguments", chunk_size=3))
    assert sum(entry["function"].get("arguments", "") is None for entries in nulls for entry in entries) == 4
    names = entries_of(responses.tool_calls(("weather", {}), delta_style="split_name"))
    assert [entry["function"].get("name") for entries in names for entry in entries] == ["wea", "ther", None]


@pytest.mark.parametrize("kind_of_blank", FAULTS["blank_arguments"].values)
def test_blank_arguments_are_none_at_all(kind_of_blank):
    for kind, stream in KINDS:
        written = responses.tool_calls(("now", {"a": 1}), blank_arguments=kind_of_blank)
        assert calls_of(asked_by(kind, answering(written), stream=stream)) == [("now", {})], (kind, stream)


def test_calls_without_ids_get_some_from_our_adapters():
    for kind, stream in KINDS:
        got = asked_by(kind, answering(responses.tool_calls(*WISHES, no_ids=True)), stream=stream)
        assert calls_of(got) == WISHES
        assert [call.id for call in got.message.tool_calls] == ["call_1_1", "call_1_2", "call_1_3"]


def test_calls_with_one_id_are_malformed():
    for kind, stream in KINDS:
        with pytest.raises(MalformedResponseError, match="two calls of one message have the id"):
            asked_by(kind, answering(responses.tool_calls(*WISHES, same_ids=True)), stream=stream)


@pytest.mark.parametrize(
    ("odd", "read"),
    [("null", {}), ("absent", {}), ("half", {}), ("details", {"input_tokens": 5, "output_tokens": 2})],
)
def test_odd_usage_leaves_the_answer_and_is_unknown(odd, read):
    written = responses.text("x", usage={"input_tokens": 5, "output_tokens": 2}, odd_usage=odd)
    for kind, stream in KINDS:
        got = asked_by(kind, answering(written), stream=stream)
        assert (got.message.content, got.usage) == ("x", read), (kind, stream)


@pytest.mark.parametrize("odd", ["text", "negative"])
def test_absurd_usage_is_malformed(odd):
    for kind, stream in KINDS:
        with pytest.raises(MalformedResponseError, match="it counts tokens"):
            asked_by(kind, answering(responses.text("x", odd_usage=odd)), stream=stream)


def test_a_key_that_stands_twice_in_arguments_is_malformed():
    for kind, stream in KINDS:
        with pytest.raises(MalformedResponseError, match="stands twice"):
            asked_by(kind, answering(responses.tool_calls(("add", '{"a": 1, "\\u0061": 2}'))), stream=stream)


@pytest.mark.parametrize("place", [1, 2, 4])
def test_an_event_that_is_half_a_json_text_is_malformed(place):
    for kind in ("openai", "anthropic"):
        with pytest.raises(MalformedResponseError, match="not JSON"):
            asked_by(kind, answering(responses.text(TEXT, malformed=place, chunk_size=2)), stream=True)


def test_a_body_that_is_half_a_json_text_is_malformed():
    for kind in ("openai", "anthropic"):
        with pytest.raises(MalformedResponseError, match="not JSON"):
            asked_by(kind, answering(responses.text(TEXT, malformed=1)))


@pytest.mark.parametrize("path", [CHAT, RESPONSES, MESSAGES])
@pytest.mark.parametrize("stream", [False, True])
def test_a_connection_breaks_after_exactly_so_many_bytes(path, stream):
    import httpx2

    body = {**(claude() if path == MESSAGES else chat()), "input": "Hi", "stream": stream}
    whole = post(answering(TEXT), path, body, CLAUDE).content
    for cut in (0, 1, 50, len(whole) - 1, len(whole), len(whole) + 1):
        mock, got = answering(responses.text(TEXT, cut_after=cut)), b""
        broken = pytest.raises(httpx2.RemoteProtocolError, match="peer closed connection")
        with httpx2.Client(transport=mock.transport) as client:
            asked = client.build_request("POST", f"https://mock.test{path}", json=body, headers=CLAUDE)
            response = client.send(asked, stream=True)
            with broken:
                for piece in response.iter_raw():
                    got += piece
            response.close()
        assert got == whole[:cut]


def test_a_broken_connection_is_a_network_error_for_our_adapters_and_the_sdk():
    for kind, stream in KINDS:
        with pytest.raises(NetworkError):
            asked_by(kind, answering(responses.text(TEXT, cut_after=60)), stream=stream)
    broken = pytest.raises(openai.APIConnectionError)
    with openai_of(answering(responses.text(TEXT, cut_after=60))) as client, broken:
        client.chat.completions.create(model="gpt-x", messages=HI)


@pytest.mark.parametrize("after", [0, 1, 3])
def test_a_service_that_fails_in_the_middle_of_a_stream_says_so(after):
    for kind in ("openai", "anthropic"):
        with pytest.raises(ServerError, match="the service failed while it answered"):
            asked_by(kind, answering(responses.text(TEXT, fail_after=after, chunk_size=2)), stream=True)
    with openai_of(answering(responses.text(TEXT, fail_after=after, chunk_size=2))) as client:
        with pytest.raises(openai.APIError, match="The server had an error"):
            list(client.chat.completions.create(model="gpt-x", messages=HI, stream=True))
        assert list(client.responses.create(model="gpt-x", input="Hi", stream=True))[-1].type == "error"


def test_an_answer_of_which_nobody_says_why_it_ended_is_none():
    for kind, stream in KINDS:
        with pytest.raises(ProviderError):
            asked_by(kind, answering(responses.text(TEXT, no_finish=True)), stream=stream)


def test_without_its_last_word_a_stream_of_anthropic_is_not_whole():
    with pytest.raises(NetworkError, match="message_stop"):
        asked_by("anthropic", answering(responses.text(TEXT, no_done=True)), stream=True)


@pytest.mark.parametrize("kind", ["id", "retry", "empty"])
def test_what_breaks_the_official_client_can_be_shown(kind):
    with openai_of(answering(responses.text(TEXT, keep_alive=kind))) as client, pytest.raises(json.JSONDecodeError):
        list(client.chat.completions.create(model="gpt-x", messages=HI, stream=True))


def test_errors_can_be_cut_and_malformed_too():
    half = post(answering(responses.error(500, malformed=1)), CHAT, chat())
    assert half.status_code == 500
    assert not half.text.endswith("}")
    with pytest.raises(ServerError):
        asked_by("openai", answering(responses.error(500, malformed=1)))


def test_a_delay_is_waited_for_before_the_head_and_waits_between_events():
    sleep = Waiter()
    mock = answering(responses.text("abcd", delay_ms=1500, interval_ms=250, chunk_size=2), sleep=sleep)
    events = data_of(post(mock, CHAT, chat(stream=True)))

    assert len(events) == 4
    assert sleep.slept == [1.5, 0.25, 0.25, 0.25, 0.25]


def test_an_error_can_be_slow():
    sleep = Waiter()
    assert told(post(answering(responses.error(503, delay_ms=100), sleep=sleep), CHAT, chat()))[0] == 503
    assert sleep.slept == [0.1]

import asyncio

import pytest

from minagent_lab import Expect, Message, MockError, MockGPT, ModelResponse, ToolCall, UnexpectedRequest
from minagent_lab.errors import AbortError, InvalidRequestError, MalformedResponseError, RateLimitError, ServerError
from minagent_lab.mockgpt import generators, responses
from minagent_lab.mockgpt.outputs import Options

HI = [Message("user", "Hi")]


def mock_of(answer, **options):
    return MockGPT([], fallback=answer, **options)


def completed(answer):
    return mock_of(answer).complete(HI, [])


def test_text_and_json_are_what_they_say():
    assert mock_of(responses.text("Hi")).generate("x") == "Hi"
    assert mock_of(responses.json({"a": [1]})).generate("x") == {"a": [1]}
    assert completed(responses.json({"城市": 1})).message.content == '{"城市": 1}'
    assert mock_of(responses.text(generators.text(3))).generate("x").count(" ") == 2
    assert mock_of(responses.json("Hi")).complete(HI, []).message.content == '"Hi"'


def test_stop_reason_usage_and_model_are_what_the_author_says():
    answer = completed(responses.text("x", stop_reason="max_tokens", usage={"input_tokens": 5}, model="m-1"))
    assert (answer.stop_reason, answer.usage, answer.model) == ("max_tokens", {"input_tokens": 5}, "m-1")
    assert completed(responses.text("x", usage={})).usage == {}


def test_usage_is_counted_where_nobody_says_it():
    assert completed("x" * 9).usage == {"input_tokens": 1, "output_tokens": 3}


def test_calls_may_be_pairs_or_whole_ones():
    answer = completed(
        responses.tool_calls(("add", {"a": generators.integer(4, 4)}), ToolCall("c1", "now", {}), content="Hm")
    )
    first, second = answer.message.tool_calls
    assert (first.name, first.arguments, second) == ("add", {"a": 4}, ToolCall("c1", "now", {}))
    assert first.id.startswith("call_")
    assert (answer.message.content, answer.stop_reason) == ("Hm", "tool_use")
    assert mock_of(responses.tool_calls([ToolCall("c1", "now", {})])).generate("x") == [ToolCall("c1", "now", {})]


def test_arguments_may_be_what_a_model_writes_that_is_no_object():
    assert completed(responses.tool_calls(("now", ""))).message.tool_calls[0].arguments == {}
    with pytest.raises(MalformedResponseError, match="'add' with arguments that cannot be used"):
        completed(responses.tool_calls(("add", '{"a":')))
    cut = completed(responses.tool_calls(("add", '{"a":'), stop_reason="max_tokens"))
    assert cut.message.tool_calls[0].arguments == {}


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: responses.text("x", size=1), TypeError, "there is no option 'size'"),
        (lambda: responses.text("half \ud83d"), ValueError, "half of a character"),
        (lambda: responses.text("x", usage={"input_tokens": -1}), ValueError, "counts tokens"),
        (lambda: responses.text("x", usage=5), TypeError, "usage is 5"),
        (lambda: responses.text("x", stop_reason=5), TypeError, "stop_reason is 5"),
        (responses.tool_calls, TypeError, "needs a call"),
        (lambda: responses.tool_calls("add"), TypeError, "'add' is no call"),
        (lambda: responses.tool_calls(("", {})), ValueError, "name is empty"),
        (lambda: responses.tool_calls((5, {})), TypeError, "name is 5"),
        (lambda: responses.tool_calls(("add", '{"a": "\ud83d"}')), ValueError, "half of a character"),
        (lambda: responses.tool_calls(("add", {}), content=None), TypeError, "content is None"),
        (lambda: responses.error(200), ValueError, "status is 200; it is a whole number from 400 to 599"),
        (lambda: responses.error(600), ValueError, "status is 600"),
        (lambda: responses.error("500"), ValueError, "status is '500'"),
        (lambda: responses.error(429, retry_after=-1), ValueError, "retry_after is -1"),
        (lambda: responses.error(429, retry_after=float("nan")), ValueError, "retry_after is nan"),
        (lambda: responses.error(429, retry_after="2\r\nX: y"), ValueError, "printable ASCII"),
        (lambda: responses.error(429, headers={"x-a": "é"}), ValueError, "printable ASCII"),
        (lambda: responses.error(429, headers={"x-a": 5}), ValueError, "printable ASCII"),
        (lambda: responses.error(500, message=5), TypeError, "message is 5"),
        (lambda: responses.sequence("a", key="model"), TypeError, "key is 'model'; write a function"),
        (lambda: responses.script(["a", None]), TypeError, "不认识的脚本项"),
        (lambda: responses.script([AbortError("x")]), TypeError, "AbortError is no answer"),
    ],
)
def test_what_makes_no_sense_is_refused_where_it_is_written(make, error, message):
    with pytest.raises(error, match=message):
        make()


@pytest.mark.parametrize(
    ("name", "wrong", "right"),
    [
        ("chunk_size", [0, -1, 1.5, True, "2"], [1, 10**6]),
        ("wire_chunk_size", [0, -1, 1.5, True, "2"], [1, 10**6]),
        ("interval_ms", [-1, float("nan"), float("inf"), True, "2"], [0, 0.5, 1000]),
    ],
)
def test_options_of_the_way_have_ranges(name, wrong, right):
    for value in wrong:
        with pytest.raises(ValueError, match=name):
            responses.text("x", **{name: value})
        with pytest.raises(ValueError, match=name):
            MockGPT([], stream={name: value})
    for value in right:
        assert getattr(responses.text("x", **{name: value}).options, name) == value


def test_own_options_count_more_than_defaults():
    assert Options(chunk_size=1).over(Options(chunk_size=2, interval_ms=3)) == Options(chunk_size=1, interval_ms=3)
    assert Options(interval_ms=0).over(Options(interval_ms=3)) == Options(interval_ms=0)


# ---- errors


def test_an_error_is_raised_as_the_adapters_raise_it():
    with pytest.raises(RateLimitError) as failed:
        mock_of(responses.error(429, retry_after=2)).generate("x")
    assert (failed.value.status_code, failed.value.code, failed.value.retry_after) == (429, "rate_limit_exceeded", 2.0)
    with pytest.raises(RateLimitError) as failed:
        mock_of(responses.error(429, retry_after="Thu, 01 Jan 1970 00:01:00 GMT"), clock=lambda: 57_000).generate("x")
    assert failed.value.retry_after == 3.0
    with pytest.raises(InvalidRequestError, match="no such thing"):
        mock_of(responses.error(404, "no such thing")).generate("x")


def test_an_error_is_an_answer_that_counts():
    mock = mock_of(responses.error(500))
    with pytest.raises(ServerError):
        mock.generate("x")
    assert mock.counts == {"total": 1, "rules": [], "fallback": 1, "unmatched": 0}
    assert isinstance(mock.records[0].outcome, ServerError)


def test_a_function_may_raise_the_error_that_it_would_like_to_be_answered():
    def generator(_):
        raise ServerError("down")

    mock = mock_of(generator)
    with pytest.raises(ServerError, match="down"):
        mock.generate("x")
    assert mock.counts["fallback"] == 1


# ---- sequences and scripts


def test_a_sequence_fails_twice_and_then_answers():
    mock = mock_of(responses.sequence(responses.error(500), ServerError("down"), "Hello."))
    for _ in range(2):
        with pytest.raises(ServerError):
            mock.generate("Hi")
    assert mock.generate("Hi") == "Hello."


def test_a_sequence_that_is_over_is_an_error_unless_somebody_says_what_then():
    mock = mock_of(responses.sequence("a"))
    mock.generate("Hi")
    with pytest.raises(MockError, match="asked once more than it has items") as failed:
        mock.generate("Hi")
    assert failed.value.code == "MOCK_SEQUENCE_EXHAUSTED"
    assert [mock_of(responses.sequence(then="z")).generate("x") for _ in range(2)] == ["z", "z"]
    assert mock_of(responses.sequence("a", then=None)).generate("x") == "a"


def test_each_conversation_is_at_a_place_of_its_own():
    mock = mock_of(responses.sequence("first", "second"))

    def say(user, model="m"):
        return mock.generate({"model": model, "messages": [{"role": "user", "content": user}]})

    assert [say("A"), say("B"), say("A"), say("B"), say("A", "other")] == [
        "first",
        "first",
        "second",
        "second",
        "first",
    ]


def test_a_conversation_stays_the_same_while_it_grows():
    mock = mock_of(responses.sequence("first", "second"))
    history = [Message("system", "s"), Message("user", "A")]
    first = mock.complete(history, [])
    second = mock.complete([*history, first.message, Message("user", "and now?")], [])
    assert [first.message.content, second.message.content] == ["first", "second"]


def test_a_key_tells_whose_turn_it_is():
    mock = mock_of(responses.sequence("first", "second", key=lambda request: request.prompt[0]))
    assert [mock.generate(text) for text in ("a1", "b1", "a2", "b2")] == ["first", "first", "second", "second"]


@pytest.mark.parametrize("key", [lambda request: request.nothing, lambda request: []])
def test_a_key_that_fails_is_an_error_that_says_so(key):
    with pytest.raises(MockError, match=r"MOCK_FILTER_FAILED: key of responses\.sequence of 1"):
        mock_of(responses.sequence("a", key=key)).generate("Hi")


def test_sequences_may_hold_sequences_and_functions():
    inner = responses.sequence("a", "b")
    mock = mock_of(responses.sequence(inner, lambda request: inner, lambda request: lambda again: again.prompt.upper()))
    assert [mock.generate("Hi") for _ in range(3)] == ["a", "b", "HI"]


def test_functions_of_functions_without_end_are_an_error():
    def again(_):
        return again

    with pytest.raises(MockError, match="without end"):
        mock_of(again).generate("Hi")


def test_a_script_is_played_as_a_fake_model_plays_it():
    whole = ModelResponse(Message("assistant", "half"), "max_tokens", {"input_tokens": 1, "output_tokens": 2}, "m-1")
    mock = mock_of(responses.script(["Hi", [ToolCall("c1", "add", {"a": 1})], whole]))
    played = [mock.complete(HI, []) for _ in range(3)]
    assert played[0].message.content == "Hi"
    assert played[1].message.tool_calls == (ToolCall("c1", "add", {"a": 1}),)
    assert played[2] == whole


def test_a_check_that_fails_uses_up_nothing_and_names_what_it_saw():
    mock = mock_of(
        responses.script([Expect("Hello.", request=lambda request: request.messages[-1].content == "Hi"), "B"])
    )
    with pytest.raises(UnexpectedRequest, match="nothing was consumed"):
        mock.complete([Message("user", "Bye")], [])
    assert mock.counts == {"total": 1, "rules": [], "fallback": 0, "unmatched": 1}
    assert mock.complete(HI, []).message.content == "Hello."


# ---- functions


@pytest.mark.parametrize("odd", [{1, 2}, object(), float("nan"), {1: "a"}, b"x"])
def test_what_is_no_json_is_no_answer(odd):
    with pytest.raises(MockError) as failed:
        mock_of(lambda _: odd).generate("x")
    assert failed.value.code == "MOCK_GENERATOR_FAILED"
    assert "0x" not in str(failed.value)


def test_a_function_that_raises_is_an_error_that_says_so_and_uses_up_nothing():
    mock = mock_of(responses.sequence(lambda _: 1 / 0, "b"))
    for _ in range(2):
        with pytest.raises(MockError, match="the generator raised ZeroDivisionError"):
            mock.generate("Hi")


def test_functions_may_be_async_where_somebody_waits():
    async def generator(request):
        await asyncio.sleep(0)
        return {"said": request.prompt}

    mock = mock_of(generator)
    assert asyncio.run(mock.agenerate("Hi")) == {"said": "Hi"}
    assert asyncio.run(mock.acomplete(_request("Hi"))).message.content == '{"said": "Hi"}'
    with pytest.raises(MockError, match=r"async.*agenerate"):
        mock.generate("Hi")


def _request(text):
    from minagent_lab import ModelRequest

    return ModelRequest([Message("user", text)])


def test_what_an_author_or_a_reader_changes_later_is_no_part_of_an_answer():
    value = {"a": [1]}
    mocks = [
        mock_of(value),
        mock_of(responses.json(value)),
        mock_of(responses.sequence(then=value)),
        mock_of(responses.tool_calls(("add", value))),
        MockGPT([{"generator": value}]),
    ]
    value["a"].append("changed")
    for mock in mocks:
        for _ in range(2):
            answer = mock.generate("Hi")
            held = answer[0].arguments if isinstance(answer, list) else answer
            assert held == {"a": [1]}
            held["a"].append("changed")


def test_a_value_that_contains_itself_is_no_answer():
    value = []
    value.append(value)
    with pytest.raises(MockError, match="contains itself"):
        mock_of(value).generate("Hi")

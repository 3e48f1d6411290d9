import asyncio
import math
from contextlib import suppress

import pytest

from minagent_lab import (
    AbortController,
    AbortError,
    FakeModel,
    Message,
    MockError,
    MockGPT,
    ModelRequest,
    Rule,
    Stepper,
    Tool,
    ToolRegistry,
    run,
)
from minagent_lab.mockgpt import generators, responses
from minagent_lab.mockgpt.given import MockRecord

HI = [Message("user", "Hi")]


# ---- what it is made with


@pytest.mark.parametrize(
    ("name", "default", "right", "wrong"),
    [
        ("seed", 1, [0, 0xFFFFFFFF], [-1, 0x1_0000_0000, 1.0, True, None, "1"]),
        ("record_limit", 100, [0, 10_000], [-1, 10_001, 1.0, True, None]),
        ("max_body_bytes", 1_048_576, [1, 10**9], [0, -1, 1.5, True, None]),
        ("max_output_chars", 1_000_000, [1, 10**9], [0, -1, 1.5, True, None]),
    ],
)
def test_numbers_have_ranges_and_defaults(name, default, right, wrong):
    held = (lambda mock: mock._ledger.record_limit) if name == "record_limit" else (lambda mock: getattr(mock, name))
    assert held(MockGPT([])) == default
    for value in right:
        assert held(MockGPT([], **{name: value})) == value
    for value in wrong:
        with pytest.raises(ValueError, match=f"{name} is .*; it is a whole number from"):
            MockGPT([], **{name: value})


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"rules": "x"}, "rules is 'x'; write a list of rules"),
        ({"rules": Rule(generator=1)}, "rules is"),
        ({"rules": None}, "rules is None"),
        ({"rules": [], "clock": 5}, "clock is 5; write a function"),
        ({"rules": [], "select_prompt": "x"}, "select_prompt is 'x'; write a function"),
        ({"rules": [], "sleep": 5}, "sleep is 5; write a function"),
        ({"rules": [], "stream": 5}, "stream is 5; write a dict"),
        (
            {"rules": [], "stream": {"chunkSize": 5}},
            "stream has no option 'chunkSize'; there are chunk_size, interval_ms",
        ),
    ],
)
def test_what_makes_no_sense_is_refused_at_once(options, message):
    with pytest.raises(TypeError, match=message):
        MockGPT(**options)


def test_options_are_given_by_name():
    with pytest.raises(TypeError):
        MockGPT([], "fallback")


# ---- no rule fits


def test_a_request_that_no_rule_fits_is_an_error_with_its_code_and_the_reasons():
    mock = MockGPT([Rule(prompt="status", generator=1), Rule(model="gpt", generator=2)])
    with pytest.raises(MockError) as failed:
        mock.generate("Hi")
    assert failed.value.code == "MOCK_RULE_NOT_FOUND"
    assert str(failed.value).startswith("MOCK_RULE_NOT_FOUND: no rule fits <MockRequest 'Hi': 1 messages, 0 tools>")
    assert "rule 1, prompt: 'Hi' does not contain 'status'; rule 2, model: '' does not contain 'gpt'" in str(
        failed.value
    )
    assert mock.counts == {"total": 1, "rules": [0, 0], "fallback": 0, "unmatched": 1}
    assert mock.records[0].rule is None


def test_many_rules_are_not_all_told():
    mock = MockGPT([Rule(prompt="x", generator=1)] * 8)
    with pytest.raises(MockError, match="and 3 more"):
        mock.generate("Hi")


def test_none_is_a_fallback_like_any_other():
    assert MockGPT([], fallback=None).generate("Hi") is None


# ---- what is asked


@pytest.mark.parametrize(
    "asked",
    [
        "Hi",
        {"messages": [{"role": "user", "content": "Hi"}]},
        {"model": "m", "messages": [Message("user", "Hi")], "tools": [], "stream": True},
        ModelRequest(HI),
    ],
)
def test_a_request_may_be_written_in_several_ways(asked):
    assert MockGPT([Rule(prompt="Hi", generator="x")]).generate(asked) == "x"


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (5, "request is 5"),
        ({"messages": "Hi"}, r"request\['messages'\] is 'Hi'"),
        ({"messages": [5]}, r"messages\[0\] is 5"),
        ({"message": []}, "request has no field 'message'"),
        ({"messages": [{"role": "user", "text": "Hi"}]}, r"messages\[0\]: "),
    ],
)
def test_what_is_no_request_is_refused_and_counts_for_nothing(asked, message):
    mock = MockGPT([], fallback="x")
    with pytest.raises(TypeError, match=message):
        mock.generate(asked)
    assert mock.counts["total"] == 0


def test_the_prompt_is_the_last_message_of_the_user_or_what_was_selected():
    history = [Message("user", "first"), Message("assistant", "x"), Message("user", "last"), Message("assistant", "y")]
    assert MockGPT([], fallback=lambda request: request.prompt).generate(ModelRequest(history)) == "last"
    selecting = MockGPT([], fallback=lambda request: request.prompt, select_prompt=lambda r: r.messages[0].content)
    assert selecting.generate(ModelRequest(history)) == "first"
    assert MockGPT([], fallback=lambda request: request.prompt).generate(ModelRequest([])) == ""


@pytest.mark.parametrize("select", [lambda _: None, lambda _: 1 / 0])
def test_a_selection_that_is_no_text_is_an_error(select):
    with pytest.raises(MockError) as failed:
        MockGPT([], fallback="x", select_prompt=select).generate("Hi")
    assert failed.value.code == "MOCK_FILTER_FAILED"


def test_a_selection_that_would_have_to_be_awaited_is_an_error():
    async def select(_):
        return "x"

    with pytest.raises(MockError, match="it returns text, at once"):
        MockGPT([], fallback="x", select_prompt=select).generate("Hi")


def test_a_rule_sees_where_a_conversation_stands():
    seen = []
    mock = MockGPT([Rule(when=seen.append, generator="x")], fallback="y")
    history = [Message("system", "s"), Message("user", "u"), *FakeModel(["a"]).script]
    history[2:] = [
        Message("assistant", "a"),
        Message("tool", "5", tool_call_id="c1"),
        Message("tool", "6", tool_call_id="c2"),
    ]
    mock.complete(history, [{"name": "add"}])

    (request,) = seen
    assert (request.turn, request.results, request.system, request.tool_names) == (1, ["5", "6"], "s", ["add"])


def test_what_a_rule_does_to_a_request_changes_nothing():
    def spoil(request):
        request.messages.append(Message("user", "changed"))
        request.tools.append({})
        return True

    history, tools = list(HI), [{"name": "add"}]
    mock = MockGPT([Rule(when=spoil, generator=lambda request: [len(request.messages), len(request.tools)])])
    assert mock.complete(history, tools).message.content == "[1, 1]"
    assert (history, tools) == (HI, [{"name": "add"}])


# ---- limits, chance, time


def test_an_answer_that_is_too_long_is_an_error_and_uses_up_nothing():
    mock = MockGPT([], fallback=responses.sequence("x" * 11, "y"), max_output_chars=10)
    for _ in range(2):
        with pytest.raises(MockError, match="the answer has 11 characters; max_output_chars is 10"):
            mock.generate("Hi")
    assert MockGPT([], fallback="🙂" * 10, max_output_chars=10).generate("Hi") == "🙂" * 10
    with pytest.raises(MockError, match="MOCK_OUTPUT_TOO_LARGE"):
        MockGPT([], fallback=responses.tool_calls(("add", {"a": "x" * 9})), max_output_chars=10).generate("Hi")


@pytest.mark.parametrize("now", [math.nan, math.inf, -math.inf, 1e15, -1e14, "5", None, True])
def test_a_clock_that_tells_no_time_is_refused(now):
    with pytest.raises(ValueError, match="clock returned"):
        MockGPT([], fallback="x", clock=lambda: now).generate("Hi")


def test_a_request_that_fails_does_not_disturb_the_luck_of_the_others():
    def values(*texts):
        mock = MockGPT([Rule(prompt="Hi", generator=generators.uuid())], seed=9)
        made = []
        for text in texts:
            with suppress(MockError):
                made.append(mock.generate(text))
        return made

    assert values("Hi", "Hi", "Hi") == values("Hi", "Bye", "Hi", "Bye", "Hi")


def test_the_process_wide_chance_is_left_alone():
    import random

    random.seed(1)
    state = random.getstate()
    MockGPT([], fallback=generators.text()).generate("Hi")
    assert random.getstate() == state


# ---- looking back


def test_records_are_the_last_ones_in_order():
    mock = MockGPT([Rule(prompt="a", generator="x")], fallback="y", record_limit=3)
    for text in "abcabc":
        mock.generate(text)

    assert [(record.request.prompt, record.rule) for record in mock.records] == [
        ("a", 1),
        ("b", "fallback"),
        ("c", "fallback"),
    ]
    assert [record.door for record in mock.records] == ["generate"] * 3
    assert mock.counts == {"total": 6, "rules": [2], "fallback": 4, "unmatched": 0}
    assert repr(mock.records[0]) == "<MockRecord 'a' → rule 1>"


def test_nothing_is_recorded_where_nobody_wants_it():
    mock = MockGPT([], fallback="x", record_limit=0)
    mock.generate("Hi")
    assert (mock.records, mock.counts["total"]) == ([], 1)


def test_what_a_reader_does_to_records_and_counts_changes_nothing():
    mock = MockGPT([Rule(generator={"a": 1})])
    mock.generate("Hi")
    mock.records.clear()
    mock.counts["rules"].clear()
    assert len(mock.records) == 1
    assert mock.counts["rules"] == [1]
    assert isinstance(mock.records[0], MockRecord)


def test_what_it_shows_of_itself_is_short():
    assert repr(MockGPT([Rule(generator=1)], fallback="x")) == "<MockGPT: 1 rule and a fallback, 0 requests>"
    assert repr(MockGPT([]).provider) == "<MockProvider of <MockGPT: 0 rules, 0 requests>>"


# ---- as a model and as a provider


def rules():
    call = responses.tool_calls(("add", {"a": 2, "b": 3}))
    return [
        Rule(when=lambda request: not request.results, generator=call),
        Rule(generator=lambda r: f"It is {r.results[0]}."),
    ]


def registry():
    made = ToolRegistry()
    made.add(Tool("add", "", {"type": "object"}, lambda a, b: a + b))
    return made


def test_run_and_the_stepper_can_ask_it():
    assert run(MockGPT(rules()), registry(), "2 + 3?").final == "It is 5."
    walk = Stepper(MockGPT(rules()), registry(), "2 + 3?")
    walk.run_to_end()
    assert walk.result.final == "It is 5."


def test_a_signal_that_was_given_uses_up_nothing():
    control = AbortController()
    control.abort("stop")
    mock = MockGPT([], fallback=responses.sequence("a"))
    with pytest.raises(AbortError):
        asyncio.run(mock.provider.complete(ModelRequest(HI), control.signal))
    assert mock.counts["total"] == 0
    assert mock.generate("Hi") == "a"


def test_one_who_is_cancelled_while_a_function_works_has_used_up_nothing():
    async def main():
        begun = asyncio.Event()

        async def slow(_):
            begun.set()
            await asyncio.Event().wait()

        mock = MockGPT([], fallback=responses.sequence(slow, "b"))
        asking = asyncio.create_task(mock.agenerate("Hi"))
        await begun.wait()
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        return mock.counts["total"], mock._ledger.places

    assert asyncio.run(main()) == (0, {})


def test_a_signal_that_is_given_while_a_function_works_stops_it():
    async def main():
        control, begun = AbortController(), asyncio.Event()

        async def slow(_):
            begun.set()
            await asyncio.Event().wait()

        mock = MockGPT([], fallback=slow)
        asking = asyncio.create_task(mock.provider.complete(ModelRequest(HI), control.signal))
        await begun.wait()
        control.abort("stop")
        with pytest.raises(AbortError):
            await asking
        return mock.counts["total"]

    assert asyncio.run(main()) == 0


def test_many_who_ask_at_once_take_each_item_once():
    async def late(_):
        await asyncio.sleep(0)
        return "late"

    async def main():
        mock = MockGPT([], fallback=responses.sequence(late, "b", late, "d", then="z"))
        return sorted(await asyncio.gather(*(mock.agenerate("Hi") for _ in range(6))))

    assert asyncio.run(main()) == ["b", "d", "late", "late", "z", "z"]

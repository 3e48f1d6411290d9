import pytest
from hypothesis import given
from hypothesis import strategies as st
from lab import adder, call

from minagent_lab import FakeModel, Growth, Message, ModelRequest, history_growth, run
from minagent_lab.growth import GrowthMeter
from minagent_lab.values import dump_json

pool = [
    Message("user", "Hi"),
    Message("user", "你好 ✅"),
    Message("assistant", tool_calls=[call()]),
    Message("tool", '"5"\n', tool_call_id="c1"),
]
requests = st.builds(
    ModelRequest,
    st.lists(st.sampled_from(pool), max_size=6),
    st.sampled_from([[], adder().schemas(), [{"name": "天气", "description": "", "parameters": {}}]]),
)


def size(request):
    return len(dump_json(request.as_json(), compact=True))


@given(st.lists(requests, max_size=6))
def test_sizes_are_those_of_the_compact_json_text(sent):
    assert [row.characters for row in history_growth(sent)] == [size(request) for request in sent]


@given(st.lists(requests, max_size=6))
def test_new_is_what_comes_after_the_longest_common_beginning(sent):
    before = []
    for row, request in zip(history_growth(sent), sent, strict=True):
        messages = list(request.messages)
        common = 0
        while common < min(len(messages), len(before)) and messages[common] == before[common]:
            common += 1
        assert (row.messages, row.new) == (len(messages), len(messages) - common)
        before = messages


def test_each_call_of_a_run_sends_everything_again_and_two_messages_more():
    model = FakeModel([[call("c1")], [call("c2")], "ok"])
    run(model, adder(), "x", system="Be brief.")
    rows = history_growth(model.calls)

    assert [(row.call, row.messages, row.new) for row in rows] == [(1, 2, 2), (2, 4, 2), (3, 6, 2)]
    assert [row.characters for row in rows] == [size(ModelRequest(*seen)) for seen in model.calls]


def test_what_is_new_is_what_the_call_is_larger_by():
    model = FakeModel([[call("c1")], [call("c2")], "ok"])
    run(model, adder(), "x")
    first, second, third = history_growth(model.calls)

    assert first.new_characters == first.characters
    assert second.new_characters == second.characters - first.characters
    assert third.new_characters == third.characters - second.characters


def test_other_tools_count_as_new():
    sent = [ModelRequest([pool[0]], adder().schemas()), ModelRequest([pool[0]], []), ModelRequest([pool[0]], [])]
    rows = history_growth(sent)

    assert rows[1].new_characters == len('{"messages":[],"tools":[]}')
    assert rows[2].new_characters == 0


def test_nothing_called_is_nothing_grown():
    assert history_growth([]) == []


def test_a_row_has_names():
    (row,) = history_growth([ModelRequest([pool[0]])])
    assert row == Growth(call=1, messages=1, new=1, characters=size(ModelRequest([pool[0]])), new_characters=row[4])


def test_measuring_call_after_call_looks_at_each_message_once(monkeypatch):
    from minagent_lab import growth

    measured = []
    message_json = growth.message_json
    monkeypatch.setattr(growth, "message_json", lambda message: measured.append(message) or message_json(message))
    model = FakeModel([*([call(f"c{number}")] for number in range(50)), "ok"])
    run(model, adder(), "x", max_steps=60)
    history_growth(model.calls)

    assert len(measured) == len(model.calls[-1].messages)


def test_the_meter_hands_out_the_row_that_it_adds():
    meter = GrowthMeter()
    assert meter.add(ModelRequest([pool[0]])) == meter.rows[0]


@pytest.mark.parametrize("wrong", [[1], ["x"]])
def test_what_has_no_messages_is_refused(wrong):
    with pytest.raises(AttributeError, match="messages"):
        history_growth(wrong)

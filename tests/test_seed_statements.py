"""Appendix B of the course's first document (FakeModel scripts and fixtures), statement by statement."""

import inspect
import json

import pytest

from minagent_lab import (
    FakeModel,
    Message,
    Model,
    ModelResponse,
    Tool,
    ToolCall,
    ToolRegistry,
    load_fixture,
    run,
)

NUMBER = {"type": "number"}
TWO_NUMBERS = {"type": "object", "properties": {"a": NUMBER, "b": NUMBER}}


def calculator(schema=TWO_NUMBERS):
    registry = ToolRegistry()
    registry.add(Tool("add", "两数相加", schema, lambda a, b: a + b))
    return registry


def add(id="c1", a=1, b=1):
    return ToolCall(id, "add", {"a": a, "b": b})


def ask(model, prompt="你好"):
    return model.complete([Message(role="user", content=prompt)], [])


# ---- B.1 construction and contract


def test_b1_it_is_made_from_a_script_and_a_name_with_a_default():
    parameters = inspect.signature(FakeModel).parameters

    assert list(parameters) == ["script", "name"]
    assert parameters["name"].default == "fake-1"
    assert FakeModel(["好"]).name == "fake-1"
    assert FakeModel(["好"], "fake-2").name == "fake-2"


def test_b1_complete_takes_messages_and_tools_and_gives_a_response():
    assert list(inspect.signature(FakeModel.complete).parameters) == ["self", "messages", "tools"]
    assert isinstance(ask(FakeModel(["好"])), ModelResponse)


def test_b1_it_has_the_interface_of_a_real_backend():
    assert isinstance(FakeModel([]), Model)


def test_b1_the_script_is_consumed_item_by_item():
    model = FakeModel(["一", "二"])

    assert [ask(model).message.content for _ in range(2)] == ["一", "二"]


def test_b1_each_call_adds_a_pair_of_messages_and_tool_schemas():
    model, tools = FakeModel(["好"]), calculator().schemas()
    model.complete([Message("user", "你好")], tools)
    (recorded,) = model.calls

    assert isinstance(recorded, tuple)
    assert recorded == ([Message("user", "你好")], tools)


def test_b1_a_call_is_recorded_before_the_item_is_taken():
    model = FakeModel([])
    with pytest.raises(RuntimeError):
        ask(model)

    assert len(model.calls) == 1


def test_b1_an_exhausted_script_is_a_runtime_error_that_says_the_agent_did_not_converge():
    with pytest.raises(RuntimeError, match=r"^FakeModel 脚本已耗尽：Agent 没有收敛"):
        ask(FakeModel([]))


# ---- B.2 three kinds of item


def test_b2_text_is_an_answer_that_ends_the_turn():
    response = ask(FakeModel(["好"]))

    assert response == ModelResponse(message=Message(role="assistant", content="好"))
    assert response.stop_reason == "end_turn"


def test_b2_a_list_of_calls_is_a_wish_for_tools():
    response = ask(FakeModel([[add()]]))

    assert response == ModelResponse(message=Message(role="assistant", tool_calls=[add()]), stop_reason="tool_use")


def test_b2_a_response_comes_back_as_it_is():
    whole = ModelResponse(Message("assistant", "半"), stop_reason="max_tokens", usage={"input_tokens": 1}, model="m")

    assert ask(FakeModel([whole])) == whole


def test_b2_text_always_converges_and_calls_always_go_on():
    assert run(FakeModel(["好"]), calculator(), "x").final == "好"
    model = FakeModel([[add("c1")], [add("c2")], "好"])
    run(model, calculator(), "x")
    assert len(model.calls) == 3


@pytest.mark.parametrize("item", [None, {"content": "好"}, add(), 3, []])
def test_b2_any_other_kind_is_a_type_error(item):
    with pytest.raises(TypeError, match=r"^不认识的脚本项"):
        FakeModel([item])


def test_b2_a_single_call_stands_in_a_list_too():
    with pytest.raises(TypeError, match=r"calls stand in a list, even a single one: \[ToolCall"):
        FakeModel([add()])

    assert FakeModel([[add()]]).remaining == 1


# ---- B.3 four patterns


def test_b31_a_call_and_then_a_text_converge():
    schema = {**TWO_NUMBERS, "required": ["a", "b"]}
    result = run(FakeModel([[add(a=2, b=3)], "答案是 5。"]), calculator(schema), "2+3?")

    assert [step.kind for step in result.steps] == ["tool_call", "final"]
    assert result.final == "答案是 5。"


def test_b31_the_model_reads_the_result_of_its_call():
    model = FakeModel([[add(a=2, b=3)], "答案是 5。"])
    run(model, calculator(), "2+3?")

    assert model.calls[1].messages[-1] == Message("tool", "5", tool_call_id="c1")


def test_b32_an_empty_answer_cut_at_max_tokens_is_the_final_step():
    cut = ModelResponse(
        message=Message(role="assistant", content=""),
        stop_reason="max_tokens",
        usage={"input_tokens": 12, "output_tokens": 0},
    )
    result = run(FakeModel([cut]), calculator(), "hi")

    assert result.steps[-1].kind == "final"
    assert result.messages[-1].content == ""
    assert result.usage == {"input_tokens": 12, "output_tokens": 0}


def test_b33_calls_without_an_answer_run_into_the_end_of_the_script():
    with pytest.raises(RuntimeError, match="脚本已耗尽"):
        run(FakeModel([[add()]]), calculator(), "loop")


def test_b33_calls_without_an_answer_run_into_the_limit():
    endless = FakeModel([[add(f"c{number}")] for number in range(20)])
    with pytest.raises(RuntimeError, match="超过 3 步"):
        run(endless, calculator(), "loop", max_steps=3)


def test_b34_an_unregistered_tool_is_told_to_the_model_and_the_run_goes_on():
    model = FakeModel([[ToolCall("c1", "search", {"q": "x"})], "我换个方式回答。"])
    result = run(model, calculator(), "查一下")

    assert "未知工具 search" in result.steps[0].detail
    assert result.final == "我换个方式回答。"
    assert "error" in json.loads(model.calls[1].messages[-1].content)


def test_b34_arguments_that_do_not_fit_are_told_as_a_type_error_and_the_run_goes_on():
    result = run(FakeModel([[ToolCall("c1", "add", {"a": 1, "c": 2})], "好"]), calculator(), "x")

    assert "TypeError" in result.steps[0].detail
    assert json.loads(result.messages[-2].content).keys() == {"error"}
    assert result.final == "好"


# ---- B.4 asserting the calls


def asked_with_system():
    model = FakeModel([[add(a=1, b=2)], "3"])
    run(model, calculator(), "1+2?", system="sys")
    return model


def test_b4_the_first_round_offers_the_tools():
    _, tools = asked_with_system().calls[0]

    assert [tool["name"] for tool in tools] == ["add"]
    assert tools[0]["parameters"] == TWO_NUMBERS
    assert tools[0]["description"] == "两数相加"


def test_b4_the_first_round_sends_system_and_user():
    assert [message.role for message in asked_with_system().calls[0][0]] == ["system", "user"]


def test_b4_the_second_round_sends_assistant_and_tool_as_well():
    assert [message.role for message in asked_with_system().calls[1][0]] == ["system", "user", "assistant", "tool"]


def test_b4_the_number_of_calls_is_the_number_of_decisions():
    assert len(asked_with_system().calls) == 2


# ---- B.5 fixtures


@pytest.fixture
def stored(tmp_path):
    def store(data):
        file = tmp_path / "recorded.json"
        file.write_text(json.dumps(data, ensure_ascii=False), encoding="utf-8")
        return file

    return store


CALL = {"kind": "tool_call", "call": {"id": "c1", "name": "add", "arguments": {"a": 2, "b": 3}}}


def test_b51_a_fixture_replays_like_any_fake(stored):
    model = load_fixture(
        stored({"name": "add_two_numbers", "turns": [CALL, {"kind": "text", "content": "结果是 5。"}]})
    )

    assert run(model, calculator(), "2+3?").final == "结果是 5。"
    assert model.name == "add_two_numbers"


def test_b51_the_three_kinds_are_the_three_kinds_of_item(stored):
    turns = [
        {"kind": "text", "content": "好"},
        CALL,
        {"kind": "response", "content": "半", "stop_reason": "max_tokens"},
    ]
    model = load_fixture(stored({"turns": turns}))

    assert model.script == ["好", [add(a=2, b=3)], ModelResponse(Message("assistant", "半"), "max_tokens")]


def test_b51_a_response_ends_the_turn_unless_it_says_otherwise_and_usage_is_optional(stored):
    usage = {"input_tokens": 12, "output_tokens": 0}
    model = load_fixture(stored({"turns": [{"kind": "response"}, {"kind": "response", "usage": usage}]}))
    bare, counted = ask(model), ask(model)

    assert (bare.message.content, bare.stop_reason, bare.usage) == ("", "end_turn", {})
    assert counted.usage == usage


def test_b52_an_unknown_kind_is_a_value_error(stored):
    with pytest.raises(ValueError, match=r"^未知夹具项：image"):
        load_fixture(stored({"turns": [{"kind": "image"}]}))


def test_b52_without_a_name_it_is_called_fixture(stored):
    assert load_fixture(stored({"turns": []})).name == "fixture"


def test_b52_a_path_is_text_or_a_path(stored):
    file = stored({"turns": [CALL]})

    assert load_fixture(str(file)).script == load_fixture(file).script


def test_b5_a_replay_is_the_same_every_time(stored):
    file = stored({"name": "add_two_numbers", "turns": [CALL, {"kind": "text", "content": "结果是 5。"}]})

    assert run(load_fixture(file), calculator(), "2+3?") == run(load_fixture(file), calculator(), "2+3?")


# ---- B.6 what its tests add


def test_b6_what_a_tool_raises_is_told_to_the_model_and_does_not_end_the_run():
    def divide(a, b):
        raise ValueError("除零")

    registry = calculator()
    registry.add(Tool("div", "相除", {"type": "object", "properties": {}}, divide))
    result = run(FakeModel([[ToolCall("c1", "div", {"a": 1, "b": 0})], "无法计算。"]), registry, "1/0")

    assert "ValueError" in result.steps[0].detail
    assert result.messages[-2].content == '{"error": "ValueError: 除零"}'
    assert result.final == "无法计算。"


def test_b6_a_tool_can_be_added_to_a_registry_that_has_one():
    registry = calculator()
    registry.add(Tool("div", "相除", {"type": "object", "properties": {}}, lambda a, b: a / b))

    assert [tool["name"] for tool in registry.schemas()] == ["add", "div"]


# ---- B.7 another backend


def test_b7_another_backend_takes_the_place_of_the_fake():
    class Real:
        def complete(self, messages, tools):
            return ModelResponse(Message("assistant", "真"), usage={"input_tokens": 3, "output_tokens": 1})

    result = run(Real(), calculator(), "你好")

    assert result.final
    assert result.usage

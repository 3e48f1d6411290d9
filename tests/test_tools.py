import asyncio
import collections.abc
import dataclasses
import datetime
import decimal
import enum
import functools
import io
import json
import operator
import pathlib
import re
import uuid
from typing import Any, NamedTuple

import numpy
import pydantic
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lab import ANYTHING, NUMBERS, adder, half_texts, json_objects, json_values, registry, scalars, text_of, tool

from minagent_lab import Tool, ToolRegistry, ToolResult


def error_of(answer):
    return json.loads(answer)["error"]


@given(json_objects)
def test_a_tool_gets_the_arguments_as_they_are(arguments):
    got = {}
    registry(tool(lambda **held: got.update(held))).call("t", arguments)

    assert got == arguments


@given(json_values)
def test_a_tool_cannot_change_the_arguments_of_the_caller(held):
    arguments = {"items": [held]}
    registry(tool(lambda items: items.clear())).call("t", arguments)

    assert arguments == {"items": [held]}


def test_text_is_read_as_it_is_and_the_rest_as_json():
    assert text_of(lambda: "5 °C") == "5 °C"
    assert text_of(lambda: {"城市": "北京"}) == '{"城市": "北京"}'
    assert text_of(lambda: None) == "null"


@dataclasses.dataclass
class Box:
    held: Any


class Row(pydantic.BaseModel):
    at: datetime.date = datetime.date(2026, 1, 2)
    held: Any = None


class Pair(NamedTuple):
    left: Any = 1
    right: Any = None


class Color(enum.Enum):
    RED = "red"
    NONE = object()


class Broken:
    def tolist(self):
        raise OSError


class Speechless:
    def __repr__(self):
        raise RuntimeError

    __str__ = __repr__


class SpeechlessText(str):
    __slots__ = ()
    __repr__ = __str__ = Speechless.__repr__


class SpeechlessNumber(int):
    __repr__ = __int__ = __index__ = Speechless.__repr__


class Closed(dict):
    def items(self):
        raise OSError

    __iter__ = keys = items


class Secretive:
    def __getattribute__(self, name):
        raise RuntimeError(name)


class Endless(collections.abc.Mapping):
    def __getitem__(self, key):
        return self

    def __iter__(self):
        return iter(["again"])

    def __len__(self):
        return 1


def itself():
    cycle = Box([{}])
    cycle.held[0]["again"] = cycle
    return cycle


async def ticks():
    yield 1


STRANGE = [
    *(b"\xff", memoryview(b"x"), 1j, range(3), print, Box, Broken(), object(), ..., Color, Color.NONE, Row, asyncio),
    *(
        numpy.array([1.5, numpy.nan]),
        numpy.array([object()]),
        numpy.array([1j]),
        numpy.timedelta64(3, "s"),
        Row(held=1j),
    ),
    *(Speechless(), SpeechlessText("x"), SpeechlessNumber(3), Closed(a=1), Secretive(), Endless(), itself(), ticks()),
    *(10**5000, collections.deque([1]), datetime.timedelta(1), re.compile("x"), io.StringIO("x"), ValueError("x")),
    functools.reduce(lambda inner, _: [inner], range(5000), []),
]
CONVERTED = [
    *(datetime.date(2026, 1, 2), datetime.time(3), decimal.Decimal("1.10"), decimal.Decimal("NaN"), uuid.UUID(int=0)),
    *(pathlib.Path("a"), Color.RED, Pair(), Row(), collections.Counter("aab"), {1: 1, "1": 2}, {None: 1, "null": 2}),
    *(numpy.int64(3), numpy.array([1.5]), numpy.array(["a"]), numpy.array(5), numpy.bool_(1), numpy.datetime64("NaT")),
    numpy.ma.array([1, 2], mask=[0, 1]),
]
stranger = st.integers(0, len(STRANGE) - 1).map(lambda at: STRANGE[at])  # hypothesis asks no repr of a number
strange = stranger | st.sampled_from(CONVERTED) | st.floats()
keys = scalars | st.sampled_from([(1, 2), frozenset({1}), CONVERTED[0], numpy.int64(1), print])
returned = st.recursive(
    scalars | half_texts | strange,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.lists(inner, max_size=3).map(tuple)
        | st.lists(inner, max_size=3).map(iter)
        | st.dictionaries(keys, inner, max_size=3)
        | st.frozensets(keys, max_size=3)
        | st.builds(Box, inner)
        | st.builds(Pair, inner, inner)
        | st.builds(lambda held: Row.model_construct(held=held), inner)
    ),
    max_leaves=8,
)


def no_constant(name):
    raise AssertionError(name)


@given(returned)
def test_whatever_a_tool_returns_the_model_reads_text_or_json_or_a_short_error(result):
    content, error = registry(tool(lambda: result)).use("t", {})

    content.encode("utf-8")
    assert error in (None, "tool_failed")
    assert " at 0x" not in content
    if error:
        assert len(error_of(content)) < 500
    elif not isinstance(result, str):
        json.loads(content, parse_constant=no_constant)


def test_the_schemas_are_what_a_model_is_told():
    assert adder().schemas() == [{"name": "add", "description": "Sum of two numbers", "parameters": NUMBERS}]
    assert ToolRegistry().schemas() == []


def test_changing_what_was_handed_in_or_out_changes_no_tool():
    parameters = json.loads(json.dumps(NUMBERS))
    made = Tool("add", "Sum", parameters, lambda a, b: a + b)
    tools = registry(made)
    before = tools.schemas()
    parameters["required"].clear()
    made.parameters["properties"].clear()
    tools.schemas()[0]["parameters"].clear()

    assert tools.schemas() == before
    assert "missing required: b" in tools.call("add", {"a": 1})


def test_schemas_keep_real_characters():
    assert registry(Tool("add", "两数相加", ANYTHING, print)).schemas()[0]["description"] == "两数相加"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({}, "TypeError: missing required: a, b"),
        ({"a": 1}, "TypeError: missing required: b"),
        ({"a": "1", "b": True}, 'TypeError: a must be a number, got "1"; b must be a number, got true'),
        ({"a": 1, "b": 2, "c": 3}, "TypeError: unexpected: c"),
        ({"a": None, "c": 3}, "TypeError: missing required: b; a must be a number, got null; unexpected: c"),
        (None, "TypeError: arguments must be an object, got null"),
        ([1, 2], "TypeError: arguments must be an object, got [1, 2]"),
        ("a=1", 'TypeError: arguments must be an object, got "a=1"'),
        ({"a": 1, "b": float("nan")}, "TypeError: arguments['b'] is nan, which JSON cannot say; use null or text"),
        ({"a": 1, "b": {2}}, "TypeError: arguments['b'] is a set; use only what JSON knows: "),
    ],
)
def test_arguments_that_do_not_fit_are_an_error_that_names_every_problem(arguments, said):
    result = adder().use("add", arguments)

    assert error_of(result.content).startswith(said)
    assert result.error == "invalid_arguments"


def test_a_key_too_many_is_named_once_though_schema_and_function_both_refuse_it():
    strict = {**NUMBERS, "additionalProperties": False}
    assert error_of(text_of(lambda a, b: a, strict, a=1, b=2, c=3)) == "TypeError: unexpected: c"


def test_what_the_function_needs_is_named_where_the_schema_does_not_require_it():
    loose = {"type": "object", "properties": {"a": {"type": "number"}}}
    said = error_of(text_of(lambda a, b: a, loose, a="x"))

    assert said == 'TypeError: a must be a number, got "x"; missing: b'


def test_a_tool_whose_arguments_do_not_fit_is_not_run():
    ran = []
    text_of(lambda a, b: ran.append(a), NUMBERS, a="1", b=2)

    assert ran == []


def test_a_type_error_from_inside_a_tool_is_the_tools_own():
    result = registry(tool(lambda: operator.add(1, "x"))).use("t", {})

    assert error_of(result.content) == "TypeError: unsupported operand type(s) for +: 'int' and 'str'"
    assert result.error == "tool_failed"


def test_the_kinds_of_error_are_told_apart():
    def fail():
        raise ValueError("除零")

    tools = registry(tool(fail), tool(lambda: b"x", name="raw"), tool(lambda: 5, name="five"))

    assert tools.use("search", {}).error == "unknown_tool"
    assert tools.use("t", {"x": 1}).error == "invalid_arguments"
    assert tools.use("t", {}) == ToolResult('{"error": "ValueError: 除零"}', "tool_failed")
    assert tools.use("raw", {}).error == "tool_failed"
    assert tools.use("five", {}) == ToolResult("5")


class Slotted(Exception):
    __slots__ = ()


@pytest.mark.parametrize(
    "problem",
    [
        ValueError(),
        MemoryError(),
        StopIteration(5),
        StopAsyncIteration(),
        RecursionError("deep"),
        AssertionError(),
        Slotted("x"),
        ExceptionGroup("two", [ValueError(), KeyError("x")]),
        TimeoutError(),
    ],
)
def test_an_ordinary_exception_is_an_error_for_the_model(problem):
    def fail():
        raise problem

    assert error_of(text_of(fail)).startswith(type(problem).__name__)


@pytest.mark.parametrize("problem", [KeyboardInterrupt(), SystemExit(0), GeneratorExit(), asyncio.CancelledError()])
def test_what_stops_a_program_passes_through_and_the_registry_stays_usable(problem):
    def fail(stop):
        if stop:
            raise problem
        return "fine"

    tools = registry(tool(fail))
    with pytest.raises(type(problem)) as raised:
        tools.call("t", {"stop": True})

    assert raised.value is problem
    assert tools.call("t", {"stop": False}) == "fine"


def test_an_async_tool_is_a_clear_error_and_no_warning():
    async def fetch():
        return "page"

    result = registry(tool(fetch)).use("t", {})

    assert (
        error_of(result.content)
        == "TypeError: t is async, and run() does not wait; use await arun(), or write def instead of async def"
    )
    assert result.error == "tool_failed"


def test_an_unknown_tool_is_an_error_that_shows_the_way():
    tools = adder()

    assert error_of(tools.call("search", {})) == "未知工具 search (unknown tool; the tools are: add)"
    assert error_of(tools.call("addd", {})) == "未知工具 addd (unknown tool; did you mean add?)"
    assert error_of(ToolRegistry().call("x", {})) == "未知工具 x (unknown tool; the tools are: none)"


@pytest.mark.parametrize("name", [None, 5, ["add"], {"name": "add"}, "", "x" * 100_000, "\ud800"])
def test_whatever_stands_for_the_name_is_answered_shortly(name):
    result = adder().use(name, {})

    assert result.error == "unknown_tool"
    assert error_of(result.content).startswith("未知工具 ")
    assert len(result.content) < 200


class Counter:
    count = 0

    def add(self, by=1):
        self.count += by
        return self.count

    def __call__(self, by):
        return self.add(by)


@pytest.mark.parametrize(
    "func",
    [
        lambda by: by,
        Counter().add,
        Counter(),
        functools.partial(lambda start, by: start + by, 0),
        functools.partial(lambda by, start: start + by, start=0),
        dict,
    ],
)
def test_whatever_is_called_by_keyword_can_be_a_tool(func):
    assert json.loads(text_of(func, by=3)) in (3, {"by": 3})


def test_a_class_can_be_a_tool():
    @dataclasses.dataclass
    class Point:
        x: int

    assert text_of(Point, x=1) == '{"x": 1}'


def test_two_calls_of_one_tool_run_twice():
    counter = Counter()
    tools = registry(tool(counter.add))

    assert [tools.call("t", {"by": 2}), tools.call("t", {"by": 2})] == ["2", "4"]


def test_a_second_tool_of_one_name_is_refused_and_the_first_stays():
    tools = adder()
    with pytest.raises(ValueError, match=r"already a tool named 'add'.*replace=True"):
        tools.add(Tool("add", "Other", ANYTHING, print))

    assert tools.call("add", {"a": 2, "b": 3}) == "5"


def test_a_tool_is_replaced_where_that_is_asked_for():
    tools = adder()
    tools.add(Tool("add", "Other", ANYTHING, lambda: "other"), replace=True)

    assert tools.call("add", {}) == "other"
    assert len(tools.schemas()) == 1


@pytest.mark.parametrize("name", ["", "add ", "add\n", "查询", "a.b", "x" * 65])
def test_a_name_that_no_service_takes_is_refused(name):
    with pytest.raises(ValueError, match="1 to 64 of A-Z a-z 0-9 _ -") as refusal:
        Tool(name, "", ANYTHING, print)
    assert repr(name)[:70] in str(refusal.value)


@pytest.mark.parametrize("name", ["add", "Add", "add-2_B", "x" * 64])
def test_names_that_differ_in_any_letter_are_different_tools(name):
    assert registry(Tool(name, "", ANYTHING, print)).schemas()[0]["name"] == name


@pytest.mark.parametrize(
    ("parts", "kind", "said"),
    [
        ((None, "", ANYTHING, print), TypeError, "this one is None"),
        (("add", None, ANYTHING, print), TypeError, "tool add: description is None; it must be text"),
        (("add", "", None, print), TypeError, "tool add: parameters is None; write a JSON Schema"),
        (("add", "", {"type": "string"}, print), ValueError, "tool add: parameters has the type 'string'"),
        (("add", "", {"type": "object", "x": {1}}, print), TypeError, "tool add: parameters['x'] is a set"),
        (("add", "", ANYTHING, 5), TypeError, "tool add: func is 5; pass the function itself, without calling it"),
        (("add", "", ANYTHING, None), TypeError, "tool add: func is None"),
        (("add", "", ANYTHING, len), ValueError, "tool add: func takes 'obj' by position only"),
    ],
)
def test_a_wrong_tool_is_refused_where_it_is_made(parts, kind, said):
    with pytest.raises(kind) as refusal:
        Tool(*parts)
    assert said in str(refusal.value)


@pytest.mark.parametrize("wrong", [None, print, {"name": "add"}, "add", Tool])
def test_only_a_tool_can_be_added(wrong):
    with pytest.raises(TypeError, match=r"is not a Tool; write Tool\(name, description, parameters, func\)"):
        ToolRegistry().add(wrong)


def test_a_changed_copy_of_a_tool_is_a_whole_tool():
    first = tool(lambda a: a)
    changed = dataclasses.replace(first, name="other", parameters=NUMBERS, func=lambda a, b: a + b)

    assert registry(changed).call("other", {"a": 1, "b": 2}) == "3"
    assert changed.name == "other"
    assert first.name == "t"


def test_tools_that_are_made_from_the_same_parts_are_equal():
    assert tool(print) == tool(print)
    assert tool(print) != tool(dict)


def test_tools_and_registries_show_their_names():
    assert repr(tool(print)) == "Tool('t')"
    assert repr(adder()) == "ToolRegistry(add)"

import array
import collections
import dataclasses
import datetime
import decimal
import enum
import json
import math
import pathlib
import time
import uuid
from unittest import mock

import numpy
import pytest
from hypothesis import given
from lab import half_texts, json_values

from minagent_lab.results import NotJson, error_text, exception_text, result_text


@dataclasses.dataclass(frozen=True)
class Point:
    x: float
    y: object = None


class Color(enum.Enum):
    RED = "red"


class Size(enum.StrEnum):
    BIG = "big"


class Level(enum.IntEnum):
    HIGH = 3


class Order:
    """Made like a pydantic model."""

    def model_dump(self):
        return {"item": "tea", "at": datetime.date(2026, 1, 2)}


DAY = datetime.date(2026, 1, 2)


@given(json_values)
def test_text_stays_text_and_everything_else_is_its_json(result):
    said = result_text("t", result)

    assert said == result if isinstance(result, str) else json.loads(said) == result


@pytest.mark.parametrize(
    ("result", "said"),
    [
        ("", ""),
        (None, "null"),
        (True, "true"),
        (5, "5"),
        (5.0, "5.0"),
        (-0.0, "-0.0"),
        ((1, (2,)), "[1, [2]]"),
        ({}, "{}"),
        ({"城市": "北京"}, '{"城市": "北京"}'),
        (DAY, '"2026-01-02"'),
        (datetime.datetime(2026, 1, 2, 3, 4, tzinfo=datetime.UTC), '"2026-01-02T03:04:00+00:00"'),
        (datetime.time(3, 4), '"03:04:00"'),
        (decimal.Decimal("1.10"), '"1.10"'),
        (uuid.UUID(int=0), '"00000000-0000-0000-0000-000000000000"'),
        (pathlib.PureWindowsPath("a\\b"), '"a/b"'),
        (pathlib.PurePosixPath("a/b"), '"a/b"'),
        ({3, 1, 2}, "[1, 2, 3]"),
        (frozenset("ba"), '["a", "b"]'),
        ({frozenset({2, 1}), frozenset({0})}, "[[0], [1, 2]]"),
        (Point(1.5, Point(2)), '{"x": 1.5, "y": {"x": 2, "y": null}}'),
        ([{Point(2), Point(1)}], '[[{"x": 1, "y": null}, {"x": 2, "y": null}]]'),
        (Color.RED, '"red"'),
        (Size.BIG, "big"),
        (Level.HIGH, "3"),
        (collections.OrderedDict(b=1, a=2), '{"b": 1, "a": 2}'),
        (collections.ChainMap({"a": 1}), '{"a": 1}'),
        (time.struct_time(range(9)), "[0, 1, 2, 3, 4, 5, 6, 7, 8]"),
        (Order(), '{"item": "tea", "at": "2026-01-02"}'),
        (array.array("i", [1, 2]), "[1, 2]"),
        (numpy.int64(3), "3"),
        (numpy.float64(1.5), "1.5"),
        (numpy.bool_(True), "true"),
        (numpy.str_("x"), "x"),
        (numpy.array([[1.5, 2.0]]), "[[1.5, 2.0]]"),
        (numpy.datetime64("2026-01-02"), '"2026-01-02"'),
        ({"when": [DAY, {"size": {numpy.int64(1)}}]}, '{"when": ["2026-01-02", {"size": [1]}]}'),
    ],
)
def test_what_has_a_json_form_is_converted_to_it(result, said):
    assert result_text("t", result) == said


@pytest.mark.parametrize(
    ("key", "said"),
    [
        (1, "1"),
        (1.5, "1.5"),
        (True, "true"),
        (None, "null"),
        (Color.RED, "red"),
        (Size.BIG, "big"),
        (Level.HIGH, "3"),
        (DAY, "2026-01-02"),
        (numpy.int64(7), "7"),
        (pathlib.PurePosixPath("a/b"), "a/b"),
    ],
)
def test_a_key_is_converted_like_a_value_and_written_as_text(key, said):
    assert result_text("t", [{key: 1}]) == f'[{{"{said}": 1}}]'


def cycle():
    data = []
    data.append({"again": data})
    return data


class Endless:
    def tolist(self):
        return [self]


@pytest.mark.parametrize(
    ("result", "what"),
    [
        (b"\xff\xd8", "bytes"),
        (bytearray(b"x"), "bytearray"),
        (memoryview(b"x"), "memoryview"),
        (numpy.array([b"x"]), "bytes"),
        ((number for number in range(3)), "generator"),
        (iter([1]), "list_iterator"),
        (range(3), "range"),
        (object(), "object"),
        (mock.MagicMock(), "MagicMock"),
        (print, "builtin_function_or_method"),
        (Point, "type"),
        (1j, "complex"),
        (numpy.complex64(1j), "complex"),
        ([{"deep": object()}], "object"),
        ({(1, 2): 3}, "a key is a tuple"),
        ({object(): 3}, "object"),
        ({frozenset(): 3}, "a key is a frozenset"),
        (math.nan, "result is nan"),
        ([math.inf], r"result\[0\] is inf"),
        (numpy.float64("nan"), "result is nan"),
        (numpy.array([1, math.nan]), r"result\[1\] is nan"),
        ({math.nan: 1}, "a key is nan"),
        ({1: "a", "1": "b"}, "two keys become '1'"),
        ({DAY: "a", "2026-01-02": "b"}, "two keys become '2026-01-02'"),
        ({pathlib.PurePosixPath("x" * 900): 1, "x" * 900: 2}, "two keys become 'xxx"),
        ({"x" * 900: math.nan}, "dict .*result\\['xxx"),
        pytest.param(10**5000, "int", id="huge"),
        ([10**5000], "list"),
        (cycle(), "contains itself"),
        (Point(1, cycle()), "contains itself"),
        (Endless(), "contains itself or is nested too deep"),
    ],
)
def test_what_has_no_json_form_is_refused_without_an_address(result, what):
    with pytest.raises(NotJson, match=f"^工具 t 返回了不可序列化的 .*{what}") as refusal:
        result_text("t", result)
    assert " at 0x" not in str(refusal.value)
    assert "not JSON" in str(refusal.value)
    assert len(str(refusal.value)) < 400


@given(half_texts)
def test_what_the_model_reads_can_always_be_stored(text):
    result_text("t", text).encode("utf-8")
    result_text("t", [text]).encode("utf-8")


def test_a_set_of_several_kinds_has_one_order():
    assert result_text("t", {1, "a", 2.5, "b"}) == result_text("t", {"b", 2.5, "a", 1})


class Speechless(Exception):
    def __str__(self):
        raise RuntimeError("broken")


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (ValueError("除零"), "ValueError: 除零"),
        (ValueError(), "ValueError"),
        (ValueError("  "), "ValueError"),
        (AssertionError(), "AssertionError"),
        (TimeoutError(), "TimeoutError"),
        (KeyError("city"), "KeyError: 'city'"),
        (ExceptionGroup("two", [ValueError(), KeyError()]), "ExceptionGroup: two (2 sub-exceptions)"),
        (Speechless(), "Speechless"),
    ],
)
def test_an_exception_is_its_type_and_its_message_if_any(error, said):
    assert exception_text(error) == said


def test_a_message_without_end_is_cut():
    said = exception_text(ValueError("x" * 50_000))

    assert len(said) < 2_100
    assert said.endswith("(cut, 50000 characters)")


def test_an_error_for_the_model_is_a_json_object_with_real_characters():
    assert error_text('ValueError: 除零 "now"') == '{"error": "ValueError: 除零 \\"now\\""}'

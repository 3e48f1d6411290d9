import collections
import copy
import enum
import json
import math
import pickle
import threading
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lab import half_texts, json_values

from minagent_lab.values import copied_at_each_look, copy_json, dump_json, parse_json, storable, value


def containers(data):
    if isinstance(data, (dict, list)):
        yield data
        for part in data.values() if isinstance(data, dict) else data:
            yield from containers(part)


def nested(inner, path):
    for step in reversed(path):
        inner = {step: inner} if isinstance(step, str) else [None] * step + [inner]
    return inner


paths = st.lists(st.text() | st.integers(min_value=0, max_value=3), max_size=5)
strangers = st.sampled_from([{1}, b"x", object(), 1j, print, threading.Lock(), range(3), math.nan, math.inf, -math.inf])


@given(json_values)
def test_a_copy_is_equal_and_shares_no_container(data):
    copy = copy_json(data)

    assert copy == data
    assert not {id(part) for part in containers(copy)} & {id(part) for part in containers(data)}


@given(json_values)
def test_a_copy_keeps_the_types_of_numbers(data):
    assert repr(copy_json(data)) == repr(data)


@given(strangers, paths)
def test_what_json_cannot_say_is_refused_with_its_place(stranger, path):
    with pytest.raises(TypeError) as refusal:
        copy_json(nested(stranger, path), "usage")

    place = "usage" + "".join(f"[{step!r}]" for step in path)
    assert str(refusal.value).startswith(f"{place} is ")


def test_the_refusal_is_a_sentence():
    with pytest.raises(TypeError, match=r"^usage is an object; use only what JSON knows: text, numbers, "):
        copy_json(object(), "usage")
    with pytest.raises(TypeError, match=r"^value is a set; "):
        copy_json(set())


@pytest.mark.parametrize("key", [1, None, True, 1.5, (1, 2), b"k"])
def test_a_key_that_is_no_text_is_refused_with_the_key_to_write(key):
    with pytest.raises(TypeError, match="JSON keys are text: write") as refusal:
        copy_json({"a": [{key: 1}]}, "arguments")

    assert str(refusal.value).startswith(f"arguments['a'][0] has the key {key!r}")
    assert repr(str(key)) in str(refusal.value)


def test_subclasses_become_the_plain_type():
    class Level(enum.IntEnum):
        HIGH = 3

    class Color(enum.StrEnum):
        RED = "red"

    class Height(float):
        pass

    class Pair(NamedTuple):
        x: int
        y: tuple

    pair = Pair(1, (2,))
    data = [Level.HIGH, Color.RED, Height(1.5), collections.OrderedDict(a=1), collections.defaultdict(list, b=[]), pair]
    copy = copy_json(data)

    assert copy == [3, "red", 1.5, {"a": 1}, {"b": []}, [1, [2]]]
    assert [type(part) for part in copy] == [int, str, float, dict, dict, list]


def test_a_hundred_levels_are_copied_and_one_more_is_refused():
    assert copy_json(nested(1, [0] * 100)) == nested(1, [0] * 100)
    with pytest.raises(TypeError, match="nested more than 100 deep"):
        copy_json(nested(1, [0] * 101))


@pytest.mark.parametrize("depth", [101, 1_000, 20_000])
def test_however_deep_it_is_nested_the_refusal_is_short(depth):
    with pytest.raises(TypeError, match="nested more than 100 deep") as refusal:
        copy_json(nested({}, ["a"] * depth), "usage")

    assert len(str(refusal.value)) < 200


def test_what_contains_itself_is_refused():
    data = {"a": []}
    data["a"].append(data)
    with pytest.raises(TypeError, match="contains itself"):
        copy_json(data)


@given(json_values)
def test_json_text_reads_back_as_the_same_data(data):
    assert parse_json(dump_json(data)) == data
    assert parse_json(dump_json(data, compact=True)) == data


@given(json_values)
def test_compact_json_text_is_what_the_standard_library_calls_compact(data):
    assert dump_json(data, compact=True) == json.dumps(data, ensure_ascii=False, separators=(",", ":"))


def test_json_text_holds_real_characters():
    assert dump_json({"城市": "北京 ✅"}) == '{"城市": "北京 ✅"}'


@given(half_texts)
def test_json_text_can_always_be_stored_and_means_the_same(text):
    written = dump_json([text])

    written.encode("utf-8")
    two_halves_joined = text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
    assert json.loads(written) == [two_halves_joined]


@given(st.text())
def test_whole_characters_are_storable_as_they_are(text):
    assert storable(text) == text


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_a_number_that_json_lacks_is_never_written(number):
    for compact in (False, True):
        with pytest.raises(ValueError, match="JSON"):
            dump_json([number], compact=compact)


@pytest.mark.parametrize(
    "text",
    ['{"a": 1, "a": 2}', '[{"b": {"a": 1, "c": 0, "a": 1}}]', '{"a": 1, "\\u0061": 2}', '{"a": {}, "a": {}}'],
)
def test_a_key_that_stands_twice_is_refused_at_any_depth(text):
    with pytest.raises(ValueError, match='the key "a" stands twice'):
        parse_json(text)


@pytest.mark.parametrize("word", ["NaN", "Infinity", "-Infinity"])
def test_words_that_only_python_reads_as_numbers_are_refused(word):
    with pytest.raises(ValueError, match=f"{word} is not JSON; use null or text"):
        parse_json(f'{{"a": [{word}]}}')


def test_a_number_too_large_for_a_float_is_refused_with_its_place():
    with pytest.raises(TypeError, match=r"value\['a'\] is inf"):
        parse_json('{"a": 1e999}')


@value
class Point:
    x: int
    y: int = 0
    tags: tuple = ()


def test_a_value_is_written_as_one_would_type_it():
    assert repr(Point(1)) == "Point(1)"
    assert repr(Point(1, 2)) == "Point(1, 2)"
    assert repr(Point(1, tags=(3,))) == "Point(1, tags=(3,))"


def test_a_value_can_be_written_whatever_its_fields_compare_equal_to():
    class Matcher:
        def __eq__(self, other):
            return other.x == 1

        __hash__ = None

        def __repr__(self):
            return "Matcher()"

    assert repr(Point(Matcher())) == "Point(Matcher())"


def test_setting_or_deleting_a_field_is_refused_with_the_way_to_a_changed_copy():
    point = Point(1)
    with pytest.raises(AttributeError, match=r"make a changed copy with dataclasses.replace\(point, x=...\)"):
        point.x = 2
    with pytest.raises(AttributeError, match="Point is frozen"):
        del point.y
    assert point == Point(1)


@copied_at_each_look("data")
@value
class Holder:
    data: dict


def test_each_look_at_the_data_of_a_value_is_a_copy():
    holder = Holder({"a": [1]})
    holder.data["a"].append(2)
    holder.data["b"] = 3

    assert holder.data == {"a": [1]}
    assert holder == Holder({"a": [1]})


def test_a_value_with_copied_data_can_be_copied_and_pickled():
    holder = Holder({"a": [1]})

    assert copy.deepcopy(holder) == copy.copy(holder) == pickle.loads(pickle.dumps(holder)) == holder

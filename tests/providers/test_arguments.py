import json
import struct
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lab import half_texts, json_objects, json_values

from minagent_lab import MalformedResponseError
from minagent_lab.providers.arguments import read_arguments, whole
from minagent_lab.values import dump_json


@pytest.mark.parametrize("written", ["", "  ", "\n", None, "null", "{}", {}])
def test_nothing_written_means_no_arguments(written):
    assert read_arguments("now", written) == {}


@given(json_objects)
def test_an_object_comes_out_as_it_was_written(arguments):
    try:
        text = dump_json(arguments)
        text.encode()
    except ValueError:
        return
    assert read_arguments("t", text) == read_arguments("t", arguments) == arguments


@pytest.mark.parametrize(
    ("written", "why"),
    [
        ('{"a":1,"a":2}', '"a" stands twice'),
        ('{"a":1,"\\u0061":2}', '"a" stands twice'),
        ('{"x":[{"a":1,"a":2}]}', '"a" stands twice'),
        ('{"a": NaN}', "NaN is not JSON"),
        ('{"a": -Infinity}', "-Infinity is not JSON"),
        ('{"a": 1e999}', "inf, which JSON cannot say"),
        ('{"a": ', "Expecting value"),
        ("{'a': 1}", "double quotes"),
        ("[1]", "a list, not a JSON object"),
        ('"text"', "a str, not a JSON object"),
        ("5", "an int, not a JSON object"),
        ('{"a": 1}{"b": 2}', "Extra data"),
        ("[" * 100_000, "nested too deep"),
        ('{"a":' * 200 + "1" + "}" * 200, "nested more than 100 deep"),
        ('{"a": ' + "9" * 5000 + "}", "4300 digits"),
        (5, "an int, not a JSON object"),
        ({"a": float("nan")}, "nan, which JSON cannot say"),
    ],
)
def test_what_is_no_object_or_can_be_read_in_two_ways_is_refused_with_the_tools_name_and_the_reason(written, why):
    with pytest.raises(MalformedResponseError) as refused:
        read_arguments("add", written)
    assert "'add'" in str(refused.value)
    assert why in str(refused.value)
    assert len(str(refused.value)) < 500


@st.composite
def spoiled_texts(draw):
    """JSON text with some of its characters changed, taken out or doubled."""
    text = json.dumps(draw(json_values | json_objects), ensure_ascii=draw(st.booleans()))
    for _ in range(draw(st.integers(0, 2))):
        start, end = sorted(draw(st.tuples(*[st.integers(0, len(text))] * 2)))
        text = (
            text[:start]
            + draw(st.sampled_from(["", text[start:end] * 2, '"', "{", "}", ",", "\\", "NaN"]))
            + text[end:]
        )
    return text


class Spelled(NamedTuple):
    """JSON text, what it says, and whether every reader reads it in the same way."""

    text: str
    data: Any
    clear: bool


def spelled(draw, data):
    """Spell text as JSON: some characters escaped, some not."""
    escaped = (f"\\u{unit:04x}" for unit in struct.unpack(f"<{len(data)}H", data.encode("utf-16-le")))
    chosen = zip(data, escaped, draw(st.lists(st.booleans(), min_size=len(data), max_size=len(data))), strict=True)
    return "".join(code if char in '"\\' or char < " " or escape else char for char, code, escape in chosen)


basic = st.text(st.characters(max_codepoint=0xFFFF, exclude_categories=["Cs"]), max_size=4)
ODD_NUMBERS = [Spelled(text, None, False) for text in ("NaN", "Infinity", "-Infinity", "1e999", "-1e400", "9" * 4301)]
NUMBERS = [Spelled(text, float(text), True) for text in ("-0.0", "1E+2", "5e-324", "1e-999")]
numbers = st.integers().map(lambda n: Spelled(str(n), n, True)) | st.sampled_from([*NUMBERS, *ODD_NUMBERS])


@st.composite
def texts_of_json(draw):
    data = draw(basic)
    return Spelled(f'"{spelled(draw, data)}"', data, True)


@st.composite
def lists_of(draw, inner):
    items = draw(st.lists(inner, max_size=3))
    text = draw(st.sampled_from([",", " ,\n"])).join(item.text for item in items)
    return Spelled(f"[{text}]", [item.data for item in items], all(item.clear for item in items))


@st.composite
def objects_of(draw, inner):
    pairs = draw(st.lists(st.tuples(basic | st.sampled_from("ab"), inner), max_size=3))
    text = ", ".join(f'"{spelled(draw, key)}" :{item.text}' for key, item in pairs)
    once = len({key for key, _ in pairs}) == len(pairs)
    clear = once and all(item.clear for _, item in pairs)
    return Spelled(f"{{{text}}}", {key: item.data for key, item in pairs}, clear)


@st.composite
def wrapped(draw, inner):
    """Nest it; a hundred levels are too many."""
    item, levels = draw(inner), draw(st.integers(1, 4) | st.sampled_from([150, 2000, 50_000]))
    data = item.data
    for _ in range(levels if levels < 5 else 0):
        data = [data]
    return Spelled("[" * levels + item.text + "]" * levels, data, item.clear and levels < 5)


leaves = numbers | texts_of_json() | st.sampled_from([Spelled("true", True, True), Spelled("null", None, True)])
any_json = st.recursive(leaves, lambda inner: lists_of(inner) | objects_of(inner) | wrapped(inner), max_leaves=6)


@given(objects_of(any_json))
def test_json_is_read_as_it_is_spelled_unless_it_could_be_read_in_two_ways(written):
    try:
        arguments = read_arguments("add", written.text)
    except MalformedResponseError as refused:
        assert not written.clear, refused  # noqa: PT017
    else:
        assert written.clear
        assert arguments == written.data
        assert dump_json(arguments) == dump_json(written.data)  # True is not 1, and 1.0 is not 1


@given(st.text() | half_texts | spoiled_texts(), st.booleans())
def test_whatever_a_model_writes_its_arguments_are_an_object_or_refused_with_the_tools_name(written, cut):
    try:
        arguments, said = read_arguments("add", written, cut=cut), ""
    except MalformedResponseError as refused:
        arguments, said = {}, str(refused)

    assert not (cut and said)
    assert len(said) < 500
    assert not said or "'add'" in said
    assert arguments == {} or json.loads(whole(written)) == arguments
    dump_json(arguments).encode("utf-8")


def test_half_a_text_of_an_answer_that_was_cut_is_no_fault_and_no_arguments():
    assert read_arguments("add", '{"a": 2, "b', cut=True) == {}
    assert read_arguments("add", '{"a": 2}', cut=True) == {"a": 2}


def test_halves_of_a_character_are_put_together_and_one_alone_is_marked():
    assert whole("你\ud83d\ude42好") == "你🙂好"
    assert whole("\ude42\ud83d") == "\ufffd\ufffd"
    assert read_arguments("t", '{"a": "\ud83d\ude42"}') == {"a": "🙂"}

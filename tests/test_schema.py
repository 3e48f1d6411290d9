import copy
import socket

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lab import scalars

from minagent_lab.schema import Schema

FITS = {
    "string": lambda held: isinstance(held, str),
    "number": lambda held: isinstance(held, (int, float)) and not isinstance(held, bool),
    "integer": lambda held: (
        not isinstance(held, bool) and (isinstance(held, int) or (isinstance(held, float) and held.is_integer()))
    ),
    "boolean": lambda held: isinstance(held, bool),
    "object": lambda held: isinstance(held, dict),
    "array": lambda held: isinstance(held, list),
    "null": lambda held: held is None,
}
names = st.sampled_from(["a", "b", "data", "城市", "a-b", "{x}", "$ref", "id", "q'\"\\"])
held = scalars | st.lists(scalars, max_size=2) | st.dictionaries(names, scalars, max_size=2)


def problems(arguments, properties=None, **rest):
    return Schema({"type": "object", "properties": properties or {}, **rest}, "parameters").problems(arguments)


@given(st.dictionaries(names, st.sampled_from(list(FITS))), st.dictionaries(names, held), st.lists(names, unique=True))
def test_each_property_of_the_wrong_type_is_named_and_no_other(types, arguments, required):
    said = problems(arguments, {name: {"type": kind} for name, kind in types.items()}, required=required)

    missing = [name for name in required if name not in arguments]
    wrong = [name for name in arguments if name in types and not FITS[types[name]](arguments[name])]
    expected = [f"missing required: {', '.join(missing)}"] if missing else []
    assert [phrase for phrase in said if phrase.startswith("missing")] == expected
    assert sorted(phrase.split(" must be ")[0] for phrase in said if " must be " in phrase) == sorted(wrong)
    assert len(said) == len(expected) + len(wrong)


@given(st.dictionaries(names, held), st.lists(names, unique=True))
def test_each_key_too_many_is_named_once(arguments, known):
    said = problems(arguments, dict.fromkeys(known, True), additionalProperties=False)
    extra = [name for name in arguments if name not in known]

    assert said == ([f"unexpected: {', '.join(extra)}"] if extra else [])


@pytest.mark.parametrize(
    ("rule", "held", "said"),
    [
        ({"type": "integer"}, True, "n must be a whole number, got true"),
        ({"type": "integer"}, "5", 'n must be a whole number, got "5"'),
        ({"type": "integer"}, 5.5, "n must be a whole number, got 5.5"),
        ({"type": "integer"}, None, "n must be a whole number, got null"),
        ({"type": "boolean"}, "false", 'n must be true or false, got "false"'),
        ({"type": "string"}, 12345, "n must be text, got 12345"),
        ({"type": ["string", "null"]}, 1, "n must be text or null, got 1"),
        ({"anyOf": [{"type": "integer"}, {"type": "null"}]}, "x", 'n must be a whole number or null, got "x"'),
        (
            {"anyOf": [{"type": "integer"}, {"type": "string", "minLength": 3}]},
            "x",
            'n cannot be validated by any definition, got "x"',
        ),
        ({"anyOf": [{"type": "integer"}, {"minLength": 3}]}, "x", 'n cannot be validated by any definition, got "x"'),
        ({"enum": ["a", "b"]}, "c", 'n must be one of "a", "b", got "c"'),
        ({"const": "北京"}, "上海", 'n must be "北京", got "上海"'),
        ({"minimum": 3}, 2, "n must be bigger than or equal to 3, got 2"),
        ({"maxLength": 2}, "abc", 'n must be shorter than or equal to 2 characters, got "abc"'),
        ({"items": [{"type": "number"}, {"type": "string"}]}, [1, 2], "n[1] must be text, got 2"),
        ({"items": False}, [1], "n must not be there, got [1]"),
        ({"minItems": 2}, [1], "n must contain at least 2 items, got [1]"),
        ({"not": {"type": "null"}}, None, "n must NOT match a disallowed definition, got null"),
        ({"allOf": [{"additionalProperties": False}]}, {"x": 1}, 'n has keys that are not allowed, got {"x": 1}'),
        (False, 1, "unexpected: n"),
    ],
)
def test_a_problem_names_place_rule_and_what_came(rule, held, said):
    assert problems({"n": held}, {"n": rule}) == [said]


@pytest.mark.parametrize(
    ("rule", "held"),
    [
        ({"type": "integer"}, 5.0),
        ({"type": "number"}, 5),
        ({"type": ["string", "null"]}, None),
        ({"enum": ["a", None]}, None),
        ({"format": "color"}, "no colour"),
        ({}, {"anything": [1]}),
        (True, 1),
    ],
)
def test_what_fits_is_no_problem(rule, held):
    assert problems({"n": held}, {"n": rule}) == []


def test_all_problems_are_named_at_every_depth():
    point = {"type": "object", "properties": {"x": {"type": "number"}, "y": {"type": "number"}}, "required": ["x", "y"]}
    path = {"type": "array", "items": {"$ref": "#/$defs/point"}}
    shape = {"type": "object", "properties": {"path": path, "fill": {"type": "string"}}, "additionalProperties": False}
    arguments = {"shape": {"path": [{"x": 1, "y": 2}, {"x": "1"}, 7], "fill": 3, "line": 1}, "n": "x"}
    properties = {"shape": shape, "n": {"type": "number"}}

    assert sorted(problems(arguments, properties, **{"$defs": {"point": point}})) == [
        "missing required: shape.path[1].y",
        'n must be a number, got "x"',
        "shape.fill must be text, got 3",
        'shape.path[1].x must be a number, got "1"',
        "shape.path[2] must be an object, got 7",
        "unexpected: shape.line",
    ]


def test_a_definition_may_refer_to_itself():
    tree = {
        "type": "object",
        "properties": {"v": {"type": "number"}, "kids": {"type": "array", "items": {"$ref": "#/$defs/tree"}}},
        "required": ["v"],
    }
    root = {"root": {"$ref": "#/$defs/tree"}}
    wrong = {"root": {"v": 1, "kids": [{"v": 2}, {"v": 3, "kids": [{"v": "4"}, {}]}]}}

    assert problems(wrong, root, **{"$defs": {"tree": tree}}) == [
        'root.kids[1].kids[0].v must be a number, got "4"',
        "missing required: root.kids[1].kids[1].v",
    ]


def test_a_reference_may_point_at_another_property():
    assert problems({"a": 1, "b": "x"}, {"a": {"type": "number"}, "b": {"$ref": "#/properties/a"}}) == [
        'b must be a number, got "x"'
    ]


def test_names_of_definitions_may_differ_in_chinese_letters_only():
    two = {"点": {"type": "number"}, "线": {"type": "string"}}
    properties = {name: {"$ref": f"#/$defs/{name}"} for name in two}

    assert problems({"点": 1, "线": "x"}, properties, **{"$defs": two}) == []
    assert problems({"点": "x", "线": 1}, properties, **{"$defs": two}) == [
        '点 must be a number, got "x"',
        "线 must be text, got 1",
    ]


@pytest.mark.parametrize("pointer", ["#/properties/a~1b%25", "#/definitions/n", "#/anyOf/0"])
def test_a_reference_may_point_anywhere_in_the_schema(pointer):
    number = {"type": "number"}
    rest = {"definitions": {"n": number}, "anyOf": [number, {}]}
    said = problems({"x": "1"}, {"x": {"$ref": pointer}, "a/b%": number}, **rest)

    assert said == ['x must be a number, got "1"']


def test_a_reference_may_stand_in_a_list_of_items():
    pair = {"items": [{"$ref": "#/$defs/数"}, {"type": "string"}]}
    said = problems({"pair": ["x", "y"]}, {"pair": pair}, **{"$defs": {"数": {"type": "number"}}})

    assert said == ['pair[0] must be a number, got "x"']


def test_a_reference_may_point_at_the_whole_schema():
    assert problems({"v": 1, "kid": {"kid": {"v": 2}}}, {"kid": {"$ref": "#"}}, required=["v"]) == [
        "missing required: kid.v"
    ]


def test_patterns_and_the_rest_have_rules_of_their_own():
    rules = {"patternProperties": {"^n_": {"type": "number"}}, "additionalProperties": {"type": "string"}}
    assert problems({"n_1": "x", "n_2": 2, "note": 3, "name": "y"}, **rules) == [
        'n_1 must be a number, got "x"',
        "note must be text, got 3",
    ]


def test_a_key_that_fits_a_pattern_is_expected():
    rules = {"patternProperties": {"^n_": {"type": "number"}}, "additionalProperties": False}
    assert problems({"n_1": "x", "other": 1}, **rules) == ["unexpected: other", 'n_1 must be a number, got "x"']


def test_problems_come_in_the_order_of_the_arguments():
    arguments = dict.fromkeys("zyxwvutsrqponmlkjihgfedcba", 1)
    said = problems(arguments, additionalProperties={"type": "string"})

    assert said == [f"{name} must be text, got 1" for name in arguments]


@pytest.mark.parametrize("wrong", [None, [], "x", 5, True])
def test_arguments_that_are_no_object_are_one_problem(wrong):
    (said,) = problems(wrong, {"a": {"type": "number"}}, required=["a"])
    assert said.startswith("arguments must be an object, got ")


def test_a_long_value_is_cut_in_the_problem():
    (said,) = problems({"n": "x" * 5_000}, {"n": {"type": "number"}})
    assert len(said) < 150


def test_a_default_is_not_filled_in():
    arguments = {}
    assert problems(arguments, {"n": {"type": "number", "default": 5}}) == []
    assert arguments == {}


def test_a_schema_that_refers_to_itself_in_a_circle_is_a_problem_and_no_crash():
    (said,) = problems({}, allOf=[{"$ref": "#"}])
    assert said == "the schema cannot check the arguments: RecursionError: maximum recursion depth exceeded"


def test_a_schema_with_an_address_is_neither_fetched_nor_changed(monkeypatch):
    def refuse(*_):
        raise AssertionError("the network was asked")

    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    schema = {
        "$id": "https://example.com/tool.json",
        "type": "object",
        "properties": {"n": {"$ref": "#/$defs/n"}},
        "$defs": {"n": {"type": "number"}},
    }
    before = copy.deepcopy(schema)

    assert Schema(schema, "parameters").problems({"n": "x"}) == ['n must be a number, got "x"']
    assert schema == before


@pytest.mark.parametrize("wrong", [None, [], "object", 5])
def test_a_schema_that_is_no_object_is_a_type_error(wrong):
    with pytest.raises(TypeError, match=r"parameters is .* write a JSON Schema"):
        Schema(wrong, "parameters")


@pytest.mark.parametrize("wrong", [{}, {"type": "string"}, {"type": ["object"]}, {"properties": {}}])
def test_arguments_have_to_be_an_object(wrong):
    with pytest.raises(ValueError, match="arguments are an object"):
        Schema(wrong, "parameters")


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ("string", 'properties.n must be an object or true or false, got "string"'),
        ({"type": "strng"}, 'properties.n.type must be one of "string", '),
        ({"type": ["number", "nil"]}, "properties.n.type[1] must be one of"),
        ({"type": []}, "properties.n.type must contain at least 1 items"),
        ({"properties": {"m": 3}}, "properties.n.properties.m must be an object"),
        ({"items": 5}, "properties.n.items must be an object"),
        ({"anyOf": []}, "properties.n.anyOf must contain at least 1 items"),
        ({"oneOf": {}}, "properties.n.oneOf must be a list"),
        ({"not": 5}, "properties.n.not must be an object"),
        ({"enum": []}, "properties.n.enum must contain at least 1 items"),
        ({"enum": "ab"}, "properties.n.enum must be a list"),
        ({"minimum": "5"}, 'properties.n.minimum must be a number, got "5"'),
        ({"multipleOf": 0}, "properties.n.multipleOf must be bigger than 0"),
        ({"minLength": -1}, "properties.n.minLength must be bigger than or equal to 0"),
        ({"pattern": "("}, "properties.n.pattern must be a valid regex"),
        ({"required": "a"}, "properties.n.required must be a list"),
        ({"required": [1]}, "properties.n.required[0] must be text, got 1"),
        ({"description": 5}, "properties.n.description must be text"),
        ({"$ref": "https://example.com/n.json"}, "properties.n.$ref must match pattern ^#"),
        ({"$ref": "#/$defs/nowhere"}, "$ref '#/$defs/nowhere' points at no schema in it"),
        ({"$ref": "#n"}, "properties.n.$ref must match pattern"),
        ({"$ref": "#/properties/n"}, "$ref '#/properties/n' points at another $ref"),
        ({"$ref": "#/type"}, "$ref '#/type' points at no schema in it"),
        ({"additionalProperties": "no"}, "properties.n.additionalProperties must be an object or true or false"),
    ],
)
def test_a_wrong_schema_is_refused_with_its_place(rule, said):
    with pytest.raises(ValueError, match=r"^parameters is not a JSON Schema: ") as refusal:
        Schema({"type": "object", "properties": {"n": rule}}, "parameters")
    assert said in str(refusal.value)


def test_a_name_both_required_and_forbidden_is_refused():
    with pytest.raises(ValueError, match=r"\['b'\] are required but not allowed"):
        Schema({"type": "object", "required": ["b"], "additionalProperties": False}, "parameters")


def test_words_of_json_schema_may_be_names_of_properties():
    properties = {name: {"type": "string"} for name in ("type", "$ref", "enum", "required", "properties")}
    assert problems(dict.fromkeys(properties, "x"), properties) == []

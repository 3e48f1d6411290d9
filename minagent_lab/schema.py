"""JSON Schema for tool arguments: checked when a tool is made, and all problems named when a model gets it wrong.

`fastjsonschema` does the checking, of the arguments and of the schema itself.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import Any

from minagent_lab.results import exception_text
from minagent_lab.values import copy_json, dump_json

Check = Callable[[Any], list[str]]

_TYPE_WORDS = {
    "string": "text",
    "number": "a number",
    "integer": "a whole number",
    "boolean": "true or false",
    "object": "an object",
    "array": "a list",
    "null": "null",
}


def compile_schema(schema: dict[str, Any], name: str) -> Check:
    """Return a function that says, in one phrase each, all that is wrong with arguments.

    Raises
    ------
    ValueError, TypeError
        `schema` is not a JSON Schema for an object, or it refers to something outside itself.

    Examples
    --------
    >>> number = {"type": "number"}
    >>> schema = {"type": "object", "properties": {"a": number, "b": number}, "required": ["a", "b"]}
    >>> compile_schema(schema, "parameters")({"b": "minus 3"})
    ['missing required: a', 'b must be a number, got "minus 3"']
    """
    if not isinstance(schema, dict):
        raise TypeError(f"{name} is {schema!r:.80}; write a JSON Schema: {{'type': 'object', 'properties': {{...}}}}")
    if schema.get("type") != "object":
        raise ValueError(
            f"{name} has the type {schema.get('type')!r}; arguments are an object: {{'type': 'object', ...}}"
        )
    if problems := _check_of_schemas()(schema):
        raise ValueError(f"{name} is not a JSON Schema: {'; '.join(problems)}")
    try:
        return _compiled(schema)
    except Exception as problem:  # a reference to nowhere, a name that is required and forbidden
        raise ValueError(f"{name} is not a JSON Schema: {problem}") from None


def _compiled(schema: dict[str, Any]) -> Check:
    import fastjsonschema  # here, because it takes longer to import than the rest of the core together

    validate = fastjsonschema.compile(copy_json(schema), use_default=False, fast_fail=False)

    def problems(arguments: Any) -> list[str]:
        try:
            validate(arguments)
        except fastjsonschema.JsonSchemaValuesException as found:
            return [_in_words(problem) for problem in sorted(found.errors, key=_place)]
        except Exception as problem:  # a schema that refers to itself in a circle, for one
            return [f"the schema cannot check the arguments: {exception_text(problem)}"]
        return []

    return problems


def _place(problem: Any) -> str:
    return str(problem.name)


def _in_words(problem: Any) -> str:
    """Say ``data.b must be number`` as ``b must be a number, got "minus 3"``."""
    path = problem.name.removeprefix("data").removeprefix(".")
    where, inside = path or "arguments", f"{path}." if path else ""
    rule, value = problem.rule_definition, problem.value
    got = dump_json(value)
    got = got if len(got) <= 80 else f"{got[:80]}…"
    match problem.rule:
        case "required":
            return f"missing required: {', '.join(inside + key for key in rule if key not in value)}"
        case "additionalProperties":
            return f"unexpected: {', '.join(inside + key for key in _unexpected(problem.definition, value))}"
        case "type":
            return f"{where} must be {_kinds(rule if isinstance(rule, list) else [rule])}, got {got}"
        case "anyOf" if kinds := _only_types(rule):
            return f"{where} must be {_kinds(kinds)}, got {got}"
        case "enum":
            return f"{where} must be one of {', '.join(map(dump_json, rule))}, got {got}"
        case "const":
            return f"{where} must be {dump_json(rule)}, got {got}"
    return f"{problem.message.replace(problem.name, where, 1)}, got {got}"


def _kinds(types: list[str]) -> str:
    return " or ".join(_TYPE_WORDS[name] for name in types)


def _only_types(forms: list[Any]) -> list[str]:
    """Return the types, where each form says a type and nothing else: how an optional argument is usually written."""
    types = [form["type"] for form in forms if isinstance(form, dict) and form.keys() == {"type"}]
    return types if len(types) == len(forms) and all(isinstance(name, str) for name in types) else []


def _unexpected(schema: dict[str, Any], value: dict[str, Any]) -> list[str]:
    known, patterns = schema.get("properties", {}), schema.get("patternProperties", {})
    return [key for key in value if key not in known and not any(re.search(pattern, key) for pattern in patterns)]


# ---- the schema of schemas ------------------------------------------------------------------------------------------


@cache
def _check_of_schemas() -> Check:
    """Return the check of what JSON Schema's own rules say of a schema, as far as tools need them."""
    schema, text, number = {"$ref": "#"}, {"type": "string"}, {"type": "number"}
    count = {"type": "integer", "minimum": 0}
    schemas = {"type": "array", "minItems": 1, "items": schema}
    named = {"type": "object", "additionalProperties": schema}
    kinds = {"enum": list(_TYPE_WORDS)}
    keywords = {
        "type": _one_or_list(kinds),
        "items": _one_or_list(schema),
        "required": {"type": "array", "items": text, "uniqueItems": True},
        "enum": {"type": "array", "minItems": 1},
        "multipleOf": {"type": "number", "exclusiveMinimum": 0},
        "pattern": {"type": "string", "format": "regex"},
        "$ref": {"type": "string", "pattern": "^#"},  # nothing is fetched
        **dict.fromkeys(("$schema", "$id", "format", "title", "description"), text),
        **dict.fromkeys(("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"), number),
        **dict.fromkeys(("minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"), count),
        **dict.fromkeys(("properties", "patternProperties", "$defs", "definitions"), named),
        **dict.fromkeys(("allOf", "anyOf", "oneOf"), schemas),
        **dict.fromkeys(("additionalProperties", "contains", "propertyNames", "not", "if", "then", "else"), schema),
    }
    return _compiled({"type": ["object", "boolean"], "properties": keywords})


def _one_or_list(part: dict[str, Any]) -> dict[str, Any]:
    return {"if": {"type": "array"}, "then": {"items": part, "minItems": 1}, "else": part}

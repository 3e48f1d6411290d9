"""What JSON Schema says of arguments and of a schema itself, put into words.

`fastjsonschema` does the checking. It is imported when the first tool is made, because it takes longer to import than
the rest of the core together.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from minagent_lab.results import exception_text
from minagent_lab.values import dump_json

# the keywords whose rule is a schema; a list of schemas; schemas by name
ONE = ("items", "additionalProperties", "contains", "propertyNames", "not", "if", "then", "else")
SEVERAL = ("allOf", "anyOf", "oneOf")
NAMED = ("properties", "patternProperties")

_TYPE_WORDS = {
    "string": "text",
    "number": "a number",
    "integer": "a whole number",
    "boolean": "true or false",
    "object": "an object",
    "array": "a list",
    "null": "null",
}


def compiled(schema: dict[str, Any], *, formats: bool = False) -> Any:
    """Return a function that raises when its argument does not fit `schema`."""
    import fastjsonschema

    return fastjsonschema.compile(schema, use_default=False, use_formats=formats)


def first_problem(check: Any, value: Any, where: str = "") -> str:
    """Return the first thing that is wrong with `value`, which stands at `where`; nothing when it fits.

    Examples
    --------
    >>> first_problem(compiled({"type": "number"}), "minus 3", "b")
    'b must be a number, got "minus 3"'
    """
    import fastjsonschema

    try:
        check(value)
    except fastjsonschema.JsonSchemaValueException as problem:
        place = (where + (problem.name or "").removeprefix("data")).removeprefix(".") or "arguments"
        return f"{place} {_in_words(problem)}, got {_short(problem.value)}"
    except Exception as problem:  # a schema that refers to itself in a circle, for one
        return f"the schema cannot check {where or 'the arguments'}: {exception_text(problem)}"
    return ""


def _in_words(problem: Any) -> str:
    rule = problem.rule_definition
    match problem.rule:
        case "type":
            return f"must be {_kinds(rule if isinstance(rule, list) else [rule])}"
        case "anyOf" if kinds := _only_types(rule):
            return f"must be {_kinds(kinds)}"
        case "enum":
            return f"must be one of {', '.join(map(dump_json, rule))}"
        case "const":
            return f"must be {dump_json(rule)}"
        case "additionalProperties":  # the library lists them in any order
            return "has keys that are not allowed"
    return str(problem.message).replace(problem.name, "", 1).strip()


def _kinds(types: list[str]) -> str:
    return " or ".join(_TYPE_WORDS[name] for name in types)


def _only_types(forms: list[Any]) -> list[str]:
    """Return the types, where each form says a type and nothing else: how an optional argument is usually written."""
    types = [form["type"] for form in forms if isinstance(form, dict) and form.keys() == {"type"}]
    return types if len(types) == len(forms) and all(isinstance(name, str) for name in types) else []


def _short(value: Any) -> str:
    text = dump_json(value)
    return text if len(text) <= 80 else f"{text[:80]}…"


# ---- the schema of schemas ------------------------------------------------------------------------------------------


def refuse_no_schema(schema: dict[str, Any]) -> dict[str, Any]:
    """Return `schema`, or raise ``ValueError`` with the place where it is none."""
    if problem := first_problem(_check_of_schemas(), schema):
        raise ValueError(problem)
    return schema


@cache
def _check_of_schemas() -> Any:
    """Return the check of what JSON Schema's own rules say of a schema, as far as tools need them."""
    schema, text, number = {"$ref": "#"}, {"type": "string"}, {"type": "number"}
    count = {"type": "integer", "minimum": 0}
    schemas = {"type": "array", "minItems": 1, "items": schema}
    schemas_by_name = {"type": "object", "additionalProperties": schema}
    kinds = {"enum": list(_TYPE_WORDS)}
    keywords = {
        "type": {"if": {"type": "array"}, "then": {"items": kinds, "minItems": 1}, "else": kinds},
        "required": {"type": "array", "items": text, "uniqueItems": True},
        "enum": {"type": "array", "minItems": 1},
        "multipleOf": {"type": "number", "exclusiveMinimum": 0},
        "pattern": {"type": "string", "format": "regex"},
        "$ref": {"type": "string", "pattern": "^#(/.*)?$"},  # nothing is fetched
        **dict.fromkeys(("$schema", "$id", "format", "title", "description"), text),
        **dict.fromkeys(("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"), number),
        **dict.fromkeys(("minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"), count),
        **dict.fromkeys((*NAMED, "$defs", "definitions"), schemas_by_name),
        **dict.fromkeys(SEVERAL, schemas),
        **dict.fromkeys(ONE, schema),
        "items": {"if": {"type": "array"}, "then": schemas, "else": schema},
    }
    return compiled({"type": ["object", "boolean"], "properties": keywords}, formats=True)

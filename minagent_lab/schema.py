"""JSON Schema for tool arguments: checked when a tool is made, and all problems named when a model gets it wrong.

`fastjsonschema` does the checking. It stops at the first problem, so on a failure each property is looked at in turn.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minagent_lab.values import dump_json

Check = Callable[[dict[str, Any]], Any]

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
    """Return a function that raises when its argument does not fit `schema`.

    Raises
    ------
    ValueError, TypeError
        `schema` is not a JSON Schema for an object, or it refers to something outside itself.
    """
    if not isinstance(schema, dict):
        raise TypeError(f"{name} is {schema!r}; write a JSON Schema: {{'type': 'object', 'properties': {{...}}}}")
    if schema.get("type") != "object":
        raise ValueError(
            f"{name} has the type {schema.get('type')!r}; arguments are an object: {{'type': 'object', ...}}"
        )
    required = schema.get("required", [])
    if isinstance(required, list) and not all(isinstance(key, str) for key in required):
        raise ValueError(f"{name} is not a JSON Schema: required is {required!r}; it is a list of names")
    _refuse_outside_references(schema, name)
    return _compile(schema, name)


def _compile(schema: dict[str, Any], name: str) -> Check:
    import fastjsonschema  # here, because it takes longer to import than the rest of the core together

    try:
        return fastjsonschema.compile(schema, use_default=False)
    except Exception as problem:  # its own exception for most mistakes, whatever Python raises for the others
        raise ValueError(f"{name} is not a JSON Schema: {problem}") from None


def _refuse_outside_references(schema: Any, name: str) -> None:
    if isinstance(schema, dict):
        reference = schema.get("$ref", "#")
        if isinstance(reference, str) and not reference.startswith("#"):
            raise ValueError(f"{name} refers to {reference!r}; only references inside the schema (#/$defs/...) work")
        for part in schema.values():
            _refuse_outside_references(part, name)
    elif isinstance(schema, list):
        for part in schema:
            _refuse_outside_references(part, name)


def schema_problems(schema: dict[str, Any], arguments: dict[str, Any]) -> list[str]:
    """Return all that is wrong with `arguments`, one phrase each: first what is missing, then each property in turn.

    Examples
    --------
    >>> number = {"type": "number"}
    >>> schema = {"type": "object", "properties": {"a": number, "b": number}, "required": ["a", "b"]}
    >>> schema_problems(schema, {"b": "minus 3"})
    ['missing required: a', 'b must be a number, got "minus 3"']
    """
    if not isinstance(arguments, dict):
        return [f"arguments must be an object, got {dump_json(arguments)}"]
    properties = schema.get("properties", {})
    problems = []
    if missing := [key for key in schema.get("required", []) if key not in arguments]:
        problems.append(f"missing required: {', '.join(missing)}")
    if schema.get("additionalProperties", True) is False:
        patterns = schema.get("patternProperties", {})
        extra = [key for key in arguments if key not in properties and not patterns]
        if extra:
            problems.append(f"unexpected: {', '.join(extra)}")
    for key in properties:
        if key in arguments:
            problems += _problem(_only(schema, {key: properties[key]}), {key: arguments[key]})
    return problems or _problem(schema, arguments)


def _only(schema: dict[str, Any], properties: dict[str, Any]) -> dict[str, Any]:
    """Return the schema with these properties and no other demand; its definitions stay, for references."""
    rest = {key: part for key, part in schema.items() if key in ("$schema", "$defs", "definitions")}
    return {**rest, "type": "object", "properties": properties}


def _problem(schema: dict[str, Any], arguments: dict[str, Any]) -> list[str]:
    import fastjsonschema

    try:
        _compile(schema, "schema")(arguments)
    except fastjsonschema.JsonSchemaValueException as problem:
        return [_in_words(problem)]
    return []


def _in_words(problem: Any) -> str:
    """Say ``data.b must be number`` as ``b must be a number, got "minus 3"``."""
    where, rule = problem.name.removeprefix("data").lstrip("."), problem.rule_definition
    got = dump_json(problem.value)
    got = got if len(got) <= 80 else f"{got[:80]}…"
    if problem.rule == "type":
        kinds = rule if isinstance(rule, list) else [rule]
        return f"{where} must be {' or '.join(_TYPE_WORDS.get(kind, str(kind)) for kind in kinds)}, got {got}"
    if problem.rule == "enum":
        return f"{where} must be one of {', '.join(map(dump_json, rule))}, got {got}"
    said = problem.message.replace(problem.name, where or "arguments", 1)
    return f"{said}, got {got}"

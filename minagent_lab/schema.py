"""JSON Schema for tool arguments: checked when a tool is made, and all problems named when a model gets it wrong.

`fastjsonschema` does the checking. It stops at the first problem, so what does not fit is looked at part by part.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote

from minagent_lab.schema_rules import NAMED, ONE, SEVERAL, compiled, first_problem, refuse_no_schema


class Schema:
    """A JSON Schema that says what is wrong with arguments.

    Parameters
    ----------
    schema
        A JSON Schema of type ``"object"``. Its ``format`` is a note for the model, and is not checked.
    name
        What to call it in an error.

    Raises
    ------
    ValueError, TypeError
        It is no such schema, or it refers to something outside itself.

    Examples
    --------
    >>> number = {"type": "number"}
    >>> schema = {"type": "object", "properties": {"a": number, "b": number}, "required": ["a", "b"]}
    >>> Schema(schema, "parameters").problems({"b": "minus 3"})
    ['missing required: a', 'b must be a number, got "minus 3"']
    """

    def __init__(self, schema: dict[str, Any], name: str) -> None:
        if not isinstance(schema, dict):
            shape = "{'type': 'object', 'properties': {...}}"
            raise TypeError(f"{name} is {schema!r:.80}; write a JSON Schema: {shape}")
        if schema.get("type") != "object":
            shape = "{'type': 'object', ...}"
            raise ValueError(f"{name} has the type {schema.get('type')!r}; arguments are an object: {shape}")
        self._definitions: dict[str, Any] = {}
        try:
            self._schema = self._own(refuse_no_schema(schema), schema)
            self._whole = self._compile(self._schema)
        except Exception as problem:  # what fastjsonschema finds included: a name both required and forbidden, for one
            raise ValueError(f"{name} is not a JSON Schema: {problem}") from None

    def problems(self, arguments: Any) -> list[str]:
        """Return all that is wrong with `arguments`, one phrase each; an empty list when they fit."""
        problem = first_problem(self._whole, arguments)
        return (self._all(self._schema, arguments, "", {}) or [problem]) if problem else []

    def _all(self, schema: dict[str, Any], value: Any, where: str, checks: dict[int, Any]) -> list[str]:
        """Return the problems of `value` and of all in it; `checks` are those of the parts met so far."""
        if "$ref" in schema:
            schema = self._definitions[schema["$ref"].removeprefix("#/$defs/")]
        if id(schema) not in checks:
            aside = [*NAMED, "additionalProperties", "required", *(["items"] if _has_items(schema) else [])]
            checks[id(schema)] = self._compile({key: schema[key] for key in schema if key not in aside})
        problems = _problems_of_keys(schema, value, where)
        if problem := first_problem(checks[id(schema)], value, where):
            problems.append(problem)
        for part, held, place in _inside(schema, value, where):
            problems += self._all(part, held, place, checks)
        return problems

    def _compile(self, part: dict[str, Any]) -> Any:
        return compiled({**part, "$defs": self._definitions})

    def _own(self, part: Any, root: dict[str, Any]) -> Any:
        """Return the part with each reference under a name of ours, and keep what it refers to in `_definitions`.

        `fastjsonschema` takes two names for one when they differ in Chinese letters only, and fetches what `$id` says.
        """
        if not isinstance(part, dict):
            return part
        if "$ref" in part:
            name = "d" + part["$ref"].encode().hex()
            if name not in self._definitions:
                self._definitions[name] = {}  # a definition that refers to itself finds the name
                self._definitions[name] = self._own(_referred(part["$ref"], root), root)
            return {"$ref": f"#/$defs/{name}"}
        own: dict[str, Any] = {}
        for keyword, rule in part.items():
            if keyword in NAMED:
                own[keyword] = {key: self._own(each, root) for key, each in rule.items()}
            elif keyword in SEVERAL or (keyword == "items" and isinstance(rule, list)):
                own[keyword] = [self._own(each, root) for each in rule]
            elif keyword not in ("$id", "$schema", "$defs", "definitions"):
                own[keyword] = self._own(rule, root) if keyword in ONE else rule
        return own


def _referred(reference: str, root: dict[str, Any]) -> Any:
    part: Any = root
    for step in unquote(reference).split("/")[1:]:
        key = step.replace("~1", "/").replace("~0", "~")
        part = part[int(key)] if isinstance(part, list) else part.get(key) if isinstance(part, dict) else None
    if not isinstance(part, dict):
        raise ValueError(f"$ref {reference!r} points at no schema in it")  # noqa: TRY004  (it is the schema's text)
    if "$ref" in part:
        raise ValueError(f"$ref {reference!r} points at another $ref; point at the schema itself")
    return refuse_no_schema(part)


def _has_items(schema: dict[str, Any]) -> bool:
    return isinstance(schema.get("items"), dict)


def _problems_of_keys(schema: dict[str, Any], value: Any, where: str) -> list[str]:
    """Return which keys are missing, and which are too many."""
    if not isinstance(value, dict):
        return []
    problems = []
    if missing := [_inner(where, key) for key in schema.get("required", ()) if key not in value]:
        problems.append(f"missing required: {', '.join(missing)}")
    if extra := [_inner(where, key) for key in value if any(rule is False for rule in _rules(schema, key))]:
        problems.append(f"unexpected: {', '.join(extra)}")
    return problems


def _inside(schema: dict[str, Any], value: Any, where: str) -> Iterator[tuple[dict[str, Any], Any, str]]:
    """Yield what is in `value`, each with its schema and its place."""
    if isinstance(value, dict):
        for key, held in value.items():
            yield from ((rule, held, _inner(where, key)) for rule in _rules(schema, key) if isinstance(rule, dict))
    elif isinstance(value, list) and _has_items(schema):
        yield from ((schema["items"], held, f"{where}[{place}]") for place, held in enumerate(value))


def _rules(schema: dict[str, Any], key: str) -> list[Any]:
    """Return the schemas that hold for the value of a key."""
    named, patterns = schema.get("properties", {}), schema.get("patternProperties", {})
    rules = [named[key]] if key in named else []
    rules += [rule for pattern, rule in patterns.items() if re.search(pattern, key)]
    return rules or [schema.get("additionalProperties", True)]


def _inner(where: str, key: str) -> str:
    return f"{where}.{key}" if where else key

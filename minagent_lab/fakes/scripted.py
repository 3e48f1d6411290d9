"""A tool's results without a tool: what it would give back is written down, as a script is for a model."""

from __future__ import annotations

import builtins
import json
from copy import copy
from typing import Any

from minagent_lab.results import exception_text
from minagent_lab.values import a_kind, copy_json, dump_json, parse_json


class ScriptedResults:
    """The function of a tool that has none.

    Parameters
    ----------
    results
        A list: each call gives the next one, and the last one stays, so that a model may ask as often as it likes. Or
        a dict: each result stands under its arguments, as JSON (``'{"city": "北京"}'``) or, shorter, as their values
        with commas between (``"北京"``). ``{"error": "ValueError: no such city"}`` is raised as that exception: as a
        result, or in place of the list for every call.

    Raises
    ------
    TypeError, ValueError
        It is no such list or dict, or holds nothing.

    Examples
    --------
    >>> from minagent_lab import Tool
    >>> look = Tool("look", "What is in it", {"type": "object"}, ScriptedResults(["a key", {"error": "KeyError"}]))
    >>> look.use({}).content, look.use({}).content, look.use({}).content
    ('a key', '{"error": "KeyError"}', '{"error": "KeyError"}')
    >>> ScriptedResults({"北京": "5 °C", '{"city": "上海"}': "8 °C"})(city="上海")
    '8 °C'
    """

    def __init__(self, results: list[Any] | dict[str, Any]) -> None:
        if not isinstance(results, (list, dict)):
            raise TypeError(f"results is {a_kind(results)}; write a list, or a dict by arguments")
        if not results:
            raise ValueError("results is empty; write one result or more")
        self._results = copy_json(results, "results")
        self.used = 0  # calls that were answered, or failed as they were to
        self._by_arguments: dict[str, Any] = {}
        if isinstance(results, dict) and error_of(results) is None:
            for key, result in results.items():
                if key_of(key) in self._by_arguments:
                    raise ValueError(f"two results stand under the same arguments, {key:.80}; keep one of them")
                self._by_arguments[key_of(key)] = result

    def __call__(self, /, **arguments: Any) -> Any:
        """Give the result of this call, or raise it."""
        self.used += 1
        result = self._next() if isinstance(self._results, list) else self._found(arguments)
        text = error_of(result)
        if text is not None:
            raise exception_of(text)
        return copy_json(result, "result")

    def _next(self) -> Any:
        return self._results[min(self.used, len(self._results)) - 1]

    def after(self, used: int) -> ScriptedResults:
        """Return another one, of the same results, that stands where so many calls were answered.

        Examples
        --------
        >>> first = ScriptedResults(["one", "two", "three"])
        >>> first(), first(), first.after(1)(), first()
        ('one', 'two', 'two', 'three')
        """
        other = copy(self)
        other.used = used
        return other

    def _found(self, arguments: dict[str, Any]) -> Any:
        if not self._by_arguments:
            return self._results
        for key in (_canonical(arguments), values_of(arguments)):
            if key in self._by_arguments:
                return self._by_arguments[key]
        known = ", ".join(self._by_arguments)
        raise LookupError(f"no result is written for {dump_json(arguments)}; there are results for {known:.200}")

    def __repr__(self) -> str:
        return f"ScriptedResults({self._results!r})"


def error_of(result: Any) -> str | None:
    """Return the text of ``{"error": text}``; ``None`` when it is an ordinary result."""
    text = result.get("error") if isinstance(result, dict) and len(result) == 1 else None
    return text if isinstance(text, str) else None


def exception_of(text: str) -> Exception:
    """Return the exception that a model would read as this text; a ``RuntimeError`` where the text names none.

    Examples
    --------
    >>> exception_of("ValueError: no such city"), exception_of("KeyError: 'coffee'"), exception_of("out of order")
    (ValueError('no such city'), KeyError('coffee'), RuntimeError('out of order'))
    """
    name, _, message = text.partition(": ")
    kind = getattr(builtins, name, None)
    if isinstance(kind, type) and issubclass(kind, Exception):
        for said in ([message], [message[1:-1]], []):
            try:
                made = kind(*said)
            except TypeError:  # wants more than a text
                break
            if exception_text(made) == text:
                return made
    return RuntimeError(text)


def key_of(key: str) -> str:
    """Return a key as results are looked up by: of JSON, one form for all that say the same.

    Raises
    ------
    ValueError
        It begins like a JSON object and is none.
    """
    if not key.lstrip().startswith("{"):
        return key
    try:
        return _canonical(parse_json(key))
    except (ValueError, TypeError, RecursionError) as problem:
        raise ValueError(f"it begins like arguments, and is no JSON object: {problem}") from None


def values_of(arguments: dict[str, Any]) -> str:
    """Return the values of arguments in a line, as a key that is short to type.

    Examples
    --------
    >>> values_of({"city": "北京", "days": 2})
    '北京, 2'
    """
    return ", ".join(held if isinstance(held, str) else dump_json(held) for held in arguments.values())


def _canonical(arguments: Any) -> str:
    return json.dumps(arguments, ensure_ascii=False, sort_keys=True)

"""The matchers: what can be expected of an agent's answer, its tool calls and its end.

>>> from minagent_lab import FakeModel, ToolRegistry, run
>>> result = run(FakeModel(["It is 5."]), ToolRegistry(), "2 + 3?")
>>> all_of(contains("5"), not_called("add")).problem(result)
''
>>> equals("5").problem(result)
"the answer is 'It is 5.', not '5'"
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from typing import Any

from minagent_lab.checks import check_text
from minagent_lab.observe.differing import difference
from minagent_lab.observe.matching import Matcher, matcher_of
from minagent_lab.record import RunResult
from minagent_lab.testing import ToolCalls, tool_calls
from minagent_lab.values import copy_json, parse_json

__all__ = [
    "Matcher",
    "all_of",
    "any_of",
    "called",
    "contains",
    "equals",
    "json_equals",
    "json_has",
    "matches",
    "none_of",
    "not_called",
    "smoke",
    "status",
]

LONGEST = 160  # characters of an answer that a reason quotes
STATUSES = ("completed", "truncated", "cancelled", "over_budget")  # the other ends of a run are errors
TEXT_ONLY = "text only"  # the status of an agent that returned text, so that nothing is known of a run

# ---- the answer as text


def equals(text: str, *, ignore_case: bool = False, strip: bool = False) -> Matcher:
    """Expect the answer to be this text, and nothing more.

    Parameters
    ----------
    text
        The whole answer. It is compared in composed form (NFC); a full-width ５ is not a 5.
    ignore_case, strip
        Whether upper and lower case, and white space at the ends, do not count.
    """
    check_text("equals: text", text)

    def problem(result: RunResult) -> str:
        got, wanted = (_folded(each, ignore_case=ignore_case, strip=strip) for each in (result.final, text))
        return (
            "" if got == wanted else f"the answer is {_quoted(result.final)}, not {_quoted(text)}{_nearly(got, wanted)}"
        )

    return Matcher(_written("equals", text, **_set(ignore_case=ignore_case, strip=strip)), problem)


def contains(text: str, *, ignore_case: bool = False) -> Matcher:
    """Expect this text somewhere in the answer."""
    check_text("contains: text", text, empty=False)  # the empty text is in every answer

    def problem(result: RunResult) -> str:
        got, wanted = (_folded(each, ignore_case=ignore_case) for each in (result.final, text))
        return "" if wanted in got else f"{_quoted(text)} is not in the answer {_quoted(result.final)}"

    return Matcher(_written("contains", text, **_set(ignore_case=ignore_case)), problem)


def matches(pattern: str | re.Pattern[str]) -> Matcher:
    r"""Expect that a regular expression is found in the answer; for the whole answer, write ``\A...\Z``."""
    flags = pattern.flags if isinstance(pattern, re.Pattern) else 0
    text = pattern.pattern if isinstance(pattern, re.Pattern) else pattern
    check_text("matches: pattern", text, empty=False)
    try:
        expression = re.compile(_nfc(text), flags)
    except re.error as problem:
        raise ValueError(f"matches: the pattern {text!r:.80} is none: {problem}") from None

    def missing(result: RunResult) -> str:
        found = expression.search(_nfc(result.final))
        return "" if found else f"nothing in the answer {_quoted(result.final)} matches {expression.pattern!r}"

    return Matcher(f"matches({pattern!r})", missing)


# ---- the answer as JSON


def json_equals(data: Any) -> Matcher:
    """Expect the answer to be JSON with just this content; spaces and the order of keys do not count."""
    return _json("json_equals", data, more=False)


def json_has(data: Any) -> Matcher:
    """Expect the answer to be JSON with this content; its objects may have more keys."""
    return _json("json_has", data, more=True)


def _json(name: str, data: Any, *, more: bool) -> Matcher:
    wanted = copy_json(data, f"{name}: data")

    def problem(result: RunResult) -> str:
        try:
            got = parse_json(result.final)
        except (ValueError, TypeError, RecursionError) as why:
            fence = "; it stands between ``` marks: ask the model for JSON alone" if "```" in result.final else ""
            return f"the answer {_quoted(result.final)} is no JSON: {why}{fence}"
        return difference(got, wanted, more=more)

    return Matcher(f"{name}({wanted!r})", problem)


# ---- the run


def called(name: str, /, **arguments: Any) -> Matcher:
    """Expect that a tool was called, with at least these arguments."""
    return _asked("called", name, arguments, lambda calls: calls.tool(name, **arguments))


def not_called(name: str, /, **arguments: Any) -> Matcher:
    """Expect that a tool was not called, or not with these arguments."""
    return _asked("not_called", name, arguments, lambda calls: calls.never(name, **arguments))


def _asked(kind: str, name: str, arguments: dict[str, Any], question: Callable[[ToolCalls], Any]) -> Matcher:
    check_text(f"{kind}: name", name, empty=False)

    def problem(result: RunResult) -> str:
        if result.status == TEXT_ONLY:
            return "the agent returned text only, so nobody knows its tool calls; return the RunResult"
        try:
            question(tool_calls(result))
        except AssertionError as no:
            return str(no)
        return ""

    return Matcher(_written(kind, name, **arguments), problem)


def status(word: str) -> Matcher:
    """Expect how the run ended: ``"completed"``, ``"truncated"``, ``"cancelled"`` or ``"over_budget"``."""
    if word not in STATUSES:
        raise ValueError(f"status is {word!r:.80}; use one of {', '.join(STATUSES)}")
    return Matcher(
        f"status({word!r})", lambda result: "" if result.status == word else f"the run is {result.status}, not {word}"
    )


def smoke() -> Matcher:
    """Expect what holds for every model that works: an answer is there, it is whole, and the usage is told.

    For real models, whose wording is another each time. That nothing was raised needs no matcher: it would be an
    error. Source: appendix B.7, the second layer of tests.
    """
    return Matcher("smoke()", _smoke)


def _smoke(result: RunResult) -> str:
    if not result.final.strip():
        return f"there is no answer; the run is {result.status}"
    if result.status != "completed":
        return f"the run is {result.status}, not completed"
    return "" if result.usage else "the usage is not told"


# ---- several


def all_of(*matchers: Any) -> Matcher:
    """Expect all of them; the reason names each that does not hold."""
    return _several("all_of", matchers, lambda _, problems: "; ".join(filter(None, problems)))


def any_of(*matchers: Any) -> Matcher:
    """Expect one of them, or more."""
    return _several(
        "any_of", matchers, lambda _, problems: f"none of these holds: {'; '.join(problems)}" if all(problems) else ""
    )


def none_of(*matchers: Any) -> Matcher:
    """Expect that none of them holds."""

    def judge(parts: list[Matcher], problems: list[str]) -> str:
        return "; ".join(f"{part!r} holds" for part, problem in zip(parts, problems, strict=True) if not problem)

    return _several("none_of", matchers, judge)


def _several(name: str, matchers: tuple[Any, ...], judge: Callable[[list[Matcher], list[str]], str]) -> Matcher:
    if not matchers:
        raise ValueError(f"{name}() has no matcher in it; write {name}(equals(...), ...)")
    parts = [matcher_of(each) for each in matchers]
    words = f"{name}({', '.join(map(repr, parts))})"
    content = "".join(part.content for part in parts)
    return Matcher(words, lambda result: judge(parts, [part.problem(result) for part in parts]), content)


# ---- words


def _nfc(text: str) -> str:
    return unicodedata.normalize("NFC", text)


def _folded(text: str, *, ignore_case: bool = False, strip: bool = False) -> str:
    text = _nfc(text.strip() if strip else text)
    return _nfc(text.casefold()) if ignore_case else text


def _quoted(text: str) -> str:
    return repr(text) if len(text) <= LONGEST else f"{text[:LONGEST]!r}… ({len(text):,} characters)"


def _nearly(got: str, wanted: str) -> str:
    """Say where two texts are the same but for one thing; it is a hint for people, and changes no verdict."""
    changes: list[tuple[str, Callable[[str], str]]] = [
        ("white space at the ends", str.strip),
        ("upper and lower case", str.casefold),
        ("the width or the form of characters", lambda text: unicodedata.normalize("NFKC", text)),
    ]
    only = [what for what, change in changes if change(got) == change(wanted)]
    return f"; they differ only in {only[0]}" if only else ""


def _written(name: str, text: str, **named: Any) -> str:
    return f"{name}({text!r}{''.join(f', {key}={held!r}' for key, held in named.items())})"


def _set(**flags: bool) -> dict[str, bool]:
    return {name: flag for name, flag in flags.items() if flag}

"""Rules: which request gets which answer. The first rule whose filters all pass wins, so their order matters.

Source: the MockGPT document, `rules`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, NamedTuple

from minagent_lab.errors import MockError
from minagent_lab.mockgpt.generators import kept
from minagent_lab.mockgpt.request import MockRequest
from minagent_lab.results import exception_text
from minagent_lab.values import a_kind, value

_MISSING = object()
Judged = Callable[[], tuple[bool, str]]  # asks one filter


class Verdict(NamedTuple):
    """What one filter says of a request: its name, whether it lets it pass, why, and whether it raised instead."""

    filter: str
    passed: bool
    why: str
    raised: bool = False


@value
class Rule:
    """Filters, and what to answer when all of them pass. A rule without filters answers everything.

    Parameters
    ----------
    prompt
        Of the prompt, the text of the last user message: a text that it contains, a compiled regular expression that is
        found in it, or a function of it that says whether it passes.
    model
        The same, of the name of the model that is asked for.
    tools
        A text: the name of a tool that is on offer. A regular expression: found in the name of one. A function: of the
        list of tools.
    when
        A function of the whole `MockRequest`.
    generator
        What to answer: text, a JSON value, something of ``responses`` or ``generators``, or a function of the request
        that returns one of these.

    Examples
    --------
    >>> rule = Rule(prompt="status", generator={"online": True})
    >>> rule.explain(MockRequest([], model="demo"))
    [Verdict(filter='prompt', passed=False, why="'' does not contain 'status'", raised=False)]
    """

    prompt: str | re.Pattern[str] | Callable[[str], Any] | None = None
    model: str | re.Pattern[str] | Callable[[str], Any] | None = None
    tools: str | re.Pattern[str] | Callable[[list[dict[str, Any]]], Any] | None = None
    when: Callable[[MockRequest], Any] | None = None
    generator: Any = _MISSING

    def __post_init__(self) -> None:
        if self.generator is _MISSING:
            raise TypeError("a rule needs a generator: the text, JSON value or response that it answers with")
        for name in ("prompt", "model", "tools"):
            held = getattr(self, name)
            if held is not None and not isinstance(held, (str, re.Pattern)) and not callable(held):
                raise TypeError(f"Rule.{name} is {held!r:.80}; write text, re.compile(...), or a function")
            if isinstance(held, re.Pattern) and not isinstance(held.pattern, str):
                raise TypeError(f"Rule.{name} is a pattern of bytes; write re.compile('...')")
        if self.when is not None and not callable(self.when):
            raise TypeError(f"Rule.when is {self.when!r:.80}; write a function of the request")
        object.__setattr__(self, "generator", kept(self.generator))

    def matches(self, request: MockRequest) -> bool:
        """Whether all filters let a request pass."""
        if self.prompt is not None and not _passes("prompt", self.prompt, request.prompt):
            return False  # every request asks many rules this, so no words are made for the answer
        if self.model is not None and not _passes("model", self.model, request.model):
            return False
        if self.tools is not None and not _tools_judged(self.tools, request)[0]:
            return False
        return self.when is None or _asked("when", self.when, request)[0]

    def explain(self, request: MockRequest) -> list[Verdict]:
        """Return what each filter says, also after one has said no; one that raises is among them."""
        return [_verdict(name, judged) for name, judged in self._filters(request)]

    def _filters(self, request: MockRequest) -> Iterator[tuple[str, Judged]]:
        for name, seen in (("prompt", request.prompt), ("model", request.model)):
            if (wanted := getattr(self, name)) is not None:
                yield name, partial(_judged, name, wanted, seen)
        if self.tools is not None:
            yield "tools", partial(_tools_judged, self.tools, request)
        if self.when is not None:
            yield "when", partial(_asked, "when", self.when, request)

    def __repr__(self) -> str:
        held = {name: getattr(self, name) for name in ("prompt", "model", "tools", "when")}
        filters = ", ".join(f"{name}={_shown(wanted)}" for name, wanted in held.items() if wanted is not None)
        return f"<Rule {filters or 'for everything'}>"


def read_rule(rule: Any, number: int) -> Rule:
    """Return a rule from a `Rule` or a dict of its fields; refuse anything else."""
    if isinstance(rule, Rule):
        return rule
    if not isinstance(rule, Mapping):
        raise TypeError(f"rule {number} is {a_kind(rule)}; write Rule(prompt=..., generator=...)")
    fields = ("prompt", "model", "tools", "when", "generator")
    if odd := next((name for name in rule if name not in fields), None):
        raise TypeError(f"rule {number} has no field {odd!r:.40}; there are {', '.join(fields)}")
    try:
        return Rule(**rule)
    except TypeError as problem:
        raise TypeError(f"rule {number}: {problem}") from None


def _verdict(name: str, judged: Judged) -> Verdict:
    try:
        return Verdict(name, *judged())
    except MockError as problem:
        return Verdict(name, False, f"raised {exception_text(problem.__cause__ or problem)}", raised=True)


def _passes(name: str, wanted: Any, seen: str) -> bool:
    if isinstance(wanted, str):
        return wanted in seen
    return wanted.search(seen) is not None if isinstance(wanted, re.Pattern) else _asked(name, wanted, seen)[0]


def _judged(name: str, wanted: Any, seen: str) -> tuple[bool, str]:
    if isinstance(wanted, str):
        passed = _passes(name, wanted, seen)
        return passed, f"{_short(seen)} {'contains' if passed else 'does not contain'} {wanted!r:.60}"
    if isinstance(wanted, re.Pattern):
        passed = _passes(name, wanted, seen)
        return passed, f"{_pattern(wanted)} is {'found' if passed else 'not found'} in {_short(seen)}"
    return _asked(name, wanted, seen)


def _tools_judged(wanted: Any, request: MockRequest) -> tuple[bool, str]:
    names = request.tool_names
    offered = f"on offer: {', '.join(names) or 'none'}"
    if isinstance(wanted, str):
        return wanted in names, f"{wanted!r:.60} is {'' if wanted in names else 'not '}a tool ({offered})"
    if isinstance(wanted, re.Pattern):
        passed = any(wanted.search(name) for name in names)
        return passed, f"{_pattern(wanted)} is {'found' if passed else 'not found'} in a name ({offered})"
    return _asked("tools", wanted, request.tools)


def _asked(name: str, function: Callable[[Any], Any], seen: Any) -> tuple[bool, str]:
    try:
        passed = bool(function(seen))
    except Exception as problem:
        raise MockError("MOCK_FILTER_FAILED", f"the filter {name} raised {exception_text(problem)}") from problem
    return passed, f"{_shown(function)} says {'yes' if passed else 'no'}"


def _shown(wanted: Any) -> str:
    if isinstance(wanted, re.Pattern):
        return f"re.compile({_pattern(wanted)})"
    if isinstance(wanted, str):
        return f"{wanted!r:.60}"
    return getattr(wanted, "__name__", type(wanted).__name__)


def _pattern(wanted: re.Pattern[str]) -> str:
    """Return a pattern as its author is likely to have written it: with single backslashes."""
    text = wanted.pattern
    raw = "\\" in text and text.isprintable() and "'" not in text and not text.endswith("\\")
    return f"r'{text:.60}'" if raw else f"{text!r:.60}"


def _short(text: str) -> str:
    return repr(text) if len(text) <= 60 else f"{text[:60]!r}…"

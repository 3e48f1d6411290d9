"""Why a rule answers, and why the others do not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from minagent_lab.mockgpt.request import MockRequest
from minagent_lab.mockgpt.rules import Rule, Verdict
from minagent_lab.views.html import escape, mark, quoted

NO_ANSWER = "No rule fits, and there is no fallback: MOCK_RULE_NOT_FOUND."
NO_FILTERS = "no filters: it fits everything"
_CELL = "text-align:left;vertical-align:top;padding:.25em .8em .25em 0"
_LIST = "list-style:none;padding-left:0;margin:0"


class Explanation:
    """What each filter of each rule says of a request.

    Attributes
    ----------
    winner : int, "fallback" or None
        Which rule answers, counted from 1.
    verdicts : list of list of Verdict
        One list per rule, with a `Verdict(filter, passed, why, raised)` for each of its filters.
    """

    def __init__(self, request: MockRequest, rules: Sequence[Rule], *, fallback: bool) -> None:
        self.request, self._rules = request, rules
        self.verdicts = [rule.explain(request) for rule in rules]
        self.winner: int | str | None = None
        self._end = 0, NO_ANSWER  # the rule that ends the search, and what is said of it
        for number, said in enumerate(self.verdicts, 1):
            no = next((verdict for verdict in said if not verdict.passed), None)
            if no is None:
                self.winner, self._end = number, (number, f"Rule {number} answers.")
                return
            if no.raised:
                self._end = number, f"Nobody answers: rule {number} cannot be asked. MOCK_FILTER_FAILED."
                return
        if fallback:
            self.winner, self._end = "fallback", (0, "No rule fits, so the fallback answers.")

    @property
    def headline(self) -> str:
        """Who answers, in a sentence."""
        return self._end[1]

    def text(self) -> str:
        """Return it as plain text: who answers, the request, then a line per rule and a line per filter."""
        lines = [self.headline, f"   {self._asked()}"]
        for number, said in enumerate(self.verdicts, 1):
            lines.append(f"rule {number} {self._word(number)}")
            lines += [f"   {'✓' if verdict.passed else '✗'} {verdict.filter}: {verdict.why}" for verdict in said]
            lines += [] if said else [f"   ({NO_FILTERS})"]
        return "\n".join(lines)

    def html(self) -> str:
        """Return it as HTML that needs no style sheet."""
        return f"<p><b>{escape(self.headline)}</b><br>{escape(self._asked())}</p>{self.table()}"

    def table(self) -> str:
        """Return the rules as an HTML table that needs no style sheet: what they answer, and what their filters say."""
        heads = "".join(
            f"<th scope='col' style='{_CELL}'>{head}</th>" for head in ("rule", "its filters", "so it", "its answer")
        )
        rows = "".join(self._row(number, said) for number, said in enumerate(self.verdicts, 1))
        return f"<table style='border-collapse:collapse'><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>"

    def _row(self, number: int, said: list[Verdict]) -> str:
        filters = "".join(
            f"<li>{mark(verdict.passed, ('yes', 'no'))} <b>{escape(verdict.filter)}</b> {escape(verdict.why)}</li>"
            for verdict in said
        )
        cells = [
            f"<b>{number}</b>",
            f"<ul style='{_LIST}'>{filters or f'<li>{NO_FILTERS}</li>'}</ul>",
            escape(self._word(number)),
            quoted(_answer(self._rules[number - 1].generator)),
        ]
        if number == self.winner:
            cells[2] = f"<b>{cells[2]}</b>"
        line = f"border-top:1px solid var(--jp-border-color2,#ccc);{_CELL}"
        return "<tr>" + "".join(f"<td style='{line}'>{cell}</td>" for cell in cells) + "</tr>"

    def _word(self, number: int) -> str:
        last, fits = self._end[0], all(verdict.passed for verdict in self.verdicts[number - 1])
        if number == last:
            return "answers" if fits else "cannot be asked"
        if not fits:
            return "does not fit"
        return f"would fit, but rule {last} comes first"

    def _asked(self) -> str:
        asked = self.request
        parts = [f"prompt {asked.prompt!r:.80}"]
        parts += [f"model {asked.model!r:.40}"] if asked.model else []
        parts += [f"tools {', '.join(asked.tool_names)}"] if asked.tools else []
        parts += [f"turn {asked.turn}"] if asked.turn else []
        parts += [f"results {asked.results!r:.60}"] if asked.results else []
        return ", ".join(parts)

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        """Return it for a notebook."""
        return {"text/plain": self.text(), "text/html": self.html()}

    def __repr__(self) -> str:
        return self.text()


def _answer(generator: Any) -> str:
    """Return what a rule answers with, in a few signs."""
    if callable(generator):
        name = getattr(generator, "__name__", type(generator).__name__)
        return "a function" if name == "<lambda>" else f"{name}(request)"
    text = repr(generator)
    return text if len(text) <= 60 else f"{text[:60]}…"


def no_rule(rules: Sequence[Rule], request: MockRequest) -> str:
    """Say, in a line, that no rule fits and why."""
    whys = []
    for number, rule in enumerate(rules[:5], 1):
        no = next(verdict for verdict in rule.explain(request) if not verdict.passed)
        whys.append(f"rule {number}, {no.filter}: {no.why}")
    more = f"; and {len(rules) - 5} more" if len(rules) > 5 else ""
    return f"no rule fits {request!r}, and there is no fallback ({'; '.join(whys) or 'there are no rules'}{more})"

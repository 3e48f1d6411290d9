"""Why a rule answers, and why the others do not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from minagent_lab.mockgpt.request import MockRequest
from minagent_lab.mockgpt.rules import Rule, Verdict
from minagent_lab.views.html import escape


class Explanation:
    """What each filter of each rule says of a request.

    Attributes
    ----------
    winner : int, "fallback" or None
        Which rule answers, counted from 1.
    verdicts : list of list of Verdict
        One list per rule, with a `Verdict(filter, passed, why)` for each of its filters.
    """

    def __init__(self, request: MockRequest, rules: Sequence[Rule], *, fallback: bool) -> None:
        self.request = request
        self.verdicts = [rule.explain(request) for rule in rules]
        won = (number for number, said in enumerate(self.verdicts, 1) if all(verdict.passed for verdict in said))
        self.winner: int | str | None = next(won, "fallback" if fallback else None)

    def text(self) -> str:
        """Return it as plain text: a line per rule, and a line per filter."""
        lines = [f"prompt {self.request.prompt!r:.80}"]
        for number, said in enumerate(self.verdicts, 1):
            lines.append(f"rule {number}: {self._word(number, said)}")
            lines += [f"   {'✓' if verdict.passed else '✗'} {verdict.filter}: {verdict.why}" for verdict in said]
        if self.winner == "fallback":
            lines.append("fallback: answers")
        elif self.winner is None:
            lines.append("no rule fits, and there is no fallback: MOCK_RULE_NOT_FOUND")
        return "\n".join(lines)

    def _word(self, number: int, said: list[Verdict]) -> str:
        if not all(verdict.passed for verdict in said):
            return "does not fit"
        return "answers" if number == self.winner else "would fit, but an earlier rule answers"

    def html(self) -> str:
        """Return it as HTML that needs no style sheet."""
        rows = []
        for number, said in enumerate(self.verdicts, 1):
            filters = "".join(
                f"<li>{'✓' if verdict.passed else '✗'} <b>{escape(verdict.filter)}</b>: {escape(verdict.why)}</li>"
                for verdict in said
            )
            rows.append(f"<li><b>rule {number}: {self._word(number, said)}</b><ul>{filters}</ul></li>")
        last = {
            "fallback": "<p><b>fallback: answers</b></p>",
            None: f"<p><b>{escape(self.text().splitlines()[-1])}</b></p>",
        }
        end = "" if isinstance(self.winner, int) else last[self.winner]
        return f"<p>prompt {escape(repr(self.request.prompt)[:80])}</p><ul>{''.join(rows)}</ul>{end}"

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        """Return it for a notebook."""
        return {"text/plain": self.text(), "text/html": self.html()}

    def __repr__(self) -> str:
        return self.text()


def no_rule(rules: Sequence[Rule], request: MockRequest) -> str:
    """Say, in a line, that no rule fits and why."""
    whys = []
    for number, rule in enumerate(rules[:5], 1):
        no = next(verdict for verdict in rule.explain(request) if not verdict.passed)
        whys.append(f"rule {number}, {no.filter}: {no.why}")
    more = f"; and {len(rules) - 5} more" if len(rules) > 5 else ""
    return f"no rule fits {request!r}, and there is no fallback ({'; '.join(whys) or 'there are no rules'}{more})"

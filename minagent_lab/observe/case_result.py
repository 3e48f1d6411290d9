"""What became of one case, as a value that can be written down and read again."""

from __future__ import annotations

from dataclasses import field
from decimal import Decimal, InvalidOperation
from typing import Any

from minagent_lab.checks import check_usage
from minagent_lab.observe.counting import VERDICTS
from minagent_lab.record import RunResult
from minagent_lab.values import copied_at_each_look, value


@copied_at_each_look("usage")
@value
class CaseResult:
    """What became of one case. Its texts are without secrets, as they are in the file.

    Parameters
    ----------
    id, category, prompt, expected
        The case, and what was expected, in words.
    verdict
        ``"passed"``, ``"failed"`` (the matcher said no), ``"error"`` (the agent, or the matcher, raised) or
        ``"not_run"``.
    reason
        Why it is not passed; of an error its class and text.
    final, status
        The answer, and how the run ended; ``""`` where there is none.
    usage
        The tokens that were told.
    usage_known
        Whether these are all. An unknown usage is not zero.
    cost
        What it cost; ``None`` when that is not known.
    digest
        `EvalCase.digest`.
    run
        The `RunResult` itself, or what an error carried of it; ``None`` where there was none, or it comes from a file.
    """

    id: str
    verdict: str
    reason: str = ""
    category: str = ""
    prompt: str = ""
    expected: str = ""
    final: str = ""
    status: str = ""
    usage: dict[str, int] = field(default_factory=dict)
    usage_known: bool = False
    cost: Decimal | None = None
    digest: str = ""
    run: RunResult | None = field(default=None, compare=False)

    def as_json(self) -> dict[str, Any]:
        """Return it as JSON data, without the run. The cost is text, so that it stays exact."""
        data = {name: getattr(self, name) for name in _KINDS if name != "cost"}
        return {**data, "cost": None if self.cost is None else f"{self.cost:f}"}

    def __repr__(self) -> str:
        return f"<CaseResult {self.id}: {self.verdict}{f', {self.reason:.160}' if self.reason else ''}>"


_KINDS: dict[str, Any] = {
    **dict.fromkeys(("id", "verdict", "reason", "category", "prompt", "expected", "final", "status", "digest"), str),
    "usage": dict,
    "usage_known": bool,
    "cost": (str, type(None)),
}


def result_of(data: Any) -> CaseResult:
    """Return the result that JSON data describe.

    Raises
    ------
    ValueError
        It is none; the text says why.
    """
    if not isinstance(data, dict):
        raise ValueError("this is no result of a case; it is one JSON object")  # noqa: TRY004  it is a file's content
    for name, kind in _KINDS.items():
        if not isinstance(data.get(name, ()), kind):
            raise ValueError(  # noqa: TRY004  it is a file's content
                f'this is no result of a case: its "{name}" is {data.get(name)!r:.80}'
            )
    if data["verdict"] not in VERDICTS:
        raise ValueError(f"its verdict is {data['verdict']!r:.80}; use one of {', '.join(VERDICTS)}")
    return CaseResult(**{**{name: data[name] for name in _KINDS}, "cost": _cost(data["cost"]), "usage": _usage(data)})


def _cost(text: str | None) -> Decimal | None:
    try:
        cost = None if text is None else Decimal(text)
    except InvalidOperation:
        cost = Decimal("NaN")
    if cost is not None and not cost.is_finite():
        raise ValueError(f"its cost is {text!r:.80}; write a number as text")
    return cost


def _usage(data: dict[str, Any]) -> dict[str, int]:
    check_usage(data["usage"])
    return dict(data["usage"])

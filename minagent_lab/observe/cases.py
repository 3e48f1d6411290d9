"""An evaluation case: what to ask an agent, and what to expect. A set of them is the denominator of every rate."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from minagent_lab.checks import check_text
from minagent_lab.fixtures.digest import digest
from minagent_lab.observe.matching import matcher_of
from minagent_lab.values import a_kind, value


@value
class EvalCase:
    """One question to an agent, and what is expected of its run.

    Parameters
    ----------
    id
        Its name, each once in a set.
    prompt
        What to ask.
    expect
        A matcher, such as ``equals("5")``, or a function of the `RunResult`; see ``observe.matchers``.
    category
        What it is counted with.
    system, max_steps
        As for `run`.

    Examples
    --------
    >>> from minagent_lab.observe.matchers import contains
    >>> EvalCase("sum-1", "2 + 3?", contains("5"), category="sums")
    EvalCase('sum-1', '2 + 3?', contains('5'), 'sums')
    """

    id: str
    prompt: str
    expect: Any
    category: str = ""
    system: str | None = None
    max_steps: int = 10

    def __post_init__(self) -> None:
        check_text("EvalCase.id", self.id, empty=False)
        check_text(f"case {self.id}: prompt", self.prompt)
        check_text(f"case {self.id}: category", self.category)
        if self.system is not None:
            check_text(f"case {self.id}: system", self.system)
        if isinstance(self.max_steps, bool) or not isinstance(self.max_steps, int) or self.max_steps < 1:
            raise ValueError(f"case {self.id}: max_steps is {self.max_steps!r}; it is a whole number from 1 up")
        try:
            object.__setattr__(self, "expect", matcher_of(self.expect))
        except TypeError as problem:
            raise TypeError(f"case {self.id}: {problem}") from None

    @property
    def digest(self) -> str:
        """A short word for all that it says; another one when something in it is another.

        Of a function in `expect` its code counts, with what it closes over; what it calls does not.
        """
        said = [self.id, self.prompt, self.expect.identity, self.category, self.system, self.max_steps]
        return digest(said)


def checked_cases(cases: Iterable[EvalCase]) -> list[EvalCase]:
    """Return the cases as a list; refuse what is no set of them."""
    if isinstance(cases, (str, bytes, Mapping, EvalCase)) or not isinstance(cases, Iterable):
        raise TypeError(f"cases is {a_kind(cases)}; write a list of cases, even for one: [EvalCase(...)]")
    held = list(cases)
    if not held:
        raise ValueError("cases is empty, and a rate of nothing says nothing; write at least one EvalCase")
    places: dict[str, int] = {}
    for place, case in enumerate(held):
        if not isinstance(case, EvalCase):
            raise TypeError(f"cases[{place}] is {a_kind(case)}; write EvalCase(id, prompt, expect)")
        if case.id in places:
            raise ValueError(f"cases[{places[case.id]}] and cases[{place}] have the id {case.id!r}; give each its own")
        places[case.id] = place
    return held

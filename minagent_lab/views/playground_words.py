"""What a playground says beside its run: the texts one can go back to, and what stands where no kernel runs."""

from __future__ import annotations

from collections.abc import Sequence

from minagent_lab.stepping.playbook import Problem, Texts
from minagent_lab.stepping.playbook_examples import EXAMPLES
from minagent_lab.stepping.stepper import Stepper
from minagent_lab.views.html import visible
from minagent_lab.views.static import escape, static_html, static_text

LABELS = {"prompt": "Prompt", "script": "Script: what the model says", "tools": "Tools, with their results"}
BEFORE = "The run below is of the text before."
GIVEN = "As given"


class Starts:
    """The texts of the menu: what was given, the examples, and each text of the reader's own.

    Examples
    --------
    >>> starts = Starts(None)
    >>> starts.names
    ('One tool', 'Parallel calls', 'An endless loop', 'A cut answer')
    >>> starts.keep("One tool", Texts('"Hi"'))
    'Your text 1'
    >>> starts.keep("Your text 1", Texts('"Ho"')), starts["Your text 1"].prompt, starts.names[-1]
    ('Your text 1', '"Ho"', 'Your text 1')
    """

    def __init__(self, given: Texts | None) -> None:
        self._texts = {**({} if given is None else {GIVEN: given}), **EXAMPLES}
        self._own: list[str] = []

    @property
    def names(self) -> tuple[str, ...]:
        """The names, in the order of the menu."""
        return tuple(self._texts)

    def __getitem__(self, name: str) -> Texts:
        return self._texts[name]

    def keep(self, name: str, texts: Texts) -> str:
        """Keep what the text of this name has become, and return its name: a new one where it was not one's own."""
        if name not in self._own:
            name = f"Your text {len(self._own) + 1}"
            self._own.append(name)
        self._texts[name] = texts
        return name


def plain_playground(problems: Sequence[Problem], stepper: Stepper | None, stale: bool) -> str:
    """Return what is wrong with the texts, and the run, as plain text."""
    run = [static_text(stepper)] if stepper else []
    return "\n".join([*(visible(str(one)) for one in problems), *([BEFORE] if run and stale else []), *run])


def html_playground(texts: Texts, problems: Sequence[Problem], stepper: Stepper | None, stale: bool) -> str:
    """Return the texts, what is wrong with them, and the run, as HTML that survives a sanitiser."""
    folded = "".join(
        f"<details><summary>{LABELS[part]}</summary><pre>{escape(text)}</pre></details>"
        for part, text in texts._asdict().items()
    )
    told = "".join(f"<li>{escape(str(one))}</li>" for one in problems)
    before = f"<p>{BEFORE}</p>" if stepper and stale else ""
    run = static_html(stepper) if stepper else ""
    return f"<p><b>Playground</b></p>{folded}{f'<ul>{told}</ul>' if told else ''}{before}{run}"

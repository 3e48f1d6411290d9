"""Who is told how far an evaluation is: a bar in a notebook that somebody looks at, lines on stderr, a function."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from minagent_lab.observe.case_result import CaseResult
from minagent_lab.results import exception_text
from minagent_lab.values import a_kind


class Watching:
    """Tells of each result, and never ends an evaluation: what raises is not told any more.

    Parameters
    ----------
    tell
        A function of ``(done, n, result)``.
    n
        How many cases there are.
    close
        What to do at the end.

    Attributes
    ----------
    problem : str
        Why it was not told any more; ``""`` when nothing went wrong.
    """

    def __init__(
        self, tell: Callable[[int, int, CaseResult], Any] | None, n: int, close: Callable[[], None] = lambda: None
    ) -> None:
        self._tell, self._n, self.close = tell, n, close
        self.problem = ""

    def tell(self, done: int, result: CaseResult) -> None:
        """Tell of one more result."""
        if self._tell is None:
            return
        try:
            self._tell(done, self._n, result)
        except Exception as error:
            self._tell = None
            self.problem = f"progress was not told any more: {exception_text(error)}"


def watching(progress: Any, n: int, done: int) -> Watching:
    """Return who is told, after the argument `progress` of `evaluate`."""
    if callable(progress):
        return Watching(progress, n)
    if progress not in (None, True, False):
        raise TypeError(f"progress is {a_kind(progress)}; write True, False, or a function of (done, n, result)")
    if progress is not False and somebody_looks():
        try:
            from minagent_lab.views.progress_bar import ProgressBar
        except ImportError:  # no widgets here
            return Watching(None, n)
        bar = ProgressBar(n, done)
        return Watching(bar.tell, n, bar.close)
    return Watching(_write_line if progress else None, n)


def somebody_looks() -> bool:
    """Whether this runs in a notebook that a person has open.

    Then the frontend offers to ask that person for input. What executes notebooks by itself does not (nbclient, nbval,
    papermill): there, a bar would stay in the outputs for ever.
    """
    shell = sys.modules.get("IPython")
    kernel = getattr(shell and shell.get_ipython(), "kernel", None)
    return bool(getattr(kernel, "_allow_stdin", False))


def _write_line(done: int, n: int, result: CaseResult) -> None:
    sys.stderr.write(f"{done}/{n} {result.id}: {result.verdict}\n")

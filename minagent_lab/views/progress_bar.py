"""How far something is, as a bar in the notebook, which is gone when it is done."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import ipywidgets as widgets
from IPython.display import display

from minagent_lab.views.html import escape

if TYPE_CHECKING:
    from minagent_lab.observe.case_result import CaseResult


class ProgressBar(widgets.HBox):  # type: ignore[misc]
    """A bar that shows itself when it is made.

    Parameters
    ----------
    n
        How many cases there are.
    done
        How many are done already.
    """

    def __init__(self, n: int, done: int = 0) -> None:
        self.bar = widgets.IntProgress(done, 0, n, layout=widgets.Layout(width="40%"))
        self.said = widgets.HTML()
        self._counts: dict[str, int] = {}
        super().__init__([self.bar, self.said])
        self._say(done, n)
        self._output = display(self, display_id=True)  # type: ignore[no-untyped-call]

    def tell(self, done: int, n: int, result: CaseResult) -> None:
        """Show one more result."""
        self._counts[result.verdict] = self._counts.get(result.verdict, 0) + 1
        self.bar.value = done
        self._say(done, n)

    def close(self) -> None:
        """Take it away: the widgets, and what was displayed."""
        if self._output is not None:
            self._output.update({}, raw=True)  # an output with nothing in it; to clear it would clear the others too
        for part in (self.bar, self.said):
            for its in (part.style, part.layout, part):
                its.close()
        self.layout.close()
        super().close()

    def _say(self, done: int, n: int) -> None:
        counts = "".join(f", {number} {word}" for word, number in self._counts.items())
        self.said.value = f"<span role='status'>{escape(f'{done} of {n} cases{counts}')}</span>"

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, Any]:
        """Return the live bar only: there is nothing to keep of it."""
        return {**super()._repr_mimebundle_(**kwargs), "text/plain": ""}

    def __repr__(self) -> str:
        return f"<ProgressBar: {self.bar.value} of {self.bar.max}>"

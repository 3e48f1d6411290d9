"""A request to a MockGPT as one types it, and below it which rule would answer."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import ipywidgets as widgets

from minagent_lab.messages import Message
from minagent_lab.mockgpt.request import MockRequest, read_request
from minagent_lab.results import exception_text
from minagent_lab.views.closing import ClosingBox
from minagent_lab.views.guard import Guard
from minagent_lab.views.html import escape

if TYPE_CHECKING:
    from minagent_lab.mockgpt.explained import Explanation
    from minagent_lab.mockgpt.mock import MockGPT


class ExplainView(ClosingBox):
    """What each rule of a mock says of a request. It follows while one types; nothing is asked, nothing used up.

    Parameters
    ----------
    mock
        The mock whose rules are looked at.
    request
        What to begin with: the user's text, or whatever else `MockGPT.explain` takes. Its history is kept; the prompt,
        the model and whether its tools are on offer can be changed.
    models
        Names for the menu, beside those that the rules name as text.

    Attributes
    ----------
    explanation : Explanation or None
        What is shown.
    last_error : Exception or None
        Why nothing can be shown.
    """

    def __init__(self, mock: MockGPT, request: Any = "", models: Iterable[str] = ()) -> None:
        self.mock = mock
        self.explanation: Explanation | None = None
        self.last_error: Exception | None = None
        self._start = start = read_request(request)
        self.prompt = widgets.Text(start.prompt, description="Prompt", continuous_update=True, layout=_wide())
        named = [rule.model for rule in mock.rules if isinstance(rule.model, str)]
        names = list(dict.fromkeys([start.model, "", *named, *models]))
        options = [(name or "(none named)", name) for name in names]
        self.model = widgets.Dropdown(options=options, value=start.model, description="Model", layout=_wide())
        self.model.layout.display = "" if len(names) > 1 else "none"
        offered = f"Tools on offer: {', '.join(start.tool_names)}"
        self.tools = widgets.Checkbox(bool(start.tools), description=offered, indent=False, layout=widgets.Layout())
        self.tools.layout.display = "" if start.tools else "none"
        self._head, self._table = widgets.HTML(), widgets.HTML()
        for control in (self.prompt, self.model, self.tools):
            control.observe(lambda _: self.refresh(), "value")
        super().__init__([self.prompt, self.model, self.tools, self._head, self._table, Guard()])
        self.add_class("lab-guarded")
        self.refresh()

    @property
    def request(self) -> MockRequest:
        """The request as it now stands in the fields."""
        start, messages = self._start, list(self._start.messages)
        at = next((place for place in reversed(range(len(messages))) if messages[place].role == "user"), None)
        message = Message("user", self.prompt.value)
        if at is not None:
            messages[at] = message
        elif self.prompt.value:
            messages.append(message)
        tools = list(start.tools) if self.tools.value else []
        return replace(start, messages=messages, model=self.model.value, tools=tools)

    def refresh(self) -> None:
        """Explain the request in the fields."""
        self.explanation = self.last_error = None
        try:
            self.explanation = shown = self.mock.explain(self.request)
            head, table = shown.headline, shown.table()
        except Exception as problem:
            self.last_error, head, table = problem, exception_text(problem), ""
        self._head.value = f"<p role='status'><b>{escape(head)}</b></p>"
        self._table.value = f"<div style='overflow-x:auto'>{table}</div>"

    def _text(self) -> str:
        return repr(self.explanation) if self.explanation else exception_text(self.last_error or Exception())

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, Any]:
        """Return the live view, and what stands for it where no kernel runs."""
        bundle = super()._repr_mimebundle_(**kwargs)
        html = self.explanation.html() if self.explanation else f"<p>{escape(self._text())}</p>"
        return {**bundle, "text/plain": self._text(), "text/html": html}

    def __repr__(self) -> str:
        return f"<ExplainView {self._text().splitlines()[0]}>"


def _wide() -> Any:
    return widgets.Layout(width="auto", max_width="40em")  # one for each control: each is hidden by itself

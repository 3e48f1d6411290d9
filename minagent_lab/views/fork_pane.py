"""The editor of a fork: one thing of the call that is shown can be changed, and a new branch made of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ipywidgets as widgets

from minagent_lab.errors import ForkError, MinAgentError
from minagent_lab.stepping.fields import script_of
from minagent_lab.stepping.forking import item_at, item_number
from minagent_lab.stepping.items import is_text, item_of_text, text_of_item
from minagent_lab.stepping.stepper import Stepper
from minagent_lab.views.html import escape
from minagent_lab.views.panes import Pane, Press, area, button

MOST_RESULTS = 12  # results of one call that can be edited here; `StepperView.fork` edits any
TEXT, JSON = "plain text", "JSON"


class ForkPane(Pane):
    """Fields for the script's item, the tools' results and the prompt.

    Parameters
    ----------
    make
        Called with the call and the changes; it makes the branch.
    cancel
        Called when nothing is to be made.
    attempt
        Runs a handler, and shows what goes wrong.
    """

    def __init__(self, make: Callable[..., Any], cancel: Press, attempt: Callable[[Press], None]) -> None:
        self._make, self._call, self._item = make, 1, None
        self._before: dict[str, str] = {}
        self._ids: list[str] = []
        self.kind = widgets.Dropdown(description="Change")
        self.form = widgets.Dropdown(description="Written as", options=[TEXT, JSON])
        self.item, self.prompt, self.system = area("Item", 6), area("Prompt", 3), area("System prompt", 3)
        self.results: list[Any] = []  # grows up to MOST_RESULTS and is used again
        self._results = widgets.VBox()
        self.problem = widgets.HTML()
        self.problem.add_class("lab-problem")
        self.make_button = button("Make the branch", "make", lambda: attempt(self.make))
        row = widgets.HBox([self.make_button, button("Cancel", "cancel", lambda: attempt(cancel))])
        row.add_class("lab-foot")
        self.kind.observe(lambda _: self._choose(), "value")
        fields = [self.kind, self.form, self.item, self._results, self.prompt, self.system, self.problem, row]
        super().__init__("Fork", fields)
        self.add_class("lab-forking")

    def fill(self, stepper: Stepper) -> None:
        """Show what could be changed at the call that is shown."""
        self._call = stepper.index or 1
        self._item = item_at(stepper, self._call)
        self.title(f"Fork at call {self._call}: what should be different?")
        scripted = script_of(stepper.model) is not None
        number = item_number(stepper, self._call)
        self.item.description = f"Item {number}"
        self.form.value = TEXT if is_text(self._item) else JSON
        self.item.value = text_of_item(self._item)
        self.prompt.value, self.system.value = stepper.prompt, stepper.system or ""
        turn = stepper.turns[self._call - 1] if stepper.turns else None
        self._fill_results([(call.id, result.content) for call, result in turn.results] if turn else [])
        self._before = {"item": self.item.value, "prompt": self.prompt.value, "system": self.system.value}
        kinds = [(f"what the model says: script item {number}", "item")] if scripted else []
        kinds += [("what came of its tools", "results")] if self._ids else []
        self.kind.options = [*kinds, ("the prompt", "prompt")]
        self.kind.value = self.kind.options[0][1]
        self._choose()

    def _fill_results(self, results: list[tuple[str, str]]) -> None:
        results = results[:MOST_RESULTS]
        self._ids = [id for id, _ in results]
        while len(self.results) < len(results):
            self.results.append(area("", 2))
        for field, (id, content) in zip(self.results, results, strict=False):
            field.description, field.value = f"Result of {id}", content
        self._was = [content for _, content in results]
        self._results.children = self.results[: len(results)]

    def _choose(self) -> None:
        """Show the fields of what is to be changed."""
        shown = {
            "item": [self.form, self.item],
            "results": [self._results],
            "prompt": [self.prompt, self.system],
        }
        for kind, fields in shown.items():
            for field in fields:
                field.layout.display = "" if kind == self.kind.value else "none"
        self._say("")

    def changes(self) -> dict[str, Any]:
        """Return what was changed, as `fork` takes it.

        Raises
        ------
        ForkError
            What is written cannot be read, or is as it was.
        """
        if self.kind.value == "results":
            fields = zip(self._ids, self.results, self._was, strict=False)
            edited = {id: field.value for id, field, was in fields if field.value != was}
            return {"results": edited} if edited else self._unchanged()
        names = ["item"] if self.kind.value == "item" else ["prompt", "system"]
        edited = {name: text for name in names if (text := getattr(self, name).value) != self._before[name]}
        if "item" in names:
            if not edited and self.form.value == (TEXT if is_text(self._item) else JSON) and self._item is not None:
                return self._unchanged()
            return {"item": item_of_text(self.item.value, as_json=self.form.value == JSON, like=self._item)}
        if "system" in edited:
            edited["system"] = edited["system"] or None
        return edited or self._unchanged()

    def _unchanged(self) -> dict[str, Any]:
        raise ForkError("nothing is changed yet; edit the text above")

    def make(self) -> None:
        """Make the branch; or say at the field what is wrong."""
        try:
            self._make(self._call, **self.changes())
        except (MinAgentError, TypeError, ValueError) as error:
            self._say(str(error))

    def _say(self, words: str) -> None:
        self.problem.value = f'<p role="alert">✕ {escape(words)}</p>' if words else ""

    def close(self) -> None:
        """Close the fields that are not shown too."""
        for field in self.results:
            field.layout.close()
            field.style.close()
            field.close()
        super().close()

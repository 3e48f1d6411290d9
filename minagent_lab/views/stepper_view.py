"""The stepper on the screen: stock buttons and slider, and one panel.

Everything that is computed is computed by a `Stepper`; the view only shows it. A handler is a thin shell round a method
of the view that can be called, and tested, without a browser.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import ipywidgets as widgets

from minagent_lab.model import Model
from minagent_lab.stepping.code import code_of
from minagent_lab.stepping.predictions import Predictions
from minagent_lab.stepping.stepper import Stepper
from minagent_lab.tools import ToolRegistry
from minagent_lab.views.branches import Branch
from minagent_lab.views.closing import close_all
from minagent_lab.views.compare_block import comparison_block
from minagent_lab.views.controls import SPEEDS, Controls
from minagent_lab.views.exporting import export, free_name
from minagent_lab.views.fallback import fallback_html
from minagent_lab.views.frames import facts_of, frame_of, items_of, new_blocks
from minagent_lab.views.html import plain
from minagent_lab.views.listening import Listening
from minagent_lab.views.panel import Panel
from minagent_lab.views.panes import Pane
from minagent_lab.views.question_block import question_block
from minagent_lab.views.static import static_html, static_text
from minagent_lab.views.words import Sentence, before_the_answer, items_used, now, position


def step(
    model: Model,
    registry: ToolRegistry,
    prompt: str,
    *,
    system: str | None = None,
    max_steps: int = 10,
    at: int | str = 0,
    scale: float | None = None,
    predict: bool = False,
    present: bool = False,
) -> StepperView:
    """Show an agent that is stepped one call of the model at a time.

    Parameters
    ----------
    model, registry, prompt, system, max_steps
        As for `run`.
    at
        Where to start: ``at=3`` makes three calls, ``at="end"`` runs to the end. Without it no call is made.
    scale
        The size of everything; 1.6 for a projector.
    predict
        Whether each call is asked about before it is shown. That needs a model with a script.
    present
        Whether it is shown to an audience: large, the script hidden until R or Reveal is pressed, with the keys of a
        clicker (Page Down and Page Up; B and a full stop reveal).

    Examples
    --------
    >>> from minagent_lab import FakeModel
    >>> step(FakeModel(["Hello."]), ToolRegistry(), "Hi", at=1)
    <StepperView: Call 1 of at most 10>
    """
    stepper = Stepper(model, registry, prompt, system=system, max_steps=max_steps)
    return StepperView(stepper, at=at, scale=scale, predict=predict, present=present)


class StepperView(Listening, widgets.VBox):  # type: ignore[misc]
    """A view of a stepper. Any number of views of one stepper agree.

    Parameters
    ----------
    stepper
        What to show: a run that is made, or one that is over (`open_run`).
    at, scale, predict, present
        As for `step`.

    Attributes
    ----------
    stepper : Stepper
        The branch that is shown.
    last_error : BaseException or None
        What ended the run, or what a button's handler could not do.
    """

    _stop_watching: Callable[[], None] = staticmethod(lambda: None)

    def __init__(
        self,
        stepper: Stepper,
        *,
        at: int | str = 0,
        scale: float | None = None,
        predict: bool = False,
        present: bool = False,
    ) -> None:
        scale = (1.6 if present else 1.0) if scale is None else scale
        _check(stepper, at, scale)
        self.stepper = stepper
        self.last_error: BaseException | None = None
        self._scale, self._present = scale, present
        self._notice = ""
        self._playing = self._panel_ready = self._moving_slider = False
        self._revealed = -1  # the call whose next script item is shown to the audience
        self._branches = [Branch("A", stepper)]
        self._compared: tuple[Branch, Branch] | None = None
        self._move_to(at)
        if predict:
            self._branches[0].predictions = Predictions(stepper)
        self._make_parts()
        self._stop_watching = stepper.watch(self.refresh)
        self.refresh()

    def _make_parts(self) -> None:
        self.panel = Panel(facts=facts_of(self.stepper, self._scale), items=items_of(self.stepper), frame={})
        self.panel.on_msg(self._on_message)
        self.controls = Controls(self, self._try)
        self.buttons = self.controls.buttons
        self.first_button, self.back_button, self.next_button, self.last_button = [
            self.buttons[name] for name in ("first", "back", "next", "last")
        ]
        self.play_button, self.speed, self.slider = self.controls.play, self.controls.speed, self.controls.slider
        self.slider.observe(self._on_slider, "value")
        self.speed.observe(lambda _: self.refresh(), "value")
        self.panes: dict[str, Pane] = {}
        self._pane = ""  # the one that is open
        self._pane_box = widgets.VBox()
        self._pane_box.add_class("lab-panes")
        self.fallback = widgets.HTML()
        self.fallback.add_class("lab-fallback")
        transport, bar = self.controls.transport, self.controls.branch_bar
        super().__init__([transport, bar, self.slider, self.panel, self._pane_box, self.fallback])
        classes = {"lab-root": True, "lab-big": self._scale > 1.3, "lab-present": self._present}
        for name in filter(classes.get, classes):
            self.add_class(name)

    # ---- panes, code, files

    def open_pane(self, name: str) -> None:
        """Open the editor of a fork (``"fork"``), the code (``"code"``) or the export; close it where it is open."""
        self._pane = "" if name == self._pane else name
        if self._pane == "fork" and self._predictions and not self.stepper.index:
            self._pane = ""
            self._note("In predict mode the first call can be forked once it is shown.")
            return
        if self._pane and self._pane not in self.panes:
            self.panes[name] = self.controls.pane(name)
            self._pane_box.children = tuple(self.panes.values())
        if self._pane == "fork":
            self.panes["fork"].fill(self.stepper)
        self.refresh()

    @property
    def code(self) -> str:
        """The code of a cell that shows this run at this call; of both runs, while two are compared."""
        if self._compared is None:
            return code_of(self.stepper)
        return "\n\n".join(f"# {branch.title}\n{code_of(branch.stepper)}" for branch in self._compared)

    def export(self, path: str | Path, *, secrets: Iterable[str] = ()) -> Path:
        """Write all recorded calls of the branch that is shown; see `views.exporting.export`."""
        return export(self.stepper, path, secrets=secrets)

    def save_beside(self, suffix: str) -> Path:
        """Write a file with a new name into the folder of the notebook."""
        return self.export(free_name(Path.cwd(), "run", suffix))

    # ---- showing

    @property
    def status_text(self) -> str:
        """What the view says about where the run stands."""
        return plain(self._said()).strip()

    def _said(self) -> Sentence:
        waiting = self._predictions is not None and self._predictions.waiting
        return [*(before_the_answer if waiting else now)(self.stepper), f" {self._notice}"]

    def refresh(self) -> None:
        """Show what the stepper has now. It is called by itself after each move."""
        with self.stepper.lock:
            self._refresh()

    def _refresh(self) -> None:
        stepper = self.stepper
        if stepper.error is not None and stepper.at_frontier:
            self.last_error = stepper.error
        if self._predictions:
            self._predictions.look()
        self._pause_where_it_matters()
        self.panel.add(list(new_blocks(stepper, self.panel.items)))
        with self.panel.hold_sync():
            self.panel.question = question_block(self.question) if self.question else ""
            self.panel.comparison = comparison_block(*self._compared) if self._compared else ""
            self.panel.frame = self._frame()
        self._moving_slider = True
        self.controls.follow(self)
        self._moving_slider = False
        for name, pane in self.panes.items():
            pane.show(name == self._pane)
        if self._pane == "code":
            self.panes["code"].code.value = self.code
        if not self._panel_ready:
            self.fallback.value = fallback_html(stepper, self._notice, self.question)
        self._notice = ""

    def _frame(self) -> dict[str, Any]:
        frame = frame_of(self.stepper, self._said())
        frame.update(playing=self._playing, pause=SPEEDS[self.speed.value])
        if self._predictions:
            seen, waiting = self._predictions.seen, self._predictions.waiting
            frame.update(known=seen, hidden=self._items_shown(seen, self._predictions.may_go_to > seen))
            frame["off"].update(next=frame["off"]["next"] or waiting, play=frame["off"]["play"] or waiting)
        elif self._present:
            frame["hidden"] = self._items_shown(len(self.stepper.turns), self._revealed == self.stepper.index)
        if len(self._branches) > 1:
            frame["branch"] = self.branch.name
        if self._pane:
            frame["pane"] = self._pane
        return frame

    def _items_shown(self, call: int, one_more: bool) -> int:
        return items_used(self.stepper, call) + one_more

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, Any]:
        """Return the live view, and what stands for it where no kernel runs."""
        bundle = super()._repr_mimebundle_(**kwargs)
        static = {"text/plain": static_text(self.stepper), "text/html": static_html(self.stepper)}
        return {**bundle, **static}

    def __repr__(self) -> str:
        return f"<StepperView: {''.join(position(self.stepper))}>"

    def _note(self, words: str) -> None:
        self._notice = words
        self.refresh()

    def close(self) -> None:
        """Close the view with everything that it is made of. A step of Play that comes late is not made."""
        self._playing = False
        self._stop_watching()
        close_all(self)
        super().close()


def _check(stepper: Any, at: Any, scale: Any) -> None:
    if not isinstance(stepper, Stepper):
        raise TypeError(
            f"stepper is {stepper!r:.80}; pass a Stepper, or use step(model, registry, prompt); "
            "a result, a trace or a recording opens as StepperView(open_run(it))"
        )
    if at != "end" and (isinstance(at, bool) or not isinstance(at, int) or at < 0):
        raise ValueError(f"at is {at!r}; it is how many calls to make first, a whole number from 0 up, or 'end'")
    if isinstance(scale, bool) or not isinstance(scale, (int, float)) or not 0.5 <= scale <= 4:
        raise ValueError(f"scale is {scale!r}; it is a size between 0.5 and 4, and 1.6 suits a projector")

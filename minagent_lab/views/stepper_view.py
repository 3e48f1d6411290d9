"""The stepper on the screen: stock buttons and slider, and one panel.

Everything that is computed is computed by a `Stepper`; the view only shows it. A handler is a thin shell round a method
of the view that can be called, and tested, without a browser.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import ipywidgets as widgets

from minagent_lab.growth import Growth, history_growth
from minagent_lab.model import Model, ModelRequest
from minagent_lab.results import exception_text
from minagent_lab.stepping.stepper import Stepper
from minagent_lab.tools import ToolRegistry
from minagent_lab.views import blocks
from minagent_lab.views.html import bold, escape, plain, quoted, rich
from minagent_lab.views.panel import Panel
from minagent_lab.views.source import loop_lines, loop_source
from minagent_lab.views.static import static_html, static_text
from minagent_lab.views.words import count, items_used, lines_note, now, position, script_of, short

SPEEDS = {"1 call per second": 1000, "2 calls per second": 500, "1 call in 2 seconds": 2000}  # milliseconds between


def step(
    model: Model,
    registry: ToolRegistry,
    prompt: str,
    *,
    system: str | None = None,
    max_steps: int = 10,
    at: int | str = 0,
    scale: float = 1.0,
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

    Examples
    --------
    >>> from minagent_lab import FakeModel
    >>> step(FakeModel(["Hello."]), ToolRegistry(), "Hi", at=1)
    <StepperView: Call 1 of at most 10>
    """
    stepper = Stepper(model, registry, prompt, system=system, max_steps=max_steps)
    return StepperView(stepper, at=at, scale=scale)


class StepperView(widgets.VBox):  # type: ignore[misc]
    """A view of a stepper. Any number of views of one stepper agree.

    Parameters
    ----------
    stepper
        What to show.
    at, scale
        As for `step`.

    Attributes
    ----------
    last_error : BaseException or None
        What ended the run, or what a button's handler could not do.
    """

    _stop_watching: Callable[[], None] = staticmethod(lambda: None)

    def __init__(self, stepper: Stepper, *, at: int | str = 0, scale: float = 1.0) -> None:
        _check(stepper, at, scale)
        self.stepper = stepper
        self.last_error: BaseException | None = None
        self._notice = ""
        self._playing = self._panel_ready = self._moving_slider = False
        self._move_to(at)
        self._make_controls()
        self.panel = Panel(facts=self._facts(scale), items=self._items(), frame={})
        self.panel.on_msg(self._on_message)
        self.fallback = widgets.HTML()
        self.fallback.add_class("lab-fallback")
        transport = widgets.HBox([*self._buttons.values(), self.play_button, self.speed])
        transport.add_class("lab-transport")
        super().__init__([transport, self.slider, self.panel, self.fallback])
        self.add_class("lab-root")
        if scale > 1.3:
            self.add_class("lab-big")
        self._stop_watching = stepper.watch(self.refresh)
        self.refresh()

    # ---- moving: what the buttons do

    def next(self) -> None:
        """Show the next call; ask the model if it is not recorded yet."""
        if not self.stepper.forward():
            self._note("This is the last call; the run is over.")

    def back(self) -> None:
        """Show the call before."""
        if not self.stepper.back():
            self._note("This is the start.")

    def first(self) -> None:
        """Show the start."""
        if not self.stepper.goto(0):
            self._note("This is the start.")

    def last(self) -> None:
        """Show the last recorded call; this asks nobody."""
        if not self.stepper.goto(len(self.stepper.turns)):
            self._note("This is the last recorded call.")

    def goto(self, call: int) -> None:
        """Show a recorded call, or the nearest recorded one."""
        if not self.stepper.goto(call):
            self.refresh()  # the slider goes back to where it was

    def play(self) -> None:
        """Start or stop making a step by itself, until something ends the run or goes wrong."""
        if self.stepper.ended and self.stepper.at_frontier:
            self._note("This is the last call; the run is over.")
            return
        self._playing = not self._playing
        slow = self._playing and not self._panel_ready
        self._note("Play works where the panel has loaded; elsewhere press Next." if slow else "")

    def _tick(self, at: int) -> None:
        """Make the step of Play that was due at call `at`, unless another view has made it."""
        if self._playing and at == self.stepper.index:
            self.stepper.forward()

    def _move_to(self, at: int | str) -> None:
        if at == "end":
            self.stepper.run_to_end()
        elif isinstance(at, int):
            while self.stepper.index < at and self.stepper.forward():
                pass

    # ---- showing

    @property
    def status_text(self) -> str:
        """What the view says about where the run stands."""
        return plain([*now(self.stepper), f" {self._notice}"]).strip()

    def refresh(self) -> None:
        """Show what the stepper has now. It is called by itself after each move."""
        with self.stepper.lock:
            self._refresh()

    def _refresh(self) -> None:
        stepper = self.stepper
        if stepper.error is not None and stepper.at_frontier:
            self.last_error = stepper.error
        turn = stepper.turn
        if turn is not None and stepper.at_frontier and (stepper.ended or any(r.error for _, r in turn.results)):
            self._notice += "" if stepper.ended or not self._playing else "Paused: a tool failed."
            self._playing = False
        self.panel.add(list(self._new_blocks()))
        self.panel.frame = self._frame()
        self.play_button.description = "Pause" if self._playing else "Play"
        self._moving_slider = True
        self.slider.value = stepper.index
        self._moving_slider = False
        if not self._panel_ready:
            self.fallback.value = f"<pre>{escape(static_text(stepper))}</pre><p>{escape(self._notice)}</p>"
        self._notice = ""

    def _facts(self, scale: float) -> dict[str, Any]:
        script = script_of(self.stepper.model)
        name = getattr(self.stepper.model, "name", None) or type(self.stepper.model).__name__
        return {
            "max": self.stepper.max_steps,
            "model": f"model {quoted(str(name))}",
            "script": count(len(script), "item") if script else "",
            "scale": scale,
            "about": short(self.stepper.prompt),
        }

    def _items(self) -> dict[str, list[Any]]:
        first = self.stepper.turns[0].request if self.stepper.turns else self.stepper.waiting
        assert first is not None
        script = script_of(self.stepper.model) or []
        rows = [blocks.message_row(number, message) for number, message in enumerate(first.messages, 1)]
        return {
            "rows": [blocks.tools_row(first.tools), *rows],
            "answers": [blocks.WAITING],
            "columns": [],
            "script": [blocks.script_row(number, item) for number, item in enumerate(script, 1)],
            "source": [blocks.source_line(line) for line in loop_source()],
        }

    def _new_blocks(self) -> Iterator[tuple[str, Any]]:
        """Yield what the panel does not have yet."""
        known = len(self.panel.items["columns"])
        shown = len(self.panel.items["rows"]) - 1
        for turn, row in zip(self.stepper.turns[known:], self.stepper.growth[known:], strict=True):
            for number, message in enumerate(turn.request.messages[shown:], shown + 1):
                yield "rows", blocks.message_row(number, message)
            shown = max(shown, row.messages)
            yield "answers", blocks.answer_block(self.stepper, turn)
            yield "columns", blocks.column(turn, row)

    def _frame(self) -> dict[str, Any]:
        """Return what the panel needs to know of the call that is shown; under 1 kB, however long the run is."""
        stepper, turn = self.stepper, self.stepper.turn
        request = turn.request if turn else (stepper.turns[0].request if stepper.turns else stepper.waiting)
        assert request is not None
        sent = growth_of(stepper, request)
        here, limit = position(stepper)
        lines = loop_lines(stepper)
        end = stepper.ended and stepper.at_frontier
        return {
            "call": stepper.index,
            "position": rich([bold(here), f" {limit}"]),
            "now": f'<span class="lab-heard">{escape(here)}. </span>{rich([*now(stepper), f" {self._notice}"])}',
            "sees": f"What the model {'sees' if turn else 'will see'} at call {stepper.index or 1}",
            "counts": f"{count(sent.messages, 'message')}, {sent.new} new; {count(len(request.tools), 'tool')}",
            "sent": f"{count(sent.characters, 'char')} {'sent' if turn else 'to send'}",
            "rows": sent.messages + 1,
            "fresh": sent.messages - sent.new + 1,
            "item": f"script item {turn.item}" if turn and turn.item else "",
            "answering": turn.item - 1 if turn and turn.item else -1,
            "used": items_used(stepper),
            "line": lines.stands_at,
            "ran": list(lines.ran),
            "note": rich(lines_note(stepper, lines.stands_at)),
            "tops": blocks.scale(stepper.growth),
            "over": stepper.status == "max_steps" and stepper.at_frontier,
            "frontier": stepper.at_frontier,
            "off": {"first": not turn, "back": not turn, "next": end, "last": stepper.at_frontier, "play": end},
            "playing": self._playing,
            "pause": SPEEDS[self.speed.value],
        }

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, Any]:
        """Return the live view, and what stands for it where no kernel runs."""
        bundle = super()._repr_mimebundle_(**kwargs)
        static = {"text/plain": static_text(self.stepper), "text/html": static_html(self.stepper)}
        return {**bundle, **static}

    def __repr__(self) -> str:
        return f"<StepperView: {' '.join(position(self.stepper))}>"

    # ---- controls

    def _make_controls(self) -> None:
        moves = {"first": "« First", "back": "‹ Back", "next": "Next ›", "last": "Last »"}
        self._buttons = {name: self._button(name, label, getattr(self, name)) for name, label in moves.items()}
        self.first_button, self.back_button, self.next_button, self.last_button = self._buttons.values()
        self.play_button = self._button("play", "Play", self.play)
        self.speed = widgets.Dropdown(options=list(SPEEDS), tooltip="Speed of Play")
        self.speed.add_class("lab-speed")
        self.slider = widgets.IntSlider(min=0, max=self.stepper.max_steps, readout=False, tooltip="Call shown")
        self.slider.add_class("lab-slider")
        self.slider.observe(self._on_slider, "value")
        self.speed.observe(lambda _: self.refresh(), "value")

    def _button(self, name: str, label: str, press: Callable[[], None]) -> Any:
        button = widgets.Button(description=label, tooltip="")
        button.add_class(f"lab-{name}")
        button.on_click(lambda _: self._try(press))
        return button

    def _on_slider(self, change: dict[str, Any]) -> None:
        with self.stepper.lock:
            if not self._moving_slider:
                self._try(lambda: self.goto(change["new"]))

    def _on_message(self, _: Any, message: dict[str, Any], __: Any) -> None:
        """Do what the panel asks for: a key was pressed, Play is due, or the panel has come up."""
        op = message.get("op")
        if op == "ready":
            if not self._panel_ready:
                self._panel_ready = True
                self.fallback.value = ""
                self.fallback.layout.display = "none"
            if self._playing:  # shown anew, by a reload perhaps: showing asks nobody
                self._playing = False
                self.refresh()
        elif message.get("repeat") and self.stepper.at_frontier:
            pass  # a key held down asks nobody
        elif op == "tick":
            self._try(lambda: self._tick(message.get("at", -1)))
        elif isinstance(op, str) and op in self._buttons:
            self._try(getattr(self, op))

    def _try(self, press: Callable[[], None]) -> None:
        """Do it; show what went wrong in the view itself, where it is seen."""
        try:
            with self.stepper.lock:
                press()
        except BaseException as error:  # SystemExit too: let out of a handler, it would end the kernel
            self.last_error = error
            self._playing = False
            words = "" if error is self.stepper.error else exception_text(error)
            try:
                self._note(words)
            except Exception as broken:  # the showing itself is what went wrong: say at least that
                self.panel.frame = {**self.panel.frame, "now": escape(words or exception_text(broken))}

    def _note(self, words: str) -> None:
        self._notice = words
        self.refresh()

    def close(self) -> None:
        """Close the view with everything that it is made of."""
        self._stop_watching()
        for part in reversed(list(_tree(self))):
            for own in (part.layout, getattr(part, "style", None)):
                if isinstance(own, widgets.Widget):
                    own.close()
            if part is not self:
                part.close()
        super().close()


def _tree(widget: Any) -> Iterator[Any]:
    yield widget
    for child in getattr(widget, "children", ()):
        yield from _tree(child)


def growth_of(stepper: Stepper, request: ModelRequest) -> Growth:
    """Return what the call that is shown sends; before the first call, what it will send."""
    return stepper.growth[max(stepper.index - 1, 0)] if stepper.turns else history_growth([request])[0]


def _check(stepper: Any, at: Any, scale: Any) -> None:
    if not isinstance(stepper, Stepper):
        raise TypeError(f"stepper is {stepper!r:.80}; pass a Stepper, or use step(model, registry, prompt)")
    if at != "end" and (isinstance(at, bool) or not isinstance(at, int) or at < 0):
        raise ValueError(f"at is {at!r}; it is how many calls to make first, a whole number from 0 up, or 'end'")
    if isinstance(scale, bool) or not isinstance(scale, (int, float)) or not 0.5 <= scale <= 4:
        raise ValueError(f"scale is {scale!r}; it is a size between 0.5 and 4, and 1.6 suits a projector")

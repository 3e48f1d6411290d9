"""What a stepper's view does with what comes from the browser: keys, the slider, Play that is due, a guess."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minagent_lab.results import exception_text
from minagent_lab.views.asking import Asking
from minagent_lab.views.html import escape


class Listening(Asking):
    """The handlers of a view. Each is a thin shell round a method that can be called without a browser."""

    buttons: dict[str, Any]
    fallback: Any
    last_error: BaseException | None
    _moving_slider: bool
    _present: bool

    def _on_slider(self, change: dict[str, Any]) -> None:
        with self.stepper.lock:
            if not self._moving_slider:
                self._try(lambda: self.goto(change["new"]))

    def _on_message(self, _: Any, message: dict[str, Any], __: Any) -> None:
        """Do what the panel asks for: a key was pressed, Play is due, or the panel has come up."""
        op = message.get("op")
        if op == "ready":
            self._is_ready()
        elif message.get("repeat") and self.stepper.at_frontier:
            pass  # a key held down asks nobody
        elif op == "tick":
            self._try(lambda: self._tick(message.get("at", -1)))
        elif op == "guess":
            self._try(lambda: self._guess_at(message.get("call"), message.get("place")))
        elif op == "reveal":
            self._try(lambda: self.reveal() if self._present else None)
        elif isinstance(op, str) and op in self.buttons:
            self._try(getattr(self, op))

    def _is_ready(self) -> None:
        if not self._panel_ready:
            self._panel_ready = True
            self.fallback.value = ""
            self.fallback.layout.display = "none"
        if self._playing:  # shown anew, by a reload perhaps: showing asks nobody
            self._playing = False
            self.refresh()

    def _guess_at(self, call: Any, place: Any) -> None:
        """Make a guess that a browser sent, unless it was about another call."""
        if self.question is not None and self.question.call == call:
            self.guess(place)

    def _try(self, press: Callable[[], Any]) -> None:
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

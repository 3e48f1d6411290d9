"""The moves of a stepper's view: each is a method that a button calls, and that a cell can call as well."""

from __future__ import annotations

from minagent_lab.stepping.predictions import Predictions
from minagent_lab.stepping.stepper import Stepper
from minagent_lab.stepping.stops import Stop, run_until

OVER = "This is the last call; the run is over."
ASKED_FIRST = "First answer the question: what comes next?"


class Moving:
    """What moves the stepper of a view. In predict mode, no move goes past a question."""

    stepper: Stepper
    _notice: str
    _playing: bool
    _panel_ready: bool

    @property
    def _predictions(self) -> Predictions | None:
        """The questions of the branch that is shown; ``None`` outside predict mode."""
        raise NotImplementedError

    def refresh(self) -> None:
        """Show what the stepper has now."""
        raise NotImplementedError

    def _note(self, words: str) -> None:
        """Show it, and say something about it."""
        raise NotImplementedError

    def next(self) -> None:
        """Show the next call; ask the model if it is not recorded yet."""
        if self._predictions and self._predictions.waiting:
            self._note(ASKED_FIRST)
        elif not self.stepper.forward():
            self._note(OVER)

    def back(self) -> None:
        """Show the call before."""
        self._playing = False
        if not self.stepper.back():
            self._note("This is the start.")

    def first(self) -> None:
        """Show the start."""
        self._playing = False
        if not self.stepper.goto(0):
            self._note("This is the start.")

    def last(self) -> None:
        """Show the last recorded call; this asks nobody."""
        self._playing = False
        if not self.stepper.goto(self._reach(len(self.stepper.turns))):
            self._note("This is the last recorded call." if self.stepper.at_frontier else ASKED_FIRST)

    def goto(self, call: int) -> None:
        """Show a recorded call, or the nearest recorded one."""
        self._playing = False
        if not self.stepper.goto(self._reach(call) if isinstance(call, int) else call):
            self.refresh()  # the slider goes back to where it was

    def _reach(self, call: int) -> int:
        """Return how far one may go: in predict mode, not beyond what was asked about."""
        return min(call, self._predictions.may_go_to) if self._predictions else call

    def play(self) -> None:
        """Start or stop making a step by itself, until something ends the run or goes wrong."""
        if self.stepper.ended and self.stepper.at_frontier:
            self._note(OVER)
            return
        if self._predictions and self._predictions.waiting:
            self._note(ASKED_FIRST)
            return
        self._playing = not self._playing
        slow = self._playing and not self._panel_ready
        self._note("Play works where the panel has loaded; elsewhere press Next." if slow else "")

    def run_until(self, stop: str | Stop) -> None:
        """Step until something happens; see `stepping.stops.run_until`. ``"end"`` runs to the end."""
        self._playing = False
        if self._predictions:
            self._note("In predict mode a run goes on call by call.")
            return
        if self.stepper.ended and self.stepper.at_frontier:
            self._note(OVER)
            return
        found = run_until(self.stepper, (lambda _: False) if stop == "end" else stop)
        words = "" if stop == "end" else f"The run ended before the next {stop}." if isinstance(stop, str) else ""
        self._note(f"Stopped here: {stop}." if found and isinstance(stop, str) else "" if found else words)

    def _tick(self, at: int) -> None:
        """Make the step of Play that was due at call `at`, unless another view has made it."""
        if self._playing and at == self.stepper.index:
            self.next()

    def _pause_where_it_matters(self) -> None:
        stepper, turn = self.stepper, self.stepper.turn
        if not self._playing or turn is None or not stepper.at_frontier:
            if self._playing and self._predictions and self._predictions.waiting:
                self._playing = False
            return
        if any(result.error for _, result in turn.results) and not stepper.ended:
            self._notice += "Paused: a tool failed."
        elif self._predictions and self._predictions.waiting:
            self._notice += "Paused: a question waits."
        elif not stepper.ended:
            return
        self._playing = False

    def _move_to(self, at: int | str) -> None:
        if at == "end":
            self.stepper.run_to_end()
        elif isinstance(at, int) and at:
            self.stepper.goto(at)
            while self.stepper.index < at and self.stepper.forward():
                pass

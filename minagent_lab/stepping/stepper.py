"""Stepper: a run that waits. One step forward asks the model once; every other move turns recorded pages."""

from __future__ import annotations

import threading
from collections.abc import Callable

from minagent_lab.checks import check_start
from minagent_lab.growth import Growth, GrowthMeter
from minagent_lab.loop import AskModel, RunTool, advance, agent_loop, answer
from minagent_lab.messages import ModelResponse, ToolCall
from minagent_lab.model import Model, ModelRequest
from minagent_lab.record import Record, RunResult
from minagent_lab.results import ToolResult
from minagent_lab.stepping.fields import field_of
from minagent_lab.stepping.printed import Printed
from minagent_lab.stepping.scripted_tools import results_used
from minagent_lab.tools import ToolRegistry
from minagent_lab.values import value


@value
class Turn:
    """One recorded call of the model, and what the loop did with its answer.

    Parameters
    ----------
    call
        Which call, counted from 1.
    request
        What the model saw.
    response
        What it answered; ``None`` where it raised instead.
    results
        Each tool call of the answer with its result, in order.
    status
        ``"running"``, or how the run ended in this turn.
    error
        What ended the run, if it was an exception.
    item
        Which script item answered, counted from 1; ``None`` where there was none.
    printed
        Who printed (the id of a tool call; ``""`` for the model) and what.
    """

    call: int
    request: ModelRequest
    response: ModelResponse | None
    results: tuple[tuple[ToolCall, ToolResult], ...] = ()
    status: str = "running"
    error: BaseException | None = None
    item: int | None = None
    printed: tuple[tuple[str, str], ...] = ()

    def __repr__(self) -> str:
        action = self.response.action if self.response else "no response"
        return f"<Turn {self.call}: {len(self.request.messages)} messages → {action}, {self.status}>"


class Stepper:
    """An agent that is stepped one call of the model at a time.

    It drives the same loop as `run`. The model is asked by `forward` alone, and only where nothing is recorded yet;
    `back`, `goto` and forward over recorded calls never ask again.

    Parameters
    ----------
    model, registry, prompt, system, max_steps
        As for `run`.

    Examples
    --------
    >>> from minagent_lab import FakeModel
    >>> walk = Stepper(FakeModel(["Hello."]), ToolRegistry(), "Hi")
    >>> walk.index, walk.status
    (0, 'ready')
    >>> walk.forward(), walk.index, walk.status, walk.result.final
    (True, 1, 'completed', 'Hello.')
    >>> walk.forward(), walk.back(), walk.index
    (False, True, 0)
    """

    def __init__(
        self, model: Model, registry: ToolRegistry, prompt: str, *, system: str | None = None, max_steps: int = 10
    ) -> None:
        check_start(model, registry, prompt, system, max_steps)
        self.model, self.registry, self.max_steps = model, registry, max_steps
        self.prompt, self.system = prompt, system
        self.unknown: frozenset[str] = frozenset()  # of max_steps and tools, what a run that was opened does not tell
        self.results_used = results_used(registry)  # where its scripted tools stood when it began
        self.index = 0
        self.result: RunResult | None = None
        self.error: BaseException | None = None
        self._record = Record(prompt, system)
        self._loop = agent_loop(self._record, registry.schemas(), max_steps)
        self._note: AskModel | RunTool | RunResult | None = advance(self._loop)
        self._turns: list[Turn] = []
        self._meter = GrowthMeter()
        self._watchers: list[Callable[[], None]] = []
        self.lock = threading.RLock()  # JupyterLab hands keys and clicks to different threads of the kernel
        self._asking = False

    # ---- where we are

    @property
    def turns(self) -> tuple[Turn, ...]:
        """The recorded calls."""
        return tuple(self._turns)

    @property
    def turn(self) -> Turn | None:
        """The call that is shown; ``None`` before the first."""
        return self._turns[self.index - 1] if self.index else None

    @property
    def growth(self) -> list[Growth]:
        """What each recorded call sent; see `history_growth`."""
        return list(self._meter.rows)

    @property
    def status(self) -> str:
        """``"ready"`` before the first call, ``"running"``, or how the run ended: the status of its result."""
        if not self._turns:
            return "ready"
        return self._turns[-1].status

    @property
    def ended(self) -> bool:
        """Whether the run is over, so that no step asks the model any more."""
        return self.result is not None

    @property
    def at_frontier(self) -> bool:
        """Whether the last recorded call is shown, so that one more step asks the model."""
        return self.index == len(self._turns)

    @property
    def waiting(self) -> ModelRequest | None:
        """What the model will see if it is asked next; ``None`` when the run is over."""
        return ModelRequest(*self._note) if isinstance(self._note, AskModel) else None

    # ---- moving

    def forward(self) -> bool:
        """Show the next call; ask the model if it is not recorded yet. Return whether anything moved."""
        with self.lock:
            if self.at_frontier:
                if self.ended:
                    return False
                self._ask()
            return self._show(self.index + 1)

    def back(self) -> bool:
        """Show the call before. Return whether anything moved."""
        with self.lock:
            return self._show(self.index - 1)

    def goto(self, call: int) -> bool:
        """Show a recorded call, or the nearest recorded one; 0 is the start. Return whether anything moved."""
        if isinstance(call, bool) or not isinstance(call, int):
            raise TypeError(f"call is {call!r}; it is a whole number: 0 for the start, 1 for the first call")
        with self.lock:
            return self._show(call)

    def run_to_end(self) -> None:
        """Step until the run is over."""
        with self.lock:
            try:
                while not self.ended:
                    self._ask()
            finally:  # Ctrl-C included
                self._show(len(self._turns))

    def watch(self, changed: Callable[[], None]) -> Callable[[], None]:
        """Have `changed` called after each move; return the function that ends this."""
        self._watchers.append(changed)
        return lambda: self._watchers.remove(changed) if changed in self._watchers else None

    def _show(self, call: int) -> bool:
        self.index, before = min(max(call, 0), len(self._turns)), self.index
        if self.index != before:
            for changed in list(self._watchers):
                changed()
        return self.index != before

    # ---- asking

    def _ask(self) -> None:
        """Answer the note that waits, and the tool notes after it: one call of the model, one turn."""
        if self._asking:
            raise RuntimeError(
                "this stepper is being stepped already; a model or a tool cannot step the run it is part of"
            )
        self._asking = True
        try:
            self._ask_once()
        finally:
            self._asking = False

    def _ask_once(self) -> None:
        note, steps = self._note, len(self._record.steps)
        item = field_of(self.model, "position")
        request = ModelRequest(note.messages, note.tools)  # type: ignore[union-attr]
        response: ModelResponse | None = None
        error: BaseException | None = None
        printed = Printed()
        try:
            with printed.by(""):
                response = answer(note, self.model, self.registry, self._record)  # type: ignore[arg-type, assignment]
            note = advance(self._loop, response)
            while isinstance(note, RunTool):
                with printed.by(note.call.id):
                    came = answer(note, self.model, self.registry, self._record)
                note = advance(self._loop, came)
        except BaseException as raised:
            if response is None and not isinstance(raised, Exception):
                raise  # stopped while the model was thinking: nothing has happened, and the step can be tried again
            error, note = raised, self._record.attach_to(raised)
        self._note, self.error = note, error
        self.result = note if isinstance(note, RunResult) else None
        results = tuple((step.call, step.result) for step in self._record.steps[steps:] if step.call and step.result)
        status = self.result.status if self.result else "running"
        item = item + 1 if response is not None and isinstance(item, int) else None
        heard = tuple(printed.heard)
        self._turns.append(Turn(len(self._turns) + 1, request, response, results, status, error, item, heard))
        self._meter.add(request)
        if error is not None and not isinstance(error, Exception):
            self._show(len(self._turns))
            raise error

    def __repr__(self) -> str:
        return f"<Stepper {self.status}: call {self.index} of {len(self._turns)}>"

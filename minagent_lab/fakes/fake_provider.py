"""FakeModelProvider: the same script behind the door that production uses.

Source: the provider lesson: order, copies, cancellation that consumes nothing, exhaustion that stays, one cursor a run.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Any

from minagent_lab.abort import AbortSignal, abortable
from minagent_lab.context import Run, current_run
from minagent_lab.errors import ResponsesExhausted, ScriptExhausted
from minagent_lab.fakes.fake_model import FakeModel
from minagent_lab.fakes.script import Script
from minagent_lab.messages import ModelResponse
from minagent_lab.model import Call, ModelRequest


class FakeModelProvider:
    """A provider that answers from a script, item by item, and keeps what it was asked.

    Parameters
    ----------
    responses
        Items as for `FakeModel`; a `ProviderError` or `AbortError` is an item too, raised when its turn comes. Or a
        dict of such scripts, one per run; then ask `for_run`.
    name
        Who answers.
    before
        An async function of the request, awaited before each answer: the time that a real model would take, in the
        hands of a test. An abort meanwhile ends the call, and nothing is consumed.

    Examples
    --------
    >>> import asyncio
    >>> from minagent_lab import Message
    >>> provider = FakeModelProvider(["Hello."])
    >>> asyncio.run(provider.complete(ModelRequest([Message("user", "Hi")]))).message.content
    'Hello.'
    >>> provider.remaining
    0
    """

    def __init__(
        self,
        responses: Iterable[Any] | Mapping[str, Iterable[Any]],
        name: str = "fake-1",
        *,
        before: Callable[[ModelRequest], Awaitable[Any]] | None = None,
    ) -> None:
        scripts = responses if isinstance(responses, Mapping) else {"": responses}
        self.name = name
        self._before = before
        self._grouped = isinstance(responses, Mapping)
        self._scripts = {run_id: Script(items, errors=True) for run_id, items in scripts.items()}
        self._runs: dict[str, FakeModelProvider] = {}
        self._model = FakeModel([] if self._grouped else self._scripts[""], name)
        self._run: Run | None = None

    async def complete(self, request: ModelRequest, signal: AbortSignal | None = None) -> ModelResponse:
        """Play the next item.

        Raises
        ------
        AbortError
            The signal was given. The call was not made: it is not recorded, and its item stays next.
        ResponsesExhausted
            There are no more items. Every further call raises again.
        UnexpectedRequest
            The item is an `Expect`, and this is not its request. The item stays next.
        ProviderError
            The item is one.
        """
        if not isinstance(request, ModelRequest):
            raise TypeError(f"request is {request!r:.80}; pass one ModelRequest(messages, tools)")
        if signal is not None:
            signal.throw_if_aborted()
        self._belong_to(current_run.get())
        if self._before is not None:
            await abortable(self._before(request), signal)
        try:
            return self._model.complete(request.messages, vars(request)["tools"])  # it copies what it keeps
        except ScriptExhausted as end:
            raise ResponsesExhausted(end.call_number, end.script_length, end.last_message) from None

    def for_run(self, run_id: str) -> FakeModelProvider:
        """Return the provider of one run: with a cursor of its own, the same each time for the same `run_id`."""
        if run_id not in self._runs:
            script = self._scripts.get(run_id if self._grouped else "")
            if script is None:
                known = ", ".join(map(repr, self._scripts)) or "none"
                raise ValueError(f"there is no script for the run {run_id!r:.80}; there are scripts for {known}")
            self._runs[run_id] = FakeModelProvider(script.items(), self.name, before=self._before)
        return self._runs[run_id]

    def _belong_to(self, run: Run | None) -> None:
        """Refuse to play for two runs at once: who would get which item would be a matter of chance."""
        if self._grouped:
            raise RuntimeError("these scripts are grouped by run; pass provider.for_run(run_id) to each run")
        if run is None:
            return
        if self._run not in (None, run) and not self._run.over:
            raise RuntimeError(
                f"{self.name} is playing its script for another run that is not over; give each run a provider of its "
                "own, such as provider.for_run(run_id)"
            )
        self._run = run

    @property
    def calls(self) -> list[Call]:
        """What the model saw, one `Call(messages, tools)` per call that was made."""
        return self._model.calls

    @property
    def script(self) -> list[Any]:
        """The items, used or not, as one would write them."""
        return self._model.script

    @property
    def position(self) -> int:
        """How many items were used; the next one has this index."""
        return self._model.position

    @property
    def remaining(self) -> int:
        """How many items nobody has asked for yet. It is for tests; a loop must not steer by it."""
        return self._model.remaining

    def assert_exhausted(self) -> None:
        """Raise `ScriptNotExhausted` when items are left over, here or in the provider of a run."""
        self._model.assert_exhausted()
        for provider in self._runs.values():
            provider.assert_exhausted()

    def __repr__(self) -> str:
        held = f"{len(self._scripts)} runs" if self._grouped else f"{self.position} of {len(self.script)} items used"
        return f"<FakeModelProvider {self.name}: {held}>"

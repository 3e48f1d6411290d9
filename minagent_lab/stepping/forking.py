"""Another branch of a run: the same up to a call, then with one thing changed. The first branch stays as it is.

What the two have in common is not asked again: the recorded answers are played, and no tool is run twice. Only what
comes after the change is asked for, when the branch is stepped. A tool whose results are written down plays on from
where it stood, in each branch by itself; a function that remembers something remembers it for all branches.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from minagent_lab.errors import ForkError
from minagent_lab.fakes.fake_model import FakeModel
from minagent_lab.messages import Message, ModelResponse
from minagent_lab.results import ToolResult
from minagent_lab.stepping.fields import field_of, script_of
from minagent_lab.stepping.scripted_tools import after_calls
from minagent_lab.stepping.stepper import Stepper, Turn
from minagent_lab.values import a_kind

KEEP: Any = object()  # what is not changed


def fork(
    stepper: Stepper,
    call: int | None = None,
    *,
    item: Any = KEEP,
    script: Any = KEEP,
    results: Mapping[str, str] | None = None,
    prompt: Any = KEEP,
    system: Any = KEEP,
) -> Stepper:
    """Return a new branch of a run.

    Parameters
    ----------
    stepper
        The run. It stays as it is, and so does its model.
    call
        The call to change, counted from 1; the one that is shown when left out, or the first one at the start.
    item
        What the script says at this call, instead. The calls before it are the same.
    script
        A whole new script. Its items for the calls before this one have to be the same.
    results
        By the ids of this call's tool calls: what came of them, instead. This call itself is the same.
    prompt, system
        Another prompt. That changes the very first call, so nothing is shared.

    Returns
    -------
    Stepper
        It shows the last call that both have in common.

    Raises
    ------
    ForkError
        There is no such call, nothing is changed, or the model has no script in which something could be.

    Examples
    --------
    >>> from minagent_lab import ToolRegistry
    >>> first = Stepper(FakeModel(["Hello.", "unused"]), ToolRegistry(), "Hi")
    >>> first.run_to_end()
    >>> second = fork(first, 1, item="Good evening.")
    >>> second.run_to_end()
    >>> first.result.final, second.result.final
    ('Hello.', 'Good evening.')
    """
    at = (stepper.index or 1) if call is None else call
    changed = {"item": item, "script": script, "prompt": prompt, "system": system}
    changed = {name: new for name, new in changed.items() if new is not KEEP}
    _check(stepper, at, changed, results)
    if "prompt" in changed or "system" in changed:
        at = 1
    kept = stepper.turns[: at if results else at - 1]
    model = _model(stepper, at, kept, changed)
    registry = ForkedTools(stepper, kept, dict(results or {}))
    branch = Stepper(
        model,
        registry,  # type: ignore[arg-type]  # what a stepper needs of a registry, and no more
        changed.get("prompt", stepper.prompt),
        system=changed.get("system", stepper.system),
        max_steps=stepper.max_steps,
    )
    branch.results_used, branch.unknown = stepper.results_used, stepper.unknown
    for _ in kept:
        branch.forward()
    return branch


def _tools_after(stepper: Stepper, turns: Sequence[Turn]) -> Any:
    """Return the tools of a run as they stood after these calls, for a branch alone."""
    asked = [call for turn in turns for call, result in turn.results if result.error != "not_run"]
    registry: Any = stepper.registry
    if isinstance(registry, ForkedTools):
        registry = registry._registry
    return after_calls(registry, stepper.results_used, asked)


def _check(stepper: Stepper, at: Any, changed: dict[str, Any], results: Any) -> None:
    if isinstance(at, bool) or not isinstance(at, int) or not 1 <= at <= len(stepper.turns) + 1:
        raise ForkError(f"call is {at!r:.40}; the run can be forked at call 1 to {len(stepper.turns) + 1}")
    if not changed and not results:
        raise ForkError("nothing is changed; pass item, script, results, prompt or system")
    if changed and results:
        raise ForkError("results come after this call, and the other changes before it; make two forks")
    if results is None:
        return
    if not isinstance(results, Mapping) or not all(isinstance(text, str) for text in results.values()):
        raise ForkError(f"results is {a_kind(results)}; write a dict of ids and texts")
    ids = [one.id for one, _ in stepper.turns[at - 1].results] if at <= len(stepper.turns) else []
    if odd := next((id for id in results if id not in ids), None):
        raise ForkError(f"call {at} has no tool call with the id {odd!r:.40}; it has {', '.join(ids) or 'none'}")


def _model(stepper: Stepper, at: int, kept: Sequence[Turn], changed: dict[str, Any]) -> Any:
    script = script_of(stepper.model)
    if script is None:
        if "item" in changed or "script" in changed:
            raise ForkError(f"{a_kind(stepper.model)} has no script in which something could be changed")
        return ForkedModel(stepper.model, kept)
    first = _first_item(stepper)
    if "script" in changed:
        script = list(changed["script"])
    elif "item" in changed:
        script = [*script[: first + at - 1], changed["item"], *script[first + at :]]
    name = str(field_of(stepper.model, "name") or "fake-1")
    return ForkedModel(_Cursor(script, first + len(kept), name), kept)


def item_at(stepper: Stepper, call: int) -> Any:
    """Return the script item that answers a call, from 1; ``None`` where the script has none."""
    script = script_of(stepper.model) or []
    place = item_number(stepper, call) - 1
    return script[place] if 0 <= place < len(script) else None


def item_number(stepper: Stepper, call: int) -> int:
    """Return which item of the script answers a call, both from 1."""
    return _first_item(stepper) + call


def _first_item(stepper: Stepper) -> int:
    """Return how many items of the script were used before the run began."""
    item = next((turn.item for turn in stepper.turns if turn.item is not None), None)
    if item is not None:
        return item - next(turn.call for turn in stepper.turns if turn.item is not None)
    used = field_of(stepper.model, "position")
    return (used if isinstance(used, int) else 0) - len(stepper.turns)


class _Cursor(FakeModel):
    """A fake whose script is used up to an item already."""

    def __init__(self, script: Any, used: int, name: str) -> None:
        super().__init__(script, name)
        self._next = min(max(used, 0), len(self._script))


class ForkedModel:
    """A model that plays what was recorded, and then asks the one that it stands for.

    Parameters
    ----------
    model
        Who is asked after the recorded calls.
    turns
        The recorded calls.
    """

    def __init__(self, model: Any, turns: Sequence[Turn]) -> None:
        self._model, self._turns, self._asked = model, turns, 0

    def complete(self, messages: Sequence[Message], tools: list[dict[str, Any]]) -> ModelResponse:
        """Play the next recorded answer; after the last one, ask."""
        self._asked += 1
        if self._asked > len(self._turns):
            return self._model.complete(messages, tools)  # type: ignore[no-any-return]
        turn = self._turns[self._asked - 1]
        if turn.response is None:
            raise turn.error or RuntimeError("a call without an answer")
        return turn.response

    def __getattr__(self, name: str) -> Any:  # name, script, ...
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._model, name)

    @property
    def position(self) -> int | None:
        """How many items of its script are used, where it has one."""
        used = getattr(self._model, "position", None)
        left = max(len(self._turns) - self._asked, 0)
        return None if used is None else used - left

    def __repr__(self) -> str:
        return f"<ForkedModel of {self._model!r}>"


class ForkedTools:
    """A registry that gives back recorded results, some of them changed, and then runs tools.

    Parameters
    ----------
    stepper
        The run whose tools are run after the recorded results. A tool that reads its results off a list goes on from
        where it stood then, and moves on for this branch alone.
    turns
        The recorded calls of the model, with the results of their tools.
    changed
        By the ids of the last call: results to give instead.
    """

    def __init__(self, stepper: Stepper, turns: Sequence[Turn], changed: dict[str, str]) -> None:
        self._registry = _tools_after(stepper, turns)
        self._recorded: list[ToolResult] = []
        for turn in turns:
            here = changed if turn is turns[-1] else {}
            self._recorded += [ToolResult(here[one.id]) if one.id in here else was for one, was in turn.results
                               if was.error != "not_run"]  # fmt: skip
        self._used = 0

    def schemas(self) -> list[dict[str, Any]]:
        """Return the tools on offer."""
        return self._registry.schemas()  # type: ignore[no-any-return]

    def use(self, name: str, arguments: dict[str, Any]) -> ToolResult:
        """Give back the next recorded result; after the last one, run the tool."""
        self._used += 1
        if self._used > len(self._recorded):
            return self._registry.use(name, arguments)  # type: ignore[no-any-return]
        return self._recorded[self._used - 1]

    def __repr__(self) -> str:
        return f"<ForkedTools of {self._registry!r}>"

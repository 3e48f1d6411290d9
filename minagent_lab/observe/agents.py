"""Who is asked: a function of the case, or a maker of models, one fresh model for each case."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from minagent_lab.adapters import to_provider
from minagent_lab.async_loop import arun
from minagent_lab.checks import refuse_plain_model
from minagent_lab.observe.cases import EvalCase
from minagent_lab.observe.meter import Meter
from minagent_lab.record import RunResult
from minagent_lab.tools import ToolRegistry
from minagent_lab.values import a_kind

Agent = Callable[[EvalCase, Meter], Any]  # a RunResult or text, or what is awaited for it
METERED = "write agent(case, meter) and pass it on: arun(..., budget=meter), or pass model=... instead of an agent"


def agent_of(agent: Any, model: Any, registry: Any, *, counted: bool) -> Agent:
    """Return who is asked, as a function of the case and its meter.

    Parameters
    ----------
    agent
        A function of the case; where it has a parameter ``meter``, it gets that too.
    model, registry
        Instead of an agent: a function of the case that makes its model or provider, and the tools, or a function of
        the case that makes these.
    counted
        Whether each call of the model has to be counted, for a budget or for prices.
    """
    if (agent is None) is (model is None):
        raise TypeError("pass an agent, a function of the case, or model=..., a function of the case that makes one")
    if model is not None:
        return _Fresh(model, registry).run
    if registry is not None:
        raise TypeError("registry goes with model=...; an agent has its own tools")
    if not callable(agent) or isinstance(agent, type):
        hint = "pass model=lambda case: ..., which makes one for each case" if hasattr(agent, "complete") else ""
        raise TypeError(f"agent is {a_kind(agent)}; {hint or 'pass a function of the case: lambda case: ...'}")
    metered = "meter" in _parameters(agent)
    if counted and not metered:
        raise TypeError(
            f"a budget and prices need each call of the model, and this agent does not tell them; {METERED}"
        )

    def ask(case: EvalCase, meter: Meter) -> Any:
        return agent(case, meter=meter) if metered else agent(case)

    async def ask_and_wait(case: EvalCase, meter: Meter) -> Any:
        return await ask(case, meter)

    return ask_and_wait if inspect.iscoroutinefunction(agent) else ask


def _parameters(agent: Any) -> Any:
    try:
        return inspect.signature(agent).parameters
    except (ValueError, TypeError):  # what has no signature takes the case alone
        return ()


class _Fresh:
    """Runs each case with a model of its own, so that no case plays on where another has stopped."""

    def __init__(self, model: Any, registry: Any) -> None:
        if not callable(model) or isinstance(model, type):
            raise TypeError(
                f"model is {a_kind(model)}, and a model has one cursor; pass a function that makes one for each case: "
                "model=lambda case: FakeModel([...])"
            )
        self._make = model
        self._registry: Any = ToolRegistry() if registry is None else registry
        if not callable(getattr(self._registry, "schemas", self._registry)):
            raise TypeError(f"registry is {a_kind(registry)}; pass a ToolRegistry, or a function of the case")
        self._scripted: list[Any] = []  # kept, so that no other gets the identity of one that is gone

    async def run(self, case: EvalCase, meter: Meter) -> RunResult:
        """Run one case."""
        tools = self._registry if hasattr(self._registry, "schemas") else self._registry(case)
        provider = self._provider(case)
        return await arun(provider, tools, case.prompt, system=case.system, max_steps=case.max_steps, budget=meter)

    def _provider(self, case: EvalCase) -> Any:
        model = self._make(case)
        if hasattr(model, "assert_exhausted"):  # it plays a script
            if any(model is other for other in self._scripted):
                raise TypeError(f"model=... returned the same {type(model).__name__} for two cases; make a fresh one")
            self._scripted.append(model)
        if not hasattr(model, "complete"):
            raise TypeError(f"model=... returned {a_kind(model)}; return a model or a provider")
        try:
            refuse_plain_model(model)
        except TypeError:
            return to_provider(model)
        return model

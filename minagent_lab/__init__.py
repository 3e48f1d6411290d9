"""How LLM agents work, with the one uncertain part taken away: the model is a fake that plays a script.

Read the package in this order: ``messages``, ``history``, ``model``, ``tools``, ``loop``, ``fakes``, ``stepping``,
``views``. The names below are all that a chapter needs; those of the views are loaded when they are first used.
"""

from __future__ import annotations

import importlib
import sys
from typing import TYPE_CHECKING, Any

if sys.version_info < (3, 11):  # noqa: UP036  for who runs it from a checkout; an installer looks by itself
    raise ImportError("minagent_lab needs Python 3.11 or newer, and this is " + sys.version.split()[0])

from minagent_lab.errors import (
    FixtureError,
    MaxStepsExceeded,
    MinAgentError,
    ScriptExhausted,
    ScriptNotExhausted,
    UnexpectedRequest,
)
from minagent_lab.expected import expect_error
from minagent_lab.fakes.fake_model import FakeModel
from minagent_lab.fakes.script import Expect
from minagent_lab.fixtures.format import load_fixture
from minagent_lab.fixtures.recorder import Recorder
from minagent_lab.growth import Growth, history_growth
from minagent_lab.history import History
from minagent_lab.loop import AskModel, RunTool, agent_loop, run
from minagent_lab.messages import Message, ModelResponse, ToolCall
from minagent_lab.model import Call, Model, ModelRequest
from minagent_lab.record import RunResult, Step
from minagent_lab.results import ToolResult
from minagent_lab.stepping.stepper import Stepper, Turn
from minagent_lab.tools import Tool, ToolRegistry

if TYPE_CHECKING:
    from minagent_lab.views.charts import plot_history_growth
    from minagent_lab.views.stepper_view import StepperView, step

__version__ = "0.1.0"

_LAZY = {  # what needs ipywidgets or matplotlib
    "StepperView": "minagent_lab.views.stepper_view",
    "plot_history_growth": "minagent_lab.views.charts",
    "step": "minagent_lab.views.stepper_view",
}

__all__ = [
    "AskModel",
    "Call",
    "Expect",
    "FakeModel",
    "FixtureError",
    "Growth",
    "History",
    "MaxStepsExceeded",
    "Message",
    "MinAgentError",
    "Model",
    "ModelRequest",
    "ModelResponse",
    "Recorder",
    "RunResult",
    "RunTool",
    "ScriptExhausted",
    "ScriptNotExhausted",
    "Step",
    "Stepper",
    "StepperView",
    "Tool",
    "ToolCall",
    "ToolRegistry",
    "ToolResult",
    "Turn",
    "UnexpectedRequest",
    "agent_loop",
    "expect_error",
    "history_growth",
    "load_fixture",
    "plot_history_growth",
    "run",
    "step",
]


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return getattr(importlib.import_module(_LAZY[name]), name)
    raise AttributeError(f"module 'minagent_lab' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)

"""How LLM agents work, with the one uncertain part taken away: the model is a fake that plays a script.

Read the package in this order: ``messages``, ``history``, ``model``, ``tools``, ``loop``, ``fakes``, ``stepping``,
``views``. The names below are all that a chapter needs; those in the second list are loaded when they are first used.
"""

from __future__ import annotations

import importlib
import sys
from typing import TYPE_CHECKING, Any

if sys.version_info < (3, 11):  # noqa: UP036  for who runs it from a checkout; an installer looks by itself
    raise ImportError("minagent_lab needs Python 3.11 or newer, and this is " + sys.version.split()[0])

from minagent_lab.abort import AbortController, AbortSignal
from minagent_lab.errors import (
    AbortError,
    AuthenticationError,
    BudgetExceeded,
    ConfigurationError,
    FixtureError,
    InvalidRequestError,
    MalformedResponseError,
    MaxStepsExceeded,
    MinAgentError,
    MockError,
    NetworkError,
    ProviderError,
    ProviderTimeoutError,
    RateLimitError,
    RealCallBarred,
    ResponsesExhausted,
    ScriptExhausted,
    ScriptNotExhausted,
    ServerError,
    TraceError,
    UnexpectedRequest,
)
from minagent_lab.expected import expect_error
from minagent_lab.fakes.fake_model import FakeModel
from minagent_lab.fakes.fake_provider import FakeModelProvider
from minagent_lab.fakes.script import Expect
from minagent_lab.fixtures.format import load_fixture
from minagent_lab.growth import Growth, history_growth
from minagent_lab.history import History
from minagent_lab.loop import AskModel, RunTool, agent_loop, run
from minagent_lab.messages import Message, ModelResponse, ToolCall
from minagent_lab.model import Call, Model, ModelProvider, ModelRequest
from minagent_lab.record import RunResult, Step
from minagent_lab.results import ToolResult
from minagent_lab.stepping.stepper import Stepper, Turn
from minagent_lab.tools import Tool, ToolRegistry

if TYPE_CHECKING:
    from minagent_lab.adapters import to_model, to_provider
    from minagent_lab.async_loop import arun
    from minagent_lab.fixtures.recorder import Recorder
    from minagent_lab.mockgpt.mock import MockGPT
    from minagent_lab.mockgpt.rules import Rule
    from minagent_lab.observe.budget import Budget
    from minagent_lab.observe.cases import EvalCase
    from minagent_lab.observe.clock import TickingClock
    from minagent_lab.observe.evaluation import aevaluate, evaluate
    from minagent_lab.observe.pricing import PriceTable
    from minagent_lab.observe.reading import read_trace
    from minagent_lab.observe.report import EvalReport
    from minagent_lab.observe.trace import Trace
    from minagent_lab.providers.anthropic import AnthropicProvider
    from minagent_lab.providers.consent import choose_provider
    from minagent_lab.providers.openai_compatible import OpenAICompatibleProvider
    from minagent_lab.providers.retrying import Retrying
    from minagent_lab.stepping.opening import open_run
    from minagent_lab.stepping.stream import StreamStepper
    from minagent_lab.views.charts import plot_history_growth
    from minagent_lab.views.evaluation_chart import plot_evaluation
    from minagent_lab.views.explain_view import ExplainView
    from minagent_lab.views.playground import playground
    from minagent_lab.views.playground_view import PlaygroundView
    from minagent_lab.views.stepper_view import StepperView, step
    from minagent_lab.views.stream_view import StreamView, step_stream
    from minagent_lab.views.timeline import plot_timeline
    from minagent_lab.views.trace_view import TraceView

__version__ = "0.1.0"

_LAZY = {  # what most programs do not need, or what needs asyncio, ipywidgets or matplotlib
    "AnthropicProvider": "minagent_lab.providers.anthropic",
    "Budget": "minagent_lab.observe.budget",
    "EvalCase": "minagent_lab.observe.cases",
    "EvalReport": "minagent_lab.observe.report",
    "ExplainView": "minagent_lab.views.explain_view",
    "MockGPT": "minagent_lab.mockgpt.mock",
    "OpenAICompatibleProvider": "minagent_lab.providers.openai_compatible",
    "PlaygroundView": "minagent_lab.views.playground_view",
    "PriceTable": "minagent_lab.observe.pricing",
    "Recorder": "minagent_lab.fixtures.recorder",
    "Retrying": "minagent_lab.providers.retrying",
    "Rule": "minagent_lab.mockgpt.rules",
    "StepperView": "minagent_lab.views.stepper_view",
    "StreamStepper": "minagent_lab.stepping.stream",
    "StreamView": "minagent_lab.views.stream_view",
    "TickingClock": "minagent_lab.observe.clock",
    "Trace": "minagent_lab.observe.trace",
    "TraceView": "minagent_lab.views.trace_view",
    "aevaluate": "minagent_lab.observe.evaluation",
    "arun": "minagent_lab.async_loop",
    "choose_provider": "minagent_lab.providers.consent",
    "evaluate": "minagent_lab.observe.evaluation",
    "open_run": "minagent_lab.stepping.opening",
    "playground": "minagent_lab.views.playground",
    "plot_evaluation": "minagent_lab.views.evaluation_chart",
    "plot_history_growth": "minagent_lab.views.charts",
    "plot_timeline": "minagent_lab.views.timeline",
    "read_trace": "minagent_lab.observe.reading",
    "step": "minagent_lab.views.stepper_view",
    "step_stream": "minagent_lab.views.stream_view",
    "to_model": "minagent_lab.adapters",
    "to_provider": "minagent_lab.adapters",
}

__all__ = [
    "AbortController",
    "AbortError",
    "AbortSignal",
    "AnthropicProvider",
    "AskModel",
    "AuthenticationError",
    "Budget",
    "BudgetExceeded",
    "Call",
    "ConfigurationError",
    "EvalCase",
    "EvalReport",
    "Expect",
    "ExplainView",
    "FakeModel",
    "FakeModelProvider",
    "FixtureError",
    "Growth",
    "History",
    "InvalidRequestError",
    "MalformedResponseError",
    "MaxStepsExceeded",
    "Message",
    "MinAgentError",
    "MockError",
    "MockGPT",
    "Model",
    "ModelProvider",
    "ModelRequest",
    "ModelResponse",
    "NetworkError",
    "OpenAICompatibleProvider",
    "PlaygroundView",
    "PriceTable",
    "ProviderError",
    "ProviderTimeoutError",
    "RateLimitError",
    "RealCallBarred",
    "Recorder",
    "ResponsesExhausted",
    "Retrying",
    "Rule",
    "RunResult",
    "RunTool",
    "ScriptExhausted",
    "ScriptNotExhausted",
    "ServerError",
    "Step",
    "Stepper",
    "StepperView",
    "StreamStepper",
    "StreamView",
    "TickingClock",
    "Tool",
    "ToolCall",
    "ToolRegistry",
    "ToolResult",
    "Trace",
    "TraceError",
    "TraceView",
    "Turn",
    "UnexpectedRequest",
    "aevaluate",
    "agent_loop",
    "arun",
    "choose_provider",
    "evaluate",
    "expect_error",
    "history_growth",
    "load_fixture",
    "open_run",
    "playground",
    "plot_evaluation",
    "plot_history_growth",
    "plot_timeline",
    "read_trace",
    "run",
    "step",
    "step_stream",
    "to_model",
    "to_provider",
]


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return getattr(importlib.import_module(_LAZY[name]), name)
    raise AttributeError(f"module 'minagent_lab' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)

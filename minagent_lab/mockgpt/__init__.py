"""MockGPT: a model that answers by rules, and speaks the wire protocol of real services."""

from minagent_lab.errors import MockError
from minagent_lab.mockgpt import generators, responses
from minagent_lab.mockgpt.mock import MockGPT
from minagent_lab.mockgpt.rules import Rule

__all__ = ["MockError", "MockGPT", "Rule", "generators", "responses"]

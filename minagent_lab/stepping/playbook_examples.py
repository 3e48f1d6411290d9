"""Playbooks to start from: each shows one thing that happens to agents, and is short enough to be read whole."""

from __future__ import annotations

from minagent_lab.stepping.playbook import Texts

_ADD = """{
  "add": {
    "description": "Sum of two numbers",
    "parameters": {
      "type": "object",
      "properties": {
        "a": {"type": "number"},
        "b": {"type": "number"}
      },
      "required": ["a", "b"]
    },
    "results": ["5"]
  }
}"""

_WEATHER = """{
  "weather": {
    "description": "The weather in a city",
    "parameters": {
      "type": "object",
      "properties": {"city": {"type": "string"}},
      "required": ["city"]
    },
    "results": {
      "北京": "晴, 5 °C",
      "上海": "雨, 8 °C",
      "Atlantis": {"error": "ValueError: no such city"}
    }
  }
}"""

_SEARCH = """{
  "search": {
    "description": "Looks for a file",
    "parameters": {
      "type": "object",
      "properties": {"name": {"type": "string"}},
      "required": ["name"]
    },
    "results": ["nothing found"]
  }
}"""

EXAMPLES: dict[str, Texts] = {
    "One tool": Texts(
        '{\n  "prompt": "What is 2 + 3?",\n  "system": "Use the tools."\n}',
        """[
  {"call": {"id": "c1", "name": "add",
            "arguments": {"a": 2, "b": 3}}},
  "2 + 3 is 5."
]""",
        _ADD,
    ),
    "Parallel calls": Texts(
        '"How is the weather in 北京 and in 上海?"',
        """[
  {"calls": [
    {"id": "c1", "name": "weather",
     "arguments": {"city": "北京"}},
    {"id": "c2", "name": "weather",
     "arguments": {"city": "上海"}}
  ]},
  "北京 is clear, and 上海 has rain."
]""",
        _WEATHER,
    ),
    "An endless loop": Texts(
        '{\n  "prompt": "Where is notes.txt?",\n  "max_steps": 4\n}',
        """[
  {"call": {"id": "c1", "name": "search",
            "arguments": {"name": "notes.txt"}}},
  {"call": {"id": "c2", "name": "search",
            "arguments": {"name": "notes.txt"}}},
  {"call": {"id": "c3", "name": "search",
            "arguments": {"name": "notes.txt"}}},
  {"call": {"id": "c4", "name": "search",
            "arguments": {"name": "notes.txt"}}},
  "Nobody gets as far as this item."
]""",
        _SEARCH,
    ),
    "A cut answer": Texts(
        '"Tell me how a rainbow comes about."',
        """[
  {
    "content": "Sunlight enters a drop of water, and",
    "stop_reason": "max_tokens",
    "usage": {"input_tokens": 14, "output_tokens": 8}
  }
]""",
        "{}",
    ),
}

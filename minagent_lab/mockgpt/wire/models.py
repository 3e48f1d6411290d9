"""The list of models: those that rules name, and one for all the others."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Any

from minagent_lab.mockgpt.wire.words import ANTHROPIC, Refused
from minagent_lab.values import dump_json

if TYPE_CHECKING:
    from minagent_lab.mockgpt.mock import MockGPT

ANY = "mockgpt"


def models_body(mock: MockGPT, id: str | None, service: str) -> bytes:
    """Return the body for all models, or for the one with an id."""
    names = list(dict.fromkeys([*(rule.model for rule in mock.rules if isinstance(rule.model, str)), ANY]))
    if id is not None and id not in names:
        missing = f"model: {id}" if service == ANTHROPIC else f"The model '{id}' does not exist"
        raise Refused(missing, status=404, param=None if service == ANTHROPIC else "model", code="model_not_found")
    described = [_described(name, mock.now_ms(), service) for name in ([id] if id else names)]
    if id is not None:
        return dump_json(described[0]).encode()
    if service == ANTHROPIC:
        return dump_json({"data": described, "has_more": False, "first_id": names[0], "last_id": names[-1]}).encode()
    return dump_json({"object": "list", "data": described}).encode()


def _described(name: str, now_ms: float, service: str) -> dict[str, Any]:
    if service == ANTHROPIC:
        moment = dt.datetime.fromtimestamp(now_ms // 1000, dt.UTC).isoformat().replace("+00:00", "Z")
        return {"type": "model", "id": name, "display_name": name, "created_at": moment}
    return {"id": name, "object": "model", "created": int(now_ms // 1000), "owned_by": "mockgpt"}

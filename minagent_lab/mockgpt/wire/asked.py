"""A request as it came over the wire, and what is refused before anybody looks at what it asks."""

from __future__ import annotations

import json
import math
from typing import Any, NamedTuple

from minagent_lab.mockgpt.wire.words import ANTHROPIC, OPENAI, Refused
from minagent_lab.values import copy_json

_KEYS = ("authorization", "x-api-key", "api-key")
_SECRET = frozenset((*_KEYS, "cookie", "proxy-authorization"))


class Asked(NamedTuple):
    """One request.

    Parameters
    ----------
    method, path
        Of its first line; the path without what follows a question mark.
    headers
        Names in small letters.
    body
        The bytes.
    """

    method: str
    path: str
    headers: dict[str, str]
    body: bytes

    def only(self, method: str) -> None:
        """Refuse any other method."""
        if self.method == method:
            return
        if service_of(self) == ANTHROPIC:
            raise Refused("Method Not Allowed", status=405)
        hint = "(HINT: Perhaps you meant to use a different HTTP method?)"
        raise Refused(f"Not allowed to {self.method} on {self.path}. {hint}", status=405)

    def check_key(self) -> None:
        """Refuse a request without a key; any key will do."""
        for name in _KEYS:
            if self.headers.get(name, "").removeprefix("Bearer").strip():
                return
        if service_of(self) == ANTHROPIC:
            raise Refused("x-api-key header is required", status=401)
        raise Refused(
            "You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer "
            "auth (i.e. Authorization: Bearer YOUR_KEY). MockGPT takes any key.",
            status=401,
        )

    def shown_headers(self) -> dict[str, str]:
        """Return the headers without what is secret: they are kept in records."""
        return {**self.headers, **dict.fromkeys(_SECRET & self.headers.keys(), "…")}


def service_of(asked: Asked) -> str:
    """Return whose words to use."""
    return ANTHROPIC if asked.path.endswith("/v1/messages") or "anthropic-version" in asked.headers else OPENAI


def read_json(asked: Asked, longest: int, service: str) -> dict[str, Any]:
    """Return the JSON object in the body, or refuse it."""
    if len(asked.body) > longest:
        raise too_long(longest, len(asked.body), service)
    if service == ANTHROPIC and not asked.headers.get("anthropic-version"):
        raise Refused("anthropic-version: header is required")
    try:
        data = _decode(asked.body.decode())
        if asked.body.count(b"[") + asked.body.count(b"{") > 100:  # only then can it be nested too deep
            copy_json(data, "the body")
    except (ValueError, TypeError, RecursionError):
        data = None
    if isinstance(data, dict):
        return data
    if service == ANTHROPIC:
        raise Refused("The request body is not valid JSON: it has to be one object")
    raise Refused(
        "We could not parse the JSON body of your request. (HINT: This likely means you aren't using your HTTP library "
        "correctly. The OpenAI API expects a JSON payload, but what was sent was not valid JSON.)"
    )


def too_long(longest: int, length: int, service: str) -> Refused:
    """Return the refusal of a body that is too long."""
    if service == ANTHROPIC:
        return Refused("Request exceeds the maximum size", status=413)
    return Refused(f"Maximum content size limit ({longest}) exceeded ({length} bytes read)", status=413)


def _finite(number: str) -> float:
    if math.isinf(held := float(number)):
        raise ValueError(f"{number} is too large")
    return held


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


_decode = json.JSONDecoder(parse_constant=_no_constant, parse_float=_finite).decode

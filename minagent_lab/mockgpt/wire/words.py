"""What real services say when they refuse: their words, types and codes, so that a client reads what it reads there.

Source: errors of the services as they were seen; where one is not known, the words say what is wrong.
"""

from __future__ import annotations

from typing import Any

from minagent_lab.mockgpt.outputs import Failure
from minagent_lab.values import dump_json

OPENAI, ANTHROPIC = "openai", "anthropic"

_SORRY = "The server had an error while processing your request. Sorry about that!"
_QUOTA = (
    "You exceeded your current quota, please check your plan and billing details. For more information on this error, "
    "read the docs: https://platform.openai.com/docs/guides/error-codes/api-errors."
)
_OPENAI: dict[int, tuple[str, str, str | None]] = {  # message, type, code
    400: ("Bad request.", "invalid_request_error", None),
    401: (
        "Incorrect API key provided. You can find your API key at https://platform.openai.com/account/api-keys.",
        "invalid_request_error",
        "invalid_api_key",
    ),
    403: ("You have insufficient permissions for this operation.", "invalid_request_error", "insufficient_permissions"),
    404: (
        "The model does not exist or you do not have access to it.",
        "invalid_request_error",
        "model_not_found",
    ),
    408: ("Request timed out.", "timeout_error", None),
    409: ("The resource was updated by another request.", "invalid_request_error", None),
    413: ("Maximum content size limit exceeded.", "invalid_request_error", None),
    422: ("The request could not be processed.", "invalid_request_error", None),
    429: ("Rate limit reached for requests. Please try again later.", "requests", "rate_limit_exceeded"),
    500: (_SORRY, "server_error", None),
    503: ("The server is currently overloaded with other requests. Sorry about that!", "server_error", None),
}
_ANTHROPIC: dict[int, tuple[str, str]] = {  # message, type
    400: ("Bad request.", "invalid_request_error"),
    401: ("invalid x-api-key", "authentication_error"),
    402: ("There is an issue with your billing or payment information.", "billing_error"),
    403: ("Your API key does not have permission to use the specified resource.", "permission_error"),
    404: ("The requested resource could not be found.", "not_found_error"),
    413: ("Request exceeds the maximum size", "request_too_large"),
    429: ("This request would exceed your account's rate limit. Please try again later.", "rate_limit_error"),
    500: ("Internal server error", "api_error"),
    504: ("Request timed out", "timeout_error"),
    529: ("Overloaded", "overloaded_error"),
}


def openai_error(failure: Failure) -> dict[str, Any]:
    """Return the error as OpenAI tells it.

    Examples
    --------
    >>> openai_error(Failure(500, "down"))
    {'message': 'down', 'type': 'server_error', 'param': None, 'code': None}
    """
    message, kind, code = _OPENAI.get(failure.status) or _OPENAI[500 if failure.status >= 500 else 400]
    if failure.code == "insufficient_quota":
        message, kind = _QUOTA, "insufficient_quota"
    code = failure.code if failure.code is not None else None if failure.type else code
    return {"message": failure.message or message, "type": failure.type or kind, "param": failure.param, "code": code}


def anthropic_error(failure: Failure) -> dict[str, Any]:
    """Return the error as Anthropic tells it; a code, which it does not know, stands in the place of the type.

    Examples
    --------
    >>> anthropic_error(Failure(529))
    {'type': 'overloaded_error', 'message': 'Overloaded'}
    """
    message, kind = _ANTHROPIC.get(failure.status) or _ANTHROPIC[500 if failure.status >= 500 else 400]
    return {"type": failure.type or failure.code or kind, "message": failure.message or message}


def error_body(failure: Failure, service: str, request_id: str) -> bytes:
    """Return the whole body of an error."""
    if service == ANTHROPIC:
        return dump_json({"type": "error", "error": anthropic_error(failure), "request_id": request_id}).encode()
    return dump_json({"error": openai_error(failure)}).encode()


class Refused(Exception):
    """A request is refused, in the words of the service."""

    def __init__(self, message: str, *, status: int = 400, param: str | None = None, code: str | None = None) -> None:
        super().__init__(message)
        self.message, self.status, self.param, self.code = message, status, param, code

    def failure(self, service: str) -> Failure:
        """Return the error that it is; only OpenAI calls all of them by one name."""
        kind = "invalid_request_error" if service == OPENAI or self.status in (400, 405) else ""
        return Failure(self.status, self.message, kind, self.code, self.param)

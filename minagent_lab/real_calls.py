"""Whether models that cost money may be asked. In tests they may not, unless a test asks for it.

Fakes need no leave. A provider of a real model calls `check_allowed` before it sends anything.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from minagent_lab.errors import RealCallBarred

_barred: ContextVar[bool] = ContextVar("real model calls are barred", default=False)


@contextmanager
def real_calls(allowed: bool) -> Iterator[None]:
    """Allow or bar real model calls in a block.

    Examples
    --------
    >>> with real_calls(allowed=False):
    ...     check_allowed("gpt-x")
    Traceback (most recent call last):
    ...
    minagent_lab.errors.RealCallBarred: a test was about to ask the real model 'gpt-x'; use a fake or a recording, or \
mark the test with @pytest.mark.real_model
    """
    token = _barred.set(not allowed)
    try:
        yield
    finally:
        _barred.reset(token)


def check_allowed(model: str) -> None:
    """Raise `RealCallBarred` where real calls are barred."""
    if _barred.get():
        hint = "use a fake or a recording, or mark the test with @pytest.mark.real_model"
        raise RealCallBarred(f"a test was about to ask the real model {model!r}; {hint}")

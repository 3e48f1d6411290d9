"""Of which kind a thing is, and what to write where it is of another: for the `fits` of an exercise.

>>> async def paid(events): ...
>>> is_plain_function(paid)
False
>>> is_plain_function.refusal(paid, "paid")
'it is `async def`; nothing waits here, so write `def paid(events)`'
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import cache
from typing import Any

from minagent_lab.course.exercise import is_function
from minagent_lab.values import value


@value
class Kind:
    """A kind of thing, which can be called as the `fits` of an exercise.

    Parameters
    ----------
    fits
        Whether a thing is of this kind.
    instead
        What to write instead of a thing, given the thing and its name; ``""`` where the exercise's `wants` will do.
    """

    fits: Callable[[Any], bool]
    instead: Callable[[Any, str], str]

    def __call__(self, thing: Any) -> bool:
        """Return whether a thing is of this kind."""
        return self.fits(thing)

    def refusal(self, thing: Any, name: str) -> str:
        """Return what is wrong with a thing that does not fit, and what to write; ``""`` where that is not known."""
        return self.instead(thing, name)


def _is_async(thing: Any) -> bool:
    inner = inspect.unwrap(thing)
    return inspect.iscoroutinefunction(inner) or inspect.iscoroutinefunction(getattr(inner, "__call__", None))  # noqa: B004


def _head(name: str, function: Any) -> str:
    """Return ``name(a, b=1)``; a default that may have an address in it is three dots."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return f"{name}(...)"
    takes = [_parameter(one) for one in signature.parameters.values()]
    whole = str(signature.replace(parameters=takes, return_annotation=signature.empty))
    return f"{name}{whole.replace('Ellipsis', '...')}"


def _parameter(one: inspect.Parameter) -> inspect.Parameter:
    short = one.default is one.empty or one.default is None or isinstance(one.default, (bool, int, float, str))
    return one.replace(annotation=one.empty, default=one.default if short else ...)


def _write_async(thing: Any, name: str) -> str:
    if not is_function(thing):
        return ""
    if inspect.isasyncgenfunction(inspect.unwrap(thing)):
        return f"it has a `yield`, so nobody can await it; take it out of `async def {_head(name, thing)}`"
    return f"it is a plain `def`; it waits, so write `async def {_head(name, thing)}`"


def _write_plain(thing: Any, name: str) -> str:
    if not is_function(thing):
        return ""
    return f"it is `async def`; nothing waits here, so write `def {_head(name, thing)}`"


def _write_return(thing: Any, name: str) -> str:
    if is_function(thing) and inspect.isgeneratorfunction(inspect.unwrap(thing)):
        return f"it has a `yield`, so a call of it only makes a generator; write `return` in `def {_head(name, thing)}`"
    return _write_plain(thing, name)


is_async_function = Kind(lambda thing: is_function(thing) and _is_async(thing), _write_async)
"""A function that is awaited; what wraps one with `functools.wraps` is one as well."""

is_plain_function = Kind(
    lambda thing: is_function(thing) and not _is_async(thing) and not inspect.isasyncgenfunction(inspect.unwrap(thing)),
    _write_plain,
)
"""A function that answers at once, or yields at once."""


is_returning_function = Kind(
    lambda thing: is_plain_function(thing) and not inspect.isgeneratorfunction(inspect.unwrap(thing)), _write_return
)
"""A function that answers at once, and does not yield."""


@cache
def class_with_async(method: str) -> Kind:
    """Return the kind of a class whose `method` is async.

    Examples
    --------
    >>> class Careful:
    ...     def complete(self, request, signal=None): ...
    >>> class_with_async("complete").refusal(Careful, "Careful")
    'its `complete` is a plain `def`; in the contract it is `async def complete(self, request, signal=None)`'
    """

    def fits(thing: Any) -> bool:
        return isinstance(thing, type) and _is_async(getattr(thing, method, None))

    def instead(thing: Any, name: str) -> str:
        if not isinstance(thing, type):
            return ""
        held = getattr(thing, method, None)
        if not callable(held):
            return f"{name} has no method `{method}`; write `async def {method}` in it"
        return f"its `{method}` is a plain `def`; in the contract it is `async def {_head(method, held)}`"

    return Kind(fits, instead)

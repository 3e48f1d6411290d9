"""Can this function be called with these keywords? Asked before the call, so that its own TypeErrors stay its own."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection
from typing import Any


class Signature:
    """The keywords that a function needs and takes.

    Raises
    ------
    ValueError
        The function wants an argument by position only, and tools are called by keyword.

    Examples
    --------
    >>> Signature(lambda a, b=1: a, "func").problems({"c": 3})
    ['missing: a', 'unexpected: c']
    """

    def __init__(self, func: Callable[..., Any], name: str) -> None:
        self._takes: set[str] | None = set()  # None: anything
        self._needs: dict[str, None] = {}  # in the order of the function
        try:
            parameters = list(inspect.signature(func).parameters.values())
        except (TypeError, ValueError):  # a built-in without a signature: the call itself will tell
            self._takes = None
            return
        for parameter in parameters:
            needed = parameter.default is parameter.empty
            if parameter.kind is parameter.POSITIONAL_ONLY and needed:
                raise ValueError(
                    f"{name} takes {parameter.name!r} by position only, and tools are called by keyword; "
                    f"wrap it: lambda {parameter.name}: ...({parameter.name})"
                )
            if parameter.kind is parameter.VAR_KEYWORD:
                self._takes = None
            elif parameter.kind in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY):
                if needed:
                    self._needs[parameter.name] = None
                if self._takes is not None:
                    self._takes.add(parameter.name)

    def takes(self, arguments: dict[str, Any]) -> bool:
        """Whether the function can be called with these keywords."""
        names = arguments.keys()
        return names >= self._needs.keys() and (self._takes is None or names <= self._takes)

    def problems(self, arguments: dict[str, Any], told: Collection[str] = ()) -> list[str]:
        """Return what is missing, apart from what was `told` before, and what is too much."""
        problems = []
        if missing := [key for key in self._needs if key not in arguments and key not in told]:
            problems.append(f"missing: {', '.join(missing)}")
        if self._takes is not None and (extra := [key for key in arguments if key not in self._takes]):
            problems.append(f"unexpected: {', '.join(extra)}")
        return problems

"""What a model that somebody else wrote tells of itself: its name, its script, how far it has come in it."""

from __future__ import annotations

from typing import Any


def field_of(model: Any, name: str) -> Any:
    """Return a field of a model; ``None`` where it has none, or where asking for it raises.

    Examples
    --------
    >>> class Odd:
    ...     name = property(lambda self: 1 / 0)
    >>> field_of(Odd(), "name"), field_of(Odd(), "script")
    (None, None)
    """
    try:
        return getattr(model, name, None)
    except Exception:
        return None


def script_of(model: Any) -> list[Any] | None:
    """Return the items of a model that plays a script; ``None`` for any other model."""
    script = field_of(model, "script")
    return script if isinstance(script, list) and isinstance(field_of(model, "position"), int) else None

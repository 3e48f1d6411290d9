"""A helper for lessons about errors: it shows the error that a cell is about, and fails when there is none."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from minagent_lab.results import exception_text


@contextmanager
def expect_error(kind: type[BaseException]) -> Iterator[None]:
    """Run a block that is expected to raise, and print what it raised.

    Parameters
    ----------
    kind
        The exception that is expected.

    Raises
    ------
    AssertionError
        The block raised nothing. Another exception than `kind` comes through as it is.

    Examples
    --------
    >>> with expect_error(ZeroDivisionError):
    ...     1 / 0
    ZeroDivisionError: division by zero
    """
    try:
        yield
    except kind as error:
        print(exception_text(error))  # noqa: T201  (showing it is what this is for)
    else:
        raise AssertionError(f"this block was expected to raise {kind.__name__}, and it raised nothing")

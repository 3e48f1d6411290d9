"""A helper for lessons about errors: it shows the error that a cell is about, and fails when there is none."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from minagent_lab.results import exception_text


class Expected:
    """What `expect_error` waits for.

    Attributes
    ----------
    error : BaseException or None
        What was raised, once the block is over.
    """

    def __init__(self, kind: type[BaseException]) -> None:
        self.kind = kind
        self.error: BaseException | None = None

    def __repr__(self) -> str:
        if self.error is None:
            return f"<Expected {self.kind.__name__}, which did not come yet>"
        return f"<Expected {exception_text(self.error)}>"


@contextmanager
def expect_error(kind: type[BaseException]) -> Iterator[Expected]:
    """Run a block that is expected to raise, and print what it raised.

    Parameters
    ----------
    kind
        The exception that is expected.

    Yields
    ------
    Expected
        Its ``error`` is what was raised, once the block is over.

    Raises
    ------
    AssertionError
        The block raised nothing. Another exception than `kind` comes through as it is.

    Examples
    --------
    >>> with expect_error(KeyError) as expected:
    ...     {"tea": 12}["coffee"]
    KeyError: 'coffee'
    >>> expected.error.args
    ('coffee',)
    """
    expected = Expected(kind)
    try:
        yield expected
    except kind as error:
        expected.error = error
        if not getattr(sys.stdout, "is_a_check", False):  # there a learner's test uses it, and nobody reads along
            print(exception_text(error))  # noqa: T201  (showing it is what this is for)
    else:
        raise AssertionError(f"this block was expected to raise {kind.__name__}, and it raised nothing")

"""Running code that may be wrong in any way: it may raise, loop for ever, exit, or print a megabyte. We go on."""

from __future__ import annotations

import contextlib
import gc
import inspect
import io
import sys
import sysconfig
import warnings
from collections.abc import Callable, Iterator
from itertools import takewhile
from pathlib import Path
from types import CoroutineType, FrameType
from typing import Any, NamedTuple

from minagent_lab.results import exception_text
from minagent_lab.values import storable

STEPS = 1_000_000  # of Python that a learner's code may take in one test; an honest one takes some thousands
PRINTED = 500  # characters of output that are kept
_DEPTH = 50  # frames in which the learner's line is looked for, where a coroutine was made


class TooLong(BaseException):
    """The code took more steps than any solution needs. No ``except Exception`` in a learner's code swallows it."""


class Outcome(NamedTuple):
    """What came of a test.

    Parameters
    ----------
    problem
        ``None`` when it passed, else why it did not, in one line.
    failed_by
        The kind of exception that said so, or ``""``.
    printed
        What the code printed, cut.
    note
        What a test that passed has to say all the same.
    forgotten
        The coroutines that were made and never awaited, each with its line, such as ``"`abortable`, line 6"``.
    """

    problem: str | None
    failed_by: str = ""
    printed: str = ""
    note: str = ""
    forgotten: tuple[str, ...] = ()


def attempted(test: Callable[[Any], str | None], thing: Any, steps: int = STEPS) -> Outcome:
    """Run a test on a thing, whatever the thing does. Ctrl-C alone comes through.

    Examples
    --------
    >>> def test(loop): loop()
    >>> def loop():
    ...     while True: pass
    >>> attempted(test, loop).problem
    'it did not come to an end: stopped after 1,000,000 steps of Python'
    """
    output = _Cut()
    problem, failed_by, note = None, "", None
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output), _never_awaited() as forgotten:
        try:
            with at_most(steps):
                note = test(thing)
        except TooLong as late:
            why = str(late) or f"it did not come to an end: stopped after {steps:,} steps of Python"
            problem, failed_by = why, "TooLong"
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # SystemExit too: a cell that checks must not end the kernel
            failed_by = type(error).__name__
            problem = str(error) if isinstance(error, AssertionError) and str(error) else exception_text(error)
    return Outcome(storable(problem) if problem else problem, failed_by, output.kept(), note or "", tuple(forgotten))


@contextlib.contextmanager
def _never_awaited() -> Iterator[list[str]]:
    """Find the coroutines that the block makes and nobody awaits, also those that only the garbage collector finds.

    What was made before the block is not collected in it, so that nothing is told of the wrong test.
    """
    found: list[str] = []
    depth = sys.get_coroutine_origin_tracking_depth()
    with warnings.catch_warnings(record=True) as caught:
        warnings.filterwarnings("always", "coroutine .* was never awaited", RuntimeWarning)
        gc.freeze()
        sys.set_coroutine_origin_tracking_depth(_DEPTH)
        try:
            yield found
        finally:
            gc.collect()
            sys.set_coroutine_origin_tracking_depth(depth)
            gc.unfreeze()
    for warning in caught:
        if not inspect.iscoroutine(warning.source):
            sys.stderr.write(f"{warning.category.__name__}: {warning.message}\n")
        elif warning.source.cr_origin:
            found.append(_made_where(warning.source))
    found[:] = dict.fromkeys(found)


def _made_where(coroutine: CoroutineType[Any, Any, Any]) -> str:
    """Return a coroutine's name, and the line of the learner's code that made it."""
    name = coroutine.__qualname__.rpartition("<locals>.")[2]
    inside = takewhile(lambda frame: frame[0] != __file__, coroutine.cr_origin or ())  # the cell that checks is outside
    line = next((line for file, line, _ in inside if not file.startswith(_NOT_COUNTED)), None)
    return f"`{name}`" if line is None else f"`{name}`, line {line}"


@contextlib.contextmanager
def at_most(steps: int) -> Iterator[None]:
    """Raise `TooLong` when a learner's code takes more steps in the block. No limit while a debugger is at work.

    A step is one instruction of Python's virtual machine: the count is the same on every computer, and even a loop on
    a single line has steps. Code of this package and of installed ones is not counted.
    """
    if sys.gettrace() is not None:
        yield
        return
    left = steps

    def entered(frame: FrameType, _: str, __: Any) -> Any:
        if frame.f_code.co_filename.startswith(_NOT_COUNTED):
            return None
        frame.f_trace = count  # before the next line: Python 3.13 looks for it there
        frame.f_trace_opcodes = True
        return count

    def count(_: FrameType, event: str, __: Any) -> Any:
        nonlocal left
        if event == "opcode":
            left -= 1
            if left < 0:
                raise TooLong
        return count

    sys._getframe().f_trace_opcodes = True  # Python 3.12 gives opcodes only where somebody asked before the start
    sys.settrace(entered)
    try:
        yield
    finally:
        sys.settrace(None)


_NOT_COUNTED = (
    str(Path(__file__).parents[1]),
    str(Path(contextlib.__file__).parent),  # the standard library, also where it is a .zip, as in a browser
    *{sysconfig.get_path(name) for name in ("stdlib", "purelib", "platlib")},
    "<frozen ",  # the import system
    "<string>",  # what libraries generate: a compiled schema, a dataclass
)


class _Cut(io.TextIOBase):
    """A file that remembers how it began, and how much there was; `expect_error` prints nothing to it."""

    is_a_check = True

    def __init__(self) -> None:
        self._text, self._size = "", 0

    def write(self, text: str) -> int:
        self._text += text[: max(PRINTED - len(self._text), 0)]
        self._size += len(text)
        return len(text)

    def writable(self) -> bool:
        return True

    def kept(self) -> str:
        """Return the beginning, and how much was left out."""
        left_out = self._size - len(self._text)
        return f"{self._text}… ({left_out:,} more characters)" if left_out else self._text

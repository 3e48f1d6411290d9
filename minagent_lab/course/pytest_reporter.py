"""The two plugins with which `run_pytest` runs pytest: one gives, one keeps what came of each test."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Generator, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from minagent_lab.course.pytest_runs import TestResult
from minagent_lab.course.running import STEPS, TooLong, at_most
from minagent_lab.results import exception_text
from minagent_lab.values import storable

LONGEST = 400  # characters of a line of a reason
WHERE = re.compile(r"\s*\+ +where ")
ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")


def fixtures(given: Mapping[str, Any]) -> ModuleType:
    """Return a plugin with a fixture for each name. A list is as it was when the run began, each time it is given."""
    plugin = ModuleType("given")
    for name, thing in given.items():
        setattr(plugin, name, pytest.fixture(name=name)(_again(thing)))
    return plugin


def _again(thing: Any) -> Callable[[], Any]:
    """Return a function that gives a thing; a list it first makes what it is now, for others may hold it too."""
    if not isinstance(thing, list):
        return lambda: thing
    now = list(thing)

    def give() -> Any:
        thing[:] = now
        return thing

    return give


class Reporter:
    """A plugin that keeps what came of each test, and ends one that does not come to an end.

    Parameters
    ----------
    path
        The test file.
    given
        The names that tests can ask for.
    """

    def __init__(self, path: Path, given: Sequence[str]) -> None:
        self._path, self._given = path, given
        self.results: list[TestResult] = []
        self.interrupted = False

    @pytest.hookimpl(trylast=True)
    def pytest_configure(self, config: pytest.Config) -> None:
        """Send pytest's own report nowhere. It must be there: pytest 8 lets it colour the values of asserts."""
        reporter: Any = config.pluginmanager.unregister(name="terminalreporter")
        config.pluginmanager.register(type(reporter)(config, io.StringIO()), "terminalreporter")

    @pytest.hookimpl(wrapper=True)
    def pytest_pyfunc_call(self) -> Generator[None, Any, Any]:
        """Stop a test that takes too many steps."""
        with at_most(STEPS):
            return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Keep what came of a test: of setting up, calling and tearing down, the call, or what went wrong."""
        report = yield
        if report.when == "call" or report.outcome != "passed":
            error = call.excinfo.value if call.excinfo else None
            failed = "FAILED" if report.when == "call" else "ERROR"
            outcome = failed if report.failed else report.outcome.upper()
            line = self._line(call.excinfo) if call.excinfo and report.failed else ""
            name = report.nodeid.partition("::")[2]
            self.results.append(TestResult(name, outcome, line, self._reason(error) if error else ""))
        return report

    def pytest_exception_interact(self, call: pytest.CallInfo[Any]) -> None:
        """Keep why the file could not be imported."""
        if call.when == "collect" and call.excinfo is not None:
            error = call.excinfo.value
            self._keep_error(error.__cause__ or error)

    def pytest_internalerror(self, excinfo: pytest.ExceptionInfo[BaseException]) -> bool:
        """Keep what ended pytest itself, such as an ``exit()`` in the file; so it does not go to stderr."""
        self._keep_error(excinfo.value)
        return True

    def pytest_keyboard_interrupt(self, excinfo: pytest.ExceptionInfo[BaseException]) -> None:
        """Remember that somebody pressed the stop button. What pytest interrupts by itself is of another type."""
        self.interrupted = excinfo.type is KeyboardInterrupt

    def _keep_error(self, error: BaseException) -> None:
        self.results.append(TestResult("the file", "ERROR", "", self._reason(error)))

    def _line(self, excinfo: pytest.ExceptionInfo[BaseException]) -> str:
        """Return the last line of the test file that was at work."""
        ours = [entry for entry in excinfo.traceback if str(entry.path) == str(self._path)]
        return str(ours[-1].statement).strip().splitlines()[0] if ours else ""

    def _reason(self, error: BaseException) -> str:
        if isinstance(error, TooLong):
            return f"it did not come to an end: stopped after {STEPS:,} steps of Python"
        if isinstance(error, pytest.FixtureLookupError):
            return f"nothing is given as {error.argname!r}; there is {', '.join(self._given) or 'nothing'}"
        says_it_all = isinstance(error, (AssertionError, pytest.fail.Exception, pytest.skip.Exception)) and str(error)
        return short(str(error) if says_it_all else exception_text(error))


def short(reason: str) -> str:
    r"""Return what was said and where the value in it comes from; pytest's further lines differ between versions.

    Examples
    --------
    >>> short("assert 2 == 3\n +  where 2 = len([1, 2])\n  \n  Use -v to get more diff")
    'assert 2 == 3\n+  where 2 = len([1, 2])'
    """
    lines = storable(reason).splitlines()
    where = [line.strip() for line in lines if WHERE.match(line)]
    said = [line for line in lines if line.strip() and not line.startswith(" ")]
    return "\n".join(ADDRESS.sub("", line)[:LONGEST] for line in [*said, *where[:1]])

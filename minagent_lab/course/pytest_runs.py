"""Pytest in a notebook: a test file as text, run in this process, reported in lines that are the same everywhere.

Pytest itself collects the tests, rewrites their asserts and runs them; only the reporting is ours. Its own report names
folders and seconds, which differ from run to run. No process and no thread is started, so this also works in a browser.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from minagent_lab.values import value

OPTIONS = (
    "--noconftest",  # a conftest.py, or a pytest.ini, of somebody else is no concern of these tests
    "--import-mode=importlib",
    "--capture=no",  # what a test prints appears where it is run
    "--color=no",
    "-pminagent_lab.pytest_plugin",  # loaded by itself where plugins are; `replay` and `fake_model` are there as well
    "-pno:cacheprovider",
    "-pno:faulthandler",  # wants a real stderr
    "-pno:threadexception",
    "-pno:unraisableexception",
)
VARIABLES = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTEST_ADDOPTS": "", "PYTEST_PLUGINS": ""}

_numbers = itertools.count(1)


@value
class TestResult:
    """What became of one test.

    Parameters
    ----------
    name
        The test function, with its parameters if it has some.
    outcome
        ``"PASSED"``, ``"FAILED"`` (an assert, or any exception, in the test), ``"SKIPPED"``, or ``"ERROR"`` (pytest
        could not get as far as running it).
    line
        The line of the test that failed; ``""`` where there is none.
    reason
        What pytest says about it.
    """

    __test__ = False  # pytest collects what is called Test...

    name: str
    outcome: str
    line: str = ""
    reason: str = ""

    def __str__(self) -> str:
        marked = [f"    > {self.line}"] if self.line else []
        reasons = [f"    E {row}" for row in self.reason.splitlines()]
        return "\n".join([f"{self.outcome} {self.name}", *marked, *reasons])


@value
class PytestReport:
    """What pytest found: one line per test, and for each that failed the line and the reason, as pytest marks them."""

    results: Sequence[TestResult]

    def names(self, outcome: str) -> list[str]:
        """Return the names of the tests with this outcome."""
        return [result.name for result in self.results if result.outcome == outcome]

    def __str__(self) -> str:
        counts = [(len(self.names(outcome.upper())), outcome) for outcome in ("failed", "error", "passed", "skipped")]
        closing = ", ".join(f"{count} {outcome}" for count, outcome in counts if count)
        return "\n".join([*map(str, self.results), closing])

    def __repr__(self) -> str:
        return str(self)


def run_pytest(tests: str, recordings: str | Path | None = None, /, **given: Any) -> PytestReport:
    """Run a test file, given as text, with pytest.

    Parameters
    ----------
    tests
        What would stand in ``tests/test_agent.py``.
    recordings
        The folder that lies beside the file as ``fixtures``, for tests that ask for `replay`.
    given
        What the tests are handed: each name becomes a fixture, so a test asks for it by a parameter of that name. A
        list is handed out as it was when the run began, whatever the test before did to it.

    Examples
    --------
    >>> tests = '''
    ... def test_it_adds(add):
    ...     assert add(2, 3) == 5
    ... '''
    >>> run_pytest(tests, add=lambda a, b: a + b)
    PASSED test_it_adds
    1 passed
    >>> run_pytest(tests, add=lambda a, b: a)
    FAILED test_it_adds
        > assert add(2, 3) == 5
        E assert 2 == 5
        E +  where 2 = <function <lambda>>(2, 3)
    1 failed
    """
    if not isinstance(tests, str):
        raise TypeError(f"tests is {tests!r:.80}; write the test file as text, in triple quotes")
    if recordings is not None and not Path(recordings).is_dir():
        raise FileNotFoundError(f"recordings is {str(recordings)!r}; give the folder in which they lie")
    if problem := _unreadable(tests):
        return PytestReport([problem])
    import pytest  # here, so that the other chapters do not wait for it

    from minagent_lab.course.pytest_reporter import Reporter, fixtures

    with tempfile.TemporaryDirectory() as folder, _alone(folder):
        path = Path(folder, f"test_in_notebook_{next(_numbers)}.py")
        path.write_text(tests, encoding="utf-8")
        if recordings is not None:
            shutil.copytree(recordings, Path(folder, "fixtures"))
        Path(folder, "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
        reporter = Reporter(path, tuple(given))
        pytest.main([*OPTIONS, f"--rootdir={folder}", str(path)], plugins=[reporter, fixtures(given)])
    if reporter.interrupted:
        raise KeyboardInterrupt
    none = TestResult("the file", "ERROR", reason="it holds no test; a test is a function whose name begins with test_")
    return PytestReport(reporter.results or [none])


def _unreadable(tests: str) -> TestResult | None:
    """Return what is wrong with a text that is not Python."""
    try:
        compile(tests, "the test file", "exec")
    except (SyntaxError, ValueError) as problem:
        at = f"line {problem.lineno}: " if isinstance(problem, SyntaxError) else ""
        line = (problem.text or "").strip() if isinstance(problem, SyntaxError) else ""
        said = problem.msg if isinstance(problem, SyntaxError) else str(problem)
        return TestResult("the file", "ERROR", line, f"{at}{type(problem).__name__}: {said}")
    return None


@contextlib.contextmanager
def _alone(folder: str) -> Iterator[None]:
    """Let neither settings nor plugins of this machine in, and leave neither modules nor variables behind."""
    kept = dict(os.environ)
    os.environ.update(VARIABLES)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(kept)
        for name, module in list(sys.modules.items()):
            if str(getattr(module, "__file__", None) or "").startswith(folder):
                del sys.modules[name]

"""The loop's own source, and which of its lines ran in a call.

Which lines ran is not guessed from the outcome: the loop has no I/O, so the recorded answers of one call are sent
through it once more, with a mark before each statement.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable
from functools import cache
from types import CodeType
from typing import Any, NamedTuple

from minagent_lab import loop as loop_module
from minagent_lab.errors import MaxStepsExceeded
from minagent_lab.loop import AskModel, RunTool, advance, agent_loop
from minagent_lab.record import NEXT_CALLS, STOPPED_CALL, Record, RunResult
from minagent_lab.stepping.stepper import Stepper, Turn


class LoopLines(NamedTuple):
    """The loop in one moment: where it stands, and the lines that ran to get there; all counted from 1."""

    stands_at: int
    ran: tuple[int, ...]


@cache
def loop_source() -> tuple[str, ...]:
    """Return the lines of `agent_loop`, without its annotations and its docstring."""
    function, lines = _parsed()
    body = lines[_first_line(function) - 1 :]
    return (f"def {function.name}({', '.join(a.arg for a in function.args.args)}):", *body)


def loop_lines(stepper: Stepper) -> LoopLines:
    """Return where the loop stands at the call that is shown."""
    turn = stepper.turn
    ran = _replayed(turn, 1 if turn and isinstance(turn.error, MaxStepsExceeded) else 2)
    return LoopLines(ran[-1], tuple(sorted(set(ran))))


def _replayed(turn: Turn | None, max_steps: int) -> list[int]:
    """Send the answers of one recorded call through the marked loop; return the lines in the order they ran."""
    ran: list[int] = [] if turn else [1]  # the first line runs once, before the first call
    record = Record("")
    if turn is not None:
        record.history = turn.request.messages.snapshot()  # type: ignore[attr-defined]
    loop = _marked_loop(ran.append)(record, [], max_steps)
    note = advance(loop)
    if turn is None or turn.response is None:
        return ran
    results = {call.id: result for call, result in turn.results}
    try:
        note = advance(loop, turn.response)
        while isinstance(note, RunTool):
            if results[note.call.id] in (STOPPED_CALL, NEXT_CALLS):
                return ran  # this call did not come to its end
            note = advance(loop, results[note.call.id])
    except MaxStepsExceeded:
        return ran
    assert isinstance(note, (AskModel, RunResult))
    return ran


def _marked_loop(mark: Callable[[int], None]) -> Callable[..., Any]:
    names = {**vars(loop_module), "_mark": mark}
    exec(_marked_code(), names)  # noqa: S102  (our own source, read from our own file)
    return names["agent_loop"]  # type: ignore[no-any-return]


@cache
def _marked_code() -> CodeType:
    function, _ = _parsed()
    offset = _first_line(function) - 2
    marked = ast.fix_missing_locations(ast.Module([_Marker(offset).visit(function)], []))
    return compile(marked, "<agent_loop, marked>", "exec")


class _Marker(ast.NodeTransformer):
    """Puts ``_mark(line)`` before each statement."""

    def __init__(self, offset: int) -> None:
        self._offset = offset

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        node.body = [statement for statement in node.body if not isinstance(statement, ast.Expr) or _yields(statement)]
        node.returns = None
        for argument in node.args.args:
            argument.annotation = None
        self._mark_all(node)
        return node

    def visit_For(self, node: ast.For) -> ast.For:
        self._mark_all(node)
        return node

    def visit_If(self, node: ast.If) -> ast.If:
        self._mark_all(node)
        return node

    def _mark_all(self, node: ast.FunctionDef | ast.For | ast.If) -> None:
        self.generic_visit(node)
        for name in ("body", "orelse"):
            statements = getattr(node, name, [])
            setattr(node, name, [part for statement in statements for part in (self._mark(statement), statement)])

    def _mark(self, statement: ast.stmt) -> ast.stmt:
        return ast.parse(f"_mark({statement.lineno - self._offset})").body[0]


def _yields(statement: ast.Expr) -> bool:
    return not isinstance(statement.value, ast.Constant)


def _parsed() -> tuple[ast.FunctionDef, list[str]]:
    source = textwrap.dedent(inspect.getsource(agent_loop))
    function = ast.parse(source).body[0]
    assert isinstance(function, ast.FunctionDef)
    return function, source.splitlines()


def _first_line(function: ast.FunctionDef) -> int:
    """Return the line of the first statement after the docstring."""
    has_docstring = ast.get_docstring(function) is not None
    return function.body[1 if has_docstring else 0].lineno

"""What a trace shows, in words. No HTML here: the live view, the static form, the text and the figure say the same."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from minagent_lab.observe.spans import Span
from minagent_lab.views.words import count, tokens

ROWS = 40  # rows that are shown of a long trace: the first ones and the last ones
RUNS = 10  # runs that are summed up, likewise
ENDINGS = {
    "completed": "completed",
    "truncated": "ended with a cut answer",
    "cancelled": "was cancelled",
    "over_budget": "stopped over its budget",
    "max_steps": "stopped at max_steps",
    "exhausted": "stopped with its script used up",
    "failed": "failed",
}


class Row(NamedTuple):
    """One span as it is shown.

    Parameters
    ----------
    start, took
        When it began, since the first one, and how long it took; in words.
    what, who
        Which kind of thing it is, and which one.
    usage, end
        The tokens, and how it ended; ``""`` where there is nothing to say.
    left, width
        Where its bar begins and how wide it is, as parts of the whole from 0 to 1.
    kind, depth, error, cancelled
        What it is, how deep inside of another, and whether it ended in an error, or because somebody wanted it to.
    """

    start: str
    took: str
    what: str
    who: str
    usage: str
    end: str
    left: float
    width: float
    kind: str
    depth: int
    error: bool
    cancelled: bool = False

    @property
    def ended(self) -> str:
        """How it ended, after a mark where that was not by itself."""
        return f"{'✗ ' * self.error}{'■ ' * self.cancelled}{self.end}"


def seconds(number: float) -> str:
    """Return a time in words, to the millisecond.

    Examples
    --------
    >>> seconds(12), seconds(0.25), seconds(0.0004)
    ('12 s', '0.25 s', '0 s')
    """
    return f"{f'{number:,.3f}'.rstrip('0').rstrip('.')} s"


def rows_of(spans: Sequence[Span], now: float | None = None) -> tuple[list[Row], int]:
    """Return the rows to show, and how many are left out after the first half of them.

    Parameters
    ----------
    spans
        In order of start.
    now
        The time of the last event, up to which that lasts what has no end yet.
    """
    if not spans:
        return [], 0
    first = min(span.start for span in spans)
    last = max([first, now or first, *(span.end for span in spans if span.end is not None)])
    left_out = max(len(spans) - ROWS, 0)
    shown = [*spans[: ROWS // 2], *spans[ROWS // 2 + left_out :]] if left_out else list(spans)
    return [_row(span, first, last) for span in shown], left_out


def _row(span: Span, first: float, last: float) -> Row:
    whole = last - first or 1.0
    end = max(last if span.end is None else span.end, span.start)
    took = "going on" if span.duration is None else seconds(span.duration)
    return Row(
        seconds(span.start - first),
        took,
        f"call {span.call}" if span.kind == "model" else span.name if span.kind == "run" else span.kind,
        "" if span.kind == "run" else span.name,
        tokens(span.usage) if span.usage or (span.kind == "model" and span.answered) else "",
        "cancelled" if span.cancelled else span.outcome,
        (span.start - first) / whole,
        (end - span.start) / whole,
        span.kind,
        0 if span.kind == "run" else 1 + span.layer,
        span.error,
        span.cancelled,
    )


def label(row: Row) -> str:
    """Return what a row is about, in a few words."""
    return f"{row.what} {row.who}".strip()


def summary(spans: Sequence[Span]) -> list[str]:
    """Return a sentence per run, of the first and the last ones: how it ended, and what it took."""
    parts: dict[str, list[Span]] = {}
    for span in spans:
        parts.setdefault(span.run, []).append(span)
    runs = [span for span in spans if span.kind == "run"]
    left_out = max(len(runs) - RUNS, 0)
    half = RUNS // 2 if left_out else len(runs)
    sentences = [_sentence(run, parts[run.run]) for run in [*runs[:half], *runs[half + left_out :]]]
    if left_out:
        sentences.insert(half, f"… {count(left_out, 'run')} left out here …")
    return sentences or ["Nothing has happened yet."]


def _sentence(run: Span, parts: Sequence[Span]) -> str:
    calls, tools = (sum(span.kind == kind for span in parts) for kind in ("model", "tool"))
    what = f"{count(calls, 'call')} of the model, {count(tools, 'tool call')}"
    innermost = max((span.layer for span in parts), default=0)  # the attempts that were requests
    again = sum(span.kind == "attempt" and span.error and span.layer == innermost for span in parts)
    failed = f", {count(again, 'attempt')} failed" if again else ""
    if run.duration is None:
        return f"{run.name} goes on: {what}{failed} so far."
    ended = ENDINGS.get(run.outcome, f"ended ({run.outcome})")
    used = tokens(run.usage) if run.usage else "tokens unknown"
    unknown = sum(span.kind == "model" and span.answered and len(span.usage) < 2 for span in parts)
    flagged = f" (usage unknown for {count(unknown, 'call')})" if unknown and run.usage else ""
    return f"{run.name} {ended} after {seconds(run.duration)}: {what}{failed}; {used}{flagged}."

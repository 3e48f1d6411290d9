"""A timeline: what took time in a trace."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from minagent_lab.observe.spans import Span, spans_of
from minagent_lab.views.bar_chart import Bar, BarChart, Group, Segment
from minagent_lab.views.chart_look import INK, NEW, Look
from minagent_lab.views.html import visible
from minagent_lab.views.trace_words import Row, label, rows_of, summary
from minagent_lab.views.words import count

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from minagent_lab.observe.trace import Trace

BARS = {
    "run": Look("a run", "#8a8a8a", thin=True),
    "model": Look("a call of the model", NEW),
    "attempt": Look("an attempt", "#c9a9e3", "..."),
    "tool": Look("a tool", "#bfe3e6", "///"),
}
BAD, OFF = "#a61b1b", "#4f545c"
EMPTY = "white"  # of an attempt that came to nothing
NARROWEST = 0.004  # of the whole: what took no time is seen all the same
SCALE = "seconds since the start"


def plot_timeline(trace: Trace | Iterable[Mapping[str, Any]]) -> Figure | BarChart:
    """Draw what took time in a trace: runs, calls of the model, attempts and tools, each where it was at work.

    Parameters
    ----------
    trace
        A `Trace`, or the events of one: what `read_trace` gives.

    Returns
    -------
    matplotlib.figure.Figure or BarChart
        A figure of its own, or a `BarChart` where there is no matplotlib, as with `plot_history_growth`. Of a long
        trace it has the first and the last bars.

    Examples
    --------
    >>> start = {"event": "run_started", "run": "run-1", "time": 0}
    >>> end = {"event": "run_ended", "run": "run-1", "time": 2, "minagent.status": "completed"}
    >>> plot_timeline([start, end]).description[:75]
    'Timeline of 1 bar. run-1: from 0 s, 2 s. run-1 completed after 2 s: 0 calls'
    """
    events: list[Mapping[str, Any]] = list(getattr(trace, "events", trace))  # type: ignore[arg-type]
    spans = spans_of(events)
    now = max((event["time"] for event in events), default=0.0)
    rows, left_out = rows_of(spans, now)
    description = describe_timeline(rows, left_out, summary(spans))
    whole = _whole(spans, now)
    try:
        from minagent_lab.views.figures.timeline import timeline_figure
    except ImportError:
        group = Group(title_of(left_out), [_bar(row, whole) for row in rows], scale=SCALE, cut=bool(left_out))
        return BarChart(description, [group], kinds_of(rows))
    return timeline_figure(rows, left_out, whole, description)


def describe_timeline(rows: list[Row], left_out: int, sentences: list[str]) -> str:
    """Return in words what the timeline shows."""
    bars = [
        f"{label(row)}: from {row.start}, {row.took}{f', {row.end}' if row.error or row.cancelled else ''}"
        for row in rows
    ]
    if left_out:
        bars.insert(len(rows) // 2, f"{left_out:,} left out")
    told = f"{'; '.join(bars)}. " if bars else ""
    return visible(f"Timeline of {count(len(rows), 'bar')}. {told}{' '.join(sentences)}")


def title_of(left_out: int) -> str:
    """Return the title, which says what is not there."""
    left = f"; {count(left_out, 'row')} left out at the dotted line" if left_out else ""
    return f"What took time{left}"


def kinds_of(rows: list[Row]) -> list[Look]:
    """Return the kinds of bars there are, for the legend: what became of them is told beside each."""
    return list(dict.fromkeys(BARS[row.kind] for row in rows))


def look_of(row: Row) -> Look:
    """Return how the bar of a row looks: its kind, and what became of it."""
    look = BARS[row.kind]
    if row.kind == "attempt" and (row.error or row.cancelled):
        look = look._replace(colour=EMPTY)
    edge = BAD if row.error else OFF if row.cancelled else INK
    return look._replace(edge=edge, line=1.6 if row.error else 0.8, dashed=row.took == "going on")


def said_of(row: Row) -> str:
    """Return the words at the end of a bar."""
    return f"{row.took}, {row.ended}" if row.error or row.cancelled else row.took


def _whole(spans: list[Span], now: float) -> float:
    ends = [span.end for span in spans if span.end is not None]
    return max([now, *ends]) - min((span.start for span in spans), default=now) or 1.0


def _bar(row: Row, whole: float) -> Bar:
    look = look_of(row)
    segment = Segment(row.left * whole, max(row.width, NARROWEST) * whole, look)
    return Bar(label(row), [segment], said_of(row), depth=row.depth, ink=look.edge)

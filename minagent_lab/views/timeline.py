"""A timeline: what took time in a trace, drawn with matplotlib and without the state of pyplot."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.font_manager import fontManager
from matplotlib.patches import Patch

from minagent_lab.observe.spans import Span, spans_of
from minagent_lab.views.charts import GROUND, INK, NEW, TITLE, WORDS, add_legend, new_figure
from minagent_lab.views.html import visible
from minagent_lab.views.trace_words import Row, label, rows_of, summary
from minagent_lab.views.words import count, short

if TYPE_CHECKING:
    from minagent_lab.observe.trace import Trace

BARS = {  # what it is, its colour, its hatch
    "run": ("a run", "#8a8a8a", ""),
    "model": ("a call of the model", NEW, ""),
    "attempt": ("an attempt", "#c9a9e3", "..."),
    "tool": ("a tool", "#bfe3e6", "///"),
}
BAD, OFF = "#a61b1b", "#4f545c"
EMPTY = "white"  # of an attempt that came to nothing
NARROWEST = 0.004  # of the whole: what took no time is seen all the same

# The font that comes with matplotlib has no Chinese; it complains of what it cannot draw.
_OF_CHINESE = ("Noto Sans CJK SC", "Noto Sans CJK JP", "PingFang SC", "PingFang HK", "Microsoft YaHei", "SimHei")
_FOUND = [name for name in _OF_CHINESE if name in {font.name for font in fontManager.ttflist}][:1]
FONTS = ["DejaVu Sans", *_FOUND]
_HAN = "\u3001\u3002\u4e00-\u9fff\uff01-\uff5e" if _FOUND else ""
_UNDRAWN = re.compile(
    f"[^\x20-\x7e\xa1-\xac\xae-\u024f\u0391-\u03a1\u03a3-\u03c9\u0410-\u044f\u2013-\u2026\u2190-\u2193\u25a0✗{_HAN}]"
)


def plot_timeline(trace: Trace | Iterable[Mapping[str, Any]]) -> Figure:
    """Draw what took time in a trace: runs, calls of the model, attempts and tools, each where it was at work.

    Parameters
    ----------
    trace
        A `Trace`, or the events of one: what `read_trace` gives.

    Returns
    -------
    matplotlib.figure.Figure
        A figure of its own, as with `plot_history_growth`. Of a long trace it has the first and the last bars.

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
    figure = new_figure(1.5 + 0.29 * max(len(rows), 1))
    axes = figure.subplots()
    whole = _whole(spans, now)
    for place, row in enumerate(rows):
        _bar(axes, place, row, whole)
    _frame(axes, rows, left_out, whole)
    if rows:
        kinds = dict.fromkeys(BARS[row.kind] for row in rows)
        swatches = [Patch(facecolor=color, edgecolor=INK, hatch=hatch) for _, color, hatch in kinds]
        add_legend(figure, swatches, [name for name, _, _ in kinds])
    figure.description = describe_timeline(rows, left_out, summary(spans))
    return figure


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


def drawable(text: str) -> str:
    r"""Return text as the fonts at hand can draw it: what they cannot is written as its code, and nothing is a formula.

    Examples
    --------
    >>> print(drawable("costs $5\U0001f600"))
    costs \$5\U0001f600
    """
    return _UNDRAWN.sub(lambda match: match[0].encode("unicode_escape").decode(), visible(text)).replace("$", r"\$")


def _whole(spans: list[Span], now: float) -> float:
    ends = [span.end for span in spans if span.end is not None]
    return max([now, *ends]) - min((span.start for span in spans), default=now) or 1.0


def _bar(axes: Axes, place: int, row: Row, whole: float) -> None:
    name, color, hatch = BARS[row.kind]
    edge = BAD if row.error else OFF if row.cancelled else INK
    if row.kind == "attempt" and (row.error or row.cancelled):
        color = EMPTY
    width = max(row.width, NARROWEST) * whole
    axes.barh(
        place,
        width,
        left=row.left * whole,
        height=0.25 if row.kind == "run" else 0.66,
        label=name,
        facecolor=color,
        edgecolor=edge,
        hatch=hatch,
        linewidth=1.6 if row.error else 0.8,
        linestyle="--" if row.took == "going on" else "-",
    )
    said = drawable(f"{row.took}, {row.ended}" if row.error or row.cancelled else row.took)
    where = (row.left * whole + width, place)
    axes.annotate(
        said, where, (4, 0), textcoords="offset points", va="center", fontsize=WORDS, color=edge, family=FONTS
    )


def _frame(axes: Axes, rows: list[Row], left_out: int, whole: float) -> None:
    names = [drawable(f"{'    ' * row.depth}{short(label(row), 28)}") for row in rows]
    axes.set_yticks(range(len(rows)), names, family=FONTS, horizontalalignment="left")
    axes.set_facecolor(GROUND)
    axes.tick_params(colors=INK, labelsize=WORDS)
    axes.tick_params(axis="y", length=0, pad=_widest(axes))
    axes.set_ylim(max(len(rows), 1) - 0.4, -0.6)
    axes.set_xlim(0, whole * 1.2)  # room for the words after the last bar
    axes.set_xlabel("seconds since the start", color=INK, fontsize=WORDS)
    left = f"; {count(left_out, 'row')} left out at the dotted line" if left_out else ""
    axes.set_title(f"What took time{left}", loc="left", fontsize=TITLE, color=INK)
    axes.spines[["top", "right", "left"]].set_visible(False)
    if left_out:
        axes.axhline(len(rows) / 2 - 0.5, color=INK, linestyle=":", linewidth=1)


def _widest(axes: Axes) -> float:
    """Return how wide the widest name is, in points: names that begin at one line have to end before the bars."""
    figure = axes.get_figure()
    assert figure is not None
    boxes = [name.get_window_extent() for name in axes.get_yticklabels()]
    return max((box.width for box in boxes), default=0.0) * 72 / figure.dpi + 6

"""A trace on the screen: a row per span, and a bar where it was at work. It grows as events are written."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import ipywidgets as widgets

from minagent_lab.observe.spans import SpanReader
from minagent_lab.observe.trace import Trace
from minagent_lab.views import static
from minagent_lab.views.closing import ClosingBox
from minagent_lab.views.html import escape, span, visible
from minagent_lab.views.trace_words import Row, label, rows_of, summary
from minagent_lab.views.words import count

HEADS = ("at", "what", "took", "tokens", "ended", "when it was at work")
LABEL = "What took time in this trace, in order of start"
# The colours are mixed towards the theme's own ink, so that one rule serves light and dark; shape and word say it too.
STYLE = """<style>
.lab-trace{--ink:var(--jp-ui-font-color0,#000);--bg:var(--jp-layout-color1,#fff);
  --line:var(--jp-border-color2,#e0e0e0);--muted:color-mix(in srgb,var(--ink) 68%,var(--bg));
  font:400 13px/1.5 var(--jp-ui-font-family,system-ui,sans-serif);color:var(--ink);overflow-x:auto;
  font-variant-numeric:tabular-nums;container-type:inline-size}
.lab-trace table{border-collapse:collapse;width:100%;margin:0;font-size:13px}
.lab-trace th,.lab-trace td{padding:2px 10px 2px 0;text-align:left;vertical-align:baseline;border:0;
  border-bottom:1px solid var(--line);white-space:nowrap;color:var(--ink);background:none}
.lab-trace th{font-weight:600;color:var(--muted)}
.lab-trace .n{text-align:right}
.lab-trace .what b{font-weight:600}
.lab-trace td{white-space:normal;overflow-wrap:break-word}.lab-trace td.n,.lab-trace td.what{white-space:nowrap}
.lab-trace .wide{width:34%;min-width:110px}
.lab-trace .axis{position:relative;height:12px}
.lab-trace .axis i{position:absolute;top:0;height:100%;min-width:3px;box-sizing:border-box;border-radius:2px;
  border:1px solid var(--k);background:color-mix(in srgb,var(--k) 62%,var(--bg))}
.lab-trace .run i{--k:var(--muted);top:4px;height:4px}
.lab-trace .model i{--k:color-mix(in srgb,var(--jp-brand-color1,#1976d2) 80%,var(--ink))}
.lab-trace .tool i{--k:color-mix(in srgb,var(--jp-info-color1,#0097a7) 66%,var(--ink));
  background:repeating-linear-gradient(45deg,var(--k) 0 2px,transparent 2px 5px)}
.lab-trace .attempt i{--k:color-mix(in srgb,#8e44c9 62%,var(--ink))}
.lab-trace .attempt.bad i,.lab-trace .off i{background:none}
.lab-trace .off i{--k:var(--muted)}
.lab-trace .bad i{--k:color-mix(in srgb,var(--jp-error-color1,#d32f2f) 76%,var(--ink))}
.lab-trace .bad .end{color:color-mix(in srgb,var(--jp-error-color1,#d32f2f) 76%,var(--ink));font-weight:600}
.lab-trace .on i{border-right-style:dashed;border-right-width:3px}
.lab-trace p{margin:6px 0 0}
@container (max-width:620px){.lab-trace .wide,.lab-trace td:last-child:not([colspan]){display:none}}
@media (forced-colors:active){.lab-trace .axis i{forced-color-adjust:none;border-color:CanvasText}}
</style>"""


class TraceView(ClosingBox):
    """A trace that is shown, and goes on being shown while runs write to it.

    Parameters
    ----------
    trace
        What to show.

    Examples
    --------
    >>> TraceView(Trace())
    <TraceView: Nothing has happened yet.>
    """

    _stop_watching: Callable[[], None] = staticmethod(lambda: None)

    def __init__(self, trace: Trace) -> None:
        if not isinstance(trace, Trace):
            raise TypeError(f"trace is {trace!r:.80}; pass a Trace, or use plot_timeline(read_trace(path))")
        self.trace = trace
        self._reader = SpanReader()
        self._now: float | None = None
        self.table, self.words = widgets.HTML(), widgets.HTML()
        super().__init__([widgets.HTML(STYLE), self.table, self.words])
        self._stop_watching = trace.watch(self._happened)
        for event in trace.events:
            self._take(event)
        self.refresh()

    def refresh(self) -> None:
        """Show what the trace has now. It is called by itself after each event."""
        rows, left_out = rows_of(self._reader.spans, self._now)
        self.table.value = f"<div class='lab-trace'>{_table(rows, left_out)}</div>" if rows else ""
        words = "".join(f"<p>{escape(sentence)}</p>" for sentence in self._summary())
        if words not in self.words.value:  # said again only when there is something new to hear
            self.words.value = f"<div class='lab-trace' role='status'>{words}</div>"

    def close(self) -> None:
        """Stop watching, and close the view with its parts."""
        self._stop_watching()
        super().close()

    def _happened(self, event: Mapping[str, Any]) -> None:
        self._take(event)
        self.refresh()

    def _take(self, event: Mapping[str, Any]) -> None:
        self._reader.add(event)
        self._now = max(event["time"], self._now or event["time"])

    def _summary(self) -> list[str]:
        return summary(self._reader.spans)

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, Any]:
        """Return the live view, and what stands for it where no kernel runs."""
        bundle = super()._repr_mimebundle_(**kwargs)
        rows, left_out = rows_of(self._reader.spans, self._now)
        return {
            **bundle,
            "text/plain": _text(rows, left_out, self._summary()),
            "text/html": _static_table(rows, left_out) + "".join(f"<p>{static.escape(s)}</p>" for s in self._summary()),
        }

    def __repr__(self) -> str:
        return f"<TraceView: {' '.join(self._summary())}>"


# ---- live


def _table(rows: list[Row], left_out: int) -> str:
    kinds = ("n", "what", "n", "", "end", "wide")
    heads = "".join(f"<th scope='col' class='{kind}'>{head}</th>" for kind, head in zip(kinds, HEADS, strict=True))
    body = [_table_row(row) for row in rows]
    if left_out:
        body.insert(
            len(rows) // 2, f"<tr><td colspan='{len(HEADS)}'>… {count(left_out, 'row')} left out here …</td></tr>"
        )
    return f"<table aria-label='{LABEL}'><thead><tr>{heads}</tr></thead><tbody>{''.join(body)}</tbody></table>"


def _table_row(row: Row) -> str:
    marks = " ".join([row.kind, *["bad"] * row.error, *["off"] * row.cancelled, *["on"] * (row.took == "going on")])
    bar = f"left:{row.left * 99:.2f}%;width:{row.width * 99:.2f}%"
    return (
        f"<tr class='{marks}'><td class='n'>{row.start}</td><td class='what'{_indent(row)}>{_what(row)}</td>"
        f"<td class='n'>{row.took}</td><td>{row.usage}</td><td class='end'>{escape(row.ended)}</td>"
        f"<td><div class='axis' aria-hidden='true'><i style='{bar}'></i></div></td></tr>"
    )


def _indent(row: Row) -> str:
    return f" style='padding-left:{14 * row.depth}px'" if row.depth else ""


def _what(row: Row) -> str:
    return f"<b>{escape(row.what)}</b> {span(row.who)}".strip()


# ---- where no kernel runs


def _static_table(rows: list[Row], left_out: int) -> str:
    if not rows:
        return ""
    heads = "".join(f"<th>{head}</th>" for head in HEADS[:-1])
    body = [
        "<tr>" + "".join(f'<td><div align="left">{static.escape(cell)}</div></td>' for cell in _cells(row)) + "</tr>"
        for row in rows
    ]
    if left_out:
        body.insert(len(rows) // 2, f'<tr><td colspan="5">… {count(left_out, "row")} left out here …</td></tr>')
    return f"<table><tr>{heads}</tr>{''.join(body)}</table>"


def _cells(row: Row) -> list[str]:
    return [row.start, f"{'· ' * row.depth}{label(row)}", row.took, row.usage, row.ended]


def _text(rows: list[Row], left_out: int, sentences: list[str]) -> str:
    table = [list(HEADS[:-1]), *map(_cells, rows)] if rows else []
    widths = [max(len(line[place]) for line in table) for place in range(len(HEADS) - 1)] if table else []
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in table]
    if left_out:
        lines.insert(1 + len(rows) // 2, f"… {count(left_out, 'row')} left out here …")
    return visible("\n".join([*lines, *sentences]))

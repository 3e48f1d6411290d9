"""A report on the screen: the counts by category, each with its denominator, and every case that did not pass.

The HTML can be read without its style sheet too: that is taken out where a notebook is not trusted.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

from minagent_lab.observe.case_result import CaseResult
from minagent_lab.observe.counting import Tally
from minagent_lab.observe.report import EvalReport
from minagent_lab.views.html import escape, span, visible
from minagent_lab.views.words import count, short

HEADS = ("category", "n", "passed", "failed", "errors", "not run", "rate", "95 % interval")
MARKS = {"failed": "✗ failed", "error": "! error", "not_run": "· not run"}
SHOWN = 20  # cases that are listed; all of them are in report.results
ALL = "all"
NO_CATEGORY = "(none)"
STYLE = """<style>
.lab-eval{--ink:var(--jp-ui-font-color0,CanvasText);--bg:var(--jp-layout-color1,Canvas);
  --line:var(--jp-border-color2,#bdbdbd);--muted:color-mix(in srgb,var(--ink) 68%,var(--bg));
  --bad:color-mix(in srgb,var(--jp-error-color1,#d32f2f) 76%,var(--ink));
  font:400 13px/1.5 var(--jp-ui-font-family,system-ui,sans-serif);color:var(--ink);overflow-x:auto;
  font-variant-numeric:tabular-nums}
.lab-eval table{border-collapse:collapse;margin:0 0 6px;font-size:13px;table-layout:auto}
.lab-eval th,.lab-eval td{padding:2px 14px 2px 0;border:0;border-bottom:1px solid var(--line);background:none;
  color:var(--ink);text-align:right;vertical-align:baseline;white-space:nowrap}
.lab-eval th{font-weight:600;color:var(--muted)}.lab-eval tbody th{color:var(--ink);font-weight:400}
.lab-eval th:first-child,.lab-eval .cases td,.lab-eval .cases th{text-align:left}
.lab-eval .all th,.lab-eval .all td{font-weight:600;border-bottom:0}
.lab-eval .cases td{white-space:normal;overflow-wrap:anywhere;min-width:5em}
.lab-eval .v{font-weight:600}.lab-eval .failed .v,.lab-eval .error .v{color:var(--bad)}
.lab-eval p{margin:4px 0}
</style>"""


def sentences(report: EvalReport) -> list[str]:
    """Return what there is to say of a report as a whole."""
    said = [f"{report.tally.words}."]
    others = [
        *[count(report.errors, "error")] * bool(report.errors),
        *[f"{report.not_run:,} not run"] * bool(report.not_run),
    ]
    if others:
        said.append(f"All {report.n:,} are in the denominator, {' and '.join(others)} included.")
    if usage := report.usage:
        least = "at least " * bool(report.unknown_usage)
        said.append(f"Tokens: {least}{usage.get('input_tokens', 0):,} in, {usage.get('output_tokens', 0):,} out.")
    said += _unknown("Usage", report.unknown_usage, report)
    if report.currency and report.ran:
        if report.cost is not None or report.known_cost:
            least = "at least " * bool(report.unknown_cost)
            said.append(f"Cost: {least}{report.known_cost:f} {report.currency}.")
        said += _unknown("Cost", report.unknown_cost, report)
    return said + [f"{problem}." for problem in report.problems]


def _unknown(what: str, number: int, report: EvalReport) -> list[str]:
    return [f"{what} unknown for {number:,} of {count(len(report.ran), 'case')}."] if number else []


def rows(report: EvalReport) -> Iterator[list[str]]:
    """Yield the cells of the table, a row per category, and one for all where there are several."""
    categories = report.by_category
    for category, tally in categories.items():
        yield _row(category or NO_CATEGORY, tally)
    if len(categories) > 1:
        yield _row(ALL, report.tally)


def _row(name: str, tally: Tally) -> list[str]:
    rate, interval = tally.rate_words()
    counts = [f"{number:,}" for number in (tally.n, *tally)]
    return [visible(short(name)), *counts, rate, interval.removeprefix("95 % interval ")]


def not_passed(report: EvalReport) -> tuple[list[CaseResult], int]:
    """Return the cases to list, and how many more there are."""
    held = [result for result in report if result.verdict in ("failed", "error")]
    return held[:SHOWN], max(len(held) - SHOWN, 0)


# ---- text


def report_text(report: EvalReport) -> str:
    """Return a report as text."""
    table = [list(HEADS), *rows(report)]
    widths = [max(_width(line[place]) for line in table) for place in range(len(HEADS))]
    lines = [_line(cells, widths) for cells in table] if report.results else []
    listed, more = not_passed(report)
    lines += [visible(f"{MARKS[each.verdict]} {each.id}: {short(each.reason, 200)}") for each in listed]
    lines += [f"… and {more:,} more, in report.results"] * bool(more)
    return "\n".join([*lines, *map(visible, sentences(report))])


def _line(cells: list[str], widths: list[int]) -> str:
    first, *others = (" " * (width - _width(cell)) for cell, width in zip(cells, widths, strict=True))
    return "  ".join([cells[0] + first, *(room + cell for room, cell in zip(others, cells[1:], strict=True))])


def _width(text: str) -> int:
    """Return how many columns a text takes; a Chinese character takes two."""
    return sum(1 + (unicodedata.east_asian_width(character) in "WF") for character in text)


# ---- HTML


def report_html(report: EvalReport) -> str:
    """Return a report as HTML."""
    heads = "".join(f"<th scope='col'>{head}</th>" for head in HEADS)
    body = "".join(_html_row(cells) for cells in rows(report))
    table = f"<table><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table>" if report.results else ""
    said = "".join(f"<p>{escape(sentence)}</p>" for sentence in sentences(report))
    return f"{STYLE}<div class='lab-eval'>{table}{_html_cases(report)}{said}</div>"


def _html_row(cells: list[str]) -> str:
    kind = " class='all'" if cells[0] == ALL else ""
    numbers = "".join(f"<td>{escape(cell)}</td>" for cell in cells[1:])
    return f"<tr{kind}><th scope='row'>{span(cells[0])}</th>{numbers}</tr>"


def _html_cases(report: EvalReport) -> str:
    listed, more = not_passed(report)
    if not listed:
        return ""
    heads = "".join(f"<th scope='col'>{head}</th>" for head in ("", "case", "asked", "why"))
    body = "".join(_html_case(result) for result in listed)
    rest = f"<p>… and {more:,} more, in <code>report.results</code></p>" if more else ""
    return f"<table class='cases'><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table>{rest}"


def _html_case(result: CaseResult) -> str:
    cells = [span(text) for text in (short(result.id), short(result.prompt, 120), short(result.reason, 300))]
    mark = f"<td class='v'>{MARKS[result.verdict]}</td>"
    return f"<tr class='{result.verdict}'>{mark}{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>"

"""A `BarChart` drawn as SVG. It has no ids: what two charts of one page name alike would be one chart's only."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterator
from typing import NamedTuple

from minagent_lab.views.bar_chart import Bar, BarChart, Group, Segment
from minagent_lab.views.chart_look import EDGE, GROUND, INK
from minagent_lab.views.hatches import box, whisker
from minagent_lab.views.html import escape, lang, visible
from minagent_lab.views.words import short

WIDTH, PAD, GAP = 700, 16, 7  # of the card; pixels, as all sizes here
TYPE, TITLE = 14, 16  # sizes of type
NAMES, WORDS = 280, 240  # the most that the names, and the words at the ends, may take
INSET = 14  # how much each depth is set in
LINE = "#d5d3cd"  # of a mark, behind the bars
_DEEPEST = 6
_HEAD = 2 * TITLE - 4  # of a group: its title, and what is free below it
_ROOT = "display:block;max-width:100%;height:auto;forced-color-adjust:none;font:{}px/1 system-ui,sans-serif"


class Place(NamedTuple):
    """Where the bars of a chart stand: `left` is the 0 of each scale, and its end is `room` further."""

    left: float
    room: float
    row: int
    bar: int


def drawn(chart: BarChart) -> str:
    """Return the chart as an ``<svg>``."""
    groups = [group for group in chart.groups if group.bars]
    place, y, parts = _place(groups), PAD, list[str]()
    for group in groups:
        parts += _group(group, place, y)
        y += _height(group, place)
    if groups:
        legend, y = _legend(chart, y)
        parts += legend
    else:
        parts.append(_text(PAD, y + TYPE, chart.description, room=WIDTH - 2 * PAD))
        y += 2 * TYPE
    height = y + PAD - GAP
    card = f'<rect x="0.5" y="0.5" width="{WIDTH - 1}" height="{height - 1}" rx="11" fill="{GROUND}" stroke="{EDGE}"/>'
    size = f'width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}"'
    head = f'<svg role="img" aria-label="{escape(chart.description)}" {size} style="{_ROOT.format(TYPE)}">'
    return "\n".join([head, card, *parts, "</svg>"])


def width(text: str, size: float = TYPE) -> float:
    """Return about how wide a text is: no browser is asked, so the guess is on the safe side."""
    return size * sum(_part_of_size(character) for character in text)


def _part_of_size(character: str) -> float:
    if unicodedata.east_asian_width(character) in "WF" or character in "MWmw%…—":
        return 1.0
    return 0.4 if character in " .,:;'!|()[]iljtfr" else 0.72 if character.isupper() else 0.64


def fitted(text: str, room: float, size: float = TYPE) -> str:
    """Return text as it can be seen, on one line, and its end cut off where there is no room."""
    shown = visible(short(text, 200))
    if width(shown, size) <= room:
        return shown
    while shown and width(shown, size) + size > room:
        shown = shown[:-1]
    return f"{shown}…"


def _text(x: float, y: float, text: str, *, room: float, size: int = TYPE, ink: str = INK, middle: bool = False) -> str:
    shown = fitted(text, room, size)
    font = f' font-size="{size}"' if size != TYPE else ""
    anchor = ' text-anchor="middle"' if middle else ""
    return f'<text x="{x:.2f}" y="{y:.2f}" fill="{ink}"{font}{anchor}{lang(shown)}>{escape(shown)}</text>'


# ---- where everything stands ----------------------------------------------------------------------------------------


def _place(groups: list[Group]) -> Place:
    """Return where the bars stand: so wide that the words at the end of each have room on the card."""
    bars = [(bar, bar.end / group.end) for group in groups for bar in group.bars]
    names = max((_inset(bar) + width(_name(bar)) for bar, _ in bars), default=0)
    left = PAD + names + GAP + 3
    whole = WIDTH - PAD - left
    rooms = [(whole - GAP - width(fitted(bar.words, WORDS))) / part for bar, part in bars if part]
    tall = any(bar.interval for bar, _ in bars)
    return Place(left, min(rooms, default=whole), *((38, 30) if tall else (25, 17)))


def _inset(bar: Bar) -> int:
    return INSET * min(bar.depth, _DEEPEST)


def _name(bar: Bar) -> str:
    return fitted(bar.name, NAMES - _inset(bar))


def _height(group: Group, place: Place) -> int:
    below = 3 * TYPE if group.scale else 0
    return _HEAD + place.row * len(group.bars) + below + 2 * GAP


# ---- its parts ------------------------------------------------------------------------------------------------------


def _group(group: Group, place: Place, y: int) -> Iterator[str]:
    yield _text(PAD, y + TITLE, group.title, room=WIDTH - 2 * PAD, size=TITLE)
    top = y + _HEAD
    bottom = top + place.row * len(group.bars)
    yield from _scale(group, place, top, bottom)
    for number, bar in enumerate(group.bars):
        yield from _bar(bar, group.end, place, top + place.row * number)
    if group.cut:
        middle = top + place.row * (len(group.bars) // 2)
        yield f'<path d="M{PAD} {middle}H{WIDTH - PAD}" stroke="{INK}" stroke-dasharray="1.5 4"/>'


def _scale(group: Group, place: Place, top: int, bottom: int) -> Iterator[str]:
    if not group.scale:
        yield f'<path d="M{place.left:.2f} {top}V{bottom}" stroke="{INK}"/>'
        return
    free = 0.0  # where the next number may begin
    for mark in marks(group.end):
        x, words = place.left + mark / group.end * place.room, f"{_number(mark)}{group.unit}"
        half = width(words) / 2
        yield f'<path d="M{x:.2f} {top}V{bottom + 4}" stroke="{LINE if mark else INK}"/>'
        if x - half >= free:
            yield _text(x, bottom + 4 + TYPE, words, room=2 * half, middle=True)
            free = x + half + GAP
    yield _text(place.left, bottom + 8 + 2 * TYPE, group.scale, room=WIDTH - PAD - place.left)


def marks(end: float) -> list[float]:
    """Return up to six round numbers from 0 to the end of a scale.

    Examples
    --------
    >>> marks(11), marks(100)
    ([0.0, 5.0, 10.0], [0.0, 20.0, 40.0, 60.0, 80.0, 100.0])
    """
    if end < 1e-5:
        return [0.0]
    power = 10.0 ** math.floor(math.log10(end / 5))
    step = next(step for step in (1 * power, 2 * power, 5 * power, 10 * power) if step >= end / 5 * (1 - 1e-9))
    return [round(number * step, 6) for number in range(int(end / step * (1 + 1e-9)) + 1)]


def _number(number: float) -> str:
    return f"{number:,.6f}".rstrip("0").rstrip(".")


def _bar(bar: Bar, end: float, place: Place, y: int) -> Iterator[str]:
    top = y + (place.row - place.bar) / 2
    line = y + place.row / 2 + TYPE * 0.36  # where letters stand, so that they are in the middle
    yield _text(PAD + _inset(bar), line, bar.name, room=NAMES - _inset(bar))
    for segment in bar.segments:
        yield from _segment(segment, end, place, top, tall=bar.interval is not None)
    if bar.interval:
        low, high = (place.left + bound / end * place.room for bound in bar.interval)
        yield whisker(low, high, top + place.bar * 0.27)
    yield _text(place.left + bar.end / end * place.room + GAP, line, bar.words, room=WORDS, ink=bar.ink)


def _segment(segment: Segment, end: float, place: Place, top: float, *, tall: bool) -> Iterator[str]:
    if not segment.width:
        return
    look = segment.look
    x, wide = (part / end * place.room for part in (segment.start, segment.width))
    high = place.bar * (0.4 if look.thin else 1)
    x, top = place.left + x, top + (place.bar - high) / 2
    yield box(look, x, top, wide, high)
    room = width(segment.number)
    if segment.number and room + 4 <= wide:
        middle, line = x + wide / 2, top + (place.bar * 0.86 if tall else place.bar / 2 + TYPE * 0.36)
        if look.hatch:  # a number is not read on a hatch
            yield f'<rect x="{middle - room / 2:.2f}" y="{line - 12:.2f}" width="{room:.2f}" height="14" fill="white"/>'
        yield _text(middle, line, segment.number, room=wide, ink=look.ink, middle=True)


def _legend(chart: BarChart, y: int) -> tuple[list[str], int]:
    """Return the legend, in as many lines as it takes, and where it ends."""
    signs = [(look.name, box(look, 0, 0, 24, 12)) for look in chart.legend]
    signs += [(chart.interval, whisker(0, 24, 6))] * bool(chart.interval)
    parts, x = list[str](), float(PAD)
    for name, sign in signs:
        wide = 24 + GAP + width(name)
        if x > PAD and x + wide > WIDTH - PAD:
            x, y = PAD, y + TYPE + GAP
        parts.append(f'<g transform="translate({x:.2f} {y})">{sign}{_text(24 + GAP, 11, name, room=WIDTH)}</g>')
        x += wide + 2 * GAP
    return parts, y + (TYPE + GAP) * bool(signs)

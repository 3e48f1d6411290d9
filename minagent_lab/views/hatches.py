"""Filled and hatched boxes as SVG. Each hatch is a path: a pattern would need an id, which the whole page shares."""

from __future__ import annotations

from collections.abc import Iterator

from minagent_lab.views.chart_look import INK, Look

STEP, DOTS = 7, 6  # pixels from line to line, and from dot to dot


def box(look: Look, x: float, y: float, wide: float, high: float) -> str:
    """Return a box that is filled, hatched and outlined as a look says."""
    place = f'x="{x:.2f}" y="{y:.2f}" width="{wide:.2f}" height="{high:.2f}"'
    dashed = ' stroke-dasharray="4 2"' if look.dashed else ""
    filled = f'<rect {place} fill="{look.colour}" stroke="{look.edge}" stroke-width="{look.line:g}"{dashed}/>'
    lines = "".join(_lines(look.hatch, x, y, wide, high))
    dots = ' stroke-width="2" stroke-linecap="round"' if look.hatch == "..." else ""
    return f'{filled}<path d="{lines}" fill="none" stroke="{look.edge}"{dots}/>' if lines else filled


def whisker(low: float, high: float, y: float) -> str:
    """Return a line with ends, from `low` to `high`; it is seen on light and on dark."""
    path = f"M{low:.2f} {y:.2f}H{high:.2f}M{low:.2f} {y - 5:.2f}v10M{high:.2f} {y - 5:.2f}v10"
    light, dark = (f'stroke="{colour}" stroke-width="{wide}"' for colour, wide in (("white", 5), (INK, 2)))
    return f'<path d="{path}" fill="none" {light}/><path d="{path}" fill="none" {dark}/>'


def _lines(hatch: str, x: float, y: float, wide: float, high: float) -> Iterator[str]:
    if hatch in ("///", "xxx"):
        yield from _slanted(x, y, wide, high, 1)
    if hatch == "xxx":
        yield from _slanted(x + wide, y, wide, high, -1)
    if hatch == "...":
        for row in range(int((high - 4) // DOTS) + 1):
            for column in range(int((wide - 4) // DOTS) + 1):
                yield f"M{x + 3 + DOTS * column:.1f} {y + 3 + DOTS * row:.1f}h0"


def _slanted(x: float, y: float, wide: float, high: float, way: int) -> Iterator[str]:
    """Yield lines of 45 degrees within a box; from its left side (`way` 1) or, mirrored, from its right (-1)."""
    for across in range(STEP, int(wide + high) + 1, STEP):
        start, end = max(0, across - high), min(across, wide)
        yield f"M{x + way * start:.1f} {y + across - start:.1f}L{x + way * end:.1f} {y + across - end:.1f}"

"""A chart of horizontal bars without matplotlib, which a browser does not have: the same numbers and words, as SVG."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, NoReturn

from minagent_lab.values import value
from minagent_lab.views.chart_look import INK, Look
from minagent_lab.views.words import count


class Segment(NamedTuple):
    """A part of a bar: where it starts, how wide it is, how it looks; the number stands in it where there is room."""

    start: float
    width: float
    look: Look
    number: str = ""

    @property
    def end(self) -> float:
        """Where it ends."""
        return self.start + self.width


class Bar(NamedTuple):
    """A row of a chart.

    Parameters
    ----------
    name
        What stands at the left, `depth` steps inwards.
    segments
        What the bar is made of.
    words
        What stands at its end, in the colour `ink`.
    interval
        From where to where a line with ends is drawn over the bar.
    """

    name: str
    segments: Sequence[Segment]
    words: str
    depth: int = 0
    ink: str = INK
    interval: tuple[float, float] | None = None

    @property
    def end(self) -> float:
        """Where the last of it ends."""
        return max((segment.end for segment in self.segments), default=0)


class Group(NamedTuple):
    """Bars on one scale.

    Parameters
    ----------
    title
        What stands above them.
    bars
        From top to bottom.
    scale
        What the marks below them count; ``""`` for no marks: then the words at each bar tell its number.
    unit
        What follows the number at each mark.
    cut
        Whether bars are left out after the first half of them; a dotted line is drawn there.
    """

    title: str
    bars: Sequence[Bar]
    scale: str = ""
    unit: str = ""
    cut: bool = False

    @property
    def end(self) -> float:
        """Where the scale ends. It starts at 0."""
        return max((bar.end for bar in self.bars), default=0) or 1


@value
class BarChart:
    """What a chart is where matplotlib cannot be imported: it displays itself in a notebook, as SVG.

    Parameters
    ----------
    description
        What the chart shows, in words: its alternative text, and its plain form.
    groups
        The bars.
    legend
        The kinds of segments to explain.
    interval
        What the legend calls the interval; ``""`` where there is none.

    Examples
    --------
    >>> tea = Bar("tea", [Segment(0, 12, Look("", "#145ea8"))], "12")
    >>> chart = BarChart("Bars. Prices: tea 12.", [Group("Prices", [tea])])
    >>> chart
    <BarChart of 1 bar>
    >>> chart.svg().splitlines()[0][:47]
    '<svg role="img" aria-label="Bars. Prices: tea 1'
    """

    description: str
    groups: Sequence[Group]
    legend: Sequence[Look] = ()
    interval: str = ""

    def svg(self) -> str:
        """Return the chart as SVG that can stand in a page: it names no id, so that many can stand in one."""
        from minagent_lab.views.bar_svg import drawn  # here, since the drawing knows charts, not charts the drawing

        return drawn(self)

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        """Return the chart for a notebook, and the text for where there are no pictures."""
        return {"text/html": self.svg(), "text/plain": self.description}

    def __getattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"a BarChart has no {name!r}: matplotlib, whose figures might, cannot be imported here")

    def __repr__(self) -> str:
        return f"<BarChart of {count(sum(len(group.bars) for group in self.groups), 'bar')}>"

"""What the fonts at hand can draw: the one that comes with matplotlib has no Chinese, and complains of it."""

from __future__ import annotations

import re

from matplotlib.font_manager import fontManager

from minagent_lab.views.html import visible

_OF_CHINESE = ("Noto Sans CJK SC", "Noto Sans CJK JP", "PingFang SC", "PingFang HK", "Microsoft YaHei", "SimHei")
_FOUND = [name for name in _OF_CHINESE if name in {font.name for font in fontManager.ttflist}][:1]
FONTS = ["DejaVu Sans", *_FOUND]
_HAN = "\u3001\u3002\u4e00-\u9fff\uff01-\uff5e" if _FOUND else ""
_UNDRAWN = re.compile(
    f"[^\x20-\x7e\xa1-\xac\xae-\u024f\u0391-\u03a1\u03a3-\u03c9\u0410-\u044f\u2013-\u2026\u2190-\u2193\u25a0✗{_HAN}]"
)


def drawable(text: str) -> str:
    r"""Return text as the fonts at hand can draw it: what they cannot is written as its code, and nothing is a formula.

    Examples
    --------
    >>> print(drawable("costs $5\U0001f600"))
    costs \$5\U0001f600
    """
    return _UNDRAWN.sub(lambda match: match[0].encode("unicode_escape").decode(), visible(text)).replace("$", r"\$")

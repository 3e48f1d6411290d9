"""The colours of all that the package shows: the theme's own, so that it reads on white and on black."""

import pathlib
import re

import pytest

import minagent_lab

PACKAGE = pathlib.Path(minagent_lab.__file__).parent
COLOUR = (
    r"#[0-9a-fA-F]{3,8}\b|\brgba?\([^)]*\)|(?<![-\w])(?:black|white|red|green|blue|gray|grey|orange|purple)(?![-\w])"
)
FALLBACK = rf"var\(--jp-[\w-]+,\s*(?:{COLOUR})\)"  # for a page without a theme
MIXED = rf"color-mix\(in srgb,\s*(?:{COLOUR})\s*\d+%,\s*var\(--\w+\)\)"  # towards the theme's ink


def sheets():
    for path in sorted([*PACKAGE.rglob("*.css"), *PACKAGE.rglob("*.py")]):
        text = path.read_text(encoding="utf-8")
        name = path.relative_to(PACKAGE).as_posix()
        if path.suffix == ".css":
            yield name, text
        for number, style in enumerate(re.findall(r"<style>(.*?)</style>", text, re.DOTALL)):
            yield f"{name}-{number}", style
        for number, style in enumerate(re.findall(r"""\bstyle=(?:'([^']*)'|"([^"]*)")""", text)):
            yield f"{name}-inline-{number}", f"inline{{{''.join(style)}}}"


SHEETS = dict(sheets())


def own_colours(sheet):
    """Yield the rules that name a colour which no theme can change, without giving the other half of the pair."""
    for rule, body in re.findall(r"([^{}]+)\{([^{}]*)\}", re.sub(r"(?s)/\*.*?\*/", "", sheet)):
        declared = [part.strip().partition(":") for part in body.split(";")]
        names = {name.strip() for name, _, _ in declared}
        if "color" in names and names & {"background", "background-color"}:
            continue  # both halves: it reads the same everywhere
        for name, _, value in declared:
            if not name.startswith("--jp-") and re.search(COLOUR, re.sub(f"{FALLBACK}|{MIXED}", "", value)):
                yield f"{rule.strip()}: {name}:{value}"


@pytest.mark.parametrize("name", SHEETS)
def test_a_colour_is_the_themes_or_comes_with_its_ground(name):
    assert list(own_colours(SHEETS[name])) == []


def test_the_styles_are_found():
    assert {"views/css/theme.css", "views/trace_view.py-0", "views/stream_view.py-0"} <= set(SHEETS)


@pytest.mark.parametrize(
    "rule",
    [
        "a{color:#fff}",
        "a{background:black}",
        "a{border:1px solid rgb(0,0,0)}",
        "a{--k:color-mix(in srgb,red 50%,#fff)}",
    ],
)
def test_a_colour_of_its_own_is_caught(rule):
    assert len(list(own_colours(rule))) == 1


@pytest.mark.parametrize(
    "rule",
    [
        "a{color:var(--jp-ui-font-color0,#000)}",
        "a{background:color-mix(in srgb,#8e44c9 62%,var(--ink))}",
        "a{color:#fff;background:#145ea8}",
        "a{white-space:nowrap;color:inherit}",
    ],
)
def test_a_colour_of_the_theme_is_fine(rule):
    assert list(own_colours(rule)) == []

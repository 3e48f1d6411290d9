"""The rules a chapter keeps, each a function from a chapter to the sentences that say where it is broken.

They catch at a glance what nbval finds late, or never: a cell without a count is not compared at all, and a picture
without alt text passes every run. ``test_notebooks.py`` asks them of the chapters, ``test_notebook_rules.py`` shows
that each of them catches what it is there for.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from html.parser import HTMLParser
from pathlib import Path
from statistics import median
from typing import Any
from urllib.parse import unquote, urlsplit

FILE_BYTES = 500_000
CELLS = range(25, 51)
CODE_LINES = 25
USUAL_CODE_LINES = 5
PROSE_WORDS = 120
USUAL_PROSE_WORDS = 60
USUAL_SHARE = 0.8
METADATA = {
    "kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
SLIDE_TYPES = {"slide", "subslide", "fragment", "skip", "notes", "-"}
BRACKETED = r"(?:[^\[\]\\]|\\.|\[[^\]]*\])*"  # what may stand between [ and ] of a Markdown link
WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"

FORBIDDEN_IN_CODE = {
    r"\bclear_output\b": "nbval cannot follow it; assign to an HTML widget's value instead",
    r"\bupdate_display\b|\bdisplay_id\b": "nbval cannot follow it; assign to an HTML widget's value instead",
    r"\bOutput\(|\.capture\(": "what an Output widget catches escapes nbval; assign to an HTML widget's value instead",
    r"\binteract(?:ive|_manual|ive_output)?\(": "its output escapes nbval; use a view of minagent_lab.views",
    r"\bOut\[|\bIn\[|\blen\((?:In|Out)\)": "nbval keeps no history; give the value a name",
    r"#\s*NBVAL_": "no cell is skipped or compared more loosely; make its output the same each time",
    r"(?m)^\s*(?:!|%pip|%conda|%%?(?:bash|sh|cmd|script|system))": "a shell is not the same on every machine",
}
RESERVED_HOST = re.compile(
    r"localhost|127\.0\.0\.1|(?:.*\.)?(?:test|example|invalid|localhost|example\.(?:com|org|net))"
)
FORBIDDEN_IN_OUTPUTS = {
    r"\b0x[0-9a-fA-F]{6,}": "an address; give the object a repr without one",
    r"(?<![\w.~-])/(?:home|Users|root|tmp|var|opt|usr|mnt|private)/\w": "a path of one machine; show the file's name",
    r"\b[A-Za-z]:\\{1,2}(?:Users|Windows|Temp|Program|ProgramData)\b": "a path of one machine; show the file's name",
    r"\b\d\d:\d\d:\d\d[.,]\d{3}": "the time of a real clock; use a fixed one",
    r"\b1[6-9]\d{8}\.\d": "the time of a real clock; use a fixed one",
    r"\bCPU times:|\bWall time:|\bper loop\b": "a measured duration; it is another one each time",
    r"\b\d+\.\d{4,} ?(?:s|ms|seconds)\b": "a measured duration; it is another one each time",
}


@dataclass(frozen=True)
class Cell:
    """A cell, its texts joined. `number` counts all cells from 1."""

    number: int
    kind: str
    source: str
    metadata: dict[str, Any]
    outputs: list[dict[str, Any]]
    id: Any
    count: Any

    @property
    def name(self) -> str:
        """What a message calls it."""
        return f"cell {self.number} ({self.source.strip().partition(chr(10))[0]:.40})"

    @property
    def prose(self) -> str:
        """A markdown cell's source without code, in which ``![]()`` or ``<img>`` may be an example."""
        if self.kind != "markdown":
            return ""
        return re.sub(r"(`+)(?!`).*?(?<!`)\1(?!`)", "`code`", re.sub(r"(?ms)^(```|~~~).*?^\1", "", self.source))


@dataclass(frozen=True)
class Chapter:
    """A notebook file: where it lies, its bytes, and what they mean."""

    path: Path
    content: bytes

    @cached_property
    def notebook(self) -> dict[str, Any]:
        """The parsed JSON."""
        return json.loads(self.content.decode("utf-8-sig"))

    @cached_property
    def cells(self) -> list[Cell]:
        """All cells."""
        return [cell_of(number, raw) for number, raw in enumerate(self.notebook["cells"], start=1)]

    @property
    def code(self) -> list[Cell]:
        """The code cells."""
        return [cell for cell in self.cells if cell.kind == "code"]


def cell_of(number: int, raw: dict[str, Any]) -> Cell:
    """Read one cell of the JSON."""
    source, outputs = joined(raw["source"]), raw.get("outputs", [])
    return Cell(number, raw["cell_type"], source, raw["metadata"], outputs, raw.get("id"), raw.get("execution_count"))


def joined(text: Any) -> str:
    """Return text that a notebook may hold as a list of lines."""
    return "".join(text) if isinstance(text, list) else str(text)


def texts(cell: Cell) -> Iterator[tuple[str, str]]:
    """Yield kind and text of everything readable in a cell's outputs."""
    for output in cell.outputs:
        yield "text/plain", joined(output.get("text", ""))
        for kind, data in output.get("data", {}).items():
            if not kind.startswith("image/") or kind == "image/svg+xml":
                yield kind, joined(data)


Rule = Callable[[Chapter], Iterator[str]]
RULES: list[Rule] = []


def rule(function: Rule) -> Rule:
    """Add a rule to those that are asked."""
    RULES.append(function)
    return function


# The file


@rule
def is_named_by_number_and_snake_case(chapter: Chapter) -> Iterator[str]:
    """Names sort in reading order, and are the same on every file system."""
    if not re.fullmatch(r"\d\d_[a-z0-9]+(?:_[a-z0-9]+)*\.ipynb", chapter.path.name):
        yield "name it NN_snake_case.ipynb"


@rule
def is_utf8_with_lf_and_a_last_newline(chapter: Chapter) -> Iterator[str]:
    """The same bytes on every machine."""
    if chapter.content.startswith(b"\xef\xbb\xbf"):
        yield "it begins with a byte order mark; run tools/notebooks.py"
    if b"\r" in chapter.content:
        yield "it has CRLF; run tools/notebooks.py"
    if not chapter.content.endswith(b"}\n"):
        yield "it does not end with one newline; run tools/notebooks.py"


@rule
def is_small(chapter: Chapter) -> Iterator[str]:
    """A notebook that GitHub shows and git can keep."""
    if len(chapter.content) > FILE_BYTES:
        yield f"{len(chapter.content):,} bytes, at most {FILE_BYTES:,}; find the big output or picture"


@rule
def has_the_metadata_of_any_machine(chapter: Chapter) -> Iterator[str]:
    """Kernel ``python3``, no widget state, nothing of the author's editor."""
    notebook = chapter.notebook
    if notebook["metadata"] != METADATA:
        yield f"its metadata has {sorted(notebook['metadata'])}, not just kernel and language; run tools/notebooks.py"
    if (notebook["nbformat"], notebook["nbformat_minor"]) != (4, 5):
        yield "its format is not nbformat 4.5; run tools/notebooks.py"


# The cells


@rule
def has_25_to_50_cells(chapter: Chapter) -> Iterator[str]:
    """Small steps, and an end in sight."""
    if len(chapter.cells) not in CELLS:
        yield f"{len(chapter.cells)} cells; {CELLS.start} to {CELLS.stop - 1} make a chapter"


@rule
def has_unique_ids(chapter: Chapter) -> Iterator[str]:
    """A link or a comment on a cell finds it."""
    seen = Counter(cell.id for cell in chapter.cells)
    for cell in chapter.cells:
        valid = isinstance(cell.id, str) and re.fullmatch(r"[A-Za-z0-9_-]{1,64}", cell.id)
        if not valid or seen[cell.id] > 1:
            yield f"{cell.name}: its id {cell.id!r} is invalid or used twice; run tools/notebooks.py"


@rule
def has_counts_in_order(chapter: Chapter) -> Iterator[str]:
    """Executed from top to bottom: nbval does not compare a cell without a count."""
    for expected, cell in enumerate(chapter.code, start=1):
        if cell.count != expected:
            yield f"{cell.name}: its count is {cell.count}, not {expected}; run tools/notebooks.py"


@rule
def has_slideshow_metadata_and_tags_only(chapter: Chapter) -> Iterator[str]:
    """Each cell has its place when the chapter is presented."""
    for cell in chapter.cells:
        if cell.metadata.get("slideshow", {}).get("slide_type") not in SLIDE_TYPES:
            yield f"{cell.name}: no slide type; choose one of {sorted(SLIDE_TYPES)} in the property inspector"
        if extra := sorted(cell.metadata.keys() - {"slideshow", "tags"}):
            yield f"{cell.name}: metadata {extra}; run tools/notebooks.py"


@rule
def has_no_tag_that_loosens_the_test(chapter: Chapter) -> Iterator[str]:
    """A cell tagged so passes even when nothing is raised, or nothing compared."""
    for cell in chapter.cells:
        for tag in cell.metadata.get("tags", []):
            if tag == "raises-exception" or tag.startswith("nbval-"):
                yield f"{cell.name}: tag {tag}; show an error by expect_error, and make outputs the same each time"


@rule
def has_short_code_cells(chapter: Chapter) -> Iterator[str]:
    """One idea each. Empty lines are not counted in the usual length."""
    for cell in chapter.code:
        if (lines := len(cell.source.splitlines())) > CODE_LINES:
            yield f"{cell.name}: {lines} lines of code, at most {CODE_LINES}; cut it in two"
    lengths = [
        sum(bool(line.strip()) for line in cell.source.splitlines())
        for cell in chapter.code
        if "check(" not in cell.source  # an exercise is as long as it is
    ]
    if lengths and (usual := median(lengths)) > USUAL_CODE_LINES:
        yield f"half its code cells have {usual} lines or more; {USUAL_CODE_LINES} is usual"


def words(cell: Cell) -> int:
    """Count the words a reader meets: nothing folded, no picture, heading, table, number; a piece of code is one."""
    prose = re.sub(rf"(?s:<details>.*?</details>)|!\[{BRACKETED}\]\([^)]*\)|<[^>]*>|(?m:^[#|].*$)", "", cell.prose)
    return sum(bool(re.search(r"[^\W\d_]", word)) for word in prose.split())


@rule
def has_short_prose_cells(chapter: Chapter) -> Iterator[str]:
    """A learner reads sixty words between two runs, not a page. The opening and a recap may be longer."""
    recap = re.compile(r"#+ .*\brecap\b", re.IGNORECASE)
    told = [cell for cell in chapter.cells if cell.kind == "markdown" and not re.match(r"# \d\d ", cell.source)]
    prose = [cell for cell in told if not recap.match(cell.source.strip())]
    for cell in prose:
        if words(cell) > PROSE_WORDS:
            yield f"{cell.name}: {words(cell)} words, at most {PROSE_WORDS}; cut it in two"
    long = [cell for cell in prose if words(cell) > USUAL_PROSE_WORDS]
    if len(long) > (1 - USUAL_SHARE) * len(prose):
        names = ", ".join(f"{cell.number} ({words(cell)})" for cell in long)
        yield f"more than {1 - USUAL_SHARE:.0%} of its prose cells have over {USUAL_PROSE_WORDS} words: {names}"


# The code


@rule
def has_no_code_that_nbval_cannot_follow(chapter: Chapter) -> Iterator[str]:
    """Constructs whose output is lost, or another one, when the notebook is tested."""
    for cell in chapter.code:
        for pattern, reason in FORBIDDEN_IN_CODE.items():
            if found := re.search(pattern, cell.source):
                yield f"{cell.name}: {found[0].strip()!r}: {reason}"
        last = re.sub(r"(?m)^\s*#.*$", "", cell.source).rstrip()
        if re.search(r";\s*(#.*)?$", last):
            yield f"{cell.name}: a trailing ';' hides nothing from nbval; write _ = … instead"


@rule
def has_no_network_addresses_in_code(chapter: Chapter) -> Iterator[str]:
    """No chapter needs a network. Names that never resolve (RFC 2606) and this machine are fine."""
    for cell in chapter.code:
        for address in re.findall(r"\b(?:https?|wss?|ftp)://[^\s'\"\\)>{}]+", cell.source):
            if not RESERVED_HOST.fullmatch(urlsplit(address).hostname or ""):
                yield f"{cell.name}: {address} is a real address; use http://mock.test"


# The outputs


@rule
def has_quiet_outputs(chapter: Chapter) -> Iterator[str]:
    """Nothing on stderr, no traceback: lessons on errors use expect_error."""
    for cell in chapter.code:
        for output in cell.outputs:
            if output.get("name") == "stderr" or output["output_type"] == "error":
                yield f"{cell.name}: an output is {output.get('name') or output['output_type']}; mend the cause"


@rule
def has_no_widget_views(chapter: Chapter) -> Iterator[str]:
    """Without its kernel a widget is an error message; the text and HTML beside it are not."""
    for cell in chapter.code:
        if any(WIDGET_VIEW in output.get("data", {}) for output in cell.outputs):
            yield f"{cell.name}: a stored widget view; run tools/notebooks.py"


@rule
def has_outputs_of_any_machine(chapter: Chapter) -> Iterator[str]:
    """No addresses, paths, times: they are different each time, or for each author."""
    for cell in chapter.code:
        for _, text in texts(cell):
            for pattern, reason in FORBIDDEN_IN_OUTPUTS.items():
                if found := re.search(pattern, text):
                    yield f"{cell.name}: its output shows {found[0]!r}: {reason}"


# Pictures and links


class Tags(HTMLParser):
    """The tags of a text, with their attributes."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


def pictures(cell: Cell) -> Iterator[tuple[str, str]]:
    """Yield alt text and address of each picture, in prose and in HTML outputs. A ``<source>`` needs no alt."""
    yield from re.findall(rf"!\[({BRACKETED})\]\(\s*<?([^)\s>]*)", cell.prose)
    for html in [cell.prose, *(text for kind, text in texts(cell) if kind in ("text/html", "text/markdown"))]:
        for tag, attributes in Tags(html).found:
            if tag == "img":
                yield attributes.get("alt") or "", attributes.get("src") or ""
            if tag == "source":
                yield "of its img", (attributes.get("srcset") or "").partition(" ")[0]


@rule
def has_pictures_with_alt_text_and_a_file(chapter: Chapter) -> Iterator[str]:
    """Who cannot see a picture reads it; who has only the repository sees it."""
    for cell in chapter.cells:
        if cell.kind == "markdown" and "attachment:" in cell.prose:
            yield f"{cell.name}: an attached picture; save it in images/ instead"
            continue
        for alt, address in pictures(cell):
            if not alt.strip() or alt.strip() == Path(address).name:
                yield f"{cell.name}: the picture {address} has no alt text; say what it shows"
            if address.startswith("data:"):
                continue
            if not re.fullmatch(r"(?:\.\./)*[a-z0-9][a-z0-9_-]*(?:/[a-z0-9][a-z0-9_-]*)*\.[a-z0-9]+", address):
                yield f"{cell.name}: {address!r} is no portable name; use lower case, digits, - and _, in images/"
            elif not (chapter.path.parent / address).is_file():
                yield f"{cell.name}: the picture {address} does not exist"


def anchors(path: Path) -> set[str]:
    """Return what can be jumped to in a notebook: its headings, as JupyterLab makes addresses of them."""
    headings = (
        heading
        for cell in Chapter(path, path.read_bytes()).cells
        if cell.kind == "markdown"
        for heading in re.findall(r"(?m)^#+ +(.*?)\s*$", cell.source)
    )
    return {re.sub(r"[`*]", "", heading).replace(" ", "-") for heading in headings}


@rule
def has_links_that_lead_somewhere(chapter: Chapter) -> Iterator[str]:
    """Links between chapters, and to headings in them. Links to the web are not followed."""
    for cell in chapter.cells:
        links = re.findall(rf"(?<!!)\[{BRACKETED}\]\(\s*<?([^)\s>]+)", cell.prose)
        links += [attributes.get("href") or "" for tag, attributes in Tags(cell.prose).found if tag == "a"]
        for link in links:
            parts = urlsplit(link)
            if parts.scheme:
                continue
            target = chapter.path.parent / unquote(parts.path) if parts.path else chapter.path
            if not target.exists():
                yield f"{cell.name}: the link {link} leads to no file"
            elif parts.fragment and target.suffix == ".ipynb" and unquote(parts.fragment) not in anchors(target):
                yield f"{cell.name}: the link {link} leads to no heading; spell it as there, with - for spaces"

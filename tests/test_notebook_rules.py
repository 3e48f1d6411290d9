"""Each rule for chapters catches what it is there for, and leaves a good chapter alone."""

import json
import os

import pytest
from notebook_rules import METADATA, RULES, WIDGET_VIEW, Chapter


def markdown(source):
    """Return a markdown cell as JSON."""
    return {"cell_type": "markdown", "source": source}


def code(source="x = 1", *outputs):
    """Return a code cell as JSON."""
    return {"cell_type": "code", "source": source, "outputs": list(outputs)}


def printed(text, name="stdout"):
    """Return what a cell prints."""
    return {"output_type": "stream", "name": name, "text": [text]}


def shown(**data):
    """Return what a cell displays; the keys are MIME types with ``__`` for ``/``."""
    kinds = {key.replace("__", "/"): value for key, value in data.items()}
    return {"output_type": "display_data", "data": kinds, "metadata": {}}


def chapter(folder, *cells, name="03_good.ipynb", change=None, write=lambda text: text.encode()):
    """Return a good chapter with these cells in it, changed as a whole by `change`, its text made bytes by `write`."""
    filler = [cell for _ in range(13) for cell in (markdown("# Good\nJust a few words."), code("x = 1\nx"))]
    raw = [*cells, *filler][: max(26, len(cells))]
    for number, cell in enumerate(raw, start=1):
        cell["id"], cell["metadata"] = f"03-{number:02d}", {"slideshow": {"slide_type": "slide"}}
    for number, cell in enumerate((cell for cell in raw if cell["cell_type"] == "code"), start=1):
        cell["execution_count"] = number
    notebook = {"nbformat": 4, "nbformat_minor": 5, "metadata": dict(METADATA), "cells": raw}
    if change:
        change(notebook)
    (folder / "images").mkdir()
    (folder / "images" / "loop.svg").touch()
    (folder / "images" / os.fsdecode("Ünö.svg".encode())).touch()  # also where the system names files in ASCII
    path = folder / name
    path.write_bytes(write(json.dumps(notebook, ensure_ascii=False, indent=1) + "\n"))
    return Chapter(path, path.read_bytes())


def broken(a_chapter):
    """Return the names of the rules that a chapter breaks."""
    return [rule.__name__ for rule in RULES if list(rule(a_chapter))]


def put(cell, **values):
    """Return a change of one cell's entries; a value of None removes the entry."""

    def change(notebook):
        notebook["cells"][cell].update(values)

    return change


def tag(name):
    """Return a change that tags the second cell, a code cell."""
    return put(1, metadata={"slideshow": {"slide_type": "slide"}, "tags": [name]})


FINE = {
    "prose about Markdown": markdown("Write `![](x.png)` or `<img>`.\n\n```\n[a](b.ipynb)\n![](y.png)\n```"),
    "a picture": markdown("![The loop (as a circle) of [four] boxes.](images/loop.svg)"),
    "a picture for light and dark": markdown(
        '<picture><source srcset="images/loop.svg" media="x"><img alt="A loop." src="images/loop.svg"></picture>'
    ),
    "links": markdown("[here](#Good), [file](images/loop.svg), [self](03_good.ipynb#Good), [web](https://a.org)"),
    "a long recap": markdown("## Recap\n" + "word " * 170),
    "folded hints": markdown("Try.\n" + "<details><summary>Hint</summary>\n\n" + "word\n" * 121 + "</details>"),
    "a table": markdown("| a | b |\n" * 100),
    "semicolon inside": code("a = 1; b = 2\n'a;'  # a; b"),
    "reserved hosts": code("'http://localhost:11434/v1', 'https://mock.test/v1', 'http://example.com'"),
    "numbers and fixed times": code("x", printed("0xff 2026-01-01T00:00:00Z 0.5 s 12:30 a/usr/b 1712345678")),
    "words like the forbidden": code("MyOutput = 1; interaction(2); Input[3]"),
}
BAD = {
    "is_named_by_number_and_snake_case": [{"name": "3-Good.ipynb"}, {"name": "03_Good.ipynb"}],
    "is_utf8_with_lf_and_a_last_newline": [
        {"write": lambda text: text.encode("utf-8-sig")},
        {"write": lambda text: text.replace("\n", "\r\n").encode()},
        {"write": lambda text: text.rstrip().encode()},
    ],
    "is_small": [{"cells": [code("x", shown(image__png="A" * 500_000))]}],
    "has_the_metadata_of_any_machine": [
        {"change": lambda notebook: notebook["metadata"].update(widgets={})},
        {"change": lambda notebook: notebook["metadata"].update(kernelspec={"name": "conda-env-mine"})},
        {"change": lambda notebook: notebook.update(nbformat_minor=4)},
    ],
    "has_25_to_50_cells": [
        {"cells": [markdown("Word.") for _ in range(51)]},
        {"change": lambda notebook: notebook.update(cells=notebook["cells"][:24])},
    ],
    "has_unique_ids": [{"change": put(0, id="03-02")}, {"change": put(0, id="a b")}, {"change": put(0, id=None)}],
    "has_counts_in_order": [{"change": put(1, execution_count=None)}, {"change": put(1, execution_count=7)}],
    "has_slideshow_metadata_and_tags_only": [
        {"change": put(0, metadata={})},
        {"change": put(0, metadata={"slideshow": {"slide_type": "big"}})},
        {"change": put(0, metadata={"slideshow": {"slide_type": "slide"}, "collapsed": True})},
    ],
    "has_no_tag_that_loosens_the_test": [
        {"change": tag(name)} for name in ("raises-exception", "nbval-skip", "nbval-ignore-output")
    ],
    "has_short_code_cells": [
        {"cells": [code("x\n" * 26)]},
        {"cells": [code("x\n" * 6) for _ in range(20)]},
    ],
    "has_short_prose_cells": [
        {"cells": [markdown("word " * 121)]},
        {"cells": [markdown("# More\n" + "word " * 61) for _ in range(6)]},
    ],
    "has_no_code_that_nbval_cannot_follow": [
        {"cells": [code(source)]}
        for source in (
            "plot(x);",
            "plot(x); # quiet\n\n# end\n",
            "from IPython.display import clear_output",
            "display(x, display_id='a')",
            "with widgets.Output() as out:\n    x",
            "@out.capture()\ndef f(): ...",
            "widgets.interact(f, x=1)",
            "interactive(f)",
            "Out[3]",
            "len(In)",
            "# NBVAL_SKIP\nx",
            "!ls",
            "%pip install x",
            "%%bash\nls",
        )
    ],
    "has_no_network_addresses_in_code": [
        {"cells": [code("get('https://api.openai.com/v1')")]},
        {"cells": [code("get('http://notlocalhost.org/example.com')")]},
    ],
    "has_quiet_outputs": [
        {"cells": [code("x", printed("old", "stderr"))]},
        {"cells": [code("x", {"output_type": "error", "ename": "E", "evalue": "", "traceback": []})]},
    ],
    "has_no_widget_views": [{"cells": [code("x", shown(**{WIDGET_VIEW: {"model_id": "1"}}))]}],
    "has_outputs_of_any_machine": [
        {"cells": [code("x", output)]}
        for output in (
            printed("<A at 0x7f3a5c0d>"),
            shown(text__html="<b>/home/ann/x</b>"),
            shown(text__plain=r"'C:\\Users\\ann'"),
            printed("/tmp/x.json"),
            printed("2026-05-03 12:30:01.123456"),
            printed("1783456789.25"),
            printed("Wall time: 3 ms"),
            printed("took 0.01234 s"),
        )
    ],
    "has_pictures_with_alt_text_and_a_file": [
        *(
            {"cells": [markdown(source)]}
            for source in (
                "![](images/loop.svg)",
                "![loop.svg](images/loop.svg)",
                '<img src="images/loop.svg">',
                '<img src="images/loop.svg" alt="">',
                "![A loop.](images/none.svg)",
                "![A [big] loop.](images/none.svg)",
                "![A loop.](images/Ünö.svg)",
                "![A loop.](https://example.com/loop.svg)",
                "![A loop.](attachment:loop.png)",
                '<picture><source srcset="images/none.svg"><img alt="A loop." src="images/loop.svg"></picture>',
            )
        ),
        {"cells": [code("x", shown(text__html="<img src='data:image/png;base64,AAAA'>"))]},
    ],
    "has_links_that_lead_somewhere": [
        {"cells": [markdown(source)]}
        for source in ("[next](04_none.ipynb)", "[up](#None)", "[self](03_good.ipynb#good)", '<a href="x.md">x</a>')
    ],
}
CASES = [pytest.param(name, case, id=f"{name}-{n}") for name, cases in BAD.items() for n, case in enumerate(cases)]


def test_each_rule_has_an_example_that_breaks_it():
    assert [rule.__name__ for rule in RULES] == list(BAD)


@pytest.mark.parametrize(("name", "case"), CASES)
def test_a_chapter_that_breaks_a_rule_is_caught_by_it_alone(name, case, tmp_path):
    cells = case.get("cells", [])
    others = {key: value for key, value in case.items() if key != "cells"}
    assert broken(chapter(tmp_path, *cells, **others)) == [name]


@pytest.mark.parametrize("cell", FINE.values(), ids=FINE)
def test_what_only_looks_wrong_is_fine(cell, tmp_path):
    assert broken(chapter(tmp_path, cell)) == []


def test_a_message_names_the_cell(tmp_path):
    (rule,) = (rule for rule in RULES if rule.__name__ == "has_no_network_addresses_in_code")
    (message,) = rule(chapter(tmp_path, markdown("Text"), code("get('https://api.openai.com')")))
    assert message.startswith("cell 2 (get('https://api.openai.com')): ")

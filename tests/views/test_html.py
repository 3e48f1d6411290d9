from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minagent_lab.views.html import bold, code, escape, lang, plain, quoted, rich, span, ticked, unticked


class Reader(HTMLParser):
    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.text = ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.tags.append(tag)

    def handle_data(self, data: str) -> None:
        self.text += data


SEEN = st.text(st.characters(blacklist_categories=("Cs", "Cc", "Cf")))


@given(SEEN)
def test_escaped_text_reads_as_the_text_and_holds_no_tag(text):
    read = Reader(escape(text))
    assert (read.text, read.tags) == (text, [])


@given(SEEN)
def test_a_span_holds_the_text_and_nothing_else(text):
    read = Reader(span(text, "kind"))
    assert (read.text, read.tags) == (text, ["span"])


@given(st.text())
def test_escaped_text_can_always_be_written_as_utf_8(text):
    escape(text).encode("utf-8")


@pytest.mark.parametrize("text", ["\u202e", "\u2066", "\x00", "\x1b", "\x7f", "\x85", "\ud800"])
def test_what_cannot_be_seen_is_shown_by_its_code(text):
    shown = escape(f"a{text}b")
    assert text not in shown
    assert shown.startswith("a\\")


def test_line_breaks_and_tabs_stay():
    assert escape("a\n\tb") == "a\n\tb"


def test_text_with_han_characters_names_its_language():
    assert lang("你好") == ' lang="zh-Hans"'
    assert lang("hello") == ""


def test_a_sentence_is_the_same_in_html_and_in_text():
    sentence = [bold("Then"), " ran ", code("<b>"), "."]
    assert plain(sentence) == "Then ran <b>."
    assert rich(sentence) == "<b>Then</b> ran <code>&lt;b&gt;</code>."
    assert quoted("你") == '<code lang="zh-Hans">你</code>'


@given(SEEN)
def test_ticked_text_reads_as_the_text_without_its_ticks_and_holds_code_only(text):
    read = Reader(ticked(text))
    assert set(read.tags) <= {"code"}
    assert read.text == unticked(text)


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("call `complete(a < b)`", "call <code>complete(a &lt; b)</code>"),
        ("`<b>` and `你好`", '<code>&lt;b&gt;</code> and <code lang="zh-Hans">你好</code>'),
        ("a lone ` stays, *so* do they", "a lone ` stays, *so* do they"),
        ("`not\nover lines`", "`not\nover lines`"),
        ("`a\x00b`", "<code>a\\x00b</code>"),
    ],
)
def test_backticks_mean_code_and_nothing_else_means_anything(text, html):
    assert ticked(text) == html

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minagent_lab.observe.cases import EvalCase
from minagent_lab.observe.evaluation import evaluate
from minagent_lab.observe.matchers import equals
from minagent_lab.observe.results_file import read_results


def cases(ids="abcd", prompt="2 + 3?", expect=None):
    return [EvalCase(id, prompt, expect or equals("5"), category="sums") for id in ids]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "new" / "results.jsonl"


class Asked:
    """An agent that remembers whom it was asked for, and can be stopped after some cases."""

    def __init__(self, stop_after=99, text="5"):
        self.ids, self._stop_after, self._text = [], stop_after, text

    def __call__(self, case):
        if len(self.ids) == self._stop_after:
            raise KeyboardInterrupt
        self.ids.append(case.id)
        return self._text


def interrupted(path, after, **more):
    with pytest.raises(KeyboardInterrupt):
        evaluate(cases(), Asked(stop_after=after), save=path, **more)


def test_each_result_is_written_as_one_whole_line_when_it_comes(path):
    counts = []
    evaluate(cases(), Asked(), save=path, progress=lambda *_: counts.append(path.read_bytes().count(b"\n")))
    assert counts == [1, 2, 3, 4]
    assert [json.loads(line)["id"] for line in path.read_text("utf-8").splitlines()] == list("abcd")


def test_a_line_says_what_was_asked_expected_and_answered_in_real_characters(path):
    evaluate(cases("a", prompt="二加三？"), lambda case: "六", save=path)
    line = json.loads(path.read_bytes())
    assert line["reason"] == "the answer is '六', not '5'"
    assert (line["prompt"], line["expected"], line["final"], line["verdict"]) == (
        "二加三？",
        "equals('5')",
        "六",
        "failed",
    )
    assert "二加三" in path.read_text("utf-8")


@given(st.integers(0, 4), st.integers(0, 40))
def test_it_goes_on_where_it_was_stopped_wherever_the_process_was_killed(tmp_path_factory, after, lost):
    path = tmp_path_factory.mktemp("eval") / "results.jsonl"
    if after < 4:
        interrupted(path, after)
    else:
        evaluate(cases(), Asked(), save=path)
    data = path.read_bytes()
    path.write_bytes(data[: len(data) - lost])
    whole = path.read_bytes().count(b"\n")
    agent = Asked()
    report = evaluate(cases(), agent, save=path, resume=True)
    assert agent.ids == list("abcd")[whole:]
    assert (report.n, report.passed) == (4, 4)
    assert [result.id for result in read_results(path)] == list("abcd")


def test_a_case_that_was_changed_is_asked_again_and_its_latest_result_counts(path):
    evaluate(cases(), Asked(text="6"), save=path)
    agent = Asked(text="6")
    report = evaluate([*cases("ab"), *cases("cd", expect=equals("6"))], agent, save=path, resume=True)
    assert agent.ids == ["c", "d"]
    assert [result.verdict for result in report] == ["failed", "failed", "passed", "passed"]
    again = Asked()
    evaluate([*cases("ab"), *cases("cd", expect=equals("6"))], again, save=path, resume=True)
    assert again.ids == []


def test_an_error_says_nothing_about_the_answer_and_is_tried_again(path):
    def broken(case):
        raise OSError("no network")

    evaluate(cases("ab"), broken, save=path)
    agent = Asked()
    assert evaluate(cases("ab"), agent, save=path, resume=True).passed == 2
    assert agent.ids == ["a", "b"]


def test_results_of_cases_that_are_gone_stay_in_the_file_and_not_in_the_report(path):
    evaluate(cases("ab"), Asked(), save=path)
    assert evaluate(cases("b"), Asked(), save=path, resume=True).n == 1
    assert len(read_results(path)) == 2


def test_resuming_without_a_file_begins_one(path):
    assert evaluate(cases("a"), Asked(), save=path, resume=True).passed == 1
    assert len(read_results(path)) == 1


def test_a_file_with_results_is_not_written_over(path):
    evaluate(cases("a"), Asked(), save=path)
    agent = Asked()
    with pytest.raises(FileExistsError, match=r"results\.jsonl has something in it; pass resume=True"):
        evaluate(cases("a"), agent, save=path)
    assert agent.ids == []


@pytest.mark.parametrize("content", [b"hello", b"hello\n", b"[1]\n", b'{"event": "x"}\n', b"\xff\xfe"])
def test_a_file_that_is_something_else_is_left_alone(tmp_path, content):
    path = tmp_path / "notes.txt"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"notes\.txt: this is no file of results, and nothing is added to it"):
        evaluate(cases("a"), Asked(), save=path, resume=True)
    assert path.read_bytes() == content


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda line: line[:20], "line 2: "),
        (lambda line: line.replace(b'"passed"', b'"maybe"'), "line 2: its verdict is 'maybe'; use one of passed"),
        (lambda line: line.replace(b'"final": "5"', b'"final": 5'), 'line 2: this is no result of a case: its "final"'),
        (lambda line: line.replace(b'"cost": null', b'"cost": "NaN"'), "line 2: its cost is 'NaN'"),
        (lambda line: line.replace(b'"usage": {}', b'"usage": {"input_tokens": "5"}'), "line 2: usage"),
        (lambda line: line.replace(b"2 + 3?", b"\xff"), "line 2: "),
        (
            lambda line: line.replace(b'"usage": {}', b'"usage": {}, "usage": {}'),
            'line 2: the key "usage" stands twice',
        ),
    ],
)
def test_a_line_in_the_middle_that_is_broken_is_named(path, change, words):
    evaluate(cases(), Asked(), save=path)
    first, second, *others = path.read_bytes().split(b"\n")
    path.write_bytes(b"\n".join([first, change(second), *others]))
    with pytest.raises(ValueError, match=words):
        evaluate(cases(), Asked(), save=path, resume=True)


def test_hidden_line_separators_do_not_split_a_result(path):
    text = "a\u2028b\u2029c\u0085d\x1ee\r\nf✅"
    evaluate(cases("ab", prompt=text), lambda case: text, save=path)
    assert [result.final for result in read_results(path)] == [text, text]
    assert "\u2028".encode() in path.read_bytes()


def test_a_byte_order_mark_and_line_ends_of_windows_are_read(path):
    evaluate(cases("ab"), Asked(), save=path)
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n"))
    agent = Asked()
    assert evaluate(cases("ab"), agent, save=path, resume=True).passed == 2
    assert agent.ids == []


def test_secrets_are_in_no_line_and_in_no_text_of_the_report(path):
    agent = lambda case: "the word is correct horse, and my key is sk-FAKE0000000000000000"
    report = evaluate(cases("a", prompt="say correct horse"), agent, save=path, secrets=["correct horse"])
    for text in (path.read_text("utf-8"), str(report), report.html(), json.dumps(report.as_json())):
        assert "correct horse" not in text
        assert "sk-FAKE" not in text
    assert report["a"].run.final == agent(None)


def test_the_same_case_is_found_again_though_its_line_is_redacted(path):
    evaluate(cases("a", prompt="say correct horse"), Asked(), save=path, secrets=["correct horse"])
    agent = Asked()
    evaluate(cases("a", prompt="say correct horse"), agent, save=path, resume=True, secrets=["correct horse"])
    assert agent.ids == []


def test_a_name_that_looks_like_a_secret_is_refused_without_saying_it():
    with pytest.raises(ValueError, match=r"the id of cases\[0\] looks like a secret") as error:
        evaluate([EvalCase("sk-FAKE0000000000000000", "x", equals("5"))], Asked())
    assert "FAKE" not in str(error.value)


def test_a_file_that_cannot_be_written_any_more_ends_nothing_and_is_told(path, monkeypatch):
    opened = Path.open

    def full(self, *arguments, **more):
        if more.get("buffering") == 0 and self.read_bytes():
            raise OSError(28, "No space left on device")
        return opened(self, *arguments, **more)

    monkeypatch.setattr(Path, "open", full)
    report = evaluate(cases(), Asked(), save=path)
    assert report.passed == 4
    assert report.problems == ("results.jsonl is not written any more: OSError",)
    assert len(read_results(path)) == 1


def test_the_file_stays_where_it_was_said_to_be_wherever_the_program_goes(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "elsewhere").mkdir()

    def agent(case):
        monkeypatch.chdir(tmp_path / "elsewhere")
        return "5"

    evaluate(cases("a"), agent, save="results.jsonl")
    assert len(read_results(tmp_path / "results.jsonl")) == 1

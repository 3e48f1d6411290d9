import json
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lab import half_texts

from minagent_lab.observe.case_result import CaseResult
from minagent_lab.observe.counting import VERDICTS
from minagent_lab.observe.report import EvalReport, read_report

verdict_lists = st.lists(st.tuples(st.sampled_from(VERDICTS), st.sampled_from(["", "sums", "search"])), min_size=1)


def result(id="a", verdict="passed", **more):
    return CaseResult(id, verdict, **more)


def report_of(pairs):
    return EvalReport([result(str(place), verdict, category=kind) for place, (verdict, kind) in enumerate(pairs)])


@given(verdict_lists)
def test_every_case_is_counted_once_and_the_categories_add_up(pairs):
    report = report_of(pairs)
    assert report.n == len(report) == report.passed + report.failed + report.errors + report.not_run
    assert tuple(map(sum, zip(*report.by_category.values(), strict=True))) == report.tally
    assert list(report.by_category) == list(dict.fromkeys(kind for _, kind in pairs))


@given(verdict_lists, half_texts)
def test_a_saved_report_is_read_as_it_was(tmp_path_factory, pairs, text):
    path = tmp_path_factory.mktemp("report") / "report.json"
    made = [
        result(
            str(place), verdict, category=kind, reason=text.encode("utf-8", "replace").decode(), cost=Decimal("0.10")
        )
        for place, (verdict, kind) in enumerate(pairs)
    ]
    report = EvalReport(made, "CNY", ["something"])
    report.save(path)
    assert read_report(path) == report


def test_a_report_says_its_counts_in_json_with_the_denominator_beside_each_rate(tmp_path):
    report = report_of([("passed", "sums")] * 7 + [("failed", "sums")] * 2 + [("error", "搜索")])
    report.save(tmp_path / "report.json")
    text = (tmp_path / "report.json").read_text("utf-8")
    data = json.loads(text)
    assert {key: data[key] for key in ("n", "passed", "failed", "errors", "not_run", "rate", "interval")} == {
        "n": 10,
        "passed": 7,
        "failed": 2,
        "errors": 1,
        "not_run": 0,
        "rate": 0.7,
        "interval": [0.3968, 0.8922],
    }
    assert data["categories"]["搜索"]["n"] == 1
    assert "搜索" in text
    assert text.endswith("\n")


def test_what_is_not_known_is_null_and_not_zero():
    data = EvalReport([result(verdict="not_run")]).as_json()
    assert (data["interval"], data["cost"], data["usage"]) == (None, None, {})
    assert EvalReport([result()], "CNY").as_json()["cost"] is None
    assert EvalReport([result(cost=Decimal(0))], "CNY").as_json()["cost"] == "0"


def test_a_secret_is_in_no_saved_report(tmp_path):
    report = EvalReport([result(reason="the word is correct horse")])
    report.save(tmp_path / "report.json", secrets=["correct horse"])
    assert "correct horse" not in (tmp_path / "report.json").read_text("utf-8")
    with pytest.raises(ValueError, match="was not written: a secret would stand in it"):
        EvalReport([result(usage={"input_tokens": 1234567890})]).save(tmp_path / "x.json", secrets=["1234567890"])
    assert not (tmp_path / "x.json").exists()


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"hello", "report.json: "),
        (b"[]", r'report.json: this is no report of format 1, as report.save\("report.json"\) writes it'),
        (b'{"format": 2, "results": []}', "no report of format 1"),
        (b'{"format": 1, "results": [5]}', "this is no result of a case"),
        (b'{"format": 1, "results": [{"id": "a"}]}', 'its "verdict" is None'),
        (b"\xff", "report.json: "),
        (b'{"format": 1, "results": [], "results": []}', 'report.json: the key "results" stands twice'),
    ],
)
def test_a_file_that_is_no_report_is_refused_by_name(tmp_path, content, words):
    path = tmp_path / "report.json"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=words):
        read_report(path)


def test_a_result_is_found_by_its_id():
    report = EvalReport([result("a"), result("b", "failed", reason="no")])
    assert report["b"].reason == "no"
    with pytest.raises(KeyError, match="there is no case 'c'; the ids are a, b"):
        report["c"]


def test_a_short_form_says_the_counts_that_are_not_zero():
    assert repr(report_of([("passed", "")])) == "<EvalReport: 1 of 1 passed>"
    pairs = [("passed", ""), ("failed", ""), ("error", ""), ("not_run", ""), ("not_run", "")]
    assert repr(report_of(pairs)) == "<EvalReport: 1 of 5 passed, 1 failed, 1 error, 2 not run>"
    assert repr(result(reason="x" * 500)) == f"<CaseResult a: passed, {'x' * 160}>"


def test_a_result_is_a_value_whose_usage_nobody_can_change():
    one = result(usage={"input_tokens": 5})
    one.usage["input_tokens"] = 999
    assert one.usage == {"input_tokens": 5}

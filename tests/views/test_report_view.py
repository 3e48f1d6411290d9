import re
from decimal import Decimal

from minagent_lab.observe.case_result import CaseResult
from minagent_lab.observe.report import EvalReport
from minagent_lab.views.report_view import SHOWN


def sample():
    rows = [CaseResult(f"sum-{n}", "passed", category="sums", usage_known=True) for n in range(5)]
    rows += [CaseResult("sum-5", "failed", "the answer is '6', not '5'", "sums", "2 + 3?")]
    rows += [CaseResult("搜-1", "error", "RateLimitError: slow down", "搜索", "<b>x</b>")]
    rows += [CaseResult("搜-2", "passed", category="搜索", usage={"input_tokens": 1200, "output_tokens": 30})]
    return EvalReport(rows)


def test_the_text_has_a_row_per_category_with_its_denominator_and_the_reasons():
    assert (
        sample().table()
        == """\
category  n  passed  failed  errors  not run  rate  95 % interval
sums      6       5       1       0        0  83 %     44 to 97 %
搜索      2       1       0       1        0  50 %      9 to 91 %
all       8       6       1       1        0  75 %     41 to 93 %
✗ failed sum-5: the answer is '6', not '5'
! error 搜-1: RateLimitError: slow down
6 of 8 passed (75 %; 95 % interval 41 to 93 %).
All 8 are in the denominator, 1 error included.
Tokens: at least 1,200 in, 30 out.
Usage unknown for 3 of 8 cases."""
    )


def test_one_category_needs_no_row_for_all_and_none_has_a_name():
    assert EvalReport([CaseResult("a", "passed")]).table().splitlines()[1].startswith("(none)    1       1")
    assert "\nall" not in EvalReport([CaseResult("a", "passed")]).table()


def test_cases_that_were_not_run_are_in_the_denominator_and_leave_no_interval():
    text = EvalReport([CaseResult("a", "passed"), CaseResult("b", "not_run")]).table()
    assert "50 %  no interval: 1 not run" in text
    assert "All 2 are in the denominator, 1 not run included." in text


def test_a_cost_is_said_as_far_as_it_is_known():
    known = CaseResult("a", "passed", cost=Decimal("0.0012"), usage_known=True)
    unknown = CaseResult("b", "passed")
    assert "Cost: 0.0012 CNY." in EvalReport([known], "CNY").table()
    assert "Cost: at least 0.0012 CNY.\nCost unknown for 1 of 2 cases." in EvalReport([known, unknown], "CNY").table()
    assert EvalReport([unknown], "CNY").table().endswith("\nCost unknown for 1 of 1 case.")
    assert "Cost" not in EvalReport([known]).table()


def test_many_cases_that_did_not_pass_are_cut_and_counted():
    report = EvalReport([CaseResult(str(n), "failed", "no") for n in range(SHOWN + 7)])
    assert report.table().count("✗ failed") == SHOWN
    for text in (report.table(), report.html()):
        assert "… and 7 more, in" in text


def test_the_html_says_the_same_and_escapes_what_others_wrote():
    html = sample().html()
    for word in ("sums", "搜索", "83 %", "44 to 97 %", "✗ failed", "! error", "6 of 8 passed"):
        assert word in html
    assert "<b>x</b>" not in html
    assert "&lt;b&gt;x&lt;/b&gt;" in html
    assert "scope='row'" in html
    assert not re.search(r"\bid=", html)


def test_what_turns_text_round_is_shown_by_its_code():
    report = EvalReport([CaseResult("a\u202e", "failed", "no\x00\n\u202e", "c\u202e")])
    for text in (report.table(), report.html()):
        assert "\u202e" not in text
        assert "\x00" not in text
        assert "\\u202e" in text


def test_in_a_notebook_it_is_the_table():
    bundle = sample()._repr_mimebundle_()
    assert bundle == {"text/plain": sample().table(), "text/html": sample().html()}
    assert str(sample()) == sample().table()


def test_what_kept_it_from_saving_is_said():
    assert (
        "results.jsonl is not written any more: OSError."
        in EvalReport([CaseResult("a", "passed")], problems=["results.jsonl is not written any more: OSError"]).table()
    )

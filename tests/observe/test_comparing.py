import pytest
from hypothesis import given
from hypothesis import strategies as st

from minagent_lab.observe.case_result import CaseResult
from minagent_lab.observe.comparing import Comparison, compare
from minagent_lab.observe.counting import VERDICTS
from minagent_lab.observe.report import EvalReport

verdicts = st.dictionaries(st.sampled_from("abcdefgh"), st.sampled_from(VERDICTS))


def report(verdicts, digest=""):
    return EvalReport([CaseResult(id, verdict, digest=digest) for id, verdict in verdicts.items()])


@given(verdicts, verdicts)
def test_every_case_is_in_one_group_and_turning_the_reports_round_turns_the_flips_round(one, other):
    there, back = compare(report(one), report(other)), compare(report(other), report(one))
    groups = [there.fixed, there.broken, there.passed_both, there.failed_both, there.left_out]
    assert sorted(id for group in groups for id in group) == sorted({*one, *other})
    assert (sorted(there.fixed), sorted(there.broken)) == (sorted(back.broken), sorted(back.fixed))
    assert 0 < there.chance <= 1


@given(verdicts)
def test_compared_with_itself_nothing_flips(held):
    same = compare(report(held), report(held))
    assert (same.fixed, same.broken, same.chance) == ((), (), 1.0)


def test_the_same_rate_may_hide_flips_and_they_are_named():
    comparison = compare(report({"a": "passed", "b": "failed"}), report({"a": "failed", "b": "passed"}))
    assert str(comparison).splitlines() == [
        "Comparison of 2 cases: 1 fixed, 1 broken, 0 passed both times, 0 failed both times",
        "fixed: b",
        "broken: a",
        "A fair coin would split 2 flips at least as unevenly in 100% of all tries.",
    ]


def test_a_case_that_was_changed_or_is_in_one_report_only_is_left_out():
    before = EvalReport([CaseResult("a", "passed", digest="1"), CaseResult("b", "passed"), CaseResult("c", "error")])
    after = EvalReport([CaseResult("a", "failed", digest="2"), CaseResult("c", "passed"), CaseResult("d", "passed")])
    assert compare(before, after).left_out == ("a", "b", "c", "d")
    assert repr(compare(before, after)).endswith("0 failed both times; 4 left out>")


@pytest.mark.parametrize(
    ("fixed", "broken", "chance"), [(5, 0, 0.0625), (6, 0, 0.03125), (8, 2, 0.109375), (3, 3, 1.0)]
)
def test_the_chance_is_that_of_the_sign_test(fixed, broken, chance):
    assert Comparison(("f",) * fixed, ("b",) * broken, (), (), ()).chance == pytest.approx(chance)


def test_many_flips_are_compared_too():
    assert 0 <= Comparison(("f",) * 3_000, ("b",) * 10, (), (), ()).chance < 1e-9


def test_what_is_no_report_is_refused():
    with pytest.raises(TypeError, match="after is None; pass an EvalReport"):
        compare(report({}), None)

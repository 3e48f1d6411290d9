"""Chapter 09: what its exercises say, and right solutions that look different."""

import pytest

from minagent_lab.course import ch09
from minagent_lab.course.report import report_on


def report(exercise, code):
    return report_on(exercise, exercise.made_by(code))


def reasons(exercise, code):
    return {line.sentence: line.reason for line in report(exercise, code).lines if not line.passed}


RIGHT = "asked = {0: 0, 9: 1, 10: 1, 34: 2, 35: 2, 36: 3, 70: 3}\ncrossed = "
CROSSED = "`crossed` holds the limits that were really crossed"


def test_an_empty_dict_is_told_from_an_empty_set():
    assert "an empty set is `set()`" in report(ch09.WHERE_IT_STOPS, RIGHT + "{}").text()


@pytest.mark.parametrize(("crossed", "named"), [("[[9], 34]", "[9]"), ("{'9', 34, 36}", "'9'"), ("[9, 11]", "11")])
def test_what_is_no_limit_is_shown(crossed, named):
    said = reasons(ch09.WHERE_IT_STOPS, RIGHT + crossed)
    assert f"{named} is in it, and is none of the limits 0, 9, 10" in said[CROSSED]


@pytest.mark.parametrize("crossed", ["[9, 34, 36]", "(36, 34, 9)", "frozenset({9, 34, 36})"])
def test_a_list_of_limits_will_do_as_well(crossed):
    assert report(ch09.WHERE_IT_STOPS, RIGHT + crossed).solved


def test_a_guard_that_raises_something_else_is_told_what_a_run_knows():
    other = ch09.TOKEN_GUARD.solution.replace(
        'raise BudgetExceeded("tokens", self.limit, self.used, "the next call")', 'raise RuntimeError("too much")'
    )
    said = set(reasons(ch09.TOKEN_GUARD, other).values())
    assert "before_model raised RuntimeError: too much; raise BudgetExceeded: `arun` knows no other" in said


def test_a_bug_in_a_guard_is_told_as_it_is():
    other = ch09.TOKEN_GUARD.solution.replace("response.usage.get(name)", "response.usage[name]")
    assert any(reason.startswith("KeyError") for reason in reasons(ch09.TOKEN_GUARD, other).values())


BY_PROPERTIES = """
class TokenGuard:
    def __init__(self, limit):
        self.limit, self.usages = limit, []

    @property
    def told(self):
        names = ("input_tokens", "output_tokens")
        return [[usage[name] for name in names if name in usage] for usage in self.usages]

    @property
    def used(self):
        return sum(map(sum, self.told))

    @property
    def unknown(self):
        return sum(len(known) < 2 for known in self.told)

    def before_model(self):
        if self.used >= self.limit:
            raise BudgetExceeded("tokens", self.limit, self.used, "the next call")

    def after_model(self, response):
        self.usages.append(dict(response.usage))

    def before_tools(self, count): ...
"""


def test_a_guard_whose_counts_are_properties_is_accepted():
    said = report(ch09.TOKEN_GUARD, BY_PROPERTIES)
    assert said.solved, said.text()


BY_HAND = """
async def check_guard(Guard):
    def allowed(*batches):
        guard = Guard(2)
        for count in batches:
            guard.before_model()
            try:
                guard.before_tools(count)
            except BudgetExceeded:
                return False
        return True

    assert not allowed(3)
    assert allowed(2)
    assert not allowed(1, 2)
"""


def test_a_test_that_drives_the_guard_by_hand_is_accepted():
    said = report(ch09.CHECK_GUARD, BY_HAND)
    assert said.solved, said.text()


@pytest.mark.parametrize(
    ("exercise", "code", "line"),
    [
        (ch09.SUMMARY, "async def summary(events): ...", "`def summary(events)`"),
        (ch09.CHECK_GUARD, "def check_guard(Guard): ...", "`async def check_guard(Guard)`"),
    ],
)
def test_what_is_async_by_mistake_or_forgot_to_be_is_told_the_line_to_write(exercise, code, line):
    assert line in report(exercise, code).text()

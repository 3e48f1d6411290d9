"""Chapter 07: what its exercises say, and right solutions that look different."""

import pytest

from minagent_lab.course import ch07
from minagent_lab.course.report import report_on


def report(exercise, code):
    return report_on(exercise, exercise.made_by(code))


def reasons(exercise, code):
    return {line.sentence: line.reason for line in report(exercise, code).lines if not line.passed}


def test_a_provider_that_is_not_async_is_told_the_line_to_write():
    said = report(ch07.PROVIDER, ch07.PROVIDER.solution.replace("async def", "def")).text()
    assert "in the contract it is `async def complete(self, request, signal=None)`" in said


def test_the_faults_come_in_the_order_of_the_chapter_and_then_where_they_hide():
    said = [line.sentence for line in report(ch07.PROVIDER, ch07.PROVIDER.solution).lines]
    began = [sentence.partition(":")[0] for sentence in said]
    assert began[:4] == ["fault 1, order", "fault 2, ownership", "fault 3, the end", "fault 4, the signal"]
    assert began[4:7] == ["fault 1 hides", "fault 2 hides", "fault 4 hides"]


NOTHING = """
class FakeProvider:
    def __init__(self, responses):
        pass

    async def complete(self, request, signal=None):
        pass
"""
RAISES_NOTHING_ELSE = """
class FakeProvider:
    def __init__(self, responses):
        pass

    async def complete(self, request, signal=None):
        assert False, "not written yet"
"""


def test_a_provider_that_gives_nothing_is_told_what_was_next():
    found = reasons(ch07.PROVIDER, NOTHING)
    ownership = next(why for what, why in found.items() if what.startswith("fault 2,"))
    assert "the call gave None; a response was next" in ownership


def test_an_assert_of_the_learner_comes_through():
    assert set(reasons(ch07.PROVIDER, RAISES_NOTHING_ELSE).values()) == {"not written yet"}


BY_ITERATOR = """
import copy

class FakeProvider:
    def __init__(self, responses):
        self.left = iter(copy.deepcopy(list(responses)))

    async def complete(self, request, signal=None):
        if signal is not None and signal.aborted:
            raise AbortError("stopped")
        try:
            return copy.deepcopy(next(self.left))
        except StopIteration:
            raise RuntimeError("no response is left") from None
"""
BY_SUBCLASS = """
import copy

class FakeProvider(FakeModelProvider):
    def __init__(self, responses):
        self.mine = [copy.deepcopy(one) for one in responses]

    async def complete(self, request, signal=None):
        if signal:
            signal.throw_if_aborted()
        if not self.mine:
            raise ResponsesExhausted(1, 0, None)
        return copy.deepcopy(self.mine.pop(0))
"""


@pytest.mark.parametrize("code", [BY_ITERATOR, BY_SUBCLASS])
def test_other_right_providers_are_accepted(code):
    said = report(ch07.PROVIDER, code)
    assert said.solved, said.text()


LEAKS = """
import copy

class FakeProvider:
    def __init__(self, responses):
        self.left = iter(copy.deepcopy(list(responses)))

    async def complete(self, request, signal=None):
        if signal is not None:
            signal.throw_if_aborted()
        return copy.deepcopy(next(self.left))
"""


def test_a_stop_iteration_that_leaks_is_no_clear_end():
    assert "raise one that says why" in str(reasons(ch07.PROVIDER, LEAKS))


def test_a_clear_end_may_have_a_stop_iteration_as_its_cause():
    code = BY_ITERATOR.replace("except StopIteration:", "except StopIteration as end:").replace("from None", "from end")
    assert report(ch07.PROVIDER, code).solved


def test_an_adapter_that_is_async_is_told_that_nothing_waits():
    said = report(ch07.ADAPTER, ch07.ADAPTER.solution.replace("def from_acme", "async def from_acme")).text()
    assert "nothing waits here, so write `def from_acme(data)`" in said


def test_a_test_that_is_not_async_is_refused_at_the_start():
    said = report(ch07.WRITE_THE_TEST, "def check_provider(make): ...").text()
    assert "write `async def check_provider(make)`" in said

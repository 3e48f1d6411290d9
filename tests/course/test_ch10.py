"""Chapter 10: what its exercises say, and right solutions that look different."""

import pytest

from minagent_lab.course import ch10
from minagent_lab.course.report import report_on
from minagent_lab.providers.failures import error_of_status


def report(exercise, code):
    return report_on(exercise, exercise.made_by(code))


def reasons(exercise, code):
    return {line.sentence: line.reason for line in report(exercise, code).lines if not line.passed}


def test_the_solution_classifies_every_status_as_the_package_does():
    classify = ch10.CLASSIFY.made_by(ch10.CLASSIFY.solution)
    for status in range(400, 600):
        assert type(classify(status, "x", "no")) is error_of_status(status), status


FORGOTTEN_ASYNC = """
def retrying(provider, request, attempts, sleep):
    for number in range(1, attempts + 1):
        try:
            return provider.complete(request)
        except ProviderError as error:
            if not error.retryable or number == attempts:
                raise
        sleep(0.5)
"""


def test_a_retry_that_is_not_async_is_told_so_first():
    found = reasons(ch10.RETRYING, FORGOTTEN_ASYNC)
    assert found
    assert set(found.values()) == {ch10.PLAIN}
    assert "`async def`, and `return await`" in ch10.PLAIN


@pytest.mark.parametrize(
    ("old", "new"), [("await sleep(wait)", "sleep(wait)"), ("await sleep(wait)", "await asyncio.sleep(wait)")]
)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_a_wait_that_nobody_notes_is_told_by_which_sleep_to_wait(old, new):
    code = "import asyncio\n" + ch10.RETRYING.solution.replace(old, new)
    found = reasons(ch10.RETRYING, code)
    for line in ("waits double", "the service is believed"):
        assert "wait by the `sleep` that you were given, and await it" in found[line]
    assert len(found) == 2
    assert "_Played" not in report(ch10.RETRYING, code).text()


BY_RECURSION = """
async def retrying(provider, request, attempts, sleep, wait=0.5):
    try:
        return await provider.complete(request)
    except ProviderError as error:
        if attempts <= 1 or not error.retryable:
            raise
        await sleep(wait if error.retry_after is None else error.retry_after)
    return await retrying(provider, request, attempts - 1, sleep, wait * 2)
"""
BY_RETRYING = """
def retrying(provider, request, attempts, sleep):
    return Retrying(provider, attempts, sleep=sleep, jitter=lambda: 0).complete(request)
"""


@pytest.mark.parametrize(
    "code", [BY_RECURSION, BY_RETRYING, BY_RETRYING.replace("def ", "async def ").replace("return ", "return await ")]
)
def test_other_right_owners_are_accepted(code):
    said = report(ch10.RETRYING, code)
    assert said.solved, said.text()


BY_SIMULATION = """
def requests_seen(layers, failures, retryable=True):
    sent = 0

    def ask(left):
        nonlocal sent
        if not left:
            sent += 1
            return sent > failures
        for _ in range(left[0]):
            if ask(left[1:]):
                return True
            if not retryable:
                return False
        return False

    ask(layers)
    return sent
"""


def test_a_simulation_of_the_layers_is_accepted():
    assert report(ch10.LAYERS, BY_SIMULATION).solved


def test_a_number_of_requests_is_whole():
    found = reasons(ch10.LAYERS, ch10.LAYERS.solution.replace("most = 1\n", "most = 1.0\n"))
    assert "it gave 3.0; a number of requests is an int" in found["one layer sends its attempts"]


@pytest.mark.parametrize(
    ("exercise", "code", "line"),
    [
        (ch10.CLASSIFY, "async def classify(status, code, message): ...", "`def classify(status, code, message)`"),
        (ch10.LAYERS, "async def requests_seen(layers, failures): ...", "`def requests_seen(layers, failures)`"),
        (ch10.WRITE_THE_TEST, "def check_wrapper(wrap): ...", "`async def check_wrapper(wrap)`"),
    ],
)
def test_what_is_async_by_mistake_or_forgot_to_be_is_told_the_line_to_write(exercise, code, line):
    assert line in report(exercise, code).text()

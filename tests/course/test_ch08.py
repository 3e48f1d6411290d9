"""Chapter 08: what its exercises say, and right solutions that look different."""

import pytest

from minagent_lab.course import ch08
from minagent_lab.course.report import report_on


def report(exercise, code):
    return report_on(exercise, exercise.made_by(code))


def reasons(exercise, code):
    return {line.sentence: line.reason for line in report(exercise, code).lines if not line.passed}


HEAD = """
class Careful:
    def __init__(self, script, before):
        self.script, self.before = list(script), before

    async def complete(self, request, signal=None):
        if signal is not None:
            signal.throw_if_aborted()
        await my_wait(self.before(request), signal)
        return self.script.pop(0)
"""
MY_WAIT = """
async def my_wait(awaitable, signal):
    task = asyncio.ensure_future(awaitable)
    leave = signal.on_abort(task.cancel) if signal else lambda: None
    try:
        return await task
    except asyncio.CancelledError:
        if signal:
            signal.throw_if_aborted()
        raise
    finally:
        leave()
"""
BY_AN_EVENT = """
async def my_wait(awaitable, signal):
    if signal is None:
        return await awaitable
    stop = asyncio.Event()
    leave = signal.on_abort(stop.set)
    both = [asyncio.ensure_future(awaitable), asyncio.ensure_future(stop.wait())]
    try:
        await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
        if both[0].done():
            return both[0].result()
        signal.throw_if_aborted()
    finally:
        leave()
        for task in both:
            task.cancel()
"""
ONE_AFTER_THE_OTHER = HEAD.replace(
    "list(script), before", "list(script), before\n        self.lock = asyncio.Lock()"
).replace(
    "        await my_wait(self.before(request), signal)\n        return self.script.pop(0)\n",
    "        async with self.lock:\n"
    "            await abortable(self.before(request), signal)\n            return self.script.pop(0)\n",
)


@pytest.mark.parametrize("code", [MY_WAIT + HEAD, BY_AN_EVENT + HEAD, ONE_AFTER_THE_OTHER], ids=["my", "event", "lock"])
def test_other_right_waits_are_accepted(code):
    said = report(ch08.CAREFUL, code)
    assert said.solved, said.text()


def test_who_polls_is_told_that_the_model_still_thinks():
    polls = next(mutant for mutant in ch08.CAREFUL.mutants if mutant.name == "looks again and again")
    found = reasons(ch08.CAREFUL, ch08.CAREFUL.solution.replace(polls.old, polls.new))
    assert len(found) == 1
    assert "the model still thinks, for nobody" in found["during: the model stops thinking too"]


def test_who_does_not_wait_is_told_so_before_the_task_is_cancelled():
    code = ch08.CAREFUL.solution.replace("        await abortable(self.before(request), signal)\n", "")
    assert (
        "it had ended before `task.cancel()`" in reasons(ch08.CAREFUL, code)["task.cancel() goes on as CancelledError"]
    )


def test_a_call_that_is_not_async_is_told_the_line_to_write():
    said = report(ch08.CAREFUL, ch08.CAREFUL.starter.replace("async def", "def").replace("await ", "")).text()
    assert "in the contract it is `async def complete(self, request, signal=None)`" in said


PREFILLED = """
STOPPED = '{"error": "stopped while it ran"}'
NOT_RUN = '{"error": "not run"}'

async def use_tools(calls, registry, signal):
    contents = dict.fromkeys((call.id for call in calls), NOT_RUN)
    try:
        for call in calls:
            signal.throw_if_aborted()
            contents[call.id] = STOPPED
            contents[call.id] = (await abortable(registry.ause(call.name, call.arguments), signal)).content
    except AbortError:
        pass
    return [Message("tool", content, tool_call_id=id) for id, content in contents.items()]
"""


def test_a_dict_that_is_filled_beforehand_is_accepted():
    said = report(ch08.USE_TOOLS, PREFILLED)
    assert said.solved, said.text()


BY_TURNS = """
async def check_provider(Provider):
    gate, ann, bob = asyncio.Event(), AbortController(), AbortController()
    provider = Provider(["first", "second"], before=lambda request: gate.wait())
    waiting = asyncio.create_task(provider.complete(request, ann.signal))
    await asyncio.sleep(0)
    ann.abort()
    for _ in range(5):
        await asyncio.sleep(0)
    assert waiting.done() and isinstance(waiting.exception(), AbortError)
    gate.set()
    try:
        assert not await provider.complete(request, ann.signal)
    except Exception as error:
        assert isinstance(error, AbortError)
    try:
        assert (await provider.complete(request, bob.signal)).message.content == "first"
    except AbortError:
        raise AssertionError("Ann's signal stopped Bob's call") from None
"""


def test_a_test_that_lets_the_loop_turn_is_accepted():
    said = report(ch08.WRITE_THE_TEST, BY_TURNS)
    assert said.solved, said.text()


@pytest.mark.parametrize(
    ("exercise", "code", "line"),
    [
        (
            ch08.USE_TOOLS,
            "def use_tools(calls, registry, signal): ...",
            "`async def use_tools(calls, registry, signal)`",
        ),
        (ch08.WRITE_THE_TEST, "def check_provider(Provider): ...", "`async def check_provider(Provider)`"),
    ],
)
def test_a_forgotten_async_is_told(exercise, code, line):
    assert line in report(exercise, code).text()

import asyncio

import pytest

from minagent_lab.observe.clock import TickingClock


def test_each_look_is_one_step_later():
    clock = TickingClock(step=0.1)
    assert [clock() for _ in range(11)][-1] == 1.0


def test_it_can_start_anywhere():
    clock = TickingClock(step=2, start=10)
    assert (clock(), clock()) == (10, 12)


def test_sleeping_moves_it_and_takes_no_time():
    clock = TickingClock(step=0)
    asyncio.run(clock.sleep(3600))
    assert (clock(), clock.slept) == (3600, [3600])


@pytest.mark.parametrize("wrong", ["1", None, True, float("nan"), float("inf")])
def test_a_step_that_is_no_number_is_refused(wrong):
    with pytest.raises(TypeError, match=r"step is .*; it is a number of seconds"):
        TickingClock(step=wrong)


def test_a_clock_does_not_go_back():
    with pytest.raises(ValueError, match="step is -1; a clock goes forward"):
        TickingClock(step=-1)


def test_it_shows_what_the_next_look_will_be():
    clock = TickingClock()
    clock()
    assert repr(clock) == "<TickingClock: 1 s>"

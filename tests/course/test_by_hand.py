"""What uses the package's own answer, where the exercise is to write it, is told so."""

import functools

import pytest

from minagent_lab.course.by_hand import by_hand
from minagent_lab.course.exercise import made
from minagent_lab.course.running import attempted
from minagent_lab.observe import counting
from minagent_lab.observe.counting import tally_of
from minagent_lab.observe.counting import tally_of as renamed
from minagent_lab.providers.sse import EventReader

TEST = by_hand(tally_of, EventReader)
READER = EventReader()


def plainly(outcomes):
    return tally_of(outcomes)


def under_another_name(outcomes):
    return renamed(outcomes)


def through_its_module(outcomes):
    return counting.tally_of(outcomes)


def imported_inside(outcomes):
    from minagent_lab.observe.counting import tally_of as counted

    return counted(outcomes)


def in_a_function_of_its_own(outcomes):
    return plainly(outcomes)


def in_a_function_inside(outcomes):
    def inner():
        return tally_of(outcomes)

    return inner()


def in_a_comprehension(outcomes):
    return [tally_of(each) for each in outcomes]


def an_object_that_is_there(pieces):
    return [READER.feed(piece) for piece in pieces]


def in_what_it_closes_over():
    count = tally_of

    def counted(outcomes):
        return count(outcomes)

    return counted


class AsAClass:
    def __call__(self, outcomes):
        return tally_of(outcomes)


class Helper:
    def count(self, outcomes):
        return tally_of(outcomes)


def through_a_class(outcomes):
    return Helper().count(outcomes)


@functools.wraps(plainly)
def wrapped(*args):
    return plainly(*args)


async def while_waiting(outcomes):
    return tally_of(outcomes)


def calls_itself(outcomes):
    return calls_itself(outcomes) or plainly(outcomes)


USING = [
    *(plainly, under_another_name, through_its_module, imported_inside, in_a_function_of_its_own, in_a_function_inside),
    *(in_a_comprehension, an_object_that_is_there, in_what_it_closes_over(), AsAClass(), through_a_class, wrapped),
    *(while_waiting, calls_itself, functools.partial(plainly, []), tally_of),
]


@pytest.mark.parametrize("thing", USING, ids=lambda thing: getattr(thing, "__name__", type(thing).__name__))
def test_what_uses_the_answer_is_told_so_politely(thing):
    problem = attempted(TEST, thing).problem
    assert "is the answer that the package has; here you write it yourself" in problem
    assert problem.startswith(("`tally_of`", "`EventReader`"))


def by_itself(outcomes):
    words = list(outcomes)
    return len(words), words.count("passed")


def with_a_word_of_the_same_sound(outcomes):
    tally_of = list(outcomes)
    tally_of.append("passed")
    return len(tally_of)


def with_a_field_like_a_name_that_is_there(request):
    return request.READER


def again(outcomes):
    return again(outcomes)


@pytest.mark.parametrize(
    "thing", [by_itself, with_a_word_of_the_same_sound, with_a_field_like_a_name_that_is_there, again, len, 3, None]
)
def test_what_does_not_use_it_passes(thing):
    assert attempted(TEST, thing).problem is None


def test_a_learners_own_function_of_the_same_name_is_its_own():
    code = "def tally_of(words): return len(words)\ndef tally(words): return tally_of(words)"
    assert attempted(TEST, made(code, thing="tally")).problem is None

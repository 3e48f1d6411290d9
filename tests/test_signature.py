import functools
import math

import pytest

from minagent_lab.signature import Signature


def problems(func, arguments, told=()):
    return Signature(func, "func").problems(dict.fromkeys(arguments, 1), told)


class Shop:
    def order(self, item, count=1):
        return item, count

    @classmethod
    def open(cls, day):
        return day

    @staticmethod
    def close(day):
        return day

    def __call__(self, question):
        return question


@pytest.mark.parametrize(
    ("func", "needs", "takes"),
    [
        (lambda a, b=1: a, "a", "b"),
        (lambda *, a, b=1: a, "a", "b"),
        (lambda *rest, a: a, "a", ""),
        (functools.partial(lambda a, b: a, 1), "b", ""),
        (functools.partial(lambda a, b: a, b=1), "a", "b"),
        (Shop().order, ["item"], ["count"]),
        (Shop.open, ["day"], ""),
        (Shop.close, ["day"], ""),
        (Shop(), ["question"], ""),
        (Shop, "", ""),
        (functools.lru_cache(lambda a: a), "a", ""),
    ],
)
def test_what_is_needed_and_what_is_taken_follow_from_the_function(func, needs, takes):
    assert problems(func, [*needs, *takes]) == []
    assert problems(func, needs) == []
    assert problems(func, takes) == ([f"missing: {', '.join(needs)}"] if needs else [])
    assert problems(func, [*needs, "extra", "more"]) == ["unexpected: extra, more"]


@pytest.mark.parametrize("func", [lambda **rest: rest, lambda a=1, **rest: rest])
def test_a_function_with_keywords_takes_anything(func):
    assert problems(func, ["x", "y"]) == []


def test_an_async_function_is_looked_at_like_any_other():
    async def fetch(url):
        return url

    assert problems(fetch, []) == ["missing: url"]


def test_a_builtin_that_does_not_tell_its_signature_takes_anything():
    class Silent:
        __signature__ = "none"

        def __call__(self, **held):
            return held

    assert problems(Silent(), ["x"]) == []


@pytest.mark.parametrize(("func", "name"), [(len, "obj"), (math.sqrt, "x"), (str.upper, "self")])
def test_a_function_that_wants_a_position_is_refused_with_the_wrapper_to_write(func, name):
    with pytest.raises(
        ValueError, match=rf"func takes '{name}' by position only.*wrap it: lambda {name}: ...\({name}\)"
    ):
        Signature(func, "func")


def test_a_position_with_a_default_is_no_reason_to_refuse():
    def add(a=1, /, b=2):
        return a + b

    assert problems(add, ["b"]) == []
    assert problems(add, ["a"]) == ["unexpected: a"]


def test_what_was_told_before_is_not_told_again():
    assert problems(lambda a, b: a, [], told=["a"]) == ["missing: b"]

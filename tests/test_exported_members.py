import asyncio
import importlib
import inspect
import pkgutil
import re
import types

import pytest
from lab import adder, call

import minagent_lab
from minagent_lab import (
    AskModel,
    Budget,
    Expect,
    FakeModel,
    FakeModelProvider,
    Growth,
    History,
    Message,
    ModelRequest,
    ModelResponse,
    PriceTable,
    Retrying,
    RunTool,
    Stepper,
    TickingClock,
    ToolResult,
    Trace,
    TraceView,
    arun,
    open_run,
    run,
)


@pytest.mark.parametrize("name", minagent_lab.__all__)
def test_every_exported_name_is_there_and_described(name):
    member = getattr(minagent_lab, name)

    assert inspect.getdoc(member)
    assert member.__module__.startswith("minagent_lab.")


def test_nothing_else_is_public():
    public = {
        name
        for name, member in vars(minagent_lab).items()
        if not name.startswith("_") and not isinstance(member, types.ModuleType)
    }

    assert public - {"Any", "TYPE_CHECKING", "annotations"} <= set(minagent_lab.__all__)
    assert dir(minagent_lab) == sorted(minagent_lab.__all__)


def test_the_names_are_in_order_and_each_stands_once():
    assert sorted(set(minagent_lab.__all__)) == minagent_lab.__all__


def test_a_name_that_is_not_there_is_an_ordinary_attribute_error():
    with pytest.raises(AttributeError, match="module 'minagent_lab' has no attribute 'rum'"):
        minagent_lab.rum


def test_every_module_says_what_it_is_for():
    names = [found.name for found in pkgutil.walk_packages(minagent_lab.__path__, "minagent_lab.")]

    assert len(names) > 15
    for name in names:
        if name != "minagent_lab.__main__":
            assert importlib.import_module(name).__doc__, name


def public_things():
    model = FakeModel([[call()], Expect("5", request=lambda request: True), "left"])
    walk = Stepper(FakeModel([[call()], "5"]), adder(), "x")
    walk.run_to_end()
    result = run(model, adder(), "x")
    with pytest.raises(RuntimeError) as error:
        run(FakeModel([]), adder(), "x")
    trace = Trace(clock=TickingClock())
    asyncio.run(arun(FakeModelProvider([[call()], "5"]), adder(), "x", trace=trace))
    opened = open_run(trace)
    return [
        AskModel(History(), []),
        Budget(steps=1),
        Growth(1, 1, 1, 1, 1),
        Message("user", "Hi"),
        ModelRequest([], adder().schemas()),
        ModelResponse(Message("assistant", "Hi")),
        PriceTable({"small-1": {"input": 1, "output": 2}}),
        Retrying(FakeModelProvider([])),
        RunTool(call()),
        TickingClock(),
        ToolResult("5"),
        TraceView(trace),
        adder(),
        error.value,
        model,
        model.calls,
        model.script,
        opened,
        opened.model,
        opened.registry,
        opened.turns,
        result,
        result.messages,
        result.steps,
        trace,
        trace.events,
        trace.spans(),
        walk,
        walk.growth,
        walk.result,
        walk.turns,
        walk.waiting,
    ]


def test_what_things_show_of_themselves_holds_no_address():
    for thing in public_things():
        assert not re.search(r"\bat 0x[0-9a-f]+", repr(thing)), repr(thing)


def test_what_things_show_of_themselves_is_the_same_every_time():
    assert [repr(thing) for thing in public_things()] == [repr(thing) for thing in public_things()]

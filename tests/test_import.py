import os
import pathlib
import subprocess
import sys

import minagent_lab

ROOT = pathlib.Path(minagent_lab.__file__).parents[1]


def python(code):
    """Run code in a fresh Python where a warning is an error; return what it printed."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        cwd=ROOT,
        env={name: value for name, value in os.environ.items() if not name.startswith("PYTHON")},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    return done.stdout


def test_importing_it_prints_nothing_and_warns_of_nothing():
    assert python("import minagent_lab") == ""


def test_importing_it_loads_nothing_heavy():
    heavy = {"ipywidgets", "anywidget", "matplotlib", "numpy", "fastjsonschema", "asyncio", "IPython", "traitlets"}
    loaded = python("import minagent_lab, sys; print(*{name.partition('.')[0] for name in sys.modules})").split()

    assert "minagent_lab" in loaded
    assert heavy.isdisjoint(loaded)


def test_looking_at_its_names_loads_nothing_heavy():
    assert python("import minagent_lab, sys; dir(minagent_lab); print('ipywidgets' in sys.modules)") == "False\n"


def test_a_whole_run_needs_no_heavy_module_but_the_schema_check():
    code = """
import sys
from minagent_lab import FakeModel, Stepper, Tool, ToolCall, ToolRegistry
registry = ToolRegistry()
registry.add(Tool("add", "", {"type": "object"}, lambda a, b: a + b))
Stepper(FakeModel([[ToolCall("c1", "add", {"a": 1, "b": 2})], "3"]), registry, "x").run_to_end()
print([name for name in ("fastjsonschema", "ipywidgets", "matplotlib", "numpy", "asyncio") if name in sys.modules])
"""
    assert python(code) == "['fastjsonschema']\n"


def test_importing_it_leaves_the_process_as_it_was():
    code = """
import builtins, json, locale, logging, os, random, signal, sys, threading, warnings

def state():
    return (
        dict(os.environ), os.getcwd(), sys.getrecursionlimit(), sys.get_int_max_str_digits(), list(sys.path),
        sys.excepthook, sys.displayhook, sys.stdout, sys.stderr, sys.getdefaultencoding(), warnings.filters[:],
        logging.root.handlers[:], logging.root.level, locale.getlocale(), random.getstate(), set(vars(builtins)),
        signal.getsignal(signal.SIGINT), threading.active_count(), json.JSONEncoder.default, sys.gettrace(),
    )

before = state()
import minagent_lab
print(state() == before)
"""
    assert python(code) == "True\n"


def test_importing_every_module_of_it_warns_of_nothing_and_leaves_loops_figures_and_loggers_as_they_were():
    code = """
import asyncio, importlib, logging, pkgutil, sys
import matplotlib, minagent_lab

def state():
    look = [(name, dict.__getitem__(matplotlib.rcParams, name)) for name in matplotlib.rcParams]
    loops = [asyncio.run, asyncio.sleep, dict(vars(asyncio.BaseEventLoop)), dict(vars(asyncio.Task))]
    return look, loops, logging.root.handlers[:], logging.root.level, logging.lastResort

before = state()
for found in pkgutil.walk_packages(minagent_lab.__path__, "minagent_lab."):
    if not found.name.endswith("__main__"):
        importlib.import_module(found.name)
print(state() == before, "matplotlib.pyplot" in sys.modules)
"""
    assert python(code) == "True False\n"


def test_two_runs_in_two_processes_print_the_same():
    code = """
from minagent_lab import FakeModel, Tool, ToolCall, ToolRegistry, run
registry = ToolRegistry()
strict = {"type": "object", "additionalProperties": {"type": "number"}}
registry.add(Tool("t", "", strict, lambda **held: set(held)))
wrong = {name: name for name in "hgfedcba"}
calls = [ToolCall("c1", "t", wrong), ToolCall("c2", "t", dict.fromkeys(wrong, 1))]
print(run(FakeModel([calls, "ok"]), registry, "x").messages)
"""
    assert python(code) == python(code)

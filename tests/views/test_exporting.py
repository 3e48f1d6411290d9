import json
import re

import pytest

from minagent_lab import FakeModel, Stepper, StepperView, Tool, ToolCall, ToolRegistry
from minagent_lab.views.exporting import LONGEST, export, free_name

from .runs import RUNS, add, finished, shop
from .test_html import Reader

SECRET = "correct horse battery"


@pytest.mark.parametrize("suffix", [".json", ".md", ".html"])
@pytest.mark.parametrize("name", RUNS)
def test_every_run_can_be_written_in_every_form(name, suffix, tmp_path):
    walk = finished(name)
    text = export(walk, tmp_path / f"run{suffix}").read_text(encoding="utf-8")
    assert len(re.findall("Call [0-9]+ of at most" if suffix != ".json" else '"call": ', text)) >= len(walk.turns)
    assert "0x" not in text


def test_the_json_tells_all_and_each_message_once(tmp_path):
    walk = finished("two turns")
    data = json.loads(export(walk, tmp_path / "run.json").read_text(encoding="utf-8"))
    assert (data["prompt"], data["status"], len(data["calls"])) == ("2 + 3?", "completed", 3)
    assert [len(call["new_messages"]) for call in data["calls"]] == [row.new for row in walk.growth]
    assert data["calls"][0]["answer"]["tool_calls"] == [{"id": "c1", "name": "add", "arguments": {"a": 2, "b": 3}}]
    assert data["calls"][2]["answer"]["content"] == "5"
    assert data["end"]["text"] == "5"


def test_what_was_said_cannot_break_out_of_its_fence(tmp_path):
    walk = Stepper(FakeModel(["```\n# not a heading\n````"]), ToolRegistry(), "x")
    walk.run_to_end()
    text = export(walk, tmp_path / "run.md").read_text(encoding="utf-8")
    assert "`````text\n```\n# not a heading\n````\n`````" in text


def test_the_page_asks_no_network_and_escapes_all_text(tmp_path):
    attack = '<img src="http://x.example/a" onerror=alert(1)></script><script>alert(2)</script>'
    walk = Stepper(FakeModel([[ToolCall("<i>", "<b>", {"x": attack})], attack], name=attack), shop(), attack)
    walk.run_to_end()
    page = export(walk, tmp_path / "run.html").read_text(encoding="utf-8")
    tags = Reader(page).tags
    assert {"img", "link", "iframe", "base", "i"}.isdisjoint(tags)
    assert page.count("<script>") == 1
    assert "url(" not in page
    assert "@import" not in page
    assert "default-src 'none'" in page


@pytest.mark.parametrize("suffix", [".json", ".md", ".html"])
def test_secrets_do_not_get_into_a_file(suffix, tmp_path):
    registry = ToolRegistry()
    registry.add(Tool("look", "", {"type": "object"}, lambda **_: print(SECRET) or f"it is {SECRET}"))
    key = "sk-FAKE0000000000000000"
    walk = Stepper(
        FakeModel([[ToolCall("c1", "look", {"key": key, "path": "/home/alice/x"})], f"{SECRET} & {key}"], SECRET),
        registry,
        f"Use {SECRET}",
        system=f"Say {key}",
    )
    walk.run_to_end()
    text = export(walk, tmp_path / f"run{suffix}", secrets=[SECRET]).read_text(encoding="utf-8")
    assert SECRET not in text
    assert key not in text
    assert "alice" not in text
    assert "redacted:secret-1" in text
    assert walk.prompt == f"Use {SECRET}"


def test_ids_that_are_redacted_alike_stay_apart_and_paired(tmp_path):
    ids = ["sk-FAKE0000000000000001", "sk-FAKE0000000000000002"]
    walk = Stepper(FakeModel([[add(id) for id in ids], "5"]), shop(), "x")
    walk.run_to_end()
    data = json.loads(export(walk, tmp_path / "run.json").read_text(encoding="utf-8"))
    asked = [call["id"] for call in data["calls"][0]["answer"]["tool_calls"]]
    assert asked == [result["id"] for result in data["calls"][0]["results"]]
    assert len(set(asked)) == 2


def test_what_ended_the_run_is_redacted_too(tmp_path):
    class Leaky:
        def complete(self, messages, tools):
            raise ConnectionError(f"the key {SECRET} was refused")

    walk = Stepper(Leaky(), ToolRegistry(), "x")
    walk.run_to_end()
    for suffix in (".json", ".md", ".html"):
        text = export(walk, tmp_path / f"run{suffix}", secrets=[SECRET]).read_text(encoding="utf-8")
        assert SECRET not in text
        assert "was refused" in text


def test_a_long_run_is_capped_in_the_page(tmp_path):
    script = [[add(f"c{n}")] for n in range(300)]
    walk = Stepper(FakeModel([*script, "x" * 500_000]), shop(), "y" * 500_000, max_steps=400)
    walk.run_to_end()
    page = export(walk, tmp_path / "run.html")
    assert page.stat().st_size < 700_000
    assert "101 calls left out here" in page.read_text(encoding="utf-8")
    markdown = export(walk, tmp_path / "run.md").read_text(encoding="utf-8")
    assert "x" * (LONGEST + 1) not in markdown


def test_long_arguments_and_what_was_printed_are_cut_in_the_page(tmp_path):
    registry = ToolRegistry()
    registry.add(Tool("say", "Say", {"type": "object"}, lambda **_: print("p" * 500_000)))
    call = ToolCall("c1", "say", {"text": "y" * 500_000, "more": ["z" * 500_000]})
    walk = Stepper(FakeModel([[call], "done"]), registry, "go")
    walk.run_to_end()
    page = export(walk, tmp_path / "run.html")
    assert page.stat().st_size < 200_000
    assert "cut here, 1,000,0" in page.read_text(encoding="utf-8")
    assert len(export(walk, tmp_path / "run.json").read_text(encoding="utf-8")) > 1_500_000


def test_a_run_that_was_not_begun_can_be_written(tmp_path):
    walk = Stepper(FakeModel(["x"]), ToolRegistry(), "hi")
    for suffix in (".json", ".md", ".html"):
        assert export(walk, tmp_path / f"run{suffix}").stat().st_size > 50
    assert walk.turns == ()


@pytest.mark.parametrize("name", ["run", "run.pdf", "run.json.txt"])
def test_another_suffix_is_refused_with_those_that_there_are(name, tmp_path):
    with pytest.raises(ValueError, match=r"has to end in .json, .md, .html"):
        export(finished("an answer"), tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_it_wants_a_stepper(tmp_path):
    with pytest.raises(TypeError, match="pass a Stepper"):
        export("run", tmp_path / "run.json")


def test_a_view_never_overwrites_what_it_wrote(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    view = StepperView(finished("an answer"))
    view.open_pane("export")
    for button in [*view.panes["export"].buttons.values()] * 2:
        button.click()
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        f"run-{number}.{kind}" for number in (1, 2) for kind in ("html", "json", "md")
    ]
    assert "run-2.json" in view.panes["export"].said.value
    view.close()


def test_a_folder_that_cannot_be_written_to_is_said_in_the_view(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("minagent_lab.views.exporting.write_whole", lambda *_: (_ for _ in ()).throw(OSError("full")))
    view = StepperView(finished("an answer"))
    view.open_pane("export")
    view.panes["export"].buttons[".md"].click()
    assert "OSError: full" in view.panel.frame["now"]
    view.close()


def test_half_a_character_can_be_written(tmp_path):
    class Odd:
        def complete(self, messages, tools):
            raise ValueError("half \ud800 pair")

    walk = Stepper(Odd(), ToolRegistry(), "x")
    walk.run_to_end()
    for suffix in (".json", ".md", ".html"):
        assert "ud800" in export(walk, tmp_path / f"run{suffix}").read_text(encoding="utf-8")


def test_a_free_name_is_numbered_upwards(tmp_path):
    (tmp_path / "run-1.md").touch()
    (tmp_path / "run-1.json").touch()
    assert free_name(tmp_path, "run", ".md").name == "run-2.md"

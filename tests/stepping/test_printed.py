import threading

from lab import registry, tool

from minagent_lab import FakeModel, Stepper, ToolCall
from minagent_lab.stepping.printed import MOST, Printed


def test_what_a_tool_prints_is_kept_with_its_call_and_still_printed(capsys):
    def look(word):
        print(f"looking for {word}")
        return word

    calls = [ToolCall("c1", "look", {"word": "tea"}), ToolCall("c2", "look", {"word": "milk"})]
    walk = Stepper(FakeModel([calls, "done"]), registry(tool(look, name="look")), "x")
    walk.run_to_end()
    assert walk.turns[0].printed == (("c1", "looking for tea\n"), ("c2", "looking for milk\n"))
    assert walk.turns[1].printed == ()
    assert capsys.readouterr().out == "looking for tea\nlooking for milk\n"


def test_what_a_model_prints_is_kept_without_an_id(capsys):
    class Loud(FakeModel):
        def complete(self, messages, tools):
            print("thinking")
            return super().complete(messages, tools)

    walk = Stepper(Loud(["done"]), registry(), "x")
    walk.forward()
    assert walk.turns[0].printed == (("", "thinking\n"),)
    assert capsys.readouterr().out == "thinking\n"


def test_what_is_printed_before_an_error_is_kept(capsys):
    def broken():
        print("so far")
        raise ValueError("no")

    walk = Stepper(
        FakeModel([[ToolCall("c1", "broken", {})], "done"]),
        registry(tool(broken, name="broken")),
        "x",
    )
    walk.forward()
    assert walk.turns[0].printed == (("c1", "so far\n"),)


def test_much_output_is_cut_and_says_so(capsys):
    printed = Printed()
    with printed.by("c1"):
        print("x" * (MOST + 4))
    assert printed.heard[0][1].endswith("xxx… (5 characters more)")
    assert printed.heard[0][1].count("x") == MOST
    assert len(capsys.readouterr().out) == MOST + 5


def test_what_another_thread_prints_meanwhile_is_not_mixed_in(capsys):
    printed = Printed()
    with printed.by("c1"):
        other = threading.Thread(target=print, args=("elsewhere",))
        other.start()
        other.join()
    assert printed.heard == []
    assert capsys.readouterr().out == "elsewhere\n"

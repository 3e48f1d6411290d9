"""tools/notebooks.py: what it runs, what it writes, what it refuses. Most rules are asked of one executed notebook."""

import json
import sys
import tempfile
from pathlib import Path

import nbformat
import pytest

from tools import notebooks as tool

VIEW = tool.WIDGET_VIEW
MESSY_SOURCES = [
    "import os, sys; print('中文', os.path.basename(os.getcwd()))",
    "print('a'); print('b'); sys.stdout.flush(); print('c')",
    f"""from IPython.display import display
display({{'{VIEW}': {{'model_id': '1'}}, 'text/plain': 'a widget'}}, raw=True, metadata={{'a': 1}})
display({{'{VIEW}': {{'model_id': '2'}}}}, raw=True)""",
    """display({'image/png': 'iVBORw0KGgo=', 'text/plain': 'a figure'}, raw=True,
        metadata={'image/png': {'alt': 'One bar.', 'width': 300}})""",
    "sys.executable == os.environ['THE_PYTHON']",
]


def code(source="1", **more):
    """Return a code cell as JSON."""
    return {"cell_type": "code", "metadata": {}, "source": source, "outputs": [], "execution_count": None, **more}


def text(source="Text", **more):
    """Return a markdown cell as JSON."""
    return {"cell_type": "markdown", "metadata": {}, "source": source, **more}


def save(path, *cells, metadata=(), minor=5):
    """Write a notebook as some editor might have left it."""
    notebook = {"nbformat": 4, "nbformat_minor": minor, "metadata": dict(metadata), "cells": list(cells)}
    path.write_text(json.dumps(notebook), encoding="utf-8")
    return path


def normal(*cells):
    """Return the notebook of these cells, normalised but not run."""
    notebook = nbformat.from_dict({"nbformat": 4, "nbformat_minor": 4, "metadata": {}, "cells": list(cells)})
    tool.normalise(notebook, "03")
    return notebook


def refused(output, folder):
    """Return what is said about a cell with this output."""
    return list(tool.complaints(nbformat.from_dict({"cells": [text(), code(outputs=[output])]}), folder))


def printed(words, name="stdout"):
    """Return a piece of a stream."""
    return {"output_type": "stream", "name": name, "text": words}


@pytest.fixture(scope="module")
def messy(tmp_path_factory):
    """A notebook with everything to be tidied, executed once; and the file's bytes after each of two runs.

    The machine's own kernel ``python3`` is a broken one meanwhile.
    """
    folder = tmp_path_factory.mktemp("chapters")
    kernel = folder / "share" / "kernels" / "python3"
    kernel.mkdir(parents=True)
    (kernel / "kernel.json").write_text('{"argv": ["no-such-python"], "display_name": "x", "language": "python"}')
    cells = [text(metadata={"editable": True}), *map(code, MESSY_SOURCES)]
    cells[1]["metadata"] = {"tags": ["b", "a", "b"], "slideshow": {"slide_type": "slide"}, "collapsed": True}
    path = save(folder / "03_messy.ipynb", *cells, metadata={"widgets": {}, "kernelspec": {"name": "mine"}}, minor=4)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("JUPYTER_PATH", str(folder / "share"))
        patch.setenv("THE_PYTHON", sys.executable)
        assert tool.main([str(path)]) == 0
        first = path.read_bytes()
        assert tool.main([str(path)]) == 0
    return json.loads(first), first, path.read_bytes()


def outputs(messy, number):
    """Return the outputs of the messy notebook's code cell `number`, from 1."""
    return messy[0]["cells"][number]["outputs"]


def test_running_it_twice_changes_nothing(messy):
    assert messy[1] == messy[2]


def test_the_working_directory_is_the_notebooks_folder(messy):
    assert outputs(messy, 1)[0]["text"][0].startswith("中文 chapters")


def test_the_kernel_is_this_python_whatever_the_machine_calls_python3(messy):
    assert outputs(messy, 5)[0]["data"]["text/plain"] == ["True"]


def test_pieces_of_one_stream_become_one(messy):
    assert outputs(messy, 2) == [printed(["a\n", "b\n", "c\n"])]


def test_widget_views_go_and_their_text_stays(messy):
    assert [output["data"] for output in outputs(messy, 3)] == [{"text/plain": ["a widget"]}]


def test_output_metadata_goes_but_for_the_alt_text(messy):
    assert outputs(messy, 3)[0]["metadata"] == {}
    assert outputs(messy, 4)[0]["metadata"] == {"image/png": {"alt": "One bar."}}


def test_counts_go_from_1_to_n_also_in_results(messy):
    counts = [cell["execution_count"] for cell in messy[0]["cells"] if cell["cell_type"] == "code"]
    assert counts == [1, 2, 3, 4, 5]
    assert outputs(messy, 5)[0]["execution_count"] == 5


def test_notebook_metadata_is_kernel_and_language_only(messy):
    assert messy[0]["metadata"] == {
        "kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }


def test_cell_metadata_is_slideshow_and_sorted_tags_only(messy):
    assert messy[0]["cells"][0]["metadata"] == {}
    assert messy[0]["cells"][1]["metadata"] == {"slideshow": {"slide_type": "slide"}, "tags": ["a", "b"]}


def test_the_format_is_4_5_with_an_id_per_cell(messy):
    assert (messy[0]["nbformat"], messy[0]["nbformat_minor"]) == (4, 5)
    assert [cell["id"] for cell in messy[0]["cells"]] == ["03-01", "03-02", "03-03", "03-04", "03-05", "03-06"]


def test_the_file_is_utf8_with_lf_indented_by_one_and_ends_with_a_newline(messy):
    content = messy[1].decode("utf-8")
    assert "中文" in content
    assert "\r" not in content
    assert content.startswith('{\n "cells": [\n')
    assert content.endswith("}\n")
    assert not content.endswith("\n\n")


def test_nothing_is_left_beside_the_file(tmp_path):
    tool.write(tmp_path / "a.ipynb", "{}\n")
    assert [path.name for path in tmp_path.iterdir()] == ["a.ipynb"]


def test_valid_unique_ids_are_kept_and_the_others_derived():
    cells = normal(text(id="mine"), code(id="not valid"), text(id="mine"), code(), text(id="03-04")).cells
    assert [cell.id for cell in cells] == ["mine", "03-02", "03-03", "03-04-2", "03-04"]


def test_two_streams_are_not_merged_with_each_other():
    pieces = [printed("a"), printed("b", "stderr"), printed("c"), printed("d")]
    assert [piece.text for piece in normal(code(outputs=pieces)).cells[0].outputs] == ["a", "b", "cd"]


def test_transient_data_goes():
    output = {"output_type": "display_data", "data": {"text/plain": "x"}, "metadata": {}, "transient": {"a": 1}}
    assert "transient" not in normal(code(outputs=[output])).cells[0].outputs[0]


@pytest.mark.parametrize(
    "shown",
    [
        pytest.param("<A at 0x7f3a5c0d>", id="address"),
        pytest.param(str(Path.home() / "x"), id="home"),
        pytest.param(f"file://{tempfile.gettempdir()}/x", id="temporary folder in a URL"),
        pytest.param(repr(str(Path.cwd())), id="working directory in a repr"),
        pytest.param(sys.prefix, id="Python"),
    ],
)
def test_what_differs_from_machine_to_machine_is_refused(shown, tmp_path):
    (message,) = refused(printed(shown), tmp_path)
    assert message.startswith("cell 2 shows a")


def test_the_notebooks_own_folder_is_refused_also_in_html_and_json(tmp_path):
    data = {"text/html": f"<b>{tmp_path}</b>", "application/json": {"at": [str(tmp_path)]}, "image/png": "0xabcdef12"}
    messages = refused({"output_type": "display_data", "data": data, "metadata": {}}, tmp_path)
    assert len(messages) == 2


@pytest.mark.parametrize(
    "shown", ["0xff", "a/b", pytest.param(f"http://host{tempfile.gettempdir()}", id="end of a URL"), "/"]
)
def test_what_only_looks_like_it_is_fine(shown, tmp_path):
    assert refused(printed(shown), tmp_path) == []


def test_a_failing_cell_stops_the_run_and_leaves_the_file(tmp_path, capsys):
    cells = [text(), code("def f():\n    return 1 / 0"), code("x = 1\nf()  # 错"), code("open('ran', 'w')")]
    path = save(tmp_path / "01_bad.ipynb", *cells)
    before = path.read_bytes()
    assert tool.main([str(path)]) == 1
    assert path.read_bytes() == before
    assert not (tmp_path / "ran").exists()
    message = "cell 3, line 2: f()  # 错\n    ZeroDivisionError: division by zero\n"
    assert capsys.readouterr().out == f"FAILED     {path}\n  {message}"


def test_a_syntax_error_names_its_line_too(tmp_path, capsys):
    assert tool.main([str(save(tmp_path / "01_bad.ipynb", code("x = 1\nif x")))]) == 1
    assert "cell 1, line 2: if x\n    SyntaxError" in capsys.readouterr().out


def test_an_error_is_a_failure_even_where_a_tag_allows_it(tmp_path):
    path = save(tmp_path / "01_bad.ipynb", code("1 / 0", metadata={"tags": ["raises-exception"]}))
    assert tool.main([str(path)]) == 1


def test_stderr_is_a_failure_and_leaves_the_file(tmp_path, capsys):
    path = save(tmp_path / "01_loud.ipynb", code("import warnings; warnings.warn('old')"))
    before = path.read_bytes()
    assert tool.main([str(path)]) == 1
    assert path.read_bytes() == before
    assert "cell 1 writes to stderr" in capsys.readouterr().out


def test_check_names_what_would_change_and_writes_nothing(tmp_path, capsys):
    path = save(tmp_path / "01_old.ipynb", code("1"))
    before = path.read_bytes()
    assert tool.main(["--check", str(path)]) == 1
    assert path.read_bytes() == before
    assert f"CHANGES    {path}" in capsys.readouterr().out


def test_check_is_content_with_a_normal_notebook_and_another_machines_picture(tmp_path, capsys):
    show = "from IPython.display import display\ndisplay({'image/png': 'iVBORw0KGgo='}, raw=True)"
    path = save(tmp_path / "01_new.ipynb", code(show))
    assert tool.main([str(path)]) == 0
    path.write_bytes(path.read_bytes().replace(b"iVBORw0KGgo=", b"iVBORw0KGgoAAAA="))
    assert tool.main(["--check", str(path)]) == 0
    assert capsys.readouterr().out == f"written    {path}\nunchanged  {path}\n"


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"nbformat": 3, "metadata": {}, "cells": []}'])
def test_what_is_no_notebook_of_this_format_is_refused(content, tmp_path, capsys):
    path = tmp_path / "01_x.ipynb"
    path.write_text(content)
    assert tool.main([str(path)]) == 1
    assert capsys.readouterr().out.startswith(f"FAILED     {path}\n")


def test_a_bom_is_read_and_not_written(tmp_path):
    path = save(tmp_path / "01_bom.ipynb", text(id="a"))
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert tool.render(tool.read(path)).startswith("{")


def test_wrong_arguments_have_an_exit_code_of_their_own(tmp_path, capsys):
    with pytest.raises(SystemExit) as stop:
        tool.main([str(tmp_path / "missing.ipynb")])
    assert stop.value.code == 2
    assert "not a notebook" in capsys.readouterr().err

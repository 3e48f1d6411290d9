import pytest

from minagent_lab import expect_error


def test_the_expected_error_is_printed_and_goes_no_further(capsys):
    with expect_error(ValueError):
        raise ValueError("除零")

    assert capsys.readouterr().out == "ValueError: 除零\n"


def test_a_child_of_the_expected_error_is_expected_too(capsys):
    with expect_error(LookupError):
        {}["coffee"]

    assert capsys.readouterr().out == "KeyError: 'coffee'\n"


def test_a_block_without_an_error_fails(capsys):
    with (
        pytest.raises(AssertionError, match="was expected to raise ValueError, and it raised nothing"),
        expect_error(ValueError),
    ):
        pass

    assert capsys.readouterr().out == ""


def test_another_error_comes_through(capsys):
    with pytest.raises(KeyError), expect_error(ValueError):
        raise KeyError("x")

    assert capsys.readouterr().out == ""

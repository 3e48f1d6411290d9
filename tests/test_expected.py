import pytest

from minagent_lab import expect_error


def test_the_expected_error_is_printed_and_goes_no_further(capsys):
    with expect_error(ValueError):
        raise ValueError("除零")

    assert capsys.readouterr().out == "ValueError: 除零\n"


def test_the_error_is_kept_for_a_closer_look(capsys):
    with expect_error(KeyError) as expected:
        assert expected.error is None
        {}["coffee"]

    assert isinstance(expected.error, KeyError)
    assert expected.error.args == ("coffee",)
    assert repr(expected) == "<Expected KeyError: 'coffee'>"


def test_before_there_is_an_error_it_says_what_it_waits_for():
    with pytest.raises(AssertionError), expect_error(KeyError) as expected:
        pass

    assert repr(expected) == "<Expected KeyError, which did not come yet>"


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

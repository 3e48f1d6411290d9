import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minagent_lab.providers.retry_after import read_retry_after

NOW = 1796053557.0  # Mon, 30 Nov 2026 15:45:57 GMT


@pytest.fixture(params=["Asia/Shanghai", "UTC", "America/New_York"])
def anywhere(request, monkeypatch):
    monkeypatch.setenv("TZ", request.param)
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("2", 2.0),
        (" 2 ", 2.0),
        ("0", 0.0),
        ("Mon, 30 Nov 2026 15:46:00 GMT", 3.0),
        ("Monday, 30-Nov-26 15:46:00 GMT", 3.0),
        ("Mon Nov 30 15:46:00 2026", 3.0),
        ("Mon, 30 Nov 2026 23:46:00 +0800", 3.0),
        ("Mon, 30 Nov 2026 15:45:00 GMT", 0.0),
        ("Mon Nov 30 15:45:00 2026", 0.0),
        *[(text, None) for text in ("-1", "nan", "inf", "soon", "1e9", "2.5", "", "２", "9" * 5000, "+2", "0x2")],
    ],
)
def test_seconds_and_dates_mean_the_same_wherever_one_is_and_the_rest_is_not_guessed_at(anywhere, header, seconds):
    assert read_retry_after({"retry-after": header}, NOW) == seconds


def test_where_no_header_is_there_is_no_wait():
    assert read_retry_after({}, NOW) is None


def test_the_finer_header_goes_first_where_it_is_one():
    assert read_retry_after({"retry-after-ms": "1500", "retry-after": "2"}, NOW) == 1.5
    assert read_retry_after({"retry-after-ms": "soon", "retry-after": "2"}, NOW) == 2.0


@given(
    st.text() | st.from_regex(r"\A[A-Z][a-z]{2},? [0-9]{1,9} [A-Z][a-z]{2} [0-9]{1,9} [0-9:]{1,9}( [A-Z+-]{0,3})?\Z")
)
def test_whatever_the_header_holds_the_answer_is_a_wait_or_none(text):
    waits = read_retry_after({"retry-after": text}, NOW)
    assert waits is None or 0 <= waits < 1e12

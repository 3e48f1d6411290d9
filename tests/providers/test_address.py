import pytest

from minagent_lab import ConfigurationError
from minagent_lab.providers.address import check_base_url, is_loopback


@pytest.mark.parametrize(
    "url",
    [
        *("", " ", "localhost:8000/v1", "a.example", "ftp://a.example", "file:///etc", 5, None),
        *("http://", "http:///v1", "http://a:b/", "http://a:99999", "http://a b", "http://[::1"),
    ],
)
def test_a_url_that_can_not_work_is_refused_with_an_example(url):
    with pytest.raises(ConfigurationError, match="write it as in http://localhost:8000/v1"):
        check_base_url(url, ())


def test_what_the_sdk_adds_itself_is_not_to_be_copied_along():
    with pytest.raises(ConfigurationError, match="leave out /chat/completions"):
        check_base_url("https://a.example/v1/chat/completions/", ("/chat/completions",))


def test_a_password_in_a_url_is_not_shown():
    with pytest.raises(ConfigurationError) as refused:
        check_base_url("http//me:hush-hush@a.example", ())
    assert "hush" not in str(refused.value)


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST.", "a.localhost", "127.0.0.1", "127.9.9.9", "[::1]"])
def test_this_machine_is_known_by_all_its_names(host):
    assert is_loopback(f"http://{host}:8000/v1")


@pytest.mark.parametrize("host", ["localhost.example", "127.0.0.1.example", "10.0.0.1", "0.0.0.0", "[::2]", "", "me@a"])
def test_other_machines_are_not_this_one(host):
    assert not is_loopback(f"http://{host}/v1")

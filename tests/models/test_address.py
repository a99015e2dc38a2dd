"""Base URLs, keys and proxies as people write them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memopt.errors import ModelError
from memopt.models.address import proxy_for, read_base_url, read_key, redact


@pytest.mark.parametrize(
    ("written", "url"),
    [
        ("http://127.0.0.1:8000/v1", "http://127.0.0.1:8000/v1"),
        ("http://127.0.0.1:8000/v1/", "http://127.0.0.1:8000/v1"),
        ("http://127.0.0.1:8000/v1//", "http://127.0.0.1:8000/v1"),
        (" http://127.0.0.1:8000/v1 \n", "http://127.0.0.1:8000/v1"),
        ("http://127.0.0.1:8000/v1/chat/completions", "http://127.0.0.1:8000/v1"),
        ("http://127.0.0.1:8000/v1/chat/completions/", "http://127.0.0.1:8000/v1"),
        ("http://127.0.0.1:8000/v1/models", "http://127.0.0.1:8000/v1"),
        ("http://127.0.0.1:8000//v1", "http://127.0.0.1:8000/v1"),
        ("http://127.0.0.1:8000", "http://127.0.0.1:8000/v1"),
        ("http://127.0.0.1:8000/", "http://127.0.0.1:8000/v1"),
        ("127.0.0.1:8000/v1", "http://127.0.0.1:8000/v1"),
        ("localhost:11434", "http://localhost:11434/v1"),
        ("//localhost/v1", "http://localhost/v1"),
        ("[::1]:8000", "http://[::1]:8000/v1"),
        ("192.168.1.5/v1", "http://192.168.1.5/v1"),
        ("api.example.com", "https://api.example.com/v1"),
        ("http:/localhost:1/v1", "http://localhost:1/v1"),
        ("http:localhost/v1", "http://localhost/v1"),
        ("HTTPS://API.Example.com/v1", "https://api.example.com/v1"),
        ('"http://localhost:1/v1"', "http://localhost:1/v1"),
        ("\ufeffhttp://localhost:1/v1\u200b", "http://localhost:1/v1"),
        ("https://openrouter.ai/api/v1", "https://openrouter.ai/api/v1"),
        ("https://generativelanguage.googleapis.com/v1beta/openai/", "https://generativelanguage.googleapis.com/v1beta/openai"),
        ("http://user:hunter2secret@localhost:1/v1", "http://localhost:1/v1"),
        ("https://x.example/v1?api-version=2024", "https://x.example/v1"),
    ],
)
def test_a_base_url_is_understood_as_it_is_written(written, url):
    address = read_base_url(written)
    assert address is not None and address.url == url


@pytest.mark.parametrize("blank", [None, "", "  ", "\n", "\u200b", '""'])
def test_a_blank_base_url_is_none(blank):
    assert read_base_url(blank) is None


@pytest.mark.parametrize(
    "wrong", ["ftp://x/v1", "http://", "http:///v1", "http://a b/v1", "http://x:99999/v1", "file:///etc/passwd", "http://[::1/v1"]
)
def test_a_base_url_that_is_none_is_explained_in_one_line(wrong):
    with pytest.raises(ModelError, match=r"should look like http://") as caught:
        read_base_url(wrong)
    assert "\n" not in str(caught.value)


def test_credentials_in_a_wrong_base_url_are_not_shown_nor_chained():
    with pytest.raises(ModelError) as caught:
        read_base_url("http://user:hunter2secret:99999/v1")
    error: BaseException | None = caught.value
    while error is not None:
        assert "hunter2" not in repr(error)
        error = error.__cause__ or error.__context__
    address = read_base_url("http://user:hunter2secret@localhost/v1?key=querysecret")
    assert "secret" not in repr(address).replace("[secret]", "")


@given(st.text(max_size=40))
def test_any_text_is_a_base_url_or_an_explanation(text):
    try:
        address = read_base_url(text)
    except ModelError as error:
        assert "\n" not in str(error)
    else:
        again = address and read_base_url(address.url)
        assert address is None or (again and again.url == address.url)


@pytest.mark.parametrize("key", ["k\n", "sk-1\n2", "clé-secret", "sk-a sk-b", "\x00abc", "sk-“quoted”"])
def test_a_key_that_no_header_takes_is_refused_without_showing_it(key):
    with pytest.raises(ModelError, match="OPENAI_API_KEY") as caught:
        read_key(key, "OPENAI_API_KEY")
    assert key.strip() not in str(caught.value).replace("OPENAI_API_KEY holds a line break", "").replace("key", "")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("blank", [None, "", "  ", "\n"])
def test_a_blank_key_is_none(blank):
    assert read_key(blank, "OPENAI_API_KEY") is None


def test_a_key_is_not_seen_by_accident():
    secret = read_key(" sk-verysecret ", "OPENAI_API_KEY")
    assert secret is not None and secret.reveal() == "sk-verysecret"
    assert "verysecret" not in f"{secret} {secret!r} {[secret]}"


@pytest.mark.parametrize(
    ("url", "environ", "expected"),
    [
        ("http://api.example/v1", {}, None),
        ("http://api.example/v1", {"HTTP_PROXY": "http://p:1"}, ("HTTP_PROXY", "http://p:1")),
        ("https://api.example/v1", {"HTTP_PROXY": "http://p:1"}, None),
        ("https://api.example/v1", {"https_proxy": "p:1"}, ("https_proxy", "http://p:1")),
        ("https://api.example/v1", {"ALL_PROXY": "socks5h://p:1"}, ("ALL_PROXY", "socks5h://p:1")),
        ("http://127.0.0.1:1/v1", {"ALL_PROXY": "socks5h://p:1"}, None),
        ("http://localhost:1/v1", {"HTTP_PROXY": "http://"}, None),
        ("http://10.1.2.3/v1", {"HTTP_PROXY": "p:1", "NO_PROXY": "10.0.0.0/8"}, None),
        ("http://10.1.2.3/v1", {"HTTP_PROXY": "p:1", "NO_PROXY": "10.1.2.3"}, None),
        ("http://api.example/v1", {"HTTP_PROXY": "p:1", "NO_PROXY": "*"}, None),
        ("http://api.example/v1", {"HTTP_PROXY": "p:1", "no_proxy": "other, .example"}, None),
        ("http://api.example/v1", {"HTTP_PROXY": "p:1", "no_proxy": "*.example"}, None),
        ("http://api.example/v1", {"HTTP_PROXY": "p:1", "no_proxy": "api.example:80"}, None),
        ("http://api.example/v1", {"HTTP_PROXY": "p:1", "no_proxy": "api.example:81"}, ("HTTP_PROXY", "http://p:1")),
        ("http://myapi.example/v1", {"HTTP_PROXY": "p:1", "no_proxy": "api.example"}, ("HTTP_PROXY", "http://p:1")),
        ("http://[fd00::1]/v1", {"HTTP_PROXY": "p:1", "no_proxy": "fd00::1"}, None),
    ],
)
def test_the_environment_says_which_proxy_is_used(url, environ, expected):
    assert proxy_for(url, environ) == expected


@pytest.mark.parametrize("value", ["http://", "://", "gopher://x:1", "http://x:notaport", "http://a b:1"])
def test_a_proxy_that_is_none_is_named_by_its_variable(value):
    with pytest.raises(ModelError, match="HTTP_PROXY"):
        proxy_for("http://api.example/v1", {"HTTP_PROXY": value})


def test_secrets_are_cut_out_of_messages_and_words_stay():
    key = "my-very-own-key-0123456789"
    for text in (f"wrong key {key}.", f"wrong key {key[:10]}...", f"wrong key ****{key[-9:]}", f"Bearer {key}"):
        cut = redact(text, [key])
        assert key[:8] not in cut and key[-8:] not in cut
    assert redact("Incorrect API key: sk-proj-ab***xyz", []) == "Incorrect API key: [key]"
    assert redact("http://ollama:11434 basic needs", ["ollama"]) == "http://ollama:11434 basic needs"

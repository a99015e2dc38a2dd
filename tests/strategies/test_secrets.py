"""Secrets are found by their shape, their check digits or the sentence that tells them, and are never shown."""

import itertools
import string

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memopt.strategies.secrets import CARDS, SECRETS, Finding, find, masked

TAIL = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("User's password is hunter2", "hunter2"),
        ('Netflix password: "correct horse battery staple"', "correct horse battery staple"),
        ("The password is swordfish.", "swordfish"),
        ("password for the router at home is Zx9-kkl2", "Zx9-kkl2"),
        ("Wi-Fi password hunter22!x", "hunter22!x"),
        ("She uses hunter2 as her password", "hunter2"),
        ("User changed the password to Tr0ub4dor&3", "Tr0ub4dor&3"),
        ("His login is tom / pass: Zebra!99", "Zebra!99"),
        ("用户的密码是abc12345。", "abc12345"),
        ("密码：hunter2", "hunter2"),
        ("Passwort für das WLAN ist Sonne2024", "Sonne2024"),
        ("mot de passe : soleil42", "soleil42"),
        ("su contraseña es perro123", "perro123"),
        ("пароль: qwerty12", "qwerty12"),
        ("パスワードは hunter2 です", "hunter2"),
        ("DB_PASSWORD=s3cr3tpw", "s3cr3tpw"),
        ('{"password": "hunter2"}', "hunter2"),
        ("User's PIN is 4821", "4821"),
        ("CVV is 123", "123"),
        ("The door code is 4711#", "4711"),
        ("Access code for the gate: 55-12", "55-12"),
        ("API key is a8f5f167f44f4964e6c998dee827110c", "a8f5f167f44f4964e6c998dee827110c"),
        ('The wifi key is "blue-house-77"', "blue-house-77"),
        ("postgresql://me:p4ssw0rd@db.example.org/x", "p4ssw0rd"),
        ("https://tom:it's@me@host.example", "it's@me"),
        ("Authorization: Bearer abcdef0123456789abcdef", "abcdef0123456789abcdef"),
        (
            "her seed phrase is abandon ability able about above absent absorb abstract absurd abuse access accident",
            "abandon ability able about above absent absorb abstract absurd abuse access accident",
        ),
    ],
)
def test_secrets_that_a_sentence_tells_are_found(text: str, secret: str) -> None:
    (found,) = find(text)
    assert found.group == SECRETS
    assert secret in text[found.start : found.end]
    assert secret not in masked(text)


@pytest.mark.parametrize(
    "key",
    [
        f"ghp_{TAIL}",
        f"github_pat_{TAIL}",
        f"glpat-{TAIL[:20]}",
        "AKIA" + "Q3EXAMPL7TESTKEY",
        f"xoxb-1234567890-{TAIL}",
        f"sk_live_{TAIL[:24]}",
        f"sk-{TAIL}",
        f"sk-proj-{TAIL}_{TAIL}",
        f"sk-ant-api03-{TAIL}-{TAIL}",
        f"AIza{(TAIL * 2)[:35]}",
        f"123456789:AA{TAIL[:33]}",
        f"hf_{TAIL[:34]}",
        f"npm_{TAIL}",
        f"SG.{TAIL[:22]}.{TAIL}",
        f"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.{TAIL}",
        "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1r\nZXk=\n-----END OPENSSH PRIVATE KEY-----",
        "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqh",
        f"AGE-SECRET-KEY-1{'QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L' * 2}",
    ],
)
@pytest.mark.parametrize("around", ["{}", "User stored {}.", "key=({}), see below", "钥匙：{}。"])
def test_keys_are_known_by_the_shape_their_issuer_gave_them(key: str, around: str) -> None:
    text = around.format(key)
    hidden = masked(text)
    assert find(text)
    assert not any(key[at : at + 8] in hidden for at in range(len(key) - 8))


@pytest.mark.parametrize(
    "number",
    [
        "4111 1111 1111 1111",
        "4111-1111-1111-1111",
        "4111111111111111",
        "4242\u00a04242\u00a04242\u00a04242",
        "3782 822463 10005",
        "5555.5555.5555.4444",
        "2223 0031 2200 3222",
        "6011111111111117",
        "3056 9309 0259 04",
        "3530111333300000",
        "6200000000000005",
        "4111１１１１11111111",
    ],
)
@pytest.mark.parametrize("around", ["{}", "Card number {}, exp 12/27 123", "pays with {}!", "信用卡号：{}", "{} 12/27 123"])
def test_card_numbers_are_known_by_issuer_and_check_digit(number: str, around: str) -> None:
    text = around.format(number)
    (found,) = find(text)
    assert found.group == CARDS and text[found.start : found.end] == number
    digits = "".join(str(int(ch)) for ch in number if ch.isdigit())
    assert found.name == f"a card number ending in {digits[-4:]}"
    assert digits[:8] not in "".join(str(int(ch)) for ch in masked(text) if ch.isdigit())


def test_two_cards_are_two() -> None:
    assert masked("4000 0000 0000 0002 and 4242424242424242") == (
        "[a card number ending in 0002] and [a card number ending in 4242]"
    )


@pytest.mark.parametrize(
    "iban",
    [
        "DE89 3704 0044 0532 0130 00",
        "DE89370400440532013000",
        "de89370400440532013000",
        "GB29 NWBK 6016 1331 9268 19",
        "NO93 8601 1117 947",
        "MT84 MALT 0110 0001 2345 MTLC AST0 01S",
        "FR14-2004-1010-0505-0001-3M02-606",
    ],
)
@pytest.mark.parametrize("around", ["{}", "IBAN {}", "pays from {} each month", "账号 {}。"])
def test_ibans_are_known_by_length_and_check_digits(iban: str, around: str) -> None:
    text = around.format(iban)
    (found,) = find(text)
    assert found.group == CARDS and text[found.start : found.end] == iban


@pytest.mark.parametrize("text", ["credit card 4111 1111 1111 1112", "IBAN DE00 1234 SECRETWORD"])
def test_what_is_called_a_card_or_an_iban_is_one_with_a_wrong_digit_too(text: str) -> None:
    (found,) = find(text)
    assert found.group == CARDS


@pytest.mark.parametrize(
    "text",
    """The password is required.
User forgot her password
The password is stored in 1Password
The password is too short
User's password is 12 characters long
password expires in 90 days
User wants passwords to be at least 16 characters
The API key is stored in .env
User's favourite token is ETH
The secret is patience
User has a pin with a rose
User's pin code is 560001, Bangalore address
Order number 4111111111111111
ISBN 9780306406157
IMEI 490154203237518
Call +49 170 1234567 at 9:00
timestamp 1748736000000
1200 1300 1400 1500
4 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1
4111 1111 1111 1112
0000 0000 0000 0000
DE89 3704 0044 0532 0130 01
password is case-sensitive
password: ********
password: <password>
API_KEY=your-api-key-here-123
postgres://user:password@localhost/db
postgres://me:${DB_PASSWORD}@host/db
export TOKEN=${TOKEN}
sk-xxxxxxxxxxxxxxxxxxxxxxxx
User uses a password manager: Bitwarden
User prefers token-based auth with JWT
sk-loading-spinner-circle-large-blue
The access code is sent by SMS
User says the password is on a sticky note
token limit is 8192
context of 128000 tokens
密码是必填项
用户忘记了密码
密码是生日加名字缩写
secret santa is on 2025-12-20
AB12 CD34 are her favourite seats
User's license key is valid until 2027-01-01
User ran commit 9f8e7d6c5b4a3210ffee9f8e7d6c5b4a3210ffee
uuid bf87d5e0-7809-511d-9a67-e74466334c99
User wants a passwordless login""".split("\n"),
)
def test_what_only_speaks_of_secrets_or_looks_like_a_number_of_another_kind_is_none(text: str) -> None:
    assert find(text) == ()
    assert masked(text) is text


def test_a_name_never_tells_more_than_four_characters_of_the_secret() -> None:
    for text in ("password is Zebra!99", "card 4242424242424242", "IBAN DE89370400440532013000", f"ghp_{TAIL}"):
        for found in find(text):
            secret = text[found.start : found.end]
            assert not any(secret[at : at + 5] in found.name for at in range(len(secret) - 4))


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=80), st.sampled_from(["password is hunter2", "4242 4242 4242 4242", f"ghp_{TAIL}"]), st.text(max_size=80))
def test_findings_lie_in_the_text_in_order_and_apart(before: str, secret: str, after: str) -> None:
    text = f"{before} {secret} {after}"
    found = find(text)
    assert all(isinstance(item, Finding) and 0 <= item.start < item.end <= len(text) for item in found)
    assert all(one.end <= two.start for one, two in itertools.pairwise(found))
    assert find(text) == found


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet=string.ascii_lowercase + " .,", max_size=60), st.text(string.ascii_lowercase + " .,", max_size=60))
def test_a_token_is_found_in_any_prose(before: str, after: str) -> None:
    assert TAIL not in masked(f"{before} ghp_{TAIL} {after}")


@pytest.mark.parametrize(
    "text",
    [
        "a" * 200_000,
        "password " * 20_000,
        "1 " * 50_000,
        "DE12" * 20_000,
        "is " * 30_000 + "password",
        "x://" * 20_000,
        "'" * 20_000 + " as his password",
        "seed phrase is " + "abc " * 20_000,
        "4111 " * 20_000,
    ],
)
def test_a_long_text_is_read_to_its_end(text: str) -> None:
    """In time about linear in its length; a pattern that backtracks would not come to an end here."""
    assert TAIL not in masked(f"{text} ghp_{TAIL}")

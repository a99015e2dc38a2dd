"""Foreign text cannot steer the terminal, nor hide from the eye; what belongs to how a script is written stays."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memopt.cli.safe import native_path, repaired, visible

FORBIDDEN = {
    chr(code)
    for codes in (range(0x20), range(0x7F, 0xA0), range(0x202A, 0x202F), range(0x2066, 0x206A), range(0x2028, 0x202A))
    for code in codes
} | set("\u200b\u200e\u200f\ufeff\u061c\xad")


@given(st.text(st.characters(codec=None), max_size=40))
def test_no_control_override_invisible_or_lone_surrogate_gets_through(text):
    shown = visible(text)
    assert not FORBIDDEN & set(shown)
    shown.encode("utf-8")  # a lone surrogate would raise
    kept_lines = visible(text, lines=True)
    assert not (FORBIDDEN - {"\n"}) & set(kept_lines)


@given(
    st.text(
        st.characters(
            codec="utf-8", categories=["L", "N", "P", "S", "Zs"], exclude_characters="\u3164\uffa0\u115f\u1160\u17b4\u17b5\xad"
        ),
        max_size=30,
    )
)
def test_readable_text_is_left_as_it_is(text):
    shown = visible(text)
    assert shown == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("hi\x1b]0;pwned\x07", "hi\\x1b]0;pwned\\x07"),
        ("a\rb\b\x85c\u202edcba", "a\\x0db\\x08\\x85c\\u202edcba"),
        ("a\nb\tc", "a\\x0ab\\x09c"),
        ("zero\u200bwidth\ufeff", "zero\\u200bwidth\\ufeff"),
        ("\udcff", "\\udcff"),
        ("tag\U000e0041\U000e007f", "tag\\U000e0041\\U000e007f"),
        ("a\u200db", "a\\u200db"),
        ("a\ufe0f", "a\\ufe0f"),
    ],
)
def test_escapes_are_readable(text, shown):
    assert visible(text) == shown


@pytest.mark.parametrize(
    "text",
    [
        "family 👩‍👩‍👧‍👦, heart ❤️, keycap 1️⃣, rainbow 🏳️‍🌈, runner 🏃🏽‍♀️, man ❤️‍🔥",
        "England 🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f!",
        "می‌خواهم",  # Persian with a zero-width non-joiner
        "क्‍ष",  # Devanagari with a zero-width joiner
        "Zürich 日本語 zu\u0308rich",
        "[/b] :smile: [link=http://x]y[/link] \\n",
    ],
)
def test_what_a_script_is_written_with_stays(text):
    assert visible(text) == text


def test_the_lines_and_tabs_of_a_memory_are_shown_as_such():
    assert visible("a\r\nb\n\tc\x0b", lines=True) == "a\nb\n    c\\x0b"
    assert visible("a\rb", lines=True) == "a\\x0db"  # alone it would overwrite the line


def test_an_argument_that_was_read_as_ascii_is_repaired():
    wrong = "Zoë 日本".encode().decode("ascii", "surrogateescape")
    assert repaired(wrong) == "Zoë 日本"
    latin = "Zo\udceb"
    assert repaired(latin) == latin
    assert native_path("/tmp/ü") == "/tmp/ü"


def test_unprintable_categories_are_the_ones_escaped():
    for code in range(0x110000):
        char = chr(code)
        if unicodedata.category(char) in ("Cc", "Cs") or (
            unicodedata.category(char) == "Cf"
            and char not in "\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd"
            and not 0x13430 <= code <= 0x1345F
            and not 0x1BCA0 <= code <= 0x1BCA3
        ):
            assert visible(char) != char, hex(code)

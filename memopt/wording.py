"""Wording that every kind of output shares: foreign text shown harmlessly, numbers and plurals.

Foreign text is shown harmlessly: nothing that a memory, an id or a path holds may steer the terminal or hide from the eye.

Escaped (as ``\\x1b``, ``\\u202e``, ``\\U000e0041``): C0 and C1 controls, DEL, bidirectional overrides and isolates, zero-width
and other invisible format characters, tag characters, line and paragraph separators, lone surrogates. Kept: the joiners and
variation selectors that emoji sequences and the Arabic and Indic scripts are written with, where they stand in one.
"""

from __future__ import annotations

import re
from functools import cache

TAB = "    "

_TAG_BASE = 0x1F3F4  # the black flag, which carries the tag sequences of England, Scotland and Wales
_TAG_END = 0xE007F


@cache
def _suspicious() -> re.Pattern[str]:
    return re.compile(
        "[\x00-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164"
        "\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ud800-\udfff\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
    )


def escape(character: str) -> str:
    """The visible form of one character."""
    code = ord(character)
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def visible(text: str, *, lines: bool = False) -> str:
    """The text with everything that is not harmless shown as an escape.

    Args:
        lines: keep line breaks (``\\n``, and ``\\r\\n`` as one) and show a tab as blanks: for the text of a memory. Else both are
            escaped too: for ids, names and paths, which stand on one line.
    """
    if lines and ("\r\n" in text or "\t" in text):
        text = text.replace("\r\n", "\n").replace("\t", TAB)
    if text.isascii() and text.isprintable():
        return text

    def show(match: re.Match[str]) -> str:
        character = match.group()
        if (character == "\n" and lines) or _belongs(text, match.start()):
            return character
        return escape(character)

    return _suspicious().sub(show, text)


def _belongs(text: str, at: int) -> bool:
    """Whether an invisible character is part of how a visible one is written."""
    code = ord(text[at])
    before = ord(text[at - 1]) if at else 0
    after = ord(text[at + 1]) if at + 1 < len(text) else 0
    if code in (0xFE0E, 0xFE0F):
        return _pictorial(before) or (chr(before) in "0123456789#*" and before != 0)
    if code == 0x200D:
        return ((_pictorial(before) or before == 0xFE0F) and _pictorial(after)) or (_joining(before) and _joining(after))
    if code == 0x200C:
        return _joining(before) and _joining(after)
    if 0xFE00 <= code <= 0xFE0D or 0xE0100 <= code <= 0xE01EF:
        return 0x3400 <= before <= 0x9FFF or 0xF900 <= before <= 0xFAFF or 0x20000 <= before <= 0x3FFFF
    if 0xE0020 <= code <= _TAG_END:
        start = at
        while start and 0xE0020 <= ord(text[start]) < _TAG_END:
            start -= 1
            if at - start > 7:
                return False
        if code == _TAG_END:
            start = at - 1
            while start >= 0 and at - start <= 7 and 0xE0020 <= ord(text[start]) < _TAG_END:
                start -= 1
        return start >= 0 and ord(text[start]) == _TAG_BASE
    return False


def _pictorial(code: int) -> bool:
    return (
        0x1F000 <= code <= 0x1FAFF
        or 0x2190 <= code <= 0x21FF
        or 0x2300 <= code <= 0x27BF
        or 0x2900 <= code <= 0x297F
        or 0x2B00 <= code <= 0x2BFF
        or code in (0xA9, 0xAE, 0x203C, 0x2049, 0x2122, 0x2139, 0x3030, 0x303D, 0x3297, 0x3299)
    )


def _joining(code: int) -> bool:
    # Arabic and its kin to Sinhala: scripts in which (non-)joiners between letters are ordinary spelling.
    return (0x0620 <= code <= 0x08FF and code != 0x061C) or 0x0900 <= code <= 0x0DFF


def number(value: int) -> str:
    """1234567 as 1,234,567."""
    return f"{value:,}"


def count(value: int, noun: str, plural: str | None = None) -> str:
    """``1 memory``, ``2 memories``."""
    return f"{number(value)} {noun if value == 1 else plural or noun + 's'}"


def applied_to(done: int, users: int) -> str:
    """``Applied to 3 users``, ``Applied to 2 of 3 users``, ``Applied to nobody``."""
    if done < users:
        return f"Applied to {number(done) if done else 'none'} of {count(users, 'user')}"
    return f"Applied to {count(users, 'user')}" if users else "Applied to nobody"


def user_name(user_id: str | None) -> str:
    """A user for the eye."""
    if user_id is None:
        return "(rows without a user)"
    if user_id != user_id.strip() or not user_id:
        what = " (an empty user id)" if not user_id else " (a blank user id)" if not user_id.strip() else ""
        return f'"{visible(user_id)}"{what}'  # else blanks could not be seen
    return visible(user_id)

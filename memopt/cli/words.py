"""What changed inside a text, word by word. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import Literal, TypeAlias

Part: TypeAlias = tuple[Literal["same", "removed", "added"], str]

MAX_WORDS = 3_000
"""Beyond so many words on either side, matching (quadratic at worst) is not tried: old text out, new text in."""


@cache
def _words() -> re.Pattern[str]:
    # A character of a script without blanks between words stands alone; numbers keep their separators.
    alone = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
    return re.compile(
        rf"[{alone}]|\d+(?:[.,:/-]\d+)*|[^\W{alone}\d]+(?:['’][^\W{alone}\d]+)*|\s+|[\U0001f000-\U0001faff\u2600-\u27bf\u200d\ufe0f\U0001f3fb-\U0001f3ff]+|.",
        re.DOTALL,
    )


def split_words(text: str) -> list[str]:
    """Words, numbers, runs of blanks, emoji sequences and single other characters, in order; joined they are the text."""
    return _words().findall(text)


def word_diff(before: str, after: str) -> list[Part]:
    """The parts that stayed, went and came, in reading order; neighbours of one kind are joined.

    The ``same`` and ``removed`` parts joined are ``before``; the ``same`` and ``added`` ones are ``after``.
    """
    if before == after:
        return [("same", before)] if before else []
    old, new = split_words(before), split_words(after)
    # What both begin and end with stays the same; difflib, which looks for the longest match first, may see it otherwise.
    start = _common(old, new)
    end = _common(old[start:][::-1], new[start:][::-1])
    head, tail = "".join(old[:start]), "".join(old[len(old) - end :])
    parts: list[Part] = [("same", head)] if head else []
    parts += _between(old[start : len(old) - end], new[start : len(new) - end])
    if tail:
        parts.append(("same", tail))
    return _joined(parts)


def _common(one: list[str], other: list[str]) -> int:
    place = 0
    for a, b in zip(one, other, strict=False):
        if a != b:
            break
        place += 1
    return place


def _between(old: list[str], new: list[str]) -> list[Part]:
    if not old or not new or len(old) > MAX_WORDS or len(new) > MAX_WORDS:
        whole: list[Part] = [("removed", "".join(old)), ("added", "".join(new))]
        return [part for part in whole if part[1]]

    from difflib import SequenceMatcher

    parts: list[Part] = []
    for tag, old_from, old_to, new_from, new_to in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "equal":
            parts.append(("same", "".join(old[old_from:old_to])))
            continue
        if old_from < old_to:
            parts.append(("removed", "".join(old[old_from:old_to])))
        if new_from < new_to:
            parts.append(("added", "".join(new[new_from:new_to])))
    return parts


def shortened_list(items: Sequence[str], most: int = 5) -> str:
    """The first few of a list, and how many more there are."""
    more = len(items) - most
    return ", ".join(items[:most]) + (f" and {more} more" if more > 0 else "")


def _joined(parts: list[Part]) -> list[Part]:
    """Join changes that only a blank separates, so that a phrase that was replaced reads as one."""
    out: list[Part] = []
    removed, added = "", ""

    def flush() -> None:
        nonlocal removed, added
        if removed:
            out.append(("removed", removed))
        if added:
            out.append(("added", added))
        removed = added = ""

    for place, (kind, text) in enumerate(parts):
        if kind == "removed":
            removed += text
        elif kind == "added":
            added += text
        elif text.isspace() and "\n" not in text and (removed and added) and place + 1 < len(parts):
            removed += text
            added += text
        else:
            flush()
            out.append(("same", text))
    flush()
    return out

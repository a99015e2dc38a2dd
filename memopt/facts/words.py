"""Words: cutting a text into them, folding, and light stemming."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import NamedTuple

from memopt.facts import lexicon

CJK = "\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003134f"
HANGUL = "\u1100-\u11ff\u3130-\u318f\uac00-\ud7af"
# Alphabetic scripts as ranges: \w would glue Chinese to Latin, and memories mix them in one sentence.
ALPHA = (
    "A-Za-z\u00aa\u00b5\u00ba\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u02ff\u0300-\u036f\u0370-\u0373\u0376-\u037d\u0386-\u03ff"
    "\u0400-\u052f\u0531-\u0587\u0591-\u05f4\u0610-\u06df\u06e5-\u06e8\u06ee-\u06ef\u06fa-\u06ff\u0710-\u07bf\u0900-\u0963"
    "\u0971-\u0dff\u0e01-\u0e4e\u0e80-\u10ff\u1e00-\u1fff\u2c60-\u2c7f\ua720-\ua7ff\ufb00-\ufb06"
)


class Token(NamedTuple):
    """One piece of the text as it stands: ``kind`` is word, cjk, hangul, number or mark (anything else that is not space)."""

    text: str
    start: int
    end: int
    kind: str


@cache
def _token_pattern() -> re.Pattern[str]:
    return re.compile(
        rf"(?P<word>[{ALPHA}]+(?:['’ʼ`\-‐‑][{ALPHA}]+)*)|(?P<cjk>[{CJK}]+)|(?P<hangul>[{HANGUL}]+)"
        r"|(?P<number>\d+(?:[.,:/]\d+)*)|(?P<mark>[^\s])"
    )


_token = tuple.__new__  # half of the time that a named tuple takes to be made by its name


def tokens(text: str) -> Iterator[Token]:
    """All tokens in order; spans index ``text``."""
    for found in _token_pattern().finditer(text):
        start, end = found.span()
        yield _token(Token, (found.group(), start, end, found.lastgroup or "mark"))


@lru_cache(maxsize=65536)
def fold(word: str) -> str:
    """NFKC, casefold, one kind of apostrophe and hyphen. Diacritics stay: they tell words apart."""
    if word.isascii():
        return word.casefold()
    plain = unicodedata.normalize("NFKC", word).casefold()
    return plain.replace("’", "'").replace("ʼ", "'").replace("‐", "-").replace("‑", "-")


@lru_cache(maxsize=65536)
def bare(word: str) -> str:
    """``fold`` without diacritics: José and Jose, Gdańsk and Gdansk. For finding, not for telling apart."""
    plain = fold(word)
    if plain.isascii():
        return plain
    for special, simple in (("ø", "o"), ("ł", "l"), ("đ", "d"), ("ı", "i"), ("æ", "ae"), ("œ", "oe"), ("ß", "ss")):
        plain = plain.replace(special, simple)
    marks = unicodedata.normalize("NFD", plain)
    if any("\u0300" <= ch <= "\u036f" for ch in marks):
        plain = "".join(ch for ch in marks if not "\u0300" <= ch <= "\u036f")
    return plain


_VOWELS = frozenset("aeiouy")


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """A light English stem of one word; words of other scripts come back bare.

    Cuts plural, third person, -ing, -ed, possessive and -ly, and evens out a final e or y. After Porter's step 1 (M. F. Porter,
    "An algorithm for suffix stripping", 1980), with a table of irregular forms in front.
    """
    plain = bare(word)
    if plain.endswith("'s"):
        plain = plain[:-2]
    plain = plain.strip("'")
    known = lexicon.IRREGULAR.get(plain)
    if known is not None:
        plain = known
    elif plain.isascii() and len(plain) > 3:
        plain = _strip(plain)
    if len(plain) > 3 and plain.isascii():
        if plain.endswith("e"):
            plain = plain[:-1]
        elif plain.endswith("y") and plain[-2] not in _VOWELS:
            plain = plain[:-1] + "i"
    return plain


def _strip(word: str) -> str:
    if word.endswith("ies") and len(word) > 4:
        word = word[:-3] + "y"
    elif word.endswith(("sses", "shes", "ches", "xes", "zes")):
        word = word[:-2]
    elif word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    for ending in ("ingly", "edly", "ing", "ed", "ly"):
        if word.endswith(ending):
            rest = word[: -len(ending)]
            if len(rest) >= 3 and not _VOWELS.isdisjoint(rest):
                if ending != "ly" and len(rest) > 3 and rest[-1] == rest[-2] and rest[-1] not in "lsz":
                    rest = rest[:-1]
                return rest
            break
    return word


def bigrams(run: str) -> list[str]:
    """Overlapping pairs of characters; a single character stands for itself."""
    return [run] if len(run) < 2 else [run[at : at + 2] for at in range(len(run) - 1)]


def brief(text: str, most: int = 120) -> str:
    """A quotation for a message: in one line, of at most ``most`` characters, with an ellipsis where it goes on."""
    plain = " ".join(text[: 8 * most].split())
    if len(plain) <= most and len(text) <= 8 * most:
        return plain
    return plain[: most - 1].rstrip() + "…"

"""What bounds a figure and from which side, in English: *at most 50*, *50 at most*, *will not pay more than 50*. Pure."""

from __future__ import annotations

import re
from functools import cache, lru_cache

NUMBER = r"(?:of )?[€$£¥]?(?P<of>\d[\d.,]*|two|three|four|five|six|seven|eight|nine|ten|twelve|twenty|thirty|forty|fifty)"
UPPER = "upper"
LOWER = "lower"
_OTHER = {UPPER: LOWER, LOWER: UPPER}

_FORMS = (
    (UPPER, r"at (?:the )?(?:very )?most|up to|not? more than|not exceed(?:ing|s)?|a maximum of|max(?:imum|\.)?|capped at|limit(?:ed)? (?:of|to)|within"),
    (LOWER, r"at (?:the )?(?:very )?least|not? (?:less|fewer) than|a minimum of|min(?:imum|\.)?|upwards of"),
)  # fmt: skip
_COMPARED = (
    (LOWER, r"(?:more|longer|later|heavier|higher|greater|bigger|larger|older|faster|further|farther|hotter|warmer) than|over|above|exceed(?:s|ing)?|beyond"),
    (UPPER, r"(?:less|fewer|shorter|lighter|lower|smaller|younger|slower|cheaper) than|under|below"),
)  # fmt: skip
"""What is denied bounds from the other side: *not heavier than 5 kg*."""
_BEHIND = (
    (UPPER, r"at (?:the )?(?:very )?most|max(?:imum|\.)?|tops|or (?:less|fewer|under|below)"),
    (LOWER, r"at (?:the )?(?:very )?least|or (?:more|over|above|longer|later)|min(?:imum|\.)?|and (?:up|over|counting)|plus"),
)
_DENIAL = re.compile(r"\b(?:not|never|no|cannot|nobody|nothing|none|without|refuses? to|\w+n['’]t)\b[^,;:.]{0,60}$", re.I)
_REACH = 80


@cache
def _before(at: int, compared: bool) -> re.Pattern[str]:
    forms = (_COMPARED if compared else _FORMS)[at][1]
    return re.compile(rf"\b(?:{forms}) {NUMBER}", re.I)


@cache
def _behind(at: int) -> re.Pattern[str]:
    return re.compile(rf"\b{NUMBER}(?:[ -][^\W\d_]+(?: (?:a|per|each) \w+)?)?,? (?:{_BEHIND[at][1]})(?![\w-])", re.I)


@lru_cache(maxsize=8192)
def bounds(text: str) -> dict[str, frozenset[str]]:
    """The figures of a text that are bounded, as they stand, each with the sides that it is bounded from (``UPPER``, ``LOWER``)."""
    out: dict[str, set[str]] = {}

    def add(found: re.Match[str], side: str) -> None:
        out.setdefault(found["of"].casefold().strip(".,"), set()).add(side)

    for at in range(len(_FORMS)):
        for found in _before(at, False).finditer(text):
            add(found, _FORMS[at][0])
        for found in _behind(at).finditer(text):
            add(found, _BEHIND[at][0])
        for found in _before(at, True).finditer(text):
            side = _COMPARED[at][0]
            add(found, _OTHER[side] if _DENIAL.search(text, max(0, found.start() - _REACH), found.start()) else side)
    return {number: frozenset(sides) for number, sides in out.items()}


__all__ = ["LOWER", "NUMBER", "UPPER", "bounds"]

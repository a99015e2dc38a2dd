"""Whom a pronoun at the head of a sentence stands for, and whom a source tells the same of.

*Tim is strict. He is 34.* tells Tim's age. Where the sources tell it of Jonas alone, one person's fact is told of another.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache

from memopt.facts import lexicon
from memopt.facts.words import fold, stem

_HE = re.compile(r"\b(?:he|she|his|her)\b|[他她](?!们|人)", re.IGNORECASE)
_OPENING = 60
"""So many characters may stand before a pronoun: *Two weeks ago, after a long search, she*."""
_NAME = re.compile(r"[A-Z][\w'’-]*[a-z]")
_USER = re.compile(r"\buser\b|用户", re.IGNORECASE)
_OPENER = re.compile(
    r"\A[\s\-•*–—(\"“]*(?:(?:at|in|on|for|from|since|after|before|during|while|when|as|with|by|besides|beyond|through|about|around|over|until|"
    r"this|that|these|those|both|all|each|every|some|most|last|next|the|a|an|and|but|also|so|then|now|here|there|today|yesterday|two|three|four|"
    r"five|six|seven|eight|nine|ten|\d+(?:st|nd|rd|th)?|jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|"
    r"sep(?:t|tember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?|(?:mon|tues|wednes|thurs|fri|satur|sun)days?|years?|months?|weeks?|days?|ago|[A-Z][a-z]{3,}ly)\b[\s,]*)+",
    re.IGNORECASE,
)
_POSSESSIVE = re.compile(r"['’]s$")
_FAR = 3
"""So many sentences back a pronoun is followed."""


def begins_with_pronoun(text: str) -> bool:
    """Whether a sentence tells something of *he*, *she*, *his*, *her*, 他 or 她, and names nobody before."""
    found = _HE.search(text, 0, _OPENING)
    if found is None:
        return False
    opening = _OPENER.sub("", text[: found.start()])
    return not _named(opening) and not _USER.search(opening)


def antecedents(before: list[str]) -> frozenset[str]:
    """Whom the sentences before a pronoun name last, as stems of names and relatives; the user is not among them.

    Args:
        before: from the last one back.
    """
    found: frozenset[str] = frozenset()
    for text in before[:_FAR]:
        found |= _named(text)
        if not begins_with_pronoun(text):
            return found
    return frozenset()


def _named(text: str) -> frozenset[str]:
    """Everybody and everything that a sentence names: too many are better than too few."""
    names = {stem(_POSSESSIVE.sub("", found)) for found in _NAME.findall(text) if fold(found) not in ("user", "the")}
    return frozenset((names | _relatives_in(text)) - {"he", "she", stem("his"), stem("her"), stem("user")})


def told_of(text: str) -> frozenset[str]:
    """Of whom a source tells something: the relatives at its head with their names, or the name that it begins with."""
    words = re.findall(r"[A-Za-z][\w'’-]*", text)[:8]
    out: set[str] = set()
    for at, word in enumerate(words):
        root = stem(_POSSESSIVE.sub("", word))
        if root in _relatives() and (at <= 3):
            out.add(root)
            for name in words[at + 1 : at + 3]:
                if not _NAME.fullmatch(name):
                    break
                out.add(stem(name))
            break
        if at == 0 and _NAME.fullmatch(word) and fold(word) not in _NO_NAMES and not _OPENER.match(text):
            out.add(root)
    if not out and (found := re.match(r"(?:用户的?)?(.{1,3})", text)):
        out |= {word for word in lexicon.CJK_RELATIONS if found[1].startswith(word)}
    return frozenset(out)


def same_person(one: frozenset[str], two: frozenset[str], together: Callable[[str, str], bool]) -> bool:
    """Whether two sets may stand for one person: they share a word, or a source names one with the other."""
    return not one.isdisjoint(two) or any(together(left, right) for left in one for right in two)


def _relatives_in(text: str) -> set[str]:
    found = {root for word in re.findall(r"[a-z]+", text) if (root := stem(word)) in _relatives()}
    return found | {word for word in lexicon.CJK_RELATIONS if word in text}


@cache
def _relatives() -> frozenset[str]:
    return frozenset(stem(word) for word in lexicon.RELATIONS) - {stem("dog"), stem("cat")}


_NO_NAMES = frozenset(
    lexicon.words(
        "user users user's the a an he she they it his her their its this these i my in on at since for from when while after before during"
        " lives works has is was likes loves enjoys prefers plays takes uses owns speaks wants plans moved born studies studied does did no"
    )
)

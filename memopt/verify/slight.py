"""Sentences whose words all weigh so little that none of them is looked for by itself: *they/them*, *Night owl*, *O+*, *Only call once*.

What weighs little says little about which sentence of the other side tells the same. So such a sentence is looked for as a whole: all
its words, in one clause of the other side, side by side where none of them tells anything, and with nobody else's name before them.
"""

from __future__ import annotations

import re
from collections import defaultdict
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from memopt.facts import lexicon
from memopt.facts.reading import denies
from memopt.facts.words import CJK, HANGUL, fold, stem
from memopt.verify.lines import Side, weigh

_PIECE = re.compile(
    rf"[{CJK}{HANGUL}]|(?:[^\W\d_{CJK}{HANGUL}]+(?:['’][^\W\d_]+)*)(?:\+{{1,2}}|#|-(?=[\s,;.!?)]|\Z))?|\d+(?:[.,:]\d+)*"
    r"|[\u2190-\u21ff\u2600-\u27bf\U0001f000-\U0001faff+]"
)
_CLAUSE = re.compile(
    r"[,;，；、。.!?！？:：()（）\n]|\b(?:and|but|while|whereas)\b|(?<=[\u4e00-\u9fff])(?:以及|并且|而且|但是|但)", re.IGNORECASE
)
_USER = re.compile(r"(?:the )?users?(?:['’]s)?\b|用户的?|本人", re.IGNORECASE)
_SUBJECT = frozenset(("he", "she", "they", "it", "i", "who"))
_EMPTY_WORDS = frozenset(
    lexicon.words(
        "a an the is are am was were be been being do does did has have had to of that this it as so very user users there 的 了 是 很 也 地 得 就"
    )
)
_MOST = 600
"""So many clauses with the rarest of its words are looked at."""
_ALL = 12
"""A sentence with more words than this is no slight one: prose that says nothing in particular."""


_SIGNED = re.compile(
    rf"(?<![A-Za-z0-9+#-])(?:([A-Za-z]{{1,3}})(\+{{1,2}}|#)|([A-Z]{{1,3}})([-\u2212\u2013]))(?=[\s,;.!?)，。；{CJK}]|\Z)"
)
_SIGN_WORDS = {"positive": "+", "plus": "+", "negative": "-", "minus": "-", "sharp": "#"}


def other_sign(text: str, other: str) -> str | None:
    """What a text has with a sign that another has with none or with another one: *O+* and *O-*, *C++* and *C#*. For people."""
    if not any(mark in text for mark in "+#-\u2212\u2013"):
        return None
    for found in _SIGNED.finditer(text):
        name, sign = found[1] or found[3], found[2] or "-"
        there = {_sign_of(one) for one in _SIGNED.finditer(other) if (one[1] or one[3]).casefold() == name.casefold()}
        if not there:
            bare = re.search(rf"(?<![A-Za-z0-9]){name}(?![A-Za-z0-9+#])(?:\W*(\w+))?", other)
            if bare is None or _SIGN_WORDS.get((bare[1] or "").casefold()) == sign:
                continue
        if sign not in there:
            return f"only one says {found[0]}"
    return None


_NUMERAL = re.compile(rf"(?<=[{CJK}])[一二三四五六七八九十两](?=([{CJK}]|[^{CJK}]|\\Z))")


_COUNTS = "个些下点样起直般月年周天日号次回遍趟顿"
"""What a numeral counts, or makes another word of."""


def other_numeral(text: str, other: str) -> str | None:
    """What a text has with another numeral inside a word than another text: *市二中* and *市一中*, *押一付三* and *押二付一*. For people."""
    for found in _NUMERAL.finditer(text):
        before, after = text[found.start() - 1], found[1] if found[1] and "\u4e00" <= found[1] <= "\u9fff" else ""
        if before in "第每周月年日号零百千万一二三四五六七八九十两几" or (after and after in _COUNTS):
            continue  # counts and days are items
        mine = before + found[0] + after
        if mine in other or (not after and before not in "付押高初大"):
            continue
        rival = re.search(rf"{before}[一二三四五六七八九十两]{after or f'(?![{CJK}])'}", other)
        if rival is not None and rival[0] not in text:
            return f"{rival[0]} became {mine}"
    return None


def _sign_of(found: re.Match[str]) -> str:
    """The sign of a signed name."""
    return found[2] or "-"


class _Clause(NamedTuple):
    """A clause as its words in order, without those that say nothing."""

    text: str
    words: tuple[str, ...]


@lru_cache(maxsize=4096)
def _told(text: str) -> tuple[str, ...]:
    """The words of a clause, without its subject where that is the user, and without those that say nothing."""
    found = [fold(piece) for piece in _PIECE.findall(_USER.sub(" ", text))]
    found = [part for word in found for part in _without_contraction(word)]
    if len(found) > 1 and found[0] in _SUBJECT and not re.match(r"\W*\w+\s*[/&]", text):
        found = found[1:]
    words = [_root(word) for word in found if word not in _EMPTY_WORDS]
    return tuple(words or [_root(word) for word in found])


def _without_contraction(word: str) -> tuple[str, ...]:
    plain = word.replace("’", "'")
    if plain.endswith("n't"):
        return ("not",)
    return (plain.partition("'")[0],) if plain.endswith(("'s", "'re", "'m", "'ll", "'ve", "'d")) else (plain,)


def _root(word: str) -> str:
    return stem(word) if word.isalpha() and word.isascii() else word


def clauses(text: str) -> list[_Clause]:
    """A sentence cut at its commas and conjunctions, without pieces that have no word."""
    cuts = [0, *(found.start() for found in _CLAUSE.finditer(text)), len(text)]
    parts = [text[left:right] for left, right in pairwise(cuts)]
    return [_Clause(part, words) for part in parts if (words := _told(part))]


def is_asked(text: str) -> bool:
    """Whether a slight sentence has words that can be looked for, and not so many that it is prose, nor is a heading."""
    if text.rstrip(" *_").endswith((":", "：")) or text.lstrip().startswith("#"):
        return False
    return 0 < sum(len(part.words) for part in clauses(text)) <= _ALL


class Whole:
    """Looks whole sentences up on one side. Made where the first is asked for: most texts have none."""

    def __init__(self, side: Side) -> None:
        self._clauses: list[tuple[_Clause, frozenset[str]]] = []
        self._by_word: dict[str, list[int]] = defaultdict(list)
        for line in side.lines:
            for clause in clauses(line.text):
                for word in dict.fromkeys(clause.words):
                    self._by_word[word].append(len(self._clauses))
                self._clauses.append((clause, line.names))

    def holds(self, text: str, others: frozenset[str] = frozenset()) -> bool:
        """Whether one clause of the side says all that a sentence says; of one with several clauses, each somewhere.

        Args:
            others: the words that stand for the user.
        """
        return all(self._holds(part, others) for part in clauses(text))

    def _holds(self, part: _Clause, users: frozenset[str]) -> bool:
        lists = [self._by_word.get(word, ()) for word in part.words]
        denied = denies(part.text)
        for number in min(lists, key=len)[:_MOST]:
            other, names = self._clauses[number]
            at = _place(part.words, other.words)
            if at is None or denies(other.text) != denied:
                continue
            before = [word for word in other.words[:at] if word not in part.words and word not in users]
            if any(word in _people() for word in before) or (before and other.words[0] == before[0] and before[0] in names):
                continue  # it is told of somebody else
            return True
        return False


def _place(words: tuple[str, ...], among: tuple[str, ...]) -> int | None:
    """Where words stand among others: side by side, or, where they tell something, anywhere. None where one is missing."""
    size = len(words)
    for at in range(len(among) - size + 1):
        if among[at : at + size] == words:
            return at
    if any(weigh(word) and word.isascii() and word.isalpha() and word not in lexicon.STOP for word in words) and size > 1:
        rest = set(among)
        if all(word in rest for word in words):
            return min(among.index(word) for word in words)
    return None


@lru_cache(maxsize=1)
def _people() -> frozenset[str]:
    return frozenset(stem(word) for word in lexicon.RELATIONS) - {stem("dog"), stem("cat")}

"""Near-duplicates: which texts look alike, found in time near-linear in their number.

Look-alikes are scored by their characters (``similarity``). Scoring all pairs is out of the question, and a threshold on
characters alone is no help in finding them fast: ten thousand memories made from one template (``User wants to learn X
this quarter``) are all alike, and not one is a duplicate of another. So candidates are found by words. An older text is
a candidate for a newer one when the newer has all of its words, in any order, and at most one more; small words, endings
and the writing of numbers do not count. A text that has a word of its own cannot be dropped without losing it, so
nothing is missed by not looking for it.

Each newer text is filed under one number for all of its words and, where it may say more, one for each bag with a word left
out (the deletion neighbourhood of spelling correctors such as SymSpell, on words); an older one is looked up under the
number of all its words.

``Index`` keeps only the first ``ROOM`` texts filed under a number, which bounds the work for templates. What it leaves
out is decided by the order of filing alone. A caller that files only the texts it keeps, in an order of its own,
therefore finds the same candidates for them when it runs again on what it kept.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache

from memopt.similarity.normalise import CJK

ROOM = 16
"""How many texts one number of an Index leads to."""
LONG = 64
"""Texts with more words than this are filed under all their words alone."""

_SMALL_WORDS = """a an the user users user's of that which is are am be been being please really very also it its this there and
as i'm 的 了 也 很 就 吧 呢 啊 呀 嘛 地 得 着 和 与 及 跟 用 户"""
_SMALL = frozenset(_SMALL_WORDS.split())
_COUNT = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen"
)
_VERBS = ("do", "does", "did", "was", "were", "has", "have", "had", "could", "would", "should")
_SPLIT = {f"{verb}nt": (verb, "not") for verb in _VERBS} | {
    "isnt": ("not",),
    "arent": ("not",),
    "cannot": ("can", "not"),
    "cant": ("can", "not"),
    "wont": ("will", "not"),
}
_INDEFINITE = frozenset(["a", "an", "is"])
_SPELLINGS = (("our", "or"), ("ll", "l"), ("is", "iz"), ("tre", "ter"), ("grey", "gray"))  # British and American
_ENDINGS = ("'s", "s'", "ing", "ed", "es", "s", "ly", "e")
_NUMBERS = {word: str(value) for names in (_COUNT.split(), "零一二三四五六七八九十") for value, word in enumerate(names)}
_NUMBERS |= {"两": "2", "兩": "2"}


@cache
def _word() -> re.Pattern[str]:
    return re.compile(rf"[{CJK}]|[^\W\d_{CJK}]+(?:'[^\W\d_{CJK}]+)*|\d+(?:[.,:'/-]\d+)*|[^\w\s]|_")


def words(folded: str) -> tuple[str, ...]:
    """The words of a folded text in their order, without the small ones and without English endings.

    A number is a word without its separators, a Chinese or Japanese character and every mark or emoji is a word of its own.
    Only good for finding candidates: it takes ``writing`` and ``writes`` for one, and ``1.5`` and ``15``.
    """
    out: list[str] = []
    pieces = _word().findall(folded)
    for at, found in enumerate(pieces):
        if found == "called" and not _INDEFINITE.isdisjoint(pieces[max(0, at - 3) : at]):
            found = "named"  # "a dog called Rex"; but "Ann called Rex"
        for word in _SPLIT.get(found, (found,)):
            if word not in _SMALL:
                if word == "mail" and out and out[-1] == "e":
                    word = "e" + word
                    out.pop()
                out.append(_plain(word))
    return tuple(out)


def _plain(word: str) -> str:
    if word[0].isdigit():
        return "".join(char for char in word if char.isdigit())
    if word in _NUMBERS:
        return _NUMBERS[word]
    if len(word) > 3 and word.isascii():
        for british, american in _SPELLINGS:
            word = word.replace(british, american)
        for ending in _ENDINGS:
            if word.endswith(ending) and len(word) - len(ending) >= 3:
                return word[: -len(ending)]
    return word


def key(words: Iterable[str]) -> int:
    """The number of a bag of words: the sum of the words' hashes, good within one process only."""
    return sum(map(hash, words))


def keys(words: Sequence[str]) -> list[int]:
    """The number of the bag of all words, then those of the bags with one word left out, where there are 3 to LONG words.

    None for a text without words.
    """
    if not words:
        return []
    hashes = [hash(word) for word in words]
    total = sum(hashes)
    if not 3 <= len(words) <= LONG:
        return [total]
    return [total, *dict.fromkeys(total - one for one in hashes)]


class Index:
    """Texts by the numbers they are filed under."""

    def __init__(self, room: int = ROOM) -> None:
        self._room = room
        self._filed: dict[int, list[int]] = {}

    def file(self, item: int, keys: Iterable[int]) -> None:
        """File an item under each number that has room for it."""
        for key in keys:
            there = self._filed.get(key)
            if there is None:
                self._filed[key] = [item]
            elif len(there) < self._room:
                there.append(item)

    def under(self, key: int) -> Sequence[int]:
        """The items filed under a number, in the order of filing."""
        return self._filed.get(key, ())


def similarity(left: str, right: str, at_least: float = 0.0) -> float:
    """How much two folded texts have in common, 0 to 1; 0 where it would be below ``at_least``.

    Dice's coefficient of the bags of character trigrams, the ends of the text padded: twice the trigrams in common by the
    trigrams of both (L. R. Dice, "Measures of the amount of ecologic association between species", 1945). Linear in the
    lengths.
    """
    if left == right:
        return 1.0
    sizes = len(left) + 2, len(right) + 2
    if 2 * min(sizes) < at_least * sum(sizes):
        return 0.0
    common = (_trigrams(left) & _trigrams(right)).total()
    score = 2 * common / sum(sizes)
    return score if score >= at_least else 0.0


def _trigrams(text: str) -> Counter[str]:
    padded = f"\0\0{text}\0\0"
    return Counter(map("".join, zip(padded, padded[1:], padded[2:], strict=False)))

"""Cutting a run of Chinese characters into words: the cut whose words are likeliest together, each taken by itself.

The frequencies stand in ``words_zh.txt`` (see ``scripts/build_words_zh.py``; the license stands in the file). It is read on first use.
"""

from __future__ import annotations

from functools import cache, lru_cache
from pathlib import Path

from memopt.facts import senses
from memopt.facts.kinds import chinese_words

_TOTAL = 26.0
"""Binary logarithm of how many words the frequencies were counted in."""
_UNSEEN = 0.0
"""The logarithm for a character that the list does not have."""
_LISTED = 5.0
"""The same for a word of the thesaurus that the list does not have."""
_LONGEST = 5


@cache
def _words() -> dict[str, float]:
    out = {word: _LISTED for word in senses.chinese() | chinese_words() if 1 < len(word) <= _LONGEST}
    for line in (Path(__file__).parent / "words_zh.txt").read_text(encoding="utf8").splitlines():
        if line[0] == "#":
            continue
        band, *words = line.split(" ")
        for word in words:
            out[word] = max(float(band), out.get(word, 0.0))
    return out


def is_word(text: str) -> bool:
    """Whether this is a common word, and no name of a person."""
    return len(text) > 1 and text in _words()


@lru_cache(maxsize=32768)
def cut(run: str) -> tuple[tuple[int, int], ...]:
    """The words of a run, as places in it: all of it, in order; characters that make no word stand alone. Linear in its length."""
    words = _words()
    best = [0.0] * (len(run) + 1)
    size = [1] * (len(run) + 1)
    for at in range(len(run) - 1, -1, -1):
        best[at] = words.get(run[at], _UNSEEN) - _TOTAL + best[at + 1]
        for length in range(2, min(_LONGEST, len(run) - at) + 1):
            found = words.get(run[at : at + length])
            if found is not None and found - _TOTAL + best[at + length] > best[at]:
                best[at], size[at] = found - _TOTAL + best[at + length], length
    out = []
    at = 0
    while at < len(run):
        out.append((at, at + size[at]))
        at += size[at]
    return tuple(out)


__all__ = ["cut", "is_word"]

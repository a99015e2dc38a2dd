"""What sort of thing an English noun names: a person, an animal, an artifact. Read on first use from ``sorts.txt``.

The file is made from WordNet (see ``scripts/build_sorts.py``) and holds words that are nouns before they are anything else.
"""

from __future__ import annotations

from collections import Counter
from functools import cache
from pathlib import Path
from typing import NamedTuple


class Sort(NamedTuple):
    """What a noun names.

    Attributes:
        name: ``artifact``, ``person``, ``food``...
        meaning: the number of its synonym set.
        above: that of the set above it: what it is a sort of.
    """

    name: str
    meaning: str
    above: str


@cache
def _table() -> dict[str, Sort]:
    out: dict[str, Sort] = {}
    for line in (Path(__file__).parent / "sorts.txt").read_text(encoding="ascii").splitlines():
        if line[0] != "#":
            name, *words = line.split()
            for word in words:
                root, meaning, above = word.split(".")
                out.setdefault(root, Sort(name, meaning, above))
    return out


def sort_of(root: str) -> Sort | None:
    """What the noun with a stem names, or None where none is known; ``=clothing`` asks for the word itself, whose stem is a verb's."""
    return _table().get(root)


def near(one: str, two: str) -> bool:
    """Whether two nouns (stems) name the same, or sorts of the same, or one a sort of the other: *studio*, *workshop*."""
    mine, theirs = sort_of(one), sort_of(two)
    if mine is None or theirs is None:
        return False
    return bool({mine.meaning, mine.above} & {theirs.meaning, theirs.above} - {""})


@cache
def _many() -> Counter[str]:
    return Counter(sort.above for sort in _table().values())


def siblings(root: str) -> int:
    """How many nouns are told to be sorts of what a noun is a sort of, itself among them; 0 where nothing is known."""
    sort = sort_of(root)
    return 0 if sort is None else _many()[sort.above]


__all__ = ["Sort", "near", "siblings", "sort_of"]

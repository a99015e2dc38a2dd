"""Whether of two things one sentence affirms the first and denies the second, and another does the reverse. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple


class Clause(NamedTuple):
    """A clause: the stems of what it tells, and whether it denies it."""

    words: frozenset[str]
    denied: bool


def crossed(one: Sequence[Clause], two: Sequence[Clause], ignored: frozenset[str], meet: Callable[[str, str], bool]) -> bool:
    """Whether something that the first affirms alone is denied by the second alone, and something else the other way round.

    Args:
        one: the clauses of a sentence.
        two: those of another one.
        ignored: stems that tell nothing.
        meet: whether two stems may stand for each other.
    """
    here, there = _signs(one, ignored), _signs(two, ignored)
    pairs = [
        (word, other) for word in here for other in ([word] if word in there else [each for each in there if meet(word, each)])
    ]
    pairs = [(word, other) for word, other in pairs if other == word or (other not in here)]
    turned = [(word, here[word], there[other]) for word, other in pairs if here[word][0] != there[other][0]]
    straight = [(here[word], there[other]) for word, other in pairs if here[word][0] == there[other][0]]
    ups = [(word, (mine[1], theirs[1])) for word, mine, theirs in turned if mine[0]]
    downs = [(word, (mine[1], theirs[1])) for word, mine, theirs in turned if not mine[0]]
    kept = {(mine[1], theirs[1]) for mine, theirs in straight}
    return any(
        up[0] != down[0]
        and up[1] != down[1]
        and up not in kept
        and down not in kept
        and not (
            meet(word, other) and {(up[0], down[1]), (down[0], up[1])} <= kept
        )  # 发布前先测，周五不发版 and 发版前…，…不发布
        for word, up in ups
        for other, down in downs
    )


def _signs(clauses: Sequence[Clause], ignored: frozenset[str]) -> dict[str, tuple[bool, int]]:
    """Each word that stands in one clause alone: whether that denies it, and which it is."""
    out: dict[str, tuple[bool, int]] = {}
    twice: set[str] = set()
    for at, clause in enumerate(clauses):
        for word in clause.words - ignored:
            if word in out:
                twice.add(word)
            out[word] = clause.denied, at
    return {word: entry for word, entry in out.items() if word not in twice}


__all__ = ["Clause", "crossed"]

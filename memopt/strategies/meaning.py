"""Paraphrases: which memories mean the same in other words, and why two that come close do not.

Closeness by an embedder only brings pairs up. Whether the one may stand for the other is decided by taking both apart
(``memopt.facts.paraphrase``) and by the verifier, which must find every number, date, name, denial and opposite of the one in the
other, both ways round.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from memopt.errors import UsageError
from memopt.memory import UserMemory
from memopt.similarity.embed import DEFAULT, LOCAL, SCALES, Embedder, Scale, Words, careful_scale, local, scale_of
from memopt.similarity.neighbours import EXACT, MOST, close_pairs

if TYPE_CHECKING:
    from memopt.facts.paraphrase import Near


class Found(NamedTuple):
    """Pairs that are close and that nothing known so far keeps apart.

    Attributes:
        close: for each text the earlier ones, nearest first, as (cosine, place).
        complete: whether every pair was looked at.
    """

    close: list[list[tuple[float, int]]]
    complete: bool


def choose(embedder: Embedder | None, name: str, threshold: float | None) -> Meaning:
    """Who compares meanings.

    Args:
        embedder: None: the local one of that name.
        threshold: None: what was calibrated for the embedder.

    Raises:
        UsageError: no such local embedder, its package is missing, or nothing is known of the embedder and no threshold is given.
    """
    if embedder is None:
        if name not in LOCAL:
            raise UsageError(
                f"{name!r} is no local embedder ({', '.join(LOCAL)}); a model of a service is named with --embedding-model"
            )
        embedder = local(name)
    scale = scale_of(embedder.name)
    if scale is None:
        if threshold is None:
            raise UsageError(
                f"no threshold is known for the embedder {embedder.name}; memopt calibrate --threshold shows what a value would "
                f"merge, -o semantic-threshold=... sets it (known: {', '.join(SCALES)})"
            )
        scale = careful_scale(threshold)
    return Meaning(embedder, scale, scale.threshold if threshold is None else threshold)


class Pair(NamedTuple):
    """Two memories that come close.

    Attributes:
        score: the cosine of their texts.
        newer: the text that would stay.
        older: the text that would go.
        apart: why both stay; None: they may be merged from a threshold of ``score`` down.
    """

    score: float
    newer: UserMemory
    older: UserMemory
    apart: str | None


def one_of_each(memories: Sequence[UserMemory]) -> list[UserMemory]:
    """The newest of each group of texts that are equal, case and punctuation aside, newest first; blank ones left out."""
    from memopt.similarity.normalise import fold

    out: dict[str, UserMemory] = {}
    for item in sorted(memories, key=_newest_first):
        if not item.is_blank:
            out.setdefault(fold(item.memory), item)
    return list(out.values())


def survey(memories: Sequence[UserMemory], meaning: Meaning, lowest: float, *, more: bool = False) -> list[Pair]:
    """The pairs that come at least as close as ``lowest``, closest first, and what the guard says to each.

    Args:
        memories: as ``one_of_each`` gives them. Of each only its nearest few neighbours are told.
        more: the newer may say more.
    """
    out: list[Pair] = []
    rule = meaning.lacks if more else meaning.apart
    close = close_pairs(meaning.vectors([item.memory for item in memories]), lowest)
    for place, near in enumerate(close):
        for score, earlier in near:
            newer, older = memories[earlier], memories[place]
            out.append(Pair(score, newer, older, rule(newer.memory, older.memory)))
    out.sort(key=lambda pair: -pair.score)
    return out


def _newest_first(item: UserMemory) -> tuple[Any, ...]:
    changed = item.last_changed
    return (changed is None, -(changed or 0), -len(item.memory), item.memory, item.memory_id or "")


class Meaning:
    """Compares texts by meaning.

    Attributes:
        name: of the embedder.
        threshold: the cosine from which on two texts are looked at.
    """

    def __init__(self, embedder: Embedder, scale: Scale, threshold: float) -> None:
        self.name = embedder.name
        self.threshold = threshold
        self._embedder = embedder
        self._words = Words(embedder, scale)

    def vectors(self, texts: Sequence[str]) -> Any:
        """One row a text. Raises ModelError where a service fails.

        Case and closing marks are left out: they move a vector, and are compared elsewhere.
        """
        return self._embedder.embed([text.lower().rstrip(" .!。！") for text in texts])

    def pairs(self, vectors: Any, texts: Sequence[str], *, more: bool = False) -> Found:
        """Pairs of texts that are close enough and that nothing but the meaning of single words could keep apart.

        The words that must be compared are embedded here, together.

        Args:
            more: the earlier text may say more than the later one.
        """
        from memopt.facts.paraphrase import apart, lacks

        rule = lacks if more else apart
        close = close_pairs(vectors, self.threshold)
        full = any(len(each) >= MOST for each in close)
        for place, near in enumerate(close):
            if near:
                close[place] = [
                    (score, other) for score, other in near if rule(texts[other], texts[place], self._words.near) is None
                ]
        self._words.fetch()
        return Found(close, len(texts) <= EXACT and not full)

    def apart(self, one: str, other: str) -> str | None:
        """Why two texts must stay two; None: either may stand for both. Does not look at how close they are."""
        from memopt.facts.paraphrase import apart

        return self._judged(apart, one, other) or _unproven(one, other) or _unproven(other, one)

    def lacks(self, kept: str, dropped: str) -> str | None:
        """What would be gone if of two texts only ``kept`` stayed, which may say more; None: nothing."""
        from memopt.facts.paraphrase import lacks

        return self._judged(lacks, kept, dropped) or _unproven(dropped, kept)

    def _judged(self, rule: Callable[[str, str, Near], str | None], one: str, other: str) -> str | None:
        while True:
            reason = rule(one, other, self._words.near)
            if not self._words.fetch():  # every word that was asked for was known
                return reason


@lru_cache(maxsize=65536)
def _unproven(dropped: str, kept: str) -> str | None:
    """What the verifier misses in ``kept``. That words differ is none of its business here."""
    from memopt.verify import verify

    for item in verify([UserMemory(dropped)], [UserMemory(kept)]).lost:
        if item.kind != "statement":
            return f"{item.kind}: {item.detail}"
    return None


__all__ = ["DEFAULT", "Found", "Meaning", "Pair", "choose", "one_of_each", "survey"]

"""Paraphrases: which memories mean the same in other words, and why two that come close do not.

Closeness by an embedder only brings pairs up. Whether the one may stand for the other is decided by taking both apart
(``memopt.facts.paraphrase``) and by the verifier, which must find every number, date, name, denial and opposite of the one in the
other, both ways round.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from memopt.errors import UsageError
from memopt.memory import UserMemory
from memopt.similarity.embed import DEFAULT, LOCAL, SCALES, Embedder, Scale, Words, careful_scale, local, scale_of
from memopt.similarity.neighbours import EXACT, MOST, close_pairs


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
        """One row a text. Raises ModelError where a service fails."""
        return self._embedder.embed(texts)

    def pairs(self, vectors: Any, texts: Sequence[str], threshold: float | None = None) -> Found:
        """Pairs of texts that are close enough and that nothing but the meaning of single words could keep apart.

        The words that must be compared are embedded here, together.
        """
        from memopt.facts.paraphrase import apart

        close = close_pairs(vectors, self.threshold if threshold is None else threshold)
        full = any(len(each) >= MOST for each in close)
        for place, near in enumerate(close):
            if near:
                close[place] = [
                    (score, other) for score, other in near if apart(texts[place], texts[other], self._words.near) is None
                ]
        self._words.fetch()
        return Found(close, len(texts) <= EXACT and not full)

    def apart(self, one: str, other: str) -> str | None:
        """Why two texts must stay two; None: either may stand for both. Does not look at how close they are."""
        from memopt.facts.paraphrase import apart

        reason = apart(one, other, self._words.near)
        if reason is None and self._words.fetch():
            reason = apart(one, other, self._words.near)
        return reason or _unproven(*sorted((one, other)))


@lru_cache(maxsize=65536)
def _unproven(one: str, other: str) -> str | None:
    """What the verifier misses, going from either text to the other. That words differ is none of its business here."""
    from memopt.verify import verify

    ours, theirs = [UserMemory(one)], [UserMemory(other)]
    for sources, rewritten in ((ours, theirs), (theirs, ours)):
        report = verify(sources, rewritten)
        found = [(item.kind, item.detail) for item in report.lost] + [(item.kind, item.detail) for item in report.invented]
        for kind, detail in found:
            if kind != "statement":
                return f"{kind}: {detail}"
    return None


__all__ = ["DEFAULT", "Found", "Meaning", "choose"]

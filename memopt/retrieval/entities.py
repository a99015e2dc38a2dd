"""What memories and questions have in common that can be pointed at: names, dates, numbers, identifiers, topics, and the things
that are spoken of, a pair of words that stand together counting on its own (``support group``).

A thing may be told by another word: one of the same group of the thesaurus or of WordNet, or one that begins alike, counts for a
part of the word itself (``memopt.facts.senses``). A rare entity counts more than a frequent one, by BM25's idf in Lucene's
variant, ``ln(1 + (N - n + 0.5) / (n + 0.5))``; so a name that is in every second memory says little.
"""

from __future__ import annotations

import math
import re
from array import array
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from memopt.facts import Reading, read, senses
from memopt.facts.words import bare, tokens
from memopt.memory import UserMemory

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Scores = NDArray[np.float64]
    Places = NDArray[np.int32]

BY_HAND = 0.7
"""What a word of the same hand-made group counts for the word itself."""
BY_WORDNET = 0.5
BY_BEGINNING = 0.5
MOST_RELATED = 256
"""A beginning that more words of the memories share (made-up identifiers) relates none of them."""

_LONGEST = 4
"""A name has at most so many words where it is looked for in a question that is not capitalised."""
FREQUENT = 0.2
"""A name in such a share of the memories tells whose they are, not what they say."""
FREQUENT_FROM = 5
"""... if it is in so many at least."""
_USER = re.compile(r"^\s*(?:(?:the\s+)?user(?:['’]s)?\b|用户的?|使用者的?)\s*", re.IGNORECASE)
_TOO_LITTLE = 2
"""A text that has fewer letters than this left is left whole."""


def _names(norm: str) -> list[str]:
    parts = norm.split()
    return [norm] if len(parts) == 1 else [norm, *parts]


def _dates(key: str) -> list[str]:
    """A date tells its month and year too, and its day and month in any year."""
    body = key[2:]
    if body.startswith("--"):
        return [key]
    out = ["d:" + body[:end] for end in (4, 7, 10) if len(body) >= end]
    return out + ["d:--" + body[5:end] for end in (7, 10) if len(body) >= end]


def _item_keys(reading: Reading) -> Iterator[str]:
    """Everything hard in a text but names: dates, numbers, amounts, addresses, identifiers."""
    for found in reading.items:
        if found.kind not in ("name", "quote") and not found.weak:
            for key in sorted(found.keys):
                yield from _dates(key) if key.startswith("d:") else [key]


def _pairs(reading: Reading) -> Iterator[str]:
    for clause in reading.clauses:
        for one, other in zip(clause.words, clause.words[1:], strict=False):
            yield f"2:{one.stem} {other.stem}"


class Entities:
    """The entities of memories, by where they are.

    Args:
        memories: what is searched. Reading is linear in their length.
    """

    def __init__(self, memories: Sequence[UserMemory]) -> None:
        self._size = len(memories)
        self._places: dict[str, array[int]] = {}
        self._groups: dict[str, list[str]] = {}
        weak: dict[str, list[int]] = {}
        for place, item in enumerate(memories):
            keys: dict[str, None] = {}
            reading = read(item.memory, item.created_at)
            for found in reading.names:
                if found.weak:
                    weak.setdefault("name:" + found.norm, []).append(place)
                else:
                    keys.update(("name:" + name, None) for name in _names(found.norm))
            keys.update(dict.fromkeys(_item_keys(reading)))
            keys.update(("1:" + word.stem, None) for word in reading.words)
            keys.update(dict.fromkeys(_pairs(reading)))
            if item.topics:
                keys.update(("1:" + word.stem, None) for word in read("\n".join(item.topics)).words)
            if item.created_at is not None:
                keys.update(dict.fromkeys(_dates("d:" + datetime.fromtimestamp(item.created_at, UTC).date().isoformat())))
            for key in keys:
                places = self._places.get(key)
                if places is None:
                    places = self._places[key] = array("i")
                places.append(place)
        for key, also in weak.items():  # a capital at the head of a sentence, where the word is a name elsewhere
            if key in self._places:
                self._places[key] = array("i", sorted({*self._places[key], *also}))
        for key in self._places:
            if key.startswith("1:"):
                for group in self._groups_of(key[2:]):
                    self._groups.setdefault(group, []).append(key)
        most = max(FREQUENT_FROM, FREQUENT * self._size)
        self._frequent = frozenset(
            key[5:] for key, places in self._places.items() if key.startswith("name:") and len(places) >= most
        )

    @staticmethod
    def _groups_of(stem: str) -> Iterator[str]:
        heads = senses.heads(stem)
        yield from heads.hand
        yield from heads.wordnet
        start = senses.beginning(stem)
        if start is not None:
            yield "<" + start

    def _related(self, stem: str) -> list[tuple[float, str]]:
        """The words of the memories that may stand for a stem, itself included, each with what it counts, the least first."""
        out: dict[str, float] = {}
        heads = senses.heads(stem)
        start = senses.beginning(stem)
        for weight, groups in (
            (BY_BEGINNING, () if start is None else ("<" + start,)),
            (BY_WORDNET, heads.wordnet),
            (BY_HAND, heads.hand),
        ):
            for group in groups:
                words = self._groups.get(group, ())
                if len(words) <= MOST_RELATED:
                    out.update(dict.fromkeys(words, weight))
        own = "1:" + stem
        if own in self._places:
            out[own] = 1.0
        return sorted((weight, key) for key, weight in out.items())

    def scores(self, query: str, now: float | None = None) -> Scores:
        """For each memory, the idf of what it has in common with the query, summed (see the module's docstring).

        Args:
            now: what ``last week`` in the query is told from, epoch seconds; None: not known.
        """
        import numpy as np

        out: Scores = np.zeros(self._size)
        reading = read(query, now)
        stems: dict[str, None] = dict.fromkeys(word.stem for word in reading.words)
        for stem in stems:
            strength = np.zeros(self._size)
            for weight, key in self._related(stem):
                strength[self._at(key)] = weight
            out += self._idf(int(np.count_nonzero(strength))) * strength
        keys: dict[str, None] = dict.fromkeys(_pairs(reading))
        keys.update(dict.fromkeys(_item_keys(reading)))
        for found in reading.names:
            keys.update(("name:" + name, None) for name in _names(found.norm))
        keys.update(dict.fromkeys(self._small_names(query)))
        for key in keys:
            if key in self._places:
                places = self._at(key)
                out[places] += self._idf(len(places))
        return np.round(out, 9)

    def _at(self, key: str) -> Places:
        import numpy as np

        return np.frombuffer(self._places[key], dtype=np.int32)

    def _idf(self, number: int) -> float:
        return math.log(1 + (self._size - number + 0.5) / (number + 0.5))

    def _small_names(self, query: str) -> Iterator[str]:
        """Names of the memories that a question writes in small letters."""
        words = [bare(piece.text).removesuffix("'s") for piece in tokens(query) if piece.kind != "mark"]
        for start in range(len(words)):
            for end in range(start + 1, min(start + _LONGEST, len(words)) + 1):
                key = "name:" + " ".join(words[start:end])
                if key in self._places:
                    yield key

    def told(self, text: str) -> str:
        """The text without whom it is about, where that is in so many memories that it tells none from another.

        A sentence's vector leans towards the names in it, so that two sentences about one person come close whatever they say.
        """
        out = _USER.sub("", text)
        if self._frequent:
            found = [
                (piece.start, piece.end)
                for piece in tokens(out)
                if piece.kind != "mark" and bare(piece.text).removesuffix("'s") in self._frequent
            ]
            for start, end in reversed(found):
                out = out[:start] + out[end:]
        return out if sum(char.isalnum() for char in out) >= _TOO_LITTLE else text

"""What memories and questions have in common that can be told exactly: names, numbers, dates, identifiers, topics."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from memopt.facts import read
from memopt.facts.words import bare, tokens
from memopt.memory import UserMemory

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Scores = NDArray[np.float64]

_LONGEST = 4
"""A name has at most so many words where it is looked for in a question that is not capitalised."""


def _names(norm: str) -> list[str]:
    parts = norm.split()
    return [norm] if len(parts) == 1 else [norm, *parts]


def _date_keys(key: str) -> list[str]:
    """A date tells its month and year too."""
    body = key[2:]
    return [key] if body.startswith("--") else ["d:" + body[:end] for end in (4, 7, 10) if len(body) >= end]


class Entities:
    """An index of entities; a rare one counts more: ``ln(1 + (N - n + 0.5) / (n + 0.5))``, the idf of BM25 (Lucene's).

    Args:
        memories: what is searched.
    """

    def __init__(self, memories: Sequence[UserMemory]) -> None:
        self._size = len(memories)
        self._places: dict[str, list[int]] = {}
        weak: dict[str, list[int]] = {}
        for place, item in enumerate(memories):
            keys: dict[str, None] = {}
            for found in read(item.memory, item.created_at).items:
                if found.kind == "quote":
                    continue
                if found.kind == "name":
                    if found.weak:
                        weak.setdefault("name:" + found.norm, []).append(place)
                    else:
                        keys.update(("name:" + name, None) for name in _names(found.norm))
                elif not found.weak:
                    for key in sorted(found.keys):
                        keys.update(dict.fromkeys(_date_keys(key) if key.startswith("d:") else [key]))
            for topic in item.topics or ():
                keys["topic:" + bare(topic)] = None
            if item.created_at is not None:
                keys.update(dict.fromkeys(_date_keys("d:" + datetime.fromtimestamp(item.created_at, UTC).date().isoformat())))
            for key in keys:
                self._places.setdefault(key, []).append(place)
        for key, places in weak.items():  # a capital at the head of a sentence, where the word is a name elsewhere
            if key in self._places:
                self._places[key] = sorted({*self._places[key], *places})

    def keys_of_query(self, query: str, now: float | None) -> list[str]:
        """The entities of a question that some memory has; names also where they are written small."""
        keys: dict[str, None] = {}
        for found in read(query, now).items:
            if found.kind == "name":
                keys.update(("name:" + name, None) for name in _names(found.norm))
            elif found.kind != "quote" and not found.weak:
                keys.update(dict.fromkeys(sorted(found.keys)))
        words = [bare(piece.text).removesuffix("'s") for piece in tokens(query) if piece.kind != "mark"]
        for start in range(len(words)):
            for end in range(start + 1, min(start + _LONGEST, len(words)) + 1):
                phrase = " ".join(words[start:end])
                keys.update(dict.fromkeys(("name:" + phrase, "topic:" + phrase)))
        return [key for key in keys if key in self._places]

    def scores(self, keys: Sequence[str]) -> Scores:
        """For each memory the idf of those of the entities that it has, summed."""
        import numpy as np

        out: Scores = np.zeros(self._size)
        for key in keys:
            places = self._places[key]
            out[places] += math.log(1 + (self._size - len(places) + 0.5) / (len(places) + 0.5))
        return out

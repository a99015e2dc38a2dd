"""A user's memories as an agent searches them: meaning, BM25 and entities, fused after min-max scaling, and recency."""

from __future__ import annotations

import copy
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from memopt.errors import UsageError
from memopt.facts.reading import split_sentences
from memopt.memory import UserMemory, newest
from memopt.retrieval.entities import Entities
from memopt.retrieval.ranking import SIGNALS, Ranking
from memopt.retrieval.terms import Terms, missing

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from memopt.similarity.embed import Embedder, Vectors

    Scores = NDArray[np.float64]

DAY = 86_400.0
DECIMALS = 9
"""Scores that agree so far are equal, and the id decides."""
PASSAGES = 32
"""A memory of several sentences is compared whole and sentence by sentence; a longer one in so many passages."""
SENTENCE = 9
"""A sentence has at least so many letters."""
LONGEST_QUERY = 2_000
"""Characters of a query that are looked for. A question is shorter; of a page or a log each further word costs a pass over the
memories, its embedding most, and tells less."""
_LONGEST_WORD = 100
"""What is longer without a blank is cut, as Chinese is."""
_CHUNK = 2048
"""Texts that are embedded between two words of progress."""

RELATED = 0.25
"""Cosine from which a memory alone makes a match, though it shares no word with the query. With the default embedder one in three
hundred pairs of a question and a memory of other people comes so close (docs/search.md)."""
BESIDE = 0.15
"""... and where there is a match, memories that come so close are told below it: one in twenty of these pairs."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A memory that was found.

    Attributes:
        score: what it is ranked by, 0 to 1.
        parts: what the score is made of, by name: ``semantic`` (cosine), ``lexical`` (BM25), ``entity`` (summed idf), each also
            with ``_scaled`` (0 to 1 over all memories) and ``_weight`` behind its name, ``fused``, ``recency`` and
            ``recency_weight``. A signal that could tell nothing is missing.
    """

    memory: UserMemory
    score: float
    parts: Mapping[str, float]


@dataclass(frozen=True)
class Scored:
    """One query's figures, one a memory, in the order of the memories.

    Attributes:
        raw: by signal: cosine, BM25, summed idf. Without those that could tell nothing.
        scaled: the same, 0 to 1.
        weights: what each signal weighs for this query; they add up to 1, unless there is none.
        share: of the recency in the score.
        matches: whether a memory has anything in common with the query.
    """

    raw: Mapping[str, Scores]
    scaled: Mapping[str, Scores]
    weights: Mapping[str, float]
    share: float
    fused: Scores
    recency: Scores
    final: Scores
    matches: Any


class Index:
    """Memories, ready to be searched.

    Args:
        memories: of one user, usually.
        ranking: the weights.
        embedder: makes vectors of texts; None: the words alone are compared.
        now: the time that ages are counted from, epoch seconds; None: when the newest memory last changed.
        told: called with (done, all) while texts are embedded.

    Raises:
        UsageError: the extra ``search`` is not installed.
        ModelError: the embedder is a service and failed.
    """

    def __init__(
        self,
        memories: Sequence[UserMemory],
        *,
        ranking: Ranking | None = None,
        embedder: Embedder | None = None,
        now: float | None = None,
        told: Callable[[int, int], None] | None = None,
    ) -> None:
        self.memories = tuple(memories)
        self.ranking = ranking or Ranking()
        self.embedder = embedder
        self._now = now
        self._terms = Terms()
        self._lexical = BM25([self._terms.of_text(item.memory) for item in self.memories], self.ranking.k1, self.ranking.b)
        self._entities = Entities(self.memories)
        self._told = told
        self._meanings: Meanings | None = None
        self._embed()
        self._dated, self._recency, self.order  # noqa: B018 - worked out now, so that the first query is as quick as the next

    def _embed(self) -> None:
        if self._meanings is None and self.embedder is not None and self.ranking.semantic > 0 and self.memories:
            texts = [passages(self._entities.told(item.memory)) for item in self.memories]
            self._meanings = Meanings(texts, self.embedder, self._told)

    def under(self, ranking: Ranking) -> Index:
        """The same memories under other weights; nothing is read or embedded anew, unless ``k1`` or ``b`` differ."""
        out = copy.copy(self)
        out.ranking = ranking
        out.__dict__.pop("_recency", None)
        if (ranking.k1, ranking.b) != (self.ranking.k1, self.ranking.b):
            out._lexical = BM25([out._terms.of_text(item.memory) for item in out.memories], ranking.k1, ranking.b)
        out._embed()
        return out

    @cached_property
    def now(self) -> float | None:
        """What ages are counted from; None where no memory has a date."""
        if self._now is not None:
            return self._now
        return newest(item.last_changed for item in self.memories)

    @cached_property
    def ages(self) -> Scores:
        """Days since each memory last changed, 0 for what lies ahead; NaN where it has no date."""
        import numpy as np

        now = self.now
        dates = [item.last_changed for item in self.memories]
        return np.array([math.nan if now is None or date is None else max(now - date, 0.0) / DAY for date in dates])

    @cached_property
    def _dated(self) -> bool:
        return any(item.last_changed is not None for item in self.memories)

    @cached_property
    def _recency(self) -> Scores:
        return recency(self.ages, self.ranking.half_life_days)

    @cached_property
    def order(self) -> Any:
        """The rank of each memory's id, for ties."""
        import numpy as np

        order = sorted(range(len(self.memories)), key=lambda place: (self.memories[place].memory_id or "", place))
        out = np.empty(len(order), dtype=np.int64)
        out[order] = np.arange(len(order))
        return out

    def scores(self, query: str) -> Scored:
        """All figures of a query; of one that is longer than LONGEST_QUERY, of its beginning.

        Raises:
            UsageError: the query says nothing.
        """
        import numpy as np

        if not any(char.isprintable() and not char.isspace() for char in query):
            raise UsageError("the query is empty: say what is looked for")
        query = beginning(query)
        weights = {name: getattr(self.ranking, name) for name in SIGNALS}
        raw: dict[str, Any] = {}
        if self._meanings is not None and weights["semantic"] > 0:
            raw["semantic"] = self._meanings.cosines(self._entities.told(query))
        if weights["lexical"] > 0:
            raw["lexical"] = self._lexical.scores(self._terms.of_query(query))
        if weights["entity"] > 0:
            raw["entity"] = self._entities.scores(query, self.now)
        matches = np.zeros(len(self.memories), dtype=bool)
        met = {name: values >= (RELATED if name == "semantic" else 1e-9) for name, values in raw.items()}
        for found in met.values():
            matches |= found
        if matches.any() and "semantic" in raw:
            matches |= raw["semantic"] >= BESIDE
        scaled: dict[str, Scores] = {}
        for name, values in raw.items():
            if len(values) and values.max() > values.min():
                scaled[name] = (values - values.min()) / (values.max() - values.min())
            elif met[name].any():  # all alike, and all of them match
                scaled[name] = np.ones(len(values))
        raw = {name: raw[name] for name in scaled}
        total = sum(weights[name] for name in raw)
        weights = {name: weights[name] / total for name in raw}
        fused: Scores = np.zeros(len(self.memories))
        for name, values in scaled.items():
            fused += weights[name] * values
        share = self.ranking.recency if self._dated else 0.0
        final = (1 - share) * fused + share * self._recency
        return Scored(raw, scaled, weights, share, fused, self._recency, np.round(final, DECIMALS), matches)

    def search(self, query: str, limit: int = 10) -> list[Hit]:
        """The memories that match best, best first; of equal scores, by id. Empty where none has anything to do with the query.

        Raises:
            UsageError: the query says nothing, or the limit is below 1.
        """

        if limit < 1:
            raise UsageError(f"the limit is a whole number above 0, not {limit!r}")
        if not self.memories:
            return []
        return self.best(self.scores(query), limit)

    def best(self, found: Scored, limit: int) -> list[Hit]:
        """The hits of ``search`` from figures that are there already."""
        import numpy as np

        places = np.nonzero(found.matches)[0]
        if len(places) > limit:
            values = found.final[places]
            worst = np.partition(values, len(values) - limit)[len(values) - limit]
            places = places[values >= worst]
        places = places[np.lexsort((self.order[places], -found.final[places]))][:limit]
        return [self._hit(found, int(place)) for place in places]

    def _hit(self, found: Scored, place: int) -> Hit:
        parts: dict[str, float] = {}
        for name, values in found.raw.items():
            parts[name] = float(values[place])
            parts[name + "_scaled"] = float(found.scaled[name][place])
            parts[name + "_weight"] = found.weights[name]
        parts["fused"] = float(found.fused[place])
        parts["recency"] = float(found.recency[place])
        parts["recency_weight"] = found.share
        return Hit(self.memories[place], float(found.final[place]), parts)


def beginning(query: str) -> str:
    """What of a query is looked for: all of it, or as many whole words as stand in its first LONGEST_QUERY characters."""
    text = query.strip()
    if len(text) <= LONGEST_QUERY:
        return text
    *words, cut_off = re.split(r"(?=\s)", text[: LONGEST_QUERY + 1])
    return "".join(words).rstrip() if words and len(cut_off) <= _LONGEST_WORD else text[:LONGEST_QUERY]


def recency(ages: Scores, half_life: float, *, middle: Scores | None = None) -> Scores:
    """``0.5 ** (age / half-life)``; what has no age (NaN) gets the median of the others, since nothing speaks for or against it.

    Args:
        ages: days.
        half_life: days.
        middle: the ages that the median is of; None: these.
    """
    import numpy as np

    out: Scores = np.exp2(-ages / half_life)
    known = ages if middle is None else middle
    known = known[~np.isnan(known)]
    out[np.isnan(out)] = float(np.median(np.exp2(-known / half_life))) if len(known) else 0.0
    return out


def passages(text: str) -> list[str]:
    """The text, and where it has several sentences each of them; of very many, as many stand together as leave PASSAGES.

    A sentence of a word or a sign alone (``Ok.``, an emoji) is close to anything, and is compared with the rest only.
    """
    spans = [span for span in split_sentences(text) if _length(text[span[0] : span[1]]) >= SENTENCE]
    if len(spans) < 2:
        return [text]
    step = -(-len(spans) // PASSAGES)
    return [text, *(text[spans[at][0] : spans[min(at + step, len(spans)) - 1][1]] for at in range(0, len(spans), step))]


def _length(text: str) -> int:
    """Letters and digits; a character of Chinese or Japanese says as much as three."""
    return sum(3 if char > "\u2e7f" else 1 for char in text if char.isalnum())


class Meanings:
    """The vectors of memories; each equal text is embedded once.

    Args:
        texts: for each memory its passages, at least one.
        told: called with (done, all).
    """

    def __init__(self, texts: Sequence[Sequence[str]], embedder: Embedder, told: Callable[[int, int], None] | None) -> None:
        import numpy as np

        self.embedder = embedder
        known: dict[str, int] = {}
        rows = [known.setdefault(part, len(known)) for parts in texts for part in parts]
        wanted = list(known)
        done = []
        for start in range(0, len(wanted), _CHUNK):
            if told is not None:
                told(start, len(wanted))
            done.append(embedder.embed(wanted[start : start + _CHUNK]))
        if told is not None:
            told(len(wanted), len(wanted))
        vectors = np.concatenate(done)
        several = len(rows) > len(texts)
        self._vectors: Vectors = vectors if len(vectors) == len(rows) else vectors[rows]
        self._starts: Any = np.cumsum([0, *(len(parts) for parts in texts[:-1])]) if several else None

    def cosines(self, query: str) -> Scores:
        """For each memory, the cosine of its closest passage; rounded, so that no order of summing decides between memories."""
        import numpy as np

        vector = self.embedder.embed([query])[0]
        if len(vector) != self._vectors.shape[1]:  # a service that was sent nothing but blank texts has no length of its own yet
            return np.zeros(len(self._vectors) if self._starts is None else len(self._starts))
        out = self._vectors @ vector
        if self._starts is not None:
            out = np.maximum.reduceat(out, self._starts)
        cosines: Scores = np.round(out.astype(np.float64), 6)
        return cosines


class BM25:
    """BM25 in Lucene's variant, by the library bm25s (X. H. Lù, "BM25S", 2024): ``idf * tf / (tf + k1 (1 - b + b dl / avgdl))``
    with ``idf = ln(1 + (N - n + 0.5) / (n + 0.5))``.

    Args:
        texts: the terms of each text.

    Raises:
        UsageError: the extra ``search`` is not installed.
    """

    def __init__(self, texts: Sequence[Sequence[str]], k1: float = 1.5, b: float = 0.75) -> None:
        try:
            import bm25s
        except ImportError as error:
            raise missing(error) from None
        self._size = len(texts)
        self._ids: dict[str, int] = {}
        coded = [[self._ids.setdefault(term, len(self._ids)) for term in text] for text in texts]
        self._index: Any = None
        if self._ids:
            self._index = bm25s.BM25(k1=k1, b=b, method="lucene", dtype="float64")
            self._index.index((coded, dict(self._ids)), create_empty_token=False, show_progress=False)

    def scores(self, terms: Sequence[str]) -> Scores:
        """One score a text, 0 where no term is in it."""
        import numpy as np

        ids = [self._ids[term] for term in terms if term in self._ids]
        if not ids:
            return np.zeros(self._size)
        out: Scores = self._index.get_scores_from_ids(ids)
        return out

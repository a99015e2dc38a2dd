"""Plain statements that no word gives away: looked for by meaning, where an embedder is at hand.

The words of a free paraphrase may all be other ones (*gets seasick*, *boats make her sick*). So a plain statement that coverage
alone calls lost or invented is excused where a sentence, or a clause of one, on the other side comes close to it in an embedding.
Closeness proves nothing by itself (what contradicts a text lies as near to it as what repeats it), so ``opposed`` is asked too: both
must have the same names, numbers, relatives, denials, doubts and tense, and no opposites. Nothing but plain statements is ever
excused: a number, a date, a name, a denial or a swapped subject is not looked for by meaning.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache
from typing import Any, NamedTuple, Protocol

from memopt.facts import lexicon, senses
from memopt.facts.paraphrase import rivals
from memopt.facts.polarity import segments, turns
from memopt.facts.reading import denies, read
from memopt.facts.words import brief, fold, stem, tokens
from memopt.verify.lines import Side, Unit, item_keys

THRESHOLDS = {"use-multilingual": 0.75, "wordllama": 0.8}
"""How close a statement must come, as a cosine, by embedder. Calibrated by benchmarks/verification.py."""
MOST = 2000
"""Of a side with more sentences than this only those that share words with a statement are looked at."""


class Vectors(Protocol):
    """Makes vectors of texts; ``memopt.strategies.meaning.Meaning`` does."""

    threshold: float

    def vectors(self, texts: Sequence[str]) -> Any:
        """One row of length 1 a text (numpy)."""
        ...


class Match(NamedTuple):
    """What comes nearest to a statement: its words, and the cosine."""

    nearest: str
    score: float


_KEPT = 20_000


class Meanings:
    """Looks for statements by meaning, among the sentences and clauses of the other side. A text's vector is made once.

    Args:
        vectors: who makes them, and the cosine from which on two texts are taken to mean the same.
    """

    def __init__(self, vectors: Vectors) -> None:
        self._vectors = vectors
        self._known: dict[str, Any] = {}

    def match(self, side: Side, unit: Unit, other: Side, near: Sequence[int]) -> Match | None:
        """The nearest piece of the other side that says what a unit says; None where there is none.

        Args:
            side: whose unit it is.
            near: lines of the other side that share words with it.

        Raises:
            ModelError: an embedder that is a service failed.
        """
        line = side.lines[unit.line]
        fact = side.memories[line.memory].memory[unit.start : unit.end].strip(_MARKS)
        telling = [each for each in unit.terms if each.weight >= 0.5]
        if not telling or (unit.start > line.start and len(telling) < 2):
            return None  # "and effort"
        lines = range(len(other.lines)) if len(other.lines) <= MOST else near
        found = list(dict.fromkeys(piece for number in lines for piece in pieces(other.lines[number].text)))
        if not found:
            return None
        known = self._learn([fact, *found])
        mine = known[fact]
        scored = sorted(((float(mine @ known[piece]), piece) for piece in found), key=lambda entry: (-entry[0], entry[1]))
        for score, piece in scored:
            if score < self._vectors.threshold:
                return None
            if opposed(fact, piece, line.text) is None:
                return Match(piece, round(score, 3))
        return None

    def _learn(self, texts: Sequence[str]) -> dict[str, Any]:
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        if new:
            made = dict(zip(new, self._vectors.vectors(new), strict=True))
            if len(self._known) > _KEPT:
                self._known = {text: self._known[text] for text in texts if text in self._known}
            self._known.update(made)
        return self._known


_MARKS = " ,;，；、.。-•*\t\n"


_DOUBT = frozenset(
    lexicon.words(
        """
    may might could would should must if unless maybe perhaps possibly probably want wants wanted plan plans planned hope hopes hoped
    consider considering considered considers try trying tries tried wish wishes wished claims claimed pretends dreams dreamed imagines
    forgot forgets supposedly allegedly someday eventually ask asks asked
    """
    )
)
_CJK_DOUBT = ("想", "打算", "可能", "也许", "如果", "计划", "希望", "准备", "考虑")


@lru_cache(maxsize=16384)
def pieces(sentence: str) -> tuple[str, ...]:
    """A sentence, and its clauses where it has several."""
    whole = sentence.strip(_MARKS)
    clauses = [part for left, right in segments(sentence, fine=False) if (part := sentence[left:right].strip(_MARKS))]
    return tuple(dict.fromkeys([whole, *clauses] if whole else clauses))


def opposed(fact: str, other: str, around: str) -> str | None:
    """Why two texts that come close do not say the same; None: nothing speaks against it.

    Args:
        around: the sentence that the fact stands in: it may tell whose the fact is.
    """
    here, there = _marks(fact), _marks(other)
    context = _marks(around)
    for item in here.items:
        if not any(not item_keys(item).isdisjoint(item_keys(one)) for one in there.items):
            return f"only one says {brief(item.surface)}"
    known = {part for item in (*here.items, *context.items) if item.kind == "name" for part in item.norm.split()}
    for item in there.items:
        if item.kind == "name" and known.isdisjoint(item.norm.split()):
            return f"only one names {brief(item.surface)}"
    if _people(here.words) != _people(there.words) and _people(context.words) != _people(there.words):
        return "other people"
    if here.sure % 2 != there.sure % 2 or here.denied != there.denied or here.past != there.past:
        return "a denial on one side"
    if here.hedges != there.hedges:
        return "a doubt on one side"
    opposites = lexicon.opposites()
    for word in here.words - there.words:
        against = opposites.get(word)
        if against and not against.isdisjoint(there.words - here.words):
            return f"opposites: {word} / {min(against & there.words)}"
        if any(rivals(word, one) for one in there.words - here.words):
            return f"not the same: {word}"
    for left, right in lexicon.CJK_ANTONYMS:
        for one, two in ((left, right), (right, left)):
            if one in fact and two in other and one not in other and two not in fact:
                return f"opposites: {one} / {two}"
    return None


class _Marks(NamedTuple):
    words: frozenset[str]
    items: tuple[Any, ...]
    sure: int
    denied: bool
    past: bool
    hedges: bool


@lru_cache(maxsize=16384)
def _marks(text: str) -> _Marks:
    words = frozenset(fold(token.text).removesuffix("'s") for token in tokens(text) if token.kind == "word")
    words |= frozenset(word for word in lexicon.CJK_RELATIONS if word in text)
    items = tuple(item for item in read(text).items if not item.weak and item.kind != "quote")
    found = turns(text)
    past = any(turn.kind == "past" for turn in found)
    return _Marks(
        words,
        items,
        sum(turn.sure for turn in found),
        denies(text),
        past,
        not words.isdisjoint(_DOUBT) or any(word in text for word in _CJK_DOUBT),
    )


@cache
def _relations() -> frozenset[str]:
    return lexicon.RELATIONS | frozenset(lexicon.CJK_RELATIONS)


def _people(words: frozenset[str]) -> frozenset[frozenset[str]]:
    """The relatives and friends that words name, each as the groups of the thesaurus that it is in."""
    return frozenset(
        senses.heads(word if not word.isascii() else stem(word)).hand or frozenset((word,)) for word in words & _relations()
    )


__all__ = ["MOST", "THRESHOLDS", "Match", "Meanings", "Vectors", "opposed", "pieces"]

"""What memories are worth, by themselves and together.

What a set of memories tells is measured in two ways at once. Each sentence is worth something by itself (see
``memopt.facts.telling``: numbers, dates, names and events against feelings and praise), and a kept memory stands for a
sentence as far as it holds its words: a sentence that another one restates is not worth its tokens twice. Beside that, each
rare word counts once, so that no subject goes under altogether.

An older sentence is worth less where a newer one replaces what it says, and a newer memory stands for an older one about the
same subject better than the other way round.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from memopt.memory import UserMemory
from memopt.strategies.choose import Choice, Problem, choose, worth_of
from memopt.tokens import TokenCounter

SPREAD = 0.25
"""What a word that nobody else uses adds to what a memory is worth, where a plain sentence is worth 0.5."""
ALMOST = 0.9
"""The same words in another order, or with others between, may say something else."""
LONG = 8
"""A sentence of four times so many words is worth twice as much."""
WORDS = 4
"""From so many words on, each word of a sentence adds less: four times as many words add twice as much."""
VITAL = 3.0
"""What an agent should not forget (an allergy, a medicine, the user's name) is worth so many times as much."""
ITEM = 2.0
"""A number, a date or a title weighs as much as so many rare words."""
GENERAL = 0.3
"""A word that could stand in any sentence weighs as much as so many others."""
STANDS_FOR = 0.6
"""A sentence stands for another from this share of its words on; below, their likeness is chance."""
OLDER = 0.25
"""An older sentence stands for a newer one so much worse, times the weight of recency."""
FEW = 0.04
"""A name in at most this share of a user's memories is rare."""

_LOOKED_UP = 8
"""So many of a sentence's rarest words are looked up to find sentences like it."""
_LISTED = 48
"""A word that more sentences than this hold finds none, except by its newest ones where a sentence has no rarer word."""
_NEAREST = 8
"""A sentence may be represented by so many others."""

_BAD = re.compile(
    r"\b(?:wrong|incorrect|inaccurate|bad|false|untrue|outdated|not (?:true|right|correct|accurate|helpful)|unhelpful|useless"
    r"|irrelevant|negative|dislike|thumbs[ -]?down)\b|👎|错|不对|不准|不正确|没用|无用|过时",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Weights:
    """How much each side of a memory's worth counts: 0 leaves it out, 1 is the default.

    Attributes:
        specificity: numbers, dates, names and events over feelings and praise.
        redundancy: what no other kept memory says.
        recency: the newer of two memories about the same subject.
        feedback: good feedback raises a memory, bad feedback lowers it.
    """

    specificity: float = 1.0
    redundancy: float = 1.0
    recency: float = 1.0
    feedback: float = 1.0


@dataclass(slots=True)
class _Sentence:
    """A sentence of the store, once however often it is said, in whatever case and punctuation.

    Attributes:
        concepts: its words and items with their weight; a denied word is another word.
        worth: what it is worth, 0 to 1, by the best of the memories that hold it.
        newest: when it was said last (epoch seconds); None where that is not known.
    """

    concepts: dict[str, float]
    worth: float = 0.0
    newest: float | None = None


@dataclass(slots=True)
class _Held:
    """One memory's sentences: their numbers, with the log-odds and the signs of each."""

    sentences: list[int]
    scores: list[float]
    opinions: int
    plain: int
    replaced_by: int | None = None


class Values:
    """What memories are worth, by themselves and together.

    Reading is the costly part and happens once, for any number of budgets. Time is about linear in the number of memories.

    Args:
        memories: a user's memories in the order of ``_canonical``; blank ones are worth nothing.
        weights: how much each side of it counts.

    Attributes:
        sentences: every sentence once. The features of ``choose`` begin with them, under the same numbers.
        held: what each memory says.
        features, strengths, worth: see ``Problem``.
    """

    def __init__(self, memories: Sequence[UserMemory], weights: Weights) -> None:
        self.memories = memories
        self.weights = weights
        self.sentences: list[_Sentence] = []
        self.held: list[_Held] = []
        self._read()
        self._rarity()
        self.likes = self._find_likes()
        self.worth: list[float] = []
        self.features: list[tuple[int, ...]] = []
        self.strengths: list[tuple[float, ...]] = []
        self._cover()

    def _read(self) -> None:
        from memopt.facts.telling import chance, told
        from memopt.similarity.normalise import fold

        said = [[] if item.is_blank else told(item.memory) for item in self.memories]
        named: dict[str, int] = defaultdict(int)
        for each in said:
            for name in {name for sentence in each for name in sentence.names}:
                named[name] += 1
        few = max(1, int(FEW * len(self.memories)))
        replaced = self._replaced()
        numbers: dict[str, int] = {}
        for place, (item, each) in enumerate(zip(self.memories, said, strict=True)):
            held = _Held([], [], 0, 0)
            liked = self._feedback(item)
            for sentence in each:
                concepts = dict.fromkeys(sorted(sentence.general), GENERAL)
                concepts.update(dict.fromkeys(sorted(sentence.words), 1.0))
                concepts.update((f"@{norm}", 1.0) for norm in sorted(sentence.names))
                concepts.update((f"#{norm}", ITEM) for norm in sorted(sentence.items))
                number = numbers.setdefault(fold(item.memory[sentence.start : sentence.end]), len(self.sentences))
                if number == len(self.sentences):
                    self.sentences.append(_Sentence(concepts))
                unit = self.sentences[number]
                score = sentence.score(sum(named[name] <= few for name in sentence.names))
                worth = chance(score * self.weights.specificity) * liked * max(1.0, len(concepts) / LONG) ** 0.5
                if sentence.is_vital and self.weights.specificity:
                    worth *= VITAL
                for start, end, newer in replaced.get(place, ()):
                    if start < sentence.end and sentence.start < end:
                        share = (min(end, sentence.end) - max(start, sentence.start)) / max(sentence.end - sentence.start, 1)
                        worth *= max(0.0, 1 - self.weights.recency * share)
                        held.replaced_by = newer
                unit.worth = max(unit.worth, worth)
                if item.last_changed is not None:
                    unit.newest = max(unit.newest if unit.newest is not None else -math.inf, item.last_changed)
                held.sentences.append(number)
                held.scores.append(score)
                held.opinions += sentence.is_opinion
                held.plain += not any(sign in sentence.signs for sign in ("hard", "quote", "soft", "new", "event", "recent"))
            self.held.append(held)

    def _feedback(self, item: UserMemory) -> float:
        if not item.feedback or not item.feedback.strip():
            return 1.0
        factor = 1 + self.weights.feedback
        return 1 / factor if _BAD.search(item.feedback) else factor

    def _replaced(self) -> dict[int, list[tuple[int, int, int]]]:
        """By the place of a memory: where a clause of it stands that a newer memory replaces, and the newer one's place."""
        if not self.weights.recency:
            return {}
        from memopt.facts.statements import superseded

        out: dict[int, list[tuple[int, int, int]]] = defaultdict(list)
        for item in superseded(self.memories):
            out[item.old_index].append((*item.span, item.new_index))
        return out

    def _rarity(self) -> None:
        """Weigh every word by how few sentences hold it: 1 for one sentence alone, near 0 for all of them."""
        self.postings: dict[str, list[int]] = defaultdict(list)
        for number, sentence in enumerate(self.sentences):
            for concept in sentence.concepts:
                self.postings[concept].append(number)
        total = len(self.sentences)
        scale = math.log(total + 1) or 1.0
        self.rarity = {
            concept: max(0.05, math.log((total + 1) / (len(places) + 0.5)) / scale) for concept, places in self.postings.items()
        }
        for sentence in self.sentences:
            for concept, weight in sentence.concepts.items():
                sentence.concepts[concept] = weight * self.rarity[concept]

    def _find_likes(self) -> list[list[tuple[int, float]]]:
        """For each sentence the others that stand for it, with the share of its words that they hold; its best few."""
        if not self.weights.redundancy:
            return [[] for _ in self.sentences]
        out: list[list[tuple[int, float]]] = []
        for number, sentence in enumerate(self.sentences):
            whole = sum(sentence.concepts.values())
            rarest = sorted(sentence.concepts, key=lambda concept: (len(self.postings[concept]), concept))
            found: dict[int, float] = defaultdict(float)
            looked_up = [concept for concept in rarest[:_LOOKED_UP] if len(self.postings[concept]) <= _LISTED] or rarest[:1]
            for concept in looked_up:
                for other in self.postings[concept][:_LISTED]:
                    found[other] += sentence.concepts[concept]
            found.pop(number, None)
            nearest = sorted(found, key=lambda other: (-found[other], other))[: 2 * _NEAREST]
            alike = []
            for other in nearest:
                there = self.sentences[other].concepts
                shared = sum(weight for concept, weight in sentence.concepts.items() if concept in there) / whole
                if shared >= STANDS_FOR:
                    alike.append((other, min(shared, ALMOST)))
            out.append(sorted(alike, key=lambda entry: (-entry[1], entry[0]))[:_NEAREST])
        return out

    def _cover(self) -> None:
        """Sentences are features; so is each word that several sentences hold, and all those together that only one does."""
        older = min(1.0, OLDER * self.weights.recency)
        strength = min(1.0, self.weights.redundancy)
        stood_for: dict[int, list[tuple[int, float]]] = defaultdict(list)
        for number, alike in enumerate(self.likes):
            for other, shared in alike:
                stood_for[other].append((number, shared * strength))
        spread = SPREAD * self.weights.redundancy
        worth = self.worth
        worth += [sentence.worth for sentence in self.sentences]
        alone = len(worth)
        for sentence in self.sentences:
            worth.append(spread * sum(self.rarity[word] for word in sentence.concepts if len(self.postings[word]) == 1))
        shared_words: dict[str, int] = {}
        for item, held in zip(self.memories, self.held, strict=True):
            covers: dict[int, float] = {}

            def cover(feature: int, strength: float, covers: dict[int, float] = covers) -> None:
                if strength > covers.get(feature, 0.0):
                    covers[feature] = strength

            for number in held.sentences:
                sentence = self.sentences[number]
                tells = min(1.0, sentence.worth) * min(1.0, (WORDS / len(sentence.concepts)) ** 0.5)
                cover(number, 1 - older if self._is_older(item, number) else 1.0)
                cover(alone + number, tells)
                for other, shared in stood_for[number]:
                    cover(other, shared * (1 - older if self._is_older(item, other) else 1.0))
                for word in sentence.concepts:
                    if len(self.postings[word]) > 1:
                        feature = shared_words.setdefault(word, len(worth))
                        if feature == len(worth):
                            worth.append(spread * self.rarity[word])
                        cover(feature, tells)
            self.features.append(tuple(covers))
            self.strengths.append(tuple(covers.values()))

    def score(self, at: int) -> float | None:
        """The best log-odds among a memory's sentences; None for one that says nothing."""
        return max(self.held[at].scores, default=None)

    def shared(self, number: int, at: int) -> float:
        """The share of a sentence's words that a memory holds: 1 where it holds the sentence itself."""
        held = self.held[at].sentences
        return 1.0 if number in held else max((share for other, share in self.likes[number] if other in held), default=0.0)

    def _is_older(self, item: UserMemory, number: int) -> bool:
        """Whether the sentence was said later than in this memory; an undated memory is older than every dated one."""
        newest = self.sentences[number].newest
        return newest is not None and (item.last_changed is None or item.last_changed < newest)


def in_canonical_order(memories: Sequence[UserMemory]) -> list[tuple[int, UserMemory]]:
    """The memories with their places in the list given, in an order that hangs on what they are and not on where they stand."""
    return sorted(enumerate(memories), key=_canonical)


def _canonical(entry: tuple[int, UserMemory]) -> tuple[Any, ...]:
    """The newest first, then by text and id, so that the order of the rows decides nothing. Undated last."""
    place, item = entry
    changed = item.last_changed
    return (changed is None, -(changed or 0), item.memory, item.memory_id or "", place)


class Weighed:
    """A user's memories with what each costs and is worth, ready to be cut to any budget.

    Args:
        memories: all of them. Blank and protected ones stay whatever the budget.
        weights: how much each side of a memory's worth counts.
        counter: counts tokens.

    Attributes:
        memories: in the order of ``_canonical``.
        places: where each of these stands in the list given.
        costs: tokens of each one's prompt line, its line break included.
        first: tokens of the line break before the first line.
        fixed: indices of those that stay whatever the budget.
    """

    def __init__(self, memories: Sequence[UserMemory], weights: Weights, counter: TokenCounter) -> None:
        entries = in_canonical_order(memories)
        self.places = [place for place, _ in entries]
        self.memories = [item for _, item in entries]
        self.costs = [counter.text(f"- {item.in_prompt}\n") for item in self.memories]
        self.first = counter.text("\n")
        self.fixed = [at for at, item in enumerate(self.memories) if item.protected is not None or item.is_blank]
        self.values = Values(self.memories, weights)

    def within_tokens(self, tokens: int) -> Choice:
        """The best set whose prompt lines are at most so many tokens."""
        return choose(self._problem(self.costs), tokens - self.first, self.fixed)

    def within_count(self, memories: int) -> Choice:
        """The best set of at most so many memories."""
        return choose(self._problem([1] * len(self.memories)), memories, self.fixed)

    def _problem(self, costs: Sequence[int]) -> Problem:
        values = self.values
        return Problem(costs, values.features, values.strengths, values.worth)

    @property
    def worth(self) -> float:
        """What all memories are worth together."""
        return worth_of(self._problem(self.costs), range(len(self.memories)))

"""Which memories tell what answers a question, before a plan and after it. Pure.

A question needs one or more pieces of evidence: each memory that it names, or, where it names none, one of the memories that tell
the answer: those with all its words, and of these those that speak most of what is asked. After a plan a piece is held by

- the memory itself where its text is as it was, and any memory with the same text (but for case, blanks and punctuation);
- a memory that was written from it, by the plan's lineage (``sources``, ``into``, a revised text, or a new text of which the
  strategy does not say what it was made from), *if its text still tells it*: the words of the answer that the old memory held,
  and no fact around them that the verifier misses; where the question gives no answer, or its words were not in the memory, all
  facts of the memory. A copy of the question tells nothing.

So a blank memory with all ids as its sources holds nothing, and a memory that holds everything is only as good as what can be
read of it (``memopt.evaluation.measure`` limits the tokens).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TypeAlias

from memopt.evaluation.marks import Need, marks_of, needs_of, sentences, without_question, words_of
from memopt.evaluation.questions import Question
from memopt.memory import UserMemory
from memopt.plan import Action, Change, Plan
from memopt.similarity.normalise import fold
from memopt.tokens import TokenCounter
from memopt.verify.lines import is_cjk, weigh

Key: TypeAlias = tuple[str | None, str]
"""A memory by its user and its id."""

_ASKED_SHARE = 0.6
"""So much of what the question asks about must stand in the sentence that holds the answer, in these words or in others."""
_SAME_SENSE = 0.8
_LIGHT = 0.3
_FILLERS = frozenset("的了在是和与对吗呢用户有")
_MUST_SHARE = 1 / 3
"""A rewrite without this share of a memory's words is not taken for telling it, also where the verifier found no fact to miss."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """One user's memories before and after a plan.

    Attributes:
        before, after: the memories.
        lives_in: by the id of a memory before, ids of the memories after in which it may live on, its own included.
        tokens_before, tokens_after: of the prompt lines.
    """

    user_id: str | None
    before: tuple[UserMemory, ...]
    after: tuple[UserMemory, ...]
    lives_in: Mapping[str, frozenset[str]]
    tokens_before: int
    tokens_after: int

    @classmethod
    def of_plan(cls, plan: Plan) -> Outcome:
        """What a plan would leave."""
        before = tuple(change.before for change in plan.changes if change.before is not None)
        return cls(
            plan.user_id, before, plan.memories, lineage(plan.changes), plan.tokens_before.prompt, plan.tokens_after.prompt
        )

    @classmethod
    def unchanged(cls, user_id: str | None, memories: Sequence[UserMemory], counter: TokenCounter) -> Outcome:
        """All memories as they are."""
        listed = tuple(memories)
        tokens_ = counter.figures(listed).prompt
        ids = [item.memory_id for item in listed if item.memory_id is not None]
        return cls(user_id, listed, listed, {each: frozenset((each,)) for each in ids}, tokens_, tokens_)


def lineage(changes: Iterable[Change]) -> dict[str, frozenset[str]]:
    """For each memory before, the memories after in which it may live on.

    A strategy need not say what it made a new text from; such a text may hold whatever was dropped without a word of where it
    went.
    """
    listed = list(changes)
    into: dict[str, set[str]] = defaultdict(set)
    there = {change.memory_id for change in listed if change.after is not None}
    unsaid = set()
    for change in listed:
        if change.after is None:
            continue
        if change.before is not None:
            into[change.memory_id].add(change.memory_id)
        for source in change.sources:
            into[source].add(change.memory_id)
        if change.action in (Action.ADDED, Action.REVISED) and not change.sources:
            unsaid.add(change.memory_id)
    for change in listed:
        if change.after is not None:
            continue
        if change.into is not None and change.into in there:
            into[change.memory_id].add(change.into)
        elif change.memory_id not in into:
            into[change.memory_id] |= unsaid
    return {memory_id: frozenset(places) for memory_id, places in into.items()}


@dataclass(frozen=True, slots=True)
class Piece:
    """One piece of evidence of a question.

    Attributes:
        memory: the memory that was named; None: one of those that tell the answer (``Store.sources``).
        key: the named memory's user and id.
    """

    memory: UserMemory | None = None
    key: Key | None = None


@dataclass(frozen=True, slots=True)
class Asked:
    """A question with its evidence among the memories before.

    Attributes:
        question: the question.
        pieces: what answers it.
        stale: the outdated memories it names, as far as they are there.
        unknown: ids it names that no memory has.
    """

    question: Question
    pieces: tuple[Piece, ...]
    stale: tuple[Piece, ...] = ()
    unknown: tuple[str, ...] = ()


def ask(question: Question, outcomes: Sequence[Outcome]) -> Asked:
    """Find the evidence of a question among the memories before.

    Without ids, the answer's words are the evidence, where it has some that the question does not give away. Without either there
    are no pieces.
    """
    found: dict[str, Piece] = {}
    wanted = {*question.memory_ids, *question.stale_ids}
    for outcome in outcomes:
        for item in outcome.before:
            if item.memory_id in wanted:
                found.setdefault(item.memory_id, Piece(item, (outcome.user_id, item.memory_id)))
    unknown = tuple(each for each in (*question.memory_ids, *question.stale_ids) if each not in found)
    pieces = tuple(found[each] for each in question.memory_ids if each in found)
    if not question.memory_ids and any(_told_needs(question, answer) for answer in question.answers):
        pieces = (Piece(),)
    stale = tuple(found[each] for each in question.stale_ids if each in found and each not in question.memory_ids)
    return Asked(question, pieces, stale, unknown)


def why_not(asked: Asked) -> str:
    """Why a question cannot be asked of the memories before, where none of its evidence is there."""
    question = asked.question
    if question.memory_ids and not asked.pieces:
        return "no memory has any of its ids"
    if asked.pieces and asked.pieces[0].memory is not None:
        return "the memories it names are blank"
    if asked.pieces:
        return "no memory tells its answer"
    return "its answer has no word that could be looked for: name memory ids"


def _tells(memory: UserMemory, needs: Sequence[Need], question: Question) -> bool:
    """Whether a memory has all the words of an answer, elsewhere than in a copy of the question."""
    text = without_question(memory.memory, question.text)
    words = words_of(text)  # a text without the words need not be read for its numbers and dates
    if not all(need.is_hard or need.held(words) for need in needs):
        return False
    marks = marks_of(text, memory.created_at)
    return all(need.held(marks) for need in needs)


def _told_needs(question: Question, answer: str) -> tuple[Need, ...]:
    """What an answer needs beyond the words of the question itself."""
    given = marks_of(question.text)
    return tuple(need for need in needs_of(answer) if not need.held(given))


@dataclass
class Store:
    """The memories after a plan, of one or several users, asked what they hold.

    Args:
        outcomes: one a user.
        needed: the evidence that will be asked for: a rewritten memory is compared with all of it at once.

    Attributes:
        memories: those of all users, in their order.
    """

    outcomes: Sequence[Outcome]
    needed: Iterable[Piece]
    memories: list[UserMemory] = field(init=False, default_factory=list)

    def __post_init__(self) -> None:
        self._place: dict[int, int] = {}
        self._users: list[str | None] = []
        self._original: dict[Key, str] = {}
        self._before = [(outcome.user_id, item) for outcome in self.outcomes for item in outcome.before]
        self._sources: dict[Question, list[Piece]] = {}
        self._lives_in: dict[Key, frozenset[str]] = {}
        for outcome in self.outcomes:
            for item in outcome.after:
                self._place[id(item)] = len(self.memories)
                self.memories.append(item)
                self._users.append(outcome.user_id)
            for item in outcome.before:
                if item.memory_id is not None:
                    key = (outcome.user_id, item.memory_id)
                    self._original[key] = item.memory
                    self._lives_in[key] = outcome.lives_in.get(item.memory_id, frozenset())
        self._needed = {piece.key: piece.memory for piece in self.needed if piece.key is not None and piece.memory is not None}
        self._carried: dict[tuple[int, int], Mapping[Key, _Lost]] = {}
        self._holding: dict[tuple[Key | None, Question], frozenset[int]] = {}
        self._by_fold: dict[Key, list[int]] = defaultdict(list)
        for at, item in enumerate(self.memories):
            if not item.is_blank:
                self._by_fold[self._users[at], _folded(item.memory)].append(at)
        self._by_key = {
            (user, item.memory_id): at
            for at, (user, item) in enumerate(zip(self._users, self.memories, strict=True))
            if item.memory_id is not None
        }

    def place(self, memory: UserMemory) -> int:
        """Where one of the memories stands in the list."""
        return self._place[id(memory)]

    def holding(self, piece: Piece, question: Question) -> frozenset[int]:
        """The places of all memories that hold a piece of evidence."""
        name = (piece.key, question)
        if name not in self._holding:
            if piece.memory is None or piece.key is None:
                sources = self.sources(question)
                self._holding[name] = frozenset().union(*(self.holding(source, question) for source in sources))
            else:
                carriers = (self._by_key.get((piece.key[0], each)) for each in self._lives_in.get(piece.key, ()))
                same = [] if piece.memory.is_blank else self._by_fold.get((piece.key[0], _folded(piece.memory.memory)), [])
                places = {*same, *(at for at in carriers if at is not None)}
                self._holding[name] = frozenset(at for at in places if self.holds(at, piece, question))
        return self._holding[name]

    def holds(self, at: int, piece: Piece, question: Question, cut: int | None = None) -> bool:
        """Whether the memory at a place holds a piece of evidence.

        Args:
            cut: only so many characters of it are read; None: the whole text.
        """
        item = self.memories[at]
        if cut is not None and cut >= len(item.memory):
            cut = None
        if piece.memory is None or piece.key is None:
            return any(self.holds(at, source, question, cut) for source in self.sources(question))
        if item.is_blank or piece.memory.is_blank:
            return False
        wanted, here = _folded(piece.memory.memory), _folded(item.memory) if cut is None else fold(item.memory[:cut])
        if here == wanted and cut is None and self._users[at] == piece.key[0]:
            return True
        if not self._carries(at, piece.key):
            return False
        if _contains(here, wanted) and not _is_denied_copy(item.memory[:cut], wanted):
            return True
        return self._still_tells(at, piece.key, piece.memory, question, cut)

    def sources(self, question: Question) -> list[Piece]:
        """The memories before that tell the answer of a question without ids; any one of them is enough.

        Many a memory has the word ``2``: of those with the words of an answer only those count that speak most of what is asked.
        """
        if question not in self._sources:
            answers = self._answers(question)
            asked = [need for need in needs_of(question.text) if not _is_filler(need)]
            found: list[tuple[int, Piece]] = []
            for user, item in self._before:
                if item.is_blank or not any(_tells(item, needs, question) for needs in answers):
                    continue
                marks = marks_of(item.memory, item.created_at)
                found.append((sum(need.held(marks) for need in asked), Piece(item, (user, item.memory_id or ""))))
            most = max((about for about, _ in found), default=0)
            self._sources[question] = [piece for about, piece in found if about == most]
        return self._sources[question]

    def _carries(self, at: int, key: Key) -> bool:
        return self._users[at] == key[0] and self.memories[at].memory_id in self._lives_in.get(key, ())

    @staticmethod
    def _answers(question: Question) -> list[tuple[Need, ...]]:
        found = [_told_needs(question, answer) for answer in question.answers]
        return [needs for needs in found if needs]

    def _text(self, at: int, question: Question, cut: int | None) -> str:
        return without_question(self.memories[at].memory[:cut], question.text)

    def _still_tells(self, at: int, key: Key, source: UserMemory, question: Question, cut: int | None) -> bool:
        """Whether a text that was written from a memory still tells what the question asks of it."""
        text = self._text(at, question, cut)
        if not text.strip():
            return False
        held, marks = marks_of(source.memory, source.created_at), marks_of(text, self.memories[at].created_at)
        usable = False
        for needs in self._answers(question):
            here = [need for need in needs if need.held(held)]
            if 2 * len(here) < len(needs) or not here:
                continue  # the memory answers in other words; its own are what must be there
            usable = True
            if all(need.held(marks) for need in here) and _told_together(text, source, here, question):
                return True
        if usable:
            return False
        own = needs_of(source.memory)
        share = sum(need.held(marks) for need in own) / len(own) if own else 0.0
        hard = all(need.held(marks) for need in own if need.is_hard)
        if not hard or share < _MUST_SHARE:
            return False
        if text != self.memories[at].memory[:cut]:
            return not _lost([(key, source)], text, self.memories[at])[key].any
        return not self._losses(at, cut, key)[key].any

    def _losses(self, at: int, cut: int | None, key: Key) -> Mapping[Key, _Lost]:
        where = (at, -1 if cut is None else cut)
        if where not in self._carried:
            text = self.memories[at].memory[:cut]
            sources = [(each, memory) for each, memory in self._needed.items() if self._carries(at, each)]
            self._carried[where] = _lost(sources, text, self.memories[at])
        found = self._carried[where]
        return found if key in found else {key: _Lost(((0, 1 << 60),))}


@dataclass(frozen=True, slots=True)
class _Lost:
    """Where a memory tells something that a rewrite does not: spans of its text."""

    spans: tuple[tuple[int, int], ...] = ()

    @property
    def any(self) -> bool:
        return bool(self.spans)


def _lost(sources: Sequence[tuple[Key, UserMemory]], text: str, rewritten: UserMemory) -> dict[Key, _Lost]:
    """What a text lacks of each of the memories it was written from. Also what a newer one replaced: the question asks for it."""
    from memopt.verify import verify

    spans: dict[int, list[tuple[int, int]]] = defaultdict(list)
    report = verify([memory for _, memory in sources], [rewritten.but(memory=text)])
    by_id: dict[str, list[int]] = defaultdict(list)
    for place, (key, _) in enumerate(sources):
        by_id[key[1]].append(place)
    for lost in report.lost:
        spans[lost.index].append((lost.start, lost.end))
        for other in lost.also:
            for place in by_id[other]:
                spans[place].append(_find(sources[place][1], lost.fact))
    for gone in report.superseded:
        spans[gone.index].append(_find(sources[gone.index][1], gone.fact))
    return {key: _Lost(tuple(spans[place])) for place, (key, _) in enumerate(sources)}


@lru_cache(maxsize=65_536)
def _folded(text: str) -> str:
    return fold(text)


def _contains(text: str, wanted: str) -> bool:
    """Whether a folded text holds another as it stands, word for word."""
    at = text.find(wanted)
    while at >= 0:
        around = text[at - 1 : at] + text[at + len(wanted) : at + len(wanted) + 1]
        if not (around.isascii() and any(char.isalnum() for char in around)):
            return True
        at = text.find(wanted, at + 1)
    return False


def _is_denied_copy(text: str, wanted: str) -> bool:
    """Whether a sentence has the folded text word for word and denies it: ``not vegetarian since 2019``."""
    from memopt.facts.reading import denies

    holding = [sentence for sentence in sentences(text) if _contains(fold(sentence), wanted)]
    return bool(holding) and all(denies(sentence) and not denies(wanted) for sentence in holding)


def _find(memory: UserMemory, fact: str) -> tuple[int, int]:
    start = memory.memory.find(fact)
    return (0, len(memory.memory)) if start < 0 else (start, start + len(fact))


def _told_together(text: str, source: UserMemory, needs: Sequence[Need], question: Question) -> bool:
    """Whether one sentence tells the answer with what it is the answer to, and does not say the contrary of the old memory.

    The words of an answer alone tell nothing: *takes penicillin* has the word that *is allergic to penicillin* was asked for.
    """
    from memopt.facts.reading import denies

    held = marks_of(source.memory, source.created_at)
    answering = [
        sentence
        for sentence in sentences(source.memory)
        if any(need.held(marks_of(sentence, source.created_at)) for need in needs)
    ] or [source.memory]
    asked = [need for need in needs_of(question.text) if need.held(held) and need not in needs]
    about = [need for need in asked if not _is_filler(need)]
    least = _ASKED_SHARE
    if not asked:
        about = [need for part in answering for need in needs_of(part) if need not in needs and not _is_filler(need)]
        least = _MUST_SHARE
    was_denied = {denies(part) for part in answering}
    for sentence in sentences(text):
        marks = marks_of(sentence, source.created_at)
        if not all(need.held(marks) for need in needs) or denies(sentence) not in was_denied:
            continue
        told = sum(_held_in_other_words(need, marks) for need in about)
        if told >= least * len(about) and not any(_is_contrary(part, sentence) for part in answering):
            return True
    return False


def _is_filler(need: Need) -> bool:
    """What says nothing by itself: *work*, *take*, and a pair of Chinese characters with one that carries grammar."""
    if need.is_hard:
        return False
    return all(not _FILLERS.isdisjoint(key) if is_cjk(key) else weigh(key) < _LIGHT for key in need.keys)


def _held_in_other_words(need: Need, marks: frozenset[str]) -> bool:
    if need.held(marks):
        return True
    if need.is_hard:
        return False
    from memopt.facts import senses

    return any(senses.closeness(key, mark) >= _SAME_SENSE for key in need.keys for mark in marks if ":" not in mark)


@lru_cache(maxsize=32_768)
def _is_contrary(told: str, sentence: str) -> bool:
    from memopt.verify import verify

    if fold(told) == fold(sentence):
        return False
    report = verify([UserMemory(told, memory_id="told")], [UserMemory(sentence, memory_id="sentence")])
    return any(lost.kind in ("polarity", "opposite") for lost in report.lost)

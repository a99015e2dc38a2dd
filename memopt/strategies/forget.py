"""Remove what a person asked to have forgotten, and nothing else."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar

from memopt.errors import UsageError
from memopt.facts.about import SOMEBODY_ELSE, Fit, Request, names_in
from memopt.facts.cutting import Part, parts, subject_of, without
from memopt.memory import UserMemory
from memopt.strategies.base import Decision, MemoryOptimizationStrategy, Proposal, option

if TYPE_CHECKING:
    from memopt.similarity.embed import Embedder

THRESHOLD = 0.6
"""The score from which a piece is what was asked for."""

_NEAR = 0.5  # from this share of the threshold on, a memory that stays is told of
_MOST_NEAR = 25
_ROUNDS = 6
_SHOWN = 80
_AMBIGUOUS = 0.55  # of two that a pronoun may mean
UNDO_NOTE = (
    "unless it is applied with --purge, the journal in the store keeps what is removed, for undo, until memopt history --prune "
    "drops that run"
)
_NOTHING = Fit(0.0, "")
_COSINES = {"use-multilingual": 0.35}


@dataclass(frozen=True, slots=True)
class ForgetOptions:
    """Options of ``forget``."""

    about: str | None = option(None, "what to forget, in words: 'her phone number', 'Ann Lee', '她的电话号码'")
    match: str | None = option(None, "a regular expression: every clause in which it is found goes")
    id: str | None = option(None, "ids of memories that go whole, separated by commas")
    threshold: float = option(THRESHOLD, "with about: how well a clause must fit", minimum=0.05, maximum=1)
    semantic: bool = option(False, "with about: also find it by meaning (extra: embeddings)")
    semantic_threshold: float | None = option(
        None, "how near in meaning a clause must be, as a cosine; default: 0.35 with use-multilingual", minimum=0.05, maximum=1
    )
    embedding_model: str = option(
        "use-multilingual", "who compares meanings: use-multilingual, wordllama, or the model that --embedding-model names"
    )
    uncuttable: str = option(
        "review",
        "a memory that cannot be cut so that a sound text is left: list it for review, or drop it whole",
        choices=("review", "drop"),
    )


@dataclass(slots=True)
class _Found:
    """What one text holds: the parts to go, the best score among them, and the best one that stays."""

    gone: list[Part] = field(default_factory=list)
    best: Fit = _NOTHING
    near: Fit = _NOTHING
    near_text: str = ""

    def hit(self, part: Part, fit: Fit) -> None:
        self.gone.append(part)
        if fit.score > self.best.score:
            self.best = fit

    def miss(self, text: str, fit: Fit) -> None:
        if fit.score > self.near.score:
            self.near, self.near_text = fit, text


@dataclass(frozen=True, slots=True)
class _Meaning:
    """Cosines of pieces of text to the request, and from which one on they count."""

    cosine: float
    near: dict[str, float]

    def fit(self, piece: str, threshold: float) -> Fit:
        """On the scale of ``threshold``."""
        found = max(0.0, self.near.get(piece, 0.0))
        score = found / self.cosine * threshold
        return Fit(round(min(1.0, score), 4), f"meaning: cosine {found:.2f} (counts from {self.cosine:g} on)")


class ForgetStrategy(MemoryOptimizationStrategy):
    """Remove what was asked to be forgotten: whole memories that say nothing else, and single clauses out of others.

    Who is asked for is told apart strictly: another person's telephone number stays, and so does Anna Lee's where Ann Lee's is
    asked for. A memory that cannot be cut so that a sound text is left is listed for review. Blank and protected memories are
    left alone.

    What is near in meaning only is never enough where a name is asked for that is not there, or somebody else is spoken of.
    """

    name = "forget"
    summary = "remove what a person asked to have forgotten, clause by clause, and nothing else"
    Options: ClassVar[type[Any]] = ForgetOptions
    private_options = ("about", "match")

    embedder: Embedder | None = None
    """Who compares meanings; None: the local embedder that the option names."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        chosen = [key for key in ("about", "match", "id") if getattr(self.options, key) is not None]
        if len(chosen) != 1:
            what = f"not {' and '.join(chosen)} together" if chosen else "nothing was said, and nothing is removed"
            raise UsageError(f"forget takes one of about=WORDS, match=REGEX and id=ID[,ID]: {what}")
        if not getattr(self.options, chosen[0]).strip():
            raise UsageError(f"forget: {chosen[0]} is empty; nothing is removed")
        self._ids = tuple(part.strip() for part in (self.options.id or "").split(",") if part.strip())
        if self.options.id is not None and not self._ids:
            raise UsageError("forget: id names no memory; nothing is removed")
        self._request = Request.read(self.options.about) if self.options.about is not None else None
        self._pattern = _compiled(self.options.match) if self.options.match is not None else None
        self._near: _Meaning | None = None
        if self.options.semantic and self._request is None:
            raise UsageError("forget: semantic goes with about")

    @property
    def compares_meaning(self) -> bool:
        """Whether an embedder is needed."""
        return bool(self.options.semantic)

    # -- what a purge asks ---------------------------------------------------------------------------------------------

    def forgotten_ids(self) -> tuple[str, ...]:
        """The ids that were asked for."""
        return self._ids

    def forgets(self, text: str) -> bool:
        """Whether a text tells what is to be forgotten, whoever it is about."""
        self._near = None  # words alone: it is asked of every row of a journal
        return bool(self._find(text, self._request, frozenset(), strict=False).gone)

    # -- the work ------------------------------------------------------------------------------------------------------

    def steps(self, memories: Sequence[UserMemory]) -> Proposal:
        """Drop, cut, or leave each memory."""
        if self._ids:
            return self._by_id(memories)
        request, users = self._request, frozenset[str]()
        if self.options.semantic:
            self._near = self._compared(memories)
        if request is not None:
            looked_at = [item for item in memories if request.may_fit(item.memory)]
            users = _user_names(memories, looked_at)
            request = request.knowing(_known_names(looked_at))
        kept: list[UserMemory] = []
        decisions: dict[str, Decision] = {}
        near: list[tuple[float, str, Decision]] = []
        counts: Counter[str] = Counter()
        for item in memories:
            if item.is_blank:
                kept.append(item)
                continue
            found = self._find(item.memory, request, users)
            new, why = self._left(item, found, request, users)
            if item.protected is not None and (new is None or new is not item):
                counts["protected"] += 1
                _decide(decisions, item, f"protected ({item.protected}), though it fits: {why or self._score(found.best)}")
                new = item
            elif new is None:
                counts["dropped"] += 1
                _decide(decisions, item, why)
                continue
            elif new is not item:
                counts["cut"] += 1
                _decide(decisions, item, why)
            elif why:
                counts["review"] += 1
                _decide(decisions, item, why)
            elif found.near.score >= self.options.threshold * _NEAR and item.memory_id is not None:
                shown = f" “{_short(found.near_text)}”" if _short(found.near_text) != _short(item.memory) else ""
                reason = f"near miss, kept{shown}: {self._score(found.near)}"
                near.append((found.near.score, item.memory_id, _decision(reason)))
            kept.append(new)
        near.sort(key=lambda entry: (-entry[0], entry[1]))
        for _, memory_id, decision in near[:_MOST_NEAR]:
            decisions.setdefault(memory_id, decision)
        return Proposal(kept, decisions, self._notes(counts, len(near)))

    def _compared(self, memories: Sequence[UserMemory]) -> _Meaning:
        """How near in meaning every piece of the memories is to the request."""
        from memopt.similarity.embed import local

        assert self._request is not None
        embedder = self.embedder or local(self.options.embedding_model)
        cosine = self.options.semantic_threshold or _COSINES.get(embedder.name)
        if cosine is None:
            raise UsageError(
                f"forget: no threshold is known for the embedder {embedder.name}; set one with -o semantic-threshold=... "
                f"(known: {', '.join(_COSINES)})"
            )
        texts = [item.memory for item in memories if not item.is_blank]
        pieces = list(dict.fromkeys(text[part.start : part.end] for text in texts for part in parts(text)))
        vectors = embedder.embed([self._request.text, *pieces])
        near = vectors[1:] @ vectors[0]
        return _Meaning(cosine, {piece: float(value) for piece, value in zip(pieces, near, strict=True)})

    def _by_id(self, memories: Sequence[UserMemory]) -> Proposal:
        wanted = set(self._ids)
        there = {item.memory_id for item in memories}
        decisions: dict[str, Decision] = {}
        kept: list[UserMemory] = []
        counts: Counter[str] = Counter()
        for item in memories:
            if item.memory_id not in wanted:
                kept.append(item)
            elif item.protected is not None:
                counts["protected"] += 1
                _decide(decisions, item, f"protected ({item.protected}), though its id was named")
                kept.append(item)
            else:
                counts["dropped"] += 1
                _decide(decisions, item, "to be forgotten: its id was named")
        missing = [each for each in self._ids if each not in there]
        notes = [f"there is no memory with the id {each}" for each in missing]
        return Proposal(kept, decisions, (*notes, *self._notes(counts, 0)))

    def _find(self, text: str, request: Request | None, users: frozenset[str], *, strict: bool = True) -> _Found:
        """The smallest parts of a text that hold what is to be forgotten."""
        if self._pattern is not None:
            return _matches(text, self._pattern)
        if request is None or (self._near is None and not request.may_fit(text)):
            return _Found()
        return _fitting(text, request, users, self.options.threshold, strict, self._near)

    def _left(
        self, item: UserMemory, found: _Found, request: Request | None, users: frozenset[str]
    ) -> tuple[UserMemory | None, str]:
        """What is left of a memory (the very same object where nothing goes) and why; None where nothing is left."""
        changes: dict[str, Any] = {}
        told = ""
        if found.gone:
            text, removed = self._cut(item.memory, found, request, users)
            if text is None and self.options.uncuttable == "review":
                what = _short("; ".join(item.memory[part.start : part.end].strip() for part in found.gone))
                return item, f"for review: it fits ({self._score(found.best)}), but no sound text would be left without “{what}”"
            if not text:
                return None, f"to be forgotten: {self._score(found.best)}" + (
                    "" if text is not None else "; it could not be cut, and was to be dropped then"
                )
            changes["memory"] = text
            told = f"without “{_short('; '.join(removed))}”: {self._score(found.best)}"
        for name in ("input", "feedback"):
            value = getattr(item, name)
            also = self._find(value, request, users) if value else _Found()
            if also.gone:
                changes[name] = self._cut(value, also, request, users)[0] or None
                told = f"{told}; also out of its {name}" if told else f"it fits in its {name}: {self._score(also.best)}"
        if item.topics:
            left = tuple(topic for topic in item.topics if not self._is_topic(topic, request, users))
            if left != item.topics:
                changes["topics"] = left
                told = f"{told}; also out of its topics" if told else "it fits in its topics"
        return (item.but(**changes), told) if changes else (item, "")

    def _is_topic(self, topic: str, request: Request | None, users: frozenset[str]) -> bool:
        # "phone" as a topic tells no number; a name, or what a pattern finds, is told by a topic as by any text
        if request is not None and (request.kind is not None or not (request.names or request.literal)):
            return False
        return bool(self._find(topic, request, users).gone)

    def _cut(self, text: str, found: _Found, request: Request | None, users: frozenset[str]) -> tuple[str | None, list[str]]:
        """The text without all that fits, cut again until nothing does; None where no sound text would be left."""
        removed: list[str] = []
        for _ in range(_ROUNDS):
            removed += [text[part.start : part.end].strip() for part in found.gone]
            new = without(text, found.gone)
            if not new:
                return new, removed
            found = self._find(new, request, users)
            if not found.gone:
                return new, removed
            text = new
        return None, removed

    def _score(self, fit: Fit) -> str:
        if self._pattern is not None:
            return fit.why
        return f"{fit.why or 'words'}, score {fit.score:.2f}, threshold {self.options.threshold:.2f}"

    def _notes(self, counts: Counter[str], near: int) -> tuple[str, ...]:
        notes = []
        if counts["review"]:
            notes.append(
                f"{_count(counts['review'])} could not be cut so that a sound text is left: see the list, and drop them with "
                "id=..., or all of them with uncuttable=drop"
            )
        if counts["protected"]:
            notes.append(f"{_count(counts['protected'])} protected and kept, though what is to be forgotten is in there")
        if near > _MOST_NEAR:
            notes.append(f"{near - _MOST_NEAR} more near misses are kept and not listed")
        if counts["dropped"] or counts["cut"]:
            notes.append(UNDO_NOTE)
        return tuple(notes)


_UNLIKE = ("x", "X", "7", "茶", "?")
"""Texts that have nothing in common: what is found in each of them is found in all."""


def _compiled(text: str) -> re.Pattern[str]:
    try:
        pattern = re.compile(text)
    except re.error as error:
        raise UsageError(f"forget: match={text!r} is no regular expression: {error}") from None
    if pattern.search(""):
        raise UsageError(f"forget: match={text!r} is found in every text, the empty one too; nothing is removed")
    if all(pattern.search(each) for each in _UNLIKE):
        raise UsageError(f"forget: match={text!r} is found in every text; nothing is removed")
    return pattern


def _decide(decisions: dict[str, Decision], item: UserMemory, reason: str) -> None:
    if item.memory_id is not None:
        decisions[item.memory_id] = _decision(reason)


def _decision(reason: str) -> Decision:
    from memopt.strategies.secrets import masked

    # what is asked to be forgotten is often what must not be shown
    return Decision(masked(" ".join(reason.split())))


def _count(number: int) -> str:
    return f"{number} {'memory' if number == 1 else 'memories'}"


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"


def _matches(text: str, pattern: re.Pattern[str]) -> _Found:
    """The smallest part around each place where the pattern is found."""
    found = _Found()
    if pattern.search(text) is None:
        return found
    listed = parts(text)
    for match in pattern.finditer(text):
        if match.end() == match.start():
            continue
        around = [part for part in listed if part.start <= match.start() and match.end() <= part.end]
        chosen = [min(around, key=lambda part: (part.end - part.start, -part.level))] if around else []
        chosen = chosen or [part for part in listed if part.level == 0 and part.start < match.end() and match.start() < part.end]
        for part in chosen or listed[:1] or (Part(0, len(text), 0),):
            if part not in found.gone:
                found.hit(part, Fit(1.0, f"the pattern is found in it: “{_short(match.group())}”"))
    return found


def _fitting(
    text: str,
    request: Request,
    users: frozenset[str],
    threshold: float,
    strict: bool,
    meaning: _Meaning | None,
) -> _Found:
    found = _Found()
    listed = parts(text)
    judge = _Judge(text, request, users, threshold, strict, meaning, [part for part in listed if _is_aside(text, part)])
    done = 0
    for part in listed:
        if part.level > 0 or part.start < done:
            continue
        if part.level < 0:
            each = judge.block(part)
            if each.score >= threshold:
                found.hit(part, each)
                done = part.end
            continue
        inner = [other for other in listed if other.level > 0 and part.start <= other.start and other.end <= part.end]
        _fit_sentence(judge, part, inner, found)
    return found


def _fit_sentence(judge: _Judge, sentence: Part, inner: Sequence[Part], found: _Found) -> None:
    """Enter the smallest parts of a sentence that fit."""
    text, threshold = judge.text, judge.threshold
    clauses = [part for part in inner if part.level == 1] or [sentence]
    before, sure = subject_of(text, sentence.start)
    judge = replace(judge, heading=text[sentence.lead[0] : sentence.lead[1]])
    scored = [(clause, judge.fit(clause, before, sure)) for clause in clauses]
    hits = [(clause, each) for clause, each in scored if each.score >= threshold]
    asides = [(part, judge.fit(part, before, sure)) for part in inner if part in judge.asides]
    gone = [(part, each) for part, each in asides if each.score >= threshold]
    if not hits and not gone:
        # what no clause tells alone is told by the sentence only where every clause has to do with it
        whole = judge.fit(sentence, before, sure)
        if whole.score >= threshold and all(each.score > 0 for _, each in scored):
            found.hit(sentence, whole)
            return
        best = max([each for _, each in (*scored, *asides)] + [whole], key=lambda each: each.score)
        if best.score >= threshold:
            best = Fit(round(threshold * 0.95, 2), best.why + ", spread over clauses that say more")
        found.miss(text[sentence.start : sentence.end], best)
        return
    for clause, each in hits:
        gone = [(part, score) for part, score in gone if not (clause.start <= part.start and part.end <= clause.end)]
        items = [
            part
            for part in inner
            if part.level == 2 and part not in judge.asides and clause.start <= part.start and part.end <= clause.end
        ]
        if judge.request.kind is not None and judge.request.kind.places:
            items = [part for part in items if not part.loose]  # "12 Main Street, Bern" is one address
        chosen = [(part, judge.fit(part, before, sure)) for part in items]
        chosen = [(part, score) for part, score in chosen if score.score >= threshold]
        if chosen and len(chosen) < len(items):
            gone += chosen
        else:
            gone.append((clause, each))
    if len(hits) == len(clauses) and all(part.level < 2 for part, _ in gone):
        gone = [(sentence, max((each for _, each in gone), key=lambda each: each.score))]
    for part, each in gone:
        found.hit(part, each)
    for clause, each in scored:
        if each.score < threshold:
            found.miss(text[clause.start : clause.end], each)


def _is_aside(text: str, part: Part) -> bool:
    """Whether this is what stands in parentheses, rather than an item of a list."""
    return part.level == 2 and text[part.start : part.end].lstrip()[:1] in ("(", "（")


@dataclass(frozen=True, slots=True)
class _Judge:
    """Scores parts of one text."""

    text: str
    request: Request
    users: frozenset[str]
    threshold: float
    strict: bool
    meaning: _Meaning | None
    asides: Sequence[Part]
    heading: str = ""  # the line that the sentence stands under

    def fit(self, part: Part, before: str, sure: bool) -> Fit:
        """How well a part fits.

        Args:
            before: whom its pronoun means.
            sure: whether it can be nobody else.
        """
        request, lead = self.request, self.text[part.lead[0] : part.lead[1]] if part.level else ""
        lead = f"{self.heading} {lead}".strip()
        context = f"{before} {lead}".strip()
        piece = self._own(part)
        scored = request.fit(piece, context, self.users, strict=self.strict)
        by_meaning = _NOTHING if self.meaning is None else self.meaning.fit(self.text[part.start : part.end], self.threshold)
        somebody_else = scored.score == SOMEBODY_ELSE or (not scored.score and (request.names or request.owner))
        if by_meaning.score > scored.score and not somebody_else:
            other = request.clash(piece, context, self.users) if self.strict else None
            scored = by_meaning if other is None else Fit(min(SOMEBODY_ELSE, by_meaning.score), other)
        if not self.strict or scored.score <= _AMBIGUOUS:
            return scored
        whose = (request.of_user or request.kind is not None) and not request.owner
        if whose and self.heading and not _OWN_HEADING.search(self.heading):
            sure = False
        unclear = not sure and (whose or request.fit(piece, lead, self.users).score < self.threshold)
        if part in self.asides and whose and not _OF_USER.search(lead):
            unclear = True  # it tells of what stands before it
        return Fit(min(_AMBIGUOUS, self.threshold * 0.9), "it is not told who is meant") if unclear else scored

    def _own(self, part: Part) -> str:
        """What a part says itself: without what stands in parentheses, which is a part of its own."""
        piece = self.text[part.start : part.end]
        if part in self.asides:
            return piece
        for aside in self.asides:
            piece = piece.replace(self.text[aside.start : aside.end], " ")
        return piece

    def block(self, block: Part) -> Fit:
        """How well a heading with its lines fits, where the heading names what is asked for; else nothing."""
        head = self.request.fit(self.text[block.lead[0] : block.lead[1]], "", self.users, strict=self.strict)
        if head.score < self.threshold * _NEAR or head.score == SOMEBODY_ELSE:
            return _NOTHING
        whole = self.request.fit(self.text[block.start : block.end], "", self.users, strict=self.strict)
        return max(head, whole, key=lambda each: each.score)


def _known_names(memories: Iterable[UserMemory]) -> frozenset[str]:
    return frozenset(name for memory in memories for name in names_in(memory.memory))


_OF_USER = re.compile(r"(?:\b(?:user|phone|number|mobile|e-?mail|address|contact)|用户|电话|手机|邮箱|地址)\s*$", re.IGNORECASE)
_OWN_HEADING = re.compile(
    r"\b(?:user|contact|details?|info(?:rmation)?|profile|personal|basics?|data|about|facts?|phones?|numbers?|address(?:es)?|e-?mails?|home|"
    r"work|other|misc|notes?|summary)\b|用户|联系|信息|资料|个人|电话|地址|邮箱|其他",
    re.IGNORECASE,
)
_LEADING = re.compile(r"\s*([A-Z][\w'’-]*(?: [A-Z][\w'’-]*)?)\s+(?:is|was|has|had|\w+s|\w+ed)\b")


def _user_names(memories: Sequence[UserMemory], looked_at: Sequence[UserMemory]) -> frozenset[str]:
    """Folded names that mean the user: the user's id, and a name with which very many memories begin."""
    from memopt.facts.words import bare

    names: Counter[str] = Counter()
    for item in memories:
        match = _LEADING.match(item.memory)
        if match:
            names[bare(match[1].split("'")[0].split("’")[0])] += 1
    out = {name for name, count in names.items() if count >= 3 and count * 5 >= len(memories) * 2}
    out |= {bare(item.user_id) for item in looked_at if item.user_id and item.user_id.isalpha()}
    return frozenset(out - {"user", "the user"})

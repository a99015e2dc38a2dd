"""Keep one of each group of memories that say the same.

Four tiers, each behind the one before: the same text; equal after folding (``memopt.similarity.normalise``);
near-duplicates, which look alike (``memopt.similarity.near``) and pass the guard of ``memopt.facts.conflict``; and, only with
``semantic``, paraphrases, which mean the same in other words (``memopt.strategies.meaning``). A near-duplicate or paraphrase is
held against the very memory that stays, so there are no chains in which A is like B, B is like C, and C goes for A.

What stays is the memory that changed last, in its own row: its text is never touched. It takes over the oldest
``created_at`` of its group, the topics of all, and feedback where it has none itself. A memory whose feedback differs from
that of the one that would stay is kept apart. Where ``updated_at`` is empty, the date the memory last changed moves there
when ``created_at`` becomes older, so that the memory does not look as old as what it replaces.

Nothing here depends on the order of the rows, and a second run finds nothing to do: the order in which memories are
looked at uses only what a merge leaves alone, and what was kept apart once is kept apart for reasons that still hold.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from memopt.memory import UserMemory, oldest, unite_topics
from memopt.strategies.base import Decision, MemoryOptimizationStrategy, Proposal, option

if TYPE_CHECKING:
    from memopt.similarity.embed import Embedder
    from memopt.strategies.meaning import Meaning

THRESHOLD = 0.7
"""The similarity from which a look-alike is a duplicate, if nothing speaks against it. See docs/dedupe-calibration.md."""


@dataclass(frozen=True, slots=True)
class DedupeOptions:
    """Options of ``dedupe``."""

    near: bool = option(True, "also merge near-duplicates; false: only texts that are equal, case and punctuation aside")
    threshold: float = option(THRESHOLD, "how similar near-duplicates are at least, by characters", minimum=0.5, maximum=1)
    contained: bool = option(
        False, "also merge a memory into a newer one that adds one more item (likes tea; likes tea and rice)"
    )
    group_by: str = option(
        "none",
        "merge only within one agent, one team or both; none: within all memories of the user, as they share one prompt",
        choices=("none", "agent", "team", "agent,team"),
    )
    semantic: bool = option(False, "also merge paraphrases: memories that say the same in other words (extra: embeddings)")
    semantic_threshold: float | None = option(
        None,
        "how close paraphrases are at least, as a cosine; default: as calibrated for the embedder",
        minimum=0.3,
        maximum=1,
    )
    embedding_model: str = option(
        "use-multilingual", "who compares meanings: use-multilingual, wordllama, or the model that --embedding-model names"
    )


@dataclass(slots=True)
class _Kept:
    """A memory that stays, and what went into it."""

    place: int
    memory: UserMemory
    folded: str
    feedback: str | None
    gone: list[tuple[int, str]] = field(default_factory=list)

    def takes(self, feedback: str | None) -> bool:
        return feedback is None or self.feedback is None or feedback == self.feedback

    def take(self, place: int, feedback: str | None, reason: str) -> None:
        self.gone.append((place, reason))
        if self.feedback is None:
            self.feedback = feedback


class DedupeStrategy(MemoryOptimizationStrategy):
    """Drop memories that a newer one repeats: same text, same but for case and punctuation, near-duplicates, paraphrases."""

    name = "dedupe"
    summary = "drop memories that a newer one repeats: same text, same but for case and punctuation, near-duplicates"
    Options: ClassVar[type[Any]] = DedupeOptions

    embedder: Embedder | None = None
    """Who compares meanings; None: the local embedder that the option names."""

    @property
    def compares_meaning(self) -> bool:
        """Whether an embedder is needed."""
        return bool(self.options.semantic)

    def steps(self, memories: Sequence[UserMemory]) -> Proposal:
        """Group the memories and keep the newest of each group."""
        from memopt.similarity.normalise import fold

        blank = [place for place, item in enumerate(memories) if item.is_blank]
        notes: list[str] = []
        if blank:
            notes.append(f"{_count(len(blank), 'blank memory', 'blank memories')} left alone")
        skipped = set(blank)
        folds: dict[str, str] = {}
        order: list[tuple[int, UserMemory, str]] = []
        for place, item in enumerate(memories):
            if place not in skipped:
                folded = folds.get(item.memory)
                if folded is None:
                    folded = folds[item.memory] = fold(item.memory)
                order.append((place, item, folded))
        order.sort(key=_newest_first)

        kept, apart = self._equal(order)
        if self.options.near:
            kept, apart_near = self._near(kept)
            apart += apart_near
        if self.options.semantic:
            from memopt.strategies.meaning import choose

            meaning = choose(self.embedder, self.options.embedding_model, self.options.semantic_threshold)
            kept, apart_meaning, merged = self._paraphrases(kept, memories, meaning)
            apart += apart_meaning
            notes.append(
                f"compared by meaning with {meaning.name} from {meaning.threshold:g} on: "
                f"{_count(merged, 'paraphrase', 'paraphrases')} found"
            )
        if apart:
            notes.append(f"{_count(apart, 'duplicate', 'duplicates')} kept because of feedback that differs")
        return _propose(memories, kept, notes)

    def _scope(self, item: UserMemory) -> tuple[str | None, ...]:
        by = self.options.group_by
        return (item.agent_id if "agent" in by else None, item.team_id if "team" in by else None)

    def _equal(self, order: Iterable[tuple[int, UserMemory, str]]) -> tuple[list[_Kept], int]:
        kept: list[_Kept] = []
        apart = 0
        groups: dict[tuple[str, tuple[str | None, ...]], list[_Kept]] = {}
        for place, item, folded in order:
            feedback = _feedback(item)
            group = groups.setdefault((folded, self._scope(item)), [])
            into = next((each for each in group if each.takes(feedback)), None)
            if into is None:
                apart += bool(group)
                fresh = _Kept(place, item, folded, feedback)
                group.append(fresh)
                kept.append(fresh)
            else:
                same = item.memory == into.memory.memory
                into.take(place, feedback, "same text as {}" if same else "equal to {} after folding case and punctuation")
        return kept, apart

    def _near(self, units: Sequence[_Kept]) -> tuple[list[_Kept], int]:
        from memopt.facts import conflict, loses
        from memopt.similarity.near import Index, key, keys, similarity, words

        threshold: float = self.options.threshold
        contained: bool = self.options.contained
        kept: list[_Kept] = []
        apart = 0
        indexes: dict[tuple[str | None, ...], Index] = {}
        for unit in units:
            index = indexes.setdefault(self._scope(unit.memory), Index())
            own = words(unit.folded) if any(map(str.isalnum, unit.folded)) else ()
            bag = key(own)
            best: _Kept | None = None
            score = 0.0
            refused = False
            for place in index.under(bag) if own else ():
                other = kept[place]
                if unit.folded == other.folded:  # kept apart before
                    continue
                alike = similarity(unit.folded, other.folded, max(threshold, score))
                if alike <= score:
                    continue
                texts = other.memory.memory, unit.memory.memory
                if (loses(*texts) if contained else conflict(*texts)) is not None:
                    continue
                if other.takes(unit.feedback):
                    best, score = other, alike
                else:
                    refused = True
            if best is not None:
                reason = f"near-duplicate of {{}}, {int(score * 100) / 100:.2f} similar"
                best.take(unit.place, unit.feedback, reason)
                for gone, _ in unit.gone:
                    best.take(gone, unit.feedback, reason)
                continue
            apart += refused
            if own:
                index.file(len(kept), keys(own) if contained else (bag,))
            kept.append(unit)
        return kept, apart

    def _paraphrases(self, units: list[_Kept], memories: Sequence[UserMemory], meaning: Meaning) -> tuple[list[_Kept], int, int]:
        """Repeated until nothing is found, where not every pair was looked at: so a second run finds nothing either."""
        vectors = meaning.vectors([unit.memory.memory for unit in units])
        rows = list(range(len(units)))
        merged = 0
        while True:
            kept, left, apart, complete = self._paraphrases_once(units, rows, vectors, memories, meaning)
            merged += len(units) - len(kept)
            if complete or len(kept) == len(units):
                return kept, apart, merged
            units, rows = kept, left

    def _paraphrases_once(
        self, units: list[_Kept], rows: list[int], vectors: Any, memories: Sequence[UserMemory], meaning: Meaning
    ) -> tuple[list[_Kept], list[int], int, bool]:
        contained: bool = self.options.contained
        found = meaning.pairs(
            vectors if len(rows) == len(vectors) else vectors[rows], [unit.memory.memory for unit in units], more=contained
        )
        rule = meaning.lacks if contained else meaning.apart
        gone: set[int] = set()
        apart = 0
        for place, unit in enumerate(units):
            refused = False
            for score, earlier in found.close[place]:
                other = units[earlier]
                if earlier in gone or self._scope(unit.memory) != self._scope(other.memory):
                    continue
                # all that went into this one goes with it, and is held against what stays as well
                said = dict.fromkeys([unit.memory.memory, *(memories[at].memory for at, _ in unit.gone)])
                if any(rule(other.memory.memory, text) is not None for text in said):
                    continue
                if not other.takes(unit.feedback):
                    refused = True
                    continue
                said_by = "is said by {} in other words, maybe with more" if contained else "says the same as {} in other words"
                reason = f"{said_by}, {int(score * 100) / 100:.2f} close"
                other.take(unit.place, unit.feedback, reason)
                for at, _ in unit.gone:
                    other.take(at, unit.feedback, reason)
                gone.add(place)
                refused = False
                break
            apart += refused
        left = [place for place in range(len(units)) if place not in gone]
        return [units[place] for place in left], [rows[place] for place in left], apart, found.complete


def _newest_first(entry: tuple[int, UserMemory, str]) -> tuple[Any, ...]:
    """Undated last; of equally old ones the longer text, then by text, id and place. A merge changes none of these."""
    place, item, folded = entry
    changed = item.last_changed
    return (changed is None, -(changed or 0), -len(folded), item.memory, item.memory_id or "", place)


def _age(item: UserMemory, place: int) -> tuple[Any, ...]:
    return _newest_first((place, item, ""))


def _which(stays: UserMemory, goes: UserMemory) -> str:
    if goes.last_changed is None:
        return "another memory" if stays.last_changed is None else "a dated memory"
    return "an equally old memory" if stays.last_changed == goes.last_changed else "a newer memory"


def _feedback(item: UserMemory) -> str | None:
    return item.feedback if item.feedback and item.feedback.strip() else None


def _count(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"


def _propose(memories: Sequence[UserMemory], kept: Iterable[_Kept], notes: list[str]) -> Proposal:
    after: list[UserMemory | None] = list(memories)
    decisions: dict[str, Decision] = {}
    foreign = 0
    for unit in kept:
        if not unit.gone:
            continue
        stays = unit.memory
        group = [stays, *(memories[place] for place, _ in sorted(unit.gone, key=lambda gone: _age(memories[gone[0]], gone[0])))]
        for place, reason in unit.gone:
            item = memories[place]
            after[place] = None
            foreign += (item.agent_id, item.team_id) != (stays.agent_id, stays.team_id)
            if item.memory_id is not None:
                relies_on = (stays.memory_id,) if stays.memory_id is not None else ()
                safe = _says_no_more(item, stays)
                decisions[item.memory_id] = Decision(reason.format(_which(stays, item)), stays.memory_id, relies_on, safe)
        revised, changes = _revise(stays, group, unit.feedback)
        after[unit.place] = revised
        if changes and stays.memory_id is not None:
            of = tuple(item.memory_id for item in group[1:] if item.memory_id is not None)
            decisions[stays.memory_id] = Decision(
                f"takes over {_listed(changes)} of {_count(len(unit.gone), 'duplicate', 'duplicates')}",
                relies_on=of,
                safe=all(_says_no_more(item, stays) for item in group),
            )
    if foreign:
        notes.append(
            f"{_count(foreign, 'duplicate was', 'duplicates were')} of another agent or team than the memory that stays; "
            "-o group-by=agent,team keeps those"
        )
    return Proposal([item for item in after if item is not None], decisions, tuple(notes))


def _says_no_more(item: UserMemory, stays: UserMemory) -> bool:
    """Whether nothing at all goes with the one that the other does not hold: its text, and whose it was."""
    return (item.memory, item.agent_id, item.team_id) == (stays.memory, stays.agent_id, stays.team_id)


def _revise(stays: UserMemory, group: Sequence[UserMemory], feedback: str | None) -> tuple[UserMemory, list[str]]:
    """The memory with what its duplicates add, and the names of what they add; the very same memory where that is nothing."""
    new: dict[str, Any] = {}
    names: list[str] = []
    created = oldest(item.created_at for item in group)
    if created is not None and (stays.created_at is None or created < stays.created_at):
        new["created_at"] = created
        names.append("the oldest date of creation")
        if stays.updated_at is None:
            new["updated_at"] = stays.last_changed
    own = stays.topics or ()
    more = [topic for topic in unite_topics(group) or () if topic not in own]
    if more:
        new["topics"] = (*own, *more)
        names.append("topics")
    if feedback is not None and _feedback(stays) is None:
        new["feedback"] = feedback
        names.append("feedback")
    return (stays.but(**new) if new else stays), names


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"

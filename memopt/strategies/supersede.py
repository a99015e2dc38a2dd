"""Keep what is current: where a newer memory replaces what an older one says, the older one goes, or loses just that.

What replaces what is decided by ``memopt.facts``: subject and attribute are read out of both sentences, and the attribute must
hold one value at a time, or the newer sentence must say itself that something is over. Nothing is decided by likeness. What no
rule decides is listed for a review, and with ``ask=true`` put to a model, whose verdicts go into the plan.

Nothing here depends on the order of the rows, and a second run finds nothing to do.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Generator, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from memopt.facts.statements import Findings, Hit, Statement, Undecided, find
from memopt.memory import UserMemory
from memopt.models.base import Ask, Failed
from memopt.strategies.base import Decision, MemoryOptimizationStrategy, Proposal, Result, Steps, option
from memopt.strategies.outdated import (
    Told,
    ask_about,
    dependents,
    figure_twins,
    insert_history,
    is_bare_change,
    mentions,
    negated_twins,
    plain_clause,
    read_verdicts,
    shortened,
    switched_items,
    told_of,
)

PAIRS_AT_ONCE = 20
_SHOWN = 90


@dataclass(frozen=True, slots=True)
class SupersedeOptions:
    """Options of ``supersede``."""

    history: str = option(
        "fold",
        "fold: the newer memory says what was before and until when; drop: the stale one goes, the newer is not touched; "
        "keep: only report",
        choices=("fold", "drop", "keep"),
    )
    loose: str = option(
        "others",
        "attributes that mostly hold one value (religion, founder, role in a team): true: take the newest; false: list them; "
        "others: take the newest unless it is about the user",
        choices=("others", "true", "false"),
    )
    ask: bool = option(False, "put doubtful pairs to the model")
    dependents: bool = option(True, "list what may depend on a replaced fact, such as the commute after a move")


@dataclass(slots=True)
class _Cut:
    """One thing that a memory no longer may say.

    ``span``: where its clause stands; None: the whole text. ``item``: the value of a list that goes, folded; None: the clause.
    ``instead``: what stands for the clause where only a part of it goes.
    """

    hit: Hit
    span: tuple[int, int] | None
    item: str | None = None
    told: str = ""
    forget: bool = False
    clause: str = ""
    instead: str | None = None


@dataclass(slots=True)
class _Work:
    """What is known of all memories, by position in the order of time."""

    memories: list[UserMemory]
    statements: list[tuple[Statement, ...]]
    found: Findings
    cuts: dict[int, list[_Cut]] = field(default_factory=lambda: defaultdict(list))
    review: dict[int, list[str]] = field(default_factory=lambda: defaultdict(list))
    doubts: list[Undecided] = field(default_factory=list)
    verdicts: list[dict[str, Any]] = field(default_factory=list)


class SupersedeStrategy(MemoryOptimizationStrategy):
    """Let newer memories replace what older ones say about the same thing."""

    name = "supersede"
    summary = "replace outdated facts by newer ones: jobs, places, names, prices, likes that turned; by rules, offline"
    Options: ClassVar[type[Any]] = SupersedeOptions

    def __init__(self, **options: Any) -> None:
        if isinstance(options.get("loose"), bool):
            options["loose"] = str(options["loose"]).lower()
        super().__init__(**options)
        self.needs_model = bool(self.options.ask)  # type: ignore[misc]

    def get_system_prompt(self) -> str:
        """The instructions for the model about doubtful pairs."""
        from memopt.strategies.outdated import SYSTEM

        return SYSTEM

    def steps(self, memories: Sequence[UserMemory]) -> Steps | Result:
        """Find what is outdated; with ``ask``, put what is doubtful to the model first."""
        work = self._read(memories)
        if self.options.ask:
            return self._asking(memories, work)
        return self._propose(memories, work)

    # -- finding -------------------------------------------------------------------------------------------------------

    def _read(self, memories: Sequence[UserMemory]) -> _Work:
        from memopt.facts.clauses import read_clauses

        ordered = sorted((item for item in memories if not item.is_blank), key=_age)
        statements = [read_clauses(item.memory) for item in ordered]
        loose: Any = {"true": True, "false": False}.get(self.options.loose, "others")
        work = _Work(ordered, statements, find(ordered, statements, loose=loose, deep=True))
        self._cut_clauses(work)
        self._cut_items(work)
        self._cut_twins(work)
        for doubt in work.found.undecided:
            if not self._leaves(work, doubt.index, doubt.key[1]):
                work.doubts.append(doubt)
        return work

    def _leaves(self, work: _Work, index: int, start: int) -> bool:
        return any(cut.span is None or cut.span[0] == start for cut in work.cuts.get(index, ()) if cut.item is None)

    def _cut_clauses(self, work: _Work) -> None:
        found = work.found
        for (index, start), items in found.per_clause.items():
            keys = [(index, start, item.attribute) for item in items]
            hits = [found.hits.get(key) or found.returned.get(key) for key in keys]
            over = [(hit, item) for hit, item in zip(hits, items, strict=True) if hit is not None and hit.newer != index]
            if not over:
                continue
            if not found.gone(index, start):
                hit, item = next(((h, i) for h, i in over if (index, start, i.attribute) in found.hits), over[0])
                if (index, start, item.attribute) in found.hits:
                    self._cut_part(work, index, hit, item)
                continue
            hit = max((hit for hit, _ in over), key=lambda each: (each.newer, each.until or 0))
            # what the whole clause said was over when the first part of it was
            ended = [each.until for each, _ in over if each.until is not None]
            hit = hit._replace(until=min(ended) if ended else None)
            forget = any(item.state == "retracted" for item in work.statements[hit.newer] if item.start == hit.start)
            told = "" if forget else told_of([item for _, item in over], same=self._same(work, hit, over))
            work.cuts[index].append(_Cut(hit, (items[0].start, items[0].end), None, told, forget, items[0].clause))

    def _same(self, work: _Work, hit: Hit, over: Sequence[tuple[Hit, Statement]]) -> bool:
        newer = {item.attribute for item in work.statements[hit.newer] if item.start == hit.start}
        return not newer or any(item.attribute in newer for _, item in over)

    def _cut_part(self, work: _Work, index: int, hit: Hit, item: Statement) -> None:
        """A clause of which only a part is outdated: without that part, or listed."""
        newer = next((each.clause for each in work.statements[hit.newer] if each.start == hit.start), "")
        short = shortened(item.clause, item.attribute, newer)
        if short is not None:
            span = (item.start, item.end)
            work.cuts[index].append(_Cut(hit, span, None, short[1], False, item.clause, short[0]))
            return
        reason = f"{hit.reason}; what else the sentence says may still hold"
        work.doubts.append(Undecided(index, hit.newer, (index, item.start, item.attribute), reason))

    def _cut_items(self, work: _Work) -> None:
        """Single items of lists: likes that turned, and what somebody switched away from."""
        for (index, start, attribute), values in work.found.partial.items():
            item = next(each for each in work.found.per_clause[index, start] if each.attribute == attribute)
            for value, hit in values.items():
                told = f"{told_of([item], only=value)}"
                work.cuts[index].append(_Cut(hit, (item.start, item.end), value, told))
        for index, span, value, hit in switched_items(work.memories, work.statements):
            if not self._leaves(work, index, span[0]):
                work.cuts[index].append(_Cut(hit, span, value, ""))

    def _cut_twins(self, work: _Work) -> None:
        for index, hit in negated_twins(work.memories):
            if not work.cuts.get(index):
                text = plain_clause(work.memories[index].memory)
                work.cuts[index].append(_Cut(hit, None, None, text))
        for index, hit in figure_twins(work.memories):
            if not work.cuts.get(index):
                text = plain_clause(work.memories[index].memory)
                work.cuts[index].append(_Cut(hit, None, None, text))

    # -- asking --------------------------------------------------------------------------------------------------------

    def _asking(self, memories: Sequence[UserMemory], work: _Work) -> Generator[Any, Any, Proposal]:
        pairs = [doubt for doubt in work.doubts if _is_after(work.memories[doubt.other], work.memories[doubt.index])]
        pairs = [doubt for doubt in pairs if self._could_go(work, doubt)]
        batches = [pairs[at : at + PAIRS_AT_ONCE] for at in range(0, len(pairs), PAIRS_AT_ONCE)]
        if batches:
            asks: list[Ask] = [ask_about([(work.memories[d.index], work.memories[d.other]) for d in batch]) for batch in batches]
            replies = yield asks
            for batch, reply in zip(batches, replies, strict=True):
                said = {} if isinstance(reply, Failed) else read_verdicts(reply.text, len(batch))
                for number, doubt in enumerate(batch, 1):
                    self._take(work, doubt, said.get(number))
        return self._propose(memories, work)

    def _could_go(self, work: _Work, doubt: Undecided) -> bool:
        """Whether the doubtful clause could be taken out on its own."""
        items = work.found.per_clause.get((doubt.index, doubt.key[1]))
        if not items:
            return False
        text = work.memories[doubt.index].memory
        return _remove(text, [_Cut(Hit(doubt.other, ""), (items[0].start, items[0].end))]) is not None

    def _take(self, work: _Work, doubt: Undecided, verdict: str | None) -> None:
        old, new = work.memories[doubt.index], work.memories[doubt.other]
        work.verdicts.append(
            {"older": old.memory_id, "newer": new.memory_id, "verdict": verdict or "not answered", "why_asked": doubt.reason}
        )
        if verdict != "replaces" or self._leaves(work, doubt.index, doubt.key[1]):
            return
        items = work.found.per_clause[doubt.index, doubt.key[1]]
        start = next((item.start for item in work.statements[doubt.other] if item.attribute == doubt.key[2]), -1)
        until = new.last_changed
        hit = Hit(
            doubt.other,
            f"the model judged that this was replaced ({doubt.reason})",
            start,
            None if until is None else float(until),
        )
        work.cuts[doubt.index].append(_Cut(hit, (items[0].start, items[0].end), None, told_of(items), False, items[0].clause))
        work.doubts = [each for each in work.doubts if each is not doubt]

    # -- proposing -----------------------------------------------------------------------------------------------------

    def _propose(self, memories: Sequence[UserMemory], work: _Work) -> Proposal:
        after: dict[int, UserMemory | None] = {}
        decisions: dict[int, Decision] = {}
        fold_in: dict[int, dict[int, list[Told]]] = defaultdict(lambda: defaultdict(list))
        self._settle(work, after, decisions, fold_in)
        if self.options.history == "fold":
            self._fold(work, after, decisions, fold_in)
        listed = self._list(work, after, decisions)
        by_place = {id(item): place for place, item in enumerate(work.memories)}
        out: list[UserMemory] = []
        for item in memories:
            place = by_place.get(id(item))
            new = item if place is None or place not in after else after[place]
            if new is not None:
                out.append(new)
        named = {work.memories[place].memory_id: decision for place, decision in decisions.items()}
        notes = self._notes(memories, work, after, listed)
        reports = (self._report(work),) if self.options.ask else ()
        return Proposal(out, {i: d for i, d in named.items() if i is not None}, tuple(notes), reports)

    def _settle(
        self,
        work: _Work,
        after: dict[int, UserMemory | None],
        decisions: dict[int, Decision],
        fold_in: dict[int, dict[int, list[Told]]],
    ) -> None:
        """Decide for every memory with something outdated what becomes of it."""
        rest: dict[int, str] = {}
        for place in sorted(work.cuts):
            cuts = work.cuts[place]
            item = work.memories[place]
            reason = "; ".join(dict.fromkeys(cut.hit.reason for cut in cuts))
            if item.protected is not None:
                work.review[place].append(f"{reason}, but it is protected ({item.protected})")
            elif self.options.history == "keep":
                by = ", ".join(dict.fromkeys(_named(work.memories[cut.hit.newer]) for cut in cuts))
                decisions[place] = Decision(f"superseded by {by}, kept as history=keep says: {reason}")
            else:
                left = _remove(item.memory, cuts)
                if left is None:
                    work.review[place].append(f"{reason}, but the sentence cannot be cut soundly")
                else:
                    rest[place] = left
        gone = {place for place, left in rest.items() if not left}
        if self.options.history == "fold":
            for place in sorted(rest):
                if not self._can_tell(work, place, gone):
                    work.review[place].append(
                        f"{work.cuts[place][0].hit.reason}, but the newer memory may not be changed to say what was before"
                    )
                    del rest[place]
                    gone.discard(place)
        for place, left in rest.items():
            item, cuts = work.memories[place], work.cuts[place]
            finals = [(cut, *_final(work, cut, gone)) for cut in cuts]
            newer = tuple(dict.fromkeys(i for _, at, _ in finals if (i := work.memories[at].memory_id) is not None))
            reason = "; ".join(dict.fromkeys(cut.hit.reason for cut in cuts))
            forgotten = any(cut.forget for cut in cuts)
            if left:
                after[place] = item.but(memory=left)
                decisions[place] = Decision(f"what is outdated was taken out: {reason}", relies_on=newer)
            else:
                after[place] = None
                into = None if forgotten or not newer else newer[-1]
                decisions[place] = Decision(f"superseded: {reason}", into=into, relies_on=newer)
            for cut, at, start in finals:
                if cut.told and not cut.forget and not mentions(work.memories[at].memory, cut.told):
                    fold_in[at][start].append(Told(cut.told, cut.hit.until, item.last_changed, cut.clause))

    def _can_tell(self, work: _Work, place: int, gone: set[int]) -> bool:
        for cut in work.cuts[place]:
            at, _ = _final(work, cut, gone)
            newer = work.memories[at]
            if cut.told and not cut.forget and newer.protected is not None and not mentions(newer.memory, cut.told):
                return False
        return True

    def _fold(
        self,
        work: _Work,
        after: dict[int, UserMemory | None],
        decisions: dict[int, Decision],
        fold_in: dict[int, dict[int, list[Told]]],
    ) -> None:
        """Give the newer memories what was before."""
        olds: dict[int, list[str]] = defaultdict(list)
        gone = {place for place, new in after.items() if new is None}
        for other in sorted(work.cuts):
            memory_id = work.memories[other].memory_id
            if memory_id is not None and other in after:
                for at in {_final(work, cut, gone)[0] for cut in work.cuts[other]}:
                    olds[at].append(memory_id)
        for place, by_start in fold_in.items():
            item = work.memories[place]
            current = after.get(place, item)
            if current is None:
                continue
            text = current.memory
            for start, told in sorted(by_start.items(), reverse=True):
                clause = next((s.clause for s in work.statements[place] if s.start == start), "")
                text = insert_history(text, clause, told)
            if text == current.memory:
                continue
            after[place] = item.but(memory=text)
            of = tuple(olds[place])
            before = decisions.get(place)
            count = len(of) or 1
            reason = f"now says what {count} older {'memory' if count == 1 else 'memories'} said before"
            if before is not None and before.reason:
                reason = f"{before.reason}; {reason}"
            needed = tuple(dict.fromkeys((*(before.relies_on if before else ()), *of)))
            decisions[place] = Decision(reason, relies_on=needed)

    def _list(self, work: _Work, after: dict[int, UserMemory | None], decisions: dict[int, Decision]) -> int:
        """List for a review what was not decided. Returns how many memories are listed."""
        for doubt in work.doubts:
            if after.get(doubt.other, doubt) is not None:
                beside = _short(work.memories[doubt.other].memory)
                work.review[doubt.index].append(f"{doubt.reason}; see {_named(work.memories[doubt.other])}: “{beside}”")
        if self.options.dependents:
            for place, reason in dependents(work.memories, work.statements, work.found):
                work.review[place].append(reason)
        listed = 0
        for place, reasons in sorted(work.review.items()):
            if place in decisions or after.get(place, 1) is None:
                continue
            listed += 1
            decisions[place] = Decision("for review: " + "; ".join(dict.fromkeys(reasons)))
        return listed

    def _notes(self, memories: Sequence[UserMemory], work: _Work, after: dict[int, UserMemory | None], listed: int) -> list[str]:
        notes: list[str] = []
        blank = len(memories) - len(work.memories)
        if blank:
            notes.append(f"{_count(blank, 'blank memory', 'blank memories')} left alone")
        if listed:
            notes.append(f"{_count(listed, 'memory is', 'memories are')} listed for review: no rule decides")
        if self.options.history == "keep" and work.cuts:
            notes.append(
                f"{_count(len(work.cuts), 'memory is', 'memories are')} outdated as a whole or in part; "
                "history=keep changes nothing"
            )
        if work.verdicts:
            replaced = sum(each["verdict"] == "replaces" for each in work.verdicts)
            notes.append(
                f"the model was asked about {_count(len(work.verdicts), 'pair', 'pairs')} and called {replaced} of them replaced"
            )
        return notes

    def _report(self, work: _Work) -> dict[str, Any]:
        """The plan's account of what the model was asked."""
        return {
            "memory_id": None,
            "label": self.name,
            "sources": len(work.memories),
            "on_loss": "keep",
            "facts": 0,
            "retention": 1.0,
            "lost": [],
            "invented": [],
            "superseded": [],
            "doubtful": [],
            "by_meaning": [],
            "judged": work.verdicts,
            "repairs": 0,
            "not_sent": {},
            "lineage": [],
        }


def _age(item: UserMemory) -> tuple[Any, ...]:
    changed = item.last_changed
    return (changed is None, changed or 0, item.memory, item.memory_id or "")


def _is_after(new: UserMemory, old: UserMemory) -> bool:
    return new.last_changed is not None and old.last_changed is not None and new.last_changed > old.last_changed


def _final(work: _Work, cut: _Cut, gone: set[int]) -> tuple[int, int]:
    """The memory that stands in the end for what a cut's newer memory says, and where in it; that one may be outdated itself."""
    at, start = cut.hit.newer, cut.hit.start
    seen = {at}
    while at in gone:
        following = work.cuts[at][-1].hit
        if following.newer in seen:
            break
        at, start = following.newer, following.start
        seen.add(at)
    return at, start


def _remove(text: str, cuts: Sequence[_Cut]) -> str | None:
    """The text without what is outdated; "" where nothing is left, None where it cannot be cut soundly."""
    from memopt.facts.clauses import item_of, part_of
    from memopt.facts.cutting import Part, without
    from memopt.strategies.outdated import without_item

    whole = text.strip()
    pieces: list[Part] = []
    for cut in cuts:
        if cut.span is None:
            return ""
        if cut.instead is not None:
            # the rest of a clause and another cut might not go together
            return (
                text[: cut.span[0]] + text[cut.span[0] : cut.span[1]].replace(cut.clause, cut.instead, 1) + text[cut.span[1] :]
                if len(cuts) == 1
                else None
            )
        if cut.item is None and text[cut.span[0] : cut.span[1]].strip() == whole:
            return ""
        part = part_of(text, *cut.span) if cut.item is None else item_of(text, *cut.span, cut.item)
        if part is None:
            # a list may be held together by other marks
            return without_item(text, cut.span, cut.item) if cut.item is not None and len(cuts) == 1 else None
        pieces.append(part)
    left = without(text, pieces)
    if left is not None and is_bare_change(left):
        return ""
    return None if left is None else left.strip() if not left.strip() else left


def _named(item: UserMemory) -> str:
    return item.memory_id or "a memory without an id"


def _short(text: str) -> str:
    plain = " ".join(text.split())
    return plain if len(plain) <= _SHOWN else plain[: _SHOWN - 1] + "…"


def _count(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"

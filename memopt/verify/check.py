"""The verifier: every fact of the sources looked for in the rewrite, every statement of the rewrite looked for in the sources.

Both directions are the same search. A unit (see ``memopt.verify.lines``) asks the other side's index for the few lines that share
its rarest words and items; among those its items must be found and enough of its words, weighted: a word that people replace
freely (``likes``, ``great``) weighs little, one that the thesaurus knows something more, any other word most. Then the sign
is compared (negation), then opposites, then whose fact it is (quantities or names exchanged between subjects). The work per unit does
not depend on how many memories there are.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import cached_property
from hashlib import blake2b
from typing import TYPE_CHECKING

from memopt.memory import UserMemory
from memopt.verify.bearers import find_borne
from memopt.verify.bound import find_unbound
from memopt.verify.collector import paused
from memopt.verify.dictated import as_said, undictated
from memopt.verify.findings import Gone, Made, public_lost, public_outdated, shown, split_outdated, with_nearest
from memopt.verify.history import History, may_tell_history
from memopt.verify.invented import find_invented
from memopt.verify.lines import Seen, Side
from memopt.verify.lost import find_lost, saying, told_in
from memopt.verify.order import find_turned
from memopt.verify.pairing import without_pairs
from memopt.verify.replaced import find_replaced
from memopt.verify.report import Doubt, Excused, Lost, Report
from memopt.verify.search import Search, dominant_names
from memopt.verify.swaps import find_contrasts, find_misplaced, find_mistaken, find_swaps
from memopt.verify.updates import turned_since, updates
from memopt.verify.whose import find_told_of_others
from memopt.verify.written import as_compared, as_written, lost_as_written

if TYPE_CHECKING:
    from memopt.facts.statements import Superseded
    from memopt.verify.meaning import Meanings


def verify(sources: Sequence[UserMemory], rewritten: Sequence[UserMemory], meanings: Meanings | None = None) -> Report:
    """Compare a rewrite with the memories it was made from.

    Args:
        sources: the memories as they were, with their dates where known (a fact that a newer one replaces may be dropped).
        rewritten: what shall stand in their place. Memories that were kept as they are may be among them; they cost little.
        meanings: also looks for plain statements by meaning (see ``memopt.verify.meaning``).

    Returns:
        The report. Deterministic; no model, no network; time about linear in the size of both sides.

    Raises:
        ModelError: ``meanings`` is a service that failed.
    """
    return Verifier(sources, meanings)(rewritten)


_REMEMBERED = 16
_LAST: dict[bytes, Report] = {}


def _digest(memories: Sequence[UserMemory]) -> bytes:
    """What a verification reads of the memories, as a hash: remembering them would keep them all in memory."""
    out = blake2b(digest_size=20)
    for item in memories:
        out.update(repr((item.memory, item.memory_id, item.last_changed)).encode("utf-8", "surrogatepass"))
    return out.digest()


class Verifier:
    """``verify`` for several rewrites of the same memories, which are read once, and not before they are needed.

    What was asked last is remembered: whoever writes a text checks it, and whoever takes it checks it again.
    """

    def __init__(self, sources: Sequence[UserMemory], meanings: Meanings | None = None, seen: Seen | None = None) -> None:
        """``seen``: what other sides have found in the same texts; it grows."""
        self._written = sources
        self._sources = as_compared(sources)
        self._meanings = meanings
        self._seen = seen
        self._read: Side | None = None  # a rewrite that is likely to be asked for once more

    @cached_property
    def _ours(self) -> Side:
        return Side(self._sources, self._seen)

    @cached_property
    def _dominant(self) -> frozenset[str]:
        return dominant_names(self._ours)

    @cached_property
    def _back(self) -> Search:
        return Search(self._ours, self._dominant)

    @cached_property
    def _asked(self) -> bytes:
        return _digest(self._sources)

    def __call__(self, rewritten: Sequence[UserMemory]) -> Report:
        """The report on one of them. Raises ModelError where ``meanings`` is a service that failed."""
        if self._meanings is not None:
            return self._compare(rewritten)
        asked = self._asked + _digest(rewritten)
        known = _LAST.get(asked)
        if known is None:
            known = self._compare(rewritten)
            while len(_LAST) >= _REMEMBERED:
                _LAST.pop(next(iter(_LAST), b""), None)
            _LAST[asked] = known
        return known

    @paused()
    def lost_of(self, rewritten: Sequence[UserMemory], among: Collection[int]) -> tuple[Lost, ...]:
        """What a rewrite lost of some of the sources (by position): for whoever changed what stands for them alone."""
        written, rewritten = rewritten, as_compared(rewritten)
        theirs = self._read = Side(rewritten)
        there = Search(theirs, self._dominant.intersection(theirs.by_feature))
        lost, _ = find_lost(self._ours, there, [], among)
        if lost:
            lost, _ = split_outdated(self._sources, lost, self._newer(lost, there))
        told = tuple(public_lost(lost, self._sources))
        if told and (self._sources is not self._written or rewritten is not written):
            return lost_as_written(told, self._written, written)
        return told

    @paused()
    def origins(self, rewritten: UserMemory, spans: Sequence[tuple[int, int]]) -> list[tuple[int, ...]]:
        """For each part of a rewrite, as (start, end) in its text, the positions of the sources that have a fact which it tells."""
        theirs, ours = Side(as_compared([rewritten])), self._ours
        there = Search(theirs, self._dominant.intersection(theirs.by_feature))
        starts = [start for start, _ in spans]
        found: list[set[int]] = [set() for _ in spans]
        for line in ours.lines:
            for number in line.units:
                at = told_in(ours.units[number], line, ours, there)
                place = -1 if at is None else bisect_right(starts, theirs.lines[at].start) - 1
                if place >= 0 and at is not None and theirs.lines[at].start < spans[place][1]:
                    found[place].add(line.memory)
            if not line.units and line.phrase in there.by_phrase:
                place = bisect_right(starts, theirs.lines[there.by_phrase[line.phrase][0]].start) - 1
                if place >= 0:
                    found[place].add(line.memory)
        return [tuple(sorted(places)) for places in found]

    @cached_property
    def _replaced(self) -> tuple[Superseded, ...]:
        from memopt.facts.statements import superseded

        return superseded(self._sources)

    def _newer(self, lost: Sequence[Gone], there: Search) -> list[Superseded]:
        """Which facts of the sources newer sources replace, looked for more closely for those that are gone."""
        return [*self._replaced, *updates(self._ours, lost, there), *turned_since(self._ours, lost, self._back)]

    def _side_of(self, rewritten: Sequence[UserMemory]) -> Side:
        """The rewrite as it was read for ``lost_of`` just now, else as it is read here."""
        known, self._read = self._read, None
        if known is not None and [(item.memory, item.last_changed) for item in known.memories] == [
            (item.memory, item.last_changed) for item in rewritten
        ]:
            known.memories = rewritten
            return known
        del known  # before another is read
        return Side(rewritten)

    def _only_dictated(self, rewritten: Sequence[UserMemory], known: Sequence[Made]) -> list[Made]:
        """What the rewrite tells flatly and no source tells but as something to be answered."""
        sources = undictated(self._sources)
        if sources is None:
            return []
        found = Verifier(sources, self._meanings)(undictated(rewritten) or rewritten).invented
        places = {(one.public.index, one.public.start) for one in known}
        out: list[Made] = []
        for item in found:
            text = rewritten[item.index].memory
            if (item.index, item.start) in places or as_said(text, item.start, item.end, item.fact):
                continue
            detail = item.detail if item.kind in ("polarity", "opposite") else "a source only asks that it be said"
            sentence = text[item.start : item.end]
            out.append(
                Made(
                    replace(item, sentence=sentence, kind="detail" if item.kind == "statement" else item.kind, detail=detail), -1
                )
            )
        return out

    def _compare(self, written: Sequence[UserMemory]) -> Report:
        rewritten = as_compared(written)
        report = self._compare_plain(rewritten)
        return report if self._sources is self._written and rewritten is written else as_written(report, self._written, written)

    @paused()
    def _compare_plain(self, rewritten: Sequence[UserMemory]) -> Report:
        sources, meanings, ours, dominant, back = self._sources, self._meanings, self._ours, self._dominant, self._back
        back.forget()  # before the next rewrite is read: the units of the last one are let go
        history = None
        if any(may_tell_history(memory.memory) for memory in rewritten):
            history = History(rewritten, ours, back, self._replaced)
            rewritten = history.texts
        theirs = self._side_of(rewritten)
        there = Search(theirs, dominant.intersection(theirs.by_feature))
        doubts: list[Doubt] = []
        lost, facts = find_lost(ours, there, doubts)
        tops: dict[int, list[int]] = {}
        invented = find_invented(theirs, back, ours, there, doubts, tops)
        kept_lost, kept_made = without_pairs(lost, invented, ours, theirs, there, back)
        if len(kept_lost) < len(lost) or len(kept_made) < len(invented):  # what is held after all is no more than doubtful
            left = {("lost", item.index, shown(ours, ours.units[item.unit])) for item in kept_lost if item.unit >= 0}
            left |= {("invented", one.public.index, shown(theirs, theirs.units[one.unit])) for one in kept_made if one.unit >= 0}
            doubts = [item if (item.side, item.index, item.fact) in left else replace(item, verdict=False) for item in doubts]
        lost, invented = kept_lost, kept_made
        invented += find_contrasts(ours, theirs, back, there, lost, invented, tops)
        swapped = find_swaps(ours, theirs, dominant, lost, invented)
        swapped += find_mistaken(ours, theirs, back, lost, [*invented, *swapped], tops)
        swapped += find_misplaced(ours, theirs, back, lost, [*invented, *swapped], tops)
        swapped += find_told_of_others(ours, theirs, dominant, lost, [*invented, *swapped])
        swapped += find_turned(ours, theirs, dominant, lost, [*invented, *swapped])
        swapped += find_unbound(ours, theirs, dominant, lost, [*invented, *swapped], tops)
        swapped += find_borne(ours, theirs, dominant, lost, [*invented, *swapped])
        swapped += self._only_dictated(rewritten, [*invented, *swapped])
        excused: list[Excused] = []
        if meanings is not None:
            lost, invented, excused = _by_meaning(meanings, lost, invented, ours, theirs, there, back)
            said = {(item.side, item.index, item.fact) for item in excused}
            doubts = [replace(item, verdict=False) if (item.side, item.index, item.fact) in said else item for item in doubts]
        outdated: list[Gone] = []
        if lost:
            lost, outdated = split_outdated(sources, lost, self._newer(lost, there))
            swapped += find_replaced(ours, theirs, there, back, lost, [*invented, *swapped])
        still = facts - len({saying(item.unit, ours) for item in lost})
        made = [*invented, *swapped]
        if history is not None:
            made = [history.as_given(one) for one in made]
        retention = 1.0 if not lost else round(max(0.0, still / facts), 4) if facts else 0.0
        if lost and retention >= 1.0:
            retention = 0.9999
        return Report(
            tuple(public_lost(lost, sources)),
            tuple(with_nearest(one, tops, ours) for one in made),
            tuple(public_outdated(outdated, sources)),
            tuple(doubts),
            facts,
            retention,
            tuple(excused),
        )


def _by_meaning(
    meanings: Meanings, lost: list[Gone], invented: list[Made], ours: Side, theirs: Side, there: Search, back: Search
) -> tuple[list[Gone], list[Made], list[Excused]]:
    """What is still lost and invented when plain statements are looked for by meaning, and what is not any more."""
    excused: list[Excused] = []

    def found(side: str, number: int, mine: Side, search: Search, kind: str) -> bool:
        if kind != "statement":
            return False
        unit = mine.units[number]
        line = mine.lines[unit.line]
        match = meanings.match(mine, unit, search.side, search.top(unit, line, mine.units))
        if match is not None:
            memory_id = mine.memories[line.memory].memory_id
            excused.append(Excused(side, memory_id, line.memory, shown(mine, unit), match.nearest, match.score))
        return match is not None

    many = Counter(one.unit for one in invented)
    still = [item for item in lost if not found("lost", item.unit, ours, there, item.kind)]
    made = [one for one in invented if many[one.unit] > 1 or not found("invented", one.unit, theirs, back, one.public.kind)]
    return still, made, excused

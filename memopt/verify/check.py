"""The verifier: every fact of the sources looked for in the rewrite, every statement of the rewrite looked for in the sources.

Both directions are the same search. A unit (see ``memopt.verify.lines``) asks the other side's index for the few lines that share
its rarest words and items; among those its items must be found and enough of its words, weighted: a word that people replace
freely (``likes``, ``great``) weighs little, one that the thesaurus knows something more, any other word most. Then the sign
is compared (negation), then opposites, then whose fact it is (quantities or names exchanged between subjects). The work per unit does
not depend on how many memories there are.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from functools import cached_property
from hashlib import blake2b
from typing import TYPE_CHECKING, NamedTuple

from memopt.facts import kinds, lexicon, senses
from memopt.facts.items import Item
from memopt.facts.polarity import turns
from memopt.facts.poles import poles
from memopt.facts.reading import fold_phrase, opens_clause
from memopt.facts.words import bare, brief, stem
from memopt.memory import UserMemory
from memopt.verify.added import additions
from memopt.verify.certainty import certainty
from memopt.verify.contrast import Contrast, agrees, axes_of, contrasts
from memopt.verify.exchange import Part, exchanged, paired, parts
from memopt.verify.lines import COMMON_CHARS, LIKING, Line, Seen, Side, Term, Unit, general_dates, is_cjk, item_keys, weigh
from memopt.verify.pronouns import antecedents, begins_with_pronoun, same_person, told_of
from memopt.verify.report import Doubt, Excused, Invented, Lost, Outdated, Report
from memopt.verify.slight import Whole, is_asked, other_sign
from memopt.verify.stance import compare

if TYPE_CHECKING:
    from memopt.facts.statements import Superseded
    from memopt.verify.meaning import Meanings

LOST_BELOW = 0.5
"""A unit with less than this share of its words on the other side is gone. Calibrated by benchmarks/verification.py."""
ANCHORED_BELOW = 0.42
"""The same where the unit holds numbers or names, and the line found holds them all: they say which fact it is."""
DOUBT_BELOW = 0.65
"""Between the two a unit counts as kept and is listed as doubtful."""
INVENTED_BELOW = 0.4
RESTATED = 0.85
"""A line copied from another source may stand for a unit from this share on."""
TOGETHER = 0.8
"""A line that holds an item must hold this much of the words around it, compared with the line that holds most of them."""
ENOUGH = 0.55
"""Words that weigh less than this together are no fact of their own."""
UNSAID_BELOW = 0.1
UNSAID_FROM = 0.6
"""Of a unit that has words of this weight one figure or name alone is not enough: less than that share of them makes it another fact."""
_TOP = 4
_CANDIDATES = 12
_VISIT = 600
_KIN = 12
"""So many words that may stand for one are asked for lines."""
_WEAK_OPPOSITES = frozenset(
    lexicon.words(
        """
    to from in out on off up down with without he she him her his husband wife day night old new young first last start stop begin end
    left right light dark hard easy good bad big small long short am pm input output yes no import export read write near far
    king queen man woman boy girl start starts started stopped stops began begins ended ends alone together over buy sell bought sold buying
    lend borrow lent borrowed lends borrows sells buys like likes love loves hate hates enjoys dislike dislikes liked disliked vegan meat
    lower raise raised lowered warm cool cold hot brief full empty new elder older younger early late earlier later
    single married fall rise present since before after above below more less brother sister mother father son daughter uncle aunt niece nephew
    girlfriend boyfriend grandmother grandfather grandma grandpa mom dad parents grandparents
    """
    )
)
_POLAR = frozenset(word for pair in lexicon.ANTONYMS for word in pair) - _WEAK_OPPOSITES


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
        self._sources = sources
        self._meanings = meanings
        self._seen = seen

    @cached_property
    def _ours(self) -> Side:
        return Side(self._sources, self._seen)

    @cached_property
    def _dominant(self) -> frozenset[str]:
        return _dominant(self._ours)

    @cached_property
    def _back(self) -> _Search:
        return _Search(self._ours, self._dominant)

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

    def lost_of(self, rewritten: Sequence[UserMemory], among: Collection[int]) -> tuple[Lost, ...]:
        """What a rewrite lost of some of the sources (by position): for whoever changed what stands for them alone."""
        theirs = Side(rewritten)
        there = _Search(theirs, self._dominant & theirs.by_feature.keys())
        lost, _ = _find_lost(self._ours, there, [], among)
        if lost:
            lost, _ = _split_outdated(self._sources, lost, self._replaced)
        return tuple(_public_lost(lost, self._sources))

    def origins(self, rewritten: UserMemory, spans: Sequence[tuple[int, int]]) -> list[tuple[int, ...]]:
        """For each part of a rewrite, as (start, end) in its text, the positions of the sources that have a fact which it tells."""
        theirs, ours = Side([rewritten]), self._ours
        there = _Search(theirs, self._dominant & theirs.by_feature.keys())
        starts = [start for start, _ in spans]
        found: list[set[int]] = [set() for _ in spans]
        for line in ours.lines:
            for number in line.units:
                at = _told_in(ours.units[number], line, ours, there)
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

    def _compare(self, rewritten: Sequence[UserMemory]) -> Report:
        sources, meanings, ours, dominant, back = self._sources, self._meanings, self._ours, self._dominant, self._back
        back.forget()  # before the next rewrite is read: the units of the last one are let go
        theirs = Side(rewritten)
        there = _Search(theirs, dominant & theirs.by_feature.keys())
        doubts: list[Doubt] = []
        lost, facts = _find_lost(ours, there, doubts)
        tops: dict[int, list[int]] = {}
        invented = _find_invented(theirs, back, ours, doubts, tops)
        kept_lost, kept_made = _without_pairs(lost, invented, ours, theirs, there, back)
        if len(kept_lost) < len(lost) or len(kept_made) < len(invented):  # what is held after all is no more than doubtful
            left = {("lost", item.index, _show(ours, ours.units[item.unit])) for item in kept_lost}
            left |= {("invented", one.public.index, _show(theirs, theirs.units[one.unit])) for one in kept_made}
            doubts = [item if (item.side, item.index, item.fact) in left else replace(item, verdict=False) for item in doubts]
        lost, invented = kept_lost, kept_made
        invented += _find_contrasts(ours, theirs, back, there, lost, invented, tops)
        swapped = _find_swaps(ours, theirs, dominant, lost, invented)
        swapped += _find_mistaken(ours, theirs, back, lost, [*invented, *swapped], tops)
        excused: list[Excused] = []
        if meanings is not None:
            lost, invented, excused = _by_meaning(meanings, lost, invented, ours, theirs, there, back)
            said = {(item.side, item.index, item.fact) for item in excused}
            doubts = [replace(item, verdict=False) if (item.side, item.index, item.fact) in said else item for item in doubts]
        lost, outdated = _split_outdated(sources, lost, self._replaced) if lost else (lost, [])
        still = facts - len({_saying(item.unit, ours) for item in lost})
        retention = 1.0 if not lost else round(max(0.0, still / facts), 4) if facts else 0.0
        if lost and retention >= 1.0:
            retention = 0.9999
        return Report(
            tuple(_public_lost(lost, sources)),
            tuple(_near(one, tops, ours) for one in (*invented, *swapped)),
            tuple(_public(outdated, sources)),
            tuple(doubts),
            facts,
            retention,
            tuple(excused),
        )


class _Gone(NamedTuple):
    """A lost fact on its way into the report."""

    index: int  # type: ignore[assignment]
    start: int
    end: int
    kind: str
    detail: str
    unit: int  # which fact of the sources
    also: tuple[str, ...] = ()
    newer: str | None = None


class _Made(NamedTuple):
    """An invented statement on its way into the report, and the unit of the rewrite that makes it."""

    public: Invented
    unit: int


def _by_meaning(
    meanings: Meanings, lost: list[_Gone], invented: list[_Made], ours: Side, theirs: Side, there: _Search, back: _Search
) -> tuple[list[_Gone], list[_Made], list[Excused]]:
    """What is still lost and invented when plain statements are looked for by meaning, and what is not any more."""
    excused: list[Excused] = []

    def found(side: str, number: int, mine: Side, search: _Search, kind: str) -> bool:
        if kind != "statement":
            return False
        unit = mine.units[number]
        line = mine.lines[unit.line]
        match = meanings.match(mine, unit, search.side, search.top(unit, line, mine.units))
        if match is not None:
            memory_id = mine.memories[line.memory].memory_id
            excused.append(Excused(side, memory_id, line.memory, _show(mine, unit), match.nearest, match.score))
        return match is not None

    many = Counter(one.unit for one in invented)
    still = [item for item in lost if not found("lost", item.unit, ours, there, item.kind)]
    made = [one for one in invented if many[one.unit] > 1 or not found("invented", one.unit, theirs, back, one.public.kind)]
    return still, made, excused


def _dominant(side: Side) -> frozenset[str]:
    """Stems of names that stand for the user: told as the user's name, or the subject of most memories."""
    counts: dict[str, int] = defaultdict(int)
    named: set[str] = set()
    memories_seen: dict[str, int] = {}
    for line in side.lines:
        head = line.phrase[:60]
        is_name = re.match(
            r"(?:the )?(?:user|用户)?(?:'s| s|的)? ?(?:full |first |real |preferred )?(?:name|名字|姓名)\b|(?:the )?user (?:is )?(?:called|named)|用户(?:的)?(?:名字|姓名|名)?(?:叫|是)",
            head,
        )
        for name in line.names:
            if is_name:
                named.add(name)
            if name in line.subjects and memories_seen.get(name) != line.memory:
                memories_seen[name] = line.memory
                counts[name] += 1
    total = len(side.memories)
    often = {name for name, count in counts.items() if total >= 3 and count * 4 >= total * 3}
    return frozenset(named | often)


class _Search:
    """Looks units of one side up on the other."""

    def __init__(self, side: Side, dominant: frozenset[str]) -> None:
        self.side = side
        self.dominant = dominant
        self.by_phrase: dict[str, list[int]] = defaultdict(list)
        for number, line in enumerate(side.lines):
            self.by_phrase[line.phrase].append(number)
        self._tops: dict[int, tuple[Unit, list[int]]] = {}  # by identity, which the unit that is kept with it makes safe

    @cached_property
    def whole(self) -> Whole:
        """Finds sentences of this side as a whole."""
        return Whole(self.side)

    def candidates(self, features: dict[str, float]) -> list[int]:
        """Up to _CANDIDATES lines that share the rarest features, best first."""
        index = self.side.by_feature
        lists = sorted(
            ((len(index[feature]), feature) for feature in features if feature in index),
            key=lambda entry: (entry[0], entry[1]),
        )
        scores: dict[int, float] = defaultdict(float)
        visited = 0
        for size, feature in lists:
            weight = features[feature] * self.side.rarity(feature)
            if size > _VISIT:
                # A long list only adds to what was found; as the first it gives its head and tail.
                if not scores:
                    for number in index[feature][:_VISIT]:
                        scores[number] += weight
                    visited += _VISIT
                else:
                    for line in scores.keys() & self._as_set(feature):
                        scores[line] += weight
                continue
            if visited + size > 4 * _VISIT and scores:
                continue
            for number in index[feature]:
                scores[number] += weight
            visited += size
        if len(scores) > _CANDIDATES:  # only what may be among the best is put in order
            least = sorted(scores.values(), reverse=True)[_CANDIDATES - 1]
            best = [(-score, line) for line, score in scores.items() if score >= least]
        else:
            best = [(-score, line) for line, score in scores.items()]
        return [line for _, line in sorted(best)[:_CANDIDATES]]

    def _nearest(self, word: str) -> list[tuple[str, float]]:
        """The rarest few words of this side that may stand for one."""
        cache: dict[str, list[tuple[str, float]]] = self.__dict__.setdefault("_near", {})
        if word not in cache:
            index = self.side.by_feature
            ranked = sorted(self.side.akin(word).items(), key=lambda entry: (-entry[1], len(index[entry[0]]), entry[0]))
            cache[word] = ranked[:_KIN]
        return cache[word]

    def _as_set(self, feature: str) -> set[int]:
        cache: dict[str, set[int]] = self.__dict__.setdefault("_sets", {})
        if feature not in cache:
            cache[feature] = set(self.side.by_feature[feature])
        return cache[feature]

    def alike(self, lines: Iterable[int]) -> list[int]:
        """The lines with all others that say the same in the same words, each once: they differ in when they were written."""
        phrases = dict.fromkeys(self.side.lines[number].phrase for number in lines)
        return [number for phrase in phrases for number in self.by_phrase[phrase][:_VISIT]]

    def top(self, unit: Unit, line: Line, units: Sequence[Unit]) -> list[int]:
        """The lines of this side that come nearest to the unit, best first."""
        same = self.by_phrase.get(line.phrase)
        if same:
            return same[:1]
        known = self._tops.get(id(unit))
        if known is None or known[0] is not unit:
            known = self._tops[id(unit)] = unit, self._nearest_to(unit, line, units)
        return known[1]

    def forget(self) -> None:
        """Keep nothing of the units that were looked up: those of another rewrite come now."""
        self._tops.clear()

    def _nearest_to(self, unit: Unit, line: Line, units: Sequence[Unit]) -> list[int]:
        features: dict[str, float] = {}
        for each in unit.terms:
            features[each.stem] = max(features.get(each.stem, 0), each.weight + 0.05)
            for kin, value in self._nearest(each.stem):
                features[kin] = max(features.get(kin, 0), 0.6 * value * each.weight)
            if is_cjk(each.stem):
                for char in each.stem:
                    if char not in COMMON_CHARS:
                        features.setdefault(char, 0.25 * each.weight)
        for item in unit.items:
            for key in item_keys(item):
                # What only follows from a date (its year, its month) must not outweigh the words that it is told with.
                features[key] = (
                    0.4 if item.weak or key.startswith("#:") else 0.2 if item.kind != "name" and key not in item.keys else 1.0
                )
            if item.kind == "name":
                for part in item.norm.split():
                    features[stem(part)] = 1.0
        for index in line.units:
            if units[index] is not unit:
                for each in units[index].terms:
                    features.setdefault(each.stem, 0.3 * each.weight)
                for item in units[index].items:
                    for key in item_keys(item):
                        features.setdefault(key, 0.3)
        found = self.candidates(features)
        scored = []
        for number in found:
            other = self.side.lines[number]
            score = 0.0
            for feature, weight in features.items():
                if feature in other.features or feature in other.keys or feature in other.chars:
                    score += weight
                elif feature in other.near or feature in other.near_keys:
                    score += 0.5 * weight
            scored.append((-score, number))
        scored.sort()
        best = -scored[0][0] if scored else 0.0
        chosen = [number for score, number in scored[:_TOP] if -score >= 0.34 * best]
        if unit.items and len(scored) > len(chosen):
            # "User is 29." stands behind lines with more words, but tells the age all the same.
            asked = {key for item in unit.items for key in item_keys(item)}
            for _, number in scored[len(chosen) :]:
                short = self.side.lines[number]
                if not asked.isdisjoint(short.keys) and sum(weigh(feature) for feature in short.features) <= 0.75:
                    chosen.append(number)
                    break
        return chosen

    def share(self, terms: Iterable[Term], lines: Sequence[int]) -> tuple[float, float]:
        """(share of the terms' weight found, their whole weight). What only a further line adds counts half."""
        total = best = 0.0
        found_any = 0.0
        terms = [each for each in terms if each.weight and each.stem not in self.dominant]
        total = sum(each.weight for each in terms)
        if not total:
            return 1.0, 0.0
        per_line = []
        union = [0.0] * len(terms)
        for number in lines:
            held = self.side.lines[number]
            got = 0.0
            for at, each in enumerate(terms):
                value = each.weight * _match(each, held, self.side)
                got += value
                union[at] = max(union[at], value)
            per_line.append(got)
        best = max(per_line, default=0.0)
        found_any = sum(union)
        return (best + 0.25 * (found_any - best)) / total, total

    def has(
        self, item: Item, numbers: Sequence[int], terms: Sequence[Term], context: Sequence[Term] = (), together: float = TOGETHER
    ) -> bool:
        """Whether a line holds the item together with the words that it is told with, about as well as any other line."""
        inside = {stem(part) for part in item.norm.split()} if item.kind == "name" else set()
        others = [each for each in terms if each.stem not in inside]
        around = [each for each in context if each.stem not in inside]
        got = []
        for number in numbers:
            line = self.side.lines[number]
            value = sum(each.weight * _match(each, line, self.side) for each in others)
            got.append((value + 0.5 * sum(each.weight * _match(each, line, self.side) for each in around), number))
        best = max((value for value, _ in got), default=0.0)
        return any(value >= together * best and _holds(self.side.lines[number], item, self.dominant) for value, number in got)


def _match(each: Term, line: Line, side: Side) -> float:
    """How far a line of the side holds a word, 0 to 1."""
    word = each.stem
    if word in line.features:
        return 1.0
    best = 0.0
    kin = side.akin(word)
    features = line.features
    if len(kin) < len(features):
        for other in kin:
            if other in features and kin[other] > best:
                best = kin[other]
    else:
        for other in features:
            if other in kin and kin[other] > best:
                best = kin[other]
    if line.chars and best < 0.9:
        best = max(best, _match_chinese(word, line))
    if best:
        return best
    if line.near:
        if word in line.near:
            return 0.9
        if not kin.keys().isdisjoint(line.near):
            return 0.7
    return 0.0


def _match_chinese(word: str, line: Line) -> float:
    """The same for a line with Chinese: its words are not cut as surely, so a word may hide inside others."""
    best = 0.0
    for other, value in senses.chinese_for(word):
        if other in line.text:
            best = max(best, value - 0.05 if len(other) > 1 or other not in COMMON_CHARS else 0.8)
            if best >= 0.8:
                break
    if is_cjk(word):
        if best >= 0.9:
            return best
        if len(word) > 1 and word in line.text:
            return 0.95
        if len(word) > 2 and (word[:-1] in line.text or word[1:] in line.text):
            return max(best, 0.8)  # 摄影师 and 摄影
        telling = [char for char in word if char not in COMMON_CHARS] or list(word)
        held = sum(char in line.text for char in telling)
        best = max(best, (0.8 if held == len(telling) else 0.5) * held / len(telling))
        if held and best < 0.7 and all(char in line.text or _character_for(char, line.text) for char in telling):
            best = 0.7  # 腰痛 and 腰疼
    return best


def _character_for(char: str, text: str) -> bool:
    """Whether a text has a word of one character that may stand for another, by hand-made groups."""
    return any(len(other) == 1 and value >= senses.BY_HAND and other in text for other, value in senses.chinese_for(char))


_DEMONYM = ("an", "ese", "ish", "ian", "ch", "i", "ic", "en")


_TITLES = ("老师", "医生", "先生", "女士", "教授", "经理", "律师", "总")


def _has_word(part: str, line: Line, dominant: frozenset[str]) -> bool:
    root = stem(part)
    if root in line.features or root in line.near or root in dominant:
        return True
    if not part.isascii():
        if part in line.text or bare(part) in line.phrase:
            return True
        title = next((title for title in _TITLES if part.endswith(title) and len(part) > len(title)), None)
        return title is not None and part.removesuffix(title) in line.text
    if any(senses.closeness(root, other) >= senses.BY_HAND for other in line.features):
        return True  # "MA" and "master's degree"
    words = line.phrase.split()
    if len(part) >= 5:
        prefix = part[:4]
        for name in words:  # "Ethiopian" at the head of a sentence is no name
            if name[:4] == prefix and (part.endswith(_DEMONYM) or name.endswith(_DEMONYM)) and abs(len(name) - len(part)) <= 4:
                return True
    return part in words


def _named_otherwise(name: str, line: Line) -> bool:
    others = senses.same_names().get(name)
    if others is None:
        return False
    phrase = f" {line.phrase} "
    return any((f" {other} " in phrase) if other.isascii() else (other in line.text) for other in others)


def _other_name(item: Item, line: Line) -> bool:
    """Whether a line has the name in another writing: ``VSCode``, ``VS Code``; ``PB``, ``personal best``; ``Tesla``, ``特斯拉``."""
    if _named_otherwise(item.norm, line):
        return True
    if not item.norm.isascii():
        return False
    words = line.phrase.replace("-", " ").split()
    parts = item.norm.replace("-", " ").split()
    glued = "".join(parts)
    if len(glued) >= 4:
        for size in (1, 2, 3):
            if size != len(parts) and any("".join(words[at : at + size]) == glued for at in range(len(words) - size + 1)):
                return True
    if len(parts) == 1 and 2 <= len(glued) <= 5 and item.surface.isupper():
        return any(
            all(word[0] == letter for word, letter in zip(words[at : at + len(glued)], glued, strict=True))
            for at in range(len(words) - len(glued) + 1)
        )
    if 2 <= len(parts) <= 5:
        initials = "".join(part[0] for part in parts)
        return initials in words and initials.upper() in line.text
    return False


def _holds(line: Line, item: Item, dominant: frozenset[str]) -> bool:
    if item.kind == "name":
        parts = [
            part
            for part in item.norm.split()
            if part not in ("of", "the", "de", "da", "von", "van", "la", "le", "mr", "mrs", "ms", "dr")
        ]
        if len(parts) > 1 and parts[-1] in ("api", "app", "db", "ui", "sdk", "cli"):
            parts.pop()  # "GraphQL API"
        hits = sum(_has_word(part, line, dominant) or _named_otherwise(part, line) for part in parts)
        return hits == len(parts) or (len(parts) >= 3 and hits >= len(parts) - 1) or _other_name(item, line)
    if item.kind == "quote":
        if item.norm in line.phrase:
            return True
        words = [word for word in item.norm.split() if len(word) > 1]
        if not words:
            return True
        roots = {stem(word) for word in words if stem(word) not in lexicon.STOP}
        got = sum(
            1
            for root in roots
            if root in line.features or root in line.near or any(root == stem(word) for word in line.phrase.split())
        )
        return got >= (len(roots) if len(words) <= 3 else 0.5 * len(roots))
    keys = line.keys | line.near_keys
    if not item.keys.isdisjoint(keys):
        return True
    if item.norm == "n:2" and (not _TWO.isdisjoint(line.phrase.split()) or "双" in line.text or "俩" in line.text):
        return True
    if item.kind in ("number", "date", "id", "ordinal") and any(
        "#:" + key.split(":", 1)[1] in keys for key in item.keys if key.startswith(("n:", "o:"))
    ):
        return True
    if item.kind == "money" and any(key.startswith("m:cny:") and "n:" + key[6:] in keys for key in item.keys):
        return True  # 300万 and 300万元
    if item.kind in ("id", "url", "email", "version", "handle"):
        return fold_phrase(item.surface) in line.phrase
    if item.norm.startswith("q:month:"):
        years = float(item.norm.rpartition(":")[2]) / 12
        if years.is_integer() and f"n:{int(years)}" in keys:
            return True  # "is 30" and "is 30 years old"
    if item.kind == "phone":
        digits = re.sub(r"\D", "", item.surface)
        return any(key.startswith("tel:") and (key[4:].endswith(digits[-9:]) and digits.endswith(key[4:][-9:])) for key in keys)
    if item.kind == "relative" and line.written is not None:
        return any(key in keys for key in item.keys)
    return False


def _required(item: Item) -> bool:
    return not item.weak


_TWO = frozenset(("both", "couple", "pair", "twice", "twins", "double", "dual"))


def _pronoun(item: Item, text: str) -> bool:
    """Whether an item stands for no figure or day: ``两人`` are *the two*, ``的今天`` is *now*."""
    before, after = text[max(0, item.start - 1) : item.start], text[item.end : item.end + 1]
    if item.kind == "number" and item.norm == "n:2":
        return after == "人" and (not before or before in ",，。;；、")
    return item.surface == "今天" and before == "的"


def _find_lost(ours: Side, there: _Search, doubts: list[Doubt], among: Collection[int] | None = None) -> tuple[list[_Gone], int]:
    """All source facts that are gone, how many facts there are; ``among``: of the memories at these positions alone."""
    lost: list[_Gone] = []
    facts: set[object] = set()
    seen: dict[tuple[object, ...], int | None] = {}
    for line_number, line in enumerate(ours.lines):
        if among is not None and line.memory not in among:
            continue
        identity = (line.phrase, frozenset(line.keys))
        if identity in seen:
            at = seen[identity]
            memory = ours.memories[line.memory]
            if at is not None and memory.memory_id is not None and ours.lines[line_number].memory != lost[at].index:
                for index in range(at, len(lost)):
                    if lost[index].index == lost[at].index:
                        lost[index] = lost[index]._replace(also=(*lost[index].also, memory.memory_id))
                    else:
                        break
            continue
        before, counted = len(lost), False
        for number in line.units:
            if _check_unit(number, line, line_number, ours, there, doubts, lost):
                facts.add(_saying(number, ours))
                counted = True
        if len(lost) == before and _is_slight(line, ours, there.dominant) and is_asked(line.text):
            number = line.units[0] if line.units else -1 - line_number
            if not counted:
                facts.add(_saying(number, ours))
            if not _told_whole(line, there):
                told = f"“{brief(line.text)}” is not in the rewrite"
                lost.append(_Gone(line.memory, line.start, line.end, "words", told, number))
        if len(lost) == before and line.units and not there.by_phrase.get(line.phrase):
            lost += _left_out(line_number, ours, there)
        if len(lost) > before and _kept_whole(ours.memories[line.memory].memory, there, line, ours):
            del lost[before:]
        seen[identity] = before if len(lost) > before else None
    return lost, len(facts)


def _saying(number: int, side: Side) -> object:
    """What is the same for facts that are told in the same words, whatever stands between them: each is looked for, and counts once.

    Args:
        number: of a unit; below 0: -1 - the number of a line without any.
    """
    if number < 0:
        return side.lines[-1 - number].phrase
    unit = side.units[number]
    line = side.lines[unit.line]
    words = frozenset([(each.stem, each.negated) for each in unit.terms if each.weight])
    keys = frozenset([key for item in unit.items if item.kind != "name" and not item.weak for key in item.keys])
    return line.subjects, words, keys


def _left_out(number: int, ours: Side, there: _Search) -> list[_Gone]:
    """The details of a source line that the rewrite leaves out although it tells the rest: *shrimp* of an allergy to peanuts and shrimp."""
    line = ours.lines[number]

    def nearest(unit: int) -> list[int]:
        return there.top(ours.units[unit], line, ours.units)

    out = []
    text = ours.memories[line.memory].memory
    for unit, start, end in additions(number, ours, there.side, there.dominant, nearest):
        out.append(_Gone(line.memory, start, end, "detail", f"{brief(text[start:end])} is not in the rewrite", unit))
    return out


_SLIGHT = 0.3
"""A sentence whose clauses all weigh less than this is not told by its words: it is looked for as a whole."""


def _is_slight(line: Line, side: Side, dominant: frozenset[str]) -> bool:
    for number in line.units:
        unit = side.units[number]
        if any(not item.weak for item in unit.items):
            return False
        if sum(each.weight for each in unit.terms if each.stem not in dominant) >= _SLIGHT:
            return False
    return True


def _made(memory: UserMemory, line: Line, fact: str, kind: str, detail: str) -> Invented:
    """What a sentence of the rewrite makes up. Of a sentence that is looked at in pieces the whole is meant."""
    text, start, end = line.whole or (line.text, line.start, line.end)
    return Invented(memory.memory_id, line.memory, text, fact, kind, detail, start, end)


def _near(one: _Made, tops: dict[int, list[int]], ours: Side) -> Invented:
    """What was made up, with the memory that it contradicts or comes nearest to."""
    top = tops.get(one.unit)
    if one.public.nearest or not top:
        return one.public
    line = ours.lines[top[0]]
    text = line.text if line.whole is None else line.whole[0]
    return replace(one.public, nearest_id=ours.memories[line.memory].memory_id, nearest=text)


def _told_in(unit: Unit, line: Line, ours: Side, there: _Search) -> int | None:
    """The line of the other side that tells a fact; None where none does."""
    items = [item for item in unit.items if _required(item)]
    terms = [each for each in unit.terms if each.weight]
    best: tuple[float, int] | None = None
    for at in there.top(unit, line, ours.units):
        if there.side.lines[at].phrase == line.phrase:
            return at
        held = [item for item in items if _holds(there.side.lines[at], item, there.dominant)]
        share, total = there.share(terms, [at])
        judged = _with_items(share, total, len(items), len(items) - len(held)) if total else float(bool(held))
        if judged >= LOST_BELOW and (best is None or judged > best[0]):
            best = judged, at
    return None if best is None else best[1]


def _told_whole(line: Line, search: _Search) -> bool:
    """Whether the other side says all of a slight sentence."""
    same = search.by_phrase.get(line.phrase, ()) if line.phrase else ()
    if any(search.side.lines[number].text == line.text for number in same[:1]):
        return True
    return search.whole.holds(line.text, search.dominant)


def _kept_whole(text: str, there: _Search, line: Line, ours: Side) -> bool:
    """Whether the whole memory stands somewhere word for word."""
    text = text.strip()
    for number in line.units:
        for at in there.top(ours.units[number], line, ours.units):
            rewrite = there.side.memories[there.side.lines[at].memory].memory
            found = rewrite.find(text)
            while found >= 0:
                if _free(rewrite, found, found + len(text), text):
                    return True
                found = rewrite.find(text, found + 1)
    return False


def _show(side: Side, unit: Unit) -> str:
    return side.memories[side.lines[unit.line].memory].memory[unit.start : unit.end].strip(" ,;，；、")


def _check_unit(
    number: int, line: Line, line_number: int, ours: Side, there: _Search, doubts: list[Doubt], lost: list[_Gone]
) -> int:
    """Look for one fact; returns 1, or 0 where there is nothing to look for."""
    unit = ours.units[number]
    text = ours.memories[line.memory].memory
    items = [item for item in unit.items if _required(item) and not _pronoun(item, text)]
    terms = [each for each in unit.terms if each.weight]
    facts = 1 if items or terms else 0
    if there.by_phrase.get(line.phrase):
        return facts
    memory = ours.memories[line.memory]
    top = there.top(unit, line, ours.units)
    share, total = there.share(terms, top)
    if share < RESTATED:
        # A line that is another source's own words tells that source; it stands for this one only if it says nearly all of it.
        share, total = there.share(terms, [number for number in top if there.side.lines[number].phrase not in ours.phrases])
    gone: list[Item] = []
    around = [each for each in _line_terms(line, ours) if each not in terms]
    if line.joined and line_number:
        around += _line_terms(ours.lines[line_number - 1], ours)
    found_line = there.side.lines[top[0]] if top else None
    for item in items:
        if item.kind == "name" and all(stem(part) in there.dominant for part in item.norm.split()) and _anywhere(there, item):
            continue
        if not there.has(item, top, terms, around) and not _told_by_names(item, line, top, there):
            gone.append(item)
    missing = False
    short, middle = (0.6, 0.9) if line.chars else (0.8, 1.2)  # a Chinese word weighs half of an English one
    context = _context(line, ours, there, top) if total < middle else share
    threshold = LOST_BELOW if gone or not items else ANCHORED_BELOW
    rest = sum(each.weight for each in around)
    heading = _is_heading(unit, ours) and unit.start == line.start and rest >= 1.5
    if (total >= ENOUGH or not items) and not heading:
        bare = share < UNSAID_BELOW and total >= UNSAID_FROM and len(items) - len(gone) == 1 and _all_nowhere(terms, there)
        judged = share if unit.listed or bare else _with_items(share, total, len(items), len(gone))
        hollow = not bare and _only_subject(unit, line, terms, items, ours, there)
        if total < middle and not unit.listed:
            judged = max(judged, 0.4 * judged + 0.6 * context if total < short else 0.5 * judged + 0.5 * context)
        if hollow:
            judged = 0.0
        if judged < threshold and total >= (0.3 if len(ours.lines) and not items else ENOUGH):
            # with a number or a name that is gone too, it is no plain statement
            kind = gone[0].kind if gone else "statement"
            lost.append(
                _Gone(line.memory, unit.start, unit.end, kind, f"“{brief(_show(ours, unit))}” is not in the rewrite", number)
            )
            missing = True
        if not gone and abs(judged - threshold) < DOUBT_BELOW - threshold and total >= ENOUGH and judged < 0.999:
            doubts.append(
                Doubt(
                    "lost",
                    memory.memory_id,
                    line.memory,
                    _show(ours, unit),
                    round(judged, 3),
                    judged < threshold,
                    found_line.text if found_line else "",
                )
            )
    if gone and not missing:
        missing = True
        lost.append(
            _Gone(line.memory, gone[0].start, max(item.end for item in gone), gone[0].kind, _not_there(gone, there), number)
        )
    if share >= threshold and top and not missing:
        clash = _turned(unit, line_number, ours, items, terms, top, there)
        if clash:
            lost.append(_Gone(line.memory, unit.start, unit.end, *clash, number))
    return facts


def _only_subject(unit: Unit, line: Line, terms: Sequence[Term], items: Sequence[Item], ours: Side, there: _Search) -> bool:
    """Whether all that the other side has of a fact is whom it is told of: *brother Jonas is a diabetic*, *brother Jonas lives in Oslo*."""
    if any(item.kind != "name" for item in items) or unit.start > line.start:
        return False
    whom = told_of(ours.memories[line.memory].memory[unit.start : unit.end])
    if not whom:
        return False
    rest = [each for each in terms if each.stem not in whom and each.stem not in line.names]
    return sum(each.weight for each in rest) >= UNSAID_FROM and not any(_match_anywhere(each.stem, there) for each in rest)


def _match_anywhere(word: str, there: _Search) -> bool:
    side = there.side
    if word in side.by_feature or side.akin(word):
        return True
    return is_cjk(word) and any(char in side.by_feature and char not in COMMON_CHARS for char in word)


def _not_there(gone: Sequence[Item], there: _Search) -> str:
    """What became of the items of one fact, for people."""
    nowhere = [item.surface for item in gone if not _anywhere(there, item)]
    elsewhere = [item.surface for item in gone if item.surface not in nowhere]
    parts = [f"{_listed(nowhere)} {'is' if len(nowhere) == 1 else 'are'} not in the rewrite"] if nowhere else []
    parts += [f"{_listed(elsewhere)} {'is' if len(elsewhere) == 1 else 'are'} told of something else"] if elsewhere else []
    return "; ".join(parts)


def _all_nowhere(terms: Sequence[Term], there: _Search) -> bool:
    """Whether there are telling words (in English several), and nothing on the other side, wherever it stands, has one or one that stands for it."""
    side = there.side
    telling = [each for each in terms if each.weight >= 0.3 and each.stem not in there.dominant]
    for each in telling:
        if each.stem in side.by_feature or side.akin(each.stem):
            return False
        if is_cjk(each.stem) and any(char in side.by_feature and char not in COMMON_CHARS for char in each.stem):
            return False
    # "is 185 cm tall", "has two anyway": an English word beside the figure is often one that tells nothing
    return len(telling) > 1 or any(is_cjk(each.stem) for each in telling)


_MOST_LISTED = 6


def _listed(surfaces: Sequence[str]) -> str:
    """Words for a message; of many the first few."""
    shown = [brief(surface, 60) for surface in surfaces[:_MOST_LISTED]]
    return " and ".join(shown) + (f" and {len(surfaces) - len(shown)} more" if len(surfaces) > len(shown) else "")


def _told_by_names(item: Item, line: Line, top: Sequence[int], there: _Search) -> bool:
    """``two sons, Max and Felix``: who names them all has said how many."""
    if item.kind != "number" or not re.fullmatch(r"n:[2-6]", item.norm):
        return False
    many = int(item.norm[2:])
    return len(line.names) >= many and any(line.names <= there.side.lines[number].features for number in top)


def _is_heading(unit: Unit, side: Side) -> bool:
    """``Languages:`` says nothing by itself."""
    text = side.memories[side.lines[unit.line].memory].memory
    return (
        text[unit.start : unit.end].rstrip().endswith((":", "："))
        and len(unit.terms) <= 3
        and all(item.weak for item in unit.items)
    )


def _with_items(share: float, total: float, items: int, missing: int) -> float:
    """The share of words, with items that were found (or not) counted as words."""
    if not items or not total:
        return share
    return (share * total + 0.7 * (items - missing)) / (total + 0.7 * items)


def _line_terms(line: Line, side: Side) -> list[Term]:
    return [each for index in line.units for each in side.units[index].terms if each.weight]


def _context(line: Line, ours: Side, there: _Search, top: Sequence[int]) -> float:
    terms = [each for index in line.units for each in ours.units[index].terms]
    return there.share(terms, top)[0]


def _anywhere(there: _Search, item: Item) -> bool:
    index = there.side.by_feature
    if item.kind == "name":
        return all(stem(part) in index for part in item.norm.split())
    return any(key in index for key in item_keys(item) if not key.startswith("#:"))


class _Stance(NamedTuple):
    """What the lines that come nearest to a line say of what it says: the contrary (of what stands at start:end of its memory), or the same."""

    contrary: bool
    start: int
    end: int
    other: Line


_SOMETHING = 0.3
"""A line that tells less than this of its own says no contrary."""
_SAME_FACT = 0.45
"""A line must hold this much of what another tells, to be one that says the same or the contrary."""


def _stance(
    unit: Unit, number: int, mine: Side, items: Sequence[Item], top: Sequence[int], side: Side, dominant: frozenset[str]
) -> _Stance | None:
    """One line that agrees is enough. None where nothing tells. Only lines that hold the items are asked."""
    line = mine.lines[number]
    words = frozenset(each.stem for each in unit.terms if each.stem not in dominant)
    if sum(weigh(word) for word in words) < ENOUGH:
        words = line.features - dominant
    total = sum(weigh(word) for word in words)
    if total < _SOMETHING:
        return None  # "User's name is"
    found = [
        (sum(weigh(word) for word in words if side.holds(at, word)), at)
        for at in top[:3]
        if all(_holds(side.lines[at], item, dominant) for item in items)
    ]
    most = max((value for value, _ in found), default=0.0)
    worst: _Stance | None = None
    for value, at in found:
        if not value or value < max(0.75 * most, _SAME_FACT * total):
            continue
        verdict = compare(mine.told(number), side.told(at), dominant)
        if verdict is not None and verdict.contrary and (_listed_denial(mine, number) or _listed_denial(side, at)):
            verdict = None
        if verdict is not None:
            stance = _Stance(verdict.contrary, line.start + verdict.start, line.start + verdict.end, side.lines[at])
            if not verdict.contrary:
                return stance
            worst = worst or stance
    return worst


_LIST_LONGEST = 30
"""So many lines back a list is followed to where it began."""


def _listed_denial(side: Side, number: int) -> bool:
    """Whether a line goes on with a list, behind a semicolon, that began with a denial."""
    text = side.lines[number].text
    if not side.lines[number].joined or opens_clause(text) or any(turn.sure for turn in turns(text)):
        return False
    for _ in range(_LIST_LONGEST):
        if not number or not side.lines[number].joined:
            break
        number -= 1
        if any(turn.sure for turn in turns(side.lines[number].text)):
            return True
    return False


def _turned(
    unit: Unit, number: int, mine: Side, items: Sequence[Item], terms: Sequence[Term], top: Sequence[int], search: _Search
) -> tuple[str, str] | None:
    """Whether the lines that come nearest to a unit say the contrary of it: (kind, detail), or None."""
    line, side = mine.lines[number], search.side
    stance = _stance(unit, number, mine, items, top, side, search.dominant)
    if stance is not None and stance.contrary and unit.start < stance.end and stance.start < unit.end:
        return "polarity", f"“{brief(stance.other.text)}” says the contrary"
    if top:
        text = mine.memories[line.memory].memory[unit.start : unit.end]
        if not any(other_sign(text, side.lines[at].text) is None for at in top):
            return "id", other_sign(text, side.lines[top[0]].text) or ""
        unsure = certainty(text, side.lines[top[0]].text) or certainty(side.lines[top[0]].text, text)
        if unsure is not None:
            return "certainty", unsure
    clash = _item_clash(items, line, top, side)
    if clash is None and (line.text.isascii() or _surely_turned(line, top, side)):
        clash = _sign_clash(terms, line, top, side)
    if clash is not None and (
        (stance is not None and not stance.contrary)
        or _listed_denial(mine, number)
        or any(_listed_denial(side, at) for at in top[:1])
    ):
        clash = None
    return (
        clash
        or _opposite_clash(line, top, side, agreed=stance is not None and not stance.contrary)
        or _replaced(terms, number, mine, top, side)
    )


def _replaced(terms: Sequence[Term], line: int, mine: Side, top: Sequence[int], side: Side) -> tuple[str, str] | None:
    """Whether a word is nowhere on the other side, and the nearest line has another of its kind, which is nowhere on this one."""
    for each in terms:
        if not each.weight or not kinds.has_kind(each.stem) or _told_anywhere(each.stem, side):
            continue
        for other in sorted(side.lines[top[0]].features) if top else ():
            if kinds.rivals(each.stem, other) and not _told_anywhere(other, mine):
                mine_text, other_text = mine.lines[line].text, side.lines[top[0]].text
                return "opposite", f"{_surface(each.stem, mine_text)}: the other side has {_surface(other, other_text)}"
    return None


def _surface(root: str, text: str) -> str:
    """The first word of a text that has this stem."""
    return next((word for word in _WORD.findall(text) if stem(word) == root), root) if root.isascii() else root


_WORD = re.compile(r"[^\W\d_]+")


def _told_anywhere(word: str, side: Side) -> bool:
    if word in side.by_feature or any(value >= senses.BY_BEGINNING for value in side.akin(word).values()):
        return True
    return is_cjk(word) and any(
        word in side.lines[number].text for char in word[:1] for number in side.by_feature.get(char, ())[:_VISIT]
    )


def _surely_turned(line: Line, top: Sequence[int], side: Side) -> bool:
    """Whether Chinese lines hold a plain denial. What 不便 or 不太 turn lies before it or behind it: the words do not tell."""
    return any(turn.sure for text in (line.text, *(side.lines[at].text for at in top[:3])) for turn in turns(text))


def _item_clash(items: Sequence[Item], line: Line, top: Sequence[int], side: Side) -> tuple[str, str] | None:
    """Whether a number or a name is denied outright on one side alone: ``is not 845 ms``."""
    for item in items:
        keys = item_keys(item)
        here = not keys.isdisjoint(line.denied_keys)
        for number in top[:1]:
            other = side.lines[number]
            if keys.isdisjoint(other.keys):
                continue
            if (
                here != (not keys.isdisjoint(other.denied_keys))
                and line.denied != other.denied
                and not line.soft
                and not other.soft
            ):
                return "polarity", f"“{brief(other.text)}” says the contrary"
    return None


def _sign_clash(terms: Sequence[Term], line: Line, top: Sequence[int], side: Side) -> tuple[str, str] | None:
    """Whether the nearest line affirms what the unit denies, or the other way round.

    A word counts as turned only where nothing else says the same: what stands with ``allergic``, ``former`` or ``without`` on one
    side may be denied outright on the other.
    """
    denied = any(each.negated for each in terms) or line.denied or line.turned
    if not denied and not any(
        side.lines[number].denied or side.lines[number].denied_words or side.lines[number].turned for number in top[:2]
    ):
        return None
    verdicts = []
    telling = [each for each in terms if each.weight != 0.5 or not each.stem.isascii()]  # names are not denied
    if sum(each.weight for each in telling) < 0.3:
        telling = list(terms)
    for number in top[:3]:
        other = side.lines[number]
        for_it = against = matched = excused = 0.0
        for each in telling:
            seen, soft = other.sign(each.stem), each.stem in other.soft
            for feature, value in side.akin(each.stem).items():
                if (
                    feature in other.features
                    and (value >= senses.BY_HAND or not seen)
                    and (weigh(feature) >= 0.3 or (feature in LIKING and each.stem in LIKING))
                ):
                    seen |= other.sign(feature)
                    soft = soft or feature in other.soft
            if not seen and is_cjk(each.stem):
                for feature in other.features:
                    if is_cjk(feature) and any(char in feature and char not in COMMON_CHARS for char in each.stem):
                        seen |= other.sign(feature)
            if not seen or (len(each.stem) == 1 and each.weight < 0.3):
                continue
            matched += each.weight
            if seen & (2 if each.negated else 1):
                for_it += each.weight
            elif _same_focus(each, line, other):
                continue  # the same is denied on both sides, and this word only stands beside it
            elif (each.soft and soft) or (soft and each.negated) or (each.soft and not each.negated):
                # Both deny by a word of their own (whether that one is denied is told by Line.turned), or one does and the other plainly.
                excused += each.weight
            else:
                against += each.weight
        verdicts.append((matched, for_it, against if against > excused else 0.0, other))
    most = max(entry[0] for entry in verdicts)
    near = [entry for entry in verdicts if entry[0] >= 0.75 * most and entry[0] > 0]
    if near and len(near) == 1:
        other = near[0][3]
        if line.denied != other.denied and not line.soft and not other.soft and _alike(line, other):
            return "polarity", f"“{brief(other.text)}” says the contrary"
    if near and all(
        entry[3].turned != line.turned and (line.soft or line.denied) and (entry[3].soft or entry[3].denied) for entry in near
    ):
        return "polarity", f"“{brief(near[0][3].text)}” says the contrary"
    # One line that agrees is enough, and a line is agreed with unless a word that both have changed its sign.
    worst: Line | None = None
    for _, for_it, against, other in near:
        if not against:
            return None
        denied_here, denied_there = any(each.negated for each in terms), bool(other.denied_words)
        if denied_here and denied_there and for_it >= against:
            return None
        worst = worst or other
    if worst is None:
        return None
    return "polarity", f"“{brief(worst.text)}” says the contrary"


def _same_focus(each: Term, line: Line, other: Line) -> bool:
    """Whether a word is denied on one side only because it stands in a clause that denies what the other side denies too."""
    denying, affirming = (line, other) if each.negated else (other, line)
    for group in denying.denied_groups:
        if each.stem not in group and not any(senses.closeness(each.stem, one) >= senses.BY_HAND for one in group):
            continue
        for focus in group:
            if focus == each.stem or weigh(focus) < 0.3:
                continue
            if focus in affirming.denied_words or any(
                senses.closeness(focus, one) >= senses.BY_HAND for one in affirming.denied_words if weigh(one) >= 0.3
            ):
                return True
    return False


def _alike(line: Line, other: Line) -> bool:
    """Whether two lines say the same, but for what denies: each holds nearly all words of the other."""
    if not line.features or not other.features:
        return False

    def held(feature: str, whole: Line) -> bool:
        return feature in whole.features or any(senses.closeness(feature, mine) >= senses.BY_HAND for mine in whole.features)

    denying, affirming = (line, other) if line.denied else (other, line)
    under = denying.denied_words - denying.both
    under = frozenset([feature for feature in under if weigh(feature) >= 0.5]) or under
    if under and not any(held(feature, affirming) for feature in under):
        return False  # what is denied is something else

    def share(part: frozenset[str], whole: Line) -> float:
        return sum(held(feature, whole) for feature in part) / len(part)

    return share(line.features, other) >= 0.65 and share(other.features, line) >= 0.65


def _opposite_clash(line: Line, top: Sequence[int], side: Side, *, agreed: bool) -> tuple[str, str] | None:
    """Whether the nearest line has the opposite of a word in its place.

    Args:
        agreed: denials were counted and agree: *uncomfortable* and *not comfortable* are one.
    """
    if not top:
        return None
    other = side.lines[top[0]]
    for one, two in (("maximum", "minimum"), ("minimum", "maximum")):
        if one in line.features and two not in line.features and two in other.features and one not in other.features:
            return "opposite", f"{one} became {two}"
    opposites = lexicon.opposites()
    here, there = line.raw, other.raw
    for word in here & _POLAR:
        if word in there:
            continue
        against = opposites[word] & there & _POLAR
        if word in ("never", "always") and (line.denied and other.denied):
            continue  # never flies, always by rail and no planes
        if agreed:
            against = frozenset(one for one in against if not one.endswith(word) and not word.endswith(one))
        if against and not against & here:
            return "opposite", f"{word} became {min(against)}"
    if not line.text.isascii():
        for left, right in lexicon.CJK_ANTONYMS:
            if len(left) > 1 and len(right) > 1 and left not in ("喜欢", "总是", "经常"):
                for one, two in ((left, right), (right, left)):
                    if agreed and (f"不{one}" in line.text or f"不{two}" in other.text):
                        continue  # 不接受 and 拒绝
                    if _only_denied(one, line.text) or _only_denied(two, other.text):
                        continue
                    if one in line.text and two not in line.text and two in other.text and one not in other.text:
                        return "opposite", f"{one} became {two}"
    return None


def _only_denied(word: str, text: str) -> bool:
    return f"不{word}" in text and text.count(word) == text.count(f"不{word}")


def _find_invented(theirs: Side, back: _Search, ours: Side, doubts: list[Doubt], tops: dict[int, list[int]]) -> list[_Made]:
    """What the rewrite says and no source does; ``tops`` is filled with the source lines that come nearest to each unit."""
    out: list[_Made] = []
    for line_number, line in enumerate(theirs.lines):
        if back.by_phrase.get(line.phrase):
            continue
        memory = theirs.memories[line.memory]

        copied: list[int] = []
        before = len(out)
        told: list[int] = []  # source lines of what a date in brackets is said of
        inside = closed = False

        def report(
            number: int,
            kind: str,
            start: int,
            end: int,
            detail: str,
            line: Line = line,
            memory: UserMemory = memory,
            copied: list[int] = copied,
        ) -> None:
            if any(_copied(ours.memories[ours.lines[at].memory].memory, memory.memory, start, end) for at in copied):
                return
            fact = memory.memory[start:end].strip(" ,;，；、")
            made = _made(memory, line, fact, kind, detail)
            out.append(_Made(made, number))

        for number in line.units:
            unit = theirs.units[number]
            top = tops[number] = back.top(unit, line, theirs.units)
            copied[:] = top
            inside = memory.memory[unit.start - 1 : unit.start] in ("(", "（") or (inside and not closed)
            if not inside:
                told = list(top) if closed else [*told, *top]
            closed = memory.memory[unit.end - 1 : unit.end] in (")", "）")
            terms = [each for each in unit.terms if each.weight]
            share, total = back.share(terms, top)
            wrong = False
            for item in unit.items:
                if not _required(item) or item.kind == "quote" or _pronoun(item, memory.memory):
                    continue
                if item.kind == "name" and all(stem(part) in back.dominant for part in item.norm.split()):
                    continue
                if (
                    _told_by_names(item, line, top, back)
                    or back.has(item, top, terms, together=0.0)
                    or (item.kind in ("date", "relative") and _dated(item, [*top, *back.alike(told)] if inside else top, ours))
                ):
                    continue
                wrong = True
                where = "no source has it" if not _anywhere(back, item) else "the sources say it of something else"
                report(number, item.kind, item.start, item.end, f"{brief(item.surface)}: {where}")
            hard = [item for item in unit.items if _required(item) and item.kind != "quote"]
            needed = _supported(back, top, line, theirs, 0.2 if hard and not wrong else 0.4)
            judged = share if wrong else _with_items(share, total, len(hard), 0)
            if total < 1.2:
                judged = max(judged, 0.6 * judged + 0.4 * _context(line, theirs, back, top))
            judged = min(judged, share + 0.2) if needed else 0.5 * judged
            alone = len(line.units) == 1 and total >= 0.45 and share < 0.3 and not hard  # "User can't swim."
            if (
                (total >= (0.65 if line.chars else 0.9) or alone)
                and judged < INVENTED_BELOW
                and not wrong
                and not _is_heading(unit, theirs)
            ):
                report(number, "statement", unit.start, unit.end, "no source says it")
                wrong = True
            if total >= 0.9 and abs(judged - INVENTED_BELOW) < 0.15:
                nearest = ours.lines[top[0]].text if top else ""
                doubts.append(
                    Doubt("invented", memory.memory_id, line.memory, _show(theirs, unit), round(judged, 3), wrong, nearest)
                )
            if not wrong and top and share >= INVENTED_BELOW:
                clash = _turned(unit, line_number, theirs, hard, terms, top, back)
                if clash:
                    report(number, clash[0], unit.start, unit.end, clash[1])
        if len(out) == before and _is_slight(line, theirs, back.dominant) and is_asked(line.text) and not _told_whole(line, back):
            first = line.units[0] if line.units else -1 - line_number
            report(first, "words", line.start, line.end, "no source says it")
        if len(out) == before:
            for number, start, end in additions(line_number, theirs, ours, back.dominant, tops.__getitem__):
                copied[:] = [at for unit_number in line.units for at in tops[unit_number]]
                report(number, "detail", start, end, f"{brief(memory.memory[start:end])}: no source says it")
    return out


_TOLD = 0.6
"""A unit that has this share of its words in one unit of the other side is told there, whatever else that one says."""
_HINT = 0.15
"""So much of the other unit must be found the other way round."""
_HALF = 0.3
"""Two units of sentences that tell each other, one of them without a match, are one when this much of their words is the same, on average."""
_ALIKE = 0.2
"""Two units of sentences that tell each other, both without a match, are one when this much of their words is the same, on average."""


def _without_pairs(
    lost: list[_Gone], invented: list[_Made], ours: Side, theirs: Side, there: _Search, back: _Search
) -> tuple[list[_Gone], list[_Made]]:
    """Without plain statements that lie beside a statement of the other side which tells them in other words.

    A clause that is told shortly is found where it is told at length (*最怕数学*, *数学是她最发怵的科目*), though not the other way round. And
    what is left over on both sides of two sentences that tell each other otherwise is likely to be one thing.
    """
    gone = {item.unit for item in lost if item.kind == "statement"}
    made = {one.unit for one in invented if one.public.kind == "statement"}
    all_gone, all_made = {item.unit for item in lost}, {one.unit for one in invented}
    free_gone: set[int] = set()
    free_made: set[int] = set()
    for number in sorted(gone):
        for other in _units_near(number, ours, there):
            one_way, other_way = _shares(number, other, ours, theirs)
            if other in made:
                good = one_way + other_way >= 2 * _ALIKE and _aligned(number, other, ours, theirs, all_gone)
            elif other in all_made or number != _nearest(other, theirs, ours, back, swapped=True):
                good = False
            else:
                good = (other_way >= _TOLD and one_way >= _HINT) or (
                    one_way + other_way >= 2 * _HALF
                    and min(one_way, other_way) >= _HINT
                    and _aligned(number, other, ours, theirs, all_gone)
                )
            if good and not _parted(number, other, ours, theirs, there, back):
                free_gone.add(number)
                if other in made:
                    free_made.add(other)
    for number in sorted(made - free_made):
        for other in _units_near(number, theirs, back):
            if other in all_gone:
                continue
            one_way, other_way = _shares(other, number, ours, theirs)
            good = (one_way >= _TOLD and other_way >= _HINT) or (
                one_way + other_way >= 2 * _HALF
                and min(one_way, other_way) >= _HINT
                and _aligned(other, number, ours, theirs, all_gone)
            )
            if good and number == _nearest(other, ours, theirs, there) and not _parted(other, number, ours, theirs, there, back):
                free_made.add(number)
    if not free_gone and not free_made:
        return lost, invented
    return (
        [item for item in lost if item.unit not in free_gone],
        [one for one in invented if one.unit not in free_made],
    )


def _units_near(number: int, mine: Side, search: _Search) -> list[int]:
    """The units of the lines of the other side that come nearest to a unit."""
    unit = mine.units[number]
    return [other for at in search.top(unit, mine.lines[unit.line], mine.units)[:2] for other in search.side.lines[at].units]


def _nearest(number: int, mine: Side, other: Side, search: _Search, *, swapped: bool = False) -> int | None:
    """The unit of the other side that shares most with one."""
    best, most = None, 0.0
    for at in _units_near(number, mine, search):
        shares = _shares(at, number, other, mine) if swapped else _shares(number, at, mine, other)
        if sum(shares) > most:
            best, most = at, sum(shares)
    return best


def _shares(one: int, two: int, ours: Side, theirs: Side) -> tuple[float, float]:
    """How much of the words of a unit of ours one of theirs has, and the other way round."""
    mine, other = ours.units[one], theirs.units[two]
    return _share_in(mine, _as_line(two, theirs), theirs), _share_in(other, _as_line(one, ours), ours)


def _share_in(unit: Unit, line: Line, side: Side) -> float:
    terms = [each for each in unit.terms if each.weight]
    total = sum(each.weight for each in terms)
    found = sum(each.weight * _match(each, line, side) for each in terms)
    items = [item for item in unit.items if _required(item)]
    held = sum(not item_keys(item).isdisjoint(line.keys) for item in items)
    return (found + 0.7 * held) / (total + 0.7 * len(items)) if total >= 0.3 or items else 0.0


def _as_line(number: int, side: Side) -> Line:
    """A unit alone, to be looked into."""
    unit = side.units[number]
    line = side.lines[unit.line]
    text = side.memories[line.memory].memory[unit.start : unit.end]
    out = Line(line.memory, unit.start, unit.end, text, features=frozenset(each.stem for each in unit.terms))
    out.chars = frozenset(char for each in unit.terms if is_cjk(each.stem) for char in each.stem)
    out.keys = side.keys_of(number)
    return out


def _aligned(one: int, two: int, ours: Side, theirs: Side, gone: set[int]) -> bool:
    """Whether the sentences of two units tell each other otherwise: another clause, or an item of theirs, is on both sides."""
    mine, other = ours.lines[ours.units[one].line], theirs.lines[theirs.units[two].line]
    if not mine.keys.isdisjoint(other.keys):
        return True
    rest = [number for number in mine.units if number != one and number not in gone]
    return any(_share_in(ours.units[number], other, theirs) >= LOST_BELOW for number in rest)


def _other_of_kind(one: Unit, two: Unit) -> bool:
    """Whether a word of one has another of its kind in its place: *grandmother*, *aunt*."""
    from memopt.facts.paraphrase import rivals

    mine, other = ({each.stem.removeprefix("=") for each in unit.terms} for unit in (one, two))
    return any(rivals(word, name) for word in mine - other for name in other - mine)


def _parted(one: int, two: int, ours: Side, theirs: Side, there: _Search, back: _Search) -> bool:
    """Whether two units that seem to be one say the contrary of each other."""
    mine, other = ours.units[one], theirs.units[two]
    if any(not item.weak and item_keys(item).isdisjoint(theirs.lines[other.line].keys) for item in mine.items):
        return True
    terms = [each for each in mine.terms if each.weight]
    return (
        _other_of_kind(mine, other)
        or _turned(mine, mine.line, ours, [], terms, [other.line], there) is not None
        or _turned(other, other.line, theirs, [], [each for each in other.terms if each.weight], [mine.line], back) is not None
    )


def _copied(source: str, rewrite: str, start: int, end: int) -> bool:
    """Whether rewrite[start:end] lies inside a verbatim, undivided copy of the source."""
    text = source.strip()
    if len(text) < 2:
        return False
    at = rewrite.find(text, max(0, start - len(text)))
    while at >= 0 and at <= start:
        if at + len(text) >= end and _free(rewrite, at, at + len(text), text):
            return True
        at = rewrite.find(text, at + 1)
    return False


def _free(rewrite: str, start: int, end: int, text: str) -> bool:
    """Whether a copy stands by itself: nothing in its own sentence before or behind it that could turn its meaning."""
    before, after = rewrite[:start].rstrip(" \t-•*"), rewrite[end:]
    opens = not before or before[-1] in ".!?。！？…;；\n:\"”'’)" or (start and rewrite[start - 1] == "\n")
    rest = after.lstrip(" \t")
    closes = not rest or rest[0] in "\n;；" or text[-1] in '.!?。！？…"”' or (after[0] in ".!?。！？" and not rest[1:2].isalnum())
    return bool(opens and closes)


def _supported(back: _Search, top: Sequence[int], line: Line, theirs: Side, least: float) -> bool:
    """Whether one of the source lines is itself told here to a fair part: else single words were picked out of strange sentences."""
    for number in top:
        for index in back.side.lines[number].units:
            mine = [each for each in back.side.units[index].terms if each.weight]
            total = sum(each.weight for each in mine)
            if not total:
                return True
            if sum(each.weight for each in mine if _match(each, line, theirs) >= 0.5) >= least * total:
                return True
    return False


def _dated(item: Item, top: Sequence[int], ours: Side) -> bool:
    """Whether a date only says when the source was written, or completes a source's date with the year it was written in."""
    for number in top:
        line = ours.lines[number]
        if line.written is None:
            continue
        moment = line.written
        days = {f"d:{moment.year:04d}", f"d:{moment:%Y-%m}", f"d:{moment:%Y-%m-%d}", f"d:--{moment:%m}", f"d:--{moment:%m-%d}"}
        for key in item.keys:
            if key in days:
                return True
            found = re.fullmatch(r"d:(\d{4})-(\d\d(?:-\d\d)?)", key)
            if (
                found
                and abs(int(found[1]) - moment.year) <= 1
                and f"d:--{found[2]}" in line.open_dates
                and not _of_other_year(found[1], found[2], ours)
            ):
                return True
            if (
                any(own.startswith("r:") for own in line.keys)
                and key.startswith("d:")
                and any(k.startswith("d:") and key in general_dates(k) for k in line.keys)
            ):
                return True
    return False


def _of_other_year(year: str, rest: str, ours: Side) -> bool:
    """Whether the sources tell a day or month with a year, and never with this one: where another leaves the year out, it is that one."""
    told = {one for one in range(int(year) - 2, int(year) + 3) if f"d:{one:04d}-{rest}" in ours.by_feature}
    return bool(told) and int(year) not in told


def _find_contrasts(
    ours: Side, theirs: Side, back: _Search, there: _Search, lost: list[_Gone], invented: list[_Made], tops: dict[int, list[int]]
) -> list[_Made]:
    """Statements that tell another pole of what a source tells (see ``memopt.verify.contrast``); the source is then lost as well.

    One source that tells the same pole is enough, and a source is not lost where another line of the rewrite still tells its pole.
    """
    flagged = {(one.public.index, one.public.start) for one in invented}
    gone = {item.unit for item in lost}
    out: list[_Made] = []
    for line_number, line in enumerate(theirs.lines):
        if (line.memory, line.whole[1] if line.whole else line.start) in flagged:
            continue
        memory = theirs.memories[line.memory]
        if back.by_phrase.get(line.phrase):
            torn = _torn(line_number, theirs, tops, ours, back) if line.joined and line.units else None
            if torn is not None:
                detail = f"“{brief(theirs.lines[line_number - 1].text)}”: the source says it of something else"
                fact = _show(theirs, theirs.units[line.units[0]])
                made = _made(memory, line, fact, "swap", detail)
                out.append(_Made(made, line.units[0]))
                of = ours.lines[torn]
                if of.units and gone.isdisjoint(of.units):
                    gone.add(of.units[0])
                    lost.append(_Gone(of.memory, of.start, of.end, "swap", "told of something else", of.units[0]))
            continue
        swap: tuple[Contrast, int] | None = None
        known: dict[int, list[Contrast]] = {}
        for number in line.units:
            unit = theirs.units[number]
            found = _contrast(unit, line_number, theirs, tops[number], ours, back.dominant, known)
            if found is None and number == line.units[-1]:
                found = swap = _exchange(line_number, theirs, tops, ours, there, back.dominant)
            if found is None:
                continue
            if swap is not None:
                place = line.start + swap[0].start
                number = next((one for one in line.units if theirs.units[one].end > place), number)
                unit = theirs.units[number]
            contrast, at = found
            start, end = line.start + contrast.start, line.start + contrast.end
            if any(_copied(ours.memories[ours.lines[top].memory].memory, memory.memory, start, end) for top in tops[number]):
                continue
            fact = _show(theirs, unit)
            made = _made(memory, line, fact, contrast.kind, contrast.detail)
            out.append(_Made(made, number))
            lost += _contrasted(contrast, at, unit, theirs, ours, there, gone)
            break
    return out


def _asked_of(unit: Unit, line: Line, top: Sequence[int], side: Side, dominant: frozenset[str]) -> list[int]:
    """The nearest lines of the other side that hold so much of a unit that they may say the same or the contrary, best first.

    A word counts as held where the line has another pole of its axis.
    """
    words = frozenset(each.stem for each in unit.terms if each.stem not in dominant)
    if sum(weigh(word) for word in words) < ENOUGH:
        words = line.features - dominant
    items = [item for item in unit.items if not item.weak]
    total = sum(weigh(word) for word in words) + _ITEM * len(items)
    axes = axes_of(line.text)
    found = []
    for at in top[:3]:
        there = {pole.axis for pole in poles(side.lines[at].text)} if axes else set()
        held = sum(weigh(word) for word in words if side.holds(at, word) or not there.isdisjoint(axes.get(word, ())))
        found.append((held + _ITEM * sum(_holds(side.lines[at], item, dominant) for item in items), at))
    most = max((value for value, _ in found), default=0.0)
    return [at for value, at in found if value >= max(0.75 * most, _SAME_FACT * total)]


_ITEM = 0.7
"""What a figure or a name weighs among the words of a unit."""


def _contrast(
    unit: Unit,
    number: int,
    mine: Side,
    top: Sequence[int],
    side: Side,
    dominant: frozenset[str],
    known: dict[int, list[Contrast]],
) -> tuple[Contrast, int] | None:
    """How a unit is told the other way round by the lines that come nearest to it, none of which tells the same."""
    line = mine.lines[number]
    told = mine.told(number)
    lines = _asked_of(unit, line, top, side, dominant)
    for at in lines:
        if at not in known:  # several units of a line ask for the same line
            known[at] = contrasts(told, side.told(at), dominant)
        for contrast in known[at]:
            if not (unit.start < line.start + contrast.end and line.start + contrast.start < unit.end):
                continue
            if any(agrees(contrast.mine, side.told(other)) for other in lines if other != at):
                continue
            return contrast, at
    return None


def _parts(side: Side, number: int, dominant: frozenset[str], whole: bool) -> Sequence[Part]:
    if (number, whole) not in side.parts:
        side.parts[number, whole] = parts(side.told(number), number, dominant, whole=whole)
    return side.parts[number, whole]


def _torn(number: int, mine: Side, tops: dict[int, list[int]], side: Side, back: _Search) -> int | None:
    """The source line that a line behind a semicolon copies, where what stands before it there is something else, which goes on otherwise."""
    line, before = mine.lines[number], mine.lines[number - 1]
    same = back.by_phrase[line.phrase]
    if not all(side.lines[at].joined for at in same):
        return None
    told = {word for word in before.features - back.dominant if weigh(word) >= 0.5} | before.keys

    def share(at: int) -> float:
        other = side.lines[at]
        return sum(1.0 for word in told if word in other.features or word in other.keys)

    own = max(share(at - 1) for at in same)
    nearest = back.by_phrase.get(before.phrase) or [at for index in before.units for at in tops.get(index, ())[:2]]
    rivals = [
        at
        for at in nearest
        if at + 1 < len(side.lines) and side.lines[at + 1].joined and side.lines[at + 1].phrase != line.phrase
    ]
    return same[0] if rivals and max(share(at) for at in rivals) >= own + 1 else None


def _exchange(
    number: int, mine: Side, tops: dict[int, list[int]], side: Side, there: _Search, dominant: frozenset[str]
) -> tuple[Contrast, int] | None:
    """Whether a line has what belongs to another segment or line, which in turn has what belongs to this one."""
    line = mine.lines[number]
    sources = list(dict.fromkeys(at for index in line.units for at in tops[index][:2]))[:_EXCHANGED]
    if not sources or (len(sources) == 1 and len(side.lines[sources[0]].units) == 1):
        return None
    near = {number: None}
    for at in sources:
        for index in side.lines[at].units:
            near.update(dict.fromkeys(there.top(side.units[index], side.lines[at], side.units)[:1]))
    for whole in (False, True):
        theirs = [part for at in sources for part in _parts(side, at, dominant, whole)]
        own = [part for at in list(near)[:_EXCHANGED] for part in _parts(mine, at, dominant, whole)]
        found = exchanged(own, theirs, number)
        if found is not None:
            return Contrast(found.start, found.end, "swap", found.detail, ("has",), ("has",)), found.line
    return None


_EXCHANGED = 5
"""So many lines of each side are asked for what changed places."""


def _contrasted(contrast: Contrast, at: int, unit: Unit, theirs: Side, ours: Side, there: _Search, gone: set[int]) -> list[_Gone]:
    """The fact of a source line that a contrast replaces, where it is not lost already and nothing else in the rewrite tells it."""
    source = ours.lines[at]
    number = next((one for one in source.units if one in gone), None)
    if number is not None or not source.units:
        return []
    words = {each.stem for each in unit.terms}
    number = max(source.units, key=lambda one: sum(each.weight for each in ours.units[one].terms if each.stem in words))
    fact = ours.units[number]
    others = [one for one in there.top(fact, source, ours.units)[:3] if one != unit.line]
    for one in _asked_of(fact, source, others, theirs, there.dominant):
        if agrees(contrast.theirs, theirs.told(one)):
            return []
    gone.add(number)
    told = f"told the other way round: “{brief(_show(theirs, unit))}”"
    return [_Gone(source.memory, fact.start, fact.end, contrast.kind, told, number)]


def _find_swaps(ours: Side, theirs: Side, dominant: frozenset[str], lost: list[_Gone], invented: list[_Made]) -> list[_Made]:
    """Facts that are all there, but with one another's subjects: ages exchanged, two people merged into one."""
    own_phrases = {line.phrase for line in ours.lines}
    flagged = {(one.public.index, one.public.start) for one in invented}
    gone = {item.unit for item in lost}
    out: list[_Made] = []
    for line in theirs.lines:
        if (
            line.phrase in own_phrases
            or "respectively" in line.raw
            or "分别" in line.text
            or (line.memory, line.whole[1] if line.whole else line.start) in flagged
        ):
            continue
        for number in line.units:
            unit = theirs.units[number]
            swap = _swap(unit, ours, dominant)
            if swap is None:
                continue
            source, item = swap
            if paired(theirs.told(unit.line), ours.told(ours.units[source].line)) is True:
                continue
            memory = theirs.memories[line.memory]
            of = ours.units[source]
            from_line = ours.lines[of.line]
            detail = f"{brief(item.surface)}: the source says it in “{brief(from_line.text)}”"
            made = replace(
                _made(memory, line, _show(theirs, unit), "swap", detail),
                nearest_id=ours.memories[from_line.memory].memory_id,
                nearest=from_line.text,
            )
            out.append(_Made(made, number))
            if source not in gone:
                gone.add(source)
                told = f"told of something else: “{brief(_show(theirs, unit))}”"
                lost.append(_Gone(from_line.memory, of.start, of.end, "swap", told, source))
            break
    return out


_SAID = 0.5
"""A source line that has this share of the words of a clause tells it."""


def _find_mistaken(
    ours: Side, theirs: Side, back: _Search, lost: list[_Gone], invented: Sequence[_Made], tops: dict[int, list[int]]
) -> list[_Made]:
    """Facts that a pronoun tells of somebody else than every source that tells them."""

    def together(one: str, two: str) -> bool:
        lines = ours.by_feature.get(one, ())[:_VISIT]
        return any(two in ours.lines[at].features or two in ours.lines[at].text for at in lines)

    flagged = {(one.public.index, one.public.start) for one in invented}
    gone = {item.unit for item in lost}
    out: list[_Made] = []
    for number, line in enumerate(theirs.lines):
        if (line.memory, line.start) in flagged or back.by_phrase.get(line.phrase) or not begins_with_pronoun(line.text):
            continue
        before = [each.text for each in reversed(theirs.lines[max(0, number - 3) : number]) if each.memory == line.memory]
        whom = antecedents(before)
        if not whom:
            continue
        memory = theirs.memories[line.memory]
        for at in line.units:
            unit = theirs.units[at]
            terms = [each for each in unit.terms if each.weight]
            telling = [top for top in tops.get(at, ()) if terms and back.share(terms, [top])[0] >= _SAID]
            others = [told_of(ours.lines[top].text) for top in telling]
            if not telling or any(not other or same_person(whom, other, together) for other in others):
                continue
            source = ours.lines[telling[0]]
            detail = f"it stands where it speaks of somebody else: the source says it in “{brief(source.text)}”"
            made = _made(memory, line, _show(theirs, unit), "swap", detail)
            out.append(_Made(replace(made, nearest_id=ours.memories[source.memory].memory_id, nearest=source.text), at))
            fact = source.units[0] if source.units else None
            if fact is not None and fact not in gone:
                gone.add(fact)
                of = ours.units[fact]
                told = f"told of somebody else: “{brief(line.text)}”"
                lost.append(_Gone(source.memory, of.start, of.end, "swap", told, fact))
            break
    return out


def _anchors(unit: Unit, item: Item | None) -> dict[str, float]:
    """What the unit is about: its telling words, without those of the item."""
    inside = {stem(part) for part in item.norm.split()} if item is not None and item.kind == "name" else ()
    return {each.stem: each.weight for each in unit.terms if each.weight >= 0.5 and each.stem not in inside}


_FEW = 300
"""Posting lists longer than this tell nothing about whose fact something is."""


def _swap(unit: Unit, ours: Side, dominant: frozenset[str]) -> tuple[int, Item] | None:
    """A source unit whose item stands here with the words of another: (that unit, the item), or None."""
    for item in unit.items:
        if item.weak or item.kind == "quote":
            continue
        mine = _anchors(unit, item)
        keys = {key for key in item_keys(item) if not key.startswith("#:")}
        if not mine or not any(key in ours.units_by_key for key in keys):
            continue
        telling = sorted((len(ours.units_by_stem.get(name, ())), name) for name in mine)
        near: dict[int, float] = defaultdict(float)
        held = {key for one in unit.items for key in item_keys(one)}
        for size, name in telling:
            if 0 < size <= _FEW:
                for number in ours.units_by_stem[name]:
                    near[number] += mine[name]
            for kin, closeness in ours.akin(name).items():
                if closeness >= senses.BY_HAND and kin not in mine and len(ours.units_by_stem.get(kin, ())) <= _FEW:
                    for number in ours.units_by_stem.get(kin, ()):
                        near[number] += 0.8 * mine[name]
        if not near:
            continue
        nearest = sorted(near.items(), key=_closeness)
        best_own = next((value for number, value in nearest if _belongs(ours, number, keys, item)), 0.0)
        other_unit = -1
        for number, value in nearest:
            if value < best_own + 0.5:
                break
            other = ours.units[number]
            if not keys.isdisjoint(ours.keys_of(number)) or not _has_same_kind(other, item):
                continue
            if item.kind == "name" and not keys.isdisjoint(ours.lines[other.line].keys):
                continue
            if all(not item_keys(one).isdisjoint(held) for one in other.items if one.kind == item.kind and not one.weak):
                continue  # it stands here with its own: two facts in one clause
            other_unit = number
            break
        if other_unit < 0:
            continue
        holders = [number for key in sorted(keys) for number in ours.units_by_key.get(key, ())[:_FEW]]
        rival = _anchors(ours.units[other_unit], None)
        if item.kind == "name" and any(
            sum(
                weight
                for name, weight in _anchors(ours.units[number], item).items()
                if name not in rival and any(senses.closeness(name, other) >= senses.BY_HAND for other in mine)
            )
            >= 0.5
            for number in holders
        ):
            continue  # it stands with words of its own too: several facts in one sentence
        for number in holders:
            own = _anchors(ours.units[number], item)
            distinct = sum(
                weight for name, weight in own.items() if name not in mine and name not in rival and name not in dominant
            )
            if distinct >= 0.5:
                return number, item
    return None


def _closeness(entry: tuple[int, float]) -> float:
    return -entry[1]


def _belongs(side: Side, number: int, keys: set[str], item: Item) -> bool:
    """Whether a unit holds the item, or its line does and the unit has none of the kind for itself."""
    if not keys.isdisjoint(side.keys_of(number)):
        return True
    unit = side.units[number]
    if keys.isdisjoint(side.lines[unit.line].keys):
        return False
    return item.kind == "name" or not _has_same_kind(unit, item)


_COUNTED = frozenset(("number", "quantity", "money", "percent"))


def _has_same_kind(unit: Unit, item: Item) -> bool:
    for other in unit.items:
        if other.weak or not other.keys.isdisjoint(item.keys):
            continue
        if other.kind == item.kind or (other.kind in _COUNTED and item.kind in _COUNTED):
            return True
    return False


def _split_outdated(
    sources: Sequence[UserMemory], lost: list[_Gone], found: Sequence[Superseded]
) -> tuple[list[_Gone], list[_Gone]]:
    """Part what is gone into lost and superseded: a newer source replaces it, and nothing of that one is lost."""
    replaced: dict[int, list[tuple[int, int, int, str]]] = defaultdict(list)
    for entry in found:
        replaced[entry.old_index].append((entry.span[0], entry.span[1], entry.new_index, entry.reason))
    if not replaced:
        return lost, []
    outdated: dict[int, tuple[int, str]] = {}
    for at, item in enumerate(lost):
        for start, end, newer, reason in replaced.get(item.index, ()):
            if start < item.end and item.start < end:
                outdated[at] = (newer, reason)
                break
    changed = True
    while changed:  # what replaces must itself be kept, or be replaced by something that is
        changed = False
        broken = {item.index for at, item in enumerate(lost) if at not in outdated}
        for at in list(outdated):
            if outdated[at][0] in broken:
                del outdated[at]
                changed = True
    kept = [item for at, item in enumerate(lost) if at not in outdated]
    widest: dict[tuple[int, int], int] = {}
    for at, (newer, _) in outdated.items():  # one entry for what one newer memory replaces
        key = (lost[at].index, newer)
        if key not in widest or lost[at].end - lost[at].start > lost[widest[key]].end - lost[widest[key]].start:
            widest[key] = at
    outdated = {at: outdated[at] for at in widest.values()}
    gone = [lost[at]._replace(detail=reason, newer=sources[newer].memory_id) for at, (newer, reason) in sorted(outdated.items())]
    return kept, gone


def _public_lost(lost: Iterable[_Gone], sources: Sequence[UserMemory]) -> list[Lost]:
    out: dict[tuple[int, int, int, str], Lost] = {}
    for item in lost:
        memory = sources[item.index]
        fact = memory.memory[item.start : item.end].strip(" ,;，；、")
        key = (item.index, item.start, item.end, item.kind)
        out.setdefault(key, Lost(memory.memory_id, item.index, fact, item.kind, item.detail, item.start, item.end, item.also))
    return list(out.values())


def _public(outdated: Iterable[_Gone], sources: Sequence[UserMemory]) -> list[Outdated]:
    from memopt.facts.reading import split_sentences

    out = []
    for item in outdated:
        memory = sources[item.index]
        # a clause alone may end within parentheses, and a number alone says nothing: the sentences that it stands in
        around = [(a, b) for a, b in split_sentences(memory.memory) if a < item.end and item.start < b]
        start, end = (around[0][0], around[-1][1]) if around else (item.start, item.end)
        fact = memory.memory[start:end].strip(" ,;，；、")
        out.append(Outdated(memory.memory_id, item.index, fact, item.newer, item.detail))
    return out

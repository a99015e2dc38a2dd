"""One side of a verification: its texts as lines and units, and an index over them.

A line is a sentence. A unit is the smallest piece that can be a fact of its own: a sentence cut at commas, semicolons and ``and``.
Units are what is looked for; lines are where it is looked for, because a rewrite moves words about inside a sentence freely.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import lru_cache
from itertools import pairwise

from memopt.facts import lexicon
from memopt.facts.items import Item
from memopt.facts.reading import Clause, Reading, Word, denies, fold_phrase, read
from memopt.facts.words import fold, stem
from memopt.memory import UserMemory

GENERIC = frozenset(
    lexicon.words(
        """
    find great new feel feeling good nice thing way time lot day today bit kind sort part look come back keep start try let know see
    really recent recently long able sure different various certain general specific particular regard concern relate relation
    regarding concerning relating include including mention express describe discuss share state note add agree respond reply
    overall summary profile background detail information personal person people human life experience moment situation
    aspect area topic context fact case example current previous former past future before after ago previously earlier
    always often usually sometimes frequent regular regularly especially mainly mostly primarily particularly
    above below across around behind beyond despite inside outside near toward throughout within without whole someone
    unable cease avoid generally hardly
    serve act allow enable provide involve arrive should receive prepare ready full
    lately gamer busy nonstop constantly quite rather almost nearly mostly truly actually besides apart thanks due both
    happen continue remain become turn seem appear hold set bring call name person individual someone
    besides addition additionally moreover furthermore meanwhile however finally then next together along
    following related associated well known based also else ever even up down
    excit amaz awesom wonder fantast enjoy appreci valu import import special perfect full real true whole main
    want plan need like love prefer have use work go get make take do say tell think believ hop wish interest
    current own belong possess relat respect respectively total name titl label number
    """
    )
)
_GENERIC_STEMS = frozenset(stem(word) for word in GENERIC)
# Words that name what the sentence is about and that a rewrite leaves out or puts in freely.
_FRAME = frozenset(
    stem(word)
    for word in lexicon.words(
        "person user people mention say state note express share memory fact detail info summary profile since also currently now"
    )
)


@dataclass(slots=True)
class Term:
    """A word as it is looked for: its stem, what else may stand for it, and what missing it weighs."""

    stem: str
    others: frozenset[str]
    weight: float
    negated: bool
    start: int
    end: int


@dataclass(slots=True)
class Unit:
    """A piece of a line with its terms and items."""

    line: int
    start: int
    end: int
    terms: list[Term]
    items: list[Item]
    listed: bool = False


@dataclass(slots=True)
class Line:
    """A sentence: everything in it that can be found."""

    memory: int
    start: int
    end: int
    text: str
    units: list[int] = field(default_factory=list)
    features: set[str] = field(default_factory=set)
    keys: set[str] = field(default_factory=set)
    signs: dict[str, int] = field(default_factory=dict)  # feature -> 1 seen affirmed, 2 seen negated, 3 both
    names: set[str] = field(default_factory=set)
    raw: frozenset[str] = frozenset()  # all words as written, for opposites
    phrase: str = ""
    near: set[str] = field(default_factory=set)  # features of what a pronoun or a heading points to
    near_keys: set[str] = field(default_factory=set)
    written: datetime | None = None
    denied: bool = False  # whether it holds a plain denial
    subjects: set[str] = field(default_factory=set)  # names at its head
    joined: bool = False  # whether a semicolon ties it to the line before
    open_dates: set[str] = field(default_factory=set)  # dates told without a year
    weight: float = 0.0


@lru_cache(maxsize=65536)
def related_features(word: str) -> frozenset[str]:
    heads = set(lexicon.related().get(word, ()))
    if word.startswith("="):
        heads.add(word)
    if word[0] == "=":
        return frozenset(heads)
    if len(word) >= 6 and word.isascii():
        heads.add("^" + word[:5])
    elif len(word) == 5 and word.isascii():
        heads.add("^" + word)
    return frozenset(heads)


@lru_cache(maxsize=65536)
def _weight(word: str) -> float:
    if word in _FRAME:
        return 0.0
    if word.startswith("="):
        return 0.15 if word[1:] in _GENERIC_STEMS else 0.5
    if word in _GENERIC_STEMS:
        return 0.15
    if word in lexicon.related():
        return 0.6
    if "\u3040" <= word[0] <= "\u9fff" or "\uac00" <= word[0] <= "\ud7af":
        return 0.5
    return 1.0


def term(word: Word) -> Term:
    """A content word as a term."""
    return Term(word.stem, related_features(word.stem), _weight(word.stem), word.negated, word.start, word.end)


def general_dates(key: str) -> set[str]:
    """A date and all that follows from it: ``d:2025-08-01`` gives also August 2025, 2025, 1 August and August."""
    body = key[2:]
    out = {key}
    found = re.fullmatch(r"(\d{4}|-)(?:-(\d\d)(?:-(\d\d))?)?", body)
    if found:
        year, month, day = found.groups()
        if month:
            out.add(f"d:--{month}")
            if day:
                out |= {f"d:{year}-{month}" if year != "-" else f"d:--{month}", f"d:--{month}-{day}"}
        if year != "-":
            out.add(f"d:{year}")
    return out


_DIGITS = re.compile(r"\d+(?:[.,]\d+)*")
_SEGMENT = re.compile(
    r"[,;，；、:：()（）]|\b(?:and|or|but|while|whereas|und|oder|aber|y|pero|et|mais|ma|dan|tapi|as well as|plus)\b|(?<=[\u4e00-\u9fff])(?:和|以及|并且|而且|而|但是|但|与|及)(?=[\u4e00-\u9fffA-Za-z])",
    re.I,
)
_PRONOUN_START = re.compile(
    r"^[\s\-•*–—\d.)(\"'“]*(?:he|she|it|they|his|her|its|their|this|these|that|who|which|both|the)\b|^[\s\-•*]*[他她它其]",
    re.I,
)


class Side:
    """All lines and units of one side with their index."""

    def __init__(self, memories: Sequence[UserMemory]) -> None:
        self.memories = memories
        self.lines: list[Line] = []
        self.units: list[Unit] = []
        self.by_feature: dict[str, list[int]] = defaultdict(list)
        self.units_by_key: dict[str, list[int]] = defaultdict(list)
        self.units_by_stem: dict[str, list[int]] = defaultdict(list)
        self.all_stems: set[str] = set()
        for number, memory in enumerate(memories):
            self._add(number, memory)
        for number, line in enumerate(self.lines):
            for feature in line.features | line.keys:
                self.by_feature[feature].append(number)
        self.phrases = frozenset(line.phrase for line in self.lines)
        self.unit_keys: list[frozenset[str]] = []
        for number, unit in enumerate(self.units):
            keys = frozenset(key for item in unit.items for key in item_keys(item))
            self.unit_keys.append(keys)
            for key in keys:
                self.units_by_key[key].append(number)
            for root in {each.stem for each in unit.terms}:
                self.units_by_stem[root].append(number)

    def rarity(self, feature: str) -> float:
        """How telling a feature is on this side: 1 for what occurs once or never, falling with the share of lines that have it."""
        count = len(self.by_feature.get(feature, ()))
        total = len(self.lines) + 1
        return 1.0 if count <= 1 else max(0.2, math.log(total / count + 1) / math.log(total + 1))

    def _add(self, number: int, memory: UserMemory) -> None:
        when = memory.last_changed
        reading = read(memory.memory, when)
        moment = None if when is None else datetime.fromtimestamp(when, UTC)
        previous: Line | None = None
        by_sentence: dict[int, list[Clause]] = defaultdict(list)
        for clause in reading.clauses:
            by_sentence[clause.sentence].append(clause)
        for sentence, start, end in _pieces(reading):
            text = memory.memory[start:end]
            line = Line(number, start, end, text, written=moment)
            at = len(self.lines)
            words = [word for clause in by_sentence[sentence] for word in clause.words if start <= word.start < end]
            items = [item for clause in by_sentence[sentence] for item in clause.items if start <= item.start < end]
            self._fill(line, words, items, text)
            line.joined = previous is not None and previous.text[-1:] in ";；" and previous.end >= start - 3
            if previous is not None and (
                line.joined or _PRONOUN_START.match(text) or not line.names or previous.text.endswith((":", "："))
            ):
                line.near = previous.features | previous.near
                line.near_keys = previous.keys
            parts = {stem(part) for item in items if item.kind == "name" for part in item.norm.split()}
            for unit in self._cut(reading, at, start, end, words, items):
                for each in unit.terms:
                    if each.stem in parts:
                        each.weight = 0.5  # names are looked for by themselves
                line.units.append(len(self.units))
                self.units.append(unit)
            line.weight = sum(each.weight for index in line.units for each in self.units[index].terms)
            self.lines.append(line)
            previous = line

    def _fill(self, line: Line, words: list[Word], items: list[Item], text: str) -> None:
        for word in words:
            bit = 2 if word.negated else 1
            for feature in (word.stem, *related_features(word.stem)):
                line.features.add(feature)
                line.signs[feature] = line.signs.get(feature, 0) | bit
            self.all_stems.add(word.stem)
            self.all_stems |= related_features(word.stem)
        for item in items:
            if item.kind == "name":
                if not item.weak:
                    line.names |= {stem(part) for part in item.norm.split()}
                line.keys.add("name:" + item.norm)
                for part in item.norm.split():
                    line.features.add(stem(part))
            elif item.kind != "quote":
                line.keys |= item_keys(item)
                line.open_dates |= {key for key in item.keys if key.startswith("d:--")}
            if item.kind == "name" and item.start - line.start <= 5:
                line.subjects |= {stem(part) for part in item.norm.split()}
        line.denied = denies(text)
        whole = [fold(word) for word in re.findall(r"[^\W\d_]+(?:-[^\W\d_]+)*", text)]
        line.raw = frozenset([*whole, *(part for word in whole if "-" in word for part in word.split("-"))])
        line.phrase = fold_phrase(text)

    def _cut(self, reading: Reading, line: int, start: int, end: int, words: list[Word], items: list[Item]) -> list[Unit]:
        """Cut a sentence at its commas and conjunctions, outside of items."""
        text = reading.text
        closed = bytearray(end - start + 1)
        for item in items:
            closed[item.start - start : item.end - start] = b"\x01" * (min(item.end, end) - item.start)
        cuts = [start]
        for found in _SEGMENT.finditer(text, start, end):
            if not closed[found.start() - start]:
                cuts.append(found.end() if text[found.start()] in ",;，；、:：()（）" else found.start())
        cuts.append(end)
        units: list[Unit] = []
        word_at = item_at = 0
        ordered = sorted(words, key=lambda word: word.start)
        for left, right in pairwise(cuts):
            mine: list[Term] = []
            while word_at < len(ordered) and ordered[word_at].start < right:
                mine.append(term(ordered[word_at]))
                word_at += 1
            held: list[Item] = []
            while item_at < len(items) and items[item_at].start < right:
                held.append(items[item_at])
                item_at += 1
            if not mine and not held:
                continue
            weight = sum(each.weight for each in mine)
            if units and (weight < 0.5 and not any(not item.weak for item in held)):
                # Nothing to look for by itself: it belongs to what stands before it.
                units[-1].terms += mine
                units[-1].items += held
                units[-1].end = right
                continue
            if units and weight < 0.3 and sum(each.weight for each in units[-1].terms) < 0.3 and not units[-1].items:
                units[-1].terms += mine
                units[-1].items += held
                units[-1].end = right
                continue
            units.append(Unit(line, left, right, mine, held))
        if len(units) > 2 or (len(units) == 2 and all(len(unit.terms) <= 3 for unit in units)):
            for unit in units[1:]:
                unit.listed = (
                    len(unit.terms) <= 3 and not unit.items and all(each.weight >= 1 or each.weight == 0.5 for each in unit.terms)
                )
        return units


def _pieces(reading: Reading) -> list[tuple[int, int, int]]:
    """Sentences cut at semicolons (outside of items): (sentence, start, end)."""
    out = []
    for number, (start, end) in enumerate(reading.sentences):
        left = start
        for found in re.finditer(r"[;；](?=\s|[^\s\d])|\s[–—-]\s", reading.text[start:end]):
            at = start + found.end()
            inside = any(item.start < at < item.end for item in reading.items)
            if at < end and not inside and reading.text[left:at].strip(" ;；-–—"):
                out.append((number, left, start + found.start() + 1 if found[0] in ";；" else start + found.start()))
                left = at
        while left < end and reading.text[left].isspace():
            left += 1
        out.append((number, left, end))
    return out


def item_keys(item: Item) -> set[str]:
    """The keys under which an item is looked for: its readings, what dates imply, the bare number in a quantity."""
    if item.kind == "name":
        return {"name:" + item.norm}
    if item.kind == "quote":
        return set()
    out: set[str] = set()
    for key in item.keys:
        out |= general_dates(key) if key.startswith("d:") else {key}
        if key.startswith(("n:", "p:", "m:")):
            out.add("#:" + key.rsplit(":", 1)[1])
    for key in item.keys:
        if key.startswith("q:month:"):
            years = float(key.rpartition(":")[2]) / 12
            if years.is_integer():
                out.add(f"#:{int(years)}")  # "seven years old" and "is 7"
    if item.kind in ("quantity", "money"):
        out |= {"#:" + found.replace(",", "") for found in _DIGITS.findall(item.surface)}
    return out

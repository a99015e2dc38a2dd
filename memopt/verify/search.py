"""Looks units of one side up on the other: which lines come nearest, and how much of the words they hold."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import cached_property, lru_cache
from heapq import nlargest

from memopt.facts import lexicon, senses
from memopt.facts.cut_zh import is_noun
from memopt.facts.items import Item
from memopt.facts.kin import of_one_root
from memopt.facts.words import stem
from memopt.verify.apart import Apart
from memopt.verify.derived import adds_up, follows
from memopt.verify.holding import Copies, holds_item
from memopt.verify.lines import COMMON_CHARS, Line, Side, Term, Told, Unit, is_cjk, item_keys, weigh
from memopt.verify.pronouns import told_of
from memopt.verify.slight import Whole

TOGETHER = 0.8
"""A line that holds an item must hold this much of the words around it, compared with the line that holds most of them."""
_TOP = 4
"""So many lines that come nearest to a unit are looked into."""
_CANDIDATES = 12
_MANY = 4 * _CANDIDATES
"""From so many lines on, those that cannot be among the best any more are let go."""
VISIT = 600
"""Of a word that more lines have than this only so many are asked."""
_KIN = 12
"""So many words that may stand for one are asked for lines."""


def dominant_names(side: Side) -> frozenset[str]:
    """Stems of names that stand for the user: told as the user's name, or the subject of most memories."""
    counts: dict[str, int] = defaultdict(int)
    named: set[str] = set()
    memories_seen: dict[str, int] = {}
    names = frozenset(name for line in side.lines for name in line.names)
    for line in side.lines:
        head = line.phrase[:60]
        is_name = re.match(
            r"(?:the )?(?:user|用户)?(?:'s| s|的)? ?(?:full |first |real |preferred )?(?:name|名字|姓名)\b|(?:the )?user (?:is )?(?:called|named)|用户(?:的)?(?:名字|姓名|名)?(?:叫|是)",
            head,
        )
        if is_name:
            named |= line.names
        for name in line.subjects:  # at the head of a sentence any word may be capitalised: it must be a name elsewhere
            if name in names and memories_seen.get(name) != line.memory:
                memories_seen[name] = line.memory
                counts[name] += 1
    total = len(side.memories)
    often = {name for name, count in counts.items() if total >= 3 and count * 4 >= total * 3}
    return frozenset(named | often)


def _least(scores: dict[int, float]) -> float:
    """What the last of the best has so far: it never falls."""
    return nlargest(_CANDIDATES, scores.values())[-1]


def _within_reach(scores: dict[int, float], rest: float) -> dict[int, float]:
    """The scores that may still be among the best where ``rest`` is the most that anything can gain."""
    if max(scores.values()) <= rest:
        return scores  # even what has nothing yet may be
    least = _least(scores) - rest - 1e-9
    return {line: score for line, score in scores.items() if score >= least} if least > 0 else scores


class Search:
    """Looks units of one side up on the other."""

    def __init__(self, side: Side, dominant: frozenset[str]) -> None:
        self.side = side
        self.dominant = dominant
        self.by_phrase: dict[str, list[int]] = defaultdict(list)
        for number, line in enumerate(side.lines):
            self.by_phrase[line.phrase].append(number)
        self._copies: tuple[int, Copies] | None = None
        self._apart: Apart | None = None
        self._addresses: dict[str, list[str]] | None = None
        self._tops: dict[int, tuple[Unit, list[int]]] = {}  # by identity, which the unit that is kept with it makes safe

    @cached_property
    def whole(self) -> Whole:
        """Finds sentences of this side as a whole."""
        return Whole(self.side)

    @cached_property
    def people(self) -> frozenset[str]:
        """Whom lines of this side tell something of, as stems of names."""
        return frozenset([name for line in self.side.lines for name in told_of(line.text) if name in line.names])

    def copies(self, memory: int) -> Copies:
        """Finds copies of whole texts in a memory of this side, which the last that was asked for is remembered of."""
        if self._copies is None or self._copies[0] != memory:
            self._copies = memory, Copies(self.side.memories[memory].memory)
        return self._copies[1]

    def candidates(self, features: dict[str, float]) -> list[int]:
        """Up to _CANDIDATES lines that share the rarest features, best first."""
        index = self.side.by_feature
        lists = sorted(
            ((len(index[feature]), feature) for feature in features if feature in index),
            key=lambda entry: (entry[0], entry[1]),
        )
        weights = [features[feature] * self.side.rarity(feature) for _, feature in lists]
        rest = sum(weights)  # what the lists that are still to come can add to a line
        scores: dict[int, float] = defaultdict(float)
        visited = 0
        closed = False
        for (size, feature), weight in zip(lists, weights, strict=True):
            if size > VISIT:
                # A long list only adds to what was found; as the first it gives its head and tail.
                if not scores:
                    for number in index[feature][:VISIT]:
                        scores[number] += weight
                    visited += VISIT
                else:
                    if len(scores) > _MANY:
                        scores = _within_reach(scores, rest)
                    for line in scores.keys() & self._as_set(feature):
                        scores[line] += weight
                rest -= weight
                continue
            most = rest
            rest -= weight
            if visited + size > 4 * VISIT and scores:
                continue
            visited += size
            if not closed and size > _CANDIDATES and len(scores) > _MANY and max(scores.values()) > most:
                closed = _least(scores) > most + 1e-9
            if closed:  # what has nothing yet comes too late
                for number in filter(scores.__contains__, index[feature]):
                    scores[number] += weight
                continue
            for number in index[feature]:
                scores[number] += weight
        if len(scores) > _CANDIDATES:  # only what may be among the best is put in order
            least = _least(scores)
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
        return [number for phrase in phrases for number in self.by_phrase[phrase][:VISIT]]

    def top(self, unit: Unit, line: Line, units: Sequence[Unit]) -> list[int]:
        """The lines of this side that come nearest to the unit, best first."""
        same = self.by_phrase.get(line.phrase)
        if same:
            return same[:1]
        known = self._tops.get(id(unit))
        if known is None or known[0] is not unit:
            known = self._tops[id(unit)] = unit, self._nearest_to(unit, line, units)
        return known[1]

    def around(self, unit: Unit, line: Line, units: Sequence[Unit]) -> list[int]:
        """The same for a unit of this side itself: the lines of other memories that come nearest to it."""
        return [number for number in self._nearest_to(unit, line, units) if self.side.lines[number].memory != line.memory]

    def forget(self) -> None:
        """Keep nothing of the units that were looked up: those of another rewrite come now."""
        self._tops.clear()
        self._apart = None

    def apart(self, mine: Side) -> Apart:
        """Tells whom the lines of ``mine`` and of this side tell of; the last side that was asked for is remembered."""
        if self._apart is None or self._apart.mine is not mine:
            self._apart = Apart(mine, self.side, self.dominant)
        return self._apart

    def addresses(self, item: Item) -> Sequence[str]:
        """The keys of all e-mail addresses, URLs, telephone numbers or handles of the side, whichever an item is; they are gathered once."""
        if self._addresses is None:
            self._addresses = {mark: [] for mark in _ADDRESSES.values()}
            for key in self.side.by_feature:
                mark, colon, _ = key.partition(":")
                if colon and mark in self._addresses:
                    self._addresses[mark].append(key)
        return self._addresses[_ADDRESSES[item.kind]]

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
                if feature in other.features or feature in other.keys or feature in other.chars or feature in other.also:
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
                value = each.weight * word_held(each, held, self.side)
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
            value = sum(each.weight * word_held(each, line, self.side) for each in others)
            got.append((value + 0.5 * sum(each.weight * word_held(each, line, self.side) for each in around), number))
        best = max((value for value, _ in got), default=0.0)
        if any(value >= together * best and holds_item(self.side.lines[number], item, self.dominant) for value, number in got):
            return True
        nearest = [number for value, number in got if best and value >= together * best]
        if item.kind == "quote" and any(self._said_before(item, number) for number in nearest):
            return True
        return together > 0 and item.kind == "name" and any(self._in_entry(item, number) for number in nearest)

    def _said_before(self, item: Item, number: int) -> bool:
        """Whether the sentence before a line, which it points back to, has a quotation in its own words."""
        line, before = self.side.lines[number], self.side.lines[number - 1] if number else None
        return before is not None and bool(line.near) and before.memory == line.memory and item.norm in before.phrase

    def _in_entry(self, item: Item, number: int) -> bool:
        """Whether the entry of a list that a line stands in has the name, as what it is about or behind a label.

        ``- Nordlys AS has 45 seats. Contact: Ragnhild Moe.`` tells whose contact she is; what a line announces stands in the entries below it.
        """
        side = self.side
        line = side.lines[number]
        text = side.memories[line.memory].memory
        if "\n" not in text.strip():
            return False
        start = text.rfind("\n", 0, line.start) + 1
        end = text.find("\n", line.start)
        end = len(text) if end < 0 else end
        listed = _BULLET.match(text, start) is not None
        for at in range(max(0, number - _ENTRY), min(len(side.lines), number + _ENTRY + 1)):
            other = side.lines[at]
            if at == number or other.memory != line.memory or not holds_item(other, item, self.dominant):
                continue
            if start <= other.start < end:
                labelled = 0 < at - number <= 2 and re.search(rf":[ *]*{re.escape(item.surface)}", other.text) is not None
                if listed and (labelled or (at < number and self._is_head(item, other, text, start))):
                    return True
            elif other.start >= end and not listed and _BULLETS.fullmatch(text, end, text.rfind("\n", 0, other.start) + 1):
                head = text.rfind("\n", 0, other.start) + 1
                if _BULLET.match(text, head) and self._is_head(item, other, text, head):
                    return True
        return False

    def _is_head(self, item: Item, line: Line, text: str, start: int) -> bool:
        """Whether a line is the first of an entry and begins with the name, or a part of it."""
        found = _BULLET.match(text, start)
        first = found.end() if found else start
        if not start <= line.start <= first:
            return False
        words = _HEAD_WORD.match(text, first)
        return words is not None and any(stem(part) == stem(words[0]) for part in item.norm.split())


_BULLET = re.compile(r"[ \t]*(?:[-*•·–]|\d{1,2}[.)])[ \t]+(?:\*\*)?")
_BULLETS = re.compile(r"\s*(?:[ \t]*(?:[-*•·–]|\d{1,2}[.)])[ \t][^\n]*\n+)*")
"""Entries of a list, whole lines of them."""
_HEAD_WORD = re.compile(r"[^\W\d_][\w'’-]*")
_ENTRY = 8
"""So many sentences to either side belong to an entry at most."""


def word_held(each: Term, line: Line, side: Side) -> float:
    """How far a line of the side holds a word, 0 to 1."""
    word = each.stem
    if word in line.features or word in line.also:
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
    if each.weight >= 0.5 and word.isascii() and any(other.isascii() and of_one_root(word, other) for other in features):
        return _OF_ONE_ROOT
    return 0.0


_OF_ONE_ROOT = 0.9
"""How far a word is held by another form of it: *fur*, *furry*."""


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
        if len(word) == 2 and (core := _core(word)) and (core in line.text if word[0] in _DEGREES else core in line.features):
            return max(best, 0.8)
        if len(word) > 2 and (word[:-1] in line.text or word[1:] in line.text):
            return max(best, 0.8)  # 摄影师 and 摄影
        if len(word) > 2 and word[-1] + "子" in line.text:
            return max(best, 0.8)  # 咖啡豆 and 豆子
        telling = [char for char in word if char not in COMMON_CHARS] or list(word)
        held = sum(char in line.text for char in telling)
        best = max(best, (0.8 if held == len(telling) else 0.5) * held / len(telling))
        if held and best < 0.7 and all(char in line.text or _character_for(char, line.text) for char in telling):
            best = 0.7  # 腰痛 and 腰疼
    return best


_DEGREES = frozenset("太过偏很较挺颇极超")
_COMPLEMENTS = frozenset("到完好掉起着过成住走开见给得")
_WAYS = frozenset("上下进出来去回起过到不没")


@lru_cache(maxsize=8192)
def _core(word: str) -> str:
    """The character that tells what a word of two tells: 快 of 太快 and 过快, 放 of 放掉, 扶 of 搀扶; "" where both do."""
    if word[0] in _DEGREES:
        return word[1] if word[1] not in COMMON_CHARS else ""
    if word[1] in _COMPLEMENTS and word[0] not in _WAYS and not is_noun(word):
        return word[0]
    return ""


def _character_for(char: str, text: str) -> bool:
    """Whether a text has a word of one character that may stand for another, by hand-made groups."""
    return any(len(other) == 1 and value >= senses.BY_HAND and other in text for other, value in senses.chinese_for(char))


_SLIGHT = 0.3
"""A sentence whose clauses all weigh less than this is not told by its words: it is looked for as a whole."""


def is_slight(line: Line, side: Side, dominant: frozenset[str]) -> bool:
    for number in line.units:
        unit = side.units[number]
        if any(not item.weak for item in unit.items):
            return False
        if sum(each.weight for each in unit.terms if each.stem not in dominant) >= _SLIGHT:
            return False
    return True


_ELLIPSIS = re.compile(
    r"(?:\A|[,;]|\b(?:and|but|while|whereas|though)\b)\s*(?:the user|user|he|she|they|[\w']+'s? ?\w*|his \w+|her \w+|their \w+)(?: (?:him|her|them)self)?"
    r" (?:is|are|was|were|does|do|did|has|have|can|will)(?: not|n['’]t)(?: either)?[.\s]*\Z",
    re.I,
)


def told_whole(line: Line, search: Search) -> bool:
    """Whether the other side says all of a slight sentence."""
    if _ELLIPSIS.search(line.text) and any(_ELLIPSIS.search(other.text) for other in search.side.lines):
        return True  # "whereas she is not" and "the user does not": what is denied stands before it
    same = search.by_phrase.get(line.phrase, ()) if line.phrase else ()
    if any(search.side.lines[number].text == line.text for number in same[:1]):
        return True
    return search.whole.holds(line.text, search.dominant)


def word_anywhere(word: str, there: Search) -> bool:
    side = there.side
    if word in side.by_feature or side.akin(word):
        return True
    return is_cjk(word) and any(char in side.by_feature and char not in COMMON_CHARS for char in word)


def all_nowhere(terms: Sequence[Term], there: Search) -> bool:
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


_ADDRESSES = {"email": "e", "url": "u", "phone": "tel", "handle": "@"}
"""What the keys of addresses begin with, by kind."""


def is_only_address(item: Item, there: Search) -> bool:
    """Whether the other side has one address of a kind, and it is this one: it is the same thing's, whatever stands around it."""
    if item.kind not in _ADDRESSES:
        return False
    told = there.addresses(item)
    return len(told) == 1 and told[0] in item.keys


def told_by_others(item: Item, line: Line, top: Sequence[int], there: Search) -> bool:
    """Whether what the other side tells comes to a figure, day or time that it has not: by listing, or by reckoning."""
    if told_by_names(item, line, top, there):
        return True
    if item.kind == "name":
        return False
    if is_only_address(item, there):
        return True
    if item.kind == "number" and _WHOLE_NUMBER.fullmatch(item.norm) and _is_sum(item, line, top, there):
        return True
    if item.kind == "number" and _counted_alike(item, line, [there.side.lines[number].text for number in top]):
        return True
    return follows(item, [there.side.told(number).items for number in top])


_UNKNOWN_COUNT = re.compile(r"[\u4e00-\u9fff]")
_CJK_FIGURES = "零一二三四五六七八九十"


def _counted_alike(item: Item, line: Line, texts: Sequence[str]) -> bool:
    """Whether a text counts by a word that is no usual measure: 4稿 and 四稿."""
    at = item.end - line.start
    behind = line.text[at : at + 1]
    if not _UNKNOWN_COUNT.match(behind):
        return False
    figure = item.norm[2:]
    figures = [figure, _CJK_FIGURES[int(figure)]] if figure.isdigit() and int(figure) < len(_CJK_FIGURES) else [figure]
    return any(re.search(rf"(?<![\d{_CJK_FIGURES}])(?:{'|'.join(figures)}){behind}", text) for text in texts)


_WHOLE_NUMBER = re.compile(r"n:[2-9]|n:\d{2,4}")
_COUNTS = re.compile(r"[ -](?:[a-z-]+ ){0,2}?(?P<noun>[a-z]+)\b(?![ -][a-z])|[个只名位口]?(?P<zh>[\u4e00-\u9fff]{2})")
_SUMMED = re.compile(
    r"(?:[ -][^\W\d_][\w'’-]*){1,4}\s?[:(–—,]\s?(?P<rest>[^.;!?)]+)|[^\s,，。；:：\d]{1,8}[：:（(—，,](?P<zh>[^。；！？!?)）]+)"
)


def _is_sum(item: Item, line: Line, top: Sequence[int], there: Search) -> bool:
    """Whether a figure is the sum of what is counted behind it, or of what the other side counts: *three pets: two cats and a dog*."""
    many, at = int(item.norm[2:]), item.end - line.start
    listed = _SUMMED.match(line.text, max(at, 0))
    if listed is not None and adds_up(many, [listed["rest"] or listed["zh"]]):
        return True
    counted = _COUNTS.match(line.text, max(at, 0))
    noun = counted and (counted["noun"] or counted["zh"])
    return bool(noun) and adds_up(many, [there.side.lines[number].text for number in top], noun or "")


def told_by_names(item: Item, line: Line, top: Sequence[int], there: Search) -> bool:
    """``two sons, Max and Felix``: who names them all has said how many."""
    if item.kind != "number" or not re.fullmatch(r"n:[2-6]", item.norm):
        return False
    many = int(item.norm[2:])
    if enumerated(many, line.text, item.end - line.start):
        return True
    if len(line.names) >= many and any(line.names <= there.side.lines[number].features for number in top):
        return True
    if _names_each(many, line.text, item.end - line.start):
        return True
    return item.surface.isalpha() and any(_counted(there.side.told(number)) == many for number in top)


def _names_each(many: int, text: str, at: int) -> bool:
    """Whether a sentence names behind its figure as many as that tells: *two children: Maya, who is six, and Leo, a boy of three*."""
    found = _NAMED_ONES.match(text, max(at, 0))
    if found is None:
        return False
    names = {name for name in _CAPITAL.findall(text, found.end()) if name not in _DAYS}
    return len(names) == many


_NAMED_ONES = re.compile(
    r"[ -](?:[a-z-]+ ){0,2}(?:children|kids|sons|daughters|boys|girls|siblings|brothers|sisters|grandchildren|grandsons|granddaughters|nieces|nephews"
    r"|cousins|aunts|uncles|pets|cats|dogs|puppies|kittens|horses|rabbits|friends|roommates|flatmates|housemates|colleagues|coworkers|employees)\b"
    r"(?=[^.;!?]*[:,(–—]| (?:called|named)\b)"
)
_CAPITAL = re.compile(r"(?<![\w'’-])[A-Z][\w’-]+(?: [A-Z][\w’-]+)*")
_DAYS = frozenset(
    lexicon.words(
        "Monday Tuesday Wednesday Thursday Friday Saturday Sunday Mondays Tuesdays Wednesdays Thursdays Fridays Saturdays Sundays January February"
        " March April May June July August September October November December"
    )
)


def enumerated(many: int, text: str, at: int) -> bool:
    """Whether a sentence lists behind its figure as many things as that tells: *two kilns, one electric and one gas-fired*.

    Args:
        many: the figure.
        text: the sentence.
        at: where the figure ends.
    """
    if many > _MOST_LISTED:
        return False
    found = _LIST.match(text, max(at, 0))
    if found is None:
        return False
    rest = found["rest"] or found["rest2"] or found["rest3"] or found["rest4"] or found["days"]
    if found["one"]:
        return len(_EACH.findall(rest)) + 1 == many
    if found["zh_one"]:
        return len(_EACH_ZH.findall(rest)) + 1 == many
    end = _LIST_ENDS.match(rest)
    parts = [part for part in _LISTED.split(end[0] if end else rest) if part]
    if len(parts) != many:
        parts = [part for part in parts if not _AGE.fullmatch(part)]
    return len(parts) == many and all(len(part) <= _LONGEST_PART for part in parts)


_MOST_LISTED = 6
_LONGEST_PART = 40
_LIST = re.compile(
    r"(?:[ -][^\W\d_][\w'’-]*){1,4}(?:\s?[:(–—]\s?|,\s(?=(?-i:[A-Z]))|,? (?:called|named|namely|that is,?) )(?P<rest>[^.!?;)]+)"
    r"|(?:[ -][^\W\d_][\w'’-]*){1,5}(?:\s?[,:;(–—]\s?)(?P<one>(?:the )?one\b)(?P<rest2>[^.!?]+)"
    r"|(?: times)?[,:]? (?:in|on) (?P<days>(?:(?:[A-Z][a-z]+ )?\d{1,4}(?: [A-Z][a-z]+)?(?:,? and |, |(?=[.;!?]|\Z)))+)"
    r"|[^\s,，。；:：]{1,8}(?:[：:（(—，,]|分别[是叫]|名?叫)(?:(?P<zh_one>一[^\W\d_])(?P<rest3>[^。！？!?]+)|(?P<rest4>[^。；！？!?)）]+))",
    re.I,
)
_EACH = re.compile(r"\b(?:one|(?:the|an)other)\b", re.I)
_EACH_ZH = re.compile(r"(?<=[，,；;、])(?:另外?)?一[个只条台辆位名家套间本把张次份种块]")
_LISTED = re.compile(r"\s*(?:,\s*(?:and\s+)?|\band\b|[、，；;&/]|(?<=[\u4e00-\u9fff])[和与及](?=[\u4e00-\u9fff\w]))\s*")
_LIST_ENDS = re.compile(r"[^，；]*?[、和与及][^，；]*(?=[，；])|[^;]*? (?:and|&) [^,;]*(?=[,;])")
"""What goes on behind the last of a list tells more of them: *Ann and Eva, of whom Ann is older*."""
_AGE = re.compile(r"\(?\d{1,3}(?: years old| months old|岁|歲|个月)?\)?")


def _counted(told: Told) -> int:
    """How many a sentence names one by one: *a cat, Pixel (11), and a dog, Bruno*."""
    names = sorted(
        (item.start, item.end) for item in told.items if item.kind == "name" and not item.weak and item.start - told.start > 3
    )
    return len(names) if _ONE_EACH.search(told.text) and len(names) == len(_ONE_EACH.findall(told.text)) else 0


_ONE_EACH = re.compile(r"\b(?:an?|one)\b[^,;()]{1,40}?,? (?:called |named |on |in |at )?(?=[A-Z])")


def is_heading(unit: Unit, side: Side) -> bool:
    """``Languages:`` says nothing by itself."""
    text = side.memories[side.lines[unit.line].memory].memory
    return (
        text[unit.start : unit.end].rstrip().endswith((":", "："))
        and len(unit.terms) <= 3
        and all(item.weak for item in unit.items)
    )


def with_items(share: float, total: float, items: int, missing: int) -> float:
    """The share of words, with items that were found (or not) counted as words."""
    if not items or not total:
        return share
    return (share * total + 0.7 * (items - missing)) / (total + 0.7 * items)


def line_terms(line: Line, side: Side) -> list[Term]:
    return [each for index in line.units for each in side.units[index].terms if each.weight]


def context_share(line: Line, ours: Side, there: Search, top: Sequence[int]) -> float:
    terms = [each for index in line.units for each in ours.units[index].terms]
    return there.share(terms, top)[0]


def item_anywhere(there: Search, item: Item) -> bool:
    index = there.side.by_feature
    if item.kind == "name":
        return all(stem(part) in index for part in item.norm.split())
    return any(key in index for key in item_keys(item) if not key.startswith("#:"))

"""One side of a verification: its texts as lines and units, and an index over them.

A line is a sentence. A unit is the smallest piece that can be a fact of its own: a sentence cut at commas, semicolons and ``and``.
Units are what is looked for; lines are where it is looked for, because a rewrite moves words about inside a sentence freely.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache, cached_property, lru_cache, wraps
from itertools import accumulate, pairwise
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from memopt.facts import lexicon, senses
from memopt.facts.breaks import BARS, loose_breaks
from memopt.facts.cut_zh import cut
from memopt.facts.items import Item
from memopt.facts.places import keys_of
from memopt.facts.reading import HUGE, LONG, Clause, Reading, Word, denies, fold_phrase, read
from memopt.facts.words import CJK, HANGUL, bigrams, fold, stem
from memopt.memory import UserMemory
from memopt.verify.foreign import is_idle, language

if TYPE_CHECKING:
    from memopt.verify.exchange import Grain, Part

GENERIC = frozenset(
    lexicon.words(
        """
    find great new feel feeling good nice thing way time lot day today bit kind sort part look come back keep start try let know see
    really recent recently long able sure different various certain general specific particular regard concern relate relation
    regarding concerning relating include including mention express describe discuss share state note add agree respond reply
    overall summary profile background detail information personal person people human life experience moment situation
    aspect area topic context fact case example current previous former past future before after ago previously earlier
    always often usually sometimes frequent regular regularly especially mainly mostly primarily particularly
    self non sense greater further additional extra whereas unlike anyway anyhow ahead sake either neither both alongside latter other others else
    everywhere anywhere above below across around behind beyond despite inside outside near toward throughout within without whole someone
    unable cease avoid generally hardly
    serve act allow enable provide involve arrive should receive prepare ready full
    lately gamer busy nonstop constantly quite rather almost nearly mostly truly actually besides apart thanks due both
    happen continue remain become turn seem appear hold set bring call name person individual someone
    besides addition additionally moreover furthermore meanwhile however finally then next together along
    following related associated well known based also else ever even up down
    excit amaz awesom wonder fantast enjoy appreci valu import import special perfect full real true whole main
    want plan need like love prefer have use work go get make take do say tell think believ hop wish interest
    accord according preference free maximum minimum advise dual amount far every each all whole entire longer available unavailable therefore hence consequently accordingly current own belong possess relat respect respectively total name titl label number apiece
    """
    )
)
_DENYING_STEMS = frozenset(stem(word) for word in lexicon.DENYING)
_GENERIC_STEMS = frozenset(stem(word) for word in GENERIC)
# Words that name what the sentence is about and that a rewrite leaves out or puts in freely.
_FRAME = frozenset(
    stem(word)
    for word in lexicon.words(
        "person user people mention say state note express share memory fact detail info summary profile since also currently now"
    )
)


class Term(NamedTuple):
    """A word as it is looked for: its stem, what missing it weighs, and whether it is denied. Shared between all its places."""

    stem: str
    weight: float
    negated: bool
    soft: bool = False  # whether it stands with a word that denies in passing


@dataclass(slots=True)
class Unit:
    """A piece of a line with its terms and items."""

    line: int
    start: int
    end: int
    terms: Sequence[Term]
    items: Sequence[Item]
    listed: bool = False


_EMPTY: frozenset[str] = frozenset()


@dataclass(slots=True)
class Line:
    """A sentence: everything in it that can be found."""

    memory: int
    start: int
    end: int
    text: str
    units: Sequence[int] = ()
    features: frozenset[str] = _EMPTY  # stems of its words and names
    also: frozenset[str] = _EMPTY  # stems of the other names of what it names
    denied_words: frozenset[str] = _EMPTY  # stems seen under a denial
    denied_groups: Sequence[frozenset[str]] = ()  # the stems denied, clause by clause
    both: frozenset[str] = _EMPTY  # stems seen denied and affirmed
    soft: frozenset[str] = _EMPTY  # stems that stand with a word that denies in passing
    denied_keys: frozenset[str] = _EMPTY  # keys of items that a denial stands right before
    turned: bool = False  # whether such a word is itself denied: not allergic
    keys: frozenset[str] = _EMPTY
    names: frozenset[str] = _EMPTY
    chars: frozenset[str] = _EMPTY  # characters of its Chinese words
    raw: frozenset[str] = _EMPTY  # words as written, those that opposites and soft denials ask for
    phrase: str = ""
    near: frozenset[str] = _EMPTY  # features of what a pronoun or a heading points to
    near_keys: frozenset[str] = _EMPTY
    written: datetime | None = None
    denied: bool = False  # whether it holds a plain denial
    subjects: frozenset[str] = _EMPTY  # names at its head
    joined: bool = False  # whether a semicolon ties it to the line before
    open_dates: frozenset[str] = _EMPTY  # dates told without a year
    whole: tuple[str, int, int] | None = None  # of a piece of a long sentence, that sentence: its text, start and end

    def sign(self, stem: str) -> int:
        """1 where the word is seen affirmed, 2 denied, 3 both, 0 not at all."""
        if stem not in self.features:
            return 0
        if stem not in self.denied_words:
            return 1
        return 3 if stem in self.both else 2


_fields = attrgetter(*Line.__slots__)


class Told(NamedTuple):
    """A sentence as it is held against another: its text, where it stands in its memory, its words with their places, its items."""

    text: str
    start: int
    words: Sequence[Word]
    items: Sequence[Item]


Found = TypeVar("Found")


def once_a_sentence(look: Callable[[Told], Found]) -> Callable[[Told], Found]:
    """Remembers what was found in the last sentences that were asked for: each is held against several others in turn."""
    known: dict[int, tuple[Told, Found]] = {}  # by identity, which the sentence that is kept with it makes safe

    @wraps(look)
    def found(told: Told) -> Found:
        entry = known.get(id(told))
        if entry is None or entry[0] is not told:
            if len(known) >= _SENTENCES:
                known.clear()
            entry = known[id(told)] = told, look(told)
        return entry[1]

    return found


_SENTENCES = 1024


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


_ZH_GENERIC = frozenset(
    lexicon.words(
        """
    家里 目前 现在 已经 今年 自己 名字 职业 平时 情况 方面 时候 期间 左右 一个 一位 一名 一只 一家 有个 一台 一辆 需要 主要 进行 相关 属于 表示 提到 之间 其中
    是一 一直 通常 比较 非常 特别 习惯 每次 日常 具体 用户 个人 信息 有点 一些 一点 今 名 位 个 只 家 台 辆 件 次 岁 种 块 时 间 天 想 要 会 能 可以 希望 打算 有 是
    全部 比起 相比 现已 事项 引起 太 已 其中 每逢 之后 之前 以后 以前 当中 方式 地方 东西 问题 所有 整个 以及 甚至 尤其 其实 其他 另外 同时 然后 接着 随后 由此 为此 不过 只是 目的 结果
    关于 对于 至于 按照 根据 通过 经过 利用 具有 存在 成为 作为 作出 予以 加以 给予 采取 处于 来说 而言 一般 一起 一下 一定 一样 有些 有的 有着 十分 相当 极其 颇 较 更 最 再 才 就 都 也 还 刚 共同
    曾经 仍然 依然 仍 依旧 至今 现阶段 眼下 此前 此后 平常 往往 有时 偶尔 时常 常常 经常 常 总是 总 觉得 认为 感到 时期 场合 其余 本人 本身 他人 别人 大家 对方 人们 人士 者 即使 前者 后者 态度 想法
    要求 偏好 倾向 爱好 喜好 建议 安排 计划 准备 预计 决定 考虑 带来 造成 导致 使得 因此 为了 由于 原因 环境 得到 必须 对此 方 该 固定 此外 感 可 得 须 应 应该 应当
    商品 物品 型号 品名 物件 自 起 自从 截至 为止 至
    做 当 从 将 在 与 和 或 使用 采用 拥有 叫 名叫 名为 开始 正在 如今 当前 现 质量 工作 从事 担任 任职 就职 尚在 之中 之列 才能 会要 还要 还能 都会 饮食 近期 最近 左右 大约 约
    """
    )
)


_ZH_LIGHT = frozenset("吃喝做打看去来用有是在要会能想上下开学叫给让被把住到养买完才需清还带说写读弹踢")


def is_cjk(stem: str) -> bool:
    """Whether a stem is written in Chinese, Japanese or Korean."""
    return "\u3005" <= stem[:1] <= "\u9fff" or "\uac00" <= stem[:1] <= "\ud7af"


_MEASURES = frozenset(
    "个位名只条台辆件次张套支把本份家间座部块瓶杯盒双对头匹棵朵株颗粒片包袋箱罐碗盘串首幅场节门科堂段篇封笔项种类样款层栋所艘架门口批群排列回遍趟顿圈天年月周日时晚夜边里处端面"
)


@lru_cache(maxsize=65536)
def weigh(word: str) -> float:
    """What missing a stem weighs: 1 for a telling word, little for what people leave out or replace freely."""
    if word in _FRAME:
        return 0.0
    if word[0].isdigit() and word.endswith("th"):
        return 0.6  # an ordinal, which is looked for by itself
    if word.startswith("="):
        return 0.15 if word[1:] in _GENERIC_STEMS else 0.5
    if is_cjk(word):
        if word in _ZH_GENERIC or (word[0] in "一两几每这那某该此" and len(word) == 2 and word[1] in _MEASURES):
            return 0.15
        if len(word) == 1:
            return 0.2 if word in _ZH_LIGHT or word not in senses.chinese() else 0.5
        return 0.5
    if word in _GENERIC_STEMS:
        return 0.15
    if word in _DENYING_STEMS:
        return 0.3
    if word in lexicon.related():
        return 0.6
    return 0.75 if senses.heads(word).hand else 1.0


@lru_cache(maxsize=65536)
def _term(stem: str, weight: float, negated: bool, soft: bool = False) -> Term:
    return Term(stem, weight, negated, soft)


def term(word: Word) -> Term:
    """A content word as a term."""
    return _term(word.stem, weigh(word.stem), word.negated)


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
_MARKS = f",;，；、:：()（）[]【】\t{BARS}"
_SEGMENT = re.compile(
    rf"[,;，；、:：()（）\[\]【】\t{BARS}]|(?<=\s)[·/+&→](?=\s)|(?<=[\s\w])[\u2600-\u27bf\U0001f000-\U0001faff]+"
    rf"|(?<=[{CJK}])[ \u3000]+(?=[{CJK}])|(?<=[다요음함임됨죠]) +(?=[{HANGUL}A-Za-z0-9])|"
    r"\b(?:and|or|but|while|whereas|und|oder|aber|y|pero|et|mais|ma|dan|tapi|as well as|plus)\b|(?<=[\u4e00-\u9fff])(?:和(?!好(?:[了吧如，。；]|$)|解|睦|谐|气|平|服|尚|蔼|面)|以及|并且|而且|而|但是|但|与|及)(?=[\u4e00-\u9fffA-Za-z])",
    re.I,
)
_PRONOUN_START = re.compile(
    r"^[\s\-•*–—\d.)(\"'“]*(?:he|she|it|they|his|her|its|their|this|these|that|who|which|both|the(?! user))\b|^[\s\-•*]*[他她它其]",
    re.I,
)
_PERSON = re.compile(r"\b(?:he|she|they|him|her|them|his|hers|their|theirs)\b|[他她](?!人)", re.I)
_CARRIED = 12
"""So many names at most are followed through sentences that only have pronouns."""
_THING = re.compile(r"\b(?:it|its|them|those|these)\b", re.I)
"""What may stand for a thing that the sentence before names."""
_USER_START = re.compile(r"^[\s\-•*–—\d.)(\"'“]*(?:(?:the )?user\b|用户)", re.I)


Looked = tuple[tuple[Line, tuple[Unit, ...], Told], ...]
"""The lines of a text, and the units and words of each, without their places on a side."""
Seen = dict[tuple[str, int | float | None], Looked]
"""Of each text with its time of writing (epoch seconds), what was found in it."""


class Side:
    """All lines and units of one side with their index.

    Args:
        seen: what other sides have found in the same texts, each of which is then looked at once; it grows. None: nothing but the
            last few thousand texts are remembered.
    """

    def __init__(self, memories: Sequence[UserMemory], seen: Seen | None = None) -> None:
        self.memories = memories
        self._seen = seen
        self.lines: list[Line] = []
        self.units: list[Unit] = []
        self.by_feature: dict[str, list[int]] = defaultdict(list)
        self.units_by_key: dict[str, list[int]] = defaultdict(list)
        self.units_by_stem: dict[str, list[int]] = defaultdict(list)
        self._akin: dict[str, dict[str, float]] = {}
        self._rarities: dict[int, float] = {}  # by how many lines have a feature
        self._told: list[Told] = []
        # the pieces of lines for those who compare them; the same names are ignored in all
        self.parts: dict[tuple[int, Grain], Sequence[Part]] = {}
        self.propers: dict[int, bool] = {}  # whether the side tells a Chinese proper word that was asked for, by its key
        for number, memory in enumerate(memories):
            self._add(number, memory)
        for number, line in enumerate(self.lines):
            for feature in line.features:
                self.by_feature[feature].append(number)
            for feature in line.also:
                self.by_feature[feature].append(number)
            for feature in line.keys:
                self.by_feature[feature].append(number)
            for char in line.chars:
                if char not in line.features:
                    self.by_feature[char].append(number)
        self.phrases = frozenset(line.phrase for line in self.lines)
        self._keys: list[frozenset[str]] = []
        for number, unit in enumerate(self.units):
            self._keys.append(frozenset([key for item in unit.items for key in item_keys(item)]) if unit.items else _EMPTY)
            for key in self._keys[number]:
                self.units_by_key[key].append(number)
            for root in {each.stem for each in unit.terms}:
                self.units_by_stem[root].append(number)

    @cached_property
    def proper_keys(self) -> frozenset[int]:
        """The keys of all Chinese proper words of this side, and of what they lie in."""
        return frozenset().union(*(keys_of(line.text) for line in self.lines if line.chars))

    def keys_of(self, number: int) -> frozenset[str]:
        """The keys of a unit's items."""
        return self._keys[number]

    def unit_at(self, line: Line, place: int) -> int | None:
        """The first unit of a line that ends behind a place in its memory's text; None where none does."""
        return next((number for number in line.units if self.units[number].end > place), None)

    def told(self, number: int) -> Told:
        """A line with its words in their places."""
        return self._told[number]

    def holds(self, number: int, word: str) -> bool:
        """Whether a line has a word, or one that may stand for it."""
        line = self.lines[number]
        if word in line.features or word in line.also:
            return True
        return not self.akin(word).keys().isdisjoint(line.features) or (is_cjk(word) and len(word) > 1 and word in line.text)

    def rarity(self, feature: str) -> float:
        """How telling a feature is on this side: 1 for what occurs once or never, falling with the share of lines that have it."""
        count = len(self.by_feature.get(feature, ()))
        if count <= 1:
            return 1.0
        known = self._rarities.get(count)
        if known is None:
            total = len(self.lines) + 1
            known = self._rarities[count] = max(0.2, math.log(total / count + 1) / math.log(total + 1))
        return known

    @cached_property
    def _by_head(self) -> dict[str, list[str]]:
        out: dict[str, list[str]] = defaultdict(list)
        for feature in self.by_feature:
            if ":" in feature:
                continue
            groups = senses.heads(feature)
            for head in groups.hand:
                out[head].append(feature)
            for head in groups.wordnet:
                out[head].append(feature)
            start = senses.beginning(feature)
            if start is not None:
                out["^" + start].append(feature)
        return out

    def akin(self, word: str) -> dict[str, float]:
        """The words of this side that may stand for one, with how far they do; the word itself is not among them."""
        found = self._akin.get(word)
        if found is None:
            found = {}
            groups = senses.heads(word)
            start = senses.beginning(word)
            heads = [("^" + start, senses.BY_BEGINNING)] if start is not None else []
            heads += [(head, senses.BY_WORDNET) for head in groups.wordnet] + [(head, senses.BY_HAND) for head in groups.hand]
            for head, value in heads:
                for other in self._by_head.get(head, ()):
                    if other != word and value > found.get(other, 0.0):
                        found[other] = value
            self._akin[word] = found
        return found

    def _add(self, number: int, memory: UserMemory) -> None:
        alone = len(memory.memory) > HUGE  # nobody else holds what is found in it
        for line, units, told in self._look(memory.memory, memory.last_changed):
            placed = line if alone else Line(*_fields(line))
            placed.memory = number
            placed.units = tuple(range(len(self.units), len(self.units) + len(units)))
            at = len(self.lines)
            for unit in units:
                self.units.append(unit if alone else Unit(at, unit.start, unit.end, unit.terms, unit.items, unit.listed))
                self.units[-1].line = at
            self.lines.append(placed)
            self._told.append(told)

    def _look(self, text: str, written: int | float | None) -> Looked:
        if len(text) > HUGE:
            return _find_lines(text, written)
        if len(text) > LONG:
            return _lines_of_long(text, written)
        if self._seen is None:
            return _lines_of(text, written)
        found = self._seen.get((text, written))
        if found is None:
            found = self._seen[text, written] = _find_lines(text, written)
        return found


@lru_cache(maxsize=4096)
def _lines_of(text: str, written: int | float | None) -> Looked:
    return _find_lines(text, written)


@lru_cache(maxsize=4)
def _lines_of_long(text: str, written: int | float | None) -> Looked:
    return _find_lines(text, written)


def _find_lines(text: str, written: int | float | None) -> Looked:
    """The lines of a text, and the units of each, without their places on a side: texts are looked at again and again.

    Args:
        text: a memory.
        written: when it was written, in epoch seconds.
    """
    reading = read(text, written)
    moment = None if written is None else datetime.fromtimestamp(written, UTC)
    out: list[tuple[Line, tuple[Unit, ...], Told]] = []
    previous: Line | None = None
    carried: frozenset[str] = _EMPTY  # whom a pronoun of the next sentence may stand for
    by_sentence: dict[int, list[Clause]] = defaultdict(list)
    for clause in reading.clauses:
        by_sentence[clause.sentence].append(clause)
    places = {sentence: _Places(clauses) for sentence, clauses in by_sentence.items()}
    whole: tuple[str, int, int] | None = None
    for sentence, start, end, (left, right) in _pieces(reading):
        piece = text[start:end]
        line = Line(-1, start, end, piece, written=moment)
        if (left, right) != (start, end):
            whole = line.whole = whole if whole and whole[1:] == (left, right) else (text[left:right], left, right)
        clauses = places[sentence].within(start, end) if sentence in places else ()
        words, items, line.denied = _content(clauses, text, start, end)
        line.denied_groups = _denied_groups(clauses, words)
        folded = {fold(word) for word in _WHOLE.findall(piece)}
        _fill(line, words, items, piece, folded)
        if previous is not None and (same := _SAME_YEAR.search(piece)) is not None:
            line.keys |= _in_year_of(line.keys, previous.keys, same)
        line.joined = previous is not None and previous.text[-1:] in ";；" and previous.end >= start - 3
        if previous is not None and (
            line.joined
            or _PRONOUN_START.match(piece)
            or (not line.names and (not _USER_START.match(piece) or _THING.search(piece)))
            or previous.text.endswith((":", "："))
        ):
            far = previous.near if len(previous.near) <= _FAR else _EMPTY
            line.near = previous.features | far if far else previous.features
            line.near_keys = previous.keys
        if carried and _PERSON.search(piece):
            line.near |= carried
        named = line.names | line.subjects
        if named:
            carried = named | carried if len(carried) <= _CARRIED and _PERSON.search(piece) else named
        parts = {stem(part) for item in items if item.kind == "name" for part in item.norm.split()}
        softly = _soft_spans(piece, start, folded)
        if softly:
            line.turned = any(
                word.negated and (not word.stem.isascii() or word.stem in _turnable()) and word.stem not in _LIKE
                for word in words
                for left, right, _ in softly
                if left <= word.start < right and text[left] not in "不没无未"
            ) or _turned(piece)
        units = tuple(_cut(reading, start, end, words, items, parts, softly))
        if softly:
            line.soft = frozenset([each.stem for unit in units for each in unit.terms if each.soft])
        out.append((line, units, Told(piece, start, words, items)))
        previous = line
    return tuple(out)


_SAME_YEAR = re.compile(
    r"\b(?:of|in|later|earlier) (?:the |that )?(?:(same|very same|that)|(next|following)|(previous|preceding)) year\b|\b(?:of|in) (that) (?:same )?year\b",
    re.IGNORECASE,
)


def _in_year_of(keys: frozenset[str], before: frozenset[str], found: re.Match[str]) -> frozenset[str]:
    """Days and months told without a year, with that of the line before: *in January 2026; ... in March of the same year*."""
    years = {int(key[2:]) for key in before if re.fullmatch(r"d:\d{4}", key)}
    if len(years) != 1:
        return _EMPTY
    year = years.pop() + (1 if found[2] else -1 if found[3] else 0)
    return frozenset([f"d:{year:04d}{key[3:]}" for key in keys if key.startswith("d:--")])


class _Places:
    """The clauses of a sentence by their place: one that is cut into many pieces has as many clauses."""

    def __init__(self, clauses: Sequence[Clause]) -> None:
        spans = []
        for at, clause in enumerate(clauses):
            starts = [word.start for word in clause.words] + [item.start for item in clause.items]
            if starts:
                spans.append((min(starts), max(starts), at))
        spans.sort()
        self._clauses = [clauses[at] for _, _, at in spans]
        self._order = [at for _, _, at in spans]
        self._first = [first for first, _, _ in spans]
        self._last = list(accumulate((last for _, last, _ in spans), max))

    def within(self, start: int, end: int) -> Sequence[Clause]:
        """Those with a word or an item that begins within start:end, in the order of the sentence."""
        left, right = bisect_left(self._last, start), bisect_left(self._first, end)
        return [self._clauses[at] for at in sorted(range(left, right), key=self._order.__getitem__)]


def _cut(
    reading: Reading,
    start: int,
    end: int,
    words: list[Word],
    items: list[Item],
    names: set[str],
    softly: list[tuple[int, int, bool]],
) -> list[Unit]:
    """Cut a sentence at its commas and conjunctions, outside of items."""
    text = reading.text
    closed = bytearray(end - start + 1)
    for item in items:
        closed[item.start - start : item.end - start] = b"\x01" * (min(item.end, end) - item.start)
    cuts = [start]
    for found in _SEGMENT.finditer(text, start, end):
        if not closed[found.start() - start]:
            cuts.append(found.end() if text[found.start()] in _MARKS else found.start())
    cuts += [start + at for at in loose_breaks(text[start:end]) if not closed[at]]
    cuts = [*sorted(set(cuts)), end]
    units: list[Unit] = []
    word_at = item_at = 0
    ordered = sorted(words, key=lambda word: word.start)
    for left, right in pairwise(cuts):
        mine: list[Term] = []
        near, far = left, right
        if softly:  # what stands in brackets tells of what stands before them
            if text[right - 1] in "(（":
                far = next((cut for cut in cuts if cut > right), right)
            elif left > start and text[left - 1] in "(（":
                near = max((cut for cut in cuts if cut < left), default=left)
        while word_at < len(ordered) and ordered[word_at].start < right:
            word = ordered[word_at]
            # Names are looked for by themselves.
            weight = 0.5 if word.stem in names else weigh(word.stem)
            soft = bool(softly) and any(near <= at < far and (not contrast or word.start > at) for at, _, contrast in softly)
            mine.append(_term(word.stem, weight, word.negated, soft))
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
            units[-1].terms = (*units[-1].terms, *mine)
            units[-1].items = (*units[-1].items, *held)
            units[-1].end = right
            continue
        if units and weight < 0.3 and sum(each.weight for each in units[-1].terms) < 0.3 and not units[-1].items:
            units[-1].terms = (*units[-1].terms, *mine)
            units[-1].items = (*units[-1].items, *held)
            units[-1].end = right
            continue
        units.append(Unit(-1, left, right, tuple(mine), tuple(held)))
    if len(units) > 2 or (len(units) == 2 and all(len(unit.terms) <= 3 for unit in units)):
        for unit in units[1:]:
            unit.listed = (
                len(unit.terms) <= 3 and not unit.items and all(each.weight >= 1 or each.weight == 0.5 for each in unit.terms)
            )
    return units


COMMON_CHARS = frozenset(
    "人大学生上下中子天年月日家小工作业名个一不用户行成会到去来出有的是在和了要能会做每次点分时间两三多少好说看吃喝老新开"
)
"""Characters that stand in so many words that sharing one says nothing."""

LIKING = frozenset((stem("like"), "=" + stem("like"), stem("love"), stem("enjoy")))
_LIKE = frozenset(
    (stem("like"), "=" + stem("like"), "讨厌", "厌恶", "憎恨", "不喜欢", "不爱", "避免", "拒绝", "戒", "停止", "放弃")
)


def _soft_spans(text: str, offset: int, folded: set[str]) -> list[tuple[int, int, bool]]:
    """Where words stand that deny in passing: (start, end, whether it reaches only what is behind it).

    Args:
        folded: the words of the text.
    """
    out = []
    denying = [
        word
        for word in folded
        if _denied_by_prefix(word) or (word in lexicon.SOFT_NEGATION and (word != "over" or "prefer" in text or "favor" in text))
    ]
    if denying:
        for found in _WHOLE.finditer(text):
            word = fold(found[0])
            if word in denying:
                out.append((found.start() + offset, found.end() + offset, word in lexicon.CONTRAST))
    lower = text.casefold()
    for phrase in _soft_phrases(text.isascii()):
        at = lower.find(phrase)
        if at >= 0:
            out.append((at + offset, at + len(phrase) + offset, phrase[0] in "只仅"))
    return out


@cache
def _soft_phrases(in_ascii: bool) -> tuple[str, ...]:
    return tuple(phrase for phrase in lexicon.SOFT_PHRASES if phrase.isascii() or not in_ascii)


@lru_cache(maxsize=16384)
def _denied_by_prefix(word: str) -> bool:
    """``unsuccessful``, ``non-smoker``."""
    if word.startswith(("un", "non")) and len(word) > 6:
        return senses.is_common(word.removeprefix("non").removeprefix("un").strip("-"))
    return False


@cache
def _turnable() -> frozenset[str]:
    return frozenset(stem(word) for word in lexicon.TURNABLE)


_TURNED = re.compile(
    r"(?:\bnot|\bnever|\bno longer|n['’]t) (?:\w+ ){0,2}?(?:allergic|intolerant|avoid|dislike|hate|refuse|afraid|scared|unable|forbidden|off limits|former|vegetarian|vegan)\b"
    r"|(?:不|没有?|未)(?:会|再|是|对[^，。]{1,6})?[^，。]{0,4}(?:过敏|讨厌|反感|怕|避免|拒绝|忌|吃素)",
    re.I,
)


def _turned(text: str) -> bool:
    return _TURNED.search(text) is not None


_FAR = 40
"""A pronoun points to the lines before it only while they hold fewer words than this together."""
_ASKED = frozenset({"respectively", "prefer", "prefers", "preferred", "over", "than"}) | lexicon.SOFT_NEGATION
_WHOLE = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")


@cache
def _asked() -> frozenset[str]:
    return _ASKED | frozenset(lexicon.opposites())


def _fill(line: Line, words: list[Word], items: list[Item], text: str, folded: set[str]) -> None:
    line.denied = line.denied or denies(text)
    features: set[str] = set()
    denied: set[str] = set()
    affirmed: set[str] = set()
    for word in words:
        features.add(word.stem)
        (denied if word.negated else affirmed).add(word.stem)
    keys: set[str] = set()
    names: set[str] = set()
    subjects: set[str] = set()
    for item in items:
        if item.kind == "name":
            parts = {stem(part) for part in item.norm.split()}
            features |= parts
            if not item.weak:
                names |= parts
            if item.start - line.start <= 5:
                subjects |= parts
            keys.add("name:" + item.norm)
        elif item.kind != "quote":
            keys |= item_keys(item)
            if item.kind in ("date", "relative"):
                line.open_dates |= {key for key in item.keys if key.startswith("d:--")}
    line.features = frozenset(features)
    if denied:
        line.denied_words, line.both = frozenset(denied), frozenset(denied & affirmed)
    line.keys = frozenset(keys) if keys else _EMPTY
    if line.denied:
        line.denied_keys = frozenset(
            [key for item in items if _right_behind_denial(text, item.start - line.start) for key in item_keys(item)]
        )
    line.names = frozenset(names) if names else _EMPTY
    line.subjects = line.names if subjects == names else frozenset(subjects)
    if not text.isascii():
        line.chars = frozenset([char for word in words if is_cjk(word.stem) for char in word.stem if is_cjk(char)]) or _EMPTY
    if "-" in text:
        folded = folded | {part for word in folded if "-" in word for part in word.split("-")}
    line.raw = _asked() & folded or _EMPTY
    line.phrase = fold_phrase(text)
    line.also = _also_named(line.phrase, text) - line.features or _EMPTY


_CAPITALISED = re.compile(r"[A-Z][\w&+-]*")
_WELL_KNOWN = 5
"""A name of fewer letters is one only where it is written with a capital: PB, HR; a word as short, with capitals alone: IT, WHO."""


def _also_named(phrase: str, text: str) -> frozenset[str]:
    """The stems of all other names of what a sentence names: *HR* and *human resources*, *Wien* and *Vienna*."""
    by_first, chinese = _names()
    out: set[str] = set()
    parts = phrase.split()
    capitals: dict[str, str] | None = None
    for at, part in enumerate(parts):
        for name, others in by_first.get(part, ()):
            if len(name) > 1:
                if tuple(parts[at : at + len(name)]) == name:
                    out |= others
                continue
            if len(part) < _WELL_KNOWN or part in lexicon.STOP:
                if capitals is None:
                    capitals = {fold(found): found for found in _CAPITALISED.findall(text)}
                found = capitals.get(part)
                if found is None or (
                    found != found.upper() and (part in lexicon.STOP or stem(part) in _GENERIC_STEMS or part in _NO_ACRONYM)
                ):
                    continue
            out |= others
    if " of " in text and _PARENT_OF.search(text) is not None:
        out |= _CHILD
    if not _CHILDREN.isdisjoint(parts) and _HAS_CHILDREN.search(text) is not None:
        out |= _PARENT
    if not text.isascii():
        for found in chinese.findall(text):
            out |= _stems_of_others(found)
    return frozenset(out)


_MANY = r"(?:one|two|three|four|five|six|\d|twins|triplets)"
_PARENT_OF = re.compile(rf"\b(?:parent|mother|father|mum|mom|dad)s? (?:of|to) (?:an? |{_MANY})", re.I)
_HAS_CHILDREN = re.compile(rf"\b(?:{_MANY}|an?) (?:[a-z]+ ){{0,2}}(?:child(?:ren)?|kids?|sons?|daughters?|boys|girls)\b", re.I)
_CHILDREN = frozenset(lexicon.words("child children kid kids son sons daughter daughters boys girls"))
_PARENT = frozenset(stem(word) for word in ("parent", "mother", "father", "mum", "mom", "dad"))
_CHILD = frozenset(stem(word) for word in ("child", "children", "kid"))
"""*A mother of two* has two children."""

_NO_ACRONYM = frozenset(
    ("ms", "la", "us", "it", "who", "go", "add", "sat", "mac", "win", "es", "id", "ma", "ba", "as", "pr", "aa")
)


@cache
def _names() -> tuple[dict[str, list[tuple[tuple[str, ...], frozenset[str]]]], re.Pattern[str]]:
    by_first: dict[str, list[tuple[tuple[str, ...], frozenset[str]]]] = defaultdict(list)
    chinese: list[str] = []
    for name in senses.same_names():
        if is_cjk(name):
            if len(name) > 1:
                chinese.append(name)
            continue
        words = tuple(name.split())
        by_first[words[0]].append((words, _stems_of_others(name)))
    return by_first, re.compile("|".join(re.escape(name) for name in sorted(chinese, key=len, reverse=True)))


@lru_cache(maxsize=4096)
def _stems_of_others(name: str) -> frozenset[str]:
    out: set[str] = set()
    for other in senses.same_names()[name]:
        if is_cjk(name) and other.isascii() and (len(other) >= _WELL_KNOWN or " " in other):
            continue  # words of two languages are compared by their tables
        if is_cjk(other):
            out |= {other, *(other[start:end] for start, end in cut(other))}
        else:
            out |= {stem(part) for part in other.split() if part not in lexicon.STOP}
    return frozenset(out)


_BEFORE_ITEM = re.compile(
    r"(?:\b(?:not|no|never)|n['’]t)(?: (?:a|an|the|in|on|at|named|called|known as|to|with|by|from|be|have))*\s*\Z|(?:不是|没有|不叫|不在|不住在)[^，。]{0,1}\Z",
    re.I,
)


_IS_NOT = re.compile(r"\b(?:is|are|was|were|do|does|did)(?: not\b| no longer\b|n['’]t\b)", re.I)


def _clause_words(clause: Clause, text: str) -> Sequence[Word]:
    """The words of a clause; where it denies nothing but a word without weight (``is not under way``) it denies its subject."""
    if not clause.negated:
        return clause.words
    denied = [word for word in clause.words if word.negated]
    if (
        denied
        and len(denied) < len(clause.words)
        and all(weigh(word.stem) < 0.3 and (word.stem not in LIKING or word.stem[0] == "=") for word in denied)
        and (_IS_NOT.search(text, clause.start, clause.end) or is_cjk(text[denied[0].start]))
        and not any(item.start > denied[0].start and not item.weak for item in clause.items)
    ):
        comma = max(text.rfind(mark, clause.start, denied[0].start) for mark in ",，、")
        return [word._replace(negated=True) if word.start > comma else word for word in clause.words]
    return clause.words


def _content(clauses: Sequence[Clause], memory: str, start: int, end: int) -> tuple[list[Word], list[Item], bool]:
    """The words and items of memory[start:end], and whether an ending (``-free``) denies some of them."""
    words = [word for clause in clauses for word in _clause_words(clause, memory) if start <= word.start < end]
    items = [item for clause in clauses for item in clause.items if start <= item.start < end]
    text = memory[start:end]
    denied = False
    if name := language(text):
        words = [word for word in words if not is_idle(memory[word.start : word.end], name)]
    if _COMPOUND.search(text) is not None:
        words, items = _without_compounds(words, items, text, start)
    if not text.isascii():
        words = _chinese_words(words, memory)
    elif "less" in text or "-free" in text:
        plain, words = words, _expanded(words, memory)
        denied = words != plain
    return _without_idioms(words, text, start), items, denied


_COMPOUND = re.compile(r"\b([A-ZÄÖÜ][a-zäöüß]{2,}?)(?:en|n|s)?(allergie(?=n?\b)|unverträglichkeit|intoleranz)")


def _without_compounds(words: list[Word], items: list[Item], text: str, start: int) -> tuple[list[Word], list[Item]]:
    """The words and items with a German compound as its two words: *Katzenallergie* is *allergisch gegen Katzen*."""
    for found in _COMPOUND.finditer(text):
        left, right = start + found.start(), start + found.end()
        middle = start + found.start(2)
        first = text[found.start() : found.start(2)]
        denied = next((word.negated for word in words if left <= word.start < right), False)
        words = [word for word in words if not left <= word.start < right]
        words += [Word(stem(fold(first)), left, middle, denied), Word(stem(found[2]), middle, right, denied)]
        items = [item for item in items if not (item.kind == "name" and left <= item.start and item.end <= right)]
    return sorted(words, key=lambda word: word.start), items


def _denied_groups(clauses: Sequence[Clause], words: Sequence[Word]) -> tuple[frozenset[str], ...]:
    if not any(word.negated for word in words):
        return ()
    groups = (
        frozenset([word.stem for word in words if word.negated and clause.start <= word.start < clause.end]) for clause in clauses
    )
    return tuple(group for group in groups if group)


def _expanded(words: list[Word], text: str) -> list[Word]:
    """The words with what an ending denies as denied words: ``windowless``, ``gluten-free``."""
    out = []
    for word in words:
        surface = text[word.start : word.end].casefold()
        if surface.endswith("-free") and word.stem != "fre":
            word = word._replace(negated=not word.negated)
        elif surface.endswith("less") and len(surface) > 6 and surface not in _NOT_LESS and senses.is_common(surface[:-4]):
            word = word._replace(stem=stem(surface[:-4]), negated=not word.negated)
        out.append(word)
    return out


_NOT_LESS = frozenset(
    lexicon.words("homeless regardless nonetheless nevertheless wireless endless priceless restless stainless countless timeless")
)


def _right_behind_denial(text: str, at: int) -> bool:
    return _BEFORE_ITEM.search(text[max(0, at - 24) : at]) is not None


def _chinese_words(words: list[Word], text: str) -> list[Word]:
    """The words with Chinese ones cut anew: the reading knows few, ends them at characters such as 果 and gives pairs for the rest."""
    out: list[Word] = []
    at = 0
    while at < len(words):
        if not is_cjk(text[words[at].start]):
            out.append(words[at])
            at += 1
            continue
        start = words[at].start
        while start and is_cjk(text[start - 1]):
            start -= 1
        end = words[at].end
        while end < len(text) and is_cjk(text[end]):
            end += 1
        last = at
        while last < len(words) and words[last].start < end and is_cjk(text[words[last].start]):
            last += 1
        out += _cut_chinese(text, start, end, words[at:last])
        at = last
    return out


def _cut_chinese(text: str, start: int, end: int, words: Sequence[Word]) -> list[Word]:
    """The words of a run, text[start:end]; characters that make no word, side by side, as overlapping pairs.

    Args:
        words: what the reading found in the run: only what has a part in one of them is a word, and denied as that is.
    """
    known = senses.chinese()
    of: dict[int, Word] = {}
    whole: dict[int, Word] = {}
    for word in words:
        if not is_cjk(word.stem):
            whole[word.start] = word
        for place in range(word.start, word.end):
            of.setdefault(place, word)
    out: list[Word] = []
    pending = done = start

    def flush(to: int) -> None:
        nonlocal pending
        piece = text[pending:to]
        if piece and not (len(piece) == 1 and piece in _NO_WORD):
            for index, pair in enumerate(bigrams(piece)):
                out.append(Word(pair, pending + index, pending + index + len(pair), of[pending].negated))
        pending = to

    for left, right in _chinese_cuts(text[start:end]):
        first, stop = max(start + left, done), start + right
        while first < stop:
            mine = of.get(first)
            if mine is None:  # a character that the reading left out; in 果汁 it belongs to what is behind it
                if text[first] in _DENIES or not any(place in of for place in range(first, stop)):
                    flush(first)
                    first += 1
                    pending = first
                    continue
                mine = next(of[place] for place in range(first, stop) if place in of)
            if first in whole:
                flush(first)
                longer = stop > whole[first].end and text[first:stop] in known
                to = stop if longer else whole[first].end
                out.append(Word(text[first:to], first, to, mine.negated) if text[first:to] in known else whole[first])
                first = pending = done = to
                continue
            if stop - first > 1:
                flush(first)
                out.append(Word(text[first:stop], first, stop, mine.negated))
                pending = done = stop
            elif text[first] in _ALONE:
                flush(first)
                out.append(Word(text[first], first, stop, mine.negated))
                pending = done = stop
            elif text[first] in _NO_WORD or (first > pending and of[pending].negated != mine.negated):
                flush(first)
                pending = stop if text[first] in _NO_WORD else first
            first = stop
    flush(end if end - 1 in of else pending)
    for at, word in enumerate(out):
        if not word.negated and _PUT_FIRST.match(text, word.end):
            out[at] = word._replace(negated=True)
    return out


_PUT_FIRST = re.compile(r"(?:也|都|则|却|倒|可|就|全|一概|一律|一点|一口|从来?|绝|是)*不[沾碰吃喝抽用玩](?=[,，。；;、！!\s]|\Z)")
"""Behind what is denied: 烟酒不沾."""


_DENIES = frozenset("不没未无别勿非")


_NO_WORD = frozenset("个位名只家的了是在有着过时请其于以之其某各每所该此把将被给让由从向对为与和及或而则等中内里外间上下前后左右")
"""Characters that tell nothing where they are no part of a word."""
_ALONE = frozenset(
    "吃喝买卖做打去来学住开看听说写读教养用送租借欠付花存还换搬修病药酒茶烟狗猫鱼鸟车房钱书歌山海河肉菜饭奶糖盐油蛋面米汤"
)
"""Characters that are words by themselves: they make no pair with a neighbour."""


def _chinese_cuts(run: str) -> tuple[tuple[int, int], ...]:
    from memopt.facts.cut_zh import cut

    return cut(run)


def _without_idioms(words: list[Word], text: str, offset: int) -> list[Word]:
    """The words with each idiom (``looks after``) as the one word it stands for."""
    table = senses.idioms()
    found = list(_IDIOM_WORD.finditer(text))
    stems = [stem(one[0]) for one in found]
    at = 0
    spans: list[tuple[int, int, str, tuple[int, int]]] = []
    while at < len(stems):
        for parts, head in table.get(stems[at], ()):
            last = _idiom_end(parts, stems, at)
            if last is not None:
                told = last - 1 if last - at > 1 and fold(found[last - 1][0]) in _JOINING else last
                place = (0, 0)
                if senses.ANY in parts[1:] and parts[0] not in _WHOSE:
                    first = at + parts.index(senses.ANY)
                    after = last - len(parts) + parts.index(senses.ANY) + 1
                    place = found[first].start() + offset, found[after - 1].end() + offset
                spans.append((found[at].start() + offset, found[told - 1].end() + offset, head, place))
                at = last - 1
                break
        at += 1
    if not spans:
        return words
    out = []
    for start, end, head, gap in spans:
        inside = [word for word in words if start <= word.start < end]
        behind = [word for word in words if word.start >= end]
        denied = inside[0].negated if inside else bool(behind) and behind[0].negated
        # what stands in the gap is told beside: *gives* **yoga** *a try*
        words = [word for word in words if not start <= word.start < end or gap[0] <= word.start < gap[1]]
        if head[0] == "!":
            head, denied = head[1:], not denied  # "an only child" has no siblings
        elif head == _DISLIKE:
            head, denied = stem("like"), True
        elif _DENIES_ITSELF.search(text[start - offset : end - offset]):
            denied = False  # "no more than" denies nothing
        out.append(Word(head, start, end, denied))
    return sorted([*words, *out], key=lambda word: word.start)


_PARTICLES = frozenset(("away", "back", "down", "off", "on", "out", "over", "up"))
_THEM = frozenset(("it", "them", "him", "her"))
"""What may part a verb from its particle: *gives* **them** *away*."""
_WHOSE = frozenset(("hi", "his", "her", "their", "its"))
_JOINING = frozenset(("for",))
"""What stands last in an idiom and hangs the next word on it: *stands* **for** *hope*."""


def _idiom_end(parts: tuple[str, ...], stems: Sequence[str], at: int) -> int | None:
    """Behind which word an idiom that begins at one ends; None where it does not stand there."""
    if senses.ANY not in parts:
        if tuple(stems[at : at + len(parts)]) == parts:
            return at + len(parts)
        parted = len(parts) == 2 and parts[1] in _PARTICLES and at + 2 < len(stems)
        return at + 3 if parted and stems[at + 1] in _THEM and (stems[at], stems[at + 2]) == parts else None
    gap = parts.index(senses.ANY)
    head, tail = parts[:gap], parts[gap + 1 :]
    if tuple(stems[at : at + gap]) != head:
        return None
    for size in (1, 2, 3):
        behind = at + gap + size
        if tuple(stems[behind : behind + len(tail)]) == tail:
            return behind + len(tail)
    return None


_DISLIKE = stem("dislike")
_DENIES_ITSELF = re.compile(r"\b(?:not|no|cannot)\b|n['’]t\b", re.I)
_IDIOM_WORD = re.compile(r"[A-Za-z]+(?:['’][A-Za-z]+)?")


def _pieces(reading: Reading) -> list[tuple[int, int, int, tuple[int, int]]]:
    """Sentences cut at semicolons and the like (outside of items), and where they are very long: (sentence, start, end, the whole)."""
    out: list[tuple[int, int, int, tuple[int, int]]] = []
    begins = [item.start for item in reading.items]
    reach = list(accumulate((item.end for item in reading.items), max))  # how far any item up to here reaches
    for number, (start, end) in enumerate(reading.sentences):
        left = start
        for found in re.finditer(rf"[;；](?=\s|[^\s\d])|\s[–—·-]\s|\s?[{BARS}]\s?|\s*\t\s*", reading.text[start:end]):
            at = start + found.end()
            before = bisect_left(begins, at)
            inside = before > 0 and at < reach[before - 1]
            if found[0].strip() in _DASHES and _is_range(reading, start + found.start(), at):
                continue
            if at < end and not inside and reading.text[left:at].strip(f" ;；-–—·\t{BARS}"):
                right = start + found.start() + 1 if found[0] in ";；" else start + found.start()
                out.append((number, left, right, (left, right)))
                left = at
        while left < end and reading.text[left].isspace():
            left += 1
        whole = (left, end)
        while end - left > _LONGEST_LINE:
            at = _cut_of_long(reading.text, left, begins, reach)
            out.append((number, left, at, whole))
            left = at
        out.append((number, left, end, whole))
    return out


_DASHES = ("–", "—", "-")


def _is_range(reading: Reading, left: int, right: int) -> bool:
    """Whether a dash stands between two figures or days: *1 March – 31 May*, *Mon - Fri*."""
    told = [item for item in reading.items if item.kind not in ("name", "quote") and (item.end == left or item.start == right)]
    return any(item.end == left for item in told) and any(item.start == right for item in told)


_LONGEST_LINE = 800
"""A sentence with more characters is looked at in pieces: what is compared within one sentence takes the square of its length."""
_SHORTEST_PIECE = 300
_STOP_OR_SPACE = re.compile(r"[,，、:：)）]|\s")


def _cut_of_long(text: str, left: int, begins: Sequence[int], reach: Sequence[int]) -> int:
    """Where the first piece of a long sentence ends: behind a comma, else behind a word, outside of items where that can be."""
    last = left + _LONGEST_LINE // 2
    found = [at.end() for at in _STOP_OR_SPACE.finditer(text, left + _SHORTEST_PIECE, last)]
    found.sort(key=lambda at: (text[at - 1].isspace(), -at))
    for at in found:
        before = bisect_left(begins, at)
        if not (before and at < reach[before - 1]):
            return at
    return last


def item_keys(item: Item) -> frozenset[str]:
    """The keys under which an item is looked for: its readings, what dates imply, the bare number in a quantity."""
    kind = item.kind
    if kind == "name":
        return _name_key(item.norm)
    if kind == "quote":
        return _EMPTY
    return _keys_of(item.keys, item.surface if kind in ("quantity", "money") else "")


@lru_cache(maxsize=8192)
def _name_key(name: str) -> frozenset[str]:
    return frozenset(("name:" + name,))


@lru_cache(maxsize=16384)
def _keys_of(keys: frozenset[str], counted: str) -> frozenset[str]:
    """``counted``: as it is written, where it is an amount."""
    out: set[str] = set()
    for key in keys:
        out |= general_dates(key) if key.startswith("d:") else {key}
        if key.startswith(("n:", "p:", "m:")):
            out.add("#:" + key.rsplit(":", 1)[1])
    for key in keys:
        if key.startswith("q:month:"):
            years = float(key.rpartition(":")[2]) / 12
            if years.is_integer():
                out.add(f"#:{int(years)}")  # "seven years old" and "is 7"
    out |= {"#:" + found.replace(",", "") for found in _DIGITS.findall(counted)}
    return frozenset(out)

"""Which facts of a source a newer source of the same user replaces, though no sentence of a known shape says so.

``memopt.facts.statements`` knows a few hundred shapes of sentences and is asked by those who delete. Here a fact is already gone from a
rewrite, and the question is whether a newer source that is kept tells what became of it: *They have 140 guests*, *The guest list has been
cut to 120*. Both must speak of the same thing, the newer one must say that something changed, and each figure, day or name that is gone must
have another of its kind there. What else the older one says must still be told.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence
from functools import lru_cache
from heapq import nlargest

from memopt.facts import kinds, lexicon, senses
from memopt.facts.items import Item
from memopt.facts.places import propers
from memopt.facts.poles import poles
from memopt.facts.statements import MANY_NOUNS, Superseded
from memopt.facts.words import CJK, brief, stem
from memopt.verify.findings import Gone, shown
from memopt.verify.holding import is_required
from memopt.verify.lines import Line, Side, Unit, is_cjk, weigh
from memopt.verify.lost import LOST_BELOW
from memopt.verify.pronouns import begins_with_pronoun, told_of
from memopt.verify.search import VISIT, Search, item_anywhere, word_anywhere
from memopt.verify.signs import turned_by

_CHANGE = re.compile(
    r"\b(?:now|currently|these days|by now|nowadays|no longer|any ?more|after all|instead|again|as of|in the end|in fact|actually|"
    r"(?:is|are|was|were|been|being|be|got|gets|have|has|had|having)? ?(?:chang|switch|mov|upgrad|updat|rais|increas|reduc|lower|drop|postpon|reschedul|replac|"
    r"renam|extend|shorten|shift|promot|correct|revis|adjust|migrat|transfer|convert|cut|bump|push|brought forward|put (?:up|back|off|forward)|set back)\w*|"
    r"rose|risen|rises|fell|fallen|grew|grown|shrank|shrunk|gained|lost|went (?:up|down|from|back)|gone (?:up|down)|goes (?:up|down)|climbed|reached|became|turned|took over|"
    r"taken over|succeeded|left|quit|resigned|sold|gave up|given up|stopped|decided|opted|settled|new|newly|from now on|is up to|is down to|up from|down from|"
    r"rather than|latest|since [A-Z]\w+)\b"
    rf"|现在|现已|如今|目前|改[为成到在用喝吃]|[换变搬转迁][成为到至]|升级|升[到至为]|涨[到至]|[提增][高加]|[降减][到至低少]|推迟|提前|延[期长]|不再|最终|新(?=[{CJK}]{{0,4}}[是为叫])|调[整到至]|更[新改换]|已经?[改换搬]",
    re.IGNORECASE,
)
"""What says that something is no longer as it was."""
_OPEN = re.compile(
    r"\b(?:wants?|wanted|plans?|planning|hopes?|hoping|wish(?:es)?|considers?|considering|might|(?-i:may)|could|would|should|if|thinks?|thinking|asked|suggest\w*|"
    r"propos\w*|maybe|perhaps|probably|intends?|tried|tries|refused?|never|not)\b|n['’]t\b|打算|计划|想|希望|考虑|可能|也许|如果|没有?|不(?!再)|拒绝",
    re.IGNORECASE,
)
"""What leaves open whether it happened."""
_NO_MORE = re.compile(r"\bno longer\b|\bany ?more\b")
_CHANGING = frozenset(
    stem(word)
    for word in lexicon.words(
        """
        change switch move upgrade update raise increase reduce lower drop postpone reschedule replace rename extend shorten shift promote
        correct revise adjust migrate transfer convert cut bump push bring put set rise fall grow shrink gain lose climb reach become turn take succeed
        leave quit resign sell give stop decide opt settle new newly latest back forward up down over instead since rose risen fell grown grew went gone
        brought taken became sold forward date
        """
    )
) | {
    "现在",
    "现已",
    "如今",
    "目前",
    "改为",
    "改成",
    "换成",
    "搬到",
    "升级",
    "涨到",
    "降到",
    "推迟",
    "提前",
    "不再",
    "最终",
    "调整",
    "更换",
    "变成",
    *"改换变转搬升降涨调迁新又",
}
_TITLES = frozenset(stem(word) for word in lexicon.words("mr mrs ms miss dr prof sir"))
_RENAMED = re.compile(
    r"\b(?:new|now|instead|replac\w+|took over|taken over|succeed\w*|switch\w+|chang\w+|mov\w+|became|transfer\w*|migrat\w+|renam\w+|rather than|since)\b"
    r"|新|现在|现已|如今|改|换|搬|接[替任]|变成|转",
    re.IGNORECASE,
)
"""What says that another name stands in the place of the old one."""
_OVER = re.compile(
    r"\b(?:quit|left|resigned from|sold|gave up|has given up|stopped|no longer|cancelled|canceled|got rid of|ended|closed|dropped|sold off|gave away)\b"
    r"|辞[去掉职]|离开了?|卖[掉了]|放弃|戒[掉了]?|不再|取消|停止",
    re.IGNORECASE,
)
_HAPPENED = re.compile(
    r"\b(?!need|speed|feed|bed|red|breed|seed|wed)(?:[a-z]{2,}ed|went|ran|won|got|bought|made|took|gave|met|saw|did|had|wrote|born)\b",
    re.IGNORECASE,
)
"""What was done once stays true."""
_COUNTED = frozenset(("number", "quantity", "version", "id"))
_DAYS = frozenset(("date", "relative"))


def updates(ours: Side, lost: Sequence[Gone], there: Search) -> list[Superseded]:
    """For each lost fact that a newer source replaces, which one does. Time: linear in what is lost."""
    out: list[Superseded] = []
    for item in lost:
        if item.unit < 0 or item.kind == "swap":
            continue
        unit = ours.units[item.unit]
        newer = replaced_by(item.unit, ours, there)
        if newer is None and _RELATIVE.match(ours.memories[item.index].memory, unit.start):
            before = item.unit - 1  # what hung on something that was replaced went with it
            newer = replaced_by(before, ours, there) if before in ours.lines[unit.line].units else None
        if newer is None:
            continue
        old, new = ours.memories[item.index], ours.memories[ours.lines[newer].memory]
        clause = old.memory[unit.start : unit.end].strip(" ,;，；、")
        reason = f"newer: “{ours.lines[newer].text}”"
        span = (unit.start, unit.end)
        out.append(Superseded(old.memory_id, clause, new.memory_id, reason, item.index, ours.lines[newer].memory, span, "", ()))
    return out


_RELATIVE = re.compile(r"[\s,(]*(?:which|where)\b", re.IGNORECASE)


def replaced_by(number: int, ours: Side, there: Search) -> int | None:
    """The line of the newest source that replaces a unit of a source; None where none does."""
    unit = ours.units[number]
    line = ours.lines[unit.line]
    written = ours.memories[line.memory].last_changed
    if written is None:
        return None
    asked = {each.stem for each in unit.terms if each.weight >= _TELLS} | set(
        line.features if sum(each.weight for each in unit.terms) < 1 else ()
    )
    found: Counter[int] = Counter()
    for word in asked - there.dominant:
        for feature in (word, *ours.akin(word)):
            found.update(ours.by_feature.get(feature, ())[:VISIT])
    text = ours.memories[line.memory].memory[unit.start : unit.end]
    if _HOME.search(text):
        found.update(at for word in _MOVES for at in ours.by_feature.get(word, ())[:VISIT])
    if line.chars:  # 抽烟, 戒烟
        found.update(at for each in unit.terms if is_cjk(each.stem) for at in ours.by_feature.get(each.stem[-1], ())[:_FEW])
    newer = {}
    for at in found:
        if _says_what_became(ours.lines[at].text):
            when = ours.memories[ours.lines[at].memory].last_changed
            if when is not None and when > written:
                newer[at] = when
    if len(newer) > _TRIES:
        newer = {at: newer[at] for at in nlargest(_TRIES, newer, key=lambda at: (found[at], newer[at]))}
    newest_first = sorted(newer, key=lambda at: (-newer[at], at))
    return next((at for at in newest_first if replaces(number, at, ours, there.dominant, there)), None)


_TRIES = 100
"""So many newer lines are asked whether they replace a fact, those first that share most with it: of a user with 100,000 memories, too."""
_TELLS = 0.5
_FEW = 20
_MOVES = ("mov", "reloc", "搬", "搬到", "搬家", "搬去", "迁居", "移居", "定居", "迁到")


# Each line is asked these beside every fact that shares a word with it.


@lru_cache(maxsize=16384)
def _says_change(text: str) -> bool:
    """Whether a text says that something is no longer as it was."""
    return _CHANGE.search(text) is not None


@lru_cache(maxsize=16384)
def _says_what_became(text: str) -> bool:
    """Whether a text may tell what became of a fact: that it changed, or that a habit ended."""
    return _says_change(text) or _HABIT.search(text) is not None


@lru_cache(maxsize=16384)
def _leaves_open(text: str) -> bool:
    """Whether a clause leaves open whether what it tells has happened."""
    return _OPEN.search(_NO_MORE.sub("", text)) is not None


@lru_cache(maxsize=16384)
def _people_in(text: str) -> tuple[frozenset[str], frozenset[str]]:
    """Of whom a text may be told: by their names, and as somebody's relatives."""
    return frozenset(told_of(text)), frozenset(stem(word) for found in _OWNED.findall(text) for word in found if word)


def replaces(number: int, at: int, ours: Side, dominant: frozenset[str], there: Search | None = None) -> bool:
    """Whether a line of the sources tells what became of a fact of another one.

    Args:
        number: the fact, a unit.
        at: the line.
        there: of the rewrite, where what else the fact says must be; None: it is not asked for.
    """
    unit, new = ours.units[number], ours.lines[at]
    old = ours.lines[unit.line]
    if new.memory == old.memory or not _says_what_became(new.text) or _of_others(old, new, dominant):
        return False
    for index in new.units:
        part = ours.units[index]
        text = ours.memories[new.memory].memory[part.start : part.end]
        if _leaves_open(text):
            continue
        if _is_over(unit, old, part, text, ours) or (
            _says_change(text)
            and _speaks_of(part, unit, old, dominant, ours)
            and _has_others(unit, old, part, new, text, ours, there)
        ):
            return True
    return False


_HOME = re.compile(
    r"\b(?:lives?|living|lived|based|resid\w+|home is|mov\w+|relocat\w+|settled)\b|住|搬|定居|迁[居到往]|移居", re.IGNORECASE
)
_SLOTS = (
    (
        re.compile(
            r"\b(?:works?|worked|working|job|employ\w*|engineer|manager|developer|teacher|nurse|designer|analyst|accountant|controller|consultant|director|intern|offer|hired|joined|"
            r"promot\w+|position|role|career|trainee|apprentice|clerk|chef|cook|waiter|lecturer|editor|researcher|assistant|lead|freelanc\w*|starts? at|started at)\b"
            r"|工作|上班|任职|担任|就职|入职|录用|跳槽|升[职任为]|聘|(?:做|当|是)[^，。；]{0,12}(?:师|员|经理|总监|主管|助理|秘书|医生|护士|顾问|编辑|司机|厨师|律师|会计)",
            re.IGNORECASE,
        ),
        re.compile(
            r"\b(?:now|accepted|join\w*|start\w*|promot\w+|new|switch\w*|mov\w+|left|quit|resign\w*|retir\w*|became|hired|laid off|since)\b|接受|入职|跳槽|升|现在|现任|如今|目前|转|辞|离职|退休|改[任做行]",
            re.IGNORECASE,
        ),
    ),
    (
        _HOME,
        re.compile(r"\b(?:now|mov\w+|relocat\w+|settled|since)\b|搬|迁|移居|现在|现居|如今|目前|定居", re.IGNORECASE),
    ),
    (
        re.compile(
            r"\b(?:vegan|vegetarian|pescatarian|flexitarian|omnivore|eats?|diet|meat|fish|keto|halal|kosher)\b|素|荤|吃肉|吃鱼|饮食|生酮",
            re.IGNORECASE,
        ),
        re.compile(
            r"\b(?:now|again|became|turned|gave up|started|since|these days|switched|no longer)\b|现在|又|重新|开始|改|如今|成了|转",
            re.IGNORECASE,
        ),
    ),
    (
        re.compile(
            r"\b(?:dating|engaged|fianc\w+|married|marries|single|divorced|separated|widowed|boyfriend|girlfriend|husband|wife|broke up|split up)\b|恋爱|交往|订婚|结婚|离婚|单身|分手|男友|女友|男朋友|女朋友|未婚|妻子|丈夫",
            re.IGNORECASE,
        ),
        re.compile(
            r"\b(?:now|married|marries|engaged|divorced|separated|broke up|split up|got|since|single again)\b|结婚|离婚|订婚|分手|现在|已婚|复合|领证|嫁|娶",
            re.IGNORECASE,
        ),
    ),
)
"""Of what one has one at a time: what speaks of it, and what says that it changed."""
_ENDING = re.compile(
    r"\b(?:quit|stopped|stops|gave up|given up|cancell?ed|paused|no longer|sold|dropped|ended|retired from|switched|replac\w+|got rid of|instead)\b"
    r"|[戒停]|取消|不再|放弃|卖[掉了]|换[成为掉]|改[为成用]",
    re.IGNORECASE,
)


def over_by_slot(old: Line, new: Line, dominant: frozenset[str]) -> bool:
    """Whether a newer line tells what came after a state that one has one of at a time: a job, a home, a diet, a bond; or that a habit ended."""
    if _of_others(old, new, dominant):
        return False
    for speaks, changes in _SLOTS:
        if (
            speaks.search(old.text)
            and speaks.search(new.text)
            and (changes.search(new.text) or not new.names - old.names - dominant <= old.names)
        ):
            return True
    telling = [word for word in old.features - dominant - old.subjects if weigh(word) >= _TELLS]
    return _ENDING.search(new.text) is not None and any(_is_held(word, new) for word in telling)


def _of_others(old: Line, new: Line, dominant: frozenset[str]) -> bool:
    """Whether one of two lines is told of somebody whom the other one does not name."""

    def persons(line: Line) -> set[str]:
        told, owned = _people_in(line.text)
        return {name for name in told if (name in line.names or name in owned) and name not in dominant}

    if old.text.startswith("用户") and new.text.startswith("用户") and not (_people_in(old.text)[1] or _people_in(new.text)[1]):
        return False
    before, after = persons(old), persons(new)
    if before and after:
        return before.isdisjoint(after)
    if begins_with_pronoun(old.text if after else new.text):
        return False  # it may be the same person
    return not (before <= new.features if before else after <= old.features | old.near)


_OWNED = re.compile(
    rf"(?:['’]s|\b(?:his|her|their|my|our)|^the|^)\s+(?:[\w-]+ )?({'|'.join(sorted(lexicon.RELATIONS))})\b|({'|'.join(sorted(lexicon.CJK_RELATIONS))})",
    re.IGNORECASE,
)
"""A relative of somebody: *his sister*, not the children of a list."""


def _words(unit: Unit, old: Line, dominant: frozenset[str]) -> list[str]:
    """The telling words of a unit, without names, figures and days."""
    inside = {stem(part) for item in unit.items if item.kind == "name" for part in item.norm.split()} | dominant | _TITLES
    words = [each.stem for each in unit.terms if each.weight >= 0.3 and each.stem not in inside and each.stem not in _CHANGING]
    if words:
        return words  # else "the move", "the late shift"
    return [
        each.stem
        for each in unit.terms
        if each.weight and each.stem not in inside and (each.stem not in _CHANGING or _is_held(each.stem, old))
    ]


def _is_held(word: str, line: Line) -> bool:
    return word in line.features or any(senses.closeness(word, other) >= senses.BY_BEGINNING for other in line.features)


def _speaks_of(part: Unit, unit: Unit, old: Line, dominant: frozenset[str], ours: Side) -> bool:
    """Whether a clause of the newer line speaks of nothing that the older line does not: its words are there, but for what took their place."""
    words = _words(part, old, dominant)
    total = sum(weigh(word) for word in words)
    if not total:  # "User upgraded to a Pixel 9": nothing but what it names
        mine = {stem(word) for item in unit.items if item.kind == "name" for word in item.norm.split()} - dominant
        of = mine or (old.names - dominant if len(old.names) == 1 else set())  # "is learning Spanish, | level A1"
        return any(stem(word) in of for item in part.items if item.kind == "name" for word in item.norm.split())
    held = [word for word in words if _is_held(word, old)]
    text = ours.memories[ours.lines[part.line].memory].memory[part.start : part.end]
    if all(_place_key(word) for word in words) and _HOME.search(text) and _HOME.search(old.text):
        return True  # 住在杭州, 搬到了苏州
    replaced = [word for word in words if word not in held and _rivals(word, text, old.features, old.text)]
    return bool(held) and sum(weigh(word) for word in (*held, *replaced)) >= 0.7 * total


def _has_others(unit: Unit, old: Line, part: Unit, new: Line, text: str, ours: Side, there: Search | None) -> bool:
    """Whether what a unit tells has another value in the newer clause, and the rest of it is still told."""
    changed = False
    for item in unit.items:
        if not is_required(item):
            continue
        if _is_told(item, new, ours):
            changed = changed or _is_left(item, part, text)
            continue
        if any(_is_other(item, other) for other in part.items) and (item.kind != "name" or _may_be_renamed(old, new, text)):
            changed = True
        elif there is not None and not item_anywhere(there, item):
            return False
    inside = {stem(each) for item in unit.items if item.kind == "name" for each in item.norm.split()}
    total = missing = 0.0
    for each in unit.terms:
        word = each.stem
        total += each.weight
        if each.weight < _TELLS or word in inside or _is_held(word, new):
            continue
        if _rivals(word, old.text, {other.stem for other in part.terms}, text):
            changed = True
        elif there is not None and word not in there.dominant and word not in _GRADES and not word_anywhere(word, there):
            missing += each.weight
    named = any(item.kind == "name" and _is_told(item, new, ours) for item in unit.items)  # "the phone is a Pixel 6"
    return changed and missing <= (_NOUN if named else _VERB) * total


_FROM = re.compile(r"(?:\b(?:from|replac\w+|swapped|exchanged)\b|[从由把将])[^,，;；]{0,12}\Z", re.IGNORECASE)


def _is_left(item: Item, part: Unit, text: str) -> bool:
    """Whether a clause says that something else came after what an item names: *moved from Leeds to York*."""
    told = next((one for one in part.items if not one.keys.isdisjoint(item.keys)), None)
    return (
        told is not None
        and _FROM.search(text[: told.start - part.start]) is not None
        and any(_is_other(item, other) and other.start > told.start for other in part.items)
    )


_NOUN = 0.6
_GRADES = frozenset(stem(word) for word in lexicon.words("level grade stage version rank")) | {
    "水平",
    "级别",
    "版本",
    "等级",
    "住",
    "住在",
    "居住",
    stem("lives"),
    stem("home"),
    stem("resides"),
}
"""What a value of such a sort shows by itself: *level A1*."""


def _rivals(word: str, text: str, others: Collection[str], there: str) -> bool:
    """Whether a word of a text has another of its kind among those of another one: *violin*, *piano*; *green*, *blue*."""
    if any(kinds.rivals(word, other) for other in others):
        return True
    key = _place_key(word)
    if key and any(other not in (0, key) for other in map(_place_key, others)):
        return True
    mine = {(pole.axis, pole.value) for pole in poles(text) if pole.word == word or stem(pole.word) == word}
    return any(pole.axis == axis and pole.value != value for axis, value in mine for pole in poles(there))


def _place_key(word: str) -> int:
    """The place, firm or language that a Chinese word names; 0 for any other word."""
    found = propers(word) if not word.isascii() else ()
    return found[0].key if len(found) == 1 and found[0].end - found[0].start >= len(word) - 1 else 0


_VERB = 0.45
"""So much of the words of a fact may be the verb that it was told with: *the server runs Debian 11*, *the list has 90 children*."""


def _is_told(item: Item, line: Line, ours: Side) -> bool:
    """Whether a line has a figure, day or name itself: 3 March is not told by 24 March, though both are days of March."""
    if item.kind == "name":
        return any(stem(part) in line.names for part in item.norm.split())
    others = [other for number in line.units for other in ours.units[number].items]
    return any(not item.keys.isdisjoint(other.keys) for other in others)


def _is_other(item: Item, other: Item) -> bool:
    """Whether two items are of one kind, and differ."""
    if other.weak or not item.keys.isdisjoint(other.keys):
        return False
    if item.kind == "quantity" and other.kind == "quantity":
        return _unit_of(item) == _unit_of(other)
    return item.kind == other.kind or any({item.kind, other.kind} <= family for family in (_COUNTED, _DAYS))


def _unit_of(item: Item) -> str:
    return item.norm.rpartition(":")[0]


def _may_be_renamed(old: Line, new: Line, text: str) -> bool:
    """Whether the newer clause says that somebody or something else stands there now, of a thing that there is one of."""
    shared = old.features & new.features
    return _RENAMED.search(text) is not None and _SEVERAL.isdisjoint(shared)


_SEVERAL = frozenset(stem(word) for word in MANY_NOUNS)


def _is_over(unit: Unit, old: Line, part: Unit, text: str, ours: Side) -> bool:
    """Whether a clause ends what a unit tells as lasting: *works at Falabella*, *quit Falabella*."""
    if _ends_habit(unit, old, part, text, ours):
        return True
    found = _OVER.search(text)
    whole = ours.memories[old.memory].memory[unit.start : unit.end]
    if found is None or _HAPPENED.search(whole) or _OVER.search(whole):
        return False
    names = [item for item in part.items if item.kind == "name" and item.start >= part.start + found.start()]
    behind = [name for item in names for name in (stem(each) for each in item.norm.split())]
    mine = {stem(each) for item in unit.items if item.kind == "name" for each in item.norm.split()} - old.subjects
    return bool(behind) and all(name in mine for name in behind)


_HABIT = re.compile(
    r"\b(?:quit|quits|stopped|stops|stop|gave up|gives up|given up|giving up|cancell?ed|no longer)\b|戒[掉了]?|停止了?|停了|取消了?|不再|放弃了?",
    re.IGNORECASE,
)
_HOW = re.compile(
    r"\b(?:in|on|since|because|due|after|before|when|as|for|this|last|at|following)\b|[，,;；。]|因为|由于", re.IGNORECASE
)


def _ends_habit(unit: Unit, old: Line, part: Unit, text: str, ours: Side) -> bool:
    """Whether a clause ends what a unit tells as a habit, with all that it tells of it: *smokes ten a day*, *quit smoking*."""
    found = _HABIT.search(text)
    whole = ours.memories[old.memory].memory[unit.start : unit.end]
    if found is None or _HAPPENED.search(whole) or _HABIT.search(whole):
        return False
    stop = _HOW.search(text, found.end())
    end = part.start + (stop.start() if stop is not None else len(text))
    told = text[found.end() : end - part.start]
    if not told.isascii():
        what = told.strip("了过的。 ")
        return bool(what) and (what in whole or (len(what) == 1 and what in old.text))
    words = [stem(word) for word in _PLAIN_WORD.findall(told)]
    telling = [word for word in words if weigh(word) >= 0.3]
    return bool(telling) and all(
        any(word == each.stem or senses.closeness(word, each.stem) >= senses.BY_BEGINNING for each in unit.terms)
        for word in telling
    )


_PLAIN_WORD = re.compile(r"[A-Za-z][\w'’-]*")

__all__ = ["over_by_slot", "replaced_by", "replaces", "updates"]


_TURNED = frozenset(("polarity", "certainty", "opposite", "statement"))


def turned_since(ours: Side, lost: Sequence[Gone], back: Search) -> list[Superseded]:
    """Of what is gone, or told otherwise, that of which a newer source says the contrary: who planned to move has moved since.

    Args:
        back: looks up on the sources themselves.
    """
    out: list[Superseded] = []
    for item in lost:
        when = ours.memories[item.index].last_changed
        if item.kind not in _TURNED or item.unit < 0 or when is None:
            continue
        unit = ours.units[item.unit]
        terms = [each for each in unit.terms if each.weight]
        for at in back.around(unit, ours.lines[unit.line], ours.units):
            newer = ours.memories[ours.lines[at].memory]
            if newer.last_changed is None or newer.last_changed <= when or back.share(terms, [at])[0] < LOST_BELOW:
                continue
            if turned_by(unit, unit.line, ours, [], terms, [at], back):
                told = Superseded(
                    ours.memories[item.index].memory_id,
                    shown(ours, unit),
                    newer.memory_id,
                    f"a newer memory tells it otherwise: “{brief(newer.memory)}”",
                    item.index,
                    ours.lines[at].memory,
                    (unit.start, unit.end),
                    "",
                    (),
                )
                out.append(told)
                break
    return out

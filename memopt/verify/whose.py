"""What a Chinese rewrite tells of one person and every source of another: *妹妹林珊31岁，住在南京* and *哥哥林浩36岁，现居南京*.

Each clause of the rewrite is looked for among the clauses of the sources, without the words for people. Where one of somebody else tells
it, and none of the same person (nor one of which that cannot be told), it was told of the wrong one.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from memopt.facts import senses
from memopt.facts.cut_zh import is_word
from memopt.facts.items import Item
from memopt.facts.polarity import turns
from memopt.facts.whose import USER, Saying, is_each, may_be_one, names_in, people_of, relation, sayings
from memopt.facts.words import CJK, brief
from memopt.verify.deeds import Deed, deeds, turned
from memopt.verify.findings import Gone, Made, lose, make_invented, shown
from memopt.verify.lines import Side, is_cjk, item_keys, weigh

_TOLD = 0.6
"""A clause with this share of the words of another tells the same."""
_TOLD_BY_RARE = 0.49
"""The same where they share a word that no other clause of the sources has, and no clause of the same person shares anything:"""
_NOTHING = 0.1
_CLEAR = 0.34
"""By so much it must tell more than any clause of the same person."""
_LEAST = 0.5
"""A clause whose words weigh less tells nothing of its own."""
_ITEM = 0.7
_VISIT = 40
"""So many clauses with the rarest words are looked at."""
_ALL = 200
"""Of so many memories all are looked at."""
_TOO_MANY = 400
"""A rewrite of more clauses is a store of its own, and not judged."""


class _Clause(NamedTuple):
    saying: Saying
    line: int
    words: dict[str, float]  # what it tells, without people: a stem or the key of an item, with its weight
    keys: frozenset[str]  # the keys of its items with all that follows from them
    denied: bool  # what one denies of himself nobody else affirmed
    listed: tuple[dict[str, float], ...] = ()  # the words of each thing that it lists, where it lists several


def find_told_of_others(
    ours: Side, theirs: Side, dominant: frozenset[str], lost: list[Gone], invented: Sequence[Made]
) -> list[Made]:
    """Facts that the rewrite tells of somebody else than the sources do; what they told is added to ``lost``."""
    mine = [number for number, line in enumerate(theirs.lines) if line.chars]
    if not mine or len(mine) > _TOO_MANY:
        return []
    near = _near(mine, theirs, ours)
    told, texts = [memory.memory for memory in theirs.memories], [ours.memories[at].memory for at in near]
    people = people_of(texts, names_in(texts, told), dominant)
    if sum(any(word in text for text in (*told, *texts)) for word in people) < 2 or not any(
        word in text for text in told for word in people
    ):
        return []
    clauses = _clauses(theirs, range(len(theirs.memories)), people)
    sources = _clauses(ours, near, people)
    index: dict[str, list[int]] = defaultdict(list)
    for at, clause in enumerate(sources):
        for word in clause.words.keys() | clause.keys:
            index[word].append(at)
    done = {deed: source for source in sources for deed in _deeds(source, ours, people)}
    flagged = {(one.public.index, one.public.start) for one in invented}
    gone = {item.unit for item in lost}
    out: list[Made] = []
    for clause in clauses:
        line = theirs.lines[clause.line]
        if not clause.saying.who or (line.memory, line.start) in flagged:
            continue
        deed = turned(_deeds(clause, theirs, people), list(done)) if done else None
        if deed is not None:
            source: _Clause | None = done[deed]
        elif _names_somebody(theirs.memories[line.memory].memory, clause.saying):
            continue
        else:
            text = theirs.memories[line.memory].memory[clause.saying.start : clause.saying.end]
            listed = [clause._replace(words=words) for words in clause.listed] if len(clause.saying.who) < 2 else []
            memory_text = theirs.memories[line.memory].memory
            named = (people.get(memory_text[left:right], "") for left, right in clause.saying.people)
            order = [key for key in dict.fromkeys(named) if key in clause.saying.who]
            source = next(
                (
                    found
                    for one in (clause, *listed)
                    for each in _one_by_one(one, text, order)
                    if (found := _other(each, sources, index, ours)) is not None
                ),
                None,
            )
        if source is None:
            continue
        number = theirs.unit_at(line, clause.saying.start)
        if number is None:
            continue
        memory, from_line = theirs.memories[line.memory], ours.lines[source.line]
        detail = f"told of somebody else: the source says it in “{brief(from_line.text)}”"
        made = make_invented(memory, line, shown(theirs, theirs.units[number]), "swap", detail)
        nearest = ours.memories[from_line.memory].memory_id
        out.append(Made(replace(made, nearest_id=nearest, nearest=from_line.text), number))
        flagged.add((line.memory, line.start))
        fact = ours.unit_at(from_line, source.saying.start)
        lose(lost, gone, ours, fact, f"told of somebody else: “{brief(line.text)}”")
    return out


_IS_NAMED = re.compile(rf"\s*(?:的?名字)?(?:是|叫|为|名叫|叫做)\s*(?P<name>[{CJK}·]{{2,5}}|[A-Za-z ]+)\s*")


def _names_somebody(text: str, saying: Saying) -> bool:
    """Whether a clause only says who somebody is, by a name that may be nobody's of those known: 佐伊的上级是马雷克."""
    if not saying.people:
        return False
    found = _IS_NAMED.fullmatch(text, saying.people[-1][1], saying.end)
    if found is None:
        return False
    name = found["name"]
    return not any(is_word(name[start:end]) for start in range(len(name)) for end in range(start + 2, len(name) + 1))


def _near(mine: Sequence[int], theirs: Side, ours: Side) -> list[int]:
    """The Chinese memories that the rewrite may speak of: of few all, of many those that share its rarer words."""
    if len(ours.memories) <= _ALL:
        return sorted({line.memory for line in ours.lines if line.chars})
    found: set[int] = set()
    for number in mine:
        for feature in theirs.lines[number].features | theirs.lines[number].keys:
            found.update(at for at in ours.by_feature.get(feature, ())[:_VISIT] if ours.lines[at].chars)
    return sorted({ours.lines[at].memory for at in found})


def _clauses(side: Side, memories: Sequence[int], people: dict[str, str]) -> list[_Clause]:
    """The clauses of some memories of a side that tell something."""
    wanted = frozenset(memories)
    lines: dict[int, list[int]] = defaultdict(list)
    for number, line in enumerate(side.lines):
        if line.chars and line.memory in wanted:
            lines[line.memory].append(number)
    out = []
    for memory, numbers in lines.items():
        for saying in sayings(side.memories[memory].memory, people):
            number = next((one for one in numbers if side.lines[one].end > saying.start), -1)
            if number < 0:
                continue
            words: dict[str, float] = {}
            places: dict[str, int] = {}
            keys: set[str] = set()
            told = side.told(number)
            for word in told.words:
                if saying.start <= word.start < saying.end and not _inside(word.start, word.end, saying):
                    weight = weigh(word.stem)
                    if weight >= _LEAST and not (word.stem in _SORTS and any(word.end == left for left, _ in saying.people)):
                        words[word.stem] = weight
                        places.setdefault(word.stem, word.start)
            for item in told.items:
                if saying.start <= item.start < saying.end and item.kind not in ("name", "quote") and not item.weak:
                    if _inside(item.start, item.end, saying):
                        continue  # 两人
                    words[_key(item)] = _ITEM
                    keys |= item_keys(item)
            if words or len(saying.people) > 1:
                text = side.memories[memory].memory[saying.start : saying.end]
                denied = sum(turn.sure and turn.kind != "end" for turn in turns(text)) % 2 == 1
                listed = () if saying.mentioned else _things(text, saying.start, words, places)
                out.append(_Clause(saying, number, words, frozenset(keys), denied, listed))
    return out


_LISTS = re.compile("以及|还有|[和与及、]")


def _things(text: str, start: int, words: dict[str, float], places: dict[str, int]) -> tuple[dict[str, float], ...]:
    """The words of each of the things that a clause lists: 在学芭蕾和跆拳道."""
    bounds = [found.start() + start for found in _LISTS.finditer(text)]
    out: dict[int, dict[str, float]] = defaultdict(dict)
    for word, place in places.items():
        out[sum(bound < place for bound in bounds)][word] = words[word]
    return tuple(out.values()) if len(out) > 1 else ()


def _deeds(clause: _Clause, side: Side, people: dict[str, str]) -> list[Deed]:
    return list(deeds(side.memories[side.lines[clause.line].memory].memory, clause.saying, people))


def _key(item: Item) -> str:
    return "#" + item.norm


def _inside(start: int, end: int, saying: Saying) -> bool:
    return any(left < end and start < right for left, right in saying.people)


_SORTS = frozenset("大学 高中 初中 小学 中学 研究生 公司 部门 远房 合租 隔壁 楼上 楼下".split())
"""Of what sort somebody is: 大学同学, 隔壁邻居."""


_TOGETHER = re.compile(
    "分别|各自?|依次|分头|轮流|互相|彼此|一共|总共|共(?!同)|之间|同岁|相差|关系|结婚|离婚|认识|相识|见面|见过面|碰面|会面|约[定好]|说[定好]|商[量定议]|吵|聊|相处|合作|交往|恋爱|分手|和好|联系|来往|通话"
    "|视频|组队|双排|对弈|是[^，。；]{0,6}(?:搭档|同事|同学|朋友|邻居|夫妻|恋人|伙伴|室友)"
)
"""What people do with each other, or in parts: what each of them does is not told."""
_HOUSEHOLD = re.compile("孩子|儿子|女儿|宝宝|怀孕|家|房|车|猫|狗|宠物|住|搬|租|买|旅[行游]|度假|婚|蜜月")
_SPOUSES = frozenset(map(relation, ("妻子", "丈夫", "老伴", "女友", "男友", "未婚妻", "未婚夫")))


def _one_by_one(clause: _Clause, text: str, order: Sequence[str]) -> list[_Clause]:
    """A clause that is told of several people, once for each: what both do, each does. None where they do it with each other.

    Args:
        order: the keys of the people in the order in which it names them: 梁东和梁南分别是厨师和会计.
    """
    who = clause.saying.who
    if len(who) < 2 or clause.saying.one_of or not is_each(text):
        return [clause]
    if "分别" in text and len(order) == len(clause.listed) == 2:
        return [
            clause._replace(words=words, saying=clause.saying._replace(who=frozenset((one,))))
            for one, words in zip(order, clause.listed, strict=True)
        ]
    if _TOGETHER.search(text):
        return []
    if USER in who and who & _SPOUSES and _HOUSEHOLD.search(text):  # the user's home is his wife's
        who -= _SPOUSES
    return [clause._replace(saying=clause.saying._replace(who=frozenset((one,)))) for one in sorted(who)]


def _other(clause: _Clause, sources: list[_Clause], index: dict[str, list[int]], ours: Side) -> _Clause | None:
    """The clause of somebody else that tells what this one does, where none of the same person does."""
    total = sum(clause.words.values())
    if total < _LEAST:
        return None
    best: tuple[float, _Clause, bool] | None = None
    same = 0.0
    for at in _near_to(clause, index, ours):
        other = sources[at]
        share = _share(clause, other) / total
        if other.saying.who and _apart(clause.saying, other.saying):
            if clause.denied == other.denied and (best is None or share > best[0]):
                rare = any(len(index.get(word, ())) == 1 for word in clause.words.keys() & other.words.keys())
                best = share, other, rare and len(clause.words) > 1
        else:
            same = max(same, share)
    if best is None or best[0] < (_TOLD_BY_RARE if best[2] and same < _NOTHING else _TOLD) or same > best[0] - _CLEAR:
        return None
    return best[1]


def _near_to(clause: _Clause, index: dict[str, list[int]], ours: Side) -> list[int]:
    """The clauses of the sources that share a word or a figure with one."""
    near: set[int] = set()
    for word in clause.words:
        for kin in (word, *ours.akin(word)) if not word.startswith("#") else ():
            near.update(index.get(kin, ())[:_VISIT])
    for key in clause.keys:
        near.update(index.get(key, ())[:_VISIT])
    return sorted(near)


def _share(clause: _Clause, other: _Clause) -> float:
    got = 0.0
    for word, weight in clause.words.items():
        if word in other.words:
            got += weight
        elif word.startswith("#"):
            own = {key for key in clause.keys if not key.startswith("#:")}
            got += weight * (not own.isdisjoint(other.keys))
        elif is_cjk(word) and any(
            not one.startswith("#") and is_cjk(one) and (one in word or word in one) and min(len(one), len(word)) > 1
            for one in other.words
        ):
            got += 0.9 * weight
        else:
            got += weight * max((senses.closeness(word, one) for one in other.words if not one.startswith("#")), default=0.0)
    return got


def _apart(one: Saying, other: Saying) -> bool:
    """Whether two clauses tell of different people for sure."""
    if not one.who or not other.who:
        return False
    mine = one.who | one.mentioned
    theirs = other.who | (other.mentioned if other.named else other.around)
    return not any(may_be_one(left, right) for left in one.who for right in theirs) and not any(
        may_be_one(left, right) for left in other.who for right in mine
    )


__all__ = ["find_told_of_others"]

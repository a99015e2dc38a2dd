"""Who does what to whom in Chinese, where one gives and the other takes: *A 教 B*, *B 跟 A 学*, *A 是 B 的师父*, *B 穿着 A 送的围巾*.

A clause is read with whom it tells of (see ``memopt.facts.whose``) and somebody else whom it names. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import NamedTuple

from memopt.facts.whose import Saying, may_be_one


class Deed(NamedTuple):
    """What goes from one to another: the keys of whoever may be the one, and of the other."""

    sort: str
    giver: frozenset[str]
    taker: frozenset[str]


class _Sort(NamedTuple):
    """One sort of deed: what the giver does, what the taker does, what the giver and the taker are to each other.

    ``of``: the taker does it with what is the giver's: 借了 A 的车. ``straight``: it stands right before the giver: 师从 A.
    """

    gives: str
    takes: str = ""
    giver: str = ""
    taker: str = ""
    of: bool = False
    straight: str = ""


_SORTS = {
    "teach": _Sort("教|辅导|指导", "学|请教|补课", "老师|导师|师父|师傅|恩师|教练|家教", "学生|徒弟|学员|弟子", straight="师从|师承|拜"),
    "lend": _Sort("借给", "借", of=True, straight="欠"),
    "rent": _Sort("租给", "租", "房东", "租客|房客", of=True),
    "sell": _Sort("卖给|转让给|盘给|转手给", "买", of=True),
    "give": _Sort("送给?|赠给?|寄给|捐给|转给|传给|留给|织|买", "收到|得到|拿到"),
    "care": _Sort("照顾|照料|伺候|陪护|看护"),
    "drive": _Sort("接送", straight="搭|坐|蹭"),
    "work": _Sort("领导|管理", "汇报", "上司|上级|领导|老板|主管", "下属|部下|手下|助理|秘书"),
    "invite": _Sort("邀请|宴请"),
    "beat": _Sort("赢了?|打败|击败|战胜", straight="输给|败给"),
    "help": _Sort("帮助?|资助|搭救"),
}  # fmt: skip
_DENIED = re.compile("[不没未]|拒绝")


class _Forms(NamedTuple):
    """What stands before and behind the other person, in pairs; ``after`` alone where it is enough."""

    gives: re.Pattern[str]
    gives_after: re.Pattern[str]
    takes_after: re.Pattern[str] | None
    takes_before: re.Pattern[str] | None
    given: re.Pattern[str]
    straight: re.Pattern[str] | None
    giver: re.Pattern[str] | None
    taker: re.Pattern[str] | None


@cache
def _forms(sort: str) -> _Forms:
    it = _SORTS[sort]
    plain = it.gives.replace("给?", "").replace("给", "")

    def noun(words: str) -> re.Pattern[str] | None:
        return re.compile(rf"的[^，的]{{0,3}}?(?:{words})") if words else None

    return _Forms(
        re.compile(rf"(?:{it.gives})(?:了|过|着|给)*\s?\Z"),
        re.compile(rf"[^，的]{{0,4}}?(?:{plain})"),
        re.compile(rf"(?:那里|那儿|那边|处|手[里上中])?[^，的]{{0,8}}?(?:{it.takes})") if it.takes else None,
        re.compile(rf"(?:{it.takes})[了过的是]*\s?\Z") if it.of else None,
        re.compile(rf"(?:亲手)?(?:{plain})(?:给?[他她自己]*)(?:的|过)"),
        re.compile(rf"(?:{it.straight})\s?\Z") if it.straight else None,
        noun(it.giver),
        noun(it.taker),
    )


_FOR = re.compile(r"[给为替]\s?\Z")
_FROM = re.compile(r"(?:跟着?|向|从|找|问|随)\s?\Z")
_BY = re.compile(r"[由被]\s?\Z")
_IS = re.compile(r"(?:是|为|当|做|成为|成了)\s?\Z")


def deeds(text: str, saying: Saying, people: Mapping[str, str]) -> Iterator[Deed]:
    """What a clause says that goes from one person to another. ``people``: words for people with the keys of whom they stand for."""
    if _DENIED.search(text, saying.start, saying.end):
        return
    for start, end in saying.people:
        key = people.get(text[start:end], "")
        before, after = text[saying.start : start], text[end : saying.end]
        other = saying.who - {key}
        if not key:
            continue
        person = frozenset((key,))
        if _BY.search(before):
            # 奶奶由二姑照顾 tells of the aunt
            head = [people.get(text[left:right], "") for left, right in saying.people if right <= start]
            other = frozenset(head[-1:]) - {"", key} or other
        if not other:
            continue
        for sort in _SORTS:
            way = _way(_forms(sort), before, after)
            if way is not None:
                yield Deed(sort, *((other, person) if way else (person, other)))


def _way(forms: _Forms, before: str, after: str) -> bool | None:
    """Whether the person between two texts takes (True) or gives (False) what the subject gives or takes; None for neither."""
    if forms.given.match(after):
        return False  # A 送的围巾
    if forms.gives.search(before):
        return None if after.startswith("的") and forms.takes_before is not None else True
    if _FOR.search(before) and forms.gives_after.match(after):
        return True
    if _BY.search(before) and forms.gives_after.match(after):
        return forms.takes_before is not None  # 由 A 租用, 由 A 照顾
    if _FROM.search(before) and forms.takes_after is not None and forms.takes_after.match(after):
        return False
    if (forms.straight is not None and forms.straight.search(before)) or (
        forms.takes_before is not None and after.startswith("的") and forms.takes_before.search(before)
    ):
        return False
    if _IS.search(before):
        if forms.giver is not None and forms.giver.match(after):
            return True
        if forms.taker is not None and forms.taker.match(after):
            return False
    return None


def turned(mine: Iterable[Deed], sources: Sequence[Deed]) -> Deed | None:
    """The deed of a source that goes the other way in one of these, and in no source as there."""
    for one in mine:
        same = [other for other in sources if other.sort == one.sort]
        if any(_may_be(one.giver, other.giver) and _may_be(one.taker, other.taker) for other in same):
            continue
        for other in same:
            if _may_be(one.giver, other.taker) and _may_be(one.taker, other.giver):
                return other
    return None


def _may_be(one: frozenset[str], other: frozenset[str]) -> bool:
    return any(may_be_one(left, right) for left in one for right in other)


__all__ = ["Deed", "deeds", "turned"]

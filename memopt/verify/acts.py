"""Whether two Chinese sentences turn what the user does to somebody, or the way something went: *张弛欠用户3000元* and *用户欠张弛3000元*, *从A改到B* and *从B改到A*."""

from __future__ import annotations

import re
from functools import lru_cache

from memopt.facts.words import CJK

_VERBS = (
    "欠|借给|卖给|送给|租给|转给|还给|教|嫁给|照顾|照料|赢了|打败|击败|战胜|介绍给|推荐给|资助|批评|投诉|起诉|辅导|羡慕|崇拜|追求|看望|帮助|雇了?|采访|救过|救了|管着|领导|指导|"
    "喜欢|讨厌|信任|抚养|养大|接送|陪伴|监督|提醒|催促|劝"
)
_OF_USER = re.compile(
    rf"(?P<gets>(?<!由)(?<!被)(?P<v1>{_VERBS})(?:着|了|过)?用户(?![的{{]))"
    rf"|(?P<passive>用户[^，。；;、,]{{0,2}}被[^，。；;、,]{{1,6}}?(?P<v2>{_VERBS}))"
    rf"|(?P<by>[被由]用户(?P<v3>{_VERBS}))"
    rf"|(?P<does>用户(?!的)[^，。；;、,被由让叫请]{{0,6}}?(?P<v4>{_VERBS})(?:着|了|过)?(?!用户)(?=[{CJK}A-Z]))"
)
_WAY = re.compile(
    rf"(?:从|由|自)\s?(?P<from>[A-Za-z][A-Za-z0-9.+# -]*?|[{CJK}]{{1,6}}?)\s?(?:[{CJK}]{{0,3}}?)(?:改到|换到|改为|换成|改成|改回|升级到了?|升级为|升到|降到|降回|降级到|迁到|迁移到|迁回|搬到|搬回|转到|转为|转成|转回|调到|调回|飞往|飞到|飞回|飞|开往|开到|返回|前往|直达|到|至|往)了?\s?"
    rf"(?P<to>[A-Za-z][A-Za-z0-9.+#-]*(?: [0-9.]+)?|[{CJK}]{{1,6}})"
)


@lru_cache(maxsize=32768)
def _acts(text: str) -> tuple[tuple[str, bool, int, int], ...]:
    """What the user does (True) and what is done to him (False): the verb, which, and where."""
    out = []
    for found in _OF_USER.finditer(text):
        verb = next(value for key, value in found.groupdict().items() if key[0] == "v" and value)
        out.append((verb.rstrip("了"), bool(found["by"] or found["does"]), found.start(), found.end()))
    return tuple(out)


def other_way(text: str, other: str) -> tuple[int, int, str] | None:
    """What a sentence tells the other way round: its offsets and, for people, what it is; None where nothing is."""
    if text.isascii() or other.isascii():
        return None
    mine, theirs = _acts(text), _acts(other)
    for verb, does, start, end in mine:
        ways = {way for word, way, _, _ in theirs if word == verb}
        if ways == {not does} and {way for word, way, _, _ in mine if word == verb} == {does}:
            return start, end, f"{text[start:end]}: the source says it the other way round"
    for found in _WAY.finditer(text):
        for one in _WAY.finditer(other):
            left, right = _plain(found["from"]), _plain(found["to"])
            first, second = _plain(one["from"]), _plain(one["to"])
            if left != right and first != second and _meet(left, second) and _meet(right, first) and not _meet(left, first):
                return found.start(), found.end(), f"{found[0]}: the source says it the other way round"
    return None


_DOING = "[到退还交付缴考修写办签批寄发领搬装拆结送归补]"
_UNDONE = re.compile(rf"(?:还没有?|没有?|尚未|仍未|并未|迟迟未|[至未]今未|未)能?(?P<verb>{_DOING})")
_DONE = re.compile(
    rf"(?:已经?|早就?|都|终于|刚刚?)(?:经|全部|全)?(?P<verb>{_DOING})(?![{CJK}]?(?:前|之前|以前))|(?P<over>{_DOING})[清完好掉齐]?了(?!没)"
)
_DENIES = re.compile("[没未不无别]")
_TOLD_PAIR = re.compile(rf"(?![的了是在])[{CJK}](?![的了是在])[{CJK}]")
_ALIKE = 2
"""So many pairs of characters two sentences must have in common for one deed."""


def done_or_not(text: str, other: str) -> tuple[int, int, str] | None:
    """Whether of the same deed one sentence says that it has been done, and the other that it has not: 还没还清, 已经还完了."""
    for mine, theirs in ((_DONE, _UNDONE), (_UNDONE, _DONE)):
        found = list(mine.finditer(text))
        if len(found) != 1 or len(list(theirs.finditer(other))) != 1 or theirs.search(text) or mine.search(other):
            continue  # of two things one is done: 房租交了，水电费还没交
        against = theirs.search(other)
        if against is None or _verb(found[0]) != _verb(against):
            continue
        here, there = _clause(text, found[0]), _clause(other, against)
        done, undone = (here, there) if mine is _DONE else (there, here)
        if _DENIES.search(done) or len(_DENIES.findall(undone)) != 1:
            continue
        pairs = {text[at : at + 2] for at in range(len(text) - 1)} - {"用户", "已经", "现在", "还没"}
        if sum(pair in other for pair in pairs if _TOLD_PAIR.fullmatch(pair)) >= _ALIKE:
            return found[0].start(), found[0].end(), f"{found[0][0]}: the source says {against[0]}"
    return None


def _clause(text: str, found: re.Match[str]) -> str:
    """What stands around a match, between two marks."""
    left = max(text.rfind(mark, 0, found.start()) for mark in "，,。；;、！？") + 1
    return text[left : found.end()] + re.split("[，,。；;、！？]", text[found.end() :], maxsplit=1)[0]


def _verb(found: re.Match[str]) -> str:
    return found["verb"] or found["over"] if "over" in found.re.groupindex else found["verb"]


def _plain(word: str) -> str:
    return re.sub(r"\s", "", word).casefold()


def _meet(one: str, other: str) -> bool:
    return one == other or (not one.isascii() and not other.isascii() and (one.startswith(other) or other.startswith(one)))


__all__ = ["done_or_not", "other_way"]

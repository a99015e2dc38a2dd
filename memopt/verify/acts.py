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


def _plain(word: str) -> str:
    return re.sub(r"\s", "", word).casefold()


def _meet(one: str, other: str) -> bool:
    return one == other or (not one.isascii() and not other.isascii() and (one.startswith(other) or other.startswith(one)))


__all__ = ["other_way"]

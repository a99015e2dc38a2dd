"""Chinese proper words that the other side has nowhere: *住在南京*, *现居苏州*.

Nothing marks them as names, so the reading takes them for plain words, of which a rewrite may replace a few. None of these may be replaced.
"""

from __future__ import annotations

import re

from memopt.facts import senses
from memopt.facts.items import says_october_first
from memopt.facts.places import Proper, is_told, names_of, propers
from memopt.facts.words import CJK, stem
from memopt.verify.lines import Line, Side, Unit

_LOOKED_AT = 2_000
"""So many lines with the rarest character of a name are looked at, so that the time stays linear."""


def strange(unit: Unit, line: Line, mine: Side, other: Side, near: list[int]) -> list[Proper]:
    """The proper words of a unit, outside of its items, that no line of the other side tells; their places are those in the memory.

    Args:
        near: the lines of the other side that come nearest. Where none of them is Chinese nothing is said.
    """
    if not line.chars or not any(other.lines[at].chars for at in near):
        return []
    out = []
    for found in propers(line.text):
        start, end = line.start + found.start, line.start + found.end
        inside = unit.start <= start < unit.end and not any(item.start < end and start < item.end for item in unit.items)
        if inside and not _told(found.key, other):
            out.append(Proper(start, end, found.key))
    return out


_SURNAMES = "王李张刘陈杨黄赵吴周徐孙朱胡郭罗郑梁宋谢唐韩曹邓彭曾萧肖田董潘袁蔡蒋杜魏苏吕丁卢姚沈姜崔谭陆范汪廖贾韦邱邹孟秦顾侯邵雷钱汤尹黎乔贺赖龚洪邢俞翁樊葛岳"
"""Usual surnames that are seldom another word before a title."""
_ADDRESSED = re.compile(
    rf"(?<![每一二两三四五六几上下本这整隔课工路旅进流过外中])(?P<family>[{_SURNAMES}])(?:老师|医生|大夫|医师|教授|博士|经理|主任|主管|阿姨|叔叔|大爷|大妈|大叔|大婶|大姐|大哥|伯伯|师傅|律师|教练|护士|校长|院长|所长"
    rf"|处长|科长|局长|部长|组长|班长|队长|店长|厂长|行长|导师|导演|编辑|先生|女士|小姐|太太|奶奶|爷爷|婆婆|工程师|会计|警官|法官|老板|同学)"
    rf"|(?<![大中从很较最缩弱矮古养苍])[小老](?P<familiar>[王李张刘陈杨赵吴周徐孙朱胡郭郑梁宋谢唐韩曹邓彭曾董潘袁蔡蒋杜魏吕卢姚沈姜崔谭陆范廖贾邱孟秦侯邵许林何冯])(?![{CJK}])"
    rf"|(?<=同事|同学|室友|朋友|邻居|老板|客户|搭档|徒弟|学生|房东|组长|队友|伙伴|领导|上司|下属)[小老](?P<known>[王李张刘陈杨赵吴周徐孙朱胡郭郑梁宋谢唐韩曹邓彭曾董潘袁蔡蒋杜魏吕卢姚沈姜崔谭陆范廖贾邱孟秦侯邵许林何冯])"
)
"""How Chinese addresses people by the surname alone: 黄老师, 小赵."""
_ROMAN = re.compile(r"[A-Z][a-z]+")


def strangers(unit: Unit, line: Line, other: Side, near: list[int]) -> list[tuple[int, int]]:
    """Where a unit calls somebody by a Chinese surname that no line of the other side has in any word; places in the memory.

    Args:
        near: the lines of the other side that come nearest. Where they are not Chinese, or have names in Latin letters, nothing is said.
    """
    texts = [other.lines[at] for at in near]
    if not line.chars or not any(each.chars for each in texts) or any(_ROMAN.search(each.text) for each in texts):
        return []
    out = []
    for found in _ADDRESSED.finditer(line.text):
        family = found["family"] or found["familiar"] or found["known"]
        start, end = line.start + found.start(), line.start + found.end()
        inside = unit.start <= start < unit.end and not any(item.start < end and start < item.end for item in unit.items)
        if inside and family not in other.by_feature:
            out.append((start, end))
    return out


def _told(key: int, side: Side) -> bool:
    known = side.propers.get(key)
    if known is None:
        known = side.propers[key] = _look(key, side)
    return known


def _look(key: int, side: Side) -> bool:
    if key in side.proper_keys:
        return True
    if "国庆" in names_of(key) and any(says_october_first(line.text) for line in side.lines[:_LOOKED_AT] if line.chars):
        return True
    index = side.by_feature
    for name in names_of(key):
        for one in (name, *senses.same_names().get(name, ())):
            if one.isascii():
                if all(stem(part) in index for part in one.split()):
                    return True
                continue
            postings = [found for char in one if (found := index.get(char))]
            lines = [side.lines[at].text for at in min(postings, key=len, default=())[:_LOOKED_AT]]
            if any(one in text or is_told(key, text) for text in lines):
                return True
    return False

"""Chinese proper words that the other side has nowhere: *住在南京*, *现居苏州*.

Nothing marks them as names, so the reading takes them for plain words, of which a rewrite may replace a few. None of these may be replaced.
"""

from __future__ import annotations

from memopt.facts import senses
from memopt.facts.items import says_october_first
from memopt.facts.places import Proper, is_told, names_of, propers
from memopt.facts.words import stem
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

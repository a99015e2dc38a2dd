"""Figures of one sentence that changed places: *from 1,250 to 1,400*, *1,250, down from 1,400*; *weekdays at 7, Saturdays at 10*.

Two readings of a sentence, both of the places of its figures alone. What a figure gave way to: it stands behind *from* or 从, the other
one behind *to* or 到, or was *up from* it. And what a figure stands with: of four things, two of each sort, told pair by pair on both sides of
a comma, the first two belong together and the last two, in whatever order each pair is told.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations, pairwise
from typing import NamedTuple

from memopt.facts.items import Item
from memopt.facts.words import brief
from memopt.verify.exchange import Part, Piece, parts, same_thing
from memopt.verify.findings import Gone, Made, make_invented, shown
from memopt.verify.lines import Side, Told

_MOST = 8
_ABOUT = r"(?:about |around |some |only |just |now )?[€$£¥]?"
_WHEN_ZH = "(?:[去今前]年|上个?月|本月|这个月|原来|原先|之前|最初|现在|如今|每[月年天周])?的?"
_FROM = re.compile(r"\b(?:from|no longer|not)\b[^,.;，。；\d]{0,12}[€$£¥]?\Z|[从由自][^，。；\d]{0,8}\Z", re.I)
_TO = re.compile(
    rf"[^;.，。；\d]{{0,24}}?(?:\b(?:to|but)\b|→)\s?(?:\w+ )?{_ABOUT}|[^,;，。；\d]{{0,12}}?[到至成为往]了?{_WHEN_ZH}", re.I
)
_ROSE_TO = re.compile(
    r"[^.;。；\d]{0,40}?\b(?:rose|risen|fell|fallen|dropped|climbed|grew|grown|went (?:up|down)|(?:increas|decreas|rais|reduc|chang)ed|cut|lowered|shortened|extended)"
    rf"(?: \w+)? to {_ABOUT}|[^。；\d]{{0,10}}?[涨升降减增跌调改加缩延][^，。；\d]{{0,2}}?[到至成为]了?{_WHEN_ZH}",
    re.I,
)
_UP_FROM = re.compile(
    rf"[^,;.，。；\d]{{0,24}}?[,(（]?\s?(?:(?:(?:up|down|raised|increased|reduced|lowered|cut|grown|risen|fallen) )?from |(?:it )?was "
    rf"|compared (?:to|with) |instead of |rather than |and not ){_ABOUT}",
    re.I,
)
_BECAME = re.compile(r"[^.。\d]{0,40}?(?:\bnow\b|现在|如今|目前|眼下)[^,;.，。；\d]{0,16}", re.I)


class _Change(NamedTuple):
    old: Item
    new: Item


def _changes(told: Told) -> Iterator[_Change]:
    """What figures of a sentence gave way to which others."""
    figures = [item for item in told.items if item.kind not in ("name", "quote") and (not item.weak or item.kind == "quantity")]
    if len(figures) > _MOST:
        return
    text = told.text
    for one, two in pairwise(figures):
        before = text[max(0, one.start - told.start - 40) : one.start - told.start]
        between = text[one.end - told.start : two.start - told.start]
        if _FROM.search(before):
            if _TO.fullmatch(between):
                yield _Change(one, two)
        elif _ROSE_TO.fullmatch(between):
            yield _Change(one, two)
        elif _UP_FROM.fullmatch(between):
            yield _Change(two, one)
        elif _BECAME.fullmatch(between) and not _NOW.search(before):
            yield _Change(one, two)


_NOW = re.compile(r"\b(?:now|today|currently)\b|现在|如今|目前|眼下", re.I)


def _turned(mine: Sequence[_Change], others: Sequence[_Change]) -> _Change | None:
    """The change of the rewrite that the sources tell the other way round, and none as it does."""
    for one in mine:
        if any(_same(one.old, other.old) and _same(one.new, other.new) for other in others):
            continue
        if any(_same(one.old, other.new) and _same(one.new, other.old) for other in others):
            return one
    return None


def _same(one: Item, other: Item) -> bool:
    return not _plain(one).isdisjoint(_plain(other))


def _plain(item: Item) -> set[str]:
    """The keys of a figure, also without its unit, which one of two often leaves out."""
    return {*item.keys, *(key.rpartition(":")[2] for key in item.keys)}


_APART = re.compile(r"[,;，；、。]|\b(?:and|but|while|whereas|then)\b|[和而]", re.I)


def _pairs(told: Told, four: Sequence[Piece]) -> frozenset[frozenset[int]] | None:
    """Which two of four belong together: the first two and the last two, with something between that parts clauses. None where they are not told so.

    Args:
        four: two of one sort, then two of another.
    """
    order = sorted(range(4), key=lambda at: four[at].start)
    if (order[0] < 2) == (order[1] < 2) or not _APART.search(told.text, four[order[1]].end, four[order[2]].start):
        return None
    return frozenset((frozenset(order[:2]), frozenset(order[2:])))


def _sort(one: Piece, two: Piece) -> str:
    """What sort two pieces are both of: times, amounts of one unit, poles of one axis, names, words; "" for different ones."""
    if one.kind != two.kind or not one.keys.isdisjoint(two.keys):
        return ""
    if one.kind != "value":
        return one.kind
    sorts = [{key.rpartition(":")[0] for key in piece.keys if key[0] != "#"} for piece in (one, two)]
    return min(sorts[0] & sorts[1], default="")


def _exchange(mine: Told, theirs: Told, one: Part, two: Part) -> tuple[Piece, Piece] | None:
    """Two pieces of the rewrite that stand together, which the source tells of different ones."""
    held = []
    here, there = _with_ones(mine, one), _with_ones(theirs, two)
    for piece in here:
        same = [other for other in there if same_thing(piece, other)]
        if len(same) == 1 and sum(same_thing(each, same[0]) for each in here) == 1:
            held.append((piece, same[0]))
    if not 4 <= len(held) <= _HELD:
        return None
    sorts: dict[str, list[tuple[int, int]]] = {}
    for left, right in combinations(range(len(held)), 2):
        sort = _sort(held[left][0], held[right][0])
        if sort and sort == _sort(held[left][1], held[right][1]):
            sorts.setdefault(sort, []).append((left, right))
    for sort, found in sorts.items():
        if not _is_figure(sort):
            continue
        for other, others in sorts.items():
            if other == sort or (other < sort and _is_figure(other)):
                continue  # each two sorts once
            for first in found:
                for second in others:
                    four = [held[at] for at in (*first, *second)]
                    bound = _pairs(mine, [piece for piece, _ in four])
                    others_bound = _pairs(theirs, [piece for _, piece in four]) if bound else None
                    if bound and others_bound and bound != others_bound:
                        left, right = sorted(min(bound, key=min))
                        return four[left][0], four[right][0]
    return None


def _with_ones(told: Told, part: Part) -> list[Piece]:
    """The pieces with what says one and little else: 一个 beside 两个; this year and the last."""
    ones = [
        Piece("value", item.keys, item.start - told.start, item.end - told.start, item.surface)
        for item in told.items
        if (item.weak and item.norm == "n:1" and item.kind == "number") or item.kind == "relative"
    ]
    return [*part.words, *ones]


def _is_figure(sort: str) -> bool:
    return sort not in ("word", "name") and not sort.startswith("axis")


_HELD = 12
_ASKED = 3


def find_unbound(
    ours: Side, theirs: Side, dominant: frozenset[str], lost: list[Gone], invented: Sequence[Made], tops: dict[int, list[int]]
) -> list[Made]:
    """The sentences of the rewrite in which figures changed places; the fact that they turn is added to ``lost``."""
    flagged = {(one.public.index, one.public.start) for one in invented}
    gone = {item.unit for item in lost}
    own = {line.phrase for line in ours.lines}
    out: list[Made] = []
    for number, line in enumerate(theirs.lines):
        start = line.start if line.whole is None else line.whole[1]
        if not line.units or line.phrase in own or (line.memory, start) in flagged:
            continue
        sources = list(dict.fromkeys(at for index in line.units for at in tops.get(index, ())[:2]))[:_ASKED]
        told = theirs.told(number)
        mine = list(_changes(told))
        turned = _turned(mine, [one for at in sources for one in _changes(ours.told(at))]) if mine else None
        detail = at = None
        if turned is not None:
            at = next(at for at in sources if _turned([turned], list(_changes(ours.told(at)))))
            detail = f"from {turned.old.surface} to {turned.new.surface}"
        elif _has_two(told):
            for each in sources:
                found = _look(told, number, ours.told(each), each, dominant) if _has_two(ours.told(each)) else None
                if found is not None:
                    at, detail = each, f"{found[1].shown}: told of {found[0].shown}"
                    break
        if at is None or detail is None:
            continue
        source = ours.lines[at]
        memory = theirs.memories[line.memory]
        made = make_invented(
            memory,
            line,
            shown(theirs, theirs.units[line.units[0]]),
            "swap",
            f"{detail}; “{brief(source.text)}” says it the other way round",
        )
        out.append(Made(replace(made, nearest_id=ours.memories[source.memory].memory_id, nearest=source.text), line.units[0]))
        fact = source.units[0] if source.units else None
        if fact is not None and gone.isdisjoint(source.units):
            gone.add(fact)
            lost.append(
                Gone(source.memory, source.start, source.end, "swap", f"told the other way round: “{brief(line.text)}”", fact)
            )
    return out


def _has_two(told: Told) -> bool:
    """Whether a sentence has two figures or days that could change places, and something that parts them."""
    return sum(item.kind not in _NO_FIGURES for item in told.items) > 1 and _APART.search(told.text) is not None


_NO_FIGURES = frozenset(("name", "quote", "email", "url", "phone", "handle"))


def _look(mine: Told, number: int, theirs: Told, at: int, dominant: frozenset[str]) -> tuple[Piece, Piece] | None:
    one, two = parts(mine, number, dominant, "line"), parts(theirs, at, dominant, "line")
    return _exchange(mine, theirs, one[0], two[0]) if one and two else None


__all__ = ["find_unbound"]

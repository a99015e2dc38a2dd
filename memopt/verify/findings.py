"""What was lost and what was made up, on its way into the report."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from memopt.memory import UserMemory
from memopt.verify.lines import Line, Side, Unit
from memopt.verify.report import Invented, Lost, Outdated

if TYPE_CHECKING:
    from memopt.facts.statements import Superseded


class Gone(NamedTuple):
    """A lost fact on its way into the report."""

    index: int  # type: ignore[assignment]
    start: int
    end: int
    kind: str
    detail: str
    unit: int  # which fact of the sources
    also: tuple[str, ...] = ()
    newer: str | None = None


def lose(lost: list[Gone], gone: set[int], ours: Side, fact: int | None, detail: str) -> None:
    """Add a fact of the sources that is told of somebody else, or the other way round, unless it is lost already.

    Args:
        lost: grows.
        gone: the units that are lost; grows.
        fact: the unit; None where it is not known.
    """
    if fact is not None and fact not in gone:
        gone.add(fact)
        unit = ours.units[fact]
        lost.append(Gone(ours.lines[unit.line].memory, unit.start, unit.end, "swap", detail, fact))


class Made(NamedTuple):
    """An invented statement on its way into the report, and the unit of the rewrite that makes it."""

    public: Invented
    unit: int


def make_invented(memory: UserMemory, line: Line, fact: str, kind: str, detail: str) -> Invented:
    """What a sentence of the rewrite makes up. Of a sentence that is looked at in pieces the whole is meant."""
    text, start, end = line.whole or (line.text, line.start, line.end)
    return Invented(memory.memory_id, line.memory, text, fact, kind, detail, start, end)


def with_nearest(one: Made, tops: dict[int, list[int]], ours: Side) -> Invented:
    """What was made up, with the memory that it contradicts or comes nearest to."""
    top = tops.get(one.unit)
    if one.public.nearest or not top:
        return one.public
    line = ours.lines[top[0]]
    text = line.text if line.whole is None else line.whole[0]
    return replace(one.public, nearest_id=ours.memories[line.memory].memory_id, nearest=text)


def shown(side: Side, unit: Unit) -> str:
    return side.memories[side.lines[unit.line].memory].memory[unit.start : unit.end].strip(" ,;，；、")


def split_outdated(sources: Sequence[UserMemory], lost: list[Gone], found: Sequence[Superseded]) -> tuple[list[Gone], list[Gone]]:
    """Part what is gone into lost and superseded: a newer source replaces it, and nothing of that one is lost."""
    replaced: dict[int, list[tuple[int, int, int, str]]] = defaultdict(list)
    for entry in found:
        replaced[entry.old_index].append((entry.span[0], entry.span[1], entry.new_index, entry.reason))
    if not replaced:
        return lost, []
    outdated: dict[int, tuple[int, str]] = {}
    for at, item in enumerate(lost):
        for start, end, newer, reason in replaced.get(item.index, ()):
            if start < item.end and item.start < end:
                outdated[at] = (newer, reason)
                break
    resting: dict[int, list[int]] = defaultdict(list)
    for at, (newer, _) in outdated.items():
        resting[newer].append(at)
    broken = list(dict.fromkeys(item.index for at, item in enumerate(lost) if at not in outdated))
    for index in broken:  # what replaces must itself be kept, or be replaced by something that is
        for at in resting.pop(index, ()):
            del outdated[at]
            broken.append(lost[at].index)
    kept = [item for at, item in enumerate(lost) if at not in outdated]
    widest: dict[tuple[int, int], int] = {}
    for at, (newer, _) in outdated.items():  # one entry for what one newer memory replaces
        key = (lost[at].index, newer)
        if key not in widest or lost[at].end - lost[at].start > lost[widest[key]].end - lost[widest[key]].start:
            widest[key] = at
    outdated = {at: outdated[at] for at in widest.values()}
    gone = [lost[at]._replace(detail=reason, newer=sources[newer].memory_id) for at, (newer, reason) in sorted(outdated.items())]
    return kept, gone


def public_lost(lost: Iterable[Gone], sources: Sequence[UserMemory]) -> list[Lost]:
    out: dict[tuple[int, int, int, str], Lost] = {}
    for item in lost:
        memory = sources[item.index]
        fact = memory.memory[item.start : item.end].strip(" ,;，；、")
        key = (item.index, item.start, item.end, item.kind)
        out.setdefault(key, Lost(memory.memory_id, item.index, fact, item.kind, item.detail, item.start, item.end, item.also))
    return list(out.values())


def public_outdated(outdated: Iterable[Gone], sources: Sequence[UserMemory]) -> list[Outdated]:
    from memopt.facts.reading import split_sentences

    out = []
    for item in outdated:
        memory = sources[item.index]
        # a clause alone may end within parentheses, and a number alone says nothing: the sentences that it stands in
        around = [(a, b) for a, b in split_sentences(memory.memory) if a < item.end and item.start < b]
        start, end = (around[0][0], around[-1][1]) if around else (item.start, item.end)
        fact = memory.memory[start:end].strip(" ,;，；、")
        out.append(Outdated(memory.memory_id, item.index, fact, item.newer, item.detail))
    return out

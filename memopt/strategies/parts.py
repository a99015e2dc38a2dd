"""Cutting one user's memories into groups that get a summary each, groups into parts that fit into one request, and making one
memory of many. Pure."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from itertools import accumulate, pairwise

from memopt.memory import UserMemory, iso_utc, newest, oldest, unanimous, unite_topics
from memopt.plan import new_id

Count = Callable[[str], int]

_CUT = 0.5
"""A topic is cut rather than a part be smaller or larger than the others by more than this share."""


def by_age(memories: Sequence[UserMemory]) -> list[UserMemory]:
    """Oldest first, undated ones in front, ties in the given order."""
    return sorted(memories, key=lambda item: float("-inf") if item.last_changed is None else item.last_changed)


def _period(memory: UserMemory, length: int) -> str:
    return (iso_utc(memory.last_changed) or "")[:length] or "no date"


def group(memories: Sequence[UserMemory], per: str) -> dict[str, list[UserMemory]]:
    """Memories by what gets one summary, each group oldest first.

    Args:
        per: ``all``; ``topic`` (a memory's first topic, ``no topic`` without one); ``month`` or ``year`` of its last change.

    Returns:
        The groups by label, in order of the label's first appearance by age.
    """
    groups: dict[str, list[UserMemory]] = {}
    for item in by_age(memories):
        if per == "topic":
            label = next((topic for topic in item.topics or () if topic.strip()), "no topic")
        elif per == "month":
            label = _period(item, 7)
        elif per == "year":
            label = _period(item, 4)
        else:
            label = "all"
        groups.setdefault(label, []).append(item)
    return groups


def split(memories: Sequence[UserMemory], room: int, count: Count) -> tuple[list[list[UserMemory]], list[UserMemory]]:
    """Cut a group into parts of at most ``room`` tokens each: by topic, and a topic that is too large by time.

    Memories of one topic stay together as far as they fit, small topics share a part, and every part is oldest first. The parts
    are about equally large: a request for two memories that are left over pays for all of the instructions.

    Args:
        room: tokens of rendered memories that one request may hold.
        count: tokens of one rendered memory.

    Returns:
        The parts, and the memories that are too large for a part of their own.
    """
    sizes = {id(item): count(item.memory) for item in memories}
    fitting = [item for item in memories if sizes[id(item)] <= room]
    too_large = [item for item in memories if sizes[id(item)] > room]
    if sum(sizes[id(item)] for item in fitting) <= room:
        return ([by_age(fitting)] if fitting else []), too_large

    # Of a memory's topics the most frequent one gathers best; ties go to the one that comes first in the alphabet.
    frequent = Counter(topic for item in fitting for topic in item.topics or ())
    topics: dict[str, list[UserMemory]] = {}
    for item in by_age(fitting):
        own = min(item.topics or ("",), key=lambda topic: (-frequent[topic], topic))
        topics.setdefault(own, []).append(item)

    row = [item for items in topics.values() for item in items]
    borders, cuttable = set[int](), set[int]()
    number = end = filled = 0
    for items in topics.values():
        whole = sum(sizes[id(item)] for item in items)
        if not number or filled + whole > room:  # it begins a part
            number, filled = number + 1, 0
        for item in items:
            if filled + sizes[id(item)] > room:
                number, filled = number + 1, 0
            filled += sizes[id(item)]
        if whole > room:
            cuttable.update(range(end + 1, end + len(items)))
        end += len(items)
        borders.add(end)
    cuts = _even_cuts([sizes[id(item)] for item in row], number, room, borders, cuttable)
    return [by_age(row[begin:end]) for begin, end in pairwise((0, *cuts))], too_large


def _even_cuts(sizes: Sequence[int], number: int, room: int, borders: Collection[int], cuttable: Collection[int]) -> list[int]:
    """Where to cut a row into so many parts of at most ``room`` and of about one size, in time that grows with the row.

    Args:
        sizes: of the row's members.
        number: of parts; it is known to be enough.
        borders, cuttable: where it may be cut, as how many members stand before; at borders rather.

    Returns:
        How many members stand before the end of each part.
    """
    places = sorted({0, *borders, *cuttable})
    sums = [0, *accumulate(sizes)]
    reach = [sums[place] for place in places]
    last = len(places) - 1
    furthest = [bisect_right(reach, size + room) - 1 for size in reach]
    needed = [0] * (last + 1)  # the fewest parts for what stands behind a place
    for at in range(last - 1, -1, -1):
        needed[at] = 1 + needed[furthest[at]]
    out: list[int] = []
    at = 0
    for left in range(number - 1, -1, -1):
        goal = (reach[last] - reach[at]) / (left + 1)
        ends = [to for to in range(at + 1, furthest[at] + 1) if needed[to] <= left <= last - to]
        off = {to: abs(reach[to] - reach[at] - goal) + (0 if places[to] in borders else _CUT * goal) for to in ends}
        at = min(ends, key=off.__getitem__)
        out.append(places[at])
    return out


def halves(memories: Sequence[UserMemory]) -> list[list[UserMemory]]:
    """A part in two, by time."""
    middle = len(memories) // 2
    return [list(memories[:middle]), list(memories[middle:])]


def merged(sources: Sequence[UserMemory], text: str) -> UserMemory:
    """The one memory that stands for its sources.

    Topics are united in order of first appearance; agent and team are kept only where all sources share them; it is as old as
    the oldest source, and changed last when the newest did, so that a summary never looks newer than what it says.
    """
    return UserMemory(
        memory=text,
        memory_id=new_id(sources, text),
        topics=unite_topics(sources),
        user_id=sources[0].user_id,
        agent_id=unanimous(item.agent_id for item in sources),
        team_id=unanimous(item.team_id for item in sources),
        created_at=oldest(item.created_at for item in sources),
        updated_at=newest(item.last_changed for item in sources),
        sources=tuple(item.memory_id for item in sources if item.memory_id),
    )

"""What memories of one part say that a memory of another part replaces: no part may write it as if it still held. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from memopt.memory import UserMemory


class Stale(NamedTuple):
    """A memory with sentences that a memory of another part replaces.

    Attributes:
        memory: the memory.
        rest: its text without them; "" where nothing is left.
        fact: the first of them.
        newer: the memory that replaces it.
        reason: one sentence for people.
    """

    memory: UserMemory
    rest: str
    fact: str
    newer: UserMemory
    reason: str


def stale_across(parts: Sequence[Sequence[UserMemory]], aside: Sequence[UserMemory] = ()) -> dict[int, Stale]:
    """The memories of the parts that one of another part, or one that stays aside, replaces; by identity.

    Only whole sentences are taken out: what is replaced within a sentence stays for the checks that follow. Time is linear in the
    number of memories.
    """
    from memopt.facts.reading import split_sentences
    from memopt.facts.statements import Superseded, superseded
    from memopt.verify.settle import cut

    if len(parts) + bool(aside) < 2:
        return {}
    everything = [item for part in parts for item in part] + list(aside)
    part_of = [number for number, part in enumerate(parts) for _ in part] + [-1] * len(aside)
    found: dict[int, list[Superseded]] = defaultdict(list)
    for item in superseded(everything):
        if part_of[item.old_index] not in (-1, part_of[item.new_index]):
            found[item.old_index].append(item)
    out: dict[int, Stale] = {}
    for place, items in found.items():
        memory = everything[place]
        text = memory.memory
        whole = set(split_sentences(text))
        spans = {
            (start, end)
            for start, end in whole
            for item in items
            if start <= item.span[0] <= start + 2 and item.span[1] >= end - 2
        }
        if not spans:
            continue
        first = items[0]
        rest = "" if spans == whole else cut(text, spans)
        out[id(memory)] = Stale(memory, rest, first.clause.strip(), everything[first.new_index], first.reason)
    return out

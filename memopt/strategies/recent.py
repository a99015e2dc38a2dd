"""Keep the memories that changed last."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar

from memopt.memory import UserMemory, iso_utc
from memopt.strategies.base import Decision, MemoryOptimizationStrategy, Proposal, option


@dataclass(frozen=True, slots=True)
class RecentOptions:
    """Options of ``recent``."""

    keep: int = option(..., "how many memories to keep", minimum=1)


@cache
def _day(days: int) -> str:
    return (iso_utc(days * 86_400) or "")[:10]


class RecentOnlyStrategy(MemoryOptimizationStrategy):
    """Keep the N memories that changed last (updated_at, else created_at); those without a date are kept besides.

    Of equally old ones the later in the store is kept, then the larger id, so that the choice is the same every time.
    """

    name = "recent"
    summary = "keep the N memories that changed last"
    Options: ClassVar[type[Any]] = RecentOptions

    def steps(self, memories: Sequence[UserMemory]) -> Proposal:
        """Rank by date and drop what lies beyond ``keep``."""
        keep = self.options.keep
        dated = [
            (item.last_changed, place, item.memory_id or "")
            for place, item in enumerate(memories)
            if item.last_changed is not None
        ]
        ranked = sorted(dated, reverse=True)
        undated = len(memories) - len(ranked)
        notes = (f"{undated} {'memory' if undated == 1 else 'memories'} without a date kept",) if undated else ()
        gone = {place for _, place, _ in ranked[keep:]}
        if not gone:
            return Proposal(list(memories), notes=notes)
        edge = memories[ranked[keep - 1][1]]
        # While the oldest kept memory stands unchanged, there are newer ones for everything that goes.
        relies_on = (edge.memory_id,) if edge.memory_id else ()
        what = "the newest memory" if keep == 1 else f"the {keep} newest"
        decisions = {
            item.memory_id: Decision(
                f"older than {what}: last changed {_day(int(item.last_changed or 0) // 86_400)}", relies_on=relies_on
            )
            for place, item in enumerate(memories)
            if place in gone and item.memory_id
        }
        kept = [item for place, item in enumerate(memories) if place not in gone]
        return Proposal(kept, decisions, notes)

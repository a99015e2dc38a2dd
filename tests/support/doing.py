"""A strategy for tests of what is around strategies."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from memopt.memory import UserMemory
from memopt.strategies.base import MemoryOptimizationStrategy


class Does(MemoryOptimizationStrategy):
    """Whatever a function does with the list of memories: it returns those that result, or a Proposal."""

    name = "does"

    def __init__(self, work: Callable[[list[UserMemory]], Any]) -> None:
        super().__init__()
        self.work = work

    def steps(self, memories: Any) -> Any:
        return self.work(list(memories))

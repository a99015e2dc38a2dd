"""How the library is used, for a strict type checker. It is checked, never run (see test_public_api.py)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, assert_type

import memopt
from memopt import (
    Action,
    AgnoSqliteStore,
    Ask,
    Change,
    Decision,
    DedupeStrategy,
    Filters,
    MemoptError,
    MemoryManager,
    MemoryOptimizationStrategy,
    MemoryOptimizationStrategyFactory,
    MemoryOptimizationStrategyType,
    MemoryStore,
    Model,
    Plan,
    Proposal,
    RecentOnlyStrategy,
    Reply,
    Run,
    Snapshot,
    SummarizeStrategy,
    TokenCounter,
    TokenFigures,
    Usage,
    UserMemory,
    UserSummary,
    diff,
    open_store,
    option,
)


@dataclass(frozen=True)
class KeepOptions:
    keep: int = option(3, "how many", minimum=1)


class KeepFirst(MemoryOptimizationStrategy):
    name = "keep-first"
    Options: ClassVar[type[Any]] = KeepOptions

    def steps(self, memories: Sequence[UserMemory]) -> Proposal:
        return Proposal(memories[: self.options.keep], {"a": Decision("gone", relies_on=("b",))})


class Echo:
    name = "echo"
    endpoint = ""
    context_tokens: int | None = None

    def answer(self, ask: Ask) -> Reply:
        return Reply(ask.prompt, Usage(1))

    async def aanswer(self, ask: Ask) -> Reply:
        return self.answer(ask)


def synchronous(path: Path) -> None:
    model: Model = Echo()
    manager = MemoryManager(path, model, lock_timeout=1.5)
    plan = manager.optimize_memories("u1", MemoryOptimizationStrategyType.SUMMARIZE)
    assert_type(plan, Plan)
    assert_type(plan[0], UserMemory)
    assert_type(plan[1:], tuple[UserMemory, ...])
    assert_type([memory.memory for memory in plan], list[str])
    assert_type(plan.of(Action.DROPPED), tuple[Change, ...])
    assert_type(manager.optimize_memories(None, "recent", True, options={"keep": 3}, filters=Filters(topic=("a",))), Plan)
    manager.optimize_memories("u1", [DedupeStrategy(), RecentOnlyStrategy(keep=3), KeepFirst(), SummarizeStrategy()])
    assert_type(manager.apply(Plan.from_json(plan.to_json()), on_conflict="skip"), Plan)
    assert_type(manager.undo(), Run)
    assert_type(manager.history("u1"), list[Run])
    assert_type(manager.users(), list[UserSummary])
    assert_type(manager.get_user_memories("u1"), Snapshot)


async def on_a_loop(path: str) -> Plan:
    return await MemoryManager(open_store(path)).aoptimize_memories("u1", KeepFirst(keep=1), apply=True)


def parts(path: Path) -> None:
    store: MemoryStore = AgnoSqliteStore(path, table="agno_memories")
    before = store.read("u1").memories
    assert_type(diff(before, before[1:]), tuple[Change, ...])
    assert_type(TokenCounter("gpt-4o").figures(before), TokenFigures)
    assert_type(before[0].but(memory="x"), UserMemory)
    assert_type(MemoryOptimizationStrategyFactory.create_strategy("recent", keep=3), MemoryOptimizationStrategy)
    assert_type(RecentOnlyStrategy(keep=3).optimize(before), list[UserMemory])
    assert_type(memopt.__version__, str)
    try:
        store.check_writable()
    except MemoptError as error:
        assert_type(int(error.exit_code), int)

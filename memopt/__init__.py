"""memopt keeps an AI agent's long-term memory small, current and true.

The public names are loaded when they are first used, so that importing the package costs next to nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from memopt._version import __version__

if TYPE_CHECKING:
    from memopt.errors import (
        AnswerRefused,
        ConflictError,
        ExitCode,
        GuardError,
        MemoptError,
        ModelError,
        PlanFileError,
        StoreError,
        StoreLocked,
        StrategyError,
        UnknownUser,
        UsageError,
    )
    from memopt.manager import MemoryManager, UserSummary
    from memopt.memory import UserMemory
    from memopt.models.base import Ask, Model, Reply, Usage
    from memopt.plan import Action, Change, Filters, Plan, diff
    from memopt.stores import open_store
    from memopt.stores.agno_postgres import AgnoPostgresStore
    from memopt.stores.agno_sqlite import AgnoSqliteStore
    from memopt.stores.base import MemoryStore, Snapshot
    from memopt.stores.journal import Run
    from memopt.strategies.base import Decision, MemoryOptimizationStrategy, Proposal, option
    from memopt.strategies.dedupe import DedupeStrategy
    from memopt.strategies.recent import RecentOnlyStrategy
    from memopt.strategies.registry import MemoryOptimizationStrategyFactory, MemoryOptimizationStrategyType
    from memopt.strategies.summarize import SummarizeStrategy
    from memopt.tokens import TokenCounter, TokenFigures

_HOMES = {
    "memopt.errors": (
        "AnswerRefused ConflictError ExitCode GuardError MemoptError ModelError PlanFileError StoreError StoreLocked "
        "StrategyError UnknownUser UsageError"
    ),
    "memopt.manager": "MemoryManager UserSummary",
    "memopt.memory": "UserMemory",
    "memopt.models.base": "Ask Model Reply Usage",
    "memopt.plan": "Action Change Filters Plan diff",
    "memopt.stores": "open_store",
    "memopt.stores.agno_postgres": "AgnoPostgresStore",
    "memopt.stores.agno_sqlite": "AgnoSqliteStore",
    "memopt.stores.base": "MemoryStore Snapshot",
    "memopt.stores.journal": "Run",
    "memopt.strategies.base": "Decision MemoryOptimizationStrategy Proposal option",
    "memopt.strategies.dedupe": "DedupeStrategy",
    "memopt.strategies.recent": "RecentOnlyStrategy",
    "memopt.strategies.registry": "MemoryOptimizationStrategyFactory MemoryOptimizationStrategyType",
    "memopt.strategies.summarize": "SummarizeStrategy",
    "memopt.tokens": "TokenCounter TokenFigures",
}
_HOME_OF = {name: module for module, names in _HOMES.items() for name in names.split()}

__all__ = [
    "Action",
    "AgnoPostgresStore",
    "AgnoSqliteStore",
    "AnswerRefused",
    "Ask",
    "Change",
    "ConflictError",
    "Decision",
    "DedupeStrategy",
    "ExitCode",
    "Filters",
    "GuardError",
    "MemoptError",
    "MemoryManager",
    "MemoryOptimizationStrategy",
    "MemoryOptimizationStrategyFactory",
    "MemoryOptimizationStrategyType",
    "MemoryStore",
    "Model",
    "ModelError",
    "Plan",
    "PlanFileError",
    "Proposal",
    "RecentOnlyStrategy",
    "Reply",
    "Run",
    "Snapshot",
    "StoreError",
    "StoreLocked",
    "StrategyError",
    "SummarizeStrategy",
    "TokenCounter",
    "TokenFigures",
    "UnknownUser",
    "Usage",
    "UsageError",
    "UserMemory",
    "UserSummary",
    "__version__",
    "diff",
    "open_store",
    "option",
]


def __getattr__(name: str) -> Any:
    module = _HOME_OF.get(name)
    if module is None:
        raise AttributeError(f"module 'memopt' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(module), name)


def __dir__() -> list[str]:
    return sorted(__all__)

"""memopt's strategies inside Agno's own MemoryManager.

    from memopt.agno import strategy
    manager.optimize_memories(user_id="u1", strategy=strategy("dedupe"))

Agno then reads and writes as it always does: without a preview, a transaction or undo. Use memopt's own MemoryManager for those.
Needs agno to be installed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from memopt.memory import CONTENT_FIELDS, UserMemory
from memopt.models.answer import clean
from memopt.models.base import Ask, Reply
from memopt.strategies.base import MemoryOptimizationStrategy
from memopt.strategies.foreign import to_agno
from memopt.strategies.registry import strategy_class
from memopt.usage import Usage

__all__ = ["strategy"]


class _FromAgno:
    """An Agno model as memopt asks it. What it answers is checked as every model's answer is."""

    endpoint = "agno:"
    context_tokens: int | None = None

    def __init__(self, model: Any) -> None:
        self._model = model
        self.name = str(getattr(model, "id", "") or type(model).__name__)

    def _messages(self, ask: Ask) -> list[Any]:
        from agno.models.message import Message

        return [Message(role="system", content=ask.instructions(False)), Message(role="user", content=ask.prompt)]

    def _reply(self, ask: Ask, response: Any) -> Reply:
        return Reply(clean(response.content, None, ask), Usage(requests=1))

    def answer(self, ask: Ask) -> Reply:
        return self._reply(ask, self._model.response(messages=self._messages(ask)))

    async def aanswer(self, ask: Ask) -> Reply:
        return self._reply(ask, await self._model.aresponse(messages=self._messages(ask)))


def _from_agno(item: Any) -> UserMemory:
    return UserMemory(memory_id=item.memory_id, **{name: getattr(item, name) for name in CONTENT_FIELDS})


def strategy(name: str | MemoryOptimizationStrategy, **options: Any) -> Any:
    """A strategy of memopt as an object that Agno's ``optimize_memories`` takes.

    Args:
        name: a strategy's name, or an instance.
        options: of a strategy that is given by name.

    Returns:
        An instance of ``agno.memory.strategies.MemoryOptimizationStrategy``.

    Raises:
        ImportError: agno is not installed.
        UsageError: there is no such strategy or option.
    """
    from agno.memory.strategies import MemoryOptimizationStrategy as AgnoBase

    inner = strategy_class(name)(**options) if isinstance(name, str) else name

    def back(given: Sequence[Any], memories: Sequence[UserMemory], result: Sequence[UserMemory]) -> list[Any]:
        """Agno's own objects for what was kept, new ones for the rest."""
        origin = {id(item): agno for item, agno in zip(memories, given, strict=True)}
        return [origin.get(id(item)) or to_agno(item) for item in result]

    class MemoptStrategy(AgnoBase):  # type: ignore[misc]
        """Runs a memopt strategy on Agno's memories."""

        def get_system_prompt(self) -> str:
            return inner.get_system_prompt()

        def optimize(self, memories: list[Any], model: Any) -> list[Any]:
            own = [_from_agno(item) for item in memories]
            return back(memories, own, inner.optimize(own, _FromAgno(model)))

        def count_tokens(self, memories: list[Any]) -> int:
            """Tokens of the bare texts. Agno's own would look for its vocabulary on the network once everything is written."""
            return inner.count_tokens([_from_agno(item) for item in memories])

        async def aoptimize(self, memories: list[Any], model: Any) -> list[Any]:
            own = [_from_agno(item) for item in memories]
            return back(memories, own, await inner.aoptimize(own, _FromAgno(model)))

    return MemoptStrategy()

"""The real Agno on the other side of the file, and a model that answers what a test tells it."""

from __future__ import annotations

import asyncio
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from memopt.models.base import Ask, Reply, Usage


@contextmanager
def agno_db(path: Path | str, table: str | None = None) -> Iterator[Any]:
    """Agno's own SqliteDb on the file. As Agno 3 does, it switches the file to WAL mode."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from agno.db.sqlite import SqliteDb

    db = SqliteDb(db_file=str(path), **({"memory_table": table} if table else {}))
    try:
        yield db
    finally:
        db.db_engine.dispose()


def agno_reads(path: Path | str, user: str | None = None) -> list[dict[str, Any]]:
    """All columns of a user's rows as Agno decodes them, in the order in which Agno reads them."""
    with agno_db(path) as db:
        rows, count = db.get_user_memories(user_id=user, deserialize=False)
    assert count == len(rows)
    return [dict(row) for row in rows]


def agno_prompt(path: Path | str, user: str) -> list[str]:
    """The texts that an Agno agent puts into its prompt, in order (agno/agent/_messages.py)."""
    with agno_db(path) as db:
        from agno.memory import MemoryManager

        return [str(memory.memory) for memory in MemoryManager(db=db).get_user_memories(user_id=user) or []]


def agno_upsert(path: Path | str, **fields: Any) -> None:
    """One memory written by Agno."""
    with agno_db(path) as db:
        from agno.db.schemas import UserMemory

        db.upsert_user_memory(UserMemory(**fields))


def agno_delete(path: Path | str, memory_id: str, user: str) -> None:
    """One memory deleted by Agno."""
    with agno_db(path) as db:
        db.delete_user_memory(memory_id, user_id=user)


def agno_migrates(path: Path | str) -> None:
    """Agno's own migration of an older file."""
    with agno_db(path) as db:
        from agno.db.migrations.manager import MigrationManager

        asyncio.run(MigrationManager(db).up())


class Scripted:
    """A model that answers with given texts, the last one for ever; ``during`` runs while it thinks.

    Without a text it says what the first memory it is shown says: a summary that invents nothing and loses the rest.
    """

    name = "scripted"
    endpoint = "test"
    context_tokens = None

    def __init__(self, *texts: str, during: Callable[[], None] | None = None) -> None:
        self.texts = texts
        self.during = during
        self.asked: list[Ask] = []

    def answer(self, ask: Ask) -> Reply:
        self.asked.append(ask)
        if self.during is not None:
            self.during()
        text = self.texts[min(len(self.asked), len(self.texts)) - 1] if self.texts else ask.material[0].memory
        return Reply(text, Usage(1, 10, 10), "stop")

    async def aanswer(self, ask: Ask) -> Reply:
        return self.answer(ask)

"""What an SQLite file tells of itself: size and free pages, the framework's version table, memopt's own tables, damage."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Sequence
from pathlib import Path

from memopt.memory import to_epoch
from memopt.stores import journal, seen
from memopt.stores.base import Inspection, OwnTable
from memopt.stores.sqlite import quote_name

VERSIONS = "agno_schema_versions"
"""Where Agno notes the version of each of its tables (``agno/db/sqlite/schemas.py``): ``table_name``, ``version``."""
_MOST_DAMAGE = 20


def inspect(conn: sqlite3.Connection, path: Path, table: str, missing: Sequence[str], *, integrity: bool) -> Inspection:
    """Look at a file through a reading connection, which may be one to a private copy of it.

    Args:
        path: the file itself, for what lies beside it.
        table: the memory table.
        missing: columns that the table lacks.
    """
    pages, page_size, free = (
        conn.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_count", "page_size", "freelist_count")
    )
    try:
        log_size: int | None = os.stat(f"{path}-wal").st_size  # noqa: PTH116 - the path's name may be no UTF-8
    except OSError:
        log_size = None
    return Inspection(
        version=_version(conn, table),
        missing=tuple(missing),
        size=pages * page_size,
        free=free * page_size,
        log_size=log_size,
        journal=_own(conn, journal.TABLE, ("about", "rows")),
        seen=_own(conn, seen.TABLE, ("user_id", "recipe", "state", "plan")),
        damage=_damage(conn) if integrity else None,
    )


def _columns(conn: sqlite3.Connection, table: str) -> set[str]:
    return {row[1] for row in conn.execute(f"PRAGMA table_info({quote_name(table)})")}


def _version(conn: sqlite3.Connection, table: str) -> str | None:
    if not {"table_name", "version"} <= _columns(conn, VERSIONS):
        return None
    row = conn.execute(f"SELECT version FROM {quote_name(VERSIONS)} WHERE table_name = ?", (table,)).fetchone()
    return None if row is None or row[0] is None else str(row[0])


def _own(conn: sqlite3.Connection, table: str, texts: Sequence[str]) -> OwnTable | None:
    if not {"at", *texts} <= _columns(conn, table):
        return None
    # a NUL ends what length() counts of a text; there is none in what memopt writes
    size = " + ".join(f"coalesce(length({quote_name(name)}), 0)" for name in texts)
    rows, total, at = conn.execute(f"SELECT count(*), sum({size}), min(at) FROM {quote_name(table)}").fetchone()
    try:
        oldest = to_epoch(at)
    except ValueError:
        oldest = None
    return OwnTable(rows, total or 0, oldest)


def _damage(conn: sqlite3.Connection) -> tuple[str, ...]:
    try:
        found = [str(row[0]) for row in conn.execute(f"PRAGMA integrity_check({_MOST_DAMAGE})")]
    except sqlite3.DatabaseError as error:
        return (str(error),)
    return tuple(line for each in found for line in each.splitlines() if line not in ("ok", "*** in database main ***"))

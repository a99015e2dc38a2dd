"""What runs over many users have seen: a table of memopt's own in the store's file, so that nobody's model is paid twice.

Table ``memopt_seen``, one row a user and recipe
------------------------------------------------
``memory_table``, ``user_id``, ``recipe`` (digest of strategies, options, model and prompts), ``state`` (digest of the memories
that the run left), ``plan`` (digest of the plan that was written; NULL where there was nothing to change), ``at`` (ISO 8601 UTC).
The note of an apply is written in the transaction of the apply. No text of a memory is in it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

from memopt.memory import iso_utc
from memopt.stores.base import Mark, Seen

TABLE = "memopt_seen"
KEEP_SECONDS = 400 * 86_400
"""Notes of other recipes on the same user go when they are older than this."""

_CREATE = (
    f'CREATE TABLE IF NOT EXISTS "{TABLE}" (memory_table TEXT NOT NULL, user_id TEXT NOT NULL, recipe TEXT NOT NULL, '
    "state TEXT NOT NULL, plan TEXT, at TEXT NOT NULL, PRIMARY KEY (memory_table, user_id, recipe)) WITHOUT ROWID"
)


def _bound(user_id: str) -> str | bytes:
    """A user id that is no UTF-8 is kept as its bytes."""
    try:
        user_id.encode("utf-8")
    except UnicodeEncodeError:
        return user_id.encode("utf-8", "surrogateescape")
    return user_id


def exists(conn: sqlite3.Connection) -> bool:
    """Whether the file has such a table."""
    return conn.execute("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", (TABLE,)).fetchone() is not None


def look_up(conn: sqlite3.Connection, table: str, user_id: str | None, recipe: str, *, there: bool = False) -> Seen | None:
    """The note on a user; None where there is none, and for rows without a user. ``there``: the table is known to be."""
    if user_id is None or not (there or exists(conn)):
        return None
    sql = f'SELECT state, plan FROM "{TABLE}" WHERE memory_table = ? AND user_id = ? AND recipe = ?'
    found = conn.execute(sql, (table, _bound(user_id), recipe)).fetchone()
    return None if found is None else Seen(*found)


def note(
    conn: sqlite3.Connection, table: str, marks: Iterable[tuple[Mark, str | None]], at: float, *, there: bool = False
) -> None:
    """Write notes, each with the digest of the plan that was written, inside the caller's transaction."""
    if not there:
        conn.execute(_CREATE)
    for mark, plan in marks:
        if mark.user_id is None:
            continue
        user = _bound(mark.user_id)
        conn.execute(
            f'INSERT INTO "{TABLE}" VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (memory_table, user_id, recipe) '
            "DO UPDATE SET state = excluded.state, plan = excluded.plan, at = excluded.at",
            (table, user, mark.recipe, mark.state, plan, iso_utc(int(at))),
        )
        old = f'DELETE FROM "{TABLE}" WHERE memory_table = ? AND user_id = ? AND at < ?'
        conn.execute(old, (table, user, iso_utc(int(at) - KEEP_SECONDS)))

"""What runs over many users have seen, in Postgres: the table ``memopt.seen``, with the columns of the one in an SQLite file.

``at`` is a ``timestamptz`` (see ``seen``). No text of a memory is in it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from memopt.memory import iso_utc
from memopt.stores import journal_postgres as journal
from memopt.stores.base import Mark, Seen

if TYPE_CHECKING:
    from memopt.stores.postgres import Connection

KEEP = "400 days"
"""Notes of other recipes on the same user go when they are older than this."""


def look_up(conn: Connection, table: str, user_id: str | None, recipe: str) -> Seen | None:
    """The note on a user; None where there is none, and for rows without a user."""
    if user_id is None or not journal.exists(conn, journal.SEEN):
        return None
    sql = f"SELECT state, plan FROM {journal.SEEN_NAME} WHERE memory_table = %s AND user_id = %s AND recipe = %s"
    found = conn.execute(sql, (table, user_id, recipe)).fetchone()
    return None if found is None else Seen(*found)


def look_up_all(conn: Connection, table: str, user_ids: Sequence[str], recipe: str) -> dict[str, Seen]:
    """The notes on these users, by user."""
    if not user_ids or not journal.exists(conn, journal.SEEN):
        return {}
    sql = f"SELECT user_id, state, plan FROM {journal.SEEN_NAME} WHERE memory_table = %s AND user_id = ANY(%s) AND recipe = %s"
    return {row[0]: Seen(row[1], row[2]) for row in conn.execute(sql, (table, list(user_ids), recipe))}


def note(conn: Connection, table: str, marks: Iterable[tuple[Mark, str | None]], at: float) -> None:
    """Write notes, each with the digest of the plan that was written, inside the caller's transaction."""
    journal.make(conn)
    # in one order, so that two who note the same users do not wait for each other
    listed = sorted(((m.user_id, m.recipe, m.state, plan) for m, plan in marks if m.user_id is not None), key=lambda row: row[:2])
    now = iso_utc(int(at))
    with conn.cursor() as cursor:
        cursor.executemany(
            f"INSERT INTO {journal.SEEN_NAME} (memory_table, user_id, recipe, state, plan, at) VALUES (%s, %s, %s, %s, %s, %s) "
            "ON CONFLICT (memory_table, user_id, recipe) "
            "DO UPDATE SET state = excluded.state, plan = excluded.plan, at = excluded.at",
            [(table, *row, now) for row in listed],
        )
        cursor.executemany(
            f"DELETE FROM {journal.SEEN_NAME} WHERE memory_table = %s AND user_id = %s "
            f"AND at < %s::timestamptz - interval '{KEEP}'",
            [(table, row[0], now) for row in listed],
        )

"""What a purge leaves in a Postgres, in words: what a client cannot erase there, and what of it can be seen.

An UPDATE or DELETE leaves the old row version in the table's file. VACUUM makes its space free for new rows and does not
overwrite it; VACUUM FULL writes the table anew into another file, under a lock that keeps everybody out
(https://www.postgresql.org/docs/current/sql-vacuum.html). The write-ahead log, its archive, standbys and backups are files that
no statement reaches. None of this is done or forced here: it is said.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from memopt.stores import journal_postgres as journal
from memopt.stores.erase import all_forms

if TYPE_CHECKING:
    from memopt.stores.postgres import Connection


def left(
    conn: Connection, table: str, user_id: str | None, rows: Sequence[Sequence[Any]], needles: Sequence[str]
) -> Iterator[str]:
    """Sentences about what still holds the removed text, each with what to do.

    Args:
        table: the memory table, as ``--table`` takes it.
        rows: the user's memories as they are stored now.
        needles: pieces of text by which a copy is recognised.
    """
    forms = all_forms(needles)

    def tells(value: object) -> bool:
        return isinstance(value, str) and any(form in value for form in forms)

    if forms:
        yield from _seen(conn, table, user_id, rows, tells)
    yield (
        f"former versions of the rows stay in the files of {table} and {journal.NAME} until VACUUM clears them, and bytes of "
        f"them in its pages after that. To write both anew: VACUUM FULL {table}, {journal.NAME} (it keeps everybody out "
        "while it runs)"
    )
    archived = conn.execute("SELECT pg_catalog.current_setting('archive_mode', true) <> 'off'").fetchone() == (True,)
    archive = ", and its archive holds them (archive_mode is on)" if archived else ""
    yield (
        f"the write-ahead log holds them until the server uses its segments again{archive}; so do dumps, backups and standbys of "
        "before. They are out of memopt's reach"
    )


def _seen(
    conn: Connection, table: str, user_id: str | None, rows: Sequence[Sequence[Any]], tells: Callable[[object], bool]
) -> Iterator[str]:
    found = sum(any(map(tells, row)) for row in rows)
    if found:
        yield f"{_rows(found)} of this user's memories still hold words of the removed text; see the plan for what was kept"
    found = journal.telling(conn, user_id, table, tells)
    if found:
        yield f"{_rows(found)} of the journal still hold words of the removed text; memopt history --prune drops them"


def _rows(number: int) -> str:
    return "1 row" if number == 1 else f"{number} rows"

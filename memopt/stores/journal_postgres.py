"""The journal in Postgres: the table ``memopt.journal``, in a schema of memopt's own, in the database of the memories.

The columns and their contents are those of the journal in an SQLite file (see ``journal``), with these differences: ``at`` is a
``timestamptz``, and ``memory_table`` names the schema too (``ai.agno_memories``). The values of a row's columns are null or texts
as Postgres itself writes them; read back by the column's type they are the same value, whatever the type. There are no rowids.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from memopt.errors import StoreError, UsageError
from memopt.stores.journal import (
    Day,
    Edit,
    Erasing,
    Run,
    choose,
    days_of,
    entry_of,
    erased_entry,
    figures_of,
    unpack_edits,
    unpack_run,
)

if TYPE_CHECKING:
    from memopt.stores.postgres import Connection

SCHEMA = "memopt"
TABLE = "journal"
NAME = f"{SCHEMA}.{TABLE}"
SEEN = "seen"
SEEN_NAME = f"{SCHEMA}.{SEEN}"

# Two sessions that make the table at the same moment would trip over each other; the number is of no meaning.
_MAKING = 0x6D656D6F7074  # "memopt"

_CREATE_SEEN = (
    f"CREATE TABLE {SEEN_NAME} (memory_table text NOT NULL, user_id text NOT NULL, recipe text NOT NULL, state text NOT NULL, "
    "plan text, at timestamptz NOT NULL, PRIMARY KEY (memory_table, user_id, recipe))"
)
_CREATE = (
    f"CREATE TABLE {NAME} (seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, run_id text NOT NULL UNIQUE, "
    "format integer NOT NULL, kind text NOT NULL, at timestamptz NOT NULL, user_id text, memory_table text NOT NULL, "
    "undoes text, about text NOT NULL, rows text NOT NULL)",
    f"CREATE INDEX journal_user_id ON {NAME} (memory_table, user_id, seq)",
    f"CREATE INDEX journal_undoes ON {NAME} (undoes) WHERE undoes IS NOT NULL",
)
_RUN = "run_id, format, kind, at::text, user_id, memory_table, undoes, about"


def schema_exists(conn: Connection) -> bool:
    """Whether the schema is there. The catalog may be asked without any right on the schema."""
    return conn.execute("SELECT 1 FROM pg_catalog.pg_namespace WHERE nspname = %s", (SCHEMA,)).fetchone() is not None


def exists(conn: Connection, table: str = TABLE) -> bool:
    """Whether the database has a journal, or another table of memopt's own."""
    found = conn.execute(
        "SELECT 1 FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace "
        "WHERE n.nspname = %s AND c.relname = %s AND c.relkind IN ('r', 'p')",
        (SCHEMA, table),
    )
    return found.fetchone() is not None


def make(conn: Connection) -> None:
    """Make schema and tables where they are missing, inside the caller's transaction."""
    there = conn.execute(
        "SELECT count(*) FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace "
        "WHERE n.nspname = %s AND c.relname IN (%s, %s) AND c.relkind IN ('r', 'p')",
        (SCHEMA, TABLE, SEEN),
    ).fetchone()
    if there == (2,):
        return
    conn.execute("SELECT pg_catalog.pg_advisory_xact_lock(%s)", (_MAKING,))
    # somebody else may have made them while we waited
    if not schema_exists(conn):  # IF NOT EXISTS would ask for the right to create one all the same
        conn.execute(f"CREATE SCHEMA {SCHEMA}")
    if not exists(conn):
        for statement in _CREATE:
            conn.execute(statement)
    if not exists(conn, SEEN):
        conn.execute(_CREATE_SEEN)


def tables_sql() -> str:
    """The statements that make the tables, for an administrator's script; those that are there stay as they are."""
    whole = ";\n".join((*_CREATE, _CREATE_SEEN)) + ";"
    return whole.replace("CREATE TABLE", "CREATE TABLE IF NOT EXISTS").replace("CREATE INDEX", "CREATE INDEX IF NOT EXISTS")


def write(conn: Connection, run: Run, edits: Sequence[Edit]) -> None:
    """Add a run, inside the caller's transaction; the table is made where there is none."""
    make(conn)
    row = entry_of(run, edits)
    sql = f"INSERT INTO {NAME} ({', '.join(row)}) VALUES ({', '.join(['%s'] * len(row))})"
    if conn.execute(sql, tuple(row.values())).rowcount != 1:
        raise StoreError(f"the journal ({NAME}) did not take the entry of run {run.run_id}; nothing was written")


def holds(conn: Connection, run_id: str) -> bool:
    """Whether the journal has a run of this id."""
    return conn.execute(f"SELECT 1 FROM {NAME} WHERE run_id = %s", (run_id,)).fetchone() is not None


def runs(conn: Connection, table: str, user_id: str | None = None) -> list[Run]:
    """The runs on a memory table, newest first; of one user where one is named."""
    if not exists(conn):
        return []
    where, values = "memory_table = %s", [table]
    if user_id is not None:
        where, values = f"{where} AND user_id = %s", [table, user_id]
    listed = [unpack_run(row) for row in conn.execute(f"SELECT {_RUN} FROM {NAME} WHERE {where} ORDER BY seq DESC", values)]
    undone_by: dict[str, str] = {}
    for run in reversed(listed):
        if run.undoes is not None:
            undone_by[run.undoes] = run.run_id
    return [replace(run, undone_by=undone_by.get(run.run_id)) for run in listed]


def last_run(conn: Connection, user_id: str | None, table: str, other_than: str | None) -> Run | None:
    """The newest run on a user that is not ``other_than``."""
    if not exists(conn):
        return None
    who, values = ("user_id IS NULL", [table]) if user_id is None else ("user_id = %s", [table, user_id])
    sql = f"SELECT {_RUN} FROM {NAME} WHERE memory_table = %s AND {who} AND run_id <> %s ORDER BY seq DESC LIMIT 1"
    row = conn.execute(sql, [*values, other_than or ""]).fetchone()
    return None if row is None else unpack_run(row)


def days(conn: Connection, table: str, encoding: str, most: int) -> list[Day]:
    """See ``MemoryStore.days``. Entries are fetched as they are wanted."""
    if not exists(conn):
        return []
    with conn.cursor("memopt_days") as cursor:
        cursor.execute(f"SELECT at::text, about FROM {NAME} WHERE memory_table = %s ORDER BY seq DESC", (table,))
        return days_of((figures_of(*row) for row in cursor), encoding, most)


def rewrites(conn: Connection, user_id: str | None, table: str) -> dict[str, int]:
    """For each memory of a user that a model wrote, how often what it says was rewritten, as the newest run of it tells."""
    out: dict[str, int] = {}
    if not exists(conn):
        return out
    sql = f"SELECT about FROM {NAME} WHERE memory_table = %s AND {{}} AND about NOT LIKE %s ORDER BY seq"
    values = (table, '%"rewritten":{}%')
    for (about,) in (
        conn.execute(sql.format("user_id IS NULL"), values)
        if user_id is None
        else conn.execute(sql.format("user_id = %s"), (table, user_id, values[1]))
    ):
        out.update(json.loads(about).get("rewritten", {}))
    return out


def load(conn: Connection, run_id: str | None, table: str) -> tuple[Run, list[Edit]]:
    """A run with its rows; the latest of the table where none is named, and any unambiguous beginning of an id will do.

    Raises:
        UsageError: no such run.
    """
    found: list[Run] = []
    if exists(conn):
        latest = f"SELECT {_RUN} FROM {NAME} WHERE memory_table = %s ORDER BY seq DESC LIMIT 8"
        if run_id is not None:
            named = f"SELECT {_RUN} FROM {NAME} WHERE starts_with(run_id, %s) ORDER BY run_id <> %s, seq DESC LIMIT 9"
            found = [unpack_run(row) for row in conn.execute(named, (run_id, run_id))] if run_id else []
        found = found or [unpack_run(row) for row in conn.execute(latest, (table,))]
    run = choose(found, run_id)
    row = conn.execute(f"SELECT rows FROM {NAME} WHERE run_id = %s", (run.run_id,)).fetchone()
    assert row is not None
    undone = conn.execute(f"SELECT run_id FROM {NAME} WHERE undoes = %s ORDER BY seq DESC LIMIT 1", (run.run_id,)).fetchone()
    return replace(run, undone_by=undone[0] if undone else None), unpack_edits(row[0])


def prune(conn: Connection, table: str, *, keep: int | None, before: int | float | None) -> int:
    """Drop the runs on a table that every given limit lets go, inside the caller's transaction. Returns how many."""
    if keep is not None and keep < 0:
        raise UsageError(f"how many runs to keep is a number from 0 on, not {keep}")
    if keep is None and before is None:
        raise UsageError("say what to prune: how many runs to keep, or how old they must be")
    where, values = ["memory_table = %s"], [table]
    if keep is not None:
        where.append(f"seq <= (SELECT seq FROM {NAME} WHERE memory_table = %s ORDER BY seq DESC OFFSET %s LIMIT 1)")
        values += [table, str(keep)]
    if before is not None:
        where.append("at < to_timestamp(%s::float8)")
        values.append(repr(float(before)))
    return conn.execute(f"DELETE FROM {NAME} WHERE {' AND '.join(where)}", values).rowcount


def erase(conn: Connection, user_id: str | None, table: str, what: Erasing) -> int:
    """Erase rows from a user's earlier entries, inside the caller's transaction (see ``journal.erased_entry``).

    Returns:
        How many rows were erased now.
    """
    if not exists(conn):
        return 0
    count = 0
    for seq in _entries(conn, user_id, table):  # one entry at a time: an entry holds every row of its run
        entry = conn.execute(f"SELECT about, rows FROM {NAME} WHERE seq = %s FOR UPDATE", (seq,)).fetchone()
        found = None if entry is None else erased_entry(*entry, what=what)
        if found is not None:
            about, rows, format_, more = found
            conn.execute(f"UPDATE {NAME} SET about = %s, rows = %s, format = %s WHERE seq = %s", (about, rows, format_, seq))
            count += more
    return count


def telling(conn: Connection, user_id: str | None, table: str, tells: Callable[[object], bool]) -> int:
    """How many of a user's entries hold a text, in whatever column."""
    if not exists(conn):
        return 0
    sql = f"SELECT about, rows FROM {NAME} WHERE seq = %s"
    return sum(any(map(tells, conn.execute(sql, (seq,)).fetchone() or ())) for seq in _entries(conn, user_id, table))


def _entries(conn: Connection, user_id: str | None, table: str) -> list[int]:
    sql = f"SELECT seq FROM {NAME} WHERE memory_table = %s AND user_id IS NOT DISTINCT FROM %s ORDER BY seq"
    return [row[0] for row in conn.execute(sql, (table, user_id)).fetchall()]

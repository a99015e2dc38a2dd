"""What Postgres tells of a memory table: its size, how much of it is dead, Agno's version table, memopt's own tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from memopt.memory import to_epoch
from memopt.stores import journal_postgres as journal
from memopt.stores.base import Inspection, OwnTable
from memopt.stores.inspect_sqlite import VERSIONS
from memopt.stores.postgres import quote_name

if TYPE_CHECKING:
    from memopt.stores.postgres import Connection

# With partitions and heirs, where there are some. Dead rows are an estimate of the server's statistics.
_SIZE = """
WITH RECURSIVE family(oid) AS (
  SELECT %s::oid UNION SELECT i.inhrelid FROM pg_catalog.pg_inherits i JOIN family f ON i.inhparent = f.oid)
SELECT sum(pg_catalog.pg_total_relation_size(f.oid))::bigint,
       sum(pg_catalog.pg_table_size(f.oid) * coalesce(s.n_dead_tup::float8 / nullif(s.n_live_tup + s.n_dead_tup, 0), 0))::bigint
FROM family f LEFT JOIN pg_catalog.pg_stat_all_tables s ON s.relid = f.oid
"""
_READABLE = """
SELECT bool_and(pg_catalog.has_schema_privilege(n.oid, 'USAGE') AND pg_catalog.has_table_privilege(c.oid, 'SELECT'))
FROM pg_catalog.pg_class c
JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
WHERE n.nspname = %s AND c.relname = %s AND c.relkind IN ('r', 'p') AND a.attname = ANY(%s)
HAVING count(*) = %s
"""


def inspect(conn: Connection, schema: str, table: str, oid: int, missing: Sequence[str]) -> Inspection:
    """Look at a table in a transaction that only reads. What the role may not read is left out."""
    size, free = conn.execute(_SIZE, (oid,)).fetchone() or (None, None)
    return Inspection(
        version=_version(conn, schema, table),
        missing=tuple(missing),
        size=size,
        free=free,
        journal=_own(conn, journal.TABLE),
        seen=_own(conn, journal.SEEN),
    )


def _readable(conn: Connection, schema: str, table: str, columns: Sequence[str]) -> bool:
    return conn.execute(_READABLE, (schema, table, list(columns), len(columns))).fetchone() == (True,)


def _version(conn: Connection, schema: str, table: str) -> str | None:
    if not _readable(conn, schema, VERSIONS, ("table_name", "version")):
        return None
    sql = f"SELECT version::text FROM {quote_name(schema)}.{quote_name(VERSIONS)} WHERE table_name = %s"
    row = conn.execute(sql, (table,)).fetchone()
    return None if row is None else row[0]


def _own(conn: Connection, table: str) -> OwnTable | None:
    if not _readable(conn, journal.SCHEMA, table, ("at",)):
        return None
    name = f"{journal.SCHEMA}.{table}"
    row = conn.execute(
        f"SELECT count(*), pg_catalog.pg_total_relation_size(%s::regclass), min(at)::text FROM {name}", (name,)
    ).fetchone()
    assert row is not None
    return OwnTable(row[0], row[1], to_epoch(row[2]))

"""The queue's tables, in memopt's own schema: procrastinate's, as it brings them, and memopt's beside them.

| table | what is in it |
| --- | --- |
| ``procrastinate_jobs`` and the other ``procrastinate_*`` | the engine's |
| ``queue_version`` | one row: the format of memopt's part, and the version of procrastinate that brought its part |
| ``queue_recipes`` | what is to be done, once for all jobs of it (``recipe.Recipe.to_json``) |
| ``queue_notes`` | how each job ended, or why it waits for another try; goes with its job |

Two indexes are memopt's: one on the lock of waiting and running jobs, without which the engine reads all of them for every job
that it hands out, and one on the queueing lock of failed ones.

Which functions and types of the engine's are needed is read out of its own queries, so that tables of an older or newer
procrastinate are found whatever its version is called.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from memopt.errors import StoreError, UsageError
from memopt.stores import journal_postgres as journal
from memopt.stores.journal_postgres import SCHEMA, schema_exists
from memopt.stores.postgres import as_typed

if TYPE_CHECKING:
    from memopt.stores.postgres import Connection

FORMAT = 1
JOBS, EVENTS, WORKERS = "procrastinate_jobs", "procrastinate_events", "procrastinate_workers"
VERSION, RECIPES, NOTES = "queue_version", "queue_recipes", "queue_notes"
SEARCH_PATH = f"SET LOCAL search_path = {SCHEMA}"

_MAKING = 0x6D656D71  # advisory lock of whoever makes the tables; the number is of no meaning
_ENGINE_MISSING = "the queue needs procrastinate: pip install 'memopt[queue]'"
_USED = (JOBS, EVENTS, WORKERS, VERSION, RECIPES, NOTES)
_QUERIES = (
    "defer_jobs",
    "fetch_job",
    "finish_job",
    "retry_job",
    "select_stalled_jobs_by_heartbeat",
    "register_worker",
    "unregister_worker",
    "update_heartbeat",
    "prune_stalled_workers",
    "list_jobs_to_abort",
)

_OWN = f"""
CREATE TABLE {VERSION} (format integer NOT NULL, engine text NOT NULL, made_at timestamptz NOT NULL DEFAULT now());
CREATE TABLE {RECIPES} (id text PRIMARY KEY, queue text NOT NULL, label text NOT NULL, recipe text NOT NULL,
  made_at timestamptz NOT NULL DEFAULT now());
CREATE TABLE {NOTES} (job_id bigint PRIMARY KEY REFERENCES {JOBS} (id) ON DELETE CASCADE, queue text NOT NULL,
  at timestamptz NOT NULL DEFAULT now(), status text NOT NULL, kind text, message text, run text,
  tokens_before bigint, tokens_after bigint);
CREATE INDEX queue_notes_at ON {NOTES} (at);
CREATE INDEX queue_jobs_lock ON {JOBS} (lock) WHERE status IN ('todo', 'doing');
CREATE INDEX queue_jobs_failed ON {JOBS} (queueing_lock) WHERE status = 'failed';
"""


def engine() -> Any:
    """The module procrastinate. Raises UsageError where it is not installed."""
    try:
        import procrastinate
        import psycopg_pool  # noqa: F401 - procrastinate needs it where psycopg is the connector
    except ImportError as error:
        if error.name not in (None, "procrastinate", "psycopg_pool", "psycopg"):
            raise
        raise UsageError(_ENGINE_MISSING) from None
    return procrastinate


def engine_version() -> str:
    """The version of procrastinate that is installed."""
    from importlib.metadata import version

    return version("procrastinate")


def tables_sql() -> str:
    """The statements that make the tables, for a search path that leads to the schema alone."""
    engine()
    from procrastinate.schema import SchemaManager

    version = engine_version().replace("'", "")
    own = f"{_OWN}INSERT INTO {VERSION} (format, engine) VALUES ({FORMAT}, '{version}');\n"
    return f"{SchemaManager.get_schema()}\n-- memopt's own\n{own}"


def init_sql(role: str | None = None) -> str:
    """A script for an administrator, to be run once as the owner of the database or the schema: the queue and the journal.

    Args:
        role: the role of those who enqueue and work; None: a placeholder stands for it.
    """
    who = "memopt_writer" if role is None else as_typed(role)
    return (
        f"-- memopt's queue: procrastinate {engine_version()} in the schema {SCHEMA}.\n"
        "-- Run it once: psql -v ON_ERROR_STOP=1 -f FILE\n"
        f"BEGIN;\nCREATE SCHEMA IF NOT EXISTS {SCHEMA};\n{SEARCH_PATH};\n{tables_sql()}\n"
        f"-- memopt's journal and its notes on runs over many users\n{journal.tables_sql()}\n\n"
        f"{grants_sql(who)}\n"
        f"GRANT SELECT, INSERT, UPDATE, DELETE ON {journal.NAME}, {journal.SEEN_NAME} TO {who};\nCOMMIT;\n"
    )


def grants_sql(role: str) -> str:
    """What the role of those who enqueue and work needs."""
    tables = ", ".join(f"{SCHEMA}.{name}" for name in _USED)
    return (
        f"GRANT USAGE ON SCHEMA {SCHEMA} TO {role};\n"
        f"GRANT SELECT, INSERT, UPDATE, DELETE ON {tables}, {SCHEMA}.procrastinate_periodic_defers TO {role};\n"
        f"GRANT USAGE ON ALL SEQUENCES IN SCHEMA {SCHEMA} TO {role};"
    )


def is_there(conn: Connection) -> bool:
    """Whether the tables were made. Anybody may ask the catalog."""
    found = conn.execute(
        "SELECT count(*) FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace "
        "WHERE n.nspname = %s AND c.relname = ANY(%s)",
        (SCHEMA, [JOBS, VERSION]),
    ).fetchone()
    return found == (2,)


def make(conn: Connection, where: str, role: str, database: str) -> None:
    """Make schema and tables where they are missing, inside the caller's transaction.

    Raises:
        StoreError: the role may not; it says what an administrator can do.
    """
    if is_there(conn):
        return
    conn.execute("SELECT pg_catalog.pg_advisory_xact_lock(%s)", (_MAKING,))
    if is_there(conn):  # somebody else made them while we waited
        return
    exists = schema_exists(conn)
    asked = (
        conn.execute(
            "SELECT pg_catalog.has_schema_privilege(%s, 'USAGE') AND pg_catalog.has_schema_privilege(%s, 'CREATE')",
            (SCHEMA, SCHEMA),
        )
        if exists
        else conn.execute("SELECT pg_catalog.has_database_privilege(pg_catalog.current_database(), 'CREATE')")
    )
    if asked.fetchone() != (True,):
        what = f"USAGE, CREATE ON SCHEMA {SCHEMA}" if exists else f"CREATE ON DATABASE {as_typed(database)}"
        raise StoreError(
            f"{where}: the role {as_typed(role)} may not make the queue's tables; let an owner run "
            f"GRANT {what} TO {as_typed(role)}, or the script that memopt jobs --init-sql prints"
        )
    if not exists:
        conn.execute(f"CREATE SCHEMA {SCHEMA}")
    conn.execute(SEARCH_PATH)
    conn.execute(tables_sql().encode())


def check(conn: Connection, where: str, role: str, *, write: bool = True) -> None:
    """Look whether the tables are there, of this format, fit for the engine that is installed, and may be used by this role.

    Raises:
        UsageError: procrastinate is not installed.
        StoreError: any of that is not so; it says what to do.
    """
    engine()
    if not is_there(conn):
        raise StoreError(
            f"{where} has no queue yet: memopt enqueue makes it at its first use, or an owner runs what memopt jobs --init-sql "
            "prints"
        )
    missing = _missing_rights(conn, role, write)
    if missing:
        raise StoreError(f"{where}: the role {as_typed(role)} lacks rights on the queue; let an owner run: {missing}")
    found = conn.execute(f"SELECT format, engine FROM {SCHEMA}.{VERSION}").fetchone()
    made_format, made_by = found or (None, "?")
    if made_format != FORMAT:
        raise StoreError(
            f"{where}: the queue is of format {made_format} and this memopt knows {FORMAT}; use the memopt that made it, or "
            f"empty the queue there and drop the tables {SCHEMA}.procrastinate_* and {SCHEMA}.queue_*"
        )
    lacking = _lacking(conn)
    if lacking:
        raise StoreError(
            f"{where}: the queue's tables were made by procrastinate {made_by}, and procrastinate {engine_version()} is "
            f"installed, which needs {', '.join(lacking)}: install procrastinate {made_by}, or run procrastinate's migrations in "
            f"the schema {SCHEMA} (SET search_path = {SCHEMA})"
        )


def _missing_rights(conn: Connection, role: str, write: bool) -> str | None:
    row = conn.execute(
        "SELECT pg_catalog.has_schema_privilege(%s, 'USAGE'), bool_and(pg_catalog.has_table_privilege(c.oid, 'SELECT')), "
        "bool_and(pg_catalog.has_table_privilege(c.oid, 'INSERT') AND pg_catalog.has_table_privilege(c.oid, 'UPDATE') "
        "AND pg_catalog.has_table_privilege(c.oid, 'DELETE')) "
        "FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace "
        "WHERE n.nspname = %s AND c.relname = ANY(%s)",
        (SCHEMA, SCHEMA, list(_USED)),
    ).fetchone()
    if row is not None and all(row if write else row[:2]):
        return None
    who = as_typed(role)
    if write:
        return " ".join(grants_sql(who).split())
    return f"GRANT USAGE ON SCHEMA {SCHEMA} TO {who}; GRANT SELECT ON {', '.join(f'{SCHEMA}.{name}' for name in _USED)} TO {who};"


def _lacking(conn: Connection) -> list[str]:
    from procrastinate import sql

    text = " ".join(str(sql.queries[name]) for name in _QUERIES)
    needed = set(re.findall(r"\bprocrastinate_\w+", text))
    there = {
        row[0]
        for row in conn.execute(
            "SELECT p.proname FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace "
            "WHERE n.nspname = %s UNION SELECT t.typname FROM pg_catalog.pg_type t "
            "JOIN pg_catalog.pg_namespace n ON n.oid = t.typnamespace WHERE n.nspname = %s",
            (SCHEMA, SCHEMA),
        )
    }
    return sorted(needed - there)

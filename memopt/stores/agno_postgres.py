"""Agno's user memories in Postgres: the tables of Agno's ``PostgresDb`` (schema ``ai`` unless told otherwise), 2.0 to 3.x.

Columns as in SQLite (see ``agno_sqlite``), with ``memory`` and ``topics`` of the type JSONB, or JSON before Agno 2.3
(``agno/db/postgres/schemas.py``). Every value is read as the text that Postgres writes for it, and written back as that text, by
the column's own type. So a row comes back exactly, whatever types a table has: JSON keeps its blanks, JSONB is the same value,
JSON's ``null`` stays apart from NULL. What cannot come back is the place of a row in the table's file (``ctid``): a row gets a
new one whenever it is written. Agno reads without ORDER BY and mostly gets that order; memopt reads by ``created_at``, then
``memory_id``.

One apply is one transaction: an advisory lock on the user, so that two memopts never work on one user at the same moment; the
rows of the plan ``FOR UPDATE``, so that the agent cannot change them any more; compare, write, journal, commit.
"""

from __future__ import annotations

import json
import re
import secrets
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from copy import copy
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

from memopt.errors import ConflictError, MemoptError, StoreError, UsageError
from memopt.memory import UserMemory, iso_utc
from memopt.plan import Plan, StoreRef, plan_digest
from memopt.stores import agno_rows as agno
from memopt.stores import journal_postgres as journal
from memopt.stores import seen_postgres as seen
from memopt.stores.base import (
    Capabilities,
    CountFigures,
    Erasure,
    Inspection,
    Mark,
    MemoryStore,
    OnConflict,
    Purged,
    RunChange,
    Seen,
    Snapshot,
)
from memopt.stores.claims_postgres import Claims
from memopt.stores.journal import Day, Edit, RowState, Run, erased
from memopt.stores.postgres import INSUFFICIENT_PRIVILEGE, Server, as_typed, lock_number, quote_name, read_address

if TYPE_CHECKING:
    import psycopg

    from memopt.stores.postgres import Connection

KIND = "agno-postgres"
DEFAULT_SCHEMA = "ai"

_TEXT_TYPES = ("text", "character varying", "character", "citext", "name")
_NUMBER_TYPES = ("bigint", "integer", "smallint", "numeric", "double precision", "real")
_AT_A_TIME = 2_000  # rows of a stream that are fetched in one round trip

_COLUMNS = """
SELECT n.nspname, c.relname, c.oid::bigint, a.attname, pg_catalog.format_type(a.atttypid, a.atttypmod),
       a.attgenerated <> '', a.attidentity <> '', pg_catalog.has_table_privilege(c.oid, 'SELECT')
FROM pg_catalog.pg_class c
JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition
  AND n.nspname NOT IN ('pg_catalog', 'information_schema') AND n.nspname !~ '^pg_(toast|temp)'
  AND {which}
ORDER BY n.nspname, c.relname, a.attnum
"""
_MAY_BE_MEMORIES = """
2 = (SELECT count(*) FROM pg_catalog.pg_attribute m WHERE m.attrelid = c.oid AND m.attname IN ('memory', 'user_id')
     AND m.attnum > 0 AND NOT m.attisdropped)
"""
# The table with its partitions and heirs, since rows are counted where they lie.
_FAMILY = """
WITH RECURSIVE family(oid) AS (
  SELECT %s::oid UNION SELECT i.inhrelid FROM pg_catalog.pg_inherits i JOIN family f ON i.inhparent = f.oid)
"""
_COUNTED = f"""{_FAMILY}
SELECT coalesce(sum(pg_catalog.pg_stat_get_xact_tuples_inserted(oid)), 0)::bigint,
       coalesce(sum(pg_catalog.pg_stat_get_xact_tuples_updated(oid)), 0)::bigint,
       coalesce(sum(pg_catalog.pg_stat_get_xact_tuples_deleted(oid)), 0)::bigint,
       pg_catalog.current_setting('track_counts')
FROM family
"""
# What hangs on the table: its triggers, and the tables whose rows would go or change with a row of it.
_HANGING = f"""{_FAMILY}
SELECT ARRAY(SELECT DISTINCT t.tgname::text FROM pg_catalog.pg_trigger t JOIN family f ON f.oid = t.tgrelid
             WHERE NOT t.tgisinternal AND t.tgenabled <> 'D' ORDER BY 1),
       ARRAY(SELECT DISTINCT k.conrelid::regclass::text FROM pg_catalog.pg_constraint k JOIN family f ON f.oid = k.confrelid
             WHERE k.contype = 'f' AND k.confdeltype IN ('c', 'n', 'd') ORDER BY 1)
"""
_RIGHTS = """
SELECT pg_catalog.has_schema_privilege(%(schema)s, 'USAGE'),
       pg_catalog.has_table_privilege(%(table)s::oid, 'SELECT'), pg_catalog.has_table_privilege(%(table)s::oid, 'INSERT'),
       pg_catalog.has_table_privilege(%(table)s::oid, 'UPDATE'), pg_catalog.has_table_privilege(%(table)s::oid, 'DELETE')
"""
_JOURNAL_RIGHTS = """
SELECT pg_catalog.has_database_privilege(pg_catalog.current_database(), 'CREATE'),
       pg_catalog.has_schema_privilege(n.oid, 'USAGE'), pg_catalog.has_schema_privilege(n.oid, 'CREATE'),
       pg_catalog.has_table_privilege(c.oid, 'SELECT'), pg_catalog.has_table_privilege(c.oid, 'INSERT'),
       pg_catalog.has_table_privilege(c.oid, 'UPDATE'), pg_catalog.has_table_privilege(c.oid, 'DELETE')
FROM (SELECT 1) AS one
LEFT JOIN pg_catalog.pg_namespace n ON n.nspname = %s
LEFT JOIN pg_catalog.pg_class c ON c.relnamespace = n.oid AND c.relname = %s AND c.relkind IN ('r', 'p')
"""


@dataclass(frozen=True, slots=True)
class Table:
    """The memory table.

    Attributes:
        oid: its number in the catalog.
        columns: the names of its stored (not generated) columns.
        types: their types, as SQL writes them, in the same order.
        identities: whether a column numbers rows by itself.
    """

    schema: str
    name: str
    oid: int
    columns: tuple[str, ...]
    types: tuple[str, ...]
    identities: bool = False

    @property
    def shown(self) -> str:
        """``schema.table``, as ``--table`` takes it."""
        return f"{as_typed(self.schema)}.{as_typed(self.name)}"

    @property
    def sql_name(self) -> str:
        return f"{quote_name(self.schema)}.{quote_name(self.name)}"

    def type_of(self, column: str) -> str:
        """The type of a column; an empty text where there is none."""
        return self.types[self.columns.index(column)] if column in self.columns else ""

    def is_text(self, column: str) -> bool:
        """Whether a column holds texts, so that it can be compared with one as it is."""
        return self.type_of(column).partition("(")[0] in _TEXT_TYPES

    def key(self, column: str) -> str:
        """A column as a text: as it is where it can be, so that its index serves."""
        return quote_name(column) if self.is_text(column) else f"{quote_name(column)}::text"

    @property
    def select(self) -> str:
        """``SELECT NULL, columns FROM table``: the rowid that Postgres does not have, and every value as a text."""
        return f"SELECT NULL, {', '.join(f'{quote_name(name)}::text' for name in self.columns)} FROM {self.sql_name}"

    @property
    def order(self) -> str:
        """The order of a user's memories. Agno names none; this one stays the same when rows are written."""
        first = next((quote_name(name) for name in ("created_at", "updated_at") if name in self.columns), None)
        return ", ".join(filter(None, (first, f'{self.key("memory_id")} COLLATE "C"')))


class AgnoPostgresStore(MemoryStore):
    """Agno's memory table in a Postgres database.

    Args:
        address: a URL (``postgresql://``, ``postgres://``, ``postgresql+driver://``) or a ``key=value`` text (``service=mem``).
        table: the table, as ``schema.table`` or by its name alone; needed where the database holds several memory tables.
        lock_timeout: how long to wait for another session's lock, seconds.

    Raises:
        UsageError: the address cannot be read, psycopg is not installed, the table is not there, or there are several and none
            was named.
        StoreError: the database cannot be reached or read, or holds no memory table.
    """

    capabilities: ClassVar[Capabilities] = Capabilities(purge=True)
    threads: ClassVar[int] = 8
    parallel: ClassVar[int] = 4

    def __init__(self, address: str, table: str | None = None, lock_timeout: float = 5.0) -> None:
        self.lock_timeout = lock_timeout
        self._claims: Claims | None = None
        self._moment = threading.local()
        self._server = Server(read_address(address), lock_timeout)
        try:
            with self._server.reading() as conn:
                self._table = self._find(conn, table)
                self._hidden = self._lacking(self._journal_grants(conn, write=False)) or ""
        except BaseException:
            self.close()
            raise

    def __repr__(self) -> str:
        return f"AgnoPostgresStore({self._server.where!r}, table={self._table.shown!r})"

    def close(self) -> None:
        """Close the connections that are kept. The store can still be used; it then opens new ones."""
        self._server.close()

    @property
    def ref(self) -> StoreRef:
        """Host, port and database as a URL without user, password and parameters, and ``schema.table``."""
        return StoreRef(KIND, self._server.where, self._table.shown)

    # -- finding the table ---------------------------------------------------------------------------------------------

    def _find(self, conn: Connection, wanted: str | None) -> Table:
        where = self._server.where
        found: list[Table] = []
        hidden: list[Table] = []
        old: list[str] = []
        others: list[str] = []
        for table, readable in _tables(conn):
            if agno.is_memory_table(table.columns):
                (found if readable else hidden).append(table)
            elif agno.is_of_agno_1(table.columns):
                old.append(table.shown)
            else:
                others.append(table.shown)
        # Tables that this role may not read are somebody else's, unless one of them is meant.
        if wanted is not None:
            named = [table for table in (*found, *hidden) if wanted in _names(table)]
            if len(named) > 1:
                named = [table for table in named if table.schema == DEFAULT_SCHEMA] or named
            if len(named) > 1:
                raise UsageError(
                    f"{where}: several schemas have a table {wanted!r} of memories: {_listed(named)}; say --table schema.table",
                    tables=[table.shown for table in named],
                )
            if not named:
                there = f"memory tables there: {_listed(found)}" if found else "it holds no memory table"
                what = "is not a table of Agno memories" if wanted in others else "is no table of Agno memories there"
                raise UsageError(f"{where}: {wanted!r} {what}; {there}")
            found = named
        elif not found:
            found = hidden
        if len(found) == 1:
            missing = self._lacking(self._table_grants(conn, found[0], write=False))
            if missing:  # a journal that is not for this role is no reason: memories can be looked at without it
                raise StoreError(missing)
            return found[0]
        if found:
            raise UsageError(
                f"{where} holds several memory tables: {_listed(found)}; say which with --table",
                tables=[table.shown for table in found],
            )
        if old:
            raise StoreError(f"{where} holds memories of Agno 1.x (table {', '.join(old)}); let Agno migrate them first")
        raise StoreError(
            f"{where} holds no table of Agno memories (memory_id, memory, user_id, topics) in any schema; Agno makes it at its "
            "first run, in the schema ai"
        )

    # -- rights --------------------------------------------------------------------------------------------------------

    def _missing_rights(self, conn: Connection, table: Table, *, write: bool, erasing: bool = False) -> str | None:
        """One line with the rights that the role lacks and the statements that give them; None where it lacks none."""
        return self._lacking(
            [
                *self._table_grants(conn, table, write=write),
                *self._journal_grants(conn, write=write, erasing=erasing),
            ]
        )

    def _lacking(self, grants: Sequence[str]) -> str | None:
        if not grants:
            return None
        role = as_typed(self._server.role)
        return f"{self._server.where}: the role {role} lacks rights; let an owner run: {'; '.join(grants)}"

    def _table_grants(self, conn: Connection, table: Table, *, write: bool) -> list[str]:
        """The statements that give what is missing on the memory table."""
        role = as_typed(self._server.role)
        row = conn.execute(_RIGHTS, {"schema": table.schema, "table": table.oid}).fetchone()
        assert row is not None
        grants: list[str] = []
        if not row[0]:
            grants.append(f"GRANT USAGE ON SCHEMA {as_typed(table.schema)} TO {role}")
        wanted = ("SELECT", "INSERT", "UPDATE", "DELETE") if write else ("SELECT",)
        lacking = [name for name, has in zip(wanted, row[1:], strict=False) if not has]
        if lacking:
            grants.append(f"GRANT {', '.join(lacking)} ON {table.shown} TO {role}")
        return grants

    def _journal_grants(self, conn: Connection, *, write: bool, erasing: bool = False) -> list[str]:
        """The statements that give what is missing on memopt's own schema and tables."""
        role = as_typed(self._server.role)
        grants: dict[str, None] = {}
        entries = ("SELECT", "INSERT", "UPDATE") if erasing else ("SELECT", "INSERT")
        for table, needed in ((journal.TABLE, entries), (journal.SEEN, ("SELECT", "INSERT", "UPDATE", "DELETE"))):
            row = conn.execute(_JOURNAL_RIGHTS, (journal.SCHEMA, table)).fetchone()
            assert row is not None
            create_schema, usage, create, *has = row
            if usage is None:  # no schema yet
                if create_schema or not write:
                    return []
                return [
                    f"GRANT CREATE ON DATABASE {as_typed(self._server.database)} TO {role} (for memopt's journal, or instead: "
                    f"CREATE SCHEMA {journal.SCHEMA} AUTHORIZATION {role})"
                ]
            if has[0] is None:  # no table yet
                if write and not (usage and create):
                    grants[f"GRANT USAGE, CREATE ON SCHEMA {journal.SCHEMA} TO {role}"] = None
                continue
            if not usage:
                grants[f"GRANT USAGE ON SCHEMA {journal.SCHEMA} TO {role}"] = None
            rights = dict(zip(("SELECT", "INSERT", "UPDATE", "DELETE"), has, strict=True))
            lacking = [name for name in needed if not rights[name] and (write or name == "SELECT")]
            if lacking:
                grants[f"GRANT {', '.join(lacking)} ON {journal.SCHEMA}.{table} TO {role}"] = None
        return list(grants)

    def _explained(self, error: MemoptError, *, erasing: bool = False) -> MemoptError:
        """An error for a missing right, with the statement that gives it. ``erasing``: entries of the journal too."""
        if getattr(error.__cause__, "sqlstate", None) != INSUFFICIENT_PRIVILEGE:
            return error
        with self._server.reading() as conn:
            missing = self._missing_rights(conn, self._table, write=True, erasing=erasing)
        return StoreError(f"{missing}. Nothing was written") if missing else error

    @property
    def journal_hidden(self) -> str:
        """See ``MemoryStore.journal_hidden``: as it was when the store was opened."""
        return self._hidden

    @contextmanager
    def _reading_journal(self) -> Iterator[Connection]:
        """A transaction for reading the journal. Raises StoreError, with what is missing, where the role may not."""
        if self._hidden:
            raise StoreError(self._hidden)
        with self._reading() as conn:
            yield conn

    # -- reading -------------------------------------------------------------------------------------------------------

    def read(self, user_id: str | None) -> Snapshot:
        """One user's memories, by date of creation."""
        table = self._table
        if not _can_be(user_id):
            return Snapshot(user_id, ())
        where, values = self._whose(user_id)
        with self._reading() as conn:
            rows = conn.execute(f"{table.select} WHERE {where} ORDER BY {table.order}", values).fetchall()
        return agno.snapshot(table.columns, user_id, self._of_user(user_id, rows))

    def read_each(self, user_ids: Sequence[str]) -> Iterator[Snapshot]:
        """See ``MemoryStore.read_each``: one statement for all of them."""
        table = self._table
        key = table.key("user_id")
        place = table.columns.index("user_id") + 1
        rows: dict[Any, list[tuple[Any, ...]]] = {user_id: [] for user_id in user_ids}
        with self._server.reading() as conn:
            wanted = [user_id for user_id in rows if _can_be(user_id)]
            for row in conn.execute(f"{table.select} WHERE {key} = ANY(%s) ORDER BY {table.order}", (wanted,)):
                if row[place] in rows:  # to the letter, as in ``_of_user``
                    rows[row[place]].append(row)
        return (agno.snapshot(table.columns, user_id, rows[user_id]) for user_id in user_ids)

    def snapshots(self) -> Iterator[Snapshot]:
        """Every user's memories, one user at a time, ordered by user id, as they were at one moment.

        The rows are fetched as they are wanted; the server sorts them.
        """
        table = self._table
        place = table.columns.index("user_id") + 1
        with self._server.reading() as conn, conn.cursor("memopt_users") as cursor:
            cursor.itersize = _AT_A_TIME
            # All rows are wanted, so the quickest way to all of them, not to the first.
            conn.execute("SET LOCAL cursor_tuple_fraction = 1.0")
            cursor.execute(f"{table.select} ORDER BY {self._by_user}, {table.order}", ())
            batch: list[Any] = []
            for row in cursor:
                if batch and batch[-1][place] != row[place]:
                    yield agno.snapshot(table.columns, agno.user_of(batch[-1][place]), batch)
                    batch = []
                batch.append(row)
            if batch:
                yield agno.snapshot(table.columns, agno.user_of(batch[-1][place]), batch)

    def user_ids(self) -> list[str | None]:
        """The users that have rows, in the order of ``snapshots``; None, for rows without a user, last."""
        return list(self.each_user_id())

    def each_user_id(self) -> Iterator[str | None]:
        """See ``MemoryStore.each_user_id``. They are fetched as they are wanted."""
        key = self._table.key("user_id")
        sql = f"SELECT DISTINCT {key} AS who FROM {self._table.sql_name} ORDER BY who"
        with self._server.reading() as conn, conn.cursor("memopt_ids") as cursor:
            cursor.itersize = _AT_A_TIME
            conn.execute("SET LOCAL cursor_tuple_fraction = 1.0")
            cursor.execute(f"SELECT who::text FROM ({sql}) AS users", ())
            for row in cursor:
                yield agno.user_of(row[0])

    @contextmanager
    def at_once(self) -> Iterator[None]:
        """See ``MemoryStore.at_once``: one transaction of this thread's."""
        with self._reading() as conn:
            outer, self._moment.conn = getattr(self._moment, "conn", None), conn
            try:
                yield
            finally:
                self._moment.conn = outer

    def _reading(self) -> AbstractContextManager[Connection]:
        """A transaction for reading, or the one that this thread is in already."""
        conn: Connection | None = getattr(self._moment, "conn", None)
        return self._server.reading() if conn is None else nullcontext(conn)

    @property
    def _by_user(self) -> str:
        """The order of the index on user_id, so that it may serve; ids that its collation takes for equal stay apart."""
        key = self._table.key("user_id")
        return f'{key}, {key} COLLATE "C"'

    def _whose(self, user_id: str | None) -> tuple[str, tuple[str, ...]]:
        """A condition for the user's rows, in a form that an index serves."""
        key = self._table.key("user_id")
        return (f"{key} IS NULL", ()) if user_id is None else (f"{key} = %s", (user_id,))

    def _of_user(self, user_id: str | None, rows: Sequence[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
        """The rows whose user is this one to the letter: a column may be of a type or collation that takes others for equal."""
        place = self._table.columns.index("user_id") + 1
        return [row for row in rows if row[place] == user_id]

    def fingerprint(self, memory: UserMemory) -> str:
        """SHA-256 over the row's column names and values as texts, as JSON with the names sorted."""
        if not isinstance(memory.raw, RowState):
            raise TypeError("only a memory that this store read has a fingerprint")
        return agno.fingerprint(memory.raw)

    def storable(self, memory: UserMemory) -> UserMemory:
        """The memory as the columns can hold it.

        Fields without a column are None (Agno 2.0 to 2.2: created_at, feedback), times are whole seconds, and characters that
        Postgres refuses in JSONB and in texts are left out: NUL, and halves of surrogate pairs that have no other half.
        """
        table = self._table
        changes = agno.to_fit(memory, table.columns)
        for name in ("memory", "input", "feedback", "agent_id", "team_id"):
            value = getattr(memory, name)
            if isinstance(value, str) and name not in changes and table.type_of(name) != "json":
                clean = _without_refused(value, escaped=name != "memory")
                if clean != value:
                    changes[name] = clean
        if memory.topics is not None and table.type_of("topics") != "json":
            topics = tuple(_without_refused(topic, escaped=False) for topic in memory.topics)
            if topics != memory.topics:
                changes["topics"] = topics
        return memory.but(**changes) if changes else memory

    # -- looking after it ----------------------------------------------------------------------------------------------

    def stored_times(self, memory: UserMemory) -> Mapping[str, Any]:
        """See ``MemoryStore.stored_times``."""
        numbers = [name for name in ("created_at", "updated_at") if self._table.type_of(name).partition("(")[0] in _NUMBER_TYPES]
        return agno.stored_times(memory, numbers=numbers)

    def inspect(self, *, integrity: bool = False) -> Inspection:
        """See ``MemoryStore.inspect``. What a check of the pages finds is the server's own business (``data_checksums``)."""
        from memopt.stores.inspect_postgres import inspect

        table = self._table
        with self._server.reading() as conn:
            found = inspect(conn, table.schema, table.name, table.oid, agno.missing_columns(table.columns))
        return replace(found, hidden=self._hidden)

    # -- writing -------------------------------------------------------------------------------------------------------

    def check_writable(self) -> None:
        """Look at the rights, begin to write, take the lock on the table that writers take, and give it back."""
        with self._server.writing(commit=False) as conn:
            if conn.execute("SELECT pg_catalog.current_setting('transaction_read_only')").fetchone() == ("on",):
                raise StoreError(
                    f"{self._server.where} can only be read (a standby server, or default_transaction_read_only is on)"
                )
            # A run over many users looked at the rights when it began.
            missing = self._missing_rights(conn, self._table, write=True) if self._claims is None else None
            if missing:
                raise StoreError(missing)
            self._lock_table(conn)

    def _lock_table(self, conn: Connection) -> None:
        """Keep migrations away until the transaction ends; readers and other writers are not kept waiting."""
        conn.execute(f"LOCK TABLE {self._table.sql_name} IN ROW EXCLUSIVE MODE", ())

    def _lock_user(self, conn: Connection, user_id: str | None) -> None:
        """The advisory lock on table and user, until the transaction ends."""
        conn.execute("SELECT pg_catalog.pg_advisory_xact_lock(%s)", (lock_number("apply", self._table.shown, user_id),))

    def apply(self, plan: Plan, *, on_conflict: OnConflict = "stop", count: CountFigures | None = None) -> Run:
        """See ``MemoryStore.apply``."""
        return self._apply(plan, on_conflict, count, None)[0]

    def purge(
        self, plan: Plan, erasure: Erasure, *, on_conflict: OnConflict = "stop", count: CountFigures | None = None
    ) -> Purged:
        """See ``MemoryStore.purge``. What a client cannot erase in a Postgres is always among what is left."""
        from memopt.stores.erase_postgres import left

        run, journal_rows = self._apply(plan, on_conflict, count, erasure)
        where, values = self._whose(plan.user_id)
        with self._server.reading() as conn:
            rows = conn.execute(f"{self._table.select} WHERE {where}", values).fetchall()
            told = tuple(left(conn, self._table.shown, plan.user_id, rows, erasure.needles))
        return Purged(run if plan.has_changes else None, journal_rows, told)

    def _apply(self, plan: Plan, on_conflict: OnConflict, count: CountFigures | None, erasure: Erasure | None) -> tuple[Run, int]:
        """Write the plan; with an erasure, also leave nothing of what it removes in the journal. One transaction."""
        agno.same_store(plan, self.ref)
        journal_rows = 0
        try:
            with self._server.writing() as conn:
                self._lock_user(conn, plan.user_id)
                self._same_table(conn)
                rows = self._rows(conn, plan.user_id, agno.ids_to_compare(plan), lock=True)
                edits, skipped = agno.edits_of(plan, self._table.columns, rows, on_conflict, self._encode)
                run = agno.run_of(plan, skipped, count, _new_run_id(conn), self._table.shown, time.time())
                if erasure is not None:
                    run = replace(run, erased=len(edits))
                    journal_rows = journal.erase(conn, plan.user_id, self._table.shown, agno.erasing(erasure))
                state = None
                if plan.recipe is not None:  # before anything is written: what was kept must still be what was seen
                    state = agno.expected_rows(plan, skipped, edits, lambda: self._all_rows(conn, plan.user_id))
                written = self._write(conn, plan.user_id, edits, run) if edits else []
                if plan.recipe is not None:
                    left = "" if state is None else agno.state_of((*state, *(edit.after for edit in written)))
                    mark = Mark(plan.user_id, plan.recipe, left)
                    seen.note(conn, self._table.shown, [(mark, plan_digest(plan))], time.time())
        except StoreError as error:
            raise self._explained(error, erasing=erasure is not None) from error.__cause__
        return run, journal_rows

    # -- runs over many users ------------------------------------------------------------------------------------------

    @contextmanager
    def fleet(self, *, write: bool) -> Iterator[MemoryStore]:
        """See ``MemoryStore.fleet``: users can be claimed where something is to be written. Connections are kept anyway."""
        store = copy(self)
        if not write:
            yield store
            return
        self.check_writable()
        store._claims = Claims(self._server, self._table.shown)
        try:
            yield store
        finally:
            store._claims.close()

    def claim(self, user_id: str | None) -> bool:
        """See ``MemoryStore.claim``. Every machine that works on this database sees the claim."""
        return self._claims is None or self._claims.take(user_id)

    def release(self, user_id: str | None) -> None:
        """See ``MemoryStore.release``."""
        if self._claims is not None:
            self._claims.give(user_id)

    def state(self, memories: Iterable[UserMemory]) -> str:
        """See ``MemoryStore.state``: a digest of the rows."""
        return agno.state_of(item.raw for item in memories)

    def seen(self, user_id: str | None, recipe: str) -> Seen | None:
        """See ``MemoryStore.seen``."""
        if not _can_be(user_id):
            return None
        with self._reading_journal() as conn:
            return seen.look_up(conn, self._table.shown, user_id, recipe)

    def seen_of(self, user_ids: Sequence[str], recipe: str) -> dict[str, Seen]:
        """See ``MemoryStore.seen_of``: one statement for all of them."""
        with self._reading_journal() as conn:
            return seen.look_up_all(conn, self._table.shown, [user_id for user_id in user_ids if _can_be(user_id)], recipe)

    def mark(self, marks: Sequence[Mark]) -> None:
        """See ``MemoryStore.mark``."""
        if marks:
            try:
                with self._server.writing() as conn:
                    seen.note(conn, self._table.shown, [(mark, None) for mark in marks], time.time())
            except StoreError as error:
                raise self._explained(error) from error.__cause__

    # -- taking back, and the journal ----------------------------------------------------------------------------------

    def undo(self, run_id: str | None = None, *, on_conflict: OnConflict = "stop", now: int | float) -> Run:
        """See ``MemoryStore.undo``."""
        try:
            with self._reading_journal() as conn:
                old = journal.load(conn, run_id, self._table.shown)[0]  # an unknown run needs no lock to be refused
            with self._server.writing() as conn:
                if old.table != self._table.shown:
                    raise UsageError(f"run {old.run_id} changed the table {old.table}; say --table {old.table}")
                self._lock_user(conn, old.user_id)
                self._same_table(conn)
                # the latest run may be another one by now; what was looked up is what is meant
                old, done = journal.load(conn, old.run_id, self._table.shown)
                gone, done = agno.without_erased(old, done, on_conflict)
                edits = [edit.inverse() for edit in reversed(done)]
                rows = self._rows(conn, old.user_id, {edit.memory_id for edit in edits}, lock=True)
                edits, skipped = agno.still_undoable(old, edits, rows, on_conflict, gone)
                run = agno.undo_run_of(old, edits, skipped, _new_run_id(conn), now)
                if edits:
                    self._write(conn, old.user_id, edits, run)
        except StoreError as error:
            raise self._explained(error) from error.__cause__
        return run

    def rewrites(self, user_id: str | None) -> dict[str, int]:
        """See ``MemoryStore.rewrites``."""
        if not _can_be(user_id):
            return {}
        with self._reading_journal() as conn:
            return journal.rewrites(conn, user_id, self._table.shown)

    def last_run(self, user_id: str | None, *, other_than: str | None = None) -> Run | None:
        """See ``MemoryStore.last_run``."""
        if not _can_be(user_id):
            return None
        with self._reading_journal() as conn:
            return journal.last_run(conn, user_id, self._table.shown, other_than)

    def days(self, encoding: str, most: int) -> list[Day]:
        """See ``MemoryStore.days``."""
        with self._reading_journal() as conn:
            return journal.days(conn, self._table.shown, encoding, most)

    def history(self, user_id: str | None = None) -> list[Run]:
        """The runs on this table in the journal, newest first."""
        if not _can_be(user_id):
            return []
        with self._reading_journal() as conn:
            return journal.runs(conn, self._table.shown, user_id)

    def changes(self, run_id: str) -> tuple[Run, list[RunChange]]:
        """See ``MemoryStore.changes``."""
        with self._reading_journal() as conn:
            run, edits = journal.load(conn, run_id, self._table.shown)
        return run, agno.told(edits)

    def prune(self, *, keep: int | None = None, before: int | float | None = None) -> int:
        """Drop old journal entries of this table; see ``MemoryStore.prune``."""
        with self._server.reading() as conn:
            if not journal.exists(conn):
                return 0
        try:
            with self._server.writing() as conn:
                return journal.prune(conn, self._table.shown, keep=keep, before=before)
        except StoreError as error:
            if getattr(error.__cause__, "sqlstate", None) != INSUFFICIENT_PRIVILEGE:
                raise
            raise StoreError(
                f"{self._server.where}: the role {as_typed(self._server.role)} may not prune; let an owner run: "
                f"GRANT DELETE ON {journal.NAME} TO {as_typed(self._server.role)}"
            ) from error.__cause__

    def _same_table(self, conn: Connection) -> None:
        self._lock_table(conn)
        now = [table for table, _ in _tables(conn, self._table.oid)]
        if now != [self._table]:
            raise ConflictError(
                f"the table {self._table.shown} has other columns than when it was read (a migration ran); make the plan anew"
            )

    def _rows(self, conn: Connection, user_id: str | None, wanted: set[str], *, lock: bool) -> dict[str, RowState]:
        """The user's rows of these ids, as they are now; with ``lock``, nobody else changes them until the transaction ends."""
        table = self._table
        place = table.columns.index("memory_id") + 1
        where, values = self._whose(user_id)
        # in one order, so that two who lock the same rows do not wait for each other
        sql = f'{table.select} WHERE {where} AND {table.key("memory_id")} = ANY(%s) ORDER BY {table.key("memory_id")} COLLATE "C"'
        ids = [memory_id for memory_id in wanted if _can_be(memory_id)]
        found = conn.execute(f"{sql}{' FOR UPDATE' if lock else ''}", (*values, ids)).fetchall()
        return {
            row[place]: RowState(None, table.columns, row[1:]) for row in self._of_user(user_id, found) if row[place] in wanted
        }

    def _encode(self, name: str, value: Any) -> str | None:
        """A field's value as the text that its column takes."""
        if name in ("memory", "topics"):
            return json.dumps(list(value) if isinstance(value, tuple) else value)
        if name in ("created_at", "updated_at") and self._table.type_of(name).startswith(("timestamp", "date")):
            return iso_utc(value)
        return None if value is None else str(value)

    def _all_rows(self, conn: Connection, user_id: str | None) -> tuple[UserMemory, ...]:
        """The user's memories as they are now, inside the caller's transaction."""
        where, values = self._whose(user_id)
        found = conn.execute(f"{self._table.select} WHERE {where}", values).fetchall()
        return agno.snapshot(self._table.columns, user_id, self._of_user(user_id, found)).memories

    def _write(self, conn: Connection, user_id: str | None, edits: Sequence[Edit], run: Run) -> list[Edit]:
        """The one door through which rows are written, each statement with the user. Returns the edits as written."""
        import psycopg

        table = self._table
        whose, who = self._whose(user_id)
        where = f"WHERE {table.key('memory_id')} = %s AND {whose}"
        deletes = [edit.memory_id for edit in edits if edit.after is None]
        inserts: dict[tuple[str, ...], list[Edit]] = {}
        updates: dict[tuple[str, ...], list[Edit]] = {}
        for edit in edits:
            if edit.after is not None and edit.before is None:
                if edit.after.get("user_id") != user_id:
                    raise StoreError(f"the row {edit.memory_id} is not of the user it would be written for; nothing was written")
                inserts.setdefault(tuple(name for name in edit.after.columns if name in table.columns), []).append(edit)
            elif edit.after is not None:
                updates.setdefault(agno.changed_columns(edit, table.columns), []).append(edit)
        updates.pop((), None)
        found = conn.execute(_HANGING, (table.oid,)).fetchone()
        assert found is not None
        triggers, others = found
        if deletes and others:
            raise StoreError(
                f"{self._server.where}: deleting from {table.shown} would change rows of {', '.join(others)} with it "
                "(ON DELETE CASCADE or SET NULL), which memopt could not put back. Nothing was written"
            )
        before = self._counted(conn)
        try:
            if deletes:
                gone = conn.execute(
                    f"DELETE FROM {table.sql_name} WHERE {table.key('memory_id')} = ANY(%s) AND {whose}", (deletes, *who)
                )
                self._expect(gone.rowcount, len(deletes), "deleted", triggers)
            for names, group in updates.items():
                sets = ", ".join(f"{quote_name(name)} = %s" for name in names)
                values = [(*(_after(edit).get(name) for name in names), edit.memory_id, *who) for edit in group]
                self._expect(_many(conn, f"UPDATE {table.sql_name} SET {sets} {where}", values), len(group), "updated", triggers)
            for names, group in inserts.items():
                overriding = " OVERRIDING SYSTEM VALUE" if table.identities else ""
                sql = (
                    f"INSERT INTO {table.sql_name} ({', '.join(map(quote_name, names))}){overriding} "
                    f"VALUES ({', '.join(['%s'] * len(names))})"
                )
                values = [tuple(_after(edit).get(name) for name in names) for edit in group]
                self._expect(_many(conn, sql, values), len(group), "inserted", triggers)
            wanted = (sum(map(len, inserts.values())), sum(map(len, updates.values())), len(deletes))
            after = self._counted(conn)
            if before is not None and after is not None:
                for now, then, expected, what in zip(after, before, wanted, ("inserted", "updated", "deleted"), strict=True):
                    self._expect(now - then, expected, what, triggers)
            written = self._as_written(conn, user_id, edits, triggers)
            journal.write(conn, run, [erased(edit, agno.fingerprint) for edit in written] if run.erased else written)
            return written
        except psycopg.errors.UniqueViolation as error:
            if error.diag.table_name == journal.TABLE:
                raise
            raise ConflictError(
                f"{self._server.where}: an id that would be written is taken by a row that is not this user's "
                f"({error.diag.constraint_name}); nothing was written"
            ) from error
        except UnicodeEncodeError:
            raise StoreError(
                f"{self._server.where} cannot hold half of a surrogate pair in a text; nothing was written"
            ) from None
        except psycopg.Error as error:
            told = self._refused(error, triggers)
            if told is None:
                raise
            raise told from error

    def _as_written(self, conn: Connection, user_id: str | None, edits: Sequence[Edit], triggers: Sequence[str]) -> list[Edit]:
        """The edits with the rows that are now there: types, defaults and triggers have their say in what is stored.

        An undo compares with these, and takes nothing back that it does not find.
        """
        wanted = {edit.memory_id for edit in edits if edit.after is not None or triggers}
        rows = self._rows(conn, user_id, wanted, lock=False)
        for edit in edits:
            if edit.memory_id in wanted and (edit.after is None) != (edit.memory_id not in rows):
                what = "is still there after it was deleted" if edit.after is None else "is not there after it was written"
                raise StoreError(f"{self._server.where}: the row {edit.memory_id} {what}{_hint(triggers)}. Nothing was written")
        return [edit if edit.after is None else replace(edit, after=rows[edit.memory_id]) for edit in edits]

    def _counted(self, conn: Connection) -> tuple[int, int, int] | None:
        """Rows of the table that this session inserted, updated and deleted, whoever's they are, triggers' work included.

        None where the server does not count. The figures may hold earlier transactions' rows; their growth is this one's.
        """
        row = conn.execute(_COUNTED, (self._table.oid,)).fetchone()
        assert row is not None
        return (row[0], row[1], row[2]) if row[3] == "on" else None

    def _expect(self, actual: int, expected: int, what: str, triggers: Sequence[str]) -> None:
        if actual != expected:
            raise StoreError(
                f"{self._server.where}: {actual} rows would have been {what} instead of {expected}{_hint(triggers)}. "
                "Nothing was written"
            )

    def _refused(self, error: psycopg.Error, triggers: Sequence[str]) -> StoreError | None:
        """An error that a trigger may have raised, with the triggers' names."""
        if not triggers or (error.sqlstate or "08").startswith(("08", "25", "40", "42501", "53", "55", "57")):
            return None  # the connection, a lock, a right or the server itself
        from memopt.stores.postgres import one_line

        said = f"{self._server.where}: {one_line(error)}{_hint(triggers)}"
        return StoreError(f"{said}, and one of them may have refused this. Nothing was written")


def _tables(conn: Connection, oid: int | None = None) -> list[tuple[Table, bool]]:
    """The tables that may hold memories, or the one of this number, each with whether the role may read it."""
    which, values = (_MAY_BE_MEMORIES, None) if oid is None else ("c.oid = %s::oid", (oid,))
    found: dict[int, list[Any]] = {}
    for row in conn.execute(_COLUMNS.format(which=which), values):
        found.setdefault(row[2], []).append(row)
    out = []
    for rows in found.values():
        stored = [row for row in rows if not row[5]]
        schema, name, number, readable = rows[0][0], rows[0][1], rows[0][2], rows[0][7]
        columns, types = tuple(row[3] for row in stored), tuple(row[4] for row in stored)
        out.append((Table(schema, name, number, columns, types, any(row[6] for row in stored)), readable))
    return out


def _names(table: Table) -> set[str]:
    """What may be said to mean this table."""
    both = f"{quote_name(table.schema)}.{quote_name(table.name)}".replace("%%", "%")
    return {table.name, as_typed(table.name), table.shown, f"{table.schema}.{table.name}", both}


def _listed(tables: Sequence[Table]) -> str:
    return ", ".join(table.shown for table in tables)


def _new_run_id(conn: Connection) -> str:
    there = journal.exists(conn)
    while True:
        run_id = secrets.token_hex(4)
        if not there or not journal.holds(conn, run_id):
            return run_id


def _after(edit: Edit) -> RowState:
    assert edit.after is not None
    return edit.after


def _many(conn: Connection, sql: str, values: Sequence[tuple[Any, ...]]) -> int:
    """Run a statement for each tuple of values, without waiting for the answer to each. Returns how many rows it changed."""
    with conn.cursor() as cursor:
        cursor.executemany(sql, values)
        return cursor.rowcount


def _hint(triggers: Sequence[str]) -> str:
    return f"; the table has triggers of its own ({', '.join(triggers)})" if triggers else ""


def _can_be(text: str | None) -> bool:
    """Whether Postgres can hold a text at all."""
    return text is None or ("\0" not in text and not re.search("[\ud800-\udc7f\udd00-\udfff]", text))


def _without_refused(text: str, *, escaped: bool) -> str:
    """The text without NUL and lone surrogates; two halves that stand together are joined.

    Args:
        escaped: leave U+DC80 to U+DCFF alone, which stand for bytes of a database without an encoding.
    """
    if text.isascii():
        return text.replace("\0", "")
    text = text.replace("\0", "")
    if not re.search("[\ud800-\udc7f\udd00-\udfff]" if escaped else "[\ud800-\udfff]", text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "ignore")


__all__ = ["DEFAULT_SCHEMA", "KIND", "AgnoPostgresStore", "Table"]

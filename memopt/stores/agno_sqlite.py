"""Agno's user memories in an SQLite file: what Agno 2.0 to 3.x wrote, and files that Agno migrated.

The table is found by its columns and every column is addressed by name, because their order differs between a new table and a
migrated one, and because Agno 2.0 to 2.2 had neither ``created_at`` nor ``feedback``. Formats were observed on files that Agno
2.0.0, 2.3.0, 2.9.0 and 3.1.10 wrote (``agno/db/sqlite/schemas.py``):

==============  ====================================================================================================
column          what may be in it
==============  ====================================================================================================
memory          JSON text of a string, as Python's ``json.dumps`` writes it (ASCII only). After Agno's migration from 1.x the
                string is the repr of a dict that holds the text under ``memory``; a JSON object with such a key, JSON null
                and an empty string occur too.
topics          JSON text of a list of strings; None is stored as the text ``null``; SQL NULL and ``[]`` occur.
created_at,     epoch seconds as integer; 2.3.0 and 2.3.1 wrote ISO text; float and numeric text occur in rows of other
updated_at      writers. NULL is possible.
==============  ====================================================================================================

A row with anything else in ``memory`` or ``topics`` is unreadable: it is reported and never changed.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import sqlite3
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from copy import copy
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from memopt.errors import ConflictError, StoreError, StoreLocked, UsageError
from memopt.memory import UserMemory
from memopt.plan import Plan, StoreRef, Unreadable, plan_digest
from memopt.stores import agno_rows as agno
from memopt.stores import journal, seen
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
from memopt.stores.claims import Claims
from memopt.stores.journal import Day, Edit, RowState, Run
from memopt.stores.sqlite import Kept, fetch_all, quote_name, reading, resolve, writing

KIND = "agno-sqlite"

# Above this many rows to compare, one pass over the user's rows is quicker than a look-up for each.
_LOOK_UPS = 64


@dataclass(frozen=True, slots=True)
class Table:
    """The memory table.

    Attributes:
        columns: the names of its stored (not generated) columns.
        has_rowid: whether it has rowids.
        utf16: the codec of a file that holds its texts in UTF-16, else "". SQLite translates such texts and mends in silence what
            is malformed, so that their bytes are looked at as well.
    """

    name: str
    columns: tuple[str, ...]
    has_rowid: bool
    utf16: str = ""

    @property
    def sql_name(self) -> str:
        return quote_name(self.name)

    @property
    def select(self) -> str:
        """``SELECT rowid, columns FROM table``; of a file in UTF-16 each column's bytes as well, where it holds a text."""
        wanted = ["_rowid_" if self.has_rowid else "NULL", *map(quote_name, self.columns)]
        if self.utf16:
            wanted += [f"CASE WHEN typeof({name}) = 'text' THEN CAST({name} AS BLOB) END" for name in wanted[1:]]
        return f"SELECT {', '.join(wanted)} FROM {self.sql_name}"

    def state(self, row: tuple[Any, ...]) -> RowState:
        """A row that ``select`` gave."""
        return RowState(row[0], self.columns, row[1 : len(self.columns) + 1])

    def problem(self, row: tuple[Any, ...]) -> str | None:
        """What is malformed in a row of a file in UTF-16. It could not be put back as it is, in whatever column it stands."""
        own = len(self.columns) + 1
        for name, value, held in zip(self.columns, row[1:own], row[own:], strict=True):
            if held is not None and value.encode(self.utf16, "surrogatepass") != held:
                return f"{name} is not valid UTF-16"
        return None

    @property
    def order(self) -> str:
        """The order in which Agno reads a user's rows: it names none, and gets the rowid's."""
        return "ORDER BY _rowid_" if self.has_rowid else "ORDER BY memory_id"


@dataclass(frozen=True, slots=True)
class _Shape:
    """What the schema says that a transaction must know.

    Attributes:
        version: SQLite's number of the schema; another one after each change of it.
        columns: the names of the memory table's stored columns.
        triggers: the names of its triggers.
        own: which of memopt's own tables and indexes are there.
    """

    version: int
    columns: tuple[str, ...]
    triggers: tuple[str, ...]
    own: frozenset[str]

    @property
    def journal(self) -> bool:
        return journal.TABLE in self.own

    @property
    def journal_ready(self) -> bool:
        return {journal.TABLE, journal.USER_INDEX} <= self.own

    @property
    def seen(self) -> bool:
        return seen.TABLE in self.own


class AgnoSqliteStore(MemoryStore):
    """Agno's memory table in an SQLite file.

    Args:
        path: the file.
        table: the table's name, needed where the file holds several memory tables.
        lock_timeout: how long to wait for another process's lock, seconds.

    Raises:
        UsageError: the table is not there, or there are several and none was named.
        StoreError: the file is missing, is no SQLite database, or holds no memory table.
    """

    capabilities: ClassVar[Capabilities] = Capabilities(purge=True)

    def __init__(self, path: str | os.PathLike[str], table: str | None = None, lock_timeout: float = 5.0) -> None:
        self.path = resolve(path)
        self.lock_timeout = lock_timeout
        self._kept: Kept | None = None
        self._claims: Claims | None = None
        self._known_shape: _Shape | None = None
        with reading(self.path, lock_timeout) as conn:
            self._table = self._find(conn, table)

    @property
    def ref(self) -> StoreRef:
        """The file's resolved path and the table's name."""
        # Spelled the same under every locale, since a plan may be made at a terminal and applied by cron.
        location = os.fsencode(self.path).decode("utf-8", "surrogateescape")
        return StoreRef(KIND, location, self._table.name)

    # -- connections ---------------------------------------------------------------------------------------------------

    def _reading(self) -> AbstractContextManager[sqlite3.Connection]:
        return self._kept.reading() if self._kept is not None else reading(self.path, self.lock_timeout)

    def _writing(self, *, commit: bool = True, secure: bool = False) -> AbstractContextManager[sqlite3.Connection]:
        if self._kept is not None:
            return self._kept.writing(commit=commit, secure=secure)
        return writing(self.path, self.lock_timeout, commit=commit, secure=secure)

    @contextmanager
    def at_once(self) -> Iterator[None]:
        """See ``MemoryStore.at_once``; only within a block of ``fleet`` there is a connection that can be shared."""
        if self._kept is None:
            yield
            return
        with self._kept.reading():
            yield

    def _shape(self, conn: sqlite3.Connection) -> _Shape:
        """The schema as it is. In a run over many users it is looked at again only when its number is another.

        To be called before the transaction changes the schema itself: that may still be rolled back.
        """
        (version,) = conn.execute("PRAGMA schema_version").fetchone()
        if self._known_shape is not None and self._known_shape.version == version:
            return self._known_shape
        columns = tuple(row[1] for row in conn.execute("SELECT * FROM pragma_table_xinfo(?)", (self._table.name,)) if row[6] == 0)
        sql = "SELECT name FROM sqlite_master WHERE type = 'trigger' AND tbl_name = ? COLLATE NOCASE ORDER BY name"
        triggers = tuple(row[0] for row in conn.execute(sql, (self._table.name,)))
        names = (journal.TABLE, journal.USER_INDEX, seen.TABLE)
        own = conn.execute(f"SELECT name FROM sqlite_master WHERE name IN ({', '.join('?' * len(names))})", names)
        shape = _Shape(version, columns, triggers, frozenset(row[0] for row in own))
        self._known_shape = shape if self._kept is not None else None
        return shape

    @contextmanager
    def fleet(self, *, write: bool) -> Iterator[MemoryStore]:
        """See ``MemoryStore.fleet``: one connection is kept open, and users can be claimed where something is to be written."""
        store = copy(self)
        if write:
            self.check_writable()
        kept = store._kept = Kept(self.path, self.lock_timeout, write=write)
        try:
            store._claims = Claims(self.path, self._table.name) if write else None
            try:
                yield store
            finally:
                if store._claims is not None:
                    store._claims.close()
        finally:
            kept.close()

    def claim(self, user_id: str | None) -> bool:
        """See ``MemoryStore.claim``."""
        return self._claims is None or self._claims.take(user_id)

    def release(self, user_id: str | None) -> None:
        """See ``MemoryStore.release``."""
        if self._claims is not None:
            self._claims.give(user_id)

    # -- finding the table ---------------------------------------------------------------------------------------------

    def _find(self, conn: sqlite3.Connection, wanted: str | None) -> Table:
        names = [row[0] for row in conn.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")]
        (encoding,) = conn.execute("PRAGMA encoding").fetchone()
        utf16 = {"UTF-16le": "utf-16-le", "UTF-16be": "utf-16-be"}.get(encoding, "")
        found: dict[str, Table] = {}
        old: list[str] = []
        for name in names:
            # 2 and 3 mark generated columns, which nobody can write; 1 hides columns of virtual tables.
            try:
                columns = tuple(row[1] for row in conn.execute("SELECT * FROM pragma_table_xinfo(?)", (name,)) if row[6] == 0)
            except sqlite3.OperationalError as error:
                if "no such module" not in str(error):
                    raise
                continue  # a virtual table of an extension that is not loaded here, such as a vector index
            if agno.is_memory_table(columns):
                found[name] = Table(name, columns, _has_rowid(conn, name), utf16)
            elif agno.is_of_agno_1(columns):
                old.append(name)
        if wanted is not None:
            if wanted in found:
                return found[wanted]
            there = f"memory tables there: {', '.join(found)}" if found else "it holds no memory table"
            what = "is not a table of Agno memories" if wanted in names else "does not exist"
            raise UsageError(f"{self.path}: table {wanted!r} {what}; {there}")
        if len(found) == 1:
            return next(iter(found.values()))
        if found:
            raise UsageError(
                f"{self.path} holds several memory tables: {', '.join(found)}; say which with --table", tables=list(found)
            )
        if old:
            raise StoreError(f"{self.path} holds memories of Agno 1.x (table {', '.join(old)}); let Agno migrate the file first")
        there = f"its tables: {', '.join(names)}" if names else "it has no tables"
        raise StoreError(f"{self.path} holds no table of Agno memories (memory_id, memory, user_id, topics); {there}")

    # -- reading -------------------------------------------------------------------------------------------------------

    def read(self, user_id: str | None) -> Snapshot:
        """One user's memories, in the order in which Agno puts them into the prompt."""
        table = self._table
        try:
            bound = _bindable(user_id)
        except UnicodeEncodeError:
            return Snapshot(user_id, ())  # no file holds such an id
        sql = f"{table.select} WHERE user_id IS {_slot(user_id)} {table.order}"
        with self._reading() as conn:
            rows = fetch_all(conn, sql, (bound,))
        return self._snapshot(user_id, rows)

    def _snapshot(self, user_id: str | None, rows: Sequence[tuple[Any, ...]]) -> Snapshot:
        table = self._table
        if not table.utf16:
            return agno.snapshot(table.columns, user_id, rows)
        own = len(table.columns) + 1
        problems = {place: problem for place, row in enumerate(rows) if (problem := table.problem(row)) is not None}
        return agno.snapshot(table.columns, user_id, [row[:own] for row in rows], problems)

    def snapshots(self) -> Iterator[Snapshot]:
        """Every user's memories, one user at a time, ordered by user id, in one read transaction."""
        table = self._table
        order = "user_id, _rowid_" if table.has_rowid else "user_id, memory_id"
        place = table.columns.index("user_id") + 1
        with self._reading() as conn:
            batch: list[Any] = []
            for row in conn.execute(f"{table.select} ORDER BY {order}"):
                if batch and batch[-1][place] != row[place]:
                    yield self._snapshot(agno.user_of(batch[-1][place]), batch)
                    batch = []
                batch.append(row)
            if batch:
                yield self._snapshot(agno.user_of(batch[-1][place]), batch)

    def user_ids(self) -> list[str | None]:
        """The users that have rows, ordered; None for rows without a user."""
        with self._reading() as conn:
            return list(self._user_ids(conn))

    def each_user_id(self) -> Iterator[str | None]:
        """See ``MemoryStore.each_user_id``."""
        with self._reading() as conn:
            yield from self._user_ids(conn)

    def _user_ids(self, conn: sqlite3.Connection) -> Iterator[str | None]:
        sql = f"SELECT DISTINCT user_id FROM {self._table.sql_name} ORDER BY 1"
        return (agno.user_of(row[0]) for row in conn.execute(sql))

    def fingerprint(self, memory: UserMemory) -> str:
        """SHA-256 over the row's column names and exact values, as JSON with the names sorted."""
        if not isinstance(memory.raw, RowState):
            raise TypeError("only a memory that this store read has a fingerprint")
        return agno.fingerprint(memory.raw)

    def storable(self, memory: UserMemory) -> UserMemory:
        """The memory without the fields that this table has no column for (Agno 2.0 to 2.2: created_at, feedback)."""
        changes = agno.to_fit(memory, self._table.columns)
        return memory.but(**changes) if changes else memory

    def state(self, memories: Iterable[UserMemory]) -> str:
        """See ``MemoryStore.state``."""
        return agno.state_of(item.raw for item in memories)

    def seen(self, user_id: str | None, recipe: str) -> Seen | None:
        """See ``MemoryStore.seen``."""
        with self._reading() as conn:
            there = self._shape(conn).seen
            return seen.look_up(conn, self._table.name, user_id, recipe, there=True) if there else None

    # -- looking after it ----------------------------------------------------------------------------------------------

    def scan(self) -> Iterator[Snapshot]:
        """See ``MemoryStore.scan``. A transaction a user: in a file without a WAL a reader keeps every writer out.

        A table of somebody's own making without an index on the user would be read once for every user; it is read once, in one
        transaction.
        """
        table = self._table

        def rows_of(slot: str) -> str:
            return f"{table.select} WHERE user_id IS {slot} {table.order}"

        with self.fleet(write=False) as store:
            assert isinstance(store, AgnoSqliteStore)
            with store._reading() as conn:
                (way, *_) = conn.execute(f"EXPLAIN QUERY PLAN {rows_of('?')}", (None,)).fetchall()
                # not user_ids(): an id that is no text must be looked for as it is stored
                users = [row[0] for row in conn.execute(f"SELECT DISTINCT user_id FROM {table.sql_name} ORDER BY 1")]
            if not str(way[3]).startswith("SEARCH"):
                yield from store.snapshots()
                return
            for user in users:
                try:
                    with store._reading() as conn:
                        rows = fetch_all(conn, rows_of(_slot(user)), (_bindable(user),))
                except StoreLocked:
                    raise
                except StoreError as error:
                    yield Snapshot(agno.user_of(user), (), (Unreadable("", str(error), agno.user_of(user)),))
                else:
                    yield self._snapshot(agno.user_of(user), rows)

    def stored_times(self, memory: UserMemory) -> Mapping[str, Any]:
        """See ``MemoryStore.stored_times``."""
        return agno.stored_times(memory)

    def inspect(self, *, integrity: bool = False) -> Inspection:
        """See ``MemoryStore.inspect``."""
        from memopt.stores.inspect_sqlite import inspect

        with self._reading() as conn:
            return inspect(conn, self.path, self._table.name, agno.missing_columns(self._table.columns), integrity=integrity)

    # -- writing -------------------------------------------------------------------------------------------------------

    def check_writable(self) -> None:
        """Take the write lock, begin a write, and give both back."""
        with self._writing(commit=False) as conn:
            # SQLite grants the lock on a file that may only be read, and says so no sooner than at the first write.
            (version,) = conn.execute("PRAGMA user_version").fetchone()
            conn.execute(f"PRAGMA user_version = {version}")

    def apply(self, plan: Plan, *, on_conflict: OnConflict = "stop", count: CountFigures | None = None) -> Run:
        """See ``MemoryStore.apply``."""
        return self._apply(plan, on_conflict, count, None)[0]

    def purge(
        self, plan: Plan, erasure: Erasure, *, on_conflict: OnConflict = "stop", count: CountFigures | None = None
    ) -> Purged:
        """See ``MemoryStore.purge``."""
        from memopt.stores.erase import sweep

        run, journal_rows = self._apply(plan, on_conflict, count, erasure)
        left = sweep(self.path, self.lock_timeout, self._table.name, plan.user_id, erasure.needles)
        return Purged(run if plan.has_changes else None, journal_rows, left)

    def _apply(self, plan: Plan, on_conflict: OnConflict, count: CountFigures | None, erasure: Erasure | None) -> tuple[Run, int]:
        """Write the plan; with an erasure, also leave nothing of what it removes in the journal. One transaction."""
        agno.same_store(plan, self.ref)
        journal_rows = 0
        with self._writing(secure=erasure is not None) as conn:
            shape = self._same_table(conn)
            rows = self._rows(conn, plan.user_id, agno.ids_to_compare(plan))
            edits, skipped = agno.edits_of(plan, self._table.columns, rows, on_conflict)
            run = agno.run_of(plan, skipped, count, _new_run_id(conn, shape), self._table.name, time.time())
            if erasure is not None:
                run = replace(run, erased=len(edits))
                journal_rows = journal.erase(conn, plan.user_id, self._table.name, agno.erasing(erasure))
            state = None
            if plan.recipe is not None:  # before anything is written: what was kept must still be what was seen
                state = agno.expected_rows(plan, skipped, edits, lambda: self._all_rows(conn, plan.user_id))
            written = self._write(conn, plan.user_id, edits, run, shape) if edits else []
            if plan.recipe is not None:
                left = "" if state is None else agno.state_of((*state, *(edit.after for edit in written)))
                mark = Mark(plan.user_id, plan.recipe, left)
                seen.note(conn, self._table.name, [(mark, plan_digest(plan))], time.time(), there=shape.seen)
        return run, journal_rows

    def mark(self, marks: Sequence[Mark]) -> None:
        """See ``MemoryStore.mark``."""
        if marks:
            with self._writing() as conn:
                seen.note(conn, self._table.name, [(mark, None) for mark in marks], time.time())

    def undo(self, run_id: str | None = None, *, on_conflict: OnConflict = "stop", now: int | float) -> Run:
        """See ``MemoryStore.undo``."""
        with self._reading() as conn:
            journal.load(conn, run_id)  # an unknown run needs no write lock to be refused
        with self._writing() as conn:
            shape = self._same_table(conn)
            old, done = journal.load(conn, run_id)
            if old.table != self._table.name:
                raise UsageError(f"run {old.run_id} changed the table {old.table}; say --table {old.table}")
            erased, done = agno.without_erased(old, done, on_conflict)
            edits = [edit.inverse() for edit in reversed(done)]
            rows = self._rows(conn, old.user_id, {edit.memory_id for edit in edits})
            edits, skipped = agno.still_undoable(old, edits, rows, on_conflict, erased)
            run = agno.undo_run_of(old, edits, skipped, _new_run_id(conn, shape), now)
            if edits:
                self._write(conn, old.user_id, edits, run, shape)
        return run

    def rewrites(self, user_id: str | None) -> dict[str, int]:
        """See ``MemoryStore.rewrites``."""
        with self._reading() as conn:
            return journal.rewrites(conn, user_id, self._table.name) if self._shape(conn).journal else {}

    def last_run(self, user_id: str | None, *, other_than: str | None = None) -> Run | None:
        """See ``MemoryStore.last_run``."""
        with self._reading() as conn:
            return journal.last_run(conn, user_id, self._table.name, other_than)

    def days(self, encoding: str, most: int) -> list[Day]:
        """See ``MemoryStore.days``."""
        with self._reading() as conn:
            return journal.days(conn, self._table.name, encoding, most)

    def history(self, user_id: str | None = None) -> list[Run]:
        """The runs in the journal, newest first."""
        try:
            _ = user_id is None or user_id.encode()
        except UnicodeEncodeError:
            return []  # rows of such a user cannot be read, and so never changed
        with self._reading() as conn:
            return journal.runs(conn, user_id)

    def changes(self, run_id: str) -> tuple[Run, list[RunChange]]:
        """See ``MemoryStore.changes``."""
        with self._reading() as conn:
            run, edits = journal.load(conn, run_id)
        return run, agno.told(edits)

    def prune(self, *, keep: int | None = None, before: int | float | None = None) -> int:
        """Drop old journal entries; see ``MemoryStore.prune``."""
        with self._reading() as conn:
            if not journal.exists(conn):
                return 0
        with self._writing(secure=True) as conn:
            return journal.prune(conn, keep=keep, before=before)

    def _same_table(self, conn: sqlite3.Connection) -> _Shape:
        shape = self._shape(conn)
        if shape.columns != self._table.columns:
            raise ConflictError(
                f"the table {self._table.name} has other columns than when it was read (a migration ran); make the plan anew"
            )
        return shape

    def _rows(self, conn: sqlite3.Connection, user_id: str | None, wanted: set[str]) -> dict[str, RowState]:
        """The user's rows of these ids, as they are now."""
        table = self._table
        place = table.columns.index("memory_id")
        rows: dict[str, RowState] = {}
        if len(wanted) > _LOOK_UPS:
            for row in fetch_all(conn, f"{table.select} WHERE user_id IS ?", (user_id,)):
                if row[place + 1] in wanted:
                    rows[row[place + 1]] = table.state(row)
            return rows
        if wanted:
            ids = list(map(_bindable, wanted))
            # few different statements, which SQLite then has at hand: the last id fills up to a power of two
            slots = 1 << (len(ids) - 1).bit_length()
            ids += ids[-1:] * (slots - len(ids))
            sql = f"{table.select} WHERE memory_id IN ({', '.join('?' * slots)}) AND user_id IS ?"
            for row in conn.execute(sql, (*ids, user_id)):
                rows[row[place + 1]] = table.state(row)
        return rows

    def _all_rows(self, conn: sqlite3.Connection, user_id: str | None) -> tuple[UserMemory, ...]:
        """The user's memories as they are now, inside the caller's transaction."""
        table = self._table
        return self._snapshot(user_id, fetch_all(conn, f"{table.select} WHERE user_id IS ?", (user_id,))).memories

    def _write(self, conn: sqlite3.Connection, user_id: str | None, edits: Sequence[Edit], run: Run, shape: _Shape) -> list[Edit]:
        """The one door through which rows are written, each statement with the user. Returns the edits as written."""
        table = self._table
        changes_before = conn.total_changes
        triggers = shape.triggers
        others_before = self._others(conn, user_id, triggers)
        where = "WHERE memory_id = ? AND user_id IS ?"
        deletes = [edit for edit in edits if edit.after is None]
        updates: dict[tuple[str, ...], list[Edit]] = {}
        written: list[Edit] = []
        try:
            gone = conn.executemany(
                f"DELETE FROM {table.sql_name} {where}", ((_bindable(edit.memory_id), user_id) for edit in deletes)
            ).rowcount
            self._expect(gone if deletes else 0, len(deletes), "deleted", triggers)
            for edit in edits:
                if edit.after is None:
                    written.append(edit)
                elif edit.before is None:
                    written.append(self._insert(conn, user_id, edit))
                else:
                    written.append(edit)
                    updates.setdefault(agno.changed_columns(edit, table.columns), []).append(edit)
            for names, group in updates.items():
                if not names:
                    continue
                for edit in group:
                    assert edit.after is not None
                    values = [edit.after.get(name) for name in names]
                    sets = ", ".join(f"{quote_name(n)} = {_slot(v)}" for n, v in zip(names, values, strict=True))
                    cursor = conn.execute(
                        f"UPDATE {table.sql_name} SET {sets} {where}",
                        (*map(_bindable, values), _bindable(edit.memory_id), user_id),
                    )
                    self._expect(cursor.rowcount, 1, "updated", triggers)
            if not triggers:
                expected = len(edits) - len(updates.get((), ()))
                self._expect(conn.total_changes - changes_before, expected, "changed", triggers)
            if self._others(conn, user_id, triggers) != others_before:
                raise StoreError(
                    f"{self.path}: rows of other users would have changed with this; the table {self._table.name} has triggers "
                    f"of its own ({', '.join(triggers)}). Nothing was written"
                )
            written = self._as_written(conn, user_id, written, triggers)
            told = [journal.erased(edit, agno.fingerprint) for edit in written] if run.erased else written
            journal.write(conn, run, told, there=shape.journal_ready)
            return written
        except sqlite3.IntegrityError as error:
            if "UNIQUE" in str(error) and not triggers:
                raise ConflictError(
                    f"{self.path}: an id that would be written is taken by a row that is not this user's ({error}); "
                    "nothing was written"
                ) from error
            raise self._failed(error, triggers if conn.in_transaction else ()) from error
        except sqlite3.DatabaseError as error:
            raise self._failed(error, triggers if conn.in_transaction else ()) from error

    def _as_written(
        self, conn: sqlite3.Connection, user_id: str | None, edits: Sequence[Edit], triggers: Sequence[str]
    ) -> list[Edit]:
        """The edits with the rows that are now there: column types, defaults and triggers have their say in what is stored.

        An undo compares with these, and takes nothing back that it does not find. A trigger may also swallow a write without
        an error, which must not pass for one that was done.
        """
        wanted = {edit.memory_id for edit in edits if edit.after is not None or triggers}
        rows = self._rows(conn, user_id, wanted)
        for edit in edits:
            if edit.memory_id in wanted and (edit.after is None) != (edit.memory_id not in rows):
                what = "is still there after it was deleted" if edit.after is None else "is not there after it was written"
                raise StoreError(
                    f"{self.path}: the row {edit.memory_id} {what}; the table {self._table.name} has triggers of its own "
                    f"({', '.join(triggers)}). Nothing was written"
                )
        return [edit if edit.after is None else replace(edit, after=rows[edit.memory_id]) for edit in edits]

    def _insert(self, conn: sqlite3.Connection, user_id: str | None, edit: Edit) -> Edit:
        """Insert a row, at its old rowid where that is free: the rowid decides the place in the prompt."""
        table, row = self._table, edit.after
        assert row is not None
        if not agno.same_value(row.get("user_id"), user_id):
            raise StoreError(f"the row {edit.memory_id} is not of the user it would be written for; nothing was written")
        names = [name for name in row.columns if name in table.columns]
        values = tuple(row.get(name) for name in names)
        slots = [_slot(value) for value in values]
        bound = [_bindable(value) for value in values]

        def insert(rowid: int | None) -> int | None:
            extra = rowid is not None
            columns = ", ".join((*(["_rowid_"] if extra else []), *map(quote_name, names)))
            marks = ", ".join((*(["?"] if extra else []), *slots))
            cursor = conn.execute(
                f"INSERT INTO {table.sql_name} ({columns}) VALUES ({marks})", (*([rowid] if extra else []), *bound)
            )
            return cursor.lastrowid if table.has_rowid else None

        if table.has_rowid and row.rowid is not None:
            try:
                return Edit(edit.memory_id, None, RowState(insert(row.rowid), tuple(names), values), edit.group, why=edit.why)
            except sqlite3.IntegrityError as error:
                if error.sqlite_errorcode != sqlite3.SQLITE_CONSTRAINT_ROWID:
                    raise
        return Edit(edit.memory_id, None, RowState(insert(None), tuple(names), values), edit.group, why=edit.why)

    def _others(self, conn: sqlite3.Connection, user_id: str | None, triggers: Sequence[str]) -> str | None:
        """A digest of all rows that are not the user's, where the table has triggers that could reach them; else None.

        Without triggers the number of changed rows proves as much, at no cost.
        """
        if not triggers:
            return None
        digest = hashlib.sha256()
        table = self._table
        for row in conn.execute(f"{table.select} WHERE user_id IS NOT ? {table.order}", (user_id,)):
            digest.update(json.dumps(row, default=journal.pack_blob).encode("ascii"))
        return digest.hexdigest()

    def _expect(self, actual: int, expected: int, what: str, triggers: Sequence[str]) -> None:
        if actual != expected:
            hint = f"; the table has triggers of its own ({', '.join(triggers)})" if triggers else ""
            raise StoreError(
                f"{self.path}: {actual} rows would have been {what} instead of {expected}{hint}. Nothing was written"
            )

    def _failed(self, error: sqlite3.DatabaseError, triggers: Sequence[str]) -> Exception:
        if not triggers:
            return error
        return StoreError(
            f"{self.path}: {error}; the table {self._table.name} has triggers of its own ({', '.join(triggers)}), "
            "and one of them may have refused this. Nothing was written"
        )


def _has_rowid(conn: sqlite3.Connection, table: str) -> bool:
    try:
        conn.execute(f"SELECT _rowid_ FROM {quote_name(table)} LIMIT 0")
    except sqlite3.OperationalError:
        return False
    return True


def _bindable(value: Any) -> Any:
    """Text that is not UTF-8 goes to SQLite as bytes, with a cast around its slot."""
    if isinstance(value, str) and not value.isascii():
        try:
            value.encode("utf-8")
        except UnicodeEncodeError:
            return value.encode("utf-8", "surrogateescape")
    return value


def _slot(value: Any) -> str:
    return "CAST(? AS TEXT)" if isinstance(value, str) and isinstance(_bindable(value), bytes) else "?"


def _new_run_id(conn: sqlite3.Connection, shape: _Shape) -> str:
    while True:
        run_id = secrets.token_hex(4)
        if not shape.journal or not journal.holds(conn, run_id):
            return run_id


__all__ = ["KIND", "AgnoSqliteStore", "Table"]

"""The contract of a store, held against every built-in one, in the forms in which files of its kind occur."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest
from support.agnofile import TABLE, dump, insert, make_store, raw

from memopt.stores.agno_sqlite import AgnoSqliteStore
from memopt.testing import StoreContract


class AgnoContract(StoreContract):
    schema = "3"
    journal = "wal"
    table = TABLE

    def make_store(self, folder, memories):
        path = make_store(folder / "agno.db", map(raw, memories), schema=self.schema, journal=self.journal, table=self.table)
        return AgnoSqliteStore(path)

    def write(self, store, memory):
        with closing(sqlite3.connect(store.path)) as connection, connection:
            connection.execute(f"DELETE FROM {self.table} WHERE memory_id = ?", (memory.memory_id,))
            values = raw(memory)
            values["created_at"] = values["created_at"] or 1
            insert(connection, [values], schema=self.schema, table=self.table)

    def remove(self, store, memory):
        with closing(sqlite3.connect(store.path)) as connection, connection:
            assert connection.execute(f"DELETE FROM {self.table} WHERE memory_id = ?", (memory.memory_id,)).rowcount == 1

    def state(self, store):
        return dump(store.path)


class TestAgno3(AgnoContract):
    pass


class TestAgno29(AgnoContract):
    journal = "delete"


class TestAgno20(AgnoContract):
    schema = "2.0"
    journal = "delete"


class TestAgnoMigrated(AgnoContract):
    schema = "migrated"


class TestAgnoOwnTableName(AgnoContract):
    table = '"my ""memories"".[1]"'

    @pytest.fixture(autouse=True)
    def _indexes(self, monkeypatch):
        import support.agnofile

        # an index of that name would need quoting of its own
        monkeypatch.setattr(support.agnofile, "_INDEXED", dict.fromkeys(support.agnofile._INDEXED, ()))

    def state(self, store):
        with closing(sqlite3.connect(store.path)) as connection:
            return connection.execute(f"SELECT rowid, * FROM {self.table} ORDER BY rowid").fetchall()

"""The contract of a store, held against Agno's tables in a real Postgres, in the forms in which they occur."""

from __future__ import annotations

from contextlib import ExitStack

import pytest
from support.agnofile import raw
from support.postgres import SCHEMAS, TABLE, database

from memopt.stores.agno_postgres import AgnoPostgresStore
from memopt.testing import StoreContract


class PostgresContract(StoreContract):
    schema = "3"
    table = TABLE
    named: str | None = None
    query: dict[str, str] = {}  # noqa: RUF012

    @pytest.fixture(autouse=True)
    def _databases(self):
        with ExitStack() as self.stack:
            yield

    def make_store(self, folder, memories):
        self.db = self.stack.enter_context(database())
        self.db.make(map(raw, memories), schema=self.schema, table=self.table)
        store = AgnoPostgresStore(self.db.server.url(self.db.name, **self.query), table=self.named)
        self.stack.callback(store.close)
        return store

    def write(self, store, memory):
        values = raw(memory)
        values["created_at"] = values["created_at"] or 1
        self.db.run(f"DELETE FROM {self.table} WHERE memory_id = '{memory.memory_id}'")
        self.db.insert([values], table=self.table)

    def remove(self, store, memory):
        assert self.db.ask(f"DELETE FROM {self.table} WHERE memory_id = '{memory.memory_id}' RETURNING 1") == [(1,)]

    def state(self, store):
        return self.db.dump()


class TestAgno3(PostgresContract):
    pass


class TestAgno20(PostgresContract):
    schema = "2.0"


class TestAgnoMigrated(PostgresContract):
    schema = "migrated"


class TestOwnNames(PostgresContract):
    table = '"My ""odd"" schema"."mem.ories %s"'
    query = {"options": "-c search_path=pg_catalog -c DateStyle=German,DMY -c TimeZone=Asia/Kolkata -c default_transaction_isolation=serializable"}  # fmt: skip # noqa


class TestOtherTypes(PostgresContract):
    """A table that somebody made by hand: text for JSON, other types for ids and users, a partition for each kind of user."""

    table = "mine.notes"

    @pytest.fixture(autouse=True)
    def _by_hand(self, monkeypatch):
        monkeypatch.setitem(
            SCHEMAS,
            "3",
            "CREATE TABLE {table} (n BIGINT GENERATED ALWAYS AS IDENTITY, user_id VARCHAR(40), memory TEXT, topics TEXT, "
            "memory_id CHARACTER VARYING(80) NOT NULL, input TEXT, agent_id TEXT, team_id TEXT, feedback TEXT, "
            "created_at BIGINT, updated_at NUMERIC(20, 3), shout TEXT GENERATED ALWAYS AS (upper(memory)) STORED, "
            "seen TIMESTAMPTZ DEFAULT now(), tags TEXT[] DEFAULT '{{a,NULL}}', share DOUBLE PRECISION DEFAULT 0.1, blob BYTEA "
            "DEFAULT '\\x00ff') PARTITION BY LIST (user_id);"
            "CREATE TABLE mine.some PARTITION OF {table} FOR VALUES IN ('ann', NULL);"
            "CREATE TABLE mine.others PARTITION OF {table} DEFAULT;"
            "CREATE UNIQUE INDEX ON mine.some (memory_id); CREATE UNIQUE INDEX ON mine.others (memory_id)",
        )

"""A purge in a real Postgres: nothing of it is left in table and journal, and what no statement can erase is said."""

from __future__ import annotations

import pytest
from support.agnofile import row
from support.postgres import OWNER, PASSWORD, database

from memopt.errors import StoreError, UsageError
from memopt.manager import MemoryManager
from memopt.stores.agno_postgres import AgnoPostgresStore
from memopt.strategies.base import MemoryOptimizationStrategy
from memopt.strategies.forget import ForgetStrategy

SECRET = "SECRETWORD"
TEXT = f"IBAN DE00 1234 {SECRET}"
ROWS = [
    row("a", TEXT, at=1),
    row("b", "Likes tea", at=2),
    row("c", f"User likes rice; her IBAN is DE00 1234 {SECRET}.", at=3),
    row("z", TEXT, user="u2", at=4),
]


@pytest.fixture
def db(opened):
    made = opened.enter_context(database())
    made.make(ROWS)
    return made


def manager(opened, db, user=OWNER):
    store = AgnoPostgresStore(db.server.url(db.name, user))
    opened.callback(store.close)
    return MemoryManager(store, clock=lambda: 1_800_000_000)


class Drops(MemoryOptimizationStrategy):
    name = "drops"

    def __init__(self, *ids):
        super().__init__()
        self.ids = ids

    def steps(self, memories):
        return [item for item in memories if item.memory_id not in self.ids]


def forget(made, user="u1", purge=True, **options):
    plan = made.optimize_memories(user, ForgetStrategy(**(options or {"match": SECRET})))
    return made.apply(plan, purge=purge, allow_empty=True)


def texts(db, user="u1"):
    """All that a query can see of a user, in the memories and in the journal."""
    seen = db.ask("SELECT t::text FROM ai.agno_memories t WHERE user_id = %s", user)
    if db.ask("SELECT to_regclass('memopt.journal')") != [(None,)]:
        seen += db.ask("SELECT j::text FROM memopt.journal j WHERE user_id = %s", user)
    return "\n".join(text for (text,) in seen)


def test_nothing_is_left_in_table_and_journal_and_the_rest_is_said(db, opened):
    done = forget(manager(opened, db))
    assert done.run and SECRET not in texts(db) and SECRET in texts(db, "u2")
    said = " ".join(done.notes)
    assert "gone for good" in said or "erased for good" in said
    for word in ("VACUUM FULL ai.agno_memories, memopt.journal", "write-ahead log", "backups", "standbys"):
        assert word in said
    assert "still hold words" not in said
    with pytest.raises(UsageError, match="erased for good"):
        manager(opened, db).undo(done.run)


def test_rows_that_earlier_runs_left_in_the_journal_go_too_and_only_those(db, opened):
    made = manager(opened, db)
    first = made.optimize_memories("u1", Drops("a", "b"), apply=True).run
    other = made.optimize_memories("u2", Drops("z"), apply=True, allow_empty=True).run
    assert SECRET in texts(db)
    done = forget(made)
    assert SECRET not in texts(db) and "1 row of earlier runs" in " ".join(done.notes)
    with pytest.raises(UsageError, match="1 of the 2 rows"):
        made.undo(first)
    made.undo(first, on_conflict="skip")
    assert [item.memory for item in made.store.read("u1").memories] == ["Likes tea", "User likes rice."]
    made.undo(other)  # another user's run is whole
    assert [item.memory for item in made.store.read("u2").memories] == [TEXT]


def test_what_was_forgotten_before_can_be_purged_by_the_same_request(db, opened):
    made = manager(opened, db)
    forget(made, purge=False)
    assert SECRET in texts(db)
    done = forget(made)
    assert done.run is None and SECRET not in texts(db)
    assert "VACUUM" in " ".join(done.notes)


def test_the_journal_keeps_ids_and_digests(db, opened):
    run = forget(manager(opened, db)).run
    ((about, rows, format_),) = db.ask("SELECT about, rows, format FROM memopt.journal WHERE run_id = %s", run)
    assert '"a"' in rows and '"erased":"' in rows and format_ == 2 and SECRET not in about
    assert manager(opened, db).history("u1")[0].erased == 2


def test_a_purge_that_fails_erases_nothing(db, opened):
    made = manager(opened, db)
    made.optimize_memories("u1", Drops("a"), apply=True)
    before = texts(db)
    db.run(
        "CREATE FUNCTION ai.no() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'not this one'; END $$",
        "CREATE TRIGGER no BEFORE UPDATE ON ai.agno_memories FOR EACH ROW EXECUTE FUNCTION ai.no()",
    )
    with pytest.raises(StoreError, match="not this one"):
        forget(made)
    assert texts(db) == before and SECRET in before


def test_without_the_right_to_change_entries_the_grant_is_named(db, opened):
    made = manager(opened, db)
    made.optimize_memories("u1", Drops("a"), apply=True)
    role = f"limited_{db.name}"
    db.run(f"CREATE ROLE {role} LOGIN PASSWORD '{PASSWORD}'", user="postgres")
    opened.callback(db.run, f"DROP OWNED BY {role} CASCADE", f"DROP ROLE {role}", user="postgres")
    db.run(
        f"GRANT USAGE ON SCHEMA ai, memopt TO {role}",
        f"GRANT SELECT, INSERT, UPDATE, DELETE ON ai.agno_memories, memopt.seen TO {role}",
        f"GRANT SELECT, INSERT ON memopt.journal TO {role}",
    )
    before = texts(db)
    with pytest.raises(StoreError, match=f"GRANT UPDATE ON memopt.journal TO {role}"):
        forget(manager(opened, db, role))
    assert texts(db) == before
    db.run(f"GRANT UPDATE ON memopt.journal TO {role}")
    forget(manager(opened, db, role))
    assert SECRET not in texts(db)

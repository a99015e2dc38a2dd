"""What memopt writes into Postgres, the real Agno reads back: its own ``PostgresDb`` and ``MemoryManager`` on the same server."""

from __future__ import annotations

import asyncio
import warnings
from contextlib import contextmanager

import pytest

pytest.importorskip("agno.db.sqlite")
pytest.importorskip("sqlalchemy")

from support.agnofile import row
from support.agnoside import Scripted
from support.postgres import TABLE, database

from memopt.errors import ConflictError
from memopt.manager import MemoryManager
from memopt.memory import to_epoch
from memopt.plan import Action
from memopt.stores.agno_postgres import AgnoPostgresStore
from memopt.strategies.base import MemoryOptimizationStrategy

TEXTS = [
    ("m1", "User's name is Wei Zhang (张伟).", ["name"]),
    ("m2", "Likes jazz", ["music"]),
    ("m3", "likes jazz.", ["taste"]),
    ("m4", "Has two cats 🐈", None),
    ("m5", "Works at Zalando in Berlin", []),
    ("m6", 'Said "hello\\world"', ["a", "b"]),
]


@contextmanager
def agno(db, **more):
    """Agno's own PostgresDb."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from agno.db.postgres import PostgresDb
    made = PostgresDb(db_url=db.url.replace("postgresql://", "postgresql+psycopg://"), **more)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield made
    finally:
        made.db_engine.dispose()


def reads(db, user="u1", **more):
    """A user's rows as Agno decodes them, by id."""
    with agno(db, **more) as theirs:
        rows, count = theirs.get_user_memories(user_id=user, deserialize=False)
    assert count == len(rows)
    return {r["memory_id"]: dict(r) for r in rows}


def prompt(db, user="u1"):
    with agno(db) as theirs:
        from agno.memory import MemoryManager as Theirs

        return [str(memory.memory) for memory in Theirs(db=theirs).get_user_memories(user_id=user) or []]


def upsert(db, **fields):
    with agno(db) as theirs:
        from agno.db.schemas import UserMemory

        theirs.upsert_user_memory(UserMemory(**fields))


@pytest.fixture
def db(opened):
    """A database whose schema, table and rows Agno made."""
    made = opened.enter_context(database())
    with agno(made) as theirs:
        from agno.db.schemas import UserMemory

        for place, (memory_id, text, topics) in enumerate(TEXTS):
            at = 1767258000 + place * 86400
            theirs.upsert_user_memory(
                UserMemory(
                    memory_id=memory_id, memory=text, topics=topics, user_id="u1", created_at=at, updated_at=at + 60,
                    input=f"in {place}", agent_id="coach",
                )
            )  # fmt: skip
        theirs.upsert_user_memory(
            UserMemory(memory_id="v1", memory="Likes jazz", topics=["x"], user_id="u2", created_at=1767258000)
        )
    return made


@pytest.fixture
def store(db, opened):
    made = AgnoPostgresStore(db.url)
    opened.callback(made.close)
    return made


STRATEGIES = [("recent", {"keep": 3}), ("dedupe", {}), ("summarize", {"on_loss": "accept"})]


def test_agnos_own_table_is_found_and_read_as_agno_reads_it(db, store):
    assert store.ref.table == TABLE
    theirs = reads(db)
    assert [m.memory_id for m in store.read("u1").memories] == [t[0] for t in TEXTS]
    for memory in store.read("u1").memories:
        row_ = theirs[memory.memory_id]
        for name in ("memory", "user_id", "agent_id", "team_id", "input", "feedback"):
            assert getattr(memory, name) == row_[name], name
        assert memory.topics == (None if row_["topics"] is None else tuple(row_["topics"]))
        assert (memory.created_at, memory.updated_at) == (to_epoch(row_["created_at"]), to_epoch(row_["updated_at"]))


@pytest.mark.parametrize(("strategy", "options"), STRATEGIES)
def test_agno_reads_back_what_the_plan_said_and_undo_gives_it_the_same_rows(db, store, strategy, options):
    before, other, whole = reads(db), reads(db, "u2"), db.dump()
    plan = MemoryManager(store, Scripted()).optimize_memories("u1", strategy, apply=True, options=options)
    after = reads(db)
    assert plan.run is not None and len(after) < len(before)
    changes = {change.memory_id: change for change in plan.changes}
    assert set(after) == {memory.memory_id for memory in plan.memories}
    for memory_id, row_ in after.items():
        change = changes[memory_id]
        if change.action is Action.KEPT:
            assert row_ == before[memory_id]
        elif change.action is Action.REVISED:
            untouched = set(row_) - set(change.changed_fields)
            assert {name: row_[name] for name in untouched} == {name: before[memory_id][name] for name in untouched}
        for name in ("memory", "user_id", "agent_id", "team_id", "input", "feedback"):
            assert row_[name] == getattr(change.after, name), name
        assert tuple(row_["topics"] or ()) == (change.after.topics or ())
    assert sorted(prompt(db)) == sorted(memory.in_prompt for memory in plan)
    assert reads(db, "u2") == other
    MemoryManager(store).undo()
    assert reads(db) == before
    assert db.dump() == whole


class Odd(MemoryOptimizationStrategy):
    """Revises the first memory and adds one, with everything that JSON must escape."""

    name = "odd"
    text = 'quotes " and \\ and \n newline, tab\t, 日本語 🎻👩‍👩‍👧, ﬁ, \u2028, \u0001'
    topics = ('a"b', "话题", "🌶️", "")

    def steps(self, memories):
        first, *rest = memories
        added = first.but(memory_id=None, memory=self.text + " added", topics=None, input=None, feedback="positive")
        return [first.but(memory=self.text, topics=self.topics), *rest, added]


def test_agno_reads_every_character_that_memopt_wrote(db, store):
    plan = MemoryManager(store).optimize_memories("u1", Odd(), apply=True)
    (new,) = plan.of(Action.ADDED)
    after = reads(db)
    assert (after["m1"]["memory"], after["m1"]["topics"]) == (Odd.text, list(Odd.topics))
    assert (after[new.memory_id]["memory"], after[new.memory_id]["topics"]) == (Odd.text + " added", None)
    assert Odd.text in prompt(db)


def test_what_agno_writes_meanwhile_survives_and_what_it_changes_is_a_conflict(db, store):
    manager = MemoryManager(store)
    plan = manager.optimize_memories("u1", "dedupe")
    upsert(db, memory_id="late", memory="Moved to Basel", user_id="u1")
    manager.apply(plan)
    assert reads(db)["late"]["memory"] == "Moved to Basel"
    manager.undo()
    plan = manager.optimize_memories("u1", "dedupe")
    upsert(db, memory_id="m2", memory="Likes jazz and blues", user_id="u1")
    before = db.dump(own=True)
    with pytest.raises(ConflictError):
        manager.apply(plan)
    assert db.dump(own=True) == before


def test_a_revised_memory_can_be_updated_and_deleted_by_agno(db, store):
    MemoryManager(store).optimize_memories("u1", Odd(), apply=True)
    upsert(db, memory_id="m1", memory="Agno again", user_id="u1", topics=["t"])
    assert {m.memory_id: m.memory for m in store.read("u1").memories}["m1"] == "Agno again"
    with agno(db) as theirs:
        theirs.delete_user_memory("m1", user_id="u1")
    assert "m1" not in {m.memory_id for m in store.read("u1").memories}


def test_another_schema_and_table_of_agnos(opened):
    db = opened.enter_context(database())
    with agno(db, db_schema="agents", memory_table="notes") as theirs:
        from agno.db.schemas import UserMemory

        for place in range(3):
            theirs.upsert_user_memory(UserMemory(memory_id=f"m{place}", memory="Likes tea", user_id="u1", created_at=place + 1))
    store = AgnoPostgresStore(db.url)
    opened.callback(store.close)
    assert store.ref.table == "agents.notes"
    MemoryManager(store).optimize_memories("u1", "dedupe", apply=True)
    assert len(reads(db, db_schema="agents", memory_table="notes")) == 1


def test_an_old_table_is_read_before_and_after_agnos_own_migration(opened):
    db = opened.enter_context(database())
    db.make(
        [row("a", "Likes tea 🍵", topics=["x"]), row("b", "Likes tea 🍵", topics="null"), row("c", "Other", user="u2")],
        schema="2.0",
    )
    store = AgnoPostgresStore(db.url)
    opened.callback(store.close)
    before = db.dump()
    MemoryManager(store).optimize_memories("u1", "dedupe", apply=True)
    MemoryManager(store).undo()
    assert db.dump() == before
    MemoryManager(store).optimize_memories("u1", "dedupe", apply=True)
    with agno(db) as theirs:
        from agno.db.migrations.manager import MigrationManager

        asyncio.run(MigrationManager(theirs).up())
    assert [r["memory"] for r in reads(db).values()] == ["Likes tea 🍵"]
    migrated = AgnoPostgresStore(db.url)
    opened.callback(migrated.close)
    assert migrated._table.type_of("memory") == "jsonb"
    assert [m.memory for m in migrated.read("u1").memories] == ["Likes tea 🍵"]
    assert MemoryManager(migrated).optimize_memories("u1", Odd(), apply=True).run
    assert Odd.text in {r["memory"] for r in reads(db).values()}

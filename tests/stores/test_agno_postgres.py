"""Agno's tables in a real Postgres: what is read, what an apply and an undo write, who is kept waiting, and who may do what."""

from __future__ import annotations

import json
import threading
import uuid
from contextlib import ExitStack
from dataclasses import replace

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.agnofile import row
from support.doing import Does
from support.postgres import OWNER, PASSWORD, TABLE, database, running

from memopt.errors import ConflictError, PlanFileError, StoreError, StoreLocked, UsageError
from memopt.manager import MemoryManager
from memopt.memory import UserMemory
from memopt.plan import Plan
from memopt.stores import open_store
from memopt.stores.agno_postgres import AgnoPostgresStore
from memopt.stores.base import Mark
from memopt.stores.postgres import lock_number

UUID = uuid.UUID(int=0xABCDEF)
ROWS = [
    row("a", "Likes jazz", topics=["music"], at=1767258000, agent_id="x"),
    row("b", "Likes jazz", topics=["taste"], at=1767344400, agent_id="x"),
    row("c", "Has two cats", at=1767430800),
    row("other", "Likes jazz", user="u2", at=1767430800),
    row("d", "用户住在上海 🏙️", at=1767517200, feedback="positive", input="hi"),
    row("e", "Works at Zalando", at=1767517300, topics=None),
    row("broken", None, memory="[1, 2]"),
    row("f", "Rents a bike", at=1767603600, topics="[]"),
    row("n", "Nobody's", user=None),
]


@pytest.fixture
def db(opened):
    return opened.enter_context(database())


@pytest.fixture
def full(db):
    return db.make(ROWS)


def store_of(opened, db, *, table=None, lock_timeout=5.0, user=OWNER, **query):
    store = AgnoPostgresStore(db.server.url(db.name, user, **query), table=table, lock_timeout=lock_timeout)
    opened.callback(store.close)
    return store


def optimize(store, work="dedupe", user="u1", *, apply=True, **more):
    strategy = Does(work) if callable(work) else work
    return MemoryManager(store).optimize_memories(user, strategy, apply=apply, **more)


def ids(store, user="u1"):
    return [memory.memory_id for memory in store.read(user).memories]


@pytest.fixture
def role(db, opened):
    """A role that may connect and nothing else."""
    name = f"limited_{db.name}"
    db.run(f"CREATE ROLE {name} LOGIN PASSWORD '{PASSWORD}'", user="postgres")

    def gone():
        db.run(f"DROP OWNED BY {name} CASCADE", f"DROP ROLE {name}", user="postgres")

    opened.callback(gone)
    return name


# -- reading -----------------------------------------------------------------------------------------------------------


def test_every_form_that_agno_and_its_migrations_left_is_read(db, opened):
    db.make(
        [
            row("plain", 'says "hi" \\ \n 日本語 🎻'),
            row("empty", ""),
            row("null", None),
            row("object", None, memory='{"memory": "Likes tea", "topics": ["x"]}'),
            row("repr", "{'memory_id': '1', 'memory': 'Likes tea', 'topics': ['y']}"),
            row("list", None, memory='["a"]'),
            row("number", None, memory="42"),
            row("bad topics", "x", topics='{"a": 1}'),
        ]
    )
    found = store_of(opened, db).read("u1")
    assert {m.memory_id: m.memory for m in found.memories} == {
        "plain": 'says "hi" \\ \n 日本語 🎻',
        "empty": "",
        "null": "",
        "object": "Likes tea",
        "repr": "Likes tea",
    }
    assert {m.memory_id: m.topics for m in found.memories}["object"] == ("x",)
    assert {r.memory_id for r in found.unreadable} == {"list", "number", "bad topics"}


def test_memories_come_by_date_of_creation_and_then_by_id(db, opened):
    db.make([row("z", "1", at=5), row("b", "2", at=7), row("a", "3", at=7), row("B", "4", at=7), row("y", "5", at=6)])
    store = store_of(opened, db)
    assert ids(store) == ["z", "y", "B", "a", "b"]
    optimize(store, lambda ms: [ms[0].but(memory="rewritten"), *ms[1:]])
    assert ids(store) == ["z", "y", "B", "a", "b"]


def test_all_users_come_as_they_were_at_one_moment(full, opened):
    store = store_of(opened, full)
    stream = store.snapshots()
    first = next(stream)
    full.insert([row("late", "came later", user="u2"), row("zz", "came later", user="zz")])
    rest = [first, *stream]
    assert [(s.user_id, len(s.memories), len(s.unreadable)) for s in rest] == [("u1", 6, 1), ("u2", 1, 0), (None, 1, 0)]
    assert store.user_ids() == ["u1", "u2", "zz", None]
    assert [s.user_id for s in store.snapshots()] == store.user_ids()


def test_a_stream_that_is_not_read_to_its_end_leaves_nothing_open(full, opened):
    store = store_of(opened, full)
    stream = store.snapshots()
    next(stream)
    stream.close()
    waiting = full.ask(
        "SELECT count(*) FROM pg_stat_activity WHERE datname = %s AND state LIKE 'idle in%%' AND application_name = 'memopt'",
        full.name,
    )
    assert waiting == [(0,)]


def test_what_only_looks_cannot_write(full, opened):
    store = store_of(opened, full)
    with pytest.raises(StoreError, match="can only be read"), store._server.reading() as conn:
        conn.execute(f"DELETE FROM {TABLE}")
    assert len(full.dump()[TABLE]) == len(ROWS)


@pytest.mark.parametrize("user", ["", "U1", "u1 ", "u%", "u1' OR '1'='1", "u\0", "half \ud83d", "x" * 100_000])
def test_a_user_that_is_not_there_has_nothing(full, opened, user):
    store = store_of(opened, full)
    assert store.read(user).memories == ()
    assert store.history(user) == []
    assert store.rewrites(user) == {}


@pytest.mark.parametrize(
    ("type_", "user", "like_it"), [("CHAR(8)", "ann", "ann "), ("BIGINT", "7", "07"), ("UUID", str(UUID), str(UUID).upper())]
)
def test_users_of_other_types_are_told_apart_to_the_letter(db, opened, type_, user, like_it):
    db.run(
        "CREATE SCHEMA ai",
        f"CREATE TABLE {TABLE} (memory_id UUID PRIMARY KEY, memory JSONB, topics JSONB, user_id {type_}, created_at BIGINT)",
    )
    other = {"ann": "bob", "7": "70"}.get(user, str(uuid.UUID(int=6)))
    names = [str(uuid.UUID(int=n)) for n in (1, 2, 3)]
    db.insert([row(names[0], "Same", user=user), row(names[1], "Same", user=user), row(names[2], "Same", user=other)])
    store = store_of(opened, db)
    before = db.dump()
    assert ids(store, user) == names[:2]
    assert ids(store, like_it) == []
    assert (
        store.user_ids()
        == [s.user_id for s in store.snapshots()]
        == sorted([user, other], key=lambda u: int(u) if type_ == "BIGINT" else u)
    )
    assert optimize(store, user=user).counts["dropped"] == 1
    assert ids(store, other) == names[2:]
    store.undo(now=1)
    assert db.dump() == before


def test_bytes_that_are_no_text_spoil_no_other_row(opened):
    server = running()
    name = "ascii_bytes"
    with server.connect() as connection:
        connection.execute(f"CREATE DATABASE {name} OWNER {OWNER} TEMPLATE template0 ENCODING 'SQL_ASCII'")
    opened.callback(lambda: server.connect().execute(f"DROP DATABASE {name} WITH (FORCE)").connection.close())
    from support.postgres import Database

    db = Database(server, name)
    db.make([], schema="2.0")
    db.run(
        f"INSERT INTO {TABLE} (memory_id, memory, user_id, topics, input) VALUES "
        "('good', '\"fine 🎻\"', 'u1', 'null', E'caf\\xe9'), "
        "('bad', E'\"caf\\xe9\"', 'u1', 'null', NULL)"
    )
    store = store_of(opened, db)
    found = store.read("u1")
    assert [m.memory for m in found.memories] == ["fine 🎻"]
    assert [(r.memory_id, r.problem) for r in found.unreadable] == [("bad", "memory is not valid UTF-8")]
    before = db.ask(f"SELECT memory_id, input::bytea FROM {TABLE} ORDER BY 1")
    optimize(store, lambda ms: [], allow_empty=True)
    MemoryManager(store).undo()
    assert db.ask(f"SELECT memory_id, input::bytea FROM {TABLE} ORDER BY 1") == before


# -- the table ---------------------------------------------------------------------------------------------------------


def test_the_table_is_found_in_any_schema_and_is_named_with_it(db, opened):
    db.make([row("a", "x")], table="notes.of_the_agent")
    store = store_of(opened, db)
    assert store.ref.table == "notes.of_the_agent"
    assert store.ref.location == f"postgresql://127.0.0.1:{db.server.port}/{db.name}"


def test_several_tables_are_listed_and_one_must_be_named(db, opened):
    for table in ("ai.agno_memories", "ai.more", "other.agno_memories"):
        db.make([row(table, "x")], table=table)
    with pytest.raises(UsageError) as caught:
        store_of(opened, db)
    assert caught.value.details["tables"] == ["ai.agno_memories", "ai.more", "other.agno_memories"]
    for name, found in {
        "other.agno_memories": "other.agno_memories",
        "more": "ai.more",
        "agno_memories": "ai.agno_memories",  # Agno's own schema
        '"other"."agno_memories"': "other.agno_memories",
    }.items():
        store = store_of(opened, db, table=name)
        assert store.ref.table == found
        assert ids(store) == [found]
    db.make([], table="third.same")
    db.make([], table="fourth.same")
    with pytest.raises(UsageError, match=r"fourth\.same, third\.same"):
        store_of(opened, db, table="same")
    with pytest.raises(UsageError, match="nothing"):
        store_of(opened, db, table="nothing")


def test_a_database_without_memories_says_so(db, opened):
    with pytest.raises(StoreError, match="no table of Agno memories"):
        store_of(opened, db)
    db.run("CREATE TABLE public.memory (id VARCHAR PRIMARY KEY, "
           "user_id VARCHAR, memory VARCHAR, created_at TIMESTAMP, updated_at TIMESTAMP)",
           user="postgres")  # fmt: skip
    with pytest.raises(StoreError, match=r"Agno 1\.x"):
        store_of(opened, db)


def test_tables_that_the_role_may_not_read_are_somebody_elses(full, opened, role):
    full.make([row("hers", "x", user="v")], table="hers.agno_memories")
    full.run(f"GRANT USAGE ON SCHEMA hers TO {role}", f"GRANT SELECT ON hers.agno_memories TO {role}")
    assert store_of(opened, full, user=role).ref.table == "hers.agno_memories"


def test_views_foreign_and_partition_tables_are_not_offered(full, opened):
    full.run(
        f"CREATE VIEW ai.seen AS SELECT * FROM {TABLE}",
        f"CREATE MATERIALIZED VIEW ai.stored AS SELECT * FROM {TABLE}",
    )
    assert store_of(opened, full).ref.table == TABLE


def test_a_plan_is_of_its_database_and_its_table(full, opened):
    plan = optimize(store_of(opened, full), apply=False)
    with database() as second:
        second.make(ROWS)
        with pytest.raises(PlanFileError):
            store_of(opened, second).apply(plan)


def test_a_plan_that_a_reader_made_is_applied_by_a_writer(full, opened, role):
    full.run(f"GRANT USAGE ON SCHEMA ai TO {role}", f"GRANT SELECT ON {TABLE} TO {role}")
    plan = optimize(store_of(opened, full, user=role), apply=False)
    assert store_of(opened, full).apply(Plan.from_json(plan.to_json())).counts["dropped"] == 1


# -- writing and taking back -------------------------------------------------------------------------------------------

ODD_COLUMNS = (
    "CREATE TYPE ai.mood AS ENUM ('fine', 'so so')",
    f"ALTER TABLE {TABLE} ADD COLUMN number BIGINT GENERATED ALWAYS AS IDENTITY, ADD COLUMN mood ai.mood DEFAULT 'so so', "
    "ADD COLUMN seen TIMESTAMPTZ DEFAULT '2026-01-05 09:00:00.123456+05:30', ADD COLUMN local TIMESTAMP DEFAULT 'infinity', "
    "ADD COLUMN share DOUBLE PRECISION DEFAULT 0.30000000000000004, ADD COLUMN single REAL DEFAULT '1e-7', "
    "ADD COLUMN exact NUMERIC DEFAULT 1.500, "
    "ADD COLUMN tags TEXT[] DEFAULT '{\"a,b\",NULL,\"\"}', ADD COLUMN data BYTEA DEFAULT '\\x00ff22', "
    'ADD COLUMN span INTERVAL DEFAULT \'1 year 2 days 03:04:05.6\', ADD COLUMN odd JSON DEFAULT \'{"b" :1,  "a": 2, "b": 3}\', '
    "ADD COLUMN vector POINT DEFAULT '(1.1,2.2)', ADD COLUMN padded CHAR(5) DEFAULT 'ab', "
    "ADD COLUMN loud TEXT GENERATED ALWAYS AS (upper(user_id)) STORED",
)


def test_undo_puts_columns_of_every_type_back_exactly(full, opened):
    full.run(*ODD_COLUMNS)
    full.run(f"UPDATE {TABLE} SET share = 'NaN', exact = 1e30, mood = 'fine', number = DEFAULT WHERE memory_id = 'a'")
    store = store_of(opened, full, options="-c DateStyle=SQL,DMY -c extra_float_digits=-5 -c bytea_output=escape")
    before = full.dump()
    plan = optimize(store, lambda ms: [ms[0].but(memory="other", topics=None), *ms[3:], ms[1].but(memory_id=None, memory="new")])
    assert plan.counts == {"kept": 3, "revised": 1, "dropped": 2, "added": 1}
    assert full.dump() != before
    done = MemoryManager(store).undo()
    assert full.dump() == before
    MemoryManager(store).undo(done.run_id)
    MemoryManager(store).undo()
    assert full.dump() == before


@pytest.mark.parametrize("schema", ["3", "2.0"])
def test_undo_keeps_json_null_and_null_and_the_blanks_of_json_apart(db, opened, schema):
    db.make(
        [
            row("null", "x", topics="null"),
            row("NULL", "x", topics=None),
            row("none", "x", topics="[ ]"),
            row("spaced", "x", memory='  "x"', topics='[ "a",\n"b" ]'),
            row("escaped", "x", memory='"\\u0041\\/"', topics='["\\u00e9"]'),
        ],
        schema=schema,
    )
    store = store_of(opened, db)
    before = db.dump()
    optimize(store, lambda ms: [], allow_empty=True)
    assert db.dump()[TABLE] == []
    MemoryManager(store).undo()
    assert db.dump() == before
    optimize(store, lambda ms: [m.but(topics=("z",)) for m in ms])
    MemoryManager(store).undo()
    assert db.dump() == before


def test_what_a_plan_does_not_change_in_a_row_stays_as_it_is(db, opened):
    db.make([row("a", "x", memory='"\\u0041"', topics='[ "a" ]')], schema="2.0")
    optimize(store_of(opened, db), lambda ms: [ms[0].but(feedback=None, agent_id="new")])
    (stored,) = db.dump()[TABLE]
    assert (stored["memory"], stored["topics"], stored["agent_id"]) == ('"\\u0041"', '[ "a" ]', "new")


def test_kept_rows_are_not_even_rewritten(full, opened):
    before = dict(full.ask(f"SELECT memory_id, ctid::text || xmin::text FROM {TABLE}"))
    plan = optimize(store_of(opened, full))
    after = dict(full.ask(f"SELECT memory_id, ctid::text || xmin::text FROM {TABLE}"))
    changed = {c.memory_id for c in plan.changes if c.action.value != "kept"}
    assert {i: v for i, v in after.items() if i not in changed} == {i: v for i, v in before.items() if i not in changed}


def test_a_row_that_a_plan_made_gets_defaults_of_columns_that_are_not_agnos(full, opened):
    full.run(f"ALTER TABLE {TABLE} ADD COLUMN tenant TEXT NOT NULL DEFAULT 'acme'")
    optimize(store_of(opened, full), lambda ms: [*ms, UserMemory("New", user_id="u1")])
    assert {r["tenant"] for r in full.dump()[TABLE]} == {"acme"}


def test_what_is_refused_leaves_nothing_not_even_an_empty_journal(full, opened):
    store = store_of(opened, full)
    plan = optimize(store, apply=False)
    full.run(f"UPDATE {TABLE} SET memory = '\"agent\"' WHERE memory_id = 'a'")
    before = full.dump(own=True)
    with pytest.raises(ConflictError):
        store.apply(plan)
    assert full.dump(own=True) == before
    assert full.ask("SELECT 1 FROM pg_namespace WHERE nspname = 'memopt'") == []


def test_a_migration_under_the_plan_is_a_conflict(full, opened):
    store = store_of(opened, full)
    plan = optimize(store, apply=False)
    full.run(f"ALTER TABLE {TABLE} ADD COLUMN extra TEXT")
    with pytest.raises(ConflictError, match="migration"):
        store.apply(plan)
    done = store_of(opened, full)
    run = done.apply(optimize(done, apply=False))
    assert run.counts["dropped"] == 1


def test_the_journal_serves_several_tables_and_keeps_them_apart(full, opened):
    full.make([row("a", "Same"), row("b", "Same")], table="other.agno_memories")
    one, two = store_of(opened, full, table=TABLE), store_of(opened, full, table="other.agno_memories")
    first = optimize(one).run
    second = optimize(two).run
    assert [r.run_id for r in one.history()] == [first]
    assert [r.run_id for r in two.history()] == [second]
    with pytest.raises(UsageError, match=r"--table other\.agno_memories"):
        one.undo(second, now=1)
    assert one.undo(now=1).undoes == first
    assert two.prune(keep=0) == 1
    assert len(one.history()) == 2


def test_the_beginning_of_a_runs_id_will_do(full, opened):
    store = store_of(opened, full)
    run = optimize(store).run
    with pytest.raises(UsageError, match=run):
        store.undo("%", now=1)
    with pytest.raises(UsageError, match=run):
        store.undo("", now=1)
    assert store.undo(run[:4], now=1).undoes == run


def test_how_often_a_memory_was_rewritten_is_told_by_user_and_table(full, opened):
    store = store_of(opened, full)
    for times in (1, 2):
        optimize(store, lambda ms, times=times: [ms[0].but(memory=f"version {times}", rewrites=times), *ms[1:]])
    assert store.rewrites("u1") == {"a": 2}
    assert store.rewrites("u2") == {}
    assert store.rewrites(None) == {}


@given(
    st.lists(
        st.fixed_dictionaries(
            {
                "memory": st.sampled_from(
                    ['"Likes tea"', '"likes tea."', '"用户"', "null", '{"memory": "Likes tea"}', "[1]", '""']
                ),
                "topics": st.sampled_from(["null", None, "[]", '["music"]', '["b", "a"]']),
                "created_at": st.sampled_from([1767258000, 1767258001, 0, -5]),
                "updated_at": st.sampled_from([1767258000, None, 5]),
                "user_id": st.sampled_from(["u1", "u1", "u2", None]),
            }
        ),
        min_size=1,
        max_size=7,
    ),
    st.lists(st.tuples(st.integers(0, 2**14), st.sampled_from(["u1", "u2", None])), min_size=1, max_size=5),
)
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_taking_back_every_run_in_turn_passes_every_earlier_state(rows, sequence):
    def shuffled(seed):
        def work(memories):
            kept = []
            for place, item in enumerate(memories):
                what = (seed >> (2 * place)) & 3
                if what == 1:
                    kept.append(item.but(memory=f"{item.memory} v{seed}", topics=("再", '"')))
                elif what == 2:
                    kept.append(item.but(updated_at=1790000000 + seed))
                elif what != 3:
                    kept.append(item)
            if seed % 3 == 0 and memories:
                kept.append(UserMemory(f"New {seed} 🎻", user_id=memories[0].user_id))
            return kept[::-1]

        return work

    with database() as db, ExitStack() as opened:
        db.make([{**row(f"m{number}", ""), **values} for number, values in enumerate(rows)])
        store = store_of(opened, db)
        states, runs = [db.dump()], []
        for seed, user in sequence:
            if not store.read(user).memories:
                continue
            run = optimize(store, shuffled(seed), user=user, allow_empty=True).run
            if run is None:
                assert db.dump() == states[-1]
                continue
            states.append(db.dump())
            runs.append(run)
        while runs:
            assert db.dump() == states.pop()
            store.undo(runs.pop(), now=1)
        assert db.dump() == states.pop()


# -- characters --------------------------------------------------------------------------------------------------------


def test_characters_that_jsonb_refuses_are_left_out_and_all_others_kept(full, opened):
    store = store_of(opened, full)
    text = "NUL\0 and half \ud83d and pair \ud83d\ude00 and 🎻"
    plan = optimize(store, lambda ms: [ms[0].but(memory=text, topics=("a\0b", "\ude00"), feedback="x\0y"), *ms[1:]], apply=False)
    (change,) = (c for c in plan.changes if c.memory_id == "a")
    assert change.after.memory == "NUL and half  and pair 😀 and 🎻"
    assert change.after.topics == ("ab", "")
    assert any("cannot hold" in note for note in plan.notes)
    store.apply(plan)
    assert store.read("u1").memories[0].memory == change.after.memory
    assert store.read("u1").memories[0].feedback == "xy"


def test_json_holds_what_jsonb_refuses(db, opened):
    db.make([row("a", "x")], schema="2.0")
    store = store_of(opened, db)
    plan = optimize(store, lambda ms: [ms[0].but(memory="NUL\0 and half \ud83d")])
    assert store.read("u1").memories[0].memory == "NUL\0 and half \ud83d"
    assert not plan.notes


def test_a_memory_that_cannot_be_written_fails_alone(full, opened):
    store = store_of(opened, full)
    before = full.dump(own=True)
    plan = optimize(store, lambda ms: [*ms, UserMemory("x", user_id="u1")], apply=False)
    for bad in ("a\0b", "half \ud83d"):
        changes = tuple(
            replace(c, after=c.after.but(memory_id=bad), memory_id=bad) if c.before is None else c for c in plan.changes
        )
        with pytest.raises(StoreError) as caught:
            store.apply(replace(plan, changes=changes))
        assert "\n" not in str(caught.value)
    assert full.dump(own=True) == before
    assert optimize(store).run


def test_a_character_that_the_databases_encoding_lacks_is_an_error_of_that_user(opened):
    server = running()
    with server.connect() as connection:
        connection.execute(f"CREATE DATABASE western OWNER {OWNER} TEMPLATE template0 ENCODING 'LATIN1'")
    opened.callback(lambda: server.connect().execute("DROP DATABASE western WITH (FORCE)").connection.close())
    from support.postgres import Database

    db = Database(server, "western").make([row("a", "café", memory='"café"')])
    store = store_of(opened, db)
    assert store.read("u1").memories[0].memory == "café"
    before = db.dump(own=True)
    with pytest.raises(StoreError, match="encoding"):
        optimize(store, lambda ms: [ms[0].but(input="a violin 🎻")])
    assert db.dump(own=True) == before
    assert optimize(store, lambda ms: [ms[0].but(memory="naïve")]).run


# -- others at the same time -------------------------------------------------------------------------------------------


def test_a_row_that_the_agent_holds_is_waited_for_and_then_named(full, opened):
    store = store_of(opened, full, lock_timeout=0.3)
    plan = optimize(store, apply=False)
    with full.connect() as agent:
        agent.execute("BEGIN")
        agent.execute(f"UPDATE {TABLE} SET memory = '\"agent\"' WHERE memory_id = 'a'")
        with pytest.raises(StoreLocked, match=r"0\.3 s.*--lock-timeout"):
            store.apply(plan)
        patient = store_of(opened, full, lock_timeout=20)
        caught = []

        def later():
            try:
                patient.apply(plan)
            except ConflictError as error:
                caught.append(error)

        thread = threading.Thread(target=later)
        thread.start()
        _until(full, "SELECT count(*) FROM pg_stat_activity WHERE datname = %s AND wait_event_type = 'Lock'", 1)
        agent.execute("COMMIT")
        thread.join(20)
    assert "a was changed" in str(caught[0])
    assert store.history() == []


def test_what_the_agent_writes_beside_is_not_kept_waiting(full, opened):
    store = store_of(opened, full)
    with full.connect() as agent:
        agent.execute("BEGIN")
        agent.execute(f"UPDATE {TABLE} SET memory = '\"agent\"' WHERE memory_id = 'c'")  # no part of the plan
        agent.execute(f"INSERT INTO {TABLE} (memory_id, memory, user_id, created_at) VALUES ('late', '\"late\"', 'u1', 1)")
        assert optimize(store).run
        agent.execute("COMMIT")
    stored = {r["memory_id"]: r["memory"] for r in full.dump()[TABLE]}
    assert stored["c"] == '"agent"' and stored["late"] == '"late"'


def test_two_memopts_never_work_on_one_user_at_the_same_moment(full, opened):
    store = store_of(opened, full, lock_timeout=0.2)
    first, second = optimize(store, apply=False), optimize(store, user="u2", work=lambda ms: [], apply=False, allow_empty=True)
    with full.connect() as other:
        other.execute("BEGIN")
        other.execute("SELECT pg_advisory_xact_lock(%s)", (lock_number("apply", TABLE, "u1"),))
        with pytest.raises(StoreLocked):
            store.apply(first)
        store.apply(second)  # another user is another lock
        other.execute("ROLLBACK")
    store.apply(first)


def test_locks_differ_by_purpose_table_and_user_and_are_the_same_on_every_machine():
    numbers = [
        lock_number(purpose, table, user)
        for purpose in ("apply", "claim")
        for table in ("ai.a", "ai.b")
        for user in (None, "", "-", "u1", "u2", "\0u1", "\ud83d")
    ]
    assert len(set(numbers)) == len(numbers)
    assert all(-(2**63) <= number < 2**63 for number in numbers)
    assert lock_number("apply", "ai.agno_memories", "u1") == 2930963632529051936


def test_of_many_that_apply_the_same_plan_one_does(full, opened):
    stores = [store_of(opened, full, lock_timeout=20) for _ in range(6)]
    plan = optimize(stores[0], apply=False)
    results = []

    def work(store):
        try:
            results.append(store.apply(plan).run_id)
        except ConflictError:
            results.append(None)

    threads = [threading.Thread(target=work, args=(store,)) for store in stores]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert sorted(results, key=str) == sorted([None] * 5 + [stores[0].history()[0].run_id], key=str)


def test_many_that_begin_at_once_make_one_journal(full, opened):
    full.insert([row(f"{n}-{i}", "Same", user=f"w{n}") for n in range(8) for i in range(3)])
    stores = [store_of(opened, full, lock_timeout=20) for _ in range(8)]
    failed = []

    def work(n):
        try:
            optimize(stores[n], user=f"w{n}")
        except Exception as error:
            failed.append(error)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert not failed
    assert {run.user_id for run in stores[0].history()} == {f"w{n}" for n in range(8)}


def test_one_store_serves_many_threads(full, opened):
    full.insert([row(f"{n}-{i}", "Same", user=f"w{n}") for n in range(12) for i in range(3)])
    store = store_of(opened, full, lock_timeout=20)
    done = []
    threads = [threading.Thread(target=lambda n=n: done.append(optimize(store, user=f"w{n}").run)) for n in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert len(set(done)) == 12
    assert len(store._server._idle) <= 8


def test_a_table_that_a_migration_holds_is_locked(full, opened):
    store = store_of(opened, full, lock_timeout=0.2)
    with full.connect() as migration:
        migration.execute("BEGIN")
        migration.execute(f"LOCK TABLE {TABLE} IN ACCESS EXCLUSIVE MODE")
        for work in (store.check_writable, lambda: store.read("u1"), lambda: list(store.snapshots())):
            with pytest.raises(StoreLocked):
                work()
        migration.execute("ROLLBACK")
        migration.execute("BEGIN")
        migration.execute(f"LOCK TABLE {TABLE} IN SHARE MODE")  # CREATE INDEX
        store.read("u1")
        with pytest.raises(StoreLocked):
            store.check_writable()


def test_a_deadlock_is_a_lock_and_writes_nothing(full, opened):
    full.run("ALTER DATABASE {} SET deadlock_timeout = '100ms'".format(full.name), user="postgres")  # noqa: UP032
    opened.callback(lambda: full.run(f"ALTER DATABASE {full.name} RESET deadlock_timeout", user="postgres"))
    store = store_of(opened, full, lock_timeout=20)
    plan = optimize(store, lambda ms: [m.but(agent_id="new") for m in ms], apply=False)
    before = full.dump()[TABLE]
    outcome = []

    def work():
        try:
            outcome.append(store.apply(plan))
        except (StoreLocked, ConflictError) as error:
            outcome.append(error)

    with full.connect("postgres") as agent:
        agent.execute("SET deadlock_timeout = '10s'")  # so that memopt is the one that is ended
        agent.execute("BEGIN")
        agent.execute(f"UPDATE {TABLE} SET agent_id = 'agent' WHERE memory_id = 'c'")
        thread = threading.Thread(target=work)
        thread.start()
        _until(full, "SELECT count(*) FROM pg_stat_activity WHERE datname = %s AND wait_event_type = 'Lock'", 1)
        agent.execute(f"UPDATE {TABLE} SET agent_id = 'agent' WHERE memory_id = 'a'")
        thread.join(20)
        agent.execute("ROLLBACK")
    assert isinstance(outcome[0], StoreLocked)
    assert "deadlock" in str(outcome[0])
    assert full.dump()[TABLE] == before


def _until(db, sql, wanted):
    import time

    deadline = time.monotonic() + 10
    while db.ask(sql, db.name) != [(wanted,)]:
        assert time.monotonic() < deadline
        time.sleep(0.02)


# -- runs over many users ----------------------------------------------------------------------------------------------


def test_a_claimed_user_is_claimed_on_every_machine_until_it_is_given_back(full, opened):
    one, two = store_of(opened, full), store_of(opened, full)
    with one.fleet(write=True) as first, two.fleet(write=True) as second:
        assert first.claim("u1") and first.claim(None)
        assert not second.claim("u1") and not second.claim(None)
        assert not first.claim("u1")  # nor a second time by the same run
        assert second.claim("u2")
        assert optimize(first).run  # the claim does not stand in the way of its own apply
        first.release("u1")
        first.release("u1")
        assert second.claim("u1")
        second.release(None)  # not its own
        assert not second.claim(None)
    with one.fleet(write=True) as again:
        assert again.claim("u1") and again.claim(None)
    assert one.claim("u1")  # outside a fleet nobody is kept away


def test_a_claim_goes_with_its_session_and_is_taken_again(full, opened):
    one, two = store_of(opened, full), store_of(opened, full)
    with one.fleet(write=True) as first, two.fleet(write=True) as second:
        assert first.claim("u1") and first.claim("u2")
        full.ask(_KILL, full.name)
        assert second.claim("u1")
        assert first.claim("x")  # a new session, with what nobody took meanwhile
        assert not second.claim("u2")
        full.ask(_KILL, full.name)
        first.release("x")
        first.release("u2")


def test_a_fleet_that_only_looks_needs_no_right_to_write(full, opened):
    store = store_of(opened, full, options="-c default_transaction_read_only=on")
    with store.fleet(write=False) as only:
        assert only.claim("u1")
        assert len(list(only.snapshots())) == 3
    with pytest.raises(StoreError, match="can only be read"), store.fleet(write=True):
        pass


def test_what_a_run_has_seen_is_noted_with_the_apply_and_by_itself(full, opened):
    store = store_of(opened, full)
    assert store.seen("u1", "r") is None
    store.mark([])
    assert full.ask("SELECT 1 FROM pg_namespace WHERE nspname = 'memopt'") == []
    store.mark([Mark("u1", "r", "s1"), Mark("u2", "r", "s2"), Mark(None, "r", "s3")])
    store.mark([Mark("u1", "r", "s4"), Mark("u1", "other", "s5")])
    assert (store.seen("u1", "r").state, store.seen("u1", "r").plan) == ("s4", None)
    assert store.seen("u1", "other").state == "s5"
    assert store.seen("u2", "r").state == "s2"
    assert store.seen(None, "r") is None
    assert store.seen("u\0", "r") is None
    for made in (lambda p: p, lambda p: Plan.from_json(p.to_json())):
        plan = replace(optimize(store, apply=False), recipe="r")
        store.apply(made(plan))
        after = store.seen("u1", "r")
        assert after.plan is not None
        assert after.state == store.state(store.read("u1").memories)
        store.undo(now=1)
        assert store.seen("u1", "r").state != store.state(store.read("u1").memories)


def test_a_note_is_not_of_what_the_agent_wrote_meanwhile(full, opened):
    store = store_of(opened, full)
    plan = replace(optimize(store, apply=False), recipe="r")
    full.insert([row("late", "late")])
    store.apply(plan)
    assert store.seen("u1", "r").state != store.state(store.read("u1").memories)


def test_a_refused_apply_leaves_no_note(full, opened):
    store = store_of(opened, full)
    plan = replace(optimize(store, apply=False), recipe="r")
    full.run(f"DELETE FROM {TABLE} WHERE memory_id = 'a'")
    with pytest.raises(ConflictError):
        store.apply(plan)
    assert store.seen("u1", "r") is None


# -- triggers and foreign keys -----------------------------------------------------------------------------------------


def trigger(body, when="BEFORE UPDATE OR DELETE OR INSERT"):
    return (
        f"CREATE FUNCTION ai.work() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN {body} END $$",
        f"CREATE TRIGGER work {when} ON {TABLE} FOR EACH ROW EXECUTE FUNCTION ai.work()",
    )


@pytest.mark.parametrize(
    "body",
    [
        f"UPDATE {TABLE} SET agent_id = 'x' WHERE user_id = 'u2' AND pg_trigger_depth() = 1; RETURN coalesce(NEW, OLD);",
        f"IF pg_trigger_depth() = 1 THEN DELETE FROM {TABLE} WHERE user_id = 'u2'; END IF; RETURN coalesce(NEW, OLD);",
        f"DELETE FROM {TABLE} WHERE user_id = 'u2'; RETURN coalesce(NEW, OLD);",  # without end
        f"IF pg_trigger_depth() = 1 THEN BEGIN DELETE FROM {TABLE} WHERE user_id = 'u2'; EXCEPTION WHEN others THEN NULL; END; "
        "END IF; RETURN coalesce(NEW, OLD);",
        "IF TG_OP = 'DELETE' THEN RETURN NULL; END IF; RETURN NEW;",
        "RETURN NULL;",
        "RAISE EXCEPTION 'memories are for ever';",
    ],
)
def test_a_trigger_that_reaches_further_or_swallows_a_write_is_refused(full, opened, body):
    full.run(*trigger(body))
    before = full.dump(own=True)
    store = store_of(opened, full)
    with pytest.raises(StoreError, match="work") as caught:
        optimize(store, lambda ms: [ms[0].but(memory="other"), *ms[2:]])
    assert "\n" not in str(caught.value)
    assert full.dump(own=True) == before


def test_a_trigger_that_has_its_say_in_a_row_is_no_hindrance_to_undo(full, opened):
    full.run(
        *trigger(
            "IF NEW.agent_id IS NULL THEN NEW.agent_id := 'set by a trigger'; END IF; RETURN NEW;", "BEFORE INSERT OR UPDATE"
        )
    )
    store = store_of(opened, full)
    optimize(store, lambda ms: [*ms, UserMemory("New", user_id="u1")])
    assert [r["agent_id"] for r in full.dump()[TABLE] if r["memory"] == '"New"'] == ["set by a trigger"]
    MemoryManager(store).undo()
    assert sorted(ids(store)) == ["a", "b", "c", "d", "e", "f"]


def test_rows_of_other_tables_that_would_go_along_are_not_risked(full, opened):
    full.run(
        f"CREATE TABLE ai.votes (memory_id VARCHAR REFERENCES {TABLE} ON DELETE CASCADE)", "INSERT INTO ai.votes VALUES ('c')"
    )
    before = full.dump(own=True)
    store = store_of(opened, full)
    with pytest.raises(StoreError, match=r"ai\.votes.*CASCADE"):
        optimize(store)
    assert full.dump(own=True) == before
    assert optimize(store, lambda ms: [ms[0].but(memory="other"), *ms[1:]]).run  # nothing goes


def test_a_row_that_another_table_needs_cannot_be_dropped(full, opened):
    full.run(f"CREATE TABLE ai.votes (memory_id VARCHAR REFERENCES {TABLE})", "INSERT INTO ai.votes VALUES ('a')")
    before = full.dump(own=True)
    with pytest.raises(StoreError, match="foreign key"):
        optimize(store_of(opened, full), lambda ms: ms[1:])
    assert full.dump(own=True) == before


# -- rights ------------------------------------------------------------------------------------------------------------


def _grants(error):
    """The statements that an error tells an owner to run."""
    return [part.split(" (for ")[0] for part in str(error).split("let an owner run: ")[1].split(". Nothing")[0].split("; ")]


def test_what_is_missing_is_said_as_the_statements_that_give_it(full, opened, role):
    asked = []
    for _ in range(4):
        try:
            store = store_of(opened, full, user=role)
            break
        except StoreError as error:
            asked.append(_grants(error))
            full.run(*asked[-1])
    assert asked == [[f"GRANT USAGE ON SCHEMA ai TO {role}", f"GRANT SELECT ON {TABLE} TO {role}"]]
    optimize(store, apply=False)  # a preview needs no more
    with pytest.raises(StoreError) as caught:
        store.check_writable()
    grants = _grants(caught.value)
    assert grants == [f"GRANT INSERT, UPDATE, DELETE ON {TABLE} TO {role}", f"GRANT CREATE ON DATABASE {full.name} TO {role}"]
    plan = optimize(store, apply=False)
    before = full.dump(own=True)
    with pytest.raises(StoreError) as again:
        store.apply(plan)
    assert _grants(again.value) == grants
    assert full.dump(own=True) == before
    full.run(*grants)
    store.check_writable()
    store.apply(plan)
    MemoryManager(store).undo()


def test_an_administrator_may_make_the_journals_schema_instead(full, opened, role):
    full.run(f"GRANT USAGE ON SCHEMA ai TO {role}", f"GRANT SELECT, INSERT, UPDATE, DELETE ON {TABLE} TO {role}")
    store = store_of(opened, full, user=role)
    with pytest.raises(StoreError, match=f"CREATE SCHEMA memopt AUTHORIZATION {role}"):
        optimize(store)
    full.run(f"CREATE SCHEMA memopt AUTHORIZATION {role}", user="postgres")
    assert optimize(store).run
    assert full.ask("SELECT nspowner::regrole::text FROM pg_namespace WHERE nspname = 'memopt'") == [(role,)]


def test_two_roles_share_a_journal(full, opened, role):
    optimize(store_of(opened, full))
    full.run(f"GRANT USAGE ON SCHEMA ai TO {role}", f"GRANT SELECT, INSERT, UPDATE, DELETE ON {TABLE} TO {role}")
    hidden = store_of(opened, full, user=role)
    asked = [f"GRANT USAGE ON SCHEMA memopt TO {role}"]
    asked += [f"GRANT SELECT ON memopt.{table} TO {role}" for table in ("journal", "seen")]
    assert _grants(hidden.journal_hidden) == asked
    for read in (hidden.history, lambda: hidden.rewrites("u1"), lambda: hidden.last_run("u1"), lambda: hidden.days("x", 1)):
        with pytest.raises(StoreError) as caught:
            read()
        assert _grants(caught.value) == asked
    full.run(*asked)
    store = store_of(opened, full, user=role)
    with pytest.raises(StoreError) as caught:
        store.undo(now=1)
    assert _grants(caught.value) == [
        f"GRANT INSERT ON memopt.journal TO {role}",
        f"GRANT INSERT, UPDATE, DELETE ON memopt.seen TO {role}",
    ]
    full.run(*_grants(caught.value))
    store.undo(now=1)
    with pytest.raises(StoreError, match=r"GRANT DELETE ON memopt\.journal"):
        store.prune(keep=0)


def test_no_superuser_is_needed(full):
    assert full.ask("SELECT rolsuper, rolcreaterole, rolcreatedb, rolbypassrls FROM pg_roles WHERE rolname = %s", OWNER) == [
        (False,) * 4
    ]


def test_rows_that_a_policy_hides_are_neither_seen_nor_touched(full, opened, role):
    full.run(
        f"GRANT USAGE ON SCHEMA ai TO {role}",
        f"GRANT SELECT, INSERT, UPDATE, DELETE ON {TABLE} TO {role}",
        f"ALTER TABLE {TABLE} ENABLE ROW LEVEL SECURITY",
        f"CREATE POLICY tenant ON {TABLE} TO {role} USING (agent_id IS DISTINCT FROM 'x' AND user_id = 'u1')",
        f"GRANT CREATE ON DATABASE {full.name} TO {role}",
    )
    store = store_of(opened, full, user=role)
    assert store.user_ids() == ["u1"]
    before = full.dump()
    optimize(store, lambda ms: [], allow_empty=True)
    assert {r["memory_id"] for r in full.dump()[TABLE]} == {"a", "b", "other", "n", "broken"}
    store.undo(now=1)
    assert full.dump() == before


def test_a_database_that_can_only_be_read_says_so(full, opened):
    store = store_of(opened, full, options="-c default_transaction_read_only=on")
    plan = optimize(store, apply=False)
    for work in (store.check_writable, lambda: store.apply(plan)):
        with pytest.raises(StoreError, match="can only be read"):
            work()


def test_a_statement_that_takes_too_long_is_named(full, opened):
    full.insert([row(f"x{n}", "x " * 50, user="big") for n in range(300)])
    store = store_of(opened, full)
    with pytest.raises(StoreError, match="statement_timeout"), store._server.reading() as conn:
        conn.execute("SET LOCAL statement_timeout = '1ms'")
        conn.execute(f"SELECT count(*) FROM {TABLE} a, {TABLE} b, {TABLE} c")


# -- the connection ----------------------------------------------------------------------------------------------------

_KILL = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s AND application_name = 'memopt'"


def test_a_connection_that_died_while_it_lay_idle_is_replaced(full, opened):
    store = store_of(opened, full)
    assert full.ask(_KILL, full.name) == [(True,)]
    assert len(ids(store)) == 6
    assert full.ask(_KILL, full.name) == [(True,)]
    assert optimize(store).run


def test_a_connection_that_dies_within_the_transaction_leaves_nothing(full, opened, monkeypatch):
    from memopt.stores import journal_postgres

    store = store_of(opened, full)
    plan = optimize(store, apply=False)
    before = full.dump(own=True)
    real = journal_postgres.write

    def write(conn, run, edits):
        real(conn, run, edits)
        full.ask(_KILL, full.name)

    monkeypatch.setattr(journal_postgres, "write", write)
    with pytest.raises(StoreError, match="nothing was written"):
        store.apply(plan)
    assert full.dump(own=True) == before
    monkeypatch.undo()
    assert store.apply(plan).run_id


@pytest.mark.parametrize("done", [True, False])
def test_a_connection_that_is_lost_at_the_commit_is_asked_after(full, opened, monkeypatch, done):
    store = store_of(opened, full)
    plan = optimize(store, apply=False)
    real = psycopg.Connection.execute

    def execute(self, query, *args, **more):
        if (
            query == "COMMIT"
            and self.info.transaction_status.name == "INTRANS"
            and full.ask(_WRITES, self.info.backend_pid) == [(True,)]
        ):
            if done:
                real(self, query, *args, **more)
            self.close()
        return real(self, query, *args, **more)

    _WRITES = "SELECT backend_xid IS NOT NULL FROM pg_stat_activity WHERE pid = %s"  # noqa: N806
    monkeypatch.setattr(psycopg.Connection, "execute", execute)
    if done:
        run = store.apply(plan).run_id
        assert [r.run_id for r in store.history()] == [run]
    else:
        with pytest.raises(StoreError, match="nothing was written"):
            store.apply(plan)
        assert store.history() == []


def test_a_store_that_is_let_go_closes_its_connections(full):
    store = AgnoPostgresStore(full.url)
    store.read("u1")
    del store
    _until(full, "SELECT count(*) FROM pg_stat_activity WHERE datname = %s AND application_name = 'memopt'", 0)


def test_a_vanished_client_does_not_hold_its_locks_for_long(full, opened):
    store = store_of(opened, full)
    with store._server.writing(commit=False) as conn:
        (limit,) = conn.execute("SHOW idle_in_transaction_session_timeout").fetchone()
    assert limit == "1min"


def test_settings_are_those_of_the_transaction_alone(full, opened):
    store = store_of(opened, full, lock_timeout=3)
    with store._server.writing(commit=False) as conn:
        assert conn.execute("SHOW lock_timeout").fetchone() == ("3s",)
    with store._server.reading() as conn:
        assert conn.execute("SHOW transaction_isolation").fetchone() == ("repeatable read",)
        assert conn.execute("SHOW transaction_read_only").fetchone() == ("on",)
    assert conn.execute("SHOW lock_timeout").fetchone() == ("0",)


def test_the_store_is_opened_by_its_address(full, opened):
    url = full.url
    for address in (
        url,
        url.replace("postgresql://", "postgres://"),
        url.replace("postgresql://", "postgresql+psycopg://"),
        url.replace("postgresql://", "postgresql+asyncpg://") + "?ssl=prefer",
        url + "?sslmode=disable&options=-csearch_path%3Dai",
        f"host=127.0.0.1 port={full.server.port} dbname={full.name} user={OWNER} password='{PASSWORD}'",
        f"postgresql://{url.split('://')[1].split('@')[0]}@/{full.name}?host={full.server.socket_folder}&port={full.server.port}",
    ):
        store = open_store(address)
        opened.callback(store.close)
        assert isinstance(store, AgnoPostgresStore)
        assert len(store.read("u1").memories) == 6
        assert PASSWORD not in repr(store) + repr(vars(store)) + repr(store.ref)


def test_the_plan_of_one_who_names_the_socket_is_made_from_another_place(full, opened):
    over = open_store(
        f"host={full.server.socket_folder} port={full.server.port} dbname={full.name} user={OWNER} password='{PASSWORD}'"
    )
    opened.callback(over.close)
    assert over.ref.location == f"postgresql:///{full.name}?host={full.server.socket_folder}&port={full.server.port}"
    again = open_store(over.ref.location.replace("postgresql://", f"postgresql://{OWNER}@") + f"&password={_quoted(PASSWORD)}")
    opened.callback(again.close)
    assert again.ref == over.ref


def _quoted(text):
    from urllib.parse import quote

    return quote(text, safe="")


def test_plans_and_the_journal_hold_no_secret(full, opened):
    store = store_of(opened, full)
    plan = optimize(store)
    kept = plan.to_json() + json.dumps(full.dump(own=True)) + json.dumps([r.to_dict() for r in store.history()])
    assert PASSWORD not in kept and _quoted(PASSWORD) not in kept
    assert OWNER not in plan.store.location

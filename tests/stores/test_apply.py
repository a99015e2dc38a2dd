"""What an apply writes, what it never touches, and what it refuses; beside the contract, on the raw rows."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from dataclasses import replace

import pytest
from support.agnofile import dump, insert, make_store, records, row
from support.doing import Does

from memopt.errors import ConflictError, GuardError, PlanFileError, StoreError
from memopt.manager import MemoryManager
from memopt.memory import UserMemory
from memopt.plan import Action, Decision, Filters
from memopt.strategies.base import Proposal
from memopt.strategies.recent import RecentOnlyStrategy

ROWS = [
    row("a", "one", at=1, topics=["x"], updated_at=None),
    row("b", "two", memory='"tw\\u006f"', at=2, topics=None, created_at="2026-01-01 09:00:00+00:00"),
    row("c", "three", at=3, input=b"\x00\xff", feedback="good"),
    row("d", "four", at=4, topics="[]"),
    row("e", "five", at=5),
    row("z", "other", user="u2", at=6),
]


@pytest.fixture(params=["delete", "wal"])
def path(tmp_path, request):
    return make_store(tmp_path / "agno.db", ROWS, journal=request.param)


def sql(path, statement, *values):
    with closing(sqlite3.connect(path)) as connection, connection:
        return connection.execute(statement, values).fetchall()


def table(path):
    return {r[2].decode(): r for r in dump(path)["agno_memories"]}


def test_kept_rows_keep_every_byte_and_their_rowid(path):
    before = table(path)
    plan = MemoryManager(path).optimize_memories(
        "u1", Does(lambda ms: [ms[0], ms[1].but(memory="2"), *ms[3:], UserMemory("new", "n", user_id="u1")]), apply=True
    )
    assert plan.counts == {"kept": 3, "revised": 1, "dropped": 1, "added": 1}
    after = table(path)
    assert {i: after[i] for i in "adez"} == {i: before[i] for i in "adez"}
    assert after["b"][0] == before["b"][0]
    assert "c" not in after and "n" in after


def test_a_row_that_is_the_same_in_other_objects_is_kept(path):
    before = dump(path)
    copies = Does(lambda ms: [UserMemory.from_dict({**m.to_dict(), "memory": m.memory}) for m in reversed(ms)])
    plan = MemoryManager(path).optimize_memories("u1", copies, apply=True)
    assert not plan.has_changes and plan.run is None
    assert dump(path, own=True) == before


def test_a_plan_without_changes_makes_no_journal_and_no_new_file(path, tmp_path):
    whole = {p.name: p.read_bytes() for p in tmp_path.iterdir()}
    manager = MemoryManager(path)
    plan = manager.apply(manager.optimize_memories("u1", Does(lambda ms: ms)))
    assert plan.run is None
    assert {p.name: p.read_bytes() for p in tmp_path.iterdir()} == whole


def test_rows_that_came_meanwhile_survive_even_a_plan_that_leaves_nothing_else(path):
    manager = MemoryManager(path)
    plan = manager.optimize_memories("u1", Does(lambda ms: []), allow_empty=True)
    with closing(sqlite3.connect(path)) as connection, connection:
        insert(connection, [row("late", "one"), row("late too", "x", user="u2")])
    kept = table(path)
    manager.apply(plan)
    assert table(path) == {i: kept[i] for i in ("z", "late", "late too")}


CHANGES = {
    "text": "UPDATE agno_memories SET memory = '\"else\"' WHERE memory_id = ?",
    "encoding": "UPDATE agno_memories SET memory = memory || ' ' WHERE memory_id = ?",
    "topics": "UPDATE agno_memories SET topics = '[\"x\" ]' WHERE memory_id = ?",
    "null or JSON null": "UPDATE agno_memories SET topics = CASE WHEN topics IS NULL THEN 'null' END WHERE memory_id = ?",
    "time": "UPDATE agno_memories SET updated_at = 77 WHERE memory_id = ?",
    "storage class": "UPDATE agno_memories SET feedback = x'676f6f64' WHERE memory_id = ?",
    "owner": "UPDATE agno_memories SET user_id = 'u2' WHERE memory_id = ?",
    "no owner": "UPDATE agno_memories SET user_id = NULL WHERE memory_id = ?",
    "gone": "DELETE FROM agno_memories WHERE memory_id = ?",
    "unreadable": "UPDATE agno_memories SET memory = x'00' WHERE memory_id = ?",
}


@pytest.mark.parametrize("how", CHANGES)
@pytest.mark.parametrize("which", ["a", "b", "c"])
def test_any_difference_in_a_row_of_the_plan_is_a_conflict(path, which, how):
    # a is relied on, b revised, c dropped
    def proposal(ms):
        return Proposal([ms[0], ms[1].but(memory="2"), *ms[3:]], {"c": Decision("as in a", into="a", relies_on=("a",))})

    manager = MemoryManager(path)
    plan = manager.optimize_memories("u1", Does(proposal))
    assert set(plan.fingerprints) == {"a", "b", "c"}
    sql(path, CHANGES[how], which)
    before = dump(path)
    with pytest.raises(ConflictError) as caught:
        manager.apply(plan)
    assert caught.value.exit_code == 5
    assert [c["memory_id"] for c in caught.value.details["conflicts"]] == [which]
    assert dump(path, own=True) == before
    assert manager.history() == []


@pytest.mark.parametrize("how", ["text", "time", "owner", "gone", "unreadable"])
def test_a_kept_row_that_nothing_relies_on_may_change(path, how):
    manager = MemoryManager(path)
    plan = manager.optimize_memories("u1", Does(lambda ms: [ms[0], ms[1].but(memory="2"), *ms[3:]]))
    sql(path, CHANGES[how], "e")
    e = table(path).get("e")
    manager.apply(plan)
    assert table(path).get("e") == e
    assert "c" not in table(path)


def test_recent_is_a_conflict_where_the_edge_of_what_is_kept_goes(path):
    manager = MemoryManager(path)
    plan = manager.optimize_memories("u1", RecentOnlyStrategy(keep=1))
    survivor = plan.memories[0].memory_id
    sql(path, "DELETE FROM agno_memories WHERE memory_id = ?", survivor)
    with pytest.raises(ConflictError):
        manager.apply(plan)
    assert len(records(path, "u1")) == 4


# -- skip ----------------------------------------------------------------------------------------------------------------


def merges(ms):
    """a takes in b; c and d become n; e is revised alone."""
    a, e = ms[0], ms[4]
    new = UserMemory("three and four", "n", user_id="u1", sources=("c", "d"))
    decisions = {
        "a": Decision("takes in b", relies_on=("b",)),
        "b": Decision("same", into="a", relies_on=("a",)),
        "c": Decision("merged", into="n"),
        "d": Decision("merged", into="n"),
    }
    return Proposal([a.but(memory="one, two"), e.but(memory="5"), new], decisions)


@pytest.mark.parametrize(
    ("moved", "stays", "written"),
    [
        ("a", {"a", "b"}, {"n", "e"}),
        ("b", {"a", "b"}, {"n", "e"}),
        ("c", {"c", "d"}, {"a", "e"}),
        ("d", {"c", "d"}, {"a", "e"}),
        ("e", {"e"}, {"a", "n"}),
    ],
)
def test_skip_leaves_out_all_that_is_tied_by_lineage_and_writes_the_rest(path, moved, stays, written):
    manager = MemoryManager(path)
    plan = manager.optimize_memories("u1", Does(merges))
    sql(path, CHANGES["text"], moved)
    before = table(path)
    done = manager.apply(plan, on_conflict="skip")
    after = table(path)
    for memory_id in stays:
        assert after[memory_id] == before[memory_id]
    for memory_id in written:
        assert memory_id in after and after[memory_id] != before.get(memory_id)
    run = manager.history()[0]
    assert set(run.skipped) >= stays & set(run.skipped) and moved in run.skipped
    assert done.counts == {**done.counts, **run.counts}
    assert (run.after.memories, run.after) == (len(done.memories), done.tokens_after)
    manager.undo()
    assert table(path) == before


def test_skip_writes_nothing_and_no_run_where_everything_moved(path):
    manager = MemoryManager(path)
    plan = manager.optimize_memories("u1", Does(merges))
    sql(path, "UPDATE agno_memories SET updated_at = 99 WHERE user_id = 'u1'")
    before = dump(path)
    done = manager.apply(plan, on_conflict="skip")
    assert done.run is None and not done.has_changes
    assert dump(path, own=True) == before
    assert manager.history() == []


@pytest.mark.parametrize("sources", [(), ("a", "b", "c", "d", "e")])
def test_skip_keeps_the_sources_of_a_new_memory_whose_id_is_taken(path, sources):
    manager = MemoryManager(path)
    plan = manager.optimize_memories("u1", Does(lambda ms: [UserMemory("all", "sum", user_id="u1", sources=sources)]))
    with closing(sqlite3.connect(path)) as connection, connection:
        insert(connection, [row("sum", "somebody else's")])
    before = dump(path)
    manager.apply(plan, on_conflict="skip")
    assert dump(path, own=True) == before


# -- other users, other hands --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("on_conflict", ["stop", "skip"])
def test_an_id_that_another_user_owns_is_never_written_over(path, on_conflict):
    before = dump(path)
    work = Does(lambda ms: [*ms[1:], UserMemory("mine", "z", user_id="u1")])
    with pytest.raises(ConflictError):
        MemoryManager(path).optimize_memories("u1", work, apply=True, on_conflict=on_conflict)
    assert dump(path, own=True) == before


def test_a_plan_that_was_turned_to_another_user_changes_nobody(path):
    manager = MemoryManager(path)
    plan = manager.optimize_memories("u1", Does(lambda ms: [ms[0].but(memory="!"), *ms[2:], UserMemory("n", user_id="u1")]))
    before = dump(path)
    for user in ("u2", None, "u1 ", "nobody"):
        with pytest.raises((ConflictError, StoreError, PlanFileError)):
            manager.apply(replace(plan, user_id=user))
    assert dump(path, own=True) == before


def test_a_plan_without_its_fingerprints_changes_nothing(path):
    manager = MemoryManager(path)
    plan = manager.optimize_memories("u1", Does(merges))
    before = dump(path)
    with pytest.raises(ConflictError):
        manager.apply(replace(plan, fingerprints={}))
    assert dump(path, own=True) == before


def test_a_plan_from_a_copy_of_the_file_is_refused(path, tmp_path):
    copy = make_store(tmp_path / "copy.db", ROWS)
    plan = MemoryManager(copy).optimize_memories("u1", Does(merges))
    before = dump(path)
    with pytest.raises(PlanFileError) as caught:
        MemoryManager(path).apply(plan)
    assert str(copy) in str(caught.value) and str(path) in str(caught.value)
    assert dump(path, own=True) == before


# -- triggers and columns with a will of their own -----------------------------------------------------------------------


@pytest.mark.parametrize("event", ["BEFORE INSERT", "BEFORE DELETE", "BEFORE UPDATE"])
def test_a_trigger_that_swallows_a_write_in_silence_is_noticed(path, event):
    sql(path, f"CREATE TRIGGER hush {event} ON agno_memories BEGIN SELECT RAISE(IGNORE); END")
    before = dump(path)
    with pytest.raises(StoreError, match="hush"):
        MemoryManager(path).optimize_memories("u1", Does(merges), apply=True)
    assert dump(path, own=True) == before


def test_a_trigger_that_brings_a_deleted_row_back_is_noticed(path):
    sql(
        path,
        "CREATE TRIGGER zombie AFTER DELETE ON agno_memories BEGIN "
        "INSERT INTO agno_memories (memory_id, memory, user_id, created_at) VALUES (old.memory_id, 'null', old.user_id, 1); END",
    )
    before = dump(path)
    with pytest.raises(StoreError, match="zombie"):
        MemoryManager(path).optimize_memories("u1", Does(lambda ms: ms[1:]), apply=True)
    assert dump(path, own=True) == before


def test_a_trigger_that_dates_each_change_does_not_stand_in_the_way_of_undo(path):
    sql(
        path,
        "CREATE TRIGGER touch AFTER UPDATE OF memory ON agno_memories BEGIN "
        "UPDATE agno_memories SET updated_at = 12345 WHERE memory_id = new.memory_id; END",
    )
    manager = MemoryManager(path)
    manager.optimize_memories("u1", Does(lambda ms: [ms[0].but(memory="1"), *ms[1:]]), apply=True)
    assert records(path)[0]["updated_at"] == 12345
    manager.undo()
    assert records(path)[0]["memory"] == json.dumps("one")


@pytest.mark.parametrize("event", ["RAISE(ABORT, 'no room')", "RAISE(IGNORE)", "RAISE(ROLLBACK, 'no room')", "RAISE(FAIL, 'no')"])
def test_the_memories_are_not_changed_without_their_journal(path, event):
    manager = MemoryManager(path)
    manager.optimize_memories("u1", Does(lambda ms: ms[1:]), apply=True)
    sql(path, f"CREATE TRIGGER deaf BEFORE INSERT ON memopt_journal BEGIN SELECT {event}; END")
    before = dump(path, own=True)
    with pytest.raises(StoreError):
        manager.optimize_memories("u1", Does(lambda ms: ms[1:]), apply=True)
    with pytest.raises(StoreError):
        manager.undo()
    assert dump(path, own=True) == before


def test_the_journal_of_a_newer_memopt_is_left_alone(path):
    manager = MemoryManager(path)
    manager.optimize_memories("u1", Does(lambda ms: ms[1:]), apply=True)
    sql(path, "UPDATE memopt_journal SET format = 99")
    before = dump(path, own=True)
    with pytest.raises(Exception, match="update memopt"):
        manager.optimize_memories("u1", Does(lambda ms: ms[1:]), apply=True)
    assert dump(path, own=True) == before


def test_a_refused_plan_takes_no_lock_and_writes_nothing(path):
    manager = MemoryManager(path)
    plan = manager.optimize_memories("u1", Does(lambda ms: ms[:1]), max_drop="50%")
    before = dump(path)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(GuardError, match=r"4 of 5 memories \(80%\)"):
            manager.apply(plan)
        other.execute("ROLLBACK")
    assert dump(path, own=True) == before


def test_memories_outside_the_filter_are_kept_whatever_the_strategy_does(tmp_path):
    rows = [row("a", "one", topics=["x"]), row("b", "two", topics=["y"]), row("c", "three"), row("d", "4", topics=["x", "y"])]
    path = make_store(tmp_path / "agno.db", rows)
    before = table(path)
    manager = MemoryManager(path)
    plan = manager.optimize_memories("u1", Does(lambda ms: []), filters=Filters(topic=("x",)), apply=True, allow_empty=True)
    assert {c.memory_id for c in plan.of(Action.DROPPED)} == {"a", "d"}
    assert table(path) == {i: before[i] for i in "bc"}

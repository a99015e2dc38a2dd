"""Undo: the exact rows come back, what was written since stays, and anything doubtful is refused whole."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest
from support.agnofile import Sql, dump, insert, integrity, make_store, row
from support.doing import Does

from memopt.errors import ConflictError, UsageError
from memopt.manager import MemoryManager
from memopt.memory import UserMemory
from memopt.strategies.recent import RecentOnlyStrategy


def sql(path, statement, *values):
    with closing(sqlite3.connect(path)) as connection, connection:
        return connection.execute(statement, values).fetchall()


def records(path):
    """The rows as dicts, in the order of the prompt, also where a text is no UTF-8."""
    with closing(sqlite3.connect(path)) as connection:
        connection.text_factory = lambda value: value.decode("utf-8", "surrogateescape")
        connection.row_factory = sqlite3.Row
        return [dict(r) for r in connection.execute("SELECT rowid, * FROM agno_memories ORDER BY rowid")]


def one_for_all(ms):
    return [UserMemory("all", "sum", user_id="u1", sources=tuple(m.memory_id for m in ms))]


ODD = [
    row("a", "", memory='  "bl\\u0061nks"', topics='[ "x" ]', at=1, updated_at=None),
    row("b", "two", topics=None, created_at="2026-01-01 09:00:00+00:00", updated_at="junk"),
    row("c", "three", input=b"\x00\xff", feedback=Sql("CAST(x'c32841ff' AS TEXT)"), created_at=1.5, updated_at=9e999),
    row("d", "", memory='{"memory": "x", "n": 1.0}', topics="[]", agent_id="", team_id="nul\0byte", updated_at=b"\x01"),
    row("e", "half \ud83c", feedback="日本 🎻", input="", created_at=-5, updated_at=2**62),
]


@pytest.fixture(params=["delete", "wal"])
def path(tmp_path, request):
    return make_store(tmp_path / "agno.db", [*ODD, row("z", "other", user="u2")], journal=request.param)


def test_every_value_comes_back_with_its_bytes_its_type_and_its_place(path):
    before = dump(path)
    manager = MemoryManager(path)
    assert len(manager.get_user_memories("u1").memories) == 5
    manager.optimize_memories("u1", Does(one_for_all), apply=True)
    assert [r["memory_id"] for r in records(path)] == ["z", "sum"]
    changed = dump(path)
    manager.undo()
    assert dump(path) == before
    manager.undo()
    assert dump(path) == changed
    manager.undo()
    assert dump(path) == before
    assert integrity(path) == "ok"


def test_a_revision_of_odd_rows_is_taken_back_exactly(path):
    before = dump(path)
    manager = MemoryManager(path)
    everything = {"memory": "new", "topics": ("n",), "input": "i", "feedback": "f", "agent_id": "a", "team_id": "t"}
    manager.optimize_memories("u1", Does(lambda ms: [m.but(**everything, created_at=7, updated_at=8) for m in ms]), apply=True)
    manager.undo()
    assert dump(path) == before


def test_the_order_of_the_prompt_comes_back_where_the_rowid_was_taken_since(path):
    manager = MemoryManager(path)
    manager.optimize_memories("u1", Does(lambda ms: [m for m in ms if m.memory_id != "b"]), apply=True)
    sql(path, "INSERT INTO agno_memories (rowid, memory_id, memory, user_id, created_at) VALUES (2, 'late', '\"l\"', 'u1', 1)")
    late = [r for r in dump(path)["agno_memories"] if r[2] == b"late"]
    manager.undo()
    ids = [r["memory_id"] for r in records(path)]
    assert sorted(ids) == ["a", "b", "c", "d", "e", "late", "z"]
    assert [r for r in dump(path)["agno_memories"] if r[2] == b"late"] == late
    state = dump(path)
    manager.undo()
    assert "b" not in [r["memory_id"] for r in records(path)]
    manager.undo()
    assert dump(path) == state


def test_the_last_row_whose_rowid_the_agent_reuses_comes_back_beside_the_new_one(tmp_path):
    path = make_store(tmp_path / "agno.db", [row("a", "one", at=9), row("b", "two", at=1)])
    manager = MemoryManager(path)
    manager.optimize_memories("u1", RecentOnlyStrategy(keep=1), apply=True)
    with closing(sqlite3.connect(path)) as connection, connection:
        insert(connection, [row("late", "three")])
    assert [r["rowid"] for r in records(path)] == [1, 2]
    manager.undo()
    assert {r["memory_id"] for r in records(path)} == {"a", "b", "late"}


def test_what_was_written_since_stays(path):
    manager = MemoryManager(path)
    manager.optimize_memories("u1", Does(lambda ms: [ms[0].but(memory="x"), *ms[2:]]), apply=True)
    with closing(sqlite3.connect(path)) as connection, connection:
        insert(connection, [row("late", "new"), row("late2", "new", user="u2")])
        connection.execute("UPDATE agno_memories SET feedback = 'liked' WHERE memory_id = 'e'")
        connection.execute("DELETE FROM agno_memories WHERE memory_id = 'd'")
    manager.undo()
    stored = {r["memory_id"]: r for r in records(path)}
    assert set(stored) == {"a", "b", "c", "e", "z", "late", "late2"}
    assert stored["e"]["feedback"] == "liked"
    assert stored["a"]["memory"] == ODD[0]["memory"]


MOVES = {
    "the revised row was changed": ("UPDATE agno_memories SET feedback = 'x' WHERE memory_id = 'a'", "a was changed"),
    "the revised row is gone": ("DELETE FROM agno_memories WHERE memory_id = 'a'", "a is gone"),
    "the revised row has another owner": ("UPDATE agno_memories SET user_id = 'u2' WHERE memory_id = 'a'", "a is gone"),
    "the revised row has another type": ("UPDATE agno_memories SET agent_id = x'' WHERE memory_id = 'a'", "a was changed"),
    "the new row was changed": ("UPDATE agno_memories SET updated_at = 5 WHERE memory_id = 'sum'", "sum was changed"),
    "the new row is gone": ("DELETE FROM agno_memories WHERE memory_id = 'sum'", "sum is gone"),
    "the dropped id is there again": (
        "INSERT INTO agno_memories (memory_id, memory, user_id, created_at) VALUES ('b', '\"b\"', 'u1', 1)",
        "b is there again",
    ),
}


def a_run(manager):
    new = UserMemory("two and three", "sum", user_id="u1", sources=("b", "c"))
    return manager.optimize_memories("u1", Does(lambda ms: [ms[0].but(memory="x"), *ms[3:], new]), apply=True).run


@pytest.mark.parametrize("move", MOVES)
def test_a_row_of_the_run_that_moved_on_stops_the_whole_undo(path, move):
    manager = MemoryManager(path)
    run = a_run(manager)
    statement, said = MOVES[move]
    sql(path, statement)
    before = dump(path, own=True)
    for name in (None, run):
        with pytest.raises(ConflictError) as caught:
            manager.undo(name)
        assert said in str(caught.value) and run in str(caught.value)
        assert caught.value.exit_code == 5
        assert dump(path, own=True) == before


def test_skip_takes_back_the_rest_and_keeps_together_what_belongs_together(path):
    manager = MemoryManager(path)
    before = {r["memory_id"]: r for r in records(path)}
    a_run(manager)
    sql(path, MOVES["the new row was changed"][0])
    done = manager.undo(on_conflict="skip")
    assert set(done.skipped) == {"sum", "b", "c"}
    after = {r["memory_id"]: r for r in records(path)}
    assert after["a"] == before["a"]
    assert "b" not in after and "sum" in after
    assert manager.history()[0].run_id == done.run_id


def test_an_id_that_another_user_took_since_is_not_written_over(path):
    manager = MemoryManager(path)
    a_run(manager)
    sql(path, "INSERT INTO agno_memories (memory_id, memory, user_id, created_at) VALUES ('b', '\"b\"', 'u2', 1)")
    before = dump(path, own=True)
    for on_conflict in ("stop", "skip"):
        with pytest.raises(ConflictError):
            manager.undo(on_conflict=on_conflict)
        assert dump(path, own=True) == before


def test_a_run_is_not_taken_back_twice(path):
    manager = MemoryManager(path)
    run = a_run(manager)
    manager.undo(run)
    before = dump(path, own=True)
    with pytest.raises(ConflictError):
        manager.undo(run)
    assert dump(path, own=True) == before


def test_runs_can_be_taken_back_in_any_order_where_they_do_not_touch(path):
    before = dump(path)
    manager = MemoryManager(path)
    first = manager.optimize_memories("u1", Does(lambda ms: [m for m in ms if m.memory_id != "a"]), apply=True).run
    second = manager.optimize_memories("u1", Does(lambda ms: [m for m in ms if m.memory_id != "e"]), apply=True).run
    manager.undo(first)
    manager.undo(second)
    assert dump(path) == before


def test_an_older_run_whose_result_was_used_again_is_a_conflict(path):
    manager = MemoryManager(path)
    first = a_run(manager)
    manager.optimize_memories("u1", Does(lambda ms: [m for m in ms if m.memory_id != "sum"]), apply=True)
    before = dump(path, own=True)
    with pytest.raises(ConflictError, match="sum is gone"):
        manager.undo(first)
    assert dump(path, own=True) == before


def test_the_beginning_of_an_id_names_a_run_where_it_is_the_only_one(path):
    manager = MemoryManager(path)
    run = a_run(manager)
    for wrong in ("", "zzz", run + "0", "%", "_" * 8):
        with pytest.raises(UsageError):
            manager.undo(wrong)
    assert manager.undo(run[:5]).undoes == run


def test_a_word_that_is_no_way_to_meet_conflicts_is_refused(path):
    manager = MemoryManager(path)
    a_run(manager)
    before = dump(path, own=True)
    with pytest.raises(UsageError, match="'stop' or 'skip'"):
        manager.undo(on_conflict="Skip")
    assert dump(path, own=True) == before


def test_undo_works_after_a_column_was_added(path):
    manager = MemoryManager(path)
    before = {r["memory_id"]: r for r in records(path)}
    a_run(manager)
    sql(path, "ALTER TABLE agno_memories ADD COLUMN more TEXT NOT NULL DEFAULT 'm'")
    MemoryManager(path).undo()
    after = {r["memory_id"]: r for r in records(path)}
    assert after == {i: {**r, "more": "m"} for i, r in before.items()}


def test_pruned_runs_are_gone_and_the_others_can_still_be_taken_back(path):
    before = dump(path)
    manager = MemoryManager(path)
    first = manager.optimize_memories("u1", Does(lambda ms: [m for m in ms if m.memory_id != "a"]), apply=True).run
    between = dump(path)
    manager.optimize_memories("u1", Does(lambda ms: [m for m in ms if m.memory_id != "e"]), apply=True)
    for keep in (-1, -100):
        with pytest.raises(UsageError):
            manager.store.prune(keep=keep)
    assert len(manager.history()) == 2
    assert manager.store.prune(keep=1) == 1
    with pytest.raises(UsageError, match=first):
        manager.undo(first)
    manager.undo()
    assert dump(path) == between != before


def test_pruning_a_file_without_a_journal_writes_nothing(path, tmp_path):
    whole = {p.name: p.read_bytes() for p in tmp_path.iterdir()}
    assert MemoryManager(path).store.prune(keep=0) == 0
    assert {p.name: p.read_bytes() for p in tmp_path.iterdir()} == whole


def test_skip_that_would_leave_out_everything_is_a_conflict_and_no_run(path):
    manager = MemoryManager(path)
    manager.optimize_memories("u1", Does(one_for_all), apply=True)
    sql(path, MOVES["the new row was changed"][0])
    before = dump(path, own=True)
    with pytest.raises(ConflictError, match="nothing else"):
        manager.undo(on_conflict="skip")
    assert dump(path, own=True) == before

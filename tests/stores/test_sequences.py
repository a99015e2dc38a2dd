"""Any sequence of applies and undos ends in the same rows, byte for byte."""

from __future__ import annotations

import json
import sqlite3
import tempfile
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.agnofile import Sql, dump, insert, integrity, make_store, row

from memopt.errors import ConflictError, GuardError, UnknownUser
from memopt.manager import MemoryManager
from memopt.memory import UserMemory
from memopt.strategies.base import MemoryOptimizationStrategy

TEXTS = ["Likes tea", "likes tea.", "Likes jazz", "用户住在上海 🏙️", 'says "hi" \\ \n', "Has 2 cats", "Has 3 cats", ""]
RAW_MEMORIES = [
    *map(json.dumps, TEXTS),
    '"Likes tea"',
    '"用户"',  # not escaped: another writer
    "null",
    '{"memory": "Likes tea", "topics": ["x"]}',
    "\"{'memory_id': '1', 'memory': 'Likes tea'}\"",
    "not json",
    "42",
    Sql("CAST(x'22c32822' AS TEXT)"),
    Sql("x'00ff'"),
]
RAW_TIMES = [1767258000, 1767258000.5, "1767258000", "2026-01-05 09:00:00.123456+00:00", "2026-01-05T09:00:00", "soon", 0, -5]
RAW_TOPICS = ["null", "[]", None, '["music"]', '["b", "a"]', '[ "a" ]', "work", Sql("x'5b5d'")]
USERS = ["u1", "u1", "u1", "u2", None]

raw_rows = st.lists(
    st.fixed_dictionaries(
        {
            "memory": st.sampled_from(RAW_MEMORIES),
            "topics": st.sampled_from(RAW_TOPICS),
            "created_at": st.sampled_from(RAW_TIMES),
            "updated_at": st.sampled_from([*RAW_TIMES, None]),
            "user_id": st.sampled_from(USERS),
            "agent_id": st.sampled_from([None, "coach"]),
            "team_id": st.sampled_from([None, "t"]),
            "feedback": st.sampled_from([None, "positive"]),
            "input": st.sampled_from([None, "hi", "héé"]),
        }
    ),
    min_size=1,
    max_size=9,
)


class Shuffle(MemoryOptimizationStrategy):
    """Drops, revises and adds as a number says."""

    name = "shuffle"

    def __init__(self, seed, turn):
        super().__init__()
        self.seed, self.turn = seed, turn

    def steps(self, memories):
        kept = []
        for place, item in enumerate(memories):
            what = (self.seed >> (2 * place)) & 3
            if what == 1:
                kept.append(item.but(memory=f"{item.memory} v{self.seed}", topics=("再", '"')))
            elif what == 2 and place % 2:
                kept.append(item.but(updated_at=1790000000 + self.seed, feedback=None))
            elif what != 3:
                kept.append(item)
        if self.seed % 3 == 0 and memories:
            user, topics = memories[0].user_id, () if self.seed % 2 else None
            kept.append(UserMemory(f"New {self.turn} 🎻", user_id=user, topics=topics))
        return list(reversed(kept))


operations = st.lists(
    st.one_of(
        st.tuples(st.just("recent"), st.integers(1, 5), st.sampled_from(["u1", "u2", None])),
        st.tuples(st.just("dedupe"), st.just(0), st.sampled_from(["u1", "u2", None])),
        st.tuples(st.just("shuffle"), st.integers(0, 2**18), st.sampled_from(["u1", "u1", None])),
        st.tuples(st.just("undo"), st.just(0), st.just("u1")),
    ),
    min_size=1,
    max_size=8,
)


def written(rows):
    return [{**row(f"m{number}", ""), **values} for number, values in enumerate(rows)]


def perform(manager, operation):
    """One operation; returns the id of the run it made, or None."""
    what, number, user = operation
    try:
        if what == "undo":
            runs = manager.history()
            return manager.undo().run_id if runs else None
        strategy = Shuffle(number, len(manager.history())) if what == "shuffle" else what
        options = {"keep": number} if what == "recent" else None
        return manager.optimize_memories(user, strategy, apply=True, options=options, allow_empty=True).run
    except UnknownUser:
        return None


@given(raw_rows, operations, st.sampled_from(["delete", "wal"]), st.sampled_from(["3", "2.0", "migrated"]))
@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_taking_back_every_run_in_turn_passes_every_earlier_state(rows, sequence, journal, schema):
    with tempfile.TemporaryDirectory() as folder:
        path = make_store(Path(folder) / "s.db", written(rows), journal=journal, schema=schema)
        manager = MemoryManager(path)
        states, runs = [dump(path)], []
        for operation in sequence:
            run = perform(manager, operation)
            if run is None:
                assert dump(path) == states[-1]
                continue
            assert dump(path) != states[-1]
            runs.append(run)
            states.append(dump(path))
        for run in reversed(runs):
            assert dump(path) == states.pop()
            back = manager.undo(run)
            assert dump(path) == states[-1]
            # and forth and back again
            forth = manager.undo(back.run_id)
            manager.undo(forth.run_id)
            assert dump(path) == states[-1]
        assert len(manager.history()) == 4 * len(runs)
        assert integrity(path) == "ok"


@given(raw_rows, operations)
@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_rows_of_other_users_and_unreadable_rows_keep_every_byte(rows, sequence):
    with tempfile.TemporaryDirectory() as folder:
        path = make_store(Path(folder) / "s.db", written(rows))
        manager = MemoryManager(path)

        def others(unreadable):
            lines = dump(path)["agno_memories"]  # rowid, then type and bytes of memory_id, ... user_id
            return [line for line in lines if line[12] != b"u1" or line[2].decode() in unreadable]

        try:
            unreadable = {item.memory_id for item in manager.get_user_memories("u1").unreadable}
        except UnknownUser:
            unreadable = set()
        before = others(unreadable)
        for what, number, _ in sequence:
            perform(manager, (what, number, "u1"))
        assert others(unreadable) == before


@given(raw_rows, st.integers(0, 2**18), st.data())
@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_undo_after_somebody_wrote_restores_all_or_refuses_whole(rows, seed, data):
    with tempfile.TemporaryDirectory() as folder:
        path = make_store(Path(folder) / "s.db", written(rows))
        manager = MemoryManager(path)
        before = {line[2]: line for line in dump(path)["agno_memories"]}
        if perform(manager, ("shuffle", seed, "u1")) is None:
            return
        applied = {line[2]: line for line in dump(path)["agno_memories"]}
        touched = {key for key in before.keys() | applied.keys() if before.get(key) != applied.get(key)}
        victim = data.draw(st.sampled_from(sorted(applied))) if applied else None
        with sqlite3.connect(path) as connection:
            insert(connection, [row("agent", "Written since")])
            if victim is not None and data.draw(st.booleans()):
                connection.execute("UPDATE agno_memories SET feedback = 'since' WHERE memory_id = ?", (victim.decode(),))
            else:
                victim = None
        connection.close()
        there = dump(path, own=True)
        changed = victim is not None and dump(path)["agno_memories"] and victim in touched
        try:
            manager.undo()
        except (ConflictError, GuardError):
            assert changed
            assert dump(path, own=True) == there
            return
        assert not changed
        after = {line[2]: line for line in dump(path)["agno_memories"]}
        assert b"agent" in after
        for key, line in before.items():
            if key != victim:
                assert after[key][1:] == line[1:]
        assert set(after) == {*before, b"agent"}

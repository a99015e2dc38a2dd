"""What memopt writes, the real Agno reads back, equal in every column that the plan did not change and in the same order."""

from __future__ import annotations

import pytest

pytest.importorskip("agno.db.sqlite")

from support.agnofile import dump, fixture, integrity, records
from support.agnoside import (
    Scripted,
    agno_db,
    agno_delete,
    agno_migrates,
    agno_prompt,
    agno_reads,
    agno_upsert,
)

from memopt.errors import ConflictError
from memopt.manager import MemoryManager
from memopt.memory import to_epoch
from memopt.plan import Action
from memopt.strategies.base import MemoryOptimizationStrategy

FILES = ["agno_v3.db", "agno_v2.db", "agno_v20_migrated.db", "agno_v230_iso_times.db"]
STRATEGIES = [("recent", {"keep": 10}), ("dedupe", {}), ("summarize", {"on_loss": "accept"})]
SUMMARY = 'User\'s name is Wei Zhang (张伟) 🐶; "lives" in Berlin\\since 2025.'
OTHERS = ("u1", "u3", "u4", "default", None)


@pytest.fixture(params=FILES)
def file(request, tmp_path):
    path = fixture(request.param, tmp_path)
    agno_reads(path, "u2")  # Agno 3 switches older files to WAL on its first look; that is not memopt's doing
    return path


def _apply(path, strategy, options, user="u2"):
    return MemoryManager(path, Scripted()).optimize_memories(user, strategy, apply=True, options=options)


@pytest.mark.parametrize(("strategy", "options"), STRATEGIES)
def test_agno_reads_back_what_the_plan_said_and_all_else_as_it_was(file, strategy, options):
    before = agno_reads(file, "u2")
    plan = _apply(file, strategy, options)
    after = agno_reads(file, "u2")
    assert plan.run is not None
    assert len(after) < len(before)

    was = {row["memory_id"]: row for row in before}
    changes = {change.memory_id: change for change in plan.changes}
    for row in after:
        change = changes[row["memory_id"]]
        if change.action is Action.KEPT:
            assert row == was[row["memory_id"]]
        elif change.action is Action.REVISED:
            untouched = set(row) - set(change.changed_fields)
            assert {name: row[name] for name in untouched} == {name: was[row["memory_id"]][name] for name in untouched}
            assert change.changed_fields
        for name in ("memory", "user_id", "agent_id", "team_id", "input", "feedback"):
            assert row[name] == getattr(change.after, name), name
        assert tuple(row["topics"] or ()) == (change.after.topics or ())
        assert to_epoch(row["updated_at"]) == change.after.updated_at
    assert [row["memory_id"] for row in after] == [memory.memory_id for memory in plan.memories]


@pytest.mark.parametrize(("strategy", "options"), STRATEGIES)
def test_agents_prompt_holds_the_plans_memories_in_the_plans_order(file, strategy, options):
    before = agno_prompt(file, "u2")
    plan = _apply(file, strategy, options)
    after = agno_prompt(file, "u2")
    assert after == [memory.in_prompt for memory in plan]
    kept = [text for text in after if text in before]
    places = [before.index(text) for text in kept]
    assert places == sorted(places)


@pytest.mark.parametrize(("strategy", "options"), STRATEGIES)
def test_other_users_keep_every_byte(file, strategy, options):
    def others():
        return {user: [row for row in records(file) if row["user_id"] == user] for user in OTHERS}

    before = others()
    _apply(file, strategy, options)
    assert others() == before


@pytest.mark.parametrize(("strategy", "options"), STRATEGIES)
def test_undo_gives_agno_the_same_rows_in_the_same_order(file, strategy, options):
    before, whole = agno_reads(file, "u2"), dump(file)
    _apply(file, strategy, options)
    assert dump(file) != whole
    MemoryManager(file).undo()
    assert agno_reads(file, "u2") == before
    assert dump(file) == whole
    assert integrity(file) == "ok"


def test_agno_reads_what_memopt_wrote_about_migrated_reprs(tmp_path):
    path = fixture("agno_v18_migrated.db", tmp_path)
    before = agno_reads(path, "u1")
    plan = _apply(path, "recent", {"keep": 5}, user="u1")
    assert agno_reads(path, "u1") == [row for row in before if row["memory_id"] in {m.memory_id for m in plan}]
    assert agno_prompt(path, "u1") == [memory.in_prompt for memory in plan]


class Odd(MemoryOptimizationStrategy):
    """Revises the first memory and adds one, with everything that JSON must escape."""

    name = "odd"
    text = 'quotes " and \\ and \n newline, tab\t, 日本語 🎻👩‍👩‍👧, ﬁ, \u2028, NUL-free \u0001'
    topics = ('a"b', "话题", "🌶️", "")

    def steps(self, memories):
        first, *rest = memories
        added = first.but(memory_id=None, memory=self.text + " added", topics=None, input=None, feedback="positive")
        return [first.but(memory=self.text, topics=self.topics), *rest, added]


def test_odd_texts_arrive_in_agno_as_they_were_meant(file):
    before = len(agno_reads(file, "u2"))
    plan = MemoryManager(file).optimize_memories("u2", Odd(), apply=True)
    after = agno_reads(file, "u2")
    assert len(after) == before + 1
    assert (after[0]["memory"], after[0]["topics"]) == (Odd.text, list(Odd.topics))
    assert (after[-1]["memory"], after[-1]["topics"], after[-1]["feedback"]) == (Odd.text + " added", None, "positive")
    # the very bytes that Agno would have written: ASCII JSON, and the text null for no topics
    raw = records(file, "u2")
    assert raw[0]["memory"].isascii()
    assert raw[-1]["topics"] == "null"
    assert plan.of(Action.REVISED)[0].changed_fields == ("memory", "topics")


def test_bytes_that_memopt_writes_are_those_that_agno_writes(tmp_path):
    ours, theirs = fixture("agno_v3.db", tmp_path), tmp_path / "theirs.db"
    MemoryManager(ours).optimize_memories("u2", Odd(), apply=True)
    row = records(ours, "u2")[-1]
    agno_upsert(
        theirs,
        memory=Odd.text + " added",
        memory_id=row["memory_id"],
        user_id="u2",
        agent_id=row["agent_id"],
        feedback="positive",
        created_at=row["created_at"],
    )
    written = records(theirs, "u2")[0]
    for column in set(written) - {"rowid", "updated_at"}:
        assert (type(row[column]), row[column]) == (type(written[column]), written[column]), column


def test_agno_goes_on_writing_after_memopt(file):
    plan = _apply(file, "recent", {"keep": 10})
    kept = [memory.memory_id for memory in plan]
    agno_upsert(file, memory="User likes jazz.", memory_id="new", user_id="u2")
    agno_upsert(file, memory="User lives in Ulm.", memory_id=kept[0], user_id="u2", topics=["location"])
    agno_delete(file, kept[1], "u2")
    after = {row["memory_id"]: row["memory"] for row in agno_reads(file, "u2")}
    assert set(after) == {*kept, "new"} - {kept[1]}
    assert after[kept[0]] == "User lives in Ulm."
    with agno_db(file) as db:
        assert len(db.get_user_memories(user_id="u2")) == 10


def test_undo_keeps_what_agno_wrote_since(tmp_path):
    path = fixture("agno_v3.db", tmp_path)
    before = records(path, "u2")
    _apply(path, "recent", {"keep": 10})
    agno_upsert(path, memory="User likes jazz.", memory_id="new", user_id="u2", created_at=1_790_000_000)
    MemoryManager(path).undo()
    after = records(path, "u2")
    assert [row for row in after if row["memory_id"] != "new"] == before
    assert [row["memory"] for row in after if row["memory_id"] == "new"] == ['"User likes jazz."']


def test_undo_refuses_where_agno_changed_the_summary_since(tmp_path):
    path = fixture("agno_v3.db", tmp_path)
    summary = _apply(path, "summarize", {"on_loss": "accept"})[0]
    agno_upsert(path, memory="User is called Wei.", memory_id=summary.memory_id, user_id="u2")
    there = dump(path, own=True)
    with pytest.raises(ConflictError, match=str(summary.memory_id)):
        MemoryManager(path).undo()
    assert dump(path, own=True) == there


def test_agno_migrates_a_file_that_memopt_changed_and_undo_still_works(tmp_path):
    path = fixture("agno_v20.db", tmp_path)
    before = records(path, "u2")
    _apply(path, "recent", {"keep": 10})
    agno_migrates(path)
    assert len(agno_reads(path, "u2")) == 10
    MemoryManager(path).undo()
    after = records(path, "u2")
    assert [{name: row[name] for name in before[0]} for row in after] == before
    assert len(agno_reads(path, "u2")) == 40


def test_custom_table_is_changed_alone(tmp_path):
    path = fixture("agno_v3_custom_table.db", tmp_path)
    other = dump(path, "agno_memories")
    manager = MemoryManager(path, table="support_bot_memories")
    manager.optimize_memories("u1", "recent", apply=True, options={"keep": 3})
    assert len(records(path, "u1", table="support_bot_memories")) == 3
    assert dump(path, "agno_memories") == other
    with agno_db(path, table="support_bot_memories") as db:
        assert len(db.get_user_memories(user_id="u1")) == 3
    manager.undo()
    assert len(records(path, "u1", table="support_bot_memories")) == 12


def test_preview_leaves_file_and_folder_as_they_were(tmp_path):
    for name in [*FILES, "agno_v20.db"]:
        path = fixture(name, tmp_path)
        bytes_before, names = path.read_bytes(), sorted(item.name for item in tmp_path.iterdir())
        manager = MemoryManager(path, Scripted())
        for strategy, options in STRATEGIES:
            assert manager.optimize_memories("u2", strategy, options=options).run is None
        assert path.read_bytes() == bytes_before
        assert sorted(item.name for item in tmp_path.iterdir()) == names

"""A purge leaves no copy: not in the journal, not in the write-ahead log, not in the file's free space; or it says where."""

from __future__ import annotations

import contextlib
import json
import sqlite3

import pytest
from support.agnofile import Sql, insert, make_store, row

from memopt.errors import StoreLocked, UsageError
from memopt.manager import MemoryManager
from memopt.stores.base import MemoryStore
from memopt.strategies.base import Decision, MemoryOptimizationStrategy, Proposal
from memopt.strategies.dedupe import DedupeStrategy
from memopt.strategies.forget import ForgetStrategy

SECRET = "SECRETWORD"
TEXT = f"IBAN DE00 1234 {SECRET}"


def store_file(folder, journal, *rows, **more):
    rows = rows or (row("a", TEXT), row("b", "Likes tea"), row("c", f"User likes rice; her IBAN is DE00 1234 {SECRET}."))
    return make_store(folder / "agno.db", rows, journal=journal, **more)


def hits(path, secret=SECRET):
    """Files beside the store, it included, in which the secret stands, in any encoding."""
    return sorted(
        each.name
        for each in path.parent.iterdir()
        if any(secret.encode(code) in each.read_bytes() for code in ("utf-8", "utf-16-le", "utf-16-be"))
    )


def manager(path, **more):
    return MemoryManager(path, clock=lambda: 1_800_000_000, lock_timeout=more.pop("lock_timeout", 2.0), **more)


def forget(path, purge=True, **options):
    options = options or {"match": SECRET}
    made = manager(path)
    return made.apply(made.optimize_memories("u1", ForgetStrategy(**options)), purge=purge, allow_empty=True)


@pytest.mark.parametrize("journal", ["delete", "wal"])
def test_nothing_is_left_of_what_was_purged(tmp_path, journal):
    path = store_file(tmp_path, journal)
    assert hits(path) == ["agno.db"]
    done = forget(path)
    assert hits(path) == []
    assert done.run and not any("not erased" in note for note in done.notes)
    assert [item.memory for item in manager(path).store.read("u1").memories] == ["Likes tea", "User likes rice."]
    with contextlib.closing(sqlite3.connect(path)) as conn:
        assert conn.execute("PRAGMA journal_mode").fetchone() == (journal,)
        assert conn.execute("PRAGMA integrity_check").fetchone() == ("ok",)


@pytest.mark.parametrize("journal", ["delete", "wal"])
def test_copies_that_earlier_runs_left_go_too(tmp_path, journal):
    path = store_file(tmp_path, journal, row("a", TEXT), row("d", TEXT, at=1767258001), row("b", "Likes tea"))
    first = manager(path)
    dedupe = first.optimize_memories("u1", DedupeStrategy(), apply=True)
    plain = forget(path, purge=False)
    first.undo()
    assert hits(path) != []
    done = forget(path)
    assert hits(path) == []
    assert any("of earlier runs" in note for note in done.notes)
    for run in (dedupe.run, plain.run, done.run):
        with pytest.raises(UsageError, match="erased for good"):
            manager(path).undo(run)


@pytest.mark.parametrize("journal", ["delete", "wal"])
def test_a_plain_forget_can_be_purged_afterwards_by_the_same_request(tmp_path, journal):
    path = store_file(tmp_path, journal)
    plain = forget(path, purge=False)
    assert hits(path) != []
    done = forget(path)
    assert done.run is None and not done.has_changes
    assert hits(path) == []
    with pytest.raises(UsageError, match="erased for good"):
        manager(path).undo(plain.run)


def test_the_journal_keeps_ids_and_digests_and_not_a_word(tmp_path):
    path = store_file(tmp_path, "delete")
    run = forget(path, about="her IBAN").run
    with contextlib.closing(sqlite3.connect(path)) as conn:
        format_, about, rows = conn.execute("SELECT format, about, rows FROM memopt_journal").fetchone()
    assert format_ == 2
    options = json.loads(about)["steps"][0]["options"]
    assert options["about"] == "[erased]" and options["threshold"] == 0.6
    listed = {memory_id: (before, after) for memory_id, _, before, after in json.loads(rows)["rows"]}
    assert set(listed) == {"a", "c"}
    assert len(listed["a"][0]["erased"]) == 64 and listed["a"][1] is None
    assert set(listed["c"][0]) == set(listed["c"][1]) == {"erased"}
    (told,) = manager(path).history("u1")
    assert told.run_id == run and told.erased == 2 and told.to_dict()["erased"] == 2


def test_of_a_run_that_was_erased_in_part_the_rest_can_be_had_by_skip(tmp_path):
    path = store_file(tmp_path, "delete", row("a", TEXT), row("b", "Likes tea"), row("c", "Likes rice"))
    strategy = _Dropping("a", "b")
    run = manager(path).optimize_memories("u1", strategy, apply=True).run
    assert forget(path, match=SECRET).run is None  # it is in the journal alone
    assert hits(path) == []
    with pytest.raises(UsageError, match=r"1 of the 2 rows .* --on-conflict skip"):
        manager(path).undo(run)
    undone = manager(path).undo(run, on_conflict="skip")
    assert undone.skipped == ("a",)
    assert sorted(item.memory for item in manager(path).store.read("u1").memories) == ["Likes rice", "Likes tea"]


class _Dropping(MemoryOptimizationStrategy):
    name = "dropping"
    summary = "drops by id"

    def __init__(self, *ids):
        super().__init__()
        self._gone = ids

    def steps(self, memories):
        kept = [item for item in memories if item.memory_id not in self._gone]
        return Proposal(kept, {each: Decision("asked") for each in self._gone})


def test_other_users_rows_in_table_and_journal_are_not_touched(tmp_path):
    path = store_file(tmp_path, "delete", row("a", TEXT), row("b", "x"), row("o", TEXT, user="u2"), row("p", "y", user="u2"))
    other = manager(path).optimize_memories("u2", _Dropping("o"), apply=True).run
    forget(path)
    assert manager(path).store.read("u2").memories[0].memory == "y"
    manager(path).undo(other)
    assert {item.memory for item in manager(path).store.read("u2").memories} == {"y", TEXT}


def test_free_space_of_deletions_long_before_is_overwritten(tmp_path):
    path = store_file(tmp_path, "delete", row("a", TEXT), *(row(f"m{n}", f"fact {n}") for n in range(50)))
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as conn:
        conn.execute("PRAGMA secure_delete = OFF")
        conn.execute("DELETE FROM agno_memories WHERE memory_id = 'a'")
    assert hits(path) == ["agno.db"]  # as it is left by whoever deletes
    insert_one(path, row("z", "User's IBAN is DE00 1234 OTHERWORD"))
    forget(path, match="OTHERWORD")
    assert hits(path) == [] and hits(path, "OTHERWORD") == []


def insert_one(path, item):
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as conn:
        insert(conn, [item])


def test_an_open_connection_that_only_waits_is_no_hindrance(tmp_path):
    path = store_file(tmp_path, "wal")
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as conn:
        conn.execute("SELECT count(*) FROM agno_memories").fetchone()
        done = forget(path)
        assert hits(path) == []
        assert not any("not erased" in note for note in done.notes)


def test_a_reader_in_wal_mode_keeps_old_pages_and_that_is_said(tmp_path):
    path = store_file(tmp_path, "wal")
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as conn:
        conn.execute("BEGIN")
        conn.execute("SELECT count(*) FROM agno_memories").fetchone()
        made = manager(path, lock_timeout=0.1)
        done = made.apply(made.optimize_memories("u1", ForgetStrategy(match=SECRET)), purge=True)
        assert done.run, "the removal itself is committed"
        (left,) = [note for note in done.notes if note.startswith("not erased")]
        assert "agno.db-wal" in left and "--purge --apply" in left
        assert hits(path) != []
        conn.execute("COMMIT")
    forget(path)  # as the note said
    assert hits(path) == []


def test_a_reader_in_delete_mode_means_nothing_is_written(tmp_path):
    path = store_file(tmp_path, "delete")
    before = path.read_bytes()
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as conn:
        conn.execute("BEGIN")
        conn.execute("SELECT count(*) FROM agno_memories").fetchone()
        made = manager(path, lock_timeout=0.1)
        with pytest.raises(StoreLocked):
            made.apply(made.optimize_memories("u1", ForgetStrategy(match=SECRET)), purge=True)
    assert path.read_bytes() == before


def test_other_tables_that_tell_it_are_named_and_left_alone(tmp_path):
    sql = [
        "CREATE TABLE agno_sessions (session_id VARCHAR PRIMARY KEY, runs JSON)",
        f"INSERT INTO agno_sessions VALUES ('s', '[{{\"content\": \"my IBAN is DE00 1234 {SECRET}\"}}]')",
    ]
    path = store_file(tmp_path, "delete", sql=sql)
    done = forget(path, about="her IBAN")
    (left,) = [note for note in done.notes if note.startswith("not erased")]
    assert "agno_sessions" in left and "1 row" in left
    with contextlib.closing(sqlite3.connect(path)) as conn:
        assert SECRET in conn.execute("SELECT runs FROM agno_sessions").fetchone()[0]


def test_a_table_whose_rows_would_be_renumbered_is_spared_and_that_is_said(tmp_path):
    sql = [
        "CREATE TABLE notes (body TEXT)",
        "INSERT INTO notes VALUES ('one'), ('two'), ('three')",
        "DELETE FROM notes WHERE body = 'one'",
    ]
    path = store_file(tmp_path, "delete", sql=sql)
    done = forget(path)
    (left,) = [note for note in done.notes if note.startswith("not erased")]
    assert "notes" in left and "VACUUM" in left
    with contextlib.closing(sqlite3.connect(path)) as conn:
        assert conn.execute("SELECT rowid FROM notes ORDER BY 1").fetchall() == [(2,), (3,)]


def test_rowids_of_the_memories_outlive_it(tmp_path):
    path = store_file(tmp_path, "delete", row("a", "one"), row("b", TEXT), row("c", "three"))
    with contextlib.closing(sqlite3.connect(path)) as conn:
        before = conn.execute("SELECT rowid, memory_id FROM agno_memories WHERE memory_id != 'b'").fetchall()
    forget(path)
    with contextlib.closing(sqlite3.connect(path)) as conn:
        assert conn.execute("SELECT rowid, memory_id FROM agno_memories").fetchall() == before


def test_a_text_of_other_signs_is_found_in_every_spelling(tmp_path):
    path = store_file(tmp_path, "delete", row("a", "用户的密码是秘密词语九"), row("b", "x"))
    forget(path, match="秘密词语九")
    assert hits(path, "秘密词语九") == []
    assert hits(path, json.dumps("秘密词语九")[1:-1]) == []


def test_a_removal_that_fails_erases_nothing(tmp_path):
    trigger = "CREATE TRIGGER no BEFORE DELETE ON agno_memories BEGIN SELECT RAISE(ABORT, 'no'); END"
    path = store_file(tmp_path, "delete", row("a", TEXT), row("b", "Likes tea"))
    rename = manager(path)
    plan = rename.optimize_memories("u1", _Rewording(), apply=True)
    with contextlib.closing(sqlite3.connect(path)) as conn:
        conn.execute(trigger)
        before = conn.execute("SELECT about, rows FROM memopt_journal").fetchall()
        with pytest.raises(Exception, match="no"):
            forget(path)
        assert conn.execute("SELECT about, rows FROM memopt_journal").fetchall() == before
        conn.execute("DROP TRIGGER no")
    manager(path).undo(plan.run)


class _Rewording(MemoryOptimizationStrategy):
    name = "rewording"
    summary = "changes a text"

    def steps(self, memories):
        return [item.but(topics=("seen",)) for item in memories]


def test_a_store_that_cannot_purge_says_so_before_anything_is_done(tmp_path):
    path = store_file(tmp_path, "delete")
    made = manager(path)
    made.store.__class__ = type("Plain", (type(made.store),), {"capabilities": MemoryStore.capabilities})
    for call in (
        lambda: made.optimize_memories("u1", ForgetStrategy(match=SECRET), apply=True, purge=True),
        lambda: made.apply(made.optimize_memories("u1", ForgetStrategy(match=SECRET)), purge=True),
    ):
        with pytest.raises(UsageError, match="cannot erase for good"):
            call()
    assert hits(path) == ["agno.db"] and made.history() == []


def test_undecodable_rows_of_a_journal_are_no_hindrance(tmp_path):
    path = store_file(tmp_path, "delete", row("a", TEXT), row("b", "x", input=Sql("x'00ff'")), row("c", "y"))
    manager(path).optimize_memories("u1", _Dropping("b"), apply=True)
    forget(path)
    assert hits(path) == []


def test_any_strategy_can_be_purged_and_what_is_still_said_is_not_erased(tmp_path):
    rows = [
        row("a", "Likes tea", at=1),
        row("b", "Likes tea", at=2),
        row("c", "Likes the OLDWORD", at=3),
        row("d", "Likes rice", at=4),
    ]
    path = store_file(tmp_path, "delete", *rows)
    first = manager(path).optimize_memories("u1", DedupeStrategy(), apply=True).run
    made = manager(path)
    done = made.apply(made.optimize_memories("u1", _Dropping("c")), purge=True)
    assert hits(path, "OLDWORD") == [] and done.run
    made.undo(first)  # of tea nothing was to be erased
    assert sorted(item.memory for item in made.store.read("u1").memories) == ["Likes rice", "Likes tea", "Likes tea"]

"""Full disks, foreign triggers, locks, and a second process that writes while the model thinks."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest
from support.agnofile import (
    Sql,
    clean_environment,
    copy_store,
    dump,
    fixture,
    insert,
    integrity,
    journal_mode,
    make_store,
    many,
    memopt_json,
    records,
    row,
    run_memopt,
)
from support.agnoside import Scripted
from support.endpoint import Endpoint, say
from support.faults import Job, run_jobs

from memopt.errors import ConflictError, StoreError, StoreLocked
from memopt.manager import MemoryManager
from memopt.strategies.base import MemoryOptimizationStrategy

JOURNALS = ["delete", "wal"]
PAIRS = [
    row("a", "Lives in Lisbon", at=1767258000),
    row("b", "Likes tea", at=1767344400, topics=["tea"]),
    row("c", "Likes tea", at=1767430800),
    row("z", "Likes tea", user="u2", at=1767430800),
]


ONLY = {"on_loss": "accept"}
"""Options of a summary that stands alone whatever it lost: these tests are about rows, not about texts."""


class Rewrite(MemoryOptimizationStrategy):
    """Drops the first memory, revises the second and adds ten."""

    name = "rewrite"

    def steps(self, memories):
        from memopt.memory import UserMemory

        kept = [memories[1].but(memory="Rewritten 改"), *memories[2:]]
        return kept + [UserMemory(f"New {number}", user_id=memories[0].user_id) for number in range(10)]


def runs(path):
    return len(MemoryManager(path).history())


@pytest.fixture(params=JOURNALS)
def journal(request):
    return request.param


def process(code, *args):
    """A second process with its own connection; it says a line when it is ready."""
    child = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code), *map(str, args)],
        stdout=subprocess.PIPE,
        stdin=subprocess.PIPE,
        text=True,
        env=clean_environment(),
    )
    assert child.stdout.readline() == "ready\n"
    return child


# -- triggers of others ------------------------------------------------------------------------------------------------

BOOMS = {
    "delete": "CREATE TRIGGER boom BEFORE DELETE ON agno_memories BEGIN SELECT RAISE(ABORT, 'boom said no'); END",
    "insert": "CREATE TRIGGER boom BEFORE INSERT ON agno_memories BEGIN SELECT RAISE(ABORT, 'boom said no'); END",
    "update": "CREATE TRIGGER boom AFTER UPDATE ON agno_memories BEGIN SELECT RAISE(FAIL, 'boom said no'); END",
    "fourth": "CREATE TRIGGER boom AFTER INSERT ON agno_memories WHEN new.memory LIKE '%New 3%' "
    "BEGIN SELECT RAISE(ROLLBACK, 'boom said no'); END",
    "ignored": "CREATE TRIGGER boom BEFORE DELETE ON agno_memories BEGIN SELECT RAISE(IGNORE); END",
}


@pytest.mark.parametrize("boom", BOOMS)
def test_a_trigger_that_refuses_leaves_all_rows_and_no_journal(boom, journal, tmp_path):
    path = make_store(tmp_path / "s.db", PAIRS, journal=journal, sql=[BOOMS[boom]])
    before = dump(path)
    with pytest.raises(StoreError) as raised:
        MemoryManager(path).optimize_memories("u1", Rewrite(), apply=True)
    assert "boom" in str(raised.value)
    assert len(str(raised.value).splitlines()) == 1
    assert dump(path) == before
    assert runs(path) == 0
    assert integrity(path) == "ok"


def test_the_command_line_names_the_trigger_and_sqlites_words(tmp_path):
    path = make_store(tmp_path / "s.db", PAIRS, sql=[BOOMS["delete"]])
    before = dump(path)
    done = run_memopt("optimize", "--db", path, "--user", "u1", "--strategy", "dedupe", "--apply")
    assert done.returncode == 6
    assert "boom said no" in done.stderr
    assert "Traceback" not in done.stderr
    assert dump(path) == before


def test_a_broken_full_text_trigger_is_named(tmp_path):
    path = make_store(
        tmp_path / "s.db",
        PAIRS,
        sql=[
            "CREATE VIRTUAL TABLE mfts USING fts5(memory, content='')",
            "INSERT INTO mfts(rowid, memory) SELECT rowid, memory FROM agno_memories",
            "CREATE TRIGGER mem_ad AFTER DELETE ON agno_memories BEGIN DELETE FROM mfts WHERE rowid = old.rowid; END",
        ],
    )
    before = dump(path)
    done = run_memopt("optimize", "--db", path, "--user", "u1", "--strategy", "dedupe", "--apply")
    assert done.returncode == 6, done.stderr
    assert "mem_ad" in done.stderr
    assert dump(path) == before
    assert runs(path) == 0


def test_triggers_that_work_go_on_working(journal, tmp_path):
    path = make_store(
        tmp_path / "s.db",
        PAIRS,
        journal=journal,
        sql=[
            "CREATE TABLE log (what, id)",
            "CREATE TRIGGER d AFTER DELETE ON agno_memories BEGIN INSERT INTO log VALUES ('del', old.memory_id); END",
            "CREATE TRIGGER i AFTER INSERT ON agno_memories BEGIN INSERT INTO log VALUES ('ins', new.memory_id); END",
        ],
    )
    before = dump(path, "agno_memories")
    MemoryManager(path).optimize_memories("u1", "dedupe", apply=True)
    MemoryManager(path).undo()
    assert dump(path, "agno_memories") == before
    with sqlite3.connect(path) as connection:
        assert connection.execute("SELECT what, id FROM log").fetchall() == [("del", "b"), ("ins", "b")]
    connection.close()


# -- a full disk -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", ["apply", "undo"])
def test_a_full_disk_leaves_the_old_state(command, journal, tmp_path):
    base = make_store(tmp_path / "base.db", many(400), journal=journal)
    args = ["optimize", "--user", "u1", "--strategy", "recent", "-o", "keep=50", "--apply"]
    if command == "undo":
        MemoryManager(base).optimize_memories("u1", "recent", apply=True, options={"keep": 50})
        with sqlite3.connect(base) as connection:  # give back the free pages that undo would reuse
            connection.execute("VACUUM")
        connection.close()
        args = ["undo"]
    before, runs_before = dump(base, own=True), runs(base)
    rooms = [0, 1, 2, 5, 10, 20]
    paths = [copy_store(base, tmp_path / f"room{room}.db") for room in rooms]
    outcomes = run_jobs([Job([*args, "--db", str(p)], max_pages_more=r) for r, p in zip(rooms, paths, strict=True)])
    assert outcomes[0].code == 6
    assert {outcome.code for outcome in outcomes} <= {0, 6}
    for outcome, path in zip(outcomes, paths, strict=True):
        assert integrity(path) == "ok"
        assert journal_mode(path) == journal
        if outcome.code == 0:  # the pages of the rows that went were room enough
            assert runs(path) == runs_before + 1
            continue
        assert "full" in outcome.stderr
        assert "Traceback" not in outcome.stderr
        assert dump(path, own=True) == before
        assert runs(path) == runs_before
    # with room again it goes through
    (done,) = run_jobs([Job([*args, "--db", str(paths[0])])])
    assert done.code == 0
    assert runs(paths[0]) == runs_before + 1


@pytest.mark.skipif(sys.platform != "linux" or os.geteuid() != 0, reason="mounts a small file system")
def test_a_file_system_without_room_leaves_the_old_state(journal, tmp_path):
    small = tmp_path / "small"
    small.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(small)], capture_output=True, check=False)
    if mounted.returncode:
        pytest.skip("may not mount")
    try:
        path = make_store(small / "s.db", many(1200), journal=journal)
        before = dump(path)
        filler = small / "filler"
        with filler.open("wb", buffering=0) as file, contextlib.suppress(OSError):
            while file.write(b"x" * 4096):
                pass
        done = run_memopt("optimize", "--db", path, "--user", "u1", "--strategy", "recent", "-o", "keep=10", "--apply")
        assert done.returncode == 6, (done.returncode, done.stderr)
        assert "Traceback" not in done.stderr
        filler.unlink()
        assert integrity(path) == "ok"
        assert dump(path) == before
        assert runs(path) == 0
    finally:
        subprocess.run(["umount", "-l", str(small)], check=True)


# -- locks -------------------------------------------------------------------------------------------------------------

HOLD = """
    import sqlite3, sys, time
    connection = sqlite3.connect(sys.argv[1], isolation_level=None)
    connection.execute("BEGIN " + sys.argv[2])
    print("ready", flush=True)
    time.sleep(float(sys.argv[3]))
    connection.execute("ROLLBACK")
    connection.close()
"""


@pytest.mark.parametrize("kind", ["IMMEDIATE", "EXCLUSIVE"])
def test_a_lock_that_goes_away_is_waited_for(kind, journal, tmp_path):
    path = make_store(tmp_path / "s.db", PAIRS, journal=journal)
    holder = process(HOLD, path, kind, 0.7)
    plan = MemoryManager(path, lock_timeout=10).optimize_memories("u1", "dedupe", apply=True)
    holder.communicate(timeout=10)
    assert plan.run is not None
    assert len(records(path, "u1")) == 2


@pytest.mark.parametrize("kind", ["IMMEDIATE", "EXCLUSIVE"])
def test_a_lock_that_stays_is_a_clear_error_and_no_model_is_paid(kind, journal, tmp_path):
    path = make_store(tmp_path / "s.db", PAIRS, journal=journal)
    before = dump(path)
    model = Scripted()
    holder = process(HOLD, path, kind, 60)
    try:
        begun = time.monotonic()
        with pytest.raises(StoreLocked, match="locked by another process"):
            MemoryManager(path, model, lock_timeout=0.3).optimize_memories("u1", "summarize", apply=True, options=ONLY)
        assert time.monotonic() - begun < 5
        done = run_memopt("optimize", "--db", path, "--user", "u1", "--strategy", "dedupe", "--apply", "--lock-timeout", "0.2")
    finally:
        holder.kill()
        holder.communicate(timeout=10)
    assert model.asked == []
    assert done.returncode == 6
    assert "--lock-timeout" in done.stderr
    assert dump(path) == before


def test_a_preview_of_a_file_in_wal_mode_does_not_wait_for_a_writer(tmp_path):
    path = make_store(tmp_path / "s.db", PAIRS, journal="wal")
    holder = process(HOLD, path, "IMMEDIATE", 60)
    try:
        assert MemoryManager(path, lock_timeout=0.3).optimize_memories("u1", "dedupe").counts["dropped"] == 1
    finally:
        holder.kill()
        holder.communicate(timeout=10)


def test_a_lock_taken_while_the_model_thinks_loses_nothing(journal, tmp_path):
    path = make_store(tmp_path / "s.db", PAIRS, journal=journal)
    before = dump(path)
    holders = []
    model = Scripted(during=lambda: holders.append(process(HOLD, path, "IMMEDIATE", 60)))
    try:
        with pytest.raises(StoreLocked):
            MemoryManager(path, model, lock_timeout=0.3).optimize_memories("u1", "summarize", apply=True, options=ONLY)
    finally:
        for holder in holders:
            holder.kill()
            holder.communicate(timeout=10)
    assert len(model.asked) == 1
    assert dump(path) == before


BUSY = """
    import sqlite3, sys, time
    connection = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=10)
    print("ready", flush=True)
    number = 0
    while True:
        connection.execute(
            "INSERT INTO agno_memories (memory_id, memory, user_id, topics, created_at) VALUES (?, '\\"A\\"', 'u1', 'null', ?)",
            (f"agent{number}", 1767700000 + number),
        )
        number += 1
        time.sleep(0.03)
"""


def test_an_agent_that_commits_all_the_time_is_no_reason_to_fail_and_loses_nothing(journal, tmp_path):
    path = make_store(tmp_path / "s.db", [row("a", "A"), row("b", "A", at=1767344400)], journal=journal)
    agent = process(BUSY, path)
    try:
        for _ in range(5):
            plan = MemoryManager(path).optimize_memories("u1", "dedupe", apply=True)
            time.sleep(0.1)
        seen = [change.memory_id for change in plan.changes if change.memory_id.startswith("agent")]
        seen_last = max(int(name[5:]) for name in seen)
    finally:
        agent.kill()
        agent.communicate(timeout=10)
    assert integrity(path) == "ok"  # the agent may have died in the midst of a commit
    numbers = sorted(int(item["memory_id"][5:]) for item in records(path, "u1") if item["memory_id"].startswith("agent"))
    # none that came after the last read is missing
    newest = [number for number in numbers if number > seen_last]
    assert newest == list(range(seen_last + 1, seen_last + 1 + len(newest)))


# -- a second process while the model thinks ---------------------------------------------------------------------------


def elsewhere(path, *statements, rows=()):
    """Write from another process, and wait for it."""
    code = """
        import json, sqlite3, sys
        sys.path.insert(0, sys.argv[1])
        from support.agnofile import Sql, insert
        connection = sqlite3.connect(sys.argv[2], isolation_level=None, timeout=5)
        insert(connection, json.loads(sys.argv[3]))
        for statement in json.loads(sys.argv[4]):
            connection.execute(statement)
        connection.close()
        print("ready", flush=True)
    """
    tests = Path(__file__).resolve().parents[1]
    process(code, tests, path, json.dumps(list(rows)), json.dumps(list(statements))).communicate(timeout=10)


def test_what_is_added_while_the_model_thinks_survives(journal, tmp_path):
    path = make_store(tmp_path / "s.db", PAIRS, journal=journal)
    new = row("new", "Allergic to peanuts", at=1790000000)
    model = Scripted(during=lambda: elsewhere(path, rows=[new]))
    plan = MemoryManager(path, model).optimize_memories("u1", "summarize", apply=True, options=ONLY)
    assert plan.run is not None
    assert [item["memory"] for item in records(path, "u1")] == ['"Allergic to peanuts"', '"Lives in Lisbon"']
    assert "peanuts" not in model.asked[0].prompt
    MemoryManager(path).undo()
    assert {item["memory_id"] for item in records(path, "u1")} == {"a", "b", "c", "new"}


@pytest.mark.parametrize(
    ("statement", "word"),
    [
        ("UPDATE agno_memories SET memory = '\"Lives in Porto\"' WHERE memory_id = 'a'", "changed"),
        ("UPDATE agno_memories SET topics = '[]' WHERE memory_id = 'a'", "changed"),
        ("UPDATE agno_memories SET feedback = 'positive' WHERE memory_id = 'a'", "changed"),
        ("UPDATE agno_memories SET updated_at = updated_at + 1 WHERE memory_id = 'a'", "changed"),
        ("UPDATE agno_memories SET created_at = '2026-01-01 09:00:00' WHERE memory_id = 'a'", "changed"),
        ("UPDATE agno_memories SET user_id = 'u2' WHERE memory_id = 'a'", "gone"),
        ("DELETE FROM agno_memories WHERE memory_id = 'a'", "gone"),
    ],
)
def test_what_is_changed_while_the_model_thinks_is_a_conflict_that_writes_nothing(statement, word, journal, tmp_path):
    path = make_store(tmp_path / "s.db", PAIRS, journal=journal)
    model = Scripted(during=lambda: elsewhere(path, statement))
    manager = MemoryManager(path, model)
    with pytest.raises(ConflictError, match=rf"\ba .*{word}") as raised:
        manager.optimize_memories("u1", "summarize", apply=True, options=ONLY)
    assert [each["memory_id"] for each in raised.value.details["conflicts"]] == ["a"]
    there = dump(path)
    fresh = make_store(tmp_path / "fresh.db", PAIRS, journal=journal)
    elsewhere(fresh, statement)
    assert there == dump(fresh)
    assert runs(path) == 0


def test_a_survivor_that_goes_while_nobody_looks_saves_its_duplicate(journal, tmp_path):
    path = make_store(tmp_path / "s.db", PAIRS, journal=journal)
    manager = MemoryManager(path)
    plan = manager.optimize_memories("u1", "dedupe")
    assert [change.memory_id for change in plan.changes if change.after is None] == ["b"]
    elsewhere(path, "DELETE FROM agno_memories WHERE memory_id = 'c'")
    with pytest.raises(ConflictError, match="c is gone"):
        manager.apply(plan)
    assert [item["memory_id"] for item in records(path, "u1")] == ["a", "b"]


def test_skipping_conflicts_leaves_out_all_that_is_tied_to_them(journal, tmp_path):
    extra = [row("d", "Has a cat", at=1767517200), row("e", "Has a cat", at=1767603600)]
    path = make_store(tmp_path / "s.db", [*PAIRS, *extra], journal=journal)
    manager = MemoryManager(path)
    plan = manager.optimize_memories("u1", "dedupe")
    elsewhere(path, "UPDATE agno_memories SET memory = '\"Likes mate\"' WHERE memory_id = 'c'")
    done = manager.apply(plan, on_conflict="skip")
    assert done.run is not None
    assert [item["memory_id"] for item in records(path, "u1")] == ["a", "b", "c", "e"]
    manager.undo()
    assert [item["memory_id"] for item in records(path, "u1")] == ["a", "b", "c", "d", "e"]


def test_a_summary_is_skipped_whole_where_one_source_moved_on(tmp_path):
    path = make_store(tmp_path / "s.db", PAIRS)
    model = Scripted(during=lambda: elsewhere(path, "DELETE FROM agno_memories WHERE memory_id = 'a'"))
    plan = MemoryManager(path, model).optimize_memories("u1", "summarize", apply=True, options=ONLY, on_conflict="skip")
    assert plan.run is None
    assert [item["memory_id"] for item in records(path, "u1")] == ["b", "c"]
    assert runs(path) == 0


def test_an_id_that_another_user_takes_meanwhile_is_a_conflict_and_keeps_both(tmp_path):
    path = make_store(tmp_path / "s.db", PAIRS)
    manager = MemoryManager(path, Scripted())
    plan = manager.optimize_memories("u1", "summarize", options=ONLY)
    elsewhere(path, rows=[row(plan[0].memory_id, "Mine", user="u9")])
    before = dump(path)
    with pytest.raises(ConflictError):
        manager.apply(plan)
    assert dump(path) == before
    assert runs(path) == 0


def test_the_command_line_reports_a_conflict_from_the_time_of_the_model_call(tmp_path):
    path = make_store(tmp_path / "s.db", PAIRS)

    def answer(request):
        elsewhere(path, "UPDATE agno_memories SET memory = '\"Lives in Porto\"' WHERE memory_id = 'a'")
        return say("Lives in Lisbon")

    with Endpoint(answer) as endpoint:
        done = run_memopt(
            "optimize", "--db", path, "--user", "u1", "--strategy", "summarize", "--apply",
            "-o", "on-loss=accept", "--model", "any", "--base-url", endpoint.base_url,
        )  # fmt: skip
    assert done.returncode == 5, (done.stdout, done.stderr)
    assert "a was changed" in done.stderr
    assert len(records(path, "u1")) == 3


# -- many rows ---------------------------------------------------------------------------------------------------------


def test_40000_rows_go_in_one_transaction_and_come_back(tmp_path):
    path = make_store(tmp_path / "s.db", many(40_000), journal="wal")
    before = dump(path)
    manager = MemoryManager(path)
    plan = manager.optimize_memories("u1", "recent", apply=True, options={"keep": 1})
    assert plan.counts["dropped"] == 39_999
    assert len(records(path)) == 1
    manager.undo()
    assert dump(path) == before


def test_a_small_limit_of_variables_is_no_limit(journal, tmp_path):
    path = make_store(tmp_path / "s.db", many(1500), journal=journal)
    before = dump(path)
    args = ["optimize", "--db", str(path), "--user", "u1", "--strategy", "recent", "-o", "keep=1", "--apply"]
    applied, undone = run_jobs([Job(args, variables=20), Job(["undo", "--db", str(path)], variables=20)])
    assert (applied.code, undone.code) == (0, 0), (applied.stderr, undone.stderr)
    assert sum(statement.startswith("BEGIN IMMEDIATE") for statement in applied.statements) <= 2
    assert dump(path) == before


def test_of_four_that_apply_at_once_one_writes_and_the_others_say_so(journal, tmp_path):
    path = make_store(tmp_path / "s.db", many(2000), journal=journal)
    command = [sys.executable, "-m", "memopt", "optimize", "--db", str(path), "--user", "u1", "--strategy", "recent"]
    command += ["-o", "keep=10", "--apply", "--json", "--lock-timeout", "30"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "env": clean_environment()}
    children = [subprocess.Popen(command, **pipes) for _ in range(4)]
    outputs = [child.communicate(timeout=60) for child in children]
    codes = sorted(child.returncode for child in children)
    # who comes late finds nothing to do, or that his plan is stale
    assert codes[0] == 0, outputs
    assert set(codes) <= {0, 5}, outputs
    assert len(records(path)) == 10
    assert runs(path) == 1


def test_columns_that_somebody_added_are_kept_filled_and_restored(journal, tmp_path):
    path = make_store(
        tmp_path / "s.db",
        PAIRS,
        journal=journal,
        sql=[
            "ALTER TABLE agno_memories ADD COLUMN tenant TEXT NOT NULL DEFAULT 'acme'",
            "ALTER TABLE agno_memories ADD COLUMN score REAL DEFAULT 0.5",
            "UPDATE agno_memories SET score = 0.9, tenant = 'other' WHERE memory_id = 'b'",
        ],
    )
    before = dump(path)
    MemoryManager(path).optimize_memories("u1", Rewrite(), apply=True)
    after = {item["memory"]: (item["tenant"], item["score"]) for item in records(path, "u1")}
    assert after['"Rewritten \\u6539"'] == ("other", 0.9)
    assert after['"New 0"'] == ("acme", 0.5)
    MemoryManager(path).undo()
    assert dump(path) == before


def test_a_revision_writes_only_the_columns_that_change(tmp_path):
    names = ("input", "agent_id", "team_id", "topics", "feedback", "created_at", "updated_at", "user_id", "memory_id")
    path = make_store(
        tmp_path / "s.db",
        PAIRS,
        sql=[
            f"CREATE TRIGGER no_{name} BEFORE UPDATE OF {name} ON agno_memories BEGIN SELECT RAISE(ABORT, 'touched'); END"
            for name in names
        ],
    )
    MemoryManager(path).optimize_memories("u1", Rewrite(), apply=True)
    assert '"Rewritten \\u6539"' in [item["memory"] for item in records(path)]


def test_undo_after_vacuum_brings_all_rows_back_in_order(tmp_path):
    path = make_store(tmp_path / "s.db", many(20))
    before = [(item["memory_id"], item["memory"]) for item in records(path)]
    MemoryManager(path).optimize_memories("u1", "recent", apply=True, options={"keep": 5})
    connection = sqlite3.connect(path)
    connection.execute("VACUUM")
    connection.close()
    MemoryManager(path).undo()
    assert [(item["memory_id"], item["memory"]) for item in records(path)] == before


def test_a_file_in_utf16_is_applied_and_undone(tmp_path):
    path = tmp_path / "s.db"
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA encoding = 'UTF-16le'")
    connection.execute("CREATE TABLE first (x)")
    connection.close()
    make_store(path, [row("a", "Likes 茶 🎻", input="héé 茶"), row("b", "用户", at=1767344400)])
    before = dump(path)
    MemoryManager(path).optimize_memories("u1", "recent", apply=True, options={"keep": 1})
    MemoryManager(path).undo()
    assert dump(path) == before


@pytest.mark.parametrize("encoding", ["UTF-16le", "UTF-16be"])
@pytest.mark.parametrize("column", ["memory", "topics", "input", "team_id"])
@pytest.mark.parametrize("bad", ["d83d", "d83d0041", "dc000041", "0041dc00d83d"])
def test_a_row_whose_utf16_is_malformed_is_reported_and_left_alone_byte_for_byte(tmp_path, encoding, column, bad):
    """SQLite mends half a surrogate pair while it reads: an undo could not put the bytes back."""
    path = tmp_path / "s.db"
    connection = sqlite3.connect(path)
    connection.execute(f"PRAGMA encoding = '{encoding}'")
    connection.execute("CREATE TABLE first (x)")
    connection.close()
    text = bytes.fromhex(bad)
    if encoding == "UTF-16le":
        text = b"".join(text[at : at + 2][::-1] for at in range(0, len(text), 2))
    whole = '"a"'.encode(encoding[:-2] + "-" + encoding[-2:]) if column in ("memory", "topics") else b""
    cut = len(whole) - 2 if whole else 0
    value = Sql(f"CAST(x'{(whole[:cut] + text + whole[cut:]).hex()}' AS TEXT)")
    rows = [row("a", "Likes tea 🎻"), {**row("bad", "Likes jazz"), column: value}, row("b", "Likes rice", at=1767344400)]
    path = make_store(path, rows)
    sql = "SELECT hex(CAST(memory AS BLOB)), hex(CAST(topics AS BLOB)), hex(CAST(input AS BLOB)), hex(CAST(team_id AS BLOB)) FROM agno_memories ORDER BY rowid"
    before = sqlite3.connect(path).execute(sql).fetchall()
    manager = MemoryManager(path)
    assert [(item.memory_id, item.problem) for item in manager.store.read("u1").unreadable] == [
        ("bad", f"{column} is not valid UTF-16")
    ]
    assert [s.unreadable[0].memory_id for s in manager.store.snapshots()] == ["bad"]
    manager.optimize_memories("u1", "recent", apply=True, options={"keep": 1})
    assert len(sqlite3.connect(path).execute(sql).fetchall()) == 2
    manager.undo()
    assert sqlite3.connect(path).execute(sql).fetchall() == before


# -- where files are ---------------------------------------------------------------------------------------------------


def test_a_read_only_file_can_be_previewed_and_says_why_it_is_not_written(journal, tmp_path):
    path = make_store(tmp_path / "s.db", PAIRS, journal=journal)
    before = path.read_bytes()
    path.chmod(0o444)
    tmp_path.chmod(0o555)
    # root is bound by the modes of files only without its capabilities
    bound = ["setpriv", "--bounding-set=-all", "--inh-caps=-all"] if os.geteuid() == 0 else []
    if bound and shutil.which("setpriv") is None:
        pytest.skip("root may write read-only files")
    command = [sys.executable, "-m", "memopt", "optimize", "--db", str(path), "--user", "u1", "--strategy", "dedupe"]
    try:
        run = {"capture_output": True, "text": True, "env": clean_environment(), "check": False, "timeout": 60}
        seen = subprocess.run([*bound, *command], **run)
        refused = subprocess.run([*bound, *command, "--apply"], **run)
    finally:
        tmp_path.chmod(0o755)
    assert seen.returncode == 0, seen.stderr
    assert refused.returncode == 6, (refused.returncode, refused.stderr)
    assert "Traceback" not in refused.stderr
    assert path.read_bytes() == before
    assert [item.name for item in tmp_path.iterdir()] == ["s.db"]


def test_rows_only_in_the_wal_of_a_running_agent_are_seen_and_kept(tmp_path):
    path = make_store(tmp_path / "s.db", [], journal="wal")
    agent = sqlite3.connect(path, isolation_level=None)
    agent.execute("PRAGMA wal_autocheckpoint = 0")
    insert(agent, many(50))
    main = path.read_bytes()
    wal = path.with_name("s.db-wal").read_bytes()
    assert len(MemoryManager(path).get_user_memories("u1").memories) == 50
    assert (path.read_bytes(), path.with_name("s.db-wal").read_bytes()) == (main, wal)
    MemoryManager(path).optimize_memories("u1", "recent", apply=True, options={"keep": 20})
    assert agent.execute("SELECT count(*) FROM agno_memories").fetchone() == (20,)
    agent.execute("UPDATE agno_memories SET feedback = 'x'")
    agent.close()
    assert integrity(path) == "ok"
    assert len(records(path)) == 20


ODD_NAMES = ["mem#1.db", "mem?mode=rwc&x=.db", "a%20b.db", "my db ü 日本.db", "file:mem.db", "-mem.db", "a'b\"c.db"]


@pytest.mark.parametrize("name", ODD_NAMES)
def test_the_file_that_was_named_is_the_one_opened(name, tmp_path):
    path = make_store(tmp_path / "plain.db", PAIRS)
    path.rename(tmp_path / name)
    shown = memopt_json("optimize", f"--db=./{name}", "--user", "u1", "--strategy", "dedupe", "--apply", cwd=tmp_path)
    assert shown
    assert [item.name for item in tmp_path.iterdir()] == [name]
    copy = copy_store(tmp_path / name, tmp_path / "look.db")
    assert len(records(copy, "u1")) == 2


def test_a_missing_file_is_an_error_and_is_not_made(tmp_path):
    done = run_memopt("users", "--db", tmp_path / "no.db")
    assert done.returncode == 6
    assert list(tmp_path.iterdir()) == []


def test_older_files_are_applied_and_undone_through_the_command_line(tmp_path):
    for name in ("agno_v2.db", "agno_v20_migrated.db"):
        path = fixture(name, tmp_path)
        before, mode = dump(path), journal_mode(path)
        done = memopt_json("optimize", "--db", path, "--user", "u3", "--strategy", "dedupe", "--apply")
        assert done
        assert len(records(path, "u3")) < 300
        run_memopt("undo", "--db", path)
        assert dump(path) == before
        assert journal_mode(path) == mode
        assert not path.with_name(name + "-wal").exists()

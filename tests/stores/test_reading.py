"""Reading never writes: the same bytes and the same files afterwards, whatever state the file is in."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import tempfile
import textwrap
from contextlib import closing, contextmanager

import pytest
from support.agnofile import clean_environment, insert, make_store, many, row, run_memopt

from memopt.errors import StoreError
from memopt.stores import open_store
from memopt.stores.agno_sqlite import AgnoSqliteStore

MODES = ("delete", "truncate", "persist", "wal")


def files(folder):
    """Names and bytes of all files; of ``-shm`` only the name, because readers of a WAL file keep their marks in it."""
    return {
        path.name: None if path.name.endswith("-shm") else path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


@pytest.fixture
def scratch(tmp_path_factory, monkeypatch):
    """The folder for private copies, which must be empty afterwards."""
    folder = tmp_path_factory.mktemp("tmpdir")
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr(tempfile, "tempdir", None)
    yield folder
    assert list(folder.iterdir()) == []


def look_at_everything(path):
    store = open_store(str(path))
    found = [m.memory_id for m in store.read("u1").memories]
    assert [m.memory_id for s in store.snapshots() for m in s.memories] == found
    assert store.user_ids() == (["u1"] if found else [])
    assert store.history() == []
    return found


@contextmanager
def other_process(path, *statements, then="wait", mode="wal"):
    """Another process that has the file open, after having run statements; ``then="die"``: it is gone by SIGKILL."""
    code = textwrap.dedent(
        """
        import os, signal, sqlite3, sys
        connection = sqlite3.connect(sys.argv[1], isolation_level=None)
        connection.execute("PRAGMA cache_size = 1")
        connection.execute("PRAGMA cache_spill = 1")
        for statement in sys.argv[2:]:
            connection.execute(statement).fetchall()
        print("ready", flush=True)
        sys.stdin.read()
        """
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code, str(path), f"PRAGMA journal_mode = {mode}", *statements],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    try:
        assert process.stdout.readline() == b"ready\n"
        if then == "die":
            process.send_signal(signal.SIGKILL)
            process.wait()
        yield process
    finally:
        process.stdin.close()
        process.wait()
        process.stdout.close()


INSERT = "INSERT INTO agno_memories (memory_id, memory, user_id, topics, created_at) VALUES ('{}', '\"x\"', 'u1', 'null', 1)"


@pytest.mark.parametrize("mode", MODES)
def test_a_file_that_was_closed_keeps_its_bytes_and_gets_no_company(tmp_path, scratch, mode):
    path = make_store(tmp_path / "agno.db", many(20, user="u1"), journal=mode)
    before = files(tmp_path)
    assert len(look_at_everything(path)) == 20
    assert files(tmp_path) == before


@pytest.mark.parametrize("mode", MODES)
def test_a_file_that_another_process_holds_open_shows_what_is_committed(tmp_path, scratch, mode):
    path = make_store(tmp_path / "agno.db", [row("a", "one"), row("b", "two")], journal=mode)
    with other_process(path, INSERT.format("late"), "BEGIN IMMEDIATE", INSERT.format("never"), mode=mode):
        before = files(tmp_path)
        assert look_at_everything(path) == ["a", "b", "late"]
        assert files(tmp_path) == before


def test_a_wal_that_is_open_and_empty_is_read_too(tmp_path, scratch):
    path = make_store(tmp_path / "agno.db", [row("a", "one")], journal="wal")
    with other_process(path, INSERT.format("late"), "PRAGMA wal_checkpoint(TRUNCATE)"):
        before = files(tmp_path)
        assert look_at_everything(path) == ["a", "late"]
        assert files(tmp_path) == before


@pytest.mark.parametrize("left", [("-wal", "-shm"), ("-wal",)])
def test_what_a_dead_writer_committed_to_the_wal_is_seen_and_left_as_it_is(tmp_path, scratch, left):
    path = make_store(tmp_path / "agno.db", [row("a", "one")], journal="wal")
    with other_process(path, INSERT.format("late"), "BEGIN", INSERT.format("never"), then="die"):
        pass
    if "-shm" not in left:
        os.unlink(f"{path}-shm")
    before = files(tmp_path)
    assert set(before) == {"agno.db", *(f"agno.db{end}" for end in left)}
    assert before["agno.db-wal"]
    assert look_at_everything(path) == ["a", "late"]
    assert files(tmp_path) == before


def test_a_wal_whose_end_is_torn_gives_the_commits_before_it(tmp_path, scratch):
    path = make_store(tmp_path / "agno.db", [row("a", "one")], journal="wal")
    with other_process(path, INSERT.format("late"), INSERT.format("torn"), then="die"):
        pass
    os.unlink(f"{path}-shm")
    with open(f"{path}-wal", "r+b") as file:
        file.truncate(os.path.getsize(f"{path}-wal") - 100)
    before = files(tmp_path)
    assert look_at_everything(path) == ["a", "late"]
    assert files(tmp_path) == before


@pytest.mark.parametrize("mode", ["delete", "persist", "truncate"])
def test_a_hot_journal_is_not_rolled_back_by_looking(tmp_path, scratch, mode):
    path = make_store(tmp_path / "agno.db", many(400, user="u1"), journal=mode)
    whole = path.read_bytes()
    # a cache of one page spills changed pages into the file before the commit
    spoil = "UPDATE agno_memories SET memory = '\"spoilt, and never committed\"'"
    with other_process(path, "BEGIN IMMEDIATE", spoil, then="die", mode=mode):
        pass
    before = files(tmp_path)
    assert before["agno.db"] != whole, "the journal is not hot"
    assert before["agno.db-journal"]
    store = open_store(str(path))
    assert len(store.read("u1").memories) == 400
    assert not any("spoilt" in item.memory for item in store.read("u1").memories)
    assert files(tmp_path) == before
    with closing(sqlite3.connect(path)) as connection:  # the agent comes back, and finds what it needs to recover
        assert connection.execute("SELECT count(*) FROM agno_memories WHERE memory LIKE '%spoilt%'").fetchone() == (0,)
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_a_persisting_journal_that_is_cold_hides_nothing(tmp_path, scratch):
    path = make_store(tmp_path / "agno.db", [row("a", "one")], journal="persist")
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = PERSIST")
        connection.execute(INSERT.format("b"))
    before = files(tmp_path)
    assert before["agno.db-journal"]
    assert look_at_everything(path) == ["a", "b"]
    assert files(tmp_path) == before


AS_NOBODY = """
import os, sys
sys.path.insert(0, sys.argv[2])
from memopt.stores.agno_sqlite import AgnoSqliteStore  # everything is imported while it may be read
import memopt.stores.journal, sqlite_utils, tempfile
if os.getuid() == 0:
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
try:
    open(sys.argv[1] + "x", "w")
except PermissionError:
    pass
else:
    raise SystemExit("the folder is writable after all")
store = AgnoSqliteStore(sys.argv[1])
print(*[m.memory_id for m in store.read("u1").memories], len(store.history()), *store.user_ids())
from memopt.errors import StoreError
try:
    store.check_writable()
except StoreError as error:
    print(error, file=sys.stderr)
else:
    raise SystemExit("it says that it can write")
"""


def as_nobody(path, scratch):
    scratch.chmod(0o777)
    for parent in (scratch, *scratch.parents, *path.parent.parents):
        if parent.stat().st_uid == os.getuid() and not parent.stat().st_mode & 0o001:
            parent.chmod(parent.stat().st_mode | 0o011)
    code = [sys.executable, "-c", AS_NOBODY, str(path), os.getcwd()]
    env = clean_environment(TMPDIR=str(scratch), PYTHONDONTWRITEBYTECODE="1")
    done = subprocess.run(code, capture_output=True, text=True, env=env, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    return done.stdout.split(), done.stderr


@pytest.mark.skipif(not hasattr(os, "setuid"), reason="no users here")
@pytest.mark.parametrize("mode", MODES)
def test_a_read_only_file_in_a_read_only_folder_is_read(tmp_path, scratch, mode):
    folder = tmp_path / "locked"
    folder.mkdir()
    path = make_store(folder / "agno.db", [row("a", "one"), row("b", "two")], journal=mode)
    path.chmod(0o444)
    folder.chmod(0o555)
    before = files(folder)
    out, said = as_nobody(path, scratch)
    assert out == ["a", "b", "0", "u1"]
    assert "cannot be" in said or "not be written" in said or "unable to open" in said, said
    assert files(folder) == before
    folder.chmod(0o755)


@pytest.mark.skipif(not hasattr(os, "setuid"), reason="no users here")
@pytest.mark.parametrize("alive", [True, False])
@pytest.mark.parametrize("shm", [True, False])
def test_a_wal_of_somebody_else_is_read_without_leave_to_write(tmp_path, scratch, alive, shm):
    if alive and not shm:
        pytest.skip("a living writer has its -shm")
    folder = tmp_path / "locked"
    folder.mkdir()
    path = make_store(folder / "agno.db", [row("a", "one")], journal="wal")
    with other_process(path, INSERT.format("late"), then="wait" if alive else "die"):
        if not shm:
            os.unlink(f"{path}-shm")
        for file in folder.iterdir():
            file.chmod(0o444)
        folder.chmod(0o555)
        before = files(folder)
        assert as_nobody(path, scratch)[0] == ["a", "late", "0", "u1"]
        assert files(folder) == before
        folder.chmod(0o755)


@pytest.mark.skipif(not hasattr(os, "setuid"), reason="no users here")
def test_a_hot_journal_is_read_around_without_leave_to_write(tmp_path, scratch):
    folder = tmp_path / "locked"
    folder.mkdir()
    path = make_store(folder / "agno.db", many(300, user="u1"))
    spoil = "UPDATE agno_memories SET memory = '\"spoilt\"', memory_id = 'spoilt' || rowid"
    with other_process(path, "BEGIN IMMEDIATE", spoil, then="die", mode="delete"):
        pass
    for file in folder.iterdir():
        file.chmod(0o444)
    folder.chmod(0o555)
    before = files(folder)
    out, _ = as_nobody(path, scratch)
    assert len(out) == 302 and not any("spoilt" in item for item in out)
    assert files(folder) == before
    folder.chmod(0o755)


NAMES = (
    "mem#1.db",
    "mem?mode=rwc&x=.db",
    "a%20b.db",
    "my db ü 日本 🎻.db",
    "file:mem.db",
    "-mem.db",
    "'quoted\" name.db",
    "new\nline.db",
    "back\\slash.db",
    "no-ending",
)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("mode", ["delete", "wal"])
def test_the_file_that_was_named_is_opened_and_no_other(tmp_path, scratch, monkeypatch, name, mode):
    # what a careless URI would open instead
    decoys = {"mem", "mem.db", "a b.db", "mem?mode=rwc&x=", "quoted"}
    path = make_store(tmp_path / name, [row("a", "one"), row("b", "one")], journal=mode)
    for decoy in decoys - {name}:
        make_store(tmp_path / decoy, [row("wrong", "wrong")])
    before = files(tmp_path)
    assert look_at_everything(path) == ["a", "b"]
    monkeypatch.chdir(tmp_path)
    assert look_at_everything(f"./{name}") == ["a", "b"]
    if "://" not in name:
        assert look_at_everything(name) == ["a", "b"]
    assert files(tmp_path) == before


@pytest.mark.parametrize("name", NAMES[:6])
def test_the_command_line_writes_to_the_file_that_was_named(tmp_path, name):
    path = make_store(tmp_path / name, [row("a", "one", at=1), row("b", "two", at=2)])
    args = ("--user", "u1", "--strategy", "recent", "-o", "keep=1", "--apply", f"--db={path}")
    done = run_memopt("optimize", *args)
    assert done.returncode == 0, done.stderr
    assert [m.memory_id for m in open_store(str(path)).read("u1").memories] == ["b"]
    assert [item.name for item in tmp_path.iterdir()] == [name]


def test_a_name_that_is_no_utf8_is_opened(tmp_path, scratch):
    path = os.fsdecode(os.fsencode(tmp_path) + b"/\xff\xfe.db")
    try:
        make_store(path, [row("a", "one")])
    except OSError:
        pytest.skip("this file system takes no such names")
    assert look_at_everything(path) == ["a"]


def test_a_double_slash_and_a_symbolic_link_lead_to_the_file(tmp_path, scratch):
    path = make_store(tmp_path / "agno.db", [row("a", "one")], journal="wal")
    (tmp_path / "other").mkdir()
    link = tmp_path / "other" / "link.db"
    link.symlink_to(path)
    with other_process(path, INSERT.format("late")):
        before = files(tmp_path)
        for way in (f"/{path}", link, tmp_path / "other" / ".." / "agno.db"):
            store = AgnoSqliteStore(way)
            assert [m.memory_id for m in store.read("u1").memories] == ["a", "late"]
            assert store.ref.location == os.path.realpath(path)
        assert files(tmp_path) == before


def test_a_missing_file_is_an_error_and_is_not_made(tmp_path):
    for name in ("missing.db", "no folder/missing.db", "mem#.db", "mem?mode=rwc"):
        with pytest.raises(StoreError, match="no such file"):
            open_store(str(tmp_path / name))
    assert list(tmp_path.iterdir()) == []


def test_a_pipe_is_refused_and_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(StoreError, match="not a regular file"):
        open_store(str(tmp_path / "pipe"))


def test_a_folder_that_may_not_be_entered_is_told_in_one_line(tmp_path, scratch):
    folder = tmp_path / "secret"
    folder.mkdir()
    make_store(folder / "agno.db", [row("a", "one")])
    folder.chmod(0o000)
    try:
        code = (
            "import os, sys, memopt.stores.agno_sqlite\n"
            "from memopt.stores import open_store; from memopt.errors import StoreError\n"
            "try: open_store('/nowhere')\n"  # whatever is imported lazily is imported while the user may read the code
            "except StoreError: pass\n"
            "os.getuid() or os.setuid(65534)\n"
            "try: open_store(sys.argv[1])\n"
            "except StoreError as error: print('refused:', error)"
        )
        done = subprocess.run(
            [sys.executable, "-c", code, str(folder / "agno.db")],
            capture_output=True,
            text=True,
            env=clean_environment(),
            check=False,
        )
    finally:
        folder.chmod(0o755)
    assert done.stdout.startswith("refused:") and done.stdout.count("\n") == 1, done.stderr


def test_no_room_for_a_private_copy_is_told_with_the_way_out(tmp_path, monkeypatch):
    path = make_store(tmp_path / "agno.db", [row("a", "one")], journal="wal")
    before = files(tmp_path)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "not there"))
    with pytest.raises(StoreError) as caught:
        open_store(str(path))
    assert "\n" not in str(caught.value)
    assert files(tmp_path) == before


def test_rows_written_between_two_looks_are_seen(tmp_path, scratch):
    path = make_store(tmp_path / "agno.db", [row("a", "one")], journal="wal")
    store = open_store(str(path))
    assert len(store.read("u1").memories) == 1
    with closing(sqlite3.connect(path)) as connection, connection:
        insert(connection, [row("b", "two")])
    assert len(store.read("u1").memories) == 2


def test_a_read_that_is_broken_off_leaves_nothing_behind(tmp_path, scratch):
    path = make_store(tmp_path / "agno.db", [row(f"m{n}", "x", user=f"u{n}") for n in range(5)], journal="wal")
    before = files(tmp_path)
    snapshots = open_store(str(path)).snapshots()
    next(snapshots)
    snapshots.close()
    assert files(tmp_path) == before


@pytest.mark.parametrize("journal", ["wal", "delete"])
def test_reading_takes_no_lock_away_from_an_agent_in_the_same_process(tmp_path, journal):
    """POSIX locks go with the first descriptor of a file that a process closes, whoever opened it."""
    path = make_store(tmp_path / "agno.db", [row("a", "Likes jazz")], journal=journal)
    agent = sqlite3.connect(path, isolation_level=None)
    agent.execute("BEGIN IMMEDIATE")
    agent.execute("UPDATE agno_memories SET feedback = 'x'")
    assert open_store(str(path)).read("u1").memories[0].feedback is None
    code = "import sqlite3, sys; sqlite3.connect(sys.argv[1], timeout=0.1, isolation_level=None).execute('BEGIN IMMEDIATE')"
    other = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=False)
    assert "locked" in other.stderr
    agent.execute("COMMIT")
    agent.close()
    assert open_store(str(path)).read("u1").memories[0].feedback == "x"

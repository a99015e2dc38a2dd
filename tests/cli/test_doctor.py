"""``memopt doctor`` on real files and a real server: what it finds, what it prints and returns, and that it leaves no trace."""

from __future__ import annotations

import json
import os
import re
import sqlite3
import subprocess
import sys
import time
from contextlib import closing

import pytest
from support.agnofile import FIXTURES, REPO, Sql, clean_environment, copy_store, make_store, many, row
from support.faults import on_a_full_disk
from support.inprocess import call_memopt, json_of_memopt
from support.postgres import PASSWORD, database

from memopt.stores import open_store

NOW = int(time.time())
AGNO = sorted(FIXTURES.glob("agno/*.db"))


def healthy_rows(users=4, each=6):
    return [
        row(f"{user}-{place}", f"Person {user} has hobby number {place}.", user=f"u{user}", at=NOW - place * 86_400)
        for user in range(users)
        for place in range(each)
    ]


@pytest.fixture
def healthy(tmp_path):
    return make_store(tmp_path / "agno.db", healthy_rows(), journal="wal")


@pytest.fixture
def ill(tmp_path):
    """One row or more of everything that can be wrong with rows."""
    return make_store(
        tmp_path / "ill.db",
        [
            *healthy_rows(),
            row("orphan", "Somebody likes tea.", user=None, at=NOW),
            row("noname", "Somebody likes chess.", user=" ", at=NOW),
            row("broken", None, memory="not json", user="u0", at=NOW),
            row("binary", None, memory=b"\x00\x01", user="u0", at=NOW),
            row("invalid", None, memory=Sql("CAST(x'22c32822' AS TEXT)"), user="u1", at=NOW),
            row("blank", " \t", user="u0", at=NOW),
            row("null", None, memory="null", user="u0", at=NOW),
            row("iso", "Likes the sea.", user="u1", at="2026-01-01T09:00:00"),
            row("milli", "Likes hills.", user="u1", at=1767258000123),
            row("future", "Will have been.", user="u2", at=NOW + 90 * 86_400),
            *(row(f"twice{n}", "Says it again.", user="u3", at=NOW - n) for n in range(3)),
            *(row(f"all{n}", "You are a helpful assistant.", user=f"u{n}", at=NOW) for n in range(3)),
        ],
    )


def doctor(path, *args, **how):
    return call_memopt("doctor", "--db", path, *args, **how)


def checks(path, *args, code=3):
    document = json_of_memopt("doctor", "--db", path, *args, code=code)
    return {check["check"]: check for check in document["checks"]}, document


def everything_in(folder):
    return {
        item.name: (None if item.name.endswith("-shm") else item.read_bytes(), item.stat().st_mtime_ns)
        for item in folder.iterdir()
    }


# -- what is found -----------------------------------------------------------------------------------------------------


def test_a_healthy_store_has_no_finding(healthy):
    done = doctor(healthy, "--integrity")
    assert done.returncode == 0 and done.stderr == ""
    assert "24 of 4 users" in done.stdout and "13 checks, nothing found" in done.stdout
    assert json_of_memopt("doctor", "--db", healthy)["worst"] == "ok"


def test_every_fault_is_found_with_its_rows_and_what_to_do(ill):
    found, document = checks(ill)
    assert document["worst"] == "error" and document["complete"] is True
    assert {
        name: (check["severity"], check["count"]) for name, check in found.items() if check["severity"] not in ("ok", None)
    } == {
        "unreadable": ("error", 3),
        "no-user": ("warning", 2),
        "blank": ("warning", 2),
        "times": ("warning", 4),  # two rows, in created_at and updated_at
        "dates": ("warning", 1),
        "duplicates": ("info", 2),
        "shared": ("info", 1),
    }
    where = {name: {(e["user_id"], e["memory_id"]) for e in check["examples"]} for name, check in found.items()}
    assert where["unreadable"] == {("u0", "broken"), ("u0", "binary"), ("u1", "invalid")}
    assert where["no-user"] == {(None, "orphan"), (" ", "noname")}
    assert where["blank"] == {("u0", "blank"), ("u0", "null")}
    assert where["times"] == {("u1", "iso"), ("u1", "milli")}
    assert where["dates"] == {("u2", "future")}
    assert {user for user, _ in where["duplicates"]} == {"u3"}
    assert where["shared"] == {("u0", "all0"), ("u1", "all1"), ("u2", "all2")}
    assert all(check["advice"] for check in found.values() if check["count"])
    assert (document["unreadable"], document["users"]) == (3, 5)


def test_what_memories_say_is_never_printed(ill):
    shown = doctor(ill).stdout + doctor(ill, "--json").stdout + doctor(ill, "--quiet").stdout
    for text in ("tea", "chess", "hills", "Says it again", "helpful", "hobby"):
        assert text not in shown


def test_the_commands_that_it_advises_help(ill):
    found, _ = checks(ill)
    for name in ("blank", "duplicates"):
        command = re.match(r"memopt (optimize .* --apply)", found[name]["advice"])[1]
        assert call_memopt(*command.split(), "--db", ill).returncode in (0, 7)
    after, _ = checks(ill)
    assert after["blank"]["severity"] == after["duplicates"]["severity"] == "ok"


def test_the_journal_and_the_notes_are_told_with_their_size(healthy):
    with closing(sqlite3.connect(healthy)) as agent, agent:
        agent.execute(
            f"INSERT INTO agno_memories SELECT 'again', memory, input, agent_id, team_id, user_id, topics, feedback, {NOW}, NULL FROM agno_memories LIMIT 1"
        )
    assert call_memopt("optimize", "--db", healthy, "--all-users", "-s", "dedupe", "--apply").returncode == 0
    _, document = checks(healthy, code=0)
    assert document["journal"]["rows"] == 1 and document["seen"]["rows"] == 4
    with closing(sqlite3.connect(healthy)) as conn:
        (size,) = conn.execute(
            "SELECT sum(length(CAST(about AS BLOB)) + length(CAST(rows AS BLOB))) FROM memopt_journal"
        ).fetchone()
    assert (
        document["journal"]["bytes"] == size
        and document["journal"]["oldest"] == open_store(str(healthy)).history()[0].to_dict()["at"]
    )
    with closing(sqlite3.connect(healthy)) as conn, conn:
        conn.execute("UPDATE memopt_journal SET at = '2020-01-01T00:00:00Z'")
    found, _ = checks(healthy, "--fail-on", "info")
    assert found["journal"]["severity"] == "info" and "history --prune" in found["journal"]["advice"]


def test_pages_that_hold_nothing_any_more_are_a_finding(tmp_path):
    path = make_store(tmp_path / "a.db", many(60_000), journal="wal")
    writer = sqlite3.connect(path, isolation_level=None)
    writer.execute("DELETE FROM agno_memories WHERE memory_id > '00030000'")
    writer.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    writer.close()
    found, document = checks(path, "--fail-on", "info")
    assert found["free-space"]["severity"] == "info" and document["size"]["free"] > document["size"]["total"] / 4
    assert document["size"]["total"] == path.stat().st_size


# -- exit codes and output ---------------------------------------------------------------------------------------------


def test_the_exit_code_follows_the_worst_finding(ill, healthy, tmp_path):
    assert [doctor(ill, "--fail-on", level).returncode for level in ("error", "warning", "info", "never")] == [3, 3, 3, 0]
    assert doctor(ill).returncode == 3
    mild = make_store(tmp_path / "mild.db", [*healthy_rows(), row("again", "Person 0 has hobby number 0.", user="u0", at=NOW)])
    assert [doctor(mild, "--fail-on", level).returncode for level in ("error", "warning", "info", "never")] == [0, 0, 3, 0]
    assert [doctor(healthy, "--fail-on", level).returncode for level in ("error", "warning", "info")] == [0, 0, 0]
    assert doctor(healthy, "--fail-on", "bad").returncode == 2


def test_quiet_is_silent_unless_something_is_bad_enough(ill, healthy, tmp_path):
    assert doctor(healthy, "--quiet").stdout == ""
    done = doctor(ill, "--quiet", "--fail-on", "error")
    assert "3 rows cannot be decoded" in done.stdout and "without a user" not in done.stdout and str(ill) in done.stdout
    assert doctor(ill, "--quiet", "--fail-on", "never").stdout == ""


def test_it_fits_eighty_columns(ill):
    lines = doctor(ill, env={"COLUMNS": "80"}).stdout.splitlines()
    assert [line for line in lines[1:] if len(line) > 80] == []


def test_ids_cannot_steer_the_terminal(tmp_path):
    path = make_store(tmp_path / "a.db", [row("x\x1b[2Jy", " ", user="a\nb\u202e", at=NOW)])
    out = doctor(path).stdout
    assert "\x1b" not in out and "\u202e" not in out and "a\\x0ab\\u202e: x\\x1b[2Jy" in out


def test_an_empty_store_is_healthy(tmp_path):
    path = make_store(tmp_path / "a.db", [])
    done = doctor(path)
    assert done.returncode == 0 and "0 of 0 users" in done.stdout and "no memory was added" in done.stdout


def test_what_cannot_be_opened_is_told_as_by_every_command(tmp_path):
    assert doctor(tmp_path / "none.db").returncode == 6
    (tmp_path / "text.db").write_text("hello " * 100)
    assert doctor(tmp_path / "text.db").returncode == 6
    assert doctor(FIXTURES / "agno" / "agno_v3_custom_table.db").returncode in (2, 6)


def test_the_document_is_as_it_is_described(ill):
    text = (REPO / "docs" / "json.md").read_text(encoding="utf-8")
    body = re.search(r"^## `doctor`\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)[1]
    _, document = checks(ill)
    rows = dict(re.findall(r"^\| (`[^|]+`) \| (.*) \|$", body, re.MULTILINE))
    keys = {
        key: set(re.findall(r"`([a-z_]+)`", said)) for names, said in rows.items() for key in re.findall(r"`([a-z_]+)`", names)
    }
    assert set(keys) == set(document)
    assert set(document["checks"][0]) <= keys["checks"] and set(document["growth"][0]) == keys["growth"]
    for name in ("schema", "size"):
        assert set(document[name]) == keys[name], name
    named = set(re.findall(r"^\| `([a-z-]+)` \|", (REPO / "docs" / "doctor.md").read_text(encoding="utf-8"), re.MULTILINE))
    assert named == {check["check"] for check in document["checks"]}


# -- without a trace ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", AGNO, ids=lambda path: path.name)
def test_every_file_of_agno_is_looked_at_without_a_trace(path, tmp_path):
    copy = copy_store(path, tmp_path / path.name)
    with closing(sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)) as conn:
        tables = [
            name for (name,) in conn.execute("SELECT name FROM sqlite_master WHERE name LIKE '%memories' AND type = 'table'")
        ]
    before = everything_in(tmp_path)
    for table in tables or ["agno_memories"]:
        done = doctor(copy, "--table", table, "--integrity", "--json")
        assert done.returncode in ((0, 3) if tables else (2, 6)), done.stderr
    assert everything_in(tmp_path) == before


@pytest.mark.parametrize("journal", ["wal", "delete"])
def test_beside_a_running_agent_nothing_changes_and_what_it_committed_is_seen(tmp_path, journal):
    path = make_store(tmp_path / "agno.db", healthy_rows(), journal=journal)
    agent = sqlite3.connect(path, isolation_level=None)
    agent.execute("INSERT INTO agno_memories (memory_id, memory, user_id, created_at) VALUES ('n', '\" \"', 'u0', ?)", (NOW,))
    if journal == "wal":
        agent.execute("BEGIN IMMEDIATE")
        agent.execute("INSERT INTO agno_memories (memory_id, memory, user_id, created_at) VALUES ('never', '\" \"', 'u0', 1)")
    before = everything_in(tmp_path)
    found, document = checks(path, "--integrity")
    assert found["blank"]["count"] == 1 and document["memories"] == 25
    assert everything_in(tmp_path) == before
    agent.close()


def test_an_agent_can_write_while_it_looks(tmp_path):
    """In a file without a WAL, a reader that kept one transaction open would keep the agent out until it ends."""
    path = make_store(tmp_path / "agno.db", healthy_rows(users=300, each=1), journal="delete")
    agent = sqlite3.connect(path, isolation_level=None, timeout=0)
    seen = 0
    for snapshot in open_store(str(path)).scan():
        agent.execute("UPDATE agno_memories SET feedback = ? WHERE user_id = ?", (str(seen), snapshot.user_id))
        seen += 1
    agent.close()
    assert seen == 300


@pytest.mark.parametrize("indexed", [True, False])
def test_a_table_without_an_index_on_its_users_is_read_once_and_not_once_a_user(tmp_path, indexed):
    drop = [] if indexed else ["DROP INDEX idx_agno_memories_user_id"]
    path = make_store(tmp_path / "a.db", healthy_rows(users=3, each=2), journal="wal", sql=drop)
    agent = sqlite3.connect(path, isolation_level=None)
    agent.execute("UPDATE agno_memories SET feedback = 'before'")
    found = []
    for snapshot in open_store(str(path)).scan():
        found.append(snapshot.memories[0].feedback)
        agent.execute("UPDATE agno_memories SET feedback = 'meanwhile'")
    agent.close()
    assert found == ["before", *(["meanwhile"] * 2 if indexed else ["before"] * 2)]


def test_ids_that_are_no_texts_are_scanned_too(tmp_path):
    path = make_store(
        tmp_path / "a.db",
        [
            row("a", "x", user="u1"),
            row("b", "y", user=b"\x01"),
            row("c", "z", user=Sql("CAST(x'ff' AS TEXT)")),
            row("d", "w", user=None),
        ],
    )
    store = open_store(str(path))
    scanned = {(s.user_id, len(s.memories), len(s.unreadable)) for s in store.scan()}
    assert scanned == {(s.user_id, len(s.memories), len(s.unreadable)) for s in store.snapshots()}
    assert len(scanned) == 4


# -- damage ------------------------------------------------------------------------------------------------------------


def test_no_page_can_be_damaged_so_that_it_is_neither_found_nor_told(tmp_path):
    good = make_store(tmp_path / "good.db", many(400, user="u1")).read_bytes()
    size = int.from_bytes(good[16:18], "big")
    path = tmp_path / "bad.db"
    told = set()
    for page in range(1, len(good) // size):
        bad = bytearray(good)
        bad[page * size : page * size + size] = os.urandom(size)
        path.write_bytes(bad)
        done = doctor(path, "--json", "--integrity")
        document = json.loads(done.stdout)
        assert path.read_bytes() == bytes(bad)
        if done.returncode == 6:
            told.add("cannot be opened")
            continue
        check = document["checks"][0]
        assert (done.returncode, check["severity"]) == (3, "error"), (page, document)
        told.add(document["complete"])
    assert {True, False} <= told


def test_damage_at_some_users_leaves_the_others_to_be_looked_at(tmp_path):
    path = make_store(
        tmp_path / "a.db",
        [
            item
            for user in ("ann", "bob")
            for item in (row(f"{user}{n}", f"{user} {n} " + "x" * 900, user=user) for n in range(60))
        ],
    )
    good = bytearray(path.read_bytes())
    size = int.from_bytes(good[16:18], "big")
    page = next(place for place in range(len(good) // size) if b"bob 30 " in good[place * size : place * size + size])
    good[page * size : page * size + size] = b"\xff" * size
    path.write_bytes(good)
    found, document = checks(path, "--fail-on", "error")
    assert document["complete"] is False and document["memories"] == 60
    assert found["damage"]["examples"] == [{"user_id": "bob", "memory_id": ""}]
    assert "figures are of a part" in doctor(path).stdout


# -- memory ------------------------------------------------------------------------------------------------------------


@pytest.mark.skipif(sys.platform != "linux", reason="ru_maxrss in kB")
def test_memory_does_not_grow_with_the_number_of_users(tmp_path):
    code = (
        "import resource, sys, time\n"
        "from memopt.doctor import examine\nfrom memopt.doctor import spread\nfrom memopt.stores import open_store\n"
        "spread._PIECE = 5_000\n"
        "health = examine(open_store(sys.argv[1]), now=time.time())\n"
        "print(health.figures.memories, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)"
    )
    used = []
    for users in (500, 5_000):
        path = make_store(tmp_path / f"{users}.db", healthy_rows(users=users, each=10))
        done = subprocess.run(
            [sys.executable, "-c", code, path], env=clean_environment(), capture_output=True, text=True, check=True
        )
        memories, kilobytes = map(int, done.stdout.split())
        assert memories == users * 10
        used.append(kilobytes)
    assert used[1] - used[0] < 12_000, used


@pytest.mark.skipif(sys.platform != "linux", reason="needs a limit on the size of files")
@pytest.mark.parametrize("size", [500, 4_000])
def test_a_temporary_folder_without_room_is_told_in_one_line(tmp_path, size):
    path = make_store(tmp_path / "a.db", healthy_rows(users=60))
    done = on_a_full_disk(size, "doctor", "--db", path)
    assert done.returncode == 1 and done.stdout == ""
    assert re.fullmatch(r"memopt: the temporary folder \S+ could not be used \(.*\); set TMPDIR to one with room\n", done.stderr)


# -- Postgres ----------------------------------------------------------------------------------------------------------


def test_the_same_findings_in_postgres(tmp_path):
    rows = [
        *healthy_rows(),
        row("orphan", "Somebody likes tea.", user=None, at=NOW),
        row("broken", None, memory="42", user="u0", at=NOW),
        row("blank", " ", user="u0", at=NOW),
        row("milli", "Likes hills.", user="u1", at=1767258000123),
        row("future", "Will have been.", user="u2", at=NOW + 90 * 86_400),
        *(row(f"all{n}", "You are a helpful assistant.", user=f"u{n}", at=NOW) for n in range(3)),
    ]
    with database() as db:
        db.make(rows)
        db.run(
            "CREATE TABLE ai.agno_schema_versions (table_name VARCHAR PRIMARY KEY, version VARCHAR NOT NULL, created_at VARCHAR)",
            "INSERT INTO ai.agno_schema_versions VALUES ('agno_memories', '3.0.0', 'x')",
        )
        assert call_memopt("optimize", "--db", db.url, "--user", "u3", "-s", "recent", "-o", "keep=5", "--apply").returncode == 0
        before = db.dump(own=True)
        found, document = checks(db.url, "--integrity")
        assert db.dump(own=True) == before
        bad = {name: (check["severity"], check["count"]) for name, check in found.items() if check["count"]}
        assert bad == {
            "unreadable": ("error", 1),
            "no-user": ("warning", 1),
            "blank": ("warning", 1),
            "times": ("warning", 2),
            "dates": ("warning", 1),
            "shared": ("info", 1),
        }
        assert document["schema"] == {"version": "3.0.0", "missing": []}
        assert document["journal"]["rows"] == 1 and document["journal"]["bytes"] > 0 and document["size"]["total"] > 0
        assert document["size"]["log"] is None and document["seen"]["rows"] == 0
        shown = doctor(db.url)
        assert PASSWORD not in shown.stdout + shown.stderr and "s3cret" not in shown.stdout


def test_in_postgres_a_role_that_may_only_read_memories_is_enough(tmp_path):
    with database() as db:
        db.make(healthy_rows())
        db.run("CREATE TABLE ai.agno_schema_versions (table_name VARCHAR PRIMARY KEY, version VARCHAR)")
        role = f"reader_{db.name}"
        db.run(
            f"CREATE ROLE {role} LOGIN PASSWORD 'reader'",
            f"GRANT USAGE ON SCHEMA ai TO {role}",
            f"GRANT SELECT ON ai.agno_memories TO {role}",
            user="postgres",
        )
        try:
            document = json_of_memopt("doctor", "--db", db.server.url(db.name, role, "reader"))
            assert document["worst"] == "ok" and document["memories"] == 24
            assert document["schema"]["version"] is None and document["journal"] is None
        finally:
            db.run(f"DROP OWNED BY {role}", f"DROP ROLE {role}", user="postgres")

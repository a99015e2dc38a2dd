"""The fixtures are what the installed Agno writes, and memopt reads both alike."""

from __future__ import annotations

import sqlite3
import subprocess
import sys

import pytest
from support.agnofile import FIXTURES, REPO, clean_environment, copy_store, dump, fixture, journal_mode, looking

pytest.importorskip("agno.db.sqlite")

MADE_UP = b"u1_agent"
"""The user whose row a running agent made; its id, agent and time are of that moment."""


@pytest.fixture(scope="module")
def fresh(tmp_path_factory):
    """A file just written by the installed Agno, in a process of its own."""
    path = tmp_path_factory.mktemp("fresh") / "fresh.db"
    done = subprocess.run(
        [sys.executable, str(FIXTURES / "make_agno.py"), str(path)],
        env=clean_environment(),
        cwd=REPO,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return path


def _rows(path):
    """Rows of the memory table by column name, byte for byte, without the one that a running agent made up."""
    with looking(path) as connection:
        connection.text_factory = bytes
        connection.row_factory = sqlite3.Row
        found = connection.execute("SELECT rowid, *, typeof(created_at), typeof(topics) FROM agno_memories ORDER BY rowid")
        rows = [dict(row) for row in found]
    return [row for row in rows if row["user_id"] != MADE_UP]


def test_installed_agno_writes_the_columns_and_bytes_of_the_fixture(fresh, tmp_path):
    kept = fixture("agno_v3.db", tmp_path)
    assert len(_rows(fresh)) == 356
    assert _rows(fresh) == _rows(kept)


def test_installed_agno_makes_the_schema_of_the_fixture(fresh, tmp_path):
    def schema(path):
        return [item for item in dump(path)["sqlite_master"] if item[2] == b"agno_memories"]

    assert schema(fresh) == schema(fixture("agno_v3.db", tmp_path))


@pytest.mark.parametrize(
    ("name", "mode"),
    [
        ("agno_v3.db", "wal"),
        ("agno_v2.db", "delete"),
        ("agno_v20.db", "delete"),
        ("agno_v20_migrated.db", "wal"),
        ("agno_v230_iso_times.db", "delete"),
        ("agno_v18_migrated.db", "wal"),
        ("agno_v3_custom_table.db", "wal"),
    ],
)
def test_fixture_is_whole_without_a_wal(name, mode, tmp_path):
    assert not (FIXTURES / "agno" / f"{name}-wal").exists()
    copy = copy_store(FIXTURES / "agno" / name, tmp_path / name)
    assert journal_mode(copy) == mode
    with sqlite3.connect(copy) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert connection.execute("SELECT count(*) FROM agno_memories").fetchone()[0] > 0
    connection.close()


def test_23_fixture_holds_iso_text_and_one_integer_after_an_update():
    copy = FIXTURES / "agno" / "agno_v230_iso_times.db"
    with looking(copy) as connection:
        kinds = set(connection.execute("SELECT typeof(created_at), typeof(updated_at) FROM agno_memories"))
    assert kinds == {("text", "text"), ("text", "integer")}


def test_migrated_fixture_holds_reprs_of_dicts():
    with looking(FIXTURES / "agno" / "agno_v18_migrated.db") as connection:
        texts = [text for (text,) in connection.execute("SELECT memory FROM agno_memories")]
    assert len(texts) == 13
    assert all(text.startswith("\"{'memory_id': '") for text in texts)


def test_memopt_reads_a_fresh_file_as_it_reads_the_fixture(fresh, tmp_path):
    from memopt.stores import open_store

    kept = fixture("agno_v3.db", tmp_path)
    for user in ("u1", "u2", "u3", "u4", "default", None):
        one, other = open_store(str(fresh)).read(user), open_store(str(kept)).read(user)
        assert one.memories
        assert one.unreadable == other.unreadable == ()
        assert [m.content() for m in one.memories] == [m.content() for m in other.memories]
        assert [m.memory_id for m in one.memories] == [m.memory_id for m in other.memories]


def test_memopt_reads_all_versions_alike(tmp_path):
    from memopt.stores import open_store

    def told(name, user):
        memories = open_store(str(fixture(name, tmp_path))).read(user).memories
        return [(m.memory_id, m.memory, m.topics, m.user_id, m.agent_id, m.team_id, m.input, m.updated_at) for m in memories]

    for user in ("u1", "u2", "u3", None):
        newest = told("agno_v3.db", user)
        assert newest
        for name in ("agno_v2.db", "agno_v20.db", "agno_v20_migrated.db"):
            assert told(name, user) == newest, name


def test_memopt_reads_iso_times_as_the_same_moments(tmp_path):
    from memopt.stores import open_store

    iso = open_store(str(fixture("agno_v230_iso_times.db", tmp_path))).read("u2")
    plain = open_store(str(fixture("agno_v3.db", tmp_path))).read("u2")
    assert not iso.unreadable
    assert [int(m.created_at) for m in iso.memories] == [m.created_at for m in plain.memories]
    assert [int(m.updated_at) for m in iso.memories] == [m.updated_at for m in plain.memories]


def test_memopt_reads_the_text_inside_migrated_reprs(tmp_path):
    from memopt.stores import open_store

    migrated = open_store(str(fixture("agno_v18_migrated.db", tmp_path))).read("u1")
    plain = open_store(str(fixture("agno_v3.db", tmp_path))).read("u1")
    assert [m.memory for m in migrated.memories] == [m.memory for m in plain.memories]
    # what the agent pays for is the whole repr
    assert all(m.in_prompt.startswith("{'memory_id'") for m in migrated.memories)

"""Every form in which a row of Agno's may stand in a file: what is read, and what is written back after a change."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing

import pytest
from support.agnofile import FIXTURES, Sql, copy_store, dump, make_store, records, row
from support.doing import Does

from memopt.errors import ConflictError, StoreError, UsageError
from memopt.manager import MemoryManager
from memopt.memory import UserMemory
from memopt.stores import open_store
from memopt.stores.agno_sqlite import AgnoSqliteStore


def only(path, user="u1"):
    (memory,) = open_store(str(path)).read(user).memories
    return memory


def unreadable(path, user="u1"):
    return {item.memory_id: item.problem for item in open_store(str(path)).read(user).unreadable}


# -- memory --------------------------------------------------------------------------------------------------------------

MIGRATED = {"memory_id": "old", "memory": "User's name is 张伟 🎻", "topics": ["name"], "last_updated": "2026-11-30T06:33:33"}


@pytest.mark.parametrize(
    ("raw", "text", "in_prompt"),
    [
        ('"Likes tea"', "Likes tea", "Likes tea"),
        ('"\\u8a9e \\ud83c\\udfbb"', "語 🎻", "語 🎻"),
        ('"語 🎻"', "語 🎻", "語 🎻"),
        ('"says \\"hi\\"\\n\\u0000\\\\"', 'says "hi"\n\0\\', 'says "hi"\n\0\\'),
        ('  "blanks around"\n', "blanks around", "blanks around"),
        ('""', "", ""),
        ("null", "", "None"),
        ('"half \\ud83c"', "half \ud83c", "half \ud83c"),
        ('{"memory": "Likes tea", "memory_id": "x"}', "Likes tea", "{'memory': 'Likes tea', 'memory_id': 'x'}"),
        (json.dumps(str(MIGRATED)), MIGRATED["memory"], str(MIGRATED)),
        (str(MIGRATED), MIGRATED["memory"], str(MIGRATED)),
        ('"{not a dict}"', "{not a dict}", "{not a dict}"),
        ("\"{'memory': 5}\"", "{'memory': 5}", "{'memory': 5}"),
        ("\"{'memory': __import__('os')}\"", "{'memory': __import__('os')}", "{'memory': __import__('os')}"),
        ('"null"', "null", "null"),
        ('"42"', "42", "42"),
    ],
)
def test_the_text_of_a_memory_is_read_in_every_form(tmp_path, raw, text, in_prompt):
    memory = only(make_store(tmp_path / "a.db", [row("a", "", memory=raw)]))
    assert memory.memory == text
    assert memory.in_prompt == in_prompt


def test_topics_of_a_migrated_text_are_its_own_unless_the_column_has_some(tmp_path):
    path = make_store(
        tmp_path / "a.db",
        [
            row("a", "", memory=json.dumps(str(MIGRATED))),
            row("b", "", memory=json.dumps(str(MIGRATED)), topics=["new"]),
            row("c", "", memory=json.dumps(MIGRATED), topics=None),
        ],
    )
    assert [m.topics for m in open_store(str(path)).read("u1").memories] == [("name",), ("new",), ("name",)]


@pytest.mark.parametrize(
    ("column", "raw", "word"),
    [
        ("memory", "Likes tea", "not JSON"),
        ("memory", "42", "number"),
        ("memory", "true", "number or boolean"),
        ("memory", '["a"]', "list"),
        ("memory", '{"text": "a"}', "object"),
        ("memory", '{"memory": ["a"]}', "object"),
        ("memory", '"cut', "not JSON"),
        ("memory", '"a" "b"', "not JSON"),
        ("memory", '"raw \n line"', "not JSON"),
        ("memory", "", "not JSON"),
        ("memory", "[" * 100_000, "not JSON"),
        ("memory", b"\x00\xff", "BLOB"),
        ("memory", Sql("CAST(x'22c32822' AS TEXT)"), "UTF-8"),
        ("memory", 9e999, "number"),
        ("topics", "work", "not JSON"),
        ("topics", "42", "number"),
        ("topics", '"work"', "not a list"),
        ("topics", '["work", 1]', "not a list of texts"),
        ("topics", '{"a": 1}', "not a list"),
        ("topics", b"[]", "BLOB"),
        ("topics", Sql("CAST(x'5b22c32822' AS TEXT)"), "UTF-8"),
        ("memory_id", "", "empty"),
        ("memory_id", b"\xff", "not a text"),
        ("memory_id", Sql("CAST(x'c328' AS TEXT)"), "UTF-8"),
    ],
)
def test_a_row_that_cannot_be_decoded_is_reported_and_never_changed(tmp_path, column, raw, word):
    bad = row("bad", "x")
    bad[column] = raw
    path = make_store(tmp_path / "a.db", [row("a", "same", at=5), bad, row("b", "same", at=6), row("c", "other", at=7)])
    (problem,) = unreadable(path).values()
    assert word in problem and "\n" not in problem
    assert [m.memory_id for m in open_store(str(path)).read("u1").memories] == ["a", "b", "c"]

    def bytes_of_bad():
        return [r for r in dump(path)["agno_memories"] if r[0] == 2]

    before, manager = bytes_of_bad(), MemoryManager(path)
    summary = manager.users()[0]
    assert (summary.memories, summary.unreadable) == (3, 1)
    whole = dump(path)
    for strategy in ("dedupe", "recent", Does(lambda ms: [UserMemory("all", user_id="u1")])):
        options = {"keep": 1} if strategy == "recent" else None
        plan = manager.optimize_memories("u1", strategy, apply=True, options=options)
        assert [item.problem for item in plan.unreadable] == [problem]
        assert plan.run is not None
        assert bytes_of_bad() == before
        manager.undo()
        assert dump(path) == whole


def test_the_reported_file_of_bad_rows_is_handled(tmp_path):
    path = make_store(
        tmp_path / "a.db",
        [
            row("a", "Likes tea", at=1),
            row("b", "", memory=Sql("CAST(x'22c32822' AS TEXT)")),
            row("c", "", memory='{"memory_id":"x","memory":"Likes tea"}', at=2),
            row("d", "", memory="Likes tea"),
            row("e", "", at=3),
            row("f", "", memory="null", at=4),
            row("g", "", memory="42"),
            row("h", "x", topics="work"),
            row("i", "", memory=b"\x00\xff"),
        ],
    )
    assert set(unreadable(path)) == {"b", "d", "g", "h", "i"}
    bad = [r for r in dump(path)["agno_memories"] if r[2] in (b"b", b"d", b"g", b"h", b"i")]
    plan = MemoryManager(path).optimize_memories("u1", "dedupe", apply=True)
    assert plan.counts["dropped"] == 1
    after = dump(path)["agno_memories"]
    assert [r for r in after if r[2] in (b"b", b"d", b"g", b"h", b"i")] == bad
    assert {r[2] for r in after} == {b"b", b"c", b"d", b"e", b"f", b"g", b"h", b"i"}


def test_a_strategy_cannot_take_the_id_of_an_unreadable_row(tmp_path):
    path = make_store(tmp_path / "a.db", [row("a", "x"), row("bad", "", memory="42")])
    before = dump(path)
    with pytest.raises(ConflictError):
        MemoryManager(path).optimize_memories("u1", Does(lambda ms: [*ms, UserMemory("y", "bad", user_id="u1")]), apply=True)
    assert dump(path) == before


# -- topics and times ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("raw", "topics"),
    [
        ('["a", "b"]', ("a", "b")),
        ('["\\u8a9e"]', ("語",)),
        ("null", None),
        (None, None),
        ("[]", ()),
        (' [ "a" ] ', ("a",)),
        ('["a", "a", ""]', ("a", "a", "")),
    ],
)
def test_topics_are_read_in_every_form(tmp_path, raw, topics):
    assert only(make_store(tmp_path / "a.db", [row("a", "x", topics=raw)])).topics == topics


@pytest.mark.parametrize(
    ("raw", "epoch"),
    [
        (1767258000, 1767258000),
        (1767258000.5, 1767258000.5),
        (Sql("'1767258000'"), 1767258000),
        (" 1767258000.25 x"[:-2], 1767258000.25),
        (1767258000123, 1767258000.123),
        ("2026-01-01 09:00:00+00:00", 1767258000),
        ("2026-01-01 09:00:00.5+00:00", 1767258000.5),
        ("2026-01-01T10:00:00+01:00", 1767258000),
        ("2026-01-01T09:00:00Z", 1767258000),
        ("2026-01-01 09:00:00", 1767258000),
        (0, 0),
        (-86400, -86400),
        (None, None),
        ("", None),
        ("yesterday", None),
        (b"1767258000", None),
        (9e999, None),
        (10**18 * 9, None),
    ],
)
def test_times_are_read_in_every_form_and_an_unreadable_one_is_unknown(tmp_path, raw, epoch):
    path = make_store(tmp_path / "a.db", [row("a", "x", at=5, updated_at=raw), row("b", "y", created_at=raw or 0, updated_at=5)])
    a, b = open_store(str(path)).read("u1").memories
    assert a.updated_at == epoch
    assert a.last_changed == (5 if epoch is None else epoch)
    if raw:
        assert b.created_at == epoch


def test_times_of_a_row_are_not_rewritten_by_a_change_of_something_else(tmp_path):
    raw = {"created_at": "2026-01-01 09:00:00.123456+00:00", "updated_at": 1767258000.75, "topics": None, "input": b"\x00\xff"}
    path = make_store(tmp_path / "a.db", [row("a", "x", **raw)])
    MemoryManager(path).optimize_memories("u1", Does(lambda ms: [m.but(memory="y 日本 🎻") for m in ms]), apply=True)
    (stored,) = records(path)
    assert {name: stored[name] for name in raw} == raw
    assert stored["memory"] == json.dumps("y 日本 🎻")
    assert stored["memory"].isascii()


@pytest.mark.parametrize("schema", ["3", "2.0", "migrated"])
def test_only_the_changed_columns_are_written_and_in_agnos_encoding(tmp_path, schema):
    path = make_store(
        tmp_path / "a.db",
        [row("a", "", memory='"語"', topics='["x",   "y"]', input="i", feedback="f", agent_id="g", team_id="t", at=7)],
        schema=schema,
    )
    (before,) = records(path)
    for change, column, written in (
        ({"topics": ["語", "é"]}, "topics", json.dumps(["語", "é"])),
        ({"topics": None}, "topics", "null"),
        ({"topics": ()}, "topics", "[]"),
        ({"updated_at": 99}, "updated_at", 99),
        ({"agent_id": None}, "agent_id", None),
        ({"memory": 'q"\\\n\u2028\ud83c'}, "memory", json.dumps('q"\\\n\u2028\ud83c')),
    ):
        manager = MemoryManager(path)
        manager.optimize_memories("u1", Does(lambda ms, change=change: [m.but(**change) for m in ms]), apply=True)
        (after,) = records(path)
        assert after == {**before, column: written}
        manager.undo()
        assert records(path) == [before]


def test_an_added_memory_is_written_as_agno_would(tmp_path):
    path = make_store(tmp_path / "a.db", [row("a", "x")])
    new = UserMemory("日本 🎻", "n", topics=None, user_id="u1", created_at=5, updated_at=6, agent_id="g")
    MemoryManager(path).optimize_memories("u1", Does(lambda ms: [*ms, new]), apply=True)
    expected = row("n", "日本 🎻", created_at=5, updated_at=6, agent_id="g")
    assert records(path)[1] == {"rowid": 2, **{name: expected[name] for name in records(path)[0] if name != "rowid"}}
    assert records(path)[1]["topics"] == "null"


def test_a_table_without_created_at_and_feedback_shows_in_the_plan_what_it_can_hold(tmp_path):
    path = make_store(tmp_path / "a.db", [row("a", "x"), row("b", "y")], schema="2.0")
    new = UserMemory("z", "n", user_id="u1", created_at=5, updated_at=6, feedback="good")
    plan = MemoryManager(path).optimize_memories("u1", Does(lambda ms: [*ms, new]), apply=True)
    (added,) = [m for m in plan if m.memory_id == "n"]
    assert (added.created_at, added.feedback, added.updated_at) == (None, None, 6)
    assert open_store(str(path)).read("u1").memories == plan.memories
    only_feedback = MemoryManager(path).optimize_memories("u1", Does(lambda ms: [m.but(feedback="good") for m in ms]))
    assert not only_feedback.has_changes


def test_sources_without_a_readable_date_do_not_make_a_row_that_the_table_refuses(tmp_path):
    path = make_store(tmp_path / "a.db", [row("a", "x", created_at="junk"), row("b", "y", created_at="junk")])
    new = UserMemory("z", "n", user_id="u1", sources=("a", "b"))
    MemoryManager(path, clock=lambda: 1234).optimize_memories("u1", Does(lambda ms: [new]), apply=True)
    assert [(r["memory_id"], r["created_at"]) for r in records(path)] == [("n", 1234)]


# -- users ---------------------------------------------------------------------------------------------------------------

USERS = [
    "u1",
    "U1",
    " u1",
    "u1 ",
    "",
    "%",
    "u_",
    "' OR 1=1 --",
    'a"b; DROP TABLE agno_memories',
    "alice/bob",
    "alice?bob",
    "../../etc/x",
    "new\nline",
    "nul\0byte",
    "nul",
    "\x1b[31m",
    "日本 🎻",
    "e\u0301",
    "\u00e9",
    "NULL",
    "None",
    "null",
    "12",
    "12.0",
    "x" * 5000,
    None,
]


def test_users_are_told_apart_whatever_their_ids_look_like(tmp_path):
    path = make_store(tmp_path / "a.db", [row(f"m{n}", f"text {n}", user=user) for n, user in enumerate(USERS)])
    store = open_store(str(path))
    for number, user in enumerate(USERS):
        assert [m.memory_id for m in store.read(user).memories] == [f"m{number}"]
    assert sorted(map(repr, store.user_ids())) == sorted(map(repr, USERS))
    assert {s.user_id: len(s.memories) for s in store.snapshots()} == dict.fromkeys(USERS, 1)


@pytest.mark.parametrize("user", USERS)
def test_a_change_for_one_user_leaves_every_other_byte(tmp_path, user):
    rows = [row(f"m{n}", f"text {n}", user=each) for n, each in enumerate(USERS)]
    path = make_store(tmp_path / "a.db", [*rows, row("second", "x", user=user)])
    mine = f"m{USERS.index(user)}".encode(), b"second"
    before = dump(path)
    others = [r for r in before["agno_memories"] if r[2] not in mine]
    manager = MemoryManager(path)
    manager.optimize_memories(
        user, Does(lambda ms: [ms[0].but(memory="changed"), UserMemory("new", "new", user_id=user)]), apply=True
    )
    after = [r for r in dump(path)["agno_memories"] if r[2] not in (*mine, b"new")]
    assert after == others
    assert {m.memory_id: m.memory for m in manager.get_user_memories(user).memories}[mine[0].decode()] == "changed"
    assert manager.history()[0].user_id == user
    manager.undo()
    assert dump(path) == before


@pytest.mark.parametrize("user", ["\udcff", "\ud800", "a\udc80b"])
def test_a_user_that_no_file_can_hold_has_no_memories(tmp_path, user):
    path = make_store(tmp_path / "a.db", [row("a", "x")])
    assert open_store(str(path)).read(user).memories == ()
    with pytest.raises(UsageError):
        MemoryManager(path).get_user_memories(user)


def test_a_user_id_that_is_no_text_is_counted_and_breaks_nothing(tmp_path):
    path = make_store(
        tmp_path / "a.db",
        [row("a", "x"), row("b", "y", user=b"\xff\x00"), row("c", "z", user_id=Sql("CAST(x'c328' AS TEXT)"))],
    )
    manager = MemoryManager(path)
    assert {s.user_id: (s.memories, s.unreadable) for s in manager.users()} == {
        "u1": (1, 0),
        "x'ff00'": (0, 1),
        "\udcc3(": (0, 1),
    }
    assert manager.store.read("\udcc3(").unreadable[0].memory_id == "c"
    with pytest.raises(UsageError, match="no memories of user 'zz'"):
        manager.get_user_memories("zz")


# -- tables --------------------------------------------------------------------------------------------------------------

ODD_TABLES = ["my memories", 'with "quotes"', "it's", "a.b", "[x]", "日本", "select", "semi;colon--", "UPPER", "%s{}"]


@pytest.mark.parametrize("name", ODD_TABLES)
def test_a_table_of_any_name_is_read_written_and_restored(tmp_path, name):
    sql_name = '"' + name.replace('"', '""') + '"'
    path = make_store(tmp_path / "a.db", [row("a", "one", at=1), row("b", "two", at=2)])
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(f"ALTER TABLE agno_memories RENAME TO {sql_name}")

    def rows():
        with closing(sqlite3.connect(path)) as connection:
            return connection.execute(f"SELECT rowid, * FROM {sql_name} ORDER BY rowid").fetchall()

    before = rows()
    manager = MemoryManager(path)
    assert manager.store.ref.table == name
    manager.optimize_memories("u1", Does(lambda ms: [ms[0].but(memory="changed"), UserMemory("new", user_id="u1")]), apply=True)
    assert [json.loads(r[2]) for r in rows()] == ["changed", "new"]
    manager.undo()
    assert rows() == before


def test_of_several_tables_one_must_be_named_and_it_alone_is_changed(tmp_path):
    path = make_store(tmp_path / "a.db", [row("a", "one"), row("b", "two")])
    make_store(path, [row("a", "one"), row("b", "two")], table="other")
    with pytest.raises(UsageError, match="agno_memories, other") as caught:
        open_store(str(path))
    assert caught.value.details["tables"] == ["agno_memories", "other"]
    with pytest.raises(UsageError, match="'agno_schema_versions' is not a table of Agno memories"):
        open_store(str(path), table="agno_schema_versions")
    with pytest.raises(UsageError, match="'nope' does not exist; memory tables there: agno_memories, other"):
        open_store(str(path), table="nope")
    before = dump(path, "agno_memories")
    manager = MemoryManager(path, table="other")
    run = manager.optimize_memories("u1", Does(lambda ms: ms[:1]), apply=True).run
    assert dump(path, "agno_memories") == before
    assert len(records(path, table="other")) == 1
    with pytest.raises(UsageError, match="--table other"):
        MemoryManager(path, table="agno_memories").undo(run)
    manager.undo(run)
    assert len(records(path, table="other")) == 2


@pytest.mark.parametrize(
    ("make", "word"),
    [
        (lambda p: p.write_bytes(b""), "no table"),
        (lambda p: p.write_text("a text, long enough to be no header of a database, whatever else it is " * 2), "not an SQLite"),
        (lambda p: p.write_bytes(b"SQLite format 3\0"), ""),
        (lambda p: p.write_bytes(b"SQLite format 3\0" + bytes(4080)), ""),
        (lambda p: p.mkdir(), "is a directory"),
        (lambda p: None, "no such file"),
        (lambda p: p.symlink_to(p.with_name("gone")), "no such file"),
    ],
)
def test_a_wrong_file_is_one_line(tmp_path, make, word):
    path = tmp_path / "a.db"
    make(path)
    before = sorted(tmp_path.iterdir())
    with pytest.raises(StoreError) as caught:
        open_store(str(path))
    assert word in str(caught.value) and "\n" not in str(caught.value)
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize(
    "name", ["", "   ", "a\0b", "x" * 5000, "~nobody-of-that-name/a.db", "postgresql://u:p@h/d", "sqlite://"]
)
def test_a_wrong_name_is_one_line(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    with pytest.raises((StoreError, UsageError)) as caught:
        open_store(name)
    assert "\n" not in str(caught.value)
    assert "u:p@" not in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_urls_as_sqlalchemy_writes_them_are_understood(tmp_path, monkeypatch):
    path = make_store(tmp_path / "a.db", [row("a", "x")])
    monkeypatch.chdir(tmp_path)
    for url in ("sqlite:///a.db", f"sqlite:///{path}", f"sqlite+pysqlite:///{path}", "sqlite:///a.db?timeout=5", "a.db"):
        assert open_store(url).ref.location == str(path)


def test_a_file_cut_in_the_middle_is_an_error_and_no_traceback(tmp_path):
    path = make_store(tmp_path / "a.db", [row(f"m{n}", "x" * 500) for n in range(200)])
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(StoreError, match=r"malformed|not an SQLite"):
        MemoryManager(path).optimize_memories("u1", Does(lambda ms: ms[:1]), apply=True)


def test_a_table_of_agno_1_is_named_as_such(tmp_path):
    path = tmp_path / "a.db"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(
            "CREATE TABLE memory (id VARCHAR PRIMARY KEY, user_id VARCHAR, memory VARCHAR, "
            "created_at DATETIME DEFAULT CURRENT_TIMESTAMP, updated_at DATETIME DEFAULT CURRENT_TIMESTAMP)"
        )
    with pytest.raises(StoreError, match=r"Agno 1\.x .*memory"):
        open_store(str(path))


def test_a_file_of_learnings_beside_no_memories_lists_its_tables(tmp_path):
    path = copy_store(FIXTURES / "agno" / "agno_v3_learnings.db", tmp_path / "a.db")
    with closing(sqlite3.connect(path)) as connection, connection:
        names = [n for (n,) in connection.execute("SELECT name FROM sqlite_master WHERE type='table'")]
        if "agno_memories" in names:
            connection.execute("DROP TABLE agno_memories")
    with pytest.raises(StoreError, match="agno_learnings"):
        open_store(str(path))


def test_a_view_and_a_table_of_an_absent_extension_do_not_hide_the_memories(tmp_path):
    path = make_store(tmp_path / "a.db", [row("a", "x")], sql=["CREATE VIEW memories AS SELECT * FROM agno_memories"])
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute(
            "INSERT INTO sqlite_master VALUES ('table', 'vec', 'vec', 0, 'CREATE VIRTUAL TABLE vec USING absent(a float[3])')"
        )
    assert only(path).memory_id == "a"
    with pytest.raises(UsageError):
        open_store(str(path), table="memories")


# -- tables of another shape ---------------------------------------------------------------------------------------------


def made(path, create, rows, *, encoding="UTF-8"):
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(f"PRAGMA encoding = '{encoding}'")
        connection.execute(create)
        for item in rows:
            connection.execute(f"INSERT INTO mem ({', '.join(item)}) VALUES ({', '.join('?' * len(item))})", tuple(item.values()))
    return path


def whole(path):
    with closing(sqlite3.connect(path)) as connection:
        connection.text_factory = bytes
        names = [r[1].decode() for r in connection.execute("PRAGMA table_xinfo(mem)")]
        quoted = ['"' + n.replace('"', '""') + '"' for n in names]
        columns = ", ".join(f"typeof({n}), CAST({n} AS BLOB)" for n in quoted)
        try:
            return connection.execute(f"SELECT rowid, {columns} FROM mem ORDER BY rowid").fetchall()
        except sqlite3.OperationalError:
            return connection.execute(f"SELECT {columns} FROM mem ORDER BY 2").fetchall()


def plain(memory_id, text, **more):
    return {"memory_id": memory_id, "memory": json.dumps(text), "user_id": "u1", "topics": "null", **more}


def changes_and_comes_back(path):
    before = whole(path)
    manager = MemoryManager(path)
    texts = [m.memory for m in manager.get_user_memories("u1").memories]
    plan = manager.optimize_memories(
        "u1", Does(lambda ms: [ms[0].but(memory="changed"), *ms[2:], UserMemory("new", "new", user_id="u1")]), apply=True
    )
    assert plan.run
    now = {m.memory for m in manager.get_user_memories("u1").memories}
    assert now == {"changed", *texts[2:], "new"}
    assert {m.memory_id: m for m in manager.get_user_memories("u1").memories} == {m.memory_id: m for m in plan}
    changed = whole(path)
    manager.undo()
    assert whole(path) == before
    manager.undo()
    assert whole(path) == changed
    manager.undo()
    assert whole(path) == before


SHAPES = {
    "other order": "(topics JSON, updated_at BIGINT, user_id, memory JSON, created_at BIGINT, memory_id PRIMARY KEY)",
    "four columns": "(memory_id TEXT PRIMARY KEY, memory, user_id, topics)",
    "no key": "(memory_id TEXT, memory TEXT, user_id TEXT, topics TEXT, updated_at)",
    "without rowid": "(memory_id TEXT PRIMARY KEY, memory TEXT, user_id TEXT, topics TEXT, updated_at) WITHOUT ROWID",
    "own integer key": "(n INTEGER PRIMARY KEY, memory_id TEXT UNIQUE, memory, user_id, topics)",
    "autoincrement": "(n INTEGER PRIMARY KEY AUTOINCREMENT, memory_id TEXT UNIQUE, memory, user_id, topics)",
    "default": "(memory_id PRIMARY KEY, memory, user_id, topics, t TEXT NOT NULL DEFAULT 'x', m BLOB DEFAULT x'00')",
    "generated": "(memory_id PRIMARY KEY, memory, user_id, topics, size AS (length(memory)) STORED, twice AS (memory || 2))",
    "strict": "(memory_id TEXT PRIMARY KEY, memory TEXT CHECK (json_valid(memory)), user_id TEXT NOT NULL, topics TEXT) STRICT",
    "odd column": '(memory_id PRIMARY KEY, memory, user_id, topics, "Odd ""name"" [x]" DEFAULT 5)',
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("encoding", ["UTF-8", "UTF-16le", "UTF-16be"])
def test_a_table_of_another_shape_changes_and_comes_back(tmp_path, shape, encoding):
    texts = ["héllo 日本 🎻", "two", "thrée", "four"]
    create = f"CREATE TABLE mem {SHAPES[shape]}"
    path = made(tmp_path / "a.db", create, [plain(f"é{n}", text) for n, text in enumerate(texts)], encoding=encoding)
    changes_and_comes_back(path)


def test_values_of_unknown_columns_survive_apply_and_undo(tmp_path):
    create = "CREATE TABLE mem (memory_id PRIMARY KEY, memory, user_id, topics, extra)"
    extras = [None, 5, 2**63 - 1, -0.0, 1e308, 9e999, "日本", "", b"", b"\x00\xff", "nul\0in it"]
    path = made(tmp_path / "a.db", create, [plain(f"m{n}", f"t{n}", extra=extra) for n, extra in enumerate(extras)])
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE mem SET extra = CAST(x'c328ff41' AS TEXT) WHERE memory_id = 'm6'")
    before = whole(path)
    manager = MemoryManager(path)
    manager.optimize_memories("u1", Does(lambda ms: [m.but(memory="x") for m in ms]), apply=True)
    assert [r[-2:] for r in whole(path)] == [r[-2:] for r in before]
    manager.undo()
    manager.optimize_memories("u1", Does(lambda ms: [UserMemory("all", user_id="u1")]), apply=True)
    assert len(whole(path)) == 1
    manager.undo()
    assert whole(path) == before


def test_ids_that_stand_on_several_rows_are_reported_and_left_alone(tmp_path):
    create = "CREATE TABLE mem (memory_id, memory, user_id, topics)"
    rows = [plain("a", "one"), plain("twice", "x"), plain("twice", "x"), plain("b", "two"), plain("twice", "x", user_id="u2")]
    path = made(tmp_path / "a.db", create, rows)
    store = AgnoSqliteStore(path)
    assert [m.memory_id for m in store.read("u1").memories] == ["a", "b"]
    assert [item.memory_id for item in store.read("u1").unreadable] == ["twice", "twice"]
    assert len(store.read("u2").memories) == 1
    before = [r for r in whole(path) if r[2] == b"twice"]
    MemoryManager(path).optimize_memories("u1", Does(lambda ms: ms[:1]), apply=True)
    assert [r for r in whole(path) if r[2] == b"twice"] == before
    assert len(whole(path)) == 4


def test_an_id_that_becomes_ambiguous_after_the_plan_is_not_deleted_twice(tmp_path):
    create = "CREATE TABLE mem (memory_id, memory, user_id, topics)"
    path = made(tmp_path / "a.db", create, [plain("a", "one"), plain("b", "two")])
    manager = MemoryManager(path)
    plan = manager.optimize_memories("u1", Does(lambda ms: ms[1:]))
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("INSERT INTO mem SELECT * FROM mem WHERE memory_id = 'a'")
    before = whole(path)
    with pytest.raises((StoreError, ConflictError)):
        manager.apply(plan)
    assert whole(path) == before


def test_a_column_that_came_after_the_plan_is_a_conflict(tmp_path):
    path = make_store(tmp_path / "a.db", [row("a", "one"), row("b", "two")])
    manager = MemoryManager(path)
    plan = manager.optimize_memories("u1", Does(lambda ms: ms[1:]))
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("ALTER TABLE agno_memories ADD COLUMN more TEXT DEFAULT 'x'")
    before = dump(path)
    with pytest.raises(ConflictError):
        manager.apply(plan)
    with pytest.raises(ConflictError):
        MemoryManager(path).apply(plan)
    assert dump(path) == before


def test_rows_come_in_the_order_in_which_agno_injects_them(tmp_path):
    path = make_store(tmp_path / "a.db", [row(i, i, at=at) for i, at in (("z", 5), ("a", 9), ("m", 1))])
    assert [m.memory_id for m in open_store(str(path)).read("u1").memories] == ["z", "a", "m"]


def test_an_id_that_two_users_share_is_changed_for_the_one_alone(tmp_path):
    create = "CREATE TABLE mem (memory_id, memory, user_id, topics)"
    rows = [plain("same", "one"), plain("same", "two", user_id="u2"), plain("same", "three", user_id=None), plain("b", "four")]
    path = made(tmp_path / "a.db", create, rows)
    before = whole(path)
    manager = MemoryManager(path)
    for work in (lambda ms: ms[1:], lambda ms: [ms[0].but(memory="changed"), *ms[1:]]):
        for user in ("u1", "u2", None):
            others = [r for r in before if r[6] != (None if user is None else user.encode())]
            manager.optimize_memories(user, Does(work), apply=True, allow_empty=True)
            assert [r for r in whole(path) if r[6] != (None if user is None else user.encode())] == others
            assert whole(path) != before
            manager.undo()
            assert whole(path) == before

"""Killed at every statement of an apply and of an undo, the database is the old state or the new one, and the journal agrees."""

from __future__ import annotations

import os
import signal
import time

import pytest
from support.agnofile import row
from support.postgres import TABLE, database

from memopt.manager import MemoryManager
from memopt.stores.agno_postgres import AgnoPostgresStore

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")

ROWS = [
    row("a", "Likes jazz", topics=["music"], at=1767258000, agent_id="x"),
    row("b", "Likes jazz", topics=["taste"], at=1767344400, agent_id="x"),
    row("c", "Has two cats", at=1767430800),
    row("other", "Likes jazz", user="u2", at=1767430800),
    row("d", "用户住在上海 🏙️", at=1767517200, feedback="positive", input="hi"),
    row("e", "Works at Zalando", at=1767517300, topics=None),
    row("f", "Rents a bike", at=1767603600, topics="[]"),
]
COMMANDS = {
    "apply": ["optimize", "--user", "u1", "--strategy", "dedupe", "--strategy", "recent", "-o", "keep=3", "--apply"],
    "undo": ["undo"],
}


def in_child(db, command, kill_at=None, report=None):
    """Run memopt's command line in a forked child that kills itself at the start of a statement. Returns how it ended.

    Everything before that statement has reached the server, nothing of it has. The statements go to ``report``, one a line.
    """
    sys_pid = os.fork()
    if sys_pid:
        return os.waitstatus_to_exitcode(os.waitpid(sys_pid, 0)[1])
    try:
        import psycopg

        count = 0

        def watched(real):
            def call(self, query, *args, **more):
                nonlocal count
                count += 1
                if report is not None:
                    with report.open("a") as file:
                        file.write(" ".join(str(query).split())[:120] + "\n")
                if count == kill_at:
                    os.kill(os.getpid(), signal.SIGKILL)
                return real(self, query, *args, **more)

            return call

        psycopg.Connection.execute = watched(psycopg.Connection.execute)
        psycopg.Cursor.executemany = watched(psycopg.Cursor.executemany)
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
        os.dup2(null, 2)
        from memopt.cli.run import run

        os._exit(run([*COMMANDS[command], "--db", db.url]))
    finally:
        os._exit(99)


def runs(db):
    store = AgnoPostgresStore(db.url)
    try:
        return len(store.history())
    finally:
        store.close()


def quiet(db):
    """Wait until the server has noticed that the client is gone."""
    deadline = time.monotonic() + 10
    while db.ask("SELECT count(*) FROM pg_stat_activity WHERE datname = %s AND application_name = 'memopt'", db.name) != [(0,)]:
        assert time.monotonic() < deadline
        time.sleep(0.01)


@pytest.fixture(scope="module", autouse=True)
def _ready():
    """What every child would have to load is loaded before they are forked."""
    import memopt.cli.app  # noqa: F401
    from memopt.strategies.registry import make_chain
    from memopt.tokens import TokenCounter

    TokenCounter().text("a")
    make_chain(["dedupe", "recent"], {"keep": "3"})


@pytest.mark.parametrize("command", ["apply", "undo"])
def test_sigkill_at_every_statement_leaves_old_or_new(command, tmp_path):
    with database() as db:
        db.make(ROWS)
        if command == "undo":
            assert in_child(db, "apply") == 0
        old, old_runs = db.dump(), runs(db)
        assert in_child(db, command, report=tmp_path / "statements") == 0
        new = db.dump()
        assert new != old
        statements = (tmp_path / "statements").read_text().splitlines()
        inserted = max(n for n, sql in enumerate(statements, 1) if sql.startswith("INSERT INTO memopt.journal"))
        commit = min(n for n, sql in enumerate(statements, 1) if n > inserted and sql == "COMMIT")
        assert any(sql.startswith(("DELETE", "INSERT")) and TABLE.split(".")[1] in sql for sql in statements[:commit])

        db.run(f"TRUNCATE {TABLE}", "DROP SCHEMA memopt CASCADE")
        db.insert(ROWS)
        if command == "undo":
            assert in_child(db, "apply") == 0
            assert db.dump() == old
        # one after another on one database: what a killed one left is what the next one finds
        for number in range(1, commit + 1):
            assert in_child(db, command, kill_at=number) == -signal.SIGKILL, statements[number - 1]
            quiet(db)
            assert db.dump() == old, statements[number - 1]
            assert runs(db) == old_runs
        assert in_child(db, command, kill_at=commit + 1) in (0, -signal.SIGKILL)
        quiet(db)
        assert db.dump() == new
        assert runs(db) == old_runs + 1
        store = AgnoPostgresStore(db.url)
        MemoryManager(store).undo()
        store.close()
        assert db.dump() == old


def test_a_killed_client_holds_no_lock(tmp_path):
    with database() as db:
        db.make(ROWS)
        report = tmp_path / "statements"
        assert in_child(db, "apply", report=report) == 0
        statements = report.read_text().splitlines()
        journal = max(n for n, sql in enumerate(statements, 1) if sql.startswith("INSERT INTO memopt.journal"))
        db.run(f"TRUNCATE {TABLE}", "DROP SCHEMA memopt CASCADE")
        db.insert(ROWS)
        assert in_child(db, "apply", kill_at=journal) == -signal.SIGKILL
        store = AgnoPostgresStore(db.url, lock_timeout=5)
        assert MemoryManager(store).optimize_memories("u1", "dedupe", apply=True).run
        store.close()


def test_ctrl_c_within_the_commit_tells_what_became_of_it(monkeypatch):
    import psycopg

    from memopt.errors import Interrupted

    with database() as db:
        db.make(ROWS)
        store = AgnoPostgresStore(db.url)
        plan = MemoryManager(store).optimize_memories("u1", "dedupe")
        real = psycopg.Connection.execute
        armed = []

        def execute(self, query, *args, **more):
            if query == "SELECT txid_current_if_assigned()":
                armed.append(True)
            if query == "COMMIT" and armed:
                armed.clear()
                if first:
                    raise KeyboardInterrupt
                real(self, query, *args, **more)
                raise KeyboardInterrupt
            return real(self, query, *args, **more)

        monkeypatch.setattr(psycopg.Connection, "execute", execute)
        first = True
        with pytest.raises(KeyboardInterrupt):
            store.apply(plan)
        assert store.history() == []
        first = False
        with pytest.raises(Interrupted, match="already written"):
            store.apply(plan)
        assert len(store.history()) == 1
        store.close()

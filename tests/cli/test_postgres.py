"""The command line on a Postgres: the same commands, errors in one line, and no secret anywhere."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import threading
import time
from urllib.parse import quote

import pytest
from support.agnofile import clean_environment, memopt_json, row, run_memopt
from support.batches import run_batch
from support.endpoint import Endpoint, say
from support.postgres import OWNER, PASSWORD, TABLE, database, running
from support.queues import wait_for

from memopt.errors import Interrupted
from memopt.fleet import Fleet, FolderRun, Selection, Status
from memopt.folder import listed
from memopt.policy import Condition
from memopt.stores import open_store
from memopt.stores.postgres import is_address, public, read_address
from memopt.strategies.base import MemoryOptimizationStrategy

ROWS = [
    row("a", "Likes jazz", topics=["music"], at=1767258000),
    row("b", "Likes jazz", topics=["taste"], at=1767344400),
    row("c", "Has two cats", at=1767430800),
    row("v", "Likes tea", user="u2", at=1767430800),
]


@pytest.fixture
def db():
    with database() as made:
        yield made.make(ROWS)


def secrets(password=PASSWORD):
    """The password, as it is and encoded, and every piece of it that a broken reading would cut out."""
    pieces = {password, quote(password, safe="")}
    for mark in "@/?#%:":
        pieces |= {piece for piece in password.split(mark) if len(piece) > 2}
    return pieces


def assert_silent(*texts, password=PASSWORD):
    for text in texts:
        for piece in secrets(password):
            assert piece not in text, text


def test_the_commands_work_as_on_a_file(db, tmp_path):
    env = {"MEMOPT_DB": db.url}
    users = memopt_json("users", env=env, cwd=tmp_path)
    assert [u["user_id"] for u in users["users"]] == ["u1", "u2"]
    preview = memopt_json(
        "optimize", "--user", "u1", "--strategy", "dedupe", "--out", tmp_path / "plan.json", env=env, cwd=tmp_path
    )
    assert preview["counts"]["dropped"] == 1
    search = ("search", "what music does she like", "--user", "u1")
    assert [hit["memory"]["memory_id"] for hit in memopt_json(*search, env=env, cwd=tmp_path)["hits"]][:2] == ["a", "b"]
    left = memopt_json("search", "jazz", "--plan", tmp_path / "plan.json", cwd=tmp_path)["hits"]
    assert [hit["memory"]["memory_id"] for hit in left] == ["b"]
    assert preview["store"] == {
        "kind": "agno-postgres",
        "location": f"postgresql://127.0.0.1:{db.server.port}/{db.name}",
        "table": TABLE,
    }
    before = db.dump()
    done = run_memopt("apply", tmp_path / "plan.json", env=env, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    (run,) = memopt_json("history", env=env, cwd=tmp_path)["runs"]
    told = memopt_json("history", run["run_id"], env=env, cwd=tmp_path)["changes"]
    assert told and all((change["before"] or change["after"])["memory"] and change["reason"] for change in told)
    shown = run_memopt("show", "--user", "u1", env=env, cwd=tmp_path)
    assert "Likes jazz" in shown.stdout
    assert run_memopt("undo", env=env, cwd=tmp_path).returncode == 0
    assert db.dump() == before
    assert_silent(done.stdout, done.stderr, shown.stdout, (tmp_path / "plan.json").read_text())


def test_the_command_that_takes_it_back_is_told_without_the_password(db, tmp_path):
    done = run_memopt("optimize", "--db", db.url, "--user", "u1", "--strategy", "dedupe", "--apply", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert_silent(done.stdout, done.stderr)
    command = done.stdout.split("take it back with: ")[1].split("\n")[0]
    args = shlex.split(command)
    assert args[:2] == ["memopt", "undo"]
    # the password comes from where libpq looks
    again = run_memopt(*args[1:], env={"PGPASSWORD": PASSWORD}, cwd=tmp_path)
    assert again.returncode == 0, again.stderr


def test_where_the_login_is_missing_it_says_how_to_give_it(db, tmp_path):
    plans = tmp_path / "plans"
    args = ("optimize", "--db", db.url, "--all-users", "--strategy", "dedupe", "--out", plans)
    assert run_memopt(*args, cwd=tmp_path).returncode == 0
    done = run_memopt("apply", plans, cwd=tmp_path)
    assert done.returncode == 6 and "--db or MEMOPT_DB" in done.stderr and len(done.stderr.splitlines()) == 1, done.stderr
    assert_silent(done.stdout, done.stderr)
    assert run_memopt("apply", plans, "--db", db.url, cwd=tmp_path).returncode == 0


def test_a_plan_is_applied_with_the_login_of_the_settings_file(db, tmp_path):
    db.make([row("z", "x")], table="other.agno_memories")
    (tmp_path / "memopt.toml").write_text(f'db = {json.dumps(db.url)}\ntable = "{TABLE}"\n')
    plan = tmp_path / "plan.json"
    assert run_memopt("optimize", "--user", "u1", "--strategy", "dedupe", "--out", plan, cwd=tmp_path).returncode == 0
    done = run_memopt("apply", plan, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    with database() as second:
        second.make(ROWS)
        (tmp_path / "memopt.toml").write_text(f"db = {json.dumps(second.url)}\n")
        done = run_memopt("apply", plan, cwd=tmp_path)
        assert done.returncode == 5
        assert_silent(done.stdout, done.stderr)


BROKEN = [
    "postgresql://me:{}@127.0.0.1:5432/db",
    "postgres://me:{}@127.0.0.1/db?sslmode=disable",
    "postgresql+psycopg://me:{}@h,g/db",
]


@pytest.mark.parametrize(
    "password",
    ["Pass@w0rd01", "$$W0rd01@db", "ab/cdef", "ab?cdef=gh", "ab%cdef", "abc%00def", "p@ss/w?rd", "1234?b=cdef", "[abc]def@x"],
)
@pytest.mark.parametrize("url", BROKEN)
def test_a_url_that_an_unescaped_password_breaks_is_refused_with_a_hint_and_no_piece_of_it(url, password, tmp_path):
    pieces = [piece for mark in "@/?%=" for piece in password.split(mark) if len(piece) > 2]
    for flags in ([], ["--json"], ["--debug"]):
        done = (
            run_memopt("users", "--db", url.format(password), *flags, cwd=tmp_path)
            if flags == ["--debug"]
            else _quick(url.format(password), flags)
        )
        said = done.stdout + done.stderr
        assert done.returncode == 2, said
        assert "%40" in said
        assert not [piece for piece in pieces if piece in said], said
    assert not [piece for piece in pieces if piece in public(url.format(password))]


def _quick(url, flags):
    """The same without starting a process."""
    import io
    from contextlib import redirect_stderr, redirect_stdout

    from memopt.cli.run import run

    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = run(["users", "--db", url, *flags])
    return subprocess.CompletedProcess([], code, out.getvalue(), err.getvalue())


@pytest.mark.parametrize(
    ("address", "params", "shown"),
    [
        ("postgresql://me:p%40ss%23@127.0.0.1/db", {"user": "me", "password": "p@ss#", "host": "127.0.0.1", "dbname": "db"}, "postgresql://me@127.0.0.1/db"),
        ("postgres://me:p#w:d@h/db", {"user": "me", "password": "p#w:d", "host": "h", "dbname": "db"}, "postgres://me@h/db"),
        ("postgresql+asyncpg://h/db?ssl=require", {"host": "h", "dbname": "db", "sslmode": "require"}, "postgresql+asyncpg://h/db?ssl=require"),
        ("postgresql://h/db?password=secret&sslmode=disable&options=-csearch_path%3Dai",
         {"host": "h", "dbname": "db", "password": "secret", "sslmode": "disable", "options": "-csearch_path=ai"},
         "postgresql://h/db?sslmode=disable&options=-csearch_path%3Dai"),
        ("postgresql://a:1,b:2/db", {"host": "a,b", "port": "1,2", "dbname": "db"}, "postgresql://a:1,b:2/db"),
        ("postgresql://[::1]:5433/db", {"host": "::1", "port": "5433", "dbname": "db"}, "postgresql://[::1]:5433/db"),
        ("postgresql:///db?host=/run/pg&user=me@tenant", {"host": "/run/pg", "user": "me@tenant", "dbname": "db"}, "postgresql:///db?host=/run/pg&user=me@tenant"),
        ("service=mem", {"service": "mem"}, "service=mem"),
        ("host=h user = me password = 'a b\\'c' dbname=db", {"host": "h", "user": "me", "password": "a b'c", "dbname": "db"},
         "host=h user = me dbname=db"),
        ("host=h password=abc", {"host": "h", "password": "abc"}, "host=h"),
    ],
)  # fmt: skip
def test_addresses_are_read_and_shown_without_secrets(address, params, shown):
    assert is_address(address)
    assert read_address(address) == params
    assert public(address) == shown


@pytest.mark.parametrize(
    "text", ["agno.db", "sqlite:///agno.db", "/srv/postgresql/agno.db", "mysql://me:pw@h/db", "C:\\agno.db", "user.db", ""]
)
def test_other_names_of_stores_are_no_addresses(text):
    assert not is_address(text)
    assert public(text) == text


def test_a_file_that_is_called_like_an_address_is_a_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert is_address("service=mem")
    (tmp_path / "service=mem").touch()
    assert not is_address("service=mem")


@pytest.mark.parametrize(
    "url",
    [
        "postgresql:me:s3cret@h/db",
        "postgresql:/me:s3cret@h/db",
        "postgresql://h/db?s3cret",
        "password=s3cret host",
        "postgresql://h/db?bogus=s3cret",
    ],
)
def test_what_is_nearly_an_address_does_not_come_back_in_the_error(url):
    done = _quick(url, ["--json"])
    assert done.returncode == 2
    assert "s3cret" not in done.stdout + done.stderr


def _url(user=OWNER, password=PASSWORD, host="127.0.0.1", port=None, name="postgres"):
    port = port or running().port
    return f"postgresql://{user}:{quote(password, safe='')}@{host}:{port}/{name}"


@pytest.mark.parametrize(
    ("what", "said"),
    [
        ({"password": "wr0ng@pass/w%rd"}, "password authentication failed"),
        ({"user": "nobody_here"}, "password authentication failed"),
        ({"name": "no_such_database"}, "no_such_database"),
        ({"port": 1}, "refused"),
        ({"host": "no.such.host.invalid"}, "no.such.host.invalid"),
    ],
)
@pytest.mark.parametrize("flags", [[], ["--json"], ["--debug"]])
def test_a_server_that_cannot_be_reached_or_refuses_is_one_line_without_the_password(what, said, flags):
    done = _quick(_url(**what), flags)
    assert done.returncode == 6, done.stderr
    text = done.stdout + done.stderr
    assert said in text
    assert_silent(text, password=what.get("password", PASSWORD))
    if not flags:
        assert done.stderr.count("\n") == 1
        assert done.stdout == ""


def test_services_and_password_files_are_libpqs(db, tmp_path):
    (tmp_path / "services").write_text(
        f"[mem]\nhost=127.0.0.1\nport={db.server.port}\ndbname={db.name}\nuser={OWNER}\npassword={PASSWORD}\n"
    )
    env = {"PGSERVICEFILE": str(tmp_path / "services"), "HOME": str(tmp_path)}
    found = memopt_json("users", "--db", "service=mem", env=env, cwd=tmp_path)
    assert len(found["users"]) == 2
    done = run_memopt("users", "--db", "service=nothing", env=env, cwd=tmp_path)
    assert done.returncode == 6
    assert "nothing" in done.stderr and "Traceback" not in done.stderr
    pgpass = tmp_path / ".pgpass"
    escaped = PASSWORD.replace("\\", "\\\\").replace(":", "\\:")
    pgpass.write_text(f"127.0.0.1:{db.server.port}:{db.name}:{OWNER}:{escaped}\n")
    pgpass.chmod(0o600)
    plain = f"postgresql://{OWNER}@127.0.0.1:{db.server.port}/{db.name}"
    assert len(memopt_json("users", "--db", plain, env={"HOME": str(tmp_path)}, cwd=tmp_path)["users"]) == 2


def test_several_tables_are_listed_and_table_says_which(db, tmp_path):
    db.make([row("z", "x", user="v")], table="other.agno_memories")
    done = run_memopt("users", "--db", db.url, cwd=tmp_path)
    assert done.returncode == 2
    assert "ai.agno_memories, other.agno_memories" in done.stderr and "--table" in done.stderr
    found = memopt_json("users", "--db", db.url, "--table", "other.agno_memories", cwd=tmp_path)
    assert [u["user_id"] for u in found["users"]] == ["v"]


def test_an_apply_that_may_not_write_asks_no_model_and_names_the_grants(db, tmp_path):
    reader = f"reader_{db.name}"
    db.run(f"CREATE ROLE {reader} LOGIN PASSWORD '{PASSWORD}'", user="postgres")
    try:
        db.run(f"GRANT USAGE ON SCHEMA ai TO {reader}", f"GRANT SELECT ON {TABLE} TO {reader}")
        url = db.server.url(db.name, reader)
        done = run_memopt(
            "optimize", "--db", url, "--user", "u1", "--strategy", "summarize", "--model", "m", "--apply",
            env={"OPENAI_BASE_URL": "http://127.0.0.1:9/v1"}, cwd=tmp_path,
        )  # fmt: skip
        assert done.returncode == 6
        assert f"GRANT INSERT, UPDATE, DELETE ON {TABLE} TO {reader}" in done.stderr
        assert f"GRANT CREATE ON DATABASE {db.name} TO {reader}" in done.stderr
        assert done.stderr.count("\n") == 1
    finally:
        db.run(f"DROP OWNED BY {reader}", f"DROP ROLE {reader}", user="postgres")


def test_without_psycopg_the_extra_is_named(tmp_path):
    code = "import sys; sys.modules['psycopg'] = None; from memopt.cli.run import run; sys.exit(run(sys.argv[1:]))"
    done = subprocess.run(
        [sys.executable, "-c", code, "users", "--db", "postgresql://me:s3cret@h/db"],
        env=clean_environment(), capture_output=True, text=True, check=False, cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 2
    assert "pip install 'memopt[postgres]'" in done.stderr
    assert "s3cret" not in done.stderr


def test_psycopg_is_not_loaded_for_a_file(tmp_path):
    from support.agnofile import make_store

    path = make_store(tmp_path / "agno.db", ROWS)
    code = (
        "import sys; from memopt.cli.run import run; run(sys.argv[1:]); "
        "sys.exit(bool({'psycopg', 'memopt.stores.agno_postgres'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "users", "--db", str(path)], env=clean_environment(), capture_output=True, check=False
    )
    assert done.returncode == 0


def test_the_log_of_the_server_and_the_process_list_hold_no_statement_with_the_password(db, tmp_path):
    # libpq hides a password in neither; memopt never sends one in a statement
    assert run_memopt("optimize", "--db", db.url, "--user", "u1", "--strategy", "dedupe", "--apply", cwd=tmp_path).returncode == 0
    log = (db.server.folder / "log").read_text(errors="replace")
    assert quote(PASSWORD, safe="") not in log
    assert os.environ.get("PGPASSWORD") is None


FLEET = ("optimize", "--all-users", "--strategy", "dedupe", "--apply", "--json")


def _many(db, users=40):
    db.insert(
        [
            row(f"{n}-{i}", f"Likes {'tea' if i % 2 else 'jazz'}", user=f"w{n}", at=1767258000 + i)
            for n in range(users)
            for i in range(6)
        ]
    )


def test_all_users_are_done_once_and_then_passed_over(db, tmp_path):
    _many(db)
    for expected in (41, 0):
        done = run_memopt(*FLEET, "--db", db.url, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        assert_silent(done.stdout, done.stderr)
        assert len(db.ask("SELECT 1 FROM memopt.journal")) == 41
        assert len([r for r in db.dump()[TABLE] if r["user_id"].startswith("w")]) == 80, expected


class _Slow(MemoryOptimizationStrategy):
    """Drops the newest memory; notes how many users are worked on at a time, and fails for one of them."""

    name = "slow"
    now_at = most = 0
    guard = threading.Lock()

    def steps(self, memories):
        with self.guard:
            _Slow.now_at += 1
            _Slow.most = max(_Slow.most, _Slow.now_at)
        time.sleep(0.02 if memories[0].user_id > "w2" else 0.06)
        with self.guard:
            _Slow.now_at -= 1
        if memories[0].user_id == "w11":
            raise ValueError("not this one")
        return list(memories)[:-1]


def test_some_users_are_worked_on_at_a_time_and_told_in_order(db):
    _many(db, 30)
    store, told = open_store(db.url), []
    _Slow.most = 0
    selection = Selection(patterns=("w*",), when=Condition.read("memories > 5", "when"))
    db.run(f"DELETE FROM {TABLE} WHERE memory_id = '7-0'")
    summary = Fleet(store, [_Slow()], selection=selection, apply=True, told=told.append).run()
    store.close()
    assert 1 < _Slow.most <= store.parallel
    assert [item.user_id for item in told] == sorted(item.user_id for item in told)
    assert summary.passed_over["when"] == 1 and summary.statuses[Status.APPLIED] == 28
    assert [(item.user_id, item.error.kind) for item in told if item.error] == [("w11", "strategy")]
    journal = dict(db.ask("SELECT user_id, count(*) FROM memopt.journal GROUP BY 1"))
    assert journal == {item.user_id: 1 for item in told if item.run}


def test_a_run_that_is_ended_tells_what_its_threads_wrote(db):
    _many(db, 30)
    store, told = open_store(db.url), []

    def take(outcome):
        told.append(outcome)
        if len(told) == 5:
            fleet.stop(Interrupted("enough"))

    fleet = Fleet(store, [_Slow()], selection=Selection(patterns=("w*",)), apply=True, told=take)
    summary = fleet.run()
    store.close()
    assert summary.exit_code == 130 and len(told) == 30 == len({item.user_id for item in told})
    written = {item.user_id for item in told if item.run}
    assert 4 <= len(written) <= 4 + 2 * store.parallel
    assert written == {user for (user,) in db.ask("SELECT user_id FROM memopt.journal")}


@pytest.fixture
def kept(db, tmp_path):
    """A folder of plans of twenty users."""
    _many(db, 20)
    folder = tmp_path / "plans"
    done = run_memopt("optimize", "--db", db.url, "--users", "w*", "-s", "dedupe", "--out", folder, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    return folder


def written(db):
    if db.ask("SELECT to_regclass('memopt.journal') IS NULL") == [(True,)]:
        return []
    return sorted(user for (user,) in db.ask("SELECT user_id FROM memopt.journal"))


def test_some_kept_plans_are_written_at_a_time_and_told_in_order(db, kept):
    users = [user for user, _ in listed(kept)]
    told, store = [], open_store(db.url, lock_timeout=60)
    run = FolderRun(store, kept, told=told.append)
    working = threading.Thread(target=run.run)
    with db.connect() as agent:
        agent.execute("BEGIN")
        agent.execute(f"SELECT 1 FROM {TABLE} WHERE user_id = %s FOR UPDATE", [users[0]])
        working.start()
        wait_for(lambda: len(written(db)) == 2 * store.parallel - 1)  # the others, while the first one waits
        assert told == [] and users[0] not in written(db)
        agent.execute("ROLLBACK")
        working.join(60)
    store.close()
    assert [item.user_id for item in told] == users and run.summary.statuses == {Status.APPLIED: 20}
    assert written(db) == sorted(users)


def test_one_kept_plan_that_fails_stops_none_that_are_written_beside_it(db, kept):
    _, file = list(listed(kept))[3]
    (kept / file).write_text((kept / file).read_text().replace('"dropped"', '"kept"', 1))
    moved = list(listed(kept))[5][0]
    db.run(f"UPDATE {TABLE} SET memory = '\"Likes tango\"' WHERE user_id = '{moved}'")
    store = open_store(db.url)
    summary = FolderRun(store, kept).run()
    store.close()
    assert summary.statuses == {Status.APPLIED: 18, Status.FAILED: 2} and summary.exit_code == 7
    assert sorted(reason.users for reason in summary.reasons.values()) == [1, 1]
    assert len(written(db)) == 18 and moved not in written(db)


def test_kept_plans_whose_writing_is_ended_tell_what_the_threads_wrote_and_the_rest_is_written_later(db, kept):
    told, store = [], open_store(db.url)

    def take(outcome):
        told.append(outcome)
        if len(told) == 3:
            run.stop(Interrupted("enough"))

    run = FolderRun(store, kept, told=take)
    summary = run.run()
    assert summary.exit_code == 130 and len(told) == 20 == len({item.user_id for item in told})
    first = sorted(item.user_id for item in told if item.run)
    assert 3 <= len(first) <= 3 + 2 * store.parallel and first == written(db)
    assert FolderRun(store, kept).run().statuses == {Status.SEEN: len(first), Status.APPLIED: 20 - len(first)}
    store.close()
    assert len(written(db)) == 20


def test_two_who_write_the_same_folder_at_one_time_write_each_user_once(db, kept, tmp_path):
    runs = [
        subprocess.Popen(
            [sys.executable, "-m", "memopt", "apply", kept, "--db", db.url, "--json"],
            cwd=tmp_path, env=clean_environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )
        for _ in range(2)
    ]  # fmt: skip
    documents = [json.loads(run.communicate(timeout=120)[0]) for run in runs]
    assert len(written(db)) == 20
    applied = [item["user_id"] for document in documents for item in document["users"] if item["status"] == "applied"]
    assert sorted(applied) == written(db)
    assert {item["error"]["kind"] for document in documents for item in document["users"] if item["error"]} <= {"locked"}


def test_the_command_that_writes_kept_plans_names_the_server_without_the_password(db, tmp_path):
    done = run_memopt("optimize", "--db", db.url, "--all-users", "-s", "dedupe", "--out", "plans", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    command = done.stdout.rpartition("write exactly this with: ")[2].strip()
    assert shlex.split(command)[:4] == ["memopt", "apply", "plans", "--db"]
    assert_silent(done.stdout)
    applied = run_memopt(*shlex.split(command)[1:], cwd=tmp_path, env={"PGPASSWORD": PASSWORD})
    assert applied.returncode == 0, applied.stderr
    assert len(memopt_json("history", env={"MEMOPT_DB": db.url}, cwd=tmp_path)["runs"]) == 1


def test_two_runs_at_the_same_time_do_every_user_once(db, tmp_path):
    _many(db)
    runs = [
        subprocess.Popen(
            [sys.executable, "-m", "memopt", *FLEET, "--db", db.url],
            cwd=tmp_path,
            env=clean_environment(),
            stdout=subprocess.PIPE,
        )
        for _ in range(2)
    ]
    for run in runs:
        run.communicate(timeout=60)
    assert db.ask("SELECT max(n), count(*) FROM (SELECT count(*) AS n FROM memopt.journal GROUP BY user_id) AS t") == [(1, 41)]
    assert len([r for r in db.dump()[TABLE] if r["user_id"].startswith("w")]) == 80


def test_a_run_that_is_killed_is_finished_by_the_next_one(db, tmp_path):
    import signal
    import time

    _many(db, 200)
    run = subprocess.Popen(
        [sys.executable, "-m", "memopt", *FLEET, "--db", db.url], cwd=tmp_path, env=clean_environment(), stdout=subprocess.PIPE
    )
    deadline = time.monotonic() + 60
    while True:
        assert time.monotonic() < deadline and run.poll() is None
        if db.ask("SELECT 1 FROM pg_class WHERE relname = 'journal'") and len(db.ask("SELECT 1 FROM memopt.journal")) > 5:
            break
    run.send_signal(signal.SIGKILL)
    run.communicate()
    (done,) = db.ask("SELECT count(*) FROM memopt.journal")
    assert 5 < done[0] < 200
    assert run_memopt(*FLEET, "--db", db.url, cwd=tmp_path).returncode == 0
    assert db.ask("SELECT max(n), count(*) FROM (SELECT count(*) AS n FROM memopt.journal GROUP BY user_id) AS t") == [(1, 201)]
    assert len([r for r in db.dump()[TABLE] if r["user_id"].startswith("w")]) == 400


def test_a_batch_goes_there_and_back_and_holds_no_password(tmp_path):
    rows = [row(f"r{n}", text, at=1767258000 + n) for n, text in enumerate(["Likes jazz.", "Has two cats."] * 4)]
    answer = say("Likes jazz. Has two cats.", usage={"prompt_tokens": 400, "completion_tokens": 20})
    with database() as made, Endpoint(answer) as endpoint:
        db = made.make(rows)
        env = {"MEMOPT_DB": db.url}
        exported = run_memopt(
            "batch", "export", "--all-users", "-s", "summarize", "--model", "m", "--base-url", endpoint.base_url,
            "--without", "schema", "--out", "requests.jsonl", env=env, cwd=tmp_path,
        )  # fmt: skip
        assert exported.returncode == 0, exported.stderr
        run_batch(tmp_path / "requests.jsonl", endpoint.base_url, tmp_path / "results.jsonl")
        nowhere = run_memopt("batch", "import", "results.jsonl", "--out", "plans", cwd=tmp_path)
        assert nowhere.returncode != 0 and not (tmp_path / "plans").exists()
        done = run_memopt("batch", "import", "results.jsonl", "--out", "plans", env=env, cwd=tmp_path)
        assert done.returncode == 0 and "1 to change" in done.stdout, done.stderr
        applied = memopt_json("apply", "plans", env=env, cwd=tmp_path)
        assert {item["user_id"]: item["status"] for item in applied["users"]} == {"u1": "applied"}
        files = [path for path in tmp_path.rglob("*") if path.is_file()]
        assert len(files) > 4
        assert_silent(exported.stdout, nowhere.stderr, done.stdout, *(path.read_text(errors="replace") for path in files))

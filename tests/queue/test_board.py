"""Putting jobs in, looking at them, putting them back, dropping them: on a real server."""

from __future__ import annotations

import json
import subprocess
import sys
import threading

import pytest
from support.agnofile import clean_environment, row
from support.endpoint import Endpoint, fail, say
from support.inprocess import call_memopt
from support.postgres import OWNER, PASSWORD, TABLE, Database, running
from support.queues import Queue, fleet, names, policies

from memopt.errors import StoreError, UsageError
from memopt.queue import Due, open_board
from memopt.queue import board as board_module
from memopt.queue.schema import init_sql

ODD = ["ann", "用户🏙️", 'o\'brien "x"', "a\nb\tc", "%s {user} \\ $1", "x" * 5000, "--help", " ", "é́"]


@pytest.fixture
def queue(db, tmp_path):
    db.make(fleet(names(5)))
    return Queue(db, tmp_path)


# -- who gets a job -----------------------------------------------------------------------------------------------------


def test_twice_enqueued_is_once(queue):
    first, second = queue.enqueue(), queue.enqueue()
    assert (first["jobs"], first["waiting"]) == (5, 0)
    assert (second["jobs"], second["waiting"]) == (0, 5)
    assert queue.statuses() == {"todo": 5}
    assert queue.work() == {"applied": 5}
    assert queue.journal() == names(5)


def test_two_who_enqueue_at_one_moment_put_each_user_in_once(queue):
    queue.call("enqueue", "--init")
    found = []

    def enqueue():
        done = subprocess.run(
            [sys.executable, "-m", "memopt", "enqueue", "--all-users", "--strategy", "dedupe", "--json"],
            env=clean_environment(MEMOPT_DB=queue.db.url), cwd=queue.folder, capture_output=True, text=True, check=False,
        )  # fmt: skip
        found.append((done.returncode, done.stderr, json.loads(done.stdout or "{}").get("jobs")))

    threads = [threading.Thread(target=enqueue) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [code for code, _, _ in found] == [0, 0, 0], found
    assert sum(jobs for _, _, jobs in found) == 5
    assert queue.statuses() == {"todo": 5}


def test_a_user_whose_job_is_running_gets_no_second_one(queue):
    queue.enqueue()
    with queue.db.connect() as conn:
        conn.execute("SET search_path = memopt")
        conn.execute("UPDATE procrastinate_jobs SET status = 'doing' WHERE id = (SELECT min(id) FROM procrastinate_jobs)")
    assert queue.enqueue()["waiting"] == 5
    assert queue.statuses() == {"doing": 1, "todo": 4}


def test_another_recipe_is_another_job_of_the_same_user(queue):
    queue.enqueue()
    assert queue.enqueue("--strategy", "recent", "-o", "keep=1")["jobs"] == 5
    # two labels do not wait for each other, and of one user never two are worked on at one time
    queue.work("--backoff", "0.1")
    assert queue.statuses() == {"succeeded": 10}
    assert queue.db.ask(f"SELECT count(*) FROM {TABLE}") == [(5,)]
    assert sorted(each["label"] for each in queue.jobs()["policies"]) == ["dedupe", "recent"]


def test_what_was_seen_is_not_enqueued_unless_forced(queue):
    queue.enqueue()
    queue.work()
    again = queue.enqueue()
    assert (again["jobs"], again["passed_over"]["seen"]) == (0, 5)
    queue.db.insert([row("new", "Likes jazz", user="user-003")])
    changed = queue.enqueue()
    assert (changed["jobs"], changed["passed_over"]["seen"]) == (1, 4)
    assert queue.work() == {"applied": 1}
    assert queue.enqueue("--strategy", "dedupe", "--force")["jobs"] == 5
    assert queue.work() == {"unchanged": 5}  # it was looked at although nothing had changed
    assert (
        queue.enqueue("--strategy", "dedupe", "--strategy", "recent", "-o", "keep=1")["jobs"] == 5
    )  # seen by another recipe only


def test_rows_without_a_user_never_get_a_job(db, tmp_path):
    db.make([*fleet(["ann"]), row("n1", "Likes jazz", user=None), row("n2", "Likes jazz", user=None)])
    queue = Queue(db, tmp_path)
    found = queue.enqueue()
    assert (found["jobs"], found["passed_over"]["no-user"]) == (1, 1)
    assert queue.work() == {"applied": 1}
    assert db.ask(f"SELECT count(*) FROM {TABLE} WHERE user_id IS NULL") == [(2,)]


def test_ids_of_all_kinds_are_done_like_any_other(db, tmp_path):
    db.make(fleet(ODD))
    queue = Queue(db, tmp_path)
    assert queue.enqueue()["jobs"] == len(ODD)
    assert queue.enqueue()["waiting"] == len(ODD)
    assert queue.work() == {"applied": len(ODD)}
    assert queue.journal() == sorted(ODD)
    assert queue.enqueue()["passed_over"]["seen"] == len(ODD)


def test_ids_of_a_database_without_an_encoding(tmp_path):
    name = "ascii_queue"
    with running().connect() as connection:
        connection.execute(f"CREATE DATABASE {name} OWNER {OWNER} TEMPLATE template0 ENCODING 'SQL_ASCII'")
    try:
        db = Database(running(), name).make(fleet(["ann", "用户"]))
        with db.connect() as connection:
            connection.execute("SET client_encoding = 'SQL_ASCII'")
            connection.execute(
                f"INSERT INTO {TABLE} (memory_id, memory, user_id, topics, created_at) "
                rf"SELECT memory_id || 'z', memory, E'x\377y', topics, created_at FROM {TABLE} WHERE user_id = 'ann'"
            )
        queue = Queue(db, tmp_path)
        assert queue.enqueue()["jobs"] == 3
        # bytes that are no text are not believed to be one: such a user is left alone, visibly
        assert queue.work(code=7) == {"applied": 2, "failed": 1}
        assert [(each["user_id"], each["kind"]) for each in queue.jobs("--failed")["failed"]] == [("x\udcffy", "store")]
    finally:
        with running().connect() as connection:
            connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


def test_users_are_chosen_as_for_a_run_over_many(queue):
    queue.db.insert([row(f"big-{n}", f"Fact number {n} about the river.", user="user-002", at=1767259000 + n) for n in range(20)])
    ids = queue.folder / "ids.txt"
    ids.write_text("user-001\nnobody\n")
    strategy = ("--strategy", "dedupe")
    assert queue.enqueue(*strategy, who=("--users", "user-00[34]"))["jobs"] == 2
    found = queue.enqueue(*strategy, who=("--users-from", str(ids)), code=7)
    assert (found["jobs"], found["passed_over"]["unknown"]) == (1, 1)
    found = queue.enqueue(*strategy, "--when", "memories > 10")
    assert (found["jobs"], found["passed_over"]["when"]) == (1, 4)
    found = queue.enqueue("--strategy", "recent", "-o", "keep=1", "--limit-users", "1")
    assert (found["jobs"], found["passed_over"]["limit"]) == (1, 4)
    last = queue.db.ask("SELECT args->>'user', priority FROM memopt.procrastinate_jobs ORDER BY id DESC LIMIT 1")
    assert last[0][0] == "user-002" and last[0][1] > 100  # the most expensive one, and as urgent as it is expensive
    queue.call("enqueue", "--users", "zzz*", *strategy, code=2)


def test_a_policy_says_whom_and_when_and_the_worker_looks_again(queue):
    policies(queue.folder, '[policies.nightly]\nusers = ["user-*"]\nwhen = "memories > 2"\nstrategies = ["dedupe"]\n')
    queue.db.insert([row("s", "Small", user="user-900"), row("o", "Other", user="other")])
    found = queue.enqueue("--policy", "nightly")
    assert (found["jobs"], found["label"]) == (5, "nightly")
    assert (found["passed_over"]["when"], found["passed_over"]["selection"]) == (1, 1)
    queue.db.run(
        f"DELETE FROM {TABLE} WHERE user_id = 'user-000'",
        f"DELETE FROM {TABLE} WHERE user_id = 'user-001' AND memory_id LIKE '%-x'",
    )
    assert queue.work() == {"applied": 3, "nothing": 2}


def test_the_job_keeps_its_own_copy_of_the_policy(queue):
    policies(queue.folder, '[policies.nightly]\nstrategies = ["recent"]\noptions = { keep = 2 }\n')
    queue.enqueue("--policy", "nightly")
    policies(queue.folder, '[policies.nightly]\nstrategies = ["recent"]\noptions = { keep = 1 }\n')
    assert queue.work() == {"applied": 5}
    assert queue.db.ask(f"SELECT count(*) FROM {TABLE}") == [(10,)]
    (queue.folder / "memopt.toml").unlink()
    assert queue.enqueue("--strategy", "recent", "-o", "keep=1")["jobs"] == 5


@pytest.mark.parametrize(
    "args",
    [
        ("--strategy", "dedupe", "--protect", "topic:x,feedback", "--agent", "none", "--only", "safe", "--allow-empty"),
        ("--strategy", "summarize"),
        ("--strategy", "summarize", "--model", "m", "--judge", "j", "--max-rewrites", "2", "--on-conflict", "skip"),
        ("--strategy", "dedupe", "--strategy", "recent", "-o", "recent.keep=1", "--encoding", "cl100k_base"),
        ("--strategy", "summarize", "--model", "m", "--prompt-file", "prompt.txt", "--on-loss", "accept"),
        ("--strategy", "profile", "--model", "m", "-o", "schema=schema.json"),
    ],
)
def test_a_worker_comes_to_the_same_recipe_as_whoever_enqueued(queue, args):
    (queue.folder / "prompt.txt").write_text("Write one sentence. 一句话。")
    (queue.folder / "schema.json").write_text('{"type": "object", "properties": {"taste": {"type": "string"}}}')
    queue.enqueue(*args)
    for file in queue.folder.iterdir():
        file.unlink()  # the jobs hold what stood in them
    with Endpoint(say("User likes jazz.")) as endpoint:
        found = queue.work(code=None, MEMOPT_BASE_URL=endpoint.base_url)
    assert sum(found.values()) == 5
    assert [each for each in queue.jobs("--failed")["failed"] if each["kind"] == "conflict"] == []


# -- what stands in the tables ------------------------------------------------------------------------------------------


def test_no_secret_and_no_memory_stands_in_the_queue(queue):
    key = "sk-very-secret-key-0123456789"
    with Endpoint(fail(429, f"you sent {key}"), say("User likes jazz.")) as endpoint:
        env = {"OPENAI_API_KEY": key, "MEMOPT_BASE_URL": endpoint.base_url}
        queue.enqueue("--strategy", "summarize", "--model", "m", **env)
        queue.work("--retries", "1", "--backoff", "0.1", code=None, **env)
    rows = json.dumps(
        {
            name: queue.db.ask(f"SELECT to_jsonb(t) FROM memopt.{name} t")
            for name in ("procrastinate_jobs", "procrastinate_events", "queue_recipes", "queue_notes", "queue_version")
        },
        default=str,
    )
    assert "user-003" in rows and "summarize" in rows
    for secret in (key, PASSWORD, "jazz", "cats", OWNER, endpoint.base_url):
        assert secret not in rows, secret


def test_a_service_whose_address_holds_a_secret_is_not_written_down(queue):
    for url in ("http://me:pw@127.0.0.1:9/v1", "http://127.0.0.1:9/v1?api-key=abc"):
        done = queue.call("enqueue", "--all-users", "--strategy", "summarize", "--model", "m", "--base-url", url, code=2)
        assert "MEMOPT_BASE_URL" in done.stderr and "pw@" not in done.stderr and "abc" not in done.stderr


def test_interrupted_it_says_what_was_put_in_and_the_next_one_does_the_rest(queue, monkeypatch):
    whole = Due.__iter__

    def broken(self):
        for number, item in enumerate(whole(self)):
            if number == 3:
                raise KeyboardInterrupt
            yield item

    monkeypatch.setattr(board_module, "TOGETHER", 2)
    monkeypatch.setattr(Due, "__iter__", broken)
    done = queue.call("enqueue", "--all-users", "--strategy", "dedupe", code=130)
    assert "2 jobs of dedupe put in" in done.stderr
    monkeypatch.setattr(Due, "__iter__", whole)
    found = queue.enqueue()
    assert (found["jobs"], found["waiting"]) == (3, 2)


# -- failed jobs --------------------------------------------------------------------------------------------------------


@pytest.fixture
def refused(queue):
    """A queue in which every job was given up: more would be dropped than may be."""
    queue.enqueue("--strategy", "dedupe", "--max-drop", "0")
    assert queue.work(code=7) == {"failed": 5}
    return queue


def test_what_a_guard_refuses_is_given_up_at_the_first_try_and_says_why(refused):
    found = refused.jobs("--failed")
    assert [each["attempts"] for each in found["failed"]] == [1] * 5
    assert {each["user_id"] for each in found["failed"]} == set(names(5))
    assert all(each["kind"] == "refused" and "max-drop" in each["message"] for each in found["failed"])
    reason = found["policies"][0]["failures"][0]
    assert (reason["users"], reason["kind"]) == (5, "refused")
    shown = refused.call("jobs", "--failed").stdout
    assert "5 jobs given up" in shown and "user-004" in shown and "refused" in shown
    assert refused.journal() == []


def test_given_up_jobs_are_put_back_and_start_anew(refused):
    assert refused.json("jobs", "--retry")["retried"] == 5
    assert refused.statuses() == {"todo": 5}
    assert refused.db.ask("SELECT max(attempts) FROM memopt.procrastinate_jobs") == [(0,)]
    assert refused.jobs()["policies"][0]["failures"] == []
    assert refused.json("jobs", "--retry")["retried"] == 0


def test_of_jobs_for_the_same_only_the_latest_is_put_back(refused):
    with refused.db.connect() as conn:
        conn.execute("UPDATE memopt.procrastinate_jobs SET queueing_lock = 'same'")
    assert refused.json("jobs", "--retry")["retried"] == 1
    assert refused.db.ask("SELECT status::text FROM memopt.procrastinate_jobs ORDER BY id DESC LIMIT 2") == [
        ("todo",),
        ("failed",),
    ]


def test_enqueued_anew_a_given_up_job_is_replaced(refused):
    assert refused.enqueue("--strategy", "dedupe", "--max-drop", "0")["jobs"] == 5
    assert refused.statuses() == {"todo": 5}
    assert refused.enqueue("--strategy", "dedupe")["jobs"] == 5  # with another guard it is another thing
    assert refused.json("jobs", "--retry")["retried"] == 0


def test_old_jobs_are_dropped_and_the_others_stay(refused):
    refused.enqueue()
    refused.work(code=None)
    refused.enqueue("--strategy", "recent", "-o", "keep=1")
    assert refused.statuses() == {"failed": 5, "succeeded": 5, "todo": 5}
    assert refused.json("jobs", "--prune", "--older-than", "1h")["pruned"] == 0
    with refused.db.connect() as conn:
        conn.execute("UPDATE memopt.queue_notes SET at = at - interval '3 days'")
    assert refused.json("jobs", "--prune", "--older-than", "2d", "--failed")["pruned"] == 5
    assert refused.statuses() == {"succeeded": 5, "todo": 5}
    assert refused.json("jobs", "--prune", "--older-than", "2d", "--policy", "recent")["pruned"] == 0
    assert refused.json("jobs", "--prune", "--older-than", "2d")["pruned"] == 5
    assert refused.statuses() == {"todo": 5}
    for table in ("queue_notes", "procrastinate_events"):
        assert refused.db.ask(
            f"SELECT count(*) FROM memopt.{table} WHERE job_id NOT IN (SELECT id FROM memopt.procrastinate_jobs)"
        ) == [(0,)]


def test_what_no_job_is_to_do_any_more_goes_with_the_jobs(refused):
    """It may hold questions, which tell what memories tell."""

    def labels():
        return sorted(label for (label,) in refused.db.ask("SELECT label FROM memopt.queue_recipes"))

    refused.enqueue("--strategy", "recent", "-o", "keep=1")
    refused.enqueue("--strategy", "tidy")
    refused.db.run("SET search_path = memopt", "DELETE FROM procrastinate_jobs WHERE queue_name = 'tidy'")
    refused.json("jobs", "--prune", "--older-than", "1h")
    assert labels() == ["dedupe", "recent", "tidy"]  # just enqueued: more jobs of it may come
    refused.db.run("UPDATE memopt.queue_recipes SET made_at = made_at - interval '3 days'")
    refused.json("jobs", "--prune", "--older-than", "5d")
    assert labels() == ["dedupe", "recent", "tidy"]
    refused.json("jobs", "--prune", "--older-than", "2d", "--policy", "recent")
    assert labels() == ["dedupe", "recent", "tidy"]
    refused.json("jobs", "--prune", "--older-than", "2d")
    assert labels() == ["dedupe", "recent"]  # failed ones may be put back, the others wait
    refused.db.run("UPDATE memopt.queue_notes SET at = at - interval '3 days'")
    refused.json("jobs", "--prune", "--older-than", "2d")
    assert labels() == ["recent"]
    refused.work()  # and these are done


def test_figures_tell_waiting_done_failed_and_how_fast(refused):
    refused.enqueue("--strategy", "recent", "-o", "keep=1")
    found = refused.jobs()
    recent, dedupe = found["policies"]
    assert (recent["label"], recent["waiting"], recent["done"]) == ("recent", 5, 0)
    assert (dedupe["label"], dedupe["failed"], dedupe["ended"]["failed"]) == ("dedupe", 5, 5)
    assert dedupe["jobs_per_second"] is None and recent["jobs_per_second"] is None  # to give up is no speed
    assert found["workers"] == {"alive": 0, "silent": 0}
    assert found["failed"] is None
    refused.work(code=0)
    recent = refused.jobs("--policy", "recent")["policies"][0]
    assert (recent["done"], recent["ended"]["applied"], recent["waiting"]) == (5, 5, 0)
    assert recent["tokens_saved"] > 0 and recent["jobs_per_second"] > 0
    shown = refused.call("jobs", COLUMNS="80").stdout
    assert "recent: 5 applied" in shown and all(len(line) <= 80 for line in shown.splitlines()), shown
    for command in (["jobs"], ["worker", "--until-empty"]):
        done = refused.call(*command, "--policy", "nothing", code=2)
        assert "it knows: dedupe, recent" in done.stderr


# -- the tables ---------------------------------------------------------------------------------------------------------


def roles(db, *statements):
    with db.server.connect(db.name) as conn:
        for statement in statements:
            conn.execute(statement)


@pytest.fixture
def poor(db, tmp_path):
    """A role that may write memories and nothing else."""
    db.make(fleet(names(3)))
    roles(
        db,
        "DROP ROLE IF EXISTS poor",
        f"CREATE ROLE poor LOGIN PASSWORD '{PASSWORD}'",
        "GRANT USAGE ON SCHEMA ai TO poor",
        f"GRANT SELECT, INSERT, UPDATE, DELETE ON {TABLE} TO poor",
    )
    yield Queue(db, tmp_path, MEMOPT_DB=db.server.url(db.name, "poor"))
    roles(db, "DROP OWNED BY poor", "DROP ROLE poor")


def test_a_role_that_may_not_make_the_tables_is_told_what_to_do(poor):
    done = poor.call("enqueue", "--all-users", "--strategy", "dedupe", code=6)
    assert "GRANT CREATE ON DATABASE" in done.stderr and "--init-sql" in done.stderr
    roles(poor.db, "CREATE SCHEMA memopt")
    done = poor.call("enqueue", "--all-users", "--strategy", "dedupe", code=6)
    assert "GRANT USAGE, CREATE ON SCHEMA memopt TO poor" in done.stderr
    assert poor.call("worker", code=6).stderr.count("\n") == 1


def test_an_administrators_script_is_all_that_a_poor_role_needs(poor):
    script = poor.call("jobs", "--init-sql").stdout
    assert script == init_sql()
    with poor.db.server.connect(poor.db.name) as conn:
        conn.execute(script.replace("TO memopt_writer", "TO poor").encode())
    assert poor.enqueue()["jobs"] == 3
    assert poor.work() == {"applied": 3}
    assert poor.jobs()["policies"][0]["done"] == 3


def test_a_role_without_rights_on_the_queue_is_told_them(poor):
    Queue(poor.db, poor.folder).call("enqueue", "--init")
    done = poor.call("worker", code=6)
    assert "GRANT USAGE ON SCHEMA memopt TO poor" in done.stderr
    roles(poor.db, "GRANT USAGE ON SCHEMA memopt TO poor")
    done = poor.call("worker", code=6)
    assert "GRANT SELECT, INSERT, UPDATE, DELETE ON memopt.procrastinate_jobs" in done.stderr


def test_a_role_that_may_only_read_may_look_and_is_not_told_to_get_more(poor):
    owner = Queue(poor.db, poor.folder)
    owner.enqueue()
    done = poor.call("jobs", code=6)
    assert "GRANT SELECT ON memopt.procrastinate_jobs" in done.stderr and "DELETE" not in done.stderr
    for grant in done.stderr.split("run: ")[1].split(";")[:2]:
        roles(poor.db, grant)
    assert poor.jobs("--failed")["policies"][0]["waiting"] == 3
    assert "GRANT SELECT, INSERT" in poor.call("jobs", "--retry", code=6).stderr


def test_all_lies_in_memopts_own_schema_and_nothing_elsewhere(queue):
    queue.enqueue()
    queue.work()
    found = queue.db.ask(
        "SELECT DISTINCT n.nspname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE relname ~ 'procrastinate|queue_'"
    )
    assert found == [("memopt",)]
    assert queue.db.ask(
        "SELECT count(*) FROM pg_proc p JOIN pg_namespace n ON n.oid = pronamespace WHERE nspname = 'public'"
    ) == [(0,)]


def test_tables_of_another_version_are_refused_with_both_versions(queue):
    queue.enqueue()
    queue.db.run("UPDATE memopt.queue_version SET engine = '2.0.0'")
    with queue.db.connect() as conn:
        conn.execute("SET search_path = memopt")
        names_of = [f"{name}({arguments})" for name, arguments in conn.execute(
            "SELECT proname, pg_get_function_identity_arguments(oid) FROM pg_proc WHERE proname LIKE 'procrastinate_fetch_job%'"
        ).fetchall()]  # fmt: skip
        for name in names_of:
            conn.execute(f"DROP FUNCTION {name}")
    done = queue.call("worker", "--until-empty", code=6)
    assert "made by procrastinate 2.0.0" in done.stderr and "procrastinate_fetch_job" in done.stderr
    queue.db.run("UPDATE memopt.queue_version SET format = 99")
    done = queue.call("enqueue", "--all-users", "--strategy", "dedupe", code=6)
    assert "format 99" in done.stderr


def test_without_a_queue_it_says_how_to_make_one(queue):
    assert "memopt enqueue makes it" in queue.call("jobs", code=6).stderr
    assert "is ready" in queue.call("enqueue", "--init").stdout
    assert queue.json("enqueue", "--init")["ready"] is True
    assert queue.jobs()["policies"] == []


def test_other_stores_than_postgres_have_no_queue(tmp_path):
    for command in (["enqueue", "--all-users", "--strategy", "dedupe"], ["worker"], ["jobs"]):
        done = call_memopt(*command, "--db", str(tmp_path / "agno.db"), cwd=tmp_path)
        assert done.returncode == 2 and "lives in Postgres" in done.stderr, done.stderr


def test_without_the_extra_it_says_so(monkeypatch):
    monkeypatch.setitem(sys.modules, "procrastinate", None)
    with pytest.raises(UsageError, match=r"memopt\[queue\]"):
        open_board("postgresql://127.0.0.1:1/x", 1.0)


def test_a_server_that_is_not_there_is_one_line():
    with pytest.raises(StoreError, match="cannot be opened"):
        open_board("postgresql://me:secret@127.0.0.1:1/x", 1.0)


@pytest.mark.parametrize(
    "args",
    [
        ["enqueue", "--strategy", "dedupe"],
        ["enqueue", "--all-users"],
        ["enqueue", "--all-users", "--strategy", "nope"],
        ["enqueue", "--all-users", "--policy", "nope"],
        ["enqueue", "--all-users", "--strategy", "dedupe", "--when", "tokens >"],
        ["jobs", "--prune"],
        ["jobs", "--older-than", "2d"],
        ["jobs", "--retry", "--prune", "--older-than", "2d"],
        ["jobs", "--retry", "--failed"],
        ["jobs", "--minutes", "x"],
        ["worker", "--retries", "-1"],
        ["worker", "--heartbeat", "0"],
        ["worker", "--poll", "no"],
        ["worker", "--concurrency", "0"],
        ["worker", "--alive", ""],
    ],
)
def test_bad_arguments_are_usage_errors(args, queue):
    queue.call("enqueue", "--init")
    done = queue.call(*args, code=2)
    assert done.stderr.startswith("memopt: ")

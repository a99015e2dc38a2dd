"""What becomes of jobs: tried again, given up, given back, taken over. The service is a real HTTP server that answers as it is told."""

from __future__ import annotations

import asyncio
import json
import time
from contextlib import suppress

import pytest
from support.agnofile import row, written
from support.endpoint import Endpoint, fail, say, send_json
from support.postgres import TABLE
from support.queues import Queue, fleet, names, policies

from memopt.errors import AnswerRefused, ConflictError, ExitCode, ModelError, StoreError, StoreLocked, UsageError
from memopt.models.openai import ModelUnusable, OpenAIModel
from memopt.queue import Equipment, Worker, fleet_of, open_board
from memopt.queue.engine import LONGEST_REASON, Note
from memopt.queue.recipe import Recipe
from memopt.queue.worker import MAX_WAIT, backoff, is_of_the_store, is_passing
from memopt.stores.agno_postgres import AgnoPostgresStore
from memopt.strategies.base import MemoryOptimizationStrategy
from memopt.strategies.registry import make_chain

ASKING = ("--strategy", "summarize", "--model", "m", "--on-loss", "accept")


@pytest.fixture
def queue(db, tmp_path):
    db.make(fleet(names(3)))
    return Queue(db, tmp_path)


def run(queue, prepare=None, *, endpoint=None, seconds=90.0, **how):
    """A worker in this process until the queue is empty. Returns it, and what it told of each job."""

    def plain(recipe: Recipe) -> Equipment:
        chain = make_chain(list(recipe.strategies), dict(recipe.options))
        model = None
        if endpoint is not None:
            model = OpenAIModel("m", base_url=endpoint.base_url, api_key="k", max_retries=0, backoff=0)
        return Equipment(chain, model)

    told = []
    given = {
        "told": told.append,
        "concurrency": 4,
        "poll": 0.05,
        "heartbeat": 1.0,
        "backoff": 0.05,
        "until_empty": True,
        "lock_timeout": 1.0,
    }
    worker = Worker(queue.db.url, prepare or plain, **{**given, **how})
    asyncio.run(asyncio.wait_for(worker.arun(), seconds))
    return worker, told


def endings(told):
    return sorted(each.status for each in told)


# -- trying again -------------------------------------------------------------------------------------------------------


def test_a_service_that_fails_in_passing_is_asked_again_and_the_user_is_done(queue):
    queue.enqueue(*ASKING)
    answers = [fail(500), fail(503), *[say("User likes jazz and has cats.")] * 9]
    with Endpoint(*answers) as endpoint:
        worker, told = run(queue, endpoint=endpoint, concurrency=1)
    assert endings(told).count("retrying") == 2 and endings(told).count("failed") == 0
    assert queue.journal() == names(3)
    assert len(endpoint.requests) == 5
    assert worker.summary.exit_code == ExitCode.OK
    assert queue.statuses() == {"succeeded": 3}
    first = next(each for each in told if each.status == "retrying")
    assert first.error.kind == "model" and "500" in str(first.error) and first.attempt == 1


def test_the_waits_grow_and_the_tries_have_an_end(queue):
    queue.enqueue(*ASKING, who=("--users", "user-001"))
    with Endpoint(fail(500, "overloaded")) as endpoint:
        started = time.monotonic()
        worker, told = run(queue, endpoint=endpoint, retries=3, backoff=0.2)
        took = time.monotonic() - started
    assert [each.status for each in told] == ["retrying"] * 3 + ["failed"]
    waits = [each.wait for each in told[:3]]
    assert all(0.8 * 0.2 * 2**n <= wait <= 1.2 * 0.2 * 2**n for n, wait in enumerate(waits)), waits
    assert took > sum(waits)
    assert len(endpoint.requests) == 4
    assert worker.summary.exit_code == ExitCode.PARTIAL
    (given_up,) = queue.jobs("--failed")["failed"]
    assert given_up["attempts"] == 4 and given_up["kind"] == "model" and "500" in given_up["message"]
    assert queue.journal() == []


def test_while_it_waits_for_another_try_the_queue_tells_why(queue):
    queue.enqueue(*ASKING, who=("--users", "user-001"))

    async def some():
        with Endpoint(fail(503, "overloaded")) as endpoint:
            model = OpenAIModel("m", base_url=endpoint.base_url, api_key="k", max_retries=0)
            worker = Worker(
                queue.db.url, lambda recipe: Equipment(make_chain(list(recipe.strategies), dict(recipe.options)), model),
                poll=0.05, backoff=60.0, told=lambda _told: worker.stop(),
            )  # fmt: skip
            await asyncio.wait_for(worker.arun(), 90)

    asyncio.run(some())
    (figures,) = queue.jobs()["policies"]
    assert (figures["later"], figures["waiting"], figures["failed"]) == (1, 0, 0)
    assert figures["retries"][0]["kind"] == "model" and "503" in figures["retries"][0]["message"]
    assert "to be tried again" in queue.call("jobs").stdout


@pytest.mark.parametrize("answer", [fail(400, "no"), say("I am sorry, I cannot help with that.")])
def test_what_another_try_would_not_help_is_given_up_at_once(queue, answer):
    queue.enqueue(*ASKING, who=("--users", "user-001"))
    with Endpoint(answer) as endpoint:
        _, told = run(queue, endpoint=endpoint)
    assert endings(told) == ["failed"]
    assert queue.journal() == []


def test_a_conflict_is_not_tried_again(queue):
    queue.db.insert([row(f"c{n}", "Likes jazz", user="user-001") for n in range(9)])
    queue.enqueue(*ASKING, who=("--users", "user-001"))

    def answer(_request):
        queue.db.run(f"UPDATE {TABLE} SET memory = '\"Likes tango\"' WHERE user_id = 'user-001'")
        return say("User likes jazz and has 3 cats.")

    with Endpoint(answer) as endpoint:
        _, told = run(queue, endpoint=endpoint)
    assert endings(told) == ["failed"] and told[0].error.kind == "conflict"
    assert queue.jobs("--failed")["failed"][0]["kind"] == "conflict"


def test_a_user_that_another_run_has_is_tried_again_later(queue):
    queue.enqueue()
    with AgnoPostgresStore(queue.db.url).fleet(write=True) as other:
        assert other.claim("user-001")
        seen = []

        def told(each):
            seen.append(each)
            if each.status == "retrying" and len([e for e in seen if e.status == "retrying"]) == 2:
                other.release("user-001")

        worker = Worker(
            queue.db.url, lambda recipe: Equipment(make_chain(list(recipe.strategies), dict(recipe.options))), told=told,
            poll=0.05, backoff=0.05, until_empty=True,
        )  # fmt: skip
        asyncio.run(asyncio.wait_for(worker.arun(), 90))
    assert {each.user_id for each in seen if each.status == "retrying"} == {"user-001"}
    assert {each.error.kind for each in seen if each.error} == {"locked"}
    assert {each.attempt for each in seen} == {1}  # it was not tried, so it does not count
    assert queue.journal() == names(3)


def test_a_strategy_that_breaks_fails_its_user_alone(queue):
    class Breaks(MemoryOptimizationStrategy):
        name = "own"

        def steps(self, memories):
            if memories[0].user_id == "user-001":
                raise ZeroDivisionError("by nothing")
            return list(memories)[:1]

    queue.call("enqueue", "--init")
    prepared = Equipment([Breaks()])
    board = open_board(queue.db.url, 1.0)
    store = AgnoPostgresStore(queue.db.url)
    recipe = Recipe("own", ("own",), TABLE, encoding="o200k_base")
    recipe = Recipe("own", ("own",), TABLE, encoding="o200k_base", digest=fleet_of(recipe, store, prepared, 1).recipe)
    assert [piece.jobs for piece in board.defer(recipe, [(user, 0) for user in names(3)])] == [3]
    _, told = run(queue, lambda _recipe: prepared, labels=["own"])
    assert endings(told) == ["applied", "applied", "failed"]
    assert "by nothing" in queue.jobs("--failed")["failed"][0]["message"]
    board.close()


# -- what concerns all --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "answer", [fail(401, "bad key", code="invalid_api_key"), fail(429, "no credit", code="insufficient_quota")]
)
def test_a_refused_key_ends_the_worker_and_costs_no_job(queue, answer):
    queue.enqueue(*ASKING)
    with Endpoint(answer) as endpoint:
        worker, told = run(queue, endpoint=endpoint, until_empty=False)
    assert len(endpoint.requests) == 1
    assert worker.summary.exit_code == ExitCode.MODEL
    assert set(endings(told)) == {"given-back"}
    assert queue.statuses() == {"todo": 3}
    assert queue.db.ask("SELECT sum(attempts) FROM memopt.procrastinate_jobs") == [(0,)]
    with Endpoint(say("User likes jazz and has cats.")) as endpoint:
        run(queue, endpoint=endpoint)
    assert queue.journal() == names(3)


def test_a_service_that_fails_everybody_ends_the_worker(db, tmp_path):
    db.make(fleet(names(20)))
    queue = Queue(db, tmp_path)
    queue.enqueue(*ASKING)
    with Endpoint(fail(503)) as endpoint:
        worker, told = run(queue, endpoint=endpoint, until_empty=False, backoff=30.0)
    assert worker.summary.exit_code == ExitCode.MODEL
    assert 5 <= endings(told).count("retrying") <= 10  # those that were under way, and no more
    assert "failed" not in endings(told)
    assert queue.statuses() == {"todo": 20}
    # it was no fault of the jobs: however often a worker begins anew meanwhile, none is given up
    assert queue.db.ask("SELECT sum(attempts) FROM memopt.procrastinate_jobs") == [(0,)]
    assert queue.jobs()["policies"][0]["retries"]


def test_a_service_that_is_down_costs_no_job_at_its_last_try(db, tmp_path):
    db.make(fleet(names(8)))
    queue = Queue(db, tmp_path)
    queue.enqueue(*ASKING)
    with Endpoint(fail(503)) as endpoint:
        for _ in range(2):
            worker, told = run(queue, endpoint=endpoint, until_empty=False, backoff=0.0, retries=0)
            assert worker.summary.exit_code == ExitCode.MODEL and "failed" in endings(told)
            assert worker.summary.counts["failed"] == 0 and worker.summary.counts["given-back"] >= 5
            assert queue.statuses() == {"todo": 8}
    assert queue.jobs("--failed")["failed"] == []
    assert "503" in queue.jobs()["policies"][0]["retries"][0]["message"]
    with Endpoint(say("User likes jazz and has cats.")) as endpoint:
        run(queue, endpoint=endpoint)
    assert "failed" not in queue.statuses()


def test_a_few_that_the_service_fails_over_and_over_are_given_up(queue):
    queue.enqueue(*ASKING)
    with Endpoint(fail(503)) as endpoint:
        for _ in range(6):
            run(queue, endpoint=endpoint, backoff=0.0, retries=1)
    assert queue.statuses() == {"failed": 3}


def test_a_worker_that_cannot_do_a_label_leaves_it_to_others_and_does_the_rest(queue):
    queue.enqueue(*ASKING, who=("--users", "user-000"))
    queue.enqueue("--strategy", "recent", "-o", "keep=1")
    refused = []

    def prepare(recipe):
        if recipe.model is not None:
            raise UsageError("no key here")
        return Equipment(make_chain(list(recipe.strategies), dict(recipe.options)))

    worker, told = run(queue, prepare, refused=lambda label, error: refused.append((label, str(error))))
    assert refused == [("summarize", "no key here")]
    assert endings(told).count("applied") == 3 and "failed" not in endings(told)
    assert worker.summary.exit_code == ExitCode.PARTIAL
    assert queue.statuses() == {"todo": 1, "succeeded": 3}
    assert queue.db.ask("SELECT sum(attempts) FROM memopt.procrastinate_jobs WHERE status = 'todo'") == [(0,)]


def test_jobs_that_nobody_does_hold_up_none_of_another_label(queue):
    queue.enqueue(*ASKING)
    queue.enqueue()
    assert queue.work("--policy", "dedupe") == {"applied": 3}
    assert queue.statuses() == {"todo": 3, "succeeded": 3}


def test_a_worker_that_can_do_nothing_ends_and_says_why(queue):
    queue.enqueue(*ASKING)
    done = queue.call("worker", "--poll", "0.05", code=8, MEMOPT_BASE_URL="", OPENAI_API_KEY="")
    assert "leaves the jobs of summarize to others" in done.stderr and "OPENAI_API_KEY" in done.stderr
    assert queue.statuses() == {"todo": 3}


def test_jobs_of_another_version_are_given_up_and_say_so(queue):
    queue.enqueue()
    with queue.db.connect() as conn:
        conn.execute(
            'UPDATE memopt.queue_recipes SET recipe = regexp_replace(recipe, \'"digest": "[0-9a-f]{8}\', \'"digest": "00000000\')'
        )
    assert queue.work(code=7) == {"failed": 3}
    found = queue.jobs("--failed")["failed"]
    assert {each["kind"] for each in found} == {"conflict"} and "another version" in found[0]["message"]
    assert queue.journal() == []
    assert queue.enqueue()["jobs"] == 3
    assert queue.work() == {"applied": 3}


def test_what_a_later_version_wrote_down_is_given_up(queue):
    queue.enqueue()
    with queue.db.connect() as conn:
        conn.execute("""UPDATE memopt.queue_recipes SET recipe = replace(recipe, '"format": 1', '"format": 7')""")
    assert queue.work(code=7) == {"failed": 3}
    with queue.db.connect() as conn:
        conn.execute("DELETE FROM memopt.queue_recipes")
    queue.json("jobs", "--retry")
    assert queue.work(code=7) == {"failed": 3}
    assert "enqueue again" in queue.jobs("--failed")["failed"][0]["message"]


def test_a_job_that_is_none_of_ours_is_given_up(queue):
    queue.enqueue()
    with queue.db.connect() as conn:
        conn.execute("SET search_path = memopt")
        conn.execute("UPDATE procrastinate_jobs SET task_name = 'other.task' WHERE args->>'user' = 'user-000'")
        conn.execute("UPDATE procrastinate_jobs SET args = args - 'recipe' WHERE args->>'user' = 'user-001'")
    assert queue.work(code=None) == {"applied": 1}
    assert queue.statuses() == {"failed": 2, "succeeded": 1}
    assert {each["user_id"] for each in queue.jobs("--failed")["failed"]} == {"user-000", "user-001"}


# -- workers that are gone ----------------------------------------------------------------------------------------------


def leave_behind(queue, attempts=0, silent="1 hour"):
    """All jobs as a worker leaves them that was killed."""
    with queue.db.connect() as conn:
        conn.execute("SET search_path = memopt")
        conn.execute(f"INSERT INTO procrastinate_workers (last_heartbeat) VALUES (now() - interval '{silent}')")
        conn.execute(
            "UPDATE procrastinate_jobs SET status = 'doing', attempts = greatest(%s, attempts - 1), "
            "worker_id = (SELECT max(id) FROM procrastinate_workers) "
            "WHERE id > (SELECT max(id) FROM procrastinate_jobs) - 3",
            (attempts,),
        )


def test_the_jobs_of_a_silent_worker_are_taken_over(queue):
    queue.enqueue()
    leave_behind(queue)
    assert queue.jobs()["workers"] == {"alive": 0, "silent": 1}
    assert queue.work() == {"applied": 3}
    assert queue.journal() == names(3)
    assert queue.jobs()["workers"] == {"alive": 0, "silent": 0}


def test_the_jobs_of_a_worker_that_lives_are_left_to_it(queue):
    queue.enqueue()
    leave_behind(queue, silent="0 seconds")
    worker = queue.start("--until-empty")
    try:
        time.sleep(2.0)  # it gives no sign of life, but is not silent for three times as long as the beat yet
        assert queue.statuses() == {"doing": 3}
        assert worker.wait(60) == 0, worker.stderr.read()
    finally:
        worker.kill()
        worker.communicate()
    assert queue.statuses() == {"succeeded": 3}


def test_a_job_that_outlives_all_its_workers_is_given_up(queue):
    queue.enqueue()
    leave_behind(queue, attempts=5)
    assert queue.work(code=None) == {}
    found = queue.jobs("--failed")["failed"]
    assert {each["kind"] for each in found} == {"worker"} and "6 tries" in found[0]["message"]


def test_a_server_that_was_started_anew_meanwhile_costs_no_job_a_try(queue):
    queue.enqueue()
    leave_behind(queue, attempts=5)
    queue.db.run("UPDATE memopt.procrastinate_events SET at = pg_postmaster_start_time() - interval '1 minute'")
    assert queue.work() == {"applied": 3}
    assert queue.db.ask("SELECT DISTINCT attempts FROM memopt.procrastinate_jobs") == [(6,)]


def test_what_was_done_before_its_worker_died_is_not_done_again(queue):
    queue.enqueue()
    assert queue.work() == {"applied": 3}
    leave_behind(queue)  # killed between the commit and the engine's own note of it
    assert queue.work() == {"seen": 3}
    assert queue.journal() == names(3)


def test_what_was_forced_is_not_forced_again_because_its_worker_died(queue):
    queue.enqueue()
    assert queue.work() == {"applied": 3}
    queue.db.run("UPDATE memopt.seen SET at = at - interval '1 day'")
    queue.enqueue("--strategy", "dedupe", "--force")
    leave_behind(queue)  # killed before it did anything: the force still holds
    assert queue.work() == {"unchanged": 3}
    leave_behind(queue)  # killed after it
    assert queue.work() == {"seen": 3}


def test_told_to_end_while_it_starts_it_ends(queue, monkeypatch):
    queue.enqueue()
    worker = Worker(queue.db.url, lambda _recipe: pytest.fail("no job is taken"), poll=0.05, backoff=0.05)

    async def swallows(*_args):
        worker.stop()
        with suppress(asyncio.CancelledError):
            await asyncio.sleep(0.2)
        return []

    monkeypatch.setattr("procrastinate.manager.JobManager.prune_stalled_workers", swallows)
    asyncio.run(asyncio.wait_for(worker.arun(), 20))
    assert queue.statuses() == {"todo": 3}


def test_connections_that_are_cut_cost_no_job(db, tmp_path):
    db.make(fleet(names(30)))
    queue = Queue(db, tmp_path)
    queue.enqueue(*ASKING)

    def cut():
        with db.server.connect() as conn:
            conn.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s AND pid <> pg_backend_pid()",
                (db.name,),
            )

    with Endpoint(lambda request: say("User likes jazz and has cats.", delay=0.05)) as endpoint:
        cuts = iter((3, 9))
        nearest = [next(cuts)]

        def told(_each):
            if len(endpoint.requests) >= nearest[0]:
                nearest[0] = next(cuts, 10**9)
                cut()

        for _ in range(5):
            worker = Worker(
                db.url,
                lambda recipe: Equipment(
                    make_chain(list(recipe.strategies), dict(recipe.options)),
                    OpenAIModel("m", base_url=endpoint.base_url, api_key="k", max_retries=0),
                ),
                told=told, concurrency=4, poll=0.05, heartbeat=0.3, backoff=0.1, until_empty=True, lock_timeout=2.0,
            )  # fmt: skip
            try:
                asyncio.run(asyncio.wait_for(worker.arun(), 60))
            except StoreError:
                continue
            if worker.summary.stopped is None:
                break
    assert queue.statuses() == {"succeeded": 30}, queue.jobs("--failed")
    assert queue.journal() == names(30)
    assert nearest[0] == 10**9


def tries(queue):
    return queue.db.ask("SELECT coalesce(sum(attempts), 0) FROM memopt.procrastinate_jobs WHERE status <> 'succeeded'")[0][0]


def test_a_locked_table_ends_the_worker_and_costs_no_job(db, tmp_path):
    db.make(fleet(names(5)))
    queue = Queue(db, tmp_path)
    queue.enqueue()
    seen = []
    with queue.db.connect() as other:

        def told(each):
            seen.append(each)
            if len(seen) == 1:
                other.execute("BEGIN")
                other.execute(f"LOCK TABLE {TABLE} IN SHARE ROW EXCLUSIVE MODE")  # it can be read, not written

        worker, _ = run(queue, retries=0, lock_timeout=0.1, concurrency=1, told=told)
        assert worker.summary.exit_code == ExitCode.STORE and "the store failed 3 users in a row" in str(worker.summary.stopped)
        assert {each.error.kind for each in seen[1:] if each.error} == {"locked"}
        assert queue.statuses() == {"succeeded": 1, "todo": 4} and tries(queue) == 0
    worker, _ = run(queue, retries=0)
    assert worker.summary.exit_code == ExitCode.OK and queue.journal() == names(5)


def test_a_table_that_cannot_even_be_opened_for_a_while_costs_no_job(queue):
    queue.enqueue()
    waits = []
    with queue.db.connect() as other:
        other.execute("BEGIN")
        other.execute(f"LOCK TABLE {TABLE} IN ACCESS EXCLUSIVE MODE")

        def told(each):
            waits.append(each.wait)
            if len(waits) == 4:
                other.execute("ROLLBACK")

        worker, _ = run(queue, retries=0, lock_timeout=0.1, concurrency=1, told=told)
    assert worker.summary.exit_code == ExitCode.OK and queue.journal() == names(3)


def test_a_lock_on_one_user_while_the_others_are_done_comes_to_an_end(db, tmp_path):
    """That others are done well between two tries tells that the failure is the user's own."""
    db.make(fleet(names(20)))
    queue, more = Queue(db, tmp_path), names(20)[3:]
    queue.enqueue(who=("--users-from", str(users_file(queue.folder, [names(3)[1]]))))
    with queue.db.connect() as other:
        other.execute("BEGIN")
        other.execute(f"SELECT 1 FROM {TABLE} WHERE user_id = 'user-001' FOR UPDATE")
        coming = iter(more)

        def told(each):
            if each.status == "retrying":  # another one is done before the next try
                queue.enqueue(who=("--users-from", str(users_file(queue.folder, [next(coming)]))))

        worker, _ = run(queue, retries=2, lock_timeout=0.1, concurrency=1, backoff=0.3, told=told)
    assert worker.summary.exit_code == ExitCode.PARTIAL
    failed = queue.jobs("--failed")["failed"]
    assert [(item["user_id"], item["kind"], item["attempts"]) for item in failed] == [("user-001", "locked", 3)]
    assert queue.journal() == more[:3]  # four tries, of which the first does not count


def users_file(folder, users):
    path = folder / "users.txt"
    path.write_text("\n".join(users))
    return path


def test_rights_that_are_taken_away_meanwhile_cost_no_job(db, tmp_path):
    db.make(fleet(names(6)))
    queue = Queue(db, tmp_path)
    queue.enqueue()
    seen = []

    def told(each):
        seen.append(each)
        if len(seen) == 1:
            db.run(f"REVOKE UPDATE, DELETE ON {TABLE} FROM CURRENT_USER")

    worker, _ = run(queue, concurrency=1, told=told)
    assert worker.summary.exit_code == ExitCode.STORE and seen[0].status == "applied"
    assert queue.statuses() == {"succeeded": 1, "todo": 5} and tries(queue) == 0
    assert worker.summary.counts["failed"] == 0
    db.run(f"GRANT UPDATE, DELETE ON {TABLE} TO CURRENT_USER")
    run(queue)
    assert queue.journal() == names(6)


def test_a_connection_that_is_cut_at_the_last_job_costs_no_try(queue):
    queue.enqueue(who=("--users-from", str(users_file(queue.folder, ["user-001"]))))
    queue.db.run(
        "CREATE SEQUENCE ai.cuts",  # no transaction takes a number back
        "CREATE FUNCTION ai.cut() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
        "IF nextval('ai.cuts') < 3 THEN PERFORM pg_terminate_backend(pg_backend_pid()); PERFORM pg_sleep(5); END IF; "
        "RETURN OLD; END $$",
        f"CREATE TRIGGER cuts BEFORE DELETE ON {TABLE} FOR EACH STATEMENT EXECUTE FUNCTION ai.cut()",
    )
    _, told = run(queue, retries=0)
    assert endings(told) == ["applied", "retrying", "retrying"]
    assert {each.attempt for each in told} == {1} and "connection was lost" in str(told[0].error)


def test_a_forced_job_whose_connection_was_lost_at_its_end_is_not_done_again(queue):
    """It is not known then whether it was written; the note that is written with it tells."""
    queue.enqueue()
    assert queue.work() == {"applied": 3}
    time.sleep(1.1)  # notes tell the second
    queue.enqueue("--strategy", "dedupe", "--force", who=("--users-from", str(users_file(queue.folder, ["user-001"]))))
    queue.db.insert([row("new", "Likes jazz", user="user-001")])
    _, told = run(queue)
    assert endings(told) == ["applied"]
    queue.db.run(
        "SET search_path = memopt",
        "UPDATE procrastinate_jobs SET status = 'todo', attempts = 0 WHERE id = (SELECT max(id) FROM procrastinate_jobs)",
    )
    _, told = run(queue)
    assert endings(told) == ["seen"]


def test_of_a_reason_without_end_the_beginning_is_kept():
    note = Note.of_error("failed", ModelError("x" * 3_000_000 + "\0"))
    assert len(note.message) == LONGEST_REASON and note.message.endswith("…")
    assert Note.of_error("failed", ModelError("half \ud83d\0 of it")).message == "half ? of it"


# -- pure ---------------------------------------------------------------------------------------------------------------


def test_waits_double_and_have_an_end():
    assert [backoff(10, attempts, 0.5) for attempts in range(4)] == [10, 20, 40, 80]
    assert (backoff(10, 0, 0.0), backoff(10, 0, 1.0)) == (pytest.approx(8), pytest.approx(12))
    assert backoff(10, 500, 0.5) == MAX_WAIT


@pytest.mark.parametrize(
    ("error", "passing"),
    [
        (StoreLocked("x"), True),
        (StoreError("x"), False),
        (ConflictError("x"), False),
        (UsageError("x"), False),
        (ModelError("x", requests=1), True),
        (ModelError("x", requests=1, status=503), True),
        (ModelError("x", requests=1, status=429), True),
        (ModelError("x", requests=1, status=400), False),
        (ModelError("x", requests=0), False),
        (ModelUnusable("x", requests=1, status=401), False),
        (AnswerRefused("x", requests=1), False),
    ],
)
def test_what_may_be_over_by_itself(error, passing):
    assert is_passing(error) is passing


def test_a_lost_connection_may_be_over_by_itself():
    from psycopg import OperationalError, errors

    for cause, passing, of_all in (
        (OperationalError("gone"), True, True),
        (errors.AdminShutdown("restart"), True, True),
        (errors.DiskFull("full"), True, True),
        (errors.TooManyConnections("many"), True, True),
        (errors.ReadOnlySqlTransaction("standby"), True, True),
        (errors.QueryCanceled("statement_timeout: what one user has may be too much"), True, False),
        (errors.OutOfMemory("so may it be"), True, False),
        (errors.InsufficientPrivilege("no"), False, False),
    ):
        error = StoreError("x")
        error.__cause__ = cause
        assert is_passing(error) is passing and is_of_the_store(error) is of_all, cause
    assert is_of_the_store(StoreLocked("x")) and not is_of_the_store(StoreError("x")) and not is_of_the_store(ModelError("x"))


def test_rows_that_cannot_be_read_are_not_tried_again(db, tmp_path):
    db.make([row("a", "x", user="ann", memory="{}")])
    queue = Queue(db, tmp_path)
    queue.enqueue()
    assert queue.work(code=7) == {"failed": 1}
    assert queue.jobs("--failed")["failed"][0]["attempts"] == 1


def test_the_answer_of_a_page_is_no_memory(queue):
    queue.enqueue(*ASKING, who=("--users", "user-001"))
    with Endpoint(send_json({"no": "choices"})) as endpoint:
        _, told = run(queue, endpoint=endpoint, retries=1)
    assert endings(told)[0] == "failed"


def test_jobs_are_held_to_the_questions_that_were_enqueued(queue):
    asked = [
        {"id": "cats", "text": "How many cats?", "answer": "2", "user": "user-000"},
        {"id": "music", "text": "What is liked?", "memory_ids": ["1-0", "1-1"], "user": "user-001"},
    ]
    file = queue.folder / "q.jsonl"
    written(file, asked)
    policies(
        queue.folder, "[policies.night]\nstrategies = ['recent']\noptions = { keep = 1 }\nquestions = 'q.jsonl'\nmin-recall = 1\n"
    )
    assert queue.enqueue("--policy", "night")["jobs"] == 3
    file.unlink()  # what holds is what was enqueued
    (queue.folder / "memopt.toml").unlink()
    assert queue.work(code=7) == {"applied": 2, "failed": 1}
    assert queue.journal() == ["user-000", "user-002"]
    failed = queue.jobs("--failed")["failed"]
    assert [(item["user_id"], item["kind"]) for item in failed] == [("user-001", "refused")]
    assert "music (" in failed[0]["message"]


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ({"id": "q", "text": "Who?", "answer": "Ann"}, "names neither a user nor memory ids"),
        ({"id": "q", "text": "Who?", "answer": "Ann", "user": "nobody"}, "is about user 'nobody', who has no memories"),
        ({"id": "q", "text": "Who?"}, "q.jsonl, line 1"),
    ],
)
def test_questions_that_hold_nothing_are_not_enqueued(queue, question, said):
    (queue.folder / "q.jsonl").write_text(json.dumps(question))
    done = queue.call("enqueue", "--all-users", "-s", "dedupe", "--questions", "q.jsonl", "--min-recall", "1", code=2)
    assert said in done.stderr
    assert queue.db.ask("SELECT to_regclass('memopt.procrastinate_jobs') IS NULL") == [(True,)]

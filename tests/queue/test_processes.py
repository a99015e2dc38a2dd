"""Real worker processes on a real server: shared work, kill -9, signals, and what they tell."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time

import pytest
from support.agnofile import run_memopt
from support.endpoint import Endpoint, hang, say
from support.postgres import PASSWORD, database
from support.queues import Queue, fleet, names, wait_for

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="signals of Unix")
ASKING = ("--strategy", "summarize", "--model", "m", "--on-loss", "accept")


@pytest.fixture
def started():
    """Processes that are ended with the test, whatever happens."""
    processes: list[subprocess.Popen[str]] = []
    yield processes
    for process in processes:
        if process.poll() is None:
            process.kill()
        process.communicate()


def memories(db):
    return [(each["user_id"], each["memory"], each["topics"]) for each in db.dump()["ai.agno_memories"]]


def answer(request):
    return say("User likes jazz and has cats.", delay=0.05)


def slow(request):
    return say("User likes jazz and has cats.", delay=0.3)


def test_two_workers_share_the_users_and_each_is_done_once(tmp_path, started):
    with database() as db, Endpoint(slow) as endpoint:
        queue = Queue(db.make(fleet(names(30))), tmp_path, MEMOPT_BASE_URL=endpoint.base_url)
        queue.call("enqueue", "--init")
        for number in range(2):
            started.append(queue.start("--concurrency", "3", "--log", f"log{number}"))
        wait_for(lambda: queue.jobs()["workers"]["alive"] == 2)
        queue.enqueue(*ASKING)
        wait_for(lambda: queue.statuses() == {"succeeded": 30})
        for process in started:
            process.send_signal(signal.SIGTERM)
            assert process.wait(60) == 0, process.stderr.read()
        logs = [(tmp_path / f"log{number}").read_text().splitlines() for number in range(2)]
        assert queue.journal() == names(30)
        assert sorted(json.loads(line)["user_id"] for log in logs for line in log if '"applied"' in line) == names(30)
        assert all(len(log) > 3 for log in logs)  # both had their part
        assert len(endpoint.requests) == 30


def test_killed_in_the_middle_its_jobs_go_on_elsewhere_and_the_end_is_that_of_one_process(tmp_path, started):
    users = names(40)
    with database() as db, Endpoint(slow) as endpoint:
        queue = Queue(db.make(fleet(users)), tmp_path, MEMOPT_BASE_URL=endpoint.base_url)
        queue.enqueue(*ASKING)
        started.append(queue.start("--until-empty", "--concurrency", "4"))
        wait_for(lambda: len(queue.journal()) >= 8)
        started.append(queue.start("--until-empty", "--concurrency", "4"))
        started[0].send_signal(signal.SIGKILL)
        assert started[0].wait(10) == -signal.SIGKILL
        left = queue.statuses()
        assert left.get("doing", 0) > 0 and left.get("todo", 0) > 0, left  # it had some, and there was more to do
        assert started[1].wait(120) == 0, started[1].stderr.read()
        assert queue.statuses() == {"succeeded": 40}
        assert queue.journal() == users  # every user once
        killed = memories(db)
    with database() as db, Endpoint(answer) as endpoint:
        db.make(fleet(users))
        single = Queue(db, tmp_path, MEMOPT_BASE_URL=endpoint.base_url)
        single.call("optimize", "--all-users", *ASKING, "--apply")
        assert memories(db) == killed


def test_told_to_end_it_finishes_what_it_has_and_takes_no_more(tmp_path, started):
    with database() as db, Endpoint(answer) as endpoint:
        queue = Queue(db.make(fleet(names(30))), tmp_path, MEMOPT_BASE_URL=endpoint.base_url)
        queue.enqueue(*ASKING)
        process = queue.start("--concurrency", "3")
        started.append(process)
        wait_for(lambda: len(queue.journal()) >= 3)
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 0, process.stderr.read()
        found = queue.statuses()
        assert set(found) == {"succeeded", "todo"} and found["todo"] > 0, found
        assert len(queue.journal()) == found["succeeded"]
        assert queue.jobs()["workers"] == {"alive": 0, "silent": 0}
        assert queue.db.ask("SELECT max(attempts) FROM memopt.procrastinate_jobs WHERE status = 'todo'") == [(0,)]


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 0), (signal.SIGINT, 130)])
def test_what_cannot_be_finished_in_time_is_given_back(number, code, tmp_path, started):
    with database() as db, Endpoint(hang()) as endpoint:
        queue = Queue(db.make(fleet(names(5))), tmp_path, MEMOPT_BASE_URL=endpoint.base_url)
        queue.enqueue(*ASKING)
        process = queue.start("--concurrency", "3", "--grace", "0.3", "--json")
        started.append(process)
        wait_for(lambda: endpoint.requests)
        process.send_signal(number)
        began = time.monotonic()
        out, err = process.communicate(timeout=60)
        assert process.returncode == code, err
        assert time.monotonic() - began < 25
        assert json.loads(out)["signal"] == number.name and json.loads(out)["jobs"]["given-back"] == 3
        assert queue.statuses() == {"todo": 5}
        assert queue.db.ask("SELECT max(attempts) FROM memopt.procrastinate_jobs") == [(0,)]
        assert queue.db.ask("SELECT count(*) FROM memopt.queue_notes") == [(0,)]
        assert queue.journal() == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_second_interrupt_ends_it_at_once_and_others_take_over(number, tmp_path, started):
    with database() as db, Endpoint(hang()) as endpoint:
        queue = Queue(db.make(fleet(names(5))), tmp_path, MEMOPT_BASE_URL=endpoint.base_url)
        queue.enqueue(*ASKING)
        process = queue.start("--concurrency", "3", "--grace", "60", "--json")
        started.append(process)
        wait_for(lambda: endpoint.requests)
        process.send_signal(number)
        time.sleep(0.5)
        assert process.poll() is None  # it waits for what is under way
        process.send_signal(number)
        began = time.monotonic()
        out, _ = process.communicate(timeout=60)
        assert process.returncode == 130
        assert "other workers take over the rest" in json.loads(out)["error"]["message"]
        assert time.monotonic() - began < 50
        with Endpoint(answer) as better:
            assert queue.work(MEMOPT_BASE_URL=better.base_url) == {"applied": 5}
        assert queue.journal() == names(5)


def test_a_stopped_worker_that_wakes_up_finds_others_at_its_jobs_and_does_no_harm(tmp_path, started):
    with database() as db, Endpoint(answer) as endpoint:
        queue = Queue(db.make(fleet(names(20))), tmp_path, MEMOPT_BASE_URL=endpoint.base_url)
        queue.enqueue(*ASKING)
        sleeper = queue.start("--concurrency", "4")
        started.append(sleeper)
        wait_for(lambda: len(queue.journal()) >= 3)
        # As a machine that sleeps while it waits for answers: its connections, and so its claims, are still there. In the midst of a
        # transaction it would hold rows too, and everybody would have to wait for it.
        in_transaction = "SELECT count(*) FROM pg_stat_activity WHERE state <> 'idle' AND pid <> pg_backend_pid() AND datname = current_database()"
        sleeper.send_signal(signal.SIGSTOP)
        while queue.db.ask(in_transaction) != [(0,)]:
            sleeper.send_signal(signal.SIGCONT)
            time.sleep(0.01)
            sleeper.send_signal(signal.SIGSTOP)
            time.sleep(0.05)  # what is under way at the server ends
        helper = queue.start("--concurrency", "4", "--backoff", "0.1", "--retries", "20")
        started.append(helper)
        wait_for(lambda: len(queue.journal()) >= 16)
        wait_for(lambda: queue.db.ask("SELECT count(*) FROM memopt.procrastinate_workers") == [(1,)])
        sleeper.send_signal(signal.SIGCONT)
        wait_for(lambda: queue.db.ask("SELECT count(*) FROM memopt.procrastinate_workers") == [(2,)])
        wait_for(lambda: queue.statuses() == {"succeeded": 20})
        assert queue.journal() == names(20)
        helper.send_signal(signal.SIGTERM)
        assert helper.wait(60) == 0, helper.stderr.read()
        if sleeper.poll() is None:
            sleeper.send_signal(signal.SIGTERM)
        assert sleeper.wait(60) == 0, sleeper.stderr.read()  # it was taken for dead, and went on under another number


def test_a_probe_sees_that_it_lives_and_a_reader_of_its_output_no_secret(tmp_path, started):
    key = "sk-very-secret-key-0123456789"
    with database() as db, Endpoint(answer) as endpoint:
        queue = Queue(db.make(fleet(names(3))), tmp_path, MEMOPT_BASE_URL=endpoint.base_url, OPENAI_API_KEY=key)
        queue.enqueue(*ASKING)
        process = queue.start("--alive", "alive", "--log", "log", "--verbose")
        started.append(process)
        wait_for(lambda: queue.statuses() == {"succeeded": 3})
        before = (tmp_path / "alive").stat().st_mtime_ns
        wait_for(lambda: (tmp_path / "alive").stat().st_mtime_ns > before)
        assert queue.jobs()["workers"]["alive"] == 1
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=60)
        said = out + err + (tmp_path / "log").read_text()
        assert "user-002: applied" in err and '"run":"' in said
        for secret in (key, PASSWORD, "jazz"):
            assert secret not in said
        assert process.returncode == 0


def test_a_worker_holds_no_more_connections_than_it_promises(tmp_path, started):
    from memopt.queue.worker import CONNECTIONS

    most = 0
    with database() as db, Endpoint(answer) as endpoint:
        queue = Queue(db.make(fleet(names(50))), tmp_path, MEMOPT_BASE_URL=endpoint.base_url)
        queue.enqueue(*ASKING)
        started.append(queue.start("--until-empty", "--concurrency", "32"))
        while started[0].poll() is None:
            (found,) = db.ask(
                "SELECT count(*) FROM pg_stat_activity WHERE datname = %s AND application_name LIKE 'memopt%%'", db.name
            )
            most = max(most, found[0])
            time.sleep(0.02)
        assert started[0].returncode == 0, started[0].stderr.read()
        assert 4 <= most <= CONNECTIONS
        assert endpoint.busiest > 8  # and still many users wait for the model together
        assert queue.journal() == names(50)


def test_a_strategy_of_ones_own_is_the_same_in_every_process(tmp_path):
    (tmp_path / "short.py").write_text(
        "from memopt import MemoryOptimizationStrategy\n\n\nclass First(MemoryOptimizationStrategy):\n"
        "    name = 'first'\n\n    def steps(self, memories):\n        return list(memories)[:1]\n"
    )
    with database() as db:
        env = {"MEMOPT_DB": db.make(fleet(names(2))).url}
        for args in (["enqueue", "--all-users", "-s", "./short.py:First"], ["worker", "--until-empty", "--poll", "0.1"]):
            done = run_memopt(*args, env=env, cwd=tmp_path)
            assert done.returncode == 0, done.stderr
        assert Queue(db, tmp_path).journal() == names(2)


def test_a_worker_for_a_label_that_is_not_there_says_so_and_waits(tmp_path, started):
    with database() as db:
        queue = Queue(db.make(fleet(names(1))), tmp_path)
        queue.enqueue()
        process = queue.start("--policy", "nope")
        started.append(process)
        wait_for(lambda: queue.jobs()["workers"]["alive"] == 1)
        process.send_signal(signal.SIGTERM)
        assert "no jobs of 'nope' yet" in process.communicate(timeout=60)[1]
        assert process.returncode == 0 and queue.statuses() == {"todo": 1}


def test_a_worker_without_a_queue_or_a_server_is_one_line(tmp_path):
    with database() as db:
        db.make(fleet(names(1)))
        done = run_memopt("worker", env={"MEMOPT_DB": db.url}, cwd=tmp_path)
        assert done.returncode == 6 and done.stderr.count("\n") == 1 and "memopt enqueue makes it" in done.stderr
    done = run_memopt("worker", env={"MEMOPT_DB": f"postgresql://me:{'pw' * 5}@127.0.0.1:1/db"}, cwd=tmp_path)
    assert done.returncode == 6 and "pwpw" not in done.stderr and done.stderr.count("\n") == 1

"""memopt's queue: jobs a second of one, two and four worker processes on one Postgres, with and without one of them killed.

    python benchmarks/workers.py                       # about ten minutes; needs the test extra
    python benchmarks/workers.py --users 500 --asked 100 --enqueue 10000

A PostgreSQL 18 is started for this (fsync on, 128 MB of shared buffers, on the same machine), and a table of Agno's is filled with
``--each`` memories a user, three in ten of them exact duplicates. Each row of the table begins with the same rows and an
empty queue:

- ``dedupe``: rules alone, bound by the processors;
- ``summarize``: a scripted service on this machine that answers after ``--delay`` seconds, ``--at-a-time`` jobs at a time in each
  process: bound by the waiting, so that more processes are quicker as long as the processors bear it.

``killed`` means that one process gets SIGKILL when a third of the users is done (where it is the only one, another is started then).
Heartbeats are two seconds apart, so its jobs go on after six. ``once`` counts users with one run in the journal (the
others had nothing to change), ``twice`` those with more, ``left`` the jobs that are not done; ``same`` tells whether the memories are those of the first row of the same work. Jobs a second are those between the first and the
last that ended, without the start of the processes; CPU is that of the workers and of the server, milliseconds a job.
Then ``memopt enqueue`` and ``memopt jobs`` with ``--enqueue`` users, of whom nothing is known, and once more when all have a job. Nothing is
asserted.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time
from hashlib import sha256
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
from postgres import fill  # the benchmark beside this one
from support.agnofile import clean_environment
from support.endpoint import Endpoint, say
from support.postgres import OWNER, TABLE, Database, serve


class Bench:
    """memopt against one database."""

    def __init__(self, db: Database, folder: str) -> None:
        self.db, self.folder = db, folder

    def command(self, *args: str) -> list[str]:
        return [sys.executable, "-m", "memopt", *args]

    def environment(self, **more: str) -> dict[str, str]:
        return clean_environment(MEMOPT_DB=self.db.url, **more)

    def call(self, *args: str, **env: str) -> tuple[Any, float]:
        began = time.perf_counter()
        done = subprocess.run(
            self.command(*args, "--json"),
            env=self.environment(**env),
            cwd=self.folder,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            raise SystemExit(done.stderr)
        return json.loads(done.stdout), time.perf_counter() - began

    def start(self, **env: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            self.command("worker", "--until-empty", "--heartbeat", "2", "--poll", "0.2", "--concurrency", env.pop("CONCURRENCY")),
            env=self.environment(**env), cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        )  # fmt: skip

    def ask(self, sql: str) -> Any:
        return self.db.ask(sql)[0][0]

    def state(self) -> str:
        rows = self.db.ask(f"SELECT memory_id, user_id, memory::text, topics::text FROM {TABLE} ORDER BY memory_id")
        # what a model wrote has an id of its own, which is made from what it was made of
        return sha256(json.dumps(rows).encode()).hexdigest()


def server_cpu(pid: int) -> float:
    """CPU seconds of the server's sessions that ended so far, and of those that live (Linux)."""
    total = 0.0
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == pid:
            total += int(fields[11]) + int(fields[12])
        if stat.parent.name == str(pid):
            total += int(fields[13]) + int(fields[14])
    return total / os.sysconf("SC_CLK_TCK")


def children_cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def work(bench: Bench, pid: int, workers: int, kill: bool, users: int, enqueue: tuple[str, ...], **env: str) -> dict[str, Any]:
    bench.call("enqueue", "--all-users", *enqueue, **{k: v for k, v in env.items() if k != "CONCURRENCY"})
    wal, server, client = bench.ask("SELECT pg_current_wal_lsn()::text"), server_cpu(pid), children_cpu()
    processes = [bench.start(**env) for _ in range(workers)]
    try:
        if kill:
            while (
                not bench.ask("SELECT to_regclass('memopt.journal') IS NOT NULL")
                or bench.ask("SELECT count(*) FROM memopt.journal") < users // 3
            ):
                time.sleep(0.05)
            processes[0].send_signal(signal.SIGKILL)
            if workers == 1:
                processes.append(bench.start(**env))
        for process in processes:
            process.wait()
    finally:
        for process in processes:
            process.kill()
    time.sleep(0.3)  # the last sessions are being reaped
    runs = "SELECT count(*) FROM (SELECT user_id FROM memopt.journal GROUP BY 1 HAVING count(*) {}) AS users"
    return {
        "seconds": bench.ask(
            "SELECT extract(epoch FROM max(at) - min(at))::float8 FROM memopt.queue_notes WHERE status <> 'retrying'"
        ),
        "once": bench.ask(runs.format("= 1")),
        "twice": bench.ask(runs.format("> 1")),
        "left": bench.ask("SELECT count(*) FROM memopt.procrastinate_jobs WHERE status <> 'succeeded'"),
        "state": bench.state(),
        "client": children_cpu() - client,
        "server": server_cpu(pid) - server,
        "wal": float(bench.ask(f"SELECT pg_current_wal_lsn() - '{wal}'::pg_lsn")),
        "journal": bench.ask("SELECT avg(octet_length(rows) + octet_length(about))::float8 FROM memopt.journal"),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--users", type=int, default=3000, help="users of dedupe; 0: leave it out")
    parser.add_argument("--asked", type=int, default=96, help="users of summarize; 0: leave it out")
    parser.add_argument("--each", type=int, default=20, help="memories of a user")
    parser.add_argument("--delay", type=float, default=2.0, help="seconds until the service answers")
    parser.add_argument("--at-a-time", type=int, default=4, help="jobs of summarize at a time in each process")
    parser.add_argument("--enqueue", type=int, default=100_000, help="users that are only enqueued")
    parser.add_argument("--workers", type=int, action="append", help="only so many processes; repeatable")
    args = parser.parse_args()
    print(f"Python {platform.python_version()}, {platform.machine()}, {os.cpu_count()} cores, PostgreSQL 18 on the same machine, fsync on, load {os.getloadavg()[0]:.1f}")  # fmt: skip
    print(f"{'':10} {'workers':>7} {'killed':>6} {'users':>7} {'seconds':>8} {'jobs/s':>7} {'client':>7} {'server':>7} {'WAL kB':>7} {'once':>7} {'twice':>5} {'left':>5} {'same':>5}")  # fmt: skip

    def ask(request: Any) -> Any:
        told = list(dict.fromkeys(re.findall(r"User spent [^.]*\.", request.prompt)))
        return say(" ".join(told[: len(told) // 2 + 1]), delay=args.delay)  # true, and half as long

    with serve(settings={"fsync": "on", "shared_buffers": "128MB"}) as server, tempfile.TemporaryDirectory() as folder:
        with server.connect() as connection:
            connection.execute(f"CREATE DATABASE bench OWNER {OWNER}")
        bench = Bench(Database(server, "bench"), folder)
        sizes: list[str] = []
        with Endpoint(ask) as endpoint:
            kinds: tuple[tuple[str, int, tuple[str, ...], dict[str, str]], ...] = (
                ("dedupe", args.users, ("--strategy", "dedupe"), {"CONCURRENCY": "4"}),
                (
                    "summarize",
                    args.asked,
                    ("--strategy", "summarize", "--model", "m", "--on-loss", "accept"),
                    {"CONCURRENCY": str(args.at_a_time), "MEMOPT_BASE_URL": endpoint.base_url},
                ),
            )
            for name, users, enqueue, env in (kind for kind in kinds if kind[1]):
                first = None
                for workers in args.workers or (1, 2, 4):
                    for kill in (False, True):
                        fill(bench.db, users, args.each)
                        found = work(bench, server.process.pid, workers, kill, users, enqueue, **env)
                        first = first or found["state"]
                        print(
                            f"{name:10} {workers:>7} {'1' if kill else '-':>6} {users:>7,} {found['seconds']:>8.1f} "
                            f"{users / found['seconds']:>7.1f} {found['client'] / users * 1000:>7.1f} "
                            f"{found['server'] / users * 1000:>7.1f} {found['wal'] / users / 1024:>7.1f} {found['once']:>7,} {found['twice']:>5} "
                            f"{found['left']:>5} {'yes' if found['state'] == first else 'NO':>5}",
                            flush=True,
                        )
                sizes.append(f"{name}: {found['journal'] / 1024:.1f} kB of journal a user of {args.each} memories")
        print("\n".join(sizes))
        if not args.enqueue:
            return
        fill(bench.db, args.enqueue, 2)
        for what in ("new", "again"):
            document, seconds = bench.call("enqueue", "--all-users", "--strategy", "dedupe")
            print(f"enqueue, {what}: {document['jobs']:,} jobs, {document['waiting']:,} waiting, {document['seconds']:.1f} s ({seconds:.1f} s with the process)")  # fmt: skip
        size = bench.ask("SELECT sum(pg_total_relation_size(c.oid))::float8 FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE nspname = 'memopt' AND relkind = 'r'")  # fmt: skip
        _, seconds = bench.call("jobs")
        print(f"{size / args.enqueue:.0f} bytes a waiting job in the tables; memopt jobs takes {seconds:.1f} s")


if __name__ == "__main__":
    main()

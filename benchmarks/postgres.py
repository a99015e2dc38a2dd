"""memopt on Postgres: users a second and peak memory over a whole table, beside single calls and beside Agno's own API.

    python benchmarks/postgres.py                              # 200,000 memories of 4,000 users; needs the test extra
    python benchmarks/postgres.py --memories 50000 --each 25

A PostgreSQL 18 is started for this (fsync on, 128 MB of shared buffers, on the same machine), and a table of Agno's is filled:
``--each`` memories a user, three in ten of them exact duplicates. Then, each in a process of its own and each on equal rows:

- ``look``: every user streamed by ``store.snapshots()`` with tokens counted (``memopt users``);
- ``preview`` and ``apply``: ``MemoryManager.optimize_memories`` for every user with one store, in one thread and in four;
- ``single``: the same apply with a new manager, and so a new connection, for every user (a loop of single calls);
- ``agno``: Agno's ``MemoryManager.optimize_memories(apply=True)`` on its own ``PostgresDb`` with a strategy that drops exact
  duplicates;
- ``psycopg``: the least that can be done: one transaction a user, read, decode, delete. No journal, no counts, no comparison.

CPU seconds are beside the wall's, because other work on the machine and the disk disturb them less.

``single`` and ``agno`` do the first ``--some`` users only. ``RSS`` is the peak of the client process, tokenizer and all; a tenth
of the table beside the whole shows whether it grows with it. Nothing is asserted.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import resource
import subprocess
import sys
import time
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
from support.agnofile import clean_environment
from support.postgres import OWNER, PASSWORD, TABLE, Database, serve

THINGS = ("the billing service", "the search index", "a marathon", "a sourdough starter", "German grammar", "a cello piece")


def fill(db: Database, users: int, each: int, seed: int = 7) -> None:
    """Write the table anew."""
    draw = random.Random(seed)
    db.run("DROP SCHEMA IF EXISTS ai CASCADE", "DROP SCHEMA IF EXISTS memopt CASCADE")
    db.make()
    columns = "memory_id, memory, topics, user_id, agent_id, input, created_at, updated_at"
    with db.connect() as connection, connection.cursor().copy(f"COPY {TABLE} ({columns}) FROM STDIN") as copy:
        for place in range(each):  # users' rows lie scattered, as agents write them
            for user in range(users):
                number = place if draw.random() >= 0.3 else draw.randrange(each)
                thing = THINGS[number % len(THINGS)]
                text = f"User spent {number % 97 + 3} minutes on {thing} in session {number}."
                at = 1_700_000_000 + place * 3600 + user
                copy.write_row((f"{user:06d}-{place:06d}-5585-52e7-975c-12fbe5fc284e", json.dumps(text),
                                json.dumps(["work", thing]), f"user-{user:06d}", "assistant", None, at, at))  # fmt: skip
    db.run(f"ANALYZE {TABLE}")


def users_of(url: str) -> list[str]:
    import psycopg

    with psycopg.connect(url) as connection:
        return [row[0] for row in connection.execute(f"SELECT DISTINCT user_id FROM {TABLE} ORDER BY 1")]


def look(url: str, some: int) -> int:
    from memopt.manager import MemoryManager

    manager = MemoryManager(url)
    done = 0
    for snapshot in manager.store.snapshots():
        manager._summary(snapshot)
        done += 1
    return done


def each_user(url: str, strategy: str, apply: bool, threads: int) -> int:
    from memopt.manager import MemoryManager
    from memopt.strategies.registry import MemoryOptimizationStrategyFactory

    options = {"keep": 20} if strategy == "recent" else {}
    listed = users_of(url)

    with MemoryManager(url).store.fleet(write=apply) as store:

        def one(user: str) -> None:
            chosen = MemoryOptimizationStrategyFactory.create_strategy(strategy, **options)
            # a manager a user: its counter's cache must not grow with the users
            MemoryManager(store).optimize_memories(user, chosen, apply=apply)

        if threads == 1:
            for user in listed:
                one(user)
        else:
            with ThreadPoolExecutor(threads) as pool:
                for _ in pool.map(one, listed):
                    pass
    return len(listed)


def single(url: str, some: int) -> int:
    from memopt.manager import MemoryManager

    listed = users_of(url)[:some]
    for user in listed:
        manager = MemoryManager(url)
        manager.optimize_memories(user, "dedupe", apply=True)
        manager.store.close()
    return len(listed)


def agno(url: str, some: int) -> int:
    warnings.simplefilter("ignore")
    from agno.db.postgres import PostgresDb
    from agno.memory import MemoryManager
    from agno.memory.strategies.base import MemoryOptimizationStrategy
    from agno.models.openai import OpenAIChat

    class Exact(MemoryOptimizationStrategy):
        def optimize(self, memories: list[Any], model: Any) -> list[Any]:
            return list({m.memory: m for m in memories}.values())

        async def aoptimize(self, memories: list[Any], model: Any) -> list[Any]:
            return self.optimize(memories, model)

        def count_tokens(self, memories: list[Any]) -> int:
            # Agno's own counter needs a network for its vocabulary; this is the cheaper estimate, in Agno's favour.
            return sum(len(m.memory or "") // 4 for m in memories)

    db = PostgresDb(db_url=url.replace("postgresql://", "postgresql+psycopg://"))
    manager = MemoryManager(db=db, model=OpenAIChat(id="none", api_key="none"))
    listed = users_of(url)[:some]
    for user in listed:
        manager.optimize_memories(user_id=user, strategy=Exact(), apply=True)
    db.db_engine.dispose()
    return len(listed)


def bare(url: str, some: int) -> int:
    import psycopg

    listed = users_of(url)
    with psycopg.connect(url) as connection:
        for user in listed:
            seen: set[str] = set()
            gone: list[str] = []
            for memory_id, text in connection.execute(
                f"SELECT memory_id, memory FROM {TABLE} WHERE user_id = %s FOR UPDATE", (user,)
            ):
                (gone.append if text in seen else seen.add)(memory_id if text in seen else text)
            connection.execute(f"DELETE FROM {TABLE} WHERE user_id = %s AND memory_id = ANY(%s)", (user, gone))
            connection.commit()
    return len(listed)


def work(what: str, url: str, some: int) -> dict[str, float]:
    """Do one thing in this process and say how long it took."""
    from memopt.tokens import TokenCounter

    TokenCounter().text("warm")
    name, _, how = what.partition(":")
    began, cpu = time.perf_counter(), time.process_time()
    if name == "look":
        users = look(url, some)
    elif name == "single":
        users = single(url, some)
    elif name == "agno":
        users = agno(url, some)
    elif name == "psycopg":
        users = bare(url, some)
    else:
        strategy, _, threads = how.partition(":")
        users = each_user(url, strategy, name == "apply", int(threads))
    return {
        "users": users,
        "seconds": time.perf_counter() - began,
        "cpu": time.process_time() - cpu,
        "rss": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


def server_cpu(pid: int) -> float:
    """CPU seconds of the sessions that ended so far: what the postmaster reaped (Linux)."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[13]) + int(fields[14])) / os.sysconf("SC_CLK_TCK")


def run(what: str, url: str, some: int) -> dict[str, float]:
    done = subprocess.run(
        [sys.executable, __file__, "--work", what, "--url", url, "--some", str(some)],
        env=clean_environment(), capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode != 0:
        raise SystemExit(done.stderr)
    found: dict[str, float] = json.loads(done.stdout)
    return found


ALL = [
    "look",
    "preview:dedupe:1",
    "preview:recent:1",
    "apply:dedupe:1",
    "apply:recent:1",
    "apply:dedupe:4",
    "psycopg",
    "single",
    "agno",
]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--memories", type=int, default=200_000)
    parser.add_argument("--each", type=int, default=50, help="memories of a user")
    parser.add_argument("--some", type=int, default=200, help="users of the slow ways")
    parser.add_argument("--only", action="append", help="only these ways")
    parser.add_argument("--work", help=argparse.SUPPRESS)
    parser.add_argument("--url", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.work:
        print(json.dumps(work(args.work, args.url, args.some)))
        return
    print(f"Python {platform.python_version()}, {platform.machine()}, PostgreSQL 18 on the same machine, fsync on")
    print(
        f"{'':18} {'memories':>9} {'users':>7} {'seconds':>8} {'users/s':>8} {'client CPU':>10} {'server CPU':>10} {'RSS MiB':>8}"
    )
    with serve(settings={"fsync": "on", "shared_buffers": "128MB"}) as server:
        with server.connect() as connection:
            connection.execute(f"CREATE DATABASE bench OWNER {OWNER}")
        db = Database(server, "bench")
        assert PASSWORD
        for what in args.only or ALL:
            sizes = (
                [args.memories] if what.split(":")[0] in ("single", "agno", "psycopg") else [args.memories // 10, args.memories]
            )
            for memories in sizes:
                fill(db, memories // args.each, args.each)
                cpu = server_cpu(server.process.pid)
                found = run(what, db.url, args.some)
                time.sleep(0.3)  # the last session is being reaped
                cpu = server_cpu(server.process.pid) - cpu
                print(
                    f"{what:18} {memories:>9,} {found['users']:>7,.0f} {found['seconds']:>8.1f} "
                    f"{found['users'] / found['seconds']:>8.0f} {found['cpu']:>10.1f} {cpu:>10.1f} {found['rss']:>8.0f}",
                    flush=True,
                )


if __name__ == "__main__":
    main()

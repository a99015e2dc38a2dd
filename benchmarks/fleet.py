"""Runs over many users: how many a second, with how much memory, and what waiting for a model together is worth.

    python benchmarks/fleet.py                       # all parts; agno, sqlalchemy and greenlet beside memopt for the last rows
    python benchmarks/fleet.py sqlite --users 20000 --memories 50
    python benchmarks/fleet.py postgres --postgres-users 4000
    python benchmarks/fleet.py wait --concurrency 1,8,32

``sqlite`` writes a store of Agno 3's (WAL) with ``users`` x ``memories`` rows, three in ten of them duplicates, and previews and
applies ``dedupe`` and ``retain`` to all users in one run each, every run in a process of its own; a tenth of the users is
done first, to show whether memory grows with their number. Beside it, on samples because they are slow: a loop that calls
``MemoryManager.optimize_memories`` user by user, and Agno's own ``MemoryManager.optimize_memories`` with a keep-recent strategy.
``postgres`` does the same on a PostgreSQL 18 of its own (the test extra brings it) with ``--postgres-users`` users.

``wait`` summarizes users whose model is a scripted endpoint (a process of its own) that answers after 50 ms: users a
second for each ``--concurrency``, as preview and as apply, and as a multiple of one at a time. ``ask`` is a strategy that puts one
question a user and checks nothing, to show what the runner itself costs. Choosing the users is not counted. Runner and endpoint
want a core each: on a machine that is busy with something else the multiples are too low.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
from support.agnofile import clean_environment, make_store, many, row

FACTS = (
    "User lives in Bern.",
    "User works as a nurse at Inselspital.",
    "User has two cats named Milo and Luna.",
    "User is allergic to peanuts.",
    "User prefers tea over coffee.",
    "User ran a marathon in 3 hours 52 minutes.",
)
OPTIONS = {"dedupe": {}, "retain": {"keep-last": "30"}}


# -- the store ----------------------------------------------------------------------------------------------------------


def fleet_store(path: Path, users: int, memories: int) -> Path:
    """A store of that many users, written a day's rows at a time."""
    for place in range(memories):
        make_store(path, fleet_rows(users, memories, [place]), journal="wal")
    return path


def fleet_rows(users: int, memories: int, places: Iterable[int]) -> Iterator[dict[str, Any]]:
    """The users' rows one after the other in time, as many agents write them: not sorted by user."""
    texts = [json.loads(item["memory"]) for item in many(memories)]
    for place in places:
        # the last three tenths repeat earlier ones, one of them with other case and punctuation
        text = texts[place] if place < memories * 0.7 else texts[place - int(memories * 0.7)]
        if place >= memories * 0.9:
            text = text.lower().rstrip(".")
        for number in range(users):
            yield row(
                f"{number:06d}-{place:04d}",
                text.replace("session", f"session {number}."),
                user=f"user-{number:06d}",
                at=1_700_000_000 + place * 86_400 + number,
                topics=["work"],
            )


# -- work, each in a process of its own -----------------------------------------------------------------------------------


def by_fleet(path: str, strategy: str, mode: str, _sample: int) -> int:
    from memopt.fleet import Fleet
    from memopt.stores import open_store
    from memopt.strategies.registry import make_chain

    summary = Fleet(open_store(path), make_chain([strategy], OPTIONS[strategy]), apply=mode == "apply").run()
    assert not summary.reasons, summary.reasons
    return summary.users


def by_loop(path: str, strategy: str, mode: str, sample: int) -> int:
    from memopt.manager import MemoryManager
    from memopt.strategies.registry import make_chain

    for number in range(sample):
        manager = MemoryManager(path)
        manager.optimize_memories(f"user-{number:06d}", make_chain([strategy], OPTIONS[strategy]), apply=mode == "apply")
        if path.startswith("postgresql://"):
            manager.store.close()  # type: ignore[attr-defined]
    return sample


def by_agno(path: str, _strategy: str, mode: str, sample: int) -> int:
    from agno.memory import MemoryManager
    from agno.memory.strategies.base import MemoryOptimizationStrategy
    from agno.models.openai import OpenAIChat

    class KeepRecent(MemoryOptimizationStrategy):
        def optimize(self, memories: list[Any], model: Any) -> list[Any]:
            return sorted(memories, key=lambda m: m.updated_at or m.created_at, reverse=True)[:30]

        async def aoptimize(self, memories: list[Any], model: Any) -> list[Any]:
            return self.optimize(memories, model)

        def count_tokens(self, memories: list[Any]) -> int:
            return sum(len(m.memory or "") // 4 for m in memories)

    if path.startswith("postgresql://"):
        from agno.db.postgres import PostgresDb

        db: Any = PostgresDb(db_url=path.replace("postgresql://", "postgresql+psycopg://"))
    else:
        from agno.db.sqlite import SqliteDb

        db = SqliteDb(db_file=path)
    manager = MemoryManager(db=db, model=OpenAIChat(id="none", api_key="none"))
    for number in range(sample):
        manager.optimize_memories(user_id=f"user-{number:06d}", strategy=KeepRecent(), apply=mode == "apply")
    db.db_engine.dispose()
    return sample


def measured(path: str, way: str, strategy: str, mode: str, sample: int) -> dict[str, float]:
    work = {"fleet": by_fleet, "loop": by_loop, "agno": by_agno}[way]
    cpu, wall = time.process_time(), time.perf_counter()
    users = work(path, strategy, mode, sample)
    return {
        "users": users,
        "seconds": time.perf_counter() - wall,
        "cpu": time.process_time() - cpu,
        "rss": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


def child(arguments: list[str]) -> dict[str, Any] | None:
    done = subprocess.run(
        [sys.executable, __file__, "work", *arguments],
        env=clean_environment(AGNO_TELEMETRY="false"),
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        print(f"  {' '.join(arguments[1:])}: {done.stderr.strip().splitlines()[-1] if done.stderr else done.returncode}")
        return None
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


WAYS = (
    ("fleet", "dedupe", "preview"),
    ("fleet", "dedupe", "apply"),
    ("fleet", "retain", "preview"),
    ("fleet", "retain", "apply"),
    ("loop", "dedupe", "preview"),
    ("loop", "dedupe", "apply"),
    ("loop", "retain", "apply"),
    ("agno", "recent", "apply"),
)


def table(where: str, sizes: Sequence[int], memories: int, sample: int, fresh: Callable[[int], str]) -> None:
    """Every way on equal stores.

    Args:
        fresh: the address of a new store of so many users, each with ``memories``.
    """
    print(f"{where:<9} {'users':>7} {'memories':>10}  {'what':<28} {'seconds':>8} {'users/s':>9} {'cpu s':>8} {'MiB':>6}")
    for users in sizes:
        for way, strategy, mode in WAYS:
            some = 0 if way == "fleet" else min(sample, users)
            if some and users != sizes[-1]:
                continue
            found = child([fresh(users), way, strategy, mode, str(some)])
            if found is not None:
                what = f"{way} {strategy} {mode}" + (f" ({some} users)" if some else "")
                rate = found["users"] / found["seconds"]
                print(
                    f"{'':<9} {users:>7,} {users * memories:>10,}  {what:<28} {found['seconds']:>8.1f} {rate:>9,.1f} "
                    f"{found['cpu']:>8.1f} {found['rss']:>6.0f}",
                    flush=True,
                )


def on_sqlite(arguments: argparse.Namespace, folder: Path) -> None:
    made: dict[int, Path] = {}

    def fresh(users: int) -> str:
        if users not in made:
            for old in made.values():
                old.unlink()
            made.clear()
            made[users] = fleet_store(folder / f"template-{users}.db", users, arguments.memories)
        for old in folder.glob("work.db*"):
            old.unlink()
        return str(shutil.copyfile(made[users], folder / "work.db"))

    sizes = (max(1, arguments.users // 10), arguments.users)
    table("sqlite", sizes, arguments.memories, arguments.sample, fresh)


def on_postgres(arguments: argparse.Namespace) -> None:
    from support.postgres import OWNER, TABLE, Database, serve

    made: set[int] = set()
    with serve(settings={"fsync": "on", "shared_buffers": "128MB"}) as server:

        def fresh(users: int) -> str:
            with server.connect() as admin:
                if users not in made:
                    admin.execute(f"CREATE DATABASE template_{users} OWNER {OWNER}")
                    fill(Database(server, f"template_{users}"), TABLE, users)
                    made.add(users)
                admin.execute("DROP DATABASE IF EXISTS work WITH (FORCE)")
                admin.execute(f"CREATE DATABASE work OWNER {OWNER} TEMPLATE template_{users}")
            return Database(server, "work").url

        def fill(db: Database, name: str, users: int) -> None:
            db.make()
            columns = "memory_id, memory, topics, user_id, agent_id, input, created_at, updated_at".split(", ")
            rows = fleet_rows(users, arguments.memories, range(arguments.memories))
            with db.connect() as conn, conn.cursor().copy(f"COPY {name} ({', '.join(columns)}) FROM STDIN") as copy:
                for each in rows:
                    copy.write_row([each.get(column) for column in columns])
            db.run(f"ANALYZE {name}")

        sizes = (max(1, arguments.postgres_users // 10), arguments.postgres_users)
        table("postgres", sizes, arguments.memories, arguments.sample, fresh)


# -- waiting for a model ------------------------------------------------------------------------------------------------

SERVER = """
import asyncio, json, sys
delay = float(sys.argv[1])
text = sys.argv[2]
message = {"role": "assistant", "content": text}
answer = {"id": "c", "object": "chat.completion", "created": 0, "model": "scripted",
          "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
          "usage": {"prompt_tokens": 400, "completion_tokens": 60, "total_tokens": 460}}
body = json.dumps(answer).encode()
head = b"HTTP/1.1 200 OK\\r\\nContent-Type: application/json\\r\\nContent-Length: %d\\r\\n\\r\\n" % len(body)
async def serve(reader, writer):
    try:
        while True:
            asked = await reader.readuntil(b"\\r\\n\\r\\n")
            sizes = [line for line in asked.lower().split(b"\\r\\n") if line.startswith(b"content-length:")]
            await reader.readexactly(int(sizes[0].split(b":")[1]))
            await asyncio.sleep(delay)
            writer.write(head + body)
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        writer.close()
async def main():
    server = await asyncio.start_server(serve, "127.0.0.1", 0, backlog=256)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()
asyncio.run(main())
"""


def waiting(path: str, port: int, strategy: str, mode: str, concurrency: int, users: int) -> dict[str, float]:
    from memopt.fleet import Fleet, Selection
    from memopt.models.base import Ask
    from memopt.models.openai import OpenAIModel
    from memopt.stores import open_store
    from memopt.strategies.base import MemoryOptimizationStrategy, Proposal
    from memopt.strategies.registry import make_chain

    class AskOnce(MemoryOptimizationStrategy):
        name = "ask"
        needs_model = True

        def get_system_prompt(self) -> str:
            return "which of these may go?"

        def steps(self, memories: Any) -> Any:
            yield Ask(self.get_system_prompt(), "\n".join(item.memory for item in memories))
            return Proposal(list(memories[1:]))

    begun: list[float] = []

    def fleet(limit: int, number: int) -> Fleet:
        chain = [AskOnce()] if strategy == "ask" else make_chain([strategy], {})
        model = OpenAIModel("scripted", base_url=f"http://127.0.0.1:{port}/v1", api_key="k" * 20)
        chosen = Selection(limit=limit, patterns=(("warm-*", "user-*")[number],))
        return Fleet(
            open_store(path),
            chain,
            model=model,
            selection=chosen,
            apply=mode == "apply",
            concurrency=concurrency,
            sized=lambda _users: begun.append(time.perf_counter()),  # choosing the users is not waiting for a model
        )

    asyncio.run(fleet(2, 0).arun())  # imports and the tokenizer's vocabulary
    run = fleet(users, 1)
    cpu = time.process_time()
    summary = asyncio.run(run.arun())
    seconds = time.perf_counter() - begun[-1]
    assert not summary.reasons and summary.done == users, (summary.reasons, summary.statuses)
    return {"users": users, "seconds": seconds, "cpu": time.process_time() - cpu}


def wait(arguments: argparse.Namespace, folder: Path) -> None:
    steps = [int(text) for text in arguments.concurrency.split(",")]
    most = arguments.wait_users
    rows = [
        row(f"{user}-{place}", text, user=user, at=1_767_258_000 + place * 86_400)
        for user in [f"user-{number:05d}" for number in range(most)] + ["warm-1", "warm-2"]
        for place, text in enumerate(FACTS)
    ]
    template = make_store(folder / "wait.db", rows, journal="wal")
    server = subprocess.Popen(
        [sys.executable, "-c", SERVER, str(arguments.delay), " ".join(FACTS)], stdout=subprocess.PIPE, text=True
    )
    assert server.stdout is not None
    port = server.stdout.readline().strip()
    print(f"\n{arguments.delay * 1000:.0f} ms an answer, {len(FACTS)} memories a user")
    print(f"{'what':<20} {'concurrency':>11} {'users':>7} {'seconds':>8} {'users/s':>9} {'times':>6} {'cpu ms a user':>14}")
    try:
        for strategy in ("ask", "summarize"):
            for mode in ("preview", "apply"):
                first = 0.0
                for concurrency in steps:
                    path = folder / "work.db"
                    for old in folder.glob("work.db*"):
                        old.unlink()
                    shutil.copyfile(template, path)
                    users = min(most, 40 * concurrency)
                    found = child([str(path), "wait", strategy, mode, port, str(concurrency), str(users)])
                    if found is None:
                        continue
                    rate = found["users"] / found["seconds"]
                    first = first or rate
                    print(
                        f"{strategy + ' ' + mode:<20} {concurrency:>11} {users:>7,} {found['seconds']:>8.2f} {rate:>9.1f} "
                        f"{rate / first:>6.1f} {1000 * found['cpu'] / users:>14.2f}",
                        flush=True,
                    )
    finally:
        server.kill()
        server.wait()


def main() -> None:
    if sys.argv[1:2] == ["work"]:
        path, way, strategy, mode, *rest = sys.argv[2:]
        if way == "wait":
            print(json.dumps(waiting(path, int(rest[0]), strategy, mode, int(rest[1]), int(rest[2]))))
        else:
            print(json.dumps(measured(path, way, strategy, mode, int(rest[0]))))
        return
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", nargs="?", choices=("sqlite", "postgres", "wait", "all"), default="all")
    parser.add_argument("--users", type=int, default=20_000)
    parser.add_argument("--postgres-users", type=int, default=4_000)
    parser.add_argument("--memories", type=int, default=50, help="memories of each user")
    parser.add_argument("--sample", type=int, default=20, help="users of the loop of single calls, and of Agno's")
    parser.add_argument("--concurrency", default="1,8,32")
    parser.add_argument("--wait-users", type=int, default=1_280)
    parser.add_argument("--delay", type=float, default=0.05, help="seconds that the endpoint takes for an answer")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="memopt-bench-") as name:
        if arguments.part in ("sqlite", "all"):
            on_sqlite(arguments, Path(name))
        if arguments.part in ("postgres", "all"):
            on_postgres(arguments)
        if arguments.part in ("wait", "all"):
            wait(arguments, Path(name))


if __name__ == "__main__":
    main()

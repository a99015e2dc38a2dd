"""How long a look at a whole store takes and how much memory, at two sizes, in SQLite and in Postgres; beside reading alone.

    python benchmarks/doctor.py
    python benchmarks/doctor.py --users 20000 --memories 50 --postgres-users 4000

Each row is a process of its own. ``read`` goes through the same users (``MemoryStore.scan``) and does nothing with them, so what
is above it is the doctor's own; ``load`` is the tokenizer's vocabulary alone, which every process holds that counts tokens.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from fleet import fleet_store

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
from support.agnofile import clean_environment


def work(what: str, url: str) -> dict[str, float]:
    from memopt.doctor import examine
    from memopt.stores import open_store
    from memopt.tokens import token_count

    token_count()("warm")
    started = time.perf_counter()
    memories = 0
    if what == "read":
        for snapshot in open_store(url).scan():
            memories += len(snapshot.memories)
    elif what.startswith("doctor"):
        memories = examine(open_store(url), now=time.time(), integrity=what.endswith("--integrity")).figures.memories
    seconds = time.perf_counter() - started
    return {"memories": memories, "seconds": seconds, "rss": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}


def show(where: str, what: str, url: str) -> None:
    done = subprocess.run(
        [sys.executable, __file__, "work", what, url], env=clean_environment(), capture_output=True, text=True, check=True
    )
    found = json.loads(done.stdout)
    rate = found["memories"] / found["seconds"] if found["memories"] else 0
    print(
        f"{where:<10} {found['memories']:>10,}  {what:<20} {found['seconds']:>8.1f} {rate:>11,.0f} {found['rss']:>6.0f}",
        flush=True,
    )


def main() -> None:
    if sys.argv[1:2] == ["work"]:
        print(json.dumps(work(*sys.argv[2:])))
        return
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--users", type=int, default=20_000)
    parser.add_argument("--memories", type=int, default=50, help="memories of each user")
    parser.add_argument("--postgres-users", type=int, default=4_000, help="0: no Postgres")
    arguments = parser.parse_args()
    print(f"{'store':<10} {'memories':>10}  {'what':<20} {'seconds':>8} {'memories/s':>11} {'MiB':>6}")
    show("", "load", "")
    with tempfile.TemporaryDirectory(prefix="memopt-bench-") as name:
        for users in (max(1, arguments.users // 10), arguments.users):
            path = str(fleet_store(Path(name) / f"{users}.db", users, arguments.memories))
            for what in ("read", "doctor", "doctor --integrity"):
                show("sqlite", what, path)
    if arguments.postgres_users:
        from postgres import fill
        from support.postgres import database, serve

        with serve() as server:
            for users in (max(1, arguments.postgres_users // 10), arguments.postgres_users):
                with database(server) as db:
                    fill(db, users, arguments.memories)
                    for what in ("read", "doctor"):
                        show("postgres", what, db.url)


if __name__ == "__main__":
    main()

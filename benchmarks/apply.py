"""How long an apply takes: memopt beside Agno's own optimizer and beside bare sqlite3; and how memopt grows with the user.

    python benchmarks/apply.py                    # both parts; needs agno, sqlalchemy and greenlet beside memopt
    python benchmarks/apply.py compare --repeat 5
    python benchmarks/apply.py scale --sizes 1000,10000,100000

Part 1 takes 10,000 memories of one user to 5,000 by keep-recent, three ways, alternating in one run on equal files (WAL mode, as
Agno 3 leaves them; ``--journal delete`` for Agno 2's):

- memopt: ``MemoryManager.optimize_memories(apply=True)``, the whole road: read, strategy, diff, token counts before and after,
  guards, conflict check, deletes, and the journal with every removed row;
- agno: Agno's ``MemoryManager.optimize_memories(apply=True)`` with the same strategy written for it;
- sqlite3: one transaction of the standard library: read the rows, decode their JSON, delete 5,000, commit. No journal, no counts.

Every run is a process of its own that has done the same on a file of 20 memories first, so that imports and the tokenizer's
vocabulary are not in ``seconds``; ``process`` is the wall time of the whole process with them. Nothing is asserted.

Part 2 previews and applies ``recent`` and ``dedupe`` to one user of 1,000 to 100,000 memories, three in ten of them duplicates.
``growth`` is the exponent of the CPU time between two sizes: 1.0 is linear.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import random
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
from support.agnofile import TABLE, clean_environment, make_store, many, row

USER = "u1"
WAYS = ("memopt", "agno", "sqlite3")


# -- the three ways, each in a process of its own ----------------------------------------------------------------------


def by_memopt(path: str, keep: int) -> int:
    from memopt.manager import MemoryManager
    from memopt.strategies.recent import RecentOnlyStrategy

    return len(MemoryManager(path).optimize_memories(USER, RecentOnlyStrategy(keep=keep), apply=True))


def by_agno(path: str, keep: int) -> int:
    from agno.db.sqlite import SqliteDb
    from agno.memory import MemoryManager
    from agno.memory.strategies.base import MemoryOptimizationStrategy
    from agno.models.openai import OpenAIChat

    class KeepRecent(MemoryOptimizationStrategy):
        def optimize(self, memories: list[Any], model: Any) -> list[Any]:
            return sorted(memories, key=lambda m: m.updated_at or m.created_at, reverse=True)[:keep]

        async def aoptimize(self, memories: list[Any], model: Any) -> list[Any]:
            return self.optimize(memories, model)

        def count_tokens(self, memories: list[Any]) -> int:
            # Agno's own counter needs a network for its vocabulary; this is the cheaper estimate, in Agno's favour.
            return sum(len(m.memory or "") // 4 for m in memories)

    db = SqliteDb(db_file=path)
    manager = MemoryManager(db=db, model=OpenAIChat(id="none", api_key="none"))
    left = manager.optimize_memories(user_id=USER, strategy=KeepRecent(), apply=True)
    db.db_engine.dispose()
    return len(left)


def by_sqlite3(path: str, keep: int) -> int:
    import sqlite3

    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("BEGIN IMMEDIATE")
    rows = [
        (updated if updated is not None else created, memory_id, json.loads(memory), json.loads(topics))
        for memory_id, memory, topics, created, updated in connection.execute(
            f"SELECT memory_id, memory, topics, created_at, updated_at FROM {TABLE} WHERE user_id = ?", (USER,)
        )
    ]
    rows.sort(key=lambda item: item[0], reverse=True)
    connection.executemany(f"DELETE FROM {TABLE} WHERE memory_id = ? AND user_id = ?", ((item[1], USER) for item in rows[keep:]))
    connection.execute("COMMIT")
    connection.close()
    return min(keep, len(rows))


def by_road(path: str, strategy: str, apply: bool) -> int:
    """memopt's preview or apply, for the second part."""
    from memopt.manager import MemoryManager
    from memopt.strategies.registry import MemoryOptimizationStrategyFactory

    manager = MemoryManager(path)
    memories = len(manager.get_user_memories(USER).memories) if strategy == "recent" else 0
    options = {"keep": max(1, memories // 2)} if strategy == "recent" else {}
    chosen = MemoryOptimizationStrategyFactory.create_strategy(strategy, **options)
    return len(manager.optimize_memories(USER, chosen, apply=apply))


def work(what: str, path: str, keep: int, small: str) -> dict[str, float]:
    """Do one thing in this process, after a warm-up on a small file."""
    name, _, mode = what.partition(":")
    if mode:

        def once(file: str, _keep: int) -> int:
            return by_road(file, name, mode == "apply")
    else:
        once = {"memopt": by_memopt, "agno": by_agno, "sqlite3": by_sqlite3}[name]
    once(small, 10)
    cpu, wall = time.process_time(), time.perf_counter()
    left = once(path, keep)
    return {
        "seconds": time.perf_counter() - wall,
        "cpu": time.process_time() - cpu,
        "rss": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "left": left,
    }


# -- the files ---------------------------------------------------------------------------------------------------------


def distinct(count: int) -> Iterator[dict[str, Any]]:
    """Distinct memories in no order of time, so that keep-recent deletes all over the file."""
    rows = list(many(count, user=USER))
    random.Random(7).shuffle(rows)
    return iter(rows)


def repetitive(count: int) -> Iterator[dict[str, Any]]:
    """Two in ten are exact duplicates of an earlier memory, one in ten differs from one in case and punctuation."""
    chance = random.Random(7)
    texts: list[str] = []
    for number, item in enumerate(many(count, user=USER)):
        draw = chance.random()
        if texts and draw < 0.2:
            text = chance.choice(texts)
        elif texts and draw < 0.3:
            text = chance.choice(texts).lower().rstrip(".")
        else:
            text = json.loads(item["memory"])
            texts.append(text)
        yield row(f"m{number:07d}", text, user=USER, at=item["created_at"], topics=item["topics"])


def run(what: str, template: Path, keep: int, small: Path, folder: Path) -> dict[str, float]:
    """One measured process on a fresh copy."""
    path, warm = folder / "work.db", folder / "warm.db"
    for old in folder.glob("w*.db*"):
        old.unlink()
    shutil.copyfile(template, path)
    shutil.copyfile(small, warm)
    time.sleep(0.3)  # let the copy's own writing to disk end
    begun = time.perf_counter()
    done = subprocess.run(
        [sys.executable, __file__, "work", what, str(path), str(keep), str(warm)],
        env=clean_environment(AGNO_TELEMETRY="false"),
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise SystemExit(f"{what} failed:\n{done.stderr}")
    figures: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return {**figures, "process": time.perf_counter() - begun}


def fsync_time(folder: Path) -> float:
    """Median seconds of writing 4 KiB and forcing it to the disk: what Agno pays for every single row."""
    times = []
    with (folder / "fsync").open("wb", buffering=0) as file:
        for _ in range(30):
            begun = time.perf_counter()
            file.write(b"x" * 4096)
            os.fsync(file.fileno())
            times.append(time.perf_counter() - begun)
    return statistics.median(times)


# -- the two parts -----------------------------------------------------------------------------------------------------


def compare(arguments: argparse.Namespace, folder: Path) -> None:
    rows, keep = arguments.rows, arguments.rows // 2
    template = make_store(folder / "template.db", distinct(rows), journal=arguments.journal)
    small = make_store(folder / "small.db", distinct(20), journal=arguments.journal)
    print(f"{rows:,} memories of one user, keep {keep:,}; {arguments.journal} journal; {arguments.repeat} runs, alternating")
    print(f"a forced write to this disk takes {fsync_time(folder) * 1000:.2f} ms\n")
    found: dict[str, list[dict[str, float]]] = {way: [] for way in WAYS}
    for _ in range(arguments.repeat):
        for way in WAYS:
            result = run(way, template, keep, small, folder)
            assert result["left"] == keep, (way, result)
            found[way].append(result)
    middle = {
        way: {key: statistics.median(each[key] for each in results) for key in results[0]} for way, results in found.items()
    }
    print(f"{'':8} {'seconds':>9} {'(least':>9} {'most)':>9} {'CPU s':>8} {'peak MiB':>9} {'process s':>10}")
    for way, results in found.items():
        m, seconds = middle[way], [each["seconds"] for each in results]
        spread = f"{min(seconds):9.3f} {max(seconds):9.3f}"
        print(f"{way:8} {m['seconds']:9.3f} {spread} {m['cpu']:8.3f} {m['rss']:9.0f} {m['process']:10.2f}")
    ours = middle["memopt"]["seconds"]
    print(f"\nmemopt is {middle['agno']['seconds'] / ours:.1f} times as fast as Agno", end="")
    print(f" and takes {ours / middle['sqlite3']['seconds']:.1f} times as long as bare sqlite3 (medians)")


def scale(arguments: argparse.Namespace, folder: Path) -> None:
    sizes = [int(size) for size in arguments.sizes.split(",")]
    small = make_store(folder / "small.db", repetitive(20), journal=arguments.journal)
    templates = {size: make_store(folder / f"t{size}.db", repetitive(size), journal=arguments.journal) for size in sizes}
    print(f"\none user; {arguments.journal} journal; medians of {arguments.repeat}\n")
    print(f"{'':16} {'memories':>9} {'left':>8} {'seconds':>9} {'CPU s':>8} {'peak MiB':>9} {'growth':>7}")
    for strategy in ("recent", "dedupe"):
        for mode in ("preview", "apply"):
            last: tuple[int, float] | None = None
            for size in sizes:
                runs = [
                    run(f"{strategy}:{mode}", templates[size], 0, small, folder)
                    for _ in range(arguments.repeat if size < 50_000 else 1)
                ]
                m = {key: statistics.median(each[key] for each in runs) for key in runs[0]}
                growth = f"{math.log(m['cpu'] / last[1]) / math.log(size / last[0]):7.2f}" if last else " " * 7
                last = (size, m["cpu"])
                figures = f"{m['seconds']:9.3f} {m['cpu']:8.3f} {m['rss']:9.0f} {growth}"
                print(f"{strategy + ' ' + mode:16} {size:9,} {m['left']:8,.0f} {figures}", flush=True)


def main() -> int:
    if sys.argv[1:2] == ["work"]:
        what, path, keep, small = sys.argv[2:]
        print(json.dumps(work(what, path, int(keep), small)))
        return 0
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", nargs="?", choices=["compare", "scale", "both"], default="both")
    parser.add_argument("--rows", type=int, default=10_000)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--journal", choices=["wal", "delete"], default="wal")
    parser.add_argument("--sizes", default="1000,10000,100000")
    parser.add_argument("--dir", type=Path, help="where the files go (default: the folder for temporary files)")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=arguments.dir) as folder:
        if arguments.part in ("compare", "both"):
            compare(arguments, Path(folder))
        if arguments.part in ("scale", "both"):
            scale(arguments, Path(folder))
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Batch mode: users a second and memory of ``memopt batch export`` and ``import``, and that memory does not follow the number of users.

    python benchmarks/batch.py
    python benchmarks/batch.py --users 10000 --memories 20

A store of that many users is exported with ``summarize``, a scripted runner writes each note of a request once as its answer, and
the answers are imported as plans; the same with a tenth of the users. Every command is a process of its own; memory is its
peak. ``verify`` of what comes back is most of an import.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
from fleet import fleet_store
from support.agnofile import clean_environment
from support.batches import result
from support.notes import notes_of


def answers(path: Path) -> Iterator[dict[str, Any]]:
    """Every note of each request once, as a model would give it that loses nothing."""
    with path.open(encoding="utf-8") as stream:
        for line in stream:
            sent = json.loads(line)
            notes = notes_of(sent["body"]["messages"][-1]["content"])
            facts = [{"text": note, "sources": [notes.index(note) + 1]} for note in dict.fromkeys(notes)]
            message = {"role": "assistant", "content": json.dumps({"facts": facts})}
            yield result(sent["custom_id"], 200, {"choices": [{"index": 0, "finish_reason": "stop", "message": message}]})


def command(*args: str | Path) -> tuple[float, float, int]:
    """Seconds, peak memory in MB and exit code of one memopt command."""
    started = time.perf_counter()
    pid = os.posix_spawn(
        sys.executable,
        [sys.executable, "-m", "memopt", *map(str, args)],
        clean_environment(),
        file_actions=[(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)],
    )
    _, status, usage = os.wait4(pid, 0)
    return time.perf_counter() - started, usage.ru_maxrss / 1024, os.waitstatus_to_exitcode(status)


def measure(folder: Path, users: int, memories: int) -> Iterator[tuple[str, float, float, float]]:
    """The rows of the table: what, users a second, peak MB, size of the file in MB."""
    store = fleet_store(folder / "agno.db", users, memories)
    requests, results = folder / "requests.jsonl", folder / "results.jsonl"
    how = ("--all-users", "-s", "summarize", "--model", "m", "--base-url", "http://127.0.0.1:9/v1")
    seconds, peak, code = command("batch", "export", "--db", store, *how, "--max-per-file", users, "--out", requests)
    assert code == 0, code
    yield "export", users / seconds, peak, requests.stat().st_size / 1e6
    with results.open("w", encoding="utf-8") as stream:
        for line in answers(requests):
            stream.write(json.dumps(line) + "\n")
    seconds, peak, code = command("batch", "import", results, "--out", folder / "plans")
    assert code == 0, code
    yield "import", users / seconds, peak, results.stat().st_size / 1e6


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--users", type=int, default=2000)
    parser.add_argument("--memories", type=int, default=10)
    told = parser.parse_args()
    print(f"{'users':>8}  {'command':<8}  {'users/s':>8}  {'peak MB':>8}  {'file MB':>8}")
    for users in (max(1, told.users // 10), told.users):
        with tempfile.TemporaryDirectory(prefix="memopt-bench-") as folder:
            for what, speed, peak, size in measure(Path(folder), users, told.memories):
                print(f"{users:>8,}  {what:<8}  {speed:>8.1f}  {peak:>8.1f}  {size:>8.1f}", flush=True)


if __name__ == "__main__":
    main()

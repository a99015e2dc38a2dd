"""A real model that is far too small for the task, against the promise that nothing is lost.

    python benchmarks/small_model.py [--data DIR] [--users 5] [--seconds 600] [--on-loss keep] [--part-tokens 6000] [--json]
    python benchmarks/small_model.py --base-url URL --model NAME      another service instead

SmolLM2-135M in llama.cpp (tests/requirements-model.txt) summarizes u1 to u3 of the Agno fixture and, where ``--data`` or MEMOPT_DATA
names a directory with ``bench/locomo_memories.jsonl``, the first speakers of LoCoMo; each in a copy of a store, with ``--apply``.

Per user: how it ended (written; nothing changed, because the result would have saved nothing; or refused, with nothing written),
requests and seconds, tokens before and after, and what the verification cut out (*invented*), kept beside (*beside*) or found
replaced (*replaced*). Then two checks of what is in the store afterwards against what was in it before:

- *lost*: the verifier's; it must be 0;
- *missing*: figures, and words capitalised within a sentence or beside each other, of memories that were not reported as replaced
  and that stand nowhere in the store any more; it must be 0. This check is written here and shares no code with the verifier.

A user whose time is up (``--seconds``) counts as refused: no request is sent after that, and nothing was written.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import shutil
import sqlite3
import sys
import tempfile
import time
from collections import Counter
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from memopt.errors import MemoptError
from memopt.manager import MemoryManager
from memopt.memory import UserMemory
from memopt.models.openai import OpenAIModel
from memopt.strategies.summarize import SummarizeStrategy
from memopt.tokens import TokenCounter
from memopt.verify import verify

REPO = Path(__file__).resolve().parents[1]


def marks(text: str) -> set[str]:
    """Figures and names of a text, by plain patterns."""
    figures = {figure.strip(".,:") for figure in re.findall(r"\d[\d.,:]*", text)}
    names = re.findall(r"(?<=[a-z0-9,;] )[A-Z][\w'’-]+", text) + re.findall(r"[A-Z][\w'’-]+(?= [A-Z])", text)
    return figures | {re.sub(r"['’]s?$", "", name) for name in names if name.lower() not in ("i", "user")}


def missing(before: list[UserMemory], after: list[UserMemory], replaced: set[str | None]) -> set[str]:
    """Marks of memories that were not reported as replaced, and that stand nowhere afterwards."""
    whole = "\n".join(item.memory for item in after)
    wanted = {mark for item in before if item.memory_id not in replaced for mark in marks(item.memory)}
    there = marks(whole) | set(re.findall(r"\w[\w'’-]*", whole.replace("'s", " ").replace("’s", " ")))
    return wanted - there


def make_stores(folder: Path, data: Path | None, users: int) -> tuple[Path, list[str]]:
    """A copy of the fixture with the first LoCoMo speakers added, and the users to work on."""
    path = folder / "store.db"
    for tail in ("", "-wal", "-shm"):
        source = REPO / "fixtures" / "agno" / f"agno_v3.db{tail}"
        if source.exists():
            shutil.copy(source, f"{path}{tail}")
    chosen = ["u1", "u2", "u3"]
    file = data / "bench" / "locomo_memories.jsonl" if data else None
    if file is None or not file.exists():
        return path, chosen
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    speakers = list(dict.fromkeys(row["user_id"] for row in rows))[:users]
    with sqlite3.connect(path) as store:
        store.executemany(
            "insert into agno_memories (memory_id, memory, topics, user_id, created_at, updated_at) values (?, ?, ?, ?, ?, ?)",
            [
                (
                    row["memory_id"],
                    json.dumps(row["memory"]),
                    json.dumps(row.get("topics")),
                    row["user_id"],
                    row["created_at"],
                    row["created_at"],
                )
                for row in rows
                if row["user_id"] in speakers
            ],
        )
    store.close()
    return path, [*chosen, *speakers]


class Deadline:
    """A watch that lets no request go out when the time is up."""

    def __init__(self, seconds: float) -> None:
        self.end = time.monotonic() + seconds
        self.sent = 0
        self.why: Counter[str] = Counter()

    def asking(self, asks: Any, used: Any) -> None:
        """Before a batch."""
        if time.monotonic() > self.end:
            raise TimeUp("the time is up")
        self.sent += len(asks)

    def repeating(self) -> None:
        """Before a repetition."""
        self.asking([None], None)

    def answered(self, ask: Any, reply: Any) -> None:
        """After an answer."""
        if hasattr(reply, "error"):
            self.why[reply.error.details.get("reason") or reply.error.kind] += 1

    def priced(self, usage: Any) -> Any:
        """There is no price."""
        return usage


class TimeUp(MemoptError):
    """The user's time is up."""


def one_user(path: Path, user: str, server: Any, args: argparse.Namespace) -> dict[str, Any]:
    """Summarize one user with ``apply``, and look at what is in the store afterwards."""
    count = TokenCounter().text
    model = OpenAIModel(
        server.model,
        base_url=server.base_url,
        context_tokens=server.context_tokens,
        count_tokens=count,
        timeout=300,
        max_retries=0,
    )
    watch = Deadline(args.seconds)
    manager = MemoryManager(path, model, watch=watch, concurrency=1)
    before = list(manager.get_user_memories(user).memories)
    started = time.monotonic()
    row: dict[str, Any] = {"user": user, "memories": len(before), "ended": "written", "why": ""}
    reports: list[Any] = []
    try:
        strategy = SummarizeStrategy(on_loss=args.on_loss, part_tokens=args.part_tokens)
        plan = asyncio.run(manager.aoptimize_memories(user, strategy, apply=True))
        told = (plan.verification or {"reports": []})["reports"]
        reports = [report for report in told if report["outcome"] == "written"]
        if plan.run is None:
            row["ended"], row["why"] = "nothing changed", "; ".join(plan.notes)
    except MemoptError as error:
        row["ended"], row["why"] = "refused", str(error)
    after = list(manager.get_user_memories(user).memories)
    found = verify(before, after)
    replaced = {item["memory_id"] for report in reports for item in report["superseded"]}
    tokens = [sum(count(f"\n- {item.memory}") for item in memories) for memories in (before, after)]
    return row | {
        "requests": watch.sent,
        "unusable": dict(watch.why),
        "seconds": round(time.monotonic() - started, 1),
        "tokens_before": tokens[0],
        "tokens_after": tokens[1],
        "invented": sum(len(report["invented"]) for report in reports),
        "beside": len({item.memory_id for item in before} & {item.memory_id for item in after}),
        "replaced": len(replaced),
        "lost": len(found.lost),
        "invented_left": len(found.invented),
        "missing": sorted(missing(before, after, replaced)),
    }


def main() -> int:
    """Run and print the table; exit 1 where something was lost."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=os.environ.get("MEMOPT_DATA"))
    parser.add_argument("--users", type=int, default=5, help="how many LoCoMo speakers")
    parser.add_argument("--seconds", type=float, default=600, help="for each user")
    parser.add_argument("--on-loss", default="keep", choices=("keep", "repair"))
    parser.add_argument("--part-tokens", type=int, default=6000, help="most tokens of memories in one request")
    parser.add_argument("--only", help="users, by comma")
    parser.add_argument("--base-url")
    parser.add_argument("--model")
    parser.add_argument("--context-tokens", type=int, default=4096)
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    service: AbstractContextManager[Any]
    if args.base_url:
        service = nullcontext(SimpleNamespace(base_url=args.base_url, model=args.model, context_tokens=args.context_tokens))
    else:
        sys.path.insert(0, str(REPO / "tests"))
        from support.llama import serve

        service = serve(context_tokens=args.context_tokens, wait_seconds=240)
    rows: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as folder, service as server:
        path, users = make_stores(Path(folder), Path(args.data) if args.data else None, args.users)
        if not args.json:
            print(
                f"{'user':<22} {'memories':>8} {'ended':<15} {'requests':>8} {'seconds':>7} {'tokens':>13} {'invented':>8} {'beside':>6} "
                f"{'replaced':>8} {'lost':>4} {'missing':>7}"
            )
        for user in args.only.split(",") if args.only else users:
            row = one_user(path, user, server, args)
            rows.append(row)
            if not args.json:
                tokens = f"{row['tokens_before']}->{row['tokens_after']}"
                print(
                    f"{user:<22} {row['memories']:>8} {row['ended']:<15} {row['requests']:>8} {row['seconds']:>7} {tokens:>13} "
                    f"{row['invented']:>8} {row['beside']:>6} {row['replaced']:>8} {row['lost']:>4} {len(row['missing']):>7}"
                )
                if row["why"] or row["unusable"]:
                    told = ", ".join(f"{n} {why}" for why, n in row["unusable"].items())
                    print(f"    {row['why'][:160]}{'; unusable answers: ' if told else ''}{told}", flush=True)
    if args.json:
        print(json.dumps(rows, indent=1, ensure_ascii=False))
    return int(any(row["lost"] or row["missing"] or row["invented_left"] for row in rows))


if __name__ == "__main__":
    sys.exit(main())

"""The built-in consolidator, measured: tokens before and after, and what is kept, beside simple ways to reach the same size.

    python benchmarks/consolidate.py [--data DIR] [--text USER] [--scale] [--json]

Users: u1, u2, u3 of the Agno fixture, the public MCP stores, FactConsolidation, and (where ``--data`` or MEMOPT_DATA names a
directory with ``bench/locomo_redundant_memories.jsonl``) every LoCoMo speaker. Per user and method:

- *tokens*: of the bare texts (o200k_base), and their share of the tokens before; *lines*: as a prompt of ``- text`` lines;
- *kept*: the verifier's retention (replaced facts do not count as lost); *invented*: its findings;
- *check*: share of the memories all of whose figures, capitalised names and Chinese characters stand together in one sentence of
  the result, or that the consolidator reports as replaced. This check shares no code with the verifier.

``recent`` keeps the newest memories that fit into the consolidator's tokens; ``dedupe+recent`` removes duplicates first.
``--scale`` prints CPU time and memory for 1,000 to 100,000 generated memories of one user (each size in its own process).
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import resource
import sqlite3
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path

from memopt.memory import UserMemory
from memopt.models.builtin import Consolidation, consolidate
from memopt.tokens import TokenCounter
from memopt.verify import verify

FIXTURES = Path(__file__).parents[1] / "fixtures"


def agno_users(path: Path, users: Sequence[str]) -> dict[str, list[UserMemory]]:
    """The memories of some users of an Agno SQLite file, in the order of its rows."""
    file = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)
    out: dict[str, list[UserMemory]] = {}
    for user in users:
        rows = file.execute(
            "select memory_id, memory, topics, created_at, updated_at from agno_memories where user_id = ? order by rowid",
            (user,),
        )
        out[user] = [
            UserMemory(json.loads(text), key, topics=json.loads(topics or "null"), created_at=made, updated_at=changed)
            for key, text, topics, made, changed in rows
        ]
    file.close()
    return out


def jsonl_users(path: Path) -> dict[str, list[UserMemory]]:
    """The memories of a JSONL file by user."""
    out: dict[str, list[UserMemory]] = defaultdict(list)
    for line in path.read_text("utf-8").splitlines():
        row = json.loads(line)
        out[row["user_id"]].append(UserMemory(row["memory"], row["memory_id"], created_at=row["created_at"]))
    return out


# ---------------------------------------------------------------------------------------------------- the second check

_COMMON = frozenset("user users the a an i my his her their our your he she it they we you this that".split())


def marks(text: str) -> frozenset[str]:
    """Figures, capitalised names (not the first word of a sentence) and Chinese characters, folded."""
    out = {found.rstrip(".,:") for found in re.findall(r"\d[\d.,:]*", text)}
    for found in re.finditer(r"(?<![.!?:\"“'‘(\n] )(?<!^)(?<![\w'’-])[A-ZÀ-ÞŚŁŻ][^\W_]+", text):
        if found.start() and found.group().casefold() not in _COMMON:
            out.add(found.group().casefold())
    out |= set(re.findall(r"[\u4e00-\u9fff]", text)) - set("的了也很和与及、不没用户")
    return frozenset(out - {""})


def standing(
    sources: Sequence[UserMemory], texts: Iterable[str], replaced: frozenset[str | None]
) -> tuple[float, list[UserMemory]]:
    """Share of sources whose marks stand together in one sentence, and the sources whose marks do not."""
    pieces: list[frozenset[str]] = []
    whole: set[str] = set()
    for text in texts:
        for piece in re.split(r"(?<=[.!?])\s+|\n|(?<=[。！？])", text):
            found = {mark.casefold() for mark in re.findall(r"\d[\d.,:]*|[^\W\d_]+", piece)}
            found |= {mark.casefold() for mark in re.findall(r"[^\W_]+", piece)}
            found |= {mark.rstrip(".,:") for mark in found} | set(re.findall(r"[\u4e00-\u9fff]", piece))
            pieces.append(frozenset(found))
            whole |= found
    by_mark: dict[str, set[int]] = defaultdict(set)
    for at, piece in enumerate(pieces):
        for mark in piece:
            by_mark[mark].add(at)
    missing = []
    for source in sources:
        if source.memory_id in replaced:
            continue
        for sentence in re.split(r"(?<=[.!?])\s+|\n|(?<=[。！？])", source.memory):
            asked = marks(sentence)
            if not asked:
                continue
            places = [by_mark.get(mark, set()) for mark in asked]
            if not set.intersection(*places) and not (len(asked) > 12 and asked <= whole):
                missing.append(source)
                break
    return 1 - len(missing) / max(1, len(sources)), missing


# ------------------------------------------------------------------------------------------------------------ the others


def newest_that_fit(memories: Sequence[UserMemory], tokens: int, counter: TokenCounter) -> list[UserMemory]:
    kept: list[UserMemory] = []
    used = 0
    for memory in sorted(memories, key=lambda item: item.last_changed or 0, reverse=True):
        used += counter.texts([memory.memory])
        if used > tokens:
            break
        kept.append(memory)
    return kept


def deduped(memories: Sequence[UserMemory]) -> list[UserMemory]:
    from memopt.strategies.dedupe import DedupeStrategy

    return DedupeStrategy().optimize(list(memories))


def row(
    name: str,
    sources: Sequence[UserMemory],
    result: Sequence[UserMemory],
    counter: TokenCounter,
    replaced: frozenset[str | None] = frozenset(),
):
    before = counter.texts(item.memory for item in sources)
    after = counter.texts(item.memory for item in result)
    report = verify(sources, result)
    check, missing = standing(sources, [item.memory for item in result], replaced)
    return {
        "method": name,
        "memories": len(result),
        "tokens": after,
        "share": after / before if before else 1.0,
        "lines": counter.texts(f"- {item.memory}" for item in result)
        / max(1, counter.texts(f"- {item.memory}" for item in sources)),
        "kept": report.retention,
        "lost": len(report.lost),
        "invented": len(report.invented),
        "check": check,
        "missing": [item.memory_id for item in missing][:5],
    }


def measure(sources: Sequence[UserMemory], counter: TokenCounter) -> tuple[list[dict[str, object]], Consolidation]:
    result = consolidate(sources)
    text = result.text
    replaced = frozenset(item.old_id for item in result.superseded)
    rows = [row("consolidate", sources, [UserMemory(text)], counter, replaced)]
    size = int(rows[0]["tokens"])
    rows.append(row("recent", sources, newest_that_fit(sources, size, counter), counter))
    try:
        unique = deduped(sources)
    except ImportError:
        return rows, result
    rows.append(row("dedupe", sources, unique, counter))
    rows.append(row("dedupe+recent", sources, newest_that_fit(unique, size, counter), counter))
    return rows, result


# ----------------------------------------------------------------------------------------------------------------- scale


def generated(count: int, seed: int = 1) -> list[UserMemory]:
    """Memories from ten templates in English and Chinese with invented words; a fifth of them repeat."""
    rand = random.Random(seed)
    parts = "ka lo mi ren tu sha bel dor vin pra zo que nam sil".split()

    def word(size: int = 3) -> str:
        return "".join(rand.choice(parts) for _ in range(size))

    def name() -> str:
        return word(2).capitalize()

    templates = (
        lambda: f"User likes {word()} and {word()}.",
        lambda: f"User is working on the {word()} project with {name()}.",
        lambda: f"User met {name()} in {name()} and talked about {word(4)}.",
        lambda: f"User slept {rand.randint(4, 9)} hours and felt {rand.choice(['OK', 'tired', 'great'])}.",
        lambda: f"User lives in {name()}.",
        lambda: f"User has a deadline for the {word()} on 2025-{rand.randint(1, 12):02d}-{rand.randint(1, 28):02d}.",
        lambda: f"用户喜欢{rand.choice('苹果 香蕉 火锅 足球 音乐 电影'.split())}。",
        lambda: f"User's colleague {name()} is the owner of the {word()} service.",
        lambda: f"User thinks that {word()} {word()} will {word()} the {word()} before {name()} does.",
        lambda: f"{name()} visited {name()} in {rand.randint(1990, 2025)}.",
    )
    texts: list[str] = []
    for _ in range(count):
        texts.append(rand.choice(texts) if texts and rand.random() < 0.2 else rand.choice(templates)())
    return [UserMemory(text, f"m{at}", created_at=1_600_000_000 + at * 3600) for at, text in enumerate(texts)]


def scale_one(count: int) -> None:
    memories = generated(count)
    began = time.process_time()
    result = consolidate(memories)
    spent = time.process_time() - began
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    before = sum(len(item.memory) for item in memories)
    print(
        f"{count:>8,} memories  {spent:8.1f} s CPU  {1e3 * spent / count:6.2f} ms each  {peak:6,} MiB  "
        f"{len(result.text) / before:6.1%} of the characters"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path(os.environ["MEMOPT_DATA"]) if os.environ.get("MEMOPT_DATA") else None)
    parser.add_argument("--text", metavar="USER", help="print the text of one user")
    parser.add_argument("--scale", action="store_true")
    parser.add_argument("--sizes", default="1000,10000,100000")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--scale-one", type=int, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.scale_one:
        scale_one(args.scale_one)
        return
    if args.scale:
        for size in args.sizes.split(","):
            subprocess.run([sys.executable, __file__, "--scale-one", size], check=True)
        return
    users = agno_users(FIXTURES / "agno" / "agno_v3.db", ("u1", "u2", "u3"))
    users |= jsonl_users(FIXTURES / "bench" / "real_mcp_memories.jsonl")
    users |= jsonl_users(FIXTURES / "bench" / "factconsolidation_memories.jsonl")
    if args.data and (args.data / "bench" / "locomo_redundant_memories.jsonl").exists():
        users |= jsonl_users(args.data / "bench" / "locomo_redundant_memories.jsonl")
    if args.text:
        result = consolidate(users[args.text])
        print(result.text, *result.notes, sep="\n")
        return
    counter = TokenCounter()
    documents = []
    if not args.json:
        print(
            f"{'user':<18}{'method':<15}{'memories':>9}{'tokens':>8}{'share':>8}{'lines':>8}{'kept':>8}{'lost':>6}{'inv.':>6}{'check':>8}"
        )
    for user, memories in users.items():
        rows, _ = measure(memories, counter)
        documents.append(
            {"user": user, "memories": len(memories), "tokens": counter.texts(item.memory for item in memories), "rows": rows}
        )
        for at, item in enumerate(rows if not args.json else ()):
            print(
                f"{user if not at else '':<18}{item['method']:<15}{item['memories']:>9}{item['tokens']:>8}"
                f"{item['share']:>8.1%}{item['lines']:>8.1%}"
                f"{item['kept']:>8.1%}{item['lost']:>6}{item['invented']:>6}{item['check']:>8.1%}"
                + (f"  {item['missing']}" if item["missing"] and not at else "")
            )
    if args.json:
        print(json.dumps(documents, ensure_ascii=False, indent=1))


if __name__ == "__main__":
    main()

"""From what similarity on is a look-alike a duplicate? What ``dedupe`` merges per threshold, with its guard and without.

    python benchmarks/dedupe_calibration.py --data DIR      # or MEMOPT_DATA=DIR

DIR holds ``bench/`` and ``agno/``: STS-B (dev) and SICK (trial) as ``bench/pairs``, FactConsolidation, LoCoMo with the same
facts told two and three times, two public stores of coding assistants, and a store that Agno wrote. Prints Markdown tables.

1. Pairs. Duplicates are STS-B pairs scored 4.5 and more. Non-duplicates are STS-B pairs scored below 4, SICK's neutral and
   contradicting pairs, and FactConsolidation's stale facts beside the current ones. SICK's entailments are shown apart: the one
   sentence follows from the other, which need not say as much. ``precision`` is duplicates by all pairs merged that are either.
2. Finding. Of the pairs that the guard lets through, how many the word index brings up at all.
3. Stores. Memories merged and tokens saved. ``naive`` compares all pairs by characters alone, newest first; its merges are
   counted as false where the two texts differ in more than case, marks and the words ``the user``, which is judged here by
   a rule of its own and not by the guard.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import re
import sqlite3
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from memopt.facts import conflict, loses
from memopt.memory import UserMemory
from memopt.similarity.near import key, keys, similarity, words
from memopt.similarity.normalise import fold
from memopt.strategies.base import run
from memopt.strategies.dedupe import THRESHOLD, DedupeStrategy
from memopt.tokens import TokenCounter

THRESHOLDS = (0.5, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95)
Pair = tuple[str, str]


def main() -> None:
    """Read the arguments, print the tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument(
        "--data", default=os.environ.get("MEMOPT_DATA"), help="folder with bench/ and agno/ (default: MEMOPT_DATA)"
    )
    data = parser.parse_args().data
    if not data:
        parser.error("say where the data is: --data DIR, or MEMOPT_DATA=DIR")
    pair_tables(Path(data) / "bench")
    store_tables(Path(data))


# ------------------------------------------------------------------------------------------------------------------ pairs


def lines(path: Path) -> list[dict[str, object]]:
    """The objects of a JSONL file."""
    return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]


def read_pairs(bench: Path) -> dict[str, list[Pair]]:
    """Sentence pairs by what they are."""
    with (bench / "pairs" / "stsb-en-dev.csv").open(encoding="utf-8", newline="") as file:
        scored = [(row[0], row[1], float(row[2])) for row in csv.reader(file)]
    with (bench / "pairs" / "sick_trial.tsv").open(encoding="utf-8", newline="") as file:
        judged = [
            (row["sentence_A"], row["sentence_B"], row["entailment_judgment"])
            for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        ]
    facts = lines(bench / "factconsolidation_memories.jsonl")
    text = {row["memory_id"]: str(row["memory"]) for row in facts}
    return {
        "STS-B 4.5+": [(a, b) for a, b, score in scored if score >= 4.5],
        "STS-B below 4": [(a, b) for a, b, score in scored if score < 4],
        "SICK neutral": [(a, b) for a, b, verdict in judged if verdict == "NEUTRAL"],
        "SICK contradiction": [(a, b) for a, b, verdict in judged if verdict == "CONTRADICTION"],
        "stale/current": [(text[row["memory_id"]], text[row["current_id"]]) for row in facts if row["status"] == "stale"],
        "SICK entailment": [(a, b) for a, b, verdict in judged if verdict == "ENTAILMENT"],
    }


def longer_first(pair: Pair) -> Pair:
    """The pair with the longer text in front: the one that could stay where one says more."""
    return pair if len(pair[0]) >= len(pair[1]) else (pair[1], pair[0])


GUARDS: dict[str, Callable[[Pair], bool]] = {
    "no guard": lambda pair: True,
    "guard (the default)": lambda pair: conflict(*pair) is None,
    "guard that lets the newer say more (`contained`)": lambda pair: loses(*longer_first(pair)) is None,
}


def pair_tables(bench: Path) -> None:
    """Tables 1 and 2."""
    kinds = read_pairs(bench)
    scores = {kind: [similarity(fold(a), fold(b)) for a, b in pairs] for kind, pairs in kinds.items()}
    print("## Pairs: share merged per threshold\n")
    for guard, lets in GUARDS.items():
        passed = {kind: [lets(pair) for pair in pairs] for kind, pairs in kinds.items()}
        print(f"### {guard}\n")
        print("| threshold | " + " | ".join(f"{kind} ({len(pairs)})" for kind, pairs in kinds.items()) + " | precision |")
        print("| ---: |" + " ---: |" * (len(kinds) + 1))
        for threshold in THRESHOLDS:
            merged = {
                kind: sum(score >= threshold and good for score, good in zip(scores[kind], passed[kind], strict=True))
                for kind in kinds
            }
            right = merged["STS-B 4.5+"]
            wrong = sum(merged[kind] for kind in ("STS-B below 4", "SICK neutral", "SICK contradiction", "stale/current"))
            precision = f"{100 * right / (right + wrong):.1f} %" if right + wrong else ""
            row = " | ".join(f"{100 * merged[kind] / len(kinds[kind]):.1f} %" for kind in kinds)
            print(f"| {threshold:.2f} | {row} | {precision} |")
        print()
    print("## Finding: of the pairs the guard lets through, how many the word index brings up\n")
    print("| guard | let through | brought up |\n| --- | ---: | ---: |")
    everything = [longer_first(pair) for pairs in kinds.values() for pair in pairs]
    for contained in (False, True):
        through = [pair for pair in everything if (loses(*pair) if contained else conflict(*pair)) is None]
        found = sum(is_candidate(*pair, contained) for pair in through)
        print(f"| {'contained' if contained else 'default'} | {len(through)} | {found} |")
    print()


def is_candidate(newer: str, older: str, contained: bool) -> bool:
    """Whether the strategy would look at the pair at all."""
    one, two = words(fold(newer)), words(fold(older))
    if fold(newer) == fold(older):
        return True
    return key(two) in (keys(one) if contained else [key(one)])


# ----------------------------------------------------------------------------------------------------------------- stores


def read_stores(data: Path) -> dict[str, list[list[UserMemory]]]:
    """The memories of each store, by user."""
    stores: dict[str, list[list[UserMemory]]] = {}
    for user in ("u2", "u3"):
        with sqlite3.connect(f"{(data / 'agno' / 'agno_v3.db').resolve().as_uri()}?mode=ro&immutable=1", uri=True) as db:
            rows = db.execute(
                "select memory_id, memory, created_at, updated_at from agno_memories where user_id = ?", (user,)
            ).fetchall()
        db.close()
        stores[f"Agno {user}"] = [
            [
                UserMemory(json.loads(text), memory_id, created_at=created, updated_at=updated)
                for memory_id, text, created, updated in rows
            ]
        ]
    names = {
        "FactConsolidation 6k": "factconsolidation_memories",
        "LoCoMo": "locomo_memories",
        "LoCoMo redundant": "locomo_redundant_memories",
        "coding assistants": "real_mcp_memories",
    }
    for name, file in names.items():
        users: dict[str, list[UserMemory]] = {}
        for row in lines(data / "bench" / f"{file}.jsonl"):
            item = UserMemory(str(row["memory"]), str(row["memory_id"]), created_at=row["created_at"])  # type: ignore[arg-type]
            users.setdefault(str(row["user_id"]), []).append(item)
        stores[name] = list(users.values())
    return stores


def plain(text: str) -> str:
    """What is left of a text for the rule that judges naive merges."""
    return " ".join(word for word in re.findall(r"[^\W_]+", text.casefold()) if word not in ("the", "user"))


def naive(memories: Sequence[UserMemory], threshold: float) -> tuple[set[str], list[Pair]]:
    """Drop, newest first, whatever is similar enough to something kept. Returns the ids dropped and the false merges."""
    gone: set[str] = set()
    false: list[Pair] = []
    kept: list[tuple[str, UserMemory]] = []
    for item in sorted(memories, key=lambda item: -(item.last_changed or 0)):
        folded = fold(item.memory)
        into = next((other for text, other in kept if similarity(folded, text, threshold) >= threshold), None)
        if into is None:
            kept.append((folded, item))
            continue
        gone.add(str(item.memory_id))
        if plain(item.memory) != plain(into.memory):
            false.append((into.memory, item.memory))
    return gone, false


def store_tables(data: Path) -> None:
    """Table 3."""
    count = TokenCounter().text
    stores = read_stores(data)
    print("## Stores: memories merged, tokens saved, false merges\n")
    print("| store | memories | tokens | what | merged | of them near | tokens saved | differ in words | seconds |")
    print("| --- | ---: | ---: | --- | ---: | ---: | ---: | ---: | ---: |")
    for name, users in stores.items():
        total = sum(count(item.memory) for user in users for item in user)
        head = f"| {name} | {sum(map(len, users))} | {total} "
        for label, options in (
            ("equal texts only", {"near": False}),
            *((f"dedupe {threshold:.2f}", {"threshold": threshold}) for threshold in (0.6, THRESHOLD, 0.8, 0.9)),
            (f"contained {THRESHOLD:.2f}", {"contained": True}),
        ):
            start = time.perf_counter()
            gone: set[str] = set()
            near: list[Pair] = []
            for user in users:
                by_id = {item.memory_id: item for item in user}
                for memory_id, decision in run(DedupeStrategy(**options), user, None)[0].decisions.items():
                    if decision.into is not None:
                        gone.add(memory_id)
                        if decision.reason.startswith("near"):
                            near.append((by_id[decision.into].memory, by_id[memory_id].memory))
            seconds = time.perf_counter() - start
            print_row(
                head,
                label,
                gone,
                users,
                count,
                total,
                len(near),
                [pair for pair in near if plain(pair[0]) != plain(pair[1])],
                seconds,
            )
        if sum(map(len, users)) < 2500:
            for threshold in (THRESHOLD, 0.8, 0.9):
                start = time.perf_counter()
                gone, false = set(), []
                for user in users:
                    dropped, wrong = naive(user, threshold)
                    gone |= dropped
                    false += wrong
                print_row(head, f"naive {threshold:.2f}", gone, users, count, total, None, false, time.perf_counter() - start)


def print_row(
    head: str,
    label: str,
    gone: set[str],
    users: Iterable[list[UserMemory]],
    count: Callable[[str], int],
    total: int,
    near: int | None,
    differ: list[Pair],
    seconds: float,
) -> None:
    """One line of table 3."""
    saved = sum(count(item.memory) for user in users for item in user if item.memory_id in gone)
    share, shown = f"{100 * saved / total:.1f} %", "" if near is None else near
    print(f"{head}| {label} | {len(gone)} | {shown} | {share} | {len(differ)} | {seconds:.2f} |")


if __name__ == "__main__":
    main()

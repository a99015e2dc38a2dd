"""What the `budget` strategy keeps, beside the newest memories, random ones and a greedy coverage of rare words.

    python benchmarks/budget.py --data DIR [--scale 1000,10000,100000]

DIR holds LoCoMo (`locomo_memories.jsonl`, `locomo_questions.jsonl`; snap-research, CC BY-NC 4.0), the same with event and summary
sentences of the same sessions (`locomo_redundant_memories.jsonl`), and FactConsolidation 6k.

No method sees a question. Each user's memories are cut to a share of their own prompt tokens.

- evidence: share of the memories that some answerable question needs which are still there; per question: mean over the
  questions of the share of theirs. The budget's weights were set by hand on the five conversations here.
- recall@10: mean over the questions of the share of their evidence among the ten best by BM25 over what is left of both speakers.
- facts: share of the facts that memopt's verifier finds again in what is left.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import random
import re
import resource
import subprocess
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memopt.facts import telling
from memopt.memory import UserMemory
from memopt.strategies.base import run
from memopt.strategies.budget import BudgetStrategy
from memopt.tokens import TokenCounter
from memopt.verify import verify

SHARES = (75, 50, 25)
SEEDS = 5
COUNTER = TokenCounter()

Users = dict[str, list[UserMemory]]
Method = Callable[[Sequence[UserMemory], int], list[UserMemory]]


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def users(path: Path) -> Users:
    out: Users = defaultdict(list)
    for row in rows(path):
        out[row["user_id"]].append(
            UserMemory(
                row["memory"], row["memory_id"], topics=row["topics"], user_id=row["user_id"], created_at=row["created_at"]
            )
        )
    return out


@dataclass
class Question:
    conversation: str
    text: str
    evidence: frozenset[str]


def questions(path: Path) -> list[Question]:
    return [
        Question(row["conversation"], row["question"], frozenset(row["evidence_memory_ids"]))
        for row in rows(path)
        if row["answerable"] and row["evidence_memory_ids"]
    ]


def words(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


def cost(item: UserMemory) -> int:
    return COUNTER.text(f"- {item.memory}\n")


def fill(ordered: Iterable[UserMemory], share: int) -> list[UserMemory]:
    """Take memories in this order while they fit."""
    listed = list(ordered)
    room = COUNTER.figures(listed).prompt * share // 100 - 1
    kept = []
    for item in listed:
        if cost(item) <= room:
            kept.append(item)
            room -= cost(item)
    return kept


def newest(memories: Sequence[UserMemory], share: int) -> list[UserMemory]:
    return fill(sorted(memories, key=lambda item: (-(item.last_changed or 0), item.memory_id or "")), share)


def shuffled(seed: int) -> Method:
    def method(memories: Sequence[UserMemory], share: int) -> list[UserMemory]:
        order = sorted(memories, key=lambda item: item.memory_id or "")
        random.Random(seed).shuffle(order)
        return fill(order, share)

    return method


def rare_words(memories: Sequence[UserMemory], share: int) -> list[UserMemory]:
    """Each word counts once, by its rarity; the most for its tokens first."""
    texts = {item.memory_id: frozenset(words(item.memory)) for item in memories}
    held = Counter(word for text in texts.values() for word in text)
    left = list(memories)
    room = COUNTER.figures(memories).prompt * share // 100 - 1
    covered: set[str] = set()
    kept = []

    def gain(item: UserMemory) -> float:
        return sum(math.log(len(memories) / held[word]) for word in texts[item.memory_id] - covered) / cost(item)

    while left := [item for item in left if cost(item) <= room]:
        best = max(left, key=lambda item: (gain(item), item.memory_id or ""))
        left.remove(best)
        kept.append(best)
        room -= cost(best)
        covered |= texts[best.memory_id]
    return kept


def budget(**options: Any) -> Method:
    def method(memories: Sequence[UserMemory], share: int) -> list[UserMemory]:
        return list(run(BudgetStrategy(share=f"{share}%", **options), memories, None)[0].memories)

    return method


class Bm25:
    """BM25 with k1 = 1.2 and b = 0.75 (Robertson and Zaragoza, 2009)."""

    def __init__(self, memories: Sequence[UserMemory]) -> None:
        self.ids = [item.memory_id for item in memories]
        self.texts = [Counter(words(item.memory)) for item in memories]
        self.lengths = [sum(text.values()) for text in self.texts]
        self.average = sum(self.lengths) / max(1, len(self.lengths))
        self.held = Counter(word for text in self.texts for word in text)

    def best(self, query: str, number: int = 10) -> list[str | None]:
        asked = set(words(query))
        total = len(self.ids)
        scores = []
        for place, text in enumerate(self.texts):
            score = 0.0
            for word in asked & text.keys():
                rarity = math.log(1 + (total - self.held[word] + 0.5) / (self.held[word] + 0.5))
                often = text[word]
                score += rarity * often * 2.2 / (often + 1.2 * (0.25 + 0.75 * self.lengths[place] / self.average))
            scores.append((-score, place))
        return [self.ids[place] for _, place in sorted(scores)[:number]]


@dataclass
class Figures:
    tokens: float
    evidence: float
    per_question: float
    recall: float
    facts: float


def measure(all_of: Users, asked: Sequence[Question], method: Method, share: int, *, everything: bool = True) -> Figures:
    kept: dict[str, list[UserMemory]] = {user: method(memories, share) for user, memories in all_of.items()}
    ids = {item.memory_id for memories in kept.values() for item in memories}
    needed = frozenset().union(*(question.evidence for question in asked))
    before = sum(COUNTER.figures(memories).prompt for memories in all_of.values())
    after = sum(COUNTER.figures(memories).prompt for memories in kept.values())
    recall = facts = math.nan
    if everything:
        both = defaultdict(list)
        for user, memories in kept.items():
            both[user.partition("_")[0]] += memories
        index = {name: Bm25(memories) for name, memories in both.items()}
        recall = mean(
            len(question.evidence & set(index[question.conversation].best(question.text))) / len(question.evidence)
            for question in asked
        )
        total = still = 0.0
        for user, memories in all_of.items():
            report = verify(memories, kept[user])
            total += report.facts
            still += report.facts * report.retention
        facts = still / total
    return Figures(
        after / before,
        len(needed & ids) / len(needed),
        mean(len(question.evidence & ids) / len(question.evidence) for question in asked),
        recall,
        facts,
    )


def mean(values: Iterable[float]) -> float:
    listed = list(values)
    return sum(listed) / len(listed)


def averaged(all_of: Users, asked: Sequence[Question], methods: Sequence[Method], share: int) -> Figures:
    found = [measure(all_of, asked, method, share) for method in methods]
    return Figures(
        *(mean(getattr(each, name) for each in found) for name in ("tokens", "evidence", "per_question", "recall", "facts"))
    )


def print_locomo(all_of: Users, asked: Sequence[Question]) -> None:
    print(f"\n## LoCoMo: {sum(map(len, all_of.values()))} observations, {len(asked)} questions\n")
    print("| share of tokens | method | tokens | evidence | per question | recall@10 | facts |")
    print("| ---: | --- | ---: | ---: | ---: | ---: | ---: |")
    methods: dict[str, list[Method]] = {
        "newest": [newest],
        f"random (mean of {SEEDS})": [shuffled(seed) for seed in range(SEEDS)],
        "rare words": [rare_words],
        "budget": [budget()],
    }
    for share in (100, *SHARES):
        for name, several in methods.items() if share < 100 else [("all", [lambda memories, _: list(memories)])]:
            found = averaged(all_of, asked, several, share)
            print(
                f"| {share} % | {name} | {found.tokens:.1%} | {found.evidence:.3f} | {found.per_question:.3f} | "
                f"{found.recall:.3f} | {found.facts:.3f} |",
                flush=True,
            )


def print_conversations(all_of: Users, asked: Sequence[Question]) -> None:
    print("\n## Evidence kept at 50 %, conversation by conversation\n")
    print("| conversation | newest | rare words | budget |\n| --- | ---: | ---: | ---: |")
    for name in sorted({question.conversation for question in asked}):
        some = {user: memories for user, memories in all_of.items() if user.startswith(f"{name}_")}
        own = [question for question in asked if question.conversation == name]
        found = [measure(some, own, method, 50, everything=False).evidence for method in (newest, rare_words, budget())]
        print(f"| {name} | {' | '.join(f'{value:.3f}' for value in found)} |", flush=True)


def print_without(all_of: Users, asked: Sequence[Question]) -> None:
    print("\n## Evidence kept at 50 % without one sign, and with other weights\n")
    print("| changed | evidence | per question |\n| --- | ---: | ---: |")

    def line(name: str, method: Method) -> None:
        found = measure(all_of, asked, method, 50, everything=False)
        print(f"| {name} | {found.evidence:.3f} | {found.per_question:.3f} |", flush=True)

    line("nothing", budget())
    for sign, weight in list(telling.WEIGHTS.items()):
        telling.WEIGHTS[sign] = 0.0
        line(f"without {sign}", budget())
        telling.WEIGHTS[sign] = weight
    for name in ("specificity", "redundancy", "recency"):
        for value in (0, 0.5, 2):
            line(f"{name}={value}", budget(**{name: value}))


def print_redundant(all_of: Users, asked: Sequence[Question]) -> None:
    print(f"\n## LoCoMo, each fact told two or three times: {sum(map(len, all_of.values()))} sentences\n")
    print("| share of tokens | method | evidence among the observations | facts |\n| ---: | --- | ---: | ---: |")
    for share in SHARES:
        for name, method in (("newest", newest), ("random", shuffled(0)), ("budget", budget())):
            found = measure(all_of, asked, method, share)
            print(f"| {share} % | {name} | {found.evidence:.3f} | {found.facts:.3f} |", flush=True)


def print_updates(folder: Path) -> None:
    all_of = users(folder / "factconsolidation_memories.jsonl")
    asked = rows(folder / "factconsolidation_questions.jsonl")
    current = {each for row in asked for each in row["evidence_memory_ids"]}
    stale = {each for row in asked for each in row.get("stale_memory_ids") or ()} - current
    print("\n## FactConsolidation 6k: current and stale facts kept\n")
    print("| share of tokens | method | current kept | stale kept |\n| ---: | --- | ---: | ---: |")
    for share in (75, 65, 50):
        for name, method in (("newest", newest), ("random", shuffled(0)), ("budget", budget())):
            ids = {item.memory_id for memories in all_of.values() for item in method(memories, share)}
            print(f"| {share} % | {name} | {len(current & ids) / len(current):.3f} | {len(stale & ids) / len(stale):.3f} |")


def grow(size: int) -> None:
    """One store of so many memories: prints seconds of CPU, memories left and peak memory in MiB."""
    chance = random.Random(2)
    letters = "abcdefghijklmnopqrstuvwxyz"
    vocabulary = ["".join(chance.choices(letters, k=chance.randint(3, 9))) for _ in range(20_000)]

    def text(number: int) -> str:
        kind = chance.random()
        if kind < 0.5:
            return f"User {' '.join(chance.choices(vocabulary, k=chance.randint(4, 14)))} {number}."
        if kind < 0.8:  # one sentence with another word in it each time
            return f"User wants to learn {chance.choice(vocabulary)} this quarter."
        return f"User lives in {vocabulary[chance.randrange(50)].title()}."

    memories = [UserMemory(text(number), f"m{number}", created_at=chance.randrange(10**9)) for number in range(size)]
    start = time.process_time()
    kept = run(BudgetStrategy(share="50%"), memories, None)[0].memories
    print(time.process_time() - start, len(kept), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)


def print_growth(sizes: Sequence[int]) -> None:
    print("\n## One user's memories and time\n")
    print("| memories | left at 50 % | CPU s | growth | peak MiB |\n| ---: | ---: | ---: | ---: | ---: |")
    before: tuple[int, float] | None = None
    for size in sizes:
        command = [sys.executable, __file__, "--one", str(size)]
        seconds, left, peak = map(float, subprocess.run(command, check=True, capture_output=True, text=True).stdout.split())
        growth = f"{math.log(seconds / before[1]) / math.log(size / before[0]):.2f}" if before else ""
        print(f"| {size} | {left:.0f} | {seconds:.2f} | {growth} | {peak:.0f} |", flush=True)
        before = size, seconds


def main() -> None:
    """Read the arguments, measure, print Markdown tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--data", type=Path, default=os.environ.get("MEMOPT_DATA"), help="folder with the data files")
    parser.add_argument("--scale", default="", help="also measure time at these sizes: 1000,10000,100000")
    parser.add_argument("--one", type=int, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one:
        grow(given.one)
        return
    if given.data is None and not given.scale:
        parser.error("say --data DIR or set MEMOPT_DATA")
    if given.data is not None:
        folder = Path(given.data)
        folder = folder / "bench" if (folder / "bench").is_dir() else folder
        observations = users(folder / "locomo_memories.jsonl")
        asked = questions(folder / "locomo_questions.jsonl")
        print_locomo(observations, asked)
        print_conversations(observations, asked)
        print_without(observations, asked)
        print_redundant(users(folder / "locomo_redundant_memories.jsonl"), asked)
        print_updates(folder)
    if given.scale:
        print_growth([int(size) for size in given.scale.split(",")])


if __name__ == "__main__":
    main()

"""Every offline strategy on one user of 1,000, 10,000 and 100,000 memories: CPU seconds, growth, peak memory.

Each run is a process of its own on the same generated memories (a seed): facts about one person with numbers, names, dates and
moves, three in ten of them told again. ``growth`` is the exponent between two sizes: 1.0 is linear.

    python benchmarks/strategies.py [--sizes 1000 10000 100000] [--only dedupe recent]
"""

from __future__ import annotations

import argparse
import json
import math
import random
import resource
import subprocess
import sys
import time

OPTIONS = {
    "recent": {"keep": "50%"},
    "dedupe": {},
    "retain": {"keep-last": 100, "keep-monthly": 12},
    "tidy": {},
    "supersede": {},
    "budget": {"share": "50%"},
    "forget": {"about": "phone number"},
    "summarize": {},
}


def memories(count: int, seed: int = 7):
    from memopt.memory import UserMemory

    draw = random.Random(seed)
    cities = [f"{a}{b}" for a in ("North", "South", "East", "West", "New", "Old") for b in ("ham", "ford", "ton", "burg", "stad")]
    people = [f"{a} {b}" for a in ("Ana", "Ben", "Chloe", "Dmitri", "Eva", "Finn") for b in ("Silva", "Novak", "Okoye", "Larsen")]
    things = [
        f"{a} {b}" for a in ("green", "black", "salted", "iced", "smoked") for b in ("tea", "coffee", "fish", "bread", "rice")
    ]
    shapes = (
        lambda n: f"User lives in {draw.choice(cities)}.",
        lambda n: f"User met {draw.choice(people)} in {draw.choice(cities)} on 2025-{n % 12 + 1:02d}-{n % 28 + 1:02d}.",
        lambda n: f"User likes {draw.choice(things)}.",
        lambda n: f"User's invoice {10_000 + n} was {draw.randint(100, 9_000)} EUR.",
        lambda n: f"User's colleague {draw.choice(people)} is the owner of project {n % 400}.",
        lambda n: f"User ran {draw.randint(3, 42)} km and slept {draw.randint(4, 9)} hours on day {n}.",
    )
    out: list[UserMemory] = []
    for number in range(count):
        told = out and draw.random() < 0.3
        text = draw.choice(out).memory if told else draw.choice(shapes)(number)
        out.append(UserMemory(text, f"m{number}", None, "u", created_at=1_600_000_000 + number * 600))
    return out


def one(name: str, count: int) -> None:
    from memopt.models.builtin import BuiltinModel
    from memopt.strategies.base import run
    from memopt.strategies.registry import strategy_class

    given = memories(count)
    options = {key: count // 2 if value == "50%" and key == "keep" else value for key, value in OPTIONS[name].items()}
    strategy = strategy_class(name)(**options)
    if getattr(strategy, "now", 0) is None:
        strategy.now = 1_700_000_000
    start = time.process_time()
    proposal, _ = run(strategy, given, BuiltinModel())
    spent = time.process_time() - start
    print(json.dumps([spent, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, len(list(proposal.memories))]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="+", default=[1_000, 10_000, 100_000])
    parser.add_argument("--only", nargs="+", default=None)
    parser.add_argument("--one", nargs=2, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.one:
        one(args.one[0], int(args.one[1]))
        return
    from memopt.strategies.registry import names

    chosen = [name for name in OPTIONS if name in names() and (args.only is None or name in args.only)]
    print(f"{'strategy':<12}{'memories':>10}{'CPU s':>10}{'growth':>8}{'peak MiB':>10}{'left':>9}")
    for name in chosen:
        before = None
        for count in args.sizes:
            done = subprocess.run(
                [sys.executable, __file__, "--one", name, str(count)], capture_output=True, text=True, timeout=3_600
            )
            if done.returncode:
                print(f"{name:<12}{count:>10,}  failed: {done.stderr.strip().splitlines()[-1]}")
                break
            spent, peak, left = json.loads(done.stdout)
            growth = "" if before is None else f"{math.log(spent / before[0]) / math.log(count / before[1]):.2f}"
            print(f"{name:<12}{count:>10,}{spent:>10.2f}{growth:>8}{peak:>10.0f}{left:>9,}", flush=True)
            before = (max(spent, 1e-3), count)


if __name__ == "__main__":
    main()

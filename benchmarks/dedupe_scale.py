"""How dedupe grows with the number of one user's memories.

    python benchmarks/dedupe_scale.py [--sizes 1000,10000,100000]

Five kinds of store, each made with a seed and run in a process of its own:

- mixed: three in ten memories repeat another one, half of these written differently;
- template: one sentence with a different word in it each time, so that all look alike and none is a duplicate;
- order: one list turned around again and again: all have the same words;
- filler: one sentence with other small words in it each time: the same words again, and too unlike to merge;
- random: nothing in common.

``growth`` is the exponent between two sizes: 1.0 is linear. Time is CPU time of the strategy alone, memory the peak of the
process.
"""

from __future__ import annotations

import argparse
import math
import random
import resource
import subprocess
import sys
import time
from collections.abc import Callable

from memopt.memory import UserMemory
from memopt.strategies.base import run
from memopt.strategies.dedupe import DedupeStrategy


def makers(size: int) -> dict[str, Callable[[random.Random, int], str]]:
    """The text of memory number N, by kind."""
    names = random.Random(1)
    vocabulary = ["".join(names.choices("abcdefghijklmnopqrstuvwxyz", k=names.randint(3, 9))) for _ in range(20_000)]

    def some(chance: random.Random, low: int, high: int) -> str:
        return " ".join(chance.choices(vocabulary, k=chance.randint(low, high)))

    def mixed(chance: random.Random, number: int) -> str:
        if chance.random() < 0.7:
            return f"User {some(chance, 4, 14)} {number}."
        other = random.Random(chance.randrange(1 + size // 10))
        text = f"User {some(other, 4, 14)} again."
        return chance.choice([text, text, text.lower(), f"The {text}"])

    def order(chance: random.Random, number: int) -> str:
        return "User likes " + ", ".join(chance.sample(vocabulary[:9], 9)) + " and tea"

    return {
        "mixed": mixed,
        "template": lambda chance, number: f"User wants to learn {chance.choice(vocabulary)}{number} this quarter",
        "order": order,
        "filler": lambda chance, number: "User likes tea " + " ".join(chance.choices(["the", "a", "is", "very", "of"], k=12)),
        "random": lambda chance, number: some(chance, 5, 20),
    }


def measure(kind: str, size: int, contained: bool) -> None:
    """Make one store, run the strategy, print seconds, memories left and peak memory in MiB."""
    chance = random.Random(2)
    make = makers(size)[kind]
    memories = [
        UserMemory(make(chance, number), f"m{number}", created_at=chance.randrange(10**9), topics=("t",))
        for number in range(size)
    ]
    start = time.process_time()
    after, _ = run(DedupeStrategy(contained=contained), memories, None)
    print(time.process_time() - start, len(after.memories), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)


def main() -> None:
    """Read the arguments, run every size of every kind, print a Markdown table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--sizes", default="1000,10000,100000")
    parser.add_argument("--contained", action="store_true", help="with -o contained=true")
    parser.add_argument("--one", nargs=2, metavar=("KIND", "SIZE"), help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one:
        measure(given.one[0], int(given.one[1]), given.contained)
        return
    print("| store | memories | left | CPU s | growth | peak MiB |\n| --- | ---: | ---: | ---: | ---: | ---: |")
    for kind in makers(10):
        before: tuple[int, float] | None = None
        for size in map(int, given.sizes.split(",")):
            command = [sys.executable, __file__, "--one", kind, str(size), *(["--contained"] if given.contained else [])]
            seconds, left, peak = map(float, subprocess.run(command, check=True, capture_output=True, text=True).stdout.split())
            growth = f"{math.log(seconds / before[1]) / math.log(size / before[0]):.2f}" if before else ""
            print(f"| {kind} | {size} | {left:.0f} | {seconds:.2f} | {growth} | {peak:.0f} |", flush=True)
            before = size, seconds


if __name__ == "__main__":
    main()

"""How the checks grow: verifying and summarizing 1,000 to 100,000 memories of one user, in time and memory.

    python benchmarks/verify_scale.py [--sizes 1000,10000,100000] [--profile] [--json]

Each measurement runs in a process of its own. Four of them:

- *verify*: ``verify(memories, [copy])``, where the copy says every text once, as one text;
- *lossy*: ``settle`` and ``kept_beside`` on a rewrite that leaves out every tenth memory and invents one sentence;
- *halved*: ``verify`` against a rewrite that leaves out every second memory, so that most of the work is to find what became of it;
- *summarize*: ``SummarizeStrategy`` with the built-in consolidator, from the list of memories to the proposal.

The memories are generated with a seed: about 60 kinds of sentence over many names, places, numbers and dates, a tenth of them in
Chinese, a fifth said again in the same or other words, and facts that are replaced later. *growth* is the exponent between two
sizes: log(time ratio) / log(size ratio); 1 is linear. *peak* is the process's largest resident size. Nothing is asserted.
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
from collections.abc import Callable
from typing import Any

from memopt.memory import UserMemory

WORKS = ("verify", "lossy", "halved", "summarize")

PEOPLE = "Ann Tom Mia Leo Zoe Max Ida Ben Eva Jan Lea Tim Kim Noa Sam Ava Ron Liv Ole Pia".split()
PLACES = "Bern Lyon Oslo Riga Turin Ghent Porto Sofia Graz Brno Turku Cork Split Malmo Nice Bonn Jena Delft Leeds Arles".split()
THINGS = (
    "violin,bicycle,sofa,camera,tent,kayak,piano,telescope,printer,drill,lamp,carpet,kettle,guitar,desk,saddle,anvil,loom,easel,"
    "compass,hammock,sextant,bellows,chisel,trowel,scythe,ladle,tripod,banjo,cello"
).split(",")
ACTS = "bought,sold,repaired,borrowed,lent,lost,found,painted,returned,cleaned,rented,praised".split(",")
REASONS = "for a friend,after work,on a rainy day,before the wedding,as a present,with great care,by mistake,in a hurry".split(
    ","
)


def sentence(number: int, dice: random.Random) -> str:
    """One generated fact."""
    who, where, thing = dice.choice(PEOPLE), dice.choice(PLACES), dice.choice(THINGS)
    act, why = dice.choice(ACTS), dice.choice(REASONS)
    day = f"{2015 + dice.randrange(10)}-{dice.randrange(1, 13):02}-{dice.randrange(1, 28):02}"
    kind = number % 10
    if kind == 0:
        name = dice.choice("张王李赵陈杨") + dice.choice("伟芳娜敏静磊")
        return f"用户在{day[:4]}年花了{dice.randrange(10, 9999)}元给{name}买了礼物{number}号。"
    if kind == 1:
        return f"User lives in {where}." if dice.random() < 0.02 else f"User {act} a {thing} in {where} {why}, order {number}."
    if kind == 2:
        return f"User's friend {who} {act} a {thing} on {day}."
    if kind == 3:
        return f"User likes the {thing} museum in {where}."
    if kind == 4:
        return f"User paid {dice.randrange(5, 5000)} euros for a {thing} {why}."
    if kind == 5:
        return f"User does not want to hear about {thing}s from {who} in {where}."
    if kind == 6:
        return f"User met {who} in {where} on {day} {why}."
    if kind == 7:
        return f"User's ticket for case {number} is T-{dice.randrange(10**6):06}."
    if kind == 8:
        return f"{who} told the user {why} that the {thing} from {where} is broken."
    return f"User plans to {act.removesuffix('ed')} the {thing} of {who} {why}."


def memories(count: int) -> list[UserMemory]:
    """Generated memories of one user, an hour apart."""
    dice = random.Random(7)
    texts: list[str] = []
    for number in range(count):
        again = bool(texts) and dice.random() < 0.2
        texts.append(dice.choice(texts[-2000:]) if again else sentence(number, dice))
    return [
        UserMemory(text, f"m{n}", user_id="u", topics=(f"t{n % 50}",), created_at=1_500_000_000 + 3600 * n)
        for n, text in enumerate(texts)
    ]


def _verify(items: list[UserMemory]) -> str:
    from memopt.verify import verify

    text = " ".join(dict.fromkeys(item.memory for item in items))
    report = verify(items, [UserMemory(text)])
    return f"{report.facts} facts, {len(report.lost)} lost, {len(report.invented)} invented"


def _lossy(items: list[UserMemory]) -> str:
    from memopt.verify.settle import kept_beside, settle

    left = {item.memory for n, item in enumerate(items) if n % 10}
    text = " ".join([*dict.fromkeys(item.memory for item in items if item.memory in left), "User owns a yacht called Nemo."])
    settled = settle(items, text)
    beside = kept_beside(items, settled.text, settled.report)
    return f"{len(settled.report.lost)} lost, {len(settled.removed)} cut, {len(beside)} kept beside"


def _halved(items: list[UserMemory]) -> str:
    from memopt.verify import verify

    report = verify(items, [UserMemory(" ".join(item.memory for item in items[::2]))])
    return f"{report.facts} facts, {len(report.lost)} lost, {len(report.superseded)} superseded"


def _summarize(items: list[UserMemory]) -> str:
    from memopt.models.builtin import BuiltinModel
    from memopt.strategies.base import run
    from memopt.strategies.summarize import SummarizeStrategy
    from memopt.tokens import TokenCounter, prompt_lines

    proposal, _ = run(SummarizeStrategy(), items, BuiltinModel())
    count = TokenCounter().text
    before, after = count(prompt_lines(items)), count(prompt_lines(proposal.memories))
    kept = sum(report["retention"] for report in proposal.reports) / max(len(proposal.reports), 1)
    return f"{after / before:.1%} of {before:,} tokens, retention {kept:.2%}, {len(proposal.memories)} memories"


DO: dict[str, Callable[[list[UserMemory]], str]] = {
    "verify": _verify,
    "lossy": _lossy,
    "halved": _halved,
    "summarize": _summarize,
}


def measure(work: str, count: int, profile: bool) -> dict[str, Any]:
    """One measurement in this process: CPU and wall seconds, peak memory (MiB), and what came out."""
    items = memories(count)
    DO[work](items[:200])  # what is loaded and compiled once is not what grows
    profiler = None
    if profile:
        import cProfile

        profiler = cProfile.Profile()
        profiler.enable()
    wall, cpu = time.perf_counter(), time.process_time()
    found = DO[work](items)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    if profiler is not None:
        import pstats

        profiler.disable()
        pstats.Stats(profiler, stream=sys.stderr).sort_stats("tottime").print_stats(25)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"work": work, "memories": count, "cpu_s": cpu, "wall_s": wall, "peak_mib": peak, "found": found}


def main() -> None:
    """Run and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default="1000,10000,100000")
    parser.add_argument("--work", default=",".join(WORKS))
    parser.add_argument("--profile", action="store_true", help="print where the time goes, on standard error")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--one", nargs=2, metavar=("WORK", "SIZE"), help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.one:
        print(json.dumps(measure(args.one[0], int(args.one[1]), args.profile)))
        return
    rows: list[dict[str, Any]] = []
    if not args.json:
        print(f"{'work':<10} {'memories':>9} {'cpu s':>8} {'wall s':>8} {'growth':>7} {'peak MiB':>9}  found")
    for work in args.work.split(","):
        before: dict[str, Any] | None = None
        for size in map(int, args.sizes.split(",")):
            command = [sys.executable, __file__, "--one", work, str(size), *(["--profile"] if args.profile else [])]
            row = json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True).stdout)
            row["growth"] = math.log(row["cpu_s"] / before["cpu_s"]) / math.log(size / before["memories"]) if before else None
            rows.append(row)
            before = row
            if not args.json:
                growth = "" if row["growth"] is None else f"{row['growth']:.2f}"
                print(
                    f"{work:<10} {size:>9,} {row['cpu_s']:>8.2f} {row['wall_s']:>8.2f} {growth:>7} {row['peak_mib']:>9.0f}  "
                    f"{row['found']}",
                    flush=True,
                )
    if args.json:
        print(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()

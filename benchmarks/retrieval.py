"""How well and how fast `memopt search` finds memories, beside rank-bm25 and a plain loop.

    python benchmarks/retrieval.py [--data DIR] [--sizes 1000,10000,100000] [--no-meanings]

Quality needs DIR (or MEMOPT_DATA) with LoCoMo (`locomo_memories.jsonl`, `locomo_questions.jsonl`; snap-research, CC BY-NC
4.0): the answerable questions whose evidence is among the memories, asked of both speakers' memories of their conversation.

- rank-bm25 is an independent implementation, given the same words; `as it is` its own idf (Okapi with a floor), `Lucene's
idf` the
  variant that memopt uses. The two rows of one tokenization must agree to the third decimal.
- The weights are the defaults, 0.50/0.20/0.30, which come from no data. What was chosen while looking at figures (stop words,
what a
  related word counts, the cosine of a match) was chosen on conversations 26 and 30 alone; the column `held apart` are the
  other three.
- `last day`: ages count from the conversation's newest memory, so that the recency weighs against what was said months before;
  `a year later`: from a year behind it, when all of it is old.
- `tuned`: what `memopt tune` finds on half of each conversation's questions, measured on the other half beside the defaults.

Speed: made memories, each query's time after the index was built, its embedding included, the median and the slowest of 40.
`plain loop` scores the same words and vectors one memory after the other, in Python, without entities and without embedding
the query; the last column checks that it finds the same ten.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import random
import re
import statistics
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from memopt.evaluation.evidence import Outcome
from memopt.evaluation.questions import Question
from memopt.evaluation.stats import Resamples
from memopt.evaluation.tuning import tune
from memopt.memory import UserMemory
from memopt.retrieval import Index, Ranking
from memopt.retrieval.index import BESIDE, RELATED
from memopt.retrieval.terms import Terms
from memopt.similarity.embed import Remembering, local
from memopt.tokens import TokenCounter

DEVELOPED_ON = ("conv-26", "conv-30")
FUSION = Ranking(recency=0)
WORDS = Ranking(semantic=0, entity=0, recency=0)
YEAR = 365 * 86_400


@dataclass(frozen=True)
class Conversation:
    """Both speakers' memories, and (question, ids of the memories that hold the evidence)."""

    name: str
    memories: list[UserMemory]
    questions: list[tuple[str, frozenset[str]]]


def conversations(folder: Path) -> list[Conversation]:
    """LoCoMo as the file has it."""

    def rows(name: str) -> list[dict[str, Any]]:
        return [json.loads(line) for line in (folder / name).read_text(encoding="utf-8").splitlines()]

    memories: dict[str, list[UserMemory]] = defaultdict(list)
    for row in rows("locomo_memories.jsonl"):
        fields = {key: row[key] for key in ("topics", "user_id", "created_at")}
        memories[row["user_id"].split("_")[0]].append(UserMemory(row["memory"], row["memory_id"], **fields))
    asked: dict[str, list[tuple[str, frozenset[str]]]] = defaultdict(list)
    for row in rows("locomo_questions.jsonl"):
        if row["answerable"] and row["evidence_memory_ids"]:
            asked[row["conversation"]].append((row["question"], frozenset(row["evidence_memory_ids"])))
    return [Conversation(name, memories[name], asked[name]) for name in memories]


Ranker = Callable[[Conversation], Callable[[str], list[str]]]
"""Made for a conversation, it gives the ids of the ten best for a question."""


def ten_best(scores: Any, memories: Sequence[UserMemory]) -> list[str]:
    """By score, of equal ones by id, as memopt does; what scores nothing is not found."""
    order = sorted(
        (at for at in range(len(memories)) if scores[at] > 0),
        key=lambda at: (-round(float(scores[at]), 9), memories[at].memory_id),
    )
    return [str(memories[at].memory_id) for at in order[:10]]


def plain_words(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


def independent(lucene: bool, stems: bool) -> Ranker:
    """rank-bm25 on plain words, or on memopt's."""
    from rank_bm25 import BM25Okapi

    class Lucene(BM25Okapi):
        def _calc_idf(self, nd: dict[str, int]) -> None:
            self.idf = {word: math.log(1 + (self.corpus_size - n + 0.5) / (n + 0.5)) for word, n in nd.items()}

    def ranker(talk: Conversation) -> Callable[[str], list[str]]:
        terms = Terms()
        of_text, of_query = (terms.of_text, terms.of_query) if stems else (plain_words, plain_words)
        index = (Lucene if lucene else BM25Okapi)([of_text(item.memory) for item in talk.memories])
        return lambda question: ten_best(index.get_scores(of_query(question)), talk.memories)

    return ranker


def searched(ranking: Ranking, embedder: Any = None, later: float = 0) -> Ranker:
    """memopt's own search."""

    def ranker(talk: Conversation) -> Callable[[str], list[str]]:
        newest = max(item.last_changed or 0 for item in talk.memories)
        index = Index(talk.memories, ranking=ranking, embedder=embedder, now=newest + later)
        return lambda question: [str(hit.memory.memory_id) for hit in index.search(question, 10)]

    return ranker


def recalls(ranker: Ranker, talks: Sequence[Conversation]) -> list[float]:
    """For each question, the share of its evidence among the ten best."""
    out = []
    for talk in talks:
        ask = ranker(talk)
        out += [len(ids & set(ask(question))) / len(ids) for question, ids in talk.questions]
    return out


def mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def quality(folder: Path, meanings: bool) -> None:
    """Print recall@10, row by row."""
    talks = conversations(folder)
    held = [talk for talk in talks if talk.name not in DEVELOPED_ON]
    seen = [talk for talk in talks if talk.name in DEVELOPED_ON]
    numbers = [sum(len(talk.questions) for talk in group) for group in (seen, held, talks)]
    print(f"\nLoCoMo, {sum(numbers[:2])} questions, recall@10 (95 % interval over questions)\n")
    print(
        f"| search | 26 and 30 ({numbers[0]}) | held apart ({numbers[1]}) | all five ({numbers[2]}) |\n| --- | ---: | ---: | --- |"
    )
    rows: list[tuple[str, Ranker]] = [
        ("plain words: rank-bm25 as it is", independent(False, False)),
        ("plain words: rank-bm25, Lucene's idf", independent(True, False)),
        ("stems, no stop words: rank-bm25, Lucene's idf", independent(True, True)),
        ("stems, no stop words: memopt, words alone", searched(WORDS)),
        ("memopt, words and entities", searched(replace(FUSION, semantic=0))),
    ]
    if meanings:
        embedder = Remembering(local())
        rows += [
            ("memopt, meaning alone", searched(replace(FUSION, lexical=0, entity=0), embedder)),
            ("memopt, meaning and words", searched(replace(FUSION, entity=0), embedder)),
            ("memopt, meaning, words and entities (fused)", searched(FUSION, embedder)),
            ("memopt, fused with recency, a year later", searched(Ranking(), embedder, YEAR)),
            ("memopt, fused with recency, last day", searched(Ranking(), embedder)),
        ]
    found: dict[str, list[float]] = {}
    resamples = Resamples(numbers[2])
    for name, ranker in rows:
        found[name] = values = recalls(ranker, [*seen, *held])
        whole = resamples.mean(values)
        parts = values[: numbers[0]], values[numbers[0] :]
        print(
            f"| {name} | {mean(parts[0]):.3f} | {mean(parts[1]):.3f} | {whole.value:.3f} ({whole.low:.3f} to {whole.high:.3f}) |"
        )
    if meanings:
        fused, words = (found[name] for name in (rows[7][0], rows[3][0]))
        gain = resamples.difference(fused, words)
        assert gain is not None
        print(f"\nfused less words alone: {gain.value:+.3f} ({gain.low:+.3f} to {gain.high:+.3f}), p {gain.p:.4f}")
        tuned(talks, embedder)


def tuned(talks: Sequence[Conversation], embedder: Any) -> None:
    """Print what memopt tune finds, on the questions that it did not see."""
    counter = TokenCounter()
    print(
        "\n| memopt tune | measured on | recall@10 defaults | fitted | gain in what is fitted for | weights |\n| --- | ---: | ---: | ---: | --- | --- |"
    )
    for talk in talks:
        asked = [Question(f"{at:03}", text, tuple(sorted(ids))) for at, (text, ids) in enumerate(talk.questions)]
        fit = tune(asked, {None: Outcome.unchanged(None, talk.memories, counter)}, embedder=embedder)
        gain, ranking = fit.differences["all"], fit.ranking
        assert gain is not None
        weights = (
            f"{ranking.semantic:g}/{ranking.lexical:g}/{ranking.entity:g}, {ranking.recency:g} of {ranking.half_life_days:g} days"
        )
        print(
            f"| {talk.name} | {len(fit.measured_on)} | {fit.before['recall'].value:.3f} | {fit.after['recall'].value:.3f} "
            f"| {gain.value:+.3f} ({gain.low:+.3f} to {gain.high:+.3f}) | {weights} |"
        )


# -- speed -------------------------------------------------------------------------------------------------------------------


def made(size: int, seed: int) -> tuple[list[UserMemory], list[str]]:
    """Memories of one person, most of them in words that others have too, and questions about them."""
    chance = random.Random(seed)
    letters = "bcdfghjklmnprstvw", "aeiou"
    words = ["".join(chance.choice(letters[at % 2]) for at in range(chance.randint(4, 9))) for _ in range(5000)]
    weights = [1 / (at + 5) for at in range(len(words))]
    shapes = (
        "User {} the {} with {} and {} on Monday", "User likes {} more than {} since {}", "{} told the user about {} {} in Berlin", "User wants to {} a {} next year because of {}", "User's {} has {} {} for 20 euros",
    )  # fmt: skip
    texts = [chance.choice(shapes).format(*chance.choices(words, weights, k=4)) for _ in range(size)]
    memories = [UserMemory(text, f"m{at:07}", created_at=1.6e9 + chance.randrange(10**8)) for at, text in enumerate(texts)]
    asked = ["What does the user think of " + " ".join(chance.choices(words, weights, k=2)) + "?" for _ in range(40)]
    return memories, asked


class Timed:
    """An embedder, and how long it took."""

    def __init__(self, embedder: Any) -> None:
        self._embedder, self.seconds = embedder, 0.0
        self.name, self.dimensions = embedder.name, embedder.dimensions

    def embed(self, texts: Sequence[str]) -> Any:
        start = time.perf_counter()
        out = self._embedder.embed(texts)
        self.seconds += time.perf_counter() - start
        return out


class Invented:
    """Vectors that mean nothing, for measuring the search without the embedder's time."""

    name, dimensions = "invented", 512

    def embed(self, texts: Sequence[str]) -> Any:
        out = np.random.default_rng(len(texts)).standard_normal((len(texts), 512), dtype=np.float32)
        return out / np.linalg.norm(out, axis=1, keepdims=True)


def plain_loop(memories: Sequence[UserMemory], vectors: Any, ranking: Ranking) -> Callable[[str, Any], list[str]]:
    """The same fusion without entities, one memory after the other."""
    terms = Terms()
    bags = [Counter(terms.of_text(item.memory)) for item in memories]
    lengths = [sum(bag.values()) for bag in bags]
    usual = sum(lengths) / len(lengths)
    spread = Counter(word for bag in bags for word in bag)
    newest = max(item.last_changed or 0 for item in memories)

    def bm25(words: Sequence[str], at: int) -> float:
        total = 0.0
        for word in words:
            if times := bags[at].get(word, 0):
                idf = math.log(1 + (len(bags) - spread[word] + 0.5) / (spread[word] + 0.5))
                total += idf * times / (times + ranking.k1 * (1 - ranking.b + ranking.b * lengths[at] / usual))
        return total

    def scale(values: list[float]) -> list[float]:
        low, high = min(values), max(values)
        return [(value - low) / (high - low) if high > low else 0.0 for value in values]

    def ask(question: str, vector: Any) -> list[str]:
        words = terms.of_query(question)
        lexical = scale([bm25(words, at) for at in range(len(bags))])
        cosines = [round(float(row @ vector), 6) for row in vectors]
        semantic = scale(cosines)
        telling = ranking.lexical if any(lexical) else 0.0
        scores = []
        for at, item in enumerate(memories):
            fused = (ranking.semantic * semantic[at] + telling * lexical[at]) / (ranking.semantic + telling)
            days = (newest - (item.last_changed or 0)) / 86_400
            scores.append((1 - ranking.recency) * fused + ranking.recency * 0.5 ** (days / ranking.half_life_days))
        shared = [bm25(words, at) > 0 for at in range(len(bags))]
        least = BESIDE if any(shared) or max(cosines) >= RELATED else 2.0
        close = [at for at in range(len(bags)) if cosines[at] >= least or shared[at]]
        return ten_best([scores[at] for at in close], [memories[at] for at in close])

    return ask


def speed(sizes: Sequence[int], meanings: bool) -> None:
    """Print how long building and asking take."""
    print("\nOne user's memories; times in seconds to build, in milliseconds to ask\n")
    print("| memories | build | growth | embed | ask: median | slowest | plain loop | ratio | same ten |")
    print("| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    last: tuple[int, float] | None = None
    for size in sizes:
        memories, asked = made(size, 1)
        embedder = Timed(local() if meanings else Invented())
        start = time.perf_counter()
        index = Index(memories, embedder=embedder)
        built = time.perf_counter() - start - embedder.seconds
        growth = "" if last is None else f"{math.log(built / last[1]) / math.log(size / last[0]):.2f}"
        last = size, built
        embedded = f"{embedder.seconds:.1f}" if meanings else ""
        index.search(asked[0])
        times = []
        for question in asked:
            start = time.perf_counter()
            index.search(question)
            times.append(1000 * (time.perf_counter() - start))
        flat = index.under(replace(index.ranking, entity=0))
        assert index._meanings is not None and index.embedder is not None
        slow = plain_loop(memories, index._meanings._vectors, flat.ranking)
        alike, loops = 0, []
        for question in asked[:3]:
            vector = index.embedder.embed([index._entities.told(question)])[0]
            start = time.perf_counter()
            ten = slow(question, vector)
            loops.append(1000 * (time.perf_counter() - start))
            alike += ten == [hit.memory.memory_id for hit in flat.search(question, 10)]
        median, loop = statistics.median(times), statistics.median(loops)
        print(
            f"| {size:,} | {built:.2f} | {growth} | {embedded} | {median:.1f} | {max(times):.1f} | {loop:,.0f} | {loop / median:.0f} "
            f"| {alike} of 3 |",
            flush=True,
        )


def main() -> None:
    """Read the arguments, print the tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--data", default=os.environ.get("MEMOPT_DATA"))
    parser.add_argument("--sizes", default="1000,10000,100000")
    parser.add_argument("--no-meanings", action="store_true", help="without the embedder")
    given = parser.parse_args()
    if given.data:
        quality(Path(given.data), not given.no_meanings)
    else:
        print("no --data and no MEMOPT_DATA: the quality is not measured")
    speed([int(size) for size in given.sizes.split(",") if size], not given.no_meanings)


if __name__ == "__main__":
    main()

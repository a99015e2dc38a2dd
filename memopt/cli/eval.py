"""``memopt eval``: what strategies and plans do to recall, measured on labelled questions. Nothing is written to the store."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import redirect_stdout
from copy import copy
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from memopt.cli.asking import AskFlags, choose_judge, choose_model, equip, make_watch
from memopt.cli.grouped import Without
from memopt.cli.making import Concurrency, ContextTokens, ModelName, PriceOf, Protect
from memopt.cli.options import (
    Common,
    Full,
    NoUser,
    Questions,
    checked_text,
    read_pairs,
)
from memopt.cli.run import Work, print_document
from memopt.cli.safe import shown_path, visible
from memopt.cli.searching import BaseUrl, EmbeddingModel
from memopt.errors import Interrupted, MemoptError, UsageError

if TYPE_CHECKING:
    from memopt.evaluation.contenders import Spec
    from memopt.evaluation.evidence import Outcome
    from memopt.evaluation.measure import Figures, Trial
    from memopt.evaluation.questions import QuestionSet
    from memopt.manager import Begun, MemoryManager
    from memopt.models.base import Ask, Failed, Reply
    from memopt.plan import Plan
    from memopt.retrieval import Ranking
    from memopt.settings import Settings
    from memopt.strategies.base import MemoryOptimizationStrategy, Watch
    from memopt.usage import Usage


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What ``eval`` was told, as texts."""

    questions: Questions = None
    users: Annotated[
        tuple[str, ...],
        typer.Option("--user", "-u", metavar="ID", help="Whose memories; repeatable. Default: whom the questions name."),
    ] = ()
    no_user: NoUser = False
    strategies: Annotated[
        tuple[str, ...],
        typer.Option(
            "--strategy",
            "-s",
            metavar="CHAIN",
            help="A contender: a strategy, or a chain such as dedupe+recent,keep=10; repeat it to compare several.",
        ),
    ] = ()
    options: Annotated[
        tuple[str, ...],
        typer.Option(
            "--option", "-o", metavar="[STRATEGY.]KEY=VALUE", help="An option for every contender that has it; repeatable."
        ),
    ] = ()
    plans: Annotated[
        tuple[str, ...],
        typer.Option(
            "--plan", metavar="PLAN", help="A contender: what this plan file, or folder of plans, would leave; repeatable."
        ),
    ] = ()
    budget: Annotated[
        str | None,
        typer.Option("--budget", metavar="SHARES", help="The budget strategy once for each share, such as 75%,50%,25%."),
    ] = None
    ks: Annotated[str | None, typer.Option("-k", metavar="NUMBERS", help="How many of the best are read; default 1,5,10.")] = None
    weights: Annotated[
        tuple[str, ...],
        typer.Option("--weight", metavar="KEY=VALUE", help="A weight of the search, as memopt search -o takes it; repeatable."),
    ] = ()
    protect: Protect = ()
    seed: Annotated[
        str | None, typer.Option("--seed", metavar="N", help="Of the random numbers behind the intervals; default 0.")
    ] = None
    plot: Annotated[
        str | None,
        typer.Option("--plot", metavar="FILE", help="Draw tokens against recall into a .png, .svg or .html (extra plots)."),
    ] = None
    answer: Annotated[
        bool, typer.Option("--answer", help="Also let the --model answer each question from what is found, and score it.")
    ] = False
    model: ModelName = None
    judge: Annotated[
        str | None,
        typer.Option("--judge", metavar="NAME", help="With --answer: let this model grade the answers [MEMOPT_JUDGE]."),
    ] = None
    prompt_file: Annotated[
        str | None, typer.Option("--prompt-file", metavar="FILE", help="With --answer: instructions instead of memopt's own.")
    ] = None
    base_url: BaseUrl = None
    embedding_model: EmbeddingModel = None
    asking: Annotated[AskFlags, Without("dry_request")] = field(default_factory=AskFlags)
    context_tokens: ContextTokens = None
    concurrency: Concurrency = None
    price: PriceOf = None
    full: Full = False
    common: Common


def evaluate(request: Request) -> Work:
    """Measure what strategies and plans do to recall on labelled questions, beside all memories as they are. Writes nothing."""
    return lambda: _evaluate(request)


@dataclass
class Entry:
    """One contender and what came of it.

    Attributes:
        steps: its strategies with their options; empty for a plan.
        plan: the plan's file or folder.
        error: why there is nothing to measure; None where there is.
        usage: what its making took.
        answers: what a model's answers were worth; None where none were asked for.
    """

    name: str
    steps: list[dict[str, Any]] = field(default_factory=list)
    plan: str | None = None
    figures: Figures | None = None
    error: MemoptError | None = None
    usage: Usage | None = None
    answers: Any = None


@dataclass(frozen=True, slots=True)
class Evaluation:
    """All that is shown of one run."""

    manager: MemoryManager
    users: tuple[str | None, ...]
    unreadable: int
    given: QuestionSet
    trial: Trial
    ranking: Ranking
    embedder: str | None
    seed: int
    entries: tuple[Entry, ...]
    notes: tuple[str, ...]
    judged: bool = False


def _evaluate(request: Request) -> int:
    from memopt.cli import figures
    from memopt.cli.searching import long_questions, ranking_of, searcher, seed_of
    from memopt.evaluation.measure import DEFAULT_KS, Contender, Trial, check_ks
    from memopt.evaluation.questions import read_questions
    from memopt.protect import Protection
    from memopt.strategies.base import Answering

    if request.questions is None:
        raise UsageError("say which questions: --questions FILE; memopt questions drafts some")
    given = read_questions(_read(request.questions), shown_path(request.questions))
    ks = DEFAULT_KS if request.ks is None else check_ks(request.ks)
    seed = seed_of(request.seed)
    protection = Protection.read(request.protect)
    plot = None if request.plot is None else _plot_target(request.plot)
    for flag, said in (("--judge", request.judge), ("--prompt-file", request.prompt_file)):
        if said is not None and not request.answer:
            raise UsageError(f"{flag} goes with --answer")
    prompt = _prompt(request)
    specs = _specs(request)
    common = request.common
    settings = common.settings(
        model=request.model,
        base_url=request.base_url,
        judge=request.judge,
        embedding_model=request.embedding_model,
        price=request.price,
        context_tokens=request.context_tokens,
        concurrency=request.concurrency,
    )
    built = _build(specs, request, settings)
    if not built and not request.plans and not request.answer:
        raise UsageError("say what to compare: --strategy CHAIN, --plan FILE, or --budget 75%,50%,25%; see memopt strategies")
    ranking = ranking_of(settings, request.weights)
    asks = request.answer or any(getattr(each, "needs_model", False) for _, chain in built for each in chain)
    model = judge = watch = None
    if asks:
        model = choose_model(settings, request.asking)
        judge = choose_judge(settings, request.asking) if model.endpoint else None
        inner = make_watch(settings, request.asking, model, judge)
        watch = None if inner is None else Ledger(inner)
        if request.answer and not model.endpoint:
            raise UsageError("--answer lets a model answer: name one of a service with --model; the built-in consolidator cannot")
    manager = common.manager(settings, model, judge, watch)
    users = _users(request, given)
    begun = {user: manager.begin(user, protection=protection) for user in users}
    baseline = {user: _unchanged(manager, each) for user, each in begun.items()}
    embedder, note = searcher(settings, ranking)
    progress = Told()
    trial = Trial(given.questions, baseline, manager.tokens, ks=ks, ranking=ranking, embedder=embedder, seed=seed)
    if not trial.questions:
        raise UsageError(f"none of the {len(given.questions)} questions can be measured: {_why(trial)}")
    entries = [Entry("all memories", figures=trial.before)]
    for spec, chain in built:
        progress.say(f"{spec.name} ({len(entries)} of {len(built) + len(request.plans)})")
        entry = Entry(spec.name, _steps(chain))
        entries.append(entry)
        try:
            with redirect_stdout(sys.stderr):  # standard output is ours; a strategy of somebody else's may print
                outcomes, entry.usage = _outcomes(manager, begun, chain, watch)
        except (Interrupted, UsageError):
            raise
        except MemoptError as error:
            entry.error = error
            continue
        entry.figures = trial.measure(Contender(spec.name, outcomes))
    for name in request.plans:
        progress.say(f"{shown_path(name)} ({len(entries)} of {len(built) + len(request.plans)})")
        entry = Entry(f"plan {shown_path(name)}", plan=name)
        entry.figures = trial.measure(Contender(entry.name, _planned(name, manager, baseline)))
        entries.append(entry)
    progress.clear()
    if request.answer:
        from memopt.evaluation.answering import answer_all

        assert model is not None
        measured = [entry for entry in entries if entry.figures is not None]
        answering = Answering(model, judge, watch, settings.concurrency)
        rows = [entry.figures.rows for entry in measured if entry.figures is not None]
        graded = answer_all(trial.questions, rows, answering, trial.resamples, prompt)
        for entry, answers in zip(measured, graded, strict=True):
            entry.answers = answers
    found = Evaluation(
        manager,
        users,
        sum(len(each.snapshot.unreadable) for each in begun.values()),
        given,
        trial,
        ranking,
        None if embedder is None else embedder.name,
        seed,
        tuple(entries),
        (*([] if note is None else [note]), *long_questions(trial.questions)),
        judge is not None,
    )
    if plot is not None:
        from memopt.cli.files import write_atomic
        from memopt.evaluation.plot import draw

        write_atomic(plot, draw(figures.points(found), f"recall@{ks[-1]}", plot.suffix.lower()[1:]))
    if common.json:
        print_document(figures.document(found))
    else:
        from memopt.cli.render import Screen

        figures.view(Screen(sys.stdout), found, full=request.full)
        if request.plot is not None:
            sys.stdout.write(f"the chart is in {shown_path(request.plot)}\n")
    failed = next((entry for entry in entries if entry.error is not None), None)
    if failed is not None and failed.error is not None:
        sys.stdout.flush()
        sys.stderr.write(f"memopt: {visible(failed.name)} could not be measured: {visible(str(failed.error))}\n")
        return int(failed.error.exit_code)
    return 0


def _read(name: str) -> str:
    from memopt.cli.files import read_text

    return read_text(name, "file of questions")


def _plot_target(name: str) -> Path:
    from memopt.cli.files import CHART, check_target
    from memopt.evaluation.plot import FORMATS, check_extra

    if Path(name).suffix.lower()[1:] not in FORMATS:
        raise UsageError(f"--plot {shown_path(name)}: the name ends in {' or '.join('.' + kind for kind in FORMATS)}")
    check_extra()
    return check_target(name, "--plot", CHART)


def _specs(request: Request) -> list[Spec]:
    from memopt.evaluation.contenders import read_shares, read_spec, with_budgets

    specs = [read_spec(checked_text(text, "--strategy")) for text in request.strategies]
    return with_budgets(specs, () if request.budget is None else read_shares(request.budget))


def _build(specs: Sequence[Spec], request: Request, settings: Settings) -> list[tuple[Spec, list[MemoryOptimizationStrategy]]]:
    from memopt.cli.optimize import is_file_option, read_option_file
    from memopt.evaluation.contenders import build

    options = read_pairs(request.options)

    def value_of(name: str, key: str, value: str) -> Any:
        return read_option_file(key, value) if is_file_option(key, (name,)) else value

    with redirect_stdout(sys.stderr):
        built = build(specs, options, value_of)
    for _, chain in built:
        equip(chain, settings, request.asking)
    return built


def _prompt(request: Request) -> str | None:
    from memopt.cli.optimize import read_prompt

    return None if request.prompt_file is None else read_prompt(request.prompt_file)


def _users(request: Request, given: QuestionSet) -> tuple[str | None, ...]:
    """Whose memories are looked at. A user is never guessed: the command line names them, or the questions do."""
    users: list[str | None] = []
    for user in request.users:
        if not user.strip():
            raise UsageError("--user is empty; --no-user means the memories that belong to nobody")
        users.append(checked_text(user, "--user"))
    if request.no_user:
        users.append(None)
    if not users:
        users = [user for question in given.questions for user in question.users or ()]
    if not users:
        raise UsageError("say whose memories: --user ID, repeatable, or give the questions a user; memopt users lists them")
    return tuple(dict.fromkeys(users))


def _unchanged(manager: MemoryManager, begun: Begun) -> Outcome:
    from memopt.evaluation.evidence import Outcome

    return Outcome.unchanged(begun.snapshot.user_id, begun.snapshot.memories, manager.tokens)


def _steps(chain: Sequence[MemoryOptimizationStrategy]) -> list[dict[str, Any]]:
    from memopt.manager import step_of

    return [{"strategy": step.strategy, "options": dict(step.options)} for step in map(step_of, chain)]


def _outcomes(
    manager: MemoryManager,
    begun: Mapping[str | None, Begun],
    chain: Sequence[MemoryOptimizationStrategy],
    watch: Ledger | None,
) -> tuple[dict[str | None, Outcome], Usage]:
    """What a chain leaves of every user's memories."""
    import asyncio

    from memopt.evaluation.evidence import Outcome
    from memopt.usage import Usage

    out: dict[str | None, Outcome] = {}
    used = Usage()
    for user, each in begun.items():
        own = [copy(strategy) for strategy in chain]
        try:
            if manager.model is not None and manager.model.endpoint and any(getattr(one, "needs_model", False) for one in own):
                proposal, usage = asyncio.run(manager.apropose(each, own))
            else:
                proposal, usage = manager.propose(each, own)
        except MemoptError:
            if watch is not None:
                watch.close(None)
            raise
        if watch is not None:
            watch.close(usage)
        plan = manager.conclude(each, own, proposal, usage)
        used += plan.usage
        out[user] = Outcome.of_plan(plan)
    return out, used


class Ledger:
    """A watch over several runs: its limits hold for all of them together.

    Args:
        inner: the watch that knows the limits.
    """

    def __init__(self, inner: Watch) -> None:
        from memopt.usage import Usage

        self._inner = inner
        self._before = Usage()
        self._latest = Usage()

    def asking(self, asks: Sequence[Ask], used: Usage) -> None:
        """Before a batch is sent. Raises LimitError."""
        self._inner.asking(asks, self._before + used)
        self._latest = replace(used, requests=used.requests + len(asks))

    def rooms(self) -> list[Any]:
        """What each request of the batch may cost."""
        rooms: list[Any] = self._inner.rooms()  # type: ignore[attr-defined]
        return rooms

    def repeating(self) -> None:
        """Before one request is sent once more. Raises LimitError."""
        self._inner.repeating()

    def answered(self, ask: Ask, reply: Reply | Failed) -> None:
        """After an answer."""
        self._inner.answered(ask, reply)

    def priced(self, usage: Usage) -> Usage:
        """The usage with its cost."""
        return self._inner.priced(usage)

    def close(self, usage: Usage | None) -> None:
        """One run is over; None: it failed, and what was asked last is counted as asked."""
        self._before += self._latest if usage is None else usage
        self._latest = replace(self._latest, requests=0, prompt_tokens=None, completion_tokens=None, cost=None)


def _planned(name: str, manager: MemoryManager, baseline: Mapping[str | None, Outcome]) -> dict[str | None, Outcome]:
    """What a plan, or the plans of a folder, would leave.

    Raises:
        UsageError: none of them is about the users that are looked at, or another store's.
        PlanFileError: one is damaged.
    """
    from memopt.evaluation.evidence import Outcome

    out: dict[str | None, Outcome] = {}
    seen: list[str | None] = []
    for plan in _plans(name):
        seen.append(plan.user_id)
        now = baseline.get(plan.user_id)
        if now is None:
            continue
        if plan.store != manager.store.ref:
            raise UsageError(
                f"{shown_path(name)} was made from {shown_path(plan.store.location)}, table {plan.store.table}, and what is "
                f"looked at is {shown_path(manager.store.ref.location)}, table {manager.store.ref.table}"
            )
        outcome = Outcome.of_plan(plan)
        if {(item.memory_id, item.memory) for item in outcome.before} != {(item.memory_id, item.memory) for item in now.before}:
            sys.stderr.write(f"memopt: {shown_path(name)}: the stored memories are no longer those that it was made from\n")
        out[plan.user_id] = outcome
    if not out:
        raise UsageError(f"{shown_path(name)} is about {_listed(seen)}, and looked at are {_listed(baseline)}")
    return out


def _plans(name: str) -> Iterable[Plan]:
    from memopt.cli.fleet import is_folder
    from memopt.cli.search import read_plan
    from memopt.folder import listed

    if not is_folder(name):
        yield read_plan(name)
        return
    for _, file in listed(Path(name)):
        yield read_plan(str(Path(name) / file))


def _listed(users: Iterable[str | None]) -> str:
    from memopt.cli.render import user_name
    from memopt.cli.words import shortened_list

    names = [user_name(user) for user in users]
    return ("user " if len(names) == 1 else "the users ") + shortened_list(names) if names else "nobody"


def _why(trial: Trial) -> str:
    from collections import Counter

    reasons = Counter(item.reason for item in trial.left_out)
    return "; ".join(f"{number} because {reason}" for reason, number in reasons.most_common())


class Told:
    """Says on a terminal what is being done; quiet elsewhere."""

    def __init__(self) -> None:
        self._loud = sys.stderr.isatty()

    def say(self, text: str) -> None:
        """What is being done now."""
        if self._loud:
            sys.stderr.write(f"\r\x1b[K{visible(text)}")
            sys.stderr.flush()

    def clear(self) -> None:
        """Take it off the terminal."""
        if self._loud:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()

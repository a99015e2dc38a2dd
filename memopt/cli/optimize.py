"""``memopt optimize`` and ``memopt apply``: making a plan, showing it, writing it."""

from __future__ import annotations

import re
import shlex
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from memopt.cli.asking import (
    AskFlags,
    DryRequest,
    StillThere,
    choose_judge,
    choose_model,
    equip,
    make_watch,
    read_limits,
    requests_document,
)
from memopt.cli.fleet import FleetFlags
from memopt.cli.making import (
    Agents,
    BaseUrl,
    Concurrency,
    ContextTokens,
    EmbeddingModel,
    Judge,
    MaxRewrites,
    ModelName,
    OnLoss,
    OnlySafe,
    Options,
    PolicyName,
    PriceOf,
    PromptFile,
    Protect,
    Strategies,
    Teams,
    Topics,
)
from memopt.cli.options import (
    AllowEmpty,
    Common,
    Full,
    Log,
    MaxDrop,
    MinRecall,
    NoUser,
    OnConflict,
    OnStore,
    Purge,
    Questions,
    Report,
    User,
    Verbose,
    checked_text,
    conflict_mode,
    one_user,
    read_pairs,
)
from memopt.cli.run import Work, print_document, progress
from memopt.cli.safe import native_path, shown_path, visible
from memopt.errors import ExitCode, ModelError, UsageError

if TYPE_CHECKING:
    from memopt.cli.render import Screen
    from memopt.cli.report import RunReport
    from memopt.evaluation.gate import Gate
    from memopt.manager import MemoryManager
    from memopt.models.base import Ask, Model
    from memopt.plan import Filters, Plan
    from memopt.policy import Policy
    from memopt.settings import Settings
    from memopt.stores.base import MemoryStore


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What a command that makes plans was told, as texts. ``optimize`` has all of these options, others have some."""

    user: User = None
    no_user: NoUser = False
    strategies: Strategies = ()
    policy: PolicyName = None
    options: Options = ()
    apply: Annotated[bool, typer.Option("--apply", help="Write what is shown. Without it nothing is written.")] = False
    out: Annotated[str | None, typer.Option("--out", metavar="FILE", help="Keep the plan in a file, for memopt apply FILE.")] = (
        None
    )
    check: Annotated[bool, typer.Option("--check", help="Exit with 3 if there is anything to change.")] = False
    fleet: FleetFlags = field(default_factory=FleetFlags)
    report: Report = None
    agent: Agents = ()
    team: Teams = ()
    topic: Topics = ()
    model: ModelName = None
    base_url: BaseUrl = None
    on_loss: OnLoss = None
    judge: Judge = None
    embedding_model: EmbeddingModel = None
    context_tokens: ContextTokens = None
    concurrency: Concurrency = None
    price: PriceOf = None
    asking: AskFlags = field(default_factory=AskFlags)
    prompt_file: PromptFile = None
    protect: Protect = ()
    max_rewrites: MaxRewrites = None
    only: OnlySafe = None
    max_drop: MaxDrop = None
    questions: Questions = None
    min_recall: MinRecall = None
    allow_empty: AllowEmpty = False
    on_conflict: OnConflict = None
    purge: Purge = False
    full: Full = False
    prompt: Annotated[
        bool,
        typer.Option("--prompt", help="Also the very block that the framework puts in front of the model, before and after."),
    ] = False
    common: Common = field(default_factory=Common)


def optimize(request: Request) -> Work:
    """Show what a strategy would change in one user's memories; write it with --apply."""
    request = replace(request, asking=replace(request.asking, preview=not request.apply))
    return lambda: _optimize(request)


def _optimize(request: Request) -> int:
    if request.fleet.wanted:
        from memopt.cli.fleet import optimize_fleet

        return optimize_fleet(request)
    request.fleet.check_alone()
    if request.report is None:
        return _optimize_one(request, None)
    if request.asking.dry_request:
        raise UsageError("--report sums up a run, and --dry-request runs nothing")
    from memopt.cli.files import same_file
    from memopt.cli.report import RunReport

    if request.out is not None and same_file(request.out, request.report):
        raise UsageError("--out and --report name the same file")
    with RunReport(request.report) as report:
        code = _optimize_one(request, report)
    return report.exit_code(code)


def _optimize_one(request: Request, report: RunReport | None) -> int:
    user_id = one_user(request.user, request.no_user)
    policy = None
    if request.policy is not None:
        policy = named_policy(request)
        request = with_policy(request, policy)
        if not policy.fits(user_id):
            raise UsageError(f"policy {policy.name} is for users {', '.join(policy.users)}, not for {user_id!r}")
    if request.apply and request.check:
        raise UsageError("--check only looks and --apply writes: say one of them")
    if request.only not in (None, "safe"):
        raise UsageError(f"--only takes safe, not {request.only!r}")
    mode = conflict_mode(request.on_conflict)
    chain_of(request)  # a mistake in it is told before any other
    filters = filters_of(request)
    if request.max_drop is not None:
        from memopt.guards import parse_max_drop

        parse_max_drop(request.max_drop)
    gate = open_gate(request)
    target = None if request.out is None else _target(request.out)

    common = request.common
    request, settings, chain = resolved(request)
    needs_model = any(each.needs_model for each in chain)
    if request.asking.dry_request and (request.apply or not needs_model):
        raise UsageError("--dry-request shows what a strategy would ask a model, and neither asks nor writes")
    model = judge = watch = None
    if needs_model:
        model = choose_model(settings, request.asking)
        judge = choose_judge(settings, request.asking) if model.endpoint else None
        watch = make_watch(settings, request.asking, model, judge)
        for note in (*getattr(model, "notes", ()), *_unheard(request, model)):
            sys.stderr.write(f"memopt: {visible(note)}\n")
    else:
        read_limits(settings, request.asking)
        watch = _watch_of_embedder(chain, settings, request.asking)
    about: dict[str, Any] = {}
    if report is not None:
        from memopt.stores import unopened
        from memopt.tokens import TokenCounter

        about = _about_run(request, chain, model, TokenCounter(settings.encoding).encoding)
        report.expect(unopened(settings.need_db(), settings.table), **about)
    manager = common.manager(settings, model, judge, watch)
    if request.apply and watch is not None:
        skips = mode == "skip" and len(chain) == 1  # what other steps change may be written without the summary
        if mode == "stop" or skips:
            manager.answering = replace(manager.answering, watch=StillThere(watch, manager.store, user_id, skips=skips))
    if report is not None:
        report.begin_one(manager.store, user_id, **about)
    if request.purge:
        manager.check_purge()
    if request.apply:
        manager.store.check_writable()
    if request.apply and model is not None and not model.endpoint and settings.model is None:
        sys.stderr.write("memopt: no model is named, no key and no endpoint is set: the built-in consolidator writes the text\n")
    tell_hidden(manager.store, chain)
    if policy is not None and policy.when is not None:
        figures = manager.figures(user_id)
        if not policy.when.holds(figures):
            return _not_due(common, user_id, policy, figures)
    try:
        with redirect_stdout(sys.stderr):  # standard output is ours; a strategy of somebody else's may print
            plan = _plan(manager, user_id, chain, filters, request)
    except DryRequest as dry:
        assert model is not None
        from memopt.manager import asks_judge

        return _show_requests(dry.asks, model, judge if asks_judge(chain) else None, common.json)
    if request.asking.dry_request:  # nothing is asked: there is one memory, or each topic has one
        assert model is not None
        return _show_requests((), model, None, common.json)

    from memopt.guards import refusals

    kept = plan
    if request.only:
        from memopt.plan import split_safe

        plan, kept = split_safe(plan, manager.tokens.figures)
    if gate is not None:
        whole, plan = plan, held_to(gate, plan)
        kept = plan if kept is whole else gate.check(kept)
    refused = refusals(plan)
    if target is not None:
        from memopt.cli.files import write_atomic

        write_atomic(target, kept.to_json() + "\n")
    skipped: tuple[str, ...] = ()
    if report is not None:
        report.plan(plan, refused)
    if request.apply and not refused and (plan.has_changes or request.purge):
        plan, skipped = _write(manager, plan, mode, None, False, request.purge)
        if report is not None:
            report.plan(plan, skipped=skipped)

    if common.json:
        from memopt.cli.documents import plan_document

        print_document(plan_document(plan, refused=refused, skipped=skipped))
    else:
        _show(request, plan, skipped, written_to=target, refused=bool(refused), asks=needs_model)
    if refused:
        sys.stdout.flush()
        sys.stderr.write(f"memopt: refused: {visible('; '.join(refused))}. Nothing was written\n")
        return int(ExitCode.REFUSED)
    return int(ExitCode.PENDING) if request.check and plan.has_changes else 0


def _watch_of_embedder(chain: Sequence[Any], settings: Settings, asking: AskFlags) -> Any:
    """What limits the requests of a chain that asks no model but a service for vectors; None where it asks nobody."""
    from memopt.manager import embeds_elsewhere

    embedder = next((each.embedder for each in chain if embeds_elsewhere(each)), None)
    return None if embedder is None else make_watch(settings, asking, embedder)


def open_gate(request: Request) -> Gate | None:
    """The gate that ``--questions`` and ``--min-recall`` ask for. Raises UsageError for questions that cannot be read."""
    given = questions_of(request)
    if given is None:
        return None
    from memopt.evaluation.gate import Gate
    from memopt.evaluation.questions import read_questions

    text, least = given
    return Gate(read_questions(text, shown_path(request.questions or "")).questions, least)


def questions_of(request: Request) -> tuple[str, float | None] | None:
    """The text of the file of questions that plans are held to, and the share of answers that has to be kept.

    Raises:
        UsageError: the file cannot be read, the share is none, or it is said without questions.
    """
    from memopt.policy import read_share

    least = None if request.min_recall is None else read_share(request.min_recall, "--min-recall")
    if request.questions is None:
        if least is not None:
            raise UsageError(
                f"--min-recall{' (or that of the policy)' if request.policy else ''} needs questions to hold the plan to: say "
                "--questions FILE; memopt questions drafts some"
            )
        return None
    from memopt.cli.files import read_text

    return read_text(request.questions, "file of questions"), least


def held_to(gate: Gate, plan: Plan) -> Plan:
    """One user's plan with what the gate found.

    Raises:
        UsageError: a share of answers is to be kept, and the memories answer none of the questions.
    """
    checked = gate.check(plan)
    if gate.unknown:
        from memopt.cli.words import shortened_list

        named = shortened_list([f"{question} ({', '.join(ids)})" for question, ids in gate.unknown.items()])
        sys.stderr.write(f"memopt: the user has no memory of an id that is named by the questions {visible(named)}\n")
    if gate.min_recall is not None and not gate.asked:
        raise UsageError(
            f"none of the questions can be answered from the memories of user {plan.user_id!r} as they are, so none can be lost: "
            "are they about somebody else?"
        )
    return checked


def tell_hidden(store: MemoryStore, chain: Sequence[Any]) -> None:
    """Say that a preview goes without the journal, where this role may not read it and no strategy needs it."""
    if store.journal_hidden and not any(each.needs_model for each in chain):
        sys.stderr.write(f"memopt: the journal is left out: {visible(store.journal_hidden)}\n")


def _about_run(request: Request, chain: Sequence[Any], model: Model | None, encoding: str) -> dict[str, Any]:
    """What a report says of a run."""
    from memopt.manager import step_of

    return {
        "applying": request.apply,
        "encoding": encoding,
        "steps": tuple(step_of(each) for each in chain),
        "model": None if model is None else {"name": model.name, "endpoint": model.endpoint},
        "settings": said(request),
    }


def said(request: Request) -> dict[str, Any]:
    """What was said of how a run is done, by option, for its report."""
    names = (
        "policy agent team topic protect max_rewrites only max_drop questions min_recall allow_empty on_conflict purge price "
        "concurrency"
    ).split()
    asking = {name: getattr(request.asking, name) for name in ("max_requests", "max_cost")}
    return {**{name: getattr(request, name) for name in names}, **asking}


def _unheard(request: Request, model: Model) -> list[str]:
    """What was said of a service that is not asked, as a note for people."""
    if model.endpoint:
        return []
    asking = request.asking
    said = {
        "--judge": request.judge,
        "--prompt-file": request.prompt_file,
        "--price": request.price,
        "--context-tokens": request.context_tokens,
        "--max-requests": asking.max_requests,
        "--max-cost": asking.max_cost,
        "--dry-request": asking.dry_request or None,
    }
    given = [flag for flag, value in said.items() if value is not None]
    one = "has" if len(given) == 1 else "have"
    return [f"the built-in consolidator asks no service: {', '.join(given)} {one} no effect"] if given else []


def resolved(request: Request) -> tuple[Request, Settings, list[Any]]:
    """The request with what the environment and memopt.toml add to it, the settings, and the strategies, ready to run.

    Raises:
        UsageError: an unknown strategy or option, a bad value, or no store.
    """
    chain = chain_of(request)
    settings = request.common.settings(
        model=request.model,
        base_url=request.base_url,
        judge=request.judge,
        embedding_model=request.embedding_model,
        price=request.price,
        context_tokens=request.context_tokens,
        concurrency=request.concurrency,
    )
    settings.need_db()
    if request.judge is None and settings.judge is not None and _may_take(request, "judge"):
        request = replace(request, judge=settings.judge)
        chain = chain_of(request)
    if request.embedding_model is None and settings.embedding_model is not None and _may_take(request, "embedding_model"):
        request = replace(request, embedding_model=settings.embedding_model)
        chain = chain_of(request)
    equip(chain, settings, request.asking)
    return request, settings, chain


def named_policy(request: Request) -> Policy:
    """The policy of ``--policy``. Raises UsageError where ./memopt.toml has none of that name."""
    policies = request.common.settings().policies
    name = request.policy or ""
    if name not in policies:
        from memopt.settings import CONFIG_FILE

        if not Path(CONFIG_FILE).exists():
            raise UsageError(f"there is no ./{CONFIG_FILE} that could hold a policy {name!r}; memopt init writes one")
        known = f"its policies: {', '.join(policies)}" if policies else "it has none"
        raise UsageError(f"./{CONFIG_FILE} has no policy {name!r}; {known}")
    return policies[name]


def with_policy(request: Request, policy: Policy) -> Request:
    """What was asked for, with the policy's word where the command line says nothing. Protections add up."""
    from memopt.guards import parse_max_drop
    from memopt.protect import Protection

    if policy.protect:
        Protection.read(policy.protect, f"{_line(policy, 'protect')}: protect")
    if policy.max_drop is not None:
        parse_max_drop(policy.max_drop, f"{_line(policy, 'max-drop')}: max-drop")
    if policy.questions and not request.questions:
        from memopt.cli.files import read_text

        _told_by(policy, "questions", lambda: read_text(policy.questions or "", "file of questions"))
    given = {text.partition("=")[0].strip().replace("_", "-") for text in request.options}
    options = [
        f"{key}={str(value).lower() if isinstance(value, bool) else value}"
        for key, value in policy.options.items()
        if key.replace("_", "-") not in given
    ]
    told = replace(
        request,
        strategies=request.strategies or policy.strategies,
        options=(*options, *request.options),
        protect=(*policy.protect, *request.protect),
        model=request.model or policy.model,
        base_url=request.base_url or policy.base_url,
        judge=request.judge or policy.judge,
        on_loss=request.on_loss or policy.on_loss,
        max_drop=request.max_drop or policy.max_drop,
        max_rewrites=request.max_rewrites or (None if policy.max_rewrites is None else str(policy.max_rewrites)),
        only=request.only or policy.only,
        questions=request.questions or policy.questions,
        min_recall=request.min_recall or policy.min_recall,
    )
    if not request.strategies:
        try:
            chain_of(told)
        except UsageError as error:
            raise UsageError(f"{_place(policy, str(error))}: {error}") from error
    if policy.base_url and not request.base_url and any(map(_asks, chain_of(told))):
        from memopt.models.address import read_base_url

        _told_by(policy, "base-url", lambda: read_base_url(policy.base_url))
    return told


def _asks(strategy: Any) -> bool:
    return bool(getattr(strategy, "needs_model", False) or getattr(strategy, "compares_meaning", False))


def _told_by(policy: Policy, key: str, read: Callable[[], object]) -> None:
    """Read what a key of a policy says, so that what is wrong with it is told with its line."""
    try:
        read()
    except (UsageError, ModelError) as error:
        raise type(error)(f"{_line(policy, key)}: {key}: {error}", **error.details) from None


def _place(policy: Policy, said: str) -> str:
    """The line of memopt.toml that a complaint about a policy's strategies or options is about."""
    return _line(
        policy, next((key for key in policy.options if repr(key) in said or f" {key.rpartition('.')[2]} " in said), "strategies")
    )


def _line(policy: Policy, key: str) -> str:
    """The line of memopt.toml where a key of a policy stands, however it is written there."""
    from memopt.policy import find_place
    from memopt.settings import CONFIG_FILE

    text = Path(CONFIG_FILE).read_text(encoding="utf-8", errors="replace")
    underlined = key.replace("-", "_")
    written = underlined if underlined != key and re.search(rf"(?m)^\s*{underlined}\s*=", text) else key
    return find_place(text, f"./{CONFIG_FILE}", policy.name, written)


def _not_due(common: Common, user_id: str | None, policy: Policy, figures: Mapping[str, float]) -> int:
    assert policy.when is not None
    if common.json:
        print_document(
            {"user_id": user_id, "policy": policy.name, "when": policy.when.text, "due": False, "figures": dict(figures)}
        )
        return 0
    told = ", ".join(f"{name} {value:g}" for name, value in figures.items())
    sys.stdout.write(f"nothing to do: policy {visible(policy.name)} waits for {visible(policy.when.text)}; now: {told}\n")
    return 0


def _plan(manager: MemoryManager, user_id: str | None, chain: list[Any], filters: Filters, request: Request) -> Plan:
    """The plan; on an event loop where a service is asked, so that requests can be under way together."""
    from memopt.protect import Protection
    from memopt.settings import whole_number

    guards: dict[str, Any] = {
        "max_drop": request.max_drop,
        "allow_empty": request.allow_empty,
        "protection": Protection.read(request.protect),
    }
    if request.max_rewrites is not None:
        guards["max_rewrites"] = whole_number(request.max_rewrites, "--max-rewrites")
    if manager.model is None or not manager.model.endpoint:
        return manager.optimize_memories(user_id, chain, filters=filters or None, **guards)
    import asyncio

    return asyncio.run(manager.aoptimize_memories(user_id, chain, filters=filters or None, **guards))


def _show_requests(asks: Sequence[Ask], model: Model, judge: Model | None, as_json: bool) -> int:
    document = requests_document(asks, model, judge)
    if as_json:
        print_document(document)
        return 0
    from memopt.cli import render

    render.requests_view(render.Screen(sys.stdout), document)
    return 0


def _show(request: Request, plan: Plan, skipped: Sequence[str], *, written_to: Path | None, refused: bool, asks: bool) -> None:
    from memopt.cli import render

    screen = render.Screen(sys.stdout)
    erased = request.apply and request.purge and not refused and not plan.run
    title = "Applied" if plan.run or erased else "Preview"
    render.plan_view(screen, plan, full=request.full, prompt=request.prompt, title=title)
    render.skipped(screen, skipped)
    screen.line()
    if plan.run:
        _tell_run(screen, plan, undo_command(plan.run, request.common), request.purge)
    elif erased:
        screen.line("no memory was changed; what was erased of earlier runs, and what could not be, is told above")
    elif not plan.has_changes:
        screen.line("nothing was written: every change was left out" if skipped else "nothing to do")
    elif not refused:
        if written_to is not None and not request.only:
            file = shlex.quote(shown_path(request.out or ""))
            screen.line(f"nothing was written to the store; write exactly this with: memopt apply {file}")
        elif asks and (plan.model or {}).get("endpoint"):
            screen.line("nothing was written; a model never answers twice alike:")
            screen.line("keep this with --out FILE, then memopt apply FILE")
        elif request.purge:
            screen.line("nothing was written; --apply writes it and erases what is removed for good, without an undo")
        else:
            screen.line("nothing was written; --apply writes it")
    if written_to is not None and request.purge:
        screen.line(f"the plan holds what is to be erased: delete {shown_path(str(written_to))} when it is applied")
    if written_to is not None and request.only:
        screen.line(f"what is left to judge: memopt review {shlex.quote(shown_path(request.out or ''))}")
    elif written_to is not None:
        screen.line(f"the plan is in {shown_path(str(written_to))}")


def _tell_run(screen: Screen, plan: Plan, undo: str, purged: bool) -> None:
    """How a run can be taken back, or that it cannot; and what of something forgotten is still there."""
    from memopt.purge import forgetting

    run = visible(plan.run or "")
    if purged:
        screen.line(f"applied as run {run}; what it removed is gone for good: it cannot be taken back")
        return
    screen.line(f"applied as run {run}; take it back with: {undo}")
    if forgetting(plan):
        postgres = plan.store.kind == "agno-postgres"
        table = "memopt.journal" if postgres else "memopt_journal"
        screen.line(
            f"for that, the journal in {shown_path(plan.store.location)} (table {table}) "
            "still holds the removed text, until memopt history --prune drops the run"
            "; to leave no copy there, give the same command with --purge --apply"
        )


def _write(
    manager: MemoryManager, plan: Plan, mode: Any, max_drop: str | None, allow_empty: bool, purge: bool = False
) -> tuple[Plan, tuple[str, ...]]:
    """Apply, and tell which changes were left out."""
    from memopt.plan import Action

    started = int(time.time())

    def written() -> str | None:
        latest = manager.history(plan.user_id)
        return latest[0].run_id if latest and latest[0].at >= started else None

    progress.writing = written
    done = manager.apply(plan, on_conflict=mode, max_drop=max_drop, allow_empty=allow_empty, purge=purge)
    progress.writing, progress.done = None, done.run
    written_ids = {change.memory_id for change in done.changes if change.action is not Action.KEPT}
    return done, tuple(
        change.memory_id for change in plan.changes if change.action is not Action.KEPT and change.memory_id not in written_ids
    )


def undo_command(run_id: str, common: Common, location: str | None = None) -> str:
    """The command that takes a run back, as it can be typed."""
    db = common.db if common.db is not None else location
    parts = ["memopt", "undo", run_id]
    if db is not None:
        from memopt.stores.postgres import public

        parts += ["--db", shown_path(public(db))]
        if common.table is not None:
            parts += ["--table", visible(common.table)]
    return shlex.join(parts)


def _target(out: str) -> Path:
    from memopt.cli.files import check_target

    return check_target(out)


def chain_of(request: Request) -> list[Any]:
    """The strategies that are asked for. Raises UsageError for an unknown one, or an option that none has."""
    from memopt.strategies.registry import make_chain

    options = options_of(request)
    with redirect_stdout(sys.stderr):
        return list(make_chain(list(request.strategies), options))


def options_of(request: Request) -> dict[str, str]:
    """The strategies' options as ``make_chain`` takes them: what the command line says, with the texts of files.

    Raises:
        UsageError: no strategy is named, a text is no KEY=VALUE, a file cannot be read, or a flag fits no strategy.
    """
    from dataclasses import fields

    from memopt.strategies.registry import names, strategy_class

    if not request.strategies:
        raise UsageError(f"say what to do: --strategy with one of {', '.join(names())}; memopt strategies explains them")
    options = read_pairs(request.options)
    for key, value in options.items():
        if is_file_option(key, request.strategies):
            options[key] = read_option_file(key, value)
    rewrites = "a strategy that rewrites memories, such as summarize"
    for flag, key, text_given, with_what in (
        ("--on-loss", "on-loss", request.on_loss, rewrites),
        ("--judge", "judge", None if request.judge is None else "true", rewrites),
        ("--prompt-file", "prompt", None if request.prompt_file is None else read_prompt(request.prompt_file), rewrites),
        ("--embedding-model", "embedding-model", request.embedding_model, "a strategy that compares meanings, such as dedupe"),
    ):
        if text_given is None:
            continue
        if not any(
            key.replace("-", "_") in {item.name for item in fields(strategy_class(n).Options)} for n in request.strategies
        ):
            raise UsageError(f"{flag} goes with {with_what}")
        if key in options:
            raise UsageError(f"{flag} and -o {key}=... say the same thing: give one of them")
        options[key] = text_given
    return options


def is_file_option(key: str, strategies: Sequence[str]) -> bool:
    """Whether the strategy takes the text of a file under this key; on the command line the file's name stands for it."""
    from dataclasses import fields

    from memopt.strategies.registry import strategy_class

    step, dot, rest = key.partition(".")
    plain = (rest if dot else key).replace("-", "_")
    return any(
        item.name == plain and item.metadata.get("file")
        for name in strategies
        if not dot or name == step
        for item in fields(strategy_class(name).Options)
    )


def read_option_file(key: str, name: str) -> str:
    """The text of a file that an option of a strategy names. Raises UsageError where it cannot be read."""
    from memopt.cli.files import read_text

    if name.lstrip().startswith(("{", "[")):
        return name  # the text itself
    path, separator, attribute = name.rpartition(".py:")
    if separator and attribute.isidentifier():
        from memopt.cli.schema import schema_of_class

        return schema_of_class(f"{path}.py", attribute)
    text = read_text(name, f"-o {key}").strip()
    if not text:
        raise UsageError(f"-o {key}={shown_path(name)} is empty")
    return text


def _may_take(request: Request, option: str) -> bool:
    """Whether an option that the environment or memopt.toml sets has something to do, and the command line does not set it."""
    from dataclasses import fields

    from memopt.strategies.registry import strategy_class

    said = any(text.partition("=")[0].strip().rpartition(".")[2].replace("-", "_") == option for text in request.options)
    return not said and any(option in {item.name for item in fields(strategy_class(n).Options)} for n in request.strategies)


def read_prompt(name: str) -> str:
    """The instructions in a file. Raises UsageError where it cannot be read, or holds none."""
    from memopt.cli.files import read_text

    text = read_text(name, "prompt file").strip()
    if not text:
        raise UsageError(f"--prompt-file {shown_path(name)} is empty")
    return text


def filters_of(request: Request) -> Filters:
    """Which memories are meant. Raises UsageError for an empty name."""
    from memopt.plan import Filters

    for name, values in (("--agent", request.agent), ("--team", request.team), ("--topic", request.topic)):
        for value in values:
            if not value.strip():
                raise UsageError(f"{name} is empty; none stands for memories without one")
            checked_text(value, name)
    return Filters(request.agent, request.team, request.topic)


@dataclass(frozen=True, slots=True, kw_only=True)
class Applied:
    """What ``apply`` was told, as texts."""

    plan: Annotated[
        str, typer.Argument(metavar="PLAN", help="A file that --out wrote, or a folder of them, or - for standard input.")
    ]
    max_drop: MaxDrop = None
    allow_empty: AllowEmpty = False
    on_conflict: OnConflict = None
    purge: Purge = False
    full: Full = False
    log: Log = None
    report: Report = None
    verbose: Verbose = False
    common: OnStore


def apply(said: Applied) -> Work:
    """Write a plan that was kept in a file, exactly as it was shown, or every plan of a folder. No model is asked."""
    return lambda: _apply(said)


def _apply(said: Applied) -> int:
    from memopt.cli.fleet import apply_folder, is_folder

    if is_folder(said.plan):
        if said.purge or said.full:
            raise UsageError(f"{'--purge' if said.purge else '--full'} goes with one plan, not with a folder of them")
        return apply_folder(said)
    if said.log is not None or said.verbose:
        raise UsageError(f"{'--verbose' if said.verbose else '--log'} goes with a folder of plans")
    if said.report is None:
        return _apply_one(said, None)
    from memopt.cli.report import RunReport

    with RunReport(said.report) as told:
        code = _apply_one(said, told)
    return told.exit_code(code)


def _apply_one(said: Applied, report: RunReport | None) -> int:
    def about(plan: Plan) -> dict[str, Any]:
        settings = {name: getattr(said, name) for name in ("max_drop", "allow_empty", "on_conflict", "purge")}
        return {"applying": True, "encoding": plan.encoding, "steps": plan.steps, "model": plan.model, "settings": settings}

    def expect(plan: Plan) -> None:
        if report is not None:
            report.expect(plan.store, **about(plan))

    opened = open_plan(said.plan, said.common, said.max_drop, said.on_conflict, expect)
    plan = opened.plan
    if said.purge and said.plan != "-":
        sys.stderr.write(f"memopt: the plan holds what is erased from the store: delete {shown_path(said.plan)} too\n")
    if report is not None:
        report.begin_one(opened.manager.store, plan.user_id, **about(plan))
        report.plan(plan)
    return finish_apply(opened, plan, allow_empty=said.allow_empty, full=said.full, purge=said.purge, report=report)


@dataclass(frozen=True, slots=True)
class OpenedPlan:
    """A plan from a file, and the store it is for.

    Attributes:
        named: whether the call or the shell named the store, rather than the plan.
    """

    plan: Plan
    manager: MemoryManager
    common: Common
    named: bool
    mode: Any
    max_drop: str | None


def open_plan(
    plan_file: str,
    common: Common,
    max_drop: str | None,
    on_conflict: str | None,
    expect: Callable[[Plan], None] = lambda _plan: None,
) -> OpenedPlan:
    """Read a plan file and open its store.

    Args:
        expect: is called with the plan before the store is opened.

    Raises:
        UsageError, PlanFileError: no plan, or one of another store than the one that was named.
        StoreError: the store cannot be opened.
    """
    from memopt.cli.documents import PLAN_EXTRAS
    from memopt.cli.files import read_plan_data

    mode = conflict_mode(on_conflict)
    if max_drop is not None:
        from memopt.guards import parse_max_drop

        parse_max_drop(max_drop)
    data = read_plan_data(plan_file, PLAN_EXTRAS)
    settings = common.settings()

    from memopt.manager import MemoryManager
    from memopt.plan import Plan

    plan = Plan.from_dict(data)
    expect(plan)
    # A store that was named for this call or this shell is meant; one that only happens to lie here is not.
    # (A server is not reached by its location alone: user and password stand where the settings have them.)
    on_server = plan.store.kind == "agno-postgres" and "db" in settings.origin
    named = on_server or settings.origin.get("db") in ("--db", "MEMOPT_DB")
    table_named = settings.origin.get("table") in ("--table", "MEMOPT_TABLE")
    manager = MemoryManager(
        native_path(settings.need_db() if named else plan.store.location),
        table=settings.table if table_named else plan.store.table if on_server or not named else None,
        lock_timeout=settings.lock_timeout,
    )
    if named and manager.store.ref != plan.store:
        from memopt.errors import PlanFileError

        raise PlanFileError(
            f"the plan was made from {shown_path(plan.store.location)}, table {plan.store.table}, and not from "
            f"{shown_path(manager.store.ref.location)}, table {manager.store.ref.table}, which {settings.origin['db']} names"
        )
    return OpenedPlan(plan, manager, common, named, mode, max_drop)


def finish_apply(
    opened: OpenedPlan, plan: Plan, *, allow_empty: bool, full: bool, purge: bool = False, report: RunReport | None = None
) -> int:
    """Write a plan of an opened file, or a part of it, and say so."""
    common = opened.common
    manager, mode, max_drop = opened.manager, opened.mode, opened.max_drop
    skipped: tuple[str, ...] = ()
    done = plan
    if plan.has_changes or purge:
        done, skipped = _write(manager, plan, mode, max_drop, allow_empty, purge)
        if report is not None:
            report.plan(done, skipped=skipped)
    if common.json:
        from memopt.cli.documents import plan_document

        print_document(plan_document(done, skipped=skipped))
        return 0
    from memopt.cli import render

    screen = render.Screen(sys.stdout)
    render.plan_view(screen, done, full=full, title="Applied" if done.run else "Plan")
    render.skipped(screen, skipped)
    screen.line()
    if done.run:
        command = undo_command(done.run, common, None if opened.named else plan.store.location)
        _tell_run(screen, done, command, purge)
    else:
        screen.line("nothing was written: every change was left out" if skipped else "nothing to do")
    return 0

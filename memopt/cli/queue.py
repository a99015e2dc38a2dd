"""``memopt enqueue``, ``memopt worker`` and ``memopt jobs``: a fleet's users as jobs for many machines."""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated, Any

import typer

from memopt.cli.grouped import Only
from memopt.cli.optimize import Request
from memopt.cli.options import Common, OnDatabase
from memopt.cli.run import Work, end_on_sigterm, print_document, progress, told_to_end
from memopt.cli.safe import native_path, shown_path, visible
from memopt.errors import ExitCode, Interrupted, MemoptError, UsageError
from memopt.wording import count

if TYPE_CHECKING:
    from memopt.cli.render import Screen
    from memopt.fleet import Reason
    from memopt.queue import Board, Equipment, Failure, QueueFigures, Recipe, Told, Worker, WorkerFigures

DEFAULT_CONCURRENCY = 32

Labels = Annotated[
    tuple[str, ...],
    typer.Option("--policy", metavar="NAME", help="Only jobs of this policy (or chain of strategies); repeatable."),
]


# -- enqueue ------------------------------------------------------------------------------------------------------------


Enqueued = Annotated[
    Request,
    Only(
        "strategies policy options all_users users users_from when limit_users shard force verbose agent team topic model "
        "base_url on_loss judge embedding_model prompt_file protect max_rewrites only max_drop questions min_recall allow_empty "
        "on_conflict",
        all_users="Every user.",
        verbose="Say what was put in also where nobody looks.",
    ),
]


def enqueue(
    request: Enqueued,
    init: Annotated[bool, typer.Option("--init", help="Make the queue's tables where there are none; alone: no more.")] = False,
    *,
    common: Common,
) -> Work:
    """Put a job into the queue for each user that has something to do; memopt worker does them, on any number of machines."""
    return lambda: _enqueue(replace(request, common=common), init)


def _enqueue(request: Request, init: bool) -> int:
    from memopt.cli.fleet import settled

    flags = request.fleet
    if init and not (flags.wanted or request.policy or request.strategies):
        return _init(request.common)
    if not flags.wanted:
        raise UsageError("say which users: --all-users, --users PATTERN or --users-from FILE")
    if not (request.policy or request.strategies):
        raise UsageError("say what is to be done: --policy NAME, or --strategy NAME; memopt strategies lists them")
    request, selection, filters = settled(request)
    from memopt.cli.optimize import open_gate, options_of, questions_of, resolved
    from memopt.queue import Due, Recipe, fleet_of
    from memopt.queue.board import Deferred
    from memopt.settings import whole_number
    from memopt.stores import open_store

    asked, gate = questions_of(request), open_gate(request)
    if gate is not None:
        gate.check_whose()

    common = request.common
    board = _open(common)
    request, settings, chain = resolved(request)
    equipment = _equipment(chain, settings)
    store = open_store(settings.need_db(), settings.table, settings.lock_timeout)
    if gate is not None:
        gate.check_found(store)
    board.make()
    recipe = Recipe(
        label=request.policy or "+".join(request.strategies),
        strategies=request.strategies,
        table=store.ref.table,
        options=options_of(request),
        encoding=settings.encoding,
        model=None if equipment.model is None else equipment.model.name,
        judge=None if equipment.judge is None else equipment.judge.name,
        base_url=_without_login(request.base_url),
        agent=filters.agent,
        team=filters.team,
        topic=filters.topic,
        protect=request.protect,
        max_rewrites=None if request.max_rewrites is None else whole_number(request.max_rewrites, "--max-rewrites"),
        only=request.only,
        max_drop=request.max_drop,
        allow_empty=request.allow_empty,
        on_conflict=request.on_conflict or "stop",
        when=None if selection.when is None else selection.when.text,
        questions=None if asked is None else asked[0],
        min_recall=None if asked is None else asked[1],
    )
    fleet = fleet_of(recipe, store, equipment, 1)
    recipe = replace(recipe, digest=fleet.recipe)
    due = Due(
        store,
        fleet.recipe,
        selection,
        settings.encoding,
        force=flags.force,
        by_clock=fleet.by_clock,
        weigh=fleet.awaits,
    )
    done = Deferred()
    started = time.monotonic()
    terminal = sys.stderr.isatty()
    try:
        for piece in board.defer(recipe, due, force=flags.force):
            done += piece
            if terminal:
                sys.stderr.write(f"\r  {done.jobs:,} jobs\x1b[K")
                sys.stderr.flush()
    except KeyboardInterrupt:
        put = count(done.jobs, "job")
        raise Interrupted(f"interrupted; {put} of {recipe.label} put in; the same command puts in the rest") from None
    if terminal:
        sys.stderr.write("\r\x1b[K")
    if done.jobs:
        board.analyze()
    passed = {name: due.passed_over[name] for name in _PASSED}
    if not (done.jobs or done.waiting) and flags.users and passed["selection"] and sum(passed.values()) == passed["selection"]:
        raise UsageError(f"no user of {board.where} fits {' or '.join(map(repr, flags.users))}; memopt users lists them")
    _tell_enqueued(request, recipe, board, done, passed, time.monotonic() - started)
    if passed["unknown"]:
        sys.stderr.write(f"memopt: {count(passed['unknown'], 'user')} of {flags.users_from} not in {visible(board.where)}\n")
        return int(ExitCode.PARTIAL)
    return 0


_PASSED = ("selection", "when", "limit", "seen", "unreadable", "no-user", "unknown")


def _tell_enqueued(request: Request, recipe: Recipe, board: Board, done: Any, passed: Mapping[str, int], seconds: float) -> None:
    if request.common.json:
        document = {
            "store": {"kind": "agno-postgres", "location": board.where, "table": recipe.table},
            "policy": request.policy,
            "label": recipe.label,
            "recipe": recipe.id,
            "strategies": list(recipe.strategies),
            "model": recipe.model,
            "jobs": done.jobs,
            "waiting": done.waiting,
            "passed_over": dict(passed),
            "seconds": round(seconds, 3),
        }
        print_document(document)
        return
    if not (sys.stdout.isatty() or request.fleet.verbose):
        return
    words = [
        (done.waiting, "have one that has not ended"),
        (passed["seen"], "unchanged since the last run"),
        (passed["when"], "below the condition"),
        (passed["limit"], "beyond --limit-users"),
        (passed["selection"], "not meant"),
        (passed["unreadable"], "with no row that can be read"),
    ]
    told = "".join(f"; {count:,} {word}" for count, word in words if count)
    if passed["no-user"]:
        told += "; rows without a user left alone"
    from memopt.cli.render import Screen

    Screen(sys.stdout).wrapped([(f"{count(done.jobs, 'job')} of {visible(recipe.label)} put in{told}; {seconds:.1f} s", "")])


def _init(common: Common) -> int:
    board = _open(common)
    board.make()
    if common.json:
        print_document({"store": {"location": board.where}, "ready": True})
    else:
        sys.stdout.write(f"the queue in {visible(board.where)} is ready\n")
    return 0


def _open(common: Common) -> Board:
    from memopt.queue import open_board

    settings = common.settings()
    return open_board(settings.need_db(), settings.lock_timeout)


def _without_login(base_url: str | None) -> str | None:
    """A base URL that may stand in a table. Raises UsageError for one that holds credentials."""
    if base_url is None:
        return None
    from memopt.models.address import read_base_url

    address = read_base_url(base_url)
    if address is not None and (address.login is not None or address.query):
        raise UsageError(
            "--base-url holds a login or parameters, and what jobs are to do is kept in a table, where no secret belongs: set "
            "MEMOPT_BASE_URL where the workers run instead"
        )
    return base_url


def _equipment(chain: Sequence[Any], settings: Any) -> Equipment:
    """The models' names as the workers will see them; nothing is asked here, so no key is needed."""
    from memopt.cli.asking import AskFlags, choose_judge, choose_model
    from memopt.queue import Equipment

    if not any(each.needs_model for each in chain):
        return Equipment(chain)
    silent = AskFlags(dry_request=True)
    model = choose_model(settings, silent)
    return Equipment(chain, model, choose_judge(settings, silent) if model.endpoint else None)


# -- worker -------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerFlags:
    """What ``worker`` was told, as texts."""

    concurrency: Annotated[
        str | None,
        typer.Option("--concurrency", metavar="N", help="So many jobs at a time (32) [MEMOPT_CONCURRENCY]."),
    ] = None
    policies: Labels = ()
    until_empty: Annotated[
        bool,
        typer.Option("--until-empty", help="End when no job is left, also none that waits or runs elsewhere."),
    ] = False
    retries: Annotated[
        str | None,
        typer.Option("--retries", metavar="N", help="So many further tries where model or store failed (5)."),
    ] = None
    backoff: Annotated[
        str | None,
        typer.Option("--backoff", metavar="SECONDS", help="The wait before the second try, then doubled (10)."),
    ] = None
    heartbeat: Annotated[
        str | None,
        typer.Option(
            "--heartbeat",
            metavar="SECONDS",
            help="Give a sign of life so often; workers that give none for three times as long are taken for dead (10).",
        ),
    ] = None
    grace: Annotated[
        str | None,
        typer.Option("--grace", metavar="SECONDS", help="When told to end, finish for so long, then give jobs back (30)."),
    ] = None
    poll: Annotated[
        str | None, typer.Option("--poll", metavar="SECONDS", help="Look for jobs so often where there are none (2).")
    ] = None
    timeout: Annotated[
        str | None, typer.Option("--timeout", metavar="SECONDS", help="How long one request to the model may take.")
    ] = None
    log: Annotated[str | None, typer.Option("--log", metavar="FILE", help="Add one JSON line a job to this file.")] = None
    alive: Annotated[
        str | None,
        typer.Option("--alive", metavar="FILE", help="Touch this file about once a second, for a liveness probe."),
    ] = None
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Say on standard error what becomes of each job.")] = False
    common: OnDatabase


def worker(flags: WorkerFlags) -> Work:
    """Do the jobs that memopt enqueue put into the queue, until told to end (Ctrl-C, SIGTERM)."""
    return lambda: _work(flags)


def _work(flags: WorkerFlags) -> int:
    from memopt.cli.asking import AskFlags

    asking = AskFlags(flags.timeout)
    how: dict[str, Any] = {
        "retries": _whole(flags.retries, "--retries", 5),
        "backoff": _seconds(flags.backoff, "--backoff", 10.0, 0.0),
        "heartbeat": _seconds(flags.heartbeat, "--heartbeat", 10.0, 0.1),
        "grace": _seconds(flags.grace, "--grace", 30.0, 0.0),
        "poll": _seconds(flags.poll, "--poll", 2.0, 0.05),
    }
    settings = flags.common.settings(concurrency=flags.concurrency)
    address = settings.need_db()

    import asyncio

    from memopt.queue import Worker

    with _Teller(flags.log, flags.alive, flags.verbose) as teller:
        made = Worker(
            address,
            lambda recipe: _prepared(recipe, flags.common, asking),
            lock_timeout=settings.lock_timeout,
            concurrency=settings.concurrency if "concurrency" in settings.origin else DEFAULT_CONCURRENCY,
            labels=flags.policies,
            until_empty=flags.until_empty,
            told=teller.job,
            refused=teller.refused,
            alive=teller.alive,
            unknown=teller.unknown,
            **how,
        )
        progress.left = "what was done is written, and other workers take over the rest"
        stopped = asyncio.run(_until_told_to_end(made))
        end_on_sigterm()
    return _close(made, stopped, flags.common.json)


async def _until_told_to_end(made: Worker) -> signal.Signals | None:
    """Work. The first signal ends it in order; a second Ctrl-C ends it at once, and others take its jobs over."""
    import asyncio

    loop = asyncio.get_running_loop()
    found: list[signal.Signals] = []

    def once(name: signal.Signals) -> None:
        found.append(name)
        told_to_end()
        made.stop()
        for each in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(each)
        end_on_sigterm()  # the loop has left it to the system

    with suppress(NotImplementedError, RuntimeError, ValueError):  # not on this system, or not in the main thread
        for name in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(name, once, name)
    await made.arun()
    return found[0] if found else None


def _close(made: Worker, stopped: signal.Signals | None, as_json: bool) -> int:
    summary = made.summary
    counts = {name: summary.counts[name] for name in _COUNTS}
    code = int(summary.exit_code)
    if stopped is signal.SIGINT and code in (0, int(ExitCode.PARTIAL)):
        code = int(ExitCode.INTERRUPTED)
    elif stopped is not None and code == int(ExitCode.PARTIAL):
        code = 0  # it was told to end, and did: what became of jobs is for memopt jobs to tell
    if as_json:
        from memopt.fleet import error_dict

        document = {
            "jobs": counts,
            "refused": [{"label": label, **error_dict(error)} for label, error in summary.refused.items()],
            "stopped": None if summary.stopped is None else error_dict(summary.stopped),
            "signal": None if stopped is None else stopped.name,
            "seconds": round(summary.seconds, 3),
        }
        print_document(document)
    told = _counted(counts) or "no job"
    if summary.stopped is not None:
        sys.stderr.write(f"memopt: the worker ended: {visible(str(summary.stopped))}\n")
    if code not in (0, int(ExitCode.INTERRUPTED)) or sys.stderr.isatty():
        hint = "; memopt jobs --failed tells why" if counts["failed"] else ""
        sys.stderr.write(f"memopt: {told}; {summary.seconds:.1f} s{hint}\n")
    return code


def _counted(counts: Mapping[str, int]) -> str:
    """How many jobs became what, in words."""
    return ", ".join(f"{counts[name]:,} {name}" for name in _COUNTS if counts[name])


_COUNTS = ("applied", "unchanged", "seen", "nothing", "failed", "retrying", "given-back")


def _prepared(recipe: Recipe, common: Common, asking: Any) -> Equipment:
    """What a recipe needs, with this machine's settings: the key, the service, the context's size."""
    from contextlib import redirect_stdout

    from memopt.cli.asking import choose_judge, choose_model, equip
    from memopt.queue import Equipment
    from memopt.strategies.registry import make_chain

    settings = replace(common, encoding=recipe.encoding).settings(
        model=recipe.model, judge=recipe.judge, base_url=recipe.base_url
    )
    with redirect_stdout(sys.stderr):
        chain = list(make_chain(list(recipe.strategies), dict(recipe.options)))
    equip(chain, settings, asking)
    if not any(each.needs_model for each in chain):
        return Equipment(chain)
    model = choose_model(settings, asking)
    return Equipment(chain, model, choose_judge(settings, asking) if model.endpoint and recipe.judge is not None else None)


class _Teller:
    """Tells of each job: a line in the log, a line on standard error where that was asked for, a touch of the file for probes."""

    def __init__(self, log: str | None, alive: str | None, verbose: bool) -> None:
        from memopt.cli.fleet import open_log

        self._log: IO[bytes] | None = None if log is None else open_log(log)
        self._log_name = log
        self._verbose = verbose
        self._shows = sys.stderr.isatty() and not verbose
        self._line = False
        self._counts: Counter[str] = Counter()
        self._file = None if alive is None else _alive_file(alive)

    def __enter__(self) -> _Teller:
        return self

    def __exit__(self, *error: object) -> None:
        self._clear()
        if self._log is not None:
            self._log.close()

    def alive(self) -> None:
        """The worker is able to work."""
        if self._file is not None:
            with suppress(OSError):
                self._file.touch()
        if self._shows:
            self._line = True
            sys.stderr.write(f"\r  {_counted(self._counts) or 'waiting for jobs'}\x1b[K")
            sys.stderr.flush()

    def _clear(self) -> None:
        if self._line:
            sys.stderr.write("\r\x1b[K")
            self._line = False

    def refused(self, label: str, error: MemoptError) -> None:
        """The jobs of a label are left to others."""
        self._clear()
        sys.stderr.write(f"memopt: this worker leaves the jobs of {visible(label)} to others: {visible(str(error))}\n")
        sys.stderr.flush()

    def unknown(self, labels: Sequence[str], known: Sequence[str]) -> None:
        """There are no jobs of these labels yet; they may come, or be misspelt."""
        named, there = ", ".join(map(repr, labels)), ", ".join(known) or "none"
        sys.stderr.write(
            f"memopt: the queue has no jobs of {visible(named)} yet, and waits for some; it knows: {visible(there)}\n"
        )
        sys.stderr.flush()

    def job(self, told: Told) -> None:
        """What became of a job."""
        self._counts[told.status] += 1
        from memopt.fleet import error_dict

        error = None if told.error is None else error_dict(told.error)
        if self._log is not None:
            outcome = None if told.outcome is None else told.outcome.to_dict()
            line = {
                "event": "job",
                "job": told.job,
                "label": told.label,
                "user_id": told.user_id,
                "attempt": told.attempt,
                "status": told.status,
                "wait": None if told.wait is None else round(told.wait, 1),
                "outcome": outcome,
                "error": error,
            }
            try:
                self._log.write(json.dumps(line, separators=(",", ":")).encode("ascii") + b"\n")
                self._log.flush()
            except OSError as problem:  # the disk is full: the jobs are what matters
                sys.stderr.write(f"memopt: --log {shown_path(self._log_name or '')}: {problem.strerror or problem}\n")
                self._log = None
        if self._verbose:
            why = "" if told.error is None else f": {told.error}"
            again = "" if told.wait is None else f", again in {told.wait:.0f} s"
            sys.stderr.write(f"{visible(told.label)} {visible(told.user_id)}: {told.status}{again}{visible(why)}\n")
            sys.stderr.flush()


def _alive_file(given: str) -> Path:
    if not given.strip() or given == "-":
        raise UsageError("--alive takes the path of a file")
    path = Path(os.path.expanduser(native_path(given)))  # noqa: PTH111 - as for plan files
    try:
        path.touch()
    except OSError as error:
        raise UsageError(f"--alive {shown_path(given)}: {error.strerror or error}") from None
    return path


def _seconds(text: str | None, where: str, default: float, least: float) -> float:
    from memopt.settings import seconds

    if text is None:
        return default
    number = seconds(text, where)
    if number < least:
        raise UsageError(f"{where} takes at least {least:g} seconds, not {text!r}")
    return number


def _whole(text: str | None, where: str, default: int) -> int:
    if text is None:
        return default
    if not (text.isascii() and text.isdigit() and len(text) <= 3):
        raise UsageError(f"{where} takes a whole number from 0 to 999, not {text!r}")
    return int(text)


# -- jobs ---------------------------------------------------------------------------------------------------------------


def jobs(
    failed: Annotated[
        bool, typer.Option("--failed", help="List the jobs that were given up, and why. With --prune: drop only such.")
    ] = False,
    policy: Labels = (),
    minutes: Annotated[
        str | None, typer.Option("--minutes", metavar="N", help="The throughput is that of the last N minutes (5).")
    ] = None,
    retry: Annotated[bool, typer.Option("--retry", help="Put the jobs that were given up back, as if never tried.")] = False,
    prune: Annotated[bool, typer.Option("--prune", help="Drop jobs that ended; needs --older-than.")] = False,
    older_than: Annotated[
        str | None,
        typer.Option("--older-than", metavar="AGE", help="With --prune: only those that ended longer ago, such as 7d, 12h."),
    ] = None,
    init_sql: Annotated[
        bool, typer.Option("--init-sql", help="Print the script that makes the queue's tables, for an administrator.")
    ] = False,
    *,
    common: OnDatabase,
) -> Work:
    """Show the queue: jobs waiting, running, done and failed, and how fast it goes; put failed ones back, or drop old ones."""
    labels = policy

    def work() -> int:
        if init_sql:
            return _print_sql(common)
        if sum((retry, prune)) > 1:
            raise UsageError("--retry and --prune exclude each other")
        if retry and failed:
            raise UsageError("--retry means the failed jobs by itself; leave out --failed")
        if (older_than is None) == prune:
            raise UsageError("--prune needs to know what to drop: --older-than 7d" if prune else "--older-than goes with --prune")
        if minutes is not None and (retry or prune):
            raise UsageError("--minutes goes with looking, not with --retry or --prune")
        from memopt.cli.runs import read_age
        from memopt.settings import whole_number

        age = None if older_than is None else read_age(older_than)
        window = 5 if minutes is None else whole_number(minutes, "--minutes")
        board = _open(common)
        board.check(write=retry or prune)
        queues = _queues(board, labels)
        if retry:
            return _changed(board, common, "retried", board.retry(queues), "put back")
        if age is not None:
            try:
                dropped = board.prune(age, failed_only=failed, queues=queues)
            except KeyboardInterrupt:
                raise Interrupted("interrupted; some of the old jobs are dropped, the same command drops the rest") from None
            return _changed(board, common, "pruned", dropped, "dropped")
        return _show(board, common, queues, failed, window)

    return work


def _print_sql(common: Common) -> int:
    from memopt.queue.schema import init_sql

    sql = init_sql()
    if common.json:
        print_document({"sql": sql})
    else:
        sys.stdout.write(sql)
    return 0


def _queues(board: Board, labels: Sequence[str]) -> list[str] | None:
    """The engine's queues of labels; None for all. Raises UsageError for a label of which there never was a job."""
    if not labels:
        return None
    known = board.queues()
    for label in labels:
        if label not in known.values():
            listed = ", ".join(sorted(known.values())) or "none"
            raise UsageError(f"the queue has no jobs of {label!r}; it knows: {listed}")
    return [queue for queue, label in known.items() if label in labels]


def _changed(board: Board, common: Common, key: str, number: int, word: str) -> int:
    if common.json:
        print_document({"store": {"location": board.where}, key: number})
    else:
        sys.stdout.write(f"{count(number, 'job')} {word}\n")
    return 0


def _show(board: Board, common: Common, queues: Sequence[str] | None, failed: bool, minutes: int) -> int:
    figures = [each for each in board.figures(minutes) if queues is None or each.queue in queues]
    workers = board.workers()
    if common.json:
        listed = [_failure(item) for item in board.failures(queues)] if failed else None
        print_document(_document(board, figures, workers, minutes, listed))
        return 0
    from memopt.cli.render import Screen

    screen = Screen(sys.stdout)
    if failed:
        _failed_view(screen, board.failures(queues))
    else:
        _figures_view(screen, board, figures, workers)
    return 0


def _document(
    board: Board,
    figures: Sequence[QueueFigures],
    workers: WorkerFigures,
    minutes: int,
    failed: list[dict[str, Any]] | None,
) -> dict[str, Any]:
    def reasons(listed: Sequence[Reason]) -> list[dict[str, Any]]:
        return [{"kind": r.kind, "message": r.message, "users": r.users, "examples": r.examples} for r in listed]

    return {
        "store": {"location": board.where},
        "workers": {"alive": workers.alive, "silent": workers.silent},
        "minutes": minutes,
        "policies": [
            {
                "label": each.label,
                "waiting": each.waiting,
                "later": each.later,
                "running": each.running,
                "done": each.done,
                "failed": each.failed,
                "ended": dict(each.ended),
                "tokens_saved": each.saved,
                "jobs_per_second": None if each.rate is None else round(each.rate, 3),
                "seconds_left": None if each.seconds_left is None else round(each.seconds_left, 1),
                "failures": reasons(each.failures),
                "retries": reasons(each.retries),
            }
            for each in figures
        ],
        "failed": failed,
    }


def _failure(item: Failure) -> dict[str, Any]:
    from memopt.memory import iso_utc

    return {
        "job": item.job,
        "label": item.label,
        "user_id": item.user_id,
        "attempts": item.attempts,
        "at": iso_utc(int(item.at)),
        "kind": item.kind,
        "message": item.message,
    }


def _figures_view(screen: Screen, board: Board, figures: Sequence[QueueFigures], workers: WorkerFigures) -> None:
    from memopt.cli.render import table

    silent = f", {workers.silent:,} silent for more than a minute" if workers.silent else ""
    screen.wrapped([(f"{count(workers.alive, 'worker')}{silent}; queue in {visible(board.where)}", "dim")])
    if not figures:
        screen.line("no jobs")
        return
    rows = [
        (
            f"{each.waiting:,}",
            f"{each.later:,}",
            f"{each.running:,}",
            f"{each.done:,}",
            f"{each.failed:,}",
            "-" if each.rate is None else f"{each.rate:.1f}",
            "-" if each.seconds_left is None else _duration(each.seconds_left),
            visible(each.label),
        )
        for each in figures
    ]
    table(screen, ("waiting", "later", "running", "done", "failed", "jobs/s", "left", "policy"), rows, right=tuple(range(7)))
    for each in figures:
        if each.done:
            told = ", ".join(f"{each.ended[name]:,} {word}" for name, word in _ENDED if each.ended[name])
            saved = f"; {each.saved:,} tokens saved" if each.saved else ""
            screen.wrapped([(f"{visible(each.label)}: {told}{saved}", "")], hanging="  ")
        for title, reasons in (("given up", each.failures), ("to be tried again", each.retries)):
            for reason in reasons:
                text = f"{visible(each.label)}: {reason.users:,} {title}, {reason.kind}: {visible(reason.message)}"
                screen.wrapped([(text, "warn")], hanging="  ")


_ENDED = (
    ("applied", "applied"),
    ("unchanged", "with nothing to change"),
    ("seen", "unchanged since the last run"),
    ("nothing", "gone or below the condition"),
)


def _failed_view(screen: Screen, failures: Iterator[Failure]) -> None:
    from memopt.cli.render import minute

    found = 0
    for item in failures:
        found += 1
        tries = "1 try" if item.attempts == 1 else f"{item.attempts} tries"
        screen.wrapped([(f"{minute(item.at)}  {visible(item.label)}, {tries}: {visible(item.user_id)}", "")], hanging="  ")
        screen.wrapped([(f"{item.kind}: {visible(item.message)}", "warn")], indent="  ", hanging="    ")
    screen.line(f"{count(found, 'job')} given up" + ("; memopt jobs --retry puts them back" if found else ""))


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    if seconds < 5400:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"

"""``memopt optimize --all-users`` and ``memopt apply DIR``: many users, one run."""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, redirect_stdout, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from memopt.cli.making import Force, LimitUsers, ShardOf, Users, UsersFrom, When
from memopt.cli.options import Log, Verbose
from memopt.cli.run import end_on_sigterm, progress, stopping_by, telling, told_to_end
from memopt.cli.safe import native_path, shown_path, visible
from memopt.errors import ExitCode, Interrupted, LimitError, MemoptError, StoreError, UsageError
from memopt.wording import applied_to, count

if TYPE_CHECKING:
    from memopt.cli.optimize import Applied, Request
    from memopt.cli.options import Common
    from memopt.cli.report import RunReport
    from memopt.fleet import Fleet, FolderRun, Outcome, Reason, Selection, Summary
    from memopt.folder import PlanFolder
    from memopt.plan import Filters, Step, StoreRef
    from memopt.settings import Settings
    from memopt.stores.base import MemoryStore

T = TypeVar("T")

WHO = "--all-users, --users PATTERN or --users-from FILE"


@dataclass(frozen=True, slots=True)
class FleetFlags:
    """What the command line says about many users, as texts."""

    all_users: Annotated[
        bool, typer.Option("--all-users", help="Every user, the most expensive first; --out DIR keeps one plan a user.")
    ] = False
    users: Users = ()
    users_from: UsersFrom = None
    when: When = None
    limit_users: LimitUsers = None
    shard: ShardOf = None
    force: Force = False
    max_minutes: Annotated[
        str | None, typer.Option("--max-minutes", metavar="N", help="Begin no further user after so long.")
    ] = None
    log: Log = None
    verbose: Verbose = False

    @property
    def wanted(self) -> bool:
        """Whether many users are meant."""
        return self.all_users or bool(self.users) or self.users_from is not None

    def check_alone(self) -> None:
        """Raise UsageError where one user is meant and an option for many was given."""
        given = {
            "--when": self.when,
            "--limit-users": self.limit_users,
            "--shard": self.shard,
            "--force": self.force,
            "--max-minutes": self.max_minutes,
            "--log": self.log,
            "--verbose": self.verbose,
        }
        for flag, value in given.items():
            if value:
                raise UsageError(f"{flag} goes with {WHO}")


def settled(request: Request) -> tuple[Request, Selection, Filters]:
    """What is asked for over many users, with what its policy says; whom it means; which memories. All of it is checked.

    Raises:
        UsageError: an option that does not go with many users, or cannot be read; an unknown policy, strategy or option.
    """
    from memopt.cli import optimize as one
    from memopt.cli.options import conflict_mode

    _check_together(request)
    policy = None
    if request.policy is not None:
        policy = one.named_policy(request)
        request = one.with_policy(request, policy)
    if request.only not in (None, "safe"):
        raise UsageError(f"--only takes safe, not {request.only!r}")
    conflict_mode(request.on_conflict)
    one.chain_of(request)  # a mistake in it is told before any other
    filters = one.filters_of(request)
    if request.max_drop is not None:
        from memopt.guards import parse_max_drop

        parse_max_drop(request.max_drop)
    selection = _selection(request.fleet)
    if policy is not None:
        selection = replace(selection, within=policy.users, when=selection.when or policy.when)
    return request, selection, filters


def optimize_fleet(request: Request) -> int:
    """``memopt optimize`` over many users. Returns the exit code."""
    from memopt.cli import optimize as one
    from memopt.cli.asking import choose_judge, choose_model, read_limits
    from memopt.cli.options import conflict_mode
    from memopt.fleet import Budget, Fleet
    from memopt.manager import embeds_elsewhere, step_of
    from memopt.protect import Protection
    from memopt.settings import whole_number
    from memopt.stores import unopened
    from memopt.tokens import TokenCounter, token_count

    flags = request.fleet
    request, selection, filters = settled(request)
    mode = conflict_mode(request.on_conflict)
    gate = one.open_gate(request)
    if gate is not None:
        gate.of_many = True
        gate.check_whose()
    minutes = None if flags.max_minutes is None else _minutes(flags.max_minutes)
    folder = None if request.out is None else read_folder_path(request.out)

    common = request.common
    request, settings, chain = one.resolved(request)
    model = judge = budget = None
    speaks = flags.verbose or sys.stderr.isatty()
    asking = request.asking
    limits = read_limits(settings, asking)
    needs_model = any(each.needs_model for each in chain)
    if needs_model:
        model = choose_model(settings, asking)
        judge = choose_judge(settings, asking) if model.endpoint else None
    embeds = any(map(embeds_elsewhere, chain))
    if needs_model or embeds:
        budget = Budget(
            token_count(settings.encoding), max_requests=limits.max_requests, max_cost=limits.max_cost, price=limits.price
        )
    if model is not None:
        for note in getattr(model, "notes", ()):
            sys.stderr.write(f"memopt: {visible(note)}\n")
        if speaks and not model.endpoint and settings.model is None:
            sys.stderr.write(
                "memopt: no model is named, no key and no endpoint is set: the built-in consolidator writes the text\n"
            )
    guards: dict[str, Any] = {}
    if request.max_rewrites is not None:
        guards["max_rewrites"] = whole_number(request.max_rewrites, "--max-rewrites")

    steps = tuple(step_of(each) for each in chain)
    about: dict[str, Any] = {
        "applying": request.apply,
        "encoding": TokenCounter(settings.encoding).encoding,
        "steps": steps,
        "model": None if model is None else {"name": model.name, "endpoint": model.endpoint},
        "settings": {**one.said(request), **_said(flags), "plans": request.out},
    }
    try:
        store = common.manager(settings).store
    except StoreError:
        with _unopened(unopened(settings.need_db(), settings.table), request.report, flags.log, about):
            raise
    if gate is not None:
        gate.check_found(store)
    if not request.apply:
        one.tell_hidden(store, chain)
    report = open_report(request.report, flags.log)
    with Told(flags.log, applying=request.apply, report=report) as told:
        fleet = Fleet(
            store,
            chain,
            model=model,
            judge=judge,
            selection=selection,
            apply=request.apply,
            force=flags.force,
            only_safe=request.only == "safe",
            filters=filters or None,
            protection=Protection.read(request.protect),
            max_drop=request.max_drop,
            allow_empty=request.allow_empty,
            on_conflict=mode,
            budget=budget if embeds or (model is not None and model.endpoint) else None,
            concurrency=settings.concurrency,
            max_seconds=minutes,
            gate=None if gate is None else gate.hold,
            folder=None if folder is None else folder_maker(folder, store.ref),
            encoding=settings.encoding,
            told=told.outcome,
            sized=told.sized,
            with_last=report is not None,
            **guards,
        )
        told.summary = fleet.summary
        # standard output is ours; a strategy of somebody else's may print
        with report or nullcontext(), redirect_stdout(sys.stderr):
            if report is not None:
                report.begin(store, fleet.summary, **about)
            kept = "the plans that were made are kept, and the next run makes the rest"
            left = _WRITTEN if request.apply else kept if folder is not None else "nothing was written"
            summary = _interruptible(fleet, left)
            if not summary.users and flags.users and summary.passed_over["selection"]:
                raise UsageError(
                    f"no user of {store.ref.location} fits {' or '.join(map(repr, flags.users))}; memopt users lists them"
                )
        if gate is not None:
            told.clear()
            asked = f"{len(gate.asked)} of {len(gate.questions)} questions are about users that got a plan"
            sys.stderr.write(f"memopt: {asked}{_answered(summary)}\n")
        view = View(
            ref=store.ref,
            steps=steps,
            model=about["model"],
            encoding=about["encoding"],
            applying=request.apply,
            selection=selection,
            policy=request.policy,
            folder=folder,
            out=request.out,
            only=request.only,
            db=common.db,
        )
        code = _show(view, told, summary, common.json, flags.verbose)
        if report is not None:
            code = report.exit_code(code)
    if code == 0 and request.check and summary.counted["changed"]:
        return int(ExitCode.PENDING)
    return code


def open_report(given: str | None, log: str | None) -> RunReport | None:
    """The report that is asked for. Raises UsageError where it cannot be written there, or is the log."""
    if given is None:
        return None
    from memopt.cli.files import same_file
    from memopt.cli.report import RunReport

    if log is not None and same_file(given, log):
        raise UsageError("--report and --log name the same file")
    return RunReport(given, log)


@contextmanager
def _unopened(ref: StoreRef, report: str | None, log: str | None, about: Mapping[str, Any]) -> Iterator[None]:
    """Around raising why a store cannot be opened: that goes into the report and the log of a run that never began."""
    told = open_report(report, log)
    with told or nullcontext(), Told(log, applying=about["applying"]):
        if told is not None:
            told.expect(ref, **about)
        yield


def _said(flags: FleetFlags) -> dict[str, Any]:
    """What was said of whom a run is for, by option, for its report."""
    names = ("users", "users_from", "when", "limit_users", "shard", "force", "max_minutes")
    return {name: getattr(flags, name) for name in names}


def _check_together(request: Request) -> None:
    flags = request.fleet
    if request.user is not None or request.no_user:
        raise UsageError(f"--user and --no-user exclude {WHO}")
    if flags.all_users and (flags.users or flags.users_from is not None):
        raise UsageError("--all-users excludes --users and --users-from, which mean some of them")
    if request.apply and request.check:
        raise UsageError("--check only looks and --apply writes: say one of them")
    for flag, given in (
        ("--purge", request.purge),
        ("--dry-request", request.asking.dry_request),
        ("--prompt", request.prompt),
        ("--full", request.full),
    ):
        if given:
            raise UsageError(f"{flag} goes with --user ID, one user at a time")
    if request.apply and request.out is not None and request.only is None:
        raise UsageError("--out DIR keeps plans for later and --apply writes them now: say one of them, or --only safe with both")


def _selection(flags: FleetFlags) -> Selection:
    from memopt.cli.options import checked_text
    from memopt.fleet import Selection, Shard
    from memopt.policy import Condition
    from memopt.settings import whole_number

    for pattern in flags.users:
        if not pattern.strip():
            raise UsageError("--users is empty; it takes a pattern such as 'team-*'")
        checked_text(pattern, "--users")
    return Selection(
        patterns=flags.users,
        ids=None if flags.users_from is None else frozenset(_read_ids(flags.users_from)),
        when=None if flags.when is None else Condition.read(flags.when, "--when"),
        shard=None if flags.shard is None else Shard.read(flags.shard),
        limit=None if flags.limit_users is None else whole_number(flags.limit_users, "--limit-users"),
    )


def _read_ids(name: str) -> Iterator[str]:
    """The user ids of a file, one a line. A line that begins with a quote is a JSON text, for ids with line breaks in them."""
    from memopt.cli.files import read_text

    if name == "-":
        if sys.stdin is None:
            raise UsageError("standard input is closed; --users-from takes a file")
        try:
            text = sys.stdin.buffer.read().decode("utf-8-sig")
        except UnicodeDecodeError:
            raise UsageError("--users-from -: standard input is not a text in UTF-8") from None
    else:
        text = read_text(name, "file of users")
    found = False
    for number, line in enumerate(text.split("\n"), 1):
        line = line.removesuffix("\r")
        if not line.strip():
            continue
        if line.startswith('"'):
            try:
                line = json.loads(line)
            except ValueError:
                raise UsageError(
                    f"--users-from {shown_path(name)}, line {number}: begins with a quote and is no JSON text"
                ) from None
        found = True
        yield line
    if not found:
        raise UsageError(f"--users-from {shown_path(name)} names no user")


def _minutes(text: str) -> float:
    try:
        minutes = float(text)
    except ValueError:
        minutes = -1.0
    if not 0 < minutes <= 525_600 or "_" in text:
        raise UsageError(f"--max-minutes takes a number of minutes above 0, not {text!r}")
    return minutes * 60


def read_folder_path(given: str) -> Path:
    """The folder of ``--out``. Raises UsageError for what cannot be one."""
    if not given.strip():
        raise UsageError("--out is empty; for many users it takes the path of a folder")
    if given == "-":
        raise UsageError("--out takes the path of a folder; --json prints what was found on standard output")
    path = Path(os.path.realpath(os.path.expanduser(native_path(given))))  # noqa: PTH111 - as for plan files
    if path.exists() and not path.is_dir():
        raise UsageError(f"--out {shown_path(given)} is a file; for many users it takes a folder, with one plan a user")
    if not path.parent.is_dir():
        raise UsageError(f"--out {shown_path(given)}: the folder {shown_path(str(path.parent))} does not exist")
    return path


def folder_maker(path: Path, ref: StoreRef) -> Callable[[str], PlanFolder]:
    """Makes the folder of plans, given how they are made (``Fleet``)."""

    def make(recipe: str) -> PlanFolder:
        from memopt.folder import PlanFolder

        return PlanFolder(path, ref, recipe)

    return make


# -- running ------------------------------------------------------------------------------------------------------------


_WRITTEN = "what was done is written, and the next run does the rest"


def _interruptible(run: Fleet | FolderRun, left: str = _WRITTEN) -> Summary:
    """Run it. The first Ctrl-C or SIGTERM ends it with what is done told; a second Ctrl-C ends it at once.

    Args:
        left: how things stand where it is interrupted.
    """

    def stop() -> None:
        run.stop(Interrupted(f"interrupted; {left}"))

    progress.left = left
    if not getattr(run, "awaits", False):
        with stopping_by(stop):
            summary = run.run()
        progress.left = None
        return summary
    import asyncio
    from concurrent.futures import ThreadPoolExecutor

    from memopt.fleet import Fleet

    assert isinstance(run, Fleet)

    async def main() -> Summary:
        loop = asyncio.get_running_loop()
        # strategies that wait for a model by themselves each take a thread
        loop.set_default_executor(ThreadPoolExecutor(run.concurrency + 4))

        def once() -> None:
            told_to_end()
            stop()
            for name in (signal.SIGINT, signal.SIGTERM):
                loop.remove_signal_handler(name)
            end_on_sigterm()  # the loop has left it to the system

        with suppress(NotImplementedError, RuntimeError, ValueError):  # not on this system, or not in the main thread
            for name in (signal.SIGINT, signal.SIGTERM):
                loop.add_signal_handler(name, once)
        return await run.arun()

    summary = asyncio.run(main())
    end_on_sigterm()
    progress.left = None
    return summary


class Told:
    """Takes each user's outcome: into the log, onto the terminal's progress line, and into a temporary file for the table.

    So the memory that is used does not grow with what there is to tell.
    """

    def __init__(self, log: str | None, *, applying: bool, report: RunReport | None = None) -> None:
        from memopt.spill import Spill

        self._report = report
        self._log = None if log is None else open_log(log)
        self._log_name = log
        self.log_problem: str | None = None
        self._applying = applying
        self._terminal = sys.stderr.isatty()
        self._spool = Spill()
        self._total = 0
        self._shown = 0.0
        self._line = False
        self.plans = 0
        """How many plans were kept in files."""
        self.summary: Summary | None = None

    def __enter__(self) -> Told:
        if self._terminal:
            self._line = True
            sys.stderr.write("  choosing users ...")
            sys.stderr.flush()
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        self.clear()
        self._spool.close()
        if isinstance(error, MemoptError) and not isinstance(error, UsageError):
            from memopt.fleet import error_dict
            from memopt.memory import iso_utc

            self._event({"event": "error", "apply": self._applying, "at": iso_utc(int(time.time())), "error": error_dict(error)})
            summary = self.summary
            if self._applying and summary is not None and summary.users and progress.ended is None:
                left = max(0, self._total - summary.users)
                progress.ended = states_line(summary) + (f"; {count(left, 'more user')} not tried" if left else "")
        self._close_log()

    def _event(self, event: Mapping[str, Any]) -> None:
        """Add a line to the log."""
        if self._log is None:
            return
        try:
            self._log.write(json.dumps(event, separators=(",", ":")).encode("ascii") + b"\n")
            self._log.flush()
        except OSError as error:
            # what keeps a log from growing is no reason to leave the other users undone
            self.log_problem = f"--log {shown_path(self._log_name or '')}: {error.strerror or error}"
            self._close_log()

    def _close_log(self) -> None:
        if self._log is not None:
            with suppress(OSError):  # what is still held back cannot be written either
                self._log.close()
            self._log = None

    def exit_code(self, code: int) -> int:
        """The exit code of a run, which fails where its log could not be written; that is said."""
        if self.log_problem is None:
            return code
        sys.stderr.write(
            f"memopt: {visible(self.log_problem)}; the log ends before the run did, and the users were done all the same\n"
        )
        return code or int(ExitCode.FAILURE)

    def sized(self, users: int) -> None:
        """So many users are to be done."""
        self._total += users

    def outcome(self, outcome: Outcome) -> None:
        """One user is done."""
        document = outcome.to_dict()
        if self._report is not None:
            self._report.outcome(outcome)
        self.plans += outcome.file is not None
        tokens = outcome.before.prompt if outcome.before is not None else -1
        # first: the log must not lack what was written because a temporary file is full
        self._event({"event": "user", "apply": self._applying, **document})
        self._spool.add(json.dumps(document, separators=(",", ":")), -tokens)
        self._progress()

    def _progress(self) -> None:
        if not self._terminal or time.monotonic() - self._shown < 0.1:
            return
        self._shown, self._line = time.monotonic(), True
        failed = self.summary.counted["failed"] if self.summary is not None else 0
        told = f", {failed:,} failed" if failed else ""
        sys.stderr.write(f"\r  {len(self._spool):,} of {max(self._total, len(self._spool)):,} users{told}\x1b[K")
        sys.stderr.flush()

    def clear(self) -> None:
        """Take the progress line off the terminal."""
        if self._line:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
            self._line = False

    def rows(self) -> Iterator[dict[str, Any]]:
        """The outcomes as documents, the most expensive user first."""
        self.clear()
        for line in self._spool.in_order():
            row: dict[str, Any] = json.loads(line)
            yield row


def open_log(given: str) -> IO[bytes]:
    """The file of ``--log``, to be added to. Raises UsageError where that cannot be done."""
    from memopt.cli.files import LOG, check_overwritten

    if not given.strip() or given == "-":
        raise UsageError("--log takes the path of a file; lines are added to it")
    path = Path(os.path.expanduser(native_path(given)))  # noqa: PTH111 - as for plan files
    cut_off = False
    try:
        if path.is_file():
            check_overwritten(path, "--log", shown_path(given), LOG)
            with path.open("rb") as old:
                cut_off = old.seek(0, os.SEEK_END) > 0 and old.seek(-1, os.SEEK_END) >= 0 and old.read() != b"\n"
        handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600)
        stream = os.fdopen(handle, "ab")
        if cut_off:  # a killed run or a full disk left a line open: the next one stands on its own
            stream.write(b"\n")
        return stream
    except (OSError, ValueError) as error:
        raise UsageError(f"--log {shown_path(given)}: {getattr(error, 'strerror', None) or error}") from None


# -- showing ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class View:
    """What a run was, for those who look at it."""

    ref: StoreRef
    steps: tuple[Step, ...]
    model: Mapping[str, str] | None
    encoding: str
    applying: bool
    selection: Selection | None = None
    policy: str | None = None
    folder: Path | None = None
    out: str | None = None
    only: str | None = None
    db: str | None = None

    @property
    def apply_command(self) -> str:
        """The command that writes the plans that were kept. A folder does not know how to log in to a server."""
        import shlex

        from memopt.stores.postgres import is_address, public

        parts = ["memopt", "apply", shown_path(self.out or "")]
        if self.db is not None and is_address(self.db):
            parts += ["--db", shown_path(public(self.db))]
        return shlex.join(parts)


def _show(view: View, told: Told, summary: Summary, as_json: bool, verbose: bool) -> int:
    told.clear()
    progress.ended = states_line(summary) if view.applying else None
    totals_shown = False
    if as_json:
        _write_document(view, told, summary)
    else:
        from memopt.cli.render import Screen

        screen = Screen(sys.stdout)
        if not view.applying or verbose:
            users_table(screen, view, told, summary)
        if not view.applying or verbose or screen.is_terminal:
            totals_shown = screen.is_terminal
            for line in closing_lines(view, summary, told.plans):
                screen.line(line)
    sys.stdout.flush()
    tell_failures(view, summary, totals=not (totals_shown and sys.stderr.isatty()))
    progress.ended = None
    return told.exit_code(int(summary.exit_code))


_COLUMNS = ("tokens", "after", "saved", "memories", "after", "revised", "dropped", "added", "what", "user")


def users_table(screen: Any, view: View, told: Told, summary: Summary) -> None:
    """A line a user, the user's id last and whole, and the totals. The widths follow from the totals, so that rows can stream.

    An id for which there is no room stands below its figures.
    """
    from memopt.cli.render import cells as width_of
    from memopt.cli.render import steps_text, store_text, user_name

    begin, title = "Preview of", f"Preview of {count(summary.users, 'user')}"
    if view.applying:
        begin, title = "Applied to", applied_to(summary.done, summary.users)
    screen.line((begin, "bold"), title.removeprefix(begin))
    screen.line(f"  store       {store_text(view.ref)}")
    if view.steps:
        screen.line(f"  strategy    {steps_text(view.steps)}")
    screen.line(f"  tokens      of prompt lines, counted with {visible(view.encoding)}")
    chosen = chosen_text(view, summary)
    if chosen:
        screen.line(f"  chosen      {chosen}")
    screen.line()
    if not summary.users:
        return
    total = [
        f"{value:,}"
        for value in (
            summary.before.prompt,
            summary.after.prompt,
            summary.saved,
            summary.before.memories,
            summary.after.memories,
            *(summary.counts[name] for name in ("revised", "dropped", "added")),
        )
    ]
    widths = [max(len(name), len(value)) for name, value in zip(_COLUMNS, total, strict=False)] + [9]

    def put(cells: Sequence[str], user: str, style: str = "") -> None:
        numbers = [cell.rjust(width) for cell, width in zip(cells[:-1], widths, strict=False)]
        figures = "  ".join([*numbers, cells[-1].ljust(widths[-1])])
        if len(figures) + 2 + width_of(user) <= screen.width:
            screen.line((f"{figures}  {user}", style))
            return
        screen.line((figures, style))
        screen.wrapped([(user, style)], indent="    ", hanging="    ")

    put(_COLUMNS[:-1], _COLUMNS[-1], "head")
    screen.line(("─" * min(sum(widths) + 2 * len(widths) + 4, screen.width), "dim"))
    for row in told.rows():
        put(_row(row), user_name(row["user_id"]), {"failed": "warn", "not-tried": "dim"}.get(row["status"], ""))
    put([*total, "total"], count(summary.users, "user"), "head")
    screen.line()


def _row(row: Mapping[str, Any]) -> list[str]:
    before, after = row["tokens"]["before"], row["tokens"]["after"]

    def text(value: int | None) -> str:
        return "-" if value is None else f"{value:,}"

    tokens = None if before is None else before["prompt"]
    left = None if after is None else after["prompt"]
    return [
        text(tokens),
        text(left),
        text(None if tokens is None or left is None else tokens - left),
        text(row["memories"]["before"]),
        text(row["memories"]["after"]),
        *(text(row["counts"][name]) for name in ("revised", "dropped", "added")),
        row["status"],
    ]


def chosen_text(view: View, summary: Summary) -> str:
    """Who was not done, and why, in words; empty where everybody was meant."""
    passed = summary.passed_over
    parts = []
    if view.policy:
        parts.append(f"policy {visible(view.policy)}")
    if passed["selection"]:
        parts.append(f"{count(passed['selection'], 'user')} not meant")
    if passed["when"] and view.selection is not None and view.selection.when is not None:
        parts.append(f"{count(passed['when'], 'user')} below {visible(view.selection.when.text)}")
    if passed["limit"]:
        parts.append(f"{count(passed['limit'], 'user')} beyond --limit-users")
    if passed["no-user"]:
        parts.append("rows without a user left alone (--no-user means them)")
    return "; ".join(parts)


def states_line(summary: Summary) -> str:
    """How many users became what."""
    states = summary.counted
    words = [
        (states["applied"], "applied"),
        (states["changed"], "to change"),
        (states["unchanged"], "with nothing to do"),
        (states["seen"], "unchanged since the last run"),
        (states["waiting"], "waiting for answers"),
        (states["failed"], "failed"),
        (states["not-tried"], "not tried"),
    ]
    told = ", ".join(f"{count:,} {word}" for count, word in words if count) or "none"
    return f"{count(summary.users, 'user')}: {told}"


def _answered(summary: Summary) -> str:

    told = ""
    if summary.questions is not None and summary.questions[0]:
        asked, answered = summary.questions
        told = f"; {answered:,} of {count(asked, 'question')} that the memories answer now would still be answered"
    if summary.ungated:
        told += f"; {count(summary.ungated, 'user')} with changes could be asked none"
    return told


def totals_line(summary: Summary, *, applying: bool) -> str:
    """One line about a whole run."""
    parts = [states_line(summary)]
    if summary.before.memories:
        share = f"{-summary.saved / summary.before.prompt:+.1%}" if summary.saved and summary.before.prompt else "no change"
        parts.append(
            f"{summary.before.memories:,} -> {summary.after.memories:,} memories, "
            f"{summary.before.prompt:,} -> {summary.after.prompt:,} tokens ({share})"
        )
    if summary.unreadable:
        parts.append(f"{summary.unreadable:,} unreadable row" + ("" if summary.unreadable == 1 else "s") + " left alone")
    if summary.usage.requests:
        cost = "" if summary.usage.cost is None else f", cost {summary.usage.cost:.4g}"
        parts.append(f"{summary.usage.requests:,} request" + ("" if summary.usage.requests == 1 else "s") + cost)
    parts.append(f"{summary.seconds:.1f} s")
    return "; ".join(parts)


def closing_lines(view: View, summary: Summary, plans: int) -> Iterator[str]:
    """What there is to say below a table."""
    yield totals_line(summary, applying=view.applying)
    if view.applying:
        if view.folder is not None and not plans:
            yield "nothing is left to judge, so no plan was kept"
        elif view.folder is not None:
            yield f"what is left to judge is in {shown_path(str(view.folder))}: memopt review on each file"
        return
    changed = summary.counted["changed"]
    if not changed and summary.counted["waiting"]:
        yield "no plan to write yet"
    elif not changed and summary.counted["unchanged"] and view.folder is not None and (view.model or {}).get("endpoint"):
        yield f"nothing to change; so that nobody is asked about that again, note it with: {view.apply_command}"
    elif not changed:
        yield "nothing to do" if not summary.counted["failed"] else "nothing was written"
    elif view.folder is not None:
        yield f"nothing was written to the store; write exactly this with: {view.apply_command}"
    elif (view.model or {}).get("endpoint"):
        yield "nothing was written; a model never answers twice alike: keep this with --out DIR, then memopt apply DIR"
    else:
        yield "nothing was written; --apply writes it"


def tell_failures(view: View, summary: Summary, *, totals: bool = True) -> None:
    """Why users failed or were not tried, on standard error."""
    failed, left = summary.counted["failed"], summary.counted["not-tried"]
    stopped = summary.stopped
    out = sys.stderr.write
    for note in summary.notes:
        out(f"memopt: {visible(note)}\n")
    if not failed and stopped is None:
        return
    if failed:
        out(f"memopt: {failed:,} of {count(summary.users, 'user')} failed\n")
        for reason in sorted(summary.reasons.values(), key=lambda item: -item.users):
            out(f"  {count(reason.users, 'user')}, {reason.kind}: {visible(reason.message)}\n    {_examples(reason)}\n")
    if stopped is not None:
        if isinstance(stopped, Interrupted):
            out(f"memopt: {visible(str(stopped))}; {count(left, 'user')} not tried\n")
        else:
            what = "ended" if isinstance(stopped, LimitError) else "stopped"
            out(f"memopt: the run {what}, {count(left, 'user')} not tried: {visible(str(stopped))}\n")
    if summary.unpayable is not None:
        never = summary.unpayable
        out(f"memopt: {count(never.users, 'user')} will not fit into any run with this limit: {visible(never.message)}\n")
        out(f"    {_examples(never)}\n")
    if totals:  # unless they stand a few lines above on the same terminal
        out(f"memopt: {totals_line(summary, applying=view.applying)}\n")
    sys.stderr.flush()


def _examples(reason: Reason) -> str:
    """The first few users that something befell, and how many more there are."""
    shown = ", ".join(repr(user) for user in reason.examples)
    more = f" and {reason.users - len(reason.examples):,} more" if reason.users > len(reason.examples) else ""
    return f"{visible(shown)}{more}"


def _write_document(view: View, told: Told, summary: Summary) -> None:
    from memopt.cli.documents import store_document

    head: dict[str, Any] = {
        "store": store_document(view.ref),
        "apply": view.applying,
        "policy": view.policy,
        "steps": [{"strategy": step.strategy, "options": dict(step.options)} for step in view.steps],
        "model": None if view.model is None else dict(view.model),
        "encoding": view.encoding,
        "folder": None if view.folder is None else str(view.folder),
    }
    write_document(head, told, summary)


def write_document(head: Mapping[str, Any], told: Told, summary: Summary) -> None:
    """One JSON document, written as it goes, so that it may be larger than memory."""
    from memopt.fleet import error_dict

    def figures(side: Any) -> dict[str, int]:
        return {"text": side.text, "prompt": side.prompt}

    def reason_document(reason: Reason) -> dict[str, Any]:
        return {"kind": reason.kind, "message": reason.message, "users": reason.users, "examples": reason.examples}

    totals: dict[str, Any] = {
        "totals": {
            "users": summary.users,
            "statuses": summary.counted,
            "passed_over": {name: summary.passed_over[name] for name in ("selection", "when", "limit", "no-user")},
            "memories": {"before": summary.before.memories, "after": summary.after.memories},
            "tokens": {
                "before": figures(summary.before),
                "after": figures(summary.after),
                "saved": summary.saved,
            },
            "counts": {name: summary.counts[name] for name in ("kept", "revised", "dropped", "added")},
            "unreadable": summary.unreadable,
            "usage": {
                "requests": summary.usage.requests,
                "prompt_tokens": summary.usage.prompt_tokens,
                "completion_tokens": summary.usage.completion_tokens,
                "cost": summary.usage.cost,
            },
            "seconds": round(summary.seconds, 3),
        },
        "failures": [reason_document(reason) for reason in sorted(summary.reasons.values(), key=lambda item: -item.users)],
        "unpayable": None if summary.unpayable is None else reason_document(summary.unpayable),
        "notes": list(summary.notes),
        "stopped": None if summary.stopped is None else error_dict(summary.stopped),
    }
    out = sys.stdout.write
    with telling():
        out(json.dumps(head, indent=1)[:-2] + ',\n "users": [')
        first = True
        for row in told.rows():
            out(("\n  " if first else ",\n  ") + json.dumps(row))
            first = False
        out(("]" if first else "\n ]") + ",\n" + json.dumps(totals, indent=1)[2:] + "\n")


# -- memopt apply DIR ---------------------------------------------------------------------------------------------------


def is_folder(given: str) -> bool:
    """Whether ``memopt apply`` was given a folder."""
    return given != "-" and Path(os.path.expanduser(native_path(given))).is_dir()  # noqa: PTH111 - as for plan files


def store_made_from(made_from: StoreRef, common: Common, what: str) -> tuple[MemoryStore, Settings]:
    """The store that something was made from: where it was then, or where the call or the shell says that it is.

    Raises:
        PlanFileError: the call or the shell names another one.
        StoreError: it cannot be opened.
    """
    from memopt.errors import PlanFileError
    from memopt.stores import open_store

    settings = common.settings()
    # A server is not reached by its location alone: user and password stand where the settings have them.
    on_server = made_from.kind == "agno-postgres" and "db" in settings.origin
    named = on_server or settings.origin.get("db") in ("--db", "MEMOPT_DB")
    table_named = settings.origin.get("table") in ("--table", "MEMOPT_TABLE")
    try:
        store = open_store(
            native_path(settings.need_db() if named else made_from.location),
            settings.table if table_named else made_from.table if on_server or not named else None,
            settings.lock_timeout,
        )
    except StoreError as error:
        if named or made_from.kind != "agno-postgres":
            raise
        raise StoreError(f"{error}; how to log in is not kept beside plans: say it with --db or MEMOPT_DB") from error.__cause__
    if store.ref != made_from:
        raise PlanFileError(
            f"{what} made from {shown_path(made_from.location)}, table {made_from.table}, and not from "
            f"{shown_path(store.ref.location)}, table {store.ref.table}"
        )
    return store, settings


def apply_folder(request: Applied) -> int:
    """``memopt apply DIR``. Returns the exit code."""
    from memopt.cli.options import conflict_mode
    from memopt.fleet import FolderRun
    from memopt.folder import MANIFEST, read_head
    from memopt.plan import StoreRef

    mode = conflict_mode(request.on_conflict)
    if request.max_drop is not None:
        from memopt.guards import parse_max_drop

        parse_max_drop(request.max_drop)
    path = Path(os.path.realpath(os.path.expanduser(native_path(request.plan))))  # noqa: PTH111 - as for plan files
    head = read_head(path / MANIFEST)
    made_from = StoreRef(**{key: str(head["store"].get(key, "")) for key in ("kind", "location", "table")})
    said = {name: getattr(request, name) for name in ("max_drop", "allow_empty", "on_conflict")} | {"plans": str(path)}
    about: dict[str, Any] = {"applying": True, "encoding": request.common.settings().encoding, "settings": said}
    try:
        store, settings = store_made_from(made_from, request.common, "the plans were")
    except StoreError:
        with _unopened(made_from, request.report, request.log, about):
            raise
    summed = open_report(request.report, request.log)
    with Told(request.log, applying=True, report=summed) as told:

        def outcome(each: Outcome) -> None:
            if summed is not None:
                summed.made_by(run.made)
            told.outcome(each)

        run = FolderRun(
            store,
            path,
            on_conflict=mode,
            max_drop=request.max_drop,
            allow_empty=request.allow_empty,
            told=outcome,
            sized=told.sized,
            with_last=summed is not None,
        )
        told.summary = run.summary
        with summed or nullcontext():
            if summed is not None:
                summed.begin(store, run.summary, **about)
            summary = _interruptible(run)
        view = View(ref=store.ref, steps=(), model=None, encoding=settings.encoding, applying=True)
        code = _show(view, told, summary, request.common.json, request.verbose)
        return code if summed is None else summed.exit_code(code)

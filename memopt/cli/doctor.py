"""``memopt doctor``: a look at a whole store, for a person and for cron."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from memopt.cli.options import Common
from memopt.cli.run import Work, print_document
from memopt.errors import ExitCode, UsageError

if TYPE_CHECKING:
    from memopt.cli.render import Screen
    from memopt.doctor import Check, Health, Severity
    from memopt.stores.base import OwnTable

LEVELS = ("error", "warning", "info", "never")


def doctor(
    fail_on: Annotated[
        str | None,
        typer.Option(
            "--fail-on",
            metavar="|".join(LEVELS),
            help="Exit with 3 from this finding on; default warning.",
            autocompletion=lambda incomplete: [name for name in LEVELS if name.startswith(incomplete)],
        ),
    ] = None,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Print only such findings, and nothing where there are none: for cron.")
    ] = False,
    integrity: Annotated[
        bool, typer.Option("--integrity", help="Also check every page of an SQLite file; that reads all of it.")
    ] = False,
    *,
    common: Common,
) -> Work:
    """Check a store: broken and orphaned rows, times, duplicates, growth, size, journal. It only reads."""

    def work() -> int:
        level = fail_on or "warning"
        if level not in LEVELS:
            raise UsageError(f"--fail-on takes one of {', '.join(LEVELS)}, not {level!r}")
        settings = common.settings()
        store = common.manager(settings).store
        from memopt.doctor import Severity, examine

        limit = None if level == "never" else Severity[level.upper()]
        health = examine(store, now=time.time(), encoding=settings.encoding, integrity=integrity)
        if common.json:
            print_document(health.to_dict())
        else:
            from memopt.cli.render import Screen

            _view(Screen(sys.stdout), health, limit, quiet)
        return int(ExitCode.PENDING) if limit is not None and health.worst >= limit else 0

    return work


def _view(screen: Screen, health: Health, limit: Severity | None, quiet: bool) -> None:
    from memopt.cli.render import store_text
    from memopt.doctor.checks import Severity, at_least

    if quiet:
        found = [] if limit is None else list(at_least(health.checks, limit))
        if found:
            screen.line(store_text(health.ref))
            _findings(screen, found)
        return
    screen.line(("Doctor", "bold"), f" for {store_text(health.ref)}")
    for name, text in _about(health):
        screen.wrapped([(text, "")], indent=f"  {name:<12}", hanging=" " * 14)
    _growth(screen, health)
    found = list(at_least(health.checks, Severity.INFO))
    _findings(screen, found)
    asked = [check for check in health.checks if check.severity is not None]
    screen.line()
    screen.line(_closing(len(asked), len(found)))
    if not health.complete:
        screen.wrapped([("not everything could be read, so the figures are of a part of the store", "warn")])


def _closing(asked: int, found: int) -> str:
    from memopt.cli.render import count

    if not found:
        return f"{count(asked, 'check')}, nothing found"
    return f"{count(asked, 'check')}, {count(found, 'finding')}"


def _about(health: Health) -> Iterator[tuple[str, str]]:
    from memopt.cli.render import count, minute, number
    from memopt.cli.safe import visible
    from memopt.doctor.checks import megabytes

    found, told = health.figures, health.inspection
    yield (
        "memories",
        f"{number(found.memories)} of {count(found.users, 'user')}, {count(found.tokens, 'token')} of texts "
        f"({visible(health.encoding)})",
    )
    yield "newest", minute(found.newest) + (f"; {number(found.undated)} undated" if found.undated else "")
    if told.version is not None:
        yield "schema", f"{visible(told.version)}, as the framework notes it"
    if told.size is not None:
        free = "" if not told.free else f", {megabytes(told.free)} of them free"
        log = "" if told.log_size is None else f"; write-ahead log {megabytes(told.log_size)}"
        yield "size", f"{megabytes(told.size)}{free}{log}"
    yield "journal", "left out: this role may not read it" if told.hidden else _own(told.journal, "run")
    if told.seen is not None:
        yield "notes", f"{_own(told.seen, 'note')} (what runs over many users have seen)"


def _own(own: OwnTable | None, noun: str) -> str:
    from memopt.cli.render import count, day
    from memopt.doctor.checks import megabytes

    if own is None or not own.rows:
        return f"no {noun}"
    size = "" if own.size is None else f", {megabytes(own.size)}"
    return count(own.rows, noun) + size + ("" if own.oldest is None else f", the oldest of {day(own.oldest)}")


def _growth(screen: Screen, health: Health) -> None:
    from memopt.cli.render import count, number, table
    from memopt.doctor.checks import trend

    weeks = health.figures.weeks
    screen.line()
    if not any(week.memories for week in weeks):
        screen.line(f"growth      no memory was added in the last {len(weeks)} weeks")
        return
    most = max(week.tokens for week in weeks) or 1
    rows = [
        (week.begins.isoformat(), number(week.memories), number(week.tokens), "█" * -(-20 * week.tokens // most))
        for week in weeks
    ]
    table(screen, ("week of", "memories", "tokens", ""), rows, right=(1, 2))
    late, _, times = trend(weeks)
    more = "" if times is None else f", {times:.1f} times the four before"
    screen.line(f"the last four whole weeks: {count(late.memories, 'memory', 'memories')}, {count(late.tokens, 'token')}{more}")


def _findings(screen: Screen, found: Sequence[Check]) -> None:
    from memopt.cli.render import user_name
    from memopt.cli.safe import visible

    for check in sorted(found, key=lambda item: -(item.severity or 0)):
        assert check.severity is not None
        screen.line()
        word = check.severity.word
        screen.wrapped([(visible(check.message), "bold")], indent=f"{word:<9}", hanging=" " * 9)
        for user, memory in check.examples:
            screen.line(f"         {user_name(user)}{f': {visible(memory)}' if memory else ''}")
        screen.wrapped([(visible(check.advice), "dim")], indent=" " * 9, hanging=" " * 9)

"""``memopt undo`` and ``memopt history``: the journal."""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from memopt.cli.options import (
    Full,
    OnConflict,
    OnStore,
    checked_text,
    conflict_mode,
)
from memopt.cli.run import Work, print_document, progress
from memopt.cli.safe import visible
from memopt.errors import UsageError

if TYPE_CHECKING:
    from memopt.stores.journal import Run

_UNITS = {
    "min": 60,
    "minute": 60,
    "minutes": 60,
    "h": 3_600,
    "hour": 3_600,
    "hours": 3_600,
    "d": 86_400,
    "day": 86_400,
    "days": 86_400,
    "w": 604_800,
    "week": 604_800,
    "weeks": 604_800,
}
_MAX_AGE = 86_400 * 365 * 200


def undo(
    run: Annotated[str | None, typer.Argument(metavar="[RUN]", help="The run to take back; default: the latest.")] = None,
    on_conflict: OnConflict = None,
    *,
    common: OnStore,
) -> Work:
    """Take a run back: put the exact rows back where they were. An undo is a run too and can be undone."""

    def work() -> int:
        mode = conflict_mode(on_conflict)
        if run is not None and not run.strip():
            raise UsageError("RUN is empty; memopt history lists the runs")
        if run is not None:
            checked_text(run, "RUN")
        manager = common.manager(common.settings())
        started = time.time()

        def written() -> str | None:
            latest = manager.history()
            return latest[0].run_id if latest and latest[0].at >= int(started) else None

        progress.writing = written
        done = manager.undo(run.strip() if run else None, on_conflict=mode)
        progress.writing, progress.done = None, done.run_id
        if common.json:
            from memopt.cli.documents import undo_document

            print_document(undo_document(done, manager.store.ref, in_force_again(manager.history(), done)))
            return 0
        from memopt.cli.optimize import undo_command
        from memopt.cli.render import Screen, run_view

        screen = Screen(sys.stdout)
        screen.line((f"took back run {visible(done.undoes or '')}", "bold"))
        again = in_force_again(manager.history(), done)
        if again is not None:
            screen.line((f"that run was an undo itself: what run {visible(again)} did holds again", "warn"))
        run_view(screen, done)
        screen.line(f"this is run {visible(done.run_id)}; take it back with: {undo_command(done.run_id, common)}")
        return 0

    return work


def in_force_again(runs: Sequence[Run], done: Run) -> str | None:
    """The run whose changes hold again, where what was taken back was an undo; None where it was none."""
    by_id = {run.run_id: run for run in runs}
    taken = by_id.get(done.undoes or "")
    again = None
    while taken is not None and taken.undoes is not None:
        again = taken.undoes
        taken = by_id.get(again)
        if taken is None or taken.undoes is None:
            return again
        taken = by_id.get(taken.undoes)  # the undo of an undo: two steps on, the same side again
        again = None
    return again


def history(
    run: Annotated[str | None, typer.Argument(metavar="[RUN]", help="One run: what it did to each memory, and why.")] = None,
    user: Annotated[str | None, typer.Option("--user", "-u", metavar="ID", help="Only the runs on this user.")] = None,
    prune: Annotated[bool, typer.Option("--prune", help="Drop old entries; they can no longer be undone.")] = False,
    keep: Annotated[
        str | None,
        typer.Option("--keep", metavar="N", help="With --prune: the N newest runs stay, whatever their age."),
    ] = None,
    older_than: Annotated[
        str | None,
        typer.Option("--older-than", metavar="AGE", help="With --prune: only runs older than this go, such as 90d, 12h, 8w."),
    ] = None,
    full: Full = False,
    *,
    common: OnStore,
) -> Work:
    """List the runs in the journal, newest first; show one with what it did and why; drop old entries with --prune."""

    def work() -> int:
        if not prune and (keep is not None or older_than is not None):
            raise UsageError("--keep and --older-than go with --prune")
        if run is not None and (prune or user is not None):
            raise UsageError(f"RUN names one run; leave out {'--prune' if prune else '--user'}")
        if run is not None and not run.strip():
            raise UsageError("RUN is empty; memopt history lists the runs")
        if prune and user is not None:
            raise UsageError("--prune works on the whole journal; it takes no --user")
        if user is not None:
            if not user.strip():
                raise UsageError("--user is empty")
            checked_text(user, "--user")
        newest = None if keep is None else read_keep(keep)
        age = None if older_than is None else read_age(older_than)
        if prune and newest is None and age is None:
            raise UsageError("--prune needs to know what to drop: --keep N (the newest stay) and/or --older-than 90d")

        manager = common.manager(common.settings())
        ref = manager.store.ref
        if prune:
            gone = manager.store.prune(keep=newest, before=None if age is None else time.time() - age)
            left = len(manager.history())
            if common.json:
                from memopt.cli.documents import prune_document

                print_document(prune_document(gone, left, ref))
                return 0
            from memopt.cli.render import Screen, count

            Screen(sys.stdout).line(f"{count(gone, 'run')} dropped from the journal, {count(left, 'run')} left")
            return 0

        if run is not None:
            found, changes = manager.changes(checked_text(run, "RUN").strip())
            if common.json:
                from memopt.cli.documents import run_document

                print_document(run_document(found, changes, ref))
                return 0
            from memopt.cli.render import Screen, run_changes_view

            run_changes_view(Screen(sys.stdout), found, changes, store=ref, full=full)
            return 0

        listed = manager.history(user)
        if common.json:
            from memopt.cli.documents import history_document

            print_document(history_document(listed, ref))
            return 0
        from memopt.cli.render import Screen, runs_view

        runs_view(Screen(sys.stdout), listed, store=ref, user_id=user)
        return 0

    return work


def read_keep(text: str) -> int:
    """A number of runs, at least 1."""
    if not re.fullmatch(r"[0-9]{1,9}", text.strip()) or int(text) < 1:
        raise UsageError(f"--keep takes a number of runs of at least 1, not {text!r}")
    return int(text)


def read_age(text: str) -> int:
    """``90d``, ``12h``, ``8w``, ``30min`` in seconds. ``m`` is refused: it means months to some and minutes to others."""
    match = re.fullmatch(r"\s*([0-9]{1,9})\s*([A-Za-z]+)\s*", text)
    unit = match[2].lower() if match else ""
    if unit in ("m", "mo", "month", "months", "y", "year", "years"):
        raise UsageError(
            f"--older-than {text!r}: months and years differ in length; say days (90d), hours (12h) or minutes (30min)"
        )
    if match is None or unit not in _UNITS:
        raise UsageError(f"--older-than takes a number and a unit, such as 90d, 12h, 8w or 30min, not {text!r}")
    age = int(match[1]) * _UNITS[unit]
    if not 0 < age <= _MAX_AGE:
        raise UsageError(f"--older-than takes an age above 0 and up to 200 years, not {text!r}")
    return age

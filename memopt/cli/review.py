"""``memopt review``: walking through a plan, taking or leaving each of its changes, and writing what was taken."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from memopt.cli.options import AllowEmpty, Common, Db, Debug, Full, Json, LockTimeout, MaxDrop, OnConflict, Table
from memopt.cli.run import Work
from memopt.cli.safe import visible
from memopt.errors import Interrupted, UsageError

if TYPE_CHECKING:
    from memopt.cli.render import Screen
    from memopt.plan import Change, Plan

KEYS = "[a]ccept  [r]eject  [A]ccept all that follow  [R]eject all that follow  [q]uit, write nothing"


def review(
    plan_file: Annotated[str, typer.Argument(metavar="PLAN", help="A file that --out wrote.")],
    max_drop: MaxDrop = None,
    allow_empty: AllowEmpty = False,
    on_conflict: OnConflict = None,
    full: Full = False,
    db: Db = None,
    table: Table = None,
    lock_timeout: LockTimeout = None,
    as_json: Json = False,
    debug: Debug = False,
) -> Work:
    """Walk through a plan's changes, accept or reject each, and write what was accepted."""
    common = Common(db, table, None, lock_timeout, as_json)
    return lambda: _review(plan_file, common, max_drop, allow_empty, on_conflict, full)


def _review(plan_file: str, common: Common, max_drop: str | None, allow_empty: bool, on_conflict: str | None, full: bool) -> int:
    from memopt.cli import render
    from memopt.cli.optimize import finish_apply, open_plan
    from memopt.plan import review_groups, without
    from memopt.tokens import TokenCounter

    if plan_file == "-":
        raise UsageError("memopt review reads your answers from standard input; name a plan file")
    opened = open_plan(plan_file, common, max_drop, on_conflict)
    plan = opened.plan
    groups = review_groups(plan)
    # with --json the document alone goes to standard output, and the walk to standard error
    screen = render.Screen(sys.stderr if common.json else sys.stdout)
    rejected: set[str] = set()
    answers = _answers()
    following = ""
    for place, group in enumerate(groups, 1):
        if not following:
            _show_group(screen, plan, group, place, len(groups), full)
            screen.line(KEYS)
            answer = next(answers)
            if answer == "q":
                raise Interrupted("quit; nothing was written, and the file is as it was")
            following = answer if answer in "AR" else ""
            taken = answer in "aA"
            screen.line("accepted" if taken else "rejected")
            screen.line()
        if not taken:
            rejected.update(change.memory_id for change in group)
    count = TokenCounter(plan.encoding).figures
    accepted = without(plan, rejected, count, "rejected in the review") if rejected else plan
    return finish_apply(opened, accepted, allow_empty=allow_empty, full=full)


def _show_group(screen: Screen, plan: Plan, group: Sequence[Change], place: int, total: int, full: bool) -> None:
    from memopt.cli import render

    safe = "safe" if all(change.safe for change in group) else "a judgement"
    together = f", {len(group)} that belong together" if len(group) > 1 else ""
    screen.line((f"change {place} of {total}{together} ({safe})", "bold"))
    by_id = {change.memory_id: change for change in plan.changes}
    shown = set()
    for change in group:
        partners = [change.into, *change.relies_on] if change.after is None else []
        before = change.before.memory if change.before is not None else ""
        after = change.after.memory if change.after is not None else ""
        title = change.action.value
        if change.after is None:
            kept = next((by_id[i] for i in partners if i is not None and i in by_id and by_id[i].after is not None), None)
            if kept is not None and kept.after is not None:
                after, title = kept.after.memory, f"dropped; stays: {visible(kept.memory_id)}"
        if change.memory_id in shown:
            continue
        shown.add(change.memory_id)
        render.side_by_side(screen, (visible(change.memory_id), before), (title, after), full=full)
        screen.wrapped([(visible(change.reason), "")], indent="  ", hanging="  ")


def _answers() -> Iterator[str]:
    """One of a, r, A, R, q after another: single keys on a terminal, else the first letters of lines."""
    while True:
        key = _key() if sys.stdin is not None and sys.stdin.isatty() else _line()
        if key in "arARq" and key:
            yield key


def _line() -> str:
    text = sys.stdin.readline() if sys.stdin is not None else ""
    if not text:
        raise UsageError("a review needs an answer (a, r, A, R or q) for each change, from a terminal or a line each; none came")
    return text.strip()[:1]


def _key() -> str:
    """One key press, without Enter where the terminal can."""
    sys.stdout.flush()
    sys.stderr.flush()
    try:
        import os
        import termios
        import tty
    except ImportError:
        return _line()
    descriptor = sys.stdin.fileno()
    before = termios.tcgetattr(descriptor)
    try:
        # neither throws away what was typed quickly, nor reads more than one key
        tty.setcbreak(descriptor, termios.TCSADRAIN)
        key = os.read(descriptor, 1).decode("ascii", "replace")
    finally:
        termios.tcsetattr(descriptor, termios.TCSADRAIN, before)
    if key in ("", "\x04"):
        return "q"
    return key

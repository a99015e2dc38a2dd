"""``memopt review``: walking through a plan, taking or leaving each of its changes, and writing what was taken."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from memopt.cli.options import (
    AllowEmpty,
    Common,
    Full,
    MaxDrop,
    OnConflict,
    OnStore,
)
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
    *,
    common: OnStore,
) -> Work:
    """Walk through a plan's changes, accept or reject each, and write what was accepted."""
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
    with _keyboard():
        answers = _answers(screen)
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
    from memopt.plan import Action

    safe = "safe" if all(change.safe for change in group) else "a judgement"
    together = f", {len(group)} that belong together" if len(group) > 1 else ""
    screen.line((f"change {place} of {total}{together} ({safe})", "bold"))
    by_id = {change.memory_id: change for change in plan.changes}
    above: set[str] = set()  # what stands beside several is shown once, and first
    for change in group:
        if change.action is Action.ADDED and change.after is not None:
            screen.line((f"added: {visible(change.memory_id)}", "dim"))
            room = max(screen.width - 2, render.NARROWEST)
            lines = render.text_lines(render.masked(change.after.memory), room, full=full, limit=render.NEW_TEXT)
            screen.lines([("  ", ""), *line] for line in lines)
            _why(screen, change.reason)
            above.add(change.memory_id)
    said = ""
    for change in group:
        if change.memory_id in above:
            continue
        partners = [change.into, *change.relies_on] if change.after is None else []
        before = change.before.memory if change.before is not None else ""
        after = change.after.memory if change.after is not None else ""
        title = change.action.value
        if change.after is None:
            kept = next((by_id[i] for i in partners if i is not None and i in by_id and by_id[i].after is not None), None)
            if kept is not None and kept.memory_id in above:
                screen.line(("dropped: ", "dropped"), (visible(change.memory_id), "dim"))
                room = max(screen.width - 2, render.NARROWEST)
                screen.lines([("  ", ""), *line] for line in render.text_lines(render.masked(before), room, full=full))
                if change.reason != said:
                    _why(screen, change.reason)
                said = change.reason
                continue
            if kept is not None and kept.after is not None:
                after, title = kept.after.memory, f"dropped; stays: {visible(kept.memory_id)}"
        render.side_by_side(screen, (visible(change.memory_id), before), (title, after), full=full)
        if change.reason != said:
            _why(screen, change.reason)
        said = change.reason


def _why(screen: Screen, reason: str) -> None:
    if reason:
        screen.wrapped([(f"({visible(reason)})", "dim")], indent="  ", hanging="  ")


@contextmanager
def _keyboard() -> Iterator[None]:
    """While it lasts, a key is read without Enter where there is a terminal that can.

    From the start on, not only while a key is waited for: what is typed early is neither lost nor taken for the end of input.
    """
    try:
        import termios
        import tty

        descriptor = sys.stdin.fileno() if sys.stdin is not None and sys.stdin.isatty() else None
    except (ImportError, OSError):
        descriptor = None
    if descriptor is None:
        yield
        return
    before = termios.tcgetattr(descriptor)
    try:
        tty.setcbreak(descriptor, termios.TCSADRAIN)
        yield
    finally:
        termios.tcsetattr(descriptor, termios.TCSADRAIN, before)


_SAME = {"y": "a", "n": "r", "Q": "q"}


def _answers(screen: Screen) -> Iterator[str]:
    """One of a, r, A, R, q after another: single keys on a terminal, else the first letters of lines."""
    while True:
        key = _key() if sys.stdin is not None and sys.stdin.isatty() else _line()
        key = _SAME.get(key, key)
        if key in "arARq" and key:
            yield key
        else:
            screen.line(f"{visible(key) or 'Enter'!r} is none of the keys: {KEYS}")


def _line() -> str:
    text = sys.stdin.readline() if sys.stdin is not None else ""
    if not text:
        raise UsageError("a review needs an answer (a, r, A, R or q) for each change, from a terminal or a line each; none came")
    return text.strip()[:1]


def _key() -> str:
    """One key press; ``_keyboard`` has seen to it that no Enter is needed."""
    import os

    sys.stdout.flush()
    sys.stderr.flush()
    try:
        import termios  # noqa: F401 - without it lines are read
    except ImportError:
        return _line()
    # not sys.stdin, which would read ahead
    key = os.read(sys.stdin.fileno(), 1).decode("ascii", "replace")
    if key in ("", "\x04"):
        return "q"
    return "" if key in "\r\n" else key

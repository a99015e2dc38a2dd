"""``memopt curve``: what is left of what memories say, against the tokens they may cost."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from memopt.cli.options import (
    Common,
    NoUser,
    User,
    one_user,
)
from memopt.cli.run import Work, print_document
from memopt.errors import UsageError

if TYPE_CHECKING:
    from memopt.cli.render import Screen
    from memopt.stores.base import Snapshot
    from memopt.strategies.tradeoff import Point

MOST_POINTS = 100
MOST_VERIFIED = 20_000
"""A user with more memories than this is measured by worth where it was not said how: each point would take a minute."""

MEASURES = ("facts", "worth")
_EIGHTHS = " ▏▎▍▌▋▊▉"


def curve(
    user: User = None,
    no_user: NoUser = False,
    points: Annotated[
        str | None, typer.Option("--points", metavar="N", help="How many budgets, evenly spaced up to all tokens; default 10.")
    ] = None,
    measure: Annotated[
        str | None,
        typer.Option(
            "--measure",
            metavar="|".join(MEASURES),
            help="What is kept: the share of facts that verification finds again (the default up to 20,000 memories), or of what "
            "the memories are worth to the budget strategy (quicker).",
            autocompletion=lambda incomplete: [name for name in MEASURES if name.startswith(incomplete)],
        ),
    ] = None,
    protect: Annotated[
        list[str] | None,
        typer.Option(
            "--protect", metavar="RULES", help="Memories that stay at any budget, as for optimize: topic:medical,id:..."
        ),
    ] = None,
    *,
    common: Common,
) -> Work:
    """Plot what the budget strategy would keep at one budget after the other, so that a budget can be chosen. Writes nothing."""

    def work() -> int:
        user_id = one_user(user, no_user)
        steps = _points(points)
        if measure is not None and measure not in MEASURES:
            raise UsageError(f"--measure takes one of {', '.join(MEASURES)}, not {measure!r}")
        from memopt.protect import Protection
        from memopt.strategies.tradeoff import trade_off

        rules = Protection.read(protect or ())
        manager = common.manager(common.settings())
        snapshot = manager.get_user_memories(user_id)
        memories = [item.but(protected=rules.reason(item)) for item in snapshot.memories] if rules else list(snapshot.memories)
        whole = manager.tokens.figures(memories).prompt
        by = measure or ("facts" if len(memories) <= MOST_VERIFIED else "worth")
        budgets = sorted({whole * step // steps for step in range(1, steps + 1)} - {0}, reverse=True)
        found = trade_off(memories, budgets, manager.tokens, verified=by == "facts")
        shown = list(_watched(found, len(budgets))) if memories else []
        if shown and all(point.facts is None for point in shown):
            by = "worth"  # also where there is no fact to find again
        if common.json:
            _print_json(shown, whole, by, snapshot, manager)
        else:
            from memopt.cli.render import Screen

            _print_plot(Screen(sys.stdout), shown, whole, by, snapshot, manager)
        return 0

    return work


def _points(text: str | None) -> int:
    if text is None:
        return 10
    plain = text.strip()
    if not (plain.isascii() and plain.isdigit() and 1 <= int(plain[:6]) <= MOST_POINTS and len(plain) < 6):
        raise UsageError(f"--points takes a whole number from 1 to {MOST_POINTS}, not {text!r}")
    return int(plain)


def _watched(points: Iterable[Point], total: int) -> Iterable[Point]:
    """Each point as it comes; a terminal sees how far it is."""
    loud = sys.stderr.isatty()
    try:
        for number, point in enumerate(points, 1):
            if loud:
                sys.stderr.write(f"\r{number} of {total} budgets")
                sys.stderr.flush()
            yield point
    finally:
        if loud:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()


def _kept(point: Point) -> float:
    return point.worth if point.facts is None else point.facts


def _print_json(points: Sequence[Point], whole: int, by: str, snapshot: Snapshot, manager: Any) -> None:
    from memopt.cli.documents import store_document

    print_document(
        {
            "store": store_document(manager.store.ref),
            "user_id": snapshot.user_id,
            "encoding": manager.tokens.encoding,
            "memories": len(snapshot.memories),
            "unreadable": len(snapshot.unreadable),
            "tokens": whole,
            "measure": by,
            "points": [
                {
                    "budget": point.budget,
                    "share": round(point.tokens / whole, 6) if whole else 0.0,
                    "tokens": point.tokens,
                    "memories": point.memories,
                    "facts": point.facts,
                    "worth": round(point.worth, 6),
                }
                for point in points
            ],
        }
    )


def _print_plot(screen: Screen, points: Sequence[Point], whole: int, by: str, snapshot: Snapshot, manager: Any) -> None:
    from memopt.cli.render import count, number, pad, store_text, user_name

    screen.wrapped([(f"What a budget keeps of the memories of {_whose(user_name(snapshot.user_id), snapshot.user_id)}", "head")])
    screen.wrapped([(f"store       {store_text(manager.store.ref)}", "")], indent="  ")
    screen.wrapped([(f"tokens      of the prompt lines, counted with {manager.tokens.encoding}", "")], indent="  ")
    what = (
        "the share of facts that verification finds again in what stays"
        if by == "facts"
        else "the share of what all memories are worth to the budget strategy"
    )
    screen.wrapped([(f"kept        {what}", "")], indent="  ")
    screen.line()
    if not points:
        screen.line("There are no memories.")
        return
    columns = [("max-tokens", [number(point.budget) for point in points])]
    columns.append(("memories", [number(point.memories) for point in points]))
    columns.append(("kept", [f"{int(_kept(point) * 1000) / 10:.1f} %" for point in points]))
    widths = [max(len(head), *map(len, cells)) for head, cells in columns]
    room = max(4, screen.width - sum(widths) - 2 * len(widths))
    room = min(room, 50)
    screen.line(("  ".join(pad(head, width, right=True) for (head, _), width in zip(columns, widths, strict=True)), "head"))
    for row, point in enumerate(points):
        front = "  ".join(pad(cells[row], width, right=True) for (_, cells), width in zip(columns, widths, strict=True))
        screen.line(f"{front}  ", (_bar(_kept(point), room), "in"))
    screen.line()
    if snapshot.unreadable:
        screen.wrapped([(f"{count(len(snapshot.unreadable), 'row')} that cannot be read: not counted", "")])
    screen.wrapped([("choose one: memopt optimize --strategy budget -o max-tokens=N", "")])


def _whose(name: str, user_id: str | None) -> str:
    return "no user" if user_id is None else f"user {name}"


def _bar(share: float, room: int) -> str:
    """A bar in eighths of a column."""
    eighths = round(share * room * 8)
    return ("█" * (eighths // 8) + _EIGHTHS[eighths % 8]).rstrip()

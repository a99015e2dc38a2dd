"""``memopt calibrate``: which memories come close in meaning, around a threshold, on the user's own data."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from memopt.cli.asking import AskFlags, choose_embedder
from memopt.cli.options import (
    Full,
    NoUser,
    OnStore,
    User,
    one_user,
)
from memopt.cli.run import Work, print_document
from memopt.errors import UsageError

if TYPE_CHECKING:
    from memopt.plan import StoreRef
    from memopt.strategies.meaning import Pair

SPAN = 0.15
"""So far below and above the threshold is looked."""
STEP = 0.05
PAIRS = 20
MOST_PAIRS = 1000


@dataclass(frozen=True, slots=True)
class Survey:
    """What is shown.

    Attributes:
        calibrated: the threshold known for the embedder; None: none is.
        compared: how many memories were compared.
        pairs: all that come close enough, closest first.
        shown: those around the threshold.
        steps: (threshold, pairs as close as that, those of them that would be merged), highest first.
    """

    user_id: str | None
    store: StoreRef
    embedder: str
    threshold: float
    calibrated: float | None
    compared: int
    pairs: Sequence[Pair]
    shown: Sequence[Pair]
    steps: Sequence[tuple[float, int, int]]


def calibrate(
    user: User = None,
    no_user: NoUser = False,
    threshold: Annotated[
        str | None,
        typer.Option("--threshold", metavar="COSINE", help="Look around this; default: what was calibrated for the embedder."),
    ] = None,
    embedding_model: Annotated[
        str | None,
        typer.Option("--embedding-model", metavar="NAME", help="Who compares meanings [MEMOPT_EMBEDDING_MODEL]."),
    ] = None,
    base_url: Annotated[
        str | None,
        typer.Option("--base-url", metavar="URL", help="An OpenAI-compatible endpoint [MEMOPT_BASE_URL, OPENAI_BASE_URL]."),
    ] = None,
    contained: Annotated[
        bool, typer.Option("--contained", help="Judge as dedupe -o contained=true: the newer memory may say more.")
    ] = False,
    pairs: Annotated[str | None, typer.Option("--pairs", metavar="N", help="Show so many pairs; default 20.")] = None,
    full: Full = False,
    *,
    common: OnStore,
) -> Work:
    """Show the memories that come close in meaning around a threshold, and what keeps them apart. Writes nothing."""

    def work() -> int:
        user_id = one_user(user, no_user)
        wanted = None if threshold is None else _cosine(threshold)
        most = PAIRS if pairs is None else _count(pairs)
        settings = common.settings(embedding_model=embedding_model, base_url=base_url)
        settings.need_db()
        from memopt.similarity.embed import DEFAULT, scale_of
        from memopt.strategies.meaning import choose, one_of_each, survey

        name = settings.embedding_model or DEFAULT
        embedder = choose_embedder(settings, AskFlags(), name)
        meaning = choose(embedder, name, wanted)
        manager = common.manager(settings)
        snapshot = manager.get_user_memories(user_id)
        told = one_of_each(snapshot.memories)
        found = survey(told, meaning, max(0.0, meaning.threshold - SPAN), more=contained)
        scale = scale_of(meaning.name)
        result = Survey(
            user_id,
            manager.store.ref,
            meaning.name,
            meaning.threshold,
            None if scale is None else scale.threshold,
            len(told),
            found,
            around(found, meaning.threshold, most),
            steps(found, meaning.threshold),
        )
        if common.json:
            print_document(document(result))
        else:
            show(result, full=full)
        return 0

    return work


def _cosine(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0.3 <= value <= 1 or "_" in text:
        raise UsageError(f"--threshold takes a number from 0.3 to 1, not {text!r}")
    return value


def _count(text: str) -> int:
    plain = text.strip()
    if not (plain.isascii() and plain.isdigit() and len(plain) < 6 and 1 <= int(plain) <= MOST_PAIRS):
        raise UsageError(f"--pairs takes a whole number from 1 to {MOST_PAIRS}, not {text!r}")
    return int(plain)


def around(found: Sequence[Pair], threshold: float, most: int) -> list[Pair]:
    """Half of the pairs from above the threshold, half from below, those nearest to it; those that nothing keeps apart first."""

    def nearest(some: list[Pair], room: int) -> list[Pair]:
        return sorted(some, key=lambda pair: (pair.apart is not None, abs(pair.score - threshold)))[:room]

    above = [pair for pair in found if pair.score >= threshold]
    below = [pair for pair in found if pair.score < threshold]
    room = max(most // 2, most - len(below))
    chosen = nearest(above, room)
    chosen += nearest(below, most - len(chosen))
    return sorted(chosen, key=lambda pair: -pair.score)


def steps(found: Sequence[Pair], threshold: float) -> list[tuple[float, int, int]]:
    """How many pairs come close, and how many of them would be merged, at the threshold and at some above and below it."""
    places = sorted({round(threshold + STEP * step, 4) for step in range(-3, 4)}, reverse=True)
    out = []
    for place in places:
        if place <= 1:
            close = [pair for pair in found if pair.score >= place]
            out.append((place, len(close), sum(pair.apart is None for pair in close)))
    return out


def document(result: Survey) -> dict[str, Any]:
    """What ``--json`` prints."""
    from memopt.cli.documents import store_document

    return {
        "user_id": result.user_id,
        "store": store_document(result.store),
        "embedder": result.embedder,
        "threshold": result.threshold,
        "calibrated": result.calibrated,
        "memories": result.compared,
        "steps": [{"threshold": place, "close": close, "merged": merged} for place, close, merged in result.steps],
        "pairs": [
            {
                "score": round(pair.score, 4),
                "newer": {"memory_id": pair.newer.memory_id, "memory": pair.newer.memory},
                "older": {"memory_id": pair.older.memory_id, "memory": pair.older.memory},
                "apart": pair.apart,
            }
            for pair in result.shown
        ],
    }


def show(result: Survey, *, full: bool) -> None:
    """Print the survey."""
    from memopt.cli.render import Screen, count, number, side_by_side, store_text, table, user_name
    from memopt.cli.safe import visible

    screen = Screen(sys.stdout)
    known = "" if result.calibrated in (None, result.threshold) else f" (calibrated: {result.calibrated:g})"
    screen.line(
        (f"Meaning of {count(result.compared, 'memory', 'memories')} of user {user_name(result.user_id)}", "bold"),
        f" by {visible(result.embedder)}, threshold {result.threshold:g}{known}",
    )
    screen.line()
    table(
        screen,
        ("threshold", "pairs as close", "would be merged"),
        [(f"{place:.2f}", number(close), number(merged)) for place, close, merged in result.steps],
        right=(0, 1, 2),
    )
    if not result.pairs:
        screen.line()
        screen.line(f"no two memories come closer than {max(0.0, result.threshold - SPAN):.2f}")
    line_told = False
    for pair in result.shown:
        if pair.score < result.threshold and not line_told:
            line_told = True
            screen.line()
            screen.line((f"---- below the threshold {result.threshold:g}: looked at no further ----", "dim"))
        screen.line()
        if pair.apart is not None:
            verdict = f"stay two: {visible(pair.apart)}"
        else:
            verdict = "would be merged" if pair.score >= result.threshold else "nothing else keeps them apart"
        screen.line((f"{int(pair.score * 1000) / 1000:.3f}", "bold"), f"  {verdict}")
        goes = "goes" if pair.apart is None else "stays"
        side_by_side(screen, ("stays", pair.newer.memory), (goes, pair.older.memory), full=full)
    screen.line()
    near = f"{count(len(result.pairs), 'pair')} from {max(0.0, result.threshold - SPAN):.2f} on, {len(result.shown)} shown"
    screen.line((near, "dim"))
    screen.line((f"{store_text(result.store)}; set it with: -o semantic=true -o semantic-threshold=...", "dim"))


__all__ = ["Survey", "around", "calibrate", "document", "show", "steps"]

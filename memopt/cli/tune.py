"""``memopt tune``: weights of the search, fitted on half of the questions and measured on the other half."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from memopt.cli.options import OnStore, checked_text
from memopt.cli.run import Work, print_document
from memopt.cli.searching import BaseUrl, EmbeddingModel, long_questions, searcher, seed_of
from memopt.errors import ExitCode, MemoptError, UsageError
from memopt.settings import CONFIG_FILE, SEARCH, whole_number

if TYPE_CHECKING:
    from memopt.cli.render import Screen
    from memopt.evaluation.stats import Difference, Estimate
    from memopt.evaluation.tuning import Fit
    from memopt.plan import StoreRef

FITTED = ("semantic", "lexical", "entity", "recency", "half_life_days")
_FIGURES = {"recall": "recall@{k}", "mrr": "MRR", "current": "current first", "all": "mean of these"}


def tune(
    questions: Annotated[
        str | None,
        typer.Option("--questions", metavar="FILE", help="Labelled questions, one JSON object a line; see docs/evaluation.md."),
    ] = None,
    user: Annotated[
        list[str] | None,
        typer.Option("--user", "-u", metavar="ID", help="The user whose memories answer; repeat it for more, searched together."),
    ] = None,
    k: Annotated[str | None, typer.Option("-k", metavar="N", help="Look at so many of the best; default 10.")] = None,
    seed: Annotated[
        str | None, typer.Option("--seed", metavar="N", help="Split the questions by this number; default 0.")
    ] = None,
    write: Annotated[bool, typer.Option("--write", help=f"Write the weights into ./{CONFIG_FILE}, all else in it kept.")] = False,
    force: Annotated[bool, typer.Option("--force", help="With --write: also where the gain may be luck.")] = False,
    embedding_model: EmbeddingModel = None,
    base_url: BaseUrl = None,
    *,
    common: OnStore,
) -> Work:
    """Fit the weights of the search on half of the questions, and show what they bring on the other half. Writes no memory."""

    def work() -> int:
        if questions is None:
            raise UsageError("say which questions: --questions FILE; memopt questions drafts some")
        if force and not write:
            raise UsageError("--force goes with --write")
        users = list(dict.fromkeys(checked_text(name, "--user") for name in user or ()))
        if not users or not all(name.strip() for name in users):
            raise UsageError("say whose memories answer the questions: --user ID; memopt users lists them")
        best = 10 if k is None else whole_number(k, "-k")
        number = seed_of(seed)
        from memopt.cli.files import read_text
        from memopt.cli.safe import shown_path
        from memopt.evaluation.evidence import Outcome
        from memopt.evaluation.questions import read_questions

        asked = read_questions(read_text(questions, "file of questions"), shown_path(questions))
        settings = common.settings(embedding_model=embedding_model, base_url=base_url)
        settings.need_db()
        from memopt.evaluation.tuning import tune as fit_weights
        from memopt.retrieval import Ranking

        start = Ranking.read({name: value for name, value in settings.search.items() if name in ("k1", "b")})
        manager = common.manager(settings)
        outcomes: dict[str | None, Outcome] = {}
        for name in users:
            memories = [item for item in manager.get_user_memories(name).memories if not item.is_blank]
            outcomes[name] = Outcome.unchanged(name, memories, manager.tokens)
        embedder, note = searcher(settings, start)
        told = _teller()
        try:
            fit = fit_weights(asked.questions, outcomes, start=start, embedder=embedder, seed=number, k=best, told=told)
        finally:
            if told is not None:
                told("")
        values = {name.replace("_", "-"): getattr(fit.ranking, name) for name in FITTED}
        refused = not_worth_it(fit)
        written = write and fit.ranking != fit.start and (refused is None or force)
        if written:
            write_table(values)
        found = Tuned(
            fit,
            users,
            manager.store.ref,
            None if embedder is None else embedder.name,
            (*([note] if note else []), *long_questions(asked.questions)),
            number,
            best,
            written,
            None if not write or written or (force and fit.ranking == fit.start) else refused,
            values,
        )
        if common.json:
            print_document(document(found))
        else:
            from memopt.cli.render import Screen

            view(Screen(sys.stdout), found)
        if found.refused is None:
            return int(ExitCode.OK)
        if not common.json:
            sys.stdout.flush()
            way_out = "" if fit.ranking == fit.start else "; --force writes it all the same"
            sys.stderr.write(f"memopt: not written: {found.refused}{way_out}\n")
        return int(ExitCode.REFUSED)

    return work


@dataclass(frozen=True, slots=True)
class Tuned:
    """What is shown.

    Attributes:
        notes: why meanings were not compared, where they were not; which questions were looked for in part.
        refused: why nothing was written though that was asked for.
        values: the weights that were fitted, as memopt.toml spells them.
    """

    fit: Fit
    users: Sequence[str]
    store: StoreRef
    embedder: str | None
    notes: tuple[str, ...]
    seed: int
    k: int
    written: bool
    refused: str | None
    values: Mapping[str, float]


def not_worth_it(fit: Fit) -> str | None:
    """Why the weights should not be written; None where they are better than the defaults beyond doubt."""
    if fit.ranking == fit.start:
        return "nothing better than the defaults was found"
    return None if fit.better else "the interval of the gain on the other half includes zero, so it may be luck"


def write_table(values: Mapping[str, float]) -> None:
    """Write the weights into ./memopt.toml; all else in it stays, its rights too.

    Raises:
        UsageError, MemoptError: it is not TOML, or cannot be changed or written.
    """
    import os
    import stat

    from memopt.cli.files import write_atomic
    from memopt.cli.tomlfile import with_table

    target = Path(os.path.realpath(CONFIG_FILE))
    mode = 0o644
    try:
        text = target.read_bytes().decode("utf-8")
        mode = stat.S_IMODE(target.stat().st_mode)
    except FileNotFoundError:
        text = ""
    except (OSError, UnicodeDecodeError) as error:
        raise MemoptError(f"./{CONFIG_FILE} cannot be read: {getattr(error, 'strerror', None) or error}") from None
    write_atomic(target, with_table(text, SEARCH, values), mode=mode)


def _teller() -> Callable[[str], None] | None:
    if not sys.stderr.isatty():
        return None

    def told(what: str) -> None:
        sys.stderr.write(f"\r\x1b[K{what}")
        sys.stderr.flush()

    return told


def document(found: Tuned) -> dict[str, Any]:
    """``tune --json``."""
    from memopt.cli.documents import store_document

    fit = found.fit
    return {
        "store": store_document(found.store),
        "users": list(found.users),
        "seed": found.seed,
        "k": found.k,
        "embedder": found.embedder,
        "questions": {
            "fitted_on": list(fit.fitted_on),
            "measured_on": list(fit.measured_on),
            "left_out": list(fit.left_out),
        },
        "defaults": fit.start.to_dict(),
        "ranking": fit.ranking.to_dict(),
        "figures": {
            name: {
                "defaults": _estimate(fit.before[name]),
                "fitted": _estimate(fit.after[name]),
                "difference": _difference(fit.differences[name]),
            }
            for name in _FIGURES
        },
        "on_fitted": {"defaults": fit.on_fitted[0], "fitted": fit.on_fitted[1]},
        "better": fit.better,
        "written": found.written,
        "refused": found.refused,
        "notes": list(found.notes),
    }


def _estimate(value: Estimate) -> dict[str, Any] | None:
    return None if value.value is None else {"value": value.value, "low": value.low, "high": value.high}


def _difference(value: Difference | None) -> dict[str, Any] | None:
    return None if value is None else {"value": value.value, "low": value.low, "high": value.high, "p": value.p}


def view(screen: Screen, found: Tuned) -> None:
    """The weights beside the defaults, and what they bring."""
    from memopt.cli.render import count, number, store_text, table, user_name
    from memopt.cli.safe import visible
    from memopt.cli.tomlfile import table_text

    fit = found.fit
    whose = ", ".join(map(user_name, found.users))
    screen.wrapped([(f"Weights of the search for {'user' if len(found.users) == 1 else 'users'} {whose}", "bold")])
    screen.lines([[("  store       ", "dim"), (store_text(found.store), "")]])
    halves = f"fitted on {number(len(fit.fitted_on))}, measured on the other {number(len(fit.measured_on))} (seed {found.seed})"
    screen.wrapped([(halves, "")], indent="  questions   ", hanging=" " * 14)
    if fit.left_out:
        said = f"{count(len(fit.left_out), 'question')} that no memory answers"
        screen.wrapped([(said, "")], indent="  left out    ", hanging=" " * 14)
    screen.line()
    names = {name.replace("_", "-"): name for name in FITTED}
    rows = [(shown, f"{getattr(fit.start, name):g}", f"{getattr(fit.ranking, name):g}") for shown, name in names.items()]
    table(screen, ("weight", "defaults", "fitted"), rows, right=(1,))
    screen.line()
    figures = []
    for name, title in _FIGURES.items():
        before, after, gain = fit.before[name], fit.after[name], fit.differences[name]
        if before.value is not None and after.value is not None and gain is not None:
            change = f"{gain.value:+.3f} ({gain.low:+.3f} to {gain.high:+.3f})"
            figures.append((title.format(k=found.k), f"{before.value:.3f}", f"{after.value:.3f}", change))
    table(screen, ("on the other half", "defaults", "fitted", "gain (95 % interval)"), figures, right=(1, 2))
    screen.line()
    if fit.ranking == fit.start:
        screen.wrapped([("nothing better than the defaults was found", "")])
    elif found.written:
        screen.line(f"wrote into ./{CONFIG_FILE}:")
    elif found.refused is not None:
        screen.line("not written:")
    else:
        screen.line(f"for ./{CONFIG_FILE} (--write puts it there):")
    if fit.ranking != fit.start:
        screen.lines([[("  " + line, "")] for line in table_text(SEARCH, found.values).splitlines()])
        if not fit.better:
            screen.wrapped([("the interval of the gain includes zero: it may be luck; more questions would tell", "warn")])
    for note in found.notes:
        screen.wrapped([(visible(note), "")], indent="note: ", hanging="      ")

"""What the commands that search share: the weights, who compares meanings, and the time that ages are counted from."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from memopt.cli.options import read_pairs
from memopt.errors import UsageError

if TYPE_CHECKING:
    from memopt.evaluation.questions import Question
    from memopt.retrieval import Ranking
    from memopt.settings import Settings
    from memopt.similarity.embed import Embedder

Weights = Annotated[
    list[str] | None,
    typer.Option(
        "--option",
        "-o",
        metavar="KEY=VALUE",
        help="A weight of the search: semantic, lexical, entity, recency, half-life-days, k1, b; repeat it for more.",
    ),
]
EmbeddingModel = Annotated[
    str | None, typer.Option("--embedding-model", metavar="NAME", help="Who compares meanings [MEMOPT_EMBEDDING_MODEL].")
]
BaseUrl = Annotated[
    str | None,
    typer.Option("--base-url", metavar="URL", help="An OpenAI-compatible endpoint [MEMOPT_BASE_URL, OPENAI_BASE_URL]."),
]
Now = Annotated[
    str | None,
    typer.Option(
        "--now",
        metavar="DATE|newest",
        help="Count ages from this time, or from the newest memory; default: from now on the clock.",
    ),
]


def ranking_of(settings: Settings, options: Sequence[str]) -> Ranking:
    """The weights: what ``-o`` says, else memopt.toml's ``[search]``, else the defaults.

    Raises:
        UsageError: an unknown name or a bad value; it names the place.
    """
    from memopt.retrieval import Ranking
    from memopt.settings import CONFIG_FILE

    given = {key.replace("-", "_"): value for key, value in read_pairs(options).items()}
    try:
        base = Ranking.read(settings.search)
    except UsageError as error:
        raise UsageError(f"{CONFIG_FILE}, [search]: {error}") from None
    Ranking.read(given)  # a complaint about what was typed should not be about the file
    return Ranking.read({**base.to_dict(), **given})


def searcher(settings: Settings, ranking: Ranking) -> tuple[Embedder | None, str | None]:
    """Who compares meanings, and why nobody does.

    Raises:
        UsageError, ModelError: an embedder is named and cannot be had.
    """
    if not ranking.semantic > 0:
        return None, "meanings are not compared: semantic is 0"
    from memopt.cli.asking import AskFlags, choose_embedder
    from memopt.similarity.embed import DEFAULT, EXTRA, local

    name = settings.embedding_model or DEFAULT
    embedder = choose_embedder(settings, AskFlags(), name)
    if embedder is not None:
        return embedder, None
    try:
        return local(name), None
    except UsageError:
        if settings.embedding_model is not None:
            raise
    return None, f"only words are compared, not meanings: that needs pip install 'memopt[{EXTRA}]'"


def time_of(text: str | None) -> float | None:
    """Epoch seconds that ages are counted from; None for the newest memory's. Raises UsageError for another text."""
    if text is None:
        import time

        return time.time()
    if text.strip().lower() == "newest":
        return None
    from memopt.memory import to_epoch

    try:
        found = to_epoch(text)
    except ValueError:
        found = None
    if found is None:
        raise UsageError(f"--now takes a date such as 2026-01-31, a time, or newest, not {text!r}")
    return float(found)


def seed_of(text: str | None) -> int:
    """A seed, 0 where none is given. Raises UsageError for anything but a whole number."""
    if text is None:
        return 0
    plain = text.strip()
    if not (plain.isascii() and plain.isdigit() and len(plain) < 16):
        raise UsageError(f"--seed takes a whole number from 0 on, not {text!r}")
    return int(plain)


def teller() -> Callable[[int, int], None] | None:
    """Says on a terminal how far the embedding is; None where nobody looks."""
    if not sys.stderr.isatty():
        return None

    def told(done: int, total: int) -> None:
        if total > 500:
            sys.stderr.write(f"\rmeanings of {done:,} of {total:,} texts" if done < total else "\r\x1b[K")
            sys.stderr.flush()

    return told


def long_questions(questions: Sequence[Question]) -> list[str]:
    """What is to be said of questions that are looked for in part: nothing, or a sentence."""
    from memopt.cli.render import count, number
    from memopt.cli.words import shortened_list
    from memopt.retrieval.index import LONGEST_QUERY, beginning

    long = [question.id for question in questions if beginning(question.text) != question.text.strip()]
    if not long:
        return []
    more = f"{'has' if len(long) == 1 else 'have'} more than {number(LONGEST_QUERY)} characters"
    return [f"{count(len(long), 'question')} {more}, of which the beginning is looked for: {shortened_list(long)}"]

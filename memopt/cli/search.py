"""``memopt search``: a user's memories as an agent would find them, live or as a plan would leave them."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from memopt.cli.options import (
    Full,
    NoUser,
    OnStore,
    User,
    checked_text,
    one_user,
)
from memopt.cli.run import Work, print_document
from memopt.cli.searching import BaseUrl, EmbeddingModel, Now, Weights, ranking_of, searcher, teller, time_of
from memopt.errors import UsageError
from memopt.settings import whole_number

if TYPE_CHECKING:
    from memopt.cli.render import Line, Screen
    from memopt.memory import UserMemory
    from memopt.plan import StoreRef
    from memopt.retrieval import Hit, Ranking

LIMIT = 10
SHOWN = 200
"""Characters of the query that are told back."""


@dataclass(frozen=True, slots=True)
class Found:
    """What is shown.

    Attributes:
        plan: the plan file whose outcome was searched; None: the store as it is.
        matches: how many memories have anything to do with the query; ``hits`` are the best of them.
        now: what ages were counted from, epoch seconds; None where no memory has a date.
        notes: sentences about what was not compared, or not looked for.
    """

    query: str
    user_id: str | None
    store: StoreRef
    plan: str | None
    memories: int
    unreadable: int
    matches: int
    hits: Sequence[Hit]
    embedder: str | None
    ranking: Ranking
    now: float | None
    notes: Sequence[str]


def search(
    query: Annotated[list[str] | None, typer.Argument(metavar="QUERY", help="What is looked for, in any words.")] = None,
    user: User = None,
    no_user: NoUser = False,
    limit: Annotated[str | None, typer.Option("--limit", "-n", metavar="N", help="Show so many memories; default 10.")] = None,
    explain: Annotated[bool, typer.Option("--explain", help="Show what each score is made of.")] = False,
    plan: Annotated[
        str | None, typer.Option("--plan", metavar="FILE", help="Search the memories as this plan would leave them; - for stdin.")
    ] = None,
    option: Weights = None,
    now: Now = None,
    embedding_model: EmbeddingModel = None,
    base_url: BaseUrl = None,
    full: Full = False,
    *,
    common: OnStore,
) -> Work:
    """Search one user's memories as an agent does: by meaning, words, names and dates, and age. Writes nothing."""

    def work() -> int:
        text = checked_text(" ".join(query or ()), "the query")
        if not text.strip():
            raise UsageError('say what is looked for: memopt search --user ID "where does she live now"')
        most = LIMIT if limit is None else whole_number(limit, "--limit")
        settings = common.settings(embedding_model=embedding_model, base_url=base_url)
        ranking = ranking_of(settings, option or ())
        at = time_of(now)
        if plan is None:
            user_id = one_user(user, no_user)
            manager = common.manager(settings)
            snapshot = manager.get_user_memories(user_id)
            memories: Sequence[UserMemory] = snapshot.memories
            store, unreadable = manager.store.ref, len(snapshot.unreadable)
        else:
            made = read_plan(plan)
            user_id = made.user_id
            if (user is not None or no_user) and one_user(user, no_user) != user_id:
                raise UsageError(f"the plan is for {_whose(user_id)}; leave --user out, or name that one")
            memories, store, unreadable = made.memories, made.store, len(made.unreadable)
        from memopt.retrieval import Index

        embedder, note = searcher(settings, ranking) if memories else (None, None)
        index = Index(memories, ranking=ranking, embedder=embedder, now=at, told=teller())
        scored = index.scores(text)
        found = Found(
            text,
            user_id,
            store,
            plan,
            len(memories),
            unreadable,
            int(scored.matches.sum()),
            index.best(scored, most),
            None if embedder is None else embedder.name,
            ranking,
            index.now,
            [each for each in (note, _long(text)) if each],
        )
        if common.json:
            print_document(document(found))
        else:
            from memopt.cli.render import Screen

            view(Screen(sys.stdout), found, explain=explain, full=full)
        return 0

    return work


def _long(query: str) -> str | None:
    """What is to be said of a query that is looked for in part."""
    from memopt.cli.render import number
    from memopt.retrieval.index import beginning

    asked, whole = len(beginning(query)), len(query.strip())
    return None if asked == whole else f"the query has {number(whole)} characters; its first {number(asked)} were looked for"


def read_plan(given: str) -> Any:
    """The plan of a file, ``-`` for standard input.

    Raises:
        UsageError, PlanFileError: it cannot be read, or is altered.
    """
    from memopt.cli.documents import PLAN_EXTRAS
    from memopt.cli.files import read_plan_data
    from memopt.plan import Plan

    return Plan.from_dict(read_plan_data(given, PLAN_EXTRAS))


def document(found: Found) -> dict[str, Any]:
    """``search --json``."""
    from memopt.cli.documents import store_document
    from memopt.memory import iso_utc
    from memopt.plan import memory_json

    return {
        "store": store_document(found.store),
        "user_id": found.user_id,
        "plan": found.plan,
        "query": found.query,
        "memories": found.memories,
        "unreadable": found.unreadable,
        "matches": found.matches,
        "embedder": found.embedder,
        "ranking": found.ranking.to_dict(),
        "now": iso_utc(None if found.now is None else int(found.now)),
        "notes": list(found.notes),
        "hits": [
            {"rank": rank, "score": hit.score, "parts": {name: round(value, 9) for name, value in hit.parts.items()}}
            | {"memory": memory_json(hit.memory)}
            for rank, hit in enumerate(found.hits, 1)
        ],
    }


def _whose(user_id: str | None) -> str:
    from memopt.cli.render import user_name

    return "the memories of no user" if user_id is None else f"user {user_name(user_id)}"


def view(screen: Screen, found: Found, *, explain: bool, full: bool) -> None:
    """The hits for people, best first."""
    from memopt.cli.render import NARROWEST, count, number, shorten, store_text
    from memopt.cli.safe import shown_path, visible

    query, cut = (found.query, 0) if full else shorten(found.query, SHOWN)
    said = f"“{visible(query)}{' …' if cut else ''}”"
    whose = f"{count(found.memories, 'memory', 'memories')} of {_whose(found.user_id)}"
    if found.user_id is None:
        whose = count(found.memories, "memory that belongs to no user", "memories that belong to no user")
    screen.wrapped([(f"Search for {said} in {whose}", "bold")])
    screen.lines([[("  store       ", "dim"), (store_text(found.store), "")]])
    if found.plan is not None:
        where = "standard input" if found.plan == "-" else shown_path(found.plan)
        screen.lines([[("  as left by  ", "dim"), (f"the plan {where}", "")]])
    screen.wrapped([(_weights(found), "")], indent="  ranked by   ", hanging=" " * 14)
    screen.line()
    front = max(len(str(len(found.hits))), 1)
    indent = front + 2 + 5 + 2
    room = max(screen.width - indent, NARROWEST)
    for rank, hit in enumerate(found.hits, 1):
        for place, line in enumerate(_body(hit, room, explain=explain, full=full)):
            head = f"{rank:>{front}}  {hit.score:.3f}  " if place == 0 else " " * indent
            screen.lines([[(head, "bold" if place == 0 else ""), *line]])
    if found.hits:
        screen.line()
    if not found.memories:
        screen.line("there are no memories to search")
    elif not found.matches:
        rest = "it has" if found.memories == 1 else f"none of the {number(found.memories)} has"
        screen.wrapped([(f"no match: {rest} {'nothing' if found.memories == 1 else 'anything'} to do with {said}", "")])
    elif found.matches > len(found.hits):
        more = f"{number(found.matches)} memories have something to do with it; --limit shows more than {number(len(found.hits))}"
        screen.wrapped([(more, "")])
    else:
        screen.wrapped([(f"{count(found.matches, 'memory has', 'memories have')} something to do with it", "")])
    if found.unreadable:
        screen.wrapped([(f"{count(found.unreadable, 'row')} that cannot be read: not searched", "")])
    for note in found.notes:
        screen.wrapped([(note, "")], indent="note: ", hanging="      ")


def _weights(found: Found) -> str:
    ranking = found.ranking
    signals = [("meaning", ranking.semantic), ("words", ranking.lexical), ("entities", ranking.entity)]
    if found.embedder is None:
        signals = signals[1:]
    parts = ", ".join(f"{name} {value:g}" for name, value in signals)
    age = f"; recency {ranking.recency:g}, half-life {ranking.half_life_days:g} days" if ranking.recency else "; age left out"
    return parts + age + (f" ({found.embedder})" if found.embedder else "")


def _body(hit: Hit, room: int, *, explain: bool, full: bool) -> list[Line]:
    from memopt.cli.render import details, masked, text_lines, wrap

    lines = [*text_lines(masked(hit.memory.memory), room, full=full), *details(hit.memory, room)]
    if explain:
        lines += [line for part in explained(hit.parts) for line in wrap([(part, "in")], room)]
    return lines


_NAMES = {"semantic": "meaning", "lexical": "words", "entity": "entities"}
_RAW = {"semantic": "cosine", "lexical": "BM25", "entity": "idf"}


def explained(parts: Mapping[str, float]) -> list[str]:
    """What a score is made of, one line a signal and one for the sum."""
    out = []
    for name, title in _NAMES.items():
        if name in parts:
            raw, scaled, weight = (parts[name + end] for end in ("", "_scaled", "_weight"))
            out.append(f"{title:<8}  {_RAW[name]} {raw:.3f}, scaled {scaled:.3f} x {weight:.2f}")
    share = parts["recency_weight"]
    out.append(f"score     fused {parts['fused']:.3f} x {1 - share:.2f} + recency {parts['recency']:.3f} x {share:.2f}")
    return out

"""Weights for the search, fitted on some questions and measured on others. Deterministic for a seed.

The questions are split in two by the seed. On the first half every set of weights of a coarse grid is tried. The best of a
grid on a few dozen questions is mostly luck, so it is not taken as it is: the half is drawn anew many times with replacement,
the best set of each draw is noted (of equal ones the nearest to the defaults), and the fit is their mean (L. Breiman,
"Bagging predictors", Machine Learning 24, 1996). Where the mean does no better on the first half than the defaults do, the
defaults stay. The second half is asked once, for the defaults and for the fit.

What is fitted for is the mean of a question's figures: the share of its evidence among the k best, 1 / the rank of the first
of it, and, where it names outdated memories, whether the first of it stands above them all.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import TYPE_CHECKING, Any

from memopt.errors import UsageError
from memopt.evaluation.evidence import Outcome, Store, ask
from memopt.evaluation.questions import Question
from memopt.evaluation.stats import Difference, Estimate, Resamples
from memopt.memory import newest
from memopt.retrieval import Index, Ranking
from memopt.retrieval.ranking import SIGNALS

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from memopt.similarity.embed import Embedder

K = 10
LEAST = 10
"""With fewer questions nothing can be fitted and measured."""
STEPS = 10
"""The weights of the grid are tenths."""
SHARES = (0.0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.35, 0.5)
HALF_LIVES = (7.0, 15.0, 30.0, 60.0, 120.0, 240.0, 480.0)
DRAWS = 200
FIGURES = ("recall", "mrr", "current", "all")
_CELLS = 4_000_000
"""So many scores are looked at together."""
_NEVER = 1 << 40


@dataclass(frozen=True, slots=True)
class Fit:
    """Weights, how they were found, and what they are worth.

    Attributes:
        ranking: what was fitted.
        start: what it is compared with.
        fitted_on, measured_on: ids of the questions.
        left_out: ids of the questions that no memory answers.
        before, after: on the measured half, by figure of ``FIGURES``: under ``start`` and under ``ranking``.
        differences: likewise, ``after - before``; None where no question tells it.
        on_fitted: the figure ``all`` on the other half, under ``start`` and under ``ranking``.
        meanings: whether meanings were compared; else their weight is what it was.
    """

    ranking: Ranking
    start: Ranking
    fitted_on: tuple[str, ...]
    measured_on: tuple[str, ...]
    left_out: tuple[str, ...]
    before: Mapping[str, Estimate]
    after: Mapping[str, Estimate]
    differences: Mapping[str, Difference | None]
    on_fitted: tuple[float, float]
    meanings: bool

    @property
    def better(self) -> bool:
        """Whether the interval of the improvement on the measured half lies above zero."""
        gain = self.differences["all"]
        return gain is not None and gain.low > 0


@dataclass(frozen=True, slots=True)
class _Case:
    """One question over one set of memories, as figures.

    Attributes:
        signals: one row a signal that tells anything, scaled; one column a memory that matches.
        which: the places of these signals in SIGNALS.
        ages: days; NaN for an undated memory.
        middle: the ages of all dated memories, matching or not, for what an undated one gets.
        order: for ties, the smaller first.
        pieces: for each piece of evidence, the columns of the memories that hold it.
        stale: the columns of outdated memories; None where the question names none.
    """

    id: str
    signals: NDArray[np.float64]
    which: tuple[int, ...]
    ages: NDArray[np.float64]
    middle: NDArray[np.float64]
    order: NDArray[np.int64]
    pieces: tuple[tuple[int, ...], ...]
    stale: tuple[int, ...] | None


def tune(
    questions: Sequence[Question],
    users: Mapping[str | None, Outcome],
    *,
    start: Ranking | None = None,
    embedder: Embedder | None = None,
    seed: int = 0,
    k: int = K,
    told: Callable[[str], None] | None = None,
) -> Fit:
    """Fit the weights and the half-life on half of the questions, and measure them on the other half.

    Args:
        questions: each is asked of those of the users that it may be asked of, together.
        users: their memories, as they are.
        start: what the fit is compared with, and ``k1`` and ``b``; None: the defaults.
        embedder: compares meanings; None: nobody does.
        k: so many of the best are looked at.
        told: called with a word about what is being done.

    Raises:
        UsageError: fewer than LEAST questions that a memory answers.
        ModelError: the embedder is a service and failed.
    """
    start = start or Ranking()
    say = told or (lambda _text: None)
    cases: list[_Case] = []
    left_out: list[str] = []
    for question, case in _cases(questions, users, start, embedder, say):
        if case is None:
            left_out.append(question.id)
        else:
            cases.append(case)
    if len(cases) < LEAST:
        rest = f"; {len(left_out)} of {len(questions)} name no memory that is there" if left_out else ""
        raise UsageError(f"tuning takes at least {LEAST} questions that these memories answer, not {len(cases)}{rest}")
    cases.sort(key=lambda case: case.id)
    random.Random(seed).shuffle(cases)  # noqa: S311 - a split, not a secret
    half = (len(cases) + 1) // 2
    fitted, measured = cases[:half], cases[half:]
    say("fitting")
    ranking = _fitted(fitted, start, seed, k, embedder is not None)
    old, new = (_columns(measured, each, k) for each in (start, ranking))
    resamples = Resamples(len(measured), seed)
    return Fit(
        ranking=ranking,
        start=start,
        fitted_on=tuple(case.id for case in fitted),
        measured_on=tuple(case.id for case in measured),
        left_out=tuple(left_out),
        before={name: resamples.mean(old[name]) for name in FIGURES},
        after={name: resamples.mean(new[name]) for name in FIGURES},
        differences={name: resamples.difference(new[name], old[name]) for name in FIGURES},
        on_fitted=(_mean(_columns(fitted, start, k)["all"]), _mean(_columns(fitted, ranking, k)["all"])),
        meanings=embedder is not None,
    )


# -- the questions as figures ------------------------------------------------------------------------------------------------


def _cases(
    questions: Sequence[Question],
    users: Mapping[str | None, Outcome],
    start: Ranking,
    embedder: Embedder | None,
    say: Callable[[str], None],
) -> Iterator[tuple[Question, _Case | None]]:
    every = replace(start, semantic=1.0, lexical=1.0, entity=1.0)  # so that each signal is worked out
    pools: dict[tuple[str | None, ...], tuple[Store, Index]] = {}
    for number, question in enumerate(questions, 1):
        asked_of = tuple(user for user in users if question.asks(user))
        if not asked_of:
            yield question, None
            continue
        outcomes = [users[user] for user in asked_of]
        if asked_of not in pools:
            say("reading the memories")
            store = Store(outcomes, ())
            now = newest(item.last_changed for item in store.memories)
            pools[asked_of] = store, Index(store.memories, ranking=every, embedder=embedder, now=now)
        store, index = pools[asked_of]
        asked = ask(question, outcomes)
        pieces = [store.holding(piece, question) for piece in asked.pieces]
        plain = replace(question, answer=None, also=())
        stale = [store.holding(piece, plain) for piece in asked.stale]
        say(f"question {number} of {len(questions)}")
        held = [piece for piece in pieces if piece]
        yield question, _case(question, index, held, frozenset[int]().union(*stale) if asked.stale else None)


def _case(question: Question, index: Index, pieces: Sequence[frozenset[int]], stale: frozenset[int] | None) -> _Case | None:
    import numpy as np

    if not pieces:
        return None
    found = index.scores(question.text)
    columns = np.nonzero(found.matches)[0]
    column = {int(place): at for at, place in enumerate(columns)}
    which = tuple(at for at, name in enumerate(SIGNALS) if name in found.scaled)
    rows = [found.scaled[SIGNALS[at]][columns] for at in which]
    ages = index.ages
    return _Case(
        id=question.id,
        signals=np.array(rows).reshape(len(rows), len(columns)),
        which=which,
        ages=ages[columns],
        middle=ages[~np.isnan(ages)],
        order=index.order[columns],
        pieces=tuple(tuple(column[place] for place in sorted(piece) if place in column) for piece in pieces),
        stale=tuple(column[place] for place in sorted(stale) if place in column) if stale is not None else None,
    )


# -- ranks under many weights ------------------------------------------------------------------------------------------------


def _recency(case: _Case, half_life: float) -> NDArray[np.float64]:
    """As in ``memopt.retrieval.index``."""
    import numpy as np

    from memopt.retrieval.index import recency

    return recency(case.ages, half_life, middle=case.middle) if len(case.middle) else np.zeros(len(case.ages))


def _figures(case: _Case, weights: NDArray[np.float64], times: Sequence[tuple[float, float]], k: int) -> NDArray[np.float64]:
    """For each time (share, half-life) and each row of weights the figures of one question: FIGURES x times x weights."""
    import numpy as np

    out = np.zeros((len(FIGURES), len(times), len(weights)))
    out[2] = np.nan
    if not len(case.ages) or not case.which:
        out[2] = np.nan if case.stale is None else 0.0
        out[3] = 0.0
        return out
    own = weights[:, case.which]
    total = own.sum(axis=1, keepdims=True)
    own = np.divide(own, total, out=np.zeros_like(own), where=total > 0)
    wanted = sorted({at for piece in case.pieces for at in piece} | set(case.stale or ()))
    block = max(1, _CELLS // max(len(case.ages), 1))
    for first in range(0, len(own), block):
        rows = slice(first, first + block)
        fused = own[rows] @ case.signals
        for number, (share, half_life) in enumerate(times):
            share = share if len(case.middle) else 0.0
            final = np.round((1 - share) * fused + share * _recency(case, half_life), 9)
            ranks = {at: _rank(final, at, case.order) for at in wanted}
            _fill(out[:, number, rows], case, ranks, k)
    return out


def _rank(final: NDArray[np.float64], at: int, order: NDArray[np.int64]) -> NDArray[np.int64]:
    """The place of one memory, from 1 on, in each row."""
    import numpy as np

    mine = final[:, at : at + 1]
    above = (final > mine).sum(axis=1) + ((final == mine) & (order < order[at])).sum(axis=1)
    return np.asarray(above + 1, dtype=np.int64)


def _fill(out: NDArray[np.float64], case: _Case, ranks: Mapping[int, NDArray[np.int64]], k: int) -> None:
    import numpy as np

    def first(places: Sequence[int]) -> Any:
        return np.min([ranks[at] for at in places], axis=0) if places else np.full(out.shape[1], _NEVER)

    best = [first(piece) for piece in case.pieces]
    out[0] = np.mean([rank <= k for rank in best], axis=0)
    answered = np.min(best, axis=0)
    out[1] = np.where(answered < _NEVER, 1 / answered, 0.0)
    parts = [out[0], out[1]]
    if case.stale is not None:
        out[2] = (answered < _NEVER) & (answered <= first(case.stale))
        parts.append(out[2])
    out[3] = np.mean(parts, axis=0)


def _columns(cases: Sequence[_Case], ranking: Ranking, k: int) -> dict[str, list[float | None]]:
    """The figures of each question under one ranking."""
    import numpy as np

    weights = np.array([[getattr(ranking, name) for name in SIGNALS]])
    found = [_figures(case, weights, [(ranking.recency, ranking.half_life_days)], k)[:, 0, 0] for case in cases]
    return {name: [None if math.isnan(row[at]) else float(row[at]) for row in found] for at, name in enumerate(FIGURES)}


# -- the fit -----------------------------------------------------------------------------------------------------------------


def _grid(start: Ranking, meanings: bool) -> list[tuple[float, float, float]]:
    """All weights in tenths that add up to 1; without meanings, those of words and entities share what theirs leaves."""
    if meanings:
        steps = range(STEPS + 1)
        return [(a / STEPS, b / STEPS, (STEPS - a - b) / STEPS) for a, b in product(steps, steps) if a + b <= STEPS]
    kept = min(start.semantic / (start.semantic + start.lexical + start.entity), 0.9)
    return [(kept, (1 - kept) * b / STEPS, (1 - kept) * (STEPS - b) / STEPS) for b in range(STEPS + 1)]


def _fitted(cases: Sequence[_Case], start: Ranking, seed: int, k: int, meanings: bool) -> Ranking:
    import numpy as np

    grid = _grid(start, meanings)
    times = [(0.0, start.half_life_days), *((share, life) for share, life in product(SHARES[1:], HALF_LIVES))]
    weights = np.array(grid)
    scores = np.array([_figures(case, weights, times, k)[3].ravel() for case in cases])  # questions x sets
    sets = [(time, row) for time in times for row in grid]
    near = sorted(range(len(sets)), key=lambda at: (round(_distance(sets[at], start), 9), at))
    scores = np.round(scores[:, near], 9)  # so that the first of equal ones is the nearest to what it starts from
    chance = np.random.default_rng(seed)
    drawn = chance.multinomial(len(cases), [1 / len(cases)] * len(cases), size=DRAWS)
    chosen = [sets[near[int(at)]] for at in np.argmax(np.round(drawn @ scores, 6), axis=1)]
    mean = np.mean([row for _, row in chosen], axis=0)
    shares = [share for (share, _), _ in chosen]
    lives = [math.log(life) for (share, life), _ in chosen if share > 0]
    share = round(float(np.mean(shares)), 2)
    found = replace(
        start,
        semantic=round(float(mean[0]), 2),
        lexical=round(float(mean[1]), 2),
        entity=max(round(1 - round(float(mean[0]), 2) - round(float(mean[1]), 2), 2), 0.0),
        recency=share,
        half_life_days=float(round(math.exp(float(np.mean(lives))))) if lives and share > 0 else start.half_life_days,
    )
    better = _mean(_columns(cases, found, k)["all"]) > _mean(_columns(cases, start, k)["all"])
    return found if better else start


def _distance(one: tuple[tuple[float, float], tuple[float, float, float]], start: Ranking) -> float:
    (share, life), weights = one
    total = start.semantic + start.lexical + start.entity
    apart = sum(abs(weight - getattr(start, name) / total) for weight, name in zip(weights, SIGNALS, strict=True))
    out: float = apart + abs(share - start.recency) + (0.1 * abs(math.log2(life / start.half_life_days)) if share else 0.0)
    return out


def _mean(values: Sequence[float | None]) -> float:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else 0.0


__all__ = ["FIGURES", "Fit", "tune"]

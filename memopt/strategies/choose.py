"""Choosing the set that is worth most and fits: a knapsack over what memories cover together.

What a set is worth is ``sum over features f of worth[f] * max over chosen i of strength[i, f]``. The more is chosen, the less a
further memory adds, so a greedy choice is near the best one: the better one of two greedy runs, by gain per cost and by gain
alone, is worth at least (1 - 1/e)/2 of the best set that fits (J. Leskovec et al., "Cost-effective outbreak detection in
networks", KDD 2007), and in practice far more. Gains only ever shrink, so most need not be computed again (M. Minoux,
"Accelerated greedy algorithms for maximizing submodular set functions", 1978).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush

NOTHING = 1e-9
"""A gain so small is a rounding error."""


@dataclass(frozen=True, slots=True)
class Problem:
    """What there is to choose from. Of two memories that add the same, the one that stands first is chosen.

    Attributes:
        costs: what each memory costs; positive.
        features: for each memory the features it covers, each once.
        strengths: how well it covers them, 0 to 1, in the same order.
        worth: what each feature is worth where it is covered wholly, at least 0.
    """

    costs: Sequence[int]
    features: Sequence[Sequence[int]]
    strengths: Sequence[Sequence[float]]
    worth: Sequence[float]


@dataclass(frozen=True, slots=True)
class Choice:
    """What was chosen.

    Attributes:
        chosen: indices in the order in which they were chosen; those that stay in any case first.
        worth: what they are worth together.
        cost: what they cost together.
    """

    chosen: tuple[int, ...]
    worth: float
    cost: int


def choose(problem: Problem, budget: int, fixed: Iterable[int] = ()) -> Choice:
    """The set within the budget that is worth most, as near as the greedy choice comes. Deterministic.

    What adds nothing to what was chosen is left out, also where it would fit.

    Args:
        problem: the memories.
        budget: what all of them together may cost. Fixed ones that cost more by themselves leave no room for others.
        fixed: indices that stay in any case.
    """
    staying = tuple(dict.fromkeys(fixed))
    by_rate = _greedy(problem, budget, staying, per_cost=True)
    if len(set(problem.costs)) < 2:
        return by_rate
    by_gain = _greedy(problem, budget, staying, per_cost=False)
    return by_gain if by_gain.worth > by_rate.worth * (1 + 1e-9) else by_rate


def worth_of(problem: Problem, chosen: Iterable[int]) -> float:
    """What a set is worth."""
    covered: dict[int, float] = {}
    total = 0.0
    for at in sorted(set(chosen)):
        for feature, strength in zip(problem.features[at], problem.strengths[at], strict=True):
            covered[feature] = max(covered.get(feature, 0.0), strength)
    return total + sum(problem.worth[feature] * covered[feature] for feature in sorted(covered))


def _greedy(problem: Problem, budget: int, staying: tuple[int, ...], *, per_cost: bool) -> Choice:
    costs, worth = problem.costs, problem.worth
    covered = [0.0] * len(worth)
    total = 0.0
    spent = 0
    chosen: list[int] = []

    def gain_of(at: int) -> float:
        gain = 0.0
        for feature, strength in zip(problem.features[at], problem.strengths[at], strict=True):
            more = strength - covered[feature]
            if more > 0:
                gain += worth[feature] * more
        return gain

    def take(at: int, gain: float) -> None:
        nonlocal total, spent
        for feature, strength in zip(problem.features[at], problem.strengths[at], strict=True):
            if strength > covered[feature]:
                covered[feature] = strength
        total += gain
        spent += costs[at]
        chosen.append(at)

    for at in staying:
        take(at, gain_of(at))
    held = set(staying)
    room = budget - spent
    queue = [
        (-gain_of(at) / (costs[at] if per_cost else 1), at, len(chosen))
        for at in range(len(costs))
        if at not in held and costs[at] <= room
    ]
    heapify(queue)
    while queue:
        _, at, when = heappop(queue)
        if spent + costs[at] > budget:
            continue
        gain = gain_of(at)
        rate = gain / (costs[at] if per_cost else 1)
        if when != len(chosen) and queue and (-rate, at) > queue[0][:2]:
            heappush(queue, (-rate, at, len(chosen)))
            continue
        if gain <= NOTHING:
            break
        take(at, gain)
    return Choice(tuple(chosen), total, spent)

"""Choosing a set within a budget."""

from __future__ import annotations

import math
import random
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memopt.strategies.choose import Problem, choose, worth_of


def exact(problem, budget, fixed=()):
    """The worth of the best set that fits, by looking at all of them."""
    places = range(len(problem.costs))
    sets = (set(some) for size in range(len(problem.costs) + 1) for some in combinations(places, size))
    return max(
        (worth_of(problem, some) for some in sets if set(fixed) <= some and sum(problem.costs[at] for at in some) <= budget),
        default=0.0,
    )


def instance(seed, size=9, features=12, dear=20):
    chance = random.Random(seed)
    covered = [sorted(chance.sample(range(features), chance.randint(1, 4))) for _ in range(size)]
    return Problem(
        [chance.randint(1, dear) for _ in range(size)],
        covered,
        [[chance.choice((0.3, 0.6, 1.0)) for _ in each] for each in covered],
        [chance.random() for _ in range(features)],
    )


def test_on_small_instances_it_is_near_the_exact_best():
    shares = []
    for seed in range(150):
        problem = instance(seed)
        budget = sum(problem.costs) // 2
        found = choose(problem, budget)
        assert found.cost <= budget
        shares.append(found.worth / exact(problem, budget))
    assert min(shares) >= 0.85
    assert sum(shares) / len(shares) >= 0.98


@given(st.integers(0, 10**6), st.integers(1, 60))
def test_it_never_falls_below_its_guarantee(seed, budget):
    problem = instance(seed, size=7)
    best = exact(problem, budget)
    assert choose(problem, budget).worth >= (1 - 1 / math.e) / 2 * best - 1e-9


@given(st.integers(0, 10**6), st.integers(1, 100))
def test_what_it_says_it_is_worth_and_costs_is_true(seed, budget):
    problem = instance(seed)
    found = choose(problem, budget)
    assert found.worth == pytest.approx(worth_of(problem, found.chosen))
    assert found.cost == sum(problem.costs[at] for at in found.chosen) <= budget
    assert len(set(found.chosen)) == len(found.chosen)


def test_one_dear_memory_that_is_worth_more_than_many_cheap_ones_is_chosen():
    # By gain per cost the cheap one comes first and leaves no room for the other: hundred times worse than the best.
    problem = Problem([1, 100], [[0], [1]], [[1.0], [1.0]], [2.0, 100.0])
    assert choose(problem, 100).chosen == (1,)


def test_what_is_covered_already_is_not_chosen_again():
    same = Problem([1, 1, 1], [[0, 1], [0, 1], [2]], [[1.0, 1.0], [1.0, 1.0], [1.0]], [5.0, 5.0, 0.1])
    assert choose(same, 2).chosen == (0, 2)
    assert choose(same, 3).chosen == (0, 2), "a memory that adds nothing is left out even where it fits"


def test_a_memory_that_covers_a_feature_better_still_adds_the_difference():
    problem = Problem([1, 1], [[0], [0]], [[0.5], [1.0]], [1.0])
    assert choose(problem, 1).chosen == (1,)
    assert choose(Problem([1, 1], [[0], [0]], [[1.0], [0.5]], [1.0]), 2).chosen == (0,)


def test_what_is_fixed_stays_and_counts():
    problem = Problem([5, 5, 5], [[0], [0], [1]], [[1.0], [1.0], [1.0]], [1.0, 0.5])
    assert set(choose(problem, 10, fixed=[1]).chosen) == {1, 2}
    assert choose(problem, 3, fixed=[1]).chosen == (1,), "fixed ones stay though they are dearer than the budget"
    assert choose(problem, 0).chosen == ()


def test_of_two_equal_ones_the_first_is_chosen():
    problem = Problem([2, 2, 2], [[0], [1], [2]], [[1.0]] * 3, [1.0, 1.0, 1.0])
    assert choose(problem, 4).chosen == (0, 1)

"""Intervals and tests that agree with what is known of them."""

from __future__ import annotations

import math
import random
from statistics import NormalDist

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memopt.evaluation.stats import Resamples, paired_p

chance = random.Random(3)
VALUES = [float(chance.random() < 0.7) for _ in range(400)]


def test_the_interval_of_a_proportion_is_about_the_normal_one():
    found = Resamples(400, seed=1).mean(VALUES)
    share = sum(VALUES) / 400
    wide = NormalDist().inv_cdf(0.975) * math.sqrt(share * (1 - share) / 400)
    assert found.value == share and found.questions == 400
    assert found.low == pytest.approx(share - wide, abs=0.012)
    assert found.high == pytest.approx(share + wide, abs=0.012)


def test_the_same_seed_gives_the_same_interval_and_another_one_another():
    assert Resamples(400, 1).mean(VALUES) == Resamples(400, 1).mean(VALUES)
    assert Resamples(400, 1).mean(VALUES) != Resamples(400, 2).mean(VALUES)


def test_what_is_not_known_is_left_out_of_the_mean():
    found = Resamples(4, 0).mean([1.0, None, 0.0, None])
    assert (found.value, found.questions) == (0.5, 2)
    assert Resamples(2, 0).mean([None, None]).value is None
    assert Resamples(0, 0).mean([]).value is None


def test_a_difference_is_paired():
    base = [float(number % 2) for number in range(200)]
    better = [min(1.0, value + (number % 10 == 0)) for number, value in enumerate(base)]
    found = Resamples(200, 0).difference(better, base)
    assert found.value == pytest.approx(0.1)
    # unpaired, the noise of either side would be wider than the difference
    assert found.low > 0.05 and found.p < 0.001


def test_no_difference_is_no_evidence():
    found = Resamples(200, 0).difference(VALUES[:200], VALUES[:200])
    assert (found.value, found.low, found.high, found.p) == (0, 0, 0, 1.0)


def test_few_differences_are_tested_exactly():
    assert paired_p([1.0] * 5) == pytest.approx(2 / 32)
    assert paired_p([1.0, -1.0, 0.0]) == 1.0
    assert paired_p([0.5, 0.5, -0.25]) == pytest.approx(4 / 8)


def test_many_differences_are_tested_as_the_normal_distribution_says():
    gaps = [1.0] * 60 + [-1.0] * 40
    expected = 2 * (1 - NormalDist().cdf((20 - 1) / 10))
    assert paired_p(gaps, seed=5) == pytest.approx(expected, abs=0.01)


@given(st.lists(st.sampled_from([-1.0, -0.5, 0.0, 0.25, 1.0]), min_size=1, max_size=30))
def test_a_p_is_a_share_and_does_not_depend_on_the_side(gaps):
    p = paired_p(gaps)
    assert 0 < p <= 1
    assert paired_p([-gap for gap in gaps]) == pytest.approx(p, abs=0.03)


def test_a_pair_of_which_one_side_is_not_known_is_no_pair():
    found = Resamples(3, 0).difference([1.0, None, 1.0], [0.0, 0.5, None])
    assert (found.value, found.low, found.high) == (1.0, 1.0, 1.0)
    assert Resamples(1, 0).difference([None], [1.0]) is None

"""Close vectors, found without looking at all pairs."""

import numpy as np
import pytest

from memopt.similarity.neighbours import LEAF, MOST, close_pairs


def vectors(count, dimensions=32, seed=1):
    out = np.random.default_rng(seed).standard_normal((count, dimensions)).astype(np.float32)
    return out / np.linalg.norm(out, axis=1, keepdims=True)


def with_twins(count, seed=1):
    """``count`` vectors, then a close twin of each."""
    base = vectors(count, seed=seed)
    twins = base + 0.05 * vectors(count, seed=seed + 1)
    return np.concatenate([base, twins / np.linalg.norm(twins, axis=1, keepdims=True)])


def test_of_two_close_vectors_the_later_is_told_of_the_earlier_with_their_cosine():
    near = close_pairs(with_twins(20), 0.9)
    assert near[:20] == [[]] * 20
    assert [[place for _, place in mine] for mine in near[20:]] == [[place] for place in range(20)]
    assert all(0.9 <= mine[0][0] <= 1 for mine in near[20:])


def test_nearest_come_first_and_no_more_than_the_most():
    close = close_pairs(np.repeat(vectors(1), 3 * MOST, axis=0), 0.9)
    assert [place for _, place in close[-1]] == list(range(MOST))


@pytest.mark.parametrize("seed", [1, 5])
def test_the_forest_finds_nearly_all_that_looking_at_all_pairs_finds(seed):
    many = with_twins(4 * LEAF, seed=seed)
    exact = {(one, other) for one, near in enumerate(close_pairs(many, 0.9)) for _, other in near}
    forest = {(one, other) for one, near in enumerate(close_pairs(many, 0.9, exact=0)) for _, other in near}
    assert len(exact) >= 4 * LEAF
    assert forest <= exact
    assert len(forest) >= 0.98 * len(exact)


def test_the_forest_is_the_same_every_time():
    many = with_twins(2 * LEAF)
    assert close_pairs(many, 0.9, exact=0) == close_pairs(many, 0.9, exact=0)


@pytest.mark.parametrize("exact", [0, 100])
def test_vectors_of_zeros_and_no_vectors_have_no_neighbours(exact):
    assert close_pairs(np.zeros((3, 8), dtype=np.float32), 0.5, exact=exact) == [[], [], []]
    assert close_pairs(np.zeros((0, 8), dtype=np.float32), 0.5, exact=100) == []
    assert close_pairs(vectors(1), 0.5, exact=exact) == [[]]

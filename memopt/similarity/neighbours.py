"""Which vectors lie close together, found in time near-linear in their number.

Up to ``EXACT`` vectors, all pairs are multiplied out in blocks. Beyond that, a forest of random-projection trees: each tree
halves the vectors again and again at the median of a random direction until few are left together, and only those are multiplied
out (S. Dasgupta, Y. Freund, "Random projection trees and low dimensional manifolds", STOC 2008). Halving at the median keeps the
parts equal even where most vectors say nearly the same (``User likes ...``), which is where hashing by signs breaks down. A pair
that is closer than the threshold is missed only where every tree parts it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from memopt.similarity.embed import Vectors

EXACT = 12_000
"""Up to so many vectors every pair is looked at."""
LEAF = 192
"""At most so many vectors are left together in a tree."""
TREES = 16
MOST = 12
"""So many neighbours of one vector are told, the nearest."""
_BLOCK = 1024


def close_pairs(vectors: Vectors, threshold: float, *, exact: int = EXACT, most: int = MOST) -> list[list[tuple[float, int]]]:
    """For each vector, the earlier ones whose cosine with it is at least ``threshold``, nearest first.

    Args:
        vectors: rows of length 1, or zeros, which have no neighbours.
        most: at most so many are told for one vector.

    Returns:
        One list a row of (cosine, place). Deterministic; of equal cosines the earlier place comes first.
    """
    import numpy as np

    from memopt.similarity.embed import one_thread

    count = len(vectors)
    ones: list[Any] = []
    others: list[Any] = []
    scores: list[Any] = []
    with one_thread():
        for group in _blocks(vectors) if count <= exact else _leaves(vectors):
            one, other, score = group(threshold)
            ones.append(one)
            others.append(other)
            scores.append(score)
    out: list[list[tuple[float, int]]] = [[] for _ in range(count)]
    if not ones:
        return out
    one, other, score = np.concatenate(ones), np.concatenate(others), np.concatenate(scores)
    # the same pair comes out of several trees, with the last bits of its cosine as they fell out there
    score = np.round(score, 5)
    _, first = np.unique(one.astype(np.int64) * count + other, return_index=True)
    one, other, score = one[first], other[first], score[first]
    order = np.lexsort((other, -score, one))
    for place in order:
        mine = out[int(one[place])]
        if len(mine) < most:
            mine.append((float(score[place]), int(other[place])))
    return out


def _blocks(vectors: Vectors) -> Iterator[Any]:
    import numpy as np

    for start in range(0, len(vectors), _BLOCK):
        end = min(start + _BLOCK, len(vectors))

        def find(threshold: float, start: int = start, end: int = end) -> Any:
            near = vectors[start:end] @ vectors[:end].T
            rows, columns = np.nonzero(near >= threshold)
            earlier = columns < rows + start
            rows, columns = rows[earlier], columns[earlier]
            return _nearest(rows + start, columns, near[rows, columns])

        yield find


def _leaves(vectors: Vectors) -> Iterator[Any]:
    import numpy as np

    random = np.random.default_rng(20_251_130)
    depth = max(1, int(np.ceil(np.log2(len(vectors) / LEAF))))
    for _ in range(TREES):
        directions = random.standard_normal((vectors.shape[1], depth)).astype(np.float32)
        shadows = vectors @ directions
        parts = [np.arange(len(vectors))]
        for level in range(depth):
            halves = []
            for part in parts:
                order = part[np.argsort(shadows[part, level], kind="stable")]
                halves += [order[: len(order) // 2], order[len(order) // 2 :]]
            parts = halves
        for part in parts:

            def find(threshold: float, part: Any = part) -> Any:
                members = np.sort(part)
                held = vectors[members]
                near = held @ held.T
                rows, columns = np.nonzero(near >= threshold)
                earlier = columns < rows
                rows, columns = rows[earlier], columns[earlier]
                return _nearest(members[rows], members[columns], near[rows, columns])

            yield find


def _nearest(one: Any, other: Any, score: Any) -> Any:
    """Of each ``one`` the nearest few, so that stores made from a template do not fill the memory with pairs."""
    import numpy as np

    order = np.lexsort((other, -np.round(score, 5), one))
    one, other, score = one[order], other[order], score[order]
    if len(one) == 0:
        return one, other, score
    starts = np.flatnonzero(np.r_[True, one[1:] != one[:-1]])
    rank = np.arange(len(one)) - np.repeat(starts, np.diff(np.r_[starts, len(one)]))
    few = rank < 2 * MOST
    return one[few], other[few], score[few]

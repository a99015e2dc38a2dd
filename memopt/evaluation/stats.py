"""How sure a figure is: bootstrap intervals of means, and a paired test of differences. Pure and seeded.

Intervals are percentile intervals over resamples of the questions (B. Efron, R. Tibshirani, "An Introduction to the Bootstrap",
1993, chapter 13). The test of a paired difference flips its signs at random: the paired permutation test (M. Smucker, J. Allan,
B. Carterette, "A comparison of statistical significance tests for information retrieval evaluation", CIKM 2007).
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from operator import mul

RESAMPLES = 2000
FLIPS = 9999
_EXACT = 12
"""With so few differences that are not zero, all signs are tried."""
_NEAR = 1e-9


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean over questions.

    Attributes:
        value: the mean; None where no question tells it.
        low, high: its 95 % interval; None likewise.
        questions: how many it is a mean of.
    """

    value: float | None
    low: float | None
    high: float | None
    questions: int


@dataclass(frozen=True, slots=True)
class Difference:
    """The mean of paired differences.

    Attributes:
        value: the mean.
        low, high: its 95 % interval.
        p: how often differences of random sign are as far from zero, two-sided.
    """

    value: float
    low: float
    high: float
    p: float


class Resamples:
    """Draws of ``size`` questions with replacement, the same ones for every figure, so that figures can be compared.

    Args:
        size: how many questions there are.
        seed: of the random numbers.
        draws: how many resamples.
    """

    def __init__(self, size: int, seed: int = 0, draws: int = RESAMPLES) -> None:
        chance = random.Random(seed)  # noqa: S311 - statistics, not secrets
        self.size = size
        self.seed = seed
        self._counts: list[list[int]] = []
        everyone = range(size)
        for _ in range(draws if size else 0):
            counts = [0] * size
            for at in chance.choices(everyone, k=size):
                counts[at] += 1
            self._counts.append(counts)

    def mean(self, values: Sequence[float | None]) -> Estimate:
        """The mean of the values that are known, with its interval."""
        known = [0 if value is None else 1 for value in values]
        number = sum(known)
        if not number:
            return Estimate(None, None, None, 0)
        plain = [0.0 if value is None else float(value) for value in values]
        low, high = self._interval(plain, known)
        return Estimate(sum(plain) / number, low, high, number)

    def _interval(self, plain: Sequence[float], known: Sequence[int]) -> tuple[float, float]:
        whole = all(known)
        means = []
        for counts in self._counts:
            number = self.size if whole else sum(map(mul, counts, known))
            if number:
                means.append(sum(map(mul, counts, plain)) / number)
        means.sort()
        if not means:
            return 0.0, 0.0
        return means[int(0.025 * len(means))], means[min(len(means) - 1, int(0.975 * len(means)))]

    def difference(self, values: Sequence[float | None], others: Sequence[float | None]) -> Difference | None:
        """The mean of ``values - others`` over the questions where both are known; None where there are none."""
        pairs = list(zip(values, others, strict=True))
        known = [0 if one is None or other is None else 1 for one, other in pairs]
        if not any(known):
            return None
        gaps = [0.0 if one is None or other is None else one - other for one, other in pairs]
        low, high = self._interval(gaps, known)
        return Difference(sum(gaps) / sum(known), low, high, paired_p(gaps, self.seed))


def paired_p(gaps: Sequence[float], seed: int = 0) -> float:
    """The two-sided p of the mean of paired differences: how often random signs bring a mean at least as far from zero."""
    sizes = [abs(gap) for gap in gaps if abs(gap) > _NEAR]
    if not sizes:
        return 1.0
    seen = abs(sum(gap for gap in gaps if abs(gap) > _NEAR)) - _NEAR
    if len(sizes) <= _EXACT:
        sums = [abs(sum(map(mul, signs, sizes))) for signs in product((1, -1), repeat=len(sizes))]
        return sum(1 for value in sums if value >= seen) / len(sums)
    chance = random.Random(seed)  # noqa: S311
    # Of c differences of one size, the number that stay positive is the number of ones in c random bits.
    groups = sorted(Counter(round(size, 12) for size in sizes).items())
    total = sum(size * count for size, count in groups)
    far = 0
    for _ in range(FLIPS):
        positive = sum(size * chance.getrandbits(count).bit_count() for size, count in groups)
        far += 1 if abs(2 * positive - total) >= seen else 0
    return (far + 1) / (FLIPS + 1)

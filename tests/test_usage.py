"""What asking took, and what it costs."""

from __future__ import annotations

import pytest

from memopt.errors import UsageError
from memopt.usage import Price, Usage


def test_usages_add_up_and_what_is_not_known_stays_so():
    assert Usage(1, 10, 5) + Usage(2, 20, 7, 0.5) == Usage(3, 30, 12, 0.5)
    assert Usage() + Usage() == Usage(0, None, None, None)
    assert Usage(1) + Usage(1, 0, 0) == Usage(2, 0, 0)


@pytest.mark.parametrize(
    ("text", "price"), [("0.15/0.60", (0.15, 0.6)), (" 3 / 15 ", (3, 15)), ("0/0", (0, 0)), ("000.5/1.0", (0.5, 1))]
)
def test_a_price_is_two_numbers(text, price):
    assert Price.read(text) == Price(*price)


@pytest.mark.parametrize(
    "text", ["", "1", "1/", "/1", "1/2/3", "-1/2", "a/b", "1e3/1", "1,5/2", "nan/1", "inf/1", "1./2", "$1/$2", "1" * 10 + "/1"]
)
def test_anything_else_is_refused_with_an_example(text):
    with pytest.raises(UsageError, match=r"0\.15/0\.60"):
        Price.read(text)


def test_the_price_is_per_million_tokens():
    assert Price(2, 10).of(1_000_000, 500_000) == 7
    assert Price(0.15, 0.6).of(1000, 0) == pytest.approx(0.00015)
    assert Price(0, 0).of(10**9, 10**9) == 0

"""Words that name different things of one kind."""

import pytest

from memopt.facts import kinds
from memopt.facts.words import stem


def rivals(one, two):
    return kinds.rivals(*(stem(word) if word.isascii() else word for word in (one, two)))


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("violin", "piano"), ("chemistry", "biology"), ("nurse", "plumber"), ("aunt", "grandmother"),
        ("狗", "猫"), ("清朝", "民国"), ("钢琴", "小提琴"), ("小学", "中学"),
    ],
)  # fmt: skip
def test_different_things_of_one_kind_are_rivals(one, two):
    assert rivals(one, two) and rivals(two, one)


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("terrier", "dog"), ("violin", "instrument"), ("sofa", "couch"), ("piano", "biology"), ("piano", "piano"), ("mom", "mother"),
        ("狗", "牧羊犬"), ("奶奶", "祖母"), ("狗", "钢琴"), ("xyz", "abc"),
    ],
)  # fmt: skip
def test_a_sort_of_the_other_and_another_kind_are_none(one, two):
    assert not rivals(one, two) and not rivals(two, one)


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("blue", "green"),
        ("basil", "mint"),
        ("cardiologist", "dermatologist"),
        ("electricity", "gas"),
        ("ballet", "tango"),
        ("novel", "screenplay"),
    ],
)
def test_english_words_of_one_kind_that_are_no_nouns_first_or_rare_are_rivals(one, two):
    assert kinds.rivals(stem(one), stem(two))

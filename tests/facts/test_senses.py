"""Which words may stand for one another."""

import pytest

from memopt.facts import senses
from memopt.facts.reading import read
from memopt.facts.words import stem


def close(one, two):
    return senses.closeness(stem(one) if one.isascii() else one, stem(two) if two.isascii() else two)


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("elevator", "lift"), ("physiotherapist", "physiotherapy"), ("teach", "teacher"), ("buy", "purchase"), ("expire", "expiry"),
        ("decision", "decide"), ("居住", "住"), ("居住", "live"), ("购房", "买房"),
    ],
)  # fmt: skip
def test_words_that_may_stand_for_one_another_are_close(one, two):
    assert close(one, two) >= senses.BY_BEGINNING
    assert close(one, two) == close(two, one)


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("cat", "dog"),
        ("son", "daughter"),
        ("tennis", "football"),
        ("coffee", "tea"),
        ("mother", "father"),
        ("红", "蓝"),
        ("猫", "狗"),
    ],
)
def test_things_of_one_kind_do_not_stand_for_one_another(one, two):
    assert close(one, two) == 0.0


def test_a_wider_word_stands_for_the_narrower_ones_which_do_not_stand_for_each_other():
    assert close("parent", "mother") == close("parent", "father") == senses.BY_HAND
    assert close("mother", "father") == 0.0


@pytest.mark.parametrize("word", ["Deployment", "weekly", "Dietary", "Backups", "Preparation"])
def test_a_common_word_is_no_name_for_standing_first(word):
    assert senses.is_common(word)
    items = read(f"{word} Tuesday meetings are held in Graz.").items
    assert not [item for item in items if item.kind == "name" and not item.weak and item.norm == word.lower()]


def test_a_given_name_that_is_also_a_word_stays_a_name():
    for text in ("Grace lives in Rome.", "Rose works in Rome.", "Daisy has a dog."):
        assert any(item.kind == "name" and not item.weak and text.startswith(item.surface) for item in read(text).items)


def test_every_line_of_the_tables_can_be_read():
    assert len(senses.chinese()) > 1000
    assert all(" " not in word and "*" not in word and "|" not in word for word in senses.chinese())
    for first, rows in senses.idioms().items():
        assert all(parts[0] == first and len(parts) > 1 for parts, _ in rows)

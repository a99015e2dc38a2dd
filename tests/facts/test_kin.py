"""Loosely akin words: forms of one root, and what WordNet ties to each other."""

from __future__ import annotations

import pytest

from memopt.facts.kin import akin, of_one_root, part_of_speech, things, told_in
from memopt.facts.words import stem


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("boyhood", "boy"),
        ("legs", "three-legged"),
        ("headteacher", "head"),
        ("snorer", "snores"),
        ("saddened", "sad"),
        ("stronger", "strength"),
        ("homemade", "home"),
        ("co-founder", "founded"),
        ("befriended", "friends"),
        ("marriage", "married"),
    ],
)
def test_forms_of_one_root_are_akin(one, two):
    assert of_one_root(stem(one), stem(two))
    assert akin(stem(two), stem(one))


@pytest.mark.parametrize(("one", "two"), [("summit", "top"), ("jar", "container"), ("ambulance", "car"), ("benefit", "help")])
def test_words_that_a_dictionary_ties_to_each_other_are_akin_and_no_forms_of_one_root(one, two):
    assert akin(stem(one), stem(two))
    assert not of_one_root(stem(one), stem(two))


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("basil", "mint"),
        ("jersey", "sneaker"),
        ("van", "lorry"),
        ("lighthouse", "monastery"),
        ("scarf", "car"),
        ("猫", "dog"),
        ("", "cat"),
    ],
)
def test_two_things_of_one_kind_are_not_akin(one, two):
    assert not akin(stem(one), stem(two))


def test_a_word_knows_its_part_of_speech_and_the_things_it_names():
    assert part_of_speech(stem("lighthouse")) == "n"
    assert part_of_speech(stem("spends")) == "v"
    assert part_of_speech("qwrtz") == ""
    assert things("basil") & things("mint")
    assert not things("qwrtz")


def test_a_text_has_a_word_of_the_same_root_or_one_that_is_akin():
    assert told_in(stem("boyhood"), "since he was a boy", loosely=False)
    assert told_in(stem("benefit"), "it did not help", loosely=True)
    assert not told_in(stem("benefit"), "it did not help", loosely=False)

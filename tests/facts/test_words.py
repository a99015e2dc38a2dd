"""Stems: the forms of one word come out alike."""

import pytest

from memopt.facts.words import stem


@pytest.mark.parametrize(
    ("base", "forms"),
    [
        ("steal", "stole stolen"),
        ("hang", "hung"),
        ("freeze", "froze frozen"),
        ("sweep", "swept"),
        ("forgive", "forgave forgiven"),
        ("undergo", "underwent undergone"),
        ("sit", "sat"),
        ("light", "lit"),
        ("travel", "travelled travelling"),
        ("control", "controlled controlling"),
        ("thief", "thieves"),
        ("crisis", "crises"),
    ],
)
def test_irregular_forms_have_the_stem_of_their_word(base, forms):
    assert {stem(form) for form in forms.split()} == {stem(base)}


@pytest.mark.parametrize(("one", "two"), [("leaves", "leafs"), ("ground", "grind"), ("wound", "wind"), ("found", "founded")])
def test_forms_that_are_words_of_their_own_keep_apart(one, two):
    assert stem(one) != stem(two)

"""What is looked for in a text: stems, pairs of characters, numbers, signs."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memopt.retrieval.terms import Terms, language_of


def terms(text):
    return Terms().of_text(text)


def meet(text, query):
    made = Terms()
    return set(made.of_text(text)) & set(made.of_query(query))


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("She bought three horses", "what does she buy"),
        ("Her children are in school", "child"),
        ("José's résumé", "resume"),
        ("Met Sean O'Brien", "obrien"),
        ("A co-worker moved", "coworker"),
        ("Likes C++", "c++"),
        ("用户住在上海浦东", "上海"),
        ("用户养猫", "猫"),
        ("彼女は東京に住んでいます", "東京"),
        ("저는 서울에 살아요", "서울"),
        ("ฉันชอบดื่มกาแฟ", "กาแฟ"),
        ("Она любит кошек и живёт в Москве", "Москва"),
        ("Er liebt die Häuser in Köln und wohnt mit ihr", "Haus"),
        ("Er hat eine Katze und einen Hund", "Katzen"),
        ("Elle habite à Paris avec ses chevaux et les enfants", "cheval"),
        ("Has a dog 🐶", "🐶"),
        ("Paid 1,450 euros", "1450"),
        ("ＡＢＣ１２３", "abc123"),
        ("Lives in Straße 5", "STRASSE"),
    ],
)
def test_what_says_the_same_meets(text, query):
    assert meet(text, query)


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("She lives in the house of her aunt", "where is she"),
        ("用户住在上海", "北京"),
        ("用户的猫", "他的什么"),
        ("用户想知道什么是爱", "他的名字是什么"),
        ("Likes C++", "c"),
        ("Doesn't drink", "can't swim"),
    ],
)
def test_what_only_shares_small_words_does_not(text, query):
    assert not meet(text, query)


def test_a_word_that_is_small_in_another_language_is_still_a_word():
    assert {"son", "war", "die"} <= set(terms("Her son may die in the war"))


def test_the_language_is_told_by_its_small_words():
    assert language_of("sie wohnt in einem haus mit der katze".split()) == "german"
    assert language_of("elle aime les chats et le thé".split()) == "french"
    assert language_of("the cat sat on the mat".split()) == language_of(["xyz"]) == language_of([]) == "english"


def test_a_query_takes_each_term_once():
    assert Terms().of_query("tea, tea and TEA") == ["tea"]


@given(st.text())
def test_a_text_always_meets_itself_if_it_says_anything(text):
    made = Terms()
    found = made.of_text(text)
    assert all(found)
    again = Terms()
    assert again.of_text(text) == found
    assert all(made.of_query(text))

"""Look-alikes: scoring, and finding candidates without comparing all pairs."""

import itertools

from hypothesis import given
from hypothesis import strategies as st

from memopt.similarity.near import LONG, ROOM, Index, key, keys, similarity, words
from memopt.similarity.normalise import fold


def of(text: str) -> tuple[str, ...]:
    return words(fold(text))


def test_small_words_endings_and_number_forms_do_not_count() -> None:
    assert key(of("The user is working with Tom.")) == key(of("User works with Tom"))
    assert key(of("User doesn't eat meat")) == key(of("User does not eat meat"))
    assert key(of("User cannot swim")) == key(of("User can't swim"))
    assert key(of("has three cats, pays 1,450 €")) == key(of("has 3 cats and pays 1450 €"))
    assert key(of("用户有两只猫")) == key(of("有2只猫"))
    assert key(of("a dog called Rex")) == key(of("a dog named Rex"))
    assert key(of("favourite colour")) == key(of("favorite color"))
    assert key(of("User's e-mail is x")) == key(of("User's email is x"))


def test_words_that_say_something_count() -> None:
    different = [
        "likes tea",
        "likes green tea",
        "not likes tea",
        "likes tea too",
        "has to like tea",
        "likes tea 👍",
        "likes 2 tea",
    ]
    different += ["likes", "喜欢茶", "不喜欢茶", "likes tea?"]
    for left, right in itertools.combinations(different, 2):
        assert key(of(left)) != key(of(right)), (left, right)


def test_a_text_is_found_under_its_words_and_under_them_less_any_one() -> None:
    own = ("a", "b", "b", "c")
    assert keys(own)[0] == key(own)
    assert set(keys(own)[1:]) == {key(("b", "b", "c")), key(("a", "b", "c")), key(("a", "b", "b"))}
    assert keys(()) == []
    assert keys(("a", "b")) == [key(("b", "a"))]


def test_a_very_long_text_has_one_key_only() -> None:
    assert len(keys([str(number) for number in range(LONG + 1)])) == 1


def test_an_index_has_room_for_the_first_few_and_keeps_their_order() -> None:
    index = Index()
    for item in range(ROOM + 5):
        index.file(item, [7])
    assert list(index.under(7)) == list(range(ROOM))
    assert list(index.under(8)) == []


def test_called_is_named_only_after_a_thing() -> None:
    assert key(of("User has a small dog called Rex")) == key(of("User has a small dog named Rex"))
    assert key(of("Tom called Ann")) != key(of("Tom named Ann"))


def test_similarity_is_one_for_equal_and_nought_for_disjoint_texts() -> None:
    assert similarity("tea", "tea") == 1.0
    assert similarity("abc", "xyz") == 0.0
    assert similarity("", "") == 1.0
    # by hand: trigrams of ab with ends: ..a .ab ab. b.. ; of abc: ..a .ab abc bc. c.. ; two in common
    assert similarity("ab", "abc") == 2 * 2 / (4 + 5)


def test_repeated_trigrams_count_as_often_as_they_occur() -> None:
    assert similarity("a" * 10, "a" * 100) < 0.25


@given(st.text(max_size=30), st.text(max_size=30), st.floats(0, 1))
def test_similarity_is_symmetric_bounded_and_cut_at_the_bound(left: str, right: str, bound: float) -> None:
    score = similarity(left, right)
    assert 0.0 <= score <= 1.0
    assert score == similarity(right, left)
    assert similarity(left, right, bound) == (score if score >= bound else 0.0)


def test_texts_of_a_million_characters_are_compared_in_linear_time() -> None:
    import time

    left, right = "ab" * 500_000, "ab" * 499_000 + "c" * 2000
    start = time.process_time()
    assert 0.99 < similarity(left, right) < 1.0
    assert time.process_time() - start < 20  # some tenths of a second; comparing character by character takes hours

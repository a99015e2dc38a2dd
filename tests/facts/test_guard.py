"""The guard for look-alikes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memopt.facts import conflict, loses

SAME = [
    ("User prefers Python and dark mode editors.", "user prefers python and dark-mode editors"),
    ("User lives in Berlin, Germany.", "User lives in Berlin , Germany"),
    ("The user is working on the billing service with Tom. ", "User is working on the billing service with Tom."),
    ("User pays 1,450 € warm rent.", "User pays 1.450 EUR warm rent"),
    ("User starts on 1 August 2025.", "User starts on 2025-08-01"),
    ("User likes hiking and sushi", "user likes sushi and hiking"),
    ("User does not like tea", "User doesn't like tea"),
    ("meeting at 9am", "meeting at 09:00"),
    ("User has 3 cats", "User has three cats"),
    ("用户喜欢咖啡", "用户喜欢咖啡。"),
    ("用户今年二十三岁", "用户今年23岁"),
    ("User e-mails Tom", "user emails Tom!"),
    ("Has a dog called Rex", "Has a dog named Rex"),
    ("User works as a nurse", "User is working as a nurse"),
    ("dog is 5 years old", "dog is five years old"),
    ("dog is 5 years old", "dog is 5 years of age"),
    ("User is in the US", "user is in the us"),
]

DIFFERENT = [
    ("User plays the guitar", "User plays the flute"),
    ("A man is cooking", "A woman is cooking"),
    ("Likes jazz", "Hates jazz"),
    ("suka americano", "tidak suka americano"),
    ("User pays 1,450 € rent", "User pays 1,540 € rent"),
    ("Tom is 30 and Ann is 28", "Tom is 28 and Ann is 30"),
    ("User starts on 1 August 2025.", "User starts in August 2025"),
    ("用户喜欢咖啡", "用户不喜欢咖啡。"),
    ("Tom likes Ann", "Ann likes Tom"),
    ("User likes Tom", "Tom likes the user"),
    ("The route is 1.5 km", "The route is 1,500 km"),
    ("meeting at 9am", "meeting at 9 pm"),
    ("uses version 1.2.3", "uses version 1.2.4"),
    ("knows C++", "knows C"),
    ("I love it 😀", "I love it 😡"),
    ("was a vegetarian", "is a vegetarian"),
    ("User's name is José", "User's name is Jose"),
    ("用户在3月5日去北京", "用户在3月6日去北京"),
    ("Call before 9", "Call after 9"),
    ("the door on the left", "the door on the right"),
    ("User moved from Rome to Oslo", "User moved from Oslo to Rome"),
    ("takes 5 mg", "takes 5 g"),
    ("User kennt Anna", "User kennt Anna nicht"),
    ("Il aime le café", "Il n'aime pas le café"),
    ("User likes jazz", "User likes jazz and opera"),
    ("User is a doctor", "User wants to be a doctor"),
    ("Ann, 28, and Tom, 30", "Ann, 30, and Tom, 28"),
    ("Tom 30, Ann 28", "Tom 28, Ann 30"),
    ("The dog and the cat are Tom's and Ann's", "The cat and the dog are Tom's and Ann's"),
    ("ranks Rust, Go, C in that order", "ranks Go, Rust, C in that order"),
    ("User takes Vitamin A", "User takes Vitamin"),
    ("User likes The Band", "User likes a band"),
    ("User has to go", "User to go"),
    ("the soup is too salty", "the soup is salty"),
    ("User is in the US", "User is in us"),
    ("User works in IT", "User works in it"),
    ("Call at 9:00", "Call at 21:00"),
    ("on 5/7/2023", "on 2023-05-07"),
    ("The The", "User"),
]


@pytest.mark.parametrize(("left", "right"), SAME)
def test_texts_that_say_the_same_have_no_conflict(left, right):
    assert conflict(left, right) is None


@pytest.mark.parametrize(("left", "right"), DIFFERENT)
def test_texts_that_differ_in_a_fact_are_kept_apart_both_ways(left, right):
    assert conflict(left, right)
    assert conflict(right, left)


def test_a_text_with_an_addition_may_stand_for_the_text_without_but_not_the_other_way_round():
    longer, shorter = "Has a dog called Rex, likes tea", "Has a dog called Rex"
    assert loses(longer, shorter) is None
    assert "tea" in (loses(shorter, longer) or "")
    assert conflict(longer, shorter)


@pytest.mark.parametrize(
    ("longer", "shorter"),
    [
        ("User wants to be a doctor", "User is a doctor"),
        ("User does not eat meat", "User eats meat"),
        ("User used to live in Rome", "User live in Rome"),
        ("User only likes tea", "User likes tea"),
        ("does not eat raw meat", "does not eat meat"),
        ("avoids food that is fried", "avoids food"),
        ("User never drinks coffee, tea", "User never drinks coffee"),
        ("allergic to pine nuts", "allergic to nuts"),
        ("不吃生肉", "不吃肉"),
        ("likes country music", "likes music"),
        ("works for Google Ventures", "works for Google"),
        ("has a toy car", "has a car"),
    ],
)
def test_a_longer_text_that_denies_or_hedges_does_not_stand_for_the_shorter(longer, shorter):
    assert loses(longer, shorter)


@given(st.text(max_size=60), st.text(max_size=60))
def test_conflict_is_symmetric_and_total(left, right):
    assert (conflict(left, right) is None) == (conflict(right, left) is None)
    assert conflict(left, left) is None

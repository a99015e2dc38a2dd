"""Reading what is to be forgotten, and telling who it is about."""

from __future__ import annotations

import pytest

from memopt.errors import UsageError
from memopt.facts.about import SOMEBODY_ELSE, Request, has_name


def score(request, piece, context="", users=frozenset()):
    return Request.read(request).fit(piece, context, users).score


@pytest.mark.parametrize("text", ["everything about her", "her", "the user", "everything", "all", "  ", "她", "关于她的一切"])
def test_a_request_that_names_nothing_is_refused(text):
    with pytest.raises(UsageError, match="names nothing in particular"):
        Request.read(text)


@pytest.mark.parametrize(
    "text",
    [
        "Ana Lim lives in Bern",
        "User told Ana Lim about it",
        "Dr. Ana Lim is kind",
        "User likes Ana Lim's soup",
        "ANA LIM called",
        "User, Ana Lim and Bob",
    ],
)
def test_a_name_is_found_in_every_place(text):
    assert has_name(text, ("ana", "lim")) == 1


@pytest.mark.parametrize(
    "text",
    [
        "Anna Lim lives in Bern",
        "Ana Lin lives in Bern",
        "User's friend Ana Lim-Meyer called",
        "Ana Lima called",
        "User met Mary Ana Lim",
        "Ana met Bruce Lim",
        "User met Ana Lim Smith",
        "Lim Ana called",
    ],
)
def test_a_similar_name_is_another_one(text):
    assert has_name(text, ("ana", "lim")) < 1


def test_chinese_names_are_told_apart():
    assert has_name("李娜住在上海", ("李娜",)) == 1
    assert has_name("用户和李娜去北京", ("李娜",)) == 1
    assert has_name("李娜娜住在上海", ("李娜",)) < 1


@pytest.mark.parametrize(
    ("request_text", "fits", "does_not"),
    [
        ("her phone number", "User's phone number is +41 79 123 45 67", "User's phone is a Pixel 8"),
        ("her phone number", "User can be reached at 555-123-4567", "User's mother's phone number is 555-123-4567"),
        ("her phone number", "Mobile: 079 123 45 67", "Bob's phone number is 555-123-4567"),
        ("her mother's phone number", "User's mother's phone number is 555-123-4567", "User's phone number is 555-123-4567"),
        ("her work phone number", "User's work phone number is 555-123-4567", "User's home phone number is 555-123-4567"),
        ("her e-mail", "User's e-mail address is a@b.ch", "User's address is 5 Elm Road"),
        ("her address", "User's address is 5 Elm Road", "User's e-mail address is a@b.ch"),
        ("her home address", "User lives at 12 Main Street, Bern", "User lives in Bern"),
        ("where she lives", "User lives in Bern", "Bob lives in Bern"),
        ("where she works", "User works at Noma", "User's wife works at Noma"),
        ("her birthday", "User was born on 3 May 1990", "User celebrates Bob's birthday on 1 June"),
        ("her divorce", "User is getting divorced", "User's sister is getting divorced"),
        ("the trip to Rome", "User travelled to Rome in May", "User was born in Rome"),
        ("coffee", "User loves coffee", "User loves tea"),
        ("the fact that she is allergic to nuts", "User is allergic to nuts", "User likes nuts"),
        ("她的电话号码", "用户的电话号码是13812345678", "李娜的电话号码是13812345678"),
        ("李娜的电话", "李娜的电话是13900000000", "用户的电话是13800000000"),
        ("她妈妈的电话", "用户的妈妈的电话是13700000000", "用户的电话是13800000000"),
        ("用户的住址", "用户住在上海市南京路100号", "用户住在上海"),
    ],
)
def test_what_is_asked_for_fits_and_what_comes_near_does_not(request_text, fits, does_not):
    assert score(request_text, fits) >= 0.6
    assert score(request_text, does_not) < 0.6


def test_the_users_own_name_is_no_other_person():
    assert score("her phone number", "Caroline's phone number is 555-123-4567") < 0.6
    assert score("her phone number", "Caroline's phone number is 555-123-4567", users=frozenset(["caroline"])) >= 0.6


@pytest.mark.parametrize(
    "text",
    ["User is fond of travelling to Rome", "User bought a dog", "她的狗叫小白", "User went to the gym", "Mobile: 079 123 45 67"],
)
def test_the_quick_look_lets_nothing_slip_that_would_fit(text):
    for asked in ("the trip to Rome", "her dog", "他的狗", "her gym", "her phone number"):
        request = Request.read(asked)
        if request.fit(text, "", frozenset()).score >= 0.6:
            assert request.may_fit(text)


@pytest.mark.parametrize(
    ("piece", "is_told"),
    [
        ("SECRETWORD is the password", True),
        ("Hunter2 is her wifi password", True),
        ("Rosebud was the user's password for the router", True),
        ("Tom is the owner of the password", False),
        ("Tom is the password manager", False),
        ("Bruno is Tom's password", False),
        ("Tom knows the password", False),
    ],
)
def test_what_stands_before_its_own_attribute_is_the_value_and_nobody(piece, is_told):
    assert (Request.read("her password").fit(piece, "", frozenset(("user",))).score > SOMEBODY_ELSE) == is_told

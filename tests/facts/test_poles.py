"""The poles in a sentence, in English and Chinese, in their forms."""

from __future__ import annotations

import pytest

from memopt.facts.poles import poles


def told(text):
    return {pole.word: (pole.axis, pole.value) for pole in poles(text)}


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("in the morning", "in the evening"),
        ("her sister", "her brother"),
        ("every day", "every week"),
        ("lends it", "borrowed it"),
        ("at least 3", "at most 3"),
        ("每天", "每周"),
        ("用户的妹妹", "用户的哥哥"),
        ("upstream", "downstream"),  # from WordNet's list
    ],
)
def test_two_poles_of_one_axis_differ_in_their_value(one, two):
    here = {(pole.axis, pole.value) for pole in poles(one)}
    there = {(pole.axis, pole.value) for pole in poles(two)}
    assert {axis for axis, _ in here} & {axis for axis, _ in there}
    assert not here & there


def test_forms_and_languages_of_one_pole_are_the_same():
    assert told("daily")["daily"] == told("每天")["每天"] == told("every day")["every day"]
    assert told("increases")["increases"] == told("increased")["increased"]


def test_places_are_those_of_the_text():
    text = "User’s flat is above a bakery, 饭后吃药"
    assert {text[pole.start : pole.end] for pole in poles(text) if pole.way == "object"} == {"above", "后"}


def test_a_very_long_text_is_no_sentence():
    assert poles("morning " * 1000) == ()

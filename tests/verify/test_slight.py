"""A sentence of words that weigh little is looked for as a whole; a sign behind a letter is part of it."""

from __future__ import annotations

import pytest

from memopt.memory import UserMemory
from memopt.verify import verify

HOME = "The user lives in Oslo and has two cats called Tom and Kit"
TOLD = "Lives in Oslo and has two cats called Tom and Kit."
SLIGHT = [
    "they/them", "He/him", "Night owl", "Only call once", "O+", "Prefers not to say", "Is one of many", "Does not want it",
    "Wants more", "User wants only one", "Use du", "Not now", "The user is good", "Likes it", "她/她", "O型", "不用", "用您", "🦉",
]  # fmt: skip


def check(sources, rewrite):
    return verify([UserMemory(text, f"m{n}") for n, text in enumerate(sources)], [UserMemory(rewrite)])


@pytest.mark.parametrize("text", SLIGHT)
def test_a_memory_without_a_telling_word_is_lost_where_the_rewrite_does_not_say_it(text):
    report = check([text, HOME], TOLD)
    assert report.lost_ids == ("m0",)
    assert report.facts == check([HOME], TOLD).facts + 1
    assert report.retention < 1


@pytest.mark.parametrize("text", SLIGHT)
def test_it_is_found_where_the_rewrite_copies_it(text):
    assert check([text, HOME], f"{TOLD} {text}.").passed
    assert check([text, HOME], f"{text}\n{HOME}").passed


@pytest.mark.parametrize(
    ("text", "rewrite"),
    [
        ("They/them", "Uses they/them pronouns."),
        ("Night owl", "The user is a night owl and lives in Oslo."),
        ("Only call once", "Call only once."),
        ("Prefers not to say", "Gender: prefers not to say."),
        ("O+", "Blood type is O+."),
        ("The user is good", "The user is a good person."),
        ("用户有时间", "用户很有时间，住在上海。"),
    ],
)
def test_it_is_found_in_a_clause_that_says_more(text, rewrite):
    assert not check([text], rewrite).lost


@pytest.mark.parametrize(
    ("text", "rewrite"),
    [
        ("Night owl", "User's brother is a night owl."),
        ("Night owl", "Jonas is a night owl."),
        ("They/them", "They live in Oslo and the cats love them."),
        ("User wants more", "User does not want more."),
        ("O+", "Blood type is O-."),
    ],
)
def test_it_is_not_found_told_of_somebody_else_scattered_or_denied(text, rewrite):
    assert check([text], rewrite).lost


def test_a_slight_sentence_of_the_rewrite_needs_a_source_too():
    assert [item.fact for item in check([HOME], f"{TOLD} She/her.").invented] == ["She/her."]
    assert check([HOME, "she/her"], f"{TOLD} She/her.").passed


def test_a_heading_is_no_statement():
    assert not check([HOME], f"About the user:\n{TOLD}").invented


@pytest.mark.parametrize(
    ("text", "rewrite"),
    [
        ("Blood type is O+", "Blood type is O-"),
        ("Blood type: AB+", "Blood type AB-"),
        ("User uses C++", "User uses C#"),
        ("User uses C++", "User uses C"),
        ("用户是O+血型", "用户是O-血型"),
    ],
)
def test_a_sign_behind_a_letter_belongs_to_it(text, rewrite):
    assert check([text], rewrite).lost
    assert check([rewrite], text).invented


@pytest.mark.parametrize(
    ("text", "rewrite"),
    [
        ("Blood type: AB+", "Blood type is AB positive"),
        ("Blood type: O-", "O- blood"),
        ("User uses C++ and C#", "User uses C# and C++"),
        ("User uses C, C++", "User uses C++ and C"),
    ],
)
def test_a_sign_may_be_told_in_words_and_elsewhere(text, rewrite):
    assert check([text], rewrite).passed

"""A clause that a rewrite hangs on what it tells, and that no memory has anything of, is invented; other words for what is told are not."""

from __future__ import annotations

import pytest

from memopt.memory import UserMemory
from memopt.verify import verify

CELLO = ["User plays the cello in an amateur orchestra.", "User's brother Jeroen sells used cars."]
TELLS = "The user plays the cello in an amateur orchestra{}; brother Jeroen sells used cars{}."


def _invented(sources: list[str], text: str) -> list[str]:
    told = [UserMemory(one, memory_id=f"m{at}") for at, one in enumerate(sources)]
    return [one.fact for one in verify(told, [UserMemory(text)]).invented]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (" which tours abroad", ""),
        (" to relax", ""),
        (" that she founded", ""),
        (" with her best friend", ""),
        ("", " that he repairs himself"),
        ("", " when he is not fishing"),
        ("", " because he loves engines"),
    ],
)
def test_a_clause_that_no_memory_has_is_invented(first: str, second: str) -> None:
    assert _invented(CELLO, TELLS.format("", "")) == []
    found = _invented(CELLO, TELLS.format(first, second))
    assert any((first + second).strip() in one or one in first + second for one in found), found


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("User is looking for a cheaper place.", "The user is searching for somewhere cheaper to live."),
        ("User finds criticism hard to take.", "Criticism is difficult for the user to accept."),
        ("Sven's knee hurts when he runs.", "Sven gets knee pain whenever he goes running."),
        (
            "User volunteers as a firefighter in his village.",
            "The user is a volunteer firefighter in the village where he lives.",
        ),
        ("Igor left school at 16 to work in a mine.", "Igor quit school at the age of 16 in order to take a job in a mine."),
        ("User writes poems on the train.", "While riding the train, the user writes poetry."),
        ("User uses a wheelchair since 2016.", "Since 2016 the user has relied on a wheelchair to get around."),
        ("User plays chess with his friend Tom.", "The user plays chess with a friend, Tom."),
    ],
)
def test_other_words_for_what_is_told_are_not_invented(source: str, text: str) -> None:
    assert _invented([source], text) == []

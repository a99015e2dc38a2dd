"""Statements of a few words, told of the wrong person or turned: whose they are and who exceeds whom."""

from __future__ import annotations

import pytest

from memopt.memory import UserMemory
from memopt.verify import verify


def clean(source: str, rewrite: str) -> bool:
    report = verify([UserMemory(source, memory_id="a")], [UserMemory(rewrite, memory_id="z")])
    return not report.lost and not report.invented


@pytest.mark.parametrize(
    ("source", "rewrite"),
    [
        ("Goran's brother has asthma.", "Goran has asthma."),
        ("Goran's mother is a nurse.", "Goran is a nurse."),
        ("User's mother is a lawyer.", "User is a lawyer."),
        ("User works at a quarry.", "User's wife works at a quarry."),
        ("User's tutor is Dr. Klein.", "User's tutor is Dr. Gross."),
        ("用户的导师是钱伟教授。", "用户的导师是钱强教授。"),
    ],
)
def test_a_short_statement_of_somebody_else_is_found(source: str, rewrite: str) -> None:
    assert not clean(source, rewrite)


@pytest.mark.parametrize(
    ("source", "same", "turned"),
    [
        ("Goran is two years older than Ada.", "Ada is two years younger than Goran.", "Ada is two years older than Goran."),
        ("Goran is taller than his sister.", "Goran's sister is shorter than him.", "Goran's sister is taller than he is."),
        (
            "User earns more than her husband.",
            "The user's husband earns less than she does.",
            "User's husband earns more than she does.",
        ),
        ("李娜比王芳大两岁。", "王芳比李娜小两岁。", "王芳比李娜大两岁。"),
        ("李娜比王芳高。", "王芳比李娜矮。", "王芳比李娜高。"),
    ],
)
def test_two_who_are_compared_may_be_told_from_either_side_and_not_turned(source: str, same: str, turned: str) -> None:
    assert clean(source, same)
    assert not clean(source, turned)


def test_who_is_not_younger_is_not_compared_the_other_way() -> None:
    assert not clean("Clea is older than Max.", "Max is not younger than Clea.")


@pytest.mark.parametrize(
    ("source", "added"),
    [
        ("User lives in Graz.", "User is pregnant and lives in Graz."),
        ("User lives in Graz.", "User lives in Graz and is deaf."),
        ("用户住在上海。", "用户住在上海，怀孕了。"),
        ("用户住在上海。", "用户是左撇子，住在上海。"),
    ],
)
def test_a_clause_of_one_word_that_no_memory_has_is_found(source: str, added: str) -> None:
    assert not clean(source, added)
    assert not clean(added, source)

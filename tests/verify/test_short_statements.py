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


@pytest.mark.parametrize(
    ("source", "same", "wrong"),
    [
        ("Omar reviews Nina's code on Tuesdays.", "Nina's code is reviewed by Omar on Tuesdays.", "Nina reviews Omar's code on Tuesdays."),
        ("User walks the neighbour's dog.", "The user takes the neighbour's dog for walks.", "The neighbour walks the user's dog."),
        ("老吴每周二评审小宁的代码。", "小宁的代码每周二由老吴评审。", "小宁每周二评审老吴的代码。"),
        ("Pavel may change jobs.", "Pavel might change jobs.", "Pavel is going to change jobs."),
        ("User's physiotherapist is called Britt.", "Britt is the user's physiotherapist.", "User knows Britt."),
        ("用户的康复师叫白露。", "白露是用户的康复师。", "用户认识白露。"),
        ("用户的弟弟阿强是潜水员，住在三亚。", "弟弟阿强在三亚当潜水员。", "弟弟阿强住在三亚。"),
    ],
)  # fmt: skip
def test_who_does_it_to_whose_thing_how_sure_it_is_and_what_somebody_is(source: str, same: str, wrong: str) -> None:
    assert clean(source, same)
    assert not clean(source, wrong)


def test_a_problem_is_no_question() -> None:
    assert clean("用户因为隐私问题不再用微博。", "出于隐私考虑，用户弃用了微博。")

"""A plain sentence whose meaning is turned is found, whoever it names and whatever else it says."""

from __future__ import annotations

import pytest

from memopt.memory import UserMemory
from memopt.verify import verify


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("User's name is Ana Ferreira.", "Ana Ferreira is not the user's name."),
        ("User uses Neovim and refuses to use an IDE.", "The user's editor is not Neovim; IDEs are rejected."),
        ("User forgot to pay the electricity bill in June.", "The user did not forget to pay the electricity bill in June."),
        ("User's niece Amelie has started an apprenticeship as a carpenter.", "The user's niece Amelie dropped out of her apprenticeship as a carpenter."),
        ("Marta is the user's tenant.", "The user is not Marta's landlord."),
        ("User cannot work on Wednesdays because he takes care of his father.", "On Wednesdays the user is not unavailable for work, as he looks after his father."),
        ("Gina has a trophy from a dance contest as a reminder of the hard work.", "Gina has no trophy from a dance contest as a reminder of the hard work."),
        (
            "Joanna is working on a challenging but fulfilling project apart from her meetings.",
            "Besides her meetings Joanna works on a project that is not challenging but fulfilling.",
        ),
    ],
)  # fmt: skip
def test_a_plain_sentence_that_is_turned_is_found(source: str, text: str) -> None:
    report = verify([UserMemory(source)], [UserMemory(text)])
    assert report.lost or report.invented


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("Her best-selling flower is the ranunculus.", "No flower sells better there than the ranunculus."),
        ("Ida is the fastest runner of the club.", "No runner of the club is faster than Ida."),
    ],
)
def test_that_nothing_is_more_says_that_it_is_the_most(source: str, text: str) -> None:
    report = verify([UserMemory(source)], [UserMemory(text)])
    assert not report.lost and not report.invented


@pytest.mark.parametrize(
    ("sources", "text"),
    [
        (["用户养狗。", "用户没有孩子。"], "用户没有养狗，也没有孩子。"),
        (["用户喜欢打羽毛球。", "用户不能吃辣。"], "用户不爱好羽毛球，吃不了辣。"),
        (["User has a dog.", "User has no children."], "User has no dog and no children."),
        (["User can drive.", "User cannot swim."], "User can neither drive nor swim."),
        (["Ana is married.", "Ben is not married."], "Neither Ana nor Ben is married."),
        (["The flat has a balcony.", "The flat has no garage."], "The flat has neither a balcony nor a garage."),
    ],
)
def test_a_denial_of_one_thing_does_not_excuse_that_of_another(sources: list[str], text: str) -> None:
    report = verify([UserMemory(one, memory_id=str(at)) for at, one in enumerate(sources)], [UserMemory(text)])
    assert any(one.kind == "polarity" for one in report.lost)


def test_what_somebody_else_cannot_do_denies_nothing() -> None:
    sources = ["Greta coaches the village choir.", "Her ex-husband Paul sings bass in it.", "Paul's new girlfriend cannot sing."]
    text = "Greta is the coach of the village choir, where her ex-husband, Paul, sings bass. His new girlfriend can't sing."
    report = verify([UserMemory(one, memory_id=str(at)) for at, one in enumerate(sources)], [UserMemory(text)])
    assert not report.lost and not report.invented

"""What is told from another side, or of somebody who is called by a title, is the same; told of the wrong side it is not."""

from __future__ import annotations

import pytest

from memopt.memory import UserMemory
from memopt.verify import verify


def _errs(sources: list[str], text: str) -> bool:
    report = verify([UserMemory(one, memory_id=f"m{at}") for at, one in enumerate(sources)], [UserMemory(text)])
    return bool(report.lost or report.invented)


@pytest.mark.parametrize(
    ("sources", "text"),
    [
        (["Wendell's wife gave him a pen case for his birthday."], "For his birthday Wendell received a pen case from his wife."),
        (["Mirela quit smoking on 3 February 2024."], "Mirela was a smoker before giving it up on 2024-02-03."),
        (["User takes 50 mg of losartan every morning."], "User takes losartan each morning at a dose of 50 mg."),
        (["User's grandfather built the Kittiwake in 1962."], "It was the user's grandfather who, in 1962, built the Kittiwake."),
        (
            ["Henrik is training Juno.", "Juno failed the test because she was distracted by sheep."],
            "Henrik is training Juno. Sheep distracted her and made her fail the test.",
        ),
        (
            ["User's thesis is about trade routes.", "User's supervisor is Professor Lindqvist."],
            "The user's thesis, supervised by Professor Lindqvist, is about trade routes.",
        ),
        (["团队的队长是退休护士尹阿姨。"], "团队由退休护士尹阿姨任队长。"),
        (["退货率一直低于5%。"], "退货率始终不到5%。"),
        (["用户不卖蜂蜜。"], "用户的蜂蜜并不出售。"),
        (["用户做过半月板手术。"], "用户动过半月板手术。"),
        (["用户在考虑辞职读研。"], "用户有辞职读研的想法，尚在考虑之中。"),
    ],
)
def test_the_same_told_from_the_other_side_is_not_alarmed(sources: list[str], text: str) -> None:
    assert not _errs(sources, text)


@pytest.mark.parametrize(
    ("sources", "text"),
    [
        (
            ["Wendell's wife gave him a pen case for his birthday."],
            "Wendell's wife received a pen case from him for her birthday.",
        ),
        (["User's grandfather built the Kittiwake in 1962."], "It was the user's uncle who, in 1962, built the Kittiwake."),
        (["User takes 50 mg of losartan every morning."], "User takes losartan each morning at a dose of 15 mg."),
        (["退货率一直低于5%。"], "退货率始终高于5%。"),
        (["用户不卖蜂蜜。"], "用户的蜂蜜出售。"),
        (["用户每天最多喝两杯咖啡。"], "用户每天喝咖啡超过两杯。"),
    ],
)
def test_the_contrary_told_from_the_other_side_is_found(sources: list[str], text: str) -> None:
    assert _errs(sources, text)

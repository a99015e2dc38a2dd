"""What is denied, kept back, refused or minded, told by another word than a denial; and the same turned round."""

from __future__ import annotations

import pytest

from memopt.memory import UserMemory
from memopt.verify import verify


def clean(source: str, rewrite: str) -> bool:
    report = verify([UserMemory(source, memory_id="a")], [UserMemory(rewrite, memory_id="z")])
    return not report.lost and not report.invented


@pytest.mark.parametrize(
    ("source", "rewrite", "turned"),
    [
        ("Paul has not told his boss Ines.", "Paul has kept this from his boss Ines.", "Paul has told his boss Ines."),
        ("Rita has promised to keep quiet.", "Rita promised to say nothing.", "Rita promised to say everything."),
        (
            "Lena does not mind if the children play in the kitchen.",
            "Lena has no objection to the children playing in the kitchen.",
            "Lena objects to the children playing in the kitchen.",
        ),
        (
            "Tariq is calm, unlike his brother, who panics.",
            "Tariq is calm, whereas his brother panics.",
            "Tariq is calm, like his brother.",
        ),
        ("Noor was in the car and was not hurt.", "Noor, who was in the car, was unhurt.", "Noor, who was in the car, was hurt."),
        ("Noor was not injured in the crash.", "Noor was uninjured in the crash.", "Noor was injured in the crash."),
        (
            "Mould drove Jan out of the cellar flat.",
            "Jan moved out of the cellar flat because of mould.",
            "Jan stays in the cellar flat because of mould.",
        ),
        (
            "Lucia is leaving the choir in May to study in Graz.",
            "Lucia will quit the choir in May for her studies in Graz.",
            "Lucia will stay in the choir in May during her studies in Graz.",
        ),
        ("The script failed to close the window.", "The script wasn't closing the window.", "The script was closing the window."),
        ("小江的爸妈还不知道这次降级。", "这次降级，小江的爸妈还蒙在鼓里。", "这次降级，小江的爸妈已经知道了。"),
        ("小江想请她吃饭赔罪。", "小江想请她吃饭，赔个不是。", "小江不想请她吃饭赔罪。"),
        ("老魏住在学校附近。", "老魏住的地方离学校不远。", "老魏住得离学校很远。"),
        ("老魏今年没有休假，因为车间缺人。", "因车间人手不足，老魏今年没休假。", "因车间人手不足，老魏今年休了假。"),
        ("车位每月300元，电费另算。", "车位每月300元（不含电费）。", "车位每月300元（含电费）。"),
        ("阿芸常替妹妹出面拒绝推销员。", "阿芸常替妹妹出面回绝推销员。", "阿芸常替妹妹出面答应推销员。"),
    ],
)
def test_a_denial_told_by_another_word_is_no_contrary_and_its_contrary_is(source: str, rewrite: str, turned: str) -> None:
    assert clean(source, rewrite)
    assert not clean(source, turned)


def test_each_of_two_is_neither_added_nor_lost() -> None:
    assert clean("Their aunt Vera refuses to take sides.", "Their aunt Vera won't side with either of them.")


def test_what_one_cannot_have_another_may_like() -> None:
    both = [
        UserMemory("Nate has always liked turtles.", memory_id="a"),
        UserMemory("Joanna is allergic to turtles.", memory_id="b"),
    ]
    kept = verify(both, [UserMemory("Nate has always liked turtles, while Joanna is allergic to them.")])
    assert not kept.lost
    assert not kept.invented
    turned = verify(both, [UserMemory("Joanna has always liked turtles, while Nate is allergic to them.")])
    assert turned.lost or turned.invented


def test_all_right_is_okay() -> None:
    assert clean("Maria's car was hit, but everyone is okay.", "Maria's car was hit, but everyone is all right.")
    assert not clean("Maria's car was hit, but everyone is okay.", "Maria's car was hit, and everyone is hurt.")

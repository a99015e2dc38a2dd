"""What stands in the place of a lost fact is made up, and is not written."""

import pytest

from memopt.memory import UserMemory
from memopt.verify import verify
from memopt.verify.settle import settle


def sources(*texts):
    return [UserMemory(text, memory_id=f"m{number}") for number, text in enumerate(texts)]


CASES = [
    ("User is a backend developer.", "User is a frontend developer."),
    ("User's safe word is 'Green parrot'.", "User's safe word is 'Green carrot'."),
    ("User takes metformin twice a day.", "User takes metformin once a day."),
    ("用户比赛得了第五名。", "用户比赛得了第二名。"),
    ("用户的密码提示是“蓝马”。", "用户的密码提示是“蓝鸟”。"),
]


@pytest.mark.parametrize(("source", "other"), CASES, ids=[row[1] for row in CASES])
def test_another_value_in_the_place_of_a_lost_one_is_invented_and_is_cut_out(source, other):
    report = verify(sources(source), [UserMemory(other, memory_id="r")])
    assert report.lost
    assert [(item.nearest_id, item.nearest) for item in report.invented] == [("m0", source)]
    settled = settle(sources(source, "User lives in Ghent."), f"User lives in Ghent. {other}")
    assert settled.text == "User lives in Ghent."


@pytest.mark.parametrize(
    ("source", "rewrite"),
    [
        ("User is allergic to peanuts and shrimp.", "User has food allergies to peanuts."),
        ("User takes metformin twice a day.", "User takes metformin."),
    ],
)
def test_what_only_leaves_something_out_is_lost_and_not_invented(source, rewrite):
    report = verify(sources(source), [UserMemory(rewrite, memory_id="r")])
    assert report.lost
    assert not report.invented


def test_a_value_that_a_memory_has_is_not_invented():
    told = sources("User is a backend developer.", "User's brother Ole is a frontend developer.")
    assert not verify(told, [UserMemory("User's brother Ole is a frontend developer.", memory_id="r")]).invented

"""What looks like a name, an identifier or a quotation of its own and is none."""

from __future__ import annotations

import pytest

from memopt.memory import UserMemory
from memopt.verify import verify


def _found(source: str, rewrite: str) -> list[str]:
    report = verify([UserMemory(source, memory_id="m")], [UserMemory(rewrite)])
    return [item.fact for item in report.lost] + [item.fact for item in report.invented]


@pytest.mark.parametrize(
    ("source", "rewrite"),
    [
        ("活动的主持人是同事 Kevin 王。", "活动由同事 Kevin 王主持。"),
        ("用户的游泳教练姓秦。", "用户的游泳教练是秦教练。"),
        ("用户的房东姓孟。", "用户的房东是孟老板。"),
        ("用户周末偶尔喝点黄酒。", "黄酒是用户周末偶尔小酌的。"),
        ("User's ticket #B-20417 is still open.", "Ticket B-20417 of the user's is still open."),
        ("User swims three times a week.", "The user swims on three days a week."),
        ("用户一周跑步三次。", "用户每周有三天跑步。"),
    ],
)
def test_a_title_a_verb_or_a_sign_makes_no_other_name(source: str, rewrite: str) -> None:
    assert _found(source, rewrite) == []


@pytest.mark.parametrize(
    ("source", "rewrite"),
    [
        ("用户的游泳教练姓秦。", "用户的游泳教练是郑教练。"),
        ("User's ticket #B-20417 is still open.", "Ticket B-20471 of the user's is still open."),
        ("User swims three times a week.", "The user swims on four days a week."),
        ("用户一周跑步三次。", "用户每周有四天跑步。"),
    ],
)
def test_another_name_number_or_sign_is_found(source: str, rewrite: str) -> None:
    assert _found(source, rewrite)


def test_a_quotation_that_both_sides_have_did_not_become_itself() -> None:
    source = "测试环境的报错发到钉钉群“夜班轮值”。"
    report = verify([UserMemory(source, memory_id="m")], [UserMemory("预发环境的报错会推到钉钉群“夜班轮值”。")])
    assert all(item.kind != "quote" for item in report.invented)

"""Chinese summaries as a careful person writes them, and the same with one thing wrong."""

from __future__ import annotations

import pytest

from memopt.memory import UserMemory
from memopt.verify import verify

DAY = 86400


def errs(sources: str, rewrite: str) -> bool:
    """Whether anything of the memories, parted by a bar, is lost or made up in a rewrite."""
    memories = [
        UserMemory(text, memory_id=f"m{at}", created_at=1_735_689_600 + DAY * at) for at, text in enumerate(sources.split("|"))
    ]
    report = verify(memories, [UserMemory(rewrite, memory_id="rewrite")])
    return bool(report.lost or report.invented)


@pytest.mark.parametrize(
    ("sources", "faithful", "faulted"),
    [
        ("他的妹妹还没结婚。", "他的妹妹未婚。", "他的妹妹已婚。"),
        ("何川还没结婚，养了一条边牧。", "何川单身，有一只边牧。", "何川结婚了，有一只边牧。"),
        ("房东想涨租，用户没有答应。", "房东要求加租，遭用户拒绝。", "房东要求加租，用户答应了。"),
        ("女友还不知道这件事。", "女友对此尚不知情。", "女友已经知情。"),
        ("母亲做过膝关节手术，现在走路没问题。", "母亲动过膝关节手术，如今行走无碍。", "母亲没有动过膝关节手术，如今行走无碍。"),
        ("用户更倾向于公立。", "用户心里偏向公立。", "用户心里偏向私立。"),
        ("用户的车是一辆2020年的白色比亚迪。", "用户开的是2020款白色比亚迪。", "用户开的是2021款白色比亚迪。"),
        ("用户晚上经常两三点才睡着。", "用户常常到凌晨两三点方能入睡。", "用户常常到晚上十点就能入睡。"),
        ("地点选在他们第一次约会的江边餐厅。", "地点选在两人首次约会的江边餐厅。", "地点选在三人首次约会的江边餐厅。"),
        (
            "用户怀疑自己乳糖不耐受，喝牛奶会拉肚子。|用户改喝燕麦奶已经半年了。",
            "用户喝牛奶会腹泻，疑似乳糖不耐，已改饮燕麦奶半年。",
            "用户喝牛奶会腹泻，疑似乳糖不耐，可能改饮燕麦奶半年。",
        ),
        (
            "通勤时间从一小时缩短到二十分钟。",
            "通勤由1小时减到20分钟。",
            "通勤由20分钟增到1小时。",
        ),
        ("用户希望新房子允许养狗，有独立阳台。", "用户想要新房子能养狗、带独立阳台。", "用户想要新房子能养猫、带独立阳台。"),
    ],
)
def test_what_is_told_in_other_words_passes_and_what_is_told_wrong_does_not(sources: str, faithful: str, faulted: str) -> None:
    assert not errs(sources, faithful)
    assert errs(sources, faulted)


@pytest.mark.parametrize(
    ("source", "faithful", "faulted"),
    [
        ("用户的班主任是黄老师。", "黄老师是用户的班主任。", "用户的班主任是王老师。"),
        ("用户每周跟李医生做一次咨询。", "用户每周找李医生咨询一次。", "用户每周找赵医生咨询一次。"),
        ("用户和同事老周每天一起拼车。", "用户每天与同事老周拼车。", "用户每天与同事老吴拼车。"),
    ],
)
def test_a_surname_that_no_memory_has_is_somebody_else(source: str, faithful: str, faulted: str) -> None:
    assert not errs(source, faithful)
    assert errs(source, faulted)


@pytest.mark.parametrize(
    ("source", "rewrite"),
    [("组长是何静。", "由何静任组长。"), ("每星期三老师来家里辅导。", "每周老师来家里辅导一次，在星期三。")],
)
def test_a_character_that_belongs_to_another_word_is_no_surname(source: str, rewrite: str) -> None:
    report = verify([UserMemory(source, memory_id="a")], [UserMemory(rewrite, memory_id="b")])
    assert not any(item.kind == "name" for item in report.invented)

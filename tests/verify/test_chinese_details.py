"""Details taken from or hung on a Chinese clause that is otherwise told."""

from __future__ import annotations

import pytest

from memopt.memory import UserMemory
from memopt.verify import Report, verify


def _check(source: str, rewrite: str) -> Report:
    return verify([UserMemory(source, memory_id="m")], [UserMemory(rewrite, memory_id="r")])


@pytest.mark.parametrize(
    ("source", "rewrite"),
    [
        ("用户对头孢过敏，所以看病时总会先说明。", "用户看病时总会先说明情况。"),
        ("用户喜欢在地铁上背单词。", "用户喜欢背单词。"),
        ("婶婶一个人看店。", "婶婶看店。"),
        ("伯父打算买一辆二手卡车。", "伯父打算买一辆卡车。"),
        ("用户在杭州一家物流软件公司上班。", "用户在杭州一家公司上班。"),
    ],
)
def test_a_thing_left_out_of_what_is_told_is_lost(source: str, rewrite: str) -> None:
    assert _check(source, rewrite).lost


@pytest.mark.parametrize(
    ("source", "rewrite"),
    [
        ("公司要求每月交一份报告。", "公司要求每月交一份报告并附发票。"),
        ("用户童年打针时起过疹子。", "用户童年打针时起过疹子，还因此休克。"),
        ("用户学会了织围巾。", "用户跟着视频学会了织围巾。"),
    ],
)
def test_a_short_clause_hung_on_what_is_told_is_invented(source: str, rewrite: str) -> None:
    assert _check(source, rewrite).invented


@pytest.mark.parametrize(
    ("source", "rewrite"),
    [
        ("用户教初中历史，今年带初二。", "用户是初中历史老师，今年带初二。"),
        ("用户是初中历史老师，今年带初二。", "用户教初中历史，今年带初二。"),
        ("用户喜欢一个人看电影。", "用户爱看电影，而且喜欢独自看。"),
        ("前同事兼职完成设计。", "设计由前同事兼职做。"),
        ("合并请求至少要两人评审。", "每个合并请求须有两人以上评审。"),
        ("代码示例不要写注释。", "示例代码不带注释。"),
        ("主治医生是赵医生，电话0571-5550101。", "主治医生姓赵（0571-5550101）。"),
        ("用户和老板每周在办公室谈一次。", "用户与老板每周在办公室面谈一次。"),
    ],
)
def test_the_same_told_with_other_parts_passes(source: str, rewrite: str) -> None:
    report = _check(source, rewrite)
    assert not report.lost
    assert not report.invented

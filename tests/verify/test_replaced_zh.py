"""Chinese rewrites that have another thing of the same kind, or another pole, in its place: each with a faithful cousin."""

from __future__ import annotations

import pytest

from memopt.memory import UserMemory
from memopt.verify import verify

PAIRS = [
    (["李国强是用户的舅舅，以前是木匠。"], "用户的舅舅名叫李国强，过去做木匠。", "用户的姑父名叫李国强，过去做木匠。"),
    (["用户害怕坐船，旅行一般选飞机。"], "用户怕坐船，旅行通常乘飞机。", "用户怕坐船，旅行通常自己开车。"),
    (["用户学插花，最近主要练习兰花。"], "用户在学插花，近来以练习兰花为主。", "用户在学插花，近来以练习菊花为主。"),
    (["用户半程马拉松的最好成绩是2小时05分。"], "用户的半马最佳成绩为2小时05分。", "用户的全马最佳成绩为2小时05分。"),
    (["用户的姐姐有一对双胞胎女儿。"], "用户的姐姐育有一对双胞胎女孩。", "用户的姐姐育有一对双胞胎男孩。"),
    (["用户的侄子英语很好，化学不太好。"], "用户的侄子英语很强，化学不大行。", "用户的侄子化学很强，英语不大行。"),
    (
        ["用户的奶奶做了白内障手术，恢复得不错。"],
        "用户的奶奶做过白内障手术，恢复良好。",
        "用户的奶奶做过白内障手术，恢复得并不好。",
    ),
    (["用户的同事会说一点日语。"], "用户的同事能讲一点日语。", "用户的同事能讲流利的日语。"),
    (["用户周末会午睡半小时。"], "用户周末会睡半小时午觉。", "用户每天会睡半小时午觉。"),
]


def _found(sources: list[str], rewrite: str) -> bool:
    report = verify([UserMemory(text, memory_id=f"m{at}") for at, text in enumerate(sources)], [UserMemory(rewrite)])
    return bool(report.lost or report.invented)


@pytest.mark.parametrize(("sources", "faithful", "faulted"), PAIRS)
def test_another_one_of_its_kind_is_found(sources: list[str], faithful: str, faulted: str) -> None:
    assert not _found(sources, faithful)
    assert _found(sources, faulted)

"""Chinese rewrites that turn who does something to whom, which way something went, or a numeral inside a word."""

from __future__ import annotations

import pytest

from memopt.memory import UserMemory
from memopt.verify import verify
from memopt.verify.acts import other_way
from memopt.verify.slight import other_numeral

PAIRS = [
    (["周凯欠用户2000元，说好9月底还。"], "周凯欠着用户2,000元，约定9月底还清。", "用户欠着周凯2,000元，约定9月底还清。"),
    (["用户借给同事一台相机。"], "用户的一台相机借给了同事。", "同事借给用户一台相机。"),
    (
        ["用户的项目从 Django 3.2 迁移到了 Django 5.0。"],
        "用户已把项目由 Django 3.2 迁到 Django 5.0。",
        "用户已把项目由 Django 5.0 迁回 Django 3.2。",
    ),
    (["用户的诗未能入选今年的市诗集。"], "用户的诗没能入选今年的市诗集。", "用户的诗入选了今年的市诗集。"),
    (
        ["用户向表哥借了一台相机，一直没还。"],
        "用户跟表哥借的相机一直没有归还。",
        "用户跟表哥借的相机已经还了。",
    ),
    (
        ["装修公司拖着尾款发票还没寄，用户很着急。"],
        "装修公司的尾款发票迟迟未寄，用户很着急。",
        "装修公司的尾款发票已经寄了，用户很着急。",
    ),
    (["孩子的班主任周老师谈过早恋的问题。"], "班主任周老师谈过孩子早恋的问题。", "班主任邹老师谈过孩子早恋的问题。"),
    (["用户七月由广州飞兰州。"], "七月，用户从广州飞往兰州。", "七月，用户从兰州飞往广州。"),
    (["用户每周末要寄作业，本周的还没寄出去。"], "用户周末寄作业，本周的尚未寄出。", "用户周末寄作业，本周的已经寄出去了。"),
    (["用户交了房租，水电费还没交。"], "房租用户已经交了，水电费尚未交。", "房租用户还没交，水电费已经交了。"),
    (["用户每月房租4100元，押二付六。"], "用户月租4100元，押二付六。", "用户月租4100元，押六付二。"),
    (["用户的外甥在准备中考，目标是市三中。"], "用户的外甥正备战中考，想考市三中。", "用户的外甥正备战中考，想考市五中。"),
]


def _found(sources: list[str], rewrite: str) -> bool:
    report = verify([UserMemory(text, memory_id=f"m{at}") for at, text in enumerate(sources)], [UserMemory(rewrite)])
    return bool(report.lost or report.invented)


@pytest.mark.parametrize(("sources", "faithful", "faulted"), PAIRS)
def test_what_is_told_the_other_way_round_is_found(sources: list[str], faithful: str, faulted: str) -> None:
    assert not _found(sources, faithful)
    assert _found(sources, faulted)


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("陈老师教用户弹琴", "用户跟陈老师学弹琴"),
        ("用户被老板批评了", "老板批评用户"),
        ("妈妈由用户照顾", "用户照顾妈妈"),
        ("用户照顾妈妈", "妈妈让用户照顾弟弟"),
        ("保姆照顾用户的女儿", "用户照顾妈妈"),
        ("从北京搬到上海", "由北京搬至上海"),
    ],
)
def test_the_same_way_in_other_words_is_no_turn(one: str, two: str) -> None:
    assert other_way(one, two) is None
    assert other_way(two, one) is None


def test_counts_and_days_are_no_numerals_inside_of_words() -> None:
    assert other_numeral("用户每周三游泳", "用户每周一画画") is None
    assert other_numeral("用户有一些朋友", "用户有三个朋友") is None
    assert other_numeral("在市二中上学", "市一中的学生")

"""What the sources tell of one person alone must not be told of two, and what each of two does may be told of both."""

from __future__ import annotations

import pytest

from memopt.memory import UserMemory
from memopt.verify import verify


def _errs(sources: list[str], text: str) -> bool:
    told = [UserMemory(one, memory_id=f"m{at}", created_at=1735689600 + 86400 * at) for at, one in enumerate(sources)]
    report = verify(told, [UserMemory(text)])
    return bool(report.lost or report.invented)


COLLIE = [
    "Hannah has a border collie.",
    "Hannah works night shifts.",
    "Marcus works night shifts.",
    "Marcus is learning Italian.",
]
ROSA = ["User and his wife Rosa live in Madrid.", "Rosa teaches yoga.", "User has a peanut allergy.", "They have two children."]
CORK = [
    "Derek coaches a youth team.",
    "Derek's brother Sean is a firefighter.",
    "Sean has a motorcycle.",
    "Derek and Sean grew up in Cork.",
]
CHILDREN = [
    "User's daughter Mila is seven.",
    "User's son Noah is ten.",
    "Mila is afraid of dogs.",
    "Noah takes piano lessons.",
]
JAZZ = ["Anna is a nurse.", "Ben is a plumber.", "Anna likes jazz."]
DOGS = ["User adopted two greyhounds, Pixel and Moss.", "Pixel is deaf in one ear.", "Moss steals socks."]
ZHOU = ["用户的妻子周敏是会计。", "用户的弟弟周航在成都读书。", "周敏会弹古筝。"]
CHEN = ["用户的哥哥叫陈建国，是消防员。", "用户的姐姐陈建英是中学老师。", "陈建国左膝有伤。", "陈建英不吃海鲜。"]
SCHOOL = ["赵磊和孙倩是大学同学。", "赵磊在银行上班。", "孙倩在出版社上班。", "孙倩会说法语。"]
QINGDAO = ["用户在写一本小说。", "用户的朋友阿杰在画漫画。", "阿杰去年搬到了青岛。"]
POLLEN = ["张敏对花粉过敏。", "张敏的同事徐涛每天骑车上班。", "徐涛养了一只边牧。"]


@pytest.mark.parametrize(
    ("sources", "text"),
    [
        (JAZZ, "Anna is a nurse and Ben a plumber; both like jazz."),
        (JAZZ, "Anna is a nurse, Ben is a plumber, and they both love jazz."),
        (COLLIE, "Hannah and Marcus both work night shifts and are learning Italian; she has a border collie."),
        (
            COLLIE,
            "Hannah has a border collie and Marcus is learning Italian. They both work night shifts and both own a border collie.",
        ),
        (ROSA, "User and his wife Rosa live in Madrid with two children. Both teach yoga. User has a peanut allergy."),
        (ROSA, "User and his wife Rosa, who both teach yoga, live in Madrid with their two children; user has a peanut allergy."),
        (ROSA, "User and his wife Rosa live in Madrid with two children. Rosa teaches yoga, and both have a peanut allergy."),
        (CORK, "Derek and his brother Sean grew up in Cork. Both coach a youth team. Sean is a firefighter with a motorcycle."),
        (CHILDREN, "User has two children, Mila (7) and Noah (10). They are afraid of dogs, and Noah takes piano lessons."),
        (CHILDREN, "User's daughter Mila (7) and son Noah (10) take piano lessons. Mila is afraid of dogs."),
        (DOGS, "User adopted two greyhounds, Pixel and Moss. Both dogs are deaf in one ear, and Moss steals socks."),
        (DOGS, "User adopted two greyhounds, Pixel and Moss. Pixel is deaf in one ear and steals socks."),
        (ZHOU, "用户的妻子周敏是会计，弟弟周航在成都读书，两人都会弹古筝。"),
        (ZHOU, "用户的妻子周敏和弟弟周航都是会计，周航在成都读书，周敏会弹古筝。"),
        (CHEN, "用户的哥哥陈建国是消防员，左膝有伤；姐姐陈建英是中学老师。他们都不吃海鲜。"),
        (CHEN, "用户的哥哥陈建国和姐姐陈建英都是消防员，陈建国左膝有伤，陈建英是中学老师，不吃海鲜。"),
        (SCHOOL, "大学同学赵磊和孙倩都会说法语，赵磊在银行上班，孙倩在出版社上班。"),
        (SCHOOL, "赵磊和孙倩是大学同学，赵磊在银行上班，孙倩在出版社上班，都会说法语。"),
        (QINGDAO, "用户在写小说，朋友阿杰在画漫画，两人去年都搬到了青岛。"),
        (POLLEN, "张敏和同事徐涛都对花粉过敏，徐涛养了一只边牧，每天骑车上班。"),
        (POLLEN, "张敏对花粉过敏，她和同事徐涛每天骑车上班，徐涛养了一只边牧。"),
    ],
)
def test_what_is_known_of_one_person_is_not_told_of_two(sources: list[str], text: str) -> None:
    assert _errs(sources, text)


@pytest.mark.parametrize(
    ("sources", "text"),
    [
        (JAZZ, "Anna, a nurse, likes jazz; Ben is a plumber."),
        (COLLIE, "Hannah and Marcus both work night shifts; she has a border collie and he is learning Italian."),
        (COLLIE, "Hannah, who has a border collie, and Marcus, who is learning Italian, both work nights."),
        (COLLIE, "Hannah has a border collie and Marcus is learning Italian. They both work night shifts."),
        (
            ROSA,
            "User, who is allergic to peanuts, lives in Madrid with his wife Rosa, a yoga teacher. They have two children.",
        ),
        (
            CORK,
            "Brothers Derek and Sean grew up in Cork. Derek coaches a youth team, while Sean is a firefighter with a motorcycle.",
        ),
        (CHILDREN, "User has two children: Mila, seven, who is afraid of dogs, and Noah, ten, who takes piano lessons."),
        (DOGS, "User adopted two greyhounds: Pixel, who is deaf in one ear, and Moss, who steals socks."),
        (ZHOU, "用户的妻子周敏是会计，会弹古筝；弟弟周航在成都读书。"),
        (SCHOOL, "赵磊与孙倩是大学同学，前者在银行上班，后者在出版社工作，会讲法语。"),
        (["小马和小刘都在深圳工作。", "小马喜欢骑车。", "小刘也喜欢骑车。"], "小马和小刘都在深圳工作，两人都喜欢骑车。"),
        (
            ["用户的妻子林悦是医生。", "用户和林悦2018年结婚。", "用户每周末打网球。", "林悦每周末打网球。"],
            "用户的妻子林悦是医生，他们2018年结婚，夫妻俩每个周末都打网球。",
        ),
        (
            ["用户有一个儿子叫豆豆，五岁。", "用户的妻子叫方芳。", "豆豆喜欢恐龙。"],
            "用户和妻子方芳有个五岁的儿子豆豆，豆豆喜欢恐龙。",
        ),
        (["用户的女儿叫小雨，今年六岁，学钢琴。"], "用户有个六岁的女儿，名叫小雨，在学钢琴。"),
        (["用户有两个弟弟，都在读大学。"], "用户有2个弟弟，均在上大学。"),
        (["用户从没见过网友晚风本人。", "用户和晚风固定双排。"], "用户和网友晚风固定双排，两人从未见过面。"),
    ],
)
def test_what_each_of_two_does_may_be_told_of_both(sources: list[str], text: str) -> None:
    assert not _errs(sources, text)


def test_a_name_of_one_character_is_read() -> None:
    assert not _errs(["用户的女儿叫满，今年三岁。", "用户对工作很满意。"], "用户的女儿叫满，三岁；用户对工作很满意。")

"""Chinese places, languages, firms and clubs: what tells of one does not tell of another."""

from __future__ import annotations

import pytest

from memopt.memory import UserMemory
from memopt.verify import verify


def _report(sources: list[str], rewrite: str) -> tuple[set[str], set[str]]:
    """The facts that are lost and invented."""
    report = verify([UserMemory(text, memory_id=f"m{at}") for at, text in enumerate(sources)], [UserMemory(rewrite)])
    return {item.fact for item in report.lost}, {item.fact for item in report.invented}


@pytest.mark.parametrize(
    ("sources", "faithful", "faulted"),
    [
        (["用户的表姐住在成都。"], "用户的表姐现居成都。", "用户的表姐现居重庆。"),
        (
            ["用户的公司在无锡。", "用户每天坐地铁上班。"],
            "用户的公司位于无锡，每天搭地铁上班。",
            "用户的公司位于宁波，每天搭地铁上班。",
        ),
        (["用户的叔叔在墨尔本开了一家洗衣店。"], "用户有位叔叔在墨尔本经营洗衣店。", "用户有位叔叔在奥克兰经营洗衣店。"),
        (["用户的语伴来自里斯本。"], "用户的语言伙伴是里斯本人。", "用户的语言伙伴是马德里人。"),
        (["用户支持国际米兰。"], "用户是国米球迷。", "用户是尤文球迷。"),
        (["用户在比亚迪做电池工程师，已经三年了。"], "用户任比亚迪电池工程师已有三年。", "用户任宁德时代电池工程师已有三年。"),
        (["用户正在学意大利语，每天背二十个单词。"], "用户在学意语，每天背20个单词。", "用户在学葡语，每天背20个单词。"),
        (["用户的女儿在昆山上小学二年级。"], "用户的女儿是昆山的小学二年级学生。", "用户的女儿是太仓的小学二年级学生。"),
    ],
)
def test_another_place_or_name_in_its_stead_is_lost_and_invented(sources: list[str], faithful: str, faulted: str) -> None:
    assert _report(sources, faithful) == (set(), set())
    lost, invented = _report(sources, faulted)
    assert lost
    assert invented


def test_a_place_that_no_memory_tells_is_invented() -> None:
    _, invented = _report(["用户打算今年冬天去滑雪。"], "用户打算今年冬天去北海道滑雪。")
    assert invented


def test_a_language_that_no_memory_tells_is_invented() -> None:
    _, invented = _report(["用户希望回答用要点列出。"], "用户希望回答用要点列出，并且要用法文。")
    assert invented


@pytest.mark.parametrize(
    ("source", "rewrite"),
    [
        ("用户在江苏南京读大学。", "用户在南京读大学。"),  # the town tells the province
        ("用户在南京读大学。", "用户在江苏南京读大学。"),
        ("用户住在苏州市姑苏区。", "用户家住苏州姑苏区。"),
        ("用户的朋友是法国人，在上海开了一家面包店。", "用户的法籍朋友在上海开了一家面包店。"),
        ("User lives in London and works as a nurse.", "用户住在伦敦，是一名护士。"),
        ("用户觉得这件事很顺利，马上就能办完。", "用户觉得这事很顺利马上能办完。"),  # 利马 is no place there
    ],
)
def test_a_place_told_by_another_of_its_names_is_told(source: str, rewrite: str) -> None:
    lost, invented = _report([source], rewrite)
    assert not lost
    assert not invented


def test_a_place_that_a_newer_memory_replaces_is_not_lost() -> None:
    sources = [
        UserMemory("用户住在广州。", memory_id="a", created_at=1735689600),
        UserMemory("用户现在住在长沙。", memory_id="b", created_at=1738368000),
    ]
    assert not verify(sources, [UserMemory("用户现居长沙。")]).lost

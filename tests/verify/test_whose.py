"""In Chinese rewrites what is told of one person and should be told of another is found; a new order of the clauses is not."""

from __future__ import annotations

import pytest

from memopt.facts.whose import may_be_one, names_in, people_of, sayings
from memopt.memory import UserMemory
from memopt.verify import verify

FAMILY = ["用户的弟弟叫赵磊，28岁，在杭州做程序员。", "用户的妈妈今年60岁，退休前是会计。"]
FLAT = ["用户和女友小雅合租在广州天河区。", "小雅是护士，经常上夜班。", "用户在一家游戏公司做策划。"]
CHILDREN = ["用户的儿子乐乐五岁，对牛奶过敏。", "用户的女儿朵朵三岁，喜欢画画。", "用户每天早上送乐乐和朵朵去幼儿园。"]
IN_LAWS = ["用户的丈夫陈刚是消防员，每三天值一次夜班。", "用户的公公有糖尿病。", "用户的婆婆帮忙做饭。"]
WORK = ["用户的导师何教授今年休假。", "用户的师姐林悦刚拿到博士学位，去了深圳一家公司。"]
HOME = ["用户负责买菜，室友马涛负责打扫。", "马涛的生日是5月4日。"]
LEFT = ["程远已经从用户的公司离职，去了一家银行。", "接替程远的是邓洁。"]

FAITHFUL = [
    (FAMILY, "用户的妈妈60岁，退休前当会计；弟弟赵磊28岁，在杭州做程序员。"),
    (FLAT, "用户与女友小雅在广州天河区合租。小雅是护士，常上夜班；用户在游戏公司做策划。"),
    (CHILDREN, "乐乐和朵朵是用户的一双儿女：儿子乐乐5岁，对牛奶过敏；女儿朵朵3岁，爱画画。用户每天早上送他们去幼儿园。"),
    (IN_LAWS, "丈夫陈刚是一名消防员，每三天要值一次夜班。公公患糖尿病，婆婆帮着做饭。"),
    (WORK, "用户的导师何教授今年在休假；师姐林悦刚获得博士学位，去了深圳的一家公司。"),
    (HOME, "用户负责买菜，室友马涛负责打扫，马涛的生日是5月4日。"),
    (LEFT, "程远已离开用户的公司，去了一家银行，由邓洁接替。"),
    (["用户的母亲住在洛阳，每个月都会给她寄药。"], "母亲人在洛阳，用户每个月都会给她寄药。"),
    (["用户的爷爷今年85岁，住在山东老家。"], "用户有一位85岁的爷爷，住在山东老家。"),
    (["用户住在厦门。", "用户有一个女儿叫小溪。", "用户每年冬天去云南。"], "用户住在厦门，有个女儿叫小溪，每年冬天去云南。"),
]
FAULTED = [
    (FAMILY, "用户的妈妈60岁，在杭州做程序员；弟弟赵磊28岁，退休前当会计。"),
    (FLAT, "用户与女友小雅在广州天河区合租。用户是护士，常上夜班；小雅在游戏公司做策划。"),
    (CHILDREN, "乐乐和朵朵是用户的一双儿女：儿子乐乐5岁，爱画画；女儿朵朵3岁，对牛奶过敏。用户每天早上送他们去幼儿园。"),
    (IN_LAWS, "丈夫陈刚是一名消防员，每三天要值一次夜班。婆婆患糖尿病，公公帮着做饭。"),
    (WORK, "用户的导师何教授刚获得博士学位；师姐林悦今年在休假，去了深圳的一家公司。"),
    (HOME, "马涛负责买菜，用户负责打扫，马涛的生日是5月4日。"),
    (HOME, "用户负责买菜，室友马涛负责打扫，用户的生日是5月4日。"),
    (LEFT, "邓洁已离开用户的公司，去了一家银行，由程远接替。"),
    (CHILDREN, "儿子乐乐（3岁）对牛奶过敏，女儿朵朵（5岁）喜欢画画，用户每天早上送乐乐和朵朵去幼儿园。"),
    (IN_LAWS, "丈夫陈刚是消防员，每三天值一次夜班，有糖尿病。公公在家。婆婆帮忙做饭。"),
]

TAXI = ["孟澜在出租车公司当调度员，每天五点起床。", "孟澜的前夫在造船厂上班。"]
TALENTS = ["用户的女儿学扬琴。", "用户的儿子学击剑。"]
PETS = ["钱蕾对狗毛过敏。", "钱蕾的丈夫齐峰在银行工作。"]
COOK = ["卢瑶正在教同事安娜做豆腐。", "安娜来自里斯本。"]
OPERA = ["谷雨晴是一名评弹演员。", "谷雨晴师从章月琴。"]
SCARF = ["裴宁的手机号是 13800001111。", "裴宁送过用户一条羊毛围巾。"]
NIGHTS = ["凌波是消防队的驾驶员，哥哥凌涛是急诊科医生。", "凌涛每周上两个夜班。"]
TRADES = ["靳东是设计师。", "靳南是会计。"]
KEEPERS = ["蓝晓负责照顾两只小熊猫。", "蓝晓的搭档尚文负责照顾长颈鹿。"]
SHARED = ["卢瑶来自里斯本。", "安娜也来自里斯本。"]
FAITHFUL += [
    (TAXI, "出租车公司调度员孟澜每天五点起床，她的前夫在造船厂工作。"),
    (TALENTS, "用户的儿子学击剑，女儿学扬琴。"),
    (PETS, "钱蕾对狗毛过敏，丈夫齐峰在银行工作。"),
    (COOK, "卢瑶的同事安娜来自里斯本，她正跟卢瑶学做豆腐。"),
    (OPERA, "评弹演员谷雨晴是章月琴的徒弟。"),
    (SCARF, "裴宁的手机号为13800001111，曾把一条羊毛围巾送给用户。"),
    (SHARED, "卢瑶和安娜都来自里斯本。"),
    (TRADES, "靳东和靳南分别是设计师和会计。"),
    (NIGHTS, "凌波在消防队开车；哥哥凌涛是急诊医生，一周值两次夜班。"),
    (KEEPERS, "蓝晓照顾两只小熊猫，搭档尚文照顾长颈鹿。"),
]
FAULTED += [
    (TAXI, "孟澜在造船厂工作，每天五点起床，当过出租车公司的调度员，她有个前夫。"),
    (TALENTS, "用户的女儿学扬琴和击剑。"),
    (PETS, "钱蕾和丈夫齐峰都在银行工作，钱蕾对狗毛过敏。"),
    (COOK, "卢瑶的同事安娜来自里斯本，她正教卢瑶做豆腐。"),
    (COOK, "卢瑶和安娜都来自里斯本，安娜正跟卢瑶学做豆腐。"),
    (OPERA, "评弹演员谷雨晴是章月琴的师父。"),
    (TRADES, "靳东和靳南分别是会计和设计师。"),
    (NIGHTS, "凌波在消防队开车，一周值两次夜班；哥哥凌涛是急诊医生。"),
    (KEEPERS, "蓝晓照顾两只小熊猫和长颈鹿，尚文是搭档。"),
    (SCARF, "裴宁的手机号为13800001111，曾收到用户送的一条羊毛围巾。"),
]


def _found(sources: list[str], rewrite: str) -> bool:
    report = verify([UserMemory(text, memory_id=f"m{at}") for at, text in enumerate(sources)], [UserMemory(rewrite)])
    return bool(report.lost or report.invented)


@pytest.mark.parametrize(("sources", "rewrite"), FAITHFUL)
def test_facts_in_another_order_are_told_of_whom_they_are(sources: list[str], rewrite: str) -> None:
    assert not _found(sources, rewrite)


@pytest.mark.parametrize(("sources", "rewrite"), FAULTED)
def test_a_fact_that_is_told_of_somebody_else_is_found(sources: list[str], rewrite: str) -> None:
    assert _found(sources, rewrite)


def test_who_is_named_in_the_report() -> None:
    sources = [UserMemory("用户听力不好，戴助听器。", memory_id="a"), UserMemory("用户的岳父周平去年做过手术。", memory_id="b")]
    report = verify(sources, [UserMemory("岳父周平去年做过手术，听力不好，戴助听器。")])
    assert [(item.memory_id, item.kind) for item in report.lost] == [("a", "swap")]
    assert [item.kind for item in report.invented] == ["swap"]


def _who(text: str, sources: list[str]) -> list[set[str]]:
    return [set(one.who) for one in sayings(text, people_of(sources, names_in(sources, [text]), ()))]


def test_a_clause_without_a_subject_goes_on_with_the_one_before() -> None:
    assert _who("用户的妹妹叫林珊，今年31岁，住在南京。", ["林珊是用户的妹妹。"]) == [{"妹妹"}, {"妹妹"}, {"妹妹"}]


def test_a_clause_that_may_have_a_subject_of_its_own_tells_of_nobody() -> None:
    assert _who("用户和室友何川合租，何川不吃素，房租5200元。", ["室友何川不吃素。"])[-1] == set()


def test_a_name_and_a_relation_that_a_memory_ties_are_one_person() -> None:
    people = people_of(["王建国是用户的岳父。", "用户叫沈嘉宁。"], ["王建国", "沈嘉宁"], ())
    assert people["王建国"] == people["岳父"]
    assert people["沈嘉宁"] == "用户"


def test_of_several_daughters_each_is_one() -> None:
    assert not may_be_one("大女儿", "二女儿")
    assert may_be_one("大女儿", "女儿")

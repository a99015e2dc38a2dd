"""Dates, figures and names that stand right beside Chinese, with no blank between."""

import pytest

from memopt.facts.reading import read


def keys(text):
    return read(text).keys


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("合同于2026-01-05签的", "合同是2026年1月5日签的"), ("截止2024/11/3前", "2024年11月3日"), ("从2026-01-05至2026-01-09", "2026年1月5日"),
        ("电话13911112222，微信同号", "139-1111-2222"), ("座机号码02066668888", "020-6666-8888"), ("会议号为70011223344", "700 1122 3344"),
        ("卡号是6222020011112222333", "6222 0200 1111 2222 333"), ("Call 13911112222, please", "139 1111 2222"),
        ("最快2小时07分", "2小时7分钟"), ("用时一小时零五分", "1小时5分钟"), ("4分30秒", "4分钟30秒"),
        ("2024年第三季度", "2024 Q3"), ("2024Q3的业绩", "三季度"), ("the third quarter", "Q3"),
        ("120平方米", "120㎡"), ("体重8㎏", "8公斤"), ("300兆的宽带", "300M宽带"), ("内存32G的", "32GB"),
        ("每周二、四、六", "周二、周四和周六"), ("周一三五上课", "星期一、星期三、星期五"), ("周六日休息", "周六和周日"),
        ("住了五晚", "住了5晚"), ("订了20桌", "二十桌"), ("用Python3.12写的", "3.12"),
        ("看https://a.example.org/docs里的说明", "https://a.example.org/docs"),
    ],
)  # fmt: skip
def test_what_stands_beside_chinese_is_read_as_elsewhere(one, two):
    assert keys(one) & keys(two)
    assert keys(two) <= keys(one) or keys(one) <= keys(two) or any(len(key) > 4 for key in keys(one) & keys(two))


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("于2026-01-05签", "2026年1月6日"), ("电话13911112222，", "139-1111-2223"), ("2小时07分", "2小时17分钟"), ("第三季度", "第二季度"),
        ("120㎡", "121平方米"), ("周二、四", "周三、五"), ("五晚", "6晚"), ("得了5分", "5分钟"), ("3年级", "3年"), ("升级到2.7 升级", "2.7升"),
        ("10周年", "10周"), ("2000人", "2000年"), ("周五六点见", "周六"),
    ],
)  # fmt: skip
def test_other_figures_beside_chinese_stay_others(one, two):
    assert not {key for key in keys(one) & keys(two) if not key.startswith(("n:", "d:2000"))}


def test_two_of_a_kind_may_be_told_without_a_measure():
    two = [item for item in read("两犬都要打针").items if item.kind == "number"]
    assert two and two[0].weak and "n:2" in two[0].keys


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("用户向同事罗敏借了200元", "罗敏"), ("用户的表弟姜涛欠他50元", "姜涛"), ("室友是姜小涛", "姜小涛"), ("用户跟韩露合租", "韩露"), ("同事杜衡则反对", "杜衡"),
    ],
)  # fmt: skip
def test_a_verb_behind_a_name_is_no_part_of_it(text, name):
    assert [item.surface for item in read(text).names] == [name]


def test_a_way_to_call_somebody_is_no_name():
    assert not read("用户不喜欢这种叫法").names

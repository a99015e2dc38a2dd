"""Times, dates and spans as people say them."""

import pytest

from memopt.facts.reading import read


def keys(text):
    return {key for item in read(text).items for key in item.keys}


SAME = [
    ("gets up at half past six", "gets up at 6:30"),
    ("at quarter to nine", "at 8:45"),
    ("at a quarter past nine", "at 9:15"),
    ("before two o'clock", "before 2:00"),
    ("at seven in the evening", "at 19:00"),
    ("is up at 7", "is up at 7 am"),
    ("three quarters of an hour", "45 minutes"),
    ("since 03/2022", "since March 2022"),
    ("jazz of the sixties", "jazz of the 1960s"),
    ("every other week", "every two weeks"),
    ("from Monday to Friday", "on weekdays"),
    ("周一到周五", "工作日"),
    ("每日清晨七点起床", "每天早上7点起床"),
    ("每天六点下班", "每天6:00下班"),
    ("半小时", "30分钟"),
    ("一个半小时", "90分钟"),
    ("为期半年", "为期6个月"),
    ("下星期考试", "下周考试"),
    ("version 2.0 is out", "v2.0 is out"),
    ("三月份最忙", "3月最忙"),
    ("half a dozen eggs", "six eggs"),
    ("a half-hour walk", "30 minutes"),
    ("half a century", "50 years"),
    ("twice a year", "every six months"),
    ("three times a day", "every eight hours"),
    ("four times a year", "quarterly"),
    ("at 8.15 am", "at 8:15 am"),
    ("at 18.30", "at 6:30 pm"),
    ("is 6 foot 2", "is 6'2\" tall"),
    ("pays a quarter", "pays 25 %"),
    ("38.5 degrees", "38.5 °C"),
    ("Python v3.11", "Python 3.11"),
    ("in her 40's", "in her forties"),
    ("150 over 95", "150/95"),
    ("555.123.4567", "(555) 123-4567"),
    ("the website farrow-clocks.example", "https://farrow-clocks.example/"),
    ("the year before", "last year"),
    ("一亿两千万元", "1.2亿元"),
    ("二两白酒", "100克白酒"),
    ("半斤牛肉", "250克牛肉"),
    ("每次半片", "每次0.5片"),
    ("住了半个月", "住了15天"),
    ("去两三次", "去3次"),
    ("来了七八个人", "来了8个人"),
    ("早九晚六", "9:00到18:00"),
    ("周末闹钟八点。", "周末闹钟8:00。"),
    ("三元五角", "3.5元"),
    ("小学三年级", "小学3年级"),
    ("有100年历史", "有一百年历史"),
    ("一年两次", "每6个月"),
    ("comes between 8 and 10", "comes until 10 o'clock"),
    ("open from 10 to 18", "closes at 6 pm"),
    ("1 1/2 cups of sugar", "1.5 cups of sugar"),
    ("blood type is 0 negative", "blood group is O-negative"),
    ("at half past three in the afternoon", "at 15:30"),
    ("ten per cent less", "10 % less"),
    ("is one third lower", "is a third less"),
    ("married two years later", "married two years after that"),
    ("旺季在4至6月", "旺季从四月起"),
    ("早上7:50到校", "七点五十到校"),
    ("四比三赢了", "3:4"),
    ("亏了8个点", "亏损8%"),
    ("预计明春面世", "明年出版"),
]


@pytest.mark.parametrize(("one", "two"), SAME)
def test_two_ways_of_saying_a_time_share_a_key(one, two):
    assert keys(one) & keys(two)


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("half past six", "half past seven"), ("quarter to nine", "quarter past nine"), ("03/2022", "March 2023"),
        ("半小时", "半年"), ("in her sixties", "the 1960s"), ("every other week", "every other month"), ("at seven in the evening", "at 7 am"),
        ("half a dozen eggs", "a dozen eggs"), ("twice a year", "every four months"), ("at 18.30", "at 7:30 pm"), ("6 foot 2", "6'3\""),
        ("150 over 95", "150/85"), ("一亿两千万元", "1.3亿元"), ("二两白酒", "二斤白酒"), ("去两三次", "去四次"), ("早九晚六", "早八晚五"), ("100年", "2000年"),
        ("1 1/2 cups of sugar", "2.5 cups of sugar"), ("早上7:50到校", "晚上7:50到校"), ("亏了8个点", "亏了8点以后"), ("blood group is O-negative", "blood group is AB"),
    ],
)  # fmt: skip
def test_other_times_share_none(one, two):
    assert not keys(one) & keys(two)


def test_half_a_word_is_no_half():
    assert not keys("用户半夜起来")
    assert not any(key.startswith("q:") for key in keys("下半年"))


def test_one_day_is_a_span_only_where_it_is_measured():
    assert all(item.weak for item in read("wants to see Peru one day").items if item.kind == "quantity")
    assert any(not item.weak for item in read("the course takes one day").items)


def test_english_around_a_chinese_word_is_read_as_english():
    text = "User orders 麻婆豆腐 every Friday. The user has lunch at noon."
    assert {item.surface for item in read(text).names} == {"麻婆豆腐"}


DENIED = [
    ("likes horror but his girlfriend doesn't", "girlfriend", True),
    ("does not eat fish (allergic)", "allergic", False),
    ("spends no more than 60 euros on food", "food", False),
    ("lasts no longer than an hour of talk", "talk", False),
    ("Religion plays no role for him", "religion", True),
    ("phone calls are disliked", "call", True),
    ("is not feeling well", "feel", True),
]


@pytest.mark.parametrize(("text", "word", "denied"), DENIED)
def test_a_denial_reaches_what_it_denies(text, word, denied):
    from memopt.facts.words import stem

    found = [one.negated for one in read(text).words if one.stem == stem(word)]
    assert found == [denied]


def test_a_chinese_prefix_denies_one_word():
    words = {word.stem: word.negated for word in read("用户喜欢无糖绿茶").words}
    assert any(negated for negated in words.values())
    assert not words.get("绿茶", False)


def test_hours_from_to_in_a_part_of_the_day_are_times():
    for text in ("between 6 and 7 in the morning", "from 6 to 7 in the morning", "6 to 7 a.m."):
        assert [item.norm for item in read(text).items] == ["t:06:00", "t:07:00"]
    assert [item.norm for item in read("between 8 and 9 in the evening").items] == ["t:20:00", "t:21:00"]
    assert [item.kind for item in read("has 6 or 7 in the garden").items] == ["number", "number"]


def test_two_results_in_a_row_are_no_single_duration():
    assert {"q:s:6750", "q:s:480"} <= keys("ran it in 1:52:30, eight minutes faster")
    assert "q:s:6720" in keys("ran it in 1 hour and 52 minutes")


def test_what_is_no_figure_is_none():
    assert not any(key.startswith("q:s:") for key in keys("coaches the under-12s"))
    assert not any(key.startswith("q:month:0.5") for key in keys("做了半月板手术"))
    assert {"n:12", "n:340"} <= keys("12 out of 340 applicants")
    assert all(item.weak for item in read("needs tyres by the start of November").items if item.kind == "relative")

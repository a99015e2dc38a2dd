"""What keeps a thing from being so, said on one side alone: almost, rarely, forgot to, thinks that, except, at most, only, is learning."""

from __future__ import annotations

import pytest

from memopt.memory import UserMemory
from memopt.verify import Report, verify
from memopt.verify.status import status


def report(sources, rewrite) -> Report:
    return verify([UserMemory(text, memory_id=str(at)) for at, text in enumerate(sources)], [UserMemory(rewrite)])


TURNED = [
    ("Mira nearly sold the cottage.", "Mira sold the cottage."),
    ("Mira came close to quitting the choir.", "Mira quit the choir."),
    ("Mira seldom wears glasses.", "Mira wears glasses."),
    ("Mira wears perfume only rarely.", "Mira wears perfume."),
    ("Mira has yet to renew the passport.", "Mira has renewed the passport."),
    ("Mira forgot to book the ferry.", "Mira booked the ferry."),
    ("Mira neglected to water the orchids.", "Mira watered the orchids."),
    ("Mira is not yet registered in Vienna.", "Mira is registered in Vienna."),
    ("Mira has not yet been immunised against rabies.", "Mira has been immunised against rabies."),
    ("Mira tried to climb Mont Blanc.", "Mira climbed Mont Blanc."),
    ("Mira needs to renew the insurance.", "Mira renewed the insurance."),
    ("Mira dreamt that she plays for Ajax.", "Mira plays for Ajax."),
    ("Mira pretends that she enjoys opera.", "Mira enjoys opera."),
    ("Mira asked if the clinic is open on Sundays.", "The clinic is open on Sundays."),
    ("Mira works every weekday except Thursday.", "Mira works on Thursday."),
    ("Mira likes all vegetables except beetroot.", "Mira likes beetroot."),
    ("Mira spends at most 300 euros a month on food.", "Mira spends 300 euros a month on food."),
    ("Mira needs at least 7 hours of sleep.", "Mira needs 7 hours of sleep."),
    ("Mira only eats fish on Fridays.", "Mira eats fish on Fridays."),
    ("Mira is studying Finnish.", "Mira speaks Finnish fluently."),
    ("Mira is searching for a dog sitter in Kiel.", "Mira found a dog sitter in Kiel."),
    ("Mira applied for a visa for Japan.", "Mira received a visa for Japan."),
    ("Mira is interested in vintage watches.", "Mira owns vintage watches."),
    ("Mira has an appointment with the dentist on 4 June.", "Mira went to the dentist on 4 June."),
    ("Mira asked about the dosage of methadone.", "Mira takes methadone."),
    ("Mira read an article about gout.", "Mira has gout."),
    ("The freezer runs at -18 degrees.", "The freezer runs at 18 degrees."),
    ("用户险些卖掉了房子。", "用户卖掉了房子。"),
    ("用户极少喝酒。", "用户喝酒。"),
    ("用户忘了给兰花浇水。", "用户给兰花浇了水。"),
    ("用户还没来得及续签护照。", "用户续签了护照。"),
    ("用户的姐姐认为他乳糖不耐受。", "用户乳糖不耐受。"),
    ("用户梦见自己住在巴黎。", "用户住在巴黎。"),
    ("用户喜欢所有蔬菜，茄子除外。", "用户喜欢茄子。"),
    ("用户除了周四每天都上班。", "用户周四上班。"),
    ("用户每月最多花3000元。", "用户每月花3000元。"),
    ("用户只在周五吃鱼。", "用户在周五吃鱼。"),
    ("用户在学芬兰语。", "用户精通芬兰语。"),
    ("用户申请了日本签证。", "用户拿到了日本签证。"),
    ("用户正在找保姆。", "用户找到了保姆。"),
    ("用户对古董手表感兴趣。", "用户拥有古董手表。"),
    ("用户预约了5月3日的牙医。", "用户5月3日看了牙医。"),
    ("用户在看一本关于痛风的书。", "用户患有痛风。"),
    ("用户试图戒烟。", "用户戒烟了。"),
    ("冰柜温度是零下18度。", "冰柜温度是18度。"),
]


@pytest.mark.parametrize(("source", "rewrite"), TURNED)
def test_what_is_not_so_and_is_told_as_so_is_lost_and_invented(source, rewrite):
    got = report([source], rewrite)
    assert got.lost
    assert got.invented


@pytest.mark.parametrize(("source", "rewrite"), TURNED)
def test_what_is_so_and_is_told_as_not_so_is_found_too(source, rewrite):
    got = report([rewrite], source)
    assert got.lost or got.invented


def test_it_is_found_among_other_facts_in_one_sentence():
    sources = ["Mira seldom wears glasses.", "Mira lives in Kiel.", "Mira works at a bakery."]
    got = report(sources, "Mira lives in Kiel, wears glasses and works at a bakery.")
    assert [item.memory_id for item in got.lost] == ["0"]
    assert got.invented


SAME = [
    (["Mira nearly sold the cottage."], "Mira almost sold the cottage."),
    (["Mira seldom wears glasses."], "Mira rarely wears glasses."),
    (["Mira seldom wears glasses.", "Mira likes tofu."], "Mira likes tofu and wears glasses only on special occasions."),
    (["Mira barely speaks Welsh."], "Mira speaks very little Welsh."),
    (["Mira has yet to renew the passport."], "Mira has not renewed the passport yet."),
    (["Mira has yet to renew the passport."], "Mira still needs to renew the passport."),
    (["Mira forgot to book the ferry."], "Mira did not book the ferry because she forgot."),
    (["Mira is insured against theft."], "Mira has insurance against theft."),
    (["Mira asked if the clinic is open on Sundays."], "Mira wanted to know whether the clinic is open on Sundays."),
    (["Mira believes that meaningful songs come from grief."], "For Mira, meaningful songs come from grief."),
    (["Mira likes all vegetables except beetroot."], "Mira likes all vegetables but not beetroot."),
    (["Mira spends at most 300 euros a month on food."], "Mira spends no more than 300 euros a month on food."),
    (["At least four people must sign the petition."], "Four or more people have to sign the petition."),
    (["Mira only eats fish on Fridays."], "Fridays are the only days on which Mira eats fish."),
    (["Mira is studying Finnish.", "Mira speaks Danish."], "Mira speaks Danish and is learning Finnish."),
    (["Mira has gout.", "Mira is reading a book about gout."], "Mira has gout and is reading a book about it."),
    (["Mira has an appointment with the dentist on 4 June."], "Mira has a dentist appointment on 4 June."),
    (["The freezer runs at -18 degrees."], "The freezer runs at minus 18 degrees."),
    (["用户险些卖掉了房子。"], "用户差点卖掉了房子。"),
    (["用户极少喝酒。"], "用户很少喝酒。"),
    (["用户忘了给兰花浇水。"], "用户忘记给兰花浇水了。"),
    (["用户除了会说英语，还会说法语。"], "用户会说英语和法语。"),
    (["用户喜欢所有蔬菜，茄子除外。"], "除茄子外，用户喜欢所有蔬菜。"),
    (["用户每月最多花3000元。"], "用户每月花费不超过3000元。"),
    (["用户在学芬兰语。", "用户会说英语。"], "用户会说英语，正在学芬兰语。"),
    (["冰柜温度是零下18度。"], "冰柜温度为-18度。"),
]


@pytest.mark.parametrize(("sources", "rewrite"), SAME)
def test_what_stands_for_such_a_word_says_the_same(sources, rewrite):
    got = report(sources, rewrite)
    assert not got.lost
    assert not got.invented


def test_another_memory_that_says_it_flatly_is_enough():
    got = report(["Mira nearly sold the cottage.", "Mira sold the cottage in May."], "Mira sold the cottage in May.")
    assert not got.invented


@pytest.mark.parametrize(
    ("source", "rewrite"),
    [
        ("Mira almost bought a boat.", "Mira bought a kite."),
        ("Mira rarely eats meat.", "Mira cooks on Sundays."),
    ],
)
def test_a_mark_says_nothing_of_what_it_does_not_govern(source, rewrite):
    assert status(source, rewrite) is None


@pytest.mark.parametrize(
    ("source", "rewrite"),
    [
        ("Mira asked about the dosage of methadone.", "Mira likes jazz and takes methadone."),
        ("Mira read an article about gout.", "Mira has gout and likes jazz."),
        ("Mira dreamt that she plays for Ajax.", "Mira plays for Ajax and likes jazz."),
        ("用户在看一本关于痛风的书。", "用户患有痛风，喜欢爵士乐。"),
        ("用户的姐姐认为他乳糖不耐受。", "用户喜欢爵士乐，乳糖不耐受。"),
    ],
)
def test_a_word_beside_it_that_is_of_another_fact_excuses_nothing(source, rewrite):
    jazz = "用户喜欢爵士乐。" if "用户" in source else "Mira likes jazz."
    got = report([source, jazz], rewrite)
    assert [item.memory_id for item in got.lost] == ["0"]
    assert got.invented


def test_to_save_for_something_excepts_nothing():
    sources = ["User's plans: save for a house in Riga, teach Ida some Latvian.", "User lives in Graz."]
    rewrite = "User lives in Graz. User's plans: save for a house in Riga, teach Ida some Latvian."
    assert verify([UserMemory(text, f"m{n}") for n, text in enumerate(sources)], [UserMemory(rewrite)]).passed

"""Figures that follow from others, and figures that changed places."""

from __future__ import annotations

import pytest

from memopt.facts.items import find_items
from memopt.memory import UserMemory
from memopt.verify import verify
from memopt.verify.derived import adds_up, follows


def check(sources, rewrite):
    return verify(
        [UserMemory(text, memory_id=f"s{number}") for number, text in enumerate(sources)],
        [UserMemory(rewrite, memory_id="rewrite")],
    )


@pytest.mark.parametrize(
    ("sources", "rewrite"),
    [
        (["Ilse teaches drawing from 5 to 7 pm on Thursdays."], "On Thursdays Ilse teaches drawing for two hours from 5 pm."),
        (["Between 2011 and 2017 Owen was a ranger in Kenya."], "Owen was a ranger in Kenya for six years from 2011."),
        (["Half of Gareth's flock of 60 ewes has lambed."], "30 of Gareth's 60 ewes have lambed."),
        (["Hana borrowed $3,000 from her uncle and has paid back a third of it."], "Of the $3,000 borrowed from her uncle, Hana has paid back $1,000."),
        (["Nursery costs €320 a month, of which her employer pays a quarter."], "Nursery costs €320 a month; her employer pays €80 of it."),
        (["User owns two cats and a dog."], "The user owns three pets: two cats and a dog."),
        (["The choir has 24 members: 14 women and 10 men."], "14 women and 10 men are in the choir."),
        (["The panels made 4,120 kWh in 2024, more than in 2023."], "In 2024 the panels made 4,120 kWh, more than the year before."),
        (["She has her blood tested twice a year."], "She has her blood tested every six months."),
        (["The ticket was opened on 3 June and closed four days later."], "The ticket was opened on June 3 and closed on June 7."),
        (["The nurse rang three times: on 4, 9 and 16 May."], "The nurse rang on 4, 9 and 16 May."),
        (["The house was renovated twice, in 1978 and 2011."], "The house was renovated in 1978 and again in 2011."),
        (["The water bill was 96 euros for the quarter."], "The quarterly water bill was €96."),
        (["项目分三个阶段：调研两周，开发六周，测试两周。"], "项目三个阶段共十周：调研两周、开发六周、测试两周。"),
        (["小蔡和室友合租，月租2400元，对半分。"], "小蔡和室友合租，月租2400元，各付1200元。"),
        (["张博的论文改了四稿。"], "张博的论文已改了4稿。"),
        (["老周一年体检两次。"], "老周每六个月体检一次。"),
        (["Bo's shop is open from 10 to 18.", "On Thursdays it stays open two hours longer."], "Bo's shop is open from 10 am to 6 pm, on Thursdays until 8 pm."),
        (["合同期限两年，从2024年3月15日到2026年3月14日。"], "合同自2024年3月15日起，为期两年。"),
        (["The syrup has to be taken morning and night for ten days."], "The syrup has to be taken twice a day for ten days."),
        (["The site lives at https://blog.tarnholt.io.", "User moved the company blog to Astro 4.2."], "The user moved the company blog (https://blog.tarnholt.io) to Astro 4.2."),
        (["医生建议一周喝酒不要超过三次。"], "医生建议每周喝酒最多三次。"),
        (["日薪从280元到400元不等。"], "日薪280至400元。"),
        (["客厅空调设为26摄氏度。"], "客厅空调温度设为26℃。"),
        (["He finished in third place at the Lyon rally."], "He finished 3rd at the Lyon rally."),
    ],
)  # fmt: skip
def test_a_figure_that_follows_from_those_that_are_told_is_told(sources, rewrite):
    assert check(sources, rewrite).passed


@pytest.mark.parametrize(
    ("sources", "rewrite"),
    [
        (["Ilse teaches drawing from 5 to 7 pm on Thursdays."], "On Thursdays Ilse teaches drawing for three hours from 5 pm."),
        (["Between 2011 and 2017 Owen was a ranger in Kenya."], "Owen was a ranger in Kenya for five years from 2011."),
        (["Half of Gareth's flock of 60 ewes has lambed."], "20 of Gareth's 60 ewes have lambed."),
        (["Hana borrowed $3,000 from her uncle and has paid back a third of it."], "Of the $3,000 borrowed from her uncle, Hana has paid back $2,000."),
        (["User owns two cats and a dog."], "The user owns four pets: two cats and a dog."),
        (["The choir has 24 members: 14 women and 10 men."], "15 women and 10 men are in the choir."),
        (["She has her blood tested twice a year."], "She has her blood tested every three months."),
        (["The ticket was opened on 3 June and closed four days later."], "The ticket was opened on June 3 and closed on June 8."),
        (["The nurse rang four times: on 4, 9 and 16 May."], "The nurse rang three times in May."),
        (["The house was renovated three times, in 1978 and 2011."], "The house was renovated in 1978 and 2011."),
        (["The water bill was 96 euros for the quarter."], "The yearly water bill was €96."),
        (["User works nights, from 10 pm to 6 am."], "User works nights, from 22:00 to 8:00."),
        (["刘阿姨早上六点打太极，打完一小时后去买菜。"], "刘阿姨7:00打太极，一小时后去买菜。"),
        (["项目分三个阶段：调研两周，开发六周，测试两周。"], "项目三个阶段共十二周：调研两周、开发六周、测试两周。"),
        (["小陶有两个姐姐：陶静和陶然，陶静年长。"], "小陶有三个姐姐：陶静和陶然，陶静年长。"),
        (["老周一年体检两次。"], "老周每三个月体检一次。"),
        (["Bo's shop is open from 10 to 18.", "On Thursdays it stays open two hours longer."], "Bo's shop is open from 10 am to 6 pm, on Thursdays until 9 pm."),
        (["合同期限两年，从2024年3月15日到2026年3月14日。"], "合同自2024年3月15日起，为期三年。"),
        (["The syrup has to be taken morning and night for ten days."], "The syrup has to be taken three times a day for ten days."),
        (["Ann's site is https://ann.dev.", "Ben's site is https://ben.dev."], "Ann's site is https://ben.dev and Ben's site is https://ann.dev."),
        (["医生建议一周喝酒不要超过三次。"], "医生建议每周喝酒至少三次。"),
        (["日薪从280元到400元不等。"], "日薪280至500元。"),
        (["He finished in third place at the Lyon rally."], "He finished 4th at the Lyon rally."),
    ],
)  # fmt: skip
def test_a_figure_that_follows_from_nothing_is_made_up(sources, rewrite):
    assert not check(sources, rewrite).passed


@pytest.mark.parametrize(
    ("source", "same", "turned"),
    [
        ("The rent rose from $1,250 to $1,400 in March.", "In March the rent went to $1,400, up from $1,250.", "In March the rent went to $1,250, down from $1,400."),
        ("Kofi does the early shift on Mondays and Tuesdays and the late shift from Wednesday to Friday.",
         "On Mondays and Tuesdays Kofi has the early shift, from Wednesday to Friday the late shift.",
         "On Mondays and Tuesdays Kofi has the late shift, from Wednesday to Friday the early shift."),
        ("Zadie cleans her glasses daily and the windows monthly.", "Zadie cleans her glasses every day and the windows once a month.",
         "Zadie cleans her glasses once a month and the windows every day."),
        ("车险去年保费4350元，今年降到3900元。", "车险保费从去年的4350元降至今年的3900元。", "车险保费从去年的3900元升至今年的4350元。"),
        ("三个室友里，两个是北方人，一个是广东人。", "三个室友中，两个是北方人，一个来自广东。", "三个室友中，一个是北方人，两个来自广东。"),
        ("用户三十五岁，比妻子大四岁。", "用户35岁，妻子比他小4岁。", "用户35岁，妻子比他大4岁。"),
    ],
)  # fmt: skip
def test_figures_that_changed_places_are_found_and_others_may_be_told_in_another_order(source, same, turned):
    assert check([source], same).passed
    assert not check([source], turned).passed


def test_who_is_called_p2_in_passing_is_no_other_ticket():
    sources = ["Ticket INC-5521 was opened on 3 June.", "Its priority was P2."]
    assert check(sources, "INC-5521, a P2 ticket, was opened on June 3.").passed
    assert not check(sources, "INC-5521, a P1 ticket, was opened on June 3.").passed


def _follows(figure, *others):
    (item,) = find_items(figure)
    return follows(item, [find_items(text) for text in others])


def test_what_is_reckoned_goes_forward_alone():
    assert _follows("7 pm", "from 5 pm for two hours")
    assert not _follows("3 pm", "from 5 pm for two hours")
    assert _follows("2023", "in 2024 and the year before")


def test_long_lists_of_figures_prove_nothing():
    assert not _follows("7 pm", "from 5 pm for two hours", *["at 6:30 am"] * 60)


def test_only_members_of_what_is_counted_add_up():
    assert adds_up(3, ["two sons and a daughter"], "children")
    assert not adds_up(3, ["two sons and a car"], "children")
    assert not adds_up(3, ["two cars and a boat"], "things")

"""What is denied must be denied of the same thing: clause by clause, in lists, in clauses that leave out what they deny, and in changes."""

from __future__ import annotations

import pytest

from memopt.memory import UserMemory
from memopt.verify import Report, verify
from memopt.verify.certainty import certainty
from memopt.verify.crossed import Clause, crossed
from memopt.verify.switched import switches, told_backwards


def report(sources: list[str], rewrite: str) -> Report:
    memories = [UserMemory(text, memory_id=str(at), created_at=1_735_689_600 + 86_400 * at) for at, text in enumerate(sources)]
    return verify(memories, [UserMemory(rewrite)])


SAME = [
    (["母亲喝茶不加蜂蜜不加柠檬。"], "母亲喝的茶，蜂蜜和柠檬都不加。"),
    (["新房不装空调，也不装暖气。"], "空调和暖气新房都不装。"),
    (["姐姐不用微博和豆瓣。"], "姐姐既不用微博，也不用豆瓣。"),
    (["球球怕打针，不怕洗澡。"], "打针会让球球害怕，洗澡则不会。"),
    (["公司从钉钉换成了飞书。"], "公司弃用钉钉，改用飞书。"),
    (["他的稿件投给了《收获》，被拒了。"], "他投给《收获》的稿件没有通过。"),
    (["哥哥打算五月在大连办婚礼，酒店已经订了。"], "哥哥准备五月在大连办婚礼，酒店也已订好。"),
    (["装修大概花8万元，设计师姓曹。"], "设计师姓曹，装修约花8万元。"),
    (["Wanda has never ridden a camel but wants to try it."], "Wanda would like to try riding a camel, something she has never done."),
    (["Wanda used to skate with her cousin when she was small."], "When she was small, Wanda would skate with her cousin."),
    (["Wanda sold her piano for 2,300 euros in July."], "In July Wanda got 2,300 euros for her piano."),
    (["Wanda pays 20 euros into a fund each month but paused it in April."], "Wanda used to pay 20 euros into a fund each month, but put it on hold in April."),
    (["Students are exempt from the museum fee."], "The museum fee does not apply to students."),
    (["The club moved from Slack to Discord."], "The club has abandoned Slack in favour of Discord."),
    (["Wanda set a timer so as not to miss the ferry."], "To avoid missing the ferry, Wanda has set a timer."),
    (
        ["Wanda signed up for the wine box in May 2024: six bottles a month.", "Wanda paused the wine box on 2024-09-10."],
        "Wanda signed up for the wine box in May 2024 (6 bottles a month) and put it on hold on 10 September 2024.",
    ),
    (["Wanda is vegan.", "Wanda eats cheese again."], "Wanda was once a vegan but eats cheese again."),
    (["用户在网易做编辑。", "用户2024年跳槽到了百度。"], "用户曾在网易当编辑，2024年跳槽去了百度。"),
    (["Wanda has a mortgage with a fixed rate."], "The rate of Wanda's mortgage is fixed."),
    (["爷爷不吃葱不吃姜。"], "葱和姜爷爷都不吃。"),
    (["姑姑原来抽烟，去年戒了，之后一支没抽过。"], "姑姑过去抽烟，去年戒烟以后再没抽过一支。"),
    (["展览十月开幕，实际用了6周，原计划9周。"], "展览于十月开幕，计划9周，实际只用6周。"),
    (["用户周末打球，周三休息。"], "用户周末打球，星期三不打。"),
    (["Wanda need not wear a badge on Fridays."], "On Fridays a badge is optional for Wanda."),
    (["Wanda is allergic to penicillin but tolerates ibuprofen."], "Penicillin triggers an allergy in Wanda; ibuprofen is tolerated."),
]  # fmt: skip
TURNED = [
    (["母亲喝茶不加蜂蜜不加柠檬。"], "母亲喝的茶，不加蜂蜜但加柠檬。"),
    (["球球怕打针，不怕洗澡。"], "洗澡会让球球害怕，打针则不会。"),
    (["弟弟喜欢羽毛球，不喜欢游泳。"], "弟弟爱游泳，羽毛球则不感兴趣。"),
    (["孩子可以吃鸡蛋，但对牛奶过敏。"], "孩子对鸡蛋过敏，牛奶则没有问题。"),
    (["用户把钢琴卖了，现在租琴练习。"], "用户没卖钢琴，但现在租琴练习。"),
    (["公司从钉钉换成了飞书。"], "公司弃用飞书，改用钉钉。"),
    (["他的稿件投给了《收获》，被拒了。"], "他投给《收获》的稿件通过了。"),
    (["哥哥打算五月在大连办婚礼。"], "哥哥五月在大连办了婚礼。"),
    (["Wanda likes ballet but dislikes cricket."], "Cricket is to Wanda's taste, ballet is not."),
    (["Wanda switched from Chrome to Firefox."], "Chrome has replaced Firefox for Wanda."),
    (["Wanda changed from Aldi to Rewe."], "Wanda gave up Rewe and is with Aldi now."),
    (["Wanda pays 20 euros into a fund each month but paused it in April."], "Wanda pays 20 euros into a fund each month and resumed it in April."),
    (["Students are exempt from the museum fee."], "The museum fee applies to students."),
    (["用户在网易做编辑。", "用户2024年跳槽到了百度。"], "用户曾在百度当编辑，2024年跳槽去了网易。"),
    (["用户正在看《三体》，看得很慢。"], "用户已经看完了《三体》，看得很慢。"),
    (["爷爷不吃葱不吃姜。"], "葱和姜爷爷都吃。"),
    (["新房不装空调，也不装暖气。"], "空调和暖气新房都装。"),
    (["外公能吃虾，但不能吃螃蟹。"], "外公吃螃蟹没问题，虾就不行。"),
    (["用户尽可能走路上班。"], "用户可能走路上班。"),
    (["Grandpa can hear again but still has trouble with balance."], "Grandpa's hearing has not returned, and balance still gives him trouble."),
    (["Wanda is reading Dune and finds it slow."], "Wanda has finished reading Dune, which seemed slow to her."),
    (["用户谁的电话都不接，除了母亲的。"], "用户谁的电话都不接，连母亲的也不接。"),
    (["用户喜欢浅色主题。"], "用户喜欢深色主题。"),
    (["用户觉得那家面馆一般。"], "用户觉得那家面馆特别好吃。"),
    (["Wanda's match was postponed, so she went to the zoo."], "Wanda's match was cancelled for good, so she went to the zoo."),
    (["Wanda is dating a man called Otto."], "Wanda is married to a man called Otto."),
    (["Wanda has a mortgage with a fixed rate."], "Wanda has a mortgage with a variable rate."),
    (["Wanda prefers letters."], "Wanda does not want letters."),
    (["Wanda keeps losing her gloves."], "Wanda never loses her gloves."),
]  # fmt: skip


@pytest.mark.parametrize(("sources", "rewrite"), SAME)
def test_a_denial_told_in_another_clause_is_the_same(sources: list[str], rewrite: str) -> None:
    found = report(sources, rewrite)
    assert not [item for item in (*found.lost, *found.invented) if item.kind in ("polarity", "certainty", "opposite")]


@pytest.mark.parametrize(("sources", "rewrite"), TURNED)
def test_a_denial_of_the_other_thing_is_seen(sources: list[str], rewrite: str) -> None:
    found = report(sources, rewrite)
    assert found.lost and found.invented


def test_two_things_are_crossed_only_where_both_change_their_sign() -> None:
    def clauses(*parts: tuple[str, bool]) -> list[Clause]:
        return [Clause(frozenset(words.split()), denied) for words, denied in parts]

    def cross(one: list[Clause], two: list[Clause]) -> bool:
        return crossed(one, two, frozenset(), str.__eq__)

    source = clauses(("tom jazz", False), ("opera", True))
    assert cross(source, clauses(("opera tom", False), ("jazz", True)))
    assert not cross(source, clauses(("jazz", False), ("opera tom", True)))
    assert not cross(source, clauses(("jazz opera", True)))
    assert not cross(source, clauses(("opera", False), ("golf", True)))


def test_what_gave_way_to_what_is_read_in_both_orders() -> None:
    def pairs(text: str) -> list[tuple[str, str]]:
        return [(" ".join(sorted(found.old)), " ".join(sorted(found.new))) for found in switches(text)]

    assert pairs("Ada switched from Mint to Fedora.") == pairs("Fedora has replaced Mint for Ada.") == [("mint", "fedora")]
    assert pairs("用户从小米换成了华为。") == pairs("用户不再用小米，改用华为了。") == [("小米", "华为")]
    assert pairs("Ada took the bus from Rome to Naples.") == []
    assert told_backwards("Ada replaced Mint with Fedora.", "Ada switched from Fedora to Mint.", str.__eq__) is True
    assert told_backwards("Ada replaced Mint with Fedora.", "Ada switched from Mint to Fedora.", str.__eq__) is False
    assert told_backwards("Ada replaced Mint with Fedora.", "Ada likes Mint.", str.__eq__) is None


def test_about_how_much_is_no_doubt_and_a_plan_covers_its_own_clause() -> None:
    assert certainty("大概花三万元", "住在合肥，月支出三万元左右") is None
    assert certainty("他大概住在合肥", "他住在合肥") is not None
    assert certainty("他尽可能走路上班", "他走路上班") is None
    assert certainty("计划8周，实际只用5周", "项目实际用了5周") is None
    assert certainty("计划用5周做完项目", "项目用了5周做完") is not None

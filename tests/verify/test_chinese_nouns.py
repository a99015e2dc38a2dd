"""A noun in the place of another in Chinese, words for the same, and small clauses that no source tells."""

from __future__ import annotations

import pytest

from memopt.memory import UserMemory
from memopt.verify import Report, verify


def _check(sources: list[str], rewrite: str) -> Report:
    return verify([UserMemory(text, memory_id=f"m{at}") for at, text in enumerate(sources)], [UserMemory(rewrite, memory_id="r")])


@pytest.mark.parametrize(
    ("source", "rewrite"),
    [
        ("用户每个月要还车贷。", "用户每月须偿还房贷。"),
        ("嫂子正在休产假。", "嫂子目前在休婚假。"),
        ("外公爱听昆曲。", "外公喜欢听豫剧。"),
        ("用户睡前喝一杯蜂蜜水。", "用户临睡前会来一杯红酒。"),
        ("用户对芒果过敏。", "用户有菠萝过敏。"),
        ("用户在公园南门摆摊。", "用户在公园北门摆摊。"),
        ("用户打算年底交房。", "用户打算月底交房。"),
        ("用户的姨父在邮局上班。", "用户的姨父任职于法院。"),
        ("用户每次出差都带自己的枕头。", "用户每次出差都自备毛巾。"),
        ("用户喜欢一个人看科幻片。", "用户爱看动作片，而且喜欢独自看。"),
        ("小狗豆豆有慢性肠炎,只能吃处方粮。", "小狗豆豆患慢性鼻炎,除了处方粮什么都不能吃。"),
        ("用户每天早上喝一杯美式。", "用户每天早上喝一杯拿铁。"),
        ("表舅在开挖掘机。", "表叔在开挖掘机。"),
        ("用户失业之后很孤单。", "失恋以后，用户感到很孤独。"),
        ("用户上个月在网上买的微波炉昨天送到了。", "用户上月网购的电饭煲已于昨天签收。"),
        ("用户的旧面包车一上坡就冒烟。", "用户的旧面包车上坡时会漏油。"),
        ("堂弟在镇上开修表铺。", "堂弟在镇上经营一家修鞋铺。"),
        ("鱼缸里养了三条斑马鱼。", "鱼缸里养着三条孔雀鱼。"),
        ("姑姑养了二十只鸡。", "姑姑养着20只鸭。"),
        ("用户给书店写了一个预约小程序。", "用户替书店编写了点餐小程序。"),
        ("表哥负责写评测脚本。", "训练脚本由表哥编写。"),
        ("手机里装了一个记账软件。", "手机上装着一款健身软件。"),
    ],
)
def test_a_noun_in_the_place_of_another_is_found(source: str, rewrite: str) -> None:
    report = _check([source], rewrite)
    assert report.lost
    assert report.invented


@pytest.mark.parametrize(
    ("sources", "rewrite"),
    [
        (["用户每个月要还车贷。"], "用户月月须还汽车贷款。"),
        (["用户会说闽南语。"], "用户能讲闽南话。"),
        (["用户上次比赛输给了税务局队。"], "用户最近一场比赛败给税务局队。"),
        (["体检发现尿酸偏高。"], "体检时查出尿酸偏高。"),
        (["用户的台式机有64GB内存。"], "用户的台式电脑配了64GB内存。"),
        (["外公得了阿尔茨海默症。"], "外公患有阿尔茨海默病。"),
        (["用户把旧房子卖了，成交价90万元。"], "用户以90万元卖掉了旧房子。"),
        (["用户周末去上插画班。"], "周末用户上插画课。"),
        (["煤球怕打雷，一打雷就钻到床底下。"], "煤球害怕雷声，每逢打雷便躲进床底。"),
        (["用户手里的钱大多买了货币基金。"], "用户的资金大部分投在货基里。"),
        (["用户的包裹昨天送到了。"], "用户的快递昨天已签收。"),
        (["用户为装修的事发愁。"], "装修的事让用户很头疼。"),
        (["用户周六晚上和发小打网游。"], "周六晚上，用户与发小一起打网络游戏。"),
        (["用户每周二和周四接孩子放学。"], "用户周二和周四负责接孩子下课。"),
        (["公司食堂的菜太油。"], "单位食堂的饭菜偏油腻。"),
        (["用户失恋之后觉得很孤单。"], "分手以后，用户感到十分孤独。"),
        (["用户小时候掉进过池塘。"], "用户儿时曾落入池塘。"),
        (["用户想回家跟父亲和好。"], "用户打算回家与父亲和解。"),
        (["用户的丈夫常年在海上跑船。"], "用户的丈夫一年到头在海上跑船。"),
        (["用户的爸妈身体都挺硬朗。"], "用户的父母身体健康。"),
        (["用户因为需要新功能升级了数据库。"], "由于要用到新特性，用户把数据库升级了。"),
        (
            ["用户的电话是 139-0011-2233。", "用户的邮箱是 fang@example.cn。"],
            "联系用户可拨打 13900112233，或发邮件到 fang@example.cn。",
        ),
        (["线上环境的告警发到飞书群。"], "生产环境的告警推送至飞书群。"),
        (["外婆有点自卑。"], "外婆不太自信。"),
        (["婆婆在社区免费教老人写毛笔字。"], "婆婆在社区义务教老人们写毛笔字。"),
    ],
)
def test_the_same_in_other_chinese_words_passes(sources: list[str], rewrite: str) -> None:
    report = _check(sources, rewrite)
    assert report.passed, (report.lost, report.invented)


@pytest.mark.parametrize(
    "rewrite",
    [
        "用户有只布偶猫，叫年糕，2岁了，已经绝育。",
        "用户有只布偶猫，叫年糕，2岁了，最近怀孕了。",
        "用户在宠物店买了只布偶猫，叫年糕，2岁了。",
    ],
)
def test_a_small_clause_that_no_source_tells_is_found(rewrite: str) -> None:
    sources = ["用户养了一只叫年糕的布偶猫，今年2岁。"]
    assert _check(sources, "用户有只布偶猫，叫年糕，2岁了。").passed
    assert not _check(sources, rewrite).passed

"""Chinese denials in summaries: what must be and what is not done without, one clause against another, one pole against the other."""

import pytest

from memopt.memory import UserMemory
from memopt.verify import verify

# sources, a faithful summary, the same with a turned meaning
PAIRS = {
    "what is not done and must be done": (
        ["用户出门前不查一遍煤气就整天不踏实。"],
        "用户出门前必须查一遍煤气，否则整天不踏实。",
        "用户出门前不必查煤气，不查也很踏实。",
    ),
    "if not, and must or else": (
        ["用户睡前如果没有查过门锁，就会一夜不安。"],
        "用户睡前必须查门锁，否则一夜不安。",
        "用户睡前不查门锁，一夜安稳。",
    ),
    "must, and may do without": (["进车间必须戴安全帽。"], "进车间务必戴好安全帽。", "进车间不戴安全帽也行。"),
    "not before, and only then": (["小孙子不听完两个故事不肯睡。"], "小孙子要听完两个故事才肯睡。", "小孙子不听故事也肯睡。"),
    "not outside, and inside": (["钥匙不要放在外面。"], "钥匙要放在里面。", "钥匙要放在外面。"),
    "closed on that day, and open on that day alone": (
        ["社区图书室周三不开放。"],
        "社区图书室周三不开门。",
        "社区图书室只在周三开放。",
    ),
    "not minding": (["姚芳不介意邻居晚上练琴。"], "邻居晚上练琴，姚芳并不在意。", "姚芳很介意邻居晚上练琴。"),
    "who does not mind is not against it": (["姚芳不介意邻居晚上练琴。"], "姚芳并不介意邻居晚上练琴。", "姚芳反对邻居晚上练琴。"),
    "a name that holds a denial": (
        ["沈未央在苏州开了一家花店。", "沈未央每周一休息。"],
        "在苏州开花店的沈未央每周一休息。",
        "在苏州开花店的沈未央周一从不休息。",
    ),
    "neither had nor wanted": (
        ["用户没养过猫，也不打算养猫。"],
        "用户既没养过猫，也没有养猫的打算。",
        "用户养过猫，还打算再养猫。",
    ),
    "never learnt and not wanting to": (
        ["汪琪没学过游泳，也不想学。"],
        "汪琪从没学过游泳，也不愿意学。",
        "汪琪学过游泳，还想继续学。",
    ),
    "not thought out, and at a loss": (
        ["毛毛没想清楚毕业后做什么。"],
        "毛毛对毕业后做什么很迷茫，没想清楚。",
        "毛毛毕业后做什么已经想清楚了，一点不迷茫。",
    ),
    "at a loss, and not thought out": (
        ["用户对毕业后做什么很迷茫。"],
        "用户还没想清楚毕业后做什么，对此很迷茫。",
        "用户已经想清楚毕业后做什么，不再迷茫。",
    ),
    "learning for an examination": (["表弟在备考注册会计师。"], "表弟正在准备注册会计师考试。", "表弟考上了注册会计师。"),
    "getting ready for an examination": (
        ["用户的表哥在备考司法考试。"],
        "用户的表哥准备参加司法考试。",
        "用户的表哥已经通过司法考试。",
    ),
    "not talkative, and taciturn": (["外公不爱说话。"], "外公沉默寡言。", "外公很爱说话。"),
    "never late, and on time": (["程诺上课从不迟到。"], "程诺上课一向准时。", "程诺上课经常迟到。"),
    "no money asked, and free of charge": (
        ["青年旅舍给会员寄存行李不要钱。"],
        "青年旅舍给会员免费寄存行李。",
        "青年旅舍给会员收费寄存行李。",
    ),
    "not caught, and missed": (["用户昨晚没赶上末班车。"], "用户昨晚错过了末班车。", "用户昨晚赶上了末班车。"),
    "not come true, and come to nothing": (
        ["二姨今年买学区房的打算没实现。"],
        "二姨今年买学区房的打算落空了。",
        "二姨今年买学区房的打算实现了。",
    ),
    "sold, and got rid of": (["用户把旧钢琴卖了。"], "用户的旧钢琴已经出手。", "用户还留着旧钢琴。"),
    "no longer used, and discarded": (["单位不再用老打卡机了。"], "单位的老打卡机被淘汰了。", "单位还在用老打卡机。"),
    "not looked after": (["婆婆不管孩子的学习。"], "孩子的学习婆婆从来不管。", "孩子的学习婆婆都管。"),
    "may move": (["用户可能要搬去厦门。"], "用户或许会搬到厦门。", "用户要搬去厦门。"),
    "suspected": (["医生疑心外婆的腿是骨裂。"], "医生怀疑外婆的腿骨裂了。", "外婆的腿是骨裂。"),
    "promised, and kept": (["姐夫答应十月份把车还给用户。"], "姐夫承诺十月份把车还给用户。", "姐夫十月份已经把车还给用户了。"),
    "what was done of another thing": (
        ["阿楠列了一张采购单。", "用户心里过意不去，打算请阿楠吃顿火锅。"],
        "阿楠列了张采购单。用户觉得过意不去，想请阿楠吃顿火锅。",
        "阿楠列了张采购单。用户觉得过意不去，已经请阿楠吃了火锅。",
    ),
    "not used to, and cannot get used to": (["用户不习惯甜口的菜。"], "甜口的菜用户吃不惯。", "甜口的菜用户吃得惯。"),
    "rarely, and not often": (["外婆很少吃油炸的东西。"], "外婆不经常吃油炸食品。", "外婆经常吃油炸食品。"),
    "not suitable": (["用户的父亲不适合坐飞机。"], "坐飞机对用户的父亲不适合。", "用户的父亲适合坐飞机。"),
    "one word for another in two clauses": (
        ["季敏提醒大家：发布前必须先跑测试，周日晚上不发版。"],
        "季敏提醒大家，发版前务必先跑测试，而且周日晚上不发布。",
        "季敏提醒大家，发版前务必先跑测试，而且只在周日晚上发布。",
    ),
    "not talked of, in other words": (
        ["用户不爱跟家里人讲工地上的危险。"],
        "工地有多危险，用户不愿对家里人说。",
        "工地有多危险，用户常常对家里人说。",
    ),
    "looked down on": (["蓝姐看不上网购的衣服。"], "蓝姐瞧不上网购的衣服。", "蓝姐很喜欢网购的衣服。"),
    "one allowed and the other not": (
        ["客人可以带花进店，但不能带狗。", "店里不外送。"],
        "店里不外送，客人可带花进来，狗则不行。",
        "店里不外送，客人可带狗进来，花则不行。",
    ),
    "must wear, and may go without": (
        ["仓库规定叉车司机不系安全带不许开车。"],
        "仓库规定，叉车司机必须系好安全带才能开车。",
        "仓库规定，叉车司机不系安全带也可以开车。",
    ),
    "dear, and not dear": (
        ["房客小吕嫌贵，打算年底搬走。"],
        "房客小吕觉得贵，准备年底搬离。",
        "房客小吕觉得不贵，打算年底续租。",
    ),
    "two denials told in one clause": (
        ["用户从不在夜市买水果，嫌不新鲜。"],
        "用户嫌夜市的水果不新鲜，从来不买。",
        "用户觉得夜市的水果新鲜，经常去买。",
    ),
    "given up the one, not the other": (["老梁戒了酒，烟还在抽。"], "老梁酒已戒掉，烟没戒。", "老梁烟已戒掉，酒没戒。"),
    "resigned, and laid down": (["田蕊辞去队长。"], "田蕊卸任队长。", "田蕊继续当队长。"),
    "not passed, and voted down": (["股东会没有通过分红方案。"], "分红方案被股东会否决。", "分红方案获股东会通过。"),
    "no rooms left, and rooms left": (["节日期间旅馆全满。"], "节日期间旅馆没有空房。", "节日期间旅馆有空房。"),
    "denied both ways, and one of them affirmed": (
        ["秦朗从来不借钱给别人，也不向别人借钱。"],
        "秦朗不向别人借钱，也不借钱给别人。",
        "秦朗常借钱给人，但不向别人借钱。",
    ),
    "one dismissed and one kept": (
        ["剧组辞退了场记，留下了灯光师。"],
        "场记被剧组解聘，灯光师则留了下来。",
        "场记和灯光师都被剧组解聘。",
    ),
    "all but one": (["用户对装修很满意，只有瓷砖不喜欢。"], "除瓷砖外，用户对装修很满意。", "用户对装修不满意，只喜欢瓷砖。"),
    "sold out": (
        ["用户没有去成敦煌，因为火车票卖光了。"],
        "因为火车票售罄，用户没能去成敦煌。",
        "火车票没有卖光，用户去成了敦煌。",
    ),
    "sent back, and not taken": (["用户的投稿没被采用。"], "用户的投稿被退回。", "用户的投稿被采用。"),
    "never came, and the time to come": (["物业一直没来修监控。"], "物业始终未来维修监控。", "物业已经来修过监控。"),
    "who pays": (["谭越的房租由公司付，水电自己出。"], "谭越房租由公司支付，水电费自理。", "谭越水电费由公司支付，房租自理。"),
    "one stopped, the other unchanged": (["厂里停了夜班，白班照常。"], "工厂取消夜班，白班不变。", "工厂取消白班，夜班不变。"),
    "one lost, the other not": (["用户的钱包丢了，身份证还在。"], "用户丢了钱包，身份证没丢。", "用户丢了身份证，钱包没丢。"),
    "right and left": (["卧室的灯开关在右边。"], "卧室的灯，开关装在右侧。", "卧室的灯，开关装在左侧。"),
}


def alarms(sources, rewrite):
    memories = [UserMemory(text, memory_id=str(number), created_at=1735689600 + number) for number, text in enumerate(sources)]
    report = verify(memories, [UserMemory(rewrite, memory_id="rewrite")])
    return [(item.kind, item.fact) for item in (*report.lost, *report.invented)]


@pytest.mark.parametrize("name", PAIRS)
def test_the_same_told_otherwise_raises_no_alarm(name):
    sources, faithful, _ = PAIRS[name]
    assert alarms(sources, faithful) == []


@pytest.mark.parametrize("name", PAIRS)
def test_the_contrary_is_found(name):
    sources, _, turned = PAIRS[name]
    assert alarms(sources, turned)

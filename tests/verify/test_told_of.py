"""Facts stay with the person, the animal or the thing that the memories tell them of."""

import pytest

from memopt.memory import UserMemory
from memopt.verify import verify

DAY = 86_400


def check(sources, rewrite):
    memories = [UserMemory(text, f"m{n}", created_at=1_735_689_600 + n * DAY) for n, text in enumerate(sources)]
    return verify(memories, [UserMemory(rewrite)])


# memories, oldest first; what tells them; what does not
FACTS = [
    (["用户叫赵明，在医院上班。", "妻子周婷是小学老师。"], ["赵明在医院上班。他的妻子周婷是小学老师。", "用户赵明在医院上班，他太太周婷是小学老师。"], ["赵明是小学老师。他的妻子周婷在医院上班。"]),
    (["User starts at Nordlys on 1 September 2025.", "User has night duty in the week of 13 October 2025."], ["The user will start at Nordlys on 2025-09-01 and is on night duty in the week of October 13, 2025.", "The user joins Nordlys with a start date of 1 Sep 2025. Night duty comes in the week of 13 October 2025."], ["The user will start at Nordlys on 2025-10-13 and is on night duty in the week of September 1, 2025."]),
    (["用户的女儿每周三学画画。", "用户喜欢看球。"], ["用户爱看球；女儿每周三上画画课。"], ["用户爱看球；用户每周三上画画课。", "用户爱看球，每周三上画画课。"]),
    (["孙磊是用户的丈夫，教高中物理。", "用户的儿子果果5岁，对鸡蛋过敏。"], ["丈夫孙磊在高中教物理；儿子果果5岁，鸡蛋过敏。"], ["丈夫孙磊在高中教物理，鸡蛋过敏；儿子果果5岁。", "丈夫孙磊5岁，对鸡蛋过敏；儿子果果在高中教物理。"]),
    (["用户的黑猫墨墨有慢性肾病，只吃处方粮。", "用户还有一只橘猫叫南瓜，8个月大。"], ["黑猫墨墨患慢性肾病，只能吃处方粮；橘猫南瓜8个月大。"], ["黑猫墨墨8个月大；橘猫南瓜患慢性肾病，只能吃处方粮。", "用户有黑猫墨墨；橘猫南瓜8个月大，患慢性肾病，只能吃处方粮。"]),
    (["苏晴负责设计，高远负责测试。", "苏晴最近在休产假。"], ["苏晴管设计，近来在休产假；高远管测试。"], ["苏晴管测试，近来在休产假；高远管设计。", "苏晴管设计；高远管测试，近来在休产假。"]),
    (["女儿朵朵上小学二年级，周六上午学钢琴。", "儿子安安在上幼儿园中班。"], ["女儿朵朵读小学二年级，周六上午上钢琴课；儿子安安在幼儿园念中班。"], ["女儿朵朵读小学二年级；儿子安安在幼儿园念中班，周六上午上钢琴课。", "女儿朵朵在幼儿园念中班，周六上午上钢琴课；儿子安安读小学二年级。"]),
    (["User's brother Emil lives in Oslo and is looking for work.", "User's sister Astrid lives in Bergen and is a pilot."], ["The user's sister Astrid, a pilot, lives in Bergen; her brother Emil lives in Oslo and is job hunting."], ["The user's sister Astrid, a pilot, lives in Bergen and is job hunting; her brother Emil lives in Oslo.", "The user's sister Astrid lives in Oslo and is a pilot; her brother Emil lives in Bergen and is job hunting."]),
    (["User works on the billing service with José.", "User slept five hours and felt stressed."], ["Together with José the user works on the billing service. The user got five hours of sleep and felt stressed."], ["Together with José the user works on the billing service. José got five hours of sleep and felt stressed."]),
    (["User prefers tabs in Go and four spaces in Python."], ["Indentation: tabs in Go, four spaces in Python."], ["Indentation: four spaces in Go, tabs in Python."]),
    (["User wants replies in English but code comments in Chinese."], ["Replies should be in English, code comments in Chinese."], ["Replies should be in Chinese, code comments in English."]),
    (["用户希望用英文回答，代码注释用中文。"], ["回答请用英文，代码注释则用中文。"], ["回答请用中文，代码注释则用英文。"]),
    (["儿子数学好，英语差。"], ["儿子数学是强项，英语较差。"], ["儿子英语是强项，数学较差。"]),
    (["Haruka has 3 published papers, Yuting has 2."], ["Yuting has 2 published papers; Haruka has 3."], ["Yuting has 3 published papers; Haruka has 2."]),
    (["User can't eat raw fish.", "User's friend Nadia doesn't like museums."], ["Raw fish is something the user cannot eat, and museums are not to Nadia's liking."], ["Raw fish is something Nadia cannot eat, and museums are not to the user's liking."]),
    (["Jon visited Paris in March.", "Jon is planning a trip to Rome."], ["Jon was in Paris in March and plans to travel to Rome."], ["Jon was in Rome in March and plans to travel to Paris."]),
    (["User's cousin Bo plays drums and cousin Ida sings."], ["Ida, a cousin, is a singer; cousin Bo is a drummer."], ["Ida, a cousin, is a drummer; cousin Bo is a singer."]),
    (["Zoë takes 5 mg of bisoprolol every day.", "Zoë reports to Marek."], ["Marek is Zoë's boss. Zoë takes 5 mg of bisoprolol daily."], ["Marek, who takes 5 mg of bisoprolol daily, is Zoë's boss."]),
    (["用户的女儿每周六下午三点上钢琴课。", "用户花了12800元买了一台二手钢琴。"], ["用户花12800元购入一台二手钢琴，女儿每周六15:00上钢琴课。"], ["用户花12800元购入一台二手钢琴，用户每周六15:00上钢琴课。", "用户花12800元购入一台二手钢琴，用户本人的钢琴课在每周六15:00。"]),
    (["Dora used to skate with her uncle when she was a girl.", "Dora wrote a song after a visit to Vienna."], ["As a girl Dora would skate with her uncle. A visit to Vienna moved her to write a song.", "When she was a girl, Dora would go skating with her uncle. After a visit to Vienna she wrote a song."], []),
    (["User starts at Nordlys on 1 September 2025.", "User has night duty in the week of 13 October 2025.", "User works in logistics."], ["The user works in logistics and accepted a job at Nordlys with a start date of 1 September 2025. The user's night duty is in the week of 13 October 2025.", "The user, who works in logistics, starts at Nordlys on 2025-09-01; night duty is in the week of October 13, 2025."], []),
    (["User's biggest supplier is a printing company in Ghent.", "User's main client is a shipping firm in Oslo."], ["A Ghent printing company is the biggest supplier; an Oslo shipping firm is the main client."], ["An Oslo shipping firm is the biggest supplier; a Ghent printing company is the main client."]),
    (["用户叫韩飞，在银行工作。", "丈夫马原是律师。"], ["韩飞在银行工作。她的丈夫马原是律师。", "用户韩飞在银行工作，她丈夫马原是律师。"], []),
    (["Rosa is helping her nephew find a flat after a hard year.", "Rosa's nephew had to leave his old flat in a hurry."], ["Rosa is helping her nephew find a flat after a hard year: the nephew had to leave his old flat and did so in a hurry.", "Rosa's nephew had to leave his old flat in a hurry, and after a hard year for him Rosa is helping him find a new one."], []),
    (["用户的丈夫在德国工作。"], ["用户的先生任职于德国。"], []),
    (["用户的上司很严格。"], ["用户的领导要求严格。"], ["用户的同事要求严格。"]),
    (["用户的妻子是护士。", "王先生是用户的客户，喜欢钓鱼。"], ["用户的太太是护士；客户王先生爱钓鱼。"], ["客户王先生是护士；用户的太太爱钓鱼。"]),
    (["用户的哥哥在西安当警察。"], ["用户的兄长在西安做警察。"], ["用户的弟弟在西安做警察。"]),
    (["用户的主管姓秦，周三和用户开会。"], ["用户的上级姓秦，周三跟用户开会。"], []),
    (["老周种茶，一共六亩。", "老邓种橘子，一共九亩。", "老周去年亏了一万块。"], ["老周有六亩茶，去年赔了1万元；老邓有九亩橘子。"], ["老周有九亩茶，去年赔了1万元；老邓有六亩橘子。"]),
    (["阿珍的丈夫在县城的医院开救护车。", "阿珍开了一家理发店。"], ["阿珍开着一家理发店，丈夫在县城的医院开救护车。"], ["阿珍开着一家理发店，并在县城的医院开救护车。"]),
    (["小谢读的是历史。", "小谢打算考研，报的是新闻学。"], ["小谢读历史，打算考新闻学的研究生。"], []),
    (["Dale got a scholarship last month.", "Dale repairs bikes at the weekend.", "Iris plays the harp in a folk band."], ["Dale got a scholarship last month and repairs bikes at weekends; Iris is the harpist of a folk band."], ["Dale got a scholarship last month and plays the harp in a folk band; Iris repairs bikes at weekends."]),
    (["Rosa's aunt moved in with her in May.", "Rosa works as a baker."], ["In May an aunt of Rosa's, a baker, moved in with her."], ["In May Rosa, a baker, moved in with her aunt."]),
]  # fmt: skip


@pytest.mark.parametrize(("sources", "rewrite"), [(sources, rewrite) for sources, told, _ in FACTS for rewrite in told])
def test_what_is_told_of_the_same_one_is_no_fault(sources, rewrite):
    report = check(sources, rewrite)
    assert report.passed, (report.lost, report.invented)


@pytest.mark.parametrize(("sources", "rewrite"), [(sources, rewrite) for sources, _, wrong in FACTS for rewrite in wrong])
def test_what_is_told_of_another_one_is_found(sources, rewrite):
    assert not check(sources, rewrite).passed

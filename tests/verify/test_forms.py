"""Figures, times, shares and names in the many forms in which they are told, and the same with one of them changed."""

from __future__ import annotations

import pytest

from memopt.memory import UserMemory
from memopt.verify import verify

Case = tuple[str, str, str]
"""The sources (several parted by ``;;``), what tells the same, and what does not ("" for none)."""

A_TIME_OF_DAY: list[Case] = [
    ("用户七点四十到办公室。", "用户7:40到办公室。", "用户7:50到办公室。"),
    ("奶奶五点半就醒了。", "奶奶5:30就醒了。", "奶奶6:30就醒了。"),
    ("用户晚上九点一刻去遛狗。", "用户21:15遛狗。", "用户21:45遛狗。"),
    ("班车差五分八点发车。", "班车7:55发车。", "班车8:05发车。"),
    ("班车八点差五分发车。", "班车7:55发车。", "班车8:05发车。"),
    ("用户八点过五分出门。", "用户8:05出门。", "用户8:15出门。"),
    ("飞机凌晨两点零五起飞。", "飞机02:05起飞。", "飞机02:15起飞。"),
    ("爸爸每天六点三刻起床。", "爸爸每天6:45起床。", "爸爸每天6:15起床。"),
    ("课程八点二十开始，九点十分结束。", "课程8:20开始，9:10结束。", "课程8:20开始，9:20结束。"),
    ("开会时间改到下午两点二十。", "开会时间改到14:20。", "开会时间改到15:20。"),
    ("用户在星期五点外卖。", "用户周五点外卖。", "用户周四点外卖。"),
    ("The class starts at quarter past nine.", "The class starts at 9:15.", "The class starts at 9:45."),
    ("User gets up at six twenty.", "User gets up at 6:20.", "User gets up at 6:30."),
    ("The bus leaves at ten to eight.", "The bus leaves at 7:50.", "The bus leaves at 8:10."),
    ("Office hours are 9 to 5.", "Office hours are 9:00-17:00.", "Office hours are 9:00-18:00."),
]
SHARES_AND_AMOUNTS: list[Case] = [
    ("用户把三成工资存起来。", "用户把工资的30%存起来。", "用户把工资的40%存起来。"),
    ("用户把工资的一半存起来。", "用户把50%的工资存起来。", "用户把60%的工资存起来。"),
    ("股票跌了两成半。", "股票跌了25%。", "股票跌了35%。"),
    ("八成员工远程办公。", "80%的员工远程办公。", "70%的员工远程办公。"),
    ("店里打八折。", "店里20%的折扣。", ""),
    ("房子的四分之三是贷款。", "房子的75%是贷款。", "房子的65%是贷款。"),
    ("三分之一的客人是游客。", "有1/3的客人是游客。", "有2/3的客人是游客。"),
    ("孩子练琴四十五分钟。", "孩子练三刻钟琴。", "孩子练一刻钟琴。"),
    ("孩子练琴一刻钟。", "孩子练15分钟琴。", "孩子练25分钟琴。"),
    ("合同期一年半。", "合同期18个月。", "合同期8个月。"),
    ("用戶每次遛狗半個鐘頭。", "用戶每次遛狗30分鐘。", "用戶每次遛狗20分鐘。"),
    ("用戶早晚各跑步一次，每次二十分鐘。", "用戶早晚各跑20分鐘。", "用戶早晚各跑30分鐘。"),
    ("用户每天早晚各吃一片药。", "用户一天吃两次药，早晚各一片。", "用户一天吃三次药，早中晚各一片。"),
    ("房租2千5。", "房租2500元。", "房租2600元。"),
    ("月薪1万2。", "月薪12000元。", "月薪13000元。"),
    ("身高一米七二。", "身高172厘米。", "身高170厘米。"),
    ("身高1米72。", "身高1.72米。", "身高1.75米。"),
    ("体温三十八度五。", "体温38.5℃。", "体温39.5℃。"),
    ("User saves a quarter of the income.", "User saves 25% of the income.", "User saves 35% of the income."),
    ("Half of the staff work remotely.", "50% of the staff work remotely.", "60% of the staff work remotely."),
    ("Three out of four students passed.", "75% of students passed.", "65% of students passed."),
    ("User has a couple of cats.", "User has two cats.", "User has three cats."),
    (
        "User takes vitamins morning and evening.",
        "User takes vitamins twice a day, in the morning and in the evening.",
        "User takes vitamins three times a day.",
    ),
]
HOW_OFTEN: list[Case] = [
    ("用户每月花费大约900元。", "用户每月花900元左右。", "用户每月花800元左右。"),
    ("用户每隔一天去健身房。", "用户每两天去一次健身房。", "用户每三天去一次健身房。"),
    ("用户每三天浇一次花。", "用户隔两天浇一次花。", ""),
    ("用户双周五开例会。", "用户每两周的周五开例会。", ""),
    (
        "User waters the roses every second evening.",
        "User waters the roses every other evening.",
        "User waters the roses every evening.",
    ),
    ("User calls grandma every night.", "User calls grandma nightly.", "User calls grandma weekly."),
    ("User pays 12 euros a month.", "User pays €12 monthly.", "User pays €12 weekly."),
    ("User pays 1200 dollars per year.", "User pays $1,200 annually.", "User pays $1,200 monthly."),
    (
        "User visits the dentist once or twice a year.",
        "Once or twice a year the user sees a dentist.",
        "Once or twice a month the user sees a dentist.",
    ),
    ("用户每季度交一次物业费。", "用户每三个月交一次物业费。", "用户每个月交一次物业费。"),
    ("用户每月给父母转3000元。", "用户每个月给爸妈转3,000元。", "用户每季度给爸妈转3,000元。"),
    ("用户每晚给奶奶打电话。", "用户每天晚上给奶奶打电话。", "用户每周给奶奶打电话。"),
    ("年会员费是98元。", "会员费每年98元。", "会员费每月98元。"),
    (
        "User goes to the opera once or twice a year.",
        "Once or twice a year the user visits the opera.",
        "Once or twice a month the user visits the opera.",
    ),
    ("The NAS backs up every night.", "The NAS is backed up nightly.", "The NAS is backed up weekly."),
    ("User gets paid every two weeks.", "User is paid biweekly.", "User is paid monthly."),
    ("Rent is 900 euros a month.", "The monthly rent is 900 euros.", "The yearly rent is 900 euros."),
    ("User sees the therapist monthly.", "User sees the therapist once a month.", "User sees the therapist once a year."),
    ("User trains 5 hours a week.", "User's weekly training is 5 hours.", "User's daily training is 5 hours."),
]
TIMES_SEEN_FROM_ELSEWHERE: list[Case] = [
    ("用户的生日是农历八月十五。", "用户农历8月15日生日。", "用户农历8月16日生日。"),
    ("用户生日在正月初三。", "用户的生日是正月初三。", "用户的生日是正月初五。"),
    ("用户五一去青岛。", "用户劳动节去青岛。", "用户国庆节去青岛。"),
    ("项目将于下下周上线。", "项目两周后上线。", "项目三周后上线。"),
    ("用户周末去爬山。", "用户周六日去爬山。", "用户周一去爬山。"),
    ("小店周六周日不营业。", "小店双休日不营业。", "小店周一不营业。"),
    ("User saw the '98 World Cup final.", "User saw the 1998 World Cup final.", "User saw the 1996 World Cup final."),
    ("User drives a '67 Mustang.", "User drives a 1967 Mustang.", "User drives a 1969 Mustang."),
    ("User was in the class of '09.", "User was in the class of 2009.", "User was in the class of 2007."),
    ("The conference is two weekends from now.", "The conference is the weekend after next.", "The conference is next weekend."),
    ("User met Dora the day before yesterday.", "User met Dora two days ago.", "User met Dora three days ago."),
    ("User started the job the week before last.", "User started the job two weeks ago.", "User started the job four weeks ago."),
    (
        "User lost the wallet a day before the trip.",
        "The day before the trip the user lost the wallet.",
        "A year before the trip the user lost the wallet.",
    ),
    (
        "User's flight is in April's second week.",
        "User's flight is in the second week of April.",
        "User's flight is in the second week of May.",
    ),
    (
        "User's September invoice was 80 euros.",
        "September's invoice of the user was 80 euros.",
        "October's invoice of the user was 80 euros.",
    ),
    (
        "The stand-up is at 9:45 on weekdays.",
        "The stand-up is at 9:45 a.m., Monday to Friday.",
        "The stand-up is at 9:45 a.m., Monday to Saturday.",
    ),
    (
        "User goes dancing on weekends.",
        "User goes dancing on Saturdays and Sundays.",
        "User goes dancing on Saturdays and Mondays.",
    ),
    (
        "The fair runs 3 September through 9 October 2025.",
        "The fair runs Sep 3 - Oct 9, 2025.",
        "The fair runs Sep 3 - Oct 8, 2025.",
    ),
]
NAMES_OF_THE_SAME: list[Case] = [
    ("User moved to Wien.", "User moved to Vienna.", "User moved to Berlin."),
    ("User studied in München and Köln.", "User studied in Munich and Cologne.", "User studied in Munich and Bonn."),
    ("User works in Firenze.", "User works in Florence.", "User works in Venice."),
    ("User speaks Deutsch.", "User speaks German.", "User speaks Danish."),
    ("User learns 日本語.", "User learns Japanese.", "User learns Korean."),
    ("User reads 中文 and English.", "User reads Chinese and English.", "User reads Korean and English."),
    ("User deploys with CI on GitLab.", "User deploys on GitLab with continuous integration.", ""),
    ("User's PB over 10 km is 44:10.", "User's personal best over 10 km is 44:10.", "User's personal best over 10 km is 44:20."),
    ("User works in HR.", "User works in human resources.", "User works in finance."),
    ("User is a QA engineer.", "User is a quality assurance engineer.", "User is a sales engineer."),
    ("User has ADHD.", "User has attention deficit hyperactivity disorder.", "User has autism."),
    ("User has PTSD.", "User has post-traumatic stress disorder.", "User has depression."),
    ("User drives an EV.", "User drives an electric vehicle.", "User drives a diesel car."),
    ("User's blog is built with Jekyll.", "User has a Jekyll-built blog.", "User has a Hugo-built blog."),
    ("User bakes with a Miele oven made in Germany.", "User has a German-made Miele oven for baking.", ""),
    ("User's flight is LH 1832.", "User is on flight LH1832.", "User is on flight LH1823."),
    (
        "User's IBAN is DE89 3704 0044 0532 0130 00.",
        "User's IBAN: DE89370400440532013000.",
        "User's IBAN: DE89370400440532013001.",
    ),
]
NO_NAMES: list[Case] = [
    ("Though shy, the user sings in a choir.", "The user sings in a choir, though shy.", ""),
    ("孙丽还在读研。", "孙丽仍在读研。", "孙莉仍在读研。"),
    ("马强先去了广州。", "马强先到了广州。", "马强先到了深圳。"),
    ("用户膝盖有旧伤。", "用户膝部有老伤。", ""),
    ("用户是个老顾客，爱去小酒馆。", "老顾客，常去小酒馆。", ""),
    ("用户认识老魏，老魏是钳工。", "用户认识当钳工的老魏。", "用户认识当钳工的老李。"),
    ("同事小鹿会拉花。", "小鹿是用户同事，会拉花。", "小美是用户同事，会拉花。"),
    ("用户的会议助理是 Kevin 刘。", "Kevin 刘是用户的会议助理。", "Kevin 李是用户的会议助理。"),
    ("用户的伴郎是 Jason 吴。", "伴郎由 Jason 吴担任。", "伴郎由 Jason 胡担任。"),
    ("用户在汇丰银行上班。", "用户就职于汇丰银行。", "用户就职于渣打银行。"),
    ("用户坐东航去昆明。", "用户乘东航飞昆明。", "用户乘南航飞昆明。"),
    ("用户在备考雅思。", "用户在准备雅思考试。", "用户在准备托福考试。"),
    ("外婆爱听越剧。", "外婆喜欢越剧。", "外婆喜欢京剧。"),
    ("用户血型是A型。", "用户是A型血。", "用户是B型血。"),
    (
        "User's espresso machine is a Linea Mini.",
        "User has a Linea Mini espresso machine.",
        "User has a Linea Micra espresso machine.",
    ),
    (
        "User's mentor is Dr. Hanna Brandt-Lopez.",
        "Dr. Hanna Brandt-Lopez mentors the user.",
        "Dr. Hanna Brandt-Ruiz mentors the user.",
    ),
    ("User drives a Toyota Yaris Cross.", "User's car is a Toyota Yaris Cross.", "User's car is a Toyota Corolla Cross."),
]
COUNTED_BY_LISTING: list[Case] = [
    (
        "The printer has two trays, one black and one white.",
        "The printer has a black tray and a white one.",
        "The printer has a black tray.",
    ),
    ("User has two sons: Karl, 8, and Ben, 5.", "User's sons are Karl (8) and Ben (5).", "User's sons are Karl (8) and Ben (6)."),
    ("User has two brothers, Al and Bo.", "Al and Bo are the user's brothers.", "Al and Cy are the user's brothers."),
    (
        "User has two children: Ada, 8, and Tomas, 5.",
        "The user is a parent of two: Ada, aged 8, and Tomas, aged 5.",
        "The user is a parent of three: Ada, aged 8, and Tomas, aged 5.",
    ),
    (
        "User has two children: Ada, 8, and Tomas, 5. ;; Ada swims.",
        "The user is a parent of two. Ada, aged 8, swims; Tomas is 5.",
        "",
    ),
    ("User has three cats: Mo, Lu and Pi.", "User's cats are Mo, Lu and Pi.", "User's cats are Mo and Lu."),
    (
        "User has two jobs, one at a bakery and one at a gym.",
        "User has a job at a bakery and another at a gym.",
        "User has a job at a bakery.",
    ),
    (
        "User has two kilns, one electric and one gas-fired.",
        "User has an electric kiln and a gas-fired one.",
        "User has an electric kiln.",
    ),
    (
        "User owns two bikes: a road bike and a mountain bike.",
        "User owns a road bike and a mountain bike.",
        "User owns a road bike.",
    ),
    ("User speaks three languages: Urdu, Greek and Thai.", "User speaks Urdu, Greek and Thai.", "User speaks Urdu and Greek."),
    ("用户有两只猫，一只叫奶糖，一只叫布丁。", "用户养着奶糖和布丁，都是猫。", "用户养着奶糖，是猫。"),
    ("用户有两个孩子：小雨和小宇。", "用户的孩子是小雨和小宇。", "用户有三个孩子：小雨和小宇。"),
    ("用户会三门语言：英语、法语、泰语。", "用户会英语、法语和泰语。", "用户会英语和法语。"),
    ("User has two cats: Mo and Lu.", "User's cats: Mo and Lu.", "User has three cats: Mo and Lu."),
]
ALL = [
    *A_TIME_OF_DAY,
    *SHARES_AND_AMOUNTS,
    *HOW_OFTEN,
    *TIMES_SEEN_FROM_ELSEWHERE,
    *NAMES_OF_THE_SAME,
    *NO_NAMES,
    *COUNTED_BY_LISTING,
]


def _passes(sources: str, rewrite: str) -> bool:
    memories = [UserMemory(text.strip(), memory_id=str(at)) for at, text in enumerate(sources.split(";;"))]
    return verify(memories, [UserMemory(rewrite)]).passed


@pytest.mark.parametrize(("sources", "rewrite"), [(sources, rewrite) for sources, rewrite, _ in ALL])
def test_the_same_figure_time_or_name_in_another_form_is_held(sources: str, rewrite: str) -> None:
    assert _passes(sources, rewrite)


@pytest.mark.parametrize(("sources", "rewrite"), [(sources, rewrite) for sources, _, rewrite in ALL if rewrite])
def test_another_figure_time_or_name_is_found(sources: str, rewrite: str) -> None:
    assert not _passes(sources, rewrite)

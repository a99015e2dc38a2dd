"""A fact told with the other pole of what it says is found; the same told in other words is not taken for that."""

from __future__ import annotations

import pytest

from memopt.memory import UserMemory
from memopt.verify import verify


def report(sources, *rewrite):
    rows = [UserMemory(text, memory_id=f"m{at}", created_at=1735689600 + 86400 * at) for at, text in enumerate(sources)]
    return verify(rows, [UserMemory(text, memory_id=f"r{at}") for at, text in enumerate(rewrite)])


TURNED = [
    ("Wim adopted a whippet a few months ago.", "A few months ago Wim adopted a whippet.", "A few days ago Wim adopted a whippet."),
    ("Hanne has lived in Bergen for several years.", "For several years Hanne has been living in Bergen.", "For several weeks Hanne has been living in Bergen."),
    ("Aldo has been to Malta once.", "Aldo has visited Malta one time.", "Aldo has never visited Malta."),
    ("Tess kept her secure job at a bank.", "Tess held on to her secure job at a bank.", "Tess gave up her secure job at a bank."),
    ("Rui knows a bit of Danish.", "Rui speaks a little Danish.", "Rui is fluent in Danish."),
    ("Nils encouraged the students to join the union.", "The students were encouraged by Nils to join the union.", "Nils advised the students against joining the union."),
    ("Vera is in a beginner pottery class that calms her.", "The pottery class Vera is in, a beginner one, calms her.", "Vera is in an advanced class in pottery that calms her."),
    ("Rent was 900 euros, up 4 % on the year before.", "Rent was 900 euros, 4 percent more than a year earlier.", "Rent was 900 euros, 4 percent less than a year earlier."),
    ("Ines bought a loom a few years ago.", "A few years ago, Ines bought a loom.", "A few weeks ago, Ines bought a loom."),
    ("小区停车免费。", "小区里停车是免费的。", "小区停车收费。"),
    ("用户是自愿加班的。", "用户加班是自愿的。", "用户是被迫加班的。"),
    ("教练要求严格。", "教练的要求很严格。", "教练要求很宽松。"),
    ("用户患有甲状腺功能减退。", "用户患甲减。", "用户患甲亢。"),
    ("用户对新公寓很满意。", "新公寓让用户十分满意。", "用户对新公寓不太满意。"),
    ("这批货全部检查过。", "这批货已全部检查。", "这批货只检查过一部分。"),
    ("用户几年前搬到了无锡。", "几年前，用户搬到了无锡。", "几天前，用户搬到了无锡。"),
    ("User moved from Arles to Bern in 2023.", "In 2023 the user relocated to Bern from Arles.", "User moved from Bern to Arles in 2023."),
    ("Mia lends her kayak to Tom.", "Tom borrows Mia's kayak.", "Mia borrows her kayak from Tom."),
    ("User buys old clocks at fairs.", "The user purchases old clocks at fairs.", "User sells old clocks at fairs."),
    ("User's shop is above a garage.", "A garage is below the user's shop.", "User's shop is below a garage."),
    ("User stretches before breakfast.", "Before breakfast the user does stretches.", "User stretches after breakfast."),
    ("The server needs at least 8 GB.", "No less than 8 GB is needed on the server.", "The server needs at most 8 GB."),
    ("User's nephew Jan plays the flute.", "Jan, a nephew of the user, plays the flute.", "User's niece Jan plays the flute."),
    ("User's landlord called.", "The user got a call from the landlord. User's landlord called.", "User's tenant called."),
    ("User walks the dog in the morning.", "Mornings the user takes the dog for a walk.", "User walks the dog in the evening."),
    ("User likes her soup hot.", "The user likes hot soup.", "User likes her soup cold."),
    ("User sprained the left ankle.", "The user's left ankle was sprained.", "User sprained the right ankle."),
    ("User runs the report weekly.", "The user runs the report every week.", "User runs the report daily."),
    ("User is the captain of a rowing club.", "The user captains a rowing club.", "User is a former captain of a rowing club."),
    ("Ida beat Leo at chess.", "Leo was beaten by Ida at chess.", "Leo beat Ida at chess."),
    ("Lena plays the oboe in the town band.", "In the town band Lena plays the oboe.", "Lena plays the tuba in the town band."),
    ("User plans to learn braille.", "The user intends to learn braille.", "User learned braille."),
    ("User drinks cocoa at night.", "At night the user has cocoa.", "User swore off cocoa at night."),
    ("Ines, a colleague of the user, likes jazz.", "Ines is the user's colleague and likes jazz.", "Ines, the user's boss, likes jazz."),
    ("The bridge works are under budget.", "The works on the bridge are under budget.", "The bridge works are over budget."),
    ("The course runs from May until July.", "From May until July the course runs.", "The course runs from July until May."),
    ("User rents a room to a student.", "The user rents out a room to a student.", "User rents a room from a student."),
    ("用户把旧书送给了侄子。", "用户送给侄子旧书。", "侄子把旧书送给了用户。"),
    ("用户从苏州搬到了厦门。", "用户离开苏州,搬到了厦门。", "用户从厦门搬到了苏州。"),
    ("用户在网上卖旧书。", "用户卖旧书,是在网上。", "用户在网上买旧书。"),
    ("用户饭前吃药。", "用户吃饭之前吃药。", "用户饭后吃药。"),
    ("用户的妹妹是护士。", "用户妹妹的职业是护士。", "用户的哥哥是护士。"),
    ("用户左膝做过手术。", "用户的左膝盖动过手术。", "用户右膝做过手术。"),
    ("用户每天游泳。", "用户天天游泳。", "用户每周游泳。"),
    ("用户的月薪是18000元。", "用户月薪18000元。", "用户的年薪是18000元。"),
    ("用户上高中时得过全国物理竞赛银牌。", "用户高中时获得过全国物理竞赛银牌。", "他上高中时得过全国物理竞赛金牌。"),
    ("用户周末在乡下帮父母种番茄。", "周末用户在乡下帮父母种番茄。", "用户周末在乡下帮父母种黄瓜。"),
    ("用户喜欢安静的环境。", "用户喜爱清静的环境。", "用户喜欢热闹的环境。"),
    ("用户对花生过敏。", "用户吃花生会过敏。", "用户对虾过敏。"),
]  # fmt: skip


@pytest.mark.parametrize(("source", "faithful", "turned"), TURNED, ids=[row[2] for row in TURNED])
def test_another_pole_is_found_on_both_sides(source, faithful, turned):
    assert report([source], faithful).passed
    found = report([source], turned)
    assert [item.index for item in found.lost] == [0]
    assert found.invented


@pytest.mark.parametrize(
    ("sources", "rewrite"),
    [
        (["User lives above a bakery.", "User lives below an old loft."], ["User has a home above a bakery.", "The user lives below an old loft."]),
        (["User drank tea in the morning.", "User drank tea in the evening."], ["In the evening the user drank tea, and in the morning too."]),
        (["Tom borrows the kayak from Mia."], ["Mia lends Tom the kayak."]),
        (["User is not cold in winter."], ["User is warm in winter."]),
        (["User switched from Vim to Helix.", "User switched from Helix to Zed."], ["User switched from Vim to Helix, then Helix to Zed."]),
        (["User was the captain of a rowing club."], ["User is a former captain of a rowing club."]),
        (["Clara is older than Max."], ["Max is younger than Clara."]),
        (["User plans to learn braille.", "User learned braille."], ["The user learned braille, as planned."]),
        (["User likes hot soup.", "User likes cold tea."], ["User likes cold tea and hot soup."]),
    ],
)  # fmt: skip
def test_no_contrast_is_seen_where_the_other_side_says_it_too_or_in_other_words(sources, rewrite):
    found = report(sources, *rewrite)
    assert [(item.kind, item.detail) for item in (*found.lost, *found.invented) if item.kind in ("opposite", "swap")] == []

"""What says the same in other words is said once; what only sounds like it stays."""

import pytest

from memopt.memory import UserMemory
from memopt.models.builtin import consolidate
from memopt.models.restated import heads, plain
from memopt.verify import verify

DAY = 86_400


def text_of(*texts):
    rows = [UserMemory(text, f"m{at}", created_at=1735689600 + at * 30 * DAY) for at, text in enumerate(texts)]
    text = consolidate(rows).text
    report = verify(rows, [UserMemory(text)])
    assert (report.lost, report.invented) == ((), ())
    return text


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (("User has a cat called Pixel.", "User owns a cat named Pixel."), "User has a cat called Pixel."),
        (("User takes 5 mg of ramipril every morning.", "Every morning the user takes 5 mg of ramipril."), "User takes 5 mg of ramipril every morning."),
        (("User takes metformin 500 mg twice a day.", "User takes 500 mg of metformin twice daily."), "User takes metformin 500 mg twice a day."),
        (("User does not drink coffee.", "User never drinks coffee."), "User never drinks coffee."),
        (("User doesn't eat pork.", "User eats no pork."), "User doesn't eat pork."),
        (("User loves hiking.", "User enjoys hiking.", "User is fond of hiking."), "User loves hiking."),
        (("User likes hiking.", "User loves hiking."), "User loves hiking."),
        (("User hates Java.", "User dislikes Java."), "User hates Java."),
        (("User resides in Lyon.", "User lives in Lyon."), "User resides in Lyon."),
        (("User speaks Spanish.", "User speaks fluent Spanish.", "User can speak Spanish."), "User speaks fluent Spanish."),
        (("User has a gym membership.", "User has a membership at the gym."), "User has a gym membership."),
        (("User has a sister named Anna.", "User's sister is called Anna.", "User has a sister."), "User has a sister named Anna."),
        (("用户养了一只猫，名叫像素。", "用户有一只叫像素的猫。"), "用户养了一只猫，名叫像素。"),
        (("User's son Tim plays football at FC Seefeld.", "Tim plays football."), "User's son Tim plays football at FC Seefeld."),
        (("User has two cats (Mimi and Tom).", "User has two cats: Mimi and Tom."), "User has two cats: Mimi and Tom."),
        (("User has no car.", "User doesn't have a car."), "User has no car."),
        (("User drinks 2 liters of water a day.", "User drinks two litres of water daily."), "User drinks 2 liters of water a day."),
        (("User likes coffee.", "User likes coffee a lot."), "User likes coffee a lot."),
        (("用户不喝咖啡。", "用户从不喝咖啡。"), "用户从不喝咖啡。"),
        (("用户不吃辣。", "用户从来不吃辣。"), "用户从来不吃辣。"),
        (("用户每天早上服用5毫克雷米普利。", "每天早上用户服用5毫克雷米普利。"), "用户每天早上服用5毫克雷米普利。"),
        (("用户的丈夫在华为工作。", "用户的老公在华为上班。"), "用户的丈夫在华为工作。"),
        (("用户每月房租5500元。", "用户的房租是每月5500元。"), "用户每月房租5500元。"),
        (("用户对花生过敏。", "用户花生过敏，吃了会起疹子。"), "用户花生过敏，吃了会起疹子。"),
        (("用户在字节跳动工作。", "用户在字节跳动担任工程师。"), "用户在字节跳动担任工程师。"),
        # the fuller sentence says the shorter one
        (("User works at Acme.", "User works at Acme as an engineer."), "User works at Acme as an engineer."),
        (("User plays tennis on Sundays with Tom.", "User plays tennis."), "User plays tennis on Sundays with Tom."),
        (("User has a dog.", "User has a dog named Rex."), "User has a dog named Rex."),
    ],
)  # fmt: skip
def test_the_same_in_other_words_is_said_once(texts, expected):
    assert text_of(*texts) == expected


@pytest.mark.parametrize(
    "texts",
    [
        ("User drinks coffee.", "User never drinks coffee."),
        ("User takes 5 mg of ramipril every morning.", "User takes 5 mg of ramipril every evening."),
        ("User takes 5 mg of ramipril twice a day.", "User takes 5 mg of ramipril twice a week."),
        ("User likes tea.", "User likes tea with milk."),
        ("User dislikes Berlin.", "User dislikes Berlin in winter."),
        ("User can swim.", "User can swim with a vest."),
        ("User has a dog named Rex.", "User has a dog named Max."),
        ("User no longer drinks coffee.", "User never drinks coffee."),
        ("User's sister is allergic to nuts.", "User is allergic to nuts."),
        ("User prefers tea over coffee.", "User prefers coffee over tea."),
        ("User works at Acme.", "User works at Acme only in summer."),
        ("User is a doctor.", "User is a doctor in training."),
        ("User is free.", "User is free on Mondays."),
        ("User sleeps 8 hours.", "User sleeps 8 hours on Sundays."),
        ("User works from home.", "User works from home on Mondays."),
        ("User lives in Rome.", "User lives in Rome in winter."),
        ("User earns 900 euros.", "User earns 900 euros in tips."),
        ("User has no car.", "User has no car keys."),
        ("用户每天喝咖啡。", "用户每天喝咖啡，周末除外。"),
        ("用户喜欢茶。", "用户更喜欢茶，不喜欢咖啡。"),
        ("User lives in Rome.", "User lives in Rome if the visa is granted."),
        ("用户喝咖啡。", "用户从不喝咖啡。"),
        ("用户的妈妈喜欢茶。", "用户的爸爸喜欢茶。"),
        ("用户每天早上跑步。", "用户每天晚上跑步。"),
    ],
)
def test_what_only_sounds_alike_stays(texts):
    rows = [UserMemory(text, f"m{at}", created_at=1735689600 + at * 30 * DAY) for at, text in enumerate(texts)]
    result = consolidate(rows)
    assert result.text not in texts or result.superseded  # both are told, or one is said to be replaced


def test_what_began_again_after_its_end_is_not_the_one_before():
    text = text_of("User has a dog named Rex.", "Rex died in the garden.", "User has a dog.")
    assert text.index("Rex died") < text.index("User has a dog (noted 2 March 2025)")


@pytest.mark.parametrize(
    "text", ['User said: "I do not drink coffee."', "Пользователь не пьёт кофе.", "ユーザーは猫を飼っています。", "{x: 1}", "User likes C (the language)."]
)  # fmt: skip
def test_odd_texts_are_compared_as_they_are(text):
    assert plain(text) == text


def test_an_opinion_has_no_beginning_that_is_true_without_its_end():
    assert heads(plain("User likes tea with milk.")) == []
    assert heads(plain("User is learning to swim with a coach.")) == ["user is learning to swim"]

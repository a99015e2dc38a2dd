"""A detail that a rewrite hangs on a fact is found, and the words of a paraphrase are not taken for one."""

import pytest

from memopt.memory import UserMemory
from memopt.verify import verify
from memopt.verify.certainty import certainty

ADDED = [
    ("Mara is allergic to peanuts.", "Mara is allergic to peanuts and shellfish.", "shellfish"),
    ("Her brother Jonas is 34.", "Her brother Jonas is 34 and a plumber.", "plumber"),
    ("Mara does not drink coffee.", "Mara does not drink coffee or alcohol.", "alcohol"),
    ("Mara does not drink coffee.", "Mara does not drink coffee for religious reasons.", "religious"),
    ("Mara lives in Ghent since March 2025.", "Mara lives in Ghent with her husband since March 2025.", "husband"),
    ("She plays the cello in a quartet.", "She plays the cello and the piano in a quartet.", "piano"),
    ("Mara takes 5 mg of ramipril every morning.", "Mara takes 5 mg of ramipril every morning for high blood pressure.", "blood"),
    ("She has a cat called Pixel.", "She has a cat called Pixel and a dog.", "dog"),
    ("User likes hiking.", "User likes hiking and swimming.", "swimming"),
    ("User is allergic to penicillin.", "The user is severely allergic to penicillin.", "severely"),
    ("User is allergic to penicillin.", "The user has a life-threatening penicillin allergy.", "threatening"),
    ("User is looking for a bike for her niece.", "The user is shopping for a red bicycle for her niece.", "red"),
    ("User works at a bank in Zurich.", "The user works as a teller for a bank in Zurich.", "teller"),
    ("Nora made a solo trip to Japan in 2018.", "In 2018 Nora traveled to Japan with her aunt.", "aunt"),
    ("User broke his left wrist in February.", "In February the user fractured his left wrist together with a cousin.", "cousin"),
    ("用户对花生过敏。", "用户对花生和海鲜过敏。", "海鲜"),
    ("用户住在成都。", "用户和女朋友住在成都。", "女朋友"),
    ("用户不喝咖啡。", "用户不喝咖啡和酒。", "酒"),
    ("用户的妹妹今年29岁。", "用户的妹妹今年29岁，是护士。", "护士"),
]

FAITHFUL = [
    (
        "User's son Noah has ADHD and goes to a small private school.",
        "Noah, the user's son, who has ADHD, attends a small private school.",
    ),
    ("User has a severe fear of needles.", "The user is extremely afraid of needles."),
    ("User is allergic to penicillin, badly.", "The user is severely allergic to penicillin."),
    ("Ona went to Japan with her father's sister.", "Ona traveled to Japan with her aunt."),
    ("Bjarne keeps goats and makes cheese from their milk.", "Bjarne has goats and produces cheese out of their milk."),
    ("User failed the driving test twice.", "The user has taken the driving test two times without passing."),
    ("User's doctor told him to avoid salt.", "The user was told by his doctor not to eat salt."),
    ("User lives alone in a studio in Prague.", "The user has a studio apartment in Prague and lives there by himself."),
    ("User has a PhD in astronomy from Heidelberg.", "In Heidelberg, the user earned a PhD in astronomy."),
    ("User likes hiking and sushi.", "Hiking and sushi are what the user likes."),
    ("用户每周二和周四接孩子放学。", "每逢周二、周四，用户要去接孩子放学。"),
    ("用户家里有一架钢琴。", "用户家中有一架钢琴。"),
]


def check(source: str, rewrite: str):
    return verify([UserMemory(source, memory_id="a", user_id="u")], [UserMemory(rewrite, memory_id="s", user_id="u")])


@pytest.mark.parametrize(("source", "rewrite", "what"), ADDED)
def test_a_detail_without_a_source_is_invented_and_named(source: str, rewrite: str, what: str) -> None:
    invented = check(source, rewrite).invented
    assert any(what in item.fact for item in invented), invented


@pytest.mark.parametrize(("source", "rewrite"), FAITHFUL)
def test_other_words_for_the_same_are_no_added_detail(source: str, rewrite: str) -> None:
    assert not [item for item in check(source, rewrite).invented if item.kind == "detail"]


def test_a_detail_that_another_memory_tells_is_none() -> None:
    sources = [UserMemory("User likes hiking.", memory_id="a"), UserMemory("User's brother owns a piano.", memory_id="b")]
    report = verify(sources, [UserMemory("User likes hiking and his brother owns a piano.", memory_id="s")])
    assert report.passed


@pytest.mark.parametrize(
    ("source", "rewrite"),
    [
        ("Mara is allergic to peanuts.", "Mara may be allergic to peanuts."),
        ("Mara is allergic to peanuts.", "Mara is possibly allergic to peanuts."),
        ("User might be lactose intolerant.", "User is lactose intolerant."),
        ("User plans to move to Oslo.", "User moved to Oslo."),
        ("User bought a car.", "User is considering buying a car."),
        ("用户对花生过敏。", "用户可能对花生过敏。"),
        ("用户计划搬到上海。", "用户已搬到上海。"),
    ],
)
def test_what_is_sure_on_one_side_alone_is_lost_and_invented(source: str, rewrite: str) -> None:
    report = check(source, rewrite)
    assert report.lost
    assert report.invented


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("User plans to move to Oslo.", "User intends to relocate to Oslo."),
        ("User plans to move to Oslo.", "User is moving to Oslo next year."),
        ("User might be lactose intolerant.", "User is probably lactose intolerant."),
        ("User lets his children watch one hour of TV per day.", "The user's kids may watch television for an hour a day."),
        ("User was born in May 1990.", "User was born in 05/1990."),
        ("用户想买一台预算一万元以内的笔记本电脑。", "用户打算购买笔记本，预算不超过1万元。"),
    ],
)
def test_one_plan_or_one_doubt_in_other_words_is_the_same(one: str, other: str) -> None:
    assert certainty(one, other) is None
    assert certainty(other, one) is None


@pytest.mark.parametrize(
    ("sources", "wrong", "right"),
    [
        (
            ("User moved to Berlin on 1 August 2025.", "User lives in Berlin now, moved on August 1."),
            "User moved to Berlin on 1 August 2024.",
            "User moved to Berlin on 1 August 2025.",
        ),
        (("用户2025年8月1日搬到了柏林。", "用户是8月1日搬的。"), "用户2024年8月1日搬到了柏林。", "用户2025年8月1日搬到了柏林。"),
    ],
)
def test_a_day_without_its_year_lets_no_other_year_pass(sources: tuple[str, ...], wrong: str, right: str) -> None:
    memories = [
        UserMemory(
            text, memory_id=f"m{at}", created_at=1_735_700_000 + 86_400 * 30 * at, updated_at=1_735_700_000 + 86_400 * 30 * at
        )
        for at, text in enumerate(sources)
    ]
    assert verify(memories, [UserMemory(wrong, memory_id="s")]).invented
    assert not verify(memories, [UserMemory(right, memory_id="s")]).invented


@pytest.mark.parametrize(
    ("source", "rewrite", "what"),
    [
        ("用户对花生和虾过敏。", "用户对花生过敏。", "虾"),
        ("User is allergic to peanuts and shrimp.", "User is allergic to peanuts.", "shrimp"),
        ("Mara lives in Ghent with her husband.", "Mara lives in Ghent.", "husband"),
        ("User takes ramipril every morning for high blood pressure.", "User takes ramipril every morning.", "blood"),
    ],
)
def test_a_detail_that_is_left_out_of_a_fact_is_lost_and_named(source: str, rewrite: str, what: str) -> None:
    lost = check(source, rewrite).lost
    assert any(what in item.fact for item in lost), lost


@pytest.mark.parametrize(
    "more",
    ["She hopes to become a certified pottery teacher herself.", "They have a three-year-old daughter."],
)
def test_a_sentence_beside_all_that_is_told_anyway_is_invented(more):
    sources = [
        UserMemory("Pia is in a beginner pottery class that calms her.", "m0"),
        UserMemory("Pia's pottery teacher is patient.", "m1"),
        UserMemory("Pia reached level 3 in the class.", "m2"),
    ]
    rewrite = (
        "Pia's pottery class, a beginner class, calms her. Her pottery teacher is patient. Pia reached level 3 in the class."
    )
    assert not verify(sources, [UserMemory(rewrite, "r")]).invented
    assert [item.sentence for item in verify(sources, [UserMemory(f"{rewrite} {more}", "r")]).invented] == [more]

"""What is told in other words beside what tells the same is no fault; what stands in the place of something else of its kind is one."""

import pytest

from memopt.memory import UserMemory
from memopt.verify import verify


def check(source, rewrite):
    return verify([UserMemory(source, memory_id="a")], [UserMemory(rewrite, memory_id="b")])


@pytest.mark.parametrize(
    ("source", "rewrite"),
    [
        ("用户的女儿今年上小学二年级,最怕数学。", "女儿读小学二年级,数学是她最发怵的科目。"),
        ("用户不喝咖啡,因为会心悸,改喝大麦茶。", "由于咖啡引起心悸,用户用大麦茶代替。"),
        ("用户喜欢收集旧地图,最珍贵的一张来自民国时期。", "用户的爱好是收藏老地图,其中最宝贵的是民国年间的一张。"),
        ("用户最近膝盖受伤,医生建议三个月内不要跑步。", "因膝伤,医生让他3个月之内别跑步。"),
        ("用户不习惯用语音消息,更愿意打字沟通。", "比起语音,用户更倾向于文字交流。"),
        ("用户和前妻共同抚养十岁的儿子,隔周轮流。", "十岁的儿子由用户与前妻轮流照顾,每隔一周换一次。"),
        ("User is studying for the bar exam in July and panics about contract law.", "The user sits the bar in July and is most worried about contract law."),
        ("User lost his job in January and is retraining as an electrician.", "Laid off in January, he is training to become an electrician."),
    ],
)  # fmt: skip
def test_a_clause_in_other_words_beside_one_that_is_told_is_there(source, rewrite):
    assert check(source, rewrite).passed


@pytest.mark.parametrize(
    ("source", "rewrite"),
    [
        ("用户的女儿今年上小学二年级,最怕数学。", "女儿读小学二年级。"),
        ("用户不喝咖啡,因为会心悸,改喝大麦茶。", "用户改喝大麦茶。"),
        ("User is studying for the bar exam in July and panics about contract law.", "The user sits the bar in July."),
        ("User lost his job in January.", "Laid off in January, he is training to become an electrician."),
        ("用户是佛教徒。", "用户是佛教徒,养了两只猫。"),
    ],
)
def test_a_clause_without_anything_beside_it_is_lost_or_invented(source, rewrite):
    assert not check(source, rewrite).passed


@pytest.mark.parametrize(
    ("source", "rewrite", "words"),
    [
        ("User's daughter has just started piano lessons.", "The user's daughter recently began learning the violin.", "piano: the other side has violin"),
        ("用户家里养了一只狗,很黏人。", "用户养的猫很黏人。", "猫: the other side has 狗"),
        ("用户在一家物流公司当调度员,上夜班。", "用户在一家物流公司当会计,上夜班。", "other side has 会计"),
    ],
)  # fmt: skip
def test_another_thing_of_its_kind_in_its_place_is_told(source, rewrite, words):
    report = check(source, rewrite)
    assert any(words in item.detail for item in (*report.lost, *report.invented))


def test_things_of_one_kind_that_the_sources_tell_may_change_places():
    sources = [UserMemory("User's daughter plays the piano.", memory_id="a"), UserMemory("User plays the violin.", memory_id="b")]
    assert verify(sources, [UserMemory("The user plays the violin. The daughter plays the piano.", memory_id="r")]).passed


def test_what_is_held_beside_its_neighbours_is_doubtful_and_not_called_lost():
    report = check(
        "User lost his job in January and is retraining as an electrician.",
        "Laid off in January, he is training to become an electrician.",
    )
    assert report.passed and not any(item.verdict for item in report.doubtful)

"""Denials in other Chinese words, and denials that stand beside what they do not deny."""

import pytest

from memopt.memory import UserMemory
from memopt.verify import verify


def report(sources, rewrite):
    return verify([UserMemory(text, memory_id=str(at)) for at, text in enumerate(sources)], [UserMemory(rewrite)])


SAME = [
    (["用户不再抽烟了，改嚼口香糖。"], "用户已经停抽香烟，改嚼口香糖。"),
    (["用户的押金500元，尚未退回。"], "用户的500元押金还没退回。"),
    (["小雨学过钢琴，阿力还没学。"], "钢琴小雨学过了，阿力尚未学。"),
    (["用户觉得问题出在 Nginx，不在网络。"], "用户认为问题出在 Nginx 而非网络。"),
    (["用户反对引入新框架，陈默则赞成。"], "对于引入新框架，用户不赞成，陈默支持。"),
    (["用户最爱吃粤菜，尤其是清蒸鱼。", "用户不吃芹菜。"], "饮食上，用户最爱粤菜，尤其是清蒸鱼，芹菜则一概不碰。"),
    (["用户在准备2026年6月的法语B2考试，每天学一小时。"], "为了2026年6月的法语B2考试，用户每天学习一小时。"),
    (["用户的服务从 Go 1.20 升级到了 Go 1.22。"], "用户的服务由 Go 1.20 升到 Go 1.22。"),
    (["用户把缓存时间从60秒缩短到20秒。"], "缓存时间由60秒缩短至20秒，是用户改的。"),
]


@pytest.mark.parametrize(("sources", "rewrite"), SAME)
def test_the_same_in_other_words_is_no_contrary(sources, rewrite):
    got = report(sources, rewrite)
    assert not got.lost and not got.invented


@pytest.mark.parametrize(
    ("sources", "rewrite"),
    [
        (["用户不再抽烟了，改嚼口香糖。"], "用户还在抽烟，也嚼口香糖。"),
        (["用户的押金500元，尚未退回。"], "用户的500元押金已经退回。"),
        (["小雨学过钢琴，阿力还没学。"], "钢琴小雨学过了，阿力也学过。"),
        (["用户觉得问题出在 Nginx，不在网络。"], "用户认为问题出在网络而非 Nginx。"),
        (["用户反对引入新框架，陈默则赞成。"], "对于引入新框架，用户支持，陈默反对。"),
        (["用户最爱吃粤菜，尤其是清蒸鱼。", "用户不吃芹菜。"], "饮食上，用户不爱粤菜，不吃芹菜，尤其是清蒸鱼。"),
        (["用户的服务从 Go 1.20 升级到了 Go 1.22。"], "用户的服务由 Go 1.22 降到 Go 1.20。"),
        (["用户把缓存时间从60秒缩短到20秒。"], "缓存时间由20秒延长至60秒，是用户改的。"),
        (["User cut the delay from 820 ms to 310 ms."], "User changed the delay from 310 ms to 820 ms."),
    ],
)
def test_the_contrary_is_still_found(sources, rewrite):
    got = report(sources, rewrite)
    assert got.lost or got.invented


@pytest.mark.parametrize(
    ("sources", "rewrite", "faulted"),
    [
        (["用户打算学冲浪。"], "用户计划学习冲浪。", "用户已经学了冲浪。"),
        (
            ["用户没去过非洲，最想去肯尼亚看狮子。"],
            "用户还未到过非洲，最向往的是去肯尼亚看狮子。",
            "用户到过非洲，最想去肯尼亚看狮子。",
        ),
        (["用户的店长姓孙，脾气急，但是讲道理。"], "用户的店长姓孙，性子急却讲道理。", "用户的店长姓陈，性子急却讲道理。"),
        (["用户准备搬去贵阳。"], "用户有意搬到贵阳。", "用户已搬到贵阳了。"),
    ],
)
def test_what_is_only_wished_is_told_apart_from_what_is_done(sources, rewrite, faulted):
    faithful, other = report(sources, rewrite), report(sources, faulted)
    assert not faithful.lost and not faithful.invented
    assert other.lost or other.invented


def test_one_persons_denial_is_not_taken_for_anothers_consent():
    got = report(["用户反对装监控，杜衡则赞成。"], "对于装监控，用户不赞成，杜衡支持。")
    assert not got.lost and not got.invented
    turned = report(["用户反对装监控，杜衡则赞成。"], "对于装监控，用户支持，杜衡反对。")
    assert turned.lost or turned.invented


def test_a_general_noun_is_no_detail_and_a_telling_one_is():
    assert not report(["用户喜欢春天，因为天气温暖。"], "用户偏爱温暖的春季。").lost
    assert report(["用户喜欢春天，因为天气温暖，花粉也少。"], "用户偏爱温暖的春季。").lost

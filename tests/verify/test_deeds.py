"""Who does what to whom in Chinese, from whichever side it is told."""

import pytest

from memopt.facts.whose import people_of, sayings
from memopt.verify.deeds import Deed, deeds, turned

PEOPLE = people_of([], ["谷雨晴", "章月琴", "小程", "阿德"], frozenset())


def told(text):
    return [deed for saying in sayings(text, PEOPLE) for deed in deeds(text, saying, PEOPLE)]


def deed(sort, giver, taker):
    return Deed(sort, frozenset((giver,)), frozenset((taker,)))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("谷雨晴师从章月琴。", deed("teach", "章月琴", "谷雨晴")),
        ("谷雨晴是章月琴的徒弟。", deed("teach", "章月琴", "谷雨晴")),
        ("章月琴是谷雨晴的师父。", deed("teach", "章月琴", "谷雨晴")),
        ("章月琴每周教谷雨晴唱曲。", deed("teach", "章月琴", "谷雨晴")),
        ("谷雨晴每周跟章月琴学唱曲。", deed("teach", "章月琴", "谷雨晴")),
        ("小程把车借给了阿德。", deed("lend", "小程", "阿德")),
        ("阿德向小程借车。", deed("lend", "小程", "阿德")),
        ("阿德借了小程的车。", deed("lend", "小程", "阿德")),
        ("小程由阿德照顾。", deed("care", "阿德", "小程")),
        ("阿德收到小程送的雨伞。", deed("give", "小程", "阿德")),
        ("小程给阿德买了雨伞。", deed("give", "小程", "阿德")),
        ("小程的车位由阿德租用。", deed("rent", "小程", "阿德")),
        ("阿德欠小程三百元。", deed("lend", "小程", "阿德")),
        ("阿德租的是小程的房子。", deed("rent", "小程", "阿德")),
    ],
)
def test_one_deed_is_read_from_either_side(text, expected):
    assert told(text) == [expected]


@pytest.mark.parametrize("text", ["小程没有教阿德。", "小程和阿德一起学琴。", "小程在学琴。"])
def test_nothing_is_read_where_it_is_denied_or_done_together(text):
    assert told(text) == []


def test_a_deed_is_turned_where_no_source_tells_it_that_way_too():
    there, back = told("小程把车借给了阿德。"), told("阿德把车借给了小程。")
    assert turned(back, there) == there[0]
    assert turned(back, [*there, *back]) is None
    assert turned(there, there) is None

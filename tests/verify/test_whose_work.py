"""Whose work, trade or ailment it is in Chinese, told before or behind the name, or by 前者 and 后者."""

import pytest

from memopt.memory import UserMemory
from memopt.verify import verify

_CASES = [
    (
        ["用户的小组有两人：接口由贺敏负责，页面由Oscar负责。"],
        "小组两人中，贺敏管接口，Oscar管页面。",
        "小组两人中，Oscar管接口，贺敏管页面。",
    ),
    (
        ["用户计划明年和闺蜜唐荔去冰岛。", "用户负责订酒店，唐荔负责租车。"],
        "用户明年拟与闺蜜唐荔赴冰岛，酒店由用户预订，租车由唐荔负责。",
        "用户明年拟与闺蜜唐荔赴冰岛，酒店由唐荔预订，租车由用户负责。",
    ),
    (
        ["沈立和表弟沈青合开了一家书店。", "沈立管账，沈青进货。"],
        "沈立同表弟沈青合开书店，前者管账，后者进货。",
        "沈立同表弟沈青合开书店，前者进货，后者管账。",
    ),
    (
        ["用户和室友周晨合租。", "周晨在医院做护士。"],
        "用户与在医院当护士的周晨合租。",
        "在医院当护士的用户与周晨合租。",
    ),
    (
        ["未婚夫叫江远，是牙科医生。", "伴郎是江远的哥哥江朗。", "江远对花生过敏。"],
        "未婚夫江远是牙科医生，对花生过敏；伴郎是他的哥哥江朗。",
        "未婚夫江远对花生过敏；伴郎是江远的哥哥、牙科医生江朗。",
    ),
    (
        ["用户的外公由小姨照顾。", "用户的表姐静仪在长沙学医。"],
        "照顾用户外公的是小姨，表姐静仪在长沙学医。",
        "照顾用户外公的是表姐静仪，静仪在长沙学医。",
    ),
    (
        ["用户跑步时扭伤了右膝。", "用户的跑友大刘参加了厦门马拉松。"],
        "用户跑步扭伤右膝；跑友大刘参加了厦门马拉松。",
        "用户的跑友大刘跑步扭伤右膝，参加了厦门马拉松。",
    ),
    (
        ["用户的先生何屿教物理。", "用户的婆婆今年70岁，患有糖尿病，和他们同住。"],
        "她丈夫何屿教物理，70岁、患有糖尿病的婆婆和他们同住。",
        "她丈夫何屿教物理，患有糖尿病，70岁的婆婆和他们同住。",
    ),
]


def _alarmed(sources: list[str], text: str) -> bool:
    report = verify([UserMemory(one, memory_id=str(at)) for at, one in enumerate(sources)], [UserMemory(text)])
    return bool(report.lost or report.invented)


@pytest.mark.parametrize(("sources", "faithful", "fault"), _CASES)
def test_what_is_told_of_the_wrong_person_is_found_and_of_the_right_one_not(
    sources: list[str], faithful: str, fault: str
) -> None:
    assert not _alarmed(sources, faithful)
    assert _alarmed(sources, fault)


_PASSED = [
    ("周宁借给表弟周南三万元买车。", "表弟周南为买车向周宁借了3万元。", "周宁为买车向表弟周南借了3万元。"),
    ("孙涛向用户借了一顶帐篷。", "用户借给孙涛一顶帐篷。", "用户向孙涛借了一顶帐篷。"),
    (
        "用户的大姐去年亏了6万元，二姐借给大姐4万元。",
        "大姐去年亏损6万元，二姐借了她4万元。",
        "大姐去年亏损6万元，二姐向她借了4万元。",
    ),
    ("用户的书法是跟外公学的。", "用户的书法由外公所教。", "外公的书法由用户所教。"),
    ("用户在上海跟李老师学钢琴。", "李老师在上海教用户弹钢琴。", "用户在上海教李老师弹钢琴。"),
]


@pytest.mark.parametrize(("source", "faithful", "fault"), _PASSED)
def test_lending_and_teaching_may_be_told_from_either_side_but_not_turned(source: str, faithful: str, fault: str) -> None:
    assert not _alarmed([source], faithful)
    assert _alarmed([source], fault)

"""What is wanted is not had, until a newer memory says so; facts said twice in other words count once."""

import pytest

from memopt.memory import UserMemory
from memopt.verify import verify


def check(sources, rewrite):
    return verify(
        [UserMemory(text, f"m{n}", created_at=1735689600 + 86400 * n) for n, text in enumerate(sources)],
        [UserMemory(rewrite, "rewrite")],
    )


WANTED = [
    ("User wants a parrot.", "User has a parrot."),
    ("User is looking for a singing teacher.", "User has a singing teacher."),
    ("User is saving for a camper van.", "User owns a camper van."),
    ("User wants to own a sailboat.", "User owns a sailboat."),
    ("User would like a bigger kitchen.", "User has a bigger kitchen."),
    ("用户想要一架钢琴。", "用户有一架钢琴。"),
    ("用户在找瑜伽老师。", "用户有一位瑜伽老师。"),
]


@pytest.mark.parametrize(("wanted", "had"), WANTED)
def test_what_is_wanted_is_not_had(wanted, had):
    for one, two in ((wanted, had), (had, wanted)):
        report = check([one], two)
        assert report.lost_ids == ("m0",)
        assert report.invented


@pytest.mark.parametrize(("wanted", "had"), WANTED)
def test_who_has_it_by_now_wanted_it_before(wanted, had):
    report = check([wanted, had], had)
    assert report.passed
    assert [(item.memory_id, item.newer_id) for item in report.superseded] == [("m0", "m1")]


@pytest.mark.parametrize(
    ("source", "rewrite"),
    [
        ("User wants a parrot.", "User would like to have a parrot."),
        ("User wants a parrot, as her aunt has a budgie.", "User's aunt has a budgie and she wants a parrot."),
        ("User has a sailboat and wants a bigger one.", "User wants a bigger sailboat than the one she has."),
        ("User wants short replies.", "User has a preference for short replies."),
        ("User needs the report by Friday noon.", "By noon on Friday the user must have the report."),
        ("用户想养一只鹦鹉。", "用户希望养一只鹦鹉。"),
    ],
)
def test_a_wish_told_in_other_words_is_the_same_wish(source, rewrite):
    assert check([source], rewrite).passed


@pytest.mark.parametrize(
    ("sources", "rewrite"),
    [
        (["User plans to move to Riga.", "User moved to Riga in March."], "In March the user moved to Riga."),
        (["User might be allergic to kiwis.", "User is allergic to kiwis, a test showed."], "A test showed that the user is allergic to kiwis."),
        (["User cannot swim.", "User learnt to swim in July."], "In July the user learnt to swim."),
        (["用户计划搬到大理。", "用户搬到了大理。"], "用户搬到了大理。"),
    ],
)  # fmt: skip
def test_what_a_newer_memory_tells_as_done_or_sure_replaces_the_plan_and_the_doubt(sources, rewrite):
    report = check(sources, rewrite)
    assert report.passed
    assert [item.memory_id for item in report.superseded] == ["m0"]
    assert not check(list(reversed(sources)), rewrite).passed  # the plan is the newer one: nobody knows what became of it


@pytest.mark.parametrize(
    ("one", "two", "facts"),
    [
        ("User has a tortoise called Emma.", "User owns a tortoise named Emma.", 1),
        ("User likes rowing.", "User enjoys rowing.", 1),
        ("用户喜欢划船。", "用户爱划船。", 1),
        ("User likes rowing.", "User does not like rowing.", 2),
        ("User wants a tortoise.", "User has a tortoise.", 2),
        ("User has a tortoise.", "User has two tortoises.", 2),
    ],
)
def test_a_fact_said_twice_with_other_common_verbs_counts_once(one, two, facts):
    assert check([one, two], f"{one} {two}").facts == facts

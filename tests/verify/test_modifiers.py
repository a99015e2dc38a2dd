"""A word for how much, how often or with whom that only one side has changes the fact; told in other words it does not."""

import pytest

from memopt.memory import UserMemory
from memopt.verify import verify


def check(source, rewrite):
    return verify([UserMemory(source, "m0")], [UserMemory(rewrite)])


@pytest.mark.parametrize(
    ("plain", "modified"),
    [
        ("User is allergic to kiwis.", "User is severely allergic to kiwis."),
        ("User lives in Chur.", "User lives in Chur alone."),
        ("User works at a bakery.", "User works part-time at a bakery."),
        ("User takes bisoprolol.", "User takes bisoprolol as needed."),
        ("User is learning Estonian.", "User is learning Estonian online."),
        ("User's daughter works as a pilot.", "User's eldest daughter works as a pilot."),
        ("User has two children.", "User has two adopted children."),
        ("User sold the boat.", "User sold the boat secretly."),
        ("User decorates cakes for friends.", "User decorates cakes for friends free of charge."),
        ("User stitches the bindings.", "User stitches the bindings by hand."),
        ("User knows the ballad.", "User knows the ballad by heart."),
        ("User pays the cleaner.", "User pays the cleaner in cash."),
        ("User deleted the branch.", "User deleted the branch by mistake."),
        ("User agreed to the transfer.", "User reluctantly agreed to the transfer."),
        ("用户对猕猴桃过敏。", "用户对猕猴桃严重过敏。"),
        ("用户住在大理。", "用户独自住在大理。"),
        ("用户在面包店工作。", "用户在面包店兼职工作。"),
    ],
)
def test_a_word_that_changes_a_fact_is_made_up_where_added_and_lost_where_left_out(plain, modified):
    assert check(plain, modified).invented
    assert check(modified, plain).lost_ids == ("m0",)


@pytest.mark.parametrize(
    ("source", "rewrite"),
    [
        ("User is severely allergic to kiwis.", "User has a serious kiwi allergy."),
        ("User lives in Chur by herself.", "User lives alone in Chur."),
        ("User fixes bikes for neighbours without charge.", "User fixes the neighbours' bikes free of charge."),
        ("User accidentally deleted the branch.", "User deleted the branch by mistake."),
        ("User sews most of the costumes by hand.", "User hand-sews most of the costumes."),
        ("User takes bisoprolol every morning.", "User takes bisoprolol daily, in the morning."),
        ("User has a standup at 9:15.", "User's daily standup is at 9:15."),
        ("User has three elder sisters and is the last child.", "User is the youngest, with three elder sisters."),
        ("用户每天骑车通勤。", "用户平时骑车通勤。"),
        ("用户一个人住在大理。", "用户独自住在大理。"),
    ],
)
def test_a_word_that_changes_a_fact_may_be_told_in_other_words(source, rewrite):
    report = check(source, rewrite)
    assert not [item for item in (*report.lost, *report.invented) if item.kind == "detail"]


@pytest.mark.parametrize(
    ("source", "faithful", "faulted"),
    [
        ("Nell's mother lives with them.", "Nell's mother shares their home.", "Nell's mother-in-law shares their home."),
        ("Nell's mother-in-law lives with them.", "Her husband's mother lives with Nell.", "Nell's mother lives with them."),
        ("User has a stepdaughter named Ines.", "The user's wife's daughter is called Ines.", "The user has a daughter named Ines."),
        ("User meets her choir on Thursdays.", "The user's choir gets together on Thursdays.", "The user's choir gets together on Thursday evenings."),
        ("User calls his aunt on Sundays at 9 am.", "On Sunday mornings at 9 the user phones his aunt.", "On Sunday evenings the user phones his aunt at 9."),
        ("User met her husband at a fair.", "It was at a fair that the user met her husband.", "It was at a fair that the user met her business partner."),
        ("Colm cooks on the days she works.", "On her working days the cooking is done by Colm.", "On her days off the cooking is done by Colm."),
        ("User takes iron each morning on an empty stomach.", "Every morning the user takes iron before eating.", "Every morning the user takes iron after breakfast."),
        ("Slugs ate most of the basil.", "Most of the basil was eaten by slugs.", "All of the basil was eaten by slugs."),
        ("User owns a stamp collection.", "A stamp collection belongs to the user.", "A valuable stamp collection belongs to the user."),
    ],
)  # fmt: skip
def test_whose_relative_what_part_and_which_part_of_the_day_are_told(source, faithful, faulted):
    assert not [item for item in (*check(source, faithful).lost, *check(source, faithful).invented) if item.kind == "detail"]
    report = check(source, faulted)
    assert report.lost or report.invented

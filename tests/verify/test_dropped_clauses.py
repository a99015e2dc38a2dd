"""A part of a sentence that says when, why or what for, left out of a rewrite that tells the rest."""

from __future__ import annotations

import pytest

from memopt.memory import UserMemory
from memopt.verify import verify


def lost(source: str, rewrite: str) -> bool:
    return bool(verify([UserMemory(source, memory_id="a")], [UserMemory(rewrite, memory_id="z")]).lost)


@pytest.mark.parametrize(
    ("source", "kept", "dropped"),
    [
        ("Ola helps at the mill whenever her uncle is ill.", "Whenever her uncle is ill, Ola helps at the mill.", "Ola helps at the mill."),
        ("Ben bought a van so he could transport his drums.", "Ben bought a van in order to transport his drums.", "Ben bought a van."),
        ("Ana agreed to go to therapy to save her marriage.", "To save her marriage, Ana agreed to go to therapy.", "Ana agreed to go to therapy."),
        ("Ana quit dancing for the sake of her knees.", "To spare her knees, Ana quit dancing.", "Ana quit dancing."),
        ("Ben walks home when it snows.", "When it snows, Ben walks home.", "Ben walks home."),
        ("Ben will buy the barn if the bank approves his loan.", "Should the bank grant him the loan, Ben will buy the barn.", "Ben will buy the barn."),
        ("老秦每次下雨都膝盖疼。", "一下雨，老秦的膝盖就疼。", "老秦膝盖疼。"),
        ("小敏下班后去接孩子。", "小敏去接孩子，在下班之后。", "小敏去接孩子。"),
        ("小敏受伤后改练游泳。", "受伤之后，小敏改练游泳。", "小敏改练游泳。"),
    ],
)  # fmt: skip
def test_a_clause_that_says_when_or_why_is_missed_where_it_is_left_out(source: str, kept: str, dropped: str) -> None:
    assert not lost(source, kept)
    assert lost(source, dropped)


@pytest.mark.parametrize(
    ("source", "kept", "dropped"),
    [
        ("Otto sold his motorbike because his knees had become too stiff.", "With knees grown too stiff, Otto parted with his motorbike.", "Otto parted with his motorbike."),
        ("Paula leaves the phone outside the bedroom so she can fall asleep faster.", "Paula gets to sleep more quickly with her phone left out of the bedroom.", "Paula leaves her phone out of the bedroom."),
        ("Ines cancelled her gym membership because the showers were always cold.", "Ines ended her gym membership because of the cold showers.", "Ines terminated her gym membership."),
        ("User cycles to work if the roads are dry.", "In dry conditions the user goes to work by bike.", "User goes to work by bike."),
        ("Jonas deleted the branch because of a licence conflict in a dependency.", "A dependency's licence clashed, so Jonas removed the branch.", "Jonas removed the branch."),
        ("Dina covers for Rafi at the bakery whenever his knee is swollen.", "Any time Rafi's knee swells up, Dina fills in for him at the bakery.", "Dina fills in for Rafi at the bakery."),
        ("Milo always takes the train whenever possible.", "Milo goes by train whenever he can.", "Milo has a dog."),
    ],
)  # fmt: skip
def test_a_clause_that_says_why_is_missed_where_the_rest_is_told_in_other_words(source: str, kept: str, dropped: str) -> None:
    assert not lost(source, kept)
    assert lost(source, dropped)


@pytest.mark.parametrize(
    ("source", "kept", "dropped"),
    [
        ("Ruben has not smoked since his daughter was born.", "Ruben gave up smoking when his daughter was born.", "Ruben gave up smoking."),
        ("Hedda had to cut her visit short because her parrot fell ill.", "Hedda ended her visit early, as her parrot was sick.", "Hedda ended her visit early."),
        ("Nils asked his colleague to marry him during a gondola ride.", "It was on a gondola that Nils asked his colleague to marry him.", "Nils wanted to know if his colleague would marry him."),
        ("User takes the bike instead of the car to stay fit.", "The user rides a bike rather than drive, in order to keep fit.", "The user rides a bike rather than drive."),
        ("Otto studies before the twins wake up.", "Otto studies while the twins are still asleep.", "Otto studies."),
        ("Dora left her post as a bailiff to open a puppet theatre.", "To open a puppet theatre, Dora gave up her post as a bailiff.", "Dora gave up her post as a bailiff."),
        ("Selma practises until two in the afternoon.", "Selma practises till 2 p.m.", "Selma practises."),
        ("Hazel feeds the fish when the owner is away.", "In the owner's absence Hazel feeds the fish.", "Hazel feeds the fish."),
    ],
)  # fmt: skip
def test_an_occasion_or_an_aim_is_missed_where_it_is_left_out(source: str, kept: str, dropped: str) -> None:
    assert not lost(source, kept)
    assert lost(source, dropped)

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

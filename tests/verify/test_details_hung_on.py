"""Details that a rewrite hangs on a fact, or puts in the place of another: where, what for, in which manner, of which sort."""

from __future__ import annotations

import pytest

from memopt.memory import UserMemory
from memopt.verify import verify


def clean(source: str, rewrite: str) -> bool:
    report = verify([UserMemory(source, memory_id="a")], [UserMemory(rewrite, memory_id="z")])
    return not report.lost and not report.invented


@pytest.mark.parametrize(
    ("source", "kept", "changed"),
    [
        ("Tim drives carefully since his crash.", "Ever since his crash Tim drives cautiously.", "Since his crash Tim drives recklessly."),
        ("User's boss explained the error patiently.", "The user's boss was patient in explaining the error.", "The user's boss explained the error angrily."),
        ("Ada spoke openly about her depression.", "Ada talked frankly about her depression.", "Ada spoke jokingly about her depression."),
        ("User fixed a login bug in the shop app.", "The user repaired a sign-in bug in the shop app.", "The user fixed a checkout bug in the shop app."),
        ("User hosted a birthday party in May.", "In May the user threw a birthday party.", "In May the user threw a retirement party."),
    ],
)  # fmt: skip
def test_another_manner_or_sort_is_told_from_another_word_for_it(source: str, kept: str, changed: str) -> None:
    assert clean(source, kept)
    assert not clean(source, changed)


@pytest.mark.parametrize(
    ("source", "kept", "more"),
    [
        ("User runs a Synology NAS.", "The user has a Synology NAS running.", "The user runs a Synology NAS that doubles as a photo backup."),
        ("User has a Raspberry Pi 5.", "The user owns a Raspberry Pi 5.", "The user owns a Raspberry Pi 5 that serves as a home media server."),
        ("Gil rents a garage.", "A garage is rented by Gil.", "Gil rents a garage close to the harbour."),
        ("Lea keeps bees.", "Lea has bees.", "Lea keeps bees behind the barn."),
        ("Lea parks her van on the street.", "Lea's van is parked on the street.", "Lea parks her van on the street next to the church."),
        ("User has an old dog that cannot climb stairs.", "The user owns an elderly dog which can't go up stairs.", "User has an old dog that cannot climb stairs or swim."),
    ],
)  # fmt: skip
def test_a_place_or_a_purpose_that_no_source_tells_is_found(source: str, kept: str, more: str) -> None:
    assert clean(source, kept)
    assert not clean(source, more)

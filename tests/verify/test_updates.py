"""A fact that a newer memory replaces may be dropped where the newer one is kept, however the change is told."""

import pytest

from memopt.memory import UserMemory
from memopt.verify import verify

DAY = 86_400


def check(sources, rewrite, *, dated=True):
    memories = [
        UserMemory(text, f"m{n}", created_at=1_735_689_600 + n * DAY if dated else None) for n, text in enumerate(sources)
    ]
    return verify(memories, [UserMemory(rewrite)])


CHANGED = [
    (["The orchestra has 62 members.", "The orchestra was enlarged, it now has 70 members."], "The orchestra was enlarged to 70 members."),
    (["Her hourly fee is €45.", "User raised her fee to €52 an hour in May."], "Since May the user's hourly fee has been €52."),
    (["The server runs Debian 11.", "User upgraded the server to Debian 12 on 2025-02-03."], "The server was upgraded to Debian 12 on 3 February 2025."),
    (["User's dance teacher is called Olga Brandt.", "The new dance teacher since May is Piet Janssen."], "Since May Piet Janssen has been the user's dance teacher."),
    (["The choir rehearses on Mondays at 18:30.", "The choir rehearsal was moved to Thursdays at 19:00."], "The choir now rehearses on Thursdays at 19:00."),
    (["Lena works as a clerk at Nordbank.", "Lena quit Nordbank and has been a bookkeeper at Alster Foods since 3 May 2025."], "Lena left Nordbank; since 3 May 2025 she has been a bookkeeper at Alster Foods."),
    (["There are 90 children on the list for the camp.", "The list for the camp has been cut to 75."], "The list for the camp was cut to 75."),
    (["User's cholesterol is 240.", "User's cholesterol fell to 205 in March."], "In March the user's cholesterol went down to 205."),
    (["The hall will be painted yellow.", "User has decided on a grey hall after all."], "The hall will be grey after all."),
]  # fmt: skip


@pytest.mark.parametrize(("sources", "rewrite"), CHANGED)
def test_what_a_newer_memory_changes_may_be_dropped(sources, rewrite):
    assert not check(sources, rewrite).lost


@pytest.mark.parametrize(("sources", "rewrite"), CHANGED)
def test_the_newer_one_may_not(sources, rewrite):
    assert "m1" in check(sources, sources[0]).lost_ids


@pytest.mark.parametrize(("sources", "rewrite"), CHANGED[:4])
def test_without_dates_nothing_is_newer(sources, rewrite):
    assert "m0" in check(sources, rewrite, dated=False).lost_ids


@pytest.mark.parametrize(
    ("sources", "rewrite"),
    [
        # something else changed
        (["User has 3 goats.", "User now has 5 ducks."], "User now has 5 ducks."),
        (["Tom's rating is 1500.", "Mia's rating rose to 1600."], "Mia's rating rose to 1600."),
        # both hold
        (["User ran 5 km on Monday.", "User ran 8 km on Tuesday."], "User ran 8 km on Tuesday."),
        (["User's colleague is Anna Rau.", "User's new colleague is Ben Holt."], "User's new colleague is Ben Holt."),
        # it is not sure to happen
        (["The rent is €900.", "The landlord wants to raise the rent to €950."], "The landlord wants to raise the rent to €950."),
        # what else the older one says is gone as well
        (["The meeting is on Mondays at 9:30 in the cedar room.", "The meeting was moved to Fridays at 10:00."], "The meeting was moved to Fridays at 10:00."),
        # what happened stays true
        (["User bought 20 tulips in March.", "User has now cut the tulips to 12."], "User has now cut the tulips to 12."),
    ],
)  # fmt: skip
def test_what_nothing_newer_replaces_is_lost(sources, rewrite):
    assert "m0" in check(sources, rewrite).lost_ids


def test_a_figure_that_changed_is_not_told_of_another_thing():
    sources = ["User's FIDE rating is 1742.", "User's rating rose to 1768 in March.", "User drinks tea."]
    report = check(sources, "The user's FIDE rating went up to 1768 in March. The user drinks tea.")
    assert report.passed


def test_a_name_in_parts_and_a_pet_by_its_kind_are_not_exchanged():
    sources = ["Client Harbour Ltd (contact: Ida Roe) is on the basic plan, 9 seats.", "Harbour has 9 seats on the basic plan."]
    report = check(sources, "Harbour Ltd has the basic plan with 9 seats. Contact: Ida Roe.")
    assert not [item for item in report.invented if item.kind == "swap"]
    sources = ["Nils has adopted a dog called Bodo.", "Nils enjoys watching his dog play with other pets."]
    assert check(sources, "Nils has adopted a dog called Bodo. He enjoys watching Bodo play with other pets.").passed

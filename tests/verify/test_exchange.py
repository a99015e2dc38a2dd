"""Facts that are all there, but told of one another's people and things."""

from __future__ import annotations

import pytest

from memopt.memory import UserMemory
from memopt.verify import verify


def report(sources, *rewrite):
    rows = [UserMemory(text, memory_id=f"m{at}", created_at=1735689600 + 86400 * at) for at, text in enumerate(sources)]
    return verify(rows, [UserMemory(text, memory_id=f"r{at}") for at, text in enumerate(rewrite)])


EXCHANGED = [
    (["Lova and her cousin Arvid run a ferry.", "Lova does the steering and Arvid the ticketing."], "Cousins Lova and Arvid run a ferry: the steering is Lova's job, the ticketing Arvid's.", "Cousins Lova and Arvid run a ferry: the ticketing is Lova's job, the steering Arvid's."),
    (["User grows leeks at the allotment.", "User keeps quails on the balcony."], "Leeks are grown at the allotment. Quails are kept on the balcony.", "Quails are grown at the allotment. Leeks are kept on the balcony."),
    (["User was born in Izmir and lives in Graz."], "The user, who was born in Izmir, lives in Graz.", "User was born in Graz and lives in Izmir."),
    (["Dario lives in Trieste, his sister Nives in Split."], "Dario's home is Trieste; his sister Nives lives in Split.", "Dario's home is Split; his sister Nives lives in Trieste."),
    (["User drinks oat milk and eats rye bread."], "Oat milk and rye bread are what the user has.", "User drinks rye milk and eats oat bread."),
    (["Beatrix plays the harp, Konrad the tuba."], "The harp is played by Beatrix, the tuba by Konrad.", "The tuba is played by Beatrix, the harp by Konrad."),
    (["Team Falcon uses Rust.", "Team Heron uses Elixir."], "Falcon uses Rust and Heron Elixir.", "Falcon uses Elixir and Heron Rust."),
    (["User sings in a choir since 2021.", "User sees a tutor since April."], "Since 2021 the user sings in a choir, and sees a tutor since April.", "Since April the user sings in a choir, and sees a tutor since 2021."),
    (["User asked about disk use; the limit is 90 %.", "User asked about memory use; the limit is 75 %."], "asked about disk use; the limit is 90 %; asked about memory use; the limit is 75 %.", "asked about disk use; the limit is 75 %; asked about memory use; the limit is 90 %."),
    (["Maths is on 3 June and Latin on 5 June."], "Latin is on 5 June, maths on 3 June.", "Latin is on 3 June, maths on 5 June."),
    (["猫粮放在左边柜子,狗粮放在右边柜子。"], "左边柜子放猫粮,右边柜子放狗粮。", "左边柜子放狗粮,右边柜子放猫粮。"),
    (["Zuzana is 34 and Emre is 38."], "Zuzana and Emre are 34 and 38.", "Zuzana and Emre are 38 and 34."),
]  # fmt: skip


OF_ONE_PERSON = [
    (["Signe has been fencing since she was 9.", "Signe took up weaving about three years ago to relax."], "Signe has fenced since the age of 9, and about three years ago she took up weaving to relax.", "Signe has woven since the age of 9 to relax, and about three years ago she took up fencing."),
    (["Bo recently began learning the trumpet and has been playing the oboe for about six months."], "Bo has been playing the oboe for around six months and recently started learning the trumpet.", "Bo has been playing the trumpet for around six months and recently started learning the oboe."),
    (["The attic has 11 boxes and the cellar has 40.", "User's cousin Ines cleans the attic; Jurek cleans the cellar."], "Jurek is cleaning the cellar (40 boxes); the attic, with 11 boxes, is cleaned by the user's cousin Ines.", "Jurek is cleaning the cellar (11 boxes); the attic, with 40 boxes, is cleaned by the user's cousin Ines."),
    (["Tove sketches on Sundays and swims before breakfast."], "On Sundays Tove sketches, and before breakfast she swims.", "On Sundays Tove swims, and before breakfast she sketches."),
    (["Marek keeps his visa in the desk and his medals in the attic."], "Marek's visa is kept in the desk, his medals in the attic.", "Marek's medals are kept in the desk, his visa in the attic."),
]  # fmt: skip


@pytest.mark.parametrize(("sources", "faithful", "swapped"), OF_ONE_PERSON, ids=[row[2] for row in OF_ONE_PERSON])
def test_what_changed_places_between_two_clauses_about_one_person_is_found(sources, faithful, swapped):
    assert report(sources, faithful).passed
    assert not report(sources, swapped).passed


def test_clauses_that_are_told_in_another_order_and_number_exchange_nothing():
    sources = [
        "User has a Brother label printer and prints in mono.",
        "User switched the printer from mono to colour in May.",
        "The printer has serial BX77.",
    ]
    text = "Label printer: a Brother with the serial BX77; in May the user switched it from mono to colour."
    assert not [item for item in report(sources, text).invented if item.kind == "swap"]


@pytest.mark.parametrize(("sources", "faithful", "swapped"), EXCHANGED, ids=[row[2] for row in EXCHANGED])
def test_what_changed_places_is_found(sources, faithful, swapped):
    assert report(sources, faithful).passed
    assert not report(sources, swapped).passed


@pytest.mark.parametrize(
    ("sources", "rewrite"),
    [
        (["User works with Ansible and Vagrant every day."], "The user uses Vagrant and Ansible on a daily basis."),
        (["User switched from Asics to Hoka.", "User switched from Hoka to Nike."], "User switched from Asics to Hoka, then Hoka to Nike."),
        (["Mara is 41 and Ilse is 44."], "Mara and Ilse are 41 and 44."),
    ],
)  # fmt: skip
def test_a_list_in_another_order_exchanges_nothing(sources, rewrite):
    assert report(sources, rewrite).passed
